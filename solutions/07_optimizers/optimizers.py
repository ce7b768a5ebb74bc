# %% [markdown]
# # 07 Optimizers
#
# Module 06 gave you the gradient of a loss with respect to every parameter: the direction in which the loss rises
# fastest. Training moves the parameters in the opposite direction. How far, with what memory of earlier steps, and with
# how many extra arrays, is decided by the optimizer.
#
# When you have finished this module you can
#
# - change parameters in place, outside the graph, and say what goes wrong in each of the other ways;
# - say which learning rates diverge, and how close to the minimum the noise of small batches lets training come;
# - derive momentum, RMSprop, Adam and AdamW from the problem that each of them solves;
# - write a descent step that allocates no array at all, and say how many bytes an optimizer keeps for each parameter;
# - stop an optimizer, store its state, and continue elsewhere with bit-identical results.
#
# ## What you build
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `Optimizer` | `torch.optim.Optimizer` | a subclass may define `update`, for one parameter, in place of `step` |
# | `SGD`, `Adam`, `AdamW`, `RMSprop`, and ten more, given | the same in `torch.optim` | `capturable=True` and `differentiable=True` are refused; `foreach` and `fused` choose kernels there, and change nothing here |
# | `clear_gradients`, `take_step`, `average`, ... | | ours: the steps that the classes are made of |

# %%
#| export
from collections import OrderedDict, defaultdict

import numpy as np

from tinytorch.autograd import enable_grad
from tinytorch.given.optimizers.options import *
from tinytorch.tensor import Tensor, changed, wrap

# %%
import functools
import re
import time
import tracemalloc
import warnings

import matplotlib.pyplot as plt
import pytest

from tinytorch.given.predictions import compare
from tinytorch.layers import Linear, Parameter, ReLU, Sequential
from tinytorch.losses import mse_loss
from tinytorch.tensor import float16, float64, manual_seed, randn, tensor


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


# %% [markdown]
# ## 1. Downhill, by hand
#
# The rule is one line, $\theta \leftarrow \theta - \eta \nabla L(\theta)$, with a step size $\eta$ that is called the
# *learning rate*. Write it as you would on paper, and take three steps.

# %%
layer = Linear(1, 1, bias=False)
x, y = tensor([[1.0], [2.0], [3.0]]), tensor([[2.0], [4.0], [6.0]])  # y = 2 x

weight = layer.weight
for number in range(3):
    loss = mse_loss(layer(x), y)
    loss.backward()
    print(f"step {number}: loss {loss.item():.4f}, gradient {weight.grad}")
    if weight.grad is None:
        break
    weight = weight - 0.05 * weight.grad

# %% [markdown]
# Nothing was learned, and there was no error. `weight - ...` made a new tensor under the old name: the layer still
# holds the first one. The new one is the result of an operation, so it is not a leaf, and gets no gradient.
#
# A parameter has to be changed *in place*, in the memory that its layer uses, and without the change becoming part of
# the graph. At the level of arrays both are easy: `weight.array -= ...`. Next, look at the gradients.

# %%
layer.weight.grad = None
for number in range(5):
    loss = mse_loss(layer(x), y)
    loss.backward()
    print(f"step {number}: loss {loss.item():7.4f}, gradient {layer.weight.grad.item():8.3f}")
    layer.weight.array -= 0.05 * layer.weight.grad.array

# %% [markdown]
# Each gradient is the sum of all the gradients so far, because `backward` adds to `.grad`: that is correct for two
# losses, or two uses of one weight. So here the weight overshoots and oscillates. The gradients must be cleared after
# each step.
#
# Change in place, outside the graph, and clear on demand: an optimizer does these three things for a list of parameters.
#
# ## 2. Clearing gradients
#
# An optimizer holds its parameters in *groups*, each of them a dict: the tensors under `"params"`, together with the
# options with which they are trained. Most optimizers have one group.
#
# ```text
#   param_groups = [{"params": [W1, b1, W2], "lr": 0.1},  {"params": [b2], "lr": 0.01}]
# ```
#
# There are two ways to clear gradients. `None` frees the memory, and lets the next `backward` store its array without
# an addition; it also marks a parameter that took no part, so that a step skips it. Zeros keep the memory, for code
# that holds a reference to the gradient. PyTorch's default is `None`.
#
# <details><summary>Hint 1</summary>Two loops, one over the groups and one over <code>group["params"]</code>.</details>
# <details><summary>Hint 2</summary>A parameter without a gradient stays without one, even with
# <code>set_to_none=False</code>.</details>
# <details><summary>Hint 3</summary><code>grad.zero_()</code> fills the existing memory, and records the change. Before
# that, <code>grad.detach_()</code> removes a gradient from the graph that <code>backward(create_graph=True)</code>
# gives it.</details>


# %% stub="zero-grad"
#| export
def clear_gradients(groups, set_to_none):
    """Clear the gradients of all parameters, or fill them with zeros.

    Args:
        groups: a list of dicts, each with a list of Tensors under "params".
        set_to_none: True makes every `.grad` None; False fills the existing ones with zeros,
            in their own memory, as a change that graphs notice. Zeros belong to no graph, even
            if the gradient did.

    >>> w = Parameter(tensor([1.0]))
    >>> w.grad = tensor([3.0])
    >>> clear_gradients([{"params": [w]}], set_to_none=False)
    >>> w.grad
    tensor([0.])
    """
    ### BEGIN SOLUTION
    for group in groups:
        for parameter in group["params"]:
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.detach_().zero_()
    ### END SOLUTION


# %% test="zero-grad" points=3
def parameters_with_gradients(*shapes, seed=0):
    """Parameters of random values, each with a random gradient."""
    rng = np.random.default_rng(seed)
    parameters = [
        Parameter(tensor(rng.standard_normal(shape).astype(np.float32))) for shape in shapes
    ]
    for parameter, shape in zip(parameters, shapes):
        parameter.grad = tensor(rng.standard_normal(shape).astype(np.float32))
    return parameters


def test_every_gradient_of_every_group_is_forgotten():
    none, a, b, c = parameters_with_gradients((1,), (2,), (3,), (2, 2))
    none.grad = None
    a.requires_grad_(False)
    held, kept = c.grad.array, c.grad.array.copy()
    clear_gradients([{"params": [none, a, b]}, {"params": [c]}], True)
    assert a.grad is None, (
        "every gradient becomes None, even of a parameter that is frozen by now"
    )
    assert b.grad is None, "every parameter of a group, not only the first"
    assert c.grad is None, "and in every group"
    message = "set_to_none=True: whoever else holds a gradient still has its numbers"
    np.testing.assert_array_equal(held, kept, err_msg=message)


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


def test_zeros_belong_to_no_graph():
    w = Parameter(tensor([2.0, 3.0]))
    (w * w * w).sum().backward(create_graph=True)
    clear_gradients([{"params": [w]}], False)
    assert not w.grad.requires_grad, (
        "after backward(create_graph=True) a gradient is part of a graph; the zeros are not"
    )


def test_a_graph_that_saved_a_gradient_notices_the_zeros():
    (w,) = parameters_with_gradients((2,))
    x = tensor([1.0, 2.0], requires_grad=True)
    product = (x * w.grad).sum()
    clear_gradients([{"params": [w]}], False)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


# %% [markdown]
# ## 3. Groups
#
# Weights are decayed, biases usually are not; the last layer of a network that is fine-tuned learns ten times as fast
# as the others. So each group may have its own options, and for the others the optimizer's *defaults* apply. They are
# filled in when the group is added, so that from then on every group is complete, and `group["lr"]` is the one place to
# read or change.
#
# A parameter in two groups would be updated twice in every step. That is refused; the same parameter means the same
# tensor, not one with equal values. `==` on tensors compares elements; a `set` or a dict of tensors uses identity.
#
# <details><summary>Hint 1</summary><code>dict.setdefault</code> writes a value only where there is none.</details>
# <details><summary>Hint 2</summary>Make a set of the parameters of all the other groups.
# <code>parameter in some_list</code> would compare with <code>==</code>.</details>
# <details><summary>Hint 3</summary><code>taken.isdisjoint(group["params"])</code> says whether the two have nothing in
# common.</details>


# %% stub="param-group"
#| export
def complete_group(group, defaults, others):
    """Fill in a group's missing options; refuse a parameter of another group.

    Args:
        group: a dict with Tensors under "params", and any options; it is changed.
        defaults: the options of the optimizer, a dict.
        others: the existing groups, a list of dicts.

    Raises:
        ValueError: if a parameter of the group is in one of the others.

    >>> group = {"params": [], "lr": 0.5}
    >>> complete_group(group, {"lr": 0.1, "momentum": 0.9}, [])
    >>> group
    {'params': [], 'lr': 0.5, 'momentum': 0.9}
    """
    ### BEGIN SOLUTION
    for name, default in defaults.items():
        group.setdefault(name, default)
    taken = {parameter for other in others for parameter in other["params"]}
    if not taken.isdisjoint(group["params"]):
        raise ValueError("some parameters appear in more than one parameter group")
    ### END SOLUTION


# %% test="param-group" points=4
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


def test_an_option_that_is_off_is_given():
    own = parameters_with_gradients((2,))
    for off in (0, 0.0, False, None):
        group = {"params": own, "own": off}
        complete_group(group, {"own": 0.5, "default": off}, [])
        wanted = {"params": own, "own": off, "default": off}
        assert group == wanted, f"own={off} stays, and so does a default of {off}: {group}"


def test_a_parameter_cannot_be_in_two_groups():
    a, b = parameters_with_gradients((2,), (2,))
    with pytest.raises(ValueError, match=r"\w"):
        complete_group({"params": [a]}, {}, [{"params": [a]}])
    complete_group({"params": [b]}, {}, [{"params": [a]}])
    twice = {"params": [b, b]}
    complete_group(twice, {}, [{"params": [a]}])  # for which there is a warning
    left = len(twice["params"])
    assert left == 2, f"[b, b], in no other group, stays as it is: {left} parameters are left"


def test_one_parameter_that_is_taken_is_enough():
    a, b = parameters_with_gradients((2,), (2,))
    for params in ([b, a], [a, b]):
        with pytest.raises(ValueError, match=r"\w"):
            complete_group({"params": params}, {}, [{"params": [a]}])


def test_all_other_groups_are_looked_at():
    a, b = parameters_with_gradients((2,), (2,))
    for taken in (a, b):
        with pytest.raises(ValueError, match=r"\w"):
            complete_group({"params": [taken]}, {}, [{"params": [a]}, {"params": [b]}])


