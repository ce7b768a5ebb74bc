"""Picking and writing elements that differ from row to row, or where a mask holds: made of `along`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import is_array, on_host, selected
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.indexing import Index
from tinytorch.given.tensor.numpy_warnings import python_number
from tinytorch.given.tensor.out import takes_out
from tinytorch.given.tensor.promotion import in_float32, promote, result_type
from tinytorch.tensor import Function, Tensor, along, array_of, broadcast_shapes, dtypes, tensor

__all__ = ["Gather", "MaskedFill", "Scatter", "ScatterAdd", "Where", "corner", "places", "where"]


class Gather(Function):
    rule_in_float32 = True

    @staticmethod
    def forward(ctx, x, index, dim):
        ctx.shape, ctx.dim = x.shape, dim
        ctx.save_for_backward(index)
        return np.atleast_1d(x)[places(x, index, dim)].reshape(index.shape)


class Scatter(Function):
    @staticmethod
    def forward(ctx, x, index, src, dim):
        ctx.dim, ctx.src_shape = dim, np.shape(src)
        ctx.save_for_backward(index)
        output = np.atleast_1d(x).copy()
        output[places(x, index, dim)] = src if np.ndim(src) == 0 else corner(src, index)
        return output.reshape(x.shape)


class ScatterAdd(Function):
    @staticmethod
    def forward(ctx, x, index, src, dim):
        ctx.dim, ctx.src_shape = dim, src.shape
        ctx.save_for_backward(index)
        output = np.atleast_1d(x).copy()
        np.add.at(output, places(x, index, dim), corner(src, index))
        return output.reshape(x.shape)


def corner(src, index):
    """As much of the source as the index has places for."""
    if any(n > m for n, m in zip(index.shape, src.shape)):
        raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than src {list(src.shape)}")
    return src[tuple(map(slice, index.shape))]


def places(x, index, dim):
    """`along`, for an index that fits: int64, of as many dimensions, not longer elsewhere, and in range."""
    dim = axis_of(dim, x.ndim)
    if index.size == 0:  # which may have any type
        index = index.astype(np.int64)
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    if any(n > m for d, (n, m) in enumerate(zip(index.shape, x.shape)) if d != dim):
        raise RuntimeError(
            f"Size does not match at dimension {dim} expected index {list(index.shape)} to be no larger than "
            f"self {list(x.shape)} apart from dimension {dim}"
        )
    size = x.shape[dim] if x.ndim else 1
    if on_host(index) and index.size and not 0 <= index.min() <= index.max() < size:
        bad = index[(index < 0) | (index >= size)].flat[0]
        raise RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {size}")
    return along(np.atleast_1d(index), dim)


class MaskedFill(Function):
    @staticmethod
    def forward(ctx, x, mask, value):
        if mask.dtype != bool:
            raise RuntimeError(
                f"masked_fill_ only supports boolean masks, but got mask with dtype {dtypes[mask.dtype]}"
            )
        if np.ndim(value):
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, "
                f"but got tensor with {np.ndim(value)} dimension(s)."
            )
        ctx.save_for_backward(mask)
        ctx.shapes, ctx.by_number = (x.shape, np.shape(value)), not is_array(value)
        output = np.broadcast_to(x, broadcast_shapes(x.shape, mask.shape)).copy()
        tensors = is_array(value)  # a number is taken for what it is in the tensor's type
        np.copyto(
            output, value if tensors else np.asarray(value).astype(x.dtype), where=mask, casting="same_kind"
        )
        return output


class Where(Function):
    @staticmethod
    def forward(ctx, condition, x, y):
        ctx.save_for_backward(condition)
        ctx.shapes = np.shape(x), np.shape(y)
        return selected(condition, x, y)


@takes_out
def where(condition, input=None, other=None):
    """Take elements of `input` where `condition` holds, and of `other` elsewhere, all three broadcast.

    Args:
        condition: a boolean tensor; alone, the indices at which it holds are returned.
        input, other: tensors or numbers.

    >>> where(tensor([True, False]), tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    if not isinstance(condition, Tensor):
        raise TypeError(f"where(): argument 'condition' must be Tensor, not {type(condition).__name__}")
    if input is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = tensor(python_number(input))
    if not isinstance(input, Tensor):
        input = tensor(input, dtype=result_type(other, input))
    input, other = promote(input, other)
    broadcast_shapes(condition.shape, broadcast_shapes(input.shape, np.shape(array_of(other))))
    return Where.apply(condition, input, other)


@methods_of(Tensor)
class Gathering:
    """Elements by index tensors and masks."""

    def gather(self, dim, index):
        """Take elements along `dim` at the places in `index`: out[i][j] = self[index[i][j]][j] for dim 0.

        >>> torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[0], [1]]))
        tensor([[1],
                [4]])
        """
        return Gather.apply(self, index, dim=dim)

    def take_along_dim(self, indices, dim=None):
        """Take the elements at these places along `dim`, or of the flattened tensor; all else broadcasts.

        >>> x = torch.tensor([[3, 1], [2, 4]])
        >>> x.take_along_dim(x.argsort(dim=1), dim=1)
        tensor([[1, 3],
                [2, 4]])
        """
        if indices.dtype.numpy != np.int64:
            raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long")
        if dim is None:
            return self.reshape(-1).take_along_dim(indices.reshape(-1), 0)
        if indices.ndim != self.ndim:
            raise RuntimeError(
                "torch.take_along_dim(): input and indices should have the same number of dimensions, "
                f"but got {self.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
            )
        axis, shapes = axis_of(dim, self.ndim), [list(self.shape), list(indices.shape)]
        for shape in shapes:
            shape[axis] = 1
        common = list(broadcast_shapes(*shapes))
        x, i = (t.expand([*common[:axis], t.shape[axis], *common[axis + 1 :]]) for t in (self, indices))
        i = i + (i < 0) * x.shape[axis] if (i.array < 0).any() else i
        return x.gather(axis, i)

    def scatter(self, dim, index, src=None, *, value=None, reduce=None):
        """Put `src`, a tensor or a number, into the places along `dim` that `index` names; with `reduce`, add
        or multiply.

        >>> torch.zeros(3).scatter(0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0]))
        tensor([6., 0., 5.])
        """
        src = value if src is None else src
        if isinstance(src, Tensor) and src.dtype != self.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        if index.numel() == 0:
            return self.clone()
        if not isinstance(src, Tensor):
            src = np.asarray(src).astype(self.array.dtype).item()
        if reduce is None:
            return Scatter.apply(self, index, src, dim=dim)
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        src = src if isinstance(src, Tensor) else tensor(src, dtype=self.dtype).expand(index.shape)
        return self.scatter_reduce(dim, index, src, "sum" if reduce == "add" else "prod")

    def scatter_add(self, dim, index, src):
        """Add the elements of `src` into the places along `dim` that `index` names, as often as it does.

        >>> torch.zeros(3).scatter_add(0, torch.tensor([2, 2]), torch.tensor([5.0, 6.0]))
        tensor([ 0.,  0., 11.])
        """
        if src.dtype != self.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        if index.numel() == 0:
            return self.clone()
        src = src.reshape(1) if index.ndim and not src.ndim else src
        return in_float32(ScatterAdd, self, index, src, dim=dim)

    def index_select(self, dim, index):
        """Take the slices along `dim` that `index`, a vector of integers, names.

        >>> torch.tensor([[1, 2], [3, 4]]).index_select(1, torch.tensor([1, 1]))
        tensor([[2, 2],
                [4, 4]])
        """
        if index.ndim > 1:
            raise IndexError("index_select(): Index is supposed to be a vector")
        if index.array.dtype not in (np.int64, np.int32):
            raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
        if self.ndim == 0:
            return self.reshape(1).index_select(dim, index).reshape(())
        where = (slice(None),) * axis_of(dim, self.ndim) + (index.array.reshape(-1),)
        return Index.apply(self, index=where, named="IndexSelect")

    def index_add(self, dim, index, source, *, alpha=1):
        """Add alpha times the slices of `source` to those along `dim` that `index` names.

        >>> torch.zeros(3).index_add(0, torch.tensor([0, 0]), torch.tensor([1.0, 2.0]), alpha=10)
        tensor([30.,  0.,  0.])
        """
        if index.array.dtype not in (np.int64, np.int32):
            raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {index.dtype}")
        if self.ndim == 0 and source.ndim:
            raise RuntimeError(
                "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                f"self.shape = [] source.shape = {list(source.shape)}"
            )
        if self.ndim == 0 and index.numel() == source.numel() == 1:
            parts = index.reshape(1), source.reshape(1)
            return self.reshape(1).index_add(0, *parts, alpha=alpha).reshape(())
        if index.ndim > 1 or source.size(dim) != index.numel():
            raise RuntimeError("index_add_(): Number of indices should be equal to source.size(dim)")
        shape = [1] * self.ndim
        shape[dim] = -1
        source = source if alpha == 1 else source * alpha
        return self.scatter_add(dim, index.reshape(shape).expand(source.shape), source)

    def masked_fill(self, mask, value):
        """Put a number in the places where `mask`, of booleans, holds; it broadcasts.

        >>> torch.tensor([1.0, 2.0]).masked_fill(torch.tensor([True, False]), 0)
        tensor([0., 2.])
        """
        return MaskedFill.apply(self, mask, value.to(self.dtype) if isinstance(value, Tensor) else value)

    def masked_select(self, mask):
        """List the elements where `mask`, of booleans, holds.

        >>> torch.tensor([1, 2, 3]).masked_select(torch.tensor([True, False, True]))
        tensor([1, 3])
        """
        shape = broadcast_shapes(self.shape, mask.shape)
        return Index.apply(self.expand(shape), index=mask.expand(shape).array, named="MaskedSelect")

    def where(self, condition, other):
        """Keep the elements where `condition` holds, and take those of `other`, a tensor or a number,
        elsewhere.

        >>> x = torch.tensor([-1.0, 2.0])
        >>> x.where(x > 0, 0.0)
        tensor([0., 2.])
        """
        return where(condition, self, other)
