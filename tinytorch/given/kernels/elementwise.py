"""NumPy's elementwise functions on CudaArrays: one launch each, whatever the shapes, steps and types.

Which kernel computes which is in `kernels`, under NumPy's names; "copy" is the one that stores what it reads,
in any type and order.
"""

import functools

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.kernels.array import CudaArray, empty, empty_like, refused
from tinytorch.given.kernels.division import LARGEST
from tinytorch.given.kernels.layout import broadcast_steps, is_contiguous, overlap
from tinytorch.given.kernels.table import bound
from tinytorch.tensor import Tensor

__all__ = []


def compute(ufunc, *inputs, out=None, **options):
    """Apply an elementwise function, to CudaArrays and numbers that broadcast."""
    if options.get("where", True) is not True or options.keys() - {"where", "casting"}:
        raise refused(f"np.{ufunc.__name__} with {', '.join(options)}")
    inputs = [operand(x) for x in inputs]
    kinds = tuple([x.dtype if hasattr(x, "dtype") else type(x) for x in inputs])
    *loop, result = loop_types(ufunc, kinds)
    shape = common_shape([x.shape for x in inputs if isinstance(x, CudaArray)])
    if out is None:
        out = result_like(inputs, shape, result)
    elif not isinstance(out, CudaArray):
        raise TypeError(f"np.{ufunc.__name__} would write what the device computes into a host array")
    elif not np.can_cast(result, out.dtype, "same_kind"):
        raise TypeError(f"np.{ufunc.__name__} gives {result}, which does not go into {out.dtype}")
    elif out.shape != shape:
        broadcast_steps(shape, (0,) * len(shape), out.shape)  # ValueError where it does not fit
    numbers = [x if isinstance(x, CudaArray) else kind.type(x) for x, kind in zip(inputs, loop)]
    name = "logical_not" if ufunc is np.invert and result.kind == "b" else ufunc.__name__
    return run(name, out, numbers)


def operand(x):
    """An input as a CudaArray or a number; TypeError for a host array, which would have to be copied."""
    if isinstance(x, (CudaArray, int, float, np.generic)):
        return x
    if isinstance(x, np.ndarray) and x.ndim == 0:
        return x[()]
    if isinstance(x, np.ndarray):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu"
        )
    raise TypeError(f"unsupported operand beside a CudaArray: {type(x).__name__}")


@functools.lru_cache(maxsize=4096)
def loop_types(ufunc, kinds):
    """The types of inputs and output with which NumPy computes a function of operands of these types."""
    kinds = tuple([np.dtype(bool) if kind is bool else kind for kind in kinds])
    return ufunc.resolve_dtypes((*kinds, None))


def common_shape(shapes):
    """The shape that arrays of these shapes have together."""
    first, *others = shapes
    return first if all(shape == first for shape in others) else np.broadcast_shapes(*shapes)


def result_like(inputs, shape, dtype):
    """Memory for a result, in the order of the first input of its shape."""
    for x in inputs:
        if isinstance(x, CudaArray) and x.shape == shape:
            return empty_like(x, dtype)
    return empty(shape, dtype)


def run(name, out, inputs):
    """Launch the kernel that is bound to a name; by way of new memory where input and output overlap."""
    if 0 in out.shape:
        return out
    if any(isinstance(x, CudaArray) and overlap(out, spread(x, out.shape)) for x in inputs):
        result = empty(out.shape, out.dtype)
        run(name, result, inputs)
        return assign(out, result)
    launch(bound(name), out, [spread(x, out.shape) if isinstance(x, CudaArray) else x for x in inputs])
    return out


