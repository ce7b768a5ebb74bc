# %% [markdown]
# # 05 Data
#
# A model is only ever shown batches. Somebody has to decide which samples are in the next one, find them, decode them, put
# them into one array, and have it ready before the last batch is done with. That is this module: data sets, samplers, and a
# loader that prepares batches in other processes while the model computes.
#
# When you are done you will be able to
#
# - describe any data by two methods, and split, join and shuffle it without copying it;
# - give every epoch an order that is random and yet repeatable to the sample, in PyTorch's numbers;
# - keep a model fed by worker processes, and say how many are enough;
# - stream data that is larger than memory, and shuffle it as well as a stream can be shuffled.
#
# ### Where it stands
#
# What you export becomes `tinytorch/dataloader.py`. It needs tensors and nothing else: no gradient passes through here.
#
# | here | PyTorch, in `torch.utils.data` | differs in |
# |---|---|---|
# | `Dataset`, `IterableDataset`, `TensorDataset`, `Subset`, `ConcatDataset`, `ChainDataset`, `random_split` | the same names | |
# | `SequentialSampler`, `RandomSampler`, `SubsetRandomSampler`, `WeightedRandomSampler`, `BatchSampler` | the same names | |
# | `default_collate`, `default_convert` | the same names | no map of further types |
# | `DataLoader`, `get_worker_info` | the same names | workers are forked; `in_order=False` and other ways to start them are refused |
# | `Digits`, `MNIST`, `FashionMNIST`, `CIFAR10`, `TextFile`, `PythonDocs`, `ShardedDataset` | | ours; torchvision has some under these names |
# | `Normalize`, `RandomCrop`, `RandomHorizontalFlip`, `Compose` | | ours; torchvision's `transforms` |
#
# You write the parts that decide. What goes like them, or is not about data, is given in `tinytorch/given/dataloader/`, and imported where it is wanted.


# %%
#| export
import bisect
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tinytorch.tensor import Generator, Tensor, default_generator, tensor, wrap


# %%
import contextlib
import os
import tempfile
import time
import timeit
import tracemalloc
import zlib
from collections import namedtuple
from pathlib import Path

import matplotlib.pyplot as plt

from tinytorch.tensor import arange, float32, int64, manual_seed, ones, rand, zeros


# %% [markdown]
# ## 1. The problem
#
# Here are 64 colour images as they lie on a disk, compressed, and one layer that looks at them. How long does it take to get
# them, and how long to use them?


# %%
rng = np.random.default_rng(0)
pictures = rng.integers(0, 64, (64, 3, 64, 64), np.uint8)
files = [zlib.compress(picture.tobytes()) for picture in pictures]
weight = rng.standard_normal((3 * 64 * 64, 128), dtype=np.float32)


def load():
    arrays = [np.frombuffer(zlib.decompress(file), np.uint8) for file in files]
    return np.stack(arrays).astype(np.float32)


batch = load()  # (64, 3 * 64 * 64)
steps = load, lambda: batch @ weight
loading, computing = (min(timeit.repeat(step, number=1, repeat=10)) * 1e3 for step in steps)
print(f"loading a batch {loading:5.1f} ms, computing with it {computing:5.1f} ms")


# %% [markdown]
# A loop that loads and then computes leaves the processor that computes idle most of the time, and the faster the model, the
# worse. On a GPU it is worse still. Whatever prepares the data has to run *beside* the model and ahead of it. But first it
# has to be said what data is.
#
# ## 2. Data by number
#
# A `Dataset` is anything that can answer two questions: how many samples are there (`len(data)`), and which is number i
# (`data[i]`). Nothing says where they are: in memory, in files, on another continent. Everything else in this module is made
# of those two questions. Data that can only be read from the front is an `IterableDataset`; it comes back in part 7.


# %%
#| export
class Dataset:
    """Samples by number: a subclass defines `__getitem__`, and `__len__` where it is known.

    One that gets many samples at once better than one by one also defines
    `__getitems__(indices)`, which returns a list of them.
    """

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset, Iterable):
    """Samples in the order in which they come: a subclass defines `__iter__`."""

    def __add__(self, other):
        return ChainDataset([self, other])


# %%
#| export
from tinytorch.given.dataloader.datasets import *


# %% [markdown]
# ### Tensors as a data set
#
# The simplest data set has everything in memory, as tensors whose first dimension counts the samples: `images` (N, 28, 28) and `labels` (N,), say. Sample i
# is row i of each of them, together in a tuple.
#
# <details><summary>Hint 1</summary>Indexing a tensor with a number gives what lies at that place of its first dimension.</details>
# <details><summary>Hint 2</summary>Every tensor is indexed with the same index; the results go into one tuple, in the same order.</details>
# <details><summary>Hint 3</summary><code>tuple([t[index] for t in ...])</code></details>


# %% stub="tensor-dataset"
#| export
class TensorDataset(Dataset):
    """Samples cut from tensors along their first dimension.

    Args:
        tensors: one or more, all with the same size N of their first dimension.

    Raises:
        AssertionError: if those sizes differ.

    >>> data = TensorDataset(tensor([10, 20, 30]), tensor([0.1, 0.2, 0.3]))
    >>> data[1]
    (tensor(20), tensor(0.2000))
    >>> len(data)
    3
    """

    def __init__(self, *tensors):
        if any(t.size(0) != tensors[0].size(0) for t in tensors):
            raise AssertionError(
                f"Size mismatch between tensors: {[t.size(0) for t in tensors]} samples"
            )
        self.tensors = tensors

    def __len__(self):
        return self.tensors[0].size(0)

    def __getitem__(self, index):
        """Return the sample at `index`: a tuple, with a part from each tensor.

        `index` may also be a slice or a list of numbers.
        """
        ### BEGIN SOLUTION
        return tuple([t[index] for t in self.tensors])
        ### END SOLUTION


# %% test="tensor-dataset" points=2
def test_a_sample_has_a_row_of_every_tensor():
    data = TensorDataset(tensor([[1, 2], [3, 4], [5, 6]]), tensor([0.5, 1.5, 2.5]))
    sample = data[1]
    assert isinstance(sample, tuple), f"a sample is a tuple, not a {type(sample).__name__}"
    assert len(sample) == 2, f"two tensors make samples of two parts, not of {len(sample)}"
    assert sample[0].tolist() == [3, 4], "the first part is row 1 of the first tensor"
    assert sample[1].item() == 1.5, "the second part is element 1 of the second tensor"
    assert data[-1][1].item() == 2.5, "negative indices count from the end"


def test_a_slice_gives_several_rows():
    x, y = TensorDataset(arange(6), arange(6.0))[2:4]
    assert x.tolist() == [2, 3], "data[2:4] has rows 2 and 3 of each tensor"
    assert y.tolist() == [2.0, 3.0], "data[2:4] has rows 2 and 3 of each tensor"


def test_one_tensor_makes_samples_of_one_part():
    sample = TensorDataset(tensor([7, 8]))[0]
    assert isinstance(sample, tuple), "with a single tensor, too, a sample is a tuple"
    assert [part.item() for part in sample] == [7]


# %% [markdown]
# ### The digits
#
# Now real data: 1,797 digits, written by thirteen people, scanned, and reduced to 8x8 pixels with 17 shades (E. Alpaydin and C. Kaynak, 1998, CC BY 4.0). They lie in the repository, 45 kB, and you will train on them until the end of the course. 1,437 are for training, 360 are held out, and always the same 360.
#
# `Digits` is given, and so are `MNIST`, `FashionMNIST` and `CIFAR10`, which are downloaded when you first ask for them. All are `Images`, which keep bytes and make floats of them when a sample is asked for: as bytes, CIFAR-10 is 154 MB, as floats 614. For text there are `TextFile`, the lines of a file, and `PythonDocs`, the reference that comes with Python.


# %%
#| export
from tinytorch.given.dataloader.images import *
from tinytorch.given.dataloader.downloads import *
from tinytorch.given.dataloader.text import *


# %%
digits = Digits()
figure, axes = plt.subplots(2, 12, figsize=(9, 1.9))
for place, axis in enumerate(axes.flat):
    image, label = digits[place]
    axis.imshow(image.numpy()[0], cmap="gray_r")
    axis.set_title(label, size=9)
    axis.axis("off")
plt.show()


# %% [markdown]
# ### Part of a data set
#
# A `Subset` shows some of the samples of another data set, by a list of their numbers. Nothing is copied. It is given, as the pattern of a
# data set that wraps another.


