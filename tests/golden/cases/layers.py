"""Module 03: Module and its laws, Linear, Dropout, containers, initialisation."""

from golden import Area, integers, real, uniform

area = Area()

# Layers ---------------------------------------------------------------------------------------------------
ROWS = [
    real(2, 4),
    real(4),
    real(2, 3, 4),
    real(0, 4),
    real(2, 4).transposed,
    real(3, 4).expanded,
    real(2, 4).strided,
]
area.modules(ROWS, "nn.Linear(4, 3); nn.Linear(4, 1, bias=False); nn.Linear(in_features=4, out_features=20)")
area.modules([real(2, 4, dtype="float64")], "nn.Linear(4, 3, dtype=torch.float64); nn.Linear(4, 3).double()")
area.modules(
    [real(2, 4)],
    """
    nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    nn.Sequential(nn.Linear(4, 5), nn.Sequential(nn.Tanh(), nn.Linear(5, 5, bias=False)), nn.Identity())
    nn.Sequential(nn.Dropout(0.5), nn.Linear(4, 3)); nn.Sequential(nn.Dropout(), nn.Linear(4, 3)).eval()
    nn.Sequential()
    nn.Linear(4, 300)
    """,
)
ANY = [real(2, 3), real(), real(0, 3), real(3, 4).transposed, uniform(5, low=-20, high=20), real(2, 3, 2)]
area.modules(
    ANY,
    """
    nn.Identity(); nn.ReLU(); nn.LeakyReLU(); nn.LeakyReLU(0.2); nn.Sigmoid(); nn.Tanh(); nn.GELU()
    nn.GELU('tanh'); nn.SiLU()
    nn.Softplus(); nn.Softplus(beta=2, threshold=10); nn.Softmax(0); nn.Softmax(dim=-1)
    nn.LogSoftmax(dim=-1); nn.Dropout(0.0)
    nn.Dropout(p=0.2).eval(); nn.ReLU(inplace=False)
    """,
    tolerance=4,
)
area.modules(
    [real(2, 3, 4), real(2, 3), real(0, 3), real(2, 4, 3).transposed],
    "nn.Flatten(); nn.Flatten(0); nn.Flatten(start_dim=0, end_dim=1)",
)
area.each(
    "x, weight, bias",
    [
        (real(2, 4), real(3, 4), real(3)),
        (real(4), real(3, 4), real(3)),
        (real(2, 5, 4), real(3, 4), real(3)),
        (real(2, 4).transposed, real(3, 4).transposed, real(3).strided),
        (real(0, 4), real(3, 4), real(3)),
        (real(2, 0), real(3, 0), real(3)),
    ],
    "F.linear(x, weight, bias); F.linear(x, weight); F.linear(input=x, weight=weight, bias=None)",
)
area.refused("x", [real(2, 3), real(5), real(2, 4, 3)], "nn.Linear(4, 3)(x)")
area.refused("x", [integers(2, 4)], "nn.Linear(4, 3)(x)")
area.refused(
    "",
    [],
    "nn.Linear(4); nn.Dropout(1.5); nn.Dropout(-0.1); F.dropout(torch.ones(2), 2.0); nn.Linear(4, 'a')",
)
DROPPED = [
    real(2, 3),
    real(100),
    real(7, 9),
    real(),
    real(0),
    real(3, 4).transposed,
    real(9, dtype="float64"),
    real(5).strided,
]
area.each(
    "x",
    DROPPED,
    """
    F.dropout(x); F.dropout(x, 0.1); F.dropout(x, p=0.9, training=True); F.dropout(x, 0.5, False)
    F.dropout(x, 1.0)
    F.dropout(x, 0.0); nn.Dropout(0.3)(x); [F.dropout(x, 0.4), torch.rand(2)]
    """,
)

