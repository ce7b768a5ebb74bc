# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
MODES: Any
def allow_in_graph(fn):
    """Give the function back."""
def compile(model=None, *, fullgraph: _bool = False, dynamic=None, backend=None, mode=None, options=None, name=None, disable: _bool = False, recompile_limit=None, isolate_recompiles: _bool = False, shapes_spec=None): ...
def cudagraph_mark_step_begin():
    """Mark the beginning of a step for graphs of a GPU, of which there are none."""
def disable(fn=None, recursive: _bool = True, *, reason=None):
    """Give back a function that is not to be compiled, or without one a decorator that does."""
def is_compiling() -> _bool:
    """Whether the code that asks is being compiled: never."""
def is_dynamo_compiling() -> _bool:
    """Whether the code that asks is being compiled: never."""
def reset():
    """Take the kernels away that `compile` has put in place."""
