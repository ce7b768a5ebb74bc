"""Max pooling and its reverse, made of the learner's `MaxPool` and `winners`; and what all pools check."""

from numbers import Integral

import numpy as np

from tinytorch.conv import MaxPool, positions, window_over, winners
from tinytorch.given import methods_of
from tinytorch.given.conv.convolutions import as_images, restored
from tinytorch.layers import Module
from tinytorch.tensor import wrap

__all__ = [
    "MaxPool1d", "MaxPool2d", "MaxUnpool1d", "MaxUnpool2d", "max_pool1d", "max_pool1d_with_indices",
    "max_pool2d", "max_pool2d_with_indices", "max_unpool1d", "max_unpool2d", "winning_index",
]  # fmt: skip


@methods_of(MaxPool)
class Node:
    """What the graph knows of it: its output may be changed in place, as by a ReLU."""

    node_name, keeps_output = "MaxPool2DWithIndices", True


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number in each window along sequences (N, C, L) or (C, L); see `max_pool2d`."""
    options = stride, padding, dilation, ceil_mode, return_indices
    return max_pool("max_pool1d", input, kernel_size, *options)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number that a window sees at each of its places.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        kernel_size, stride, padding, dilation: an integer, or a pair; the stride is the kernel size if it is
            None.
        ceil_mode: let the last window reach beyond the margin.
        return_indices: also return where each maximum was found, in the image as one row of H·W numbers.

    Returns:
        A Tensor (N, C, H', W') or (C, H', W'), or a tuple of it and an int64 Tensor of its shape.

    >>> max_pool2d(tensor([[[1.0, 2.0, 5.0, 3.0], [4.0, 0.0, 1.0, 1.0]]]), 2)
    tensor([[[4., 5.]]])
    """
    options = stride, padding, dilation, ceil_mode, return_indices
    return max_pool("max_pool2d", input, kernel_size, *options)


