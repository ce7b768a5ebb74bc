"""What a tensor says of itself, and its ways into Python, NumPy and pickle: only `Tensor` is needed."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import address, owner
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.devices import device
from tinytorch.given.tensor.recording import changes
from tinytorch.tensor import Tensor, tensor

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

    device = property(lambda self: device("cpu") if isinstance(self.array, np.ndarray) else self.array.device)
    is_cuda = property(lambda self: self.device.type == "cuda")
    itemsize = property(lambda self: self.array.itemsize)
    nbytes = property(lambda self: self.array.nbytes)
    _version = property(lambda self: changes.get(id(owner(self.array)), (0,))[0])
    dim = lambda self: self.array.ndim
    nelement = Tensor.numel
    size = lambda self, dim=None: self.shape if dim is None else self.shape[axis_of(dim, self.ndim)]
    element_size = lambda self: self.array.itemsize
    is_floating_point = lambda self: self.array.dtype.kind == "f"

    def data_ptr(self):
        """The address of the first element."""
        return address(self.array)

    def storage_offset(self):
        """How many elements into its storage the tensor begins."""
        return (self.data_ptr() - address(owner(self.array))) // self.array.itemsize


@methods_of(Tensor)
class Conversions:
    """Out of PyTorch and back."""

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.array.shape[0]

    def item(self):
        """The number in a tensor of one element."""
        if self.array.size != 1:
            raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
        return self.array.item()

    tolist = lambda self: self.array.tolist()

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
        """The array itself, uncopied; RuntimeError if the tensor requires a gradient: NumPy would lose it.

        With `force`, it is detached first, and brought to the CPU.
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

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """NumPy's functions on tensors are the tensors' own: np.exp(x) is x.exp(), array + x is a Tensor."""
        names = {"absolute": "abs", "negative": "neg", "power": "pow", "divide": "div", "subtract": "sub"}
        names |= {"multiply": "mul", "greater": "gt", "less": "lt"}
        name = names.get(ufunc.__name__, ufunc.__name__)
        if method != "__call__" or kwargs or not hasattr(Tensor, name):
            return NotImplemented
        first, *rest = (x if isinstance(x, Tensor) else tensor(x) for x in inputs)
        return getattr(first, name)(*rest)

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
