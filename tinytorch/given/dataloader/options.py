"""The options of a DataLoader: what they mean, which contradict each other, which sampler they ask for."""

from types import GenericAlias

from tinytorch.dataloader import (
    BatchSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    default_collate,
    default_convert,
)

__all__ = ["FIXED", "Endless", "LoaderOptions", "check_order", "check_workers", "order_of"]

FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class LoaderOptions:
    """The options of a DataLoader, checked and completed.

    Args:
        dataset: a Dataset, anything with `len` and numbers for indices, or an IterableDataset.
        batch_size: samples in a batch; None for samples one by one.
        shuffle: whether each epoch has a new random order.
        sampler: sample numbers, in place of `shuffle`.
        batch_sampler: lists of sample numbers, in place of `batch_size`, `shuffle`, `sampler`, `drop_last`.
        num_workers: processes that prepare batches ahead; 0 prepares each on demand.
        collate_fn: what makes a batch of a list of samples.
        pin_memory, pin_memory_device: taken and not used: all memory is the processor's.
        drop_last: leave out a last batch that is short.
        timeout: how many seconds to wait for a batch of the workers; 0 for as long as they live.
        worker_init_fn: called in each worker, with its number, before it begins.
        multiprocessing_context: None or "fork".
        generator: where orders and the workers' seeds are drawn from.
        prefetch_factor: batches that each worker prepares ahead; 2 if there are workers.
        persistent_workers: keep the workers after an epoch, for the next.
        in_order: True.

    Raises:
        ValueError: if options contradict each other.
    """

    _made = False

    @classmethod
    def __class_getitem__(cls, item):
        return GenericAlias(cls, item)

    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
        collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
        multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
        pin_memory_device="", in_order=True,
    ):  # fmt: skip
        check_workers(
            num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context, in_order
        )
        check_order(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            if isinstance(dataset, IterableDataset):
                sampler = Endless()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers, self.worker_init_fn, self.timeout = num_workers, worker_init_fn, timeout
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        self.persistent_workers, self._iterator = persistent_workers, None
        self._made = True

    def __setattr__(self, name, value):
        if self._made and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after DataLoader is initialized")
        super().__setattr__(name, value)


class Endless(Sampler):
    """The sampler of data without numbers: it says, time and again, that one more is wanted."""

    def __iter__(self):
        while True:  # in Python, so that what would read it to its end can be interrupted
            yield None


def order_of(loader):
    """The sampler whose numbers, or lists of them, are fetched."""
    return loader.sampler if loader.batch_sampler is None else loader.batch_sampler


def check_order(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last):
    """Refuse options of order and batch that contradict each other."""
    if isinstance(dataset, IterableDataset):
        for name, value in (("shuffle", shuffle), ("sampler", sampler), ("batch_sampler", batch_sampler)):
            if value is not None and not (name == "shuffle" and value is False):
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, "
                    f"but got {name}={value}"
                )
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError(
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
        )
    if batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


def check_workers(num_workers, timeout, prefetch_factor, persistent_workers, context, in_order):
    """Refuse options of workers that contradict each other, and those that are not built here."""
    for name, value in (
        ("num_workers", num_workers),
        ("timeout", timeout),
        ("prefetch_factor", prefetch_factor or 0),
    ):
        if value < 0:
            raise ValueError(f"{name} option should be non-negative, but got {value}")
    for name, value in (
        ("prefetch_factor", prefetch_factor is not None),
        ("persistent_workers", persistent_workers),
        ("multiprocessing_context", context is not None),
    ):
        if value and num_workers == 0:
            raise ValueError(f"{name} option needs workers: let num_workers > 0")
    if context is not None and getattr(context, "get_start_method", lambda: context)() != "fork":
        raise ValueError(f"workers are forked here: multiprocessing_context={context!r} is not supported")
    if not in_order:
        raise ValueError("batches come in the sampler's order here: in_order=False is not supported")
