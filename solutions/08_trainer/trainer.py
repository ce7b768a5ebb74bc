# %% [markdown]
# # 08 Training
#
# You have a gradient and an optimizer step. Between them and a trained model there is a loop of a few lines, which is
# easy to write and goes wrong in a dozen silent ways: a batch whose gradient is a hundred times the others, a learning
# rate that suits only a part of the training, a validation with dropout still on, a machine that goes down in the
# middle of the night. This module is about the loop.
#
# When you have finished this module you can
#
# - clip gradients, and choose a schedule of learning rates with a reason;
# - make eight small batches act as one large one, including the last, shorter group;
# - write a file so that a kill at any moment leaves it whole, and store models without pickle;
# - stop a training run in the middle of an epoch and resume it, at another time and on another machine, to exactly the
#   same weights.
#
# ## What you build
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `clip_grad_norm_`, `clip_grad_value_`, `get_total_norm` | the same in `torch.nn.utils` | `foreach` changes nothing |
# | `LRScheduler` and fifteen schedules | the same in `torch.optim.lr_scheduler` | |
# | `save`, `load` | `torch.save`, `torch.load` | safetensors and JSON, data and never code; PyTorch's format where a name ends in `.pt` |
# | `Trainer`, `Callback`, `History`, ... | | ours; Lightning and Keras have such classes |
# | `warmup_cosine`, `accuracy` | | ours |

# %%
#| export
import contextlib
import itertools
import math
import os
import tempfile

import numpy as np

from tinytorch.autograd import no_grad
from tinytorch.tensor import Tensor

# %%
import io
import time
import tracemalloc
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest

from tinytorch.dataloader import DataLoader, Digits
from tinytorch.given.predictions import compare
from tinytorch.layers import Dropout, Flatten, Linear, Parameter, ReLU, Sequential
from tinytorch.losses import CrossEntropyLoss, MSELoss, mse_loss
from tinytorch.optimizers import SGD, AdamW
from tinytorch.tensor import Generator, float64, manual_seed, randn, tensor, wrap

# %% [markdown]
# ## 1. The usual loop
#
# Digits of module 05, a small network, SGD with momentum. The loop is five lines. In addition to the loss, it records
# the norm of the whole gradient in each step: the length of the vector that contains all gradients.
#
# **Predict:** in the third run one batch of 135 is a hundred times too bright, all others are as they should be. How
# many of the 64 hidden units output zero for every image, at the end of the training?


# %%
predicted_dead = None  # of 64 units


# %%
def network(seed=0, dropout=0.0):
    manual_seed(seed)
    return Sequential(Flatten(), Linear(64, 64), ReLU(), Dropout(dropout), Linear(64, 10))


def loop(lr, clip=None, epochs=3, spoiled=None):
    """Train on digits; at a step `spoiled` the images are a hundred times too bright.

    The loss and the norm of every step, and the number of units that are dead at the end.
    """
    model, loss_fn, seen = network(), CrossEntropyLoss(), []
    optimizer = SGD(model.parameters(), lr, momentum=0.9)
    for _ in range(epochs):
        for images, labels in DataLoader(Digits(), batch_size=32, shuffle=True):
            images = images * 100 if len(seen) == spoiled else images
            optimizer.zero_grad()
            loss = loss_fn(model(images), labels)
            loss.backward()
            norm = np.sqrt(sum((p.grad.array**2).sum() for p in model.parameters()))
            if clip is not None:
                clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            seen.append((loss.item(), norm))
    hidden = model[:3](Digits().tensors()[0]).detach().array  # (1437, 64)
    return *np.array(seen).T, (hidden.max(0) == 0).sum()


def draw_losses(runs):
    """The losses and the norms of several runs, side by side."""
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
    for name, (loss, norm, dead) in runs.items():
        left.plot(loss, lw=0.9, label=f"{name}: {dead} of 64 units dead")
        right.semilogy(norm, lw=0.9)
    left.set(xlabel="step", ylabel="loss", ylim=(0, 6))
    right.set(xlabel="step", ylabel="norm of the gradient")
    left.legend()
    plt.show()


# %%
runs = {
    "lr=0.1": loop(0.1),
    "lr=1.0": loop(1.0),
    "lr=0.1, a batch spoiled": loop(0.1, spoiled=60),
}
draw_losses(runs)
assert runs["lr=1.0"][2] == 64, "every hidden unit is dead"
assert runs["lr=0.1, a batch spoiled"][2] > 2 * runs["lr=0.1"][2], "one batch kills units"
compare(predicted_dead, runs["lr=0.1, a batch spoiled"][2], "units")

# %% [markdown]
# With 0.1 all is well. With 1.0 the first steps are so long that they push all of the hidden units below zero, for
# every image; and where a ReLU outputs zero it has no gradient, so none of them recovers. The loss stays around 2.3,
# which is $\ln 10$: the network says "each digit is equally likely" forever. In the third run the rate is the good one,
# but in step 60 the pixels are not divided by their largest value, and this one step kills most of the units, too.
#
# There are two problems and two remedies. Against the rare gradient that is a hundred times the others: *clipping*.
# Against a rate that is too large at the beginning: start with a small one and raise it. That is a *schedule*.
#
# ## 2. Clipping
#
# A gradient is a direction and a length. Where the length is extreme, keep the direction and limit the length:
#
# $$g \leftarrow g \cdot \min\!\left(1, \frac{c}{\lVert g \rVert + 10^{-6}}\right)$$
#
# The norm is that of *all* gradients together, as one vector. Clipping each parameter's gradient separately would
# change the direction.
#
# ### The norm of many arrays
#
# Concatenating them would copy every gradient. But squares can be added in any order, so the norm of the whole is the
# norm of the norms:
#
# $$\Bigl(\sum_k \sum_i |g_{ki}|^p\Bigr)^{1/p} = \Bigl(\sum_k \lVert g_k \rVert_p^p\Bigr)^{1/p}, \qquad \lVert g \rVert_\infty = \max_i |g_i|$$
#
# <details><summary>Hint 1</summary><code>np.linalg.norm(x, p)</code> works for every p, including infinity, for an
# <code>x</code> of one dimension. For a matrix it means something else.</details>
# <details><summary>Hint 2</summary>A reshape makes one dimension of any shape, of a single number too.</details>
# <details><summary>Hint 3</summary>Make a list of the norms of the arrays, each a <code>float</code>, and take the norm
# of that list.</details>


# %% stub="total-norm"
#| export
def norm_of(arrays, norm_type):
    """Compute the norm of all the elements of several arrays, as if they were one vector.

    Args:
        arrays: a list of arrays of any shapes, not empty; they are neither changed nor, all
            of them at once, copied.
        norm_type: the p of the p-norm, a number above 0; inf for the largest absolute value.

    Returns:
        A float: NaN if an element is NaN.

    >>> norm_of([np.array([[3.0]]), np.array([0.0, 4.0])], 2.0)
    5.0
    >>> norm_of([np.array([[3.0]]), np.array([0.0, -4.0])], math.inf)
    4.0
    """
    ### BEGIN SOLUTION
    norms = [float(np.linalg.norm(array.reshape(-1), norm_type)) for array in arrays]
    return float(np.linalg.norm(norms, norm_type))
    ### END SOLUTION


# %% test="total-norm" points=3
def several_arrays(seed=0):
    rng = np.random.default_rng(seed)
    return [
        rng.standard_normal(shape).astype(np.float32)
        for shape in [(3, 4), (4,), (), (2, 3, 2)]
    ]


def test_the_norm_is_that_of_one_long_vector():
    found = norm_of([np.float32([[3, 0], [0, 4]])], 2.0)
    message = "a matrix counts as its elements in a row, 3, 0, 0, 4: the norm is 5"
    np.testing.assert_allclose(found, 5, err_msg=message)
    assert isinstance(found, float), f"the norm is a float, not a {type(found).__name__}"
    arrays = several_arrays()
    joined = np.concatenate([a.ravel() for a in arrays]).astype(np.float64)
    for p in (2.0, 1.0, 3.0, 0.5):
        expected = (np.abs(joined) ** p).sum() ** (1 / p)
        message = (
            f"p={p}: the sum of |x| ** p over all elements of all arrays, to the power 1/p"
        )
        np.testing.assert_allclose(norm_of(arrays, p), expected, rtol=1e-5, err_msg=message)


def test_the_infinity_norm_is_the_largest_absolute_value():
    arrays = several_arrays()
    arrays[1][2] = -7.0
    np.testing.assert_allclose(
        norm_of(arrays, math.inf), 7.0, err_msg="the sign does not count"
    )


def test_nan_in_any_array_is_the_norm():
    for p in (2.0, math.inf):
        found = norm_of([np.float32([1.0]), np.float32([2.0, np.nan])], p)
        assert math.isnan(found), f"p={p}, arrays [1.0] and [2.0, nan]: nan, not {found}"


def test_the_arrays_stay_as_they_are():
    arrays = several_arrays()
    norm_of(arrays, 2.0)
    for array, expected in zip(arrays, several_arrays()):
        message = "the arrays are read, not written"
        np.testing.assert_array_equal(array, expected, err_msg=message)


def test_no_copy_is_made_of_all_arrays():
    arrays = [np.ones(2000) for _ in range(40)]
    tracemalloc.start()
    try:
        norm_of(arrays, 2.0)
        peak = tracemalloc.get_traced_memory()[1] // arrays[0].nbytes
    finally:
        tracemalloc.stop()
    assert peak < 20, f"40 arrays, one by one, take memory for less than 20, not {peak}"


# %% [markdown]
# ### The scaling
#
# Scale the gradients in place, because the optimizer will read that memory. A gradient that is short enough is not made
# longer. And handle *NaN*: if one element is NaN, so is the norm, and so is the factor. Python's `min(1.0, nan)` is
# 1.0, which would pass on the bad gradient as if all were well; PyTorch multiplies by NaN, so that the problem shows
# everywhere at once.
#
# <details><summary>Hint 1</summary>The factor is the same for all arrays; the docstring has its formula.</details>
# <details><summary>Hint 2</summary>Scale where the factor is below 1 or NaN. Comparisons with NaN are false:
# <code>not factor >= 1</code> covers both.</details>
# <details><summary>Hint 3</summary>An operator that works in place changes the memory of each array.</details>


# %% stub="clip"
#| export
def scale_gradients(arrays, max_norm, norm):
    """Scale arrays in place so that their norm, taken together, is at most `max_norm`.

    array = array * min(1, max_norm / (norm + 1e-6))

    Args:
        arrays: a list of arrays, changed in their memory.
        max_norm: the largest norm allowed, a number.
        norm: their current norm, a number. If it is NaN, every element becomes NaN.

    >>> array = np.array([3.0, 4.0])
    >>> scale_gradients([array], 1.0, 5.0)
    >>> array.round(5)
    array([0.6, 0.8])
    """
    ### BEGIN SOLUTION
    factor = max_norm / (norm + 1e-6)
    if not factor >= 1:
        for array in arrays:
            array *= factor
    ### END SOLUTION


# %% test="clip" points=4
def clipped(arrays, max_norm, norm):
    """The arrays after clipping, which must have happened in their own memory."""
    own = [array.copy("K") for array in arrays]  # in the same order in memory
    scale_gradients(list(own), max_norm, norm)
    return own


def test_a_long_gradient_is_cut_and_keeps_its_direction():
    arrays = [*several_arrays(), several_arrays(1)[0].T]
    norm = float(np.sqrt(sum((a.astype(np.float64) ** 2).sum() for a in arrays)))
    for max_norm in (1.0, 0.25, 0.9 * norm):
        for array, found in zip(arrays, clipped(arrays, max_norm, norm)):
            factor = max_norm / norm
            message = f"norm {norm:.3f}, at most {max_norm}: times {factor:.4f}, in place"
            np.testing.assert_allclose(found, array * factor, rtol=1e-4, err_msg=message)
            assert found.dtype == np.float32, "float32 stays float32"
    found = clipped([np.array([3.0, 4.0])], 1.0, 4.0)[0]
    message = "the norm is the one passed, 4, as the infinity norm of [3, 4] is: times 1 / 4"
    np.testing.assert_allclose(found, [0.75, 1.0], rtol=1e-5, err_msg=message)


