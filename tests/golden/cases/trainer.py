"""Module 08: clipping, and the learning rates of every scheduler over fifty steps."""

import tempfile
from pathlib import Path

import numpy as np
from golden import Area, evaluator, integers, literal, real, split

area = Area()


# Clipping -------------------------------------------------------------------------------------------------
def clipping(text):
    clip = evaluator(f"nn.utils.{text}", "parameters")

    def program(torch, x, y):
        parameters = [torch.nn.Parameter(torch.zeros(value.shape, dtype=value.dtype)) for value in (x, y, x)]
        for parameter, value in zip(parameters, (x, y), strict=False):  # the last has no gradient
            parameter.grad = value.clone()
        return clip(torch, parameters), [parameter.grad for parameter in parameters]

    return program


GRADIENTS = [
    (real(3, 4), real(4)),
    (real(), real(1)),
    (real(2, 3).transposed, real(5).strided),
    (real(3, dtype="float64"), real(2, dtype="float64")),
    (literal([1e-8, 0.0]), literal([0.0])),
    (literal([1e4, -3e4]), real(2)),
]
for text in split("""
    clip_grad_norm_(parameters, 1.0); clip_grad_norm_(parameters, 100.0)
    clip_grad_norm_(parameters, max_norm=0.5, norm_type=1)
    clip_grad_norm_(parameters, 0.5, float('inf')); clip_grad_norm_(parameters, 2, norm_type=3.0)
    clip_grad_norm_(parameters, 0.0)
    clip_grad_norm_(parameters[0], 1.0); clip_grad_norm_(iter(parameters), 1.0, error_if_nonfinite=True)
    clip_grad_norm_([], 1.0); clip_grad_norm(parameters, 0.5, 1.0)
    clip_grad_norm_(parameters[2:], 1.0); clip_grad_value_(parameters, 0.5)
    clip_grad_value_(parameters[0], clip_value=0.1)
    clip_grad_value_(iter(parameters), 1000)
"""):
    area.add(text, clipping(text), GRADIENTS, gradient=False)
MIXED = [(real(3, dtype="float64"), real(2))]  # a float64 sum of norms that are float32
for text in ("clip_grad_norm_(parameters, 1.0)", "clip_grad_norm_(parameters, 0.5, 3)"):
    area.add(f"{text} of two types", clipping(text), MIXED, gradient=False, tolerance=1e4)
NOT_FINITE = [(literal([1.0, float("nan")]), real(2)), (literal([float("inf")]), real(2))]
area.add(
    "clip_grad_norm_ of what is not finite",
    clipping("clip_grad_norm_(parameters, 1.0)"),
    NOT_FINITE,
    gradient=False,
)
strict = clipping("clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)")
area.add("refused: clip_grad_norm_ of what is not finite", strict, NOT_FINITE, gradient=False, raises=True)
area.each(
    "x, y",
    [(real(3, 4), real(4))],
    """
    nn.utils.get_total_norm([x, y]); nn.utils.get_total_norm(x); nn.utils.get_total_norm([])
    nn.utils.get_total_norm([x, y], 1, error_if_nonfinite=True); nn.utils.get_total_norm([x, y], float('inf'))
    """,
    gradient=False,
)


@area.case((real(3, 4), real(4)), gradient=False)
def gradients_are_scaled_by_a_norm_that_is_known(torch, x, y):
    parameters = [torch.nn.Parameter(x), torch.nn.Parameter(y)]
    for parameter in parameters:
        parameter.grad = parameter.detach() * 3
    torch.nn.utils.clip_grads_with_norm_(parameters, 2.0, torch.tensor(5.0))
    return [parameter.grad for parameter in parameters]


area.each(
    "x, y",
    [
        (real(3, 4), real(4)),
        (real(), real(2, 1, 2)),
        (real(3, dtype="float64"), real(2, dtype="float64")),
        (real(0, 2), real(1)),
        (real(2, 3), integers(2)),
    ],
    """
    nn.utils.parameters_to_vector([x, y]); nn.utils.parameters_to_vector(iter((y, x, x)))
    nn.utils.parameters_to_vector([x])
    """,
)
area.refused(
    "x",
    [real(2, 3)],
    """
    nn.utils.parameters_to_vector([]); nn.utils.parameters_to_vector([x.T])
    nn.utils.vector_to_parameters([1.0], [x])
    nn.utils.vector_to_parameters(x.reshape(-1), [x, x])
    """,
)


