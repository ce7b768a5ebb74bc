"""A tensor made by its class, as `Tensor(2, 3)` or `Tensor(array)`; and the numbers of any data."""

import numbers

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import is_array
from tinytorch.given.tensor.number_types import dtype_of, infer_dtype
from tinytorch.given.tensor.shapes import Size
from tinytorch.tensor import Tensor, get_default_dtype, wrap

__all__ = ["array_for", "numbers_of", "shared_with"]


# The numbers of any data ----------------------------------------------------------------------------------
def numbers_of(data, dtype=None):
    """A copy of numbers, nested lists, an array or a tensor as an array: in its own type, or in another.

    Raises:
        ValueError: for an integer that no int64 holds, lists that do not fit, an array that runs backwards.
        RuntimeError: for what is no number, and for a Python number that the type does not hold.
        TypeError: for texts, and arrays of anything but numbers.
    """
    if isinstance(data, Tensor):
        return np.array(data.array, None if dtype is None else dtype.numpy, order="C")
    if isinstance(data, list | tuple):
        data = without_tensors(data)
    elif isinstance(data, np.ndarray) or hasattr(data, "__array__"):
        data = shared_with(np.asarray(data))
    array = np.array(data, order="C")
    if array.dtype.kind not in "biuf" and not is_whole(array):
        error = RuntimeError if array.dtype.kind == "O" else TypeError
        raise error(f"Could not infer dtype of {type(data).__name__}")
    wanted = (infer_dtype(data) if dtype is None else dtype).numpy
    if not isinstance(data, np.ndarray | np.generic) and wanted.kind in "iu":
        check_range(array, wanted)
    return array.astype(wanted, copy=False)


def without_tensors(data):
    """Nested lists with each tensor's one number in its place, in its type."""
    return [
        without_tensors(x) if isinstance(x, list | tuple) else one_number(x) if isinstance(x, Tensor) else x
        for x in data
    ]


def one_number(tensor):
    """The number in a tensor, as NumPy's."""
    if tensor.array.dtype.kind == "f":
        tensor._number()
    elif tensor.array.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return tensor.array.reshape(())[()]


def is_whole(array):
    """Whether these are integers, too large for NumPy."""
    return array.dtype.kind == "O" and array.size > 0 and all(isinstance(x, int) for x in array.flat)


def check_range(array, wanted):
    """ValueError for an integer beyond int64; RuntimeError for a number that the type does not hold."""
    if array.dtype.kind == "O" or (array.dtype == np.uint64 and wanted != np.uint64):
        raise ValueError("Overflow when unpacking long long")
    limits = np.iinfo(wanted)
    smallest = limits.min or (-limits.max if wanted.itemsize < 8 else 0)
    if array.size and not (smallest <= array.min() and array.max() <= limits.max):
        raise RuntimeError(f"value cannot be converted to type {wanted} without overflow")


def shared_with(array):
    """An array whose memory a tensor may share; ValueError where it runs backwards or swaps its bytes."""
    if isinstance(array, np.ndarray):
        if any(step < 0 for step in array.strides):
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides "
                "are not currently supported. (You can probably work around this by making a copy of your "
                "array with array.copy().)"
            )
        if not array.dtype.isnative:
            raise ValueError(
                "given numpy array has byte order different from the native byte order. Conversion between "
                "byte orders is currently not supported."
            )
        dtype_of(array.dtype)
    return array


# The class as a function ----------------------------------------------------------------------------------
def is_size(x):
    """Whether PyTorch's oldest constructor takes this for a length: an integer of any kind, but no bool."""
    if isinstance(x, Tensor | np.ndarray):
        return x.ndim == 0 and (x.array if isinstance(x, Tensor) else x).dtype.kind in "iu"
    return isinstance(x, numbers.Integral) and not isinstance(x, bool)


def array_for(dtype, data):
    """The array of a new tensor, from what its class is called with: sizes, or data to be of this type."""
    first = data[0] if len(data) == 1 else None
    if isinstance(first, Size):
        data = tuple(first)
    elif len(data) == 1 and not is_size(first):
        if isinstance(first, str | bytes):
            raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
        if hasattr(first, "untyped"):  # a storage
            return first.untyped().array.view(dtype.numpy)
        if is_array(first) and first.ndim > 0:
            return shared_with(first).astype(dtype.numpy, copy=False).view()
        if not hasattr(first, "__getitem__") or is_array(first) or isinstance(first, np.generic):
            raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
        return numbers_of(first, dtype)
    shape = []
    for place, n in enumerate(data, 1):
        if not is_size(n):
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {place} with error "
                f'"type must be tuple of ints,but got {type(n).__name__}"'
            )
        shape.append(int(n))
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {shape}")
    return np.empty(shape if data else 0, dtype.numpy)


@methods_of(Tensor)
class Construction:
    """Tensors of the class, and of classes made from it."""

    def __new__(cls, *data, device=None, **named):
        """Make a tensor of the default type: uninitialised, or of data; of a tensor, a view in its own type.

        Args:
            data: sizes, `Tensor(2, 3)`; or lists of numbers, or an array, whose memory is shared where the
                type is the same.
        """
        if device is not None and str(device) != "cpu":
            raise RuntimeError(
                f"legacy constructor expects device type: cpu but device type: {device} was passed"
            )
        if len(named) == 1 and not data and not named.keys().isdisjoint(("data", "size", "other")):
            data = (Size(named["size"]),) if "size" in named else tuple(named.values())
        elif named:
            raise TypeError(f"new() received an invalid combination of arguments: {', '.join(named)}")
        if len(data) == 1 and isinstance(data[0], Tensor):
            return data[0].as_subclass(cls)
        return kind_of(cls, wrap(array_for(get_default_dtype(), data)))

    @staticmethod
    def _make_subclass(cls, data, require_grad=False):
        """Make a leaf of a class over the memory of a tensor."""
        result = kind_of(cls, wrap(data.detach().array))
        result.requires_grad = require_grad
        return result

    def as_subclass(self, cls):
        """View this tensor as one of a class that is made from Tensor."""
        if not (isinstance(cls, type) and issubclass(cls, Tensor)):
            raise TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
                "Make sure your class inherits from Tensor."
            )
        return kind_of(cls, self.view(self.shape))


def kind_of(cls, tensor):
    """A new tensor as one of a class."""
    if cls is not Tensor:
        tensor.__class__ = cls
    return tensor