def test_a_short_gradient_is_left_alone():
    arrays = several_arrays()
    for max_norm in (1000.0, 6.0):
        for array, found in zip(arrays, clipped(arrays, max_norm, 4.0)):
            message = f"a norm of 4 is below {max_norm}: nothing should change"
            np.testing.assert_array_equal(found, array, err_msg=message)
    np.testing.assert_array_equal(
        clipped([np.zeros(3)], 1.0, 0.0)[0], 0, err_msg="a gradient of zero has the norm 0"
    )


def test_a_norm_that_is_no_number_shows_everywhere():
    found = np.concatenate(clipped([np.array([1.0, np.nan]), np.array([2.0])], 1.0, math.nan))
    assert np.isnan(found).all(), f"norm NaN: every element becomes NaN, not {found.tolist()}"


def test_a_millionth_is_added_to_the_norm():
    for norm in (2e-6, 1e-6):
        found, factor = clipped([np.array([norm])], 1e-6, norm)[0], 1e-6 / (norm + 1e-6)
        message = (
            f"norm {norm}, bound 1e-6: the factor is 1e-6 / ({norm} + 1e-6), {factor:.3f}"
        )
        np.testing.assert_allclose(found, norm * factor, rtol=1e-6, err_msg=message)
    np.testing.assert_array_equal(
        clipped([np.array([0.0])], 0.0, 0.0)[0], 0, err_msg="and so 0 / 0 cannot happen"
    )


# %% [markdown]
# PyTorch's functions around the two are given. `clip_grad_norm_` returns the norm before clipping: log it, and you will
# know what your training is doing.


# %%
#| export
from tinytorch.given.trainer.clipping import *
from tinytorch.given.trainer.vectors import *

# %%
runs = {"spoiled": loop(0.1, spoiled=60), "clipped at 2": loop(0.1, clip=2.0, spoiled=60)}
draw_losses(runs)
share = (runs["clipped at 2"][1] > 2).mean()
print(f"{share:.1%} of the steps were clipped")
assert share < 0.05, "only extreme steps are clipped"
assert runs["clipped at 2"][2] < runs["spoiled"][2] / 2, "and the units survive them"

# %% [markdown]
# The data and the start are the same; now the spoiled batch does no harm, and the other steps are unchanged. The norms
# on the right are those *before* clipping.
#
# A bound far below the usual norm does something else. Clipped at 0.2, nearly every step is clipped, and all gradients
# get the same length: that acts like a smaller learning rate. Look at the norms of a training run before you choose its
# bound.
#
# ## 3. Schedules
#
# A large rate makes fast progress, a small one converges. A scheduler sets the `lr` of each group at every step; its
# `get_lr` returns the new values. The base class is given, and `StepLR` as an example of a schedule. It counts
# *epochs*, but an epoch is only what lies between two calls of `step()`: it may as well be one step of the optimizer.


# %%
#| export
def values_of(optimizer, key):
    """An option of every group; a tensor is copied, since it will be changed in place."""
    values = [group[key] for group in optimizer.param_groups]
    return [value.clone() if isinstance(value, Tensor) else value for value in values]


def set_value(group, key, value):
    """Change an option of a group; one that is a tensor keeps its memory."""
    if isinstance(group[key], Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


from tinytorch.given.trainer.checks import *


# %%
#| export
class LRScheduler:
    """The base of all schedules of learning rates: `get_lr` gives those of `last_epoch`.

    Args:
        optimizer: whose groups it changes, once when it is made and then at every `step()`.
        last_epoch: the epoch at which to resume; -1 to begin.
    """

    def __init__(self, optimizer, last_epoch=-1):
        self.base_lrs = initial_rates(optimizer, last_epoch)
        self.optimizer, self.last_epoch = optimizer, last_epoch
        self._initial_step()

    def _initial_step(self):
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False

    def get_lr(self):
        """The learning rate of each group at `last_epoch`."""
        raise NotImplementedError

    def get_last_lr(self):
        """The learning rate of each group as the last step set it."""
        return self._last_lr

    def step(self, epoch=None):
        """Move to the next epoch: call it after the optimizer's step, or an epoch of steps."""
        watch_order(self, epoch)
        self._step_count += 1
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        advance(self, epoch)


# %%
#| export
class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        factor = self.gamma if due else 1
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self):
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [base * factor for base in self.base_lrs]


# %% [markdown]
# `LambdaLR`, whose rate is the initial one times a function of the epoch, and the other multiplicative schedules are
# given, as in PyTorch.

# %%
#| export
from tinytorch.given.trainer.schedules import *

# %% [markdown]
# ### One step of a schedule
#
# `StepLR` multiplies the current rate by `gamma`: other changes of the rate in between are kept, and schedules can be
# chained. To jump to an epoch, most schedules have a second method: `_get_closed_form_lr` computes the rate of any
# epoch from the initial one.
#
# What remains is the step itself: count, compute the rates, set them, remember them.
#
# <details><summary>Hint 1</summary><code>get_lr</code> reads <code>last_epoch</code>, so change that first.</details>
# <details><summary>Hint 2</summary>Only if an epoch is given and there is a <code>_get_closed_form_lr</code>, call that
# in place of <code>get_lr</code>.</details>
# <details><summary>Hint 3</summary><code>set_value</code> writes a group's rate, and
# <code>values_of(optimizer, "lr")</code> reads them all: store its result at the end as
# <code>_last_lr</code>.</details>


# %% stub="advance"
#| export
def advance(scheduler, epoch=None):
    """Move a scheduler one epoch on, or to an epoch, and give every group its learning rate.

    Args:
        scheduler: an LRScheduler. Its `last_epoch` is set; its `get_lr()`, or where an epoch
            is given and the scheduler has it `_get_closed_form_lr()`, gives one rate for each
            group of `scheduler.optimizer`; `set_value` hands them out; the rates that the
            groups then have are kept in `_last_lr`, a list, for `get_last_lr`.
        epoch: the epoch to go to; None for the next.
    """
    ### BEGIN SOLUTION
    closed_form = epoch is not None and hasattr(scheduler, "_get_closed_form_lr")
    scheduler.last_epoch = scheduler.last_epoch + 1 if epoch is None else epoch
    rates = scheduler._get_closed_form_lr() if closed_form else scheduler.get_lr()
    for group, rate in zip(scheduler.optimizer.param_groups, rates, strict=True):
        set_value(group, "lr", rate)
    scheduler._last_lr = values_of(scheduler.optimizer, "lr")
    ### END SOLUTION


# %% test="advance" points=4
class Harmonic(LRScheduler):
    """The initial rate over epoch + 1."""

    def get_lr(self):
        return [base / (self.last_epoch + 1) for base in self.base_lrs]


def two_groups(lr=1.0):
    first, second = Parameter(randn(2)), Parameter(randn(2))
    first.grad, second.grad = randn(2), randn(2)
    return SGD([{"params": [first]}, {"params": [second], "lr": 0.5}], lr=lr)


def rates_of(optimizer):
    return [float(group["lr"]) for group in optimizer.param_groups]


def test_every_group_gets_its_own_rate_epoch_by_epoch():
    optimizer = two_groups()
    scheduler, seen = Harmonic(optimizer), []
    for _ in range(4):
        seen.append((scheduler.last_epoch, *rates_of(optimizer)))
        optimizer.step()
        scheduler.step()
    expected = [(0, 1, 0.5), (1, 1 / 2, 1 / 4), (2, 1 / 3, 1 / 6), (3, 1 / 4, 1 / 8)]
    message = "epoch, rates of the two groups: making the scheduler is its step to epoch 0"
    np.testing.assert_allclose(seen, expected, err_msg=message)


def test_what_was_set_last_is_remembered():
    optimizer = two_groups()
    scheduler = Harmonic(optimizer)
    optimizer.step()
    scheduler.step()
    optimizer.param_groups[0]["lr"] = 99.0
    np.testing.assert_allclose(
        scheduler.get_last_lr(), [0.5, 0.25], err_msg="get_last_lr: the rates of the last step"
    )


def test_a_jump_takes_the_closed_form_where_there_is_one():
    optimizer = two_groups()
    scheduler = StepLR(optimizer, 2, gamma=0.1)
    advance(scheduler, 5)
    np.testing.assert_allclose(
        rates_of(optimizer),
        [0.01, 0.005],
        err_msg="epoch 5 of StepLR: two drops since the start",
    )
    advance(scheduler)
    assert scheduler.last_epoch == 6, f"epoch 6 comes after 5, not {scheduler.last_epoch}"
    np.testing.assert_allclose(
        rates_of(optimizer), [0.001, 0.0005], err_msg="and then continue from there"
    )
    advance(scheduler, 0)
    found = scheduler.last_epoch, *rates_of(optimizer)
    message = "back to epoch 0: last_epoch and the two rates"
    np.testing.assert_allclose(found, [0, 1, 0.5], err_msg=message)
    scheduler = Harmonic(two_groups())
    advance(scheduler, 9)
    np.testing.assert_allclose(
        scheduler.get_last_lr(), [0.1, 0.05], err_msg="without a closed form, get_lr is called"
    )


def test_a_rate_that_is_a_tensor_keeps_its_memory():
    rate = wrap(np.float32([1.0]).reshape(()))
    optimizer = two_groups(lr=rate)
    scheduler = Harmonic(optimizer)
    scheduler.get_lr = lambda: [0.5, 0.25]
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is rate, (
        "use set_value: a tensor stays, with another value"
    )
    message = "get_lr gave 0.5 for a rate that was 1: in the tensor's own memory"
    np.testing.assert_allclose(rate.item(), 0.5, err_msg=message)
    kept = scheduler.get_last_lr()
    rate.fill_(7.0)
    message = "the tensor is set to 7 by hand; the last step's rates are a copy, by values_of"
    np.testing.assert_allclose([float(value) for value in kept], [0.5, 0.25], err_msg=message)
    assert type(kept[0]) is type(rate), f"the rate is a tensor in get_last_lr too, not {kept}"


def test_the_next_epoch_goes_on_from_the_rate_that_is_there():
    optimizer = two_groups()
    scheduler = StepLR(optimizer, 2, gamma=0.1)
    optimizer.param_groups[0]["lr"] = 8.0
    for wanted in ([8, 0.5], [0.8, 0.05]):
        advance(scheduler)
        message = (
            "a rate was set to 8 by hand: get_lr continues from it, a closed form would not"
        )
        np.testing.assert_allclose(rates_of(optimizer), wanted, err_msg=message)


# %% [markdown]
# ### Warm up, then down a cosine
#
# This is the usual schedule for large language models. In the first `warmup` steps the rate rises linearly, while
# Adam's averages build up and the network leaves its random start. Then it falls along half a cosine, slowly at first,
# fast in the middle, slowly at the end, from 1 to a floor that is often 0 or 0.1, and stays there:
#
# $$f(t) = \begin{cases} (t + 1) / w & t < w \\ \varphi + (1 - \varphi)\, \tfrac12 (1 + \cos \pi p) & t \ge w \end{cases}
# \qquad p = \min\!\left(1, \frac{t - w}{T - w}\right)$$
#
# The `+ 1` is there because a first step with a rate of zero would change nothing. `LambdaLR` makes a schedule of
# any function of the epoch, so of this one.
#
# <details><summary>Hint 1</summary>Two cases; the progress <code>p</code> goes from 0 at <code>warmup</code> to 1 at
# <code>total</code>, and no further.</details>
# <details><summary>Hint 2</summary>Where <code>total</code> equals <code>warmup</code> the division must not fail:
# divide by <code>max(1, total - warmup)</code>.</details>
# <details><summary>Hint 3</summary>The cosine of a progress from 0 to 1, times <code>math.pi</code>, goes from 1 to -1;
# half of one more than it goes from 1 to 0. Scale that so that it ends at the floor.</details>


# %% stub="warmup-cosine"
#| export
def warmup_cosine(step, warmup, total, floor=0.0):
    """Compute the factor of a rate that rises linearly and falls along half a cosine.

    (step + 1) / warmup while step < warmup; then
    floor + (1 - floor) * (1 + cos(pi * progress)) / 2,
    where progress goes from 0 at `warmup` to 1 at `total`, and stays there.

    Args:
        step: how many steps have been taken, from 0.
        warmup: how many steps the rise takes; 0 for none.
        total: the step at which the fall ends, at least `warmup`; if it is `warmup`, the
            factor there may be 1, and after it is the floor.
        floor: the factor at the end.

    Returns:
        A float from 0 to 1.

    >>> [round(warmup_cosine(step, 2, 6), 3) for step in range(8)]
    [0.5, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0, 0.0]
    """
    ### BEGIN SOLUTION
    if step < warmup:
        return (step + 1) / warmup
    progress = min(1.0, (step - warmup) / max(1, total - warmup))
    return floor + (1 - floor) * (1 + math.cos(math.pi * progress)) / 2
    ### END SOLUTION


