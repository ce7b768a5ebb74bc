"""Tests of module 08, which `make release 8` makes from trainer.py."""

import itertools
import math
import os
import tempfile
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

from tinytorch.layers import Linear, Parameter, ReLU, Sequential
from tinytorch.losses import MSELoss, mse_loss
from tinytorch.optimizers import SGD
from tinytorch.tensor import Generator, float64, manual_seed, randn, wrap
from tinytorch.trainer import (
    EarlyStopping,
    LambdaLR,
    LRScheduler,
    Meter,
    ReduceLROnPlateau,
    StepLR,
    accumulate_gradients,
    advance,
    evaluate,
    fit_epoch,
    norm_of,
    remaining_batches,
    scale_gradients,
    training_step,
    warmup_cosine,
    write_beside,
)


def several_arrays(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(np.float32) for shape in [(3, 4), (4,), (), (2, 3, 2)]]


@pytest.mark.stub("total-norm", points=3)
def test_the_norm_is_that_of_one_long_vector():
    found = norm_of([np.float32([[3, 0], [0, 4]])], 2.0)
    message = "a matrix counts as its elements in a row, 3, 0, 0, 4: the norm is 5"
    np.testing.assert_allclose(found, 5, err_msg=message)
    assert isinstance(found, float), f"the norm is a float, not a {type(found).__name__}"
    arrays = several_arrays()
    joined = np.concatenate([a.ravel() for a in arrays]).astype(np.float64)
    for p in (2.0, 1.0, 3.0, 0.5):
        expected = (np.abs(joined) ** p).sum() ** (1 / p)
        message = f"p={p}: the sum of |x| ** p over all elements of all arrays, to the power 1/p"
        np.testing.assert_allclose(norm_of(arrays, p), expected, rtol=1e-5, err_msg=message)


@pytest.mark.stub("total-norm", points=3)
def test_the_infinity_norm_is_the_largest_absolute_value():
    arrays = several_arrays()
    arrays[1][2] = -7.0
    np.testing.assert_allclose(norm_of(arrays, math.inf), 7.0, err_msg="the sign does not count")


@pytest.mark.stub("total-norm", points=3)
def test_nan_in_any_array_is_the_norm():
    for p in (2.0, math.inf):
        found = norm_of([np.float32([1.0]), np.float32([2.0, np.nan])], p)
        assert math.isnan(found), f"p={p}, arrays [1.0] and [2.0, nan]: nan, not {found}"


@pytest.mark.stub("total-norm", points=3)
def test_the_arrays_stay_as_they_are():
    arrays = several_arrays()
    norm_of(arrays, 2.0)
    for array, expected in zip(arrays, several_arrays()):
        message = "the arrays are read, not written"
        np.testing.assert_array_equal(array, expected, err_msg=message)


@pytest.mark.stub("total-norm", points=3)
def test_no_copy_is_made_of_all_arrays():
    arrays = [np.ones(2000) for _ in range(40)]
    tracemalloc.start()
    try:
        norm_of(arrays, 2.0)
        peak = tracemalloc.get_traced_memory()[1] // arrays[0].nbytes
    finally:
        tracemalloc.stop()
    assert peak < 20, f"40 arrays, one by one, take memory for less than 20, not {peak}"


def clipped(arrays, max_norm, norm):
    """The arrays after clipping, which must have happened in their own memory."""
    own = [array.copy("K") for array in arrays]  # in the same order in memory
    scale_gradients(list(own), max_norm, norm)
    return own


@pytest.mark.stub("clip", points=4)
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


@pytest.mark.stub("clip", points=4)
def test_a_short_gradient_is_left_alone():
    arrays = several_arrays()
    for max_norm in (1000.0, 6.0):
        for array, found in zip(arrays, clipped(arrays, max_norm, 4.0)):
            message = f"a norm of 4 is below {max_norm}: nothing should change"
            np.testing.assert_array_equal(found, array, err_msg=message)
    np.testing.assert_array_equal(
        clipped([np.zeros(3)], 1.0, 0.0)[0], 0, err_msg="a gradient of zero has the norm 0"
    )


@pytest.mark.stub("clip", points=4)
def test_a_norm_that_is_no_number_shows_everywhere():
    found = np.concatenate(clipped([np.array([1.0, np.nan]), np.array([2.0])], 1.0, math.nan))
    assert np.isnan(found).all(), f"norm NaN: every element becomes NaN, not {found.tolist()}"


