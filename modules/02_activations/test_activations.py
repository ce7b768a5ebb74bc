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
from tinytorch.tensor import Context, Tensor, float16, float32, float64, randn, tensor


def saved_by(function, *arrays, **options):
    """Run an operation's forward on arrays, and return its output and what it saved."""
    ctx = Context(function)
    output = function.forward(ctx, *arrays, **options)
    return output, ctx.saved_tensors


@pytest.mark.stub("relu", points=2)
def test_relu_keeps_what_is_positive():
    x = tensor([-3.0, -0.5, 0.0, 0.5, 3.0, -np.inf, np.inf])
    expected = [0, 0, 0, 0.5, 3, 0, np.inf]
    np.testing.assert_array_equal(relu(x).numpy(), expected, err_msg="negative becomes 0, the rest stays")
    np.testing.assert_array_equal(x.numpy()[:2], [-3, -0.5], err_msg="the input is left as it was")


@pytest.mark.stub("relu", points=2)
def test_relu_does_not_hide_a_nan():
    y = relu(tensor([np.nan, -1.0])).numpy()
    np.testing.assert_array_equal(y, [np.nan, 0], err_msg="NaN stays NaN")


@pytest.mark.stub("relu", points=2)
def test_relu_keeps_the_type():
    for x in (tensor([-2, 3]), randn(2, 3), randn(4, dtype=float16), randn(4, dtype=float64)):
        assert relu(x).dtype == x.dtype, f"relu of {x.dtype} is {x.dtype}, not {relu(x).dtype}"


@pytest.mark.stub("relu", points=2)
def test_relu_saves_its_output():
    output, saved = saved_by(Relu, np.float32([-1.0, 2.0]))
    assert len(saved) == 1, f"one array is saved, the output; here {len(saved)} are"
    assert saved[0] is output, "what is saved is the very array that is returned, so that it costs no memory"


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_gives_odds():
    y = sigmoid(tensor([0.0, np.log(3), -np.log(3)])).numpy()
    np.testing.assert_allclose(y, [1 / 2, 3 / 4, 1 / 4], rtol=1e-6, err_msg="a score of log 3 means 3 to 1")


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_overflows_at_neither_end():
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        y = sigmoid(tensor([-np.inf, -1000.0, 1000.0, np.inf])).numpy()
    np.testing.assert_array_equal(y, [0, 0, 1, 1], err_msg="far to the left it is 0, far to the right 1")


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_keeps_small_probabilities():
    x = np.array([-10.0, -20.0, -80.0])
    np.testing.assert_allclose(
        sigmoid(Tensor(x.astype(np.float32))).numpy(),
        np.exp(x) / (1 + np.exp(x)),
        rtol=1e-5,
        err_msg="sigmoid(-20) is 2.06e-9, not 0: its logarithm will be wanted",
    )
    half = sigmoid(tensor([-12.0], dtype=float16)).numpy()
    np.testing.assert_allclose(half, [6.14e-6], rtol=0.02, err_msg="in float16 too: sigmoid(-12) is 6.14e-6")


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_keeps_type_shape_and_nan():
    for kind in (float16, float32, float64):
        y = sigmoid(randn(2, 3, dtype=kind))
        assert (y.dtype, y.shape) == (kind, (2, 3)), (
            f"{kind} of shape (2, 3) came back as {y.dtype} {y.shape}"
        )
    assert np.isnan(sigmoid(tensor([np.nan])).numpy()[0]), "NaN stays NaN"


@pytest.mark.stub("sigmoid", points=5)
def test_sigmoid_saves_its_output():
    output, saved = saved_by(Sigmoid, np.float32([-1.0, 2.0]))
    assert len(saved) == 1, f"one array is saved, the output; here {len(saved)} are"
    assert saved[0] is output, "what is saved is the very array that is returned"


@pytest.mark.stub("gelu", points=5)
def test_gelu_is_x_times_the_normal_probability():
    x = np.linspace(-5, 5, 41)
    expected = [v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in x]
    y = gelu(Tensor(x)).numpy()
    np.testing.assert_allclose(
        y, expected, rtol=1e-9, atol=1e-12, err_msg="gelu(x) = x/2 (1 + erf(x / sqrt 2))"
    )


