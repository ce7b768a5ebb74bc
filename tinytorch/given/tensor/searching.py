"""Elements by flat places, sorted places, and reductions into places: made of indexing and `along`."""

import math

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import owner
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.creation import as_tensor
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.gathering import corner, places
from tinytorch.given.tensor.indexing import IndexPut, index_arrays
from tinytorch.given.tensor.out import takes_out
from tinytorch.given.tensor.promotion import in_float32
from tinytorch.given.tensor.views import View, sizes
from tinytorch.tensor import Context, Function, Tensor, array_of, int64, wrap

__all__ = ["AsStrided", "IndexPutAdd", "ScatterReduce", "bucketize", "isin", "searchsorted"]


class IndexPutAdd(Function):
    """x with values added at an index, as often as it names a place."""

    @staticmethod
    def forward(ctx, x, value, index):
        ctx.shape, ctx.index = value.shape, index
        output = x.copy()
        np.add.at(output, index, value)
        return output

    @staticmethod
    def backward(ctx, grad):
        return grad, later("autograd").unbroadcast(grad[ctx.index], ctx.shape)


class AsStrided(View):
    """A view of the memory with a shape, strides and an offset, all counted in elements."""

    @staticmethod
    def forward(ctx, x, size, stride, storage_offset):
        ctx.options = {"size": size, "stride": stride, "storage_offset": storage_offset}
        memory = owner(x).reshape(-1)
        ctx.like = x.shape, x.dtype, x.flags.c_contiguous and memory.size == x.size
        first = storage_offset
        if first is None:
            first = (x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]) // x.itemsize
        last = first + sum((n - 1) * s for n, s in zip(size, stride))
        if len(size) != len(stride) or min((*stride, 0)) < 0 or (0 not in size and last >= memory.size):
            raise RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {first} are out of "
                f"bounds for storage of {memory.size} elements"
            )
        strides = [s * x.itemsize for s in stride]
        return np.ndarray(size, x.dtype, memory, first * x.itemsize, strides)

    @staticmethod
    def backward(ctx, grad):
        shape, dtype, is_whole = ctx.like
        if not is_whole:
            raise NotImplementedError("the gradient of as_strided of a view is not here: take a copy first")
        numbers = np.arange(math.prod(shape)).reshape(shape)
        taken = AsStrided.forward(Context(), numbers, **ctx.options)
        flat = as_tensor(np.zeros(numbers.size, dtype))
        return IndexPutAdd.apply(flat, as_tensor(grad).reshape(-1), index=taken.ravel()).reshape(shape)


REDUCTIONS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
STARTS = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}


def start_of(reduce, dtype):
    """What a reduction begins with where the tensor's own elements do not count."""
    start = STARTS[reduce]
    if dtype.kind in "iu" and not np.isfinite(start):
        return getattr(np.iinfo(dtype), "min" if start < 0 else "max")
    return start > 0 if dtype.kind == "b" else start


