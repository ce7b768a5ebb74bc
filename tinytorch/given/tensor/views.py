"""Views: other shapes and strides over the same memory, made of `infer_shape`, `is_viewable` and `expanded`.

NumPy makes the views. These operations say what their gradients have to know, and a view remembers whose
memory it looks into, so that a change in place can be told to the tensor that owns it.
"""

import itertools
import math
import operator

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import owner
from tinytorch.given.tensor.checks import axis_of
from tinytorch.tensor import (
    Function,
    Layout,
    Tensor,
    contiguous_strides,
    expanded,
    grad_mode,
    infer_shape,
    is_viewable,
    wrap,
)
from tinytorch.tensor import dtype as Dtype

__all__ = ["Diagonal", "Expand", "Permute", "Reshape", "View", "follow", "is_stretched", "sizes"]


# Views that must not be written to where gradients are recorded, in PyTorch's words.
OF_SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
WITHOUT_GRAD = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the no_grad block (if you don't want the "
    "inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)


class View(Function):
    """An operation whose result shares its input's memory, where it can."""

    @classmethod
    def apply(cls, x, **options):
        result = super().apply(x, **options)
        if owner(result.array) is owner(x.array):
            result._base = x if x._base is None else x._base
            result._base_edge, result._route = result._base._edge, (*x._route, (cls, options))
            if not x._tracked:
                result._tracked = False
            if x._refusal is not None or not grad_mode.enabled:
                result._refuse(x._refusal if grad_mode.enabled else WITHOUT_GRAD)
        return result


def follow(route, x):
    """Take the views of a route again, beginning at `x`."""
    enabled, grad_mode.enabled = grad_mode.enabled, True
    try:
        for function, options in route:
            x = function.apply(x, **options)
    finally:
        grad_mode.enabled = enabled
    return x


def several(views):
    """A tuple of views that were taken at once, none of which is to be written to."""
    if views and grad_mode.enabled:
        taken_at = views[0]._version
        for view in views:
            view._refusal, view._taken_at = OF_SEVERAL, taken_at
    return tuple(views)


def is_stretched(array):
    """Whether several elements lie in one place of memory."""
    if 0 not in array.strides or array.size == 0:
        return False
    return any(n > 1 and stride == 0 for n, stride in zip(array.shape, array.strides))


def sizes(args):
    """The shape in `f(2, 3)` and in `f((2, 3))` alike: a tuple of ints."""
    args = args[0] if len(args) == 1 and not isinstance(args[0], (int, Tensor, np.integer)) else args
    return tuple([operator.index(n) for n in args])


class Reshape(View):
    @staticmethod
    def forward(ctx, x, shape, named="View"):
        ctx.shape, ctx.named = x.shape, named
        return x.reshape(shape)


class Permute(View):
    @staticmethod
    def forward(ctx, x, dims, named="Permute"):
        if len(dims) != x.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                f"the desired ordering of dimensions i.e. input.dim() = {x.ndim} is not equal to "
                f"len(dims) = {len(dims)}"
            )
        ctx.dims, ctx.named = [axis_of(d, x.ndim) for d in dims], named
        if len(set(ctx.dims)) != x.ndim:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        return x.transpose(ctx.dims)


class Expand(View):
    @staticmethod
    def forward(ctx, x, shape):
        ctx.shape = x.shape
        wanted = expanded(Layout(x.shape, contiguous_strides(x.shape)), shape).shape
        if wanted == x.shape:
            return x[...]
        stretched = np.broadcast_to(x, wanted)
        stretched.flags.writeable = x.flags.writeable  # its single elements are
        return stretched


class Diagonal(View):
    @staticmethod
    def forward(ctx, x, offset, dim1, dim2):
        ctx.shape, ctx.options = x.shape, (offset, dim1, dim2)
        diagonal = x.diagonal(offset, dim1, dim2)
        diagonal.flags.writeable = x.flags.writeable
        return diagonal


