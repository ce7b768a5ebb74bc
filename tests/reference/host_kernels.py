"""Launchers in plain NumPy, over buffers in main memory: what `CudaArray` asks of kernels, at NumPy's speed.

With them in place of the kernels, whole models run through `CudaArray`, its pool and its views, and what it would launch
is counted. They take what the launchers of module 17b take.
"""

import contextlib

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinytorch.given.kernels.memory import pool
from tinytorch.given.kernels.table import kernels
from tinytorch.given.tensor import devices


class HostMemory:
    """Main memory, in the place of a GPU's. What nobody has written is no number that could pass."""

    def allocate(self, size, dtype):
        return np.full(size, 77, dtype)

    def write(self, buffer, values):
        buffer[: values.size] = values

    def read(self, buffer, start, stop):
        return buffer[start:stop].copy()

    def synchronize(self):
        pass


def seen(buffer, shape, steps, offset):
    """A view as the kernels see it; of a number, the number."""
    if isinstance(buffer, np.generic):
        return buffer
    assert all(type(n) is int for n in (*shape, *steps, offset)), "sizes, strides and offsets are plain numbers"
    ends = [(n - 1) * step for n, step in zip(shape, steps)]
    first, last = offset + sum(min(e, 0) for e in ends), offset + sum(max(e, 0) for e in ends)
    assert 0 <= first <= last < buffer.size, "a kernel would leave its buffer"
    return as_strided(buffer[offset:], shape, [step * buffer.itemsize for step in steps])


def elementwise(function, count):
    def launch(out, *rest):
        inputs, (shape, out_steps, *steps), offsets = rest[:count], rest[count : 2 * count + 2], rest[2 * count + 2 :]
        assert isinstance(out, np.ndarray)
        assert len(shape) <= 4 or all(isinstance(x, np.ndarray) for x in inputs)
        target = seen(out, shape, out_steps, offsets[0])
        arrays = [seen(x, shape, s, o) for x, s, o in zip(inputs, steps, offsets[1:])]
        np.copyto(target, function(*arrays), casting="unsafe")

    return launch


def fill(out, value, shape, out_steps, _, out_offset, __):
    seen(out, shape, out_steps, out_offset)[...] = value


def reduction(ufunc):
    def launch(out, x, outer, length, inner, out_offset=0, x_offset=0):
        rows = x[x_offset : x_offset + outer * length * inner].reshape(outer, length, inner)
        options = {"initial": -np.inf} if ufunc is np.maximum and rows.dtype.kind == "f" else {}
        out[out_offset : out_offset + outer * inner] = ufunc.reduce(rows, axis=1, **options).ravel()

    return launch


def argmax(out, x, outer, length, inner, out_offset=0, x_offset=0):
    rows = x[x_offset : x_offset + outer * length * inner].reshape(outer, length, inner)
    out[out_offset : out_offset + outer * inner] = rows.argmax(axis=1).ravel()


def matmul(
    out, a, b, m, n, k, a_strides, b_strides, out_strides=None, batch=(), a_batch=(), b_batch=(), out_batch=None,
    a_offset=0, b_offset=0, out_offset=0,
):  # fmt: skip
    assert len(batch) <= 2
    x = seen(a, (*batch, m, k), (*a_batch, *a_strides), a_offset)
    y = seen(b, (*batch, k, n), (*b_batch, *b_strides), b_offset)
    seen(out, (*batch, m, n), (*out_batch, *out_strides), out_offset)[...] = x @ y


def gather_rows(out, table, index, count, columns, out_offset=0, table_offset=0, index_offset=0):
    rows = index[index_offset : index_offset + count]
    size = (rows.max() + 1) * columns
    found = table[table_offset : table_offset + size].reshape(-1, columns)[rows]
    out[out_offset : out_offset + count * columns] = found.ravel()


def scatter_add_rows(table, grad, index, count, columns, table_offset=0, grad_offset=0, index_offset=0):
    rows = index[index_offset : index_offset + count]
    places = rows[:, None] * columns + np.arange(columns) + table_offset
    np.add.at(table, places.ravel(), grad[grad_offset : grad_offset + count * columns])


def parts(x, index, outer, length, m, inner, x_offset, index_offset):
    whole = x[x_offset : x_offset + outer * length * inner].reshape(outer, length, inner)
    return whole, index[index_offset : index_offset + outer * m * inner].reshape(outer, m, inner)


def take_along(out, x, index, outer, length, m, inner, out_offset, x_offset, index_offset):
    whole, places = parts(x, index, outer, length, m, inner, x_offset, index_offset)
    out[out_offset : out_offset + places.size] = np.take_along_axis(whole, places, 1).ravel()


def put_along(x, values, index, outer, length, m, inner, x_offset, values_offset, index_offset):
    whole, places = parts(x, index, outer, length, m, inner, x_offset, index_offset)
    given = values[values_offset : values_offset + places.size].reshape(places.shape)
    np.put_along_axis(whole, places, given, 1)


def arange(out, size, start, step):
    out[:size] = start + np.arange(size) * step


UNARY = "sqrt exp log tanh absolute negative invert log1p isfinite isnan sign sin cos logical_not reciprocal expm1 floor ceil"
BINARY = (
    "add subtract multiply divide power maximum minimum equal not_equal less less_equal greater greater_equal bitwise_and "
    "bitwise_or bitwise_xor floor_divide remainder logical_and logical_or"
)
LAUNCHERS = {
    **{name: elementwise(getattr(np, name), 1) for name in UNARY.split()},
    **{name: elementwise(getattr(np, name), 2) for name in BINARY.split()},
    **{
        f"{name}.reduce": reduction(getattr(np, name))
        for name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or")
    },
    "copy": elementwise(lambda x: x, 1), "where": elementwise(np.where, 3), "fill": fill, "argmax": argmax, "matmul": matmul,
    "take": gather_rows, "add.at": scatter_add_rows, "take_along_axis": take_along, "put_along_axis": put_along,
    "arange": arange,
}  # fmt: skip


@contextlib.contextmanager
def on_host(backend):
    """Let "cuda" be main memory and the kernels NumPy, for a block."""
    before = dict(kernels), pool.memory, devices.backends.get("cuda"), pool.free
    kernels.clear()
    kernels.update(LAUNCHERS)
    pool.memory, pool.free, devices.backends["cuda"] = HostMemory(), type(pool.free)(list), backend
    try:
        yield
    finally:
        kernels.clear()
        kernels.update(before[0])
        pool.memory, devices.backends["cuda"], pool.free = before[1:]
