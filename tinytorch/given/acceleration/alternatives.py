"""Kernels that the lesson measures beside the learner's: the same results in another way."""

import numpy as np
from numpy import float32, int16, uint8

from tinytorch.acceleration import ONE, SUM, exp, largest
from tinytorch.given.acceleration.compiling import kernel

__all__ = []


@kernel(fastmath=SUM)
def keeping_cross_entropy(x, classes, losses, sums, kept):
    """`cross_entropy_kernel`, which keeps its exponentials (N, C) for the gradient."""
    for i in range(len(x)):
        row, exps, m, total = x[i], kept[i], largest(x[i]), float32(0)
        for j in range(len(row)):
            exps[j] = exp(row[j] - m)
            total += exps[j]
        losses[i], sums[i] = np.log(total) + (m - row[classes[i]]), total


@kernel
def kept_cross_entropy_gradient(grad, kept, classes, sums, out):
    """`cross_entropy_gradient_kernel`, from exponentials that were kept."""
    for i in range(len(kept)):
        exps, result, scale = kept[i], out[i], grad[i] / sums[i]
        for j in range(len(exps)):
            result[j] = exps[j] * scale
        result[classes[i]] -= grad[i]


@kernel(fastmath=SUM)
def two_loops_layer_norm(x, weight, bias, eps, out, means, inverses):
    """`layer_norm_kernel`, with the variance as mean(x²) - mean(x)², and so a loop less."""
    width = x.shape[1]
    for i in range(len(x)):
        row, result, total, square = x[i], out[i], float32(0), float32(0)
        for j in range(width):
            total += row[j]
            square += row[j] * row[j]
        m = total / float32(width)
        r = ONE / np.sqrt(square / float32(width) - m * m + eps)
        for j in range(width):
            result[j] = (row[j] - m) * r * weight[j] + bias[j]
        means[i], inverses[i] = m, r


@kernel
def int4_sums_by_output(x, packed, sums):
    """`int4_sums_kernel` for weights (O, half), so that those of one output lie side by side."""
    half = packed.shape[1]
    for o in range(len(sums)):
        row, total = packed[o], int16(0)
        for k in range(half):
            byte = uint8(row[k] ^ uint8(0x88))
            low, high = int16(uint8(byte & uint8(15))), int16(uint8(byte >> uint8(4)))
            low, high = int16(low - int16(8)), int16(high - int16(8))
            total = int16(total + int16(low * x[k]) + int16(high * x[half + k]))
        sums[o] = total
