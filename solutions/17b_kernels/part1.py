# %% [markdown]
# # 17b GPU kernels
#
# A GPU runs one function in ten thousand threads at once. Everything that your framework has done so far, one NumPy call after another, can be said in such functions, *kernels*: what one thread does to one number, or how a few hundred threads share the work on one row. In this notebook you write the
# kernels that matter, in Python, with `numba.cuda`.
#
# You need no GPU. Where there is none, numba's simulator runs the same source, thread by thread, and finds what goes wrong silently on a device: two threads that meet in one place of memory, a barrier that not all reach, an index outside an array. What it cannot show is time.
# So this notebook counts: how many lines of memory a kernel asks for, how often it has to wait for a bank. The counts are those of a device, and they decide how fast a kernel is.
#
# When you are done you will be able to
#
# - write a kernel that is right for any size, with any grid, on any strides;
# - let the threads of a block work together through shared memory, and say where a barrier is needed, and why;
# - reduce rows of any length, and multiply matrices in tiles that are read once and used many times;
# - say from the addresses alone how many trips to memory a warp makes, and mend what makes them many;
# - fuse: softmax in one kernel, attention in one kernel that never holds its matrix of scores, AdamW in one pass.
#
# ### Where it stands
#
# | here | elsewhere | differs in |
# |---|---|---|
# | `@cuda.jit`, `cuda.grid`, `cuda.shared.array`, `cuda.syncthreads` | `__global__`, `blockIdx`, `__shared__`, `__syncthreads()` in CUDA C++ | Python, compiled by numba |
# | `make_map(fn)`, `make_zip(fn)`, `make_reduce(fn, start)` | `TensorIterator` and `Reduce.cuh` inside PyTorch, `at::native::gpu_kernel` | ours take four dimensions |
# | `matmul_tiled` | cuBLAS, which PyTorch calls | no tensor cores |
# | `attention_kernel` | FlashAttention, behind `scaled_dot_product_attention` | one thread for each query |
# | `adamw_kernel` | `torch.optim.AdamW(..., fused=True)` | one tensor at a time |
#
# The first cell finds out whether there is a GPU, and if there is none asks numba for its simulator. Blocks are smaller there, since every thread is run by Python.

# %%
#| export

import numpy as np

from tinytorch.given.kernels.simulator import SIMULATED, cuda

THREADS = 32 if SIMULATED else 256  # in a block that shares the work on a row: a power of two
TILE = 8 if SIMULATED else 16  # the side of a tile of the matrix product

# %%

from tinytorch.given.kernels.drawing import draw_blocks
from tinytorch.given.kernels.trying import Buffer, padded, run

print("kernels run", "in numba's simulator" if SIMULATED else "on the GPU")

# %% [markdown]
# ## 1. One thread, one number
#
# The smallest example: a kernel that doubles. Every thread runs the whole function; `cuda.grid(1)` is its number among all. A kernel returns nothing, it writes into the arrays that it is given. These are on the device: `cuda.to_device` copies there, `copy_to_host` back.


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
# The brackets say how many threads: a *grid* of 2 *blocks* of 4 threads each. The threads of one block run on one processor of the GPU (an H100 has 132 of them) and can share memory; those of different blocks know nothing of each other. A block has at most 1,024 threads and runs in *warps* of 32, which
# execute the same instruction at the same moment.
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
# The simulator says so. A device says nothing: it reads and writes whatever stands behind the array, and some time later another tensor is wrong. (`compute-sanitizer` finds it, at a hundredth of the speed. `make test-gpu` runs it where it is installed.)
#
# The usual guard is `if i < size`. A better form takes any size with any grid. Each thread begins at its own number and goes on in steps of the whole grid, until the end:
#
# $$i = g,\quad g + G,\quad g + 2G,\ \dots\ < \mathrm{size} \qquad g = \mathtt{cuda.grid(1)},\quad G = \mathtt{cuda.gridsize(1)}$$
#
# This is a *grid-stride loop* (Harris, 2013). Too many threads have nothing to do, too few come around again. And at every moment neighbouring threads touch neighbouring numbers, which section 6 will show to matter more than anything else.

# %%
draw_blocks(blocks=2, threads=4, size=19)