def test_parameters_of_equal_values_are_not_the_same():
    ones = [Parameter(tensor([1.0] * size)) for size in (1, 1, 2, 2)]
    complete_group({"params": ones[1::2]}, {}, [{"params": ones[::2]}])


# %% [markdown]
# ### Optimizer
#
# This is the class around your two functions, and around two more that follow. `groups_of` and `list_parameters`, which
# parse tensors, named tensors and groups, are given, and so is the rest of the class: loading a state, and two methods
# that you will need below: `scratch` returns memory to compute in, `begin` finds a parameter's state. `@hooked` calls
# the functions registered for before and after a step. A *closure* computes the loss again; under `enable_grad` it
# builds its graph even where `step` is called under `no_grad`. Each optimizer's method `update` changes one parameter.


# %%
#| export
class Optimizer:
    """The base of all optimizers: groups of parameters with options, and a state for each.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of a group each.
        defaults: the options that groups have unless they give their own.
    """

    def __init__(self, params, defaults):
        self.defaults, self.state, self.param_groups = defaults, defaultdict(dict), []
        self._step_pre_hooks, self._step_post_hooks = OrderedDict(), OrderedDict()
        self._memory = {}
        for group in groups_of(params):
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Add parameters with their own options: a dict as for the constructor."""
        list_parameters(param_group, self.param_groups)
        complete_group(param_group, self.defaults, self.param_groups)
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none=True):
        """Clear the gradients of all parameters, or fill them with zeros."""
        clear_gradients(self.param_groups, set_to_none)

    @hooked
    def step(self, closure=None):
        """Call `closure` if given, update what has a gradient, return the closure's loss."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        take_step(self)
        return loss

    def state_dict(self):
        """The state itself and the options, with numbers in place of the parameters."""
        return pack_state(self)


# %%
#| export
from tinytorch.given.optimizers.state import *

# %% [markdown]
# ## 4. Which way is down
#
# Two options change the gradient before the optimizer uses it. `maximize` goes uphill: $-g$. And *weight decay* adds a
# penalty on large weights to the loss, $\frac{\lambda}{2} \lVert \theta \rVert^2$. Its gradient is $\lambda\theta$, so
# no graph is needed for it:
#
# $$d = \pm g + \lambda \theta$$
#
# Large weights are penalised in both cases: with `maximize` only $g$ changes its sign.
#
# The gradient must not be changed: the program may log it or use it again after the step. And a new array for $d$, in
# every step for every parameter, can cost more time than the arithmetic. Therefore pass NumPy the memory for the
# result: `np.multiply(array, 2, out=out)` computes into existing memory, and returns it. The tests demand this of plain
# descent, without options or momentum; elsewhere they also accept a formula whose result is copied back in place.
#
# `AdamW`, below, decays weights in another way, and marks its groups with `"decoupled_weight_decay": True`: those get
# no $\lambda\theta$ here.
#
# <details><summary>Hint 1</summary>Options that a group does not have: <code>group.get("weight_decay",
# 0)</code>.</details>
# <details><summary>Hint 2</summary>With decay, write the decay into <code>out</code> first, then combine it with the
# gradient: one of the operands may be <code>out</code> itself.</details>
# <details><summary>Hint 3</summary>There are four cases. With decay, add the gradient to it, or, with maximize,
# subtract it: <code>np.add</code>, <code>np.subtract</code>. Without decay it is <code>grad</code> itself, or
# <code>np.negative</code> of it. Each case returns its result.</details>


# %% stub="weight-decay"
#| export
def descent_direction(array, grad, group, out):
    """Compute the direction that a step moves against: d = grad + weight_decay * array.

    Args:
        array: the parameter's values, any shape.
        grad: its gradient, of the same shape and type; not to be changed.
        group: a dict of options, of which "maximize" (the gradient's sign changed),
            "weight_decay" and "decoupled_weight_decay" (no decay here) are used; a missing one
            is off.
        out: an array of the same shape and type for the result.

    Returns:
        `out`; it may be `grad` itself if that is already the direction.

    >>> weights, grad, out = np.float32([[10.0], [1.0], [0.0]])
    >>> descent_direction(weights, grad, {"weight_decay": 0.5}, out)
    array([6.], dtype=float32)
    """
    ### BEGIN SOLUTION
    decay = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
    maximize = group.get("maximize", False)
    if decay:
        np.multiply(array, decay, out=out)
        return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
    return np.negative(grad, out=out) if maximize else grad
    ### END SOLUTION


# %% test="weight-decay" points=4
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
        array, grad = (
            np.random.default_rng(0).standard_normal((2, 2, *shape)).astype(kind)[:, 0, ...]
        )
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


def test_the_gradient_is_the_direction_when_no_option_is_on():
    check_direction(lambda array, grad: grad)
    check_direction(lambda array, grad: grad, maximize=False, weight_decay=0, lr=3.0)


def test_weight_decay_adds_the_weights():
    for decay in (0.25, 2.0):
        check_direction(lambda a, g, decay=decay: g + decay * a, weight_decay=decay, lr=0.1)


def test_maximizing_turns_the_gradient_and_not_the_decay():
    check_direction(lambda array, grad: -grad, maximize=True)
    check_direction(lambda array, grad: 0.5 * array - grad, maximize=True, weight_decay=0.5)


def test_decay_that_is_decoupled_is_left_out():
    for own, wanted in ((True, 0), (False, 0.5)):
        options = {"weight_decay": 0.5, "decoupled_weight_decay": own}
        check_direction(lambda a, g, wanted=wanted: g + wanted * a, **options)
        options["maximize"] = True
        check_direction(lambda a, g, wanted=wanted: -g + wanted * a, **options)


def test_without_an_option_no_array_is_made():
    array, grad, out = np.ones((3, 300, 300), np.float32)
    run = functools.partial(descent_direction, array, grad, {"weight_decay": 0}, out)
    check_no_array_is_made(run, array, "without an option `grad` is the direction already")


# %% [markdown]
# ## 5. The step
#
# Now the loop over all parameters. For each that has a gradient: compute the direction, let the optimizer's `update`
# change the parameter, and record that its memory has changed. `changed(array)` of module 01 does that. Because of it,
# a `backward` through a graph that was built *before* the step raises an error: that graph has saved the weights, and
# they have changed since.
#
# `optimizer.scratch(array)` returns two arrays of the parameter's shape to compute in. They are the same memory every
# time, as large as the largest parameter: one for the direction, one for `update` to work in.
#
# ```text
#   parameter.grad.array --descent_direction--> grad --update(parameter, grad, group, work)--> parameter.array changed
# ```
#
# <details><summary>Hint 1</summary>The same two loops as in <code>clear_gradients</code>. Skip parameters whose
# <code>grad</code> is None.</details>
# <details><summary>Hint 2</summary><code>spare, work = optimizer.scratch(parameter.array)</code>: the direction goes to
# the first, <code>update</code> gets the second.</details>
# <details><summary>Hint 3</summary><code>descent_direction</code> takes the two arrays, of the parameter and of its
# gradient, the group of this parameter, and the first array for its result. What it <em>returns</em> is what
# <code>update</code> gets. <code>changed</code> is called for every parameter that was updated.</details>


# %% stub="step"
#| export
def take_step(optimizer):
    """Update every parameter that has a gradient, in the order of the groups.

    For each: `optimizer.update(parameter, grad, group, work)` with the direction that
    `descent_direction` gives for the parameter's own group, and with memory from
    `optimizer.scratch`; then record the change with `changed`.

    Args:
        optimizer: an Optimizer.

    >>> class Half(Optimizer):
    ...     def update(self, parameter, grad, group, work):
    ...         parameter.array *= 0.5
    >>> w = Parameter(tensor([8.0]))
    >>> w.grad = tensor([1.0])
    >>> take_step(Half([w], {}))
    >>> w
    Parameter containing:
    tensor([4.], requires_grad=True)
    """
    ### BEGIN SOLUTION
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                spare, work = optimizer.scratch(parameter.array)
                grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
                optimizer.update(parameter, grad, group, work)
                changed(parameter.array)
    ### END SOLUTION


# %% test="step" points=5
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


def test_each_direction_is_used_before_the_next_is_computed():
    own = parameters_with_gradients((4,), (2, 3), (3,))
    expected = [p.grad.array + 2 * p.array for p in own]
    optimizer = Recorder(own, weight_decay=2)
    take_step(optimizer)
    message = "each with its own direction; all of them are computed in the same memory"
    for (_, grad, _), wanted in zip(optimizer.calls, expected):
        np.testing.assert_allclose(grad, wanted, rtol=1e-6, err_msg=message)


def test_a_step_leaves_the_gradients_as_they_are():
    own = parameters_with_gradients((4,), (2, 3))
    kept = [p.grad.array.copy() for p in own]
    take_step(Recorder(own, weight_decay=2))
    for parameter, wanted in zip(own, kept):
        assert parameter.grad is not None, "a step clears no gradient: zero_grad does"
        message = "the gradient is not to be changed"
        np.testing.assert_array_equal(parameter.grad.array, wanted, err_msg=message)


def test_parameters_without_a_gradient_are_passed_over():
    a, b = parameters_with_gradients((2,), (2,))
    a.grad, version = None, a._version
    optimizer = Recorder([a, b])
    take_step(optimizer)
    assert a._version == version, "a parameter that was not updated has not changed"
    assert len(optimizer.calls) == 1, "no gradient, no update; and no error either"
    assert optimizer.calls[0][0] is b, "those after it are still updated"


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


def test_a_step_computes_in_the_memory_that_is_there():
    class Still(Optimizer):
        def update(self, parameter, grad, group, work):
            pass

    own = parameters_with_gradients((300, 300))
    run = functools.partial(take_step, Still(own, {}))
    check_no_array_is_made(run, own[0].array, "both arrays come from `optimizer.scratch`")


# %% [markdown]
# ## 6. Momentum
#
# First, how long may a step be? Near a minimum a smooth loss looks like a bowl: along each of its axes a parabola
# $\frac{\lambda}{2} x^2$ with *curvature* $\lambda$. The gradient is $\lambda x$, and a step is a product:
#
# $$x_{t+1} = x_t - \eta \lambda x_t = (1 - \eta\lambda)\, x_t$$
#
# It shrinks as long as $|1 - \eta\lambda| < 1$, which is $\eta < 2 / \lambda$. Above $1/\lambda$ it changes its sign at
# every step; beyond $2/\lambda$ it grows without bound. In a bowl with many axes the steepest one sets this limit, and
# the flattest one, by $(1 - \eta\lambda_\mathrm{min})^t$, the number of steps.
#
# Take a valley that is steep across and flat along its floor: $f(x, y) = \frac12 (x^2 + 40 y^2)$. The rate must stay
# below $2/40$, and with 0.048 each step still leaves 0.952 of the distance along the floor. Here are forty plain steps.


