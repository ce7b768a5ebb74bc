"""Tests of module 15, which `make release 15` makes from quantization.py."""

import tracemalloc

import numpy as np
import pytest

from tinytorch.layers import Linear, Module, ReLU, Sequential
from tinytorch.quantization import (
    BLOCK,
    EPS,
    EXACT,
    FakeQuantizeAffine,
    IntegerProduct,
    conv2d_forward,
    dequantize,
    integer_range,
    linear_forward,
    mse_range,
    pack_int4,
    q4_1_blocks,
    q8_0_blocks,
    quantize,
    quantize_along,
    replace_layers,
    round_to_bfloat16,
    scale_and_zero_point,
    unpack_int4,
)
from tinytorch.tensor import Context, tensor, wrap


def check_scales(low, high, quant_min, quant_max, symmetric, scale, zero_point, **eps):
    """Compare scales and zero points with what is wanted, for arrays of ranges."""
    about = f"{'symmetric' if symmetric else 'affine'}, {low} to {high}"
    about += f", integers {quant_min} to {quant_max}" + (f", {eps}" if eps else "")
    low, high = np.float32(low), np.float32(high)
    kept = low.copy(), high.copy()
    found = scale_and_zero_point(low, high, quant_min, quant_max, symmetric, **eps)
    np.testing.assert_array_equal(low, kept[0], err_msg="`low` belongs to the caller")
    np.testing.assert_array_equal(high, kept[1], err_msg="`high` belongs to the caller")
    np.testing.assert_allclose(found[0], scale, rtol=1e-5, err_msg=f"the scale, {about}")
    np.testing.assert_array_equal(found[1], zero_point, err_msg=f"the zero point, {about}")
    for name, array, kind in zip(("scale", "zero point"), found, (np.float32, np.int32)):
        dtype = getattr(array, "dtype", type(array).__name__)
        assert dtype == kind, f"the {name} came back as {dtype}, and NumPy's {kind.__name__} is wanted"
        assert array.shape == low.shape, (
            f"the {name} came back with shape {array.shape}, and that of `low` is {low.shape}"
        )


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_an_affine_range_uses_all_integers():
    check_scales([-1, -5], [4.1, 20.5], -128, 127, False, [0.02, 0.1], [-78, -78])
    check_scales([-5.1], [0], 0, 255, False, [0.02], [255])
    check_scales([-3, -8], [12, 7], 0, 15, False, [1, 1], [3, 8])
    check_scales([[-1.4], [-0.1]], [[0.1], [1.4]], -8, 7, False, [[0.1], [0.1]], [[6], [-7]])


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_the_zero_point_is_rounded_to_the_nearest_integer():
    check_scales([-1.4, -1.6], [13.6, 13.4], 0, 15, False, [1, 1], [1, 2])
    check_scales([-1.4, -1.6], [13.6, 13.4], -8, 7, False, [1, 1], [-7, -6])
    check_scales([-0.5], [253.5], -127, 127, False, [1], [-127])


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_a_symmetric_range_has_zero_in_the_middle():
    check_scales([-1], [2.54], -127, 127, True, [0.02], [0])
    check_scales([-14, -3], [7, 2], -7, 7, True, [2, 3 / 7], [0, 0])
    check_scales([-2], [2.55], -128, 127, True, [0.02], [0])
    check_scales([-2], [2.55], 0, 255, True, [0.02], [128])
    check_scales([-3], [2], -10, 6, True, [0.375], [-2])
    check_scales([-3], [2], 0, 5, True, [1.2], [3])  # 2.5 is rounded up


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_zero_is_always_in_the_range():
    check_scales([1, -5.1], [5.1, -2], -128, 127, False, [0.02, 0.02], [-128, 127])
    check_scales([1, -5.08], [5.08, -2], -127, 127, True, [0.04, 0.04], [0, 0])


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_two_ends_may_be_numbers():
    check_scales(-1, 4.1, -128, 127, False, 0.02, -78)
    check_scales(-1, 2.54, -127, 127, True, 0.02, 0)


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_a_range_with_a_width_is_left_alone_by_eps():
    for symmetric, low, zero_point in ((False, 0, 0), (True, -11.25, 8)):
        check_scales([low], [11.25], 0, 15, symmetric, [0.75 * (1 + symmetric)], [zero_point], eps=0.5)


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_a_range_without_width_gets_the_smallest_scale():
    for symmetric in (False, True):
        with np.errstate(all="raise"):
            zeros = np.zeros(2, np.float32)
            scale, zero_point = scale_and_zero_point(zeros, zeros, -127, 127, symmetric)
            message = f"zeros only, symmetric={symmetric}: the scale is eps"
            np.testing.assert_array_equal(scale, np.float32([EPS, EPS]), err_msg=message)
            scale, _ = scale_and_zero_point(zeros, zeros, -127, 127, symmetric, eps=0.5)
        np.testing.assert_array_equal(scale, [0.5, 0.5], err_msg="eps=0.5 is the smallest scale")
        assert (np.abs(zero_point) <= 127).all(), f"a zero point in -127..127: {zero_point}"
        for low, high in (0, 1e-9), (-1e-9, 0):  # with the scale eps, each rounds to 0 steps
            wanted = 0 if symmetric else -127
            check_scales([low], [high], -127, 127, symmetric, [EPS], [wanted])
    check_scales(0, 0, -128, 127, False, EPS, -128)
    check_scales(0, 0, -127, 127, True, EPS, 0)


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_eps_is_the_smallest_scale_and_not_the_smallest_width():
    for symmetric, steps, zero_point in ((False, 254, -127), (True, 127, 0)):
        check_scales([0], [2], -127, 127, symmetric, [0.5], [zero_point], eps=0.5)
        smallest = [1e-9 / steps]
        check_scales([0], [1e-9], -127, 127, symmetric, smallest, [zero_point], eps=0.0)


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_halves_of_a_zero_point_go_to_the_even_integer():
    check_scales([-1.5, -2.5], [13.5, 12.5], 0, 15, False, [1, 1], [2, 2])


@pytest.mark.stub("scale-and-zero-point", points=6)
def test_what_is_not_finite_is_refused():
    for low, high in ((np.nan, 1), (0, np.nan), (-np.inf, 1), (0, np.inf)):
        for symmetric in (False, True):
            ends, raised = (np.float32([0, low]), np.float32([1, high])), "no error"
            try:
                scale_and_zero_point(*ends, -127, 127, symmetric)
            except (ValueError, AssertionError) as error:
                raised = type(error).__name__
            assert raised == "ValueError", f"a range from {low} to {high} is refused, by a ValueError"