@pytest.mark.stub("clip", points=4)
def test_a_millionth_is_added_to_the_norm():
    for norm in (2e-6, 1e-6):
        found, factor = clipped([np.array([norm])], 1e-6, norm)[0], 1e-6 / (norm + 1e-6)
        message = f"norm {norm}, bound 1e-6: the factor is 1e-6 / ({norm} + 1e-6), {factor:.3f}"
        np.testing.assert_allclose(found, norm * factor, rtol=1e-6, err_msg=message)
    np.testing.assert_array_equal(
        clipped([np.array([0.0])], 0.0, 0.0)[0], 0, err_msg="and so 0 / 0 cannot happen"
    )


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


@pytest.mark.stub("advance", points=4)
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


@pytest.mark.stub("advance", points=4)
def test_what_was_set_last_is_remembered():
    optimizer = two_groups()
    scheduler = Harmonic(optimizer)
    optimizer.step()
    scheduler.step()
    optimizer.param_groups[0]["lr"] = 99.0
    np.testing.assert_allclose(
        scheduler.get_last_lr(), [0.5, 0.25], err_msg="get_last_lr: the rates of the last step"
    )


@pytest.mark.stub("advance", points=4)
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
    np.testing.assert_allclose(rates_of(optimizer), [0.001, 0.0005], err_msg="and then continue from there")
    advance(scheduler, 0)
    found = scheduler.last_epoch, *rates_of(optimizer)
    message = "back to epoch 0: last_epoch and the two rates"
    np.testing.assert_allclose(found, [0, 1, 0.5], err_msg=message)
    scheduler = Harmonic(two_groups())
    advance(scheduler, 9)
    np.testing.assert_allclose(
        scheduler.get_last_lr(), [0.1, 0.05], err_msg="without a closed form, get_lr is called"
    )


@pytest.mark.stub("advance", points=4)
def test_a_rate_that_is_a_tensor_keeps_its_memory():
    rate = wrap(np.float32([1.0]).reshape(()))
    optimizer = two_groups(lr=rate)
    scheduler = Harmonic(optimizer)
    scheduler.get_lr = lambda: [0.5, 0.25]
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is rate, "use set_value: a tensor stays, with another value"
    message = "get_lr gave 0.5 for a rate that was 1: in the tensor's own memory"
    np.testing.assert_allclose(rate.item(), 0.5, err_msg=message)
    kept = scheduler.get_last_lr()
    rate.fill_(7.0)
    message = "the tensor is set to 7 by hand; the last step's rates are a copy, by values_of"
    np.testing.assert_allclose([float(value) for value in kept], [0.5, 0.25], err_msg=message)
    assert type(kept[0]) is type(rate), f"the rate is a tensor in get_last_lr too, not {kept}"


@pytest.mark.stub("advance", points=4)
def test_the_next_epoch_goes_on_from_the_rate_that_is_there():
    optimizer = two_groups()
    scheduler = StepLR(optimizer, 2, gamma=0.1)
    optimizer.param_groups[0]["lr"] = 8.0
    for wanted in ([8, 0.5], [0.8, 0.05]):
        advance(scheduler)
        message = "a rate was set to 8 by hand: get_lr continues from it, a closed form would not"
        np.testing.assert_allclose(rates_of(optimizer), wanted, err_msg=message)


@pytest.mark.stub("warmup-cosine", points=4)
def test_the_rise_is_a_line_from_the_first_step():
    for floor in (0.0, 0.1):
        found = [warmup_cosine(step, 4, 100, floor) for step in range(4)]
        message = f"floor {floor}: four steps of warm-up to 1, as if from 0, none with rate 0"
        np.testing.assert_allclose(found, [0.25, 0.5, 0.75, 1.0], err_msg=message)
    assert warmup_cosine(0, 0, 10) == 1, "without warm-up the fall begins at once, from 1"


@pytest.mark.stub("warmup-cosine", points=4)
def test_the_fall_is_half_a_cosine():
    found = [warmup_cosine(step, 10, 110) for step in (10, 35, 60, 85, 110)]
    half = 0.5**0.5 / 2
    expected = [1, 0.5 + half, 0.5, 0.5 - half, 0]
    message = "from 1 at the end of the warm-up to 0 at `total`: at its quarters"
    np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=message)


