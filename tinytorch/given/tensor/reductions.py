"""Reductions: operations that go like `Sum`, `Var` and `Max`."""

import functools
import inspect

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import on_host
from tinytorch.given.tensor.checks import axes_of, axis_of, check_not_empty, count_along
from tinytorch.given.tensor.promotion import in_float32
from tinytorch.tensor import Context, Function, Sum, Tensor, Var, dtypes, float32, uint8, wrap

__all__ = [
    "Amax",
    "Amin",
    "Argmax",
    "Argmin",
    "CumSum",
    "Mean",
    "Prod",
    "Std",
    "numpys_names",
    "reduced",
    "spread_options",
    "truth",
]


def numpys_names(body):
    """Let the methods of a class body take `axis` and `keepdims` too, as NumPy calls `dim` and `keepdim`."""

    def taking_both(method):
        @functools.wraps(method)
        def function(self, *args, **kwargs):
            if "axis" in kwargs:
                kwargs["dim"] = kwargs.pop("axis")
            if "keepdims" in kwargs:
                kwargs["keepdim"] = kwargs.pop("keepdims")
            return method(self, *args, **kwargs)

        return function

    for name, method in list(vars(body).items()):
        if inspect.isfunction(method) and {"dim", "axis"} & inspect.signature(method).parameters.keys() == {
            "dim"
        }:
            setattr(body, name, taking_both(method))
    return body


def reduced(function, x, dtype, **options):
    """Apply a reduction, in another type if one is named."""
    result = in_float32(function, x if dtype is None else x.to(dtype), **options)
    return result if dtype is None else result.to(dtype)


def spread_options(name, dim, unbiased, keepdim, correction):
    """The options of `Var` from the arguments of var and std; a bool alone is `unbiased`, and not `dim`."""
    alone = isinstance(dim, bool)
    if (unbiased is not None and (alone or correction is not None)) or (
        alone and (keepdim or correction is not None)
    ):
        raise TypeError(f"{name}() received an invalid combination of arguments")
    if alone:
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    return {"dim": dim, "correction": correction, "keepdim": keepdim}


def truth(reduction, x, dim, keepdim):
    """`all` or `any`: booleans, or for uint8, as PyTorch has it, uint8."""
    found = np.asarray(reduction(x.array, axis=axes_of(dim, x.ndim), keepdims=keepdim))
    return wrap(found.astype(x.array.dtype) if x.dtype == uint8 else found)


class Mean(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        if x.dtype.kind != "f":
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                f"complex dtype. Got: {dtypes[x.dtype]}"
            )
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        ctx.count = count_along(x.shape, ctx.axis)
        return x.sum(axis=ctx.axis, keepdims=keepdim) / ctx.count


class Std(Function):
    @staticmethod
    def forward(ctx, x, dim=None, correction=1, keepdim=False):
        output = np.sqrt(Var.forward(ctx, x, dim, correction, keepdim))
        if on_host(output) and x.dtype == np.float32 and np.isinf(output).any():  # or its square alone is
            wide = Var.forward(Context(), x.astype(np.float64), dim, correction, keepdim)
            output = np.sqrt(wide).astype(x.dtype)
        ctx.save_for_backward(x, output)
        return output


class Amax(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False, of_all=False):
        ctx.axis, ctx.keepdim, ctx.of_all = axes_of(dim, x.ndim), keepdim, of_all
        check_not_empty(x, ctx.axis, "max")
        output = x.max(axis=ctx.axis, keepdims=keepdim)
        ctx.save_for_backward(x, output)
        return output


class Amin(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False, of_all=False):
        ctx.axis, ctx.keepdim, ctx.of_all = axes_of(dim, x.ndim), keepdim, of_all
        check_not_empty(x, ctx.axis, "min")
        output = x.min(axis=ctx.axis, keepdims=keepdim)
        ctx.save_for_backward(x, output)
        return output


