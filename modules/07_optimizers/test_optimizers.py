"""Tests of module 07, which `make release 7` makes from optimizers.py."""

import functools
import re
import tracemalloc
import warnings

import numpy as np
import pytest

from tinytorch.layers import Linear, Parameter
from tinytorch.optimizers import (
    SGD,
    Adam,
    AdamW,
    Optimizer,
    RMSprop,
    accumulate,
    average,
    clear_gradients,
    complete_group,
    corrected,
    decay_groups,
    descent_direction,
    fit,
    shrink,
    squared_error,
    take_step,
)
from tinytorch.tensor import Tensor, float64, manual_seed, randn, tensor


def bytes_made_by(run):
    """The most memory that a call needed beyond what was there before it."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def parameters_with_gradients(*shapes, seed=0):
    """Parameters of random values, each with a random gradient."""
    rng = np.random.default_rng(seed)
    parameters = [Parameter(tensor(rng.standard_normal(shape).astype(np.float32))) for shape in shapes]
    for parameter, shape in zip(parameters, shapes):
        parameter.grad = tensor(rng.standard_normal(shape).astype(np.float32))
    return parameters


@pytest.mark.stub("zero-grad", points=3)
def test_every_gradient_of_every_group_is_forgotten():
    none, a, b, c = parameters_with_gradients((1,), (2,), (3,), (2, 2))
    none.grad = None
    a.requires_grad_(False)
    held, kept = c.grad.array, c.grad.array.copy()
    clear_gradients([{"params": [none, a, b]}, {"params": [c]}], True)
    assert a.grad is None, "every gradient becomes None, even of a parameter that is frozen by now"
    assert b.grad is None, "every parameter of a group, not only the first"
    assert c.grad is None, "and in every group"
    message = "set_to_none=True: whoever else holds a gradient still has its numbers"
    np.testing.assert_array_equal(held, kept, err_msg=message)


@pytest.mark.stub("zero-grad", points=3)
def test_gradients_are_filled_with_zeros_where_they_are():
    a, none, b, c = parameters_with_gradients((2,), (3,), (2, 2), ())
    a.grad.array[0], none.grad = np.inf, None
    c.requires_grad_(False)
    memory = [p.grad.array for p in (a, b, c)]
    clear_gradients([{"params": [a, none, b]}, {"params": [c]}], False)
    for parameter, array in zip((a, b, c), memory):
        assert parameter.grad is not None, "set_to_none=False keeps the gradients, as zeros"
        same = np.shares_memory(parameter.grad.array, array)
        assert same, "the zeros go into the existing memory"
    largest = [float(np.abs(array).max()) for array in memory]
    assert largest == [0, 0, 0], (
        "of four parameters, the second without a gradient, three gradients are zero: their "
        f"largest elements are {largest}"
    )
    assert none.grad is None, "a parameter without a gradient stays without one"


@pytest.mark.stub("zero-grad", points=3)
def test_zeros_belong_to_no_graph():
    w = Parameter(tensor([2.0, 3.0]))
    (w * w * w).sum().backward(create_graph=True)
    clear_gradients([{"params": [w]}], False)
    assert not w.grad.requires_grad, (
        "after backward(create_graph=True) a gradient is part of a graph; the zeros are not"
    )


@pytest.mark.stub("zero-grad", points=3)
def test_a_graph_that_saved_a_gradient_notices_the_zeros():
    (w,) = parameters_with_gradients((2,))
    x = tensor([1.0, 2.0], requires_grad=True)
    product = (x * w.grad).sum()
    clear_gradients([{"params": [w]}], False)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


@pytest.mark.stub("param-group", points=4)
def test_options_that_are_not_given_come_from_the_defaults():
    a, b, c = parameters_with_gradients((2,), (2,), (2,))
    group, defaults = {"params": [a], "lr": 0.5, "own": "kept"}, {"lr": 0.1, "momentum": 0.9}
    others = [{"params": [b], "more": 1}, {"params": [c], "lr": 7, "momentum": 0.3, "more": 1}]
    complete_group(group, defaults, others)
    assert "more" not in group, "options of another group are not this one's"
    found = group.get("momentum")
    assert found == 0.9, f"the group itself gets missing options from the defaults: {found}"
    assert group["lr"] == 0.5, "the group's own options stay"
    assert group["own"] == "kept", "options without a default stay, too"
    assert group["params"][0] is a, "the parameters must not change"
    assert defaults == {"lr": 0.1, "momentum": 0.9}, "the defaults themselves must not change"
    found = [(len(other["params"]), len(other)) for other in others]
    message = "`others` must not change: of each group, the numbers of parameters and of keys"
    assert found == [(1, 2), (1, 4)], message


@pytest.mark.stub("param-group", points=4)
def test_an_option_that_is_off_is_given():
    own = parameters_with_gradients((2,))
    for off in (0, 0.0, False, None):
        group = {"params": own, "own": off}
        complete_group(group, {"own": 0.5, "default": off}, [])
        wanted = {"params": own, "own": off, "default": off}
        assert group == wanted, f"own={off} stays, and so does a default of {off}: {group}"


@pytest.mark.stub("param-group", points=4)
def test_a_parameter_cannot_be_in_two_groups():
    a, b = parameters_with_gradients((2,), (2,))
    with pytest.raises(ValueError, match=r"\w"):
        complete_group({"params": [a]}, {}, [{"params": [a]}])
    complete_group({"params": [b]}, {}, [{"params": [a]}])
    twice = {"params": [b, b]}
    complete_group(twice, {}, [{"params": [a]}])  # for which there is a warning
    left = len(twice["params"])
    assert left == 2, f"[b, b], in no other group, stays as it is: {left} parameters are left"


@pytest.mark.stub("param-group", points=4)
def test_one_parameter_that_is_taken_is_enough():
    a, b = parameters_with_gradients((2,), (2,))
    for params in ([b, a], [a, b]):
        with pytest.raises(ValueError, match=r"\w"):
            complete_group({"params": params}, {}, [{"params": [a]}])


@pytest.mark.stub("param-group", points=4)
def test_all_other_groups_are_looked_at():
    a, b = parameters_with_gradients((2,), (2,))
    for taken in (a, b):
        with pytest.raises(ValueError, match=r"\w"):
            complete_group({"params": [taken]}, {}, [{"params": [a]}, {"params": [b]}])


@pytest.mark.stub("param-group", points=4)
def test_parameters_of_equal_values_are_not_the_same():
    ones = [Parameter(tensor([1.0] * size)) for size in (1, 1, 2, 2)]
    complete_group({"params": ones[1::2]}, {}, [{"params": ones[::2]}])


def check_no_array_is_made(run, array, said):
    """Call twice: the second call must not make an array as large as this one."""
    run()
    made = round(bytes_made_by(run) / array.nbytes, 1)
    assert made < 0.5, f"{said}: it makes {made} times the memory of the parameter on the way"


def check_direction(wanted, **options):
    """Compare the direction for some options with a formula of the array and the gradient."""
    for kind, shape in (
        (np.float32, (3, 4)),
        (np.float64, (3, 4)),
        (np.float32, (3,)),
        (np.float32, ()),
    ):
        array, grad = np.random.default_rng(0).standard_normal((2, 2, *shape)).astype(kind)[:, 0, ...]
        array, grad = np.array(array), np.array(grad)
        inputs, expected = (array.copy(), grad.copy()), wanted(array, grad)
        out = np.full_like(array, np.nan)
        found = descent_direction(array, grad, options, out)
        for name, one, kept in zip(("parameter", "gradient"), (array, grad), inputs):
            message = f"the {name} is not to be changed"
            np.testing.assert_array_equal(one, kept, err_msg=message)
        place = "None" if found is None else "another array"
        place = "out" if found is out or found is grad else place
        assert place == "out", f"{options}: `out` must be returned, or `grad`; got {place}"
        tolerance = 1e-5 if kind == np.float32 else 1e-12
        about = f"for {options}, shape {shape}"
        np.testing.assert_allclose(found, expected, rtol=tolerance, err_msg=about)


@pytest.mark.stub("weight-decay", points=4)
def test_the_gradient_is_the_direction_when_no_option_is_on():
    check_direction(lambda array, grad: grad)
    check_direction(lambda array, grad: grad, maximize=False, weight_decay=0, lr=3.0)


@pytest.mark.stub("weight-decay", points=4)
def test_weight_decay_adds_the_weights():
    for decay in (0.25, 2.0):
        check_direction(lambda a, g, decay=decay: g + decay * a, weight_decay=decay, lr=0.1)


@pytest.mark.stub("weight-decay", points=4)
def test_maximizing_turns_the_gradient_and_not_the_decay():
    check_direction(lambda array, grad: -grad, maximize=True)
    check_direction(lambda array, grad: 0.5 * array - grad, maximize=True, weight_decay=0.5)


@pytest.mark.stub("weight-decay", points=4)
def test_decay_that_is_decoupled_is_left_out():
    for own, wanted in ((True, 0), (False, 0.5)):
        options = {"weight_decay": 0.5, "decoupled_weight_decay": own}
        check_direction(lambda a, g, wanted=wanted: g + wanted * a, **options)
        options["maximize"] = True
        check_direction(lambda a, g, wanted=wanted: -g + wanted * a, **options)


@pytest.mark.stub("weight-decay", points=4)
def test_without_an_option_no_array_is_made():
    array, grad, out = np.ones((3, 300, 300), np.float32)
    run = functools.partial(descent_direction, array, grad, {"weight_decay": 0}, out)
    check_no_array_is_made(run, array, "without an option `grad` is the direction already")


class Recorder(Optimizer):
    """An optimizer that records how its `update` is called, and overwrites `work`."""

    def __init__(self, params, **defaults):
        super().__init__(params, {"lr": 1.0, **defaults})
        self.calls = []

    def update(self, parameter, grad, group, work):
        wanted = parameter.array.shape, np.float32
        assert (work.shape, work.dtype) == wanted, "work has the parameter's shape and type"
        work[...] = np.nan
        self.calls.append((parameter, grad.copy(), group))
        array = parameter.array
        array -= group["lr"] * grad


@pytest.mark.stub("step", points=5)
def test_each_parameter_is_updated_once_with_its_own_options():
    a, b, c = parameters_with_gradients((2,), (3, 2), ())
    a.grad.array[...] = 0
    c.requires_grad_(False)
    d = parameters_with_gradients((3,), seed=4)[0]
    groups = {"params": [a, b], "lr": 0.5, "weight_decay": 2}, {"params": [c, d]}
    optimizer = Recorder([groups[0], {**groups[1], "weight_decay": 0}], weight_decay=3)
    expected = [p.grad.array + 2 * p.array for p in (a, b)]
    expected += [p.grad.array.copy() for p in (c, d)]
    take_step(optimizer)
    updates = [sum(call[0] is p for call in optimizer.calls) for p in (a, b, c, d)]
    assert updates == [1, 1, 1, 1], (
        "two groups of two parameters with a gradient, the first of which is 0, the third "
        f"frozen by now: each is updated once; updates were {updates}"
    )
    for call, parameter in zip(optimizer.calls, (a, b, c, d)):
        assert call[0] is parameter, "in the order of the groups"
    rates = [call[2]["lr"] for call in optimizer.calls]
    assert rates == [0.5, 0.5, 1.0, 1.0], "each with the options of its own group"
    for call, number in zip(optimizer.calls, (0, 0, 1, 1)):
        same = call[2] is optimizer.param_groups[number]
        assert same, "`update` gets the group itself, to which it may write"
    message = "each with its own gradient, and the weight decay of its own group"
    for (_, grad, _), wanted in zip(optimizer.calls, expected):
        np.testing.assert_allclose(grad, wanted, rtol=1e-6, err_msg=message)


@pytest.mark.stub("step", points=5)
def test_each_direction_is_used_before_the_next_is_computed():
    own = parameters_with_gradients((4,), (2, 3), (3,))
    expected = [p.grad.array + 2 * p.array for p in own]
    optimizer = Recorder(own, weight_decay=2)
    take_step(optimizer)
    message = "each with its own direction; all of them are computed in the same memory"
    for (_, grad, _), wanted in zip(optimizer.calls, expected):
        np.testing.assert_allclose(grad, wanted, rtol=1e-6, err_msg=message)


@pytest.mark.stub("step", points=5)
def test_a_step_leaves_the_gradients_as_they_are():
    own = parameters_with_gradients((4,), (2, 3))
    kept = [p.grad.array.copy() for p in own]
    take_step(Recorder(own, weight_decay=2))
    for parameter, wanted in zip(own, kept):
        assert parameter.grad is not None, "a step clears no gradient: zero_grad does"
        message = "the gradient is not to be changed"
        np.testing.assert_array_equal(parameter.grad.array, wanted, err_msg=message)


@pytest.mark.stub("step", points=5)
def test_parameters_without_a_gradient_are_passed_over():
    a, b = parameters_with_gradients((2,), (2,))
    a.grad, version = None, a._version
    optimizer = Recorder([a, b])
    take_step(optimizer)
    assert a._version == version, "a parameter that was not updated has not changed"
    assert len(optimizer.calls) == 1, "no gradient, no update; and no error either"
    assert optimizer.calls[0][0] is b, "those after it are still updated"


@pytest.mark.stub("step", points=5)
def test_update_gets_the_direction_and_separate_memory_to_work_in():
    (a,) = parameters_with_gradients((4, 3))
    expected = 0.5 * a.array - a.grad.array
    optimizer = Recorder([a], weight_decay=0.5, maximize=True)
    take_step(optimizer)
    message = "update gets what descent_direction returns; `work` is other memory than that"
    np.testing.assert_allclose(optimizer.calls[0][1], expected, rtol=1e-6, err_msg=message)
    missing = np.isnan(a.array).sum()
    message = f"{missing} NaN came from `work`: nothing but `update` changes the parameter"
    assert missing == 0, message


@pytest.mark.stub("step", points=5)
def test_a_graph_from_before_the_step_refuses():
    own = parameters_with_gradients((2,), (3,), (2,))
    losses, before = [(p * p).sum() for p in own], [p._version for p in own]
    take_step(Recorder([{"params": own[:2]}, {"params": own[2:]}]))
    counted = [p._version - version for p, version in zip(own, before)]
    assert counted == [1, 1, 1], (
        f"changed(parameter.array) once for each of three parameters, not {counted} times"
    )
    for loss in losses:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


@pytest.mark.stub("step", points=5)
def test_a_step_computes_in_the_memory_that_is_there():
    class Still(Optimizer):
        def update(self, parameter, grad, group, work):
            pass

    own = parameters_with_gradients((300, 300))
    run = functools.partial(take_step, Still(own, {}))
    check_no_array_is_made(run, own[0].array, "both arrays come from `optimizer.scratch`")


def check_accumulate(momentum, dampening, shape=(4, 5), before=1):
    for kind in (np.float32, np.float64):
        rng = np.random.default_rng(0)
        velocity, grad, work = map(np.array, rng.standard_normal((3, *shape)).astype(kind))
        velocity *= before
        expected, kept = momentum * velocity + (1 - dampening) * grad, grad.copy()
        accumulate(velocity, grad, momentum, dampening, work)
        np.testing.assert_array_equal(grad, kept, err_msg="the gradient is not to be changed")
        message = f"{momentum} * velocity + (1 - {dampening}) * grad, in the velocity's memory"
        message += "" if before else "; the velocity was zero"
        np.testing.assert_allclose(velocity, expected, rtol=1e-5, atol=1e-6, err_msg=message)


@pytest.mark.stub("momentum", points=3)
def test_the_velocity_fades_and_the_gradient_is_added():
    for momentum in (0.9, 0.25, 0.0):
        check_accumulate(momentum, 0.0)
        check_accumulate(momentum, 0.0, shape=())


@pytest.mark.stub("momentum", points=3)
def test_dampening_weakens_the_gradient_only():
    check_accumulate(0.5, 0.3)
    check_accumulate(0.9, 1.0)
    check_accumulate(0.0, 0.3)
    check_accumulate(0.5, 0.3, before=0)


def gradients(shape, steps=5, seed=0):
    """The gradients of some steps, drawn in advance: an array (steps, ...)."""
    return np.random.default_rng(seed).standard_normal((steps, *shape)).astype(np.float32)


def run(optimizer, parameter, grads):
    """Step once for each gradient; the parameter's values after every step, in float64."""
    places = []
    for grad in grads:
        parameter.grad = tensor(grad.copy())
        optimizer.step()
        np.testing.assert_array_equal(
            parameter.grad.array, grad, err_msg="a step must not change the gradient"
        )
        places.append(parameter.array.astype(np.float64))
    return np.array(places)


