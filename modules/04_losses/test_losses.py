"""Tests of module 04, which `make release 4` makes from losses.py."""

import math
import warnings

import numpy as np
import pytest

from tinytorch.losses import (
    BinaryCrossEntropy,
    binary_cross_entropy_with_logits,
    huber,
    kl_div,
    mse_loss,
    nll_loss,
    reduced,
    row_losses,
    soft_cross_entropy,
)
from tinytorch.tensor import Context, Tensor, float32, float64, randn, tensor


def log_probabilities(*shape, dim=1):
    """Random float64 log-probabilities, as an array."""
    scores = np.random.default_rng(0).standard_normal(shape)
    return scores - np.log(np.exp(scores).sum(axis=dim, keepdims=True))


def probabilities(*shape, dim=1):
    """Random float64 probabilities, as an array."""
    parts = np.random.default_rng(2).uniform(0.1, 1, shape)
    return parts / parts.sum(axis=dim, keepdims=True)


@pytest.mark.stub("reduced", points=3)
def test_reduced_means_sums_and_leaves():
    losses = tensor([[1.0, 2.0], [3.0, 10.0]])
    assert reduced(losses, "mean").item() == 4, f"the mean is 4, not {reduced(losses, 'mean').item()}"
    assert reduced(losses, "sum").item() == 16, f"the sum is 16, not {reduced(losses, 'sum').item()}"
    np.testing.assert_array_equal(
        reduced(losses, "none").numpy(),
        losses.numpy(),
        err_msg="'none' leaves the losses as they are",
    )


@pytest.mark.stub("reduced", points=3)
def test_reduced_divides_by_the_total_it_is_given():
    losses = tensor([1.0, 2.0, 6.0])
    for total in (2, 4.5, tensor(0.5)):
        mean = reduced(losses, "mean", total).item()
        assert mean == 9 / float(total), f"the sum is 9, the total {float(total)}: the mean is not {mean}"
        assert reduced(losses, "sum", total).item() == 9, "a sum is not divided by anything"
    with np.errstate(invalid="ignore"):
        mean = reduced(tensor([0.0]), "mean", 0).item()
    assert math.isnan(mean), f"a total of 0 is a total too: 0 / 0 is NaN, not {mean}"


@pytest.mark.stub("reduced", points=3)
def test_reduced_refuses_what_it_does_not_know():
    for reduction in ("median", "batchmean", None):
        try:
            result = reduced(tensor([1.0]), reduction)
        except ValueError:
            continue
        raise AssertionError(f"reduction={reduction!r} raises ValueError, it gave {result}")


@pytest.mark.stub("mse-loss", points=3)
def test_mse_loss_is_the_mean_of_the_squares():
    x, y = randn(4, 3, dtype=float64), randn(4, 3, dtype=float64)
    squares = (x.numpy() - y.numpy()) ** 2
    for reduction, expected in (
        ("mean", squares.mean()),
        ("sum", squares.sum()),
        ("none", squares),
    ):
        loss = mse_loss(x, y, reduction=reduction).numpy()
        np.testing.assert_allclose(
            loss, expected, rtol=1e-9, err_msg=f"squares, with reduction={reduction!r}"
        )


@pytest.mark.stub("mse-loss", points=3)
def test_mse_loss_counts_by_weight():
    x, y, weight = tensor([1.0, 2.0, 3.0]), tensor([2.0, 4.0, 7.0]), tensor([1.0, 0.5, 0.0])
    loss = mse_loss(x, y, weight=weight).item()
    np.testing.assert_allclose(
        loss,
        (1 * 1 + 0.5 * 4) / 1.5,
        rtol=1e-6,
        err_msg="the weighted squares, over the sum of the weights",
    )