@pytest.mark.stub("gelu", points=5)
def test_gelu_has_the_formula_of_gpt2():
    x = np.linspace(-5, 5, 41)
    expected = [v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in x]
    y = gelu(Tensor(x), approximate="tanh").numpy()
    np.testing.assert_allclose(
        y,
        expected,
        rtol=1e-9,
        atol=1e-12,
        err_msg="approximate='tanh' is the formula with tanh, not the one with erf",
    )


@pytest.mark.stub("gelu", points=5)
def test_gelu_goes_to_zero_and_to_x():
    x = tensor([-1000.0, -30.0, 0.0, 30.0, 1000.0])
    for approximate in ("none", "tanh"):
        y = gelu(x, approximate).numpy()
        np.testing.assert_allclose(
            y, [0, 0, 0, 30, 1000], atol=1e-6, err_msg=f"far out, approximate={approximate!r}"
        )


@pytest.mark.stub("gelu", points=5)
def test_gelu_stays_in_its_type():
    for approximate in ("none", "tanh"):
        for kind in (float16, float32):
            y = gelu(randn(2, 3, dtype=kind), approximate)
            assert y.dtype == kind, (
                f"gelu of {kind} with approximate={approximate!r} is {kind}, not {y.dtype}"
            )


@pytest.mark.stub("gelu", points=5)
def test_gelu_saves_its_input_and_leaves_it_alone():
    for approximate in ("none", "tanh"):
        x = np.float32([-1.0, 2.0])
        _, saved = saved_by(Gelu, x, approximate=approximate)
        assert len(saved) == 1, f"one array is saved, the input; here {len(saved)} are"
        assert saved[0] is x, "what is saved is the input itself"
        np.testing.assert_array_equal(x, [-1, 2], err_msg="the input is left as it was")


@pytest.mark.stub("silu", points=2)
def test_silu_is_x_times_its_sigmoid():
    x = np.linspace(-8, 8, 33)
    y = silu(Tensor(x)).numpy()
    np.testing.assert_allclose(y, x / (1 + np.exp(-x)), rtol=1e-9, err_msg="silu(x) = x / (1 + exp(-x))")


@pytest.mark.stub("silu", points=2)
def test_silu_survives_scores_of_1000():
    with np.errstate(over="raise", invalid="raise"):
        y = silu(tensor([-1000.0, 1000.0])).numpy()
    np.testing.assert_array_equal(y, [0, 1000], err_msg="the gate is shut on the left, open on the right")


@pytest.mark.stub("silu", points=2)
def test_silu_saves_its_input_and_leaves_it_alone():
    x = np.float32([-1.0, 2.0])
    output, saved = saved_by(Silu, x)
    assert len(saved) == 1, f"one array is saved, the input; here {len(saved)} are"
    assert saved[0] is x, "what is saved is the input itself"
    assert output.dtype == np.float32, f"float32 stays float32, here it became {output.dtype}"
    np.testing.assert_array_equal(x, [-1, 2], err_msg="the input is left as it was")


@pytest.mark.stub("softplus", points=4)
def test_softplus_is_the_logarithm_of_one_plus_exp():
    x = np.linspace(-5, 5, 21)
    y = softplus(Tensor(x)).numpy()
    np.testing.assert_allclose(y, np.log(1 + np.exp(x)), rtol=1e-9, err_msg="softplus(x) = log(1 + exp(x))")


@pytest.mark.stub("softplus", points=4)
def test_softplus_is_right_at_both_ends():
    with np.errstate(over="raise", invalid="raise"):
        y = softplus(tensor([-50.0, -20.0, 50.0, 1000.0]), threshold=math.inf).numpy()
    expected = [np.exp(-50), np.exp(-20), 50, 1000]
    np.testing.assert_allclose(
        y,
        expected,
        rtol=1e-5,
        err_msg="softplus(-20) is 2.06e-9, softplus(1000) is 1000, with no threshold too",
    )


@pytest.mark.stub("softplus", points=4)
def test_softplus_sharpens_its_corner_with_beta():
    x = np.linspace(-2, 2, 9)
    for beta in (3.0, 0.5, -1.0):
        y = softplus(Tensor(x), beta=beta, threshold=math.inf).numpy()
        expected = np.log(1 + np.exp(beta * x)) / beta
        np.testing.assert_allclose(
            y, expected, rtol=1e-9, err_msg=f"log(1 + exp(beta x)) / beta, with beta={beta}"
        )