# %%
#| export
class Subset(Dataset):
    """Some of the samples of another data set, by their numbers there."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices):
        """The samples of these numbers, as the data set underneath gets many at once."""
        return samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


def samples(dataset, indices):
    """The samples of these numbers: together where the data set can, else one by one."""
    if hasattr(dataset, "__getitems__"):
        return dataset.__getitems__(indices)
    return [dataset[i] for i in indices]


# %% [markdown]
# ### Two data sets as one
#
# `ConcatDataset` shows several data sets as one, and copies nothing. It only has to find out, for a number, which data set it falls into and
# which number it has there.
#
# ```
#   sizes              3        4      2
#   samples         [0 1 2] [3 4 5 6] [7 8]          number 5: in the second, where it is number 5 - 3 = 2
#   cumulative_sizes     3         7     9
# ```
#
# Number i belongs to the first data set whose cumulative size is *greater* than i. The list is sorted, so this is a binary search,
# which Python's `bisect` does: with a thousand files as a thousand data sets, ten comparisons in place of a thousand.
#
# <details><summary>Hint 1</summary><code>bisect.bisect_right(sizes, i)</code> says how many entries of a sorted list are at most i: exactly the number of data sets that lie wholly before sample i.</details>
# <details><summary>Hint 2</summary>What lies before data set k is <code>cumulative_sizes[k - 1]</code> samples, and nothing if k is 0.</details>
# <details><summary>Hint 3</summary>Handle negative indices first: refuse one below <code>-len(self)</code>, then add <code>len(self)</code>.</details>


# %% stub="concat-dataset"
#| export
class ConcatDataset(Dataset):
    """Several data sets, one after the other, as one.

    Args:
        datasets: the data sets, each with a length. Some may be empty.

    Raises:
        AssertionError: if there is none, or one has no indices.

    >>> data = ConcatDataset(["abc", "defg"])
    >>> data[3], data[-1], data.cumulative_sizes
    ('d', 'g', [3, 7])
    """

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        """Return sample `index` of all, counted through; a negative one counts from the end.

        Raises:
            ValueError: if a negative index goes back beyond the first sample.
            IndexError: if there is no sample `index`.
        """
        ### BEGIN SOLUTION
        if index < 0:
            if -index > len(self):
                raise ValueError(f"index {index} is out of range for {len(self)} samples")
            index += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, index)
        before = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][index - before]
        ### END SOLUTION


# %% test="concat-dataset" points=4
def test_every_sample_is_found_once_and_in_order():
    data = ConcatDataset(["abc", "defg", "hi"])
    assert "".join(data[i] for i in range(9)) == "abcdefghi", "numbers 0 to 8 run through all"


def test_the_first_sample_of_a_data_set_is_its_own():
    assert ConcatDataset(["abc", "def"])[3] == "d", "number 3 is the second's first"


def test_empty_data_sets_are_passed_over():
    data = ConcatDataset(["", "ab", "", "", "c", ""])
    assert [data[i] for i in range(3)] == ["a", "b", "c"], "empty data sets hold no sample"


def test_negative_numbers_count_from_the_end_of_all():
    data = ConcatDataset(["abc", "de"])
    assert [data[-1], data[-2], data[-3], data[-5]] == ["e", "d", "c", "a"]


def test_numbers_beyond_either_end_are_refused():
    data = ConcatDataset(["abc", "de"])
    for index, kind in [(5, IndexError), (-6, ValueError)]:
        try:
            found = data[index]
        except kind:
            continue
        raise AssertionError(
            f"there is no sample {index} of 5: raise {kind.__name__}, do not return {found!r}"
        )


# %% [markdown]
# ### A random split
#
# To know how well a model does on what it has never seen, part of the data is put aside, at random: files often lie sorted, by label or by author, and the last tenth of them is then not like the rest. Shuffle the numbers *once*, then cut the shuffled list into pieces. Each piece becomes a `Subset`.
#
# The lengths of the pieces may be given as fractions; `shares(total, fractions)`, given, makes numbers of them.
#
# `generator.permutation(n)` (module 01) is the array of the numbers below n in random order: PyTorch's very order for a seed.
#
# <details><summary>Hint 1</summary>The lengths have to sum to the length of the data set: look at that first, and say both numbers if they differ.</details>
# <details><summary>Hint 2</summary><code>itertools.accumulate(lengths)</code> gives the end of each piece; its start is the end less the length.</details>
# <details><summary>Hint 3</summary><code>[Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]</code>, with <code>order</code> as a list of ints (<code>.tolist()</code>).</details>


# %% stub="random-split"
#| export
def random_split(dataset, lengths, generator=default_generator):
    """Split a data set at random into parts that have no sample in common.

    Args:
        dataset: what to split, of length N.
        lengths: how many samples each part gets, N together; or fractions that sum to 1, which
            `shares` makes into lengths.
        generator: where the one permutation of N numbers is drawn from; None stands for the
            default generator.

    Returns:
        A list of Subsets, one for each length: the permutation's first numbers, then its next,
        and so on.

    Raises:
        ValueError: if the lengths do not sum to N.

    >>> train, held_out = random_split(range(10), [7, 3], Generator().manual_seed(42))
    >>> train.indices, held_out.indices
    ([2, 6, 1, 8, 4, 5, 0], [9, 3, 7])
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = shares(len(dataset), lengths)
    ### BEGIN SOLUTION
    if sum(lengths) != len(dataset):
        raise ValueError(
            f"the lengths sum to {sum(lengths)}, but the data set has {len(dataset)} samples"
        )
    order = (generator or default_generator).permutation(len(dataset)).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
    ### END SOLUTION


# %% test="random-split" points=4
def test_every_sample_is_in_exactly_one_part():
    parts = random_split(range(100, 120), [9, 0, 11])
    assert [len(part) for part in parts] == [9, 0, 11], "the lengths asked for, in order"
    together = sorted(part[i] for part in parts for i in range(len(part)))
    assert together == list(range(100, 120)), "no sample is lost, and none is in two parts"


def test_a_seed_gives_the_split_that_pytorch_gives():
    parts = random_split(range(10), [7, 3], generator=Generator().manual_seed(42))
    assert [list(part.indices) for part in parts] == [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]], (
        "draw one permutation from the generator, and cut it from the left"
    )


def test_fractions_are_made_into_lengths():
    parts = random_split(range(10), [0.5, 0.3, 0.2], generator=Generator().manual_seed(42))
    assert [list(part.indices) for part in parts] == [[2, 6, 1, 8, 4], [5, 0, 9], [3, 7]]


def test_without_a_generator_the_default_one_is_drawn_from():
    manual_seed(42)
    first = random_split(range(10), [7, 3])[0]
    assert list(first.indices) == [2, 6, 1, 8, 4, 5, 0], (
        "manual_seed decides when no generator is given"
    )
    manual_seed(42)
    assert list(random_split(range(10), [7, 3], None)[0].indices) == [2, 6, 1, 8, 4, 5, 0], (
        "None stands for it too"
    )


def test_lengths_that_do_not_fit_are_refused():
    for lengths in ([7, 4], [7, 2]):
        try:
            random_split(range(10), lengths)
        except ValueError:
            continue
        raise AssertionError(f"{lengths} do not sum to 10: raise ValueError")


# %% [markdown]
# ## 3. In which order
#
# A *sampler* says in which order a data set is read: iterating it gives numbers, and `len` says how many. It never touches the data. The simplest is given: from the first to the last.


# %%
#| export
class Sampler:
    """The order in which data is read: iterating gives sample numbers, or lists of them."""

    def __iter__(self):
        raise NotImplementedError("a sampler defines __iter__")


