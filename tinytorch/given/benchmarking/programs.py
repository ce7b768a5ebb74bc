"""`benchmark` of one program, with the learner's `repeat_until` and `median_interval`."""

import time

import numpy as np

from tinytorch.benchmarking import median_interval, repeat_until
from tinytorch.given.benchmarking.results import Benchmark, check_limits
from tinytorch.given.benchmarking.surroundings import environment

__all__ = ["benchmark"]


def benchmark(
    run, *, warmup=3, precision=0.05, max_runs=1000, max_seconds=10.0,
    clock=time.perf_counter, seed=0,
):  # fmt: skip
    """Time a program with as many runs as the wanted precision requires.

    Args:
        run: a function without arguments.
        warmup: how many runs are made first, without being timed.
        precision: stop when the median's interval is no wider than 2 x precision x the median;
            checked after 10, 20, 40, ... runs.
            None: use up max_runs or max_seconds.
        max_runs: never more timed runs than that.
        max_seconds: start no run that long after the first timed one started.
        clock: what gives the time in seconds; it is read just before and after each run.
        seed: of the result's bootstrap.

    Returns:
        A Benchmark of the times, with the precision, the environment and the seed.

    >>> print(len(benchmark(lambda: None, precision=None, max_runs=7).times))
    7
    """
    check_limits(warmup, precision, max_runs, max_seconds)
    for _ in range(warmup):
        run()

    def measure():
        start = clock()
        run()
        return clock() - start

    def precise(times):
        low, high = median_interval(times)
        return precision is not None and high - low <= 2 * precision * np.median(times)

    times = repeat_until(measure, precise, max_runs, max_seconds, clock)
    return Benchmark(times, precision, environment(clock), seed)