@area.case((real(9), real(2, 3), real(2)), (real(10), real(0, 3), real()), gradient=False)
def parameters_become_views_of_a_vector(torch, vector, x, y):
    parameters = [torch.nn.Parameter(x), torch.nn.Parameter(y)]
    torch.nn.utils.vector_to_parameters(vector, parameters)
    before = [parameter.detach().clone() for parameter in parameters]
    vector.mul_(2)
    return before, parameters, torch.nn.utils.parameters_to_vector(parameters)


# Schedules ------------------------------------------------------------------------------------------------
def optimizer_of(torch):
    parameters = [torch.ones(1, requires_grad=True) for _ in range(2)]
    return torch.optim.SGD(
        [{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.5}], lr=0.1, momentum=0.9
    )


def rates(torch, optimizer, scheduler, steps=50, metrics=None):
    """The learning rates and momenta of every step, as an array (steps + 1, groups, 2)."""
    seen = []
    for step in range(steps + 1):
        seen.append([[group["lr"], group["momentum"]] for group in optimizer.param_groups])
        optimizer.step()
        if step < steps:
            scheduler.step(*([] if metrics is None else [metrics[step]]))
    return np.array(seen, "float64")


SCHEDULERS = """
    LambdaLR(o, lambda step: 0.9**step)
    LambdaLR(o, [lambda step: 1 / (step + 1), lambda step: step % 3])
    StepLR(o, 10); StepLR(o, step_size=7, gamma=0.5); StepLR(o, 1, 0.9)
    MultiStepLR(o, [5, 20]); MultiStepLR(o, milestones=[30, 10, 10, 45], gamma=0.3)
    MultiStepLR(o, [])
    ExponentialLR(o, 0.95); ExponentialLR(o, gamma=1.01)
    LinearLR(o); LinearLR(o, 0.1)
    LinearLR(o, start_factor=0.5, end_factor=0.2, total_iters=20)
    LinearLR(o, 0.001, 1.0, 100)
    CosineAnnealingLR(o, 50); CosineAnnealingLR(o, T_max=10)
    CosineAnnealingLR(o, 30, eta_min=0.01)
    CosineAnnealingLR(o, 1); CosineAnnealingLR(o, 25, 0.2)
    CosineAnnealingWarmRestarts(o, 10); CosineAnnealingWarmRestarts(o, T_0=5, T_mult=2)
    CosineAnnealingWarmRestarts(o, 7, 1, 0.05)
    CosineAnnealingWarmRestarts(o, 1, 3, eta_min=0.001)
    ConstantLR(o); ConstantLR(o, 0.1, 20)
    MultiplicativeLR(o, lambda step: 0.95); MultiplicativeLR(o, [lambda step: 1 / step, lambda step: 1.01])
    PolynomialLR(o); PolynomialLR(o, 30, power=2.0)
    OneCycleLR(o, 1.0, 51); OneCycleLR(o, max_lr=[1.0, 0.3], epochs=10, steps_per_epoch=6)
    OneCycleLR(o, 0.7, total_steps=60, pct_start=0.1, anneal_strategy='linear')
    OneCycleLR(o, 1.0, 51, three_phase=True)
    OneCycleLR(o, 1.0, 51, cycle_momentum=False)
    OneCycleLR(o, 1.0, 55, div_factor=10, final_div_factor=100)
    OneCycleLR(o, 1.0, 51, base_momentum=0.7, max_momentum=0.99)
    CyclicLR(o, 0.1, 1.0); CyclicLR(o, 0.01, 0.5, 4, 8)
    CyclicLR(o, [0.1, 0.2], max_lr=[1.0, 0.3], step_size_up=5)
    CyclicLR(o, 0.1, 1.0, 6, mode='triangular2'); CyclicLR(o, 0.1, 1.0, 6, 3, 'exp_range', 0.9)
    CyclicLR(o, 0.1, 1.0, 6, mode='exp_range', scale_mode='cycle')
    CyclicLR(o, 0.1, 1.0, 6, scale_fn=lambda x: 1 / (x + 1))
    CyclicLR(o, 0.1, 1.0, 6, mode='own', scale_fn=lambda x: 0.95**x, scale_mode='iterations')
    CyclicLR(o, 0.1, 1.0, 6, cycle_momentum=False)
    CyclicLR(o, 0.5, 0.1, 6, base_momentum=[0.5, 0.6], max_momentum=0.99)
"""
COMBINED = """
    SequentialLR(o, [S.LinearLR(o, 0.1, 1, 5), S.CosineAnnealingLR(o, 45)], [5])
    SequentialLR(o, [S.ExponentialLR(o, 0.9), S.StepLR(o, 3), S.LambdaLR(o, lambda s: 2)], [10, 30])
    SequentialLR(o, schedulers=[S.LinearLR(o), S.LinearLR(o, 0.5)], milestones=[1])
    ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)])
    ChainedScheduler([S.StepLR(o, 7), S.CosineAnnealingLR(o, 20, 0.01)], o)
    SequentialLR(o, [S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.9)], [5])
    SequentialLR(o, [S.LinearLR(o, 0.1, total_iters=10), S.CosineAnnealingWarmRestarts(o, 8)], [10])
    SequentialLR(o, [S.PolynomialLR(o, 10), S.MultiStepLR(o, [3, 9])], [12])
"""


