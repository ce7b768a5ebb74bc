"""`max_pool1d`, `max_pool2d` and their layers, made of the learner's `MaxPool` and `winners`; and what all pools check."""

import numpy as np

from tinytorch.conv import MaxPool, positions, window_over, winners
from tinytorch.given import methods_of
from tinytorch.given.conv.convolutions import as_images, restored
from tinytorch.layers import Module
from tinytorch.tensor import wrap

__all__ = ["MaxPool1d", "MaxPool2d", "max_pool1d", "max_pool2d", "winning_index"]


@methods_of(MaxPool)
class Node:
    """What the graph knows of it. Its output may be changed in place, by a ReLU: what it saved of it is copied then."""

    node_name, keeps_output = "MaxPool2DWithIndices", True


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number that a window sees at each of its places along (N, C, L) or (C, L); see `max_pool2d`."""
    return max_pool("max_pool1d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number that a window sees at each of its places.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        kernel_size, stride, padding, dilation: an integer, or a pair; the stride is the kernel size if it is None.
        ceil_mode: let the last window reach beyond the margin.
        return_indices: also return where each maximum was found, in the image as one row of H·W numbers.

    Returns:
        A Tensor (N, C, H', W') or (C, H', W'), or a tuple of it and an int64 Tensor of its shape.

    >>> max_pool2d(tensor([[[1.0, 2.0, 5.0, 3.0], [4.0, 0.0, 1.0, 1.0]]]), 2)
    tensor([[[4., 5.]]])
    """
    return max_pool("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool(name, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    """What `max_pool1d` and `max_pool2d` share."""
    if input.array.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
    input, window, flat, added = pooled(name, input, kernel_size, stride, padding, dilation, ceil_mode)
    output = MaxPool.apply(input, window=window)
    if not return_indices:
        return restored(output, flat, added)
    index = wrap(winning_index(input.array, output.array, window))
    return restored(output, flat, added), restored(index, flat, added)


def winning_index(x, output, window):
    """Where each maximum was found, in an image whose rows are written one after another."""
    width, (top, left), (down, right) = x.shape[-1], window.padding, window.dilation
    rows, columns = (n * np.arange(count, like=x) for n, count in zip(window.stride, window.places))
    places = (rows[:, None] - top) * width + columns - left
    index = np.zeros_like(output, dtype=np.int64)
    for (i, j, _), found in zip(positions(window), winners(x, output, window)):
        np.copyto(index, places + i * down * width + j * right, where=found)
    return index


def pooled(name, input, kernel_size, stride, padding, dilation=1, ceil_mode=False):
    """A pool's input as a batch of images, the Window over it, and what `restored` has to take back."""
    dims = int(name[-2])
    if input.ndim not in (dims + 1, dims + 2) or 0 in input.shape[-dims - 1 :]:
        raise RuntimeError(
            f"{name}: Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
            f"but got:{list(input.shape)}"
        )
    options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    if stride is None or stride == []:
        options["stride"] = kernel_size
    for option, value in options.items():
        numbers = (value,) if isinstance(value, int) else tuple(value)
        if len(numbers) not in (1, dims):
            raise RuntimeError(f"{name}: {option} must either be a single int, or a tuple of {dims} ints")
        if min(numbers) < (option != "padding"):
            raise RuntimeError(
                f"{name}: {option} must be {'non-negative' if option == 'padding' else 'greater than zero'}, but got {value}"
            )
        options[option] = numbers * dims if len(numbers) == 1 else numbers
    for k, p in zip(options["kernel_size"], options["padding"]):
        if p > k // 2:
            raise RuntimeError(
                f"pad should be at most half of kernel size, but got pad={p} and kernel_size={k}"
            )
    added = input.ndim == dims + 1
    input = input.unsqueeze(0) if added else input
    (input,), flat = as_images(input)
    window = window_over(input.shape[2:], **options, ceil_mode=ceil_mode)
    if min(window.places) < 1:
        (channels, *size), places = input.shape[1:], window.places
        raise RuntimeError(
            f"Given input size: ({channels}x{size[0]}x{size[1]}). Calculated output size: "
            f"({channels}x{places[0]}x{places[1]}). Output size is too small"
        )
    return input, window, flat, added


class MaxPoolNd(Module):
    """What the layers of max pooling share; see `max_pool2d`."""

    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
    ):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input):
        options = self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        return self.function(input, self.kernel_size, *options)

    def extra_repr(self):
        names = "kernel_size", "stride", "padding", "dilation", "ceil_mode"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class MaxPool1d(MaxPoolNd):
    """The largest number in each window along a sequence; see `max_pool1d`."""

    function = staticmethod(max_pool1d)


class MaxPool2d(MaxPoolNd):
    """The largest number in each window of an image; see `max_pool2d`."""

    function = staticmethod(max_pool2d)