@pytest.mark.stub("mse-loss", points=3)
def test_mse_loss_warns_of_a_broadcast():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loss = mse_loss(randn(4, 1), randn(4), reduction="none")
    assert loss.shape == (4, 4), f"(4, 1) and (4,) broadcast to (4, 4), not {tuple(loss.shape)}"
    assert any("target size" in str(w.message) for w in caught), (
        "different shapes get a warning; `subtract` has it"
    )


@pytest.mark.stub("mse-loss", points=3)
def test_mse_loss_can_be_differentiated():
    loss = mse_loss(randn(3).requires_grad_(), randn(3))
    assert loss.requires_grad, (
        "the loss is made by tensor operations, so that gradients can find their way back"
    )


@pytest.mark.stub("huber", points=4)
def test_huber_is_half_the_square_of_a_small_difference():
    d = np.linspace(-1.5, 1.5, 13)
    loss = huber(Tensor(d), delta=1.5).numpy()
    np.testing.assert_allclose(loss, d**2 / 2, rtol=1e-9, err_msg="up to delta, half the square")


@pytest.mark.stub("huber", points=4)
def test_huber_goes_on_straight():
    for delta in (0.5, 1.0, 3.0):
        d = np.array([delta, delta + 1, delta + 2, -delta - 2])
        expected = delta**2 / 2 + delta * np.array([0, 1, 2, 2])
        loss = huber(Tensor(d), delta).numpy()
        np.testing.assert_allclose(
            loss,
            expected,
            rtol=1e-9,
            err_msg=f"beyond delta={delta}, a line of slope {delta} from delta^2 / 2 on",
        )