# %%
def ravine(position):
    return (position * position * tensor([0.5, 20.0])).sum()


def path(optimizer_of, steps=40, start=(-9.0, 1.0)):
    """The path of an optimizer in the ravine: an array (steps + 1, 2)."""
    position = Parameter(tensor(start))
    optimizer, places = optimizer_of([position]), [position.array.copy()]
    for _ in range(steps):
        optimizer.zero_grad()
        ravine(position).backward()
        optimizer.step()
        places.append(position.array.copy())
    return np.array(places)


def draw(paths):
    """Draw paths over the ravine's level lines, one below the other, with equal axes."""
    _, rows = plt.subplots(
        len(paths), squeeze=False, figsize=(8, 2.4 * len(paths)), layout="constrained"
    )
    x, y = np.meshgrid(np.linspace(-10, 3, 200), np.linspace(-2.2, 2.2, 80))
    for axes, (name, places) in zip(rows[:, 0], paths.items()):
        axes.contour(x, y, np.sqrt(x**2 / 2 + 20 * y**2), 14, colors="0.8", linewidths=0.7)
        axes.plot(*places.T, ".-", lw=1, ms=4)
        axes.plot(0, 0, "k+", ms=9)
        axes.set(xlim=(-10, 3), ylim=(-2.2, 2.2), aspect="equal")
        value = np.dot(places[-1] ** 2, [0.5, 20])
        axes.set_title(f"{name}: f = {value:.2g} after {len(places) - 1}", size=9)
    plt.show()


class Plain(Optimizer):
    def update(self, parameter, grad, group, work):
        parameter.array -= group["lr"] * grad


draw({f"lr={lr}": path(lambda p, lr=lr: Plain(p, {"lr": lr})) for lr in (0.048, 0.01)})

# %% [markdown]
# Across the valley the gradients alternate in sign; along it they agree. So do not follow the last gradient, but a sum
# of all of them in which the older ones fade: alternating parts cancel, agreeing parts add up (Polyak, 1964). The sum
# is called the velocity, like that of a heavy ball that rolls downhill:
#
# $$v_t = \mu\, v_{t-1} + (1 - \tau)\, d_t$$
#
# With $\mu = 0.9$ a constant gradient is added up to $1 + 0.9 + 0.81 + \dots = 10$ times itself: the ball rolls ten
# times as fast as the learning rate says. The dampening $\tau$, 0 by default, reduces that.
#
# <details><summary>Hint 1</summary>The velocity is kept by the optimizer from step to step, so it has to be changed in
# its memory: <code>velocity *= ...</code>, not <code>velocity = velocity * ...</code></details>
# <details><summary>Hint 2</summary><code>velocity += (1 - dampening) * grad</code> would make an array for the product.
# Put the product into <code>work</code>.</details>
# <details><summary>Hint 3</summary>Three lines: scale the velocity, compute the addend in <code>work</code> by
# <code>np.multiply</code>, and add it by <code>+=</code>. The weight of the gradient does not depend on the
# momentum.</details>


# %% stub="momentum"
#| export
def accumulate(velocity, grad, momentum, dampening, work):
    """Scale a velocity down, and add a gradient to it.

    v = momentum * v + (1 - dampening) * grad

    Args:
        velocity: an array, changed in place.
        grad: an array of its shape and type; not to be changed.
        momentum, dampening: numbers.
        work: an array of its shape and type to compute in.

    >>> v = np.float32([1.0, 2.0])
    >>> accumulate(v, np.float32([10.0, 10.0]), 0.5, 0.0, np.empty(2, np.float32))
    >>> v
    array([10.5, 11. ], dtype=float32)
    """
    ### BEGIN SOLUTION
    velocity *= momentum
    np.multiply(grad, 1 - dampening, out=work)
    velocity += work
    ### END SOLUTION


# %% test="momentum" points=3
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


def test_the_velocity_fades_and_the_gradient_is_added():
    for momentum in (0.9, 0.25, 0.0):
        check_accumulate(momentum, 0.0)
        check_accumulate(momentum, 0.0, shape=())


def test_dampening_weakens_the_gradient_only():
    check_accumulate(0.5, 0.3)
    check_accumulate(0.9, 1.0)
    check_accumulate(0.0, 0.3)
    check_accumulate(0.5, 0.3, before=0)


# %% [markdown]
# ### SGD
#
# The parameter moves by the velocity, $\theta \leftarrow \theta - \eta\, v_t$. Three things remain.
#
# The *first* step: there is no velocity yet, and PyTorch begins with $v_1 = d_1$, undampened. It has to be a copy: the
# gradient's own memory will be overwritten. `wrap(array)` makes the Tensor that is kept.
#
# *Nesterov's* variant looks one step ahead: the velocity will be applied again in the next step, scaled by $\mu$, so it
# moves by the gradient and that future velocity together (Sutskever et al., 2013),
#
# $$\theta \leftarrow \theta - \eta\, (d_t + \mu\, v_t)$$
#
# And *without momentum* there is no velocity at all: nothing is kept, and no entry is made in `self.state`. The
# learning rate may be a Tensor; `float(group["lr"])` is a number in either case.
#
# <details><summary>Hint 1</summary>The velocity is kept as a Tensor in
# <code>self.state[parameter]["momentum_buffer"]</code>, under PyTorch's name; <code>wrap(grad.copy())</code> makes the
# first. Do not touch <code>self.state</code> without momentum.</details>
# <details><summary>Hint 2</summary>For Nesterov compute <code>momentum * velocity + grad</code> in <code>work</code>;
# use it in place of the velocity.</details>
# <details><summary>Hint 3</summary>All cases end alike: multiply the gradient, the velocity or Nesterov's sum by
# <code>float(group["lr"])</code> into <code>work</code>, and subtract it in place.</details>


