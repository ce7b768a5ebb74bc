"""Probes of module 07: steps from random places with random gradients, options and groups."""

import re

import tinytorch


def sizes(rng, count, least=1):
    return tuple(int(n) for n in rng.integers(least, 5, count))


def kind_of(rng):
    return rng.choice([np.float32, np.float64])


def drawn(rng, shape, kind=np.float32):
    return np.asarray(rng.normal(size=shape)).astype(kind)


def parameter(rng, shape, kind=np.float32, gradient=True):
    made = tinytorch.nn.Parameter(wrap(drawn(rng, shape, kind)))
    made.grad = wrap(drawn(rng, shape, kind)) if gradient else None
    return made


def stepped(rng, optimizer, own, steps=4):
    """The places after every step, and what is kept; memory and gradients are to stay what they were."""
    found, places = [], [p.array for p in own]
    for _ in range(steps):
        grads = [drawn(rng, p.shape, p.array.dtype) for p in own]
        for p, grad in zip(own, grads):
            p.grad = wrap(grad.copy())
        optimizer.step()
        kept = [
            [name, value]
            for p in own
            for name, value in sorted(optimizer.state.get(p, {}).items())
        ]
        same = [
            np.array_equal(p.grad.array, grad) and p.array is place
            for p, grad, place in zip(own, grads, places)
        ]
        found.append(
            [
                [p.detach().array.copy() for p in own],
                [[n, v.array.copy()] for n, v in kept],
                same,
            ]
        )
    return found


def some(rng, kind):
    return [parameter(rng, sizes(rng, count), kind) for count in (0, 1, 2, 3)]


@probe("zero-grad")
def cleared_gradients(rng):
    found = []
    for to_none in rng.permutation([True, False]).tolist():
        own = [parameter(rng, sizes(rng, 2), gradient=rng.random() < 0.7) for _ in range(6)]
        held, cut = [p.grad for p in own], int(rng.integers(1, 6))
        clear_gradients([{"params": own[:cut]}, {"params": own[cut:]}], to_none)
        same = [
            p.grad is not None and np.shares_memory(p.grad.array, h.array)
            for p, h in zip(own, held)
        ]
        found.append([[p.grad for p in own], same, held])
    return found


@probe("param-group")
def completed_groups(rng):
    found, names = [], ["lr", "momentum", "eps", "decay"]
    for _ in range(8):
        own = [parameter(rng, 2) for _ in range(6)]
        others = [{"params": own[:2], "lr": 9.0}, {"params": own[2:4]}]
        given = {
            name: float(rng.normal()) for name in rng.choice(names, 2, replace=False).tolist()
        }
        defaults = {
            name: float(rng.normal()) for name in rng.choice(names, 3, replace=False).tolist()
        }
        chosen = own[int(rng.integers(6)) :][:2]
        group, before = {"params": chosen, **given}, dict(defaults)
        try:
            complete_group(group, defaults, others)
        except ValueError:
            found.append("ValueError")
            continue
        options = sorted((name, value) for name, value in group.items() if name != "params")
        found.append(
            [options, [p is q for p, q in zip(group["params"], chosen)], defaults == before]
        )
    return found


@probe("weight-decay")
def directions_of_descent(rng):
    found = []
    for maximize in (None, True, False):
        for decoupled in (None, True, False):
            kind = kind_of(rng)
            array, grad, out = (drawn(rng, (3, 4), kind) for _ in range(3))
            options = {"maximize": maximize, "decoupled_weight_decay": decoupled, "lr": 3.0}
            options |= (
                {"weight_decay": float(rng.choice([0, rng.uniform(0.1, 2)]))}
                if rng.random() < 0.8
                else {}
            )
            options = {name: value for name, value in options.items() if value is not None}
            before = array.copy(), grad.copy()
            result = descent_direction(array, grad, options, out)
            same = np.array_equal(array, before[0]), np.array_equal(grad, before[1])
            found.append([result, same, result is out or result is grad])
    return found


