"""The margin around images that a `Window` looks at, put on and cut off again: plain NumPy."""

import numpy as np

__all__ = ["around", "padded", "padded_below", "padded_for_max", "unpadded", "with_margin"]


def with_margin(size, window):
    """The rows and columns that a window needs: the image and its margin."""
    sides = zip(size, window.padding, window.kernel_size, window.stride, window.dilation, window.places)
    return tuple([max(m + p, (n - 1) * s + d * (k - 1) + 1) for m, p, k, s, d, n in sides])


def around(window):
    """The margin with which a gradient is convolved with the filters turned by half a turn."""
    sides = zip(window.kernel_size, window.dilation, window.padding)
    return tuple([d * (k - 1) - p for k, d, p in sides])


def padded(x, window, fill=0):
    """Images with a margin on every side on which the window looks beyond them."""
    (top, left), (height, width) = window.padding, x.shape[-2:]
    size = with_margin((height, width), window)
    if size == (height, width):
        return x
    output = np.full_like(x, fill, shape=(*x.shape[:-2], *size), order="C")
    output[..., top : top + height, left : left + width] = x
    return output


def lowest(dtype):
    """The smallest number of a dtype, -inf for floats."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def padded_for_max(x, window):
    """Images with a margin of the smallest number there is: no pixel is below it."""
    return padded(x, window, lowest(x.dtype))


def padded_below(x, output, window):
    """Images in a margin below all maxima: if one is the smallest number, all are raised or become int64."""
    if with_margin(x.shape[2:], window) == x.shape[2:] or (output > lowest(x.dtype)).all():
        return padded_for_max(x, window), output
    if x.dtype.kind == "f":
        x, output = (np.maximum(numbers, np.finfo(x.dtype).min) for numbers in (x, output))
    else:
        x, output = x.astype(np.int64), output.astype(np.int64)
    return padded_for_max(x, window), output


def unpadded(x, size, window):
    """Images of a size without the margin that `padded` put around them."""
    top, left = window.padding
    return x[..., top : top + size[0], left : left + size[1]]
