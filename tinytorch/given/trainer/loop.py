"""The `Trainer`: `fit_epoch` again and again, and what it takes to go on as if there had been no stop."""

from tinytorch.autograd import no_grad
from tinytorch.given.trainer.callbacks import Checkpoint, History
from tinytorch.given.trainer.checks import note_step
from tinytorch.tensor import Tensor, cat, default_generator, device
from tinytorch.trainer import Meter, ReduceLROnPlateau, evaluate, fit_epoch, remaining_batches

__all__ = ["Trainer"]

COUNTS = ("epoch", "batch", "step", "ended", "stop")  # how far a Trainer is


class Trainer:
    """Train a model, and evaluate it; stop, save and go on as if there had been no stop.

    Batches are tuples: what the model takes, and last what it should answer.

    Args:
        model, optimizer: a Module and the optimizer of its parameters.
        loss_fn: called with the model's outputs and the targets; gives the mean over a batch, or with a
            `reduction` of "sum" the sum.
        scheduler: a schedule of the optimizer's learning rate; ReduceLROnPlateau is given the validation
            loss.
        scheduler_every: "epoch" or "step": when the scheduler takes its step.
        clip_norm: the largest norm that the gradient may have, or None.
        accumulate: how many batches make one step.
        metrics: functions of outputs and targets, by name, whose means are logged with the loss.
        callbacks: see `Callback`.
    """

    def __init__(
        self, model, optimizer, loss_fn, scheduler=None, clip_norm=None, accumulate=1, metrics=None,
        callbacks=(), scheduler_every="epoch",
    ):  # fmt: skip
        if scheduler_every not in ("epoch", "step"):
            raise ValueError(f'scheduler_every must be "epoch" or "step", not {scheduler_every!r}')
        if not isinstance(accumulate, int) or accumulate < 1:
            raise ValueError(f"accumulate must be a positive integer, not {accumulate!r}")
        if scheduler_every == "step" and isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError("ReduceLROnPlateau goes by epochs: it needs their loss")
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.scheduler, self.scheduler_every = scheduler, scheduler_every
        self.clip_norm, self.accumulate = clip_norm, accumulate
        self.metrics, self.history, self.loader = metrics or {}, History(), ()
        # Checkpoints come last, so that they save what the others have come to.
        self.callbacks = sorted(
            [self.history, *callbacks], key=lambda callback: isinstance(callback, Checkpoint)
        )
        self.epoch = self.batch = self.step = 0  # epochs done, batches done of the present one, steps in all
        self.ended = self.stop = False  # whether the data of the present epoch are used up; whether to end
        self.logs, self.meter, self.begin, self.now = {}, Meter(self.metrics), None, None

    def fit(self, loader, validation=None, epochs=1):
        """Train until `epochs` epochs have been done in all, those before a resumption included.

        Args:
            loader: what gives the batches of an epoch each time it is iterated over.
            validation: another one, on which the model is evaluated after each epoch.

        Returns:
            The History of all epochs.
        """
        self.loader = loader
        self.call("on_fit_begin")
        try:
            while self.epoch < epochs and not self.stop:
                fit_epoch(self, validation)
        finally:
            self.call("on_fit_end")
        return self.history

    def begin_epoch(self):
        """Begin or continue an epoch: return an iterator over its remaining batches, on the model's device.

        `begin` and `now` are the generators' states when the epoch began and, if it is continued, when it was
        interrupted; a trainer saved in the middle of an epoch has both.
        """
        self.model.train()
        generators = self.generators()
        now = self.now or [generator.get_state() for generator in generators]
        self.begin, self.now = self.begin or now, None
        batches = remaining_batches(self.loader, generators, self.begin, now, self.batch)
        self.logs = self.meter.means()
        self.call("on_epoch_begin")
        return map(self.place, batches)

    def end_epoch(self):
        """Count an epoch that is over; the next one begins with nothing done and a new meter."""
        self.epoch, self.batch, self.ended = self.epoch + 1, 0, False
        self.begin, self.meter = None, Meter(self.metrics)
        self.call("on_epoch_end")

    def evaluate(self, loader):
        """The mean loss and metrics over the batches of a loader, by name."""
        return evaluate(self.model, self.loss_fn, map(self.place, loader), self.metrics)

    def predict(self, loader):
        """The model's outputs for all batches of a loader, one after another; targets are left out."""
        training = self.model.training
        self.model.eval()
        try:
            with no_grad():
                return cat([self.model(*(batch[:-1] or batch)) for batch in map(self.place, loader)])
        finally:
            self.model.train(training)

    def state_dict(self):
        """Everything that `load_state_dict` needs to resume exactly, even between steps of an epoch."""
        now = self.now or [generator.get_state() for generator in self.generators()]
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": None if self.scheduler is None else self.scheduler.state_dict(),
            "counts": {name: getattr(self, name) for name in COUNTS},
            "totals": self.meter.totals, "samples": self.meter.count,
            "begin": self.begin or now, "now": now,
            "callbacks": [[type(callback).__name__, callback.state_dict()] for callback in self.callbacks],
        }  # fmt: skip

    def load_state_dict(self, state):
        """Load a state; `fit` with the same loader then continues from there."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        vars(self).update(state["counts"])
        self.meter.totals, self.meter.count = dict(state["totals"]), state["samples"]
        self.begin, self.now = state["begin"], state["now"]
        if self.step:
            note_step(self.optimizer)
        left = list(state["callbacks"])
        for callback in self.callbacks:
            name = type(callback).__name__
            number = next((i for i, (kept, _) in enumerate(left) if kept == name), None)
            if number is not None:
                callback.load_state_dict(left.pop(number)[1])

    def generators(self):
        """The generators on which the order of the data and the numbers drawn in training depend."""
        sources = self.loader, getattr(self.loader, "sampler", None)
        own = [getattr(source, "generator", None) for source in sources]
        return list(dict.fromkeys([default_generator, *(g for g in own if g is not None)]))

    def place(self, batch):
        """A batch as a tuple, its tensors where the model's parameters are."""
        place = next((parameter.device for parameter in self.model.parameters()), device("cpu"))
        batch = (batch,) if isinstance(batch, Tensor) else tuple(batch)
        return tuple(x.to(place) if isinstance(x, Tensor) else x for x in batch)

    def call(self, moment):
        """Let every callback do what it does at a moment."""
        for callback in self.callbacks:
            getattr(callback, moment)(self)
