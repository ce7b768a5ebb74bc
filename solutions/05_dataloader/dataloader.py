# %% [markdown]
# # 05 Data
#
# A model only ever sees batches. Something has to decide which samples are in the next one, find them, decode them, put
# them into one array, and have it ready before the previous batch is finished. That is this module: data sets,
# samplers, and a loader that prepares batches in other processes while the model computes.
#
# When you are done you will be able to
#
# - describe any data by two methods, and split, concatenate and shuffle it without copying it;
# - give every epoch a random order that is exactly repeatable, with PyTorch's random numbers;
# - keep a model fed by worker processes, and say how many are enough;
# - stream data that is larger than memory, and shuffle it as far as a stream can be shuffled.
#
# ## Where it stands
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
# You write the essential parts. Similar ones, and those that are not about data, are given in
# `tinytorch/given/dataloader/`, and imported where they are needed.

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
from collections import OrderedDict, UserDict, defaultdict, namedtuple
from pathlib import Path

import matplotlib.pyplot as plt

from tinytorch.given.predictions import compare
from tinytorch.tensor import arange, manual_seed, ones, rand, zeros


# %% [markdown]
# ## 1. The problem
#
# Here are 64 colour images, compressed as on a disk, and one layer that processes them. How long does it take to load
# them, and how long to compute with them?

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
# In a loop that loads and then computes, the model is idle while the data is loaded, and the faster the model, the
# larger that part of the time. The code that prepares the data has to run *in parallel* with the model and ahead of it.
# But first we have to define what data is.
#
# ## 2. Data by number
#
# A `Dataset` is anything that can answer two questions: how many samples are there (`len(data)`), and what is sample i
# (`data[i]`). It does not matter where they are: in memory, in files, on another continent. Nearly everything here uses
# only those two questions. Data that can only be read from the front is an `IterableDataset`; that is the subject of
# part 7.


# %%
#| export
class Dataset:
    """Samples by number: a subclass defines `__getitem__`, and `__len__` where it is known.

    One that can get many samples at once more efficiently also defines
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
from tinytorch.given.dataloader.checks import *
from tinytorch.given.dataloader.datasets import *


# %% [markdown]
# ### Tensors as a data set
#
# The simplest data set has everything in memory, as tensors whose first dimension counts the samples: `images` (N, 28,
# 28) and `labels` (N,), say. Sample i is row i of each of them, together in a tuple.


# %%
#| export
class TensorDataset(Dataset):
    """Samples cut from tensors along their first dimension.

    >>> TensorDataset(tensor([10, 20, 30]), tensor([0.1, 0.2, 0.3]))[1]
    (tensor(20), tensor(0.2000))
    """

    def __init__(self, *tensors):
        check_sizes(tensors)
        self.tensors = tensors

    def __len__(self):
        return self.tensors[0].size(0)

    def __getitem__(self, index):
        return tuple([t[index] for t in self.tensors])


# %% [markdown]
# ### The digits
#
# Now real data: 1,797 digits, written by thirteen people, scanned, and reduced to 8x8 pixels with 17 shades (E.
# Alpaydin and C. Kaynak, 1998, CC BY 4.0). They are in the repository, 45 kB, and you will train on them until the end
# of the course. 1,437 are for training, and 360 are held out, always the same ones.
#
# `Digits` is given, and so are `MNIST`, `FashionMNIST` and `CIFAR10`, which are downloaded when you first ask for them.
# All are `Images`, which store bytes and convert them to floats when a sample is fetched: as bytes, CIFAR-10 is 154 MB,
# as floats 614. For text there are `TextFile`, the lines of a file, and `PythonDocs`, the reference that comes with
# Python.

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
# A `Subset` shows some of the samples of another data set, by a list of their numbers. Nothing is copied. It is given,
# as an example of a data set that wraps another. (Given a list of numbers, as PyTorch's may be, it passes a list on: a
# `TensorDataset` accepts one.)


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
        """The samples of these numbers, fetched together from the underlying data set."""
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
# `ConcatDataset` shows several data sets as one, and copies nothing. For a number, it only has to find out which data
# set it belongs to and which number it has there.
#
# ```
#   sizes              3        4      2
#   samples         [0 1 2] [3 4 5 6] [7 8]          number 5: in the second, where it is number 5 - 3 = 2
#   cumulative_sizes     3         7     9
# ```
#
# Number i belongs to the first data set whose cumulative size is *greater* than i. The list is sorted, so this is a
# binary search, which Python's `bisect` does: with a thousand files as a thousand data sets, ten comparisons in place
# of a thousand.
#
# <details><summary>Hint 1</summary><code>bisect.bisect_right(sizes, i)</code> says how many entries of a sorted list
# are at most i: exactly the number of data sets that lie entirely before sample i.</details>
# <details><summary>Hint 2</summary>Before data set k there are <code>cumulative_sizes[k - 1]</code> samples, and none
# if k is 0.</details>
# <details><summary>Hint 3</summary>Handle negative indices first: refuse one below <code>-len(self)</code>, then add
# <code>len(self)</code>.</details>


# %% stub="concat-dataset"
#| export
class ConcatDataset(Dataset):
    """Several data sets, one after the other, as one.

    Args:
        datasets: the data sets, each with a length. Some may be empty.

    Raises:
        AssertionError: if there is no data set, or one has no indices.

    >>> data = ConcatDataset(["abc", "defg"])
    >>> data[3], data[-1], data.cumulative_sizes
    ('d', 'g', [3, 7])
    """

    def __init__(self, datasets):
        self.datasets = list(datasets)
        check_parts(self.datasets)
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        """Return sample `index` of all data sets; a negative index counts from the end.

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
class Part(Dataset):
    """A data set that has the samples of a text, by the numbers from 0 on and no others."""

    def __init__(self, text):
        self.text, self.read = text, 0

    def __len__(self):
        return len(self.text)

    def __getitem__(self, index):
        self.read += 1
        n = len(self.text)
        said = f"for number {Part.asked} of all, a data set of {n} samples was asked for its"
        assert 0 <= index < n, f"{said} sample {index}"
        return self.text[index]


def sample_of(data, index):
    """Sample `index` of several Parts, which say so if they are asked for one they lack."""
    Part.asked = index
    return data[index]


def test_every_sample_is_found_once_and_in_order():
    for parts in (["abc", "defg", "hi"], ["a", "bc", "def", "ghij", "k"], ["ab"]):
        data, wanted = ConcatDataset(map(Part, parts)), [*"".join(parts)]
        found = [sample_of(data, i) for i in range(len(wanted))]
        assert found == wanted, f"{parts} as one: numbers from 0 on give {wanted}, not {found}"
        read = sum(part.read for part in data.datasets)
        assert read == len(wanted), f"{read} samples were read to get {len(wanted)}"


def test_the_first_sample_of_a_data_set_is_its_own():
    found = ConcatDataset(["abc", "def"])[3]
    assert found == "d", f"number 3 of abc, def is the first of the second, d, not {found}"


def test_empty_data_sets_are_passed_over():
    data = ConcatDataset(map(Part, ["", "ab", "", "", "c", ""]))
    found = [sample_of(data, i) for i in range(3)]
    assert found == ["a", "b", "c"], f"empty data sets hold no sample: a, b, c, not {found}"


def test_negative_numbers_count_from_the_end_of_all():
    data = ConcatDataset(map(Part, ["abc", "de", "", "f"]))
    found = [sample_of(data, i) for i in range(-1, -7, -1)]
    assert found == [*"fedcba"], f"numbers -1 to -6 of abc, de, f give fedcba, not {found}"


def test_numbers_beyond_either_end_are_refused():
    data = ConcatDataset(["abc", "de"])
    for index, kind in [(5, IndexError), (9, IndexError), (-6, ValueError), (-9, ValueError)]:
        try:
            found = data[index]
        except Exception as error:
            found = error
        said = f"there is no sample {index} of 5: raise {kind.__name__}, not {found!r}"
        assert isinstance(found, kind), said


# %% [markdown]
# ### A random split
#
# To know how well a model does on unseen data, hold out a part of the data at random: files are often sorted, by label
# or by author, and then the last tenth is not like the rest. Shuffle the numbers *once*, then cut the shuffled list
# into pieces. Each piece becomes a `Subset`.
#
# The lengths of the pieces may be fractions; `shares(total, fractions)`, given, converts them to numbers.
#
# `generator.permutation(n)` (module 01) is the array of the numbers below n in random order: the same order as
# PyTorch's for a seed.
#
# <details><summary>Hint 1</summary>The lengths have to sum to the length of the data set: check that first, and name
# both numbers if they differ.</details>
# <details><summary>Hint 2</summary><code>itertools.accumulate(lengths)</code> gives the end of each piece; its start is
# the end minus the length.</details>
# <details><summary>Hint 3</summary>Convert the permutation to a list of ints (<code>.tolist()</code>). Ends and
# lengths, taken together, give one slice of it for each <code>Subset</code>.</details>


# %% stub="random-split"
#| export
def random_split(dataset, lengths, generator=default_generator):
    """Split a data set at random into parts that have no sample in common.

    Args:
        dataset: what to split, of length N.
        lengths: how many samples each part gets, N together; or fractions that sum to 1, as
            floats to no more, which `shares` makes into lengths.
        generator: draws the one permutation of N numbers; None stands for the default
            generator.

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
def split_of(*arguments, **options):
    """A split, as lists of its parts' numbers, which must be ints."""
    parts = random_split(*arguments, **options)
    kinds = {type(x).__name__ for part in parts for x in (part.indices, *part.indices)}
    wrong = ", ".join(sorted(kinds - {"list", "int"}))
    assert wrong == "", f"the numbers of a Subset are a list of ints, not {wrong}"
    return [part.indices for part in parts]


