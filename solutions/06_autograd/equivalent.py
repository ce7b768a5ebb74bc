"""Changes in the answers of module 06 that no valid input can tell from them."""

EQUIVALENT = {
    "by-hand": """
        The larger of two numbers is the same in either order, and so is a NaN among them.
        - h = np.maximum(a, 0)
        + h = np.maximum(0, a)
    """,
    "unbroadcast": """
        The sum of one number is that number.
        - stretched = [d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1]
        + stretched = [d + extra for d, n in enumerate(shape) if n == 1]

        Where the shapes differ there is something to sum, and reshape makes the shape.
        - return (grad.sum(axis=axes, keepdims=True) if axes else grad).reshape(shape)
        + return (grad.sum(axis=axes, keepdims=True) if axes or True else grad).reshape(shape)
        + return (grad.sum(axis=axes) if axes else grad).reshape(shape)
        + return (grad.sum(axis=axes, keepdims=False) if axes else grad).reshape(shape)
        + return (grad.sum(axis=axes, keepdims=True) if axes else axes).reshape(shape)
    """,
    "matmul-gradient": """
        Two axes that change places do so in either order.
        - product = call(operations.MatMul, grad, columns.swapaxes(-2, -1))
        + product = call(operations.MatMul, grad, columns.swapaxes(-1, -2))
        - grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
        + grad_y = unbroadcast(rows.swapaxes(-1, -2) @ grad, columns.shape)
    """,
    "add-rows": """
        Of no rows, or of rows without elements, nothing is added.
        - if rows.size:
        + if True:
        + if grad.size:

        The rows of one run may be added in any order.
        - order = rows.argsort(kind='stable')
        + order = rows.argsort()

        No row has a negative number by then.
        - starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        + starts = np.flatnonzero(np.diff(ordered, prepend=-2))

        The first axis is NumPy's choice too, and the output's type is the gradient's.
        - output[ordered[starts]] = np.add.reduceat(grad[order], starts, axis=0, dtype=grad.dtype)
        + output[ordered[starts]] = np.add.reduceat(grad[order], starts, dtype=grad.dtype)
        + output[ordered[starts]] = np.add.reduceat(grad[order], starts, axis=0)
    """,
    "walk": """
        A node is in both or in neither.
        - while queue:
        + while pending:
    """,
}
