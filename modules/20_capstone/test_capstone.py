"""Tests of module 20, which `make release 20` makes from capstone.py."""

import contextlib
import copy
from dataclasses import dataclass

import numpy as np
import pytest

import tinytorch as torch
from tinytorch import nn
from tinytorch.capstone import (
    Score,
    Streaming,
    all_round,
    as_matrix,
    decide,
    fresh_images,
    leaderboard,
    mark_images,
    mark_text,
    paired_interval,
    teach,
)
from tinytorch.nn import functional as F


def moves_of(image, found, shift):
    """The shifts (down, right) by which `image` becomes `found`, zeros coming in."""
    _, H, W = image.shape
    moves = []
    for down in range(-shift, shift + 1):
        for right in range(-shift, shift + 1):
            moved = np.zeros_like(image)
            for y in range(max(0, down), min(H, H + down)):
                for x in range(max(0, right), min(W, W + right)):
                    moved[:, y, x] = image[:, y - down, x - right]
            if np.array_equal(moved, found):
                moves.append((down, right))
    return moves


@pytest.mark.stub("fresh-inputs", points=7)
def test_the_order_says_which_image_stands_where():
    images = np.float32([[[[0.5 * n - 2] * 2] * 3] for n in range(9)])
    batch, order = fresh_images(images, np.random.default_rng(1), 0, 0.0)
    held = [sorted({float(value) for value in image.ravel()}) for image in batch]
    wanted = [[0.5 * int(number) - 2] for number in order]
    right = held == wanted
    assert right, (
        "all pixels of image n are 0.5 n - 2, and shift=0 and noise=0.0 leave them so: with "
        f"order = {[int(number) for number in order]}\n"
        f"the pixels, place by place, are {wanted}\nand not {held}"
    )


@pytest.mark.stub("fresh-inputs", points=7)
def test_zeros_come_in_at_the_edge():
    images = np.tile([1.0, 2.0, 3.0], (50, 1, 1, 1))
    batch, _ = fresh_images(images, np.random.default_rng(1), 1, 0.0)
    found = {tuple(row.tolist()) for row in batch[:, 0, 0]}
    wanted = {(1.0, 2.0, 3.0), (0.0, 1.0, 2.0), (2.0, 3.0, 0.0), (0.0, 0.0, 0.0)}
    wrong = sorted(found - wanted)
    assert not wrong, (
        "an image of one row, 1 2 3, with shift=1 and noise=0, stays as it is, or becomes "
        f"0 1 2 (right),\n2 3 0 (left) or 0 0 0 (up or down); among the new images are {wrong}"
    )


@pytest.mark.stub("fresh-inputs", points=7)
def test_images_are_moved_and_zeros_come_in():
    rng = np.random.default_rng(0)
    for shape, shift in [((60, 1, 4, 4), 1), ((80, 2, 5, 3), 2), ((5, 3, 2, 6), 0)]:
        images = rng.random(shape).astype(np.float32) + 1
        kept, seen = images.copy(), set()
        batch, order = fresh_images(images, np.random.default_rng(1), shift, 0.0)
        np.testing.assert_array_equal(images, kept, err_msg="images belong to the caller")
        assert batch.shape == shape, f"images {shape}: the batch is {batch.shape}"
        assert batch.dtype == np.float32, f"float32 stays float32, and is not {batch.dtype}"
        for place, number in enumerate(order):
            moves = moves_of(kept[number], batch[place], shift)
            assert moves, (
                f"place {place} holds image {number}, by order, moved by at most {shift}, "
                f"with zeros coming in; shape {shape}"
            )
            seen |= set(moves)
        ways = (2 * shift + 1) ** 2
        assert len(seen) >= 3 * ways // 5 + 1, (
            f"shift={shift}: {shape[0]} images can be shifted in {ways} ways (down, right), "
            f"each drawn separately, and no more than these were found: {sorted(seen)}"
        )


@pytest.mark.stub("fresh-inputs", points=7)
def test_each_shift_occurs_in_both_directions():
    for shift, N in ((1, 1800), (2, 2500)):
        size = 2 * shift + 1
        dots = np.zeros((N, 1, size, size))
        dots[:, :, shift, shift] = 9  # in the middle
        batch, _ = fresh_images(dots, np.random.default_rng(1), shift, 0.0)
        found = [int(image.argmax()) for image in batch]
        places = [divmod(place, size) for place in range(size**2) if place not in found]
        never = [(down - shift, right - shift) for down, right in places]
        assert not never, (
            f"{N} images, shift={shift}: of the {size**2} shifts (down, right), with (0, 0) "
            f"among them, some never occur: {never}"
        )
        for direction, moved in zip(("down", "right"), np.divmod(found, size)):
            shares = np.bincount(moved, minlength=size) * size / N
            even = bool(shares.max() < 1.25)
            often = f"{N} images: shifts {direction} by {shares.argmax() - shift} are too frequent"
            assert even, f"{often}; from {-shift} to {shift} all are equally likely"
        most = max(map(found.count, found))
        assert most < 3 * N / size**2, (
            f"{N} images, {size**2} equally likely shifts: one of them occurs {most} times"
        )


@pytest.mark.stub("fresh-inputs", points=7)
def test_the_order_is_new():
    images = np.random.default_rng(0).random((50, 1, 2, 2))
    orders = [fresh_images(images, np.random.default_rng(seed))[1] for seed in (1, 2)]
    kinds = {type(order).__name__ for order in orders}
    assert kinds == {"ndarray"}, f"the order is an array, not {kinds}"
    one, other = (order.tolist() for order in orders)
    for order in (one, other):
        assert sorted(order) == list(range(50)), "every image occurs once: a permutation"
    moved = one != sorted(one)
    assert moved, "the images come in a new order, not in their own"
    drawn = (np.diff(one) == 1).sum() < 20
    assert drawn, "all orders are equally likely; here most images follow the one before them"
    different = one != other
    assert different, f"the seeds 1 and 2 give the same order, {one[:5]}..."


@pytest.mark.stub("fresh-inputs", points=7)
def test_a_generator_gives_the_same_twice_and_another_the_next_time():
    images = np.random.default_rng(0).random((20, 1, 3, 3))
    rng, kept = np.random.default_rng(5), images.copy()
    for what, part, noise in (("order", 1, 0.0), ("shifts", 0, 0.0), ("noise", 0, 0.05)):
        rngs = (np.random.default_rng(5) for _ in range(2))
        first, again = (fresh_images(images, one, 1, noise)[part] for one in rngs)
        left = np.array_equal(images, kept)
        assert left, f"images belong to the caller, but with noise={noise} they are changed"
        same = np.array_equal(first, again)
        assert same, f"two rng of the same seed, two results: draw the {what} from rng"
    fresh_images(images, rng)
    second = fresh_images(images, rng)[0]
    different = (first != second).any()
    assert different, "a second call with the same rng gives the same batch: draw from rng"


