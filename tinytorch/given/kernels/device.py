"""Whether kernels can run on a GPU here: the driver finds one, and a kernel compiled for it has run on it.

A driver that does not fit the compiler is found by nothing but a launch, and where one fails, numba's device
and its simulator do not go into one process. So another tries it, and what it says is kept as long as the
versions stay.
"""

import ctypes
import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path

__all__ = []

KEPT = Path(__file__).parents[3] / "build" / "device.json"
PARTS = ("numba-cuda", "nvidia-nvvm", "nvidia-cuda-nvrtc", "nvidia-nvjitlink")
LAUNCH = """
import numpy as np
from numba import cuda
@cuda.jit
def kernel(out):
    out[cuda.grid(1)] = cuda.grid(1)
out = cuda.device_array(32, np.int64)
kernel[1, 32](out)
assert (out.copy_to_host() == np.arange(32)).all(), "a kernel gave wrong numbers"
"""
# What an error's last line has in it, and what that means.
REASONS = (
    ("UNSUPPORTED_PTX_VERSION|PTX.*(version|newer)", "its driver is older than the compiler: `make gpu` "
     "installs nvJitLink, with which one of the same major version will do, and `make gpu CUDA=12` what a "
     "driver of CUDA 12 needs"),
    ("INSUFFICIENT_DRIVER|driver version is insufficient", "its driver is too old: install a newer one, or "
     "`make gpu CUDA=12`"),
    ("OUTDATED_LIBRARY|newer version of nvJitLink", "nvJitLink is older than the compiler: `make gpu` "
     "installs one that fits"),
    ("libnvJitLink|nvJitLink", "nvJitLink is not installed: `make gpu` installs it"),
    ("libnvvm|NVVM|libnvrtc|No module named", "what compiles kernels is not installed: `make gpu` installs "
     "it"),
    ("OUT_OF_MEMORY", "it has no memory left"),
)  # fmt: skip


def has_device():
    """Whether kernels run on a GPU; NUMBA_ENABLE_CUDASIM as 0 or 1 decides it."""
    if os.environ.get("NUMBA_ENABLE_CUDASIM"):
        return os.environ["NUMBA_ENABLE_CUDASIM"] == "0"  # as where kernels are compiled and never run
    return bool(driver()) and not failure()


def has_device_beside():
    """Whether there is a GPU beside the simulator in which this process runs kernels."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM") != "0" and bool(driver()) and not failure()


def driver():
    """The version of the driver that finds a GPU, such as 13050 for CUDA 13.5; 0 where there is none."""
    try:
        library = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    except OSError:
        return 0
    count, version = ctypes.c_int(0), ctypes.c_int(0)
    if library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return 0
    library.cuDriverGetVersion(ctypes.byref(version))
    return version.value or 1


def failure():
    """Why the GPU that the driver finds runs no kernel, in short; "" where it does, or none is there."""
    if not (found := driver()):
        return ""
    key, kept = " ".join([str(found), *map(version, PARTS)]), {}
    with suppress(OSError, ValueError):
        kept = json.loads(KEPT.read_text(encoding="utf-8"))
    if key not in kept:
        kept = {key: launched()}
        with suppress(OSError):
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(kept), encoding="utf-8")
    return kept[key]


def version(name):
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return "-"


def launched():
    """Launch a kernel in another process: why that fails, or ""."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "0", "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0"}
    command = [sys.executable, "-P", "-c", LAUNCH]
    try:
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return meaning(ran.stderr) if ran.returncode else ""


def meaning(said):
    """What a traceback comes to, in a few words."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for pattern, words in REASONS:
        if re.search(pattern, said):
            return words
    return lines[-1] if lines else "its process ended without a word"
