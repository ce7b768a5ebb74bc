"""Changes in the answers of module 01 that no valid input can tell from them."""

EQUIVALENT = {
    "contiguous-strides": """
        The larger of two numbers is the same in either order.
        - step *= max(n, 1)
        + step *= max(1, n)
    """,
    "expanded": """
        A new dimension that is longer than 1 gets its 0 below; along one of length 1 nobody takes a step.
        - lengths, strides = (list(shape), [0] * new + list(layout.strides))
        + lengths, strides = (list(shape), [1] * new + list(layout.strides))
        + lengths, strides = (list(shape), [-1] * new + list(layout.strides))
    """,
    "infer-shape": """
        Every length below 0 is refused.
        - found = numel // known if known else -1
        + found = numel // known if known else -2

        Of no lengths the least is any number that is not negative.
        - if min(filled, default=0) < 0 or math.prod(filled) != numel:
        + if min(filled, default=1) < 0 or math.prod(filled) != numel:
    """,
    "broadcast-shapes": """
        A list repeated a negative number of times is empty, as one repeated no time is.
        - ndim = max([len(shape) for shape in shapes], default=0)
        + ndim = max([len(shape) for shape in shapes], default=-1)
    """,
    "matmul": """
        Both ways give the same product, for vectors too, and only the time that they take differs.
        - if x.ndim > 2 and y.ndim == 2:
        + if False:
        + if y.ndim == 2:
        + if x.ndim >= 2 and y.ndim == 2:
        + if x.ndim < 2 and y.ndim == 2:
        + if x.ndim > 3 and y.ndim == 2:
        + if x.ndim > 1 and y.ndim == 2:
        + if x.ndim > 2 and x.ndim == 2:
        - if x.ndim > 2 and y.ndim == 2: / return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        + pass

        The last of two dimensions is number 1.
        - return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        + return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[+1])
    """,
    "var": """
        A deviation and its negative have the same square.
        - deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + deviation = x.sum(axis=ctx.axis, keepdims=True) / count - x
    """,
}
