"""Special functions, as in `torch.special`: SciPy's, each with its slope, and second names of others.

The functions begin with `special_`, as in PyTorch's core. SciPy is imported when the first of them is called.
"""

import functools
import math

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import check_not_half
from tinytorch.given.tensor.compatibility import checked
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.more_arithmetic import XLogY
from tinytorch.given.tensor.promotion import floating, promote
from tinytorch.given.tensor.trigonometry import binary, filled, unary
from tinytorch.tensor import Function, Tensor, array_of, broadcast_shapes, tensor, wrap

NAMED_BY_PYTORCH = {
    "expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma", "multigammaln": "mvlgamma",
    "gammainc": "igamma", "gammaincc": "igammac",
}  # fmt: skip
SAME_NAME = "digamma erf erfc erfinv exp2 expm1 i0 log1p log_softmax logit logsumexp round sinc softmax"
OF_TENSORS = NAMED_BY_PYTORCH | {name: name for name in SAME_NAME.split()}
WITH_SLOPE = ("entr", "erfcx", "i0e", "i1", "i1e", "log_ndtr", "ndtr", "ndtri", "xlog1py", "xlogy", "zeta")
WITHOUT_SLOPE = {
    "airy_ai": "airy", "bessel_j0": "j0", "bessel_j1": "j1", "bessel_y0": "y0", "bessel_y1": "y1",
    "modified_bessel_i0": "i0", "modified_bessel_i1": "i1", "modified_bessel_k0": "k0",
    "modified_bessel_k1": "k1", "scaled_modified_bessel_k0": "k0e", "scaled_modified_bessel_k1": "k1e",
    "spherical_bessel_j0": "spherical_jn",
}  # fmt: skip

__all__ = [
    "Digamma",
    "Erfc",
    "Erfinv",
    "Lgamma",
    "polygamma",
    "special_polygamma",
    *[f"special_{name}" for name in (*OF_TENSORS, *WITH_SLOPE, *WITHOUT_SLOPE)],
]


NOT_HALF = ("erfcx", "log_ndtr", "ndtri", "zeta")  # PyTorch has no kernels of these


def scipys(name):
    """A function of SciPy's that keeps the type of its array."""

    def compute(x, *others):
        from scipy import special  # its import takes longer than all of tinytorch's

        if name in NOT_HALF:
            check_not_half(f"{name}_cpu", x)
        return np.asarray(getattr(special, name)(x, *others)).astype(np.result_type(x, *others), copy=False)

    return compute


def apply(operation, *operands):
    """An operation on arrays or, where a gradient is to have a gradient, on Tensors."""
    return later("autograd").call(operation, *operands)


ROOT = math.sqrt(math.pi)
Erfc = unary("Erfc", scipys("erfc"), lambda x: np.exp(-(x * x)) * (-2 / ROOT))
Erfinv = unary("Erfinv", scipys("erfinv"), lambda x: np.exp(apply(Erfinv, x) ** 2) * (ROOT / 2))
Lgamma = unary("Lgamma", scipys("gammaln"), lambda x: apply(Digamma, x))


def digamma(x):
    """The slope of log gamma: -inf at 0, and nan at the other poles, where SciPy has -inf or inf, too."""
    return np.where((x < 0) & (x == np.floor(x)), np.nan, scipys("psi")(x)).astype(x.dtype)


Digamma = unary("Digamma", digamma, lambda x: apply(derivative_of_digamma(1), x))


@functools.cache
def derivative_of_digamma(n):
    """The operation that is the n-th derivative of digamma."""
    compute = lambda x: np.asarray(scipys("polygamma")(np.asarray(n, x.dtype), x)).astype(x.dtype)
    return unary("Polygamma", compute, lambda x: apply(derivative_of_digamma(n + 1), x))


