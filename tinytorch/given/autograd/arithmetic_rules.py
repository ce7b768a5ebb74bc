"""The gradients of arithmetic: each slope times the gradient that arrives, and each broadcast undone.

Made of `unbroadcast`, as the rule of `Mul` in module 06 is.
"""

import math

import numpy as np

from tinytorch.autograd import call, gradient, unbroadcast
from tinytorch.given.tensor.arrays import zeros_beside
from tinytorch.tensor import (
    Abs,
    Add,
    Cast,
    Ceil,
    Clamp,
    Clone,
    Copy,
    Cos,
    Div,
    Exp,
    Expm1,
    Floor,
    FloorRounded,
    Log,
    Log1p,
    Log2,
    Log10,
    Maximum,
    Minimum,
    Move,
    Neg,
    Pow,
    Reciprocal,
    Remainder,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sqrt,
    Sub,
    Trunc,
    TruncDivide,
    Where,
    array_of,
)

__all__ = [
    "abs_backward",
    "add_backward",
    "cast_backward",
    "clamp_backward",
    "clone_backward",
    "copy_backward",
    "cos_backward",
    "div_backward",
    "exp_backward",
    "expm1_backward",
    "flat_backward",
    "log1p_backward",
    "log2_backward",
    "log10_backward",
    "log_backward",
    "maximum_backward",
    "minimum_backward",
    "move_backward",
    "neg_backward",
    "pow_backward",
    "reciprocal_backward",
    "remainder_backward",
    "rounded_divide_backward",
    "rsqrt_backward",
    "share_between",
    "sin_backward",
    "sqrt_backward",
    "sub_backward",
    "values",
]

values = array_of  # of conditions, through which no gradient flows


@gradient(Add)
def add_backward(ctx, grad):
    return tuple(
        [unbroadcast(grad, shape) if n else None for n, shape in zip(ctx.needs_input_grad, ctx.shapes)]
    )


@gradient(Sub)
def sub_backward(ctx, grad):
    need_x, need_y = ctx.needs_input_grad
    shape_x, shape_y = ctx.shapes
    return unbroadcast(grad, shape_x) if need_x else None, unbroadcast(-grad, shape_y) if need_y else None


@gradient(Neg)
def neg_backward(ctx, grad):
    return -grad


@gradient(Div)
def div_backward(ctx, grad):
    x, y = ctx.saved_tensors
    need_x, need_y = ctx.needs_input_grad
    shape_x, shape_y = ctx.shapes
    return (
        unbroadcast(grad / y, shape_x) if need_x else None,
        unbroadcast(-grad * (x / y / y), shape_y) if need_y else None,
    )


@gradient(Reciprocal)
def reciprocal_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return -grad * output * output


@gradient(Pow)
def pow_backward(ctx, grad):
    x, y, output = ctx.saved_tensors
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        slope = y * call(Pow, x, y - 1)  # 0 where y is 0, though 0 ** -1 is infinite
        grad_x = unbroadcast(grad * call(Where, values(y) == 0, 0.0, slope), np.shape(x))
    if ctx.needs_input_grad[1]:
        slope = output * np.log(x)
        grad_y = unbroadcast(grad * call(Where, (values(x) == 0) & (values(y) >= 0), 0.0, slope), np.shape(y))
    return grad_x, grad_y


@gradient(Exp)
def exp_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * output


@gradient(Expm1)
def expm1_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (output + 1)


@gradient(Log)
def log_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / x


@gradient(Log1p)
def log1p_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / (x + 1)


@gradient(Log2)
def log2_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / (x * math.log(2))


@gradient(Log10)
def log10_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / (x * math.log(10))


@gradient(Rsqrt)
def rsqrt_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (-0.5 * (output * output * output))


@gradient(Sqrt)
def sqrt_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad / (2 * output)


@gradient(Abs)
def abs_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * call(Sign, x)


@gradient(Sin)
def sin_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * np.cos(x)


@gradient(Cos)
def cos_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return -grad * np.sin(x)


@gradient(Clamp)
def clamp_backward(ctx, grad):
    x, low, high = (None if bound is None else values(bound) for bound in ctx.saved_tensors)
    low_shape, high_shape = np.shape(low), np.shape(high)
    inside, below, above = np.ones(x.shape, bool), False, False
    if low is not None:
        inside, below = inside & (x >= low), x < low
    if high is not None:
        inside, above = inside & (x <= high), x > high
    if low is not None and high is not None:
        below, above = below & (low < high), above | (low > high)
    chosen = inside, below, above
    shapes = x.shape, low_shape, high_shape
    wanted = zip(ctx.needs_input_grad, chosen, shapes)
    shares = [(need, call(Where, taken, grad, 0.0) if need else None, shape) for need, taken, shape in wanted]
    return tuple([unbroadcast(share, shape) if need else None for need, share, shape in shares])


def share_between(ctx, grad, loses):
    """Give the gradient to the operand that was taken, half to each where both were equal."""
    x, y = map(values, ctx.saved_tensors)
    grad = call(Where, x == y, grad / 2, grad)
    grad_x, grad_y = call(Where, loses(x, y), 0.0, grad), call(Where, loses(y, x), 0.0, grad)
    return unbroadcast(grad_x, np.shape(x)), unbroadcast(grad_y, np.shape(y))


@gradient(Maximum)
def maximum_backward(ctx, grad):
    return share_between(ctx, grad, np.less)


@gradient(Minimum)
def minimum_backward(ctx, grad):
    return share_between(ctx, grad, np.greater)


@gradient(Remainder)
def remainder_backward(ctx, grad):
    shape_x, shape_y = ctx.shapes
    grad_y = None
    if ctx.needs_input_grad[1]:
        x, y = map(values, ctx.saved_tensors)
        grad_y = unbroadcast(-grad * np.floor_divide(x, y), shape_y)
    return unbroadcast(grad, shape_x), grad_y


@gradient(Floor)
@gradient(Ceil)
@gradient(Round)
@gradient(Trunc)
@gradient(Sign)
def flat_backward(ctx, grad):
    """The gradient of a step function: zero wherever it is defined."""
    return zeros_beside(grad, grad.shape)


@gradient(FloorRounded)
@gradient(TruncDivide)
def rounded_divide_backward(ctx, grad):
    return tuple([zeros_beside(grad, shape) for shape in ctx.shapes])


@gradient(Copy)
def copy_backward(ctx, grad):
    unchanged = zeros_beside(grad, grad.shape)
    return unchanged, call(Cast, unbroadcast(grad, ctx.shape), dtype=ctx.dtype)


@gradient(Move)
def move_backward(ctx, grad):
    return call(Move, grad, place=ctx.place)


@gradient(Cast)
def cast_backward(ctx, grad):
    return call(Cast, grad, dtype=ctx.dtype)


@gradient(Clone)
def clone_backward(ctx, grad):
    return grad