def test_every_sample_is_in_exactly_one_part():
    data, lengths = range(100, 120), [3, 8, 0, 9]
    manual_seed(0)
    parts = random_split(data, lengths)
    assert lengths == [3, 8, 0, 9], "the list of lengths belongs to the caller"
    kinds = ", ".join(type(part).__name__ for part in parts)
    said = f"a list of Subsets, not a {type(parts).__name__} of {kinds}"
    assert (type(parts), {*map(type, parts)}) == (list, {Subset}), said
    copies = sum(part.dataset is not data for part in parts)
    assert copies == 0, f"Subsets of the data set itself, but {copies} are of a copy of it"
    found = [len(part) for part in parts]
    assert found == lengths, f"parts of {lengths} samples were asked for, not {found}"
    together = sorted(part[i] for part in parts for i in range(len(part)))
    assert together == list(range(100, 120)), "sorted: no sample is lost, or in two parts"


def test_a_seed_gives_the_split_that_pytorch_gives():
    generator, wanted = Generator().manual_seed(42), [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]]
    found = split_of(range(10), [7, 3], generator=generator)
    said = f"one permutation of the generator, cut from the left, is {wanted}, not {found}"
    assert found == wanted, said
    found = split_of(range(10), (0.5, 0.3, 0.2), generator=Generator().manual_seed(42))
    wanted = [[2, 6, 1, 8, 4], [5, 0, 9], [3, 7]]
    assert found == wanted, f"a half, 3 and 2 tenths of it are {wanted}, not {found}"
    drawn = Generator().manual_seed(42)
    drawn.permutation(10)
    assert generator.raw(1) == drawn.raw(1), "one permutation is drawn, and nothing else"


def test_without_a_generator_the_default_one_is_drawn_from():
    wanted = [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]]
    for options in ({}, {"generator": None}):
        manual_seed(42)
        found = split_of(range(10), [7, 3], **options)
        assert found == wanted, f"manual_seed(42) and {options} give {wanted}, not {found}"


def test_lengths_that_do_not_fit_are_refused():
    for lengths in ([7, 4], [7, 2], []):
        try:
            random_split(range(10), lengths)
        except ValueError:
            continue
        raise AssertionError(f"{lengths} do not sum to 10: raise ValueError")


# %% [markdown]
# ## 3. In which order
#
# A *sampler* says in which order a data set is read: iterating it gives numbers, and `len` says how many. It does not
# access the data. The simplest is given: from the first to the last.


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
# Training wants an order that is random, and new in each epoch. There are two kinds. *Without replacement* every sample
# comes once: a permutation, and when more than N samples are wanted, another permutation after it. *With replacement*
# each number is drawn independently, and chance decides how often a sample comes.
#
# Two things need care. The numbers for a seed must be PyTorch's, so it matters what is drawn, and when. PyTorch draws
# `num_samples // N` whole permutations and then *one more*, of which it takes the rest, even if the rest is empty. And
# with replacement billions of numbers may be wanted, so you must not draw them all at once: draw a few, yield them,
# draw the next. (PyTorch draws 32 at a time, and at last those that are missing. Since each number takes one word of
# the generator, any chunk size gives the same numbers, if none is drawn in vain.)
#
# Write `__iter__` as a generator function: `yield` and `yield from` do exactly this: they pause until the next number
# is wanted. `n`, `count` and the generator are given. If the user passed no generator, a new one is seeded with a
# number from the default one, so that other draws during an epoch cannot change its order.
#
# <details><summary>Hint 1</summary>A generator has <code>permutation(n)</code> for drawing without replacement, and
# <code>integers(low, high, shape)</code> for drawing with: both return arrays, and <code>tolist</code> makes ints of
# one.</details>
# <details><summary>Hint 2</summary>With replacement, draw, say, 32 numbers at a time, and in the last draw only those
# that are missing.</details>
# <details><summary>Hint 3</summary>Without, yield from as many whole permutations as fit into the number of samples,
# and then from the beginning of one more.</details>


# %% stub="random-sampler"
#| export
class RandomSampler(Sampler):
    """Sample numbers in random order, a new one each time it is iterated.

    Args:
        data_source: what to sample from; only its length N is used.
        replacement: whether a sample may come again before all others have come.
        num_samples: how many numbers to give; N if None.
        generator: draws the numbers. If None, a new one, whose seed is drawn from the default
            generator.

    Raises:
        TypeError: if `replacement` is not a bool.
        ValueError: if `num_samples` is not a positive int.

    >>> list(RandomSampler(range(5), num_samples=12, generator=Generator().manual_seed(3)))
    [1, 0, 3, 4, 2, 0, 1, 2, 4, 3, 1, 4]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.generator = data_source, generator
        self.replacement, self._num_samples = replacement, num_samples
        check_sampling(replacement, self.num_samples)

    @property
    def num_samples(self):
        """How many numbers one iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __len__(self):
        return self.num_samples

    def __iter__(self):
        """Yield `num_samples` numbers below N; draw a permutation, or a few, at need."""
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
def drawn_order(seed, n, *arguments, **options):
    """The numbers that a sampler yields from a seed, which must be ints."""
    generator = Generator().manual_seed(seed)
    order = list(RandomSampler(range(n), *arguments, generator=generator, **options))
    kinds = {type(number).__name__ for number in order}
    assert kinds <= {"int"}, f"the numbers are ints, not {', '.join(sorted(kinds))}"
    return order


def test_without_replacement_every_sample_comes_once():
    order = drawn_order(1, 50)
    assert sorted(order) == list(range(50)), f"each number below 50 comes once: {order}"
    assert order != list(range(50)), "and not in the original order"


def test_a_seed_gives_the_order_that_pytorch_gives():
    sampler, wanted = RandomSampler(range(10)), [6, 9, 0, 7, 3, 5, 4, 2, 1, 8]
    for _ in range(2):
        manual_seed(0)
        found = list(sampler)
        assert found == wanted, f"after each manual_seed(0) it is {wanted}, not {found}"


def test_each_iteration_has_its_own_order():
    sampler = RandomSampler(range(50))
    assert list(sampler) != list(sampler), "a second iteration draws again"


def test_as_many_samples_come_as_were_asked_for():
    wanted = [1, 0, 3, 4, 2, 0, 1, 2, 4, 3, 1, 4]  # two permutations, and 2 of a third
    for count in (3, 12, 10, 5):
        found = drawn_order(3, 5, num_samples=count)
        said = f"num_samples={count} of 5 from the seed 3: {wanted[:count]}, not {found}"
        assert found == wanted[:count], said


def test_permutations_are_drawn_when_needed_and_one_more_at_the_end():
    words = Generator().manual_seed(3).raw(999).tolist()  # a permutation of 4 takes three
    for taken, wanted in (("all", 2), ("the first", 1)):
        generator = Generator().manual_seed(3)
        numbers = iter(RandomSampler(range(4), generator=generator))
        list(numbers) if taken == "all" else next(numbers)
        found = words.index(generator.raw(1).item()) / 3
        said = f"{taken} of 4 numbers taken: {wanted} permutations are drawn, not {found:g}"
        assert found == wanted, f"{said}; one for the rest comes last, even if that is empty"


def test_with_replacement_the_numbers_are_drawn_one_by_one():
    wanted = [
        1, 3, 2, 2, 0, 0, 0, 0, 1, 4, 4, 1, 0, 4, 1, 4, 0, 4, 0, 4,
        1, 4, 1, 1, 2, 3, 2, 4, 4, 0, 0, 1, 4, 3, 4, 2, 3, 0, 2, 1,
    ]  # fmt: skip
    for count in (40, 33, 32, 1):
        found = drawn_order(3, 5, True, count)
        said = f"integers(0, 5, ...) of the generator, {count} of them, not {found}"
        assert found == wanted[:count], said
    sampler = RandomSampler(range(5), True, 3, Generator().manual_seed(3))
    found = [*sampler, *sampler]
    assert found == wanted[:6], f"3 numbers, then 3 more: none is drawn in vain, {found}"


def test_millions_of_samples_take_no_memory():
    for n, replacement in ((5, True), (10**7, True), (1000, False)):
        sampler = RandomSampler(range(n), replacement, num_samples=2_000_000)
        tracemalloc.start()
        try:
            first = list(itertools.islice(sampler, 100))
            peak = tracemalloc.get_traced_memory()[1] / 1e6
        finally:
            tracemalloc.stop()
        assert len(first) == 100, f"a hundred must be available at once, not {len(first)}"
        assert peak < 0.5, f"a hundred of {n} took {peak:.0f} MB: draw a few at a time"


