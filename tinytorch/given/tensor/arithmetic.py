"""Arithmetic and its operators: operations that go like `Mul`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import on_host
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.types import floating, in_float32, promote
from tinytorch.tensor import Function, Mul, Tensor, array_of, bool_

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


SEQUENCES = (str, bytes, bytearray, list, tuple)


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


def power(x, y):
    """x ** y by products where y is a small number, because a general power is some sixty times slower."""
    if isinstance(y, (int, float)):
        if y in (1, 2, 3):
            return x.copy() if y == 1 else x * x if y == 2 else x * x * x
        if y in (0.5, -0.5):
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
    shape = np.broadcast_shapes(x.shape, *[other.shape for other in others])
    return [other if other.shape == shape or not other.ndim else other.expand(shape) for other in others]


def scaled(y, alpha):
    """alpha y, in the type of y; RuntimeError for an alpha that it has not."""
    if alpha == 1:
        return y
    kind = array_of(y).dtype.kind if not isinstance(y, (int, float)) else "f"
    if kind != "f" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return y * (bool(alpha) if kind == "b" else alpha)


@methods_of(Tensor)
class Arithmetic:
    """Methods and operators of arithmetic."""

    def add(self, other, *, alpha=1):
        x, y = promote(self, other)
        return Add.apply(x, scaled(y, alpha))

    def sub(self, other, *, alpha=1):
        x, y = promote(self, other)
        return Sub.apply(x, scaled(y, alpha))

    def div(self, other, *, rounding_mode=None):
        if rounding_mode is None:
            return Div.apply(*promote(self, other, floating=True))
        if rounding_mode not in ("floor", "trunc"):
            raise RuntimeError(
                "div expected rounding_mode to be one of None, 'trunc', or 'floor' "
                f"but found '{rounding_mode}'"
            )
        return (FloorRounded if rounding_mode == "floor" else TruncDivide).apply(*promote(self, other))

    def lerp(self, end, weight):
        """self + weight (end - self), from the nearer of the two ends."""
        return in_float32(Lerp, *promote(self, end), weight)

    mul = lambda self, other: Mul.apply(*promote(self, other))
    pow = lambda self, exponent: raised(self, exponent)
    floor_divide = lambda self, other: FloorDivide.apply(*promote(self, other))
    remainder = lambda self, other: Remainder.apply(*promote(self, other))
    neg = lambda self: Neg.apply(self)
    square = lambda self: self.pow(2)
    reciprocal = lambda self: Reciprocal.apply(floating(self))

    def addcmul(self, tensor1, tensor2, *, value=1):
        """self + value tensor1 tensor2; integers by a whole number."""
        tensor1, tensor2 = as_large_as(self, tensor1, tensor2)
        product = tensor1 * tensor2
        return self + product * (value if product.is_floating_point() else int(value))

    def addcdiv(self, tensor1, tensor2, *, value=1):
        """self + value tensor1 / tensor2."""
        tensor1, tensor2 = as_large_as(self, tensor1, tensor2)
        return self + tensor1 / tensor2 * value

    __add__ = __radd__ = lambda self, other: Add.apply(*promote(self, other))

    def __mul__(self, other):
        """The product; a text or a list is repeated, as by any integer."""
        try:
            return Mul.apply(*promote(self, other))
        except TypeError:
            if isinstance(other, SEQUENCES):
                return NotImplemented
            raise

    __rmul__ = __mul__
    __sub__ = lambda self, other: Sub.apply(*promote(self, other))
    __rsub__ = lambda self, other: Sub.apply(*promote(other, self), reflected=True)
    __truediv__ = lambda self, other: Div.apply(*promote(self, other, floating=True))
    __rtruediv__ = lambda self, other: self.reciprocal() * other
    __floordiv__ = lambda self, other: FloorDivide.apply(*promote(self, other))
    __rfloordiv__ = lambda self, other: FloorDivide.apply(*promote(other, self))
    __mod__ = lambda self, other: Remainder.apply(*promote(self, other))
    __rmod__ = lambda self, other: Remainder.apply(*promote(other, self))
    __pow__ = lambda self, other: raised(self, other)
    __rpow__ = lambda self, other: Pow.apply(*promote(other, self), reflected=True)
    __neg__, __pos__ = neg, lambda self: self