def sgd_by_formula(start, grads, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False):
    place, velocity, places = start.astype(np.float64), None, []
    for grad in grads.astype(np.float64):
        d = (-grad if maximize else grad) + weight_decay * place
        velocity = d if velocity is None else momentum * velocity + (1 - dampening) * d
        place = place - lr * ((d + momentum * velocity) if nesterov else velocity if momentum else d)
        places.append(place)
    return np.array(places)


def check_places(found, expected, said, tolerance=1e-5):
    """Compare the values after each step, and report the errors of all steps."""
    errors = np.abs(found - expected).reshape(len(found), -1).max(axis=1)
    away = ", ".join(f"{error:.2g}" for error in errors)
    for step, (a, b) in enumerate(zip(found, expected), 1):
        message = f"{said}, after step {step}; the errors of all steps are {away}"
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=message)


def check_groups(formula, optimizer, *groups, **defaults):
    """Five steps of a parameter for each of the groups, whose options are all different."""
    parameters, grads = [Parameter(randn(3)) for _ in groups], gradients((3,))
    expected = [formula(p.array, grads, **own) for p, own in zip(parameters, groups)]
    listed = [{"params": [p], **own} for p, own in zip(parameters, groups)]
    one = optimizer(listed, **{"lr": 0.01, **defaults})
    found = []
    for grad in grads:
        for parameter in parameters:
            parameter.grad = tensor(grad.copy())
        one.step()
        found.append([parameter.array.astype(np.float64) for parameter in parameters])
    for number, own in enumerate(groups):
        said = f"{optimizer.__name__}, the group with {own}"
        check_places(np.array(found)[:, number], expected[number], said)


