"""Activations that go like `Relu`: one rule where x is positive, or in the middle, and another elsewhere.

Most consist of straight pieces. For their gradient it is enough to save the slope at each element.
"""

import math

import numpy as np

from tinytorch.given.activations.checks import checked, put
from tinytorch.given.activations.rules import either, plain
from tinytorch.given.tensor.arrays import selected
from tinytorch.given.tensor.checks import check_not_half
from tinytorch.tensor import Function, Tensor, default_generator, where

__all__ = [
    "Elu",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyRelu",
    "RRelu",
    "Softshrink",
    "StraightPieces",
    "Threshold",
    "celu",
    "celu_",
    "elu",
    "elu_",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "prelu",
    "relu6",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "softshrink",
    "threshold",
    "threshold_",
]


class LeakyRelu(Function):
    @staticmethod
    def forward(ctx, x, negative_slope):
        ctx.save_for_backward(x)
        ctx.negative_slope = negative_slope
        return np.maximum(x, 0) + negative_slope * np.minimum(x, 0)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x where it is positive, `negative_slope` times x elsewhere; with `inplace`, in the memory of x."""
    return put(LeakyRelu, checked(input, "leaky_relu"), inplace, negative_slope=negative_slope)


def leaky_relu_(input, negative_slope=0.01):
    """`leaky_relu` in place."""
    return leaky_relu(input, negative_slope, inplace=True)


# With an exponential on the negative side -----------------------------------------------------------------
class Elu(Function):
    """scale x where x is positive, scale alpha (exp(input_scale x) - 1) elsewhere."""

    reads_output_in_place = True

    @staticmethod
    def forward(ctx, x, alpha, scale=1.0, input_scale=1.0):
        ctx.save_for_backward(x)
        ctx.alpha, ctx.scale, ctx.input_scale = alpha, scale, input_scale
        return selected(x > 0, scale * x, scale * alpha * np.expm1(input_scale * np.minimum(x, 0)))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        slope = ctx.scale * ctx.alpha * ctx.input_scale * np.exp(ctx.input_scale * np.minimum(x, 0))
        return either(plain(x) <= 0, grad * slope, grad * ctx.scale)


def elu(input, alpha=1.0, inplace=False):
    """x where it is positive, alpha (exp(x) - 1) elsewhere (Clevert and others, 2015)."""
    return put(Elu, checked(input, "elu"), inplace, alpha=alpha)


def elu_(input, alpha=1.0):
    """`elu` in place."""
    return elu(input, alpha, inplace=True)


def selu(input, inplace=False):
    """`elu` with the two numbers that keep mean 0 and variance 1 (Klambauer and others, 2017)."""
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    return put(Elu, checked(input, "selu"), inplace, alpha=alpha, scale=scale)


def selu_(input):
    """`selu` in place."""
    return selu(input, inplace=True)


def celu(input, alpha=1.0, inplace=False):
    """x where it is positive, alpha (exp(x / alpha) - 1) elsewhere, whose slope at 0 is 1 (Barron, 2017)."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return put(Elu, checked(input, "celu"), inplace, alpha=alpha, input_scale=1 / alpha)


def celu_(input, alpha=1.0):
    """`celu` in place."""
    return celu(input, alpha, inplace=True)


# Of straight pieces ---------------------------------------------------------------------------------------
class StraightPieces(Function):
    """An operation whose subclass says, in `pieces(x)`, its values and the slope at each of them."""

    @staticmethod
    def forward(ctx, x, **options):
        output, slope = ctx.function.pieces(x, **options)
        ctx.save_for_backward(slope)
        return output

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return either(plain(slope) == 0, 0.0, grad * slope)  # of a gradient that is infinite, too