# %% test="warmup-cosine" points=4
def test_the_rise_is_a_line_from_the_first_step():
    for floor in (0.0, 0.1):
        found = [warmup_cosine(step, 4, 100, floor) for step in range(4)]
        message = f"floor {floor}: four steps of warm-up to 1, as if from 0, none with rate 0"
        np.testing.assert_allclose(found, [0.25, 0.5, 0.75, 1.0], err_msg=message)
    assert warmup_cosine(0, 0, 10) == 1, "without warm-up the fall begins at once, from 1"


def test_the_fall_is_half_a_cosine():
    found = [warmup_cosine(step, 10, 110) for step in (10, 35, 60, 85, 110)]
    half = 0.5**0.5 / 2
    expected = [1, 0.5 + half, 0.5, 0.5 - half, 0]
    message = "from 1 at the end of the warm-up to 0 at `total`: at its quarters"
    np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=message)


def test_the_end_is_the_floor():
    np.testing.assert_allclose(
        warmup_cosine(60, 10, 110, floor=0.2), 0.6, err_msg="half way between 1 and the floor"
    )
    for step in (110, 111, 160, 10_000):
        np.testing.assert_allclose(
            warmup_cosine(step, 10, 110, floor=0.2), 0.2, err_msg=f"step {step} of 110"
        )
        np.testing.assert_allclose(
            warmup_cosine(step, 10, 110), 0, atol=1e-12, err_msg=f"step {step} of 110"
        )


def test_a_schedule_may_be_nothing_but_warm_up():
    found = [warmup_cosine(step, 5, 5) for step in (0, 4)]
    np.testing.assert_allclose(found, [0.2, 1], err_msg="steps 0 and 4 of five of warm-up")
    found = warmup_cosine(5, 5, 5)
    assert 0 <= found <= 1, f"total = warmup: after the end a number from 0 to 1, not {found}"
    found = warmup_cosine(7, 5, 5, floor=0.1)
    message = "warmup 5, total 5: step 7 is after the end, where the factor is the floor, 0.1"
    np.testing.assert_allclose(found, 0.1, err_msg=message)


def test_a_fall_may_take_a_single_step():
    found = [warmup_cosine(step, 5, 6, floor=0.1) for step in (5, 6, 7)]
    message = "warmup 5, total 6: 1 at step 5, and the floor 0.1 from step 6 on"
    np.testing.assert_allclose(found, [1, 0.1, 0.1], err_msg=message)


# %% [markdown]
# ### Plateaus
#
# A schedule that is fixed in advance has to know how long the training will be. `ReduceLROnPlateau` watches a metric
# instead, usually the validation loss: when it has not improved for more than `patience` epochs, the rate is multiplied
# by `factor`. After a reduction there may be a `cooldown` of some epochs in which no bad ones are counted. Its
# constructor, the comparison and the reduction are given; you write the counting, three questions for every epoch:
#
# ```text
#   better than the best so far?  ->  a new best, no bad epochs          otherwise  ->  one bad epoch more
#   cooling down?                 ->  one epoch less to cool, and no bad epochs
#   more bad epochs than patience ->  reduce; begin to cool; no bad epochs
# ```


# %%
#| export
class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a metric has not improved for over `patience` epochs."""

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4,
        threshold_mode="rel", cooldown=0, min_lr=0, eps=1e-8,
    ):  # fmt: skip
        check_plateau(optimizer, mode, factor, threshold_mode, min_lr)
        self.optimizer, self.factor, self.patience = optimizer, factor, patience
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.cooldown, self.eps, self.last_epoch = cooldown, eps, 0
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = one_for_each_group("min_lr", optimizer, min_lr)
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self._reset()
        self._last_lr = values_of(optimizer, "lr")

    def _reset(self):
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    in_cooldown = property(lambda self: self.cooldown_counter > 0)

    def step(self, metrics, epoch=None):
        """Look at the metric of one more epoch."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        observe(self, float(metrics))
        self._last_lr = values_of(self.optimizer, "lr")

    def _is_better(self, a, best):
        margin = self.threshold if self.mode == "max" else -self.threshold
        bound = best * (1 + margin) if self.threshold_mode == "rel" else best + margin
        return a > bound if self.mode == "max" else a < bound

    def _reduce_lr(self, epoch=None):
        for group, least in zip(self.optimizer.param_groups, least_rates(self)):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_value(group, "lr", new)


# %% [markdown]
# <details><summary>Hint 1</summary>Three <code>if</code>s, in the order of the table. All that is counted are
# attributes of the scheduler: <code>best</code>, <code>num_bad_epochs</code>, <code>cooldown_counter</code>; its
# options are <code>patience</code> and <code>cooldown</code>.</details>
# <details><summary>Hint 2</summary><code>scheduler._is_better(metric, scheduler.best)</code> compares,
# <code>scheduler._reduce_lr()</code> reduces.</details>
# <details><summary>Hint 3</summary>With a patience of 2 the third bad epoch reduces. Then the cooling begins at its
# full length, and the bad epochs are counted from 0 again.</details>


# %% stub="plateau"
#| export
def observe(scheduler, metric):
    """Count the epochs in which a metric was no better; after too many, reduce the rates.

    Args:
        scheduler: a ReduceLROnPlateau, whose `best`, `num_bad_epochs` and `cooldown_counter`
            are kept up to date.
        metric: the metric of one more epoch, a float.
    """
    ### BEGIN SOLUTION
    if scheduler._is_better(metric, scheduler.best):
        scheduler.best, scheduler.num_bad_epochs = metric, 0
    else:
        scheduler.num_bad_epochs += 1
    if scheduler.cooldown_counter > 0:
        scheduler.cooldown_counter -= 1
        scheduler.num_bad_epochs = 0
    if scheduler.num_bad_epochs > scheduler.patience:
        scheduler._reduce_lr()
        scheduler.cooldown_counter, scheduler.num_bad_epochs = scheduler.cooldown, 0
    ### END SOLUTION


# %% test="plateau" points=5
COURSE = [1.0, 0.9, 0.95, 0.91, 0.92, 0.93, 0.89, *[0.9] * 7, 0.5, 0.6, 0.6, 0.6]


def halvings(metrics, **options):
    """How often the rate has been halved after each epoch."""
    optimizer = SGD([Parameter(randn(1))], lr=1.0)
    scheduler, seen = ReduceLROnPlateau(optimizer, factor=0.5, **options), []
    for metric in metrics:
        scheduler.step(metric)
        seen.append(round(-math.log2(optimizer.param_groups[0]["lr"])))
    return seen, scheduler


def test_patience_is_how_many_bad_epochs_are_borne():  # the courses expected are PyTorch's
    expected = [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 4]
    message = "patience 2: every third bad epoch in a row halves the rate; the metrics are"
    found, scheduler = halvings(COURSE, patience=2)
    best = f"{scheduler.best}, after {found[-1]} halvings"
    assert scheduler.best == 0.5, f"the best of {COURSE} is 0.5, not {best}"
    assert found == expected, f"{message} {COURSE}"
    expected = [0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 11, 12, 13, 14]
    assert halvings(COURSE, patience=0)[0] == expected, "patience 0: every bad epoch does"


def test_a_cooldown_passes_before_anything_is_counted():
    found, scheduler = halvings(COURSE, patience=2, cooldown=2)
    expected = [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3]
    counts = scheduler.cooldown_counter, scheduler.num_bad_epochs, scheduler.best
    message = "after a reduction, cooldown 2: cooldown_counter, bad epochs and best are"
    assert counts == (2, 0, 0.5), f"{message} 2, 0, 0.5, not {counts}"
    message = "halvings, epoch by epoch: the two after each reduction cool, better or not; for"
    assert found == expected, f"{message} {COURSE}"


def test_an_improvement_counts_in_the_cooldown_too():
    metrics = [1.0, 1.0, 0.5, 0.7, 0.7, 0.7]  # the rate is halved at the second
    found, scheduler = halvings(metrics, patience=0, cooldown=1)
    assert scheduler.best == 0.5, (
        f"0.5 came in the cooldown, and is the best: {scheduler.best}"
    )
    assert found == [0, 1, 1, 2, 2, 3], (
        f"0.7 is no better than 0.5: [0, 1, 1, 2, 2, 3], not {found}"
    )


def test_better_is_better_than_the_best_by_the_threshold():
    found, scheduler = halvings(COURSE, patience=1, threshold=0.2, threshold_mode="abs")
    assert found == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7], (
        "0.9 is no improvement on 1.0 of 0.2"
    )
    counts = scheduler.best, scheduler.num_bad_epochs
    assert counts == (0.5, 1), f"the best and the bad epochs are 0.5 and 1, not {counts}"
    found, scheduler = halvings([1.0, 0.9, 0.79, 0.75], patience=1, threshold=0.2)
    message = "1, 0.9, 0.79, 0.75, threshold 0.2: 0.9 is bad, 1 stays the best, 0.79 is better"
    assert (found, scheduler.best) == ([0, 0, 0, 0], 0.79), message


def test_a_rate_does_not_fall_below_its_least():
    found, _ = halvings([1.0] * 12, patience=0, min_lr=0.25)
    assert max(found) == 2, f"the least rate is 0.25, two halvings, not {max(found)}"


# %% [markdown]
# ### The rest of the family
#
# Also given are schedules that go up and down repeatedly, two that combine others, and averages of a model over its
# training, with their own schedule. The rates of eight schedules, step by step:

# %%
#| export
from tinytorch.given.trainer.cycles import *
from tinytorch.given.trainer.chained import *
from tinytorch.given.trainer.averaging import *


# %%
def course(make, steps=100):
    """The learning rates of a schedule, step by step."""
    optimizer = SGD([Parameter(randn(1))], lr=1.0)
    schedule, rates = make(optimizer), []
    for _ in range(steps):
        rates.append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()
        schedule.step()
    return rates


def ramp_then_stairs(optimizer):
    return SequentialLR(
        optimizer, [LinearLR(optimizer, 0.1, 1.0, 20), StepLR(optimizer, 30, 0.3)], [20]
    )


schedules = {
    "StepLR(o, 25, 0.5)": lambda o: StepLR(o, 25, 0.5),
    "ExponentialLR(o, 0.97)": lambda o: ExponentialLR(o, 0.97),
    "LinearLR(o, 0.1, 1, 30)": lambda o: LinearLR(o, 0.1, 1.0, 30),
    "CosineAnnealingLR(o, 100)": lambda o: CosineAnnealingLR(o, 100),
    "CosineAnnealingWarmRestarts(o, 15, 2)": lambda o: CosineAnnealingWarmRestarts(o, 15, 2),
    "OneCycleLR(o, 1.0, 101)": lambda o: OneCycleLR(o, 1.0, 101),
    "LambdaLR(o, warmup_cosine)": lambda o: LambdaLR(
        o, lambda step: warmup_cosine(step, 10, 100, 0.1)
    ),
    "SequentialLR of two": ramp_then_stairs,
}
_, axes = plt.subplots(2, 4, figsize=(11, 4), sharex=True, sharey=True, layout="constrained")
for axis, (name, make) in zip(axes.flat, schedules.items()):
    axis.plot(course(make))
    axis.set_title(name, size=8)
plt.show()

# %% [markdown]
# ## 4. One training step
#
# Now the loop's body, piece by piece. A *meter*, given, averages the loss and other metrics over batches; each sample
# counts once, so a short last batch does not weigh as much as a full one. A batch is a tuple: the model's inputs, and
# last the targets.


# %%
#| export
def accuracy(outputs, targets):
    """The share of right answers: the largest score's class, or for one score its sign."""
    guesses = outputs.argmax(1) if outputs.ndim > targets.ndim else outputs > 0
    return (guesses == targets).array.mean()


