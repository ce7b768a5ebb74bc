# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Operand, Size, Tensor, _device, _dtype
from tinytorch._typed import Generator as Generator
from tinytorch import get_rng_state as get_rng_state
from tinytorch import initial_seed as initial_seed
from tinytorch import manual_seed as manual_seed
from tinytorch import seed as seed
from tinytorch import set_rng_state as set_rng_state
NAMES: str
default_generator: Any
def fork_rng(devices=None, enabled: _bool = True, _caller: str = 'fork_rng', _devices_kw: str = 'devices', device_type=None):
    """Give the generator back its state after a block."""
