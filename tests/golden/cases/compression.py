"""Module 16: masks by every method of `torch.nn.utils.prune`, again and again, over layers, removed and saved."""

import copy
import io
from importlib import import_module

import numpy as np
from golden import Area, With, integers, literal, real

area = Area()


def prune_of(torch):
    return import_module(f"{torch.__name__}.nn.utils.prune")


def layer_of(torch, *weight):
    """A layer with a weight that NumPy drew: no two magnitudes are equal, in it or in layers of other shapes."""
    nn, array = torch.nn, np.random.default_rng(weight).standard_normal(weight).astype("float32")
    layer = (
        nn.Linear(weight[1], weight[0]) if len(weight) == 2 else nn.Conv2d(weight[1], weight[0], weight[2:])
    )
    layer.weight.data = torch.tensor(array)
    return layer


def state_of(layer):
    """Everything about a pruned layer that can be seen."""
    state = {name: value.clone() for name, value in layer.state_dict().items()}
    names = [name for name, _ in layer.named_parameters()], [name for name, _ in layer.named_buffers()]
    hooks = [
        (
            type(hook).__name__,
            hook._tensor_name,
            [type(h).__name__ for h in getattr(hook, "_pruning_methods", [])],
        )
        for hook in layer._forward_pre_hooks.values()
    ]
    return state, *names, hooks, repr(layer), layer.weight.requires_grad, type(layer.weight).__name__


def pruned(torch):
    """`pruned(program)`: the state of a Linear and of a Conv2d after steps on each, and what is computed then."""
    prune = prune_of(torch)

    def both(*steps):
        found = []
        for shape, x in (((6, 5), (3, 5)), ((4, 3, 2, 3), (2, 3, 4, 5))):
            layer = layer_of(torch, *shape)
            for step in steps:
                torch.manual_seed(4)
                returned = step(layer)
            x = torch.tensor(np.random.default_rng(1).standard_normal(x).astype("float32"))
            output = layer(x)
            output.sum().backward()
            gradients = [(name, p.grad) for name, p in layer.named_parameters()]
            found.append((state_of(layer), output.detach(), gradients, type(returned).__name__))
        return found

    return {"pruned": both, "P": prune}


AMOUNTS = """
pruned(lambda m: P.{}(m, "weight", 0.3))
pruned(lambda m: P.{}(m, "weight", amount=2))
pruned(lambda m: P.{}(m, "weight", amount=0))
pruned(lambda m: P.{}(m, "weight", amount=1.0))
pruned(lambda m: P.{}(m, "weight", 0.5), lambda m: P.{}(m, "weight", 0.5))
pruned(lambda m: P.{}(m, "weight", 3), lambda m: P.{}(m, "weight", 0.25), lambda m: P.{}(m, "weight", 1))
"""
for name in ("l1_unstructured", "random_unstructured"):
    area.each("", [], AMOUNTS.replace("{}", name), given=pruned, gradient=False)

area.each(
    "",
    [],
    """
    pruned(lambda m: P.ln_structured(m, "weight", 0.5, 1, 0))
    pruned(lambda m: P.ln_structured(m, "weight", amount=2, n=1, dim=1))
    pruned(lambda m: P.ln_structured(m, "weight", amount=1, n=2, dim=-1))
    pruned(lambda m: P.ln_structured(m, "weight", amount=0.25, n=float("inf"), dim=0))
    pruned(lambda m: P.ln_structured(m, "weight", amount=1, n=float("-inf"), dim=-2))
    pruned(lambda m: P.ln_structured(m, "weight", amount=0, n=3, dim=1))
    pruned(lambda m: P.ln_structured(m, "weight", 1, 2, 0), lambda m: P.ln_structured(m, "weight", 1, 1, 0))
    pruned(lambda m: P.ln_structured(m, "weight", 1, 2, 1), lambda m: P.ln_structured(m, "weight", 0.5, 1, 0))
    pruned(lambda m: P.l1_unstructured(m, "weight", 0.3), lambda m: P.ln_structured(m, "weight", 2, 1, 0))
    pruned(lambda m: P.ln_structured(m, "weight", 2, 1, 0), lambda m: P.l1_unstructured(m, "weight", 0.3))
    pruned(lambda m: P.ln_structured(m, "weight", 2, 1, -1), lambda m: P.random_unstructured(m, "weight", 4))
    pruned(lambda m: P.random_structured(m, "weight", 2, 0))
    pruned(lambda m: P.random_structured(m, "weight", amount=0.4, dim=1))
    pruned(lambda m: P.random_structured(m, "weight", 1, 0), lambda m: P.random_structured(m, "weight", 1, 1))
    pruned(lambda m: P.identity(m, "weight"))
    pruned(lambda m: P.identity(m, "weight"), lambda m: P.l1_unstructured(m, "weight", 4))
    pruned(lambda m: P.custom_from_mask(m, "weight", (m.weight > 0)))
    pruned(lambda m: P.custom_from_mask(m, "weight", mask=(m.weight > 0).float()))
    pruned(lambda m: P.l1_unstructured(m, "weight", 5), lambda m: P.custom_from_mask(m, "weight", m.weight > 0))
    pruned(lambda m: P.l1_unstructured(m, "weight", 5, importance_scores=m.weight.flip(0)))
    pruned(lambda m: P.ln_structured(m, "weight", 2, 1, 0, importance_scores=m.weight.detach().flip(0)))
    pruned(lambda m: P.l1_unstructured(m, "bias", 2))
    pruned(lambda m: P.l1_unstructured(m, "bias", 2), lambda m: P.l1_unstructured(m, "weight", 0.5))
    pruned(lambda m: P.l1_unstructured(m, "weight", 0.5), lambda m: P.remove(m, "weight"))
    pruned(lambda m: P.l1_unstructured(m, "weight", 9), lambda m: P.l1_unstructured(m, "weight", 9), lambda m: P.remove(m, "weight"))
    pruned(lambda m: P.L1Unstructured.apply(m, "weight", 4))
    pruned(lambda m: P.LnStructured.apply(m, "weight", 1, 1, 0))
    pruned(lambda m: P.RandomStructured.apply(m, "weight", 1))
    pruned(lambda m: P.Identity.apply(m, "weight"))
    pruned(lambda m: P.CustomFromMask.apply(m, "weight", m.weight > 0), lambda m: P.L1Unstructured.apply(m, "weight", 2))
    """,
    given=pruned,
    gradient=False,
)

