"""Comparisons, logic and bits: booleans and integers, which have no gradient."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.types import OPERANDS, promote
from tinytorch.tensor import Tensor, array_of, wrap

__all__ = ["bitwise", "pointwise", "tensors_only"]


def pointwise(ufunc, *operands):
    """A NumPy function of one operand or two whose result has no gradient."""
    operands = promote(*operands) if len(operands) == 2 else operands
    return wrap(ufunc(*map(array_of, operands)))


def tensors_only(name, *operands):
    """TypeError for a number where PyTorch takes tensors alone."""
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise TypeError(f"{name}(): argument 'other' must be Tensor, not {type(operand).__name__}")
    return operands


def bitwise(ufunc, *operands):
    """The same on bits, which only integers and booleans have."""
    if any(isinstance(x, float) or (isinstance(x, Tensor) and x.is_floating_point()) for x in operands):
        error = TypeError if len(operands) == 1 else NotImplementedError
        raise error(f"{ufunc.__name__} is only implemented on integer and Boolean-type tensors")
    return pointwise(ufunc, *operands)


@methods_of(Tensor)
class Logic:
    """Comparisons and logic."""

    eq = lambda self, other: pointwise(np.equal, self, other)
    ne = lambda self, other: pointwise(np.not_equal, self, other)
    lt = lambda self, other: pointwise(np.less, self, other)
    le = lambda self, other: pointwise(np.less_equal, self, other)
    gt = lambda self, other: pointwise(np.greater, self, other)
    ge = lambda self, other: pointwise(np.greater_equal, self, other)
    isnan = lambda self: pointwise(np.isnan, self)
    isinf = lambda self: pointwise(np.isinf, self)
    isfinite = lambda self: pointwise(np.isfinite, self)
    logical_not = lambda self: pointwise(np.logical_not, self)
    logical_and = lambda self, other: pointwise(np.logical_and, self, *tensors_only("logical_and", other))
    logical_or = lambda self, other: pointwise(np.logical_or, self, *tensors_only("logical_or", other))
    logical_xor = lambda self, other: pointwise(np.logical_xor, self, *tensors_only("logical_xor", other))
    bitwise_not = lambda self: bitwise(np.invert, self)
    bitwise_and = lambda self, other: bitwise(np.bitwise_and, self, other)
    bitwise_or = lambda self, other: bitwise(np.bitwise_or, self, other)
    bitwise_xor = lambda self, other: bitwise(np.bitwise_xor, self, other)

    def equal(self, other):
        """Whether both have the same shape and the same values: one bool."""
        return np.array_equal(self.array, other.array)

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        tensors_only("isclose", other)
        for name, tolerance in (("rtol", rtol), ("atol", atol)):
            if tolerance < 0:
                raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
        return wrap(np.isclose(self.array, other.array, rtol, atol, equal_nan))

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return bool(self.isclose(other, rtol, atol, equal_nan).array.all())

    __invert__ = bitwise_not
    __lt__, __le__, __gt__, __ge__ = lt, le, gt, ge
    __eq__ = lambda self, other: self.eq(other) if isinstance(other, OPERANDS) else NotImplemented
    __ne__ = lambda self, other: self.ne(other) if isinstance(other, OPERANDS) else NotImplemented
    __hash__ = object.__hash__
    __and__ = __rand__ = bitwise_and
    __or__ = __ror__ = bitwise_or
    __xor__ = __rxor__ = bitwise_xor
