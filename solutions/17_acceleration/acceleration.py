# %% [markdown]
# # 17 Acceleration
#
# Your operations are NumPy calls, one after another. Each reads its arrays from memory, does one thing to every number,
# and writes an array back. In this module you write loops again, as at the very beginning, and let a compiler, numba,
# turn them into machine code. A loop of your own can do everything to a number while it is in a register. That is
# called a *fused* kernel; PyTorch's operations on a CPU are such loops, in C++.
#
# When you are done you will be able to
#
# - say for a loop whether memory, arithmetic or missing vector instructions hold it back, and measure it;
# - cut loops into tiles that stay in the cache, and into smaller ones that stay in registers;
# - fit a polynomial, and write an exponential that the compiler turns into vector instructions;
# - fuse bias and gelu, softmax, cross-entropy, layer norm and AdamW into kernels, gradients included;
# - multiply integers of 8 and of 4 bits, and lay them out so that vectors can do it;
# - put kernels in the place of a model's operations, without a change to the model, and take them away again;
# - draw your machine's roof, with each kernel under it.
#
# ## Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `accelerate(model)` | `torch.compile(model)` | ours exchanges operations for kernels that you wrote; PyTorch's compiler writes them |
# | `exp` | the vector exponential of the SLEEF library | ours has fewer cases: float32 only |
# | `softmax_kernel`, `layer_norm_kernel`, ... | C++ in ATen's `native/cpu` | float32 in contiguous memory only |
# | `register_kernel` | `torch.library.register_kernel` | ours takes a condition, and gives a handle that removes it |
#
# Everything is measured on one thread, NumPy's products too, in processor time. Before a measurement you are asked for
# a prediction: where a cell says `predicted_... = None`, put a number there. It is printed beside what was measured,
# and never graded.

# %%
#| export
import math

import numpy as np
from numpy import float32, int16, int32, uint8

from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.registry import *

# %%
import functools
import time

import numba

from tinytorch.activations import Gelu, Softmax, softmax
from tinytorch.conv import LeNet
from tinytorch.given.acceleration.cache_model import Cache, in_python, watched
from tinytorch.given.acceleration.compiling import compiled_with
from tinytorch.given.acceleration.drawing import draw_errors, draw_kernels
from tinytorch.given.acceleration.machine_code import llvm, vectors
from tinytorch.given.predictions import compare
from tinytorch.given.quantization.packed import Int4Linear
from tinytorch.layers import Linear, Parameter, Sequential
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.profiling import measure_latency, measure_machine
from tinytorch.quantization import pack_int4, quantize_dynamic
from tinytorch.tensor import Context, from_numpy, manual_seed, randn, tensor
from tinytorch.transformer import GPT, GPTConfig, layer_norm, next_token_loss

# %% [markdown]
# ## 1. What NumPy's way costs
#
# The smallest example: gelu, as in your GPT, of a million numbers. Beside it a copy of the same array, which does no
# arithmetic: it is the price of reading and writing.


# %%
def best(run, repeats=15, clock=time.process_time):
    """The shortest of a few runs, in milliseconds of processor time, without waiting."""
    return measure_latency(run, 1, repeats, clock).minimum * 1e3


def drawn(*shape, seed=0, scale=1.0):
    """Normal random numbers, float32."""
    numbers = np.random.default_rng(seed).standard_normal(shape)
    return (scale * numbers).astype(np.float32)


rng = np.random.default_rng(0)
million = rng.standard_normal((1000, 1000), dtype=np.float32)
out = np.empty_like(million)
copying = best(lambda: np.copyto(out, million))
as_numpy = best(lambda: Gelu.forward(Context(), million, "tanh"))
print(f"copy {copying:.2f} ms, gelu {as_numpy:.2f} ms: {as_numpy / copying:.0f} copies")

# %% [markdown]
# Module 02's gelu goes nine times over the array, and one of the nine is a `tanh`, which is expensive even in NumPy. So
# write it as one loop. In Python a loop is hopeless, but `numba.njit` translates a function into machine code, when it
# is called for the first time and its arguments' types are known. It may use numbers, NumPy arrays, loops, and other
# compiled functions.


# %%
@numba.njit
def gelu_by_the_book(x, out):
    for i in range(x.size):
        inner = math.sqrt(2 / math.pi) * (x[i] + 0.044715 * x[i] ** 3)
        out[i] = 0.5 * x[i] * (1 + math.tanh(inner))


flat, flat_out = million.reshape(-1), out.reshape(-1)
thousand = best(lambda: gelu_by_the_book.py_func(flat[:1000], flat_out), repeats=3)
first_loop = best(lambda: gelu_by_the_book(flat, flat_out), repeats=5)
print(f"loop in Python {1000 * thousand:.0f} ms, the same loop compiled {first_loop:.1f} ms")

# %% [markdown]
# Much faster than Python, and slower than NumPy: why? A processor has *vector instructions*, which add
# or multiply four, eight or sixteen float32 at once. A compiler uses them by itself, if the loop's body is plain
# arithmetic: it works on eight numbers in place of one. Here it could not. `math.tanh` is a call of a function for one
# number, and 0.044715 is a float64, so that all the arithmetic was done in float64.
#
# You can look at the code that numba made. `vectors`, given, counts the multiplications and additions in it by how many
# float32 they take at a time.


# %%
@numba.njit
def scale_and_shift(x, out):
    for i in range(x.size):
        out[i] = x[i] * float32(1.5) + float32(2)


print("gelu by the book:", vectors(gelu_by_the_book, flat, flat_out))
print("a multiplication and an addition:", vectors(scale_and_shift, flat, flat_out))
print(f"the latter takes {best(lambda: scale_and_shift(flat, flat_out)):.2f} ms")

# %% [markdown]
# In the loop by the book only the two multiplications of `x[i] ** 3` are done in float32; all else is float64, and not
# counted here. In the other loop vectors do the work; smaller widths serve the last few numbers.
#
# Two rules, then: **float32 constants**, and **no calls that are not compiled into the loop**. From now on kernels are
# marked `@kernel`, which is given: `numba.njit` that keeps what it compiled on disk, so that the next start costs
# milliseconds, divides as NumPy does (x / 0 is infinite, without a test for zero, which would stop vectors), and may
# round a * b + c once instead of twice. A kernel that is called inside another becomes part of its loop.
#
# Two warnings about numba. It does not check indices: a loop that runs too far
# reads or spoils other memory. The tests put NaN around your arrays to catch that; an index that is far off ends the
# process. And what a kernel calls is compiled into it: when you change `exp` below, run the cells of the kernels that
# use it again.

# %% [markdown]
# ## 2. Tiles
#
# Before arithmetic, memory. Memory comes to the processor in *lines* of 64 bytes, 16 float32. Reading one number costs
# as much as reading 16. A transposition reads along rows and writes along columns: each number that it writes lies in
# another line. With a wide matrix the line has left the cache before its next number comes, and it is fetched again, 16
# times over.
#
# ```
#     x (rows, columns)             out (columns, rows)
#     +--+--+--+--+                 +--+--+--+
#     |a |b |c |d |   tile by tile  |a'|e'|i'|      a tile of 16 x 16 numbers: 16 lines of x,
#     +--+--+--+--+   ------------> +--+--+--+      16 lines of out, 2 kB together.
#     |e |f |g |h |                 |b'|f'|j'|      Each line is fetched once, and used up
#     +--+--+--+--+                 +--+--+--+      before the next tile comes.
#     |i |j |k |l |                 |c'|g'|k'|
#     +--+--+--+--+                 +--+--+--+
# ```
#
# Work on tiles that fit the cache: this is *cache blocking*, and matrix products live by it too.
#
# <details><summary>Hint 1</summary>Four loops: two over the first rows and columns of tiles, in steps of
# <code>TILE</code>, and two inside a tile.</details>
# <details><summary>Hint 2</summary>The last tiles may be smaller: the inner loops end at
# <code>min(i + TILE, rows)</code> and <code>min(j + TILE, columns)</code>.</details>
# <details><summary>Hint 3</summary>Of the two loops inside a tile, let the inner one run over the rows of x: neighbours
# in <code>out</code> are then written one after the other.</details>

# %% stub="transpose"
#| export
TILE = 16  # numbers: a line of the cache


@kernel
def transpose_kernel(x, out):
    """Write the transposed of a matrix into another one, tile by tile: out[b, a] = x[a, b].

    Args:
        x: float32 (rows, columns), contiguous.
        out: float32 (columns, rows), contiguous, which is overwritten.

    >>> out = np.empty((3, 1), np.float32)
    >>> transpose_kernel(np.float32([[1, 2, 3]]), out)
    >>> out.ravel()
    array([1., 2., 3.], dtype=float32)
    """
    rows, columns = x.shape
    ### BEGIN SOLUTION
    for i in range(0, rows, TILE):
        for j in range(0, columns, TILE):
            for b in range(j, min(j + TILE, columns)):
                for a in range(i, min(i + TILE, rows)):
                    out[b, a] = x[a, b]
    ### END SOLUTION


# %% test="transpose" points=4
EDGE = 64  # numbers before and after each array that must not change


def framed(array):
    """A copy of an array, with NaN (or 99) before and after it in memory."""
    array = np.asarray(array)
    kind = array.dtype.kind
    memory = np.full(array.size + 2 * EDGE, np.nan if kind == "f" else 99, array.dtype)
    memory[EDGE : EDGE + array.size] = array.ravel()
    return memory[EDGE : EDGE + array.size].reshape(array.shape)


def empty(*shape):
    """Memory for a result: float32 NaN, with more of them around it."""
    return framed(np.full(shape, np.nan, np.float32))


def run_kernel(compiled, inputs, outputs, options=()):
    """Run a kernel with framed arrays; inputs and frames have to be as they were."""
    name = compiled.__name__
    inputs = [framed(a) for a in inputs]
    kept = [a.copy() for a in inputs]
    compiled(*inputs, *options, *outputs)
    for argument, found, before in zip(compiled.__code__.co_varnames, inputs, kept):
        message = f"{name} only reads {argument}, and does not change it"
        np.testing.assert_array_equal(found, before, err_msg=message)
    for array in (*inputs, *outputs):
        memory = array.base
        frame = np.concatenate([memory[:EDGE], memory[-EDGE:]])
        untouched = np.isnan(frame) if frame.dtype.kind == "f" else frame == 99
        assert untouched.all(), (
            f"{name} has written before or after an array: a loop runs too far, or an index "
            "is another's"
        )
    return outputs


def run_in_python(compiled, *arguments):
    """Run a kernel uncompiled, where NumPy checks indices; what only numba can do ends it."""
    try:
        in_python(compiled)(*arguments)
    except (AttributeError, OverflowError, TypeError, ValueError):
        return


def check_close(found, wanted, about, rtol=2e-6, atol=1e-6):
    """Compare with what float64 gives; numbers that were not written are told apart."""
    unwritten = np.isnan(found) & ~np.isnan(wanted)
    assert not unwritten.any(), (
        f"{about}: NaN in {unwritten.sum()} of {unwritten.size} places:\n"
        "not written, added to what was there, read before or behind an array, or what comes\n"
        "of an infinity less itself, or of the root of a negative number"
    )
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=about)


def check_stays_float32(compiled, *arguments):
    """See that nothing is widened to float64 (LLVM's `fpext`) in the compiled code."""
    code = llvm(compiled, *arguments)
    assert " fpext " not in code, (
        f"{compiled.__name__} turns float32 into float64 somewhere in its compiled code:\n"
        "is a constant, the beginning of a sum or a count not a float32?"
    )
    called = [f for f in ("exp", "tanh") if f"@{f}f(" in code or f"@llvm.{f}." in code]
    assert not called, (
        f"{compiled.__name__} calls the library's {called[0]}, for one number at a time; "
        "yours becomes part of the loop"
    )


def test_every_number_goes_to_its_place():
    for shape in ((16, 16), (5, 3), (1, 1), (17, 16), (16, 33), (40, 50), (64, 7)):
        x = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        run_in_python(transpose_kernel, x, empty(*shape[::-1]))
        (found,) = run_kernel(transpose_kernel, [x], [empty(*shape[::-1])])
        check_close(found, x.T, f"a matrix of {shape}", rtol=0, atol=0)


def test_each_line_is_used_up_before_it_leaves_the_cache():
    x, found, cache = drawn(160, 144), np.zeros((144, 160), np.float32), Cache(128, 100_000)
    in_python(transpose_kernel)(*watched(cache, x, found))
    lines = 2 * x.size // 16
    assert cache.fetched <= 2 * lines, (
        f"with a cache of 128 lines, {cache.fetched:,} lines are fetched for a matrix of "
        f"(160, 144);\ntile by tile each of the {lines:,} lines is fetched once"
    )


# %% [markdown]
# Your kernel with tiles of 4 numbers, of 16, of 64, and with the whole matrix as one tile, for 2048 x 2048 numbers and
# for 2000 x 2000; beside it NumPy's time.


# %%
for width in (2048, 2000):
    wide, turned = drawn(width, width), np.empty((width, width), np.float32)
    runs = {
        f"tile {tile}": functools.partial(
            compiled_with(transpose_kernel, TILE=tile), wide, turned
        )
        for tile in (4, 16, 64, width)
    }
    runs |= {
        "NumPy": functools.partial(np.copyto, turned, wide.T),
        "a copy": functools.partial(np.copyto, turned, wide),
    }
    print(", ".join(f"{name} {best(run, 3):.1f} ms" for name, run in runs.items()))

# %% [markdown]
# At 2048 a tile of 16 or 64 is several times faster than no tiles, with the same instructions. 2048 is also the worst
# of widths: the cache keeps a line in one of a few places that its address decides, and lines whose addresses differ by
# a large power of two compete for the same places. With 2,000 columns there is room for all, and tiles hardly matter.
# Powers of two are what networks are made of.
#
# ## 3. A matrix product
#
# Module 01's three loops were thousands of times slower than `@`. Here are the same loops, compiled.


# %%
@kernel
def product_by_the_book(a, b, out):
    for i in range(len(a)):
        for j in range(b.shape[1]):
            total = float32(0)
            for k in range(len(b)):
                total += a[i, k] * b[k, j]
            out[i, j] = total


a, b, c = drawn(16, 512), drawn(512, 512), np.empty((16, 512), np.float32)
looped, blas = best(lambda: product_by_the_book(a, b, c), 5), best(lambda: a @ b)
print(f"loops {looped:.2f} ms, BLAS {blas:.3f} ms: still {looped / blas:.0f} times slower")

