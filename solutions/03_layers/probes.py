"""Probes of module 03: layers and networks of random sizes, names and options, and what they hold, save and load."""

import tinytorch
from tinytorch.tensor import Context

WORDS = ("weight", "bias", "mean", "body", "head", "scale", "gate", "first")


def words(rng, count):
    return [str(word) for word in rng.choice(WORDS, count, replace=False)]


def sizes(rng, count, least=1):
    return [int(n) for n in rng.integers(least, 6, count)]


def drawn(rng, *shape):
    return tinytorch.from_numpy(np.asarray(rng.normal(size=shape)).astype(np.float32))


def named(module):
    return [
        [name, parameter.detach().clone()] for name, parameter in module.named_parameters()
    ]


def seeded(rng):
    tinytorch.manual_seed(int(rng.integers(1000)))


def tree(rng, depth=3, shared=True):
    """A module with parameters, buffers and children of random names; some are None, and if so wanted some shared."""
    module = Module()
    parameter, empty, buffer, fleeting, *children = words(rng, 4 + 2 * (depth > 0))
    module._parameters.update({parameter: Parameter(drawn(rng, *sizes(rng, 2))), empty: None})
    module._buffers.update({buffer: drawn(rng, 2), fleeting: drawn(rng, 3)})
    module._non_persistent_buffers_set.add(fleeting)
    for name in children:
        module._modules[name] = tree(rng, depth - 1, shared) if rng.random() < 0.8 else None
    below = [child for child in module._modules.values() if child is not None]
    if below and shared:
        module._modules["again"] = below[0]
        module._parameters["tied"] = next(iter(below[-1]._parameters.values()))
    return module


def outcome(function, *args, **options):
    try:
        return function(*args, **options)
    except (RuntimeError, ValueError, TypeError, KeyError) as error:
        return type(error).__name__


@probe("linear-forward")
def weighted_sums(rng):
    found = []
    for lead in ((), (3,), (2, 4), (0,), (2, 1, 3)):
        n, m, kind = *sizes(rng, 2, 0), rng.choice([np.float32, np.float64])
        x, weight, bias = (
            np.asarray(rng.normal(size=shape)).astype(kind)
            for shape in ((*lead, n), (m, n), (m,))
        )
        for b in (bias, None):
            ctx = Context()
            y = Affine.forward(ctx, x, weight, b)
            found.append([y, [[kept is x, kept is weight] for kept in ctx.saved_tensors]])
        found.append(
            linear(
                tinytorch.from_numpy(x),
                tinytorch.from_numpy(weight),
                tinytorch.from_numpy(bias),
            )
        )
    return found


@probe("register")
def homes_of_attributes(rng):
    net, found = Module(), []
    places = ("_parameters", "_buffers", "_modules")
    for number in range(25):
        name, kind = str(rng.choice(WORDS[:4])), int(rng.integers(6))
        values = (
            Parameter(drawn(rng, 2)),
            Module(),
            Buffer(drawn(rng, 1)),
            drawn(rng, 1),
            None,
            number,
        )
        outcome(setattr, net, name, values[kind])
        here = {
            word: [place for place in places if word in getattr(net, place)]
            for word in WORDS[:4]
        }
        kept = [list(getattr(net, place)) for place in places]
        plain = {word: word in vars(net) for word in WORDS[:4]}
        found.append(
            [
                here,
                kept,
                plain,
                getattr(net, name, None) is values[kind],
                type(getattr(net, name, 0)).__name__,
            ]
        )
    return found


@probe("named-modules")
def paths_of_modules(rng):
    net, prefix = tree(rng), str(rng.choice(["", "net", "a.b"]))
    known = [module for _, module in net.named_modules()]
    skipped = {known[int(rng.integers(len(known)))]}
    walks = [walk_modules(net, set(), prefix, True), walk_modules(net, set(), prefix, False)]
    walks.append(walk_modules(net, skipped, "", True))
    walked = [
        [[name, next(i for i, each in enumerate(known) if each is m)] for name, m in walk]
        for walk in walks
    ]
    return [walked, len(skipped)]


@probe("named-members")
def paths_of_tensors(rng):
    net, found = tree(rng), []
    for place in ("_parameters", "_buffers"):
        for prefix in ("", "net"):
            for recurse, once in ((True, True), (True, False), (False, True)):
                found.append(
                    [
                        [name, x.detach()]
                        for name, x in walk_members(net, place, prefix, recurse, once)
                    ]
                )
    return found


