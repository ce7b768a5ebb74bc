"""Dropout of whole channels, and dropout that keeps mean and variance."""

import math

from tinytorch.layers import Module, check_probability, dropout
from tinytorch.tensor import empty, ones

__all__ = [
    "AlphaDropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "alpha_dropout",
    "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout",
]  # fmt: skip

SATURATION = 1.7580993408473766  # where SELU goes far below zero: scale times alpha (Klambauer et al., 2017)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, L) or (C, L) with probability p, and scale the others by 1 / (1 - p)."""
    check_probability(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input.")
    return drop_channels(input, p, training, inplace, batched=input.ndim == 3)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, H, W) with probability p, and scale the others by 1 / (1 - p)."""
    check_probability(p)
    return drop_channels(input, p, training, inplace)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, D, H, W) or (C, D, H, W) with probability p; see `dropout2d`."""
    check_probability(p)
    return drop_channels(input, p, training, inplace, batched=input.ndim == 5)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Put numbers where SELU saturates with probability p, and keep mean and variance."""
    check_probability(p)
    return drop_to_saturation(input, input.shape, p, training, inplace)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Put whole channels where SELU saturates with probability p; see `alpha_dropout`."""
    check_probability(p)
    return drop_to_saturation(input, None, p, training, inplace)


def drop_channels(input, p, training, inplace, batched=True):
    """Zero channels with one draw of `dropout` for each of them."""
    if not training or p == 0 or not input.numel():
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    images = input if batched else input.unsqueeze(0)
    shape = one_for_each_channel(images)
    keep = dropout(ones(shape, dtype=input.dtype, device=input.device), p)
    if inplace:
        images.mul_(keep)
        return input
    return images * keep if batched else (images * keep).squeeze(0)


def drop_to_saturation(input, shape, p, training, inplace):
    """Alpha dropout with draws of a shape, None being one for each channel."""
    if not training or p == 0 or not input.numel():
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    shape = one_for_each_channel(input) if shape is None else shape
    keep = empty(shape, dtype=input.dtype, device=input.device).bernoulli_(1 - p)
    scale = 1 / math.sqrt((SATURATION**2 * p + 1) * (1 - p))
    shift = keep.add(-1).mul_(SATURATION * scale).add_(SATURATION * scale * p)
    keep.mul_(scale)
    return input.mul_(keep).add_(shift) if inplace else input * keep + shift


def one_for_each_channel(input):
    """The shape (N, C, 1...) beside an input (N, C, ...)."""
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*input.shape[:2], *(1,) * (input.ndim - 2))


class DropoutNd(Module):
    """What the layers of dropout share: a probability, and whether to write into the input."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return self._function(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(DropoutNd):
    """Zero whole channels of sequences with probability `p` while training; do nothing otherwise.

    Shape: (N, C, L) or (C, L) to the same.

    >>> torch.nn.Dropout1d().eval()(torch.ones(1, 2, 3))
    tensor([[[1., 1., 1.],
             [1., 1., 1.]]])
    """

    _function = staticmethod(dropout1d)


class Dropout2d(DropoutNd):
    """Zero whole channels of images with probability `p` while training; do nothing otherwise.

    Shape: (N, C, H, W) or (C, H, W) to the same.

    >>> channels = torch.nn.Dropout2d(0.25)(torch.ones(8, 16, 4, 4))[:, :, 0, 0]
    >>> bool(((channels == 0) | (channels == 1 / 0.75)).all())
    True
    """

    _function = staticmethod(dropout2d)


class Dropout3d(DropoutNd):
    """Zero whole channels of (N, C, D, H, W) with probability `p` while training; do nothing otherwise.

    Shape: (N, C, D, H, W) or (C, D, H, W) to the same.

    >>> torch.nn.Dropout3d(1.0)(torch.ones(1, 1, 1, 1, 2))
    tensor([[[[[0., 0.]]]]])
    """

    _function = staticmethod(dropout3d)


class AlphaDropout(DropoutNd):
    """Dropout for networks of SELU, which keeps mean and variance; see `alpha_dropout`.

    Shape: (...) to (...).

    >>> torch.nn.AlphaDropout().eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input):
        return alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(DropoutNd):
    """Alpha dropout of whole channels; see `feature_alpha_dropout`.

    Shape: (N, C, ...) to (N, C, ...).

    >>> torch.nn.FeatureAlphaDropout().eval()(torch.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    def forward(self, input):
        return feature_alpha_dropout(input, self.p, self.training)
