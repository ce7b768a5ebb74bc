"""Probes of module 16."""

import tinytorch


def numbers(rng, *shape, dtype=np.float32):
    return rng.normal(size=shape).astype(dtype)


def sizes(rng, count):
    return rng.integers(1, 8, size=count).tolist()


def some_mask(rng, *shape):
    return tensor(rng.integers(2, size=shape).astype(np.float32))


def some_layer(rng, bias=True):
    """A Linear or a Conv2d with weights of its own."""
    inputs, outputs = sizes(rng, 2)
    layer = Linear(inputs + 1, outputs + 2, bias=bias)
    if rng.integers(2):
        kernel = tuple(rng.integers(1, 4, size=2).tolist())
        layer = tinytorch.nn.Conv2d(
            inputs + 1, outputs + 2, kernel, padding=1, stride=2, bias=bias
        )
    for parameter in layer.parameters():
        parameter.detach().array[...] = numbers(rng, *parameter.shape) ** 3
    return layer


def now(x):
    """The numbers of a Tensor as they are now: it may change later."""
    return x.detach().numpy().copy()


def state(module):
    kept = [[name, now(each)] for name, each in sorted(module.state_dict().items())]
    return [kept, sorted(name for name, _ in module.named_parameters())]


class Some(BasePruningMethod):
    """Prunes what is smaller than the mean of what it is shown, as one of the three types."""

    def __init__(self, kind, dim=0, name="weight"):
        self.PRUNING_TYPE, self.dim, self._tensor_name = kind, dim, name

    def compute_mask(self, t, default_mask):
        sizes = np.abs(now(t))
        return default_mask * tensor((sizes >= sizes.mean()).astype(np.float32))


