"""Dropout of whole channels: one draw of `dropout` for each of them."""

from tinytorch.layers import Module, check_probability, dropout
from tinytorch.tensor import ones

__all__ = ["Dropout2d", "dropout2d"]


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, H, W) with probability p, and scale the others by 1 / (1 - p)."""
    check_probability(p)
    if not training or p == 0:
        return input
    shape = (*input.shape[:2], *(1,) * (input.ndim - 2))
    keep = dropout(ones(shape, dtype=input.dtype, device=input.device), p)
    return input.mul_(keep) if inplace else input * keep


class Dropout2d(Module):
    """Zero whole channels with probability `p` while training; do nothing otherwise."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return dropout2d(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"
