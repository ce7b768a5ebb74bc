"""Tests of module 02, which `make release 2` makes from activations.py."""

import math

import numpy as np
import pytest

from tinytorch.activations import (
    Gelu,
    LogSoftmax,
    LogSumExp,
    Relu,
    Sigmoid,
    Silu,
    Softmax,
    Softplus,
    gelu,
    log_softmax,
    logsumexp,
    relu,
    sigmoid,
    silu,
    softmax,
    softplus,
)
from tinytorch.tensor import Context, from_numpy


def values(function, x, *options, **named):
    """A function of tensors on an array: x must not change, and its type is kept."""
    before = x.copy()
    found = function(from_numpy(x), *options, **named).numpy()
    said = "the input belongs to the caller, and stays as it was; here, it was changed"
    np.testing.assert_array_equal(x, before, err_msg=said)
    assert found.dtype == x.dtype, f"{x.dtype} stays {x.dtype}, here it became {found.dtype}"
    return found


def check_saved(function, *wanted, of=((-1.0, 2.0, 0.5),), **options):
    """Check what an operation saves, its "input" or "output": the array itself, not a copy."""
    ctx, x = Context(function), np.array(of, np.float32)
    output = function.forward(ctx, x, **options)
    names, saved = " and then the ".join(wanted), ctx.saved_tensors
    said = "the input belongs to the caller, and stays as it was; here, it was changed"
    np.testing.assert_array_equal(x, np.array(of, np.float32), err_msg=said)
    case = "".join(f", {option}={value!r}" for option, value in options.items())
    assert len(saved) == len(wanted), (
        f"with shape={x.shape}{case}, to be saved: the {names}; arrays saved: {len(saved)}"
    )
    for name, array in zip(wanted, saved):
        same = array is {"input": x, "output": output}[name]
        said = f"to be saved: the {names}, the array itself, not a copy of it"
        assert same, f"{said}; what is saved as the {name} is\n{array!r}"
    return ctx


@pytest.mark.stub("relu", points=2)
def test_relu_keeps_what_is_positive():
    x = np.float32([-3.0, -0.5, 0.0, 0.5, 3.0, -np.inf, np.inf])
    y = values(relu, x)
    said = "negative numbers become 0, the others stay"
    np.testing.assert_array_equal(y, [0, 0, 0, 0.5, 3, 0, np.inf], err_msg=said)
    shared = np.shares_memory(values(relu, x[3:5]), x)
    assert not shared, "a new array, also where no number is negative; it shares x's memory"


@pytest.mark.stub("relu", points=2)
def test_relu_does_not_hide_a_nan():
    y = values(relu, np.float32([np.nan, -1.0]))
    np.testing.assert_array_equal(y, [np.nan, 0], err_msg="NaN stays NaN")


@pytest.mark.stub("relu", points=2)
def test_relu_keeps_type_and_shape():
    for kind in (np.float16, np.float32, np.float64, np.int64, np.int8):
        y = values(relu, np.array([[-2, 3]], kind))
        said = f"relu of [[-2, 3]] in {kind.__name__}"
        np.testing.assert_array_equal(y, [[0, 3]], err_msg=said)
    for shape in ((), (0, 3)):
        y = values(relu, np.ones(shape, np.float32))
        assert y.shape == shape, f"a tensor of shape {shape} keeps it, here it became {y.shape}"


