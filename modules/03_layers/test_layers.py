"""Tests of module 03, which `make release 3` makes from layers.py."""

import itertools
import math
import warnings
from collections import OrderedDict

import numpy as np
import pytest

import tinytorch.activations as F
from tinytorch.layers import (
    Affine,
    Buffer,
    Dropout,
    Flatten,
    Linear,
    Module,
    ModuleList,
    Parameter,
    ReLU,
    ResidualBlock,
    Sequential,
    Tower,
    dropout,
    kaiming_uniform_,
    layer_rows,
    linear,
    random_search,
)
from tinytorch.tensor import (
    Context,
    Generator,
    Tensor,
    empty,
    float16,
    float32,
    float64,
    manual_seed,
    ones,
    rand,
    randn,
    zeros,
)


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


@pytest.mark.stub("linear-forward", points=6)
def test_linear_is_a_weighted_sum_for_each_unit():
    y = linear(Tensor([[1.0, 10.0]]), Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    assert y == [[21, 43]], f"(1, 10) by the rows (1, 2) and (3, 4) is 21 and 43, not {y}"
    for kind in (np.float32, np.float64):
        compare_affine(drawn(2, 3, kind=kind), drawn(4, 3, kind=kind), drawn(4, kind=kind))
        compare_affine(drawn(2, 3, kind=kind), drawn(3, 3, kind=kind))


@pytest.mark.stub("linear-forward", points=6)
def test_linear_keeps_leading_dimensions():
    for lead in ((), (2,), (2, 4), (2, 1, 3), (0,), (2, 0)):
        compare_affine(drawn(*lead, 3), drawn(5, 3), drawn(5))
        compare_affine(drawn(*lead, 0), drawn(5, 0), drawn(5))  # nothing is summed


@pytest.mark.stub("linear-forward", points=6)
def test_linear_takes_inputs_that_do_not_lie_in_one_piece():
    for x in (drawn(2, 4), drawn(3, 2, 4).swapaxes(0, 1)):
        compare_affine(x, drawn(4, 5).T)


@pytest.mark.stub("linear-forward", points=6)
def test_linear_saves_its_inputs_themselves():
    ctx, x, weight = Context(), np.ones((2, 3, 4), np.float32), np.ones((5, 4), np.float32)
    Affine.forward(ctx, x, weight, np.ones(5, np.float32))
    own = {id(x): "x", id(weight): "weight"}
    saved = [own.get(id(t), f"an array {np.shape(t)}") for t in ctx.saved_tensors]
    message = f"x {x.shape} and weight {weight.shape} themselves are saved, in this order"
    assert saved == ["x", "weight"], message


@pytest.mark.stub("register", points=6)
def test_register_sorts_by_kind():
    net = Module()
    net.weight, net.part, net.size, net.seen = Parameter(zeros(2)), Module(), 3, zeros(2)
    assert list(net._parameters) == ["weight"], "a Parameter, and only that, is in _parameters"
    assert list(net._modules) == ["part"], "a Module goes to _modules, and nothing else does"
    assert not net._buffers, "a Tensor that is not a Buffer is not state"
    assert net.size == 3, "an int is an ordinary attribute"
    assert "size" in vars(net), "an int stays in the instance's own dictionary"
    assert not {"weight", "part"} & set(vars(net)), "what is registered is not in __dict__ too"


@pytest.mark.stub("register", points=6)
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


@pytest.mark.stub("register", points=6)
def test_register_keeps_a_buffer_a_buffer():
    for old in (zeros(2), None):
        net, new = Module(), ones(2)
        net.register_buffer("mean", old)
        net.mean = new
        what = f"the buffer net.mean was {old}, then a tensor"
        assert net._buffers.get("mean") is new, f"{what}, which must be the buffer now"
        assert "mean" not in vars(net), f"{what}, which is no ordinary attribute"


@pytest.mark.stub("register", points=6)
def test_register_keeps_the_name_of_what_becomes_none():
    net = Module()
    net.bias, net.part = Parameter(zeros(2)), Module()
    net.bias = net.part = None
    assert net._parameters == {"bias": None}, "net.bias = None keeps the name, with None"
    assert net._modules == {"part": None}, "net.part = None keeps the name, with None"
    assert net.bias is None, "net.bias was set to None, and is found as None"


@pytest.mark.stub("register", points=6)
def test_register_replaces_in_place():
    for make, place in ((lambda: Parameter(ones(1)), "_parameters"), (Module, "_modules")):
        net, second = Module(), make()
        net.a, net.b = make(), make()
        net.a = second
        names = list(getattr(net, place))
        assert names == ["a", "b"], f"what is replaced keeps its position in {place}: {names}"
        assert net.a is second, "net.a is the second value that was assigned to it"


@pytest.mark.stub("register", points=6)
def test_register_leaves_properties_to_python():
    class Doubled(Module):
        factor = property(lambda s: s.half * 2, lambda s, x: setattr(s, "half", x / 2))

    net = Doubled()
    net.factor = 6
    assert net.half == 3, "an ordinary value goes through object.__setattr__: a property's too"


def tree(**children):
    """A Module with these children."""
    module = Module()
    module._modules.update(children)
    return module


@pytest.mark.stub("named-modules", points=4)
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


@pytest.mark.stub("named-modules", points=4)
def test_named_modules_begins_with_the_prefix_and_passes_over_none():
    net = tree(a=None, body=tree(first=tree()), row=ModuleList())
    names = [name for name, _ in net.named_modules(prefix="net")]
    expected = ["net", "net.body", "net.body.first", "net.row"]
    assert names == expected, f'prefix "net", a is None, row is empty: {expected}, not {names}'


@pytest.mark.stub("named-modules", points=4)
def test_named_modules_finds_a_shared_module_once():
    shared = tree(inner=tree())
    net = tree(a=shared, b=tree(again=shared), c=shared)
    names = [name for name, _ in net.named_modules()]
    assert names == ["", "a", "a.inner", "b"], f"a, b.again and c are one module: {names}"
    for what, memo, wanted in (("a", {shared}, ["", "b"]), ("the module itself", {net}, [])):
        names = [name for name, _ in net.named_modules(memo)]
        assert names == wanted, f"{what} is in memo, and left out: {wanted}, not {names}"


@pytest.mark.stub("named-modules", points=4)
def test_named_modules_shows_duplicates_when_asked():
    shared, memo = tree(inner=tree()), set()
    walk = tree(a=shared, b=shared).named_modules(memo, remove_duplicate=False)
    names, expected = [name for name, _ in walk], ["", "a", "a.inner", "b", "b.inner"]
    assert names == expected, f"remove_duplicate=False: {expected}, not {names}"
    assert len(memo) == 0, f"remove_duplicate=False: memo stays empty, without {memo}"


def tied():
    """The network of the picture: `head.weight` is `body.weight`; two others are None."""
    net, body, head = Module(), Module(), Module()
    weight = Parameter(ones(2, 2))
    body._parameters.update(weight=weight, none=None, bias=Parameter(zeros(2)))
    head._parameters.update(weight=weight, bias=None)
    net._parameters.update(scale=Parameter(ones(2)))
    net._modules.update(body=body, head=head)
    return net


@pytest.mark.stub("named-members", points=5)
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


@pytest.mark.stub("named-members", points=5)
def test_named_parameters_tells_equal_values_from_the_same_tensor():
    net, values = tied(), ones(2)
    net._parameters.update(bias=Parameter(values), other=Parameter(values))
    names = [name for name, _ in net.named_parameters()]
    wanted = ["scale", "bias", "other", "body.weight", "body.bias"]
    assert names == wanted, f"equal values, yet parameters of their own: {wanted}, not {names}"


@pytest.mark.stub("named-members", points=5)
def test_named_parameters_shows_duplicates_when_asked():
    net, body = tied(), ["body.weight", "body.bias"]
    net._modules["again"] = net._modules["body"]
    more = ["head.weight", "again.weight", "again.bias"]
    for remove, expected in ((True, ["scale", *body]), (False, ["scale", *body, *more])):
        names = [name for name, _ in net.named_parameters(remove_duplicate=remove)]
        message = f"body appears twice, remove_duplicate={remove}: {expected}, not {names}"
        assert names == expected, message


@pytest.mark.stub("named-members", points=5)
def test_named_parameters_begins_with_the_prefix():
    for recurse, expected in (
        (True, ["net.scale", "net.body.weight", "net.body.bias"]),
        (False, ["net.scale"]),
    ):
        walk = tied().named_parameters(prefix="net", recurse=recurse)
        names = [name for name, _ in walk]
        assert names == expected, f"recurse={recurse}: {expected}, not {names}"


@pytest.mark.stub("named-members", points=5)
def test_named_buffers_reads_the_buffers():
    net = tied()
    net._modules["body"]._buffers["mean"] = mean = zeros(2)
    assert list(net.named_buffers()) == [("body.mean", mean)], "buffers are in _buffers"


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


@pytest.mark.stub("kaiming-uniform", points=4)
def test_kaiming_keeps_the_signal_behind_rectifiers():
    check_kaiming((300, 200), math.sqrt(2) * math.sqrt(3 / 200))
    check_kaiming((300, 200), math.sqrt(2) * math.sqrt(3 / 200), nonlinearity="relu")


@pytest.mark.stub("kaiming-uniform", points=4)
def test_kaiming_takes_the_fan_that_the_mode_names():
    check_kaiming((300, 20), math.sqrt(2) * math.sqrt(3 / 300), mode="fan_out")
    check_kaiming((64, 8, 3, 3), math.sqrt(2) * math.sqrt(3 / 72))  # of a convolution


@pytest.mark.stub("kaiming-uniform", points=4)
def test_kaiming_takes_the_gain_of_what_follows():
    check_kaiming((300, 200), math.sqrt(3 / 200), nonlinearity="linear")
    check_kaiming((300, 200), math.sqrt(2 / (1 + 0.25)) * math.sqrt(3 / 200), a=0.5)


@pytest.mark.stub("kaiming-uniform", points=4)
def test_kaiming_gives_the_numbers_of_pytorch():
    expected = [[-0.01058796, 0.75864577, -1.1639615], [-1.0407749, -0.5446905, 0.37923178]]
    for options in ({"nonlinearity": "relu"}, {"a": 0}):
        manual_seed(0)
        weight = kaiming_uniform_(empty(2, 3), **options).numpy()
        message = f"after manual_seed(0), PyTorch 2.13 fills a (2, 3) with these, {options}"
        np.testing.assert_allclose(weight, expected, rtol=1e-5, err_msg=message)


@pytest.mark.stub("kaiming-uniform", points=4)
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


@pytest.mark.stub("linear-layer", points=5)
def test_linear_has_two_parameters():
    layer = Linear(3, 4)
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight", "bias"], "weight and bias are Parameters"
    weight, bias = tuple(layer.weight.shape), tuple(layer.bias.shape)
    assert weight == (4, 3), f"Linear(3, 4): the weight is (4, 3), not {weight}"
    assert bias == (4,), f"Linear(3, 4): the bias is (4,), not {bias}"
    assert layer.weight.requires_grad, "the weight requires a gradient"
    assert layer.bias.requires_grad, "the bias requires a gradient"


@pytest.mark.stub("linear-layer", points=5)
def test_linear_without_bias_has_none():
    layer = Linear(3, 4, bias=False)
    assert layer.bias is None, "bias=False: layer.bias is None"
    assert "bias" in layer._parameters, "bias=False: `_parameters` keeps the name, with None"
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight"], f"bias=False: weight is the only parameter, not {names}"


@pytest.mark.stub("linear-layer", points=5)
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


@pytest.mark.stub("linear-layer", points=5)
def test_linear_can_draw_again():
    layer = Linear(3, 2)
    weight, before = layer.weight, layer.weight.detach().numpy().copy()
    layer.reset_parameters()
    assert layer.weight is weight, "reset_parameters fills the existing parameters"
    same = (before == weight.detach().numpy()).sum()
    assert same == 0, f"it draws new numbers, and {same} of 6 are the old ones"


@pytest.mark.stub("linear-layer", points=5)
def test_linear_takes_a_type_and_a_device():
    layer = Linear(3, 2, dtype=float64)
    kinds = {p.dtype for p in layer.parameters()}
    assert kinds == {float64}, "dtype=float64: both parameters are float64"
    with pytest.raises(RuntimeError, match="mps"):  # `empty` refuses it
        Linear(3, 2, bias=False, device="mps")


@pytest.mark.stub("linear-layer", points=5)
def test_linear_with_no_inputs_has_only_its_bias():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there is no weight to fill, and a warning says so
        layer = Linear(0, 2)
    y = layer(zeros(3, 0)).tolist()
    assert y == [[0, 0]] * 3, f"Linear(0, 2): nothing is summed, and its bias is 0; not {y}"


@pytest.mark.stub("dropout", points=5)
def test_dropout_decides_for_each_element():
    manual_seed(0)
    kept = dropout(ones(50, 60), 0.5).numpy() != 0
    for what, dim in (("rows", 1), ("columns", 0)):
        assert kept.mean(axis=dim).std() < 0.2, f"whole {what} are kept or dropped together"


@pytest.mark.stub("dropout", points=5)
def test_dropout_zeroes_a_share_and_scales_the_rest():
    manual_seed(0)
    for p in (0.1, 0.5, 0.9):
        y = dropout(ones(200, 100), p).numpy()
        share = (y == 0).mean()
        assert share == pytest.approx(p, abs=0.015), f"p={p}: the share that is set to zero"
        message = f"p={p}: what is kept is 1 / (1 - p) as large"
        np.testing.assert_allclose(y[y != 0], 1 / (1 - p), rtol=1e-5, err_msg=message)


@pytest.mark.stub("dropout", points=5)
def test_dropout_does_nothing_when_not_training():
    x = randn(3, 4)
    before = x.tolist()
    for p, training, inplace in itertools.product((0.5, 0, 1), (False, True), (False, True)):
        if p == 0 or not training:
            y, what = dropout(x, p, training, inplace), f"p={p}, training={training}"
            assert y is x, f"{what}: the input itself must be returned, and nothing drawn"
    assert x.tolist() == before, "nothing is dropped or scaled"


@pytest.mark.stub("dropout", points=5)
def test_dropout_of_everything_is_zero():
    for inplace in (False, True):
        with np.errstate(all="raise"):
            y = dropout(x := ones(2, 3), 1.0, inplace=inplace)
        assert y.tolist() == [[0.0] * 3] * 2, "p=1: all is zero, and nothing is divided by 0"
        assert (y is x) == inplace, f"p=1, inplace={inplace}: x comes back itself only if True"


@pytest.mark.stub("dropout", points=5)
def test_dropout_stays_in_its_type():
    for kind in (float16, float32, float64):
        for p in (0.25, 1.0):
            found = dropout(ones(4, dtype=kind), p).dtype
            assert found == kind, f"p={p}: {kind} in, {found} out"


@pytest.mark.stub("dropout", points=5)
def test_dropout_writes_into_its_input_only_when_told():
    manual_seed(0)
    x, z = ones(8), ones(8)
    dropout(x)
    assert x.tolist() == [1] * 8, "without inplace the input is not changed"
    assert dropout(z, inplace=True) is z, "with inplace the input itself must be returned"
    assert set(z.tolist()) == {0.0, 2.0}, "with inplace the input is changed"


@pytest.mark.stub("dropout", points=5)
def test_dropout_drops_what_pytorch_drops():
    manual_seed(0)
    expected = np.float32([0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]) / 0.75
    message = "after manual_seed(0), PyTorch 2.13 drops the first, fourth and sixth of twelve"
    y = dropout(ones(12), 0.25).numpy()
    np.testing.assert_allclose(y, expected, rtol=1e-6, err_msg=message)


@pytest.mark.stub("dropout", points=5)
def test_dropout_is_made_of_operations_that_can_be_differentiated():
    for p in (0.5, 1.0):
        y = dropout(Parameter(ones(4)), p)
        assert y.grad_fn is not None, f"p={p}: no gradient; compute it from the tensor `input`"


class Times(Module):
    """Multiply by a number, then add one: two of these in a row show which came first."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, input):
        return input * self.factor + 1


@pytest.mark.stub("sequential", points=4)
def test_sequential_applies_its_modules_in_order():
    net = Sequential(Times(2), Times(10))
    x = Tensor([1.0])
    y = net(x)
    assert isinstance(y, Tensor), f"the output is returned, not {y}: is a return missing?"
    assert y.item() == 31, "(1 · 2 + 1) · 10 + 1 is 31: the first module comes first"
    assert Sequential()(x) is x, "no module, no change"
    found = [row(x).item() for row in (Sequential(net[0], net[0]), net.append(net[0]))]
    assert found == [7, 63], f"the first twice: 7; and appended, 31 · 2 + 1: 63; not {found}"


@pytest.mark.stub("sequential", points=4)
def test_sequential_registers_its_modules():
    first, second = Linear(2, 3), Linear(3, 1)
    net = Sequential(first, ReLU(), second)
    assert list(net._modules) == ["0", "1", "2"], f"not 0, 1, 2, but {list(net._modules)}"
    assert net[0] is first, "the modules themselves are the children"
    assert len(list(net.parameters())) == 4, "the parameters of the modules are the network's"


@pytest.mark.stub("sequential", points=4)
def test_sequential_takes_names_from_an_ordered_dict():
    net = Sequential(OrderedDict(small=Times(2), large=Times(10)))
    names = list(net._modules)
    assert names == ["small", "large"], f"the names of the OrderedDict, not {names}"
    assert net(Tensor([1.0])).item() == 31, "(1 · 2 + 1) · 10 + 1 is 31: `small` comes first"


@pytest.mark.stub("sequential", points=4)
def test_sequential_calls_its_modules():
    class Counted(Times):
        calls = 0

        def __call__(self, *args):
            self.calls += 1
            return super().__call__(*args)

    counted = Counted(2)
    Sequential(counted)(ones(1))
    assert counted.calls == 1, "module(input), not module.forward(input), so that hooks run"


@pytest.mark.stub("sequential", points=4)
def test_sequential_refuses_what_is_no_module():
    with pytest.raises(TypeError, match="not a Module subclass"):
        Sequential(Linear(2, 3), F.relu)


@pytest.mark.stub("sequential", points=4)
def test_sequential_refuses_a_dict_that_is_no_ordered_dict():
    with pytest.raises(TypeError, match="not a Module subclass"):
        Sequential({"first": Linear(2, 3)})


@pytest.mark.stub("sequential", points=4)
def test_sequential_refuses_an_ordered_dict_beside_others():
    with pytest.raises(TypeError, match="not a Module subclass"):
        Sequential(OrderedDict(first=Linear(2, 3)), ReLU())


@pytest.mark.stub("residual-block", points=4)
def test_a_block_has_its_layers_as_children():
    for p, block in ((0.25, ResidualBlock(3, 5, p=0.25)), (0.0, ResidualBlock(3, 5))):
        inplace = "inplace=True" in repr(block)  # as you like: the change is the block's own
        layers = map(repr, (Linear(3, 5), Linear(5, 3), Dropout(p, inplace)))
        wanted = list(zip(("expand", "contract", "dropout"), layers))
        found = [(name, repr(child)) for name, child in block.named_children()]
        assert found == wanted, f"the children are {wanted}, not {found}"


@pytest.mark.stub("residual-block", points=4)
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


@pytest.mark.stub("residual-block", points=4)
def test_a_block_drops_of_the_change_alone_and_only_while_training():
    block, x = ResidualBlock(3, 5, p=1.0), randn(2, 3)
    found = block(x).tolist()
    assert found == x.tolist(), f"p=1, training: x is left, {x.tolist()}, not {found}"
    changed = np.abs((block.eval()(x) - x).detach().numpy()).max()
    assert changed > 0, f"p=1, evaluation: nothing is dropped, and the change is not {changed}"


@pytest.mark.stub("residual-block", points=4)
def test_a_block_calls_its_children():
    block, called = ResidualBlock(3, 5), []
    for name, child in block._modules.items():
        heard = lambda self, x, name=name: called.append(name) or self.forward(x)
        child.__class__ = type(name, (type(child),), {"__call__": heard})
    block(randn(2, 3))
    wanted = ["expand", "contract", "dropout"]
    assert called == wanted, f"children are called, for their hooks: {wanted}, not {called}"


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


@pytest.mark.stub("state-dict", points=4)
def test_state_dict_lists_parameters_and_persistent_buffers():
    names = list(with_state().state_dict())
    expected = ["weight", "mean", "child.weight", "child.steps", "twin.weight", "twin.steps"]
    assert names == expected, f"own parameters, own buffers, children: {expected}, not {names}"
    net, one = Module(), zeros(1)
    net._parameters.update(a=(tied := Parameter(one)), b=tied)
    net._buffers.update(c=one, d=one)
    names = list(net.state_dict())
    assert names == [*"abcd"], f"net.b is net.a, net.d is net.c: a, b, c, d, not {names}"


@pytest.mark.stub("state-dict", points=4)
def test_state_dict_shares_memory():
    net = with_state()
    net.state_dict()["weight"].zero_()
    assert (net.weight.detach().numpy() == 0).all(), "a value is the memory itself, not a copy"


@pytest.mark.stub("state-dict", points=4)
def test_state_dict_values_need_no_gradient():
    net = with_state()
    net.mean.requires_grad_(True)
    for name, value in net.state_dict().items():
        assert not value.requires_grad, f"{name}: the values are detached, a child's too"
    kept = net.state_dict(keep_vars=True)
    assert kept["weight"] is net.weight, "keep_vars: the parameters themselves"
    child = kept.get("child.weight")
    assert child is net.weight, "keep_vars: for children too, and each name of what is tied"


@pytest.mark.stub("state-dict", points=4)
def test_state_dict_adds_prefixed_names_to_what_it_is_given():
    filled = OrderedDict(other=1)
    found = with_state().state_dict(destination=filled, prefix="model.")
    assert found is filled, "the dictionary that is given is filled and returned"
    own = ["weight", "mean", "child.weight", "child.steps", "twin.weight", "twin.steps"]
    names = ["other", *(f"model.{name}" for name in own)]
    assert list(filled) == names, f"the names are {names}, not {list(filled)}"


@pytest.mark.stub("state-dict", points=4)
def test_state_dict_asks_a_child_for_its_own():
    class Silent(Linear):
        def state_dict(self, *, destination=None, prefix="", keep_vars=False):
            return destination

    names = list(Sequential(Linear(1, 1), Silent(1, 1)).state_dict())
    message = f"a child that overrides state_dict decides what it stores: {names}"
    assert names == ["0.weight", "0.bias"], message


@pytest.mark.stub("load-state-dict", points=6)
def test_load_state_dict_copies_the_values():
    first, second = (Sequential(Linear(2, 3), Linear(3, 1)) for _ in range(2))
    result = second.load_state_dict(first.state_dict())
    assert tuple(result) == ([], []), "everything fits: nothing is missing, nothing unexpected"
    for (name, a), b in zip(first.named_parameters(), second.parameters(), strict=True):
        a, b = a.detach().numpy(), b.detach().numpy()
        np.testing.assert_array_equal(b, a, err_msg=f"{name} was not loaded")


@pytest.mark.stub("load-state-dict", points=6)
def test_load_state_dict_keeps_the_parameters():
    layer, state = Linear(2, 1), {"weight": ones(1, 2), "bias": ones(1)}
    weight = layer.weight
    layer.load_state_dict(state)
    assert layer.weight is weight, "it must be the same object: an optimizer refers to it"
    assert weight.requires_grad, "it still requires a gradient"
    state["weight"].fill_(5)
    assert (weight.detach().numpy() == 1).all(), "values are copied: later changes do not show"


@pytest.mark.stub("load-state-dict", points=6)
def test_load_state_dict_loads_buffers_in_their_type():
    net = with_state()
    net.load_state_dict({**net.state_dict(), "mean": Tensor([3.0, 4.0]).to(float64)})
    assert net.mean.tolist() == [3, 4], "buffers are loaded too"
    assert net.mean.dtype == float32, "float64 values are copied into a float32 buffer"


@pytest.mark.stub("load-state-dict", points=6)
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


@pytest.mark.stub("load-state-dict", points=6)
def test_load_state_dict_loads_what_fits_when_not_strict():
    layer = Linear(2, 1)
    result = layer.load_state_dict({"weight": ones(1, 2), "scale": ones(1)}, strict=False)
    assert result.missing_keys == ["bias"], f"missing: bias, not {result.missing_keys}"
    unexpected = result.unexpected_keys
    assert unexpected == ["scale"], f"unexpected: scale, not {unexpected}"
    assert (layer.weight.detach().numpy() == 1).all(), "what fits is loaded"
    found = list(layer.load_state_dict({"z": ones(1), "a": ones(1)}, strict=False))
    assert found == [["weight", "bias"], ["z", "a"]], f"in the order of each: not {found}"


@pytest.mark.stub("load-state-dict", points=6)
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


class Scaled(Module):
    """Multiply the first input by the second, a number, and by a named third."""

    def forward(self, x, factor=1.0, *, extra=1.0):
        return x * factor * extra


@pytest.mark.stub("hooks", points=5)
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


@pytest.mark.stub("hooks", points=5)
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


@pytest.mark.stub("hooks", points=5)
def test_a_hook_may_replace_the_output():
    net = Scaled()
    net.register_forward_hook(lambda module, inputs, output: output + 1)
    net.register_forward_hook(lambda module, inputs, output: output * 10)
    assert net(ones(2)).tolist() == [20, 20], "the second gets the first's result"
    net.register_forward_hook(lambda *_: 0)
    assert net(ones(2)) == 0, "any result but None replaces the output, 0 too"


@pytest.mark.stub("hooks", points=5)
def test_hooks_run_in_the_order_they_came():
    net, seen = Scaled(), []
    for number in (1, 2):
        before, after = f"before {number}", f"after {number}"
        net.register_forward_pre_hook(lambda *_, text=before: seen.append(text))
        net.register_forward_hook(lambda *_, text=after: seen.append(text))
    net(ones(1))
    wanted = ["before 1", "before 2", "after 1", "after 2"]
    assert seen == wanted, f"in the order in which they were registered: {wanted}, not {seen}"


@pytest.mark.stub("hooks", points=5)
def test_named_inputs_reach_forward():
    net = Scaled()
    net.register_forward_pre_hook(lambda module, inputs: None)
    assert net(ones(1), extra=7.0).item() == 7, "named inputs go to forward, hooks or no hooks"


@pytest.mark.stub("hooks", points=5)
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


@pytest.mark.stub("summary", points=5)
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


@pytest.mark.stub("summary", points=5)
def test_summary_counts_bytes_of_every_type_and_tied_parameters_once():
    frozen = Linear(3, 2).double().requires_grad_(False)
    found = [row.bytes for row in layer_rows(frozen, zeros(1, 3, dtype=float64))]
    assert found == [64], f"one row: 8 numbers of float64, not trained, 64 bytes, not {found}"
    net = Sequential(Linear(3, 3), ReLU(), Linear(3, 3))
    net[2].weight = net[0].weight
    counts = [(row.parameters, row.bytes) for row in layer_rows(net, zeros(1, 3))]
    wanted = [(12, 48), (0, 0), (3, 12)]
    assert counts == wanted, f"the third's weight is the first's: {wanted}, not {counts}"


@pytest.mark.stub("summary", points=5)
def test_summary_has_a_row_for_each_call():
    layer = Linear(3, 3)
    rows = layer_rows(Sequential(layer, layer), zeros(1, 3))
    assert [row.parameters for row in rows] == [12, 0], "called twice, counted once"
    names = [row.name for row in rows]
    assert names == ["0", "0"], f"the name is the one under which it is found: not {names}"


@pytest.mark.stub("summary", points=5)
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
        assert found == wanted, f"a parent's own parameters, not its child's: {wanted}, {found}"


@pytest.mark.stub("summary", points=5)
def test_summary_leaves_no_hook_behind_and_takes_none_away():
    net = Sequential(Linear(3, 3), Linear(3, 3))
    net[0].register_forward_hook(lambda *_: None)
    layer_rows(net, zeros(1, 3))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        layer_rows(net, zeros(1, 4))
    left = [len(module._forward_hooks) for module in net.modules()]
    assert left == [0, 1, 0], f"hooks left, after an error too: {left}; net[0] had its own"


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


@pytest.mark.stub("mend-search", points=5)
def test_the_tower_has_all_its_layers():
    found = [(name, tuple(p.shape)) for name, p in Tower(4, 2, 3).named_parameters()]
    wanted = [("layers.0.weight", (4, 4)), ("layers.0.bias", (4,))]
    wanted += [("layers.1.weight", (4, 4)), ("layers.1.bias", (4,))]
    wanted += [("head.weight", (3, 4)), ("head.bias", (3,))]
    assert found == wanted, f"two layers and a head: {wanted}, not {found}"


@pytest.mark.stub("mend-search", points=5)
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


@pytest.mark.stub("mend-search", points=5)
def test_the_search_ends_with_the_best_that_it_met():
    for errors in ([5, 3, 4, 2, 6, 7], [1, 2, 3], [3, 2, 1], [3, 2, 2], [4]):
        tower, least, met = searched(errors)
        assert least == min(errors), f"of {errors} the least is {min(errors)}, not {least}"
        best = met[errors.index(least)]
        for name, parameter in tower.named_parameters():
            message = f"errors {errors}: {name} must be as it was at the first {least}"
            found = parameter.detach().numpy()
            np.testing.assert_allclose(found, best[name], 1e-5, 1e-6, err_msg=message)
