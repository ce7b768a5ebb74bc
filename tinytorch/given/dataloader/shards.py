"""Data larger than memory: a folder of files as a `shard_stream`."""

import itertools
from pathlib import Path

import numpy as np

from tinytorch.dataloader import IterableDataset, get_worker_info, shard_stream, share

__all__ = ["ShardedDataset", "read_shard"]


class ShardedDataset(IterableDataset):
    """The samples of a folder of .npy and .npz files, streamed: only a buffer of them is ever in memory.

    A .npy file holds an array (N, ...), whose rows are the samples. A .npz file holds several arrays;
    a sample is a tuple with a row of each, and the file is read whole.

    Args:
        folder: where the files are; they are taken in the order of their names.
        shuffle: whether files come in random order, and samples are shuffled within a buffer.
        buffer: how many samples the buffer holds.

    Raises:
        FileNotFoundError: if there are no such files.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/first.npy", np.arange(6).reshape(3, 2))
    ...     [sample.tolist() for sample in ShardedDataset(folder, shuffle=False)]
    [[0, 1], [2, 3], [4, 5]]
    """

    def __init__(self, folder, shuffle=True, buffer=1024):
        self.shards = sorted([*Path(folder).glob("*.npy"), *Path(folder).glob("*.npz")])
        self.shuffle, self.buffer, self.epoch = shuffle, buffer, 0
        if not self.shards:
            raise FileNotFoundError(f"no .npy or .npz file in {folder}")

    def __iter__(self):
        info = get_worker_info()
        if not self.shuffle:
            return itertools.chain.from_iterable(map(read_shard, share(self.shards, info)))
        self.epoch += 1
        return shard_stream(self.shards, read_shard, info, self.epoch, self.buffer)


def read_shard(path):
    """The samples of one file, one after the other."""
    data = np.load(path, mmap_mode="r")
    if isinstance(data, np.ndarray):
        yield from map(np.array, data)  # a copy of each row: what was mapped may be let go
    else:
        with data:
            arrays = [data[name] for name in data.files]
        for row in zip(*arrays, strict=True):
            yield tuple([part.copy() for part in row])