def scheduler_of(text):
    place = "" if text.startswith("torch.") else "(S := torch.optim.lr_scheduler)."
    return evaluator(f"{place}{text}", "o")


def schedule(text):
    make = scheduler_of(text)

    def program(torch):
        optimizer = optimizer_of(torch)
        scheduler = make(torch, optimizer)
        first = scheduler.get_last_lr(), getattr(scheduler, "last_epoch", None)
        return (
            *first,
            rates(torch, optimizer, scheduler),
            scheduler.get_last_lr(),
            getattr(scheduler, "last_epoch", None),
        )

    return program


def resumed(text):
    make = scheduler_of(text)

    def program(torch):
        optimizer, again = optimizer_of(torch), optimizer_of(torch)
        scheduler = make(torch, optimizer)
        rates(torch, optimizer, scheduler, 12)
        restored = make(torch, again)
        restored.load_state_dict(scheduler.state_dict())
        again.load_state_dict(optimizer.state_dict())
        return rates(torch, again, restored, 20)

    return program


for text in split(SCHEDULERS + COMBINED):
    area.add(text, schedule(text), [])
    area.add(f"resumed: {text}", resumed(text), [])

SWA = """
    SWALR(o, 0.3); SWALR(o, [0.02, 1.0]); SWALR(o, 0.01, 5, 'linear'); SWALR(o, swa_lr=0.7, anneal_epochs=0)
    SWALR(o, 0.05, anneal_epochs=20, anneal_strategy='linear'); SWALR(o, 0.0, 30)
"""
for text in split(SWA):
    name = f"torch.optim.swa_utils.{text}"
    area.add(name, schedule(name), [])
    area.add(f"resumed: {name}", resumed(name), [])

PLATEAUS = """
    ReduceLROnPlateau(o); ReduceLROnPlateau(o, 'min', 0.5, 2)
    ReduceLROnPlateau(o, mode='max', patience=3)
    ReduceLROnPlateau(o, factor=0.3, patience=1, cooldown=4)
    ReduceLROnPlateau(o, patience=0, min_lr=[0.01, 0.2])
    ReduceLROnPlateau(o, patience=1, threshold=0.1, threshold_mode='abs')
    ReduceLROnPlateau(o, patience=2, eps=0.05)
    ReduceLROnPlateau(o, 'max', patience=1, threshold=0.2, threshold_mode='rel')
"""


def plateau(text):
    make = evaluator(f"torch.optim.lr_scheduler.{text}", "o")

    def program(torch, metrics):
        optimizer = optimizer_of(torch)
        scheduler = make(torch, optimizer)
        seen = rates(torch, optimizer, scheduler, metrics=metrics)
        restored = make(torch, optimizer)
        restored.load_state_dict(scheduler.state_dict())
        return (
            seen,
            scheduler.get_last_lr(),
            scheduler.num_bad_epochs,
            scheduler.best,
            restored.num_bad_epochs,
        )

    return program


FALLING = [1 / (1 + step) if step < 20 else 0.05 + 0.01 * (step % 4) for step in range(50)]
for text in split(PLATEAUS):
    area.add(
        text,
        plateau(text),
        [(FALLING,), ([-value for value in FALLING],), ([1.0] * 50,), ([float("nan")] * 50,)],
    )

