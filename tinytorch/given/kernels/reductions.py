"""Sums, means, extremes: what is reduced is brought into one run of dimensions, and a kernel goes over it.

A kernel for "add.reduce" and its like takes x as contiguous (outer, length, inner), and reduces the middle.
"""

import math

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.kernels.array import CudaArray, empty, refused
from tinytorch.given.kernels.layout import is_contiguous
from tinytorch.given.kernels.table import bound

__all__ = []


def reduce(name, x, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Reduce some axes with the function of a name: "add", "maximum", "argmax" ..."""
    if where is not True or not (out is None or out == (None,)):
        raise refused(f"np.{name}.reduce with where= or out=")
    axes, ndim = axes_of(axis, x.ndim), x.ndim
    if name == "add" and dtype is None and x.dtype.kind in "bui":
        dtype = np.int64
    x = x if dtype is None else x.astype(dtype, copy=False)
    x = x if name not in ("logical_and", "logical_or") else x.astype(bool, copy=False)
    if (
        name in ("maximum", "minimum", "argmax")
        and initial is None
        and not math.prod([x.shape[a] for a in axes])
    ):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    outer, length, inner = split(x.shape, axes)
    if outer is None:  # the axes are not neighbours: bring them behind the others
        kept = [d for d in range(ndim) if d not in axes]
        moved = x.transpose([*kept, *axes])
        outer, length, inner = math.prod(moved.shape[: len(kept)]), math.prod(moved.shape[len(kept) :]), 1
    else:
        moved = x
    moved = moved if is_contiguous(moved.shape, moved.steps) else moved.copy()
    kept_shape = tuple([1 if d in axes else n for d, n in enumerate(x.shape)])
    result = empty(kept_shape, np.int64 if name == "argmax" else x.dtype)
    if result.size:
        bound(name if name == "argmax" else f"{name}.reduce")(
            result.buffer, moved.buffer, outer, length, inner, 0, moved.offset
        )
    return result if keepdims else result.reshape([n for d, n in enumerate(x.shape) if d not in axes])


def axes_of(axis, ndim):
    """The axes that are reduced, in order."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if any(not -ndim <= a < ndim for a in axes):
        raise np.exceptions.AxisError(axis, ndim)
    return tuple(sorted(a % ndim for a in axes))


def split(shape, axes):
    """(outer, length, inner) where the axes are neighbours; else None thrice."""
    if not axes:
        return math.prod(shape), 1, 1
    if axes != tuple(range(axes[0], axes[-1] + 1)):
        return None, None, None
    before, within, behind = shape[: axes[0]], shape[axes[0] : axes[-1] + 1], shape[axes[-1] + 1 :]
    return math.prod(before), math.prod(within), math.prod(behind)


@methods_of(CudaArray)
class Reductions:
    """The methods of NumPy's arrays."""

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        return reduce("add", self, axis, dtype, out, keepdims)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False):
        return reduce("multiply", self, axis, dtype, out, keepdims)

    def max(self, axis=None, out=None, keepdims=False, initial=None):
        return reduce("maximum", self, axis, None, out, keepdims, initial)

    def min(self, axis=None, out=None, keepdims=False, initial=None):
        return reduce("minimum", self, axis, None, out, keepdims, initial)

    def all(self, axis=None, out=None, keepdims=False):
        return reduce("logical_and", self, axis, None, out, keepdims)

    def any(self, axis=None, out=None, keepdims=False):
        return reduce("logical_or", self, axis, None, out, keepdims)

    def argmax(self, axis=None, out=None, keepdims=False):
        return reduce("argmax", self, axis, None, out, keepdims)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False):
        total = reduce("add", self, axis, dtype, None, keepdims)
        return np.divide(total, math.prod([self.shape[a] for a in axes_of(axis, self.ndim)]))

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        count = math.prod([self.shape[a] for a in axes_of(axis, self.ndim)])
        deviation = self - self.mean(axis, keepdims=True)
        return np.divide((deviation * deviation).sum(axis, keepdims=keepdims), max(count - ddof, 0))