@pytest.mark.stub("fresh-inputs", points=7)
def test_every_pixel_has_noise_of_its_own():
    for noise, dtype in [(0.09, np.float64), (0.3, np.float32)]:
        images = np.zeros((200, 2, 5, 5), dtype)
        batch, _ = fresh_images(images, np.random.default_rng(0), noise=noise)
        assert batch.dtype == dtype, f"{np.dtype(dtype)} in, {batch.dtype} out"
        bare = int((batch == 0).any(axis=(0, 1)).sum())
        assert bare == 0, (
            f"noise={noise}, images of zeros: every pixel has noise after the shift, but in "
            f"some of the images {bare} of the 25 places still hold exactly 0"
        )
        even = (batch - batch.mean()) / batch.std()
        alike = {
            "all images": even.mean(axis=0).std() > 0.35,
            "all pixels of an image": even.mean(axis=(1, 2, 3)).std() > 0.35,
            "all channels": abs(np.mean(even[:, 0] * even[:, 1])) > 0.2,
            "all pixels of a row": even.mean(axis=3).std() > 0.6,
            "all pixels of a column": even.mean(axis=2).std() > 0.6,
            "some of the images": len({image.tobytes() for image in batch}) < 200,
        }
        shared = [what for what in alike if alike[what]]
        assert not shared, f"noise is drawn for every pixel, but {shared[0]} share the same"
        spread = float(batch.std())
        fits = abs(spread / noise - 1) < 0.06
        assert fits, f"noise={noise}: that is the standard deviation of the pixels, not {spread:.2g}"
        assert abs(batch.mean()) < 0.06 * noise, (
            f"noise={noise}: the mean of the noise is 0, not {batch.mean():.3f}"
        )
        far = np.mean(np.abs(batch) > 2 * noise)
        assert 0.03 < far < 0.06, (
            f"noise={noise}: 4.6% of standard normal numbers are further from 0 than 2, and "
            f"{far:.1%} of the pixels further than 2 x noise"
        )


@pytest.mark.stub("fresh-inputs", points=7)
def test_every_call_draws_a_shift_and_noise():
    zeros, rng = np.zeros((20, 1, 3, 3)), np.random.default_rng(5)
    dots = zeros.copy()
    dots[:, :, 1, 1] = 1
    for what, images, noise in [("shifts", dots, 0.0), ("noise", zeros, 0.05)]:
        first, second = (fresh_images(images, rng, 1, noise)[0] for _ in range(2))
        different = (first != second).any()
        assert different, f"a second call with the same rng has the same {what}: draw from rng"


@pytest.mark.stub("fresh-inputs", points=7)
def test_images_that_are_not_shifted_have_an_order_and_noise():
    images = np.random.default_rng(0).random((50, 1, 3, 3))
    kept = images.copy()
    for noise in (0.05, 0.0):
        batch, order = fresh_images(images, np.random.default_rng(1), 0, noise)
        np.testing.assert_array_equal(images, kept, err_msg="images belong to the caller")
        moved = np.asarray(order).tolist() != list(range(50))
        assert moved, f"shift=0, noise={noise}: the images come in a new order, too"
        spread = float((batch - kept[np.asarray(order)]).std())
        fits = 0.8 * noise <= spread <= 1.2 * noise
        assert fits, f"shift=0, noise={noise}: the noise's standard deviation is {spread:.2g}"


@pytest.mark.stub("marks", points=5)
def test_an_image_is_right_or_wrong():
    logits = np.float32([[1, 5, 2], [-3, -1, -2], [0, 0.1, 9], [7, 6, 5], [-9, -5, -6]])
    labels, kept = np.array([1, 1, 0, 0, 2]), logits.copy()
    found = mark_images(logits, labels)
    np.testing.assert_array_equal(logits, kept, err_msg="the logits are left alone")
    np.testing.assert_array_equal(
        found, [1.0, 1.0, 0.0, 1.0, 0.0], err_msg="1 where the largest logit is the label's"
    )
    assert found.dtype == np.float64, f"marks are float64, and not {found.dtype}"
    np.testing.assert_array_equal(
        mark_images(np.float32([[0, 0, 0], [0, 0, 0], [1, 2, 2]]), np.array([0, 2, 2])),
        [1.0, 0.0, 0.0],
        err_msg="of equal logits the first counts, or zeros would be right for every label",
    )
    found = mark_images(np.float32([[0, 9e8, 0], [-3e9, -1e9, -2e9]]), np.array([1, 1]))
    np.testing.assert_array_equal(found, [1, 1], err_msg="large logits are logits, too")
    found = mark_images(np.array([[1.0, 1 + 1e-9], [1 + 1e-9, 1.0]]), np.array([1, 1]))
    np.testing.assert_array_equal(found, [1, 0], err_msg="in float64 1 + 1e-9 is larger than 1")
    found = mark_images(np.float32([[0, 1e-8], [1e-8, 0]]), np.array([1, 1]))
    np.testing.assert_array_equal(found, [1, 0], err_msg="in float32 1e-8 is larger than 0")


@pytest.mark.stub("marks", points=5)
def test_a_character_has_the_logarithm_of_its_probability():
    rng = np.random.default_rng(0)
    for N, V in [(1, 2), (7, 5), (4, 103)]:
        drawn, targets = 3 * rng.standard_normal((N, V)), rng.integers(0, V, N)
        for logits in (drawn, drawn.astype(np.float32)):
            kept = logits.copy()
            wanted = [
                np.log(np.exp(z[t]) / sum(np.exp(other) for other in z))
                for z, t in zip(logits.astype(np.float64), targets)
            ]
            found = mark_text(logits, targets)
            np.testing.assert_array_equal(logits, kept, err_msg="the logits are left alone")
            first = f"first {logits[0, :2].round(4)}, target {targets[0]}"
            case = f"{logits.dtype} logits of {N} x {V} (characters x alphabet), {first}"
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=case)
            off = float(np.max(np.abs(found / np.array(wanted) - 1)))
            exact = off < 1e-10
            assert exact, (
                f"{case};\ncomputed in float64, marks are right to ten digits and more; these "
                f"are right to about {-np.log10(off):.0f}"
            )


@pytest.mark.stub("marks", points=5)
def test_large_logits_are_no_trouble():
    logits = np.float32([[1000, 0, 990], [-1000] * 3, [1e5, 1e5, 0], [1000, 0, 0]])
    with np.errstate(over="raise", invalid="raise"):
        found = mark_text(logits, np.array([2, 0, 1, 1]))
    np.testing.assert_allclose(
        found, [-10.0000454, -np.log(3), -np.log(2), -1000], rtol=1e-6,
        err_msg=f"logits {logits}; even a probability too small for a float has a logarithm",
    )  # fmt: skip
    found = mark_text(np.float32([[0, -np.inf, 0]]), np.array([2]))
    message = "logits 0, -inf and 0: the last of them has a probability of a half"
    np.testing.assert_allclose(found, [-np.log(2)], err_msg=message)
    assert found.dtype == np.float64, f"marks are float64, and not {found.dtype}"


@pytest.mark.stub("marks", points=5)
def test_to_be_sure_of_everything_is_to_be_sure_of_nothing():
    for much in (1.0, 50.0, 1e6):
        found = mark_text(np.full((2, 8), much), np.array([3, 0]))
        np.testing.assert_allclose(
            found, np.log([1 / 8, 1 / 8]), err_msg=f"logits of {much} for all of 8 characters"
        )


