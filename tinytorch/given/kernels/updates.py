"""Rows of tables, fetched and added to, and the optimizer's step: kernels that change what is there."""

import numpy as np

from tinytorch import kernels
from tinytorch.given.kernels.division import divided
from tinytorch.given.kernels.launch import grid_for, zip3_kernel
from tinytorch.given.kernels.simulator import cuda

__all__ = ["adamw_step", "gather_rows", "scatter_add_rows"]


@cuda.jit
def gather_kernel(out, table, index, count, columns, out_offset, table_offset, index_offset):
    for i in range(cuda.grid(1), count * columns, cuda.gridsize(1)):
        place, column = divided(i, columns)
        row = index[index_offset + place]
        out[out_offset + i] = table[table_offset + row * columns + column]


@cuda.jit
def scatter_add_kernel(table, grad, index, count, columns, table_offset, grad_offset, index_offset):
    """Several rows may go to one place, and several threads add there: so each addition is atomic."""
    for i in range(cuda.grid(1), count * columns, cuda.gridsize(1)):
        place, column = divided(i, columns)
        row = index[index_offset + place]
        cuda.atomic.add(table, table_offset + row * columns + column, grad[grad_offset + i])


def gather_rows(out, table, index, count, columns, out_offset=0, table_offset=0, index_offset=0, stream=0):
    """out (count, columns): the rows of table (any, columns) that `index` names."""
    if count * columns:
        offsets, grid = (out_offset, table_offset, index_offset), (*grid_for(count * columns), stream)
        gather_kernel[grid](out, table, index, count, columns, *offsets)


def scatter_add_rows(
    table, grad, index, count, columns, table_offset=0, grad_offset=0, index_offset=0, stream=0
):
    """Add the rows of grad (count, columns) to those of table that `index` names, in any order."""
    if count * columns:
        offsets, grid = (table_offset, grad_offset, index_offset), (*grid_for(count * columns), stream)
        scatter_add_kernel[grid](table, grad, index, count, columns, *offsets)


@cuda.jit(device=True)
def with_decay(grad, p, decay):
    return grad + decay * p


def adamw_step(
    p, grad, m, v, size, lr, beta1, beta2, eps, weight_decay, step, decoupled=True,
    p_offset=0, grad_offset=0, m_offset=0, v_offset=0, stream=0,
):  # fmt: skip
    """One step of AdamW; of Adam, whose decay goes into the gradient, where not `decoupled`."""
    if not size:
        return
    if weight_decay and not decoupled:
        scratch, decay = cuda.device_array(size, np.float32, stream=stream), np.float32(weight_decay)
        strides = (1,), (1,), (1,), ()
        zip3_kernel(with_decay)(
            scratch, grad, p, decay, (size,), *strides, x_offset=grad_offset, y_offset=p_offset, stream=stream
        )
        grad, grad_offset, weight_decay = scratch, 0, 0
    corrections = 1 - beta1**step, 1 - beta2**step
    numbers = lr, beta1, 1 - beta1, beta2, 1 - beta2, eps, weight_decay, *corrections
    numbers, offsets = tuple(map(np.float32, numbers)), (p_offset, grad_offset, m_offset, v_offset)
    kernels.adamw_kernel[*grid_for(size, divides=False), stream](p, grad, m, v, size, numbers, offsets)
