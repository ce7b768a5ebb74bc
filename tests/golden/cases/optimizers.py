"""Module 07: ten steps of every optimizer with each of its options, and the life of an Optimizer."""

from golden import Area, evaluator, real, split

area = Area()

# Arguments of the implementation, not of the method: what PyTorch keeps in a group beside the options.
INTERNAL = {"foreach", "fused", "capturable", "differentiable", "decoupled_weight_decay"}
STEPS = 10


def problem(torch, x, y):
    """Two parameters, one that never gets a gradient, and a loss that bends."""
    parameters = [
        torch.nn.Parameter(x.clone()),
        torch.nn.Parameter(y.clone()),
        torch.nn.Parameter(torch.ones(2)),
    ]

    def loss():
        w, b = parameters[:2]
        return (torch.tanh(w * 1.5 + b) ** 2).sum() + 0.1 * (w**2).sum() + (b - 1).abs().sum()

    return parameters, loss


def visible(state):
    groups = [
        {key: value for key, value in group.items() if key not in INTERNAL} for group in state["param_groups"]
    ]
    return {"state": state["state"], "groups": [dict(sorted(group.items())) for group in groups]}


def train(optimizer, loss, steps=STEPS):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        losses.append(value.detach())
    return losses


def stepping(text):
    make = evaluator(f"torch.optim.{text}", "parameters")

    def program(torch, x, y):
        parameters, loss = problem(torch, x, y)
        optimizer = make(torch, parameters)
        losses = train(optimizer, loss)
        gradients = [parameter.grad for parameter in parameters]
        return {
            "losses": losses,
            "at": parameters,
            "gradients": gradients,
            "state": visible(optimizer.state_dict()),
        }

    return program


