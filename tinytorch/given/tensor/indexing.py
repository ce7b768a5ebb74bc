"""Picking and writing elements by position: `x[index]`, slices, rows."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import is_array
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.views import View, is_stretched, several
from tinytorch.tensor import Function, Tensor, bool_, grad_mode, tensor, uint8, wrap

__all__ = ["Copy", "Index", "IndexPut", "index_arrays", "is_basic", "put"]


class Index(View):
    @staticmethod
    def forward(ctx, x, index, named=None):
        ctx.shape, ctx.named = x.shape, named
        keep_index(ctx, index)
        picked = x[index]
        if isinstance(picked, np.generic):  # one element: not its value, but a view of it
            picked = x[(*index, ...) if isinstance(index, tuple) else (index, ...)]
        return picked


class IndexPut(Function):
    @staticmethod
    def forward(ctx, x, value, index):
        ctx.shape = value.shape
        keep_index(ctx, index)
        output = np.array(x)
        put(output, index, value)
        return output


def keep_index(ctx, index):
    """Leave an index for the gradient; one with arrays is saved, so that no change of theirs is missed."""
    if is_basic(index):
        ctx.index = index
    else:
        ctx.index = None
        ctx.save_for_backward(*(index if isinstance(index, tuple) else (index,)))


class Copy(Function):
    """What x.copy_(source) leaves: the source in x's shape and type. The values of x no longer count."""

    @staticmethod
    def forward(ctx, x, source):
        ctx.shape, ctx.dtype = source.shape, source.dtype
        output = np.empty_like(x)
        put(output, ..., source)
        return output


def index_arrays(index):
    """An index with its Tensors and lists as NumPy arrays, checked for what PyTorch refuses."""
    if isinstance(index, tuple):
        return tuple([index_arrays(i) for i in index])
    if isinstance(index, Tensor):
        if index.is_floating_point():
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if index.dtype in (bool_, uint8):  # PyTorch's masks were bytes once, and still may be
            return index.array.astype(bool, copy=False)
        return index.array if index.ndim else index.array.item()
    if isinstance(index, slice) and index.step is not None and index.step < 1:
        raise ValueError("step must be greater than zero")
    if isinstance(index, str):
        raise TypeError(
            "only integers, slices (`:`), ellipsis (`...`), None and tensors are valid indices (got str)"
        )
    if isinstance(index, (list, range)):
        return np.asarray(index, dtype=None if len(index) else np.int64)
    return index


def nowhere(x, index):
    """The index, with arrays within the bounds of an x without elements, of which PyTorch takes any."""
    parts, axis, found = index if isinstance(index, tuple) else (index,), 0, []
    for place, part in enumerate(parts):
        if part is Ellipsis:
            axis = x.ndim - sum(later is not None for later in parts[place + 1 :])
        elif part is not None:
            if is_array(part) and part.dtype.kind == "i" and axis < x.ndim and x.shape[axis]:
                part = part % x.shape[axis]
            axis += part.ndim if is_array(part) and part.dtype == bool else 1
        found.append(part)
    return tuple(found)


def is_basic(index):
    """Whether an index has no arrays in it, so that what it picks is a view."""
    return not any(
        is_array(i) or isinstance(i, bool) for i in (index if isinstance(index, tuple) else (index,))
    )


def put(x, index, value):
    """x[index] = value; RuntimeError if the value's shape does not fit."""
    if np.ndim(value) and np.size(value) == 1:
        value = np.reshape(value, ())  # which goes anywhere
    try:
        x[index] = value
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value of shape {list(np.shape(value))} cannot be broadcast to indexing result "
            f"of shape {list(x[index].shape)}"
        ) from None


@methods_of(Tensor)
class Indexing:
    """Elements by position."""

    def __getitem__(self, index):
        index = index_arrays(index)
        return Index.apply(self, index=index if self.array.size else nowhere(self.array, index))

    def __setitem__(self, index, value):
        value = value if isinstance(value, Tensor) else tensor(value, dtype=self.dtype)
        index = index_arrays(index)
        index = index if self.array.size else nowhere(self.array, index)
        if value.dtype != self.dtype and not is_basic(index):
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, "
                f"got {self.dtype} for the destination and {value.dtype} for the source."
            )
        if is_stretched(self.array) and is_basic(index):  # what is picked may yet be written to
            picked = self[index]
            picked._become(Copy.apply(picked, value.to(self.dtype)))
        elif grad_mode.enabled and (self.requires_grad or value.requires_grad):
            self._become(IndexPut.apply(self, value.to(self.dtype), index=index))
        else:
            self._check_writable()
            put(self.array, index, value.array)
            self._changed()

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind())

    def select(self, dim, index):
        """Look at slice number `index` along `dim`, without that dimension.

        >>> torch.tensor([[1, 2], [3, 4]]).select(1, 0)
        tensor([1, 3])
        """
        return self[(slice(None),) * axis_of(dim, self.ndim) + (index,)]

    def unbind(self, dim=0):
        """Look at every slice along `dim`: a tuple of views without that dimension.

        >>> torch.tensor([[1, 2], [3, 4]]).unbind()
        (tensor([1, 2]), tensor([3, 4]))
        """
        return several([self.select(dim, i) for i in range(self.size(dim))])

    def nonzero(self, *, as_tuple=False):
        """List the places of the elements other than 0, a row each; `as_tuple`, a vector for each dimension.

        >>> torch.tensor([[1, 0], [0, 2]]).nonzero()
        tensor([[0, 0],
                [1, 1]])
        """
        if as_tuple:
            return tuple([wrap(i) for i in np.nonzero(np.atleast_1d(self.array))])
        return wrap(np.argwhere(self.array))