# %% stub="sgd"
#| export
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum and Nesterov's variant of it.

    v = momentum * v + (1 - dampening) * grad
    p = p - lr * v    or, with nesterov,    p = p - lr * (grad + momentum * v)

    Args:
        params: see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        momentum, dampening: how much of the velocity stays, and how much of each gradient
            after the first is left out of it.
        weight_decay: how much of the parameters is added to their gradients.
        nesterov: look one step ahead; needs a momentum and no dampening.
        maximize: go uphill.
        foreach, differentiable, fused: see `check_options`.
    """

    def __init__(
        self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *,
        maximize=False, foreach=None, differentiable=False, fused=None,
    ):  # fmt: skip
        check_options(lr, foreach, fused, differentiable=differentiable)
        check_not_negative(momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening,
            "weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize,
            "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        """Update one parameter in its own memory; without momentum, make no array at all.

        Args:
            parameter: the Tensor to update.
            grad: the direction, an array, including weight decay. Not to be changed.
            group: its options: "lr", "momentum", "dampening", "nesterov".
            work: an array of the parameter's shape and type to compute in.

        The velocity is `self.state[parameter]["momentum_buffer"]`, a Tensor, changed in place;
        without momentum no entry is made. Where it is missing or None, it starts from `grad`.
        """
        ### BEGIN SOLUTION
        array, momentum = parameter.array, group["momentum"]
        if momentum:
            state = self.state[parameter]
            if state.get("momentum_buffer") is None:
                state["momentum_buffer"] = wrap(grad.copy())
            else:
                accumulate(
                    state["momentum_buffer"].array, grad, momentum, group["dampening"], work
                )
            velocity = state["momentum_buffer"].array
            if group["nesterov"]:
                np.multiply(velocity, momentum, out=work)
                work += grad
            grad = work if group["nesterov"] else velocity
        np.multiply(grad, float(group["lr"]), out=work)
        array -= work
        ### END SOLUTION


# %% test="sgd" points=7
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


def sgd_by_formula(
    start, grads, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False
):
    place, velocity, places = start.astype(np.float64), None, []
    for grad in grads.astype(np.float64):
        d = (-grad if maximize else grad) + weight_decay * place
        velocity = d if velocity is None else momentum * velocity + (1 - dampening) * d
        place = place - lr * (
            (d + momentum * velocity) if nesterov else velocity if momentum else d
        )
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


def test_plain_steps_follow_the_gradient():
    for options in ({}, {"weight_decay": 0.2}, {"maximize": True}, {"dampening": 0.4}):
        check_against(sgd_by_formula, SGD, lr=0.1, **options)
    check_against(sgd_by_formula, SGD, shape=(), lr=0.5)


def test_the_velocity_carries_on():
    check_against(sgd_by_formula, SGD, lr=0.1, momentum=0.9)
    check_against(sgd_by_formula, SGD, lr=0.1, momentum=0.5, weight_decay=0.1)
    check_against(sgd_by_formula, SGD, shape=(), lr=0.1, momentum=0.5)


def test_the_first_gradient_is_not_dampened():
    for first in (1, 0):
        check_against(sgd_by_formula, SGD, first=first, lr=0.1, momentum=0.9, dampening=0.4)


def test_nesterov_looks_ahead():
    check_against(sgd_by_formula, SGD, lr=0.1, momentum=0.9, nesterov=True)


def test_each_group_of_sgd_has_its_own_options():
    ahead = {"lr": 0.1, "momentum": 0.6, "nesterov": True, "weight_decay": 0.1}
    dampened = {"lr": 0.2, "momentum": 0.9, "dampening": 0.4, "maximize": True}
    check_groups(sgd_by_formula, SGD, ahead, dampened)


def test_a_group_of_sgd_may_have_options_of_0():
    off = {"momentum": 0, "dampening": 0, "weight_decay": 0, "maximize": False}
    defaults = {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1, "maximize": True}
    groups = {"lr": 0.0, **off}, {"lr": 0.1, **off}, {"lr": 0.1, **off, "momentum": 0.5}
    check_groups(sgd_by_formula, SGD, *groups, **defaults)


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


def test_nothing_is_kept_without_momentum():
    (a,) = parameters_with_gradients((3,))
    optimizer = SGD([a], 0.1)
    optimizer.step()
    kept = [name for state in optimizer.state.values() for name in state]
    assert kept == [], f"plain descent keeps nothing, but the state has {kept}"
    assert len(optimizer.state) == 0, "and makes no entry in self.state, not even an empty one"


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


def test_a_velocity_that_is_none_begins_anew():
    (a,) = parameters_with_gradients((3,))
    expected = a.array - np.float32(0.1) * a.grad.array
    optimizer = SGD([a], 0.1, momentum=0.9)
    optimizer.state[a]["momentum_buffer"] = None  # which a loaded state may contain
    optimizer.step()
    np.testing.assert_allclose(a.array, expected, rtol=1e-5, err_msg="as in the first step")


def test_sgd_works_in_place():
    check_in_place(SGD, lr=0.1)
    check_in_place(SGD, lr=0.1, momentum=0.9, weight_decay=0.1)
    check_in_place(SGD, lr=0.1, momentum=0.9, nesterov=True)


def test_a_plain_step_makes_no_array():
    own = parameters_with_gradients((300, 300))
    check_no_array_is_made(SGD(own, 0.1).step, own[0].array, "compute in `work`")


# %%
draw(
    {
        "plain, lr=0.01": path(lambda p: SGD(p, lr=0.01)),
        "momentum 0.9, lr=0.01": path(lambda p: SGD(p, lr=0.01, momentum=0.9)),
        "Nesterov, lr=0.01": path(lambda p: SGD(p, lr=0.01, momentum=0.9, nesterov=True)),
    }
)

# %% [markdown]
# With the same rate the ball overshoots, but is below 1 where the plain steps are still at 18. That proves little: the
# plain steps of 0.048 above come as far. Momentum gains most when both of its numbers fit the bowl. For curvatures from
# $\lambda_\mathrm{min}$ to $\lambda_\mathrm{max}$ the best are known (Polyak, 1964):
#
# $$\eta = \frac{4}{(\sqrt{\lambda_\mathrm{max}} + \sqrt{\lambda_\mathrm{min}})^2}, \qquad
#   \mu = \left(\frac{\sqrt{\lambda_\mathrm{max}} - \sqrt{\lambda_\mathrm{min}}}{\sqrt{\lambda_\mathrm{max}} +
#   \sqrt{\lambda_\mathrm{min}}}\right)^2$$
#
# and the best plain rate is $2 / (\lambda_\mathrm{max} + \lambda_\mathrm{min})$, which is $2/41$ here. The usual $\mu =
# 0.9$ is the best where the curvatures are in a ratio of about 1400; for the 40 of this bowl it is less.
#
# **Predict:** both begin at the same place and take forty steps, each with its best numbers. How many times as large as
# with momentum is f at the end of the plain steps?

# %%
predicted_momentum = None  # f of the plain steps over f with momentum

# %%
root = 40**0.5
best = {"lr": 4 / (root + 1) ** 2, "momentum": ((root - 1) / (root + 1)) ** 2}
ends = {}
for name, options in {"plain": {"lr": 2 / 41}, "momentum": best}.items():
    end = path(lambda p, options=options: SGD(p, **options))[-1]
    ends[name] = np.dot(end**2, [0.5, 20])
    shown = ", ".join(f"{option}={value:.3f}" for option, value in options.items())
    print(f"{name:9} {shown:28} f = {ends[name]:.1g} after 40 steps")
compare(predicted_momentum, ends["plain"] / ends["momentum"], "times")

# %% [markdown]
# The distance of the plain steps shrinks by 39/41 = 0.95 in each step, with momentum in the long run by
# $\sqrt\mu = 0.73$. The difference looks small, but it is taken to the power of forty, and f is a square.

# %% [markdown]
# ### The noise of gradients
#
# In real training the gradient is that of a small batch: the true one plus noise $\xi$. If the gradients of single
# samples have deviation $s$, the noise of a mean over $B$ of them has $\sigma = s / \sqrt B$: a batch four times as
# large halves it, at four times the cost. What does the noise do to the training? In the parabola a noisy step is
# $x_{t+1} = (1 - \eta\lambda)\, x_t - \eta\, \xi_t$, with a new $\xi_t$ each time. After many steps the variance $q$ of
# $x$ must be the same before and after a step, so $q = (1 - \eta\lambda)^2 q + \eta^2 \sigma^2$, and
#
# $$q = \frac{\eta\, \sigma^2}{\lambda\, (2 - \eta\lambda)}$$
#
# With a constant rate it never arrives. It comes as close as the noise allows, and closer only with a smaller rate or a
# larger batch; and at $\eta = 2/\lambda$, the limit from above, there is no bound. Two thousand runs at once, with the
# formula:


# %%
rng, curvature, deviation = np.random.default_rng(0), 1.0, 1.0
plt.figure(figsize=(7, 2.8), layout="constrained")
for lr in (1.0, 0.1, 0.01):
    runs, sizes = Parameter(tensor(np.full(2000, 5.0))), []
    optimizer = SGD([runs], lr)
    for _ in range(800):
        noise = deviation * rng.standard_normal(2000)
        runs.grad = tensor(curvature * runs.array + noise)
        optimizer.step()
        sizes.append((runs.array**2).mean() ** 0.5)
    limit = (lr * deviation**2 / (curvature * (2 - lr * curvature))) ** 0.5
    (line,) = plt.loglog(range(1, 801), sizes, label=f"lr={lr}")
    plt.axhline(limit, color=line.get_color(), ls=":", lw=1)
    assert abs(sizes[-1] / limit - 1) < 0.1, f"lr={lr}: {sizes[-1]}, not {limit}"
plt.xlabel("step")
plt.ylabel("root mean square of x")
plt.legend()
plt.show()

# %% [markdown]
# The large rate gets there first but stays far away; the small one comes close, but late. So start with a large rate
# and reduce it: module 08's schedules do that.
#
# ## 7. A scale for every parameter
#
# Momentum still moves every parameter with one learning rate. In a deep network the gradients of one layer may be
# a thousand times those of another, and no one rate is right for both. What if each element were divided by the
# size that its gradients usually have? Then every element moves by about $\eta$ in every step, whatever the scale
# of the loss.
#
# "Usually" is an *exponential moving average*, which stores one number where an average over the last hundred would
# store a hundred:
#
# $$m_t = \beta\, m_{t-1} + (1 - \beta)\, x_t$$
#
# It remembers about the last $1 / (1 - \beta)$ values. This function is the core of RMSprop, Adam and Adadelta. It is
# `accumulate` with the dampening $\beta$, and one thing is new: the values, such as the squares of the gradients, may
# have been computed in the work array, so `values` and `work` may be the same memory.
#
# <details><summary>Hint 1</summary>The share of the mean that is kept and the share of the values that is left out are
# the same.</details>
# <details><summary>Hint 2</summary>If <code>values</code> is <code>work</code>, nothing may be written to
# <code>work</code> before the values have been read. Change the mean first.</details>
# <details><summary>Hint 3</summary><code>np.multiply</code> reads each element before it writes it, so its
# <code>out</code> may be the array that it reads.</details>


# %% stub="moving-average"
#| export
def average(mean, values, beta, work):
    """Move an average towards new values: mean = beta * mean + (1 - beta) * values.

    Args:
        mean: an array, changed in place.
        values: an array of its shape and type; not to be changed, unless it is `work`.
        beta: how much of the mean stays, a number from 0 to 1.
        work: an array of its shape and type to compute in; it may be `values` itself.

    >>> mean = np.float32([0.0, 10.0])
    >>> average(mean, np.float32([4.0, 10.0]), 0.75, np.empty(2, np.float32))
    >>> mean
    array([ 1., 10.], dtype=float32)
    """
    ### BEGIN SOLUTION
    mean *= beta
    np.multiply(values, 1 - beta, out=work)
    mean += work
    ### END SOLUTION


# %% test="moving-average" points=3
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


def test_the_mean_moves_towards_the_values():
    for beta in (0.9, 0.25, 0.0, 1.0):
        check_average(beta, in_work=False)
        check_average(beta, in_work=False, shape=())
    check_average(0.75, in_work=False, before=0)


def test_the_values_may_be_the_memory_to_work_in():
    check_average(0.75, in_work=True)


# %% [markdown]
# ### RMSprop
#
# The size of a gradient is the root of its mean square, which gives the method its name (Tieleman and Hinton,
# 2012):
#
# $$s_t = \alpha\, s_{t-1} + (1 - \alpha)\, d_t^2, \qquad u_t = \frac{d_t}{\sqrt{s_t} + \varepsilon}, \qquad \theta \leftarrow \theta - \eta\, u_t$$
#
# The small $\varepsilon$ stands *outside* the root, as in PyTorch; it is needed for elements that never had a gradient.
# With *momentum* the parameter moves by the velocity $b_t = \mu\, b_{t-1} + u_t$ in place of $u_t$. (The option
# `centered`, which divides by the deviation of the gradients, is given.)
#
# `self.begin(...)`, above your lines, finds the parameter's state or creates it with zeros, and counts the step.
# Everything is computed in `work`, one pass after another:
#
# ```text
#   work:  d*d  ->  (into s)  ->  sqrt(s)  ->  sqrt(s) + eps  ->  d / (...)  ->  lr * ...  ->  subtracted
# ```
#
# <details><summary>Hint 1</summary>Update the mean square by <code>average</code>. Compute the squares in
# <code>work</code> by <code>np.multiply</code>.</details>
# <details><summary>Hint 2</summary>The root of the mean square goes to <code>work</code>, not into the mean square,
# which is needed again in the next step.</details>
# <details><summary>Hint 3</summary>Momentum: the velocity is <code>state["momentum_buffer"].array</code>. Scale it in
# place, add <code>work</code> to it, then multiply it by the rate, again into <code>work</code>.</details>


# %% stub="rmsprop"
#| export
class RMSprop(Optimizer):
    """Steps by the gradient over the root of its mean square (Tieleman and Hinton, 2012).

    s = alpha * s + (1 - alpha) * grad^2,    p = p - lr * grad / (sqrt(s) + eps)

    Args:
        params, lr, weight_decay, maximize: as SGD's.
        alpha: how much of the mean square stays in each step.
        eps: added to the root.
        momentum: if above 0, the quotients are summed to a velocity: b = momentum * b +
            quotient, p = p - lr * b.
        centered: divide by the root of the variance, s - mean^2, in place of the mean square.
        capturable, foreach, differentiable: see `check_options`.
    """

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0,
        centered=False, capturable=False, foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        check_not_negative(
            epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha
        )
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        """Move one parameter in its own memory.

        Args:
            parameter: the Tensor to move.
            grad: the direction, an array, including weight decay. Not to be changed.
            group: its options: "lr", "alpha", "eps", "momentum".
            work: an array of the parameter's shape and type to compute in.

        The state holds Tensors, changed in place: "square_avg", the mean square, and, with
        momentum from the first step on, "momentum_buffer", the velocity.
        """
        if group["centered"]:
            centered_update(self, parameter, grad, group, work)
            return
        names = ["momentum_buffer"] if group["momentum"] > 0 else []
        state = self.begin(parameter, "square_avg", *names)
        array, lr = parameter.array, float(group["lr"])
        ### BEGIN SOLUTION
        square = state["square_avg"].array
        average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        np.sqrt(square, out=work)
        work += group["eps"]
        step = np.divide(grad, work, out=work)
        if group["momentum"] > 0:
            step = state["momentum_buffer"].array
            step *= group["momentum"]
            step += work
        array -= np.multiply(step, lr, out=work)
        ### END SOLUTION


# %% test="rmsprop" points=6
def rmsprop_by_formula(
    start, grads, lr, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, maximize=False
):
    place, square, velocity, places = start.astype(np.float64), 0, 0, []
    rates = lr if np.iterable(lr) else [lr] * len(grads)
    for grad, rate in zip(grads.astype(np.float64), rates):
        d = (-grad if maximize else grad) + weight_decay * place
        square = alpha * square + (1 - alpha) * d**2
        velocity = momentum * velocity + d / (np.sqrt(square) + eps)
        place = place - rate * velocity
        places.append(place)
    return np.array(places)


def test_rmsprop_divides_by_the_root_of_the_mean_square():
    check_against(rmsprop_by_formula, RMSprop, lr=0.01)
    check_against(rmsprop_by_formula, RMSprop, lr=0.01, alpha=0.5)
    check_against(rmsprop_by_formula, RMSprop, shape=(), lr=0.01, maximize=True)


def test_eps_stands_outside_the_root():
    check_against(rmsprop_by_formula, RMSprop, lr=0.01, eps=0.3)


def test_rmsprop_takes_momentum():
    check_against(rmsprop_by_formula, RMSprop, lr=0.01, alpha=0.9, momentum=0.8)
    check_against(rmsprop_by_formula, RMSprop, shape=(), lr=0.01, momentum=0.8)


def test_each_group_of_rmsprop_has_its_own_options():
    fast = {"lr": 0.1, "alpha": 0.5, "eps": 0.1, "momentum": 0.8}
    slow = {"lr": 0.02, "alpha": 0.9, "eps": 0.3, "weight_decay": 0.2, "maximize": True}
    check_groups(rmsprop_by_formula, RMSprop, fast, slow)


def test_a_group_of_rmsprop_may_have_options_of_0():
    off = {"lr": 0.1, "alpha": 0.0, "momentum": 0, "eps": 0.0, "weight_decay": 0}
    check_groups(rmsprop_by_formula, RMSprop, off, alpha=0.9, momentum=0.9, weight_decay=0.1)


def test_the_rate_does_not_enter_the_velocity():
    parameter, grads, rates = Parameter(randn(3)), gradients((3,), 4), [0.1, 0.1, 0.01, 0.01]
    expected = rmsprop_by_formula(parameter.array, grads, rates, momentum=0.9)
    optimizer, found = RMSprop([parameter], lr=0.1, momentum=0.9), []
    for grad, rate in zip(grads, rates):
        optimizer.param_groups[0]["lr"] = rate
        found += list(run(optimizer, parameter, grad[None]))
    message = "the rate falls after two steps: each step is its own rate times the velocity"
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=message)


def test_rmsprop_works_in_place():
    check_in_place(RMSprop, lr=tensor(0.01))
    check_in_place(RMSprop, lr=tensor(0.01), momentum=0.9, weight_decay=0.1)


# %% [markdown]
# ## 8. Adam
#
# Adam combines both ideas: the mean of the gradients, which is a momentum, divided by the root of their mean square
# (Kingma and Ba, 2015).
#
# $$m_t = \beta_1 m_{t-1} + (1 - \beta_1)\, d_t, \qquad v_t = \beta_2 v_{t-1} + (1 - \beta_2)\, d_t^2$$
#
# There is one problem. Both averages start from zero, and at first they are too small: after the first step
# $m_1 = 0.1\, d_1$ and $v_1 = 0.001\, d_1^2$. Look at how an average of the constant 1 rises.

# %%
steps = np.arange(1, 3001)
_, (left, right) = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
for beta in (0.9, 0.999):
    left.semilogx(steps, 1 - beta**steps, label=f"beta = {beta}")
right.semilogx(steps, (1 - 0.9**steps) / np.sqrt(1 - 0.999**steps), "k")
left.set(xlabel="step", title="averages of the constant 1")
right.set(xlabel="step", title="m over the root of v, of the constant 1", ylim=(0, None))
left.legend()
plt.show()

# %% [markdown]
# The right-hand plot shows what would happen to the steps: three times too long at first, more than six times around
# the tenth. But the error is known exactly. After $t$ steps the weights in the average sum to $1 - \beta^t$, so divide
# by that:
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \qquad \hat v = \frac{v}{1 - \beta_2^t}, \qquad \theta \leftarrow \theta - \eta\, \frac{\hat m}{\sqrt{\hat v} + \varepsilon}$$
#
# Written like this, it takes two more passes over arrays. The corrections are the same number for every element, so
# they can be moved into the two existing numbers: find $\eta'$ and $\varepsilon'$ such that
#
# $$\eta\, \frac{\hat m}{\sqrt{\hat v} + \varepsilon} = \eta'\, \frac{m}{\sqrt{v} + \varepsilon'}$$
#
# <details><summary>Hint 1</summary>
#
# Write $c_1 = 1 - \beta_1^t$ and $c_2 = 1 - \beta_2^t$. The left side is $\eta \frac{m / c_1}{\sqrt{v} / \sqrt{c_2} +
# \varepsilon}$.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Multiply numerator and denominator by $\sqrt{c_2}$.
#
# </details>
# <details><summary>Hint 3</summary>
#
# The denominator is then $\sqrt{v} + \varepsilon \sqrt{c_2}$. The factor of $m$ in the numerator is $\eta'$.
#
# </details>


# %% stub="bias-correction"
#| export
def corrected(lr, eps, beta1, beta2, step):
    """Fold Adam's two bias corrections into the learning rate and eps.

    lr * (m / c1) / (sqrt(v / c2) + eps) = lr' * m / (sqrt(v) + eps')
    c1 = 1 - beta1^step,    c2 = 1 - beta2^step

    Args:
        lr, eps, beta1, beta2: numbers.
        step: how many steps have been taken, this one included: 1 in the first.

    Returns:
        lr' and eps', two numbers.

    >>> corrected(1.0, 0.5, 0.5, 0.75, 1)  # c1 = 0.5, c2 = 0.25
    (1.0, 0.25)
    """
    ### BEGIN SOLUTION
    root = (1 - beta2**step) ** 0.5
    return lr * root / (1 - beta1**step), eps * root
    ### END SOLUTION


# %% test="bias-correction" points=4
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


# %% [markdown]
# ### The update
#
# Now put the pieces together: two averages, the two numbers, and RMSprop's chain of passes with $m$ in place of the
# gradient. One option: `amsgrad` puts the largest $v$ so far (not $\hat v$) in place of the current one, so that the
# denominator cannot shrink (Reddi et al., 2018); the mean above it may still grow. That maximum is kept as well.
#
# <details><summary>Hint 1</summary>The state is ready: <code>state["exp_avg"]</code> is m and
# <code>state["exp_avg_sq"]</code> is v, Tensors both; <code>state["step"].item()</code> counts this step
# already.</details>
# <details><summary>Hint 2</summary>For amsgrad: <code>largest = state["max_exp_avg_sq"].array</code>, and
# <code>np.maximum(largest, square, out=largest)</code> both stores it and returns what goes under the root. The stored
# <code>v</code> must not change.</details>
# <details><summary>Hint 3</summary>Then in <code>work</code>: root, plus eps, the mean divided by that, times the step
# size; and subtract.</details>


# %% stub="adam"
#| export
class Adam(Optimizer):
    """Steps by the mean gradient over the root of the mean square (Kingma and Ba, 2015).

    m = beta1 * m + (1 - beta1) * grad,    v = beta2 * v + (1 - beta2) * grad^2,
    p = p - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Args:
        params, lr, weight_decay, maximize: as SGD's.
        betas: how much of each mean is kept in a step.
        eps: added to the root.
        amsgrad: put the largest v so far in place of v.
        decoupled_weight_decay: decay the weights as AdamW does.
        foreach, capturable, differentiable, fused: see `check_options`.
    """

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *,
        foreach=None, maximize=False, capturable=False, differentiable=False, fused=None,
        decoupled_weight_decay=False,
    ):  # fmt: skip
        check_options(lr, foreach, fused, capturable, differentiable)
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        check_betas(betas)
        if not any(all(isinstance(b, kind) for b in betas) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        defaults = {
            "lr": lr, "betas": tuple(map(float, betas)), "eps": eps,
            "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        """Move one parameter in its own memory.

        Args:
            parameter: the Tensor to move.
            grad: the direction, an array, including weight decay. Not to be changed.
            group: its options: "lr", "betas", "eps", "amsgrad".
            work: an array of the parameter's shape and type to compute in.

        The state holds Tensors, changed in place: "step", counted; "exp_avg" (m), "exp_avg_sq"
        (v), and with amsgrad "max_exp_avg_sq".
        """
        array, lr, (beta1, beta2) = parameter.array, float(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"]:
            shrink(array, lr, group["weight_decay"])
        names = ["max_exp_avg_sq"] if group["amsgrad"] else []
        state = self.begin(parameter, "exp_avg", "exp_avg_sq", *names)
        ### BEGIN SOLUTION
        mean, square = state["exp_avg"].array, state["exp_avg_sq"].array
        average(mean, grad, beta1, work)
        average(square, np.multiply(grad, grad, out=work), beta2, work)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"].array
            square = np.maximum(largest, square, out=largest)
        size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        np.sqrt(square, out=work)
        work += eps
        np.divide(mean, work, out=work)
        work *= size
        array -= work
        ### END SOLUTION


# %% test="adam" points=8
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


def test_adam_follows_its_formula():
    check_against(adam_by_formula, Adam, lr=0.1)
    check_against(adam_by_formula, Adam, lr=0.1, betas=(0.5, 0.7), weight_decay=0.2)
    check_against(adam_by_formula, Adam, shape=(), lr=0.1, maximize=True)
    check_against(adam_by_formula, Adam, lr=0.1, eps=0.3)


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


def test_each_group_of_adam_has_its_own_options():
    plain = {"lr": 0.1, "betas": (0.5, 0.7), "eps": 0.3, "weight_decay": 0.2}
    largest = {"lr": 0.2, "betas": (0.8, 0.3), "eps": 0.1, "amsgrad": True, "maximize": True}
    check_groups(adam_by_formula, Adam, plain, largest)


def test_a_group_of_adam_may_have_options_of_0():
    off = {"lr": 0.1, "betas": (0.0, 0.0), "eps": 0.0, "weight_decay": 0, "amsgrad": False}
    check_groups(adam_by_formula, Adam, off, weight_decay=0.1, amsgrad=True)


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


def test_adam_keeps_float64():
    parameter = Parameter(randn(3, dtype=float64))
    grads = gradients((3,)).astype(np.float64)
    expected = adam_by_formula(parameter.array, grads, lr=0.1)
    found = run(Adam([parameter], lr=0.1), parameter, grads)
    np.testing.assert_allclose(
        found, expected, rtol=1e-12, err_msg="float64 parameters, float64 arithmetic"
    )


def test_adam_works_in_place():
    check_in_place(Adam, lr=tensor(0.01))
    check_in_place(Adam, lr=0.01, amsgrad=True, weight_decay=0.1)


# %% [markdown]
# ## 9. Decay that is not a gradient
#
# Weight decay was derived as the gradient of a penalty, and for SGD it does what its name says: in every step, each
# weight loses the share $\eta\lambda$ of itself. In Adam it goes through the division: an element whose gradients are
# large has a large root, and its decay is divided by it too. The weights that move most are decayed least, and one
# where the loss is flat is pulled to zero with nearly the full step $\eta$, whatever $\lambda$ is.
#
# AdamW (Loshchilov and Hutter, 2019) takes the decay out of the gradient and applies it to the weights
# themselves, before Adam's step:
#
# $$\theta \leftarrow (1 - \eta\lambda)\,\theta$$
#
# That is one line, and in 2019 it was a paper; many transformers are trained with it.
#
# Which parameters should decay? A large *weight* makes outputs depend on single inputs; a bias or the scale of a
# normalisation only shifts or scales, and pulling it to zero can do harm. So the usual recipe makes two groups:
# parameters with two or more dimensions are decayed, all others are not.
#
# <details><summary>Hint 1</summary>The shrinking is one line, in place. The learning rate is a factor of the decay:
# where it falls, the decay falls with it.</details>
# <details><summary>Hint 2</summary>Go through the parameters once and put each that is trained, by
# <code>parameter.requires_grad</code>, into one of two lists, by <code>parameter.ndim</code>.</details>
# <details><summary>Hint 3</summary><code>array *= ...</code>, by the share that is left. Each of the two dicts has both
# names, <code>"params"</code> and <code>"weight_decay"</code>; the decay of the second is always 0.</details>


# %% stub="decoupled-decay"
#| export
def shrink(array, lr, weight_decay):
    """Reduce weights by the share lr * weight_decay of themselves, in place.

    Args:
        array: the weights, changed in their memory.
        lr, weight_decay: numbers.

    >>> weights = np.float32([1.0, -2.0])
    >>> shrink(weights, 0.5, 0.5)
    >>> weights
    array([ 0.75, -1.5 ], dtype=float32)
    """
    ### BEGIN SOLUTION
    array *= 1 - lr * weight_decay
    ### END SOLUTION


#| export
def decay_groups(parameters, weight_decay):
    """Sort parameters into two groups for an optimizer: with decay and without.

    Args:
        parameters: Tensors to go through once; those that require no gradient are left out.
        weight_decay: the decay of parameters with two or more dimensions.

    Returns:
        Two dicts with "params", a list in the order given, and "weight_decay": first the group
        that is decayed, then that of all others, whose weight decay is 0.

    >>> [len(group["params"]) for group in decay_groups(Linear(2, 3).parameters(), 0.1)]
    [1, 1]
    """
    ### BEGIN SOLUTION
    decayed, others = [], []
    for parameter in parameters:
        if parameter.requires_grad:
            (decayed if parameter.ndim >= 2 else others).append(parameter)
    return [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    ### END SOLUTION


#| export
class AdamW(Adam):
    """Adam with weight decay outside of the gradient (Loshchilov and Hutter, 2019)."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False,
        *, maximize=False, foreach=None, capturable=False, differentiable=False, fused=None,
    ):  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip

    def load_state_dict(self, state_dict):
        """Load a state, even one of Adam's: the decay stays decoupled."""
        super().load_state_dict(state_dict)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