REFUSED = """
    S.OneCycleLR(o, 1.0); S.OneCycleLR(o, 1.0, total_steps=-1); S.OneCycleLR(o, 1.0, 10, pct_start=2.0)
    S.OneCycleLR(o, 1.0, 10, anneal_strategy='sine'); S.OneCycleLR(o, [1.0], 10)
    S.LinearLR(o, start_factor=0)
    S.LinearLR(o, end_factor=-1); S.LinearLR(o, start_factor=2.0); S.CosineAnnealingWarmRestarts(o, 0)
    S.CosineAnnealingWarmRestarts(o, 5, T_mult=0); S.ReduceLROnPlateau(o, factor=1.5)
    S.ReduceLROnPlateau(o, mode='mean')
    S.ReduceLROnPlateau(o, min_lr=[0.1]); S.ReduceLROnPlateau(o, threshold_mode='mean')
    S.LambdaLR(o, [lambda s: 1])
    S.SequentialLR(o, [S.LinearLR(o)], [3]); S.SequentialLR(o, [], []); S.StepLR([1], 3)
    S.StepLR(o, 10, last_epoch=5)
    S.CyclicLR(o, 0.1, 1.0, mode='sine'); S.CyclicLR(o, [0.1], 1.0); S.CyclicLR(o, 0.1, [1.0, 2.0, 3.0])
    S.CyclicLR([1], 0.1, 1.0); S.CyclicLR(torch.optim.Adagrad([torch.ones(1)]), 0.1, 1.0)
    S.CyclicLR(o, 0.1, 1.0, base_momentum=[0.5])
    torch.optim.swa_utils.SWALR(o, 0.1, anneal_strategy='sine'); torch.optim.swa_utils.SWALR(o, [0.1])
    torch.optim.swa_utils.SWALR(o, 0.1, -1); torch.optim.swa_utils.SWALR(o, 0.1, 1.5)
    [s := S.OneCycleLR(o, 1.0, 3), *[s.step() for _ in range(4)]]; S.ReduceLROnPlateau(o).step()
"""


def refused(text):
    make = evaluator(f"[S := torch.optim.lr_scheduler, {text}]", "o")
    return lambda torch: make(torch, optimizer_of(torch))


for text in split(REFUSED):
    area.add(f"refused: {text}", refused(text), [], raises=True)


@area.case()
def a_scheduler_takes_up_at_a_last_epoch(torch):
    optimizer = optimizer_of(torch)
    first = torch.optim.lr_scheduler.StepLR(optimizer, 4, 0.5)
    rates(torch, optimizer, first, 9)
    second = torch.optim.lr_scheduler.StepLR(optimizer, 4, 0.5, last_epoch=9)
    return rates(torch, optimizer, second, 9), [group["initial_lr"] for group in optimizer.param_groups]