@pytest.mark.stub("huber", points=4)
def test_huber_can_be_differentiated_and_stays_float32():
    loss = huber(randn(3).requires_grad_(), 1)
    assert loss.requires_grad, "made by tensor operations, so that gradients can find their way back"
    assert loss.dtype == float32, f"float32 stays float32, here it became {loss.dtype}"


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_picks_the_right_class():
    log_p = log_probabilities(4, 3)
    expected = -log_p[[0, 1, 2, 3], [2, 0, 1, 1]]
    for reduction, value in (
        ("none", expected),
        ("sum", expected.sum()),
        ("mean", expected.mean()),
    ):
        loss = nll_loss(Tensor(log_p), tensor([2, 0, 1, 1]), reduction=reduction).numpy()
        np.testing.assert_allclose(
            loss,
            value,
            rtol=1e-9,
            err_msg=f"-log p of each right class, reduction={reduction!r}",
        )


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_takes_one_answer_and_one_per_pixel():
    log_p = log_probabilities(2, 3, 4, 5)
    target = np.random.default_rng(1).integers(0, 3, (2, 4, 5))
    expected = -np.take_along_axis(log_p, target[:, None], 1)[:, 0]
    loss = nll_loss(Tensor(log_p), Tensor(target), reduction="none").numpy()
    np.testing.assert_allclose(
        loss, expected, rtol=1e-9, err_msg="(N, C, H, W) and (N, H, W): the classes are dim 1"
    )
    loss = nll_loss(Tensor(log_p[0, :, 0, 0]), tensor(2)).item()
    np.testing.assert_allclose(
        loss,
        -log_p[0, 2, 0, 0],
        rtol=1e-9,
        err_msg="(C,) and (): no batch, the classes are dim 0",
    )


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_divides_by_what_all_count_together():
    log_p, weight = log_probabilities(3, 3), np.array([1.0, 10.0, 0.5])
    loss = nll_loss(Tensor(log_p), tensor([1, 0, 2]), Tensor(weight)).item()
    expected = -(10 * log_p[0, 1] + 1 * log_p[1, 0] + 0.5 * log_p[2, 2])
    np.testing.assert_allclose(
        loss,
        expected / 11.5,
        rtol=1e-9,
        err_msg="weights 10, 1 and 0.5: the weighted sum over 11.5, not over 3",
    )


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_counts_nothing_where_it_is_told_to_ignore():
    log_p = log_probabilities(3, 3)
    log_p[1] = -np.inf
    for ignored in (-100, 0):
        target = tensor([1, ignored, 2])
        expected = np.array([-log_p[0, 1], 0, -log_p[2, 2]])
        losses = nll_loss(Tensor(log_p), target, ignore_index=ignored, reduction="none").numpy()
        np.testing.assert_allclose(
            losses,
            expected,
            rtol=1e-9,
            err_msg=f"0 where the target is {ignored}, even for -inf",
        )
        mean = nll_loss(Tensor(log_p), target, ignore_index=ignored).item()
        np.testing.assert_allclose(
            mean,
            expected.sum() / 2,
            rtol=1e-9,
            err_msg="the mean is over the two that are kept",
        )


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_can_be_differentiated():
    loss = nll_loss(randn(2, 3).requires_grad_(), tensor([0, 2]))
    assert loss.requires_grad, "made by tensor operations, so that gradients can find their way back"


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_are_minus_the_log_of_softmax():
    log_p = log_probabilities(4, 5)
    classes = np.array([[4], [0], [2], [2]])
    losses, _, _ = row_losses(log_p + np.array([[3.0], [-7.0], [0.0], [20.0]]), classes)
    expected = -np.take_along_axis(log_p, classes, 1)
    assert losses.shape == (4, 1), f"one loss per row, of shape (4, 1), not {losses.shape}"
    np.testing.assert_allclose(
        losses, expected, rtol=1e-9, atol=1e-12, err_msg="-log softmax(x) of the right class"
    )


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_take_further_dimensions():
    log_p = log_probabilities(2, 3, 4)
    classes = np.random.default_rng(1).integers(0, 3, (2, 1, 4))
    losses, _, _ = row_losses(log_p, classes)
    expected = -np.take_along_axis(log_p, classes, 1)
    np.testing.assert_allclose(losses, expected, rtol=1e-9, err_msg="(N, C, d): the classes are axis 1")


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_survive_scores_of_1000():
    x = np.float32([[1000, 999], [-1000, -1001], [1000, -1000]])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        losses, _, _ = row_losses(x, np.array([[1], [1], [1]]))
    expected = [[1 + np.log(1 + np.exp(-1))], [1 + np.log(1 + np.exp(-1))], [2000]]
    np.testing.assert_allclose(losses, expected, rtol=1e-6, err_msg="as exact near 1000 as near 0")
    assert losses.dtype == np.float32, f"float32 stays float32, here it became {losses.dtype}"


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_give_what_the_gradient_needs():
    x = np.float32([[1, 3, 2], [5, 5, 5]])
    _, largest, sums = row_losses(x, np.array([[0], [0]]))
    np.testing.assert_array_equal(largest, [[3], [5]], err_msg="the largest score of each row")
    expected = [[np.exp(-2) + 1 + np.exp(-1)], [3]]
    np.testing.assert_allclose(sums, expected, rtol=1e-6, err_msg="the sum of exp(x - largest) of each row")
    np.testing.assert_array_equal(x, [[1, 3, 2], [5, 5, 5]], err_msg="the scores are left as they were")


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_is_the_expected_surprise():
    log_p, q = log_probabilities(2, 3, 4), probabilities(2, 3, 4)
    expected = -(q * log_p).sum(axis=1)
    for reduction, value in (
        ("none", expected),
        ("sum", expected.sum()),
        ("mean", expected.mean()),
    ):
        loss = soft_cross_entropy(Tensor(log_p + 5), Tensor(q), None, reduction, 0.0).numpy()
        np.testing.assert_allclose(
            loss,
            value,
            rtol=1e-9,
            err_msg=f"-sum of q log p over dim 1; the mean over 8 positions; {reduction!r}",
        )
    loss = soft_cross_entropy(Tensor(log_p[0, :, 0]), Tensor(q[0, :, 0]), None, "mean", 0.0).item()
    np.testing.assert_allclose(
        loss, expected[0, 0], rtol=1e-9, err_msg="(C,): no batch, the classes are dim 0"
    )


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_smooths_the_target():
    log_p = log_probabilities(1, 4)
    loss = soft_cross_entropy(
        Tensor(log_p), tensor([[0.0, 1.0, 0.0, 0.0]], dtype=float64), None, "mean", 0.2
    ).item()
    expected = -(0.85 * log_p[0, 1] + 0.05 * (log_p[0, 0] + log_p[0, 2] + log_p[0, 3]))
    np.testing.assert_allclose(
        loss, expected, rtol=1e-9, err_msg="0.2 of the target is shared out: 0.05 to each of 4"
    )


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_weights_the_classes():
    log_p, q, weight = (
        log_probabilities(3, 3, 3),
        probabilities(3, 3, 3),
        np.array([1.0, 10.0, 0.5]),
    )
    expected = -(weight[:, None] * q * log_p).sum(axis=1)
    loss = soft_cross_entropy(Tensor(log_p), Tensor(q), Tensor(weight), "none", 0.0).numpy()
    np.testing.assert_allclose(loss, expected, rtol=1e-9, err_msg="the weights belong to the classes, dim 1")
    loss = soft_cross_entropy(Tensor(log_p), Tensor(q), Tensor(weight), "mean", 0.0).item()
    np.testing.assert_allclose(
        loss,
        expected.mean(),
        rtol=1e-9,
        err_msg="the mean is over the positions, weights or not",
    )


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_survives_scores_of_1000():
    loss = soft_cross_entropy(tensor([[1000.0, 0.0]]), tensor([[0.5, 0.5]]), None, "mean", 0.0).item()
    np.testing.assert_allclose(loss, 500, rtol=1e-6, err_msg="half of 0 and half of 1000")
    loss = soft_cross_entropy(randn(2, 3).requires_grad_(), randn(2, 3), None, "mean", 0.1)
    assert loss.requires_grad, "made by tensor operations, so that gradients can find their way back"


