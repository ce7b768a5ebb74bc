# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class all_gather:
    """tinytorch leaves out more than one process: there is no torch.distributed.nn.all_gather."""
    def __init__(self, *args, **kwargs) -> None: ...
class all_reduce:
    """tinytorch leaves out more than one process: there is no torch.distributed.nn.all_reduce."""
    def __init__(self, *args, **kwargs) -> None: ...
class all_to_all:
    """tinytorch leaves out more than one process: there is no torch.distributed.nn.all_to_all."""
    def __init__(self, *args, **kwargs) -> None: ...
class all_to_all_single:
    def __init__(self, *args, **kwargs) -> None: ...
class broadcast:
    """tinytorch leaves out more than one process: there is no torch.distributed.nn.broadcast."""
    def __init__(self, *args, **kwargs) -> None: ...
class gather:
    """tinytorch leaves out more than one process: there is no torch.distributed.nn.gather."""
    def __init__(self, *args, **kwargs) -> None: ...
class reduce:
    """tinytorch leaves out more than one process: there is no torch.distributed.nn.reduce."""
    def __init__(self, *args, **kwargs) -> None: ...
class reduce_scatter:
    def __init__(self, *args, **kwargs) -> None: ...
class scatter:
    """tinytorch leaves out more than one process: there is no torch.distributed.nn.scatter."""
    def __init__(self, *args, **kwargs) -> None: ...