@pytest.mark.stub("warmup-cosine", points=4)
def test_the_end_is_the_floor():
    np.testing.assert_allclose(
        warmup_cosine(60, 10, 110, floor=0.2), 0.6, err_msg="half way between 1 and the floor"
    )
    for step in (110, 111, 160, 10_000):
        np.testing.assert_allclose(
            warmup_cosine(step, 10, 110, floor=0.2), 0.2, err_msg=f"step {step} of 110"
        )
        np.testing.assert_allclose(warmup_cosine(step, 10, 110), 0, atol=1e-12, err_msg=f"step {step} of 110")


@pytest.mark.stub("warmup-cosine", points=4)
def test_a_schedule_may_be_nothing_but_warm_up():
    found = [warmup_cosine(step, 5, 5) for step in (0, 4)]
    np.testing.assert_allclose(found, [0.2, 1], err_msg="steps 0 and 4 of five of warm-up")
    found = warmup_cosine(5, 5, 5)
    assert 0 <= found <= 1, f"total = warmup: after the end a number from 0 to 1, not {found}"
    found = warmup_cosine(7, 5, 5, floor=0.1)
    message = "warmup 5, total 5: step 7 is after the end, where the factor is the floor, 0.1"
    np.testing.assert_allclose(found, 0.1, err_msg=message)


@pytest.mark.stub("warmup-cosine", points=4)
def test_a_fall_may_take_a_single_step():
    found = [warmup_cosine(step, 5, 6, floor=0.1) for step in (5, 6, 7)]
    message = "warmup 5, total 6: 1 at step 5, and the floor 0.1 from step 6 on"
    np.testing.assert_allclose(found, [1, 0.1, 0.1], err_msg=message)


COURSE = [1.0, 0.9, 0.95, 0.91, 0.92, 0.93, 0.89, *[0.9] * 7, 0.5, 0.6, 0.6, 0.6]


def halvings(metrics, **options):
    """How often the rate has been halved after each epoch."""
    optimizer = SGD([Parameter(randn(1))], lr=1.0)
    scheduler, seen = ReduceLROnPlateau(optimizer, factor=0.5, **options), []
    for metric in metrics:
        scheduler.step(metric)
        seen.append(round(-math.log2(optimizer.param_groups[0]["lr"])))
    return seen, scheduler


@pytest.mark.stub("plateau", points=5)
def test_patience_is_how_many_bad_epochs_are_borne():  # the courses expected are PyTorch's
    expected = [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 4]
    message = "patience 2: every third bad epoch in a row halves the rate; the metrics are"
    found, scheduler = halvings(COURSE, patience=2)
    best = f"{scheduler.best}, after {found[-1]} halvings"
    assert scheduler.best == 0.5, f"the best of {COURSE} is 0.5, not {best}"
    assert found == expected, f"{message} {COURSE}"
    expected = [0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 11, 12, 13, 14]
    assert halvings(COURSE, patience=0)[0] == expected, "patience 0: every bad epoch does"


@pytest.mark.stub("plateau", points=5)
def test_a_cooldown_passes_before_anything_is_counted():
    found, scheduler = halvings(COURSE, patience=2, cooldown=2)
    expected = [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3]
    counts = scheduler.cooldown_counter, scheduler.num_bad_epochs, scheduler.best
    message = "after a reduction, cooldown 2: cooldown_counter, bad epochs and best are"
    assert counts == (2, 0, 0.5), f"{message} 2, 0, 0.5, not {counts}"
    message = "halvings, epoch by epoch: the two after each reduction cool, better or not; for"
    assert found == expected, f"{message} {COURSE}"


@pytest.mark.stub("plateau", points=5)
def test_an_improvement_counts_in_the_cooldown_too():
    metrics = [1.0, 1.0, 0.5, 0.7, 0.7, 0.7]  # the rate is halved at the second
    found, scheduler = halvings(metrics, patience=0, cooldown=1)
    assert scheduler.best == 0.5, f"0.5 came in the cooldown, and is the best: {scheduler.best}"
    assert found == [0, 1, 1, 2, 2, 3], f"0.7 is no better than 0.5: [0, 1, 1, 2, 2, 3], not {found}"


@pytest.mark.stub("plateau", points=5)
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


@pytest.mark.stub("plateau", points=5)
def test_a_rate_does_not_fall_below_its_least():
    found, _ = halvings([1.0] * 12, patience=0, min_lr=0.25)
    assert max(found) == 2, f"the least rate is 0.25, two halvings, not {max(found)}"


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


