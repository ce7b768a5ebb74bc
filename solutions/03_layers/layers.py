# %% [markdown]
# # 03 Layers
#
# A layer holds numbers that training changes, and applies them. A module is a tree of layers that knows each of its
# numbers by name.
#
# When you have finished this module you can
#
# - compute a fully connected layer for any number of leading dimensions with one matrix product;
# - build a network as a tree of modules, whose parameters are found, named, counted, saved and loaded without keeping a
#   list by hand;
# - choose the size of the initial weights so that a signal survives fifty layers, and explain why;
# - switch dropout on and off with one call, and watch any layer through a hook;
# - find the faults in a model that raise no error.
#
# The rest of the course builds on it. An optimizer asks a model for its `parameters()`, a checkpoint is its
# `state_dict()`, and a convolution and a transformer block are Modules.
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `Parameter`, `Buffer`, `Linear`, `Dropout`, `Sequential`, `ModuleList`, ... | the same in `torch.nn` | |
# | `Module` | `torch.nn.Module` | a refused `load_state_dict` changes nothing |
# | `linear`, `dropout` | the same in `torch.nn.functional` | |
# | `kaiming_uniform_` and its family | the same in `torch.nn.init` | |
# | `summary`, `SequentialBuilder`, `ResidualBlock` | none | our own |
#
# After `manual_seed(s)` every layer starts from the same numbers as in PyTorch.

# %%
#| export
import copy
import itertools
import math
from collections import OrderedDict, namedtuple

import numpy as np

import tinytorch.activations as F
from tinytorch.tensor import Function, Tensor, empty, empty_like, float64, randn, zeros
from tinytorch.tensor import _disabled_torch_function_impl, in_float32
from tinytorch.given.layers.checks import *

# %%
import timeit
import warnings

import pytest

from tinytorch.given.predictions import compare
from tinytorch.tensor import Context, Generator, float16, float32, manual_seed, ones, rand

# %% [markdown]
# ## 1. A network without layers
#
# A network that distinguishes ten digits needs two weight matrices and two vectors, four arrays. Write it down, and
# then do what is done with every network: count its numbers, initialise them, store them.

# %%
W1, b1 = randn(128, 784) * 0.05, zeros(128)
W2, b2 = randn(10, 128) * 0.05, zeros(10)


def digits(x):
    hidden = F.relu(x @ W1.T + b1)  # (batch, 128)
    return hidden @ W2.T + b2  # (batch, 10)


print(digits(rand(2, 784)).shape, sum(p.numel() for p in (W1, b1, W2, b2)))
stored = {"W1": W1, "b1": b1, "W2": W2, "b2": b2}

# %% [markdown]
# The list of four appears three times: once in the function, once in the sum, once in the dictionary. If you add a
# third layer and forget it in one of the three, no error is raised: the layer is simply not counted, not saved, or, in
# module 07, not trained. The smallest GPT-2 has 148 such arrays.
#
# The arrays should be in the layers that use them, and every list of them should be *derived*:
#
# ```text
#   Network                          what a walk over the tree finds
#    |-- first: Linear                 first.weight   (128, 784)
#    |     |-- weight                  first.bias     (128,)
#    |     `-- bias                    last.weight    (10, 128)
#    `-- last: Linear                  last.bias      (10,)
#          |-- weight
#          `-- bias
# ```
#
# First the computation, then the tree.
#
# ## 2. The linear map
#
# A layer of $m$ units on $n$ inputs computes $m$ weighted sums, each plus its own constant:
#
# $$y_j = \sum_{i=1}^{n} W_{ji}\, x_i + b_j, \qquad y = x W^\top + b$$
#
# The weight is stored as $(m, n)$, as in PyTorch: one row for each *output*, so that row $j$ has all the weights of
# unit $j$. That is where the transpose comes from. It costs nothing: `.T` only swaps strides, and the matrix product
# can read both layouts.
#
# Inputs may have any number of leading dimensions: `(n,)` for one example, `(batch, n)`, `(batch, tokens, n)` in a
# transformer. The map is the same for each row, so all rows can be put into one matrix:
#
# ```text
#   x (2, 3, n)  --reshape-->  (6, n)  --@ W.T-->  (6, m)  --reshape-->  (2, 3, m)
# ```
#
# One product of six rows is much faster than two products of three: a matrix product reads the whole weight however few
# rows there are. Section 11 measures that. `check_linear`, which is given, raises an error if the shapes do not match.
#
# <details><summary>Hint 1</summary>The number of rows is the product of all dimensions but the last;
# <code>math.prod</code> is 1 for a single example and 0 for an empty batch. <code>reshape(-1, n)</code> cannot infer it
# when <code>n</code> is 0.</details>
# <details><summary>Hint 2</summary>The product is a new array that belongs to you, so the bias can be added to it in
# place: <code>output += bias</code>. Neither <code>x</code> nor <code>bias</code> may be changed.</details>
# <details><summary>Hint 3</summary>Reshape to rows, multiply, add the bias if there is one, and reshape back: the shape
# of the result is that of x with the last dimension replaced by the number of outputs. What goes to
# <code>save_for_backward</code> is <code>x</code> itself, not its rows.</details>


# %% stub="linear-forward"
#| export
class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        """Apply y = x Wᵀ + b to the last dimension of x.

        Args:
            ctx: saves x and weight, in this order, for the gradient that module 06 will add.
            x: an array (..., in).
            weight: an array (out, in).
            bias: an array (out,), or None for no bias.

        Returns:
            A new array (..., out) of x's dtype.

        Raises:
            RuntimeError: if in differs or the dtypes do; `check_linear` raises it.

        >>> linear(Tensor([[1, 2]]), Tensor([[3, 4], [5, 6]]), Tensor([0, 1]))
        tensor([[11., 18.]])
        """
        check_linear(x, weight, bias)
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, weight)
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])  # (N, in)
        output = rows @ weight.T  # (N, out)
        if bias is not None:
            output += bias
        return output.reshape(x.shape[:-1] + weight.shape[:-1])
        ### END SOLUTION


#| export
def linear(input, weight, bias=None):
    """y = x Wᵀ + b along the last dimension of the input; see `Affine.forward`."""
    if bias is not None and bias.array.shape != weight.array.shape[:-1]:
        bias = bias.expand(weight.shape[:-1])
    return in_float32(Affine, input, weight, bias)


# %% test="linear-forward" points=6
def compare_affine(x, weight, bias=None):
    """Compare `Affine.forward` of arrays with sums in float64; the arrays must not change."""
    given = [array for array in (x, weight, bias) if array is not None]
    before = [array.copy() for array in given]
    wanted = np.tensordot(x.astype(float), weight.astype(float), axes=(-1, 1))
    wanted += 0 if bias is None else bias
    y = Affine.forward(Context(), x, weight, bias)
    for name, array, old in zip(("x", "weight", "bias"), given, before):
        np.testing.assert_array_equal(array, old, err_msg=f"{name} must not be changed")
    what = f"x {x.shape}, weight {weight.shape}, {'no' if bias is None else 'with a'} bias"
    assert y.shape == wanted.shape, f"{what}: the result is {wanted.shape}, not {y.shape}"
    assert y.dtype == x.dtype, f"{what}: {x.dtype} in, {x.dtype} out, not {y.dtype}"
    message = f"{what}: along the last dimension, x Wᵀ + b"
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5, err_msg=message)


def drawn(*shape, kind=np.float32):
    return randn(*shape).numpy().astype(kind)


