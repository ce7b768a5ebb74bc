# %% [markdown]
# # 04 Losses
#
# A loss says in one number how wrong a network is. Training only makes that number smaller, so the loss is the only
# place where you tell the network what you want. The network will never learn what you leave out of it, or compute
# badly.
#
# At the end of this lesson you will be able to
#
# - choose a loss by what it assumes about mistakes, and say what network it leads to;
# - compute cross-entropy from raw scores, for two classes or 50,000, without a NaN and without an array of
#   probabilities;
# - weight classes, ignore positions, smooth labels, and know what each of them divides by;
# - recognise two mistakes that look like learning: an accidental broadcast, and probabilities where scores are wanted.
#
# ## What you build
# What you export becomes `tinytorch/losses.py`. The functions take Tensors and are mostly made of the tensor operations
# that you have, so their gradients, targets' too, will come by themselves in module 06. Two of them are separate
# `Function`s, because there a formula for the whole is better than its parts.
#
# | yours | PyTorch's, in `torch.nn.functional` | where they differ |
# |---|---|---|
# | `mse_loss`, `l1_loss`, `huber_loss`, `gaussian_nll_loss` | the same names | none |
# | `nll_loss`, `cross_entropy` | the same names | none |
# | `binary_cross_entropy`, `..._with_logits` | the same names | none |
# | `kl_div` | the same name | PyTorch warns of its default reduction |
# | `MSELoss`, `CrossEntropyLoss`, ... | `torch.nn`, the same names | none |

# %%
#| export
import math

import numpy as np

from tinytorch.activations import log_softmax, softplus
from tinytorch.tensor import Context, Function, in_parts, tensor, where, wrap

# %%
import timeit
import tracemalloc
import warnings

import matplotlib.pyplot as plt

from tinytorch.activations import softmax
from tinytorch.given.predictions import compare
from tinytorch.tensor import from_numpy, manual_seed, randn


# %%
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


# %% [markdown]
# ## 1. What a loss asks for
# Here is the simplest possible model: one number, to represent nine. Two losses are computed for every value that it
# could have. One adds the squares of the errors, the other their absolute values.

# %%
measured = np.array([1.0, 1.1, 1.2, 1.2, 1.3, 1.4, 1.5, 1.6, 9.0])
answers = np.linspace(0, 5, 501)
mistakes = answers[:, None] - measured
for name, losses in {"squares": mistakes**2, "sizes": np.abs(mistakes)}.items():
    total = losses.mean(axis=1)
    plt.plot(
        answers,
        total / total.min(),
        label=f"{name}: smallest at {answers[total.argmin()]:.2f}",
    )
plt.plot(measured[:-1], np.full(8, 0.9), "k|", label="eight of the nine numbers")
plt.xlabel("the model's answer")
plt.ylabel("mean loss / its minimum")
plt.legend()
plt.show()
print(f"mean {measured.mean():.2f}, median {np.median(measured):.2f}")

# %% [markdown]
# The sum of squares is smallest at the mean, the sum of absolute values at the median. One wrong measurement, 9.0,
# pulls the first far away from everything else and leaves the second where it was. Neither is right or wrong: the loss
# decides which question the model answers.
#
# ### Reductions
# A batch gives one loss per example, and training wants one number. Every loss in PyTorch has the same
# three ways to get there: `"mean"`, `"sum"`, and `"none"`, which leaves them as they are. The mean is the usual
# choice, because then the learning rate need not change with the batch size.
#
# What the mean divides by is not always the number of losses. If some count more than others, or not at all, it may be
# their total weight. So your function takes that total as an argument.
#
# <details><summary>Hint 1</summary><code>losses.sum()</code> and <code>losses.mean()</code> are methods of
# Tensor.</details>
# <details><summary>Hint 2</summary>With a <code>total</code> the mean is the sum divided by it; without, it is
# the ordinary mean. Zero is a total too, so test for <code>None</code>.</details>
# <details><summary>Hint 3</summary>End with a ValueError that names the reduction: a misspelt one must not pass for one
# of the three.</details>


# %% stub="reduced"
#| export
def reduced(losses, reduction, total=None):
    """Make one number of many losses, or leave them.

    Args:
        losses: a Tensor of any shape.
        reduction: "mean", "sum" or "none".
        total: what the mean divides the sum by, where that is not the number of losses;
            a number or a 0-d Tensor.

    Returns:
        A 0-d Tensor; with "none", `losses`.

    Raises:
        ValueError: for any other reduction, which it names.

    >>> losses = tensor([1.0, 2.0, 6.0])
    >>> reduced(losses, "mean"), reduced(losses, "mean", total=2)
    (tensor(3.), tensor(4.5000))
    """
    ### BEGIN SOLUTION
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if reduction == "mean":
        return losses.mean() if total is None else losses.sum() / total
    raise ValueError(f"{reduction} is not a valid value for reduction")
    ### END SOLUTION


# %% test="reduced" points=3
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


def test_reduced_refuses_what_it_does_not_know():
    for reduction in ("median", "Mean", "batchmean", None):
        said = "no error"
        try:
            reduced(tensor([1.0]), reduction)
        except ValueError as error:
            said = str(error)
        wanted = f"reduction={reduction!r}: a ValueError is wanted that names it"
        assert str(reduction) in said, f"{wanted}. What came: {said}"


# %% [markdown]
# In `mse_loss` and `l1_loss`, the total is the sum of the weights, one for each loss: that is `weighted`. The rest that
# the losses have in common is given: `subtract` warns if input and target differ in shape (*Break it* shows why),
# `chosen` handles two deprecated arguments, and the others are checks.


# %%
#| export
from tinytorch.given.losses.checks import *


def weighted(losses, weight, reduction):
    """`reduced`, where each loss counts as much as its weight says."""
    if weight is None:
        return reduced(losses, reduction)
    if weight.shape != losses.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduced(losses * weight, reduction, weight.sum())


# %%
def log_probabilities(*shape, dim=1):
    """Random float64 log-probabilities, as an array."""
    scores = np.random.default_rng(0).standard_normal(shape)
    return scores - np.log(np.exp(scores).sum(axis=dim, keepdims=True))


def probabilities(*shape, dim=1):
    """Random float64 probabilities, as an array."""
    parts = np.random.default_rng(2).uniform(0.1, 1, shape)
    return parts / parts.sum(axis=dim, keepdims=True)