def drawn(*shape, seed=0):
    """Random float32 numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def check_integers_are(x, wanted, *options):
    kept = x.copy()
    found = quantize(x, *options)
    np.testing.assert_array_equal(x, kept, err_msg="the numbers belong to the caller")
    assert found.dtype == np.int8, f"{found.dtype} came back, and int8 is wanted"
    scale, zero_point, *ends = (np.ravel(option).tolist() for option in options)
    message = f"quantize({np.array2string(kept, precision=3)}, {scale}, {zero_point}"
    message += f", {ends[0][0]}, {ends[1][0]})" if ends else ")"
    np.testing.assert_array_equal(found, wanted, err_msg=message)


@pytest.mark.stub("quantize", points=5)
def test_numbers_are_rounded_to_the_nearest_integer():
    check_integers_are(np.float32([0.26, -0.26, 0.74, -0.74, 2]), [1, -1, 1, -1, 4], 0.5, 0)
    check_integers_are(np.float32([0.26, -0.26, 0.74]), [4, 2, 4], 0.5, 3)
    check_integers_are(np.float32([0.5, 1.5, 2.5, -0.5, -1.5]), [0, 2, 2, 0, -2], 1.0, 0)
    for scale in (7, 49):  # 1 / 7 is rounded to float32, 1 / 49 to float64
        x = np.float32([-107.5, -98.5, 98.5, 107.5]) * scale
        check_integers_are(x, [-108, -98, 98, 108], np.float32(scale), 0)


@pytest.mark.stub("quantize", points=5)
def test_the_zero_point_is_added_to_what_has_been_rounded():
    check_integers_are(np.float32([0.5, 1.5, 2.5, -0.5]), [1, 3, 3, 1], 1.0, 1)


@pytest.mark.stub("quantize", points=5)
def test_what_is_outside_becomes_the_outermost_integer():
    x = np.float32([127, 127.6, 1000, -1000, 1e30])
    with np.errstate(over="raise"):
        check_integers_are(x, [127, 127, 127, -128, 127], 1.0, 0)
        check_integers_are(x[:4], [7, 7, 7, -7], 1.0, 0, -7, 7)
        check_integers_are(x[:4], [99, 99, 99, 0], 1.0, 0, 0, 99)
        check_integers_are(x[:4], [0, 0, 0, -7], 1.0, 0, -7, 0)
        check_integers_are(np.float32([-60, 5, 140]), [-128, -95, 40], 1.0, -100)


@pytest.mark.stub("quantize", points=5)
def test_infinities_become_the_outermost_integers():
    check_integers_are(np.float32([-np.inf, np.inf]), [-128, 127], 1.0, 0)
    check_integers_are(np.float32([-np.inf, 0, np.inf]), [-7, 2, 7], 1.0, 2, -7, 7)


@pytest.mark.stub("quantize", points=5)
def test_nan_is_refused():
    with pytest.raises(ValueError):
        quantize(np.float32([[0, 1], [np.nan, 2]]), 1.0, 0)


@pytest.mark.stub("quantize", points=5)
def test_no_numbers_are_no_integers():
    check_integers_are(np.zeros((0, 4), np.float32), np.zeros((0, 4)), 1.0, 0)


@pytest.mark.stub("quantize", points=5)
def test_each_row_may_have_its_scale_and_zero_point():
    scale, zero_point = np.float32([[0.5], [2], [1]]), np.int32([[0], [-100], [100]])
    x = drawn(3, 4)
    wanted = np.clip(np.rint(x.astype(float) / scale) + zero_point, -128, 127)
    check_integers_are(x, wanted, scale, zero_point)
    with np.errstate(over="raise"):
        q = np.int8([[-128, 127], [-128, 127], [-128, 127]])
        found = dequantize(q, scale, zero_point)
    message = "scale (q - zero_point), without an overflow"
    wanted = [[-64, 63.5], [-56, 454], [-228, 27]]
    np.testing.assert_array_equal(found, wanted, err_msg=message)
    assert found.dtype == np.float32, f"{found.dtype} came back, and float32 is wanted"


@pytest.mark.stub("quantize", points=5)
def test_int8_goes_back_with_numbers_too():
    for scale, zero_point, wanted in (
        (0.5, -100, [-14, 50, 113.5]),
        (2, 100, [-456, -200, 54]),
        (np.float64(0.5), -100, [-14, 50, 113.5]),
    ):
        q = np.int8([-128, 0, 127])
        kept, found = q.copy(), dequantize(q, scale, zero_point)
        np.testing.assert_array_equal(q, kept, err_msg="the integers belong to the caller")
        message = f"dequantize(int8 {q.tolist()}, {scale}, {zero_point}): q - zero_point is no int8"
        np.testing.assert_array_equal(found, wanted, err_msg=message)
        assert found.dtype == np.float32, (
            f"{found.dtype} came back, and float32 is wanted; the scale was a {type(scale).__name__}"
        )


@pytest.mark.stub("quantize", points=5)
def test_there_and_back_costs_half_a_scale():
    x = drawn(50, 40)
    scale = np.float32(np.abs(x).max() / 127)
    half = 0.5001 * scale
    error = np.abs(dequantize(quantize(x, scale, np.int32(0)), scale, np.int32(0)) - x)
    assert error.max() <= half, (
        f"the error is {error.max():.4g}, and at most {half:.4g}, half a scale, is wanted"
    )


def by_formula(x, axis, bits, symmetric):
    """Integers, scale and zero point in float64, straight from the formulas."""
    low = np.minimum(x.min(axis=axis, keepdims=True), 0).astype(float)
    high = np.maximum(x.max(axis=axis, keepdims=True), 0).astype(float)
    largest = 2 ** (bits - 1) - 1
    if symmetric:
        scale = np.maximum(-low, high) / largest
        return np.rint(x / scale), scale, np.zeros_like(scale)
    scale = (high - low) / (2 * largest + 1)
    zero_point = np.rint(-largest - 1 - low / scale)
    return np.clip(np.rint(x / scale) + zero_point, -largest - 1, largest), scale, zero_point


def check_along(shape, axis, bits=8, symmetric=False):
    x = drawn(*shape, seed=bits) * 3 + 0.5
    kept = x.copy()
    wanted = by_formula(x, axis, bits, symmetric)
    found = quantize_along(x, axis, bits, symmetric)
    about = f"shape {shape}, axis={axis}, bits={bits}, symmetric={symmetric}"
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    kinds = {"integers": "int8", "scale": "float32", "zero point": "int32"}
    for (name, kind), a, b in zip(kinds.items(), found, wanted):
        came = type(a).__name__
        assert hasattr(a, "dtype"), f"{about}: the {name} came back as {came}, no array"
        assert a.shape == b.shape, (
            f"{about}: the {name} came back with shape {a.shape}, and {b.shape} is wanted"
        )
        assert a.dtype == kind, f"{about}: the {name} came back as {a.dtype}, not as {kind}"
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-5, err_msg=f"scale, {about}")
    np.testing.assert_array_equal(found[2], wanted[2], err_msg=f"zero point, {about}")
    differ = np.abs(found[0] - wanted[0])  # by 1 near halves
    place = np.unravel_index(differ.argmax(), shape)
    about += f": {x[place]:.4g} became {found[0][place]}, and {wanted[0][place]:.0f} is wanted"
    assert differ.max() <= 1, about
    assert (differ > 0).mean() < 0.02, f"{about}; {np.count_nonzero(differ)} integers differ"


@pytest.mark.stub("quantize-along", points=4)
def test_a_tensor_or_each_of_its_rows_has_a_scale():
    check_along((5, 7), None)
    check_along((5, 7), 1)
    check_along((7, 5), 0)
    check_along((7, 5), -1)


@pytest.mark.stub("quantize-along", points=4)
def test_filters_and_groups_have_a_scale():
    for axis in ((1, 2, 3), (2, 3), (0, 2, 3), None):
        check_along((4, 3, 5, 2), axis)
    check_along((4, 3, 32), 2, 4)


@pytest.mark.stub("quantize-along", points=4)
def test_symmetric_and_with_fewer_bits():
    for bits in (8, 4, 3, 2):
        check_along((6, 40), 1, bits, True)
        check_along((6, 40), 1, bits, False)


@pytest.mark.stub("quantize-along", points=4)
def test_halves_go_to_the_even_integer_and_then_comes_the_zero_point():
    q, *_ = quantize_along(np.float32([-127, 0.5, 1.5, 128]))
    message = "[-127, 0.5, 1.5, 128] has the scale 1 and the zero point -1, as in `quantize`"
    np.testing.assert_array_equal(q, [-128, -1, 1, 127], err_msg=message)


@pytest.mark.stub("quantize-along", points=4)
def test_rounding_leads_to_no_integer_that_is_not_there():
    for bits, x in ((4, np.float32([-7.5, 1, 7.5])), (3, np.float32([-3.5, 0, 3.5]))):
        q, *_ = quantize_along(x, 0, bits)
        most = 2 ** (bits - 1) - 1
        message = (
            f"{x.tolist()} became {q.tolist()}; with {bits} bits the largest integer is to be "
            f"{most}, as integer_range says"
        )
        assert q.max() == most, message


def error_of(x, low, high, quant_min, quant_max, symmetric):
    """The mean squared error of a range, in float64, by the formulas of sections 1 and 2."""
    low, high = min(float(low), 0), max(float(high), 0)
    if symmetric:
        scale, zero_point = max(-low, high) * 2 / (quant_max - quant_min), 0
        zero_point = (quant_min + quant_max + 1) // 2
    else:
        scale = (high - low) / (quant_max - quant_min)
        zero_point = np.rint(quant_min - low / scale)
    q = np.clip(np.rint(x / scale) + zero_point, quant_min, quant_max)
    return ((scale * (q - zero_point) - x.astype(float)) ** 2).mean()


def check_range(x, quant_min, quant_max, symmetric, candidates=64):
    kept = x.copy()
    factors = 1 - np.arange(candidates) / candidates
    ends = quant_min, quant_max, symmetric
    errors = [error_of(x, f * x.min(), f * x.max(), *ends) for f in factors]
    low, high = mse_range(x, quant_min, quant_max, symmetric, candidates)
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    about = f"integers {quant_min}..{quant_max}, symmetric={symmetric}, {candidates} ranges"
    about += f", x = {x.tolist()}" if x.size < 10 else ""
    near = np.abs(factors * x.max() - high) < 1e-4 * abs(float(x.max()))
    assert near.any(), (
        f"high came back as {high:.4g}, {high / x.max():.4f} of the largest number, "
        f"{x.max():.4g}; none of the {candidates} factors gives it\n{about}"
    )
    factor = factors[near.argmax()]
    message = f"high has the factor {factor}, and low is to have the same\n{about}"
    np.testing.assert_allclose(low, factor * x.min(), rtol=1e-3, err_msg=message)
    wanted = factors[int(np.argmin(errors))]
    found = errors[near.argmax()]
    assert found <= min(errors) * 1.001, (
        f"the range of the factor {factor:.4f} came back, whose error is {found:.4g}; that of "
        f"the factor {wanted:.4f} is wanted, whose error is {min(errors):.4g}\n{about}"
    )


@pytest.mark.stub("mse-range", points=5)
def test_the_best_range_of_a_few_numbers():
    x = np.tile(np.float32([-1, 1]), 300)
    x[:3] = -4, 4, -4  # with the factor 1 all of them are met exactly
    check_range(x, -4, 4, True, candidates=4)
    check_range(np.float32([-4, -3, -1, -1, 0, 0, 1.5, 2]), -2, 1, False, candidates=16)


@pytest.mark.stub("mse-range", points=5)
def test_the_range_has_the_smallest_squared_error():
    for bits in (2, 3, 4):
        for symmetric in (True, False):
            check_range(drawn(700, seed=bits) + 0.3, *integer_range(bits, symmetric), symmetric)
    for ends in ((0, 15, False), (-7, 7, False), (-8, 7, True)):
        check_range(np.abs(drawn(20, 30)), *ends)


@pytest.mark.stub("mse-range", points=5)
def test_as_many_ranges_are_tried_as_asked():
    check_range(drawn(500), -3, 3, True, candidates=10)
    check_range(drawn(500, seed=1), -1, 1, True, candidates=7)
    x = np.tile(np.float32([-1, 1]), 500)
    x[0] = 16
    check_range(x, -1, 1, True, candidates=16)  # the last factor, 1/16, is the best one


@pytest.mark.stub("mse-range", points=5)
def test_numbers_may_be_large_or_small():
    for size in (1e2, 1e4, 1e9, 1e-4):
        check_range(drawn(300, seed=7) * size, -1, 1, True)


@pytest.mark.stub("mse-range", points=5)
def test_nothing_is_cut_where_nothing_is_gained():
    x = np.arange(-7, 8, dtype=np.float32)
    low, high = mse_range(x, -7, 7, True)
    assert (low, high) == (-7, 7), f"these 15 numbers are met exactly; got {low}, {high}"
    for x in ([-1e-9, 2e-9], [1e-9, 1e-9]):
        x = np.float32(x)  # the smallest scale is far larger, so all become 0
        wanted = (x[0], x[-1])
        low, high = mse_range(x, -7, 7, True)
        assert (low, high) == wanted, (
            f"of ranges with equal errors the widest counts: {x.tolist()}; the ends that came "
            f"back are {low / x[0]:.4g} and {high / x[-1]:.4g} of its ends"
        )
    low, high = mse_range(np.zeros(3, np.float32), -7, 7)
    assert (low, high) == (0, 0), f"of zeros the range is 0 to 0, not {low} to {high}"


def whole(low, high, *shape, seed=0):
    """Random integers, low to high inclusive, as int8."""
    return np.random.default_rng(seed).integers(low, high + 1, shape).astype(np.int8)


def check_product(x, weight, about):
    kept = x.copy(), weight.copy()
    wanted = x.astype(np.int64) @ weight.astype(np.int64).T
    found = IntegerProduct.forward(Context(), x, weight)
    np.testing.assert_array_equal(x, kept[0], err_msg="x belongs to the caller")
    np.testing.assert_array_equal(weight, kept[1], err_msg="weight belongs to the caller")
    assert found.dtype == np.int32, f"{found.dtype} came back, and int32 is wanted"
    assert found.shape == wanted.shape, (
        f"sums came back with shape {found.shape}, and {wanted.shape} is wanted"
    )
    np.testing.assert_array_equal(found, wanted, err_msg=about)


@pytest.mark.stub("integer-product", points=8)
def test_sums_are_those_of_integers():
    for shape in ((1, 1, 1), (2, 3, 4), (5, 7, 300), (64, 10, 128)):
        n, o, k = shape
        x, weight = whole(-128, 127, n, k), whole(-127, 127, o, k, seed=1)
        check_product(x, weight, f"N, O, K = {shape}, random integers")


@pytest.mark.stub("integer-product", points=8)
def test_sums_are_exact_at_the_limit_of_float32():
    for k in (1024, 1040, 1041, 2048, 2051, 4100):
        full = np.full((2, k), 127, np.int8)
        full[1] = -127
        check_product(full, full[::-1].copy(), f"K = {k}, every integer 127 or -127")
        odd = whole(126, 127, 3, k, seed=k)
        check_product(odd, whole(125, 127, 4, k), f"K = {k}, integers of 125 to 127")
    low = np.full((1, 1025), -128, np.int8)
    low[0, -1] = 1  # 1024 products of 2**14, and one that makes the sum odd
    check_product(low, low, "1,024 times -128 x -128, and 1")


@pytest.mark.stub("integer-product", points=8)
def test_more_rows_than_a_block_holds():
    for o in (3 * BLOCK // EXACT, BLOCK // EXACT + 1, BLOCK // EXACT - 1):
        check_product(whole(-128, 127, 2, 40), whole(-127, 127, o, 40), f"{o} rows of weights")
    check_product(whole(-9, 9, 2, 1100), whole(-9, 9, 300, 1100), "300 rows, K = 1,100")


@pytest.mark.stub("integer-product", points=8)
def test_nothing_and_no_contiguous_memory_are_fine():
    check_product(whole(-9, 9, 0, 4), whole(-9, 9, 3, 4), "no rows of x")
    wide = whole(-128, 127, 6, 10)
    check_product(wide[:, ::2], wide[::2, 1::2], "every other column and row")


@pytest.mark.stub("integer-product", points=8)
def test_a_second_product_leaves_the_first_alone():
    pairs = [(whole(-9, 9, 3, 40, seed=i), whole(-9, 9, 4, 40, seed=i + 2)) for i in (0, 1)]
    found = [IntegerProduct.forward(Context(), x, weight) for x, weight in pairs]
    for which, (x, weight), sums in zip(("first", "second"), pairs, found):
        wanted = x.astype(np.int64) @ weight.astype(np.int64).T
        message = f"the {which} of two products of equal shapes, after both were computed"
        np.testing.assert_array_equal(sums, wanted, err_msg=message)


@pytest.mark.stub("integer-product", points=8)
def test_the_weights_are_never_floats_all_at_once():
    for o, k in ((2048, 2048), (256, 16384)):
        x, weight = np.ones((1, k), np.int8), np.ones((o, k), np.int8)
        tracemalloc.start()
        IntegerProduct.forward(Context(), x, weight)
        peak = round(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
        assert peak < 3, (
            f"it took {peak} MiB for weights of {o} x {k}, which are 4 MiB; `buffer`, which "
            "holds a block of them as floats, is 1 MiB"
        )


class Held:
    """A layer as `linear_forward` and `conv2d_forward` see it, made of arrays."""

    def __init__(self, weight, bias=None, **moves):
        rows = weight.reshape(len(weight), -1)
        scale = np.abs(rows).max(axis=1) / np.float32(127)
        integers = np.rint(weight / scale.reshape(-1, *[1] * (weight.ndim - 1)))
        self.weight, self.weight_scale = wrap(integers.astype(np.int8)), wrap(scale)
        sums = integers.reshape(len(weight), -1).sum(axis=1).astype(np.int32)
        self.weight_sums, self.bias = wrap(sums), None if bias is None else wrap(bias)
        self.asked = []
        self.made = {name: x.copy() for name, x in self.arrays().items()}
        vars(self).update(moves)

    def arrays(self):
        held = {name: getattr(self, name) for name in ("weight", "weight_scale", "weight_sums", "bias")}
        return {name: x.array for name, x in held.items() if x is not None}

    def check_unchanged(self):
        for name, x in self.arrays().items():
            message = f"{name} of the layer is changed, its shape or its numbers"
            np.testing.assert_array_equal(x, self.made[name], err_msg=message, strict=True)

    def quantize_input(self, x, axis):
        """By NumPy alone, each row or image by its own range; calls are recorded."""
        self.given = x = np.asarray(x, np.float32)
        which, dims = ("row", "image")[self.weight.ndim > 2], self.weight.ndim
        assert x.ndim == dims, (
            f"layer.quantize_input is to get {which}s, an array of {dims} dimensions; it was "
            f"given one of {x.shape}"
        )
        low = np.minimum(x.min(axis=axis, keepdims=True), np.float32(0))
        high = np.maximum(x.max(axis=axis, keepdims=True), np.float32(0))
        scale = np.maximum((high - low) / np.float32(255), np.float32(EPS))
        shape, wanted = scale.shape, (len(x), *[1] * (dims - 1))
        assert shape == wanted, (
            f"one scale for each {which}, {wanted}, is wanted; x is {x.shape}, and the axis "
            f"that was given makes {shape} of it"
        )
        zero_point = (-128 - np.rint(low / scale)).astype(np.int32)
        q = np.clip(np.rint(x / scale) + zero_point, -128, 127).astype(np.int8)
        self.asked.append((q, scale, zero_point))
        return q, scale, zero_point

    def seen(self):
        """The numbers that the last integers of the input stand for."""
        q, scale, zero_point = self.asked[-1]
        return scale.astype(float) * (q.astype(float) - zero_point)

    def weights(self):
        """The numbers that the integers of the weight stand for."""
        shape = (-1, *[1] * (self.weight.ndim - 1))
        return self.weight.array * self.weight_scale.array.reshape(shape).astype(float)


def check_close(found, wanted, says, about):
    """Compare with the result of the dequantized numbers; name the first difference."""
    kind = type(found).__name__
    assert isinstance(found, np.ndarray), f"a {kind} came back, and an array is wanted"
    assert found.dtype == np.float32, f"{found.dtype} came back, and float32 is wanted"
    message = f"the shape is {found.shape}, and {wanted.shape} is wanted\n{about}"
    assert found.shape == wanted.shape, message
    limit = 1e-4 * np.abs(wanted) + 1e-5 * np.abs(wanted).max(initial=0)
    wrong = np.argwhere(~(np.abs(found - wanted) <= limit))
    for place in map(tuple, wrong[:1].tolist()):
        raise AssertionError(
            f"the number at {place} is {found[place]:.4g}, and {wanted[place]:.4g} is wanted: "
            f"{says}\n{about}; {len(wrong)} of {wanted.size} numbers differ"
        )


def products_asked(run):
    """Shapes and types of what IntegerProduct.apply is given while something runs."""
    asked, apply = [], IntegerProduct.apply

    def noted(x, weight):
        asked.append((tuple(x.shape), tuple(weight.shape), f"{x.dtype.name} {weight.dtype.name}"))
        return apply(x, weight)

    IntegerProduct.apply = staticmethod(noted)
    try:
        run()
    finally:
        del IntegerProduct.apply
    assert asked, "IntegerProduct.apply was not called; a faster product is to replace it later"
    kinds = {kind for _, _, kind in asked}
    assert kinds == {"int8 int8"}, f"IntegerProduct was given {kinds}, and int8 for both is wanted"
    return asked


def check_linear(n, i, o, says, bias=False, lift=0.7, scale=1.0, seed=0):
    x = np.clip(drawn(n, i, seed=seed), -1.28, 1.27) + np.float32(lift)
    x[:, :2] = np.float32([-1.28, 1.27]) + np.float32(lift)
    x *= np.float32(scale)
    layer = Held(drawn(o, i, seed=1), drawn(o, seed=2) if bias else None)
    kept = x.copy()
    found = linear_forward(layer, x)
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    layer.check_unchanged()
    about = f"N, I, O = {n, i, o}, {'with' if bias else 'without'} bias"
    assert len(layer.asked) == 1, "the input is quantized once, by layer.quantize_input"
    about += f", zero points {layer.asked[0][2].ravel()[:3].tolist()}"
    message = f"layer.quantize_input is to get x as it is: {about}"
    np.testing.assert_array_equal(layer.given, x, err_msg=message)
    wanted = layer.seen() @ layer.weights().T + (layer.bias.array if bias else 0)
    check_close(found, wanted, says, about)


@pytest.mark.stub("linear-forward", points=7)
def test_sums_are_scaled_where_the_zero_point_is_0():
    says = "the sums, times the scale of the row and that of the output"
    for sizes in ((1, 4, 3), (5, 8, 2), (7, 30, 30), (3, 1100, 9)):
        check_linear(*sizes, says, lift=0)
    check_linear(4, 16, 6, says, lift=0, scale=50.0)
    check_linear(4, 16, 6, says, lift=0, scale=0.01)


@pytest.mark.stub("linear-forward", points=7)
def test_the_zero_point_times_the_sum_of_the_weights_is_taken_off():
    says = "subtract the zero point times weight_sums from the sums"
    for sizes in ((1, 4, 3), (5, 8, 2), (3, 1100, 9)):
        check_linear(*sizes, says, seed=234)
        check_linear(*sizes, says, lift=-2.0, seed=4)


@pytest.mark.stub("linear-forward", points=7)
def test_the_bias_is_added_as_it_is():
    says = "the bias is added last, and is not scaled"
    for sizes in ((1, 4, 3), (7, 30, 30), (3, 1100, 9)):
        check_linear(*sizes, says, bias=True)
    check_linear(4, 16, 6, says, bias=True, scale=50.0)


@pytest.mark.stub("linear-forward", points=7)
def test_a_row_has_its_answer_whoever_its_neighbours_are():
    x = drawn(6, 20)
    layer = Held(drawn(4, 20, seed=1), drawn(4, seed=2))
    alone = linear_forward(layer, x[2:3].copy())[0]
    x[3] *= 1000
    among = linear_forward(layer, x)[2]
    message = "row 2 alone, and next to a row that is 1,000 times as large"
    np.testing.assert_allclose(among, alone, rtol=1e-5, atol=1e-6, err_msg=message)


def check_two_calls(forward, layer, *inputs):
    """Compare what one layer answers in two calls with what it answers in one."""
    alone = [forward(layer, x.copy()).copy() for x in inputs]
    found = [forward(layer, x.copy()) for x in inputs]
    for which, a, b in zip(("first", "second"), found, alone):
        message = f"the {which} answer of a layer that is called twice, after both calls"
        np.testing.assert_array_equal(a, b, err_msg=message)
    same = np.allclose(*alone)
    assert not same, "the second input got the answer of the first"


@pytest.mark.stub("linear-forward", points=7)
def test_two_calls_of_one_layer_have_their_own_answers():
    layer = Held(drawn(4, 20, seed=1), drawn(4, seed=2))
    check_two_calls(linear_forward, layer, drawn(3, 20, seed=3), drawn(3, 20, seed=4))


def check_nan(forward, layer, x):
    """Compare answers to three rows or images, of which the middle one gets a NaN."""
    quantize_input, wanted = layer.quantize_input, forward(layer, x.copy())

    def unknown(x, axis):
        """A NaN has no integer, so the scale is NaN in its place."""
        bad = np.isnan(x).any(axis=axis, keepdims=True)
        q, scale, zero_point = quantize_input(np.where(bad, np.float32(0), x), axis)
        return q, np.where(bad, np.float32(np.nan), scale), zero_point

    layer.quantize_input = unknown
    x[1].flat[0], wanted[1] = np.nan, np.nan
    found = forward(layer, x)
    answer = found[1].flat[0]
    assert np.isnan(found[1]).all(), (
        "the second of three inputs has a NaN, so `quantize_input` returns NaN as its scale, "
        f"and its answer is to be NaN; it begins with {answer:.4g}"
    )
    message = "of three inputs the second has a NaN, and only its answer is NaN"
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=message)


@pytest.mark.stub("linear-forward", points=7)
def test_a_row_with_nan_has_the_answer_nan():
    check_nan(linear_forward, Held(drawn(4, 20, seed=1), drawn(4, seed=2)), drawn(3, 20))


def large_sums_that_nearly_cancel(*ones):
    """A layer, and its input with zero point -115: sums near 2**26, and small differences."""
    weight = np.ones((3, 4200, *ones), np.float32)
    weight[:, 0].flat[:], weight[:, 1] = np.float32([1, 3, 7]) / 127, 0
    x = np.zeros((1, 4200, *ones), np.float32)
    x[:, 0], x[:, 1] = 242, -13
    return Held(weight, kernel_size=ones, stride=ones, padding=(0, 0), dilation=ones), x


@pytest.mark.stub("linear-forward", points=7)
def test_the_difference_of_large_sums_is_exact():
    layer, x = large_sums_that_nearly_cancel()
    found, wanted = linear_forward(layer, x), np.float32([[1, 3, 7]]) * (242 / 127)
    says = "the sums are beyond 2**24, where float32 is not exact"
    check_close(found, wanted, says, "N, I, O = (1, 4200, 3), zero point -115")


@pytest.mark.stub("linear-forward", points=7)
def test_no_rows_have_no_answers():
    found = linear_forward(Held(drawn(4, 20), drawn(4, seed=2)), drawn(0, 20))
    check_close(found, np.zeros((0, 4)), "there are no rows", "N, I, O = (0, 20, 4)")


@pytest.mark.stub("linear-forward", points=7)
def test_sums_are_computed_by_apply_of_integer_product():
    asked = products_asked(lambda: linear_forward(Held(drawn(4, 20)), drawn(3, 20)))
    shapes = [shapes for *shapes, _ in asked]
    assert sum(a[0] * b[0] for a, b in shapes) == 3 * 4, (
        f"(3, 20) and (4, 20) are to be multiplied once; these were multiplied: {shapes}"
    )


def slid(x, weight, bias, stride, padding, dilation):
    """A convolution by NumPy's sliding windows, in float64."""
    margins = [(p, p) for p in padding]
    x = np.pad(x, ((0, 0), (0, 0), *margins))
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:])]
    seen = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    seen = seen[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    output = np.einsum("nchwij,ocij->nohw", seen, weight)
    return output if bias is None else output + bias[:, None, None]


def held_filters(filters, bias=False, stride=(1, 1), padding=(0, 0), dilation=(1, 1)):
    moves = {"stride": stride, "padding": padding, "dilation": dilation}
    shift = drawn(filters[0], seed=2) if bias else None
    return Held(drawn(*filters, seed=1), shift, kernel_size=filters[2:], **moves), moves


def check_conv(shape, filters, says, lift=2.0, **options):
    layer, moves = held_filters(filters, **options)
    x = drawn(*shape) + np.float32(lift)
    kept = x.copy()
    found = conv2d_forward(layer, x)
    about = f"images {shape}, filters {filters}"
    about += "".join(f", {name} {option}" for name, option in options.items())
    np.testing.assert_array_equal(x, kept, err_msg="the images belong to the caller")
    layer.check_unchanged()
    assert len(layer.asked) == 1, "the images are quantized once, by layer.quantize_input"
    if layer.given.shape != x.shape:  # already padded
        x = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in moves["padding"])))
        moves["padding"] = (0, 0)
    reached = x[tuple(map(slice, layer.given.shape))]  # all that windows reach
    given, within = layer.given.shape, layer.given.shape == reached.shape
    assert within, (
        f"layer.quantize_input was given {given}; the images with their padding are {x.shape}\n{about}"
    )
    message = f"layer.quantize_input is to get the images, padded with zeros: {about}"
    np.testing.assert_array_equal(layer.given, reached, err_msg=message)
    shift = None if layer.bias is None else layer.bias.array
    check_close(found, slid(layer.seen(), layer.weights(), shift, **moves), says, about)


