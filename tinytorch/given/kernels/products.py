"""The matrix product in registers: the learner's tiled product, one level up. Made of `at`."""

import numpy as np

from tinytorch.given.kernels.simulator import cuda
from tinytorch.kernels import TILE, at

__all__ = ["matmul_registers"]

WORK, DEPTH = 4, 8  # a thread computes WORK x WORK numbers; a slab is DEPTH deep
SIDE = WORK * TILE  # of a block's part of the result
PADDED = SIDE + 1


@cuda.jit
def matmul_registers(out, a, b, sizes, out_layout, a_layout, b_layout):
    """Multiply matrices in blocks of (TILE, TILE) threads, each of which computes 4 x 4 numbers.

    In every step a thread fetches 4 + 4 numbers from shared memory, and multiplies 16 times. Its numbers are
    TILE apart, so that neighbouring threads stay neighbours, in memory and in banks.
    """
    m, n, k = sizes
    a_slab = cuda.shared.array((DEPTH, PADDED), np.float32)  # turned: its columns are written
    b_slab = cuda.shared.array((DEPTH, SIDE), np.float32)
    totals = cuda.local.array((WORK, WORK), np.float32)
    left = cuda.local.array(WORK, np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = SIDE * cuda.blockIdx.y, SIDE * cuda.blockIdx.x
    zero = np.float32(0)
    for r in range(WORK):
        for c in range(WORK):
            totals[r, c] = zero
    for first in range(0, k, DEPTH):
        for i in range(TILE * y + x, DEPTH * SIDE, TILE * TILE):
            there, deep = row + i // DEPTH, first + i % DEPTH  # along the rows of a
            a_slab[i % DEPTH, i // DEPTH] = a[at(a_layout, there, deep)] if there < m and deep < k else zero
            deep, there = first + i // SIDE, column + i % SIDE  # along the rows of b
            b_slab[i // SIDE, i % SIDE] = b[at(b_layout, deep, there)] if there < n and deep < k else zero
        cuda.syncthreads()
        for d in range(DEPTH):
            for r in range(WORK):
                left[r] = a_slab[d, y + TILE * r]
            for c in range(WORK):
                right = b_slab[d, x + TILE * c]
                for r in range(WORK):
                    totals[r, c] += left[r] * right
        cuda.syncthreads()
    for r in range(WORK):
        for c in range(WORK):
            if row + y + TILE * r < m and column + x + TILE * c < n:
                out[at(out_layout, row + y + TILE * r, column + x + TILE * c)] = totals[r, c]
