"""Channels moved into places and back, and channels moved among each other: reshape, permute, reshape."""

from tinytorch.given import alias
from tinytorch.layers import Module
from tinytorch.tensor import copied

__all__ = [
    "ChannelShuffle", "PixelShuffle", "PixelUnshuffle", "channel_shuffle",
    "native_channel_shuffle", "pixel_shuffle", "pixel_unshuffle",
]  # fmt: skip


def pixel_shuffle(input, upscale_factor):
    """Make r² channels a square of r x r pixels: (..., C·r², H, W) becomes (..., C, H·r, W·r).

    >>> pixel_shuffle(tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2)
    tensor([[[1., 2.],
             [3., 4.]]])
    """
    check_shuffle("pixel_shuffle", input, "upscale_factor", upscale_factor)
    *batch, channels, height, width = input.shape
    r = upscale_factor
    if channels % r**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            "upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r**2}"
        )
    squares = input.reshape(*batch, channels // r**2, r, r, height, width)
    rows_first = swapped_in(squares, len(batch), (0, 3, 1, 4, 2))  # (..., C, H, r, W, r)
    output = rows_first.reshape(*batch, channels // r**2, height * r, width * r)
    return copied(output, input, "PixelShuffle")


def pixel_unshuffle(input, downscale_factor):
    """Stack the pixels of each square of r x r as channels: (..., C, H·r, W·r) becomes (..., C·r², H, W).

    >>> pixel_unshuffle(tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2).flatten()
    tensor([1., 2., 3., 4.])
    """
    check_shuffle("pixel_unshuffle", input, "downscale_factor", downscale_factor)
    *batch, channels, height, width = input.shape
    r = downscale_factor
    for side, at, n in (("height", -2, height), ("width", -1, width)):
        if n % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {side} to be divisible by downscale_factor, "
                f"but input.size({at})={n} is not divisible by {r}"
            )
    squares = input.reshape(*batch, channels, height // r, r, width // r, r)
    channels_first = swapped_in(squares, len(batch), (0, 2, 4, 1, 3))  # (..., C, r, r, H, W)
    output = channels_first.reshape(*batch, channels * r**2, height // r, width // r)
    return copied(output, input, "PixelUnshuffle")


def channel_shuffle(input, groups):
    """Reorder the channels of (N, C, ...): the first of each group, then the second of each, and so on.

    >>> channel_shuffle(tensor([[[1.0], [2.0], [3.0], [4.0]]]), 2).flatten()
    tensor([1., 3., 2., 4.])
    """
    if input.ndim < 3:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    images, channels, *places = input.shape
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    dealt = input.reshape(images, groups, channels // groups, *places).transpose(1, 2)
    return copied(dealt.reshape(input.shape), input, "ChannelShuffle")


native_channel_shuffle = alias(channel_shuffle, "native_channel_shuffle")


def check_shuffle(name, input, option, factor):
    """Refuse, in PyTorch's words, what is no image, and a factor of zero."""
    if input.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} "
            "dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {option}, but got {factor}")


def swapped_in(x, leading, dims):
    """The dimensions after the leading ones in another order."""
    return x.permute(*range(leading), *[leading + dim for dim in dims])


class PixelShuffle(Module):
    """Channels spread over larger images (Shi et al., 2016); see `pixel_shuffle`.

    Shape: (..., C r², H, W) to (..., C, H r, W r), with r the `upscale_factor`.

    >>> torch.nn.PixelShuffle(2)(torch.tensor([1.0, 2.0, 3.0, 4.0]).reshape(4, 1, 1))
    tensor([[[1., 2.],
             [3., 4.]]])
    """

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels stacked as channels of smaller images; see `pixel_unshuffle`.

    Shape: (..., C, H r, W r) to (..., C r², H, W), with r the `downscale_factor`.

    >>> torch.nn.PixelUnshuffle(2)(torch.zeros(8, 3, 6, 4)).shape
    torch.Size([8, 12, 3, 2])
    """

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Shuffled channels (Zhang et al., 2018); see `channel_shuffle`.

    Shape: (N, C, ...) to (N, C, ...), with C a multiple of `groups`.

    >>> torch.nn.ChannelShuffle(2)(torch.tensor([1.0, 2.0, 3.0, 4.0]).reshape(1, 4, 1)).flatten()
    tensor([1., 3., 2., 4.])
    """

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
