"""`CudaArray`, an array on the GPU: a flat buffer seen through shape, steps and offset, for NumPy to use.

NumPy hands its functions and operators over to an argument that asks for them (`__array_ufunc__`, NEP 13;
`__array_function__`, NEP 18), so `np.exp(x) + y` runs two kernels where x is a CudaArray. Whatever would copy
to the host in silence is refused.
"""

import math
import operator
import weakref

import numpy as np

from tinytorch.given.kernels.layout import broadcast_steps, indexed, is_contiguous, reshaped
from tinytorch.given.kernels.memory import counts, pool
from tinytorch.tensor import contiguous_strides, device, infer_shape

__all__ = ["CudaArray", "empty", "empty_like", "refused", "to_device"]


class Flags:
    """What NumPy's arrays say of themselves under `flags`."""

    def __init__(self, array):
        self.array = array

    c_contiguous = property(lambda self: is_contiguous(self.array.shape, self.array.steps))
    f_contiguous = property(lambda self: is_contiguous(self.array.shape[::-1], self.array.steps[::-1]))
    contiguous = c_contiguous
    owndata = property(lambda self: self.array.base is None)

    @property
    def writeable(self):
        return self.array.writeable

    @writeable.setter
    def writeable(self, flag):
        self.array.writeable = flag


