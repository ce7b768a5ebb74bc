"""Kernels for images that go like the lesson's: max pooling by 2 x 2, and batch normalisation."""

import numpy as np
from numpy import float32, int32

from tinytorch.acceleration import ONE, SUM, contiguous, fits
from tinytorch.conv import BatchNorm, MaxPool
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.threads import CHEAP, by_rows

__all__ = []


@kernel
def larger(a, b):
    """The larger number; NaN if one of them is."""
    return a if a > b or a != a else b


@kernel
def max_pool(x, out):
    for n in range(len(x)):
        for i in range(out.shape[1]):
            upper, lower, result = x[n, 2 * i], x[n, 2 * i + 1], out[n, i]
            for j in range(len(result)):
                top = larger(upper[2 * j], upper[2 * j + 1])
                result[j] = larger(top, larger(lower[2 * j], lower[2 * j + 1]))


@kernel
def max_pool_backward(grad, x, y, out):
    """Each gradient goes to the first of its four numbers that is the maximum; all four are written.

    Gradients are moved as integers: of one that has been given away a ^ a leaves nothing, be it inf or NaN.
    Choices between two numbers are vectors; `and` and `or` would be branches, and take several times as long.
    """
    grads, outs, nothing = grad.view(int32), out.view(int32), int32(0)
    for n in range(len(x)):
        for i in range(y.shape[1]):
            upper, lower, first, second = x[n, 2 * i], x[n, 2 * i + 1], outs[n, 2 * i], outs[n, 2 * i + 1]
            g, largest = grads[n, i], y[n, i]
            for j in range(len(g)):
                left, top = g[j], largest[j]  # left: what has not been handed out yet
                a = left if upper[2 * j] == top else nothing
                left ^= a
                b = left if upper[2 * j + 1] == top else nothing
                left ^= b
                c = left if lower[2 * j] == top else nothing
                left ^= c
                d = left if lower[2 * j + 1] == top else nothing
                first[2 * j], first[2 * j + 1], second[2 * j], second[2 * j + 1] = a, b, c, d


@kernel(fastmath=SUM)
def moments(x, means, variances):
    images, channels, size = x.shape
    count = float32(images * size)
    for c in range(channels):
        total, square = float32(0), float32(0)
        for n in range(images):
            row = x[n, c]
            for j in range(size):
                total += row[j]
        m = total / count
        for n in range(images):
            row = x[n, c]
            for j in range(size):
                square += (row[j] - m) * (row[j] - m)
        means[c], variances[c] = m, square / count


@kernel
def scale_and_shift(x, scale, shift, out):
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            row, result, a, b = x[n, c], out[n, c], scale[c], shift[c]
            for j in range(len(row)):
                result[j] = a * row[j] + b


@kernel(fastmath=SUM)
def batch_norm_sums(grad, x, means, grad_sums, products):
    """For each channel the sums of the gradient, and of the gradient times x - mean."""
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            g, row, m, first, second = grad[n, c], x[n, c], means[c], float32(0), float32(0)
            for j in range(len(row)):
                first += g[j]
                second += g[j] * (row[j] - m)
            grad_sums[c] += first
            products[c] += second


@kernel
def batch_norm_backward(grad, x, means, scale, first, second, out):
    """scale (grad - first - second (x - mean))"""
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            g, row, result = grad[n, c], x[n, c], out[n, c]
            m, a, b, s = means[c], first[c], second[c], scale[c]
            for j in range(len(row)):
                result[j] = s * (g[j] - a - b * (row[j] - m))


def halves(x, window):
    """Whether images are pooled by 2 x 2, without margins, gaps and leftovers."""
    H, W = x.shape[2:] if x.ndim == 4 else (1, 1)
    return fits(x) and tuple(window) == ((2, 2), (2, 2), (0, 0), (1, 1), (H // 2, W // 2)) and not (H | W) % 2


def planes(x):
    """Images (N, C, H, W) as (N C, H, W)."""
    return x.reshape(-1, *x.shape[2:])


def max_pool_forward(ctx, x, window):
    output = np.empty((*x.shape[:2], *window.places), np.float32)
    images, pooled = planes(x), planes(output)
    by_rows(lambda part: (max_pool, images[part], pooled[part]), len(images), CHEAP * x.size)
    ctx.save_for_backward(x, output)
    ctx.window = window
    return output


def max_pool_rule(ctx, grad):
    x, y = ctx.saved_tensors
    output = np.empty_like(x)
    arrays = [planes(a) for a in (contiguous(grad), x, contiguous(y), output)]
    call = lambda part: (max_pool_backward, *[a[part] for a in arrays])
    by_rows(call, len(arrays[0]), CHEAP * x.size)
    return output


def channels(x):
    """Images (N, C, H, W) as (N, C, H W)."""
    return x.reshape(*x.shape[:2], -1)


def batch_norm_fits(x, weight, bias, running, momentum, eps):
    return fits(*[a for a in (x, weight, bias, *(running or ())) if a is not None]) and x.ndim == 4


def batch_norm_forward(ctx, x, weight, bias, running, momentum, eps):
    mean, var = np.empty((2, x.shape[1]), np.float32)
    moments(channels(x), mean, var)
    if running is not None:
        running_mean, running_var = running
        count = x.size // x.shape[1]
        running_mean += float32(momentum) * (mean - running_mean)
        running_var += float32(momentum) * (var * float32(count / (count - 1)) - running_var)
    scale = ONE / np.sqrt(var + float32(eps)) * (ONE if weight is None else weight)
    shift = (0 if bias is None else bias) - mean * scale
    output, shape = np.empty_like(x), (1, x.shape[1], 1, 1)
    scale_and_shift(channels(x), scale, shift, channels(output))
    ctx.save_for_backward(x, weight, mean.reshape(shape), var.reshape(shape))
    ctx.eps = eps
    return output


def batch_norm_rule(ctx, grad):
    x, weight, mean, var = ctx.saved_tensors
    mean, inverse = mean.reshape(-1), ONE / np.sqrt(var.reshape(-1) + float32(ctx.eps))
    grad, output, count = contiguous(grad), np.empty_like(x), float32(x.size // x.shape[1])
    grad_bias, products = np.zeros((2, x.shape[1]), np.float32)
    batch_norm_sums(channels(grad), channels(x), mean, grad_bias, products)
    scale = inverse if weight is None else inverse * weight
    second = products * inverse * inverse / count
    batch_norm_backward(channels(grad), channels(x), mean, scale, grad_bias / count, second, channels(output))
    grads = output, products * inverse, grad_bias
    return tuple([g if need else None for g, need in zip(grads, ctx.needs_input_grad)])


def image_kernels():
    """The entries of `kernel_table` for images."""
    return [
        (MaxPool, max_pool_forward, max_pool_rule, halves),
        (BatchNorm, batch_norm_forward, batch_norm_rule, batch_norm_fits),
    ]
