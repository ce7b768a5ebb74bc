"""Kernels for convolutions whose filters see one channel each: sums of shifted images, no product.

Depthwise convolutions are of this kind, and those of images of one channel, as long as windows are small.

With stride 1 all places of a window are one run of the padded image's memory, from the first to the last:
what is computed between its rows, where the window hangs over the edge, is left out. Else each row is a
run.
"""

import math

import numpy as np
from numpy import float32

from tinytorch.acceleration import SUM
from tinytorch.conv import Convolution, ConvolutionInput, ConvolutionWeight
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.threads import by_rows, sums_by_rows
from tinytorch.given.conv.image_margins import around, unpadded, with_margin

__all__ = []

SPEED = 5  # products in a nanosecond, more or less
SMALL = 25  # numbers of a filter, 5 x 5: for larger ones of a single group a matrix product is quicker


@kernel
def add_shifted(plane, weight, offsets, start, out):
    """out[j] += the sum of weight[k] plane[start + offsets[k] + j], of three k at a time."""
    whole = len(offsets) - len(offsets) % 3
    for k in range(0, whole, 3):
        u, v, w = weight[k], weight[k + 1], weight[k + 2]
        a, b, c = (
            plane[start + offsets[k] :],
            plane[start + offsets[k + 1] :],
            plane[start + offsets[k + 2] :],
        )
        for j in range(len(out)):
            out[j] += u * a[j] + v * b[j] + w * c[j]
    for k in range(whole, len(offsets)):
        w, a = weight[k], plane[start + offsets[k] :]
        for j in range(len(out)):
            out[j] += w * a[j]