# %% [markdown]
# ## 2. Numbers: squares, and where they come from
#
# $$\mathrm{mse}(x, y) = \frac{1}{n}\sum_i (x_i - y_i)^2$$
#
# There is a reason for squares besides smoothness. Suppose that each target is what the network should have answered,
# plus noise from a normal distribution of variance $v$. Then a difference $d = y - x$ has the density
#
# $$p(d) = \frac{1}{\sqrt{2 \pi v}}\; e^{-d^2 / 2v}$$
#
# The probability of all targets is the product of these, one for each example. Making it as large as possible is
# *maximum likelihood*, which is the same as making the sum of $-\log p(d)$ as small as possible. With one variance for
# all examples, this sum is the sum of squares, times a constant, plus a constant: minimising the mean squared error
# assumes exactly this noise. Many losses in this lesson are the negative logarithm of some probability, and the choice
# of the probability is an assumption about the errors.
#
# What if the noise is not the same everywhere? Then let the network give two answers: the value, and the variance that
# it expects there. You write this loss. Take the logarithm on paper first, factor by factor. What pulls the variance
# down, and what keeps it from reaching 0?
#
# <details><summary>Hint 1</summary>The logarithm of the product of the root and the exponential is a sum: what is
# <code>-log(exp(z))</code>, and what is the logarithm of one over a root?</details>
# <details><summary>Hint 2</summary>Never compute <code>exp(...)</code> itself. At 40 standard deviations it is 0, and
# its logarithm -inf, where the right answer is about 800.</details>
# <details><summary>Hint 3</summary>Three terms, each with a factor of one half: the logarithm of the variance, the
# square over the variance, and, with <code>full</code>, the logarithm of the number under the root.</details>


# %% stub="gaussian-nll"
#| export
def gaussian_nll(difference, var, full=False):
    """Take -log of the density of normal noise, which differs from one place to the next.

    Args:
        difference: by how much each answer was wrong, a floating-point Tensor of any shape.
        var: the variance that was expected, above 0; a Tensor that broadcasts with it.
        full: whether the term in which neither of them occurs is added; it has no gradient,
            so it is left out of a loss that is only to be minimised.

    Returns:
        A Tensor of the losses, of the shape to which difference and var broadcast.

    >>> gaussian_nll(tensor([0.0, 3.0]), tensor([1.0, 1.0]))
    tensor([0.0000, 4.5000])
    """
    ### BEGIN SOLUTION
    losses = 0.5 * (var.log() + difference * difference / var)
    return losses + 0.5 * math.log(2 * math.pi) if full else losses
    ### END SOLUTION


# %% test="gaussian-nll" points=4
def density(d, v):
    """The normal density, as the formula says it."""
    return np.exp(-(d**2) / (2 * v)) / np.sqrt(2 * np.pi * v)


def test_gaussian_nll_leaves_the_constant_out_unless_it_is_asked_for():
    d, v = np.array([0.0, 1.0, -2.0, 2e-10]), np.array([1.0, 4.0, 0.25, 1e-20])
    wanted = -np.log(density(d, v) * np.sqrt(2 * np.pi))
    found = loss_of(gaussian_nll, d, v)
    assert found.shape == (4,), f"4 differences have 4 losses: shape (4,), not {found.shape}"
    said = (
        "-log p(d) - log(2 pi) / 2, so 0 for d = 0, var = 1; variances as they are, to 1e-20"
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12, err_msg=said)


def test_gaussian_nll_is_minus_the_log_of_the_density():
    rng = np.random.default_rng(0)
    for shape in ((4, 3), (4, 1), (3,), (), (2, 4, 3)):
        d, v = rng.standard_normal((4, 3)), rng.uniform(0.2, 3, shape)
        wanted = -np.log(density(d, v))
        found = loss_of(gaussian_nll, d, v, full=True)
        said = f"full: -log p(d), differences (4, 3), variances {shape}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


def test_gaussian_nll_survives_a_difference_of_40_standard_deviations():
    d, v = np.float32([40.0, 400.0, 0.0]), np.float32([1.0, 100.0, 1e-6])
    wanted = [800, 800 + np.log(10), -3 * np.log(10)]
    found = loss_of(gaussian_nll, d, v)
    said = "the density is 0 in float32, its logarithm is not -inf"
    np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=said)


def test_gaussian_nll_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (), (0, 3)):
            found = loss_of(
                gaussian_nll, np.zeros(shape, kind), np.ones(shape, kind), full=True
            )
            assert found.shape == shape, f"shape {shape} stays, here it became {found.shape}"


# %% [markdown]
# `mse_loss` is given, with the losses of the next section: the square of a difference adds nothing that is not in what
# you wrote. `gaussian_nll_loss`, further down, checks its arguments and calls your function.
#
# ## 3. Between squares and absolute values
# The slope of a square grows with the error, so one bad label can move a network further than a thousand good ones. The
# slope of an absolute value is 1 however small the error is, so training does not settle. Huber's loss (1964) takes the
# better half of each: a square up to $\delta$, and beyond it the straight line that continues with the same value and
# the same slope.
#
# $$h_\delta(d) = \begin{cases} \tfrac{1}{2} d^2 & |d| \le \delta \\ \delta\,(|d| - \tfrac{1}{2}\delta) & |d| > \delta \end{cases}$$
#
# Two cases could be a `where`. But put $c = \min(|d|, \delta)$, the part of the error that is within $\delta$, and look
# at what $c\,(|d| - \frac{1}{2} c)$ is on either side.
#
# <details><summary>Hint 1</summary>Within δ, c is |d|; beyond, c is δ. Put both into the last
# expression.</details>
# <details><summary>Hint 2</summary><code>difference.abs()</code> is |d|, and <code>.clamp(max=delta)</code> the
# smaller of a number and δ.</details>
# <details><summary>Hint 3</summary>Give |d| and c names, and write the last expression with them. It is right for both
# halves.</details>


# %% stub="huber"
#| export
def huber(difference, delta):
    """Square small differences, and continue linearly for large ones.

    d^2 / 2 where |d| <= delta, and delta (|d| - delta / 2) beyond.

    Args:
        difference: a floating-point Tensor of any shape.
        delta: the size up to which differences are small; a number above 0.

    Returns:
        A Tensor of the same shape and dtype, one loss for each difference.

    >>> huber(tensor([0.0, -1.0, 2.0, 10.0]), delta=2)
    tensor([ 0.0000,  0.5000,  2.0000, 18.0000])
    """
    ### BEGIN SOLUTION
    size = difference.abs()
    inside = size.clamp(max=delta)
    return inside * (size - 0.5 * inside)
    ### END SOLUTION


# %% test="huber" points=4
def test_huber_is_half_the_square_of_a_small_difference():
    d = np.linspace(-1.5, 1.5, 14).reshape(2, 7)
    wanted = d**2 / 2
    found = loss_of(huber, d, delta=1.5)
    said = "differences from -1.5 to 1.5, delta=1.5: half the square of each"
    np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


def test_huber_goes_on_straight():
    for delta in (0.5, 1.0, 3.0):
        d = np.array([delta, delta + 0.1, delta + 2, -delta - 2, -delta / 2])
        wanted = np.append(delta**2 / 2 + delta * np.array([0, 0.1, 2, 2]), delta**2 / 8)
        found = loss_of(huber, d, delta=delta)
        said = f"differences {d}: half the square where |d| is up to delta={delta}, "
        said += f"beyond it a line of slope {delta} from delta^2 / 2 on"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


def test_huber_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (), (0, 3)):
            found = loss_of(huber, np.full(shape, 300, kind), delta=1)
            said = "beyond delta 1, 1 (300 - 1/2), although 300^2 is too large for float16"
            assert found.shape == shape, f"shape {shape} stays, here it became {found.shape}"
            np.testing.assert_array_equal(found, np.full(shape, 299.5), err_msg=said)


