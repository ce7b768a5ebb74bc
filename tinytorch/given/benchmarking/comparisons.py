"""What `compare` returns: the times of pairs, the ratio with its interval, and the verdict as a sentence."""

import json
import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tinytorch.benchmarking import ratio_interval, verdict
from tinytorch.given.benchmarking.describing import outside, sentences
from tinytorch.given.benchmarking.results import read_json
from tinytorch.given.benchmarking.units import interval_text

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The times of two programs, run in pairs; `ratio` is that of `a` over `b`, with its 95% `interval`.

    `verdict` says what `b` is, compared with `a`: "faster" (the interval lies above 1), "slower"
    (below), or "no difference shown" (1 is in it).
    """

    a: np.ndarray
    b: np.ndarray
    names: tuple[str, str] = ("a", "b")
    precision: float | None = None
    environment: dict = field(default_factory=dict)

    def __post_init__(self):
        for name in ("a", "b"):
            times = np.array(getattr(self, name), float)
            if (times <= 0).any():
                raise ValueError(
                    "a run took no time on this clock, so there is no ratio: put more into a run"
                )
            times.flags.writeable = False
            object.__setattr__(self, name, times)
        object.__setattr__(self, "names", tuple(self.names))

    @cached_property
    def found(self):
        return tuple(map(float, ratio_interval(self.a, self.b)))

    @property
    def ratio(self):
        return self.found[0]

    @property
    def interval(self):
        return self.found[1:]

    @cached_property
    def verdict(self):
        return verdict(*self.interval)

    @cached_property
    def warnings(self):
        shorter = float(min(np.median(self.a), np.median(self.b)))
        return sentences(self.a / self.b, self.interval, self.precision, "pairs") + outside(
            shorter, self.environment
        )

    def __str__(self):
        a, b = self.names
        pairs = f"{len(self.a)} pair{'s' * (len(self.a) != 1)}"
        ratio, (low, high) = self.ratio, self.interval
        if self.verdict == "slower":
            ratio, low, high = 1 / ratio, 1 / high, 1 / low
        middle, ends = interval_text(ratio, low, high)
        if self.verdict in ("faster", "slower"):
            text = f"{b} is {middle} times {self.verdict} than {a}, 95% interval {ends}, {pairs}"
        else:
            over = f"the time of {a} over that of {b} is {middle}"
            text = f"no difference shown: {over}, 95% interval {ends}, {pairs}"
        return text + "".join(f"; {sentence}" for sentence in self.warnings)

    def to_json(self):
        """All of it as text; `from_json` makes the same result of it."""
        return json.dumps(
            {
                "kind": "comparison",
                "names": self.names,
                "ratio": self.ratio,
                "interval": list(self.interval) if math.isfinite(self.interval[1]) else None,
                "verdict": self.verdict,
                "warnings": self.warnings,
                "precision": self.precision,
                "environment": self.environment,
                "a": self.a.tolist(),
                "b": self.b.tolist(),
            },
            indent=1,
        )

    @classmethod
    def from_json(cls, text):
        """The result that `to_json` wrote; ValueError for other text."""
        found = read_json(text, "comparison")
        return cls(found["a"], found["b"], found["names"], found["precision"], found["environment"])
