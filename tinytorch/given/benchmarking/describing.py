"""What can be wrong with timings, in sentences, made of `autocorrelation` and `drift`."""

import math

import numpy as np
from scipy import signal, stats

from tinytorch.benchmarking import autocorrelation, drift

__all__ = ["outside", "sentences"]

NOISY, LONELY = 0.1, 3  # of the median; quartile distances above the third quartile
CLOCK, READINGS = "perf_counter", 20


def sentences(times, interval, precision, runs="runs"):
    """What a reader of these times must know: a list of sentences, empty where nothing is wrong.

    `times` are seconds, or the ratios of pairs; `interval` is that of their median, and
    `precision` what was asked of it, or None.
    """
    n, (low, high), found = len(times), interval, []
    first, median, third = np.quantile(times, [0.25, 0.5, 0.75])
    if not math.isfinite(high):
        found.append(f"few {runs}: {n} have no 95% interval, which takes 6 at least")
    elif precision and high - low > 2 * precision * median:
        reached = (high - low) / 2 / median if median else math.inf
        found.append(f"imprecise: the interval is +-{reached:.1%}, and +-{precision:.1%} was asked for")
    if third - first > NOISY * median:
        share = (third - first) / median
        found.append(f"noisy: the middle half of the {runs} spreads over {share:.0%} of the median")
    far = times > third + LONELY * max(third - first, 0.01 * median)
    if far.any():
        most = times.max() / median
        found.append(f"outliers: {far.sum()} of {n} {runs}, the longest {most:.1f} times the median")
    change = drift(times)
    if change:
        found.append(f"drift: the last quarter of the {runs} is {change:+.1%} against the first")
    resembling = autocorrelation(signal.detrend(stats.rankdata(times)) if change else times)
    if resembling > 2 / math.sqrt(n):
        found.append(
            f"autocorrelation: {resembling:.2f}, so {runs} resemble those before them, the interval is "
            f"too narrow, and more {runs} do not fix it"
        )
    return found


def outside(median, environment):
    """What the machine itself says, where times are those of its own clock."""
    if environment.get("clock") != CLOCK:
        return []
    found = []
    load, cores = environment.get("load_average"), environment.get("cores")
    if load and cores and load > cores:
        found.append(f"busy: the machine has a load of {load:.1f} on {cores} cores")
    reading = environment.get("clock_seconds", 0)
    if median < READINGS * reading:
        found.append(
            f"short: a run takes {median / reading:.1f} readings of the clock; time many calls in one run"
        )
    return found
