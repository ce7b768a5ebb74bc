"""Layers that PyTorch has and this course does not: each name says so when it is called.

The classes are there to be asked about: `isinstance(module, (nn.Conv2d, nn.Conv3d))` is False, and no error.
"""

from tinytorch.given.conv.lazy import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyConv1d,
    LazyConv2d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
)
from tinytorch.layers import Module

__all__ = [
    "AvgPool3d",
    "Conv3d",
    "ConvTranspose3d",
    "CrossMapLRN2d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "MaxPool3d",
    "MaxUnpool3d",
    "SyncBatchNorm",
    "avg_pool3d",
    "conv3d",
    "conv_transpose3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "lp_pool3d",
    "max_pool3d",
    "max_unpool3d",
]  # fmt: skip

VOLUMES = "windows here move over sequences and images, not over volumes"


def refused(name, reason):
    """A function that does nothing but say that it is not here."""

    def function(*args, **kwargs):
        raise NotImplementedError(f"tinytorch has no {name}: {reason}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Not here: {reason}."
    return function


class Refused(Module):
    """A layer that cannot be made; `reason` says why not, and what to do.

    >>> torch.nn.Conv3d(1, 2, 3)
    Traceback (most recent call last):
    NotImplementedError: tinytorch has no Conv3d: windows here move over sequences and images, ...
    """

    reason = VOLUMES

    def __init_subclass__(cls):
        cls.__doc__ = f"Not here: {cls.reason}; making one is a NotImplementedError."

    def __init__(self, *args, bias=True, **kwargs):
        raise NotImplementedError(f"tinytorch has no {type(self).__name__}: {self.reason}")


conv3d = refused("conv3d", VOLUMES)
conv_transpose3d = refused("conv_transpose3d", VOLUMES)
max_pool3d = refused("max_pool3d", VOLUMES)
avg_pool3d = refused("avg_pool3d", VOLUMES)
lp_pool3d = refused("lp_pool3d", VOLUMES)
max_unpool3d = refused("max_unpool3d", VOLUMES)
fractional_max_pool2d = refused("fractional_max_pool2d", "windows here are all of one size; use max_pool2d")
fractional_max_pool3d = refused("fractional_max_pool3d", VOLUMES)


class Conv3d(Refused):
    pass


class ConvTranspose3d(Refused):
    pass


class MaxPool3d(Refused):
    pass


class AvgPool3d(Refused):
    pass


class LPPool3d(Refused):
    pass


class MaxUnpool3d(Refused):
    pass


class FractionalMaxPool2d(Refused):
    reason = "windows here are all of one size; use MaxPool2d"


class FractionalMaxPool3d(Refused):
    pass


class CrossMapLRN2d(Refused):
    reason = "it is the old name of LocalResponseNorm"


class SyncBatchNorm(Refused):
    reason = "there is one process here, so BatchNorm2d sees the whole batch"

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """Refused, as the layer is."""
        raise NotImplementedError(f"tinytorch has no {cls.__name__}: {cls.reason}")


class LazyConv3d(Refused):
    pass


class LazyConvTranspose3d(Refused):
    pass
