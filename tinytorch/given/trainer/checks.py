"""What schedulers and callbacks refuse or warn of: no optimizer, steps in a wrong order, unknown metrics."""

import warnings

from tinytorch.optimizers import Optimizer
from tinytorch.tensor import Tensor

__all__ = [
    "check_optimizer", "check_plateau", "initial_rates", "least_rates", "note_step", "one_for_each_group",
    "watch_order", "watched",
]  # fmt: skip


def check_optimizer(optimizer):
    """Refuse what is no optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def initial_rates(optimizer, last_epoch):
    """The rate with which each group began; the group keeps it, and the optimizer will note its steps."""
    check_optimizer(optimizer)
    for number, group in enumerate(optimizer.param_groups):
        if last_epoch == -1:
            rate = group["lr"]
            group.setdefault("initial_lr", rate.clone() if isinstance(rate, Tensor) else rate)
        elif "initial_lr" not in group:
            raise KeyError(
                f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                "last_epoch >= 0: load the optimizer's state first"
            )
    if not hasattr(optimizer, "_opt_called"):
        optimizer._opt_called = False
        optimizer.register_step_post_hook(note_step)
    rates = [group["initial_lr"] for group in optimizer.param_groups]
    return [rate.clone() if isinstance(rate, Tensor) else rate for rate in rates]


def note_step(optimizer, *_):
    """Write down that an optimizer has stepped."""
    optimizer._opt_called = True


def watch_order(scheduler, epoch):
    """Warn of a scheduler that steps before its optimizer, and of one that gets the epoch."""
    if scheduler._step_count == 1 and not scheduler.optimizer._opt_called:
        warnings.warn(
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in the "
            "opposite order: `optimizer.step()` before `lr_scheduler.step()`. Failure to do this will "
            "result in skipping the first value of the learning rate schedule.",
            stacklevel=3,
        )
    if epoch is not None:
        warnings.warn(
            "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
            "possible. Please use `scheduler.step()` to step the scheduler.",
            stacklevel=3,
        )


def one_for_each_group(name, optimizer, value):
    """A list of one value for each group: the one given, or the same for all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {groups}."
        )
    return list(value)


def check_plateau(optimizer, mode, factor, threshold_mode, min_lr):
    """Refuse options that make no ReduceLROnPlateau."""
    if factor >= 1:
        raise ValueError("Factor should be < 1.0.")
    check_optimizer(optimizer)
    if isinstance(min_lr, (list, tuple)) and len(min_lr) != len(optimizer.param_groups):
        raise ValueError(f"expected {len(optimizer.param_groups)} min_lrs, got {len(min_lr)}")
    if mode not in ("min", "max"):
        raise ValueError(f"mode {mode} is unknown!")
    if threshold_mode not in ("rel", "abs"):
        raise ValueError(f"threshold mode {threshold_mode} is unknown!")


def least_rates(plateau):
    """The least rate of each group, also of later groups if there is one number for all."""
    groups = len(plateau.optimizer.param_groups)
    if groups != len(plateau.min_lrs):
        if plateau.default_min_lr is None:
            raise RuntimeError(
                f"The number of param groups in the `optimizer` ({groups}) differs from when "
                f"`ReduceLROnPlateau` was initialized ({len(plateau.min_lrs)}); change its `min_lrs` to match"
            )
        plateau.min_lrs = [plateau.default_min_lr] * groups
    return plateau.min_lrs


def watched(trainer, name):
    """The metric that a callback watches."""
    if name not in trainer.logs:
        raise KeyError(f"no metric is called {name!r}: there are {', '.join(trainer.logs)}")
    return trainer.logs[name]
