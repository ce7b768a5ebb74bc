"""A Tensor's slices and pieces along a dimension: queries, keys and values, or the steps of a sequence."""

import itertools

import numpy as np

from tinytorch.autograd import call
from tinytorch.tensor import Cat, Function

__all__ = ["Pieces", "Unbind", "pieces", "unbind"]


class Unbind(Function):
    """Slices along a dimension. Gradients go back as one array, where indexing makes one for each slice."""

    @staticmethod
    def forward(ctx, x, dim):
        ctx.dim = dim
        return tuple(np.moveaxis(x, dim, 0))

    @staticmethod
    def backward(ctx, *grads):
        return call(
            Cat, *[g.reshape(*g.shape[: ctx.dim], 1, *g.shape[ctx.dim :]) for g in grads], dim=ctx.dim
        )


def unbind(x, dim):
    """The slices of a Tensor along `dim`, as a tuple."""
    slices = Unbind.apply(x, dim=dim)
    return slices if isinstance(slices, tuple) else (slices,)


class Pieces(Function):
    """Runs of slices along a dimension. Gradients go back as one array, as those of `Unbind` do."""

    @staticmethod
    def forward(ctx, x, sizes, dim):
        ctx.dim = dim
        before, ends = (slice(None),) * (dim % x.ndim), itertools.accumulate(sizes)
        return tuple([x[(*before, slice(end - size, end))] for size, end in zip(sizes, ends)])

    @staticmethod
    def backward(ctx, *grads):
        return call(Cat, *grads, dim=ctx.dim)


def pieces(x, sizes, dim=0):
    """Cut a Tensor along `dim` into pieces of `sizes`, which add up to its length there."""
    found = Pieces.apply(x, sizes=sizes, dim=dim)
    return found if isinstance(found, tuple) else (found,)
