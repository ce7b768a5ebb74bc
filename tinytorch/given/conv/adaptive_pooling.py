"""Pools with a given output size, which cover the input with as many even pieces.

Even pieces are means over reshaped dimensions or the learner's max pooling; uneven ones go through
`Resample`'s taps.
"""

import numpy as np

from tinytorch.given.conv.max_pooling import max_pool
from tinytorch.given.conv.resampling import Resample, even_pieces, means
from tinytorch.layers import Module
from tinytorch.tensor import copied, in_float32, wrap

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices",
]  # fmt: skip


def adaptive_avg_pool1d(input, output_size):
    """The means over `output_size` pieces of sequences (N, C, L) or (C, L); see `adaptive_avg_pool2d`."""
    return adaptive_avg_pool("adaptive_avg_pool1d", input, output_size)


def adaptive_avg_pool2d(input, output_size):
    """The means over as many windows as the output has numbers, which cover the image as evenly as they can.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        output_size: an integer, or a pair; None keeps a side as it is.

    >>> adaptive_avg_pool2d(tensor([[[1.0, 2.0, 6.0]]]), (1, 2))
    tensor([[[1.5000, 4.0000]]])
    """
    return adaptive_avg_pool("adaptive_avg_pool2d", input, output_size)


def adaptive_avg_pool3d(input, output_size):
    """The means over pieces of volumes (N, C, D, H, W) or (C, D, H, W); see `adaptive_avg_pool2d`."""
    return adaptive_avg_pool("adaptive_avg_pool3d", input, output_size)


def adaptive_avg_pool(name, input, output_size):
    """What the adaptive means share: means along one dimension, then along the next."""
    counts = adaptive_sizes(name, input, output_size)
    return copied(in_float32(means_of_pieces, input, counts), input)


def means_of_pieces(input, counts):
    if all(count == 1 for count in counts):
        return input.mean(tuple(range(-len(counts), 0)), keepdim=True)
    for dim, count in enumerate(counts, input.ndim - len(counts)):
        size = input.shape[dim]
        if count and size % count == 0:
            input = input.unflatten(dim, (count, size // count)).mean(dim + 1) if count != size else input
        else:
            input = Resample.apply(input, dim=dim, taps=means(size, count))
    return input


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The maxima of `output_size` pieces of sequences (N, C, L) or (C, L); see `adaptive_max_pool2d`."""
    return adaptive_max_pool("adaptive_max_pool1d", input, output_size, return_indices)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The maxima of as many windows as the output has numbers, which cover the image as evenly as they can.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        output_size: an integer, or a pair; None keeps a side as it is.
        return_indices: also return where each maximum was found, in the image as one row of H·W numbers.

    >>> adaptive_max_pool2d(tensor([[[1.0, 7.0, 6.0]]]), (1, 2))
    tensor([[[7., 7.]]])
    """
    return adaptive_max_pool("adaptive_max_pool2d", input, output_size, return_indices)


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """The maxima of pieces of volumes (N, C, D, H, W) or (C, D, H, W); see `adaptive_max_pool2d`."""
    return adaptive_max_pool("adaptive_max_pool3d", input, output_size, return_indices)


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """The maxima of pieces of sequences, and where they were found; see `adaptive_max_pool1d`."""
    return adaptive_max_pool("adaptive_max_pool1d", input, output_size, True)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """The maxima of pieces of images, and where they were found; see `adaptive_max_pool2d`."""
    return adaptive_max_pool("adaptive_max_pool2d", input, output_size, True)


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """The maxima of pieces of volumes, and where they were found; see `adaptive_max_pool3d`."""
    return adaptive_max_pool("adaptive_max_pool3d", input, output_size, True)


def adaptive_max_pool(name, input, output_size, return_indices):
    """What the adaptive maxima share: even pieces are windows, uneven ones are gathered."""
    counts = adaptive_sizes(name, input, output_size, channels_too=True)
    dims, sizes = len(counts), input.shape[-len(counts) :]
    if dims < 3 and all(count and size % count == 0 for size, count in zip(sizes, counts)):
        kernel_size = [size // count for size, count in zip(sizes, counts)]
        return max_pool(name[9:], input, kernel_size, None, 0, 1, False, return_indices)
    inside = places_of_pieces(sizes, counts)  # (places, numbers in a piece)
    rows = input.flatten(-dims)
    winners = rows.array[..., inside].argmax(-1)  # (N, C, places)
    index = wrap(inside[np.arange(len(inside)), winners])
    output, shape = rows.gather(-1, index), (*input.shape[:-dims], *counts)
    return (output.reshape(shape), index.reshape(shape)) if return_indices else output.reshape(shape)


def places_of_pieces(sizes, counts):
    """The places of each piece's numbers in the input as one row; short pieces repeat their last."""
    places = np.zeros((1, 1), np.int64)
    for size, count in zip(sizes, counts):
        start, end = even_pieces(size, count)
        offsets = np.arange((end - start).max(initial=1))
        along = np.minimum(start[:, None] + offsets, end[:, None] - 1)
        both = (
            places[:, None, :, None] * size + along[:, None]
        )  # (pieces so far, count, numbers so far, offsets)
        places = both.reshape(len(places) * count, places.shape[1] * len(offsets))
    return places


def adaptive_sizes(name, input, output_size, channels_too=False):
    """How many numbers each dimension of the output has; what cannot be is refused."""
    dims = int(name[-2])
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(input.shape)}"
        )
    given = list(output_size) if isinstance(output_size, (tuple, list)) else [output_size] * dims
    if output_size is None or (dims == 1 and None in given):
        raise TypeError(f"{name}(): argument 'output_size' (position 2) must be tuple of ints, not NoneType")
    if len(given) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims} numbers, not {output_size}")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype}'")
    if 0 in input.shape[-dims - channels_too :]:
        raise RuntimeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, "
            f"but input has sizes {list(input.shape)}"
        )
    counts = [size if n is None else n for n, size in zip(given, input.shape[-dims:])]
    if min(counts) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {counts}"
        )
    return counts