class SequentialSampler(Sampler):
    """Every sample once, in the data set's own order."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


def draw_seed(generator=None):
    """A seed of 63 bits, drawn as PyTorch draws it."""
    return int((generator or default_generator).integers(0, 2**63, (1,))[0])


# %% [markdown]
# ### At random
#
# Training wants an order that is random, and new in each epoch. There are two kinds. *Without replacement* every sample comes once: a permutation, and when more than N samples are wanted, another permutation after it. *With replacement* each number is drawn anew, and chance decides how often a sample comes.
#
# Two things make this less than obvious. The numbers of a seed are to be PyTorch's, so it matters what is drawn, and when. PyTorch draws `num_samples // N` whole permutations and then *one more*, of which it takes the rest, even if the rest is nothing. And with replacement there may be ten thousand million numbers to come, so you must not draw them all at once: draw a few, give them out, draw the next. (PyTorch draws 32 at a time. Since each number takes one word of the generator, any chunk gives the same numbers.)
#
# Write `__iter__` as a generator function: `yield` and `yield from` do exactly this, they stop in the middle until the next number is wanted. `n`, `count` and the generator are given. When the user gave none, a new generator is seeded with a number from the default one, so that the order of an epoch cannot be disturbed by what else is drawn in its course.
#
# <details><summary>Hint 1</summary>The method that you need is <code>generator.permutation(n)</code> without replacement, and <code>generator.integers(0, n, (k,))</code> with: arrays both, so <code>.tolist()</code> makes ints of them.</details>
# <details><summary>Hint 2</summary>With replacement, go through <code>range(0, count, 32)</code> and draw <code>min(32, count - start)</code> numbers each time.</details>
# <details><summary>Hint 3</summary>Without: <code>for _ in range(count // n)</code>, yield from a whole permutation; after the loop, from the first <code>count % n</code> of another.</details>


# %% stub="random-sampler"
#| export
class RandomSampler(Sampler):
    """Sample numbers in random order, a new one each time it is iterated.

    Args:
        data_source: what to sample from; only its length N is asked for.
        replacement: whether a sample may come again before all others have come.
        num_samples: how many numbers to give; N if None.
        generator: where they are drawn from. If None, a new one, whose seed is drawn from the
            default generator.

    Raises:
        TypeError: if `replacement` is not a bool.
        ValueError: if `num_samples` is not a positive int.

    >>> list(RandomSampler(range(5), num_samples=12, generator=Generator().manual_seed(3)))
    [1, 0, 3, 4, 2, 0, 1, 2, 4, 3, 1, 4]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.generator = data_source, generator
        self.replacement, self._num_samples = replacement, num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got {replacement=}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                "num_samples should be a positive integer value, "
                f"but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self):
        """How many numbers one iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __len__(self):
        return self.num_samples

    def __iter__(self):
        """Give `num_samples` numbers below N, drawn at most N ahead, with replacement 32."""
        n, count = len(self.data_source), self.num_samples
        generator = self.generator or Generator().manual_seed(draw_seed())
        ### BEGIN SOLUTION
        if self.replacement:
            for start in range(0, count, 32):
                yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        else:
            for _ in range(count // n):
                yield from generator.permutation(n).tolist()
            yield from generator.permutation(n)[: count % n].tolist()
        ### END SOLUTION


# %% test="random-sampler" points=6
def test_without_replacement_every_sample_comes_once():
    order = list(RandomSampler(range(50)))
    assert sorted(order) == list(range(50)), "each number comes exactly once"
    assert order != list(range(50)), "and not in the old order"


def test_a_seed_gives_the_order_that_pytorch_gives():
    manual_seed(0)
    assert list(RandomSampler(range(10))) == [6, 9, 0, 7, 3, 5, 4, 2, 1, 8], "one permutation"


def test_each_iteration_has_its_own_order():
    sampler = RandomSampler(range(50))
    assert list(sampler) != list(sampler), "a second iteration draws again"


def test_more_samples_than_there_are_take_a_new_permutation():
    order = list(RandomSampler(range(5), num_samples=12, generator=Generator().manual_seed(3)))
    assert order == [1, 0, 3, 4, 2, 0, 1, 2, 4, 3, 1, 4], "two permutations, and 2 of a third"


def test_fewer_samples_are_the_front_of_a_permutation():
    order = list(RandomSampler(range(5), num_samples=3, generator=Generator().manual_seed(3)))
    assert order == [1, 0, 3], "num_samples=3 of 5: the first three of one permutation"


def test_one_more_permutation_is_drawn_at_the_end():
    generator = Generator().manual_seed(3)
    list(RandomSampler(range(4), generator=generator))
    drawn = Generator().manual_seed(3)
    drawn.permutation(4), drawn.permutation(4)
    assert generator.raw(1) == drawn.raw(1), (
        "draw a last permutation for the rest, also when the rest is nothing, as PyTorch: "
        "so that what is drawn next agrees"
    )


def test_with_replacement_the_numbers_are_drawn_one_by_one():
    order = list(RandomSampler(range(5), True, 40, Generator().manual_seed(3)))
    assert order == [
        1, 3, 2, 2, 0, 0, 0, 0, 1, 4, 4, 1, 0, 4, 1, 4, 0, 4, 0, 4,
        1, 4, 1, 1, 2, 3, 2, 4, 4, 0, 0, 1, 4, 3, 4, 2, 3, 0, 2, 1,
    ], "integers(0, 5, ...) of the generator, forty of them"  # fmt: skip


def test_millions_of_samples_take_no_memory():
    sampler = RandomSampler(range(5), replacement=True, num_samples=5_000_000)
    tracemalloc.start()
    try:
        first = list(itertools.islice(sampler, 100))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(first) == 100, "a hundred can be had at once"
    assert peak < 500_000, f"a hundred of them took {peak / 1e6:.0f} MB: draw a few at a time"


# %% [markdown]
# ### In batches
#
# A sampler on top of a sampler: it takes numbers from the one underneath, `batch_size` at a time, and gives lists. The last list may be short. `drop_last` leaves it out, for layers and measurements that want all batches of one size.
#
# The sampler underneath may be endless, so take only what the next batch needs. `itertools.islice(iterator, k)` takes at most k.
#
# <details><summary>Hint 1</summary>Make one iterator with <code>iter(self.sampler)</code> and keep taking from it; a new one would begin at the front again.</details>
# <details><summary>Hint 2</summary><code>list(itertools.islice(numbers, self.batch_size))</code> is the next batch, or what is left, or empty.</details>
# <details><summary>Hint 3</summary><code>while batch := list(...)</code> ends at an empty one. Yield it if it is full, or if short ones are wanted.</details>


# %% stub="batch-sampler"
#| export
class BatchSampler(Sampler):
    """The numbers of another sampler in lists of `batch_size`.

    Args:
        sampler: any iterable of numbers.
        batch_size: how many a list has.
        drop_last: whether a last list that is shorter is left out.

    Raises:
        ValueError: if `batch_size` is not a positive int or `drop_last` not a bool.

    >>> list(BatchSampler(range(7), 3, drop_last=False))
    [[0, 1, 2], [3, 4, 5], [6]]
    """

    def __init__(self, sampler, batch_size, drop_last):
        if type(batch_size) is not int or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got {batch_size=}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got {drop_last=}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def __iter__(self):
        """Give the numbers of `sampler` in new lists, each taking only what it needs."""
        ### BEGIN SOLUTION
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch
        ### END SOLUTION


# %% test="batch-sampler" points=4
def test_numbers_come_in_lists_and_the_last_may_be_short():
    found = [list(batch) for batch in BatchSampler(range(7), 3, False)]
    assert found == [[0, 1, 2], [3, 4, 5], [6]], "seven numbers by threes: 3, 3 and 1"


def test_drop_last_leaves_out_only_a_short_list():
    found = [list(batch) for batch in BatchSampler(range(7), 3, True)]
    assert found == [[0, 1, 2], [3, 4, 5]], "drop_last leaves the single 6 out"
    found = [list(batch) for batch in BatchSampler(range(6), 3, True)]
    assert found == [[0, 1, 2], [3, 4, 5]], "a last list that is full stays"


def test_each_batch_is_a_list_of_its_own():
    batches = list(BatchSampler(range(6), 2, False))
    assert batches == [[0, 1], [2, 3], [4, 5]], "a batch must not change after it was given"


def test_nothing_is_taken_before_it_is_wanted():
    taken = []

    def numbers():
        for i in range(1000):
            taken.append(i)
            yield i

    assert next(iter(BatchSampler(numbers(), 4, False))) == [0, 1, 2, 3]
    assert len(taken) <= 5, f"one batch of 4 took {len(taken)} numbers from the sampler"


def test_the_sampler_can_be_iterated_again():
    sampler = BatchSampler(range(4), 2, False)
    assert list(sampler) == list(sampler) == [[0, 1], [2, 3]], "each epoch begins at the front"


# %% [markdown]
# Two more samplers are given: `SubsetRandomSampler` shuffles some of the numbers, and `WeightedRandomSampler` draws numbers with chances that you set.


# %%
#| export
from tinytorch.given.dataloader.samplers import *


# %% [markdown]
# ## 4. From samples to a batch
#
# A batch is a list of samples, and a model wants one tensor. *Collating* turns the one into the other, and it is a matter of changing the order: from a list of pairs to a pair of lists.
#
# ```
#   [(image 0, 7),                          [stack of images (3, 1, 8, 8),
#    (image 1, 2),            ->             tensor([7, 2, 5])]
#    (image 2, 5)]
#
#   [{"x": 1.0, "name": "a"}, {"x": 2.0, "name": "b"}]   ->   {"x": tensor([1., 2.]), "name": ["a", "b"]}
# ```
#
# At the leaves of a sample are tensors, arrays, numbers and texts. For a list of one of those, `collate_values(batch)` knows what to do: it is given.


# %%
#| export
from tinytorch.given.dataloader.collating import *


# %% [markdown]
# ### Collating
#
# Samples may be nested as one likes, so this is a recursion over the structure of the *first* sample, which all others share. What has no structure goes to `collate_values`. The structure is yours:
#
# - a mapping: the same kind of mapping, each value collated from the values of all samples at that key (the given `like(mapping, values)` makes it);
# - a namedtuple: the same namedtuple of collated fields;
# - any other sequence, but not a text: a list of collated columns. All samples must be of the same length; `zip` would cut the longer ones in silence.
#
# <details><summary>Hint 1</summary><code>zip(*batch)</code> turns rows into columns: of samples with two parts it makes two tuples, all first parts and all second parts.</details>
# <details><summary>Hint 2</summary>Ask in this order: Mapping, namedtuple (a tuple that has <code>_fields</code>), Sequence but not str or bytes; whatever remains goes to <code>collate_values(batch)</code>.</details>
# <details><summary>Hint 3</summary>For a mapping: <code>like(first, {key: default_collate([sample[key] for sample in batch]) for key in first})</code>. For a namedtuple: <code>type(first)(*map(default_collate, zip(*batch)))</code>.</details>


# %% stub="collate"
#| export
def default_collate(batch):
    """Put samples together: tensors and numbers are stacked along a new first dimension.

    Args:
        batch: a non-empty list of samples of the same structure: tensors, arrays, numbers,
            texts, and mappings, namedtuples, tuples and lists of those, nested.

    Returns:
        The structure of one sample, with tensors (B, ...) at its leaves. Tuples that have no
        names become lists.

    Raises:
        RuntimeError: if sequences, or tensors, differ in size.
        TypeError: for values that cannot be put into a tensor.

    >>> default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    >>> default_collate([{"x": 1.0}, {"x": 2.0}])
    {'x': tensor([1., 2.], dtype=torch.float64)}
    """
    first = batch[0]
    ### BEGIN SOLUTION
    if isinstance(first, Mapping):
        return like(
            first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        )
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch)))
    if isinstance(first, Sequence) and not isinstance(first, str | bytes):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(column) for column in zip(*batch)]
    return collate_values(batch)
    ### END SOLUTION


# %% test="collate" points=6
Point = namedtuple("Point", ["x", "label"])


def test_pairs_become_a_list_of_two_batches():
    images, labels = default_collate([(ones(2, 3), 7), (zeros(2, 3), 2)])
    assert images.shape == (2, 2, 3), (
        f"two images (2, 3) make a batch (2, 2, 3), not {tuple(images.shape)}"
    )
    assert images.numpy()[:, 0, 0].tolist() == [1, 0], "samples keep their order"
    np.testing.assert_array_equal(labels.numpy(), [7, 2])
    assert labels.dtype == int64, "labels are whole numbers"
    assert type(default_collate([(1, 2)])) is list, "a tuple without names becomes a list"


def test_values_alone_are_stacked():
    assert default_collate([ones(3), ones(3)]).shape == (2, 3)
    np.testing.assert_array_equal(default_collate([1, 2, 3]).numpy(), [1, 2, 3])


def test_mappings_are_collated_key_by_key():
    batch = default_collate([{"x": ones(2), "n": {"id": 3}}, {"n": {"id": 4}, "x": zeros(2)}])
    assert list(batch) == ["x", "n"], "a batch of dicts is a dict with the same keys"
    assert batch["x"].shape == (2, 2)
    assert batch["n"]["id"].tolist() == [3, 4], "also one level deeper"


def test_named_tuples_keep_their_names():
    batch = default_collate([Point(ones(2), 0), Point(zeros(2), 1)])
    assert type(batch) is Point, f"a batch of Points is a Point, not a {type(batch).__name__}"
    assert batch.x.shape == (2, 2)
    np.testing.assert_array_equal(batch.label.numpy(), [0, 1])


def test_texts_are_left_alone():
    assert list(default_collate(["ab", "cd"])) == ["ab", "cd"], "a text is no sequence"
    _, names = default_collate([[1, "one"], [2, "two"]])
    assert list(names) == ["one", "two"]
    assert list(default_collate([b"a", b"b"])) == [b"a", b"b"]


def test_samples_of_different_lengths_are_refused():
    assert len(default_collate([(1, 2), (3, 4)])) == 2, "samples of two parts make two batches"
    try:
        default_collate([(1, 2), (1, 2, 3)])
    except RuntimeError:
        return
    raise AssertionError(
        "one sample has two parts, the other three: raise RuntimeError, drop nothing"
    )


# %% [markdown]
# ## 5. The loader
#
# A `DataLoader` puts the pieces together. Its sampler says what is next, a `Fetcher` turns that into a batch, and everything else is options.
#
# ```
#   sampler -> BatchSampler -> [4, 0, 7] -> Fetcher: [data[4], data[0], data[7]] -> collate_fn -> batch
# ```
#
# Which options there are, which of them contradict each other, and which sampler stands for which: that is `LoaderOptions`, given. What a loader *does* is to begin a pass through the data, as an iterator. Look at `SerialIterator`, which does everything in this process: it is a few lines. It draws one number from the generator that it seems not to need. That is the seed from which workers will be seeded, and PyTorch draws it whether there are workers or not, so that the numbers of a program do not depend on how many there are.


# %%
#| export
from tinytorch.given.dataloader.options import *


class DataLoader(LoaderOptions):
    """Batches of a data set, in a sampler's order, prepared here or by worker processes.

    `LoaderOptions` says what it takes.

    >>> [batch.tolist() for batch in DataLoader(range(7), batch_size=3)]
    [[0, 1, 2], [3, 4, 5], [6]]
    """

    def __iter__(self):
        if not self.num_workers:
            return SerialIterator(self)
        if not self.persistent_workers:
            return ParallelIterator(self)
        if self._iterator is None or not self._iterator.workers.close.alive:
            self._iterator = ParallelIterator(self)
        else:
            self._iterator.begin(self)
        return self._iterator

    def __len__(self):
        """How many batches an epoch has; of a stream, if it knows its length."""
        if not isinstance(self.dataset, IterableDataset):
            return len(order_of(self))
        full, rest = divmod(len(self.dataset), self.batch_size or 1)
        return full + (rest > 0 and not self.drop_last)


# %%
#| export
class SerialIterator:
    """One pass through the data, in this process."""

    def __init__(self, loader):
        if loader.timeout:
            raise AssertionError("a timeout needs num_workers > 0")
        self.order = order_of(loader)
        self.indices = iter(self.order)
        self.base_seed = draw_seed(loader.generator)
        self.fetch = Fetcher(loader)

    def __iter__(self):
        return self

    def __next__(self):
        return self.fetch(next(self.indices))

    def __len__(self):
        return len(self.order)


# %% [markdown]
# ### The fetcher
#
# The `Fetcher` is yours. It is called with what the sampler gave and returns a batch, in four cases:
#
# | | numbered data (`self.stream is None`) | a stream |
# |---|---|---|
# | in batches (`self.in_batches`) | the samples with these numbers, collated | as many samples as `index` is long, from the stream, collated |
# | one by one | the sample with this number, through `collate` too | the next sample, through `collate` too |
#
# A stream gets its indices from a sampler that has no end and only counts, so the `Fetcher` must say when there is nothing left: by `StopIteration`, as `next` does. The last batch of a stream may be short; with `drop_last` a short one is the end as well.
#
# <details><summary>Hint 1</summary>For numbered data, <code>samples(self.dataset, index)</code> gets the samples of a list of numbers, the fast way where the data set has one.</details>
# <details><summary>Hint 2</summary>From a stream, <code>list(itertools.islice(self.stream, len(index)))</code> takes up to a batch.</details>
# <details><summary>Hint 3</summary>If that list is empty, or short while <code>self.drop_last</code>, <code>raise StopIteration</code>. One by one, <code>next(self.stream)</code> raises it for you.</details>


# %% stub="fetch"
#| export
class Fetcher:
    """Turns what a sampler gives into what a loader gives.

    `dataset` has the samples; for an IterableDataset, `stream` is an iterator of it, or else
    None. `in_batches` says whether an index stands for several samples. `collate` makes the
    result of what was got, `drop_last` refuses short batches.

    >>> loader = DataLoader(["a", "b", "c"], batch_size=2)
    >>> Fetcher(loader)([2, 0])
    ['c', 'a']
    """

    def __init__(self, loader):
        self.dataset, self.collate = loader.dataset, loader.collate_fn
        self.drop_last, self.in_batches = loader.drop_last, loader.batch_sampler is not None
        streams = isinstance(loader.dataset, IterableDataset)
        self.stream = iter(loader.dataset) if streams else None

    def __call__(self, index):
        """Return the next batch, or without batches the next sample, as `collate` makes it.

        Args:
            index: a list of sample numbers, or without batches a single one. Of a stream only
                the list's length counts.

        Raises:
            StopIteration: if a stream is at its end, or too near it for a whole batch while
                `drop_last`.
        """
        ### BEGIN SOLUTION
        if not self.in_batches:
            return self.collate(
                self.dataset[index] if self.stream is None else next(self.stream)
            )
        if self.stream is None:
            return self.collate(samples(self.dataset, index))
        batch = list(itertools.islice(self.stream, len(index)))
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return self.collate(batch)
        ### END SOLUTION


# %% test="fetch" points=6
class Countdown(IterableDataset):
    """A stream of n, n - 1, ..., 1."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n, 0, -1))


