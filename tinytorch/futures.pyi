# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class Future(Generic[_T]):
    """tinytorch leaves out more than one process: there is no torch.futures.Future."""
    def __init__(self, *args, **kwargs) -> None: ...
class collect_all:
    """tinytorch leaves out more than one process: there is no torch.futures.collect_all."""
    def __init__(self, *args, **kwargs) -> None: ...
class wait_all:
    """tinytorch leaves out more than one process: there is no torch.futures.wait_all."""
    def __init__(self, *args, **kwargs) -> None: ...