# %% [markdown]
# Your first kernel applies a function of one number to every number. The function, `fn`, is a *device function*: decorated with `@cuda.jit(device=True)`, called from kernels only. Kernels are made for a function by a maker, since numba compiles one for each.
#
# The buffer of a real array may be a part of a larger one. So kernels take offsets: array `x` begins at `x[x_offset]`. The numbers in `size` and the offsets are Python integers, passed by value. (An array with the shape in it would be copied to the device at each launch.)
#
# <details><summary>Hint 1</summary>It is a loop over the places that belong to this thread; in its body one number is read, and one is written.</details>
# <details><summary>Hint 2</summary>Python's <code>range</code> takes a start, an end and a step; all three stand in the formula.</details>
# <details><summary>Hint 3</summary><code>for i in range(cuda.grid(1), size, cuda.gridsize(1))</code>; then read at <code>x_offset + i</code>.</details>


# %% stub="map"
#| export
def make_map(fn):
    """Make the kernel that applies a device function to every number.

    Args:
        fn: a device function of one number.

    Returns:
        A kernel (out, x, size, out_offset, x_offset), right for every grid of one dimension.
        out and x are flat, and may be the same. Neighbouring threads take neighbouring numbers.

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
def random(*shape, seed=0, dtype=np.float32):
    """Normal numbers of this shape and type."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


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
                err_msg=f"x * x + 0.5 of {size} numbers with {blocks} blocks of {threads} threads",
            )  # fmt: skip
            x.check_unchanged("x")
            if SIMULATED:
                assert (seen.loads, seen.stores) == (size, size), (
                    f"{size} numbers are read once and written once, not {seen.loads} read and "
                    f"{seen.stores} written ({blocks} blocks of {threads} threads)"
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
            "256 numbers in and 256 out are 16 lines of memory of 128 bytes, if the threads of a "
            f"warp take neighbours in every step; this kernel asks for {seen.lines}"
        )


# %% [markdown]
# ## 2. Strides: two arrays of any layout
#
# A transposed matrix is the same memory read in another order, a broadcast row the same numbers read many times. Module 01 put both into *strides*: how far one goes in memory for one step along a dimension. A kernel that understands strides adds a column to a transposed matrix without a copy.
#
# Number the results in their order, $i = 0, 1, 2, \dots$ To find the place of number $i$ in an array, take $i$ apart into its index, the last dimension first, as one takes a number apart into its digits:
#
# $$d_3 = i \bmod n_3,\quad d_2 = \lfloor i / n_3 \rfloor \bmod n_2,\ \dots \qquad \mathrm{place} = \sum_k d_k s_k$$
#
# A shape is a tuple of four here, filled up with ones at the front, the strides filled up with zeros. A dimension along which an array is broadcast has stride 0. Strides count numbers, not bytes, and may be negative.
#
# ```
#   shape (1, 1, 2, 3)            x, strides (0, 0, 3, 1)      y, a column, strides (0, 0, 1, 0)
#
#   i = 4  ->  d = (0, 0, 1, 1)   place 3 + 1 = 4              place 1 + 0 = 1
# ```
#
# <details><summary>Hint 1</summary>In a loop over the dimensions, the remainder is one digit of the index and the quotient is what is left.</details>
# <details><summary>Hint 2</summary>Begin with dimension 3 and go down to 0; <code>index % shape[dim]</code> is multiplied by <code>strides[dim]</code>, then <code>index //= shape[dim]</code>.</details>
# <details><summary>Hint 3</summary>The kernel is that of <code>make_map</code> with three places in place of <code>i</code>, each from its own strides and its own offset, all from the same <code>shape</code>.</details>


# %% stub="zip"
#| export
@cuda.jit(device=True)
def place_of(index, shape, strides):
    """Return where number `index` of an array of this shape stands: the sum of digits x strides.

    Args:
        index: a number from 0 up, in the order of the last dimension first.
        shape, strides: tuples of equal length; strides in numbers, 0 where it is broadcast.
    """
    ### BEGIN SOLUTION
    place = 0
    for dim in range(len(shape) - 1, -1, -1):
        place += index % shape[dim] * strides[dim]
        index //= shape[dim]
    return place
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
        ((1, 1, 2, 3), (0, 0, 3, 1)),
        ((1, 1, 2, 3), (0, 0, 1, 2)),
        ((2, 3, 4, 5), (1, 2, 6, 24)),
        ((2, 3, 2, 3), (0, 7, 0, -1)),
    ]:
        index = np.indices(shape).reshape(4, -1)
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
            found, 2 * x - y, rtol=1e-5, atol=1e-6, err_msg=f"{size} numbers"
        )


