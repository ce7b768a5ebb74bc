# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
def current_device(*args, **kwargs):
    """Answer for what is not there, as torch.xpu.current_device does."""
def device_count():
    """Answer for what is not there, as torch.xpu.device_count does."""
def empty_cache():
    """Answer for what is not there, as torch.xpu.empty_cache does."""
def get_device_name(*args, **kwargs):
    """Answer for what is not there, as torch.xpu.get_device_name does."""
def get_device_properties(*args, **kwargs):
    """Answer for what is not there, as torch.xpu.get_device_properties does."""
def is_available() -> _bool:
    """Answer for what is not there, as torch.xpu.is_available does."""
def manual_seed(seed):
    """Answer for what is not there, as torch.xpu.manual_seed does."""
def manual_seed_all(seed):
    """Answer for what is not there, as torch.xpu.manual_seed_all does."""
def seed():
    """Answer for what is not there, as torch.xpu.seed does."""
def seed_all():
    """Answer for what is not there, as torch.xpu.seed_all does."""
def set_device(*args, **kwargs):
    """Answer for what is not there, as torch.xpu.set_device does."""
def synchronize(*args, **kwargs):
    """Answer for what is not there, as torch.xpu.synchronize does."""
