"""Probes of module 08: gradients, schedules, batches and interruptions that are drawn anew."""

from pathlib import Path
from types import SimpleNamespace

import tinytorch
from tinytorch.losses import MSELoss, mse_loss
from tinytorch.optim import SGD


def sizes(rng, count, least=1):
    return [int(n) for n in rng.integers(least, 6, count)]


def drawn(rng, *shape, kind=np.float64):
    return tinytorch.tensor(rng.normal(size=shape).astype(kind))


def small_model(rng, inputs=3, outputs=2):
    tinytorch.manual_seed(int(rng.integers(1000)))
    nn = tinytorch.nn
    return nn.Sequential(nn.Linear(inputs, 4), nn.ReLU(), nn.Linear(4, outputs)).double()


def cut(rng, x, y):
    """The samples in batches of random sizes."""
    ends = sorted({*rng.integers(1, len(x), 3).tolist(), len(x)})
    return [(x[a:b], y[a:b]) for a, b in zip([0, *ends], ends)]


def skewed(outputs, targets):
    return ((outputs - 2 * targets) ** 2).mean()


def gap(outputs, targets):
    return (outputs - 3 * targets).max()


def loss_of(rng):
    return [mse_loss, skewed, MSELoss(), MSELoss(reduction="sum")][int(rng.integers(4))]


@probe("total-norm")
def norms_of_arrays(rng):
    found = []
    for p in (1.0, 2.0, math.inf, float(rng.uniform(0.5, 5))):
        kind = rng.choice([np.float32, np.float64])
        arrays = [
            np.asarray(rng.normal(size=sizes(rng, count))).astype(kind)
            for count in (0, 1, 2, 3)
        ]
        before = [array.copy() for array in arrays]
        norm = norm_of(arrays, p)  # in float32, where the arrays are
        same = [np.array_equal(a, b) for a, b in zip(arrays, before)]
        found.append([type(norm).__name__, np.float32(norm), same])
    return found


@probe("clip")
def scaled_gradients(rng):
    found = []
    for max_norm, norm in (
        rng.uniform(0.1, 2, 2),
        (0.1, 5.0),
        (9.0, rng.uniform(1, 8)),
        (0, 0),
        (1, math.nan),
        (1e-6, 1e-6),
    ):
        arrays = [np.asarray(rng.normal(size=sizes(rng, count))) for count in (0, 1, 2)]
        scale_gradients(arrays, float(max_norm), float(norm))
        found.append(arrays)
    return found


def optimizer_of(rng, lr=None):
    own = [tinytorch.nn.Parameter(drawn(rng, 2)) for _ in range(3)]
    for p in own:
        p.grad = drawn(rng, 2)
    lr = float(rng.uniform(0.5, 2)) if lr is None else lr
    return SGD(
        [{"params": own[:1]}, {"params": own[1:], "lr": float(rng.uniform(0.1, 1))}], lr
    )


@probe("advance")
def rates_of_epochs(rng):
    class Harmonic(LRScheduler):
        def get_lr(self):
            return [base / (self.last_epoch + 1) for base in self.base_lrs]

    found = []
    for make in (
        Harmonic,
        lambda optimizer: StepLR(
            optimizer, int(rng.integers(1, 4)), float(rng.uniform(0.1, 0.9))
        ),
    ):
        rate = tinytorch.tensor(float(rng.uniform(0.5, 2)))
        for lr in (None, rate):
            optimizer = optimizer_of(rng, lr)
            scheduler = make(optimizer)
            for _ in range(8):
                epoch = int(rng.integers(12)) if rng.random() < 0.3 else None
                advance(scheduler, epoch)
                rates = [float(group["lr"]) for group in optimizer.param_groups]
                found.append(
                    [
                        scheduler.last_epoch,
                        rates,
                        [float(last) for last in scheduler.get_last_lr()],
                    ]
                )
                if rng.random() < 0.2 and lr is None:
                    optimizer.param_groups[0]["lr"] = float(rng.uniform(1, 9))
            found.append(optimizer.param_groups[0]["lr"] is rate)
    return found


@probe("warmup-cosine")
def rises_and_falls(rng):
    found = []
    for warmup in (0, int(rng.integers(1, 9)), int(rng.integers(1, 9))):
        total, floor = (
            warmup + int(rng.integers(1, 30)),
            float(rng.choice([0, rng.uniform(0, 1)])),
        )
        found.append(
            [float(warmup_cosine(step, warmup, total, floor)) + 1 for step in range(total + 4)]
        )
    return [
        *found,
        [float(warmup_cosine(step, warmup + 1, warmup + 1)) for step in range(warmup + 1)],
    ]


