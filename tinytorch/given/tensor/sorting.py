"""Extremes with their places, sorting, and what is unique: operations that go like `Max`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axes_of, axis_of, check_not_empty
from tinytorch.given.tensor.reductions import Amax, Amin, numpys_names
from tinytorch.given.tensor.structures import return_types, structure
from tinytorch.tensor import Context, Function, Max, Tensor

__all__ = ["Min", "Sort", "TopK", "return_types"]

for name in ("max", "min", "sort", "topk"):
    structure(name, "values", "indices")


class Min(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "min")
        indices = x.argmin(axis=ctx.axis, keepdims=keepdim)
        ctx.save_for_backward(indices)
        return x.min(axis=ctx.axis, keepdims=keepdim), indices


class Sort(Function):
    @staticmethod
    def forward(ctx, x, dim=-1, descending=False):
        ctx.axis, ctx.shape = axis_of(dim, x.ndim), x.shape
        x = np.atleast_1d(x)
        if descending:  # reversed before and after, so that equal elements keep their order
            backwards = np.flip(x, ctx.axis).argsort(ctx.axis, kind="stable")
            indices = x.shape[ctx.axis] - 1 - np.flip(backwards, ctx.axis)
        else:
            indices = x.argsort(ctx.axis, kind="stable")
        ctx.save_for_backward(indices.reshape(ctx.shape))
        return np.take_along_axis(x, indices, ctx.axis).reshape(ctx.shape), indices.reshape(ctx.shape)


class TopK(Function):
    @staticmethod
    def forward(ctx, x, k, dim=-1, largest=True):
        ctx.axis, ctx.shape = axis_of(dim, x.ndim), x.shape
        if not 0 <= k <= np.atleast_1d(x).shape[ctx.axis]:
            raise RuntimeError("selected index k out of range")
        values, indices = Sort.forward(Context(), x, dim, largest)
        first = (slice(None),) * ctx.axis + (slice(k),) if x.ndim else ...
        ctx.save_for_backward(indices[first])
        return values[first], indices[first]


class Unique(Function):
    """What there is, each once; there is no gradient of it."""

    node_name = staticmethod(lambda ctx: f"Unique{'2' if ctx.axis is None else 'Dim'}")
    name_of_derivative = staticmethod(lambda ctx: "_unique2" if ctx.axis is None else "unique_dim")

    @staticmethod
    def forward(ctx, x, axis, **options):
        ctx.axis = axis
        return np.unique(x, axis=axis, equal_nan=False, **options)


@methods_of(Tensor)
@numpys_names
class Sorting:
    """Elements by size."""

    def max(self, dim=None, keepdim=False, *, other=None):
        """The largest element; along `dim`, the largest and their places; or elementwise with a tensor."""
        if isinstance(dim, Tensor) or other is not None:
            return self.maximum(dim if other is None else other)
        if dim is None:
            return Amax.apply(self, of_all=True)
        return return_types.max(*Max.apply(self, dim=dim, keepdim=keepdim))

    def min(self, dim=None, keepdim=False, *, other=None):
        """The smallest element; along `dim`, the smallest and their places; or elementwise with a tensor."""
        if isinstance(dim, Tensor) or other is not None:
            return self.minimum(dim if other is None else other)
        if dim is None:
            return Amin.apply(self, of_all=True)
        return return_types.min(*Min.apply(self, dim=dim, keepdim=keepdim))

    def sort(self, dim=-1, descending=False, stable=False):
        return return_types.sort(*Sort.apply(self, dim=dim, descending=descending))

    def argsort(self, dim=-1, descending=False, stable=False):
        return self.sort(dim, descending).indices

    def topk(self, k, dim=-1, largest=True, sorted=True):
        return return_types.topk(*TopK.apply(self, k=k, dim=dim, largest=largest))

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        options = {"return_inverse": return_inverse, "return_counts": return_counts, "axis": dim}
        return Unique.apply(self, **options)
