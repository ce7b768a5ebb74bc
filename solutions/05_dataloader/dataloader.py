# %% [markdown]
# # 05 Data
#
# Data sets, samplers, and a loader that prepares batches in other processes while the model computes.

# %%
#| export
import bisect
import contextlib
import copy
import enum
import gzip
import hashlib
import importlib.resources
import io
import itertools
import math
import mmap
import multiprocessing
import os
import pickle
import queue
import random
import signal
import sys
import tarfile
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request
import warnings
import weakref
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import connection, reduction
from pathlib import Path
from typing import Any

import numpy as np

from tinytorch.tensor import (
    Generator,
    Tensor,
    as_tensor,
    default_generator,
    float64,
    manual_seed,
    rand,
    randint,
    stack,
    tensor,
    wrap,
)


# %%
#| export
class Dataset:
    """Samples by number: a subclass defines `__getitem__`, and `__len__` where there is an end."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset, Iterable):
    """Samples in the order in which they come: a subclass defines `__iter__`."""

    def __add__(self, other):
        raise TypeError(
            "data sets without indices cannot be added; chain their iterators with itertools.chain"
        )


# %% stub="tensor-dataset"
#| export
class TensorDataset(Dataset):
    """Samples cut from tensors along their first dimension."""

    def __init__(self, *tensors):
        if any(t.size(0) != tensors[0].size(0) for t in tensors):
            raise AssertionError(f"Size mismatch between tensors: {[t.size(0) for t in tensors]} samples")
        self.tensors = tensors

    def __getitem__(self, index):
        ### BEGIN SOLUTION
        return tuple([t[index] for t in self.tensors])
        ### END SOLUTION

    def __len__(self):
        return self.tensors[0].size(0)


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
        """The samples of a whole batch, which the data set underneath may have a faster way for."""
        return samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


def samples(dataset, indices):
    """The samples of these numbers: at once where the data set can, else one by one."""
    if hasattr(dataset, "__getitems__"):
        return dataset.__getitems__(indices)
    return [dataset[i] for i in indices]


# %% stub="concat-dataset"
#| export
class ConcatDataset(Dataset):
    """Several data sets, one after the other, as one."""

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
        ### BEGIN SOLUTION
        if index < 0:
            if -index > len(self):
                raise ValueError(f"index {index} is out of range for {len(self)} samples")
            index += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, index)
        before = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][index - before]
        ### END SOLUTION


# %% stub="random-split"
#| export
def random_split(dataset, lengths, generator=None):
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = shares(len(dataset), lengths)
    ### BEGIN SOLUTION
    if sum(lengths) != len(dataset):
        raise ValueError(f"the lengths sum to {sum(lengths)}, and the data set has {len(dataset)} samples")
    order = (generator or default_generator).permutation(len(dataset)).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
    ### END SOLUTION


# %%
#| export
def shares(total, fractions):
    """How many of `total` samples each fraction gets: rounded down, and what is left over dealt out from the first on."""
    for number, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {number} is not between 0 and 1: {fraction}")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for number in range(total - sum(lengths)):
        lengths[number % len(lengths)] += 1
    for number, length in enumerate(lengths):
        if length == 0:
            warnings.warn(f"Length of split at index {number} is 0.", stacklevel=3)
    return lengths


# %%
#| export
class Sampler:
    """An order in which to read a data set: iterating gives sample numbers, or lists of them."""

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


# %% stub="random-sampler"
#| export
class RandomSampler(Sampler):
    """The samples in random order."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self):
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __len__(self):
        return self.num_samples

    def __iter__(self):
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


