# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Operand, Size, Tensor, _device, _dtype
from tinytorch._typed import Generator as Generator
NAMES: str
default_generator: Any
def fork_rng(devices=None, enabled: _bool = True, _caller: str = 'fork_rng', _devices_kw: str = 'devices', device_type=None):
    """Give the generator back its state after a block."""
def get_rng_state():
    """Everything that the default generator's next draws depend on, as a uint8 Tensor."""
def initial_seed():
    """The seed that the default generator was last started from."""
def manual_seed(seed):
    """Start the default generator again from `seed`, and return it."""
def seed(): ...
def set_rng_state(new_state):
    """Take the default generator back to where `get_rng_state` was called."""