@pytest.mark.stub("conv2d-forward", points=8)
def test_each_window_is_a_row_of_integers():
    says = "the sums over each window minus the zero point's, times both scales"
    check_conv((1, 1, 3, 3), (1, 1, 2, 2), says)
    says += "; with one image it was right"
    check_conv((2, 3, 6, 5), (4, 3, 3, 2), says)
    check_conv((2, 120, 4, 3), (3, 120, 3, 3), says)


@pytest.mark.stub("conv2d-forward", points=8)
def test_the_bias_of_each_filter_is_added():
    says = "the bias of each filter is added, and is not scaled"
    check_conv((2, 3, 6, 5), (4, 3, 3, 2), says, bias=True)


@pytest.mark.stub("conv2d-forward", points=8)
def test_strides_and_dilations():
    says = "stride and dilation say where the windows are"
    check_conv((3, 2, 8, 10), (5, 2, 3, 3), says, stride=(2, 3))
    check_conv((2, 2, 9, 8), (3, 2, 2, 3), says, bias=True, dilation=(2, 3))


@pytest.mark.stub("conv2d-forward", points=8)
def test_margins_stand_for_zero():
    says = "the padding is 0, which is a different integer in each image"
    check_conv((2, 1, 4, 4), (3, 1, 3, 3), says, padding=(1, 1))
    check_conv((2, 2, 5, 4), (3, 2, 3, 3), says, bias=True, padding=(2, 1), lift=-3.0)
    moves = {"stride": (2, 2), "padding": (1, 2), "dilation": (1, 2)}
    check_conv((2, 2, 7, 6), (3, 2, 3, 3), says, **moves)


