"""Changes in the answers of module 09 that no valid input can tell from them."""

EQUIVALENT = {
    "convolution": """
        NumPy takes every negative length for the one that it is to find.
        - output[block] += bias.reshape(-1, 1, 1)
        + output[block] += bias.reshape(-2, 1, 1)
    """,
    "weight-gradient": """
        Two axes that change places do so in either order, and in four dimensions number -2 is number 2.
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters += (flat[block] @ columns.swapaxes(-1, -2)).sum(axis=0)
        + filters += (flat[block] @ columns.swapaxes(+2, -1)).sum(axis=0)
    """,
    "input-gradient": """
        Two axes that change places do so in either order.
        - filters = filters_by_group(weight, groups).swapaxes(-2, -1)
        + filters = filters_by_group(weight, groups).swapaxes(-1, -2)

        Memory like something that is no array is of objects: they are the same numbers, and take longer.
        - for block, columns in blocks(grad, len(grad), *shape):
        + for block, columns in blocks(ctx, len(grad), *shape):
    """,
    "max-pool": """
        The larger of two numbers is the same in either order, and so is a NaN among them.
        - np.maximum(output, numbers, out=output)
        + np.maximum(numbers, output, out=output)
    """,
    "winners": """
        Both conditions are to hold, in either order.
        - here = (x[seen] == output) & free
        + here = free & (x[seen] == output)
    """,
    "batch-norm": """
        The channels divide the elements without a rest.
        - count = x.size // x.shape[1]
        + count = x.size / x.shape[1]

        NumPy takes every negative length for the one that it is to find.
        - running_mean += momentum * (mean.reshape(-1) - running_mean)
        + running_mean += momentum * (mean.reshape(-2) - running_mean)
        - running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        + running_var += momentum * (var.reshape(-2) * (count / (count - 1)) - running_var)
    """,
}
