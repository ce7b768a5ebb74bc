"""Smooth curves, tanh and erf: operations that go like `Sigmoid`."""

import numpy as np

from tinytorch.tensor import Function, floating, in_float32

__all__ = ["Erf", "Tanh", "erf", "tanh"]


class Tanh(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.tanh(x)
        ctx.save_for_backward(output)
        return output


def tanh(input):
    """The hyperbolic tangent, element by element."""
    return in_float32(Tanh, floating(input))


class Erf(Function):
    @staticmethod
    def forward(ctx, x):
        """erf(x): in float64 by SciPy, number by number; else tanh(x p(x²)), which is off by 2e-7 at most.

        The polynomial p is atanh(erf(x)) / x, fitted with the error of erf itself for its measure.
        """
        ctx.save_for_backward(x)
        if x.dtype == np.float64:
            from scipy.special import erf  # its import takes longer than all of tinytorch's

            return erf(x)
        x32 = x.astype(np.float32, copy=False)
        with np.errstate(over="ignore"):  # far out to infinity, whose tanh is 1
            square, z = x32 * x32, np.full_like(x32, ATANH_ERF[-1])
            for coefficient in ATANH_ERF[-2::-1]:
                z *= square
                z += coefficient
            z *= x32
        return np.tanh(z, out=z).astype(x.dtype, copy=False)


ATANH_ERF = (
    1.12837927,
    0.102769056,
    -1.91830799e-4,
    -6.19784657e-4,
    8.76373249e-5,
    -5.66847499e-6,
    1.41852177e-7,
)


def erf(input):
    """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
    return in_float32(Erf, floating(input))