def numbers_of(loader, most=50):
    """What a loader gives, as lists, and no more than `most` batches of it."""
    return [batch.tolist() for batch in itertools.islice(loader, most)]


def test_batches_hold_the_samples_of_their_numbers():
    data = TensorDataset(arange(10) * 10, arange(10))
    found = [
        [x.tolist(), y.tolist()] for x, y in DataLoader(data, batch_sampler=[[3, 1], [9]])
    ]
    assert found == [[[30, 10], [3, 1]], [[90], [9]]], "samples 3 and 1 collated, then 9"


def test_a_shuffled_epoch_has_pytorchs_order():
    manual_seed(0)
    assert numbers_of(DataLoader(arange(8), 3, shuffle=True)) == [[2, 0, 5], [3, 1, 4], [7, 6]]


def test_a_collate_function_of_ones_own_gets_the_list_of_samples():
    assert list(DataLoader(range(5), 2, collate_fn=sum)) == [1, 5, 4], "called with each list"


def test_many_samples_are_got_at_once_where_the_data_set_can():
    calls = []

    class Together(Dataset):
        def __len__(self):
            return 6

        def __getitems__(self, indices):
            calls.append(list(indices))
            return indices

    found = numbers_of(DataLoader(Together(), 4))
    assert found == [[0, 1, 2, 3], [4, 5]], "samples() asks a data set for a list"
    assert calls == [[0, 1, 2, 3], [4, 5]]


def test_a_stream_is_read_in_batches_to_its_end():
    found = numbers_of(DataLoader(Countdown(7), 3))
    assert found == [[7, 6, 5], [4, 3, 2], [1]], "the last batch may be short"
    found = numbers_of(DataLoader(Countdown(6), 3))
    assert found == [[6, 5, 4], [3, 2, 1]], "no empty batch comes at the end"
    loader = DataLoader(Countdown(2), 2)
    assert numbers_of(loader) == numbers_of(loader) == [[2, 1]], "an epoch begins at the front"


def test_drop_last_drops_what_is_short():
    assert numbers_of(DataLoader(Countdown(7), 3, drop_last=True)) == [[7, 6, 5], [4, 3, 2]]
    assert numbers_of(DataLoader(range(7), 3, drop_last=True)) == [[0, 1, 2], [3, 4, 5]]


def test_without_batches_samples_come_one_by_one():
    found = list(itertools.islice(DataLoader(Countdown(3), batch_size=None), 50))
    assert found == [3, 2, 1], "batch_size=None: the samples of the stream themselves"
    (x,) = list(DataLoader([np.ones(2, np.float32)], batch_size=None))
    assert isinstance(x, Tensor), "each goes through collate too: arrays become tensors"
    assert x.shape == (2,), "and adds no dimension"


# %%
manual_seed(0)
loader = DataLoader(Digits(), batch_size=64, shuffle=True)
images, labels = next(iter(loader))
print(len(loader), "batches an epoch; the first:", images.shape, images.dtype, labels.shape)