PROBLEMS = [
    (real(3, 4), real(4)),
    (real(2, 3).transposed, real()),
    (real(3, dtype="float64"), real(3, dtype="float64")),
]
for text in split("""
    SGD(parameters); SGD(parameters, 0.1); SGD(parameters, lr=0.1, momentum=0.9)
    SGD(parameters, 0.1, 0.9, 0.5)
    SGD(parameters, 0.1, momentum=0.9, nesterov=True); SGD(parameters, 0.1, weight_decay=0.1)
    SGD(parameters, 0.1, 0.9, 0, 0.01, True); SGD(parameters, 0.05, maximize=True)
    SGD(parameters, 0.1, momentum=0.8, dampening=0.3, weight_decay=0.2, maximize=True)
    Adam(parameters); Adam(parameters, 0.1); Adam(parameters, 0.1, (0.5, 0.9))
    Adam(parameters, 0.1, eps=0.1)
    Adam(parameters, 0.1, weight_decay=0.1); Adam(parameters, 0.1, amsgrad=True)
    Adam(parameters, 0.1, maximize=True)
    Adam(parameters, 0.1, betas=(0.2, 0.3), eps=1e-3, weight_decay=0.3, amsgrad=True, maximize=True)
    AdamW(parameters); AdamW(parameters, 0.1); AdamW(parameters, 0.1, (0.5, 0.9), 1e-4, 0.3)
    AdamW(parameters, lr=0.1, weight_decay=0); AdamW(parameters, 0.1, amsgrad=True)
    AdamW(parameters, 0.1, maximize=True)
    RMSprop(parameters); RMSprop(parameters, 0.1); RMSprop(parameters, 0.1, 0.9, 1e-3)
    RMSprop(parameters, 0.05, momentum=0.9)
    RMSprop(parameters, 0.05, centered=True); RMSprop(parameters, 0.05, weight_decay=0.1)
    RMSprop(parameters, 0.05, maximize=True)
    RMSprop(parameters, lr=0.02, alpha=0.8, eps=1e-6, weight_decay=0.1, momentum=0.5, centered=True)
    Adagrad(parameters); Adagrad(parameters, 0.5); Adagrad(parameters, 0.5, 0.1)
    Adagrad(parameters, 0.5, weight_decay=0.1)
    Adagrad(parameters, 0.5, initial_accumulator_value=0.3); Adagrad(parameters, 0.1, eps=0.1)
    Adagrad(parameters, 0.1, maximize=True)
    Adadelta(parameters); Adadelta(parameters, 0.5); Adadelta(parameters, 1.0, 0.5)
    Adadelta(parameters, rho=0.7, eps=1e-3)
    Adadelta(parameters, weight_decay=0.1); Adadelta(parameters, maximize=True)
    Adamax(parameters); Adamax(parameters, 0.1); Adamax(parameters, 0.1, (0.5, 0.7))
    Adamax(parameters, 0.1, eps=0.3)
    Adamax(parameters, lr=0.1, weight_decay=0.2); Adamax(parameters, 0.05, maximize=True)
    Adamax(parameters, 0.1, (0.3, 0.9), 1e-3, 0.1, None, maximize=True)
    NAdam(parameters); NAdam(parameters, 0.1); NAdam(parameters, 0.1, (0.5, 0.7))
    NAdam(parameters, 0.1, eps=0.3)
    NAdam(parameters, 0.1, weight_decay=0.2); NAdam(parameters, 0.1, momentum_decay=0.5)
    NAdam(parameters, 0.1, weight_decay=0.2, decoupled_weight_decay=True)
    NAdam(parameters, 0.05, maximize=True, weight_decay=0.1)
    NAdam(parameters, 0.1, (0.3, 0.9), 1e-3, 0.3, 0, True, maximize=True)
    RAdam(parameters); RAdam(parameters, 0.1); RAdam(parameters, 0.1, (0.5, 0.7))
    RAdam(parameters, 0.1, eps=0.3)
    RAdam(parameters, 0.1, weight_decay=0.2); RAdam(parameters, 0.1, (0.9, 0.8), 1e-2)
    RAdam(parameters, 0.1, weight_decay=0.2, decoupled_weight_decay=True)
    RAdam(parameters, 0.05, maximize=True, weight_decay=0.1)
    RAdam(parameters, 0.1, (0.3, 0.95), 1e-3, 0.3, True, maximize=True)
    ASGD(parameters); ASGD(parameters, 0.1); ASGD(parameters, 0.1, 0.5, 0.3, 4)
    ASGD(parameters, 0.1, t0=0)
    ASGD(parameters, 0.1, 0.1, t0=2, weight_decay=0.3); ASGD(parameters, 0.1, maximize=True)
    Rprop(parameters); Rprop(parameters, 0.1); Rprop(parameters, 0.1, (0.3, 1.5))
    Rprop(parameters, 0.1, maximize=True)
    Rprop(parameters, lr=0.1, step_sizes=(0.05, 0.15))
    Rprop(parameters, 0.5, etas=(0.1, 2.0), step_sizes=(1e-3, 1))
    Adafactor(parameters); Adafactor(parameters, 0.5); Adafactor(parameters, 0.5, -0.3)
    Adafactor(parameters, 0.5, eps=(0.1, 0.5)); Adafactor(parameters, 0.5, eps=(0.0, 1e-3), d=1.5)
    Adafactor(parameters, 0.5, weight_decay=0.2)
    Adafactor(parameters, 0.3, maximize=True, weight_decay=0.1)
    SGD([{'params': parameters[:1], 'lr': 0.3}, {'params': parameters[1:], 'momentum': 0.5}], lr=0.05)
    AdamW([{'params': parameters[:1], 'weight_decay': 0.5}, {'params': parameters[1]}], 0.1, (0.8, 0.9))
"""):
    area.add(text, stepping(text), PROBLEMS, gradient=False, tolerance=10)

