# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
allow_tf32: _bool
benchmark: _bool
benchmark_limit: Any
deterministic: _bool
enabled: _bool
def flags(enabled: _bool = False, benchmark: _bool = False, benchmark_limit=10, deterministic: _bool = False, allow_tf32: _bool = True, fp32_precision: str = 'none'):
    """Set the switches in a block."""
def is_acceptable(tensor) -> _bool:
    """Whether the library can compute on a tensor: no."""
def is_available() -> _bool:
    """Whether the library is there: no."""
def version():
    """Its version: None."""
