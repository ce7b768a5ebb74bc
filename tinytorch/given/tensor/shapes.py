"""Shapes that print as PyTorch's do."""

import math

__all__ = ["Size"]


class Size(tuple):
    """The lengths of a tensor's dimensions: a tuple that prints as PyTorch's does."""

    def numel(self):
        """The number of elements in a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, index):
        item = super().__getitem__(index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other):
        return Size(super().__add__(other))

    def __repr__(self):
        return f"torch.Size({list(self)})"
