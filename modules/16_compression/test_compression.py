"""Tests of module 16, which `make release 16` makes from compression.py."""

import copy

import numpy as np
import pytest

from tinytorch.autograd import no_grad
from tinytorch.compression import (
    BasePruningMethod,
    LoRALinear,
    PruningContainer,
    PruningSchedule,
    RandomUnstructured,
    adapter_state,
    add_adapters,
    custom_from_mask,
    distillation_loss,
    factorize,
    find_ticket,
    global_unstructured,
    is_pruned,
    kmeans,
    l1_unstructured,
    magnitude_mask,
    masked_out,
    pareto_front,
    put_masks,
    remove,
    rewind,
    select_inputs,
    select_outputs,
    strongest_units,
)
from tinytorch.conv import BatchNorm1d, Conv2d
from tinytorch.layers import Flatten, Linear, Parameter, ReLU, Sequential, zeros_
from tinytorch.optimizers import SGD
from tinytorch.quantization import Int4Linear
from tinytorch.tensor import Tensor, manual_seed, tensor


def drawn(*shape, seed=0, dtype=np.float32):
    """Random numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def same(found, wanted, message=""):
    """Compare arrays, number by number."""
    np.testing.assert_array_equal(found, wanted, err_msg=message)


def check_mask(scores, count):
    order = sorted(np.ndindex(scores.shape), key=lambda place: abs(float(scores[place])))
    wanted = np.ones(scores.shape)
    for place in order[:count]:
        wanted[place] = 0
    kept = scores.copy()
    found = magnitude_mask(scores, count)
    shown = f" of {scores.tolist()}" if scores.size < 9 else ""
    kind = "" if scores.flags.c_contiguous else " (a transposed or reversed view)"
    about = f"shape {scores.shape}{kind}, the {count} smallest magnitudes{shown} go"
    same(scores, kept, "`scores` belong to the caller")
    assert found.shape == scores.shape, f"{about}: the mask has shape {found.shape}"
    assert found.dtype == scores.dtype, f"{about}: {scores.dtype}, not {found.dtype}"
    zeros = int((found == 0).sum())
    assert zeros == count, f"{about}: {zeros} zeros in the mask, {count} are wanted"
    same(found, wanted, about)


@pytest.mark.stub("magnitude-mask", points=4)
def test_the_smallest_of_all_elements_go():
    check_mask(np.float32([[9, -6, 7], [0.25, -8, 0.125]]), 2)
    for step in (1, -1):
        check_mask(np.float32([4e-25, -1e-25, 3e-25, 2e-25])[::step], 2)
    for shape, count in [((4, 5), 7), ((5, 4), 12), ((30,), 11), ((2, 3, 2, 2), 9)]:
        check_mask(drawn(*shape, seed=count), count)
    check_mask(drawn(3, 4, dtype=np.float64), 5)
    check_mask(np.array([1 + 1e-12, 1.0]), 1)  # which float32 cannot tell apart
    check_mask(drawn(6, 5).T, 8)


@pytest.mark.stub("magnitude-mask", points=4)
def test_none_or_all_may_go():
    for count in (0, 1, 11, 12):
        check_mask(drawn(3, 4, seed=1), count)


@pytest.mark.stub("magnitude-mask", points=4)
def test_of_equal_elements_only_as_many_go_as_wanted():
    for size, count in [(1, 1), (1, 2), (1, 4), (0, 0), (0, 2), (0, 4)]:
        scores = np.float32([[size, -size, size], [size, 2, -size]])
        zeros = magnitude_mask(scores, count) == 0
        found = f"{int(zeros.sum())} zeros, {zeros.tolist()}"
        message = f"five elements of {scores.tolist()} are equal and {count} go; found {found}"
        assert zeros.sum() == count, message
        assert not zeros[1, 1], f"the 2 is larger than the others and stays; found {found}"


class Fixed(BasePruningMethod):
    """For these tests: a method without its own rule."""

    def compute_mask(self, t, default_mask):
        return default_mask


def masked_linear(mask, name="weight", seed=1):
    """A Linear with a mask on a parameter, the method, and the parameter."""
    layer = Linear(np.shape(mask)[-1], 2)
    layer.weight.array[...] = drawn(*layer.weight.shape, seed=seed)
    layer.bias.array[...] = drawn(2, seed=seed + 1)
    method, parameter = Fixed(), getattr(layer, name)
    method._tensor_name = name
    method.put_on(layer, tensor(np.float32(mask)))
    return layer, method, parameter


MASK = [[1, 0, 1], [0, 1, 1]]


@pytest.mark.stub("masked-parameter", points=9)
def test_a_parameter_becomes_the_original_and_a_mask():
    layer, _, parameter = masked_linear(MASK)
    names = [name for name, _ in layer.named_parameters()]
    assert sorted(names) == ["bias", "weight_orig"], f"bias and weight_orig, not {names}"
    assert layer.weight_orig is parameter, "weight_orig is the same object: optimizers hold it"
    message = "weight_orig keeps all of its numbers, masked ones too"
    same(parameter.array, drawn(2, 3, seed=1), message)
    buffers = [name for name, _ in layer.named_buffers()]
    assert buffers == ["weight_mask"], f"the only buffer is weight_mask, not {buffers}"
    saved = sorted(layer.state_dict())
    wanted = ["bias", "weight_mask", "weight_orig"]
    assert saved == wanted, f"{wanted} are saved, not {saved}"
    same(layer.weight_mask.numpy(), MASK, "weight_mask")
    assert not layer.weight_mask.requires_grad, "the mask is not trained"


@pytest.mark.stub("masked-parameter", points=9)
def test_the_weight_is_the_product_at_once_and_before_each_forward():
    layer, _, parameter = masked_linear(MASK)
    wanted = parameter.array * np.float32(MASK)
    same(layer.weight.detach().numpy(), wanted, "at once")
    assert not isinstance(layer.weight, Parameter), "weight is a Tensor, not a Parameter"
    assert layer.weight.requires_grad, "at once it is a product through which gradients pass"
    parameter.array += 1
    wanted, x = parameter.array * np.float32(MASK), drawn(4, 3)
    np.testing.assert_allclose(
        layer(tensor(x)).detach().numpy(),
        x @ wanted.T + layer.bias.detach().numpy(),
        rtol=1e-5,
        atol=1e-6,
        err_msg="weight_orig has changed: forward uses the new product, by a forward pre-hook",
    )
    same(layer.weight.detach().numpy(), wanted, "afterwards")


@pytest.mark.stub("masked-parameter", points=9)
def test_gradients_reach_what_is_left_and_nothing_else():
    layer, _, parameter = masked_linear(MASK)
    x, cotangent = drawn(5, 3, seed=4), drawn(5, 2, seed=5)
    for _ in range(2):  # a second step needs a graph of its own
        parameter.grad = None
        layer(tensor(x)).backward(tensor(cotangent))
        assert parameter.grad is not None, "weight_orig has a gradient after backward"
        wanted, found = (cotangent.T @ x) * np.float32(MASK), parameter.grad.numpy()
        message = "the gradient is gᵀ x where the mask is 1, and 0 elsewhere"
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=message)


@pytest.mark.stub("masked-parameter", points=9)
def test_pruned_elements_stay_zero_while_an_optimizer_works():
    layer, _, _ = masked_linear(MASK)
    optimizer = SGD(layer.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
    for step in range(4):
        optimizer.zero_grad()
        (layer(tensor(drawn(6, 3, seed=step))) ** 2).sum().backward()
        optimizer.step()
    layer(tensor(drawn(1, 3)))
    zeros = layer.weight.detach().numpy()[np.equal(MASK, 0)]
    same(zeros, 0, "zeros hold during training")


@pytest.mark.stub("masked-parameter", points=9)
def test_other_names_and_types_work():
    layer, _, parameter = masked_linear([1, 0], name="bias")
    assert layer.bias_orig is parameter, "put_on acts on the named parameter: bias_orig"
    same(layer.bias.detach().numpy(), parameter.array * [1, 0])
    layer, method, _ = masked_linear(MASK)
    layer.weight_mask = tensor(np.array(MASK, np.float64))
    found = method.apply_mask(layer)
    message = "weight_orig is float32, its mask float64, and the product"
    assert str(found.dtype) == "torch.float32", f"{message} float32, not {found.dtype}"
    layer = Linear(3, 2).half()
    method.put_on(layer, tensor(np.float32(MASK)))
    found = layer.weight.dtype
    assert str(found) == "torch.float16", f"weight_orig is float16, weight {found}"


@pytest.mark.stub("masked-parameter", points=9)
def test_weight_and_bias_of_a_layer_have_masks_of_their_own():
    layer, masks = Linear(3, 2).double().eval(), {"weight": MASK, "bias": [0, 1]}
    parameters, methods = dict(layer.named_parameters()), {name: Fixed() for name in masks}
    for name, method in methods.items():
        method._tensor_name = name
        method.put_on(layer, tensor(np.float32(masks[name])))
        parameters[name].array += 1
    hooks = list(layer._forward_pre_hooks.values())
    assert len(hooks) == 2, f"a hook for the weight and one for the bias, not {len(hooks)}"
    own = [method in hooks for method in methods.values()]
    assert own == [True, True], f"the methods themselves (`self`) are the hooks: {own}"
    layer(tensor(drawn(4, 3, dtype=np.float64)))
    for name, mask in masks.items():
        found, wanted = getattr(layer, name).detach().numpy(), parameters[name].array * mask
        assert found.dtype == wanted.dtype, f"{name}_orig is float64, {name} {found.dtype}"
        same(
            found,
            wanted,
            f"{name} must be recomputed before a forward in evaluation mode, too",
        )
    methods["bias"].remove(layer)
    found, wanted = sorted(layer.state_dict()), ["bias", "weight_mask", "weight_orig"]
    assert found == wanted, f"without the mask of the bias: {wanted}, not {found}"
    assert methods["weight"] in layer._forward_pre_hooks.values(), "the weight's hook stays"


@pytest.mark.stub("masked-parameter", points=9)
def test_a_second_mask_takes_the_place_of_the_first():
    layer, method, parameter = masked_linear(MASK)
    layer._forward_pre_hooks.clear()
    before, second = parameter.array.copy(), np.float32([[1, 1, 0], [0, 0, 1]])
    method.put_on(layer, tensor(second))
    assert layer.weight_orig is parameter, "weight_orig stays the same object"
    same(parameter.array, before, "its numbers stay the same, too")
    same(layer.weight.detach().numpy(), before * second, "the second mask alone counts")
    hooks = len(layer._forward_pre_hooks)
    assert hooks == 1, f"with the first hook removed, a second put_on registers one hook, not {hooks}"
    first, layer = tensor(np.float32(MASK)), Linear(3, 2)
    for mask in (first, tensor(second)):
        method.put_on(layer, mask)
    same(first.numpy(), MASK, "the first mask's numbers stay: another layer may have it, too")


@pytest.mark.stub("masked-parameter", points=9)
def test_removing_makes_a_parameter_with_zeros():
    layer, method, parameter = masked_linear(MASK)
    parameter.array += 1  # as an optimizer would, with no forward after it
    wanted = parameter.array * np.float32(MASK)
    method.remove(layer)
    kept = method in layer._forward_pre_hooks.values()
    assert kept, "the method's `remove` leaves its hook: its caller removes that"
    layer._forward_pre_hooks.clear()
    names = sorted(layer.state_dict())
    assert names == ["bias", "weight"], f"bias and weight are left, not {names}"
    again = layer.weight is parameter
    assert again, "`remove` must give back the same object that was the parameter before"
    same(parameter.detach().numpy(), wanted, "zeros in it")
    assert layer.weight.requires_grad, "the parameter can be trained, as before pruning"
    assert "weight" not in vars(layer), "the Tensor that was called weight is deleted"


@pytest.mark.stub("masked-parameter", points=9)
def test_removing_keeps_the_type():
    layer, method = Linear(3, 2), Fixed()
    method._tensor_name = "weight"
    method.put_on(layer, tensor(np.float64(MASK)))
    method.remove(layer)
    kind = layer.weight.array.dtype
    assert kind == np.float32, f"float32 with a float64 mask becomes float32 again, not {kind}"


@pytest.mark.stub("masked-parameter", points=9)
def test_a_frozen_parameter_stays_frozen():
    layer, method = Linear(3, 2).requires_grad_(False), Fixed()
    method._tensor_name = "weight"
    method.put_on(layer, tensor(np.float32(MASK)))
    assert not layer.weight_orig.requires_grad, "frozen before, weight_orig is frozen too"
    method.remove(layer)
    assert not layer.weight.requires_grad, "frozen before, the parameter stays frozen"


class Recorder(BasePruningMethod):
    """For these tests: removes every second element, or slice, of what it sees."""

    def __init__(self, kind, dim=None):
        self.PRUNING_TYPE, self.dim, self._tensor_name = kind, dim, "weight"

    def compute_mask(self, t, default_mask):
        self.seen = t.detach().numpy().copy(), default_mask.numpy().copy()
        mask = default_mask.detach().clone()
        if self.PRUNING_TYPE == "structured":
            mask[(slice(None),) * (self.dim % t.dim()) + (slice(None, None, 2),)] = 0
        else:
            mask.view(-1)[::2] = 0
        return mask


def combined(method, t, mask):
    container = PruningContainer(Recorder("global"))
    container.add_pruning_method(method)
    t, mask = tensor(t, requires_grad=True), tensor(np.float32(mask))
    kept = t.detach().numpy().copy(), mask.numpy().copy()
    found = container.compute_mask(t, default_mask=mask)
    same(mask.numpy(), kept[1], "default_mask is the caller's")
    same(t.detach().numpy(), kept[0], "t is the caller's")
    assert not found.requires_grad, "a mask has no gradient"
    return found.numpy()


@pytest.mark.stub("what-is-left", points=6)
def test_elements_that_have_gone_are_not_seen_again():
    for shape, seed in [((3, 4), 0), ((2, 3, 4), 1), ((9,), 2)]:
        t, mask = drawn(*shape, seed=seed), (drawn(*shape, seed=seed + 9) > -0.3) * 1.0
        left = np.flatnonzero(mask)
        t.reshape(-1)[left[0]] = 0  # a score, and no mask
        wanted = mask.copy()
        wanted.reshape(-1)[left[::2]] = 0
        method = Recorder("unstructured")
        found = combined(method, t, mask)
        message = f"shape {shape}: the method sees the {len(left)} scores where the mask is 1"
        same(method.seen[0], t.reshape(-1)[left], message)
        message = f"shape {shape}: the method gets the {len(left)} elements of the mask that are 1"
        same(method.seen[1], np.ones(len(left)), message)
        message = f"shape {shape}: the result goes where the mask was 1, the rest stays"
        same(found, wanted, message)


@pytest.mark.stub("what-is-left", points=6)
def test_slices_that_are_all_zero_are_not_seen_again():
    for shape, dim, gone in [
        ((5, 3), 0, 2),
        ((3, 5), 1, 0),
        ((2, 4, 5), -1, 3),
        ((4, 5, 2), -2, 1),
    ]:
        t, mask = drawn(*shape, seed=dim + 9), np.ones(shape, np.float32)
        alive = [i for i in range(shape[dim]) if i != gone]
        np.moveaxis(t, dim, 0)[alive[0]] = 0  # scores, and no mask
        np.moveaxis(mask, dim, 0)[[gone, alive[-1]]] = 0
        mask.reshape(-1)[[0, -1]] = 0, 1  # the last slice is still alive
        wanted = mask.copy()
        np.moveaxis(wanted, dim, 0)[alive[::2]] = 0
        seen = np.take(t, alive, dim), np.take(mask, alive, dim)
        method = Recorder("structured", dim)
        found = combined(method, t, mask)
        about = f"shape {shape}, dim={dim}, slice {gone} was removed"
        same(method.seen[0], seen[0], f"scores seen, {about}")
        same(method.seen[1], seen[1], f"mask seen, {about}")
        same(found, wanted, f"new mask, {about}")


@pytest.mark.stub("what-is-left", points=6)
def test_global_methods_see_everything():
    t, mask = drawn(3, 4), (drawn(3, 4, seed=5) > 0) * np.float32(1)
    method = Recorder("global")
    wanted = mask.copy()
    wanted.reshape(-1)[::2] = 0
    found = combined(method, t, mask)
    same(method.seen[0], t, "all scores are seen")
    same(method.seen[1], mask, "the whole mask is seen")
    same(found, wanted, "global: the method's result is the mask")
    method = Recorder("global")
    method.compute_mask = lambda t, default_mask: tensor(np.float32(MASK))
    found = combined(method, drawn(2, 3), np.zeros((2, 3), np.float32))
    same(found, MASK, "global: the mask is what the method returns, whatever the mask was")


@pytest.mark.stub("what-is-left", points=6)
def test_the_last_method_is_asked():
    first, second = Recorder("unstructured"), Recorder("unstructured")
    container = PruningContainer(first)
    container.add_pruning_method(second)
    container.compute_mask(tensor(drawn(2, 3)), default_mask=tensor(np.ones((2, 3), np.float32)))
    assert not hasattr(first, "seen"), "the first method's result is in the mask already"
    assert hasattr(second, "seen"), "the last method prunes"


@pytest.mark.stub("what-is-left", points=6)
def test_the_mask_has_the_type_of_the_scores():
    mask = tensor(np.ones((2, 3), np.float32))
    for t in (tensor(drawn(2, 3, dtype=np.float64)), tensor(drawn(2, 3)).half()):
        for kind in ("unstructured", "structured", "global"):
            found = PruningContainer(Recorder(kind, 0)).compute_mask(t, default_mask=mask)
            assert found.dtype == t.dtype, f"{kind}: scores {t.dtype}, mask {found.dtype}"


@pytest.mark.stub("what-is-left", points=6)
def test_a_new_mask_is_returned_although_nothing_goes():
    kinds, nothing = ("unstructured", "structured", "global"), [[0, 0, 0], [0, 0, 0]]
    for kind, before in [(kind, mask) for mask in (MASK, nothing) for kind in kinds]:
        method, mask = Fixed(), tensor(np.float32(before))
        method.PRUNING_TYPE, method.dim, method._tensor_name = kind, 0, "weight"
        found = PruningContainer(method).compute_mask(tensor(drawn(2, 3)), default_mask=mask)
        same(found.numpy(), before, f"{kind}, {before}: a method that removes nothing")
        shared = np.shares_memory(found.numpy(), mask.numpy())
        assert not shared, f"{kind}: the new mask must not be default_mask {before}, or share its memory"


class Smallest(BasePruningMethod):
    """For these tests: removes the smallest magnitudes, without your mask."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        self.amount = amount

    def compute_mask(self, t, default_mask):
        count = round(self.amount * len(t)) if isinstance(self.amount, float) else self.amount
        ranks = t.detach().abs().argsort().argsort()
        return default_mask * (ranks >= count)