# %% [markdown]
# The innermost loop goes down a column of b. Each of its steps fetches a line of 16 numbers for the sake of one, and
# vectors have nothing to do, because neighbours in the loop are not neighbours in memory. *Exchange the loops* over j
# and k. A row of the result is then a sum of whole rows of b:
#
# $$\mathrm{out}_{i} = \sum_k a_{ik}\, b_{k} \qquad (\text{rows of out and b})$$
#
# This is the kernel for one row of the result. All that it does is contiguous.


# %%
#| export
@kernel
def add_row(x, b, out):
    """Add a vector times a matrix to a vector: out[j] += sum over k of x[k] b[k, j]."""
    for k in range(len(x)):
        factor, row = x[k], b[k]
        for j in range(len(out)):
            out[j] += factor * row[j]


# %% [markdown]
# But each row of the result goes through the whole of b. As long as b stays in the cache, that is quick. A b of 16 MB
# comes from memory again for every row of a, 4 bytes for each multiply-add.
#
# So use *tiles* here too. A tile of b, `depth` rows and `width` columns, is small enough to stay in the second cache
# (some hundreds of kB). Every row of a meets it before the next tile comes:
#
# ```
#         a              b              out
#      ..iiii..      .........      .........      for each tile of b (depth 4, width 3):
#      ..iiii..  x   .........  =   ....ooo..        for each row i of a:
#      ..iiii..      ....bbb..      ....ooo..          add i times the tile to o
#                    ....bbb..      ....ooo..
#                    ....bbb..
#                    ....bbb..
# ```
#
# A part of a matrix, `b[k:k2, j:j2]`, has gaps between its rows. `.copy()` puts the tile into contiguous memory, where
# the compiler knows that neighbours lie side by side and lines do not compete for places. BLAS libraries call this
# *packing* (Goto and van de Geijn, 2008).
#
# <details><summary>Hint 1</summary>The result begins with zeros, because each tile adds to it. Then three loops: over
# the first rows of the tiles, over their first columns, and over the rows of a.</details>
# <details><summary>Hint 2</summary>Tiles at the edges are smaller: they end at <code>min(k + depth, len(b))</code> and
# <code>min(j + width, b.shape[1])</code>. Copy the tile once, outside the loop over rows.</details>
# <details><summary>Hint 3</summary><code>add_row</code> takes the part of a row of a that meets the tile's rows, the
# tile, and the part of a row of the result that stands under the tile's columns. A slice of a row is contiguous, and
# writing to it writes to the matrix.</details>


# %% stub="blocked-product"
#| export
@kernel
def blocked_product_kernel(a, b, depth, width, out):
    """Multiply matrices by `add_row`, each tile of b copied: out = a b, with float32 sums.

    Args:
        a: float32 (M, K), contiguous.
        b: float32 (K, N), contiguous.
        depth, width: how many rows and columns a tile of b has, at the edges fewer.
        out: float32 (M, N), contiguous, which is overwritten; zeros where K is 0.

    >>> out = np.empty((1, 2), np.float32)
    >>> blocked_product_kernel(np.float32([[1, 2]]), np.float32([[1, 0], [10, 1]]), 1, 1, out)
    >>> out
    array([[21.,  2.]], dtype=float32)
    """
    ### BEGIN SOLUTION
    out[:] = float32(0)
    for k in range(0, len(b), depth):
        k_end = min(k + depth, len(b))
        for j in range(0, b.shape[1], width):
            j_end = min(j + width, b.shape[1])
            tile = b[k:k_end, j:j_end].copy()
            for i in range(len(a)):
                add_row(a[i, k:k_end], tile, out[i, j:j_end])
    ### END SOLUTION


# %% test="blocked-product" points=7
def test_products_of_any_size_in_tiles_of_any_size():
    for m, k, n in ((1, 1, 1), (2, 3, 4), (4, 3, 2), (3, 8, 8), (5, 17, 33), (9, 40, 21)):
        a, b = drawn(m, k), drawn(k, n, seed=1)
        wanted = a.astype(float) @ b
        for tile in ((1, 1), (4, 8), (8, 4), (5, 7), (100, 100)):
            if m < 5:
                run_in_python(blocked_product_kernel, a, b, *tile, empty(m, n))
            (found,) = run_kernel(blocked_product_kernel, [a, b], [empty(m, n)], tile)
            about = f"({m}, {k}) times ({k}, {n}), depth and width of a tile {tile}"
            check_close(found, wanted, about, rtol=1e-5, atol=1e-5)


def test_a_product_of_nothing_is_zero():
    inputs = [drawn(2, 0), drawn(0, 3)]
    (found,) = run_kernel(blocked_product_kernel, inputs, [empty(2, 3)], (4, 4))
    about = "(2, 0) times (0, 3), where there is no tile"
    np.testing.assert_array_equal(found, np.zeros((2, 3)), err_msg=about)


def test_zero_times_infinity_is_nan_in_a_product():
    a, b = np.float32([[0, 1]]), np.float32([[np.inf, np.nan, 1], [2, 3, 4]])
    (found,) = run_kernel(blocked_product_kernel, [a, b], [empty(1, 3)], (4, 4))
    about = f"{a.tolist()} times {b.tolist()}: a zero is multiplied like any number"
    np.testing.assert_array_equal(found, [[np.nan, np.nan, 4]], err_msg=about)


def test_a_tile_serves_every_row_before_it_leaves_the_cache():
    for k, n, depth, width, most in ((16, 64, 4, 64, 550), (24, 64, 8, 32, 650)):
        arrays, cache = (drawn(12, k), drawn(k, n), drawn(12, n)), Cache(lines=32)
        a, b, out = watched(cache, *arrays)
        in_python(blocked_product_kernel)(a, b, depth, width, out)
        assert cache.fetched <= most, (
            f"with a cache of 32 lines, (12, {k}) times ({k}, {n}) with depth {depth} and "
            f"width {width} fetches {cache.fetched:,} lines, and may fetch {most}.\n"
            f"b has {k * n // 16}, which are to come once, and not for each row of a:\n"
            "is each tile used by all rows before the next is copied?"
        )


@numba.njit
def tell_layout(x, b, out):
    gaps = not (x.flags.contiguous and b.flags.contiguous and out.flags.contiguous)
    out[:] = 2 if gaps else 1


def test_add_row_gets_contiguous_parts():
    zeros, told = np.zeros((8, 8), np.float32), np.zeros((8, 8), np.float32)
    compiled_with(blocked_product_kernel, add_row=tell_layout)(zeros, zeros, 4, 4, told)
    gaps = int((told == 2).sum())
    assert gaps == 0, (
        f"add_row gets parts with gaps between their numbers for {gaps} of 64 results, and "
        "is several times slower then:\nis the tile a copy, are the other parts of one row?"
    )


def test_the_blocked_product_is_float32_and_vectors():
    a = drawn(8, 8)
    check_stays_float32(blocked_product_kernel, a, a, 4, 4, a)
    widest = max(vectors(blocked_product_kernel, a, a, 4, 4, a), default=0)
    assert widest > 1, (
        "the compiled loops work on one float32 at a time: does the innermost one run along "
        "rows, which are taken out first?"
    )


# %% [markdown]
# The other cost is inside `add_row`. Each multiply-add reads a number of b and a number of the result, and writes the
# result back, which will be read again at once. Take *four* rows of b together:
#
# $$\mathrm{out}_j \leftarrow \mathrm{out}_j + x_0 b_{0j} + x_1 b_{1j} + x_2 b_{2j} + x_3 b_{3j}$$
#
# Now the result is read and written once for four multiply-adds. This is *register blocking*, the smallest of all
# tiles.
#
# <details><summary>Hint 1</summary>A loop over k in steps of four, with the four rows and the four numbers of x taken
# out first; in it a loop over j with one line.</details>
# <details><summary>Hint 2</summary><code>len(x) // 4 * 4</code> is where the last whole four ends. What is left, up to
# three rows, goes one by one, as in <code>add_row</code>.</details>
# <details><summary>Hint 3</summary>A kernel may call another: for the rows that are left there is one already, for
# parts of x and b. Take the four rows as views, <code>b[k]</code>, <code>b[k + 1]</code>, and so on, and index these by
# j alone.</details>


# %% stub="register-block"
#| export
@kernel
def add_row_by_fours(x, b, out):
    """Add x b to out as `add_row` does, with four rows of b at a time, in vectors along them.

    Args:
        x: float32 (K,).
        b: float32 (K, N), contiguous.
        out: float32 (N,), to which is added. It is read and written once for four rows of b.
    """
    ### BEGIN SOLUTION
    fours = len(x) // 4 * 4
    for k in range(0, fours, 4):
        x0, x1, x2, x3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
        for j in range(len(out)):
            out[j] = out[j] + x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j]
    add_row(x[fours:], b[fours:], out)
    ### END SOLUTION


# %% test="register-block" points=5
def test_four_rows_at_a_time_add_up_to_the_same():
    x, b = np.float32([4, 3, 2, 1]), np.float32([[1000], [100], [10], [1]])
    run_in_python(add_row_by_fours, x, b, np.zeros(1, np.float32))
    (found,) = run_kernel(add_row_by_fours, [x, b], [framed(np.float32([50_000]))])
    about = f"x {x.tolist()} times b {b.tolist()}, added to 50,000 in out"
    np.testing.assert_array_equal(found, [54_321], err_msg=about)
    for k in (0, 1, 2, 3, 4, 5, 7, 8, 41):
        for n in (1, 5, 40):
            x, b, before = drawn(k), drawn(k, n, seed=1), drawn(n, seed=2)
            wanted = before + x.astype(float) @ b
            run_in_python(add_row_by_fours, x, b, before.copy())
            (found,) = run_kernel(add_row_by_fours, [x, b], [framed(before)])
            about = f"x of {k} numbers times b ({k}, {n}), added to what was in out"
            check_close(found, wanted, about, rtol=1e-5, atol=1e-5)


def test_zeros_times_infinity_are_nan_in_rows_by_fours():
    for k in (1, 4):
        x, b = np.zeros(k, np.float32), np.float32([[np.inf, 1]] * k)
        (found,) = run_kernel(add_row_by_fours, [x, b], [framed(np.zeros(2, np.float32))])
        about = f"x {x.tolist()} times b {b.tolist()}: a zero is multiplied like any number"
        np.testing.assert_array_equal(found, [np.nan, 0], err_msg=about)