# %% [markdown]
# `mse_loss` squares the differences, `huber_loss` is `huber` of them, both reduced. `smooth_l1_loss` divides by δ, so
# that the slope beyond it is 1, and `l1_loss` is what is left when δ goes to 0. All four are given, because they add
# nothing new.

# %%
#| export
from tinytorch.given.losses.differences import *

# %%
d = np.linspace(-3, 3, 301)
for name, losses in {
    "half the square": d**2 / 2,
    "size": np.abs(d),
    "huber, δ = 1": huber(from_numpy(d), 1).numpy(),
}.items():
    plt.plot(d, losses, label=name)
plt.xlabel("difference")
plt.legend()
plt.show()

# %% [markdown]
# ## 4. Classes: how surprised were you?
# A classifier answers with probabilities, and the target is a class. How wrong was it? Ask how surprised it is by the
# truth: not at all if it gave the class probability 1, infinitely if it gave 0. Surprises of independent events should
# add up while their probabilities multiply, and only the logarithm does that:
#
# $$\ell = -\log p_y$$
#
# This is again the negative logarithm of the data's probability, or *negative log-likelihood*. Only the right class
# counts: the probabilities of the others matter only because they are missing here.
#
# `nll_loss` takes *logarithms* of probabilities, of shape $(N, C)$, and classes of shape $(N)$; or, for one answer per
# pixel or per word, $(N, C, d_1, \dots)$ and $(N, d_1, \dots)$. The class dimension is always the second (the first, if
# there is no batch). Two options change how much a position counts:
#
# - `weight` has one number per class. A rare class may count more.
# - Positions whose target is `ignore_index`, such as padding, do not count.
#
# The mean divides by the *total* weight of the positions that count. Note what follows: with weights 1 and 10, the mean
# of a batch with many rare examples is not larger than that of a batch with few.
#
# To pick one number per row, use `gather`, which you wrote in module 01: along `dim`, it takes from
# `input` the entries that an index names. The index must have as many dimensions as the input.
#
# <details><summary>Hint 1</summary><code>gather</code> wants indices with as many dimensions as the input:
# <code>unsqueeze</code> gives the classes one more, and <code>squeeze(dim)</code> removes it from the result.</details>
# <details><summary>Hint 2</summary>The weight of a position is that of its class, or 1 if there is no weight, and 0 if
# it is ignored. Multiply by it, and pass its sum to <code>reduced</code> as the total.</details>
# <details><summary>Hint 3</summary>An ignored position may hold -inf, and 0 times infinity is NaN:
# <code>masked_fill</code> writes a true 0 there, before anything is multiplied.</details>


# %% stub="nll-loss"
#| export
def nll_loss(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
):
    """Take the negative logarithm of the probability that each right class was given.

    Args:
        input: log-probabilities (N, C), (C,), or (N, C, d1, ...), a floating-point Tensor.
        target: the right classes (N,), (), or (N, d1, ...), an int64 Tensor; or
            `ignore_index`: that position does not count, whatever it holds, even -inf.
        weight: what each class counts, (C,); 1 each, if it is left out.
        reduction: "mean" (over what all positions count together; 0 / 0 is NaN), "sum" or
            "none".

    Returns:
        A 0-d Tensor; with "none", one of target's shape, 0 where the target is ignored.

    Raises:
        IndexError: for a class that does not exist.
        ValueError, RuntimeError: for shapes or types that do not fit.

    >>> nll_loss(tensor([[-0.1, -2.4], [-3.0, -0.05]]), tensor([0, 1]), reduction="none")
    tensor([0.1000, 0.0500])
    """
    target = check_classes(input, target, weight)
    reduction, dim = chosen(size_average, reduce, reduction), min(1, input.ndim - 1)
    # kept: whether each position counts, bool; classes: target, with 0 where it is ignored
    kept, classes = map(wrap, lookup(target.array, input.shape[dim], ignore_index))
    ### BEGIN SOLUTION
    counts = kept if weight is None else weight[classes] * kept
    picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
    losses = -picked.masked_fill(~kept, 0) * counts
    return reduced(losses, reduction, counts.sum())
    ### END SOLUTION


# %% test="nll-loss" points=6
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


def test_nll_loss_divides_by_what_all_count_together():
    log_p = log_probabilities(3, 3)
    for weight in ([1.0, 10.0, 0.5], [0.1, 0.2, 0.05]):
        w = np.array(weight)
        total = w[1] + w[0] + w[1]
        wanted = -(w[1] * log_p[0, 1] + w[0] * log_p[1, 0] + w[1] * log_p[2, 1]) / total
        found = loss_of(nll_loss, log_p, np.array([1, 0, 1]), weight=from_numpy(w))
        said = f"targets 1, 0, 1, weights {weight}: the weighted sum over {total:.4g}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


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
            said = (
                f"targets {target}, weights {weight}: the mean divides by {total}, what the "
            )
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


def test_nll_loss_counts_alike_without_a_batch():
    log_p, weight = np.array([-0.5, -1.0, -np.inf]), from_numpy(np.array([1.0, 3.0, 2.0]))
    for target, wanted in ((1, 3), (-100, 0), (2, np.inf)):
        found = loss_of(nll_loss, log_p, np.array(target), weight=weight, reduction="sum")
        said = f"log p {log_p}, weights [1, 3, 2], target {target}: {wanted}"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


# %% [markdown]
# ## 5. Cross-entropy, from raw scores
# A network ends in scores, so to get log-probabilities you would put `log_softmax` before `nll_loss`. The two together
# are *cross-entropy*, and they are usually computed as one function:
#
# $$\ell = -\log \mathrm{softmax}(x)_y = \log \sum_j e^{x_j} - x_y$$
#
# Look at the right-hand side. From a row of $C$ scores it needs two numbers, the log-sum-exp and one score. The other
# $C - 1$ log-probabilities would be computed only to be thrown away. For a small language model that can be most of the
# memory of a training step: 1,024 positions times 50,257 classes are 206 MB, for each array of that shape. So compute
# the loss from the scores directly, for a few rows at a time, and make no such array.
#
# You write the loss of a block of rows. As in log-softmax, shift by the maximum first, and subtract only
# numbers that are near 0: $\log\sum_j e^{x_j - m} - (x_y - m)$. Give back the maximum and the sum of the
# exponentials as well: from these two numbers per row, module 06 will make the gradient, which is softmax
# minus one at the right class.
#
# <details><summary>Hint 1</summary>The shifted scores are needed twice: one of them per row is picked, all are
# exponentiated. Pick first, and you can exponentiate in place.</details>
# <details><summary>Hint 2</summary><code>np.take_along_axis(shifted, classes, axis=1)</code> picks, and what it returns
# has the shape of <code>classes</code>. All reductions need <code>axis=1, keepdims=True</code>.</details>
# <details><summary>Hint 3</summary>In place means <code>np.exp</code> with <code>out=</code>. The losses are the
# logarithms of the sums minus what was picked.</details>