class Negative(BasePruningMethod):
    """For these tests: removes what is below 0."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask * (t.detach() >= 0)


def prune(pairs, method, **options):
    """Call `global_unstructured`, and say so if what it calls refuses what it was given."""
    try:
        return global_unstructured(pairs, method, **options)
    except AssertionError as error:
        message = f"a function that `global_unstructured` calls refuses its arguments: {error}"
        raise ValueError(message).with_traceback(error.__traceback__) from None


def three_layers(seed=0):
    """Layers whose weights are of different sizes, and the pairs."""
    layers = [Linear(4, 3), Linear(2, 5), Conv2d(2, 3, 2)]
    for number, layer in enumerate(layers):
        layer.weight.array[...] = drawn(*layer.weight.shape, seed=seed + number) * 3**number
    return layers, [(layer, "weight") for layer in layers]


def masks_of(layers, scores, gone, before=None):
    """The expected masks when the `gone` smallest scores of all are removed."""
    flat = np.concatenate([np.abs(s).ravel() for s in scores])
    if before is not None:
        flat[np.concatenate([m.ravel() for m in before]) == 0] = -1  # gone first
    mask = np.ones(len(flat))
    mask[np.argsort(flat)[:gone]] = 0
    ends = np.cumsum([s.size for s in scores])[:-1]
    return [part.reshape(s.shape) for part, s in zip(np.split(mask, ends), scores)]


def check_masks(layers, wanted, about):
    bare = [tuple(e.weight.shape) for e in layers if not hasattr(e, "weight_mask")]
    assert bare == [], f"{about}: the layers of {bare} have no mask"
    for layer, mask in zip(layers, wanted):
        found, shape = layer.weight_mask.numpy(), tuple(layer.weight.shape)
        assert found.shape == shape, f"{about}: weight {shape}, mask {found.shape}"
        same(found, mask, f"{about}, the layer of {shape}")
        masked = layer.weight_orig.array * mask
        same(layer.weight.detach().numpy(), masked, about)


@pytest.mark.stub("global", points=7)
def test_the_smallest_of_all_layers_go():
    for amount, gone in ((20, 20), (0.25, 12), (0, 0)):
        layers, pairs = three_layers()
        layers[1].weight.array[0, 0] = 0  # with no mask
        wanted = masks_of(layers, [layer.weight.array.copy() for layer in layers], gone)
        found = prune(pairs, Smallest, amount=amount)
        assert found is None, f"nothing is returned, not {found!r}"
        check_masks(layers, wanted, f"amount={amount} of 46 weights")


@pytest.mark.stub("global", points=7)
def test_a_second_call_counts_from_what_is_left():
    layers, pairs = three_layers(seed=3)
    weights = [layer.weight.array.copy() for layer in layers]
    first = masks_of(layers, weights, 23)
    second = masks_of(layers, weights, 23 + 12, before=first)
    prune(pairs, Smallest, amount=0.5)
    prune(pairs, Smallest, amount=0.5)
    check_masks(layers, second, "half of 46, then half of 23, rounded to 12")
    for layer, w in zip(layers, weights):
        same(layer.weight_orig.array, w, "two calls: weight_orig keeps what is masked")
    hooks = [len(layer._forward_pre_hooks) for layer in layers]
    assert hooks == [1, 1, 1], f"one hook on each weight after two calls, not {hooks}"


@pytest.mark.stub("global", points=7)
def test_a_mask_from_elsewhere_is_kept():
    layers, pairs = three_layers(seed=5)
    weights = [layer.weight.array.copy() for layer in layers]
    first = [np.ones(w.shape) for w in weights]
    first[0].reshape(-1)[np.abs(weights[0]).argmax()] = 0  # the largest of the first layer
    wanted = masks_of(layers, weights, 1 + 9, before=first)
    custom_from_mask(layers[0], "weight", tensor(np.float32(first[0])))
    prune(pairs, Smallest, amount=9)
    check_masks(layers, wanted, "9 weights, one of the others was removed before")


@pytest.mark.stub("global", points=7)
def test_a_mask_of_the_bias_is_none_of_the_weight():
    layers, pairs = three_layers(seed=5)
    wanted = masks_of(layers, [layer.weight.array.copy() for layer in layers], 9)
    prune([(layers[0], "bias")], Smallest, amount=1)
    prune(pairs, Smallest, amount=9)
    check_masks(layers, wanted, "9 weights; before, an element of a bias was removed")


@pytest.mark.stub("global", points=7)
def test_scores_may_come_from_elsewhere():
    layers, pairs = three_layers(seed=6)
    scores = [layer.weight.array.copy() for layer in layers]
    scores[1] = drawn(*scores[1].shape, seed=20) * 100
    wanted = masks_of(layers, scores, 15)
    importance = {pairs[1]: tensor(scores[1].T.copy()).T}  # of the shape, not contiguous
    prune(pairs, Smallest, importance_scores=importance, amount=15)
    check_masks(layers, wanted, "scores for the second layer only")
    count = len(importance)
    assert count == 1, f"importance_scores is the caller's: of 1 entry, it now has {count}"


@pytest.mark.stub("global", points=7)
def test_the_method_sees_the_signs():
    layers, pairs = three_layers(seed=7)
    wanted = [(layer.weight.array >= 0) * 1.0 for layer in layers]
    prune(pairs, Negative)
    check_masks(layers, wanted, "a method that removes whatever is below 0")


@pytest.mark.stub("global", points=7)
def test_other_methods_and_names_are_passed_on():
    layers, _ = three_layers()
    pairs = [(layers[0], "bias"), (layers[2], "bias"), (layers[1], "weight")]
    manual_seed(0)
    for amount, wanted in ((7, 7), (9, 16)):
        prune(iter(pairs), RandomUnstructured, amount=amount)
        gone = sum(int((getattr(m, f"{n}_mask").numpy() == 0).sum()) for m, n in pairs)
        assert gone == wanted, f"7 of 16 elements are removed, then the other 9: {wanted}, not {gone}"
    assert "weight_mask" not in layers[0]._buffers, "only the named parameters are pruned"


def shares(schedule, steps):
    """Zeros of 100 in 46 weights after each step, while the weights change."""
    found = []
    for _ in range(steps):
        for module, name in schedule.parameters:
            getattr(module, f"{name}_orig", getattr(module, name)).array[...] *= 1.01
        schedule.step()
        found.append(masked_out(schedule.parameters)[0])
    return found


def wanted_shares(final, end, begin, every, steps):
    found, last = [], 0
    for t in range(1, steps + 1):
        if begin <= t <= end and ((t - begin) % every == 0 or t == end):
            left = 1 - (t - begin) / (end - begin)
            last = round(final * (1 - left * left * left) * 46)
        found.append(last)
    return found


@pytest.mark.stub("schedule", points=7)
def test_the_share_follows_the_cubic_law():
    schedule = PruningSchedule(three_layers()[1], 0.8, end=50, begin=10)
    for step, wanted in [(0, 0), (9, 0), (10, 0), (30, 0.7), (20, 0.4625), (40, 0.7875),
                         (50, 0.8), (51, 0.8), (1000, 0.8)]:  # fmt: skip
        found = schedule.share_at(step)
        message = f"final=0.8, begin=10, end=50: share {wanted} at step {step}, not {found}"
        assert np.isclose(found, wanted), message
    schedule = PruningSchedule(three_layers()[1], 0.5, end=4)
    found, wanted = schedule.share_at(1), 0.5 * (1 - 27 / 64)
    assert np.isclose(found, wanted), f"final=0.5, end=4: {wanted} at step 1, not {found}"


@pytest.mark.stub("schedule", points=7)
def test_zeros_are_counted_from_all_weights():
    for final, end, begin, every, steps in [
        (0.8, 9, 0, 1, 12), (0.9, 13, 3, 4, 15), (0.7, 10, 2, 3, 14), (0.5, 6, 1, 9, 8),
        (0.6, 20, 10, 4, 22),
    ]:  # fmt: skip
        wanted = wanted_shares(final, end, begin, every, steps)
        schedule = PruningSchedule(three_layers()[1], final, end, begin, every)
        found = shares(schedule, steps)
        about = f"final={final}, end={end}, begin={begin}, every={every}"
        message = f"zeros among 46 weights, round(share * 46) at a pruning step: {about}"
        same(found, wanted, message)
        assert schedule.steps == steps, f"{steps} calls were counted as {schedule.steps}"


@pytest.mark.stub("schedule", points=7)
def test_masks_that_were_there_count():
    layers, pairs = three_layers(seed=8)
    l1_unstructured(layers[2], "weight", amount=18)
    schedule = PruningSchedule(pairs, 0.5, end=4)
    found = shares(schedule, 5)
    message = f"18 were masked, more than step 1 wants; 23 of 46 in the end; found {found}"
    assert found == [18, 20, 23, 23, 23], message
    layer = Linear(10, 10)
    schedule = PruningSchedule([(layer, "weight")], 0.5, end=2)
    found = shares(schedule, 1)
    l1_unstructured(layer, "weight", amount=20)
    found += shares(schedule, 1)
    message = f"44 of 100 go, then the test masks 20 more; step 2 wants 50, so 64 stay: {found}"
    assert found == [44, 64], message


@pytest.mark.stub("schedule", points=7)
def test_the_number_of_zeros_is_rounded_not_what_is_missing():
    for size, before, wanted in ((5, 0, 2), (3, 1, 2), (7, 2, 4)):
        layer = Linear(size, 1)
        if before:
            l1_unstructured(layer, "weight", amount=before)
        found = shares(PruningSchedule([(layer, "weight")], 0.5, end=1), 1)
        message = f"half of {size}, {before} masked before: round({size / 2}) are masked"
        assert found == [wanted], f"{message}, {wanted}, not {found[0]}"


@pytest.mark.stub("schedule", points=7)
def test_a_weight_that_is_zero_without_a_mask_does_not_count():
    layers, pairs = three_layers(seed=8)
    layers[1].weight.array[:3] = 0  # six of 46
    found = shares(PruningSchedule(pairs, 0.5, end=4), 4)
    message = "six of 46 weights are 0, none is masked at first: masked after steps 1 to 4"
    assert found == [13, 20, 23, 23], f"{message} are [13, 20, 23, 23], not {found}"


@pytest.mark.stub("schedule", points=7)
def test_the_smallest_of_all_layers_go_step_by_step():
    layers, pairs = three_layers(seed=9)
    weights = [layer.weight.array.copy() for layer in layers]
    wanted = masks_of(layers, weights, 37)
    schedule = PruningSchedule(pairs, 0.8, end=5)
    for _ in range(7):
        schedule.step()
    check_masks(layers, wanted, "80 % of 46 in five steps, with weights that stay")


@pytest.mark.stub("schedule", points=7)
def test_before_the_beginning_and_after_the_end_no_mask_is_put_on():
    layers, pairs = three_layers()
    schedule = PruningSchedule(pairs, 0.5, end=6, begin=4)
    shares(schedule, 4)
    pruned = [str(layer) for layer in layers if is_pruned(layer)]
    assert pruned == [], f"up to begin no mask is put on, yet {pruned} are pruned"
    shares(schedule, 2)
    for module, name in pairs:
        remove(module, name)
    schedule.step()
    pruned = [str(layer) for layer in layers if is_pruned(layer)]
    assert pruned == [], f"masks removed after the end must stay removed, yet {pruned} are pruned"


def two_layers(seed=0):
    """Two Linear layers in a row, with numbers of this seed."""
    model = Sequential(Linear(5, 4), ReLU(), Linear(4, 3))
    for number, parameter in enumerate(model.parameters()):
        parameter.array[...] = drawn(*parameter.shape, seed=10 * seed + number)
    return model


def numbers_of(model):
    """The numbers of all parameters, by the names that they have without masks."""
    return {n.removesuffix("_orig"): p.array.copy() for n, p in model.named_parameters()}


def same_numbers(found, wanted, about):
    for name in wanted:
        same(found[name], wanted[name], f"{about}: {name}")


@pytest.mark.stub("ticket", points=7)
def test_a_rewound_model_has_the_numbers_of_the_start_and_its_own_masks():
    start, model = two_layers(1), two_layers(2)
    for seed, each in enumerate((start, model)):  # the first ends in a letter of "_orig"
        for name in ("factor", "an_original"):
            each.register_parameter(name, Parameter(tensor(drawn(3, seed=seed))))
        each.add_module("norm", BatchNorm1d(3))
        each.norm.running_mean.array[...] = seed
    parameters = [*model.parameters()]
    model[2].weight.requires_grad_(False)  # frozen, and rewound like the others
    masks = np.float32(drawn(4, 5) > 0), np.float32([1, 0, 1])
    custom_from_mask(model[0], "weight", tensor(masks[0]))
    custom_from_mask(model[2], "bias", tensor(masks[1]))
    custom_from_mask(model, "factor", tensor(masks[1]))
    wanted = numbers_of(start)
    rewind(model, start)
    same_numbers(numbers_of(model), wanted, "every parameter, pruned or not, is rewound")
    count = sum(any(p is old for old in parameters) for p in model.parameters())
    message = "parameters stay the same objects, which an optimizer holds"
    assert count == len(parameters), f"{message}: {count} of {len(parameters)}"
    same(model.norm.running_mean.numpy(), 1, "a running mean is no parameter, and stays")
    same(model[0].weight_mask.numpy(), masks[0], "the masks stay")
    same(model[2].bias_mask.numpy(), masks[1], "the masks stay")
    for parameter in model.parameters():
        parameter.array += 1
    same_numbers(numbers_of(start), wanted, "what happens to the model later is not the start's")


def mask_at(model, place):
    """The mask of a parameter, such as "0.weight"."""
    path, _, name = place.rpartition(".")
    assert hasattr(model.get_submodule(path), f"{name}_mask"), f"{place} has no mask"
    return getattr(model.get_submodule(path), f"{name}_mask").numpy()


class Training:
    """Stands in for a training: notes what it is given, and puts known numbers there."""

    def __init__(self):
        self.began, self.masks, self.numbers = [], [], []

    def __call__(self, model):
        self.began.append(numbers_of(model))
        self.masks.append([int(b.array.sum()) for _, b in model.named_buffers()])
        for number, parameter in enumerate(model.parameters()):
            parameter.array[...] = drawn(*parameter.shape, seed=100 * len(self.began) + number)
        with no_grad():
            model(tensor(np.zeros((1, 5), np.float32)))  # which makes the masked weights
        self.numbers.append(numbers_of(model))


def expected_masks(trained, names, share, rounds):
    """The masks that remove the smallest of what is left, round by round."""
    left = np.ones(sum(trained[0][name].size for name in names))
    for numbers in trained:
        flat = np.abs(np.concatenate([numbers[name].ravel() for name in names]))
        gone = round((1 - (1 - share) ** (1 / rounds)) * int(left.sum()))
        left[np.argsort(np.where(left == 1, flat, np.inf))[:gone]] = 0
    ends = np.cumsum([trained[0][name].size for name in names])[:-1]
    return [m.reshape(trained[0][n].shape) for m, n in zip(np.split(left, ends), names)]


@pytest.mark.stub("ticket", points=7)
def test_a_ticket_is_found_in_rounds_each_from_the_start():
    for share, rounds, names in [
        (0.7, 2, ["0.weight", "2.weight"]), (0.6, 3, ["0.bias", "0.weight"]),
        (0.9, 4, ["0.weight", "2.weight"]), (0.5, 1, ["2.weight"]),
        (0.0, 2, ["0.weight"]), (0.2, 2, ["0.weight", "2.weight"]),
    ]:  # fmt: skip
        start, training = two_layers(3), Training()
        before = numbers_of(start)
        found = find_ticket(start, names, training, share, rounds)
        case = f"share={share}, rounds={rounds}, {names}"
        count = len(training.began)
        assert count == rounds, f"{case}: the model is trained once a round, not {count} times"
        for number, began in enumerate(training.began):
            same_numbers(began, before, f"{case}: training {number + 1} begins at the start")
        masks = expected_masks(training.numbers, names, share, rounds)
        has = [mask_at(found, name) for name in names]
        left, of = (int(sum(mask.sum() for mask in each)) for each in (has, masks))
        assert left == of, f"{case}: {of} elements are left after the last round, not {left}"
        for name, mask, one in zip(names, masks, has):
            same(one, mask, f"{case}: the mask of {name} keeps the largest after each training")
        same_numbers(numbers_of(found), before, f"{case}: the ticket has the start's numbers")
        same_numbers(numbers_of(start), before, f"{case}: the start is only read")
        assert not is_pruned(start), f"{case}: the start has no masks"


@pytest.mark.stub("ticket", points=7)
def test_what_is_left_is_trained_with_the_masks_so_far():
    training = Training()
    find_ticket(two_layers(4), ["0.weight", "2.weight"], training, 0.875, 3)
    found = [sum(masks) for masks in training.masks]
    wanted = [0, 16, 8]
    assert found == wanted, (
        "7 of 8 in three rounds of a half: the masks of the second and third training leave "
        f"16 and 8 of 32 weights, {wanted}, not {found}"
    )


def with_some_masks(seed=0):
    """Two layers, three of whose parameters have masks, and these masks."""
    model = Sequential(two_layers(seed), BatchNorm1d(3))
    model.register_buffer("masked_rows", tensor(np.float32([1, 0])))  # no mask
    model[0][2].bias.array[...] = 0  # kept or not
    masks = {"0.0.weight": np.zeros((4, 5)), "0.2.bias": np.array([1, 0, 1])}
    masks["0.0.bias"] = np.ones(4)
    masks["0.0.weight"][:2] = 1  # a whole row, and
    masks["0.0.weight"][1, 1:3] = 0  # most of another
    for place, mask in masks.items():
        path, _, name = place.rpartition(".")
        custom_from_mask(model.get_submodule(path), name, tensor(np.float32(mask)))
    return model, masks


@pytest.mark.stub("control", points=5)
def test_the_copy_has_the_masks_of_the_first_model_and_the_numbers_of_the_second():
    pruned, masks = with_some_masks(5)
    model = Sequential(two_layers(6), BatchNorm1d(3))
    wanted, kept = numbers_of(model), numbers_of(pruned)
    found = put_masks(pruned, model)
    assert isinstance(found, Sequential), f"the copy is returned, not {type(found)}"
    for place, mask in masks.items():
        same(mask_at(found, place), mask, f"the mask of {place}")
    count = sum(name.endswith("_mask") for name, _ in found.named_buffers())
    assert count == 3, f"three parameters have masks, not {count}"
    same_numbers(numbers_of(found), wanted, "the numbers are those of the second model")
    masked = wanted["0.0.weight"] * masks["0.0.weight"]
    same(found[0][0].weight.detach().numpy(), masked, "the weight that is used is masked")
    same_numbers(numbers_of(model), wanted, "the second model is only read")
    assert not is_pruned(model), "the second model has no masks; its copy has"
    for place, mask in masks.items():
        same(mask_at(pruned, place), mask, f"the first model's mask of {place} is only read")
        shared = np.shares_memory(mask_at(found, place), mask_at(pruned, place))
        assert not shared, f"the copy's mask of {place} must have its own memory"
    same_numbers(numbers_of(pruned), kept, "the first model is only read")
    layer = Linear(2, 1)  # a model of one layer
    custom_from_mask(layer, "weight", tensor(np.float32([[1, 0]])))
    same(mask_at(put_masks(layer, Linear(2, 1)), "weight"), [[1, 0]], "a Linear by itself")


@pytest.mark.stub("control", points=5)
def test_a_mask_of_any_layer_and_any_parameter_is_copied():
    pruned, model = Sequential(Conv2d(1, 2, 2)), Sequential(Conv2d(1, 2, 2))
    for each in (pruned, model):
        each.add_module("attn_mask", Linear(2, 2))
        each.register_parameter("factor", Parameter(tensor(drawn(3))))
    for place in ("0.weight", "attn_mask.weight", "factor"):
        path, _, name = place.rpartition(".")
        shape = model.get_parameter(place).shape
        mask = np.float32(np.arange(np.prod(shape)).reshape(shape) % 2)
        custom_from_mask(pruned.get_submodule(path), name, tensor(mask))
        found = mask_at(put_masks(pruned, model), place)
        same(found, mask, f"the mask of {place}, whatever the layer and the parameter are")


def shuffled_masks(pruned, model, place, seeds=20):
    """A mask, shuffled after each of several seeds."""
    found = []
    for seed in range(seeds):
        manual_seed(seed)
        found.append(mask_at(put_masks(pruned, model, shuffled=True), place).copy())
    return found


@pytest.mark.stub("control", points=5)
def test_all_elements_of_every_mask_are_shuffled():
    pruned, masks = with_some_masks(7)
    model = Sequential(two_layers(8), BatchNorm1d(3))
    before, found = masks["0.0.weight"], shuffled_masks(pruned, model, "0.0.weight")
    about = f"20 shuffles of a mask {before.shape}"
    left = any((mask.sum(1) != before.sum(1)).any() for mask in found)
    assert left, f"{about}: each row always keeps as many, so no element left its row"
    broken = any(sorted(mask.sum(1)) != sorted(before.sum(1)) for mask in found)
    assert broken, f"{about}: single elements change places, not whole rows"
    left = any((mask.sum(0) != before.sum(0)).any() for mask in found)
    assert left, f"{about}: each column always keeps as many, so no element left its column"
    found = shuffled_masks(pruned, model, "0.2.bias")
    moved = any((mask != masks["0.2.bias"]).any() for mask in found)
    assert moved, "20 shuffles of the mask [1, 0, 1] of a bias: always [1, 0, 1]"


@pytest.mark.stub("control", points=5)
def test_shuffled_masks_leave_as_many_in_other_places():
    pruned, masks = with_some_masks(7)
    model, found = Sequential(two_layers(8), BatchNorm1d(3)), []
    for seed in (1, 1, 2):
        manual_seed(seed)
        control = put_masks(pruned, model, shuffled=True)
        for place, mask in masks.items():
            left = mask_at(control, place).sum()
            message = f"{place}: {mask.sum()} of {mask.size} are left, as before, not {left}"
            assert left == mask.sum(), message
            same(mask_at(pruned, place), mask, f"the first is only read: the mask of {place}")
        found.append(mask_at(control, "0.0.weight").copy())
    same(found[0], found[1], "manual_seed decides, because randperm draws")
    moved, differ = ((found[0] != other).any() for other in (masks["0.0.weight"], found[2]))
    assert moved, "shuffled=True: elements of a mask change places"
    assert differ, "other places with another seed"


@pytest.mark.stub("control", points=5)
def test_masks_of_equal_size_are_shuffled_separately():
    pruned, model = (Sequential(Linear(6, 6), Linear(6, 6)) for _ in range(2))
    mask = np.float32(np.arange(36).reshape(6, 6) < 18)
    for layer in pruned:
        custom_from_mask(layer, "weight", tensor(mask))
    found = put_masks(pruned, model, shuffled=True)
    differ = (mask_at(found, "0.weight") != mask_at(found, "1.weight")).any()
    assert differ, "two equal masks were shuffled into the same places: draw for each"


def filled(layer, seed):
    """The layer with random weights and a bias far from zero."""
    layer.weight.array[...] = drawn(*layer.weight.shape, seed=seed)
    if layer.bias is not None:
        layer.bias.array[...] = 2 + drawn(*layer.bias.shape, seed=seed + 1)
    return layer


def without_units(layer, kept):
    """A copy whose other units have weight and bias zero."""
    layer = copy.deepcopy(layer)
    gone = np.setdiff1d(np.arange(layer.weight.shape[0]), kept)
    layer.weight.array[gone] = 0
    if layer.bias is not None:
        layer.bias.array[gone] = 0
    return layer


def check_smaller(small, layer, shape, about):
    """A smaller layer has this weight, says its sizes, is trainable, and shares no memory."""
    assert small is not layer, f"{about}: a new layer is wanted, not the one that was passed in"
    kinds = type(layer).__name__, type(small).__name__
    assert kinds[0] == kinds[1], f"{about}: a {kinds[0]} stays a {kinds[0]}, not a {kinds[1]}"
    found, before = tuple(small.weight.shape), tuple(layer.weight.shape)
    assert found == shape, f"{about}: a weight {before} becomes {shape}, not {found}"
    had, has = ("no" if each.bias is None else "a" for each in (layer, small))
    assert had == has, f"{about}: the layer has {had} bias, the new one has {has} bias"
    kind = "features" if isinstance(layer, Linear) else "channels"
    names = f"out_{kind}", f"in_{kind}"
    said = tuple(getattr(small, name) for name in names)
    assert said == shape[:2], f"{about}: {' and '.join(names)} are {shape[:2]}, not {said}"
    for name, each in small.named_parameters():
        old = getattr(layer, name)
        assert each.requires_grad, f"{about}: the new {name} must be trainable"
        shared = np.shares_memory(each.array, old.array)
        assert not shared, f"{about}: the new {name} must have its own memory"


@pytest.mark.stub("smaller-layers", points=9)
def test_the_strongest_units_in_their_order():
    for layer, count in [
        (Linear(3, 8), 3),
        (Linear(8, 3), 2),
        (Conv2d(2, 6, 3), 4),
        (Linear(4, 5), 5),
        (Linear(4, 5), 0),
    ]:
        weight = filled(layer, seed=count).weight.array
        before = weight.copy()
        sums = [np.abs(unit).sum() for unit in weight.astype(float)]
        wanted = sorted(sorted(range(len(sums)), key=lambda i: -sums[i])[:count])
        found = strongest_units(layer, count)
        message = f"sums of magnitudes {np.round(sums, 2).tolist()}, the {count} largest"
        whole = isinstance(found, np.ndarray) and (found.dtype.kind == "i" or not count)
        assert whole, f"an array of integers is wanted, not {type(found).__name__} {found}"
        assert found.tolist() == wanted, f"{message} are {wanted}, not {found.tolist()}"
        same(weight, before, f"{layer}: its weight belongs to the caller")


@pytest.mark.stub("smaller-layers", points=9)
def test_strength_is_a_sum_of_magnitudes():
    layer = Linear(2, 3)
    layer.bias.array[...] = [0, 9, 0]  # should not matter
    for rows, wanted in [
        ([[5, -5], [1, 1], [-2, -2]], [0, 2]),
        ([[3, 3], [0, 5], [-4, 4]], [0, 2]),
    ]:
        layer.weight.array[...] = rows
        found = np.asarray(strongest_units(layer, 2)).tolist()
        message = f"rows {rows}: the sums of magnitudes are largest in {wanted}, not {found}"
        assert found == wanted, message
    layer.weight.array[...] = 1
    assert len(strongest_units(layer, 2)) == 2, "of three equal units 2 are wanted"
    for layer in (Conv2d(1, 2, 2), Conv2d(4, 2, 1)):
        layer.weight.array.reshape(2, 4)[...] = [[5, 0, 0, 0], [2, 2, 2, 2]]
        found = np.asarray(strongest_units(layer, 1)).tolist()
        assert found == [1], f"{layer.weight.tolist()}: sums 5 and 8, so [1], not {found}"


def unshifted(layer):
    """A layer whose bias is there, and zero."""
    zeros_(layer.bias)
    return layer


@pytest.mark.stub("smaller-layers", points=9)
def test_a_smaller_layer_computes_the_units_that_are_kept():
    for layer, shape, kept in [
        (Linear(4, 6), (3, 4), [0, 2, 5]),
        (Linear(4, 6, bias=False), (3, 4), [1]),
        (Linear(4, 3), (3, 4), [0, 1, 2]),
        (Conv2d(2, 5, 3, stride=2, padding=1), (2, 2, 7, 6), [1, 3]),
        (Conv2d(2, 5, (2, 3), dilation=2, bias=False), (2, 2, 7, 6), [0, 4]),
    ]:
        filled(layer, seed=len(kept))
        x, before = tensor(drawn(*shape, seed=3)), layer.weight.array.copy()
        wanted = layer(x).detach().numpy()[:, kept]
        small, about = select_outputs(layer, np.array(kept)), f"{layer}, units {kept}"
        check_smaller(small, layer, (len(kept), *layer.weight.shape[1:]), about)
        np.testing.assert_allclose(small(x).detach().numpy(), wanted, rtol=1e-4, atol=1e-5, err_msg=about)
        same(layer.weight.array, before, f"{about}: the layer that was passed in stays")
    layer = unshifted(Linear(4, 5))
    check_smaller(select_outputs(layer, np.array([0, 4])), layer, (2, 4), "a bias of zeros")


@pytest.mark.stub("smaller-layers", points=9)
def test_two_layers_together_compute_what_the_zeros_compute():
    for first, between, second, shape, kept in [
        (Linear(5, 7), [ReLU()], Linear(7, 3), (4, 5), [0, 3, 6]),
        (Linear(5, 3), [ReLU()], Linear(3, 4, bias=False), (4, 5), [0, 1, 2]),
        (Conv2d(2, 4, 3, padding=1), [ReLU()], Conv2d(4, 3, 2), (2, 2, 4, 5), [1, 2]),
        (Conv2d(2, 4, 3, padding=1), [ReLU(), Flatten()], Linear(24, 3), (3, 2, 2, 3), [0, 2]),
    ]:
        x = tensor(drawn(*shape, seed=5))
        filled(first, 1), filled(second, 2)
        wanted = Sequential(without_units(first, kept), *between, second)(x).detach().numpy()
        of, before = first.weight.shape[0], second.weight.array.copy()
        about = f"{first}, then {second}, units {kept} of {of}"
        outputs, inputs, *window = second.weight.shape
        reader = select_inputs(second, np.array(kept), of)
        shape = (outputs, inputs // of * len(kept), *window)
        check_smaller(reader, second, shape, f"{second} behind units {kept} of {of}")
        same(second.weight.array, before, f"{about}: the second layer stays")
        small = Sequential(select_outputs(first, np.array(kept)), *between, reader)
        found = small(x).detach().numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4, err_msg=about)


def thin_layers(outputs, inputs, rank, bias=True):
    """A layer, what `factorize` makes of it, and the product of its two weights."""
    layer = filled(Linear(inputs, outputs, bias=bias), seed=outputs)
    kept, wanted = layer.weight.array.copy(), [(rank, inputs), (outputs, rank)]
    thin = factorize(layer, rank)
    same(layer.weight.array, kept, "the layer stays as it is")
    shapes = [tuple(each.weight.shape) for each in thin]
    assert shapes == wanted, f"a weight {(outputs, inputs)} at rank {rank}: {wanted}, not {shapes}"
    said = [(each.out_features, each.in_features) for each in thin]
    assert said == wanted, f"out_features and in_features are {wanted}, not {said}"
    return layer, thin, thin[1].weight.array.astype(float) @ thin[0].weight.array


@pytest.mark.stub("factorize", points=6)
def test_the_product_is_the_best_of_its_rank():
    for outputs, inputs, rank in [(6, 9, 2), (9, 6, 3), (5, 5, 1), (8, 20, 6)]:
        layer, _, product = thin_layers(outputs, inputs, rank)
        weight = layer.weight.array.astype(float)
        squares = np.linalg.eigvalsh(weight @ weight.T)  # of the singular values, ascending
        least = float(np.sqrt(np.maximum(squares[: outputs - rank], 0).sum()))
        error = float(np.linalg.norm(weight - product))
        message = f"{(outputs, inputs)}, rank {rank}: error {least:.4f} is possible, not {error:.4f}"
        assert error < least * 1.001 + 1e-4, message


@pytest.mark.stub("factorize", points=6)
def test_each_side_has_the_roots_of_the_singular_values():
    for outputs, inputs, rank in [(6, 9, 2), (9, 6, 3), (5, 5, 5)]:
        layer, thin, _ = thin_layers(outputs, inputs, rank)
        weight = layer.weight.array.astype(float)
        squares = np.linalg.eigvalsh(weight @ weight.T)[::-1][:rank]
        rows = np.linalg.norm(thin[0].weight.array, axis=1)
        columns = np.linalg.norm(thin[1].weight.array, axis=0)
        for found, lines in ((rows, "rows of the first"), (columns, "columns of the second")):
            about = f"{(outputs, inputs)}, rank {rank}: norms of the {lines} weight, against √s"
            np.testing.assert_allclose(found, squares**0.25, rtol=1e-3, err_msg=about)


@pytest.mark.stub("factorize", points=6)
def test_at_full_rank_nothing_changes():
    for outputs, inputs, bias in [(4, 7, True), (7, 4, False), (5, 5, True)]:
        layer, thin, _ = thin_layers(outputs, inputs, min(outputs, inputs), bias)
        assert (thin[1].bias is not None) == bias, "the second has a bias if the layer has one"
        x = tensor(drawn(3, inputs, seed=2))
        found, wanted = thin(x).detach().numpy(), layer(x).detach().numpy()
        message = f"Linear({inputs}, {outputs}, bias={bias}) at full rank"
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4, err_msg=message)


@pytest.mark.stub("factorize", points=6)
def test_only_the_second_layer_has_a_bias():
    layer, thin, _ = thin_layers(4, 6, 2)
    assert thin[0].bias is None, "the first layer has no bias"
    same(thin[1].bias.detach().numpy(), layer.bias.detach().numpy())
    shared = np.shares_memory(thin[1].bias.array, layer.bias.array)
    assert not shared, "the bias is a copy: the layer may be trained on"
    found = factorize(unshifted(Linear(4, 6)), 2)[1].bias
    assert found is not None, "a bias of zeros is a bias, not None"
    other = int(np.count_nonzero(found.array))
    assert other == 0, f"a bias of zeros is copied, too, yet {other} of 6 numbers are not zero"
    _, thin, _ = thin_layers(4, 6, 2, bias=False)
    assert thin[1].bias is None, "a layer without bias becomes two without bias"


@pytest.mark.stub("factorize", points=6)
def test_weights_are_parameters_of_float32():
    _, thin, _ = thin_layers(5, 7, 3)
    for each in thin:
        assert isinstance(each.weight, Parameter), "both weights are Parameters"
        assert each.weight.array.dtype == np.float32, f"float32, not {each.weight.array.dtype}"
    thin(tensor(drawn(2, 7))).sum().backward()
    fixed = [name for name, each in thin.named_parameters() if each.grad is None]
    assert fixed == [], f"weights and bias can be trained, yet {fixed} have no gradient"
    kinds = [str(p.dtype) for p in factorize(Linear(4, 3).double(), 2).parameters()]
    message = f"of a float64 layer: weights and bias have one type, not {kinds}"
    assert len({*kinds}) == 1, message
    thin = factorize(Linear(4, 3).requires_grad_(False), 2)
    fixed = [name for name, each in thin.named_parameters() if not each.requires_grad]
    assert fixed == [], f"of a frozen layer, too, both are trainable, yet {fixed} are not"


def some_adapter(outputs, inputs, rank, alpha=16.0, bias=True, packed=False):
    """An adapter whose A and B are not zero, and the base's weight and bias, float64."""
    base = filled(Linear(inputs, outputs, bias=bias), seed=inputs)
    base = Int4Linear(base) if packed else base
    weight = base.weights() if packed else base.weight.array
    shift = base.bias.array if bias else np.zeros(outputs)
    adapter = LoRALinear(base, rank, alpha)
    adapter.lora_A.weight.array[...] = drawn(rank, inputs, seed=rank)
    adapter.lora_B.weight.array[...] = drawn(outputs, rank, seed=rank + 1)
    return adapter, weight.astype(float), shift.astype(float)


