"""A block for each row: softmax, layer norm, their gradients, attention.

Made of `block_sum` and the learner's kernels.
"""

import math

import numpy as np

from tinytorch import kernels
from tinytorch.given.kernels.launch import BLOCKS, made
from tinytorch.given.kernels.simulator import SIMULATED, cuda
from tinytorch.kernels import THREADS, block_sum

__all__ = [
    "attention_forward",
    "layer_norm_rows",
    "layer_norm_rows_backward",
    "softmax_rows",
    "softmax_rows_backward",
]

QUERIES = 8 if SIMULATED else 64  # in a block of attention
HEAD = 128  # the largest size of a head whose rows find room in shared memory


def softmax_rows(out, x, rows, columns, out_offset=0, x_offset=0, stream=0):
    """Probabilities of each row of x (rows, columns)."""
    if rows * columns:
        grid = min(rows, BLOCKS), THREADS, stream
        kernels.softmax_kernel[grid](out, x, rows, columns, out_offset, x_offset)


@cuda.jit
def softmax_backward_kernel(dx, y, grad, rows, columns, dx_offset, y_offset, grad_offset):
    """dx = y (grad - sum of y grad), row by row."""
    shared = cuda.shared.array(THREADS, np.float32)
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        start, total = row * columns, np.float32(0)
        for i in range(start + cuda.threadIdx.x, start + columns, cuda.blockDim.x):
            total += y[y_offset + i] * grad[grad_offset + i]
        total = block_sum(total, shared)
        for i in range(start + cuda.threadIdx.x, start + columns, cuda.blockDim.x):
            dx[dx_offset + i] = y[y_offset + i] * (grad[grad_offset + i] - total)


def softmax_rows_backward(dx, y, grad, rows, columns, dx_offset=0, y_offset=0, grad_offset=0, stream=0):
    """The gradient of softmax from its output y."""
    if rows * columns:
        offsets, grid = (dx_offset, y_offset, grad_offset), (min(rows, BLOCKS), THREADS, stream)
        softmax_backward_kernel[grid](dx, y, grad, rows, columns, *offsets)


@cuda.jit
def layer_norm_kernel(out, mean, rstd, x, weight, bias, rows, columns, eps, offsets):
    """offsets: of out, mean, rstd, x, weight, bias. The variance takes a second pass, around the mean."""
    shared = cuda.shared.array(THREADS, np.float32)
    count = np.float32(columns)
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        start, total = offsets[3] + row * columns, np.float32(0)
        for i in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
            total += x[start + i]
        middle = block_sum(total, shared) / count
        total = np.float32(0)
        for i in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
            away = x[start + i] - middle
            total += away * away
        scale = np.float32(1) / math.sqrt(block_sum(total, shared) / count + eps)
        for i in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
            value = (x[start + i] - middle) * scale
            out[offsets[0] + row * columns + i] = value * weight[offsets[4] + i] + bias[offsets[5] + i]
        if cuda.threadIdx.x == 0:
            mean[offsets[1] + row] = middle
            rstd[offsets[2] + row] = scale


def layer_norm_rows(
    out, mean, rstd, x, weight, bias, rows, columns, eps,
    out_offset=0, mean_offset=0, rstd_offset=0, x_offset=0, weight_offset=0, bias_offset=0, stream=0,
):  # fmt: skip
    """Layer norm over the rows of x, with each row's mean and 1 / sqrt(variance + eps) for the gradient."""
    if rows * columns:
        offsets = out_offset, mean_offset, rstd_offset, x_offset, weight_offset, bias_offset
        grid = min(rows, BLOCKS), THREADS, stream
        layer_norm_kernel[grid](out, mean, rstd, x, weight, bias, rows, columns, np.float32(eps), offsets)


@cuda.jit
def layer_norm_backward_kernel(dx, grad, x, mean, rstd, weight, rows, columns, offsets):
    """dx = rstd (g - mean of g - xhat mean of (g xhat)), g = grad weight.

    offsets: of dx, grad, x, mean, rstd, weight.
    """
    shared = cuda.shared.array(THREADS, np.float32)
    count = np.float32(columns)
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        start, middle, scale = row * columns, mean[offsets[3] + row], rstd[offsets[4] + row]
        plain, along = np.float32(0), np.float32(0)
        for i in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
            g = grad[offsets[1] + start + i] * weight[offsets[5] + i]
            plain += g
            along += g * (x[offsets[2] + start + i] - middle) * scale
        plain = block_sum(plain, shared) / count
        along = block_sum(along, shared) / count
        for i in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
            g = grad[offsets[1] + start + i] * weight[offsets[5] + i]
            normed = (x[offsets[2] + start + i] - middle) * scale
            dx[offsets[0] + start + i] = scale * (g - plain - normed * along)


@cuda.jit
def layer_norm_weights_kernel(dweight, dbias, grad, x, mean, rstd, rows, columns, offsets):
    """A thread for each column, added to what is there. offsets: of dweight, dbias, grad, x, mean, rstd."""
    for i in range(cuda.grid(1), columns, cuda.gridsize(1)):
        weights, biases = np.float32(0), np.float32(0)
        for row in range(rows):
            g = grad[offsets[2] + row * columns + i]
            away = x[offsets[3] + row * columns + i] - mean[offsets[4] + row]
            weights += g * away * rstd[offsets[5] + row]
            biases += g
        dweight[offsets[0] + i] += weights
        dbias[offsets[1] + i] += biases


def layer_norm_rows_backward(
    dx, dweight, dbias, grad, x, mean, rstd, weight, rows, columns,
    dx_offset=0, dweight_offset=0, dbias_offset=0, grad_offset=0, x_offset=0, mean_offset=0, rstd_offset=0,
    weight_offset=0, stream=0,
):  # fmt: skip
    """The gradients of layer norm; those of weight and bias are added to the given arrays."""
    if rows * columns:
        offsets = dx_offset, grad_offset, x_offset, mean_offset, rstd_offset, weight_offset
        grid = min(rows, BLOCKS), THREADS, stream
        layer_norm_backward_kernel[grid](dx, grad, x, mean, rstd, weight, rows, columns, offsets)
        offsets = dweight_offset, dbias_offset, grad_offset, x_offset, mean_offset, rstd_offset
        grid = -(-columns // 32), 32, stream
        layer_norm_weights_kernel[grid](dweight, dbias, grad, x, mean, rstd, rows, columns, offsets)


def attention_forward(
    out, lse, q, k, v, heads, queries, keys, size, scale, causal,
    out_offset=0, lse_offset=0, q_offset=0, k_offset=0, v_offset=0, stream=0,
):  # fmt: skip
    """softmax(q kT scale) v for contiguous (heads, T, size); lse gets the logarithms of denominators."""
    if size > HEAD:
        raise ValueError(f"attention takes heads of at most {HEAD}, not {size}")
    if heads * queries:
        offsets, grid = (
            (out_offset, lse_offset, q_offset, k_offset, v_offset),
            (-(-queries // QUERIES), heads),
        )
        sizes = queries, keys, np.float32(scale), bool(causal), offsets
        made(kernels.make_attention, size)[grid, QUERIES, stream](out, lse, q, k, v, *sizes)
