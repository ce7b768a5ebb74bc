"""What a tensor says of itself, and its ways into Python, NumPy and pickle: only `Tensor` is needed."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import address, owner
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.devices import device
from tinytorch.given.tensor.recording import changes
from tinytorch.tensor import Tensor

__all__ = []


def rebuild(kind, array, requires_grad):
    """A leaf tensor from its parts, for pickle and deepcopy."""
    result = object.__new__(kind)
    result.array, result._requires_grad = array, requires_grad
    return result


def copied_with(array, memo):
    """A copy of an array; of all that look into one memory, the same views of one copy of it."""
    memory = owner(array)
    if not isinstance(array, np.ndarray) or not memory.flags.forc:
        return array.copy()
    key = "memory", id(memory)  # which cannot be the id of an object
    if key not in memo:
        memo[key] = memory.copy(order="K")
    return np.ndarray(array.shape, array.dtype, memo[key], address(array) - address(memory), array.strides)


@methods_of(Tensor)
class Attributes:
    """What it is and where it lies."""

    @property
    def device(self):
        """Where the numbers lie: `device(type='cpu')` for NumPy's.

        >>> torch.tensor([1.0]).device
        device(type='cpu')
        """
        return device("cpu") if isinstance(self.array, np.ndarray) else self.array.device

    @property
    def is_cuda(self):
        """Whether the numbers lie on a GPU.

        >>> torch.tensor([1.0]).is_cuda
        False
        """
        return self.device.type == "cuda"

    @property
    def itemsize(self):
        """The number of bytes of an element.

        >>> torch.tensor([1.0]).itemsize
        4
        """
        return self.array.itemsize

    @property
    def nbytes(self):
        """The number of bytes of all elements.

        >>> torch.ones(2, 3).nbytes
        24
        """
        return self.array.nbytes

    _version = property(lambda self: changes.get(id(owner(self.array)), (0,))[0])

    def dim(self):
        """Count the dimensions.

        >>> torch.ones(2, 3).dim()
        2
        """
        return self.array.ndim

    def numel(self):
        """Count the elements.

        >>> torch.ones(2, 3).numel()
        6
        """
        return self.array.size

    nelement = numel

    def size(self, dim=None):
        """Tell the shape, or the length of dimension `dim`; IndexError for a dimension that is not there.

        >>> torch.ones(2, 3).size()
        torch.Size([2, 3])
        >>> torch.ones(2, 3).size(-1)
        3
        """
        return self.shape if dim is None else self.shape[axis_of(dim, self.ndim)]

    def element_size(self):
        """Tell the number of bytes of an element.

        >>> torch.tensor([1.0]).element_size()
        4
        """
        return self.array.itemsize

    def is_floating_point(self):
        """Tell whether the elements are floating point numbers.

        >>> torch.tensor([1.0]).is_floating_point(), torch.tensor([1]).is_floating_point()
        (True, False)
        """
        return self.array.dtype.kind == "f"

    def data_ptr(self):
        """Tell the address of the first element in memory, in bytes.

        >>> x = torch.ones(3)
        >>> x[1:].data_ptr() - x.data_ptr()
        4
        """
        return address(self.array)

    def storage_offset(self):
        """Tell how many elements into its storage the tensor begins.

        >>> torch.ones(3)[1:].storage_offset()
        1
        """
        return (self.data_ptr() - address(owner(self.array))) // self.array.itemsize


@methods_of(Tensor)
class Conversions:
    """Out of PyTorch and back."""

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.array.shape[0]

    def item(self):
        """Return the number in a tensor of one element; RuntimeError if there are more, or none.

        >>> torch.tensor([[2.5]]).item()
        2.5
        """
        if self.array.size != 1:
            raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
        return self.array.item()

    def tolist(self):
        """Return the elements as nested lists of Python's numbers; a number for a tensor without dimensions.

        >>> torch.tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return self.array.tolist()

    def __bool__(self):
        if self.array.size != 1:
            kind = "no values" if self.array.size == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {kind} is ambiguous")
        return bool(self.array.item())

    def _number(self):
        """The number that Python's float() and int() are to convert."""
        if self.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.array.item()

    __float__ = lambda self: float(self._number())
    __int__ = lambda self: int(self._number())

    def __index__(self):
        if self.array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self)

    def __format__(self, spec):
        return format(self.item(), spec) if self.ndim == 0 else object.__format__(self, spec)

    def __reversed__(self):
        return self.flip(0) if self.ndim else self

    def __contains__(self, value):
        return bool((self == value).array.any())

    def numpy(self, *, force=False):
        """Return the array itself, uncopied; RuntimeError if the tensor requires a gradient: NumPy would lose
        it.

        With `force`, it is detached first, and brought to the CPU.

        >>> torch.tensor([1.0, 2.0]).numpy().sum().item()
        3.0
        """
        if force:
            return self.detach().cpu().array
        if self.device.type != "cpu":
            raise TypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )
        if self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        return self.array

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    __dlpack__ = lambda self, **kwargs: self.numpy().__dlpack__(**kwargs)
    __dlpack_device__ = lambda self: self.array.__dlpack_device__()

    def __reduce__(self):
        return rebuild, (type(self), self.array, self._requires_grad)

    def __deepcopy__(self, memo):
        if self.grad_fn is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                "at the moment."
            )
        copied = memo[id(self)] = rebuild(type(self), copied_with(self.array, memo), self._requires_grad)
        copied._grad = None if self._grad is None else self._grad.clone()
        return copied
