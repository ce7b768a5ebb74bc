"""Tests of module 17, which `make release 17` makes from acceleration.py."""

import functools
import math

import numba
import numpy as np
import pytest

from tinytorch.acceleration import (
    ONE,
    Acceleration,
    accelerate,
    adamw_kernel,
    add_row_by_fours,
    bias_gelu_gradient_kernel,
    bias_gelu_kernel,
    blocked_product_kernel,
    can_fuse,
    cross_entropy_gradient_kernel,
    cross_entropy_kernel,
    exp,
    exp_kernel,
    fit_exponential,
    int4_sums_kernel,
    int8_product_kernel,
    kernel_table,
    kernels_of,
    layer_norm_gradient_kernel,
    layer_norm_kernel,
    softmax_gradient_kernel,
    softmax_kernel,
    transpose_kernel,
)
from tinytorch.given.acceleration.cache_model import Cache, in_python, watched
from tinytorch.given.acceleration.compiling import compiled_with
from tinytorch.given.acceleration.machine_code import llvm, vectors
from tinytorch.quantization import pack_int4
from tinytorch.tensor import manual_seed, tensor
from tinytorch.transformer import GPT, GPTConfig, next_token_loss


def drawn(*shape, seed=0, scale=1.0):
    """Normal random numbers, float32."""
    numbers = np.random.default_rng(seed).standard_normal(shape)
    return (scale * numbers).astype(np.float32)


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
            f"{name} has written before or after an array: a loop runs too far, or an index is another's"
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


@pytest.mark.stub("transpose", points=4)
def test_every_number_goes_to_its_place():
    for shape in ((16, 16), (5, 3), (1, 1), (17, 16), (16, 33), (40, 50), (64, 7)):
        x = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        run_in_python(transpose_kernel, x, empty(*shape[::-1]))
        (found,) = run_kernel(transpose_kernel, [x], [empty(*shape[::-1])])
        check_close(found, x.T, f"a matrix of {shape}", rtol=0, atol=0)


@pytest.mark.stub("transpose", points=4)
def test_each_line_is_used_up_before_it_leaves_the_cache():
    x, found, cache = drawn(160, 144), np.zeros((144, 160), np.float32), Cache(128, 100_000)
    in_python(transpose_kernel)(*watched(cache, x, found))
    lines = 2 * x.size // 16
    assert cache.fetched <= 2 * lines, (
        f"with a cache of 128 lines, {cache.fetched:,} lines are fetched for a matrix of "
        f"(160, 144);\ntile by tile each of the {lines:,} lines is fetched once"
    )


@pytest.mark.stub("blocked-product", points=7)
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


@pytest.mark.stub("blocked-product", points=7)
def test_a_product_of_nothing_is_zero():
    inputs = [drawn(2, 0), drawn(0, 3)]
    (found,) = run_kernel(blocked_product_kernel, inputs, [empty(2, 3)], (4, 4))
    about = "(2, 0) times (0, 3), where there is no tile"
    np.testing.assert_array_equal(found, np.zeros((2, 3)), err_msg=about)


@pytest.mark.stub("blocked-product", points=7)
def test_zero_times_infinity_is_nan_in_a_product():
    a, b = np.float32([[0, 1]]), np.float32([[np.inf, np.nan, 1], [2, 3, 4]])
    (found,) = run_kernel(blocked_product_kernel, [a, b], [empty(1, 3)], (4, 4))
    about = f"{a.tolist()} times {b.tolist()}: a zero is multiplied like any number"
    np.testing.assert_array_equal(found, [[np.nan, np.nan, 4]], err_msg=about)


@pytest.mark.stub("blocked-product", points=7)
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