class Argmax(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        axis = axes_of(dim, x.ndim)
        check_not_empty(x, axis, "argmax")
        return x.argmax(axis=axis, keepdims=keepdim)


class Argmin(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        axis = axes_of(dim, x.ndim)
        check_not_empty(x, axis, "argmin")
        return x.argmin(axis=axis, keepdims=keepdim)


class Prod(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        output = x.prod(axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None)
        ctx.save_for_backward(x, output)
        return output


class CumSum(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.axis = axis_of(dim, x.ndim)
        return x.cumsum(axis=ctx.axis, dtype=np.int64 if x.dtype.kind in "bui" else None).reshape(x.shape)


@methods_of(Tensor)
@numpys_names
class Reductions:
    """Reductions."""

    def sum(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
        """Add up the elements along `dim`, one or several, or all of them; integers and booleans as int64.

        With `keepdim`, the dimensions stay, with length 1. `axis` and `keepdims` are NumPy's names for the
        same.

        >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(dim=0)
        tensor([4., 6.])
        """
        return reduced(Sum, self, dtype, dim=dim if axis is None else axis, keepdim=keepdim or keepdims)

    def mean(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
        """Average along `dim`, or over all elements; RuntimeError for integers, unless a `dtype` is named.

        >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).mean(dim=1, keepdim=True)
        tensor([[1.5000],
                [3.5000]])
        """
        return reduced(Mean, self, dtype, dim=dim if axis is None else axis, keepdim=keepdim or keepdims)

    def prod(self, dim=None, keepdim=False, *, dtype=None):
        """Multiply the elements along `dim`, or all of them; integers and booleans as int64.

        >>> torch.tensor([[1, 2], [3, 4]]).prod(dim=1)
        tensor([ 2, 12])
        """
        return reduced(Prod, self, dtype, dim=dim, keepdim=keepdim)

    def cumsum(self, dim, *, dtype=None):
        """Add up the elements so far along `dim`: y_i = x_0 + ... + x_i.

        >>> torch.tensor([1.0, 2.0, 3.0]).cumsum(0)
        tensor([1., 3., 6.])
        """
        return reduced(CumSum, self, dtype, dim=dim)

    def var(self, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=False):
        """Compute the variance along `dim`: Σ (x - mean)² / (n - correction).

        The correction is 1 by default; `unbiased=False` makes it 0.

        >>> torch.tensor([1.0, 2.0, 6.0]).var()
        tensor(7.)
        """
        options = spread_options(
            "var", dim if axis is None else axis, unbiased, keepdim or keepdims, correction
        )
        return in_float32(Var, self, **options)

    def std(self, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=False):
        """Compute the standard deviation along `dim`, the root of the variance; `unbiased=False` divides by
        n.

        >>> torch.tensor([1.0, 2.0, 6.0]).std(correction=0)
        tensor(2.1602)
        """
        options = spread_options(
            "std", dim if axis is None else axis, unbiased, keepdim or keepdims, correction
        )
        return in_float32(Std, self, **options)

    def amax(self, dim=(), keepdim=False):
        """Find the largest elements along `dim`, one or several; equal ones share the gradient.

        >>> torch.tensor([[1, 5], [7, 2]]).amax(dim=1)
        tensor([5, 7])
        """
        return Amax.apply(self, dim=dim, keepdim=keepdim)

    def amin(self, dim=(), keepdim=False):
        """Find the smallest elements along `dim`, one or several; equal ones share the gradient.

        >>> torch.tensor([[1, 5], [7, 2]]).amin(dim=1)
        tensor([1, 2])
        """
        return Amin.apply(self, dim=dim, keepdim=keepdim)

    def argmax(self, dim=None, keepdim=False):
        """Find the position of the largest element: along `dim`, or in the flattened tensor; the first of
        several.

        >>> torch.tensor([[1, 5], [7, 2]]).argmax(dim=1)
        tensor([1, 0])
        """
        return Argmax.apply(self, dim=dim, keepdim=keepdim)

    def argmin(self, dim=None, keepdim=False):
        """Find the position of the smallest element: along `dim`, or in the flattened tensor; the first of
        several.

        >>> torch.tensor([[1, 5], [7, 2]]).argmin(dim=1)
        tensor([0, 1])
        """
        return Argmin.apply(self, dim=dim, keepdim=keepdim)

    def all(self, dim=None, keepdim=False):
        """Tell whether all elements along `dim`, or of the tensor, are other than 0.

        >>> torch.tensor([[1, 0], [1, 1]]).all(dim=1)
        tensor([False,  True])
        """
        return truth(np.all, self, dim, keepdim)

    def any(self, dim=None, keepdim=False):
        """Tell whether an element along `dim`, or of the tensor, is other than 0.

        >>> torch.tensor([[1, 0], [0, 0]]).any(dim=1)
        tensor([ True, False])
        """
        return truth(np.any, self, dim, keepdim)

    def count_nonzero(self, dim=None):
        """Count the elements other than 0, along `dim` or in all.

        >>> torch.tensor([[1, 0], [2, 3]]).count_nonzero(dim=1)
        tensor([1, 2])
        """
        return wrap(np.asarray(np.count_nonzero(self.array, axis=axes_of(dim, self.ndim))))

    def bincount(self, weights=None, minlength=0):
        """Count how often each of 0, 1, 2, ... occurs, or add up the `weights` there; at least `minlength`
        counts.

        RuntimeError for anything but a vector of integers from 0 on.

        >>> torch.tensor([0, 2, 2]).bincount(minlength=4)
        tensor([1, 0, 2, 0])
        """
        if self.is_floating_point():
            raise NotImplementedError(f"bincount is not implemented for {self.dtype}")
        if self.ndim != 1 or self.array.min(initial=0) < 0:
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        counts = np.bincount(self.array, None if weights is None else weights.array, minlength)
        return wrap(counts.astype(np.float32) if weights is not None and weights.dtype == float32 else counts)
