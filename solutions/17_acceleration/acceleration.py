# %% [markdown]
# # 17 Acceleration
#
# Your operations are NumPy calls, one after another. Each reads its arrays from memory, does one thing to every number, and writes an array back. In this module you write loops again, as at the very beginning, and let a compiler, numba, turn them into machine code. A loop of your own can do everything that is to be done to a number while the number is there. That is called a *fused* kernel, and PyTorch's operations on a CPU are made of such loops, in C++. The cells below measure yours beside NumPy.
#
# When you are done you will be able to
#
# - say for a loop whether memory, arithmetic or missing vector instructions hold it back, and measure it;
# - cut a loop into tiles that stay in the cache;
# - fit a polynomial, and write an exponential that the compiler turns into vector instructions;
# - fuse bias and gelu, softmax, cross-entropy, layer norm, AdamW and an int8 product into kernels, gradients included;
# - put kernels in the place of a model's operations, without a change to the model, and take them away again;
# - draw your machine's roof, with each kernel under it.
#
# ### Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `accelerate(model)` | `torch.compile(model)` | ours exchanges operations for kernels that you wrote; PyTorch's compiler writes them |
# | `exp` | the vector exponential of the SLEEF library | ours has fewer cases: float32 only |
# | `softmax_kernel`, `layer_norm_kernel`, ... | C++ in ATen's `native/cpu` | float32 in contiguous memory only; all else stays with your NumPy operations |
# | `adamw_kernel` | `torch.optim.AdamW(..., fused=True)` | |
# | `register_kernel` | `torch.library.register_kernel` | ours takes a condition, and gives a handle that removes it |
#
# All is measured on one thread, also NumPy's products, and in processor time, so that a busy machine disturbs little. What threads add comes under Systems.

# %%
#| export
import math

import numpy as np
from numpy import float32, int16, int32

from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.registry import *

# %%
import functools
import re
import time
import types

import numba

from tinytorch.activations import Gelu, Softmax, softmax
from tinytorch.conv import LeNet
from tinytorch.given.acceleration.drawing import draw_errors, draw_kernels
from tinytorch.layers import Parameter
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.profiling import measure_latency, measure_machine
from tinytorch.tensor import Context, from_numpy, manual_seed, randn, tensor
from tinytorch.transformer import GPT, GPTConfig, layer_norm, next_token_loss

# %% [markdown]
# ## 1. What NumPy's way costs
#
# The smallest example: gelu, as in your GPT, of a million numbers. Beside it a copy of the same array. A copy does no arithmetic at all: it is the price of reading and writing.


# %%
def best(run, repeats=15, clock=time.process_time):
    """The shortest of a few runs, in milliseconds of processor time, without waiting."""
    return measure_latency(run, 1, repeats, clock).minimum * 1e3


rng = np.random.default_rng(0)
million = rng.standard_normal((1000, 1000), dtype=np.float32)
out = np.empty_like(million)
copying = best(lambda: np.copyto(out, million))
as_numpy = best(lambda: Gelu.forward(Context(), million, "tanh"))
print(f"copy {copying:.2f} ms, gelu {as_numpy:.2f} ms: {as_numpy / copying:.0f} copies")

# %% [markdown]
# Module 02's gelu goes nine times over the array, and one of the nine is a `tanh`, which is expensive even in NumPy. So write it as one loop. In Python a loop is hopeless, but `numba.njit` translates a function into machine code, when it is called for the first time and its arguments' types are known. All of this is Python still; what may be used is numbers, NumPy arrays, loops, and other compiled functions.


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
# Much faster than Python, and far slower than NumPy: what went wrong? A processor has *vector instructions*, which add or multiply four, eight or sixteen float32 at once. A compiler uses them by itself, if the loop's body is plain arithmetic: it works on eight numbers in place of one. Here it could not. `math.tanh` is a call of a function for one number, and 0.044715 is a float64, so that all the arithmetic was done in float64.
#
# You can look. numba shows the code that it made, in the language of LLVM, where `<8 x float>` is a vector of eight. `vectors` counts the multiplications and additions in it, by how many float32 they take at a time.


# %%
def llvm(compiled, *arguments):
    """The code that numba makes of a function for such arguments.

    What comes from the disk has no code, so it is compiled anew, with the same options.
    """
    signature = tuple(map(numba.typeof, arguments))
    if signature not in compiled.overloads or signature in compiled.stats.cache_hits:
        options = {k: v for k, v in compiled.targetoptions.items() if k != "nopython"}
        compiled = numba.njit(**options)(compiled.py_func)
        compiled.compile(signature)
    return compiled.inspect_llvm(signature)


def vectors(compiled, *arguments):
    """How many multiplications and additions take so many float32 at a time, as a dict."""
    code = llvm(compiled, *arguments)
    found = re.findall(r"= f(?:mul|add|sub) [a-z ]*(?:<(\d+) x float>|(float) )", code)
    widths = [int(wide or 1) for wide, _ in found]
    return {width: widths.count(width) for width in sorted(set(widths))}


@numba.njit
def scale_and_shift(x, out):
    for i in range(x.size):
        out[i] = x[i] * float32(1.5) + float32(2)


print("gelu by the book:", vectors(gelu_by_the_book, flat, flat_out))
print("a multiplication and an addition:", vectors(scale_and_shift, flat, flat_out))
print(f"the latter takes {best(lambda: scale_and_shift(flat, flat_out)):.2f} ms")

# %% [markdown]
# In the loop by the book only the two multiplications of `x[i] ** 3` are done in float32; all else is float64, and not counted here. In the other loop vectors take all the work. It has been *unrolled*: a turn of the compiled loop works on several vectors, each with a multiplication and an addition. What is counted under smaller widths serves the last few numbers, which fill no such vector.
#
# Two rules, then: **float32 constants**, and **no calls that are not compiled into the loop**. From now on kernels are marked `@kernel`, which is given: `numba.njit` that keeps what it compiled on disk, so that the next start costs milliseconds, divides as NumPy does (x / 0 is infinite, without a test for zero, which would stop vectors), and may round a * b + c once instead of twice. A kernel that is called inside another becomes part of its loop.
#
# Two warnings about numba, before you write your first kernel. It does not check indices: a loop that runs too far reads or spoils other memory. The tests put NaN around your arrays to catch that; an index that is far off ends the process, and `make test-module` then says in the tests of which stub. And what a kernel calls is compiled into it: when you change `exp` below, run the cells of the kernels that use it again.