@pytest.mark.stub("conv2d-forward", points=8)
def test_no_images_have_no_answers():
    layer, _ = held_filters((3, 2, 3, 3), bias=True, padding=(1, 1))
    found, about = conv2d_forward(layer, drawn(0, 2, 5, 4)), "images (0, 2, 5, 4), padding 1"
    check_close(found, np.zeros((0, 3, 5, 4)), "there are no images", about)


@pytest.mark.stub("conv2d-forward", points=8)
def test_an_image_with_nan_has_the_answer_nan():
    layer, _ = held_filters((4, 2, 3, 3), padding=(1, 1))
    check_nan(conv2d_forward, layer, drawn(3, 2, 3, 3))


@pytest.mark.stub("conv2d-forward", points=8)
def test_the_difference_of_large_sums_is_exact_in_a_convolution():
    layer, x = large_sums_that_nearly_cancel(1, 1)
    found = conv2d_forward(layer, x)
    wanted = np.float32([1, 3, 7]).reshape(1, 3, 1, 1) * (242 / 127)
    says = "the sums are beyond 2**24, where float32 is not exact"
    about = "images (1, 4200, 1, 1), filters (3, 4200, 1, 1), zero point -115"
    check_close(found, wanted, says, about)


@pytest.mark.stub("conv2d-forward", points=8)
def test_windows_are_multiplied_by_apply_of_integer_product():
    layer, _ = held_filters((4, 2, 3, 2))
    asked = products_asked(lambda: conv2d_forward(layer, drawn(3, 2, 5, 5)))
    shapes = [shapes for *shapes, _ in asked]
    sums = sum(x[0] * weight[0] for x, weight in shapes)
    assert sums == 3 * 3 * 4 * 4, (
        f"3 images of 3 x 4 windows, 4 filters: 144 sums; what was multiplied: {shapes}"
    )


