"""Tests of module 04, which `make release 4` makes from losses.py."""

import math

import numpy as np
import pytest

from tinytorch.losses import (
    BinaryCrossEntropy,
    binary_cross_entropy_with_logits,
    gaussian_nll,
    huber,
    kl_div,
    nll_loss,
    reduced,
    row_losses,
    soft_cross_entropy,
)
from tinytorch.tensor import Context, from_numpy, tensor


def loss_of(function, *arrays, traced=True, **options):
    """A loss of arrays, as an array.

    None of them is changed, the first one's type is kept, and from the result recorded calls
    lead back to each floating-point one (if `traced`), so that module 06 can send gradients.
    """
    inputs = [from_numpy(x).requires_grad_(x.dtype.kind == "f") for x in arrays]
    before = [x.copy() for x in arrays]
    result = function(*inputs, **options)
    for number, (x, was) in enumerate(zip(arrays, before), 1):
        said = f"argument {number} belongs to the caller, and stays as it was"
        np.testing.assert_array_equal(x, was, err_msg=said)
    found = result.detach().numpy()
    assert found.dtype == arrays[0].dtype, f"{arrays[0].dtype} stays, not {found.dtype}"
    reached, waiting = set(), [result.edge()]
    while waiting:
        node = waiting.pop()[0] if waiting[-1] else waiting.pop()
        if id(node) not in reached:
            reached.add(id(node))
            waiting += getattr(node, "edges", ())
    for number, x in enumerate(inputs, 1):
        said = f"no gradient will find its way back to argument {number}: it is not used, or "
        said += "NumPy, detach(), a comparison or rounding cuts it off"
        assert not (traced and x.requires_grad) or id(x) in reached, said
    return found


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
    for shape in ((2, 2), (3, 1, 2), ()):
        losses = np.random.default_rng(0).standard_normal(shape)
        for reduction, wanted in (
            ("mean", losses.mean()),
            ("sum", losses.sum()),
            ("none", losses),
        ):
            found = loss_of(reduced, losses, reduction=reduction)
            said = f"reduction={reduction!r} of losses of shape {shape}"
            assert found.shape == wanted.shape, f"{said}: {wanted.shape}, not {found.shape}"
            np.testing.assert_allclose(found, wanted, rtol=1e-12, err_msg=said)


@pytest.mark.stub("reduced", points=3)
def test_reduced_divides_by_the_total_it_is_given():
    losses = np.array([1.0, 2.0, 6.0])
    for total in (2, 4.5, tensor(0.5)):
        mean = loss_of(reduced, losses, reduction="mean", total=total)
        wanted = 9 / float(total)
        assert mean == wanted, f"the sum is 9, the total {total}: {wanted}, not {mean}"
        found = loss_of(reduced, losses, reduction="sum", total=total)
        assert found == 9, f"a sum is not divided by anything: 9, not {found}"
    with np.errstate(invalid="ignore"):
        mean = loss_of(reduced, np.zeros(1), reduction="mean", total=0)
    assert math.isnan(mean), f"a total of 0 is a total too: 0 / 0 is NaN, not {mean}"


@pytest.mark.stub("reduced", points=3)
def test_reduced_refuses_what_it_does_not_know():
    for reduction in ("median", "Mean", "batchmean", None):
        said = "no error"
        try:
            reduced(tensor([1.0]), reduction)
        except ValueError as error:
            said = str(error)
        wanted = f"reduction={reduction!r}: a ValueError is wanted that names it"
        assert str(reduction) in said, f"{wanted}. What came: {said}"


def density(d, v):
    """The normal density, as the formula says it."""
    return np.exp(-(d**2) / (2 * v)) / np.sqrt(2 * np.pi * v)


@pytest.mark.stub("gaussian-nll", points=4)
def test_gaussian_nll_leaves_the_constant_out_unless_it_is_asked_for():
    d, v = np.array([0.0, 1.0, -2.0, 2e-10]), np.array([1.0, 4.0, 0.25, 1e-20])
    wanted = -np.log(density(d, v) * np.sqrt(2 * np.pi))
    found = loss_of(gaussian_nll, d, v)
    assert found.shape == (4,), f"4 differences have 4 losses: shape (4,), not {found.shape}"
    said = "-log p(d) - log(2 pi) / 2, so 0 for d = 0, var = 1; variances as they are, to 1e-20"
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12, err_msg=said)


