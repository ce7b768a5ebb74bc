"""PyTorch's `Timer` of a statement, over Python's timeit: many measurements of many executions."""

import enum
import textwrap
import timeit

import numpy as np

import tinytorch
from tinytorch.given.benchmarking.measuring import Measurement, TaskSpec, set_torch_threads

__all__ = ["Language", "Timer", "timer"]

SHORTEST, MOST = 1e-9, 2**31 - 1


def timer():
    """Wall-clock seconds, after the device has finished."""
    if tinytorch.accelerator.is_available():
        tinytorch.accelerator.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    PYTHON = 0
    CPP = 1


def unindented(code):
    """A statement from a text block, without the block's margin."""
    return textwrap.dedent(code).removeprefix("\n").rstrip()


class Timer:
    """Time a statement; how many executions make a measurement, and how many of these, it can find itself.

    Args:
        stmt, setup: Python code; the setup runs once before each measurement.
        timer: what gives the time in seconds.
        globals: the names that the code may use; `torch` is the framework.
        label, sub_label, description, env: words for tables.
        num_threads: how many threads the framework may use.
    """

    def __init__(
        self,
        stmt="pass",
        setup="pass",
        global_setup="",
        timer=timer,
        globals=None,
        label=None,
        sub_label=None,
        description=None,
        env=None,
        num_threads=1,
        language=Language.PYTHON,
    ):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            raise NotImplementedError("tinytorch leaves out extensions in C++: a Timer times Python")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be "
                "moved to `setup`."
            )
        stmt, setup = unindented(stmt), unindented(setup)
        self._timer = timeit.Timer(stmt, setup, timer, {"torch": tinytorch, **(globals or {})})
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number):
        """The seconds of that many executions; never 0, because they are used as a divisor."""
        return max(self._timer.timeit(number), SHORTEST)

    def timeit(self, number=1000000):
        """Measure once: `number` executions, after a hundredth of them as a warm-up."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat=-1, number=-1):
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def collect_callgrind(self, number=100, *, repeats=None, collect_baseline=True, retain_out_file=False):
        raise NotImplementedError("tinytorch leaves out counting instructions with Valgrind")

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Measure blocks of executions, long enough for the clock, for `min_run_time` seconds."""
        number = self._estimate_block_size(min_run_time)
        return self._measure(number, lambda times: True, min_run_time, None, callback)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Measure blocks until the distance of the quartiles is below `threshold` of the median."""
        number = self._estimate_block_size(0.05)

        def steady(times):
            found = Measurement(number, times, self._task_spec)
            return len(times) > 3 and found.meets_confidence(threshold)

        return self._measure(number, steady, min_run_time, max_run_time, callback)

    def _estimate_block_size(self, min_run_time):
        """Executions in a block, so that reading the clock takes less than a ten-thousandth of it."""
        with set_torch_threads(self._task_spec.num_threads):
            overhead = float(np.sort([self._timeit(0) for _ in range(5)])[2])
            number = 1
            while number * 10 <= MOST:
                taken = self._timeit(number)
                if (overhead / taken <= 1e-4 and taken >= min_run_time / 1000) or taken > min_run_time:
                    break
                number *= 10
        return number

    def _measure(self, number, enough, min_run_time, max_run_time, callback):
        total, times = 0.0, []
        with set_torch_threads(self._task_spec.num_threads):
            while not times or total < min_run_time or not enough(times):
                times.append(self._timeit(number))
                total += times[-1]
                if callback:
                    callback(number, times[-1])
                if max_run_time and total > max_run_time:
                    break
        return Measurement(number, times, self._task_spec)