@pytest.mark.stub("blocked-product", points=7)
def test_add_row_gets_contiguous_parts():
    zeros, told = np.zeros((8, 8), np.float32), np.zeros((8, 8), np.float32)
    compiled_with(blocked_product_kernel, add_row=tell_layout)(zeros, zeros, 4, 4, told)
    gaps = int((told == 2).sum())
    assert gaps == 0, (
        f"add_row gets parts with gaps between their numbers for {gaps} of 64 results, and "
        "is several times slower then:\nis the tile a copy, are the other parts of one row?"
    )


@pytest.mark.stub("blocked-product", points=7)
def test_the_blocked_product_is_float32_and_vectors():
    a = drawn(8, 8)
    check_stays_float32(blocked_product_kernel, a, a, 4, 4, a)
    widest = max(vectors(blocked_product_kernel, a, a, 4, 4, a), default=0)
    assert widest > 1, (
        "the compiled loops work on one float32 at a time: does the innermost one run along "
        "rows, which are taken out first?"
    )


@pytest.mark.stub("register-block", points=5)
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


@pytest.mark.stub("register-block", points=5)
def test_zeros_times_infinity_are_nan_in_rows_by_fours():
    for k in (1, 4):
        x, b = np.zeros(k, np.float32), np.float32([[np.inf, 1]] * k)
        (found,) = run_kernel(add_row_by_fours, [x, b], [framed(np.zeros(2, np.float32))])
        about = f"x {x.tolist()} times b {b.tolist()}: a zero is multiplied like any number"
        np.testing.assert_array_equal(found, [np.nan, 0], err_msg=about)


