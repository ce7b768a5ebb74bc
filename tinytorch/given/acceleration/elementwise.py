"""Kernels of elementwise operations, like the lesson's: made of `exp` and `sigmoid`, or of fitted quotients.

tanh and erf are x P(x²) / Q(x²), fitted by least squares as `exp` was, with errors relative to the function,
and log(1 + u) on [0, 1] is a polynomial. An operation whose derivative follows from its result saves that.
"""

import numpy as np
from numpy import float32

from tinytorch.acceleration import ONE, contiguous, exp, fits, gelu_of, gelu_slope, sigmoid
from tinytorch.activations import Gelu, Relu, Sigmoid, Silu, Softplus, Tanh
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.threads import CHEAP, EXPONENTIAL, by_rows, threads_for
from tinytorch.tensor import Exp

__all__ = []

ZERO, HALF, NINE, FOUR = float32(0), float32(0.5), float32(9), float32(4)
ROOT_HALF, DENSITY = float32(0.70710678), float32(0.39894228)  # sqrt(1 / 2), 1 / sqrt(2 pi)


@kernel
def tanh_of(x):
    x = NINE if x > NINE else x
    x = -NINE if x < -NINE else x
    s = x * x
    p = float32(9.26799294e-6) + s * (float32(-1.27819337e-8) + s * float32(1.82585197e-11))
    p = float32(0.99999994) + s * (float32(0.129192963) + s * (float32(0.00292083132) + s * p))
    q = ONE + s * (float32(0.462525815) + s * (float32(0.0237634629) + s * float32(0.000228109377)))
    t = x * p / q
    t = ONE if t > ONE else t
    return -ONE if t < -ONE else t


@kernel
def erf_of(x):
    x = FOUR if x > FOUR else x
    x = -FOUR if x < -FOUR else x
    s = x * x
    p = float32(0.000147196304) + s * (float32(-1.94181871e-6) + s * float32(1.91102103e-8))
    p = float32(0.0515144877) + s * (float32(0.00398717774) + s * p)
    p = float32(1.12837911) + s * (float32(0.207048446) + s * p)
    q = float32(0.117938772) + s * (float32(0.0149513315) + s * float32(0.00102025957))
    q = ONE + s * (float32(0.516823173) + s * q)
    t = x * p / q
    t = ONE if t > ONE else t
    return -ONE if t < -ONE else t


@kernel
def log1p_of(u):
    """log(1 + u) for u from 0 to 1."""
    p = float32(0.0773807384) + u * (float32(-0.0289919564) + u * float32(0.0051058258))
    p = float32(-0.248339455) + u * (float32(0.190713096) + u * (float32(-0.135906002) + u * p))
    return u * (float32(0.999999965) + u * (float32(-0.499994357) + u * (float32(0.333179343) + u * p)))


@kernel
def exp_forward(x, out):
    for i in range(x.size):
        out[i] = exp(x[i])


@kernel
def product(grad, y, out):
    for i in range(y.size):
        out[i] = grad[i] * y[i]


@kernel
def relu_forward(x, out):
    for i in range(x.size):
        out[i] = ZERO if x[i] <= ZERO else x[i]  # nan stays nan


@kernel
def relu_backward(grad, y, out):
    for i in range(y.size):
        out[i] = ZERO if y[i] <= ZERO else grad[i]


@kernel
def sigmoid_forward(x, out):
    for i in range(x.size):
        out[i] = sigmoid(x[i])


@kernel
def sigmoid_backward(grad, y, out):
    for i in range(y.size):
        out[i] = grad[i] * (y[i] * (ONE - y[i]))


@kernel
def tanh_forward(x, out):
    for i in range(x.size):
        out[i] = tanh_of(x[i])


@kernel
def tanh_backward(grad, y, out):
    for i in range(y.size):
        out[i] = grad[i] * (ONE - y[i] * y[i])


@kernel
def silu_forward(x, out):
    for i in range(x.size):
        out[i] = x[i] * sigmoid(x[i])


@kernel
def silu_backward(grad, x, out):
    for i in range(x.size):
        s = sigmoid(x[i])
        out[i] = grad[i] * (s * (ONE + x[i] * (ONE - s)))


