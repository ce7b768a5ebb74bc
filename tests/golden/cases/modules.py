"""Module 03, continued: hooks of all kinds, conversions of whole modules, containers of parameters, old names of nn.init."""

from collections import OrderedDict

from golden import Area, With, real

area = Area()


class Scaled:
    """A module with a named input, for hooks to see and to change."""

    def __new__(cls, torch):
        class Scaled(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.arange(1.0, 5.0))

            def forward(self, x, *, factor=1.0, fail=False):
                if fail:
                    raise ValueError("asked to")
                return x * self.weight * factor

        return Scaled()


def refusals(programs, **options):
    """One case for each program of a class, which PyTorch refuses."""
    for name, program in list(vars(programs).items()):
        if not name.startswith("_"):
            area.add(f"refused: {name.replace('_', ' ')}", program, [], raises=True, **options)


# Hooks on calls -------------------------------------------------------------------------------------------
@area.case(real(2, 4), real(4))
def hooks_with_named_inputs_see_and_replace(torch, x):
    net, seen = Scaled(torch), []
    net.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {**kwargs, "factor": kwargs.get("factor", 2) + 1}),
        with_kwargs=True,
    )
    net.register_forward_pre_hook(lambda module, args: (args[0] + 1,), prepend=True)
    net.register_forward_hook(
        lambda module, args, kwargs, output: seen.append([dict(kwargs), output]), with_kwargs=True
    )
    net.register_forward_hook(
        lambda module, args, kwargs, output: output * kwargs["factor"], with_kwargs=True, prepend=True
    )
    return net(x), net(x, factor=3.0), seen


@area.case(real(2, 4))
def hooks_with_named_inputs_work_in_a_recursion(torch, x):
    class Twice(torch.nn.Module):
        def forward(self, x, depth=0):
            return x + 1 if depth == 0 else self(x * 2, depth=depth - 1)

    net, seen = Twice(), []
    net.register_forward_hook(
        lambda module, args, kwargs, output: seen.append(kwargs["depth"]), with_kwargs=True
    )
    net.register_forward_pre_hook(lambda module, args, kwargs: None, with_kwargs=True)
    return net(x, depth=3), seen


@area.case()
def a_hook_may_always_be_called(torch):
    net, seen = Scaled(torch), []
    net.register_forward_hook(lambda module, args, output: seen.append("plain"))
    net.register_forward_hook(
        lambda module, args, output: seen.append(["always", output is None]), always_call=True
    )
    net.register_forward_hook(
        lambda module, args, kwargs, output: seen.append(["named", sorted(kwargs)]),
        always_call=True,
        with_kwargs=True,
    )
    net(torch.ones(4))
    for _ in range(2):
        try:
            net(torch.ones(4), fail=True)
        except ValueError as error:
            seen.append(str(error))
    return seen


@area.case((real(3, 4), real(3, 2)), gradient=False)
def backward_hooks_see_and_replace_gradients(torch, x, cotangent):
    net, seen = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2)), []
    net[0].register_full_backward_hook(
        lambda module, inputs, outputs: seen.append(["first", inputs, outputs])
    )
    net[2].register_full_backward_pre_hook(lambda module, outputs: (outputs[0] * 2,))
    net[2].register_full_backward_pre_hook(lambda module, outputs: seen.append(["before", outputs]))
    net[2].register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 3,))
    handle = net[1].register_full_backward_pre_hook(lambda module, outputs: (outputs[0] * 0,), prepend=True)
    x.requires_grad_()
    net(x).backward(cotangent)
    first = {name: p.grad.clone() for name, p in net.named_parameters()}
    handle.remove()
    net.zero_grad()
    net(x).backward(cotangent)
    return first, {name: p.grad for name, p in net.named_parameters()}, x.grad, seen


class BackwardRefusals:
    def a_gradient_in_place_of_a_tuple(torch):
        net = torch.nn.Linear(2, 3)
        net.register_full_backward_hook(lambda module, inputs, outputs: inputs[0])
        net(torch.ones(4, 2, requires_grad=True)).sum().backward()

    def too_many_gradients_before(torch):
        net = torch.nn.Linear(2, 3)
        net.register_full_backward_pre_hook(lambda module, outputs: (outputs[0], outputs[0]))
        net(torch.ones(4, 2, requires_grad=True)).sum().backward()


refusals(BackwardRefusals)


