"""More functions of each element, each with its slope: operations that go like `Exp`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.types import floating, promote
from tinytorch.tensor import Function, Tensor, array_of, wrap

__all__ = [
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atan2",
    "Atanh",
    "Cosh",
    "Exp2",
    "Hypot",
    "LogAddExp",
    "Sinh",
    "Tan",
    "binary",
    "unary",
]


values = array_of  # of conditions, through which no gradient flows


def filled(x, where, number):
    """An array, or a Tensor, with a number in the places that an array of booleans names."""
    return (
        x.masked_fill(wrap(where), number)
        if isinstance(x, Tensor)
        else np.where(where, x.dtype.type(number), x)
    )


def unary(name, compute, slope, of_output=False):
    """An operation of one argument: what it computes, and its slope, of the argument x or of the output y."""

    def forward(ctx, x):
        output = compute(x)
        ctx.save_for_backward(output if of_output else x)
        return output

    def backward(ctx, grad):
        return grad * slope(*ctx.saved_tensors)

    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def inverse_root(x):
    """1 / √x, which is no number below 0, down to -inf."""
    return 1 / np.sqrt(x)


Tan = unary("Tan", np.tan, lambda y: y * y + 1, of_output=True)
Sinh = unary("Sinh", np.sinh, lambda x: np.cosh(x))
Cosh = unary("Cosh", np.cosh, lambda x: np.sinh(x))
Asin = unary("Asin", np.arcsin, lambda x: inverse_root(1 - x * x))
Acos = unary("Acos", np.arccos, lambda x: -inverse_root(1 - x * x))
Atan = unary("Atan", np.arctan, lambda x: 1 / (x * x + 1))
Asinh = unary("Asinh", np.arcsinh, lambda x: inverse_root(x * x + 1))
Acosh = unary("Acosh", np.arccosh, lambda x: inverse_root(x * x - 1))
Atanh = unary("Atanh", np.arctanh, lambda x: 1 / (1 - x * x))
Exp2 = unary("Exp2", np.exp2, lambda y: y * float(np.log(2)), of_output=True)


def binary(name, compute, slopes, of_output=False):
    """The same of two arguments that broadcast; `slopes` gives both, of x, y and, if asked, the output."""

    def forward(ctx, x, y):
        output = compute(x, y)
        ctx.save_for_backward(x, y, *([output] if of_output else []))
        return output

    def backward(ctx, grad):
        unbroadcast = later("autograd").unbroadcast
        saved = ctx.saved_tensors
        both = zip(slopes(*saved), saved)
        return tuple([unbroadcast(grad * slope, np.shape(operand)) for slope, operand in both])

    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def atan2_slopes(y, x):
    """x and -y over the square of their distance from the origin, where both are 0."""
    square = x * x + y * y
    square = filled(square, values(square) == 0, 1.0)
    return x / square, -y / square


Atan2 = binary("Atan2", np.arctan2, atan2_slopes)
Hypot = binary("Hypot", np.hypot, lambda x, y, output: (x / output, y / output), of_output=True)
LogAddExp = binary("Logaddexp", np.logaddexp, lambda x, y: (1 / (np.exp(y - x) + 1), 1 / (np.exp(x - y) + 1)))


def of_two(operation, name, x, y):
    """An operation on two tensors, not numbers, of floating point."""
    return operation.apply(*promote(x, *tensors_only(name, y), floating=True))


@methods_of(Tensor)
class Trigonometry:
    """Angles and hyperbolas; the names with `arc` are PyTorch's too."""

    tan = lambda self: Tan.apply(floating(self))
    sinh = lambda self: Sinh.apply(floating(self))
    cosh = lambda self: Cosh.apply(floating(self))
    asin = arcsin = lambda self: Asin.apply(floating(self))
    acos = arccos = lambda self: Acos.apply(floating(self))
    atan = arctan = lambda self: Atan.apply(floating(self))
    asinh = arcsinh = lambda self: Asinh.apply(floating(self))
    acosh = arccosh = lambda self: Acosh.apply(floating(self))
    atanh = arctanh = lambda self: Atanh.apply(floating(self))
    exp2 = lambda self: Exp2.apply(floating(self))
    atan2 = arctan2 = lambda self, other: of_two(Atan2, "atan2", self, other)
    hypot = lambda self, other: of_two(Hypot, "hypot", self, other)
    logaddexp = lambda self, other: of_two(LogAddExp, "logaddexp", self, other)
    deg2rad = lambda self: self * (np.pi / 180)
    rad2deg = lambda self: self * (180 / np.pi)
