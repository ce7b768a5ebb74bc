"""Views: other shapes and strides over the same memory, made of `infer_shape`, `is_viewable` and `expanded`.

NumPy makes the views. These operations say what their gradients have to know, and a view remembers whose
memory it looks into, so that an in-place change can be recorded for the tensor that owns it.
"""

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
    """A tuple of views that were taken at once, none of which may be written to."""
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


def sizes(args, name=None, parameter="size"):
    """The shape in `f(2, 3)` and in `f((2, 3))` alike: a tuple of ints; a method that is named needs one."""
    if not args and name:
        raise TypeError(f'{name}() missing 1 required positional arguments: "{parameter}"')
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
    rule_in_float32 = True

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
        """Look at the same memory in another shape, of which one length may be -1; or as another type.

        RuntimeError where the elements do not lie in memory in such an order: `reshape` copies there.

        >>> torch.arange(6).view(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
        """
        if len(shape) == 1 and isinstance(shape[0], Dtype):
            (dtype,) = shape
        if dtype is not None:
            return wrap(self.array.view(dtype.numpy))
        shape = infer_shape(self.numel(), sizes(shape, "view"))
        if not is_viewable(self.shape, self.stride(), shape):
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension "
                "spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        return Reshape.apply(self, shape=shape)

    def reshape(self, *shape):
        """Change the shape, in the same memory where it can be; one length may be -1, for what is left.

        RuntimeError if the number of elements differs.

        >>> torch.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
        """
        return Reshape.apply(self, shape=infer_shape(self.numel(), sizes(shape, "reshape", "shape")))

    def view_as(self, other):
        """Look at the same memory in the shape of `other`.

        >>> torch.arange(4).view_as(torch.ones(2, 2))
        tensor([[0, 1],
                [2, 3]])
        """
        return self.view(other.shape)

    def reshape_as(self, other):
        """Change the shape to that of `other`.

        >>> torch.arange(4).reshape_as(torch.ones(2, 2))
        tensor([[0, 1],
                [2, 3]])
        """
        return self.reshape(other.shape)

    def flatten(self, start_dim=0, end_dim=-1):
        """Make one dimension of those from `start_dim` to `end_dim`, both included.

        >>> torch.ones(2, 3, 4).flatten(1).shape
        torch.Size([2, 12])
        """
        if self.ndim == 0:
            return self.reshape(1)
        start, end = axis_of(start_dim, self.ndim), axis_of(end_dim, self.ndim)
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        middle = math.prod(self.shape[start : end + 1])
        return self if start == end else self.reshape(*self.shape[:start], middle, *self.shape[end + 1 :])

    def unflatten(self, dim, sizes):
        """Make several dimensions of one: of `sizes`, one of which may be -1.

        >>> torch.ones(2, 6).unflatten(1, (3, -1)).shape
        torch.Size([2, 3, 2])
        """
        dim = axis_of(dim, self.ndim)
        return self.reshape(*self.shape[:dim], *infer_shape(self.shape[dim], sizes), *self.shape[dim + 1 :])

    def squeeze(self, dim=None, *, axis=None):
        """Remove dimensions of length 1: all, or `dim`, one or a tuple, where it has length 1.

        >>> torch.ones(1, 3, 1).squeeze().shape
        torch.Size([3])
        """
        dim = dim if axis is None else axis
        dims = range(self.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        dims = [axis_of(d, self.ndim) for d in dims]
        shape = tuple([n for d, n in enumerate(self.shape) if n != 1 or d not in dims])
        overload = 0 if dim is None else 2 if isinstance(dim, tuple) else 1
        return Reshape.apply(self, shape=shape, named=f"SqueezeBackward{overload}")

    def unsqueeze(self, dim):
        """Insert a dimension of length 1 before dimension `dim`.

        >>> torch.ones(3).unsqueeze(0).shape
        torch.Size([1, 3])
        """
        dim = axis_of(dim, self.ndim + 1)
        return Reshape.apply(self, shape=(*self.shape[:dim], 1, *self.shape[dim:]), named="Unsqueeze")

    def transpose(self, dim0, dim1):
        """Exchange two dimensions, in the same memory.

        >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).transpose(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
        dims = list(range(self.ndim))
        dim0, dim1 = axis_of(dim0, self.ndim), axis_of(dim1, self.ndim)
        if dims:
            dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
        return Permute.apply(self, dims=dims, named="Transpose")

    swapdims = transpose

    def swapaxes(self, axis0, axis1):
        """Exchange two dimensions: `transpose` by NumPy's name.

        >>> torch.ones(2, 3, 4).swapaxes(0, 2).shape
        torch.Size([4, 3, 2])
        """
        return self.transpose(axis0, axis1)

    def movedim(self, source, destination):
        """Move dimensions, one or a tuple, to other places; the rest keep their order.

        >>> torch.ones(2, 3, 4).movedim(0, -1).shape
        torch.Size([3, 4, 2])
        """
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
        """Transpose a matrix; what has fewer dimensions is itself. RuntimeError for more than two.

        >>> torch.tensor([[1, 2], [3, 4]]).t()
        tensor([[1, 3],
                [2, 4]])
        """
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return Permute.apply(self, dims=range(self.ndim)[::-1], named="T")

    def permute(self, *dims):
        """Put the dimensions in another order, in the same memory; RuntimeError unless each is named once.

        >>> torch.ones(2, 3, 4).permute(2, 0, 1).shape
        torch.Size([4, 2, 3])
        """
        return Permute.apply(self, dims=sizes(dims, "permute", "dims"))

    @property
    def T(self):
        """The tensor with its dimensions in reverse order.

        >>> torch.ones(2, 3).T.shape
        torch.Size([3, 2])
        """
        return Permute.apply(self, dims=range(self.ndim)[::-1])

    @property
    def mT(self):
        """The tensor with its last two dimensions exchanged: each matrix transposed.

        >>> torch.ones(5, 2, 3).mT.shape
        torch.Size([5, 3, 2])
        """
        return self.transpose(-2, -1) if self.ndim else self

    def expand(self, *shape):
        """Stretch dimensions of length 1 to other lengths, without a copy; -1 leaves one as it is.

        RuntimeError for a dimension of another length.

        >>> torch.tensor([[1], [2]]).expand(2, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])
        """
        return Expand.apply(self, shape=sizes(shape, "expand"))

    def expand_as(self, other):
        """Stretch dimensions of length 1 to the shape of `other`.

        >>> torch.tensor([[1], [2]]).expand_as(torch.ones(2, 3))
        tensor([[1, 1, 1],
                [2, 2, 2]])
        """
        return self.expand(other.shape)

    def broadcast_to(self, size):
        """Stretch dimensions of length 1 to the lengths in `size`, a tuple.

        >>> torch.tensor([1, 2]).broadcast_to((2, 2))
        tensor([[1, 2],
                [1, 2]])
        """
        return self.expand(size)

    def diagonal(self, offset=0, dim1=0, dim2=1):
        """Look at the diagonals of matrices over two dimensions, `offset` above the main one; they come last.

        >>> torch.tensor([[1, 2], [3, 4]]).diagonal()
        tensor([1, 4])
        """
        dim1, dim2 = axis_of(dim1, self.ndim), axis_of(dim2, self.ndim)
        if dim1 == dim2:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        return Diagonal.apply(self, offset=offset, dim1=dim1, dim2=dim2)