@pytest.mark.stub("accumulate", points=6)
def test_small_batches_have_the_gradient_of_a_large_one():
    model, x, y = regression()
    losses = {"mse_loss": mse_loss, "skewed": skewed, 'reduction="mean"': MSELoss()}
    for name, loss_fn in losses.items():
        expected = gradients_of_one_batch(model, loss_fn, x, y)
        for sizes in ((10,), (5, 5), (4, 4, 2), (1, 9)):
            found = gradients_after(model, loss_fn, cut(x, y, *sizes))
            message = f"{name}, batches of {sizes}: each weighs as its share of the ten samples"
            for one, wanted in zip(found, expected):
                np.testing.assert_allclose(one, wanted, rtol=1e-9, err_msg=message)


@pytest.mark.stub("accumulate", points=6)
def test_gradients_are_added_to_those_that_are_there():
    model, x, y = regression()
    expected = gradients_of_one_batch(model, mse_loss, x, y)  # and the parameters keep them
    accumulate_gradients(model, mse_loss, cut(x, y, 5, 5), Meter())
    message = "the parameters had gradients, and the same are added: twice as much"
    for parameter, once in zip(model.parameters(), expected):
        np.testing.assert_allclose(parameter.grad.array, 2 * once, rtol=1e-9, err_msg=message)


@pytest.mark.stub("accumulate", points=6)
def test_sums_are_not_weighted():
    model, x, y = regression()
    loss_fn = MSELoss(reduction="sum")
    expected = gradients_of_one_batch(model, loss_fn, x, y)
    for found, wanted in zip(gradients_after(model, loss_fn, cut(x, y, 4, 4, 2)), expected):
        np.testing.assert_allclose(
            found, wanted, rtol=1e-9, err_msg='reduction="sum": the sums of batches add up'
        )


@pytest.mark.stub("accumulate", points=6)
def test_each_batch_goes_backward_before_the_next_goes_forward():
    model, x, y = regression()
    events = []
    model.register_forward_hook(lambda *_: events.append("forward"))
    model[0].weight.register_hook(lambda grad: events.append("backward"))
    accumulate_gradients(model, mse_loss, cut(x, y, 4, 4, 2), Meter())
    message = "only one batch's graph may be alive at a time: that is what accumulating is for"
    assert events == ["forward", "backward"] * 3, message


@pytest.mark.stub("accumulate", points=6)
def test_the_meter_hears_of_every_batch():
    model, x, y = regression()
    outputs = model(x).detach().array
    gaps = [np.abs(outputs[a:b] - 3 * y.array[a:b]).max() for a, b in ((0, 4), (4, 8), (8, 10))]
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


@pytest.mark.stub("accumulate", points=6)
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


@pytest.mark.stub("training-step", points=5)
def test_a_step_follows_the_gradient_of_its_batches():
    trainer, x, y = small_trainer()
    model = trainer.model
    for step in range(4):
        before, (slope, _) = model.weight.array.copy(), slope_of(model, x, y)
        message = f"step {step}, 5 and 3 samples: weights change by -lr times the gradient of all"
        if step == 3:
            model(x).sum().backward()
            message += ", and not by one that the weights had before"
        training_step(trainer, cut(x, y, 5, 3))
        found = model.weight.array
        assert (found != before).any(), f"step {step}: the weights are still what they were"
        np.testing.assert_allclose(found, before - 0.1 * slope, rtol=1e-4, atol=1e-6, err_msg=message)
    found = trainer.meter.count
    assert found == 32, f"trainer.meter hears of 8 samples in each of 4 steps, not of {found}"


@pytest.mark.stub("training-step", points=5)
def test_the_gradient_is_clipped_before_the_step():
    trainer, x, y = small_trainer(lr=1.0, clip_norm=0.01)
    groups = [{"params": [parameter]} for parameter in trainer.model.parameters()]
    trainer.optimizer = SGD(groups[::-1], 1.0)
    before = [p.array.copy() for p in trainer.model.parameters()]
    training_step(trainer, [(x, y)])
    moved = np.concatenate([(p.array - b).ravel() for p, b in zip(trainer.model.parameters(), before)])
    np.testing.assert_allclose(
        np.linalg.norm(moved), 0.01, rtol=1e-3, err_msg="lr 1 and norm 0.01: a step of 0.01"
    )
    trainer.clip_norm, before = 0.0, trainer.model.weight.tolist()
    training_step(trainer, [(x, y)])
    found = trainer.model.weight.tolist()
    assert found == before, "clip_norm 0 is a norm, not None: nothing may change"