# %% [markdown]
# ## 2. Tiles
#
# Before arithmetic, memory. Memory comes to the processor in *lines* of 64 bytes, 16 float32. Who reads one number has paid for 16. A transposition reads along rows and writes along columns: each number that it writes lies in another line. With a wide matrix the line has left the cache before its next number comes, and it is fetched again, 16 times over.
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
# <details><summary>Hint 1</summary>Four loops: two over the first row and column of a tile, in steps of <code>TILE</code>, and two over the rows and columns inside it.</details>
# <details><summary>Hint 2</summary>The last tiles may be smaller: the inner loops end at <code>min(i + TILE, rows)</code> and <code>min(j + TILE, columns)</code>.</details>
# <details><summary>Hint 3</summary>Of the two loops inside a tile, let the inner one run over the rows of x: neighbours in <code>out</code> are then written one after the other.</details>

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
EDGE = 64  # numbers before and after each array that nobody is to touch


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


def drawn(*shape, seed=0, scale=1.0):
    """Normal random numbers, float32."""
    numbers = np.random.default_rng(seed).standard_normal(shape)
    return (scale * numbers).astype(np.float32)


def run_kernel(compiled, inputs, outputs, options=()):
    """Run a kernel with framed arrays; inputs and frames have to be as they were."""
    name = compiled.__name__
    inputs = [framed(a) for a in inputs]
    kept = [a.copy() for a in inputs]
    compiled(*inputs, *options, *outputs)
    for number, (found, before) in enumerate(zip(inputs, kept)):
        message = f"{name} only reads its argument number {number + 1}"
        np.testing.assert_array_equal(found, before, err_msg=message)
    for array in (*inputs, *outputs):
        memory = array.base
        frame = np.concatenate([memory[:EDGE], memory[-EDGE:]])
        untouched = np.isnan(frame) if frame.dtype.kind == "f" else frame == 99
        assert untouched.all(), (
            f"{name} has written before or after an array: a loop runs too far"
        )
    return outputs


def check_close(found, wanted, about, rtol=2e-6, atol=1e-6):
    """Compare with what float64 gives; numbers that were not written are told apart."""
    unwritten = np.isnan(found) & ~np.isnan(wanted)
    assert not unwritten.any(), f"{about}: {unwritten.sum()} numbers are NaN, or not written"
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=about)


def check_stays_float32(compiled, *arguments):
    """See that nothing is widened to float64 (LLVM's `fpext`) in the compiled code."""
    assert " fpext " not in llvm(compiled, *arguments), (
        f"{compiled.__name__} turns float32 into float64 somewhere in its compiled code: "
        "is a constant, the beginning of a sum or a count not a float32?"
    )


def test_every_number_goes_to_its_place():
    for shape in ((1, 1), (3, 5), (16, 16), (17, 16), (16, 33), (40, 50), (64, 7)):
        x = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        (found,) = run_kernel(transpose_kernel, [x], [empty(*shape[::-1])])
        np.testing.assert_array_equal(found, x.T, err_msg=f"a matrix of {shape}")


class Cache:
    """Counts how often a line of 16 numbers is fetched; it keeps the 128 used last."""

    def __init__(self):
        self.lines, self.fetched, self.used = {}, 0, 0

    def use(self, numbers):
        for number in np.ravel(numbers).tolist():
            line = number // 16
            self.fetched += line not in self.lines
            self.lines.pop(line, None)
            self.lines[line] = True
            if len(self.lines) > 128:
                del self.lines[next(iter(self.lines))]
            self.used += 1
            assert self.used < 100_000, (
                "transpose_kernel reads and writes each number of (160, 144) more than once"
            )


class Watched:
    """An array whose numbers are asked for through a cache; `places` are their addresses."""

    def __init__(self, values, places, cache):
        self.values, self.places, self.cache = values, places, cache

    def __getattr__(self, name):
        found, places = getattr(self.values, name), getattr(self.places, name)
        if callable(found):
            return lambda *args: Watched(found(*args), places(*args), self.cache)
        if isinstance(found, np.ndarray):
            return Watched(found, places, self.cache)
        return found

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        part = Watched(self.values[key], self.places[key], self.cache)
        return part if np.ndim(part.values) else part.__array__()[()]

    def __array__(self, dtype=None, copy=None):
        self.cache.use(self.places)
        return np.asarray(self.values)

    def __setitem__(self, key, value):
        self.values[key] = value
        self.cache.use(self.places[key])


def test_each_line_is_used_up_before_it_leaves_the_cache():
    x, cache = drawn(160, 144), Cache()
    places = np.arange(2 * x.size)
    found = np.zeros((144, 160), np.float32)
    transpose_kernel.py_func(
        Watched(x, places[: x.size].reshape(x.shape), cache),
        Watched(found, places[x.size :].reshape(found.shape), cache),
    )
    lines = 2 * x.size // 16
    assert cache.fetched <= 2 * lines, (
        f"with a cache of 128 lines, {cache.fetched:,} lines are fetched for a matrix of "
        f"(160, 144); tile by tile each of the {lines:,} lines is fetched once"
    )


# %% [markdown]
# Your kernel with tiles of 4 numbers, of 16, of 64, and with the whole matrix as one tile, for 2048 x 2048 numbers and for 2000 x 2000; beside it NumPy's time.


# %%
def with_tile(tile):
    """Your kernel, compiled with another TILE."""
    code = transpose_kernel.py_func.__code__
    return kernel(types.FunctionType(code, globals() | {"TILE": tile}))


for width in (2048, 2000):
    wide = rng.standard_normal((width, width), dtype=np.float32)
    turned = np.empty_like(wide)
    runs = {
        f"tile {tile}": functools.partial(with_tile(tile), wide, turned)
        for tile in (4, 16, 64, width)
    }
    runs |= {
        "NumPy": functools.partial(np.copyto, turned, wide.T),
        "a copy": functools.partial(np.copyto, turned, wide),
    }
    print(", ".join(f"{name} {best(run, 3):.1f} ms" for name, run in runs.items()))

