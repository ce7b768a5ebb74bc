"""Numbers in sequence, and areas below them: powers, windows, the trapezoid rule, runs of equals."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.creation import arange, linspace, made, numpy_type, zeros
from tinytorch.given.tensor.functions import NAMES
from tinytorch.given.tensor.out import makes_out
from tinytorch.tensor import Function, Tensor, array_of, float64, get_default_dtype, tensor

__all__ = [
    "bartlett_window", "blackman_window", "cumulative_trapezoid", "hamming_window", "hann_window",
    "kaiser_window", "logspace", "scalar_tensor", "trapezoid", "trapz", "vander",
]  # fmt: skip


@makes_out
def logspace(start, end, steps, base=10.0, *, dtype=None, device=None, requires_grad=False):
    """Make `steps` powers of `base`, whose exponents go from `start` to `end` in equal steps."""
    exponents = linspace(start, end, steps, dtype=float64).array
    dtype = dtype or get_default_dtype()
    work = exponents if dtype.numpy.kind != "f" else exponents.astype(np.result_type(dtype.numpy, "f4"))
    return made(np.power(work.dtype.type(array_of(base)), work).astype(dtype.numpy), device, requires_grad)


def range(start=0, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """Count as `arange` does, up to and with `end`; deprecated in PyTorch, too."""
    dtype = dtype or get_default_dtype()
    count = int((end - start) / step) + 1
    if count < 1:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return made((start + np.arange(count) * step).astype(numpy_type(dtype)), device, requires_grad)


NAMES["range"] = range  # like `sum` and `max`: not listed, because the lesson keeps using Python's


def window(values, length, periodic, dtype, device, requires_grad):
    """A window for spectra: symmetric, or one longer and without its last number, so that it repeats."""
    if length < 0:
        raise RuntimeError(f"requires non-negative window_length, got window_length={length}")
    found = values(length + (periodic and length > 1))[:length]
    return made(found.astype(numpy_type(dtype)), device, requires_grad)


def hann_window(window_length, periodic=True, *, dtype=None, device=None, requires_grad=False):
    """Make Hann's window: half a period of a squared sine."""
    return window(np.hanning, window_length, periodic, dtype, device, requires_grad)


def hamming_window(
    window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, device=None, requires_grad=False
):
    """Make Hamming's window: alpha - beta cos(2 pi n / (N - 1))."""

    def values(count):
        return (
            alpha - beta * np.cos(2 * np.pi * np.arange(count) / max(count - 1, 1))
            if count > 1
            else np.ones(count)
        )

    return window(values, window_length, periodic, dtype, device, requires_grad)


def bartlett_window(window_length, periodic=True, *, dtype=None, device=None, requires_grad=False):
    """Make Bartlett's window: a triangle."""
    return window(np.bartlett, window_length, periodic, dtype, device, requires_grad)


def blackman_window(window_length, periodic=True, *, dtype=None, device=None, requires_grad=False):
    """Make Blackman's window: a sum of two cosines."""
    return window(np.blackman, window_length, periodic, dtype, device, requires_grad)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, device=None, requires_grad=False):
    """Make Kaiser's window: a ratio of Bessel functions."""
    return window(lambda n: np.kaiser(n, beta), window_length, periodic, dtype, device, requires_grad)


def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor of no dimension of a number, in the default floating point type."""
    return tensor(s, dtype=dtype or get_default_dtype(), device=device, requires_grad=requires_grad)


def vander(x, N=None, increasing=False):
    """The powers of each element of a vector, the highest first, in a matrix of N columns."""
    if x.ndim != 1:
        raise RuntimeError(f"torch.vander(): x must be a 1-D tensor, but got {x.ndim}-D")
    count = x.numel() if N is None else N
    if count < 0:
        raise RuntimeError(f"N must be non-negative, but got {N}")
    powers = x.unsqueeze(-1) ** arange(count)
    return powers if increasing else powers.flip(-1)


def areas(name, y, x, dx, dim):
    """The areas below neighbouring samples, whose sum is the integral: (y0 + y1) / 2 times their distance."""
    for letter, samples in (("y", y), ("x", x)):
        if samples is not None and samples.array.dtype == bool:
            raise RuntimeError(f"{name}: received a bool input for `{letter}`, but bool is not supported")
    axis, count = axis_of(dim, y.ndim), y.shape[axis_of(dim, y.ndim)] if y.ndim else 0
    if y.ndim == 0:
        raise IndexError(f"{name}: y must have at least one dimension")
    if count == 0:
        return zeros(*y.shape[:axis], 0, *y.shape[axis + 1 :], dtype=y.dtype)
    means = y.narrow(dim, 1, count - 1) + y.narrow(dim, 0, count - 1)
    if x is None:
        return means * (dx / 2)
    if x.ndim == 1:
        if x.shape[0] != count:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.reshape([-1 if d == axis else 1 for d in np.arange(y.ndim)])
    at = axis - y.ndim  # from the end, for x and y broadcast
    distances = x.narrow(at, 1, x.shape[at] - 1) - x.narrow(at, 0, x.shape[at] - 1)
    return means * distances / 2


def trapezoid(y, x=None, *, dx=1, dim=-1):
    """Integrate samples along `dim`; `x` says where they were taken, or `dx` how far apart."""
    return areas("trapezoid", y, x, dx, dim).sum(dim)


trapz = trapezoid


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """The integrals from the first sample to each later one, by trapezoids."""
    return areas("cumulative_trapezoid", y, x, dx, dim).cumsum(dim)


@methods_of(Tensor)
class Runs:
    """Neighbours that are equal."""

    def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
        """Leave out what repeats the element before it, in the flattened tensor or of the slices along `dim`.

        If asked, return also where each element went, and how many went there.

        >>> torch.tensor([1, 1, 2, 1]).unique_consecutive()
        tensor([1, 2, 1])
        """
        options = {"return_inverse": return_inverse, "return_counts": return_counts, "dim": dim}
        return UniqueConsecutive.apply(self, **options)


class UniqueConsecutive(Function):
    """What is left where repeats are left out; there is no gradient of it."""

    name_of_derivative = staticmethod(lambda ctx: "unique_consecutive")

    @staticmethod
    def forward(ctx, x, return_inverse, return_counts, dim):
        if dim is None:
            rows, shape = x.reshape(-1), x.shape
            new = rows[1:] != rows[:-1]
        else:
            rows = np.moveaxis(x, axis_of(dim, x.ndim), 0)
            shape = rows.shape[:1]
            new = (rows[1:] != rows[:-1]).any(axis=tuple(np.arange(1, rows.ndim)))
        first = np.concatenate([np.ones(min(len(rows), 1), bool), new])
        kept = rows[first] if dim is None else np.moveaxis(rows[first], 0, axis_of(dim, x.ndim))
        found = [np.ascontiguousarray(kept)]
        if return_inverse:
            found.append((first.cumsum() - 1).reshape(shape))
        if return_counts:
            found.append(np.diff(np.append(np.flatnonzero(first), len(rows))))
        return tuple(found) if len(found) > 1 else found[0]