def test_linear_is_a_weighted_sum_for_each_unit():
    y = linear(Tensor([[1.0, 10.0]]), Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    assert y == [[21, 43]], f"(1, 10) by the rows (1, 2) and (3, 4) is 21 and 43, not {y}"
    for kind in (np.float32, np.float64):
        compare_affine(drawn(2, 3, kind=kind), drawn(4, 3, kind=kind), drawn(4, kind=kind))
        compare_affine(drawn(2, 3, kind=kind), drawn(3, 3, kind=kind))


def test_linear_keeps_leading_dimensions():
    for lead in ((), (2,), (2, 4), (2, 1, 3), (0,), (2, 0)):
        compare_affine(drawn(*lead, 3), drawn(5, 3), drawn(5))
        compare_affine(drawn(*lead, 0), drawn(5, 0), drawn(5))  # nothing is summed


def test_linear_takes_inputs_that_do_not_lie_in_one_piece():
    for x in (drawn(2, 4), drawn(3, 2, 4).swapaxes(0, 1)):
        compare_affine(x, drawn(4, 5).T)


def test_linear_saves_its_inputs_themselves():
    ctx, x, weight = Context(), np.ones((2, 3, 4), np.float32), np.ones((5, 4), np.float32)
    Affine.forward(ctx, x, weight, np.ones(5, np.float32))
    own = {id(x): "x", id(weight): "weight"}
    saved = [own.get(id(t), f"an array {np.shape(t)}") for t in ctx.saved_tensors]
    message = f"x {x.shape} and weight {weight.shape} themselves are saved, in this order"
    assert saved == ["x", "weight"], message


# %% [markdown]
# ## 3. Parameters and where they are stored
#
# How does a layer know which of its attributes should be trained? A `Linear` has numbers of two kinds: `in_features`,
# an int that never changes, and the weight. A layer may also hold tensors that are *state* but not trained, such as the
# running mean of module 09. The types distinguish them. A `Parameter` is a Tensor that is trained; a `Buffer` is a
# Tensor that is state; and a `Module` is a part of the tree.
#
# A Parameter shares the array of the tensor it is made from, and requires a gradient unless told otherwise.


# %%
#| export
class Parameter(Tensor):
    """A tensor that training changes: a module's own once it is assigned to an attribute.

    >>> Parameter(zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    __torch_function__ = _disabled_torch_function_impl  # results are plain Tensors

    def __new__(cls, data=None, requires_grad=True):
        return cls._make_subclass(cls, empty(0) if data is None else data, requires_grad)

    def __repr__(self):
        return f"Parameter containing:\n{super().__repr__()}"

    def __deepcopy__(self, memo):
        copied = memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return copied


class Buffer(Tensor):
    """A tensor that is state, but not trained; `persistent` says whether it is saved."""

    persistent = True
    __torch_function__ = _disabled_torch_function_impl

    def __new__(cls, data=None, *, persistent=True):
        buffer = cls._make_subclass(cls, empty(0) if data is None else data)
        buffer.persistent = persistent
        return buffer


# %% [markdown]
# ### Module
#
# Here is the core of a Module. The rest, some forty methods of a few lines each, is in the package and is imported by
# the last lines of the cell, as are the layers that have no parameters.
#
# - Three dictionaries, `_parameters`, `_buffers` and `_modules`, hold what was assigned, by kind, in order.
#   `__getattr__`, which Python calls only when an attribute is *not* found in the usual places, looks there.
# - Its main methods call functions that you write:
#
# | `Module`'s | calls your | section |
# |---|---|---|
# | `net.name = value` | `register(net, "name", value)` | 3 |
# | `named_modules()` | `walk_modules` | 4 |
# | `named_parameters()` and `named_buffers()` | `walk_members` | 4 |
# | `state_dict()` | `collect_state` | 9 |
# | `load_state_dict()` | `load_state` | 9 |
# | `net(x)`, when there are hooks | `call_with_hooks` | 10 |
#
# - `net(x)` is `net.forward(x)`. Subclasses define `forward`; users call the module, so that hooks are run.


# %%
#| export
class Module:
    """The base of all layers and models: parameters, buffers, other modules, and a `forward`.

    What is assigned to an attribute is kept by kind: Parameters in `_parameters`, tensors that
    are state but not trained in `_buffers`, Modules in `_modules`, all else as usual.
    """

    def __init__(self):
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _modules={}, _in_full=False,
            _non_persistent_buffers_set=set(), _forward_pre_hooks=OrderedDict(),
            _forward_hooks=OrderedDict(), _backward_hooks=OrderedDict(),
        )  # fmt: skip

    def __setattr__(self, name, value):
        check_assignment(self, name, value)
        if "_parameters" not in self.__dict__:
            super().__setattr__(name, value)
        elif isinstance(value, Buffer):
            self.register_buffer(name, value, value.persistent)
        else:
            register(self, name, value)

    def __getattr__(self, name):
        for place in ("_parameters", "_modules", "_buffers"):
            if name in self.__dict__.get(place, ()):
                return self.__dict__[place][name]
        raise AttributeError(f"'{self._get_name()}' object has no attribute '{name}'")

    def forward(self, *input):
        """Compute the output; every subclass writes its own."""
        raise NotImplementedError(
            f'Module [{self._get_name()}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        if self._in_full:  # hooks for gradients, named inputs or errors
            return call_in_full(self, args, kwargs)
        if self._forward_pre_hooks or self._forward_hooks:
            return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module and all modules below it, as (name, module), parents first."""
        return walk_modules(self, set() if memo is None else memo, prefix, remove_duplicate)

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """All parameters as (name, parameter); with `recurse` off, this module's own."""
        return walk_members(self, "_parameters", prefix, recurse, remove_duplicate)

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """All buffers as (name, buffer)."""
        return walk_members(self, "_buffers", prefix, recurse, remove_duplicate)

    def train(self, mode=True):
        """Switch this module and all below it to training, or with False to evaluation."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self):
        """Switch this module and all below it to evaluation."""
        return self.train(False)

    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        """All parameters and persistent buffers by name: detached, but the same memory."""
        destination = OrderedDict() if destination is None else destination
        before_saving(self, prefix, keep_vars)  # hooks on saving
        collect_state(self, destination, prefix, keep_vars)
        return after_saving(self, destination, prefix)

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy tensors into the parameters and buffers of the same names; see `load_state`."""
        state_dict, strictly = before_loading(self, state_dict, strict)  # hooks on loading
        return after_loading(self, load_state(self, state_dict, strictly, assign), strict)


from tinytorch.given.layers.registration import *
from tinytorch.given.layers.whole_modules import *
from tinytorch.given.layers.hooks import *
from tinytorch.given.layers.loading import *
from tinytorch.given.layers.saving import *
from tinytorch.given.layers.containers import *
from tinytorch.given.layers.parallel import *
from tinytorch.given.layers.parameter_containers import *
from tinytorch.given.layers.nonlinearities import *
from tinytorch.given.layers.further_nonlinearities import *
from tinytorch.given.layers.reshaping import *

# %% [markdown]
# ### Your part: an assignment is a registration
#
# A layer's `__init__` only says `self.weight = Parameter(...)`; `register` turns the assignment into a registration.
# The rules:
#
# | the value is | it goes to |
# |---|---|
# | a Parameter | `module._parameters` |
# | a Module | `module._modules` |
# | anything else, but the name is already in one of the three | there: `self.mean = new_mean` keeps a buffer a buffer, `self.bias = None` keeps the name |
# | anything else | where Python would put it: `object.__setattr__(module, name, value)` |
#
# A name has one home. If `net.part` was an int and becomes a Parameter, the int has to be removed: Python looks in the
# instance's own dictionary first, and would never call `__getattr__` for the Parameter.
#
# ```text
#   net.part = 3                  __dict__: part = 3      _parameters:
#   net.part = Parameter(...)     __dict__: part = 3      _parameters: part      net.part is still 3: wrong
#                                 __dict__:               _parameters: part      right
# ```
#
# `check_assignment` raises errors before your function is called, and `register_buffer` handles a `Buffer`.
#
# <details><summary>Hint 1</summary>First decide which of the three dictionaries is the value's home, if any; then do
# the same thing for all three.</details>
# <details><summary>Hint 2</summary><code>next((place for place in places if name in place), None)</code> is the
# dictionary that has the name already, or None.</details>
# <details><summary>Hint 3</summary>With a home, first remove the name from every other place, the three and
# <code>module.__dict__</code>: <code>pop(name, None)</code> also accepts a missing name. Without one, Python's
# assignment is enough.</details>


# %% stub="register"
#| export
def register(module, name, value):
    """Store what is assigned to `module.name` where it belongs, and nowhere else.

    Args:
        module: a Module; its `_parameters`, `_buffers` and `_modules` go from names to values.
        name: the attribute's name.
        value: what is assigned: a Parameter, a Module, or anything else, by the table above.
            One that replaces another in its dictionary keeps its position in the order.

    >>> net = Module()
    >>> net.weight = Parameter(zeros(2))
    >>> list(net._parameters), "weight" in net.__dict__
    (['weight'], False)
    """
    ### BEGIN SOLUTION
    parameters, buffers, modules = module._parameters, module._buffers, module._modules
    if isinstance(value, Parameter):
        home = parameters
    elif isinstance(value, Module):
        home = modules
    else:
        home = next((place for place in (parameters, buffers, modules) if name in place), None)
    if home is None:
        object.__setattr__(module, name, value)
        return
    for place in (module.__dict__, parameters, buffers, modules):
        if place is not home:
            place.pop(name, None)
    home[name] = value
    ### END SOLUTION


# %% test="register" points=6
def test_register_sorts_by_kind():
    net = Module()
    net.weight, net.part, net.size, net.seen = Parameter(zeros(2)), Module(), 3, zeros(2)
    assert list(net._parameters) == ["weight"], "a Parameter, and only that, is in _parameters"
    assert list(net._modules) == ["part"], "a Module goes to _modules, and nothing else does"
    assert not net._buffers, "a Tensor that is not a Buffer is not state"
    assert net.size == 3, "an int is an ordinary attribute"
    assert "size" in vars(net), "an int stays in the instance's own dictionary"
    assert not {"weight", "part"} & set(vars(net)), "what is registered is not in __dict__ too"


def test_register_gives_a_name_one_home():
    for first in (3, None, Module(), Buffer(zeros(1)), Parameter(zeros(1))):
        for second, home in ((Parameter(ones(1)), "_parameters"), (Module(), "_modules")):
            if isinstance(first, Parameter) and home == "_modules":
                continue  # which is refused, as in PyTorch
            net, what = Module(), f"net.part was {first!r}, then {second!r}"
            net.part = first
            net.part = second
            assert net.part is second, f"{what}: net.part gives the old"
            places = ("_parameters", "_buffers", "_modules")
            homes = [place for place in places if "part" in getattr(net, place)]
            assert homes == [home], f"{what}: it belongs in {home} alone, not in {homes}"


def test_register_keeps_a_buffer_a_buffer():
    for old in (zeros(2), None):
        net, new = Module(), ones(2)
        net.register_buffer("mean", old)
        net.mean = new
        what = f"the buffer net.mean was {old}, then a tensor"
        assert net._buffers.get("mean") is new, f"{what}, which must be the buffer now"
        assert "mean" not in vars(net), f"{what}, which is no ordinary attribute"


def test_register_keeps_the_name_of_what_becomes_none():
    net = Module()
    net.bias, net.part = Parameter(zeros(2)), Module()
    net.bias = net.part = None
    assert net._parameters == {"bias": None}, "net.bias = None keeps the name, with None"
    assert net._modules == {"part": None}, "net.part = None keeps the name, with None"
    assert net.bias is None, "net.bias was set to None, and is found as None"


def test_register_replaces_in_place():
    for make, place in ((lambda: Parameter(ones(1)), "_parameters"), (Module, "_modules")):
        net, second = Module(), make()
        net.a, net.b = make(), make()
        net.a = second
        names = list(getattr(net, place))
        assert names == ["a", "b"], f"what is replaced keeps its position in {place}: {names}"
        assert net.a is second, "net.a is the second value that was assigned to it"


def test_register_leaves_properties_to_python():
    class Doubled(Module):
        factor = property(lambda s: s.half * 2, lambda s, x: setattr(s, "half", x / 2))

    net = Doubled()
    net.factor = 6
    assert net.half == 3, "an ordinary value goes through object.__setattr__: a property's too"


# %% [markdown]
# ## 4. The walk
#
# A module knows its own members. The rest is found by walking down the tree, and the name of what is found is the path
# to it: `body.first.weight`. Two things need care.
#
# A module may appear in the tree twice, and a parameter may belong to two modules. That is intended: GPT-2 uses one
# matrix to read tokens and to predict them, so that 38 million of its 124 million numbers are used twice. Such a
# parameter is *tied*. It has two names, but it is one array, and an optimizer that got it twice would take two steps
# with it. So yield each only once.
#
# ```text
#   net                       named_modules()          named_parameters()
#    |-- scale                  ""                       scale
#    |-- body                   "body"                   body.weight
#    |     |-- weight  <-.                               body.bias
#    |     `-- bias      |
#    `-- head            |      "head"
#          |-- weight  --'                               (seen: body.weight)
#          `-- bias = None                               (None: not there)
# ```
#
# Both walks are generators: `yield` returns one pair, and continues when the next is requested.
#
# <details><summary>Hint 1</summary>A module, then each of its children with everything below them: the function calls
# itself through <code>child.named_modules</code>, and <code>yield from</code> passes on its results.</details>
# <details><summary>Hint 2</summary>The set <code>memo</code> must be the same in the whole walk, or a module in two
# branches is found in both. Fill it only if duplicates should be removed.</details>
# <details><summary>Hint 3</summary>A child's path is <code>f"{prefix}.{name}" if prefix else name</code>: the top has
# no name, so there is no dot before the first.</details>


# %% stub="named-modules"
#| export
def walk_modules(module, memo, prefix, remove_duplicate):
    """Find a module and all modules below it.

    Args:
        module: where the walk begins.
        memo: a set of modules that were found already.
        prefix: the path to `module`: "" at the top, "body" for a child of that name.
        remove_duplicate: whether to leave out what `memo` holds, and to add to it.

    Yields:
        (path, module): a module, then its children in the order of `_modules`, each with all
        below it; None is skipped. A path is the names on the way, joined by dots.

    >>> net = Module()
    >>> net.body = Module()
    >>> [name for name, _ in net.named_modules()]
    ['', 'body']
    """
    ### BEGIN SOLUTION
    if module in memo:
        return
    if remove_duplicate:
        memo.add(module)
    yield prefix, module
    for name, child in module._modules.items():
        if child is not None:
            path = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, path, remove_duplicate)
    ### END SOLUTION


# %% test="named-modules" points=4
def tree(**children):
    """A Module with these children."""
    module = Module()
    module._modules.update(children)
    return module


def test_named_modules_yields_paths_parents_first():
    net = tree(body=tree(first=tree(), second=tree(deep=tree())), head=tree())
    walk = net.named_modules()
    assert iter(walk) is walk, "the walk is a generator: it yields one pair after the other"
    kinds = set(map(type, walk := list(walk)))
    assert kinds == {tuple}, f"all that is yielded is pairs (path, module), not {kinds}"
    names = [name for name, _ in walk]
    expected = ["", "body", "body.first", "body.second", "body.second.deep", "head"]
    assert names == expected, f"the paths are {expected}, not {names}"
    found = dict(net.named_modules())
    assert found[""] is net, "the walk begins with the module itself"
    deep = net._modules["body"]._modules["second"]._modules["deep"]
    assert found["body.second.deep"] is deep, "each path comes with the module it leads to"


def test_named_modules_begins_with_the_prefix_and_passes_over_none():
    net = tree(a=None, body=tree(first=tree()), row=ModuleList())
    names = [name for name, _ in net.named_modules(prefix="net")]
    expected = ["net", "net.body", "net.body.first", "net.row"]
    assert names == expected, f'prefix "net", a is None, row is empty: {expected}, not {names}'


def test_named_modules_finds_a_shared_module_once():
    shared = tree(inner=tree())
    net = tree(a=shared, b=tree(again=shared), c=shared)
    names = [name for name, _ in net.named_modules()]
    assert names == ["", "a", "a.inner", "b"], f"a, b.again and c are one module: {names}"
    for what, memo, wanted in (("a", {shared}, ["", "b"]), ("the module itself", {net}, [])):
        names = [name for name, _ in net.named_modules(memo)]
        assert names == wanted, f"{what} is in memo, and left out: {wanted}, not {names}"


def test_named_modules_shows_duplicates_when_asked():
    shared, memo = tree(inner=tree()), set()
    walk = tree(a=shared, b=shared).named_modules(memo, remove_duplicate=False)
    names, expected = [name for name, _ in walk], ["", "a", "a.inner", "b", "b.inner"]
    assert names == expected, f"remove_duplicate=False: {expected}, not {names}"
    assert len(memo) == 0, f"remove_duplicate=False: memo stays empty, without {memo}"


