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
    more_arithmetic,
    placing,
    products,
    quantiles,
    scans,
    searching,
    special_functions,
    stacking,
    trigonometry,
)
from tinytorch.given.tensor.inplace import inplace
from tinytorch.given.tensor.legacy_types import type_names
from tinytorch.tensor import Function, Tensor, float64

__all__ = []

WITH_GRADIENT = """
    absolute acos addbmm addmm addmv addr arccos arcsin arctan arctan2 asin atan atan2 baddbmm
    bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor
    clamp_max clamp_min copysign cosh cumprod cumsum deg2rad digamma divide erf erfc erfinv exp2 expm1 fix
    floor_divide fmod frac gcd hypot i0 igamma igammac index_copy index_fill index_put index_reduce lcm ldexp
    lgamma log10 log1p log2 masked_scatter multiply mvlgamma nan_to_num negative polygamma put rad2deg
    relu remainder rsqrt scatter_reduce sgn sigmoid sign sinc sinh subtract tan tanh true_divide trunc xlogy
"""
WITHOUT_DERIVATIVE = "acosh asinh atanh arccosh arcsinh arctanh"
VALUES = "heaviside nextafter"
COMPARISONS = "eq ge greater greater_equal gt le less less_equal lt ne not_equal"
LOGIC = "logical_and logical_not logical_or logical_xor"
TELLING = """Put what `{0}` tells into the memory of the tensor, 1 for True and 0 for False, and return it.

    >>> x, y = torch.tensor([0, 2]), torch.tensor([1, 2])
    >>> told = x.{0}({1})
    >>> x.{0}_({1}).bool().equal(told)
    True
    """


def telling(name, change):
    """The method `name_` of a comparison, or of logic."""
    method = inplace(name, change)
    method.__doc__ = TELLING.format(name, "" if name == "logical_not" else "y")
    return method


class Irreversible(Function):
    """What an operation gives where PyTorch has no gradient of its version in place."""

    name_of_derivative = staticmethod(lambda ctx: f"inplace version of {ctx.named.replace('arc', 'a')}")

    @staticmethod
    def forward(ctx, x, named):
        ctx.named = named
        return x.copy()


def irreversible(name):
    """The method `name_` of an operation for whose version in place PyTorch has no gradient."""
    return inplace(name, lambda x, result: x._become(Irreversible.apply(result, named=name)))


methods = {f"{name}_": inplace(name) for name in WITH_GRADIENT.split()}
methods |= {f"{name}_": irreversible(name) for name in WITHOUT_DERIVATIVE.split()}
methods |= {f"{name}_": inplace(name, "_take") for name in VALUES.split()}
methods |= {f"{name}_": telling(name, "_take") for name in COMPARISONS.split()}
methods |= {f"{name}_": telling(name, "_take_unnoticed") for name in LOGIC.split()}
methods_of(Tensor)(type("InPlaceNames", (), methods))


@methods_of(Tensor)
class Assigning:
    """Operators that assign, and what in place differs from what it is made of."""

    def _take(self, result):
        """Take the values of a result of this shape through which no gradient goes."""
        self._check_shape(result.shape)
        return self.copy_(result)

    def _take_unnoticed(self, result):
        """The same, without recording the change, as in PyTorch's logic in place."""
        self.detach()._take(result)
        return self

    # These two are made of operations that save what they take, which must not change under them.
    def logit_(self, eps=None):
        """Put what `logit` returns into the memory of the tensor, and return it.

        >>> torch.tensor([0.5, 0.9]).logit_()
        tensor([0.0000, 2.1972])
        """
        return self._become(self.clone().logit(eps))

    def renorm_(self, p, dim, maxnorm):
        """Put what `renorm` returns into the memory of the tensor, and return it.

        >>> torch.tensor([[3.0, 4.0], [0.3, 0.4]]).renorm_(2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
        """
        return self._become(self.clone().renorm(p, dim, maxnorm))

    def float_power_(self, exponent):
        """Put what `float_power` returns into the memory of the tensor, of float64 alone: RuntimeError
        otherwise.

        >>> torch.tensor([2.0], dtype=torch.float64).float_power_(3)
        tensor([8.], dtype=torch.float64)
        """
        if self.dtype is not float64:
            raise RuntimeError(
                f"the base given to float_power_ has dtype {type_names[self.dtype]} but the operation's "
                "result requires dtype Double"
            )
        return self._become(self.float_power(exponent))

    def apply_(self, callable):
        """Let each element be what a function of Python makes of it: slow, and without a gradient.

        >>> torch.tensor([1.0, 2.0]).apply_(lambda number: number + 10)
        tensor([11., 12.])
        """
        if self.requires_grad:
            raise RuntimeError(
                "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead."
            )
        return self._elementwise(callable, self)

    def map_(self, other, callable):
        """Let each element be what a function of Python makes of it and of another tensor's: slow.

        >>> torch.tensor([1.0, 2.0]).map_(torch.tensor([3.0, 4.0]), lambda a, b: a * b)
        tensor([3., 8.])
        """
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