# %% [markdown]
# At 2048 a tile of 16 or 64 is several times faster than no tiles, with the same instructions. 2048 is also the worst of widths: the cache keeps a line in one of a few places that its address decides, and lines whose addresses differ by a large power of two compete for the same places. With 2,000 columns there is room for all, and tiles hardly matter. Powers of two are what networks are made of.
#
# ## 3. An exponential, fitted
#
# Softmax, sigmoid, gelu, cross-entropy: all of them are an exponential with a little arithmetic around it. So everything hangs on an `exp` that is plain arithmetic. The idea is two hundred years old: choose a range where the function is tame, fit a polynomial there, and bring every number into that range. With a whole number n,
#
# $$e^x = 2^n\, e^r, \qquad n = \mathrm{round}(x \log_2 e), \qquad r = x - n \ln 2 \in \left[-\tfrac{\ln 2}{2}, \tfrac{\ln 2}{2}\right]$$
#
# $2^n$ costs nothing: a float32 holds its exponent in bits of its own. What is left is $e^r$ for $|r| \le 0.35$:
#
# $$p(r) = 1 + c_1 r + c_2 r^2 + \dots + c_d r^d$$
#
# Which coefficients? Taylor's, 1, 1/2, 1/6, ... are best *at* 0, and worst where it matters, at the ends. We want the error to be small everywhere, and we want the **relative** error, because a float32 has seven digits whatever its size. So take many points of the interval, and let least squares find the coefficients:
#
# $$\text{minimise} \quad \sum_i \left(\frac{p(r_i) - e^{r_i}}{e^{r_i}}\right)^2$$
#
# Where the points lie matters too. Spread evenly, they leave the ends with the largest error. *Chebyshev's* points crowd there, as the shadows of points on a half circle do:
#
# $$r_i = \frac{\ln 2}{2} \cos\left(\pi\,\frac{i + 1/2}{m}\right), \qquad i = 0, \dots, m - 1$$
#
# <details><summary>Hint 1</summary>Least squares is <code>np.linalg.lstsq(A, b)[0]</code>: it minimises the sum of squares of A c - b. A has a row for each point and a column for each coefficient.</details>
# <details><summary>Hint 2</summary>Without weights: the columns of A are r, r², ..., and b is e^r - 1, since the constant 1 is not fitted.</details>
# <details><summary>Hint 3</summary>Relative: divide each row of A, and its entry of b, by e^r. <code>r[:, None]</code> to the power of a row of exponents is a matrix.</details>


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
    array([0.98])
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
        about = f"degree {degree}: c1 to c{degree} and nothing else, so shape ({degree},)"
        assert np.shape(found) == (degree,), f"{about}, not {np.shape(found)}"
        largest = np.abs(relative_error(found)[1]).max()
        assert largest <= 1.1 * reachable, (
            f"degree {degree}: the largest relative error is {largest:.2e}; {reachable:.2e} "
            f"is reachable. Are the errors divided by e^r, the points Chebyshev's, and the "
            "constant 1 not fitted?"
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
            f"error but of rounding, and not {error:.1e}: are there {m} points, at i + 1/2?"
        )


# %%
taylor = [1 / math.factorial(k) for k in range(1, 6)]
draw_errors({"Taylor": relative_error(taylor), "fitted": relative_error(fit_exponential(5))})
print(", ".join(f"{c:.8g}" for c in fit_exponential(5)))

# %% [markdown]
# The error of the fit is spread over the interval, and its largest is a fraction of Taylor's, which is nearly exact in the middle and wrong at the ends. Degree 5 is enough for float32, whose own steps are 1.2e-7. The numbers that have been printed are yours: copy them into `exp` below.


# %%
#| export
ONE = float32(1)
LOG2_E = float32(1.44269504)
LN2_HIGH, LN2_LOW = float32(0.693359375), float32(-2.12194440e-4)
LOWEST, HIGHEST = float32(-88), float32(89)

# %% [markdown]
# Now the rest, for float32. What is $2^n$ in memory? A float32 is 32 bits: a sign, eight bits for the exponent plus 127, and 23 for the digits. So $2^n$ is the integer $n + 127$, shifted left by 23 places, and read as a float32: `int32(i << int32(23)).view(float32)`, with $i = n + 127$. The outer `int32` is there because numba makes an int64 of what small integers give.
#
# ```
#      sign   exponent + 127      digits
#     +---+-----------------+------------------------------+
#     | 0 | 1 0 0 0 0 0 1 0 | 0 0 0 0 0 0 0 0 0 0 0 ... 0 |     130 = 3 + 127: this is 2^3
#     +---+-----------------+------------------------------+
#       31  30           23   22                          0
# ```
#
# Rounding: `int32(x)` cuts off what stands behind the point. $x \log_2 e + 127$ is positive, so with 0.5 more, cutting rounds: $i = \lfloor x \log_2 e + 127.5 \rfloor$. And $x - n \ln 2$ needs care: n goes up to 127, so a rounding error of ln 2 comes back 127 times. Take ln 2 in two parts, the first with so few digits that n times it is exact (Cody and Waite, 1980), and subtract n times the one, then n times the other. `LN2_HIGH` is a little too large, so `LN2_LOW` is negative.
#
# At the ends: from 89 up the result is to be infinite, and from -88 down 0. Cut x to [LOWEST, HIGHEST] first. Then i is 255 at the upper end, which *is* infinity, and 0 at the lower one, which is zero. Write the cut as `HIGHEST if x > HIGHEST else x`, for every comparison with NaN is false: so it stays NaN, as it should.
#
# <details><summary>Hint 1</summary>Six steps: two cuts, i, n as a float32, r, the polynomial, times 2^n. Every constant is a float32, also in sums: <code>ONE</code> for 1.</details>
# <details><summary>Hint 2</summary>n is i without the 127, as a float32. The polynomial in Horner's form takes five additions and five multiplications: c5 first, and at last 1 + r (...).</details>
# <details><summary>Hint 3</summary><code>int32(...)</code> of a float32 cuts. Both products with n are subtracted from x, the larger first, without a bracket around them; and p is multiplied by the float32 whose bits the text makes of i.</details>


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
        infinity from 89 up, NaN for NaN.

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
    return run_kernel(exp_kernel, [x.ravel()], [empty(x.size)])[0]


def test_the_exponential_has_seven_digits():
    for low, high in ((-1, 1), (-10, 10), (-87.3, 88.3)):
        x = np.linspace(low, high, 200_003).astype(np.float32)
        wanted = np.exp(x.astype(np.float64))
        error = np.abs(exp_of(x) / wanted - 1)
        worst = error.argmax()
        assert error[worst] <= 2.4e-7, (
            f"exp({x[worst]}) has a relative error of {error[worst]:.2e}; 2.4e-7 is wanted"
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
        f"the compiled loop works on {widest} float32 at a time, and is to work on several: "
        "is every constant a float32, is there a call (math.exp, np.exp) or a loop in the way?"
    )
    check_stays_float32(exp_kernel, x, x)