# %% stub="row-losses"
#| export
def row_losses(x, classes):
    """Compute the cross-entropy of each row of scores: log(sum_j exp(x_j)) - x_class.

    Args:
        x: scores, an array (N, C, ...), floating point; not changed.
        classes: the right classes, an int64 array (N, 1, ...).

    Returns:
        Three arrays (N, 1, ...) of x's dtype: the losses, the largest score m of each row,
        and the sum of its exp(x - m).

    >>> losses, largest, sums = row_losses(np.float32([[1000.0, 1000.0]]), np.array([[1]]))
    >>> losses, largest.item(), sums.item()
    (array([[0.6931472]], dtype=float32), 1000.0, 2.0)
    """
    ### BEGIN SOLUTION
    largest = x.max(axis=1, keepdims=True, initial=-np.inf)
    shifted = x - largest  # (N, C, ...), the only array of that size
    picked = np.take_along_axis(shifted, classes, axis=1)
    sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
    return np.log(sums) - picked, largest, sums
    ### END SOLUTION


# %% test="row-losses" points=6
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


def test_row_losses_take_further_dimensions():
    for shape in ((2, 3, 4), (2, 5, 3, 3), (0, 3), (2, 3, 0)):
        log_p = log_probabilities(*shape)
        one = (shape[0], 1, *shape[2:])
        classes = np.random.default_rng(1).integers(0, shape[1], one)
        wanted = -np.take_along_axis(log_p, classes, 1)
        losses, _, _ = losses_of_rows(log_p, classes)
        said = f"scores {shape}: the classes are axis 1"
        np.testing.assert_allclose(losses, wanted, rtol=1e-9, err_msg=said)


def test_row_losses_survive_scores_of_1000():
    x = np.float32([[1000, 999], [-1000, -1001], [1000, -1000], [3, -np.inf]])
    wanted = [[1 + np.log(1 + np.exp(-1))], [1 + np.log(1 + np.exp(-1))], [2000], [0]]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        losses, _, _ = losses_of_rows(x, np.array([[1], [1], [1], [0]]))
    said = "as exact near 1000 as near 0, and next to an impossible class"
    np.testing.assert_allclose(losses, wanted, rtol=1e-6, err_msg=said)


def test_row_losses_give_what_the_gradient_needs():
    x = np.float32([[1, 3, 2], [5, 5, 5]])
    _, largest, sums = losses_of_rows(x, np.array([[0], [0]]))
    np.testing.assert_array_equal(largest, [[3], [5]], err_msg="the largest score of each row")
    wanted = [[np.exp(-2) + 1 + np.exp(-1)], [3]]
    said = "the sum of exp(x - largest) of each row"
    np.testing.assert_allclose(sums, wanted, rtol=1e-6, err_msg=said)


# %% [markdown]
# The loop around it is given. It takes as many rows at a time as fit into a processor core's own cache, so that the
# array of shifted scores never grows beyond it. At the end come the options: class weights, ignored positions, and
# label smoothing, which is the subject of the next section.