@pytest.mark.stub("register-block", points=5)
def test_the_result_is_read_and_written_once_for_four_rows():
    for k in (16, 15):
        x, b, out, cache = drawn(k), drawn(k, 10), drawn(10), Cache()
        in_python(add_row_by_fours)(x, b, *watched(cache, out))
        most = 2 * 10 * (k // 4 + k % 4)
        assert cache.used <= most, (
            f"with {k} rows of 10 numbers the numbers of out are read and written "
            f"{cache.used} times; by fours it is {most} times at most"
        )


@pytest.mark.stub("register-block", points=5)
def test_four_rows_at_a_time_are_float32_and_vectors():
    x, b = drawn(8), drawn(8, 8)
    check_stays_float32(add_row_by_fours, x, b, x)
    widest = max(vectors(add_row_by_fours, x, b, x), default=0)
    assert widest > 1, (
        "the compiled loop works on one float32 at a time:\n"
        "is there a loop along the rows of b, inside the one over k, for the four rows?"
    )


def relative_error(coefficients):
    """Many points r of the interval, and the relative errors of 1 + c1 r + c2 r² + ..."""
    r = np.linspace(-math.log(2) / 2, math.log(2) / 2, 20001)
    polynomial = 1 + sum(c * r ** (k + 1) for k, c in enumerate(coefficients))
    return r, polynomial / np.exp(r) - 1


@pytest.mark.stub("fit-exponential", points=6)
def test_the_relative_error_is_small_everywhere():
    for degree, reachable in (
        (2, 3.5e-3),
        (3, 1.14e-4),
        (4, 3.1e-6),
        (5, 1.05e-7),
        (6, 2.2e-9),
    ):
        found = fit_exponential(degree)
        assert isinstance(found, np.ndarray), f"an array is wanted, not a {type(found).__name__}"
        about = f"degree {degree}: c1 to c{degree} and nothing else, so shape ({degree},)"
        assert np.shape(found) == (degree,), f"{about}, not {np.shape(found)}"
        largest = np.abs(relative_error(found)[1]).max()
        assert largest <= 1.1 * reachable, (
            f"degree {degree}: the largest relative error is {largest:.2e}; {reachable:.2e} "
            f"is reachable.\nAre the errors divided by e^r, the points Chebyshev's, and the "
            "constant 1 not fitted?"
        )


@pytest.mark.stub("fit-exponential", points=6)
def test_the_sum_of_squared_relative_errors_is_the_least():
    r = math.log(2) / 2 * np.cos(np.pi * np.arange(1, 400, 2) / 400)
    for degree, least in ((1, 0.2337025), (3, 8.827178e-7)):
        polynomial = 1 + r[:, None] ** np.arange(1, degree + 1) @ fit_exponential(degree)
        total = ((polynomial / np.exp(r) - 1) ** 2).sum()
        assert total <= 1.001 * least, (
            f"degree {degree}: the sum of squares of (p - e^r) / e^r is {total:.3e} over the "
            f"200 points; {least:.3e} is reachable"
        )


@pytest.mark.stub("fit-exponential", points=6)
def test_the_number_of_points_may_be_chosen():
    for points in (8, 500):
        error = np.abs(relative_error(fit_exponential(4, points))[1]).max()
        assert error < 4.5e-6, f"{points} points: the largest relative error is {error:.2e}"


@pytest.mark.stub("fit-exponential", points=6)
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


@pytest.mark.stub("exponential", points=9)
def test_the_exponential_has_seven_digits():
    for low, high in ((-0.34, 0.34), (-1, 1), (-10, 10), (-87.3, 88.3)):
        only = ", where n is to be 0:\nis it? Are c1 to c5 whole, in their places?" * (high < 1)
        x = np.linspace(low, high, 200_003).astype(np.float32)
        wanted = np.exp(x.astype(np.float64))
        error = np.abs(exp_of(x) / wanted - 1)
        worst = error.argmax()
        assert error[worst] <= 2.4e-7, (
            f"exp({x[worst]}) has a relative error of {error[worst]:.2e}; 2.4e-7 is wanted{only}"
        )


@pytest.mark.stub("exponential", points=9)
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


@pytest.mark.stub("exponential", points=9)
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


@pytest.mark.stub("bias-gelu", points=7)
def test_bias_and_gelu_in_one_pass():
    for shape in SHAPES:
        x, bias = drawn(*shape, scale=2), drawn(shape[1], seed=1)
        wanted = gelu_by_numpy(x.astype(float) + bias)[0]
        (found,) = run_kernel(bias_gelu_kernel, [x, bias], [empty(*shape)])
        check_close(found, wanted, f"gelu(x + bias) of x {shape}")


@pytest.mark.stub("bias-gelu", points=7)
def test_the_gradients_of_bias_and_gelu():
    for shape in SHAPES:
        x, bias, g = drawn(*shape, scale=2), drawn(shape[1], seed=1), drawn(*shape, seed=2)
        g[:, 0] = 0
        wanted = g * gelu_by_numpy(x.astype(float) + bias)[1]
        before = np.arange(shape[1], dtype=np.float32)  # there may be a gradient already
        outputs = [empty(*shape), framed(before)]
        grad_x, grad_bias = run_kernel(bias_gelu_gradient_kernel, [g, x, bias], outputs)
        check_close(grad_x, wanted, f"the gradient of x {shape}")
        about = f"the gradient of the bias, x {shape}: sums of columns, added to what was there"
        check_close(grad_bias, before + wanted.sum(0), about, rtol=1e-5, atol=1e-5)


@pytest.mark.stub("bias-gelu", points=7)
def test_bias_and_gelu_stay_in_float32_and_in_the_loop():
    x, bias = drawn(3, 5), drawn(5)
    check_stays_float32(bias_gelu_kernel, x, bias, x)
    check_stays_float32(bias_gelu_gradient_kernel, x, x, bias, x, bias)


@pytest.mark.stub("bias-gelu", points=7)
def test_bias_and_gelu_make_one_trip_to_memory():
    x, bias = drawn(24, 32), drawn(32)
    check_one_trip(bias_gelu_kernel, x, bias, x)
    check_one_trip(bias_gelu_gradient_kernel, x, x, bias, x, bias, most=1.5)


def softmax_by_numpy(x):
    exps = np.exp(x.astype(float) - x.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)


@pytest.mark.stub("softmax-rows", points=7)
def test_rows_become_probabilities():
    for shape in (*SHAPES, (3, 1000)):
        x = drawn(*shape, scale=5)
        wanted = softmax_by_numpy(x)
        (found,) = run_kernel(softmax_kernel, [x], [empty(*shape)])
        check_close(found, wanted, f"softmax of rows {shape}")


@pytest.mark.stub("softmax-rows", points=7)
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


@pytest.mark.stub("softmax-rows", points=7)
def test_nan_is_not_lost():
    for nan, sign in ((np.nan, "nan"), (-np.nan, "nan with its sign set")):
        x = np.float32([[0, nan, 1], [1, 2, 3]])
        wanted = softmax_by_numpy(x[1:])
        (found,) = run_kernel(softmax_kernel, [x], [empty(2, 3)])
        assert np.isnan(found[0]).all(), f"a row with {sign} becomes nan, not {found[0]}"
        check_close(found[1:], wanted, "the other rows are as they were")


@pytest.mark.stub("softmax-rows", points=7)
def test_the_gradient_of_the_scores():
    for shape in (*SHAPES, (3, 1000)):
        p, g = softmax_by_numpy(drawn(*shape)), drawn(*shape, seed=1)
        p[:, -1] = 0
        wanted = p * (g - (g * p).sum(axis=1, keepdims=True))
        inputs = [g, p.astype(np.float32)]
        (found,) = run_kernel(softmax_gradient_kernel, inputs, [empty(*shape)])
        check_close(found, wanted, f"p (g - sum of g p) for rows {shape}")


@pytest.mark.stub("softmax-rows", points=7)
def test_softmax_and_its_gradient_stay_in_float32_and_in_the_loop():
    x = drawn(3, 5)
    check_stays_float32(softmax_kernel, x, x)
    check_stays_float32(softmax_gradient_kernel, x, x, x)


@pytest.mark.stub("softmax-rows", points=7)
def test_softmax_and_its_gradient_make_one_trip_to_memory():
    x = drawn(24, 32)
    check_one_trip(softmax_kernel, x, x)
    check_one_trip(softmax_gradient_kernel, x, x, x)


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


@pytest.mark.stub("cross-entropy", points=9)
def test_losses_of_rows_with_what_the_gradient_needs():
    for n, c in ((1, 1), (1, 7), (3, 5), (5, 3), (20, 65), (2, 3000)):
        x, classes = scores_and_classes(n, c)
        wanted = cross_entropy_by_numpy(x, classes)
        found = run_kernel(cross_entropy_kernel, [x, classes], [empty(n) for _ in range(3)])
        for name, one, right in zip(("losses", "maxima", "sums"), found, wanted):
            check_close(one, right, f"{name} of scores ({n}, {c})", rtol=3e-6, atol=3e-6)


@pytest.mark.stub("cross-entropy", points=9)
def test_losses_of_large_scores():
    x = np.float32([[1000, 0, -1000], [-1e4, -1e4, -1e4], [1e5, 0, 1e5]])
    classes = np.array([1, 2, 0])
    wanted = cross_entropy_by_numpy(x, classes)[0]
    found = run_kernel(cross_entropy_kernel, [x, classes], [empty(3) for _ in range(3)])[0]
    check_close(found, wanted, f"losses of {x.tolist()}, classes {classes}")


@pytest.mark.stub("cross-entropy", points=9)
def test_the_gradient_of_each_row():
    for n, c in ((1, 1), (1, 7), (3, 5), (5, 3), (20, 65), (2, 3000)):
        x, classes = scores_and_classes(n, c, seed=1)
        g = drawn(n, seed=2)
        g[1:2] = 0
        _, m, total, slopes = cross_entropy_by_numpy(x, classes)
        inputs = [g, x, classes, m.astype(np.float32), total.astype(np.float32)]
        (found,) = run_kernel(cross_entropy_gradient_kernel, inputs, [empty(n, c)])
        check_close(found, g[:, None] * slopes, f"the gradient of scores ({n}, {c})")


@pytest.mark.stub("cross-entropy", points=9)
def test_the_gradient_of_large_scores():
    x, classes = np.float32([[1000, 0, -1000], [-1e4] * 3, [1e5, 0, 1e5]]), np.array([1, 2, 0])
    _, m, total, slopes = cross_entropy_by_numpy(x, classes)
    inputs = [np.ones(3, np.float32), x, classes, m.astype(np.float32)]
    inputs += [total.astype(np.float32)]
    (found,) = run_kernel(cross_entropy_gradient_kernel, inputs, [empty(3, 3)])
    check_close(found, slopes, f"the gradient of {x.tolist()}, classes {classes}")


@pytest.mark.stub("cross-entropy", points=9)
def test_cross_entropy_and_its_gradient_stay_in_float32_and_in_the_loop():
    (x, classes), row = scores_and_classes(3, 5), drawn(3)
    check_stays_float32(cross_entropy_kernel, x, classes, row, row, row)
    check_stays_float32(cross_entropy_gradient_kernel, row, x, classes, row, row, x)


@pytest.mark.stub("cross-entropy", points=9)
def test_cross_entropy_and_its_gradient_make_one_trip_to_memory():
    (x, classes), row = scores_and_classes(24, 32), drawn(24)
    check_one_trip(cross_entropy_kernel, x, classes, row, row, row)
    check_one_trip(cross_entropy_gradient_kernel, row, x, classes, row, row, x)


@pytest.mark.stub("cross-entropy", points=9)
def test_the_gradient_takes_maxima_and_sums_as_they_are_given():
    (x, classes), row, cache = scores_and_classes(8, 32), drawn(8), Cache()
    quick = compiled_with(cross_entropy_gradient_kernel, exp=np.exp)
    run_in_python(quick, row, *watched(cache, x), classes, row, row, np.zeros((8, 32)))
    assert cache.used <= 1.5 * x.size, (
        f"the gradient reads {x.size} scores {cache.used} times, where once is enough:\n"
        "the maximum and the sum of each row are given"
    )


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
    for name, one, wanted in zip(("out", "means", "inverses"), found, (n * weight + bias, m, r)):
        check_close(one, wanted, f"{name} for {about}, eps {eps}", rtol, atol)


@pytest.mark.stub("layer-norm", points=6)
def test_rows_are_normalised_scaled_and_shifted():
    for shape in ROWS:
        check_layer_norm(drawn(*shape, scale=3) + np.float32(1), 1e-5, f"x {shape}")
        check_layer_norm(drawn(*shape), 0.5, f"x {shape}")
    check_layer_norm(np.full((2, 3), 2, np.float32), 1e-5, "numbers that are all 2")


@pytest.mark.stub("layer-norm", points=6)
def test_the_mean_may_be_large():
    x = np.float32(1000) + drawn(4, 64, scale=0.1)
    check_layer_norm(x, 1e-5, "numbers of 1000 and a little", rtol=1e-2, atol=1e-2)


@pytest.mark.stub("layer-norm", points=6)
def test_layer_norm_stays_in_float32():
    x, row, column = drawn(3, 5), drawn(5), drawn(3)
    check_stays_float32(layer_norm_kernel, x, row, row, ONE, x, column, column)


@pytest.mark.stub("layer-norm", points=6)
def test_layer_norm_makes_one_trip_to_memory():
    x, row, column = drawn(24, 32), drawn(32), drawn(24)
    check_one_trip(layer_norm_kernel, x, row, row, ONE, x, column, column)


@pytest.mark.stub("layer-norm-gradient", points=9)
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


@pytest.mark.stub("layer-norm-gradient", points=9)
def test_the_gradient_of_layer_norm_stays_in_float32():
    x, row, column = drawn(3, 5), drawn(5), drawn(3)
    check_stays_float32(layer_norm_gradient_kernel, x, x, row, column, column, x, row, row)


@pytest.mark.stub("layer-norm-gradient", points=9)
def test_the_gradient_of_layer_norm_makes_one_trip_to_memory():
    x, row, column = drawn(24, 32), drawn(32), drawn(24)
    check_one_trip(layer_norm_gradient_kernel, x, x, row, column, column, x, row, row)


def step_with_gradient(grad, outputs, options):
    """Run the kernel, whose gradient comes behind the weights."""

    def adamw(grad, w, m, v):
        decay, beta1, beta2, size, eps = options
        numbers = decay, beta1, 1 - beta1, beta2, 1 - beta2, size, eps
        adamw_kernel(w, grad, m, v, *map(np.float32, numbers))

    adamw.__name__ = "adamw_kernel"
    run_kernel(adamw, [grad], outputs)


@pytest.mark.stub("adamw", points=5)
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


@pytest.mark.stub("adamw", points=5)
def test_a_step_of_adamw_stays_in_float32():
    check_stays_float32(adamw_kernel, *drawn(4, 5), *[np.float32(1)] * 7)


@pytest.mark.stub("adamw", points=5)
def test_a_step_of_adamw_makes_one_trip_to_memory():
    w, grad, m, v = np.abs(drawn(4, 512))
    arguments = w, grad, m, v, *[np.float32(1)] * 7
    check_one_trip(adamw_kernel, *arguments)
    assert "NRT_Allocate" not in llvm(adamw_kernel, *arguments), (
        "the compiled kernel makes arrays of its own, which are written and read, too:\n"
        "is there one loop, from number to number?"
    )


@pytest.mark.stub("int8-product", points=5)
def test_sums_of_integers_are_exact():
    for n, o, k in ((1, 1, 1), (2, 3, 4), (3, 2, 300), (1, 40, 129), (2, 3, 0)):
        generator = np.random.default_rng(k)
        x, weight = (generator.integers(-128, 128, s).astype(np.int8) for s in ((n, k), (o, k)))
        wanted = x.astype(np.int64) @ weight.T.astype(np.int64)
        run_in_python(int8_product_kernel, x, weight, np.full((n, o), 99, np.int32))
        outputs = [framed(np.full((n, o), 99, np.int32))]
        (found,) = run_kernel(int8_product_kernel, [x, weight], outputs)
        np.testing.assert_array_equal(found, wanted, err_msg=f"N, O, K = {n}, {o}, {k}")


@pytest.mark.stub("int8-product", points=5)
def test_long_sums_neither_overflow_nor_round():
    x = np.full((1, 5001), -128, np.int8)
    x[0, -1] = 1
    wanted = x.astype(np.int64) @ x.T.astype(np.int64)
    run_in_python(int8_product_kernel, x, x, np.zeros((1, 1), np.int32))
    (found,) = run_kernel(int8_product_kernel, [x, x], [framed(np.zeros((1, 1), np.int32))])
    message = "5,000 times -128 x -128, and 1: too much for int16, and odd beyond float32"
    np.testing.assert_array_equal(found, wanted, err_msg=message)


@pytest.mark.stub("int8-product", points=5)
def test_8_bit_weights_come_once_and_are_multiplied_in_vectors_of_int32():
    x, weight, out = np.int8(drawn(1, 48)), np.int8(drawn(24, 48)), np.ones((1, 24), np.int32)
    check_one_trip(int8_product_kernel, x, weight, out)
    widths = vectors(int8_product_kernel, x, weight, out, kind="i32")
    assert max(widths, default=0) > 1, (
        "the compiled loop multiplies no vectors of int32:\nis the sum an int32, and is each "
        "product converted to int16 and int32?"
    )


def group_of(half, outputs, seed=0):
    """Numbers x, weights from -8 to 7 (2 half, outputs), and these packed."""
    generator = np.random.default_rng(seed)
    most = 4095 // (2 * half)
    x = generator.integers(-most, most + 1, 2 * half).astype(np.int16)
    w = generator.integers(-8, 8, (2 * half, outputs)).astype(np.int8)
    return x, w, np.ascontiguousarray(pack_int4(np.ascontiguousarray(w.T)).T)


@pytest.mark.stub("int4-sums", points=6)
def test_sums_of_4_bit_weights_are_exact():
    for half, outputs in ((1, 1), (1, 5), (3, 2), (16, 40), (16, 101)):
        x, w, packed = group_of(half, outputs, seed=outputs)
        wanted = x.astype(int) @ w
        run_in_python(int4_sums_kernel, x, packed, np.full(outputs, 77, np.int16))
        (found,) = run_kernel(int4_sums_kernel, [x, packed], [framed(np.full(outputs, 77, np.int16))])
        about = f"sums of 2 x {half} weights for {outputs} outputs"
        np.testing.assert_array_equal(found, wanted, err_msg=about)


@pytest.mark.stub("int4-sums", points=6)
def test_each_of_the_16_weights_is_read_in_both_halves():
    w = np.arange(-8, 8)
    packed = np.uint8(w & 15)[None]
    for x, name, place in (([4095, 0], "low", packed), ([0, -4095], "high", packed << 4)):
        outputs = [framed(np.zeros(16, np.int16))]
        (found,) = run_kernel(int4_sums_kernel, [np.int16(x), place], outputs)
        about = f"weights -8 to 7 in the {name} halves of bytes, x = {x}"
        np.testing.assert_array_equal(found, sum(x) * w, err_msg=about)


@pytest.mark.stub("int4-sums", points=6)
def test_bytes_are_read_in_the_order_of_memory():
    (x, _, packed), cache = group_of(16, 64), Cache(lines=8)
    in_python(int4_sums_kernel)(x, *watched(cache, packed), np.zeros(64, np.int16))
    assert cache.fetched <= 2 * packed.size // 16, (
        f"with a cache of 8 lines, {cache.fetched} lines are fetched for packed of\n"
        f"{packed.shape}, which has {packed.size // 16}: does the inner loop run over outputs?"
    )


