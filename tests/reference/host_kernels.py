"""Launchers in plain NumPy, over buffers in main memory: what `CudaArray` asks of kernels, at NumPy's speed.

With them in place of the kernels, whole models run through `CudaArray`, its pool and its views, and what it would launch
is counted. They take what the launchers of module 17b take.
"""

import contextlib
from collections import defaultdict

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinytorch.given.acceleration.registry import register_kernel
from tinytorch.given.kernels import binding
from tinytorch.given.kernels.functions import GATES, SLOPES
from tinytorch.given.kernels.fused_functions import FUSED
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

    def address(self, buffer):
        return buffer.ctypes.data

    def synchronize(self):
        pass


def seen(buffer, shape, steps, offset):
    """A view as the kernels see it; of a number, the number."""
    if isinstance(buffer, np.generic):
        return buffer
    assert all(type(n) is int for n in (*shape, *steps, offset)), (
        "sizes, strides and offsets are plain numbers"
    )
    ends = [(n - 1) * step for n, step in zip(shape, steps)]
    first, last = offset + sum(min(e, 0) for e in ends), offset + sum(max(e, 0) for e in ends)
    assert 0 <= first <= last < buffer.size, "a kernel would leave its buffer"
    return as_strided(buffer[offset:], shape, [step * buffer.itemsize for step in steps])


def elementwise(function, count):
    def launch(out, *rest):
        inputs, (shape, out_steps, *steps), offsets = (
            rest[:count],
            rest[count : 2 * count + 2],
            rest[2 * count + 2 :],
        )
        assert isinstance(out, np.ndarray)
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


def block(buffer, offset, *shape):
    """A contiguous part of a buffer, in a shape."""
    return buffer[offset : offset + int(np.prod(shape))].reshape(shape)


def softmax_rows(out, x, rows, columns, out_offset=0, x_offset=0):
    exps = block(x, x_offset, rows, columns)
    exps = np.exp(exps - exps.max(1, keepdims=True))
    block(out, out_offset, rows, columns)[...] = exps / exps.sum(1, keepdims=True)


def softmax_rows_backward(dx, y, grad, rows, columns, dx_offset=0, y_offset=0, grad_offset=0):
    y, grad = block(y, y_offset, rows, columns), block(grad, grad_offset, rows, columns)
    block(dx, dx_offset, rows, columns)[...] = y * (grad - (y * grad).sum(1, keepdims=True))


def layer_norm_rows(
    out, mean, rstd, x, weight, bias, rows, columns, eps, x_offset=0, weight_offset=0, bias_offset=0
):
    x, w, b = (
        block(x, x_offset, rows, columns),
        block(weight, weight_offset, columns),
        block(bias, bias_offset, columns),
    )
    mean[:rows] = x.mean(1)
    rstd[:rows] = 1 / np.sqrt(x.var(1) + eps)
    out[: x.size] = ((x - x.mean(1, keepdims=True)) * rstd[:rows, None] * w + b).ravel()


def layer_norm_rows_backward(
    dx, dweight, dbias, grad, x, mean, rstd, weight, rows, columns, dbias_offset=0, grad_offset=0, x_offset=0,
    weight_offset=0,
):  # fmt: skip
    x, g, w = (
        block(x, x_offset, rows, columns),
        block(grad, grad_offset, rows, columns),
        block(weight, weight_offset, columns),
    )
    n, scaled = (x - mean[:rows, None]) * rstd[:rows, None], g * w
    block(dweight, 0, columns)[...] += (g * n).sum(0)
    block(dbias, dbias_offset, columns)[...] += g.sum(0)
    part = scaled - scaled.mean(1, keepdims=True) - n * (scaled * n).mean(1, keepdims=True)
    dx[: x.size] = (part * rstd[:rows, None]).ravel()


