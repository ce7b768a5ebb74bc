"""Copies: in another order, repeated, as triangles, joined."""

import functools

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import owner
from tinytorch.given.tensor.checks import axes_of, axis_of
from tinytorch.given.tensor.out import takes_out
from tinytorch.given.tensor.views import Reshape, is_stretched, sizes
from tinytorch.tensor import Function, Tensor, array_of, promote_types, wrap

__all__ = [
    "Cat",
    "Clone",
    "Flip",
    "Roll",
    "Stack",
    "Tril",
    "Triu",
    "cat",
    "check_matrix",
    "copied",
    "flip",
    "stack",
]


class Clone(Function):
    @staticmethod
    def forward(ctx, x, order="K", named="Clone"):
        ctx.named = named
        return x.copy("C" if is_stretched(x) else order)


def copied(result, x, named="Clone"):
    """A result that may be written to: a copy where it is `x`, or looks into the memory of `x`."""
    return Clone.apply(result, named=named) if owner(result.array) is owner(x.array) else result


class Flip(Function):
    @staticmethod
    def forward(ctx, x, dims):
        ctx.dims = dims
        return np.flip(x, dims).copy()


def flip(input, dims):
    """Reverse the order of elements along the dimensions in a tuple; TypeError for a single one."""
    return input.flip(dims=dims)


class Roll(Function):
    @staticmethod
    def forward(ctx, x, shifts, dims):
        if dims is not None and np.size(shifts) != np.size(dims):
            raise RuntimeError(
                f"shifts and dimensions must align. shifts: {np.size(shifts)}, dims:{np.size(dims)}"
            )
        ctx.shifts, ctx.dims = shifts, dims
        return np.roll(x, shifts, dims)


class Tril(Function):
    @staticmethod
    def forward(ctx, x, diagonal):
        check_matrix(x, "tril")
        ctx.diagonal = diagonal
        return np.tril(x, diagonal)


class Triu(Function):
    @staticmethod
    def forward(ctx, x, diagonal):
        check_matrix(x, "triu")
        ctx.diagonal = diagonal
        return np.triu(x, diagonal)