def test_zip_broadcasts_by_strides():
    for left, right in [
        ((4, 5), (5,)),
        ((4, 1), (1, 6)),
        ((3, 1, 2), (4, 1)),
        ((2, 3, 4, 5), (3, 1, 1)),
    ]:
        x, y = random(*left), random(*right, seed=1)
        views = [a[...] for a in np.broadcast_arrays(x, y)]
        out = np.full(views[0].shape, 99, np.float32)
        for view, a in zip(views, (x, y)):
            assert view.base is not None or view is a
        found = zipped(make_zip, out, *(np.broadcast_to(a, out.shape) for a in (x, y)))
        np.testing.assert_allclose(
            found, 2 * x - y, rtol=1e-5, atol=1e-6, err_msg=f"shapes {left} and {right}"
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


# %% [markdown]
# Taking an index apart costs two divisions for each dimension and array, more than most functions. So the launchers that the framework uses (`tinytorch/given/kernels/launch.py`) look at the strides first: contiguous arrays go to a kernel like `make_map`'s, and dimensions that can be walked as one are joined.
#
# ## 3. Threads that work together: a sum
#
# A sum of 1,024 numbers by one thread takes 1,023 additions in a row. A block does it in ten: half of the threads add a number of the other half to their own, then half of those, and so on.
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
# The threads see each other's numbers in *shared memory*: some 100 to 200 kB for each processor, which all threads of a block see and no other block does. And they need *barriers*: thread 0 must not read `a4` before thread 4 has written it. `cuda.syncthreads()` waits until every thread of the block
# has come so far. Between any two accesses to one place by different threads, one of them a write, there has to be a barrier. That rule also forbids the opposite: to overwrite what another thread has yet to read. It is the half that is forgotten.
#
# The function below is called by every thread of a block with its own value, and returns the same total to each. It may be called again at once with the same `shared`. So it needs, besides those in the loop, a barrier at the beginning and one at the end: think of what could go wrong without either.
#
# <details><summary>Hint 1</summary>Each thread writes its value to <code>shared[t]</code>. Then <code>half</code> runs through 16, 8, 4, 2, 1 (if the block has 32 threads).</details>
# <details><summary>Hint 2</summary>A barrier stands in no <code>if</code> that only some threads enter: all threads go around the loop, those with <code>t &lt; half</code> combine, and all wait.</details>
# <details><summary>Hint 3</summary>Barriers: after <code>shared[t] = value</code>; in every round; and after <code>total = shared[0]</code>, before it is returned. Begin with <code>half = cuda.blockDim.x // 2</code> and end when it is 0.</details>


# %% stub="block-reduce"
#| export
def make_block_reduce(fn):
    """Make the device function with which the threads of a block combine their values.

    Args:
        fn: a device function of two numbers that may be applied in any order, such as a sum.

    Returns:
        A device function (value, shared) that every thread of a block calls, and that gives each
        of them the total. shared is memory with a number for each thread; it may be handed over
        again at once. The block has one dimension, and a power of two threads.
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


def block_totals(fn, values):
    """What each thread of a block gets, of two sums in a row over the same shared memory."""
    block_reduce = make_block_reduce(fn)

    @cuda.jit
    def kernel(out, x):
        shared = cuda.shared.array(64, np.float32)
        t = cuda.threadIdx.x
        out[t] = block_reduce(x[t], shared)
        out[cuda.blockDim.x + t] = block_reduce(-x[t], shared)

    x, out = Buffer(values, margin=0), Buffer.empty(2, len(values), margin=0)
    run(kernel, 1, len(values), out, x)
    x.check_unchanged("x")
    return out.result()


def test_every_thread_gets_the_total_of_the_block():
    for threads in (1, 2, 8, 32, 64):
        x = random(threads)
        found, wanted = block_totals(plus, x), x.sum()
        np.testing.assert_allclose(
            found[0], np.full(threads, wanted), rtol=1e-4, atol=1e-5,
            err_msg=f"the sum of {threads} threads' values, for each of them",
        )  # fmt: skip
        np.testing.assert_allclose(
            found[1], np.full(threads, -wanted), rtol=1e-4, atol=1e-5,
            err_msg=f"a second sum over the same shared memory, {threads} threads",
        )  # fmt: skip


def test_block_reduce_applies_the_function_it_was_given():
    for place in (0, 5, 15):
        x = -1 - np.abs(random(16))
        x[place] = -0.5
        found = block_totals(larger, x)
        np.testing.assert_array_equal(
            found[0],
            np.full(16, -0.5, np.float32),
            err_msg=f"the largest of 16, in place {place}",
        )
        np.testing.assert_array_equal(
            found[1], np.full(16, (-x).max()), err_msg="the second one"
        )
