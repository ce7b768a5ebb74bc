"""Running extremes and products along a dimension, and differences: made of `along` and sums."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.creation import as_tensor
from tinytorch.given.tensor.promotion import in_float32
from tinytorch.given.tensor.reductions import numpys_names, reduced
from tinytorch.given.tensor.return_types import return_types, structure
from tinytorch.tensor import Function, Tensor, array_of, int64, wrap

__all__ = ["CumProd", "LogCumSumExp"]

for name in ("cummax", "cummin"):
    structure(name, "values", "indices")


def last_places(array, axis, extreme):
    """Where along `axis` the extreme of what has been seen so far stands, the last of equals; NaN wins."""
    running = extreme.accumulate(array, axis=axis)
    here = (array == running) | ((array != array) & (running != running))
    count = np.arange(array.shape[axis]).reshape([-1 if d == axis else 1 for d in range(array.ndim)])
    return np.maximum.accumulate(np.where(here, count, 0), axis=axis)


class CumProd(Function):
    node_name, rule_in_float32 = "Cumprod", False

    @staticmethod
    def forward(ctx, x, dim):
        ctx.axis = axis_of(dim, x.ndim)
        kind = np.int64 if x.dtype.kind in "bui" else None
        output = np.atleast_1d(x).cumprod(ctx.axis, kind).reshape(x.shape)
        ctx.save_for_backward(x, output)
        return output

    @staticmethod
    def backward(ctx, grad):
        """Each factor moves every later product, by the product of the others."""
        x, output = ctx.saved_tensors
        if x.ndim == 0:
            return grad
        if isinstance(x, Tensor):
            return by_triangle(*(as_tensor(t).movedim(ctx.axis, -1) for t in (x, grad))).movedim(-1, ctx.axis)
        rows = (np.moveaxis(array_of(t), ctx.axis, -1) for t in (x, output, grad))
        return np.moveaxis(shares_of_factors(*rows), -1, ctx.axis)


def by_triangle(x, grad):
    """The gradient of products along the last dimension, for second derivatives: a triangle of products."""
    n = x.shape[-1]
    rows = x.unsqueeze(-2).expand(*x.shape[:-1], n, n)  # a copy of the factors for each one to be left out
    others = rows.masked_fill(wrap(np.eye(n, dtype=bool)), 1.0)
    return (others.cumprod(-1).triu() * grad.unsqueeze(-2)).sum(-1)


def shares_of_factors(x, output, grad):
    """The same of arrays: up to a row's first zero by division, at the zero without it, and 0 beyond."""
    moved = output * grad
    zeros = (x == 0).cumsum(-1)
    if not zeros.any():
        return moved[..., ::-1].cumsum(-1)[..., ::-1] / x
    before = np.where(zeros == 0, moved, 0)[..., ::-1].cumsum(-1)[..., ::-1]
    first = (zeros == 1) & (x == 0)
    beyond = np.where((zeros == 1) & ~first, x, 1).cumprod(-1) * np.where(zeros == 1, grad, 0)
    ahead = np.concatenate([np.ones_like(x[..., :1]), output[..., :-1]], -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(zeros == 0, before / x, np.where(first, beyond.sum(-1, keepdims=True) * ahead, 0))


class LogCumSumExp(Function):
    node_name, rule_in_float32 = "Logcumsumexp", False

    @staticmethod
    def forward(ctx, x, dim):
        if x.dtype.kind != "f":
            raise NotImplementedError('"logcumsumexp_out_cpu" not implemented for integers')
        ctx.axis = axis_of(dim, x.ndim)
        output = np.logaddexp.accumulate(np.atleast_1d(x), axis=ctx.axis).reshape(x.shape)
        ctx.save_for_backward(x, output)
        return output

    @staticmethod
    def backward(ctx, grad):
        """Sum over j >= i of grad_j exp(x_i - y_j), as logarithms: positive and negative ones apart."""
        x, output, grad = map(as_tensor, (*ctx.saved_tensors, grad))
        if x.ndim == 0:
            return grad
        logarithms, least = grad.abs().log(), float(np.finfo(grad.array.dtype).min)

        def share(chosen):
            ahead = (logarithms.where(chosen, least) - output).flip(ctx.axis).logcumsumexp(ctx.axis)
            return (ahead.flip(ctx.axis) + x).exp()

        return share(grad > 0) - share(grad < 0)


@methods_of(Tensor)
@numpys_names
class Scans:
    """What comes of the elements so far, along a dimension."""

    def cumprod(self, dim, *, dtype=None):
        """Multiply the elements so far along `dim`: y_i = x_0 ... x_i.

        >>> torch.tensor([1.0, 2.0, 3.0]).cumprod(0)
        tensor([1., 2., 6.])
        """
        return reduced(CumProd, self, dtype, dim=dim)

    def logcumsumexp(self, dim):
        """Compute log(e^x_0 + ... + e^x_i) along `dim`, without overflow in between.

        >>> torch.tensor([1000.0, 1000.0]).logcumsumexp(0)
        tensor([1000.0000, 1000.6932])
        """
        return in_float32(LogCumSumExp, self, dim=dim)

    def cummax(self, dim):
        """Find the largest element so far along `dim`, and its position.

        >>> torch.tensor([1, 3, 2]).cummax(0).values
        tensor([1, 3, 3])
        """
        return self._scan(dim, np.maximum, return_types.cummax)

    def cummin(self, dim):
        """Find the smallest element so far along `dim`, and its position.

        >>> torch.tensor([3, 1, 2]).cummin(0).values
        tensor([3, 1, 1])
        """
        return self._scan(dim, np.minimum, return_types.cummin)

    def _scan(self, dim, extreme, answer):
        if not self.numel():  # along no matter which dimension
            return answer(self.clone(), self.clone().to(int64))
        axis = axis_of(dim, self.ndim)
        array = np.atleast_1d(self.array)
        places = wrap(last_places(array, axis, extreme).reshape(self.shape))
        return answer(self.gather(axis, places), places)

    def diff(self, n=1, dim=-1, prepend=None, append=None):
        """Subtract neighbours along `dim`, n times, after adding what is to be prepended and appended.

        >>> torch.tensor([1, 4, 9]).diff()
        tensor([3, 5])
        """
        if self.ndim == 0:
            raise RuntimeError("diff expects input to be at least one-dimensional")
        if n < 0:
            raise RuntimeError(f"order must be non-negative but got {n}")
        from tinytorch.given.tensor.rearranging import cat

        if n == 0:
            return self.clone()
        parts = [part for part in (prepend, self, append) if part is not None]
        x = cat(parts, dim) if len(parts) > 1 else self
        for count in range(x.size(dim) - 1, max(x.size(dim) - 1 - n, -1), -1):
            later, earlier = x.narrow(dim, 1, count), x.narrow(dim, 0, count)
            x = later.logical_xor(earlier) if x.array.dtype == bool else later - earlier
        return x
