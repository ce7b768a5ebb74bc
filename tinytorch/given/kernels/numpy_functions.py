"""NumPy's functions for CudaArrays, by name: those that make, join and see arrays, products and norms.

`FUNCTIONS` is what `__array_function__` looks into. A function that is not in it is refused by name.
"""

import math

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.kernels import elementwise, indexing
from tinytorch.given.kernels.array import CudaArray, empty, empty_like, refused, to_device
from tinytorch.given.kernels.elementwise import assign, choose, compute
from tinytorch.given.kernels.reductions import reduce
from tinytorch.given.kernels.table import bound

__all__ = ["FUNCTIONS"]


def matmul(x, y, out=None, **options):
    """x @ y for vectors, matrices and batches of them; a transposed matrix is read as it lies."""
    if options:
        raise refused(f"np.matmul with {', '.join(options)}")
    a, b = elementwise.operand(x), elementwise.operand(y)
    if (a.dtype, b.dtype) != (np.float32,) * 2:
        raise refused(f"np.matmul of {a.dtype} and {b.dtype}, only of float32")
    vector_a, vector_b = a.ndim == 1, b.ndim == 1
    a, b = a[None] if vector_a else a, b[:, None] if vector_b else b
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: {x.shape} and {y.shape} have no product")
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, a.shape[-2], b.shape[-1])
    result = empty(shape, a.dtype) if out is None or not direct(out, shape) else out
    product(
        result, elementwise.spread(a, (*batch, *a.shape[-2:])), elementwise.spread(b, (*batch, *b.shape[-2:]))
    )
    if out is not None and result is not out:
        assign(out, result)
    if out is not None:
        return out
    dropped = (*batch, *(() if vector_a else shape[-2:-1]), *(() if vector_b else shape[-1:]))
    return result.reshape(dropped) if dropped != shape else result


def direct(out, shape):
    """Whether a product may be written to where it is asked for."""
    return out.shape == shape and (shape[-1] == 1 or out.steps[-1] == 1)


def product(out, a, b):
    """Launch the kernel of the matrix product, for batches of up to two dimensions at once."""
    if out.ndim > 4:
        for i in range(len(out)):
            product(out[i], a[i], b[i])
    elif out.size and not a.shape[-1]:
        assign(out, 0)
    elif out.size:
        batch = out.shape[:-2]
        bound("matmul")(
            out.buffer, a.buffer, b.buffer, out.shape[-2], out.shape[-1], a.shape[-1], a.steps[-2:],
            b.steps[-2:], out.steps[-2:], batch, a.steps[:-2], b.steps[:-2], out.steps[:-2],
            a.offset, b.offset, out.offset,
        )  # fmt: skip


def vecdot(x, y, out=None, **options):
    """The sums of products along the last dimension."""
    return (x * y).sum(-1)


def concatenate(arrays, axis=0, out=None, **options):
    """Arrays one behind another along an axis."""
    axis = axis % arrays[0].ndim
    lengths = [a.shape[axis] for a in arrays]
    shape = (*arrays[0].shape[:axis], sum(lengths), *arrays[0].shape[axis + 1 :])
    out, start = empty(shape, np.result_type(*[a.dtype for a in arrays])), 0
    for a, length in zip(arrays, lengths):
        out[(slice(None),) * axis + (slice(start, start + length),)] = a
        start += length
    return out


def expand_dims(x, axis):
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes, shape = {a % (x.ndim + len(axes)) for a in axes}, iter(x.shape)
    return x.reshape([1 if d in axes else next(shape) for d in range(x.ndim + len(axes))])


def moveaxis(x, source, destination):
    source, destination = (
        [a % x.ndim for a in (s if isinstance(s, (tuple, list)) else (s,))] for s in (source, destination)
    )
    order = [d for d in range(x.ndim) if d not in source]
    for to, which in sorted(zip(destination, source)):
        order.insert(to, which)
    return x.transpose(order)


def filled(value):
    """A maker of arrays of one value: zeros, ones."""

    def make(shape, dtype=float, order="C", **options):
        return assign(empty(shape if isinstance(shape, (tuple, list)) else (shape,), dtype), value)

    return make

    return make


def filled_like(value):
    """A maker of arrays of one value in the shape of another."""

    def make(x, dtype=None, order="K", subok=True, shape=None, **options):
        return assign(empty_like(x, dtype, order, shape), value)

    return make

    return make


def full_like(x, fill_value, dtype=None, order="K", subok=True, shape=None, **options):
    return assign(empty_like(x, dtype, order, shape), fill_value)


