"""Making tensors: of zeros, ones, counts, like another tensor."""

import functools
import math
import operator

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import check_counts
from tinytorch.given.tensor.construction import shared_with
from tinytorch.given.tensor.devices import moved, prototype_on
from tinytorch.given.tensor.out import makes_out
from tinytorch.given.tensor.promotion import number_type
from tinytorch.given.tensor.views import is_stretched, sizes
from tinytorch.tensor import Tensor, array_of, get_default_dtype, int64, tensor, wrap

__all__ = [
    "arange",
    "as_tensor",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "linspace",
    "new_shape",
    "ones",
    "ones_like",
    "takes_size",
    "zeros",
    "zeros_like",
]


def empty_strided(size, stride, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor with these strides, in elements, whose numbers are whatever was in memory."""
    count = 1 + sum((n - 1) * step for n, step in zip(size, stride)) if 0 not in size else 0
    memory = np.empty(count, numpy_type(dtype))
    strides = [step * memory.itemsize for step in stride]
    return made(np.ndarray(tuple(size), memory.dtype, memory, 0, strides), device, requires_grad)


def empty_permuted(size, physical_layout, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor whose dimensions lie in memory in the order of `physical_layout`, filled with anything.

    >>> torch.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
    """
    if len(size) != len(physical_layout):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    if len(set(physical_layout)) < len(size):
        raise RuntimeError("Duplicate dim not allowed")
    memory = empty([size[d] for d in physical_layout], dtype=dtype, device=device)
    return memory.permute(*np.argsort(physical_layout).tolist()).requires_grad_(requires_grad)


def as_tensor(data, dtype=None, device=None):
    """Make a tensor of `data`; of a tensor or an array of the wanted type, one that shares its memory."""
    if isinstance(data, Tensor):
        result = data
    else:
        shared = isinstance(data, np.ndarray)
        result = wrap(shared_with(data).view()) if shared else tensor(data, dtype=dtype)
    return result.to(dtype=dtype, device=device)


def from_numpy(ndarray):
    """Make a tensor that shares an array's memory; TypeError for another object, or a type PyTorch lacks."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return wrap(shared_with(ndarray).view())


def made(array, device, requires_grad):
    """Finish a new tensor."""
    result = wrap(array) if device is None else moved(wrap(array), device)
    if requires_grad:
        result.requires_grad = True
    return result


def new_shape(size):
    """The shape of a new tensor, from f(2, 3) or f((2, 3)); RuntimeError for a negative length."""
    shape = sizes(size)
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


def numpy_type(dtype):
    """NumPy's type for a dtype, None being the default."""
    return (dtype or get_default_dtype()).numpy


def takes_size(make):
    """Let the sizes be given by keyword as well: zeros(size=(2, 3))."""

    @functools.wraps(make)
    def maker(*sizes, **options):
        if "size" not in options:
            if not sizes:
                raise TypeError(f'{make.__name__}() missing 1 required positional arguments: "size"')
            return make(*sizes, **options)
        size = options.pop("size")
        if not isinstance(size, list | tuple):
            kind = type(size).__name__
            raise TypeError(f"{make.__name__}(): argument 'size' must be tuple of ints, not {kind}")
        if any(not isinstance(x, Tensor) for x in sizes):
            raise TypeError(f"{make.__name__}() got multiple values for argument 'size'")
        return make(*sizes, size, **options)

    return maker


@makes_out
@takes_size
def empty(*size, dtype=None, device=None, requires_grad=False, memory_format=None):
    """Make a tensor whose elements are whatever was in memory, in the order of a format."""
    memory = np.empty(new_shape(size), numpy_type(dtype), like=prototype_on(device))
    if memory_format is not None:
        memory = wrap(memory).contiguous(memory_format).array
    return made(memory, device, requires_grad)


@makes_out
@takes_size
def zeros(*size, dtype=None, device=None, requires_grad=False):
    """Make a tensor of zeros."""
    return made(
        np.zeros(new_shape(size), numpy_type(dtype), like=prototype_on(device)), device, requires_grad
    )


@makes_out
@takes_size
def ones(*size, dtype=None, device=None, requires_grad=False):
    """Make a tensor of ones."""
    return made(np.ones(new_shape(size), numpy_type(dtype), like=prototype_on(device)), device, requires_grad)


@makes_out
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor of one value, in that value's type unless another is named."""
    dtype = dtype or (fill_value.dtype if isinstance(fill_value, Tensor) else number_type(fill_value))
    return made(np.full(new_shape(tuple(size)), array_of(fill_value), dtype.numpy), device, requires_grad)


@makes_out
def arange(start=None, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """Count: start, start + step, ... up to but not including `end`; `arange(end)` counts from 0.

    Args:
        start, end, step: numbers; integers make an int64 tensor, unless a type is named. For a type of
            integers, start and step lose their fractions first; for int64 the end too.

    Raises:
        RuntimeError: if `step` is 0 or leads away from `end`, or the numbers have no end.

    >>> arange(1, 10, 3)
    tensor([1, 4, 7])
    """
    if start is None or end is None:  # arange(end), arange(end=end)
        start, end = 0, end if start is None else start
    if end is None:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    start, end, step = (x.item() if isinstance(x, (Tensor, np.generic)) else x for x in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None and all(isinstance(x, int) for x in (start, end, step)):
        dtype = int64
    wanted = numpy_type(dtype)
    if wanted.kind == "b":
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    check_counts(wanted, "arange_cpu")
    if dtype is int64:
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero")
        count = -((start - end) // step)
    else:
        count = math.ceil((end - start) / step)
    if count >= 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    if wanted.kind in "iu":
        start, step = int(start), int(step)
    numbers = np.arange(count, like=prototype_on(device))
    if (start, step) != (0, 1):
        numbers = start + numbers * step
    return made(numbers.astype(wanted, copy=False), device, requires_grad)


@makes_out
def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """Make `steps` equally spaced numbers from `start` to `end`, both included.

    Of an integer type they are cut off, as are start and end before.
    """
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    if isinstance(steps, bool):
        raise TypeError("linspace(): argument 'steps' must be int, not bool")
    steps, wanted = operator.index(steps), numpy_type(dtype)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if wanted.kind == "b":
        raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
    check_counts(wanted, "linspace_cpu")
    if wanted.kind == "f":
        kind = wide = wanted.type
        step = kind((end - start) / max(steps - 1, 1))
    else:  # in float64, where the processor rounds a product and its sum once
        kind, wide = np.float64, np.longdouble
        start = whole(start if steps > 0 else 0, wanted)
        end = whole(end, wanted) if steps > 1 else start
        step = kind(end - start) / max(steps - 1, 1)
    i = np.arange(steps).astype(wide)
    forward, backward = (
        wide(start) + wide(step) * i,
        wide(end) - wide(step) * (steps - 1 - i),
    )  # exact at its end
    values = np.where(i < steps // 2 + (steps == 1), forward, backward)
    return made(values.astype(kind).astype(wanted), device, requires_grad)


def whole(number, kind):
    """A number as an integer of NumPy's type, a negative one modulo its range; RuntimeError outside of it."""
    smallest, largest = np.iinfo(kind).min, np.iinfo(kind).max
    if not (smallest if isinstance(number, float) else smallest or -largest) <= number <= largest:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return int(np.array(int(number)).astype(kind))


@makes_out
def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """Make the n x m matrix with ones on its diagonal."""
    for name, count in (("n", n), ("m", m)):
        if count is not None and count < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {count}")
    check_counts(numpy_type(dtype), "eye")
    return made(np.eye(n, m, dtype=numpy_type(dtype)), device, requires_grad)


def layout(input, dtype):
    """NumPy's options for the type and the memory order of a tensor that is like another."""
    order = "C" if is_stretched(input.array) else "K"
    return {"dtype": None if dtype is None else dtype.numpy, "order": order}


def formed(array, device, requires_grad, memory_format):
    """Finish a new tensor that is like another, in its order of elements or in a named one."""
    result = made(array, device, False)
    if memory_format is not None and memory_format.name != "preserve_format":
        result = result.contiguous(memory_format)
    return result.requires_grad_(requires_grad)


def empty_like(input, *, dtype=None, device=None, requires_grad=False, memory_format=None):
    """Make uninitialised memory in the shape, type and layout of `input`."""
    return formed(np.empty_like(input.array, **layout(input, dtype)), device, requires_grad, memory_format)


def full_like(
    input, fill_value, *, dtype=None, device=None, requires_grad=False, memory_format=None
):  # fmt: skip
    """Make a tensor of one value in the shape, type and layout of `input`."""
    result = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return result.fill_(fill_value).requires_grad_(requires_grad)


def zeros_like(input, *, dtype=None, device=None, requires_grad=False, memory_format=None):
    """Make zeros in the shape, type and layout of `input`."""
    return formed(np.zeros_like(input.array, **layout(input, dtype)), device, requires_grad, memory_format)


def ones_like(input, *, dtype=None, device=None, requires_grad=False, memory_format=None):
    """Make ones in the shape, type and layout of `input`."""
    return formed(np.ones_like(input.array, **layout(input, dtype)), device, requires_grad, memory_format)


@methods_of(Tensor)
class Making:
    """New tensors like this one."""

    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
        """Make a tensor with a copy of `data`, in this tensor's type unless another is named.

        >>> torch.tensor([1.0]).new_tensor([2, 3])
        tensor([2., 3.])
        """
        return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

    @takes_size
    def new_zeros(self, *size, dtype=None, device=None, requires_grad=False):
        """Make a tensor of zeros, in this tensor's type unless another is named.

        >>> torch.tensor([1]).new_zeros(2, 3)
        tensor([[0, 0, 0],
                [0, 0, 0]])
        """
        return zeros(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

    @takes_size
    def new_ones(self, *size, dtype=None, device=None, requires_grad=False):
        """Make a tensor of ones, in this tensor's type unless another is named.

        >>> torch.tensor([1]).new_ones(2, 3)
        tensor([[1, 1, 1],
                [1, 1, 1]])
        """
        return ones(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

    @takes_size
    def new_empty(self, *size, dtype=None, device=None, requires_grad=False):
        """Make a tensor of whatever was in memory, in this tensor's type unless another is named.

        >>> torch.tensor([1]).new_empty(2, 3).shape
        torch.Size([2, 3])
        """
        return empty(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

    def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
        """Make a tensor of one value, in this tensor's type unless another is named.

        >>> torch.tensor([1.0]).new_full((3,), 7)
        tensor([7., 7., 7.])
        """
        return full(size, fill_value, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)