# %% [markdown]
# ### In batches
#
# This is a sampler on top of a sampler: it takes numbers from the underlying one, `batch_size` at a time, and yields
# lists. The last list may be short. `drop_last` leaves it out, for layers and measurements that need all batches of one
# size.
#
# The underlying sampler may be endless, so take only what the next batch needs. `itertools.islice(iterator, k)` takes
# at most k.
#
# <details><summary>Hint 1</summary>Make one iterator with <code>iter(self.sampler)</code> and keep taking from it; a
# new one would start from the beginning again.</details>
# <details><summary>Hint 2</summary><code>itertools.islice</code> takes that many from an iterator, or what is left, or
# nothing; a list of it is the next batch.</details>
# <details><summary>Hint 3</summary>The loop ends at an empty list. Yield any other if it is full, or if short ones are
# wanted.</details>


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
        check_batches(batch_size, drop_last)
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def __iter__(self):
        """Yield the numbers of `sampler` in new lists, each taking only what it needs."""
        ### BEGIN SOLUTION
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch
        ### END SOLUTION


# %% test="batch-sampler" points=4
def batches_of(numbers, size, drop_last=False):
    """At most 9 batches, which must be lists, and must not change after they were yielded."""
    batches = list(itertools.islice(BatchSampler(numbers, size, drop_last), 9))
    kinds = {type(batch).__name__ for batch in batches}
    assert kinds <= {"list"}, f"a batch is a list, not a {', '.join(sorted(kinds))}"
    return batches


def test_numbers_come_in_lists_and_the_last_may_be_short():
    for n, size, wanted in [
        (7, 3, [[0, 1, 2], [3, 4, 5], [6]]), (6, 2, [[0, 1], [2, 3], [4, 5]]),
        (2, 5, [[0, 1]]), (2, 1, [[0], [1]]), (0, 3, []),
    ]:  # fmt: skip
        found = batches_of(range(n), size)
        assert found == wanted, f"{n} numbers in batches of {size} are {wanted}, not {found}"


def test_drop_last_leaves_out_only_a_short_list():
    for n, wanted in [(7, [[0, 1, 2], [3, 4, 5]]), (6, [[0, 1, 2], [3, 4, 5]]), (2, [])]:
        found = batches_of(range(n), 3, drop_last=True)
        assert found == wanted, f"{n} in batches of 3, drop_last: {wanted}, not {found}"


def test_nothing_is_taken_before_it_is_wanted():
    taken = []

    def numbers():
        for i in range(100):
            taken.append(i)
            yield i

    found = next(iter(BatchSampler(numbers(), 4, False)))
    assert found == [0, 1, 2, 3], f"the first batch of 4 is [0, 1, 2, 3], not {found}"
    assert len(taken) == 4, f"one batch of 4 took {len(taken)} numbers from the sampler"


def test_the_sampler_can_be_iterated_again():
    sampler, wanted = BatchSampler(range(4), 2, False), [[0, 1], [2, 3]]
    first, second = (list(itertools.islice(sampler, 9)) for _ in range(2))
    assert first == second == wanted, f"each epoch begins at the front: {first}, then {second}"


# %% [markdown]
# Two more samplers are given: `SubsetRandomSampler` shuffles some of the numbers, and `WeightedRandomSampler` draws
# numbers with probabilities that you set.

# %%
#| export
from tinytorch.given.dataloader.samplers import *


# %% [markdown]
# ## 4. From samples to a batch
#
# A batch is a list of samples, and a model wants one tensor. *Collating* turns one into the other by exchanging the
# nesting: from a list of pairs to a pair of lists.
#
# ```
#   [(image 0, 7),                          [stack of images (3, 1, 8, 8),
#    (image 1, 2),            ->             tensor([7, 2, 5])]
#    (image 2, 5)]
#
#   [{"x": 1.0, "name": "a"}, {"x": 2.0, "name": "b"}]   ->   {"x": tensor([1., 2.]), "name": ["a", "b"]}
# ```
#
# At the leaves of a sample are tensors, arrays, numbers and texts. `collate_values(batch)`, given, handles a list of
# one of those.

# %%
#| export
from tinytorch.given.dataloader.collating import *


# %% [markdown]
# ### Collating
#
# Samples may be nested in any way, so this is a recursion over the structure of the *first* sample, which all others
# share. Values without structure go to `collate_values`. You handle the structure:
#
# - a mapping: the same kind of mapping, each value collated from the values of all samples at that key (the given
#   `like(mapping, values)` makes it);
# - a namedtuple: the same namedtuple of collated fields;
# - any other sequence, but not a text: a list of collated columns. All samples must have the same length; `zip` would
#   silently cut the longer ones.
#
# <details><summary>Hint 1</summary><code>zip(*batch)</code> turns rows into columns: of samples with two parts it makes
# two tuples, all first parts and all second parts.</details>
# <details><summary>Hint 2</summary>Check in this order: Mapping, namedtuple (a tuple that has <code>_fields</code>),
# Sequence but not str or bytes; whatever remains goes to <code>collate_values(batch)</code>.</details>
# <details><summary>Hint 3</summary>Each part is itself a batch for <code>default_collate</code>: the values at one key
# of <code>first</code>, or one column. <code>like</code> takes a dict of the results; for a namedtuple,
# <code>type(first)</code> takes them one by one.</details>


# %% stub="collate"
#| export
def default_collate(batch):
    """Put samples together: tensors and numbers are stacked along a new first dimension.

    Args:
        batch: a non-empty list of samples of the same structure: tensors, arrays, numbers,
            texts, and mappings, namedtuples and other sequences of those, nested.

    Returns:
        The structure of one sample, with tensors (B, ...) at its leaves, and of texts a list
        or tuple. Sequences without names become lists.

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


def check_batch(found, values, said):
    """A tensor with these values, of PyTorch's dtype for them."""
    kind = {"f": "torch.float32", "i": "torch.int64"}[np.asarray(values).dtype.kind]
    assert isinstance(found, Tensor), f"{said}: a tensor, not a {type(found).__name__}"
    assert str(found.dtype) == kind, f"{said}: {kind}, not {found.dtype}"
    np.testing.assert_array_equal(found.numpy(), values, err_msg=said)


def test_pairs_become_a_list_of_two_batches():
    batch = [(ones(2, 3), 7), (zeros(2, 3), 2), (ones(2, 3), 5)]
    found = default_collate(batch)
    assert len(batch) == 3, "the list of samples belongs to the caller"
    assert type(found) is list, f"tuples without names become a list, not {type(found)}"
    wanted = np.stack([np.ones((2, 3)), np.zeros((2, 3)), np.ones((2, 3))])
    check_batch(found[0], wanted, "three images (2, 3), in their order, make (3, 2, 3)")
    check_batch(found[1], [7, 2, 5], "three labels")
    inner, _ = default_collate([((1, 2), 3), ((4, 5), 6)])
    assert type(inner) is list, f"pairs within pairs become a list too, not {type(inner)}"
    check_batch(inner[0], [1, 4], "the first numbers of the inner pairs")
    check_batch(default_collate([range(2), range(4, 6)])[1], [1, 5], "ranges are sequences")


def test_values_alone_are_stacked():
    check_batch(default_collate([ones(3), ones(3)]), np.ones((2, 3)), "two tensors (3,)")
    check_batch(default_collate([1, 2, 3]), [1, 2, 3], "three ints")


def test_mappings_are_collated_key_by_key():
    batch = [{"x": ones(2), "n": {"id": 3}}, {"n": {"id": 4}, "x": zeros(2)}]
    found = default_collate(batch)
    kept = str(batch[0]["n"])
    assert kept == "{'id': 3}", "the samples must not be changed in place"
    assert list(found) == ["x", "n"], f"the first sample has the keys x, n, not {list(found)}"
    check_batch(found["x"], [[1.0, 1.0], [0.0, 0.0]], "the values at x in both samples")
    check_batch(found["n"]["id"], [3, 4], "also one level deeper")
    for one in (OrderedDict(x=1), UserDict(x=1), defaultdict(int, x=1)):
        kind = type(one)
        found = default_collate([one, one])
        assert type(found) is kind, f"two {one} make one of the type, by `like`, not {found}"


def test_named_tuples_keep_their_names():
    found = default_collate([Point(ones(2), 0), Point(zeros(2), 1)])
    assert type(found) is Point, f"a batch of Points is a Point, not a {type(found).__name__}"
    check_batch(found.x, [[1.0, 1.0], [0.0, 0.0]], "the field x")
    check_batch(found.label, [0, 1], "the field label")
    found = default_collate([Point((1, 2), 0)])
    check_batch(getattr(found, "x", [0, 0])[1], [2], "one Point, the second number in its x")


def test_texts_are_left_alone():
    for texts in (["ab", "cd"], [b"a", b"b"]):
        found = default_collate(texts)
        assert found == texts, f"a text is not a sequence: {texts} stays, and is not {found}"
    numbers, names = default_collate([[1, "one"], [2, "two"]])
    check_batch(numbers, [1, 2], "the first column")
    assert list(names) == ["one", "two"], f"the second column is one, two, not {names}"


def test_samples_of_different_lengths_are_refused():
    a, b = (1, 2), (1, 2, 3)
    for batch in ([a, b], [a, b, a], [a, a, b], [a, (1,)], [[1, 2], [1, 2, 3]]):
        try:
            found = default_collate(batch)
        except RuntimeError as error:
            found = error
        said = f"the samples of {batch} differ in length: raise RuntimeError, not {found}"
        assert isinstance(found, RuntimeError), said


