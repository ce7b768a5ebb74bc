# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch import GradScaler as _GradScaler
from tinytorch.amp import autocast as _autocast
class GradScaler(_GradScaler):
    def __init__(self, init_scale: _float = 65536.0, growth_factor: _float = 2.0, backoff_factor: _float = 0.5, growth_interval=2000, enabled: _bool = True) -> None: ...
class autocast(_autocast):
    def __init__(self, enabled: _bool = True, dtype: _dtype | None = None, cache_enabled: _bool = True) -> None: ...
custom_bwd: Any
custom_fwd: Any
def deprecated(name):
    """Say which name is to be used instead."""