def test_the_result_is_read_and_written_once_for_four_rows():
    for k in (16, 15):
        x, b, out, cache = drawn(k), drawn(k, 10), drawn(10), Cache()
        in_python(add_row_by_fours)(x, b, *watched(cache, out))
        most = 2 * 10 * (k // 4 + k % 4)
        assert cache.used <= most, (
            f"with {k} rows of 10 numbers the numbers of out are read and written "
            f"{cache.used} times; by fours it is {most} times at most"
        )


def test_four_rows_at_a_time_are_float32_and_vectors():
    x, b = drawn(8), drawn(8, 8)
    check_stays_float32(add_row_by_fours, x, b, x)
    widest = max(vectors(add_row_by_fours, x, b, x), default=0)
    assert widest > 1, (
        "the compiled loop works on one float32 at a time:\n"
        "is there a loop along the rows of b, inside the one over k, for the four rows?"
    )


# %% [markdown]
# Now all of it, for a b of 1 MB and one of 16 MB. With one tile as large as b the same kernel, with the same
# instructions, does without tiles: so the four in the middle tell tiles and registers apart. **Predict:** which of the
# two helps more with the small b, and which with the large one?


# %%
DEPTH, WIDTH = 128, 512  # a tile of 256 kB
by_fours = compiled_with(blocked_product_kernel, add_row=add_row_by_fours)


def product_speeds(n):
    """Ways to multiply rows with a b of n x n: 1e9 multiply-adds a second."""
    a, b, c = drawn(256, n), drawn(n, n, seed=1), np.empty((256, n), np.float32)
    runs = {
        "exchanged": lambda: blocked_product_kernel(a, b, n, n, c),
        "exchanged, tiles": lambda: blocked_product_kernel(a, b, DEPTH, WIDTH, c),
        "exchanged, fours": lambda: by_fours(a, b, n, n, c),
        "exchanged, tiles and fours": lambda: by_fours(a, b, DEPTH, WIDTH, c),
        "BLAS": lambda: np.matmul(a, b, out=c),
    }
    speeds = {name: 256 * n * n / best(run, 3) / 1e6 for name, run in runs.items()}
    looped = best(lambda: product_by_the_book(a[:8], b, c), 1)
    return {"by the book": 8 * n * n / looped / 1e6} | speeds


for n in (512, 2048):
    for name, speed in product_speeds(n).items():
        without = "tiles" not in name and "exchanged" in name
        through = f", 4 bytes of b for each: {4 * speed:.1f} GB/s" if without else ""
        print(f"b {n} x {n}  {name:26} {2 * speed:6.2f} GFLOP/s{through}")

# %% [markdown]
# Without tiles, the large b is fetched once for each row of a, at the speed of whatever holds it. On one core of an AMD
# EPYC, whose last cache of 32 MB does, 36 GFLOP/s became 50 with tiles, 41 with fours and 58 with both. The small b fits
# a core's own cache, and there is nothing to win: 60 without, 53 to 64 with one or both. BLAS reached 126 and 130: it
# keeps a block of results, some 6 x 16, in registers through the whole of `depth`, with instructions written by hand.
#
# ## 4. An exponential, fitted
#
# Softmax, sigmoid, gelu, cross-entropy: all of them are an exponential with a little arithmetic around it. So
# everything depends on having an `exp` made only of additions and multiplications. The idea is two hundred years old:
# choose a range where the function is tame, fit a polynomial there, and bring every number into that range. With a
# whole number n,
#
# $$e^x = 2^n\, e^r, \qquad n = \mathrm{round}(x \log_2 e), \qquad r = x - n \ln 2 \in \left[-\tfrac{\ln 2}{2}, \tfrac{\ln 2}{2}\right]$$
#
# $2^n$ costs nothing: a float32 holds its exponent in bits of its own. What is left is $e^r$ for $|r| \le 0.347$:
#
# $$p(r) = 1 + c_1 r + c_2 r^2 + \dots + c_d r^d$$
#
# Which coefficients? Taylor's, 1, 1/2, 1/6, ... are best *at* 0, and worst where it matters, at the ends. We want the
# error to be small everywhere, and we want the **relative** error, because a float32 has seven digits whatever its
# size. So take many points of the interval, and let least squares find the coefficients:
#
# $$\text{minimise} \quad \sum_i \left(\frac{p(r_i) - e^{r_i}}{e^{r_i}}\right)^2$$
#
# Where the points lie matters too. *Chebyshev's* points crowd at the ends, as the shadows of points on a half circle
# do:
#
# $$r_i = \frac{\ln 2}{2} \cos\left(\pi\,\frac{i + 1/2}{m}\right), \qquad i = 0, \dots, m - 1$$
#
# <details><summary>Hint 1</summary>Least squares is <code>np.linalg.lstsq(A, b)[0]</code>: it minimises the sum of
# squares of A c - b. A has a row for each point and a column for each coefficient.</details>
# <details><summary>Hint 2</summary>Without weights: the columns of A are r, r², ..., and b is e^r - 1, since the
# constant 1 is not fitted.</details>
# <details><summary>Hint 3</summary>Relative: divide each row of A, and its entry of b, by e^r. <code>r[:, None]</code>
# to the power of a row of exponents is a matrix.</details>


# %% stub="fit-exponential"
#| export
def fit_exponential(degree, points=200):
    """Fit e^r = 1 + c1 r + ... + cd r^d for |r| <= ln(2) / 2, with a small relative error.

    The sum of squared relative errors is minimised over Chebyshev's points of the interval.

    Args:
        degree: d.
        points: how many points, m.

    Returns:
        The coefficients c1, ..., cd, float64 (degree,).

    >>> fit_exponential(1).round(2)
    array([0.93])
    """
    ### BEGIN SOLUTION
    r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
    powers = r[:, None] ** np.arange(1, degree + 1)
    weights = np.exp(-r)
    return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
    ### END SOLUTION


# %% test="fit-exponential" points=6
def relative_error(coefficients):
    """Many points r of the interval, and the relative errors of 1 + c1 r + c2 r² + ..."""
    r = np.linspace(-math.log(2) / 2, math.log(2) / 2, 20001)
    polynomial = 1 + sum(c * r ** (k + 1) for k, c in enumerate(coefficients))
    return r, polynomial / np.exp(r) - 1


def test_the_relative_error_is_small_everywhere():
    for degree, reachable in (
        (2, 3.5e-3),
        (3, 1.14e-4),
        (4, 3.1e-6),
        (5, 1.05e-7),
        (6, 2.2e-9),
    ):
        found = fit_exponential(degree)
        assert isinstance(found, np.ndarray), (
            f"an array is wanted, not a {type(found).__name__}"
        )
        about = f"degree {degree}: c1 to c{degree} and nothing else, so shape ({degree},)"
        assert np.shape(found) == (degree,), f"{about}, not {np.shape(found)}"
        largest = np.abs(relative_error(found)[1]).max()
        assert largest <= 1.1 * reachable, (
            f"degree {degree}: the largest relative error is {largest:.2e}; {reachable:.2e} "
            f"is reachable.\nAre the errors divided by e^r, the points Chebyshev's, and the "
            "constant 1 not fitted?"
        )


def test_the_sum_of_squared_relative_errors_is_the_least():
    r = math.log(2) / 2 * np.cos(np.pi * np.arange(1, 400, 2) / 400)
    for degree, least in ((1, 0.2337025), (3, 8.827178e-7)):
        polynomial = 1 + r[:, None] ** np.arange(1, degree + 1) @ fit_exponential(degree)
        total = ((polynomial / np.exp(r) - 1) ** 2).sum()
        assert total <= 1.001 * least, (
            f"degree {degree}: the sum of squares of (p - e^r) / e^r is {total:.3e} over the "
            f"200 points; {least:.3e} is reachable"
        )


def test_the_number_of_points_may_be_chosen():
    for points in (8, 500):
        error = np.abs(relative_error(fit_exponential(4, points))[1]).max()
        assert error < 4.5e-6, f"{points} points: the largest relative error is {error:.2e}"


def test_with_as_many_points_as_coefficients_the_errors_there_are_zero():
    for m in (2, 4):
        r = math.log(2) / 2 * np.cos(np.pi * np.arange(1, 2 * m, 2) / (2 * m))
        powers = r[:, None] ** np.arange(1, m + 1)
        error = np.abs((1 + powers @ fit_exponential(m, m)) / np.exp(r) - 1).max()
        assert error < 1e-9, (
            f"fit_exponential({m}, {m}) goes through e^r at Chebyshev's {m} points, with no "
            f"error but of rounding, and not {error:.1e}:\n"
            f"are there {m} points, at i + 1/2, in an interval that ends at ln(2) / 2?"
        )


# %%
taylor = [1 / math.factorial(k) for k in range(1, 6)]
draw_errors({"Taylor": taylor, "fitted": fit_exponential(5)})
print(", ".join(f"{c:.8g}" for c in fit_exponential(5)))

# %% [markdown]
# The error of the fit is spread over the interval; Taylor's is nearly zero in the middle and large at the ends. Degree
# 5 is enough for float32, whose own steps are 1.2e-7. Copy the numbers that have been printed into `exp` below.


# %%
#| export
ONE = float32(1)
LOG2_E = float32(1.44269504)
LN2_HIGH, LN2_LOW = float32(0.693359375), float32(-2.12194440e-4)
LOWEST, HIGHEST = float32(-88), float32(89)

# %% [markdown]
# Now the rest, for float32. What is $2^n$ in memory? A float32 is 32 bits: a sign, eight bits for the exponent plus
# 127, and 23 for the digits. So $2^n$ is the integer $n + 127$, shifted left by 23 places, and read as a float32:
# `int32(i << int32(23)).view(float32)`, with $i = n + 127$. The outer `int32` is there because numba makes an int64 of
# what small integers give.
#
# ```
#      sign   exponent + 127      digits
#     +---+-----------------+------------------------------+
#     | 0 | 1 0 0 0 0 0 1 0 | 0 0 0 0 0 0 0 0 0 0 0 ... 0 |     130 = 3 + 127: this is 2^3
#     +---+-----------------+------------------------------+
#       31  30           23   22                          0
# ```
#
# Rounding: `int32(x)` cuts off what stands behind the point. $x \log_2 e + 127$ is positive, so with 0.5 more, cutting
# rounds: $i = \lfloor x \log_2 e + 127.5 \rfloor$. And $x - n \ln 2$ needs care: n goes up to 127, so a rounding error
# of ln 2 comes back 127 times. Take ln 2 in two parts, the first with so few digits that n times it is exact (Cody and
# Waite, 1980), and subtract n times the one, then n times the other. `LN2_HIGH` is a little too large, so `LN2_LOW` is
# negative.
#
# At the ends: from 89 up the result is to be infinite, and from -88 down 0. Cut x to [LOWEST, HIGHEST] first. Then i is
# 255 at the upper end, which *is* infinity, and 0 at the lower one, which is zero. Write the cut as
# `HIGHEST if x > HIGHEST else x`, for every comparison with NaN is false: so it stays NaN, as it should.
#
# <details><summary>Hint 1</summary>Six steps: two cuts, i, n as a float32, r, the polynomial, times 2^n. Every constant
# is a float32, also in sums: <code>ONE</code> for 1.</details>
# <details><summary>Hint 2</summary>n is i without the 127, as a float32. The polynomial in Horner's form takes five
# additions and five multiplications: c5 first, and at last 1 + r (...).</details>
# <details><summary>Hint 3</summary><code>int32(...)</code> of a float32 cuts. Both products with n are subtracted from
# x, the larger first, without a bracket around them; and p is multiplied by the float32 whose bits the text makes of
# i.</details>


# %% stub="exponential"
#| export
@kernel
def exp(x):
    """Compute e^x for one float32, by arithmetic alone.

    e^x = 2^n p(x - n ln 2), with p from `fit_exponential(5)` and n = round(x log2(e))

    Args:
        x: a float32; infinite or NaN, too.

    Returns:
        A float32 with a relative error of at most 2.4e-7 from -87.3 to 88.3; 0 from -88 down,
        infinity from 89 up, NaN for NaN. What lies between these is not tested.

    >>> exp(float32(0))
    1.0
    """
    ### BEGIN SOLUTION
    x = HIGHEST if x > HIGHEST else x
    x = LOWEST if x < LOWEST else x
    i = int32(x * LOG2_E + float32(127.5))  # n + 127, rounded, for it is positive
    n = float32(i) - float32(127)
    r = x - n * LN2_HIGH - n * LN2_LOW
    p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
    p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
    return p * int32(i << int32(23)).view(float32)
    ### END SOLUTION


#| export
@kernel
def exp_kernel(x, out):
    """Write e^x into `out` for each number of x, both one-dimensional."""
    for i in range(x.size):
        out[i] = exp(x[i])


# %% test="exponential" points=9
def exp_of(x):
    """Your exponential of an array, through a loop."""
    x = np.float32(x)
    try:
        return run_kernel(exp_kernel, [x.ravel()], [empty(x.size)])[0]
    except numba.TypingError as error:
        if "scalar_view" not in str(error):
            raise
        said = "exp is not compiled: an int64's 64 bits cannot be read as the 32 of a float32"
        raise AssertionError(said) from None


def test_the_exponential_has_seven_digits():
    for low, high in ((-0.34, 0.34), (-1, 1), (-10, 10), (-87.3, 88.3)):
        only = ", where n is to be 0:\nis it? Are c1 to c5 whole, in their places?" * (
            high < 1
        )
        x = np.linspace(low, high, 200_003).astype(np.float32)
        wanted = np.exp(x.astype(np.float64))
        error = np.abs(exp_of(x) / wanted - 1)
        worst = error.argmax()
        assert error[worst] <= 2.4e-7, (
            f"exp({x[worst]}) has a relative error of {error[worst]:.2e}; 2.4e-7 is "
            f"wanted{only}"
        )


def test_the_exponential_at_its_ends():
    for x, wanted in (
        (0.0, 1.0),
        (-0.0, 1.0),
        (-np.inf, 0.0),
        (-1000.0, 0.0),
        (-88.0, 0.0),
        (np.inf, np.inf),
        (1000.0, np.inf),
        (89.0, np.inf),
    ):
        found = exp_of([x])[0]
        assert found == wanted, f"exp({x}) is {wanted}, not {found}"
    found = exp_of([np.nan])[0]
    assert np.isnan(found), f"exp(nan) is nan, not {found}: does a cut turn nan into a number?"


def test_the_exponential_is_float32_and_vectors():
    x = drawn(100)
    assert exp.signatures == [] or all(str(s) == "(float32,)" for s in exp.signatures), (
        f"exp is called with float32, not {exp.signatures}"
    )
    widest = max(vectors(exp_kernel, x, x), default=0)
    assert widest > 1, (
        f"the compiled loop works on {widest} float32 at a time; it should work on several:\n"
        "is every constant a float32, is there a call (math.exp, np.exp) or a loop in the way?"
    )
    check_stays_float32(exp_kernel, x, x)


# %%
x = np.linspace(-20, 20, 10**6).astype(np.float32)
y = np.empty_like(x)
print("multiplications and additions by width:", vectors(exp_kernel, x, y))
exp_kernel(x, y)
error, numpy_error = (np.abs(e / np.exp(x.astype(float)) - 1).max() for e in (y, np.exp(x)))
print(f"largest error {error:.1e}, np.exp's {numpy_error:.1e}")
yours, theirs = best(lambda: exp_kernel(x, y)), best(lambda: np.exp(x, out=y))
copied = best(lambda: np.copyto(y, x))
print(f"yours {yours:.2f} ms, np.exp {theirs:.2f} ms, a copy {copied:.2f} ms")

# %% [markdown]
# The price of a few copies while the array is in the cache; Systems, below, measures it from memory.
#
# ## 5. Bias and gelu in one pass
#
# In your GPT's MLP, a matrix product is followed by two elementwise operations: the bias is added, and gelu taken. Gelu
# (tanh) is a sigmoid in disguise, because $\frac{1 + \tanh u}{2} = \sigma(2u)$:
#
# $$\mathrm{gelu}(x) = x\,\sigma(2u), \qquad 2u = x\,(a + b x^2), \qquad a = 2\sqrt{2/\pi},\quad b = 0.044715\,a$$
#
# $$\mathrm{gelu}'(x) = s\,\big(1 + x\,(1 - s)(a + 3 b x^2)\big), \qquad s = \sigma(2u)$$
#
# So gelu needs one exponential and one division. These three functions of one number are given.


# %%
#| export
GELU_A, GELU_B = float32(1.5957691), float32(0.07135481)  # 2 sqrt(2 / pi), and 0.044715 of it
THREE_B = float32(0.21406443)


@kernel
def sigmoid(x):
    """1 / (1 + e^-x), by e^-|x|, which is at most 1 and never overflows."""
    e = exp(-abs(x))
    return (ONE if x >= float32(0) else e) / (ONE + e)


@kernel
def gelu_of(x):
    """gelu(x), by tanh's formula."""
    return x * sigmoid(x * (GELU_A + GELU_B * x * x))


@kernel
def gelu_slope(x):
    """The derivative of `gelu_of`."""
    s = sigmoid(x * (GELU_A + GELU_B * x * x))
    return s * (ONE + x * (ONE - s) * (GELU_A + THREE_B * x * x))


# %% [markdown]
# The kernel gets the rows of the product and writes the rows of the result, bias and gelu together:
#
# $$y_{ij} = \mathrm{gelu}(x_{ij} + b_j) \qquad\qquad \frac{\partial L}{\partial x_{ij}} = g_{ij}\,\mathrm{gelu}'(x_{ij} + b_j), \qquad \frac{\partial L}{\partial b_j} = \sum_i \frac{\partial L}{\partial x_{ij}}$$
#
# As NumPy calls, backward is a dozen passes; here it is one.
#
# One thing about speed: take a row out first, `row = x[i]`, and index it from 0. A view of a row is contiguous for the
# compiler. With `x[i, j]`, and worse with an index like `j - 1`, it cannot be sure that an index is not negative, and
# in many loops it then gives up on vectors.
#
# <details><summary>Hint 1</summary>An outer loop over the rows, and an inner one over the columns. A row is looked up
# once, outside the inner loop.</details>
# <details><summary>Hint 2</summary>Forward and backward take their functions, <code>gelu_of</code> and
# <code>gelu_slope</code>, at the same place: the number plus its column's bias.</details>
# <details><summary>Hint 3</summary>Backward: what comes in times the slope is needed twice, stored in the gradient of x
# and added to that of the bias. Compute it once.</details>


# %% stub="bias-gelu"
#| export
@kernel
def bias_gelu_kernel(x, bias, out):
    """Add a bias to each row and take gelu, in one pass: out = gelu(x + bias).

    Args:
        x: float32 (N, D), contiguous; `x + bias` for all of it would be a pass of its own.
        bias: float32 (D,).
        out: float32 (N, D), which is overwritten.
    """
    ### BEGIN SOLUTION
    for i in range(len(x)):
        row, result = x[i], out[i]
        for j in range(len(bias)):
            result[j] = gelu_of(row[j] + bias[j])
    ### END SOLUTION


#| export
@kernel
def bias_gelu_gradient_kernel(grad, x, bias, grad_x, grad_bias):
    """Write the gradient of x, and add the gradient of the bias, in one pass.

    Args:
        grad: the gradient of the output, float32 (N, D).
        x, bias: as for `bias_gelu_kernel`.
        grad_x: float32 (N, D), which is overwritten.
        grad_bias: float32 (D,), to which every row's share is added.
    """
    ### BEGIN SOLUTION
    for i in range(len(x)):
        g, row, result = grad[i], x[i], grad_x[i]
        for j in range(len(bias)):
            d = g[j] * gelu_slope(row[j] + bias[j])
            result[j] = d
            grad_bias[j] += d
    ### END SOLUTION


# %% test="bias-gelu" points=7
SHAPES = ((3, 5), (5, 3), (1, 1), (1, 40), (4, 4), (37, 50))  # of rows, also not square


def gelu_by_numpy(x):
    """gelu and its slope, in float64."""
    c = math.sqrt(2 / math.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)
    return 0.5 * x * (1 + t), slope


def check_one_trip(compiled, *arguments, most=1.2):
    """Compare the lines that come into a small cache with those that the arrays have."""
    cache, largest_size = Cache(24), max(map(np.size, arguments))
    arguments = [watched(cache, a)[0] if np.ndim(a) else a for a in arguments]
    lines = cache.end // 16

    def made(make, shape, *options, **named):
        cache.at_once = max(cache.at_once, np.prod(shape))
        return make(shape, *options, **named)

    own = {make.__name__: functools.partial(made, make) for make in (np.empty, np.zeros)}
    own = type("NumPy", (), vars(np) | own)
    quick = compiled_with(compiled, exp=np.exp, gelu_of=np.exp, gelu_slope=np.exp, np=own)
    run_in_python(quick, *arguments)
    parts = cache.at_once < largest_size
    assert parts, (
        f"{compiled.__name__} has an expression with a whole array, or makes one as large, of "
        f"{cache.at_once} numbers:\nthat is a trip by itself; is all done inside one loop?"
    )
    times = cache.fetched / lines
    once = times <= most
    assert once, (
        f"into a cache of 24 lines {compiled.__name__} fetches {times:.2g} times as many "
        "lines as its arrays have:\nis a row read or written again after others have come?"
    )


def test_bias_and_gelu_in_one_pass():
    for shape in SHAPES:
        x, bias = drawn(*shape, scale=2), drawn(shape[1], seed=1)
        wanted = gelu_by_numpy(x.astype(float) + bias)[0]
        (found,) = run_kernel(bias_gelu_kernel, [x, bias], [empty(*shape)])
        check_close(found, wanted, f"gelu(x + bias) of x {shape}")


def test_the_gradients_of_bias_and_gelu():
    for shape in SHAPES:
        x, bias, g = drawn(*shape, scale=2), drawn(shape[1], seed=1), drawn(*shape, seed=2)
        g[:, 0] = 0
        wanted = g * gelu_by_numpy(x.astype(float) + bias)[1]
        before = np.arange(shape[1], dtype=np.float32)  # there may be a gradient already
        outputs = [empty(*shape), framed(before)]
        grad_x, grad_bias = run_kernel(bias_gelu_gradient_kernel, [g, x, bias], outputs)
        check_close(grad_x, wanted, f"the gradient of x {shape}")
        about = (
            f"the gradient of the bias, x {shape}: sums of columns, added to what was there"
        )
        check_close(grad_bias, before + wanted.sum(0), about, rtol=1e-5, atol=1e-5)


def test_bias_and_gelu_stay_in_float32_and_in_the_loop():
    x, bias = drawn(3, 5), drawn(5)
    check_stays_float32(bias_gelu_kernel, x, bias, x)
    check_stays_float32(bias_gelu_gradient_kernel, x, x, bias, x, bias)


def test_bias_and_gelu_make_one_trip_to_memory():
    x, bias = drawn(24, 32), drawn(32)
    check_one_trip(bias_gelu_kernel, x, bias, x)
    check_one_trip(bias_gelu_gradient_kernel, x, x, bias, x, bias, most=1.5)


# %%
bias, grad, ctx = drawn(1000), drawn(1000, 1000, seed=1), Context()
in_numpy = best(lambda: Gelu.forward(ctx, million + bias, "tanh"), 7)
yours = best(lambda: bias_gelu_kernel(million, bias, out))
print(f"bias and gelu in NumPy {in_numpy:.2f} ms, yours {yours:.2f} ms")
sums = np.zeros(1000, np.float32)
in_numpy = best(lambda: Gelu.backward(ctx, grad).sum(0), 7)
yours = best(lambda: bias_gelu_gradient_kernel(grad, million, bias, out, sums))
print(f"both gradients in NumPy {in_numpy:.2f} ms, yours {yours:.2f} ms")

# %% [markdown]
# ## 6. Softmax, row by row
#
# Three steps for each row, as in module 02: the largest score, the exponentials and their sum, the division. NumPy does
# each step for the whole array before the next, so that a large array comes from memory again for each. Your kernel
# does all three for one row, which stays in the nearest cache.
#
# **The sum.** Float additions may not be reordered: (a + b) + c is not a + (b + c). So a compiler may not keep eight
# partial sums in a vector, and adds one number after another. You allow it by `@kernel(fastmath=SUM)`. That holds for
# what is written in the kernel itself; `exp`, which it calls, keeps the flags that it was compiled with (section 12
# shows why).
#
# **The maximum**, by a plain loop, cannot be vectorised either, because of NaN. But the bits of floats, read as
# integers, are in their order, if all bits but the sign of negative ones are inverted. `largest`, given, compares
# integers. There a NaN is larger than every number, or, with its sign set, smaller, and missed. Softmax does not lose
# it: `exp` of a NaN is NaN, and so is the sum.


# %%
#| export
SUM = {"contract", "reassoc"}  # a * b + c may be rounded once; sums may be reordered
SIGN, REST = int32(31), int32(0x7FFFFFFF)


@kernel
def largest(row):
    """The largest number of a contiguous row, compared as integers; a NaN may be missed."""
    bits, best = row.view(int32), int32(-0x80000000)
    for j in range(len(bits)):
        order = int32(bits[j] ^ (int32(bits[j] >> SIGN) & REST))
        best = max(best, order)
    return int32(best ^ (int32(best >> SIGN) & REST)).view(float32)


# %% [markdown]
# The gradient of module 06 goes along rows as well: $\bar x_j = p_j\,(g_j - \sum_k g_k p_k)$.
#
# <details><summary>Hint 1</summary>For each row: <code>m = largest(row)</code>, a loop that stores
# <code>exp(row[j] - m)</code> and adds it up, and a loop that multiplies by one over the sum.</details>
# <details><summary>Hint 2</summary>The sum begins with <code>float32(0)</code>, not 0: an integer plus a float32 is a
# float64 for numba. Begin again in every row.</details>
# <details><summary>Hint 3</summary>Gradient: two loops for each row, one for the sum of g p, which begins as a float32,
# too, and one for the result.</details>


# %% stub="softmax-rows"
#| export
@kernel(fastmath=SUM)
def softmax_kernel(x, out):
    """Turn rows of scores into probabilities, in one trip: exp(x - max) / sum of exp(x - max).

    Args:
        x: float32 (N, D), contiguous; -inf gets probability 0.
        out: float32 (N, D), which is overwritten.
    """
    ### BEGIN SOLUTION
    for i in range(len(x)):
        row, result = x[i], out[i]
        m, total = largest(row), float32(0)
        for j in range(len(row)):
            result[j] = exp(row[j] - m)
            total += result[j]
        scale = ONE / total
        for j in range(len(row)):
            result[j] *= scale
    ### END SOLUTION


#| export
@kernel(fastmath=SUM)
def softmax_gradient_kernel(grad, p, out):
    """Compute the gradient of the scores, p (g - sum of g p), for each row, in one trip.

    Args:
        grad: g, float32 (N, D).
        p: the probabilities, float32 (N, D).
        out: float32 (N, D), which is overwritten.
    """
    ### BEGIN SOLUTION
    for i in range(len(p)):
        g, row, result = grad[i], p[i], out[i]
        dot = float32(0)
        for j in range(len(row)):
            dot += g[j] * row[j]
        for j in range(len(row)):
            result[j] = row[j] * (g[j] - dot)
    ### END SOLUTION


# %% test="softmax-rows" points=7
def softmax_by_numpy(x):
    exps = np.exp(x.astype(float) - x.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)


def test_rows_become_probabilities():
    for shape in (*SHAPES, (3, 1000)):
        x = drawn(*shape, scale=5)
        wanted = softmax_by_numpy(x)
        (found,) = run_kernel(softmax_kernel, [x], [empty(*shape)])
        check_close(found, wanted, f"softmax of rows {shape}")


def test_each_row_has_a_maximum_of_its_own():
    rows = [-1000, -1001, -1002], [1000, 999, -np.inf], [0, 0, 0], [-3e38, -np.inf, -3e38]
    rows += [0, 1000, 0], [0, 1, 1000], [0, -np.inf, -np.inf]
    x = np.float32(rows)
    wanted = softmax_by_numpy(x)
    (found,) = run_kernel(softmax_kernel, [x], [empty(*x.shape)])
    lost = [row for row, p in zip(rows, found) if np.isnan(p).any()]
    assert not lost, f"of the rows {rows}\nthese become nan: {lost}"
    check_close(found, wanted, f"softmax of the rows {rows}", rtol=8e-7, atol=0)
    least = float(found[np.isneginf(x)].max())
    assert least == 0, f"the score -inf has the probability 0, and not {least:.3g}"


def test_nan_is_not_lost():
    for nan, sign in ((np.nan, "nan"), (-np.nan, "nan with its sign set")):
        x = np.float32([[0, nan, 1], [1, 2, 3]])
        wanted = softmax_by_numpy(x[1:])
        (found,) = run_kernel(softmax_kernel, [x], [empty(2, 3)])
        assert np.isnan(found[0]).all(), f"a row with {sign} becomes nan, not {found[0]}"
        check_close(found[1:], wanted, "the other rows are as they were")


def test_the_gradient_of_the_scores():
    for shape in (*SHAPES, (3, 1000)):
        p, g = softmax_by_numpy(drawn(*shape)), drawn(*shape, seed=1)
        p[:, -1] = 0
        wanted = p * (g - (g * p).sum(axis=1, keepdims=True))
        inputs = [g, p.astype(np.float32)]
        (found,) = run_kernel(softmax_gradient_kernel, inputs, [empty(*shape)])
        check_close(found, wanted, f"p (g - sum of g p) for rows {shape}")


def test_softmax_and_its_gradient_stay_in_float32_and_in_the_loop():
    x = drawn(3, 5)
    check_stays_float32(softmax_kernel, x, x)
    check_stays_float32(softmax_gradient_kernel, x, x, x)


def test_softmax_and_its_gradient_make_one_trip_to_memory():
    x = drawn(24, 32)
    check_one_trip(softmax_kernel, x, x)
    check_one_trip(softmax_gradient_kernel, x, x, x)


# %% [markdown]
# **Predict:** take the permission away, so that sums are added in the order of the loop. Which of the two is faster,
# and which is closer to the right result?

# %%
predicted_reordered = None  # reordered: how many times faster? a number below 1 if slower

# %%
scores, p = drawn(20, 50_000), np.empty((20, 50_000), np.float32)
right = np.exp(scores.astype(float))
right /= right.sum(1, keepdims=True)
in_order, milliseconds = kernel(softmax_kernel.py_func), 0
for name, run in {
    "NumPy": lambda: np.copyto(p, Softmax.forward(Context(), scores, 1)),
    "in the loop's order": lambda: in_order(scores, p),
    "reordered": lambda: softmax_kernel(scores, p),
}.items():
    before, milliseconds = milliseconds, best(run, 5)
    print(f"{name:20} {milliseconds:.2f} ms, relative error {abs(p / right - 1).max():.1e}")
compare(predicted_reordered, before / milliseconds, "times")

# %% [markdown]
# Several times faster, and *more* exact. The rounding error of an addition grows with the sum, and 50,000 numbers added
# to one sum lose more than in the 32 small sums that the vectors keep. The order of the loop is not the right one; it
# is one of many, and among the worst.
#
# ## 7. Softmax and cross-entropy
#
# A language model's logits are the largest array of a training step: 1024 positions times 50,257 tokens are 206 MB. The
# loss of a row needs its maximum and the sum of its exponentials, and no probabilities at all:
#
# $$\ell = \log \sum_j e^{x_j - m} + (m - x_{\text{class}})$$
#
# The bracket first: a large m would take the logarithm's digits. A row of 50,257 numbers is 200 kB, so it is in the
# second cache when the sum comes after the maximum: one trip to memory. The gradient makes the probabilities again from
# m and the sum, in one further trip:
#
# $$\bar x_j = g\left(\frac{e^{x_j - m}}{\text{sum}} - [j = \text{class}]\right)$$
#
# <details><summary>Hint 1</summary>The first kernel is softmax without storing the exponentials. Keep m and the sum of
# each row in <code>maxima[i]</code> and <code>sums[i]</code>; <code>np.log</code> of one number may be used, once for a
# row.</details>
# <details><summary>Hint 2</summary>In the second, compute what does not change within a row before its loop:
# <code>scale = grad[i] / sums[i]</code>.</details>
# <details><summary>Hint 3</summary>Do not compare with the class inside the loop. After it, one number of the row is
# corrected: the gradient of this row's loss is subtracted.</details>


# %% stub="cross-entropy"
#| export
@kernel(fastmath=SUM)
def cross_entropy_kernel(x, classes, losses, maxima, sums):
    """Compute each row's loss, log(sum of exp(x - max)) + (max - x[class]), in one trip.

    Args:
        x: scores, float32 (N, C), contiguous.
        classes: the right class of each row, int64 (N,), from 0 to C - 1.
        losses: float32 (N,), which is overwritten.
        maxima, sums: float32 (N,), overwritten with each row's maximum and its sum of
            exponentials, which the gradient needs.
    """
    ### BEGIN SOLUTION
    for i in range(len(x)):
        row = x[i]
        m, total = largest(row), float32(0)
        for j in range(len(row)):
            total += exp(row[j] - m)
        losses[i] = np.log(total) + (m - row[classes[i]])
        maxima[i], sums[i] = m, total
    ### END SOLUTION


#| export
@kernel
def cross_entropy_gradient_kernel(grad, x, classes, maxima, sums, out):
    """Compute the gradient of the scores, g (softmax(x) - onehot(class)), in one trip.

    Args:
        grad: g, the gradient of each row's loss, float32 (N,).
        x, classes, maxima, sums: what `cross_entropy_kernel` was given, and has written.
        out: float32 (N, C), which is overwritten.
    """
    ### BEGIN SOLUTION
    for i in range(len(x)):
        row, result, m = x[i], out[i], maxima[i]
        scale = grad[i] / sums[i]
        for j in range(len(row)):
            result[j] = exp(row[j] - m) * scale
        result[classes[i]] -= grad[i]
    ### END SOLUTION


# %% test="cross-entropy" points=9
def cross_entropy_by_numpy(x, classes):
    """Losses, maxima and sums of rows, and their probabilities less the target, in float64."""
    m = x.max(axis=1).astype(float)
    exps = np.exp(x.astype(float) - m[:, None])
    total, right = exps.sum(axis=1), np.arange(len(x))
    slopes = exps / total[:, None]
    slopes[right, classes] -= 1
    return m + np.log(total) - x[right, classes], m, total, slopes


def scores_and_classes(n, c, scale=3.0, seed=0):
    return drawn(n, c, seed=seed, scale=scale), np.random.default_rng(seed).integers(0, c, n)


def test_losses_of_rows_with_what_the_gradient_needs():
    for n, c in ((1, 1), (1, 7), (3, 5), (5, 3), (20, 65), (2, 3000)):
        x, classes = scores_and_classes(n, c)
        wanted = cross_entropy_by_numpy(x, classes)
        found = run_kernel(cross_entropy_kernel, [x, classes], [empty(n) for _ in range(3)])
        for name, one, right in zip(("losses", "maxima", "sums"), found, wanted):
            check_close(one, right, f"{name} of scores ({n}, {c})", rtol=3e-6, atol=3e-6)


def test_losses_of_large_scores():
    x = np.float32([[1000, 0, -1000], [-1e4, -1e4, -1e4], [1e5, 0, 1e5]])
    classes = np.array([1, 2, 0])
    wanted = cross_entropy_by_numpy(x, classes)[0]
    found = run_kernel(cross_entropy_kernel, [x, classes], [empty(3) for _ in range(3)])[0]
    check_close(found, wanted, f"losses of {x.tolist()}, classes {classes}")


def test_the_gradient_of_each_row():
    for n, c in ((1, 1), (1, 7), (3, 5), (5, 3), (20, 65), (2, 3000)):
        x, classes = scores_and_classes(n, c, seed=1)
        g = drawn(n, seed=2)
        g[1:2] = 0
        _, m, total, slopes = cross_entropy_by_numpy(x, classes)
        inputs = [g, x, classes, m.astype(np.float32), total.astype(np.float32)]
        (found,) = run_kernel(cross_entropy_gradient_kernel, inputs, [empty(n, c)])
        check_close(found, g[:, None] * slopes, f"the gradient of scores ({n}, {c})")


def test_the_gradient_of_large_scores():
    x, classes = np.float32([[1000, 0, -1000], [-1e4] * 3, [1e5, 0, 1e5]]), np.array([1, 2, 0])
    _, m, total, slopes = cross_entropy_by_numpy(x, classes)
    inputs = [np.ones(3, np.float32), x, classes, m.astype(np.float32)]
    inputs += [total.astype(np.float32)]
    (found,) = run_kernel(cross_entropy_gradient_kernel, inputs, [empty(3, 3)])
    check_close(found, slopes, f"the gradient of {x.tolist()}, classes {classes}")


def test_cross_entropy_and_its_gradient_stay_in_float32_and_in_the_loop():
    (x, classes), row = scores_and_classes(3, 5), drawn(3)
    check_stays_float32(cross_entropy_kernel, x, classes, row, row, row)
    check_stays_float32(cross_entropy_gradient_kernel, row, x, classes, row, row, x)


def test_cross_entropy_and_its_gradient_make_one_trip_to_memory():
    (x, classes), row = scores_and_classes(24, 32), drawn(24)
    check_one_trip(cross_entropy_kernel, x, classes, row, row, row)
    check_one_trip(cross_entropy_gradient_kernel, row, x, classes, row, row, x)


def test_the_gradient_takes_maxima_and_sums_as_they_are_given():
    (x, classes), row, cache = scores_and_classes(8, 32), drawn(8), Cache()
    quick = compiled_with(cross_entropy_gradient_kernel, exp=np.exp)
    run_in_python(quick, row, *watched(cache, x), classes, row, row, np.zeros((8, 32)))
    assert cache.used <= 1.5 * x.size, (
        f"the gradient reads {x.size} scores {cache.used} times, where once is enough:\n"
        "the maximum and the sum of each row are given"
    )


# %% [markdown]
# The gradient computes each exponential a second time, and an exponential is the most expensive thing in it.
# **Predict:** how much faster is the pair if forward keeps its exponentials in an array?


# %%
predicted_kept = None  # how many times faster? a number

# %%
from tinytorch.given.acceleration import alternatives

logits, classes = drawn(512, 50_257), np.arange(512)
g, losses, maxima, sums = drawn(4, 512)
kept, gradient = np.zeros((2, 512, 50_257), np.float32)
saved = classes, maxima, sums
times = {
    "computed twice": (
        best(lambda: cross_entropy_kernel(logits, classes, losses, maxima, sums), 5),
        best(lambda: cross_entropy_gradient_kernel(g, logits, *saved, gradient), 5),
    ),
    "kept": (
        best(
            lambda: alternatives.keeping_cross_entropy(logits, classes, losses, sums, kept), 5
        ),
        best(
            lambda: alternatives.kept_cross_entropy_gradient(g, kept, *saved[::2], gradient), 5
        ),
    ),
}
for name, (forward, backward) in times.items():
    print(f"{name:14} {forward:5.1f} + {backward:5.1f} = {forward + backward:5.1f} ms")
print(f"and {kept.nbytes / 1e6:.0f} MB are kept")
compare(predicted_kept, sum(times["computed twice"]) / sum(times["kept"]), "times")
del logits, kept, gradient

# %% [markdown]
# Hardly at all: what backward saves in arithmetic, forward loses by writing another 103 MB. Your exponential costs
# about as much as its four bytes on their way to memory and back. To compute again what would have to be fetched is
# what FlashAttention (module 17b) does, too.
#
# ## 8. Layer normalisation
#
# Mean, variance, and then $y = n \cdot w + b$ with $n = (x - \mu)\,r$ and $r = 1/\sqrt{\mathrm{var} + \varepsilon}$:
# three short loops over a row that stays in the cache. Keep $\mu$ and $r$ of each row, two numbers, for the gradient.
#
# The variance could be had in the same loop as the mean, as mean(x²) - mean(x)². Do not: for x around 1,000 with
# deviations of 0.1 both are a million, and their difference has no right digit left. What the third loop costs is
# measured below.
#
# <details><summary>Hint 1</summary>Three inner loops: the sum, the sum of squared distances from the mean, the
# result.</details>
# <details><summary>Hint 2</summary><code>m = total / float32(width)</code>: the width is an integer, and an int64 with
# a float32 makes a float64. <code>np.sqrt</code> of a float32 is fine.</details>
# <details><summary>Hint 3</summary>Compute r once for each row, by one division, and not in the third loop.
# <code>ONE</code> is the 1 that stays in float32.</details>


# %% stub="layer-norm"
#| export
@kernel(fastmath=SUM)
def layer_norm_kernel(x, weight, bias, eps, out, means, inverses):
    """Normalise rows, scale and shift entries, in one trip: (x - mean) r weight + bias.

    r = 1 / sqrt(var + eps), with var the mean of (x - mean)²

    Args:
        x: float32 (N, D), contiguous.
        weight, bias: float32 (D,).
        eps: a float32.
        out: float32 (N, D), which is overwritten.
        means, inverses: float32 (N,), overwritten with each row's mean and its r.
    """
    width = x.shape[1]
    ### BEGIN SOLUTION
    for i in range(len(x)):
        row, result = x[i], out[i]
        total, square = float32(0), float32(0)
        for j in range(width):
            total += row[j]
        m = total / float32(width)
        for j in range(width):
            square += (row[j] - m) * (row[j] - m)
        r = ONE / np.sqrt(square / float32(width) + eps)
        for j in range(width):
            result[j] = (row[j] - m) * r * weight[j] + bias[j]
        means[i], inverses[i] = m, r
    ### END SOLUTION


# %% test="layer-norm" points=6
ROWS = ((3, 5), (5, 3), (1, 2), (1, 40), (4, 4), (37, 50))


def normalised_by_numpy(x, eps):
    x = x.astype(float)
    m, r = x.mean(axis=1), 1 / np.sqrt(x.var(axis=1) + eps)
    return m, r, (x - m[:, None]) * r[:, None]


def check_layer_norm(x, eps, about, rtol=1e-5, atol=2e-6):
    weight, bias = drawn(x.shape[1], seed=1), drawn(x.shape[1], seed=2)
    m, r, n = normalised_by_numpy(x, eps)
    outputs = [empty(*x.shape), empty(len(x)), empty(len(x))]
    found = run_kernel(layer_norm_kernel, [x, weight, bias], outputs, [np.float32(eps)])
    for name, one, wanted in zip(
        ("out", "means", "inverses"), found, (n * weight + bias, m, r)
    ):
        check_close(one, wanted, f"{name} for {about}, eps {eps}", rtol, atol)


def test_rows_are_normalised_scaled_and_shifted():
    for shape in ROWS:
        check_layer_norm(drawn(*shape, scale=3) + np.float32(1), 1e-5, f"x {shape}")
        check_layer_norm(drawn(*shape), 0.5, f"x {shape}")
    check_layer_norm(np.full((2, 3), 2, np.float32), 1e-5, "numbers that are all 2")


def test_the_mean_may_be_large():
    x = np.float32(1000) + drawn(4, 64, scale=0.1)
    check_layer_norm(x, 1e-5, "numbers of 1000 and a little", rtol=1e-2, atol=1e-2)


def test_layer_norm_stays_in_float32():
    x, row, column = drawn(3, 5), drawn(5), drawn(3)
    check_stays_float32(layer_norm_kernel, x, row, row, ONE, x, column, column)


def test_layer_norm_makes_one_trip_to_memory():
    x, row, column = drawn(24, 32), drawn(32), drawn(24)
    check_one_trip(layer_norm_kernel, x, row, row, ONE, x, column, column)


# %% [markdown]
# The gradient, from module 13, with $d = g \cdot w$ and means over the row:
#
# $$\bar x = r\,\big(d - \overline{d} - n\,\overline{d\,n}\big), \qquad \bar w_j = \sum_i g_{ij}\,n_{ij}, \qquad \bar b_j = \sum_i g_{ij}$$
#
# Two loops for a row: the first adds up both means, and meanwhile the gradients of weight and bias; the second writes
# $\bar x$. NumPy needs about fifteen arrays of the size of x for that.
#
# <details><summary>Hint 1</summary>In the first loop: <code>n = (row[j] - m) * r</code> and
# <code>d = g[j] * weight[j]</code>; four sums grow.</details>
# <details><summary>Hint 2</summary>The four: of d and of d n, two numbers that start at zero in each row; and in each
# column of g n and of g. Divide the first two by the width.</details>
# <details><summary>Hint 3</summary>Compute n and d again in the second loop: that is cheaper than to keep them. The
# width is an integer, so divide by <code>float32(width)</code>.</details>


# %% stub="layer-norm-gradient"
#| export
@kernel(fastmath=SUM)
def layer_norm_gradient_kernel(
    grad, x, weight, means, inverses, grad_x, grad_weight, grad_bias
):
    """Compute the gradients of rows, weight and bias, with the rows read while in the cache.

    Args:
        grad: the gradient of the output, float32 (N, D).
        x, weight: as for `layer_norm_kernel`.
        means, inverses: what it has written.
        grad_x: float32 (N, D), which is overwritten.
        grad_weight, grad_bias: float32 (D,), to which every row's share is added.
    """
    width = x.shape[1]
    ### BEGIN SOLUTION
    for i in range(len(x)):
        g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        first, second = float32(0), float32(0)
        for j in range(width):
            n, d = (row[j] - m) * r, g[j] * weight[j]
            first += d
            second += d * n
            grad_weight[j] += g[j] * n
            grad_bias[j] += g[j]
        first, second = first / float32(width), second / float32(width)
        for j in range(width):
            n, d = (row[j] - m) * r, g[j] * weight[j]
            result[j] = r * (d - first - n * second)
    ### END SOLUTION


# %% test="layer-norm-gradient" points=9
def test_the_gradients_of_layer_norm():
    for shape in (*ROWS, (300, 16)):
        x, g = drawn(*shape, scale=3) + np.float32(1), drawn(*shape, seed=1)
        g[:, 0] = 0
        weight = drawn(shape[1], seed=2)
        m, r, n = normalised_by_numpy(x, 1e-2)
        d = g.astype(float) * weight
        mean = lambda a: a.mean(axis=1, keepdims=True)
        wanted = r[:, None] * (d - mean(d) - n * mean(d * n)), (g * n).sum(0), g.sum(0)
        before = [np.arange(shape[1], dtype=np.float32) for _ in range(2)]
        inputs = [g, x, weight, m.astype(np.float32), r.astype(np.float32)]
        outputs = [empty(*shape), *map(framed, before)]
        found = run_kernel(layer_norm_gradient_kernel, inputs, outputs)
        check_close(found[0], wanted[0], f"the gradient of x {shape}", 1e-4, 1e-5)
        for name, one, right, old in zip(("weight", "bias"), found[1:], wanted[1:], before):
            about = f"the gradient of the {name} for x {shape}, added to what was there"
            check_close(one, old + right, about, 1e-5, 1e-4)


def test_the_gradient_of_layer_norm_stays_in_float32():
    x, row, column = drawn(3, 5), drawn(5), drawn(3)
    check_stays_float32(layer_norm_gradient_kernel, x, x, row, column, column, x, row, row)


def test_the_gradient_of_layer_norm_makes_one_trip_to_memory():
    x, row, column = drawn(24, 32), drawn(32), drawn(24)
    check_one_trip(layer_norm_gradient_kernel, x, x, row, column, column, x, row, row)


# %% [markdown]
# **Predict:** with the variance by mean(x²) - mean(x)², forward needs two loops instead of three. How much of its time
# does that save for 128 rows, which stay in the cache, and for 16,384?


# %%
for count in (128, 16_384):
    rows, w = drawn(count, 512) + float32(300), drawn(512, seed=1)
    outs = np.empty_like(rows), *np.empty((2, count), np.float32)
    inputs = [Parameter(from_numpy(array)) for array in (rows, w, w)]
    plain = best(lambda x=inputs: layer_norm(x[0], (512,), *x[1:]), 3)
    print(f"{count} rows: NumPy {plain:.3f} ms", end="")
    for name, compiled in {
        "three": layer_norm_kernel,
        "two": alternatives.two_loops_layer_norm,
    }.items():
        run = functools.partial(compiled, rows, w, w, float32(1e-5), *outs)
        milliseconds, right = best(run, 7), rows.std(1, dtype=np.float64)
        error = abs(outs[2] * right - 1).max()
        print(f", {name} loops {milliseconds:.3f} ms (deviation off by {error:.0e})", end="")
    print()

# %% [markdown]
# A fifth or so in the cache, next to nothing from memory: a row that has come is read again almost for free. Count
# trips to memory, not loops.
#
# %% [markdown]
# ## 9. Counting trips: AdamW and the embedding's gradient
#
# A loop with little arithmetic takes the time of its bytes, so you can predict it. Adam's update reads a weight, its
# gradient, m and v, and writes three of them back: 7 trips, 28 bytes for a weight. Your NumPy version makes 30, Adam's
# 28 (module 07) and two for the decay. With the bias corrections folded into the step size and eps, as `corrected` in
# module 07 does, the whole of it is, for one weight,
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\,g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\,g^2, \qquad w \leftarrow \text{decay} \cdot w - \text{size}\,\frac{m}{\sqrt v + \varepsilon}$$
#
# The kernel's options are float32, and $1 - \beta$ cannot be computed from a float32: 0.999 is off by up to 3e-8
# there, which is 3e-5 of the 0.001 that the subtraction leaves. So `new1` and `new2` come as arguments, computed in
# float64 and rounded once.
#
# <details><summary>Hint 1</summary>One loop. Take <code>g = grad[i]</code> out once, and write m and v back before they
# are used in the last line.</details>
# <details><summary>Hint 2</summary>Every option is there: <code>1 - beta1</code> is <code>new1</code>.</details>
# <details><summary>Hint 3</summary>Three assignments in the order of the formulas: the new m and v are what w moves by.
# eps is added to the root, not under it.</details>


# %% stub="adamw"
#| export
@kernel
def adamw_kernel(w, grad, m, v, decay, beta1, new1, beta2, new2, size, eps):
    """Take one step of AdamW in place, in one pass over memory.

    Args:
        w, m, v: weights and both means, float32 (n,), changed in place.
        grad: the gradient, float32 (n,).
        decay: what the weights are multiplied with first; 1 for no decay.
        beta1, new1: how much of m stays, and how much of the gradient comes to it: 1 - beta1.
        beta2, new2: the same for v and the gradient's square.
        size, eps: the step size and eps, with the bias corrections in them.
    """
    ### BEGIN SOLUTION
    for i in range(w.size):
        g = grad[i]
        m[i] = beta1 * m[i] + new1 * g
        v[i] = beta2 * v[i] + new2 * g * g
        w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
    ### END SOLUTION


# %% test="adamw" points=5
def step_with_gradient(grad, outputs, options):
    """Run the kernel, whose gradient comes behind the weights."""

    def adamw(grad, w, m, v):
        decay, beta1, beta2, size, eps = options
        numbers = decay, beta1, 1 - beta1, beta2, 1 - beta2, size, eps
        adamw_kernel(w, grad, m, v, *map(np.float32, numbers))

    adamw.__name__ = "adamw_kernel"
    run_kernel(adamw, [grad], outputs)


def test_a_step_of_adamw():
    for n, options in (
        (5, (0.75, 0.5, 0.25, 0.5, 0.5)),
        (1, (1.0, 0.999, 0.999, 0.1, 1e-8)),
        (1001, (0.9, 0.8, 0.99, 1e-2, 1e-3)),
    ):
        w, g, m = drawn(3, n)
        g[1:2] = 0
        v = np.abs(drawn(n, seed=1))
        if n == 1:
            m, v = np.zeros((2, n), np.float32)
        decay, beta1, beta2, size, eps = options
        m_wanted = beta1 * m.astype(float) + (1 - beta1) * g
        v_wanted = beta2 * v.astype(float) + (1 - beta2) * g.astype(float) ** 2
        w_wanted = decay * w - size * m_wanted / (np.sqrt(v_wanted) + eps)
        grad, *found = (framed(a) for a in (g, w, m, v))
        step_with_gradient(grad, found, options)
        names = "decay, beta1, beta2, size, eps"
        wanted = w_wanted, m_wanted, v_wanted
        for name, one, right in list(zip(("w", "m", "v"), found, wanted))[::-1]:
            about = f"{name} after a step with {names} = {options}"
            small = n == 1 or name == "v"
            check_close(one, right, about, rtol=4e-6, atol=1e-12 if small else 1e-6)


def test_a_step_of_adamw_stays_in_float32():
    check_stays_float32(adamw_kernel, *drawn(4, 5), *[np.float32(1)] * 7)


def test_a_step_of_adamw_makes_one_trip_to_memory():
    w, grad, m, v = np.abs(drawn(4, 512))
    arguments = w, grad, m, v, *[np.float32(1)] * 7
    check_one_trip(adamw_kernel, *arguments)
    assert "NRT_Allocate" not in llvm(adamw_kernel, *arguments), (
        "the compiled kernel makes arrays of its own, which are written and read, too:\n"
        "is there one loop, from number to number?"
    )


# %% [markdown]
# **Predict:** 30 trips against 7 for ten million weights, a factor of 4.3? And at how many GB/s does your kernel move
# its 28 bytes, beside a copy of one array, which moves 8?


# %%
count = 10**7
parameter = Parameter(from_numpy(drawn(count)))
parameter.grad = from_numpy(drawn(count, seed=1))
w, g, m, v = drawn(count), parameter.grad.array, *np.zeros((2, count), np.float32)
options = [float32(x) for x in (0.999, 0.9, 0.1, 0.999, 0.001, 1e-3, 1e-8)]
for name, nbytes, run in (
    ("AdamW in NumPy", 120, AdamW([parameter]).step),
    ("your AdamW", 28, lambda: adamw_kernel(w, g, m, v, *options)),
    ("a copy", 8, lambda: np.copyto(m, w)),
    ("x * 1.5 + 2 to another array", 8, lambda: scale_and_shift(w, v)),
    ("x * 1.5 + 2 in place", 8, lambda: scale_and_shift(w, w)),
):
    milliseconds = best(run, 5)
    speed = nbytes * count / milliseconds / 1e6
    print(f"{name:29} {milliseconds:6.1f} ms, {speed:4.1f} GB/s for {nbytes} bytes a number")

# %% [markdown]
# The factor is what you counted, or more. But your kernel moves more bytes a second than a copy, which does nothing
# else. The last two lines are the control: writing to *another* array costs more, because a line is fetched before it
# is written: three trips, not two. AdamW writes only where it has just read.
#
# The second loop is given. `add_rows` of module 06 sorts the indices, because NumPy has no fast way to add to the same
# row twice; a loop needs no sorting.


# %%
#| export
@kernel
def add_rows_kernel(grad, rows, out):
    """Add each row of a gradient to a row of a table: out[rows[i]] += grad[i], for every i."""
    for i in range(len(rows)):
        row, target = grad[i], out[rows[i]]
        for j in range(len(row)):
            target[j] += row[j]


# %% [markdown]
# The gradient of an embedding with 32,768 tokens, for 1,024 tokens of text: zeros for all rows, then 1,024 rows are
# added. The cell times both, alone. **Predict:** how many times the sum of both do they take together?


# %%
predicted_together = None  # times the sum of both; a number


# %%
def zeros():
    return np.zeros((32_768, 256), np.float32)


grad, rows, table = drawn(1024, 256), rng.integers(0, 32_768, 1024), zeros()
added, cleared = best(lambda: add_rows_kernel(grad, rows, table)), best(zeros)
print(f"zeros {cleared:.3f} ms, rows added {added:.3f} ms")
together = best(lambda: add_rows_kernel(grad, rows, zeros()))
print(f"zeros, and rows added to them {together:.3f} ms")
compare(predicted_together, together / (added + cleared), "times")

# %% [markdown]
# `np.zeros` gets a promise from the operating system, which fills each page of memory with zeros when it is first
# touched: 32 MB are written for 1 MB of gradient. No kernel can help; PyTorch's `nn.Embedding(..., sparse=True)` does
# not make the table at all.
#
# %% [markdown]
# ## 10. Products of integers: eight bits, and four
#
# Module 15 promised memory, not time: NumPy has no product of int8, so the integers became floats first. With one input
# at a time (a language model that writes a token), a layer takes the time of fetching its weights, and int8 weights are
# a quarter of the bytes.
#
# Products of two int8 fit int16, sums do not. Processors have an instruction for exactly this: multiply pairs of int16,
# and add neighbours in int32. Compilers often find it by themselves. To be sure, convert in two steps, int8 to int16 to
# int32: `int32(int16(a) * int16(b))`, and keep the sum an int32, by `s = int32(s + ...)`: numba makes int64 of small
# integers.
#
# <details><summary>Hint 1</summary>Three loops: rows of x, rows of the weight, and the numbers in them.</details>
# <details><summary>Hint 2</summary>The sum begins at <code>int32(0)</code> for each pair of rows, and goes to
# <code>out[n, o]</code>.</details>
# <details><summary>Hint 3</summary>Take both rows out before the innermost loop. In it stands one line, with the two
# conversions of the text, one inside the other.</details>


# %% stub="int8-product"
#| export
@kernel
def int8_product_kernel(x, weight, out):
    """Multiply integers and sum them up exactly: out = x weightᵀ.

    Args:
        x: int8 (N, K), contiguous.
        weight: int8 (O, K), contiguous.
        out: int32 (N, O), which is overwritten.

    >>> out = np.empty((1, 1), np.int32)
    >>> int8_product_kernel(np.int8([[127, -128]]), np.int8([[127, 127]]), out)
    >>> out
    array([[-127]], dtype=int32)
    """
    ### BEGIN SOLUTION
    for n in range(len(x)):
        row = x[n]
        for o in range(len(weight)):
            w, s = weight[o], int32(0)
            for k in range(len(w)):
                s = int32(s + int32(int16(row[k]) * int16(w[k])))
            out[n, o] = s
    ### END SOLUTION


# %% test="int8-product" points=5
def test_sums_of_integers_are_exact():
    for n, o, k in ((1, 1, 1), (2, 3, 4), (3, 2, 300), (1, 40, 129), (2, 3, 0)):
        generator = np.random.default_rng(k)
        x, weight = (
            generator.integers(-128, 128, s).astype(np.int8) for s in ((n, k), (o, k))
        )
        wanted = x.astype(np.int64) @ weight.T.astype(np.int64)
        run_in_python(int8_product_kernel, x, weight, np.full((n, o), 99, np.int32))
        outputs = [framed(np.full((n, o), 99, np.int32))]
        (found,) = run_kernel(int8_product_kernel, [x, weight], outputs)
        np.testing.assert_array_equal(found, wanted, err_msg=f"N, O, K = {n}, {o}, {k}")


def test_long_sums_neither_overflow_nor_round():
    x = np.full((1, 5001), -128, np.int8)
    x[0, -1] = 1
    wanted = x.astype(np.int64) @ x.T.astype(np.int64)
    run_in_python(int8_product_kernel, x, x, np.zeros((1, 1), np.int32))
    (found,) = run_kernel(int8_product_kernel, [x, x], [framed(np.zeros((1, 1), np.int32))])
    message = "5,000 times -128 x -128, and 1: too much for int16, and odd beyond float32"
    np.testing.assert_array_equal(found, wanted, err_msg=message)


def test_8_bit_weights_come_once_and_are_multiplied_in_vectors_of_int32():
    x, weight, out = np.int8(drawn(1, 48)), np.int8(drawn(24, 48)), np.ones((1, 24), np.int32)
    check_one_trip(int8_product_kernel, x, weight, out)
    widths = vectors(int8_product_kernel, x, weight, out, kind="i32")
    assert max(widths, default=0) > 1, (
        "the compiled loop multiplies no vectors of int32:\nis the sum an int32, and is each "
        "product converted to int16 and int32?"
    )


# %% [markdown]
# **Predict:** a quarter of the bytes. How many times faster is one row, and how many times 128 rows?


# %%
predicted_int8 = None  # 128 rows: how many times faster? below 1 if slower


# %%
weights = rng.integers(-127, 128, (4096, 4096)).astype(np.int8)
floats = weights.astype(np.float32)
for batch in (1, 16, 128):
    x = rng.integers(-127, 128, (batch, 4096)).astype(np.int8)
    numbers, sums = x.astype(np.float32), np.empty((batch, 4096), np.int32)
    as_floats = best(lambda numbers=numbers: numbers @ floats.T, 3)
    as_int8 = best(lambda x=x, sums=sums: int8_product_kernel(x, weights, sums), 3)
    print(f"batch {batch:3}: float32 {as_floats:5.1f} ms, your int8 {as_int8:5.1f} ms")
compare(predicted_int8, as_floats / as_int8, "times")

# %% [markdown]
# For one row, the fewer bytes win. With more rows the arithmetic counts: BLAS uses each weight for several rows while
# it is in a register, catches up, and wins in the end. So the kernel is called for a few rows only.
#
# Four bits are half of the bytes again. In a layer of module 15, 32 weights of an output are a *group* with a scale of
# its own, and what takes time is the sum within each group:
#
# $$s_o = \sum_{k=0}^{31} x_k\, w_{ko}, \qquad -8 \le w_{ko} \le 7$$
#
# The given part of the product rounds the 32 numbers of x to int16, so small that $s_o$ fits an int16. The weights can
# lie in memory in two ways:
#
# ```
#     by output:  packed[o, k]     o = 0 | b b b b ... b | o = 1 | b b b ...     16 bytes, one sum
#     side by side:  packed[k, o]  k = 0 | b b b b b b b b b b b b b b b ...     a byte for each output
# ```
#
# A byte has weight k in its low four bits and weight 16 + k in its high ones, as `pack_int4` makes them. **Predict**
# what the layout does to the time. `alternatives.int4_sums_by_output`, given, takes the first one. You write the kernel
# for the second, on which the chat of `make milestone chat` runs. Here, too, be sure of types: `byte & 15` is an int64,
# `uint8(byte & uint8(15))` is not.
#
# <details><summary>Hint 1</summary>Begin with zeros. An outer loop over the bytes of a column, k; take out the two
# numbers of x that it needs and the row of bytes; an inner loop over the outputs.</details>
# <details><summary>Hint 2</summary>As in module 15, an exclusive or with 8 turns a half into w + 8, from 0 to 15; with
# 0x88 both halves at once. Subtract 8 as an int16.</details>
# <details><summary>Hint 3</summary>Make each product and each sum an int16: an int16 times an int16 is an int64 for
# numba until it is converted. <code>x[k]</code> goes with the low half, <code>x[len(packed) + k]</code> with
# the high one.</details>


# %% stub="int4-sums"
#| export
@kernel
def int4_sums_kernel(x, packed, sums):
    """Multiply a group with 4-bit weights of many outputs: sums[o] = sum of x[k] w[k, o].

    Args:
        x: int16 (2 H,), whose absolute values add up to at most 4095, so that sums fit int16.
        packed: uint8 (H, O), contiguous: w[k, o] in the low half of packed[k, o] and
            w[H + k, o] in the high half, both from -8 to 7 in two's complement.
        sums: int16 (O,), which is overwritten.

    >>> sums = np.empty(2, np.int16)
    >>> int4_sums_kernel(np.int16([10, 1]), np.uint8([[0x21, 0xFF]]), sums)
    >>> sums
    array([ 12, -11], dtype=int16)
    """
    ### BEGIN SOLUTION
    sums[:] = int16(0)
    half = len(packed)
    for k in range(half):
        a, b, row = x[k], x[half + k], packed[k]
        for o in range(len(row)):
            byte = uint8(row[o] ^ uint8(0x88))  # both halves from 0 to 15: w + 8
            low = int16(int16(uint8(byte & uint8(15))) - int16(8))
            high = int16(int16(uint8(byte >> uint8(4))) - int16(8))
            sums[o] = int16(sums[o] + int16(low * a) + int16(high * b))
    ### END SOLUTION


# %% test="int4-sums" points=6
def group_of(half, outputs, seed=0):
    """Numbers x, weights from -8 to 7 (2 half, outputs), and these packed."""
    generator = np.random.default_rng(seed)
    most = 4095 // (2 * half)
    x = generator.integers(-most, most + 1, 2 * half).astype(np.int16)
    w = generator.integers(-8, 8, (2 * half, outputs)).astype(np.int8)
    return x, w, np.ascontiguousarray(pack_int4(np.ascontiguousarray(w.T)).T)


def test_sums_of_4_bit_weights_are_exact():
    for half, outputs in ((1, 1), (1, 5), (3, 2), (16, 40), (16, 101)):
        x, w, packed = group_of(half, outputs, seed=outputs)
        wanted = x.astype(int) @ w
        run_in_python(int4_sums_kernel, x, packed, np.full(outputs, 77, np.int16))
        (found,) = run_kernel(
            int4_sums_kernel, [x, packed], [framed(np.full(outputs, 77, np.int16))]
        )
        about = f"sums of 2 x {half} weights for {outputs} outputs"
        np.testing.assert_array_equal(found, wanted, err_msg=about)


def test_each_of_the_16_weights_is_read_in_both_halves():
    w = np.arange(-8, 8)
    packed = np.uint8(w & 15)[None]
    for x, name, place in (([4095, 0], "low", packed), ([0, -4095], "high", packed << 4)):
        outputs = [framed(np.zeros(16, np.int16))]
        (found,) = run_kernel(int4_sums_kernel, [np.int16(x), place], outputs)
        about = f"weights -8 to 7 in the {name} halves of bytes, x = {x}"
        np.testing.assert_array_equal(found, sum(x) * w, err_msg=about)


def test_bytes_are_read_in_the_order_of_memory():
    (x, _, packed), cache = group_of(16, 64), Cache(lines=8)
    in_python(int4_sums_kernel)(x, *watched(cache, packed), np.zeros(64, np.int16))
    assert cache.fetched <= 2 * packed.size // 16, (
        f"with a cache of 8 lines, {cache.fetched} lines are fetched for packed of\n"
        f"{packed.shape}, which has {packed.size // 16}: does the inner loop run over outputs?"
    )


