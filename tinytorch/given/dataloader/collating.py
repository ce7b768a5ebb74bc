"""Values into tensors: at the leaves of what `default_collate` puts together, and of a single sample."""

import copy
from collections.abc import Mapping, Sequence

import numpy as np

from tinytorch.tensor import Tensor, as_tensor, float64, stack, tensor, wrap

__all__ = ["COLLATES", "collate_values", "default_convert", "like"]

COLLATES = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def collate_values(batch):
    """A batch of tensors, arrays or numbers as one tensor with a new first dimension; texts as they are."""
    first = batch[0]
    if isinstance(first, Tensor):
        kinds = {(t.array.shape, t.array.dtype, t.requires_grad) for t in batch}
        if kinds == {(first.array.shape, first.array.dtype, False)}:  # as is usual: one copy, no bookkeeping
            return wrap(np.stack([t.array for t in batch]))
        return stack(batch)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(COLLATES.format(first.dtype))
        return collate_values([as_tensor(array) for array in batch])
    if isinstance(first, np.generic):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    raise TypeError(COLLATES.format(type(first)))


def default_convert(data):
    """A sample with every array in it as a tensor: in place of collating where there are no batches."""
    if isinstance(data, np.ndarray | np.generic) and data.dtype.kind not in "SUO":
        return as_tensor(data)
    if isinstance(data, Mapping):
        return like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return [default_convert(value) for value in data]
    return data


def like(mapping, values):
    """A mapping of the same type with new values; a dict where the type cannot be made so."""
    try:
        result = copy.copy(mapping)
        result.update(values)
    except (AttributeError, TypeError):
        return values
    return result