class ScatterReduce(Function):
    """x with the elements of src reduced into the places that an index names."""

    @staticmethod
    def forward(ctx, x, index, src, dim, reduce, include_self):
        ctx.dim, ctx.reduce, ctx.include_self, ctx.src_shape = dim, reduce, include_self, src.shape
        where, part = places(x, index, dim), corner(src, index)
        output = np.atleast_1d(x).copy()
        count = np.full(output.shape, int(include_self), np.int64)
        np.add.at(count, where, 1)
        if not include_self:
            output[where] = start_of(reduce, x.dtype)
        REDUCTIONS[reduce].at(output, where, part)
        if reduce == "mean":
            count = np.maximum(count, 1)
            output = (output // count if x.dtype.kind in "iu" else output / count).astype(x.dtype)
        ctx.save_for_backward(x, index, src, output.reshape(x.shape))
        return output.reshape(x.shape)

    once_differentiable = True

    @staticmethod
    def backward(ctx, grad):
        x, index, src, output = map(array_of, ctx.saved_tensors)
        where, part = places(x, index, ctx.dim), corner(src, index)
        shape, (x, grad, output) = x.shape, map(np.atleast_1d, (x, array_of(grad), output))
        rules = {"sum": sum_shares, "mean": mean_shares, "prod": product_shares}
        grad_x, found = rules.get(ctx.reduce, extreme_shares)(x, part, output, grad, where, ctx.include_self)
        if not ctx.include_self:
            grad_x = grad_x.copy()
            grad_x[where] = 0
        grad_src = np.zeros(src.shape, src.dtype)
        grad_src[tuple(map(slice, index.shape))] = found.reshape(index.shape)
        return grad_x.astype(x.dtype).reshape(shape), None, grad_src


def sum_shares(x, part, output, grad, where, include_self):
    return grad, grad[where]


def mean_shares(x, part, output, grad, where, include_self):
    count = np.full(x.shape, int(include_self))
    np.add.at(count, where, 1)
    grad = grad / np.maximum(count, 1).astype(x.dtype)
    return grad, grad[where]


def product_shares(x, part, output, grad, where, include_self):
    """Each factor's share is the product of the others: of a lone 0, the product with a 1 in its place."""

    def product(x, part):
        result = x.copy()
        if not include_self:
            result[where] = 1
        np.multiply.at(result, where, part)
        return result

    filled = np.where(x == 0, 1, x).astype(x.dtype)
    zeros = np.zeros(x.shape, np.int64)
    np.add.at(zeros, where, part == 0)
    lone = (part == 0) & (zeros[where] == 1)
    without = product(x, np.where(lone, 1, part).astype(x.dtype))
    shares = (grad * output)[where] / np.where(part == 0, 1, part).astype(x.dtype)
    return grad * product(filled, part) / filled, np.where(lone, (grad * without)[where], shares)


def extreme_shares(x, part, output, grad, where, include_self):
    """All that are equal to the extreme share its gradient."""
    own, theirs = x == output, part == output[where]
    winners = own.astype(x.dtype)
    np.add.at(winners, where, theirs)
    with np.errstate(divide="ignore", invalid="ignore"):
        grad = grad / winners
    return own * grad, theirs * grad[where]


@takes_out
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """Find where each element of `input` would be put into a sorted sequence, the last dimension of it."""
    if side is not None and right and side == "left":
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left")
    side = side or ("right" if right else "left")
    rows, values = sorted_sequence.array, np.asarray(array_of(input))
    if sorter is not None:
        rows = np.take_along_axis(rows, sorter.array, -1)
    if rows.ndim == 1:
        found = np.searchsorted(rows, values, side)
    else:
        if rows.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
                f"of boundaries tensor and input value tensor must match, but we got {list(rows.shape)} and "
                f"{list(values.shape)}"
            )
        found, each = np.zeros(values.shape, np.int64), np.ndindex(*values.shape[:-1])
        for row in each:
            found[row] = np.searchsorted(rows[row], values[row], side)
    return wrap(np.asarray(found).astype(np.int32 if out_int32 else np.int64))


@takes_out
def bucketize(input, boundaries, *, out_int32=False, right=False):
    """Find the bucket of each element among sorted boundaries."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@takes_out
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Tell of each element whether it is among the others."""
    return wrap(np.isin(array_of(elements), array_of(test_elements), assume_unique, invert))