# %% [markdown]
# ## 6. Ahead of time
#
# `SerialIterator` prepares a batch when it is asked for one, and whoever asks waits. To have the batch ready, somebody else must have begun earlier. Threads would share one interpreter lock with the model, so it has to be processes: *workers*. The parent sends indices, a worker sends back batches.
#
# ```
#                 (5, [4, 0, 7])  ->  worker 0:  fetch, fetch, fetch ...  ->  (5, batch)
#   parent  ->    (6, [2, 9, 1])  ->  worker 1:  fetch, fetch, fetch ...  ->  (6, batch)   ->  parent: 5, 6, 7, 8, ...
#                 (7, [3, 8, 6])  ->  worker 0:  ...                       ->  (7, batch)
# ```
#
# Each task has a number, because answers may overtake each other. Four things can then go wrong, and a good loader is the one that has thought of them: an exception happens over there and not here; a worker dies; answers come out of order; and nobody tells the workers that it is over.
#
# So an answer is a batch, or one of two other things, both given: `END`, when a stream is at its end, or a `Failure`, which carries an exception.


# %%
#| export
from tinytorch.given.dataloader.answers import *


# %% [markdown]
# ### The worker
#
# A worker does one thing until there are no more tasks: it takes one, fetches, answers. *Every* task gets exactly one answer, or the parent would wait for ever. So an exception must not end the worker: it is put into the answer, and the parent raises it where you see it. Its traceback cannot travel, only its text can: `Failure.of(error, worker)` takes what there is. When a stream is at its end, `fetch` raises `StopIteration`; that is no failure, and the answer is `END`. More tasks may be waiting behind it, and they are answered too.
#
# <details><summary>Hint 1</summary><code>for task, index in tasks:</code>, one answer in each round.</details>
# <details><summary>Hint 2</summary>Put only <code>fetch(index)</code> into the <code>try</code>. <code>StopIteration</code> is an <code>Exception</code>, so catch it first.</details>
# <details><summary>Hint 3</summary><code>except Exception as error: answer = Failure.of(error, worker)</code>, and after the whole <code>try</code> statement <code>send(task, answer)</code>.</details>


# %% stub="worker-loop"
#| export
def work(tasks, fetch, send, worker):
    """Answer every task with its batch, until there are no more.

    Args:
        tasks: an iterable of pairs (task, index), which waits for the next one, and ends when
            the parent says so.
        fetch: makes a batch of an index; StopIteration when a stream is at its end.
        send: called once for each task, in their order, as `send(task, answer)`. The answer is
            the batch; `END` after StopIteration; after any other Exception, what `Failure.of`
            makes of it.
        worker: this worker's number, for `Failure.of`.

    >>> def send(task, answer):
    ...     print(task, type(answer).__name__)
    >>> work([(0, "7"), (1, "x")], int, send, worker=0)
    0 int
    1 Failure
    """
    ### BEGIN SOLUTION
    for task, index in tasks:
        try:
            answer = fetch(index)
        except StopIteration:
            answer = END
        except Exception as error:
            answer = Failure.of(error, worker)
        send(task, answer)
    ### END SOLUTION


# %% test="worker-loop" points=5
def answers_of(tasks, fetch):
    """What `work` sends, in its order."""
    sent = []
    work(tasks, fetch, lambda task, answer: sent.append((task, answer)), 3)
    return sent


def test_every_task_is_answered_with_its_number():
    found = answers_of([(4, 2), (9, 3), (5, 1)], lambda index: index * 10)
    assert found == [(4, 20), (9, 30), (5, 10)], "send(task, batch) for each, in order"