NAMES = [
    "SGD",
    "Adam",
    "AdamW",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Adamax",
    "NAdam",
    "RAdam",
    "ASGD",
    "Adafactor",
]
WITHOUT_DECAY = ["Rprop"]
FOR_MATRICES = ["Muon"]
WITH_CLOSURE = ["LBFGS"]


def matrices(text):
    """Steps of an optimizer that moves matrices only."""
    make = evaluator(f"torch.optim.{text}", "parameters")

    def program(torch, x, y):
        parameters = [torch.nn.Parameter(x.clone()), torch.nn.Parameter(y.clone())]
        optimizer = make(torch, parameters)
        losses = train(optimizer, lambda: (torch.tanh(parameters[0] @ parameters[1]) ** 2).sum())
        return losses, parameters, visible(optimizer.state_dict())

    return program


MATRICES = [
    (real(3, 4), real(4, 2)),
    (real(5, 2).transposed, real(2, 6)),
    (real(1, 3), real(3, 1)),
    (real(4, 4, dtype="float64"), real(4, 3, dtype="float64")),
]
for text in split("""
    Muon(parameters); Muon(parameters, 0.1); Muon(parameters, 0.02, 0)
    Muon(parameters, lr=0.02, weight_decay=1.5)
    Muon(parameters, 0.02, 0.1, 0.5); Muon(parameters, 0.02, momentum=0)
    Muon(parameters, 0.02, nesterov=False)
    Muon(parameters, 0.02, ns_steps=2); Muon(parameters, 0.02, ns_coefficients=(2, -1.5, 0.5), eps=0.1)
    Muon(parameters, 0.02, adjust_lr_fn='match_rms_adamw')
    Muon(parameters, 0.02, adjust_lr_fn='original')
    Muon(parameters, 0.02, 0.2, 0.8, False, (3, -4, 2), 1e-3, 3, 'match_rms_adamw')
    Muon([{'params': parameters[:1], 'lr': 0.3}, {'params': parameters[1], 'nesterov': False}], 0.05)
"""):
    area.add(text, matrices(text), MATRICES, gradient=False, tolerance=30)


def closures(text):
    """Steps of an optimizer that calls a closure, with how often it was called."""
    make = evaluator(f"torch.optim.{text}", "parameters")

    def program(torch, x, y):
        parameters, _ = problem(torch, x, y)
        w, b = parameters[:2]
        optimizer, called = make(torch, parameters), []

        def closure():  # smooth: a bend would make the smallest difference a large one
            optimizer.zero_grad()
            value = ((w - 1) ** 4).sum() + (w * b).sum() ** 2 + ((b + 0.5) ** 2).sum()
            value.backward()
            called.append(value.detach())
            return value

        returned = [optimizer.step(closure).detach() for _ in range(3)]
        return returned, called, parameters, visible(optimizer.state_dict())

    return program


CURVED = [
    (real(3, 4, dtype="float64"), real(4, dtype="float64")),
    (real(2, 3, dtype="float64"), real(dtype="float64")),
    (real(5, dtype="float64"), real(5, dtype="float64")),
]
for text in split("""
    LBFGS(parameters[:2]); LBFGS(parameters); LBFGS(parameters, 0.1, 8)
    LBFGS(parameters[:2], lr=0.5, max_iter=4)
    LBFGS(parameters, 1, 20, 3); LBFGS(parameters, 0.3, 8, history_size=2); LBFGS(parameters, max_iter=1)
    LBFGS(parameters, 0.5, tolerance_grad=0.3); LBFGS(parameters, 0.5, tolerance_change=0.1)
    LBFGS(parameters[:2], line_search_fn='strong_wolfe')
    LBFGS(parameters, 0.1, 6, line_search_fn='strong_wolfe')
    LBFGS(parameters, 5, 6, line_search_fn='strong_wolfe')
    LBFGS(parameters, 1, 3, 4, line_search_fn='strong_wolfe')
    LBFGS(parameters, 2.5, 10, 12, 1e-3, 1e-4, 3, 'strong_wolfe'); LBFGS(parameters, 1, max_eval=1)
    LBFGS(parameters[1:2], 30, 4, line_search_fn='strong_wolfe')
"""):
    area.add(text, closures(text), CURVED, gradient=False, tolerance=1e4)


