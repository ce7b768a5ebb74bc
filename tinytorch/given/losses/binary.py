"""Losses of questions with a yes or a no, made of `BinaryCrossEntropy` and `reduced`."""

from tinytorch.given.losses.checks import chosen, same_size
from tinytorch.losses import BinaryCrossEntropy, reduced
from tinytorch.tensor import in_float32

__all__ = ["binary_cross_entropy"]


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The cross-entropy of two classes, from probabilities; see `BinaryCrossEntropy.forward`."""
    reduction = chosen(size_average, reduce, reduction)
    same_size(input, target)
    if input.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {target.dtype} but expected {input.dtype}")
    if not ((input.array >= 0) & (input.array <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    if not ((target.array >= 0) & (target.array <= 1)).all():
        raise RuntimeError("all elements of target should be between 0 and 1")
    losses = in_float32(BinaryCrossEntropy, input, target)
    return reduced(losses if weight is None else losses * weight.expand(input.shape), reduction)