# %% [markdown]
# Each module has one dictionary of parameters and one of buffers. One function finds both: it gets the name of the
# dictionary to read.
#
# <details><summary>Hint 1</summary>Two loops: over the modules with their paths, and over each one's dictionary.
# <code>getattr(owner, place)</code> is that dictionary.</details>
# <details><summary>Hint 2</summary>One set for the whole walk remembers the tensors that were seen. A Tensor in a set
# is compared by identity, as it should be: two tensors with the same numbers are still two.</details>
# <details><summary>Hint 3</summary>The modules to visit are
# <code>module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)</code>, or
# <code>[(prefix, module)]</code> if <code>recurse</code> is off.</details>


# %% stub="named-members"
#| export
def walk_members(module, place, prefix, recurse, remove_duplicate):
    """Find the parameters, or the buffers, of a module and of all modules below it.

    Args:
        module: where the walk begins.
        place: which of a module's dictionaries to read: "_parameters" or "_buffers".
        prefix: the path to `module`, as in `walk_modules`.
        recurse: whether to go below `module`.
        remove_duplicate: whether to yield a tensor only once, under the first of its names.

    Yields:
        (path, tensor): module by module in the order of `named_modules`; a tensor that is None
        is skipped.

    >>> net = Module()
    >>> net.body = Module()
    >>> net.body.weight = Parameter(zeros(2))
    >>> [name for name, _ in net.named_parameters()]
    ['body.weight']
    """
    ### BEGIN SOLUTION
    seen = set()
    modules = module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
    for path, owner in modules if recurse else [(prefix, module)]:
        for name, tensor in getattr(owner, place).items():
            if tensor is not None and tensor not in seen:
                if remove_duplicate:
                    seen.add(tensor)
                yield f"{path}.{name}" if path else name, tensor
    ### END SOLUTION


# %% test="named-members" points=5
def tied():
    """The network of the picture: `head.weight` is `body.weight`; two others are None."""
    net, body, head = Module(), Module(), Module()
    weight = Parameter(ones(2, 2))
    body._parameters.update(weight=weight, none=None, bias=Parameter(zeros(2)))
    head._parameters.update(weight=weight, bias=None)
    net._parameters.update(scale=Parameter(ones(2)))
    net._modules.update(body=body, head=head)
    return net


def test_named_parameters_yields_each_once_with_its_path():
    net = tied()
    walk = net.named_parameters()
    assert iter(walk) is walk, "the walk is a generator: it yields one pair after the other"
    names = [name for name, _ in walk]
    message = f"head.weight is body.weight, body.none and head.bias are None: {names}"
    assert names == ["scale", "body.weight", "body.bias"], message
    bias = net._modules["body"]._parameters["bias"]
    found = dict(net.named_parameters())["body.bias"]
    assert found is bias, "each path comes with the parameter it leads to"


def test_named_parameters_tells_equal_values_from_the_same_tensor():
    net, values = tied(), ones(2)
    net._parameters.update(bias=Parameter(values), other=Parameter(values))
    names = [name for name, _ in net.named_parameters()]
    wanted = ["scale", "bias", "other", "body.weight", "body.bias"]
    assert names == wanted, f"equal values, yet parameters of their own: {wanted}, not {names}"


def test_named_parameters_shows_duplicates_when_asked():
    net, body = tied(), ["body.weight", "body.bias"]
    net._modules["again"] = net._modules["body"]
    more = ["head.weight", "again.weight", "again.bias"]
    for remove, expected in ((True, ["scale", *body]), (False, ["scale", *body, *more])):
        names = [name for name, _ in net.named_parameters(remove_duplicate=remove)]
        message = f"body appears twice, remove_duplicate={remove}: {expected}, not {names}"
        assert names == expected, message


def test_named_parameters_begins_with_the_prefix():
    for recurse, expected in (
        (True, ["net.scale", "net.body.weight", "net.body.bias"]),
        (False, ["net.scale"]),
    ):
        walk = tied().named_parameters(prefix="net", recurse=recurse)
        names = [name for name, _ in walk]
        assert names == expected, f"recurse={recurse}: {expected}, not {names}"


def test_named_buffers_reads_the_buffers():
    net = tied()
    net._modules["body"]._buffers["mean"] = mean = zeros(2)
    assert list(net.named_buffers()) == [("body.mean", mean)], "buffers are in _buffers"


# %% [markdown]
# ## 5. How large should the initial weights be?
#
# They must not all be the same number, such as zero: units that start equal compute the same, get equal gradients and
# stay equal forever, so a layer of a hundred units would act like one unit. So they are drawn at random. The question
# of how large has an answer.
#
# Let the inputs $x_i$ have mean square $q$, and the weights mean 0 and variance $\sigma^2$, all independent. Then
# in $y_j = \sum_i W_{ji} x_i$ the $n$ terms add up:
#
# $$\mathrm{E}[y_j^2] = n\, \sigma^2\, q$$
#
# So every layer multiplies the signal's mean square by $n \sigma^2$. Fifty layers multiply it by $(n\sigma^2)^{50}$:
# with $n \sigma^2 = 2$ that is $10^{15}$, with $\frac12$ it is $10^{-15}$. Only $\sigma^2 = 1/n$ preserves it. A
# rectifier after each layer sets half of the values to zero, which halves the mean square; so it needs
# $\sigma^2 = 2/n$. In general a nonlinearity has a *gain* $g$, by which the weights compensate for its effect:
#
# $$\sigma = \frac{g}{\sqrt{n}}, \qquad g_\mathrm{relu} = \sqrt2, \qquad
#   g_\mathrm{leaky} = \sqrt{\frac{2}{1 + a^2}}, \qquad g_\mathrm{linear} = 1$$
#
# This is He's initialisation (He et al., *Delving Deep into Rectifiers*, 2015, section 2.2), in PyTorch `kaiming_*`
# after the author's first name. The number $n$ is called *fan in*: how many inputs an output sums. With
# `mode="fan_out"` the same is done for the gradients in backward, where each input sums $m$ of them.
#
# Numbers drawn uniformly from $[-b, b]$ have variance $b^2/3$. So the bound for a wanted $\sigma$ is
# $b = \sqrt3\, \sigma$.


# %%
#| export
from tinytorch.given.layers.initialization import *
from tinytorch.given.layers.bilinear import *
from tinytorch.given.layers.reparametrization import *

# %% [markdown]
# `calculate_gain(nonlinearity, a)` is the gain, `fan(tensor, mode)` the $n$, and
# `uniform_(tensor, a, b, generator)` fills a tensor from [a, b); all are given, with the rest of `torch.nn.init`. Put
# them together.
#
# <details><summary>Hint 1</summary>Three steps: the deviation σ from gain and fan, the bound from σ, then fill
# uniformly between minus and plus the bound.</details>
# <details><summary>Hint 2</summary><code>uniform_</code> takes a generator; pass yours to it. It also returns the
# filled tensor, which you should return.</details>
# <details><summary>Hint 3</summary>The bound is the gain times <code>math.sqrt(3 / n)</code>, where both the gain and n
# depend on the arguments.</details>


# %% stub="kaiming-uniform"
#| export
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight so that signals keep their size through layers with rectifiers.

    uniform in [-b, b), b = √3 σ, σ = gain / √fan   (He et al., 2015)

    Args:
        tensor: a weight (out, in, ...), filled in place; it may require a gradient.
        a: the slope of the leaky rectifier that follows; 0 for a plain one.
        mode: "fan_in" to keep the size of signals, "fan_out" that of gradients.
        nonlinearity: what follows, as `calculate_gain` names it.
        generator: draws the numbers; the default one if None.

    Returns:
        `tensor` itself.

    Raises:
        ValueError: if the tensor has fewer than two dimensions; raised by `fan`.

    >>> weight = kaiming_uniform_(empty(5, 6), nonlinearity="linear")
    >>> bool((weight.abs() <= 0.7072).all())  # √(3/6)
    True
    """
    if is_empty(tensor):  # there is nothing to fill
        return tensor
    ### BEGIN SOLUTION
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator)
    ### END SOLUTION


# %% test="kaiming-uniform" points=4
def check_kaiming(shape, bound, **options):
    """Fill a weight of this shape, and check that it is uniform within ± the bound."""
    manual_seed(0)
    filled = kaiming_uniform_(empty(*shape), **options)
    assert isinstance(filled, Tensor), f"{filled} came back: is a return missing?"
    values, where = filled.numpy(), f"a weight {shape} with {options or 'no options'}"
    reach = min(values.max(), -values.min())
    assert np.abs(values).max() <= bound * 1.000001, f"{where}: none is beyond {bound:.4f}"
    assert reach > 0.98 * bound, f"{where}: they reach ±{bound:.4f}, not only ±{reach:.4f}"
    message = f"{where}: the deviation is gain / √fan"
    np.testing.assert_allclose(values.std(), bound / 3**0.5, rtol=0.05, err_msg=message)


def test_kaiming_keeps_the_signal_behind_rectifiers():
    check_kaiming((300, 200), math.sqrt(2) * math.sqrt(3 / 200))
    check_kaiming((300, 200), math.sqrt(2) * math.sqrt(3 / 200), nonlinearity="relu")


def test_kaiming_takes_the_fan_that_the_mode_names():
    check_kaiming((300, 20), math.sqrt(2) * math.sqrt(3 / 300), mode="fan_out")
    check_kaiming((64, 8, 3, 3), math.sqrt(2) * math.sqrt(3 / 72))  # of a convolution


def test_kaiming_takes_the_gain_of_what_follows():
    check_kaiming((300, 200), math.sqrt(3 / 200), nonlinearity="linear")
    check_kaiming((300, 200), math.sqrt(2 / (1 + 0.25)) * math.sqrt(3 / 200), a=0.5)


def test_kaiming_gives_the_numbers_of_pytorch():
    expected = [[-0.01058796, 0.75864577, -1.1639615], [-1.0407749, -0.5446905, 0.37923178]]
    for options in ({"nonlinearity": "relu"}, {"a": 0}):
        manual_seed(0)
        weight = kaiming_uniform_(empty(2, 3), **options).numpy()
        message = f"after manual_seed(0), PyTorch 2.13 fills a (2, 3) with these, {options}"
        np.testing.assert_allclose(weight, expected, rtol=1e-5, err_msg=message)


def test_kaiming_fills_in_place_with_the_generator_given():
    manual_seed(1)
    weight = Parameter(zeros(2, 3))
    filled = kaiming_uniform_(weight, generator=Generator().manual_seed(0))
    assert filled is weight, "the tensor itself is filled and returned"
    drawn = weight.detach().numpy()[0, 1]
    np.testing.assert_allclose(drawn, 0.758645773, rtol=1e-5, err_msg="drawn by `generator`")
    after = rand(1).item()
    manual_seed(1)
    assert after == rand(1).item(), "with a generator given, the default one is not drawn from"


# %% [markdown]
# Is the formula right? The next cell sends one signal through fifty layers of 256 units with rectifiers, with weights
# of four sizes, and plots its size after each layer. The right-hand plot shows what training depends on: a gradient on
# its way back. A layer multiplies it by its weight from the other side, and the rectifier passes it where it passed the
# signal.
#
# **Predict:** $\sqrt{2/256}$ is 0.088. If the weights have a deviation of 0.12 instead, a third too much, how many
# times as large as at the beginning is the signal after fifty layers?

# %%
predicted_signal = None  # its root mean square at the end over that at the beginning

# %%
import matplotlib.pyplot as plt

manual_seed(0)
start, back, n = randn(64, 256), randn(64, 256), 256
size_of = lambda signal: signal.square().mean().sqrt().item()
sizes = {"0.05": 0.05, "1/√n": n**-0.5, "√(2/n)": (2 / n) ** 0.5, "0.12": 0.12}
figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.2), sharey=True, layout="constrained"
)
for label, std in sizes.items():
    signal, grad, layers, forth, backs = start, back, [], [], []
    for _ in range(50):
        weight = normal_(empty(n, n), std=std)
        signal = F.relu(linear(signal, weight))
        layers.append((weight, (signal > 0).float()))
        forth.append(size_of(signal))
    for weight, passed in reversed(layers):
        grad = (grad * passed) @ weight
        backs.insert(0, size_of(grad))
    left.semilogy(range(1, 51), forth, label=f"σ = {label}")
    right.semilogy(range(1, 51), backs)
left.set(xlabel="layer", ylabel="root mean square", title="A signal, left to right")
right.set(xlabel="layer", title="A gradient, right to left")
left.legend()
plt.show()
compare(predicted_signal, forth[-1] / size_of(start), "times")  # the last of the four sizes

# %% [markdown]
# A third too much in each layer is $1.36^{50}$ in fifty: millions. There is less than a factor of two between the
# weights that lose the signal and those that blow it up, and the same holds for the gradient: with $\sigma = 1/\sqrt n$
# almost no gradient would reach the first layers. Only the third line stays at its initial size.
#
# ## 6. Linear
#
# The layer has two parameters and one line of `forward`. What is left to decide is the initialisation. PyTorch keeps
# that of its early versions ([issue 15314](https://github.com/pytorch/pytorch/issues/15314)): it calls
# `kaiming_uniform_` with $a = \sqrt5$, a slope that no rectifier has; put it into the formulas above, and the bound is
#
# $$\sqrt{\frac{2}{1 + 5}} \cdot \sqrt{\frac{3}{n}} = \frac{1}{\sqrt n}$$
#
# so that both the weight and the bias are uniform within $\pm 1/\sqrt n$, with $n$ = `in_features`. (That is a
# deviation of $1/\sqrt{3n}$, smaller than in section 5. Deep networks of plain `Linear` layers do lose their signal;
# question 3 asks what follows.) The weight is drawn first, then the bias; the order matters only for getting the same
# numbers from the same seed, which you need to compare your framework with PyTorch.
#
# A layer without a bias keeps the name in `_parameters`: `self.register_parameter("bias", None)`. Then `layer.bias` is
# None, and `linear` accepts that.
#
# <details><summary>Hint 1</summary>The constructor creates both parameters without values,
# <code>Parameter(empty(...))</code>, and calls <code>reset_parameters</code> to fill them, which can be called again
# later.</details>
# <details><summary>Hint 2</summary>The weight is <code>(out_features, in_features)</code>. Pass <code>device</code> and
# <code>dtype</code> on to <code>empty</code>; both may be None.</details>
# <details><summary>Hint 3</summary><code>reset_parameters</code> calls your <code>kaiming_uniform_</code> with the a of
# the text for the weight; then, if there is a bias, <code>uniform_</code> fills it. With no inputs at all its bound is
# 0.</details>


# %% stub="linear-layer"
#| export
class Linear(Module):
    """The layer y = x Wᵀ + b.

    Args:
        in_features: how many numbers come in, n.
        out_features: how many go out, m.
        bias: whether there is a b.
        device, dtype: where the parameters are, and of which type.

    Its parameters are `weight` (m, n) and `bias` (m,), or None; both are uniform within ±1/√n,
    the weight drawn first; where n is 0, the bias is 0. It maps (..., n) to (..., m).

    >>> Linear(784, 128)
    Linear(in_features=784, out_features=128, bias=True)
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        ### BEGIN SOLUTION
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()
        ### END SOLUTION

    def reset_parameters(self):
        """Draw new values for the parameters: the weight, then the bias."""
        ### BEGIN SOLUTION
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
            uniform_(self.bias, -bound, bound)
        ### END SOLUTION

    def forward(self, input):
        return linear(input, self.weight, self.bias)

    def extra_repr(self):
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


