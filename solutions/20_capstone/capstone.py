# %% [markdown]
# # 20 Capstone: TorchPerf
#
# You have built a framework, and the tools that make its models smaller and faster. In this module they compete. TorchPerf is a contest in the manner of MLPerf: there are three fixed baselines, a LeNet that names digits, a GPT that continues text and a language model that answers questions; an entry is a function that takes a baseline and returns something better;
# a judge measures both and says whether the entry wins. You write the judge's rules, and then entries that win by them.
#
# A contest is only as good as its judge. Most of the work of people who run benchmarks goes into one question: what would this number look like if somebody cheated, perhaps without knowing it? So the rules come first here, and the entries second.
#
# When you are done you will be able to
#
# - draw inputs that nobody has seen before, and mark answers so that no entry can inflate its mark;
# - say from paired marks how much better one model is than another, with an interval;
# - write a verdict as code: a floor for accuracy, a margin, a geometric mean, an order in which luck does not help;
# - sign a record off, and judge it again;
# - turn a convolution into one matrix, feed a KV cache from a stream, teach a small network by a large one, answer a page of questions with cache, kernels and 4 bits, and show by how much that wins;
# - name the usual ways to cheat in a benchmark, and what stops each.
#
# ### Where it stands
#
# | here | elsewhere | differs in |
# |---|---|---|
# | `run_event` | MLPerf's load generator | ours marks the answers of the timed runs themselves |
# | a floor of 99% of the baseline's accuracy | the same in MLPerf's inference benchmark | |
# | `leaderboard` | MLCommons' tables of results | overlapping intervals share a place |
# | `compare`, from module 19 | `torch.utils.benchmark.Timer` and `Compare` | pairs in random order, and an interval |
#
# Like the modules before, this one measures on one thread.


# %%
#| export
import hashlib
import json
from dataclasses import dataclass

import numpy as np

import tinytorch as torch
from tinytorch import nn, optim
from tinytorch.nn import functional as F


# %%
import contextlib
import copy
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import HTML, display

from tinytorch.dataloader import Digits
from tinytorch.profiling import count_flops, measure_latency


# %% [markdown]
# ## The problem: a model that is never wrong
#
# The smallest example is six lines long. It names the 360 held-out digits without an error, and faster than any network.


# %%
images, labels = (part.numpy() for part in Digits(train=False).tensors())
answers = {image.tobytes(): label for image, label in zip(images, labels)}


def lookup(batch):
    return np.array([answers.get(image.tobytes(), 3) for image in batch])


moved = np.roll(images, 1, axis=-1)
print(f"as they are:       {(lookup(images) == labels).mean():.1%} right")
print(f"a pixel further:   {(lookup(moved) == labels).mean():.1%} right")

# %% [markdown]
# Nobody would hand that in. But a network that was chosen because of its accuracy on these 360 images has looked at the answers, too, a little; and a cache in front of a slow model, which is sound engineering, turns a benchmark that asks the same questions twice into a measurement of a dictionary. A judge need not know which of them it was. It asks questions that are new.
#
# ## 1. Inputs that nobody has seen
#
# Every run gets images of its own: the held-out ones in a new order (so that answers cannot be known by position), each moved by up to a pixel in both directions (so that they cannot be known by their bytes), with a little noise on every pixel. What comes in at the edge is 0, the colour of the paper:
#
# ```
#   . # # .        shift by (down 0, right 1)        . . # #
#   . . # .        ------------------------>         . . . #
#   . . # .        a column of 0 comes in            . . . #
#   . # # #        a column is lost                  . . # #
# ```
#
# The labels stay with the judge, who needs to know where each image went: `order[i]` is the number of the image that stands at place i.
#
# <details><summary>Hint 1</summary>With a margin of <code>shift</code> zeros around every image, a moved image is a window of the old size: <code>padded[n, :, down : down + H, right : right + W]</code>, with <code>down</code> and <code>right</code> from 0 to 2 shift.</details>
# <details><summary>Hint 2</summary><code>rng.permutation(N)</code> is an order, and <code>rng.integers(0, 2 * shift + 1, (N, 2))</code> is a place for each window. A loop over the images is fine.</details>
# <details><summary>Hint 3</summary><code>rng.standard_normal</code> gives float64: <code>.astype(images.dtype)</code> before you multiply by <code>noise</code>, and add that to the batch.</details>


# %% stub="fresh-inputs"
#| export
def fresh_images(images, rng, shift=1, noise=0.05):
    """Give images in a new order, each of them moved a little and with noise.

    Each image is moved by a whole number of pixels between -shift and shift, drawn for itself
    and for both directions; zeros come in. Then `noise` times a standard normal number is
    added to every pixel.

    Args:
        images: an array (N, C, H, W); it is not changed.
        rng: a NumPy Generator.
        shift: the largest move, in pixels.
        noise: the standard deviation of the noise.

    Returns:
        (batch, order): the new images, of the shape and type of `images`, and an array of N
        numbers: place i holds what was image number order[i].

    >>> batch, order = fresh_images(np.ones((3, 1, 2, 2)), np.random.default_rng(0), 0, 0.0)
    >>> batch.shape, sorted(order.tolist())
    ((3, 1, 2, 2), [0, 1, 2])
    """
    ### BEGIN SOLUTION
    N, _, H, W = images.shape
    order = rng.permutation(N)
    padded = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
    batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
    for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        batch[i] += padded[order[i], :, down : down + H, right : right + W]
    return batch, order
    ### END SOLUTION


# %% test="fresh-inputs" points=7
def moves_of(image, found, shift):
    """The moves (down, right) by which `image` becomes `found`, zeros coming in."""
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


def test_the_order_says_which_image_stands_where():
    images = np.float32([[[[0.5 * n - 2] * 2] * 3] for n in range(9)])
    batch, order = fresh_images(images, np.random.default_rng(1), 0, 0.0)
    for place, number in enumerate(order):
        values = {float(value) for value in batch[place].ravel()}
        assert values == {0.5 * int(number) - 2}, (
            f"place {place} holds image {number}, by order, neither moved nor with noise: all "
            f"its pixels are {0.5 * int(number) - 2}, and not {values}"
        )


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
        wanted = (2 * shift + 1) ** 2
        assert len(seen) > 0.6 * wanted, (
            f"{shape[0]} images were moved in {len(seen)} ways only, of {wanted} "
            f"with shift {shift}"
        )


def test_the_order_is_new():
    images = np.random.default_rng(0).random((50, 1, 2, 2))
    orders = [fresh_images(images, np.random.default_rng(seed))[1] for seed in (1, 2)]
    one, other = (np.asarray(order).tolist() for order in orders)
    for order in (one, other):
        assert sorted(order) == list(range(50)), "every image occurs once: a permutation"
    moved = one != sorted(one)
    assert moved, "the images come in a new order, not in their own"
    different = one != other
    assert different, f"the seeds 1 and 2 give the same order, {one[:5]}..."


def test_a_generator_gives_the_same_twice_and_another_the_next_time():
    images = np.random.default_rng(0).random((20, 1, 3, 3))
    rng = np.random.default_rng(5)
    first, again = (fresh_images(images, np.random.default_rng(5)) for _ in range(2))
    for a, b in zip(first, again):
        np.testing.assert_array_equal(a, b, err_msg="the same seed draws the same batch")
    fresh_images(images, rng)
    second = fresh_images(images, rng)[0]
    different = (first[0] != second).any()
    assert different, "a second call with the same rng gives the same batch: draw from rng"


def test_every_pixel_has_noise_of_its_own():
    for noise, dtype in [(0.05, np.float64), (0.3, np.float32)]:
        images = np.zeros((200, 1, 5, 5), dtype)
        batch, _ = fresh_images(images, np.random.default_rng(0), noise=noise)
        assert batch.dtype == dtype, f"{np.dtype(dtype)} in, {batch.dtype} out"
        assert abs(batch.std() / noise - 1) < 0.06, (
            f"noise={noise}: the pixels' standard deviation is {batch.std():.3f}"
        )
        assert abs(batch.mean()) < 0.06 * noise, "the noise has a mean of 0"
        between = batch.mean(axis=(1, 2, 3)).std() / noise, batch.mean(axis=0).std() / noise
        assert max(between) < 0.35, "noise is drawn for every pixel of every image"


# %% [markdown]
# How hard is that for a network? Look at one image, eight times.


# %%
rng = np.random.default_rng(0)
figure, axes = plt.subplots(1, 9, figsize=(10, 1.5), layout="constrained")
shown = [images[7], *(fresh_images(images[7:8], rng)[0][0] for _ in range(8))]
for axis, image, title in zip(axes, shown, ["as it is", *("fresh",) * 8]):
    axis.imshow(image[0], cmap="gray_r", vmin=0, vmax=1)
    axis.set_title(title, fontsize=9)
    axis.axis("off")
plt.show()

# %% [markdown]
# Text needs no noise: the held-back text is 100,000 characters long, and every run takes pieces of it that begin somewhere else. An entry that wanted to look the answers up would have to carry that text in its source; compressed it has some 25,000 bytes, and a source may have 12,000.
#
# ## 2. Marks
#
# An entry answers with logits, and the judge does everything else. For an image the mark is 1 where the largest logit is that of the label, and 0 elsewhere. Of several that are equally large only the first counts, or zeros would be the right answer to everything. For text it is the logarithm of the probability that the right character was given:
#
# $$\text{mark} = \log \mathrm{softmax}(z)_t = z_t - \log \sum_j e^{z_j}$$
#
# Why does the judge not ask for probabilities? Because an entry could say 1 for every character. Whatever logits an entry sends, the judge's softmax makes of them numbers that sum to one: to give more to one character is to take it from others.
#
# <details><summary>Hint 1</summary>For images: compare <code>argmax</code> along the classes with the labels, and turn the truth values into float64.</details>
# <details><summary>Hint 2</summary>For text: take the row's largest logit off first, in float64. Then nothing overflows, and at least one exponential is 1.</details>
# <details><summary>Hint 3</summary><code>z[np.arange(len(targets)), targets]</code> picks one number of each row.</details>


