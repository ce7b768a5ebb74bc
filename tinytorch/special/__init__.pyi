# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch import polygamma as polygamma
def airy_ai(input: Tensor) -> Tensor:
    """The function airy_ai of each element."""
def bessel_j0(input: Tensor) -> Tensor:
    """The function bessel_j0 of each element."""
def bessel_j1(input: Tensor) -> Tensor:
    """The function bessel_j1 of each element."""
def bessel_y0(input: Tensor) -> Tensor:
    """The function bessel_y0 of each element."""
def bessel_y1(input: Tensor) -> Tensor:
    """The function bessel_y1 of each element."""
def digamma(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.digamma`, by its name in torch.special."""
def entr(input: Tensor) -> Tensor:
    """The function entr of each element."""
def erf(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.erf`, by its name in torch.special."""
def erfc(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.erfc`, by its name in torch.special."""
def erfcx(input: Tensor) -> Tensor:
    """The function erfcx of each element."""
def erfinv(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.erfinv`, by its name in torch.special."""
def exp2(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.exp2`, by its name in torch.special."""
def expit(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.sigmoid`, by its name in torch.special."""
def expm1(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.expm1`, by its name in torch.special."""
def gammainc(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.igamma`, by its name in torch.special."""
def gammaincc(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.igammac`, by its name in torch.special."""
def gammaln(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.lgamma`, by its name in torch.special."""
def i0(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.i0`, by its name in torch.special."""
def i0e(input: Tensor) -> Tensor:
    """The function i0e of each element."""
def i1(input: Tensor) -> Tensor:
    """The function i1 of each element."""
def i1e(input: Tensor) -> Tensor:
    """The function i1e of each element."""
def log1p(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.log1p`, by its name in torch.special."""
def log_ndtr(input: Tensor) -> Tensor:
    """The function log_ndtr of each element."""
def log_softmax(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.log_softmax`, by its name in torch.special."""
def logit(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.logit`, by its name in torch.special."""
def logsumexp(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.logsumexp`, by its name in torch.special."""
def modified_bessel_i0(input: Tensor) -> Tensor:
    """The function modified_bessel_i0 of each element."""
def modified_bessel_i1(input: Tensor) -> Tensor:
    """The function modified_bessel_i1 of each element."""
def modified_bessel_k0(input: Tensor) -> Tensor:
    """The function modified_bessel_k0 of each element."""
def modified_bessel_k1(input: Tensor) -> Tensor:
    """The function modified_bessel_k1 of each element."""
def multigammaln(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.mvlgamma`, by its name in torch.special."""
def ndtr(input: Tensor) -> Tensor:
    """The probability that a normal number is not above x: erfc(-x / sqrt(2)) / 2."""
def ndtri(input: Tensor) -> Tensor:
    """The function ndtri of each element."""
def psi(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.digamma`, by its name in torch.special."""
def round(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.round`, by its name in torch.special."""
def scaled_modified_bessel_k0(input: Tensor) -> Tensor:
    """The function scaled_modified_bessel_k0 of each element."""
def scaled_modified_bessel_k1(input: Tensor) -> Tensor:
    """The function scaled_modified_bessel_k1 of each element."""
def sinc(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.sinc`, by its name in torch.special."""
def softmax(input: Tensor, *args, **kwargs) -> Tensor:
    """`torch.softmax`, by its name in torch.special."""
def spherical_bessel_j0(input: Tensor) -> Tensor:
    """The function spherical_bessel_j0 of each element."""
def xlog1py(input, other) -> Tensor:
    """x log(1 + y), and 0 where x is 0; one of both may be a number."""
def xlogy(input: Operand, other: Operand) -> Tensor:
    """x log(y), and 0 where x is 0; one of both may be a number."""
def zeta(input: Tensor, other: Operand) -> Tensor:
    """The zeta function of Hurwitz; one of both may be a number."""