@probe("step")
def updates_of_parameters(rng):
    class Recorder(Optimizer):
        def update(self, parameter, grad, group, work):
            work[...] = np.nan
            calls.append(
                [
                    next(i for i, p in enumerate(own) if p is parameter),
                    grad.copy(),
                    group["lr"],
                    work,
                ]
            )
            array = parameter.array
            array -= group["lr"] * grad

    calls, own = (
        [],
        [parameter(rng, sizes(rng, 2), gradient=rng.random() < 0.7) for _ in range(7)],
    )
    cut = int(rng.integers(1, 7))
    first = {
        "params": own[:cut],
        "lr": float(rng.normal()),
        "weight_decay": float(rng.normal()),
    }
    optimizer = Recorder(
        [first, {"params": own[cut:], "maximize": True}], {"lr": float(rng.normal())}
    )
    for _ in range(2):
        take_step(optimizer)
    memory = [work.shape for *_, work in calls]
    return [[call[:3] for call in calls], memory, [[p.detach(), p._version] for p in own]]


@probe("momentum")
def velocities(rng):
    found = []
    for _ in range(5):
        shape, kind = sizes(rng, int(rng.integers(1, 4)), 0), kind_of(rng)
        velocity, grad, work = (drawn(rng, shape, kind) for _ in range(3))
        kept = grad.copy()
        accumulate(velocity, grad, *rng.uniform(0, 1, 2).tolist(), work)
        found.append([velocity, np.array_equal(grad, kept)])
    return found


@probe("sgd")
def descents(rng):
    found = []
    for momentum, dampening, nesterov in (
        (0, 0, False),
        (0.9, 0, False),
        (0.5, 0.4, False),
        (0.7, 0, True),
    ):
        own = some(rng, kind_of(rng))
        options = {
            "momentum": momentum and momentum * float(rng.uniform(0.5, 1)),
            "dampening": dampening,
        }
        lr = tinytorch.tensor(0.25) if rng.random() < 0.3 else float(rng.uniform(0.01, 1))
        decay, maximize = float(rng.choice([0, 0.3])), bool(rng.integers(2))
        optimizer = SGD(
            own, lr, **options, weight_decay=decay, nesterov=nesterov, maximize=maximize
        )
        found.append(stepped(rng, optimizer, own))
        if momentum:
            optimizer.state[own[2]]["momentum_buffer"] = None
        found.append([stepped(rng, optimizer, own, 2), len(optimizer.state)])
    return found


@probe("moving-average")
def averages(rng):
    found = []
    for beta in (0.0, 1.0, *rng.uniform(0, 1, 3).tolist()):
        shape, kind = sizes(rng, int(rng.integers(1, 4)), 0), kind_of(rng)
        mean, values, work = (drawn(rng, shape, kind) for _ in range(3))
        kept = values.copy()
        average(mean, values, beta, work)
        found.append([mean.copy(), np.array_equal(values, kept)])
        average(mean, values, beta, values)
        found.append(mean)
    return found


@probe("rmsprop")
def steps_by_the_mean_square(rng):
    found = []
    for momentum in (0, float(rng.uniform(0.3, 0.95))):
        for _ in range(3):
            own, options = (
                some(rng, kind_of(rng)),
                dict(zip(("lr", "alpha", "eps"), rng.uniform(0.01, 0.9, 3).tolist())),
            )
            options |= {
                "weight_decay": float(rng.choice([0, 0.3])),
                "maximize": bool(rng.integers(2)),
            }
            optimizer = RMSprop(own, momentum=momentum, **options)
            found.append(stepped(rng, optimizer, own, 3))
            optimizer.param_groups[0]["lr"] /= 7
            found.append(stepped(rng, optimizer, own, 2))
    return found


@probe("bias-correction")
def folded_corrections(rng):
    steps = [1, 2, int(rng.integers(3, 1000)), 1_000_000]
    options = [rng.uniform(0.01, 0.99, 4).tolist() for _ in range(5)]
    return [[float(x) for x in corrected(*each, step)] for each in options for step in steps]