# %%
#| export
def blocks(x):
    """Slices of the first dimension, each of some 2^16 numbers, which fit the cache."""
    return in_parts(x, len(x) * 2**16 // max(x.size, 1))


class CrossEntropy(Function):
    @staticmethod
    def forward(ctx, x, target, weight=None, ignore_index=-100, label_smoothing=0.0):
        """Losses (N, ...) of scores (N, C, ...) and classes (N, ...): no array of x's size."""
        found = lookup(target, x.shape[1], ignore_index)
        kept, classes = [array[:, None] for array in found]  # (N, 1, ...)
        losses, largest, sums = np.empty_like(x, shape=(3, *kept.shape), order="C")
        for rows in blocks(x):
            losses[rows], largest[rows], sums[rows] = row_losses(x[rows], classes[rows])
        weight = np.ones_like(x, shape=x.shape[1]) if weight is None else weight
        at_class = (1 - label_smoothing) * weight[classes]  # (N, 1, ...)
        share = label_smoothing / x.shape[1] if label_smoothing else 0.0
        everywhere = share * weight  # (C,)
        losses *= at_class
        if label_smoothing:
            weighted_scores = (np.moveaxis(x, 1, -1) @ everywhere)[:, None]
            losses += everywhere.sum() * (largest + np.log(sums)) - weighted_scores
        losses[~kept] = 0
        ctx.smoothed = label_smoothing > 0
        ctx.save_for_backward(x, kept, classes, largest, sums, at_class, everywhere)
        return losses[:, 0]


# %% [markdown]
# ## 6. Uncertain targets
# "Cross-entropy" is the name of something more general. If the truth is a distribution $q$ over the classes,
# the expected surprise of a network that answers $p$ is
#
# $$H(q, p) = -\sum_c q_c \log p_c$$
#
# A class index is the case where $q$ is 1 at one class. But the truth may be less certain: several people may have
# labelled the same picture differently, or the target may be another network's answer, as in the distillation of
# module 16. PyTorch's `cross_entropy` takes both: if the target has the shape of the input, it is taken for
# probabilities.
#
# *Label smoothing* makes a certain target a little less so: it takes a share $\varepsilon$ from it and gives it to all
# classes alike, $q' = (1 - \varepsilon)\,q + \varepsilon / C$. Why? With $q = 1$ the loss falls as long as the leading
# score grows, without limit; with $q' = 0.9$ there is a finite score at which it is smallest.
#
# <details><summary>Hint 1</summary>First smooth the target, then multiply it with
# <code>log_softmax(input, dim)</code> and with the weights, then sum over the classes.</details>
# <details><summary>Hint 2</summary>The weights belong to the classes: reshape them to have C at
# <code>dim</code> and 1 everywhere else. Or move the classes to the end first.</details>
# <details><summary>Hint 3</summary>The mean is over the positions, N times d1 times ..., not over all numbers and not
# over weights. After the sum over <code>dim</code> only the positions are left: <code>reduced(losses, reduction)</code>
# does it.</details>


# %% stub="soft-cross-entropy"
#| export
def soft_cross_entropy(input, target, weight, reduction, label_smoothing):
    """Compute the cross-entropy of scores and probabilities: -sum_c w_c q_c log softmax(x)_c.

    Here w is the weight, and q = (1 - label_smoothing) target + label_smoothing / C.

    Args:
        input: finite scores (N, C), (C,), or (N, C, d1, ...), a floating-point Tensor.
        target: a probability for each class, of the same shape.
        weight: what each class counts, (C,), or None.
        reduction: "mean" (over the positions), "sum" or "none".
        label_smoothing: the share that is divided equally among all classes, from 0 to 1.

    Returns:
        A 0-d Tensor; with "none", one without the class dimension.

    >>> soft_cross_entropy(tensor([[0.0, 0.0]]), tensor([[0.3, 0.7]]), None, "none", 0.0)
    tensor([0.6931])
    """
    dim = min(1, input.ndim - 1)
    ### BEGIN SOLUTION
    target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
    if weight is not None:
        target = target * weight.reshape([-1 if d == dim else 1 for d in range(input.ndim)])
    losses = -(log_softmax(input, dim) * target).sum(dim)
    return reduced(losses, reduction)
    ### END SOLUTION


# %% test="soft-cross-entropy" points=5
def surprise(x, q, weight=None, reduction="none", label_smoothing=0.0, traced=True):
    """The loss of scores and probabilities, as an array."""
    weight = None if weight is None else from_numpy(weight)
    options = {"weight": weight, "reduction": reduction, "label_smoothing": label_smoothing}
    return loss_of(soft_cross_entropy, x, q, traced=traced, **options)


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


def test_soft_cross_entropy_smooths_the_target():
    log_p, q = log_probabilities(2, 4, 6), np.zeros((2, 4, 6))
    q[:, 1] = 1
    for smoothing in (0.2, 1.0):
        each = smoothing / 4
        wanted = -((1 - smoothing) * log_p[:, 1] + each * log_p.sum(axis=1)).mean()
        found = surprise(log_p, q, reduction="mean", label_smoothing=smoothing)
        said = f"(2, 4, 6): {smoothing} of the target is shared, {each} to each of 4 classes"
        np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


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


def test_soft_cross_entropy_survives_scores_of_1000():
    found = surprise(np.float32([[1000.0, 0.0]]), np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, [500], rtol=1e-6, err_msg="half of 0 and half of 1000")


# %% [markdown]
# The public function `cross_entropy` is given; it checks its arguments and distinguishes the two kinds of target.

# %%
#| export
from tinytorch.given.losses.classes import *

# %% [markdown]
# ### What to expect before training
# **Predict:** a language model that has learned nothing gives each of its 50,257 tokens about the same score. What is
# its loss?

# %%
predicted_loss = None  # a number

# %%
manual_seed(0)
for classes in (10, 50257):
    loss = cross_entropy(0.02 * randn(64, classes), from_numpy(np.arange(64) % classes)).item()
    print(f"{classes:6} classes: {loss:.3f} before training, log C = {math.log(classes):.3f}")
compare(predicted_loss, loss)

# %% [markdown]
# Equal scores mean $p = 1/C$, hence a loss of $\log C$. Remember the two numbers: if the first loss that your training
# prints is far from them, something is wrong before you begin. And $e^{\ell}$ is the number of equally likely classes
# with the same uncertainty, the *perplexity*.

# %% [markdown]
# ## 7. Two classes, or many that do not exclude each other
# A picture may show a cat *and* a dog. Then each class is a separate question, with a probability $p$ of yes, and a
# target $y$ that is 1 or 0. Cross-entropy with two classes, $p$ and $1 - p$, reads
#
# $$\ell = -\bigl(y \log p + (1 - y) \log(1 - p)\bigr)$$
#
# If you only have probabilities, this is what to compute. It is infinite when the network was certain and wrong, and
# NaN when it was certain and right: $0 \cdot \log 0$. PyTorch limits each logarithm to at least -100, and so do you.
# `log1p` helps here as in softplus: $1 - p$ rounds a small $p$ away.
#
# This one is a `Function`. Its gradient, $(p - y) / (p (1 - p))$, needs its own limit, which the gradients of its parts
# would not have.
#
# <details><summary>Hint 1</summary>A limited logarithm is the larger of the logarithm and -100; and
# <code>np.log1p(-x)</code> is log(1 - x).</details>
# <details><summary>Hint 2</summary>Limit both logarithms first. Then use them in the formula.</details>
# <details><summary>Hint 3</summary>The logarithm of 0 is expected here: <code>np.errstate(divide="ignore")</code>, as a
# context, keeps NumPy from warning. Both arguments are saved for backward.</details>


# %% stub="binary-cross-entropy"
#| export
class BinaryCrossEntropy(Function):
    @staticmethod
    def forward(ctx, x, target):
        """Compute -(y log x + (1 - y) log(1 - x)), with each logarithm at least -100.

        Args:
            x: probabilities of yes, an array of any shape, from 0 to 1.
            target: 1 for yes, 0 for no, or a probability; of the same shape and dtype.

        Returns:
            An array of the same shape and dtype, one loss for each element.

        Saves:
            Both inputs themselves, x first.

        >>> x, target = np.float32([0.5, 0.0, 0.0]), np.float32([1, 0, 1])
        >>> BinaryCrossEntropy.forward(Context(), x, target)
        array([  0.6931472,   0.       , 100.       ], dtype=float32)
        """
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, target)
        with np.errstate(divide="ignore"):
            log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        return (target - 1) * log_q - target * log_p
        ### END SOLUTION


# %% test="binary-cross-entropy" points=4
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


def test_binary_cross_entropy_is_the_expected_surprise():
    x, y = np.linspace(0.05, 0.95, 6).reshape(2, 3), np.array([[0, 1, 0.3], [0.5, 1, 0]])
    wanted = -(y * np.log(x) + (1 - y) * np.log(1 - x))
    found = binary_losses(x, y)
    said = "-(y log x + (1 - y) log(1 - x))"
    np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=said)


def test_binary_cross_entropy_is_limited_where_it_was_sure():
    x, y = np.float32([0, 1, 0, 1, 0, 1e-45]), np.float32([0, 1, 1, 0, 0.5, 1])
    found = binary_losses(x, y)
    said = "certain: right is 0, wrong is 100, half wrong 50; log 1e-45 is limited, too"
    np.testing.assert_array_equal(found, [0, 0, 100, 100, 50, 100], err_msg=said)


def test_binary_cross_entropy_notices_small_probabilities():
    found = binary_losses(np.float32([1e-9, 1e-30]), np.float32([0, 1]))
    said = "-log(1 - 1e-9) is 1e-9, -log(1e-30) is 69.08"
    np.testing.assert_allclose(found, [1e-9, 30 * np.log(10)], rtol=1e-5, err_msg=said)


def test_binary_cross_entropy_takes_any_shape():
    for shape in ((0, 2), (), (2, 1, 3)):
        found = binary_losses(np.full(shape, 0.25, np.float32), np.ones(shape, np.float32))
        assert found.shape == shape, f"shape {shape} stays, here it became {found.shape}"


# %%
#| export
from tinytorch.given.losses.binary import *

# %% [markdown]
# The limit of -100 is a patch. A network has scores, and $p = \sigma(x)$ is 1 exactly from $x = 17$ on in float32:
# how large the score is no longer shows, and the gradient is lost. So start from the score. With
# $-\log\sigma(x) = \mathrm{softplus}(-x)$ and $-\log(1 - \sigma(x)) = \mathrm{softplus}(x)$, the loss is
#
# $$\ell = y\,\mathrm{softplus}(-x) + (1 - y)\,\mathrm{softplus}(x) = (1 - y)\,x + \mathrm{softplus}(-x)$$
#
# since $\mathrm{softplus}(x) = x + \mathrm{softplus}(-x)$. The last form needs one softplus. It does not overflow for
# any score, and needs no limits or clamps. (Question 5 is about what it may still lose.)
#
# `pos_weight` makes a yes count more, for questions whose answer is mostly no: it multiplies the term with $y$. Then
# the two factors no longer add up to one, but the factor of $\mathrm{softplus}(-x)$ is still a single number:
# $1 - y + w y$.
#
# <details><summary>Hint 1</summary>
#
# Write the first form with the weight in it, $w y\,\mathrm{softplus}(-x) + (1 - y)\,\mathrm{softplus}(x)$. That is
# already right.
#
# </details>
# <details><summary>Hint 2</summary>Replace softplus(x) by x + softplus(-x), and collect the factors of
# softplus(-x).</details>
# <details><summary>Hint 3</summary>Without a <code>pos_weight</code> the factor is 1. With
# <code>threshold=math.inf</code>, softplus is exact in float64 too. <code>weight</code> multiplies the losses
# before <code>reduced</code>.</details>


