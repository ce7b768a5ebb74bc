"""The gradients of views and of copies in another order: the way back."""

import numpy as np

from tinytorch.autograd import call, gradient, unbroadcast
from tinytorch.given.tensor.arrays import zeros_beside
from tinytorch.tensor import Diagonal, Expand, Flip, IndexPut, Permute, Reshape, Roll, Size, Tril, Triu

__all__ = [
    "diagonal_backward",
    "expand_backward",
    "flip_backward",
    "permute_backward",
    "reshape_backward",
    "roll_backward",
    "tril_backward",
    "triu_backward",
]


@gradient(Reshape)
def reshape_backward(ctx, grad):
    return grad.reshape(ctx.shape)


@gradient(Permute)
def permute_backward(ctx, grad):
    return call(Permute, grad, dims=np.argsort(ctx.dims).tolist())


@gradient(Expand)
def expand_backward(ctx, grad):
    return unbroadcast(grad, ctx.shape)


@gradient(Diagonal)
def diagonal_backward(ctx, grad):
    positions = np.arange(Size(ctx.shape).numel()).reshape(ctx.shape).diagonal(*ctx.options)
    zeros = zeros_beside(grad, Size(ctx.shape).numel())
    return call(IndexPut, zeros, grad, index=positions).reshape(ctx.shape)


@gradient(Flip)
def flip_backward(ctx, grad):
    return call(Flip, grad, dims=ctx.dims)


@gradient(Roll)
def roll_backward(ctx, grad):
    back = tuple(-s for s in ctx.shifts) if isinstance(ctx.shifts, (tuple, list)) else -ctx.shifts
    return call(Roll, grad, shifts=back, dims=ctx.dims)


@gradient(Tril)
def tril_backward(ctx, grad):
    return call(Tril, grad, diagonal=ctx.diagonal)


@gradient(Triu)
def triu_backward(ctx, grad):
    return call(Triu, grad, diagonal=ctx.diagonal)
