"""What `linear` and `dropout` refuse, in PyTorch's words."""

import math

__all__ = ["check_linear", "check_probability"]


def check_linear(x, weight, bias):
    """Refuse arrays whose shapes do not fit a linear map."""
    if x.ndim == 0 or weight.ndim == 0:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {weight.ndim}D"
        )
    if weight.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {weight.ndim}D")
    if x.shape[-1] != weight.shape[-1]:
        rows, columns = math.prod(x.shape[:-1]), math.prod(weight.shape[:-1])
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({rows}x{x.shape[-1]} and {weight.shape[-1]}x{columns})"
        )
    for operand in (weight,) if bias is None else (weight, bias):
        if x.dtype != operand.dtype:
            raise RuntimeError(
                f"expected m1 and m2 to have the same dtype, but got: {x.dtype} != {operand.dtype}"
            )


def check_probability(p):
    """Refuse a dropout probability outside [0, 1]."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
