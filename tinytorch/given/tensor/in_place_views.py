"""A tensor that is looked at otherwise from now on: `x.t_()` is `x = x.t()` for everyone who holds x.

Views that were taken of x before go on looking as they did. So a tensor that owns its memory keeps the way
back to the shape in which they found it, `_undone`, and the way from there to its own, `_route`.
"""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import address, owner
from tinytorch.given.tensor.inplace import inplace
from tinytorch.given.tensor.searching import AsStrided
from tinytorch.given.tensor.storages import memory_of
from tinytorch.given.tensor.views import Permute, Reshape, sizes
from tinytorch.tensor import Size, Tensor, contiguous_strides, grad_mode

__all__ = []


TURNS = "Look at the same memory as `{}` does from now on, and return the tensor."
names = ("squeeze", "unsqueeze", "t", "transpose", "swapaxes", "swapdims", "as_strided")
methods_of(Tensor)(type("Turns", (), {f"{name}_": inplace(name, "_turn", TURNS) for name in names}))


def back(x, function, options):
    """The view that undoes a view of x."""
    if function is Permute:
        return Permute, {"dims": np.argsort(options["dims"]).tolist()}
    if function is Reshape:
        return Reshape, {"shape": tuple(x.shape)}
    return AsStrided, {"size": tuple(x.shape), "stride": x.stride(), "storage_offset": x.storage_offset()}


@methods_of(Tensor)
class Turning:
    """How a tensor becomes a view of itself, or of other memory."""

    _undone = ()

    def _turn(self, view):
        """Be what a view of this tensor is."""
        leaf = self if self._base is None else self._base
        if grad_mode.enabled and leaf._requires_grad and leaf._edge is None:
            what = "a leaf Variable" if leaf is self else "a view of a leaf Variable"
            raise RuntimeError(f"{what} that requires grad is being used in an in-place operation.")
        if self._base is None:
            if owner(view.array) is not owner(self.array):
                raise RuntimeError("the memory of this tensor cannot be looked at in this way")
            self._undone = (back(self, *view._route[-1]), *self._undone)
        else:
            self._base_edge = view._base_edge
        if grad_mode.enabled:
            self._edge = view._edge
        self._changed()
        self.array, self._route = view.array, view._route
        return self

    def resize_(self, *sizes_, memory_format=None):
        """Take another shape over the same memory, or over more of it, where it does not suffice.

        What is new holds whatever was there. RuntimeError where a gradient is required.

        >>> torch.arange(4).resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
        """
        shape = sizes(sizes_, "resize_")
        if memory_format is not None and memory_format.rank is not None:
            raise NotImplementedError(f"resize_() here keeps the order of elements: no {memory_format}")
        if self.requires_grad:
            raise RuntimeError("cannot resize variables that require grad")
        if min(shape, default=0) < 0:
            raise RuntimeError(f"requested resize to {list(shape)}, of which a length is negative")
        count = Size(shape).numel()
        memory = memory_of(self.array)
        first = (address(self.array) - address(memory)) // self.array.itemsize
        if first + count > memory.size:
            memory, old = np.empty(first + count, self.array.dtype), memory
            memory[: old.size] = old
        steps = [step * memory.itemsize for step in contiguous_strides(shape)]
        self.array = np.ndarray(shape, memory.dtype, memory, first * memory.itemsize, steps)
        self._changed()
        return self

    def resize_as_(self, the_template, *, memory_format=None):
        """Take the shape of another tensor, as `resize_` does.

        >>> torch.arange(4).resize_as_(torch.ones(2, 2))
        tensor([[0, 1],
                [2, 3]])
        """
        return self.resize_(the_template.shape, memory_format=memory_format)

    def set_(self, source=None, storage_offset=0, size=(), stride=()):
        """Share the memory, the shape and the strides of another tensor from now on; alone, have none.

        >>> torch.zeros(1).set_(torch.arange(3.0))
        tensor([0., 1., 2.])
        """
        if self.requires_grad or (isinstance(source, Tensor) and source.requires_grad):
            raise RuntimeError("set_() of a tensor that requires grad would lose its gradient: use .data")
        if source is None:
            self.array = np.empty(0, self.array.dtype)
        elif isinstance(source, Tensor):
            self.array = source.array.view()
        else:
            self.array = (
                source.tensor(self.dtype)
                .as_strided(size, stride or contiguous_strides(size), storage_offset)
                .array
            )
        self._changed()
        return self