@area.case(*[(real(4, dtype=kind),) for kind in ("float32", "float64")], gradient=False, tolerance=100)
def lbfgs_finds_the_way_through_rosenbrocks_valley(torch, x):
    place = torch.nn.Parameter(torch.tensor([-1.2, 1.0], dtype=x.dtype))
    optimizer = torch.optim.LBFGS([place], line_search_fn="strong_wolfe", max_iter=8)
    found = []

    def closure():
        optimizer.zero_grad()
        loss = (1 - place[0]) ** 2 + 100 * (place[1] - place[0] ** 2) ** 2
        loss.backward()
        return loss

    for _ in range(2):
        found += [optimizer.step(closure).detach(), place.detach().clone()]
    return found


@area.case((real(3), real(3)), gradient=False)
def lbfgs_ends_at_once_where_there_is_no_gradient(torch, x, y):
    place = torch.nn.Parameter(x)
    optimizer = torch.optim.LBFGS([place])

    def closure():
        place.grad = torch.zeros(3)
        return (place * 0).sum()

    return optimizer.step(closure).detach(), place, optimizer.state_dict()["state"]


@area.case(*NAMES, *WITHOUT_DECAY, *FOR_MATRICES, *WITH_CLOSURE)
def defaults_are_as_documented(torch, name):
    optimizer = getattr(torch.optim, name)(p for p in [torch.ones(1, 1)])
    group = {key: value for key, value in optimizer.param_groups[0].items() if key not in INTERNAL}
    return {key: value for key, value in optimizer.defaults.items() if key not in INTERNAL}, sorted(group)


area.refused(
    "p",
    [real(2), real(2, 3)],
    """
    torch.optim.SGD([p], lr=-0.1); torch.optim.SGD([p], 0.1, momentum=-1)
    torch.optim.SGD([p], 0.1, weight_decay=-1)
    torch.optim.SGD([p], 0.1, nesterov=True); torch.optim.SGD([p], 0.1, 0.9, 0.1, nesterov=True)
    torch.optim.Adam([p], -1)
    torch.optim.Adam([p], betas=(1.0, 0.9)); torch.optim.Adam([p], betas=(0.9, -0.1))
    torch.optim.Adam([p], eps=-1)
    torch.optim.AdamW([p], weight_decay=-1); torch.optim.RMSprop([p], alpha=-1)
    torch.optim.RMSprop([p], momentum=-0.1)
    torch.optim.Adagrad([p], lr_decay=-1); torch.optim.Adagrad([p], initial_accumulator_value=-1)
    torch.optim.Adadelta([p], rho=1.5)
    torch.optim.SGD(p, 0.1); torch.optim.SGD([], 0.1); torch.optim.SGD([1.0], 0.1)
    torch.optim.SGD([p.requires_grad_() * 2], 0.1)
    torch.optim.SGD([{'params': [p]}, {'params': [p]}], 0.1); torch.optim.SGD([{'weights': [p]}], 0.1)
    torch.optim.SGD([p], 0.1).add_param_group([p])
    torch.optim.SGD([p], 0.1).add_param_group({'params': p}); torch.optim.SGD([{'params': {p}}], 0.1)
    torch.optim.SGD([p], 0.1).load_state_dict(torch.optim.SGD([p, p * 1], 0.1).state_dict())
    torch.optim.Adamax([p], -1); torch.optim.Adamax([p], betas=(1.0, 0.9))
    torch.optim.Adamax([p], eps=-1)
    torch.optim.NAdam([p], weight_decay=-1); torch.optim.NAdam([p], momentum_decay=-1)
    torch.optim.NAdam([p], betas=(0.9, 1.0)); torch.optim.RAdam([p], betas=(-0.1, 0.9))
    torch.optim.RAdam([p], -1)
    torch.optim.Muon([p[0]]); torch.optim.Muon([p], lr=-1); torch.optim.Muon([p], momentum=-1)
    torch.optim.Muon([p], weight_decay=-1); torch.optim.Muon([p], adjust_lr_fn='new')
    torch.optim.ASGD([p], -1); torch.optim.ASGD([p], weight_decay=-1); torch.optim.Rprop([p], -1)
    torch.optim.Rprop([p], etas=(1.5, 1.2)); torch.optim.Rprop([p], etas=(0.5, 0.9))
    torch.optim.Adafactor([p], -1); torch.optim.Adafactor([p], beta2_decay=0.1)
    torch.optim.Adafactor([p], d=0.5)
    torch.optim.Adafactor([p], eps=(-1, 0)); torch.optim.Adafactor([p], eps=(0, -1))
    torch.optim.Adafactor([p], weight_decay=-1)
    torch.optim.LBFGS([p], lr=-1); torch.optim.LBFGS([p]).step()
    torch.optim.LBFGS([{'params': [p]}, {'params': [p * 1]}])
    """,
)