@area.case()
def a_scheduler_can_be_derived(torch):
    class Halving(torch.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [base * 0.5**self.last_epoch for base in self.base_lrs]

    optimizer = optimizer_of(torch)
    return rates(torch, optimizer, Halving(optimizer), 5)


@area.case("OneCycleLR(o, 1.0, 20)", "CyclicLR(o, 0.1, 1.0, 5)", "CyclicLR(o, 0.1, 1.0, 5, last_epoch=3)")
def cycles_move_the_first_beta_of_adam(torch, text):
    optimizer = torch.optim.Adam([torch.ones(1, requires_grad=True)], 0.1)
    optimizer.param_groups[0]["initial_lr"] = 0.2
    scheduler = scheduler_of(text)(torch, optimizer)
    seen = []
    for _ in range(19):
        optimizer.step()
        scheduler.step()
        seen.append([optimizer.param_groups[0]["lr"], *optimizer.param_groups[0]["betas"]])
    return np.array(seen)


# Averages of models ---------------------------------------------------------------------------------------
def model_with_buffers(torch, x):
    model = torch.nn.Linear(3, 2)
    model.register_buffer("mean", x.mean(0))
    model.register_buffer("seen", torch.tensor(3))
    return model


def averaging(text):
    make = evaluator(f"(W := torch.optim.swa_utils).AveragedModel(model{text})", "model")

    def program(torch, x):
        model = model_with_buffers(torch, x)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        averaged, seen = make(torch, model), []
        for _ in range(4):
            optimizer.zero_grad()
            (model(x) ** 2).sum().backward()
            optimizer.step()
            model.mean.add_(x[0])
            model.seen.add_(2)
            averaged.update_parameters(model)
            seen.append({name: value.clone() for name, value in averaged.state_dict().items()})
        again = make(torch, model_with_buffers(torch, x))
        again.load_state_dict(averaged.state_dict())
        again.update_parameters(model)
        return seen, averaged(x).detach(), repr(averaged), dict(again.state_dict())

    return program


for text in (
    "", ", None", ", avg_fn=W.get_ema_avg_fn()", ", avg_fn=W.get_ema_avg_fn(0.7)",
    ", avg_fn=W.get_swa_avg_fn()", ", multi_avg_fn=W.get_ema_multi_avg_fn(0.8)",
    ", multi_avg_fn=W.get_ema_multi_avg_fn()", ", multi_avg_fn=W.get_swa_multi_avg_fn()",
    ", use_buffers=True", ", 'cpu', W.get_ema_avg_fn(0.3), None, True",
    ", multi_avg_fn=W.get_ema_multi_avg_fn(0.3), use_buffers=True",
    ", avg_fn=lambda average, value, count: average + count * value",
):  # fmt: skip
    area.add(f"AveragedModel(model{text})", averaging(text), [real(4, 3)], gradient=False)

area.refused(
    "x",
    [real(2)],
    """
    torch.optim.swa_utils.get_ema_avg_fn(-0.1); torch.optim.swa_utils.get_ema_avg_fn(1.1)
    torch.optim.swa_utils.get_ema_multi_avg_fn(2)
    torch.optim.swa_utils.AveragedModel(nn.Linear(1, 1), None, lambda *a: 0, lambda *a: 0)
    torch.optim.swa_utils.get_swa_multi_avg_fn()([torch.tensor([1, 2])], [torch.tensor([3, 4])], 1)
    """,
)


@area.case((real(6, 3), real(4, 3)), gradient=False)
def update_bn_computes_statistics_anew(torch, x, y):
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(3, 4), nn.BatchNorm1d(4, momentum=0.3), nn.Dropout(0.0), nn.Linear(4, 2)
    ).eval()
    torch.optim.swa_utils.update_bn([x, (y, 7), [x * 2]], model)
    first = [model.training, model[1].momentum, {k: v.clone() for k, v in model.state_dict().items()}]
    averaged = torch.optim.swa_utils.AveragedModel(model)
    averaged.update_parameters(model)
    torch.optim.swa_utils.update_bn([(y,)], averaged, "cpu")
    plain = nn.Linear(3, 1)
    torch.optim.swa_utils.update_bn([x], plain)
    return first, dict(averaged.state_dict()), averaged(x).detach(), plain.training


@area.case((real(8, 4), real(8, 2)), gradient=False, tolerance=20)
def clipping_and_a_schedule_in_a_training_loop(torch, x, y):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    found = []
    for _ in range(10):
        loss = nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        found.append([loss.detach(), norm])
    return found, net.state_dict()


@area.case((real(2, 3), real(4).strided), gradient=False)
def what_is_saved_is_loaded(torch, x, y):
    net = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters(), 0.1)
    net(x).sum().backward()
    optimizer.step()
    kept = {
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict()["state"],
        "step": 3,
        "names": ["a", None],
    }
    kept |= {
        "y": y,
        "rate": 0.1,
        "done": True,
        "mask": x > 0,
        "wide": x.double(),
        "whole": x.long(),
        "one": x[0, 0],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept"
        torch.save(kept, path)
        return torch.load(path)


@area.case((real(2, 3),), gradient=False)
def arguments_of_save_and_load_stand_where_pytorch_has_them(torch, x):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept"
        torch.save({"x": x, "bytes": b"ab", "complex": 1 + 2j}, str(path), pickle_protocol=2)
        for where in (None, "cpu", torch.device("cpu"), {"cpu": "cpu"}, lambda tensor, place: tensor):
            found.append(torch.load(path, where, weights_only=True)["x"])
        found.append(torch.load(path, map_location={"cuda:0": "cpu"}, mmap=False))
        with open(path, "rb") as file:
            found.append(torch.load(file, weights_only=False)["x"])
    return found


area.refused("x", [real(2)], "torch.load(3.5); torch.save(x, 3.5); torch.load('/nowhere/at/all')")