def check_against(formula, optimizer, shape=(3, 4), tolerance=1e-5, first=1, **options):
    """Five steps of an optimizer against a formula in float64; `first` scales gradient 1."""
    parameter, grads = Parameter(randn(shape)), gradients(shape)
    grads[0] *= first
    expected = formula(parameter.array, grads, **options)
    found = run(optimizer([parameter], **options), parameter, grads)
    said = f"{optimizer.__name__} with {options}" + ("" if first else ", first gradient zero")
    check_places(found, expected, said, tolerance)


def check_in_place(optimizer, **options):
    """Steps change the parameter, and what is kept of it, in their memory and their type."""
    for kind in (np.float32, np.float64):
        parameter = Parameter(tensor(np.ones((3, 4), kind)))
        one, array, before = optimizer([parameter], **options), parameter.array, None
        for step in range(3):
            parameter.grad = tensor(np.full((3, 4), 2.0, kind))
            one.step()
            kept = [x.array for x in one.state[parameter].values()] if one.state else []
            before = before or kept
            where = f"{optimizer.__name__} with {options}, step {step + 1}"
            assert parameter.array is array, f"{where}: the parameter lies in other memory"
            assert array.dtype == kind, f"{where}: {kind.__name__} became {array.dtype}"
            same = [new is old for new, old in zip(kept, before, strict=True)]
            assert same == [True] * len(kept), f"{where}: a state lies in other memory: {same}"
            count = one.state[parameter].get("step", step + 1) if kept else step + 1
            assert float(count) == step + 1, f"{where}: {float(count)} steps are counted"