# Initialisation, to PyTorch's numbers ---------------------------------------------------------------------
area.each(
    "",
    [],
    """
    nn.init.uniform_(torch.empty(3, 4)); nn.init.uniform_(torch.empty(5), -2, 3)
    nn.init.uniform_(torch.empty(2, 2), a=1.0, b=2.0)
    nn.init.normal_(torch.empty(3, 4)); nn.init.normal_(torch.empty(5, 7), 1.0, 0.1)
    nn.init.normal_(torch.empty(3), mean=2, std=3)
    nn.init.constant_(torch.empty(2, 3), 0.3); nn.init.zeros_(torch.empty(2))
    nn.init.ones_(torch.empty(2, 2))
    nn.init.xavier_uniform_(torch.empty(3, 4)); nn.init.xavier_uniform_(torch.empty(5, 3, 2, 2), gain=2.0)
    nn.init.xavier_normal_(torch.empty(3, 4)); nn.init.xavier_normal_(torch.empty(6, 7), gain=0.5)
    nn.init.kaiming_uniform_(torch.empty(3, 4)); nn.init.kaiming_uniform_(torch.empty(3, 4), a=5**0.5)
    nn.init.kaiming_uniform_(torch.empty(3, 4), mode='fan_out', nonlinearity='relu')
    nn.init.kaiming_uniform_(torch.empty(4, 3, 3, 3), nonlinearity='linear')
    nn.init.kaiming_normal_(torch.empty(3, 4))
    nn.init.kaiming_normal_(torch.empty(20, 4), mode='fan_out', nonlinearity='tanh')
    nn.init.kaiming_normal_(torch.empty(3, 4, 5), a=0.1, nonlinearity='leaky_relu')
    [nn.init.calculate_gain(f) for f in ('linear', 'conv2d', 'sigmoid', 'tanh', 'relu', 'leaky_relu', 'selu')]
    [nn.init.calculate_gain('leaky_relu', 0.2), nn.init.calculate_gain('leaky_relu', 1)]
    nn.init.normal_(nn.Linear(3, 2).weight); nn.init.zeros_(nn.Linear(3, 2).bias)
    nn.init.eye_(torch.empty(2, 3)); nn.init.eye_(torch.empty(3, 3))
    nn.init.orthogonal_(torch.empty(3, 3)); nn.init.orthogonal_(torch.empty(2, 5), gain=1.5)
    nn.init.orthogonal_(torch.empty(6, 2)); nn.init.orthogonal_(torch.empty(3, 2, 2))
    nn.init.trunc_normal_(torch.empty(5, 7)); nn.init.trunc_normal_(torch.empty(40), mean=1.0, std=2.0, a=0.0, b=2.0)
    """,
)
area.refused(
    "",
    [],
    """
    nn.init.xavier_uniform_(torch.empty(3)); nn.init.kaiming_normal_(torch.empty(()))
    nn.init.calculate_gain('softmin')
    nn.init.kaiming_uniform_(torch.empty(3, 3), mode='fan_side')
    """,
)


# Module ---------------------------------------------------------------------------------------------------
def small(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 3)
            self.scale = nn.Parameter(torch.ones(3))
            self.register_buffer("seen", torch.zeros(()))
            self.register_buffer("scratch", torch.ones(2), persistent=False)
            self.layers = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])
            self.heads = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 2, bias=False)})
            self.nothing = None
            self.register_parameter("absent", None)

        def forward(self, x, head="a"):
            self.seen += 1
            x = self.first(x) * self.scale
            for layer in self.layers:
                x = layer(x)
            return self.heads[head](x)

    return Net()


@area.case()
def a_module_lists_its_parts_in_the_order_they_came(torch):
    net = small(torch)
    return {
        "parameters": [name for name, _ in net.named_parameters()],
        "own": [name for name, _ in net.named_parameters(recurse=False)],
        "prefixed": [name for name, _ in net.named_parameters(prefix="net")],
        "buffers": [name for name, _ in net.named_buffers()],
        "modules": [(name, type(module).__name__) for name, module in net.named_modules()],
        "children": [name for name, _ in net.named_children()],
        "state": net.state_dict(),
        "text": repr(net),
        "counts": [len(list(net.parameters())), len(list(net.modules())), len(list(net.children()))],
    }


