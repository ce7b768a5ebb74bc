# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class OperatorExportTypes:
    """tinytorch leaves out exporting programs: there is no torch.onnx.OperatorExportTypes."""
    def __init__(self, *args, **kwargs) -> None: ...
class TrainingMode:
    """tinytorch leaves out exporting programs: there is no torch.onnx.TrainingMode."""
    def __init__(self, *args, **kwargs) -> None: ...
class dynamo_export:
    """tinytorch leaves out exporting programs: there is no torch.onnx.dynamo_export."""
    def __init__(self, *args, **kwargs) -> None: ...
class export:
    """tinytorch leaves out exporting programs: there is no torch.onnx.export."""
    def __init__(self, *args, **kwargs) -> None: ...
class register_custom_op_symbolic:
    def __init__(self, *args, **kwargs) -> None: ...
