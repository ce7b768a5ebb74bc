"""Putting tensors next to and on top of each other, and onto diagonals, by `cat`, `stack` and views."""

from numbers import Integral

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import zeros_beside
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.creation import zeros
from tinytorch.given.tensor.out import takes_out
from tinytorch.given.tensor.promotion import common_type
from tinytorch.given.tensor.rearranging import cat, copied, stack
from tinytorch.tensor import Function, Tensor, int64, tensor, wrap

__all__ = [
    "DiagEmbed",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "cartesian_prod",
    "column_stack",
    "combinations",
    "dstack",
    "hstack",
    "row_stack",
    "tril_indices",
    "triu_indices",
    "vstack",
]


def each(convert, tensors):
    """What a conversion makes of one tensor, or of several, given one by one or in a list, as a tuple."""
    several = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    made = tuple([convert(t) for t in several])
    return made[0] if len(tensors) == 1 and isinstance(tensors[0], Tensor) else made


def atleast_1d(*tensors):
    """Give each tensor one dimension or more: () becomes (1,); several tensors become a tuple.

    >>> torch.atleast_1d(torch.tensor(3.0))
    tensor([3.])
    """
    return each(lambda t: t.reshape(1) if t.ndim == 0 else t, tensors)


def atleast_2d(*tensors):
    """Give each tensor two dimensions or more: (n,) becomes (1, n); several tensors become a tuple.

    >>> torch.atleast_2d(torch.tensor([3.0, 4.0]))
    tensor([[3., 4.]])
    """
    return each(lambda t: t.reshape(1, -1) if t.ndim < 2 else t, tensors)


def atleast_3d(*tensors):
    """Give each tensor three dimensions or more: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1).

    >>> torch.atleast_3d(torch.tensor([3.0, 4.0])).shape
    torch.Size([1, 2, 1])
    """

    def deepened(t):
        return t.reshape(1, -1, 1) if t.ndim < 2 else t.unsqueeze(-1) if t.ndim == 2 else t

    return each(deepened, tensors)


@takes_out
def hstack(tensors):
    """Put tensors side by side: along dimension 1, vectors along 0."""
    tensors = atleast_1d(tuple(tensors))
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


@takes_out
def vstack(tensors):
    """Put tensors on top of each other; a vector is a row."""
    return cat(atleast_2d(tuple(tensors)), 0)


row_stack = vstack


@takes_out
def dstack(tensors):
    """Put tensors one behind the other, along dimension 2."""
    return cat(atleast_3d(tuple(tensors)), 2)


@takes_out
def column_stack(tensors):
    """Put tensors side by side; a vector is a column."""
    return hstack([t.reshape(-1, 1) if t.ndim < 2 else t for t in tensors])


class DiagEmbed(Function):
    """Matrices of zeros with numbers on their diagonals."""

    @staticmethod
    def forward(ctx, x, offset, dim1, dim2):
        ndim, count = x.ndim + 1, x.shape[-1]
        dim1, dim2 = axis_of(dim1, ndim), axis_of(dim2, ndim)
        if dim1 == dim2:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        ctx.options = offset, dim1, dim2
        matrices = zeros_beside(x, (*x.shape[:-1], count + abs(offset), count + abs(offset)))
        places = np.arange(count)
        matrices[..., places + max(-offset, 0), places + max(offset, 0)] = x
        return np.moveaxis(matrices, (-2, -1), (dim1, dim2))

    @staticmethod
    def backward(ctx, grad):
        return grad.diagonal(*ctx.options)


def block_diag(*tensors):
    """Make the matrix with these on its diagonal, and zeros elsewhere."""
    wanted = common_type(*tensors)
    blocks = [block.to(wanted) for block in atleast_2d(tuple(tensors))]
    width, rows, start = sum(b.shape[1] for b in blocks), [], 0
    for block in blocks:
        height, n = block.shape
        before, after = zeros(height, start, dtype=wanted), zeros(height, width - start - n, dtype=wanted)
        rows.append(cat([before, block, after], 1))
        start += n
    return cat(rows, 0)


def cartesian_prod(*tensors):
    """List all tuples of one element of each."""
    from tinytorch.given.tensor.functions import meshgrid

    if len(tensors) == 1:
        return tensors[0]
    return stack([axis.reshape(-1) for axis in meshgrid(*tensors, indexing="ij")], 1)


def combinations(input, r=2, with_replacement=False):
    """List all choices of r elements of a vector, in its order."""
    import itertools

    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = np.array(list(choose(range(input.numel()), r)), np.int64).reshape(-1, r)
    return input[wrap(chosen)]


def tril_indices(row, col, offset=0, *, dtype=None, device=None, requires_grad=False):
    """The indices (2, n) of the lower triangle of a matrix."""
    places = np.stack(np.tril_indices(row, offset, col))
    return tensor(places, dtype=dtype or int64, device=device, requires_grad=requires_grad)


def triu_indices(row, col, offset=0, *, dtype=None, device=None, requires_grad=False):
    """The indices (2, n) of the upper triangle of a matrix."""
    places = np.stack(np.triu_indices(row, offset, col))
    return tensor(places, dtype=dtype or int64, device=device, requires_grad=requires_grad)


def at_least(ndim, x):
    """A tensor with that many dimensions; RuntimeError for others."""
    if x.ndim < ndim:
        raise RuntimeError(f"Input must be >= {ndim}-d.")
    return x