@pytest.mark.stub("gaussian-nll", points=4)
def test_gaussian_nll_is_minus_the_log_of_the_density():
    rng = np.random.default_rng(0)
    for shape in ((4, 3), (4, 1), (3,), (), (2, 4, 3)):
        d, v = rng.standard_normal((4, 3)), rng.uniform(0.2, 3, shape)
        wanted = -np.log(density(d, v))
        found = loss_of(gaussian_nll, d, v, full=True)
        said = f"full: -log p(d), differences (4, 3), variances {shape}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("gaussian-nll", points=4)
def test_gaussian_nll_survives_a_difference_of_40_standard_deviations():
    d, v = np.float32([40.0, 400.0, 0.0]), np.float32([1.0, 100.0, 1e-6])
    wanted = [800, 800 + np.log(10), -3 * np.log(10)]
    found = loss_of(gaussian_nll, d, v)
    said = "the density is 0 in float32, its logarithm is not -inf"
    np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=said)


@pytest.mark.stub("gaussian-nll", points=4)
def test_gaussian_nll_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (), (0, 3)):
            found = loss_of(gaussian_nll, np.zeros(shape, kind), np.ones(shape, kind), full=True)
            assert found.shape == shape, f"shape {shape} stays, here it became {found.shape}"


@pytest.mark.stub("huber", points=4)
def test_huber_is_half_the_square_of_a_small_difference():
    d = np.linspace(-1.5, 1.5, 14).reshape(2, 7)
    wanted = d**2 / 2
    found = loss_of(huber, d, delta=1.5)
    said = "differences from -1.5 to 1.5, delta=1.5: half the square of each"
    np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("huber", points=4)
def test_huber_goes_on_straight():
    for delta in (0.5, 1.0, 3.0):
        d = np.array([delta, delta + 0.1, delta + 2, -delta - 2, -delta / 2])
        wanted = np.append(delta**2 / 2 + delta * np.array([0, 0.1, 2, 2]), delta**2 / 8)
        found = loss_of(huber, d, delta=delta)
        said = f"differences {d}: half the square where |d| is up to delta={delta}, "
        said += f"beyond it a line of slope {delta} from delta^2 / 2 on"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("huber", points=4)