@pytest.mark.stub("training-step", points=5)
def test_the_schedule_steps_after_the_optimizer_and_only_if_it_goes_by_steps():
    trainer, x, y = small_trainer()
    trainer.scheduler = LambdaLR(trainer.optimizer, lambda step: 0.0 if step else 1.0)
    before, (slope, _) = trainer.model.weight.array.copy(), slope_of(trainer.model, x, y)
    training_step(trainer, [(x, y)])
    assert trainer.scheduler.last_epoch == 1, "one step of the training, one of the schedule"
    message = "the optimizer steps with the rate set for this step; the next rate comes after it"
    np.testing.assert_allclose(
        trainer.model.weight.array, before - 0.1 * slope, rtol=1e-4, atol=1e-6, err_msg=message
    )
    trainer.scheduler_every = "epoch"
    training_step(trainer, [(x, y)])
    assert trainer.scheduler.last_epoch == 1, "a schedule by epochs is not stepped here"


@pytest.mark.stub("evaluate", points=6)
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
        np.testing.assert_allclose(found["gap"], gap, err_msg="a metric is averaged like the loss")
        assert list(found) == ["loss", "gap"], f"the loss and each metric, not {list(found)}"


@pytest.mark.stub("evaluate", points=6)
def test_all_inputs_reach_the_model():
    class Sum(type(Linear(1, 1))):
        def forward(self, a, b):
            return a + 10 * b

    x, y = randn(4, 2), randn(4, 2)
    wanted = ((x.array + 10 * y.array - x.array) ** 2).mean()
    found = evaluate(Sum(1, 1), mse_loss, [(x, y, x)], {})["loss"]
    message = "a batch of two inputs and a target: model(a, b)"
    np.testing.assert_allclose(found, wanted, rtol=1e-5, err_msg=message)


@pytest.mark.stub("evaluate", points=6)
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


@pytest.mark.stub("evaluate", points=6)
def test_the_mode_is_afterwards_what_it_was_before():
    model, x, y = regression()
    for mode in (True, False):
        model.train(mode)
        evaluate(model, mse_loss, cut(x, y, 10), {})
        assert model.training is mode, f"training was {mode} before, and must be so again"
        modes = [layer.training for layer in model]
        assert modes == [mode] * 3, f"training of each layer was {mode}, and is now {modes}"


@pytest.mark.stub("evaluate", points=6)
def test_an_error_leaves_the_mode_and_the_recording_as_they_were():
    for error in (ZeroDivisionError, KeyboardInterrupt):
        model, x, y = regression()

        def fail(outputs, targets, error=error):
            raise error

        with pytest.raises(error):
            evaluate(model, fail, cut(x, y, 10), {})
        assert model.training, f"the mode must be restored, even after a {error.__name__}"
        assert model(x).requires_grad, "and recording must be on again"


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


@pytest.mark.stub("write-beside", points=5)
def test_what_is_written_arrives_under_its_name_and_nothing_else_is_left():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state")
        for text in ("first", "second"):
            write_beside(path, writer(text))
            assert read(path) == text, f"the file holds what was written last, {text!r}"
            found = len(os.listdir(folder))
            assert found == 1, f"the temporary file must be gone: one file is left, not {found}"


@pytest.mark.stub("write-beside", points=5)
def test_until_the_end_the_old_file_is_there():
    with tempfile.TemporaryDirectory() as folder:
        path, seen = os.path.join(folder, "state"), []
        write_beside(path, writer("old"))

        def look(name):
            writer("new")(name)
            seen.append((read(path), os.path.dirname(name) == os.path.realpath(folder)))

        write_beside(path, look)
        assert seen == [("old", True)], "while it is being written, the new file is next to the old one"
        assert read(path) == "new", "when all is written, the new file has the name"


@pytest.mark.stub("write-beside", points=5)
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


@pytest.mark.stub("write-beside", points=5)
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


@pytest.mark.stub("write-beside", points=5)
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


@pytest.mark.stub("write-beside", points=5)
def test_an_error_before_anything_was_written_is_the_error_that_is_seen():
    def fail(name):
        raise ValueError("nothing to write")

    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.raises(ValueError, match="nothing to write"),
    ):
        write_beside(os.path.join(folder, "state"), fail)


