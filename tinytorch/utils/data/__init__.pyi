# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.utils.data import dataloader as dataloader
from tinytorch.utils.data import dataset as dataset
from tinytorch.utils.data import distributed as distributed
from tinytorch.utils.data import sampler as sampler
class Dataset(Generic[_T]):
    """Samples by number: a subclass defines `__getitem__`, and `__len__` where it is known."""
    def __init__(self, *args, **kwargs) -> None: ...
    def __add__(self, other): ...
    def __getitem__(self, index): ...
class Sampler(Generic[_T]):
    """The order in which data is read: iterating gives sample numbers, or lists of them."""
    def __init__(self, *args, **kwargs) -> None: ...
    def __iter__(self): ...
class BatchSampler(Sampler):
    """The numbers of another sampler in lists of `batch_size`."""
    batch_size: Any
    drop_last: Any
    sampler: Any
    def __init__(self, sampler, batch_size, drop_last) -> None: ...
    def __iter__(self):
        """Yield the numbers of `sampler` in new lists, each taking only what it needs."""
    def __len__(self) -> _int: ...
class ConcatDataset(Dataset):
    """Several data sets, one after the other, as one."""
    cumulative_sizes: Any
    datasets: Any
    def __getitem__(self, index):
        """Return sample `index` of all data sets; a negative index counts from the end."""
    def __init__(self, datasets) -> None: ...
    def __len__(self) -> _int: ...
class DataLoader(Generic[_T]):
    """Batches of a data set, in a sampler's order, prepared here or by worker processes."""
    batch_sampler: Any
    batch_size: Any
    collate_fn: Any
    dataset: Any
    drop_last: Any
    generator: Any
    in_order: Any
    multiprocessing_context: Any
    num_workers: Any
    persistent_workers: Any
    pin_memory: Any
    pin_memory_device: Any
    prefetch_factor: Any
    sampler: Any
    timeout: Any
    worker_init_fn: Any
    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None, pin_memory: _bool = False, drop_last: _bool = False, timeout=0, worker_init_fn=None, multiprocessing_context=None, generator: Generator | None = None, *, prefetch_factor=None, persistent_workers: _bool = False, pin_memory_device: str = '', in_order: _bool = True) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int:
        """How many batches an epoch has; of a stream, if it knows its length."""
    def __setattr__(self, name, value): ...
class DistributedSampler(Sampler):
    dataset: Any
    drop_last: Any
    epoch: Any
    num_replicas: Any
    num_samples: Any
    rank: Any
    seed: Any
    shuffle: Any
    total_size: Any
    def __init__(self, dataset, num_replicas=None, rank=None, shuffle: _bool = True, seed=0, drop_last: _bool = False) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def set_epoch(self, epoch):
        """Say which epoch it is, so that every one has another order."""
class RandomSampler(Sampler):
    """Sample numbers in random order, a new one each time it is iterated."""
    data_source: Any
    generator: Any
    replacement: Any
    def __init__(self, data_source, replacement: _bool = False, num_samples=None, generator: Generator | None = None) -> None: ...
    def __iter__(self):
        """Yield `num_samples` numbers below N; draw a permutation, or a few, at need."""
    def __len__(self) -> _int: ...
    num_samples: Any
class SequentialSampler(Sampler):
    """Every sample once, in the data set's own order."""
    data_source: Any
    def __init__(self, data_source) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
class Subset(Dataset):
    """Some of the samples of another data set, by their numbers there."""
    dataset: Any
    indices: Any
    def __getitem__(self, index): ...
    def __getitems__(self, indices):
        """The samples of these numbers, fetched together from the underlying data set."""
    def __init__(self, dataset, indices) -> None: ...
    def __len__(self) -> _int: ...
class SubsetRandomSampler(Sampler):
    """The given sample numbers, in random order."""
    generator: Any
    indices: Any
    def __init__(self, indices, generator: Generator | None = None) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
class TensorDataset(Dataset):
    """Samples cut from tensors along their first dimension."""
    tensors: Any
    def __getitem__(self, index): ...
    def __init__(self, *tensors) -> None: ...
    def __len__(self) -> _int: ...
class WeightedRandomSampler(Sampler):
    """Sample numbers, drawn in proportion to `weights`: to see rare classes as often as others."""
    generator: Any
    num_samples: Any
    replacement: Any
    weights: Any
    def __init__(self, weights, num_samples, replacement: _bool = True, generator: Generator | None = None) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
class IterableDataset(Dataset, Generic[_T]):
    """Samples in the order in which they come: a subclass defines `__iter__`."""
    def __add__(self, other): ...
    def __iter__(self): ...
class ChainDataset(IterableDataset):
    """Several iterable data sets, one after the other, as one: what `+` makes of two."""
    datasets: Any
    def __init__(self, datasets) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
def default_collate(batch):
    """Put samples together: tensors and numbers are stacked along a new first dimension."""
def default_convert(data): ...
def get_worker_info():
    """Who this worker is; None in the main process."""
def random_split(dataset, lengths, generator: Generator = ...):
    """Split a data set at random into parts that have no sample in common."""