def mean_of(marks):
    return np.mean(marks, axis=-1)


@pytest.mark.stub("paired-interval", points=7)
def test_the_ratio_is_that_of_the_marks_as_they_are():
    rng = np.random.default_rng(0)
    for N in (5, 40):
        a, b = rng.random(N) + 1, rng.random(N) + 2
        wanted = b.mean() / a.mean(), np.exp(b.mean()) / np.exp(a.mean())
        kept = a.copy(), b.copy()
        for quality, ratio in zip((mean_of, lambda marks: np.exp(mean_of(marks))), wanted):
            found = paired_interval(a, b, quality)
            assert isinstance(found, Score), f"a Score is wanted, not {type(found).__name__}"
            fits = bool(abs(found.ratio / ratio - 1) < 1e-9)
            assert fits, f"the entry's accuracy over the baseline's: {ratio:.6f}, not {found.ratio:.6f}"
        np.testing.assert_array_equal(a, kept[0], err_msg="marks are left alone")
        np.testing.assert_array_equal(b, kept[1], err_msg="marks are left alone")


@pytest.mark.stub("paired-interval", points=7)
def test_the_ratio_lies_between_the_ends():
    for N in (5, 40):
        a, b = np.random.default_rng(0).random((2, N)) + np.array([[1], [2]])
        found = paired_interval(a, b, mean_of)
        many = found.low != found.high
        assert many, f"1000 draws of {N} items have many ratios, but both ends are the same"
        turned = found.low < 1 / found.ratio < found.high
        assert not turned, f"{N} items: 1 / ratio lies between the ends, and not the ratio"
        between = found.low < found.ratio < found.high
        order = " <= ".join(sorted(vars(found), key=vars(found).get))
        assert between, f"{N} items: low < ratio < high is wanted, not {order}"


@pytest.mark.stub("paired-interval", points=7)
def test_the_same_items_are_drawn_for_both():
    marks = np.random.default_rng(1).random(30) + 0.5
    for factor in (1.0, 3.0, 1.0042):
        found = paired_interval(marks, factor * marks, mean_of)
        ends = (found.low, found.high)
        np.testing.assert_allclose(
            ends, [factor, factor], rtol=1e-9,
            err_msg=f"each mark is {factor} times the baseline's, so every ratio is {factor}",
        )  # fmt: skip


@pytest.mark.stub("paired-interval", points=7)
def test_of_one_draw_both_ends_are_its_ratio():
    a, b = np.random.default_rng(3).random((2, 20)) + 1
    one, more = (paired_interval(a, b, mean_of, resamples=n) for n in (1, 50))
    assert one.low == one.high, f"resamples=1 is one ratio, so both ends are it: {one}"
    assert more.low < more.high, f"resamples=50 are many ratios: {more}"
    a, b = np.array([[1.0, 2.0], [1.0, 6.0]])
    for seed in range(9):
        found = paired_interval(a, b, mean_of, 1, seed=seed)
        fits = min(abs(found.low - ratio) for ratio in (1, 3, 7 / 3)) < 1e-9
        assert fits, (
            "two items, baseline's marks 1 and 2, entry's 1 and 6: the means of a draw have "
            f"the ratio 1/1, 6/2 or, with one item of each, 3.5/1.5, not {found.low:.4f}"
        )


@pytest.mark.stub("paired-interval", points=7)
def test_the_width_is_that_of_the_theory():
    rng = np.random.default_rng(2)
    for N, confidence, z in [(400, 0.95, 1.960), (400, 0.5, 0.6745), (100, 0.95, 1.960)]:
        a = 5 + rng.standard_normal(N)
        b = 10 + rng.standard_normal(N)
        spread = (b / b.mean() - a / a.mean()).std() / np.sqrt(N)
        wanted = 2 * z * spread * b.mean() / a.mean()
        found = paired_interval(a, b, mean_of, resamples=4000, confidence=confidence)
        width = found.high - found.low
        fits = bool(abs(width / wanted - 1) < 0.12)
        assert fits, (
            f"{N} items, resamples=4000, confidence={confidence}: by theory high - low is "
            f"about {wanted:.4f}, not {width:.4f}"
        )
        tails = found.ratio - found.low, found.high - found.ratio
        assert 0.75 < tails[0] / tails[1] < 1.33, f"half of the rest lies on each side: {found}"


@pytest.mark.stub("paired-interval", points=7)
def test_the_ends_are_quantiles_of_the_ratios_themselves():
    ones, marks = np.ones(2), np.array([1.0, 3.0])
    for quality, highest in ((mean_of, 3), (lambda marks: mean_of(marks) ** 2, 9)):
        found = paired_interval(ones, marks, quality, resamples=4000, confidence=0.6)
        ends = (found.low, found.high)
        assert ends == (1, highest), (
            "of two items, each is drawn twice in a quarter of the draws, with ratios of 1 "
            f"and {highest}: the middle 60% reach from 1 to {highest}, not from {ends[0]} "
            f"to {ends[1]}"
        )


@pytest.mark.stub("paired-interval", points=7)
def test_the_seed_and_the_number_of_draws_are_used():
    rng = np.random.default_rng(3)
    a, b = rng.random(50) + 1, rng.random(50) + 1
    for one, other in ((1, 2), (0, 1), (2**32, 1)):
        first, again, second = (paired_interval(a, b, mean_of, 300, seed=seed) for seed in (one, one, other))
        same = first == again
        assert same, f"one seed, one interval; seed={one} gave two"
        different = first != second
        assert different, f"the seeds {one} and {other} give the same interval, {first}"
    shapes = []

    def noted(marks):
        shapes.append(np.shape(marks))
        return mean_of(marks)

    paired_interval(a, b, noted, 123)
    draws = sum(int(np.prod(shape[:-1])) for shape in shapes if shape[-1] == 50)
    assert draws >= 2 * 123, f"resamples=123: 123 draws of 50 items for both, not {shapes}"


def check_all_round(scores, wanted):
    found = all_round([Score(*numbers) for numbers in scores])
    assert isinstance(found, Score), f"a Score is wanted, not {type(found).__name__}"
    numbers = [found.ratio, found.low, found.high]
    case = f"the geometric means of {scores}: ratio, low end, high end"
    np.testing.assert_allclose(numbers, wanted, rtol=1e-4, err_msg=case)
    off = float(np.max(np.abs(np.array(numbers) / wanted - 1)))
    exact = off < 1e-9
    assert exact, (
        f"{case};\ncomputed in float64, they are right to nine digits and more; these are "
        f"right to about {-np.log10(off):.0f}"
    )


@pytest.mark.stub("verdict", points=8)
def test_the_mean_is_geometric():
    check_all_round([(8.0, 1.0, 27.0), (1.0, 1.0, 1.0), (1.0, 8.0, 1.0)], (2.0, 2.0, 3.0))
    check_all_round([(2.0, 1.5, 2.5), (0.5, 0.4, 0.6)], (1.0, 0.6**0.5, 1.5**0.5))
    check_all_round([(16.0, 1.0, 81.0)] + 3 * [(1.0, 1.0, 1.0)], (2.0, 1.0, 3.0))


