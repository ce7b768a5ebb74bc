# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
def current_allocated_memory(*args, **kwargs):
    """Answer for what is not there, as torch.mps.current_allocated_memory does."""
def device_count():
    """Answer for what is not there, as torch.mps.device_count does."""
def driver_allocated_memory(*args, **kwargs):
    """Answer for what is not there, as torch.mps.driver_allocated_memory does."""
def empty_cache(*args, **kwargs):
    """Answer for what is not there, as torch.mps.empty_cache does."""
def get_rng_state(*args, **kwargs):
    """Answer for what is not there, as torch.mps.get_rng_state does."""
def is_available() -> _bool:
    """Answer for what is not there, as torch.mps.is_available does."""
def manual_seed(seed):
    """Answer for what is not there, as torch.mps.manual_seed does."""
def seed(*args, **kwargs):
    """Answer for what is not there, as torch.mps.seed does."""
def set_rng_state(*args, **kwargs):
    """Answer for what is not there, as torch.mps.set_rng_state does."""
def synchronize(*args, **kwargs):
    """Answer for what is not there, as torch.mps.synchronize does."""