# %% test="linear-layer" points=5
def test_linear_has_two_parameters():
    layer = Linear(3, 4)
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight", "bias"], "weight and bias are Parameters"
    weight, bias = tuple(layer.weight.shape), tuple(layer.bias.shape)
    assert weight == (4, 3), f"Linear(3, 4): the weight is (4, 3), not {weight}"
    assert bias == (4,), f"Linear(3, 4): the bias is (4,), not {bias}"
    assert layer.weight.requires_grad, "the weight requires a gradient"
    assert layer.bias.requires_grad, "the bias requires a gradient"


def test_linear_without_bias_has_none():
    layer = Linear(3, 4, bias=False)
    assert layer.bias is None, "bias=False: layer.bias is None"
    assert "bias" in layer._parameters, "bias=False: `_parameters` keeps the name, with None"
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight"], f"bias=False: weight is the only parameter, not {names}"


def test_linear_starts_from_the_numbers_of_pytorch():
    manual_seed(0)
    layer, after = Linear(3, 2), rand(1).item()
    manual_seed(0)
    assert rand(1).item() != after, "Linear(3, 2) draws values for its parameters"
    message = "after manual_seed(0), Linear(3, 2) of PyTorch 2.13 starts from these"
    weight = [[-0.00432252, 0.30971584, -0.47518533], [-0.4248946, -0.22236897, 0.15482073]]
    found = layer.weight.detach().numpy()
    np.testing.assert_allclose(found, weight, rtol=1e-5, err_msg=f"weight: {message}")
    bias = [-0.0114391446, 0.457774937]
    found = layer.bias.detach().numpy()
    np.testing.assert_allclose(found, bias, rtol=1e-5, err_msg=f"bias: {message}")


def test_linear_can_draw_again():
    layer = Linear(3, 2)
    weight, before = layer.weight, layer.weight.detach().numpy().copy()
    layer.reset_parameters()
    assert layer.weight is weight, "reset_parameters fills the existing parameters"
    same = (before == weight.detach().numpy()).sum()
    assert same == 0, f"it draws new numbers, and {same} of 6 are the old ones"


def test_linear_takes_a_type_and_a_device():
    layer = Linear(3, 2, dtype=float64)
    kinds = {p.dtype for p in layer.parameters()}
    assert kinds == {float64}, "dtype=float64: both parameters are float64"
    with pytest.raises(RuntimeError, match="mps"):  # `empty` refuses it
        Linear(3, 2, bias=False, device="mps")


def test_linear_with_no_inputs_has_only_its_bias():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there is no weight to fill, and a warning says so
        layer = Linear(0, 2)
    y = layer(zeros(3, 0)).tolist()
    assert y == [[0, 0]] * 3, f"Linear(0, 2): nothing is summed, and its bias is 0; not {y}"


# %% [markdown]
# ## 7. Dropout and the two modes of a network
#
# A large network can memorise its examples. Dropout makes that harder: in training, each number that passes is set to
# zero with probability $p$, drawn again at each step, so that no unit can rely on any other (Srivastava et al., 2014).
# When the network is *used*, nothing is dropped.
#
# Without a correction the two modes would not match: with a third of its inputs missing, a sum is a third smaller on
# average. So the kept numbers are scaled up by $1/(1-p)$, which leaves every expected value unchanged:
#
# $$\mathrm{E}[y] = p \cdot 0 + (1 - p) \cdot \frac{x}{1 - p} = x$$
#
# And because that is done in training, using the network costs nothing.
#
# ```text
#   x                 1.0   2.0   3.0   4.0
#   keep (p = 0.5)     1     0     0     1        drawn by empty_like(x).bernoulli_(1 - p)
#   y                 2.0   0.0   0.0   8.0       x * keep / (1 - p)
# ```
#
# The mask has the type of the input, and is a tensor that needs no gradient; the product with it is an ordinary
# multiplication, so module 06 will differentiate dropout without a special rule.
#
# <details><summary>Hint 1</summary>Two cases need no random numbers: nothing is dropped, and everything is. In the
# latter case 1 / (1 - p) does not exist; multiply by 0 instead.</details>
# <details><summary>Hint 2</summary><code>bernoulli_(q)</code> fills a tensor with ones with probability q and zeros
# otherwise. You want to <em>keep</em> with probability 1 - p. Draw once for each element, so the mask has the input's
# shape.</details>
# <details><summary>Hint 3</summary>Divide the mask by 1 - p, not the input: <code>div_</code> does it in place. Then
# one product is left, <code>mul_</code> if <code>inplace</code>.</details>


# %% stub="dropout"
#| export
def dropout(input, p=0.5, training=True, inplace=False):
    """Zero each element with probability p, and scale the others by 1 / (1 - p).

    Args:
        input: a floating point tensor of any shape.
        p: the probability that an element is dropped, 0 to 1; the mask is drawn by
            `bernoulli_(1 - p)`.
        training: if False, nothing is dropped and `input` itself is returned, as for p = 0.
        inplace: write into `input` and return it.

    Returns:
        A tensor of input's shape and dtype, computed from it, for p = 1 too, for the gradient.

    Raises:
        ValueError: if p is not a probability; raised by `check_probability`.

    >>> dropout(Tensor([1, 2]), p=0.0)
    tensor([1., 2.])
    """
    check_probability(p)
    ### BEGIN SOLUTION
    if p == 0 or not training:
        return input
    keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
    return input.mul_(keep) if inplace else input * keep
    ### END SOLUTION


# %% test="dropout" points=5
def test_dropout_decides_for_each_element():
    manual_seed(0)
    kept = dropout(ones(50, 60), 0.5).numpy() != 0
    for what, dim in (("rows", 1), ("columns", 0)):
        assert kept.mean(axis=dim).std() < 0.2, f"whole {what} are kept or dropped together"


def test_dropout_zeroes_a_share_and_scales_the_rest():
    manual_seed(0)
    for p in (0.1, 0.5, 0.9):
        y = dropout(ones(200, 100), p).numpy()
        share = (y == 0).mean()
        assert share == pytest.approx(p, abs=0.015), f"p={p}: the share that is set to zero"
        message = f"p={p}: what is kept is 1 / (1 - p) as large"
        np.testing.assert_allclose(y[y != 0], 1 / (1 - p), rtol=1e-5, err_msg=message)


def test_dropout_does_nothing_when_not_training():
    x = randn(3, 4)
    before = x.tolist()
    for p, training, inplace in itertools.product((0.5, 0, 1), (False, True), (False, True)):
        if p == 0 or not training:
            y, what = dropout(x, p, training, inplace), f"p={p}, training={training}"
            assert y is x, f"{what}: the input itself must be returned, and nothing drawn"
    assert x.tolist() == before, "nothing is dropped or scaled"


def test_dropout_of_everything_is_zero():
    for inplace in (False, True):
        with np.errstate(all="raise"):
            y = dropout(x := ones(2, 3), 1.0, inplace=inplace)
        assert y.tolist() == [[0.0] * 3] * 2, "p=1: all is zero, and nothing is divided by 0"
        assert (y is x) == inplace, f"p=1, inplace={inplace}: x comes back itself only if True"


def test_dropout_stays_in_its_type():
    for kind in (float16, float32, float64):
        for p in (0.25, 1.0):
            found = dropout(ones(4, dtype=kind), p).dtype
            assert found == kind, f"p={p}: {kind} in, {found} out"


def test_dropout_writes_into_its_input_only_when_told():
    manual_seed(0)
    x, z = ones(8), ones(8)
    dropout(x)
    assert x.tolist() == [1] * 8, "without inplace the input is not changed"
    assert dropout(z, inplace=True) is z, "with inplace the input itself must be returned"
    assert set(z.tolist()) == {0.0, 2.0}, "with inplace the input is changed"


def test_dropout_drops_what_pytorch_drops():
    manual_seed(0)
    expected = np.float32([0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]) / 0.75
    message = "after manual_seed(0), PyTorch 2.13 drops the first, fourth and sixth of twelve"
    y = dropout(ones(12), 0.25).numpy()
    np.testing.assert_allclose(y, expected, rtol=1e-6, err_msg=message)


def test_dropout_is_made_of_operations_that_can_be_differentiated():
    for p in (0.5, 1.0):
        y = dropout(Parameter(ones(4)), p)
        assert y.grad_fn is not None, f"p={p}: no gradient; compute it from the tensor `input`"