@probe("kaiming-uniform")
def drawn_weights(rng):
    found = []
    for options in (
        {},
        {"nonlinearity": "relu"},
        {"nonlinearity": "linear"},
        {"a": float(rng.uniform(0.1, 3))},
    ):
        for mode in ("fan_in", "fan_out"):
            seeded(rng)
            weight = Parameter(zeros(*sizes(rng, int(rng.integers(2, 5)))))
            same = kaiming_uniform_(weight, mode=mode, **options) is weight
            found.append([weight, same, weight.requires_grad])
    generator = tinytorch.Generator().manual_seed(int(rng.integers(1000)))
    return [
        *found,
        kaiming_uniform_(empty(3, 4), generator=generator),
        outcome(kaiming_uniform_, empty(3)),
    ]


@probe("linear-layer")
def new_linear_layers(rng):
    found = []
    for bias in (True, False):
        for kind in (tinytorch.float32, float64):
            seeded(rng)
            layer = Linear(*sizes(rng, 2), bias=bias, dtype=kind)
            before = [p.detach().clone() for p in layer.parameters()]
            x = tinytorch.randn(3, layer.in_features, dtype=kind)
            found.append([named(layer), list(layer._parameters), layer(x), before])
            layer.reset_parameters()
            found.append(
                [[p.detach(), p.requires_grad, type(p).__name__] for p in layer.parameters()]
            )
    return found


@probe("dropout")
def dropped_numbers(rng):
    found = []
    for p in (0.0, 1.0, *rng.uniform(0.1, 0.9, 3).tolist()):
        for training, inplace in ((True, False), (True, True), (False, bool(rng.integers(2)))):
            seeded(rng)
            x = tinytorch.from_numpy(
                rng.normal(size=sizes(rng, 2)).astype(rng.choice([np.float32, np.float64]))
            )
            y = dropout(x, p, training, inplace)
            found.append([y, x, p > 0 and y is x])
    leaf = Parameter(drawn(rng, 5))
    y = dropout(leaf, float(rng.uniform(0.1, 0.9)))
    return [
        *found,
        y.detach(),
        y.requires_grad,
        [outcome(dropout, leaf, p) for p in (-0.1, 1.5)],
    ]


class Affinely(Module):
    """A factor and a shift: modules of this kind cannot be exchanged unnoticed."""

    def __init__(self, rng):
        super().__init__()
        self.factor, self.shift = rng.normal(size=2).tolist()

    def forward(self, x):
        return x * self.factor + self.shift


class Heard(Affinely):
    """One of which is seen whether it was called, or only its forward."""

    def __call__(self, x):
        return super().__call__(x) + 1


@probe("sequential")
def modules_in_a_row(rng):
    found = []
    for count in (0, 1, int(rng.integers(2, 6)), 12):
        modules = [(Affinely if at else Heard)(rng) for at in range(count)]
        row, x = Sequential(*modules), drawn(rng, *sizes(rng, 2))
        found.append(
            [row(x), list(row._modules), [row[i] is m for i, m in enumerate(modules)]]
        )
    names = words(rng, 4)
    row = Sequential(OrderedDict((name, Affinely(rng)) for name in names))
    return [
        *found,
        row(drawn(rng, 3)),
        list(row._modules),
        outcome(Sequential, Affinely(rng), 3),
    ]


@probe("residual-block")
def blocks_with_a_shortcut(rng):
    found = []
    for lead in ((), (4,), (2, 3)):
        for p in (0.0, float(rng.uniform(0.2, 0.8)), 1.0):
            width, hidden = sizes(rng, 2)
            seeded(rng)
            block, x = ResidualBlock(width, hidden, p), drawn(rng, *lead, width)
            children = [[name, type(child).__name__] for name, child in block.named_children()]
            found.append(
                [block(x).detach(), block.eval()(x).detach(), children, block.dropout.p]
            )
            found.append(named(block))
    return found


@probe("state-dict")
def saved_values(rng):
    net, found, prefix = tree(rng, shared=False), [], str(rng.choice(["", "net.", "a.b."]))
    for kept in (False, True):
        destination = OrderedDict(other=drawn(rng, 1))
        collect_state(net, destination, prefix, kept)
        tensors = [p for _, p in net.named_parameters()]
        found += [
            [name, x.detach(), x.requires_grad, any(x is p for p in tensors)]
            for name, x in destination.items()
        ]
    destination["other"].add_(1)
    next(iter(net.state_dict().values())).add_(float(rng.normal()))
    return [*found, [p.detach() for p in net.parameters()]]