class AdaptivePoolNd(Module):
    """What the adaptive pools share: the size of their output."""

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return self._function(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptivePoolNd):
    """Means over even pieces of a sequence, as many as asked for; see `adaptive_avg_pool1d`.

    Shape: (N, C, L) or (C, L) to (N, C, L') or (C, L').

    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
    tensor([[1.5000, 3.5000]])
    """

    _function = staticmethod(adaptive_avg_pool1d)


class AdaptiveAvgPool2d(AdaptivePoolNd):
    """Means over even pieces of an image, as many as asked for; see `adaptive_avg_pool2d`.

    Shape: (N, C, H, W) or (C, H, W) to the same with (H', W').

    >>> torch.nn.AdaptiveAvgPool2d(1)(torch.zeros(8, 3, 5, 7)).shape
    torch.Size([8, 3, 1, 1])
    """

    _function = staticmethod(adaptive_avg_pool2d)


class AdaptiveAvgPool3d(AdaptivePoolNd):
    """Means over even pieces of a volume, as many as asked for; see `adaptive_avg_pool3d`.

    Shape: (N, C, D, H, W) or (C, D, H, W) to the same with (D', H', W').

    >>> torch.nn.AdaptiveAvgPool3d((1, None, 2))(torch.zeros(8, 3, 5, 6, 7)).shape
    torch.Size([8, 3, 1, 6, 2])
    """

    _function = staticmethod(adaptive_avg_pool3d)


class AdaptiveMaxPoolNd(AdaptivePoolNd):
    """What the adaptive max pools share: whether to say where the maxima were found."""

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input):
        return self._function(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(AdaptiveMaxPoolNd):
    """Maxima of even pieces of a sequence, as many as asked for; see `adaptive_max_pool1d`.

    Shape: (N, C, L) or (C, L) to (N, C, L') or (C, L'); with `return_indices` twice.

    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 2.0, 4.0, 3.0]]))
    tensor([[2., 4.]])
    """

    _function = staticmethod(adaptive_max_pool1d)


class AdaptiveMaxPool2d(AdaptiveMaxPoolNd):
    """Maxima of even pieces of an image, as many as asked for; see `adaptive_max_pool2d`.

    Shape: (N, C, H, W) or (C, H, W) to the same with (H', W'); with `return_indices` twice.

    >>> torch.nn.AdaptiveMaxPool2d(1)(torch.zeros(8, 3, 5, 7)).shape
    torch.Size([8, 3, 1, 1])
    """

    _function = staticmethod(adaptive_max_pool2d)


class AdaptiveMaxPool3d(AdaptiveMaxPoolNd):
    """Maxima of even pieces of a volume, as many as asked for; see `adaptive_max_pool3d`.

    Shape: (N, C, D, H, W) or (C, D, H, W) to the same with (D', H', W'); with `return_indices` twice.

    >>> torch.nn.AdaptiveMaxPool3d(2)(torch.zeros(8, 3, 5, 6, 7)).shape
    torch.Size([8, 3, 2, 2, 2])
    """

    _function = staticmethod(adaptive_max_pool3d)