@pytest.mark.stub("verdict", points=8)
def test_one_score_stays_as_it_is():
    check_all_round([(3.0, 2.5, 3.5)], (3.0, 2.5, 3.5))


@pytest.mark.stub("verdict", points=8)
def test_better_and_worse_by_the_same_factor_cancel():
    rng = np.random.default_rng(0)
    numbers = np.sort(rng.random((3, 3)) * 5 + 0.1, axis=1)[:, [1, 0, 2]]
    turned = 1 / numbers[:, [0, 2, 1]]
    scores = [Score(*row) for row in np.concatenate([numbers, turned]).tolist()]
    found = all_round(scores)
    assert abs(found.ratio - 1) < 1e-9, f"r and 1/r have the mean 1, not {found.ratio}"


@pytest.mark.stub("verdict", points=8)
def test_very_many_scores_are_no_trouble():
    found = all_round([Score(1e30, 1e29, 1e31)] * 40)
    np.testing.assert_allclose(
        [found.ratio, found.low, found.high], [1e30, 1e29, 1e31], rtol=1e-6,
        err_msg="40 scores of 1e30: multiplied without logarithms they are infinite",
    )  # fmt: skip


def check_verdict(wanted, numbers, accuracy=0.96, floor=0.95, margin=0.05):
    found = decide(Score(*numbers), accuracy, floor, margin)
    assert found == wanted, (
        f"{Score(*numbers)!r} with a margin of {margin}, an accuracy of {accuracy} and a "
        f"floor of {floor}: {wanted!r} is wanted, not {found!r}"
    )


@pytest.mark.stub("verdict", points=8)
def test_the_floor_comes_first():
    check_verdict("wins", (50.0, 40.0, 60.0))
    check_verdict("refused", (0.94, 0.9, 1.1), accuracy=0.1)
    check_verdict("refused", (0.2, 0.1, 0.3), accuracy=0.5)
    check_verdict("refused", (50.0, 40.0, 60.0), accuracy=0.1)
    check_verdict("refused", (2.0, 1.9, 2.1), accuracy=0.0)
    check_verdict("refused", (50.0, 40.0, 60.0), accuracy=0.949)
    check_verdict("refused", (50.0, 40.0, 60.0), accuracy=0.9499999)
    check_verdict("wins", (50.0, 40.0, 60.0), accuracy=0.95)
    check_verdict("refused", (50.0, 40.0, 60.0), accuracy=0.08, floor=0.081)
    check_verdict("wins", (50.0, 40.0, 60.0), accuracy=0.3, floor=0.2)


@pytest.mark.stub("verdict", points=8)
def test_a_win_is_shown_by_the_whole_interval():
    check_verdict("no difference shown", (1.0, 0.7, 3.0), margin=0.8)
    check_verdict("no difference shown", (1.0, 0.97, 1.02))
    check_verdict("wins", (1.2, 1.06, 1.4))
    check_verdict("wins", (1.4, 1.3, 1.5), margin=0.25)
    check_verdict("wins", (1.2, 1.0501, 1.4))
    check_verdict("no difference shown", (1.2, 0.99, 1.4))
    check_verdict("no difference shown", (1.2, 1.04, 1.4))
    check_verdict("wins", (1.2, 1.04, 1.4), margin=0.0)
    check_verdict("no difference shown", (1.5, 1.2, 1.8), margin=0.3)


@pytest.mark.stub("verdict", points=8)
def test_a_loss_is_shown_by_the_whole_interval():
    check_verdict("loses", (0.8, 0.7, 0.94))
    check_verdict("no difference shown", (1.0, 0.7, 1.1))
    check_verdict("no difference shown", (0.8, 0.7, 1.1))
    check_verdict("no difference shown", (0.8, 0.7, 0.96))
    check_verdict("no difference shown", (0.8, 0.7, 0.9525))
    check_verdict("loses", (0.8, 0.7, 0.96), margin=0.0)
    check_verdict("no difference shown", (0.7, 0.68, 0.72), margin=0.5)
    check_verdict("loses", (0.6, 0.5, 0.66), margin=0.5)


@pytest.mark.stub("verdict", points=8)
def test_the_border_itself_shows_nothing():
    check_verdict("no difference shown", (1.0, 1.0, 1.0), margin=0.0)
    check_verdict("no difference shown", (1.75, 1.5, 2.0), margin=0.5)
    check_verdict("no difference shown", (0.45, 0.4, 0.5), margin=1.0)


@pytest.mark.stub("verdict", points=8)
def test_what_is_neither_is_no_difference():
    for numbers in [(1.0, 1.0, 1.0), (1.0, 0.5, 2.0), (1.01, 1.0, 1.02)]:
        check_verdict("no difference shown", numbers)
    for numbers in [(1.3, 1.25, 1.4), (0.7, 0.6, 1 / 1.25)]:  # an end exactly on the border
        check_verdict("no difference shown", numbers, margin=0.25)


@dataclass(frozen=True)
class SomeEvent:
    kind: str = "latency"
    task: str = "digits"

    def __str__(self):
        return f"{self.kind} on {self.task}"


def recorded(digest, low, high, verdict="wins", event="latency on digits", kind="latency"):
    scores = {"latency": (9.0, 8.0, 10.0), "memory": (9.0, 8.0, 10.0)}
    scores[kind] = ((low + high) / 2, low, high)
    named = {"entry": "my entry", "digest": digest}  # a name is no source
    return {"event": event, **named, "verdict": verdict, "scores": scores}


def check_board(records, wanted, kind="latency"):
    kept = copy.deepcopy(records)
    rows = leaderboard(records, SomeEvent(kind))
    assert records == kept, "the records are left alone"
    assert isinstance(rows, list), f"a list of rows is wanted, not a {type(rows).__name__}"
    tuples = all(isinstance(row, tuple) for row in rows)
    assert tuples, f"each row is a tuple (place, record), not a {type(rows[0]).__name__}"
    kinds = [[type(part).__name__ for part in row] for row in rows]
    pairs = all(len(row) == 2 and isinstance(row[1], dict) for row in rows)
    assert pairs, f"each row is (place, record), a number and a dict, not ({', '.join(kinds[0])})"
    found = [(place, record["digest"], record["scores"][kind][1]) for place, record in rows]
    said = "".join(f"\n{r['digest']}, {r['event']}: {r['verdict']}, {r['scores'][kind][1:]}" for r in kept)
    assert found == wanted, (
        f"{kind} on digits: the rows (place, digest, low end) are {wanted}, of entries all "
        f"called my entry, with these digests and ends:{said}"
    )


@pytest.mark.stub("leaderboard", points=8)
def test_the_highest_low_end_is_first():
    check_board(
        [recorded("b", 1.5, 1.9), recorded("c", 1.0, 1.1), recorded("a", 2.0, 2.1)],
        [(1, "a", 2.0), (2, "b", 1.5), (3, "c", 1.0)],
    )
    check_board(
        [recorded("wide", 2.0, 4.0), recorded("sure", 2.9, 3.2)],
        [(1, "sure", 2.9), (1, "wide", 2.0)],
    )
    check_board(
        [recorded("wide", 2.0, 4.8), recorded("sure", 2.9, 3.1)],
        [(1, "sure", 2.9), (1, "wide", 2.0)],
    )


