"""Arithmetic and its operators: operations that go like `Mul`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import on_host
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.numpy_warnings import python_number
from tinytorch.given.tensor.older_order import numbers_first
from tinytorch.given.tensor.promotion import floating, in_float32, promote
from tinytorch.tensor import Function, Mul, Tensor, array_of, bool_, broadcast_shapes

__all__ = [
    "Add",
    "Div",
    "FloorDivide",
    "FloorRounded",
    "Neg",
    "Pow",
    "Reciprocal",
    "Remainder",
    "Sub",
    "TruncDivide",
    "check_divisor",
    "power",
    "raised",
]


class Add(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        return x + y


class Sub(Function):
    @staticmethod
    def forward(ctx, x, y, reflected=False):
        ctx.shapes, ctx.reflected = (np.shape(x), np.shape(y)), reflected
        if (y if isinstance(x, (int, float)) else x).dtype.kind == "b":
            raise RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. "
                "Use the `^` or `logical_xor()` operator instead."
            )
        return x - y


class Neg(Function):
    @staticmethod
    def forward(ctx, x):
        if x.dtype == bool:
            raise RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. Use the `~` operator instead."
            )
        return -x


class Div(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        ctx.save_for_backward(x if ctx.asks_for(1) else None, y)
        return x / y


class Reciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        output = 1 / x
        ctx.save_for_backward(output)
        return output


class FloorDivide(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        check_divisor(x, y)
        return x // y


class FloorRounded(FloorDivide):
    """What `div` rounds down has a gradient, of zero; what `//` does has none."""

    node_name = "DivBackward2"


class TruncDivide(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        check_divisor(x, y)
        return np.trunc(x / y).astype(np.result_type(x, y))


class Remainder(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes, ctx.by_number = (np.shape(x), np.shape(y)), isinstance(y, (int, float))
        if ctx.asks_for(1):
            ctx.save_for_backward(x, y)
        check_divisor(x, y)
        output = x % y
        if on_host(output) and output.dtype.kind == "f":  # a zero has the sign of what was divided
            return np.where(output == 0, np.copysign(output, x), output)
        return output


def check_divisor(x, y):
    """RuntimeError where an integer is divided by zero: there is no integer infinity to return."""
    if np.result_type(x, y).kind in "iu" and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


class Pow(Function):
    @staticmethod
    def forward(ctx, x, y, reflected=False):
        output = power(x, y)
        ctx.save_for_backward(x, y, output if ctx.asks_for(1) else None)
        ctx.overload = (
            2 if reflected else int(not isinstance(y, (int, float)))
        )  # number ** tensor, ** tensor, ** number
        return output


def of_two(operation, x, y, floating=False, **options):
    """An operation on two operands; float16 with a number that it may not hold, in float32."""
    x, y = promote(x, y, floating)
    kind = (x if isinstance(x, Tensor) else y).array.dtype.char
    if kind == "e" and not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        return in_float32(operation, x, y, **options)
    if kind in "HIL" and operation in (Add, Sub):
        raise NotImplementedError(f'"add_stub" not implemented for uint{8 * np.dtype(kind).itemsize}')
    return operation.apply(x, y, **options)


def with_multiple(x, y, combine, alpha):
    """x and alpha y, added or subtracted."""
    return combine.apply(x, scaled(y, alpha))


def power(x, y):
    """x ** y by products where y is a small number, because a general power is some sixty times slower."""
    if isinstance(y, (int, float)):
        if y in (1, 2, 3):
            return x.copy() if y == 1 else x * x if y == 2 else x * x * x
        if y in (0.5, -0.5) and x.dtype.char != "e":
            return np.sqrt(x) if y == 0.5 else 1 / np.sqrt(x)
        if y == -1:
            return 1 / x
    elif y.dtype.kind == "i" and np.result_type(x, y).kind in "iu" and (y < 0).any():
        # of integers only 1 and -1 have an inverse that is one
        inverse = np.where(x == 1, 1, np.where(x == -1, 1 - 2 * (y % 2), 0)).astype(np.result_type(x, y))
        return np.where(y < 0, inverse, x ** np.abs(y))
    return x**y


def raised(base, exponent):
    """base ** exponent; RuntimeError for a negative number over integers."""
    if isinstance(exponent, int) and exponent < 0 and not base.is_floating_point():
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if base.dtype is bool_ and isinstance(exponent, bool):
        return base | (not exponent)
    return Pow.apply(*promote(base, exponent))


class Lerp(Function):
    saved_for = ((2,), (2,), (0, 1))

    @staticmethod
    def forward(ctx, x, end, weight):
        ctx.shapes = [np.shape(a) for a in (x, end, weight)]
        ctx.save_for_backward(x, end, weight)
        return np.where(np.abs(weight) < 0.5, x + weight * (end - x), end - (end - x) * (1 - weight))

    @staticmethod
    def backward(ctx, grad):
        x, end, weight = ctx.saved_tensors
        shares = grad * (1 - weight), grad * weight, grad * (end - x) if ctx.asks_for(2) else None
        unbroadcast = later("autograd").unbroadcast
        return tuple([None if s is None else unbroadcast(s, n) for s, n in zip(shares, ctx.shapes)])


def as_large_as(x, *others):
    """The others in the shape that they have with x: of nothing comes no gradient, not 0 times inf."""
    shape = broadcast_shapes(x.shape, *[other.shape for other in others])
    return [other if other.shape == shape or not other.ndim else other.expand(shape) for other in others]


def scaled(y, alpha):
    """alpha y, in the type of y; RuntimeError for an alpha that it has not."""
    if alpha == 1:
        return y
    kind = array_of(y).dtype.kind if not isinstance(y, (int, float)) else "f"
    if kind != "f" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return y * (bool(alpha) if kind == "b" else python_number(alpha))


def with_product(x, tensor1, tensor2, value):
    """x + value tensor1 tensor2."""
    product = tensor1 * tensor2
    return x + product * (value if product.is_floating_point() else int(value))


@methods_of(Tensor)
class Arithmetic:
    """Methods and operators of arithmetic."""

    @numbers_first("alpha")
    def add(self, other, *, alpha=1):
        """Add alpha times `other`, a number or a tensor that broadcasts.

        >>> torch.tensor([1.0, 2.0]).add(torch.tensor([10.0, 20.0]), alpha=2)
        tensor([21., 42.])
        """
        if alpha == 1:
            return of_two(Add, self, other)
        return in_float32(with_multiple, *promote(self, other), combine=Add, alpha=alpha)

    @numbers_first("alpha")
    def sub(self, other, *, alpha=1):
        """Subtract alpha times `other`, a number or a tensor that broadcasts; RuntimeError for booleans.

        >>> torch.tensor([1.0, 2.0]).sub(torch.tensor([10.0, 20.0]), alpha=2)
        tensor([-19., -38.])
        """
        if alpha == 1:
            return of_two(Sub, self, other)
        return in_float32(with_multiple, *promote(self, other), combine=Sub, alpha=alpha)

    def div(self, other, *, rounding_mode=None):
        """Divide by `other`: integers too become floating point numbers, unless the quotient is rounded.

        `rounding_mode` is "floor" to round down, "trunc" to round towards 0; then integers stay integers.

        >>> torch.tensor([-7.0, 7.0]).div(2)
        tensor([-3.5000,  3.5000])
        >>> torch.tensor([-7, 7]).div(2, rounding_mode="trunc")
        tensor([-3,  3])
        """
        if rounding_mode is None:
            return of_two(Div, self, other, floating=True)
        if rounding_mode not in ("floor", "trunc"):
            raise RuntimeError(
                "div expected rounding_mode to be one of None, 'trunc', or 'floor' "
                f"but found '{rounding_mode}'"
            )
        return (FloorRounded if rounding_mode == "floor" else TruncDivide).apply(*promote(self, other))

    def lerp(self, end, weight):
        """Go from self towards `end`: self + weight (end - self), computed from the nearer of the two.

        >>> torch.tensor([0.0, 10.0]).lerp(torch.tensor([10.0, 20.0]), 0.25)
        tensor([ 2.5000, 12.5000])
        """
        x, end = promote(self, end)
        if isinstance(weight, Tensor):
            broadcast_shapes(x.shape, np.shape(array_of(end)), weight.shape)
            if weight.array.dtype != x.array.dtype:
                raise RuntimeError(f"expected dtype {x.dtype} for `weight` but got dtype {weight.dtype}")
        return in_float32(Lerp, x, end, weight)

    def mul(self, other):
        """Multiply by `other`, a number or a tensor that broadcasts, element by element.

        >>> torch.tensor([1.0, 2.0]).mul(torch.tensor([10.0, 20.0]))
        tensor([10., 40.])
        """
        return of_two(Mul, self, other)

    def pow(self, exponent):
        """Raise each element to a power, a number or a tensor; RuntimeError for integers to a negative one.

        >>> torch.tensor([2.0, 3.0]).pow(3)
        tensor([ 8., 27.])
        """
        return raised(self, exponent)

    def floor_divide(self, other):
        """Divide and round down, ⌊x / y⌋; RuntimeError for an integer by 0.

        >>> torch.tensor([-7, 7]).floor_divide(2)
        tensor([-4,  3])
        """
        return FloorDivide.apply(*promote(self, other))

    def remainder(self, other):
        """Compute x - y ⌊x / y⌋, which has the sign of the divisor y; RuntimeError for an integer by 0.

        >>> torch.tensor([-7, 7]).remainder(3)
        tensor([2, 1])
        """
        return Remainder.apply(*promote(self, other))

    def neg(self):
        """Change the sign of each element; RuntimeError for booleans.

        >>> torch.tensor([1, -2]).neg()
        tensor([-1,  2])
        """
        return Neg.apply(self)

    def square(self):
        """Compute x² of each element.

        >>> torch.tensor([1, -3]).square()
        tensor([1, 9])
        """
        return self.pow(2)

    def reciprocal(self):
        """Compute 1 / x of each element.

        >>> torch.tensor([2.0, 4.0]).reciprocal()
        tensor([0.5000, 0.2500])
        """
        return Reciprocal.apply(floating(self))

    @numbers_first("value")
    def addcmul(self, tensor1, tensor2, *, value=1):
        """Compute self + value tensor1 tensor2, element by element.

        >>> torch.ones(2).addcmul(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), value=2)
        tensor([ 7., 17.])
        """
        return in_float32(with_product, self, *as_large_as(self, tensor1, tensor2), value=value)

    @numbers_first("value")
    def addcdiv(self, tensor1, tensor2, *, value=1):
        """Compute self + value tensor1 / tensor2, element by element.

        >>> torch.ones(2).addcdiv(torch.tensor([1.0, 2.0]), torch.tensor([2.0, 4.0]), value=2)
        tensor([2., 2.])
        """
        tensor1, tensor2 = as_large_as(self, tensor1, tensor2)
        return self + tensor1 / tensor2 * value