# %% test="decoupled-decay" points=3
def adamw_by_formula(start, grads, **options):
    return adam_by_formula(start, grads, decoupled=True, **options)


def test_the_weights_lose_a_share_of_themselves():
    for lr, decay in ((0.1, 0.3), (0.5, 1.0)):
        for kind in (np.float32, np.float64):
            for shape in ((2, 2), (4,), ()):
                weights = np.array(
                    kind([4.0, -2.0, 0.0, 1.0])[: 4 if shape else 1].reshape(shape)
                )
                expected = weights * kind(1 - lr * decay)
                shrink(weights, lr, decay)
                message = (
                    f"lr={lr}, weight_decay={decay}: the share lr * weight_decay, in place"
                )
                np.testing.assert_allclose(weights, expected, rtol=1e-6, err_msg=message)


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
        message = (
            "shapes in the two groups, of parameters of an iterator, which one loop uses up"
        )
        assert found == wanted, message
        rates = [group["weight_decay"] for group in groups]
        assert rates == [decay, 0], f"the decays of the groups are {[decay, 0]}, not {rates}"
        same = groups[0]["params"][0] is parameters[0]
        assert same, "the parameters themselves, not copies"


def test_the_groups_are_two_and_their_parameters_in_order():
    for shape, place in (((3,), 1), ((3, 3), 0)):
        own = [Parameter(randn(shape)) for _ in range(20)]
        groups = decay_groups(own, 0.1)
        sizes, wanted = [len(group["params"]) for group in groups], [0, 0]
        wanted[place] = 20
        assert sizes == wanted, (
            f"20 parameters of {shape}: {wanted} in two groups, not {sizes}"
        )
        in_order = all(a is b for a, b in zip(groups[place]["params"], own))
        assert in_order, "the parameters of a group stand in the order given"


