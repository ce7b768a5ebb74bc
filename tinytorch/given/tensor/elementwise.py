"""Functions of each element: operations that go like `Exp`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import is_array
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.types import common_type, floating, promote
from tinytorch.tensor import Exp, Function, Tensor

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

    exp = lambda self: Exp.apply(floating(self))
    expm1 = lambda self: Expm1.apply(floating(self))
    log = lambda self: Log.apply(floating(self))
    log1p = lambda self: Log1p.apply(floating(self))
    log2 = lambda self: Log2.apply(floating(self))
    log10 = lambda self: Log10.apply(floating(self))
    sqrt = lambda self: Sqrt.apply(floating(self))
    rsqrt = lambda self: Rsqrt.apply(floating(self))
    sin = lambda self: Sin.apply(floating(self))
    cos = lambda self: Cos.apply(floating(self))
    abs = lambda self: Abs.apply(self)
    __abs__ = abs

    def clamp(self, min=None, max=None):
        if min is None and max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        x = self.to(common_type(self, *[bound for bound in (min, max) if bound is not None]))
        numbers = [None if b is None or isinstance(b, Tensor) else promote(x, b)[1] for b in (min, max)]
        bounds = [b.to(x.dtype) if isinstance(b, Tensor) else n for b, n in zip((min, max), numbers)]
        return Clamp.apply(x, *bounds)

    clip = clamp
    maximum = lambda self, other: Maximum.apply(*promote(self, *tensors_only("maximum", other)))
    minimum = lambda self, other: Minimum.apply(*promote(self, *tensors_only("minimum", other)))
    floor = lambda self: Floor.apply(self)
    ceil = lambda self: Ceil.apply(self)
    trunc = lambda self: Trunc.apply(self)
    round = lambda self, *, decimals=0: Round.apply(self, decimals=decimals)
    sign = lambda self: Sign.apply(self)