@methods_of(Tensor)
class Searching:
    """Elements by flat places, and reductions into places."""

    def take(self, index):
        """Take the elements at these places of the flattened tensor; IndexError for one outside.

        >>> torch.tensor([[1, 2], [3, 4]]).take(torch.tensor([0, 3]))
        tensor([1, 4])
        """
        if index.dtype is not int64:
            raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype}")
        count, flat = self.numel(), index.array
        wrong = flat[(flat < -count) | (flat >= count)]
        if wrong.size:
            raise IndexError(
                f"out of range: tried to access index {wrong[0]} on a tensor of {count} elements."
            )
        flat = wrap(flat % max(count, 1))
        return self.reshape(-1)[flat.reshape(-1)].reshape(flat.shape)

    def argwhere(self):
        """List the places of the elements other than 0, a row each.

        >>> torch.tensor([[1, 0], [0, 2]]).argwhere()
        tensor([[0, 0],
                [1, 1]])
        """
        return self.nonzero()

    def index_put(self, indices, values, accumulate=False):
        """Put values, or with `accumulate` add them, at an index given as a tuple of tensors.

        >>> torch.zeros(3).index_put((torch.tensor([0, 2]),), torch.tensor([5.0, 6.0]))
        tensor([5., 0., 6.])
        """
        values = as_tensor(values).to(self.dtype)
        function = IndexPutAdd if accumulate else IndexPut
        return function.apply(self, values, index=index_arrays(tuple(indices)))

    def index_fill(self, dim, index, value):
        """Put one number into the slices along `dim` that `index` names.

        >>> torch.zeros(2, 2).index_fill(1, torch.tensor([0]), 7)
        tensor([[7., 0.],
                [7., 0.]])
        """
        if isinstance(value, Tensor) and value.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, "
                f"but got tensor with {value.ndim} dimension(s)."
            )
        if index.ndim > 1:
            raise RuntimeError("Index has to be a vector/scalar")
        if index.dtype is not int64:
            raise IndexError("index_fill_(): Expected dtype int64 for index.")
        if self.ndim == 0:
            return self.reshape(1).index_fill(dim, index, value).reshape(())
        if self.numel() == 0:
            return self.clone()
        rows = np.zeros(self.shape, bool)
        rows[(slice(None),) * axis_of(dim, self.ndim) + (index.array,)] = True
        value = value if isinstance(value, Tensor) else np.asarray(value).astype(self.array.dtype).item()
        return self.masked_fill(wrap(rows), value)

    def scatter_reduce(self, dim, index, src, reduce, *, include_self=True):
        """Reduce `src` into the places along `dim` that `index` names, by sum, prod, mean, amax or amin.

        Without `include_self`, what stood in these places does not count.

        >>> torch.ones(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([3.0, 5.0]), "sum")
        tensor([9., 1.])
        """
        if reduce not in REDUCTIONS:
            raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
        if index.numel() == 0:
            return self.clone()
        src = src.reshape(1) if index.ndim and not src.ndim else src
        options = {"dim": dim, "reduce": reduce, "include_self": include_self}
        return in_float32(ScatterReduce, self, index, src, **options)

    def nonzero_static(self, *, size, fill_value=-1):
        """List the places of the first `size` elements other than 0, filled up with `fill_value`.

        >>> torch.tensor([0, 5, 6]).nonzero_static(size=3)
        tensor([[ 1],
                [ 2],
                [-1]])
        """
        if size < 0:
            raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
        found = np.argwhere(self.array)[:size]
        return wrap(np.pad(found, ((0, size - len(found)), (0, 0)), constant_values=fill_value))

    def as_strided(self, size, stride, storage_offset=None):
        """Look at the memory with another shape, strides and offset, all counted in elements.

        RuntimeError for what reaches beyond the memory.

        >>> torch.arange(4).as_strided((3, 2), (1, 1))
        tensor([[0, 1],
                [1, 2],
                [2, 3]])
        """
        options = {"size": sizes((size,)), "stride": sizes((stride,)), "storage_offset": storage_offset}
        return AsStrided.apply(self, **options)

    def bucketize(self, boundaries, *, out_int32=False, right=False):
        """Find the bucket of each element among `boundaries`, a sorted vector.

        >>> torch.bucketize(torch.tensor([0, 2, 9]), torch.tensor([1, 5]))
        tensor([0, 1, 2])
        """
        return bucketize(self, boundaries, out_int32=out_int32, right=right)

    def isin(self, test_elements, *, assume_unique=False, invert=False):
        """Tell of each element whether it is among `test_elements`.

        >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([1, 3]))
        tensor([ True, False,  True])
        """
        return isin(self, test_elements, assume_unique=assume_unique, invert=invert)