# %%
#| export
class SubsetRandomSampler(Sampler):
    """The given sample numbers in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in (self.generator or default_generator).permutation(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Sample numbers with chances in proportion to `weights`."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if type(num_samples) is not int or num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        generator = self.generator or default_generator
        yield from generator.multinomial(self.weights.array, self.num_samples, self.replacement).tolist()

    def __len__(self):
        return self.num_samples


# %% stub="batch-sampler"
#| export
class BatchSampler(Sampler):
    """The numbers of another sampler in lists of `batch_size`."""

    def __init__(self, sampler, batch_size, drop_last):
        if type(batch_size) is not int or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        ### BEGIN SOLUTION
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch
        ### END SOLUTION

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (rest > 0 and not self.drop_last)


# %% stub="collate"
#| export
def default_collate(batch):
    first = batch[0]
    ### BEGIN SOLUTION
    if isinstance(first, Mapping):
        return like(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch)))
    if isinstance(first, Sequence) and not isinstance(first, str | bytes):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(column) for column in zip(*batch)]
    return collate_values(batch)
    ### END SOLUTION


# %%
#| export
COLLATES = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def collate_values(batch):
    """A batch of tensors, arrays or numbers as one tensor; texts as they are."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(COLLATES.format(first.dtype))
        return stack([as_tensor(array) for array in batch])
    if isinstance(first, np.generic):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    raise TypeError(COLLATES.format(type(first)))


def like(mapping, values):
    """A mapping of the same type with new values; a dict where the type cannot be made so."""
    try:
        result = copy.copy(mapping)
        result.update(values)
    except (AttributeError, TypeError):
        return values
    return result


def default_convert(sample):
    """A single sample with every array in it as a tensor: what a loader without batches does in place of collating."""
    if isinstance(sample, np.ndarray | np.generic) and sample.dtype.kind not in "SUO":
        return as_tensor(sample)
    if isinstance(sample, Mapping):
        return like(sample, {key: default_convert(value) for key, value in sample.items()})
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return type(sample)(*map(default_convert, sample))
    if isinstance(sample, Sequence) and not isinstance(sample, str | bytes):
        return [default_convert(value) for value in sample]
    return sample


# %% stub="fetch"
#| export
class Fetcher:
    """Turns what a sampler gives into what a loader gives: numbers into samples, samples into a batch."""

    def __init__(self, loader):
        self.dataset, self.collate, self.drop_last = loader.dataset, loader.collate_fn, loader.drop_last
        self.in_batches = loader.batch_sampler is not None
        self.stream = iter(loader.dataset) if isinstance(loader.dataset, IterableDataset) else None

    def __call__(self, index):
        ### BEGIN SOLUTION
        if not self.in_batches:
            return self.collate(self.dataset[index] if self.stream is None else next(self.stream))
        if self.stream is None:
            return self.collate(samples(self.dataset, index))
        batch = list(itertools.islice(self.stream, len(index)))
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return self.collate(batch)
        ### END SOLUTION


# %%
#| export
class DataLoader:
    """Batches of a data set."""

    _fixed = False

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
        in_order=True,
    ):
        if num_workers < 0:
            raise ValueError(f"num_workers option should be non-negative, not {num_workers}")
        if timeout < 0:
            raise ValueError(f"timeout option should be non-negative, not {timeout}")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing: let num_workers > 0"
            )
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError(f"prefetch_factor option should be non-negative, not {prefetch_factor}")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if multiprocessing_context is not None and num_workers == 0:
            raise ValueError("multiprocessing_context can only be used with num_workers > 0")
        if getattr(multiprocessing_context, "get_start_method", lambda: multiprocessing_context)() not in (
            None,
            "fork",
        ):
            raise ValueError(
                f"workers are started by fork here, not by multiprocessing_context={multiprocessing_context}"
            )
        if not in_order:
            raise ValueError("in_order=False is not supported here: batches come in the sampler's order")
        iterable = isinstance(dataset, IterableDataset)
        for name, value in (("shuffle", shuffle), ("sampler", sampler), ("batch_sampler", batch_sampler)):
            if iterable and value not in (None, False):
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if iterable:
                sampler = Forever()
            else:
                sampler = (
                    RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
                )
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers, self.worker_init_fn, self.timeout = num_workers, worker_init_fn, timeout
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers, self.pin_memory, self.pin_memory_device = (
            persistent_workers,
            pin_memory,
            pin_memory_device,
        )
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        self._iterator = None
        self._fixed = True

    def __setattr__(self, name, value):
        if self._fixed and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after DataLoader is initialized")
        super().__setattr__(name, value)

    def __iter__(self):
        if not self.num_workers:
            return SerialIterator(self)
        if not self.persistent_workers:
            return ParallelIterator(self)
        if self._iterator is None:
            self._iterator = ParallelIterator(self)
        else:
            self._iterator.start(self)
        return self._iterator

    def __len__(self):
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        if self.batch_size is None:
            return len(self.dataset)
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + (rest > 0 and not self.drop_last)


FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class Forever(Sampler):
    """The sampler of data without numbers: it only says, time and again, that one more is wanted."""

    def __iter__(self):
        return itertools.repeat(None)


class SerialIterator:
    """One pass through the data, in this process."""

    def __init__(self, loader):
        self.order = loader.sampler if loader.batch_sampler is None else loader.batch_sampler
        self.indices = iter(self.order)
        self.base_seed = draw_seed(loader.generator)
        self.fetch = Fetcher(loader)

    def __iter__(self):
        return self

    def __next__(self):
        return self.fetch(next(self.indices))

    def __len__(self):
        return len(self.order)


# %% stub="worker-loop"
#| export
def work(tasks, fetch, send, number):
    """Answer every task, until there is none."""
    ### BEGIN SOLUTION
    for task, index in tasks:
        try:
            answer = fetch(index)
        except StopIteration:
            answer = END
        except Exception as error:
            answer = Failure.of(error, number)
        send(task, answer)
    ### END SOLUTION


# %%
#| export
class End(enum.Enum):
    """What a worker answers when its share of the data is at an end."""

    END = "end"


END = End.END


class Message(str):
    """A text that is shown with its line breaks also by KeyError, which shows its argument's repr."""

    __repr__ = str.__str__


@dataclass
class Failure:
    """An exception on its way from a worker to the parent: its type, and what there is to say."""

    kind: type
    text: str

    @classmethod
    def of(cls, error, worker):
        """The failure of a worker, with the traceback that only exists over there."""
        lines = "".join(traceback.format_exception(error))
        return cls(
            type(error),
            f"Caught {type(error).__name__} in DataLoader worker process {worker}.\nOriginal {lines}",
        )

    def reraise(self):
        """Raise it here; as a RuntimeError if its type cannot be made from a text."""
        try:
            error = self.kind(Message(self.text))
        except Exception:
            error = RuntimeError(self.text)
        raise error


# %% stub="in-order"
#| export
class InOrder:
    """Answers in the order of their tasks, with `ahead` tasks under way."""

    def __init__(self, tasks, submit, receive, ahead):
        self.tasks, self.submit, self.receive = enumerate(tasks), submit, receive
        self.wanted, self.arrived, self.sent = 0, {}, 0
        for _ in range(ahead):
            self.submit_next()

    def submit_next(self):
        for number, index in itertools.islice(self.tasks, 1):
            self.submit(number, index)
            self.sent += 1

    def __next__(self):
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


# %%
#| export
@dataclass(frozen=True)
class WorkerInfo:
    """Who a worker is: its number, how many there are, its seed, and its copy of the data set."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


worker_info = None


def get_worker_info():
    """What a worker is, if called in one; None in the main process."""
    return worker_info


def become_worker(loader, number, base_seed, link, others):
    """The life of a worker process: listen, seed, work, until the parent says so or is gone."""
    global worker_info
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    tasks = queue.SimpleQueue()
    threading.Thread(target=listen, args=(link, tasks), daemon=True).start()
    seed = base_seed + number
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(np.random.SeedSequence([number, base_seed % 2**32, base_seed >> 32, 0]).generate_state(4))
    worker_info = WorkerInfo(number, loader.num_workers, seed, loader.dataset)
    with contextlib.suppress(BrokenPipeError):
        work(
            iter(tasks.get, None), Epochs(loader, number), lambda *answer: post(link, number, *answer), number
        )


def listen(link, tasks):
    """Put what the parent sends where the worker finds it, so that the parent never has to wait; leave with the parent."""
    with contextlib.suppress(EOFError, OSError):
        while (task := link.recv()) is not None:
            tasks.put(task)
        tasks.put(None)
        return
    os._exit(1)


class Epochs:
    """A worker's Fetcher, made when the first task of a pass through the data arrives."""

    def __init__(self, loader, number):
        self.loader, self.number, self.epoch = loader, number, None

    def __call__(self, task):
        epoch, index = task
        if self.epoch is None and self.loader.worker_init_fn is not None:
            self.loader.worker_init_fn(self.number)
        if epoch != self.epoch:
            self.fetch, self.epoch = Fetcher(self.loader), epoch
        return self.fetch(index)


