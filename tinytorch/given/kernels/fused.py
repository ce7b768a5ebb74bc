"""Operations with their own kernels, in one launch or a few, registered for arrays on the device.

Each takes the calls that its condition allows and leaves the others to the plain operation, made of NumPy's
functions. What it saves in `ctx` is what the plain forward saves, so that second derivatives find it.
"""

import math

import numpy as np

from tinytorch.activations import Gelu, Relu, Sigmoid, Softmax, Tanh
from tinytorch.conv import MaxPool
from tinytorch.given.attention.scaled_dot_product import ScaledDotProductAttention
from tinytorch.given.kernels.array import CudaArray, empty, empty_like
from tinytorch.given.kernels.elementwise import launch
from tinytorch.given.kernels.layout import is_contiguous
from tinytorch.given.kernels.steps import (
    attention_weights,
    cross_entropy_gradient,
    cross_entropy_rows,
    masked_scores,
    pool_gradient,
    pool_windows,
    score_gradient,
    start,
)
from tinytorch.given.kernels.table import bound
from tinytorch.given.transformer.normalization import LayerNormalization
from tinytorch.losses import CrossEntropy

__all__ = []


def on_device(*arrays):
    """Whether all that are there are arrays of float32 on the device."""
    return all(a is None or (isinstance(a, CudaArray) and a.dtype == np.float32) for a in arrays)


def flat(x):
    """An array with its elements one behind another."""
    return x if is_contiguous(x.shape, x.steps) else x.copy()


def gate(name):
    """A forward of one launch for an elementwise operation, which saves its input or its output."""

    def forward(ctx, x, **options):
        output = empty_like(x)
        launch(bound(name), output, [x])
        ctx.save_for_backward(x if name == "Gelu" else output)
        return output

    return forward


def slope(name):
    """A rule of one launch for an elementwise operation."""

    def rule(ctx, grad):
        grad_x = empty_like(grad)
        launch(bound(f"{name}.backward"), grad_x, [grad, *ctx.saved_tensors])
        return grad_x

    return rule


def is_tanh_gelu(x, approximate):
    return on_device(x) and approximate == "tanh"


def softmax(ctx, x, dim):
    ctx.axis, x = x.ndim - 1, flat(x)
    output = empty(x.shape, x.dtype)
    rows, columns = math.prod(x.shape[:-1]), x.shape[-1]
    bound("softmax_rows")(output.buffer, x.buffer, rows, columns, x_offset=x.offset)
    ctx.save_for_backward(output)
    return output


def softmax_rule(ctx, grad):
    (output,), grad = ctx.saved_tensors, flat(grad)
    grad_x = empty(grad.shape, grad.dtype)
    rows, columns = math.prod(grad.shape[:-1]), grad.shape[-1]
    offsets = {"y_offset": output.offset, "grad_offset": grad.offset}
    bound("softmax_rows_backward")(grad_x.buffer, output.buffer, grad.buffer, rows, columns, **offsets)
    return grad_x


def is_by_rows(x, dim):
    return on_device(x) and x.size and dim in (-1, x.ndim - 1)


def layer_norm(ctx, x, weight, bias, width, eps):
    ctx.save_for_backward(x, weight)
    ctx.width, ctx.eps, ctx.bias_shape = width, eps, bias.shape
    rows, x, weight, bias = x.size // width, flat(x), flat(weight), flat(bias)
    output = empty(x.shape, x.dtype)
    ctx.moments = mean, inverse = empty((rows,), x.dtype), empty((rows,), x.dtype)
    bound("layer_norm_rows")(
        output.buffer, mean.buffer, inverse.buffer, x.buffer, weight.buffer, bias.buffer, rows, width, eps,
        x_offset=x.offset, weight_offset=weight.offset, bias_offset=bias.offset,
    )  # fmt: skip
    return output


def layer_norm_rule(ctx, grad):
    x, weight = map(flat, ctx.saved_tensors)
    (mean, inverse), grad = ctx.moments, flat(grad)
    grad_x = empty(x.shape, x.dtype)
    grad_weight, grad_bias = np.zeros((2, ctx.width), x.dtype, like=x)
    bound("layer_norm_rows_backward")(
        grad_x.buffer, grad_weight.buffer, grad_bias.buffer, grad.buffer, x.buffer, mean.buffer,
        inverse.buffer, weight.buffer, x.size // ctx.width, ctx.width, dbias_offset=grad_bias.offset,
        grad_offset=grad.offset, x_offset=x.offset, weight_offset=weight.offset,
    )  # fmt: skip
    return grad_x, grad_weight.reshape(weight.shape), grad_bias.reshape(ctx.bias_shape)


def is_whole_norm(x, weight, bias, width, eps):
    return on_device(x, weight, bias) and weight is not None and bias is not None and x.size


