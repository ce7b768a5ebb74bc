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


def default_convert(sample):
    """A sample with every array in it as a tensor: in place of collating where there are no batches."""
    if isinstance(sample, np.ndarray | np.generic) and sample.dtype.kind not in "SUO":
        return as_tensor(sample)
    if isinstance(sample, Mapping):
        return like(sample, {key: default_convert(value) for key, value in sample.items()})
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return type(sample)(*map(default_convert, sample))
    if isinstance(sample, Sequence) and not isinstance(sample, str | bytes):
        return [default_convert(value) for value in sample]
    return sample


def like(mapping, values):
    """A mapping of the same type with new values; a dict where the type cannot be made so."""
    try:
        result = copy.copy(mapping)
        result.update(values)
    except (AttributeError, TypeError):
        return values
    return result