ADAPTERS = [
    (5, 7, 2, {}), (7, 5, 3, {"alpha": 1.0}), (4, 6, 1, {"bias": False}),
    (3, 4, 1, {"alpha": 0.0}), (6, 40, 4, {"packed": True}),
    (33, 3, 2, {"packed": True, "bias": False, "alpha": 3}),
]  # fmt: skip


def close_to(found, wanted, about):
    found = found.detach().numpy()
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-3, err_msg=about)


@pytest.mark.stub("lora", points=8)
def test_an_adapter_begins_as_the_layer_alone():
    for base in (Linear(6, 4), Linear(4, 6, bias=False), Int4Linear(Linear(40, 8))):
        x = tensor(drawn(2, 3, base.in_features))
        wanted = base(x).detach().numpy()
        adapter = LoRALinear(base, rank=3)
        assert adapter.base is base, f"{base}: the base must be the layer that was passed in"
        factors = adapter.alpha, LoRALinear(base, 3, alpha=0.0).alpha
        assert factors == (16, 0), f"alpha is 16 by default, and 0 if that is given: {factors}"
        kinds = [type(each).__name__ for each in (adapter.lora_A, adapter.lora_B)]
        assert kinds == ["Linear", "Linear"], f"A and B are Linear layers, not {kinds}"
        held = [part for part in "AB" if getattr(adapter, f"lora_{part}").bias is not None]
        assert held == [], f"A and B have no bias, yet {held} have one"
        same(adapter(x).detach().numpy(), wanted, f"{base}: B is zero at first")


