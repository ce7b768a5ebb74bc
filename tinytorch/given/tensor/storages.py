"""The memory behind a tensor as a separate object: its size, its address, its numbers."""

from numbers import Integral

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import address, owner
from tinytorch.given.tensor.devices import prototype_on
from tinytorch.tensor import Tensor, float32, uint8, wrap

__all__ = ["TypedStorage", "UntypedStorage", "memory_of"]


def memory_of(array):
    """All the memory that an array looks into, as one row of its type."""
    return owner(array).ravel(order="K").view(array.dtype)


class TypedStorage:
    """All elements of the memory that a tensor, and every view of it, looks into."""

    def __init__(self, *data, wrap_storage=None, dtype=float32, device="cpu"):
        prototype_on(device)  # which refuses a device that is not there
        if wrap_storage is not None:
            self.array = wrap_storage.array.view(dtype.numpy)
        elif len(data) == 1 and isinstance(data[0], np.ndarray):
            self.array = data[0]
        elif len(data) == 1 and isinstance(data[0], Integral):
            self.array = np.empty(data[0], dtype.numpy)
        else:
            self.array = np.array(data[0] if data else [], dtype.numpy)

    dtype = property(lambda self: wrap(self.array).dtype)
    device = property(lambda self: wrap(self.array).device)

    def size(self):
        """The number of elements."""
        return self.array.size

    def nbytes(self):
        """The number of bytes."""
        return self.array.nbytes

    def element_size(self):
        """The bytes of one element."""
        return self.array.itemsize

    def data_ptr(self):
        """The address of the first element."""
        return address(self.array)

    def tolist(self):
        """The numbers, as Python's."""
        return self.array.tolist()

    def untyped(self):
        """The same memory as bytes."""
        return UntypedStorage(self.array.view(np.uint8))

    def tensor(self, dtype):
        """The memory as a tensor of one dimension."""
        return wrap(self.array.view(dtype.numpy))

    def is_shared(self):
        """Whether other processes see the memory: no."""
        return False

    def share_memory_(self):
        """Leave the memory where it is."""
        return self

    def clone(self):
        """A copy of the memory."""
        return type(self)(self.array.copy())

    def cpu(self):
        """The memory itself, which is the processor's."""
        return self

    def fill_(self, value):
        """Put one number everywhere."""
        self.array[...] = value
        return self

    def __len__(self):
        return self.array.size

    def __sizeof__(self):
        return object.__sizeof__(self) + self.array.nbytes

    def __iter__(self):
        return iter(self.array.tolist())

    def __getitem__(self, index):
        found = self.array[index]
        return type(self)(found) if isinstance(found, np.ndarray) else found.item()

    def __setitem__(self, index, value):
        self.array[index] = value

    def __repr__(self):
        numbers = "".join(f" {number}\n" for number in self.array.tolist())
        kind = f"torch.storage.{type(self).__name__}"
        what = f"dtype={self.dtype}, " if type(self) is TypedStorage else ""
        return f"{numbers}[{kind}({what}device={self.device}) of size {self.size()}]"


class UntypedStorage(TypedStorage):
    """The memory as bytes."""

    def __init__(self, *data, device="cpu"):
        super().__init__(*data, dtype=uint8, device=device)

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The bytes of a file as memory; with `shared`, what is written to it is written to the file."""
        return cls(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,)).view(np.ndarray))


@methods_of(Tensor)
class Memory:
    """The memory behind a tensor."""

    def storage(self):
        """Return all elements of the memory that the tensor looks into.

        >>> len(torch.arange(6)[2:4].untyped_storage())
        48
        """
        return TypedStorage(memory_of(self.array))

    def untyped_storage(self):
        """Return all bytes of the memory that the tensor looks into.

        >>> torch.arange(6)[2:4].untyped_storage().nbytes()
        48
        """
        return UntypedStorage(memory_of(self.array).view(np.uint8))
