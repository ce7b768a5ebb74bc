"""Two more orders: some samples at random, and samples with given probabilities."""

from types import GenericAlias

from tinytorch.dataloader import Dataset, Sampler
from tinytorch.given import methods_of
from tinytorch.given.dataloader.distributed import DistributedSampler
from tinytorch.tensor import as_tensor, default_generator, float64

__all__ = ["DistributedSampler", "SubsetRandomSampler", "WeightedRandomSampler"]


@methods_of(Dataset)
class OfSamples:
    """A data set of samples of a type, `Dataset[int]`."""

    @classmethod
    def __class_getitem__(cls, item):
        return GenericAlias(cls, item)


@methods_of(Sampler)
class OfNumbers:
    """An order of numbers, `Sampler[int]`, or of lists of them, `Sampler[list[int]]`."""

    @classmethod
    def __class_getitem__(cls, item):
        return GenericAlias(cls, item)


class SubsetRandomSampler(Sampler):
    """The given sample numbers, in random order.

    >>> sorted(torch.utils.data.SubsetRandomSampler([3, 1, 4]))
    [1, 3, 4]
    """

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in (self.generator or default_generator).permutation(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Sample numbers, drawn in proportion to `weights`: to see rare classes as often as others.

    >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], num_samples=3))
    [1, 1, 1]
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if type(num_samples) is not int or num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence, but their shape is {shape}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        generator = self.generator or default_generator
        yield from generator.multinomial(self.weights.array, self.num_samples, self.replacement).tolist()

    def __len__(self):
        return self.num_samples