def attention_forward(
    out, lse, q, k, v, heads, queries, keys, size, scale, causal, q_offset=0, k_offset=0, v_offset=0
):
    q = block(q, q_offset, heads, queries, size)
    k, v = block(k, k_offset, heads, keys, size), block(v, v_offset, heads, keys, size)
    scores = q @ k.swapaxes(1, 2) * np.float32(scale)
    if causal:
        scores = np.where(np.arange(queries)[:, None] >= np.arange(keys), scores, -np.inf)
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    lse[: heads * queries] = (np.log(exps.sum(-1)) + scores.max(-1)).ravel()
    out[: q.size] = (exps / exps.sum(-1, keepdims=True) @ v).ravel()


def unfolded(x, kernel, stride, padding, dilation):
    """Images (N, C, H, W) as views (N, C, kh, kw, rows, columns) of themselves with a margin, and these."""
    (ph, pw), (sh, sw), (dh, dw), (kh, kw) = padding, stride, dilation, kernel
    around = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    rows, columns = (
        (around.shape[2] - dh * (kh - 1) - 1) // sh + 1,
        (around.shape[3] - dw * (kw - 1) - 1) // sw + 1,
    )
    n, c, h, w = around.strides
    shape = (*x.shape[:2], kh, kw, rows, columns)
    return around, as_strided(around, shape, (n, c, h * dh, w * dw, h * sh, w * sw))


def im2col(
    out, x, images, channels, height, width, kernel, stride, padding, dilation, out_offset=0, x_offset=0
):
    _, windows = unfolded(
        block(x, x_offset, images, channels, height, width), kernel, stride, padding, dilation
    )
    out[out_offset : out_offset + windows.size] = windows.ravel()


def col2im(dx, columns, images, channels, height, width, kernel, stride, padding, dilation, columns_offset=0):
    around, windows = unfolded(
        np.zeros((images, channels, height, width), dx.dtype), kernel, stride, padding, dilation
    )
    given, (top, left) = block(columns, columns_offset, *windows.shape), padding
    for i, j, r, c in np.ndindex(windows.shape[2:]):
        windows[:, :, i, j, r, c] += given[:, :, i, j, r, c]
    inside = around[:, :, top : top + height, left : left + width]
    dx[: inside.size] = inside.ravel()


def adamw_step(
    p, grad, m, v, size, lr, beta1, beta2, eps, weight_decay, step, decoupled=True, p_offset=0, grad_offset=0,
    m_offset=0, v_offset=0,
):  # fmt: skip
    p, g = block(p, p_offset, size), block(grad, grad_offset, size)
    m, v = block(m, m_offset, size), block(v, v_offset, size)
    p *= np.float32(1 - lr * weight_decay)
    m += np.float32(1 - beta1) * (g - m)
    v += np.float32(1 - beta2) * (g * g - v)
    root = (1 - beta2**step) ** 0.5
    p -= np.float32(lr * root / (1 - beta1**step)) * m / (np.sqrt(v) + np.float32(eps * root))


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
    "arange": arange, "softmax_rows": softmax_rows, "softmax_rows_backward": softmax_rows_backward,
    "layer_norm_rows": layer_norm_rows, "layer_norm_rows_backward": layer_norm_rows_backward,
    "attention_forward": attention_forward, "im2col": im2col, "col2im": col2im, "adamw_step": adamw_step,
}  # fmt: skip


@contextlib.contextmanager
def on_host(fused=False):
    """Let "cuda" be main memory, and the learner's kernels NumPy, for a block."""
    before = dict(kernels), pool.memory, pool.free
    pool.memory, pool.free = HostMemory(), defaultdict(list)
    kernels.update(LAUNCHERS)
    try:
        devices.backends["cuda"] = binding.Backend()
        for name in GATES:
            kernels[name] = elementwise(by_element(GATES[name]), 1)
        for name in SLOPES:
            kernels[f"{name}.backward"] = elementwise(by_element(SLOPES[name]), 2)
        if fused:
            binding.handles.extend([register_kernel(*arguments) for arguments in FUSED])
        yield
    finally:
        binding.switch_off()
        kernels.clear()
        kernels.update(before[0])
        pool.memory, pool.free = before[1:]


def by_element(function):
    """A device function, which the simulator keeps as a Python function, on whole arrays."""
    return np.vectorize(function.fn, otypes=[np.float32])