# %%
#| export
class Dropout(Module):
    """Zero each element with probability `p` while training, and do nothing otherwise."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


# %% [markdown]
# The layer reads `self.training`, an attribute that every Module has, and `net.eval()` sets it in all of them, at any
# depth. Look at `Module.train` again: it calls each child's own `train`. A layer may have a reason to do something
# else. For example, one whose statistics should stay frozen overrides `train` to stay in evaluation, and a walk over
# `modules()` that set the flag from outside would bypass that.

# %% [markdown]
# ## 8. Layers in a row
#
# Many networks are one layer after another. `Sequential` holds them as children named `"0"`, `"1"`, ... and its
# `forward` passes the output of each to the next. If it gets an `OrderedDict`, the names come from there. Indexing,
# `append`, `insert` and similar methods are inherited, and given.
#
# <details><summary>Hint 1</summary><code>self.add_module(name, module)</code> registers a child, and refuses anything
# that is not a module.</details>
# <details><summary>Hint 2</summary>A single <code>OrderedDict</code> has its own names: <code>args[0].items()</code>.
# Otherwise the names are <code>str(number)</code>, from <code>enumerate(args)</code>.</details>
# <details><summary>Hint 3</summary>In <code>forward</code>, go through <code>self._modules.values()</code>. Call the
# module, not its <code>forward</code>, or its hooks do not run.</details>


# %% stub="sequential"
#| export
class Sequential(ModuleRow):
    """Modules applied one after another: the output of each is the input of the next.

    Args:
        args: modules, which get the names "0", "1", ...; or one OrderedDict, which names them.
            Anything that is no module is refused, by `add_module`.

    >>> Sequential(Linear(2, 3), ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args):
        super().__init__()
        ### BEGIN SOLUTION
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(number), module) for number, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)
        ### END SOLUTION

    def forward(self, input):
        ### BEGIN SOLUTION
        for module in self._modules.values():
            input = module(input)
        return input
        ### END SOLUTION


