# %% [markdown]
# That was the last kernel. What goes like one of yours is given, in `tinytorch/given/kernels/`, made of your device functions: layer norm and the gradient of softmax (`rows.py`), gather, scatter with atomic additions, `im2col` (`images.py`), the product with 4 x 4 numbers for each thread (`products.py`), and the
# launchers (`launch.py`), which choose grids and the faster of two kernels.

# %%
#| export
from tinytorch.given.kernels.launch import *
from tinytorch.given.kernels.products import *
from tinytorch.given.kernels.rows import *
from tinytorch.given.kernels.images import *
from tinytorch.given.kernels.updates import *

# %% [markdown]
# ## Systems: what bounds a kernel
#
# A kernel is bound by memory or by arithmetic, as in modules 14 and 17. What the simulator counts is enough to say which, before there is any GPU. Below, lines of 128 bytes that each kernel asks for, beside the fewest that would do: every input read once, every output written once.


# %%
def fewest(*counts):
    """Lines for arrays of so many float32."""
    return sum(-(-count // 32) for count in counts)


def count_all():
    """(name, lines asked for, fewest lines, floating point operations) of some kernels."""
    n, side = 512, 32
    square, flat = random(side, side), lambda: Buffer(random(n), margin=0)
    seen = run(make_map(shifted_square), 4, 32, flat(), flat(), n, 0, 0)
    yield "map, 512", seen.lines, fewest(n, n), 2 * n
    numbers, state = (np.float32(0.1),) * 7, [flat() for _ in range(4)]
    seen = run(adamw_kernel, 4, 32, *state, n, numbers, (0, 0, 0, 0))
    yield "AdamW, 512", seen.lines, fewest(*[n] * 7), 13 * n
    x, out = Buffer(random(8, 64), margin=0), Buffer.empty(8, 64, margin=0)
    seen = run(softmax_kernel, 8, THREADS, out, x, 8, 64, 0, 0)
    yield "softmax, 8 rows of 64", seen.lines, fewest(n, n), 6 * n
    for name, kernel in (("naive", matmul_naive), ("tiled", matmul_tiled)):
        seen = product(kernel, square, square, TILE)[1]
        yield f"{name} product, 32", seen.lines, fewest(*[side * side] * 3), 2 * side**3
    q = random(1, 32, 16)
    seen = attended(q, q, q, 0.25, False, threads=32)[2]
    yield "attention, 32 of 16", seen.lines, fewest(*[q.size] * 4), 4 * 32 * 32 * 16


if SIMULATED:
    print(f"{'':24} lines  fewest   operations for a byte, at best")
    for name, lines, least, operations in count_all():
        print(f"{name:24}{lines:6}{least:8}   {operations / (128 * least):6.2f}")

# %% [markdown]
# Read the last column against a machine's balance. An H100 (SXM) is sold with 3.35 TB/s of memory and 67 Tflop/s in float32 without tensor cores: 20 operations for each byte. Everything up to softmax is far below, so its time on a device is its bytes divided by 3.35 TB/s, if it asks for few lines more than needed,
# and no cleverness in the arithmetic will show. A product of 32 x 32 is below too; for N x N the column grows as N / 6, and from some hundred on the arithmetic decides.
#
# Where the first column exceeds the second, lines are asked for more than once. For softmax most of the surplus comes from the cache. The products show what TILE does; and attention, what a query for each thread costs: the threads of a warp read and write rows of their own, 32 lines at once, which FlashAttention avoids.
#
# These are counts of one machine model, with no cache in it, and say nothing about a time. Where there is a GPU, `make bench-gpu` measures times, beside a plain copy and beside cuBLAS.
#
# ### Padding, counted
#
# The transpose through a tile of 32 columns and through one of 33, all else the same. You find the first in no mistake of your own if you wrote 33 at once, so here it is. Both are right.


# %%
def transpose_in_tile(width):
    @cuda.jit
    def kernel(out, x):
        tile = cuda.shared.array((32, width), np.float32)
        t = cuda.threadIdx.x
        for j in range(cuda.threadIdx.y, 32, cuda.blockDim.y):
            tile[j, t] = x[32 * j + t]
        cuda.syncthreads()
        for j in range(cuda.threadIdx.y, 32, cuda.blockDim.y):
            out[32 * j + t] = tile[t, j]

    return kernel


for width in (32, 33, 34):
    x, out = Buffer(random(32, 32), margin=0), Buffer.empty(32, 32, margin=0)
    seen = run(transpose_in_tile(width), 1, (32, 8), out, x)
    down = bank_passes([t * width for t in range(32)])
    if SIMULATED:
        print(
            f"tile 32 x {width}: {seen.shared_requests} requests take {seen.shared_passes} passes;"
        )
        print(f"               one column by your count: {down}")

# %% [markdown]
# ## Break it
#
# **No second barrier.** The tiled product, without the barrier after the sum. A thread that is done early loads its part of the next tile while others still read the last. On a device the result is right most of the time, and right always below one tile; tests on small sizes never see it.


# %%
@cuda.jit
def without_second_barrier(out, a, b, sizes, out_layout, a_layout, b_layout):
    m, n, k = sizes
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, k, TILE):
        inside = row < m and first + x < k
        a_tile[y, x] = a[at(a_layout, row, first + x)] if inside else np.float32(0)
        cuda.syncthreads()
        for i in range(min(TILE, k - first)):
            if column < n:
                total += a_tile[y, i] * b[at(b_layout, first + i, column)]
    if row < m and column < n:
        out[at(out_layout, row, column)] = total


for size in (TILE, 33):
    a, b = random(size, size), random(size, size, seed=1)
    try:
        found, _ = product(without_second_barrier, a, b, TILE)
        print(f"{size} x {size}: largest error {np.abs(found - a @ b).max():.1e}")
    except KernelError as error:
        print(f"{size} x {size}: {error}")

# %% [markdown]
# **A barrier that some never reach.** Threads outside of the matrix leave early, which looks tidy. The others wait for them at the barrier. What a device does then is undefined.


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
# **A float64 that nobody asked for.** On a device a literal such as `0.5` is a float64, and a float32 beside it becomes one. The result is even a little better; on an H100 it is computed at half the speed, on most other cards at a thirty-second or sixty-fourth. An integer does the same. `run`, which all tests use, looks for it:


# %%
@cuda.jit
def half_kernel(out, x, size):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        out[i] = 0.5 * x[i]


try:
    run(half_kernel, 1, 32, Buffer.empty(40, margin=0), Buffer(random(40), margin=0), 40)
except AssertionError as error:
    print(error)

# %% [markdown]
# **Additions that get lost.** Many threads that add to one number read the old value, add, and write, each unaware of the others. `cuda.atomic.add` does the three as one. It is what the gradient of an embedding needs; and as the order of its additions changes from run to run, so do the last digits.


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
    x = Buffer(np.arange(100))
    out = Buffer(np.zeros(1, np.int64), margin=0)
    try:
        run(kernel, 2, 32, out, x, 100)
        print(f"{kernel.__name__}: {out.result()[0]}, and 50 is right")
    except KernelError as error:
        print(f"{kernel.__name__}: {error}")

# %% [markdown]
# ## In PyTorch
#
# The same kernels stand behind calls that you know. On a machine with a GPU, PyTorch launches one for most lines below; on one without, these lines run as they are with `device = "cpu"`.
#
# ```python
# import torch
# import torch.nn.functional as F
#
# device = "cuda" if torch.cuda.is_available() else "cpu"
# x, y = torch.randn(33, 17, device=device), torch.randn(17, device=device)
# x.t() + y[:, None]                                   # make_zip: strides, no copy of x.t()
# x.sum(1), x.amax(1)                                  # make_reduce
# x @ x.t()                                            # matmul: cuBLAS
# x.t().contiguous()                                   # transpose
# torch.softmax(x, 1)                                  # softmax_kernel
# q = torch.randn(1, 4, 64, 16, device=device)
# F.scaled_dot_product_attention(q, q, q, is_causal=True)  # attention_kernel
# torch.optim.AdamW([x.requires_grad_()], fused=True)      # adamw_kernel
# ```
#
# A kernel in PyTorch runs while Python goes on; `torch.cuda.synchronize()` waits for it, and so does every `.item()`. The same holds for numba's: `kernel[blocks, threads](...)` returns at once, `copy_to_host` waits.
#
# ## Questions
#
# 1. A grid-stride loop lets one block do everything. Why is a grid of a few thousand blocks faster on a device with 132 processors, and one of a million again a little slower?
# 2. `make_reduce` gives sums that differ in the last digits from NumPy's. Which of the two is closer to the true sum, and would you expect the same digits from another number of THREADS?
# 3. In the tiled product both tiles are TILE wide without padding, and there is no bank conflict for TILE = 32. Which words do the 32 threads of a warp ask for in `a_tile[y, i]`, which in `b_tile[i, x]`?
# 4. What would you save by keeping the softmax's row in shared memory between its three loops, and from which length on does that not work?
# 5. The order in which the keys are taken in is free. How would you share one query's keys among several threads, and what would you do with their states at the end?
# 6. Could AdamW's kernel also clip the gradients by their norm over all parameters? Why is a second launch needed?
#
# <details><summary>Answers</summary>
# 1: few blocks leave processors without work, and too few warps hide no waiting; every block costs a little to start, and once all processors are full, more blocks add only that. 2: both add in trees (NumPy in pairs of blocks of 128), and both are close; another tree gives other digits. 3: all threads of a row of the
# tile ask for the same word of a_tile, which is one pass, and for 32 neighbours of b_tile, one each. 4: two of three reads of memory or cache; from about 25,000 to 50,000 float32 on, as many as shared memory holds. 5: each thread keeps m, s and o of its keys; two such triples merge by the same formula. 6: the norm needs
# all gradients, and only a launch is a barrier between blocks.
# </details>
#
# ## What comes next
#
# The kernels stand alone so far: flat buffers, offsets, strides. `CudaArray`, which is given, is an array that owns such a buffer and answers NumPy's protocols by launching your kernels, so that `model.to("cuda")` trains the models of this course on a device, or in the simulator. Module 18 turns to what a GPT computes twice.