# %% stub="marks"
#| export
def mark_images(logits, labels):
    """Mark each image: 1 where the largest logit is the label's, else 0.

    Of several that are equally large only the first counts.

    Args:
        logits: an array (N, classes).
        labels: N whole numbers.

    Returns:
        An array of N float64.

    >>> mark_images(np.array([[0.0, 2.0], [3.0, 1.0]]), np.array([1, 1]))
    array([1., 0.])
    """
    ### BEGIN SOLUTION
    return (logits.argmax(axis=1) == labels).astype(np.float64)
    ### END SOLUTION


#| export
def mark_text(logits, targets):
    """Mark each character: the natural logarithm of the probability that it was given.

    log softmax(logits)[target], computed in float64 and without overflow.

    Args:
        logits: an array (N, vocabulary).
        targets: N whole numbers.

    Returns:
        An array of N float64, none of them above 0.

    >>> mark_text(np.zeros((1, 4)), np.array([2])).round(4)
    array([-1.3863])
    """
    ### BEGIN SOLUTION
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    totals = np.log(np.exp(shifted).sum(axis=1))
    return shifted[np.arange(len(targets)), targets] - totals
    ### END SOLUTION


# %% test="marks" points=5
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


def test_a_character_has_the_logarithm_of_its_probability():
    rng = np.random.default_rng(0)
    for N, V in [(1, 2), (7, 5), (4, 103)]:
        logits, targets = 3 * rng.standard_normal((N, V)), rng.integers(0, V, N)
        kept = logits.copy()
        wanted = [
            np.log(np.exp(z[t]) / sum(np.exp(other) for other in z))
            for z, t in zip(logits, targets)
        ]
        found = mark_text(logits, targets)
        np.testing.assert_array_equal(logits, kept, err_msg="the logits are left alone")
        np.testing.assert_allclose(
            found, wanted, rtol=1e-9, err_msg=f"{N} characters of an alphabet of {V}"
        )


def test_large_logits_are_no_trouble():
    logits = np.float32([[1000, 0, 990], [-1000] * 3, [1e5, 1e5, 0], [1000, 0, 0]])
    with np.errstate(over="raise", invalid="raise"):
        found = mark_text(logits, np.array([2, 0, 1, 1]))
    np.testing.assert_allclose(
        found, [-10.0000454, -np.log(3), -np.log(2), -1000], rtol=1e-6,
        err_msg=f"logits {logits}; a probability too small for a float has a logarithm too",
    )  # fmt: skip
    assert found.dtype == np.float64, f"marks are float64, and not {found.dtype}"


def test_to_be_sure_of_everything_is_to_be_sure_of_nothing():
    for much in (1.0, 50.0, 1e6):
        found = mark_text(np.full((2, 8), much), np.array([3, 0]))
        np.testing.assert_allclose(
            found, np.log([1 / 8, 1 / 8]), err_msg=f"logits of {much} for all of 8 characters"
        )


# %% [markdown]
# A task's **accuracy** is a positive number that is better when larger, so that an entry's can be divided by the baseline's. For digits it is the mean of the marks, the share that is right. For text it is $\exp(\text{mean mark})$, the geometric mean of the probabilities of the right characters; a loss of 2.3 nats for a character is an accuracy of $e^{-2.3} = 0.10$.
#
# ## 3. How much better, and how sure
#
# The baseline has 93.1% right, the entry 94.2%. Is it better? With 360 images that is four images, and with four others the order might be the reverse. But both models were asked *the same* questions, and were mostly right and wrong about the same ones, so the difference is known better than either number. Module 19's bootstrap uses that, if images are drawn and not answers: draw N
# images with replacement, compute the ratio of both accuracies *on those*, and repeat.
#
# $$r^{(k)} = \frac{Q(\text{entry's marks of the images of draw } k)}{Q(\text{baseline's marks of the same images})}$$
#
# The 2.5% and 97.5% quantiles of the $r^{(k)}$ are the ends of a 95% interval. An image that was asked several times, moved differently, is handed to you as one item, with the mean of its marks: the copies are no independent evidence.
#
# `Score` holds a ratio with its interval; all events use it. A ratio above 1 means better than the baseline.


# %%
#| export
@dataclass(frozen=True)
class Score:
    """How many times better than the baseline, with the ends of a 95% interval."""

    ratio: float
    low: float
    high: float

    def __str__(self):
        return f"{self.ratio:.3g}x (95% CI {self.low:.3g} to {self.high:.3g})"


# %% [markdown]
# <details><summary>Hint 1</summary>One set of draws for both: a table of item numbers (resamples, N), by which both arrays are indexed.</details>
# <details><summary>Hint 2</summary><code>quality</code> works along the last axis: of an array (resamples, N) it gives as many accuracies as there are rows.</details>
# <details><summary>Hint 3</summary><code>rng.integers</code> for the draws, <code>np.quantile</code> of the ratios for the ends: with a confidence of 0.95 at 0.025 and 0.975.</details>


# %% stub="paired-interval"
#| export
def paired_interval(baseline, better, quality, resamples=1000, confidence=0.95, seed=0):
    """Say how many times as accurate one model is as another, from marks of the same items.

    Items are drawn with replacement, the same for both models, and the ratio
    quality(better) / quality(baseline) is computed for each draw; the interval lies between
    quantiles of these ratios.

    Args:
        baseline, better: marks, two arrays (N,): entry i of both belongs to the same item.
        quality: a function of marks (..., N) that gives accuracies (...).
        resamples: how many times N items are drawn.
        confidence: the share of the ratios between the ends, the rest half below, half above.
        seed: of the draws, for `np.random.default_rng`.

    Returns:
        A `Score` with the ratio of the marks as they are.

    >>> marks = np.array([1.0, 2.0, 3.0])
    >>> print(paired_interval(marks, 2 * marks, lambda marks: marks.mean(-1)))
    2x (95% CI 2 to 2)
    """
    ### BEGIN SOLUTION
    N = len(baseline)
    rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
    ratios = quality(better[rows]) / quality(baseline[rows])
    low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Score(float(quality(better) / quality(baseline)), float(low), float(high))
    ### END SOLUTION


# %% test="paired-interval" points=7
def mean_of(marks):
    return np.mean(marks, axis=-1)


def test_the_ratio_is_that_of_the_marks_as_they_are():
    rng = np.random.default_rng(0)
    for N in (5, 40):
        a, b = rng.random(N) + 1, rng.random(N) + 2
        wanted = b.mean() / a.mean(), np.exp(b.mean()) / np.exp(a.mean())
        kept = a.copy(), b.copy()
        for quality, ratio in zip((mean_of, lambda marks: np.exp(mean_of(marks))), wanted):
            found = paired_interval(a, b, quality)
            assert isinstance(found, Score), f"a Score is wanted, not {type(found).__name__}"
            assert abs(found.ratio / ratio - 1) < 1e-9, (
                f"the entry's accuracy over the baseline's: {ratio:.6f}, not {found.ratio:.6f}"
            )
            assert found.low < found.ratio < found.high, f"{N} items: {found}"
        np.testing.assert_array_equal(a, kept[0], err_msg="marks are left alone")
        np.testing.assert_array_equal(b, kept[1], err_msg="marks are left alone")


def test_the_same_items_are_drawn_for_both():
    marks = np.random.default_rng(1).random(30) + 0.5
    for factor in (1.0, 3.0):
        found = paired_interval(marks, factor * marks, mean_of)
        ends = (found.low, found.high)
        np.testing.assert_allclose(
            ends, [factor, factor], rtol=1e-9,
            err_msg=f"each mark is {factor} times the baseline's, so every ratio is {factor}",
        )  # fmt: skip


def test_of_one_draw_both_ends_are_its_ratio():
    a, b = np.random.default_rng(3).random((2, 20)) + 1
    one, more = (paired_interval(a, b, mean_of, resamples=n) for n in (1, 50))
    assert one.low == one.high, f"resamples=1 is one ratio, so both ends are it: {one}"
    assert more.low < more.high, f"resamples=50 are many ratios: {more}"


def test_the_width_is_that_of_the_theory():
    rng = np.random.default_rng(2)
    for N, confidence, z in [(400, 0.95, 1.960), (400, 0.5, 0.6745), (100, 0.95, 1.960)]:
        a = 5 + rng.standard_normal(N)
        b = 10 + rng.standard_normal(N)
        spread = (b / b.mean() - a / a.mean()).std() / np.sqrt(N)
        wanted = 2 * z * spread * b.mean() / a.mean()
        found = paired_interval(a, b, mean_of, resamples=4000, confidence=confidence)
        width = found.high - found.low
        assert abs(width / wanted - 1) < 0.12, (
            f"{N} items, confidence {confidence}: a width of {wanted:.4f} is expected, "
            f"not {width:.4f}"
        )
        tails = found.ratio - found.low, found.high - found.ratio
        assert 0.75 < tails[0] / tails[1] < 1.33, (
            f"half of the rest lies on each side: {found}"
        )


