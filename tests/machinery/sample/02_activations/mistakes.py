"""Planted mistakes of module 02: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "scale": """
        Adds.
        + return self.factor + np.asarray(x)

        Keeps.
        + return np.asarray(x)

        Divides.
        + return np.asarray(x) / self.factor
    """,
    "quadruple": """
        Double.
        + return double(x)

        Squared.
        + return double(x) ** 2

        Nothing.
        + pass
    """,
}
