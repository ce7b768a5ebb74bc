"""The kernels of module 17b, the learner's and the given: awkward sizes against NumPy, numba's own simulator, and PTX without a GPU."""

import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from tinytorch import kernels
from tinytorch.given.kernels.simulator import SIMULATED, KernelError, cuda, watch
from tinytorch.given.kernels.trying import Buffer

pytestmark = pytest.mark.gpu
SIZES = 0, 1, 31, 33, 1025


def random(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def offsets(**buffers):
    return {f"{name}_offset": buffer.offset for name, buffer in buffers.items()}


@cuda.jit(device=True)
def less(x, y):
    return x - y


@cuda.jit(device=True)
def plus(x, y):
    return x + y


@cuda.jit(device=True)
def larger(x, y):
    return max(x, y)


@cuda.jit(device=True)
def both(x, y):
    return x and y


@cuda.jit(device=True)
def choose(c, x, y):
    return x if c else y


@cuda.jit(device=True)
def negative(x):
    return -x


def strided(x):
    """A view's buffer, the place of its first number in it, and its strides in numbers."""
    base = x if x.base is None else x.base
    buffer = Buffer(base.ravel("K"))
    start = (x.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // x.itemsize
    return buffer, buffer.offset + start, tuple(step // x.itemsize for step in x.strides)


VIEWS = {
    "contiguous": lambda: random(4, 6)[...],
    "transposed": lambda: random(6, 4).T,
    "every second": lambda: random(8, 13)[::2, 1::2],
    "reversed": lambda: random(4, 6)[::-1, ::-1],
    "a row broadcast": lambda: np.broadcast_to(random(6), (4, 6)),
    "a column broadcast": lambda: np.broadcast_to(random(4, 1), (4, 6)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_map_and_zip_of_views(name):
    x = VIEWS[name]()
    wanted = -x
    (buffer, start, strides), out = strided(x), Buffer.empty(4, 6)
    kernels.map_kernel(negative)(out.device, buffer.device, (4, 6), (6, 1), strides, out.offset, start)
    np.testing.assert_array_equal(out.result(), wanted)
    for other in VIEWS:
        y = VIEWS[other]() * 2
        (second, second_start, second_strides), out = strided(y), Buffer.empty(6, 4)
        kernels.zip_kernel(less)(
            out.device, buffer.device, second.device, (4, 6), (1, 4), strides, second_strides,
            out.offset, start, second_start,
        )  # fmt: skip
        np.testing.assert_array_equal(out.result().T, x - y)


@pytest.mark.parametrize("size", SIZES)
def test_flat_launches_of_any_size(size):
    x, y, out = Buffer(random(size)), Buffer(random(size, seed=1)), Buffer.empty(size)
    kernels.map_kernel(negative)(out.device, x.device, (size,), (1,), (1,), out.offset, x.offset)
    np.testing.assert_array_equal(out.result(), -x.array)
    kernels.zip_kernel(less)(
        out.device, x.device, y.device, (size,), (1,), (1,), (1,), out.offset, x.offset, y.offset
    )
    np.testing.assert_array_equal(out.result(), x.array - y.array)


def test_scalars_of_five_dimensions_and_of_none():
    x, out = Buffer(random(2, 3, 2, 3, 2)), Buffer.empty(2, 3, 2, 3, 2)
    shape, strides = x.array.shape, tuple(step // 4 for step in x.array.strides)
    launch = kernels.zip_kernel(less)
    launch(out.device, np.float32(3), x.device, shape, strides, (), strides, out.offset, 0, x.offset)
    np.testing.assert_array_equal(out.result(), 3 - x.array)
    launch(out.device, x.device, np.float32(3), shape, strides, strides, (), out.offset, x.offset)
    np.testing.assert_array_equal(out.result(), x.array - 3)
    x, out = Buffer(random()), Buffer.empty()
    launch(out.device, x.device, x.device, (), (), (), (), out.offset, x.offset, x.offset)
    assert out.result() == 0
    launch(out.device, np.float32(3), np.float32(2), (), (), (), (), out.offset)
    assert out.result() == 1
    with pytest.raises(ValueError, match="four dimensions"):
        launch(out.device, x.device, x.device, (2,) * 5, (1, 3, 9, 27, 81), (1,) * 5, (1,) * 5)


def test_where_with_a_number():
    mask, x, out = Buffer(random(5, 7) > 0), Buffer(random(7)), Buffer.empty(5, 7)
    kernels.zip3_kernel(choose)(
        out.device, mask.device, x.device, np.float32(-1), (5, 7), (7, 1), (7, 1), (0, 1), (),
        out.offset, mask.offset, x.offset,
    )  # fmt: skip
    np.testing.assert_array_equal(out.result(), np.where(mask.array, x.array, -1))


@pytest.mark.parametrize("length", SIZES)
def test_reductions_over_every_axis(length):
    for outer, inner in ((1, 1), (3, 1), (1, 2), (2, 3)):
        x = Buffer(random(outer, length, inner))
        for fn, start, wanted in (
            (plus, 0, x.array.sum(1)),
            (larger, -np.inf, x.array.max(1, initial=-np.inf)),
        ):
            out = Buffer.empty(outer, inner)
            launch = kernels.reduce_kernel(fn, start)
            launch(out.device, x.device, outer, length, inner, out.offset, x.offset)
            np.testing.assert_allclose(out.result(), wanted, rtol=1e-4, atol=1e-4)
        if length:
            out = Buffer.empty(outer, inner, dtype=np.int64)
            kernels.argmax_rows(out.device, x.device, outer, length, inner, out.offset, x.offset)
            np.testing.assert_array_equal(out.result(), x.array.argmax(1))


def test_one_long_row_is_shared_among_blocks():
    x, out = Buffer(random(10_001)), Buffer.empty()
    kernels.reduce_kernel(plus, 0)(out.device, x.device, 1, 10_001, 1, out.offset, x.offset)
    np.testing.assert_allclose(out.result(), x.array.sum(), rtol=1e-3)


def test_reductions_keep_types():
    for fn, start, array in (
        (larger, -np.inf, np.arange(40).reshape(2, 20) - 2**40),
        (plus, 0, np.arange(40).reshape(2, 20) + 2**40),
        (both, np.inf, np.arange(40).reshape(2, 20) > 3),
    ):
        x, out = Buffer(array), Buffer.empty(2, dtype=array.dtype)
        kernels.reduce_kernel(fn, start)(out.device, x.device, 2, 20, 1, out.offset, x.offset)
        wanted = {larger: array.max(1), plus: array.sum(1), both: array.all(1)}[fn]
        np.testing.assert_array_equal(out.result(), wanted)


def test_argmax_takes_the_first_and_nan():
    x = np.float32([[1, 3, 3, 2], [1, np.nan, 5, np.nan], [np.nan, 9, 1, 2]])
    x, out = Buffer(x), Buffer.empty(3, dtype=np.int64)
    kernels.argmax_rows(out.device, x.device, 3, 4, 1, out.offset, x.offset)
    np.testing.assert_array_equal(out.result(), [1, 1, 0])


@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 3, 0), (3, 10, 9), (33, 33, 5), (40, 35, 17)])
def test_products(sizes):
    m, n, k = sizes
    a, b, out = Buffer(random(k, m)), Buffer(random(k, n, seed=1)), Buffer.empty(m, n)
    where = {"a_offset": a.offset, "b_offset": b.offset, "out_offset": out.offset}
    kernels.matmul(out.device, a.device, b.device, m, n, k, (1, m), (n, 1), **where)
    np.testing.assert_allclose(out.result(), a.array.T @ b.array, rtol=1e-4, atol=1e-4)


def test_products_in_batches_with_strides():
    q, k = random(2, 5, 3, 4), random(2, 7, 3, 4, seed=1)  # (B, T, H, d), read as (B, H, T, d)
    left, right, out = Buffer(q), Buffer(k), Buffer.empty(2, 3, 5, 7)
    kernels.matmul(
        out.device, left.device, right.device, 5, 7, 4, (12, 1), (1, 12), batch=(2, 3), a_batch=(60, 4),
        b_batch=(84, 4), **offsets(a=left, b=right, out=out),
    )  # fmt: skip
    wanted = np.einsum("bqhd,bkhd->bhqk", q, k)
    np.testing.assert_allclose(out.result(), wanted, rtol=1e-4, atol=1e-4)
    shared, out = Buffer(random(4, 6)), Buffer.empty(3, 5, 6)
    x = Buffer(random(3, 5, 4))
    kernels.matmul(
        out.device, x.device, shared.device, 5, 6, 4, (4, 1), (6, 1), batch=(3,), a_batch=(20,), b_batch=(0,),
        **offsets(a=x, b=shared, out=out),
    )  # fmt: skip
    np.testing.assert_allclose(out.result(), x.array @ shared.array, rtol=1e-4, atol=1e-4)


def test_transposed_copies():
    for shape in ((1, 33, 31), (3, 2, 40), (2, 0, 3)):
        x, out = Buffer(random(*shape)), Buffer.empty(shape[0], shape[2], shape[1])
        kernels.transpose_copy(out.device, x.device, *shape[1:], shape[0], out.offset, x.offset)
        np.testing.assert_array_equal(out.result(), x.array.swapaxes(1, 2))


@pytest.mark.parametrize("rows, columns", [(0, 5), (1, 1), (3, 31), (5, 33), (2, 70)])
def test_softmax_and_its_gradient(rows, columns):
    x, grad = Buffer(random(rows, columns)), Buffer(random(rows, columns, seed=1))
    y, dx = Buffer.empty(rows, columns), Buffer.empty(rows, columns)
    kernels.softmax_rows(y.device, x.device, rows, columns, y.offset, x.offset)
    exps = np.exp(x.array)
    p = exps / exps.sum(1, keepdims=True)
    np.testing.assert_allclose(y.result(), p, rtol=1e-5, atol=1e-7)
    kernels.softmax_rows_backward(
        dx.device, y.device, grad.device, rows, columns, **offsets(dx=dx, y=y, grad=grad)
    )
    wanted = p * (grad.array - (p * grad.array).sum(1, keepdims=True))
    np.testing.assert_allclose(dx.result(), wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 31), (5, 33), (2, 70)])
def test_layer_norm_and_its_gradients(rows, columns):
    x, grad = random(rows, columns) * 2 + 5, random(rows, columns, seed=1)
    weight, bias = random(columns, seed=2), random(columns, seed=3)
    buffers = {
        name: Buffer(array, margin)
        for margin, (name, array) in enumerate(
            {"x": x, "grad": grad, "weight": weight, "bias": bias}.items(), 2
        )
    }
    out = {name: Buffer.empty(*shape, margin=margin) for margin, (name, shape) in enumerate(
        {"out": x.shape, "mean": (rows,), "rstd": (rows,), "dx": x.shape}.items(), 3)}  # fmt: skip
    sums = {name: Buffer(np.ones(columns, np.float32)) for name in ("dweight", "dbias")}
    every = buffers | out | sums
    names = "out", "mean", "rstd", "x", "weight", "bias"
    kernels.layer_norm_rows(
        *(every[name].device for name in names),
        rows,
        columns,
        1e-5,
        **offsets(**{n: every[n] for n in names}),
    )
    x64, scale = x.astype(np.float64), 1 / np.sqrt(x.astype(np.float64).var(1, keepdims=True) + 1e-5)
    normed = (x64 - x64.mean(1, keepdims=True)) * scale
    np.testing.assert_allclose(out["out"].result(), normed * weight + bias, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(out["mean"].result(), x64.mean(1), rtol=1e-5)
    np.testing.assert_allclose(out["rstd"].result(), scale[:, 0], rtol=1e-3)
    names = "dx", "dweight", "dbias", "grad", "x", "mean", "rstd", "weight"
    kernels.layer_norm_rows_backward(
        *(every[name].device for name in names), rows, columns, **offsets(**{n: every[n] for n in names})
    )
    g = grad * weight
    wanted = scale * (g - g.mean(1, keepdims=True) - normed * (g * normed).mean(1, keepdims=True))
    np.testing.assert_allclose(out["dx"].result(), wanted, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(sums["dweight"].result(), 1 + (grad * normed).sum(0), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(sums["dbias"].result(), 1 + grad.sum(0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal):
    q, k, v = random(2, 11, 5), random(2, 17, 5, seed=1), random(2, 17, 5, seed=2)
    every = {name: Buffer(x) for name, x in (("q", q), ("k", k), ("v", v))}
    out, lse = Buffer.empty(2, 11, 5), Buffer.empty(2, 11)
    kernels.attention_forward(
        out.device, lse.device, *(b.device for b in every.values()), 2, 11, 17, 5, 0.4, causal,
        **offsets(out=out, lse=lse, **every),
    )  # fmt: skip
    scores = q @ k.swapaxes(1, 2) * 0.4
    scores[:, ~np.tri(11, 17, dtype=bool) if causal else np.zeros((11, 17), bool)] = -np.inf
    exps = np.exp(scores)
    total = exps.sum(-1, keepdims=True)
    np.testing.assert_allclose(out.result(), exps / total @ v, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(lse.result(), np.log(total)[..., 0], rtol=1e-3, atol=1e-4)


def test_rows_of_tables():
    for index_type in (np.int64, np.int32):
        table, index = Buffer(random(5, 7)), Buffer(np.array([3, 0, 3, 3, 4], index_type))
        out, grad = Buffer.empty(5, 7), Buffer(random(5, 7, seed=1))
        kernels.gather_rows(
            out.device, table.device, index.device, 5, 7, **offsets(out=out, table=table, index=index)
        )
        np.testing.assert_array_equal(out.result(), table.array[index.array])
        wanted = table.array.copy()
        np.add.at(wanted, index.array, grad.array)
        with watch():  # which sees additions that are not atomic
            kernels.scatter_add_rows(
                table.device, grad.device, index.device, 5, 7, **offsets(table=table, grad=grad, index=index)
            )
        np.testing.assert_allclose(table.result(), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "kernel, stride, padding, dilation",
    [((3, 3), (1, 1), (1, 1), (1, 1)), ((2, 3), (2, 1), (0, 2), (1, 2)), ((1, 1), (3, 2), (0, 0), (1, 1))],
)
def test_im2col_and_col2im(kernel, stride, padding, dilation):
    x = random(2, 3, 7, 6)
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)))
    rows, columns = (
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, s, p, d in zip((7, 6), kernel, stride, padding, dilation)
    )

    def taps(array):
        for i, j in np.ndindex(*kernel):
            y, z = i * dilation[0], j * dilation[1]
            yield (
                (i, j),
                array[:, :, y : y + stride[0] * rows : stride[0], z : z + stride[1] * columns : stride[1]],
            )

    wanted = np.stack([part[:, :, :rows, :columns] for _, part in taps(padded)], 2).reshape(
        2, -1, rows * columns
    )
    x, out = Buffer(x), Buffer.empty(*wanted.shape)
    window = 2, 3, 7, 6, kernel, stride, padding, dilation
    kernels.im2col(out.device, x.device, *window, out.offset, x.offset)
    np.testing.assert_array_equal(out.result(), wanted)
    grad, dx = Buffer(random(*wanted.shape, seed=1)), Buffer.empty(2, 3, 7, 6)
    kernels.col2im(dx.device, grad.device, *window, dx.offset, grad.offset)
    back, parts = np.zeros_like(padded), grad.array.reshape(2, 3, *kernel, rows, columns)
    for (i, j), part in taps(back):
        part[:, :, :rows, :columns] += parts[:, :, i, j]
    inside = back[:, :, padding[0] : padding[0] + 7, padding[1] : padding[1] + 6]
    np.testing.assert_allclose(dx.result(), inside, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("decoupled", [True, False])
def test_steps_of_adam_and_adamw(decoupled):
    p, grad = random(33), random(33, seed=1)
    every = {"p": Buffer(p), "grad": Buffer(grad), "m": Buffer(p * 0), "v": Buffer(p * 0)}
    kernels.adamw_step(
        *(b.device for b in every.values()), 33, 0.1, 0.9, 0.99, 1e-8, 0.3, 1, decoupled, **offsets(**every)
    )
    g = grad if decoupled else grad + np.float32(0.3) * p
    wanted = (p - 0.1 * 0.3 * p if decoupled else p) - 0.1 * g / (np.abs(g) + 1e-8)
    np.testing.assert_allclose(every["p"].result(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not SIMULATED, reason="the simulator's own checks")
class TestSimulator:
    def test_numbas_own_scheduler_gives_the_same(self):
        from numba.cuda.simulator import kernel as numbas

        before = numbas.BlockManager
        program = (
            "import os, numpy as np; os.environ['NUMBA_ENABLE_CUDASIM'] = '1'; from numba.cuda.simulator import kernel as n;"
            "own = n.BlockManager; from tinytorch import kernels; n.BlockManager = own; TILE = kernels.TILE;"
            "a = np.arange(11 * 9, dtype=np.float32) % 7; b = np.arange(9 * 10, dtype=np.float32) % 5; out = np.zeros(110, np.float32);"
            "kernels.matmul_tiled[(2, 2), (TILE, TILE)](out, a, b, (11, 10, 9), (0, 10, 1, 0, 0, 1), (0, 9, 1, 0, 0, 1), (0, 10, 1, 0, 0, 1));"
            "assert (out.reshape(11, 10) == a.reshape(11, 9) @ b.reshape(9, 10)).all();"
            "x = np.arange(6 * 40, dtype=np.int16) % 11; y = np.zeros(6, np.int16);"  # by block_reduce: numba's has no shuffles
            "kernels.make_reduce(kernels.add, np.int16(0))[2, kernels.THREADS](y, x, 6, 40, 0, 0);"
            "assert (y == x.reshape(6, 40).sum(1)).all()"
        )
        assert before.__module__.endswith("simulator")
        subprocess.run([sys.executable, "-P", "-W", "ignore", "-c", program], check=True, env=environment())

    def test_a_failing_thread_is_named_and_the_next_launch_works(self):
        @cuda.jit
        def kernel(out):
            cuda.syncthreads()
            if cuda.threadIdx.x == 5:
                out[99] = 1

        out = cuda.device_array(4, np.float32)
        with pytest.raises(IndexError, match=r"out of bounds.*thread 5 of block \(0, 0, 0\)"):
            kernel[1, 8](out)
        kernel[1, 4](out)

    def test_two_barriers_are_not_one(self):
        @cuda.jit
        def kernel(out):
            if cuda.threadIdx.x < 3:
                cuda.syncthreads()
            else:
                cuda.syncthreads()

        said = "of 8 threads wait at a barrier that the others never reach"
        with pytest.raises(KernelError, match=said) as refused:
            kernel[1, 8](cuda.device_array(4, np.float32))
        line = next(entry for entry in refused.traceback if entry.name == "kernel").statement
        assert str(line).strip() == "cuda.syncthreads()"

    def test_blocks_do_not_share_memory_and_a_block_has_at_most_1024_threads(self):
        @cuda.jit
        def kernel(out):
            shared = cuda.shared.array(1, np.float32)
            if cuda.blockIdx.x == 0:
                shared[0] = 1
            out[cuda.blockIdx.x] = shared[0]

        with pytest.raises(KernelError, match="nothing was ever written"):
            kernel[2, 1](cuda.device_array(2, np.float32))
        with pytest.raises(KernelError, match="at most 1,024"):
            kernel[1, 1100](cuda.device_array(2, np.float32))

    def test_shuffles_read_the_lanes_that_a_device_reads(self):
        @cuda.jit
        def kernel(out, x):
            t, size, all_lanes = cuda.threadIdx.x, cuda.blockDim.x, 0xFFFFFFFF
            out[t] = cuda.shfl_down_sync(all_lanes, x[t], 3)
            out[size + t] = cuda.shfl_up_sync(all_lanes, x[t], 3)
            out[2 * size + t] = cuda.shfl_xor_sync(all_lanes, x[t], 5)
            out[3 * size + t] = cuda.shfl_sync(all_lanes, x[t], 34)

        x, out, lane = random(64), cuda.device_array(4 * 64, np.float32), np.arange(64) % 32
        with watch() as seen:
            kernel[1, 64](out, cuda.to_device(x))
        warp = np.arange(64) - lane
        sources = (
            np.where(lane < 29, lane + 3, lane),
            np.where(lane > 2, lane - 3, lane),
            lane ^ 5,
            2 + 0 * lane,
        )
        np.testing.assert_array_equal(
            out.copy_to_host().reshape(4, 64), [x[warp + source] for source in sources]
        )
        assert (seen.shuffles, seen.barriers) == (8, 0)

    def test_barriers_are_counted_for_each_block(self):
        @cuda.jit
        def kernel(out):
            cuda.syncthreads()
            cuda.syncthreads()

        with watch() as seen:
            kernel[3, 4](cuda.device_array(1, np.float32))
        assert seen.barriers == 6

    def test_races_are_found_in_any_order(self):
        @cuda.jit
        def down(out):
            shared = cuda.shared.array(8, np.float32)
            shared[cuda.threadIdx.x] = 1
            out[cuda.threadIdx.x] = shared[min(7, cuda.threadIdx.x + 1)]

        @cuda.jit
        def up(out):
            shared = cuda.shared.array(8, np.float32)
            shared[cuda.threadIdx.x] = 1
            out[cuda.threadIdx.x] = shared[max(0, cuda.threadIdx.x - 1)]

        for kernel in (down, up):
            with pytest.raises(KernelError):
                kernel[1, 8](cuda.device_array(8, np.float32))


def environment(**changes):
    folders = [path for path in sys.path if path]
    return os.environ | {"PYTHONPATH": os.pathsep.join(folders)} | changes


# Kernels whose loop over numbers takes indices apart: by `divided`, which is 32 bits.
DIVIDING = {
    "zip", "zip in two dimensions", "strided map", "zip with a number", "zip of three", "im2col", "gather", "scatter",
}  # fmt: skip
COMPILE = """
import warnings
from unittest import mock

warnings.simplefilter("ignore")
mock.patch("numba.cuda.dispatcher.get_current_device", lambda: mock.Mock(compute_capability=(8, 0))).start()
import re

from numba import cuda

from tinytorch.given.kernels.signatures import SIGNATURES, types_of


def loops(ptx):
    "The parts of a program that are gone over again, and hold no other such part."
    lines, labels, found = ptx.splitlines(), {}, []
    for number, line in enumerate(lines):
        if label := re.match(r"(\\$L\\S+):", line):
            labels[label[1]] = number
    for number, line in enumerate(lines):
        jump = re.search(r"bra(?:\\.uni)?\\s+(\\$L\\w+);", line)
        if jump and labels.get(jump[1], number) < number:
            found.append((labels[jump[1]], number))
    inner = [(a, z) for a, z in found if not any(a <= b and y <= z and (a, z) != (b, y) for b, y in found)]
    return ["\\n".join(lines[a:z]) for a, z in inner]


def shown(name, kernel, signature):
    ptx, _ = cuda.compile_ptx(kernel.py_func, signature, cc=(8, 0))
    inside = "\\n".join(loops(ptx))
    divisions = re.findall(r"(?:div|rem)\\.[su](?:32|64)", inside)
    print(name, ".f64" in ptx, ".local" in ptx, ",".join(divisions) or "none", bool(inside), sep="|")


for name, (make, letters) in SIGNATURES.items():
    try:
        shown(name, make(), types_of(letters))
    except Exception as error:
        print(f"{name}: {type(error).__name__} {str(error)[:300]!r}")


@cuda.jit
def wide(out, x, n, count):
    row, total = cuda.local.array(99, "float32"), 0.0
    for j in range(count):
        row[j // n] = x[j]
    for j in range(count):
        total += row[j]
    out[0] = total


shown("wide", wide, types_of("f f i i"))
"""


@pytest.mark.skipif(
    not find_spec("nvidia"), reason="nvidia-nvvm, which compiles kernels, has no wheel for this system"
)
def test_every_kernel_compiles_without_a_gpu_in_float32_and_without_what_is_slow():
    """In a process of its own, in which kernels are a device's and never run."""
    ran = subprocess.run(
        [sys.executable, "-P", "-c", COMPILE],
        env=environment(NUMBA_ENABLE_CUDASIM="0"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = {name: rest for name, *rest in (line.split("|") for line in ran.stdout.splitlines())}
    float64, local, divisions, _ = found.pop("wide")
    assert (float64, local, "div.s64" in divisions) == ("True", "True", True), "or this test sees nothing"
    assert len(found) == 28
    for name, (float64, local, divisions, has_loop) in found.items():
        assert float64 == "False", f"{name} computes in float64"
        assert local == "False", f"{name} keeps arrays outside of the registers"
        assert has_loop == "True", f"{name}: no loop is found"
        wanted = {"div.u32", "rem.u32", "none"} if name in DIVIDING else {"none"}
        assert set(divisions.split(",")) <= wanted, f"{name} divides in its inner loop: {divisions}"
