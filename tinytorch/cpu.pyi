# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
def current_device():
    """Answer for what is not there, as torch.cpu.current_device does."""
def current_stream(device: Device | None = None):
    """Answer for what is not there, as torch.cpu.current_stream does."""
def device_count():
    """Answer for what is not there, as torch.cpu.device_count does."""
def is_available() -> _bool:
    """Answer for what is not there, as torch.cpu.is_available does."""
def is_initialized() -> _bool:
    """Answer for what is not there, as torch.cpu.is_initialized does."""
def set_device(device: Device):
    """Answer for what is not there, as torch.cpu.set_device does."""
def stream(stream):
    """Answer for what is not there, as torch.cpu.stream does."""
def synchronize(device: Device | None = None):
    """Answer for what is not there, as torch.cpu.synchronize does."""