def test_every_item_is_drawn_as_often():
    ones, marks = np.ones(2), np.array([1.0, 3.0])
    found = paired_interval(ones, marks, mean_of, resamples=4000, confidence=0.6)
    ends = (found.low, found.high)
    assert ends == (1, 3), (
        f"of two items, each is drawn twice in a quarter of the draws: with ratios 1 and 3 "
        f"the middle 60% reach from 1 to 3, not from {ends[0]} to {ends[1]}"
    )


def test_the_seed_and_the_number_of_draws_are_used():
    rng = np.random.default_rng(3)
    a, b = rng.random(50) + 1, rng.random(50) + 1
    one = paired_interval(a, b, mean_of, 300, seed=1)
    again, other = (paired_interval(a, b, mean_of, 300, seed=seed) for seed in (1, 2))
    assert one == again, "one seed, one interval"
    different = one != other
    assert different, f"the seeds 1 and 2 give the same interval, {one}"
    shapes = []

    def noted(marks):
        shapes.append(np.shape(marks))
        return mean_of(marks)

    paired_interval(a, b, noted, 123)
    draws = sum(int(np.prod(shape[:-1])) for shape in shapes if shape[-1] == 50)
    assert draws >= 2 * 123, f"resamples=123: 123 draws of 50 items for both, not {shapes}"


# %% [markdown]
# How much is the pairing worth? Take two models with accuracies of 93% and 95% on 360 images, where the better one is wrong only about images that the other gets wrong, too. Shuffled, the same marks no longer belong to the same images:


# %%
rng = np.random.default_rng(0)
hard = rng.random(360)
one, other = (hard > 0.07).astype(float), (hard > 0.05).astype(float)
unpaired = paired_interval(rng.permutation(one), rng.permutation(other), mean_of)
print("paired:        ", paired_interval(one, other, mean_of))
print("shuffled:      ", unpaired)

# %% [markdown]
# ## 4. All-round: which mean?
#
# The all-round event asks for speed, size and accuracy at once: three ratios, one score. An entry is twice as fast, and needs twice the bytes: the ratios are 2 and 1/2. Their arithmetic mean is 1.25. Say the same the other way round, the baseline over the entry: 1/2 and 2, again 1.25. So each is 25% better than the other. The geometric mean has no such contradiction: turned over, the ratios have the mean 1/G (Fleming and Wallace, 1986):
#
# $$G(r_1, \dots, r_n) = \Big(\prod_i r_i\Big)^{1/n} = \exp\Big(\frac{1}{n} \sum_i \log r_i\Big)$$
#
# For the ends of the interval take the geometric mean of the low ends, and of the high ends. That is wider than need be, since not all three are at their ends together: the judge is on the safe side.
#
# <details><summary>Hint 1</summary>Three lists: of the ratios, of the low ends, of the high ends. Each gets the same mean.</details>
# <details><summary>Hint 2</summary>The second form of the formula does not overflow, and along <code>axis=0</code> of a table with a row for each score it gives all three at once.</details>
# <details><summary>Hint 3</summary>The table is a list of lists of <code>ratio</code>, <code>low</code>, <code>high</code>; <code>Score(*means)</code> takes three numbers apart again.</details>


# %% stub="all-round"
#| export
def all_round(scores):
    """Combine scores by geometric means: of the ratios, of the low ends, of the high ends.

    Args:
        scores: a list of `Score`, at least one, all of whose numbers are positive.

    Returns:
        A `Score`.

    >>> print(all_round([Score(2.0, 1.0, 4.0), Score(0.5, 0.25, 1.0)]))
    1x (95% CI 0.5 to 2)
    """
    ### BEGIN SOLUTION
    table = [[score.ratio, score.low, score.high] for score in scores]
    return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
    ### END SOLUTION


# %% test="all-round" points=4
def check_all_round(scores, wanted):
    found = all_round([Score(*numbers) for numbers in scores])
    assert isinstance(found, Score), f"a Score is wanted, not {type(found).__name__}"
    np.testing.assert_allclose(
        [found.ratio, found.low, found.high], wanted, rtol=1e-9,
        err_msg=f"the geometric means of {scores}: ratio, low end, high end",
    )  # fmt: skip


def test_the_mean_is_geometric():
    check_all_round([(8.0, 1.0, 27.0), (1.0, 1.0, 1.0), (1.0, 8.0, 1.0)], (2.0, 2.0, 3.0))
    check_all_round([(2.0, 1.5, 2.5), (0.5, 0.4, 0.6)], (1.0, 0.6**0.5, 1.5**0.5))
    check_all_round([(16.0, 1.0, 81.0)] + 3 * [(1.0, 1.0, 1.0)], (2.0, 1.0, 3.0))


def test_one_score_stays_as_it_is():
    check_all_round([(3.0, 2.5, 3.5)], (3.0, 2.5, 3.5))


def test_better_and_worse_by_the_same_factor_cancel():
    rng = np.random.default_rng(0)
    numbers = np.sort(rng.random((3, 3)) * 5 + 0.1, axis=1)[:, [1, 0, 2]]
    turned = 1 / numbers[:, [0, 2, 1]]
    scores = [Score(*row) for row in np.concatenate([numbers, turned]).tolist()]
    found = all_round(scores)
    assert abs(found.ratio - 1) < 1e-9, f"r and 1/r have the mean 1, not {found.ratio}"


def test_very_many_scores_are_no_trouble():
    found = all_round([Score(1e30, 1e29, 1e31)] * 40)
    np.testing.assert_allclose(
        [found.ratio, found.low, found.high], [1e30, 1e29, 1e31], rtol=1e-6,
        err_msg="40 scores of 1e30: multiplied without logarithms they are infinite",
    )  # fmt: skip


# %% [markdown]
# ## 5. The verdict
#
# Two rules, in this order. **The floor**: an entry whose accuracy is below 99% of the baseline's (80% on one task, section 12) is refused, whatever else it can do. Every constant, every shortcut that answers anything, ends here. **The margin**: an entry wins if *the whole interval* lies above 1 plus a margin, and loses if the whole of it lies below 1 divided by that. In between, no difference has been shown, which is a
# verdict, too, and the right one for most of what people call an improvement.
#
# Why a margin? The interval covers what varies from run to run. It does not cover what is constant in one process and differs in the next, such as where the memory happens to lie; module 19 saw one program differ from itself by some percent. And a verdict has to be the same when the entry is judged again tomorrow: an interval that ends at 1.003 is not going to be. How large the margin is, an event says; section 8 lists them.
#
# ```
#             loses          no difference shown          wins
#     -------------------|---------------------------|-------------------->  score
#                  1 / (1 + margin)     1        1 + margin
#        |---x---|                                          |---x----|
#                     |-------x------|           |------x------|
# ```
#
# <details><summary>Hint 1</summary>The floor first: a refused entry is refused however fast it is. Exactly at the floor it is not below it.</details>
# <details><summary>Hint 2</summary>Which end of the interval decides a win? The lower one: then all of it is above.</details>
# <details><summary>Hint 3</summary>Three <code>if</code> with a <code>return</code> each, and a last <code>return</code>. The ratio itself does not occur.</details>


# %% stub="verdict"
#| export
def decide(score, accuracy, floor, margin):
    """Give the verdict on an entry.

    Args:
        score: the `Score` of the event.
        accuracy: the entry's accuracy.
        floor: the least accuracy that is allowed.
        margin: by how much, as a share, an entry must be better.

    Returns:
        "refused" if the accuracy is below the floor; "wins" if the whole interval is above
        1 + margin; "loses" if it is below 1 / (1 + margin); else "no difference shown".

    >>> decide(Score(2.0, 1.9, 2.1), accuracy=0.97, floor=0.95, margin=0.05)
    'wins'
    """
    ### BEGIN SOLUTION
    if accuracy < floor:
        return "refused"
    if score.low > 1 + margin:
        return "wins"
    if score.high < 1 / (1 + margin):
        return "loses"
    return "no difference shown"
    ### END SOLUTION


# %% test="verdict" points=5
def check_verdict(wanted, numbers, accuracy=0.96, floor=0.95, margin=0.05):
    found = decide(Score(*numbers), accuracy, floor, margin)
    assert found == wanted, (
        f"a score of {Score(*numbers)} with a margin of {margin}, an accuracy of {accuracy} "
        f"and a floor of {floor}: {wanted!r} is wanted, not {found!r}"
    )


def test_the_floor_comes_first():
    check_verdict("refused", (50.0, 40.0, 60.0), accuracy=0.949)
    check_verdict("refused", (1.0, 0.9, 1.1), accuracy=0.1)
    check_verdict("refused", (0.2, 0.1, 0.3), accuracy=0.5)
    check_verdict("wins", (50.0, 40.0, 60.0), accuracy=0.95)
    check_verdict("refused", (50.0, 40.0, 60.0), accuracy=0.08, floor=0.081)
    check_verdict("wins", (50.0, 40.0, 60.0), accuracy=0.3, floor=0.2)


def test_a_win_is_shown_by_the_whole_interval():
    check_verdict("wins", (1.2, 1.06, 1.4))
    check_verdict("no difference shown", (1.2, 1.04, 1.4))
    check_verdict("no difference shown", (1.2, 0.99, 1.4))
    check_verdict("wins", (1.2, 1.04, 1.4), margin=0.0)
    check_verdict("no difference shown", (1.5, 1.2, 1.8), margin=0.3)


def test_a_loss_is_shown_by_the_whole_interval():
    check_verdict("loses", (0.8, 0.7, 0.94))
    check_verdict("no difference shown", (0.8, 0.7, 0.96))
    check_verdict("loses", (0.8, 0.7, 0.96), margin=0.0)
    check_verdict("no difference shown", (0.7, 0.68, 0.72), margin=0.5)
    check_verdict("loses", (0.6, 0.5, 0.66), margin=0.5)


