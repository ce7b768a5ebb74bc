# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class ScriptFunction:
    """What PyTorch makes of a function; nothing is one here."""
    def __init__(self, *args, **kwargs) -> None: ...
class ScriptModule:
    """What PyTorch makes of a module; nothing is one here."""
    def __init__(self, *args, **kwargs) -> None: ...
def Attribute(value, type):
    """Give a value back, whose type PyTorch is told."""
Final: Any
def annotate(the_type, the_value):
    """Give a value back, whose type PyTorch is told."""
def export(fn):
    """Give a function back that PyTorch does not compile."""
def fork(func, *args, **kwargs):
    """Call a function at once; `wait` gives its result."""
def freeze(mod, preserved_attrs=None, optimize_numerics: _bool = True):
    """Give a module back as it is."""
def ignore(drop: _bool = False, **kwargs):
    """Give a function back that PyTorch does not compile; without one, a decorator."""
def interface(fn):
    """Give a function back that PyTorch does not compile."""
def is_scripting() -> _bool:
    """Whether the code that asks is being compiled: never."""
def is_tracing() -> _bool:
    """Whether the code that asks is being compiled: never."""
def isinstance(obj, target_type):
    """Whether an object is of a type, as far as Python itself can tell."""
def load(f, map_location=None, _extra_files=None):
    """Refuse to read a compiled program."""
def optimize_for_inference(mod, other_methods=None):
    """Give a module back as it is."""
def save(m, f, _extra_files=None):
    """Refuse to write a compiled program."""
say_once: Any
def script(obj=None, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Give a function or a module back as it is."""
def script_if_tracing(fn):
    """Give a function back that PyTorch does not compile."""
def script_method(fn):
    """Give a function back that PyTorch does not compile."""
def trace(func, example_inputs=None, *args, **kwargs):
    """Give a function or a module back as it is."""
def trace_module(func, example_inputs=None, *args, **kwargs):
    """Give a function or a module back as it is."""
def unused(fn):
    """Give a function back that PyTorch does not compile."""
def wait(future):
    """The result of what `fork` called."""
