"""Losses of numbers, made of `huber`, `weighted` and `reduced`."""

from tinytorch.given.losses.checks import chosen, subtract
from tinytorch.losses import huber, reduced, weighted
from tinytorch.tensor import in_float32

__all__ = ["huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss"]


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The squares of the differences: (input - target)^2."""
    difference = subtract(input, target)
    return weighted(difference * difference, weight, chosen(size_average, reduce, reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The sizes of the differences: |input - target|."""
    return weighted(subtract(input, target).abs(), weight, chosen(size_average, reduce, reduction))


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Squares of small differences, sizes of large ones; see `huber`."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    losses = huber(subtract(input, target), delta)
    return reduced(losses if weight is None else losses * weight, reduction)


def smooth_l1(difference, beta):
    return huber(difference, beta) / beta if beta else difference.abs()


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """`huber_loss` over `beta`, whose slope beyond `beta` is 1; `l1_loss`, if `beta` is 0."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    losses = in_float32(smooth_l1, subtract(input, target), beta)
    return reduced(losses, chosen(size_average, reduce, reduction))
