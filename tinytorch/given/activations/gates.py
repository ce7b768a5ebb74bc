"""Activations that are a line of what the learner wrote: `sigmoid` and `softplus`, and `relu` in place."""

import math

import numpy as np

from tinytorch.activations import relu, sigmoid, softplus
from tinytorch.given.activations.checks import checked, put
from tinytorch.given.activations.curves import tanh
from tinytorch.tensor import Function, as_tensor

__all__ = ["glu", "logsigmoid", "mish", "relu_", "softsign", "tanhshrink"]


def relu_(input):
    """`relu` in place."""
    return relu(input, inplace=True)


class Mish(Function):
    """x t, of t = tanh(log(1 + exp(x)))."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * np.tanh(np.logaddexp(0, x, dtype=x.dtype))

    @staticmethod
    def backward(ctx, grad):
        x = as_tensor(ctx.saved_tensors[0])
        t = tanh(softplus(x))
        return as_tensor(grad) * (t + x * sigmoid(x) * (1 - t * t))


def mish(input, inplace=False):
    """x tanh(softplus(x)), a gate like that of `silu` (Misra, 2019)."""
    return put(Mish, checked(input, "mish"), inplace)


def logsigmoid(input):
    """log(sigmoid(x)), which is -softplus(-x): right for every x."""
    return -softplus(-checked(input, "logsigmoid"), threshold=math.inf)


def softsign(input):
    """x / (1 + |x|): between -1 and 1 like `tanh`, which it approaches more slowly."""
    return input / (input.abs() + 1)


def tanhshrink(input):
    """x - tanh(x)."""
    return input - tanh(input)


def glu(input, dim=-1):
    """The first half along `dim`, times the sigmoid of the second half (Dauphin and others, 2016)."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    if input.size(dim) % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.size(dim)}")
    x, gate = checked(input, "glu").chunk(2, dim)
    return x * sigmoid(gate)