def test_adamw_decays_whatever_the_gradient():
    check_against(adamw_by_formula, AdamW, lr=0.1, weight_decay=0.5)
    options = {"betas": (0.5, 0.7), "amsgrad": True, "maximize": True}
    check_against(adamw_by_formula, AdamW, lr=0.1, weight_decay=0.3, **options)


# %% [markdown]
# See the difference. Two weights of size 1 get gradients that are noise, of size 10 for one and of size 0.01 for the
# other. The decay is 0.1, in Adam and in AdamW, or none: what is left after 200 steps of $\eta = 0.01$?
#
# **Predict:** $0.999^{200} = 0.82$ is what the decay should leave of both. Which share of each does *Adam's* decay
# leave, of what there would be without decay?

# %%
predicted_noisy = None  # a share, 0 to 1, of the weight whose gradients are large
predicted_small = None  # of the weight whose gradients are small


# %%
def left_after_200_steps(optimizer, **options):
    weights = Parameter(tensor([1.0, 1.0]))
    optimizer, noise = optimizer([weights], lr=0.01, **options), np.random.default_rng(0)
    for _ in range(200):
        weights.grad = tensor((noise.standard_normal(2) * [10, 0.01]).astype(np.float32))
        optimizer.step()
    return weights.array.copy()


for optimizer, decay in ((Adam, 0.0), (Adam, 0.1), (AdamW, 0.1)):
    noisy, quiet = left_after_200_steps(optimizer, weight_decay=decay)
    name = f"{optimizer.__name__}, decay {decay}"
    print(f"{name:16} large gradients {noisy:6.3f}   small gradients {quiet:6.3f}")
without, with_decay = (left_after_200_steps(Adam, weight_decay=d) for d in (0.0, 0.1))
compare(predicted_noisy, with_decay[0] / without[0])
compare(predicted_small, with_decay[1] / without[1])

# %% [markdown]
# Adam's decay leaves the first weight almost alone and drives the second to zero. With AdamW both keep about 0.82 of
# their values without decay.
#
# ## 10. State
#
# If you stop training and restart with only the saved weights, it is no longer the same training, because Adam's means
# start from zero again. An optimizer's state belongs in the checkpoint, too. `optimizer.state` is a dict from
# *parameter* to state, and tensors as keys can neither be written to a file nor be found again in another process.
# PyTorch gives each parameter a number, by its position: 0, 1, 2, ... through all groups in order. In the packed form
# numbers replace the parameters:
#
# ```text
#   {"state": {0: {"step": ..., "exp_avg": ...}, 2: {...}},              parameter 1 had no gradient yet
#    "param_groups": [{"lr": 0.1, ..., "params": [0, 1]}, {"lr": 0.01, ..., "params": [2]}]}
# ```
#
# `load_state_dict`, given, does the reverse: it assigns the states to the parameters in the same positions.
#
# <details><summary>Hint 1</summary>First a dict <code>numbers</code> from parameter to number: one loop over all
# groups, continuing from group to group.</details>
# <details><summary>Hint 2</summary>Each packed group is a new dict with all options but "params", and the numbers under
# "params". The optimizer's own groups keep their tensors.</details>
# <details><summary>Hint 3</summary><code>numbers.get(key, key)</code> is the number of a parameter, and any other key
# itself.</details>


# %% stub="state-dict"
#| export
def pack_state(optimizer):
    """Return an optimizer's state and groups with numbers in place of the parameters.

    A parameter's number is its position among the parameters of all groups, in order, from 0.
    If it stands twice in a group, its first position counts: [a, a, b] is [0, 0, 2].

    Args:
        optimizer: an Optimizer; it is not changed.

    Returns:
        A dict. Under "state": a dict from number to that parameter's state, itself and not a
        copy, in which a key that is not a parameter stays as it is. Under "param_groups": a
        list of new dicts, each with a group's options and, last, the numbers under "params".

    >>> w = Parameter(tensor([1.0]))
    >>> class Lazy(Optimizer):
    ...     pass
    >>> pack_state(Lazy([w], {"lr": 0.1}))
    {'state': {}, 'param_groups': [{'lr': 0.1, 'params': [0]}]}
    """
    ### BEGIN SOLUTION
    numbers, groups, count = {}, [], 0
    for group in optimizer.param_groups:
        for number, parameter in enumerate(group["params"], count):
            numbers.setdefault(parameter, number)
        count += len(group["params"])
        options = {name: value for name, value in group.items() if name != "params"}
        groups.append(
            {**options, "params": [numbers[parameter] for parameter in group["params"]]}
        )
    return {
        "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        "param_groups": groups,
    }
    ### END SOLUTION


# %% test="state-dict" points=6
def adam_of_two_groups(seed=0):
    a, b, c = parameters_with_gradients((2,), (3,), (2, 2), seed=seed)
    b.grad = None
    return Adam([{"params": [a, b], "lr": 0.5}, {"params": [c]}], lr=0.1), (a, b, c)