class Meter:
    """The means of a loss and of metrics over all samples added, each counted once."""

    def __init__(self, metrics=None):
        self.metrics, self.totals, self.count = metrics or {}, {}, 0

    def add(self, outputs, targets, loss):
        """Add a batch: the model's outputs, the targets, and the mean loss."""
        outputs, size = outputs.detach(), len(targets)
        found = {
            "loss": loss,
            **{name: metric(outputs, targets) for name, metric in self.metrics.items()},
        }
        self.count += size
        for name, value in found.items():
            self.totals[name] = self.totals.get(name, 0.0) + float(value) * size

    def means(self):
        """The means by name, "loss" first."""
        return {name: total / self.count for name, total in self.totals.items()}


def mean_loss(loss, loss_fn, targets):
    """The mean loss of a batch, from a loss function whose reduction may be a sum."""
    is_sum = getattr(loss_fn, "reduction", "mean") == "sum"
    return loss / len(targets) if is_sum else loss


# %% [markdown]
# ### Many small batches as one large one
#
# A batch of 256 may be too large for the memory: as module 06 measured, the activations fill it, and they grow with the
# batch. But gradients add up. Run 32 samples forward *and backward*, eight times, and only then take a step: at no time
# are the activations of more than 32 samples alive.
#
# One thing needs care. The loss of a batch is a mean. The gradient of the mean over 256 is not the sum of eight
# gradients of means over 32, it is an eighth of that. And the last group of an epoch may be short and uneven, so an
# eighth would not be right there either. With $n_k$ samples in batch $k$:
#
# $$\frac{1}{\sum_k n_k} \sum_{i} \ell_i = \sum_k \frac{n_k}{\sum_j n_j} \Bigl( \frac{1}{n_k} \sum_{i \in k} \ell_i \Bigr)$$
#
# So multiply each batch's loss by its share of the samples before its `backward`. Where the loss is a sum over the
# batch (`loss_fn.reduction == "sum"`), sums just add up, and the weight is 1; the meter, which counts means, gets
# `mean_loss(loss, loss_fn, targets)` in both cases. (A loss that is averaged over something other than samples, such as
# tokens that are not padding, would need their numbers in place of $n_k$.)
#
# <details><summary>Hint 1</summary><code>for *inputs, targets in batches</code> unpacks a batch, and
# <code>model(*inputs)</code> passes the inputs. The number of samples is <code>len(targets)</code>.</details>
# <details><summary>Hint 2</summary>The total is needed before the first batch: one pass over <code>batches</code>,
# which is a list, for the numbers alone.</details>
# <details><summary>Hint 3</summary>The weight multiplies the loss for backward, not the one that the meter gets. A loss
# function without a <code>reduction</code> takes means: <code>getattr(loss_fn, "reduction", "mean")</code>.</details>


# %% stub="accumulate"
#| export
def accumulate_gradients(model, loss_fn, batches, meter):
    """Add to the parameters' gradients those of several batches, as of one large batch.

    Args:
        model: called with the inputs of a batch.
        loss_fn: called with the outputs and the targets; gives their mean loss, or if its
            attribute `reduction` is "sum" their sum.
        batches: a list of tuples (input, ..., targets). Each goes forward and backward before
            the next one starts.
        meter: a Meter, to which each batch is added with its `mean_loss`.
    """
    ### BEGIN SOLUTION
    total = sum(len(targets) for *_, targets in batches)
    for *inputs, targets in batches:
        outputs = model(*inputs)
        loss = loss_fn(outputs, targets)
        weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        (loss * weight).backward()
        meter.add(outputs, targets, mean_loss(loss, loss_fn, targets))
    ### END SOLUTION


# %% test="accumulate" points=6
def regression(samples=10, seed=0):
    """A small model and data for it, in float64."""
    manual_seed(seed)
    model = Sequential(Linear(3, 4, dtype=float64), ReLU(), Linear(4, 2, dtype=float64))
    return model, randn(samples, 3, dtype=float64), randn(samples, 2, dtype=float64)


def cut(x, y, *sizes):
    """The samples in batches of these sizes."""
    ends = np.cumsum(sizes)
    return [(x[end - size : end], y[end - size : end]) for size, end in zip(sizes, ends)]


def skewed(outputs, targets):
    """A loss that tells outputs from targets."""
    return ((outputs - 2 * targets) ** 2).mean()


def gradients_after(model, loss_fn, batches, meter=None):
    model.zero_grad()
    accumulate_gradients(model, loss_fn, batches, meter or Meter())
    return [parameter.grad.array.copy() for parameter in model.parameters()]


def gradients_of_one_batch(model, loss_fn, x, y):
    model.zero_grad()
    loss_fn(model(x), y).backward()
    return [parameter.grad.array.copy() for parameter in model.parameters()]


def test_small_batches_have_the_gradient_of_a_large_one():
    model, x, y = regression()
    losses = {"mse_loss": mse_loss, "skewed": skewed, 'reduction="mean"': MSELoss()}
    for name, loss_fn in losses.items():
        expected = gradients_of_one_batch(model, loss_fn, x, y)
        for sizes in ((10,), (5, 5), (4, 4, 2), (1, 9)):
            found = gradients_after(model, loss_fn, cut(x, y, *sizes))
            message = (
                f"{name}, batches of {sizes}: each weighs as its share of the ten samples"
            )
            for one, wanted in zip(found, expected):
                np.testing.assert_allclose(one, wanted, rtol=1e-9, err_msg=message)


def test_gradients_are_added_to_those_that_are_there():
    model, x, y = regression()
    expected = gradients_of_one_batch(model, mse_loss, x, y)  # and the parameters keep them
    accumulate_gradients(model, mse_loss, cut(x, y, 5, 5), Meter())
    message = "the parameters had gradients, and the same are added: twice as much"
    for parameter, once in zip(model.parameters(), expected):
        np.testing.assert_allclose(parameter.grad.array, 2 * once, rtol=1e-9, err_msg=message)


def test_sums_are_not_weighted():
    model, x, y = regression()
    loss_fn = MSELoss(reduction="sum")
    expected = gradients_of_one_batch(model, loss_fn, x, y)
    for found, wanted in zip(gradients_after(model, loss_fn, cut(x, y, 4, 4, 2)), expected):
        np.testing.assert_allclose(
            found, wanted, rtol=1e-9, err_msg='reduction="sum": the sums of batches add up'
        )


def test_each_batch_goes_backward_before_the_next_goes_forward():
    model, x, y = regression()
    events = []
    model.register_forward_hook(lambda *_: events.append("forward"))
    model[0].weight.register_hook(lambda grad: events.append("backward"))
    accumulate_gradients(model, mse_loss, cut(x, y, 4, 4, 2), Meter())
    message = "only one batch's graph may be alive at a time: that is what accumulating is for"
    assert events == ["forward", "backward"] * 3, message


def test_the_meter_hears_of_every_batch():
    model, x, y = regression()
    outputs = model(x).detach().array
    gaps = [
        np.abs(outputs[a:b] - 3 * y.array[a:b]).max() for a, b in ((0, 4), (4, 8), (8, 10))
    ]
    squares = ((outputs - y.array) ** 2).sum() / 10  # of each sample
    for loss_fn, wanted in ((MSELoss(), squares / 2), (MSELoss(reduction="sum"), squares)):
        meter = Meter({"gap": lambda outputs, targets: (outputs - 3 * targets).abs().max()})
        gradients_after(model, loss_fn, cut(x, y, 4, 4, 2), meter)
        assert meter.count == 10, f"ten samples in three batches, not {meter.count}"
        message = f'reduction="{loss_fn.reduction}": the mean loss of a sample'
        np.testing.assert_allclose(meter.means()["loss"], wanted, err_msg=message)
        message = "metrics see the outputs and the targets of each batch"
        wanted = np.average(gaps, weights=[4, 4, 2])
        np.testing.assert_allclose(meter.means()["gap"], wanted, err_msg=message)


def test_a_model_may_take_several_inputs():
    model, x, y = regression()
    expected = gradients_of_one_batch(model, mse_loss, x * 2, y)
    batches = [(a, a, b) for a, b in cut(x, y, 5, 5)]
    model.zero_grad()
    accumulate_gradients(lambda a, b: model(a + b), mse_loss, batches, Meter())
    for parameter, wanted in zip(model.parameters(), expected):
        np.testing.assert_allclose(
            parameter.grad.array, wanted, rtol=1e-9, err_msg="all but the last are inputs"
        )


# %% [markdown]
# ### One step
#
# The body of the loop, in the right order: clear the old gradients, compute the new ones, clip them *before* the
# optimizer uses them, take the step; then the schedule, if it counts steps, *after* the optimizer, which uses the rate
# that was set for this step.
#
# <details><summary>Hint 1</summary>Five calls in a row, two of them conditional.</details>
# <details><summary>Hint 2</summary>Clip if <code>trainer.clip_norm is not None</code>; the schedule steps here if there
# is one and <code>trainer.scheduler_every == "step"</code>.</details>
# <details><summary>Hint 3</summary>Your <code>accumulate_gradients</code> is the second of the five; it takes the
# trainer's model, loss function and meter. <code>clip_grad_norm_</code> takes the model's parameters.</details>


# %% stub="training-step"
#| export
def training_step(trainer, batches):
    """Take one step of the optimizer, on the gradient of some batches.

    Args:
        trainer: what has the attributes `model`, `optimizer`, `loss_fn` and `meter`;
            `clip_norm`, the norm to which the gradient of the model's parameters is clipped,
            or None; `scheduler`, or None; and `scheduler_every`, "step" or "epoch": when the
            scheduler takes its step.
        batches: a list of tuples (input, ..., targets); the old gradients, of the
            model's parameters or the optimizer's, must be cleared first.
    """
    ### BEGIN SOLUTION
    trainer.optimizer.zero_grad()
    accumulate_gradients(trainer.model, trainer.loss_fn, batches, trainer.meter)
    if trainer.clip_norm is not None:
        clip_grad_norm_(trainer.model.parameters(), trainer.clip_norm)
    trainer.optimizer.step()
    if trainer.scheduler is not None and trainer.scheduler_every == "step":
        trainer.scheduler.step()
    ### END SOLUTION


# %% test="training-step" points=5
def small_trainer(lr=0.1, **options):
    """What a trainer has, for a linear model with data of its own."""
    model, x, y = Linear(3, 1), randn(8, 3), randn(8, 1)
    trainer = SimpleNamespace(
        model=model, optimizer=SGD(model.parameters(), lr), loss_fn=mse_loss, meter=Meter(),
        clip_norm=None, scheduler=None, scheduler_every="step",
    )  # fmt: skip
    vars(trainer).update(options)
    return trainer, x, y


def slope_of(model, x, y):
    """The gradient of the weights for all samples, by the formula."""
    error = x.array.astype(np.float64) @ model.weight.array.T + model.bias.array - y.array
    return 2 * error.T @ x.array / len(error), 2 * error.mean(0)


def test_a_step_follows_the_gradient_of_its_batches():
    trainer, x, y = small_trainer()
    model = trainer.model
    for step in range(4):
        before, (slope, _) = model.weight.array.copy(), slope_of(model, x, y)
        message = (
            f"step {step}, 5 and 3 samples: weights change by -lr times the gradient of all"
        )
        if step == 3:
            model(x).sum().backward()
            message += ", and not by one that the weights had before"
        training_step(trainer, cut(x, y, 5, 3))
        found = model.weight.array
        assert (found != before).any(), f"step {step}: the weights are still what they were"
        np.testing.assert_allclose(
            found, before - 0.1 * slope, rtol=1e-4, atol=1e-6, err_msg=message
        )
    found = trainer.meter.count
    assert found == 32, f"trainer.meter hears of 8 samples in each of 4 steps, not of {found}"


def test_the_gradient_is_clipped_before_the_step():
    trainer, x, y = small_trainer(lr=1.0, clip_norm=0.01)
    groups = [{"params": [parameter]} for parameter in trainer.model.parameters()]
    trainer.optimizer = SGD(groups[::-1], 1.0)
    before = [p.array.copy() for p in trainer.model.parameters()]
    training_step(trainer, [(x, y)])
    moved = np.concatenate(
        [(p.array - b).ravel() for p, b in zip(trainer.model.parameters(), before)]
    )
    np.testing.assert_allclose(
        np.linalg.norm(moved), 0.01, rtol=1e-3, err_msg="lr 1 and norm 0.01: a step of 0.01"
    )
    trainer.clip_norm, before = 0.0, trainer.model.weight.tolist()
    training_step(trainer, [(x, y)])
    found = trainer.model.weight.tolist()
    assert found == before, "clip_norm 0 is a norm, not None: nothing may change"


