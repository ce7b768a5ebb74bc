"""Comparisons, logic and bits: booleans and integers, which have no gradient."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.promotion import check_operands, promote
from tinytorch.tensor import Tensor, array_of, broadcast_shapes, wrap

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
    check_operands(*operands)
    if any(isinstance(x, float) or (isinstance(x, Tensor) and x.is_floating_point()) for x in operands):
        error = TypeError if len(operands) == 1 else NotImplementedError
        raise error(f"{ufunc.__name__} is only implemented on integer and Boolean-type tensors")
    return pointwise(ufunc, *operands)


@methods_of(Tensor)
class Logic:
    """Comparisons and logic."""

    def eq(self, other):
        """Tell where self = other, a number or a tensor that broadcasts: a tensor of booleans.

        >>> torch.tensor([1, 2]).eq(2)
        tensor([False,  True])
        """
        return pointwise(np.equal, self, other)

    def ne(self, other):
        """Tell where self ≠ other, a number or a tensor that broadcasts: a tensor of booleans.

        >>> torch.tensor([1, 2]).ne(2)
        tensor([ True, False])
        """
        return pointwise(np.not_equal, self, other)

    def lt(self, other):
        """Tell where self < other, a number or a tensor that broadcasts: a tensor of booleans.

        >>> torch.tensor([1, 2]).lt(2)
        tensor([ True, False])
        """
        return pointwise(np.less, self, other)

    def le(self, other):
        """Tell where self ≤ other, a number or a tensor that broadcasts: a tensor of booleans.

        >>> torch.tensor([1, 2, 3]).le(2)
        tensor([ True,  True, False])
        """
        return pointwise(np.less_equal, self, other)

    def gt(self, other):
        """Tell where self > other, a number or a tensor that broadcasts: a tensor of booleans.

        >>> torch.tensor([1, 2, 3]).gt(2)
        tensor([False, False,  True])
        """
        return pointwise(np.greater, self, other)

    def ge(self, other):
        """Tell where self ≥ other, a number or a tensor that broadcasts: a tensor of booleans.

        >>> torch.tensor([1, 2, 3]).ge(2)
        tensor([False,  True,  True])
        """
        return pointwise(np.greater_equal, self, other)

    def isnan(self):
        """Tell which elements are NaN, no number.

        >>> torch.tensor([1.0, float("nan"), float("inf")]).isnan()
        tensor([False,  True, False])
        """
        return pointwise(np.isnan, self)

    def isinf(self):
        """Tell which elements are infinite, of either sign.

        >>> torch.tensor([1.0, float("nan"), float("inf")]).isinf()
        tensor([False, False,  True])
        """
        return pointwise(np.isinf, self)

    def isfinite(self):
        """Tell which elements are neither infinite nor NaN.

        >>> torch.tensor([1.0, float("nan"), float("inf")]).isfinite()
        tensor([ True, False, False])
        """
        return pointwise(np.isfinite, self)

    def logical_not(self):
        """Tell which elements are 0.

        >>> torch.tensor([0, 1, 2]).logical_not()
        tensor([ True, False, False])
        """
        return pointwise(np.logical_not, self)

    def logical_and(self, other):
        """Tell where both elements are other than 0.

        >>> torch.tensor([0, 1, 2]).logical_and(torch.tensor([1, 0, 1]))
        tensor([False, False,  True])
        """
        return pointwise(np.logical_and, self, *tensors_only("logical_and", other))

    def logical_or(self, other):
        """Tell where an element, or both, is other than 0.

        >>> torch.tensor([0, 0, 2]).logical_or(torch.tensor([1, 0, 1]))
        tensor([ True, False,  True])
        """
        return pointwise(np.logical_or, self, *tensors_only("logical_or", other))

    def logical_xor(self, other):
        """Tell where one element of the two is 0, and not the other.

        >>> torch.tensor([0, 0, 2]).logical_xor(torch.tensor([1, 0, 1]))
        tensor([ True, False, False])
        """
        return pointwise(np.logical_xor, self, *tensors_only("logical_xor", other))

    def bitwise_not(self):
        """Flip every bit of integers, -x - 1; the opposite of booleans. TypeError for floating point numbers.

        >>> torch.tensor([0, 5]).bitwise_not()
        tensor([-1, -6])
        """
        return bitwise(np.invert, self)

    def bitwise_and(self, other):
        """Keep the bits that both integers have; of booleans, both of which must hold.

        >>> torch.tensor([12, 10]).bitwise_and(6)
        tensor([4, 2])
        """
        return bitwise(np.bitwise_and, self, other)

    def bitwise_or(self, other):
        """Keep the bits that either of two integers has; of booleans, one of which must hold.

        >>> torch.tensor([12, 10]).bitwise_or(6)
        tensor([14, 14])
        """
        return bitwise(np.bitwise_or, self, other)

    def bitwise_xor(self, other):
        """Keep the bits in which two integers differ; of booleans, those that differ.

        >>> torch.tensor([12, 10]).bitwise_xor(6)
        tensor([10, 12])
        """
        return bitwise(np.bitwise_xor, self, other)

    def equal(self, other):
        """Tell whether both have the same shape and the same values: one bool.

        >>> torch.tensor([1, 2]).equal(torch.tensor([1, 2]))
        True
        """
        return np.array_equal(self.array, other.array)

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        """Tell where |self - other| ≤ atol + rtol |other|; NaN is close to NaN if `equal_nan`.

        >>> torch.tensor([1.0, 2.0]).isclose(torch.tensor([1.000001, 2.1]))
        tensor([ True, False])
        """
        tensors_only("isclose", other)
        broadcast_shapes(self.shape, other.shape)
        for name, tolerance in (("rtol", rtol), ("atol", atol)):
            if tolerance < 0:
                raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
        return wrap(np.isclose(self.array, other.array, rtol, atol, equal_nan))

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        """Tell whether all elements are close, as `isclose` has it: one bool.

        >>> torch.tensor([1.0, 2.0]).allclose(torch.tensor([1.000001, 2.1]))
        False
        """
        return bool(self.isclose(other, rtol, atol, equal_nan).array.all())
