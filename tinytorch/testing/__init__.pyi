# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
TOLERANCES: Any
def assert_close(actual, expected, *, allow_subclasses: _bool = True, rtol=None, atol=None, equal_nan: _bool = False, check_device: _bool = True, check_dtype: _bool = True, check_layout: _bool = True, check_stride: _bool = False, msg=None): ...
def compare(actual, expected, tolerances, equal_nan, checks, subclasses, place):
    """Compare two values, which stand at a place in what is compared."""
def compare_numbers(actual, expected, given, equal_nan, check_type, where):
    """Compare two of Python's numbers, as float64 is compared."""
def compare_tensors(actual, expected, given, equal_nan, checks, where):
    """Compare two tensors: what they are, then their numbers."""
def tolerances_for(given, *names):
    """The tolerances that were given, or the larger ones of the types."""
