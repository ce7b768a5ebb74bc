"""Planted mistakes of module 01: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "double": """
        The square.
        + return np.asarray(x) * np.asarray(x)

        The number itself.
        + return np.asarray(x)

        Flattened.
        + return 2 * np.ravel(x)
    """,
    "triple": """
        Double.
        + return double(x)

        The cube.
        + return np.asarray(x) ** 3

        Nothing.
        + pass
    """,
}