@probe("plateau")
def metrics_that_get_no_better(rng):
    found = []
    for _ in range(8):
        optimizer = optimizer_of(rng)
        options = {
            "mode": str(rng.choice(["min", "max"])),
            "patience": int(rng.integers(4)),
            "cooldown": int(rng.integers(3)),
        }
        options |= {
            "threshold": float(rng.uniform(0, 0.2)),
            "threshold_mode": str(rng.choice(["rel", "abs"])),
        }
        scheduler = ReduceLROnPlateau(optimizer, factor=0.5, min_lr=0.01, **options)
        for metric in rng.choice([0.5, 0.6, 0.7, 0.8, 1.0, 2.0], 16).tolist():
            observe(scheduler, metric)
            counts = scheduler.best, scheduler.num_bad_epochs, int(scheduler.cooldown_counter)
            found.append([*counts, [float(group["lr"]) for group in optimizer.param_groups]])
    return found


@probe("accumulate")
def gradients_of_many_batches(rng):
    found = []
    for _ in range(4):
        model, n, events = small_model(rng), int(rng.integers(5, 12)), []
        loss_fn, meter = loss_of(rng), Meter({"gap": gap})
        model.register_forward_hook(lambda *_, events=events: events.append("forward"))
        model[2].weight.register_hook(lambda grad, events=events: events.append("backward"))
        batches = cut(rng, drawn(rng, n, 3), drawn(rng, n, 2))
        before = drawn(rng, 4, 3)
        model[0].weight.grad = before.clone()
        called = model
        if rng.random() < 0.5:  # several inputs
            batches, called = (
                [(x, x, y) for x, y in batches],
                lambda a, b, model=model: model(a - 3 * b),
            )
        accumulate_gradients(called, loss_fn, batches, meter)
        found.append(
            [
                [p.grad for p in model.parameters()],
                sorted(meter.means().items()),
                meter.count,
                events,
            ]
        )
    return found


@probe("training-step")
def steps_of_training(rng):
    found = []
    for every in ("step", "epoch", None):
        for norm in (None, 0.0, float(rng.uniform(0.01, 0.5))):
            model, n = small_model(rng), int(rng.integers(4, 9))
            optimizer = SGD(model.parameters(), float(rng.uniform(0.1, 1)), momentum=0.5)
            schedule = (
                None if every is None else StepLR(optimizer, 1, float(rng.uniform(0.1, 0.9)))
            )
            trainer = SimpleNamespace(
                model=model,
                optimizer=optimizer,
                loss_fn=loss_of(rng),
                meter=Meter({"gap": gap}),
            )
            vars(trainer).update(
                clip_norm=norm, scheduler=schedule, scheduler_every=every or "step"
            )
            for _ in range(2):
                training_step(trainer, cut(rng, drawn(rng, n, 3), drawn(rng, n, 2)))
            found.append(
                [
                    [p.detach() for p in model.parameters()],
                    sorted(trainer.meter.means().items()),
                ]
            )
            found.append([optimizer.param_groups[0]["lr"], schedule and schedule.last_epoch])
    return found


@probe("evaluate")
def evaluated_models(rng):
    found, seen = [], []
    for mode in (True, False):
        model, n = small_model(rng).train(mode), int(rng.integers(5, 12))
        model.register_forward_hook(
            lambda module, inputs, y: seen.append([module.training, y.requires_grad])
        )
        batches = cut(rng, drawn(rng, n, 3), drawn(rng, n, 2))
        means = evaluate(
            model, loss_of(rng), iter(batches), {"gap": gap, "low": lambda y, t: (y - t).min()}
        )
        found.append([[[name, float(value)] for name, value in means.items()], model.training])
        try:
            evaluate(model, lambda outputs, targets: 1 / 0, batches, {})
        except ZeroDivisionError:
            found.append(
                ["ZeroDivisionError", model.training, model(batches[0][0]).requires_grad]
            )
        found.append([p.grad for p in model.parameters()])
    return [*found, seen]


def content(path):
    """What a file holds, if it is there."""
    return os.path.exists(path) and Path(path).read_text()


@probe("write-beside")
def files_written_beside(rng):
    folder = tempfile.TemporaryDirectory()
    found, path = [], os.path.join(folder.name, "state")
    for text in rng.integers(1000, size=6).astype(str).tolist():
        error = [None, None, KeyError, KeyboardInterrupt][int(rng.integers(4))]
        early, numbers = rng.random() < 0.3, []

        def write(name, text=text, error=error, early=early, numbers=numbers):
            inside = os.path.dirname(name) == os.path.realpath(os.path.dirname(path))
            old = content(path)
            found.append([old, inside, name == os.path.realpath(path)])
            if error and early:
                raise error
            Path(name).write_text(text)
            numbers.append(os.stat(name).st_ino)
            if error:
                raise error

        try:
            write_beside(path, write)
            found.append(os.stat(path).st_ino in numbers)
        except (KeyError, KeyboardInterrupt) as caught:
            found.append(type(caught).__name__)
        found.append([os.listdir(os.path.dirname(path)), content(path)])
    return found


