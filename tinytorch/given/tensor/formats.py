"""The order of elements in memory, as `channels_last`; and `clone` and `contiguous`, which take one.

A format says in which order the dimensions of a tensor lie in memory; its shape and its values are the same
in all of them. What is computed from a tensor does not keep its format.
"""

import itertools

from tinytorch.given import methods_of
from tinytorch.given.tensor.rearranging import Clone
from tinytorch.tensor import Tensor

__all__ = [
    "channels_last", "channels_last_3d", "contiguous_format", "layout", "memory_format", "preserve_format",
    "strided",
]  # fmt: skip


class memory_format:
    """An order of dimensions in memory, as `contiguous_format`."""

    def __init__(self, name, rank=None):
        self.name, self.rank = name, rank

    def __repr__(self):
        return f"torch.{self.name}"


class layout:
    """How elements are stored: every tensor is `strided`."""

    def __repr__(self):
        return "torch.strided"


contiguous_format, preserve_format = memory_format("contiguous_format"), memory_format("preserve_format")
channels_last, channels_last_3d = memory_format("channels_last", 4), memory_format("channels_last_3d", 5)
strided = layout()


def follows(x, memory_format):
    """Whether the elements lie in memory in the order of a format, without gaps."""
    if memory_format in (contiguous_format, preserve_format):
        return x.is_contiguous()
    return x.ndim == memory_format.rank and x.movedim(1, -1).is_contiguous()


@methods_of(Tensor)
class Formats:
    layout = strided

    def clone(self, *, memory_format=None):
        """Copy the tensor, in its order of memory or in another; a gradient passes through.

        >>> x = torch.ones(2)
        >>> x.clone().zero_(), x
        (tensor([0., 0.]), tensor([1., 1.]))
        """
        if memory_format in (None, preserve_format):
            return Clone.apply(self)
        copied = self.contiguous(memory_format)
        return Clone.apply(self) if copied.array is self.array else copied

    def contiguous(self, memory_format=contiguous_format):
        """Lay the elements out in memory in the order of a format: itself where they are.

        RuntimeError for a wrong number of dimensions.

        >>> torch.ones(2, 3).t().contiguous().stride()
        (2, 1)
        """
        if memory_format in (contiguous_format, preserve_format):
            return self if self.array.flags.c_contiguous else Clone.apply(self, order="C")
        if not isinstance(memory_format, type(contiguous_format)):
            raise TypeError(f"memory_format must be torch.memory_format, not {type(memory_format).__name__}")
        if self.ndim != memory_format.rank:
            raise RuntimeError(
                f"required rank {memory_format.rank} tensor to use {memory_format.name} format"
            )
        return self.movedim(1, -1).contiguous().movedim(-1, 1)

    def dim_order(self, ambiguity_check=False):
        """List the dimensions as they lie in memory, the outermost first.

        Args:
            ambiguity_check: True for a RuntimeError where another order would be as right; or a list of
                formats, of which the tensor then has to have exactly one.

        >>> torch.ones(2, 3).t().dim_order()
        (1, 0)
        """
        formats = ambiguity_check if isinstance(ambiguity_check, list) else []
        if not isinstance(ambiguity_check, bool) and (
            formats is not ambiguity_check or not all(isinstance(one, memory_format) for one in formats)
        ):
            raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
        strides = self.stride()
        several = 1 in self.shape or any(one == other for one, other in itertools.pairwise(strides))
        if ambiguity_check is not False and several and sum(follows(self, one) for one in formats) != 1:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the given memory "
                "formats."
            )
        if self.is_contiguous():
            return tuple(range(self.ndim))
        return tuple(sorted(range(self.ndim), key=lambda d: (-strides[d], -self.shape[d])))
