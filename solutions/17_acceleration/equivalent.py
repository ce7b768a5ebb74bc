"""Changes in the answers of module 17 that no valid input can tell from them."""

EQUIVALENT = {
    "transpose": """
        A tile that begins at -1 copies the last row, or column, once more: that is what index -1 means.
        - for i in range(0, rows, TILE):
        + for i in range(-1, rows, TILE):
        - for j in range(0, columns, TILE):
        + for j in range(-1, columns, TILE):

        The smaller of two numbers is the same in either order.
        - for b in range(j, min(j + TILE, columns)):
        + for b in range(j, min(columns, j + TILE)):
        - for a in range(i, min(i + TILE, rows)):
        + for a in range(i, min(rows, i + TILE)):
    """,
    "fit-exponential": """
        None is what NumPy takes for rcond by itself.
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights)[0]
    """,
    "exponential": """
        A number at an end of the range is that end.
        - x = HIGHEST if x > HIGHEST else x
        + x = HIGHEST if x >= HIGHEST else x
        - x = LOWEST if x < LOWEST else x
        + x = LOWEST if x <= LOWEST else x
    """,
    "bias-gelu": """
        The gradient has as many rows as x.
        - for i in range(len(x)):
        + for i in range(len(grad)):
    """,
    "softmax-rows": """
        The gradient has the shape of p.
        - for i in range(len(p)):
        + for i in range(len(grad)):
        - for j in range(len(row)):
        + for j in range(len(g)):
    """,
    "cross-entropy": """
        The gradient of the losses has one number for each row.
        - for i in range(len(x)):
        + for i in range(len(grad)):
    """,
    "layer-norm-gradient": """
        The gradient has as many rows as x.
        - for i in range(len(x)):
        + for i in range(len(grad)):
    """,
}