# %% [markdown]
# ## 5. The loader
#
# A `DataLoader` puts the pieces together. Its sampler says what comes next, a `Fetcher` turns that into a batch, and
# the rest is options.
#
# ```
#   sampler -> BatchSampler -> [4, 0, 7] -> Fetcher: [data[4], data[0], data[7]] -> collate_fn -> batch
# ```
#
# `LoaderOptions`, given, handles the options, their contradictions, and the samplers that they stand for. What a loader
# *does* is to start a pass through the data, as an iterator. Look at `SerialIterator`, which does everything in this
# process in a few lines. It draws one number from the generator that it does not seem to need. That is the base seed
# for workers, and PyTorch draws it whether there are workers or not, so that the numbers of a program do not depend on
# how many there are.

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
# You write the `Fetcher`. It is called with what the sampler yields and returns a batch, in four cases:
#
# | | numbered data (`self.stream is None`) | a stream |
# |---|---|---|
# | in batches (`self.in_batches`) | the samples with these numbers, by `samples`, collated | as many samples as `index` is long, from the stream, collated |
# | one by one | the sample with this number, through `collate` too | the next sample, through `collate` too |
#
# A stream gets its indices from an endless sampler that only counts, so the `Fetcher` must signal the end: by
# `StopIteration`, as `next` does. The last batch of a stream may be short; with `drop_last` a short one also means the
# end.
#
# <details><summary>Hint 1</summary>For numbered data, <code>samples(self.dataset, index)</code> gets the samples of a
# list of numbers, the fast way where the data set has one.</details>
# <details><summary>Hint 2</summary>From a stream, <code>list(itertools.islice(self.stream, len(index)))</code> takes up
# to a batch.</details>
# <details><summary>Hint 3</summary>If that list is empty, or short while <code>self.drop_last</code>,
# <code>raise StopIteration</code>. One by one, <code>next(self.stream)</code> raises it for you.</details>


# %% stub="fetch"
#| export
class Fetcher:
    """Turns what a sampler yields into what a loader yields.

    `dataset` has the samples; for an IterableDataset, `stream` is an iterator of it, or else
    None. `in_batches` says whether an index stands for several samples. `collate` makes the
    result from the samples, `drop_last` refuses short batches.

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
            index: a list of sample numbers, or without batches a single one. For a stream only
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
    """A stream of n, n - 1, ..., 1, or of the given items."""

    def __init__(self, n=0, items=None):
        self.items = range(n, 0, -1) if items is None else items

    def __iter__(self):
        return iter(self.items)


def loader_of(dataset, *options, **named):
    """A loader; of a stream, one that counts to 50 where others count without end."""
    loader = DataLoader(dataset, *options, **named)
    if isinstance(dataset, Countdown) and loader.batch_sampler is not None:
        loader.batch_sampler.sampler = [None] * 50
    return loader


def lists(batches):
    """The batches as lists, at most 9 of them."""
    return [b.tolist() if hasattr(b, "tolist") else b for b in itertools.islice(batches, 9)]


def check_loader(wanted, dataset, *options, **named):
    found = lists(loader_of(dataset, *options, **named))
    said = f"a loader with the options {options} {named}: {wanted}, not {found}"
    assert found == wanted, said


def test_batches_hold_the_samples_of_their_numbers():
    data = TensorDataset(arange(10) * 10, arange(10))
    loader = DataLoader(data, batch_sampler=[[3, 1], [9]])
    found = [[x.tolist(), y.tolist()] for x, y in loader]
    wanted = [[[30, 10], [3, 1]], [[90], [9]]]
    assert found == wanted, f"samples 3 and 1 collated, then 9: {wanted}, not {found}"


def test_a_shuffled_epoch_has_pytorchs_order():
    manual_seed(0)
    check_loader([[2, 0, 5], [3, 1, 4], [7, 6]], arange(8), 3, shuffle=True)


def test_a_stream_is_read_in_batches_to_its_end():
    check_loader([[7, 6, 5], [4, 3, 2], [1]], Countdown(7), 3, collate_fn=list)
    check_loader([[6, 5, 4], [3, 2, 1]], Countdown(6), 3, collate_fn=list)
    check_loader([], Countdown(0), 3, collate_fn=list)
    loader = loader_of(Countdown(2), 2, collate_fn=list)
    for _ in range(2):
        batches = iter(loader)
        found = lists(batches), lists(batches)
        said = f"an epoch from the front is [[2, 1]], and after its end [], not {found}"
        assert found == ([[2, 1]], []), said


def test_a_collate_function_of_ones_own_gets_the_list_of_samples():
    for data, size, wanted in [
        (range(5), 2, [[0, 1], [2, 3], [4]]), (Countdown(5), 2, [[5, 4], [3, 2], [1]]),
        (range(3), None, [0, 1, 2]), (Countdown(2), None, [2, 1]),
    ]:  # fmt: skip
        got = []
        lists(loader_of(data, size, collate_fn=got.append))
        said = f"batch_size={size}: collate is called with each of {wanted}, not with {got}"
        assert got == wanted, said


def test_many_samples_are_got_at_once_where_the_data_set_can():
    calls = []

    class Together(Subset):
        def __getitems__(self, indices):
            calls.append(list(indices))
            return indices

    check_loader([[0, 1, 2, 3], [4, 5]], Together(range(6), range(6)), 4)
    wanted = [[0, 1, 2, 3], [4, 5]]
    assert calls == wanted, f"samples() asks a data set for the lists {wanted}, not {calls}"


def test_drop_last_drops_what_is_short():
    check_loader([[7, 6, 5], [4, 3, 2]], Countdown(7), 3, drop_last=True)
    check_loader([[6, 5, 4], [3, 2, 1]], Countdown(6), 3, drop_last=True)
    check_loader([[0, 1, 2], [3, 4, 5]], range(7), 3, drop_last=True)


def test_without_batches_samples_come_one_by_one():
    found = lists(loader_of(Countdown(3), batch_size=None))
    assert found == [3, 2, 1], f"batch_size=None: the samples of the stream, not {found}"


def test_zero_and_none_are_samples_like_others():
    items = [2, 1, 0, None, 0]
    check_loader([[2, 1], [0, None], [0]], Countdown(items=items), 2, collate_fn=list)
    check_loader(items, Countdown(items=items), None)


# %%
manual_seed(0)
loader = DataLoader(Digits(), batch_size=64, shuffle=True)
images, labels = next(iter(loader))
print(len(loader), "batches an epoch; the first:", images.shape, images.dtype, labels.shape)


# %% [markdown]
# ## 6. Ahead of time
#
# `SerialIterator` prepares a batch when it is asked for one, and the caller waits. To have the batch ready, another
# thread or process must have started earlier. Threads would share one interpreter lock with the model, so we use
# processes: *workers*. The parent sends indices, a worker sends back batches.
#
# ```
#                 (5, [4, 0, 7])  ->  worker 0:  fetch, fetch, fetch ...  ->  (5, batch)
#   parent  ->    (6, [2, 9, 1])  ->  worker 1:  fetch, fetch, fetch ...  ->  (6, batch)   ->  parent: 5, 6, 7, 8, ...
#                 (7, [3, 8, 6])  ->  worker 0:  ...                       ->  (7, batch)
# ```
#
# Each task has a number, because answers may overtake each other. Four things can then go wrong, and a good loader
# handles all of them: an exception is raised in a worker and not in the parent; a worker dies; answers come out of
# order; and workers are not told that it is over.
#
# So an answer is a batch, or one of two other things, both given: `END`, when a stream is at its end, or a `Failure`,
# which carries an exception.

# %%
#| export
from tinytorch.given.dataloader.worker_messages import *


# %% [markdown]
# ### The worker
#
# A worker does one thing until there are no more tasks: it takes one, fetches, answers. *Every* task gets exactly one
# answer, or the parent would wait forever. So an exception must not end the worker: it is put into the answer, and the
# parent raises it where you see it. The traceback object cannot be sent, only its text: `Failure.of(error, worker)`
# collects it. When a stream is at its end, `fetch` raises `StopIteration`; that is not a failure, and the answer is
# `END`. More tasks may be waiting after it, and they are answered too.
#
# <details><summary>Hint 1</summary><code>for task, index in tasks:</code>, one answer in each iteration.</details>
# <details><summary>Hint 2</summary>Put only <code>fetch(index)</code> into the <code>try</code>.
# <code>StopIteration</code> is an <code>Exception</code>, so catch it first.</details>
# <details><summary>Hint 3</summary>Every branch of the <code>try</code> statement, including the one for
# <code>Exception</code>, only sets the answer. Send it once, after the whole statement.</details>


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
    tasks, fetch = [(4, 2), (9, 3), (5, 0), (7, None), (6, 2)], {2: 20, 0: 0, None: 50}.get
    found, wanted = answers_of(tasks, fetch), [(4, 20), (9, None), (5, 0), (7, 50), (6, 20)]
    said = "send(task, batch) for each, in order; a batch or an index may be 0 or None"
    assert found == wanted, f"{said}: {wanted}, not {found}"


def test_an_exception_becomes_an_answer_and_work_goes_on():
    for bad, kind in (0, ZeroDivisionError), (9, IndexError):
        found = answers_of([(0, 1), (1, bad), (2, 2)], lambda n: [8 // n][n // 9])
        tasks, name = [task for task, _ in found], kind.__name__
        assert tasks == [0, 1, 2], f"tasks 0, 1, 2 are answered, after {name} too: {tasks}"
        (_, first), (_, failure), (_, last) = found
        assert (first, last) == (8, 4), f"batches 8 and 4 are around it, not {first}, {last}"
        assert isinstance(failure, Failure), f"{name} becomes a Failure, not {failure!r}"
        assert failure.kind is kind, f"of the exception's type, not {failure.kind}"
        found = failure.text.partition("Traceback")[0]
        wanted = f"Caught {name} in DataLoader worker process 3.\nOriginal "
        assert found == wanted, "what Failure.of makes of the error and this worker, 3"


def test_the_end_of_a_stream_is_no_failure():
    passes = [iter([10]), iter([20])]
    tasks = [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)]
    found = answers_of(tasks, lambda index: next(passes[index]))
    wanted = [(0, 10), (1, END), (2, END), (3, 20), (4, END)]
    said = f"StopIteration is END, each time, and in both passes: {wanted}, not {found}"
    assert found == wanted, said


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
    assert events == wanted, f"fetch and send a task, and only then take the next: {events}"


def test_an_interrupt_ends_the_worker():
    def interrupted(index):
        raise KeyboardInterrupt

    try:
        found = answers_of([(0, 0)], interrupted)
    except KeyboardInterrupt:
        return
    raise AssertionError(
        f"an interrupt is not an Exception, so it must leave `work`, not become {found}"
    )


def test_an_error_of_send_is_none_of_fetch():
    sent = []

    def send(task, answer):
        sent.append(task)
        raise BrokenPipeError

    with contextlib.suppress(BrokenPipeError):
        work(iter([(0, 0)]), abs, send, 0)
    assert sent == [0], f"send must be called once for a task, even if it fails: {sent}"


# %% [markdown]
# ### Processes, pipes and memory
#
# The management of workers is given, since it is not about data. `workers.py` and `answers.py` in
# `tinytorch/given/dataloader/` are worth reading once:
#
# - Workers are *forked*: a copy of the parent, with its data set already in memory, without reading it again.
# - Each has a pipe. When a worker dies, for any reason, the system closes its end, and the parent sees that at once.
#   When the parent dies, each worker sees the same, and exits.
# - In a worker, a thread does nothing but listen, so that the parent never waits when it sends.
# - Large arrays do not go through the pipe. `pickle` can leave them out of what it writes (protocol 5); the worker
#   writes them into a file that exists only in memory, and passes the file itself. The parent maps it, and the arrays
#   of the batch are views of it.
# - Each worker has its own seed, the base seed plus its number, for tinytorch, for Python's `random`, and for NumPy.
#
# `ParallelIterator`, below, is the parent's side: it returns the answers in order, sends no more tasks to a worker
# whose data is at its end, and raises the exceptions.

# %%
#| export
from tinytorch.given.dataloader.workers import *


class ParallelIterator:
    """One pass through the data after the other, prepared ahead by worker processes."""

    def __init__(self, loader):
        self.workers = Workers(loader, draw_seed(loader.generator))
        self.begin(loader)

    def begin(self, loader):
        """Start a pass, and the first batches."""
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
# Two workers, and the second batch may be ready before the first. The model must not notice: the same seed must give
# the same batches in the same order, with any number of workers. So early answers wait in a dict, under their numbers,
# until it is their turn.
#
# And there should always be some tasks under way, `ahead` of them: enough that no worker is idle, few enough that
# finished batches do not fill the memory. So each time an answer is returned, *one* new task is sent.
#
# ```
#   wanted 3      arrived {5: batch, 4: batch}          sent 7: tasks 3 to 6 are under way or arrived
#   receive -> (6, batch)    not yet                    arrived {5, 4, 6}
#   receive -> (3, batch)    that is it: send task 7, return 3, wanted is 4
# ```
#
# `__init__` and `submit_next` are given; write `__next__`.
#
# <details><summary>Hint 1</summary>If <code>self.wanted == self.sent</code>, every task that was sent has been answered
# and returned: <code>raise StopIteration</code>.</details>
# <details><summary>Hint 2</summary>While the wanted number is not in <code>self.arrived</code>, receive, and store the
# answer under its number.</details>
# <details><summary>Hint 3</summary>Then remove the answer from <code>self.arrived</code>, so that it is not kept,
# advance to the next number, submit one task, and return the answer.</details>


# %% stub="in-order"
#| export
class InOrder:
    """Answers in the order of their tasks, with `ahead` tasks under way.

    Args:
        tasks: an iterable of tasks, which may be endless.
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
    """Replaces the workers: stores what is submitted, and answers in its own order."""

    def __init__(self, order):
        self.order, self.under_way, self.most = list(order), {}, 0

    def submit(self, number, task):
        self.under_way[number] = task
        self.most = max(self.most, len(self.under_way))

    def receive(self):
        number = next((n for n in self.order if n in self.under_way), None)
        own = self.made
        said = f"receive waits forever: none of {own.sent} tasks sent is under way; wanted is"
        said = f"{said} {own.wanted}, arrived are {[*own.arrived]}"
        assert number is not None, said
        task = self.under_way.pop(number)
        return number, None if task is None else task * 10

    def answers(self, tasks, ahead):
        self.made = InOrder(tasks, self.submit, self.receive, ahead)
        return self.made


