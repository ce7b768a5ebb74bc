# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
def spectral_norm(module, name: str = 'weight', n_power_iterations=1, eps: _float = 1e-12, dim=None): ...
def weight_norm(module, name: str = 'weight', dim=0): ...