# %%
x = np.linspace(-20, 20, 10**6).astype(np.float32)
y = np.empty_like(x)
error = np.abs(exp_of(x[:100_000]) / np.exp(x[:100_000].astype(float)) - 1).max()
print("multiplications and additions by width:", vectors(exp_kernel, x, y))
numpy_error = np.abs(np.exp(x) / np.exp(x.astype(float)) - 1).max()
print(f"largest error {error:.1e}, np.exp's {numpy_error:.1e}")
yours, theirs = best(lambda: exp_kernel(x, y)), best(lambda: np.exp(x, out=y))
print(f"yours {yours:.2f} ms, np.exp {theirs:.2f} ms")
print(f"a copy {best(lambda: np.copyto(y, x)):.2f} ms")

# %% [markdown]
# The price of a few copies, while the array is in the cache. If it has to come from memory, a copy takes longer, and the arithmetic goes on while the next numbers come: Systems, below, measures that.
#
# ## 4. Bias and gelu in one pass
#
# In your GPT's MLP, a matrix product is followed by two elementwise operations: the bias is added, and gelu taken. Gelu (tanh) is a sigmoid in disguise, because $\frac{1 + \tanh u}{2} = \sigma(2u)$:
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
# As NumPy calls, backward is a dozen passes, one of them the sum over rows. In a loop, each slope is multiplied, stored, and added to its column's sum while it is in a register.
#
# One thing about speed: take a row out first, `row = x[i]`, and index it from 0. A view of a row is contiguous for the compiler. With `x[i, j]`, and worse with an index like `j - 1`, it cannot be sure that an index is not negative, and in many loops it then gives up on vectors.
#
# <details><summary>Hint 1</summary>An outer loop over the rows, in it <code>row, result = x[i], out[i]</code>, and an inner loop over <code>range(len(bias))</code>.</details>
# <details><summary>Hint 2</summary>Forward: <code>result[j] = gelu_of(row[j] + bias[j])</code>. The slope is taken at the same place, <code>row[j] + bias[j]</code>.</details>
# <details><summary>Hint 3</summary>Backward: what comes in times the slope is needed twice, stored in the gradient of x and added to that of the bias. Compute it once.</details>


