# %% [markdown]
# # 17b GPU kernels
#
# A GPU runs one function in ten thousand threads at once. Whatever your framework has done so far by NumPy calls can be
# written as such functions, *kernels*: what one thread does to one number, or how a few hundred threads share the work
# on one row. You write the kernels that matter, in Python, with `numba.cuda`.
#
# You need no GPU. Without one, numba's simulator runs the same source, thread by thread, and finds what goes wrong
# silently on a device: two threads that meet in one place of memory, a barrier that some threads never reach, an index
# outside an array. It cannot show time. So this notebook counts what decides the time on a device: lines of memory,
# passes over shared memory, barriers, and instructions, where the compiler is installed.
#
# When you are done you will be able to
#
# - write a kernel that is right for any size, grid and strides;
# - let threads work together, and say where a barrier is needed, and why;
# - multiply matrices in tiles and in registers, and say what each step saves;
# - count from addresses how many trips to memory a warp makes;
# - fuse softmax, attention and AdamW;
# - put your kernels behind NumPy's names, and train a GPT with `model.to("cuda")`.
#
# ## Where it stands
#
# | here | elsewhere | differs in |
# |---|---|---|
# | `@cuda.jit`, `cuda.grid`, `cuda.shared.array`, `cuda.syncthreads` | `__global__`, `blockIdx`, `__shared__`, `__syncthreads()` in CUDA C++ | Python, compiled by numba |
# | `make_map(fn)`, `make_zip(fn)`, `make_reduce(fn, start)` | `TensorIterator` and `Reduce.cuh` inside PyTorch | ours take four dimensions |
# | `matmul_registers` | cuBLAS, which PyTorch calls | no tensor cores |
# | `make_attention(size)` | FlashAttention, behind `scaled_dot_product_attention` | one thread for each query |
# | `adamw_kernel` | `torch.optim.AdamW(..., fused=True)` | one tensor at a time |
# | `bind(name, launcher)` | the dispatcher, with `TORCH_LIBRARY_IMPL` | by NumPy's names |
#
# The first cell asks numba for its simulator where there is no GPU. Blocks are smaller there, since Python runs every
# thread. The tests launch kernels with `run`, on `Buffer`s: arrays on the device, with a margin at either end that no
# kernel may touch. `padded` fills shapes and strides up to four dimensions.

# %%
#| export
import math

import numpy as np

from tinytorch.given.kernels.division import divided
from tinytorch.given.kernels.simulator import SIMULATED, KernelError, cuda
from tinytorch.given.kernels.trying import Buffer, padded, run

THREADS = 32 if SIMULATED else 256  # in a block that shares the work on a row: a power of two
TILE = 8 if SIMULATED else 16  # the side of a tile of the matrix product
ALL_LANES = 0xFFFFFFFF  # a bit for each thread of a warp that takes part in a shuffle

# %%
from tinytorch.given.kernels.counting import compiled, instructions_for
from tinytorch.given.kernels.drawing import (
    draw_blocks, draw_ladder, draw_lines, draw_registers, draw_tiles,
)  # fmt: skip
from tinytorch.given.kernels.simulator import KernelError
from tinytorch.given.kernels.trying import Buffer, padded, product, run, where_kernels_run
from tinytorch.given.predictions import compare


