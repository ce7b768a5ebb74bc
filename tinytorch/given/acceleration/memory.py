"""What the C library does with memory that arrays give back: by default most of it returns to the system.

An array's pages then come from the system again, which fills each with zeros when it is first touched: a
third of the time of a small network's training step.
"""

import ctypes
import os
import sys

__all__ = []

MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1  # as malloc.h numbers them
LARGEST_KEPT, MOST_KEPT = 2**25, 2**29  # bytes: of one array, the most that glibc allows; and of all together


def keep_freed_memory():
    """Keep memory for the next arrays, where the library is glibc and the environment does not choose."""
    if sys.platform != "linux" or any(name.startswith("MALLOC_") for name in os.environ):
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(MMAP_THRESHOLD, LARGEST_KEPT)
        library.mallopt(TRIM_THRESHOLD, MOST_KEPT)