def test_huber_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (), (0, 3)):
            found = loss_of(huber, np.full(shape, 300, kind), delta=1)
            said = "beyond delta 1, 1 (300 - 1/2), although 300^2 is too large for float16"
            assert found.shape == shape, f"shape {shape} stays, here it became {found.shape}"
            np.testing.assert_array_equal(found, np.full(shape, 299.5), err_msg=said)


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_picks_the_right_class():
    log_p, target = log_probabilities(4, 3), np.array([2, 0, 1, 1])
    log_p[0, 0] = -np.inf
    expected = -log_p[[0, 1, 2, 3], [2, 0, 1, 1]]
    for reduction, wanted in (
        ("none", expected),
        ("sum", expected.sum()),
        ("mean", expected.mean()),
    ):
        found = loss_of(nll_loss, log_p, target, reduction=reduction)
        said = f"-log p of each right class (another may be impossible); {reduction!r}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_takes_one_answer_and_one_per_pixel():
    log_p = log_probabilities(2, 3, 1, 5)
    target = np.random.default_rng(1).integers(0, 3, (2, 1, 5))
    wanted = -np.take_along_axis(log_p, target[:, None], 1)[:, 0]
    found = loss_of(nll_loss, log_p, target, reduction="none")
    said = "(N, C, H, W) and (N, H, W): the classes are dim 1"
    shapes = f"log p {log_p.shape}, targets {target.shape}: the losses are {target.shape}"
    assert found.shape == target.shape, f"{shapes}, not {found.shape}"
    np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)
    found = loss_of(nll_loss, log_p[0, :, 0, 0], np.array(2))
    said = "(C,) and (): no batch, the classes are dim 0"
    np.testing.assert_allclose(found, -log_p[0, 2, 0, 0], rtol=1e-9, err_msg=said)
    found = loss_of(nll_loss, log_p[:0, :, 0, 0], np.zeros(0, int), reduction="none")
    assert found.shape == (0,), f"no rows have no losses: shape (0,), not {found.shape}"


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_divides_by_what_all_count_together():
    log_p = log_probabilities(3, 3)
    for weight in ([1.0, 10.0, 0.5], [0.1, 0.2, 0.05]):
        w = np.array(weight)
        total = w[1] + w[0] + w[1]
        wanted = -(w[1] * log_p[0, 1] + w[0] * log_p[1, 0] + w[1] * log_p[2, 1]) / total
        found = loss_of(nll_loss, log_p, np.array([1, 0, 1]), weight=from_numpy(w))
        said = f"targets 1, 0, 1, weights {weight}: the weighted sum over {total:.4g}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_counts_nothing_where_it_is_told_to_ignore():
    log_p, target = log_probabilities(3, 4), np.array([1, 0, 2])
    log_p[1] = -np.inf
    for ignored in (-100, 0):
        target[1] = ignored
        for weight in (None, np.array([2.0, 10.0, 0.5, 4.0])):
            w = np.ones(4) if weight is None else weight
            wanted = np.array([-w[1] * log_p[0, 1], 0, -w[2] * log_p[2, 2]])
            given = None if weight is None else from_numpy(weight)
            options = {"weight": given, "ignore_index": ignored}
            found = loss_of(nll_loss, log_p, target, reduction="none", **options)
            said = f"0 where the target is {ignored}, even for -inf; weights {weight}"
            np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)
            found, total = loss_of(nll_loss, log_p, target, **options), w[1] + w[2]
            said = f"targets {target}, weights {weight}: the mean divides by {total}, what the "
            said += f"two kept count, as {ignored} is ignored"
            np.testing.assert_allclose(found, wanted.sum() / total, err_msg=said)
    with np.errstate(invalid="ignore"):
        found = loss_of(nll_loss, log_p, np.full(3, -100))
    assert math.isnan(found), f"nothing is kept: the mean is 0 / 0, NaN, not {found}"
    log_p, target = log_probabilities(2, 3, 2), np.array([[0, 1], [2, -100]])
    found = loss_of(nll_loss, log_p, target, weight=from_numpy(np.array([2, 10, 0.5])))
    wanted = -(2 * log_p[0, 0, 0] + 10 * log_p[0, 1, 1] + 0.5 * log_p[1, 2, 0]) / 12.5
    said = "targets [[0, 1], [2, -100]], weights [2, 10, 0.5]: one sum over 12.5"
    np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("nll-loss", points=6)
def test_nll_loss_counts_alike_without_a_batch():
    log_p, weight = np.array([-0.5, -1.0, -np.inf]), from_numpy(np.array([1.0, 3.0, 2.0]))
    for target, wanted in ((1, 3), (-100, 0), (2, np.inf)):
        found = loss_of(nll_loss, log_p, np.array(target), weight=weight, reduction="sum")
        said = f"log p {log_p}, weights [1, 3, 2], target {target}: {wanted}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