@pytest.mark.stub("leaderboard", points=8)
def test_no_records_are_no_rows():
    check_board([], [])


@pytest.mark.stub("leaderboard", points=8)
def test_rows_that_overlap_share_a_place():
    check_board(
        [recorded("d", 1.0, 1.1), recorded("b", 2.6, 3.0), recorded("c", 1.9, 2.2),
         recorded("a", 2.9, 3.1)],
        [(1, "a", 2.9), (1, "b", 2.6), (3, "c", 1.9), (4, "d", 1.0)],
    )  # fmt: skip
    check_board(
        [recorded("a", 3.0, 3.5), recorded("b", 2.5, 3.0), recorded("c", 2.0, 2.6),
         recorded("d", 1.5, 2.1)],
        [(1, "a", 3.0), (1, "b", 2.5), (3, "c", 2.0), (3, "d", 1.5)],
    )  # fmt: skip


@pytest.mark.stub("leaderboard", points=8)
def test_equal_low_ends_are_two_rows():
    records = [recorded("c", 1.0, 1.1), recorded("a", 2.0, 2.5), recorded("b", 2.0, 2.2)]
    rows = leaderboard(records, SomeEvent())
    places, names = [place for place, _ in rows], [record["digest"] for _, record in rows]
    assert (places, sorted(names), names[-1:]) == ([1, 1, 3], ["a", "b", "c"], ["c"]), (
        "a and b, both with a low end of 2, share place 1, in any order, and c has place 3; "
        f"the places are {places}, of {names}"
    )


@pytest.mark.stub("leaderboard", points=8)
def test_of_one_entry_the_worst_record_counts():
    check_board(
        [recorded("a", 2.0, 2.9), recorded("b", 1.8, 1.9), recorded("a", 1.5, 2.5),
         recorded("a", 1.75, 2.6)],
        [(1, "b", 1.8), (1, "a", 1.5)],
    )  # fmt: skip
    check_board([recorded("a", 1.8, 2.2), recorded("a", 1.5, 2.4)], [(1, "a", 1.5)])
    check_board([recorded("a", 1.8, 2.2), recorded("a", 1.5, 5.0)], [(1, "a", 1.5)])


@pytest.mark.stub("leaderboard", points=8)
def test_refused_entries_and_other_events_are_left_out():
    refused = recorded("c", 9.0, 9.1, "refused")
    stopped = {name: value for name, value in refused.items() if name != "scores"}
    records = [
        recorded("a", 1.0, 1.1, "no difference shown"),
        recorded("b", 7.0, 7.1, event="latency on text"),
        recorded("b", 6.0, 6.1, event="latency on digits again"),
        recorded("a", 0.2, 0.3, event="latency on text"),
        recorded("d", 0.5, 0.6, "loses"),
        recorded("h", 0.3, 0.4, "no difference shown"),
        recorded("e", 3.0, 3.5, event="memory on digits", kind="memory"),
    ]
    wanted = [(1, "a", 1.0), (2, "d", 0.5), (3, "h", 0.3)]
    check_board([*records, refused], wanted)
    again = recorded("a", 0.1, 0.2, "refused")  # one refusal, others count
    check_board([again, *records, again], wanted)
    rows = leaderboard([stopped, *records], SomeEvent())
    assert len(rows) == 3, "a refused record may have no scores; it is left out"
    records += [
        recorded("f", 5.0, 5.5, event="memory on digits", kind="memory"),
        recorded("g", 4.0, 4.5, event="memory on digits", kind="memory"),
    ]
    check_board(records, [(1, "f", 5.0), (2, "g", 4.0), (3, "e", 3.0)], kind="memory")


def check_matrix(size, *arguments, **options):
    torch.manual_seed(0)
    conv, x = nn.Conv2d(*arguments, **options), torch.randn(5, arguments[0], size, size)
    kept = {name: value.clone() for name, value in conv.state_dict().items()}
    x[0] = 0  # so that the bias alone is left
    with torch.no_grad():
        wanted = conv(x).flatten(1).numpy()
    case = f"Conv2d{arguments}, {options or 'no options'}, images of {size} x {size}"
    layer, enabled = as_matrix(conv, size), torch.is_grad_enabled()
    torch.set_grad_enabled(True)  # for other tests
    with torch.no_grad():
        assert isinstance(layer, nn.Linear), f"a Linear is wanted, not {type(layer).__name__}"
        parts = [p.detach().numpy() for p in (layer.weight, layer.bias) if p is not None]
        shapes = [p.shape for p in parts]
        sizes = (wanted.shape[1], arguments[0] * size**2)
        fits = [sizes, sizes[:1]][: len(shapes)]
        assert shapes == fits, f"{case}: weight and bias are {fits}, and not {shapes}"
        kinds = {str(p.dtype) for p in parts}
        assert kinds == {"float32"}, f"{case}: weight and bias are float32, not {kinds}"
        bare = "bias" in kept or not any(p.any() for p in parts[1:])
        assert bare, f"{case}: there is no bias, so the Linear has none, or zeros"
        found = layer(x.flatten(1)).numpy()
    assert found.shape == wanted.shape, f"{case}: {wanted.shape} is wanted, not {found.shape}"
    what = "the output for an image of zeros, which is the bias alone"
    np.testing.assert_allclose(found[:1], wanted[:1], atol=2e-5, err_msg=f"{case}: {what}")
    what = "the bias is right, but not the weight, by the outputs for four other images"
    np.testing.assert_allclose(found, wanted, atol=2e-5, err_msg=f"{case}: {what}")
    assert enabled, f"{case}: gradients were enabled, but after as_matrix they are disabled"
    left = list(conv.state_dict())
    assert left == list(kept), f"{case}: conv had {list(kept)}, and after as_matrix has {left}"
    for name, value in conv.named_parameters():
        assert torch.equal(value, kept[name]), f"the convolution's {name} is left alone"
        assert value.requires_grad, f"the convolution's {name} still requires a gradient"
    return layer


@pytest.mark.stub("as-matrix", points=7)
def test_it_does_what_the_convolution_does():
    check_matrix(8, 1, 6, 5, padding=2)
    check_matrix(4, 6, 16, 5, padding=2)
    check_matrix(5, 2, 3, 3)


@pytest.mark.stub("as-matrix", points=7)
def test_whatever_the_convolution_is():
    check_matrix(7, 2, 4, 3, stride=2, padding=1)
    check_matrix(6, 4, 6, 3, groups=2)
    check_matrix(7, 1, 2, 3, dilation=2, bias=False)


@pytest.mark.stub("as-matrix", points=7)
def test_no_graph_is_kept():
    layer = check_matrix(4, 1, 2, 3)
    names = sorted(name for name, _ in layer.named_parameters())
    assert names == ["bias", "weight"], f"bias and weight are the Parameters, found are {names}"
    for name, parameter in layer.named_parameters():
        assert parameter.is_leaf, f"{name} belongs to the new layer, and to no graph"


def small_gpt():
    torch.manual_seed(0)
    config = torch.GPTConfig(13, 16, n_layer=2, n_head=2, n_embd=16, dropout=0.0)
    return torch.GPT(config).eval()