class Shuffled:
    """Numbers in an order drawn at the beginning, each with noise drawn number by number."""

    def __init__(self, generator, count=6):
        self.generator, self.count = generator, count

    def __iter__(self):
        order = self.generator.permutation(self.count)
        return (float(number + self.generator.uniform((1,))[0] / 2) for number in order)


def epoch_of(batches, generator, limit=None):
    """Use batches, and draw a number after each, as dropout would."""
    return [(batch, float(generator.uniform((1,))[0])) for batch in itertools.islice(batches, limit)]


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


@pytest.mark.stub("resume", points=6)
def test_the_rest_of_an_epoch_is_what_it_would_have_been():
    for done in (1, 3, 5):
        loader, generators, begin, now, whole = interrupted(done)
        found = epoch_of(remaining_batches(loader, generators, begin, now, done), generators[0])
        order = [int(batch) for batch, _ in found]
        message = f"done {done} of {len(whole)}: which batches are left, in the epoch's order"
        assert order == [int(batch) for batch, _ in whole[done:]], message
        message = f"after {done}: pairs of a batch, an integer plus noise, and a number drawn"
        assert found == whole[done:], f"{message} after it; all are drawn when needed"


@pytest.mark.stub("resume", points=6)
def test_a_loader_may_have_a_generator_of_its_own():
    loader, generators, begin, now, whole = interrupted(4, own=True)
    for turn, name in ((1, "the loader's last"), (-1, "the loader's first")):
        batches = remaining_batches(loader, generators[::turn], begin[::turn], now[::turn], 4)
        message = f"two generators, {name}: every one is set, and each to its own state"
        assert epoch_of(batches, generators[0]) == whole[4:], message


@pytest.mark.stub("resume", points=6)
def test_an_epoch_that_has_not_begun_begins():
    loader, generators, begin, _, whole = interrupted(0)
    found = epoch_of(remaining_batches(loader, generators, begin, None, 0), generators[0])
    assert found == whole, "done is 0: the whole epoch, from the states at its beginning"


@pytest.mark.stub("resume", points=6)
def test_the_states_of_now_are_not_looked_at_before_the_first_batch():
    loader, generators, begin, _, whole = interrupted(0)
    now = [Generator().manual_seed(7).get_state()]
    found = epoch_of(remaining_batches(loader, generators, begin, now, 0), generators[0])
    assert found == whole, "done is 0: the epoch continues from where drawing the order leaves it"


@pytest.mark.stub("resume", points=6)
def test_every_generator_is_put_where_it_was():
    loader, generators, begin, now, _ = interrupted(3, own=True)
    list(remaining_batches(loader, generators, begin, now, 3))
    remaining_batches(loader, generators[::-1], begin[::-1], now[::-1], 3)
    for number, (generator, state) in enumerate(zip(generators, now)):
        same = np.array_equal(generator.get_state().numpy(), state.numpy())
        message = f"generator {number} of {len(now)} must be in its state of `now`"
        assert same, f"{message} as soon as remaining_batches returns"


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


@pytest.mark.stub("early-stopping", points=4)
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


@pytest.mark.stub("early-stopping", points=4)
def test_training_stops_when_patience_is_at_its_end():
    assert epochs_until_stop([3, 2, 2.5, 2.4, 2.3, 2.2], patience=3) == 5, (
        "epochs 3, 4 and 5 are no better than 2"
    )
    found = epochs_until_stop([3, 2, 2.5, 2.4, 2.3], patience=1)
    assert found == 3, f"patience 1: the first epoch that is no better, 3, not {found}"
    assert epochs_until_stop([3, 3, 3, 3], patience=3) == 4, "the same is no better"
    found = epochs_until_stop([0, 0, 0, 0], patience=2)
    assert found == 3, f"a metric of 0, and no better: patience 2 ends epoch 3, not {found}"


@pytest.mark.stub("early-stopping", points=4)
def test_an_improvement_begins_the_waiting_anew():
    values = [5, 6, 6, 4, 5, 5, 3, 4, 4, 4]
    assert epochs_until_stop(values, patience=3) == 10, (
        "two bad epochs, a good one, two bad, a good one, three bad"
    )
    found = epochs_until_stop([5, 4, 3, 2, 1], patience=1)
    assert found is None, f"every epoch is better: no stop, and not after {found}"