def losses_of_rows(x, classes):
    """The results of `row_losses`, which must not change its arguments."""
    before = x.copy(), classes.copy()
    results = row_losses(x, classes)
    np.testing.assert_array_equal(x, before[0], err_msg="the scores must not change")
    np.testing.assert_array_equal(classes, before[1], err_msg="the classes must not change")
    for name, found in zip(("the losses", "the largest scores", "the sums"), results):
        case = f"scores {x.shape}, classes {classes.shape}: {name}"
        assert found.shape == classes.shape, f"{case} are {classes.shape}, not {found.shape}"
        assert found.dtype == x.dtype, f"{case} stay {x.dtype}, not {found.dtype}"
    return results


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_are_minus_the_log_of_softmax():
    log_p = log_probabilities(4, 5)
    classes = np.array([[4], [0], [2], [2]])
    wanted = -np.take_along_axis(log_p, classes, 1)
    x = log_p + np.array([[3.0], [-7.0], [0.0], [20.0]])
    highest = x.max(axis=1, keepdims=True)
    losses, largest, _ = losses_of_rows(x, classes)
    said = "-log softmax(x) of the right class"
    np.testing.assert_allclose(losses, wanted, rtol=1e-9, atol=1e-12, err_msg=said)
    said = "the largest score of each row, which may be negative"
    np.testing.assert_array_equal(largest, highest, err_msg=said)


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_take_further_dimensions():
    for shape in ((2, 3, 4), (2, 5, 3, 3), (0, 3), (2, 3, 0)):
        log_p = log_probabilities(*shape)
        one = (shape[0], 1, *shape[2:])
        classes = np.random.default_rng(1).integers(0, shape[1], one)
        wanted = -np.take_along_axis(log_p, classes, 1)
        losses, _, _ = losses_of_rows(log_p, classes)
        said = f"scores {shape}: the classes are axis 1"
        np.testing.assert_allclose(losses, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_survive_scores_of_1000():
    x = np.float32([[1000, 999], [-1000, -1001], [1000, -1000], [3, -np.inf]])
    wanted = [[1 + np.log(1 + np.exp(-1))], [1 + np.log(1 + np.exp(-1))], [2000], [0]]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        losses, _, _ = losses_of_rows(x, np.array([[1], [1], [1], [0]]))
    said = "as exact near 1000 as near 0, and next to an impossible class"
    np.testing.assert_allclose(losses, wanted, rtol=1e-6, err_msg=said)


@pytest.mark.stub("row-losses", points=6)
def test_row_losses_give_what_the_gradient_needs():
    x = np.float32([[1, 3, 2], [5, 5, 5]])
    _, largest, sums = losses_of_rows(x, np.array([[0], [0]]))
    np.testing.assert_array_equal(largest, [[3], [5]], err_msg="the largest score of each row")
    wanted = [[np.exp(-2) + 1 + np.exp(-1)], [3]]
    said = "the sum of exp(x - largest) of each row"
    np.testing.assert_allclose(sums, wanted, rtol=1e-6, err_msg=said)


def surprise(x, q, weight=None, reduction="none", label_smoothing=0.0, traced=True):
    """The loss of scores and probabilities, as an array."""
    weight = None if weight is None else from_numpy(weight)
    options = {"weight": weight, "reduction": reduction, "label_smoothing": label_smoothing}
    return loss_of(soft_cross_entropy, x, q, traced=traced, **options)


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_is_the_expected_surprise():
    log_p, q = log_probabilities(2, 3, 4), probabilities(2, 3, 4)
    expected = -(q * log_p).sum(axis=1)
    for reduction, wanted in (
        ("none", expected),
        ("sum", expected.sum()),
        ("mean", expected.mean()),
    ):
        found = surprise(log_p + 5, q, reduction=reduction, traced=reduction != "none")
        said = f"-sum of q log p over dim 1; the mean over 8 positions; {reduction!r}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)
    found = surprise(log_p[0, :, 0], q[0, :, 0])
    said = "(C,): no batch, the classes are dim 0"
    np.testing.assert_allclose(found, expected[0, 0], rtol=1e-9, err_msg=said)


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_smooths_the_target():
    log_p, q = log_probabilities(2, 4, 6), np.zeros((2, 4, 6))
    q[:, 1] = 1
    for smoothing in (0.2, 1.0):
        each = smoothing / 4
        wanted = -((1 - smoothing) * log_p[:, 1] + each * log_p.sum(axis=1)).mean()
        found = surprise(log_p, q, reduction="mean", label_smoothing=smoothing)
        said = f"(2, 4, 6): {smoothing} of the target is shared, {each} to each of 4 classes"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_weights_the_classes():
    weight = np.array([1.0, 10.0, 0.5])
    for shape in ((3, 3, 3), (2, 3), (3,)):
        dim = min(1, len(shape) - 1)
        log_p, q = log_probabilities(*shape, dim=dim), probabilities(*shape, dim=dim)
        column = weight.reshape([3 if d == dim else 1 for d in range(len(shape))])
        for smoothing in (0.0, 0.3):
            smoothed = (1 - smoothing) * q + smoothing / 3
            expected = -(column * smoothed * log_p).sum(axis=dim)
            found = surprise(log_p, q, weight, label_smoothing=smoothing)
            said = f"{shape}: what class c counts belongs to dim {dim}; smoothing {smoothing}"
            np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=said)
            found = surprise(log_p, q, weight, "mean", smoothing)
            said = "the mean is over the positions, weights or not"
            np.testing.assert_allclose(found, expected.mean(), rtol=1e-9, err_msg=said)