# %% stub="bias-gelu"
#| export
@kernel
def bias_gelu_kernel(x, bias, out):
    """Add a bias to each row and take gelu, in one pass: out = gelu(x + bias).

    Args:
        x: float32 (N, D), contiguous.
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
        grad_bias: float32 (D,), to which every row's share is added; zeros at first.
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
SHAPES = ((1, 1), (1, 40), (3, 5), (5, 3), (4, 4), (37, 50))  # of rows, also not square


def gelu_by_numpy(x):
    """gelu and its slope, in float64."""
    c = math.sqrt(2 / math.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)
    return 0.5 * x * (1 + t), slope


def test_bias_and_gelu_in_one_pass():
    for shape in SHAPES:
        x, bias = drawn(*shape, scale=2), drawn(shape[1], seed=1)
        wanted = gelu_by_numpy(x.astype(float) + bias)[0]
        (found,) = run_kernel(bias_gelu_kernel, [x, bias], [empty(*shape)])
        check_close(found, wanted, f"gelu(x + bias) of x {shape}")


def test_the_gradients_of_bias_and_gelu():
    for shape in SHAPES:
        x, bias, g = drawn(*shape, scale=2), drawn(shape[1], seed=1), drawn(*shape, seed=2)
        wanted = g * gelu_by_numpy(x.astype(float) + bias)[1]
        before = np.arange(shape[1], dtype=np.float32)  # there may be a gradient already
        outputs = [empty(*shape), framed(before)]
        grad_x, grad_bias = run_kernel(bias_gelu_gradient_kernel, [g, x, bias], outputs)
        check_close(grad_x, wanted, f"the gradient of x {shape}")
        about = (
            f"the gradient of the bias, x {shape}: sums of columns, added to what was there"
        )
        check_close(grad_bias, before + wanted.sum(0), about, rtol=1e-5, atol=1e-5)


def test_bias_and_gelu_stay_in_float32():
    x, bias = drawn(3, 5), drawn(5)
    check_stays_float32(bias_gelu_kernel, x, bias, x)
    check_stays_float32(bias_gelu_gradient_kernel, x, x, bias, x, bias)


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
# ## 5. Softmax, row by row
#
# Three steps for each row, as in module 02: the largest score, the exponentials and their sum, the division. NumPy does each step for the whole array before the next, so that from some megabytes on each step fetches the array from memory again. Your kernel does all three for one row, which stays in the nearest cache all the while.
#
# Two details decide about the speed.
#
# **The sum.** Float additions may not be reordered: (a + b) + c is not a + (b + c). So a compiler may not keep eight partial sums in a vector, and adds one number after another. You do not care about the order, and say so: `@kernel(fastmath=SUM)`. That holds for what is written in the kernel itself; `exp`, which it calls, keeps the flags that it was compiled with. Section 12 shows what the permission would do there.
#
# **The maximum** cannot be vectorised either, because of NaN. But the bits of floats, read as integers, are in the same order as the floats, if all bits but the sign of negative ones are inverted. `largest`, given, compares integers. There a NaN is larger than every number, or with its sign set (as x86 makes it of inf - inf) smaller than every number, and then it is missed. Softmax does not lose it: `exp` of it is NaN, and so is the sum.


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
# <details><summary>Hint 1</summary>For each row: <code>m = largest(row)</code>, a loop that stores <code>exp(row[j] - m)</code> and adds it up, and a loop that multiplies by one over the sum.</details>
# <details><summary>Hint 2</summary>The sum begins with <code>float32(0)</code>, not 0: an integer plus a float32 is a float64 for numba. Begin anew in every row.</details>
# <details><summary>Hint 3</summary>Gradient: two loops for each row, one for the sum of g p, which begins as a float32, too, and one for the result.</details>


# %% stub="softmax-rows"
#| export
@kernel(fastmath=SUM)
def softmax_kernel(x, out):
    """Turn each row of scores into probabilities: exp(x - max) / sum of exp(x - max).

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
    """Compute the gradient of the scores, p (g - sum of g p), for each row.

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
    x = np.float32([[1000, 999, -np.inf], [-1000, -1001, -1002], [0, 0, 0]])
    wanted = softmax_by_numpy(x)
    (found,) = run_kernel(softmax_kernel, [x], [empty(3, 3)])
    check_close(found, wanted, f"softmax of the rows {x.tolist()}")


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
        wanted = p * (g - (g * p).sum(axis=1, keepdims=True))
        inputs = [g, p.astype(np.float32)]
        (found,) = run_kernel(softmax_gradient_kernel, inputs, [empty(*shape)])
        check_close(found, wanted, f"p (g - sum of g p) for rows {shape}")


def test_softmax_and_its_gradient_stay_in_float32():
    x = drawn(3, 5)
    check_stays_float32(softmax_kernel, x, x)
    check_stays_float32(softmax_gradient_kernel, x, x, x)


# %%
for shape in ((64, 64), (1000, 1000)):
    rows, result = drawn(*shape), np.empty(shape, np.float32)
    plain = best(lambda rows=rows: Softmax.forward(Context(), rows, 1))
    fused = best(lambda rows=rows, result=result: softmax_kernel(rows, result))
    print(f"softmax {shape}: NumPy {plain:.3f} ms, yours {fused:.3f} ms")

# %% [markdown]
# ## 6. Softmax and cross-entropy
#
# A language model's logits are the largest array of a training step: 1024 positions times 50,257 tokens are 206 MB. The loss of a row needs its maximum and the sum of its exponentials, and no probabilities at all:
#
# $$\ell = \log \sum_j e^{x_j - m} + (m - x_{\text{class}})$$
#
# A row of 50,257 numbers is 200 kB, so it is in the second cache when the sum comes after the maximum: one trip to memory. The gradient makes the probabilities again from m and the sum, in one further trip:
#
# $$\bar x_j = g\left(\frac{e^{x_j - m}}{\text{sum}} - [j = \text{class}]\right)$$
#
# <details><summary>Hint 1</summary>The first kernel is softmax without storing the exponentials. Keep m and the sum of each row in <code>maxima[i]</code> and <code>sums[i]</code>; <code>np.log</code> of one number may be used, once for a row.</details>
# <details><summary>Hint 2</summary>In the second, compute what does not change within a row before its loop: <code>scale = grad[i] / sums[i]</code>.</details>
# <details><summary>Hint 3</summary>Do not ask for the class inside the loop. After it, one number of the row is mended: the gradient of this row's loss is taken from it.</details>


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
    x, classes = np.float32([[1000, 0, -1000], [-1e4, -1e4, -1e4]]), np.array([1, 2])
    wanted = cross_entropy_by_numpy(x, classes)[0]
    found = run_kernel(cross_entropy_kernel, [x, classes], [empty(2) for _ in range(3)])[0]
    check_close(found, wanted, f"losses of {x.tolist()}, classes {classes}", atol=3e-3)


def test_the_gradient_of_each_row():
    for n, c in ((1, 1), (1, 7), (3, 5), (5, 3), (20, 65), (2, 3000)):
        x, classes = scores_and_classes(n, c, seed=1)
        g = drawn(n, seed=2)
        _, m, total, slopes = cross_entropy_by_numpy(x, classes)
        inputs = [g, x, classes, m.astype(np.float32), total.astype(np.float32)]
        (found,) = run_kernel(cross_entropy_gradient_kernel, inputs, [empty(n, c)])
        check_close(found, g[:, None] * slopes, f"the gradient of scores ({n}, {c})")


def test_cross_entropy_and_its_gradient_stay_in_float32():
    (x, classes), row = scores_and_classes(3, 5), drawn(3)
    check_stays_float32(cross_entropy_kernel, x, classes, row, row, row)
    check_stays_float32(cross_entropy_gradient_kernel, row, x, classes, row, row, x)


# %% [markdown]
# ## 7. Layer normalisation
#
# Mean, variance, and then $y = n \cdot w + b$ with $n = (x - \mu)\,r$ and $r = 1/\sqrt{\mathrm{var} + \varepsilon}$: three short loops over a row that stays in the cache. Keep $\mu$ and $r$ of each row, two numbers, for the gradient.
#
# The variance could be had in the same loop as the mean, as mean(x²) - mean(x)². Do not: for x around 1,000 with deviations of 0.1 both are a million, and their difference has no right digit left.
#
# <details><summary>Hint 1</summary>Three inner loops: the sum, the sum of squared distances from the mean, the result.</details>
# <details><summary>Hint 2</summary><code>m = total / float32(width)</code>: the width is an integer, and an int64 with a float32 makes a float64. <code>np.sqrt</code> of a float32 is fine.</details>
# <details><summary>Hint 3</summary>Compute r once for each row, by one division, and not in the third loop. <code>ONE</code> is the 1 that stays in float32.</details>


# %% stub="layer-norm"
#| export
@kernel(fastmath=SUM)
def layer_norm_kernel(x, weight, bias, eps, out, means, inverses):
    """Normalise each row, and scale and shift its entries: (x - mean) r weight + bias.

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
ROWS = ((1, 2), (1, 40), (3, 5), (5, 3), (4, 4), (37, 50))


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


def test_the_mean_may_be_large():
    x = np.float32(1000) + drawn(4, 64, scale=0.1)
    check_layer_norm(x, 1e-5, "numbers of 1000 and a little", rtol=2e-3, atol=2e-3)


def test_layer_norm_stays_in_float32():
    x, row, column = drawn(3, 5), drawn(5), drawn(3)
    check_stays_float32(layer_norm_kernel, x, row, row, ONE, x, column, column)


# %% [markdown]
# The gradient, from module 13, with $d = g \cdot w$ and means over the row:
#
# $$\bar x = r\,\big(d - \overline{d} - n\,\overline{d\,n}\big), \qquad \bar w_j = \sum_i g_{ij}\,n_{ij}, \qquad \bar b_j = \sum_i g_{ij}$$
#
# Two loops for a row: the first adds up both means, and meanwhile the gradients of weight and bias; the second writes $\bar x$. NumPy needs about fifteen arrays of the size of x for that.
#
# <details><summary>Hint 1</summary>In the first loop: <code>n = (row[j] - m) * r</code> and <code>d = g[j] * weight[j]</code>; four sums grow.</details>
# <details><summary>Hint 2</summary>The four: of d and of d n, two numbers that begin anew in each row; and in each column of g n and of g. Divide the first two by the width.</details>
# <details><summary>Hint 3</summary>Compute n and d again in the second loop: that is cheaper than to keep them. The width is an integer, so divide by <code>float32(width)</code>.</details>


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


