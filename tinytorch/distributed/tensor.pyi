# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class DTensor:
    """tinytorch leaves out more than one process: there is no torch.distributed.tensor.DTensor."""
    def __init__(self, *args, **kwargs) -> None: ...
class DeviceMesh:
    def __init__(self, *args, **kwargs) -> None: ...
class Partial:
    """tinytorch leaves out more than one process: there is no torch.distributed.tensor.Partial."""
    def __init__(self, *args, **kwargs) -> None: ...
class Replicate:
    def __init__(self, *args, **kwargs) -> None: ...
class Shard:
    """tinytorch leaves out more than one process: there is no torch.distributed.tensor.Shard."""
    def __init__(self, *args, **kwargs) -> None: ...
class distribute_module:
    def __init__(self, *args, **kwargs) -> None: ...
class distribute_tensor:
    def __init__(self, *args, **kwargs) -> None: ...