@pytest.mark.stub("conv2d-forward", points=8)
def test_two_calls_of_one_convolution_have_their_own_answers():
    layer, _ = held_filters((4, 2, 3, 3), bias=True, padding=(1, 1))
    images = drawn(3, 2, 5, 5, seed=3), drawn(3, 2, 5, 5, seed=4)
    check_two_calls(conv2d_forward, layer, *images)


@pytest.mark.stub("conv2d-forward", points=8)
def test_every_image_has_its_own_scale():
    layer, _ = held_filters((4, 2, 3, 3), padding=(1, 1))
    x = drawn(3, 2, 5, 5)
    alone = conv2d_forward(layer, x[1:2].copy())[0]
    x[2] *= 1000
    among = conv2d_forward(layer, x)[1]
    message = "image 1 alone, and next to one that is 1,000 times as bright"
    np.testing.assert_allclose(among, alone, rtol=1e-5, atol=1e-5, err_msg=message)


class Marked(Module):
    """What takes the place of a layer in these tests."""

    def __init__(self, name):
        super().__init__()
        self.name = name


class Block(Module):
    """A module with a layer, which is no Sequential."""

    def __init__(self):
        super().__init__()
        self.fc = Linear(2, 2)


class Twice(Module):
    """A model with children, grandchildren, modules in two places, and one that is None."""

    def __init__(self):
        super().__init__()
        self.first = Linear(2, 2)
        self.body = Sequential(Linear(2, 2), ReLU(), Block())
        self.again, self.nothing = self.body[0], Linear(1, 1)
        self.nothing = None
        self.last, self.twin = self.first, self.body


