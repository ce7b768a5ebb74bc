"""Changes that no valid input can tell from the answers."""

EQUIVALENT = {
    "max-pool": """
        The larger of two numbers is the same in either order, and so is a NaN among them.
        - np.maximum(output, numbers, out=output)
        + np.maximum(numbers, output, out=output)
    """,
    "weight-gradient": """
        Two axes that change places do so in either order.
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters += (flat[block] @ columns.swapaxes(-1, -2)).sum(axis=0)
    """,
}