def evenly(name, x, sections, dim):
    """`tensor_split`, refused where equal parts are requested and impossible."""
    wanted = {"hsplit": 1, "vsplit": 2, "dsplit": 3}[name]
    if x.ndim < wanted:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {wanted} dimension, but got a tensor with "
            f"{x.ndim} dimensions!"
        )
    if isinstance(sections, Integral) and (sections == 0 or x.shape[dim] % sections):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{x.shape[dim]} is not divisible by the split_size {sections}!"
        )
    return x.tensor_split(sections, dim)


@methods_of(Tensor)
class Stacking:
    """Diagonals, pieces and turns."""

    def ravel(self):
        """Flatten to one dimension.

        >>> torch.tensor([[1, 2], [3, 4]]).ravel()
        tensor([1, 2, 3, 4])
        """
        return self.reshape(-1)

    def diag(self, diagonal=0):
        """Copy the diagonal of a matrix, or make a matrix with a vector on its diagonal.

        >>> torch.tensor([1, 2]).diag()
        tensor([[1, 0],
                [0, 2]])
        """
        if self.ndim > 2:
            raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {self.ndim}D")
        if self.ndim == 2:
            return copied(self.diagonal(diagonal), self, "DiagonalBackward0_copy")
        return self.reshape(1).diag(diagonal) if self.ndim == 0 else self.diag_embed(diagonal)

    def diag_embed(self, offset=0, dim1=-2, dim2=-1):
        """Make matrices over the dimensions dim1 and dim2 with the last dimension on their diagonals.

        >>> torch.tensor([1, 2]).diag_embed(offset=1)
        tensor([[0, 1, 0],
                [0, 0, 2],
                [0, 0, 0]])
        """
        return DiagEmbed.apply(self, offset=offset, dim1=dim1, dim2=dim2)

    def rot90(self, k=1, dims=(0, 1)):
        """Turn the plane of two dimensions by k right angles.

        >>> torch.tensor([[1, 2], [3, 4]]).rot90()
        tensor([[2, 4],
                [1, 3]])
        """
        if len(dims) != 2:
            raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
        if self.ndim < 2:
            raise RuntimeError(f"expected total dims >= 2, but got total dims = {self.ndim}")
        first, second = dims
        if abs(first - second) in (0, self.ndim):
            raise RuntimeError(
                f"expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}"
            )
        if k % 4 == 2:
            return self.flip(first, second)
        turned = {0: lambda x: x.clone(), 1: lambda x: x.flip(second).transpose(first, second)}
        turned[3] = lambda x: x.flip(first).transpose(first, second)
        return turned[k % 4](self)

    def fliplr(self):
        """Reverse the order of the columns, along dimension 1.

        >>> torch.tensor([[1, 2], [3, 4]]).fliplr()
        tensor([[2, 1],
                [4, 3]])
        """
        return at_least(2, self).flip(1)

    def flipud(self):
        """Reverse the order of the rows, along dimension 0.

        >>> torch.tensor([[1, 2], [3, 4]]).flipud()
        tensor([[3, 4],
                [1, 2]])
        """
        return at_least(1, self).flip(0)

    def msort(self):
        """Sort along dimension 0.

        >>> torch.tensor([3, 1, 2]).msort()
        tensor([1, 2, 3])
        """
        return self.sort(0).values

    def tensor_split(self, indices_or_sections, dim=0):
        """Cut along `dim` into views: into that many parts, or at these positions.

        >>> torch.arange(5).tensor_split([1, 3])
        (tensor([0]), tensor([1, 2]), tensor([3, 4]))
        """
        total, at = self.size(dim), indices_or_sections
        if isinstance(at, Tensor):
            at = at.tolist()
        if isinstance(at, Integral):
            if at <= 0:
                raise RuntimeError(f"number of sections must be larger than 0, got {at}")
            each, more = divmod(total, at)
            sizes = [each + (i < more) for i in range(at)]
        else:
            ends = [min(max(i + total if i < 0 else i, 0), total) for i in at]
            sizes = [max(b - a, 0) for a, b in zip([0, *ends], [*ends, total])]
        starts = np.cumsum([0, *sizes[:-1]]).tolist()
        if not isinstance(at, Integral):
            starts = [0, *ends]
        return tuple([self.narrow(dim, start, size) for start, size in zip(starts, sizes)])

    def hsplit(self, indices_or_sections):
        """Cut into views along dimension 1, a vector along 0: into that many parts, or at these positions.

        >>> torch.arange(4).hsplit(2)
        (tensor([0, 1]), tensor([2, 3]))
        """
        return evenly("hsplit", self, indices_or_sections, int(self.ndim > 1))

    def vsplit(self, indices_or_sections):
        """Cut into views along dimension 0: into that many parts, or at these positions.

        >>> torch.tensor([[1, 2], [3, 4]]).vsplit(2)
        (tensor([[1, 2]]), tensor([[3, 4]]))
        """
        return evenly("vsplit", self, indices_or_sections, 0)

    def dsplit(self, indices_or_sections):
        """Cut into views along dimension 2: into that many parts, or at these positions.

        >>> [part.shape for part in torch.ones(2, 3, 4).dsplit([1])]
        [torch.Size([2, 3, 1]), torch.Size([2, 3, 3])]
        """
        return evenly("dsplit", self, indices_or_sections, 2)