@area.case(real(2, 4))
def a_module_calls_its_forward_and_keeps_its_buffers(torch, x):
    net = small(torch)
    return net(x), net(x, head="b"), net.seen, net(x, "a")


@area.case()
def tied_parameters_are_listed_once(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3))
    net[2].weight = net[0].weight
    names = [name for name, _ in net.named_parameters()]
    doubled = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    return names, doubled, list(net.state_dict()), sum(p.numel() for p in net.parameters())


@area.case()
def a_shared_module_is_listed_once(torch):
    nn = torch.nn
    shared = nn.Linear(2, 2)
    net = nn.Sequential(shared, nn.ReLU(), shared)
    return (
        [name for name, _ in net.named_modules()],
        len(list(net.parameters())),
        list(net.state_dict()),
        repr(net),
    )


@area.case()
def train_and_eval_reach_every_module(torch):
    net = small(torch)
    states = [[module.training for module in net.modules()]]
    states.append([module.training for module in net.eval().modules()])
    net.layers.train()
    states.append([module.training for module in net.modules()])
    return [*states, net.train(False).training, net.train().training]


@area.case()
def apply_visits_children_first(torch):
    visited = []
    net = small(torch)
    same = net.apply(lambda module: visited.append(type(module).__name__))
    return visited, same is net


@area.case()
def a_state_dict_is_loaded_by_name(torch):
    first, second = small(torch), small(torch)
    before = torch.equal(first.first.weight, second.first.weight)
    result = second.load_state_dict(first.state_dict())
    return (
        before,
        torch.equal(first.first.weight, second.first.weight),
        result.missing_keys,
        result.unexpected_keys,
    )


@area.case()
def a_lax_load_names_what_did_not_fit(torch):
    net = small(torch)
    state = net.state_dict()
    del state["first.bias"]
    state["extra"] = torch.ones(1)
    result = net.load_state_dict(state, strict=False)
    return result.missing_keys, result.unexpected_keys


def loading(change):
    def program(torch):
        net = small(torch)
        state = net.state_dict()
        change(torch, state)
        net.load_state_dict(state)

    return program


for text, change in {
    "a missing key": lambda torch, state: state.pop("first.bias"),
    "an unexpected key": lambda torch, state: state.update(extra=torch.ones(1)),
    "a wrong shape": lambda torch, state: state.update(scale=torch.ones(4)),
}.items():
    area.add(f"refused: load_state_dict with {text}", loading(change), [], raises=True)


@area.case()
def loading_copies_into_the_parameters_in_place(torch):
    net = torch.nn.Linear(2, 2)
    weight = net.weight
    state = {"weight": torch.ones(2, 2), "bias": torch.zeros(2)}
    net.load_state_dict(state)
    state["weight"].fill_(5)
    return weight, net.weight is weight, net.weight.requires_grad


@area.case()
def state_dict_values_share_memory_and_need_no_gradient(torch):
    net = torch.nn.Linear(2, 2)
    state = net.state_dict()
    state["weight"].zero_()
    return net.weight, state["weight"].requires_grad, list(net.state_dict(prefix="deep."))


@area.case()
def to_changes_floats_in_place_and_leaves_integers(torch):
    net = small(torch)
    net.register_buffer("count", torch.zeros(1, dtype=torch.int64))
    weight = net.first.weight
    same = net.to(torch.float64)
    dtypes = {name: value.dtype for name, value in net.state_dict().items()}
    return (
        dtypes,
        same is net,
        net.first.weight is weight,
        net.float().scale.dtype,
        net.half().scale.dtype,
        net.to("cpu") is net,
    )


@area.case()
def requires_grad_can_be_switched_for_all(torch):
    net = small(torch)
    net.first.requires_grad_(False)
    return (
        [p.requires_grad for p in net.parameters()],
        net.requires_grad_() is net,
        all(p.requires_grad for p in net.parameters()),
    )