class HookRefusals:
    def a_pre_hook_that_returns_no_pair(torch):
        net = Scaled(torch)
        net.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
        net(torch.ones(4))

    def an_error_in_forward_with_hooks_that_are_always_called(torch):
        net = Scaled(torch)
        net.register_forward_hook(lambda *args: 1 / 0, always_call=True)
        net(torch.ones(4), fail=True)


refusals(HookRefusals)


# Hooks on saving and loading ------------------------------------------------------------------------------
@area.case()
def hooks_on_saving_see_and_change(torch):
    nn, seen = torch.nn, []
    net = nn.Sequential(nn.Linear(2, 1), nn.Sequential(nn.Linear(1, 3, bias=False)))
    net.register_state_dict_pre_hook(lambda module, prefix, keep: seen.append(["before", prefix, keep]))
    net[1].register_state_dict_pre_hook(
        lambda module, prefix, keep: seen.append([repr(module), prefix, keep])
    )

    def renamed(module, state, prefix, metadata):
        state[prefix + "kernel"] = state.pop(prefix + "weight")

    net[0].register_state_dict_post_hook(renamed)
    handle = net._register_state_dict_hook(
        lambda module, state, prefix, metadata: OrderedDict(
            (f"model.{name}", value) for name, value in state.items()
        )
    )
    first = list(net.state_dict(keep_vars=True))
    handle.remove()
    return first, list(net.state_dict(prefix="net.")), seen


@area.case()
def hooks_on_loading_rename_and_forgive(torch):
    nn, seen = torch.nn, []
    net = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 3, bias=False))

    def renamed(state, prefix, metadata, strict, missing, unexpected, errors):
        seen.append([prefix, strict, missing, unexpected, errors])
        for name in [name for name in state if name.startswith(prefix + "kernel")]:
            state[prefix + "weight"] = state.pop(name)

    net[0]._register_load_state_dict_pre_hook(renamed)
    net[1].register_load_state_dict_pre_hook(lambda module, state, prefix, *_: renamed(state, prefix, *_))
    state = {"0.kernel": torch.ones(1, 2), "0.bias": torch.ones(1), "1.kernel": torch.ones(3, 1)}
    result = net.load_state_dict(state)
    loaded = {name: value.clone() for name, value in net.state_dict().items()}

    def forgive(module, keys):
        seen.append([type(module).__name__, sorted(keys.missing_keys), sorted(keys.unexpected_keys)])
        keys.missing_keys.clear()
        keys.unexpected_keys.clear()

    net.register_load_state_dict_post_hook(forgive)
    forgiven = net.load_state_dict({"1.weight": torch.zeros(3, 1), "more": torch.ones(1)})
    return list(state), tuple(result), loaded, tuple(forgiven), net.state_dict(), seen


class StateRefusals:
    def a_hook_that_leaves_missing_names(torch):
        net = torch.nn.Linear(2, 1)
        net.register_load_state_dict_post_hook(lambda module, keys: None)
        net.load_state_dict({"weight": torch.ones(1, 2), "more": torch.ones(1)})

    def a_hook_after_loading_that_returns_something(torch):
        net = torch.nn.Linear(2, 1)
        net.register_load_state_dict_post_hook(lambda module, keys: keys)
        net.load_state_dict(net.state_dict())

    def a_hook_before_loading_that_finds_an_error(torch):
        net = torch.nn.Linear(2, 1)
        net.register_load_state_dict_pre_hook(lambda *args: args[-1].append("not this one"))
        net.load_state_dict(net.state_dict())

    def a_hook_after_saving_that_returns_something(torch):
        net = torch.nn.Linear(2, 1)
        net.register_state_dict_post_hook(lambda module, state, *_: state)
        net.state_dict()

    def a_state_dict_that_is_a_list(torch):
        torch.nn.Linear(2, 1).load_state_dict([1])


refusals(StateRefusals)


# Conversions ----------------------------------------------------------------------------------------------
def tower(torch):
    """A model with buffers of two kinds."""
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Sequential(torch.nn.Linear(3, 1, bias=False)))
    net.register_buffer("scale", torch.ones(2))
    net[1].register_buffer("steps", torch.tensor(3))
    return net


def kinds(net):
    return {name: [str(value.dtype), list(value.shape)] for name, value in net.state_dict().items()}


