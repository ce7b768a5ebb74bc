"""Where something was measured: the machine, its software, and how busy it was."""

import functools
import os
import platform
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

__all__ = ["environment"]

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def environment(clock=time.perf_counter):
    """Describe the machine, its software and its load, as a dict that JSON can hold.

    >>> environment()["python"] == platform.python_version()
    True
    """
    readings = [time.perf_counter() for _ in range(101)]
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: found for name in ("numpy", "scipy", "numba") if (found := installed(name))},
        "threads": {name: os.environ[name] for name in THREADS if name in os.environ},
        "optimized": sys.flags.optimize > 0,
        "clock": getattr(clock, "__name__", type(clock).__name__),
        "clock_seconds": float(np.median(np.diff(readings))),
    }


@functools.cache
def processor():
    """The processor's name."""
    table = Path("/proc/cpuinfo")
    if table.exists():
        for line in table.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@functools.cache
def installed(name):
    """The version of a package, None where it is missing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