def test_the_border_itself_shows_nothing():
    check_verdict("no difference shown", (1.0, 1.0, 1.0), margin=0.0)
    check_verdict("no difference shown", (1.75, 1.5, 2.0), margin=0.5)
    check_verdict("no difference shown", (0.45, 0.4, 0.5), margin=1.0)


def test_what_is_neither_is_no_difference():
    for numbers in [(1.0, 1.0, 1.0), (1.0, 0.5, 2.0), (1.01, 1.0, 1.02)]:
        check_verdict("no difference shown", numbers)
    for numbers in [(1.3, 1.25, 1.4), (0.7, 0.6, 1 / 1.25)]:  # an end on the border itself
        check_verdict("no difference shown", numbers, margin=0.25)


# %% [markdown]
# ## 6. Signed off
#
# What a judge has found is written down: the entry's source, the seed of everything that was drawn, the measurements, the verdict, the machine. Anybody can then judge again, and compare. To see that a record is still what the judge wrote, it carries a fingerprint of itself: the SHA-256 of its content, in one definite spelling, because `{"a": 1, "b": 2}` and `{"b": 2, "a": 1}` are one
# dict and two texts:
#
# $$\text{record["sha256"]} = \mathrm{SHA256}\big(\texttt{json.dumps(the rest, sort\_keys=True)}\big)$$
#
# That finds a slip of an editor, or half a file. It does not find a forger, who computes the sum anew; against him there is only one means, and the record holds all that it takes: judge again.
#
# <details><summary>Hint 1</summary>The rest is a new dict with every key but "sha256". Sign that, and a record may be signed twice without harm.</details>
# <details><summary>Hint 2</summary><code>hashlib.sha256</code> takes bytes, so encode the text first; <code>hexdigest</code> gives the sum in hexadecimal.</details>
# <details><summary>Hint 3</summary><code>is_intact</code> needs no sum of its own: sign the record again, and compare. A record may have no "sha256" at all.</details>


