"""Memory shared with other libraries: arrays, buffers of bytes, and DLPack, which all of them speak."""

import os

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.construction import shared_with
from tinytorch.given.tensor.creation import as_tensor, made, numpy_type
from tinytorch.given.tensor.storages import TypedStorage
from tinytorch.tensor import Tensor, get_default_dtype, tensor, wrap

__all__ = ["asarray", "from_dlpack", "from_file", "frombuffer", "to_dlpack"]


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """Make a tensor of anything: of a tensor, an array or a buffer it shares the memory where it can.

    Args:
        obj: a tensor, an array, an object with DLPack or a buffer of bytes, a number, or lists of numbers.
        copy: True for separate memory; False raises ValueError if a copy is necessary.
    """
    if isinstance(obj, Tensor):
        shared = obj
    elif isinstance(obj, np.ndarray):
        shared = wrap(shared_with(obj).view())
    elif isinstance(obj, TypedStorage):
        shared = wrap(obj.array)
    elif not isinstance(obj, np.generic) and hasattr(obj, "__dlpack__"):
        shared = from_dlpack(obj)
    elif isinstance(obj, bytes | bytearray | memoryview):
        shared = frombuffer(obj, dtype=dtype or get_default_dtype())
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    result = shared.to(dtype=dtype, device=device)
    if copy is False and result is not shared:
        raise ValueError("can't alias the object: its type or its device is another")
    if copy and result is shared:
        result = shared.clone()
    if result.requires_grad or not requires_grad:
        return result
    return (result.detach() if result is obj else result).requires_grad_()


def from_file(filename, shared=None, size=0, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor of the first `size` numbers in a file; `shared`, what is written to one is in both.

    >>> import os, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> torch.ones(3).numpy().tofile(name)
    >>> torch.from_file(name, size=2)
    tensor([1., 1.])
    """
    if shared and not os.path.exists(filename):
        open(filename, "xb").close()
    memory = np.memmap(filename, numpy_type(dtype), "r+" if shared else "c", shape=(size,))
    return made(memory.view(np.ndarray), device, requires_grad)


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """Make a tensor of the bytes of an object, in whose memory it lies: what is written to one is in both.

    Args:
        buffer: an object with Python's buffer protocol, such as bytes or a bytearray.
        dtype: how the bytes are read.
        count: how many elements; -1 for all.
        offset: how many bytes are passed over first.

    Raises:
        ValueError: if there is nothing to be read, or the bytes are not as many as they have to be.
    """
    try:
        length = memoryview(buffer).nbytes
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size = dtype.itemsize
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({length} bytes) minus 1"
        )
    if count < 0 and (length - offset) % size:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of "
            f"element size ({size})"
        )
    if count > 0 and offset + count * size > length:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({length} bytes)"
        )
    return made(np.frombuffer(buffer, dtype.numpy, count, offset), None, requires_grad)


class Capsule:
    """A DLPack capsule as an object that NumPy takes: it can be taken once."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0  # the processor


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """Make a tensor that shares the memory of another library's, by its `__dlpack__` or a capsule from it."""
    taken = ext_tensor
    if isinstance(ext_tensor, Tensor):
        if ext_tensor.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        taken = ext_tensor.array
    elif type(ext_tensor).__name__ == "PyCapsule":
        taken = Capsule(ext_tensor)
    elif not hasattr(ext_tensor, "__dlpack__"):
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, "
            "so you might have already constructed a tensor from it once."
        )
    result = as_tensor(np.from_dlpack(taken), device=device)
    return result.clone() if copy else result


def to_dlpack(tensor):
    """A DLPack capsule of a tensor's memory."""
    return tensor.__dlpack__()


@methods_of(Tensor)
class Storages:
    """What programs ask of the memory behind a tensor."""

    def is_set_to(self, tensor):
        """Tell whether both are the same view of the same memory.

        >>> x = torch.ones(3)
        >>> x.is_set_to(x[:])
        True
        """
        mine, theirs = ((t.data_ptr(), t.shape, t.stride()) for t in (self, tensor))
        return mine == theirs

    def is_shared(self):
        """Tell whether other processes see the memory: no.

        >>> torch.ones(3).is_shared()
        False
        """
        return False

    def share_memory_(self):
        """Leave the memory where it is: a process that is forked has its own copy of it.

        >>> torch.ones(2).share_memory_()
        tensor([1., 1.])
        """
        return self