def random(*shape, seed=0, dtype=np.float32):
    """Normal numbers of this shape and type."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


print(where_kernels_run())

# %% [markdown]
# ## 1. One thread, one number
#
# The smallest example doubles. Every thread runs the whole function; `cuda.grid(1)` is its number among all. A kernel
# returns nothing, it writes into the arrays that it is given. These are on the device: `cuda.to_device` copies there,
# `copy_to_host` back.


# %%
@cuda.jit
def double_kernel(out, x):
    i = cuda.grid(1)
    out[i] = x[i] * np.float32(2)


x = cuda.to_device(np.arange(8, dtype=np.float32))
out = cuda.device_array(8, np.float32)
double_kernel[2, 4](out, x)  # 2 blocks of 4 threads
print(out.copy_to_host())

# %% [markdown]
# The brackets say how many threads: a *grid* of 2 *blocks* of 4 threads each. The threads of one block run on one
# processor of the GPU (an H100 has 132) and can share memory; those of different blocks cannot. A block has at most
# 1,024 threads and runs in *warps* of 32, which execute the same instruction at the same moment.
#
# ```
#   grid        block 0               block 1               cuda.gridDim.x  = 2
#               0   1   2   3         0   1   2   3         cuda.threadIdx.x
#   cuda.grid   0   1   2   3         4   5   6   7         blockIdx.x * blockDim.x + threadIdx.x
# ```
#
# Eight numbers fit eight threads. Ten do not: three blocks of four make twelve threads, and two of them are too many.

# %%
x = cuda.to_device(np.arange(10, dtype=np.float32))
out = cuda.device_array(10, np.float32)
if SIMULATED:
    try:
        double_kernel[3, 4](out, x)
    except IndexError as error:
        print(type(error).__name__, error)

# %% [markdown]
# The simulator says so. A device says nothing: it reads and writes whatever stands behind the array, and some time
# later another tensor is wrong. (NVIDIA's `compute-sanitizer` finds it, slowly.)
#
# The usual guard is `if i < size`. A better form takes any size with any grid. Each thread begins at its own number and
# goes on in steps of the whole grid:
#
# $$i = g,\quad g + G,\quad g + 2G,\ \dots\ < \mathrm{size} \qquad g = \mathtt{cuda.grid(1)},\quad G = \mathtt{cuda.gridsize(1)}$$
#
# This is a *grid-stride loop* (Harris, 2013). If there are more threads than numbers, the extra threads do nothing; if
# there are fewer, each thread handles several numbers. And at every moment neighbouring threads touch neighbouring
# numbers, which section 6 will show to matter more than anything else.

# %%
draw_blocks(blocks=2, threads=4, size=19)

# %% [markdown]
# Your first kernel applies a function to every number. The function, `fn`, is a *device function*: decorated with
# `@cuda.jit(device=True)`, called from kernels only. Kernels are made for a function by a maker, since numba compiles
# one for each.
#
# The buffer of a real array may be a part of a larger one. So kernels take offsets: array `x` begins at `x[x_offset]`.
# `size` and the offsets are Python integers, passed by value.
#
# <details><summary>Hint 1</summary>It is a loop over the places that belong to this thread; in its body one number is
# read, and one is written.</details>
# <details><summary>Hint 2</summary>Python's <code>range</code> takes a start, an end and a step; all three stand in the
# formula.</details>
# <details><summary>Hint 3</summary>It starts at <code>cuda.grid(1)</code>, in steps of <code>cuda.gridsize(1)</code>;
# each array has its own offset.</details>


# %% stub="map"
#| export
def make_map(fn):
    """Make the kernel that applies a device function to every number.

    Args:
        fn: a device function of one number.

    Returns:
        A kernel (out, x, size, out_offset, x_offset), right for every grid of one dimension.
        out and x are flat, and may be the same. Neighbouring threads take neighbours.

    >>> negate = cuda.jit(device=True)(lambda x: -x)
    >>> x, out = cuda.to_device(np.float32([1, 2])), cuda.device_array(2, np.float32)
    >>> make_map(negate)[1, 32](out, x, 2, 0, 0)
    >>> out.copy_to_host().tolist()
    [-1.0, -2.0]
    """

    @cuda.jit
    def kernel(out, x, size, out_offset, x_offset):
        ### BEGIN SOLUTION
        for i in range(cuda.grid(1), size, cuda.gridsize(1)):
            out[out_offset + i] = fn(x[x_offset + i])
        ### END SOLUTION

    return kernel


# %% test="map" points=4
@cuda.jit(device=True)
def shifted_square(x):
    return x * x + np.float32(0.5)


def test_map_at_every_size_with_every_grid():
    kernel = make_map(shifted_square)
    for size in (1, 31, 33, 0, 100, 1025):
        for blocks, threads in ((1, 32), (3, 32), (2, 1), (40, 32)):
            if size == 1025 and blocks == 40:
                continue
            x = Buffer(random(size))
            wanted, out = x.array**2 + np.float32(0.5), Buffer.empty(size)
            seen = run(kernel, blocks, threads, out, x, size, out.offset, x.offset)
            np.testing.assert_allclose(
                out.result(), wanted, rtol=1e-6,
                err_msg=f"x * x + 0.5, {size=}, kernel[{blocks}, {threads}]",
            )  # fmt: skip
            x.check_unchanged("x")
            if SIMULATED:
                assert (seen.loads, seen.stores) == (size, size), (
                    f"{size=}, kernel[{blocks}, {threads}]: each number is read once and "
                    f"written once, not {seen.loads} read and {seen.stores} written"
                )


def test_map_begins_at_the_offsets():
    x, out = Buffer(random(40), margin=8), Buffer.empty(40, margin=2)
    wanted = x.array**2 + np.float32(0.5)
    run(make_map(shifted_square), 2, 32, out, x, 40, out.offset, x.offset)
    np.testing.assert_allclose(
        out.result(),
        wanted,
        rtol=1e-6,
        err_msg="x begins at 8 in its buffer, out at 2 in its own",
    )


def test_map_in_place():
    x = Buffer(random(70))
    wanted = x.array**2 + np.float32(0.5)
    run(make_map(shifted_square), 1, 32, x, x, 70, x.offset, x.offset)
    np.testing.assert_allclose(
        x.result(), wanted, rtol=1e-6, err_msg="out and x are one buffer"
    )


def test_neighbouring_threads_take_neighbouring_numbers():
    x, out = Buffer(random(256), margin=0), Buffer.empty(256, margin=0)
    seen = run(make_map(shifted_square), 2, 32, out, x, 256, 0, 0)
    if SIMULATED:
        assert seen.lines <= 24, (
            "256 numbers in and 256 out are 16 lines of 128 bytes, if the threads in "
            f"a warp take neighbours in every step; this kernel asks for {seen.lines}"
        )


def test_map_compiles_for_a_device():
    x, out = Buffer(random(40)), Buffer.empty(40)
    arguments = out, x, 40, out.offset, x.offset
    run(make_map(shifted_square), 1, 32, *arguments, compiled=True)


# %% [markdown]
# ## 2. Strides: two arrays of any layout
#
# A transposed matrix is the same memory read in another order, a broadcast row the same numbers read many times. Module
# 01 put both into *strides*: how far one goes in memory for one step along a dimension. A kernel that understands
# strides adds a column to a transposed matrix without a copy.
#
# Number the results in their order, $i = 0, 1, 2, \dots$ To find the place of number $i$ in an array, take $i$ apart
# into its index, the last dimension first, as one takes a number apart into its digits:
#
# $$d_3 = i \bmod n_3,\quad d_2 = \lfloor i / n_3 \rfloor \bmod n_2,\ \dots \qquad \mathrm{place} = \sum_k d_k s_k$$
#
# A dimension along which an array is broadcast has stride 0. Strides count numbers, not bytes, and may be negative.
#
# ```
#   shape (1, 1, 2, 3)            x, strides (0, 0, 3, 1)      y, a column, strides (0, 0, 1, 0)
#
#   i = 4  ->  d = (0, 0, 1, 1)   place 3 + 1 = 4              place 1 + 0 = 1
# ```
#
# A division is slow: no instruction divides. Python's `//` of two 64-bit numbers becomes some 80 instructions on a
# device, and `%` as many again. `divided(i, n)`, which is given, returns quotient and remainder by one division of 32
# bits, enough below $2^{31}$. The first dimension needs none: what is left of the index is its digit.
#
# <details><summary>Hint 1</summary>In a loop over the dimensions, the remainder is one digit of the index and the
# quotient is what is left.</details>
# <details><summary>Hint 2</summary>Begin with the last dimension and go down to 1: <code>divided</code> by its size
# gives the index for the next one, and a digit, which counts times its stride.</details>
# <details><summary>Hint 3</summary>The kernel is that of <code>make_map</code> with three places in place of
# <code>i</code>, each from its own strides and its own offset, all from the same <code>shape</code>.</details>


# %% stub="zip"
#| export
@cuda.jit(device=True)
def place_of(index, shape, strides):
    """Return where number `index` of an array stands: the sum of its digits x strides.

    Args:
        index: a number from 0 up, less than 2**31, in the order of the last dimension first.
        shape, strides: tuples of equal length, one or more numbers; a stride of 0 broadcasts.
    """
    ### BEGIN SOLUTION
    place = 0
    for dim in range(len(shape) - 1, 0, -1):
        index, digit = divided(index, shape[dim])
        place += digit * strides[dim]
    return place + index * strides[0]
    ### END SOLUTION


#| export
def make_zip(fn):
    """Make the kernel that applies a device function to two arrays, number by number.

    Args:
        fn: a device function of two numbers.

    Returns:
        A kernel (out, x, y, size, shape, out_strides, x_strides, y_strides, out_offset,
        x_offset, y_offset), right for every grid of one dimension. shape is that of the
        result, size its product; x and y may be broadcast, by strides of 0.
    """

    @cuda.jit
    def kernel(
        out,
        x,
        y,
        size,
        shape,
        out_strides,
        x_strides,
        y_strides,
        out_offset,
        x_offset,
        y_offset,
    ):
        ### BEGIN SOLUTION
        for i in range(cuda.grid(1), size, cuda.gridsize(1)):
            a = x[x_offset + place_of(i, shape, x_strides)]
            b = y[y_offset + place_of(i, shape, y_strides)]
            out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
        ### END SOLUTION

    return kernel


# %% test="zip" points=6
@cuda.jit(device=True)
def twice_first_less_second(x, y):
    return x + x - y


@cuda.jit
def places_kernel(out, size, shape, strides):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        out[i] = place_of(i, shape, strides)


def zipped(make, out, x, y, grid=(2, 32)):
    """Let the kernel work on views of three buffers, and return what is in out's."""
    views = [out, x, y]
    whole = [view if view.base is None else view.base for view in views]
    offsets = [
        (view.__array_interface__["data"][0] - base.__array_interface__["data"][0])
        // view.itemsize
        for view, base in zip(views, whole)
    ]
    shape, *strides = padded(
        out.shape, *(tuple(step // view.itemsize for step in view.strides) for view in views)
    )
    buffers = [Buffer(base.ravel("K")) for base in whole]
    starts = [buffer.offset + offset for buffer, offset in zip(buffers, offsets)]
    run(make(twice_first_less_second), *grid, *buffers, out.size, shape, *strides, *starts)
    buffers[1].check_unchanged("x")
    buffers[2].check_unchanged("y")
    base = buffers[0].result().reshape(whole[0].shape)
    return np.lib.stride_tricks.as_strided(base.ravel()[offsets[0] :], out.shape, out.strides)


def test_a_place_is_the_sum_of_digits_and_strides():
    for shape, strides in [
        ((7,), (3,)),
        ((4, 5), (1, 6)),
        ((1, 1, 2, 3), (0, 0, 3, 1)),
        ((1, 1, 2, 3), (0, 0, 1, 2)),
        ((2, 3, 4, 5), (1, 2, 6, 24)),
        ((2, 3, 2, 3), (0, 7, 0, -1)),
    ]:
        index = np.indices(shape).reshape(len(shape), -1)
        wanted, out = np.array(strides) @ index, Buffer.empty(index.shape[1], margin=0)
        run(places_kernel, 1, 32, out, index.shape[1], shape, strides)
        np.testing.assert_array_equal(
            out.result(), wanted, err_msg=f"places in shape {shape} with strides {strides}"
        )


def test_zip_of_two_contiguous_arrays():
    for size in (1, 31, 33, 0, 200):
        x, y = random(size), random(size, seed=1)
        found = zipped(make_zip, np.full(size, 99, np.float32), x, y)
        np.testing.assert_allclose(
            found, 2 * x - y, rtol=1e-5, atol=1e-6, err_msg=f"contiguous, {size=}"
        )


def test_zip_gives_neighbouring_numbers_to_neighbouring_threads():
    x, y, out = (Buffer(random(256), margin=0) for _ in range(3))
    layout = padded((256,), (1,), (1,), (1,))
    seen = run(make_zip(twice_first_less_second), 2, 32, out, x, y, 256, *layout, 0, 0, 0)
    if SIMULATED:
        assert seen.lines <= 36, (
            "256 numbers of x, of y and of out are 24 lines of 128 bytes, if the threads in a "
            f"warp take neighbours in every step; this kernel asks for {seen.lines}"
        )


def test_zip_broadcasts_by_strides():
    for left, right in [
        ((4, 5), (5,)),
        ((4, 1), (1, 6)),
        ((3, 1, 2), (4, 1)),
        ((2, 3, 4, 5), (3, 1, 1)),
    ]:
        x, y = random(*left), random(*right, seed=1)
        wanted = 2 * x - y
        out = np.full(wanted.shape, 99, np.float32)
        found = zipped(make_zip, out, *(np.broadcast_to(a, out.shape) for a in (x, y)))
        np.testing.assert_allclose(
            found, wanted, rtol=1e-5, atol=1e-6, err_msg=f"shapes {left} and {right}"
        )


def test_zip_of_views():
    x, y = random(6, 9), random(9, 6, seed=1)
    for name, a, b in [
        ("transposed y", x, y.T),
        ("transposed x", x.T, y),
        ("every second column", x[:, 1::2], y[:4, ::-1].T[:, ::1]),
        ("reversed rows", x[::-1], y.T),
    ]:
        wanted = 2 * a - b
        found = zipped(make_zip, np.full(wanted.shape, 99, np.float32), a, b)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=name)


def test_zip_writes_by_strides_too():
    x, y = random(5, 7), random(5, 7, seed=1)
    found = zipped(make_zip, np.full((7, 5), 99, np.float32).T, x, y, grid=(1, 32))
    np.testing.assert_allclose(
        found, 2 * x - y, rtol=1e-5, atol=1e-6, err_msg="out is transposed"
    )


def test_zip_compiles_for_a_device():
    x, y, out = (Buffer(random(40), margin=0) for _ in range(3))
    arguments = out, x, y, 40, *padded((40,), (1,), (1,), (1,)), 0, 0, 0
    run(make_zip(twice_first_less_second), 1, 32, *arguments, compiled=True)


# %% [markdown]
# Even so, taking the index apart costs more than most functions. So the framework's launchers
# (`tinytorch/given/kernels/launch.py`) join dimensions that can be walked as one, and give contiguous arrays to a
# kernel like `make_map`'s. Compiled for an H100, a number takes 1,256 instructions by `//` and `%` in four dimensions,
# 100 with `divided`, 60 in two dimensions, and 32 in `make_map`.
#
# ## 3. Threads that work together: a sum
#
# A sum of 1,024 numbers by one thread takes 1,023 additions in a row. A block does it in ten: half of the threads add a
# number of the other half to their own, then half of those, and so on.
#
# ```
#   shared     a0   a1   a2   a3   a4   a5   a6   a7
#   half = 4   a0+a4  a1+a5  a2+a6  a3+a7    .    .    .    .       threads 0 to 3 work
#              -------------------------- barrier
#   half = 2   (a0+a4)+(a2+a6)  (a1+a5)+(a3+a7)  .  .   .    .    .    .
#              -------------------------- barrier
#   half = 1   the sum of all
# ```
#
# The threads see each other's numbers in *shared memory*: some 100 to 200 kB for each processor, which all threads of a
# block see and no other block does. And they need *barriers*: thread 0 must not read `a4` before thread 4 has written
# it. `cuda.syncthreads()` waits until every thread of the block has come so far. Between any two accesses to one place
# by different threads, one of them a write, there has to be a barrier. That rule also forbids the opposite, which is
# often forgotten: to overwrite what another thread has yet to read.
#
# Every thread of a block calls the function below with its own value, and gets the same total. It may be called again
# at once with the same `shared`. So it needs, besides the barriers in the loop, one after `shared[t] = value` and one
# after the total is read: think of what could go wrong without either.
#
# <details><summary>Hint 1</summary>Each thread writes its value to <code>shared[t]</code>. Then <code>half</code> runs
# through 16, 8, 4, 2, 1 (if the block has 32 threads).</details>
# <details><summary>Hint 2</summary>A barrier stands in no <code>if</code> that only some threads enter: all threads go
# around the loop, those with <code>t &lt; half</code> combine, and all wait.</details>
# <details><summary>Hint 3</summary>Barriers: after <code>shared[t] = value</code>; in every round; and after
# <code>total = shared[0]</code>, before it is returned. Begin with <code>half = cuda.blockDim.x // 2</code> and end
# when it is 0.</details>


# %% stub="block-reduce"
#| export
def make_block_reduce(fn):
    """Make the device function with which the threads of a block combine their values.

    Args:
        fn: a device function of two numbers that may be applied in any order, such as a sum.

    Returns:
        A device function (value, shared) that every thread of a block calls, and that gives
        each of them the total. shared is memory with a number for each thread; it may be
        handed over again at once. The block has one dimension, and a power of two threads.
    """

    @cuda.jit(device=True)
    def block_reduce(value, shared):
        ### BEGIN SOLUTION
        t = cuda.threadIdx.x
        shared[t] = value
        cuda.syncthreads()
        half = cuda.blockDim.x // 2
        while half > 0:
            if t < half:
                shared[t] = fn(shared[t], shared[t + half])
            cuda.syncthreads()
            half //= 2
        total = shared[0]
        cuda.syncthreads()
        return total
        ### END SOLUTION

    return block_reduce


# %% test="block-reduce" points=7
@cuda.jit(device=True)
def plus(x, y):
    return x + y


@cuda.jit(device=True)
def larger(x, y):
    return max(x, y)


def block_totals(fn, values, make=make_block_reduce, twice=True, **how):
    """What the threads of two blocks get, of two sums in a row over the same shared memory."""
    block_reduce, threads = make(fn), len(values)
    places = threads if make is make_block_reduce else threads // 32

    @cuda.jit
    def kernel(out, x):
        shared = cuda.shared.array(places, np.float32)
        i = cuda.grid(1)
        out[i] = block_reduce(x[i], shared)
        if twice:
            out[2 * threads + i] = block_reduce(-x[i], shared)

    x, out = Buffer([values, values], margin=0), Buffer.empty(2, 2 * threads, margin=0)
    seen = run(kernel, 2, threads, out, x, **how)
    x.check_unchanged("x")
    return out.result(), seen


def test_the_total_of_one_sum():
    x = random(8)
    wanted, found = x.sum(), block_totals(plus, x, twice=False)[0][0]
    message = "one sum of 8 values, for each thread of two blocks"
    np.testing.assert_allclose(found, np.full(16, wanted), rtol=1e-4, err_msg=message)


def test_every_thread_gets_the_total_of_the_block():
    for threads in (1, 2, 8, 32, 64):
        x = random(threads)
        wanted, found = x.sum(), block_totals(plus, x)[0]
        np.testing.assert_allclose(
            found[0], np.full(2 * threads, wanted), rtol=1e-4, atol=1e-5,
            err_msg=f"the sum of a block's values, for each of its threads: {threads=}",
        )  # fmt: skip
        np.testing.assert_allclose(
            found[1], np.full(2 * threads, -wanted), rtol=1e-4, atol=1e-5,
            err_msg=f"a second sum over the same shared memory, {threads=}",
        )  # fmt: skip


def test_block_reduce_applies_the_function_it_was_given():
    for place in (0, 5, 15):
        x = -1 - np.abs(random(16))
        x[place] = -0.5
        found = block_totals(larger, x)[0]
        np.testing.assert_array_equal(
            found[0],
            np.full(32, -0.5, np.float32),
            err_msg=f"the largest of 16, in place {place}",
        )
        np.testing.assert_array_equal(
            found[1], np.full(32, (-x).max()), err_msg="the second one"
        )


def test_block_reduce_takes_few_rounds_and_compiles_for_a_device():
    block_reduce = make_block_reduce(plus)

    @cuda.jit
    def kernel(out, x):
        shared = cuda.shared.array(64, np.float32)
        out[cuda.threadIdx.x] = block_reduce(x[cuda.threadIdx.x], shared)

    x, out = Buffer(random(64), margin=0), Buffer.empty(64, margin=0)
    seen = run(kernel, 1, 64, out, x, compiled=True)
    if SIMULATED:
        assert seen.shared_requests <= 45, (
            "64 values are combined in 6 rounds, in which the two warps ask shared memory "
            f"some 25 to 40 times; they ask {seen.shared_requests} times: does one thread "
            "go through all of them?"
        )


# %% [markdown]
# ### Without barriers: a warp
#
# The 32 threads of a warp, its *lanes*, execute the same instruction at the same moment, and can read each other's
# variables by a *shuffle*, without shared memory and without a barrier. `cuda.shfl_xor_sync(ALL_LANES, value, k)` gives
# lane l the `value` of lane l xor k. With k = 16, 8, 4, 2, 1 every lane has the total of all 32.
#
# ```
#   lane       0          1          2          3          4          5    ...
#   k = 4    a0 + a4    a1 + a5    a2 + a6    a3 + a7    a4 + a0    a5 + a1
#   k = 2      + lane 2   + lane 3   + lane 0   + lane 1   + lane 6   + lane 7
#   k = 1      + lane 1   + lane 0   + lane 3   + lane 2   + lane 5   + lane 4
# ```
#
# So each warp combines its values, and one of its lanes writes the total to shared memory. Between two barriers each
# thread reads the total of one warp; further rounds combine those. Like a barrier, a shuffle has to be reached by all
# lanes.
# <details><summary>Hint 1</summary>Five rounds without a condition: the new value is the function of one's own and what
# the shuffle gives.</details>
# <details><summary>Hint 2</summary>With t = <code>cuda.threadIdx.x</code>, a thread's warp is <code>t // 32</code>, its
# lane <code>t % 32</code>. Lane 0 writes to the place of its warp. There are <code>cuda.blockDim.x // 32</code>
# warps.</details>
# <details><summary>Hint 3</summary>With a power of two warps, thread t reads the total of warp <code>t % warps</code>;
# the rounds then begin with half the number of warps. There is a barrier before the reading and one after it, as in
# <code>block_reduce</code>.</details>


# %% stub="warp-reduce"
#| export
def make_warp_reduce(fn):
    """Make what `make_block_reduce` makes, for blocks of whole warps, by shuffles.

    Args:
        fn: a device function of two numbers that may be applied in any order.

    Returns:
        A device function (value, shared) that every thread of a block calls, and that gives
        each of them the total. value has 4 or 8 bytes; shared has a number for each warp, and
        may be handed over again at once. The block has a power of two threads, 32 or more.
    """

    @cuda.jit(device=True)
    def warp_reduce(value, shared):
        ### BEGIN SOLUTION
        for k in (16, 8, 4, 2, 1):
            value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))
        t, warps = cuda.threadIdx.x, cuda.blockDim.x // 32
        if t % 32 == 0:
            shared[t // 32] = value
        cuda.syncthreads()
        total = shared[t % warps]
        cuda.syncthreads()
        k = warps // 2
        while k > 0:
            total = fn(total, cuda.shfl_xor_sync(ALL_LANES, total, k))
            k //= 2
        return total
        ### END SOLUTION

    return warp_reduce


# %% test="warp-reduce" points=5
def test_warps_give_every_thread_the_total_of_the_block():
    for threads in (32, 64, 128):
        x = random(threads)
        wanted, found = x.sum(), block_totals(plus, x, make_warp_reduce)[0]
        for sign, row in zip((1, -1), found):
            np.testing.assert_allclose(
                row, np.full(2 * threads, sign * wanted), rtol=1e-4, atol=1e-5,
                err_msg="the sum of a block's values, for each of its threads, and that of "
                f"the negative ones over the same shared memory: {threads=}",
            )  # fmt: skip


def test_warps_apply_the_function_they_were_given():
    for place in (0, 5, 31, 33, 63):
        x = -1 - np.abs(random(64))
        x[place] = -0.5
        found = block_totals(larger, x, make_warp_reduce)[0]
        np.testing.assert_array_equal(
            found[0],
            np.full(128, -0.5, np.float32),
            err_msg=f"the largest of 64, in place {place}",
        )


def test_warps_wait_at_few_barriers():
    seen = block_totals(plus, random(64), make_warp_reduce)[1]
    if SIMULATED:
        assert seen.shuffles, "the lanes of a warp combine their values by shuffles"
        assert seen.barriers <= 12, (
            "4 sums (2 blocks, 2 in each) need 2 barriers each, or 3 where one warp combines "
            f"the totals: {seen.barriers} are too many"
        )
        assert seen.shared_requests <= 32, (
            "2 numbers of a block of 64 go through shared memory, so 4 sums ask it 16 to 24 "
            f"times; this function asks {seen.shared_requests} times"
        )


def test_warps_compile_for_a_device():
    block_totals(plus, random(64), make_warp_reduce, compiled=True)


# %% [markdown]
# **Predict:** a tree of 256 threads has eight rounds, so `block_reduce` waits at ten barriers. At how many does
# `warp_reduce` wait?

# %%
predicted_barriers = None  # a number

# %%
add = cuda.jit(device=True)(lambda x, y: x + y)


def total_of(block_reduce):
    @cuda.jit
    def kernel(out, x):
        shared, t = cuda.shared.array(256, np.float32), cuda.threadIdx.x
        out[t] = block_reduce(x[t], shared)

    return kernel


for make in (make_block_reduce, make_warp_reduce):
    x, out = Buffer(random(256), margin=0), Buffer.empty(256, margin=0)
    seen = run(total_of(make(add)), 1, 256, out, x)
    if SIMULATED:
        print(
            f"{make.__name__}: {seen.barriers} barriers, {seen.shuffles // 8} shuffles "
            f"of each warp, {seen.shared_requests} requests to shared memory"
        )
if SIMULATED:
    compare(predicted_barriers, seen.barriers, "barriers")

# %% [markdown]
# ## 4. Rows of any length
#
# A block has 1,024 threads at most, and a row any number of entries. So each thread first goes through its part of the
# row alone, a grid-stride loop within the block: thread t takes entries t, t + THREADS, t + 2 THREADS, ... and keeps
# one running value. Then the block combines the values of its threads. Where the row is shorter than the block, some
# threads have nothing, and give `start`, the number that changes nothing: 0 for a sum, minus infinity for a maximum.
#
# The rows are dealt out to the blocks in the same way: block b takes rows b, b + gridDim.x, ...
#
# `reduce`, which is given, is your `warp_reduce`; for booleans and what else has less than 4 bytes, which no shuffle
# moves, it is your `block_reduce`.
#
# <details><summary>Hint 1</summary>Three parts for each row: a loop of one thread over its entries;
# <code>reduce</code>; one thread writes.</details>
# <details><summary>Hint 2</summary>Entry <code>i</code> of the row stands at <code>x_offset + row * length + i</code>.
# Every thread calls <code>reduce(total, shared)</code>, one with nothing to add too.</details>
# <details><summary>Hint 3</summary>A thread begins with <code>start</code>, at the entry of its own number, and goes on
# in steps of the block's size.</details>


# %% stub="reduce"
#| export
def make_reduce(fn, start):
    """Make the kernel that combines the entries of each row.

    Args:
        fn: a device function of two numbers that may be applied in any order.
        start: what an empty row gives, such as np.float32(0) for a sum; fn(start, x) is x.

    Returns:
        A kernel (out, x, rows, length, out_offset, x_offset) for blocks of THREADS threads,
        right for any number of blocks. x is (rows, length) and out (rows,).
    """
    kind = np.dtype(type(start))
    shuffles = kind.kind in "if" and kind.itemsize >= 4
    reduce = make_warp_reduce(fn) if shuffles else make_block_reduce(fn)

    @cuda.jit
    def kernel(out, x, rows, length, out_offset, x_offset):
        shared = cuda.shared.array(THREADS, out.dtype)
        for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
            ### BEGIN SOLUTION
            total = start
            for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
                total = fn(total, x[x_offset + row * length + i])
            total = reduce(total, shared)
            if cuda.threadIdx.x == 0:
                out[out_offset + row] = total
            ### END SOLUTION

    return kernel


# %% test="reduce" points=5
def reduced(fn, start, x, blocks):
    """Each row of x combined by a kernel, and what the simulator saw."""
    x, out = Buffer(x), Buffer.empty(len(x), dtype=x.dtype, margin=5)
    sizes = len(x.array), x.array.shape[1], out.offset, x.offset
    seen = run(make_reduce(fn, start), blocks, THREADS, out, x, *sizes)
    x.check_unchanged("x")
    return out.result(), seen


def test_sums_of_rows_of_any_length():
    for rows, length, blocks in [
        (1, 1, 1), (3, 31, 3), (2, 32, 2), (2, 33, 1), (1, 1025, 1), (5, 7, 2), (2, 3, 9),
        (3, 0, 2), (3, 40, 2),
    ]:  # fmt: skip
        x = random(rows, length)
        wanted = x.sum(1)
        found, seen = reduced(plus, np.float32(0), x, blocks)
        np.testing.assert_allclose(
            found, wanted, rtol=1e-4, atol=1e-4,
            err_msg=f"sums of rows, {rows=}, {length=}, {blocks=}",
        )  # fmt: skip
        if SIMULATED:
            assert seen.loads == x.size, (
                f"{rows=}, {length=}: {x.size} reads are wanted, not {seen.loads}"
            )


def test_maxima_begin_with_minus_infinity():
    for length in (5, 33, 100):
        x = -1 - np.abs(random(4, length))
        wanted = x.max(1)
        found, _ = reduced(larger, np.float32(-np.inf), x, 2)
        np.testing.assert_array_equal(
            found, wanted, err_msg=f"maxima of 4 rows of {length}, all negative"
        )
    found, _ = reduced(larger, np.float32(-3), np.zeros((2, 0), np.float32), 1)
    np.testing.assert_array_equal(found, [-3, -3], err_msg="a row of nothing gives start, -3")


def test_integers_stay_integers():
    x = np.arange(40, dtype=np.int64).reshape(2, 20) + 2**40
    wanted = x.sum(1)
    found, _ = reduced(plus, np.int64(0), x, 2)
    np.testing.assert_array_equal(found, wanted, err_msg="sums of int64 are exact")


@cuda.jit(device=True)
def both(x, y):
    return x and y


def test_booleans_are_combined():
    x = np.arange(80).reshape(2, 40) != 50
    found, _ = reduced(both, np.bool_(True), x, 1)
    np.testing.assert_array_equal(found, [True, False], err_msg="whether all of a row holds")


def test_neighbouring_threads_take_neighbouring_entries():
    x, out = Buffer(random(1, 512), margin=0), Buffer.empty(1, margin=0)
    seen = run(make_reduce(plus, np.float32(0)), 1, THREADS, out, x, 1, 512, 0, 0)
    if SIMULATED:
        assert seen.lines <= 20, (
            "a row of 512 numbers is 16 lines of memory, if the threads take neighbours "
            f"in every step; this kernel asks for {seen.lines}"
        )


def test_reduce_compiles_for_a_device():
    x, out = Buffer(random(2, 40)), Buffer.empty(2)
    kernel = make_reduce(plus, np.float32(0))
    run(kernel, 1, THREADS, out, x, 2, 40, out.offset, x.offset, compiled=True)


# %% [markdown]
# One block for each row leaves a GPU idle when there is one long row. Then each of a few hundred blocks sums a part,
# and another launch, the only barrier between blocks, sums their results: `reduce_kernel` in `launch.py`.
#
# A tree also adds numbers of like size, so its rounding errors grow with the number of its rounds, not with that of the
# numbers. Your kernel is a tree at its end only; that is enough to see it:

# %%
ones = np.full((1, 20_000), 0.1, np.float32)
one_by_one = np.float32(0)
for each in ones[0]:
    one_by_one += each
x, out = Buffer(ones, margin=0), Buffer.empty(1, margin=0)
run(make_reduce(add, np.float32(0)), 1, THREADS, out, x, 1, 20_000, 0, 0)
by_tree, exact = out.result()[0], 20_000 * float(ones[0, 0])
for name, total in (("one after another", one_by_one), ("your kernel", by_tree)):
    print(f"20,000 times 0.1, {name}: {total:.4f}, off by {abs(total - exact):.4f}")

# %% [markdown]
# ## 5. The matrix product
#
# One thread for each number of the result: thread (row, column) goes along a row of a and down a column of b.
# `cuda.grid(2)` gives two numbers, x first, and x should be the column: neighbouring threads then read neighbouring
# numbers of b.
#
# The arguments of all product kernels are tuples. `sizes` is (m, n, k), for out (m, n) = a (m, k) times b (k, n). A
# *layout* says where a matrix is: its offset, the step from row to row, the step from column to column. So a transposed
# matrix is one with its two steps exchanged. Three further numbers serve batches of products: blocks with another z
# work on another matrix. `matrix_of` reads those, once for each thread; with what it returns, `at` finds an entry.


# %%
#| export
@cuda.jit(device=True)
def matrix_of(layout):
    """The matrix that this block works on: its start, step of rows, step of columns.

    layout: (offset, step of rows, step of columns, outer step, inner step, count). A batch has
    two dimensions, the inner one of `count` matrices; z of the grid is outer * count + inner.
    """
    outer, inner = divided(cuda.blockIdx.z, layout[5])
    return layout[0] + outer * layout[3] + inner * layout[4], layout[1], layout[2]


#| export
@cuda.jit(device=True)
def at(matrix, row, column):
    """The place of an entry. The mask says that it is not negative: no x[-1] as in Python."""
    return (matrix[0] + row * matrix[1] + column * matrix[2]) & 0x3FFFFFFFFFFFFFFF


# %% [markdown]
# <details><summary>Hint 1</summary><code>column, row = cuda.grid(2)</code>. The grid is rounded up to whole blocks:
# some threads are outside of the result.</details>
# <details><summary>Hint 2</summary>a[row, i] stands at <code>at(a_matrix, row, i)</code>, which is given.</details>
# <details><summary>Hint 3</summary>Keep the sum in <code>total = np.float32(0)</code>: with a bare <code>0.0</code> it
# is a float64 on a device. Write it once, at the end.</details>


# %% stub="matmul-naive"
#| export
@cuda.jit
def matmul_naive(out, a, b, sizes, out_layout, a_layout, b_layout):
    """Multiply matrices: a thread for each number of the result, in blocks of two dimensions.

    Args:
        out, a, b: flat buffers of float32.
        sizes: (m, n, k); a is (m, k), b (k, n), out (m, n).
        out_layout, a_layout, b_layout: for `matrix_of`. x of the grid runs along the columns.
    """
    m, n, k = sizes
    a_matrix, b_matrix = matrix_of(a_layout), matrix_of(b_layout)
    out_matrix = matrix_of(out_layout)
    ### BEGIN SOLUTION
    column, row = cuda.grid(2)
    if row < m and column < n:
        total = np.float32(0)
        for i in range(k):
            total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        out[at(out_matrix, row, column)] = total
    ### END SOLUTION


# %% test="matmul-naive" points=3
def check_product(kernel, side, m, n, k, transposed="", **how):
    a, b = random(m, k), random(k, n, seed=1)
    wanted = a @ b
    found, seen = product(kernel, a, b, side, transposed, **how)
    np.testing.assert_allclose(
        found, wanted, rtol=1e-4, atol=1e-4,
        err_msg=f"({m}, {k}) times ({k}, {n}) in blocks of {side} x {side} threads"
        + (f", where {transposed} is stored column by column" if transposed else ""),
    )  # fmt: skip
    return seen


def check_batch(kernel, side):
    """Two products in one launch: blocks with another z have other matrices."""
    a, b, out = random(2, 3, 4), random(2, 4, 5, seed=1), Buffer.empty(2, 3, 5)
    layouts = [(3, x.shape[2], 1, x[0].size, 0, 1) for x in (out.array, a, b)]
    run(kernel, (1, 1, 2), (side, side), out, Buffer(a), Buffer(b), (3, 5, 4), *layouts)
    for z, found, wanted in zip(range(2), out.result(), a @ b):
        np.testing.assert_allclose(
            found, wanted, rtol=1e-4, atol=1e-4,
            err_msg=f"product {z} of a batch: `matrix_of` knows a block's matrices",
        )  # fmt: skip


def test_naive_product_of_any_size():
    for m, n, k in [(8, 8, 8), (1, 1, 1), (3, 10, 5), (10, 3, 17), (9, 9, 0)]:
        check_product(matmul_naive, 8, m, n, k)


def test_naive_product_of_transposed_matrices():
    for transposed in ("a", "b", "out", "a b"):
        check_product(matmul_naive, 8, 5, 9, 7, transposed)


def test_naive_products_of_a_batch():
    check_batch(matmul_naive, 8)


def test_naive_product_reads_along_the_rows_of_b():
    seen = check_product(matmul_naive, 8, 16, 16, 16)
    if SIMULATED:
        assert (seen.loads, seen.stores) == (2 * 16**3, 16**2), (
            "16 x 16 x 16: each thread reads 16 of a and 16 of b, and writes once: 8,192 "
            f"read, 256 written; not {seen.loads} and {seen.stores}"
        )
        lines = product(matmul_naive, random(32, 3), random(3, 32, seed=1), 8)[1].lines
        assert lines < 460, (
            "(32, 3) times (3, 32): if neighbours in x take neighbouring columns, they ask "
            f"for some 400 lines of memory; this kernel asks for {lines}: is x the row?"
        )


def test_naive_product_compiles_for_a_device():
    check_product(matmul_naive, 8, 3, 4, 5, compiled=True)


# %% [markdown]
# Count what it reads. For m = n = k = N every thread reads 2 N numbers, all together $2N^3$, and there are only $2
# N^2$: each number comes N times. A GPU that does $67 \cdot 10^{12}$ operations a second and reads $0.8 \cdot 10^{12}$
# numbers a second would do little but wait.
#
# The remedy is module 17's blocked product, by hand. A block computes a tile of the result, TILE x TILE. Its threads
# load one tile of a and one of b into shared memory, each thread one number of each; each number is used TILE times
# from there; then comes the next pair of tiles.
#
# $$\text{reads from memory: } 2N^3 \to \frac{2N^3}{\mathrm{TILE}}$$

# %%
draw_tiles()

# %% [markdown]
# Two barriers in every round. The first: a tile must be complete before anyone uses it. The second: all must have used
# it before anyone overwrites it. With sizes below one tile the second is not missed; try 33 x 33.
#
# At the edges a tile reaches beyond the matrix. Threads there can load a zero, which adds nothing. They must not leave
# early: they are needed at the barriers, and to load.
#
# <details><summary>Hint 1</summary>For each <code>first</code> in <code>range(0, k, TILE)</code>: load, barrier,
# multiply, barrier. Outside of the loop, the total; after it, the result is written, if this thread is
# inside.</details>
# <details><summary>Hint 2</summary>Thread (y, x) loads a[row, first + x] and b[first + y, column], each only if it
# exists: the two conditions differ.</details>
# <details><summary>Hint 3</summary>Where there is no number, the tile gets <code>np.float32(0)</code>, which adds
# nothing; no thread leaves before the barriers. In the sum a row of one tile meets a column of the other.</details>


# %% stub="matmul-tiled"
#| export
@cuda.jit
def matmul_tiled(out, a, b, sizes, out_layout, a_layout, b_layout):
    """Multiply matrices in blocks of (TILE, TILE) threads, through tiles in shared memory.

    Args:
        As those of `matmul_naive`. Every number of a and b is read once by each block that
        needs it. Neighbours in x write neighbouring words of a tile, and read neighbouring
        words, or all the same one.
    """
    m, n, k = sizes
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    b_tile = cuda.shared.array((TILE, TILE), np.float32)
    a_matrix, b_matrix = matrix_of(a_layout), matrix_of(b_layout)
    out_matrix = matrix_of(out_layout)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    ### BEGIN SOLUTION
    zero = np.float32(0)
    total = np.float32(0)
    for first in range(0, k, TILE):
        in_a = row < m and first + x < k
        in_b = first + y < k and column < n
        a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        cuda.syncthreads()
        for i in range(TILE):
            total += a_tile[y, i] * b_tile[i, x]
        cuda.syncthreads()
    if row < m and column < n:
        out[at(out_matrix, row, column)] = total
    ### END SOLUTION


# %% test="matmul-tiled" points=9
def test_tiled_product_within_one_tile():
    for m, n, k in [(1, 1, 1), (TILE, TILE, TILE), (3, 5, 4), (5, 2, 7)]:
        check_product(matmul_tiled, TILE, m, n, k)


def test_tiled_product_of_several_tiles():
    for m, n, k in [(3, 4, 20), (10, 3, 9), (3, 18, 17), (4, 4, 0)]:
        check_product(matmul_tiled, TILE, m, n, k)


def test_tiled_product_of_transposed_matrices():
    for transposed in ("a", "b", "out", "a b"):
        check_product(matmul_tiled, TILE, 5, 10, 9, transposed)


def test_tiled_products_of_a_batch():
    check_batch(matmul_tiled, TILE)


def test_tiled_product_reads_each_number_once_for_each_tile():
    seen = check_product(matmul_tiled, TILE, 16, 16, 16)
    if SIMULATED:
        wanted = 2 * 16**3 // TILE
        assert (seen.loads, seen.stores) == (wanted, 256), (
            f"16 x 16 x 16 in tiles of {TILE}: {wanted} numbers are read and 256 written, not "
            f"{seen.loads} and {seen.stores}"
        )
        assert seen.lines < 115, (
            "16 x 16 x 16: if neighbours in x load neighbouring numbers, they ask for some "
            f"100 lines of memory; this kernel asks for {seen.lines}"
        )


def test_neighbours_in_x_use_neighbouring_words_of_a_tile():
    seen = check_product(matmul_tiled, TILE, 16, 16, 16)
    if SIMULATED:
        passes = seen.shared_passes / seen.shared_requests
        assert seen.shared_passes == seen.shared_requests, (
            "neighbours in x write neighbouring words of a tile, and read neighbours or the "
            f"same one: then shared memory answers in 1 pass, and here in {passes:.2f}"
        )


def test_tiled_product_of_33_by_33():
    check_product(matmul_tiled, TILE, 33, 33, 33, watched=False)


def test_tiled_product_compiles_for_a_device():
    check_product(matmul_tiled, TILE, 3, 4, 5, compiled=True)


# %% [markdown]
# Counted, naive beside tiled, for a product of 32 x 32. `loads` are numbers read from the device's memory, `lines` the
# lines of 128 bytes in which they come.

# %%
side, steps_of = random(32, 32), {}
for name, kernel in (("naive", matmul_naive), ("tiled", matmul_tiled)):
    _, seen = product(kernel, side, side, TILE)
    steps_of[name] = seen
    print(f"{name}: {seen.loads or 0:6,} loads, {seen.lines or 0:5,} lines of memory")

# %% [markdown]
# ### Once more, one level up: registers
#
# Now the product waits for shared memory: each multiplication takes 2 numbers from it, and a processor of an H100 gets
# 32 in the time of 128 multiplications. The remedy is the same, one level up. A thread computes WORK x WORK = 4 x 4
# numbers of the result. It fetches 4 numbers of a and 4 of b into *registers*, where arithmetic has its operands, and
# multiplies each with each: 8 numbers for 16 multiplications.

# %%
draw_registers()

# %% [markdown]
# A block of TILE x TILE threads computes SIDE x SIDE numbers, SIDE = 4 TILE, from slabs DEPTH deep. `a_slab[d, i]` is
# entry (row + i, first + d) of a, stored turned, and `b_slab[d, j]` is entry (first + d, column + j) of b.
# `load_slabs`, which is given, fills both, with zeros beyond the edges. It holds no barrier; the barriers are yours.
#
# A thread's rows are best y, y + TILE, y + 2 TILE, y + 3 TILE, its columns x, x + TILE, ...: neighbouring threads then
# ask for neighbouring words of a slab, and write neighbouring numbers.
#
# `totals` and `left` are `cuda.local.array`s, memory of one thread. They lie in registers if the compiler knows every
# index, as it does in loops over a constant, which it writes out.


# %%
#| export
WORK, DEPTH = 4, 8  # a thread computes WORK x WORK numbers; a slab is DEPTH deep
SIDE = WORK * TILE  # of a block's part of the result
PADDED = SIDE + 4  # against bank conflicts


@cuda.jit(device=True)
def load_slabs(a_slab, b_slab, a, b, a_matrix, b_matrix, corner, first, sizes):
    """Fill the slabs of the block at `corner` (row, column) from `first` on, all threads."""
    zero, (row, column), (m, n, k) = np.float32(0), corner, sizes
    for done in range(0, DEPTH * SIDE, TILE * TILE):
        i = done + TILE * cuda.threadIdx.y + cuda.threadIdx.x
        y, d = divided(i, DEPTH)  # along the rows of a
        in_a = row + y < m and first + d < k
        a_slab[d, y] = a[at(a_matrix, row + y, first + d)] if in_a else zero
        d, x = divided(i, SIDE)  # along the rows of b
        in_b = column + x < n and first + d < k
        b_slab[d, x] = b[at(b_matrix, first + d, column + x)] if in_b else zero


# %% [markdown]
# <details><summary>Hint 1</summary>The frame is that of the tiled product: slabs, barrier, sum over <code>d</code>,
# barrier. After all slabs, a thread writes up to 16 numbers, each only if it is inside.</details>
# <details><summary>Hint 2</summary>For each <code>d</code>: fetch the four numbers of a into <code>left</code>; then
# for each of four columns fetch the number of b once, and add its products with all of <code>left</code> to a column of
# <code>totals</code>.</details>
# <details><summary>Hint 3</summary>Row r of the thread's numbers is in <code>a_slab[d, y + TILE * r]</code>, column c
# in <code>b_slab[d, x + TILE * c]</code>. In the result they stand at <code>row + y + TILE * r</code> and <code>column +
# x + TILE * c</code>, to be compared with m and n.</details>


# %% stub="matmul-registers"
#| export
@cuda.jit
def matmul_registers(out, a, b, sizes, out_layout, a_layout, b_layout):
    """Multiply matrices in blocks of (TILE, TILE) threads, 4 x 4 numbers for each thread.

    Args:
        As those of `matmul_naive`, for a grid of blocks that are SIDE x SIDE numbers each. In
        every step a thread fetches 4 + 4 numbers from the slabs, and multiplies 16 times.

    The loop over the slabs is begun. What a thread does with its slabs goes on in it; behind
    it the thread writes its numbers.
    """
    m, n, k = sizes
    a_matrix, b_matrix = matrix_of(a_layout), matrix_of(b_layout)
    out_matrix = matrix_of(out_layout)
    a_slab = cuda.shared.array((DEPTH, PADDED), np.float32)
    b_slab = cuda.shared.array((DEPTH, SIDE), np.float32)
    totals = cuda.local.array((WORK, WORK), np.float32)
    left = cuda.local.array(WORK, np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = SIDE * cuda.blockIdx.y, SIDE * cuda.blockIdx.x
    for r in range(WORK):
        for c in range(WORK):
            totals[r, c] = np.float32(0)
    for first in range(0, k, DEPTH):
        load_slabs(a_slab, b_slab, a, b, a_matrix, b_matrix, (row, column), first, sizes)
        ### BEGIN SOLUTION
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
            i, j = row + y + TILE * r, column + x + TILE * c
            if i < m and j < n:
                out[at(out_matrix, i, j)] = totals[r, c]
    ### END SOLUTION


# %% test="matmul-registers" points=7
def test_register_product_of_any_size():
    for m, n, k in [(1, 1, 1), (SIDE, SIDE, DEPTH), (3, SIDE + 1, 5), (20, 9, 17), (4, 4, 0)]:
        check_product(matmul_registers, TILE, m, n, k, numbers=SIDE)


def test_register_product_of_several_blocks():
    check_product(matmul_registers, TILE, SIDE + 3, SIDE + 2, 10, numbers=SIDE, watched=False)


def test_register_product_of_transposed_matrices():
    for transposed in ("a", "b", "out"):
        check_product(matmul_registers, TILE, 5, 10, 9, transposed, numbers=SIDE)


def test_register_products_of_a_batch():
    check_batch(matmul_registers, TILE)


def test_register_product_takes_half_a_number_for_a_multiplication():
    seen = check_product(matmul_registers, TILE, SIDE, SIDE, 8, numbers=SIDE)
    if SIMULATED:
        wanted = 2 * SIDE * 8
        assert (seen.loads, seen.stores) == (wanted, SIDE**2), (
            f"({SIDE}, 8) times (8, {SIDE}) in one block: {wanted} numbers are read from "
            f"memory and {SIDE**2} written, not {seen.loads} and {seen.stores}"
        )
        warps, loads = TILE * TILE // 32, 2 * (2 * SIDE * 8 // 32 // 2)
        wanted = warps * 8 * 8 + loads
        assert seen.shared_requests <= wanted, (
            f"8 steps in {warps} warps, each with 4 + 4 requests, and {loads} to fill the "
            f"slabs: {wanted} requests to shared memory, not {seen.shared_requests}"
        )
        assert seen.shared_passes <= seen.shared_requests, (
            "a request to shared memory takes more than one pass: are the numbers of a thread "
            "TILE apart, so that neighbours in x ask for neighbouring words?"
        )
        assert seen.barriers <= 3, f"one slab needs two barriers, not {seen.barriers}"


def test_register_product_compiles_for_a_device():
    check_product(matmul_registers, TILE, 3, 4, 5, numbers=SIDE, compiled=True)


# %% [markdown]
# Counted again, one block's numbers, for a product of 32 x 32:

# %%
_, seen = product(matmul_registers, side, side, TILE, numbers=SIDE)
steps_of["registers"] = seen
for name, seen in steps_of.items():
    print(
        f"{name:10} {seen.loads or 0:6,} loads, {seen.shared_requests or 0:6,} shared requests"
    )

# %% [markdown]
# ## 6. Lines and banks
#
# When the 32 threads of a warp read, they read together, and the device's memory answers in lines of 128 bytes: 32
# float32. If they want 32 neighbours, one line is enough. If each wants a number from a line of its own, 32 lines come,
# and 31 of 32 parts of each are thrown away. This is why `x` is the column everywhere above: it is called *coalescing*.
#
# Shared memory has no lines. It has 32 *banks*: word w (4 bytes) is in bank w mod 32, and each bank gives one word in
# each pass. 32 threads that want words from 32 banks have them in one pass. Two different words of the same bank take
# two passes, a *bank conflict*. The same word for several threads is handed to all at once.
#
# Both can be counted from addresses. The simulator does so in every `run`. You write the count of passes; it is two
# lines.
# <details><summary>Hint 1</summary>Equal words count once: begin with a <code>set</code>.</details>
# <details><summary>Hint 2</summary>How many words fall to each bank? The fullest bank decides.</details>
# <details><summary>Hint 3</summary>A list of <code>word % 32</code> over <code>set(words)</code>, and the largest
# <code>count</code> in it.</details>


# %% stub="bank-passes"
#| export
def bank_passes(words):
    """Count the passes in which shared memory answers a warp.

    Args:
        words: which word each of its threads asks for (word w is bytes 4w to 4w + 3).

    Returns:
        How many different words the bank with the most of them has to give: 1 to 32.

    >>> bank_passes([0, 1, 2, 3]), bank_passes([0, 32, 64, 3]), bank_passes([7, 7, 7, 7])
    (1, 3, 1)
    """
    ### BEGIN SOLUTION
    banks = [int(word) % 32 for word in set(words)]
    return max(banks.count(bank) for bank in banks)
    ### END SOLUTION


# %% test="bank-passes" points=2
def test_passes_of_patterns_that_are_known():
    for name, words, wanted in [
        ("neighbours", range(32), 1),
        ("neighbours, from 5 on", range(5, 37), 1),
        ("every second word", range(0, 64, 2), 2),
        ("every third word", range(0, 96, 3), 1),
        ("a column of a tile 32 wide", range(0, 1024, 32), 32),
        ("a column of a tile 33 wide", range(0, 32 * 33, 33), 1),
        ("one word for all", [40] * 32, 1),
        ("two words of one bank, each many times", [1, 33] * 16, 2),
        ("three words of one bank, one of another", [0, 32, 64, 3], 3),
        ("banks 31 and 0", [31, 32], 1),
        ("one thread", [1000], 1),
    ]:
        words = list(words)
        found = bank_passes(words)
        assert found == wanted, (
            f"{name}, {words[:4]} and so on: {wanted} passes, not {found!r}"
        )
        found = bank_passes(words[::-1])
        assert found == wanted, f"{name}, in reverse order: {wanted} passes, not {found!r}"


# %% [markdown]
# ### A transpose
#
# The kernel that shows both. To write the transpose of a matrix, one of the two sides has to be walked the wrong way:
# rows in and columns out, or columns in and rows out. Here is the first, a thread for each number.
#
# **Predict:** 32 x 32 numbers fill 32 lines. How many lines does it ask for, in and out together?

# %%
predicted_lines = None  # a number


# %%
@cuda.jit
def transpose_directly(out, x, rows, columns):
    column, row = cuda.grid(2)
    if row < rows and column < columns:
        out[column * rows + row] = x[row * columns + column]


x, out = Buffer(random(32, 32), margin=0), Buffer.empty(32, 32, margin=0)
seen = run(transpose_directly, 1, (32, 32), out, x, 32, 32)
if SIMULATED:
    compare(predicted_lines, seen.lines, "lines, where 64 would do")

# %% [markdown]
# So take a detour through shared memory: a block reads a tile of 32 x 32 along its rows, one line for each, keeps it,
# and writes it along the rows of the *result*, one line for each. In shared memory the tile is read down its columns,
# which costs no lines, but now look at the banks: the numbers of a column are 32 words apart, all in one bank. You have
# just counted that: 32 passes. The remedy is one unused column. In a tile 33 wide the column's words are 33 apart, in
# 32 different banks.

# %%
draw_lines()
print([f"{n} wide: {bank_passes(range(0, 32 * n, n))} passes a column" for n in (32, 33, 34)])

# %% [markdown]
# The block has 32 x 8 threads: thread (t, j0) takes four numbers, 8 rows apart, in column t. Block (bx, by) reads the
# tile with its corner at row `32 * by`, column `32 * bx`, and writes the one with its corner at row `32 * bx`, column
# `32 * by` of the result. z of the grid counts matrices, one after another in both buffers; the matrix of this block
# begins `start` numbers behind the first. The tile has the type of the numbers, `out.dtype`.
#
# <details><summary>Hint 1</summary>Two loops over the tile's rows, a block's height apart, the first loads, the second
# stores, with a barrier between. In both, <code>t</code> runs along a row of what is read or written in
# memory.</details>
# <details><summary>Hint 2</summary>In: the block's part of x goes into the tile as it is. Out: row j of its part of
# the result is column j of the tile.</details>
# <details><summary>Hint 3</summary>The result has <code>columns</code> rows of <code>rows</code> numbers: the guard of
# the second loop is the other way round. The tile is (32, 33).</details>


# %% stub="transpose"
#| export
@cuda.jit
def transpose_kernel(out, x, rows, columns, out_offset, x_offset):
    """Write the transposes of matrices, by blocks of (32, 8) threads through a padded tile.

    Args:
        out, x: flat buffers; x holds matrices (rows, columns), one for each block in z, and
            out gets as many of (columns, rows). Both are read and written in whole lines.
    """
    bx, by, j0 = cuda.blockIdx.x, cuda.blockIdx.y, cuda.threadIdx.y
    start = cuda.blockIdx.z * rows * columns
    t = cuda.threadIdx.x
    ### BEGIN SOLUTION
    tile = cuda.shared.array((32, 33), out.dtype)
    for j in range(j0, 32, cuda.blockDim.y):
        row, column = 32 * by + j, 32 * bx + t
        if row < rows and column < columns:
            tile[j, t] = x[x_offset + start + row * columns + column]
    cuda.syncthreads()
    for j in range(j0, 32, cuda.blockDim.y):
        row, column = 32 * bx + j, 32 * by + t
        if row < columns and column < rows:
            out[out_offset + start + row * rows + column] = tile[t, j]
    ### END SOLUTION


# %% test="transpose" points=6
def transposed(x, margin=3):
    """The transposes of matrices (batch, rows, columns) by the kernel, and what was seen."""
    batch, rows, columns = x.shape
    out, x = (
        Buffer.empty(batch, columns, rows, dtype=x.dtype, margin=2 * margin),
        Buffer(x, margin=margin),
    )
    grid = (max(1, -(-columns // 32)), max(1, -(-rows // 32)), batch)
    seen = run(transpose_kernel, grid, (32, 8), out, x, rows, columns, 2 * margin, margin)
    x.check_unchanged("x")
    return out.result(), seen


def test_transposes_of_any_size():
    for shape in [
        (1, 4, 4),
        (1, 3, 10),
        (1, 32, 32),
        (2, 5, 7),
        (1, 33, 31),
        (1, 1, 40),
        (3, 40, 1),
    ]:
        x = random(*shape)
        wanted = x.swapaxes(1, 2)
        np.testing.assert_array_equal(
            transposed(x)[0], wanted, err_msg=f"transposes of {shape}"
        )


def test_a_transpose_keeps_the_type():
    x = np.arange(15, dtype=np.int64).reshape(1, 3, 5) + 2**40
    np.testing.assert_array_equal(
        transposed(x)[0], x.swapaxes(1, 2), err_msg="int64 stays exact"
    )


def test_a_transpose_moves_whole_lines_without_conflicts():
    x = random(1, 32, 32)
    seen = transposed(x, margin=0)[1]
    if SIMULATED:
        assert seen.lines == 64, (
            f"a tile of 32 x 32 is 32 lines in and 32 out; this kernel asks for {seen.lines}"
        )
        assert seen.shared_requests, "the tile goes through shared memory"
        passes = seen.shared_passes / seen.shared_requests
        assert passes == 1, (
            f"a request to shared memory takes {passes:.1f} passes on average, not 1: "
            "which words does a warp ask for, and which banks are they in?"
        )


def test_transpose_compiles_for_a_device():
    x, out = Buffer(random(3, 5), margin=0), Buffer.empty(5, 3, margin=0)
    run(transpose_kernel, (1, 1, 1), (32, 8), out, x, 3, 5, 0, 0, compiled=True)


# %% [markdown]
# ## 7. Softmax in one kernel
#
# Written as separate operations, the softmax of a row is a maximum, a subtraction, an exponential, a sum and a
# division: five launches, each of which reads a matrix from memory, and three of which write one. In one kernel a block
# takes a row and keeps what is between:
#
# $$m = \max_j x_j, \qquad s = \sum_j e^{x_j - m}, \qquad y_i = \frac{e^{x_i - m}}{s}$$
#
# Each thread finds the maximum of its entries, the block that of its threads; then the same with the sum. `block_max`
# and `block_sum` are made with your `make_warp_reduce`. The row is read three times, but the second and third time from
# the processor's cache, if it has at most some ten thousand numbers.


# %%
#| export
@cuda.jit(device=True)
def add(x, y):
    return x + y


@cuda.jit(device=True)
def maximum(x, y):
    return max(x, y)


block_sum, block_max = make_warp_reduce(add), make_warp_reduce(maximum)

# %% [markdown]
# <details><summary>Hint 1</summary>Three loops over the thread's entries, a block's width apart, with a block's
# reduction after the first and after the second.</details>
# <details><summary>Hint 2</summary>The first begins with <code>np.float32(-np.inf)</code> and takes <code>max</code>,
# the second with <code>np.float32(0)</code>.</details>
# <details><summary>Hint 3</summary><code>block_max</code> gives every thread the row's largest, and
# <code>block_sum</code> the sum, so that each can shift and divide its own entries. The exponential is computed a
# second time in the third loop.</details>


# %% stub="softmax"
#| export
@cuda.jit
def softmax_kernel(out, x, rows, columns, out_offset, x_offset):
    """Turn each row of x (rows, columns) into probabilities, by blocks of THREADS threads.

    Right for any number of blocks, logits of any size, -inf among them, and with out and x
    the same. Neighbouring threads take neighbours.
    """
    shared = cuda.shared.array(THREADS, np.float32)
    t = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        x_start, out_start = x_offset + row * columns, out_offset + row * columns
        ### BEGIN SOLUTION
        largest = np.float32(-np.inf)
        for i in range(t, columns, cuda.blockDim.x):
            largest = max(largest, x[x_start + i])
        largest = block_max(largest, shared)
        total = np.float32(0)
        for i in range(t, columns, cuda.blockDim.x):
            total += math.exp(x[x_start + i] - largest)
        total = block_sum(total, shared)
        for i in range(t, columns, cuda.blockDim.x):
            out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        ### END SOLUTION


# %% test="softmax" points=6
def softmax_by_numpy(x):
    exps = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True, initial=-np.inf))
    return exps / exps.sum(-1, keepdims=True)


def softmax_of(x, blocks):
    x, out = Buffer(x), Buffer.empty(*x.shape, margin=5)
    sizes = (*x.array.shape, out.offset, x.offset)
    seen = run(softmax_kernel, blocks, THREADS, out, x, *sizes)
    x.check_unchanged("x")
    return out.result(), seen


def test_softmax_of_rows_of_any_length():
    for rows, columns, blocks in [(1, 1, 1), (2, 31, 2), (3, 33, 2), (5, 8, 7), (4, 70, 1)]:
        x = random(rows, columns)
        found, seen = softmax_of(x, blocks)
        for row, wanted in enumerate(softmax_by_numpy(x)):
            np.testing.assert_allclose(
                found[row], wanted, rtol=1e-5, atol=1e-7,
                err_msg=f"{rows=}, {columns=}, {blocks=}: row {row}",
            )  # fmt: skip
        if SIMULATED:
            assert seen.loads <= (4 * columns + THREADS) * rows, (
                f"three or four times as many reads as numbers will do: {3 * x.size}, and not "
                f"{seen.loads}"
            )
            assert seen.stores <= 2 * x.size, (
                f"{rows=}, {columns=}: {x.size} writes will do, or twice as many where the "
                f"exponentials are kept in out; not {seen.stores}"
            )
    if SIMULATED:
        times = (seen.loads + seen.stores) / x.size
        assert seen.lines < 32 * times, (
            f"4 rows of 70 are read and written {times:.1f} times: if the threads take "
            f"neighbours in every step, they ask for some {25 * times:.0f} lines; this kernel "
            f"asks for {seen.lines}"
        )


def test_softmax_of_large_logits_and_of_minus_infinity():
    x = random(4, 40)
    x[0] += 1000
    x[1] -= 1e32
    x[2, 5:30] = -np.inf
    x[3, -1] = 1000
    names = (
        "around 1000",
        "around -1e32",
        "of which those from 5 to 29 are -inf",
        "with 1000 last",
    )
    for name, row, wanted in zip(names, softmax_of(x, 2)[0], softmax_by_numpy(x)):
        np.testing.assert_allclose(
            row, wanted, rtol=1e-4, atol=1e-7, err_msg=f"a row of 40 logits {name}"
        )


def test_softmax_in_place():
    x = Buffer(random(2, 37))
    wanted = softmax_by_numpy(x.array)
    run(softmax_kernel, 1, THREADS, x, x, 2, 37, x.offset, x.offset)
    np.testing.assert_allclose(x.result(), wanted, rtol=1e-5, atol=1e-7, err_msg="out is x")


def test_softmax_compiles_for_a_device():
    x, out = Buffer(random(2, 40)), Buffer.empty(2, 40)
    sizes = 2, 40, out.offset, x.offset
    run(softmax_kernel, 1, THREADS, out, x, *sizes, compiled=True)


# %% [markdown]
# ## 8. Attention that never holds its scores
#
# Module 12 blocked attention with an *online softmax*: keys come one after another, and the maximum, the sum and the
# mixed value are kept as if the ones so far were all. Here is why that is possible. Let $m$ be the largest score so
# far, $s = \sum_j e^{x_j - m}$ and $o = \sum_j e^{x_j - m} v_j$. A new key with score $x$ and value $v$ changes them to
#
# $$m' = \max(m, x), \qquad s' = s\,e^{m - m'} + e^{x - m'}, \qquad o' = o\,e^{m - m'} + e^{x - m'}\,v$$
#
# and at the end the answer is $o / s$. No row of scores is ever stored (Milakov and Gimelshein, 2018; Dao et al.,
# 2022). The device function below takes one key in. It works on a thread's own memory: `state` holds m and s, `mixed`
# holds o.
#
# <details><summary>Hint 1</summary>Compute the new largest score first, and from it two factors: one shrinks what is
# there, one is the weight of what comes.</details>
# <details><summary>Hint 2</summary>The first key meets m = -inf, s = 0: <code>math.exp(state[0] - largest)</code> is
# then exp(-inf) = 0, which is right by itself.</details>
# <details><summary>Hint 3</summary>Both factors are exponentials of a difference from the new largest score. Compute
# them before you overwrite <code>state[0]</code>; the sum and each entry of <code>mixed</code> are shrunk, and then
# added to.</details>


# %% stub="online-softmax"
#| export
@cuda.jit(device=True)
def take_in(score, values, j, size, state, mixed):
    """Take one key into a softmax that runs: its score, and its value, row j of `values`.

    Args:
        score: x, finite.
        values: an array (some rows, at least `size` columns).
        state: state[0] is m, the largest score so far, -inf at first; state[1] is s. Changed.
        mixed: o, of which `size` numbers count. Changed.
    """
    ### BEGIN SOLUTION
    largest = max(state[0], score)
    shrink = math.exp(state[0] - largest)
    weight = math.exp(score - largest)
    state[0] = largest
    state[1] = state[1] * shrink + weight
    for c in range(size):
        mixed[c] = mixed[c] * shrink + weight * values[j, c]
    ### END SOLUTION


# %% test="online-softmax" points=5
@cuda.jit
def take_in_kernel(out, scores, values, count, size):
    """One thread takes in `count` keys; out gets m, s, and o."""
    tile = cuda.shared.array((16, 8), np.float32)
    state = cuda.local.array(2, np.float32)
    mixed = cuda.local.array(8, np.float32)
    state[0], state[1] = np.float32(-np.inf), np.float32(0)
    for c in range(8):
        mixed[c] = np.float32(0)
    for j in range(count):
        for c in range(size):
            tile[j, c] = values[j * size + c]
        take_in(scores[j], tile, j, size, state, mixed)
        out[2 + 8 + j] = state[1]
    out[0], out[1] = state[0], state[1]
    for c in range(8):
        out[2 + c] = mixed[c]


def taken_in(scores, values, **how):
    count, size = values.shape
    out = Buffer.empty(26, margin=0)
    run(
        take_in_kernel,
        1,
        1,
        out,
        Buffer(scores, margin=0),
        Buffer(values, margin=0),
        count,
        size,
        **how,
    )
    return out.result()


def test_state_and_mixture_are_those_of_all_keys_so_far():
    rising = np.linspace(-3, 4, 9).astype(np.float32)
    for name, scores in [
        ("one score", np.float32([2.5])),
        ("rising scores", rising),
        ("falling scores", rising[::-1].copy()),
        ("random scores, some equal", random(12, seed=2).round()),
        ("scores around 500", random(12, seed=3) * 9 + 500),
        ("scores around -500", random(12, seed=4) * 9 - 500),
    ]:
        values = random(len(scores), 5, seed=5)
        weights = np.exp(scores.astype(np.float64) - scores.max())
        found = taken_in(scores, values)
        assert found[0] == scores.max(), f"{name}: m is {scores.max()}, not {found[0]}"
        np.testing.assert_allclose(found[1], weights.sum(), rtol=1e-4, err_msg=f"{name}: s")
        np.testing.assert_allclose(
            found[2:7], weights @ values, rtol=1e-3, atol=1e-4, err_msg=f"{name}: o"
        )
        np.testing.assert_array_equal(
            found[7:10], 0, err_msg=f"{name}: only the first 5 numbers of `mixed` count"
        )


def test_online_softmax_compiles_for_a_device():
    taken_in(np.float32([1, 2]), random(2, 5), compiled=True, local=True)


# %% [markdown]
# Now the kernel. Each thread has one query, and the block goes through the keys in tiles of 8: all threads load a tile
# of keys and one of values into shared memory, and then each compares its query with these keys, and takes them in. So
# a key is read once for a whole block of queries.
#
# Query and mixture should lie in registers, so the compiler has to know the size of a head: `make_attention(size)`
# makes a kernel for each. Compiled for an H100, a key of 64 numbers then takes some 270 instructions; with the size as
# an argument it takes 2,700, many of which fetch from memory.
#
# `load_tile` and `store_tile` are given: the threads of a block copy `count` rows together, neighbours neighbouring
# numbers. A thread that read its own query from memory would ask for a line of its own, so queries and results go
# through shared memory too. The barriers in the loop over the keys are yours.
#
# With `causal`, query `row` sees keys 0 to `row`. Tiles behind the last of the block's `cuda.blockDim.x` queries are
# seen by none of them: do not load them.


# %%
#| export
KEYS = 8  # in a tile
QUERIES = 32 if SIMULATED else 64  # in a block, at most


@cuda.jit(device=True)
def load_tile(tile, x, start, count, size):
    """Copy `count` rows of `size` numbers from x[start] on, by all threads of a block."""
    i = cuda.threadIdx.x
    while i < count * size:  # range would divide, to know how many rounds there are
        row, column = divided(i, size)
        tile[row, column] = x[start + i]
        i += cuda.blockDim.x


@cuda.jit(device=True)
def store_tile(x, tile, start, count, size):
    """Copy `count` rows of `size` numbers to x[start] and on, by all threads of a block."""
    i = cuda.threadIdx.x
    while i < count * size:
        row, column = divided(i, size)
        x[start + i] = tile[row, column]
        i += cuda.blockDim.x


@cuda.jit(device=True)
def begin(query, mixed, state, rows, size):
    """Take a thread's query out of the block's; its mixture is 0, its state -inf and 0."""
    for c in range(size):
        query[c] = rows[cuda.threadIdx.x, c]
        mixed[c] = np.float32(0)
    state[0], state[1] = np.float32(-np.inf), np.float32(0)


@cuda.jit(device=True)
def finish(rows, mixed, state, size):
    """Put a thread's result, o / s, among the block's."""
    scale = np.float32(1) / state[1]
    for c in range(size):
        rows[cuda.threadIdx.x, c] = mixed[c] * scale


# %% [markdown]
# <details><summary>Hint 1</summary>For each tile: load keys and values, barrier, let this thread's query look at each
# key of the tile, barrier. Threads beyond the last query load and wait like all others, and look at nothing.</details>
# <details><summary>Hint 2</summary>The last tile may have fewer keys: <code>count = min(KEYS, keys - first)</code>. Its
# first row stands at <code>k_start + first * size</code>, for the values <code>v_start + first * size</code>. The last
# query that a block can have is the one before <code>(cuda.blockIdx.x + 1) * cuda.blockDim.x</code>.</details>
# <details><summary>Hint 3</summary>Key j of the tile counts if <code>row &lt; queries and (not causal or first + j
# &lt;= row)</code>. Its score is the sum of <code>query[c] * k_tile[j, c]</code> over <code>range(size)</code>, times
# <code>scale</code>; then <code>take_in</code>.</details>


# %% stub="attention"
#| export
def make_attention(size):
    """Make the kernel of attention for heads of one size.

    Returns:
        A kernel (out, lse, q, k, v, queries, keys, scale, causal, offsets) for blocks of up to
        QUERIES threads, that computes softmax(q kT scale) v without a matrix of scores.

        out, q: (heads, queries, size). lse: (heads, queries). k, v: (heads, keys, size). All
            are flat; y of the grid counts heads, x of the grid queries.
        scale: a float32.
        causal: whether query i sees keys 0 to i only.
        offsets: where out, lse, q, k and v begin in their buffers.
    """
    width = size + 1  # against bank conflicts

    @cuda.jit
    def kernel(out, lse, q, k, v, queries, keys, scale, causal, offsets):
        k_tile = cuda.shared.array((KEYS, size), np.float32)
        v_tile = cuda.shared.array((KEYS, size), np.float32)
        rows = cuda.shared.array((QUERIES, width), np.float32)
        query = cuda.local.array(size, np.float32)
        mixed = cuda.local.array(size, np.float32)
        state = cuda.local.array(2, np.float32)
        row, head = cuda.grid(1), cuda.blockIdx.y
        first_row = cuda.blockIdx.x * cuda.blockDim.x
        here = min(cuda.blockDim.x, queries - first_row)  # queries of this block
        place = head * queries + first_row  # of the block's first query among all
        k_start, v_start = offsets[3] + head * keys * size, offsets[4] + head * keys * size
        load_tile(rows, q, offsets[2] + place * size, here, size)
        cuda.syncthreads()
        if row < queries:
            begin(query, mixed, state, rows, size)
        ### BEGIN SOLUTION
        end = keys
        if causal:
            end = min(keys, (cuda.blockIdx.x + 1) * cuda.blockDim.x)
        for first in range(0, end, KEYS):
            count = min(KEYS, keys - first)
            load_tile(k_tile, k, k_start + first * size, count, size)
            load_tile(v_tile, v, v_start + first * size, count, size)
            cuda.syncthreads()
            for j in range(count):
                if row < queries and (not causal or first + j <= row):
                    score = np.float32(0)
                    for c in range(size):
                        score += query[c] * k_tile[j, c]
                    take_in(score * scale, v_tile, j, size, state, mixed)
            cuda.syncthreads()
        ### END SOLUTION
        if row < queries:
            finish(rows, mixed, state, size)
            lse[offsets[1] + head * queries + row] = state[0] + math.log(state[1])
        cuda.syncthreads()
        store_tile(out, rows, offsets[0] + place * size, here, size)

    return kernel


# %% test="attention" points=9
def attended(q, k, v, scale, causal, threads=8, **how):
    """Attention by the kernel: the result, the logarithms of denominators, what was seen."""
    heads, queries, size = q.shape
    out, lse = Buffer.empty(*q.shape, margin=5), Buffer.empty(heads, queries, margin=2)
    inputs = [Buffer(q, margin=1), Buffer(k, margin=4), Buffer(v, margin=6)]
    offsets = tuple(buffer.offset for buffer in (out, lse, *inputs))
    sizes = queries, k.shape[1], np.float32(scale), causal, offsets
    blocks = -(-queries // threads), heads
    seen = run(make_attention(size), blocks, threads, out, lse, *inputs, *sizes, **how)
    for name, buffer in zip("qkv", inputs):
        buffer.check_unchanged(name)
    return out.result(), lse.result(), seen


def attention_by_numpy(q, k, v, scale, causal):
    scores = q.astype(np.float64) @ k.swapaxes(1, 2) * np.float64(np.float32(scale))
    if causal:
        scores[:, ~np.tri(*scores.shape[1:], dtype=bool)] = -np.inf
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - largest)
    total = weights.sum(-1, keepdims=True)
    return weights / total @ v, (largest + np.log(total))[..., 0]


def check_attention(heads, queries, keys, size, scale, causal, spread=1, threads=8):
    q, k, v = (random(heads, n, size, seed=i) for i, n in enumerate((queries, keys, keys)))
    q *= np.float32(spread)
    wanted = attention_by_numpy(q, k, v, scale, causal)
    *found, seen = attended(q, k, v, scale, causal, threads)
    what = f"{heads=}, {queries=}, {keys=}, {size=}, {scale=}, {causal=}, {threads=}"
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-3, atol=1e-4, err_msg=what)
    np.testing.assert_allclose(
        found[1], wanted[1], rtol=1e-3, atol=1e-4, err_msg=f"log of the denominators: {what}"
    )
    return seen


def test_attention_within_one_tile():
    for queries, keys, size, scale in [
        (1, 1, 1, 1.0),
        (4, 4, 4, 0.5),
        (3, 7, 5, 0.3),
        (8, 2, 3, 1),
    ]:
        check_attention(1, queries, keys, size, scale, False)


def test_attention_over_several_tiles_and_heads():
    check_attention(1, 3, 17, 4, 0.5, False)
    check_attention(2, 11, 9, 3, 0.7, False, threads=4)
    check_attention(3, 2, 16, 5, 0.4, False)


def test_causal_attention():
    check_attention(1, 5, 5, 4, 0.5, True)
    check_attention(2, 18, 18, 3, 0.6, True, threads=16)
    check_attention(1, 9, 13, 2, 0.6, True)


def test_attention_with_large_scores():
    check_attention(1, 4, 12, 4, 1.0, False, spread=100)


def test_attention_reads_a_key_once_for_a_block_of_queries():
    seen = check_attention(1, 8, 20, 4, 0.5, False)
    if SIMULATED:
        wanted = (8 + 20 + 20) * 4
        assert seen.loads == wanted, (
            f"8 queries, 20 keys and 20 values of 4 are {wanted} numbers, each read once by a "
            f"block of 8 threads, not {seen.loads}"
        )


def test_causal_attention_leaves_out_what_no_query_of_a_block_sees():
    seen = check_attention(1, 20, 20, 4, 0.5, True)
    if SIMULATED:
        wanted = (20 + 2 * (8 + 16 + 20)) * 4
        assert seen.loads <= wanted, (
            f"blocks of 8 queries see 8, 16 and all 20 keys: {wanted} numbers with queries "
            f"and values, but {seen.loads} are read: are tiles loaded that are masked whole?"
        )


def test_attention_compiles_for_a_device():
    q = random(1, 3, 4)
    attended(q, q, q, 0.5, True, compiled=True)


# %% [markdown]
# ## 9. AdamW in one pass
#
# As NumPy calls on whole arrays, a step of AdamW makes 30 trips through memory: Adam's 28 (module 07), and two for the
# decay. As a kernel it makes seven: a thread reads a parameter, its gradient and two moments, and writes three of them
# back.
# $$m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad p \leftarrow p - \eta\lambda p - \frac{\eta}{c_1} \frac{m}{\sqrt{v / c_2} + \epsilon}$$
#
# with $c_1 = 1 - \beta_1^t$, $c_2 = 1 - \beta_2^t$ (Loshchilov and Hutter, 2019). What is the same for all numbers is
# computed once, on the host, and the kernel gets it in a tuple of float32: $1 - \beta_1$ and $1 - \beta_2$, too, as
# `new1` and `new2`. Computed from a float32 beta they would lack digits (module 17), and a 1 in the code of a kernel
# would make a float64 of `1 - beta1`.
#
# <details><summary>Hint 1</summary>The loop is the one of <code>make_map</code>; read g, m, v and p into variables
# first.</details>
# <details><summary>Hint 2</summary>The decay takes the parameter as it was before this step, and comes first:
# <code>value -= lr * decay * value</code>.</details>
# <details><summary>Hint 3</summary>The step uses the new m and v, each divided by its correction, c1 or c2; eps is
# added to the root. Then p, m and v are written, and g is not.</details>


# %% stub="adamw"
#| export
@cuda.jit
def adamw_kernel(p, grad, m, v, size, numbers, offsets):
    """Take one step of AdamW, in place.

    Args:
        p, grad, m, v: flat buffers, float32. p, m and v are changed.
        numbers: (lr, beta1, new1, beta2, new2, eps, decay, c1, c2), each a float32; new1 is
            1 - beta1, and new2 is 1 - beta2.
        offsets: where p, grad, m and v begin in their buffers.
    """
    lr, beta1, new1, beta2, new2, eps, decay, c1, c2 = numbers
    ### BEGIN SOLUTION
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        g, value = grad[offsets[1] + i], p[offsets[0] + i]
        m_new = beta1 * m[offsets[2] + i] + new1 * g
        v_new = beta2 * v[offsets[3] + i] + new2 * g * g
        value -= lr * decay * value
        value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
    ### END SOLUTION


# %% test="adamw" points=3
def test_steps_of_adamw():
    for size, lr, beta1, beta2, eps, decay in [
        (33, 0.1, 0.9, 0.999, 1e-8, 0.0),
        (70, 0.02, 0.8, 0.95, 1e-3, 0.5),
        (0, 0.1, 0.9, 0.99, 1e-8, 0.1),
    ]:
        p, m, v = random(size), np.zeros(size, np.float32), np.zeros(size, np.float32)
        buffers = {
            n: Buffer(x, margin=2 + i)
            for i, (n, x) in enumerate([("p", p), ("m", m), ("v", v)])
        }
        p, m, v = (x.astype(np.float64) for x in (p, m, v))
        for step in (1, 2, 3):
            grad = Buffer(random(size, seed=step), margin=7)
            g, c1, c2 = grad.array.astype(np.float64), 1 - beta1**step, 1 - beta2**step
            m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
            p = p - lr * decay * p - lr / c1 * m / (np.sqrt(v / c2) + eps)
            numbers = lr, beta1, 1 - beta1, beta2, 1 - beta2, eps, decay, c1, c2
            numbers = tuple(map(np.float32, numbers))
            order = buffers["p"], grad, buffers["m"], buffers["v"]
            offsets = tuple(buffer.offset for buffer in order)
            seen = run(adamw_kernel, 2, 32, *order, size, numbers, offsets)
            grad.check_unchanged("grad")
            for name, wanted in (("m", m), ("v", v), ("p", p)):
                np.testing.assert_allclose(
                    buffers[name].result(name), wanted, rtol=4e-6,
                    atol=1e-12 if name == "v" else 2e-6,
                    err_msg=f"{name} of {size} numbers after step {step}: {lr=}, {beta1=}, "
                    f"{beta2=}, {eps=}, {decay=}",
                )  # fmt: skip
            if SIMULATED:
                assert (seen.loads <= 8 * size, seen.stores <= 6 * size) == (True, True), (
                    f"{size=}: {4 * size} reads and {3 * size} writes will do, and more than "
                    f"twice as many are too many: {seen.loads} and {seen.stores}"
                )
                times = (seen.loads + seen.stores) // size if size else 0
                assert seen.lines <= times * (size // 32 + 4), (
                    f"{size=}: {seen.lines} lines of memory are too many: threads that are "
                    "neighbours take neighbouring numbers in every step"
                )


def test_adamw_compiles_for_a_device():
    p, grad, m, v = (Buffer(np.abs(random(40, seed=i)), margin=0) for i in range(4))
    numbers = (np.float32(0.1),) * 9
    run(adamw_kernel, 1, 32, p, grad, m, v, 40, numbers, (0, 0, 0, 0), compiled=True)


# %% [markdown]
# That was the last kernel. What goes like one of yours is given, in `tinytorch/given/kernels/`, made of your device
# functions: layer norm and the gradient of softmax (`rows.py`), gather, scatter with atomic additions (`updates.py`),
# `im2col` (`images.py`), and the launchers (`launch.py`), which choose grids and the faster of two kernels.

# %%
#| export
from tinytorch.given.kernels.functions import *
from tinytorch.given.kernels.launch import *
from tinytorch.given.kernels.rows import *
from tinytorch.given.kernels.images import *
from tinytorch.given.kernels.updates import *
from tinytorch.given.kernels.table import *  # bind: which kernel computes what
from tinytorch.given.kernels.array import *  # CudaArray
from tinytorch.given.kernels.numpy_functions import *  # what NumPy's functions are on it
from tinytorch.given.kernels.binding import *  # switch_on: "cuda" as a device of tensors

# %% [markdown]
# ## 10. Behind NumPy's names
#
# Your framework calls `np.exp`, `x + y`, `x.sum(0)` without asking whether these arrays are NumPy's. But NumPy asks:
# where an argument has a method `__array_ufunc__`, NumPy computes nothing and calls that method, with the function that
# was wanted (NEP 13). `CudaArray`, given, has it. It owns a flat buffer on the device and, as in module 01, a shape,
# strides and an offset.
#
# ```
#   np.exp(x)  ->  x.__array_ufunc__(np.exp, "__call__", x)  ->  bound("exp")(out, x, shape, strides, ...)
#   x + y                                                        bound("add")(out, x, y, shape, ...)
#   x.sum(0)                                                     bound("add.reduce")(out, x, ...)
# ```
#
# So a device is a table, from NumPy's names to launchers of kernels. `bind(name, launcher)` writes an entry.
# `bound(name)` finds it, and refuses what is not there by its name. It could let NumPy compute on the host instead;
# then every program would run, some a hundred times slower, and no one would know why.
#
# | to be bound | launcher | runs your |
# |---|---|---|
# | each name of `UNARY`, a dict from names to device functions | `map_kernel(function)` | `make_map` |
# | each name of `BINARY`, the same for two numbers | `zip_kernel(function)` | `make_zip` |
# | each name of `REDUCTIONS`, a dict from names to (function, start); with `.reduce` behind the name | `reduce_kernel(function, start)` | `make_reduce` |
# | `"copy"`, also into another order in memory | `map_kernel(IDENTITY)` | `make_map` |
# | `"matmul"` | `matmul` | `matmul_tiled`, `matmul_registers` |
#
# A launcher looks at the strides, chooses a grid, and launches a kernel. All of them are given, in `launch.py`. What
# else a model needs (filling, indices, gradients in one launch) is bound by the given part.
#
# <details><summary>Hint 1</summary><code>UNARY.items()</code> gives a name and its device function; <code>bind</code>
# gets the name and what <code>map_kernel</code> makes of the function.</details>
# <details><summary>Hint 2</summary>An item of <code>REDUCTIONS</code> has a name, and a pair of a function and a start;
# its name in the table ends in <code>.reduce</code>.</details>
# <details><summary>Hint 3</summary><code>bind</code> wants the launcher <code>matmul</code> itself. Copying is the map
# of <code>IDENTITY</code>.</details>


# %% stub="bind-kernels"
#| export
def bind_kernels():
    """Bind launchers of your kernels to NumPy's names, as the table above says.

    >>> bind_kernels()
    >>> "exp" in kernels, "maximum.reduce" in kernels
    (True, True)
    """
    ### BEGIN SOLUTION
    for name, function in UNARY.items():
        bind(name, map_kernel(function))
    for name, function in BINARY.items():
        bind(name, zip_kernel(function))
    for name, (function, start) in REDUCTIONS.items():
        bind(f"{name}.reduce", reduce_kernel(function, start))
    bind("copy", map_kernel(IDENTITY))
    bind("matmul", matmul)
    ### END SOLUTION


# %% test="bind-kernels" points=4
def check_on_device(about, function, *arrays):
    """Compare a function of NumPy's on the device with what it gives on the host.

    The table is empty before, so that only what you and the given part bind is in it.
    """
    with np.errstate(all="ignore"):
        wanted = function(*arrays)
    kernels.clear()
    switch_on()
    try:
        found = function(*map(CudaArray, arrays)).to_host()
    except NotImplementedError as error:
        raise AssertionError(f"{about}: {error}") from None
    except TypeError as error:
        raise AssertionError(f"{about}: what is bound to it fails: {error}") from None
    finally:
        switch_off()
    assert found.dtype == wanted.dtype, f"{about} is {wanted.dtype}, not {found.dtype}"
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6, err_msg=about)


def operands(name, *shapes):
    """Positive numbers, or booleans for what asks whether something holds."""
    if name.startswith(("logical", "bitwise", "invert")):
        return [random(*shape, seed=i) > 0 for i, shape in enumerate(shapes)]
    return [np.abs(random(*shape, seed=i)) + np.float32(0.5) for i, shape in enumerate(shapes)]


def test_functions_of_one_number_are_bound():
    for name in UNARY:
        check_on_device(f"np.{name}(x)", getattr(np, name), *operands(name, (5,)))


def test_functions_of_two_numbers_are_bound():
    for name in BINARY:
        function = getattr(np, name)
        check_on_device(f"np.{name}(x, y)", function, *operands(name, (2, 3), (3,)))


def test_reductions_are_bound_with_what_they_begin_with():
    for name in REDUCTIONS:
        for shape in ((2, 5), (5, 2)):
            (x,) = operands(name, shape)
            x = ~x if x.dtype == bool else -x
            reduce = getattr(np, name).reduce
            check_on_device(
                f"np.{name}.reduce of {shape} along 1", lambda x, r=reduce: r(x, axis=1), x
            )


def test_products_and_copies_are_bound():
    a, b = random(3, 5), random(5, 2, seed=1)
    bind_kernels()
    assert not hasattr(kernels.get("matmul"), "forall"), (
        "what is bound to matmul is a kernel, and not a launcher, which chooses a grid for it"
    )
    check_on_device("a @ b, of (3, 5) and (5, 2)", np.matmul, a, b)
    check_on_device("a copy of x.T, in its own order", lambda x: x.T.copy(), a)


# %% [markdown]
# What nobody has bound is refused, by its name:

# %%
switch_on()  # a device, or the simulator, behind the name "cuda"
try:
    np.arctan(CudaArray(np.ones(3, np.float32)))
except NotImplementedError as error:
    print(error)

# %% [markdown]
# ### A model on your kernels
#
# `.to("cuda")` puts a CudaArray into a Tensor, and the operations, gradients and optimizers of modules 01 to 13 run on
# it, for all they ask NumPy for is in the table. Below, a GPT of one layer is trained twice from the same start, on the
# CPU with NumPy and on "cuda". The losses agree to the last digits, which depend on the order of sums.
# `attention_forward` and `adamw_step` launch your fused kernels, as in module 17.

# %%
from tinytorch.optimizers import AdamW
from tinytorch.tensor import manual_seed, randint
from tinytorch.transformer import GPT, GPTConfig, next_token_loss


def train(place, steps=3):
    """The losses of a tiny GPT, step by step, on a device."""
    manual_seed(0)
    config = GPTConfig(11, 4, n_layer=1, n_head=2, n_embd=4, dropout=0.0)
    model, tokens = GPT(config).to(place), randint(0, 11, (2, 5)).to(place)
    optimizer, losses = AdamW(model.parameters(), lr=0.05), []
    for _ in range(steps):
        launched.clear()
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens[:, :-1]), tokens[:, 1:])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