def test_4_bit_weights_are_multiplied_in_vectors_of_int16():
    x, _, packed = group_of(16, 40)
    widths = vectors(int4_sums_kernel, x, packed, np.zeros(40, np.int16), kind="i16")
    assert max(widths, default=0) > 1, (
        "the compiled loop multiplies no vectors of int16:\nis each number converted to uint8 "
        "or int16 before it is multiplied, and the inner loop over outputs?"
    )


# %%
x = rng.integers(-127, 128, 32).astype(np.int16)
side_by_side = pack_int4(rng.integers(-8, 8, (4096, 32)).astype(np.int8)).T.copy()
layouts = {
    "by output": (alternatives.int4_sums_by_output, np.stack([side_by_side.T.copy()] * 128)),
    "side by side": (int4_sums_kernel, np.stack([side_by_side] * 128)),
}
sums, found = np.empty(4096, np.int16), []
for name, (compiled, groups) in layouts.items():

    def whole_product(compiled=compiled, groups=groups):
        for packed in groups:
            compiled(x, packed, sums)

    print(f"4096 x 4096 weights {name:12} {best(whole_product, 5):.2f} ms")
    found.append(sums.copy())
assert (found[0] == found[1]).all()

# %% [markdown]
# By output, half of the bytes are slower than int8, and may be slower than float32: a sum of 32 is over before vectors
# have begun, and has to be added up across them. Side by side, nothing is added across a vector. The layout belongs to
# the kernel: `Int4Linear` keeps its weights so.
#
# ## 11. Kernels in the place of operations
#
# Your model calls `softmax`, which calls `Softmax.apply`, which calls `Softmax.forward`. `register_kernel`, given, lets
# a kernel take that last place: for the calls that it can serve, and until it is removed. Three functions describe it:
# a forward, which saves what the operation's own forward saves; a rule, like those of module 06; and a condition on the
# arguments. Here they are for softmax.