@pytest.mark.stub("sgd", points=7)
def test_plain_steps_follow_the_gradient():
    for options in ({}, {"weight_decay": 0.2}, {"maximize": True}, {"dampening": 0.4}):
        check_against(sgd_by_formula, SGD, lr=0.1, **options)
    check_against(sgd_by_formula, SGD, shape=(), lr=0.5)


@pytest.mark.stub("sgd", points=7)
def test_the_velocity_carries_on():
    check_against(sgd_by_formula, SGD, lr=0.1, momentum=0.9)
    check_against(sgd_by_formula, SGD, lr=0.1, momentum=0.5, weight_decay=0.1)
    check_against(sgd_by_formula, SGD, shape=(), lr=0.1, momentum=0.5)


@pytest.mark.stub("sgd", points=7)
def test_the_first_gradient_is_not_dampened():
    for first in (1, 0):
        check_against(sgd_by_formula, SGD, first=first, lr=0.1, momentum=0.9, dampening=0.4)


@pytest.mark.stub("sgd", points=7)
def test_nesterov_looks_ahead():
    check_against(sgd_by_formula, SGD, lr=0.1, momentum=0.9, nesterov=True)


@pytest.mark.stub("sgd", points=7)
def test_each_group_of_sgd_has_its_own_options():
    ahead = {"lr": 0.1, "momentum": 0.6, "nesterov": True, "weight_decay": 0.1}
    dampened = {"lr": 0.2, "momentum": 0.9, "dampening": 0.4, "maximize": True}
    check_groups(sgd_by_formula, SGD, ahead, dampened)


@pytest.mark.stub("sgd", points=7)
def test_a_group_of_sgd_may_have_options_of_0():
    off = {"momentum": 0, "dampening": 0, "weight_decay": 0, "maximize": False}
    defaults = {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1, "maximize": True}
    groups = {"lr": 0.0, **off}, {"lr": 0.1, **off}, {"lr": 0.1, **off, "momentum": 0.5}
    check_groups(sgd_by_formula, SGD, *groups, **defaults)


@pytest.mark.stub("sgd", points=7)
def test_the_velocity_is_kept_in_memory_of_its_own():
    (a,) = parameters_with_gradients((3,))
    optimizer, first = SGD([a], 0.1, momentum=0.9), a.grad.array.copy()
    optimizer.step()
    a.grad.array[...] = 0
    kept = optimizer.state[a].get("momentum_buffer")
    kind = type(kept).__name__
    assert isinstance(kept, Tensor), f"the velocity is kept as a Tensor, not as a {kind}"
    message = "the first velocity is a copy of the gradient"
    np.testing.assert_array_equal(kept.array, first, err_msg=message)
    found = kept.array.dtype
    assert found == np.float32, f"the velocity of float32 parameters is float32, not {found}"
    optimizer.step()
    message = "later ones go into the same memory"
    np.testing.assert_allclose(kept.array, 0.9 * first, rtol=1e-6, err_msg=message)


@pytest.mark.stub("sgd", points=7)
def test_nothing_is_kept_without_momentum():
    (a,) = parameters_with_gradients((3,))
    optimizer = SGD([a], 0.1)
    optimizer.step()
    kept = [name for state in optimizer.state.values() for name in state]
    assert kept == [], f"plain descent keeps nothing, but the state has {kept}"
    assert len(optimizer.state) == 0, "and makes no entry in self.state, not even an empty one"


@pytest.mark.stub("sgd", points=7)
def test_the_rate_may_be_a_tensor():
    for options, far in (
        ({}, 1),
        ({"momentum": 0.5}, 1),
        ({"momentum": 0.5, "nesterov": 1}, 1.5),
    ):
        (a,) = parameters_with_gradients((3,))
        expected = a.array - np.float32(0.5 * far) * a.grad.array
        SGD([a], lr=tensor(0.5), **options).step()
        message = f"lr=tensor(0.5), {options}"
        np.testing.assert_allclose(a.array, expected, rtol=1e-6, err_msg=message)


@pytest.mark.stub("sgd", points=7)
def test_a_velocity_that_is_none_begins_anew():
    (a,) = parameters_with_gradients((3,))
    expected = a.array - np.float32(0.1) * a.grad.array
    optimizer = SGD([a], 0.1, momentum=0.9)
    optimizer.state[a]["momentum_buffer"] = None  # which a loaded state may contain
    optimizer.step()
    np.testing.assert_allclose(a.array, expected, rtol=1e-5, err_msg="as in the first step")