@area.case((real(2, 4), real(2, 1)), gradient=False)
def zero_grad_forgets_gradients(torch, x, cotangent):
    net = small(torch)
    before = [p.grad is None for p in net.parameters()]
    net(x).backward(cotangent)
    during = {name: p.grad for name, p in net.named_parameters()}
    net.zero_grad(set_to_none=False)
    zeros = [p.grad for p in net.first.parameters()]
    net.zero_grad()
    return before, during, zeros, [p.grad is None for p in net.parameters()]


@area.case(real(2, 4))
def forward_hooks_see_and_replace(torch, x):
    net, seen = torch.nn.Linear(4, 3), []
    before = net.register_forward_pre_hook(lambda module, inputs: (inputs[0] * 2,))
    after = net.register_forward_hook(lambda module, inputs, output: output + 1)
    watch = net.register_forward_hook(lambda module, inputs, output: seen.append(tuple(output.shape)))
    first = net(x)
    before.remove()
    second = net(x)
    after.remove()
    watch.remove()
    return first, second, net(x), seen


@area.case()
def forward_hooks_run_in_the_order_they_came(torch):
    net, seen = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), []
    for name, module in net.named_modules():
        module.register_forward_hook(lambda module, inputs, output, name=name: seen.append(f"after {name}"))
        module.register_forward_pre_hook(lambda module, inputs, name=name: seen.append(f"before {name}"))
    net(torch.ones(1, 2))
    return seen


@area.case()
def attributes_are_registered_replaced_and_deleted(torch):
    nn, net = torch.nn, small(torch)
    net.first = nn.Linear(4, 3, bias=False)
    net.extra = nn.Parameter(torch.zeros(2))
    net.seen = torch.ones(())
    del net.scale
    net.layers[0] = nn.Identity()
    net.plain = torch.ones(1)
    net.add_module("added", nn.ReLU())
    return (
        list(net.state_dict()),
        repr(net),
        hasattr(net, "scale"),
        net.get_submodule("layers.0") is net.layers[0],
    )


class Refusals:
    """What a module refuses, one program each."""

    def forget_super(torch):
        class Net(torch.nn.Module):
            def __init__(self):
                self.layer = torch.nn.Linear(1, 1)

        Net()

    def no_forward(torch):
        torch.nn.Module()(torch.ones(1))

    def missing_attribute(torch):
        torch.nn.Linear(1, 1).wait  # noqa: B018

    def tensor_for_a_parameter(torch):
        torch.nn.Linear(1, 1).weight = torch.ones(1, 1)

    def number_for_a_module(torch):
        torch.nn.Sequential(torch.nn.Linear(1, 1))[0] = 5

    def list_of_numbers(torch):
        torch.nn.ModuleList([1, 2])

    def sequential_of_a_function(torch):
        torch.nn.Sequential(torch.relu)

    def buffer_that_is_no_tensor(torch):
        torch.nn.Module().register_buffer("x", [1])

    def buffer_twice(torch):
        module = torch.nn.Module()
        module.weight = 1
        module.register_buffer("weight", torch.ones(1))

    def dotted_name(torch):
        torch.nn.Module().register_parameter("a.b", torch.nn.Parameter(torch.ones(1)))

    def integer_parameter(torch):
        torch.nn.Parameter(torch.ones(2, dtype=torch.int64))

    def index_out_of_range(torch):
        torch.nn.Sequential(torch.nn.ReLU())[1]

    def key_that_is_not_there(torch):
        torch.nn.ModuleDict({"a": torch.nn.ReLU()})["b"]

    def train_with_a_word(torch):
        torch.nn.Linear(1, 1).train("yes")

    def to_an_integer_type(torch):
        torch.nn.Linear(1, 1).to(torch.int64)


for name, program in list(vars(Refusals).items()):
    if not name.startswith("_"):
        area.add(f"refused: {name.replace('_', ' ')}", program, [], raises=True)


