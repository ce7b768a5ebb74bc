# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
def checkpoint(function, *args, use_reentrant=None, context_fn=None, determinism_check: str = 'default', debug: _bool = False, early_stop: _bool = True, **kwargs):
    """Call a function."""
def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Call the modules of a Sequential, or functions, one after another."""
def get_device_states(*args): ...
def save_on_cpu(pin_memory: _bool = False, device_type: str = 'cuda'): ...
def set_device_states(devices, states, *, device_type=None):
    """Put back what `get_device_states` gave: nothing."""