@pytest.mark.stub("int4-sums", points=6)
def test_4_bit_weights_are_multiplied_in_vectors_of_int16():
    x, _, packed = group_of(16, 40)
    widths = vectors(int4_sums_kernel, x, packed, np.zeros(40, np.int16), kind="i16")
    assert max(widths, default=0) > 1, (
        "the compiled loop multiplies no vectors of int16:\nis each number converted to uint8 "
        "or int16 before it is multiplied, and the inner loop over outputs?"
    )


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


@pytest.mark.stub("accelerate", points=7)
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


@pytest.mark.stub("accelerate", points=7)
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


@pytest.mark.stub("accelerate", points=7)
def test_modules_are_fused_where_can_fuse_says_so():
    for about, model in {
        "a GPT without biases": GPT(GPTConfig(11, 8, 2, 2, 8, dropout=0.0, bias=False)),
        "a GPT in evaluation mode": small_gpt().eval(),
        "an MLP by itself": small_gpt().transformer.h[0].mlp,
    }.items():
        wanted = [m for m in model.modules() if can_fuse(m)]
        with accelerate(model):
            found = fused(model)
        assert found == wanted, f"{about}: {len(wanted)} modules are to be fused, and not {len(found)}"
        left = len(fused(model))
        assert left == 0, f"{about}: after the block none is fused, and not {left}"


@pytest.mark.stub("accelerate", points=7)
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


@pytest.mark.stub("accelerate", points=7)
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


@pytest.mark.stub("accelerate", points=7)
def test_a_second_remove_leaves_a_later_acceleration_alone():
    model = small_gpt()
    first = accelerate(model)
    first.remove()
    with accelerate(model):
        first.remove()
        left = len(fused(model))
        assert left == 2, f"two MLPs are fused by the later accelerate(model), and not {left}"


@pytest.mark.stub("accelerate", points=7)
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