def stream(parts, case):
    """Call a Streaming GPT with texts; how many positions it read of each."""
    model, read = small_gpt(), []
    streaming, enabled = Streaming(model), torch.is_grad_enabled()
    torch.set_grad_enabled(True)  # for other tests
    assert enabled, "gradients were enabled, but after Streaming(model) they are disabled"
    layer = model.transformer.h[0].attn.c_attn
    layer.register_forward_hook(lambda module, inputs, output: read.append(output.shape[:2]))
    counts = []
    for idx in parts:
        with torch.no_grad():
            wanted = small_gpt()(torch.tensor(idx)).numpy()[:, -1]
            del read[:]
            given = torch.tensor(idx)
            found = streaming(given)
            kind = type(found).__name__
            assert isinstance(found, torch.Tensor), f"a Tensor is wanted, not a {kind}"
            found = found.numpy()
            assert not torch.is_grad_enabled(), "a call under no_grad has enabled gradients"
        np.testing.assert_array_equal(given.numpy(), idx, err_msg="the tokens are left alone")
        assert found.shape == wanted.shape, (
            f"tokens {idx.shape}: logits of the next token, {wanted.shape}, not {found.shape}"
        )
        np.testing.assert_allclose(
            found,
            wanted,
            atol=1e-4,
            err_msg=f"{case}:\nlogits of call {len(counts) + 1}, of {idx.shape[1]} tokens; "
            f"the cache then holds {getattr(streaming.cache, 'length', 0)}",
        )
        counts.append(sum(int(shape[1]) for shape in read))
    free = all(parameter.requires_grad for parameter in model.parameters())
    assert free, "the model's parameters required gradients, but after the calls they do not"
    return counts


def some_tokens(rows, length, seed=0):
    return np.random.default_rng(seed).integers(0, 13, (rows, length))


def check_read(parts, wanted, said=""):
    case = f"calls with (texts, tokens) {', '.join(str(part.shape) for part in parts)}{said}"
    found = stream(parts, case)
    assert found == wanted, f"{case}:\nthe model reads {wanted} positions of each text, not {found}"


@pytest.mark.stub("streaming", points=8)
def test_a_call_returns_the_logits_of_the_next_token():
    check_read([some_tokens(2, 5)], [5])


@pytest.mark.stub("streaming", points=8)
def test_of_a_text_that_goes_on_only_what_is_new_is_read():
    for rows in (1, 3):
        idx = some_tokens(rows, 16)
        check_read([idx[:, :t] for t in (5, 6, 7, 11, 16)], [5, 1, 1, 4, 5])
        check_read([idx[:, :t] for t in (1, 3)], [1, 2])


@pytest.mark.stub("streaming", points=8)
def test_another_text_is_read_from_its_beginning():
    one = some_tokens(2, 12)
    other, turned, changed = (one + 1) % 13, one.copy(), one.copy()
    said = "; every token of the second and third is another"
    check_read([one[:, :5], other[:, :6], other[:, :7], one[:, :6]], [5, 6, 1, 6], said)
    changed[:, 0] = other[:, 0]
    said = "; from the second on, token 0 of each text is another"
    check_read([one[:, :5], changed[:, :6]], [5, 6], said)
    turned[:, :5] = one[:, 4::-1]
    said = "; the second begins with the tokens of the first in another order"
    check_read([one[:, :5], turned[:, :6]], [5, 6], said)


@pytest.mark.stub("streaming", points=8)
def test_one_text_of_several_may_be_another():
    for text, place in ((0, 0), (0, 5), (2, 5), (2, 3), (2, 0), (99, 3)):
        idx = some_tokens(3 if text < 3 else 200, 10)
        changed = idx.copy()
        changed[text, place] = (changed[text, place] + 1) % 13
        said = f"; from the second on, token {place} of text {text} is another"
        check_read([idx[:, :6], changed[:, :7], changed[:, :8]], [6, 7, 1], said)


@pytest.mark.stub("streaming", points=8)
def test_a_shorter_text_is_read_anew():
    idx = some_tokens(2, 10)
    check_read([idx[:, :6], idx[:, :4], idx[:, :5]], [6, 4, 1])


@pytest.mark.stub("streaming", points=8)
def test_the_same_text_again_is_read_anew():
    idx = some_tokens(2, 10)
    check_read([idx[:, :5], idx[:, :5], idx[:, :6]], [5, 5, 1])


@pytest.mark.stub("streaming", points=8)
def test_more_or_fewer_texts_are_read_anew():
    idx = some_tokens(4, 10)
    said = "; the second are alike, and begin as the first"
    check_read([idx[:1, :5], idx[[0, 0], :6]], [5, 6], said)
    check_read([idx[:2, :5], idx[:4, :6], idx[:1, :7], idx[:1, :8]], [5, 6, 7, 1])


@pytest.mark.stub("streaming", points=8)
def test_after_a_call_that_failed_a_text_is_right():
    text = torch.tensor(some_tokens(1, 19))
    for which, long in (("another", torch.tensor(some_tokens(1, 19, 1))), ("the same", text)):
        model, lengths = Streaming(small_gpt()), []
        with torch.no_grad():
            model(text[:, :5])
            for length in (17, 18, 19):  # the model takes 16
                with contextlib.suppress(ValueError):
                    model(long[:, :length])
                    lengths.append(length)
            wanted, found = small_gpt()(text[:, :6]).numpy()[:, -1], model(text[:, :6]).numpy()
        case = f"a text of 5 tokens, then {which} with 17, 18 and 19; the model takes 16"
        assert not lengths, f"{case}, so each fails with its ValueError, but not {lengths}"
        case = f"{case}, so these fail; then the first with 6"
        np.testing.assert_allclose(found, wanted, atol=1e-4, err_msg=case)


@pytest.mark.stub("streaming", points=8)
def test_tokens_that_the_caller_changes_afterwards_do_no_harm():
    model, idx = Streaming(small_gpt()), torch.tensor(some_tokens(1, 8))
    with torch.no_grad():
        model(idx[:, :5])
        idx[0, 2] = (idx[0, 2] + 1) % 13
        wanted = small_gpt()(idx[:, :6]).numpy()[:, -1]
        found = model(idx[:, :6]).numpy()
    np.testing.assert_allclose(
        found,
        wanted,
        atol=1e-4,
        err_msg="keep a copy of what was seen: the caller wrote into it",
    )


class Noting(nn.Module):
    """A teacher of two classes, which records what it is asked."""

    def __init__(self, weight=0.6):
        super().__init__()
        signs = np.float32([[1, -1], [-1, 1]])
        self.weight = nn.Parameter(torch.tensor(weight * signs))
        self.asked, self.modes = [], []

    def forward(self, x):
        self.asked.append(x.numpy().copy())
        self.modes.append((torch.is_grad_enabled(), self.training))
        halves = torch.cat([x[:, :, :3].mean((1, 2, 3))[:, None], x[:, :, 3:].mean((1, 2, 3))[:, None]], 1)
        return halves @ self.weight + torch.tensor([1.0, 0.0])


