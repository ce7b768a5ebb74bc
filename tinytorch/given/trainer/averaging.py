"""Averages of a model over its training, and what goes with them: a rate that settles, new statistics."""

import copy
import math
from itertools import chain

from tinytorch.autograd import no_grad
from tinytorch.given.trainer.checks import one_for_each_group
from tinytorch.layers import Module
from tinytorch.tensor import int64, tensor
from tinytorch.trainer import LRScheduler

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
    "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip


def check_decay(decay):
    """Refuse a share outside 0 to 1."""
    if decay < 0 or decay > 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay=0.999):
    """Make a function that moves an average towards a tensor: decay * average + (1 - decay) * tensor."""
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """Make a function that gives the mean of a tensor and of those that an average was made of so far."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay=0.999):
    """Make a function that moves a list of averages, in place, as that of `get_ema_avg_fn` does one."""
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list):
            if average.is_floating_point():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """Make a function that moves a list of means, in place, as that of `get_swa_avg_fn` does one."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list):
            if not average.is_floating_point():
                raise RuntimeError(f"a mean of {average.dtype} cannot be kept in {average.dtype}: use avg_fn")
            average.lerp_(current, 1 / (float(num_averaged) + 1))

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are the averages of the model's (Izmailov et al., 2018).

    Args:
        model: a Module, copied into `module`.
        device: where the averages are kept; None for the model's device.
        avg_fn: gives the new average for an average, a parameter, and how many there were; None for the mean.
        multi_avg_fn: the same for lists of one type, in place.
        use_buffers: average the buffers, too; otherwise they are copied.

    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> averaged = torch.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 3.0):
    ...     _ = torch.nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged(torch.ones(1)).detach()
    tensor([2.])
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model):
        """Take the model's present parameters into the average; the first time, copy them.

        >>> averaged = torch.optim.swa_utils.AveragedModel(torch.nn.Linear(1, 1))
        >>> averaged.update_parameters(torch.nn.Linear(1, 1))
        >>> averaged.n_averaged.item()
        1
        """
        pairs = [
            (average.detach(), value.detach().to(average.device)) for average, value in self._pairs(model)
        ]
        if self.n_averaged == 0:
            for average, value in pairs:
                average.copy_(value)
        elif self.multi_avg_fn is not None:
            kinds = {average.dtype: [] for average, _ in pairs}
            for pair in pairs:
                kinds[pair[0].dtype].append(pair)
            for some in kinds.values():
                self.multi_avg_fn(*map(list, zip(*some)), self.n_averaged)
        else:
            avg_fn = self.avg_fn or get_swa_avg_fn()
            for average, value in pairs:
                average.copy_(avg_fn(average, value, self.n_averaged))
        if not self.use_buffers:
            for average, value in zip(self.module.buffers(), model.buffers(), strict=True):
                average.detach().copy_(value.detach().to(average.device))
        self.n_averaged += 1

    def _pairs(self, model):
        """The averages and what they are of."""
        if not self.use_buffers:
            return zip(self.parameters(), model.parameters())
        return zip(
            chain(self.module.parameters(), self.module.buffers()), chain(model.parameters(), model.buffers())
        )


@no_grad()
def update_bn(loader, model, device=None):
    """Recompute the running statistics of batch normalization, as means over the batches of a loader.

    Args:
        loader: gives tensors, or tuples whose first element is what the model takes.
        model: a Module; it is in the mode afterwards in which it was.
        device: where the batches are moved.
    """
    norms = [m for m in model.modules() if any(k.__name__.startswith("BatchNorm") for k in type(m).__mro__)]
    if not norms:
        return
    momenta, was_training = [norm.momentum for norm in norms], model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # every batch counts alike
    for batch in loader:
        batch = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(batch if device is None else batch.to(device))
    for norm, momentum in zip(norms, momenta):
        norm.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """The rate from what it is to `swa_lr` in `anneal_epochs`, and constant from then on.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.2, anneal_epochs=2, anneal_strategy="linear")
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [1.0, 0.6, 0.2, 0.2]
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for group, rate in zip(optimizer.param_groups, one_for_each_group("swa_lr", optimizer, swa_lr)):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """Return the share of `swa_lr` when a share `t` of the epochs has passed.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.1, anneal_strategy="linear").anneal_func(0.5)
        0.5
        """
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self):
        """From the present rate back to the one at the beginning, and on from there."""
        step = self._step_count - 1
        step = max(1, step) if self.anneal_epochs == 0 else step
        before, now = (
            self.anneal_func(max(0, min(1, s / max(1, self.anneal_epochs)))) for s in (step - 1, step)
        )
        rates = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            first = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            rates.append(goal * now + first * (1 - now))
        return rates