@pytest.mark.stub("lora", points=8)
def test_a_begins_at_random():
    first, second = (LoRALinear(Linear(64, 32), 4).lora_A.weight.array for _ in range(2))
    shape = first.shape
    assert shape == (4, 64), f"rank 4 of Linear(64, 32): A is (4, 64), not {shape}"
    assert (first != second).mean() > 0.99, "two adapters must begin with different A"
    largest = float(np.abs(first).max())
    assert 0.1 < largest <= 0.125, f"A is drawn from -1/8 to 1/8, not up to {largest:.3f}"
    assert 0.05 < first.std() < 0.1, f"A's deviation is near 1/(8√3), not {first.std():.3f}"


@pytest.mark.stub("lora", points=8)
def test_only_the_correction_is_trained():
    for outputs, inputs, rank, options in ADAPTERS:
        adapter, _, _ = some_adapter(outputs, inputs, rank, **options)
        found = sorted(name for name, p in adapter.named_parameters() if p.requires_grad)
        wanted = ["lora_A.weight", "lora_B.weight"]
        assert found == wanted, f"{wanted} require gradients, not {found}"


@pytest.mark.stub("lora", points=8)
def test_an_adapter_adds_its_correction():
    for outputs, inputs, rank, options in ADAPTERS:
        right = options.get("alpha", 16) / rank
        adapter, weight, shift = some_adapter(outputs, inputs, rank, **options)
        x = drawn(2, 3, inputs, seed=5)
        A, B = adapter.lora_A.weight.array, adapter.lora_B.weight.array
        plain, bare = x @ weight.T + shift, x @ A.T @ B.T
        wanted, about = plain + right * bare, f"{adapter.base}, {rank=}, alpha={adapter.alpha}"
        y = adapter(tensor(x)).detach().numpy()
        assert y.shape == wanted.shape, f"{about}: the shape is {wanted.shape}, not {y.shape}"
        factor = float(((y - plain) * bare).sum() / (bare**2).sum())
        if np.allclose(y - plain, factor * bare, rtol=1e-2, atol=1e-2):
            message = f"{about}: B A x times alpha / rank = {right:.3f}, not times {factor:.3f}"
            assert np.isclose(factor, right, rtol=1e-2, atol=1e-2), message
        close_to(adapter(tensor(x)), wanted, about)
        close_to(adapter.eval()(tensor(x)), wanted, f"{about}, in evaluation mode")


