"""The samples of one process among several: `DistributedSampler`."""

import math

from tinytorch.dataloader import Sampler
from tinytorch.tensor import Generator

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler):
    """Every `num_replicas`-th sample, from the `rank`-th on, of an order that is the same in all processes.

    Args:
        dataset: what is sampled.
        num_replicas, rank: how many processes there are, and which one this is.
        shuffle: whether the order is random; it is the same for the same `seed` and `set_epoch`.
        drop_last: leave out what does not go round, else repeat the first samples.

    >>> list(torch.utils.data.DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None or rank is None:
            from tinytorch import distributed

            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.drop_last, self.shuffle, self.seed = drop_last, shuffle, seed
        length = len(dataset)
        if drop_last and length % num_replicas:
            self.num_samples = math.ceil((length - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(length / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self):
        length = len(self.dataset)
        indices = list(range(length))
        if self.shuffle:
            indices = Generator().manual_seed(self.seed + self.epoch).permutation(length).tolist()
        if self.drop_last:
            indices = indices[: self.total_size]
        else:
            indices += (indices * math.ceil(self.total_size / max(length, 1)))[: self.total_size - length]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Say which epoch it is, so that every one has another order.

        >>> sampler = torch.utils.data.DistributedSampler(range(5), num_replicas=1, rank=0)
        >>> first = list(sampler)
        >>> sampler.set_epoch(1)
        >>> list(sampler) == first
        False
        """
        self.epoch = epoch
