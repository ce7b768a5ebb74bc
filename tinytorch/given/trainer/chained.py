"""Several schedules of one optimizer, one after another or all at once: each sets rates by `advance`."""

from bisect import bisect_right

from tinytorch.trainer import LRScheduler, ReduceLROnPlateau, set_value, values_of

__all__ = ["ChainedScheduler", "Schedulers", "SequentialLR"]


class Schedulers(LRScheduler):
    """What SequentialLR and ChainedScheduler share: several schedulers of one optimizer."""

    def _take(self, optimizer, schedulers):
        name = type(self).__name__
        if not schedulers:
            raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
        for number, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau`, whose step takes a metric: index {number}"
                )
            if scheduler.optimizer is not (optimizer or schedulers[0].optimizer):
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer: index {number} does not"
                )
        self._schedulers, self.optimizer = schedulers, optimizer or schedulers[0].optimizer

    def state_dict(self):
        return {
            **super().state_dict(),
            "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers],
        }

    def load_state_dict(self, state_dict):
        self.__dict__.update({**state_dict, "_schedulers": self._schedulers})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(Schedulers):
    """One scheduler after another: the next one begins, at its epoch 0, at each of the milestones.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> first = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> second = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.1)
    >>> scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [first, second], milestones=[2])
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [0.5, 0.5, 1.0, 0.1]
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        self._take(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones to be equal to {len(milestones)}"
            )
        self._milestones, self.last_epoch = milestones, last_epoch + 1
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        take_back(schedulers)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self):
        """Go on to the next epoch of the scheduler whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def take_back(schedulers):
    """Undo the first step, which each scheduler took when it was made."""
    for scheduler in schedulers:
        if hasattr(scheduler, "_schedulers"):
            take_back(scheduler._schedulers)
        else:
            scheduler.last_epoch -= 1


class ChainedScheduler(Schedulers):
    """Several schedulers at once, each of which changes what the one before has left.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> first = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> second = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.1)
    >>> scheduler = torch.optim.lr_scheduler.ChainedScheduler([first, second])
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [0.5, 0.05, 0.01, 0.001]
    """

    def __init__(self, schedulers, optimizer=None):
        self._take(optimizer, schedulers)
        self._last_lr = values_of(self.optimizer, "lr")

    def step(self):
        """Let each scheduler take its step."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values_of(self.optimizer, "lr")
