# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class LRScheduler:
    """The base of all schedules of learning rates: `get_lr` gives those of `last_epoch`."""
    base_lrs: Any
    last_epoch: Any
    optimizer: Any
    def __init__(self, optimizer, last_epoch=-1) -> None: ...
    def get_last_lr(self):
        """The learning rate of each group as the last step set it."""
    def get_lr(self):
        """The learning rate of each group at `last_epoch`."""
    def load_state_dict(self, state_dict):
        """Take over what another scheduler of the same kind remembered."""
    def state_dict(self):
        """Return all that the scheduler remembers, without the optimizer."""
    def step(self, epoch=None):
        """Move to the next epoch: call it after the optimizer's step, or an epoch of steps."""
_LRScheduler = LRScheduler
class ConstantLR(LRScheduler):
    """The rate times `factor` for the first `total_iters` epochs."""
    factor: Any
    total_iters: Any
    def __init__(self, optimizer, factor: _float = 0.3333333333333333, total_iters=5, last_epoch=-1) -> None: ...
    def get_lr(self): ...
class CosineAnnealingLR(LRScheduler):
    T_max: Any
    eta_min: Any
    def __init__(self, optimizer, T_max, eta_min: _float = 0.0, last_epoch=-1) -> None: ...
    def get_lr(self):
        """From the present rate to the next, so that other changes to the rate are kept."""
class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate along half a cosine, again and again, each time `T_mult` times as long."""
    T_0: Any
    T_cur: Any
    T_i: Any
    T_mult: Any
    eta_min: Any
    def __init__(self, optimizer, T_0, T_mult=1, eta_min: _float = 0.0, last_epoch=-1) -> None: ...
    def get_lr(self): ...
    def step(self, epoch=None): ...
class ExponentialLR(LRScheduler):
    """The rate times `gamma` every epoch: lr = initial · gamma^epoch."""
    gamma: Any
    def __init__(self, optimizer, gamma, last_epoch=-1) -> None: ...
    def get_lr(self): ...
class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch: lr = initial · lr_lambda(epoch)."""
    lr_lambdas: Any
    optimizer: Any
    def __init__(self, optimizer, lr_lambda, last_epoch=-1) -> None: ...
    def get_lr(self): ...
    def load_state_dict(self, state_dict): ...
    def state_dict(self):
        """All but the functions; of those that are objects, their attributes."""
class LinearLR(LRScheduler):
    """The rate times a factor that goes in a line from one to another in `total_iters` epochs."""
    end_factor: Any
    start_factor: Any
    total_iters: Any
    def __init__(self, optimizer, start_factor: _float = 0.3333333333333333, end_factor: _float = 1.0, total_iters=5, last_epoch=-1) -> None: ...
    def get_lr(self): ...
class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each of the milestones."""
    gamma: Any
    milestones: Any
    def __init__(self, optimizer, milestones, gamma: _float = 0.1, last_epoch=-1) -> None: ...
    def get_lr(self): ...
class PolynomialLR(LRScheduler):
    """The rate times (1 - epoch / total_iters)^power, and 0 from `total_iters` on."""
    power: Any
    total_iters: Any
    def __init__(self, optimizer, total_iters=5, power: _float = 1.0, last_epoch=-1) -> None: ...
    def get_lr(self): ...
class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a metric has not improved for over `patience` epochs."""
    best: Any
    cooldown: Any
    cooldown_counter: Any
    default_min_lr: Any
    eps: Any
    factor: Any
    last_epoch: Any
    min_lrs: Any
    mode: Any
    mode_worse: Any
    num_bad_epochs: Any
    optimizer: Any
    patience: Any
    threshold: Any
    threshold_mode: Any
    def __init__(self, optimizer, mode: str = 'min', factor: _float = 0.1, patience=10, threshold: _float = 0.0001, threshold_mode: str = 'rel', cooldown=0, min_lr=0, eps: _float = 1e-08) -> None: ...
    in_cooldown: Any
    def step(self, metrics, epoch=None):
        """Look at the metric of one more epoch."""
class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""
    gamma: Any
    step_size: Any
    def __init__(self, optimizer, step_size, gamma: _float = 0.1, last_epoch=-1) -> None: ...
    def get_lr(self): ...
class ChainedScheduler(LRScheduler):
    """Several schedulers at once, each of which changes what the one before has left."""
    optimizer: Any
    def __init__(self, schedulers, optimizer=None) -> None: ...
    def load_state_dict(self, state_dict): ...
    def state_dict(self): ...
    def step(self):
        """Let each scheduler take its step."""
class CyclicLR(LRScheduler):
    """The rate up to `max_lr` and down to `base_lr` in lines, again and again (Smith, 2017)."""
    base_lrs: Any
    base_momentums: Any
    cycle_momentum: Any
    gamma: Any
    max_lrs: Any
    max_momentums: Any
    mode: Any
    optimizer: Any
    scale_mode: Any
    step_ratio: Any
    total_size: Any
    use_beta1: Any
    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode: str = 'triangular', gamma: _float = 1.0, scale_fn=None, scale_mode: str = 'cycle', cycle_momentum: _bool = True, base_momentum: _float = 0.8, max_momentum: _float = 0.9, last_epoch=-1) -> None: ...
    def get_lr(self): ...
    def load_state_dict(self, state_dict): ...
    def scale_fn(self, x):
        """Return how high a cycle is, or what remains of its height after a step."""
    def state_dict(self):
        """All but the function `scale_fn`; of an object, its attributes."""
class MultiplicativeLR(LambdaLR):
    """The present rate times a function of the epoch: lr = lr · lr_lambda(epoch)."""
    def __init__(self, *args, **kwargs) -> None: ...
    def get_lr(self): ...
class OneCycleLR(LRScheduler):
    cycle_momentum: Any
    optimizer: Any
    total_steps: Any
    use_beta1: Any
    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start: _float = 0.3, anneal_strategy: str = 'cos', cycle_momentum: _bool = True, base_momentum: _float = 0.85, max_momentum: _float = 0.95, div_factor: _float = 25.0, final_div_factor: _float = 10000.0, three_phase: _bool = False, last_epoch=-1) -> None: ...
    def get_lr(self): ...
class SequentialLR(LRScheduler):
    last_epoch: Any
    optimizer: Any
    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1) -> None: ...
    def load_state_dict(self, state_dict): ...
    def state_dict(self): ...
    def step(self):
        """Go on to the next epoch of the scheduler whose turn it is."""
