"""Functions of each element: operations that go like `Exp`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import is_array
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.promotion import common_type, floating, in_common_type, in_float32, promote
from tinytorch.tensor import Exp, Function, Tensor, broadcast_shapes

__all__ = [
    "Abs",
    "Ceil",
    "Clamp",
    "Cos",
    "Expm1",
    "Floor",
    "Log",
    "Log1p",
    "Log2",
    "Log10",
    "Maximum",
    "Minimum",
    "Round",
    "Rsqrt",
    "Sign",
    "Sin",
    "Sqrt",
    "Trunc",
]


class Expm1(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.expm1(x)
        ctx.save_for_backward(output)
        return output


class Log(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log(x)


class Log1p(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log1p(x)


class Log2(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log2(x)


class Log10(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log10(x)


class Sqrt(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.sqrt(x)
        ctx.save_for_backward(output)
        return output


class Rsqrt(Function):
    @staticmethod
    def forward(ctx, x):
        output = 1 / np.sqrt(x)
        ctx.save_for_backward(output)
        return output


class Abs(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.abs(x)


class Sin(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.sin(x)


class Cos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.cos(x)


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x, low, high)
        ctx.by_numbers = not is_array(low) and not is_array(high)
        return np.clip(x, low, high)


class Maximum(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return np.maximum(x, y)


class Minimum(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return np.minimum(x, y)


class Floor(Function):
    forward = staticmethod(lambda ctx, x: np.floor(x))


class Ceil(Function):
    forward = staticmethod(lambda ctx, x: np.ceil(x))


class Round(Function):
    forward = staticmethod(lambda ctx, x, decimals: np.round(x, decimals))


class Trunc(Function):
    forward = staticmethod(lambda ctx, x: np.trunc(x))


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        sign = (x > 0).astype(x.dtype)  # 0 for NaN
        return sign if x.dtype == bool else sign - (x < 0)


@methods_of(Tensor)
class Elementwise:
    """Functions of each element."""

    def exp(self):
        """Compute e^x of each element; integers become floating point numbers.

        >>> torch.tensor([0.0, 1.0]).exp()
        tensor([1.0000, 2.7183])
        """
        return Exp.apply(floating(self))

    def expm1(self):
        """Compute e^x - 1 of each element, without the loss of digits that the subtraction has near x = 0.

        >>> torch.tensor([1e-8, 1.0]).expm1()
        tensor([1.0000e-08, 1.7183e+00])
        """
        return Expm1.apply(floating(self))

    def log(self):
        """Compute the natural logarithm of each element: -inf at 0, NaN below.

        >>> torch.tensor([1.0, 10.0]).log()
        tensor([0.0000, 2.3026])
        """
        return Log.apply(floating(self))

    def log1p(self):
        """Compute log(1 + x) of each element, without the loss of digits that the addition has near x = 0.

        >>> torch.tensor([1e-8, 1.0]).log1p()
        tensor([1.0000e-08, 6.9315e-01])
        """
        return Log1p.apply(floating(self))

    def log2(self):
        """Compute the logarithm to base 2 of each element.

        >>> torch.tensor([1.0, 8.0]).log2()
        tensor([0., 3.])
        """
        return Log2.apply(floating(self))

    def log10(self):
        """Compute the logarithm to base 10 of each element.

        >>> torch.tensor([1.0, 2.0]).log10()
        tensor([0.0000, 0.3010])
        """
        return Log10.apply(floating(self))

    def sqrt(self):
        """Compute the square root of each element: NaN below 0.

        >>> torch.tensor([4.0, 9.0]).sqrt()
        tensor([2., 3.])
        """
        return Sqrt.apply(floating(self))

    def rsqrt(self):
        """Compute 1 / √x of each element.

        >>> torch.tensor([4.0, 16.0]).rsqrt()
        tensor([0.5000, 0.2500])
        """
        return Rsqrt.apply(floating(self))

    def sin(self):
        """Compute the sine of each element, an angle in radians.

        >>> torch.tensor([0.0, 1.0]).sin()
        tensor([0.0000, 0.8415])
        """
        return Sin.apply(floating(self))

    def cos(self):
        """Compute the cosine of each element, an angle in radians.

        >>> torch.tensor([0.0, 1.0]).cos()
        tensor([1.0000, 0.5403])
        """
        return Cos.apply(floating(self))

    def abs(self):
        """Compute |x| of each element, in its type.

        >>> torch.tensor([-2, 3]).abs()
        tensor([2, 3])
        """
        return Abs.apply(self)

    __abs__ = abs

    def clamp(self, min=None, max=None):
        """Limit each element to the range from `min` to `max`: numbers, tensors that broadcast, or None for
        no limit.

        RuntimeError if both are None.

        >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(min=0, max=1)
        tensor([0.0000, 0.5000, 1.0000])
        """
        if min is None and max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        kind = common_type(self, *[bound for bound in (min, max) if bound is not None])
        if shapes := [bound.shape for bound in (min, max) if isinstance(bound, Tensor)]:
            broadcast_shapes(self.shape, *shapes)
        x = in_common_type(self, kind)
        numbers = [None if b is None or isinstance(b, Tensor) else promote(x, b)[1] for b in (min, max)]
        bounds = [
            in_common_type(b, kind) if isinstance(b, Tensor) else n for b, n in zip((min, max), numbers)
        ]
        return Clamp.apply(x, *bounds)

    clip = clamp

    def maximum(self, other):
        """Take the larger of two elements, NaN if either is; `other` is a tensor that broadcasts.

        >>> torch.tensor([1, 5]).maximum(torch.tensor([3, 2]))
        tensor([3, 5])
        """
        return Maximum.apply(*promote(self, *tensors_only("maximum", other)))

    def minimum(self, other):
        """Take the smaller of two elements, NaN if either is; `other` is a tensor that broadcasts.

        >>> torch.tensor([1, 5]).minimum(torch.tensor([3, 2]))
        tensor([1, 2])
        """
        return Minimum.apply(*promote(self, *tensors_only("minimum", other)))

    def floor(self):
        """Round each element down, ⌊x⌋.

        >>> torch.tensor([-1.5, 1.5]).floor()
        tensor([-2.,  1.])
        """
        return Floor.apply(self)

    def ceil(self):
        """Round each element up, ⌈x⌉.

        >>> torch.tensor([-1.5, 1.5]).ceil()
        tensor([-1.,  2.])
        """
        return Ceil.apply(self)

    def trunc(self):
        """Round each element towards 0.

        >>> torch.tensor([-1.5, 1.5]).trunc()
        tensor([-1.,  1.])
        """
        return Trunc.apply(self)

    def round(self, *, decimals=0):
        """Round each element to the nearest whole number, halves to the even one; or to `decimals` digits.

        >>> torch.tensor([0.5, 1.5, 2.6]).round()
        tensor([0., 2., 3.])
        """
        return in_float32(Round, self, decimals=decimals)

    def sign(self):
        """Tell the sign of each element: -1, 0 or 1 in the element's type; 0 for NaN.

        >>> torch.tensor([-2.0, 0.0, 3.0]).sign()
        tensor([-1.,  0.,  1.])
        """
        return Sign.apply(self)
