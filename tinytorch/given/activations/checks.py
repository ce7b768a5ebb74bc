"""What activations check, and how they work in place; none of it needs an operation of the learner's."""

from tinytorch.tensor import in_float32

__all__ = ["checked", "put", "scores"]


def checked(input, name):
    """`input`, if it is floating point; NotImplementedError if it is not, as in PyTorch."""
    if input.array.dtype.kind != "f":
        raise NotImplementedError(f"{name} is not implemented for {input.dtype}")
    return input


def scores(input, dim, stacklevel, dtype, name):
    """What softmax works on: `input`, in the type asked for, which must be floating point.

    Where `torch.nn.functional.softmax` has `_stacklevel`, a number, `torch.softmax` has the type.
    """
    if not isinstance(stacklevel, int):
        dtype = stacklevel
    if dim is None:
        raise TypeError(f"{name}() missing 1 required argument: 'dim', along which the result sums to one")
    return checked(input if dtype is None else input.to(dtype), name)


def put(function, input, inplace, **options):
    """Apply an operation; with `inplace`, write its result into `input`, of which it has saved a copy."""
    if inplace:
        return input._become(in_float32(function, input.clone(), **options))
    return in_float32(function, input, **options)
