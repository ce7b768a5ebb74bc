"""Seconds and ratios as text: the unit in which they are best read, the decimals that mean something."""

import math

__all__ = ["in_units", "interval_text", "unit_of"]


def unit_of(seconds):
    """The unit in which seconds are best read, and how many of it a second has.

    >>> unit_of(0.002)
    ('ms', 1000.0)
    """
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if abs(seconds) * scale >= 1:
            return unit, scale
    return "ns", 1e9


def in_units(*seconds):
    """Numbers of seconds in the unit of the first, as one text for each, and the unit.

    >>> in_units(0.00123, 0.0014)
    (['1.23', '1.40'], 'ms')
    """
    unit, scale = unit_of(seconds[0])
    digits = max(0, 2 - math.floor(math.log10(seconds[0] * scale))) if seconds[0] > 0 else 0
    return [f"{x * scale:.{min(digits, 3)}f}" for x in seconds], unit


def interval_text(middle, low, high):
    """A ratio and the ends of its interval, with as many decimals as the interval's width leaves meaning.

    >>> interval_text(3.4123, 3.1456, 3.7)
    ('3.4', '3.1 to 3.7')
    """
    if not math.isfinite(high):
        return f"{middle:.2f}", "unknown"
    width = (high - low) / 2
    decimals = min(max(1, -math.floor(math.log10(width))), 6) if width > 0 else 2
    return f"{middle:.{decimals}f}", f"{low:.{decimals}f} to {high:.{decimals}f}"
