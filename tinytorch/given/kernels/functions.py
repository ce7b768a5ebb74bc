"""Device functions by NumPy's names, of one value and of two: of these, kernels are made."""

import math

import numpy as np

from tinytorch.given.kernels.simulator import cuda

__all__ = ["BINARY", "IDENTITY", "REDUCTIONS", "UNARY"]


def device(function):
    return cuda.jit(device=True)(function)


IDENTITY = device(lambda x: x)
SECOND = device(lambda x, y: y)
WHERE = device(lambda mask, x, y: x if mask else y)
UNARY = {
    "absolute": device(lambda x: abs(x)),
    "ceil": device(lambda x: math.ceil(x)),
    "cos": device(lambda x: math.cos(x)),
    "exp": device(lambda x: math.exp(x)),
    "expm1": device(lambda x: math.expm1(x)),
    "floor": device(lambda x: math.floor(x)),
    "invert": device(lambda x: ~x),
    "isfinite": device(lambda x: math.isfinite(x)),
    "isnan": device(lambda x: x != x),
    "log": device(lambda x: math.log(x)),
    "log1p": device(lambda x: math.log1p(x)),
    "logical_not": device(lambda x: not x),
    "negative": device(lambda x: -x),
    "sin": device(lambda x: math.sin(x)),
    "sqrt": device(lambda x: math.sqrt(x)),
    "tanh": device(lambda x: math.tanh(x)),
}
BINARY = {
    "add": device(lambda x, y: x + y),
    "subtract": device(lambda x, y: x - y),
    "multiply": device(lambda x, y: x * y),
    "divide": device(lambda x, y: x / y),
    "power": device(lambda x, y: x**y),
    "maximum": device(lambda x, y: x if x > y or x != x else y),
    "minimum": device(lambda x, y: x if x < y or x != x else y),
    "equal": device(lambda x, y: x == y),
    "not_equal": device(lambda x, y: x != y),
    "less": device(lambda x, y: x < y),
    "less_equal": device(lambda x, y: x <= y),
    "greater": device(lambda x, y: x > y),
    "greater_equal": device(lambda x, y: x >= y),
    "bitwise_and": device(lambda x, y: x & y),
    "bitwise_or": device(lambda x, y: x | y),
    "bitwise_xor": device(lambda x, y: x ^ y),
    "logical_and": device(lambda x, y: bool(x) and bool(y)),
    "logical_or": device(lambda x, y: bool(x) or bool(y)),
    "floor_divide": device(lambda x, y: x // y),
    "remainder": device(lambda x, y: x % y),
}
REDUCTIONS = {  # and the number that changes nothing
    "add": (BINARY["add"], 0),
    "multiply": (BINARY["multiply"], 1),
    "maximum": (BINARY["maximum"], -np.inf),
    "minimum": (BINARY["minimum"], np.inf),
    "logical_and": (BINARY["logical_and"], 1),
    "logical_or": (BINARY["logical_or"], 0),
}


def sigmoid(x):
    if x >= np.float32(0):
        return np.float32(1) / (np.float32(1) + math.exp(-x))
    e = math.exp(x)
    return e / (np.float32(1) + e)


ROOT = np.float32(math.sqrt(2 / math.pi))


def gelu(x):
    inner = ROOT * (x + np.float32(0.044715) * x * x * x)
    return np.float32(0.5) * x * (np.float32(1) + math.tanh(inner))


def gelu_slope(grad, x):
    t = math.tanh(ROOT * (x + np.float32(0.044715) * x * x * x))
    inner = ROOT * (np.float32(1) + np.float32(3 * 0.044715) * x * x)
    return grad * np.float32(0.5) * (np.float32(1) + t) * (np.float32(1) + x * (np.float32(1) - t) * inner)


GATES = {  # what the operations of module 02 compute, in one go
    "Gelu": device(gelu),
    "Sigmoid": device(sigmoid),
}
SLOPES = {  # the gradients of operations: of what arrives, and what was saved
    "Relu": device(lambda grad, output: grad if not output <= np.float32(0) else np.float32(0)),
    "Gelu": device(gelu_slope),
    "Sigmoid": device(lambda grad, output: grad * (output * (np.float32(1) - output))),
    "Tanh": device(lambda grad, output: grad * (np.float32(1) - output * output)),
}