class SGD_of_our_own:
    """An optimizer that a user derives from Optimizer."""

    def __new__(cls, torch, parameters, lr):
        class Plain(torch.optim.Optimizer):
            def __init__(self, parameters, lr):
                super().__init__(parameters, {"lr": lr})

            @torch.no_grad()
            def step(self, closure=None):
                for group in self.param_groups:
                    for parameter in group["params"]:
                        if parameter.grad is not None:
                            self.state[parameter]["calls"] = self.state[parameter].get("calls", 0) + 1
                            parameter.add_(parameter.grad, alpha=-group["lr"])

        return Plain(parameters, lr)


@area.case((real(3), real(3)), gradient=False)
def an_optimizer_can_be_derived(torch, x, y):
    parameters, loss = problem(torch, x, y)
    optimizer = SGD_of_our_own(torch, parameters, 0.1)
    return train(optimizer, loss), parameters, visible(optimizer.state_dict())


@area.case((real(3), real(3)), gradient=False)
def a_group_can_be_added_in_between(torch, x, y):
    parameters, loss = problem(torch, x, y)
    optimizer = torch.optim.Adam(parameters[:1], lr=0.1)
    losses = train(optimizer, loss, 3)
    optimizer.add_param_group({"params": parameters[1], "lr": 0.01})
    return losses, train(optimizer, loss, 3), parameters, visible(optimizer.state_dict())


@area.case((real(3), real(3)), gradient=False)
def the_learning_rate_of_a_group_may_be_changed(torch, x, y):
    parameters, loss = problem(torch, x, y)
    optimizer = torch.optim.SGD(parameters, 0.1, momentum=0.9)
    losses = train(optimizer, loss, 3)
    for group in optimizer.param_groups:
        group["lr"] = 0.01
    return losses, train(optimizer, loss, 3), parameters


@area.case((real(3), real(3)), gradient=False)
def zero_grad_forgets_or_zeroes(torch, x, y):
    parameters, loss = problem(torch, x, y)
    optimizer = torch.optim.SGD(parameters, 0.1)
    loss().backward()
    optimizer.zero_grad(set_to_none=False)
    zeros = [parameter.grad for parameter in parameters]
    optimizer.zero_grad()
    return zeros, [parameter.grad for parameter in parameters]


@area.case((real(3), real(3)), gradient=False)
def step_calls_a_closure_and_gives_its_loss(torch, x, y):
    parameters, loss = problem(torch, x, y)
    optimizer = torch.optim.SGD(parameters, 0.1)

    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    return [optimizer.step(closure) for _ in range(3)], optimizer.step(), parameters


