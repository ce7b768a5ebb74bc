"""The rest of arithmetic, special values and bounds, built from other operations."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arithmetic import check_divisor
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.logic import pointwise, tensors_only
from tinytorch.given.tensor.promotion import floating, in_float32, promote
from tinytorch.given.tensor.trigonometry import binary, filled
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

    def fmod(self, other):
        """Compute x - y trunc(x / y), which has the sign of x, as in C; RuntimeError for an integer by 0.

        >>> torch.tensor([-7, 7]).fmod(3)
        tensor([-1,  1])
        """
        return FMod.apply(*promote(self, other))

    def xlogy(self, other):
        """Compute x log y, and 0 where x is 0.

        >>> torch.tensor([0.0, 2.0]).xlogy(torch.tensor([0.0, 3.0]))
        tensor([0.0000, 2.1972])
        """
        return XLogY.apply(*promote(self, other, floating=True))

    def copysign(self, other):
        """Give each element the sign of `other`'s.

        >>> torch.tensor([1.0, 2.0]).copysign(torch.tensor([-0.0, 3.0]))
        tensor([-1.,  2.])
        """
        return CopySign.apply(*promote(self, other, floating=True))

    def clamp_min(self, min):
        """Raise what is below `min`, a number or a tensor, to it.

        >>> torch.tensor([-1.0, 2.0]).clamp_min(0)
        tensor([0., 2.])
        """
        return self.clamp(min=min)

    def clamp_max(self, max):
        """Lower what is above `max`, a number or a tensor, to it.

        >>> torch.tensor([-1.0, 2.0]).clamp_max(0)
        tensor([-1.,  0.])
        """
        return self.clamp(max=max)

    def signbit(self):
        """Tell which elements have a minus sign, -0.0 too.

        >>> torch.tensor([-1.0, -0.0, 0.0]).signbit()
        tensor([ True,  True, False])
        """
        return pointwise(np.signbit, self.to(float64) if self.dtype.numpy.kind == "b" else self)

    def sgn(self):
        """Tell the sign of each element, as `sign` does for real numbers.

        >>> torch.tensor([-2.0, 0.0, 3.0]).sgn()
        tensor([-1.,  0.,  1.])
        """
        return self.sign()

    def float_power(self, exponent):
        """Raise each element to a power in float64.

        >>> torch.tensor([2, 3]).float_power(-1)
        tensor([0.5000, 0.3333], dtype=torch.float64)
        """
        exponent = exponent.to(float64) if isinstance(exponent, Tensor) else float(exponent)
        return self.to(float64) ** exponent

    def fmax(self, other):
        """Take the larger of two elements, or the one that is not NaN.

        >>> torch.tensor([1.0, float("nan")]).fmax(torch.tensor([3.0, 2.0]))
        tensor([3., 2.])
        """
        x, y = promote(self, *tensors_only("fmax", other))
        return wrap_choice(x, y, lambda a, b: (a >= b) | np.isnan(b))

    def fmin(self, other):
        """Take the smaller of two elements, or the one that is not NaN.

        >>> torch.tensor([1.0, float("nan")]).fmin(torch.tensor([3.0, 2.0]))
        tensor([1., 2.])
        """
        x, y = promote(self, *tensors_only("fmin", other))
        return wrap_choice(x, y, lambda a, b: (a <= b) | np.isnan(b))

    def frac(self):
        """Keep the fraction, with the sign: x - trunc(x).

        >>> torch.tensor([1.25, -2.5]).frac()
        tensor([ 0.2500, -0.5000])
        """
        if not self.is_floating_point():
            raise NotImplementedError(f"\"frac_cpu\" not implemented for '{kind_name(self)}'")
        return self - self.trunc()

    def positive(self):
        """Return the tensor itself, as `+x` does; RuntimeError for booleans.

        >>> torch.tensor([1, -2]).positive()
        tensor([ 1, -2])
        """
        if self.array.dtype == bool:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def logit(self, eps=None):
        """Compute log(x / (1 - x)), of x kept `eps` away from 0 and 1; without eps NaN outside of them.

        >>> torch.tensor([0.5, 0.9]).logit()
        tensor([0.0000, 2.1972])
        """
        return in_float32(Logit, floating(self), eps=eps)

    def nan_to_num(self, nan=None, posinf=None, neginf=None):
        """Put numbers in place of NaN (0) and the infinities (the largest and the smallest of the type).

        >>> torch.tensor([float("nan"), 1.0, float("inf")]).nan_to_num(posinf=9)
        tensor([0., 1., 9.])
        """
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
        """Compute other - alpha self.

        >>> torch.tensor([1.0, 2.0]).rsub(10)
        tensor([9., 8.])
        """
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