# %%
rows, weight = drawn(8192, 512), drawn(512, seed=1)
inputs = [Parameter(from_numpy(a)) for a in (rows, weight, weight)]
plain_forward = best(lambda: layer_norm(inputs[0], (512,), *inputs[1:]), 5)
result = layer_norm(inputs[0], (512,), *inputs[1:])
cotangent = from_numpy(drawn(8192, 512, seed=2))
plain_backward = best(lambda: result.backward(cotangent, retain_graph=True), 5)
normal, (means, inverses) = np.empty_like(rows), np.empty((2, 8192), np.float32)
arrays = rows, weight, weight, np.float32(1e-5), normal, means, inverses
fused_forward = best(lambda: layer_norm_kernel(*arrays))
gradients = [np.empty_like(rows), *np.zeros((2, 512), np.float32)]
arrays = cotangent.array, rows, weight, means, inverses
fused_backward = best(lambda: layer_norm_gradient_kernel(*arrays, *gradients))
print(f"layer norm of (8192, 512), NumPy: {plain_forward:.1f} and {plain_backward:.1f} ms")
print(f"yours:                            {fused_forward:.1f} and {fused_backward:.1f} ms")

# %% [markdown]
# ## 8. AdamW in one pass
#
# Adam's update (module 07) reads a weight, its gradient, m and v, and writes back three of them: 28 bytes for a weight are necessary. Your NumPy version goes over memory some twenty times, four bytes each. With the bias corrections folded into the step size and eps, as `corrected` in module 07 does, the whole of it is, for one weight,
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\,g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\,g^2, \qquad w \leftarrow \text{decay} \cdot w - \text{size}\,\frac{m}{\sqrt v + \varepsilon}$$
#
# The kernel's options are float32, and $1 - \beta_2$ cannot be computed from a float32: 0.999 is off by up to 3e-8 there, which is 3e-5 of the 0.001 that the subtraction leaves. So `new1` and `new2` come as arguments, computed in float64 and rounded once.
#
# <details><summary>Hint 1</summary>One loop. Take <code>g = grad[i]</code> out once, and write m and v back before they are used in the last line.</details>
# <details><summary>Hint 2</summary>Every option is there: <code>1 - beta1</code> is <code>new1</code>.</details>
# <details><summary>Hint 3</summary>Three assignments in the order of the formulas: the new m and v are what w moves by. eps is added to the root, not under it.</details>


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

    run_kernel(adamw, [grad], outputs)


def test_a_step_of_adamw():
    for n, options in (
        (1, (1.0, 0.9, 0.999, 0.1, 1e-8)),
        (5, (0.75, 0.5, 0.25, 0.5, 0.5)),
        (1001, (0.9, 0.8, 0.99, 1e-2, 1e-3)),
    ):
        w, g, m = drawn(3, n)
        v = np.zeros(n, np.float32) if n == 1 else np.abs(drawn(n, seed=1))
        decay, beta1, beta2, size, eps = options
        m_wanted = beta1 * m.astype(float) + (1 - beta1) * g
        v_wanted = beta2 * v.astype(float) + (1 - beta2) * g.astype(float) ** 2
        w_wanted = decay * w - size * m_wanted / (np.sqrt(v_wanted) + eps)
        grad, *found = (framed(a) for a in (g, w, m, v))
        step_with_gradient(grad, found, options)
        names = "decay, beta1, beta2, size, eps"
        for name, one, right in zip(("w", "m", "v"), found, (w_wanted, m_wanted, v_wanted)):
            about = f"{name} after a step with {names} = {options}"
            check_close(one, right, about, rtol=4e-6, atol=1e-12 if name == "v" else 1e-6)


def test_a_step_of_adamw_stays_in_float32():
    check_stays_float32(adamw_kernel, *drawn(4, 5), *[np.float32(1)] * 7)


# %%
parameter = Parameter(from_numpy(drawn(10**6)))
parameter.grad = from_numpy(drawn(10**6, seed=1))
state = [drawn(10**6), parameter.grad.array, *np.zeros((2, 10**6), np.float32)]
options = [np.float32(x) for x in (0.999, 0.9, 0.1, 0.999, 0.001, 1e-3, 1e-8)]
plain, fused = best(AdamW([parameter]).step), best(lambda: adamw_kernel(*state, *options))
print(f"AdamW, a million weights: NumPy {plain:.2f} ms, yours {fused:.2f} ms")

# %% [markdown]
# ## 9. The embedding's gradient
#
# `add_rows` of module 06 sorts the indices, because NumPy has no fast way to add to the same row twice. A loop has no such trouble. It is the plainest kernel of all: each row of the gradient is added to the row of the table that it came from.
#
# <details><summary>Hint 1</summary>One loop over the rows of the gradient, one over their numbers.</details>
# <details><summary>Hint 2</summary>Take both rows out first, and index them from 0: <code>row, target = grad[i], out[rows[i]]</code>. With <code>out[rows[i], j]</code> the compiler has to allow for a negative index, and the loop is several times slower.</details>
# <details><summary>Hint 3</summary>Add to what is there: a row of the table that is named twice gets both gradients.</details>


# %% stub="add-rows"
#| export
@kernel
def add_rows_kernel(grad, rows, out):
    """Add each row of a gradient to the row of a table that is named for it.

    out[rows[i]] += grad[i], for every i

    Args:
        grad: float32 (N, D), contiguous.
        rows: int64 (N,), from 0 to V - 1; any of them may occur several times.
        out: float32 (V, D), to which is added.
    """
    ### BEGIN SOLUTION
    for i in range(len(rows)):
        row, target = grad[i], out[rows[i]]
        for j in range(len(row)):
            target[j] += row[j]
    ### END SOLUTION


# %% test="add-rows" points=4
def test_rows_are_added_where_they_belong():
    for n, v, d in ((1, 1, 1), (6, 3, 2), (3, 6, 5), (40, 7, 19)):
        grad, before = drawn(n, d), drawn(v, d, seed=1)
        rows = np.random.default_rng(n).integers(0, v, n)
        wanted = before.astype(float)
        for i, row in enumerate(rows):
            wanted[row] += grad[i]
        (found,) = run_kernel(add_rows_kernel, [grad, rows], [framed(before)])
        about = f"{n} rows of {d} numbers, added to a table of {v}: rows {rows.tolist()[:9]}"
        check_close(found, wanted, about, rtol=1e-5, atol=1e-5)