def marked(name, module):
    """A replacement function for the tests: each Linear becomes a Marked."""
    kind = type(name).__name__
    assert isinstance(name, str), (
        f"`replacement` is to be called with the name, then the module; first came a {kind}"
    )
    return Marked(name) if type(module) is Linear else module


@pytest.mark.stub("replace-layers", points=6)
def test_layers_are_replaced_wherever_they_are():
    found = replace_layers(Twice(), marked)
    names = {name: module.name for name, module in found.named_modules() if hasattr(module, "name")}
    wanted = {name: name for name in ("first", "body.0", "body.2.fc")}
    assert names == wanted, "each Linear is to be replaced, and once, under its first name"
    assert type(found.body[1]) is ReLU, "what is not replaced stays where it is"
    assert isinstance(found, Twice), "the copy has the model's class"
    assert found.nothing is None, "a child that is None stays None"


@pytest.mark.stub("replace-layers", points=6)
def test_the_model_is_left_as_it_was():
    model = Twice()
    layers = list(model.modules())
    weights = [p.array.copy() for p in model.parameters()]

    def spoil(name, module):
        for p in module._parameters.values():
            p.array[...] = 0
        return marked(name, module)

    found = replace_layers(model, spoil)
    message = "modules of the original model were replaced, not those of the copy"
    assert list(model.modules()) == layers, message
    for p, before in zip(model.parameters(), weights):
        message = "`replacement` is to get modules of the copy; here it set their weights to 0, "
        message += "and a weight of the model itself has changed"
        np.testing.assert_array_equal(p.array, before, err_msg=message)
        assert p.requires_grad, "the parameters of the model itself still want gradients"
    assert not set(found.modules()) & set(layers), "the copy shares no module with the model"
    left = [name for name, _ in found.named_parameters()]
    assert not left, f"each Linear is to be replaced in all its places; {left[-1]!r} is left"


@pytest.mark.stub("replace-layers", points=6)
def test_a_replacement_may_be_of_the_same_type():
    other = Linear(2, 3)
    found = replace_layers(Sequential(Linear(2, 2)), lambda name, old: other if name else old)
    message = "the Linear '0' was to be replaced by another Linear, of 3 outputs"
    assert found[0].out_features == 3, message
    same = found[0] is other
    assert same, "what `replacement` returns is put in itself, and not a copy of it"


@pytest.mark.stub("replace-layers", points=6)
def test_one_module_in_two_places_stays_one():
    asked = []

    def once(name, module):
        asked.append(name)
        return marked(name, module)

    found = replace_layers(Twice(), once)
    places, one = (found.first, found.last), found.first is found.last
    assert one, (
        "`first` and `last` were one layer, and both are to be one Marked; in the copy they "
        f"are {' and '.join(type(place).__name__ for place in places)}, two modules"
    )
    assert found.again is found.body[0], "the same holds for two places at different depths"
    wanted = ["", "first", "body", "body.0", "body.1", "body.2", "body.2.fc"]
    assert asked == wanted, "`replacement` is to be called once for each module, parents first"


@pytest.mark.stub("replace-layers", points=6)
def test_each_module_stays_in_its_mode():
    model = Twice().train()
    model.body.eval()
    modes = [module.training for module in model.modules()]
    found = replace_layers(model, lambda name, module: module)
    for which, copied in ("the model", model), ("the copy", found):
        now = [module.training for module in copied.modules()]
        assert now == modes, f"`training` of the modules of {which} is what it was before"


@pytest.mark.stub("replace-layers", points=6)
def test_a_layer_alone_and_a_layer_that_is_not_walked_into():
    assert isinstance(replace_layers(Linear(2, 2), marked), Marked), "the model itself can be replaced too"

    asked = []

    def whole_block(name, module):
        asked.append(name)
        return Sequential(Linear(3, 3)) if name == "0" else marked(name, module)

    found = replace_layers(Sequential(Sequential(Linear(2, 2))), whole_block)
    assert type(found[0][0]) is Linear, "what has been put in is not walked into"
    assert asked == ["", "0"], (
        "`replacement` is to be called for '' and '0', and for nothing in a module that was replaced"
    )


@pytest.mark.stub("replace-layers", points=6)
def test_a_module_without_children_is_a_module():
    put_in = {"0": Marked("0"), "1": Sequential()}
    model = Sequential(Sequential(), Linear(2, 2))
    found = replace_layers(model, lambda name, module: put_in.get(name, module))
    kinds = [type(child).__name__ for child in found]
    assert kinds == ["Marked", "Sequential"], (
        "an empty Sequential, which counts as false, was to be replaced by a Marked, and a "
        f"Linear by an empty Sequential; the copy has {kinds}"
    )


@pytest.mark.stub("replace-layers", points=6)
def test_what_became_an_empty_sequential_is_replaced_once():
    asked, block = [], Sequential(Linear(2, 2))

    def removed(name, module):
        asked.append(name)
        return Sequential() if name and type(module) is Sequential else module

    found = replace_layers(Sequential(block, ReLU(), block), removed)
    assert asked == ["", "0", "1"], (
        "a block in the places 0 and 2 was replaced by an empty Sequential, which counts as "
        "false; `replacement` is to be called for these modules"
    )
    assert found[0] is found[2], "one module in two places stays one"


def check_bytes(found, wanted, about):
    """Compare bytes in hexadecimal, where each digit is a nibble."""
    shape = np.shape(wanted)
    assert found.dtype == np.uint8, f"{found.dtype} came back, and uint8 is wanted"
    assert found.shape == shape, f"{about}: the shape is {found.shape}, not {shape}"
    found, wanted = ([f"{byte:02x}" for byte in np.ravel(x).tolist()] for x in (found, wanted))
    assert found == wanted, f"{about}; bytes in hexadecimal"


@pytest.mark.stub("pack-int4", points=6)
def test_the_halves_of_a_row_are_low_and_high():
    q = np.int8([[0, 1, 2, 3, 4, 5], [7, 6, 5, -8, -1, 0]])
    wanted = np.array([[0x30, 0x41, 0x52], [0x87, 0xF6, 0x05]])
    kept, found = q.copy(), pack_int4(q)
    np.testing.assert_array_equal(q, kept, err_msg="the integers belong to the caller")
    check_bytes(found, wanted, f"pack_int4({q.tolist()}): byte i has q[i] and q[i + 3]")


@pytest.mark.stub("pack-int4", points=6)
def test_a_row_of_odd_length_ends_with_half_a_byte():
    q = np.int8([-8, 7, -1, 1, -2])
    check_bytes(pack_int4(q), [0x18, 0xE7, 0x0F], f"pack_int4({q}): three bytes")
    check_bytes(pack_int4(np.int8([[-3]])), [[0x0D]], "pack_int4([[-3]]), one integer")


