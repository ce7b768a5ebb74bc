"""The one clock of the benchmarks: the processor time of this process, which stays stable on a busy machine."""

import time
from collections.abc import Callable


def seconds(step: Callable, repeats: int) -> float:
    """The processor time of a step, over some of them in a row."""
    start = time.process_time()
    for _ in range(repeats):
        step()
    return (time.process_time() - start) / repeats