@pytest.mark.stub("relu", points=2)
def test_relu_saves_its_output():
    check_saved(Relu, "output")


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_gives_odds():
    y = values(sigmoid, np.log([1, 3, 1 / 3]))
    said = "a score of log 3 means 3 to 1"
    np.testing.assert_allclose(y, [1 / 2, 3 / 4, 1 / 4], rtol=1e-12, err_msg=said)


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_is_the_formula_where_nothing_overflows():
    x = np.random.default_rng(0).uniform(-6, 6, (5, 40))
    expected = 1 / (1 + np.exp(-x))
    y = values(sigmoid, x)
    said = "1 / (1 + exp(-x)) for 200 float64 scores from -6 to 6, to 12 digits"
    np.testing.assert_allclose(y, expected, rtol=1e-12, err_msg=said)


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_overflows_at_neither_end():
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        y = values(sigmoid, np.float32([-np.inf, -1000.0, 1000.0, np.inf]))
    said = "sigmoid of -inf, -1000, 1000, inf: far to the left it is 0, far to the right 1"
    np.testing.assert_array_equal(y, [0, 0, 1, 1], err_msg=said)


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_keeps_small_probabilities():
    for kind, scores in ((np.float32, [-10, -20, -80]), (np.float64, [-20, -720])):
        expected = np.exp(scores) / (1 + np.exp(scores))
        y = values(sigmoid, np.array(scores, kind))
        said = f"of {scores} in {kind.__name__}: small, but not 0; logarithms will be needed"
        np.testing.assert_allclose(y, expected, rtol=1e-5, err_msg=said)
    y = values(sigmoid, np.float16([-12.0]))
    said = "in float16 too: sigmoid(-12) is 6.14e-6"
    np.testing.assert_allclose(y, [6.14e-6], rtol=0.02, err_msg=said)


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_keeps_type_shape_and_nan():
    for kind in (np.float16, np.float32, np.float64):
        for shape in ((2, 3), (), (0, 3)):
            y = values(sigmoid, np.zeros(shape, kind))
            assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"
    assert np.isnan(values(sigmoid, np.float32([np.nan]))[0]), "NaN stays NaN"


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_saves_its_output():
    check_saved(Sigmoid, "output")


@pytest.mark.stub("gelu", points=5)
def test_gelu_is_x_times_the_normal_probability():
    x = np.linspace(-5, 5, 42).reshape(2, 21)
    expected = [[v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in row] for row in x]
    y = values(gelu, x)
    said = "gelu(x) = x/2 (1 + erf(x / sqrt 2)), x from -5 to 5"
    np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-12, err_msg=said)


@pytest.mark.stub("gelu", points=5)
def test_gelu_has_the_formula_of_gpt2():
    x = np.linspace(-5, 5, 41)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    expected = x / 2 * (1 + np.tanh(inner))
    y = values(gelu, x, approximate="tanh")
    said = "approximate='tanh': x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), x from -5 to 5"
    np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-12, err_msg=said)


@pytest.mark.stub("gelu", points=5)
def test_gelu_goes_to_zero_and_to_x():
    for approximate in ("none", "tanh"):
        y = values(gelu, np.float32([-1000, -30, 0, 30, 1000]), approximate)
        said = f"far out it is 0 or x, approximate={approximate!r}"
        np.testing.assert_allclose(y, [0, 0, 0, 30, 1000], atol=1e-6, err_msg=said)


@pytest.mark.stub("gelu", points=5)
def test_gelu_keeps_type_and_shape():
    for approximate in ("none", "tanh"):
        for kind in (np.float16, np.float32):
            for shape in ((2, 3), (), (0, 3)):
                y = values(gelu, np.ones(shape, kind), approximate)
                assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"
                said = "gelu(1) is 0.841"
                np.testing.assert_allclose(y, np.full(shape, 0.8413), rtol=2e-3, err_msg=said)


@pytest.mark.stub("gelu", points=5)
def test_gelu_saves_its_input():
    for approximate in ("none", "tanh"):
        check_saved(Gelu, "input", approximate=approximate)


@pytest.mark.stub("silu", points=2)
def test_silu_is_x_times_its_sigmoid():
    x = np.linspace(-8, 8, 34).reshape(2, 17)
    expected = x / (1 + np.exp(-x))
    y = values(silu, x)
    said = "silu(x) = x sigmoid(x), x from -8 to 8"
    np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


@pytest.mark.stub("silu", points=2)
def test_silu_survives_scores_of_1000():
    with np.errstate(over="raise", invalid="raise"):
        y = values(silu, np.float32([-1000.0, 1000.0]))
    said = "the gate is closed on the left, open on the right"
    np.testing.assert_array_equal(y, [0, 1000], err_msg=said)