on_cpu, on_device = train("cpu"), train("cuda")
for step, (one, other) in enumerate(zip(on_cpu, on_device)):
    print(f"step {step}: loss {one:.6f} on the CPU, {other:.6f} with your kernels")
np.testing.assert_allclose(on_device, on_cpu, atol=1e-5)
print(f"{sum(launched.values())} launches in a step:", dict(sorted(launched.items())))
switch_off()

# %% [markdown]
# ## Systems: what bounds a kernel
#
# A kernel is bound by memory or by arithmetic, as in modules 14 and 17. Below, lines that each kernel asks for, beside
# the fewest that would do: every input read once, every output written once.


# %%
def fewest(*counts):
    """Lines for arrays of so many float32."""
    return sum(-(-count // 32) for count in counts)


def count_all():
    """(name, lines asked for, fewest lines, floating point operations) of some kernels."""
    n, side = 512, 32
    flat = lambda: Buffer(random(n), margin=0)
    f = cuda.jit(device=True)(lambda x: x * x + x)
    seen = run(make_map(f), 4, 32, flat(), flat(), n, 0, 0)
    yield "map, 512", seen.lines, fewest(n, n), 2 * n
    numbers, state = (np.float32(0.1),) * 9, [flat() for _ in range(4)]
    seen = run(adamw_kernel, 4, 32, *state, n, numbers, (0, 0, 0, 0))
    yield "AdamW, 512", seen.lines, fewest(*[n] * 7), 15 * n
    x, out = Buffer(random(8, 64), margin=0), Buffer.empty(8, 64, margin=0)
    seen = run(softmax_kernel, 8, THREADS, out, x, 8, 64, 0, 0)
    yield "softmax, 8 rows of 64", seen.lines, fewest(n, n), 7 * n
    for name, seen in steps_of.items():  # counted in section 5
        yield f"{name} product, 32", seen.lines, fewest(*[side * side] * 3), 2 * side**3
    q, out = Buffer(random(1, 32, 16), margin=0), Buffer.empty(1, 32, 16, margin=0)
    lse, sizes = Buffer.empty(1, 32, margin=0), (32, 32, np.float32(0.25), False, (0,) * 5)
    seen = run(make_attention(16), (1, 1), 32, out, lse, q, q, q, *sizes)
    yield "attention, 32 of 16", seen.lines, fewest(*[n] * 4), 4 * 32 * 32 * 16


if SIMULATED:
    print(f"{'':24} lines  fewest   operations for a byte, at best")
    for name, lines, least, operations in count_all():
        print(f"{name:24}{lines:6}{least:8}   {operations / (128 * least):6.2f}")

# %% [markdown]
# Read the last column against a machine's balance. An H100 (SXM) is sold with 3.35 TB/s of memory and 67 Tflop/s in
# float32 without tensor cores: 20 operations for each byte. Everything up to softmax is far below, so its time on a
# device is its bytes divided by 3.35 TB/s, if it asks for few lines more than needed. A product of 32 x 32 is below,
# too; for N x N the column grows as N / 6, and from some hundred on the arithmetic decides.
#
# Where the first column exceeds the second, lines are asked for more than once; for softmax, a device's cache answers
# the second and third reading of a row. Where there is a GPU, what you have exported (`make test-module 17b`) is run on
# it below: bytes and operations in a second, beside what it is built for.

# %%
from tinytorch.given.kernels.measuring import on_gpu

print(on_gpu())

# %% [markdown]
# ### The ladder of the product
#
# Each step of section 5 for one multiply-add: bytes from memory, words from shared memory, instructions of the compiled
# loop (PTX), and module 14's roofline: what the memory of an H100 allows. Tiles are 8 wide here, and 16 on a device,
# which halves the bytes.

# %%
ladder, layout = {}, (0, 32, 1, 0, 0, 1)
matrices = [Buffer(random(32, 32), margin=0) for _ in range(3)]
for name, kernel, rounds in (
    ("naive", matmul_naive, 1),
    ("tiled", matmul_tiled, 1),
    ("registers", matmul_registers, DEPTH),
):
    arguments = *matrices, (32, 32, 32), layout, layout, layout
    ladder[name] = steps_of[name], instructions_for(kernel, *arguments, rounds=rounds)
if SIMULATED:
    draw_ladder(ladder, 32**3)

# %% [markdown]
# An H100 reached 1.9, 8.1 and 14.5 of its 67 Tflop/s (4096 x 4096), 3, 12 and 22 %. Counted instructions, loads and
# stores had allowed 4, 17 and 39: they know nothing of waiting. cuBLAS is 3.5 times faster, without the tensor cores.

# %% [markdown]
# ### Where an array lives
#
# Registers have no addresses. An array of a thread lies in them if the compiler knows each index; if not, in *local
# memory*, a part of the device's memory: hundreds of cycles away, where shared memory is some 30.


# %%
def sum_of_eight(known):
    @cuda.jit
    def kernel(out, x, step):
        mine, total = cuda.local.array(8, np.float32), np.float32(0)
        for i in range(8):
            mine[i] = x[i]
        for i in range(8):
            total += mine[i if known else i * step & 7]
        out[0] = total

    return kernel


for known in (True, False):
    if found := compiled(sum_of_eight(known), *matrices[:2], 3):
        print(f"indices known: {known}, {found['local bytes']} bytes in local memory")

# %% [markdown]
# ### Occupancy
#
# A processor need not wait as long as another warp is ready. How many warps it holds is arithmetic: an H100's has
# 65,536 registers, 228 kB of shared memory (a block takes 1 kB for itself), 64 warps and 32 blocks at most. Attention
# has few warps, but many independent multiplications in each.


# %%
def warps_at_once(registers, shared, threads):
    """How many warps of a kernel a processor of an H100 holds; 64 is the most."""
    warps = -(-threads // 32)
    each = -(-32 * registers // 256) * 256  # of a warp: registers come in lots of 256
    return warps * min(65_536 // (each * warps), 233_472 // (shared + 1024), 64 // warps, 32)


for name, *needs in (
    ("tiled product", 32, 2048, 256),
    ("register product", 56, 4224, 256),
    ("attention, heads of 64", 162, 20_736, 64),
):
    print(f"{name:24}{needs[0]:4} registers, {warps_at_once(*needs):3} of 64 warps")

# %% [markdown]
# ### Vector loads
#
# A load moves up to 16 bytes for a thread. Seen as int64, two float32 are copied by one: as many lines, half the
# requests and instructions. (In attention, ptxas makes one load of four neighbours in a tile.)


# %%
@cuda.jit
def copy_kernel(out, x, size):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        out[i] = x[i]


for kind in (np.float32, np.int64):
    x = Buffer(random(512).view(kind), margin=0)
    out = Buffer.empty(x.array.size, dtype=kind, margin=0)
    seen = run(copy_kernel, 2, 32, out, x, x.array.size)
    print(f"512 float32 as {kind.__name__}: {seen.requests} requests for {seen.lines} lines")

# %% [markdown]
# ### Double buffering
#
# With two pairs of tiles, threads load the next pair while the last one is used: arithmetic covers the wait for memory,
# and one barrier in each round is enough. (For sizes that are multiples of TILE.)


# %%
@cuda.jit
def matmul_two_buffers(out, a, b, size):
    a_tiles = cuda.shared.array((2, TILE, TILE), np.float32)
    b_tiles = cuda.shared.array((2, TILE, TILE), np.float32)
    (column, row), x, y = cuda.grid(2), cuda.threadIdx.x, cuda.threadIdx.y
    a_tiles[0, y, x], b_tiles[0, y, x] = a[row * size + x], b[y * size + column]
    now, total = 0, np.float32(0)
    for following in range(TILE, size + TILE, TILE):
        cuda.syncthreads()
        if following < size:
            a_tiles[1 - now, y, x] = a[row * size + following + x]
            b_tiles[1 - now, y, x] = b[(following + y) * size + column]
        for i in range(TILE):
            total += a_tiles[now, y, i] * b_tiles[now, i, x]
        now = 1 - now
    out[row * size + column] = total


out, a, b = matrices
seen = run(matmul_two_buffers, (32 // TILE,) * 2, (TILE, TILE), out, a, b, 32)
np.testing.assert_allclose(out.result(), a.array @ b.array, rtol=1e-3, atol=1e-4)
print(f"barriers: {seen.barriers} with two buffers, {steps_of['tiled'].barriers} with one")

# %% [markdown]
# ### Scan and histogram
#
# A *scan* gives each place the sum of all up to it: 31 additions in a row, or five rounds of a warp, in which a lane
# adds what the lane k below has. A *histogram* counts how often numbers occur. Threads that count in one place of
# memory wait for each other; so each block counts in its shared memory, and adds its counts once.


# %%
@cuda.jit
def scan_kernel(out, x):
    lane = cuda.threadIdx.x
    total = x[lane]
    for k in (1, 2, 4, 8, 16):
        before = cuda.shfl_up_sync(ALL_LANES, total, k)
        if lane >= k:
            total += before
    out[lane] = total


def histogram(private):
    @cuda.jit
    def kernel(out, x, size):
        counts, t = cuda.shared.array(8, np.int64), cuda.threadIdx.x
        if t < 8:
            counts[t] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), size, cuda.gridsize(1)):
            cuda.atomic.add(counts if private else out, x[i], 1)
        cuda.syncthreads()
        if private and t < 8:
            cuda.atomic.add(out, t, counts[t])

    return kernel


x, out = Buffer(random(32), margin=0), Buffer.empty(32, margin=0)
seen = run(scan_kernel, 1, 32, out, x)
np.testing.assert_allclose(out.result(), np.cumsum(x.array), rtol=1e-4, atol=1e-5)
print(f"scan of 32 numbers: {seen.shuffles} shuffles")
x = Buffer(np.random.default_rng(0).integers(0, 8, 500), margin=0)
for private in (False, True):
    out = Buffer(np.zeros(8, np.int64), margin=0)
    seen = run(histogram(private), 4, 32, out, x, 500)
    np.testing.assert_array_equal(out.result(), np.bincount(x.array, minlength=8))
    print(f"histogram, counts of each block's own: {private}, {seen.stores} atomic additions")

# %% [markdown]
# ## Break it
#
# **No second barrier.** The tiled product, without the barrier after the sum (and, to be short, with a tile of a only).
# A thread that is done early loads its part of the next tile while others still read the last. On a device nothing
# tells: the result depends on who is first. Within one tile it is always right, so tests on small sizes never see it.


# %%
@cuda.jit
def without_second_barrier(out, a, b, sizes, out_layout, a_layout, b_layout):
    m, n, k = sizes
    a_matrix, b_matrix = matrix_of(a_layout), matrix_of(b_layout)
    out_matrix = matrix_of(out_layout)
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, k, TILE):
        inside = row < m and first + x < k
        a_tile[y, x] = a[at(a_matrix, row, first + x)] if inside else np.float32(0)
        cuda.syncthreads()
        for i in range(min(TILE, k - first)):
            if column < n:
                total += a_tile[y, i] * b[at(b_matrix, first + i, column)]
    if row < m and column < n:
        out[at(out_matrix, row, column)] = total


for size in (TILE, 33):
    a, b = random(size, size), random(size, size, seed=1)
    try:
        found, _ = product(without_second_barrier, a, b, TILE)
        print(f"{size} x {size}: largest error {np.abs(found - a @ b).max():.1e}")
    except KernelError as error:
        print(f"{size} x {size}: {error}")

# %% [markdown]
# **A barrier that some never reach.** Threads outside of the matrix leave early, which looks tidy. The others wait for
# them at the barrier. What a device does then is undefined.


# %%
@cuda.jit
def leaves_early(out, x, size):
    shared = cuda.shared.array(32, np.float32)
    t = cuda.threadIdx.x
    if t < size:
        shared[t] = x[t]
        cuda.syncthreads()
        out[t] = shared[size - 1 - t]


if SIMULATED:
    x, out = Buffer(random(20)), Buffer.empty(20)
    try:
        leaves_early[1, 32](out.device, x.device, 20)
    except KernelError as error:
        print(error)

# %% [markdown]
# **A float64 by accident.** On a device a literal such as `0.1` is a float64, and a float32 beside it becomes one:
# computed at half the speed on an H100, on most other cards at a thirty-second or sixty-fourth. An integer does the
# same, except as an exponent: `x ** 2` stays float32. `run`, which all tests use, looks for it:


# %%
@cuda.jit
def tenth_kernel(out, x, size):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        out[i] = 0.1 * x[i]


try:
    run(tenth_kernel, 1, 32, Buffer.empty(40, margin=0), Buffer(random(40), margin=0), 40)
except AssertionError as error:
    print(error)

# %% [markdown]
# **Additions that get lost.** Many threads that add to one number read the old value, add, and write, each unaware of
# the others. `cuda.atomic.add` does the three as one. The gradient of an embedding needs it; the order of its
# additions, and so its last digits, change from run to run.


# %%
@cuda.jit
def count_even(out, x, size):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        if x[i] % 2 == 0:
            out[0] += 1


@cuda.jit
def count_even_atomically(out, x, size):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        if x[i] % 2 == 0:
            cuda.atomic.add(out, 0, 1)


for kernel in (count_even, count_even_atomically):
    x, out = Buffer(np.arange(100), margin=0), Buffer(np.zeros(1, np.int64), margin=0)
    try:
        run(kernel, 2, 32, out, x, 100)
        print(f"{kernel.__name__}: {out.result()[0]}, and 50 is right")
    except KernelError as error:
        print(f"{kernel.__name__}: {error}")

# %% [markdown]
# ## In PyTorch
#
# Kernels of this kind stand behind calls that you know:
#
# ```python
# import torch
# import torch.nn.functional as F
#
# device = "cuda" if torch.cuda.is_available() else "cpu"
# x, y = torch.randn(33, 17, device=device), torch.randn(17, device=device)
# x.t() + y[:, None]                                   # make_zip, no copy of x.t()
# x.sum(1), x.amax(1)                                  # make_reduce
# x @ x.t()                                            # matmul: cuBLAS
# x.t().contiguous()                                   # transpose
# torch.softmax(x, 1)                                  # softmax_kernel
# q = torch.randn(1, 4, 64, 16, device=device)
# F.scaled_dot_product_attention(q, q, q, is_causal=True)  # make_attention
# torch.optim.AdamW([x.requires_grad_()], fused=True)      # adamw_kernel
# ```
#
# A kernel runs while Python goes on; `torch.cuda.synchronize()` and every `.item()` wait for it, as numba's
# `copy_to_host` does.
#
# ## Questions
#
# 1. A grid-stride loop lets one block do everything. Why is a grid of a few thousand blocks faster on a device with 132
#    processors?
#
# <details><summary>Answer</summary>
#
# One block runs on one processor: 131 of 132 stand idle. And a warp that waits for memory, some hundreds of cycles, is
# covered only by other warps that are ready; a processor of an H100 holds 64, which is eight blocks of 256 threads. So
# 132 x 8 = 1,056 blocks are the fewest that fill the device, and several times as many even out that some blocks finish
# early. More than that gains nothing: the launchers stop at 2,048, and the loop does the rest.
# </details>
#
# 2. In the tiled product there is no bank conflict for TILE = 32. Which words does a warp ask for in `a_tile[y, i]`,
#    which in `b_tile[i, x]`?
#
# <details><summary>Answer</summary>
#
# The 32 threads of a warp have one y and x from 0 to 31. In `a_tile[y, i]` all ask for one word, which is handed to all
# of them in one pass. In `b_tile[i, x]` they ask for 32 neighbours, one from each bank: one pass again. With `a_tile[x,
# i]` they would ask for words 32 apart, all in one bank: `bank_passes(range(0, 1024, 32))` says 32.
# </details>
#
# 3. What would 8 x 8 numbers for each thread save in the register product, and what cost?
#
# <details><summary>Answer</summary>
#
# For each d a thread would fetch 8 + 8 words for 64 multiplications, 0.25 for each instead of 8 for 16, 0.5. It costs
# 64 registers for the totals instead of 16, so some 48 more than the 56 that the product has now; at 104 a
# processor holds 16 warps of 64 instead of 32 (`warps_at_once(104, 8448, 256)`), fewer to cover waiting. Libraries take
# 8 x 8, and cover the wait by loads far ahead.
# </details>
#
# 4. The keys may be taken in in any order. How would you share one query's keys among several threads?
#
# <details><summary>Answer</summary>
#
# Each thread takes in its own keys and ends with its own maximum m, sum s and mixture o. Two such triples merge as a
# new key does: with M = max(m, m'), the sum is s exp(m - M) + s' exp(m' - M), and the mixtures are added with the same
# factors. That is associative, so a tree or `warp_reduce` can do it. FlashDecoding does so where one query meets a long
# cache and would otherwise leave most of the device idle.
# </details>
#
# **An open problem.** Softmax reached 28 % of an H100's bandwidth; the count allows 72. Give each *warp* a row of its
# own, without barriers and shared memory. A check to start from:


# %%
def check_softmax(kernel, blocks=2):
    x, out = Buffer(random(6, 100), margin=0), Buffer.empty(6, 100, margin=0)
    seen = run(kernel, blocks, 64, out, x, 6, 100, 0, 0)
    exps = np.exp(x.array)
    np.testing.assert_allclose(out.result(), exps / exps.sum(1, keepdims=True), rtol=1e-5)
    return seen.barriers  # 0 is wanted


print(f"barriers of softmax_kernel, a block for each row: {check_softmax(softmax_kernel)}")

# %% [markdown]
# ## To read
#
# - Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops* (NVIDIA, 2013): the loop of section 1.
# - Boehm, *How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance* (2022): what comes after section 5.
# - Dao, Fu, Ermon, Rudra, Ré, *FlashAttention* (2022), section 3: the tiles of section 8, and the proof of its traffic.
# - Milakov, Gimelshein, *Online normalizer calculation for softmax* (2018): the formula behind `take_in`.
#
# ## What comes next
#
# `model.to("cuda")` now trains the models of this course, in the simulator where `NUMBA_ENABLE_CUDASIM=1` is set.
# Module 18 turns to what a GPT computes twice.
