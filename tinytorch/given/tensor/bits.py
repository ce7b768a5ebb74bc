"""Bits shifted, and what integers have in common: functions of NumPy's, which have no gradient."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.legacy_types import type_names
from tinytorch.given.tensor.logic import pointwise, tensors_only
from tinytorch.given.tensor.promotion import check_operands
from tinytorch.tensor import Tensor

__all__ = ["shifted", "whole_numbers"]


def shifted(ufunc, name, x, y):
    """Bits of x moved by y places; NotImplementedError for floating point numbers."""
    check_operands(x, y)
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
        """Shift the bits of integers to the left by `other` places: x 2^other, of what stays within the type.

        >>> torch.tensor([1, 3]).bitwise_left_shift(2)
        tensor([ 4, 12])
        """
        return shifted(np.left_shift, "lshift", self, other)

    def bitwise_right_shift(self, other):
        """Shift the bits of integers to the right: x / 2^other, rounded down; the sign fills the free places.

        >>> torch.tensor([4, -5]).bitwise_right_shift(1)
        tensor([ 2, -3])
        """
        return shifted(np.right_shift, "rshift", self, other)

    def gcd(self, other):
        """Find the greatest common divisor of two integers.

        >>> torch.tensor([12, 18]).gcd(torch.tensor([8, 27]))
        tensor([4, 9])
        """
        return whole_numbers(np.gcd, "gcd", self, other)

    def lcm(self, other):
        """Find the least common multiple of two integers.

        >>> torch.tensor([4, 6]).lcm(torch.tensor([6, 9]))
        tensor([12, 18])
        """
        return whole_numbers(np.lcm, "lcm", self, other)
