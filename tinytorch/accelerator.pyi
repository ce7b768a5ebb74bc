# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
def current_accelerator(check_available: _bool = False):
    """Answer for what is not there, as torch.accelerator.current_accelerator does."""
def current_device_index(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.current_device_index does."""
def current_stream(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.current_stream does."""
def device_count():
    """Answer for what is not there, as torch.accelerator.device_count does."""
def empty_cache(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.empty_cache does."""
def get_memory_info(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.get_memory_info does."""
def is_available() -> _bool:
    """Answer for what is not there, as torch.accelerator.is_available does."""
def max_memory_allocated(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.max_memory_allocated does."""
def max_memory_reserved(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.max_memory_reserved does."""
def memory_allocated(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.memory_allocated does."""
def memory_reserved(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.memory_reserved does."""
def memory_stats(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.memory_stats does."""
def reset_peak_memory_stats(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.reset_peak_memory_stats does."""
def set_device_index(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.set_device_index does."""
def set_stream(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.set_stream does."""
def synchronize(*args, **kwargs):
    """Answer for what is not there, as torch.accelerator.synchronize does."""
