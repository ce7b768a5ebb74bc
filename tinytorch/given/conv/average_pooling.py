"""Means over windows: sums of the slices that `positions` lists, and their gradient by `col2im`."""

import numpy as np

from tinytorch.autograd import call
from tinytorch.conv import col2im, positions
from tinytorch.given.conv.convolutions import restored
from tinytorch.given.conv.margins import padded
from tinytorch.given.conv.max_pooling import pooled
from tinytorch.layers import Module
from tinytorch.tensor import Function, wrap

__all__ = [
    "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "SpreadOverWindow", "SumPool", "adaptive_avg_pool2d", "avg_pool1d",
    "avg_pool2d",
]  # fmt: skip


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of what a window sees at each of its places along (N, C, L) or (C, L); see `avg_pool2d`."""
    return avg_pool("avg_pool1d", input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of what a window sees at each of its places.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        kernel_size, stride, padding: an integer, or a pair; the stride is the kernel size if it is None.
        ceil_mode: let the last window reach beyond the margin.
        count_include_pad: whether the zeros of the margin count; what lies beyond it never does.
        divisor_override: what to divide by, in place of how many numbers there are.

    >>> avg_pool2d(tensor([[[1.0, 2.0, 5.0, 3.0], [4.0, 1.0, 1.0, 1.0]]]), 2)
    tensor([[[2.0000, 2.5000]]])
    """
    name = "avg_pool2d"
    return avg_pool(name, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool(name, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor=None):
    """What `avg_pool1d` and `avg_pool2d` share."""
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    input, window, flat, added = pooled(name, input, kernel_size, stride, padding, 1, ceil_mode)
    if divisor is None:
        rows, columns = numbers_in(window, input.shape[2:], count_include_pad)
        divisor = wrap((rows[:, None] * columns).astype(input.array.dtype)).to(input.device)
    rounding = None if input.is_floating_point() else "trunc"
    output = SumPool.apply(input, window=window).div(divisor, rounding_mode=rounding)
    return restored(output, flat, added)


def numbers_in(window, size, count_include_pad):
    """How many rows, and how many columns, a mean counts at each of the window's places."""
    counts = []
    for n, k, s, p, places in zip(size, window.kernel_size, window.stride, window.padding, window.places):
        start = np.arange(places) * s - p
        low, high = (-p, n + p) if count_include_pad else (0, n)
        counts.append(np.minimum(start + k, n + p).clip(max=high) - start.clip(min=low))
    return counts


class SumPool(Function):
    """The sum of what a window sees at each of its places."""

    @staticmethod
    def forward(ctx, x, window):
        ctx.size, ctx.window = x.shape[-2:], window
        x = padded(x, window)
        first, *others = [x[seen] for _, _, seen in positions(window)]
        output = first.copy()
        for numbers in others:
            output += numbers
        return output

    @staticmethod
    def backward(ctx, grad):
        return call(SpreadOverWindow, grad, size=ctx.size, window=ctx.window)


class SpreadOverWindow(Function):
    """Each number added wherever the window sees from its place: the gradient of SumPool."""

    @staticmethod
    def forward(ctx, grad, size, window):
        ctx.window = window
        shape = (*grad.shape[:2], *window.kernel_size, *window.places)
        return col2im(np.broadcast_to(grad[:, :, None, None], shape), size, window)

    @staticmethod
    def backward(ctx, grad):
        return call(SumPool, grad, window=ctx.window)


def adaptive_avg_pool2d(input, output_size):
    """The means over as many windows as the output has numbers, which cover the image as evenly as they can.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        output_size: an integer, or a pair; None keeps a side as it is.

    >>> adaptive_avg_pool2d(tensor([[[1.0, 2.0, 6.0]]]), (1, 2))
    tensor([[[1.5000, 4.0000]]])
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"adaptive_avg_pool2d\" not implemented for '{input.dtype}'")
    wanted = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * 2
    if len(wanted) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    height, width = (n if n is not None else side for n, side in zip(wanted, input.shape[-2:]))
    if min(height, width) < 0:
        raise RuntimeError(
            f"adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {height}, {width}"
        )
    pieces = (height, input.shape[-2]), (width, input.shape[-1])
    rows, columns = (wrap(averages(*piece, input.array.dtype)).to(input.device) for piece in pieces)
    return rows @ (input @ columns.T)


def averages(count, size, dtype):
    """The matrix (count, size) that takes the means of `count` even pieces of `size` numbers."""
    matrix = np.zeros((count, size), dtype)
    for i, row in enumerate(matrix):
        piece = row[i * size // count : -(-(i + 1) * size // count)]
        piece[:] = 1 / max(1, len(piece))
    return matrix


class AvgPool1d(Module):
    """The mean of each window along a sequence; see `avg_pool1d`."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        stride = kernel_size if stride is None else stride
        self.kernel_size, self.stride, self.padding = (
            (n,) if isinstance(n, int) else tuple(n) for n in (kernel_size, stride, padding)
        )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input):
        options = self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return avg_pool1d(input, self.kernel_size, *options)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window of an image; see `avg_pool2d`."""

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self.kernel_size, self.stride, self.padding = (kernel_size, stride or kernel_size, padding)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        options = (self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)
        return avg_pool2d(input, self.kernel_size, *options)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Means over even pieces of an image, as many as asked for; see `adaptive_avg_pool2d`."""

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"