area.each(
    "x, mask",
    [
        (real(4, 6), integers(4, 6, high=2, dtype="float32")),
        (real(3, 2, 4), integers(3, 2, 4, high=2, dtype="float32")),
    ],
    """
    P.L1Unstructured(5).compute_mask(x, default_mask=torch.ones_like(x))
    P.L1Unstructured(0.4).compute_mask(x, mask)
    P.L1Unstructured(0.4).prune(x)
    P.L1Unstructured(0.4).prune(x, default_mask=mask)
    P.L1Unstructured(3).prune(x, importance_scores=x.flip(0))
    P.LnStructured(1, 2).compute_mask(x, mask)
    P.LnStructured(1, 1, 0).prune(x)
    P.LnStructured(0.5, n=1, dim=1).prune(x, mask)
    P.RandomUnstructured(0.5).prune(x)
    P.RandomStructured(1, 0).prune(x, mask)
    P.Identity().prune(x, mask)
    P.CustomFromMask(mask).prune(x)
    P.CustomFromMask(mask > 0).compute_mask(x, torch.ones_like(x).double())
    """,
    given=lambda torch: {"P": prune_of(torch)},
)


@area.case((0.5,), (7,), (0,), (1.0,), gradient=False)
def pruned_over_all_layers(torch, amount):
    prune, layers = (
        prune_of(torch),
        [layer_of(torch, 6, 5), layer_of(torch, 4, 3, 2, 3), layer_of(torch, 2, 6)],
    )
    pairs = [(layer, "weight") for layer in layers] + [(layers[0], "bias")]
    layers[0].bias.data = torch.linspace(-1, 1.1, 6)
    first = prune.global_unstructured(pairs, prune.L1Unstructured, amount=amount)
    once = [state_of(layer) for layer in layers]
    prune.global_unstructured(
        tuple(pairs[1:]), pruning_method=prune.L1Unstructured, amount=3 if amount != 1.0 else 0
    )
    return first, once, [state_of(layer) for layer in layers]


@area.case((), gradient=False)
def pruned_over_all_layers_by_other_scores(torch):
    prune, layers = prune_of(torch), [layer_of(torch, 6, 5), layer_of(torch, 3, 6)]
    pairs = [(layer, "weight") for layer in layers]
    prune.l1_unstructured(layers[1], "weight", 0.5)
    scores = {pairs[0]: layers[0].weight.detach().flip(0)}
    prune.global_unstructured(pairs, prune.L1Unstructured, importance_scores=scores, amount=0.4)
    return [state_of(layer) for layer in layers]


@area.case(real(3, 5), gradient=False)
def trained_saved_and_loaded(torch, x):
    prune, layer = prune_of(torch), layer_of(torch, 6, 5)
    layer.bias.data = torch.linspace(-1, 1, 6)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
    prune.l1_unstructured(layer, "weight", 0.5)
    for _ in range(3):
        optimizer.zero_grad()
        (layer(x) ** 2).sum().backward()
        optimizer.step()
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    other = layer_of(torch, 6, 5)
    prune.identity(other, "weight")
    other.load_state_dict(torch.load(file))
    same = torch.equal(other(x), layer(x))
    prune.remove(other, "weight")
    return state_of(layer), state_of(other), same, prune.is_pruned(layer), prune.is_pruned(other)


@area.case((), gradient=False)
def what_is_pruned_and_what_is_not(torch):
    nn, prune = torch.nn, prune_of(torch)
    model = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 2)))
    before = prune.is_pruned(model)
    prune.l1_unstructured(model[1][0], "bias", 1)
    return before, prune.is_pruned(model), prune.is_pruned(model[0]), list(model.state_dict())