@probe("magnitude-mask")
def masks_by_magnitude(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        for shape in [(9,), (3, 1, 4), tuple(sizes(rng, 2))]:
            scores = numbers(rng, *shape, dtype=dtype)
            before, counts = (
                scores.copy(),
                [0, scores.size, int(rng.integers(scores.size + 1))],
            )
            found += [
                [magnitude_mask(scores, n) for n in counts],
                np.array_equal(scores, before),
            ]
    tied = magnitude_mask(np.zeros((4, 5), np.float32), int(rng.integers(21)))
    return [found, tied.sum()]


@probe("masked-parameter")
def a_parameter_behind_a_mask(rng):
    layer, method = some_layer(rng), Some("global")
    parameter, mask = layer.weight, some_mask(rng, *layer.weight.shape)
    method.put_on(layer, mask)
    found = [state(layer), now(layer.weight), layer.weight_orig is parameter]
    parameter.detach().array[...] = numbers(rng, *parameter.shape)
    x = tensor(numbers(rng, 2, layer.weight.shape[1], *(5, 5)[: layer.weight.dim() - 2]))
    y = layer(x)
    y.backward(tensor(numbers(rng, *y.shape)))
    found += [y, now(parameter.grad), now(layer.weight), now(method.apply_mask(layer))]
    method.put_on(layer, some_mask(rng, *parameter.shape).to(dtype=tinytorch.float64))
    found += [state(layer), str(layer.weight.dtype), layer.weight_orig is parameter]
    parameter.detach().array[...] = numbers(rng, *parameter.shape)
    Some("global", name="bias").put_on(layer, some_mask(rng, *layer.bias.shape))
    found.append(state(layer))
    method.remove(layer)
    found.append(method in layer._forward_pre_hooks.values())
    return [*found, state(layer), layer.weight is parameter]


@probe("what-is-left")
def methods_after_each_other(rng):
    found = []
    for kind in ["unstructured", "structured", "global"]:
        for dtype in [np.float32, np.float64]:
            shape = tuple((rng.integers(2, 6, size=3)).tolist())
            scores, mask = tensor(numbers(rng, *shape, dtype=dtype)), some_mask(rng, *shape)
            dim = int(rng.integers(-3, 3))
            mask.array[(slice(None),) * (dim % 3) + (0,)] = 0
            before, method = mask.array.copy(), Some(kind, dim)
            container = PruningContainer(Some("global"))
            container.add_pruning_method(method)
            found += [container.compute_mask(scores, mask), np.array_equal(mask.array, before)]
    return found


@probe("global")
def layers_pruned_together(rng):
    found = []
    for scored in [False, True]:
        layers = [some_layer(rng) for _ in range(3)]
        pairs = [(layer, "weight") for layer in layers] + [(layers[0], "bias")]
        scores = (
            {pairs[1]: tensor(10 * numbers(rng, *layers[1].weight.shape))} if scored else None
        )
        for amount in [int(rng.integers(1, 5)), float(rng.uniform(0.1, 0.5)), 2]:
            global_unstructured(pairs, L1Unstructured, scores, amount=amount)
            found.append([[state(layer), now(layer.weight)] for layer in layers])
    return found


@probe("schedule")
def pruning_little_by_little(rng):
    layers = [some_layer(rng) for _ in range(2)]
    pairs = [(layer, "weight") for layer in layers]
    begin, every, final = (
        int(rng.integers(4)),
        int(rng.integers(1, 4)),
        float(rng.uniform(0.2, 1)),
    )
    schedule = PruningSchedule(pairs, final, begin + int(rng.integers(3, 9)), begin, every)
    shares, found = [float(schedule.share_at(step)) for step in range(15)], []
    for _ in range(14):
        schedule.step()
        found.append([schedule.steps, *(layer.weight.detach().array != 0 for layer in layers)])
        found.append([name for name, _ in layers[0].named_buffers()])
    return [shares, found]


def a_network(rng):
    """Three layers with numbers of their own, and the names of what can be pruned."""
    a, b, c = sizes(rng, 3)
    model = Sequential(
        Linear(a + 2, b + 2), Sequential(Linear(b + 2, c + 2)), Linear(c + 2, 2)
    )
    for parameter in model.parameters():
        parameter.detach().array[...] = numbers(rng, *parameter.shape)
    names = [["0.weight", "1.0.weight", "2.weight"], ["1.0.weight", "2.bias"]]
    return model, names[rng.integers(2)]


def a_plain_share(rng, total):
    """A share and rounds whose counts agree, counted from what is left and from all."""
    while True:
        share, rounds = float(rng.uniform(0.3, 0.9)), int(rng.integers(1, 5))
        left, each = [total], 1 - (1 - share) ** (1 / rounds)
        for _ in range(rounds):
            left.append(left[-1] - round(each * left[-1]))
        removed = [total * (1 - (1 - share) ** (n / rounds)) for n in range(rounds + 1)]
        if all(abs(total - a - b) < 0.4 for a, b in zip(left, removed)):
            return share, rounds


@probe("ticket")
def tickets(rng):
    found = []
    for _ in range(4):
        start, names = a_network(rng)

        def training(model):
            found.append(state(model))
            for parameter in model.parameters():
                parameter.detach().array[...] += numbers(rng, *parameter.shape)
            with no_grad():
                model(tensor(numbers(rng, 1, model[0].in_features)))

        parameters = dict(start.named_parameters())
        share, rounds = a_plain_share(rng, sum(parameters[name].numel() for name in names))
        ticket = find_ticket(start, names, training, share, rounds)
        found += [state(ticket), state(start)]
        other, _ = copy.deepcopy(start), training(ticket)
        for parameter in other.parameters():
            parameter.detach().array[...] = numbers(rng, *parameter.shape)
        rewind(ticket, other)
        found += [state(ticket), state(other)]
    return found


@probe("control")
def controls(rng):
    found = []
    for _ in range(4):
        pruned, names = a_network(rng)
        model = copy.deepcopy(pruned)
        for parameter in model.parameters():
            parameter.detach().array[...] = numbers(rng, *parameter.shape)
        for place in names:
            path, _, name = place.rpartition(".")
            module = pruned.get_submodule(path)
            custom_from_mask(module, name, some_mask(rng, *getattr(module, name).shape))
        found.append(state(put_masks(pruned, model)))
        tinytorch.manual_seed(int(rng.integers(1000)))
        shuffled = put_masks(pruned, model, shuffled=True)
        masks = [now(x) for name, x in sorted(shuffled.named_buffers())]
        found += [[x.shape, x.sum()] for x in masks]
        found += [state(pruned), state(model)]
    return found


@probe("smaller-layers")
def units_that_stay(rng):
    found = []
    for bias in [True, False]:
        layer = some_layer(rng, bias)
        outputs, inputs = layer.weight.shape[:2]
        before, kept = (
            layer.weight.detach().array.copy(),
            np.sort(rng.permutation(outputs)[: rng.integers(1, outputs + 1)]),
        )
        found += [
            strongest_units(layer, count) for count in (1, int(rng.integers(1, outputs + 1)))
        ]
        few, read = (
            select_outputs(layer, kept),
            np.sort(rng.permutation(inputs)[: rng.integers(1, inputs + 1)]),
        )
        found += [
            repr(few),
            state(few),
            repr(select_inputs(layer, read, inputs)),
            state(select_inputs(layer, read, inputs)),
        ]
        each, wide = int(rng.integers(1, 4)), Linear(12, 3, bias=bias)
        wide.weight.detach().array[...] = numbers(rng, 3, 12)
        found.append(
            select_inputs(
                wide, np.array([0, int(rng.integers(1, 12 // each))]), 12 // each
            ).weight.detach()
        )
        found.append(np.array_equal(before, layer.weight.detach().array))
    return found


@probe("factorize")
def a_layer_as_two(rng):
    found = []
    for bias in [True, False]:
        inputs, outputs = (2 + n for n in sizes(rng, 2))
        layer = Linear(inputs, outputs, bias=bias)
        layer.weight.detach().array[...] = numbers(rng, outputs, inputs)
        rank = int(rng.integers(1, min(inputs, outputs) + 1))
        both = factorize(layer, rank)
        first, second = (part.weight.detach().array for part in both)
        found += [repr(both), second @ first, both(tensor(numbers(rng, 2, inputs)))]
        found += [
            [name for name, p in both.named_parameters() if p.requires_grad],
            layer.weight.detach(),
            both[1].bias is layer.bias and bias,
        ]
    return found


def some_base(rng, packed):
    """A Linear with weights of its own, or one packed into 4 bits."""
    inputs, outputs = rng.integers(3, 40, size=2).tolist()
    layer = Linear(inputs, outputs, bias=bool(rng.integers(2)))
    for parameter in layer.parameters():
        parameter.array[...] = numbers(rng, *parameter.shape)
    return tinytorch.Int4Linear(layer) if packed else layer


@probe("lora")
def corrections_of_low_rank(rng):
    found = []
    for packed in [False, True]:
        base = some_base(rng, packed)
        rank, alpha = int(rng.integers(1, 4)), float(rng.uniform(0.5, 20))
        adapter = LoRALinear(base, rank, alpha)
        x = tensor(numbers(rng, 2, 3, base.in_features), requires_grad=True)
        first = adapter.lora_A.weight
        found += [adapter(x), bool(now(first).any()), sorted(adapter.state_dict())]
        first.array[...] = numbers(rng, *first.shape)
        second = adapter.lora_B.weight
        second.array[...] = numbers(rng, *second.shape)
        y = adapter(x)
        y.backward(tensor(numbers(rng, *y.shape)))
        found += [now(y), now(x.grad), now(first.grad), now(second.grad)]
        found.append(sorted(n for n, p in adapter.named_parameters() if p.requires_grad))
        if not packed:
            layer = adapter.merged()
            found += [layer(x), type(layer).__name__, str(layer), state(layer), state(adapter)]
            layer.weight.array[...] = 0
            found.append(now(base.weight))
    return found


@probe("add-adapters")
def adapters_in_a_model(rng):
    found = []
    for names in [["first"], ["last"], ["b.first", "last"], ["first", "last"]]:
        shared, width = Linear(6, 6), int(rng.integers(4, 9))
        tree = {
            "first": shared,
            "norm": tinytorch.nn.BatchNorm1d(6),
            "b": Sequential(),
            "last": Linear(6, width),
        }
        model = tinytorch.nn.ModuleDict(tree)
        model["b"].add_module("first", shared if rng.integers(2) else Linear(6, 6))
        model["b"].add_module("last", Linear(6, 5, bias=False))
        rank, alpha = int(rng.integers(1, 4)), float(rng.uniform(1, 9))
        same = add_adapters(model, names, rank, alpha) is model
        kinds = [
            (name, type(each).__name__, getattr(each, "rank", 0), getattr(each, "alpha", 0))
            for name, each in model.named_modules(remove_duplicate=False)
        ]
        trained = sorted(n for n, p in model.named_parameters() if p.requires_grad)
        for each in model.parameters():
            each.array[...] = numbers(rng, *each.shape)
            each.requires_grad_(bool(rng.integers(2)))
        kept = sorted((name, now(each)) for name, each in adapter_state(model).items())
        found += [same, kinds, trained, [list(pair) for pair in kept]]
    return found


@probe("kmeans")
def centers_of_numbers(rng):
    found = []
    for size, count, iterations in [
        (1, 1, 5),
        (40, 3, 20),
        (200, int(rng.integers(2, 30)), 4),
        (30, 256, 1),
        (60, 4, 0),
    ]:
        values = numbers(rng, size) ** 3
        before, (centers, codes) = values.copy(), kmeans(values, count, iterations)
        found += [centers, codes, np.array_equal(values, before)]
    return found


@probe("distillation-loss")
def losses_of_a_student(rng):
    found = []
    for shape in [(1, 2), (5, 7), tuple(sizes(rng, 2) + np.array([0, 1]))]:
        student, teacher = (
            tensor(3 * numbers(rng, *shape)).requires_grad_() for _ in range(2)
        )
        labels = tensor(rng.integers(shape[1], size=shape[0]))
        for options in [
            (),
            (float(rng.uniform(0.5, 9)), float(rng.uniform(0, 1))),
            (2.0, 1.0),
        ]:
            loss = distillation_loss(student, teacher, labels, *options)
            loss.backward()
            found += [loss, student.grad.clone(), teacher.grad]
    return found


@probe("pareto-front")
def candidates_that_none_beats(rng):
    found = []
    for N, M in [(1, 1), (12, 2), (20, 3), sizes(rng, 2)]:
        found.append(pareto_front(rng.integers(5, size=(N, M))))
        found.append(pareto_front(rng.normal(size=(N, M))))
    return [np.asarray(front).tolist() for front in found]