def check_drained(wanted, answers, said):
    """Take the answers to the end, at most 50."""
    found = []
    with contextlib.suppress(StopIteration):
        while len(found) < 50:
            found.append(next(answers))
    said = f"{said}; {answers.sent} tasks were sent"
    assert found == wanted, f"{said}: {wanted}, not {found}"


def test_answers_that_overtake_wait_for_their_turn():
    bench = Bench([3, 2, 1, 0, 7, 6, 5, 4, 8])
    said = "every answer once, in the order of the tasks"
    tasks, wanted = [0, 1, None, *range(3, 9)], [0, 10, None, *range(30, 90, 10)]
    check_drained(wanted, bench.answers(tasks, 4), said)


def test_one_task_is_sent_for_each_answer_handed_out():
    answers = Bench([1, 0, 2, 4, 3, 5, 6, 7, 8, 9]).answers(range(1000), 3)
    for count in range(1, 6):
        next(answers)
        said = f"after {count} answers, 3 + {count} tasks have been sent, not {answers.sent}"
        assert answers.sent == 3 + count, said
    bench = Bench(range(9))
    next(bench.answers(range(9), 4))
    count = len(bench.under_way)
    assert count == 4, f"answer 0 came first: no more is received, 4 under way, not {count}"


def test_no_more_is_under_way_than_was_asked_for():
    for ahead in (4, 1):
        bench = Bench(range(40, -1, -1))
        check_drained([10 * n for n in range(30)], bench.answers(range(30), ahead), "30 tasks")
        said = f"{bench.most} tasks were under way at once, not {ahead}"
        assert bench.most == ahead, said


def test_what_was_handed_out_is_let_go():
    answers = Bench(range(20)).answers(range(20), 2)
    check_drained([10 * n for n in range(20)], answers, "twenty tasks")
    kept = len(answers.arrived)
    assert not kept, f"{kept} batches that were handed out are still kept in `arrived`"


def test_the_end_is_the_end():
    check_drained([], Bench([]).answers([], 2), "no tasks, no answers")
    answers = Bench(range(3)).answers(range(3), 10)
    check_drained([0, 10, 20], answers, "fewer tasks than may be under way")
    check_drained([], answers, "after the end, StopIteration again")


def test_real_workers_give_the_batches_that_one_process_gives():
    data = TensorDataset(arange(23), arange(23.0))
    orders = []
    for workers in (0, 2):
        manual_seed(1)
        timeout = 10 if workers else 0
        loader = DataLoader(data, 4, shuffle=True, num_workers=workers, timeout=timeout)
        orders.append([x.tolist() for x, _ in itertools.islice(loader, 20)])
    said = f"without workers the batches are {orders[0]}, with two {orders[1]}"
    assert orders[0] == orders[1], said


# %% [markdown]
# Now the loader is complete. Here it is at work, with a data set that records when each batch was started and finished,
# and a model that takes 10 ms for a batch. Each bar is a batch, with its number.


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
# In the upper plot the main process loads and computes alternately. In the lower one, two workers load all the time,
# and the model finds a batch every 10 ms. Before its first batch it waits for the start of the processes, and for that
# batch.

# %% [markdown]
# ## 7. More than fits in memory
#
# A permutation of 200 million samples is 1.6 GB, and reading them in that order is 200 million seeks on a disk. Data of
# that size is stored in *shards*, files of some thousands of samples each, and read from front to back. A stream cannot
# be permuted. But it can be shuffled in two places: the order of the shards, and within a buffer.


# %%
#| export
def draws(n, generator):
    """Endless random numbers below `n`, drawn a thousand at a time."""
    while True:
        yield from generator.integers(0, n, (1024,)).tolist()


# %% [markdown]
# ### A shuffle buffer
#
# Keep a buffer of `size` samples. For each new sample, yield one of those at random and put the new one in its place.
# When the stream ends, yield what is left, in random order.
#
# ```
#   arrives 7       buffer [0 4 2 3]       place 1 is drawn       out 4       buffer [0 7 2 3]
# ```
#
# A sample may come out much later than in the stream, but less than `size` places earlier. A buffer as large as the
# data is a true shuffle; one of size 1 changes nothing.
#
# <details><summary>Hint 1</summary>Fill the buffer from <code>iter(stream)</code> with <code>itertools.islice</code>,
# then loop over the same iterator for the rest.</details>
# <details><summary>Hint 2</summary><code>zip(stream, draws(size, generator))</code> pairs each new item with a random
# place; <code>draws</code>, given above, has no end, so <code>zip</code> ends with the stream.</details>
# <details><summary>Hint 3</summary>At the end, a <code>generator.permutation</code> gives the order in which the buffer
# is yielded. Its length is the buffer's: the stream may have been shorter than <code>size</code>.</details>