def test_the_schedule_steps_after_the_optimizer_and_only_if_it_goes_by_steps():
    trainer, x, y = small_trainer()
    trainer.scheduler = LambdaLR(trainer.optimizer, lambda step: 0.0 if step else 1.0)
    before, (slope, _) = trainer.model.weight.array.copy(), slope_of(trainer.model, x, y)
    training_step(trainer, [(x, y)])
    assert trainer.scheduler.last_epoch == 1, "one step of the training, one of the schedule"
    message = (
        "the optimizer steps with the rate set for this step; the next rate comes after it"
    )
    np.testing.assert_allclose(
        trainer.model.weight.array, before - 0.1 * slope, rtol=1e-4, atol=1e-6, err_msg=message
    )
    trainer.scheduler_every = "epoch"
    training_step(trainer, [(x, y)])
    assert trainer.scheduler.last_epoch == 1, "a schedule by epochs is not stepped here"


# %% [markdown]
# ### Evaluation
#
# Evaluation must not train. Dropout must be off, so the model goes to evaluation mode; no graph must be
# recorded; and afterwards the model must be in its previous mode, even if an error was raised.
#
# <details><summary>Hint 1</summary>Remember <code>model.training</code> first; at the end
# <code>model.train(training)</code> sets it again.</details>
# <details><summary>Hint 2</summary><code>try: ... finally: ...</code> restores the mode after an error too, and
# <code>with no_grad():</code> records nothing.</details>
# <details><summary>Hint 3</summary>A <code>Meter(metrics)</code> does the arithmetic: each batch is added with its
# <code>mean_loss</code>, as in <code>accumulate_gradients</code>, and <code>meter.means()</code> is the
# result.</details>


# %% stub="evaluate"
#| export
def evaluate(model, loss_fn, batches, metrics):
    """Compute the mean loss and metrics of a model over batches, without training it.

    Args:
        model: a Module; it runs in evaluation mode without recording, and then returns to its
            previous mode, even after an error or a KeyboardInterrupt.
        loss_fn: gives the mean loss of outputs and targets, or if its `reduction` is "sum" the
            sum, which `mean_loss` turns into the mean.
        batches: an iterable of tuples (input, ..., targets).
        metrics: a dict from names to functions of outputs and targets.

    Returns:
        A dict: the mean "loss" over all samples, and that of each metric under its name.
    """
    ### BEGIN SOLUTION
    meter, training = Meter(metrics), model.training
    model.eval()
    try:
        with no_grad():
            for *inputs, targets in batches:
                outputs = model(*inputs)
                loss = mean_loss(loss_fn(outputs, targets), loss_fn, targets)
                meter.add(outputs, targets, loss)
    finally:
        model.train(training)
    return meter.means()
    ### END SOLUTION


# %% test="evaluate" points=6
def test_every_sample_counts_once():
    model, x, y = regression()
    outputs = model(x).detach().array
    wanted = {
        skewed: ((outputs - 2 * y.array) ** 2).mean(),
        MSELoss(reduction="sum"): ((outputs - y.array) ** 2).sum() / 10,
    }
    gaps = [(outputs[a:b] - 3 * y.array[a:b]).max() for a, b in ((0, 4), (4, 8), (8, 10))]
    for loss_fn, mean in wanted.items():
        metrics = {"gap": lambda outputs, targets: (outputs - 3 * targets).max()}
        found = evaluate(model, loss_fn, iter(cut(x, y, 4, 4, 2)), metrics)
        message = "the mean over ten samples, not over the three batches of an iterator"
        np.testing.assert_allclose(found["loss"], mean, rtol=1e-9, err_msg=message)
        gap = np.average(gaps, weights=[4, 4, 2])
        np.testing.assert_allclose(
            found["gap"], gap, err_msg="a metric is averaged like the loss"
        )
        assert list(found) == ["loss", "gap"], f"the loss and each metric, not {list(found)}"


def test_all_inputs_reach_the_model():
    class Sum(type(Linear(1, 1))):
        def forward(self, a, b):
            return a + 10 * b

    x, y = randn(4, 2), randn(4, 2)
    wanted = ((x.array + 10 * y.array - x.array) ** 2).mean()
    found = evaluate(Sum(1, 1), mse_loss, [(x, y, x)], {})["loss"]
    message = "a batch of two inputs and a target: model(a, b)"
    np.testing.assert_allclose(found, wanted, rtol=1e-5, err_msg=message)


def test_the_model_runs_in_evaluation_mode_and_records_nothing():
    model, x, y = regression()
    seen = []
    for part in (model[1], model):
        part.register_forward_hook(
            lambda module, inputs, output: seen.append((module.training, output.requires_grad))
        )
    evaluate(model, mse_loss, cut(x, y, 5, 5), {})
    modes = [training for training, _ in seen]
    message = "dropout must be off: `training` of layer and model in each of two batches is"
    assert modes == [False] * 4, f"{message} {modes}"
    assert [recorded for _, recorded in seen] == [False] * 4, "no graph is recorded"
    grads = [parameter.grad for parameter in model.parameters()]
    assert grads == [None] * 4, f"no backward may run: no parameter has a gradient, {grads}"


def test_the_mode_is_afterwards_what_it_was_before():
    model, x, y = regression()
    for mode in (True, False):
        model.train(mode)
        evaluate(model, mse_loss, cut(x, y, 10), {})
        assert model.training is mode, f"training was {mode} before, and must be so again"
        modes = [layer.training for layer in model]
        assert modes == [mode] * 3, f"training of each layer was {mode}, and is now {modes}"


def test_an_error_leaves_the_mode_and_the_recording_as_they_were():
    for error in (ZeroDivisionError, KeyboardInterrupt):
        model, x, y = regression()

        def fail(outputs, targets, error=error):
            raise error

        with pytest.raises(error):
            evaluate(model, fail, cut(x, y, 10), {})
        assert model.training, f"the mode must be restored, even after a {error.__name__}"
        assert model(x).requires_grad, "and recording must be on again"


# %% [markdown]
# ## 5. Files
#
# A training run of two days writes its state every hour, always to the same file. In the second night the machine goes
# down *while writing*. What is in the file now? Half of the new state; the old one has been overwritten.
#
# A file cannot be written atomically, but it can be *renamed* atomically: `os.replace` makes a name point to another
# file in one step. So write to a temporary name in the same folder, and rename the file when it is complete. A program
# that opens the path finds the old file or the new one.
#
# ```text
#   run.tiny             the last good state        ------- os.replace ------>   run.tiny    the new state
#   run.tiny.4711.part   being written, slowly      -----/                       (gone)
# ```
#
# If writing fails, remove the partial file, and pass the error on to the caller: even a `KeyboardInterrupt`, which is
# not an `Exception`.
#
# <details><summary>Hint 1</summary>Write the temporary file, then <code>os.replace</code> it, both inside a
# <code>try</code>.</details>
# <details><summary>Hint 2</summary><code>except BaseException:</code> catches a KeyboardInterrupt too; a bare
# <code>raise</code> at its end re-raises the error.</details>
# <details><summary>Hint 3</summary>The partial file may not exist yet: remove it within
# <code>contextlib.suppress(FileNotFoundError)</code>.</details>


# %% stub="write-beside"
#| export
def write_beside(path, write):
    """Write a temporary file and rename it, so that `path` always holds a whole file, old or
    new.

    Args:
        path: the file to write. The old file stays until the new one is complete.
        write: called with the name of the file to write, `temporary`, in the same folder.

    If `write` raises any error, its partial file is removed and the error is passed on.

    >>> path = os.path.join(tempfile.mkdtemp(), "note")
    >>> write_beside(path, lambda name: os.close(os.open(name, os.O_CREAT)))
    >>> os.listdir(os.path.dirname(path))
    ['note']
    """
    path = os.path.realpath(path)
    temporary = f"{path}.{os.getpid()}.part"
    ### BEGIN SOLUTION
    try:
        write(temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(temporary)
        raise
    ### END SOLUTION


# %% test="write-beside" points=5
def writer(text, error=None):
    """A function that writes a text, and then fails if requested."""

    def write(name):
        with open(name, "w") as file:
            file.write(text)
        if error is not None:
            raise error

    return write


def read(path):
    with open(path) as file:
        return file.read()


def test_what_is_written_arrives_under_its_name_and_nothing_else_is_left():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state")
        for text in ("first", "second"):
            write_beside(path, writer(text))
            assert read(path) == text, f"the file holds what was written last, {text!r}"
            found = len(os.listdir(folder))
            assert found == 1, (
                f"the temporary file must be gone: one file is left, not {found}"
            )


def test_until_the_end_the_old_file_is_there():
    with tempfile.TemporaryDirectory() as folder:
        path, seen = os.path.join(folder, "state"), []
        write_beside(path, writer("old"))

        def look(name):
            writer("new")(name)
            seen.append((read(path), os.path.dirname(name) == os.path.realpath(folder)))

        write_beside(path, look)
        assert seen == [("old", True)], (
            "while it is being written, the new file is next to the old one"
        )
        assert read(path) == "new", "when all is written, the new file has the name"


def test_at_no_moment_is_the_name_without_a_file():
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path, there = os.path.join(folder, "state"), []
        write_beside(path, writer("old"))

        def noted(call):
            return lambda *a, **k: (call(*a, **k), there.append(os.path.exists(path)))[0]

        for name in ("remove", "unlink", "rename", "replace"):
            patch.setattr(os, name, noted(getattr(os, name)))
        write_beside(path, writer("new"))
    message = "after each file removed or renamed there is one at `path`, old or new"
    assert all(there), f"{message}: {there}"


def test_the_name_is_moved_and_nothing_is_copied():
    with tempfile.TemporaryDirectory() as folder:
        path, numbers = os.path.join(folder, "state"), []

        def note(name):
            writer("new")(name)
            numbers.append(os.stat(name).st_ino)

        write_beside(path, writer("old"))
        write_beside(path, note)
        same = [os.stat(path).st_ino] == numbers
        assert same, "the written file itself must get the name: a copy takes time"


def test_an_error_leaves_the_old_file_and_no_rest():
    for error in (ValueError("no"), KeyboardInterrupt(), SystemExit()):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state")
            write_beside(path, writer("old"))
            with pytest.raises(type(error)):
                write_beside(path, writer("half", error))
            assert read(path) == "old", "the old file must still be there, whole"
            message = f"after a {type(error).__name__} the partial file must be removed"
            assert len(os.listdir(folder)) == 1, f"{message}: one file is left"
            with pytest.raises(type(error)):
                write_beside(os.path.join(folder, "first"), writer("half", error))
            message = "a first write, to a new name, failed: that file must not be there"
            assert len(os.listdir(folder)) == 1, message


def test_an_error_before_anything_was_written_is_the_error_that_is_seen():
    def fail(name):
        raise ValueError("nothing to write")

    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.raises(ValueError, match="nothing to write"),
    ):
        write_beside(os.path.join(folder, "state"), fail)


# %% [markdown]
# ### save and load
#
# `torch.save` pickles. A pickle is a program: loading it runs whatever its author put in, and model files often come
# from strangers. A checkpoint needs only arrays, and some structure around them. For arrays there is the *safetensors*
# format, a header that says what is where, and then the bytes; for the structure there is JSON, which goes into the
# header. Neither can contain code.
#
# ```text
#   {"model": {"weight": <tensor>}, "epoch": 3}   =   "model.weight": 4 x 3 float32, at bytes 0-48      the tensors
#                                                     + {"dict": [["model", {"dict": ...}], ["epoch", 3]]}   the JSON
# ```
#
# Both are given. Two tensors that share their memory share it again after loading, which keeps tied weights tied.
# Anything that is not data is refused, with its position. A file whose name ends in `.pt` is written in PyTorch's
# format, and read by an unpickler that can create only data: so weights can be exchanged with PyTorch in both
# directions.

# %%
#| export
from tinytorch.given.trainer.files import *