# %%
#| export
def fits(*arrays):
    """Whether arrays are what kernels take: float32, contiguous, of NumPy, not empty."""
    return all(
        type(a) is np.ndarray and a.dtype == np.float32 and a.flags.c_contiguous and a.size
        for a in arrays
    )


def rows_of(x):
    """An array (..., D) as rows (N, D)."""
    return x.reshape(-1, x.shape[-1])


def contiguous(grad):
    """A gradient as kernels take it: it may be transposed, or one number broadcast."""
    return np.asarray(grad, np.float32, order="C")


def softmax_fits(x, dim):
    return fits(x) and x.ndim > 0 and dim in (-1, x.ndim - 1)


def softmax_forward(ctx, x, dim):
    output = np.empty_like(x)
    softmax_kernel(rows_of(x), rows_of(output))
    ctx.save_for_backward(output)
    ctx.axis = x.ndim - 1
    return output


def softmax_backward(ctx, grad):
    (p,) = ctx.saved_tensors
    output = np.empty_like(p)
    softmax_gradient_kernel(rows_of(contiguous(grad)), rows_of(p), rows_of(output))
    return output


# %%
scores = Parameter(from_numpy(drawn(1000, 1000)))
print(f"plain {best(lambda: softmax(scores, 1)):.2f} ms")
with register_kernel(Softmax, softmax_forward, softmax_backward, softmax_fits):
    print(f"with the kernel {best(lambda: softmax(scores, 1)):.2f} ms")
    print(f"along dim 0, not for the kernel, {best(lambda: softmax(scores, 0)):.2f} ms")
