"""What gradient rules need: they run on arrays, and for second derivatives on Tensors."""

from tinytorch.given.tensor.arrays import selected
from tinytorch.tensor import Tensor, where, wrap

__all__ = []


def plain(x):
    """The array in a Tensor, or the array itself: for conditions, through which no gradient flows."""
    return x.array if isinstance(x, Tensor) else x


def either(condition, x, y):
    """Elements of x where an array of booleans says so, and of y elsewhere."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return where(wrap(condition), x, y)
    return selected(condition, x, y)
