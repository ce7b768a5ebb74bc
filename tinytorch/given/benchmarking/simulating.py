"""Timings whose truth is known: six kinds of machine, and a clock that only simulated work moves."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import optimize, signal, special

__all__ = ["KINDS", "Kind", "SimulatedMachine"]

SPREAD, OUTLIERS, TIMES, DRIFT = 0.05, 0.05, 10, 0.2
ROOM = math.exp(SPREAD**2 / 2)  # by how much the mean of log-normal times is above their median


class Kind(NamedTuple):
    """How a machine disturbs its runs: `draw(rng, n)` gives n factors, whose median and mean are known."""

    draw: Callable
    median: float
    mean: float


def calm(rng, n):
    return np.exp(SPREAD * rng.standard_normal(n))


def skewed(rng, n):
    return 1 + 2 * SPREAD * rng.exponential(size=n)


def with_outliers(rng, n):
    return calm(rng, n) * np.where(rng.random(n) < OUTLIERS, TIMES, 1)


def drifting(rng, n):
    return calm(rng, n) * (1 + DRIFT * np.arange(n) / max(n - 1, 1))


def remembering(memory):
    """Factors of which each resembles the one before it: an autoregressive process of order 1."""

    def draw(rng, n):
        noise = SPREAD * rng.standard_normal(n)
        noise[1:] *= math.sqrt(1 - memory**2)
        return np.exp(signal.lfilter([1.0], [1.0, -memory], noise))

    return draw


def drifting_median():
    """Where half of the runs of a drifting machine are below."""
    levels = np.log(1 + DRIFT * np.linspace(0, 1, 1001))
    below = lambda x: special.ndtr((math.log(x) - levels) / SPREAD).mean() - 0.5
    return optimize.brentq(below, 1, 1 + DRIFT)


KINDS = {
    "calm": Kind(calm, 1.0, ROOM),
    "skewed": Kind(skewed, 1 + 2 * SPREAD * math.log(2), 1 + 2 * SPREAD),
    "outliers": Kind(
        with_outliers,
        math.exp(SPREAD * special.ndtri(0.5 / (1 - OUTLIERS))),
        ROOM * (1 + OUTLIERS * (TIMES - 1)),
    ),
    "drifting": Kind(drifting, drifting_median(), ROOM * (1 + DRIFT / 2)),
    "autocorrelated 0.5": Kind(remembering(0.5), 1.0, ROOM),
    "autocorrelated 0.9": Kind(remembering(0.9), 1.0, ROOM),
}


class SimulatedMachine:
    """A machine with a clock that only its programs move; its k-th run is longer by `factors[k]`.

    >>> machine = SimulatedMachine([1.0, 1.5])
    >>> run = machine.program(2.0)
    >>> run(); run(); machine.clock()
    5.0
    """

    def __init__(self, factors):
        self.factors = np.asarray(factors, float).tolist()
        self.runs = 0
        self.now = 0.0

    def clock(self):
        return self.now

    def program(self, seconds):
        """A function without arguments that takes that many seconds on a quiet machine."""

        def run():
            self.now += seconds * self.factors[self.runs % len(self.factors)]
            self.runs += 1

        return run