# Containers and Parameter ---------------------------------------------------------------------------------
@area.case()
def sequential_is_a_list_of_modules(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))
    parts = [repr(net[0]), repr(net[-1]), repr(net[1:]), len(net), [type(module).__name__ for module in net]]
    net.append(nn.Tanh())
    net[1] = nn.GELU()
    del net[0]
    return parts, repr(net), list(net.state_dict())


@area.case()
def sequential_takes_names_from_an_ordered_dict(torch):
    from collections import OrderedDict

    net = torch.nn.Sequential(OrderedDict(hidden=torch.nn.Linear(2, 3), act=torch.nn.ReLU()))
    return repr(net), list(net.state_dict()), net.hidden is net[0]


@area.case()
def module_list_behaves_like_a_list(torch):
    nn = torch.nn
    layers = nn.ModuleList(nn.Linear(i, i) for i in (1, 2))
    layers.append(nn.ReLU())
    layers.extend([nn.Tanh(), nn.Linear(1, 1)])
    layers.insert(0, nn.Identity())
    texts = [repr(layers), repr(layers[-1]), repr(layers[1:3]), len(layers), list(layers.state_dict())]
    del layers[1]
    layers[0] = nn.Sigmoid()
    return texts, repr(layers), [type(layer).__name__ for layer in layers], repr(nn.ModuleList())


@area.case()
def equal_layers_of_a_list_are_printed_once(torch):
    nn = torch.nn
    return repr(nn.ModuleList(nn.Linear(2, 2) for _ in range(3))), repr(
        nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    )


@area.case()
def module_dict_behaves_like_a_dict(torch):
    nn = torch.nn
    heads = nn.ModuleDict({"a": nn.Linear(1, 1)})
    heads["b"] = nn.ReLU()
    heads.update({"c": nn.Tanh()})
    parts = [
        list(heads),
        list(heads.keys()),
        len(heads),
        "a" in heads,
        "z" in heads,
        repr(heads),
        list(heads.state_dict()),
    ]
    parts.append([(key, type(value).__name__) for key, value in heads.items()])
    popped = heads.pop("a")
    del heads["b"]
    return (
        parts,
        repr(popped),
        list(heads),
        [type(value).__name__ for value in heads.values()],
        repr(nn.ModuleDict()),
    )


@area.case()
def a_parameter_is_a_tensor_that_requires_grad(torch):
    parameter = torch.nn.Parameter(torch.arange(3.0))
    frozen = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    shared = torch.zeros(2)
    torch.nn.Parameter(shared).data.add_(1)
    return {
        "text": repr(parameter),
        "frozen": repr(frozen),
        "kinds": [
            isinstance(parameter, torch.Tensor),
            isinstance(parameter * 2, torch.nn.Parameter),
            parameter.is_leaf,
        ],
        "shared": shared,
        "value": parameter,
    }


@area.case()
def extra_repr_stands_in_the_text(torch):
    class Scale(torch.nn.Module):
        def extra_repr(self):
            return "factor=3"

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Scale()
            self.scale = Scale()

        def extra_repr(self):
            return "kind=outer"

    return (
        repr(Scale()),
        repr(Outer()),
        repr(torch.nn.Module()),
        repr(torch.nn.Sequential(Outer(), torch.nn.Linear(1, 1))),
    )


@area.case()
def buffers_and_parameter_lists_are_state(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mean = torch.nn.Buffer(torch.ones(2))
            self.scratch = torch.nn.Buffer(torch.zeros(2), persistent=False)
            self.weights = torch.nn.ParameterList([torch.ones(2, 3), torch.nn.Parameter(torch.zeros(2))])

    net = Net()
    return (
        {name: list(value.shape) for name, value in net.state_dict().items()},
        [name for name, _ in net.named_buffers()],
        [name for name, _ in net.named_parameters()],
        repr(net.weights),
        len(net.weights),
    )


area.modules([real(2, 6)], "nn.Unflatten(1, (2, 3)); nn.Unflatten(-1, (3, 1, 2))")