LARGE = 2**16


def post(link, worker, task, answer):
    """Send an answer: small arrays in the message, large ones in a file in memory that travels with it."""
    buffers = []
    try:
        head = pickle.dumps(answer, 5, buffer_callback=lambda buffer: buffers.append(buffer.raw()))
    except Exception as error:
        head = pickle.dumps(Failure(RuntimeError, Failure.of(error, worker).text))
        buffers = []
    sizes = [buffer.nbytes for buffer in buffers]
    if sum(sizes) < LARGE:
        link.send((task, head, sizes, b"".join(buffers)))
        return
    link.send((task, head, sizes, None))
    with memory_file() as file:
        for buffer in buffers:
            file.write(buffer)
            file.seek(-file.tell() % ALIGNED, io.SEEK_CUR)
        file.truncate()
        file.flush()
        reduction.send_handle(link, file.fileno(), os.getppid())


ALIGNED = 64


def memory_file():
    """A file without a name that is gone when nobody has it open; in memory, where the system offers that."""
    if sys.platform == "linux":
        return open(os.memfd_create("batch"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


def collect(link):
    """Receive what `post` sent: the task's number, and the answer, its large arrays in shared memory."""
    task, head, sizes, data = link.recv()
    if data is None:
        handle = reduction.recv_handle(link)
        try:
            data = mmap.mmap(handle, 0)
        finally:
            os.close(handle)
        step = ALIGNED
    else:
        data, step = bytearray(data), 1
    view, starts = memoryview(data), itertools.accumulate((-(-n // step) * step for n in sizes), initial=0)
    return task, pickle.loads(head, buffers=[view[start : start + n] for start, n in zip(starts, sizes)])


# %%
#| export
class ParallelIterator:
    """One pass through the data, prepared by worker processes."""

    def __init__(self, loader):
        self.base_seed = draw_seed(loader.generator)
        self.links, self.workers, self.epoch = [], [], 0
        fork = multiprocessing.get_context("fork")
        for number in range(loader.num_workers):
            here, there = fork.Pipe()
            self.links.append(here)
            worker = fork.Process(
                target=become_worker,
                args=(loader, number, self.base_seed, there, list(self.links)),
                daemon=True,
            )
            worker.start()
            there.close()
            self.workers.append(worker)
        self.close = weakref.finalize(self, stop, self.workers, self.links, os.getpid())
        self.start(loader)

    def start(self, loader):
        """Begin a pass through the data."""
        self.epoch += 1
        self.timeout, self.keep = loader.timeout, loader.persistent_workers
        self.order = loader.sampler if loader.batch_sampler is None else loader.batch_sampler
        self.ready = itertools.cycle(range(len(self.workers)))
        self.active = set(range(len(self.workers)))
        indices = itertools.takewhile(lambda _: self.active, iter(self.order))
        self.answers = InOrder(indices, self.submit, self.receive, loader.prefetch_factor * len(self.workers))

    def __iter__(self):
        return self

    def __len__(self):
        return len(self.order)

    def __next__(self):
        answer = END
        while answer is END:
            try:
                worker, answer = next(self.answers)
            except StopIteration:
                if not self.keep:
                    self.close()
                raise
            if answer is END:
                self.active.discard(worker)
        if isinstance(answer, Failure):
            answer.reraise()
        return answer

    def submit(self, task, index):
        """Give a task to the next worker in turn that still has data."""
        worker = next(worker for worker in self.ready if worker in self.active)
        with contextlib.suppress(OSError):
            self.links[worker].send(((self.epoch, task), (self.epoch, index)))

    def receive(self):
        """Wait for an answer of this pass, for `timeout` seconds, and no longer than every worker lives."""
        deadline = time.monotonic() + (self.timeout or math.inf)
        while True:
            for link in connection.wait(self.links, timeout=max(0, min(1, deadline - time.monotonic()))):
                with contextlib.suppress(EOFError, OSError):
                    (epoch, task), answer = collect(link)
                    if epoch == self.epoch:
                        return task, (self.links.index(link), answer)
            dead = [str(worker.pid) for worker in self.workers if not worker.is_alive()]
            if dead:
                self.close()
                raise RuntimeError(f"DataLoader worker (pid(s) {', '.join(dead)}) exited unexpectedly")
            if time.monotonic() > deadline:
                self.close()
                raise RuntimeError(f"DataLoader timed out after {self.timeout} seconds")


def stop(workers, links, owner):
    """End the workers: let them leave by themselves, for a second, then make them."""
    if os.getpid() != owner:  # a copy, in another loader's worker
        return
    for link in links:
        with contextlib.suppress(OSError):
            link.send(None)
        link.close()
    deadline = time.monotonic() + 1
    for worker in workers:
        worker.join(max(0, deadline - time.monotonic()))
        if worker.is_alive():
            worker.kill()
            worker.join()


# %% stub="shuffle-buffer"
#| export
def shuffled(stream, size, generator):
    """Shuffle a stream within a buffer of `size`."""
    ### BEGIN SOLUTION
    stream = iter(stream)
    buffer = list(itertools.islice(stream, size))
    for item in stream:
        place = int(generator.integers(0, size, (1,))[0])
        yield buffer[place]
        buffer[place] = item
    for place in generator.permutation(len(buffer)).tolist():
        yield buffer[place]
    ### END SOLUTION


# %% stub="shards"
#| export
class ShardedDataset(IterableDataset):
    """The samples of a folder of .npy and .npz files, one file after the other, without holding them in memory."""

    def __init__(self, folder, shuffle=True, buffer=1024):
        self.shards = sorted([*Path(folder).glob("*.npy"), *Path(folder).glob("*.npz")])
        if not self.shards:
            raise FileNotFoundError(f"no .npy or .npz file in {folder}")
        self.shuffle, self.buffer, self.epoch = shuffle, buffer, 0

    def share(self, order):
        """The shards of this process, of all in their order."""
        ### BEGIN SOLUTION
        info = get_worker_info()
        return order if info is None else order[info.id :: info.num_workers]
        ### END SOLUTION

    def __iter__(self):
        self.epoch += 1
        info = get_worker_info()
        seed = draw_seed() if info is None else info.seed - info.id  # the same in all workers
        generator = Generator().manual_seed((seed + self.epoch) % 2**63)
        order = generator.permutation(len(self.shards)) if self.shuffle else range(len(self.shards))
        stream = itertools.chain.from_iterable(read_shard(self.shards[i]) for i in self.share(order))
        return shuffled(stream, self.buffer, generator) if self.shuffle else stream


def read_shard(path):
    """The samples of one file: rows of a mapped .npy, tuples of rows of a .npz."""
    data = np.load(path, mmap_mode="r")
    if path.suffix == ".npy":
        for row in data:
            yield np.array(row)
    else:
        with data:
            yield from zip(*[data[name] for name in data.files])


# %% stub="normalize"
#| export
class Normalize:
    """Subtract the mean and divide by the standard deviation of each channel."""

    def __init__(self, mean, std):
        self.mean, self.std = (np.asarray(v, np.float32).reshape(-1, 1, 1) for v in (mean, std))
        if (self.std == 0).any():
            raise ValueError(f"std evaluated to zero, leading to division by zero: {std}")

    def __call__(self, image):
        ### BEGIN SOLUTION
        array = (getattr(image, "array", image) - self.mean) / self.std
        return wrap(array) if isinstance(image, Tensor) else array
        ### END SOLUTION


# %%
#| export
class Compose:
    """Transforms one after the other, as one."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image


class RandomCrop:
    """Cut a random part of `size` out of an image (..., H, W), with `padding` zeros put around it first."""

    def __init__(self, size, padding=0):
        self.size, self.padding = (size, size) if isinstance(size, int) else tuple(size), padding

    def __call__(self, image):
        array = getattr(image, "array", image)
        if self.padding:
            array = np.pad(array, [(0, 0)] * (array.ndim - 2) + [(self.padding, self.padding)] * 2)
        (height, width), (rows, columns) = array.shape[-2:], self.size
        if height < rows or width < columns:
            raise ValueError(
                f"Required crop size {self.size} is larger than input image size {(height, width)}"
            )
        if (height, width) != (rows, columns):
            top, left = randint(height - rows + 1, (1,)).item(), randint(width - columns + 1, (1,)).item()
            array = array[..., top : top + rows, left : left + columns]
        return wrap(array) if isinstance(image, Tensor) else array


class RandomHorizontalFlip:
    """Turn an image (..., H, W) left to right with probability `p`."""

    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, image):
        if rand(1).item() >= self.p:
            return image
        array = getattr(image, "array", image)[..., ::-1]
        return wrap(array) if isinstance(image, Tensor) else array


# %%
#| export
class Images(Dataset):
    """Images with labels: `images` (N, C, H, W) of bytes, `labels` (N,), `classes` their names.

    A sample is an image as float32 (C, H, W) between 0 and 1, put through `transform`, and its label as an int.
    """

    brightest = 255

    def __init__(self, images, labels, transform=None):
        if len(images) != len(labels):
            raise ValueError(f"{len(images)} images and {len(labels)} labels")
        self.images, self.labels, self.transform = images, labels.astype(np.int64), transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.__getitems__([index])[0]

    def __getitems__(self, indices):
        images = np.divide(self.images[indices], self.brightest, dtype=np.float32)
        if self.transform is None:
            return [(wrap(image), label) for image, label in zip(images, self.labels[indices].tolist())]
        return [
            (self.transform(wrap(image)), label)
            for image, label in zip(images, self.labels[indices].tolist())
        ]

    def tensors(self):
        """All images (N, C, H, W) and all labels (N,), as two tensors, for data that is small."""
        return wrap(np.divide(self.images, self.brightest, dtype=np.float32)), wrap(self.labels)


class Digits(Images):
    """1,797 digits written by 13 people, 8x8 pixels in 17 shades: 1,437 to train with, 360 held out.

    From the Optical Recognition of Handwritten Digits data set of E. Alpaydin and C. Kaynak (1998), CC BY 4.0.
    """

    classes, brightest = tuple("0123456789"), 16

    def __init__(self, train=True, transform=None):
        with np.load(importlib.resources.files("tinytorch") / "data" / "digits.npz") as data:
            images, labels = data["images"][:, None], data["labels"]
        order = Generator().manual_seed(0).permutation(len(labels))
        chosen = order[:1437] if train else order[1437:]
        super().__init__(images[chosen], labels[chosen], transform)


# %%
#| export
def download(url, path, md5):
    """Fetch a file over the network, once: resumed where it was broken off, and refused if it is not the one wanted.

    Raises:
        RuntimeError: without a network, or if what came has another MD5 checksum.
    """
    from tqdm.auto import tqdm

    path, part = Path(path), Path(f"{path}.part")
    if path.exists():
        if checksum(path) == md5:
            return path
        raise RuntimeError(
            f"{path} is not the file that {url} should give (its MD5 differs): delete it, and try again"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    start = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            start = start if answer.status == 206 else 0
            total = start + int(answer.headers.get("Content-Length", 0)) or None
            with (
                open(part, "ab" if start else "wb") as file,
                tqdm(total=total, initial=start, unit="B", unit_scale=True, desc=path.name) as bar,
            ):
                while block := answer.read(2**16):
                    file.write(block)
                    bar.update(len(block))
    except urllib.error.HTTPError as error:
        if error.code != 416:  # nothing is left to fetch
            raise RuntimeError(f"cannot download {url}: {error}") from None
    except (OSError, urllib.error.URLError) as error:
        raise RuntimeError(f"cannot download {url}: {getattr(error, 'reason', error)}") from None
    if checksum(part) != md5:
        part.unlink()
        raise RuntimeError(f"what {url} gave is not what was wanted (its MD5 differs): try again")
    return part.rename(path)


def checksum(path):
    """The MD5 checksum of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def read_idx(path):
    """The array in a gzipped file of MNIST's format, IDX: two zeros, a type, the number of dimensions, the sizes, the bytes."""
    try:
        data = gzip.decompress(Path(path).read_bytes())
        zero, kind, ndim = int.from_bytes(data[:2], "big"), data[2], data[3]
        if zero or kind != 8:
            raise ValueError("it does not begin as one")
        shape = np.frombuffer(data, ">u4", ndim, 4).tolist()
        return np.frombuffer(data, np.uint8, offset=4 + 4 * ndim).reshape(shape)
    except (OSError, EOFError, zlib.error, IndexError, ValueError) as error:
        raise RuntimeError(f"{path} is no IDX file of bytes: {error}") from None


class MNIST(Images):
    """70,000 handwritten digits, 28x28: 60,000 to train with, 10,000 held out (LeCun, Cortes and Burges, 1998)."""

    classes = tuple("0123456789")
    url = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    files = (
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    )

    def __init__(self, train=True, transform=None, root=None):
        folder = Path(root or CACHE) / type(self).__name__
        files = self.files[:2] if train else self.files[2:]
        images, labels = (read_idx(download(self.url + name, folder / name, md5)) for name, md5 in files)
        super().__init__(images[:, None], labels, transform)


CACHE = Path.home() / ".cache" / "tinytorch"


class FashionMNIST(MNIST):
    """70,000 pictures of clothes, in MNIST's format (Xiao, Rasul and Vollgraf, 2017; MIT)."""

    classes = (
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    )
    url = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
    files = (
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    )


class CIFAR10(Images):
    """60,000 colour pictures of ten kinds of things, 32x32: 50,000 to train with, 10,000 held out (Krizhevsky, 2009)."""

    classes = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
    url, checksum = (
        "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        "c32a1d4ab5d03f1284b67883e8d87530",
    )

    def __init__(self, train=True, transform=None, root=None):
        file = download(
            self.url, Path(root or CACHE) / "CIFAR10" / self.url.rpartition("/")[2], self.checksum
        )
        names = [f"data_batch_{n}.bin" for n in range(1, 6)] if train else ["test_batch.bin"]
        with tarfile.open(file) as archive:
            parts = [archive.extractfile(f"cifar-10-batches-bin/{name}").read() for name in names]
        rows = np.frombuffer(b"".join(parts), np.uint8).reshape(
            -1, 1 + 3 * 32 * 32
        )  # a label, then red, green, blue
        super().__init__(rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0], transform)


# %%
#| export
class TextFile(Dataset):
    """The lines of a text file, read when they are asked for; `text` is all of it.

    With `url` and `md5`, the file is downloaded first if it is not there.
    """

    def __init__(self, path, url=None, md5=None):
        self.path = Path(path) if url is None else download(url, path, md5)
        with open(self.path, "rb") as file:
            self.starts = list(itertools.accumulate(map(len, file), initial=0))

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, index):
        index = range(len(self))[index]
        with open(self.path, "rb") as file:
            file.seek(self.starts[index])
            return file.read(self.starts[index + 1] - self.starts[index]).decode()

    @property
    def text(self):
        return self.path.read_text(encoding="utf-8")


class PythonDocs(Dataset):
    """The reference that comes with Python itself, topic by topic: real English text, with no download."""

    def __init__(self):
        from pydoc_data.topics import topics

        self.topics = [topics[name] for name in sorted(topics)]

    def __len__(self):
        return len(self.topics)

    def __getitem__(self, index):
        return self.topics[index]

    @property
    def text(self):
        return "\n\n".join(self.topics)