# %% [markdown]
# ## 10. A product of int8
#
# Module 15 promised memory, not time: NumPy has no product of int8, so the integers became floats first, block by block. With one input at a time (a language model that writes a token), the time of a layer is the time of fetching its weights, and int8 weights are a quarter of the bytes. A kernel can have that time.
#
# Products of two int8 fit int16, sums do not. Processors have an instruction for exactly this: multiply pairs of int16, and add neighbours in int32. To let the compiler see it, widen by one step: `int32(int16(a) * int16(b))`. And keep the sum an int32: numba makes an int64 of the sum of two small integers, unless you say `s = int32(s + ...)`. With int64 the vectors hold half as many.
#
# <details><summary>Hint 1</summary>Three loops: rows of x, rows of the weight, and the numbers in them.</details>
# <details><summary>Hint 2</summary>The sum begins at <code>int32(0)</code> for each pair of rows, and goes to <code>out[n, o]</code>.</details>
# <details><summary>Hint 3</summary>Take both rows out before the innermost loop. In it stands one line, with the two conversions of the text, one inside the other.</details>


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
    for n, o, k in ((1, 1, 1), (2, 3, 4), (3, 2, 300), (1, 40, 129)):
        generator = np.random.default_rng(k)
        x, weight = (
            generator.integers(-128, 128, s).astype(np.int8) for s in ((n, k), (o, k))
        )
        wanted = x.astype(np.int64) @ weight.T.astype(np.int64)
        outputs = [framed(np.full((n, o), 99, np.int32))]
        (found,) = run_kernel(int8_product_kernel, [x, weight], outputs)
        np.testing.assert_array_equal(found, wanted, err_msg=f"N, O, K = {n}, {o}, {k}")


def test_long_sums_neither_overflow_nor_round():
    x = np.full((1, 5001), -128, np.int8)
    x[0, -1] = 1
    wanted = x.astype(np.int64) @ x.T.astype(np.int64)
    (found,) = run_kernel(int8_product_kernel, [x, x], [framed(np.zeros((1, 1), np.int32))])
    message = "5,000 times -128 x -128, and 1: too much for int16, and odd beyond float32"
    np.testing.assert_array_equal(found, wanted, err_msg=message)


# %%
weights = rng.integers(-127, 128, (4096, 4096)).astype(np.int8)
floats = weights.astype(np.float32)
for batch in (1, 8, 32):
    x = rng.integers(-127, 128, (batch, 4096)).astype(np.int8)
    numbers, sums = x.astype(np.float32), np.empty((batch, 4096), np.int32)
    as_floats = best(lambda numbers=numbers: numbers @ floats.T, 5)
    as_int8 = best(lambda x=x, sums=sums: int8_product_kernel(x, weights, sums), 5)
    print(f"batch {batch:2}: float32 {as_floats:5.1f} ms, your int8 {as_int8:5.1f} ms")

# %% [markdown]
# For one row, the fewer bytes win. With many rows, BLAS uses each weight for several of them while it is in the cache, which your three loops do not do: there float32 is faster. So the kernel will be asked for a few rows only.
#
# ## 11. Kernels in the place of operations
#
# Your model calls `softmax`, which calls `Softmax.apply`, which calls `Softmax.forward`. `register_kernel`, given, lets a kernel take that last place: for the calls that it can serve, and until it is removed. Three functions describe it: a forward, which saves what the operation's own forward saves; a rule, like those of module 06; and a condition on the arguments. Here they are for softmax.


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
# A call that was made with the kernel keeps the kernel's rule, even if its `backward` comes after the block. And second derivatives use the operation's own rule, which is written with Tensors.
#
# The rest goes the same way, and is given in `tinytorch/given/acceleration/`: the forwards and rules for your other kernels, and more kernels of the same kind (sigmoid, silu, tanh, softplus, exact gelu, RMS norm, batch norm, max pooling, attention's weights). `kernel_table()` lists all of them, as arguments of `register_kernel`. Bias and gelu are two operations, so no single one can be replaced; `can_fuse(module)` says whether a module is a GPT's MLP that can be served, and `fuse(module)` gives it a forward with your kernel and returns a handle with a `remove()` as well.

# %%
#| export
from tinytorch.given.acceleration.table import *

# %% [markdown]
# What is left for you is `accelerate(model)`: all of them in place, and all of them gone again.
#
# <details><summary>Hint 1</summary><code>register_kernel(*entry)</code> for every entry of <code>kernel_table()</code>. Keep what comes back.</details>
# <details><summary>Hint 2</summary><code>model.modules()</code> gives the model and everything in it. Without a model nothing is fused.</details>
# <details><summary>Hint 3</summary>Keep the handles of both kinds in one list, also those of <code>fuse(module)</code> for each module for which <code>can_fuse(module)</code>. After <code>remove</code> the list is empty: another acceleration may have come meanwhile.</details>


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


def fused(model):
    return [m for m in model.modules() if "forward" in vars(m)]


def test_kernels_are_in_place_until_the_block_ends():
    before, model = in_place(), small_gpt()
    assert sum(before) == 0, "no kernel is registered before this test begins"
    with accelerate(model) as result:
        assert min(in_place()) > 0, (
            f"every entry of kernel_table() is registered; how often each is: {in_place()}"
        )
        assert len(fused(model)) == 2, f"two MLPs are to be fused, not {len(fused(model))}"
        assert isinstance(result, Acceleration), "the block's `as` gives the Acceleration"
    assert in_place() == before, "after the block every kernel is gone"
    assert not fused(model), "after the block no module has a forward of its own"