# %% test="sequential" points=4
class Times(Module):
    """Multiply by a number, then add one: two of these in a row show which came first."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, input):
        return input * self.factor + 1


def test_sequential_applies_its_modules_in_order():
    net = Sequential(Times(2), Times(10))
    x = Tensor([1.0])
    y = net(x)
    assert isinstance(y, Tensor), f"the output is returned, not {y}: is a return missing?"
    assert y.item() == 31, "(1 · 2 + 1) · 10 + 1 is 31: the first module comes first"
    assert Sequential()(x) is x, "no module, no change"
    found = [row(x).item() for row in (Sequential(net[0], net[0]), net.append(net[0]))]
    assert found == [7, 63], f"the first twice: 7; and appended, 31 · 2 + 1: 63; not {found}"


def test_sequential_registers_its_modules():
    first, second = Linear(2, 3), Linear(3, 1)
    net = Sequential(first, ReLU(), second)
    assert list(net._modules) == ["0", "1", "2"], f"not 0, 1, 2, but {list(net._modules)}"
    assert net[0] is first, "the modules themselves are the children"
    assert len(list(net.parameters())) == 4, "the parameters of the modules are the network's"


def test_sequential_takes_names_from_an_ordered_dict():
    net = Sequential(OrderedDict(small=Times(2), large=Times(10)))
    names = list(net._modules)
    assert names == ["small", "large"], f"the names of the OrderedDict, not {names}"
    assert net(Tensor([1.0])).item() == 31, "(1 · 2 + 1) · 10 + 1 is 31: `small` comes first"


def test_sequential_calls_its_modules():
    class Counted(Times):
        calls = 0

        def __call__(self, *args):
            self.calls += 1
            return super().__call__(*args)

    counted = Counted(2)
    Sequential(counted)(ones(1))
    assert counted.calls == 1, "module(input), not module.forward(input), so that hooks run"


def test_sequential_refuses_what_is_no_module():
    with pytest.raises(TypeError, match="not a Module subclass"):
        Sequential(Linear(2, 3), F.relu)


def test_sequential_refuses_a_dict_that_is_no_ordered_dict():
    with pytest.raises(TypeError, match="not a Module subclass"):
        Sequential({"first": Linear(2, 3)})


def test_sequential_refuses_an_ordered_dict_beside_others():
    with pytest.raises(TypeError, match="not a Module subclass"):
        Sequential(OrderedDict(first=Linear(2, 3)), ReLU())


# %% [markdown]
# ### Your own block
# If the layers are not in a row, write a Module: its children are attributes, and its `forward` says how they are
# connected. The connection that made very deep networks trainable is one addition (He et al., *Deep Residual Learning
# for Image Recognition*, 2016): a block computes a *change* to its input, and adds it.
#
# $$y = x + \mathrm{dropout}\bigl(W_2\, \mathrm{relu}(W_1 x + b_1) + b_2\bigr)$$
#
# ```text
#   x --+--> expand --> relu --> contract --> dropout --> + --> y
#       `-------------------------------------------------'
# ```
#
# One half of a transformer layer looks like this block; `width` stays the same from block to block, `hidden` is often
# four times as large.
#
# <details><summary>Hint 1</summary>Three children in the constructor, made of the layers above. A rectifier has no
# parameters and no mode: <code>F.relu</code> is enough.</details>
# <details><summary>Hint 2</summary>Call the children, not their <code>forward</code>: hooks, and the mode of dropout,
# depend on it.</details>
# <details><summary>Hint 3</summary><code>x + ...</code> makes a new tensor. <code>x += ...</code> would change the
# input, which may still be needed elsewhere.</details>


# %% stub="residual-block"
#| export
class ResidualBlock(Module):
    """y = x + dropout(contract(relu(expand(x)))), for x (..., width).

    Args:
        width: the size of the input and of the output.
        hidden: the size in between.
        p: the probability that dropout drops an element of the change.

    Its children are `expand` (width to hidden) and `contract` (hidden to width), both Linear
    with a bias, and `dropout`, in this order; the block calls them, so that hooks run.

    >>> len(list(ResidualBlock(8, 32).parameters()))
    4
    """

    def __init__(self, width, hidden, p=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.expand, self.contract = Linear(width, hidden), Linear(hidden, width)
        self.dropout = Dropout(p)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return x + self.dropout(self.contract(F.relu(self.expand(x))))
        ### END SOLUTION


# %% test="residual-block" points=4
def test_a_block_has_its_layers_as_children():
    for p, block in ((0.25, ResidualBlock(3, 5, p=0.25)), (0.0, ResidualBlock(3, 5))):
        inplace = "inplace=True" in repr(block)  # as you like: the change is the block's own
        layers = map(repr, (Linear(3, 5), Linear(5, 3), Dropout(p, inplace)))
        wanted = list(zip(("expand", "contract", "dropout"), layers))
        found = [(name, repr(child)) for name, child in block.named_children()]
        assert found == wanted, f"the children are {wanted}, not {found}"


def test_a_block_adds_a_change_to_its_input():
    for lead in ((), (4,), (2, 3)):
        block, x = ResidualBlock(3, 5), randn(*lead, 3)
        before = x.numpy().copy()
        (W1, b1), (W2, b2) = (
            [p.detach().numpy().astype(float) for p in layer.parameters()]
            for layer in (block.expand, block.contract)
        )
        wanted = before + np.maximum(before @ W1.T + b1, 0) @ W2.T + b2
        y = block(x)
        found = x.detach().numpy()
        np.testing.assert_array_equal(found, before, err_msg="the input is not changed")
        message = f"x {(*lead, 3)}: x + contract(relu(expand(x)))"
        found = y.detach().numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=message)
        assert y.grad_fn is not None, "work on tensors, or there is no gradient"


def test_a_block_drops_of_the_change_alone_and_only_while_training():
    block, x = ResidualBlock(3, 5, p=1.0), randn(2, 3)
    found = block(x).tolist()
    assert found == x.tolist(), f"p=1, training: x is left, {x.tolist()}, not {found}"
    changed = np.abs((block.eval()(x) - x).detach().numpy()).max()
    assert changed > 0, f"p=1, evaluation: nothing is dropped, and the change is not {changed}"


def test_a_block_calls_its_children():
    block, called = ResidualBlock(3, 5), []
    for name, child in block._modules.items():
        heard = lambda self, x, name=name: called.append(name) or self.forward(x)
        child.__class__ = type(name, (type(child),), {"__call__": heard})
    block(randn(2, 3))
    wanted = ["expand", "contract", "dropout"]
    assert called == wanted, f"children are called, for their hooks: {wanted}, not {called}"


# %% [markdown]
# What does the addition change? Take fifty `Linear` layers with rectifiers, and fifty blocks, both with PyTorch's
# initial weights: how much of the difference between two inputs is left at the end?
#
# **Predict:** which share of the difference is left after the fifty plain layers, and after the fifty blocks?

# %%
predicted_plain = None  # the difference at the end over that of the inputs
predicted_blocks = None

# %%
manual_seed(0)
a, b = randn(64, 256), randn(64, 256)
plain = Sequential(*[layer for _ in range(50) for layer in (Linear(256, 256), ReLU())])
blocks = Sequential(*[ResidualBlock(256, 256) for _ in range(50)])
left = []
for name, net in {"before": Sequential(), "50 layers": plain, "50 blocks": blocks}.items():
    left.append((net(a) - net(b)).square().mean().sqrt().item())
    print(f"{name:10} root mean square {left[-1]:.2g}")
compare(predicted_plain, left[1] / left[0])
compare(predicted_blocks, left[2] / left[0])
net = Sequential(Flatten(), Linear(784, 128), ReLU(), Dropout(0.2), Linear(128, 10))

# %% [markdown]
# After fifty plain layers two inputs cannot be distinguished: the 2e-9 that are left are float32's rounding (in float64
# 4e-18 were left), and question 3 asks how fast that happens. The blocks pass the difference on.
#
# ## 9. Saving, and loading
#
# Everything that a network has learned is its `state_dict`: the parameters and buffers, by name, in a dictionary. Names
# rather than positions, so that a stored network can be loaded into another program.
#
# The values share the module's memory, detached: nothing is copied. That makes the dictionary cheap, but it is also a
# trap, which *Break it* shows. Two kinds are left out: members that are None, and buffers that were registered with
# `persistent=False`, which can be recomputed.
#
# Here a tied parameter, or a child that appears in two places, is listed under *each* of its names, unlike in section
# 4: a file without one of the names would not match PyTorch's model.
#
# <details><summary>Hint 1</summary>First the module's own parameters, then its own buffers, each under
# <code>prefix + name</code>; then the children.</details>
# <details><summary>Hint 2</summary>A child fills the same dictionary, with <code>keep_vars</code> passed on and its
# name added to the prefix. The prefix already ends with a dot, and so must the child's.</details>
# <details><summary>Hint 3</summary><code>_parameters</code> and <code>_buffers</code> are dictionaries, and go in this
# order; skip what is None, and the names in <code>module._non_persistent_buffers_set</code>. What is stored is
# detached, unless <code>keep_vars</code>.</details>


# %% stub="state-dict"
#| export
def collect_state(module, destination, prefix, keep_vars):
    """Add the parameters and persistent buffers of a module, and of all below it, to a dict.

    Args:
        module: a Module.
        destination: the dictionary, filled in place: own parameters, own buffers, then the
            children, each by its own `state_dict(destination=..., prefix=..., keep_vars=...)`.
        prefix: what to put before each name: "" at the top, "body." for a child of that name.
        keep_vars: store the tensors themselves; otherwise detached ones, of the same memory.

    >>> net = Sequential(Linear(2, 3), ReLU())
    >>> list(net.state_dict())
    ['0.weight', '0.bias']
    """
    ### BEGIN SOLUTION
    for name, tensor in {**module._parameters, **module._buffers}.items():
        if tensor is not None and name not in module._non_persistent_buffers_set:
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
    for name, child in module._modules.items():
        if child is not None:
            path = f"{prefix}{name}."
            child.state_dict(destination=destination, prefix=path, keep_vars=keep_vars)
    ### END SOLUTION


# %% test="state-dict" points=4
def with_state():
    """A module with a parameter, three kinds of buffers, and a shared child."""
    net, child = Module(), Module()
    net.weight = Parameter(ones(2))
    net.register_buffer("mean", zeros(2))
    net.register_buffer("scratch", zeros(2), persistent=False)
    net.register_buffer("nothing", None)
    child.weight = net.weight
    child.register_parameter("bias", None)
    child.register_buffer("steps", zeros(()))
    net.child, net.empty, net.twin = child, Module(), child
    net.empty = None
    return net


def test_state_dict_lists_parameters_and_persistent_buffers():
    names = list(with_state().state_dict())
    expected = ["weight", "mean", "child.weight", "child.steps", "twin.weight", "twin.steps"]
    assert names == expected, f"own parameters, own buffers, children: {expected}, not {names}"
    net, one = Module(), zeros(1)
    net._parameters.update(a=(tied := Parameter(one)), b=tied)
    net._buffers.update(c=one, d=one)
    names = list(net.state_dict())
    assert names == [*"abcd"], f"net.b is net.a, net.d is net.c: a, b, c, d, not {names}"


def test_state_dict_shares_memory():
    net = with_state()
    net.state_dict()["weight"].zero_()
    assert (net.weight.detach().numpy() == 0).all(), "a value is the memory itself, not a copy"


def test_state_dict_values_need_no_gradient():
    net = with_state()
    net.mean.requires_grad_(True)
    for name, value in net.state_dict().items():
        assert not value.requires_grad, f"{name}: the values are detached, a child's too"
    kept = net.state_dict(keep_vars=True)
    assert kept["weight"] is net.weight, "keep_vars: the parameters themselves"
    child = kept.get("child.weight")
    assert child is net.weight, "keep_vars: for children too, and each name of what is tied"


def test_state_dict_adds_prefixed_names_to_what_it_is_given():
    filled = OrderedDict(other=1)
    found = with_state().state_dict(destination=filled, prefix="model.")
    assert found is filled, "the dictionary that is given is filled and returned"
    own = ["weight", "mean", "child.weight", "child.steps", "twin.weight", "twin.steps"]
    names = ["other", *(f"model.{name}" for name in own)]
    assert list(filled) == names, f"the names are {names}, not {list(filled)}"


def test_state_dict_asks_a_child_for_its_own():
    class Silent(Linear):
        def state_dict(self, *, destination=None, prefix="", keep_vars=False):
            return destination

    names = list(Sequential(Linear(1, 1), Silent(1, 1)).state_dict())
    message = f"a child that overrides state_dict decides what it stores: {names}"
    assert names == ["0.weight", "0.bias"], message


# %% [markdown]
# Loading is the dangerous half. A file that does not match must be refused, with *one* list of everything that is wrong
# in it, so that you do not have to run five times to learn of five errors. And it must be refused before anything has
# been changed; half of an old network in half of a new one may work just well enough to mislead. (PyTorch copies what
# fits, then raises.)
#
# Values are copied *into* the parameters. An optimizer and a tied layer hold references to the Parameter objects, so
# these have to stay the same objects.
#
# These are given: `mismatch(name, tensor, value)`, which says why a value does not fit a tensor, or returns None;
# `refusal(module, missing, unexpected, mismatches)`, the error for two lists of names and one list of such messages, or
# None if all three are empty; `replace_tensor(module, name, value)`, which does what `assign` asks for with one value;
# and `IncompatibleKeys`, which you return.
#
# ```text
# RuntimeError: Error(s) in loading state_dict for Linear:
# 	Missing key(s) in state_dict: "bias".
# 	Unexpected key(s) in state_dict: "beta", "gamma".
# 	size mismatch for weight: copying a param with shape ...
# ```
#
# <details><summary>Hint 1</summary><code>module.state_dict(keep_vars=True)</code> is every name with its tensor. Names
# in only one of the two dictionaries are missing, or unexpected; compare, then copy, those in both.</details>
# <details><summary>Hint 2</summary>First make three lists: missing names, unexpected names, and the mismatches of names
# in both. If not <code>strict</code>, pass empty lists to <code>refusal</code> in place of the first two.</details>
# <details><summary>Hint 3</summary>You cannot write to a parameter that requires a gradient, but to a detached tensor
# with the same memory: <code>tensor.detach().copy_(value)</code>. It also converts the type. With <code>assign</code>,
# call <code>replace_tensor(module, name, value)</code> instead.</details>


# %% stub="load-state-dict"
#| export
def load_state(module, state_dict, strict, assign):
    """Copy tensors into the parameters and buffers of the same names.

    Args:
        module: a Module.
        state_dict: a mapping from names, as `state_dict` gives them, to tensors.
        strict: refuse names that are missing in `state_dict`, or unexpected there.
        assign: take the tensors themselves, by `replace_tensor`, instead of copying values.

    Returns:
        IncompatibleKeys(missing, unexpected): two lists of names, in the order of the module
        and of `state_dict`.

    Raises:
        RuntimeError: lists everything that does not fit: missing names, unexpected names, and,
            strict or not, each mismatch. Nothing is loaded then.

    >>> net = Linear(2, 1)
    >>> net.load_state_dict({"weight": zeros(1, 2), "scale": zeros(1)}, strict=False)
    _IncompatibleKeys(missing_keys=['bias'], unexpected_keys=['scale'])
    """
    ### BEGIN SOLUTION
    own = module.state_dict(keep_vars=True)
    missing = [name for name in own if name not in state_dict]
    unexpected = [name for name in state_dict if name not in own]
    shared = [(name, own[name], state_dict[name]) for name in own if name in state_dict]
    wrong = (missing, unexpected) if strict else ([], [])
    error = refusal(module, *wrong, [mismatch(*each) for each in shared])
    if error is not None:
        raise error
    for name, tensor, value in shared:
        if assign:
            replace_tensor(module, name, value)
        else:
            tensor.detach().copy_(value)
    return IncompatibleKeys(missing, unexpected)
    ### END SOLUTION


# %% test="load-state-dict" points=6
def test_load_state_dict_copies_the_values():
    first, second = (Sequential(Linear(2, 3), Linear(3, 1)) for _ in range(2))
    result = second.load_state_dict(first.state_dict())
    assert tuple(result) == ([], []), "everything fits: nothing is missing, nothing unexpected"
    for (name, a), b in zip(first.named_parameters(), second.parameters(), strict=True):
        a, b = a.detach().numpy(), b.detach().numpy()
        np.testing.assert_array_equal(b, a, err_msg=f"{name} was not loaded")


def test_load_state_dict_keeps_the_parameters():
    layer, state = Linear(2, 1), {"weight": ones(1, 2), "bias": ones(1)}
    weight = layer.weight
    layer.load_state_dict(state)
    assert layer.weight is weight, "it must be the same object: an optimizer refers to it"
    assert weight.requires_grad, "it still requires a gradient"
    state["weight"].fill_(5)
    assert (weight.detach().numpy() == 1).all(), "values are copied: later changes do not show"


def test_load_state_dict_loads_buffers_in_their_type():
    net = with_state()
    net.load_state_dict({**net.state_dict(), "mean": Tensor([3.0, 4.0]).to(float64)})
    assert net.mean.tolist() == [3, 4], "buffers are loaded too"
    assert net.mean.dtype == float32, "float64 values are copied into a float32 buffer"


def test_load_state_dict_lists_all_that_is_wrong_and_changes_nothing():
    shape = "size mismatch for {}: copying a param with shape torch.Size([7]) from "
    shape += "checkpoint, the shape in current model is torch.Size({})."
    other, shape = shape.format("weight", [1, 2]), shape.format("bias", [1])
    weight, bias, beta = {"weight": ones(1, 2)}, {"bias": ones(1)}, {"beta": ones(1)}
    missing, unexpected = (w + " key(s) in state_dict: " for w in ("Missing", "Unexpected"))
    wide, unknown = {"bias": ones(7)}, unexpected + '"beta".'
    cases = (
        (weight, True, [missing + '"bias".']),
        (weight | bias | beta, True, [unknown]),
        (wide | beta, True, [missing + '"weight".', unknown, shape]),
        (weight | wide | beta, False, [shape]),
        ({"weight": ones(7)} | wide, True, [other, shape]),
    )
    for assign, (state, strict, lines) in itertools.product((False, True), cases):
        layer, error = Linear(2, 1), "nothing is raised"
        before = layer.weight.tolist()
        try:
            layer.load_state_dict(state, strict, assign)
        except RuntimeError as raised:
            error = str(raised)
        found, what = [line.strip() for line in error.splitlines()], f"assign={assign}, "
        what += f"strict={strict}, {list(state)}: {lines} is raised, not {found}"
        assert found == ["Error(s) in loading state_dict for Linear:", *lines], what
        assert layer.weight.tolist() == before, f"{lines}: refused, yet the weight was loaded"


def test_load_state_dict_loads_what_fits_when_not_strict():
    layer = Linear(2, 1)
    result = layer.load_state_dict({"weight": ones(1, 2), "scale": ones(1)}, strict=False)
    assert result.missing_keys == ["bias"], f"missing: bias, not {result.missing_keys}"
    unexpected = result.unexpected_keys
    assert unexpected == ["scale"], f"unexpected: scale, not {unexpected}"
    assert (layer.weight.detach().numpy() == 1).all(), "what fits is loaded"
    found = list(layer.load_state_dict({"z": ones(1), "a": ones(1)}, strict=False))
    assert found == [["weight", "bias"], ["z", "a"]], f"in the order of each: not {found}"


def test_load_state_dict_can_take_the_tensors_themselves():
    layer, state = Linear(2, 1), {"weight": ones(1, 2), "bias": ones(1), "mean": ones(1)}
    layer.register_buffer("mean", zeros(1))
    layer.load_state_dict(state, assign=True)
    state["weight"].fill_(5)
    state["mean"].fill_(5)
    found = layer.weight.tolist()
    assert found == [[5, 5]], f"assign=True takes the tensor itself, filled with 5: {found}"
    assert layer.bias.tolist() == [1], f"the bias is [1], not {layer.bias.tolist()}"
    assert isinstance(layer.weight, Parameter), "assign=True: a parameter stays a Parameter"
    assert layer.mean.tolist() == [5], "assign=True takes the tensor itself for a buffer too"


# %% [markdown]
# ## 10. Hooks: looking in without changing the code
#
# You want to know the size of the signal after the third layer of someone else's network. You cannot put a `print` into
# its `forward`. A *hook* is a function that a module calls whenever it runs:
#
# ```text
#   net(x)  -->  pre-hook(module, (x,))  -->  forward  -->  hook(module, (x,), output)  -->  output
#                may replace the inputs                     may replace the output
# ```
#
# A hook that returns None changes nothing. Any other result replaces what it was given; for the inputs that is a tuple,
# or anything else, which stands for a tuple of one. The next hook gets the replaced value.
#
# Registering, which is given, returns a handle, whose `remove()` removes the hook. A hook may remove itself while it
# runs, so the loop must not iterate over the dictionary that it changes.
#
# <details><summary>Hint 1</summary>Three steps: the pre-hooks, which may change <code>args</code>;
# <code>module.forward(*args, **kwargs)</code>; the hooks, which may change the output.</details>
# <details><summary>Hint 2</summary><code>list(module._forward_hooks.values())</code> is a copy of the hooks, in order,
# that does not change while they run.</details>
# <details><summary>Hint 3</summary>What a pre-hook returns, unless it is None, becomes <code>args</code>; wrap anything
# that is not a tuple in one. The hooks afterwards are called with the <code>args</code> that forward got.</details>


# %% stub="hooks"
#| export
def call_with_hooks(module, args, kwargs):
    """Run a module's forward between its hooks.

    Args:
        module: a Module; its hooks are the values of the dictionaries `_forward_pre_hooks` and
            `_forward_hooks`.
        args: the inputs, a tuple; pre-hooks see it and may replace it.
        kwargs: named inputs, which go to forward and to no hook.

    Returns:
        The output, as the last hook left it.

    >>> layer = Flatten()
    >>> handle = layer.register_forward_hook(lambda module, inputs, output: output + 1)
    >>> layer(zeros(1, 2, 2))
    tensor([[1., 1., 1., 1.]])
    """
    ### BEGIN SOLUTION
    for hook in list(module._forward_pre_hooks.values()):
        changed = hook(module, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    output = module.forward(*args, **kwargs)
    for hook in list(module._forward_hooks.values()):
        changed = hook(module, args, output)
        if changed is not None:
            output = changed
    return output
    ### END SOLUTION


# %% test="hooks" points=5
class Scaled(Module):
    """Multiply the first input by the second, a number, and by a named third."""

    def forward(self, x, factor=1.0, *, extra=1.0):
        return x * factor * extra


def test_hooks_see_the_call():
    net, seen, x = Scaled(), [], ones(2)
    net.register_forward_pre_hook(lambda module, inputs: seen.append((module, inputs)))
    net.register_forward_hook(lambda *args: seen.append(args))
    output = net(x, 3.0)
    message = "a hook is called with the module and the tuple of its inputs"
    assert seen[0] == (net, (x, 3.0)), f"before forward, {message}"
    assert seen[1][:2] == (net, (x, 3.0)), f"after forward, {message}"
    assert output is seen[1][2], "a hook gets the output, and leaves it if it returns None"
    assert output.tolist() == [3, 3], "hooks that return None change nothing"


def test_a_pre_hook_may_replace_the_inputs():
    net, seen = Scaled(), []
    first = net.register_forward_pre_hook(lambda module, inputs: (inputs[0] + 1, 10.0))
    net.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].tolist()))
    assert net(ones(2)).tolist() == [20, 20], "forward gets the tuple that a pre-hook returns"
    assert seen == [[2, 2]], "the hooks after forward get the inputs that forward got"
    first.remove()
    net.register_forward_pre_hook(lambda module, inputs: inputs[0] + 4)
    assert net(ones(2)).tolist() == [5, 5], "one value stands for a tuple of one"
    net.register_forward_pre_hook(lambda module, inputs: inputs[0] * 10)
    assert net(ones(2)).tolist() == [50, 50], "(1 + 4) · 10: a chain, like hooks after forward"
    for result, wanted in ((7, (7,)), ([1, 2], ([1, 2],)), ((), ())):
        net = Module()
        net.forward = lambda *inputs: inputs
        net.register_forward_pre_hook(lambda *_, result=result: result)
        assert net(1) == wanted, f"after a pre-hook that returns {result} inputs are {wanted}"


def test_a_hook_may_replace_the_output():
    net = Scaled()
    net.register_forward_hook(lambda module, inputs, output: output + 1)
    net.register_forward_hook(lambda module, inputs, output: output * 10)
    assert net(ones(2)).tolist() == [20, 20], "the second gets the first's result"
    net.register_forward_hook(lambda *_: 0)
    assert net(ones(2)) == 0, "any result but None replaces the output, 0 too"


def test_hooks_run_in_the_order_they_came():
    net, seen = Scaled(), []
    for number in (1, 2):
        before, after = f"before {number}", f"after {number}"
        net.register_forward_pre_hook(lambda *_, text=before: seen.append(text))
        net.register_forward_hook(lambda *_, text=after: seen.append(text))
    net(ones(1))
    wanted = ["before 1", "before 2", "after 1", "after 2"]
    assert seen == wanted, f"in the order in which they were registered: {wanted}, not {seen}"


def test_named_inputs_reach_forward():
    net = Scaled()
    net.register_forward_pre_hook(lambda module, inputs: None)
    assert net(ones(1), extra=7.0).item() == 7, "named inputs go to forward, hooks or no hooks"


def test_a_hook_may_remove_itself():
    net, seen, handles = Scaled(), [], []

    def once(module, inputs, output=None):
        seen.append("ran")
        handles.pop().remove()

    for register_hook in (net.register_forward_hook, net.register_forward_pre_hook):
        handles.append(register_hook(once))
        register_hook(lambda *args: None)
        net(ones(1))
        net(ones(1))
    assert seen == ["ran", "ran"], f"each removed itself after one call: {len(seen)} calls"


# %% [markdown]
# ### A table of every layer
#
# Hooks can show what a model does. `summary(model, input_size)` runs it once on zeros and prints a table: the output
# shape of each layer, its number of parameters, and their bytes. You write the part that collects this; the table is
# given.
#
# There is a row for each call of a module that either has its own parameters or has no children: a `Linear`, a `ReLU`,
# but not the `Sequential` around them, whose parameters would be counted twice. A parameter is counted in the first row
# in which it appears; so a tied layer's second row says 0.

# %%
#| export
from tinytorch.given.layers.full_calls import *

Row = namedtuple("Row", ["name", "layer", "shape", "parameters", "bytes"])


def shape_of(output):
    """The shape of a module's output, or of the first of several, as a tuple."""
    return tuple((output[0] if isinstance(output, tuple | list) else output).shape)