# %% stub="shuffle-buffer"
#| export
def shuffled(stream, size, generator):
    """Shuffle a stream within a buffer.

    Args:
        stream: an iterable, which may be endless.
        size: how many items the buffer holds.
        generator: draws the random places.

    Returns:
        An iterator over the items, each once. It never holds more than `size` + 1.

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
def through(stream, size, seed=0):
    """A stream through a buffer, from a new generator with this seed."""
    found = shuffled(stream, size, Generator().manual_seed(seed))
    kind = type(found).__name__
    assert hasattr(found, "__next__"), f"an iterator, which yields items at once, not a {kind}"
    return found


def test_every_item_comes_out_once():
    for n, size in [(100, 10), (10, 10), (7, 1), (5000, 3)]:
        items = list(range(n))
        found = list(through(items, size))
        assert len(items) == n, "the stream may be the caller's list, and must not be changed"
        said = f"{n} items through a buffer of {size}: each exactly once; sorted, they are"
        assert sorted(found) == items, said


def test_a_stream_may_be_shorter_than_the_buffer():
    for n in (3, 0):
        found = sorted(through(range(n), 10))
        assert found == list(range(n)), f"{n} items, a buffer of 10: each once, not {found}"


def test_the_order_is_random_and_repeatable():
    first, second, other = (list(through(range(200), 50, seed)) for seed in (1, 1, 2))
    assert first == second, "the same seed, the same order"
    assert first != other, "another seed, another order"
    moved = np.mean(np.abs(np.array(first) - np.arange(200)))
    said = f"with a buffer of 50, items moved by only {moved:.1f} places on average"
    assert moved > 10, said
    said = "the first 50 out are the first 50 in: for each that arrives, one goes out"
    assert set(first[:50]) != set(range(50)), said


def test_what_is_left_in_the_buffer_is_shuffled_too():
    for n in (50, 1000):
        rising = np.mean(np.diff(list(through(range(n), 100))[-100:]) > 0)
        said = (
            f"{n} items, a buffer of 100: the last must come in random order too, half of the"
        )
        assert 0.3 < rising < 0.7, f"{said} steps rise, not {rising:.0%}"


def test_no_item_comes_much_too_early():
    for place, item in enumerate(through(range(500), 20)):
        said = f"item {item} came out at place {place}: with a buffer of 20 it had not gone in"
        assert item < place + 20, said


def test_every_place_of_the_buffer_is_used():
    firsts = {next(through(range(10), 4, seed)) for seed in range(60)}
    assert firsts == {0, 1, 2, 3}, f"any of a buffer of 4 may be first, it was one of {firsts}"


def test_no_more_is_read_than_the_buffer_holds():
    taken = []
    stream = (taken.append(i) or i for i in range(5000))  # in place of an endless one
    found = through(stream, 8)
    for _ in range(5):
        next(found)
    assert len(taken) <= 8 + 5, f"5 items out of a buffer of 8 read {len(taken)}"


def test_items_may_be_none_or_equal_or_arrays():
    for items in ([5, 4, 3, 0, 2, 1], [5, 4, 3, None, 2, 1], [7] * 4, [*np.eye(5)]):
        found, wanted = (sorted(map(str, each)) for each in (through(items, 2), items))
        assert found == wanted, f"each of {items} once, through a buffer of 2; as sorted texts"


# %%
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
for axis, size in zip(axes, (1, 100, 1000)):
    order = np.array(list(shuffled(range(1000), size, Generator().manual_seed(0))))
    late = np.arange(1000) - order  # how many places each sample came later than in the stream
    print(
        f"buffer of {size:4}: up to {-late.min():3} places early and {late.max():3} late,",
        end="",
    )
    print(f" {np.mean(late > size):4.0%} of the samples late by more than its size")
    axis.plot(order, ".", markersize=2)
    axis.set(title=f"buffer of {size}", xlabel="place in the new order")
axes[0].set_ylabel("place in the old order")
plt.show()


# %% [markdown]
# A sample comes out early by less than the size of the buffer. It may come out late by any number of places: in each
# step it stays with probability 1 - 1/size, so in a long stream a share of about e⁻², 13.5 %, is late by more than the
# size. Sorted data stays nearly sorted in a small buffer. That is why the order of the shards is shuffled as well, and
# why data should be shuffled once, thoroughly, before it is cut into shards.
#
# ### Workers and streams
#
# Each worker has its own copy of a stream, and by default each reads all of it: with four workers every sample comes
# four times. So a stream has to ask which worker is reading. `get_worker_info()` returns the worker's `id` and
# `num_workers`, or None in the main process, which reads everything.
#
# Shards are dealt like cards: of three workers, worker 0 gets shards 0, 3, 6, ..., worker 1 gets 1, 4, 7, ... `share`,
# given, does that.


# %%
#| export
def share(shards, info):
    """The part of the shards that one process reads: all, where there are no workers."""
    return shards if info is None else shards[info.id :: info.num_workers]


# %% [markdown]
# ### A shuffled stream of shards
#
# Now both kinds of shuffling at once, in as many processes as there are. In each epoch the shards are put in a new
# random order and dealt in that order, and each process reads its own shards one after the other through one buffer. The
# workers cannot communicate. Yet they have to agree on the order, or one shard is read twice and another never. They do
# agree if each draws the order from a generator with the same seed.
#
# Which number do they all have in common? A worker's own seed, `info.seed`, is the loader's base seed *plus its number*
# `info.id`. A worker that persists keeps that seed for all epochs, so the epoch's number has to go into it as well.
#
# <details><summary>Hint 1</summary>A worker's seed is the base seed plus its id; without workers,
# <code>draw_seed()</code> gives a new one. The generator of this epoch is seeded with the base seed plus the
# epoch.</details>
# <details><summary>Hint 2</summary>First permute all shards with the generator, then take this process' part with
# <code>share</code>, and only then begin to read. The other way round, a worker reads the same shards in every
# epoch.</details>
# <details><summary>Hint 3</summary><code>itertools.chain.from_iterable</code> of a <code>map</code> opens a shard when
# the previous one is at its end. What it yields goes through <code>shuffled</code>, with the same generator.</details>


# %% stub="shard-stream"
#| export
def shard_stream(shards, read, info, epoch, buffer):
    """Stream the samples of one process' shards, in an order that is new in each epoch.

    Args:
        shards: a list of all shards, in the same order in every process; not changed.
        read: returns an iterator over the samples of one shard, as `read(shard)`.
        info: the `WorkerInfo` of this worker; None in the main process, whose base seed is
            drawn from the default generator by `draw_seed()`.
        epoch: the number of the epoch, the same in every process.
        buffer: how many samples are shuffled at a time, in one buffer for all shards.

    Returns:
        An iterator over samples. All workers' iterators together give each sample once, and
        the numbers of shards that they read differ by at most one. A shard is opened, and
        each sample is read, when it is wanted in the buffer.

    >>> info = WorkerInfo(1, 2, 8, None)
    >>> [list(shard_stream(["ab", "cd"], iter, info, epoch, buffer=1)) for epoch in (1, 2)]
    [['a', 'b'], ['c', 'd']]
    """
    ### BEGIN SOLUTION
    base = draw_seed() if info is None else info.seed - info.id
    generator = Generator().manual_seed(base + epoch)
    order = [shards[i] for i in generator.permutation(len(shards))]
    samples = itertools.chain.from_iterable(map(read, share(order, info)))
    return shuffled(samples, buffer, generator)
    ### END SOLUTION


# %% test="shard-stream" points=5
class Folder:
    """Shards that are lists of `size` samples, and a record of what is opened and read."""

    def __init__(self, count, size=10):
        self.shards = [[size * n + i for i in range(size)] for n in range(count)]
        self.opened, self.taken = [], []

    def read(self, shard):
        self.opened.append(shard[0] // len(shard))
        return (self.taken.append(sample) or sample for sample in shard)

    def epoch(self, workers, epoch, buffer=1, base=100):
        """What each worker yields in an epoch, or the main process if there are none."""
        infos = [WorkerInfo(i, workers, base + i, None) for i in range(workers)] or [None]
        return [list(shard_stream(self.shards, self.read, i, epoch, buffer)) for i in infos]


def test_every_sample_comes_once_however_many_workers_read():
    manual_seed(0)
    for workers in (0, 1, 2, 3, 7, 9):
        for epoch, base in ((3, 2**63 - 20), (1, 0)):
            folder = Folder(7)
            given = folder.epoch(workers, epoch, buffer=4, base=base)
            found = [*itertools.chain(*given)]
            assert folder.shards == Folder(7).shards, "the list of shards is not to be changed"
            kinds = {type(sample).__name__ for sample in found}
            assert kinds == {"int"}, f"the samples that `read` yields are ints, not {kinds}"
            again = sorted(n for n in set(folder.opened) if folder.opened.count(n) > 1)
            never = sorted(set(range(7)) - set(folder.opened))
            said = f"epoch {epoch}, {workers} workers, shards: twice {again}, never {never}"
            assert not again + never, said
            assert sorted(found) == list(range(70)), f"{said}; each sample once, sorted"


def test_the_shares_are_even():
    for n in (9, 11):
        lengths = [len(samples) for samples in Folder(n).epoch(4, 1)]
        said = f"{n} shards of 10 samples among 4 workers, who read {lengths}: not even"
        assert max(lengths) - min(lengths) <= 10, said


def test_shards_come_in_a_new_order_each_epoch():
    folder = Folder(20)
    for workers in (1, 2):
        first, again, second = (folder.epoch(workers, epoch, 4) for epoch in (1, 1, 2))
        assert first == again, "the same base seed and epoch: the same order"
        assert first != second, "the base seed stays, the epoch is new: another order"
        other = folder.epoch(workers, 1, 4, base=7)
        assert first != other, "another base seed: another order"
    shards = [item // 10 for item in folder.epoch(2, 1)[0][::10]]
    assert sorted(shards) != shards, f"the shards come in random order, not {shards}"
    said = "worker 0 of 2 reads the same shards in both epochs: permute all, then deal"
    assert set(first[0]) != set(second[0]), said


def test_in_the_main_process_the_default_generator_decides():
    folder, found = Folder(20), []
    for seed in (3, 3, 4):
        manual_seed(seed)
        samples = iter(shard_stream(folder.shards, folder.read, None, 1, 20))
        first = next(samples)
        manual_seed(len(found))  # as a model might that draws
        found.append([first, *samples])
    assert found[0] == found[1], "the same manual_seed, the same order, other draws or not"
    assert found[0] != found[2], "after another manual_seed, another order"


def test_samples_are_shuffled_within_the_buffer():
    found, second = (Folder(1, size=200).epoch(1, n, buffer=50)[0] for n in (1, 2))
    assert found != second, "one shard: another order in another epoch, from the buffer"
    moved = np.mean(np.abs(np.array(found) - np.arange(200)))
    said = f"through a buffer of 50, samples moved by {moved:.1f} places on average"
    assert moved > 10, said
    early = max(item - place for place, item in enumerate(found))
    assert early < 50, f"through a buffer of 50, a sample came {early} places too early"
    found = [sample // 10 for sample in Folder(4).epoch(1, 1, buffer=40)[0]]
    changes = sum(a != b for a, b in itertools.pairwise(found))
    assert changes > 9, f"one buffer of 40 mixes 4 shards; the samples' shards are {found}"


def test_a_shard_is_opened_when_it_is_wanted():
    folder = Folder(50, size=40)
    for samples in (shard_stream(folder.shards, folder.read, None, 1, 8) for _ in range(2)):
        next(samples)
    said = f"two streams, one sample of each: {len(folder.opened)} of 50 shards were opened"
    assert len(folder.opened) <= 2, said
    said = f"two streams, one sample of each, buffers of 8: {len(folder.taken)} were read"
    assert len(folder.taken) <= 20, said


# %% [markdown]
# With this, a data set of shards is given: `ShardedDataset(folder)` passes the files of a folder to `shard_stream`. A
# `.npy` file is *mapped*: its bytes appear at an address, and the system reads a page when it is accessed and drops it
# when memory is short. So a shard of any size needs memory only for the samples in the buffer.

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
# A transform is a function from an image to an image, applied when a sample is fetched: `Digits(transform=...)`. There
# are two kinds. Some normalise the numbers: a network usually learns faster when its inputs have mean 0 and standard
# deviation 1, so
#
# $$x' = \frac{x - \mu_c}{\sigma_c}$$
#
# with one mean and one standard deviation for each channel c, measured once on the *training* data. Others change the
# image at random, in a way that does not change what it shows, so that the model hardly ever sees the same picture
# twice.
#
# An image is (C, H, W), an array or a Tensor, and the result is of the same kind.
#
# <details><summary>Hint 1</summary><code>self.mean</code> and <code>self.std</code> have shape (C, 1, 1): they
# broadcast over rows and columns.</details>
# <details><summary>Hint 2</summary><code>getattr(image, "array", image)</code> is the array of a Tensor, and an array
# itself.</details>
# <details><summary>Hint 3</summary>Compute on the array, then <code>wrap</code> the result if the image was a
# Tensor.</details>


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
            A Tensor or an array, as the image was; float64 for float64, float32 for
            float32 and for bytes.
        """
        ### BEGIN SOLUTION
        array = (getattr(image, "array", image) - self.mean) / self.std
        return wrap(array) if isinstance(image, Tensor) else array
        ### END SOLUTION


