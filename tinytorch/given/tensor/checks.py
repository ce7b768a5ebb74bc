"""Arguments as PyTorch takes them and refuses them: dimensions, shapes of products, reductions of nothing."""

import math
import operator

import numpy as np

from tinytorch.tensor import broadcast_shapes, dtypes, float16, float32

__all__ = [
    "axes_of",
    "axis_of",
    "check_counts",
    "check_floating",
    "check_matmul",
    "check_not_empty",
    "check_not_half",
    "count_along",
    "is_mixed",
]


def axis_of(dim, ndim):
    """`dim` counted from the front; IndexError if it is not there. A 0-d tensor counts as having one."""
    n = max(ndim, 1)
    dim = operator.index(dim)
    if not -n <= dim < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
        )
    return dim % n


def axes_of(dim, ndim):
    """The `axis` that NumPy wants: None for all, an int or a tuple of ints for some."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return None
    axes = [axis_of(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    if ndim == 0:
        return None
    return tuple(axes) if isinstance(dim, (tuple, list)) else axes[0]


def count_along(shape, axis):
    """How many elements a reduction over `axis` takes together."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod([shape[a] for a in axes])


def check_matmul(x, y):
    """Refuse, in PyTorch's words, two arrays that have no matrix product."""
    if x.dtype != y.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {dtypes[x.dtype]} != {dtypes[y.dtype]}"
        )
    if x.ndim == 0 or y.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D"
        )
    a, b = (x.shape if x.ndim > 1 else (1, *x.shape)), (y.shape if y.ndim > 1 else (*y.shape, 1))
    if a[-1] != b[-2]:
        if x.ndim == 1 and y.ndim == 1:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{a[1]}] and src [{b[0]}] to have the same "
                f"number of elements, but got {a[1]} and {b[0]} elements respectively"
            )
        if x.ndim > 2 and y.ndim > 2:
            raise RuntimeError(
                f"Expected size for first two dimensions of batch2 tensor to be: {[b[0], a[-1]]} "
                f"but got: {[b[0], b[-2]]}."
            )
        rows, columns = math.prod(a[:-1]), math.prod(b[:-2]) * b[-1]
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[-2]}x{columns})"
        )
    broadcast_shapes(a[:-2], b[:-2])


def check_not_half(name, *arrays):
    """NotImplementedError for float16, of which PyTorch has no such kernel."""
    if any(getattr(x, "dtype", None) in (np.float16, float16) for x in arrays):
        raise NotImplementedError(f"\"{name}\" not implemented for 'Half'")


def is_mixed(input, numbers):
    """Whether float16 is normalised by float32 statistics and parameters."""
    return input.dtype == float16 and any(x is not None and x.dtype == float32 for x in numbers)


def check_floating(x):
    """RuntimeError for the variance of integers."""
    if x.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")


def check_counts(kind, name):
    """NotImplementedError for uint16, uint32 and uint64, which PyTorch stores and hardly computes with."""
    if kind.kind == "u" and kind.itemsize > 1:
        raise NotImplementedError(f"\"{name}\" not implemented for 'UInt{8 * kind.itemsize}'")


def check_not_empty(x, axis, name):
    """Refuse the extreme of no elements at all, and of types that have none."""
    check_counts(x.dtype, name)
    if x.size == 0 and count_along(x.shape, axis) == 0:
        if axis is not None:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
        error = IndexError if name in ("argmax", "argmin") else RuntimeError
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
