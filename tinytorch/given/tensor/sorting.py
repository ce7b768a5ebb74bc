"""Extremes with their places, sorting, and what is unique: operations that go like `Max`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axes_of, axis_of, check_not_empty
from tinytorch.given.tensor.reductions import Amax, Amin, numpys_names
from tinytorch.given.tensor.return_types import return_types, structure
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
        """Find the largest element; along `dim`, the largest and where they stand; with a tensor, element by
        element.

        >>> torch.tensor([[1, 5], [7, 2]]).max()
        tensor(7)
        >>> torch.tensor([[1, 5], [7, 2]]).max(dim=1).indices
        tensor([1, 0])
        """
        if isinstance(dim, Tensor) or other is not None:
            return self.maximum(dim if other is None else other)
        if dim is None:
            return Amax.apply(self, of_all=True)
        return return_types.max(*Max.apply(self, dim=dim, keepdim=keepdim))

    def min(self, dim=None, keepdim=False, *, other=None):
        """Find the smallest element; along `dim`, the smallest and where they stand; with a tensor, element
        by element.

        >>> torch.tensor([[1, 5], [7, 2]]).min()
        tensor(1)
        >>> torch.tensor([[1, 5], [7, 2]]).min(dim=1).indices
        tensor([0, 1])
        """
        if isinstance(dim, Tensor) or other is not None:
            return self.minimum(dim if other is None else other)
        if dim is None:
            return Amin.apply(self, of_all=True)
        return return_types.min(*Min.apply(self, dim=dim, keepdim=keepdim))

    def sort(self, dim=-1, descending=False, stable=False):
        """Sort along `dim`, and say where each element stood; equal ones keep their order.

        >>> values, indices = torch.tensor([3, 1, 2]).sort()
        >>> values, indices
        (tensor([1, 2, 3]), tensor([1, 2, 0]))
        """
        return return_types.sort(*Sort.apply(self, dim=dim, descending=descending))

    def argsort(self, dim=-1, descending=False, stable=False):
        """Tell where the elements stand that are the smallest, the next, ... along `dim`.

        >>> torch.tensor([3, 1, 2]).argsort()
        tensor([1, 2, 0])
        """
        return self.sort(dim, descending).indices

    def topk(self, k, dim=-1, largest=True, sorted=True):
        """Find the k largest (or smallest) elements along `dim`, in order, and where they stand.

        RuntimeError if there are fewer than k.

        >>> torch.tensor([3, 1, 2]).topk(2).values
        tensor([3, 2])
        """
        return return_types.topk(*TopK.apply(self, k=k, dim=dim, largest=largest))

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        """List the different elements in order; if asked, also which one each element is, and how often it
        occurs.

        With `dim`, the different slices along it.

        >>> torch.tensor([3, 1, 3]).unique(return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
        """
        options = {"return_inverse": return_inverse, "return_counts": return_counts, "axis": dim}
        return Unique.apply(self, **options)
