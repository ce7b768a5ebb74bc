"""What one_hot and embedding refuse, with PyTorch's errors: of nothing that module 11 writes."""

from numbers import Integral

import numpy as np

from tinytorch.given.tensor.arrays import on_host
from tinytorch.tensor import int64, wrap

__all__ = ["check_classes", "check_indices", "check_kinds"]


def check_classes(input, num_classes):
    """The number of classes; RuntimeError, in PyTorch's words, if the indices do not go with it."""
    check_kinds("one_hot", int, num_classes=num_classes)
    if input.dtype is not int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if input.numel() == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if input.numel() and input.array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        return int(input.array.max()) + 1
    if input.numel() and input.array.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return num_classes


def check_indices(indices, weight):
    """IndexError for a row that the table does not have, RuntimeError for what is no table or no index."""
    if indices.dtype not in (np.int32, np.int64):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {wrap(indices).type()} instead"
        )
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, got {weight.ndim}-D")
    if on_host(indices) and indices.size and (indices.min() < 0 or indices.max() >= len(weight)):
        wrong = indices[(indices < 0) | (indices >= len(weight))].flat[0]
        raise IndexError(f"index out of range in self: {wrong} is no row of a table of {len(weight)}")


def check_kinds(function, kind, **arguments):
    """TypeError for arguments that are not of a kind."""
    for name, argument in arguments.items():
        if not isinstance(argument, Integral if kind is int else kind):
            found = type(argument).__name__
            raise TypeError(f"{function}(): argument '{name}' must be {kind.__name__}, not {found}")
