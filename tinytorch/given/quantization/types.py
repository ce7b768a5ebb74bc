"""The names by which PyTorch asks for a kind of quantization, and helpers that need no stub.

`qint8` and `quint8` say which integers are meant; a tensor of them is an ordinary one of int8 or uint8.
"""

import io

import numpy as np

from tinytorch.tensor import dtype
from tinytorch.trainer import save

__all__ = [
    "check_integers",
    "file_bytes",
    "integer_range",
    "per_channel_affine",
    "per_channel_symmetric",
    "per_tensor_affine",
    "per_tensor_symmetric",
    "qint8",
    "quint8",
]


class QuantizedType(dtype):
    """A type that is looked up by its name; copied or pickled, it stays the same object."""

    def __reduce__(self):
        return self.name


qint8, quint8 = QuantizedType("qint8", "i1"), QuantizedType("quint8", "u1")


class qscheme:
    """One of PyTorch's four ways to share a scale; compared by identity."""

    def __init__(self, name):
        self.name = name
        self.per_channel, self.symmetric = "channel" in name, "symmetric" in name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


per_tensor_affine, per_tensor_symmetric = qscheme("per_tensor_affine"), qscheme("per_tensor_symmetric")
per_channel_affine, per_channel_symmetric = qscheme("per_channel_affine"), qscheme("per_channel_symmetric")


def integer_range(bits=8, symmetric=False):
    """The smallest and the largest integer: -128 and 127 of 8 bits, -127 and 127 if symmetric.

    >>> integer_range(8), integer_range(4, symmetric=True)
    ((-128, 127), (-7, 7))
    """
    if not 2 <= bits <= 8:
        raise ValueError(f"2 to 8 bits are kept in an int8, not {bits}")
    largest = 2 ** (bits - 1) - 1
    return -largest - (not symmetric), largest


def check_integers(x, weight):
    """Refuse what is no pair of int8 matrices that fit."""
    for name, array in (("input", x), ("weight", weight)):
        if array.dtype != np.int8 or array.ndim != 2:
            raise TypeError(f"the {name} is a matrix of int8, not {array.dtype} of {array.ndim} dimensions")
    if x.shape[1] != weight.shape[1]:
        raise RuntimeError(
            "the sums run over the last dimension of both: "
            f"{x.shape[1]} integers in a row of the input, {weight.shape[1]} in a row of the weight"
        )


def file_bytes(model):
    """How many bytes a model's state takes in a file of `save`."""
    file = io.BytesIO()
    save(model.state_dict(), file)
    return len(file.getvalue())
