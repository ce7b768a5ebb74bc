# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.amp import autocast_mode as autocast_mode
from tinytorch.amp import grad_scaler as grad_scaler
from tinytorch import GradScaler as GradScaler
class autocast:
    device: Any
    fast_dtype: Any
    def __call__(self, func): ...
    def __enter__(self): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, device_type, dtype: _dtype | None = None, enabled: _bool = True, cache_enabled=None) -> None: ...
DEVICES: Any
def custom_bwd(bwd=None, *, device_type): ...
def custom_fwd(fwd=None, *, device_type, cast_inputs=None): ...
def get_autocast_cpu_dtype():
    """Which shorter type the processor would take."""
def get_autocast_dtype(device_type): ...
def get_autocast_gpu_dtype():
    """Which shorter type a GPU would take."""
def is_autocast_available(device_type) -> _bool:
    """Whether PyTorch has autocast for a kind of device; RuntimeError for what is none."""
def is_autocast_cache_enabled() -> _bool:
    """Whether weights that have been shortened are kept for the rest of a block."""
def is_autocast_cpu_enabled() -> _bool:
    """Whether types are being shortened on the processor: never."""
def is_autocast_enabled(device_type: str = 'cuda') -> _bool:
    """Whether types are being shortened: never."""
