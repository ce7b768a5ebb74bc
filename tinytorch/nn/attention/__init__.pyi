# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.nn.attention import flex_attention as flex_attention
class SDPBackend(builtins.int):
    """PyTorch's kernels for attention."""
    CUDNN_ATTENTION: Any
    EFFICIENT_ATTENTION: Any
    ERROR: Any
    FLASH_ATTENTION: Any
    MATH: Any
    OVERRIDEABLE: Any
    def __init__(self, *args, **kwds) -> None: ...
    name: Any
    value: Any
def sdpa_kernel(backends, set_priority: _bool = False): ...