def taught(steps=20, weight=0.6, **options):
    torch.manual_seed(0)
    images = np.random.default_rng(0).random((40, 1, 6, 6)).astype(np.float32)
    images[:20, :, :3] += 1
    images[20:, :, 3:] += 1
    kept, teacher = images.copy(), Noting(weight).eval()
    teacher.weight.grad = torch.full((2, 2), 0.5)  # left from its own training
    student = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.Dropout(0.1), nn.Linear(8, 2))

    def same_number(module, inputs, output):
        numbers = [len(x) for x in (*teacher.asked[-1:], inputs[0])]
        assert len(set(numbers)) == 1, f"teacher and student get the same images, not {numbers}"

    student.register_forward_hook(same_number)
    found = teach(student, teacher, images, steps, **options)
    enabled = torch.is_grad_enabled()
    torch.set_grad_enabled(True)  # for other tests
    assert enabled, "gradients were enabled, but after teach they are disabled"
    assert found is student, "the student itself is trained and returned, not a copy"
    np.testing.assert_array_equal(images, kept, err_msg="the images belong to the caller")
    return found, teacher, kept


@pytest.mark.stub("teach", points=9)
def test_the_teacher_is_asked_and_not_taught():
    _, teacher, _ = taught()
    kept = np.float32([[0.6, -0.6], [-0.6, 0.6]])
    assert teacher.modes, "each step asks the teacher; it was never asked"
    same = np.array_equal(teacher.weight.detach().numpy(), kept)
    assert same, "the teacher's weights must not change"
    grad = teacher.weight.grad
    assert grad is not None, "the gradient that the teacher had before is kept, not cleared"
    same = bool((grad.numpy() == 0.5).all())
    assert same, "the teacher gets no gradient; the one it had before stays as it is"
    assert teacher.weight.requires_grad, "the teacher's requires_grad is as it was: True"
    grads, trains = {mode[0] for mode in teacher.modes}, {mode[1] for mode in teacher.modes}
    assert grads == {False}, "run the teacher under no_grad: no gradient flows back through it"
    assert trains == {False}, "the teacher stays in evaluation mode"
    assert not teacher.training, "after teach the teacher is in evaluation mode, as before"


@pytest.mark.stub("teach", points=9)
def test_every_step_has_fresh_images():
    for steps, batch in ((20, 30), (7, 10)):
        _, teacher, images = taught(steps, batch=batch)
        shapes = [len(x) for x in teacher.asked]
        assert shapes == [batch] * steps, (
            f"steps={steps}, batch={batch}: the teacher is asked {steps} times for {batch} "
            f"images, not for {shapes}"
        )
        shown = [{image.tobytes() for image in x} for x in teacher.asked]
        all_shown, old = set.union(*shown), {image.tobytes() for image in images}
        plain = all_shown <= old
        assert not plain, "fresh images must be used, not the original ones"
        bare = bool(np.isin(teacher.asked[1], images).mean() > 0.5)
        assert not bare, "fresh_images adds noise to all pixels, as it does without options"
        same = shown[0] == shown[1]
        assert not same, (
            "every step draws images, and passes them through fresh_images; the second shows "
            "exactly those of the first"
        )
        again = bool(shown[0] & shown[1])
        assert not again, (
            "every step passes its images through fresh_images, with its defaults; the second "
            "shows some that the first has shown, and the same in every pixel"
        )
        alike = any(len(step) < batch for step in shown)
        assert not alike, (
            "first images are drawn, then fresh_images makes each of them new; here one step "
            "shows the same image twice, and the same in every pixel"
        )
        different = len(all_shown - old) == steps * batch
        assert different, f"in {steps} steps an image is shown twice, or as it was, in every pixel"


@pytest.mark.stub("teach", points=9)
def test_the_images_are_moved():
    images, teacher = np.zeros((64, 1, 6, 6), np.float32), Noting().eval()
    images[:, :, 2, 2] = 9
    teach(nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), teacher, images, 2)
    places = {int(image.argmax()) for x in teacher.asked for image in x}
    assert len(places) == 9, (
        f"fresh_images moves an image to 9 places, as it does without options; the one bright "
        f"pixel was seen in {len(places)}"
    )


@pytest.mark.stub("teach", points=9)
def test_every_image_is_drawn_as_often():
    for N, steps, batch in ((12, 150, 4), (3, 3, 200)):
        images, teacher = np.float32([[[[n] * 6] * 6] for n in range(N)]), Noting().eval()
        teach(nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), teacher, images, steps, batch)
        drawn = np.concatenate(teacher.asked)[:, 0, 2, 2].round()  # a pixel tells which
        counts, even = [int((drawn == n).sum()) for n in range(N)], 600 // N
        assert not any(abs(count - even) >= 5 * even**0.5 for count in counts), (
            f"{N} images, {steps} steps with batch={batch}: each is drawn about {even} times, not {counts}"
        )
    images, teacher = np.float32([[[[n] * 6] * 6] for n in range(40)]), Noting().eval()
    teach(nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), teacher, images, 1, 40)
    different = len(set(teacher.asked[0][:, 0, 2, 2].round()))
    assert different < 40, (
        "a batch of 40 of 40 images holds each of them once; drawn with replacement, some "
        "come twice and others not at all"
    )


@pytest.mark.stub("teach", points=9)
def test_what_is_drawn_depends_on_the_seed():
    for seed, another in ((1, 2), (0, 1)):
        one, again, other = (taught(5, seed=n)[1].asked for n in (seed, seed, another))
        same = all(map(np.array_equal, one, again))
        assert same, f"seed={seed} twice shows the same images twice, and not others"
        different = (one[0] != other[0]).any()
        assert different, f"the seeds {seed} and {another} show the same images"
    torch.manual_seed(5)
    teach(Leaning(0.0, 0.0), Leaning(1.0, 0.0).eval(), np.zeros((4, 1, 6, 6), np.float32), 1)
    drawn = torch.rand(1).item()
    torch.manual_seed(5)
    assert drawn == torch.rand(1).item(), (
        "all is drawn by np.random.default_rng(seed), and torch's generator is left alone"
    )


@pytest.mark.stub("teach", points=9)
def test_the_student_learns_in_training_mode():
    student, modes = nn.Sequential(nn.Flatten(), nn.Linear(16, 2)), []
    student.register_forward_hook(lambda module, inputs, output: modes.append(module.training))
    student.eval()
    images = np.random.default_rng(0).random((9, 1, 4, 4)).astype(np.float32)
    teach(student, Noting().eval(), images, 3)
    assert len(modes) == 3, f"3 steps: the student is run once in each, not {len(modes)} times"
    assert all(modes), f"the student is in training mode at all 3 steps: it was {modes}"


class Leaning(nn.Module):
    """It answers the same for every image, and has a weight that changes nothing."""

    def __init__(self, *says):
        super().__init__()
        self.says = nn.Parameter(torch.tensor(says))
        self.spare = nn.Parameter(torch.ones(1))
        self.asked, self.was, self.grads = [], [], []

    def forward(self, x):
        self.asked.append(x.numpy().copy())
        self.was.append(self.now())
        logits = self.says + torch.zeros(len(x), len(self.says)) + 0 * self.spare
        if logits.requires_grad:
            logits.register_hook(lambda grad: self.grads.append(grad.numpy().copy()))
        return logits

    def now(self):
        return np.concatenate([part.detach().numpy() for part in (self.says, self.spare)])