@pytest.mark.stub("pack-int4", points=6)
def test_unpacking_reads_signed_integers():
    packed = np.uint8([[0x30, 0x8F], [0xF7, 0x08]])
    kept, found = packed.copy(), unpack_int4(packed, 4)
    np.testing.assert_array_equal(packed, kept, err_msg="the bytes belong to the caller")
    wanted = [[0, -1, 3, -8], [7, -8, -1, 0]]
    message = "unpack_int4 of the rows 30 8f and f7 08, 4: low nibbles first, then high ones"
    np.testing.assert_array_equal(found, wanted, err_msg=message)
    assert found.dtype == np.int8, f"{found.dtype} came back, and int8 is wanted"
    wanted, found = [row[:3] for row in wanted], unpack_int4(packed, 3)
    np.testing.assert_array_equal(found, wanted, err_msg="three to a row: the last nibble is empty")


@pytest.mark.stub("pack-int4", points=6)
def test_there_and_back_for_all_integers_and_shapes():
    for shape in ((16,), (3, 7), (2, 3, 8), (4, 1), (0, 4)):
        q = whole(-8, 7, *shape)
        packed = pack_int4(q)
        half = (shape[-1] + 1) // 2
        message = f"of integers {shape}, bytes {packed.shape} came back, and "
        message += f"{(*shape[:-1], half)} is wanted"
        assert packed.shape == (*shape[:-1], half), message
        found, message = unpack_int4(packed, shape[-1]), f"there and back, integers {shape}"
        np.testing.assert_array_equal(found, q, err_msg=message)


def drawn_blocks(*shape, numbers, seed=0):
    """Blocks as a file has them, bytes one by one, with the float16 numbers before them."""
    rng = np.random.default_rng(seed)
    heads = rng.normal(size=(*shape, numbers)).astype(np.float16)
    size = 32 if numbers == 1 else 16
    rest = rng.integers(0, 256, (*shape, size)).astype(np.uint8)
    blocks = np.empty((*shape, 2 * numbers + size), np.uint8)
    for place in np.ndindex(*shape):
        blocks[place] = np.frombuffer(heads[place].tobytes() + rest[place].tobytes(), np.uint8)
    return heads, rest, blocks


def check_arrays(found, wanted, kept, about):
    blocks, before = kept
    np.testing.assert_array_equal(blocks, before, err_msg=f"{about}: the blocks were changed")
    assert len(found) == len(wanted), f"{about}: {len(found)} arrays came back, and {len(wanted)} are wanted"
    for name, (one, other) in zip(("integers", "scales", "minima"), zip(found, wanted)):
        for property in ("dtype", "shape"):
            got, wanted = getattr(one, property), getattr(other, property)
            assert got == wanted, f"{about}: the {property} of the {name} is {got}, and {wanted} is wanted"
        if one.dtype == np.uint8:
            check_bytes(one, other, f"{about}: {name}")
        np.testing.assert_array_equal(one, other, err_msg=f"{about}: {name}")


@pytest.mark.stub("file-blocks", points=4)
def test_blocks_of_8_bits_are_a_scale_and_integers():
    for shape in ((5,), (), (3, 2), (1,), (3, 1)):
        heads, rest, blocks = drawn_blocks(*shape, numbers=1)
        wanted = rest.astype(int)
        wanted = (wanted - 256 * (wanted > 127)).astype(np.int8)
        kept = blocks, blocks.copy()
        about = f"Q8_0, {blocks.shape}"
        check_arrays(q8_0_blocks(blocks), (wanted, heads[..., 0]), kept, about)


@pytest.mark.stub("file-blocks", points=4)
def test_blocks_of_4_bits_are_a_scale_a_minimum_and_nibbles():
    for shape in ((5,), (), (3, 2), (1,), (3, 1)):
        heads, rest, blocks = drawn_blocks(*shape, numbers=2)
        kept = blocks, blocks.copy()
        low, high = rest % 16, rest // 16  # from 0; one less by 8 is one that differs by 8
        wanted = ((low + 8) % 16 + (high + 8) % 16 * 16).astype(np.uint8)
        wanted = wanted, heads[..., 0], heads[..., 1]
        check_arrays(q4_1_blocks(blocks), wanted, kept, f"Q4_1, {blocks.shape}")


@pytest.mark.stub("file-blocks", points=4)
def test_blocks_may_lie_in_a_larger_array():
    for unpack, numbers in ((q8_0_blocks, 1), (q4_1_blocks, 2)):
        _, _, blocks = drawn_blocks(4, 3, numbers=numbers)
        wide = np.zeros((4, 6, blocks.shape[-1]), np.uint8)
        wide[:, ::2] = blocks
        for one, other in zip(unpack(wide[:, ::2]), unpack(blocks)):
            message = f"{unpack.__name__} of every second block of an array"
            np.testing.assert_array_equal(one, other, err_msg=message)


def faked(x, scale, zero_point, quant_min, quant_max):
    """The result and the gradient for a random cotangent, of the operation."""
    leaf = tensor(x, requires_grad=True)
    options = {"scale": np.array(scale, "f4"), "zero_point": np.array(zero_point, "i4")}
    result = FakeQuantizeAffine.apply(leaf, **options, quant_min=quant_min, quant_max=quant_max)
    np.testing.assert_array_equal(leaf.array, x, err_msg="x belongs to the caller")
    cotangent = drawn(*x.shape, seed=9).astype(x.dtype)
    result.backward(tensor(cotangent))
    return result.detach().numpy(), leaf.grad.numpy(), cotangent


def check_fake(x, scale, zero_point, quant_min, quant_max):
    scale, zero_point = np.float32(scale), np.int32(zero_point)
    q = np.rint(x.astype(float) / scale) + zero_point
    inside = (q >= quant_min) & (q <= quant_max)
    wanted = (np.clip(q, quant_min, quant_max) - zero_point) * scale
    found, gradient, cotangent = faked(x, scale, zero_point, quant_min, quant_max)
    assert found.dtype == x.dtype, f"{found.dtype} came back, and {x.dtype} is wanted"
    steps = ", ".join(f"{s:g}" for s in scale.ravel())
    about = f"scale {steps}, zero point {zero_point.tolist()}, {quant_min}..{quant_max}"
    digits = 1e-5 if x.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=digits, atol=digits / 10, err_msg=about)
    wanted = cotangent * inside
    wrong = np.argwhere(gradient != wanted)
    for place in map(tuple, wrong[:1].tolist()):
        raise AssertionError(
            f"the gradient at {x[place]:.4g}, whose integer before clipping is {q[place]:g}, "
            f"is {gradient[place]:.3g}; {wanted[place]:.3g} is wanted: it passes where the "
            f"integer was not clipped\n{about}; {len(wrong)} of {x.size} gradients differ"
        )


@pytest.mark.stub("fake-quantize", points=6)
def test_a_gradient_passes_unchanged_or_is_0():
    x = drawn(9) * 2
    _, gradient, cotangent = faked(x, 0.5, 0, -3, 3)
    for number, found, above in zip(x, gradient, cotangent):
        unchanged = found in (0, above)
        assert unchanged, (
            f"at {number:.3g} a gradient of {above:.3g} came in, and {found:.3g} came out: it "
            "passes unchanged, or is 0\nscale 0.5, zero point 0, integers -3 to 3"
        )


@pytest.mark.stub("fake-quantize", points=6)
def test_the_edge_of_the_range_is_inside():
    outside = np.float32([-9, -8.6, 7.5, 7.6, 9])
    x = np.float32([-8.5, -8.4, 0.4, 3, 6.9, 7, 7.3, 7.49, *outside])  # halves go to even
    wanted = [f"{number:g}" for number in x if number not in outside]
    _, gradient, cotangent = faked(x, 1.0, 0, -8, 7)
    passes = [
        f"{number:g}" if found == above else f"{number:g} as {found:.3g}, not {above:.3g}"
        for number, found, above in zip(x, gradient, cotangent)
        if found != 0
    ]
    assert passes == wanted, (
        "the numbers where the gradient passes, which is decided by the integer before "
        f"clipping\nscale 1, zero point 0, integers -8 to 7, x = {x}"
    )


