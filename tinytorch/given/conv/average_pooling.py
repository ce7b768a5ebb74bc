"""Means over windows, and of powers: sums of the slices that `positions` lists, given back by `col2im`."""

from numbers import Integral

import numpy as np

from tinytorch.activations import relu
from tinytorch.autograd import call
from tinytorch.conv import col2im, positions
from tinytorch.given.conv.convolutions import restored
from tinytorch.given.conv.image_margins import padded
from tinytorch.given.conv.max_pooling import max_pool1d, max_pool2d, pooled
from tinytorch.layers import Module
from tinytorch.tensor import Function, in_float32, wrap

__all__ = [
    "AvgPool1d", "AvgPool2d", "LPPool1d", "LPPool2d", "SpreadOverWindow", "SumPool", "avg_pool1d",
    "avg_pool2d", "lp_pool1d", "lp_pool2d",
]  # fmt: skip


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
    options = stride, padding, ceil_mode, count_include_pad, divisor_override
    return avg_pool("avg_pool2d", input, kernel_size, *options)


def avg_pool(name, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor=None):
    """What `avg_pool1d` and `avg_pool2d` share."""
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    options = name, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor
    return in_float32(means_of_windows, input, *options)


def means_of_windows(input, name, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor):
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


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The norm of what a window sees at each of its places along (N, C, L) or (C, L); see `lp_pool2d`."""
    if norm_type in (float("inf"), -float("inf")):
        return extreme_pool(max_pool1d, input, norm_type, kernel_size, stride, ceil_mode)
    means = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (means.sign() * relu(means.abs())).mul(kernel_size).pow(1.0 / norm_type)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The norm of what a window sees at each of its places: (Σ x^p)^(1/p), p being `norm_type`.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        norm_type: p; infinity takes the largest absolute value, minus infinity the smallest.
        kernel_size, stride: an integer, or a pair; the stride is the kernel size if it is None.
        ceil_mode: let the last window reach beyond the image.

    >>> lp_pool2d(tensor([[[3.0, 4.0]]]), 2, (1, 2))
    tensor([[[5.]]])
    """
    if norm_type in (float("inf"), -float("inf")):
        return extreme_pool(max_pool2d, input, norm_type, kernel_size, stride, ceil_mode)
    height, width = (kernel_size, kernel_size) if isinstance(kernel_size, Integral) else kernel_size
    means = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (means.sign() * relu(means.abs())).mul(height * width).pow(1.0 / norm_type)


def extreme_pool(max_pool, input, norm_type, kernel_size, stride, ceil_mode):
    """The largest absolute value in each window, or the smallest, by the sign of an infinite norm."""
    if norm_type > 0:
        return max_pool(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    return -max_pool(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)


class AvgPoolNd(Module):
    """What the layers of average pooling share."""

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(AvgPoolNd):
    """The mean of each window along a sequence; see `avg_pool1d`.

    Shape: (N, C, L) or (C, L) to the same with L' = (L + 2 padding - kernel_size) / stride + 1, rounded down.

    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1.0, 2.0, 4.0, 3.0]]))
    tensor([[1.5000, 3.5000]])
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        stride = kernel_size if stride is None else stride
        self.kernel_size, self.stride, self.padding = (
            (n,) if isinstance(n, Integral) else tuple(n) for n in (kernel_size, stride, padding)
        )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input):
        options = self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return avg_pool1d(input, self.kernel_size, *options)


class AvgPool2d(AvgPoolNd):
    """The mean of each window of an image; see `avg_pool2d`.

    Shape: (N, C, H, W) or (C, H, W) to the same with H' and W' as `AvgPool1d` has L'.

    >>> torch.nn.AvgPool2d(2)(torch.zeros(8, 3, 6, 4)).shape
    torch.Size([8, 3, 3, 2])
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        options = self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override
        return avg_pool2d(input, self.kernel_size, *options)


class LPPoolNd(Module):
    """What the layers of pooling by a norm share."""

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = (
            norm_type,
            kernel_size,
            stride,
            ceil_mode,
        )

    def forward(self, input):
        return self._function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        names = "norm_type", "kernel_size", "stride", "ceil_mode"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class LPPool1d(LPPoolNd):
    """The norm of each window along a sequence, (Σ xᵖ)^(1/p); see `lp_pool1d`.

    Shape: (N, C, L) or (C, L) to the same with L' = (L - kernel_size) / stride + 1, rounded down.

    >>> torch.nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0, 5.0, 12.0]]))
    tensor([[ 5., 13.]])
    """

    _function = staticmethod(lp_pool1d)


class LPPool2d(LPPoolNd):
    """The norm of each window of an image, (Σ xᵖ)^(1/p); see `lp_pool2d`.

    Shape: (N, C, H, W) or (C, H, W) to the same with H' and W' as `LPPool1d` has L'.

    >>> torch.nn.LPPool2d(2, 2)(torch.zeros(8, 3, 6, 4)).shape
    torch.Size([8, 3, 3, 2])
    """

    _function = staticmethod(lp_pool2d)
