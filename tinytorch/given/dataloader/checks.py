"""What data sets and samplers refuse, with PyTorch's errors, before they are made."""

from tinytorch.dataloader import IterableDataset

__all__ = ["check_batches", "check_parts", "check_sampling", "check_sizes"]


def check_sizes(tensors):
    """AssertionError if tensors differ in the size of their first dimension."""
    if any(t.size(0) != tensors[0].size(0) for t in tensors):
        raise AssertionError(f"Size mismatch between tensors: {[t.size(0) for t in tensors]} samples")


def check_parts(datasets):
    """AssertionError if there is no data set, or one that has no numbers."""
    if not datasets:
        raise AssertionError("datasets should not be an empty iterable")
    if any(isinstance(dataset, IterableDataset) for dataset in datasets):
        raise AssertionError("ConcatDataset does not support IterableDataset")


def check_sampling(replacement, num_samples):
    """TypeError if `replacement` is no bool, ValueError if `num_samples` is no positive int."""
    if not isinstance(replacement, bool):
        raise TypeError(f"replacement should be a boolean value, but got {replacement=}")
    if not isinstance(num_samples, int) or num_samples <= 0:
        raise ValueError(f"num_samples should be a positive integer value, but got {num_samples=}")


def check_batches(batch_size, drop_last):
    """ValueError if `batch_size` is no positive int, or `drop_last` no bool."""
    if type(batch_size) is not int or batch_size <= 0:
        raise ValueError(f"batch_size should be a positive integer value, but got {batch_size=}")
    if not isinstance(drop_last, bool):
        raise ValueError(f"drop_last should be a boolean value, but got {drop_last=}")
