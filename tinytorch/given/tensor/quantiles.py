"""Medians, quantiles, sums without NaN, histograms: made of sorting, `gather` and the reductions."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axis_of, check_not_half
from tinytorch.given.tensor.creation import as_tensor, zeros_like
from tinytorch.given.tensor.more_arithmetic import kind_name
from tinytorch.given.tensor.promotion import floating, in_float32
from tinytorch.given.tensor.reductions import numpys_names
from tinytorch.given.tensor.return_types import return_types, structure
from tinytorch.tensor import Function, Tensor, get_default_dtype, wrap

__all__ = ["Median"]

for name, fields in {
    "median": ["values", "indices"],
    "nanmedian": ["values", "indices"],
    "mode": ["values", "indices"],
    "kthvalue": ["values", "indices"],
    "aminmax": ["min", "max"],
    "histogram": ["hist", "bin_edges"],
}.items():
    structure(name, *fields)


def shortened(x, p, dims, maxnorm):
    """Slices over `dims`, each multiplied by what makes a p-norm above `maxnorm` that."""
    norms = x.norm(p, dims, keepdim=True)
    return x * (maxnorm / (norms + 1e-7)).where(norms > maxnorm, zeros_like(norms) + 1)


def ranked(x, places, dim, keepdim, answer):
    """The elements at these places along `dim`, with the places."""
    places = wrap(places) if x.ndim else wrap(places.reshape(()))
    values = x.gather(dim, places)
    return (
        answer(values, places) if keepdim or not x.ndim else answer(values.squeeze(dim), places.squeeze(dim))
    )


def middle(x, dim, keepdim, skip_nan):
    """The lower of the middle elements along `dim`; NaN where there is one, unless it is skipped."""
    if x.array.dtype == bool:
        raise NotImplementedError("\"median_cpu\" not implemented for 'Bool'")
    array, axis = np.atleast_1d(x.array), axis_of(dim, x.ndim)
    if array.shape[axis] == 0:
        raise IndexError(f"median(): Expected reduction dim {axis} to have non-zero size.")
    order = array.argsort(axis, kind="stable")
    missing = np.isnan(array).sum(axis, keepdims=True) if array.dtype.kind == "f" else 0
    rank = (array.shape[axis] - (missing if skip_nan else 0) - 1) // 2
    rank = np.where((missing > 0) & (not skip_nan), array.shape[axis] - missing, np.maximum(rank, 0))
    rank = np.broadcast_to(rank, [1 if d == axis else n for d, n in enumerate(array.shape)])
    return ranked(
        x,
        np.take_along_axis(order, rank, axis),
        axis,
        keepdim,
        return_types.nanmedian if skip_nan else return_types.median,
    )


def interpolated(x, q, dim, keepdim, interpolation, name):
    """The quantile q along `dim`, between the two sorted elements that it falls between."""
    if x.array.dtype.char not in "fd":
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if x.ndim == 0 and dim is not None:
        axis_of(dim, 0)
        x, dim, keepdim = x.reshape(1), 0, False
    q = as_tensor(q, dtype=x.dtype)
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if (q < 0).any() or (q > 1).any():
        raise RuntimeError(f"{name}() q must be in the range [0, 1]")
    if dim is None:
        shape = [1] * x.ndim
        flat = interpolated(x.flatten(), q, 0, False, interpolation, name)
        return flat.reshape((*q.shape, *shape)) if keepdim else flat
    axis = axis_of(dim, x.ndim)
    values = x.movedim(axis, -1).sort(-1).values  # (..., n)
    missing = x.movedim(axis, -1).isnan().sum(-1, keepdim=True).array
    count = values.shape[-1] - (missing if name == "nanquantile" else np.zeros_like(missing))
    rank = q.array.reshape(-1) * (count - 1)
    if name == "quantile":
        rank = np.where(missing > 0, values.shape[-1] - 1.0, rank)
    rank = rank.clip(0)
    low, high = np.floor(rank).astype(np.int64), np.ceil(rank).astype(np.int64)
    if interpolation in ("lower", "higher", "nearest"):
        chosen = {"lower": low, "higher": high, "nearest": np.round(rank).astype(np.int64)}[interpolation]
        found = values.gather(-1, wrap(chosen))
    else:
        weight = wrap(
            (rank - low if interpolation == "linear" else np.full_like(rank, 0.5)).astype(x.array.dtype)
        )
        found = values.gather(-1, wrap(low)).lerp(values.gather(-1, wrap(high)), weight)
    found = found.movedim(-1, 0)  # (q, ...)
    found = found.unsqueeze(axis + 1) if keepdim else found
    return found if q.ndim else found.squeeze(0)


def column_weights(fweights, aweights, count):
    """The product of the two kinds of weights of so many columns; None for none."""
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights.ndim > 1 or weights.numel() != count:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions, and a weight for each of {count} "
                f"columns, but got {list(weights.shape)}"
            )
        if weights.is_floating_point() != (name == "aweights"):
            kind = "floating point" if name == "aweights" else "integral"
            raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {weights.dtype}")
        if (weights.array < 0).any():
            raise RuntimeError(f"cov(): {name} cannot be negative")
    given = [weights for weights in (fweights, aweights) if weights is not None]
    return given[0] if len(given) == 1 else given[0] * given[1] if given else None


class Median(Function):
    """The lower of the middle elements of all, NaN aside if it is skipped; equals share its gradient."""

    @staticmethod
    def forward(ctx, x, skip_nan):
        ctx.axis, ctx.keepdim, ctx.of_all, ctx.skip_nan = None, False, True, skip_nan
        output = middle(wrap(x.reshape(-1)), 0, False, skip_nan).values.array
        ctx.save_for_backward(x, output)
        return output


def no_middle(x):
    """The median of no elements: NaN, or what that becomes as an integer."""
    if x.is_floating_point():
        return x.sum() * np.nan
    with np.errstate(invalid="ignore"):
        return wrap(np.array(np.nan).astype(x.array.dtype))


@methods_of(Tensor)
@numpys_names
class Middles:
    """Medians and the like."""

    def median(self, dim=None, keepdim=False):
        """Find the lower of the middle elements; along `dim`, the medians and where they stand.

        >>> torch.tensor([4, 1, 3, 2]).median()
        tensor(2)
        """
        if dim is not None:
            return middle(self, dim, keepdim, skip_nan=False)
        return no_middle(self) if self.numel() == 0 else Median.apply(self, skip_nan=False)

    def nanmedian(self, dim=None, keepdim=False):
        """Find the median of what is not NaN.

        >>> torch.tensor([4.0, float("nan"), 2.0, 3.0]).nanmedian()
        tensor(3.)
        """
        if dim is not None:
            return middle(self, dim, keepdim, skip_nan=True)
        return no_middle(self) if self.numel() == 0 else Median.apply(self, skip_nan=True)

    def quantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
        """Find the number below which the share `q` of the elements lies, along `dim`; between two by
        `interpolation`.

        >>> torch.tensor([0.0, 1.0, 2.0, 3.0]).quantile(0.5)
        tensor(1.5000)
        """
        return interpolated(self, q, dim, keepdim, interpolation, "quantile")

    def nanquantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
        """Find the quantiles of what is not NaN.

        >>> torch.tensor([0.0, float("nan"), 3.0]).nanquantile(0.5)
        tensor(1.5000)
        """
        return interpolated(self, q, dim, keepdim, interpolation, "nanquantile")

    def kthvalue(self, k, dim=-1, keepdim=False):
        """Find the k-th smallest element along `dim`, counted from 1, and its position.

        >>> torch.tensor([3, 1, 2]).kthvalue(2).values
        tensor(2)
        """
        axis, array = axis_of(dim, self.ndim), np.atleast_1d(self.array)
        if not 1 <= k <= array.shape[axis]:
            raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(axis))
        order = array.argsort(axis, kind="stable")
        return ranked(self, np.take(order, [k - 1], axis), axis, keepdim, return_types.kthvalue)

    def mode(self, dim=-1, keepdim=False):
        """Find the most frequent element along `dim`, the smallest of several, and its last position.

        >>> torch.tensor([2, 1, 2]).mode().values
        tensor(2)
        """
        axis, array = axis_of(dim, self.ndim), np.atleast_1d(self.array)

        def last_of_most(row):
            values, counts = np.unique(row, return_counts=True, equal_nan=False)
            found = np.flatnonzero(row == values[counts.argmax()])
            return found[-1] if found.size else 0  # of NaN alone

        if array.shape[axis] == 0:
            raise IndexError(f"mode(): Expected reduction dim {axis} to have non-zero size.")
        if array.size == 0:
            places = np.zeros(np.delete(array.shape, axis), np.int64)
        else:
            places = np.apply_along_axis(last_of_most, axis, array)
        return ranked(self, np.expand_dims(places, axis), axis, keepdim, return_types.mode)

    def aminmax(self, *, dim=None, keepdim=False):
        """Find the smallest and the largest element, along `dim` or of all.

        >>> torch.tensor([3, 1, 2]).aminmax().max
        tensor(3)
        """
        dims = () if dim is None else dim
        return return_types.aminmax(self.amin(dims, keepdim), self.amax(dims, keepdim))

    def nansum(self, dim=None, keepdim=False, *, dtype=None):
        """Add up what is not NaN.

        >>> torch.tensor([1.0, float("nan"), 2.0]).nansum()
        tensor(3.)
        """
        return self._without_nan().sum(dim, keepdim, dtype=dtype)

    def nanmean(self, dim=None, keepdim=False, *, dtype=None):
        """Average what is not NaN.

        >>> torch.tensor([1.0, float("nan"), 2.0]).nanmean()
        tensor(1.5000)
        """
        x = self if dtype is None else self.to(dtype)
        if not x.is_floating_point():
            raise RuntimeError(
                "nanmean(): expected input to have floating point or complex dtype but got " + kind_name(x)
            )
        return x.nansum(dim, keepdim) / x.isnan().logical_not().sum(dim, keepdim)

    def _without_nan(self):
        return self.masked_fill(self.isnan(), 0) if self.is_floating_point() else self

    def std_mean(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        """Compute the standard deviation and the mean, as `std` and `mean` do.

        >>> torch.std_mean(torch.tensor([1.0, 2.0, 3.0]))
        (tensor(1.), tensor(2.))
        """
        options = {"unbiased": unbiased, "keepdim": keepdim, "correction": correction}
        return self.std(dim, **options), self.mean(None if isinstance(dim, bool) else dim, keepdim)

    def var_mean(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        """Compute the variance and the mean, as `var` and `mean` do.

        >>> torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
        (tensor(1.), tensor(2.))
        """
        options = {"unbiased": unbiased, "keepdim": keepdim, "correction": correction}
        return self.var(dim, **options), self.mean(None if isinstance(dim, bool) else dim, keepdim)

    def histc(self, bins=100, min=0, max=0):
        """Count the elements in bins of one width from `min` to `max`; both 0 mean the data's own.

        >>> torch.tensor([0.0, 1.0, 1.0, 4.0]).histc(bins=4)
        tensor([1., 2., 0., 1.])
        """
        return self.histogram(bins, range=None if min == max == 0 else (float(min), float(max))).hist

    def histogram(self, bins=100, *, range=None, weight=None, density=False):
        """Count the elements in bins, of one width or with the given edges, and return the edges too.

        >>> torch.tensor([0.0, 1.0, 1.0, 4.0]).histogram(bins=2).hist
        tensor([3., 1.])
        """
        check_not_half("select_outer_bin_edges", self)
        edges = bins.array if isinstance(bins, Tensor) else bins
        data, weights = self.array.ravel(), None if weight is None else weight.array.ravel()
        hist, edges = np.histogram(data, edges, range, density, weights)
        kind = self.array.dtype if self.is_floating_point() else get_default_dtype().numpy
        return return_types.histogram(wrap(hist.astype(kind)), wrap(edges.astype(kind)))

    def cov(self, *, correction=1, fweights=None, aweights=None):
        """Compute the covariance of each pair of rows, whose columns are observations; weighted ones are
        refused.

        >>> torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).cov()
        tensor([[ 1., -1.],
                [-1.,  1.]])
        """
        if self.ndim > 2:
            raise RuntimeError(
                f"cov(): expected input to have two or fewer dimensions but got an input with {self.ndim} "
                "dimensions"
            )
        rows = floating(self if self.ndim > 1 else self.reshape(1, -1))
        weights = column_weights(fweights, aweights, rows.shape[1])
        if weights is None:
            count = rows.shape[1]
            centred = rows - rows.mean(-1, keepdim=True)
            products = centred @ centred.mT
        else:
            weights, total = weights.to(rows.dtype), weights.sum()
            share = total if aweights is None else (weights * aweights).sum() / total
            count, correction = total.to(rows.dtype), correction if aweights is None else correction * share
            centred = rows - (rows * weights).sum(-1, keepdim=True) / total
            products = centred * weights @ centred.mT
        divisor = count - correction
        divisor = divisor.clamp(min=0) if isinstance(divisor, Tensor) else max(divisor, 0)
        return (products / divisor).squeeze()

    def renorm(self, p, dim, maxnorm):
        """Scale slices along `dim` down to a p-norm of at most `maxnorm`.

        >>> torch.tensor([[3.0, 4.0], [0.3, 0.4]]).renorm(2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
        """
        others = tuple(d for d in range(self.ndim) if d != axis_of(dim, self.ndim))
        return in_float32(shortened, self, p=p, dims=others, maxnorm=maxnorm)
