"""NumPy's arrays and those on a device, distinguished and unified; uses nothing that the course writes.

An operation that calls methods of its arrays, and NumPy's functions on them, runs on both kinds. What remains
is to know an array, to make a new one where another is, and to do at once on a device what a CPU does in
parts.
"""

import numpy as np

__all__ = [
    "address",
    "beside",
    "in_parts",
    "is_array",
    "narrowed",
    "on_host",
    "owner",
    "selected",
    "widened",
    "zeros_beside",
]


def is_array(x):
    """Whether x is an array, of NumPy's or on a device: no number, no Tensor."""
    return hasattr(x, "__array_function__")


def on_host(array):
    """Whether a look at an array's values costs nothing: on a device it would wait for all that was begun."""
    return isinstance(array, (np.ndarray, np.generic))


def address(array):
    """Where the first element lies in the host's memory, or the device's."""
    return array.__array_interface__["data"][0] if on_host(array) else array.address


def owner(array):
    """The array whose memory this one looks into: itself, unless it is a view."""
    kind = np.ndarray if isinstance(array, np.ndarray) else type(array)
    while isinstance(array.base, kind):
        array = array.base
    return array


def zeros_beside(like, shape, dtype=None):
    """Zeros where another array is, or a Tensor's, in its type unless another is named."""
    like = getattr(like, "array", like)
    dtype = like.dtype if dtype is None else dtype
    return np.zeros(shape, dtype) if on_host(like) else np.zeros(shape, dtype, like=like)


def widened(array):
    """A float16 array, or NumPy's number, as float32, for sums; anything else as it is."""
    is_float16 = isinstance(array, np.float16) or (is_array(array) and array.dtype.char == "e")
    return array.astype(np.float32) if is_float16 else array


def narrowed(array):
    """A float32 array, or NumPy's number, as float16; anything else as it is."""
    is_float32 = isinstance(array, np.float32) or (is_array(array) and array.dtype.char == "f")
    return array.astype(np.float16) if is_float32 else array


def beside(like, array):
    """A host array where another array is: itself on the host, else a copy that is sent to the device."""
    return array if on_host(like) else np.asarray(array, like=like)


def selected(condition, x, y):
    """`np.where` without a branch for each number, which costs thirty times more where one cannot guess it.

    Args:
        condition: an array of booleans.
        x, y: arrays or numbers; the result has their common dtype.

    >>> selected(np.array([True, False]), np.float32(1), 0.0)
    array([1., 0.], dtype=float32)
    """
    if not on_host(condition) or condition.size < 4096 or condition.dtype != bool:
        return np.where(condition, x, y)
    dtype = np.result_type(x, y)
    bits = np.dtype(f"i{dtype.itemsize}")
    x, y = (np.asarray(numbers, dtype).view(bits) for numbers in (x, y))
    chosen = np.negative(condition.view(np.int8)).astype(bits)  # ones in every bit, or none
    if not y.ndim and not y:
        output = x & chosen
    elif not x.ndim and not x:
        output = y & ~chosen
    else:
        output = (x ^ y) & chosen ^ y
    return output.view(dtype)


def in_parts(array, rows):
    """Slices of so many rows of an array, so that work stays in the cache; on a device all rows at once."""
    rows = max(1, rows if on_host(array) else len(array))
    return [slice(start, start + rows) for start in range(0, max(len(array), 1), rows)]