@pytest.mark.stub("fake-quantize", points=6)
def test_numbers_are_rounded_and_gradients_pass_inside():
    check_fake(drawn(40, 5) * 3, 0.1, 0, -128, 127)
    check_fake(drawn(40, 5) * 3, 0.5, 0, -7, 7)
    check_fake(drawn(3, 40) * 2, 0.3, 5, 0, 15)
    check_fake(drawn(30), 1.0, -2, -3, 3)
    check_fake(np.float32([0, 10, 20, 30]), 0.1, 0, 0, 255)  # more than an int8 holds
    check_fake(drawn(40, 5) * 9 + 9, 0.1, 100, 0, 255)


@pytest.mark.stub("fake-quantize", points=6)
def test_float64_stays_float64():
    check_fake(drawn(30).astype(float) * 3, 0.5, 1, -7, 7)
    check_fake(np.array([0.5000000001, 1.4999999999]), 1.0, 0, -8, 7)  # 1 and 1, no halves
    check_fake(drawn(30).astype(float), 0.1, 0, -8, 7)


@pytest.mark.stub("fake-quantize", points=6)
def test_nan_stays_nan_and_has_no_gradient():
    found, gradient, cotangent = faked(np.float32([np.nan, 1, 9, 2.4]), 1.0, 0, -8, 7)
    message = "NaN, 1, 9 and 2.4, with scale 1, zero point 0 and integers -8 to 7"
    np.testing.assert_array_equal(found, [np.nan, 1, 7, 2], err_msg=message)
    assert gradient[0] == 0, f"the gradient of NaN is 0, and not {gradient[0]:.3g}"
    message = f"the gradients of what stands beside a NaN: {message}"
    np.testing.assert_array_equal(gradient[1:], cotangent[1:] * [1, 0, 1], err_msg=message)


@pytest.mark.stub("fake-quantize", points=6)
def test_what_is_too_large_for_any_integer_is_clipped():
    with np.errstate(invalid="ignore"):
        check_fake(np.float32([3e9, -3e9, 1e30, -1e30, 0.4]), 0.25, 0, -8, 7)
        check_fake(np.float32([np.inf, -np.inf, 0.4, 9]), 0.25, 1, -8, 7)


@pytest.mark.stub("fake-quantize", points=6)
def test_the_zero_point_is_added_to_the_rounded_quotient():
    check_fake(np.float32([0.5, 1.5, 2.5, -0.5]), 1.0, 1, -128, 127)


@pytest.mark.stub("fake-quantize", points=6)
def test_each_row_has_its_scale():
    check_fake(drawn(3, 50) * 2, [[0.1], [0.5], [2]], [[0], [1], [-1]], -4, 3)


@pytest.mark.stub("fake-quantize", points=6)
def test_each_result_has_its_own_gradient():
    inputs = np.float32([-9, 0, 1]), np.float32([0, 1, 9])
    leaves = [tensor(x, requires_grad=True) for x in inputs]
    options = {"scale": np.array(1, "f4"), "zero_point": np.array(0, "i4")}
    results = [FakeQuantizeAffine.apply(leaf, **options, quant_min=-3, quant_max=3) for leaf in leaves]
    for x, leaf, result, wanted in zip(inputs, leaves, results, ([0, 1, 1], [1, 1, 0])):
        result.backward(tensor(np.ones(3, np.float32)))
        message = (
            f"the gradient of {x.tolist()}, where ones come in, with scale 1, zero point 0 "
            "and integers -3 to 3: two results were computed before the first backward"
        )
        np.testing.assert_array_equal(leaf.grad.numpy(), wanted, err_msg=message)


@pytest.mark.stub("fake-quantize", points=6)
def test_nothing_of_the_gradient_is_changed():
    x = drawn(4, 3) * 9
    ctx = Context()
    FakeQuantizeAffine.forward(ctx, x, np.float32(1), np.int32(0), -3, 3)
    grad = drawn(4, 3, seed=1)
    kept = grad.copy()
    FakeQuantizeAffine.backward(ctx, grad)
    np.testing.assert_array_equal(grad, kept, err_msg="the incoming gradient must not be changed")


def check_bfloat16(x, wanted, says):
    x = np.asarray(x, np.float32)
    kept = x.copy()
    found = round_to_bfloat16(x)
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    dtype = getattr(found, "dtype", type(found).__name__)
    assert dtype == np.float32, f"{dtype} came back, and float32 is wanted"
    wanted = np.asarray(wanted, np.float32)
    assert found.shape == x.shape, f"shape {found.shape} came back, and {x.shape} is wanted"
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    wrong = [
        [f"{x[place]!s} (0x{x[place].view(np.uint32):08x})" for x in (kept, found, wanted)]
        for place in map(tuple, np.argwhere(~same)[:6])
    ]
    lines = [f"of {x}, {a} came back, and {b} is wanted" for x, a, b in wrong]
    assert not lines, "\n".join([f"{says}:", *lines])


def in_steps(x):
    """The nearest multiples of each number's step: of its power of two over 128."""
    step = 2.0 ** (np.floor(np.log2(np.abs(x.astype(float)))) - 7)
    return np.rint(x / step) * step


@pytest.mark.stub("bfloat16", points=4)
def test_a_few_numbers():
    x = [1.001, 1.007, 3.14159, -0.3, 1e-5]
    wanted = [1.0, 1.0078125, 3.140625, -0.30078125, 1.0013580322265625e-05]
    check_bfloat16(x, wanted, "the nearest of eight bits")


@pytest.mark.stub("bfloat16", points=4)
def test_the_nearest_number_of_eight_bits():
    rng = np.random.default_rng(0)
    for shape in ((500,), (7, 3, 4), (0, 2), ()):
        x = rng.standard_normal(shape) * 10.0 ** rng.integers(-30, 30, shape)
        x = np.asarray(x, np.float32)
        check_bfloat16(x, in_steps(x), "a multiple of the number's step")


@pytest.mark.stub("bfloat16", points=4)
def test_halves_go_to_the_even_neighbour():
    step = 2.0**-7
    x = [1 + step / 2, 1 + 1.5 * step, -1 - step / 2, -1 - 1.5 * step, 2 - step / 2, 1.5]
    wanted = [1, 1 + 2 * step, -1, -1 - 2 * step, 2, 1.5]
    check_bfloat16(x, wanted, "halves go to the even neighbour")
    check_bfloat16(
        np.nextafter(np.float32(x), np.float32(9)),
        [1 + step, 1 + 2 * step, -1, -1 - step, 2, 1.5],
        "just above a half, which is no tie",
    )


@pytest.mark.stub("bfloat16", points=4)
def test_the_range_is_that_of_float32():
    largest = 2.0**127 * (2 - 2.0**-7)
    with np.errstate(all="ignore"):
        check_bfloat16([70000, 1e38, largest], [70144, 2.0**119 * 150, largest], "no overflow")
        check_bfloat16([np.finfo("f4").max, -3.4e38], [np.inf, -np.inf], "beyond the largest")
        check_bfloat16([np.inf, -np.inf, 0.0, -0.0], [np.inf, -np.inf, 0.0, -0.0], "kept")
        check_bfloat16([np.inf, 1.001], [np.inf, 1], "rounded beside an infinity")
        check_bfloat16([1.5e-40, 2e-41], [2.0**-132, 0], "below the smallest normal number")


@pytest.mark.stub("bfloat16", points=4)
def test_nan_stays_nan():
    bits = np.uint32([0x7FC00000, 0x7FFFFFFF, 0x7F800001, 0xFFFFFFFF])
    with np.errstate(all="ignore"):
        found = round_to_bfloat16(bits.view(np.float32))
    assert np.isnan(found).all(), (
        f"of NaN with the bits {', '.join(map(hex, bits))}, {found} came back, and only NaN is wanted"
    )
    beside = np.float32([np.nan, 1.001, 3.14159])
    check_bfloat16(beside[1:], round_to_bfloat16(beside)[1:], "rounded beside a NaN and alone")


@pytest.mark.stub("bfloat16", points=4)
def test_numbers_need_not_be_neighbours_in_memory():
    x = drawn(6, 8)[::2, 1::3]
    check_bfloat16(x, in_steps(x), "a view of every second row and third column")
