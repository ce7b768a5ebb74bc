"""The gradients of picking, writing and joining; where a row was picked twice, made of `add_rows`."""

import itertools

import numpy as np

from tinytorch.autograd import add_rows, call, gradient, unbroadcast
from tinytorch.given.tensor.arrays import is_array, on_host, zeros_beside
from tinytorch.tensor import (
    Cat,
    Function,
    Gather,
    Index,
    IndexPut,
    MaskedFill,
    Scatter,
    ScatterAdd,
    Stack,
    Where,
)

__all__ = [
    "IndexAdd",
    "cat_backward",
    "gather_backward",
    "index_backward",
    "index_put_backward",
    "masked_fill_backward",
    "scatter_add_backward",
    "scatter_backward",
    "source_backward",
    "stack_backward",
    "where_backward",
]


class IndexAdd(Function):
    """Zeros of a shape, with values added at an index: the gradient of indexing."""

    @staticmethod
    def forward(ctx, grad, index, shape):
        ctx.index = index
        output = zeros_beside(grad, shape)
        parts = index if isinstance(index, tuple) else (index,)
        integers = [i for i in parts if is_array(i) and i.dtype != bool]
        if not grad.size:
            return output
        if not integers:  # slices, numbers and masks name every element once
            output[index] = grad
        elif len(parts) == 1 and on_host(grad):
            output = add_rows(grad.reshape(-1, *shape[1:]), integers[0].ravel(), shape)
        else:
            np.add.at(output, index, grad)
        return output

    @staticmethod
    def backward(ctx, grad):
        return grad[ctx.index]


@gradient(Index)
def index_backward(ctx, grad):
    return call(IndexAdd, grad, index=ctx.saved_tensors or ctx.index, shape=ctx.shape)


@gradient(IndexPut)
def index_put_backward(ctx, grad):
    zero, index = zeros_beside(grad, ()), ctx.saved_tensors or ctx.index
    part = grad[index]
    shape = ctx.shape[max(len(ctx.shape) - part.ndim, 0) :]  # leading ones, which broadcasting does not need
    return call(IndexPut, grad, zero, index=index), unbroadcast(part, shape).reshape(ctx.shape)


@gradient(Gather)
def gather_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    zeros = zeros_beside(grad, ctx.shape)
    return call(ScatterAdd, zeros, index, grad, dim=ctx.dim), None


def source_backward(ctx, grad, index):
    """The gradient of what was scattered: gathered, and zero for what lay beyond the index."""
    gathered = call(Gather, grad, index, dim=ctx.dim)
    if ctx.src_shape == ():
        return gathered.sum()
    if ctx.src_shape == index.shape:
        return gathered
    zeros = zeros_beside(grad, ctx.src_shape)
    return call(IndexPut, zeros, gathered, index=tuple(map(slice, index.shape)))


@gradient(Scatter)
def scatter_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    return call(Scatter, grad, index, 0.0, dim=ctx.dim), None, source_backward(ctx, grad, index)


@gradient(ScatterAdd)
def scatter_add_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    return grad, None, source_backward(ctx, grad, index)


@gradient(MaskedFill)
def masked_fill_backward(ctx, grad):
    (mask,) = ctx.saved_tensors
    filled = unbroadcast((grad * mask).sum(), ctx.shapes[1]) if ctx.needs_input_grad[2] else None
    return unbroadcast(call(MaskedFill, grad, mask, 0.0), ctx.shapes[0]), None, filled


@gradient(Where)
def where_backward(ctx, grad):
    (condition,) = ctx.saved_tensors
    shape_x, shape_y = ctx.shapes
    chosen, rejected = call(Where, condition, grad, 0.0), call(Where, condition, 0.0, grad)
    return None, unbroadcast(chosen, shape_x), unbroadcast(rejected, shape_y)


@gradient(Cat)
def cat_backward(ctx, grad):
    ends = itertools.accumulate(ctx.sizes)
    return tuple([grad[(slice(None),) * ctx.dim + (slice(end - n, end),)] for n, end in zip(ctx.sizes, ends)])


@gradient(Stack)
def stack_backward(ctx, grad):
    return tuple([grad[(slice(None),) * ctx.dim + (number,)] for number in range(ctx.count)])
