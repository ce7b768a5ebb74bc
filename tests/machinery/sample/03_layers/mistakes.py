"""Planted mistakes of module 03: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "linear-forward": """
        The bias is left out.
        + return input @ weight.T

        The bias is added twice.
        - return output if bias is None else output + bias
        + return output if bias is None else output + 2 * bias

        The weight is taken as it stands.
        + return input @ weight
    """,
    "linear-class": """
        The input comes back.
        + return input

        The weight is squared.
        + return linear(input, self.weight**2)

        The sign is turned.
        + return -linear(input, self.weight)
    """,
}
