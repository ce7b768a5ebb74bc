"""The gradients of module 02: elementwise slopes, and what goes with the rule of `Softmax`."""

import math

import numpy as np

from tinytorch.activations import (
    Erf,
    Gelu,
    LeakyRelu,
    LogSoftmax,
    LogSumExp,
    Relu,
    Sigmoid,
    Silu,
    Softplus,
    Tanh,
)
from tinytorch.autograd import call, gradient, restored
from tinytorch.given.autograd.arithmetic_rules import values
from tinytorch.tensor import Where

__all__ = [
    "by_blocks",
    "erf_backward",
    "gelu_backward",
    "gelu_formula",
    "gelu_tanh_formula",
    "leaky_relu_backward",
    "log_softmax_backward",
    "logsumexp_backward",
    "relu_backward",
    "sigmoid_backward",
    "silu_backward",
    "silu_formula",
    "softplus_backward",
    "tanh_backward",
]


@gradient(Relu)
def relu_backward(ctx, grad):
    output = values(ctx.saved_tensors[0])
    return call(Where, output <= 0, 0.0, grad)  # so that a NaN stays one


LeakyRelu.reads_output_in_place = True


@gradient(LeakyRelu)
def leaky_relu_backward(ctx, grad):
    positive = values(ctx.saved_tensors[0]) > 0
    return call(Where, positive, grad, ctx.negative_slope * grad)


@gradient(Sigmoid)
def sigmoid_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (output * (1 - output))


@gradient(Tanh)
def tanh_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (1 - output * output)


@gradient(Erf)
def erf_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * (2 / math.sqrt(math.pi) * np.exp(-(x * x)))


def by_blocks(formula, *arrays):
    """Apply an elementwise formula to 2^17 numbers at a time: what it makes in between stays in the cache."""
    if not all(isinstance(a, np.ndarray) for a in arrays) or arrays[0].size <= 2**17:
        return formula(*arrays)
    flat, output = [a.reshape(-1) for a in arrays], np.empty(arrays[0].size, arrays[0].dtype)
    for start in range(0, output.size, 2**17):
        block = slice(start, start + 2**17)
        output[block] = formula(*[a[block] for a in flat])
    return output.reshape(arrays[0].shape)


def gelu_formula(grad, x):
    below = 0.5 + 0.5 * call(Erf, math.sqrt(0.5) * x)  # the chance of a normal number below x
    return grad * (below + x * (np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)))


def gelu_tanh_formula(grad, x):
    c, square = math.sqrt(2 / math.pi), x * x
    t = np.tanh((c + 0.044715 * c * square) * x)
    return 0.5 * grad * (1 + t) * (1 + (1 - t) * ((c + 3 * 0.044715 * c * square) * x))


@gradient(Gelu)
def gelu_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return by_blocks(gelu_tanh_formula if ctx.approximate == "tanh" else gelu_formula, grad, x)


def silu_formula(grad, x):
    s = call(Sigmoid, x)
    return grad * (s * (1 + x * (1 - s)))


@gradient(Silu)
def silu_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return by_blocks(silu_formula, grad, x)


@gradient(Softplus)
def softplus_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    scaled = ctx.beta * x
    slope = by_blocks(lambda grad, scaled: grad * call(Sigmoid, scaled), grad, scaled)
    return call(Where, values(scaled) > ctx.threshold, grad, slope)


@gradient(LogSoftmax)
def log_softmax_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad - np.exp(output) * grad.sum(axis=ctx.axis, keepdims=True)


@gradient(LogSumExp)
def logsumexp_backward(ctx, grad):
    output, x = ctx.saved_tensors
    return restored(ctx, grad, x.shape) * np.exp(x - restored(ctx, output, x.shape))
