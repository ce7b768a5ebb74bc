"""What `benchmark` returns: times, what they say about the truth, and what is wrong with them."""

import json
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tinytorch.benchmarking import bootstrap_interval, median_interval, t_interval
from tinytorch.given.benchmarking.describing import outside, sentences
from tinytorch.given.benchmarking.units import in_units

__all__ = ["Benchmark", "check_limits", "read_json"]


def check_limits(warmup, precision, most, max_seconds):
    """ValueError unless the limits of a measurement make sense."""
    if warmup < 0 or most < 1 or not max_seconds > 0:
        raise ValueError(
            "a measurement takes at least one run and some time, and a warm-up of 0 or more: got "
            f"warmup={warmup}, {most} runs and max_seconds={max_seconds}"
        )
    if precision is not None and not precision > 0:
        raise ValueError(f"precision is a share of the median above 0, such as 0.05, not {precision}")


def read_json(text, kind):
    """The dict of a result of this kind; ValueError for anything else."""
    found = json.loads(text)
    if not isinstance(found, dict) or found.get("kind") != kind:
        raise ValueError(f"this is not the JSON of a {kind}")
    return found


@dataclass(frozen=True, eq=False)
class Benchmark:
    """The times of a program's runs in seconds, in their order, and what they say.

    `median` and its 95% `interval` (by order statistics), `mean` and its `mean_interval` (Student's t),
    `sd`, `warnings`, `environment`.
    """

    times: np.ndarray
    precision: float | None = None
    environment: dict = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self):
        object.__setattr__(self, "times", np.array(self.times, float))
        self.times.flags.writeable = False

    @cached_property
    def median(self):
        return float(np.median(self.times))

    @cached_property
    def interval(self):
        low, high = median_interval(self.times)
        return float(low), float(high)

    @cached_property
    def mean(self):
        return float(self.times.mean())

    @cached_property
    def sd(self):
        return float(self.times.std(ddof=1)) if len(self.times) > 1 else 0.0

    @cached_property
    def mean_interval(self):
        low, high = t_interval(self.times)
        return float(low), float(high)

    def bootstrap(self, statistic=np.median):
        """The 95% interval of any statistic of the times, by bootstrap."""
        return bootstrap_interval(self.times, statistic, seed=self.seed)

    @cached_property
    def warnings(self):
        return sentences(self.times, self.interval, self.precision) + outside(self.median, self.environment)

    def __str__(self):
        (median, low, high, mean, sd), unit = in_units(self.median, *self.interval, self.mean, self.sd)
        ends = f"{low} to {high} {unit}" if np.isfinite(self.interval[1]) else "unknown"
        told = "".join(f"; {sentence}" for sentence in self.warnings)
        runs = f"{len(self.times)} run{'s' * (len(self.times) != 1)}"
        return f"median {median} {unit}, 95% interval {ends}, mean {mean} +- {sd} {unit}, {runs}{told}"

    def to_json(self):
        """All of it as text; `from_json` makes the same result of it."""
        low, high = self.interval
        return json.dumps(
            {
                "kind": "benchmark",
                "median": self.median,
                "interval": [low, high] if np.isfinite(high) else None,
                "mean": self.mean,
                "sd": self.sd,
                "warnings": self.warnings,
                "precision": self.precision,
                "seed": self.seed,
                "environment": self.environment,
                "times": self.times.tolist(),
            },
            indent=1,
        )

    @classmethod
    def from_json(cls, text):
        """The result that `to_json` wrote; ValueError for other text."""
        found = read_json(text, "benchmark")
        return cls(found["times"], found["precision"], found["environment"], found["seed"])