def test_parameters_are_numbered_through_all_groups():
    optimizer, (a, _, c) = adam_of_two_groups()
    optimizer.step()
    packed = optimizer.state_dict()
    found = [group["params"] for group in packed["param_groups"]]
    small = {number for own in found for number in own} <= {0, 1, 2}
    assert small, "three parameters have the numbers 0, 1 and 2, the same in every process"
    assert found == [[0, 1], [2]], (
        "every parameter has a number, also one without a state, and numbers continue from "
        "group to group"
    )
    numbers = set(packed["state"])
    assert numbers == {0, 2}, "the state has the same numbers; 1 has had no gradient"
    assert packed["state"][0] is optimizer.state[a], "the state itself, the dict, not a copy"
    assert packed["state"][2]["exp_avg"].shape == c.shape, (
        "and each number has its own parameter's state"
    )


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


def test_packing_leaves_the_states_where_they_are():
    optimizer, _ = adam_of_two_groups()
    optimizer.step()
    keys = list(optimizer.state)
    optimizer.state_dict()
    same = all(x is y for x, y in zip(keys, optimizer.state, strict=True))
    assert same, "the optimizer's own states stay under its parameters"


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


# %% [markdown]
# ### The rest of the family
#
# These are given. Adagrad and Adadelta are Adam's predecessors: the first sums squares forever, so that its steps only
# shrink, the second measures its steps in the parameters' own unit. Adamax, NAdam and RAdam are variants of Adam:
# another norm, Nesterov's step, and a cautious start. Muon makes the update of a whole matrix orthogonal. LBFGS calls a
# closure many times in each step, estimates the curvature from the gradients, and suits small problems without noise.
# ASGD averages its path, Rprop uses only signs, and Adafactor is question 4 below.

# %%
#| export
from tinytorch.given.optimizers.adams import *
from tinytorch.given.optimizers.adagrad import *
from tinytorch.given.optimizers.lbfgs import *
from tinytorch.given.optimizers.muon import *
from tinytorch.given.optimizers.more_optimizers import *

# %% [markdown]
# ### In the ravine, three of them

# %%
optimizers = {
    "SGD, momentum 0.9, lr=0.02": lambda p: SGD(p, lr=0.02, momentum=0.9),
    "RMSprop, lr=0.3": lambda p: RMSprop(p, lr=0.3),
    "Adam, lr=0.5": lambda p: Adam(p, lr=0.5),
}
draw({name: path(optimizer_of) for name, optimizer_of in optimizers.items()})

# %% [markdown]
# RMSprop and Adam start as if the valley were not forty times steeper across than along: each direction is divided by
# its own size. RMSprop's first step is ten times its learning rate, since its average is not corrected:
# $d / \sqrt{0.01\, d^2}$. Adam's momentum overshoots as the ball's does.
#
# But they divide by the sizes along the *axes*, one for each parameter. Rotate the valley by 45 degrees, so that both
# parameters contribute to the steep direction, and their gradients are of about the same size.
#
# **Predict:** by which factor does the rotation change f at the end of the forty steps, for SGD with momentum and for
# RMSprop? (Above, RMSprop ended lowest by far.)

# %%
predicted_turned_sgd = None  # f in the rotated valley over f in the straight one
predicted_turned_rmsprop = None


# %%
def turned_path(optimizer_of, steps=40):
    """The path in a ravine that is rotated by 45 degrees, from the same place in it."""
    turn = tensor(np.float32([[1, 1], [-1, 1]]) / 2**0.5)
    place = Parameter(tensor([-9.0, 1.0]) @ turn)
    optimizer, places = optimizer_of([place]), [place.array.copy()]
    for _ in range(steps):
        optimizer.zero_grad()
        ravine(turn @ place).backward()
        optimizer.step()
        places.append(place.array.copy())
    return np.array(places), turn.array


_, columns = plt.subplots(1, 3, figsize=(9, 3.3), layout="constrained")
values = {}
for axes, (name, optimizer_of) in zip(columns, optimizers.items()):
    places, turn = turned_path(optimizer_of)
    x, y = np.meshgrid(np.linspace(-9, 4, 160), np.linspace(-9, 4, 160))
    u, v = np.tensordot(turn, np.stack([x, y]), 1)
    axes.contour(x, y, np.sqrt(u**2 / 2 + 20 * v**2), 14, colors="0.8", linewidths=0.7)
    axes.plot(*places.T, ".-", lw=1, ms=4)
    axes.plot(0, 0, "k+", ms=9)
    before = np.dot(path(optimizer_of)[-1] ** 2, [0.5, 20])
    values[name] = before, np.dot((turn @ places[-1]) ** 2, [0.5, 20])
    axes.set(aspect="equal", xlim=(-9, 4), ylim=(-9, 4))
    axes.set_title(f"{name}\nf = {before:.2g} straight, {values[name][1]:.2g} turned", size=9)
plt.show()
straight, turned = values["SGD, momentum 0.9, lr=0.02"]
assert abs(turned / straight - 1) < 0.01, "descent and momentum do not depend on the axes"
straight, turned = values["RMSprop, lr=0.3"]
assert turned > 1e6 * straight, "RMSprop's scales are those of the axes"
for predicted, name in zip((predicted_turned_sgd, predicted_turned_rmsprop), values):
    compare(predicted, values[name][1] / values[name][0], "times")

# %% [markdown]
# SGD's path is the same, rotated with the valley. RMSprop ends at 3.1, where it ended at $7 \cdot 10^{-10}$ before.
# Adam is slower along the floor, too; it ends lower only because it has not overshot yet. So these methods help where
# scales differ from *parameter to parameter*, as from layer to layer of a deep network. All need a rate that falls
# towards the end: module 08.
#
# ## Systems: what an optimizer keeps
#
# A model with $n$ parameters is $4n$ bytes in float32, and its gradients are another $4n$. What each optimizer
# adds, counted from its state after one step:


# %%
def fresh(width=512):
    model = Sequential(Linear(width, width), ReLU(), Linear(width, width))
    for parameter in model.parameters():
        parameter.grad = randn(parameter.shape)
    return list(model.parameters())


kinds = {
    "SGD": SGD,
    "SGD, momentum": lambda p: SGD(p, momentum=0.9),
    "RMSprop": RMSprop,
    "Adam": Adam,
    "Adam, amsgrad": lambda p: Adam(p, amsgrad=True),
}
for name, make in kinds.items():
    parameters = fresh()
    optimizer = make(parameters)
    optimizer.step()
    weights = sum(p.nbytes for p in parameters)
    kept = sum(x.nbytes for state in optimizer.state.values() for x in state.values())
    scratch = sum(memory.nbytes for memory in optimizer._memory.values())
    print(
        f"{name:14} parameters {weights / 1e6:.1f} MB   state {kept / 1e6:.1f} MB, "
        f"{kept / weights:.0f}x   to work in {scratch / 1e6:.1f} MB"
    )

# %% [markdown]
# That is nothing, once, twice or three times the model. With Adam a model in training needs four times the memory of
# its parameters, gradients included, before a single activation is stored: for seven billion parameters that is 112 GB,
# of which only 28 GB are the model. The work memory does not grow with the depth: it is twice the *largest* parameter.
# Here that one is half of the model, so the work memory is as large as the model.
#
# ### In place, or straight from the formula
#
# Was `out=` worth the effort? Here is the same step of Adam for one parameter, once straight from the formula and once
# your own: the time, and the temporary memory of a step. (If yours is a formula too, both lines are alike.)
#
# **Predict:** both do the same arithmetic. How many times as long does the formula take, for 64² and for 2048² numbers?

# %%
predicted_64, predicted_2048 = None, None  # the formula's time over that of your step


