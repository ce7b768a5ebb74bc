"""Intel's library for products of matrices, which NumPy does not use."""


def is_available():
    """Whether it is there: no."""
    return False