def test_an_exception_becomes_an_answer_and_work_goes_on():
    found = answers_of([(0, 1), (1, 0), (2, 2)], lambda index: 8 // index)
    assert [task for task, _ in found] == [0, 1, 2], "those after a failure are answered"
    assert (found[0][1], found[2][1]) == (8, 4)
    failure = found[1][1]
    assert isinstance(failure, Failure), f"a task that failed has a Failure, not {failure!r}"
    assert failure.kind is ZeroDivisionError
    said = "Caught ZeroDivisionError in DataLoader worker process 3.\nOriginal Traceback"
    assert failure.text.startswith(said), "Failure.of(error, worker), with the worker's number"


def test_the_end_of_a_stream_is_no_failure():
    stream = iter([10, 20])
    found = answers_of([(task, None) for task in range(4)], lambda index: next(stream))
    wanted = [(0, 10), (1, 20), (2, END), (3, END)]
    assert found == wanted, "StopIteration is answered by END, each time"


def test_answers_are_sent_as_soon_as_they_are_there():
    events = []
    tasks = (events.append(f"task {i}") or (i, i) for i in range(2))
    work(
        tasks,
        lambda index: events.append(f"fetch {index}"),
        lambda task, answer: events.append(f"send {task}"),
        0,
    )
    wanted = ["task 0", "fetch 0", "send 0", "task 1", "fetch 1", "send 1"]
    assert events == wanted, "take a task, fetch, send, and only then take the next"


# %% [markdown]
# ### Processes, pipes and memory
#
# How workers live is given: it is the part that is not about data. `workers.py` and `answers.py` in `tinytorch/given/dataloader/` are worth reading once:
#
# - Workers are *forked*: a copy of the parent, with its data set already in memory, in a few milliseconds.
# - Each has a pipe. When a worker dies, however it dies, the system closes its end, and the parent sees that at once. When the parent dies, each worker sees the same, and leaves.
# - In a worker, a thread does nothing but listen, so that the parent never waits when it sends.
# - Large arrays do not go through the pipe. `pickle` can leave them out of what it writes (protocol 5); the worker writes them into a file that exists only in memory, and hands over the file itself. The parent maps it, and the arrays of the batch look straight into it. You will measure what this saves.
# - Each worker has a seed of its own, the base seed plus its number, for tinytorch, for Python's `random`, and for NumPy.
#
# What the parent does with them is `ParallelIterator`, below: it hands out the answers in order, counts a worker out whose data is at its end, and raises the exceptions.


# %%
#| export
from tinytorch.given.dataloader.workers import *


class ParallelIterator:
    """One pass through the data after the other, prepared ahead by worker processes."""

    def __init__(self, loader):
        self.workers = Workers(loader, draw_seed(loader.generator))
        self.begin(loader)

    def begin(self, loader):
        """Begin a pass, and have the first batches made."""
        workers, self.order = self.workers, order_of(loader)
        self.keep = loader.persistent_workers
        workers.begin()
        indices = itertools.takewhile(lambda _: workers.active, self.order)
        ahead = loader.prefetch_factor * loader.num_workers
        self.answers = InOrder(indices, workers.submit, workers.receive, ahead)

    def __iter__(self):
        return self

    def __next__(self):
        answer = END
        while answer is END:
            try:
                worker, answer = next(self.answers)
            except BaseException as error:  # an interrupt is one, too
                if not (self.keep and isinstance(error, StopIteration)):
                    self.workers.close()
                raise
            if answer is END:
                self.workers.active.discard(worker)
        if isinstance(answer, Failure):
            answer.reraise()
        return answer

    def __len__(self):
        return len(self.order)


# %% [markdown]
# ### In order, and ahead
#
# Two workers, and the second batch may be ready before the first. The model must not notice: the same seed is to give the same batches in the same order, with any number of workers. So early answers wait in a dict, under their numbers, until it is their turn.
#
# And there should always be some tasks under way, `ahead` of them: enough that no worker is idle, few enough that finished batches do not fill the memory. So each time an answer is handed out, *one* new task is sent.
#
# ```
#   wanted 3      arrived {5: batch, 4: batch}          sent 7: tasks 3 to 6 are under way or arrived
#   receive -> (6, batch)    not yet                    arrived {5, 4, 6}
#   receive -> (3, batch)    that is it: send task 7, hand out 3, wanted is 4
# ```
#
# `__init__` and `submit_next` are given; write `__next__`.
#
# <details><summary>Hint 1</summary>If <code>self.wanted == self.sent</code>, every task that was sent has been answered and handed out: <code>raise StopIteration</code>.</details>
# <details><summary>Hint 2</summary>While the wanted number is not in <code>self.arrived</code>, receive, and put what came under its own number.</details>
# <details><summary>Hint 3</summary>Then <code>self.arrived.pop(self.wanted)</code>, add one to <code>self.wanted</code>, <code>self.submit_next()</code>, and return the answer.</details>


# %% stub="in-order"
#| export
class InOrder:
    """Answers in the order of their tasks, with `ahead` tasks under way.

    Args:
        tasks: an iterable of what is to be done, which may be endless.
        submit: starts a task, as `submit(number, task)`, with numbers 0, 1, 2, ...
        receive: waits for any answer and returns it, as a pair (number, answer).
        ahead: how many tasks to have under way.

    >>> from collections import deque
    >>> done = deque()
    >>> def submit(number, task):  # the last to be submitted is the first to be done
    ...     done.appendleft((number, task.upper()))
    >>> answers = InOrder("abc", submit, done.popleft, ahead=2)
    >>> next(answers), next(answers), next(answers)
    ('A', 'B', 'C')
    """

    def __init__(self, tasks, submit, receive, ahead):
        self.tasks, self.submit, self.receive = enumerate(tasks), submit, receive
        self.wanted, self.sent, self.arrived = 0, 0, {}
        for _ in range(ahead):
            self.submit_next()

    def submit_next(self):
        """Submit one more task, if there is one."""
        for number, task in itertools.islice(self.tasks, 1):
            self.submit(number, task)
            self.sent += 1

    def __next__(self):
        """Return the answer to the next task in order, and submit one more in its place.

        Raises:
            StopIteration: when every task is answered.
        """
        ### BEGIN SOLUTION
        if self.wanted == self.sent:
            raise StopIteration
        while self.wanted not in self.arrived:
            number, answer = self.receive()
            self.arrived[number] = answer
        answer = self.arrived.pop(self.wanted)
        self.wanted += 1
        self.submit_next()
        return answer
        ### END SOLUTION


# %% test="in-order" points=7
class Bench:
    """Stands for the workers: keeps what is submitted, and answers in an order of its own."""

    def __init__(self, order):
        self.order, self.under_way, self.most, self.fewest = list(order), {}, 0, 99

    def submit(self, number, task):
        self.under_way[number] = task
        self.most = max(self.most, len(self.under_way))

    def receive(self):
        self.fewest = min(self.fewest, len(self.under_way))
        number = next((n for n in self.order if n in self.under_way), None)
        assert number is not None, (
            "receive, and no task is under way: this would wait for ever"
        )
        return number, self.under_way.pop(number) * 10


def drained(answers, most=50):
    """The answers to the end, at most 50."""
    found = []
    with contextlib.suppress(StopIteration):
        while len(found) < most:
            found.append(next(answers))
    return found


def test_answers_that_come_in_order_are_handed_out():
    bench = Bench(range(5))
    found = drained(InOrder(range(5), bench.submit, bench.receive, ahead=2))
    assert found == [0, 10, 20, 30, 40]


def test_answers_that_overtake_wait_for_their_turn():
    bench = Bench([3, 2, 1, 0, 7, 6, 5, 4, 8])
    found = drained(InOrder(range(9), bench.submit, bench.receive, ahead=4))
    assert found == list(range(0, 90, 10)), "every answer once, in the order of the tasks"


def test_one_task_is_sent_for_each_answer_handed_out():
    bench = Bench([1, 0, 2, 4, 3, 5, 6, 7, 8, 9])
    answers = InOrder(itertools.count(), bench.submit, bench.receive, ahead=3)
    for count in range(1, 6):
        next(answers)
        said = f"after {count} answers, 3 + {count} tasks have been sent, not {answers.sent}"
        assert answers.sent == 3 + count, said


def test_no_more_is_under_way_than_was_asked_for():
    bench = Bench(range(40, -1, -1))
    drained(InOrder(range(30), bench.submit, bench.receive, ahead=4))
    assert bench.most <= 4, f"{bench.most} tasks were under way at once, not 4"


def test_what_was_handed_out_is_let_go():
    bench = Bench(range(20))
    answers = InOrder(range(20), bench.submit, bench.receive, ahead=2)
    drained(answers)
    assert not answers.arrived, "batches that were handed out must not be kept"


def test_the_end_is_the_end():
    bench = Bench([])
    assert drained(InOrder([], bench.submit, bench.receive, 2)) == [], "no tasks, no answers"
    answers = InOrder(range(3), (bench := Bench(range(3))).submit, bench.receive, ahead=10)
    assert drained(answers) == [0, 10, 20], "fewer tasks than may be under way"
    assert drained(answers) == [], "after the end, StopIteration again"


def test_real_workers_give_the_batches_that_one_process_gives():
    data = TensorDataset(arange(23), arange(23.0))
    orders = []
    for workers in (0, 2):
        manual_seed(1)
        timeout = 10 if workers else 0
        loader = DataLoader(data, 4, shuffle=True, num_workers=workers, timeout=timeout)
        orders.append([x.tolist() for x, _ in itertools.islice(loader, 20)])
    assert orders[0] == orders[1], "workers change no batch of a seed, nor their order"


# %% [markdown]
# Now the loader is whole. Here it is at work, with a data set that notes when each batch was begun and done, and a model that takes 10 ms for a batch. Each bar is a batch; the numbers are those of the batches.


# %%
class Clocked(Dataset):
    """12 samples that take 20 ms each, and say when, and by which worker, they were loaded."""

    def __len__(self):
        return 12

    def __getitem__(self, index):
        start = time.perf_counter()
        time.sleep(0.02)
        info = get_worker_info()
        return np.array([start, time.perf_counter(), info.id if info else -1])


def watch(workers):
    """An epoch as bars: which batch, in which row, from when to when (ms), in which colour."""
    bars, begin = [], time.perf_counter()
    for number, batch in enumerate(DataLoader(Clocked(), num_workers=workers)):
        start, end, worker = batch.numpy()[0]
        now = time.perf_counter()
        time.sleep(0.01)  # the model
        bars.append((number, worker, start, end, "C0"))
        bars.append((number, -1, now, time.perf_counter(), "C1"))
    return [(n, row, (a - begin) * 1e3, (b - begin) * 1e3, c) for n, row, a, b, c in bars]


figure, axes = plt.subplots(2, 1, figsize=(9, 3), sharex=True, layout="constrained")
for axis, workers in zip(axes, (0, 2)):
    for number, row, start, end, color in watch(workers):
        axis.barh(row, end - start, left=start, color=color, edgecolor="white")
        axis.text((start + end) / 2, row, number, ha="center", va="center", size=8)
    names = ["main", *(f"worker {w}" for w in range(workers))]
    axis.set(yticks=range(-1, workers), yticklabels=names)
axes[1].set_xlabel("ms; blue: loading, orange: the model")
plt.show()


# %% [markdown]
# Above, the main process does everything by turns. Below, two workers load all the time, and the model finds a batch every 10 ms. Before its first batch it waits for the start of the processes, and for that batch.


# %% [markdown]
# ## 7. More than fits
#
# A permutation of 200 million samples is 1.6 GB, and reading them in that order is 200 million jumps over a disk. Data of that size lies in *shards*, files of some thousands of samples each, and is read from front to back. A stream cannot be permuted. But it can be shuffled in two places: the order of the shards, and within a buffer.


# %%
#| export
def draws(n, generator):
    """Random numbers below `n` without end, drawn a thousand at a time: as quickly as one."""
    while True:
        yield from generator.integers(0, n, (1024,)).tolist()


# %% [markdown]
# ### A shuffle buffer
#
# Keep `size` samples at hand. For each that arrives, give out one of those at random and put the new one in its place. When the stream ends, give out what is left, in random order.
#
# ```
#   arrives 7       buffer [0 4 2 3]       place 1 is drawn       out 4       buffer [0 7 2 3]
# ```
#
# A sample may come out much later than it went in, but never more than `size` places earlier. A buffer as large as the data is a true shuffle; one of size 1 is none. You will see this in the picture.
#
# <details><summary>Hint 1</summary>Fill the buffer from <code>iter(stream)</code> with <code>itertools.islice</code>, then loop over the same iterator for the rest.</details>
# <details><summary>Hint 2</summary><code>zip(stream, draws(size, generator))</code> pairs each item that arrives with a random place; <code>draws</code>, given above, has no end, so <code>zip</code> ends with the stream.</details>
# <details><summary>Hint 3</summary>At the end, <code>for place in generator.permutation(len(buffer)): yield buffer[place]</code>; the stream may have been shorter than the buffer.</details>


# %% stub="shuffle-buffer"
#| export
def shuffled(stream, size, generator):
    """Shuffle a stream within a buffer.

    Args:
        stream: an iterable, which may be endless.
        size: how many items to keep at hand.
        generator: where random places are drawn from.

    Returns:
        An iterator over the items, each once. It never has more than `size` + 1 in hand.

    >>> list(shuffled("abcde", 1, Generator()))
    ['a', 'b', 'c', 'd', 'e']
    """
    ### BEGIN SOLUTION
    stream = iter(stream)
    buffer = list(itertools.islice(stream, size))
    for item, place in zip(stream, draws(size, generator)):
        yield buffer[place]
        buffer[place] = item
    for place in generator.permutation(len(buffer)):
        yield buffer[place]
    ### END SOLUTION


# %% test="shuffle-buffer" points=5
def seeded(seed=0):
    return Generator().manual_seed(seed)


def test_every_item_comes_out_once():
    for n, size in [(100, 10), (10, 10), (3, 10), (0, 10), (7, 1)]:
        found = list(shuffled(range(n), size, seeded()))
        said = f"{n} items through a buffer of {size}: each exactly once"
        assert sorted(found) == list(range(n)), said


def test_the_order_is_random_and_repeatable():
    first, second, other = (list(shuffled(range(200), 50, seeded(seed))) for seed in (1, 1, 2))
    assert first == second, "the same seed, the same order"
    assert first != other, "another seed, another order"
    moved = np.mean(np.abs(np.array(first) - np.arange(200)))
    assert moved > 10, (
        f"with a buffer of 50, items moved by only {moved:.1f} places on average"
    )


def test_what_is_left_in_the_buffer_is_shuffled_too():
    found = list(shuffled(range(50), 100, seeded()))
    assert found != sorted(found), "a stream shorter than the buffer is shuffled too"
    found = list(shuffled(range(1000), 100, seeded()))[-100:]
    assert np.mean(np.diff(found) > 0) < 0.7, "the last items come out in random order as well"


def test_no_item_comes_much_too_early():
    for place, item in enumerate(shuffled(range(500), 20, seeded())):
        said = f"item {item} came out at place {place}: with a buffer of 20 it had not gone in"
        assert item < place + 20, said


def test_every_place_of_the_buffer_is_used():
    firsts = {next(shuffled(range(10), 4, seeded(seed))) for seed in range(60)}
    assert firsts == {0, 1, 2, 3}, f"any of a buffer of 4 may be first, it was one of {firsts}"


def test_no_more_is_read_than_the_buffer_holds():
    taken = []
    stream = (taken.append(i) or i for i in range(1000))
    found = shuffled(stream, 8, seeded())
    for _ in range(5):
        next(found)
    assert len(taken) <= 8 + 5, f"5 items out of a buffer of 8 read {len(taken)}"


# %%
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
for axis, size in zip(axes, (1, 100, 1000)):
    axis.plot(list(shuffled(range(1000), size, Generator().manual_seed(0))), ".", markersize=2)
    axis.set(title=f"buffer of {size}", xlabel="place in the new order")
axes[0].set_ylabel("place in the old order")
plt.show()


# %% [markdown]
# Samples come out at most as many places early as the buffer is deep, and seven of eight at most as many late; the others wait for long, by chance. Sorted data stays nearly sorted in a small one, which is why the order of the shards is shuffled as well, and why data is shuffled once, thoroughly, before it is cut into shards.
#
# ### Workers and streams
#
# Each worker has its own copy of a stream, and if nobody says otherwise, each reads all of it: with four workers every sample comes four times. So a stream has to ask who is reading. `get_worker_info()` answers with the worker's `id` and `num_workers`, or with None in the main process, which reads everything.
#
# <details><summary>Hint 1</summary>Without workers everything is yours.</details>
# <details><summary>Hint 2</summary>Deal the shards out like cards: worker 0 of 3 gets shards 0, 3, 6, ..., worker 1 gets 1, 4, 7, ...</details>
# <details><summary>Hint 3</summary>A slice with a step does it: <code>shards[info.id :: info.num_workers]</code>.</details>


# %% stub="share"
#| export
def share(shards, info):
    """The part of the shards that one process is to read.

    Args:
        shards: a list of all of them, in the same order in every process.
        info: the `WorkerInfo` of this worker; None in the main process.

    Returns:
        A list. All workers' lists together have each shard once, and their lengths differ by
        at most one.

    >>> share(["a", "b", "c"], None)
    ['a', 'b', 'c']
    >>> share(["a", "b", "c"], WorkerInfo(id=1, num_workers=2, seed=0, dataset=None))
    ['b']
    """
    ### BEGIN SOLUTION
    return shards if info is None else shards[info.id :: info.num_workers]
    ### END SOLUTION


# %% test="share" points=3
def shares_of(shards, count):
    infos = [WorkerInfo(i, num_workers=count, seed=0, dataset=None) for i in range(count)]
    return [share(shards, info) for info in infos]


def test_the_main_process_reads_everything():
    assert list(share([3, 1, 2], None)) == [3, 1, 2], "all shards, in their order"


def test_each_shard_is_read_by_exactly_one_worker():
    for count in (1, 2, 3, 4, 7):
        found = shares_of(list(range(7)), count)
        together = sorted(shard for part in found for shard in part)
        said = f"7 shards among {count} workers: together they read {together}"
        assert together == list(range(7)), said


def test_the_shares_are_even():
    lengths = [len(part) for part in shares_of(list(range(11)), 4)]
    assert max(lengths) - min(lengths) <= 1, f"11 shards among 4 workers: {lengths} is uneven"


def test_more_workers_than_shards_leave_some_without():
    assert sorted(len(part) for part in shares_of(["a", "b"], 4)) == [0, 0, 1, 1]


# %% [markdown]
# With these two, a data set of shards is given: `ShardedDataset(folder)` deals the files out with `share`, and shuffles the samples with `shuffled`. A `.npy` file is *mapped*: its bytes appear at an address, and the system reads a page when somebody looks at it and drops it when memory is short. So a shard of any size takes no memory but that of the samples in the buffer. The seed of the order is what all workers have in common, their seed less their number; without workers it is drawn.


# %%
#| export
from tinytorch.given.dataloader.shards import *


# %%
with tempfile.TemporaryDirectory() as folder:
    for number in range(6):
        np.save(Path(folder) / f"shard-{number}.npy", np.arange(10) + 10 * number)
    manual_seed(0)
    for workers in (0, 2):
        data = ShardedDataset(folder, buffer=16)
        batches = [batch.tolist() for batch in DataLoader(data, 12, num_workers=workers)]
        different = f"{len(set(itertools.chain(*batches)))} different samples"
        print(f"{workers} workers:", *batches, different, sep="\n  ")


# %% [markdown]
# ## 8. Transforms
#
# A transform is a function from an image to an image, applied when a sample is got: `Digits(transform=...)`. There are two kinds. Some make the numbers agreeable: a network's first layer learns fastest when its inputs have mean 0 and standard deviation 1, so
#
# $$x' = \frac{x - \mu_c}{\sigma_c}$$
#
# with one mean and one standard deviation for each channel c, measured once on the *training* data. Others change the image at random, in a way that does not change what it shows, so that the model never sees the same picture twice.
#
# An image is (C, H, W), an array or a Tensor, and what comes back is of the same kind.
#
# <details><summary>Hint 1</summary><code>self.mean</code> and <code>self.std</code> have shape (C, 1, 1): they broadcast over rows and columns.</details>
# <details><summary>Hint 2</summary><code>getattr(image, "array", image)</code> is the array of a Tensor, and an array itself.</details>
# <details><summary>Hint 3</summary>Compute on the array, then <code>wrap</code> the result if the image was a Tensor.</details>


# %% stub="normalize"
#| export
class Normalize:
    """Subtract a mean from each channel, and divide by a standard deviation.

    Args:
        mean, std: one number for each channel, or one for all.

    Raises:
        ValueError: if a standard deviation is zero.

    >>> Normalize(mean=[0.5], std=[0.25])(np.float32([[[0.5, 1.0]]]))
    array([[[0., 2.]]], dtype=float32)
    """

    def __init__(self, mean, std):
        self.mean, self.std = (
            np.asarray(v, np.float32).reshape(-1, 1, 1) for v in (mean, std)
        )  # (C, 1, 1)
        if not self.std.all():
            raise ValueError(f"std evaluated to zero, leading to division by zero: {std}")

    def __call__(self, image):
        """Return a new image, (image - mean) / std.

        Args:
            image: an array or a Tensor (..., C, H, W). It is not changed.

        Returns:
            A Tensor or an array, as the image was; float32 for float32 and for bytes.
        """
        ### BEGIN SOLUTION
        array = (getattr(image, "array", image) - self.mean) / self.std
        return wrap(array) if isinstance(image, Tensor) else array
        ### END SOLUTION


# %% test="normalize" points=3
def test_each_channel_has_its_own_mean_and_deviation():
    image = np.random.default_rng(0).random((3, 3, 3), dtype=np.float32)
    found = Normalize([0.1, 0.2, 0.3], [0.5, 1.0, 2.0])(image)
    for channel, (mean, std) in enumerate([(0.1, 0.5), (0.2, 1.0), (0.3, 2.0)]):
        wanted, said = (
            (image[channel] - mean) / std,
            f"channel {channel}: (x - {mean}) / {std}",
        )
        np.testing.assert_allclose(found[channel], wanted, rtol=1e-5, err_msg=said)


def test_a_tensor_stays_a_tensor_and_an_array_an_array():
    normalize = Normalize([0.5], [0.5])
    found = normalize(ones(1, 2, 2))
    assert isinstance(found, Tensor), "a Tensor in, a Tensor out"
    np.testing.assert_array_equal(found.numpy(), np.ones((1, 2, 2)))
    found = normalize(np.ones((1, 2, 2), np.float32))
    assert type(found) is np.ndarray, "an array in, an array out"


def test_the_numbers_stay_float32():
    assert Normalize(0.5, 0.5)(ones(1, 2, 2)).dtype == float32
    found = Normalize(100, 50)(np.full((1, 2, 2), 200, np.uint8))
    assert found.dtype == np.float32, "bytes become float32"


def test_the_image_itself_is_not_changed():
    image = np.ones((1, 2, 2), np.float32)
    Normalize(0.5, 0.5)(image)
    assert (image == 1).all(), "the data set still owns that memory"


# %%
#| export
from tinytorch.given.dataloader.transforms import *


# %%
manual_seed(0)
pixels = Digits().tensors()[0]
normalize = Normalize(pixels.mean().item(), pixels.std().item())
moved = Digits(transform=Compose([RandomCrop(8, padding=1), normalize]))
figure, axes = plt.subplots(1, 10, figsize=(9, 1.1))
for axis in axes:
    axis.imshow(moved[4][0].numpy()[0], cmap="gray_r")
    axis.axis("off")
plt.show()


# %% [markdown]
# One digit, ten times, each a pixel or so elsewhere. (Flipping is for photographs. A digit that is flipped is another digit, or none.)
#
# ## Systems: how many workers
#
# Loading a batch takes the time L, the model takes C, and with n workers a batch is ready every L / n. A loop that does both by turns needs L + C for each batch. One that overlaps them needs the larger of the two:
#
# $$t_0 = L + C, \qquad t_n = \max(L / n,\; C)$$
#
# So more workers help until L / n is less than C, and then not at all. Measure it, with samples that take a while to come (they sleep, as one does that waits for a disk) and a model that computes.


# %%
class Slow(Dataset):
    """13 batches of 4 samples; each sample takes 12 ms to come."""

    def __len__(self):
        return 52

    def __getitem__(self, index):
        time.sleep(0.012)
        return np.full(4000, index, np.float32)


def model(batch, milliseconds=16):
    """Compute for 16 ms."""
    end = time.perf_counter() + milliseconds / 1e3
    while time.perf_counter() < end:
        np.tanh(batch.array)


def milliseconds_a_batch(workers):
    """From the arrival of the first batch to that of the last."""
    arrived = []
    for batch in DataLoader(Slow(), batch_size=4, num_workers=workers):
        arrived.append(time.perf_counter())
        model(batch)
    return (arrived[-1] - arrived[0]) / 12 * 1e3


counts = [0, 1, 2, 3, 4]
measured = [min(milliseconds_a_batch(n) for _ in range(2)) for n in counts]
expected = [64] + [max(48 / n, 16) for n in counts[1:]]
for n, ours, wanted in zip(counts, measured, expected):
    print(f"{n} workers {ours:6.1f} ms a batch, by the formula {wanted:5.1f}")
plt.figure(figsize=(5, 2.6))
plt.plot(counts, expected, "o--", color="0.6", label="max(L / n, C)")
plt.plot(counts, measured, "o-", label="measured")
plt.axhline(16, color="0.8", linewidth=1)
plt.gca().set(xlabel="workers", ylabel="ms a batch", ylim=0, xticks=counts)
plt.legend()
plt.show()


# %% [markdown]
# What the formula leaves out is the start, and the clock began after it: the processes are forked, and the first batch is made, before the model has anything to do. (The forking is what `persistent_workers` saves from the second epoch on.) What it cannot know is whatever else your machine is doing. Where samples are computed rather than waited for, n is also bounded by the number of cores, and the model wants one of them.
#
# ### What a batch costs to send
#
# Another process means that each batch has to be sent. How much of that is in the copying? `LARGE` in `answers.py` is the size from which arrays go by shared memory. Set it out of reach, and all goes through the pipe.


# %%
class Blocks(Dataset):
    """Arrays of one size, already in memory."""

    def __init__(self, megabytes, count):
        self.block, self.count = np.ones(int(megabytes * 2**18), np.float32), count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.block


def milliseconds_to_send(megabytes, count=12):
    times = []
    for _ in range(2):
        batches = iter(DataLoader(Blocks(megabytes, count), batch_size=None, num_workers=1))
        next(batches)
        start = time.perf_counter()
        for _ in batches:
            pass
        times.append((time.perf_counter() - start) / (count - 1) * 1e3)
    return min(times)


import tinytorch.given.dataloader.answers as answers

usual = answers.LARGE
print("     MB   shared memory    pipe")
for megabytes in (0.1, 1, 4, 16):
    answers.LARGE = usual
    shared = milliseconds_to_send(megabytes)
    answers.LARGE = 2**62
    piped = milliseconds_to_send(megabytes)
    print(f"{megabytes:7} {shared:11.2f} ms {piped:8.2f} ms")
answers.LARGE = usual


# %% [markdown]
# Small batches cost a fraction of a millisecond either way, most of it the waking of two processes. Through the pipe, a large array is copied several times, once of them in small pieces, at each of which two processes wait for each other. Through shared memory it is copied once. (In the first line both are the same way, since 0.1 MB is below `LARGE`.) And if a sample takes less time to make than to send, workers make everything slower: for tensors in memory, `num_workers=0` is right.
#
# ### 600 GB
#
# How long is an epoch over a pile of 600 GB, of images of 3 x 32 x 32 bytes? Measure three ways to get at samples, and multiply.


# %%
def samples_per_second(stream, most=20_000):
    start = time.perf_counter()
    count = sum(1 for _ in itertools.islice(stream, most))
    return count / (time.perf_counter() - start)


with tempfile.TemporaryDirectory() as folder:
    shards, singles = Path(folder) / "shards", Path(folder) / "singles"
    shards.mkdir(), singles.mkdir()
    for number in range(4):
        np.save(shards / f"{number}.npy", rng.integers(0, 256, (8192, 3, 32, 32), np.uint8))
    for number in range(500):
        np.save(singles / f"{number}.npy", rng.integers(0, 256, (3, 32, 32), np.uint8))
    rates = {
        "a file for each sample": samples_per_second(map(np.load, singles.iterdir())),
        "shards, in order": samples_per_second(ShardedDataset(shards, shuffle=False)),
        "shards, shuffled": samples_per_second(ShardedDataset(shards, buffer=4096)),
    }
total, size = 600e9, 3 * 32 * 32
count = total / size
print(f"600 GB are {count / 1e6:.0f} million samples, a permutation {count * 8 / 1e9:.1f} GB")
devices = {"network, 1 Gbit/s": 0.125e9, "hard disk": 0.2e9, "one NVMe drive": 3e9}
print(" " * 24, "thousand samples/s   MB/s   hours of an epoch")
for name, rate in (rates | {name: rate / size for name, rate in devices.items()}).items():
    hours = count / rate / 3600
    print(f"{name:24} {rate / 1e3:18.1f} {rate * size / 1e6:6.0f} {hours:19.1f}")


# %% [markdown]
# The first three lines are measured with files that the system still had in memory: they are what Python costs, for one worker. The last three are only arithmetic, with round figures for what such devices give when they are read from front to back. Compare the two. Where a device gives less than one worker takes, the device is the limit, whatever you do in Python; where it gives more, a second worker helps. A file for each sample is the slowest even here, where no disk had to move; on a hard disk, with some hundred jumps a second, an epoch of 195 million would be three weeks.
#
# Memory, meanwhile, is the buffer: 4,096 samples, 13 MB.
#
# ## Break it
#
# **A worker dies.** Not by an exception, which would be reported, but as when memory runs out and the system kills it. A loader that only waits for answers would wait for ever.


# %%
class Deadly(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        if index == 5:
            os._exit(1)  # what the system does when memory is short looks the same from here
        if index == 3:
            raise ValueError("sample 3 is broken")
        return index


start = time.perf_counter()
loader = iter(DataLoader(Deadly(), num_workers=2))
with contextlib.suppress(StopIteration):
    for _ in range(100):
        try:
            print(next(loader))
        except ValueError as error:
            print(f"ValueError: {error}")
        except RuntimeError as error:
            print(f"RuntimeError: {error}, after {time.perf_counter() - start:.2f} s")
            break


# %% [markdown]
# The exception arrives with the traceback of the worker, in the turn of its batch. The death is noticed at once, wherever the order stands: the pipe is closed, and nothing that this worker owed will ever come.
#
# **The same random numbers everywhere.** Forked processes begin with the same generators. A loader that does not seed them, or that someone seeds "to be reproducible", gives every worker the same augmentations. Nothing fails. The model merely sees less than you think. (PyTorch's loader did not seed NumPy's generator until version 1.9, and for years most projects that drew their augmentations from it had this mistake without knowing.)


# %%
class Noise(Dataset):
    """What an augmentation draws, for each of 64 samples."""

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return rand(1)


seeds = {"seeded by the loader": None, "all seeded alike": lambda worker: manual_seed(0)}
for name, init in seeds.items():
    loader = DataLoader(Noise(), batch_size=None, num_workers=4, worker_init_fn=init)
    drawn = [x.item() for x in loader]
    print(f"{name:22} {len(set(drawn))} different numbers in {len(drawn)} samples")


# %% [markdown]
# **Shuffle forgotten.** The digits, sorted by label as data often lies, and the smallest classifier there is: one layer, softmax, and the gradient that you can write by hand, $\bar W = x^\top (p - t) / B$. The only difference between the two runs is the order.


# %%
(train_x, train_y), (test_x, test_y) = (
    (x.numpy().reshape(len(x), 64), y.numpy())
    for x, y in (Digits(train=True).tensors(), Digits(train=False).tensors())
)
by_label = np.argsort(train_y, kind="stable")
data = TensorDataset(tensor(train_x[by_label]), tensor(train_y[by_label]))
figure, axis = plt.subplots(figsize=(6, 2.6), layout="constrained")
for shuffle in (True, False):
    manual_seed(0)
    W, accuracies = np.zeros((64, 10), np.float32), []
    for _ in range(3):
        for x, y in DataLoader(data, batch_size=32, shuffle=shuffle):
            x, y = x.numpy(), y.numpy()
            scores = np.exp(x @ W - (x @ W).max(1, keepdims=True))
            p = scores / scores.sum(1, keepdims=True)  # (B, 10)
            p[np.arange(len(y)), y] -= 1
            W -= 0.5 * x.T @ p / len(y)
            accuracies.append(100 * ((test_x @ W).argmax(1) == test_y).mean())
    axis.plot(accuracies, label=f"shuffle={shuffle}")
    print(f"shuffle={shuffle!s:5} {accuracies[-1]:5.1f} % of the held-out digits recognised")
axis.set(xlabel="step", ylabel="accuracy, %")
axis.legend()
plt.show()


# %% [markdown]
# Each batch shows one digit or two, and the layer learns to say those, whatever it sees; what it knew of the others it forgets.
#
# ## In PyTorch
#
# ```python
# from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info, random_split
#
# train, held_out = random_split(data, [0.8, 0.2], generator=torch.Generator().manual_seed(42))
# loader = DataLoader(train, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True, drop_last=True,
#                     pin_memory=True)          # page-locked memory, so that copies to a GPU overlap as well
# for images, labels in loader:
#     ...
# ```
#
# The structure is the same: a `Fetcher`, a worker loop, tasks with numbers, a dict of early answers. PyTorch sends tensors through shared memory by file descriptors, as here, and everything else by pickle through a queue. Its order for a seed, its base seed and its workers' seeds are yours too.
#
# ## Questions to think about
#
# 1. `InOrder` waits for a slow batch although others are ready. What would be gained by handing out whatever is there, and what lost?
# 2. With four workers and `prefetch_factor=2`, how many batches of 38 MB can be in memory at once? Where are they?
# 3. A stream of 10 samples, `batch_size=4`, two workers with half of it each: how many batches come, and of which sizes? And with `drop_last`?
# 4. Two shuffles of the same buffer, one after the other: is that as good as one buffer of twice the size?
# 5. Your data is 64 GB, memory 32 GB, and training takes ten epochs. What is it worth to store it compressed to a half?
# 6. Training stopped in the middle of an epoch is to go on with the very next batch. What must be saved?
#
# ## What comes next
#
# Batches arrive, and the layers of module 03 turn them into scores, and the losses of module 04 into a number. What is missing is which way to move the weights. You wrote one gradient by hand above; in module 06 you teach the machine to do that for any program.
