"""Which numbers a type has: `torch.finfo` and `torch.iinfo`."""

import numpy as np

from tinytorch.tensor import dtype, get_default_dtype

__all__ = ["finfo", "iinfo"]

# Of types that NumPy does not have: bits, distance from 1 to the next number, largest number, smallest
# normal number, resolution.
ABSENT = {
    "bfloat16": (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 0.01),
    "float8_e4m3fn": (8, 2.0**-3, 448.0, 2.0**-6, 1.0),
    "float8_e4m3fnuz": (8, 2.0**-3, 240.0, 2.0**-7, 1.0),
    "float8_e5m2": (8, 2.0**-2, 57344.0, 2.0**-14, 1.0),
    "float8_e5m2fnuz": (8, 2.0**-3, 57344.0, 2.0**-15, 1.0),
}
OF_PAIRS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


class Limits:
    """What the limits of both kinds of types have in common."""

    def __eq__(self, other):
        return type(other) is type(self) and other.dtype == self.dtype

    def __repr__(self):
        numbers = [f"{name}={getattr(self, name):.6g}" for name in self.shown]
        return f"{type(self).__name__}({', '.join(numbers)}, dtype={self.dtype})"


class finfo(Limits):
    """The limits of a floating point type; without one, of the default type. TypeError for other types.

    `min` and `max` are its smallest and largest number, `eps` is the distance from 1 to the next number,
    `tiny` or `smallest_normal` the smallest positive number with all digits, `resolution` the power of 10
    down to which decimal digits are kept, `bits` the size of a number, `dtype` the name of the type.

    >>> finfo(torch.float16).max
    65504.0
    """

    shown = "resolution", "min", "max", "eps", "smallest_normal", "tiny"

    def __init__(self, type=None):
        kind = get_default_dtype() if type is None else checked("finfo", type)
        if not (kind.is_floating_point or kind.is_complex):
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        self.dtype = OF_PAIRS.get(kind.name, kind.name)
        if self.dtype in ABSENT:
            self.bits, self.eps, self.max, self.tiny, self.resolution = ABSENT[self.dtype]
        else:
            info = np.finfo(self.dtype if kind.is_complex else kind.numpy)
            self.bits, self.resolution = info.bits, 10.0**-info.precision
            self.eps, self.max, self.tiny = info.eps.item(), info.max.item(), info.tiny.item()
        self.min, self.smallest_normal = -self.max, self.tiny


class iinfo(Limits):
    """The limits of an integer type: `min`, `max`, `bits`, `dtype` (its name). TypeError for other types.

    >>> iinfo(torch.int8).min
    -128
    """

    shown = "min", "max"

    def __init__(self, type):
        kind = checked("iinfo", type)
        if kind.is_floating_point or kind.is_complex:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            )
        if kind.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        info = np.iinfo(kind.name)
        self.dtype, self.bits, self.min, self.max = kind.name, info.bits, int(info.min), int(info.max)


def checked(name, type):
    """A number type; TypeError for anything else."""
    if not isinstance(type, dtype):
        kind = type.__class__.__name__
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {kind}")
    return type