@pytest.mark.stub("soft-cross-entropy", points=5)
def test_soft_cross_entropy_survives_scores_of_1000():
    found = surprise(np.float32([[1000.0, 0.0]]), np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, [500], rtol=1e-6, err_msg="half of 0 and half of 1000")


def binary_losses(x, target):
    """The result of forward, which must save its arguments and not change them."""
    ctx, before = Context(BinaryCrossEntropy), (x.copy(), target.copy())
    losses = BinaryCrossEntropy.forward(ctx, x, target)
    np.testing.assert_array_equal(x, before[0], err_msg="x must not change")
    np.testing.assert_array_equal(target, before[1], err_msg="the target must not change")
    assert losses.dtype == x.dtype, f"{x.dtype} stays {x.dtype}, here it became {losses.dtype}"
    saved = ctx.saved_tensors
    assert len(saved) == 2, f"two arrays are saved, x and target; here {len(saved)} are"
    assert saved[0] is x, "the first array saved is x itself"
    assert saved[1] is target, "the second array saved is target itself"
    return losses


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_is_the_expected_surprise():
    x, y = np.linspace(0.05, 0.95, 6).reshape(2, 3), np.array([[0, 1, 0.3], [0.5, 1, 0]])
    wanted = -(y * np.log(x) + (1 - y) * np.log(1 - x))
    found = binary_losses(x, y)
    said = "-(y log x + (1 - y) log(1 - x))"
    np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_is_limited_where_it_was_sure():
    x, y = np.float32([0, 1, 0, 1, 0, 1e-45]), np.float32([0, 1, 1, 0, 0.5, 1])
    found = binary_losses(x, y)
    said = "certain: right is 0, wrong is 100, half wrong 50; log 1e-45 is limited, too"
    np.testing.assert_array_equal(found, [0, 0, 100, 100, 50, 100], err_msg=said)


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_notices_small_probabilities():
    found = binary_losses(np.float32([1e-9, 1e-30]), np.float32([0, 1]))
    said = "-log(1 - 1e-9) is 1e-9, -log(1e-30) is 69.08"
    np.testing.assert_allclose(found, [1e-9, 30 * np.log(10)], rtol=1e-5, err_msg=said)


@pytest.mark.stub("binary-cross-entropy", points=4)
def test_binary_cross_entropy_takes_any_shape():
    for shape in ((0, 2), (), (2, 1, 3)):
        found = binary_losses(np.full(shape, 0.25, np.float32), np.ones(shape, np.float32))
        assert found.shape == shape, f"shape {shape} stays, here it became {found.shape}"


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_is_the_loss_of_the_sigmoid():
    x, y = np.linspace(-4, 4, 9), np.array([0, 1, 0.3, 0.5, 1, 0, 0.9, 1, 0])
    p = 1 / (1 + np.exp(-x))
    expected = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    for reduction, wanted in (
        ("none", expected),
        ("sum", expected.sum()),
        ("mean", expected.mean()),
    ):
        options = {"reduction": reduction, "traced": reduction != "none"}
        found = loss_of(binary_cross_entropy_with_logits, x, y, **options)
        said = f"-(y log p + (1 - y) log(1 - p)), y may be a probability; {reduction!r}"
        np.testing.assert_allclose(found, wanted, rtol=1e-8, err_msg=said)


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_survives_scores_of_1000():
    x, y = np.float32([1000, 1000, -1000, -1000]), np.float32([1, 0, 1, 0])
    found = loss_of(binary_cross_entropy_with_logits, x, y, reduction="none")
    said = "certain and wrong costs the score, 1000"
    np.testing.assert_allclose(found, [0, 1000, 1000, 0], atol=1e-6, err_msg=said)


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_is_exact_in_float64():
    x, y = np.array([-15.0, -21.0, 21.0, 30.0]), np.array([1.0, 1.0, 0.0, 0.0])
    wanted = np.abs(x) + np.log1p(np.exp(-np.abs(x)))
    found = loss_of(binary_cross_entropy_with_logits, x, y, reduction="none")
    said = "|x| + log1p(exp(-|x|)) to the last digits, beyond softplus's threshold of 20 too"
    np.testing.assert_allclose(found, wanted, rtol=1e-14, err_msg=said)