# %%
tied = randn(2, 2)
file = io.BytesIO()
save(
    {
        "weights": [tied, tied],
        "betas": (0.9, 0.999),
        7: "an int may be a key",
        "dtype": float64,
        "best": None,
    },
    file,
)
file.seek(0)
kept = load(file)
print(kept)
print("still one tensor:", kept["weights"][0] is kept["weights"][1])
try:
    save({"model": {"layers": [Linear(1, 1)]}}, io.BytesIO())
except TypeError as error:
    print(error)

# %% [markdown]
# ## 6. Resuming exactly
#
# To continue from a checkpoint as if there had been no stop, it must contain everything that the next step depends on:
# the weights; the optimizer's means and its count of steps; the schedule. And the *random numbers*: the order of the
# data in this epoch, and the dropout masks of the next batch.
#
# A generator's state is a tensor, read and set by `get_state()` and `set_state()`; so far this is easy. But suppose
# that the stop was after batch 17. The order of this epoch was drawn when the epoch *began*; the masks have been drawn
# since then. So two states are needed:
#
# ```text
#        begin                                                   now
#          |  order drawn | masks of 1 | masks of 2 | ... | masks of 17 |  stop
#   resume:  set begin, start the epoch, skip 17 batches, set now, continue with batch 18
# ```
#
# From the state at the beginning the loader draws the same order. Skipping batches draws no masks, so the generator is
# then *not* in the right state; set it once more. An epoch that has not begun (`done` is 0) has no `now`: the order is
# drawn from `begin`, and the training continues from wherever that leaves the generator.
#
# <details><summary>Hint 1</summary><code>iter(loader)</code> begins an epoch, and <code>next(batches)</code> takes one
# batch. Do not make a list of the rest: it would be drawn too early.</details>
# <details><summary>Hint 2</summary>There may be several generators, each with a state of its own: go through both lists
# together, by <code>zip</code>. <code>set_state</code> sets one.</details>
# <details><summary>Hint 3</summary>Three parts, in the order of the picture: set and begin, skip, set again. The last
# is only for an epoch that has begun.</details>


# %% stub="resume"
#| export
def remaining_batches(loader, generators, begin, now, done):
    """Restart an epoch that was interrupted after some batches, and continue after them.

    Args:
        loader: yields the batches of an epoch each time it is iterated over; their order, and
            whatever else it draws, comes from the generators.
        generators: a list of Generators.
        begin: their states when the epoch began, before the loader was iterated over.
        now: their states after `done` batches; not used when `done` is 0.
        done: how many batches have been used already.

    Returns:
        An iterator over the remaining batches, each created when it is needed, with the
        generators in their states after the last batch that was used.
    """
    ### BEGIN SOLUTION
    for generator, state in zip(generators, begin):
        generator.set_state(state)
    batches = iter(loader)
    for _ in range(done):
        next(batches)
    if done:
        for generator, state in zip(generators, now):
            generator.set_state(state)
    return batches
    ### END SOLUTION


# %% test="resume" points=6
class Shuffled:
    """Numbers in an order drawn at the beginning, each with noise drawn number by number."""

    def __init__(self, generator, count=6):
        self.generator, self.count = generator, count

    def __iter__(self):
        order = self.generator.permutation(self.count)
        return (float(number + self.generator.uniform((1,))[0] / 2) for number in order)


def epoch_of(batches, generator, limit=None):
    """Use batches, and draw a number after each, as dropout would."""
    return [
        (batch, float(generator.uniform((1,))[0]))
        for batch in itertools.islice(batches, limit)
    ]


def interrupted(done, own=False):
    """An epoch without a stop, and what was kept when `done` of its batches were used."""
    generators = [Generator().manual_seed(1), Generator().manual_seed(2)][: 1 + own]
    loader = Shuffled(generators[-1])
    begin = [g.get_state() for g in generators]
    batches = iter(loader)
    first = epoch_of(batches, generators[0], done)
    now = [g.get_state() for g in generators]
    whole = first + epoch_of(batches, generators[0])
    for generator in generators:
        generator.manual_seed(99)
    return loader, generators, begin, now, whole


def test_the_rest_of_an_epoch_is_what_it_would_have_been():
    for done in (1, 3, 5):
        loader, generators, begin, now, whole = interrupted(done)
        found = epoch_of(
            remaining_batches(loader, generators, begin, now, done), generators[0]
        )
        order = [int(batch) for batch, _ in found]
        message = f"done {done} of {len(whole)}: which batches are left, in the epoch's order"
        assert order == [int(batch) for batch, _ in whole[done:]], message
        message = f"after {done}: pairs of a batch, an integer plus noise, and a number drawn"
        assert found == whole[done:], f"{message} after it; all are drawn when needed"


def test_a_loader_may_have_a_generator_of_its_own():
    loader, generators, begin, now, whole = interrupted(4, own=True)
    for turn, name in ((1, "the loader's last"), (-1, "the loader's first")):
        batches = remaining_batches(loader, generators[::turn], begin[::turn], now[::turn], 4)
        message = f"two generators, {name}: every one is set, and each to its own state"
        assert epoch_of(batches, generators[0]) == whole[4:], message


def test_an_epoch_that_has_not_begun_begins():
    loader, generators, begin, _, whole = interrupted(0)
    found = epoch_of(remaining_batches(loader, generators, begin, None, 0), generators[0])
    assert found == whole, "done is 0: the whole epoch, from the states at its beginning"


def test_the_states_of_now_are_not_looked_at_before_the_first_batch():
    loader, generators, begin, _, whole = interrupted(0)
    now = [Generator().manual_seed(7).get_state()]
    found = epoch_of(remaining_batches(loader, generators, begin, now, 0), generators[0])
    assert found == whole, (
        "done is 0: the epoch continues from where drawing the order leaves it"
    )


def test_every_generator_is_put_where_it_was():
    loader, generators, begin, now, _ = interrupted(3, own=True)
    list(remaining_batches(loader, generators, begin, now, 3))
    remaining_batches(loader, generators[::-1], begin[::-1], now[::-1], 3)
    for number, (generator, state) in enumerate(zip(generators, now)):
        same = np.array_equal(generator.get_state().numpy(), state.numpy())
        message = f"generator {number} of {len(now)} must be in its state of `now`"
        assert same, f"{message} as soon as remaining_batches returns"


# %% [markdown]
# ## 7. Callbacks
#
# Progress bars, histories, checkpoints, early stopping: every project needs different ones, and a loop that contains
# them all becomes unreadable. So the loop calls a list of callbacks at five moments. A `Callback` gets the trainer and
# may read everything; it can end the training by setting `trainer.stop`.


# %%
#| export
class Callback:
    """Code that runs at certain moments of the training; each method gets the trainer.

    `trainer.logs` has the means of the epoch so far, at the end of an epoch those of the
    validation data too; `trainer.stop = True` ends the training after the epoch.
    """

    def on_fit_begin(self, trainer):
        """Before the first epoch."""

    def on_epoch_begin(self, trainer):
        """Before the first batch of an epoch."""

    def on_step_end(self, trainer):
        """After each step of the optimizer."""

    def on_epoch_end(self, trainer):
        """After an epoch and its validation."""

    def on_fit_end(self, trainer):
        """When training ends, even by an error."""

    def state_dict(self):
        """The state that is needed to resume the training."""
        return {}

    def load_state_dict(self, state_dict):
        """Restore that state."""
        vars(self).update(state_dict)


def better(value, best, mode, margin=0.0):
    """Whether a metric is smaller ("min") or larger ("max") than the best, or the first."""
    if mode not in ("min", "max"):
        raise ValueError(f'mode must be "min" or "max", not {mode!r}')
    return best is None or (value < best - margin if mode == "min" else value > best + margin)


# %% [markdown]
# ### Early stopping
#
# After a while a model memorises its training data, and may get worse on other data. So watch the validation loss and
# stop when it has not improved for `patience` epochs. "Improved" means by more than `min_delta`, and compared with the
# *best* so far: compared with the previous epoch, a slow rise would never be noticed.
#
# <details><summary>Hint 1</summary><code>better</code>, above, compares a value with the best so far; anything is
# better than None.</details>
# <details><summary>Hint 2</summary>Better: a new best, and <code>waited</code> is 0 again. Otherwise: one more epoch
# waited.</details>
# <details><summary>Hint 3</summary>With patience 3 the third epoch in a row without an improvement is the last: set
# <code>trainer.stop</code> then.</details>


# %% stub="early-stopping"
#| export
class EarlyStopping(Callback):
    """End the training when a metric has not improved for `patience` epochs in a row.

    Args:
        monitor: the name of a metric in `trainer.logs`.
        mode: "min" if smaller is better, "max" if larger is.
        patience: how many epochs without an improvement are too many.
        min_delta: what is better by no more than this does not count, nor become the best.
    """

    def __init__(self, monitor="val_loss", mode="min", patience=3, min_delta=0.0):
        self.monitor, self.mode, self.patience = monitor, mode, patience
        self.min_delta, self.best, self.waited = min_delta, None, 0

    def on_epoch_end(self, trainer):
        """Compare the metric, `value`, with the best; set `best` and `waited`.

        When `patience` is reached, set `trainer.stop` to True; never to False, since other
        callbacks set it, too.
        """
        value = watched(trainer, self.monitor)
        ### BEGIN SOLUTION
        if better(value, self.best, self.mode, self.min_delta):
            self.best, self.waited = value, 0
        else:
            self.waited += 1
        if self.waited >= self.patience:
            trainer.stop = True
        ### END SOLUTION

    def state_dict(self):
        return {"best": self.best, "waited": self.waited}


# %% test="early-stopping" points=4
def epochs_until_stop(values, **options):
    """After how many epochs a metric of these values ends a training; None if it does not."""
    stopping = EarlyStopping("metric", **options)
    trainer = SimpleNamespace(stop=False, logs={})
    for epoch, value in enumerate(values, 1):
        trainer.logs = {"metric": value}
        stopping.on_epoch_end(trainer)
        if trainer.stop:
            return epoch
    return None


def test_the_best_and_the_waiting_are_kept_and_a_stop_stays():
    stopping = EarlyStopping("metric", patience=3, min_delta=0.05)
    trainer, found = SimpleNamespace(stop=True), []
    values = [1.0, 0.97, 0.94, 0.97, 0.98, 0.99]
    for value in values:
        trainer.logs = {"metric": value}
        stopping.on_epoch_end(trainer)
        found.append((stopping.best, stopping.waited))
        assert trainer.stop, "trainer.stop was True, by another callback, and stays so"
    wanted = [(1.0, 0), (1.0, 1), (0.94, 0), (0.94, 1), (0.94, 2), (0.94, 3)]
    assert found == wanted, f"min_delta 0.05, {values}: best and waited after each epoch"


def test_training_stops_when_patience_is_at_its_end():
    assert epochs_until_stop([3, 2, 2.5, 2.4, 2.3, 2.2], patience=3) == 5, (
        "epochs 3, 4 and 5 are no better than 2"
    )
    found = epochs_until_stop([3, 2, 2.5, 2.4, 2.3], patience=1)
    assert found == 3, f"patience 1: the first epoch that is no better, 3, not {found}"
    assert epochs_until_stop([3, 3, 3, 3], patience=3) == 4, "the same is no better"
    found = epochs_until_stop([0, 0, 0, 0], patience=2)
    assert found == 3, f"a metric of 0, and no better: patience 2 ends epoch 3, not {found}"


def test_an_improvement_begins_the_waiting_anew():
    values = [5, 6, 6, 4, 5, 5, 3, 4, 4, 4]
    assert epochs_until_stop(values, patience=3) == 10, (
        "two bad epochs, a good one, two bad, a good one, three bad"
    )
    found = epochs_until_stop([5, 4, 3, 2, 1], patience=1)
    assert found is None, f"every epoch is better: no stop, and not after {found}"


def test_the_best_counts_and_not_the_epoch_before():
    assert epochs_until_stop([1, 5, 4, 3, 2], patience=4) == 5, (
        "5, 4, 3, 2 improves but is never as good as 1"
    )


def test_larger_is_better_if_it_is_said():
    found = epochs_until_stop([0.5, 0.6, 0.7, 0.65, 0.68], mode="max", patience=2)
    assert found == 5, f"0.65 and 0.68 are no better than 0.7: 5 epochs, not {found}"