@probe("resume")
def epochs_taken_up_again(rng):
    class Shuffled:
        def __iter__(self):
            order = generators[-1].permutation(count)
            return (float(number + generators[-1].uniform((1,))[0] / 2) for number in order)

    def used(batches, limit=None):
        return [
            [batch, float(generators[0].uniform((1,))[0])]
            for batch in itertools.islice(batches, limit)
        ]

    found = []
    for own in (1, 2):
        for done in (0, int(rng.integers(1, 5)), int(rng.integers(1, 5))):
            count, loader = int(rng.integers(5, 9)), Shuffled()
            generators = [
                tinytorch.Generator().manual_seed(int(rng.integers(1000))) for _ in range(own)
            ]
            begin = [generator.get_state() for generator in generators]
            used(iter(loader), done)
            now = [generator.get_state() for generator in generators]
            for generator in generators:
                generator.manual_seed(int(rng.integers(1000)))
            found.append(
                used(remaining_batches(loader, generators, begin, now if done else None, done))
            )
    return found


@probe("early-stopping")
def trainings_that_stop(rng):
    found = []
    for _ in range(10):
        options = {
            "mode": str(rng.choice(["min", "max"])),
            "patience": int(rng.integers(1, 4)),
        }
        stopping = EarlyStopping("metric", **options, min_delta=float(rng.choice([0, 0.15])))
        trainer = SimpleNamespace(stop=False, logs={})
        for value in rng.choice([0.5, 0.6, 0.7, 0.9, 1.2], 10).tolist():
            trainer.logs = {"metric": value}
            stopping.on_epoch_end(trainer)
            found.append([stopping.best, int(stopping.waited), bool(trainer.stop)])
    return found


class Followed(SimpleNamespace):
    """What `fit_epoch` needs of a Trainer, with notes of how far it was at each call."""

    def begin_epoch(self):
        for number, batch in enumerate(self.batches):
            self.seen.append(["batch", number])
            yield batch

    def evaluate(self, validation):
        self.seen.append(["evaluate", validation])
        return {"loss": self.told, "accuracy": 0.5}

    def call(self, moment):
        self.seen.append(
            [moment, self.batch, self.step, self.ended, sorted(self.logs.items())]
        )

    def end_epoch(self):
        self.seen.append(["end", sorted(self.logs.items())])


@probe("fit-epoch")
def epochs_of_training(rng):
    found = []
    for kind in ("step", "epoch", "plateau", None, "epoch"):
        model, n = small_model(rng), int(rng.integers(6, 12))
        optimizer = SGD(model.parameters(), float(rng.uniform(0.01, 0.1)))
        schedule = (
            ReduceLROnPlateau(optimizer, patience=0)
            if kind == "plateau"
            else kind and StepLR(optimizer, 2, 0.5)
        )
        trainer = Followed(
            model=model, optimizer=optimizer, loss_fn=mse_loss, meter=Meter({"gap": gap})
        )
        over = rng.random() < 0.2
        vars(trainer).update(
            clip_norm=None,
            scheduler=schedule,
            scheduler_every="step" if kind == "step" else "epoch",
        )
        vars(trainer).update(
            batches=cut(rng, drawn(rng, n, 3), drawn(rng, n, 2)),
            accumulate=int(rng.integers(1, 5)),
        )
        vars(trainer).update(
            ended=over,
            batch=4 * over,
            step=4 * over,
            logs={"loss": 1.0} if over else {},
            seen=[],
        )
        if over:
            trainer.meter.totals, trainer.meter.count = {"loss": 8.0}, 8
        trainer.told = float(rng.normal())
        fit_epoch(trainer, [None, "some"][int(rng.integers(2))])
        found.append(
            [
                trainer.seen,
                [p.detach() for p in model.parameters()],
                optimizer.param_groups[0]["lr"],
            ]
        )
        found.append([schedule and schedule.last_epoch, kind == "plateau" and schedule.best])
        trainer.batches, trainer.ended, trainer.batch = [], False, 0
        trainer.meter = Meter({"gap": gap})
        try:
            fit_epoch(trainer, None)
        except ValueError:
            found.append("ValueError")
    return found
