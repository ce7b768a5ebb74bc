"""The operations that kernels take over: how the lesson's kernels are called in their place, and a list.

Each forward saves what the operation's own forward saves, so that its own rule stays usable.
"""

import numpy as np
from numpy import float32

from tinytorch import attention, autograd, optimizers
from tinytorch.acceleration import (
    ONE,
    SUM,
    adamw_kernel,
    add_rows_kernel,
    contiguous,
    exp,
    fits,
    int8_product_kernel,
    largest,
    layer_norm_gradient_kernel,
    layer_norm_kernel,
    softmax_backward,
    softmax_fits,
    softmax_forward,
)
from tinytorch.activations import Softmax
from tinytorch.given.acceleration.attention_heads import attention_kernels
from tinytorch.given.acceleration.classification import classification_kernels
from tinytorch.given.acceleration.columns import column_kernels
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.decoding import decoding_kernels
from tinytorch.given.acceleration.depthwise import depthwise_kernels
from tinytorch.given.acceleration.direct_convolution import direct_kernels
from tinytorch.given.acceleration.elementwise import elementwise_kernels, on_threads
from tinytorch.given.acceleration.fusing import BiasGelu, SiluGate, can_fuse, fuse
from tinytorch.given.acceleration.gradients import gradient_kernels
from tinytorch.given.acceleration.images import image_kernels
from tinytorch.given.acceleration.matrix_products import matrix_kernels
from tinytorch.given.acceleration.memory import keep_freed_memory
from tinytorch.given.acceleration.products import product_kernels
from tinytorch.given.acceleration.recurrence import recurrence_kernels
from tinytorch.given.acceleration.threads import by_rows, sums_by_rows
from tinytorch.given.quantization.types import check_integers
from tinytorch.given.tensor.rearranging import Cat
from tinytorch.given.transformer.normalization import LayerNormalization, RMSNormalization
from tinytorch.optimizers import Adam, corrected, descent_direction
from tinytorch.quantization import IntegerProduct
from tinytorch.tensor import changed

__all__ = ["BiasGelu", "SiluGate", "can_fuse", "fuse", "kernel_table"]

ROW = 1 / 2  # nanoseconds for a number, of which several are read or written, or one several times
FEW = 8  # rows of x, up to which a product of int8 waits for its weights


def kernel_table():
    """What `accelerate` registers: a list of (operation, forward, rule, condition), for `register_kernel`."""
    keep_freed_memory()
    return [
        *elementwise_kernels(),
        *image_kernels(),
        *column_kernels(),
        *depthwise_kernels(),
        *direct_kernels(),
        *recurrence_kernels(),
        *product_kernels(),
        *matrix_kernels(),
        *decoding_kernels(),
        *attention_kernels(),
        *gradient_kernels(),
        (Softmax, softmax_forward, softmax_backward, softmax_fits),
        *classification_kernels(),
        (LayerNormalization, layer_norm_forward, layer_norm_backward, layer_norm_fits),
        (RMSNormalization, rms_norm_forward, rms_norm_backward, rms_norm_fits),
        (IntegerProduct, integer_product, None, few_rows),
        (attention.softmax_rows, attention_weights, None, matrix_fits),
        (autograd.add_rows, add_rows, None, add_rows_fits),
        (optimizers.take_step, adam_step, None, takes_adam),
        (Cat, cat_forward, None, cat_fits),
    ]


def layer_norm_fits(x, weight, bias, width, eps):
    return weight is not None and bias is not None and fits(x, weight, bias)


