"""A kernel's rows on several threads: as many as `set_num_threads` allows, where there is enough to do.

Kernels let other Python threads run meanwhile, so parts of the rows are handed to such threads: the kernels
are the same ones. numba's own pool may not be used by two threads of a program at once. To wake a thread that
sleeps takes longer than many a kernel, so whoever waits looks for a while first, as OpenMP's threads do.
"""

import itertools
import os
import threading
import time

import numpy as np

from tinytorch.backends._switches import kernel_threads
from tinytorch.given.acceleration.looking import reached, told_and_reached

__all__ = []

LEAST = 25_000  # nanoseconds for each thread: to hand rows over takes some 5,000
CHEAP, EXPONENTIAL = 1 / 8, 3 / 4  # nanoseconds that a number takes, without an exponential and with one
LOOKS = 20_000  # half a millisecond, more or less: what a training step does between two kernels
SHORT = 50e-6  # seconds
GIVEN, DONE = 0, 8  # places of a worker's counters, 64 bytes apart: of two lines of the cache
workers, handing = [], threading.Lock()


def threads_for(rows, nanoseconds):
    """How many threads it pays to share rows among."""
    parts = min(int(nanoseconds) // LEAST, rows)
    return min(parts, kernel_threads()) if parts > 1 else 1


def by_rows(call_of, rows, nanoseconds):
    """Make a call for all rows, or several for a part of them each, on a thread of its own.

    All calls are prepared before the first begins: only one thread at a time runs Python, and one that
    has to wait for that falls asleep.

    Args:
        call_of: takes a slice and returns a call, (function, *arguments); what the calls of
            different rows write lies in different places.
        rows: how many there are.
        nanoseconds: how long they take on one thread, more or less.

    Returns:
        A list of what the calls have returned, in the order of the rows.

    >>> by_rows(lambda rows: (print, rows), 10, 100)
    slice(0, 10, None)
    [None]
    """
    parts = threads_for(rows, nanoseconds)
    if parts == 1:
        return [run(call_of(slice(0, rows)))]
    ends = [rows * i // parts for i in range(parts + 1)]
    calls = [call_of(slice(*pair)) for pair in itertools.pairwise(ends)]
    first, *others = calls
    if not handing.acquire(blocking=False):  # another thread has the workers
        return [*map(run, calls)]
    try:
        while len(workers) < len(others):
            workers.append(Worker())
        helping = [worker.begin(call) for worker, call in zip(workers, others)]
        try:
            results = [run(first)]
        finally:
            found = [worker.end() for worker in helping]
    finally:
        handing.release()
    for result, error in found:
        if error is not None:
            raise error
        results.append(result)
    return results


def sums_by_rows(call_of, shape, rows, nanoseconds):
    """What calls add to zeros of a shape, float32, all together; `call_of` takes such zeros with each slice.

    >>> sums_by_rows(lambda rows, sums: (np.add, sums, 5, sums), (2,), 10, 100)
    array([5., 5.], dtype=float32)
    """
    sums = []

    def call(part):
        sums.append(np.zeros(shape, np.float32))
        return call_of(part, sums[-1])

    by_rows(call, rows, nanoseconds)
    return sum(sums)


def run(call):
    function, *arguments = call
    return function(*arguments)


class Worker(threading.Thread):
    """A thread that is handed one call at a time: `begin`, then `end`."""

    def __init__(self):
        super().__init__(name="kernel", daemon=True)
        self.counters, self.changed, self.sleeps = np.zeros(16, np.int64), threading.Condition(), False
        self.start()

    def begin(self, call):
        """Hand over a call; returns the worker."""
        self.call = call
        with self.changed:
            self.counters[GIVEN] += 1
            if self.sleeps:
                self.changed.notify()
        return self

    def end(self):
        """What has come of it when it is done: a result, and an error or None."""
        while not reached(self.counters, DONE, self.counters[GIVEN], LOOKS):
            time.sleep(SHORT)
        result, self.result = self.result, None
        return result

    def run(self):
        for number in itertools.count(1):
            if not told_and_reached(self.counters, DONE, GIVEN, number, LOOKS):
                with self.changed:
                    while self.counters[GIVEN] < number:
                        self.sleeps = True
                        self.changed.wait()
                    self.sleeps = False
            try:
                self.result = run(self.call), None
            except BaseException as error:  # raised where the rows were handed over
                self.result = None, error
            del self.call  # and with it the arrays that it holds


def forget():
    global handing
    workers.clear()
    handing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)  # a process that was forked has none of the threads
