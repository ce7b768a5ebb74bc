"""PyTorch's option `out`: a tensor that takes the result of a function, and is returned in its place."""

import functools
import inspect

from tinytorch.given.tensor.promotion import can_cast
from tinytorch.tensor import Tensor

__all__ = []  # tools of given files alone


def takes_out(function):
    """Let a function take `out`."""

    @functools.wraps(function)
    def called(*args, out=None, **options):
        return put_out(function.__name__, out, function(*args, **options))

    called.__signature__ = with_out(function)
    return called


def makes_out(function):
    """Let a function that makes a tensor take `out`, in whose type it makes it."""

    @functools.wraps(function)
    def called(*args, out=None, **options):
        if out is None:
            return function(*args, **options)
        check_out(function.__name__, out)
        if options.get("dtype") not in (None, out.dtype):
            raise RuntimeError(
                f"dtype {options['dtype']} does not match dtype of out parameter ({out.dtype})"
            )
        return put_out(function.__name__, out, function(*args, **options | {"dtype": out.dtype}))

    called.__signature__ = with_out(function)
    return called


def with_out(function):
    """The function's signature with `out` in it."""
    signature = inspect.signature(function)
    out = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    parameters = [*signature.parameters.values(), out]
    return signature.replace(parameters=sorted(parameters, key=lambda each: each.kind))


def check_out(name, out):
    """TypeError for an `out` that is no tensor."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")


def put_out(name, out, result):
    """Write what a function gave into `out`, a tensor or a tuple of them, which is returned."""
    if out is None:
        return result
    if isinstance(result, tuple):
        return type(result)([put_out(name, *pair) for pair in zip(out, result, strict=True)])
    check_out(name, out)
    if result.requires_grad or out.requires_grad:
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad."
        )
    if not can_cast(result.dtype, out.dtype):
        from tinytorch.given.tensor.legacy_types import type_names  # which is made after this

        kinds = [type_names[kind] for kind in (result.dtype, out.dtype)]
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*kinds))
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)
