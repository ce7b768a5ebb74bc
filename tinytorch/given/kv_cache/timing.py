"""A clock for the lesson: the processor time of a function, its median over repeats."""

import statistics
import time
from dataclasses import dataclass

__all__ = []


@dataclass(frozen=True)
class Latency:
    """What repeated runs took, in seconds."""

    times: tuple

    @property
    def median(self):
        return statistics.median(self.times)

    @property
    def minimum(self):
        return min(self.times)


def measure_latency(run, warmup=3, repeats=30):
    """Time `run()` `repeats` times on the processor's clock, after `warmup` runs that do not count."""
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return Latency(tuple(times))
