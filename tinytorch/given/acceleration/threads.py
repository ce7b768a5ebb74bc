"""A kernel's rows on several threads: as many as `set_num_threads` allows, where there is enough to do.

Kernels let other Python threads run meanwhile, so parts of the rows are handed to a pool of such threads: the
kernels are the same ones. numba's own pool may not be used by two threads of a program at once.
"""

import itertools
import os
from concurrent.futures import ThreadPoolExecutor

from tinytorch.backends._switches import kernel_threads

__all__ = []

LEAST = 50_000  # nanoseconds for each thread: to hand rows over takes some 25,000
CHEAP, EXPONENTIAL = 1 / 8, 3 / 4  # nanoseconds that a number takes, without an exponential and with one
pool = None


def by_rows(run, rows, nanoseconds):
    """Call `run` with a slice of the rows, or with several, each on a thread of its own.

    Args:
        run: takes a slice; what it writes for different rows lies in different places.
        rows: how many there are.
        nanoseconds: how long they take on one thread, more or less.

    Returns:
        A list of what `run` has returned, in the order of the rows.

    >>> by_rows(lambda rows: rows, 10, 100)
    [slice(0, 10, None)]
    """
    parts = min(int(nanoseconds) // LEAST, rows)
    parts = min(parts, kernel_threads()) if parts > 1 else 1
    ends = [rows * i // parts for i in range(parts + 1)]
    first, *others = [slice(*pair) for pair in itertools.pairwise(ends)]
    waiting = [threads().submit(run, part) for part in others]
    return [run(first), *[part.result() for part in waiting]]


def threads():
    global pool
    if pool is None:
        pool = ThreadPoolExecutor(os.cpu_count(), "kernel")
    return pool


def forget():
    global pool
    pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)  # a process that was forked has none of the threads