@pytest.mark.stub("teach", points=9)
def test_the_loss_is_the_cross_entropy_with_the_teachers_probabilities():
    student, teacher = Leaning(0.0, 2.0, -2.0), Leaning(2.0, 0.0, 0.5).eval()
    teach(student, teacher, np.zeros((4, 1, 6, 6), np.float32), 3, batch=20)
    plain = any((x == 0).all() for x in student.asked)
    assert not plain, "pixels of 0 have noise in fresh images; the student saw some without"
    same = all(map(np.array_equal, student.asked, teacher.asked))
    assert same, "at each step teacher and student are shown the same images, the fresh ones"
    assert len(student.grads) == 3, "the loss has no gradient by what the student answers"
    p = F.softmax(torch.tensor([2.0, 0.0, 0.5]), 0).numpy()
    for was, grad in zip(student.was, student.grads):
        q = F.softmax(torch.tensor(was[:3]), 0).numpy()
        wanted = np.tile(q - p, (20, 1))
        grad = grad / np.linalg.norm(grad) * np.linalg.norm(wanted)  # it may have any factor
        np.testing.assert_allclose(
            grad[0], wanted[0], atol=0.002,
            err_msg=f"the teacher's probabilities are p = {p.round(3)}, the student's q = "
            f"{q.round(3)}.\nThe gradient of their cross-entropy by the student's logits is "
            "q - p (times any factor)",
        )  # fmt: skip
        np.testing.assert_allclose(grad, wanted, atol=0.002, err_msg="every image counts alike")
    check_last_gradient(student)


def check_last_gradient(student):
    left, last = student.says.grad, np.linalg.norm(student.grads[-1].sum(0))
    times = 0.0 if left is None else float(np.linalg.norm(left.numpy()) / last)
    alone = times < 1.5
    assert alone, (
        f"each step goes down its own gradient; after step {len(student.grads)} the student's "
        f"parameter has a gradient that is {times:.1f} times as large as that of the last loss"
    )
    smaller = 0 < times < 0.9
    assert not smaller, "the student's gradient is that of the loss, and not made smaller"


@pytest.mark.stub("teach", points=9)
def test_gradients_are_cleared_at_every_step():
    class Steep(Leaning):
        def forward(self, x):
            return 50 * super().forward(x)

    for steps in (2, 3, 4):
        student = Steep(0.0, 0.04, -0.04)
        teacher = Leaning(2.0, 0.0, 0.5).eval()
        teach(student, teacher, np.zeros((4, 1, 6, 6), np.float32), steps, batch=20)
        check_last_gradient(student)


@pytest.mark.stub("teach", points=9)
def test_each_image_has_the_teachers_answer_to_it():
    class Brightness(Leaning):
        def forward(self, x):
            return super().forward(x) + x[:, :1, 2, 2] * torch.tensor([3.0, 0.0])

    student, teacher = Leaning(0.0, 0.0), Brightness(0.0, 0.0).eval()
    images = np.float32([[[[n / 4 - 1] * 6] * 6] for n in range(8)])
    teach(student, teacher, images, 1, batch=12)
    slopes = 0.5 - 1 / (1 + np.exp(-3 * teacher.asked[0][:, 0, 2, 2]))  # q - p
    grad = student.grads[0][:, 0]
    grad = grad / np.linalg.norm(grad) * np.linalg.norm(slopes)
    own = bool(np.abs(grad - slopes).max() < 0.02)
    assert own, (
        "12 images, and the teacher is the surer of class 0 the brighter one is: by the "
        "gradient,\nsome are learned with its answer to another image"
    )


def leaned(lr, steps):
    """How far each step took what the student says, and by which share it shrank the spare."""
    student, images = Leaning(0.0, 0.0), np.zeros((4, 1, 6, 6), np.float32)
    teach(student, Leaning(20.0, 0.0).eval(), images, steps, batch=8, lr=lr)
    says, _, spare = np.transpose([*student.was, student.now()])
    return np.abs(np.diff(says)), -np.diff(spare) / spare[:-1]


@pytest.mark.stub("teach", points=9)
def test_the_optimizer_is_adamw_with_its_default_weight_decay():
    steps, shrunk = leaned(0.005, 100)
    moved, shrunk = float(steps.sum()), float(shrunk.sum())
    assert moved > 0, "after 100 steps with lr=0.005 the student's weights are what they were"
    still = [int(step) + 1 for step in np.flatnonzero(steps[:80] == 0)[:3]]
    assert not still, f"the rate is 0 at most at the end: of 100 steps, {still} moved nothing"
    assert 0.005 * moved < shrunk < 0.02 * moved, (
        f"lr=0.005, 100 steps: in all a weight with a gradient moves by {moved:.2g}. So AdamW "
        f"with its\ndefault decay of 0.01 shrinks a weight without one by about "
        f"{0.01 * moved:.1%}, not by {shrunk:.1%}"
    )


@pytest.mark.stub("teach", points=9)
def test_one_optimizer_takes_all_the_steps():
    class Fading(Leaning):
        def forward(self, x):
            logits = super().forward(x)
            return logits if len(self.asked) <= 10 else 0 * logits

    student, images = Fading(0.0, 0.0), np.zeros((4, 1, 6, 6), np.float32)
    teach(student, Leaning(20.0, 0.0).eval(), images, 40, batch=8)
    steps = np.abs(np.diff([says for says, *_ in (*student.was, student.now())]))
    share = float(steps[10] / steps[9])
    on = share > 0.3
    assert on, (
        "from the 11th of 40 steps on the gradient is 0: AdamW remembers those before, and "
        f"its 11th step is nearly as long as the 10th;\nhere it has {share:.0%} of that length"
    )


@pytest.mark.stub("teach", points=9)
def test_the_rate_is_passed_on_and_falls():
    for lr, steps in ((0.002, 150), (0.005, 100)):
        rates = leaned(lr, steps)[1] / 0.01  # AdamW's decay is 0.01 times the rate
        largest, last = float(rates.max()), float(rates[-1])
        assert 0.8 < largest / lr < 1.05, (
            f"lr={lr}, {steps} steps: the largest rate of a step is lr, not {largest:.2g}"
        )
        assert last < lr / 20, (
            f"lr={lr}, {steps} steps: the rate of the last step is less than a twentieth of "
            f"lr, {lr / 20:.2g}, not {last:.2g}"
        )


@pytest.mark.stub("teach", points=9)
def test_the_student_learns_the_teachers_probabilities():
    for weight in (0.6, 3.0):  # a teacher that is unsure, and one that is certain
        student, teacher, images = taught(100, weight)
        x = torch.tensor(images)
        with torch.no_grad():
            wanted = F.softmax(teacher(x), 1).numpy()
            said = F.softmax(student(x), 1).numpy()
        off = np.abs(said - wanted).mean()
        assert off < 0.05, (
            f"after 100 steps the student's probabilities are off by {off:.3f} on average; "
            f"the teacher's begin with {wanted[0].round(2)}"
        )
        assert not student.training, "the student must be returned in evaluation mode"
