"""A Tensor's slices along a dimension: queries, keys and values, or the steps of a sequence."""

import numpy as np

from tinytorch.autograd import call
from tinytorch.tensor import Cat, Function

__all__ = ["Unbind", "unbind"]


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