@pytest.mark.stub("binary-cross-entropy-with-logits", points=5)
def test_bce_with_logits_counts_by_each_weight_and_by_both():
    x, y = np.array([[0.5, -1.0], [2.0, 0.1]]), np.array([[1.0, 1.0], [0.0, 0.4]])
    p, ones = 1 / (1 + np.exp(-x)), np.ones(2)
    for weight, pos_weight in (
        (np.array([[2.0, 0.5], [1.0, 4.0]]), None),
        (np.array([2.0, 0.5]), np.array([3.0, 10.0])),
        (None, np.array([3.0, 10.0])),
        (np.array([2.0, 0.5]), None),
        (np.array([[2.0], [0.5]]), np.array([[3.0], [10.0]])),
    ):
        yes = ones if pos_weight is None else pos_weight
        expected = -(yes * y * np.log(p) + (1 - y) * np.log(1 - p))
        expected *= ones if weight is None else weight
        options = {
            "weight": None if weight is None else from_numpy(weight),
            "pos_weight": None if pos_weight is None else from_numpy(pos_weight),
        }
        for reduction, wanted in (("none", expected), ("mean", expected.mean())):
            found = loss_of(binary_cross_entropy_with_logits, x, y, reduction=reduction, **options)
            said = (
                f"weight {weight}, pos_weight {pos_weight}: pos_weight multiplies y log p, "
                f"weight the whole loss; a mean is over all {expected.size}"
            )
            np.testing.assert_allclose(found, wanted, rtol=1e-8, err_msg=said)


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_is_zero_where_the_distributions_agree():
    q = probabilities(3, 4)
    found = loss_of(kl_div, np.log(q), q, reduction="none")
    said = "the same distribution twice"
    np.testing.assert_allclose(found, np.zeros((3, 4)), atol=1e-12, err_msg=said)


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_is_what_the_formula_says():
    log_p, q = log_probabilities(3, 4), probabilities(3, 4)
    expected = q * (np.log(q) - log_p)
    for reduction, wanted in {
        "none": expected,
        "sum": expected.sum(),
        "mean": expected.mean(),
        "batchmean": expected.sum() / 3,
    }.items():
        for target, log_target in ((q, False), (np.log(q), True)):
            options = {"reduction": reduction, "log_target": log_target}
            found = loss_of(kl_div, log_p, target, **options)
            said = f"q (log q - log p), reduction={reduction!r}, log_target={log_target}"
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12, err_msg=said)


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_divides_by_the_length_of_its_own_first_dimension():
    for log_p, q, length in (
        (log_probabilities(2, 1, 4, dim=2), probabilities(3, 2, 1, 4), 2),
        (log_probabilities(2, 1, 4, dim=2), np.array(0.5), 2),
        (np.array([-1.0, -2.0]), np.array([0.5, 0.5]), 2),
        (np.array(-1.0), np.array([0.5, 0.5]), 1),
    ):
        wanted = (q * (np.log(q) - log_p)).sum() / length
        found = loss_of(kl_div, log_p, q, reduction="batchmean")
        said = f"input {log_p.shape}, target {q.shape}: batchmean divides by {length}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


@pytest.mark.stub("kl-div", points=4)
def test_kl_div_takes_the_impossible_and_the_certain():
    log_p = np.log(np.float32([0.25, 0.25, 0.5]))
    found = loss_of(kl_div, log_p, np.float32([0.0, 1e-12, 1.0]), reduction="none")
    said = "a probability of 0 contributes 0, not NaN; one of 1e-12 is not 0"
    wanted = [0, 1e-12 * np.log(4e-12), np.log(2)]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=said)
    options = {"reduction": "none", "log_target": True}
    found = loss_of(kl_div, np.array([-0.5]), np.array([0.0]), **options)
    said = "log_target: a target of 0 is the logarithm of 1, whose term here is 0.5"
    np.testing.assert_allclose(found, [0.5], rtol=1e-9, err_msg=said)
