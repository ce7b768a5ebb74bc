"""Convolutions without columns: sums of shifted images, four filters at a time, in registers.

All places of a window with stride 1 are one run of the padded image's memory, from the first to the last;
what is computed between the image's rows is left out. The gradient of the images is such a convolution too,
of the gradient with the filters turned by half a turn.
"""

import math

import numpy as np
from numpy import float32

from tinytorch.conv import Convolution, ConvolutionInput, ConvolutionWeight
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.depthwise import float32_only
from tinytorch.given.acceleration.threads import by_rows, sums_by_rows
from tinytorch.given.acceleration.vectors import WIDTH, add_product, load, nothing, store, total
from tinytorch.given.conv.image_margins import around

__all__ = []

LARGEST = 2**20  # numbers of all filters: with more of them BLAS is quicker, which reads each less often
SPEED = 20  # products in a nanosecond, more or less
PLACES = 256  # of an image at a time: their sums stay in the nearest cache, and what they are made of too


@kernel
def lay_out(images, first, pitch, size, out):
    """Write the channels of an image into memory in which rows are `pitch` apart, and channels `size`."""
    channels, height, width = images.shape
    for c in range(channels):
        for r in range(height):
            row, at = images[c, r], c * size + first + r * pitch
            for j in range(width):
                out[at + j] = row[j]


@kernel
def add_up(x, start, other, offsets, weight, sums, at, length):
    """sums[o, at + j] = the sum of weight[k, o] x[start + offsets[k] + j] for four o, then from `other`."""
    a, b, c, d = nothing(), nothing(), nothing(), nothing()
    e, f, g, h = nothing(), nothing(), nothing(), nothing()
    for k in range(len(offsets)):
        left, right = load(x, start + offsets[k]), load(x, other + offsets[k])
        a, e = add_product(a, weight[k, 0], left), add_product(e, weight[k, 0], right)
        b, f = add_product(b, weight[k, 1], left), add_product(f, weight[k, 1], right)
        c, g = add_product(c, weight[k, 2], left), add_product(g, weight[k, 2], right)
        d, h = add_product(d, weight[k, 3], left), add_product(h, weight[k, 3], right)
    store(sums, at, a), store(sums, at + WIDTH, e)
    store(sums, at + length, b), store(sums, at + length + WIDTH, f)
    store(sums, at + 2 * length, c), store(sums, at + 2 * length + WIDTH, g)
    store(sums, at + 3 * length, d), store(sums, at + 3 * length + WIDTH, h)