# %% [markdown]
# <details><summary>Hint 1</summary>One function serves as the hook of all modules: it gets the module it runs in. For
# the name, make a dictionary from modules to names beforehand:
# <code>{module: name for name, module in model.named_modules()}</code>.</details>
# <details><summary>Hint 2</summary>A set of the counted parameters shows which are new.
# <code>module.parameters(recurse=False)</code> are a module's own; a parameter has <code>numel()</code> elements in
# <code>nbytes</code> bytes.</details>
# <details><summary>Hint 3</summary>The model may raise an error. Run it in <code>try</code>, and remove the hooks in
# <code>finally</code>, or they stay in it forever.</details>


# %% stub="summary"
#| export
def layer_rows(model, *inputs):
    """Run a model, and record the output shape and the parameters of every layer.

    Args:
        model: a Module.
        inputs: what the model is called with.

    Returns:
        A list of Row, one for each call of a module that has its own parameters or no
        children, in the order in which these calls ended: its `name` in the model, its class's
        name as `layer`, the `shape` of its output by `shape_of`, number and bytes of those own
        `parameters` of it that are in no earlier row.

    No hook is left in the model, even if it raises an error.

    >>> layer_rows(Sequential(Linear(2, 3), ReLU()), zeros(1, 2))[0]
    Row(name='0', layer='Linear', shape=(1, 3), parameters=9, bytes=36)
    """
    ### BEGIN SOLUTION
    rows, counted = [], set()
    names = {module: name for name, module in model.named_modules()}

    def note(module, inputs, output):
        own = [p for p in module.parameters(recurse=False) if p not in counted]
        counted.update(own)
        numbers, size = sum(p.numel() for p in own), sum(p.nbytes for p in own)
        rows.append(Row(names[module], type(module).__name__, shape_of(output), numbers, size))

    watched = [module for module in names if module._parameters or not module._modules]
    handles = [module.register_forward_hook(note) for module in watched]
    try:
        model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return rows
    ### END SOLUTION


# %% test="summary" points=5
def test_summary_has_a_row_for_each_layer():
    net = Sequential(Flatten(), Sequential(Linear(12, 5), ReLU()), Linear(5, 2, bias=False))
    rows = layer_rows(net, zeros(7, 3, 4))
    expected = [
        ("0", "Flatten", (7, 12), 0, 0),
        ("1.0", "Linear", (7, 5), 65, 260),
        ("1.1", "ReLU", (7, 5), 0, 0),
        ("2", "Linear", (7, 2), 10, 40),
    ]
    for row, wanted in itertools.zip_longest(map(tuple, rows), expected):
        assert row == wanted, f"expected the row {wanted}, found {row}"
    both = Module()
    both.forward = lambda x, y: (y, x)
    rows = layer_rows(both, zeros(2), zeros(7, 1))
    assert rows == [("", "Module", (7, 1), 0, 0)], f"two inputs, two outputs: {rows}"


def test_summary_counts_bytes_of_every_type_and_tied_parameters_once():
    frozen = Linear(3, 2).double().requires_grad_(False)
    found = [row.bytes for row in layer_rows(frozen, zeros(1, 3, dtype=float64))]
    assert found == [64], f"one row: 8 numbers of float64, not trained, 64 bytes, not {found}"
    net = Sequential(Linear(3, 3), ReLU(), Linear(3, 3))
    net[2].weight = net[0].weight
    counts = [(row.parameters, row.bytes) for row in layer_rows(net, zeros(1, 3))]
    wanted = [(12, 48), (0, 0), (3, 12)]
    assert counts == wanted, f"the third's weight is the first's: {wanted}, not {counts}"


def test_summary_has_a_row_for_each_call():
    layer = Linear(3, 3)
    rows = layer_rows(Sequential(layer, layer), zeros(1, 3))
    assert [row.parameters for row in rows] == [12, 0], "called twice, counted once"
    names = [row.name for row in rows]
    assert names == ["0", "0"], f"the name is the one under which it is found: not {names}"


def test_summary_sees_what_a_parent_holds_itself():
    class Shifted(Module):
        def __init__(self):
            super().__init__()
            self.inner, self.shift = Linear(2, 2), Parameter(zeros(2))

        def forward(self, x):
            return self.inner(x) + self.shift

    class Used(Shifted):
        def forward(self, x):
            return x @ self.inner.weight + self.shift

    for kind, first in ((Shifted, [("inner", "Linear", 6)]), (Used, [])):
        rows = layer_rows(kind(), zeros(1, 2))
        found = [(row.name, row.layer, row.parameters) for row in rows]
        wanted = [*first, ("", kind.__name__, 2)]
        assert found == wanted, (
            f"a parent's own parameters, not its child's: {wanted}, {found}"
        )


def test_summary_leaves_no_hook_behind_and_takes_none_away():
    net = Sequential(Linear(3, 3), Linear(3, 3))
    net[0].register_forward_hook(lambda *_: None)
    layer_rows(net, zeros(1, 3))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        layer_rows(net, zeros(1, 4))
    left = [len(module._forward_hooks) for module in net.modules()]
    assert left == [0, 1, 0], f"hooks left, after an error too: {left}; net[0] had its own"


# %%
#| export
from tinytorch.given.layers.layer_table import *
from tinytorch.given.layers.builder import *

# %%
summary(net, (32, 28, 28))

# %% [markdown]
# ## 11. Systems: what a layer costs
#
# How long does `Linear(784, 256)` take? It must read its weights, and for each example it multiplies and adds once per
# weight. So with one example each number that is read is used once; with 256 examples, 256 times.
#
# **Predict:** how many times as long as one example do 256 examples take?

# %%
predicted_batch = None  # the time of a batch of 256 over that of a batch of 1


# %%
def best_of(run, number=1):
    """The shortest of 200 measurements, in seconds: what else the computer does only adds."""
    return min(timeit.repeat(run, number=number, repeat=200)) / number


layer = Linear(784, 256).requires_grad_(False)
taken = {}
print("batch       µs  µs an example  GFLOP/s  GB/s of weights")
for batch in (1, 4, 16, 64, 256, 1024):
    x = randn(batch, 784)
    seconds = taken[batch] = best_of(lambda x=x: layer(x))
    gflop, read = 2e-9 * batch * layer.weight.numel(), 1e-9 * layer.weight.nbytes
    each = f"{seconds / batch * 1e6:15.2f}{gflop / seconds:9.1f}{read / seconds:17.1f}"
    print(f"{batch:5}{seconds * 1e6:9.1f}{each}")
compare(predicted_batch, taken[256] / taken[1], "times")

# %% [markdown]
# One example is bound by memory: every weight that is read is used once, and the layer takes as long as the reading
# does (from the processor's cache here, if 804 kB fit into it). With more examples the same bytes serve them all, and
# the time per example falls until the arithmetic units are busy; after that the arithmetic takes the time, and the last
# column falls. That is why networks are trained in batches, why writing text for one user leaves a GPU's arithmetic
# units mostly idle, and why `Affine` makes one product of all leading dimensions. Module 14 draws this as a roofline.
#
# ## 12. Break it
#
# ### A program to fix
# A network can be trained without gradients, though badly: change all of its weights a little at random, go back to the
# best ones if the error is not smaller, and repeat. The next cell does that with a tower of layers, which first gets a
# new head for a new question. It runs without an error.


# %%
class Tower(Module):
    def __init__(self, width, depth, outputs):
        super().__init__()
        self.layers = [Linear(width, width) for _ in range(depth)]
        self.head = Linear(width, outputs)

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.head(x)


def random_search(tower, outputs, error, steps, size=0.05):
    moved = list(tower.parameters())
    tower.head = Linear(tower.head.in_features, outputs)
    best, least = tower.state_dict(), error(tower)
    for _ in range(steps):
        for parameter in moved:
            parameter.data.add_(randn(*parameter.shape), alpha=size)
        now = error(tower)
        if now < least:
            best, least = tower.state_dict(), now
        else:
            tower.load_state_dict(best)
    return least


def try_search(steps):
    """The least error according to the search, and the error that the tower then has."""
    manual_seed(0)
    x, tower = randn(64, 8), Tower(8, 2, outputs=3)
    target = x.square().mean(1, keepdim=True)
    error = lambda net: (net(x) - target).square().mean().item()
    least = random_search(tower, 1, error, steps)
    print(f"{steps:3} steps: said {least:.3f}, is {error(tower):.3f}")


