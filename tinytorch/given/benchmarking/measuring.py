"""PyTorch's `Measurement` of a piece of code, with `median_interval` for its times; units and figures."""

import contextlib
import dataclasses
import math
import textwrap

import numpy as np

import tinytorch
from tinytorch.benchmarking import median_interval

__all__ = [
    "Measurement",
    "TaskSpec",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "trim_sigfig",
    "unit_to_english",
]

FLUCTUATION, INFLUENCE = 0.1, 0.25  # distance of the quartiles, over the median, from which PyTorch warns
FIGURES, NARROWEST = 4, 25e-9
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What a Timer was asked to time."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        extra = f": {self.sub_label}" if self.sub_label else ""
        if self.label is not None:
            return self.label + extra
        if "\n" not in self.stmt:
            return self.stmt + extra
        return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self):
        if self.setup == "pass" or not self.setup:
            return ""
        return (
            f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"
        )

    def summarize(self):
        """What was timed, for the text of a Measurement."""
        sections = [self.title, self.description or "", self.setup_str()]
        return "\n".join(f"{each}\n" if "\n" in each else each for each in sections if each)


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """The times of a statement: `raw_times` in seconds, each of `number_per_run` executions."""

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    def __getattr__(self, name):
        if name in SPEC_FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute {name!r}")

    @property
    def times(self):
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self):
        return float(np.median(self.times))

    @property
    def mean(self):
        return float(np.mean(self.times))

    @property
    def quartiles(self):
        return np.quantile(self.times, [0.25, 0.75]).tolist()

    @property
    def iqr(self):
        first, third = self.quartiles
        return third - first

    @property
    def interval(self):
        """The 95% interval of the median, which PyTorch does not give."""
        return tuple(map(float, median_interval(self.times)))

    @property
    def significant_figures(self):
        """How many figures of the median mean something, roughly: from the times between the quartiles."""
        n = len(self.raw_times)
        middle = sorted(self.times)[n // 4 : -(-3 * n // 4)]
        width = max(1.645 * float(np.std(middle)) / len(middle) ** 0.5, NARROWEST)
        return min(max(int(np.floor(np.log10(self.median / width))), 1), FIGURES)

    @property
    def has_warnings(self):
        return not self.meets_confidence(FLUCTUATION)

    def meets_confidence(self, threshold=FLUCTUATION):
        """Whether the distance of the quartiles is below this share of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self):
        return self.task_spec.title

    @property
    def as_row_name(self):
        return self.sub_label or self.stmt or "[Unknown]"

    def warning(self):
        """PyTorch's warning as lines, or none."""
        if not self.has_warnings:
            return []
        gross = not self.meets_confidence(INFLUENCE)
        told = (
            "suggests significant environmental influence" if gross else "could indicate system fluctuation"
        )
        share = self.iqr / self.median * 100
        return [
            f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.",
            f"           This {told}.",
        ]

    def __repr__(self):
        n, (unit, scale) = len(self.raw_times), select_unit(self.median)
        several, threads = n > 1, self.num_threads
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if several else ''}{self.median / scale:.2f} {unit}")
        if n >= 4:
            first, third = (quartile / scale for quartile in self.quartiles)
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({first:.2f} to {third:.2f})")
        lines.append(
            f"  {n} measurement{'s' if several else ''}, {self.number_per_run} runs "
            f"{'per measurement,' if several else ','} {threads} thread{'s' * (threads > 1)}"
        )
        return "\n".join(lines + self.warning())

    @staticmethod
    def merge(measurements):
        """Put the times of equal tasks together, a Measurement for each task."""
        groups = {}
        for each in measurements:
            groups.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, times, spec) for spec, times in groups.items()]


SPEC_FIELDS = {field.name for field in dataclasses.fields(TaskSpec)}


def log10(x):
    """The logarithm as float32 has it, rounded correctly: NumPy's last digit depends on the processor."""
    return float(np.float32(math.log10(np.float32(x))))


def select_unit(t):
    """The unit in which t seconds are best read, and its seconds."""
    power = int(log10(t) // 3)
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(power, "s")
    return unit, SECONDS[unit]


def unit_to_english(u):
    """Return the word for a unit of time: "ns", "us", "ms" or "s"; KeyError for another."""
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


def trim_sigfig(x, n):
    """Round x to n significant figures.

    >>> trim_sigfig(3.14159, 2)
    3.1
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(log10(abs(x))) - n)
    return float(np.round(x / scale) * scale)


def ordered_unique(elements):
    """Return the elements, each once, in a list in the order in which they first came."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n):
    """Let the framework use n threads inside a `with` block."""
    before = tinytorch.get_num_threads()
    try:
        tinytorch.set_num_threads(n)
        yield
    finally:
        tinytorch.set_num_threads(before)