@pytest.mark.stub("sgd", points=7)
def test_sgd_works_in_place():
    check_in_place(SGD, lr=0.1)
    check_in_place(SGD, lr=0.1, momentum=0.9, weight_decay=0.1)
    check_in_place(SGD, lr=0.1, momentum=0.9, nesterov=True)


@pytest.mark.stub("sgd", points=7)
def test_a_plain_step_makes_no_array():
    own = parameters_with_gradients((300, 300))
    check_no_array_is_made(SGD(own, 0.1).step, own[0].array, "compute in `work`")


def check_average(beta, in_work, shape=(4, 5), before=1):
    for kind in (np.float32, np.float64):
        drawn = np.random.default_rng(0).standard_normal((3, *shape)).astype(kind)
        mean, values, work = map(np.array, drawn)
        mean *= before
        expected, kept = beta * mean + (1 - beta) * values, values.copy()
        average(mean, values, beta, values if in_work else work)
        if not in_work:
            message = "the values are not to be changed"
            np.testing.assert_array_equal(values, kept, err_msg=message)
        message = f"{beta} * mean + {1 - beta:.3f} * values, in the mean's own memory"
        message += "; `values` is `work`, and is read before it changes" if in_work else ""
        message += "" if before else "; the mean was zero"
        np.testing.assert_allclose(mean, expected, rtol=1e-5, atol=1e-6, err_msg=message)


@pytest.mark.stub("moving-average", points=3)
def test_the_mean_moves_towards_the_values():
    for beta in (0.9, 0.25, 0.0, 1.0):
        check_average(beta, in_work=False)
        check_average(beta, in_work=False, shape=())
    check_average(0.75, in_work=False, before=0)


@pytest.mark.stub("moving-average", points=3)
def test_the_values_may_be_the_memory_to_work_in():
    check_average(0.75, in_work=True)


def rmsprop_by_formula(start, grads, lr, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, maximize=False):
    place, square, velocity, places = start.astype(np.float64), 0, 0, []
    rates = lr if np.iterable(lr) else [lr] * len(grads)
    for grad, rate in zip(grads.astype(np.float64), rates):
        d = (-grad if maximize else grad) + weight_decay * place
        square = alpha * square + (1 - alpha) * d**2
        velocity = momentum * velocity + d / (np.sqrt(square) + eps)
        place = place - rate * velocity
        places.append(place)
    return np.array(places)


@pytest.mark.stub("rmsprop", points=6)
def test_rmsprop_divides_by_the_root_of_the_mean_square():
    check_against(rmsprop_by_formula, RMSprop, lr=0.01)
    check_against(rmsprop_by_formula, RMSprop, lr=0.01, alpha=0.5)
    check_against(rmsprop_by_formula, RMSprop, shape=(), lr=0.01, maximize=True)


@pytest.mark.stub("rmsprop", points=6)
def test_eps_stands_outside_the_root():
    check_against(rmsprop_by_formula, RMSprop, lr=0.01, eps=0.3)


@pytest.mark.stub("rmsprop", points=6)
def test_rmsprop_takes_momentum():
    check_against(rmsprop_by_formula, RMSprop, lr=0.01, alpha=0.9, momentum=0.8)
    check_against(rmsprop_by_formula, RMSprop, shape=(), lr=0.01, momentum=0.8)


@pytest.mark.stub("rmsprop", points=6)
def test_each_group_of_rmsprop_has_its_own_options():
    fast = {"lr": 0.1, "alpha": 0.5, "eps": 0.1, "momentum": 0.8}
    slow = {"lr": 0.02, "alpha": 0.9, "eps": 0.3, "weight_decay": 0.2, "maximize": True}
    check_groups(rmsprop_by_formula, RMSprop, fast, slow)


@pytest.mark.stub("rmsprop", points=6)
def test_a_group_of_rmsprop_may_have_options_of_0():
    off = {"lr": 0.1, "alpha": 0.0, "momentum": 0, "eps": 0.0, "weight_decay": 0}
    check_groups(rmsprop_by_formula, RMSprop, off, alpha=0.9, momentum=0.9, weight_decay=0.1)


@pytest.mark.stub("rmsprop", points=6)
def test_the_rate_does_not_enter_the_velocity():
    parameter, grads, rates = Parameter(randn(3)), gradients((3,), 4), [0.1, 0.1, 0.01, 0.01]
    expected = rmsprop_by_formula(parameter.array, grads, rates, momentum=0.9)
    optimizer, found = RMSprop([parameter], lr=0.1, momentum=0.9), []
    for grad, rate in zip(grads, rates):
        optimizer.param_groups[0]["lr"] = rate
        found += list(run(optimizer, parameter, grad[None]))
    message = "the rate falls after two steps: each step is its own rate times the velocity"
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=message)


@pytest.mark.stub("rmsprop", points=6)
def test_rmsprop_works_in_place():
    check_in_place(RMSprop, lr=tensor(0.01))
    check_in_place(RMSprop, lr=tensor(0.01), momentum=0.9, weight_decay=0.1)


@pytest.mark.stub("bias-correction", points=4)
def test_two_numbers_do_what_two_corrected_averages_would():
    for step in (1, 2, 10, 1000, 1_000_000):
        for lr, eps, beta1, beta2 in (
            (0.1, 0.3, 0.6, 0.9), (1e-3, 1e-8, 0.9, 0.999),
            (1.0, 0.0, 0.5, 0.75), (0.1, 0.3, 0.0, 0.9), (0.1, 0.3, 0.5, 0.0),
        ):  # fmt: skip
            c1, c2 = 1 - beta1**step, 1 - beta2**step
            # m over the left side, for v = 0 and v = 1; on the right, (sqrt(v) + eps') / lr'
            at_0, at_1 = (c1 / lr * (np.sqrt(v / c2) + eps) for v in (0, 1))
            size, small = corrected(lr, eps, beta1, beta2, step)
            said = f"lr', eps' of lr={lr}, eps={eps}, betas=({beta1}, {beta2}), step {step}"
            wanted = np.array([1, at_0]) / (at_1 - at_0)
            np.testing.assert_allclose([size, small], wanted, rtol=1e-5, err_msg=said)