def make_empty(shape, dtype=float, order="C", **options):
    return empty(shape if isinstance(shape, (tuple, list)) else (shape,), dtype)


def arange(start, stop=None, step=1, dtype=None, **options):
    """Counting, by a kernel: nothing is sent but the numbers of the call."""
    start, stop = (0, start) if stop is None else (start, stop)
    dtype = np.result_type(type(start), type(stop), type(step)) if dtype is None else dtype
    out = empty((max(0, math.ceil((stop - start) / step)),), dtype)
    if out.size:
        bound("arange")(out.buffer, out.size, out.dtype.type(start), out.dtype.type(step))
    return out


def norm(x, ord=None, axis=None, keepdims=False):
    """The 2-norm, the 1-norm, or the largest absolute value."""
    if ord in (None, 2):
        return np.sqrt((x * x).sum(axis, keepdims=keepdims))
    if ord == 1:
        return np.absolute(x).sum(axis, keepdims=keepdims)
    if ord == np.inf:
        return np.absolute(x).max(axis, keepdims=keepdims)
    raise refused(f"norm of order {ord}")


def copyto(out, value, casting="same_kind", where=True):
    if where is True:
        assign(out, value)
    else:
        choose(where, value, out, out=out)


FUNCTIONS = {
    "shape": lambda x: x.shape,
    "ndim": lambda x: x.ndim,
    "size": lambda x, axis=None: x.size if axis is None else x.shape[axis],
    "empty": make_empty,
    "zeros": filled(0),
    "ones": filled(1),
    "full": lambda shape, value, dtype=None, **options: assign(make_empty(shape, dtype), value),
    "empty_like": lambda x, dtype=None, order="K", subok=True, shape=None, **o: empty_like(
        x, dtype, order, shape
    ),
    "zeros_like": filled_like(0),
    "ones_like": filled_like(1),
    "full_like": full_like,
    "arange": arange,
    "asarray": lambda x, dtype=None, **options: to_device(np.asarray(x, dtype)),
    "copyto": copyto,
    "where": choose,
    "concatenate": concatenate,
    "stack": lambda arrays, axis=0, **options: concatenate([expand_dims(a, axis) for a in arrays], axis),
    "broadcast_to": lambda x, shape, subok=False: x.broadcast_to(shape),
    "expand_dims": expand_dims,
    "moveaxis": moveaxis,
    "swapaxes": lambda x, a, b: x.swapaxes(a, b),
    "transpose": lambda x, axes=None: x.transpose(axes) if axes is not None else x.T,
    "reshape": lambda x, shape, **options: x.reshape(shape),
    "ravel": lambda x, order="C": x.ravel(order),
    "squeeze": lambda x, axis=None: x.squeeze(axis),
    "diagonal": lambda x, offset=0, axis1=0, axis2=1: x.diagonal(offset, axis1, axis2),
    "atleast_1d": lambda x: x if x.ndim else x.reshape(1),
    "take_along_axis": indexing.take_along_axis,
    "put_along_axis": indexing.put_along_axis,
    "norm": norm,
    "vecdot": vecdot,
    "clip": lambda x, low, high, out=None, **options: np.minimum(np.maximum(x, low, out=out), high, out=out),
}
METHODS = "sum prod max min all any argmax mean var copy"
FUNCTIONS |= {
    name: lambda x, *args, _name=name, **options: getattr(x, _name)(*args, **options)
    for name in METHODS.split()
}
FUNCTIONS |= {"amax": FUNCTIONS["max"], "amin": FUNCTIONS["min"]}


@methods_of(CudaArray)
class Protocols:
    """How NumPy's functions find their way here (NEP 13 and NEP 18)."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if any(hasattr(x, "_edge") for x in inputs):  # a Tensor, whose turn it is
            return NotImplemented
        name = ufunc.__name__
        if method == "__call__" and name in ("matmul", "vecdot"):
            return (matmul if name == "matmul" else vecdot)(*inputs, out=out[0] if out else None, **options)
        if method == "__call__":
            return compute(ufunc, *inputs, out=out[0] if out else None, **options)
        if method == "reduce":
            return reduce(name, *inputs, out=out, **options)
        if method == "at" and name == "add":
            return indexing.add_at(*inputs)
        raise refused(f"np.{name}.{method}")

    def __array_function__(self, function, types, args, options):
        if function.__name__ not in FUNCTIONS:
            raise refused(f"np.{function.__name__}")
        return FUNCTIONS[function.__name__](*args, **options)
