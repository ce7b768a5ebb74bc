"""Devices: their names, what may stand behind a name, and how a tensor goes from one to another.

Behind "cuda" stands what module 17 puts into `backends`, once its kernels are exported and there is a GPU, or
numba's simulator has been asked for: it has `upload(array)`, `download(array)`, and `prototype`, an array to
make others like.
"""

import ctypes
import functools
import importlib
import os
from numbers import Integral

__all__ = ["backend", "backends", "device", "later", "moved", "prototype_on"]

backends = {}  # by the type of device
is_simulator_asked_for = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def later(module):
    """Import a module of the course that is built after this one."""
    return importlib.import_module(f"tinytorch.{module}")


KINDS = "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia"


def not_here(place):
    """The error for a device that there is not, of PyTorch's type."""
    if place.type == "cuda":
        sentence = "Torch not compiled with CUDA enabled: a GPU comes with module 17 (acceleration)"
        return AssertionError(sentence)
    if place.type == "xpu":
        return AssertionError("Torch not compiled with XPU enabled")
    if place.type == "mps":
        return RuntimeError("PyTorch is not linked with support for mps devices")
    return NotImplementedError(f"tinytorch has no tensors on {place}")


class device:
    """Where a tensor's memory is: `device("cpu")`, and from module 17 on `device("cuda", 0)`."""

    def __init__(self, type, index=None):
        if isinstance(type, Integral):
            if backend("cuda") is None:
                raise RuntimeError("Cannot access accelerator device when none is available.")
            type, index = "cuda", type
        if not isinstance(type, str | device) or not isinstance(index, Integral | None):
            raise TypeError(f"device() takes a name and an int, not {type!r} and {index!r}")
        name, colon, number = str(type).partition(":")
        if name not in KINDS.split():
            raise RuntimeError(
                f"Expected one of {KINDS.replace(' ', ', ')} device type at start of device string: {type}"
            )
        if (colon and (not number.isdecimal() or index is not None)) or (index is not None and index < 0):
            raise RuntimeError(f"Invalid device string: '{type}', with index {index}")
        self.type, self.index = name, int(number) if number else index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"

    def __enter__(self):
        """Let new tensors be made here, which only the processor can do."""
        if self.type != "cpu":
            raise not_here(self)
        return self

    def __exit__(self, *error):
        return False


@functools.cache
def has_driver():
    """Whether there is a driver for a GPU of NVIDIA's: asked before numba, which is slow to load."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def backend(kind):
    """The backend of a type of device; None if there is no such device, or no kernels for it yet."""
    if kind in backends or kind != "cuda":
        return backends.get(kind)
    if not is_simulator_asked_for and not has_driver():
        return None
    try:
        later("given.kernels.binding").switch_on()
    except ModuleNotFoundError as error:
        if error.name != "tinytorch.kernels":  # which is not built yet
            raise
    return backends.setdefault(kind, None)


def moved(x, place):
    """The tensor on another device; itself where it is there already."""
    place = device(place)
    if place.type == x.device.type:
        return x
    if place.type != "cpu" and backend(place.type) is None:
        raise not_here(place)
    return later("tensor").Move.apply(x, place=place.type)


def prototype_on(place):
    """What NumPy's makers are to make an array `like`: None for the host."""
    if place is None or device(place).type == "cpu":
        return None
    found = backend(device(place).type)
    if found is None:
        raise not_here(device(place))
    return found.prototype