print(f"and again without {best(lambda: softmax(scores, 1)):.2f} ms")

# %% [markdown]
# A call that was made with the kernel keeps the kernel's rule, even if its `backward` comes after the block. Second
# derivatives use the operation's own rule.
#
# The rest goes the same way, and is given in `tinytorch/given/acceleration/`: the forwards and rules for your other
# kernels, and more kernels of the same kind (elementwise operations, norms, convolutions, pooling, attention, layers of
# integers). `kernel_table()` lists all of them, some operations twice, as arguments of `register_kernel`. Bias and gelu
# are two operations, so no single one can be replaced; `can_fuse(module)` says whether a module is a GPT's MLP that can
# be served, and `fuse(module)` gives it a forward with your kernel and returns a handle with a `remove()` as well.

# %%
#| export
from tinytorch.given.acceleration.table import *

# %% [markdown]
# What is left for you is `accelerate(model)`: all of them in place at once, also without `with`, and all gone again.
#
# <details><summary>Hint 1</summary><code>register_kernel(*entry)</code> for every entry of <code>kernel_table()</code>.
# Keep what comes back.</details>
# <details><summary>Hint 2</summary><code>model.modules()</code> gives the model and everything in it. Without a model
# nothing is fused.</details>
# <details><summary>Hint 3</summary>Keep the handles of both kinds in one list, also those of <code>fuse(module)</code>
# for each module for which <code>can_fuse(module)</code>. After <code>remove</code> the list is empty: a second
# one would take away what a later acceleration has fused.</details>


