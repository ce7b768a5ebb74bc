"""The rest of arithmetic, special values and bounds: made of the operations that stand beside it."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arithmetic import check_divisor
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.logic import pointwise, tensors_only
from tinytorch.given.tensor.trigonometry import binary, filled
from tinytorch.given.tensor.types import floating, in_float32, promote
from tinytorch.tensor import Function, Tensor, array_of, dtypes, float64, wrap

__all__ = ["CopySign", "FMod", "XLogY"]


def fmod(x, y):
    check_divisor(x, y)
    if np.result_type(x, y).kind == "b":
        raise NotImplementedError("\"fmod_cpu\" not implemented for 'Bool'")
    return np.fmod(x, y)


FMod = binary("Fmod", fmod, lambda x, y: (np.ones_like(array_of(x)), -np.trunc(array_of(x) / array_of(y))))
CopySign = binary(
    "Copysign",
    np.copysign,
    lambda x, y, output: (
        filled(array_of(output / x), array_of(x) == 0, 0.0),
        np.zeros_like(array_of(output)),
    ),
    of_output=True,
)
FMod.saved_for, CopySign.saved_for = ((1,), (1,)), ((0,), (), (0,))


def xlogy(x, y):
    return np.where((x == 0) & ~np.isnan(y), np.zeros_like(y), x * np.log(y)).astype(np.result_type(x, y))


def xlogy_backward(ctx, grad):
    """log y and x / y times the gradient; 0 where the gradient is, or x is and y has no logarithm."""
    (x, y), autograd = ctx.saved_tensors, later("autograd")
    grad_x = filled(autograd.call(XLogY, grad, y), (array_of(x) == 0) & (array_of(y) <= 0), 0.0)
    return autograd.unbroadcast(grad_x, np.shape(x)), autograd.unbroadcast(grad * x / y, np.shape(y))


XLogY = binary("Xlogy", xlogy, None)
XLogY.backward = staticmethod(xlogy_backward)


class Logit(Function):
    """log(x / (1 - x)); of x kept eps away from 0 and 1 if there is an eps."""

    @staticmethod
    def forward(ctx, x, eps):
        ctx.save_for_backward(x)
        ctx.eps = eps
        x = x if eps is None else np.clip(x, eps, 1 - eps)
        return np.log(x / (1 - x))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        numbers, low = array_of(x), 0 if ctx.eps is None else ctx.eps
        slope = filled(1 / (x * (1 - x)), (numbers == 0) | (numbers == 1), np.inf)
        outside = (numbers < low) | (numbers > 1 - low)
        return grad * filled(slope, outside, np.nan if ctx.eps is None else 0.0)


@methods_of(Tensor)
class Remainders:
    """More arithmetic."""

    fmod = lambda self, other: FMod.apply(*promote(self, other))
    xlogy = lambda self, other: XLogY.apply(*promote(self, other, floating=True))
    copysign = lambda self, other: CopySign.apply(*promote(self, other, floating=True))
    clamp_min = lambda self, min: self.clamp(min=min)
    clamp_max = lambda self, max: self.clamp(max=max)
    signbit = lambda self: pointwise(np.signbit, self.to(float64) if self.dtype.numpy.kind == "b" else self)
    sgn = lambda self: self.sign()

    def float_power(self, exponent):
        exponent = exponent.to(float64) if isinstance(exponent, Tensor) else float(exponent)
        return self.to(float64) ** exponent

    def fmax(self, other):
        """The larger of two, or the one that is not NaN."""
        x, y = promote(self, *tensors_only("fmax", other))
        return wrap_choice(x, y, lambda a, b: (a >= b) | np.isnan(b))

    def fmin(self, other):
        """The smaller of two, or the one that is not NaN."""
        x, y = promote(self, *tensors_only("fmin", other))
        return wrap_choice(x, y, lambda a, b: (a <= b) | np.isnan(b))

    def frac(self):
        """What stands behind the point, with the sign."""
        if not self.is_floating_point():
            raise NotImplementedError(f"\"frac_cpu\" not implemented for '{kind_name(self)}'")
        return self - self.trunc()

    def positive(self):
        if self.array.dtype == bool:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def logit(self, eps=None):
        """log(x / (1 - x)), of x kept eps away from 0 and 1; without eps NaN outside of them."""
        return in_float32(Logit, floating(self), eps=eps)

    def nan_to_num(self, nan=None, posinf=None, neginf=None):
        """Numbers in place of NaN (0) and the infinities (the largest and the smallest of the type)."""
        if not self.is_floating_point():
            return self.clone()
        limits = np.finfo(self.array.dtype)
        nan, posinf, neginf = (
            default if value is None else value
            for value, default in ((nan, 0.0), (posinf, limits.max), (neginf, limits.min))
        )
        result = self
        for mask, value in ((self.isnan(), nan), (self == np.inf, posinf), (self == -np.inf, neginf)):
            result = result.masked_fill(mask, float(value))
        return result

    def rsub(self, other, *, alpha=1):
        """other - alpha self."""
        return other - (self if alpha == 1 else self * alpha)


def wrap_choice(x, y, takes_first):
    """Elements of x where it is to be taken, else of y."""
    return x.where(wrap(takes_first(x.array, y.array)), y)


def kind_name(x):
    """A type as the messages of PyTorch's kernels call it."""
    return {
        "int64": "Long",
        "int32": "Int",
        "int16": "Short",
        "int8": "Char",
        "uint8": "Byte",
        "bool": "Bool",
    }.get(dtypes[x.array.dtype].name, "Float")
