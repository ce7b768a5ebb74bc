"""Picking and writing by index arrays and masks, along an axis, and adding where places may repeat.

What a kernel is called with: `take` and `add.at` a table of rows and the numbers of rows; those along an axis
arrays as (outer, length, inner), with indices as (outer, m, inner).
"""

import math

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.kernels.array import CudaArray, empty, refused
from tinytorch.given.kernels.elementwise import assign, choose
from tinytorch.given.kernels.layout import is_contiguous
from tinytorch.given.kernels.table import bound

__all__ = []


def rows_of(x):
    """An array as a table: contiguous, with the number of rows and their length."""
    x = x if is_contiguous(x.shape, x.steps) else x.copy()
    return x, len(x), math.prod(x.shape[1:])


def row_numbers(index, kind):
    """The one index array of x[index] or x[index, :, ...], contiguous; refuses what else an index may be."""
    parts = index if isinstance(index, tuple) else (index,)
    first, *rest = parts
    if any(isinstance(i, (np.ndarray, list)) for i in parts):
        raise RuntimeError(
            "indices should be on the same device as the indexed tensor (cuda): send them with .to"
        )
    whole = all(i is Ellipsis or (isinstance(i, slice) and i == slice(None)) for i in rest)
    if not isinstance(first, CudaArray) or not whole or first.dtype.kind not in "iu":
        raise refused(f"{kind} by more than one array of integers along the first dimension, or by a mask")
    return first if is_contiguous(first.shape, first.steps) else first.copy()


def add_at(x, index, values):
    """np.add.at(x, index, values) for numbers of rows, of which some may be the same."""
    index = row_numbers(index, "adding")
    if not is_contiguous(x.shape, x.steps):
        raise refused("np.add.at into a view that is not contiguous")
    shape = (*index.shape, *x.shape[1:])
    if not (isinstance(values, CudaArray) and (values.shape, values.dtype) == (shape, x.dtype)):
        values = assign(empty(shape, x.dtype), values)
    values = values if is_contiguous(values.shape, values.steps) else values.copy()
    if values.size:
        width = math.prod(x.shape[1:])
        bound("add.at")(
            x.buffer, values.buffer, index.buffer, index.size, width,
            table_offset=x.offset, grad_offset=values.offset, index_offset=index.offset,
        )  # fmt: skip


def along(x, axis, index):
    """How arrays and indices along an axis are gone over: (outer, length, m, inner)."""
    axis = axis % x.ndim
    if [n for d, n in enumerate(x.shape) if d != axis] != [n for d, n in enumerate(index.shape) if d != axis]:
        raise refused("take_along_axis of shapes that have to be broadcast")
    return math.prod(x.shape[:axis]), x.shape[axis], index.shape[axis], math.prod(x.shape[axis + 1 :])


def take_along_axis(x, index, axis=-1):
    """x[..., index[..., j, ...], ...], as np.take_along_axis."""
    outer, length, m, inner = along(x, axis, index)
    x, index = (a if is_contiguous(a.shape, a.steps) else a.copy() for a in (x, index))
    out = empty(index.shape, x.dtype)
    if out.size:
        kernel = bound("take_along_axis")
        kernel(out.buffer, x.buffer, index.buffer, outer, length, m, inner, 0, x.offset, index.offset)
    return out


def put_along_axis(x, index, values, axis):
    """Write values where take_along_axis would read."""
    if not is_contiguous(x.shape, x.steps):
        raise refused("np.put_along_axis into a view that is not contiguous")
    outer, length, m, inner = along(x, axis, index)
    index = index if is_contiguous(index.shape, index.steps) else index.copy()
    values = assign(empty(index.shape, x.dtype), values)
    if index.size:
        kernel = bound("put_along_axis")
        kernel(x.buffer, values.buffer, index.buffer, outer, length, m, inner, x.offset, 0, index.offset)


@methods_of(CudaArray)
class Indexing:
    """Picking and writing."""

    def picked(self, index):
        """x[index] for an array of integers: rows."""
        index = row_numbers(index, "indexing")
        x, _, width = rows_of(self)
        out = empty((*index.shape, *self.shape[1:]), self.dtype)
        if out.size:
            bound("take")(
                out.buffer, x.buffer, index.buffer, index.size, width,
                table_offset=x.offset, index_offset=index.offset,
            )  # fmt: skip
        return out

    def __setitem__(self, index, value):
        if not self.writeable:
            raise ValueError("assignment destination is read-only")
        if isinstance(index, CudaArray) and index.dtype == bool and index.shape == self.shape:
            if isinstance(value, CudaArray) and value.ndim:
                raise refused("x[mask] = array")
            choose(index, value, self, out=self)
        elif isinstance(index, (CudaArray, np.ndarray, list)):
            raise refused("assignment to rows by an array of integers")
        else:
            assign(self[index], value)