def adam_by_formula(
    start, grads, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False,
    maximize=False, decoupled=False,
):  # fmt: skip
    place, m, v, largest, places = start.astype(np.float64), 0, 0, 0, []
    for t, grad in enumerate(grads.astype(np.float64), 1):
        if decoupled:
            place = place - lr * weight_decay * place
        d = (-grad if maximize else grad) + (0 if decoupled else weight_decay) * place
        m = betas[0] * m + (1 - betas[0]) * d
        v = betas[1] * v + (1 - betas[1]) * d**2
        largest = np.maximum(largest, v)
        v_hat = (largest if amsgrad else v) / (1 - betas[1] ** t)
        place = place - lr * m / (1 - betas[0] ** t) / (np.sqrt(v_hat) + eps)
        places.append(place)
    return np.array(places)


@pytest.mark.stub("adam", points=8)
def test_adam_follows_its_formula():
    check_against(adam_by_formula, Adam, lr=0.1)
    check_against(adam_by_formula, Adam, lr=0.1, betas=(0.5, 0.7), weight_decay=0.2)
    check_against(adam_by_formula, Adam, shape=(), lr=0.1, maximize=True)
    check_against(adam_by_formula, Adam, lr=0.1, eps=0.3)


@pytest.mark.stub("adam", points=8)
def test_amsgrad_divides_by_the_largest_mean_square_so_far():
    grads = np.float32([[3.0], [0.1], [0.1], [-0.2], [4.0], [0.5]])
    for amsgrad in (True, False):
        parameter = Parameter(tensor([1.0]))
        options = {"lr": 0.1, "betas": (0.5, 0.5), "amsgrad": amsgrad}
        expected = adam_by_formula(parameter.array, grads, **options)
        optimizer = Adam([parameter], **options)
        found = run(optimizer, parameter, grads)
        if amsgrad:
            kept = optimizer.state[parameter]["max_exp_avg_sq"].item() != 0
            assert kept, "the largest is kept: max_exp_avg_sq is still 0 after six gradients"
        check_places(found, expected, f"gradients that shrink and grow, amsgrad={amsgrad}")
    check_against(adam_by_formula, Adam, shape=(), lr=0.1, amsgrad=True)


@pytest.mark.stub("adam", points=8)
def test_each_group_of_adam_has_its_own_options():
    plain = {"lr": 0.1, "betas": (0.5, 0.7), "eps": 0.3, "weight_decay": 0.2}
    largest = {"lr": 0.2, "betas": (0.8, 0.3), "eps": 0.1, "amsgrad": True, "maximize": True}
    check_groups(adam_by_formula, Adam, plain, largest)


@pytest.mark.stub("adam", points=8)
def test_a_group_of_adam_may_have_options_of_0():
    off = {"lr": 0.1, "betas": (0.0, 0.0), "eps": 0.0, "weight_decay": 0, "amsgrad": False}
    check_groups(adam_by_formula, Adam, off, weight_decay=0.1, amsgrad=True)


@pytest.mark.stub("adam", points=8)
def test_each_parameter_counts_its_own_steps():
    a, b = Parameter(tensor([0.0])), Parameter(tensor([0.0]))
    optimizer = Adam([a, b], lr=0.1)
    for grads in ((1.0, None), (1.0, 1.0)):
        for parameter, grad in zip((a, b), grads):
            parameter.grad = None if grad is None else tensor([grad])
        optimizer.step()
    found = [round(p.item(), 4) for p in (a, b)]
    assert found == [-0.2, -0.1], (
        "lr=0.1, two steps of a and one of b, each with a gradient of 1: each step is -0.1, "
        f"so a and b are at [-0.2, -0.1], not {found}"
    )


@pytest.mark.stub("adam", points=8)
def test_both_means_are_kept_uncorrected_under_their_names():
    (a,) = parameters_with_gradients((3,))
    optimizer, grad = Adam([a], betas=(0.5, 0.75), amsgrad=True), a.grad.array
    wanted = {"exp_avg": 0.5 * grad, "exp_avg_sq": 0.25 * grad**2}
    wanted["max_exp_avg_sq"] = wanted["exp_avg_sq"]
    optimizer.step()
    state = optimizer.state[a]
    assert state["step"].item() == 1, "one step, counted once"
    for name, expected in wanted.items():
        message = f"{name} after one step"
        np.testing.assert_allclose(state[name].array, expected, rtol=1e-6, err_msg=message)


@pytest.mark.stub("adam", points=8)
def test_adam_keeps_float64():
    parameter = Parameter(randn(3, dtype=float64))
    grads = gradients((3,)).astype(np.float64)
    expected = adam_by_formula(parameter.array, grads, lr=0.1)
    found = run(Adam([parameter], lr=0.1), parameter, grads)
    np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg="float64 parameters, float64 arithmetic")


@pytest.mark.stub("adam", points=8)
def test_adam_works_in_place():
    check_in_place(Adam, lr=tensor(0.01))
    check_in_place(Adam, lr=0.01, amsgrad=True, weight_decay=0.1)


def adamw_by_formula(start, grads, **options):
    return adam_by_formula(start, grads, decoupled=True, **options)


@pytest.mark.stub("decoupled-decay", points=3)
def test_the_weights_lose_a_share_of_themselves():
    for lr, decay in ((0.1, 0.3), (0.5, 1.0)):
        for kind in (np.float32, np.float64):
            for shape in ((2, 2), (4,), ()):
                weights = np.array(kind([4.0, -2.0, 0.0, 1.0])[: 4 if shape else 1].reshape(shape))
                expected = weights * kind(1 - lr * decay)
                shrink(weights, lr, decay)
                message = f"lr={lr}, weight_decay={decay}: the share lr * weight_decay, in place"
                np.testing.assert_allclose(weights, expected, rtol=1e-6, err_msg=message)