for steps in (0, 300):
    try_search(steps)

# %% [markdown]
# After three hundred steps not a digit has changed. The program has three mistakes in four lines, and raises no error;
# when the first is fixed, others begin to show. Look at the tower from outside: which names does it have, which tensors
# are changed, are two objects the same, what is stored? Then write the corrected program here, and call `try_search`
# again: the two numbers should be equal, and below 0.3.
#
# <details><summary>Hint 1</summary>Print <code>[name for name, _ in Tower(8, 2, 3).named_parameters()]</code>. How many
# layers does the tower have?</details>
# <details><summary>Hint 2</summary>After the head has been replaced, is there a tensor in <code>moved</code> that
# <code>is</code> <code>tower.head.weight</code>?</details>
# <details><summary>Hint 3</summary>Keep <code>tower.state_dict()</code>, call <code>fill_</code> on a parameter, and
# look at what you kept. <code>clone()</code> copies a tensor.</details>


# %% stub="mend-search"
#| export
class Tower(Module):
    """Layers with rectifiers after them, and a head.

    Args:
        width: the size of the input and of each layer.
        depth: how many layers there are; their names are layers.0, layers.1, ...
        outputs: how many numbers the head gives.
    """

    def __init__(self, width, depth, outputs):
        super().__init__()
        ### BEGIN SOLUTION
        self.layers = ModuleList(Linear(width, width) for _ in range(depth))
        self.head = Linear(width, outputs)
        ### END SOLUTION

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.head(x)


#| export
def random_search(tower, outputs, error, steps, size=0.05):
    """Give a tower a new head; change all its weights at random, and keep the best.

    Args:
        tower: a Tower; in the end it has the first weights with the least error found.
        outputs: how many numbers the new head gives.
        error: called with the tower at the start and after each move; gives a number.
        steps: how many moves are tried, each from the best weights so far.
        size: the deviation of a move, for every number of every parameter.

    Returns:
        The least error.
    """
    ### BEGIN SOLUTION
    tower.head = Linear(tower.head.in_features, outputs)
    moved = list(tower.parameters())
    best, least = copy.deepcopy(tower.state_dict()), error(tower)
    for _ in range(steps):
        for parameter in moved:
            parameter.data.add_(randn(*parameter.shape), alpha=size)
        now = error(tower)
        if now < least:
            best, least = copy.deepcopy(tower.state_dict()), now
        else:
            tower.load_state_dict(best)
    return least
    ### END SOLUTION


# %% test="mend-search" points=5
def searched(errors, size=0.05):
    """A tower after a search whose errors are these, the least error, and the weights met."""
    manual_seed(0)
    tower, met, calls = Tower(4, 2, 3), [], len(errors)
    often = f"error is called at the start and after each of {calls - 1} moves"

    def error(tower):
        assert len(met) < calls, f"{often}, not more often"
        met.append({name: p.detach().numpy().copy() for name, p in tower.named_parameters()})
        return errors[len(met) - 1]

    least = random_search(tower, 2, error, calls - 1, size)
    heads = [weights["head.weight"].shape for weights in met]
    assert heads == [(2, 4)] * calls, f"{often}, with the new head (2, 4): {heads}"
    return tower, least, met


def test_the_tower_has_all_its_layers():
    found = [(name, tuple(p.shape)) for name, p in Tower(4, 2, 3).named_parameters()]
    wanted = [("layers.0.weight", (4, 4)), ("layers.0.bias", (4,))]
    wanted += [("layers.1.weight", (4, 4)), ("layers.1.bias", (4,))]
    wanted += [("head.weight", (3, 4)), ("head.bias", (3,))]
    assert found == wanted, f"two layers and a head: {wanted}, not {found}"


def test_the_search_moves_every_weight_of_the_tower_that_is_there():
    for size in (0.05, 0.5):
        tower, _, (before, after, *_, last) = searched([2.0, 1.0] + [3.0] * 9, size)
        assert tower(zeros(5, 4)).shape == (5, 2), "the new head gives the outputs asked for"
        for name in before:
            moved = np.abs(after[name] - before[name])
            assert (moved > 0).all(), f"a move changes every number of {name}"
            assert np.ptp(moved) > size / 1e4, f"{name}: a draw for each number, not for all"
            again = np.allclose(np.abs(last[name] - after[name]), moved, atol=size / 1e4)
            assert not again, f"{name}: each move is drawn anew"
        for what, old, new in (("first", before, after), ("last, from the best", after, last)):
            moves = np.concatenate([(new[name] - old[name]).ravel() for name in before])
            message = f"the deviation of the {what} of ten moves with size={size}"
            np.testing.assert_allclose(moves.std(), size, rtol=0.4, err_msg=message)


def test_the_search_ends_with_the_best_that_it_met():
    for errors in ([5, 3, 4, 2, 6, 7], [1, 2, 3], [3, 2, 1], [3, 2, 2], [4]):
        tower, least, met = searched(errors)
        assert least == min(errors), f"of {errors} the least is {min(errors)}, not {least}"
        best = met[errors.index(least)]
        for name, parameter in tower.named_parameters():
            message = f"errors {errors}: {name} must be as it was at the first {least}"
            found = parameter.detach().numpy()
            np.testing.assert_allclose(found, best[name], 1e-5, 1e-6, err_msg=message)


# %% [markdown]
# ## 13. In PyTorch
#
# The same lines, with `torch` in place of your framework, give the same numbers and the same text:
#
# ```python
# import torch
# from torch import nn
#
# torch.manual_seed(0)
# net = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 10))
# print(net)
# print(net.eval()(torch.rand(32, 28, 28)).shape)
# net.load_state_dict(net.state_dict())
# ```
#
# ## 14. Questions
#
# 1. `net.parameters()` yields a tied weight once, `net.state_dict()` twice. Why is each right where it is?
#
#    <details><summary>Answer</summary>
#
#    `parameters()` is for whoever changes or counts tensors. An optimizer that got the weight twice would step twice
#    with the same gradient, and a count would be too large. `state_dict()` is for programs that look names up: a file
#    must have every name of the model, because the model that loads it may not tie the two, or may be PyTorch's, which
#    lists both names and would report one as missing. Both names lead to the same memory, so nothing is copied; a file
#    format that notices this stores it once.
#
#    ```python
#    tied = Sequential(Linear(4, 4, bias=False), Linear(4, 4, bias=False))
#    tied[1].weight = tied[0].weight
#    print(len(list(tied.parameters())), list(tied.state_dict()))
#    ```
#
#    </details>
#
# 2. `layer.weight = tensor` is refused for a plain tensor, `layer.weight = None` is not. What would go wrong if the
#    first were allowed?
#
#    <details><summary>Answer</summary>
#
#    The layer would compute with a tensor that is not trained. An optimizer made earlier holds the old `Parameter` and
#    would go on changing that, which nobody uses; one made later would get a tensor that requires no gradient. No error
#    would be raised: the loss would just not fall because of this layer. None says that there is no bias or weight, and
#    `forward` knows that case. To replace the numbers, copy them in, `layer.weight.data.copy_(tensor)`; to replace the
#    parameter, say so: `layer.weight = Parameter(tensor)`.
#
#    ```python
#    try:
#        Linear(2, 2).weight = zeros(2, 2)
#    except TypeError as error:
#        print(error)
#    ```
#
#    </details>
#
# 3. PyTorch's `Linear` starts with a deviation of $1/\sqrt{3n}$. By what factor does a signal shrink over ten such
#    layers with rectifiers between them? Why do networks train even so?
#
#    <details><summary>Answer</summary>
#
#    The mean square is multiplied by $n\sigma^2 = 1/3$, and by $1/2$ in the rectifier: $6^{-10}$ over ten layers, so
#    the signal shrinks by $6^{-5} = 1/7776$. Without biases, 20 seeds at width 256 gave 1/7606 (geometric mean). With
#    them the signal does not vanish, for the biases add their own 0.03 in each layer, but what *distinguishes two
#    inputs* shrinks like that: to 8e-5 in ten layers. Networks train even so since most have few plain layers in a row
#    (three lose a factor of 15), since normalisation or residual connections restore the scale, and since Adam (module
#    07) divides by the size of the gradients.
#
#    </details>
#
# 4. Dropout scales in training. It could also scale when the network is used. What are the arguments for each?
#
#    <details><summary>Answer</summary>
#
#    Scaling in training leaves the network in use untouched: no multiplication, no $p$ to know, the same weights in any
#    other program, and $p$ may change during training. It costs nothing, since the mask holds $1/(1-p)$ in place of 1.
#    Scaling in use, as in the original paper, keeps training a plain product with zeros and ones, but every program
#    that uses the weights must know $p$, or they have to be multiplied by $1 - p$ once. Neither preserves more than the
#    mean. With $p = 0.5$ the mean square of the numbers doubles in training, and statistics that are taken then, as in
#    batch normalisation, do not fit later.
#
#    ```python
#    y = dropout(ones(1_000_000), 0.5, True)
#    print(y.mean().item(), y.square().mean().item())
#    ```
#
#    </details>
#
# 5. `load_state_dict` copies into parameters. When is `assign=True` useful, which takes the tensors themselves?
#
#    <details><summary>Answer</summary>
#
#    When the file should decide, not the model: a float16 weight stays float16, where a copy would convert it to the
#    parameter's float32. And when memory is short: a copy needs the model's tensors and the file's at once, twice the
#    size of the model; assigned ones replace them, so that a model may even be built without any memory first
#    (PyTorch's device `meta`). The price is that the Parameter objects are new. An optimizer that was made before holds
#    the old ones, ties between parameters are lost, and the model shares its memory with the dictionary.
#
#    ```python
#    layer = Linear(2, 2)
#    weight, halves = layer.weight, {name: x.half() for name, x in layer.state_dict().items()}
#    for assign in (False, True):
#        layer.load_state_dict(halves, assign=assign)
#        print(layer.weight.dtype, layer.weight is weight)
#    ```
#
#    </details>
#
# ## 15. To read
#
# - X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010,
#   section 4.2: the argument of section 5, for signals and gradients.
# - K. He, X. Zhang, S. Ren and J. Sun, "Delving Deep into Rectifiers", ICCV 2015, section 2.2: the same with
#   rectifiers, in a page.
# - N. Srivastava, G. Hinton, A. Krizhevsky, I. Sutskever and R. Salakhutdinov, "Dropout: A Simple Way to Prevent Neural
#   Networks from Overfitting", JMLR 15, 2014, section 2: why it should help.
# - K. He, X. Zhang, S. Ren and J. Sun, "Deep Residual Learning for Image Recognition", CVPR 2016, section 3: the
#   addition, and what it does to very deep networks.
# - D. Mishkin and J. Matas, "All you need is a good init", ICLR 2016: the idea behind the open problem below.
#
# ## 16. An open problem
#
# The formulas of section 5 assume independent numbers and a known nonlinearity. You have hooks, so you can measure
# instead: send a batch through any network and, layer by layer, divide each `Linear`'s weight and bias by the size of
# its output, so that every output has root mean square 1. The order matters, because each layer sees what those before
# it made. Write `calibrate`; it should work for a network that you did not write, and leave no hook behind.


# %%
def calibrate(net, x):
    """Scale each Linear in a network so that its outputs for x have root mean square 1."""
    raise NotImplementedError


def check_calibrate():
    manual_seed(0)
    x = randn(256, 64)
    net = Sequential(*[layer for _ in range(20) for layer in (Linear(64, 64), ReLU())])
    nested = Sequential(net, ResidualBlock(64, 128), Linear(64, 10))
    calibrate(nested, x)
    assert not any(module._forward_hooks for module in nested.modules()), "a hook is left"
    sizes = []
    for module in nested.modules():
        if isinstance(module, Linear):
            module.register_forward_hook(lambda _, inputs, y: sizes.append(size_of(y)))
    nested(x)
    np.testing.assert_allclose(sizes, 1, rtol=0.01)


try:
    check_calibrate()
    print("every layer has outputs of size 1")
except NotImplementedError:
    print("not built yet")


# %% [markdown]
# ## What comes next
# Module 04 says how wrong a network's answers are, as one number. Module 06 computes in which direction each of the
# parameters has to change to make it smaller, and module 07 changes them. Modules 09 to 13 add layers, each with its
# own `forward`.