@kernel
def correlate(x, weight, bias, offsets, runs, hop, step, scratch, out):
    """out[n, o, place] = bias[o] + the sum of weight[o, k] x[n, channel of o, offsets[k] + place]"""
    filters, (height, width), length = len(bias) // x.shape[1], out.shape[2:], scratch.size // runs
    pitch = scratch.size // height
    for n in range(len(out)):
        for o in range(len(bias)):
            plane = x[n, o // filters]
            for run in range(runs):
                result = scratch[run * length : (run + 1) * length]
                for j in range(length):
                    result[j] = bias[o]
                if step == 1:
                    add_shifted(plane, weight[o], offsets, run * hop, result)
                else:
                    for k in range(len(offsets)):
                        w, row = weight[o, k], plane[offsets[k] + run * hop :]
                        for j in range(length):
                            result[j] += w * row[j * step]
            for r in range(height):
                row, result = scratch[r * pitch : r * pitch + width], out[n, o, r]
                for j in range(width):
                    result[j] = row[j]


@kernel
def lay_out(grad, scratch):
    """Write an image's rows into memory in which rows are further apart; what is between them stays zero."""
    pitch = scratch.size // len(grad)
    for r in range(len(grad)):
        row, result = grad[r], scratch[r * pitch : r * pitch + grad.shape[1]]
        for j in range(len(row)):
            result[j] = row[j]


@kernel
def spread(grad, weight, offsets, runs, hop, step, scratch, out):
    """The gradient of the images: each number goes to the pixels that it was made of."""
    filters, length = grad.shape[1] // out.shape[1], scratch.size // runs
    for n in range(len(grad)):
        for o in range(grad.shape[1]):
            plane = out[n, o // filters]
            lay_out(grad[n, o], scratch)
            for run in range(runs):
                g = scratch[run * length : (run + 1) * length]
                for k in range(len(offsets)):
                    w, row = weight[o, k], plane[offsets[k] + run * hop :]
                    if step == 1:
                        for j in range(length):
                            row[j] += w * g[j]
                    else:
                        for j in range(length):
                            row[j * step] += w * g[j]


@kernel(fastmath=SUM)
def add_products(plane, g, offsets, start, out):
    """out[k] += the sum of g[j] plane[start + offsets[k] + j], of three k at a time."""
    whole = len(offsets) - len(offsets) % 3
    for k in range(0, whole, 3):
        u, v, w = float32(0), float32(0), float32(0)
        a, b, c = (
            plane[start + offsets[k] :],
            plane[start + offsets[k + 1] :],
            plane[start + offsets[k + 2] :],
        )
        for j in range(len(g)):
            u += g[j] * a[j]
            v += g[j] * b[j]
            w += g[j] * c[j]
        out[k] += u
        out[k + 1] += v
        out[k + 2] += w
    for k in range(whole, len(offsets)):
        total, a = float32(0), plane[start + offsets[k] :]
        for j in range(len(g)):
            total += g[j] * a[j]
        out[k] += total


@kernel(fastmath=SUM)
def filter_gradient(x, grad, offsets, runs, hop, step, scratch, out):
    """out[o, k] = the sum of grad[n, o, place] x[n, channel of o, offsets[k] + place]"""
    filters, length = grad.shape[1] // x.shape[1], scratch.size // runs
    for n in range(len(grad)):
        for o in range(grad.shape[1]):
            plane = x[n, o // filters]
            lay_out(grad[n, o], scratch)
            for run in range(runs):
                g = scratch[run * length : (run + 1) * length]
                if step == 1:
                    add_products(plane, g, offsets, run * hop, out[o])
                else:
                    for k in range(len(offsets)):
                        row, total = plane[offsets[k] + run * hop :], float32(0)
                        for j in range(length):
                            total += g[j] * row[j * step]
                        out[o, k] += total


def layout(window, size):
    """How places lie in padded images: offsets in the window; runs, how far apart, and their step; memory."""
    (height, width), (down, along), pitch = window.places, window.stride, with_margin(size, window)[1]
    rows, columns = (np.arange(k) * d for k, d in zip(window.kernel_size, window.dilation))
    offsets = (rows[:, None] * pitch + columns).ravel()
    if window.stride == (1, 1):
        return offsets, 1, 0, 1, np.zeros(height * pitch, np.float32)
    return offsets, height, down * pitch, along, np.zeros(height * width, np.float32)


def planes(x):
    """Images (N, C, H, W) as (N, C, H W), in contiguous memory."""
    return np.ascontiguousarray(x).reshape(*x.shape[:2], -1)


def padded_planes(x, window):
    """Padded images with a row to spare, so that the last run may hang over by what is left out of it."""
    height, width = with_margin(x.shape[2:], window)
    output = np.empty((*x.shape[:2], height + 1, width), np.float32)
    put_inside(np.ascontiguousarray(x), *window.padding, output)
    return output.reshape(*x.shape[:2], -1)


@kernel
def put_inside(x, top, left, out):
    """Write images (N, C, H, W) and a margin of zeros around them into `out`."""
    for n in range(len(x)):
        for c in range(x.shape[1]):
            plane, padded = x[n, c], out[n, c]
            padded[:] = float32(0)
            for r in range(len(plane)):
                row, result = plane[r], padded[top + r, left : left + plane.shape[1]]
                for j in range(len(row)):
                    result[j] = row[j]


def correlated(ctx, x, weight, bias, window, groups):
    ctx.save_for_backward(x, weight)
    ctx.window, ctx.groups = window, groups
    return correlation(x, weight, bias, window)


def correlation(x, weight, bias, window):
    output = np.empty((len(x), len(weight), *window.places), np.float32)
    filters = np.ascontiguousarray(weight).reshape(len(weight), -1)
    bias = np.zeros(len(weight), np.float32) if bias is None else np.ascontiguousarray(bias)
    images, size = padded_planes(x, window), x.shape[2:]

    call = lambda part: (correlate, images[part], filters, bias, *layout(window, size), output[part])
    by_rows(call, len(x), output.size * filters.shape[1] / SPEED)
    return output


def spread_out(ctx, grad, weight, size, window, groups):
    ctx.save_for_backward(grad, weight)
    ctx.window, ctx.groups = window, groups
    if window.stride == (1, 1) and len(weight) == groups and min(around(window)) >= 0:
        return correlation(
            grad, weight[..., ::-1, ::-1], None, window._replace(padding=around(window), places=size)
        )
    height, width = with_margin(size, window)
    output = np.zeros((len(grad), groups, height + 1, width), np.float32)
    filters = np.ascontiguousarray(weight).reshape(len(weight), -1)
    grad, flat = np.ascontiguousarray(grad), planes(output)

    call = lambda part: (spread, grad[part], filters, *layout(window, size), flat[part])
    by_rows(call, len(grad), grad.size * filters.shape[1] / SPEED)
    return np.ascontiguousarray(unpadded(output, size, window))


def filters_gradient(ctx, x, grad, window, groups):
    ctx.save_for_backward(x, grad)
    ctx.window, ctx.groups = window, groups
    images, grad, size = padded_planes(x, window), np.ascontiguousarray(grad), math.prod(window.kernel_size)

    def call(part, sums):
        return filter_gradient, images[part], grad[part], *layout(window, x.shape[2:]), sums

    output = sums_by_rows(call, (grad.shape[1], size), len(x), grad.size * size / SPEED)
    return output.reshape(-1, 1, *window.kernel_size)


def float32_only(*arrays):
    return all(type(a) is np.ndarray and a.dtype == np.float32 and a.size for a in arrays)


def sees_one_channel(channels, groups, window):
    return groups == channels and (groups > 1 or math.prod(window.kernel_size) <= SMALL)


def forward_fits(x, weight, bias, window, groups):
    return sees_one_channel(x.shape[1], groups, window) and float32_only(x, weight)


def images_fit(grad, weight, size, window, groups):
    return sees_one_channel(groups * weight.shape[1], groups, window) and float32_only(grad, weight)


def filters_fit(x, grad, window, groups):
    return sees_one_channel(x.shape[1], groups, window) and float32_only(x, grad)


def depthwise_kernels():
    """The entries of `kernel_table` for depthwise convolutions."""
    return [
        (Convolution, correlated, None, forward_fits),
        (ConvolutionInput, spread_out, None, images_fit),
        (ConvolutionWeight, filters_gradient, None, filters_fit),
    ]
