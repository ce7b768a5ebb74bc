"""Values put where an index, a mask or a slice says: operations that go like `IndexPut`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.indexing import Index, IndexPut
from tinytorch.given.tensor.legacy_types import type_names
from tinytorch.given.tensor.searching import AsStrided, IndexPutAdd
from tinytorch.given.tensor.views import Diagonal, follow
from tinytorch.tensor import Tensor, bool_, broadcast_shapes, int64, tensor, wrap

__all__ = ["diagflat"]


def diagflat(input, offset=0):
    """A matrix with the elements of a tensor, flattened, on a diagonal."""
    return input.reshape(-1).diag_embed(offset)


def written(x, source, view, options, name):
    """x with `source` in place of what a view of it shows."""
    if source.dtype != x.dtype:
        source = source.to(x.dtype)
    places = follow([(view, options)], wrap(np.arange(x.numel()).reshape(x.shape))).array
    if source.shape != places.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the {name} of self. src size = {list(source.shape)}, "
            f"{name} size = {list(places.shape)}"
        )
    return IndexPut.apply(x.reshape(-1), source, index=places).reshape(x.shape)


@methods_of(Tensor)
class Placing:
    """The tensor with other values in places."""

    def diagflat(self, offset=0):
        """Make a matrix with the elements of the tensor, flattened, on a diagonal.

        >>> torch.tensor([1, 2]).diagflat()
        tensor([[1, 0],
                [0, 2]])
        """
        return diagflat(self, offset)

    def index_copy(self, dim, index, source):
        """Put the slices of `source` in place of those along `dim` that `index` names.

        >>> torch.zeros(3).index_copy(0, torch.tensor([0, 2]), torch.tensor([5.0, 6.0]))
        tensor([5., 0., 6.])
        """
        axis = axis_of(dim, self.ndim)
        if index.ndim > 1:
            raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
        if index.dtype is not int64:
            kind = type_names[index.dtype]
            raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {kind}")
        if source.dtype is not self.dtype:
            raise RuntimeError(
                "index_copy_(): self and source expected to have the same dtype, but got (self) "
                f"{type_names[self.dtype]} and (source) {type_names[source.dtype]}"
            )
        if self.ndim == 0 or source.ndim == 0:
            if index.numel() != 1 or source.numel() != 1:
                raise IndexError("index_copy_(): When source is scalar, index should have one element")
            x = self.reshape(1) if self.ndim == 0 else self
            return IndexPut.apply(x, source.reshape(1), index=(index.array.reshape(-1),)).reshape(self.shape)
        if self.shape[:axis] + self.shape[axis + 1 :] != source.shape[:axis] + source.shape[axis + 1 :]:
            raise RuntimeError(
                "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
                f"shape: {list(self.shape)} and source slice shape: {list(source.shape)} at dimension {dim}"
            )
        if index.numel() != source.shape[axis]:
            raise IndexError(
                f"index_copy_(): Number of indices ({index.numel()}) should be equal to source.size(dim) "
                f"({source.shape[axis]})"
            )
        rows = index.array.reshape(-1)
        wrong = rows[(rows < 0) | (rows >= self.shape[axis])]
        if wrong.size:
            raise IndexError(
                f"index_copy_(): index {wrong[0]} is out of bounds for dimension {axis} with size "
                f"{self.shape[axis]}"
            )
        return IndexPut.apply(self, source, index=(slice(None),) * axis + (rows,))

    def masked_scatter(self, mask, source):
        """Put the first elements of `source`, one after the other, where `mask` holds.

        >>> torch.zeros(3).masked_scatter(torch.tensor([True, False, True]), torch.tensor([5.0, 6.0]))
        tensor([5., 0., 6.])
        """
        if mask.dtype is not bool_:
            raise RuntimeError(
                "masked_scatter_ only supports boolean masks, but got mask with dtype "
                f"{type_names[mask.dtype]}"
            )
        if source.dtype is not self.dtype:
            raise RuntimeError(
                "masked_scatter: expected self and source to have same dtypes but got"
                f"{type_names[self.dtype]} and {type_names[source.dtype]}"
            )
        shape = broadcast_shapes(self.shape, mask.shape)
        places = np.broadcast_to(mask.array, shape)
        count = int(np.count_nonzero(places))
        if source.numel() < count:
            raise RuntimeError("Number of elements of source < number of ones in mask")
        values = source.reshape(-1).narrow(0, 0, count)
        return IndexPut.apply(self.expand(shape), values, index=(places,))

    def put(self, index, source, accumulate=False):
        """Put values, or with `accumulate` add them, at these places of the flattened tensor.

        >>> torch.zeros(2, 2).put(torch.tensor([3]), torch.tensor([5.0]))
        tensor([[0., 0.],
                [0., 5.]])
        """
        if index.dtype is not int64:
            kind = type_names[index.dtype]
            raise RuntimeError(f"put_(): Expected a long tensor for index, but got {kind}")
        if source.dtype is not self.dtype:
            raise RuntimeError(
                "put_(): self and source expected to have the same dtype, but got self.dtype = "
                f"{type_names[self.dtype]} and source.dtype = {type_names[source.dtype]}"
            )
        if index.numel() != source.numel():
            raise IndexError(
                "put_(): Expected source and index to have the same number of elements, but got "
                f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
            )
        count, places = self.numel(), index.array.reshape(-1)
        wrong = places[(places < -count) | (places >= count)]
        if wrong.size:
            raise IndexError(
                f"out of range: tried to access index {wrong[0]} on a tensor of {count} elements."
            )
        function = IndexPutAdd if accumulate else IndexPut
        places = (places % max(count, 1),)
        return function.apply(self.reshape(-1), source.reshape(-1), index=places).reshape(self.shape)

    def select_scatter(self, src, dim, index):
        """Put `src` in place of slice number `index` along `dim`.

        >>> torch.zeros(2, 2).select_scatter(torch.ones(2), 0, 1)
        tensor([[0., 0.],
                [1., 1.]])
        """
        if not -self.shape[dim] <= index < self.shape[dim]:
            raise IndexError(
                f"index {index} is out of bounds for dimension {dim} with size {self.shape[dim]}"
            )
        where = (slice(None),) * axis_of(dim, self.ndim) + (index,)
        return written(self, src, Index, {"index": where}, "slice")

    def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
        """Put `src` in place of the slices start, start + step, ... before `end` along `dim`.

        >>> torch.zeros(4).slice_scatter(torch.ones(2), start=1, step=2)
        tensor([0., 1., 0., 1.])
        """
        where = (slice(None),) * axis_of(dim, self.ndim) + (slice(start, end, step),)
        return written(self, src, Index, {"index": where}, "slice")

    def as_strided_scatter(self, src, size, stride, storage_offset=None):
        """Put `src` in place of what `as_strided` shows.

        >>> torch.zeros(4).as_strided_scatter(torch.ones(2), (2,), (2,))
        tensor([1., 0., 1., 0.])
        """
        options = {"size": tuple(size), "stride": tuple(stride), "storage_offset": storage_offset}
        return written(self, src, AsStrided, options, "slice")

    def index_reduce(self, dim, index, source, reduce, *, include_self=True):
        """Reduce the slices of `source` into those along `dim` that `index` names: prod, mean, amax or amin.

        Without `include_self`, what stood in these places does not count.

        >>> torch.ones(2).index_reduce(0, torch.tensor([0, 0]), torch.tensor([3.0, 5.0]), "prod")
        tensor([15.,  1.])
        """
        if reduce not in ("prod", "mean", "amax", "amin"):
            raise RuntimeError(
                f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
            )
        if source.size(dim) != index.numel():
            raise RuntimeError(
                f"index_reduce_(): Number of indices ({index.numel()}) should be equal to "
                f"source.size(dim): ({source.size(dim)}), for dim: {dim}"
            )
        shape = [1] * self.ndim
        shape[dim] = -1
        places = index.reshape(shape).expand(source.shape)
        return self.scatter_reduce(dim, places, source, reduce, include_self=include_self)

    def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
        """Put `src` in place of a diagonal.

        >>> torch.zeros(2, 2).diagonal_scatter(torch.ones(2))
        tensor([[1., 0.],
                [0., 1.]])
        """
        dim1, dim2 = axis_of(dim1, self.ndim), axis_of(dim2, self.ndim)
        return written(self, src, Diagonal, {"offset": offset, "dim1": dim1, "dim2": dim2}, "diagonal")

    def fill_diagonal_(self, fill_value, wrap=False):
        """Put one number on the main diagonal; in a tall matrix, with `wrap`, again below each block.

        >>> torch.zeros(2, 2).fill_diagonal_(7)
        tensor([[7., 0.],
                [0., 7.]])
        """
        if self.ndim < 2:
            raise RuntimeError("dimensions must larger than 1")
        if self.ndim > 2 and len(set(self.shape)) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        if isinstance(fill_value, Tensor) and fill_value.ndim:
            raise TypeError(
                f"fill_diagonal_ only supports 0-dimension value tensor but got tensor with "
                f"{fill_value.ndim} dimensions."
            )
        mask = np.zeros(self.shape, bool)
        np.fill_diagonal(mask, True, wrap=wrap)
        value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
        return self.masked_fill_(tensor(mask), value)