# %% test="normalize" points=3
def test_each_channel_has_its_own_mean_and_deviation():
    rng = np.random.default_rng(0)
    mean, std = np.array([0.1, 0.2, 0.3]), np.array([0.5, 1.0, 2.0])
    for shape in ((3, 3, 3), (3, 4, 5), (2, 3, 4, 5)):
        image = rng.random(shape, dtype=np.float32)
        kept, wanted = image.copy(), (image - mean[:, None, None]) / std[:, None, None]
        found = Normalize(mean.tolist(), std.tolist())(image)
        said = "the data set still owns the image: it must not be changed in place"
        np.testing.assert_array_equal(image, kept, err_msg=said)
        said = f"(x - self.mean) / self.std, of an image {shape}"
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=said)


def test_a_tensor_stays_a_tensor_and_an_array_an_array():
    normalize = Normalize(0.5, 0.25)
    for image, kind in (ones(3, 2, 2), Tensor), (np.ones((3, 2, 2), np.float32), np.ndarray):
        found = normalize(image)
        said = f"a {kind.__name__} in, a {kind.__name__} out, not a {type(found).__name__}"
        assert type(found) is kind, said
        values = np.asarray(found.numpy() if kind is Tensor else found)
        said = "(1 - 0.5) / 0.25 in all three channels"
        np.testing.assert_array_equal(values, np.full((3, 2, 2), 2.0), err_msg=said)
        assert image.sum() == 12, f"the image, a {kind.__name__}, is changed in place"


def test_the_numbers_keep_their_precision():
    image = np.full((1, 2, 2), 50.0)
    kinds = {"float32": "float32", "uint8": "float32", "float64": "float64"}
    for given, wanted in kinds.items():
        for kind in (np.asarray, tensor):
            result = Normalize(100.5, 50)(kind(image.astype(given)))
            found = str(result.dtype)
            said = f"an image of {given} becomes {wanted}, not {found}"
            assert found.removeprefix("torch.") == wanted, said
            values = np.asarray(getattr(result, "array", result))
            said = f"(50 - 100.5) / 50, of an image of {given}"
            np.testing.assert_allclose(values, np.full((1, 2, 2), -1.01), 1e-5, err_msg=said)


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
# One digit, ten times, each shifted by a pixel or so. (Flipping is for photographs. A flipped digit is a different
# digit, or none.)
#
# ## Systems: how many workers
#
# Loading a batch takes the time L, the model takes C, and with n workers a batch is ready every L / n. A loop that
# alternates needs L + C for each batch. One that overlaps them needs the larger of the two:
#
# $$t_0 = L + C, \qquad t_n = \max(L / n,\; C)$$
#
# So more workers help until L / n is less than C, and then no longer. Measure it, with samples that take a while (they
# sleep, as if they waited for a disk) and a model that computes.


# %%
class Slow(Dataset):
    """13 batches of 4 samples; each sample takes 12 ms to load."""

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


# %% [markdown]
# The formula leaves out the start, and the clock began after it: the processes are forked, and the first batch is made,
# before the model has anything to do. (`persistent_workers` saves the forking from the second epoch on.) It also
# ignores other work on your machine. Where samples are computed rather than waited for, n is also limited by the number
# of cores, and the model needs one of them. And where a sample takes less time to make than to send, such as a row of a
# tensor in memory, `num_workers=0` is right.
#
# ### 600 GB
#
# How long is an epoch over 600 GB of images of 3 x 32 x 32 bytes? Measure three ways to read samples, and multiply.
#
# **Predict:** all files are in memory already, so no disk is involved. How many times as many samples a second does a
# worker get from shards, in order, as from one file for each sample?

# %%
predicted_shards = None  # the rate from shards over that from single files


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
faster = rates["shards, in order"] / rates["a file for each sample"]
compare(predicted_shards, faster, "times")


# %% [markdown]
# The first three lines are measured with files that the system still had in memory: they show the cost of Python, for
# one worker. The last three are only arithmetic, with round figures for the sequential speed of such devices. Compare
# the two. Where a device is slower than one worker, the device is the limit, whatever you do in Python; where it is
# faster, a second worker helps. A file for each sample is the slowest even here, where no disk was involved; on a hard
# disk, with some hundred jumps a second, an epoch of 195 million would be three weeks.
#
# The memory is that of the buffer: 4,096 samples, 13 MB.
#
# ## Break it
#
# **A worker dies.** Not by an exception, which would be reported, but as if memory ran out and the system killed it. A
# loader that only waits for answers would wait forever.


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
# The exception arrives with the traceback of the worker, when it is the turn of its batch. The death is noticed at
# once, whichever batch is next: the pipe is closed, and the missing answers of this worker will never come.
#
# **The same random numbers everywhere.** Forked processes begin with the same generators. A loader that does not seed
# them, or user code that seeds all of them alike "to be reproducible", gives every worker the same augmentations.
# Nothing fails. The model merely sees less than you think. (PyTorch's loader did not seed NumPy's generator until
# version 1.9, so projects that drew their augmentations from it could have this mistake without noticing.)
#
# **Predict:** 64 samples draw one number each, in four workers that are all seeded alike. How many different numbers
# are there?

