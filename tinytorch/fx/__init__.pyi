# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class Graph:
    """tinytorch leaves out exporting programs: there is no torch.fx.Graph."""
    def __init__(self, *args, **kwargs) -> None: ...
class GraphModule:
    """tinytorch leaves out exporting programs: there is no torch.fx.GraphModule."""
    def __init__(self, *args, **kwargs) -> None: ...
class Interpreter:
    """tinytorch leaves out exporting programs: there is no torch.fx.Interpreter."""
    def __init__(self, *args, **kwargs) -> None: ...
class Node:
    """tinytorch leaves out exporting programs: there is no torch.fx.Node."""
    def __init__(self, *args, **kwargs) -> None: ...
class Proxy:
    """tinytorch leaves out exporting programs: there is no torch.fx.Proxy."""
    def __init__(self, *args, **kwargs) -> None: ...
class Tracer:
    """tinytorch leaves out exporting programs: there is no torch.fx.Tracer."""
    def __init__(self, *args, **kwargs) -> None: ...
class symbolic_trace:
    """tinytorch leaves out exporting programs: there is no torch.fx.symbolic_trace."""
    def __init__(self, *args, **kwargs) -> None: ...
def wrap(fn_or_name):
    """Mark a function that no graph looks into, and give it back: here none looks into any."""