class CudaArray:
    """An array on the GPU. `CudaArray(array)` is a copy of a host array; `to_host()` copies back.

    `buffer` is a flat device array, where element (i, j, ...) is at offset + i steps[0] + j steps[1] + ...
    One CudaArray owns each buffer and is the `base` of all its views; when it is gone, the pool has it back.
    """

    __slots__ = ("__weakref__", "base", "buffer", "dtype", "offset", "shape", "steps", "writeable")

    def __init__(self, array):
        array = np.asarray(array)
        self._allocate(array.shape, array.dtype)
        counts["to_device"] += 1
        pool.memory.write(self.buffer, np.ascontiguousarray(array).reshape(-1))

    def _allocate(self, shape, dtype):
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.steps, self.offset, self.base, self.writeable = contiguous_strides(shape), 0, None, True
        self.buffer = pool.take(math.prod(shape), self.dtype)
        weakref.finalize(self, pool.give_back, self.buffer, pool.memory).atexit = False

    def seen(self, shape, steps, offset=None):
        """A view: the same memory under another shape and steps."""
        view = object.__new__(CudaArray)
        view.buffer, view.dtype, view.writeable = self.buffer, self.dtype, self.writeable
        view.shape, view.steps, view.offset = shape, steps, self.offset if offset is None else offset
        view.base = self if self.base is None else self.base
        return view

    device = property(lambda self: device("cuda", 0))
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    strides = property(lambda self: tuple([step * self.dtype.itemsize for step in self.steps]))
    flags = property(Flags)
    T = property(lambda self: self.seen(self.shape[::-1], self.steps[::-1]))

    @property
    def address(self):
        """Where the first element lies in the device's memory, in bytes."""
        return pool.memory.address(self.buffer) + self.offset * self.dtype.itemsize

    # To the host, on request

    def to_host(self):
        """A copy as a NumPy array; it waits until all that was begun is done."""
        array = self if is_contiguous(self.shape, self.steps) else self.copy()
        counts["to_host"] += 1
        return pool.memory.read(array.buffer, array.offset, array.offset + array.size).reshape(self.shape)

    def item(self, *place):
        return self.to_host().item(*place)

    def tolist(self):
        return self.to_host().tolist()

    __bool__ = lambda self: bool(self.item())
    __float__ = lambda self: float(self.item())
    __int__ = lambda self: int(self.item())

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "a CudaArray is not copied to the host in silence: ask for it with to_host(), or with .cpu() "
            "of a Tensor"
        )

    def __repr__(self):
        return f"CudaArray({np.array2string(self.to_host(), separator=', ')}, dtype={self.dtype})"

    def __getattr__(self, name):
        if not name.startswith("_") and hasattr(np.ndarray, name):
            raise refused(f"method {name}")
        raise AttributeError(f"'CudaArray' object has no attribute '{name}'")

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return CudaArray, (self.to_host(),)

    # Views

    def __getitem__(self, index):
        if has_arrays(index):
            return self.picked(index)
        shape, steps, offset = indexed(self.shape, self.steps, index)
        return self.seen(shape, steps, self.offset + offset)

    def view(self):
        return self.seen(self.shape, self.steps)

    def reshape(self, *shape, order="C"):
        """Another shape: a view where the memory allows it, else a copy."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        shape = tuple([operator.index(n) for n in shape])
        if -1 in shape:
            shape = infer_shape(self.size, shape)
        if math.prod(shape) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {shape}")
        steps = reshaped(self.shape, self.steps, shape)
        return self.copy().reshape(shape) if steps is None else self.seen(shape, steps)

    def ravel(self, order="C"):
        """One dimension; with order "K" in the order of memory."""
        if order != "K":
            return self.reshape(-1)
        return self.transpose(in_memory(self.steps)).reshape(-1)

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        axes = [a % self.ndim for a in axes] if axes and axes[0] is not None else range(self.ndim)[::-1]
        return self.seen(tuple([self.shape[a] for a in axes]), tuple([self.steps[a] for a in axes]))

    def swapaxes(self, axis1, axis2):
        axes = list(range(self.ndim))
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
        return self.transpose(axes)

    def squeeze(self, axis=None):
        axes = [d for d, n in enumerate(self.shape) if n == 1] if axis is None else axis
        axes = [a % self.ndim for a in (axes if isinstance(axes, (tuple, list)) else [axes])]
        return self[tuple([0 if d in axes else slice(None) for d in range(self.ndim)])]

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """A view of the elements whose two indices differ by `offset`."""
        rest = [d for d in range(self.ndim) if d not in (axis1 % self.ndim, axis2 % self.ndim)]
        x = self.transpose([*rest, axis1, axis2])[..., max(-offset, 0) :, max(offset, 0) :]
        return x.seen((*x.shape[:-2], min(x.shape[-2:])), (*x.steps[:-2], sum(x.steps[-2:])))

    def broadcast_to(self, shape):
        view = self.seen(tuple(shape), broadcast_steps(self.shape, self.steps, shape))
        view.writeable = False
        return view


def refused(name):
    """The error for what is not computed on the device."""
    return NotImplementedError(
        f"CudaArray has no {name}, and computes nothing on the host in silence: take the tensor there with "
        ".cpu()"
    )


def has_arrays(index):
    """Whether an index has arrays or masks in it, and so picks no view."""
    if type(index) in (int, slice):
        return False
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(i, (CudaArray, np.ndarray, list, bool)) for i in parts)


def in_memory(steps):
    """The order of dimensions in which elements lie one after another, as closely as can be."""
    return sorted(range(len(steps)), key=lambda d: -abs(steps[d]))


def empty(shape, dtype):
    """A new array of whatever is in its memory."""
    array = object.__new__(CudaArray)
    array._allocate(tuple(shape), dtype)
    return array


def empty_like(array, dtype=None, order="K", shape=None):
    """A new array in the shape of another, and with order "K" in its order in memory."""
    dtype = array.dtype if dtype is None else dtype
    if shape is not None:
        return empty(shape if isinstance(shape, (tuple, list)) else (shape,), dtype)
    if order == "K" and not is_contiguous(array.shape, array.steps) and 0 not in array.steps:
        axes = in_memory(array.steps)
        back = sorted(range(len(axes)), key=axes.__getitem__)
        return empty([array.shape[a] for a in axes], dtype).transpose(back)
    return empty(array.shape, dtype)


def to_device(array):
    """A copy of a host array on the device, in the same order in memory."""
    axes = in_memory(array.strides)
    if axes == list(range(array.ndim)):
        return CudaArray(array)
    return CudaArray(array.transpose(axes)).transpose(sorted(range(array.ndim), key=axes.__getitem__))
