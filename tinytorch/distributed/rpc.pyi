# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class init_rpc:
    """tinytorch leaves out more than one process: there is no torch.distributed.rpc.init_rpc."""
    def __init__(self, *args, **kwargs) -> None: ...
class remote:
    """tinytorch leaves out more than one process: there is no torch.distributed.rpc.remote."""
    def __init__(self, *args, **kwargs) -> None: ...
class rpc_async:
    """tinytorch leaves out more than one process: there is no torch.distributed.rpc.rpc_async."""
    def __init__(self, *args, **kwargs) -> None: ...
class rpc_sync:
    """tinytorch leaves out more than one process: there is no torch.distributed.rpc.rpc_sync."""
    def __init__(self, *args, **kwargs) -> None: ...
class shutdown:
    """tinytorch leaves out more than one process: there is no torch.distributed.rpc.shutdown."""
    def __init__(self, *args, **kwargs) -> None: ...