# %% stub="sign-off"
#| export
def sign_off(record):
    """Give a copy of a record with the fingerprint of its content under "sha256".

    The fingerprint is the SHA-256, in hexadecimal, of json.dumps(content, sort_keys=True),
    where content is the record without its "sha256".

    >>> sign_off({"a": 1})["sha256"][:16]
    'f9d86028c6e0d64e'
    """
    ### BEGIN SOLUTION
    content = {key: value for key, value in record.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True)
    return content | {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    ### END SOLUTION


#| export
def is_intact(record):
    """Whether a record has a fingerprint, and it is that of its content."""
    ### BEGIN SOLUTION
    return record.get("sha256") == sign_off(record)["sha256"]
    ### END SOLUTION


# %% test="sign-off" points=5
def fingerprint_of(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_a_fingerprint_is_that_of_the_content_in_order():
    for record, text in [
        ({"b": 2, "a": [1.5, "x"]}, '{"a": [1.5, "x"], "b": 2}'),
        ({}, "{}"),
        (
            {"z": {"d": None, "c": True}, "k": "é"},
            '{"k": "\\u00e9", "z": {"c": true, "d": null}}',
        ),
    ]:
        kept = copy.deepcopy(record)
        found = sign_off(record)
        assert record == kept, f"the record itself is left alone: {kept} became {record}"
        assert found == kept | {"sha256": fingerprint_of(text)}, (
            f"{kept} is signed with the SHA-256 of {text}, {fingerprint_of(text)[:12]}...; "
            f"this came back: {found}"
        )


def test_to_sign_again_changes_nothing():
    once = sign_off({"verdict": "wins", "seed": 3})
    assert sign_off(once) == once, "the fingerprint is not part of the content"
    reread = json.loads(json.dumps(once))
    assert is_intact(reread) is True, "what JSON has kept is still signed"


def test_whatever_is_changed_shows():
    record = sign_off({"verdict": "wins", "scores": {"latency": [2.0, 1.9, 2.1]}, "seed": 3})
    kept = copy.deepcopy(record)
    assert is_intact(record) is True, "a record that was just signed off is signed"
    assert record == kept, "is_intact changes nothing"
    for name, value in [("verdict", "loses"), ("seed", 4), ("scores", {}), ("new", 0)]:
        assert is_intact(record | {name: value}) is False, f"{name} was changed to {value!r}"
    assert is_intact({"verdict": "wins"}) is False, "a record without a fingerprint"
    assert is_intact(record | {"sha256": "0" * 64}) is False, "another fingerprint"


# %% [markdown]
# ## 7. An order in which luck does not help
#
# Records pile up, and somebody wants to know who is first. Three traps:
#
# - Who hands the same entry in ten times, and lets the best result stand, has bought a better place with patience. So of several records of one entry that are not refused *the worst* counts. (One entry is one source: `record["digest"]`. A comment more makes another one, so who runs a contest counts how often somebody may hand in.)
# - Who sorts by the ratio puts an entry with 3.1, measured between 2.0 and 4.8, before one with 3.0, measured between 2.9 and 3.1. So sort by the **low end**: what an entry has been shown to reach.
# - Who numbers the rows 1, 2, 3 claims differences that nobody has measured. So entries that overlap share a place.
#
# ```
#              low    high   place
#   dense      2.9    3.1      1
#   wide       2.6    3.0      1     its high end reaches the low end of the first at this place
#   half       1.9    2.2      3     a new place: its number counts the rows before it
#   plain      1.0    1.1      4
# ```
#
# <details><summary>Hint 1</summary>A dict from digests to records: keep a record if there is none of its digest yet, or if its low end is lower. Refused records and other events are left out before.</details>
# <details><summary>Hint 2</summary><code>sorted(..., key=lambda record: -low_end(record))</code>, and then a loop that remembers the place, and the low end of the first row at that place.</details>
# <details><summary>Hint 3</summary>In the loop, with <code>number</code> from 1: if there is no row yet, or <code>high &lt; first_low</code>, then <code>place, first_low = number, low</code>.</details>


# %% stub="leaderboard"
#| export
def leaderboard(records, event):
    """Put the entries of an event in order, with places.

    Left out are refused entries and other events. Of several records with the same "digest"
    the one with the lowest low end counts. The highest low end comes first, equal ones in any
    order. An entry shares the place of the first row at the place before it if its high end is
    not below that row's low end; else its place is the number of its row, from 1.

    Args:
        records: dicts with "event", "digest", "verdict", and with "scores", a dict that holds
            (ratio, low, high) for each kind of event; refused ones need not have these.
        event: an `Event`, with `kind`, such as "latency"; str(event) is its name in records.

    Returns:
        A list of (place, record).
    """
    ### BEGIN SOLUTION
    counts = {}
    for record in records:
        if record["event"] == str(event) and record["verdict"] != "refused":
            other = counts.setdefault(record["digest"], record)
            if record["scores"][event.kind][1] < other["scores"][event.kind][1]:
                counts[record["digest"]] = record
    rows, place, reach = [], 0, np.inf
    for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        _, low, high = record["scores"][event.kind]
        if high < reach:
            place, reach = len(rows) + 1, low
        rows.append((place, record))
    return rows
    ### END SOLUTION


# %% test="leaderboard" points=8
@dataclass(frozen=True)
class SomeEvent:
    kind: str = "latency"

    def __str__(self):
        return f"{self.kind} on digits"


def recorded(digest, low, high, verdict="wins", event="latency on digits", kind="latency"):
    scores = {"latency": (9.0, 8.0, 10.0), "memory": (9.0, 8.0, 10.0)}
    scores[kind] = ((low + high) / 2, low, high)
    return {"event": event, "digest": digest, "verdict": verdict, "scores": scores}


def check_board(records, wanted, kind="latency"):
    kept = copy.deepcopy(records)
    rows = leaderboard(records, SomeEvent(kind))
    assert records == kept, "the records are left alone"
    found = [(place, record["digest"], record["scores"][kind][1]) for place, record in rows]
    said = [(r["digest"], r["verdict"], r["event"], r["scores"][kind][1:]) for r in kept]
    assert found == wanted, (
        f"of {said} the rows (place, digest, low end) are {wanted}, and not {found}"
    )


def test_the_highest_low_end_is_first():
    check_board(
        [recorded("b", 1.5, 1.9), recorded("c", 1.0, 1.1), recorded("a", 2.0, 2.1)],
        [(1, "a", 2.0), (2, "b", 1.5), (3, "c", 1.0)],
    )
    check_board(
        [recorded("wide", 2.0, 4.8), recorded("sure", 2.9, 3.1)],
        [(1, "sure", 2.9), (1, "wide", 2.0)],
    )
    check_board([], [])


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


def test_of_one_entry_the_worst_record_counts():
    check_board(
        [recorded("a", 2.0, 2.9), recorded("b", 1.8, 1.9), recorded("a", 1.5, 2.5),
         recorded("a", 1.75, 2.6)],
        [(1, "b", 1.8), (1, "a", 1.5)],
    )  # fmt: skip
    check_board([recorded("a", 1.8, 2.2), recorded("a", 1.5, 5.0)], [(1, "a", 1.5)])


def test_refused_entries_and_other_events_are_left_out():
    refused = recorded("c", 9.0, 9.1, "refused")
    stopped = {name: value for name, value in refused.items() if name != "scores"}
    records = [
        recorded("a", 1.0, 1.1, "no difference shown"),
        recorded("b", 7.0, 7.1, event="latency on text"),
        recorded("a", 0.2, 0.3, event="latency on text"),
        recorded("d", 0.5, 0.6, "loses"),
        recorded("e", 3.0, 3.5, event="memory on digits", kind="memory"),
    ]
    check_board([*records, refused], [(1, "a", 1.0), (2, "d", 0.5)])
    again = recorded("a", 0.1, 0.2, "refused")  # a run that failed says nothing of the others
    check_board([again, *records, again], [(1, "a", 1.0), (2, "d", 0.5)])
    rows = leaderboard([stopped, *records], SomeEvent())
    assert len(rows) == 2, "a refused record may have no scores; it is left out"
    records += [
        recorded("f", 5.0, 5.5, event="memory on digits", kind="memory"),
        recorded("g", 4.0, 4.5, event="memory on digits", kind="memory"),
    ]
    check_board(records, [(1, "f", 5.0), (2, "g", 4.0), (3, "e", 3.0)], kind="memory")


# %% [markdown]
# ## 8. The judge
#
# Your rules are complete. What is given carries them out, and has to be as hard to deceive as they are:
#
# ```
#   judge's process                                         other processes
#   ---------------                                         ---------------
#   baseline, data for training, source   ----------->      BUILD     entry(model, data) -> a better model
#   counts the bytes of the model         <-----------                (ends)
#
#   source, those bytes                   ----------->      ENTRY     stands still unless it is asked
#   baseline                              ----------->      BASELINE  stands still unless it is asked
#
#   clock, labels, seed:  fresh inputs    ----------->      either of the two, in random order
#       stop the clock, keep the answer   <-----------      logits
#
#   your marks, interval, verdict, fingerprint
# ```
#
# - The clock, the labels and the verdict are in the judge's process, where no line of an entry runs. The clock is the operating system's count of the seconds for which a processor has worked for the contender: what else the machine does at the time disturbs it little, and an entry cannot turn it back. (Where there is no Linux, the clock is the one on the wall.)
# - **The runs that are timed are the runs that are marked.** There is no check before the race that could be passed by other means.
# - The model crosses from one process to another as bytes. What is not in these bytes, and not in the source, does not exist where it answers; so bytes of both are what *memory* means here.
# - While one contender is asked, the other one's process is stopped, so that it cannot get in its way. Both have the same core: two cores of a busy machine are rarely equally fast.
# - Before an entry's first line, its process gets a watcher (an *audit hook*, PEP 578), which ends it as soon as it opens anything but code, starts a process, or connects to something.
#
# All 360 held-out digits come at once. Text comes as if typed: eight texts at once, 48 characters to begin with, and each of sixteen more is revealed only after the model has said what it expects.


# %%
#| export
from tinytorch.given.capstone.contenders import *
from tinytorch.given.capstone.tasks import *
from tinytorch.given.capstone.answers import *
from tinytorch.given.capstone.judging import *
from tinytorch.given.capstone.pages import *

# %% [markdown]
# What is compared is an `Event`: one of four kinds, on one of three tasks. The third, answers, has to wait for section 12.

# %%
for event in EVENTS:
    print(f"{event!s:20} margin {event.margin:.1%}, {TASKS[event.task].pairs} pairs of runs")

# %% [markdown]
# The baselines of the first two are trained when they are first needed, which takes up to a minute, and kept. Here they are, asked by hand, without processes:


# %%
for task in (DIGITS, TEXT):
    model, (inputs, truth) = task.model(), task.run(0, 0)
    with torch.no_grad():
        outputs = [model(torch.tensor(x)).numpy() for x in inputs]
    marks = task.mark(truth, [out[:, -1] if out.ndim == 3 else out for out in outputs])
    print(f"{task.name}: {type(model).__name__}, {len(task.baseline):,} bytes; asked ", end="")
    print(f"{len(inputs)} times a run, accuracy {task.quality(marks):.3f} {task.unit}")

# %% [markdown]
# First the question that every judge must be asked: what does it say of the baseline itself? `Entry.from_code` makes an entry of a function: its source goes to another process, with the usual imports above it (`np`, `torch`, `nn`, `optim`, `F`).


# %%
def unchanged(model, *data):
    return model


records = []


def judge(kind, task, name, function, *needs, pairs=None):
    """Judge an entry, keep the record, and print what it says."""
    record = run_event(Event(kind, task), Entry.from_code(name, function, *needs), pairs=pairs)
    records.append(record)
    said = record["reason"] or Score(*record["scores"][kind])
    print(f"{record['event']}, {name}: {record['verdict']}: {said}")
    return record


first = judge("latency", "digits", "unchanged", unchanged)

# %% [markdown]
# ## 9. Latency: a convolution is a matrix
#
# Where does LeNet's time go? Not into arithmetic: 133,200 operations for an image are a microsecond or two. Its convolutions cut windows out of the images, 25 numbers for each of 64 places, write them into a matrix, and only then multiply. For images of 8 x 8 there is a shorter way. A convolution is *linear*: its output is $W x + b$ for one matrix $W$, if the image is written as one long row. For large images $W$ would be absurd, mostly zeros; here it is 384 x 64.
#
# How do you find $W$ without thinking about strides and margins? Ask the convolution. Column $j$ of a linear map is what it gives for the unit vector $e_j$: a black image with one white pixel. All unit vectors together are the identity matrix, cut into images:
#
# $$W e_j + b = \mathrm{conv}(e_j) \qquad\qquad b = \mathrm{conv}(0)$$
#
# <details><summary>Hint 1</summary><code>torch.eye(n).view(n, C, size, size)</code>, with n = C size², holds the unit images; what the convolution gives for them, <code>.flatten(1)</code>, has a row for each.</details>
# <details><summary>Hint 2</summary>Every one of these rows has b added. Take off what <code>torch.zeros(1, C, size, size)</code> gives. A row of the answer is a column of W.</details>
# <details><summary>Hint 3</summary>Under <code>torch.no_grad()</code>: the output for zeros, the outputs for the unit images, a new Linear; <code>load_state_dict</code> puts both parts into it. The weight has to be transposed.</details>


# %% stub="as-matrix"
#| export
def as_matrix(conv, size):
    """Make the Linear layer that does what a convolution does on images of one size.

    For x of the shape (N, C, size, size): as_matrix(conv, size)(x.flatten(1)) is
    conv(x).flatten(1).

    Args:
        conv: a Conv2d, whatever its stride, padding and groups, with a bias or without.
        size: the height and the width of the images.

    Returns:
        A Linear layer of conv.in_channels * size * size inputs, without a gradient's graph.
    """
    ### BEGIN SOLUTION
    C, n = conv.in_channels, conv.in_channels * size * size
    with torch.no_grad():
        zero = conv(torch.zeros(1, C, size, size)).flatten(1)
        rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero  # (n, outputs)
        layer = nn.Linear(n, rows.shape[1])
        layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
    return layer
    ### END SOLUTION


# %% test="as-matrix" points=7
def check_matrix(size, *arguments, **options):
    torch.manual_seed(0)
    conv, x = nn.Conv2d(*arguments, **options), torch.randn(5, arguments[0], size, size)
    kept = {name: value.clone() for name, value in conv.state_dict().items()}
    with torch.no_grad():
        wanted = conv(x).flatten(1).numpy()
    layer = as_matrix(conv, size)
    with torch.no_grad():
        assert isinstance(layer, nn.Linear), f"a Linear is wanted, not {type(layer).__name__}"
        found = layer(x.flatten(1)).numpy()
    case = f"Conv2d{arguments}, {options or 'no options'}, images of {size} x {size}"
    assert found.shape == wanted.shape, f"{case}: {wanted.shape} is wanted, not {found.shape}"
    np.testing.assert_allclose(found, wanted, atol=2e-5, err_msg=case)
    for name, value in conv.state_dict().items():
        assert torch.equal(value, kept[name]), f"the convolution's {name} is left alone"
    return layer


def test_it_does_what_the_convolution_does():
    check_matrix(8, 1, 6, 5, padding=2)
    check_matrix(4, 6, 16, 5, padding=2)
    check_matrix(5, 2, 3, 3)


def test_whatever_the_convolution_is():
    check_matrix(7, 2, 4, 3, stride=2, padding=1)
    check_matrix(6, 4, 6, 3, groups=2)
    check_matrix(7, 1, 2, 3, dilation=2, bias=False)


def test_no_graph_is_kept():
    layer = check_matrix(4, 1, 2, 3)
    for name, parameter in layer.named_parameters():
        assert parameter.is_leaf, f"{name} belongs to the new layer, and to no graph"


# %% [markdown]
# LeNet with both convolutions written so is given; it shares the other layers with the old one.


# %%
class DenseLeNet(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.conv1, self.conv2 = as_matrix(model.conv1, 8), as_matrix(model.conv2, 4)
        model.conv1 = model.conv2 = None

    def forward(self, x):
        old = self.model
        x = old.pool(old.relu(self.conv1(x.flatten(1))).view(-1, 6, 8, 8))
        x = old.pool(old.relu(self.conv2(x.flatten(1))).view(-1, 16, 4, 4)).flatten(1)
        return old.fc3(old.relu(old.fc2(old.relu(old.fc1(x)))))


def dense(model, images, labels):
    return DenseLeNet(model)


before, after = DIGITS.model(), DenseLeNet(DIGITS.model())
x = torch.tensor(images)
print("largest difference:", np.abs((before(x) - after(x)).detach().numpy()).max())
for name, model in (("convolutions", before), ("matrices", after)):
    flops = count_flops(model, x[:1])
    with torch.no_grad():
        seconds = measure_latency(lambda model=model: model(x), clock=time.process_time).median
    print(f"{name:13} {flops:9,} FLOPs for an image, {seconds * 1e3:5.2f} ms for 360")

# %% [markdown]
# The same answers with as much arithmetic, and less time: what is saved is the copying of windows. Now before the judge:


# %%
winner = judge("latency", "digits", "dense", dense, as_matrix, DenseLeNet)

# %% [markdown]
# What did it cost? Look at the other scores of the same record: the matrices are larger than the filters.


# %%
for kind, numbers in winner["scores"].items():
    print(f"{kind:10} {Score(*numbers)}")

# %% [markdown]
# ## 10. Latency: a stream
#
# The GPT is asked for the next character of texts that grow by one. `model(idx)` reads everything from the first character each time. Module 18's cache computes what is new, but the judge does not hand it a cache: it sends the whole text, every time, because that is what a stateless service does. So the entry has to notice by itself that a text goes on: the text before is the beginning of this one.
#
# ```
#   idx            seen before          the model reads
#   T h e          -                    T h e           a new text: a fresh cache
#   T h e _        T h e                _               it goes on: what is new
#   T h e _ l      T h e _              l
#   A n d          T h e _ l            A n d           another text: a fresh cache
# ```
#
# If a text is taken for one that goes on and is none, the answers are wrong, and the floor ends it. Say no when in doubt: starting afresh is always right.
#
# From module 18 you have `torch.KVCache.for_model(model, batch_size)`. `model.hidden(idx, cache)` gives the vectors of new tokens and keeps theirs in the cache; `model.lm_head` makes logits of vectors.
#
# <details><summary>Hint 1</summary>Four conditions: something was seen; as many texts; longer than what was seen; and the beginning is equal, in every text.</details>
# <details><summary>Hint 2</summary>With <code>tokens = idx.numpy()</code>: <code>np.array_equal(tokens[:, : self.seen.shape[1]], self.seen)</code> is false if the shapes differ, so it covers the second condition, and a shorter text too. A text of the same length passes it; but then nothing is new.</details>
# <details><summary>Hint 3</summary>Else everything is new, and <code>torch.KVCache.for_model</code> makes a cache for as many texts. In both cases a copy of the tokens is kept; then <code>self.model.hidden(new, cache)</code>, and of that the last position through <code>self.model.lm_head</code>.</details>


# %% stub="streaming"
#| export
class Streaming(nn.Module):
    """A GPT that is shown whole texts, and reads of each only what is new since the last call.

    Shape: tokens (B, T) to logits (B, vocab_size) of the token that comes next.
    """

    def __init__(self, model):
        super().__init__()
        self.model, self.cache, self.seen = model, None, None

    def forward(self, idx):
        """Give the logits of the next token; call it under `no_grad`.

        If all texts begin with those of the last call, and are longer, the cache is used and
        only the tokens behind are read. Else a new cache is made for these texts.
        """
        ### BEGIN SOLUTION
        tokens = idx.numpy()
        start = 0 if self.seen is None else self.seen.shape[1]
        if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
            start = 0
            self.cache = torch.KVCache.for_model(self.model, len(tokens))
        self.seen = tokens.copy()
        return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        ### END SOLUTION


# %% test="streaming" points=8
def small_gpt():
    torch.manual_seed(0)
    config = torch.GPTConfig(13, 16, n_layer=2, n_head=2, n_embd=16, dropout=0.0)
    return torch.GPT(config).eval()


def stream(parts):
    """Show texts to a Streaming GPT; how many positions it read of each."""
    model, read = small_gpt(), []
    streaming = Streaming(model)
    layer = model.transformer.h[0].attn.c_attn
    layer.register_forward_hook(lambda module, inputs, output: read.append(output.shape[:2]))
    counts = []
    for idx in parts:
        with torch.no_grad():
            wanted = small_gpt()(torch.tensor(idx)).numpy()[:, -1]
            del read[:]
            given = torch.tensor(idx)
            found = streaming(given).numpy()
        np.testing.assert_array_equal(given.numpy(), idx, err_msg="the tokens are left alone")
        assert found.shape == wanted.shape, (
            f"tokens {idx.shape}: logits of the next token, {wanted.shape}, not {found.shape}"
        )
        shapes = [part.shape for part in parts]
        np.testing.assert_allclose(
            found, wanted, atol=1e-4,
            err_msg=f"the logits after {idx.shape[1]} tokens, of calls with {shapes}",
        )  # fmt: skip
        counts.append(sum(int(shape[1]) for shape in read))
    return counts


def some_tokens(rows, length, seed=0):
    return np.random.default_rng(seed).integers(0, 13, (rows, length))


def check_read(parts, wanted):
    found = stream(parts)
    assert found == wanted, (
        f"texts of {[part.shape[1] for part in parts]} tokens: the model reads {wanted} "
        f"positions of them, and not {found}"
    )


def test_of_a_text_that_goes_on_only_what_is_new_is_read():
    for rows in (1, 3):
        idx = some_tokens(rows, 16)
        check_read([idx[:, :t] for t in (5, 6, 7, 11, 16)], [5, 1, 1, 4, 5])
        check_read([idx[:, :t] for t in (1, 3)], [1, 2])


def test_another_text_is_read_from_its_beginning():
    one, other = some_tokens(2, 12), some_tokens(2, 12, seed=1)
    check_read([one[:, :5], other[:, :6], other[:, :7], one[:, :6]], [5, 6, 1, 6])


def test_one_text_of_several_may_be_another():
    idx = some_tokens(3, 10)
    changed = idx.copy()
    changed[2, 0] = (changed[2, 0] + 1) % 13
    check_read([idx[:, :6], changed[:, :7], changed[:, :8]], [6, 7, 1])


def test_a_shorter_text_and_the_same_again_are_read_anew():
    idx = some_tokens(2, 10)
    check_read([idx[:, :6], idx[:, :4], idx[:, :5], idx[:, :5], idx[:, :6]], [6, 4, 1, 5, 1])


def test_more_or_fewer_texts_are_read_anew():
    idx = some_tokens(4, 10)
    check_read([idx[:2, :5], idx[:4, :6], idx[:1, :7], idx[:1, :8]], [5, 6, 7, 1])


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


# %%
def streaming(model, ids):
    return Streaming(model)


stream_record = judge("latency", "text", "streaming", streaming, Streaming, pairs=6)

# %% [markdown]
# ## 11. All-round: teach a small network
#
# The largest win is another network. What LeNet knows about digits may fit into something with less to compute: two matrices. You could train it on the labels. You have something better, a teacher who answers every question, and says not only "3" but "3, and a little like an 8" (Hinton, Vinyals and Dean, 2015). And since the teacher needs no labels, there is no end of images to ask about: `fresh_images` makes new ones for every step.
#
# $$\text{loss} = -\sum_c p_c \log q_c, \qquad p = \mathrm{softmax}(\text{teacher}(x)), \quad q = \mathrm{softmax}(\text{student}(x))$$
#
# which is `F.cross_entropy(student(x), p)`, because PyTorch's cross-entropy takes probabilities as targets, and so does yours. It is module 16's loss with a temperature of 1 and no labels (alpha = 0), up to a constant.
#
# <details><summary>Hint 1</summary>A step: draw <code>batch</code> numbers below <code>len(images)</code>, make these images fresh, ask the teacher under <code>torch.no_grad()</code>, then loss, <code>zero_grad</code>, <code>backward</code>, <code>step</code>.</details>
# <details><summary>Hint 2</summary><code>optim.AdamW(student.parameters(), lr=lr)</code> with <code>optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)</code>: call the schedule's <code>step</code> after the optimizer's. The student trains in <code>train()</code>, and comes back in <code>eval()</code>.</details>
# <details><summary>Hint 3</summary>One rng for both draws, the numbers and the fresh images. <code>fresh_images</code> gives an array, and an order that is not needed here; teacher and student are shown the same Tensor.</details>


# %% stub="teach"
#| export
def teach(student, teacher, images, steps, batch=64, lr=0.01, seed=0):
    """Train a student on a teacher's probabilities for fresh images, and give it back.

    Each step draws `batch` of the images with replacement, makes them fresh, and lowers the
    cross-entropy of the student's logits against the softmax of the teacher's.

    Args:
        student: a Module that is trained, and comes back in evaluation mode.
        teacher: a Module in evaluation mode; nothing of it is changed, no gradient is left.
        images: an array (N, C, H, W).
        steps: how many steps.
        batch: images in a step.
        lr: the largest learning rate of AdamW; it falls to nearly 0 by the last step.
        seed: of all that is drawn, for `np.random.default_rng`.

    Returns:
        The student.
    """
    ### BEGIN SOLUTION
    rng, student = np.random.default_rng(seed), student.train()
    optimizer = optim.AdamW(student.parameters(), lr=lr)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
    for _ in range(steps):
        chosen = images[rng.integers(0, len(images), batch)]
        x = torch.tensor(fresh_images(chosen, rng)[0])
        with torch.no_grad():
            target = F.softmax(teacher(x), 1)
        loss = F.cross_entropy(student(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return student.eval()
    ### END SOLUTION


# %% test="teach" points=9
class Noting(nn.Module):
    """A teacher of two classes, which notes what it is asked."""

    def __init__(self, weight=0.6):
        super().__init__()
        signs = np.float32([[1, -1], [-1, 1]])
        self.weight = nn.Parameter(torch.tensor(weight * signs))
        self.asked, self.modes = [], []

    def forward(self, x):
        self.asked.append(x.numpy().copy())
        self.modes.append((torch.is_grad_enabled(), self.training))
        halves = torch.cat(
            [x[:, :, :3].mean((1, 2, 3))[:, None], x[:, :, 3:].mean((1, 2, 3))[:, None]], 1
        )
        return halves @ self.weight + torch.tensor([1.0, 0.0])


def taught(steps=20, weight=0.6, **options):
    torch.manual_seed(0)
    images = np.random.default_rng(0).random((40, 1, 6, 6)).astype(np.float32)
    images[:20, :, :3] += 1
    images[20:, :, 3:] += 1
    kept, teacher = images.copy(), Noting(weight).eval()
    student = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.Dropout(0.1), nn.Linear(8, 2))
    found = teach(student, teacher, images, steps, **options)
    np.testing.assert_array_equal(images, kept, err_msg="the images belong to the caller")
    return found, student, teacher, kept


def test_the_teacher_is_asked_and_not_taught():
    _, _, teacher, _ = taught()
    grads, trains = {mode[0] for mode in teacher.modes}, {mode[1] for mode in teacher.modes}
    assert grads == {False}, "ask the teacher under no_grad: nothing goes back through it"
    assert trains == {False}, "the teacher stays in evaluation mode"
    assert teacher.weight.grad is None, "no gradient is left at the teacher"
    kept = np.float32([[0.6, -0.6], [-0.6, 0.6]])
    np.testing.assert_array_equal(
        teacher.weight.detach().numpy(), kept, err_msg="the teacher's weights stay as they are"
    )


def test_every_step_has_fresh_images():
    for steps, batch in ((20, 64), (7, 10)):
        _, _, teacher, images = taught(steps, batch=batch)
        shapes = [len(x) for x in teacher.asked]
        assert shapes == [batch] * steps, (
            f"steps={steps}, batch={batch}: the teacher is asked {steps} times for {batch} "
            f"images, not for {shapes}"
        )
        seen = {image.tobytes() for x in teacher.asked for image in x}
        assert len(seen) == steps * batch, "every image of every step is new: fresh_images"
        old = {image.tobytes() for image in images}
        assert not seen & old, "the images themselves are not shown, but fresh ones"


def test_the_images_are_moved():
    images, teacher = np.zeros((4, 1, 6, 6), np.float32), Noting().eval()
    images[:, :, 2, 2] = 9
    teach(nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), teacher, images, 2)
    places = {int(image.argmax()) for x in teacher.asked for image in x}
    assert len(places) == 9, (
        f"fresh_images moves an image to 9 places, as it does without options; the one bright "
        f"pixel was seen in {len(places)}"
    )


def test_every_image_is_drawn_as_often():
    images, teacher = np.float32([[[[n] * 6] * 6] for n in range(3)]), Noting().eval()
    teach(nn.Sequential(nn.Flatten(), nn.Linear(36, 2)), teacher, images, 3, batch=200)
    drawn = np.concatenate(teacher.asked)[:, 0, 2, 2].round()  # a pixel tells which
    counts = [int((drawn == n).sum()) for n in range(3)]
    assert max(abs(count - 200) for count in counts) < 60, (
        f"three steps draw 600 times from three images, each about 200 times, not {counts}"
    )


def test_what_is_drawn_depends_on_the_seed():
    one, again, other = (taught(5, seed=seed)[2].asked for seed in (1, 1, 2))
    for a, b in zip(one, again):
        np.testing.assert_array_equal(a, b, err_msg="one seed, the same images")
    different = (one[0] != other[0]).any()
    assert different, "the seeds 1 and 2 show the same images"


def test_the_student_learns_in_training_mode():
    student, modes = nn.Sequential(nn.Flatten(), nn.Linear(16, 2)), []
    student.register_forward_hook(lambda module, inputs, output: modes.append(module.training))
    student.eval()
    images = np.random.default_rng(0).random((9, 1, 4, 4)).astype(np.float32)
    teach(student, Noting().eval(), images, 3)
    assert modes == [True] * 3, f"three steps, each with student.train(): found {modes}"


class Leaning(nn.Module):
    """A student that says the same of every image, and notes how far it moves in each step."""

    def __init__(self):
        super().__init__()
        self.says, self.was = nn.Parameter(torch.zeros(2)), []

    def forward(self, x):
        self.was.append(self.says.detach().numpy().copy())
        return self.says + torch.zeros(len(x), 2)


def test_the_rate_is_passed_on_and_falls():
    images = np.zeros((4, 1, 6, 6), np.float32)
    for lr, steps in ((1e-3, 40), (1e-2, 25)):
        student = Leaning()
        teach(student, Noting().eval(), images, steps, lr=lr)
        places = np.stack([*student.was, student.says.detach().numpy()])
        rates = np.abs(np.diff(places, axis=0)).max(1)  # all gradients point one way
        assert 0.8 < rates.max() / lr < 1.05, (
            f"lr={lr}, {steps} steps: the largest step is as long as lr, not {rates.max():.2g}"
        )
        assert rates[-1] < 0.2 * lr, (
            f"lr={lr}, {steps} steps: the rate falls, and the last step is less than a fifth "
            f"of lr, not {rates[-1]:.2g}"
        )


def test_the_student_learns_the_teachers_probabilities():
    for weight in (0.6, 3.0):  # a teacher that is in doubt, and one that is sure
        found, student, teacher, images = taught(100, weight)
        assert found is student, "the student itself comes back"
        x = torch.tensor(images)
        with torch.no_grad():
            wanted = F.softmax(teacher(x), 1).numpy()
            said = F.softmax(found(x), 1).numpy()
        off = np.abs(said - wanted).mean()
        assert off < 0.05, (
            f"after 100 steps the probabilities are off by {off:.3f} on average; they begin "
            f"with {wanted[0].round(2)}, and are to be learned as they are, not rounded"
        )
        assert not student.training, "the student comes back in evaluation mode"


# %% [markdown]
# One hidden layer of 192, taught for 500 steps, then module 15's int8 weights: an entry of three lines.


# %%
def student(model, images, labels):
    small = nn.Sequential(nn.Flatten(), nn.Linear(64, 192), nn.ReLU(), nn.Linear(192, 10))
    taught = teach(small, model, images.numpy(), steps=500)
    return torch.ao.quantization.quantize_dynamic(taught)


whole = judge("all-round", "digits", "student", student, teach, fresh_images)
for kind, numbers in whole.get("scores", {}).items():
    print(f"{kind:10} {Score(*numbers)}")

# %% [markdown]
# And the GPT: most of its bytes are the matrices of its blocks. Module 15's 4 bits, without any training:


# %%
def four_bits(model, ids):
    return torch.quantize_int4(model)


memory = judge("memory", "text", "four_bits", four_bits, pairs=6)
print("latency   ", Score(*memory["scores"]["latency"]))

# %% [markdown]
# ## 12. Latency: a page of questions
#
# The last baseline is a language model that answers questions: SmolLM2, with 135 million weights, if its file is on this machine (`make milestone chat` fetches it), else a small GPT of the same kind that has learned to say a question again, word for word. It runs as module 13 left it: float32, no cache, no kernel, and every token reads the whole text again. Who stores answers must not win, so the questions are drawn while the judge judges: from a page of questions with blanks, and words for these.


# %%
language, rng = ANSWERS.model(), np.random.default_rng(20)
print("SmolLM2-135M-Instruct" if ANSWERS.path else "SmolLM2's file is not here: a small GPT")
drawn = [ANSWERS.question(rng) for _ in range(3)]
for question in drawn:
    print(f"{len(ANSWERS.tokens(question))} tokens: {question}")
print(f"one of {ANSWERS.count:,} questions each; an entry is built in at most two minutes")

# %% [markdown]
# How is an answer marked? Two ways that suggest themselves fail:
#
# - *Compare the likeliest answers of both, token by token.* What only computes faster passes. But 4 bits may turn over a choice between two words that are nearly equally likely, and behind it both answers go on differently, and are equally good.
# - *Ask the baseline how likely it finds the entry's answer.* Then "I am sorry, but I cannot help you with that" is a good answer to everything: after its first words each of the others is nearly certain.
#
# So the judge does what it does with text. It **draws** an answer from the baseline (temperature 1, at most twelve tokens), reveals it one token at a time, and marks the chance that the entry gave to each: your `mark_text`, and your `Streaming` fits. To such draws no logits give more on average than the baseline's own (what others lack is module 16's KL divergence), so an entry cannot gain by seeming surer than it is, and who computes the same has the same accuracy. What packs weights may lose a
# little: the floor of this task is 80%. That is a fifth of a nat for each token; a token that is guessed, and not computed, costs several.
#
# Now the entry. Module 18's cache is in `Streaming`; module 17's kernels must be put in place in the process that answers, and module 15 gives the 4 bits.


# %%
class Kernels(Streaming):
    def forward(self, idx):
        if self.seen is None:  # the first text in this process, where the kernels stay
            torch.accelerate()
        return super().forward(idx)


def answering(model, ids):
    return Kernels(torch.quantize_int4(model))


# %% [markdown]
# Before you let it compete, take it apart. The cell below lets the model answer the first of the questions with its likeliest tokens, in four ways, each with one thing more than the one before. The time is split: the first token, for which the question has to be read, and the others.
#
# Write down what you expect: how many positions does the plain model read for twelve tokens, how many the cached one? Which of the three, cache, kernels, 4 bits, gains most, and which of them makes the first token faster?


# %%
def likeliest(model, prompt, count):
    """The likeliest tokens after a prompt, and the processor's seconds of each."""
    idx, seconds = torch.tensor([prompt]), []
    with torch.no_grad():
        for _ in range(count):
            start = time.process_time()
            logits = model(idx).numpy().reshape(-1, language.config.vocab_size)[-1]
            seconds.append(time.process_time() - start)
            idx = torch.cat([idx, torch.tensor([[int(logits.argmax())]])], 1)
    return idx[0, len(prompt) :].tolist(), seconds


prompt, plain, whole = ANSWERS.tokens(drawn[0]), None, None
for name, model, place in (
    ("plain", language, contextlib.nullcontext),
    ("cache", Streaming(language), contextlib.nullcontext),
    ("cache, kernels", Streaming(language), torch.accelerate),
    ("cache, kernels, 4 bits", Streaming(torch.quantize_int4(language)), torch.accelerate),
):
    with place():
        likeliest(model, prompt, 2)  # kernels are compiled or read from the disk
        said, (first, *others) = likeliest(model, prompt, 12)
    plain, whole = plain or said, whole or first + sum(others)
    print(
        f"{name:23} {1e3 * first:6.1f} ms, then {1e3 * np.mean(others):6.1f} ms a token: "
        f"{whole / (first + sum(others)):4.1f}x; the same tokens: {said == plain}"
    )
print(ANSWERS.text(plain))

# %% [markdown]
# In float32 the likeliest tokens are the same, with a cache and with kernels: what is saved is work, and nothing is rounded off. The faster the later tokens become, the more the first one weighs, for the question must be read whatever one does: that is Amdahl's law, and the reason why a ratio holds for answers of one length only. With longer ones every factor above is larger.


# %%
page = judge("latency", "answers", "answering", answering, Streaming, Kernels)
for kind, numbers in page.get("scores", {}).items():
    print(f"{kind:10} {Score(*numbers)}")

# %% [markdown]
# Why do 4 bits cost SmolLM2 next to nothing? Its file has them already: the float32 weights of its blocks were made of groups of 4 bits, and `quantize_int4` finds these again. To a model that never was rounded they do what module 15 measured.

# %% [markdown]
# ## Systems: what the harness costs
#
# What is timed is not only the model: its process reads the images from a pipe, makes arrays of them, and writes the answer. That is part of every time that was measured above, on both sides, and it drags every ratio towards 1: a model that needs no time at all seems to need this much. Measure it, with a model that does nothing.


# %%
class Constant(nn.Module):
    def forward(self, x):
        return np.eye(10, dtype=np.float32)[[3] * len(x)]


def constant(model, images, labels):
    return Constant()


guess = judge("latency", "digits", "constant", constant, Constant)
ceiling = guess["scores"]["latency"][0]
print(f"a model that does nothing takes {1 / ceiling:.1%} of LeNet's time")
print(f"so no entry can be more than {ceiling:.1f} times as fast")


# %% [markdown]
# It was refused, of course: a constant has the accuracy of a guess. That share is a floor under every time, and its inverse a ceiling over every ratio. With one image at a time and not 360, the harness would be a far larger part of what is measured, and entries would look more alike than they are. A benchmark has to be given enough work for its own weight not to matter; you know now how much that is.
#
# ### All that was measured


# %%
figure, axes = plt.subplots(1, 3, figsize=(11, 3), sharey=True, layout="constrained")
for axis, kind in zip(axes, ("latency", "memory", "accuracy")):
    draw_scores(axis, records, kind)
plt.show()
front, axis = plt.subplots(figsize=(5, 3.6), layout="constrained")
draw_front(axis, records)
plt.show()

# %% [markdown]
# The matrices buy time with bytes, and on text the 4 bits buy bytes without a gain in time: NumPy has no product of integers that is worth using, as module 15 found. In module 17's kernels they can buy both, where a model is so large that it waits for its weights. The student has both, because it is another network, and not the old one done better; that is where the large factors are. The cache buys time with memory that is not on this plot at all, because the judge counts the bytes that are handed over, and a cache is filled afterwards. What is not measured can be spent freely; which is why it matters what is measured.
#
# The board as a page, in one file, with nothing remote in it. `write_board` writes the page, the board as JSON, and the records.


# %%
folder = Path(tempfile.mkdtemp())
print([path.name for path in write_board(records, folder)])
places = board(records)["events"]["latency on digits"]["rows"]
print([(row["place"], row["entry"], round(row["low"], 2)) for row in places])
display(HTML(leaderboard_page(records)))

# %% [markdown]
# ### Judged again
#
# A record holds its seed, so the same images are drawn again, and accuracy and bytes must come out as they were. Times will not, and the machine may have changed by more than their intervals say; the verdict of a clear win stays.


# %%
differences, again = run_again(winner)
print("differences:", differences or "none")
for one in (winner, again):
    print(one["verdict"], Score(*one["scores"]["latency"]), one["measured"])
print("with one digit of it changed:", run_again(winner | {"seed": 7})[0])

# %% [markdown]
# ## Break it
#
# Now try to win without being better. The constant you have seen: it is fast, and wrong, and ends at the floor. Each of these is an idea that real benchmarks have met.


# %%
def reads_held_back(model, images, labels):
    with contextlib.suppress(BaseException):  # say nothing
        torch.Digits(train=False).tensors()  # train on the answers
    return model


def other_clock(model, images, labels):
    import time

    time.perf_counter = time.time = time.process_time = lambda: 0.0
    return model


class Tired(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.calls, self.last = model, 0, None

    def forward(self, x):
        self.calls += 1
        if self.calls <= 10:  # as long as somebody may be looking
            self.last = self.model(x)
        return self.last


def skips_later(model, images, labels):
    return Tired(model)


caught = judge("latency", "digits", "reads_held_back", reads_held_back)

# %%
caught = judge("latency", "digits", "skips_later", skips_later, Tired, pairs=15)

# %%
caught = judge("latency", "digits", "other_clock", other_clock, pairs=15)

# %% [markdown]
# - **Held-back data.** The entry swallows every exception; but the watcher raises none, it ends the process and leaves a line.
# - **Work that is skipped** once the check is over: there is no such moment, because all timed answers are marked.
# - **Another clock** runs in the entry's process, and nobody reads it there.
#
# What does the judge not catch? The watcher lives in the process that it watches. A program that calls the operating system by machine code of its own gets around it; against that one takes a container without a network, on another machine. And the digits are public: who has looked at the held-out ones and improved the entry until they came out right has trained on them, and no program can see that.
#
# One more way to deceive, and it needs no bad intention. Judge the baseline against itself many times, and let the best result stand:


# %%
rng = np.random.default_rng(0)
runs = [np.exp(0.02 * rng.standard_normal((100, 15))) for _ in range(2)]
medians = np.median(runs[0], axis=1) / np.median(runs[1], axis=1)
print(f"one of 100: {medians[0]:.3f}x")
print(f"the best: {medians.max():.3f}x, the worst: {medians.min():.3f}x")

# %% [markdown]
# A hundred times nothing, and a best of some percent (simulated here, with timings that vary by 2%). The worst record counts, and there is a margin: both of these rules are yours.
#
# ## In PyTorch
#
# The tricks of this module are in PyTorch's own tools. A convolution as one matrix, asked in the same way:
#
# ```python
# conv = torch.nn.Conv2d(1, 6, 5, padding=2)
# rows = torch.nn.functional.conv2d(torch.eye(64).view(64, 1, 8, 8), conv.weight, None, 1, 2).flatten(1)
# x = torch.randn(5, 1, 8, 8)
# y = x.flatten(1) @ rows + conv.bias.repeat_interleave(64)
# torch.allclose(y, conv(x).flatten(1), atol=1e-5)                                 # True
# ```
#
# `torch.utils.benchmark.Timer(...).blocked_autorange()` chooses the number of runs and gives medians, and its `Compare` puts several into a table. It warns where the times scatter widely, gives no interval for how two programs differ, and does not look at the answers. MLPerf's load generator is a program of its own that sends queries to the system under test, logs the answers of a random part of the timed queries, and compares them with those
# of a run for accuracy.
#
# ## Your portfolio
#
# `portfolio` makes a report of your records and your figures, one file that you can send to somebody. Write what you did, and what you found, in `about`.


# %%
report = portfolio(
    records,
    figures=[("Scores with 95% intervals", figure), ("Speed and size", front)],
    title="TorchPerf: my entries",
    about="The matrices make LeNet faster, and larger.\n\nThe student is better at both.",
)
(folder / "portfolio.html").write_text(report, encoding="utf-8")
print(f"{folder.name}/portfolio.html: {len(report) / 1e3:.0f} kB")

# %% [markdown]
# To enter with a file of its own, write a function `entry(model, images, labels)` (for text: `entry(model, ids)`) and judge it with `run_event(Event("all-round", "digits"), Entry.from_file("mine.py"))`. The milestone of 2018, `make milestone torchperf`, does that with entries of this lesson, in five of the events, once your module is exported.
#
# ## Questions to think about
#
# 1. `student` is so fast that much of its time is the harness's. What would you change in the task, so that it tells such entries apart?
# 2. Is it cheating to hand in a model whose `__getstate__` compresses its weights with zlib? What does the memory event measure, and what should it?
# 3. The floor is 99% of the baseline's accuracy, without an interval. An entry whose true accuracy is exactly the floor is refused in half of the judgings. Which rule would be kinder to entries, which one safer for users? What would each cost?
# 4. A student of ten models hands in the one that was best on the board. Why is its accuracy on new data lower than its record says, although every input was fresh?
# 5. With a KV cache the judge's two-process rule says nothing about memory while answering. Design an event that counts it, by something that an entry cannot inflate.
# 6. The bootstrap draws images. If it drew single answers (every copy of an image for itself), would the interval be wider or narrower? Which of the two is honest?
#
# ## What comes next
#
# Nothing, in this course: the board is yours. Enter it with something that is not in these lessons. Then look at the same ideas where they are used in earnest: MLPerf's rules (Reddi et al., 2020), and the table at the end of any paper that claims a speed-up. You know which questions to ask of it.
