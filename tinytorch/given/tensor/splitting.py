"""Pieces of a tensor along a dimension: views that `select` takes."""

import itertools
from numbers import Integral

from tinytorch.given import methods_of
from tinytorch.given.tensor.views import several
from tinytorch.tensor import Tensor

__all__ = []


@methods_of(Tensor)
class Pieces:
    """Views of slices that lie side by side."""

    def narrow(self, dim, start, length):
        """Look at `length` slices along `dim`, from `start` on.

        >>> torch.arange(5).narrow(0, 1, 3)
        tensor([1, 2, 3])
        """
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
        """Cut along `dim` into views: of `split_size`, the last maybe shorter, or of the sizes in a list.

        >>> torch.arange(5).split(2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        """
        total = self.size(dim)
        if isinstance(split_size, Integral):
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
        """Cut along `dim` into at most so many views of one size, the last maybe shorter.

        >>> torch.arange(5).chunk(2)
        (tensor([0, 1, 2]), tensor([3, 4]))
        """
        if chunks < 1:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        total = self.size(dim)
        return self.split(-(-total // chunks) if total else [0] * chunks, dim)