CONVERSIONS = """
    net.to(torch.float64); net.to("cpu"); net.to("cpu", torch.float16); net.to(dtype=torch.float64, device="cpu")
    net.to(torch.float64, True); net.to(torch.device("cpu"), torch.float64, non_blocking=True); net.to(None)
    net.to(torch.zeros(1, dtype=torch.float64)); net.to(tensor=torch.zeros(1, dtype=torch.float16))
    net.to(memory_format=torch.channels_last); net.to(torch.float64, memory_format=torch.contiguous_format)
    net.type(torch.float64); net.type("torch.DoubleTensor"); net.type(dst_type=torch.HalfTensor); net.double()
    net.half(); net.double().float(); net.cpu(); net.to_empty(device="cpu"); net.to_empty(device="cpu", recurse=False)
"""
area.each(
    "", [], CONVERSIONS, lambda torch: {"kinds": kinds, "net": tower(torch)}, form="[kinds({}), kinds(net)]"
)
area.refused("", [], "net.to(3); net.to(torch.int32); net.type(torch.int32); net.type(torch.LongTensor); net.type('a'); net.to('gpu')", given=lambda torch: {"net": tower(torch)})  # fmt: skip
area.each(
    "x",
    [real(2, 3, 6, 5)],
    "net.weight.is_contiguous(); net.weight.stride(); net(x.to(memory_format=torch.channels_last)); net(x)",
    lambda torch: {"net": torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)},
)


# Containers of parameters ---------------------------------------------------------------------------------
@area.case()
def parameter_dict_behaves_like_a_dict(torch):
    nn = torch.nn
    weights = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(2, 3)), "n": 3})
    texts = [
        repr(weights),
        len(weights),
        list(weights),
        "a" in weights,
        "z" in weights,
        list(reversed(weights)),
    ]
    weights["c"] = torch.arange(2.0)
    weights.update(OrderedDict(z=torch.ones(1), y=torch.ones(()).double()))
    weights.update([("p", torch.ones(1)), ["q", None]])
    kinds = [[key, type(value).__name__] for key, value in weights.items()]
    parts = [weights.get("a"), weights.get("nothing"), weights.get("nothing", 5), weights.setdefault("a", 3)]
    parts += [
        weights.setdefault("new", torch.ones(1)),
        weights.pop("b"),
        weights.popitem(),
        list(weights.keys()),
    ]
    other = nn.ParameterDict({"a": torch.full((1,), 7.0), "more": torch.ones(1)})
    both, twice = weights | other, other.copy()
    twice |= {"k": torch.ones(1)}
    joined = [list(both), list(twice), list({"d": torch.ones(1)} | other), both["a"], list(both.values())]
    del weights["a"]
    names = [name for name, _ in weights.named_parameters()], list(weights.state_dict()), repr(weights)
    made = weights.fromkeys(["r", "s"], torch.ones(1))
    weights.clear()
    return texts, kinds, parts, joined, names, list(made), type(made).__name__, len(weights), repr(weights)


@area.case()
def parameter_list_behaves_like_a_list(torch):
    nn = torch.nn
    weights = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(2, 3)), "text"])
    weights.append(3)
    weights += [torch.ones(1, dtype=torch.float64)]
    weights[-2] = torch.full((2,), 4.0)
    weights[0] = nn.Parameter(torch.ones(3))
    parts = [
        repr(weights),
        len(weights),
        [type(value).__name__ for value in weights],
        weights[-1],
        weights[1:3],
    ]
    parts += [[name for name, _ in weights.named_parameters()], list(weights.state_dict())]
    return parts, weights.extend([torch.ones(1)]) is weights, list(weights), repr(nn.ParameterList())


class ContainerRefusals:
    def a_key_that_is_no_text(torch):
        torch.nn.ParameterDict()[3] = torch.ones(1)

    def a_key_that_is_missing(torch):
        torch.nn.ParameterDict({"a": torch.ones(1)})["b"]

    def deleting_what_is_missing(torch):
        del torch.nn.ParameterDict({"a": torch.ones(1)})["b"]

    def popping_from_an_empty_dict(torch):
        torch.nn.ParameterDict().popitem()

    def calling_a_dict_of_parameters(torch):
        torch.nn.ParameterDict()(torch.ones(1))

    def calling_a_list_of_parameters(torch):
        torch.nn.ParameterList()(torch.ones(1))

    def a_dict_from_a_number(torch):
        torch.nn.ParameterDict(3)

    def a_dict_from_numbers(torch):
        torch.nn.ParameterDict([1, 2])

    def a_dict_from_triples(torch):
        torch.nn.ParameterDict([("a", 1, 2)])

    def a_list_from_a_tensor(torch):
        torch.nn.ParameterList(torch.ones(2))

    def a_list_from_a_number(torch):
        torch.nn.ParameterList(3)

    def an_index_that_is_missing(torch):
        torch.nn.ParameterList([torch.ones(1)])[1]

    def setting_an_index_that_is_missing(torch):
        torch.nn.ParameterList([torch.ones(1)])[-2] = torch.ones(1)


