"""What one_hot and embedding refuse, with PyTorch's errors: made of nothing that module 11 writes."""

import numpy as np

from tinytorch.tensor import int64, wrap

__all__ = ["check_classes", "check_indices"]


def check_classes(tensor, num_classes):
    """The number of classes; RuntimeError, in PyTorch's words, if the indices do not go with it."""
    if tensor.dtype is not int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if tensor.numel() and tensor.array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        return int(tensor.array.max()) + 1
    if tensor.numel() and tensor.array.max() >= num_classes:
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
    if indices.size and (indices.min() < 0 or indices.max() >= len(weight)):
        wrong = indices[(indices < 0) | (indices >= len(weight))].flat[0]
        raise IndexError(f"index out of range in self: {wrong} is no row of a table of {len(weight)}")