@kernel
def softplus_forward(x, out, beta, threshold):
    for i in range(x.size):
        scaled = beta * x[i]
        above = scaled if scaled > ZERO else (ZERO if scaled <= ZERO else scaled)  # nan stays nan
        smooth = (log1p_of(exp(-abs(scaled))) + above) / beta
        out[i] = x[i] if scaled > threshold else smooth


@kernel
def softplus_backward(grad, x, out, beta, threshold):
    for i in range(x.size):
        scaled = beta * x[i]
        out[i] = grad[i] * (ONE if scaled > threshold else sigmoid(scaled))


@kernel
def gelu_tanh_forward(x, out):
    for i in range(x.size):
        out[i] = gelu_of(x[i])


@kernel
def gelu_tanh_backward(grad, x, out):
    for i in range(x.size):
        out[i] = grad[i] * gelu_slope(x[i])


@kernel
def gelu_forward(x, out):
    for i in range(x.size):
        out[i] = HALF * x[i] * (ONE + erf_of(ROOT_HALF * x[i]))


@kernel
def gelu_backward(grad, x, out):
    for i in range(x.size):
        below = HALF + HALF * erf_of(ROOT_HALF * x[i])
        out[i] = grad[i] * (below + x[i] * (DENSITY * exp(-HALF * x[i] * x[i])))


def in_rows(x):
    """Whether x is what kernels take, or a part of such an array, in the same order, which is copied."""
    if fits(x):
        return True
    if type(x) is not np.ndarray or x.dtype != np.float32 or not x.size or x.ndim < 2:
        return False
    return x.strides[-1] == x.itemsize and list(x.strides) == sorted(x.strides, reverse=True)


def on_threads(compiled, arrays, *arguments, cost=EXPONENTIAL):
    """Run a kernel of elementwise operations on arrays, each thread with a part of them."""
    arrays, size = [a.reshape(-1) for a in arrays], arrays[0].size
    if threads_for(size, cost * size) == 1:
        compiled(*arrays, *arguments)
    else:
        by_rows(lambda part: (compiled, *[a[part] for a in arrays], *arguments), size, cost * size)


def forward_of(compiled, saves_output, cost=EXPONENTIAL):
    def forward(ctx, x):
        output = np.empty(x.shape, x.dtype)
        on_threads(compiled, (x, output), cost=cost)
        ctx.save_for_backward(output if saves_output else x)
        return output

    return forward


def backward_of(compiled, arguments=lambda ctx: (), cost=EXPONENTIAL):
    def backward(ctx, grad):
        (kept,) = ctx.saved_tensors
        output = np.empty(kept.shape, kept.dtype)
        on_threads(compiled, (contiguous(grad), kept, output), *arguments(ctx), cost=cost)
        return output

    return backward


def gelu(ctx, x, approximate="none"):
    ctx.approximate, output = approximate, np.empty(x.shape, x.dtype)
    on_threads(gelu_tanh_forward if approximate == "tanh" else gelu_forward, (x, output))
    ctx.save_for_backward(x)
    return output


def gelu_rule(ctx, grad):
    return backward_of(gelu_tanh_backward if ctx.approximate == "tanh" else gelu_backward)(ctx, grad)


def softplus(ctx, x, beta, threshold):
    ctx.beta, ctx.threshold, output = beta, threshold, np.empty(x.shape, x.dtype)
    on_threads(softplus_forward, (x, output), float32(beta), float32(threshold))
    ctx.save_for_backward(x)
    return output


def elementwise_kernels():
    """The entries of `kernel_table` for elementwise operations."""
    with_options = lambda x, *rest, **options: in_rows(x)
    options = lambda ctx: (float32(ctx.beta), float32(ctx.threshold))
    return [
        (Exp, forward_of(exp_forward, True), backward_of(product, cost=CHEAP), in_rows),
        (Relu, forward_of(relu_forward, True, CHEAP), backward_of(relu_backward, cost=CHEAP), in_rows),
        (Sigmoid, forward_of(sigmoid_forward, True), backward_of(sigmoid_backward, cost=CHEAP), in_rows),
        (Tanh, forward_of(tanh_forward, True), backward_of(tanh_backward, cost=CHEAP), in_rows),
        (Silu, forward_of(silu_forward, False), backward_of(silu_backward), in_rows),
        (Softplus, softplus, backward_of(softplus_backward, options), with_options),
        (Gelu, gelu, gelu_rule, with_options),
    ]
