# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, _device, _dtype
from tinytorch._typed import Tensor as Tensor
class Constraint:
    def __init__(self, *args, **kwargs) -> None: ...
    def check(self, value): ...
    event_dim: _int
    is_discrete: _bool
boolean: Any
dependent: Any
def greater_than(lower_bound):
    """All numbers above a bound."""
def greater_than_eq(lower_bound):
    """All numbers from a bound on."""
def independent(base_constraint, reinterpreted_batch_ndims):
    """All vectors of values of a set."""
def integer_interval(lower_bound, upper_bound):
    """All whole numbers from one to another."""
def interval(lower_bound, upper_bound):
    """All numbers from one to another."""
def less_than(upper_bound):
    """All numbers below a bound."""
lower_cholesky: Any
nonnegative: Any
nonnegative_integer: Any
one_hot: Any
positive: Any
positive_definite: Any
real: Any
real_vector: Any
simplex: Any
unit_interval: Any
