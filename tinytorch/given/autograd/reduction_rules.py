"""The gradients of reductions: they stretch what arrives, as `Sum`'s does, or send it to what was picked."""

import numpy as np

from tinytorch.autograd import call, gradient, restored
from tinytorch.given.autograd.arithmetic_rules import values
from tinytorch.given.tensor.arrays import zeros_beside
from tinytorch.tensor import (
    Abs,
    Amax,
    Amin,
    CumSum,
    Expand,
    Flip,
    Max,
    Mean,
    Median,
    Min,
    Norm,
    Pow,
    Prod,
    Scatter,
    Sign,
    Sort,
    Std,
    Tensor,
    TopK,
    Var,
    Where,
)

__all__ = [
    "cumsum_backward",
    "deviations",
    "extreme_backward",
    "mean_backward",
    "norm_backward",
    "picked_backward",
    "prod_backward",
    "std_backward",
    "var_backward",
]


@gradient(Mean)
def mean_backward(ctx, grad):
    return call(Expand, restored(ctx, grad / ctx.count, ctx.shape), shape=ctx.shape)


@gradient(Var)
def var_backward(ctx, grad):
    return deviations(ctx, ctx.saved_tensors[0], grad * 2)


@gradient(Std)
def std_backward(ctx, grad):
    x, output = ctx.saved_tensors
    return deviations(ctx, x, call(Where, values(output) == 0, 0.0, grad / output))


def deviations(ctx, x, scale):
    """How the elements that were reduced differ from their mean, times `scale` over the divisor."""
    scale = restored(ctx, scale, x.shape) * (1 / ctx.divisor if ctx.divisor else np.inf)
    return (x - x.mean(axis=ctx.axis, keepdims=True)) * scale


@gradient(Prod)
def prod_backward(ctx, grad):
    x, _ = ctx.saved_tensors
    if x.ndim == 0:
        return grad + 0
    grad = restored(ctx, grad, x.shape)
    if ctx.axis is None and (values(x) == 0).sum() > 1:
        return zeros_beside(grad, x.shape)
    if isinstance(x, Tensor) or (x != 0).all():
        if (values(x) == 0).any():
            raise RuntimeError("the second derivative of prod is not implemented where a factor is zero")
        return grad * call(Prod, x, dim=ctx.axis, keepdim=True) / x
    axes = tuple(range(x.ndim)) if ctx.axis is None else ctx.axis
    x_last = np.moveaxis(x, axes, range(-len(axes), 0) if isinstance(axes, tuple) else -1)
    rows = x_last.reshape(*x_last.shape[: x.ndim - (len(axes) if isinstance(axes, tuple) else 1)], -1)
    ones = np.ones_like(rows[..., :1])
    # the product of all others, without a division
    before = np.concatenate([ones, rows[..., :-1]], -1).cumprod(-1)
    after = np.concatenate([ones, rows[..., :0:-1]], -1).cumprod(-1)[..., ::-1]
    others = (before * after).reshape(x_last.shape)
    return grad * np.moveaxis(others, range(-len(axes), 0) if isinstance(axes, tuple) else -1, axes)


@gradient(Amax)
@gradient(Amin)
@gradient(Median)
def extreme_backward(ctx, grad):
    """All elements equal to the extreme share its gradient."""
    x, extreme = map(values, ctx.saved_tensors)
    extreme = restored(ctx, extreme, x.shape)
    chosen = x == extreme  # a NaN equals nothing, and no share of nothing is a number
    if ctx.of_all and np.isnan(extreme).any():
        chosen = np.isnan(x)
    if ctx.of_all:
        return call(Where, chosen, restored(ctx, grad, x.shape) / chosen.sum(dtype=x.dtype), 0.0)
    chosen = chosen.astype(x.dtype)
    return restored(ctx, grad, x.shape) * (chosen / chosen.sum(axis=ctx.axis, keepdims=True))


@gradient(Max)
@gradient(Min)
@gradient(Sort)
@gradient(TopK)
def picked_backward(ctx, grad, _):
    """The gradient goes to the elements that were picked along `ctx.axis`."""
    (indices,) = ctx.saved_tensors
    zeros = zeros_beside(grad, ctx.shape)
    if not ctx.shape:
        return grad
    if len(np.shape(indices)) < len(ctx.shape):
        indices, grad = np.expand_dims(indices, ctx.axis), restored(ctx, grad, ctx.shape)
    return call(Scatter, zeros, indices, grad, dim=ctx.axis)


@gradient(Norm)
def norm_backward(ctx, grad):
    """x |x|^(p-2) / norm^(p-1), and 0 where that has no value: for the norm 0, and for x = 0 where p < 1."""
    (x, output), p = ctx.saved_tensors, ctx.p
    grad, norm = restored(ctx, grad, x.shape), restored(ctx, output, x.shape)
    sign = call(Sign, x)
    if p == 0:
        return None
    if p == 1:
        return sign * grad
    if p in (np.inf, -np.inf):  # shared by all elements that are as large
        both_nan = np.isnan(values(x)) & np.isnan(values(norm))
        chosen = (np.abs(values(x)) == values(norm)) | both_nan
        count = np.maximum(chosen.sum(axis=ctx.axis, keepdims=True), 1).astype(values(x).dtype)
        return grad * (sign * chosen / count)
    size, at_zero = call(Abs, x), values(norm) == 0
    if p < 1:
        return (
            sign * call(Where, values(x) == 0, 0.0, call(Pow, size, p - 1)) * (grad * call(Pow, norm, 1 - p))
        )
    if p == 2:
        return grad * call(Where, at_zero, 0.0, x / norm)
    slope = sign * call(Pow, size, p - 1) if p < 2 else x * call(Pow, size, p - 2)
    return slope * call(Where, at_zero, 0.0, grad / call(Pow, norm, p - 1))


@gradient(CumSum)
def cumsum_backward(ctx, grad):
    if grad.ndim == 0:
        return grad
    summed = call(CumSum, call(Flip, grad, dims=ctx.axis), dim=ctx.axis)
    return call(Flip, summed, dims=ctx.axis)
