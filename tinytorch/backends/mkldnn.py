"""Intel's library of layers, which is not used."""

enabled = False


def is_available():
    """Whether it is there: no."""
    return False
