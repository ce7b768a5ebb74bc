"""Layers without parameters that leave the numbers as they are."""

from numbers import Integral

from tinytorch.layers import Module

__all__ = ["Flatten", "Identity", "Unflatten"]


class Identity(Module):
    """Return the input; any arguments are accepted and ignored, so that it can replace any layer.

    Shape: (...) to (...).

    >>> torch.nn.Identity(54, unused=True)(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Module):
    """Merge the dimensions from `start_dim` to `end_dim` into one; by default the batch, dimension 0, is
    kept.

    Shape: (N, d1, ..., dk) to (N, d1 · ... · dk), by default.

    >>> torch.nn.Flatten()(torch.zeros(8, 3, 4, 4)).shape
    torch.Size([8, 48])
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split dimension `dim` into several, of the sizes given.

    Shape: (..., D, ...) to (..., d1, ..., dk, ...), with D = d1 · ... · dk.

    >>> torch.nn.Unflatten(1, (3, 4))(torch.zeros(8, 12)).shape
    torch.Size([8, 3, 4])
    """

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for position, size in enumerate(unflattened_size):
            if not isinstance(size, Integral):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {position}"
                )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
