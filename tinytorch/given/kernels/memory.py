"""The memory of a device: a pool that takes back what is let go of, and copies to the device and from it.

Asking a GPU's driver for memory takes as long as several kernels, and giving it back waits for all of them.
So memory goes back to a pool, by its size, and the next array of that size gets it, contents and all.
"""

import threading
from collections import defaultdict

import numpy as np

__all__ = []

SMALLEST = 512  # bytes
counts = {
    "to_device": 0,
    "to_host": 0,
    "allocations": 0,
}  # copies each way, and how often the driver was asked for memory


class NumbaMemory:
    """Memory of the GPU, or of numba's simulator: flat device arrays of one type."""

    def __init__(self, cuda):
        self.cuda = cuda

    def allocate(self, size, dtype):
        return self.cuda.device_array(size, dtype)

    def write(self, buffer, values):
        """Copy a flat host array to the beginning of a buffer."""
        buffer[: values.size].copy_to_device(values)

    def read(self, buffer, start, stop):
        """A copy on the host of some elements; it waits for what was begun before."""
        return np.array(buffer[start:stop].copy_to_host())

    def address(self, buffer):
        """Where a buffer begins: a device's array or the simulator's."""
        pointer = getattr(buffer, "device_ctypes_pointer", None)
        return buffer.ctypes.data if pointer is None else pointer.value

    def synchronize(self):
        self.cuda.synchronize()


class Pool:
    """Buffers on a device by type and size: those in use are counted, those given back kept for the next.

    `memory` is what there is to get buffers from; it can be exchanged, as the tests do.
    """

    def __init__(self):
        self.memory, self.lock = None, threading.RLock()
        self.free = defaultdict(list)  # (dtype, size) -> buffers
        self.in_use = self.peak = self.reserved = 0  # bytes

    def take(self, size, dtype):
        """A buffer of at least `size` elements, whatever is in it."""
        dtype = np.dtype(dtype)
        size = rounded(size, dtype.itemsize)
        with self.lock:
            self.in_use += size * dtype.itemsize
            self.peak = max(self.peak, self.in_use)
            if self.free[dtype, size]:
                return self.free[dtype, size].pop()
            counts["allocations"] += 1
            self.reserved += size * dtype.itemsize
        return self.memory.allocate(size, dtype)

    def give_back(self, buffer, memory):
        """Take a buffer back: kernels that use it have been launched before any that will get it next.

        One from a memory that has been exchanged since is let go.
        """
        with self.lock:
            self.in_use -= buffer.size * buffer.dtype.itemsize
            if memory is self.memory:
                self.free[np.dtype(buffer.dtype), buffer.size].append(buffer)

    def empty(self):
        """Free unused buffers."""
        with self.lock:
            self.free.clear()
            self.reserved = self.in_use

    def reset_peak(self):
        self.peak = self.in_use


def rounded(size, itemsize):
    """The next power of two, in bytes, as elements: few sizes, so that buffers fit again."""
    bytes_wanted = max(size * itemsize, SMALLEST)
    return (1 << (bytes_wanted - 1).bit_length()) // itemsize


pool = Pool()
