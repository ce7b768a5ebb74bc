# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class Dim:
    """tinytorch leaves out exporting programs: there is no torch.export.Dim."""
    def __init__(self, *args, **kwargs) -> None: ...
class ExportedProgram:
    """tinytorch leaves out exporting programs: there is no torch.export.ExportedProgram."""
    def __init__(self, *args, **kwargs) -> None: ...
class export:
    """tinytorch leaves out exporting programs: there is no torch.export.export."""
    def __init__(self, *args, **kwargs) -> None: ...
class load:
    """tinytorch leaves out exporting programs: there is no torch.export.load."""
    def __init__(self, *args, **kwargs) -> None: ...
class save:
    """tinytorch leaves out exporting programs: there is no torch.export.save."""
    def __init__(self, *args, **kwargs) -> None: ...