# %% stub="binary-cross-entropy-with-logits"
#| export
def binary_cross_entropy_with_logits(
    input,
    target,
    weight=None,
    size_average=None,
    reduce=None,
    reduction="mean",
    pos_weight=None,
):
    """Compute the cross-entropy of two classes from scores.

    (1 - y) x + (1 - y + w y) softplus(-x), where w is `pos_weight`

    Args:
        input: scores of yes, a floating-point Tensor of any shape.
        target: 1 for yes and 0 for no, or a probability; of the same shape.
        weight: the weight of each loss; broadcast.
        pos_weight: the weight of a yes; broadcast.
        reduction: "mean" (over all elements, weights or not), "sum" or "none".

    Returns:
        A 0-d Tensor; with "none", one of input's shape.

    Raises:
        ValueError: if the shapes of input and target differ.

    >>> x, y = tensor([0.0, 1000.0]), tensor([1.0, 0.0])
    >>> binary_cross_entropy_with_logits(x, y, reduction="none")
    tensor([6.9315e-01, 1.0000e+03])
    """
    reduction = chosen(size_average, reduce, reduction)
    same_size(input, target)
    ### BEGIN SOLUTION
    factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    losses = (1 - target) * input + factor * softplus(-input, threshold=math.inf)
    return reduced(losses if weight is None else losses * weight, reduction)
    ### END SOLUTION


# %% test="binary-cross-entropy-with-logits" points=5
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


def test_bce_with_logits_survives_scores_of_1000():
    x, y = np.float32([1000, 1000, -1000, -1000]), np.float32([1, 0, 1, 0])
    found = loss_of(binary_cross_entropy_with_logits, x, y, reduction="none")
    said = "certain and wrong costs the score, 1000"
    np.testing.assert_allclose(found, [0, 1000, 1000, 0], atol=1e-6, err_msg=said)


def test_bce_with_logits_is_exact_in_float64():
    x, y = np.array([-15.0, -21.0, 21.0, 30.0]), np.array([1.0, 1.0, 0.0, 0.0])
    wanted = np.abs(x) + np.log1p(np.exp(-np.abs(x)))
    found = loss_of(binary_cross_entropy_with_logits, x, y, reduction="none")
    said = "|x| + log1p(exp(-|x|)) to the last digits, beyond softplus's threshold of 20 too"
    np.testing.assert_allclose(found, wanted, rtol=1e-14, err_msg=said)


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
            found = loss_of(
                binary_cross_entropy_with_logits, x, y, reduction=reduction, **options
            )
            said = (
                f"weight {weight}, pos_weight {pos_weight}: pos_weight multiplies y log p, "
                f"weight the whole loss; a mean is over all {expected.size}"
            )
            np.testing.assert_allclose(found, wanted, rtol=1e-8, err_msg=said)


# %% [markdown]
# ## 8. The distance between two distributions
# Cross-entropy is not zero at its best: when the network answers $q$ itself, what is left is $q$'s own
# uncertainty. Subtract that, and you have the *Kullback-Leibler divergence*, which is zero exactly there:
#
# $$D(q \,\|\, p) = \sum_c q_c\,(\log q_c - \log p_c)$$
#
# The gradients are those of cross-entropy. It is used where one distribution should approach another, as in
# distillation and in variational models, and where the loss should be able to reach 0.
#
# PyTorch's arguments take getting used to. `input` is the network's answer, as *logarithms*; `target` is $q$, as
# probabilities, unless `log_target` says that these are logarithms too. A $q_c$ of 0 contributes nothing: $q \log q$
# goes to 0. Its `"mean"` divides by all elements, classes included, which is not the divergence; `"batchmean"` divides
# by the batch only, which is the formula.
#
# <details><summary>Hint 1</summary>With <code>log_target</code>, q is <code>target.exp()</code> and log q is
# <code>target</code>. Without, multiply out the formula, so that q log q stands alone.</details>
# <details><summary>Hint 2</summary><code>where(target == 0, 0.0, ...)</code> replaces 0 · log 0; put
# <code>with np.errstate(divide="ignore", invalid="ignore"):</code> around it, because it is computed first.</details>
# <details><summary>Hint 3</summary>"batchmean" is a mean with a total, the input's first length, or 1 where it has no
# dimensions; all others go to <code>reduced</code> unchanged.</details>