@pytest.mark.stub("softplus", points=4)
def test_softplus_is_x_beyond_the_threshold():
    x = tensor([1.0, 2.0, 3.0], dtype=float64)
    y = softplus(x, beta=2, threshold=5).numpy()
    assert y[2] == 3, f"beta x is 6, beyond the threshold 5: the result is x, 3, exactly; not {y[2]}"
    expected = np.log(1 + np.exp([2.0, 4.0])) / 2
    np.testing.assert_allclose(y[:2], expected, rtol=1e-9, err_msg="beta x is 2 and 4: below the threshold 5")


@pytest.mark.stub("softplus", points=4)
def test_softplus_saves_its_input_and_stays_float32():
    x = np.float32([-1.0, 2.0])
    output, saved = saved_by(Softplus, x, beta=2, threshold=20)
    assert len(saved) == 1, f"one array is saved, the input; here {len(saved)} are"
    assert saved[0] is x, "what is saved is the input itself, not beta times it"
    assert output.dtype == np.float32, f"float32 stays float32, here it became {output.dtype}"


@pytest.mark.stub("softmax", points=6)
def test_softmax_sums_to_one_along_the_dimension_asked_for():
    x = randn(3, 3, 3)
    for dim in (0, 1, 2, -1, -2, -3):
        p = softmax(x, dim).numpy()
        assert p.shape == (3, 3, 3), f"dim={dim}: the shape stays (3, 3, 3), here it became {p.shape}"
        np.testing.assert_allclose(
            p.sum(axis=dim),
            np.ones((3, 3)),
            rtol=1e-6,
            err_msg=f"dim={dim}: the entries along it sum to one",
        )


@pytest.mark.stub("softmax", points=6)
def test_softmax_turns_differences_into_ratios():
    p = softmax(tensor([[1.0, 2.0, 4.0]]), 1).numpy()[0]
    np.testing.assert_allclose(
        p[1:] / p[:-1],
        [np.e, np.e**2],
        rtol=1e-5,
        err_msg="ahead by 1 is e times as likely, ahead by 2 e squared",
    )


@pytest.mark.stub("softmax", points=6)
def test_softmax_survives_logits_of_1000():
    with np.errstate(over="raise", invalid="raise"):
        p = softmax(tensor([[-2.0, -1.0, 0.0], [998.0, 999.0, 1000.0], [-1000.0, -999.0, -998.0]]), 1).numpy()
    expected = np.exp([-2, -1, 0]) / np.exp([-2, -1, 0]).sum()
    np.testing.assert_allclose(
        p,
        [expected] * 3,
        rtol=1e-6,
        err_msg="rows that differ by a constant have the same probabilities",
    )


@pytest.mark.stub("softmax", points=6)
def test_softmax_gives_the_impossible_no_probability():
    p = softmax(tensor([[0.0, -np.inf, 0.0], [-np.inf, -np.inf, 5.0]]), 1).numpy()
    np.testing.assert_array_equal(p, [[0.5, 0, 0.5], [0, 0, 1]], err_msg="-inf means impossible")


@pytest.mark.stub("softmax", points=6)
def test_softmax_keeps_the_type_and_its_input():
    for kind in (float16, float32, float64):
        x = tensor([[1.0, 2.0], [3.0, 5.0]], dtype=kind)
        assert softmax(x, 0).dtype == kind, f"softmax of {kind} is {kind}, not {softmax(x, 0).dtype}"
        np.testing.assert_array_equal(x.numpy(), [[1, 2], [3, 5]], err_msg="the input is left as it was")


