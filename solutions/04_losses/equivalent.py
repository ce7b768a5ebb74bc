"""Changes in the answers of module 04 that no valid input can tell from them."""

EQUIVALENT = {
    "nll-loss": """
        What stands at an ignored position is multiplied by 0.
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = -picked.masked_fill(~kept, 1) * counts
        + losses = -picked.masked_fill(~kept, -1) * counts
    """,
    "row-losses": """
        A row has at least one score, that of its class.
        - largest = x.max(axis=1, keepdims=True, initial=-np.inf)
        + largest = x.max(axis=1, keepdims=True)

        The numbers are the same, in more memory.
        - sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + sums = np.exp(shifted).sum(axis=1, keepdims=True)
    """,
    "binary-cross-entropy": """
        Whether NumPy warns is not promised.
        - with np.errstate(divide='ignore'):
        + with np.errstate():

        The larger of two numbers is the same in either order, and so is a NaN among them.
        - log_p, log_q = (np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100))
        + log_p, log_q = (np.maximum(-100, np.log(x)), np.maximum(np.log1p(-x), -100))
        + log_p, log_q = (np.maximum(np.log(x), -100), np.maximum(-100, np.log1p(-x)))
    """,
    "kl-div": """
        Whether NumPy warns is not promised.
        - with np.errstate(divide='ignore', invalid='ignore'):
        + with np.errstate(invalid='ignore'):
        + with np.errstate(divide='ignore'):
    """,
}