# %%
predicted_numbers = None  # of 64


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
compare(predicted_numbers, len(set(drawn)))  # the last loader's, all seeded alike


# %% [markdown]
# **Shuffle forgotten.** Take the digits, sorted by label as data often is, and a very small classifier: one layer,
# softmax, with a gradient written by hand, $\bar W = x^\top (p - t) / B$. The only difference between the two runs is
# the order.
#
# **Predict:** after three epochs, shuffled, the layer recognises over 90 % of the held-out digits. How many per cent if
# the same samples come in the order of their labels?

# %%
predicted_accuracy = None  # per cent

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
compare(predicted_accuracy, accuracies[-1], "per cent")
axis.set(xlabel="step", ylabel="accuracy, %")
axis.legend(loc=(0.65, 0.62))
plt.show()


# %% [markdown]
# Each batch has only one or two digits, and the layer learns to answer these, whatever it sees; it forgets the others.
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
# The structure is the same: a `Fetcher`, a worker loop, tasks with numbers, a dict of early answers. PyTorch sends
# tensors through shared memory by file descriptors, as here, and everything else by pickle through a queue. Its order
# for a seed, its base seed and its workers' seeds are yours too.
#
# ## In words
#
# `InOrder` waits for a slow batch although others are ready. What would be gained by returning whatever is ready, and
# what would be lost? Say when the gain is large and when there is none, and name two different losses.

# %% [markdown] answer="out-of-order" points=4
# The gain is that the model does not wait for one slow batch while others are ready: it is large where the times of
# batches differ much and the model is nearly as slow as the workers. Where the workers are the bottleneck there is
# none, since every batch has to be made anyway; and `ahead` limits how many can be ready at all.
#
# The first loss is that a seed determines a run: the order now depends on which worker was faster, so neither a result
# nor a bug can be reproduced. Second, the order is no longer independent of the data: what is slow to load (long texts,
# large images) comes late, in every epoch, and similar batches come together, which shuffling was meant to prevent.
#
# Marks: 1 for when it gains, 1 for when it does not, 1 for the run that cannot be repeated, 1 for the order that
# depends on what the samples are.

# %% [markdown]
# ## Questions to think about
#
# 1. With four workers and `prefetch_factor=2`, how many batches of 38 MB can be in memory at once? Where are they?
#
#    <details><summary>Answer</summary>
#
#    Nine, 342 MB. The loader keeps 2 x 4 = 8 tasks under way or arrived (eight are sent at the start, and one more each
#    time a batch is returned), and the model holds a ninth. A batch that is being made is in its worker's memory, for a
#    moment twice: as single samples, and stacked. A finished one is in a file that exists only in memory; the parent
#    maps that same memory, so it counts once, and only its description goes through the pipe. The dict `arrived` holds
#    those that came early. If the model keeps an old batch in a variable, that is one more.
#
#    </details>
#
# 2. A stream of 10 samples, `batch_size=4`, two workers with half of it each: how many batches come, and of which
#    sizes? And with `drop_last`?
#
#    <details><summary>Answer</summary>
#
#    Four, of 4, 4, 1 and 1 samples: each worker makes batches of its own five, and the loader takes from the two in
#    turn. With `drop_last` each worker drops its own rest, so two batches of 4 remain. Without workers it would be 4,
#    4, 2. Each worker can leave a rest, so with $n$ workers up to $n (B - 1)$ samples are lost in every epoch, and not
#    always different ones.
#
#    ```python
#    class Halves(IterableDataset):
#        def __iter__(self):
#            info = get_worker_info()
#            start, stop = (0, 10) if info is None else (info.id * 5, info.id * 5 + 5)
#            return iter(range(start, stop))
#    for workers, drop in ((0, False), (2, False), (2, True)):
#        batches = DataLoader(Halves(), batch_size=4, num_workers=workers, drop_last=drop)
#        print(workers, drop, [batch.tolist() for batch in batches])
#    ```
#
#    </details>
#
# 3. Two shuffles of the same buffer, one after the other: is that as good as one buffer of twice the size?
#
#    <details><summary>Answer</summary>
#
#    Not quite. In a buffer of size $b$ a sample is drawn with probability $1/b$ at each step, so it stays for about $b$
#    steps, with a standard deviation of about $b$. Two buffers in a row add two independent stays: their deviations add
#    up to $\sqrt 2\, b$, where one buffer of $2b$ has $2b$. In a stream of 200,000 samples the displacement had a
#    standard deviation of 1,411 for two buffers of 1,000, and 1,994 for one of 2,000, with the same memory. How far a
#    sample may come early is nearly the same: 1,998 and 1,999 places at most.
#
#    ```python
#    for sizes in ([1000, 1000], [2000]):
#        stream = range(200_000)
#        for seed, size in enumerate(sizes):
#            stream = shuffled(stream, size, Generator().manual_seed(seed))
#        print(sizes, (np.arange(200_000) - np.array(list(stream))).std())
#    ```
#
#    </details>
#
# 4. Your data is 64 GB, memory 32 GB, and training takes ten epochs. What do you gain by compressing the data to a
#    half?
#
#    <details><summary>Answer</summary>
#
#    At least half of the reading, and possibly nearly all of it. The system keeps files that it has read in free memory
#    and, when memory is full, drops what was not used for the longest time. If 64 GB are read in order, each part has
#    been dropped before it is needed again: ten epochs read 640 GB, 53 minutes at 0.2 GB/s. If the compressed data
#    *fits*, it is read once: 160 seconds for 32 GB. Exactly 32 GB do not fit beside your programs, so compress a little
#    more, or read what is left over in a random order. The price is decompression in the workers, ten times: compare it
#    with what reading costs.
#
#    </details>
#
# 5. Training that was stopped in the middle of an epoch should continue with exactly the next batch. What must be
#    saved?
#
#    <details><summary>Answer</summary>
#
#    The order of this epoch, and how far the *model* is in it. The order is a permutation of 8 bytes a sample, or only
#    the generator's state before it was drawn. The place is the number of batches that the model has received, not that
#    of the batches that were sent to workers, which are up to 8 further (question 1). Then what the samples depend on:
#    the states of the generators that draw augmentations, in every worker, or a rule such as a seed for each sample's
#    number, which needs no state. And the generator that will draw the *next* epoch's order. For a stream it is harder:
#    the place in each shard, and what is in the buffers.
#
#    </details>
#
# ## To read
#
# - PyTorch's documentation of `torch.utils.data`, the sections "Multi-process data loading" and "Memory Pinning": the
#   options that you have built, and one that needs a GPU.
# - D. E. Knuth, "The Art of Computer Programming", volume 2, 3rd edition, Addison-Wesley, 1997, section 3.4.2:
#   shuffling, and sampling from a stream whose length nobody knows.
# - A. Aizman, G. Maltby and T. Breuel, "High Performance I/O For Large Scale Deep Learning", IEEE Big Data 2019: why
#   shards, with measurements.
# - J. Mohan, A. Phanishayee, A. Raniwala and V. Chidambaram, "Analyzing and Mitigating Data Stalls in DNN Training",
#   PVLDB 14, 2021: how often training waits for data, and what the system's cache does.
# - Python's documentation of `pickle`, the section "Out-of-band Buffers": how large arrays stay out of the pipe.
#
# ## An open problem
#
# Build what question 5 asks for: a loader that can say where it is, and continue there in another process. It should
# shuffle, read no sample that has been delivered already, go on to the same next epoch, and work with any number of
# workers. The check below takes three batches, stops, and continues in a second loader. When it passes, stop a loader
# with two workers, and then one over `ShardedDataset`.


# %%
class ResumableLoader:
    """Shuffled batches that can be continued: state_dict says what has been delivered."""

    def __init__(self, dataset, batch_size, num_workers=0):
        raise NotImplementedError

    def state_dict(self):
        """What another loader needs to continue with the next batch."""

    def load_state_dict(self, state):
        """Continue where the loader was that this state is of."""


class Counted(Dataset):
    """Twenty numbers, and how often one was read."""

    read = 0

    def __len__(self):
        return 20

    def __getitem__(self, index):
        self.read += 1
        return index


def check_resumable():
    manual_seed(0)
    one = ResumableLoader(Counted(), batch_size=4)
    delivered = [batch.tolist() for batch in itertools.islice(one, 3)]
    data, state = Counted(), one.state_dict()
    manual_seed(1)  # as in another process
    other = ResumableLoader(data, batch_size=4)
    other.load_state_dict(state)
    rest = [batch.tolist() for batch in other]
    numbers = sorted(itertools.chain(*delivered, *rest))
    assert numbers == list(range(20)), "every sample once"
    assert data.read == 8, f"{data.read} samples were read for two batches of 4"
    one.load_state_dict(state)
    epochs = [[batch.tolist() for batch in one] for _ in range(2)]
    assert epochs[0] == rest
    assert epochs[1] == [batch.tolist() for batch in other], "the same next epoch"
    assert len(epochs[1]) == 5


try:
    check_resumable()
    print("it continues with the next batch")
except NotImplementedError:
    print("not built yet")


# %% [markdown]
# ## What comes next
#
# Batches arrive, the layers of module 03 turn them into scores, and the losses of module 04 into a number. What is
# missing is the direction in which to change the weights. You saw one gradient written by hand above; in module 06 you
# let the machine do that for any program.
