"""Methods in place: what `x.name(...)` returns, `x.name_(...)` puts into the memory of x."""

from tinytorch.given import methods_of
from tinytorch.given.tensor import (  # noqa: F401
    arithmetic,
    bits,
    elementwise,
    functions,
    linear_algebra,
    logic,
    matrix_products,
    placing,
    products,
    quantiles,
    remainders,
    scans,
    searching,
    special_functions,
    stacking,
    trigonometry,
)
from tinytorch.given.tensor.compatibility import type_names
from tinytorch.given.tensor.inplace import inplace
from tinytorch.tensor import Function, Tensor, float64

__all__ = []

WITH_GRADIENT = """
    absolute acos addbmm addmm addmv addr arccos arcsin arctan arctan2 asin atan atan2 baddbmm
    bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor
    clamp_max clamp_min copysign cosh cumprod cumsum deg2rad digamma divide erf erfc erfinv exp2 expm1 fix
    floor_divide fmod frac gcd hypot i0 igamma igammac index_copy index_fill index_put lcm ldexp lgamma
    log10 log1p log2 masked_scatter multiply mvlgamma nan_to_num negative polygamma put rad2deg
    remainder rsqrt scatter_reduce sgn sign sinc sinh subtract tan true_divide trunc xlogy
"""
WITHOUT_DERIVATIVE = "acosh asinh atanh arccosh arcsinh arctanh"
COMPARISONS = "eq ge greater greater_equal gt heaviside le less less_equal lt ne nextafter not_equal"
LOGIC = "logical_and logical_not logical_or logical_xor"
COMPOSED = "logit renorm"


class Irreversible(Function):
    """What an operation gives where PyTorch has no gradient of its version in place."""

    name_of_derivative = staticmethod(lambda ctx: f"inplace version of {ctx.named.replace('arc', 'a')}")

    @staticmethod
    def forward(ctx, x, named):
        ctx.named = named
        return x.copy()


def in_place(name, put, of=lambda x: x):
    """The method `name_` that hands the tensor, and what `name` returns of it or of a copy, to `put`."""
    method = inplace(name)

    def changed(self, *args, **kwargs):
        result = getattr(of(self), name)(*args, **kwargs)
        self._check_shape(result.shape)
        put(self, result)
        return self

    changed.__name__, changed.__doc__, changed.__wrapped__ = (
        method.__name__,
        method.__doc__,
        method.__wrapped__,
    )
    return changed


# No gradient goes through a comparison, and PyTorch's logic in place is none of the graph's business.
methods = {f"{name}_": inplace(name) for name in WITH_GRADIENT.split()}
methods |= {
    f"{name}_": in_place(name, lambda x, y, name=name: x._become(Irreversible.apply(y, named=name)))
    for name in WITHOUT_DERIVATIVE.split()
}
methods |= {f"{name}_": in_place(name, Tensor.copy_) for name in COMPARISONS.split()}
methods |= {f"{name}_": in_place(name, lambda x, truth: x.detach().copy_(truth)) for name in LOGIC.split()}
# What is made of several operations has these save what they take, which must not change under them.
methods |= {f"{name}_": in_place(name, Tensor._become, of=Tensor.clone) for name in COMPOSED.split()}
methods_of(Tensor)(type("InPlaceNames", (), methods))


@methods_of(Tensor)
class Assigning:
    """Operators that assign, and what in place differs from what it is made of."""

    def float_power_(self, exponent):
        """The in-place version of `float_power`: of float64 alone, in which powers are computed."""
        if self.dtype is not float64:
            raise RuntimeError(
                f"the base given to float_power_ has dtype {type_names[self.dtype]} but the operation's "
                "result requires dtype Double"
            )
        return self._become(self.float_power(exponent))

    def __iand__(self, other):
        return self.bitwise_and_(other)

    def __ior__(self, other):
        return self.bitwise_or_(other)

    def __ixor__(self, other):
        return self.bitwise_xor_(other)

    def __ilshift__(self, other):
        return self.bitwise_left_shift_(other)

    def __irshift__(self, other):
        return self.bitwise_right_shift_(other)

    def __ifloordiv__(self, other):
        return self.floor_divide_(other)

    def __imod__(self, other):
        return self.remainder_(other)

    def apply_(self, callable):
        """Let each element be what a function of Python makes of it: slow, and without a gradient."""
        if self.requires_grad:
            raise RuntimeError(
                "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead."
            )
        return self._elementwise(callable, self)

    def map_(self, other, callable):
        """Let each element be what a function of Python makes of it and of another tensor's."""
        if self.requires_grad or other.requires_grad:
            raise RuntimeError(
                "Can't call map_() on Variable that requires grad. Use var.detach().map_() instead."
            )
        return self._elementwise(callable, self, other.expand(self.shape))

    def _elementwise(self, function, *tensors):
        flat = [function(*numbers) for numbers in zip(*[t.array.ravel().tolist() for t in tensors])]
        self._check_writable()
        self.array[...] = self.new_tensor(flat).array.reshape(self.shape)
        self._changed()
        return self
