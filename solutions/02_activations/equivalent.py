"""Changes in the answers of module 02 that no valid input can tell from them."""

EQUIVALENT = {
    "relu": """
        The larger of two numbers is the same in either order, and so is a NaN among them.
        - output = np.maximum(x, 0)
        + output = np.maximum(0, x)
    """,
    "sigmoid": """
        The larger of two numbers is the same in either order, and so is a NaN among them.
        - output = np.maximum(exps, x >= 0)
        + output = np.maximum(x >= 0, exps)

        At 0 both numerators are 1.
        - output = np.maximum(exps, x >= 0)
        + output = np.maximum(exps, x > 0)
    """,
    "softplus": """
        The larger of two numbers is the same in either order, and so is a NaN among them.
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(0, scaled)
    """,
    "logsumexp": """
        Where the largest is infinite, every finite shift gives the same, and a type called without a number gives 0.
        - shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        + shift = np.where(np.isfinite(shift), shift, x.dtype.type())
        + shift = np.where(np.isfinite(shift), shift, x.dtype.type(1))
        + shift = np.where(np.isfinite(shift), shift, x.dtype.type(-1))

        Whether NumPy warns is not promised.
        - with np.errstate(divide='ignore'):
        + with np.errstate():
    """,
}
