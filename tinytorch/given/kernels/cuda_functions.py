"""What torch.cuda answers where there is a device: memory, waiting, time. All streams are the default one.

Separate streams would let copies and kernels overlap; here all work is done in the order in which it is
launched, so that a stream waits for nothing and an event only notes a time.
"""

import time
from collections import OrderedDict
from contextlib import nullcontext
from types import SimpleNamespace

from tinytorch.given.kernels.memory import pool
from tinytorch.given.kernels.simulator import SIMULATED, cuda

__all__ = []


def is_available():
    return True


def is_initialized():
    return True


def device_count():
    return 1


def current_device():
    return 0


def set_device(device):
    """Take the only device there is."""


def synchronize(device=None):
    """Wait until all that was launched is done."""
    pool.memory.synchronize()


def get_device_name(device=None):
    return get_device_properties(device).name


def get_device_capability(device=None):
    found = get_device_properties(device)
    return found.major, found.minor


def get_device_properties(device=None):
    """The device's name, compute capability, memory in bytes, and number of multiprocessors."""
    if SIMULATED:
        return SimpleNamespace(
            name="numba's simulator", major=0, minor=0, total_memory=0, multi_processor_count=1
        )
    gpu = cuda.get_current_device()
    name = gpu.name.decode() if isinstance(gpu.name, bytes) else gpu.name
    (major, minor), (_, total) = gpu.compute_capability, mem_get_info()
    return SimpleNamespace(
        name=name,
        major=major,
        minor=minor,
        total_memory=total,
        multi_processor_count=gpu.MULTIPROCESSOR_COUNT,
    )


def mem_get_info(device=None):
    """Bytes that are free on the device, and all there are."""
    return (0, 0) if SIMULATED else tuple(cuda.current_context().get_memory_info())


def memory_allocated(device=None):
    return pool.in_use


def max_memory_allocated(device=None):
    return pool.peak


def memory_reserved(device=None):
    return pool.reserved


def memory_stats(device=None):
    """The bytes in use, now and at most, and those that the pool holds, by PyTorch's names."""
    kinds = {"allocated_bytes.all": (pool.in_use, pool.peak), "reserved_bytes.all": (pool.reserved,) * 2}
    return OrderedDict(
        (f"{kind}.{when}", n) for kind, both in kinds.items() for when, n in zip(("current", "peak"), both)
    )


def memory_summary(device=None, abbreviated=False):
    return "\n".join(f"{name:32}{n:16,}" for name, n in memory_stats(device).items())


def reset_peak_memory_stats(device=None):
    pool.reset_peak()


def empty_cache():
    """Free unused memory."""
    pool.empty()


class Stream:
    """The one stream there is, under any name."""

    def __init__(self, device=None, priority=0, **options):
        self.priority = priority

    def synchronize(self):
        synchronize()

    def query(self):
        """Whether all that was launched is done, after waiting for it."""
        synchronize()
        return True

    def wait_stream(self, stream):
        """Nothing to wait for: there is one order."""

    def wait_event(self, event):
        """Nothing to wait for: there is one order."""

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event


def current_stream(device=None):
    return Stream()


def default_stream(device=None):
    return Stream()


def stream(stream):
    """Do what a block does in a stream."""
    return nullcontext()


class Event:
    """A moment between launches; with `enable_timing` the time until another can be asked for."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.enable_timing, self.event, self.seconds = enable_timing, None, None

    def record(self, stream=None):
        """Note the moment at which all that has been launched is done."""
        if SIMULATED:
            self.seconds = time.perf_counter()
        else:
            self.event = cuda.event(timing=self.enable_timing)
            self.event.record()

    def synchronize(self):
        """Wait for that moment."""
        if self.event is not None:
            self.event.synchronize()

    def query(self):
        return self.event is None or self.event.query()

    def wait(self, stream=None):
        """Nothing to wait for: there is one order."""

    def elapsed_time(self, end_event):
        """Milliseconds from here to another event."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if SIMULATED:
            return (end_event.seconds - self.seconds) * 1e3
        end_event.synchronize()
        return cuda.event_elapsed_time(self.event, end_event.event)