def binary_losses(x, target):
    """What the learner's forward gives, and what it saved."""
    ctx = Context(BinaryCrossEntropy)
    losses = BinaryCrossEntropy.forward(ctx, x, target)
    return losses, ctx.saved_tensors


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_is_the_expected_surprise():
    x, y = np.linspace(0.05, 0.95, 7), np.array([0, 1, 0.3, 0.5, 1, 0, 0.9])
    losses, _ = binary_losses(x, y)
    expected = -(y * np.log(x) + (1 - y) * np.log(1 - x))
    np.testing.assert_allclose(losses, expected, rtol=1e-9, err_msg="-(y log x + (1 - y) log(1 - x))")


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_is_limited_where_it_was_sure():
    losses, _ = binary_losses(np.float32([0, 1, 0, 1]), np.float32([0, 1, 1, 0]))
    np.testing.assert_array_equal(
        losses, [0, 0, 100, 100], err_msg="sure and right is 0, sure and wrong is 100"
    )


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_notices_small_probabilities():
    losses, _ = binary_losses(np.float32([1e-9, 1e-30]), np.float32([0, 1]))
    np.testing.assert_allclose(
        losses,
        [1e-9, 30 * np.log(10)],
        rtol=1e-5,
        err_msg="-log(1 - 1e-9) is 1e-9, -log(1e-30) is 69.08",
    )
    assert losses.dtype == np.float32, f"float32 stays float32, here it became {losses.dtype}"


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_saves_both_inputs():
    x, y = np.float32([0.2]), np.float32([1])
    _, saved = binary_losses(x, y)
    assert len(saved) == 2, f"two arrays are saved, x and target; here {len(saved)} are"
    assert saved[0] is x, "the first array saved is x itself"
    assert saved[1] is y, "the second array saved is target itself"


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_is_the_loss_of_the_sigmoid():
    x, y = np.linspace(-4, 4, 9), np.array([0, 1, 0.3, 0.5, 1, 0, 0.9, 1, 0])
    p = 1 / (1 + np.exp(-x))
    expected = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    for reduction, value in (
        ("none", expected),
        ("sum", expected.sum()),
        ("mean", expected.mean()),
    ):
        loss = binary_cross_entropy_with_logits(Tensor(x), Tensor(y), reduction=reduction).numpy()
        np.testing.assert_allclose(
            loss, value, rtol=1e-8, err_msg=f"-(y log p + (1 - y) log(1 - p)), {reduction!r}"
        )


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_survives_scores_of_1000():
    x, y = tensor([1000.0, 1000.0, -1000.0, -1000.0]), tensor([1.0, 0.0, 1.0, 0.0])
    loss = binary_cross_entropy_with_logits(x, y, reduction="none").numpy()
    np.testing.assert_allclose(
        loss, [0, 1000, 1000, 0], atol=1e-6, err_msg="sure and wrong costs the score, 1000"
    )


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_counts_by_both_weights():
    x, y = np.array([[0.5, -1.0], [2.0, 0.1]]), np.array([[1.0, 1.0], [0.0, 0.4]])
    weight, pos_weight = np.array([2.0, 0.5]), np.array([3.0, 10.0])
    p = 1 / (1 + np.exp(-x))
    expected = -weight * (pos_weight * y * np.log(p) + (1 - y) * np.log(1 - p))
    loss = binary_cross_entropy_with_logits(
        Tensor(x), Tensor(y), Tensor(weight), reduction="none", pos_weight=Tensor(pos_weight)
    ).numpy()
    np.testing.assert_allclose(
        loss,
        expected,
        rtol=1e-8,
        err_msg="pos_weight multiplies y log p, weight the whole loss",
    )


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_can_be_differentiated():
    loss = binary_cross_entropy_with_logits(randn(3).requires_grad_(), tensor([0.0, 1.0, 1.0]))
    assert loss.requires_grad, "made by tensor operations, so that gradients can find their way back"


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_is_zero_where_the_distributions_agree():
    q = probabilities(3, 4)
    losses = kl_div(Tensor(np.log(q)), Tensor(q), reduction="none").numpy()
    np.testing.assert_allclose(losses, np.zeros((3, 4)), atol=1e-12, err_msg="the same distribution twice")


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_is_what_the_formula_says():
    log_p, q = log_probabilities(3, 4), probabilities(3, 4)
    expected = q * (np.log(q) - log_p)
    for reduction, value in {
        "none": expected,
        "sum": expected.sum(),
        "mean": expected.mean(),
        "batchmean": expected.sum() / 3,
    }.items():
        loss = kl_div(Tensor(log_p), Tensor(q), reduction=reduction).numpy()
        np.testing.assert_allclose(
            loss, value, rtol=1e-9, atol=1e-12, err_msg=f"q (log q - log p), {reduction!r}"
        )
        loss = kl_div(Tensor(log_p), Tensor(np.log(q)), reduction=reduction, log_target=True).numpy()
        np.testing.assert_allclose(
            loss, value, rtol=1e-9, atol=1e-12, err_msg=f"the same, given log q, {reduction!r}"
        )


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_takes_the_impossible():
    log_p = tensor([0.25, 0.25, 0.5]).log()
    losses = kl_div(log_p, tensor([0.0, 0.0, 1.0]), reduction="none").numpy()
    np.testing.assert_allclose(
        losses,
        [0, 0, np.log(2)],
        rtol=1e-6,
        err_msg="a probability of 0 contributes 0, not NaN",
    )


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_can_be_differentiated():
    loss = kl_div(randn(2, 3).requires_grad_(), tensor([[0.2, 0.3, 0.5]] * 2), reduction="batchmean")
    assert loss.requires_grad, "made by tensor operations, so that gradients can find their way back"