def launch(kernel, out, inputs):
    """Call a launcher; arrays of many dimensions or numbers that are not contiguous go in parts."""
    if (len(out.shape) > 4 or out.size > LARGEST) and not all(
        is_contiguous(x.shape, x.steps) for x in (out, *inputs) if isinstance(x, CudaArray)
    ):
        for i in range(len(out)):
            launch(kernel, out[i], [x[i] if isinstance(x, CudaArray) else x for x in inputs])
        return
    arrays = [x if isinstance(x, CudaArray) else None for x in inputs]
    kernel(
        out.buffer,
        *[x if a is None else a.buffer for x, a in zip(inputs, arrays)],
        out.shape,
        out.steps,
        *[None if a is None else a.steps for a in arrays],
        out.offset,
        *[0 if a is None else a.offset for a in arrays],
    )


def spread(x, shape):
    """An array seen in a larger shape."""
    return x if x.shape == shape else x.seen(shape, broadcast_steps(x.shape, x.steps, shape))


def assign(out, value):
    """Store numbers in an array, cast to its type and broadcast to its shape; returns the array."""
    value = operand(value)
    if not isinstance(value, CudaArray):
        if out.size:
            launch(bound("fill"), out, [out.dtype.type(value)])
        return out
    while value.ndim > out.ndim and value.shape[0] == 1:
        value = value[0]
    return run("copy", out, [value])


def choose(mask, x, y, out=None):
    """x where a mask holds and y elsewhere, as np.where."""
    mask, x, y = operand(mask), operand(x), operand(y)
    kinds = [v.dtype if hasattr(v, "dtype") else type(v) for v in (x, y)]
    dtype = loop_types(np.add, tuple(kinds))[-1] if kinds != [np.dtype(bool)] * 2 else np.dtype(bool)
    shape = common_shape([v.shape for v in (mask, x, y) if isinstance(v, CudaArray)])
    out = empty(shape, dtype) if out is None else out
    run("where", out, [v if isinstance(v, CudaArray) else out.dtype.type(v) for v in (mask, x, y)])
    return out


@methods_of(CudaArray)
class Copies:
    """Other types, other memory, other values."""

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """The same numbers in another type; itself, if that may be, where nothing changes."""
        ordered = order != "C" or is_contiguous(self.shape, self.steps)
        if not copy and self.dtype == np.dtype(dtype) and ordered:
            return self
        return assign(empty_like(self, dtype, order), self)

    def copy(self, order="C"):
        return assign(empty_like(self, None, order), self)

    def fill(self, value):
        assign(self, value)


@methods_of(CudaArray)
class Operators:
    """Python's operators, each NumPy's function; if the other operand is a Tensor, its operator is used."""

    def binary(ufunc):
        return (
            lambda self, other: NotImplemented if isinstance(other, Tensor) else ufunc(self, other),
            lambda self, other: NotImplemented if isinstance(other, Tensor) else ufunc(other, self),
            lambda self, other: ufunc(self, other, out=self),
        )

    __add__, __radd__, __iadd__ = binary(np.add)
    __sub__, __rsub__, __isub__ = binary(np.subtract)
    __mul__, __rmul__, __imul__ = binary(np.multiply)
    __truediv__, __rtruediv__, __itruediv__ = binary(np.divide)
    __floordiv__, __rfloordiv__, __ifloordiv__ = binary(np.floor_divide)
    __mod__, __rmod__, __imod__ = binary(np.remainder)
    __pow__, __rpow__, __ipow__ = binary(np.power)
    __matmul__, __rmatmul__, _ = binary(np.matmul)
    __and__, __rand__, __iand__ = binary(np.bitwise_and)
    __or__, __ror__, __ior__ = binary(np.bitwise_or)
    __xor__, __rxor__, __ixor__ = binary(np.bitwise_xor)
    __lt__, __le__ = binary(np.less)[0], binary(np.less_equal)[0]
    __gt__, __ge__ = binary(np.greater)[0], binary(np.greater_equal)[0]
    __eq__, __ne__ = binary(np.equal)[0], binary(np.not_equal)[0]
    __neg__ = lambda self: np.negative(self)
    __abs__ = lambda self: np.absolute(self)
    __invert__ = lambda self: np.invert(self)
