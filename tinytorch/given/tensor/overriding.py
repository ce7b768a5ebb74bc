"""Classes made from Tensor, and `__torch_function__`, by which they answer for every operation on them.

A class gets its own copies of Tensor's methods when it is made; Tensor's stay as they are, and as fast. The
functions of PyTorch's places ask from then on too, and those that were imported before
(`tinytorch/_lookup.py`).
"""

import functools
import threading
import weakref
from types import FunctionType

from tinytorch.given import methods_of
from tinytorch.given.tensor.construction import kind_of
from tinytorch.tensor import Tensor

__all__ = ["_disabled_torch_function_impl", "made_overridable", "overridable", "spoken_for"]

OPERATORS = (
    "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv mod rmod pow rpow"
)
OPERATORS += (
    " ipow matmul rmatmul neg pos abs invert and or xor lshift rshift eq ne lt le gt ge getitem setitem"
)
SPOKEN = {"__radd__": "add", "__rmul__": "mul", "__truediv__": "div", "__mod__": "remainder"}
SPOKEN |= {
    f"__{name}__": name
    for name in ["add", "mul", "sub", "matmul", "neg", "abs", "pow", "eq", "ne", "lt", "le", "gt", "ge"]
}
SPOKEN |= {f"__i{name}__": f"{name}_" for name in ["add", "mul", "sub", "pow"]}
SPOKEN |= {"__itruediv__": "div_", "__imod__": "remainder_", "__ifloordiv__": "floor_divide_"}
PROPERTIES = ("T", "mT", "H", "mH", "data")
OWN = (
    "as_subclass",
    "register_hook",
    "backward",
    "numpy",
    "tolist",
    "item",
    "data_ptr",
    "storage",
    "untyped_storage",
)

answering = threading.local()  # `.on` while a class has been asked: what is called meanwhile asks nobody
made_overridable = []  # what is told when the first class is made
classes, silent = weakref.WeakSet(), weakref.WeakSet()  # those that answer; and those that do not


def _disabled_torch_function_impl(func, types, args=(), kwargs=None):
    """`__torch_function__` of a class that does not answer, such as Parameter, of which come Tensors."""
    return func(*args, **(kwargs or {}))


def spoken_for(name):
    """The method that an operator is told as, to a class that answers: x + y as Tensor.add."""
    return getattr(Tensor, SPOKEN.get(name, name))


def kinds_among(values):
    """The classes among arguments, and in lists of them, that answer for operations; derived ones first."""
    kinds = []
    for value in values:
        for kind in kinds_among(value) if isinstance(value, list | tuple) else [type(value)]:
            answer = getattr(kind, "__torch_function__", None)
            if kind is Tensor or kind in kinds or answer in (None, _disabled_torch_function_impl):
                continue
            place = next((i for i, other in enumerate(kinds) if issubclass(kind, other)), len(kinds))
            kinds.insert(place, kind)
    return kinds


def overridable(function, spoken=None):
    """A function, or method, that asks the classes of its arguments first."""

    @functools.wraps(function)
    def asking(*args, **kwargs):
        if getattr(answering, "on", False):
            return function(*args, **kwargs)
        kinds = kinds_among((*args, *kwargs.values()))
        if not kinds:
            return function(*args, **kwargs)
        for kind in kinds:
            result = kind.__torch_function__(spoken or function, tuple(kinds), args, kwargs)
            if result is not NotImplemented:
                return result
        if function.__name__.startswith("__"):
            return NotImplemented
        raise TypeError(f"no implementation found for '{function.__name__}' on types that are {kinds}")

    asking.asks = True
    return asking


def of_class(cls, result, given=()):
    """What an operation gave, with each tensor in it as one of a class."""
    if isinstance(result, Tensor):
        if isinstance(result, cls):
            return result
        return result.as_subclass(cls) if any(result is x for x in given) else kind_of(cls, result)
    if isinstance(result, list | tuple):
        return type(result)([of_class(cls, part, given) for part in result])
    return result


@methods_of(Tensor)
class Overriding:
    """How a class that is made from Tensor answers for operations."""

    _printed = "tensor"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Call a function for tensors of this class: tensors that it gives are of the class too."""
        if not all(issubclass(cls, kind) for kind in types):
            return NotImplemented
        answering.on = True
        try:
            result = func(*args, **(kwargs or {}))
        finally:
            answering.on = False
        return of_class(cls, result, args)

    @classmethod
    def __init_subclass__(cls, **options):
        """Let a class answer for the operations on its tensors, if it does."""
        super(Tensor, cls).__init_subclass__(**options)
        if cls.__torch_function__ is _disabled_torch_function_impl:
            silent.add(cls)
            if classes:
                cls._ask_first()
            return
        cls._printed = cls.__name__
        cls._ask_first()
        for other in () if classes else silent:
            other._ask_first()
        classes.add(cls)
        while made_overridable:
            made_overridable.pop()()

    @classmethod
    def _ask_first(cls):
        """Give a class its own copies of the methods, which ask the classes of their arguments first."""
        for name in dir(Tensor):
            value = getattr(Tensor, name)
            if name in vars(cls) or name in OWN or getattr(cls, name) is not value:
                continue
            if name.startswith("_") and name.strip("_") not in OPERATORS.split():
                continue
            if isinstance(value, FunctionType):
                setattr(cls, name, overridable(value, spoken_for(name)))
            elif name in PROPERTIES:
                setattr(cls, name, property(overridable(value.fget, value.fget), value.fset))
