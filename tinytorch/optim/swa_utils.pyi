# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch._typed import Module as _Module
from tinytorch.optim.lr_scheduler import LRScheduler as _LRScheduler
class AveragedModel(_Module):
    avg_fn: Any
    module: Any
    multi_avg_fn: Any
    n_averaged: Any
    use_buffers: Any
    def __init__(self, model, device: Device | None = None, avg_fn=None, multi_avg_fn=None, use_buffers: _bool = False) -> None: ...
    forward: Any
    def update_parameters(self, model):
        """Take the model's present parameters into the average; the first time, copy them."""
class SWALR(_LRScheduler):
    """The rate from what it is to `swa_lr` in `anneal_epochs`, and constant from then on."""
    anneal_epochs: Any
    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy: str = 'cos', last_epoch=-1) -> None: ...
    def anneal_func(self, t):
        """Return the share of `swa_lr` when a share `t` of the epochs has passed."""
    def get_lr(self):
        """From the present rate back to the one at the beginning, and on from there."""
def get_ema_avg_fn(decay: _float = 0.999): ...
def get_ema_multi_avg_fn(decay: _float = 0.999): ...
def get_swa_avg_fn(): ...
def get_swa_multi_avg_fn(): ...
def update_bn(loader, model, device: Device | None = None): ...