@pytest.mark.stub("decoupled-decay", points=3)
def test_parameters_that_are_trained_are_sorted_by_their_dimensions():
    shapes = ((2, 3), (3,), (5, 5), (4, 2, 3, 3), (), (1, 5))
    parameters = [Parameter(randn(shape)) for shape in shapes]
    parameters[2].requires_grad_(False)
    for decay in (0.1, 0.5, 0):
        groups = decay_groups(iter(parameters), decay)
        kinds = [type(group["params"]).__name__ for group in groups]
        assert kinds == ["list", "list"], f'"params" of each group is a list: {kinds}'
        found = [[tuple(p.shape) for p in group["params"]] for group in groups]
        wanted = [[(2, 3), (4, 2, 3, 3), (1, 5)], [(3,), ()]]
        message = "shapes in the two groups, of parameters of an iterator, which one loop uses up"
        assert found == wanted, message
        rates = [group["weight_decay"] for group in groups]
        assert rates == [decay, 0], f"the decays of the groups are {[decay, 0]}, not {rates}"
        same = groups[0]["params"][0] is parameters[0]
        assert same, "the parameters themselves, not copies"


@pytest.mark.stub("decoupled-decay", points=3)
def test_the_groups_are_two_and_their_parameters_in_order():
    for shape, place in (((3,), 1), ((3, 3), 0)):
        own = [Parameter(randn(shape)) for _ in range(20)]
        groups = decay_groups(own, 0.1)
        sizes, wanted = [len(group["params"]) for group in groups], [0, 0]
        wanted[place] = 20
        assert sizes == wanted, f"20 parameters of {shape}: {wanted} in two groups, not {sizes}"
        in_order = all(a is b for a, b in zip(groups[place]["params"], own))
        assert in_order, "the parameters of a group stand in the order given"


@pytest.mark.stub("decoupled-decay", points=3)
def test_adamw_decays_whatever_the_gradient():
    check_against(adamw_by_formula, AdamW, lr=0.1, weight_decay=0.5)
    options = {"betas": (0.5, 0.7), "amsgrad": True, "maximize": True}
    check_against(adamw_by_formula, AdamW, lr=0.1, weight_decay=0.3, **options)


def adam_of_two_groups(seed=0):
    a, b, c = parameters_with_gradients((2,), (3,), (2, 2), seed=seed)
    b.grad = None
    return Adam([{"params": [a, b], "lr": 0.5}, {"params": [c]}], lr=0.1), (a, b, c)


@pytest.mark.stub("state-dict", points=6)
def test_parameters_are_numbered_through_all_groups():
    optimizer, (a, _, c) = adam_of_two_groups()
    optimizer.step()
    packed = optimizer.state_dict()
    found = [group["params"] for group in packed["param_groups"]]
    small = {number for own in found for number in own} <= {0, 1, 2}
    assert small, "three parameters have the numbers 0, 1 and 2, the same in every process"
    assert found == [[0, 1], [2]], (
        "every parameter has a number, also one without a state, and numbers continue from group to group"
    )
    numbers = set(packed["state"])
    assert numbers == {0, 2}, "the state has the same numbers; 1 has had no gradient"
    assert packed["state"][0] is optimizer.state[a], "the state itself, the dict, not a copy"
    assert packed["state"][2]["exp_avg"].shape == c.shape, "and each number has its own parameter's state"


@pytest.mark.stub("state-dict", points=6)
def test_options_are_packed_and_the_groups_stay_as_they_are():
    optimizer, parameters = adam_of_two_groups()
    names = set(optimizer.param_groups[0])
    packed = optimizer.state_dict()
    own = [p for group in optimizer.param_groups for p in group.get("params", [])]
    kept = [x is y for x, y in zip(own, parameters)]
    assert kept == [True] * 3, f"the optimizer's own groups keep their parameters: {kept}"
    lost = sorted(names - set(optimizer.param_groups[0]))
    assert lost == [], f"the optimizer's own groups keep their options; they lost {lost}"
    rates = [group["lr"] for group in packed["param_groups"]]
    assert rates == [0.5, 0.1], "each group with its own options"
    assert set(packed["param_groups"][0]) == names, "all of the options"
    for group in packed["param_groups"]:
        last = list(group)[-1]
        assert last == "params", f'"params" stands last in a packed group, not {last!r}'
    packed["param_groups"][0]["lr"] = 7
    assert optimizer.param_groups[0]["lr"] == 0.5, "the packed groups must be new dicts"


@pytest.mark.stub("state-dict", points=6)
def test_three_groups_with_options_of_their_own_are_packed():
    own = parameters_with_gradients((2,), (3,), (2, 2), (1,))
    groups = [own[:2], own[2:3], [], own[3:]]
    groups = [{"params": params} for params in groups]
    groups[1]["note"] = "head"
    optimizer = SGD(groups, 0.1)
    packed = optimizer.state_dict()
    found = [group["params"] for group in packed["param_groups"]]
    assert found == [[0, 1], [2], [], [3]], f"[[0, 1], [2], [], [3]] are wanted, not {found}"
    notes = [group.get("note") for group in packed["param_groups"]]
    message = "the option that only the second of four groups has, in each packed group"
    assert notes == [None, "head", None, None], message
    made = len(optimizer.state)
    assert made == 0, f"packing makes no state in the optimizer; it made {made}"
    named = SGD(Linear(2, 1).named_parameters(), 0.1).state_dict()["param_groups"][0]
    names = named.get("param_names")
    assert names == ["weight", "bias"], f"names of parameters are packed, too, not {names}"