class Hardtanh(StraightPieces):
    @staticmethod
    def pieces(x, low, high):
        low, high = x.dtype.type(low), x.dtype.type(high)
        return np.clip(x, low, high), ~((x <= low) | (x >= high))


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """x, but at least `min_val` and at most `max_val`; integers are allowed."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.array.dtype == bool:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.array.dtype.kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return put(Hardtanh, input, inplace, low=min_val, high=max_val)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """`hardtanh` in place."""
    return hardtanh(input, min_val, max_val, inplace=True)


def relu6(input, inplace=False):
    """min(max(x, 0), 6), for numbers of few bits (Howard and others, 2017)."""
    return hardtanh(input, 0.0, 6.0, inplace)


class Hardsigmoid(StraightPieces):
    @staticmethod
    def pieces(x):
        return np.clip(x + 3, 0, 6) / 6, ((x > -3) & (x < 3)) * x.dtype.type(1 / 6)


def hardsigmoid(input, inplace=False):
    """The straight line from 0 at -3 to 1 at 3: relu6(x + 3) / 6."""
    return put(Hardsigmoid, checked(input, "hardsigmoid"), inplace)


class Hardshrink(StraightPieces):
    @staticmethod
    def pieces(x, lambd):
        inside = (x >= -lambd) & (x <= lambd)
        return selected(inside, x.dtype.type(0), x), ~inside


def hardshrink(input, lambd=0.5):
    """0 between -lambd and lambd, x elsewhere."""
    return put(Hardshrink, checked(input, "hardshrink"), False, lambd=lambd)


class Softshrink(StraightPieces):
    @staticmethod
    def pieces(x, lambd):
        return x - np.clip(x, -lambd, lambd), ~((x >= -lambd) & (x <= lambd))


def softshrink(input, lambd=0.5):
    """x brought closer to 0 by `lambd`, and 0 where that would go beyond."""
    if not lambd >= 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found {lambd}")
    return put(Softshrink, checked(input, "softshrink"), False, lambd=lambd)


class Threshold(StraightPieces):
    @staticmethod
    def pieces(x, threshold, value):
        if x.dtype == bool:
            raise NotImplementedError("threshold is not implemented for booleans")
        below = x <= threshold
        return selected(below, np.array(value).astype(x.dtype), x), ~below


def threshold(input, threshold, value, inplace=False):
    """x where it is larger than `threshold`, `value` elsewhere; integers are allowed."""
    return put(Threshold, input, inplace, threshold=threshold, value=value)


def threshold_(input, threshold, value):
    """`threshold` in place."""
    return put(Threshold, input, True, threshold=threshold, value=value)


class RRelu(StraightPieces):
    @staticmethod
    def pieces(x, lower, upper):
        slope = np.ones_like(x)
        slope[x <= 0] = default_generator.uniform(((x <= 0).sum(),), lower, upper, np.float64)
        return x * slope, slope


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """`leaky_relu` with a slope drawn for each negative number, or with the middle one when not training."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        raise RuntimeError(f"rrelu: bounds must be finite, got {lower} and {upper}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if training:
        check_not_half("rrelu_with_noise_out_cpu", input)
        return put(RRelu, checked(input, "rrelu"), inplace, lower=lower, upper=upper)
    return leaky_relu(input, (lower + upper) / 2, inplace)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """`rrelu` in place."""
    return rrelu(input, lower, upper, training, inplace=True)


# And two more ---------------------------------------------------------------------------------------------
class Hardswish(Function):
    """x times `hardsigmoid`."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * np.clip(x + 3, 0, 6) / 6

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        inside = either(plain(x) < 3, grad * (x / 3 + 0.5), grad)
        return either(plain(x) <= -3, 0.0, inside)


def hardswish(input, inplace=False):
    """x relu6(x + 3) / 6, nearly `silu` without an exponential (Howard and others, 2019)."""
    return put(Hardswish, checked(input, "hardswish"), inplace)


def prelu(input, weight):
    """x where it is positive, a learned weight times x elsewhere: one weight, or one for each channel."""
    if not isinstance(weight, Tensor):
        raise TypeError(
            f"prelu(): argument 'weight' (position 2) must be Tensor, not {type(weight).__name__}"
        )
    if input.dtype != weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype} and {weight.dtype}")
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, got: ndim = {weight.ndim}")
    if weight.ndim and weight.numel() > 1:
        if input.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. "
                f"Found parameter numbers = {weight.numel()} and channel size = {channels}."
            )
    weight = weight.reshape([-1, *[1] * (input.ndim - 2)] if input.ndim > 1 else [1] * input.ndim)
    positive = input.detach() > 0
    return where(positive, input, weight * input.masked_fill(positive, 0))