def check_matrix(x, name):
    """RuntimeError for the triangle of what has no rows and columns."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@methods_of(Tensor)
class Copies:
    """Copies in another order."""

    def flip(self, *given, dims=None):
        """Reverse the order of the elements along some dimensions: a copy.

        >>> torch.tensor([[1, 2], [3, 4]]).flip(0)
        tensor([[3, 4],
                [1, 2]])
        """
        if len(given) > 0 and dims is None:
            dims = sizes(given)
        elif len(given) > 0 or not isinstance(dims, (tuple, list)):
            raise TypeError("flip() takes dimensions, or a tuple of them as `dims`")
        return Flip.apply(self, dims=axes_of(dims, self.ndim) if len(dims) else ())

    def roll(self, shifts, dims=()):
        """Shift along dimensions, or the flattened tensor; what leaves at one end comes in at the other.

        >>> torch.arange(5).roll(2)
        tensor([3, 4, 0, 1, 2])
        """
        counts = [len(n) if isinstance(n, (tuple, list)) else 1 for n in (shifts, dims)]
        if counts[0] == 0:
            raise RuntimeError("`shifts` required")
        if counts[0] != counts[1] and (counts[0] > 1 or counts[1] > 0):
            raise RuntimeError(f"shifts and dimensions must align. shifts: {counts[0]}, dims:{counts[1]}")
        if self.numel() == 0:
            return self.clone()
        shifts = shifts[0] if counts == [1, 0] and isinstance(shifts, (tuple, list)) else shifts
        return Roll.apply(self, shifts=shifts, dims=None if counts[1] == 0 else dims)

    def tril(self, diagonal=0):
        """Keep the lower triangle of matrices, up to the diagonal with this number; the rest is 0.

        >>> torch.ones(3, 3).tril()
        tensor([[1., 0., 0.],
                [1., 1., 0.],
                [1., 1., 1.]])
        """
        return Tril.apply(self, diagonal=diagonal)

    def triu(self, diagonal=0):
        """Keep the upper triangle of matrices, from the diagonal with this number on; the rest is 0.

        >>> torch.ones(3, 3).triu(diagonal=1)
        tensor([[0., 1., 1.],
                [0., 0., 1.],
                [0., 0., 0.]])
        """
        return Triu.apply(self, diagonal=diagonal)

    def repeat(self, *repeats):
        """Repeat the tensor that many times along each dimension: a copy.

        >>> torch.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
        """
        repeats = sizes(repeats, "repeat", "repeats")
        if len(repeats) < self.ndim:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
        shape = (1,) * (len(repeats) - self.ndim) + self.shape
        x = self.reshape([length for n in shape for length in (1, n)])  # (1, n0, 1, n1, ...)
        x = x.expand([length for pair in zip(repeats, shape) for length in pair])  # (r0, n0, r1, n1, ...)
        x = Reshape.apply(x, shape=tuple([r * n for r, n in zip(repeats, shape)]), named="Repeat")
        return copied(x, self, "Repeat")

    def tile(self, *dims):
        """Lay the tensor out as `repeat` does, once along dimensions that are not named.

        >>> torch.tensor([[1, 2]]).tile(2)
        tensor([[1, 2, 1, 2]])
        """
        dims = sizes(dims, "tile", "dims")
        return self.repeat((1,) * (self.ndim - len(dims)) + dims)

    def repeat_interleave(self, repeats=None, dim=None, *, output_size=None):
        """Repeat each element, or each slice along `dim`; alone, a tensor of counts repeats its own indices.

        >>> torch.tensor([1, 2]).repeat_interleave(2)
        tensor([1, 1, 2, 2])
        """
        if repeats is None:
            return wrap(np.repeat(np.arange(self.numel()), self.array))
        x = self.flatten() if dim is None else self
        dim = 0 if dim is None else axis_of(dim, x.ndim)
        if np.size(array_of(repeats)) not in (1, x.shape[dim]):
            raise RuntimeError("repeats must have the same size as input along dim")
        places = np.repeat(np.arange(x.shape[dim]), array_of(repeats))
        if output_size not in (None, len(places)):
            raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {len(places)}")
        return x.index_select(dim, wrap(places))


def tensors_of(function, tensors):
    """The tensors in a sequence as a list; TypeError for anything else in it, or in its place."""
    if isinstance(tensors, Tensor):
        raise TypeError(f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    tensors = list(tensors)
    for place, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            kind = type(x).__name__
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {kind}")
    return tensors


class Cat(Function):
    @staticmethod
    def forward(ctx, *arrays, dim):
        ctx.dim, ctx.sizes = dim, [a.shape[dim] for a in arrays]
        return np.concatenate(arrays, axis=dim)


@takes_out
def cat(tensors, dim=0, *, axis=None):
    """Join tensors along a dimension that they have.

    Args:
        tensors: tensors whose other dimensions agree; those of shape (0,) go with any.
        dim: the dimension along which they are joined.

    Raises:
        RuntimeError: if the shapes do not agree; ValueError if there are no tensors.

    >>> cat([tensor([[1, 2]]), tensor([[3, 4]])], dim=1)
    tensor([[1, 2, 3, 4]])
    """
    tensors, dim = tensors_of("cat", tensors), dim if axis is None else axis
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    first = next((t.shape for t in tensors if t.shape != (0,)), (0,))
    dim = axis_of(dim, len(first)) if first != (0,) else 0
    nothing = [*first[:dim], 0, *first[dim + 1 :]]
    tensors = [t.reshape(nothing) if t.shape == (0,) else t for t in tensors]
    for number, t in enumerate(tensors):
        if t.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {number}) cannot be concatenated")
        if t.ndim != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {t.ndim}")
        if any(a != b for d, (a, b) in enumerate(zip(first, t.shape)) if d != dim):
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected {list(first)} "
                f"but got {list(t.shape)} for tensor number {number} in the list."
            )
    common = functools.reduce(promote_types, [t.dtype for t in tensors])
    return Cat.apply(*[t.to(common) for t in tensors], dim=dim)


class Stack(Function):
    @staticmethod
    def forward(ctx, *arrays, dim):
        ctx.dim, ctx.count = dim, len(arrays)
        return np.stack(arrays, axis=dim)


@takes_out
def stack(tensors, dim=0, *, axis=None):
    """Join tensors of one shape along a new dimension.

    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    tensors, dim = tensors_of("stack", tensors), dim if axis is None else axis
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for number, t in enumerate(tensors):
        if t.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 "
                f"and {list(t.shape)} at entry {number}"
            )
    common = functools.reduce(promote_types, [t.dtype for t in tensors])
    return Stack.apply(*[t.to(common) for t in tensors], dim=axis_of(dim, tensors[0].ndim + 1))
