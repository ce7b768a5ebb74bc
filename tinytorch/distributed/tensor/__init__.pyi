# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.distributed.tensor import placement_types as placement_types
from tinytorch.distributed.tensor.placement_types import Placement as Placement
from tinytorch.distributed.tensor.placement_types import Partial as Partial
from tinytorch.distributed.tensor.placement_types import Replicate as Replicate
from tinytorch.distributed.tensor.placement_types import Shard as Shard
class DTensor:
    """tinytorch leaves out more than one process: there is no torch.distributed.tensor.DTensor."""
    def __init__(self, *args, **kwargs) -> None: ...
class DeviceMesh:
    def __init__(self, *args, **kwargs) -> None: ...
class distribute_module:
    def __init__(self, *args, **kwargs) -> None: ...
class distribute_tensor:
    def __init__(self, *args, **kwargs) -> None: ...
PLACEMENTS: str
