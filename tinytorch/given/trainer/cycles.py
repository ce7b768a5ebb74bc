"""Schedules that go up and down again, some of them the momentum too; `advance` hands their rates out."""

import math
from types import FunctionType

from tinytorch.given.trainer.checks import check_optimizer, one_for_each_group
from tinytorch.trainer import LRScheduler, advance, set_value

__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate along half a cosine, again and again, each time `T_mult` times as long.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch=None):
        """Go on to the next epoch, or to any, a fraction too: `scheduler.step(epoch + batch / batches)`.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> optimizer.step()
        >>> scheduler.step(0.5)
        >>> f"{scheduler.get_last_lr()[0]:.4f}"
        '0.8536'
        """
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            epoch = epoch or 0
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_i, self.T_cur = self.T_0, epoch
            while self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        advance(self, math.floor(epoch))


class MomentumCycle(LRScheduler):
    """What cycles share that let the momentum, or Adam's first beta, go down when the rate goes up."""

    def _begin_momentum(self, optimizer, base_momentum, max_momentum, last_epoch):
        """The lowest and highest momentum of each group, which begins with the highest."""
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        lowest = one_for_each_group("base_momentum", optimizer, base_momentum)
        highest = one_for_each_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for group, high, low in zip(optimizer.param_groups, highest, lowest):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low
        return lowest, highest

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(MomentumCycle):
    """The rate up to `max_lr` and down to `base_lr` in lines, again and again (Smith, 2017).

    Each cycle, of `step_size_up` and `step_size_down` steps, is scaled: "triangular" by 1, "triangular2" by
    half as much each time, "exp_range" by gamma ** step; or by `scale_fn` of the cycle, counted from 1, or in
    scale_mode "iterations" of the step.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(
    ...     optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2, cycle_momentum=False
    ... )
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [0.0, 0.5, 1.0, 0.5]
    """

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular",
        gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8,
        max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = one_for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, base_lrs):
                set_value(group, "lr", rate)
        self.max_lrs = one_for_each_group("max_lr", optimizer, max_lr)
        self.total_size = float(step_size_up) + float(
            step_size_up if step_size_down is None else step_size_down
        )
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            momenta = self._begin_momentum(optimizer, base_momentum, max_momentum, last_epoch)
            self.base_momentums, self.max_momentums = momenta
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x):
        """Return how high a cycle is, or what remains of its height after a step.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0, mode="triangular2").scale_fn(2)
        0.5
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma**x
        return 0.5 ** (x - 1) if self.mode == "triangular2" else 1.0

    def get_lr(self):
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x, peak = 1 + self.last_epoch / self.total_size - cycle, self.step_ratio
        height = x / peak if x <= peak else (x - 1) / (peak - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums):
                self._set_momentum(group, high - (high - low) * height)
        return [base + (top - base) * height for base, top in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self):
        """All but the function `scale_fn`; of an object, its attributes."""
        function = self._scale_fn_custom
        kept = None if function is None or isinstance(function, FunctionType) else vars(function).copy()
        return {**super().state_dict(), "_scale_fn_custom": kept}

    def load_state_dict(self, state_dict):
        kept = state_dict["_scale_fn_custom"]
        super().load_state_dict({**state_dict, "_scale_fn_custom": self._scale_fn_custom})
        if kept is not None:
            vars(self._scale_fn_custom).update(kept)


class OneCycleLR(MomentumCycle):
    """The rate up to `max_lr` and far down again, the momentum the other way (Smith and Topin, 2018).

    It starts at max_lr / div_factor and ends at that over final_div_factor; `pct_start` of the steps go up.

    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(
    ...     optimizer, max_lr=1.0, total_steps=5, cycle_momentum=False
    ... )
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [0.04, 0.9505, 0.6113, 0.1883]
    """

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
        final_div_factor=1e4, three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is None and None in (epochs, steps_per_epoch):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        numbers = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        for name, number in (numbers if total_steps is None else {"total_steps": total_steps}).items():
            if not isinstance(number, int) or number <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {number}")
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        up, end = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        rise = phase(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three_phase:
            fall = phase(2 * up, "max_lr", "initial_lr", "base_momentum", "max_momentum")
            self._schedule_phases = [
                rise,
                fall,
                phase(end, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases = [
                rise,
                phase(end, "max_lr", "min_lr", "base_momentum", "max_momentum"),
            ]
        self._anneal_func_type, self.cycle_momentum = anneal_strategy, cycle_momentum
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group, top in zip(groups, one_for_each_group("max_lr", optimizer, max_lr)):
                group["initial_lr"], group["max_lr"] = top / div_factor, top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            self._begin_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start, end, share):
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self):
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        start, current = 0.0, self._schedule_phases[0]
        for following in self._schedule_phases[1:]:
            if step > current["end_step"]:
                start, current = current["end_step"], following
        share = (step - start) / (current["end_step"] - start)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                ends = group[current["start_momentum"]], group[current["end_momentum"]]
                self._set_momentum(group, self._anneal(*ends, share))
        return [self._anneal(group[current["start_lr"]], group[current["end_lr"]], share) for group in groups]


def phase(end_step, start_lr, end_lr, start_momentum, end_momentum):
    """A phase of a cycle: when it ends, and under which names a group has what it goes from and to."""
    return {"end_step": end_step, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start_momentum,
            "end_momentum": end_momentum}  # fmt: skip