I0 = unary("I0", scipys("i0"), lambda x: apply(I1, x))
I1 = unary("SpecialI1", scipys("i1"), lambda x: apply(I0, x) - apply(I1OverX, x))
I1OverX = unary(
    "I1OverX",
    lambda x: np.divide(scipys("i1")(x), x, out=np.full_like(x, 0.5), where=x != 0),
    lambda x: apply(I2, x) / (x + (np.asarray(getattr(x, "array", x)) == 0)),
)
I2 = unary(
    "I2", lambda x: scipys("iv")(np.asarray(2, x.dtype), x), lambda x: apply(I1, x) - apply(I2, x) * 2 / x
)
I0e = unary("SpecialI0E", scipys("i0e"), lambda x: apply(I1e, x) - np.sign(x) * apply(I0e, x))
I1e = unary(
    "SpecialI1E",
    scipys("i1e"),
    lambda x: (apply(I0, x) - apply(I1OverX, x)) * np.exp(-np.abs(x)) - np.sign(x) * apply(I1e, x),
)
Sinc = unary("Sinc", np.sinc, lambda x: apply(SlopeOfSinc, x))
SlopeOfSinc = unary(
    "SlopeOfSinc",
    lambda x: np.divide(np.cos(np.pi * x) - np.sinc(x), x, out=np.zeros_like(x), where=x != 0),
    lambda x: (-(math.pi**2) * apply(Sinc, x)) - 2 * apply(SlopeOfSinc, x) / x,
)
Entr = unary("SpecialEntr", scipys("entr"), lambda x: -np.log(x) - 1)
Erfcx = unary("SpecialErfcx", scipys("erfcx"), lambda x: 2 * x * apply(Erfcx, x) - 2 / ROOT)
Ndtri = unary(
    "SpecialNdtri", scipys("ndtri"), lambda y: np.exp(y * y / 2) * (math.sqrt(2) * ROOT), of_output=True
)
LogNdtr = unary(
    "SpecialLogNdtr", scipys("log_ndtr"), lambda x: apply(Erfcx, x * -(0.5**0.5)) ** -1 * (2**0.5 / ROOT)
)
XLog1py = binary(
    "SpecialXlog1Py",
    scipys("xlog1py"),
    lambda x, y: (filled(np.log1p(y), (array_of(x) == 0) & (array_of(y) <= -1), 0.0), x / (y + 1)),
)
LogAddExp2 = binary(
    "Logaddexp2", np.logaddexp2, lambda x, y: (1 / (2 ** (y - x) + 1), 1 / (2 ** (x - y) + 1))
)


def partly(name, compute, slope=None):
    """An operation of two arguments; the first has no gradient, the second only if its slope is given."""

    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return compute(x, y)

    def backward(ctx, grad):
        if ctx.needs_input_grad[0] or slope is None:
            raise NotImplementedError(f"the derivative for '{name.lower()}' is not implemented.")
        x, y = ctx.saved_tensors
        return None, later("autograd").unbroadcast(grad * slope(x, y), np.shape(y))

    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


Igamma = partly("Igamma", scipys("gammainc"), lambda a, x: density(a, x))
Igammac = partly("Igammac", scipys("gammaincc"), lambda a, x: -density(a, x))
Heaviside, Nextafter = partly("Heaviside", np.heaviside), partly("Nextafter", np.nextafter)
Zeta = partly("Zeta", scipys("zeta"))


def density(a, x):
    """The slope of the regularised incomplete gamma function: x^(a - 1) e^-x / gamma(a)."""
    return np.exp((a - 1) * np.log(x) - x - apply(Lgamma, a))


@methods_of(Tensor)
class SpecialFunctions:
    """Functions of each element that are no elementary ones."""

    def erfc(self):
        """Compute 1 - erf(x), without loss of digits for large x.

        >>> torch.tensor([0.0, 1.0]).erfc()
        tensor([1.0000, 0.1573])
        """
        return Erfc.apply(floating(self))

    def erfinv(self):
        """Find the number whose error function is x, for x from -1 to 1.

        >>> torch.tensor([0.0, 0.5]).erfinv()
        tensor([0.0000, 0.4769])
        """
        return Erfinv.apply(floating(self))

    def lgamma(self):
        """Compute log |Γ(x)|.

        >>> torch.tensor([1.0, 5.0]).lgamma()
        tensor([0.0000, 3.1781])
        """
        return Lgamma.apply(floating(self))

    def digamma(self):
        """Compute the derivative of log Γ(x).

        >>> torch.tensor([1.0, 2.0]).digamma()
        tensor([-0.5772,  0.4228])
        """
        return Digamma.apply(floating(self))

    def polygamma(self, n):
        """Compute the n-th derivative of digamma.

        >>> torch.tensor([1.0, 2.0]).polygamma(1)
        tensor([1.6449, 0.6449])
        """
        if n < 0:
            raise RuntimeError("polygamma(n, x) does not support negative n.")
        return self.digamma() if n == 0 else derivative_of_digamma(n).apply(floating(self))

    def mvlgamma(self, p):
        """Compute the logarithm of the multivariate gamma function in p dimensions.

        >>> torch.tensor([2.0, 3.0]).mvlgamma(2)
        tensor([0.4516, 1.5502])
        """
        x = floating(self)
        halves = np.arange(p, dtype=x.array.dtype) / 2
        return (x.unsqueeze(-1) - wrap(halves)).lgamma().sum(-1) + p * (p - 1) / 4 * math.log(math.pi)

    def i0(self):
        """Compute the modified Bessel function of the first kind, of order 0.

        >>> torch.tensor([0.0, 1.0]).i0()
        tensor([1.0000, 1.2661])
        """
        return I0.apply(floating(self))

    def sinc(self):
        """Compute sin(πx) / (πx), and 1 at 0.

        >>> torch.tensor([0.0, 0.5]).sinc()
        tensor([1.0000, 0.6366])
        """
        return Sinc.apply(floating(self))

    def igamma(self, other):
        """Compute the regularised lower incomplete gamma function P(self, other).

        >>> torch.tensor([1.0]).igamma(torch.tensor([2.0]))
        tensor([0.8647])
        """
        return Igamma.apply(*promote(self, other, floating=True))

    def igammac(self, other):
        """Compute the regularised upper incomplete gamma function Q(self, other) = 1 - P(self, other).

        >>> torch.tensor([1.0]).igammac(torch.tensor([2.0]))
        tensor([0.1353])
        """
        return Igammac.apply(*promote(self, other, floating=True))

    def logaddexp2(self, other):
        """Compute log2(2^x + 2^y), without overflow in between.

        >>> torch.tensor([1000.0]).logaddexp2(torch.tensor([1000.0]))
        tensor([1001.])
        """
        return LogAddExp2.apply(*promote(self, *tensors_only("logaddexp2", other), floating=True))

    def ldexp(self, other):
        """Compute self 2^other.

        >>> torch.tensor([1.0, 3.0]).ldexp(torch.tensor([2, 3]))
        tensor([ 4., 24.])
        """
        two = tensor(2.0, dtype=self.dtype if self.is_floating_point() else None)
        return self * two ** tensors_only("ldexp", other)[0]

    def nextafter(self, other):
        """Find the next number from self towards `other` that the type has.

        >>> (torch.tensor([1.0]).nextafter(torch.tensor([2.0])) - 1).item() == torch.finfo(torch.float32).eps
        True
        """
        return Nextafter.apply(*promote(self, *tensors_only("nextafter", other)))

    def heaviside(self, values):
        """Compute the step function: 0 for negative numbers, 1 for positive ones, and `values` at 0.

        >>> torch.tensor([-1.0, 0.0, 2.0]).heaviside(torch.tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])
        """
        tensors_only("heaviside", values)
        if self.dtype is not values.dtype:
            raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
        broadcast_shapes(self.shape, values.shape)
        result = Heaviside.apply(self, values)
        return result if result.dtype is self.dtype else result.to(self.dtype)