@pytest.mark.stub("lora", points=8)
def test_gradients_pass_the_base_and_reach_the_correction():
    for outputs, inputs, rank, options in ADAPTERS:
        adapter, weight, _ = some_adapter(outputs, inputs, rank, **options)
        x, g = tensor(drawn(3, inputs, seed=5), requires_grad=True), drawn(3, outputs, seed=6)
        adapter(x).backward(tensor(g))
        A, B = adapter.lora_A.weight.array, adapter.lora_B.weight.array
        factor = adapter.alpha / rank
        about = f"{inputs} to {outputs}, rank {rank}, {options}: gradient of"
        close_to(x.grad, g @ weight + factor * (g @ B @ A), f"{about} the input")
        close_to(adapter.lora_A.weight.grad, factor * (g @ B).T @ x.array, f"{about} A")
        close_to(adapter.lora_B.weight.grad, factor * g.T @ (x.array @ A.T), f"{about} B")
        held = [name for name, p in adapter.base.named_parameters() if p.grad is not None]
        assert held == [], f"the base is frozen, yet {held} have gradients"


@pytest.mark.stub("lora", points=8)
def test_merged_it_is_one_linear_layer():
    for outputs, inputs, rank, options in ADAPTERS[:3]:
        adapter, weight, shift = some_adapter(outputs, inputs, rank, **options)
        A, B, x = adapter.lora_A.weight.array, adapter.lora_B.weight.array, drawn(4, inputs)
        changed = weight + adapter.alpha / rank * (B.astype(float) @ A)
        kept = {name: each.array.copy() for name, each in adapter.named_parameters()}
        layer, about = adapter.merged(), f"{inputs} to {outputs}, rank {rank}, {options}"
        assert type(layer) is Linear, f"{about}: a Linear, not {type(layer).__name__}"
        assert layer.weight.array.dtype == np.float32, f"{about}: float32 stays float32"
        close_to(layer(tensor(x)), x @ changed.T + shift, about)
        assert (layer.bias is None) == (adapter.base.bias is None), f"{about}: the bias"
        for name, each in adapter.named_parameters():
            same(each.array, kept[name], f"{about}: `merged` must not change {name}")
        free = [name for name, p in adapter.base.named_parameters() if p.requires_grad]
        assert free == [], f"{about}: the base stays frozen, yet {free} require gradients"
        for name, each in layer.named_parameters():
            assert each.requires_grad, f"{about}: the merged {name} must be trainable"
            each.array[...] = 0
            old = adapter.base.get_parameter(name).array
            same(old, kept[f"base.{name}"], f"{about}: the merged {name} must be a copy")