# %% stub="kl-div"
#| export
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Compute the Kullback-Leibler divergence, element by element, then reduced.

    target (log target - input), where input is a logarithm already

    Args:
        input: finite log-probabilities, a floating-point Tensor of any shape.
        target: probabilities, or their finite logarithms with `log_target`; of the same
            shape, or broadcast.
        reduction: "mean", "sum", "none", or "batchmean": the sum divided by the length of
            the input's first dimension, if it has one.

    Returns:
        A 0-d Tensor; with "none", one term for each element.

    >>> kl_div(tensor([[0.5, 0.5]]).log(), tensor([[0.0, 1.0]]), reduction="batchmean")
    tensor(0.6931)
    """
    reduction = chosen(size_average, reduce, reduction)
    ### BEGIN SOLUTION
    if log_target:
        losses = target.exp() * (target - input)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = where(target == 0, 0.0, target * target.log()) - target * input
    if reduction == "batchmean":
        return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
    return reduced(losses, reduction)
    ### END SOLUTION


# %% test="kl-div" points=4
def test_kl_div_is_zero_where_the_distributions_agree():
    q = probabilities(3, 4)
    found = loss_of(kl_div, np.log(q), q, reduction="none")
    said = "the same distribution twice"
    np.testing.assert_allclose(found, np.zeros((3, 4)), atol=1e-12, err_msg=said)


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


# %% [markdown]
# All losses are also given as modules, `MSELoss`, `CrossEntropyLoss` and so on, for programs that pass a loss around as
# an object. With them come PyTorch's other losses: of distances and angles, of margins, of counts and variances. Each
# is a formula of a line or two, and you now know how to read it.

# %%
#| export
from tinytorch.given.losses.modules import *
from tinytorch.given.losses.distances import *
from tinytorch.given.losses.comparisons import *
from tinytorch.given.losses.margin_losses import *
from tinytorch.given.losses.likelihoods import *

# %% [markdown]
# ## Systems: the last layer of a language model
# 1,024 positions with 50,257 scores each are 51 million numbers. Here is the loss in two ways: from its parts, and as
# you wrote it, block by block. Both are forward only, so nothing is kept for a gradient.
#
# **Predict:** how many arrays of the scores' size do the parts need besides the scores, at their peak? Both ways
# compute 51 million exponentials: how many times as long do the parts take?

# %%
predicted_arrays = None  # a number of arrays of 206 MB
predicted_time = None  # the parts' time over that of the blocks


# %%
def from_parts(x, target):
    """Cross-entropy from its two parts, one after the other."""
    return nll_loss(log_softmax(x, 1), target)


def peak(run):
    """The most memory in use while it runs, in bytes."""
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


rng = np.random.default_rng(0)
x = from_numpy(rng.standard_normal((1024, 50257), dtype=np.float32))
target = from_numpy(rng.integers(0, 50257, 1024))
print(f"the scores: {x.nbytes / 1e6:.0f} MB")
taken, needed = [], []
for name, run in {
    "from parts": lambda: from_parts(x, target),
    "block by block": lambda: cross_entropy(x, target),
}.items():
    seconds = min(timeit.repeat(run, number=1, repeat=2))
    loss, more = run().item(), peak(run) / 1e6
    taken.append(seconds)
    needed.append(more * 1e6)
    print(f"{name:>14}: {loss:.4f}   {more:6.1f} MB more   {seconds * 1e3:5.0f} ms")
    assert more > 400 if name == "from parts" else more < 1
compare(predicted_arrays, needed[0] / x.nbytes, "arrays")
compare(predicted_time, taken[0] / taken[1], "times")

# %% [markdown]
# The parts need two more arrays of 206 MB, for the log-probabilities and for their exponentials. The blocks need less
# than one megabyte, and the loss is the same. They do not save arithmetic: both take 51 million exponentials. The
# difference is memory. Two arrays of 206 MB come from the operating system, page by page, and do not fit into the
# caches; a block, here of a single row, is computed in the cache, used there, and overwritten by the next.
#
# In training, the gradient of the scores has to be somewhere: one array of 206 MB, and it cannot be avoided. Module 06
# will compute it block by block as well, from the two numbers per row that `row_losses` returned. From parts, the
# log-probabilities would be kept until then, and their gradient would be one more array.
#
# ## Break it
# ### The logarithm of a softmax
# Cross-entropy from raw scores prevents this mistake. The right class trails by a growing gap. Both curves are the
# loss; one is computed through probabilities.
#
# **Predict:** of two classes the right one trails by 150, so the loss is 150. What does `cross_entropy` say if it is
# given the two *probabilities* by mistake?

# %%
predicted_twice = None  # a number

# %%
gaps = np.linspace(0, 150, 301, dtype=np.float32)
scores = np.stack([np.zeros_like(gaps), gaps], axis=1)  # the right class is the first
with np.errstate(divide="ignore"):
    through_probabilities = -np.log(softmax(from_numpy(scores), 1).numpy()[:, 0])
stable = -log_softmax(from_numpy(scores), 1).numpy()[:, 0]
plt.plot(gaps, stable, label="-log_softmax(x)", linewidth=4, alpha=0.4)
plt.plot(gaps, through_probabilities, label="-log(softmax(x))")
plt.xlabel("how far the right class trails")
plt.ylabel("loss")
plt.legend()
plt.show()
finite = through_probabilities[np.isfinite(through_probabilities)]
print(f"the last finite loss: {finite.max():.1f}")
twice = cross_entropy(softmax(from_numpy(scores[-1:]), 1), tensor([0])).item()
compare(predicted_twice, twice)
assert 100 < finite.max() < 104
assert abs(twice - 1.3133) < 1e-4

# %% [markdown]
# At 104 the probability is 0, the loss infinite, and every weight NaN after the next step. It tends to happen
# late in training, when a confident network meets its first badly labelled example.
#
# The opposite mistake is common too, and harder to see: passing *probabilities* to `cross_entropy`, which applies the
# softmax once more. Nothing fails. Probabilities differ by 1 at most, so with two classes the worst possible answer now
# costs $\log(1 + e) = 1.313$ and the best 0.313; the gradients are small, and the network learns, badly.
#
# ### A broadcast by accident
# A network with one output gives shape (N, 1). The targets were read from a table as (N,). Broadcasting makes (N, N) of
# the two: every prediction is compared with every target.

# %%
manual_seed(0)
prediction = randn(4, 1)
target = prediction.squeeze(1)  # the very same numbers: the loss should be 0
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("loss of a perfect prediction:", mse_loss(prediction, target).item())
print(caught[0].message)
print("with the same shapes:", mse_loss(prediction.squeeze(1), target).item())

# %% [markdown]
# The loss is a number, it has gradients, and it falls. It is smallest when every prediction is the mean of all targets,
# so such a network learns that mean. Turn this warning into an error in your own work:
# `warnings.simplefilter("error")`.
#
# ### A batch in which nothing counts
# If all positions are ignored, the mean divides 0 by 0. That is NaN, in PyTorch as well. It can happen with a last,
# short batch that is all padding, and one such batch is enough.

# %%
with np.errstate(invalid="ignore"):
    print(cross_entropy(randn(2, 3), tensor([-100, -100])))
print(cross_entropy(randn(2, 3), tensor([-100, -100]), reduction="sum"))

# %% [markdown]
# ## In PyTorch
# The same lines, with PyTorch 2, and what they print:
#
# ```python
# import torch
# from torch import nn
# from torch.nn import functional as F
#
# scores = torch.tensor([[2.0, 0.0, -1.0], [0.0, 1000.0, 0.0]])
# F.cross_entropy(scores, torch.tensor([0, 1]), reduction="none")   # tensor([0.1698, -0.0000])
# F.cross_entropy(scores, torch.tensor([0, -100]))                  # tensor(0.1698)
# F.cross_entropy(scores, torch.tensor([0, 0]))                     # tensor(500.0849)
# F.cross_entropy(scores, torch.tensor([0, 1]), label_smoothing=0.3)            # tensor(100.3349)
# nn.BCEWithLogitsLoss()(torch.tensor([1000.0]), torch.tensor([0.0]))           # tensor(1000.)
# F.huber_loss(torch.tensor([0.0, 10.0]), torch.tensor([0.0, 0.0]), delta=2.0)  # tensor(9.)
# ```
#
# PyTorch computes cross-entropy from parts, `log_softmax` and then `nll_loss`: two kernels, and one array of
# log-probabilities that is kept for the gradient. Some libraries for training large models replace it by a fused
# version like yours.
#
# ## Questions
# 1. Which loss is the negative log-likelihood of noise with the density $\frac{1}{2} e^{-|d|}$? Which statistic of the
#    data does it lead to?
#
#    <details><summary>Answer</summary>
#
#    The absolute value: $-\log(\frac12 e^{-|d|}) = |d| + \log 2$, and the constant changes no gradient. So `l1_loss`
#    assumes this noise (Laplace's), whose tails are heavier than the normal ones: at $|d| = 10$ its density is 2e-5,
#    where that of a normal distribution with variance 1 is 8e-23, so a large error surprises it much less. For one
#    answer $m$ the slope of $\sum_i |m - x_i|$ is the number of data below $m$ minus the number above. It is zero when
#    half are on either side: at the median. The first cell of section 1 shows it: smallest at 1.30, the median of the
#    nine.
#
#    </details>
#
# 2. With two classes, a weight of 10 for the second and `reduction="mean"`: by what factor does the loss change if
#    every example is of the second class?
#
#    <details><summary>Answer</summary>
#
#    By 1: not at all. Each loss is multiplied by 10, and so is the total weight by which the mean divides. A weight
#    matters only *relative* to the others in the batch. That has a consequence for training: a small batch that happens
#    to hold only rare examples does not count more than a batch of frequent ones. With `reduction="sum"` the factor is
#    10.
#
#    ```python
#    scores, classes, weight = randn(6, 2), tensor([1] * 6), tensor([1.0, 10.0])
#    for reduction in ("mean", "sum"):
#        weighted_loss = cross_entropy(scores, classes, weight, reduction=reduction).item()
#        print(reduction, weighted_loss / cross_entropy(scores, classes, reduction=reduction).item())
#    ```
#
#    </details>
#
# 3. The perplexity of a perfect model of English is not 1. What is it?
#
#    <details><summary>Answer</summary>
#
#    It is $e^H$, where $H$ is the entropy of English per token: the uncertainty that remains about the next token for a
#    model that knows the true probabilities. Text is not determined by what precedes it, so $H > 0$, and by $D(q \| p)
#    \ge 0$ (section 8) no model has a smaller expected loss. Nobody knows the number exactly. Shannon (1951) let people
#    guess letters and found bounds of 0.6 and 1.3 bits per letter, a perplexity between $2^{0.6} = 1.5$ and $2^{1.3} =
#    2.5$ per letter. Per token it is larger, since a token has several letters: at 1 bit a letter and 4 letters a
#    token, $2^4 = 16$.
#
#    </details>
#
# 4. Label smoothing with $\varepsilon = 0.1$ and ten classes: what score difference minimises the loss, and what is the
#    loss there?
#
#    <details><summary>Answer</summary>
#
#    Cross-entropy with the target $q'$ is smallest at $p = q'$, by section 8. Here $q'$ is $0.9 + 0.1/10 = 0.91$ at the
#    right class and 0.01 at the nine others. A difference of scores is the logarithm of a ratio of probabilities, so it
#    is $\log(0.91 / 0.01) = \log 91 = 4.51$. The loss there is the entropy of $q'$, $-0.91 \log 0.91 - 9 \cdot 0.01
#    \log 0.01 = 0.086 + 0.414 = 0.500$: a smoothed loss does not go to 0, and 0.5 is no sign of a bad network.
#
#    ```python
#    gap = np.linspace(0, 10, 1001)
#    scores, right = np.zeros((1001, 10)), from_numpy(np.zeros(1001, int))
#    scores[:, 0] = gap
#    smoothed = cross_entropy(from_numpy(scores), right, label_smoothing=0.1, reduction="none").numpy()
#    print(gap[smoothed.argmin()], smoothed.min())
#    ```
#
#    </details>
#
# 5. `binary_cross_entropy_with_logits` of $x = -20$ and $y = 0$ is 0 in float32, where $2 \cdot 10^{-9}$ is right.
#    Which subtraction lost it? Does training notice?
#
#    <details><summary>Answer</summary>
#
#    $(1 - y)\,x + \mathrm{softplus}(-x)$ is $-20 + \mathrm{softplus}(20)$, and softplus(20) is $20 + 2 \cdot 10^{-9}$.
#    Near 20 float32 has steps of 1.9e-6, so it is rounded to 20, and the sum is 0. The first form, softplus(-20) alone,
#    is right: 2.06e-9. PyTorch's loss is 0 here, too. Training does not notice. The gradient is $\sigma(x) - y = 2
#    \cdot 10^{-9}$ (PyTorch returns that, your parts return 0), and with a learning rate of 0.001 it would move the
#    score by 2e-12, which is again nothing beside 20.
#
#    </details>
#
# 6. Cross-entropy of (8, 50257, 128) and of (1024, 50257) has as many numbers. For which of the two do your blocks work
#    well, and what would you do about the other?
#
#    <details><summary>Answer</summary>
#
#    For the second: `blocks` cuts the first dimension, and one row is 0.2 MB. In the first one such piece is 50,257 x
#    128 numbers, and nothing smaller can be cut: it needed 25.8 MB more, where the second needed 0.43, and was somewhat
#    slower. Moving the classes to the end copies all 206 MB, and took over three times as long. Cut the *classes*
#    instead: 512 of them for all 128 positions are one contiguous piece. Keep the largest score so far and the sum of
#    exponentials for each position, and multiply the sum by $e^{m - m'}$ when the maximum rises from $m$ to $m'$. That
#    needed 0.53 MB, in about the same time as before.
#
#    </details>
#
# ## To read
#
# - C. M. Bishop, "Pattern Recognition and Machine Learning", Springer, 2006, sections 1.2.5 and 5.2: losses as negative
#   log-likelihoods, and the output that fits each.
# - P. J. Huber, "Robust Estimation of a Location Parameter", Annals of Mathematical Statistics 35, 1964: the loss of
#   section 3, and in what sense it is the best.
# - C. E. Shannon, "Prediction and Entropy of Printed English", Bell System Technical Journal 30, 1951: question 3,
#   measured with people.
# - C. Szegedy, V. Vanhoucke, S. Ioffe, J. Shlens and Z. Wojna, "Rethinking the Inception Architecture for Computer
#   Vision", CVPR 2016, section 7: label smoothing, where it comes from.
# - PyTorch's documentation of `CrossEntropyLoss` and `BCEWithLogitsLoss`: every option of this lesson with its formula.
#
# ## An open problem
#
# The scores of a language model are a product, `hidden @ weight.T`, and even with your blocks the product itself is an
# array of 206 MB. Compute the loss from `hidden` and `weight` without ever holding all scores: for some hundred classes
# at a time, as in the answer to question 6. PyTorch's newest versions have `linear_cross_entropy` for this. Start with
# the forward; after module 06, write its gradient, which has to compute the scores once more.


# %%
def linear_cross_entropy(hidden, weight, target):
    """The mean cross-entropy of the scores hidden @ weight.T, without holding them all."""
    raise NotImplementedError


def check_linear_cross_entropy():
    hidden, weight = randn(512, 64), 0.3 * randn(20000, 64)
    target = from_numpy(np.random.default_rng(0).integers(0, 20000, 512))
    scores = hidden @ weight.T
    found = linear_cross_entropy(hidden, weight, target).item()
    np.testing.assert_allclose(found, cross_entropy(scores, target).item(), rtol=1e-5)
    share = peak(lambda: linear_cross_entropy(hidden, weight, target)) / scores.nbytes
    assert share < 0.2, f"at its peak it needs {share:.2f} of the memory of all scores"


try:
    check_linear_cross_entropy()
    print("the loss is right, and the scores were never all there")
except NotImplementedError:
    print("not built yet")


# %% [markdown]
# ## What comes next
# You have a number that says how wrong a network is. Module 05 brings the data, and module 06 shows how each weight
# would change that number.
