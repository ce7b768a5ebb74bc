# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch import load as load
from tinytorch import save as save
class safe_globals:
    """Declare classes and functions safe in a block."""
    before: Any
    safe_globals: Any
    def __enter__(self): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, safe_globals) -> None: ...
DEFAULT_PROTOCOL: _int
def add_safe_globals(safe_globals):
    """Remember classes and functions as safe to load."""
def clear_safe_globals():
    """Forget what was declared safe."""
def get_safe_globals():
    """What was declared safe."""