@pytest.mark.stub("silu", points=2)
def test_silu_keeps_small_results():
    for kind, scores in ((np.float32, [-10, -25, -80]), (np.float64, [-20, -720])):
        expected = scores * (np.exp(scores) / (1 + np.exp(scores)))
        y = values(silu, np.array(scores, kind))
        said = f"x sigmoid(x) for {scores} in {kind.__name__}: small, but not 0"
        np.testing.assert_allclose(y, expected, rtol=1e-5, err_msg=said)


@pytest.mark.stub("silu", points=2)
def test_silu_saves_its_input():
    check_saved(Silu, "input")


@pytest.mark.stub("softplus", points=4)
def test_softplus_is_the_logarithm_of_one_plus_exp():
    x = np.linspace(-5, 5, 22).reshape(2, 11)
    expected = np.log(1 + np.exp(x))
    y = values(softplus, x)
    said = "softplus(x) = log(1 + exp(x)), x from -5 to 5 in float64, to 9 digits"
    np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


@pytest.mark.stub("softplus", points=4)
def test_softplus_is_right_at_both_ends():
    x = [-1000, -50, -20, 50, 1000]
    expected = [0, np.exp(-50), np.exp(-20), 50, 1000]
    for threshold in (math.inf, 20):
        with np.errstate(over="raise", invalid="raise"):
            y = values(softplus, np.float32(x), threshold=threshold)
        said = f"softplus of {x} with threshold={threshold}; of -20 it is 2.06e-9, not 0"
        np.testing.assert_allclose(y, expected, rtol=1e-5, err_msg=said)


@pytest.mark.stub("softplus", points=4)
def test_softplus_sharpens_its_corner_with_beta():
    x = np.linspace(-2, 2, 9)
    for beta in (3.0, 0.5, -1.0):
        expected = np.log(1 + np.exp(beta * x)) / beta
        y = values(softplus, x, beta=beta, threshold=math.inf)
        said = f"log(1 + exp(beta x)) / beta, with beta={beta}"
        np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)
    with np.errstate(over="raise", invalid="raise"):
        y = values(softplus, np.float32([1000, 20]), beta=-1, threshold=math.inf)
    said = "log(1 + exp(-x)) / -1 of 1000 and 20, with beta=-1"
    np.testing.assert_allclose(y, [0, -np.exp(-20)], rtol=1e-5, err_msg=said)


@pytest.mark.stub("softplus", points=4)
def test_softplus_is_x_beyond_the_threshold():
    y = values(softplus, np.array([1.0, 2.0, 3.3]), beta=3, threshold=7)
    more = f"{y[2] - 3.3:.1e} more"
    assert y[2] == 3.3, f"beta x is 9.9, beyond the threshold 7: x, 3.3, exactly; here, {more}"
    expected = np.log(1 + np.exp([3.0, 6.0])) / 3
    said = "beta x is 3 and 6: below the threshold 7"
    np.testing.assert_allclose(y[:2], expected, rtol=1e-9, err_msg=said)
    y = values(softplus, np.array([1.0, -1.0]), threshold=0)
    said = "beta x is 1, beyond the threshold 0, and -1, below it: 1 and log(1 + e^-1)"
    np.testing.assert_allclose(y, [1, np.log(1 + np.exp(-1))], rtol=1e-9, err_msg=said)


@pytest.mark.stub("softplus", points=4)
def test_softplus_is_smooth_up_to_the_threshold_itself():
    y = values(softplus, np.array([0.9, 1.0]), threshold=1)
    expected = np.log(1 + np.exp([0.9, 1.0]))
    said = "beta x is 0.9 and 1: not larger than the threshold 1, whatever the result is"
    np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


@pytest.mark.stub("softplus", points=4)
def test_softplus_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (), (0, 3)):
            y = values(softplus, np.zeros(shape, kind), beta=2, threshold=20)
            assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"


@pytest.mark.stub("softplus", points=4)
def test_softplus_saves_its_input():
    check_saved(Softplus, "input", beta=2, threshold=20)