refusals(ContainerRefusals)

# Bilinear -------------------------------------------------------------------------------------------------
area.each(
    "x, y, weight, bias",
    [
        (real(2, 3), real(2, 4), real(5, 3, 4), real(5)),
        (real(3), real(4), real(1, 3, 4), real(1)),
        (real(2, 3, 3), real(2, 3, 2), real(4, 3, 2), real(4)),
        (real(0, 3), real(0, 4), real(5, 3, 4), real(5)),
        (real(3, 2).transposed, real(3, 2).strided, real(2, 2, 2), real(2).strided),
        (*(real(2, 3, dtype="float64"),) * 2, real(4, 3, 3, dtype="float64"), real(4, dtype="float64")),
    ],
    "F.bilinear(x, y, weight, bias); F.bilinear(x, y, weight); F.bilinear(input1=x, input2=y, weight=weight, bias=None)",
)
area.modules(
    [(real(2, 3), real(2, 4)), (real(3), real(4)), (real(2, 5, 3), real(2, 5, 4))],
    "nn.Bilinear(3, 4, 5); nn.Bilinear(3, 4, 1, bias=False); nn.Bilinear(in1_features=3, in2_features=4, out_features=2)",
    names="x, y",
    calls="module(x, y)",
)
area.refused(
    "x, y",
    [(real(2, 3), real(3, 4)), (real(2, 4), real(2, 4)), (real(2, 3), real(2, 3))],
    "nn.Bilinear(3, 4, 5)(x, y)",
)
area.refused("", [], "nn.Bilinear(0, 2, 3); nn.Bilinear(-1, 2, 3)")

# First values ---------------------------------------------------------------------------------------------
area.each(
    "",
    [],
    """
    nn.init.dirac_(torch.empty(3, 5, 3)); nn.init.dirac_(torch.empty(5, 3, 3, 4)); nn.init.dirac_(torch.empty(2, 2, 2, 3, 1))
    nn.init.dirac_(torch.empty(6, 2, 3), 3); nn.init.dirac_(torch.empty(4, 4, 1, 2, dtype=torch.float64), groups=2)
    nn.init.sparse_(torch.empty(5, 4), 0.3); nn.init.sparse_(torch.empty(10, 3), sparsity=0.55, std=2.0)
    nn.init.sparse_(torch.empty(20, 3), 0.1, generator=torch.Generator().manual_seed(3)); nn.init.sparse_(torch.empty(4, 2), 1)
    nn.init.uniform(torch.empty(3, 2), 1, 2); nn.init.normal(torch.empty(3, 2), mean=1.0); nn.init.constant(torch.empty(2), 3.0)
    nn.init.eye(torch.empty(2, 3)); nn.init.dirac(torch.empty(2, 2, 3)); nn.init.xavier_uniform(torch.empty(3, 2), gain=2.0)
    nn.init.xavier_normal(torch.empty(3, 2)); nn.init.kaiming_uniform(torch.empty(3, 2), a=1)
    nn.init.kaiming_normal(torch.empty(5, 4), mode="fan_out"); nn.init.orthogonal(torch.empty(3, 3))
    """,
)
area.refused(
    "",
    [],
    """
    nn.init.dirac_(torch.empty(2, 2)); nn.init.dirac_(torch.empty(3, 2, 2), 2); nn.init.sparse_(torch.empty(2), 0.1)
    nn.init.sparse_(torch.empty(2, 2, 2), 0.1); nn.init.eye(torch.empty(2)); nn.init.uniform()
    """,
)


# Weights that are made anew -------------------------------------------------------------------------------
def told(torch, net, calls):
    """What a module gives at each call, and what is in it in the end."""
    outputs = [net(x) for x in calls]
    return [outputs, dict(net.named_parameters()), dict(net.named_buffers()), repr(net)]


@area.case((real(3, 4), real(2, 4)))
def weight_norm_learns_length_and_direction_apart(torch, x, y):
    utils = torch.nn.utils
    rows = utils.weight_norm(torch.nn.Linear(4, 3))
    whole = utils.weight_norm(torch.nn.Linear(4, 2, bias=False), name="weight", dim=None)
    columns = utils.weight_norm(torch.nn.Linear(4, 3), dim=1)
    found = [told(torch, net, (x, y)) for net in (rows, whole, columns)]
    leaves = {
        f"{number} {name}": p
        for number, net in enumerate((rows, whole, columns))
        for name, p in net.named_parameters()
    }
    return With(found, leaves)