# %%
def textbook(array, grad, m, v, step, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat, v_hat = m / (1 - beta1**step), v / (1 - beta2**step)
    return array - lr * m_hat / (np.sqrt(v_hat) + eps), m, v


def best_of(run, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


for width in (64, 512, 2048):
    weight = Parameter(randn(width, width))
    weight.grad = randn(width, width)
    optimizer = Adam([weight])
    optimizer.step()
    array, grad = weight.array.copy(), weight.grad.array
    m, v = np.zeros_like(array), np.zeros_like(array)
    rows = {
        "formula": functools.partial(textbook, array, grad, m, v, 2),
        "in place": optimizer.step,
    }
    seconds = [best_of(run_step) for run_step in rows.values()]
    for (name, run_step), taken in zip(rows.items(), seconds):
        print(
            f"{width:5}²  {name:9} {taken * 1e3:8.3f} ms   "
            f"needs {bytes_made_by(run_step) / array.nbytes:5.2f} x the parameter on the way"
        )
    if width != 512:
        predicted = predicted_64 if width == 64 else predicted_2048
        compare(predicted, seconds[0] / seconds[1], "times")

# %% [markdown]
# The computation is the same; only the allocation of arrays is gone. A large new array can cost more than its
# arithmetic: its pages have to be obtained from the system, filled with zeros, before anything can be written to them.
# At 64² there is nothing to gain: such arrays come from memory that the process already has, and the time is spent in
# Python. What is left at 2048² is twelve passes, each of which reads one or two arrays and writes one: 28 trips through
# memory, and 30 with the decay of AdamW, where 7 would be enough. In module 17 you write all of Adam as a single loop.
#
# ## Break it
#
# **Half precision.** The smallest number of float16 is about $6 \cdot 10^{-8}$, so Adam's `eps` of $10^{-8}$ is zero in
# it, and so is the mean square of a gradient of 0.001. What happens when you divide by it?

# %%
weight = Parameter(randn(4).to(float16))
weight.grad = tensor([1.0, 1e-3, 1e-5, 0.0]).to(float16)
print("before:", weight.detach())
with np.errstate(all="ignore"):
    Adam([weight], lr=0.1).step()
print("after: ", weight.detach())

# %% [markdown]
# A nonzero number divided by zero is infinite, and an element that has never had a gradient is zero divided by zero.
# This is one reason why mixed precision keeps and optimizes weights in float32 and only copies them to half precision
# for the products.
#
# ## A program to fix
#
# This program fits a linear function to 32 points, and a perfect fit exists: the targets are $x$ times three weights,
# plus 3, without any noise. It runs without an error, and its loss falls.


# %%
def squared_error(outputs, targets):
    return ((outputs - targets) ** 2).mean()


def fit(model, x, y, steps, lr):
    optimizer = SGD(model.parameters(), lr, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = squared_error(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


def try_fit(steps):
    """Print the last loss of the fit, and the outputs for four points with their targets."""
    manual_seed(0)
    x, model = randn(32, 3), Linear(3, 1)
    y = x @ tensor([1.0, -2.0, 0.5]) + 3
    loss, four = fit(model, x, y, steps, 0.05), model(x[:4]).detach().array.ravel()
    print(f"{steps:3} steps: loss {loss:.3f}, the targets' variance {y.array.var():.3f}")
    print("  outputs", four.round(2), "targets", y.array[:4].round(2))


for steps in (20, 200):
    try_fit(steps)

# %% [markdown]
# The loss stays at the variance of the targets, as if nothing could be learned from $x$, and the outputs say the same.
# Your optimizer and gradients are tested, so what is wrong with their inputs? Look at what the loss is computed from,
# one value after the other. Then write a corrected program in which this fault cannot come back silently:
# `squared_error` should refuse different shapes by an `assert` with both shapes in its message. `try_fit(200)` then
# ends near zero.
#
# <details><summary>Hint 1</summary>The mean over 32 points should be a mean of 32 numbers. How many are there
# here?</details>
# <details><summary>Hint 2</summary>Print the shapes of <code>model(x)</code>, of <code>y</code>, and of their
# difference. Module 01 has the rule by which (32, 1) and (32,) become one shape.</details>
# <details><summary>Hint 3</summary><code>y.reshape(outputs.shape)</code> or <code>outputs.squeeze(-1)</code> in
# <code>fit</code>; in <code>squared_error</code> <code>assert outputs.shape == targets.shape, f"..."</code>.</details>


# %% stub="mend-fit"
#| export
def squared_error(outputs, targets):
    """The mean of the squared differences, of two tensors of one shape.

    Raises:
        AssertionError: if the shapes are not the same; its message has both.
    """
    ### BEGIN SOLUTION
    assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
    return ((outputs - targets) ** 2).mean()
    ### END SOLUTION


#| export
def fit(model, x, y, steps, lr):
    """Fit a model with one output to targets, by SGD with momentum 0.9 and `squared_error`.

    Args:
        model: a Module that takes (n, features) and gives (n, 1).
        x: the inputs, (n, features).
        y: the targets, (n,); they are not changed.
        steps: how many steps are taken, at least one.
        lr: the learning rate.

    Returns:
        The loss that the last step was taken on, a float.
    """
    ### BEGIN SOLUTION
    optimizer = SGD(model.parameters(), lr, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        outputs = model(x)
        loss = squared_error(outputs, y.reshape(outputs.shape))
        loss.backward()
        optimizer.step()
    return loss.item()
    ### END SOLUTION


# %% test="mend-fit" points=4
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


# %% [markdown]
# ## In PyTorch
#
# ```python
# optimizer = torch.optim.AdamW(decay_groups(model.parameters(), 0.1), lr=3e-4, betas=(0.9, 0.95))
#
# for x, y in loader:
#     optimizer.zero_grad()
#     loss = F.cross_entropy(model(x), y)
#     loss.backward()
#     optimizer.step()
#
# checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
# ```
#
# Every line of this runs here too, with `import tinytorch as torch`; `decay_groups` is yours. PyTorch has three
# implementations of each optimizer: one loop over the parameters, like yours; `foreach=True`, which runs each pass over
# all parameters in one kernel; and `fused=True`, the whole update in one kernel. The last two help most on GPUs, where
# starting a kernel costs more than a small parameter's arithmetic.
#
# ## Questions to think about
#
# 1. Momentum 0.9 multiplies the effective learning rate by ten. What would you change when you switch it on for
#    training that was well tuned without it?
#
#    <details><summary>Answer</summary>
#
#    Divide the learning rate by ten, or set `dampening=0.9`, so that a constant gradient moves the weights as far as
#    before. In the parabola the noise then stays the same as well: with momentum the variance is $\eta\sigma^2 (1+\mu)
#    / (\lambda (1-\mu) (2(1+\mu) - \eta\lambda))$, which for small rates is that of a plain rate $\eta / (1-\mu)$. Then
#    try larger rates again, for the limit has moved: it is $2(1+\mu)/\lambda = 3.8/\lambda$ for $\eta$ itself, an
#    effective rate of $38/\lambda$ in place of $2/\lambda$. A schedule's first steps matter more, too: the velocity
#    needs about ten steps to build up.
#
#    </details>
#
# 2. Two parameters whose gradients are $g$ and $1000\,g$ get the same steps from Adam. For which models is that good,
#    and when is it bad?
#
#    <details><summary>Answer</summary>
#
#    Good where the scale of a gradient says little about how far a parameter should move: deep networks, whose layers
#    differ in scale, and embeddings of rare and frequent words. One rate then fits all, and scaling the loss changes
#    nothing (until gradients come near $\varepsilon = 10^{-8}$). Bad where a small gradient means that nothing is left
#    to learn: noise is scaled up to full steps. In the cell with `left_after_200_steps` no gradient has a direction,
#    and yet without decay the two weights wandered from 1 to 1.20 and to 0.92. SGD with the same rate would have moved
#    the second by some $0.01 \cdot 0.01 \cdot \sqrt{200} \approx 0.001$.
#
#    </details>
#
# 3. `amsgrad` keeps a third array so that the denominator cannot shrink. Which sequence of gradients makes its steps
#    grow even so?
#
#    <details><summary>Answer</summary>
#
#    One whose signs first alternate and then agree. For +1, -1, +1, ... all squares are 1, and the mean is about
#    $(1-\beta_1)/(1+\beta_1) = 0.053$ in size, so a step is 0.053 $\eta$. When only +1 follows, the denominator stays
#    1, and the mean rises to 1: after forty such gradients the step was 0.98 $\eta$, nineteen times as long. Besides,
#    what cannot shrink is $v$ before its correction. $1 - \beta_2^t$ grows, so the root of $v / (1 - \beta_2^t)$ does
#    get smaller: after five gradients of 1 and a thousand of 0.01 it was 0.09.
#
#    ```python
#    weight = Parameter(tensor([0.0]))
#    optimizer = Adam([weight], lr=1.0, amsgrad=True)
#    for number in range(140):
#        before = weight.item()
#        weight.grad = tensor([(-1.0) ** number if number < 100 else 1.0])
#        optimizer.step()
#        if number in (99, 139):
#            print(number, abs(weight.item() - before))
#    ```
#
#    </details>
#
# 4. Where could an optimizer save memory? Look at what Adafactor keeps for an $n \times m$ matrix: $n + m$ numbers.
#
#    <details><summary>Answer</summary>
#
#    In $v$: it only scales steps, so a rough estimate is enough. Adafactor keeps the mean of the squares for each row,
#    $r_i$, and for each column, $c_j$, and uses $r_i c_j / \bar r$ for element $(i, j)$, which is exact if the squares
#    are a product of a row's and a column's size. For 4,096 x 4,096 that is 8,192 numbers in place of 16.8 million,
#    2,048 times less. An element that is unlike its row and column gets the wrong scale. Without the mean of the
#    gradients, which Adafactor leaves out, nothing else is kept. Other ways: 8 bits for each state, or one $v$ for a
#    whole block of weights.
#
#    ```python
#    weight = Parameter(randn(300, 200))
#    weight.grad = randn(300, 200)
#    optimizer = Adafactor([weight])
#    optimizer.step()
#    print({name: tuple(x.shape) for name, x in optimizer.state[weight].items()})
#    ```
#
#    </details>
#
# 5. A batch uses only a few rows of an embedding matrix. Why are momentum and weight decay a problem for it?
#
#    <details><summary>Answer</summary>
#
#    The other rows' gradients are zeros, not None, so the step treats them as measured. Momentum goes on moving a row
#    after its word is gone: after one gradient of 1, with a rate of 0.1 and momentum 0.9, the row moves by 0.1 at once
#    and by 0.9 in later steps, in which the word does not occur. Decay shrinks what is never used: with AdamW, rate
#    0.001 and decay 0.1, a row that never gets a gradient has $0.9999^{10000} = 0.37$ of its value after 10,000 steps.
#    So embeddings are often left out of the decay, and `SparseAdam` in PyTorch changes only the rows that have a
#    gradient.
#
#    </details>
#
# ## Open problems
#
# These have no points, hints or single right answer; each has a goal that you can measure with the functions above.
#
# 1. **Adam in fewer passes.** Your step makes 28 trips through memory. Cut the arrays into pieces that fit the cache,
#    and do all passes for one piece before the next. Done when `best_of(optimizer.step)` at 2048² takes less than two
#    thirds of its time, and `check_against(adam_by_formula, YourAdam, lr=0.1)` passes.
# 2. **Half the state.** Keep Adam's two means in float16, or in int8 with a scale for each row. Done when the state is
#    at most 1.0 times the parameters in the table of *Systems*, and
#    `check_against(adam_by_formula, YourAdam, tolerance=0.01, lr=0.01)` passes.
# 3. **The rotated ravine.** Write an `Optimizer` that does not know the angle and uses only gradients. Done when
#    `turned_path` ends with f below 1e-6 after forty steps, and so does `path`.
#
# The cell below is a start for the first.


# %%
class BlockedAdam(Adam):
    """Adam, all passes for one piece of the parameter before the next piece."""

    def update(self, parameter, grad, group, work):
        raise NotImplementedError


def check_blocked():
    for shape in ((3, 4), (300, 400)):  # one smaller than a piece, and one with a rest
        check_against(adam_by_formula, BlockedAdam, shape=shape, lr=0.1)
    weight = Parameter(randn(2048, 2048))
    weight.grad = randn(2048, 2048)
    whole, blocked = Adam([weight]), BlockedAdam([weight])
    taken = best_of(blocked.step) / best_of(whole.step)
    print(f"the blocked step takes {taken:.2f} of the time; below 0.67 you have done it")


try:
    check_blocked()
except NotImplementedError:
    print("not built yet")


# %% [markdown]
# ## To read
#
# - I. Sutskever, J. Martens, G. Dahl and G. Hinton, "On the importance of initialization and momentum in deep
#   learning", ICML 2013, section 2: momentum and Nesterov's variant, compared in one notation.
# - G. Goh, "Why Momentum Really Works", Distill, 2017: the parabola and its rates, with figures that can be moved.
# - D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, sections 2 and 3: the algorithm and
#   its correction, in the authors' words.
# - I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization", ICLR 2019, section 2: why decay and penalty
#   differ for Adam.
# - L. Bottou, F. E. Curtis and J. Nocedal, "Optimization Methods for Large-Scale Machine Learning", SIAM Review 60,
#   2018, section 4: how close noisy steps come, with proofs.
#
# ## What comes next
#
# A step is not yet a training run. How large should the steps be, and when should they shrink? What if one gradient is
# a thousand times the last? How can you stop tonight and continue tomorrow as if nothing had happened? That is module
# 08.