def resumed(name, **options):
    def program(torch, x, y):
        make = getattr(torch.optim, name)
        parameters, loss = problem(torch, x, y)
        optimizer = make(parameters, **options)
        train(optimizer, loss, 4)
        state = optimizer.state_dict()
        copies = [torch.nn.Parameter(parameter.detach().clone()) for parameter in parameters]
        again = make(copies, lr=9.0)
        again.load_state_dict(state)
        parameters[:] = copies  # the loss now reads the copies
        return train(again, loss, 4), copies, visible(again.state_dict())

    area.add(
        f"{name} resumes from its state_dict", program, [(real(3), real(3))], gradient=False, tolerance=10
    )


resumed("SGD", lr=0.1, momentum=0.9)
resumed("Adam", lr=0.1, amsgrad=True)
resumed("AdamW", lr=0.1, weight_decay=0.2)
resumed("RMSprop", lr=0.05, momentum=0.5, centered=True)
resumed("Adagrad", lr=0.3)
resumed("Adadelta", lr=0.5)
resumed("Adamax", lr=0.1, weight_decay=0.1)
resumed("NAdam", lr=0.1, momentum_decay=0.1, decoupled_weight_decay=True, weight_decay=0.1)
resumed("RAdam", lr=0.1, betas=(0.8, 0.9))
resumed("ASGD", lr=0.1, lambd=0.1, t0=3)
resumed("Rprop", lr=0.1)
resumed("Adafactor", lr=0.3)


@area.case(*[(real(2, 3, dtype=kind),) for kind in ("float32", "float64")], gradient=False, tolerance=100)
def muon_and_lbfgs_resume_from_their_state_dicts(torch, x):
    target, found = x.tanh(), []

    def steps(optimizer, place, count):
        def closure():
            optimizer.zero_grad()
            loss = ((place * place - target) ** 4).sum()
            loss.backward()
            return loss

        return [optimizer.step(closure).detach() for _ in range(count)]

    for make in (
        lambda p: torch.optim.Muon(p, 0.1),
        lambda p: torch.optim.LBFGS(p, 0.1, max_iter=3, history_size=4),
        lambda p: torch.optim.LBFGS(p, 0.1, max_iter=3, line_search_fn="strong_wolfe"),
    ):
        first = torch.nn.Parameter(x.clone())
        optimizer = make([first])
        found += steps(optimizer, first, 2)
        second = torch.nn.Parameter(first.detach().clone())
        again = make([second])
        again.load_state_dict(optimizer.state_dict())
        found += [*steps(again, second, 2), second, again.state_dict()]
    return found


@area.case((real(3), real(3)), gradient=False)
def steps_do_not_touch_gradients_nor_replace_parameters(torch, x, y):
    parameters, loss = problem(torch, x, y)
    found = []
    for name in NAMES:
        optimizer = getattr(torch.optim, name)(parameters, lr=0.1, weight_decay=0.1)
        optimizer.zero_grad()
        loss().backward()
        before, arrays = parameters[0].grad.clone(), parameters[0].detach()
        optimizer.step()
        found.append([torch.equal(before, parameters[0].grad), torch.equal(arrays, parameters[0].detach())])
    return found


@area.case((real(5, 4), real(5, 2)), gradient=False, tolerance=20)
def a_network_learns_alike(torch, x, y):
    nn, losses = torch.nn, {}
    for name in NAMES:
        torch.manual_seed(3)
        net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        optimizer = getattr(torch.optim, name)(net.parameters(), lr=0.05)
        losses[name] = train(optimizer, lambda net=net: nn.functional.mse_loss(net(x), y))
    return losses


@area.case((real(3), real(3)), gradient=False)
def the_text_lists_the_options(torch, x, y):
    lines = repr(torch.optim.SGD([x.requires_grad_()], 0.1, momentum=0.9)).splitlines()
    return [line for line in lines if line.split(":")[0].strip() not in INTERNAL]