# %% stub="accelerate"
#| export
class Acceleration:
    """Kernels in the place of operations, from the moment that this is made until `remove()`.

    Operations are shared: while it lasts, other models run on the kernels as well. Only
    what is fused belongs to the one model.

    Args:
        model: a Module in which bias and gelu are fused, or None.
    """

    def __init__(self, model=None):
        ### BEGIN SOLUTION
        self.handles = [register_kernel(*entry) for entry in kernel_table()]
        if model is not None:
            self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        ### END SOLUTION

    def remove(self):
        """Take everything away again; a second time there is nothing to do."""
        ### BEGIN SOLUTION
        for handle in self.handles:
            handle.remove()
        self.handles = []
        ### END SOLUTION

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


#| export
def accelerate(model=None):
    """Run a model on kernels, until the end of the `with` block or the result's `remove()`.

    >>> with accelerate():
    ...     softmax(tensor([[0.0, 0.0]]), 1)
    tensor([[0.5000, 0.5000]])
    """
    return Acceleration(model)


# %% test="accelerate" points=7
def small_gpt():
    manual_seed(0)
    return GPT(GPTConfig(11, 8, n_layer=2, n_head=2, n_embd=8, dropout=0.0))


def in_place():
    """How many kernels each operation of the table has."""
    return [kernels_of(entry[0]) for entry in kernel_table()]


def all_in_place():
    """How many it has where every entry is registered once: an operation may have several."""
    names = [entry[0] for entry in kernel_table()]
    return [names.count(name) for name in names]


def fused(model):
    return [m for m in model.modules() if "forward" in vars(m)]


def test_kernels_are_in_place_until_the_block_ends():
    before, model = in_place(), small_gpt()
    assert sum(before) == 0, "no kernel is registered before this test begins"
    with accelerate(model) as result:
        missing = sum(all_in_place()) - sum(in_place())
        assert missing == 0, (
            "every entry of kernel_table() is registered, once; "
            f"the operations of its entries have {missing} kernels too few"
        )
        assert len(fused(model)) == 2, f"two MLPs are to be fused, not {len(fused(model))}"
        assert isinstance(result, Acceleration), "the block's `as` gives the Acceleration"
    left = sum(in_place())
    assert left == 0, f"after the block every kernel is gone, but entries have {left} in all"
    assert not fused(model), "after the block no module has a forward of its own"


def test_kernels_are_in_place_without_a_block():
    model = small_gpt()
    for make in (accelerate, Acceleration):
        handle = make(model)
        missing, changed = sum(all_in_place()) - sum(in_place()), len(fused(model))
        handle.remove()
        assert (missing, changed) == (0, 2), (
            f"{make.__name__}(model), without `with`, registers all kernels and fuses two "
            f"MLPs until remove(); {missing} kernels were missing, and {changed} MLPs fused"
        )


def test_modules_are_fused_where_can_fuse_says_so():
    for about, model in {
        "a GPT without biases": GPT(GPTConfig(11, 8, 2, 2, 8, dropout=0.0, bias=False)),
        "a GPT in evaluation mode": small_gpt().eval(),
        "an MLP by itself": small_gpt().transformer.h[0].mlp,
    }.items():
        wanted = [m for m in model.modules() if can_fuse(m)]
        with accelerate(model):
            found = fused(model)
        assert found == wanted, (
            f"{about}: {len(wanted)} modules are to be fused, and not {len(found)}"
        )
        left = len(fused(model))
        assert left == 0, f"{about}: after the block none is fused, and not {left}"


def test_what_is_fused_already_stays_so():
    model = small_gpt()
    with accelerate(model):
        with accelerate(model):
            found = len(fused(model))
        left = len(fused(model))
    assert (found, left) == (2, 2), (
        "a second accelerate(model) finds two MLPs that are fused, and leaves them so: "
        f"{found} are fused while it lasts, {left} after it"
    )


def test_remove_can_be_called_twice_and_takes_only_its_own_away():
    first, second = accelerate(small_gpt()), accelerate()
    twice = in_place()
    first.remove()
    first.remove()
    once = in_place()
    second.remove()
    assert sum(in_place()) == 0, "after both have been removed no kernel is left"
    half_left = twice == [2 * n for n in once]
    assert half_left, (
        f"two accelerations, one with a model, have registered {sum(twice)} kernels; the "
        f"first one's remove() leaves {sum(once)}, and should leave half of each operation's"
    )


def test_a_second_remove_leaves_a_later_acceleration_alone():
    model = small_gpt()
    first = accelerate(model)
    first.remove()
    with accelerate(model):
        first.remove()
        left = len(fused(model))
        assert left == 2, f"two MLPs are fused by the later accelerate(model), and not {left}"


def test_loss_and_gradients_stay_what_they_were():
    model, tokens = small_gpt(), tensor(np.arange(16).reshape(2, 8) % 11)
    targets, found = tensor((np.arange(16).reshape(2, 8) * 3) % 11), []
    for block in (None, accelerate):
        handle = block(model) if block else None
        for p in model.parameters():
            p.grad = None
        loss = next_token_loss(model(tokens), targets)
        loss.backward()
        found.append([loss.item(), *[p.grad.numpy() for p in model.parameters()]])
        if handle is not None:
            handle.remove()
    for one, wanted in zip(found[1], found[0]):
        check_close(one, wanted, "loss and gradients with kernels and without", 1e-4, 1e-5)


# %% [markdown]
# The models of this course, one training step each, without and with kernels. Runs with and without alternate, so that
# a slow minute of the machine hits both.