@probe("adam")
def steps_by_both_means(rng):
    found = []
    for amsgrad in (False, True):
        for eps in (1e-8, float(rng.uniform(0.05, 0.5))):
            own, betas = some(rng, kind_of(rng)), tuple(rng.uniform(0.2, 0.99, 2).tolist())
            options = {
                "weight_decay": float(rng.choice([0, 0.3])),
                "maximize": bool(rng.integers(2)),
            }
            optimizer = Adam(
                own, float(rng.uniform(0.01, 1)), betas, eps, amsgrad=amsgrad, **options
            )
            found.append(stepped(rng, optimizer, own, 5))
    return found


@probe("decoupled-decay")
def decayed_weights(rng):
    found = []
    for kind in (np.float32, np.float64):
        weights = drawn(rng, sizes(rng, 2), kind)
        shrink(weights, *rng.uniform(0, 1, 2).tolist())
        found.append(weights)
        own = some(rng, kind)
        optimizer = AdamW(
            own, float(rng.uniform(0.01, 1)), weight_decay=float(rng.uniform(0.1, 1))
        )
        found.append(stepped(rng, optimizer, own, 3))
    own = [
        parameter(rng, sizes(rng, int(rng.integers(0, 5)))).requires_grad_(
            bool(rng.random() < 0.7)
        )
        for _ in range(12)
    ]
    groups = decay_groups(iter(own), float(rng.uniform(0.1, 1)))
    places = [
        [next(i for i, p in enumerate(own) if p is q) for q in group["params"]]
        for group in groups
    ]
    return [
        *found,
        places,
        [[sorted(group), float(group["weight_decay"])] for group in groups],
    ]


@probe("state-dict")
def packed_states(rng):
    own = [parameter(rng, sizes(rng, 2), gradient=rng.random() < 0.7) for _ in range(7)]
    cut = int(rng.integers(1, 7))
    groups = [{"params": own[:cut], "lr": float(rng.uniform(0.1, 1))}, {"params": own[cut:]}]
    optimizer = Adam(groups, lr=float(rng.uniform(0.1, 1)), weight_decay=0.5)
    optimizer.step()
    optimizer.state["shared"] = {"count": int(rng.integers(9))}
    packed = pack_state(optimizer)
    options = [
        [list(group)[-1], sorted(group), group["params"], group["lr"]]
        for group in packed["param_groups"]
    ]
    states = {str(key): state for key, state in packed["state"].items()}
    same = [packed["state"].get(i) is optimizer.state.get(p) for i, p in enumerate(own)]
    packed["param_groups"][0]["lr"] = 7.0
    kept = [group["lr"] for group in optimizer.param_groups]
    return [
        options,
        sorted((key, sorted(state.items())) for key, state in states.items()),
        same,
        kept,
    ]


@probe("mend-fit")
def fitted_lines(rng):
    found = []
    for shape in (sizes(rng, 2), sizes(rng, 1), sizes(rng, 3)):
        outputs, targets = parameter(rng, shape, gradient=False), wrap(drawn(rng, shape))
        error = squared_error(outputs, targets)
        error.backward()
        found += [error.detach(), outputs.grad]
        try:
            squared_error(wrap(drawn(rng, (*shape, 1))), targets)
        except AssertionError as refused:
            said = str(refused)
            shown = [r"\D{1,3}".join(map(str, each)) for each in ((*shape, 1), shape)]
            found.append([re.search(each, said) is not None for each in shown])
    for steps in (1, int(rng.integers(2, 8))):
        n, features = (int(number) for number in rng.integers(2, 9, 2))
        tinytorch.manual_seed(int(rng.integers(1000)))
        model, x, y = (
            tinytorch.nn.Linear(features, 1),
            wrap(drawn(rng, (n, features))),
            wrap(drawn(rng, n)),
        )
        before, loss = y.array.copy(), fit(model, x, y, steps, float(rng.uniform(0.01, 0.1)))
        found.append(
            [loss, [p.detach() for p in model.parameters()], np.array_equal(y.array, before)]
        )
    return found