def test_small_improvements_may_not_count():
    for mode, values, wanted in (
        ("min", [1, 0.99, 0.98, 0.97], 4),
        ("min", [1, 0.94, 0.88, 0.82], None),
        ("min", [10, 9.8, 9.7, 9.6], None),
        ("max", [0.5, 0.51, 0.52, 0.53], 4),
        ("max", [0.5, 0.56, 0.62, 0.68], None),
    ):
        found = epochs_until_stop(values, mode=mode, patience=3, min_delta=0.05)
        assert found == wanted, f"{mode}, min_delta 0.05, {values}: {wanted}, not {found}"


# %% [markdown]
# Three more are given: a history with plots, a progress bar, and checkpoints.


# %%
#| export
from tinytorch.given.trainer.callbacks import *


# %% [markdown]
# ## 8. The trainer
#
# All the parts are there; what is left is the loop itself. It takes groups of batches, as many as one step accumulates,
# until the data are used up, and counts its progress, so that a trainer saved after any step can be resumed there. Then
# the model is evaluated, and a schedule that counts epochs takes its step.
#
# The `Trainer` around it is given. Its `begin_epoch` puts the model in training mode and returns the remaining batches,
# by your `remaining_batches`, on the model's device; `end_epoch` counts the epoch and makes a new meter; `call` calls a
# method of every callback. Its `state_dict` collects the whole state of a training run.
#
# <details><summary>Hint 1</summary><code>list(itertools.islice(batches, trainer.accumulate))</code> takes a group from
# an iterator, and a shorter one, or none, at its end.</details>
# <details><summary>Hint 2</summary>A group that is shorter than <code>accumulate</code> means that the data are used
# up; an empty one is not a step. <code>trainer.ended</code> may be true from the start: the checkpoint was written
# after the last step.</details>
# <details><summary>Hint 3</summary>A <code>ReduceLROnPlateau</code> gets the validation loss, or the training loss if
# there is none: both are in <code>trainer.logs</code>. Any other schedule steps here if
# <code>trainer.scheduler_every == "epoch"</code>.</details>


# %% stub="fit-epoch"
#| export
def fit_epoch(trainer, validation):
    """Train for one epoch, or for the rest of it; then evaluate on the validation data.

    While the epoch has not ended, `training_step` takes groups of `trainer.accumulate`
    batches, the last of which may be shorter. After each step:

    - `trainer.batch` has grown by the batches of the group, and `trainer.step` by 1;
    - `trainer.ended` says whether the group was shorter than `trainer.accumulate`;
    - `trainer.logs` is a dict, the meter's means;
    - and then `trainer.call("on_step_end")`.

    After the last step the results of `trainer.evaluate(validation)` are added to
    `trainer.logs`, with "val_" before each name, and the schedule takes its step if it counts
    epochs, a ReduceLROnPlateau with "val_loss", or "loss" where there is no validation.

    Args:
        trainer: a Trainer; see above, and `training_step`.
        validation: the batches of the validation data, or None.

    Raises:
        ValueError: if this epoch has had no batch: `trainer.batch` is 0.
    """
    batches = trainer.begin_epoch()
    ### BEGIN SOLUTION
    while not trainer.ended:
        group = list(itertools.islice(batches, trainer.accumulate))
        if not group:
            break
        training_step(trainer, group)
        trainer.batch += len(group)
        trainer.step += 1
        trainer.ended = len(group) < trainer.accumulate
        trainer.logs = trainer.meter.means()
        trainer.call("on_step_end")
    if not trainer.batch:
        raise ValueError("the loader gave no batch")
    if validation is not None:
        found = trainer.evaluate(validation)
        trainer.logs |= {f"val_{name}": value for name, value in found.items()}
    if isinstance(trainer.scheduler, ReduceLROnPlateau):
        trainer.scheduler.step(trainer.logs.get("val_loss", trainer.logs["loss"]))
    elif trainer.scheduler is not None and trainer.scheduler_every == "epoch":
        trainer.scheduler.step()
    ### END SOLUTION
    trainer.end_epoch()


# %% test="fit-epoch" points=7
class Watched(SimpleNamespace):
    """What `fit_epoch` needs of a Trainer; `seen` holds how far it was at each call."""

    def begin_epoch(self):
        self.asked = 0
        for batch in self.batches:
            self.asked += 1
            yield batch

    def evaluate(self, validation):
        self.seen.append(("evaluate", validation))
        return {"loss": self.told, "accuracy": 0.5}

    def call(self, moment):
        self.seen.append((moment, self.batch, self.step - 10, self.ended))

    def end_epoch(self):
        self.seen.append(("end",))


def watched(sizes=(2, 2, 2, 2), **options):
    trainer, x, y = small_trainer()
    vars(trainer).update(accumulate=1, ended=False, batch=0, step=10, logs={}, seen=[])
    vars(trainer).update(epoch=1, told=7.0)  # the second epoch, after one of ten steps
    return Watched(**vars(trainer) | {"batches": cut(x, y, *sizes)} | options), x, y


def test_an_epoch_takes_its_batches_in_groups():
    for accumulate, steps in (
        (1, [(1, 1, False), (2, 2, False), (3, 3, False), (4, 4, False)]),
        (2, [(2, 1, False), (4, 2, False)]),
        (3, [(3, 1, False), (4, 2, True)]),
        (8, [(4, 1, True)]),
    ):
        trainer, *_ = watched(accumulate=accumulate, scheduler_every="epoch")
        fit_epoch(trainer, None)
        moments, wanted = [seen[0] for seen in trainer.seen], ["on_step_end"] * len(steps)
        message = (
            f"accumulate={accumulate}, four batches: one call for each group, then the end"
        )
        assert moments == [*wanted, "end"], f"{message}, not {moments}"
        found = [seen[1:] for seen in trainer.seen[:-1]]
        message = (
            f"accumulate={accumulate}, four batches: batches, steps more, ended, at each call"
        )
        assert found == steps, f"{message}: {steps}, not {found}"


def test_each_group_is_one_step_of_the_training():
    trainer, x, y = watched(sizes=(5, 3), accumulate=2)
    weight, (slope, _) = trainer.model.weight.array.copy(), slope_of(trainer.model, x, y)
    fit_epoch(trainer, None)
    message = "two batches of 5 and 3 in one group: one step on the gradient of the eight"
    found = trainer.model.weight.array
    np.testing.assert_allclose(
        found, weight - 0.1 * slope, rtol=1e-4, atol=1e-6, err_msg=message
    )


def test_batches_are_made_when_they_are_needed():
    trainer, *_ = watched()
    trainer.call = lambda moment: trainer.seen.append(trainer.asked)
    fit_epoch(trainer, None)
    found = trainer.seen[:4]
    assert found == [1, 2, 3, 4], (
        f"batches made at the end of each step: 1, 2, 3, 4, not {found}"
    )


def test_the_logs_are_new_after_each_step():
    trainer, *_ = watched()
    trainer.call = lambda _: trainer.seen.append(trainer.logs == trainer.meter.means())
    fit_epoch(trainer, None)
    found = trainer.seen[:4]
    message = "at each on_step_end trainer.logs is a dict, the means of the meter by then"
    assert found == [True] * 4, f"{message}: {found}"


def test_an_epoch_ends_with_the_logs_of_training_and_validation():
    class Stream(list):
        def __len__(self):
            raise TypeError("validation data may be a stream that has no len(), nor a bool()")

    for validation, more in ((None, {}), (Stream(), {"val_loss": 7.0, "val_accuracy": 0.5})):
        trainer, x, y = watched(sizes=(8,))
        loss = mse_loss(trainer.model(x), y).item()
        fit_epoch(trainer, validation)
        found = trainer.logs.pop("loss", math.nan)
        np.testing.assert_allclose(found, loss, rtol=1e-5, err_msg="the loss of the training")
        assert trainer.logs == more, f"beside the loss {more}, not {trainer.logs}"
        found = trainer.seen.count(("evaluate", validation))
        name = type(validation).__name__
        assert found == len(more) / 2, f"validation {name}: evaluated {found} times"


def test_a_schedule_has_its_turn_once_in_an_epoch():
    class Schedule(SimpleNamespace):
        def step(self, epoch=None):
            self.steps += 1
            assert epoch is None, "scheduler.step() takes the next epoch: pass none"

    for every, wanted in (("epoch", 1), ("step", 4)):
        trainer, *_ = watched(scheduler=Schedule(steps=0), scheduler_every=every)
        fit_epoch(trainer, None)
        found = trainer.scheduler.steps
        assert found == wanted, f"every {every}, four steps: {wanted}, not {found}"


def test_a_plateau_is_told_the_validation_loss():
    for validation, told in ((None, None), ("some", 7.0), ("some", 0.0)):
        trainer, x, y = watched(sizes=(8,), scheduler_every="epoch", told=told)
        trainer.scheduler = ReduceLROnPlateau(trainer.optimizer)
        told = mse_loss(trainer.model(x), y).item() if told is None else told
        fit_epoch(trainer, validation)
        message = f"validation {validation}, loss {told}: what a ReduceLROnPlateau gets"
        np.testing.assert_allclose(trainer.scheduler.best, told, rtol=1e-5, err_msg=message)


def test_an_epoch_that_was_over_is_only_evaluated():
    trainer, *_ = watched(ended=True, batch=4, step=14, logs={"loss": 1.0})
    trainer.meter.totals, trainer.meter.count = {"loss": 8.0}, 8
    fit_epoch(trainer, "some")
    wanted = [("evaluate", "some"), ("end",)]
    assert trainer.seen == wanted, f"it had ended: {wanted}, not {trainer.seen}"
    wanted = {"loss": 1.0, "val_loss": 7.0, "val_accuracy": 0.5}
    assert trainer.logs == wanted, f"loss 1.0 was there: {wanted}, not {trainer.logs}"


def test_an_epoch_without_data_is_refused():
    trainer, *_ = watched()
    trainer.batches = []
    with pytest.raises(ValueError, match=r"\w"):
        fit_epoch(trainer, None)


# %%
#| export
from tinytorch.given.trainer.loop import *


