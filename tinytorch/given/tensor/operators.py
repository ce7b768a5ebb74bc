"""The operators of Tensor: its operations and methods, on tensors and numbers.

An operand of any other kind decides itself: by `__torch_function__`, or as Python asks it. An array of
NumPy takes a tensor on its left for an array; a tensor on its right is refused.
"""

import operator

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arithmetic import Add, Div, FloorDivide, Pow, Remainder, Sub, of_two, raised
from tinytorch.given.tensor.bits import shifted
from tinytorch.given.tensor.creation import from_numpy
from tinytorch.given.tensor.overriding import spoken_for
from tinytorch.given.tensor.promotion import is_operand, promote
from tinytorch.tensor import Mul, Tensor, grad_mode, tensor

__all__ = []


def decided(name, self, other):
    """What an operand makes of an operator that has raised TypeError; the error, of a tensor or a number.

    An array beside a tensor that requires grad is a constant, where PyTorch refuses it.
    """
    if is_operand(other):
        raise
    if isinstance(other, np.ndarray) and self.requires_grad:
        return getattr(self, name)(tensor(other))
    kind = type(other)
    if not hasattr(kind, "__torch_function__"):
        return NotImplemented
    return kind.__torch_function__(spoken_for(name), (kind,), (self, other), {})


def of_operation(name, operation, floating=False):
    """An operator that is an operation."""

    def method_of_two(self, other):
        try:
            return of_two(operation, self, other, floating)
        except TypeError:
            return decided(name, self, other)

    return method_of_two


def of_method(name, function):
    """An operator that is a method, or a function of two operands."""

    def method_of_two(self, other):
        try:
            return function(self, other)
        except TypeError:
            return decided(name, self, other)

    return method_of_two


def remainder(x, y):
    """x % y of two tensors, or of one and a number."""
    return Remainder.apply(*promote(x, y))


def floor_quotient(x, y):
    """x // y of two tensors, or of one and a number."""
    return FloorDivide.apply(*promote(x, y))


def product_from_right(self, other):
    """other @ self."""
    return other.matmul(self) if isinstance(other, Tensor) else NotImplemented


def equal(self, other):
    """self == other, which may be an array too."""
    return self.eq(tensor(other) if isinstance(other, np.ndarray) else other)


OPERATIONS = {"add": [Add], "radd": [Add], "mul": [Mul], "rmul": [Mul], "sub": [Sub], "truediv": [Div, True]}
METHODS = {
    "rsub": lambda self, other: of_two(Sub, other, self, reflected=True),
    "rtruediv": lambda self, other: self.reciprocal() * other,
    "mod": remainder,
    "rmod": lambda self, other: remainder(other, self),
    "floordiv": floor_quotient,
    "rfloordiv": lambda self, other: floor_quotient(other, self),
    "pow": raised,
    "rpow": lambda self, other: Pow.apply(*promote(other, self), reflected=True),
    "rmatmul": product_from_right,
    "eq": equal,
    "lshift": Tensor.bitwise_left_shift,
    "rshift": Tensor.bitwise_right_shift,
    "rlshift": lambda self, other: shifted(np.left_shift, "lshift", other, self),
    "rrshift": lambda self, other: shifted(np.right_shift, "rshift", other, self),
    "ifloordiv": Tensor.floor_divide_,
    "imod": Tensor.remainder_,
    "itruediv": Tensor.div_,
}
METHODS |= {name: getattr(Tensor, name) for name in ("matmul", "ne", "lt", "le", "gt", "ge")}
METHODS |= {f"i{name}": getattr(Tensor, f"{name}_") for name in ("add", "sub", "mul", "pow")}
for _name in ("and", "or", "xor"):
    METHODS[_name] = METHODS[f"r{_name}"] = getattr(Tensor, f"bitwise_{_name}")
    METHODS[f"i{_name}"] = getattr(Tensor, f"bitwise_{_name}_")
METHODS |= {"ilshift": Tensor.bitwise_left_shift_, "irshift": Tensor.bitwise_right_shift_}


METHODS_BY_UFUNC = {"absolute": "abs", "negative": "neg", "power": "pow", "divide": "div", "subtract": "sub"}
METHODS_BY_UFUNC |= {"multiply": "mul", "greater": "gt", "less": "lt"}
BY_UFUNC = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "power": operator.pow,
    "matmul": operator.matmul, "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
    "left_shift": operator.lshift, "right_shift": operator.rshift,
}  # fmt: skip


def beside_array(array, name, other):
    """An operator of an array, or of a number of NumPy's, and a tensor on its right."""
    if isinstance(array, np.generic):
        return BY_UFUNC[name](array.item(), other)
    if name in ("equal", "not_equal"):
        return BY_UFUNC[name](tensor(array), other)
    return other.reciprocal() * array if name == "divide" else NotImplemented


@methods_of(Tensor)
class Operators:
    """Python's operators of one tensor, and what NumPy asks for."""

    __neg__, __pos__, __invert__ = Tensor.neg, lambda self: self, Tensor.bitwise_not

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        """What a function of NumPy gives, as a tensor; an operator of an array is not for tensors.

        A gradient rule that runs on tensors may use NumPy's functions: there they are the tensors' own.
        """
        name = METHODS_BY_UFUNC.get(ufunc.__name__, ufunc.__name__)
        if grad_mode.in_rule:
            if method != "__call__" or options or not hasattr(Tensor, name):
                return NotImplemented
            first, *rest = [x if isinstance(x, Tensor) else tensor(x) for x in inputs]
            return getattr(first, name)(*rest)
        if ufunc.__name__ in BY_UFUNC and method == "__call__" and not isinstance(inputs[0], Tensor):
            return beside_array(inputs[0], ufunc.__name__, inputs[1])
        arrays = [x.numpy() if isinstance(x, Tensor) else x for x in inputs]
        result = np.asarray(getattr(ufunc, method)(*arrays, **options))
        return from_numpy(result.astype(np.uint8) if result.dtype == bool else result)


made = {"__hash__": object.__hash__}  # which a class with an __eq__ does not inherit
for _make, _table in ((of_operation, OPERATIONS), (of_method, METHODS)):
    for _name, _what in _table.items():
        _name = f"__{_name}__"
        made[_name] = _make(_name, *(_what if isinstance(_what, list) else [_what]))
        made[_name].__name__, made[_name].__qualname__ = _name, f"OperatorsOfTwo.{_name}"
methods_of(Tensor)(type("OperatorsOfTwo", (), made))