@probe("load-state-dict")
def loaded_values(rng):
    found, shape = [], sizes(rng, 3)
    for trial in range(10):
        net = Sequential(Linear(*shape[:2]), Linear(*shape[1:]))
        values = {name: drawn(rng, *x.shape) for name, x in net.state_dict().items()}
        for name in list(values):
            if rng.random() < (0.3 if trial else 0):
                del values[name]
            elif rng.random() < (0.1 if trial else 0):
                values[name] = drawn(rng, 7)
        values |= {"beta": drawn(rng, 2)} if trial and rng.random() < 0.4 else {}
        before = dict(net.named_parameters())
        for p in before.values():
            p.data.zero_()
        strict, assign = trial % 2 == 0, bool(rng.integers(2))
        result = outcome(load_state, net, values, strict, assign)
        kept = [
            [name, p.detach(), p.requires_grad, p is before[name]]
            for name, p in net.named_parameters()
        ]
        for value in values.values():
            value.add_(1)  # which is seen where the tensor itself was taken
        after = [p.detach() for p in net.parameters()]
        found.append(
            [
                result if isinstance(result, str) else [list(names) for names in result],
                kept,
                after,
            ]
        )
    return found


class Mixed(Module):
    def forward(self, x, factor=1.0, *, extra=1.0):
        return x * factor + extra


@probe("hooks")
def calls_between_hooks(rng):
    net, seen = Mixed(), []
    for place in (net._forward_pre_hooks, net._forward_hooks):
        for number in range(int(rng.integers(1, 5))):
            change, how = float(rng.normal()), int(rng.integers(3))

            def hook(
                module, inputs, *output, number=number, change=change, how=how, place=place
            ):
                seen.append([number, module is net, len(inputs), inputs[0], *output])
                if number == 1:
                    place.pop(number)  # it removes itself
                if how == 0:
                    return None
                value = (output or inputs)[0] * change
                return (value, change) if how == 1 and not output else value

            place[number] = hook
    calls = [
        call_with_hooks(
            net, (drawn(rng, 3), float(rng.normal())), {"extra": float(rng.normal())}
        )
        for _ in "ab"
    ]
    return [calls, seen]


class Shifted(Module):
    """A layer and a parameter of its own; the layer is called as often as asked."""

    def __init__(self, inner, times, width):
        super().__init__()
        self.inner, self.times, self.shift = inner, times, Parameter(zeros(width))

    def forward(self, x):
        for _ in range(self.times):
            x = self.inner(x) + self.shift
        return x


@probe("summary")
def rows_of_layers(rng):
    width, hidden = sizes(rng, 2)
    kind = [tinytorch.float32, float64][int(rng.integers(2))]
    shared = Linear(width, width, bias=bool(rng.integers(2)), dtype=kind)
    tied = Linear(width, width, dtype=kind)
    tied.weight = shared.weight
    rest = [
        ReLU(),
        Shifted(tied, int(rng.integers(3)), width),
        shared,
        Sequential(Linear(width, hidden, dtype=kind)),
    ]
    net = Sequential(shared, *[rest[i] for i in rng.permutation(3)], rest[3]).to(kind)
    net[1].register_forward_hook(lambda *_: None)
    rows = [list(row) for row in layer_rows(net, zeros(2, width, dtype=kind))]
    failed = outcome(layer_rows, net, zeros(2, width + 1, dtype=kind))
    return [rows, failed, [len(module._forward_hooks) for module in net.modules()]]


@probe("mend-search")
def searched_towers(rng):
    found = []
    for steps in (0, int(rng.integers(2, 8))):
        width, depth, outputs, size = *sizes(rng, 3), float(rng.uniform(0.01, 1))
        seeded(rng)
        tower, errors, met = Tower(width, depth, 3), rng.permutation(steps + 1).tolist(), []
        names = [name for name, _ in tower.named_parameters()]

        def error(tower, errors=errors, met=met):
            met.append([p.detach().numpy().copy() for p in tower.parameters()])
            return float(errors[len(met) - 1])

        least = random_search(tower, outputs, error, steps, size)
        best, ended = (
            met[errors.index(min(errors))],
            [p.detach().numpy() for p in tower.parameters()],
        )
        back = [bool(np.allclose(a, b, atol=1e-6)) for a, b in zip(best, ended, strict=True)]
        moved = (
            [bool((a != b).all()) for a, b in zip(met[0], met[-1], strict=True)]
            if steps
            else []
        )
        found.append([names, least, len(met), back, moved, [p.shape for p in ended]])
        moves = (
            np.concatenate([(b - a).ravel() for a, b in zip(met[0], met[1])])
            if steps
            else np.ones(1)
        )
        found.append(
            [
                tower(drawn(rng, 4, width)).shape,
                bool(0.3 < moves.std() / size < 2) if len(moves) > 20 else 0,
            ]
        )
    return found