def layer_norm_forward(ctx, x, weight, bias, width, eps):
    output, statistics = np.empty_like(x), np.empty((2, x.size // width), np.float32)
    rows, results = x.reshape(-1, width), output.reshape(-1, width)
    options = weight.reshape(-1), bias.reshape(-1), float32(eps)
    call = lambda part: (layer_norm_kernel, rows[part], *options, results[part], *statistics[:, part])
    by_rows(call, len(rows), ROW * x.size)
    ctx.save_for_backward(x, weight)
    ctx.width, ctx.eps, ctx.bias_shape, ctx.statistics = width, eps, bias.shape, statistics
    return output


def layer_norm_backward(ctx, grad):
    x, weight = ctx.saved_tensors
    grad_x, weight_row = np.empty_like(x), weight.reshape(-1)
    grad, rows, grad_rows = (a.reshape(-1, ctx.width) for a in (contiguous(grad), x, grad_x))

    def call(part, sums):
        arrays = grad[part], rows[part], weight_row, *ctx.statistics[:, part], grad_rows[part]
        return layer_norm_gradient_kernel, *arrays, *sums

    grad_weight, grad_bias = sums_by_rows(call, (2, ctx.width), len(rows), ROW * x.size)
    return grad_x, grad_weight.reshape(weight.shape), grad_bias.reshape(ctx.bias_shape)


def cat_fits(*arrays, dim):
    """Whether threads may share the copying: each takes a part of another dimension, the first."""
    return dim > 0 and fits(*arrays)


def cat_forward(ctx, *arrays, dim):
    ctx.dim, ctx.sizes = dim, [a.shape[dim] for a in arrays]
    shape = (*arrays[0].shape[:dim], sum(ctx.sizes), *arrays[0].shape[dim + 1 :])
    output = np.empty(shape, np.float32)
    call = lambda part: (np.concatenate, [a[part] for a in arrays], dim, output[part])
    by_rows(call, len(output), ROW * output.size)
    return output


@kernel(fastmath=SUM)
def rms_norm(x, weight, eps, out, inverses):
    width = x.shape[1]
    for i in range(len(x)):
        row, result, square = x[i], out[i], float32(0)
        for j in range(width):
            square += row[j] * row[j]
        r = ONE / np.sqrt(square / float32(width) + eps)
        for j in range(width):
            result[j] = row[j] * r * weight[j]
        inverses[i] = r


@kernel(fastmath=SUM)
def rms_norm_gradient(grad, x, weight, inverses, grad_x, grad_weight):
    width = x.shape[1]
    for i in range(len(x)):
        g, row, result, r, second = grad[i], x[i], grad_x[i], inverses[i], float32(0)
        for j in range(width):
            n = row[j] * r
            second += g[j] * weight[j] * n
            grad_weight[j] += g[j] * n
        second /= float32(width)
        for j in range(width):
            result[j] = r * (g[j] * weight[j] - row[j] * r * second)


def rms_norm_fits(x, weight, bias, width, eps):
    return weight is not None and fits(x, weight)


def rms_norm_forward(ctx, x, weight, bias, width, eps):
    output, inverses = np.empty_like(x), np.empty(x.size // width, np.float32)
    rows, results = x.reshape(-1, width), output.reshape(-1, width)
    options = weight.reshape(-1), float32(eps)
    call = lambda part: (rms_norm, rows[part], *options, results[part], inverses[part])
    by_rows(call, len(rows), ROW * x.size)
    ctx.save_for_backward(x, weight)
    ctx.width, ctx.eps, ctx.bias_shape, ctx.statistics = width, eps, None, inverses
    return output


def rms_norm_backward(ctx, grad):
    x, weight = ctx.saved_tensors
    grad_x, weight_row = np.empty_like(x), weight.reshape(-1)
    grad, rows, grad_rows = (a.reshape(-1, ctx.width) for a in (contiguous(grad), x, grad_x))

    def call(part, sums):
        arrays = grad[part], rows[part], weight_row, ctx.statistics[part], grad_rows[part]
        return rms_norm_gradient, *arrays, sums

    return grad_x, sums_by_rows(call, ctx.width, len(rows), ROW * x.size).reshape(weight.shape), None


def few_rows(x, weight):
    int8 = [type(a) is np.ndarray and a.dtype == np.int8 and a.flags.c_contiguous for a in (x, weight)]
    return all(int8) and x.ndim == weight.ndim == 2 and 0 < len(x) <= FEW and weight.size > 0


def integer_product(ctx, x, weight):
    check_integers(x, weight)
    output = np.empty((len(x), len(weight)), np.int32)
    int8_product_kernel(x, weight, output)
    return output


@kernel(fastmath=SUM)
def weights_in_place(scores):
    """Softmax of rows in their own memory; a row of -inf only becomes zeros."""
    for i in range(len(scores)):
        row, total = scores[i], float32(0)
        m = largest(row)
        m = float32(0) if m == -np.inf else m
        for j in range(len(row)):
            row[j] = exp(row[j] - m)
            total += row[j]
        scale = ONE if total == 0 else ONE / total
        for j in range(len(row)):
            row[j] *= scale


def matrix_fits(scores):
    return fits(scores) and scores.ndim == 2


def attention_weights(scores):
    weights_in_place(scores)
    return scores


def add_rows_fits(grad, rows, shape):
    return fits(grad) and rows.size > 0


def add_rows(grad, rows, shape):
    output, rows = np.zeros(shape, np.float32), np.ascontiguousarray(rows % shape[0], np.int64)
    add_rows_kernel(grad.reshape(len(rows), -1), rows, output.reshape(shape[0], -1))
    return output


def takes_adam(optimizer):
    return type(optimizer).update is Adam.update


def adam_step(optimizer):
    """`take_step` for Adam and AdamW, which computes once what a group's parameters share."""
    for group in optimizer.param_groups:
        coupled = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay")
        numbers = {}  # of each count of steps
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            array, grad = parameter.array, parameter.grad.array
            if coupled or group.get("maximize"):
                grad = descent_direction(array, grad, group, optimizer.scratch(array)[0])
            if group["amsgrad"] or not fits(array, grad):
                optimizer.update(parameter, grad, group, optimizer.scratch(array)[1])
            else:
                state = optimizer.begin(parameter, "exp_avg", "exp_avg_sq")
                step = state["step"].array.item()
                if step not in numbers:
                    numbers[step] = adam_numbers(group, step)
                arrays = array, grad, state["exp_avg"].array, state["exp_avg_sq"].array
                on_threads(adamw_kernel, arrays, *numbers[step], cost=ROW)
            changed(array)


def adam_numbers(group, step):
    """What `adamw_kernel` takes beside its arrays, float32."""
    lr, (beta1, beta2) = float(group["lr"]), group["betas"]
    size, eps = corrected(lr, group["eps"], beta1, beta2, step)
    decay = 1 - lr * group["weight_decay"] if group["decoupled_weight_decay"] else 1.0
    return [*map(float32, (decay, beta1, 1 - beta1, beta2, 1 - beta2, size, eps))]