@methods_of(Tensor)
class Shapes:
    """The same elements in another shape."""

    # The base's edge when the view was taken, and the views that led there.
    _base_edge, _route = None, ()
    _taken_at = 0  # how often the memory had been changed when a view that must not be written to was taken

    def _look_again(self):
        """Take the views from the base again, the same way, if it has been changed in place since."""
        base = self._base
        lost = self._refusal is not None and self._version != self._taken_at
        if lost and grad_mode.enabled and base.requires_grad:
            self._complain("is a view and its base or another view of its base has been modified")
        if base._edge is not self._base_edge:
            whole = follow(base._undone, base)  # as the views found it, if it has been turned since
            self._base_edge, self._edge = base._edge, follow(self._route, whole)._edge

    def _refuse(self, reason):
        """Be a view that must not be written to where gradients are recorded."""
        self._refusal, self._taken_at = reason, self._version

    def _complain(self, what):
        """RuntimeError for a view that was written to and must not be, or that lost its base."""
        if self._refusal is WITHOUT_GRAD or self._edge is None:
            what = f"A view was created in no_grad mode and {what} inplace with grad mode enabled."
        else:
            what = f"Output {self._edge[1]} of {self._edge[0].name()} {what} inplace."
        raise RuntimeError(f"{what} {self._refusal}")

    def view(self, *shape, dtype=None):
        if len(shape) == 1 and isinstance(shape[0], Dtype):
            (dtype,) = shape
        if dtype is not None:
            return wrap(self.array.view(dtype.numpy))
        shape = infer_shape(self.numel(), sizes(shape))
        if not is_viewable(self.shape, self.stride(), shape):
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension "
                "spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        return Reshape.apply(self, shape=shape)

    reshape = lambda self, *shape: Reshape.apply(self, shape=infer_shape(self.numel(), sizes(shape)))
    view_as = lambda self, other: self.view(other.shape)
    reshape_as = lambda self, other: self.reshape(other.shape)

    def flatten(self, start_dim=0, end_dim=-1):
        if self.ndim == 0:
            return self.reshape(1)
        start, end = axis_of(start_dim, self.ndim), axis_of(end_dim, self.ndim)
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        middle = math.prod(self.shape[start : end + 1])
        return self if start == end else self.reshape(*self.shape[:start], middle, *self.shape[end + 1 :])

    def unflatten(self, dim, sizes):
        dim = axis_of(dim, self.ndim)
        return self.reshape(*self.shape[:dim], *infer_shape(self.shape[dim], sizes), *self.shape[dim + 1 :])

    def squeeze(self, dim=None, *, axis=None):
        dim = dim if axis is None else axis
        dims = range(self.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        dims = [axis_of(d, self.ndim) for d in dims]
        shape = tuple([n for d, n in enumerate(self.shape) if n != 1 or d not in dims])
        overload = 0 if dim is None else 2 if isinstance(dim, tuple) else 1
        return Reshape.apply(self, shape=shape, named=f"SqueezeBackward{overload}")

    def unsqueeze(self, dim):
        dim = axis_of(dim, self.ndim + 1)
        return Reshape.apply(self, shape=(*self.shape[:dim], 1, *self.shape[dim:]), named="Unsqueeze")

    def transpose(self, dim0, dim1):
        dims = list(range(self.ndim))
        dim0, dim1 = axis_of(dim0, self.ndim), axis_of(dim1, self.ndim)
        if dims:
            dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
        return Permute.apply(self, dims=dims, named="Transpose")

    swapdims = transpose
    swapaxes = lambda self, axis0, axis1: self.transpose(axis0, axis1)

    def movedim(self, source, destination):
        source, destination = (
            [axis_of(d, self.ndim) for d in (dims if isinstance(dims, (tuple, list)) else [dims])]
            for dims in (source, destination)
        )
        for name, dims in (("source", source), ("destination", destination)):
            if len(set(dims)) < len(dims):
                raise RuntimeError(f"movedim: repeated dim in `{name}` ({dims})")
        if len(source) != len(destination):
            raise RuntimeError(
                "movedim: Invalid source or destination dims: source and destination have to be as many"
            )
        dims = [d for d in range(self.ndim) if d not in source]
        for position, dim in sorted(zip(destination, source)):
            dims.insert(position, dim)
        return self.permute(dims if self.ndim else ())

    def t(self):
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return Permute.apply(self, dims=range(self.ndim)[::-1], named="T")

    permute = lambda self, *dims: Permute.apply(self, dims=sizes(dims))
    T = property(lambda self: Permute.apply(self, dims=range(self.ndim)[::-1]))
    mT = property(lambda self: self.transpose(-2, -1) if self.ndim else self)
    expand = lambda self, *shape: Expand.apply(self, shape=sizes(shape))
    expand_as = lambda self, other: self.expand(other.shape)
    broadcast_to = lambda self, size: self.expand(size)

    def narrow(self, dim, start, length):
        total = self.size(dim)
        if isinstance(start, Tensor):
            if start.ndim or start.array.dtype.kind not in "iu":
                raise RuntimeError("start must be an 0-dim integral Tensor.")
            start = start.item()
        start = start + total if start < 0 else start
        if not 0 <= start <= start + length <= total:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({total}).")
        return self.select(dim, slice(start, start + length))

    def split(self, split_size, dim=0):
        """Views of the tensor cut along `dim`: into pieces of `split_size`, or of the sizes in a list."""
        total = self.size(dim)
        if isinstance(split_size, int):
            if split_size < (total > 0):
                raise RuntimeError(
                    f"split expects split_size to be positive, but got split_size={split_size}"
                )
            split_size = [
                min(split_size, total - start) for start in range(0, max(total, 1), max(split_size, 1))
            ]
        if sum(split_size) != total:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {total} "
                f"(input tensor's size at dimension {dim}), but got split_sizes={list(split_size)}"
            )
        ends = itertools.accumulate(split_size)
        return several([self.narrow(dim, end - size, size) for size, end in zip(split_size, ends)])

    def chunk(self, chunks, dim=0):
        if chunks < 1:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        total = self.size(dim)
        return self.split(-(-total // chunks) if total else [0] * chunks, dim)

    def diagonal(self, offset=0, dim1=0, dim2=1):
        dim1, dim2 = axis_of(dim1, self.ndim), axis_of(dim2, self.ndim)
        if dim1 == dim2:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        return Diagonal.apply(self, offset=offset, dim1=dim1, dim2=dim2)
