"""Data sets in parts: streams one after the other, and how large the parts of a random split are."""

import math
import warnings

from tinytorch.dataloader import IterableDataset

__all__ = ["ChainDataset", "shares"]


class ChainDataset(IterableDataset):
    """Several iterable data sets, one after the other, as one: what `+` makes of two.

    >>> class Letters(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(torch.utils.data.ChainDataset([Letters(), Letters()]))
    ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self):
        return sum(map(len, self.datasets))


def shares(total, fractions):
    """How many of `total` samples each fraction gets: rounded down, the rest dealt out from the first on."""
    for number, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {number} is not between 0 and 1: {fraction}")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for number in range(total - sum(lengths)):
        lengths[number % len(lengths)] += 1
    for number, length in enumerate(lengths):
        if length == 0:
            warnings.warn(f"Length of split at index {number} is 0: an empty data set.", stacklevel=3)
    return lengths