@pytest.mark.stub("softmax", points=6)
def test_softmax_saves_its_output():
    output, saved = saved_by(Softmax, np.float32([[1.0, 2.0]]), dim=-1)
    assert len(saved) == 1, f"one array is saved, the output; here {len(saved)} are"
    assert saved[0] is output, "what is saved is the very array that is returned"


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_is_the_logarithm_of_the_sum():
    x = randn(3, 4, 5, dtype=float64)
    for dim in (0, 1, -1, (0, 2), (0, 1, 2)):
        expected = np.log(np.exp(x.numpy()).sum(axis=dim))
        y = logsumexp(x, dim).numpy()
        assert y.shape == expected.shape, f"dim={dim}: the shape is {expected.shape}, not {y.shape}"
        np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=f"log(sum(exp(x))) with dim={dim}")


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_keeps_reduced_dimensions_where_asked():
    for dim, shape in ((1, (2, 1, 4)), ((0, 2), (1, 3, 1))):
        y = logsumexp(randn(2, 3, 4), dim, keepdim=True)
        assert y.shape == shape, f"dim={dim} with keepdim: the shape is {shape}, not {tuple(y.shape)}"


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_survives_1000_and_minus_1000():
    with np.errstate(over="raise", invalid="raise"):
        y = logsumexp(tensor([[1000.0, 1000.0], [-1000.0, -1000.0], [0.0, -1000.0]]), 1).numpy()
    expected = [1000 + np.log(2), -1000 + np.log(2), 0]
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6, err_msg="two equal terms add log 2")


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_of_the_impossible_is_minus_infinity():
    x = tensor([[-np.inf, -np.inf], [-np.inf, 3.0], [np.inf, 0.0]])
    y = logsumexp(x, 1).numpy()
    np.testing.assert_array_equal(
        y, [-np.inf, 3, np.inf], err_msg="log(0 + 0), log(0 + e^3) and log(inf + 1)"
    )


@pytest.mark.stub("logsumexp", points=6)
def test_logsumexp_saves_output_and_input():
    x = np.float32([[1.0, 2.0], [3.0, 4.0]])
    output, saved = saved_by(LogSumExp, x, dim=1)
    assert output.dtype == np.float32, f"float32 stays float32, here it became {output.dtype}"
    assert len(saved) == 2, f"two arrays are saved, output and input; here {len(saved)} are"
    assert saved[0] is output, "the first array saved is the one that is returned"
    assert saved[1] is x, "the second array saved is the input itself"
    np.testing.assert_array_equal(x, [[1, 2], [3, 4]], err_msg="the input is left as it was")


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_is_the_logarithm_of_softmax():
    x = randn(3, 4, 4, dtype=float64)
    for dim in (0, 1, -1):
        exps = np.exp(x.numpy())
        expected = np.log(exps / exps.sum(axis=dim, keepdims=True))
        y = log_softmax(x, dim).numpy()
        np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=f"log(softmax(x)) with dim={dim}")


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_keeps_what_softmax_loses():
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        y = log_softmax(tensor([[200.0, 0.0, -1.0], [1000.0, 0.0, -1000.0]]), 1).numpy()
    expected = [[0, -200, -201], [0, -1000, -2000]]
    np.testing.assert_allclose(
        y, expected, atol=1e-6, err_msg="a class that trails by 200 has -200, not -inf"
    )


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_is_as_exact_at_1000_as_at_0():
    y = log_softmax(tensor([[1000.0, 999.0], [-1000.0, -1001.0]]), 1).numpy()
    exact = -np.log(1 + np.exp(-1))  # of the class that is ahead by 1
    np.testing.assert_allclose(
        y,
        [[exact, exact - 1]] * 2,
        rtol=2e-6,
        err_msg="a constant added to all scores changes nothing, not a digit",
    )


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_of_the_impossible_is_minus_infinity():
    y = log_softmax(tensor([[0.0, -np.inf, 0.0]]), 1).numpy()
    np.testing.assert_allclose(y, [[-np.log(2), -np.inf, -np.log(2)]], rtol=1e-6, err_msg="log of 0 is -inf")


@pytest.mark.stub("log-softmax", points=5)
def test_log_softmax_saves_its_output():
    x = np.float32([[1.0, 2.0]])
    output, saved = saved_by(LogSoftmax, x, dim=-1)
    assert output.dtype == np.float32, f"float32 stays float32, here it became {output.dtype}"
    assert len(saved) == 1, f"one array is saved, the output; here {len(saved)} are"
    assert saved[0] is output, "what is saved is the very array that is returned"
    np.testing.assert_array_equal(x, [[1, 2]], err_msg="the input is left as it was")