@pytest.mark.stub("early-stopping", points=4)
def test_the_best_counts_and_not_the_epoch_before():
    assert epochs_until_stop([1, 5, 4, 3, 2], patience=4) == 5, (
        "5, 4, 3, 2 improves but is never as good as 1"
    )


@pytest.mark.stub("early-stopping", points=4)
def test_larger_is_better_if_it_is_said():
    found = epochs_until_stop([0.5, 0.6, 0.7, 0.65, 0.68], mode="max", patience=2)
    assert found == 5, f"0.65 and 0.68 are no better than 0.7: 5 epochs, not {found}"


@pytest.mark.stub("early-stopping", points=4)
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


@pytest.mark.stub("fit-epoch", points=7)
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
        message = f"accumulate={accumulate}, four batches: one call for each group, then the end"
        assert moments == [*wanted, "end"], f"{message}, not {moments}"
        found = [seen[1:] for seen in trainer.seen[:-1]]
        message = f"accumulate={accumulate}, four batches: batches, steps more, ended, at each call"
        assert found == steps, f"{message}: {steps}, not {found}"


@pytest.mark.stub("fit-epoch", points=7)
def test_each_group_is_one_step_of_the_training():
    trainer, x, y = watched(sizes=(5, 3), accumulate=2)
    weight, (slope, _) = trainer.model.weight.array.copy(), slope_of(trainer.model, x, y)
    fit_epoch(trainer, None)
    message = "two batches of 5 and 3 in one group: one step on the gradient of the eight"
    found = trainer.model.weight.array
    np.testing.assert_allclose(found, weight - 0.1 * slope, rtol=1e-4, atol=1e-6, err_msg=message)


@pytest.mark.stub("fit-epoch", points=7)
def test_batches_are_made_when_they_are_needed():
    trainer, *_ = watched()
    trainer.call = lambda moment: trainer.seen.append(trainer.asked)
    fit_epoch(trainer, None)
    found = trainer.seen[:4]
    assert found == [1, 2, 3, 4], f"batches made at the end of each step: 1, 2, 3, 4, not {found}"


@pytest.mark.stub("fit-epoch", points=7)
def test_the_logs_are_new_after_each_step():
    trainer, *_ = watched()
    trainer.call = lambda _: trainer.seen.append(trainer.logs == trainer.meter.means())
    fit_epoch(trainer, None)
    found = trainer.seen[:4]
    message = "at each on_step_end trainer.logs is a dict, the means of the meter by then"
    assert found == [True] * 4, f"{message}: {found}"


@pytest.mark.stub("fit-epoch", points=7)
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


@pytest.mark.stub("fit-epoch", points=7)
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


@pytest.mark.stub("fit-epoch", points=7)
def test_a_plateau_is_told_the_validation_loss():
    for validation, told in ((None, None), ("some", 7.0), ("some", 0.0)):
        trainer, x, y = watched(sizes=(8,), scheduler_every="epoch", told=told)
        trainer.scheduler = ReduceLROnPlateau(trainer.optimizer)
        told = mse_loss(trainer.model(x), y).item() if told is None else told
        fit_epoch(trainer, validation)
        message = f"validation {validation}, loss {told}: what a ReduceLROnPlateau gets"
        np.testing.assert_allclose(trainer.scheduler.best, told, rtol=1e-5, err_msg=message)


@pytest.mark.stub("fit-epoch", points=7)
def test_an_epoch_that_was_over_is_only_evaluated():
    trainer, *_ = watched(ended=True, batch=4, step=14, logs={"loss": 1.0})
    trainer.meter.totals, trainer.meter.count = {"loss": 8.0}, 8
    fit_epoch(trainer, "some")
    wanted = [("evaluate", "some"), ("end",)]
    assert trainer.seen == wanted, f"it had ended: {wanted}, not {trainer.seen}"
    wanted = {"loss": 1.0, "val_loss": 7.0, "val_accuracy": 0.5}
    assert trainer.logs == wanted, f"loss 1.0 was there: {wanted}, not {trainer.logs}"


@pytest.mark.stub("fit-epoch", points=7)
def test_an_epoch_without_data_is_refused():
    trainer, *_ = watched()
    trainer.batches = []
    with pytest.raises(ValueError, match=r"\w"):
        fit_epoch(trainer, None)
