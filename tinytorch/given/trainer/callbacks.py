"""Callbacks for every training: a history with plots, a progress bar, and checkpoints made with `save`."""

from tinytorch.given.trainer.checks import watched
from tinytorch.given.trainer.files import save
from tinytorch.trainer import Callback, better

__all__ = ["Checkpoint", "History", "ProgressBar"]


class History(Callback):
    """Keep the means of every epoch, in `rows`."""

    def __init__(self):
        self.rows = []

    def on_epoch_end(self, trainer):
        self.rows.append({"epoch": trainer.epoch, **trainer.logs})

    def state_dict(self):
        return {"rows": self.rows}

    def plot(self):
        """Draw each metric over the epochs, training and validation together, in a matplotlib Figure."""
        from matplotlib.figure import Figure

        names = [name for name in self.rows[0] if name != "epoch" and not name.startswith("val_")]
        figure = Figure(figsize=(4 * len(names), 3), layout="constrained")
        for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names):
            for key, label in ((name, "training"), (f"val_{name}", "validation")):
                if key in self.rows[0]:
                    epochs, values = zip(*((row["epoch"], row[key]) for row in self.rows))
                    axes.plot(epochs, values, ".-", label=label)
            axes.set(xlabel="epoch", ylabel=name)
            axes.legend()
        return figure


class ProgressBar(Callback):
    """Show how far the epoch is, and its means so far."""

    def on_epoch_begin(self, trainer):
        from tqdm.auto import tqdm

        total = len(trainer.loader) if hasattr(trainer.loader, "__len__") else None
        self.bar = tqdm(total=total, initial=trainer.batch, desc=f"epoch {trainer.epoch + 1}")

    def on_step_end(self, trainer):
        self.show(trainer)
        self.bar.update(trainer.batch - self.bar.n)

    def on_epoch_end(self, trainer):
        self.show(trainer)
        self.bar.close()

    def on_fit_end(self, trainer):
        if hasattr(self, "bar"):
            self.bar.close()

    def show(self, trainer):
        self.bar.set_postfix({name: f"{value:.4g}" for name, value in trainer.logs.items()}, refresh=False)


class Checkpoint(Callback):
    """Save the whole state of the training, from which it can be resumed.

    Args:
        path: the file; always the last one saved, whole.
        monitor: a metric; then only epochs that are better than all before are saved. None saves every epoch.
        mode: whether the metric is better when smaller ("min") or larger ("max").
        every: save after every so many steps, too.
    """

    def __init__(self, path, monitor=None, mode="min", every=None):
        self.path, self.monitor, self.mode, self.every = path, monitor, mode, every
        self.best = None

    def on_step_end(self, trainer):
        if self.every and trainer.step % self.every == 0:
            save(trainer.state_dict(), self.path)

    def on_epoch_end(self, trainer):
        if self.monitor is not None:
            value = watched(trainer, self.monitor)
            if not better(value, self.best, self.mode):
                return
            self.best = value
        save(trainer.state_dict(), self.path)

    def state_dict(self):
        return {"best": self.best}
