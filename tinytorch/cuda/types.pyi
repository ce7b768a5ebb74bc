# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
BoolTensor: Any
ByteTensor: Any
CharTensor: Any
DoubleTensor: Any
FloatTensor: Any
HalfTensor: Any
IntTensor: Any
LongTensor: Any
ShortTensor: Any
UInt16Tensor: Any
UInt32Tensor: Any
UInt64Tensor: Any
class tensortype(builtins.type):
    def __call__(cls, *data, device: Device | None = None): ...
    def __init__(cls, name, dtype: _dtype, device: Device = 'cpu') -> None: ...
    def __instancecheck__(cls, value): ...
    is_sparse: _bool
dtypes: Any
type_names: Any