@pytest.mark.stub("softmax", points=6)
def test_softmax_sums_to_one_along_the_dimension_asked_for():
    x = np.random.default_rng(0).standard_normal((3, 3, 3))
    for dim in (0, 1, 2, -1, -2, -3):
        p = values(softmax, x, dim)
        assert p.shape == (3, 3, 3), f"the shape stays (3, 3, 3), here it became {p.shape}"
        said = f"dim={dim}: the entries along it sum to one, in float64 to 12 digits"
        np.testing.assert_allclose(p.sum(axis=dim), np.ones((3, 3)), rtol=1e-12, err_msg=said)


@pytest.mark.stub("softmax", points=6)
def test_softmax_turns_differences_into_ratios():
    x = 3 * np.random.default_rng(1).standard_normal((2, 3, 4))
    for dim in (0, 1, -1):
        exps = np.exp(x)
        expected = exps / exps.sum(axis=dim, keepdims=True)
        p = values(softmax, x, dim)
        said = f"dim={dim}: exp(x) over the sum of exp(x) along it, to the last digits"
        np.testing.assert_allclose(p, expected, rtol=1e-12, err_msg=said)


@pytest.mark.stub("softmax", points=6)
def test_softmax_survives_logits_of_1000():
    for row in ([998, 999, 1000], [-1000, -999, -998], [-3e38, -3e38, -3e38]):
        expected = np.exp(np.array(row) - row[2]) / np.exp(np.array(row) - row[2]).sum()
        with np.errstate(over="raise", invalid="raise"):
            p = values(softmax, np.float32([row]), 1)
        np.testing.assert_allclose(p, [expected], rtol=1e-6, err_msg=f"softmax of {row}")


@pytest.mark.stub("softmax", points=6)
def test_softmax_is_the_same_for_rows_that_differ_by_a_constant():
    x = np.float32([[-2.0, -1.0, 0.0], [998.0, 999.0, 1000.0], [-1000.0, -999.0, -998.0]])
    expected = np.exp([-2, -1, 0]) / np.exp([-2, -1, 0]).sum()
    with np.errstate(over="raise", invalid="raise"):
        rows, columns = values(softmax, x, 1), values(softmax, x.T, 0)
    said = "rows that differ by a constant have the same probabilities"
    np.testing.assert_allclose(rows, [expected] * 3, rtol=1e-6, err_msg=said)
    said = "dim=0: columns that differ by a constant have the same probabilities"
    np.testing.assert_allclose(columns.T, [expected] * 3, rtol=1e-6, err_msg=said)


@pytest.mark.stub("softmax", points=6)
def test_softmax_gives_the_impossible_no_probability():
    x = np.float32([[0.0, -np.inf, 0.0], [-np.inf, -np.inf, 5.0]])
    p = values(softmax, x, 1)
    said = "-inf means impossible: probability 0, exactly"
    np.testing.assert_array_equal(p, [[0.5, 0, 0.5], [0, 0, 1]], err_msg=said)
    with np.errstate(invalid="ignore"):
        p = values(softmax, np.full((2, 3), -np.inf, np.float32), 1)
    said = "nothing is possible in the whole row: NaN, as in PyTorch, not zeros"
    np.testing.assert_array_equal(p, np.full((2, 3), np.nan), err_msg=said)


@pytest.mark.stub("softmax", points=6)
def test_softmax_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (2, 0), (0, 3)):
            p = values(softmax, np.ones(shape, kind), 1)
            assert p.shape == shape, f"shape {shape} stays, here it became {p.shape}"