@pytest.mark.stub("state-dict", points=6)
def test_a_parameter_that_stands_twice_has_one_number():
    a, b = parameters_with_gradients((2,), (3,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there is one for that
        optimizer = SGD([a, a, b], 0.1, momentum=0.9)
    optimizer.step()
    packed = optimizer.state_dict()
    found = packed["param_groups"][0]["params"], sorted(packed["state"])
    assert found == ([0, 0, 2], [0, 2]), (
        "a, a and b are at the places 0, 1 and 2: their numbers are [0, 0, 2], and those of "
        f"the states [0, 2], not {found[0]} and {found[1]}"
    )


@pytest.mark.stub("state-dict", points=6)
def test_packing_leaves_the_states_where_they_are():
    optimizer, _ = adam_of_two_groups()
    optimizer.step()
    keys = list(optimizer.state)
    optimizer.state_dict()
    same = all(x is y for x, y in zip(keys, optimizer.state, strict=True))
    assert same, "the optimizer's own states stay under its parameters"


@pytest.mark.stub("state-dict", points=6)
def test_a_state_that_belongs_to_no_parameter_keeps_its_key():
    gone = Parameter(tensor([1.0]))
    for key, state in ((("a", 1), {}), (7, {"n": 3}), (gone, {}), ("shared", {"count": 3})):
        optimizer, _ = adam_of_two_groups()
        optimizer.state[key] = state
        found = optimizer.state_dict()["state"]
        assert found == {key: state}, (
            f"a key that is not a parameter stays as it is: { ({key: state}) }, not {found}"
        )
    optimizer.step()
    keys = list(optimizer.state_dict()["state"])
    assert set(keys) == {"shared", 0, 2}, f"then 0 and 2 stand beside 'shared', not {keys}"


@pytest.mark.stub("state-dict", points=6)
def test_training_goes_on_from_a_packed_state():
    first, old = adam_of_two_groups()
    first.step()
    second, new = adam_of_two_groups(seed=1)
    second.load_state_dict(first.state_dict())
    for a, b in zip(old, new):
        b.array[...] = a.array
        b.grad = None if a.grad is None else a.grad.clone()
    expected = [a.array.copy() for a in old]
    for place, a, lr in zip(expected, old, (0.5, 0.5, 0.1)):
        if a.grad is not None:
            place -= lr * np.sign(a.grad.array)  # Adam's step for the same gradient again
    second.step()
    message = "the second step with the same gradient, after a restart, is lr times its sign"
    for b, place in zip(new, expected):
        np.testing.assert_allclose(b.array, place, rtol=1e-4, atol=1e-5, err_msg=message)
    assert second.state_dict()["state"][2]["step"].item() == 2, "the count of steps continues"


@pytest.mark.stub("mend-fit", points=4)
def test_the_error_is_a_mean_over_pairs():
    for shape in ((4, 1), (3,), (2, 3)):
        outputs, targets = Parameter(randn(shape)), randn(shape)
        difference = outputs.detach().array - targets.array
        error = squared_error(outputs, targets)
        error.backward()
        message = f"two tensors of shape {shape}: the mean of {difference.size} squares"
        wanted = (difference**2).mean()
        np.testing.assert_allclose(error.item(), wanted, rtol=1e-5, err_msg=message)
        slope = 2 * difference / difference.size
        message = f"{message}, and its gradient"
        np.testing.assert_allclose(outputs.grad.array, slope, rtol=1e-5, err_msg=message)


@pytest.mark.stub("mend-fit", points=4)
def test_what_does_not_belong_together_is_refused():
    accepted, refused = [], {}
    for pair in (
        ((32, 1), (32,)), ((32,), (32, 1)), ((4, 3), (3,)), ((2, 3), (3, 2)), ((4, 3), (4, 1)),
        ((1, 3), (3,)),
    ):  # fmt: skip
        try:
            squared_error(randn(*pair[0]), randn(*pair[1]))
            accepted.append(pair)
        except Exception as error:
            refused[pair] = error
    assert accepted == [], f"outputs and targets of these shapes are to be refused: {accepted}"
    for (one, other), error in refused.items():
        kind, said = type(error).__name__, str(error)
        message = f"{one} and {other} are to be refused by an AssertionError, not by a {kind}"
        assert isinstance(error, AssertionError), message
        for shape in (one, other):
            found = re.search(r"\D{1,3}".join(map(str, shape)), said)  # 32, 1 or 32x1
            assert found, f"{one} and {other}: {shape} is not in the message {said!r}"


@pytest.mark.stub("mend-fit", points=4)
def test_a_line_is_found():
    manual_seed(0)
    x, model, slope = randn(32, 3), Linear(3, 1), [1.0, -2.0, 0.5]
    y = x @ tensor(slope) + 3
    before = y.array.copy()
    loss = fit(model, x, y, 200, 0.05)
    np.testing.assert_array_equal(y.array, before, err_msg="the targets are not changed")
    assert isinstance(loss, float), f"a float is returned, not a {type(loss).__name__}"
    message = "the weights of the model are those of the line"
    np.testing.assert_allclose(model.weight.tolist()[0], slope, atol=0.02, err_msg=message)
    assert loss < 1e-3, f"the line was found, but the loss returned is {loss}"


@pytest.mark.stub("mend-fit", points=4)
def test_steps_have_the_rate_that_was_asked_for_and_momentum():
    for lr, steps, n, also in (
        (0.1, 1, 8, ""), (0.01, 3, 8, ""), (0.1, 2, 1, ""),
        (0.9, 4, 8, ", gradients left from before"), (0.5, 1, 8, ", errors of 5e-4"),
    ):  # fmt: skip
        manual_seed(0)
        x, y, model = randn(n, 2), randn(n), Linear(2, 1, bias=False)
        if "errors" in also:
            y = model(x).detach().reshape(n) - 5e-4
        if "left" in also:
            model(x).sum().backward()
        wanted, velocity = model.weight.detach().array.copy(), 0
        for _ in range(steps):
            error = x.array @ wanted[0] - y.array
            velocity = 0.9 * velocity + 2 * error @ x.array / n
            wanted = wanted - lr * velocity
        try:
            loss = fit(model, x, y, steps, lr)
        except AssertionError as error:
            said = f"x {n, 2}, y {(n,)}: the model gives {n, 1}, and the shapes are refused"
            raise AssertionError(said) from error
        message = f"{n} points, {steps} steps by the mean squared error, lr={lr}, momentum 0.9"
        found = model.weight.detach().array
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=message + also)
        message = "the loss is that on which the last step was taken" + also
        np.testing.assert_allclose(loss, (error**2).mean(), 1e-4, 1e-9, err_msg=message)