def test_remove_can_be_called_twice_and_takes_only_its_own_away():
    first, second = accelerate(small_gpt()), accelerate()
    twice = in_place()
    first.remove()
    first.remove()
    once = in_place()
    second.remove()
    assert sum(in_place()) == 0, "after both have been removed no kernel is left"
    assert twice == [2 * n for n in once], (
        f"of two accelerations one is left after the other's remove(): {twice}, then {once}"
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
# The models of this course, one training step each, without and with kernels. Runs with and without alternate, so that a slow minute of the machine hits both.


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
steps = {
    "LeNet, 64 images 28 x 28": (
        lenet,
        step_of(lenet, lambda m: cross_entropy(m(images), labels)),
    ),
    "GPT, 4 layers of 128, 4 x 128 tokens": (
        gpt,
        step_of(gpt, lambda m: next_token_loss(m(tokens[:, :-1]), tokens[:, 1:])),
    ),
}
for name, (model, step) in steps.items():
    plain, fast = plain_and_accelerated(model, step)
    print(f"{name}: {plain:.1f} ms, with kernels {fast:.1f} ms: {plain / fast:.2f}x")

# %% [markdown]
# Why not more, when single kernels are two to ten times faster? Because much of the time of these steps is in matrix products, and those were fast already. If a share p of the time becomes s times faster, the whole becomes $1 / (1 - p + p/s)$ times faster (Amdahl's law). Module 14's profile says what p is.
#
# ## Systems: your kernels under the roof
#
# The roof of module 14: no loop does more arithmetic than the processor's peak, and none moves more bytes than memory does. What a kernel needs at least is easy to count: each array once, and the arithmetic in its formula. An `exp` is 18 operations here.


# %%
by_processor = functools.partial(measure_latency, repeats=10, clock=time.process_time)
machine = measure_machine(1024, 64_000_000, by_processor)
x, g = drawn(2, 8192, 1024)
y, row, other = np.empty_like(x), np.ones(1024, np.float32), np.zeros(1024, np.float32)
column, one = np.ones((3, 8192), np.float32), np.float32(1)
classes, flat = np.zeros(8192, np.int64), [a.reshape(-1) for a in (x, g, y, np.abs(g))]
sums = np.zeros(1024, np.float32)
kernels = {  # the kernel, its arguments, arithmetic and bytes for each number
    "transpose": (transpose_kernel, (x, y.reshape(1024, 8192)), 0, 8),
    "exp": (exp_kernel, (flat[0], flat[2]), 18, 8),
    "bias + gelu": (bias_gelu_kernel, (x, row, y), 28, 8),
    "bias + gelu, gradient": (bias_gelu_gradient_kernel, (g, x, row, y, sums), 37, 12),
    "softmax": (softmax_kernel, (x, y), 22, 8),
    "softmax, gradient": (softmax_gradient_kernel, (g, x, y), 4, 12),
    "cross-entropy": (cross_entropy_kernel, (x, classes, *column), 20, 4),
    "cross-entropy, gradient": (
        cross_entropy_gradient_kernel,
        (row.repeat(8), x, classes, *column[:2], y),
        20,
        8,
    ),
    "layer norm": (layer_norm_kernel, (x, row, other, one, y, *column[:2]), 8, 8),
    "layer norm, gradient": (
        layer_norm_gradient_kernel,
        (g, x, row, *column[:2], y, sums, other),
        16,
        12,
    ),
    "AdamW": (adamw_kernel, (*flat, *[one] * 7), 14, 28),
}


# %%
points = {}
for name, (compiled, arguments, flops, nbytes) in kernels.items():
    seconds = (
        best(lambda compiled=compiled, arguments=arguments: compiled(*arguments), 5) / 1e3
    )
    points[name] = flops / nbytes, flops * x.size / seconds, nbytes * x.size / seconds
    speed = points[name][2] / 1e9
    share = f"{1e9 * speed / machine.bytes_per_second:.0%} of a copy's"
    print(f"{name:24} {seconds * 1e3:6.2f} ms {speed:6.1f} GB/s, {share}")
draw_kernels(machine, {name: point[:2] for name, point in points.items() if point[1]})

# %% [markdown]
# Near the slope memory is the limit, and however clever the arithmetic, little is left to win. AdamW is there, and may be above it: it writes where it has just read, while a copy writes to lines that the processor has to fetch first. Of the others, those that move the bytes more slowly than a copy are held back by something else: an exponential and a division in bias and gelu, three loops over each row in softmax. The transposition does no arithmetic, so it has no place in the picture; by its share of a copy's speed it is the farthest from its limit, tiles or not.
#
# ### Threads
# `@kernel(parallel=True)` with `numba.prange` splits a loop's iterations among threads. Iterations must not disturb each other: over rows of softmax that is so, while the gradient of a bias adds all rows to the same numbers.


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


print(f"{numba.get_num_threads()} threads, by the layer: ", end="")
for rows in (16, 256, 4096):
    clock = (
        time.perf_counter
    )  # what the clock on the wall says: two threads use two processors
    serial = best(lambda rows=rows: softmax_kernel(x[:rows], y[:rows]), clock=clock)
    threads = best(lambda rows=rows: softmax_on_threads(x[:rows], y[:rows]), clock=clock)
    layer = f"{numba.threading_layer()}\n" if rows == 16 else ""
    print(f"{layer}{rows * 1024:9,} numbers: {serial:.3f} ms, on threads {threads:.3f} ms")

# %% [markdown]
# To start the threads costs tens of microseconds, so small arrays lose. Large ones win, if the other core has nothing else to do. The kernels of `accelerate` stay on one thread: a step of training runs hundreds of small kernels between matrix products, and BLAS has its threads for those. Which threads there are is settled in one place, `tinytorch/given/acceleration/compiling.py`: numba is told to use its own pool, which sleeps while it waits. The OpenMP pool would wait actively, and take the cores from BLAS.
#
# ## 12. Break it
#
# **Fast, and wrong.** `fastmath=True` allows everything: also to reorder sums *inside* exp. Then the compiler joins the two parts of ln 2, which you have separated for the sake of precision, and forgets NaN.


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
# **A float64 slips in.** One constant without `float32(...)`, and the arithmetic behind it is done in float64: half as many numbers to a vector, and conversions there and back. Nothing is wrong, so no test of values finds it. Look for LLVM's `fpext`, which widens. Here is the sigmoid with a 1 that has a point:


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
# **A constant that stays.** A kernel reads a global number once, when it is compiled. Later changes do nothing, without a word. What should change has to be an argument.


# %%
STEP = float32(2)


@numba.njit
def times_step(x):
    return x * STEP


print(times_step(1.0), end=", ")
STEP = float32(100)
print(times_step(1.0))

# %% [markdown]
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
# Called as they are, PyTorch's kernels are fused within an operation, not across operations: the product with its bias is one, gelu another. `torch.compile` looks at the graph, finds chains of elementwise operations and reductions, and writes loops for them, as C++ for a CPU or Triton for a GPU, which are compiled when the model is first called. What you did by hand for bias and gelu is what it does for any such pair. It needs a C++ compiler for that.
#
# ## Questions to think about
#
# 1. Relu takes as long as a copy in NumPy already. What is the least time of bias + relu as two calls, and as one kernel?
# 2. Why does `exp` need its first cut, at 89? What would `int32(i << int32(23))` be for x = 100?
# 3. Degree 4 has an error of 3e-6. For which of your kernels would that do, and what would it save, given where they stand under the roof?
# 4. The gradient of cross-entropy computes every exponential a second time. What would it cost to keep them instead, in bytes and in time?
# 5. `softmax_kernel` reads its row from the nearest cache in the second and third loop. How long may a row be until that ends?
# 6. The gradient of layer norm adds each row to `grad_weight`. How would you split its rows among threads?
#
# ## What comes next
#
# The same kernels have a second life: module 17b writes them for a GPU, where thousands of threads run the body of the loop at once, and where the cache is yours to fill. Module 18 makes the GPT's writing faster by doing less.
