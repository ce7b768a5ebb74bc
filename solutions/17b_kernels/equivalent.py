"""Changes that no valid input can tell from the answers."""

EQUIVALENT = {
    "matmul-tiled": """
        A number type that is called without a number gives 0.
        - zero = np.float32(0)
        + zero = np.float32()
    """,
}