def a_tree():
    """A model whose first layer appears in two places, with a norm that has parameters."""
    shared = Linear(6, 6)
    parts = [shared, BatchNorm1d(6), Sequential(shared, Linear(6, 5)), Linear(5, 3)]
    return Sequential(*parts).eval()


def trained_parts(model):
    return sorted(name for name, each in model.named_parameters() if each.requires_grad)


@pytest.mark.stub("add-adapters", points=5)
def test_all_is_frozen_but_the_adapters():
    for names, adapted in [(["0"], ["0"]), (["2.1", "3"], ["2.1", "3"]), (["1"], ["2.1"])]:
        model = a_tree()
        found = add_adapters(model, names, rank=2)
        assert found is model, "the model itself must be returned"
        wanted = [f"{name}.lora_{part}.weight" for name in adapted for part in "AB"]
        found = trained_parts(model)
        assert found == wanted, f"names={names}: {wanted} are trained, not {found}"
    model = a_tree().train()
    model.add_module("exploration", Linear(3, 2))  # a name with "lora" in it
    model.register_parameter("scale", Parameter(tensor(drawn(6))))  # of no layer
    add_adapters(add_adapters(model, ["3"], rank=2), ["2.1"], rank=2)
    wanted, found = ["2.1.lora_A.weight", "2.1.lora_B.weight"], trained_parts(model)
    assert found == wanted, f"all that was there is frozen, adapters too; {found} are trained"
    assert model.training, "a model in training mode stays in it"