def max_pool1d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The maxima of windows along sequences, and where they were found; see `max_pool1d`."""
    return max_pool("max_pool1d", input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The maxima of windows over images, and where they were found; see `max_pool2d`."""
    return max_pool("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool(name, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    """What `max_pool1d` and `max_pool2d` share."""
    one_way = (
        name == "max_pool1d" and not return_indices
    )  # PyTorch's is another one, for floating point alone
    if input.array.dtype.kind == "b" or (one_way and not input.is_floating_point()):
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype}'")
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
            f"{name}: Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch "
            "size for "
            f"input, but got:{list(input.shape)}"
        )
    stride = kernel_size if stride is None or np.size(stride) == 0 else stride
    options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    options = {option: pool_option(name, option, value, dims) for option, value in options.items()}
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


def pool_option(name, option, value, dims):
    """An option of a pool as one number for each dimension."""
    numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not all(isinstance(n, Integral) for n in numbers):
        raise TypeError(f"{name}(): argument '{option}' must be tuple of ints, not {value}")
    if len(numbers) not in (1, dims):
        raise RuntimeError(f"{name}: {option} must either be a single int, or a tuple of {dims} ints")
    if min(numbers) < (option != "padding"):
        least = "non-negative" if option == "padding" else "greater than zero"
        raise RuntimeError(f"{name}: {option} must be {least}, but got {value}")
    return numbers * (dims // len(numbers))


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put each number of (N, C, L) or (C, L) back where `max_pool1d` found it; see `max_unpool2d`."""
    return max_unpool("max_unpool1d", input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put each number back where `max_pool2d` found it, and zeros everywhere else.

    Args:
        input: maxima (N, C, H, W) or (C, H, W).
        indices: where they were found, as `max_pool2d` returns it.
        kernel_size, stride, padding: those of the pool.
        output_size: the size of the images, where the pool's options leave it open.

    >>> max_unpool2d(tensor([[[7.0]]]), tensor([[[2]]]), 2)
    tensor([[[0., 0.],
             [7., 0.]]])
    """
    return max_unpool("max_unpool2d", input, indices, kernel_size, stride, padding, output_size)


def max_unpool(name, input, indices, kernel_size, stride, padding, output_size):
    """What `max_unpool1d` and `max_unpool2d` share."""
    dims = int(name[-2])
    stride = kernel_size if stride is None else stride
    options = [(n,) * dims if isinstance(n, Integral) else tuple(n) for n in (kernel_size, stride, padding)]
    least = [(n - 1) * s + k - 2 * p for n, k, s, p in zip(input.shape[-dims:], *options)]
    size = unpooled_size(least, options[1], output_size)
    if indices.array.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.dtype}")
    if input.ndim not in (dims + 1, dims + 2) or 0 in input.shape[-dims - 1 :]:
        raise RuntimeError(
            f"Input to {name} should be a {dims + 1}d or {dims + 2}d Tensor with no empty dimension but the "
            "batch, "
            f"but got {list(input.shape)}"
        )
    if input.shape != indices.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but "
            "got indices "
            f"tensor with shape: {list(indices.shape)}"
        )
    places = int(np.prod(size))
    if input.numel() and not 0 <= indices.array.min() <= indices.array.max() < places:
        raise RuntimeError(
            f"found an invalid max index: not all are below {places} (output volumes are {size})"
        )
    rows = input.new_zeros(*input.shape[:-dims], places)
    rows = rows.scatter(-1, indices.flatten(-dims), input.flatten(-dims))
    return rows.reshape(*input.shape[:-dims], *size)


def unpooled_size(least, stride, output_size):
    """The size of the pooled images: the smallest, or the requested one if it is possible."""
    if output_size is None:
        return least
    size = list(output_size)[-len(least) :]
    if len(output_size) not in (len(least), len(least) + 2):
        raise ValueError(
            f"output_size should be a sequence containing {len(least)} or {len(least) + 2} elements, but it "
            "has a "
            f"length of '{len(output_size)}'"
        )
    for dim, (n, low, s) in enumerate(zip(size, least, stride)):
        if not low - s < n < low + s:
            raise ValueError(
                f'invalid output_size "{output_size}" (dim {dim} must be between {low - s} and {low + s})'
            )
    return size


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
        return self._function(input, self.kernel_size, *options)

    def extra_repr(self):
        names = "kernel_size", "stride", "padding", "dilation", "ceil_mode"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class MaxPool1d(MaxPoolNd):
    """The largest number in each window along a sequence; see `max_pool1d`.

    Shape: (N, C, L) or (C, L) to the same with L' = (L + 2 padding - dilation (kernel_size - 1) - 1) / stride
        + 1, rounded down; with `return_indices` twice.

    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1.0, 2.0, 4.0, 3.0]]))
    tensor([[2., 4.]])
    """

    _function = staticmethod(max_pool1d)


class MaxPool2d(MaxPoolNd):
    """The largest number in each window of an image; see `max_pool2d`.

    Shape: (N, C, H, W) or (C, H, W) to the same with H' and W' as `MaxPool1d` has L'; with `return_indices`
        twice.

    >>> torch.nn.MaxPool2d(2)(torch.zeros(8, 3, 6, 4)).shape
    torch.Size([8, 3, 3, 2])
    """

    _function = staticmethod(max_pool2d)


class MaxUnpoolNd(Module):
    """What the layers of max unpooling share; see `max_unpool2d`."""

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        stride = kernel_size if stride is None else stride
        self.kernel_size, self.stride, self.padding = (
            (n,) * self.dims if isinstance(n, Integral) else tuple(n) for n in (kernel_size, stride, padding)
        )

    def forward(self, input, indices, output_size=None):
        return self._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(MaxUnpoolNd):
    """Maxima put back where they were found along a sequence; see `max_unpool1d`.

    Shape: (N, C, L') or (C, L') and indices of the same shape to the same with L = (L' - 1) stride - 2
        padding + kernel_size, or `output_size`.

    >>> values, places = torch.nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1.0, 2.0, 4.0, 3.0]]))
    >>> torch.nn.MaxUnpool1d(2)(values, places)
    tensor([[0., 2., 4., 0.]])
    """

    dims, _function = 1, staticmethod(max_unpool1d)


class MaxUnpool2d(MaxUnpoolNd):
    """Maxima put back where they were found in an image; see `max_unpool2d`.

    Shape: (N, C, H', W') or (C, H', W') and indices of the same shape to the same with H and W as
        `MaxUnpool1d` has L.

    >>> values, places = torch.nn.MaxPool2d(2, return_indices=True)(torch.tensor([[[1.0, 2.0], [4.0, 3.0]]]))
    >>> torch.nn.MaxUnpool2d(2)(values, places)
    tensor([[[0., 0.],
             [4., 0.]]])
    """

    dims, _function = 2, staticmethod(max_unpool2d)
