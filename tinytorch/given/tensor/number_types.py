"""Number types under PyTorch's names: which one new numbers get, and which one holds two others."""

import functools

import numpy as np

__all__ = [
    "bool_",
    "dtype",
    "dtype_of",
    "dtypes",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "infer_dtype",
    "int8",
    "int16",
    "int32",
    "int64",
    "promote_types",
    "set_default_dtype",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class dtype:
    """A number type under PyTorch's name; `numpy` is NumPy's object for the same type."""

    def __init__(self, name, numpy):
        self.name, self.numpy = name, np.dtype(numpy)
        self.itemsize, self.is_floating_point = self.numpy.itemsize, self.numpy.kind == "f"

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return dtype_of, (self.numpy,)


float16, float32, float64 = [dtype(f"float{8 * n}", f"f{n}") for n in (2, 4, 8)]
int8, int16, int32, int64 = [dtype(f"int{8 * n}", f"i{n}") for n in (1, 2, 4, 8)]
uint8, uint16, uint32, uint64 = [dtype(f"uint{8 * n}", f"u{n}") for n in (1, 2, 4, 8)]
bool_ = dtype("bool", "?")
dtypes = [float16, float32, float64, int8, int16, int32, int64, uint8, bool_, uint16, uint32, uint64]
dtypes = {d.numpy: d for d in dtypes}


def dtype_of(numpy):
    """The dtype of a NumPy type; TypeError for one that has no counterpart here."""
    try:
        return dtypes[np.dtype(numpy)]
    except KeyError:
        raise TypeError(f"can't convert np.ndarray of type {numpy}") from None


def promote_types(type1, type2):
    """Find the smallest type that holds both; any floating point type holds every integer.

    RuntimeError for uint16, uint32 and uint64 with another integer type.
    """
    a, b = type1.numpy, type2.numpy
    if (a.kind == "f") != (b.kind == "f"):
        return type1 if a.kind == "f" else type2
    if a != b and any(kind.kind == "u" and kind.itemsize > 1 for kind in (a, b)):
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{type1} and {type2}"
        )
    return dtypes[np.promote_types(a, b)]


_default = {"dtype": float32}


def get_default_dtype():
    """The type of new floating point tensors: float32, or what `set_default_dtype` chose."""
    return _default["dtype"]


def set_default_dtype(d):
    """Choose the type of new floating point tensors; TypeError unless it is one."""
    if not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, but got {d}")
    _default["dtype"] = d


def infer_dtype(data):
    """Find the type of a new tensor made from a number, an array, or nested lists of these.

    >>> from tinytorch.tensor import infer_dtype
    >>> infer_dtype([1, 2]), infer_dtype([1, 2.5]), infer_dtype(np.float64(3))
    (torch.int64, torch.float32, torch.float64)
    """
    if isinstance(data, np.ndarray | np.generic):
        return dtype_of(data.dtype)
    if isinstance(data, float):
        return get_default_dtype()
    if isinstance(data, int):
        return bool_ if isinstance(data, bool) else int64
    return functools.reduce(promote_types, {infer_dtype(part) for part in data} or {get_default_dtype()})
