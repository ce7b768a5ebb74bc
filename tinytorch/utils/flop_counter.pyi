# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class FlopCounterMode:
    """Count the FLOPs of a `with` block, by module and by operation."""
    custom_mapping: Any
    depth: Any
    display: Any
    flop_counts: Any
    usual: Any
    watch: Any
    def __enter__(self): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, mods=None, depth=2, display: _bool = True, custom_mapping=None) -> None: ...
    def count(self, call):
        """Add the FLOPs of a call to its module, to those around it, and to the whole."""
    def get_flop_counts(self): ...
    def get_table(self, depth=None):
        """The counts as text: modules, and their operations, with their share of the whole."""
    def get_total_flops(self):
        """The FLOPs of the whole block."""
def register_flop_formula(targets, get_raw: _bool = False):
    """Let the decorated function count the FLOPs of an operation, or of each of a list."""
