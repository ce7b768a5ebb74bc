"""What activations check, and how they work in place; none of it needs an operation of the learner's."""

import warnings
from numbers import Integral

from tinytorch.tensor import in_float32

__all__ = ["checked", "chosen", "put", "scores"]


def checked(input, name):
    """`input`, if it is floating point; NotImplementedError if it is not, as in PyTorch."""
    if input.array.dtype.kind != "f":
        raise NotImplementedError(f"{name} is not implemented for {input.dtype}")
    return input


def chosen(input, dim):
    """The dimension of a softmax; where none is named, the one that PyTorch takes, with its warning."""
    if dim is None:
        warnings.warn(
            "Implicit dimension choice for softmax has been deprecated. Change the call to include dim=X as "
            "an argument.",
            stacklevel=3,
        )
        return 0 if input.ndim in (0, 1, 3) else 1
    return dim


def scores(input, stacklevel, dtype):
    """The argument of softmax: `input`, in the requested type, which must be floating point.

    Where `torch.nn.functional.softmax` has `_stacklevel`, a number, `torch.softmax` has the type.
    """
    if not isinstance(stacklevel, Integral):
        dtype = stacklevel
    scored = input if dtype is None else input.to(dtype)
    return checked(
        scored, "softmax"
    ).contiguous()  # as PyTorch leaves it, so that a dropout behind it draws alike


def put(function, input, inplace, **options):
    """Apply an operation; with `inplace`, write its result into `input`, of which it has saved a copy."""
    if inplace:
        return input._become(in_float32(function, input.clone(), **options))
    return in_float32(function, input, **options)