@kernel
def starts_of(rows, width, between, pitch):
    """Where each vector of the places begins in memory, if they lie `between` apart in rows of their own."""
    starts = np.empty(-(-((rows - 1) * between + width) // WIDTH), np.int64)
    for v in range(len(starts)):
        starts[v] = v * WIDTH // between * pitch + v * WIDTH % between
    return starts


@kernel
def correlate(x, first, pitch, size, offsets, weight, bias, out):
    """out[n, g, o, place] = bias[g, o] + the sum of weight[g, o, k] x[n, g, offsets[k] + place]

    Args:
        x: float32 (N, G, C, H, W).
        first, pitch, size: where images lie in memory with margins, as `lay_out` takes them.
        offsets: of the K numbers of a filter in that memory.
        weight: (G, O/4, K, 4), bias: (G, O), out: (N, G, O, height, width).
    """
    filters, height, width = out.shape[2:]
    padded = np.zeros(x.shape[2] * size + 2 * WIDTH, float32)
    rows = -(-height // -(-height * pitch // PLACES))
    between = width if width % WIDTH == 0 else pitch
    starts, length = starts_of(rows, width, between, pitch), rows * between + 2 * WIDTH
    sums = np.empty(4 * length, float32)
    for n in range(len(x)):
        for g in range(x.shape[1]):
            lay_out(x[n, g], first, pitch, size, padded)
            for r in range(0, height, rows):
                count, first_row = min(rows, height - r), r * pitch
                vectors = -(-((count - 1) * between + width) // WIDTH)
                for block in range(weight.shape[1]):
                    for v in range(0, vectors, 2):
                        one, other = first_row + starts[v], first_row + starts[min(v + 1, vectors - 1)]
                        add_up(padded, one, other, offsets, weight[g, block], sums, v * WIDTH, length)
                    for o in range(4 * block, min(4 * block + 4, filters)):
                        shift = bias[g, o]
                        for i in range(count):
                            at, result = (o - 4 * block) * length + i * between, out[n, g, o, r + i]
                            for j in range(width):
                                result[j] = sums[at + j] + shift


@kernel
def four_by_three(x, grad, images, apart, behind, starts, o, i, j, k, out):
    """Four filters' sums over places and images of the gradient times what three of their numbers see."""
    ai, aj, ak, bi, bj, bk = nothing(), nothing(), nothing(), nothing(), nothing(), nothing()
    ci, cj, ck, di, dj, dk = nothing(), nothing(), nothing(), nothing(), nothing(), nothing()
    length = len(starts) * WIDTH
    for n in range(images):
        for v in range(len(starts)):
            there, here = n * apart + starts[v], n * behind + o * length + v * WIDTH
            left, middle, right = load(x, there + i), load(x, there + j), load(x, there + k)
            g = load(grad, here)
            ai, aj, ak = add_product(ai, g, left), add_product(aj, g, middle), add_product(ak, g, right)
            g = load(grad, here + length)
            bi, bj, bk = add_product(bi, g, left), add_product(bj, g, middle), add_product(bk, g, right)
            g = load(grad, here + 2 * length)
            ci, cj, ck = add_product(ci, g, left), add_product(cj, g, middle), add_product(ck, g, right)
            g = load(grad, here + 3 * length)
            di, dj, dk = add_product(di, g, left), add_product(dj, g, middle), add_product(dk, g, right)
    out[0, 0] += total(ai)
    out[0, 1] += total(aj)
    out[0, 2] += total(ak)
    out[1, 0] += total(bi)
    out[1, 1] += total(bj)
    out[1, 2] += total(bk)
    out[2, 0] += total(ci)
    out[2, 1] += total(cj)
    out[2, 2] += total(ck)
    out[3, 0] += total(di)
    out[3, 1] += total(dj)
    out[3, 2] += total(dk)


@kernel
def filter_gradient(x, grad, first, pitch, size, offsets, out):
    """out[g, o, k] = the sum of grad[n, g, o, place] x[n, g, offsets[k] + place]

    The filters of a group, and the numbers of a filter, are filled up to fours and to threes.
    """
    N, G, channels = x.shape[:3]
    height, width = grad.shape[3:]
    between = width if width % WIDTH == 0 else pitch
    starts = starts_of(height, width, between, pitch)
    length = len(starts) * WIDTH
    fours, threes = out.shape[1], out.shape[2]
    images = min(N, max(1, 4 * PLACES // length))
    apart, behind = channels * size, fours * length
    padded = np.zeros(images * apart + 2 * WIDTH, float32)
    laid = np.zeros(images * behind, float32)
    for start in range(0, N, images):
        count = min(images, N - start)
        for g in range(G):
            for n in range(count):
                lay_out(x[start + n, g], first, pitch, size, padded[n * apart :])
                lay_out(grad[start + n, g], 0, between, length, laid[n * behind :])
            for o in range(0, fours, 4):
                for k in range(0, threes, 3):
                    i, j, m = offsets[k], offsets[k + 1], offsets[k + 2]
                    found = out[g, o : o + 4, k : k + 3]
                    four_by_three(padded, laid, count, apart, behind, starts, o, i, j, m, found)


def layout(size, margin, window, channels):
    """Where images of a size lie in memory: first pixel, how far apart rows and images are, and offsets."""
    (top, left), (height, width) = margin, size
    pitch = width + 2 * left
    apart = (height + 2 * top) * pitch + 2 * WIDTH  # and what the last vectors read beyond the image
    rows, columns = (np.arange(k) * d for k, d in zip(window.kernel_size, window.dilation))
    offsets = np.arange(channels)[:, None, None] * apart + rows[:, None] * pitch + columns
    return top * pitch + left, pitch, apart, offsets.ravel()


def in_groups(x, groups):
    """Images (N, C, H, W) as (N, G, C/G, H, W), in contiguous memory."""
    return np.ascontiguousarray(x).reshape(len(x), groups, -1, *x.shape[2:])


def in_fours(filters):
    """Filters (G, O, K) as (G, O/4, K, 4), the last ones filled up by zeros."""
    groups, count, numbers = filters.shape
    output = np.zeros((groups, -(-count // 4), numbers, 4), np.float32)
    for i in range(4):
        part = filters[:, i::4]
        output[:, : part.shape[1], :, i] = part
    return output


def on_threads(x, where, offsets, weight, bias, output):
    """`correlate`, each thread with some of the images."""
    call = lambda part: (correlate, x[part], *where, offsets, weight, bias, output[part])
    by_rows(call, len(x), output.size * len(offsets) / SPEED)


def convolved(ctx, x, weight, bias, window, groups):
    ctx.save_for_backward(x, weight)
    ctx.window, ctx.groups = window, groups
    output = np.empty((len(x), groups, len(weight) // groups, *window.places), np.float32)
    *where, offsets = layout(x.shape[2:], window.padding, window, weight.shape[1])
    filters = in_fours(weight.reshape(groups, len(weight) // groups, -1))
    bias = np.zeros(len(weight), np.float32) if bias is None else np.ascontiguousarray(bias)
    arrays = where, offsets, filters, bias.reshape(groups, -1), output
    on_threads(in_groups(x, groups), *arrays)
    return output.reshape(len(x), len(weight), *window.places)


def convolved_back(ctx, grad, weight, size, window, groups):
    ctx.save_for_backward(grad, weight)
    ctx.window, ctx.groups = window, groups
    channels, filters = weight.shape[1], len(weight) // groups
    turned = weight.reshape(groups, filters, channels, *window.kernel_size)[..., ::-1, ::-1].swapaxes(1, 2)
    output = np.empty((len(grad), groups, channels, *size), np.float32)
    *where, offsets = layout(window.places, around(window), window, filters)
    nothing = np.zeros((groups, channels), np.float32)
    turned = in_fours(turned.reshape(groups, channels, -1))
    on_threads(in_groups(grad, groups), where, offsets, turned, nothing, output)
    return output.reshape(len(grad), -1, *size)


def filters_gradient(ctx, x, grad, window, groups):
    ctx.save_for_backward(x, grad)
    ctx.window, ctx.groups = window, groups
    channels, filters = x.shape[1] // groups, grad.shape[1] // groups
    *where, offsets = layout(x.shape[2:], window.padding, window, channels)
    count = len(offsets)
    offsets = np.append(offsets, offsets[-1:].repeat(-count % 3))
    images, grads = in_groups(x, groups), in_groups(grad, groups)

    shape = groups, -(-filters // 4) * 4, len(offsets)
    call = lambda part, sums: (filter_gradient, images[part], grads[part], *where, offsets, sums)
    output = sums_by_rows(call, shape, len(x), grad.size * len(offsets) / SPEED)
    return output[:, :filters, :count].reshape(-1, channels, *window.kernel_size)


def fits_directly(channels, filters, groups, window):
    """Whether a group has several channels and filters, which are larger than 1 x 1, and few enough."""
    size = math.prod(window.kernel_size)
    several = channels > 1 and filters > 1 and size > 1
    return several and window.stride == (1, 1) and groups * channels * filters * size <= LARGEST


def forward_fits(x, weight, bias, window, groups):
    return fits_directly(weight.shape[1], len(weight) // groups, groups, window) and float32_only(x, weight)


def images_fit(grad, weight, size, window, groups):
    shapes = fits_directly(weight.shape[1], len(weight) // groups, groups, window)
    return shapes and min(around(window)) >= 0 and float32_only(grad, weight)


def filters_fit(x, grad, window, groups):
    shapes = fits_directly(x.shape[1] // groups, grad.shape[1] // groups, groups, window)
    return shapes and float32_only(x, grad)


def direct_kernels():
    """The entries of `kernel_table` for convolutions without columns."""
    return [
        (Convolution, convolved, None, forward_fits),
        (ConvolutionInput, convolved_back, None, images_fit),
        (ConvolutionWeight, filters_gradient, None, filters_fit),
    ]
