"""Switches of a library for GPUs, which is not there: they can be set, and change nothing."""

from contextlib import contextmanager

enabled = allow_tf32 = True
benchmark = deterministic = False
benchmark_limit = None


def is_available():
    """Whether the library is there: no."""
    return False


def version():
    """Its version: None."""


def is_acceptable(tensor):
    """Whether the library can compute on a tensor: no."""
    return False


@contextmanager
def flags(
    enabled=False,
    benchmark=False,
    benchmark_limit=10,
    deterministic=False,
    allow_tf32=True,
    fp32_precision="none",
):
    """Set the switches in a block."""
    new = {"enabled": enabled, "benchmark": benchmark, "benchmark_limit": benchmark_limit}
    new |= {"deterministic": deterministic, "allow_tf32": allow_tf32}
    before = {name: globals()[name] for name in new}
    globals().update(new)
    try:
        yield
    finally:
        globals().update(before)
