"""Bits shifted, and what integers have in common: functions of NumPy's, which have no gradient."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.compatibility import type_names
from tinytorch.given.tensor.logic import pointwise, tensors_only
from tinytorch.tensor import Tensor

__all__ = ["shifted", "whole_numbers"]


def shifted(ufunc, name, x, y):
    """Bits of x moved by y places; NotImplementedError for floating point numbers."""
    if any(isinstance(o, float) or (isinstance(o, Tensor) and o.is_floating_point()) for o in (x, y)):
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Float'")
    return pointwise(ufunc, x, y)


def whole_numbers(ufunc, name, x, y):
    """A function of integers; NotImplementedError for others."""
    for operand in tensors_only(name, x, y):
        if operand.array.dtype.kind not in "iu":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{type_names[operand.dtype]}'")
    return pointwise(ufunc, x, y)


@methods_of(Tensor)
class Bits:
    """Shifts, and the operators that assign bits."""

    def bitwise_left_shift(self, other):
        """self 2^other, of the bits that stay within the type."""
        return shifted(np.left_shift, "lshift", self, other)

    def bitwise_right_shift(self, other):
        """self / 2^other, rounded down: the sign fills the places that become free."""
        return shifted(np.right_shift, "rshift", self, other)

    def gcd(self, other):
        """The greatest common divisors of integers."""
        return whole_numbers(np.gcd, "gcd", self, other)

    def lcm(self, other):
        """The least common multiples of integers."""
        return whole_numbers(np.lcm, "lcm", self, other)

    def __lshift__(self, other):
        return self.bitwise_left_shift(other)

    def __rshift__(self, other):
        return self.bitwise_right_shift(other)

    def __rlshift__(self, other):
        return shifted(np.left_shift, "lshift", other, self)

    def __rrshift__(self, other):
        return shifted(np.right_shift, "rshift", other, self)