def attention(ctx, query, key, value, mask=None, keep=None, *, scale, is_causal):
    """In one launch, without an array of scores; with dropout by way of the weights."""
    q, k, v = map(flat, (query, key, value))
    ctx.scale, ctx.is_causal = np.float32(scale), is_causal
    if keep is None:
        output, ctx.logsumexp = flash(q, k, v, scale, is_causal)
        ctx.save_for_backward(q, k, v, keep, output)
        return output
    weights = q @ k.swapaxes(-2, -1)  # (..., T, S)
    T, S = weights.shape[-2:]
    start(masked_scores, weights.size, weights.buffer, weights.size, T, S, ctx.scale, is_causal)
    bound("softmax_rows")(weights.buffer, weights.buffer, weights.size // S, S)
    output = (weights * keep) @ v
    ctx.save_for_backward(q, k, v, keep, output, weights)
    return output


def flash(q, k, v, scale, is_causal):
    """The output, and the logarithm of the sum of every row's exponentials."""
    (*batch, T, d), S = q.shape, k.shape[-2]
    output, logsumexp = empty(q.shape, q.dtype), empty((*batch, T), q.dtype)
    bound("attention_forward")(
        output.buffer, logsumexp.buffer, q.buffer, k.buffer, v.buffer, math.prod(batch), T, S, d, scale,
        is_causal,
        q_offset=q.offset, k_offset=k.offset, v_offset=v.offset,
    )  # fmt: skip
    return output, logsumexp


def attention_rule(ctx, grad):
    """As softmax's rule and the products'; weights that were not kept are computed once more."""
    q, k, v, keep, output, *kept = ctx.saved_tensors
    T, S = q.shape[-2], k.shape[-2]
    if kept:
        weights = kept[0]
    else:
        weights = q @ k.swapaxes(-2, -1)
        rows = weights.buffer, ctx.logsumexp.buffer
        start(attention_weights, weights.size, *rows, weights.size, T, S, ctx.scale, ctx.is_causal)
    used = weights if keep is None else weights * keep
    scores = grad @ v.swapaxes(-2, -1)  # the weights' gradient, and soon the scores'
    if keep is not None:
        scores *= keep
    delta = flat((grad * output).sum(-1))
    start(score_gradient, scores.size, scores.buffer, weights.buffer, delta.buffer, scores.size, S, ctx.scale)
    return scores @ k, scores.swapaxes(-2, -1) @ q, used.swapaxes(-2, -1) @ grad, None, None


def is_flash(query, key, value, mask=None, keep=None, *, scale, is_causal):
    """Whether heads are alike, short enough for the kernel, and with no mask but the causal one."""
    arrays = query, key, value
    return (
        on_device(*arrays, keep)
        and mask is None
        and query.shape[:-2] == key.shape[:-2] == value.shape[:-2]
        and query.shape[-1] == value.shape[-1] <= 128
        and all(a.size for a in arrays)
    )


def cross_entropy(ctx, x, target, weight=None, ignore_index=-100, label_smoothing=0.0):
    x, target, weight = flat(x), flat(target), weight if weight is None else flat(weight)
    rows, columns = x.shape
    losses, largest, sums, at_class = (empty((rows, 1), x.dtype) for _ in range(4))
    kept, classes = empty((rows, 1), bool), empty((rows, 1), np.int64)
    weights = x if weight is None else weight
    start(
        cross_entropy_rows, rows, losses.buffer, kept.buffer, classes.buffer, largest.buffer, sums.buffer,
        at_class.buffer, x.buffer, target.buffer, weights.buffer, weight is not None, ignore_index, columns,
        x.offset, target.offset, weights.offset, blocks=rows,
    )  # fmt: skip
    everywhere = np.zeros(columns, x.dtype, like=x)
    ctx.smoothed = False
    ctx.save_for_backward(x, kept, classes, largest, sums, at_class, everywhere)
    return losses[:, 0]


def cross_entropy_rule(ctx, grad):
    x, kept, classes, largest, sums, at_class, _ = ctx.saved_tensors
    grad_x = empty(x.shape, x.dtype)
    start(
        cross_entropy_gradient, x.size, grad_x.buffer, grad.buffer, grad.steps[0], kept.buffer,
        classes.buffer, largest.buffer, sums.buffer, at_class.buffer, x.buffer, x.size, x.shape[1],
        grad.offset, x.offset,
    )  # fmt: skip
    return grad_x, None, None


def is_plain_loss(x, target, weight=None, ignore_index=-100, label_smoothing=0.0):
    classes = isinstance(target, CudaArray) and target.dtype == np.int64
    return on_device(x, weight) and classes and x.ndim == 2 and x.size and not label_smoothing


def max_pool(ctx, x, window):
    x = flat(x)
    output = empty((*x.shape[:2], *window.places), x.dtype)
    ctx.winners = empty(output.shape, np.int64)
    numbers = [
        n for pair in (window.kernel_size, window.stride, window.padding, window.dilation) for n in pair
    ]
    start(
        pool_windows, output.size, output.buffer, ctx.winners.buffer, x.buffer, output.size, *x.shape[2:],
        *window.places, *numbers, x.offset,
    )  # fmt: skip
    ctx.save_for_backward(x, output)
    ctx.window = window
    return output


def max_pool_rule(ctx, grad):
    (x, _), grad = ctx.saved_tensors, flat(grad)
    grad_x = np.zeros(x.shape, x.dtype, like=x)
    start(pool_gradient, grad.size, grad_x.buffer, grad.buffer, ctx.winners.buffer, grad.size, grad.offset)
    return grad_x


def is_pool(x, window):
    return on_device(x) and x.size


OPERATIONS = [  # what register_kernel takes
    (Relu, None, slope("Relu"), on_device),
    (Tanh, None, slope("Tanh"), on_device),
    (Sigmoid, gate("Sigmoid"), slope("Sigmoid"), on_device),
    (Gelu, gate("Gelu"), slope("Gelu"), is_tanh_gelu),
    (Softmax, softmax, softmax_rule, is_by_rows),
    (LayerNormalization, layer_norm, layer_norm_rule, is_whole_norm),
    (ScaledDotProductAttention, attention, attention_rule, is_flash),
    (CrossEntropy, cross_entropy, cross_entropy_rule, is_plain_loss),
    (MaxPool, max_pool, max_pool_rule, is_pool),
]