@pytest.mark.stub("add-adapters", points=5)
def test_a_model_begins_as_it_was_and_rank_and_alpha_are_handed_on():
    for names, rank, alpha in [(["3"], 1, 4.0), (["2.0", "2.1"], 3, 0.5), (["3"], 2, 0.0)]:
        model, x = a_tree(), tensor(drawn(4, 6))
        wanted, kept = model(x).detach().numpy(), [name for name, _ in model.named_children()]
        changed = add_adapters(copy.deepcopy(model), names, rank, alpha)
        found = [name for name, _ in changed.named_children()]
        assert found == kept, f"{names}: an adapter takes a layer's place: {kept}, not {found}"
        same(add_adapters(model, names, rank, alpha)(x).detach().numpy(), wanted, "B is zero")
        for name in names:
            one = model.get_submodule(name)
            found = one.lora_A.weight.shape[0], one.alpha
            assert found == (rank, alpha), f"{name}: rank and alpha {rank, alpha}, not {found}"


@pytest.mark.stub("add-adapters", points=5)
def test_a_layer_in_two_places_has_one_adapter_in_both():
    model = a_tree()
    bare = model[0]
    add_adapters(model, ["0"], rank=2)  # which "2.0" ends in, too
    kinds = [type(model.get_submodule(name)).__name__ for name in ("0", "2.0")]
    assert kinds == ["LoRALinear"] * 2, f"both places have an adapter, not {kinds}"
    first, second = model[0], model[2][0]
    assert first is second, "it is the same adapter in both places"
    assert first.base is bare, "the adapter must contain the original layer itself"
    a, b = Linear(4, 4), Linear(4, 4)
    model = add_adapters(Sequential(a, b, a), ["0", "1", "2"], rank=2)
    assert model[0] is model[2], "of layers a, b, a both places of a have one adapter"


@pytest.mark.stub("add-adapters", points=5)
def test_each_layer_has_an_adapter_of_its_own():
    model = Sequential(Sequential(Linear(4, 4)), Sequential(Linear(4, 4)))
    layers, x = [model[0][0], model[1][0]], tensor(drawn(3, 4))
    wanted = model(x).detach().numpy()
    add_adapters(model, ["0"], rank=1)
    kept = [model[n][0].base is layer for n, layer in enumerate(layers)]
    assert kept == [True, True], (
        f"two layers of one size at 0.0 and 1.0: is each the base of its own adapter? {kept}"
    )
    same(model(x).detach().numpy(), wanted, "two layers of one size: the model begins as it was")


@pytest.mark.stub("add-adapters", points=5)
def test_the_state_of_an_adapter_by_itself():
    adapter = LoRALinear(Linear(4, 3), 2)
    state, wanted = adapter_state(adapter), ["lora_A.weight", "lora_B.weight"]
    found = sorted(state)
    assert found == wanted, f"of a LoRALinear as it begins: {wanted}, not {found}"
    same(state["lora_B.weight"].detach().numpy(), 0, "B begins with zeros, and is saved")


@pytest.mark.stub("add-adapters", points=5)
def test_the_state_is_that_of_the_adapters_and_of_all_of_them():
    model = a_tree()
    for name in ("exploration", "lora_head", "lora_A2", "proj_A"):  # no adapters
        model.add_module(name, Linear(3, 2))
    add_adapters(model, ["0", "3"], rank=2)
    model.requires_grad_(False)
    model[1].requires_grad_(True)
    parts = {f"{n}.lora_{p}.weight": getattr(model.get_submodule(n), f"lora_{p}").weight
             for n in ("0", "2.0", "3") for p in "AB"}  # fmt: skip
    for number, each in enumerate(parts.values()):
        each.array[...] = drawn(*each.shape, seed=number)
    state = adapter_state(model)
    message = "one adapter is at 0 and at 2.0, another at 3: all names of their A and B"
    assert sorted(state) == sorted(parts), message
    for name, wanted in parts.items():
        same(state[name].detach().numpy(), wanted.array, name)


def by_loops(values, count, iterations):
    """k-means, exactly as in the three steps."""
    low, high = float(values.min()), float(values.max())
    centers = [low + (high - low) * i / max(count - 1, 1) for i in range(count)]
    for turn in range(iterations + 1):
        codes = [min(range(count), key=lambda c: abs(float(v) - centers[c])) for v in values]
        if turn < iterations:
            for c in range(count):
                members = [float(v) for v, code in zip(values, codes) if code == c]
                centers[c] = sum(members) / len(members) if members else centers[c]
    return np.array(centers), np.array(codes)


