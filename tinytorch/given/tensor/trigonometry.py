"""More functions of each element, each with its slope: operations that go like `Exp`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.promotion import floating, promote
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

    def tan(self):
        """Compute the tangent of each element, an angle in radians.

        >>> torch.tensor([0.0, 1.0]).tan()
        tensor([0.0000, 1.5574])
        """
        return Tan.apply(floating(self))

    def sinh(self):
        """Compute the hyperbolic sine, (e^x - e^-x) / 2, of each element.

        >>> torch.tensor([0.0, 1.0]).sinh()
        tensor([0.0000, 1.1752])
        """
        return Sinh.apply(floating(self))

    def cosh(self):
        """Compute the hyperbolic cosine, (e^x + e^-x) / 2, of each element.

        >>> torch.tensor([0.0, 1.0]).cosh()
        tensor([1.0000, 1.5431])
        """
        return Cosh.apply(floating(self))

    def asin(self):
        """Find the angle from -π/2 to π/2 whose sine is x; NaN for |x| > 1.

        >>> torch.tensor([0.0, 1.0]).asin()
        tensor([0.0000, 1.5708])
        """
        return Asin.apply(floating(self))

    arcsin = asin

    def acos(self):
        """Find the angle from 0 to π whose cosine is x; NaN for |x| > 1.

        >>> torch.tensor([0.0, 1.0]).acos()
        tensor([1.5708, 0.0000])
        """
        return Acos.apply(floating(self))

    arccos = acos

    def atan(self):
        """Find the angle between -π/2 and π/2 whose tangent is x.

        >>> torch.tensor([0.0, 1.0]).atan()
        tensor([0.0000, 0.7854])
        """
        return Atan.apply(floating(self))

    arctan = atan

    def asinh(self):
        """Find the number whose hyperbolic sine is x.

        >>> torch.tensor([0.0, 1.0]).asinh()
        tensor([0.0000, 0.8814])
        """
        return Asinh.apply(floating(self))

    arcsinh = asinh

    def acosh(self):
        """Find the number from 0 on whose hyperbolic cosine is x; NaN for x < 1.

        >>> torch.tensor([1.0, 2.0]).acosh()
        tensor([0.0000, 1.3170])
        """
        return Acosh.apply(floating(self))

    arccosh = acosh

    def atanh(self):
        """Find the number whose hyperbolic tangent is x: infinite at -1 and 1, NaN outside.

        >>> torch.tensor([0.0, 0.5]).atanh()
        tensor([0.0000, 0.5493])
        """
        return Atanh.apply(floating(self))

    arctanh = atanh

    def exp2(self):
        """Compute 2^x of each element.

        >>> torch.tensor([0.0, 3.0]).exp2()
        tensor([1., 8.])
        """
        return Exp2.apply(floating(self))

    def atan2(self, other):
        """Find the angle from -π to π of the point (other, self), y before x as in mathematics.

        >>> torch.tensor([1.0, 1.0]).atan2(torch.tensor([1.0, -1.0]))
        tensor([0.7854, 2.3562])
        """
        return of_two(Atan2, "atan2", self, other)

    arctan2 = atan2

    def hypot(self, other):
        """Compute √(x² + y²), without overflow in between.

        >>> torch.tensor([3.0]).hypot(torch.tensor([4.0]))
        tensor([5.])
        """
        return of_two(Hypot, "hypot", self, other)

    def logaddexp(self, other):
        """Compute log(e^x + e^y), without overflow in between.

        >>> torch.tensor([1000.0]).logaddexp(torch.tensor([1000.0]))
        tensor([1000.6932])
        """
        return of_two(LogAddExp, "logaddexp", self, other)

    def deg2rad(self):
        """Turn angles in degrees into radians: x π / 180.

        >>> torch.tensor([0.0, 180.0]).deg2rad()
        tensor([0.0000, 3.1416])
        """
        return self * (np.pi / 180)

    def rad2deg(self):
        """Turn angles in radians into degrees: x 180 / π.

        >>> torch.tensor([0.0, 3.1415927]).rad2deg()
        tensor([  0., 180.])
        """
        return self * (180 / np.pi)