# %%
def digits_trainer(callbacks=(), seed=0, **options):
    """A trainer for digits, a loader for training, and one for validation."""
    model = network(seed, dropout=0.2)
    optimizer = AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
    train = DataLoader(Digits(), batch_size=32, shuffle=True)
    total = 10 * len(train)
    schedule = LambdaLR(optimizer, lambda step: warmup_cosine(step, total // 20, total))
    trainer = Trainer(
        model, optimizer, CrossEntropyLoss(), schedule, scheduler_every="step", clip_norm=1.0,
        metrics={"accuracy": accuracy}, callbacks=callbacks, **options,
    )  # fmt: skip
    return trainer, train, DataLoader(Digits(train=False), batch_size=120)


trainer, train, validation = digits_trainer()
history = trainer.fit(train, validation, epochs=10)
print({name: round(value, 4) for name, value in history.rows[-1].items()})
history.plot()

# %% [markdown]
# At first the loss is higher in training than in validation, which may look wrong. Dropout makes the training harder,
# and the training's mean is taken while the model is still improving.
#
# Now stop one in the middle of its sixth epoch, by an error, with a checkpoint written every ten steps; create a new
# trainer with different weights and another generator state; load; continue.


# %%
class PowerCut(Callback):
    """End everything after a number of steps."""

    def __init__(self, step):
        self.last = step

    def on_step_end(self, trainer):
        if trainer.step == self.last:
            raise KeyboardInterrupt


folder = tempfile.mkdtemp()
path = os.path.join(folder, "digits.tiny")
first, train, validation = digits_trainer([Checkpoint(path, every=10), PowerCut(237)])
try:
    first.fit(train, validation, epochs=10)
except KeyboardInterrupt:
    print(f"stopped in epoch {first.epoch + 1}, after {first.batch} of {len(train)} batches")

second, train, validation = digits_trainer([Checkpoint(path, every=10)], seed=5)
second.load_state_dict(load(path))
print(f"resumed in epoch {second.epoch + 1}, after {second.batch} batches")
second.fit(train, validation, epochs=10)
same = all(
    np.array_equal(a.array, b.array)
    for a, b in zip(trainer.model.parameters(), second.model.parameters())
)
print(f"the same weights as without a stop, to the bit: {same}")
print(f"the same history: {second.history.rows == history.rows}")

# %% [markdown]
# ## Systems: what accumulation saves, and what it costs
#
# A step on 1,024 samples, as one batch and cut into smaller ones: the peak of memory beyond the parameters and
# their gradients, and the time.
#
# **Predict:** cut into 32 batches, how many times less memory does the step take, and how many times as much time?


# %%
predicted_memory = None  # times less memory, 32 batches for one
predicted_time = None  # times as long


# %%
def measured(batches, width=256, samples=1024, repeats=2):
    """Peak memory in MB and best time in ms of one step, the samples in so many batches."""
    manual_seed(0)
    model = Sequential(
        Linear(width, width), ReLU(), Linear(width, width), ReLU(), Linear(width, 10)
    )
    x, y = randn(samples, width), randn(samples, 10)
    size = samples // batches
    pieces = [(x[i : i + size], y[i : i + size]) for i in range(0, samples, size)]
    trainer = Trainer(model, SGD(model.parameters(), 0.01), mse_loss)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        training_step(trainer, pieces)
        times.append(time.perf_counter() - start)
    tracemalloc.start()
    accumulate_gradients(model, mse_loss, pieces, Meter())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6, min(times) * 1e3


costs = {}
for batches in (1, 4, 16, 32):
    costs[batches] = peak, milliseconds = measured(batches)
    print(
        f"{batches:3} batches of {1024 // batches:4}: "
        f"peak {peak:5.2f} MB   {milliseconds:6.2f} ms a step"
    )
compare(predicted_memory, costs[1][0] / costs[32][0], "times less")
compare(predicted_time, costs[32][1] / costs[1][1], "times")

# %% [markdown]
# The memory falls with the size of the small batch, down to a part that does not depend on it: each small batch
# computes a full gradient of the weights, before it is added to the existing one. The time may fall at first, since
# small activations stay in the cache; then it rises, because a product with 32 rows reads as many weights as one with
# 1,024, and every small batch adds its overhead in Python.
#
# ## Break it
#
# **A truncated file.** The error says so, in one line. (A pickle that ends too early is executed up to that point.)

# %%
with open(path, "rb") as file:
    whole = file.read()
for name, content in {
    "cut short": whole[:-1000],
    "something else": b"PK\x03\x04 not ours" * 9,
    "empty": b"",
}.items():
    with open(path, "wb") as file:
        file.write(content)
    try:
        load(path)
    except RuntimeError as error:
        print(f"{name:15}", str(error).replace(folder, "..."))

# %% [markdown]
# **Half of the state.** Continue after four epochs with all of the state, or without a part of it: Adam's means, or the
# position of the schedule. The order of the data and the dropout masks are the same. How long are the next steps?
#
# **Predict:** Adam's means are lost, and begin at zero again. Is its first step then shorter or longer than it should
# be, and how many times?


# %%
predicted_step = None  # its length without the means, over its length with them


# %%
class Lengths(Callback):
    """Record how far each step moves the weights."""

    def __init__(self):
        self.places = []

    def on_epoch_begin(self, trainer):
        self.places.append(
            np.concatenate([p.array.ravel() for p in trainer.model.parameters()])
        )

    on_step_end = on_epoch_begin


def lengths_after(left_out):
    """The lengths of the steps after a restart in which a part of the state is left out."""
    lengths = Lengths()
    again, train, _ = digits_trainer([lengths])
    again.load_state_dict(load(path))
    if left_out == "means":
        again.optimizer.state.clear()
    if left_out == "schedule":
        again.scheduler.last_epoch = -1
        again.scheduler.step()
    again.fit(train, epochs=again.epoch + 1)
    return np.linalg.norm(np.diff(lengths.places, axis=0), axis=1)


trainer, train, _ = digits_trainer([Checkpoint(path)])
trainer.fit(train, epochs=4)
found = {left_out: lengths_after(left_out) for left_out in ("nothing", "means", "schedule")}
for left_out, lengths in found.items():
    print(f"{left_out:9} left out:", *(f"{length:.3f}" for length in lengths[:8]))
assert found["means"][0] > 3 * found["nothing"][0], (
    "without its means Adam's first step is long"
)
assert found["schedule"][0] < found["nothing"][0] / 3, "the warm-up is repeated"
compare(predicted_step, found["means"][0] / found["nothing"][0], "times")

# %% [markdown]
# Nothing breaks, and the losses of this small network hardly show it; but it is no longer the training that was
# stopped. Adam, whose means start from zero, moves every weight by the full rate in its first step, however small its
# gradients have become. The schedule repeats its warm-up, and then uses a rate meant for an untrained network.
#
# **Epochs for steps.** The most expensive mistake of this module gives no warning at all: a
# `CosineAnnealingLR(optimizer, T_max=epochs)` that is stepped after every *batch*. The rate goes down and up again
# dozens of times in a training run. Plot the rate of every training run that matters.
#
# ## In PyTorch
#
# ```python
# scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warmup_cosine(step, 100, 10_000))
# for step, (x, y) in enumerate(loader):
#     loss = F.cross_entropy(model(x), y) / accumulate          # right if all batches are equally large
#     loss.backward()
#     if (step + 1) % accumulate == 0:                          # but the last, short group gets no step
#         torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
#         optimizer.step()
#         scheduler.step()
#         optimizer.zero_grad()
#
# torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}, "run.pt")
# state = torch.load("run.pt", weights_only=True)
# ```
#
# This loop is common, with the two faults that the comments name. `weights_only=True`, the default since 2.6, lets the
# unpickler create only tensors and plain containers: PyTorch's counterpart of `load` here.
#
# ## Questions to think about
#
# 1. Clipping by norm keeps the direction of the gradient, clipping by value does not. For which of module 07's
#    optimizers does the difference hardly matter?
#
#    <details><summary>Answer</summary>
#
#    For those that divide each element by its own recent size: Adam, AdamW and RMSprop. They do not use the direction
#    of the gradient anyway, so a change of scale that lasts, for each element separately or for all together, cancels.
#    Five equal gradients, clipped in both ways: with SGD the weights move in directions whose cosine is 0.79, with Adam
#    in the same one. (A single clipped spike still matters to Adam: its averages remember the spike for many steps.)
#    SGD, with or without momentum, takes whatever direction it is given.
#
#    ```python
#    def moved(optimizer_class, clip):
#        weight = tensor(np.zeros(8), requires_grad=True)
#        optimizer = optimizer_class([weight], lr=0.1)
#        for _ in range(5):
#            weight.grad = tensor(100 * np.random.default_rng(0).standard_normal(8))
#            clip([weight], 1.0)
#            optimizer.step()
#        return weight.numpy(force=True)
#
#
#    for kind in (SGD, AdamW):
#        a, b = moved(kind, clip_grad_norm_), moved(kind, clip_grad_value_)
#        print(kind.__name__, a @ b / np.linalg.norm(a) / np.linalg.norm(b))
#    ```
#
#    </details>
#
# 2. Batch normalisation (module 09) computes means over a batch. Does accumulation then still equal one large batch?
#
#    <details><summary>Answer</summary>
#
#    No. Accumulation is exact because the loss of a batch is a mean over samples that do not know of each other. With
#    batch normalisation they do: the output for a sample depends on the mean and the variance of the samples beside it.
#    In eight batches of 32 each is normalised by its own mean, which scatters by $\sigma/\sqrt{32} = 0.18\,\sigma$
#    around the true one, and in one of 256 by $0.06\,\sigma$. Besides, the running statistics move eight times in place
#    of once. Layer normalisation looks at one sample at a time, and keeps accumulation exact.
#
#    ```python
#    x = np.random.default_rng(0).standard_normal((256, 1))
#    whole = (x - x.mean()) / x.std()
#    pieces = np.concatenate([(p - p.mean()) / p.std() for p in np.split(x, 8)])
#    print(np.abs(whole - pieces).max())
#    ```
#
#    </details>
#
# 3. Twice the batch, twice the learning rate: this *linear scaling rule* holds for SGD up to a point. What would you
#    expect for Adam?
#
#    <details><summary>Answer</summary>
#
#    About $\sqrt2$ times. For SGD one step with twice the batch and the rate replaces two steps, as long as the weights
#    hardly move between them. Adam divides by the root of the mean square, and where noise dominates a gradient that is
#    $\sigma/\sqrt B$. Doubling the batch makes it smaller by $\sqrt2$, so each step is already $\sqrt2$ times as long
#    in the direction of the mean, and another $\sqrt2$ is missing for two. Where the gradient is all signal, its size
#    cancels, and the rate would have to double. Below: a mean of 0.01, noise of deviation 1.
#
#    ```python
#    rng = np.random.default_rng(0)
#    for size in (32, 64):
#        gradients = rng.normal(0.01, size**-0.5, 2_000_000)  # means over a batch
#        print(size, gradients.mean() / np.sqrt((gradients**2).mean()))  # Adam's step over its rate
#    ```
#
#    </details>
#
# 4. A worker process draws the random crops of your images. Which generator is that, and what would have to be saved
#    for an exact resumption?
#
#    <details><summary>Answer</summary>
#
#    Each worker has a generator of its own, in its own memory; PyTorch's loader seeds it at the start of an epoch with
#    a number drawn in the main process plus the worker's number. The checkpoint of section 6 holds only the main
#    process's states. The seed can be drawn again, since the state at the epoch's beginning is saved. But after 17
#    skipped batches each worker must be where it was: it has to compute the skipped crops again, or its state has to
#    travel with every batch. The simplest is to need no state: draw each crop from a generator seeded by (seed, epoch,
#    number of the image).
#
#    </details>
#
# 5. `os.replace` survives a kill. A power cut may still lose a file whose bytes were only in the system's memory: what
#    does `os.fsync` do, and what does it cost?
#
#    <details><summary>Answer</summary>
#
#    A write only copies bytes to the system, which sends them to the disk some time later, in an order of its choice.
#    The new name may reach the disk before the content, and after a power cut it can belong to an empty file.
#    `os.fsync` waits until a file's content is on the device. So: write, flush, `fsync`, and only then replace; to be
#    certain of the name as well, `fsync` the folder too. The price is that wait, some milliseconds or tens of them,
#    depending on the device. That is nothing once an hour, and much after every step.
#
#    ```python
#    for sync in (False, True):
#        start = time.perf_counter()
#        with open(os.path.join(folder, "sync"), "wb") as file:
#            file.write(bytes(1_000_000))
#            file.flush()
#            if sync:
#                os.fsync(file.fileno())
#        print(sync, f"{(time.perf_counter() - start) * 1e3:.1f} ms")
#    ```
#
#    </details>
#
# ## An open problem
#
# A checkpoint of a large model takes seconds to write, and training waits for it. Copy the state, return at once, and
# let a thread write the copy. What must not change before the copy is made, and what if the next checkpoint comes
# before the thread has finished? There are no points for it.


# %%
save_soon = None  # your function (state, path); it returns a function that waits for the file


def test_what_is_saved_is_the_state_at_the_time_of_the_call():
    weight, target = tensor(np.zeros(1_000_000)), os.path.join(folder, "soon.tiny")
    wait = save_soon({"weight": weight}, target)
    weight.array[:] = 1  # training goes on
    wait()
    np.testing.assert_array_equal(load(target)["weight"].numpy(), 0)


if save_soon is not None:
    test_what_is_saved_is_the_state_at_the_time_of_the_call()


# %% [markdown]
# ## To read
#
# - R. Pascanu, T. Mikolov and Y. Bengio, "On the difficulty of training recurrent neural networks", 2013, section 3:
#   where clipping by norm comes from.
# - P. Goyal and others, "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", 2017, section 2: the linear
#   scaling rule, and warm-up.
# - S. Malladi, K. Lyu, A. Panigrahi and S. Arora, "On the SDEs and Scaling Rules for Adaptive Gradient Algorithms",
#   2022: the square root of question 3.
# - I. Loshchilov and F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017, section 3: the cosine.
# - PyTorch's documentation, the notes "Reproducibility" and "Serialization semantics": what a stopped training may and
#   may not count on.
#
# ## What comes next
#
# You now have the foundations: tensors, layers, losses, data, gradients, optimizers, and a training loop. With these
# eight modules `milestones/mlp_digits.py` reads handwriting. It does not know that pixels have neighbours; that is the
# subject of module 09.
#
