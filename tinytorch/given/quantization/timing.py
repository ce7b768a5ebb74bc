"""How long something takes, in processor time: a median with its spread, until module 14's is asked."""

import time
from dataclasses import dataclass

import numpy as np

__all__ = []  # nothing that a lesson exports: module 14 has the name


@dataclass(frozen=True)
class Latency:
    """The times of repeated runs, in seconds."""

    times: tuple

    median = property(lambda self: float(np.median(self.times)))
    p95 = property(lambda self: float(np.percentile(self.times, 95)))
    spread = property(lambda self: float(np.subtract(*np.percentile(self.times, [75, 25]))))
    minimum = property(lambda self: min(self.times))

    def __str__(self):
        return f"{self.median * 1e3:.3f} ms (p95 {self.p95 * 1e3:.3f}, spread {self.spread * 1e3:.3f})"


def measure_latency(run, warmup=3, repeats=30):
    """Call `run` until it is warm, then time each of `repeats` calls."""
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return Latency(tuple(times))
