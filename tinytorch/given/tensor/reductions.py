"""Reductions: operations that go like `Sum`, `Var` and `Max`."""

import functools
import inspect

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import on_host
from tinytorch.given.tensor.checks import axes_of, axis_of, check_not_empty, count_along
from tinytorch.given.tensor.types import in_float32
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
        return reduced(Sum, self, dtype, dim=dim if axis is None else axis, keepdim=keepdim or keepdims)

    def mean(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
        return reduced(Mean, self, dtype, dim=dim if axis is None else axis, keepdim=keepdim or keepdims)

    def prod(self, dim=None, keepdim=False, *, dtype=None):
        return reduced(Prod, self, dtype, dim=dim, keepdim=keepdim)

    def cumsum(self, dim, *, dtype=None):
        return reduced(CumSum, self, dtype, dim=dim)

    def var(self, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=False):
        options = spread_options(
            "var", dim if axis is None else axis, unbiased, keepdim or keepdims, correction
        )
        return in_float32(Var, self, **options)

    def std(self, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=False):
        options = spread_options(
            "std", dim if axis is None else axis, unbiased, keepdim or keepdims, correction
        )
        return in_float32(Std, self, **options)

    amax = lambda self, dim=(), keepdim=False: Amax.apply(self, dim=dim, keepdim=keepdim)
    amin = lambda self, dim=(), keepdim=False: Amin.apply(self, dim=dim, keepdim=keepdim)
    argmax = lambda self, dim=None, keepdim=False: Argmax.apply(self, dim=dim, keepdim=keepdim)
    argmin = lambda self, dim=None, keepdim=False: Argmin.apply(self, dim=dim, keepdim=keepdim)
    all = lambda self, dim=None, keepdim=False: truth(np.all, self, dim, keepdim)
    any = lambda self, dim=None, keepdim=False: truth(np.any, self, dim, keepdim)

    def count_nonzero(self, dim=None):
        return wrap(np.asarray(np.count_nonzero(self.array, axis=axes_of(dim, self.ndim))))

    def bincount(self, weights=None, minlength=0):
        if self.is_floating_point():
            raise NotImplementedError(f"bincount is not implemented for {self.dtype}")
        if self.ndim != 1 or self.array.min(initial=0) < 0:
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        counts = np.bincount(self.array, None if weights is None else weights.array, minlength)
        return wrap(counts.astype(np.float32) if weights is not None and weights.dtype == float32 else counts)