def polygamma(n, input):
    """The n-th derivative of digamma."""
    return input.polygamma(n)


special_polygamma = polygamma


def of_tensor(method, name):
    """A method of Tensor as a function of `torch.special`."""

    def function(input, *args, **kwargs):
        return getattr(checked(input, f"special_{name}"), method)(*args, **kwargs)

    function.__name__, function.__doc__ = (
        f"special_{name}",
        f"`torch.{method}`, by its name in torch.special.",
    )
    return function


def of_operation(operation, name):
    """An operation as a function of `torch.special`."""

    def function(input):
        return operation.apply(floating(checked(input, f"special_{name}")))

    function.__name__, function.__doc__ = f"special_{name}", f"The function {name} of each element."
    return function


def without_slope(ufunc, name):
    """A function of SciPy's that has no gradient in PyTorch either."""

    def function(input):
        from scipy import special

        x = floating(input).array
        found = special.spherical_jn(0, x) if ufunc == "spherical_jn" else getattr(special, ufunc)(x)
        return wrap(np.asarray(found[0] if ufunc == "airy" else found).astype(x.dtype))

    function.__name__, function.__doc__ = f"special_{name}", f"The function {name} of each element."
    return function


for _name, _method in OF_TENSORS.items():
    globals()[f"special_{_name}"] = of_tensor(_method, _name)
for _name, _ufunc in WITHOUT_SLOPE.items():
    globals()[f"special_{_name}"] = without_slope(_ufunc, _name)
special_entr, special_erfcx, special_i0e, special_i1, special_i1e, special_log_ndtr, special_ndtri = [
    of_operation(operation, name)
    for operation, name in (
        (Entr, "entr"), (Erfcx, "erfcx"), (I0e, "i0e"), (I1, "i1"), (I1e, "i1e"), (LogNdtr, "log_ndtr"),
        (Ndtri, "ndtri"),
    )
]  # fmt: skip


def special_ndtr(input):
    """The probability that a normal number is not above x: erfc(-x / sqrt(2)) / 2."""
    return (floating(input) * -(0.5**0.5)).erfc() / 2


def special_xlog1py(input, other):
    """x log(1 + y), and 0 where x is 0; one of both may be a number."""
    return XLog1py.apply(*promote(*tensors("xlog1py", input, other), floating=True))


def special_xlogy(input, other):
    """x log(y), and 0 where x is 0; one of both may be a number."""
    return XLogY.apply(*promote(*tensors("xlogy", input, other), floating=True))


def special_zeta(input, other):
    """The zeta function of Hurwitz; one of both may be a number."""
    return Zeta.apply(*promote(*tensors("zeta", input, other), floating=True))


def tensors(name, *operands):
    """Tensors of two operands, of which one may be a number; TypeError for two numbers."""
    if not any(isinstance(x, Tensor) for x in operands):
        kinds = ", ".join(type(x).__name__ for x in operands)
        raise TypeError(f"special_{name}() received an invalid combination of arguments - got ({kinds})")
    return [x if isinstance(x, Tensor) else tensor(x) for x in operands]