@area.case((), gradient=False)
def containers(torch):
    prune = prune_of(torch)
    one, two = prune.L1Unstructured(2), prune.RandomUnstructured(0.5)
    one._tensor_name = two._tensor_name = "weight"
    container = prune.PruningContainer(one)
    container.add_pruning_method(two)
    kinds = [type(method).__name__ for method in container]
    empty = prune.PruningContainer()
    return len(container), kinds, container[0] is one, container._tensor_name, len(empty), one.PRUNING_TYPE


@area.case(real(2, 5), gradient=False)
def copied_without_a_graph(torch, x):
    prune, layer = prune_of(torch), layer_of(torch, 6, 5)
    prune.l1_unstructured(layer, "weight", 0.5)
    with torch.no_grad():
        layer(x)
    other = copy.deepcopy(layer)
    other.weight_orig.data += 1
    other(x)
    return state_of(layer), state_of(other)


@area.case(real(2, 5), raises=True, gradient=False)
def refused_to_be_copied_with_its_graph(torch, x):
    prune, layer = prune_of(torch), layer_of(torch, 6, 5)
    prune.l1_unstructured(layer, "weight", 0.5)
    layer(x)
    return copy.deepcopy(layer)


@area.case(real(3, 5))
def gradients_go_to_the_original(torch, x):
    prune, layer = prune_of(torch), layer_of(torch, 6, 5)
    prune.ln_structured(layer, "weight", 2, 2, 0)
    return With(layer(x), dict(layer.named_parameters()))


def refusals(torch):
    nn, prune = torch.nn, prune_of(torch)
    return {
        "P": prune,
        "m": nn.Linear(3, 2),
        "no_bias": nn.Linear(3, 2, bias=False),
        "L1": prune.L1Unstructured,
    }


area.refused(
    "",
    [],
    """
    P.l1_unstructured(m, "weight", 1.5)
    P.l1_unstructured(m, "weight", -1)
    P.l1_unstructured(m, "weight", -0.1)
    P.l1_unstructured(m, "weight", "a")
    P.l1_unstructured(m, "weight", 7)
    P.l1_unstructured(m, "nothing", 1)
    P.l1_unstructured(m, "weight", 1, importance_scores=torch.ones(3, 2))
    P.l1_unstructured(m, "weight")
    P.random_unstructured(m, "weight", 7)
    P.random_structured(m, "bias", 1, 0)
    P.random_structured(m, "weight", 3, 0)
    P.ln_structured(m, "bias", 1, 1, 0)
    P.ln_structured(m, "weight", 1, 1, 2)
    P.ln_structured(m, "weight", 3, 1, 0)
    P.ln_structured(m, "weight", 1, 1)
    P.ln_structured(m, "weight", None, 1, 0)
    P.custom_from_mask(m, "weight", torch.ones(3, 2))
    P.l1_unstructured(no_bias, "bias", 1)
    P.remove(m, "weight")
    P.remove(m, "bias")
    P.global_unstructured(5, L1, amount=1)
    P.global_unstructured([(m, "weight")], P.LnStructured, amount=1, n=1)
    P.global_unstructured([(m, "weight")], L1)
    P.global_unstructured([(m, "weight")], L1, amount=7)
    P.global_unstructured([(m, "weight")], L1, [1], amount=1)
    P.BasePruningMethod()
    P.PruningContainer(L1(1))
    P.PruningContainer().add_pruning_method(5)
    P.L1Unstructured(1).prune(torch.ones(3), importance_scores=torch.ones(4))
    P.CustomFromMask(torch.ones(3)).prune(torch.ones(4))
    """,
    given=refusals,
)


class Every:
    """A method of one's own, made over the framework's base."""

    @staticmethod
    def second(torch):
        class EverySecond(prune_of(torch).BasePruningMethod):
            PRUNING_TYPE = "unstructured"

            def compute_mask(self, t, default_mask):
                mask = default_mask.clone()
                mask.view(-1)[::2] = 0
                return mask

        return EverySecond


@area.case((), gradient=False)
def methods_of_ones_own(torch):
    layer, method = layer_of(torch, 4, 3), Every.second(torch)
    returned = method.apply(layer, "weight")
    once = state_of(layer)
    again = method.apply(layer, "weight")
    return type(returned).__name__, once, type(again).__name__, state_of(layer)


@area.case(literal([[3.0, -1.0], [2.0, 5.0]]), gradient=False)
def other_dtypes(torch, x):
    prune, found = prune_of(torch), []
    for dtype in (torch.float64, torch.float16):
        layer = torch.nn.Linear(2, 2).to(dtype)
        layer.weight.data = x.to(dtype)
        prune.l1_unstructured(layer, "weight", 1)
        prune.ln_structured(layer, "weight", 1, 1, 0)
        found.append((layer.weight.detach().clone(), layer.weight_mask.clone()))
    return found