@pytest.mark.stub("softmax", points=6)
def test_softmax_saves_its_output():
    axis = check_saved(Softmax, "output", dim=-1).axis
    assert axis == 1, f"ctx.axis is dim=-1 counted from the front, 1 of two, not {axis}"
    check_saved(Softmax, "output", of=np.ones((2, 0)), dim=1)


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_is_the_logarithm_of_the_sum():
    x = np.random.default_rng(0).standard_normal((3, 4, 1, 5))
    for dim in (1, 0, -1, (0, 3), (0, 1, 2, 3)):
        for keepdim in (False, True):
            expected = np.log(np.exp(x).sum(axis=dim, keepdims=keepdim))
            y = values(logsumexp, x, dim, keepdim)
            case = f"dim={dim}, keepdim={keepdim}"
            assert y.shape == expected.shape, f"{case}: {expected.shape}, not {y.shape}"
            said = f"log(sum(exp(x))) with {case}, in float64 to 9 digits"
            np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_survives_1000_and_minus_1000():
    x = np.float32([[1000.0, 1000.0], [-1000.0, -1000.0], [0.0, -1000.0]])
    expected = [1000 + np.log(2), -1000 + np.log(2), 0]
    with np.errstate(over="raise", invalid="raise"):
        y = values(logsumexp, x, 1)
    said = "two equal terms add log 2"
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6, err_msg=said)


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_of_the_impossible_is_minus_infinity():
    rows = [[-np.inf, -np.inf], [-np.inf, 3], [np.inf, 0], [1000, 1000], [np.nan, 0]]
    y = values(logsumexp, np.float32(rows), 1)
    for row, got, right in zip(rows, y, (-np.inf, 3, np.inf, 1000.6931, np.nan)):
        said = f"logsumexp of {row}, a row among others"
        assert np.isclose(got, right, 1e-6, 1e-6, equal_nan=True), said


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_of_nothing_is_minus_infinity():
    y = values(logsumexp, np.zeros((2, 0), np.float32), 1)
    said = "a dimension of length 0: the sum is 0, its logarithm -inf"
    np.testing.assert_array_equal(y, [-np.inf, -np.inf], err_msg=said)


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_saves_output_and_input():
    for keepdim in (False, True):
        check_saved(LogSumExp, "output", "input", dim=1, keepdim=keepdim)


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_is_the_logarithm_of_softmax():
    x = np.random.default_rng(0).standard_normal((3, 4, 4))
    for dim in (0, 1, -1):
        exps = np.exp(x)
        expected = np.log(exps / exps.sum(axis=dim, keepdims=True))
        y = values(log_softmax, x, dim)
        said = f"log(softmax(x)) with dim={dim}, in float64 to 9 digits"
        np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_keeps_what_softmax_loses():
    x = np.float32([[200.0, 0.0, -1.0], [200.0, 0.0, -800.0]])
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        rows, columns = values(log_softmax, x, 1), values(log_softmax, x.T, 0)
    expected = [[0, -200, -201], [0, -200, -1000]]
    said = "a class that trails by 200 has -200, not -inf"
    np.testing.assert_allclose(rows, expected, atol=1e-6, err_msg=said)
    np.testing.assert_allclose(columns.T, expected, atol=1e-6, err_msg=f"dim=0: {said}")


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_is_as_exact_at_1000_as_at_0():
    exact = -np.log(1 + np.exp(-1))  # of the class that is ahead by 1
    y = values(log_softmax, np.float32([[1000.0, 999.0], [-1000.0, -1001.0]]), 1)
    said = "a constant added to all scores changes nothing, not a digit"
    np.testing.assert_allclose(y, [[exact, exact - 1]] * 2, rtol=2e-6, err_msg=said)
    y = values(log_softmax, np.full((1, 2), -3e38, np.float32), 1)
    said = "two equal scores have log(1/2), even if they are -3e38"
    np.testing.assert_allclose(y, [[-np.log(2)] * 2], rtol=2e-6, err_msg=said)


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_of_the_impossible_is_minus_infinity():
    y = values(log_softmax, np.float32([[0.0, -np.inf, 0.0]]), 1)
    expected = [[-np.log(2), -np.inf, -np.log(2)]]
    np.testing.assert_allclose(y, expected, rtol=1e-6, err_msg="log of 0 is -inf")


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (2, 0), (0, 3)):
            y = values(log_softmax, np.ones(shape, kind), 1)
            assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_saves_its_output():
    axis = check_saved(LogSoftmax, "output", dim=-1).axis
    assert axis == 1, f"ctx.axis is dim=-1 counted from the front, 1 of two, not {axis}"
    check_saved(LogSoftmax, "output", of=np.ones((2, 0)), dim=1)
