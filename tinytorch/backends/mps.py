"""GPUs of Apple's: not there."""


def is_available():
    """Whether one can be used: no."""
    return False


def is_built():
    """Whether kernels for them were built: no."""
    return False