# %%
def step_of(model, loss_of):
    optimizer = AdamW(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()

    return step


def plain_and_accelerated(model, run, rounds=2, repeats=3):
    """The shortest times in milliseconds, without kernels and with them, in turns."""
    times = [], []
    for _ in range(rounds):
        times[0].append(best(run, repeats))
        with accelerate(model):
            times[1].append(best(run, repeats))
    return min(times[0]), min(times[1])


manual_seed(0)
images, labels = randn(64, 1, 28, 28), tensor(np.arange(64) % 10)
lenet = LeNet()
config = GPTConfig(256, 128, n_layer=4, n_head=4, n_embd=128, dropout=0.0)
gpt, tokens = GPT(config), tensor(rng.integers(0, 256, (4, 129)))
losses = {
    "LeNet, 64 images 28 x 28": (lenet, lambda m: cross_entropy(m(images), labels)),
    "GPT, 4 x 128 tokens": (gpt, lambda m: next_token_loss(m(tokens[:, :-1]), tokens[:, 1:])),
}
for name, (model, loss_of) in losses.items():
    plain, fast = plain_and_accelerated(model, step_of(model, loss_of))
    print(f"{name}: {plain:.1f} ms, with kernels {fast:.1f} ms: {plain / fast:.2f}x")

# %%
layer, row = Linear(4096, 4096), from_numpy(drawn(1, 4096))
layers = layer, quantize_dynamic(Sequential(layer)), Int4Linear(layer)
for name, one in zip(("float32", "8 bits", "4 bits"), layers):
    plain, fast = plain_and_accelerated(one, lambda one=one: one(row))
    print(f"a row through 4096 x 4096 in {name}: {plain:.1f} ms, with kernels {fast:.1f} ms")

# %% [markdown]
# Why not more, when single kernels are two to ten times faster? Much of these steps is in matrix products, which were
# fast already. If a share p of the time becomes s times faster, the whole becomes $1 / (1 - p + p/s)$ times faster
# (Amdahl's law). Module 14's profile says what p is.
#
# ## Systems: your kernels under the roof
#
# The roof of module 14: no loop does more arithmetic than the processor's peak, and none moves more bytes than memory
# does. What a kernel needs at least is easy to count: each array once, and the arithmetic in its formula. An `exp` is
# 18 operations here.


# %%
by_processor = functools.partial(measure_latency, repeats=10, clock=time.process_time)
machine = measure_machine(1024, 64_000_000, by_processor)
x, g = drawn(2, 8192, 1024)
y, row, other = np.empty_like(x), np.ones(1024, np.float32), np.zeros(1024, np.float32)
column, one = np.ones((3, 8192), np.float32), np.float32(1)
classes, flat = np.zeros(8192, np.int64), [a.reshape(-1) for a in (x, g, y, np.abs(g))]
sums = np.zeros(1024, np.float32)
kept = column[2], x, classes, *column[:2], y
means = g, x, row, *column[:2], y, sums, other
kernels = {  # the kernel, its arguments, arithmetic and bytes for each number
    "transpose": (transpose_kernel, (x, y.reshape(1024, 8192)), 0, 8),
    "exp": (exp_kernel, (flat[0], flat[2]), 18, 8),
    "bias + gelu": (bias_gelu_kernel, (x, row, y), 28, 8),
    "bias + gelu, gradient": (bias_gelu_gradient_kernel, (g, x, row, y, sums), 37, 12),
    "softmax": (softmax_kernel, (x, y), 22, 8),
    "softmax, gradient": (softmax_gradient_kernel, (g, x, y), 4, 12),
    "cross-entropy": (cross_entropy_kernel, (x, classes, *column), 20, 4),
    "cross-entropy, gradient": (cross_entropy_gradient_kernel, kept, 20, 8),
    "layer norm": (layer_norm_kernel, (x, row, other, one, y, *column[:2]), 8, 8),
    "layer norm, gradient": (layer_norm_gradient_kernel, means, 16, 12),
    "AdamW": (adamw_kernel, (*flat, *[one] * 7), 14, 28),
}


# %%
points = {}
for name, (compiled, arguments, flops, nbytes) in kernels.items():
    seconds = best(functools.partial(compiled, *arguments), 5) / 1e3
    points[name] = flops / nbytes, flops * x.size / seconds, nbytes * x.size / seconds
    speed = points[name][2] / 1e9
    share = f"{1e9 * speed / machine.bytes_per_second:.0%} of a copy's"
    print(f"{name:24} {seconds * 1e3:6.2f} ms {speed:6.1f} GB/s, {share}")
draw_kernels(machine, {name: point[:2] for name, point in points.items() if point[1]})

# %% [markdown]
# Near the slope memory is the limit, and little is left to win. AdamW may be above it (section 9). Those that move
# their bytes more slowly than a copy are held back by something else: an exponential and a division in bias and gelu,
# three loops over each row in softmax. The transposition does no arithmetic; by its share of a copy's speed it is the
# farthest from its limit.
#
# ### Threads
# `@kernel(parallel=True)` with `numba.prange` splits a loop's iterations among threads. Iterations must not disturb
# each other: over rows of softmax that is so, while the gradient of a bias adds all rows to the same numbers.


# %%
@kernel(parallel=True, fastmath=SUM)
def softmax_on_threads(x, out):
    for i in numba.prange(len(x)):
        row, result = x[i], out[i]
        m, total = largest(row), float32(0)
        for j in range(len(row)):
            result[j] = exp(row[j] - m)
            total += result[j]
        for j in range(len(row)):
            result[j] /= total


print(f"{numba.get_num_threads()} threads")
for rows in (16, 256, 4096):
    clock = time.perf_counter  # elapsed time: two threads use two processors
    serial = best(lambda rows=rows: softmax_kernel(x[:rows], y[:rows]), clock=clock)
    threads = best(lambda rows=rows: softmax_on_threads(x[:rows], y[:rows]), clock=clock)
    print(f"{rows * 1024:9,} numbers: {serial:.3f} ms, on threads {threads:.3f} ms")

# %% [markdown]
# Starting the threads costs tens of microseconds, so small arrays lose. Large ones win if the other core is idle. numba
# uses its own pool here, which sleeps while it waits; OpenMP's would wait actively, and take the cores from BLAS.
#
# ## 12. Break it
#
# **Fast, and wrong.** `fastmath=True` allows everything: also to reorder sums *inside* exp. Then the compiler joins the
# two parts of ln 2, which you have separated for the sake of precision, and forgets NaN.


# %%
careless = numba.njit(fastmath=True, error_model="numpy")(exp.py_func)


@numba.njit
def careless_exp(x, out):
    for i in range(x.size):
        out[i] = careless(x[i])


x = np.linspace(-80, 80, 10_001).astype(np.float32)
x[0] = np.nan
for name, loop in (("exp", exp_kernel), ("careless", careless_exp)):
    y = np.empty_like(x)
    loop(x, y)
    error = np.abs(y / np.exp(x.astype(float)) - 1)[1:].max()
    print(f"{name:9} largest relative error {error:.1e}, exp(nan) is {y[0]}")

# %% [markdown]
# **A float64 slips in.** One constant without `float32(...)`, and the arithmetic behind it is done in float64: half as
# many numbers to a vector, and conversions there and back. Nothing is wrong, so no test of values finds it. Look for
# LLVM's `fpext`, which widens. Here is the sigmoid with a 1 that has a point:


# %%
@kernel
def sigmoid_kernel(x, out):
    for i in range(x.size):
        out[i] = sigmoid(x[i])


@kernel
def slipped(x, out):
    for i in range(x.size):
        e = exp(-abs(x[i]))
        out[i] = (1.0 if x[i] >= 0 else e) / (1.0 + e)


x, y = drawn(2**14), np.empty(2**14, np.float32)
for loop in (sigmoid_kernel, slipped):
    microseconds = 50 * best(lambda loop=loop: [loop(x, y) for _ in range(20)])
    widened = llvm(loop, x, y).count(" fpext ")
    print(f"{loop.__name__}: widened in {widened} places, {microseconds:.1f} microseconds")

# %% [markdown]
# **A constant that stays.** A kernel reads a global number once, when it is compiled. Later changes are silently
# ignored. What should change has to be an argument.


# %%
STEP = float32(2)
times_step = numba.njit(lambda x: x * STEP)
print(times_step(1.0), end=", ")
STEP = float32(100)
print(times_step(1.0))

# %% [markdown]
# **A program to fix.** It computes the mean of each column, and it is right; but a copy, which also writes, takes a
# fraction of its time. Find out why with this lesson's tools (`vectors`, `Cache` with `in_python` and `watched`), and
# make it as fast as a copy.


# %%
@kernel(fastmath=SUM)
def column_means(x, out):
    for j in range(x.shape[1]):
        total = float32(0)
        for i in range(len(x)):
            total += x[i, j]
        out[j] = total / float32(len(x))


x, means = drawn(4096, 1024), np.empty(1024, np.float32)
print(f"means {best(lambda: column_means(x, means), 3):.1f} ms, ", end="")
print(f"a copy {best(lambda: np.copyto(np.empty_like(x), x), 3):.1f} ms")

# %% [markdown]
# <details><summary>Answer</summary>The inner loop goes down a column, so each number comes with a line of 16, of which
# one is used. For 256 x 64 numbers, <code>cache = Cache(128);
# in_python(column_means)(*watched(cache, drawn(256, 64), drawn(64)))</code> counts 16,448 lines fetched; the array has
# 1,024. Exchange the loops, as in section 3: set <code>out</code> to zero, and for each row add
# <code>row[j]</code> to <code>out[j]</code>; divide at the end. Then 1,028 lines are fetched, and 4096 x 1024 numbers
# take 1.7 ms in place of 44: less than the copy, for nothing large is written.</details>
#
# ## In PyTorch
#
# ```python
# import torch
#
# torch.set_num_threads(1)                                  # as you have measured here
# model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU("tanh"))
# x = torch.randn(8, 64)
# fast = torch.compile(model)                               # nothing happens yet
# torch.testing.assert_close(fast(x), model(x))             # now it is traced and compiled: some seconds
# torch.nn.functional.gelu(x, approximate="tanh")           # one kernel in C++
# torch.optim.AdamW(model.parameters(), fused=True)         # one kernel for the whole update
# ```
#
# PyTorch's kernels are fused within an operation, not across operations. `torch.compile` finds chains of elementwise
# operations and reductions and writes loops for them, in C++ or Triton: what you did by hand for bias and gelu.
#
# ## Questions to think about
#
# 1. Relu takes as long as a copy in NumPy already. What is the least time of bias + relu as two calls, and as one
#    kernel?
#
# <details><summary>Answer</summary>Each call reads an array and writes one, and no call that moves its bytes through
# memory can be faster than a copy. So two calls take at least two copies, and one kernel at least one. With
# <code>x</code> of 4096 x 1024 numbers, <code>np.add</code> and <code>np.maximum</code> took 7.5 to 8.0 ms, a kernel
# with <code>v = row[j] + bias[j]</code> and <code>result[j] = v if not v < ZERO else ZERO</code> 3.6 ms, and a copy 2.6
# ms: a little over half, as counted. For an array that stays in the cache, count passes over the cache in the same
# way.</details>
#
# 2. Why does `exp` need its first cut, at 89? What would `int32(i << int32(23))` be for x = 100?
#
# <details><summary>Answer</summary>100 log2(e) + 127.5 = 271.8, so i = 271, which takes nine bits: 1 0000 1111. Shifted
# left by 23, the ninth bit lands on the sign, and 15 is left for the exponent: read as a float32 that is -2<sup>15 -
# 127</sup> = -1.9e-34, so e<sup>100</sup> would be tiny and negative. There is no error, because bits that do not fit
# are dropped. <code>np.uint32(271 &lt;&lt; 23 &amp; 0xFFFFFFFF).view(np.float32)</code> shows it. With the cut, i is
# 255 at most, and those bits mean infinity.</details>
#
# 3. Degree 4 has an error of 3e-6. For which of your kernels would that do, and what would it save, given where they
#    stand under the roof?
#
# <details><summary>Answer</summary>It saves one multiplication and one addition of 18. For probabilities that are
# sampled from, or rounded to bfloat16 (an error of up to 4e-3) or to eight bits, 3e-6 is plenty; but a library cannot
# know who calls. And it saves little: with <code>compiled_with(softmax_kernel, exp=...)</code> and the coefficients of
# <code>fit_exponential(4)</code>, softmax of 64 rows in the cache went from 49 to 47 microseconds. Only a kernel that
# arithmetic limits can gain, a tenth at most. One that waits for memory gains nothing.</details>
#
# 4. `softmax_kernel` reads its row from the nearest cache in the second and third loop. How long may a row be until
#    that ends?
#
# <details><summary>Answer</summary>The row and its result take 8 bytes a number: 32 kB, a usual first cache, hold 4,096
# numbers. But the time does not jump there. From 512 to 524,288 numbers a row it was 0.8 to 0.9 ns a number, with
# 1,048,576 (8 MB) 1.2 ns, and with 2,097,152 1.7 ns. The exponential takes long enough for the second and the third
# cache to deliver meanwhile; only when a row and its result no longer fit there does each loop wait for memory. Time
# <code>softmax_kernel</code> with a few lengths; sizes of caches differ.</details>
#
# 5. The gradient of layer norm adds each row to `grad_weight`. How would you split its rows among threads?
#
# <details><summary>Answer</summary>Give each thread a block of rows, and a <code>grad_weight</code> and
# <code>grad_bias</code> of its own, zeros at first: an array (threads, D), in which each thread adds to its own row. At
# the end, sum over the threads. That costs threads x D additions, little beside N x D. If all threads added to the
# same numbers, additions would be lost: both read the old sum, and the later write wins. The sums are now in another
# order, so the last digits change with the number of threads, as in section 6.</details>
#
# ## To read
#
# - Jason Ansel and others, *PyTorch 2: Faster Machine Learning Through Dynamic Python Bytecode Transformation and Graph
#   Compilation* (2024), TorchInductor: how a compiler fuses.
# - Kazushige Goto and Robert van de Geijn, *Anatomy of High-Performance Matrix Multiplication* (2008), section 4:
#   packing.
# - Samuel Williams and others, *Roofline: An Insightful Visual Performance Model for Multicore Architectures* (2009):
#   the picture, by its inventors.
# - Jean-Michel Muller, *Elementary Functions* (third edition, 2016), range reduction: how far two parts of ln 2 go.
# - Ulrich Drepper, *What Every Programmer Should Know About Memory* (2007), section 6: loops and caches.
#
# ## An open problem
#
# *Online softmax* finds the maximum and the sum in **one** loop: when a larger number comes, the sum so far is
# multiplied by $e^{\mathrm{old} - \mathrm{new}}$. Write it. For which rows is it faster than `softmax_kernel`, and
# for which slower? The cell says whether it is right.


# %%
@kernel(fastmath=SUM)
def online_softmax_kernel(x, out):
    out[:] = float32(0)  # yours


for shape in ((1, 1), (3, 5), (4, 50_000)):
    x, found = drawn(*shape, scale=5), np.empty(shape, np.float32)
    online_softmax_kernel(x, found)
    right = np.allclose(found, softmax(from_numpy(x), 1).numpy(), rtol=1e-4, atol=1e-7)
    print(f"online softmax of {shape}: {'right' if right else 'not yet'}")

# %% [markdown]
# ## What comes next
#
# Module 17b writes the same kernels for a GPU, where thousands of threads run the body of the loop at once, and where
# the cache is yours to fill. Module 18 makes the GPT's writing faster by doing less.