@area.case(real(3, 4))
def weight_norm_can_be_taken_off(torch, x):
    net = torch.nn.utils.weight_norm(torch.nn.Linear(4, 3))
    state, expected = list(net.state_dict()), net(x)
    plain = torch.nn.utils.remove_weight_norm(net)
    return expected, state, list(plain.state_dict()), plain(x), isinstance(plain.weight, torch.nn.Parameter)


@area.case((real(3, 4), real(2, 4)))
def spectral_norm_divides_by_the_largest_singular_value(torch, x, y):
    utils = torch.nn.utils
    net = utils.spectral_norm(torch.nn.Linear(4, 3))
    other = utils.spectral_norm(torch.nn.Linear(4, 2), n_power_iterations=5, eps=1e-6, dim=1)
    found = [told(torch, net, (x, y)), told(torch, other.eval(), (x, x)), list(net.state_dict())]
    return With(found, {"weight": net.weight_orig, "other": other.weight_orig})


@area.case(real(3, 4))
def spectral_norm_can_be_taken_off(torch, x):
    net = torch.nn.utils.spectral_norm(torch.nn.Linear(4, 3))
    expected = net(x)
    plain = torch.nn.utils.remove_spectral_norm(net)
    return expected, list(plain.state_dict()), plain(x)


@area.case(real(2, 3, 6, 6))
def norms_of_weights_know_convolutions(torch, x):
    nn, utils = torch.nn, torch.nn.utils
    nets = [
        utils.weight_norm(nn.Conv2d(3, 4, 3)), utils.spectral_norm(nn.Conv2d(3, 4, 3)),
        utils.spectral_norm(nn.ConvTranspose2d(3, 4, 3)),
    ]  # fmt: skip
    return [told(torch, net, (x, x)) for net in nets]


class NormRefusals:
    def weight_norm_twice(torch):
        torch.nn.utils.weight_norm(torch.nn.utils.weight_norm(torch.nn.Linear(2, 2)))

    def spectral_norm_twice(torch):
        torch.nn.utils.spectral_norm(torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2)))

    def removing_a_weight_norm_that_is_not_there(torch):
        torch.nn.utils.remove_weight_norm(torch.nn.Linear(2, 2))

    def removing_a_spectral_norm_that_is_not_there(torch):
        torch.nn.utils.remove_spectral_norm(torch.nn.Linear(2, 2))

    def weight_norm_of_what_is_not_there(torch):
        torch.nn.utils.weight_norm(torch.nn.Linear(2, 2), "kernel")

    def spectral_norm_of_what_is_not_there(torch):
        torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2), "kernel")

    def spectral_norm_of_no_bias(torch):
        torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2, bias=False), "bias")

    def no_power_iterations(torch):
        torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2), n_power_iterations=0)


refusals(NormRefusals)


# Names that programs ask for ------------------------------------------------------------------------------
area.each(
    "",
    [],
    """
    isinstance(nn.Conv2d(1, 1, 1), nn.modules.conv._ConvNd); isinstance(nn.BatchNorm1d(2), nn.modules.batchnorm._BatchNorm)
    isinstance(nn.Linear(1, 1), nn.modules.batchnorm._BatchNorm); issubclass(nn.MSELoss, nn.modules.loss._Loss)
    issubclass(nn.NLLLoss, nn.modules.loss._WeightedLoss); nn.modules.utils._pair(3); nn.modules.utils._triple([1, 2, 3])
    nn.modules.utils._ntuple(4)(0); nn.modules.utils._reverse_repeat_tuple((1, 2), 2); nn.modules.linear.Linear is nn.Linear
    nn.modules.module.Module is nn.Module; nn.parameter.Parameter is nn.Parameter; nn.modules.container.Sequential is nn.Sequential
    """,
)


@area.case(real(2, 4))
def checkpointed_functions_compute_the_same(torch, x):
    from importlib import import_module

    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint")
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
    first = checkpoint.checkpoint(net, x, use_reentrant=False)
    second = checkpoint.checkpoint(lambda x, factor: x * factor, x, factor=3.0, use_reentrant=False)
    return first, second, checkpoint.checkpoint_sequential(net, 2, x, use_reentrant=False)
