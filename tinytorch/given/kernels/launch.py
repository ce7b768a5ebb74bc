"""Launchers: functions over flat device buffers that choose a kernel of the learner's and its grid.

A kernel is made once for each function. Offsets, sizes and strides are Python integers that count numbers,
outputs come first, and nothing is launched for an empty result. Numbers that are not arrays go to the device
with the launch.
"""

import math
from functools import cache

import numpy as np

from tinytorch import kernels
from tinytorch.given.kernels.division import checked, divided
from tinytorch.given.kernels.simulator import SIMULATED, cuda

__all__ = [
    "argmax_rows",
    "grid_for",
    "map_kernel",
    "matmul",
    "reduce_kernel",
    "transpose_copy",
    "zip3_kernel",
    "zip_kernel",
]

BLOCKS = 4 if SIMULATED else 2048  # at most, where blocks come around again
LONG = 64  # times THREADS: from here on a row is shared among blocks


def grid_for(size, divides=True):
    """Blocks and threads for a grid-stride loop over `size` numbers; ValueError for too many to divide."""
    size = checked(size) if divides else size
    return min(BLOCKS, -(-size // kernels.THREADS)), kernels.THREADS


def made(maker, *arguments):
    """What the maker makes of these, made once; again where a notebook has changed the maker."""
    return _made(maker, maker.__code__, *arguments)


@cache
def _made(maker, code, *arguments):
    return maker(*arguments)


def joined(shape, *strides):
    """Shape and strides, dimensions that can be walked as one joined; ValueError for more than four."""
    dims = []
    for size, *steps in zip(shape, *strides):
        if size == 1:
            continue
        if dims and all(outer == size * step for outer, step in zip(dims[-1][1:], steps)):
            dims[-1] = dims[-1][0] * size, *steps
        else:
            dims.append((size, *steps))
    if len(dims) > 4:
        raise ValueError(
            f"shape {tuple(shape)} with strides {strides} has more than four dimensions, once joined"
        )
    return tuple(zip(*dims)) if dims else ((1,), *((1,) for _ in strides))


def is_flat(shape, *strides):
    """Whether these, joined, are one contiguous run each."""
    return len(shape) == 1 and all(step == (1,) for step in strides)


@cuda.jit(device=True)
def entry(x, place):
    return x[place]


@cuda.jit(device=True)
def number(x, place):
    return x


def pick(x):
    """The device function that fetches an operand: an array's entry, or a number as it is."""
    return number if isinstance(x, np.generic | int | float) else entry


def strided_map(fn, place_of):
    @cuda.jit
    def kernel(out, x, size, shape, out_strides, x_strides, out_offset, x_offset):
        for i in range(cuda.grid(1), size, cuda.gridsize(1)):
            value = fn(x[x_offset + place_of(i, shape, x_strides)])
            out[out_offset + place_of(i, shape, out_strides)] = value

    return kernel


def picking_zip(fn, pick_x, pick_y, pick_z, place_of):
    """The general kernel of three operands, each an array or a number; of two if pick_z is None."""
    if pick_z is None:

        @cuda.jit
        def kernel(out, x, y, size, shape, out_strides, x_strides, y_strides, out_offset, x_offset, y_offset):
            for i in range(cuda.grid(1), size, cuda.gridsize(1)):
                a = pick_x(x, x_offset + place_of(i, shape, x_strides))
                b = pick_y(y, y_offset + place_of(i, shape, y_strides))
                out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
    else:

        @cuda.jit
        def kernel(out, x, y, z, size, shape, out_strides, x_strides, y_strides, z_strides, offsets):
            for i in range(cuda.grid(1), size, cuda.gridsize(1)):
                a = pick_x(x, offsets[1] + place_of(i, shape, x_strides))
                b = pick_y(y, offsets[2] + place_of(i, shape, y_strides))
                c = pick_z(z, offsets[3] + place_of(i, shape, z_strides))
                out[offsets[0] + place_of(i, shape, out_strides)] = fn(a, b, c)

    return kernel


def flat_zip(fn, pick_x, pick_y):
    @cuda.jit
    def kernel(out, x, y, size, out_offset, x_offset, y_offset):
        for i in range(cuda.grid(1), size, cuda.gridsize(1)):
            out[out_offset + i] = fn(pick_x(x, x_offset + i), pick_y(y, y_offset + i))

    return kernel


@cache
def map_kernel(fn):
    """The launcher of a function of one number.

    (out, x, shape, out_strides, x_strides, out_offset=0, x_offset=0)
    """

    def launch(out, x, shape, out_strides, x_strides, out_offset=0, x_offset=0, stream=0):
        size = math.prod(shape)
        if not size:
            return
        shape, *strides = joined(shape, out_strides, x_strides)
        flat = is_flat(shape, *strides)
        grid = (*grid_for(size, divides=not flat), stream)
        if flat:
            made(kernels.make_map, fn)[grid](out, x, size, out_offset, x_offset)
        else:
            made(strided_map, fn, kernels.place_of)[grid](out, x, size, shape, *strides, out_offset, x_offset)

    return launch


@cache
def zip_kernel(fn):
    """The launcher of a function of two numbers; x or y may be a NumPy scalar, which has no strides.

    (out, x, y, shape, out_strides, x_strides, y_strides, out_offset=0, x_offset=0, y_offset=0)
    """

    def launch(
        out, x, y, shape, out_strides, x_strides, y_strides, out_offset=0, x_offset=0, y_offset=0, stream=0
    ):
        size, picks = math.prod(shape), (pick(x), pick(y))
        if not size:
            return
        x_strides, y_strides = (
            out_strides if p is number else s for p, s in zip(picks, (x_strides, y_strides))
        )
        shape, *strides = joined(shape, out_strides, x_strides, y_strides)
        flat, offsets = is_flat(shape, *strides), (out_offset, x_offset, y_offset)
        grid = (*grid_for(size, divides=not flat), stream)
        if flat:
            made(flat_zip, fn, *picks)[grid](out, x, y, size, *offsets)
        elif picks == (entry, entry):
            made(kernels.make_zip, fn)[grid](out, x, y, size, shape, *strides, *offsets)
        else:
            kernel = made(picking_zip, fn, *picks, None, kernels.place_of)
            kernel[grid](out, x, y, size, shape, *strides, *offsets)

    return launch


@cache
def zip3_kernel(fn):
    """The launcher of a function of three numbers; each operand may be a NumPy scalar.

    (out, x, y, z, shape, out_strides, x_strides, y_strides, z_strides, and four offsets, 0 by default)
    """

    def launch(
        out, x, y, z, shape, out_strides, x_strides, y_strides, z_strides,
        out_offset=0, x_offset=0, y_offset=0, z_offset=0, stream=0,
    ):  # fmt: skip
        size, picks = math.prod(shape), (pick(x), pick(y), pick(z))
        if not size:
            return
        given = zip(picks, (x_strides, y_strides, z_strides))
        shape, *strides = joined(shape, out_strides, *(out_strides if p is number else s for p, s in given))
        kernel = made(picking_zip, fn, *picks, kernels.place_of)
        offsets = out_offset, x_offset, y_offset, z_offset
        kernel[*grid_for(size), stream](out, x, y, z, size, shape, *strides, offsets)

    return launch


def reduce_columns(fn, start):
    """A thread for each result; neighbours read neighbours, for the dimension that goes is not the last."""

    @cuda.jit
    def kernel(out, x, size, length, inner, out_offset, x_offset):
        for i in range(cuda.grid(1), size, cuda.gridsize(1)):
            row, column = divided(i, inner)
            total, first = start, x_offset + row * length * inner + column
            for j in range(length):
                total = fn(total, x[first + j * inner])
            out[out_offset + i] = total

    return kernel


def start_for(start, dtype):
    """What nothing gives, in this type: infinities are the ends of integers, and of booleans."""
    value = start(dtype) if callable(start) else start
    if dtype.kind == "b":
        return np.bool_(value > 0)
    if dtype.kind in "iu" and math.isinf(value):
        value = np.iinfo(dtype).max if value > 0 else np.iinfo(dtype).min
    return dtype.type(value)


@cache
def reduce_kernel(fn, start):
    """The launcher that reduces x (outer, length, inner) to out (outer, inner).

    (out, x, outer, length, inner, out_offset=0, x_offset=0)
    `start` is what an empty row gives, a number or a function of the dtype.
    """

    def launch(out, x, outer, length, inner, out_offset=0, x_offset=0, stream=0):
        if not outer * inner:
            return
        begin, threads = start_for(start, np.dtype(out.dtype)), kernels.THREADS
        if inner > 1:
            kernel, grid = made(reduce_columns, fn, begin), grid_for(outer * inner)
            kernel[*grid, stream](out, x, outer * inner, length, inner, out_offset, x_offset)
            return
        kernel, part = made(kernels.make_reduce, fn, begin), LONG * threads
        parts = length // part
        if outer > 1 or parts < 2:
            kernel[min(outer, BLOCKS), threads, stream](out, x, outer, length, out_offset, x_offset)
            return
        scratch = cuda.device_array(parts + 1, out.dtype, stream=stream)
        kernel[min(parts, BLOCKS), threads, stream](scratch, x, parts, part, 0, x_offset)
        kernel[1, threads, stream](scratch, x, 1, length - parts * part, parts, x_offset + parts * part)
        kernel[1, threads, stream](out, scratch, 1, parts + 1, out_offset, 0)

    return launch


@cuda.jit
def argmax_kernel(out, x, size, length, inner, out_offset, x_offset):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        row, column = divided(i, inner)
        first, best = x_offset + row * length * inner + column, 0
        for j in range(1, length):
            value = x[first + j * inner]
            if value > x[first + best * inner] or (
                value != value and x[first + best * inner] == x[first + best * inner]
            ):
                best = j
        out[out_offset + i] = best


def argmax_rows(out, x, outer, length, inner, out_offset=0, x_offset=0, stream=0):
    """The index of the first largest entry, or of the first nan; a thread for each result."""
    if outer * inner:
        size = outer * inner
        argmax_kernel[*grid_for(size), stream](out, x, size, length, inner, out_offset, x_offset)


def matmul(
    out, a, b, m, n, k, a_strides, b_strides, out_strides=None,
    batch=(), a_batch=(), b_batch=(), out_batch=None, a_offset=0, b_offset=0, out_offset=0, stream=0,
):  # fmt: skip
    """out (m, n) = a (m, k) b (k, n) for a batch of up to two dimensions; strides are (row, column)."""
    count = math.prod(batch)
    if not m * n * count:
        return
    if count > 65535:
        raise ValueError(f"a batch of {count:,} products: at most 65,535 go into one launch")
    out_strides = (n, 1) if out_strides is None else out_strides
    if out_batch is None:
        out_batch = tuple(m * n * math.prod(batch[i + 1 :]) for i in range(len(batch)))
    inner = batch[-1] if batch else 1

    def layout(offset, strides, steps):
        return (offset, *strides, *(0,) * (2 - len(steps)), *steps, inner)

    layouts = (
        layout(out_offset, out_strides, out_batch),
        layout(a_offset, a_strides, a_batch),
        layout(b_offset, b_strides, b_batch),
    )
    large = min(m, n) >= kernels.SIDE
    kernel, side = (kernels.matmul_registers, kernels.SIDE) if large else (kernels.matmul_tiled, kernels.TILE)
    grid = -(-n // side), -(-m // side), count
    kernel[grid, (kernels.TILE, kernels.TILE), stream](out, a, b, (m, n, k), *layouts)


def transpose_copy(out, x, rows, columns, batch=1, out_offset=0, x_offset=0, stream=0):
    """Contiguous matrices (batch, rows, columns) to (batch, columns, rows)."""
    if rows * columns * batch:
        grid = -(-columns // 32), -(-rows // 32), batch
        kernels.transpose_kernel[grid, (32, 8), stream](out, x, rows, columns, out_offset, x_offset)
