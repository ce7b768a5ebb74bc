# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.nn import ModuleList as _ModuleList
class ParametrizationList(_ModuleList):
    is_tensor: Any
    ntensors: Any
    unsafe: Any
    def __init__(self, modules, original, unsafe: _bool = False) -> None: ...
    def check(self, original):
        """Refuse a parametrization that changes the parameter's shape or type."""
    forward: Any
    def originals(self):
        """What the parameter is computed from."""
    def right_inverse(self, value):
        """Set the originals so that the parameter becomes `value`."""
def cached():
    """A block in which each parameter is computed once, however often it is read."""
def is_parametrized(module, tensor_name=None) -> _bool:
    """Whether a module, or one parameter of it, is parametrized."""
def register_parametrization(module, tensor_name, parametrization, *, unsafe: _bool = False):
    """Compute a parameter or buffer by `parametrization` whenever it is read."""
def remove_parametrizations(module, tensor_name, leave_parametrized: _bool = True): ...
def type_before_parametrizations(module):
    """The class of a module without its parametrizations."""