def check_clusters(values, count, iterations=20):
    centers, codes = by_loops(values, count, iterations)
    kept = values.copy()
    found, size = kmeans(values, count, iterations), float(np.abs(values).max())
    few = values if len(values) < 9 else f"from {values.min():.3g} to {values.max():.3g}"
    about = f"{len(values)} numbers {few}, {count} centers, {iterations} iterations"
    same(values, kept, "`values` belong to the caller")
    two = isinstance(found, tuple | list) and len(found) == 2
    array = isinstance(found, np.ndarray)
    one = f"an array of shape {found.shape}" if array else type(found).__name__
    assert two, f"{about}: a pair (centers, codes) is wanted, not {one}"
    np.testing.assert_allclose(found[0], centers, rtol=1e-4, atol=1e-5 * size, err_msg=f"centers, {about}")
    same(found[1], codes, f"codes of the nearest of {np.float32(centers)}, {about}")
    assert found[0].dtype == np.float32, f"centers are float32, not {found[0].dtype}"
    assert found[1].dtype == np.uint8, f"codes are uint8, not {found[1].dtype}"


@pytest.mark.stub("kmeans", points=7)
def test_unmoved_centers_are_evenly_spaced_and_codes_are_those_of_the_nearest():
    check_clusters(np.float32([5, -3, -2.5, 5.5, 0.25, 6]), 3, iterations=0)


@pytest.mark.stub("kmeans", points=7)
def test_centers_go_where_the_numbers_are():
    check_clusters(np.float32([0, 1, 9, 11]), 2)
    check_clusters(np.float32([5, -3, -2.5, 5.5, 0.25, 6]), 3)
    for sign in (1, -1):  # far from 0
        check_clusters(np.float32([26, 20, 17, 11.5, 12, 6]) * sign, 3)
    for count in (1, 2, 4, 16):
        check_clusters(drawn(200, seed=count) / 50, count)


@pytest.mark.stub("kmeans", points=7)
def test_each_number_of_iterations():
    for iterations in (0, 1, 2, 5):
        for count in (5, 1):
            check_clusters(drawn(80, seed=7), count, iterations)


@pytest.mark.stub("kmeans", points=7)
def test_small_numbers_are_clustered_like_large_ones():
    for power in (-12, -20, -30):
        check_clusters(drawn(80, seed=7) * np.float32(2.0**power), 5)


@pytest.mark.stub("kmeans", points=7)
def test_numbers_whose_squares_vanish_are_clustered_too():
    check_clusters(drawn(80, seed=7) * np.float32(2.0**-85), 5)


@pytest.mark.stub("kmeans", points=7)
def test_float64_has_centers_of_float32_too():
    check_clusters(np.float64([0, 1, 9, 11]), 2)


@pytest.mark.stub("kmeans", points=7)
def test_a_center_without_numbers_stays():
    check_clusters(np.float32([0.2, 0, 0.1, 10]), 4)
    check_clusters(np.float32([-7, 7, 6.9]), 6)
    check_clusters(drawn(60, seed=1) ** 3, 8)


@pytest.mark.stub("kmeans", points=7)
def test_numbers_whose_sum_is_0_have_a_mean():
    check_clusters(np.float32([-1, 1, 5, 6]), 2)
    check_clusters(np.float32([-4, 0, 0, 0, 6]), 3)


@pytest.mark.stub("kmeans", points=7)
def test_equal_numbers_need_no_room():
    centers, codes = kmeans(np.full(5, 0.25, np.float32), 4)
    same(centers[codes], 0.25, "five times 0.25, 4 centers")
    same(centers, 0.25, "all 4 centers begin at 0.25, and those without numbers stay there")


@pytest.mark.stub("kmeans", points=7)
def test_256_codes_fit_into_a_byte():
    values = np.linspace(-1, 1, 256, dtype=np.float32)
    centers, codes = kmeans(values, 256)
    np.testing.assert_allclose(centers[codes], values, atol=1e-5, err_msg="a center for each")


def softmax64(z):
    exps = np.exp(z.astype(float) - z.max(1, keepdims=True))
    return exps / exps.sum(1, keepdims=True)


def check_distillation(N, classes, temperature, alpha, size=2.0):
    z, v = (
        drawn(N, classes, seed=N) * np.float32(size),
        drawn(N, classes, seed=N + 1) * np.float32(size),
    )
    labels = np.random.default_rng(N).integers(0, classes, N)
    p, q, target = softmax64(z), softmax64(z / temperature), softmax64(v / temperature)
    hard = -np.log(p[np.arange(N), labels]).mean()
    soft = (target * (np.log(target) - np.log(q))).sum(1).mean()
    wanted = float(alpha * hard + (1 - alpha) * temperature**2 * soft)
    gradient = alpha * (p - np.eye(classes)[labels]) + (1 - alpha) * temperature * (q - target)
    student, teacher = tensor(z, requires_grad=True), tensor(v, requires_grad=True)
    found = distillation_loss(student, teacher, tensor(labels), temperature, alpha)
    about = f"{N} samples, {classes} classes, T={temperature}, alpha={alpha}"
    is_tensor = isinstance(found, Tensor)
    assert is_tensor, f"{about}: a Tensor is wanted, not a {type(found).__name__}"
    assert found.shape == (), f"{about}: a Tensor without dimensions, not {found.shape}"
    message = f"{about}: the loss is {wanted:.5f}, not {found.item():.5f}"
    assert np.isclose(found.item(), wanted, rtol=1e-4, atol=1e-4), message
    found.backward()
    np.testing.assert_allclose(
        student.grad.numpy(), gradient / N, rtol=1e-3, atol=1e-4, err_msg=f"gradient, {about}"
    )
    same(teacher.detach().numpy(), v, "the teacher's logits belong to the caller")
    assert teacher.requires_grad, "the teacher's requires_grad belongs to the caller"
    untaught = teacher.grad is None or not teacher.grad.numpy().any()
    assert untaught, "the teacher's logits are constants and get no gradient"


@pytest.mark.stub("distillation-loss", points=6)
def test_both_parts_and_their_weights():
    check_distillation(6, 4, 3.0, 0.0)
    check_distillation(6, 4, 3.0, 1.0)
    check_distillation(4, 3, 1.0, 0.5)
    check_distillation(5, 10, 4.0, 0.1)
    check_distillation(3, 2, 2.5, 0.9)
    check_distillation(4, 3, 0.5, 0.0)


@pytest.mark.stub("distillation-loss", points=6)
def test_defaults_are_four_and_a_tenth():
    z, v, y = drawn(3, 5), drawn(3, 5, seed=1), [0, 4, 2]
    by_default, given = (
        distillation_loss(tensor(z), tensor(v), tensor(y), *arguments).item()
        for arguments in ((), (4.0, 0.1))
    )
    message = f"temperature=4.0 and alpha=0.1 give {given}, the defaults {by_default}"
    assert abs(by_default - given) < 1e-6, message


@pytest.mark.stub("distillation-loss", points=6)
def test_logits_of_900_do_no_harm():
    even, sure = np.zeros((2, 3), np.float32), np.float32([[900, 0, 0], [0, -900, 0]])
    for who, z, v, wanted in [
        ("teacher with logits 0 and -900", even, sure[[1, 1]], np.log(3 / 2)),
        ("teacher with logits of 900", even, sure, (np.log(3) + np.log(3 / 2)) / 2),
        ("student with logits of 900", sure, even, (600 + 300 + np.log(2)) / 2 - np.log(3)),
    ]:
        found = distillation_loss(tensor(z), tensor(v), tensor([0, 1]), 1.0, 0.0).item()
        message = f"a {who}: {wanted:.4f}, not {found}"
        assert np.isclose(found, float(wanted), rtol=1e-4), message


def check_front(costs):
    wanted = [
        not any(all(b <= a for a, b in zip(i, j)) and any(b < a for a, b in zip(i, j)) for j in costs)
        for i in costs
    ]
    array = np.array(costs)
    kept = array.copy()
    found = pareto_front(array)
    same(array, kept, "`costs` belong to the caller")
    assert isinstance(found, np.ndarray), f"an array, and not a {type(found).__name__}"
    about = f"costs {np.array(costs).tolist()}"
    message = f"{about}: booleans are wanted, one for each row, not {found.dtype} {found}"
    assert found.dtype.kind == "b", message
    assert found.shape == (len(costs),), message
    assert found.tolist() == wanted, f"{about}: {wanted}, not {found.tolist()}"


@pytest.mark.stub("pareto-front", points=4)
def test_what_is_beaten_is_not_in_front():
    check_front([[2, 2], [1, 1], [4, 4], [5, 5], [3, 3]])
    check_front([[1, 9], [5, 6], [6, 6], [9, 1]])
    check_front([[1, 2], [1, 1], [2, 0]])
    check_front([[1, 2], [3, 2]])
    check_front([[-0.2, 0.004], [-0.1, 0.004], [-0.2, 0.001]])
    check_front([[1, 2, 3], [3, 2, 1], [2, 2, 2], [3, 3, 3], [1, 2, 4]])
    check_front([[0.1, 2.0], [0.1005, 2.0]])
    check_front([[0.1, 2.0], [0.1 + 1e-9, 2.0]])
    check_front([[0.1, 2.0], [0.1 + 1e-9, 1.0]])
    check_front([[2**24, 2], [2**24 + 1, 2]])  # bytes that float32 cannot tell apart
    check_front([[1e9, 1e-8], [1e9, 2e-8]])  # bytes and seconds, with equal sums
    check_front([[np.inf, 1], [np.inf, 2]])
    check_front(np.array([[1, 9], [5, 5], [6, 5]], np.uint8))  # which have no differences


@pytest.mark.stub("pareto-front", points=4)
def test_equal_candidates_do_not_beat_each_other():
    check_front([[1, 2], [1, 2], [2, 1]])
    check_front([[4.0, 4.0]])
    check_front([[3], [1], [2], [1]])


@pytest.mark.stub("pareto-front", points=4)
def test_many_candidates():
    for M in (2, 3, 4):
        check_front(np.random.default_rng(M).integers(0, 6, (40, M)).tolist())
