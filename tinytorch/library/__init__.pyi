# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.autograd import Function as Function
class CustomOpDef:
    def __call__(self, *args, **kwargs): ...
    def __init__(self, name, function) -> None: ...
    def register_autograd(self, backward, /, *, setup_context=None):
        """Give it a gradient: `backward(ctx, *grads)`, after `setup_context(ctx, inputs, output)`."""
    def register_fake(self, fn, /):
        """Take what gives a compiler the shape of the result; returns it."""
def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None): ...
def keep_nothing(ctx, inputs, output):
    """Set up the context of a gradient that needs nothing."""
def register_autograd(op, backward, /, *, setup_context=None):
    """Give an operation, or the one of a name, a gradient; see `CustomOpDef.register_autograd`."""
def register_fake(op, func=None, /):
    """Take what gives a compiler the shape of an operation's result; without it, a decorator."""
