"""`unfold` and `fold`, the learner's `im2col` and `col2im` as operations, and `Tensor.unfold`."""

import math
from numbers import Integral

import numpy as np

from tinytorch.autograd import call
from tinytorch.conv import Window, col2im, im2col, window_over
from tinytorch.given.tensor.arrays import owner
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.views import View
from tinytorch.layers import Module
from tinytorch.tensor import Function, in_float32

__all__ = ["Col2Im", "Fold", "Im2Col", "SlidingWindows", "Unfold", "fold", "sliding_windows", "unfold"]


class Im2Col(Function):
    """What a window sees at each of its places, written into columns."""

    @staticmethod
    def forward(ctx, x, window):
        ctx.size, ctx.window = x.shape[-2:], window
        columns = im2col(x, window)
        return columns.reshape(len(x), math.prod(columns.shape[1:4]), math.prod(window.places))

    @staticmethod
    def backward(ctx, grad):
        return call(Col2Im, grad, size=ctx.size, window=ctx.window)


class Col2Im(Function):
    """Columns added back to where a window sees them."""

    @staticmethod
    def forward(ctx, columns, size, window):
        ctx.window = window
        channels = columns.shape[1] // math.prod(window.kernel_size)
        columns = columns.reshape(len(columns), channels, *window.kernel_size, *window.places)
        return col2im(columns, size, window)

    @staticmethod
    def backward(ctx, grad):
        return call(Im2Col, grad, window=ctx.window)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Write what a window sees at each of its places into a column.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        kernel_size, dilation, padding, stride: an integer, or a pair.

    Returns:
        A Tensor (N, C·kh·kw, places) or (C·kh·kw, places).
    """
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        input.size(2)  # IndexError
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            "for input, "
            f"but got: {list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(f"\"im2col\" not implemented for '{input.dtype}'")
    options = sliding_options(kernel_size, stride, padding, dilation)
    added = input.ndim == 3
    window = window_over(input.shape[-2:], *options)
    if min(window.places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={options[0]}, "
            f"dilation={options[3]}, padding={options[2]}, calculated shape of the array of sliding blocks "
            "as "
            f"{window.places}, but its components must be at least one."
        )
    output = Im2Col.apply(input.unsqueeze(0) if added else input, window=window)
    return output.squeeze(0) if added else output


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Add columns back to where a window sees them: where windows overlap, their numbers are summed.

    Args:
        input: (N, C·kh·kw, places) or (C·kh·kw, places).
        output_size: the size of the images, an integer or a pair.
        kernel_size, dilation, padding, stride: those of the `unfold` that this is the gradient of.

    Returns:
        A Tensor (N, C, H, W) or (C, H, W).
    """
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
            "dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(f"\"col2im\" not implemented for '{input.dtype}'")
    options = sliding_options(kernel_size, stride, padding, dilation)
    (size,) = sliding_options(output_size)
    window = window_over(size, *options)
    if input.shape[-2] % math.prod(window.kernel_size):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={input.shape[-2]} and kernel_size={window.kernel_size}."
        )
    if min(window.places) < 1 or math.prod(window.places) != input.shape[-1]:
        rows, columns = window.places
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={options[0]}, dilation={options[3]}, "
            f"padding={options[2]}, "
            f"stride={options[1]}, expected size of input's dimension 2 to match the calculated number of "
            "sliding "
            f"blocks {rows} * {columns} = {rows * columns}, but got input.size(2)={input.shape[-1]}."
        )
    added = input.ndim == 2
    output = in_float32(Col2Im, input.unsqueeze(0) if added else input, size=size, window=window)
    return output.squeeze(0) if added else output


def sliding_options(*options):
    """The options of `unfold` and `fold` as pairs: kernel size, stride, padding, dilation."""
    names = "kernel size", "stride", "padding", "dilation"
    pairs = [(n, n) if isinstance(n, Integral) else tuple(n) for n in options]
    for name, numbers in zip(names, pairs):
        if len(numbers) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(numbers)}")
        if min(numbers) < (name != "padding"):
            least = "non-negative" if name == "padding" else "greater than zero"
            raise RuntimeError(f"{name} should be {least}, but got {numbers}")
    return pairs


class Unfold(Module):
    """What a window sees at each of its places, as columns; see `unfold`.

    Shape: (N, C, H, W) or (C, H, W) to (N, C · kh · kw, places) or without N.

    >>> torch.nn.Unfold(2)(torch.zeros(8, 3, 4, 5)).shape
    torch.Size([8, 12, 12])
    """

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input):
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        names = "kernel_size", "dilation", "padding", "stride"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class Fold(Module):
    """Columns added back to where a window sees them; see `fold`.

    Shape: (N, C · kh · kw, places) or without N to (N, C, H, W) or (C, H, W), where (H, W) is `output_size`.

    >>> torch.nn.Fold((4, 5), 2)(torch.zeros(8, 12, 12)).shape
    torch.Size([8, 3, 4, 5])
    """

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, input):
        options = self.kernel_size, self.dilation, self.padding, self.stride
        return fold(input, self.output_size, *options)

    def extra_repr(self):
        names = "output_size", "kernel_size", "dilation", "padding", "stride"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class SlidingWindows(View):
    """Slices along one dimension, as one more dimension at the end: a view, in which slices may overlap."""

    @staticmethod
    def forward(ctx, x, dim, size, step):
        count = (x.shape[dim] - size) // step + 1
        ctx.shape, ctx.dim, ctx.size, ctx.step, ctx.count = x.shape, dim, size, step, count
        shape = (*x.shape[:dim], count, *x.shape[dim + 1 :], size)
        strides = (*x.strides[:dim], step * x.strides[dim], *x.strides[dim + 1 :], x.strides[dim])
        if not math.prod(shape):
            return np.empty(shape, x.dtype)
        memory = owner(x)
        memory = memory.transpose(np.argsort([-stride for stride in memory.strides], kind="stable"))
        offset = x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
        output = np.ndarray(shape, x.dtype, memory, offset, strides)  # its `base` is the owner
        output.flags.writeable = x.flags.writeable and step >= size
        return output

    @staticmethod
    def backward(ctx, grad):
        """The slices are columns: a window (size, 1) moves down images of the dimension and what follows."""
        before, after = math.prod(ctx.shape[: ctx.dim]), math.prod(ctx.shape[ctx.dim + 1 :])
        columns = grad.reshape(before, ctx.count * after, ctx.size).swapaxes(1, 2)
        window = Window((ctx.size, 1), (ctx.step, 1), (0, 0), (1, 1), (ctx.count, after))
        return call(Col2Im, columns, size=(ctx.shape[ctx.dim], after), window=window).reshape(ctx.shape)


def sliding_windows(input, dimension, size, step):
    """All slices of a size along a dimension, as a view with one more dimension at its end.

    >>> tensor([1.0, 2.0, 3.0]).unfold(0, 2, 1)
    tensor([[1., 2.],
            [2., 3.]])
    """
    x = input if input.ndim else input.reshape(1)
    dim = axis_of(dimension, x.ndim)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > x.shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {x.shape[dim]} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not size:
        shape = *x.shape[:dim], x.shape[dim] // step + 1, *x.shape[dim + 1 :], 0
        return x.narrow(dim, 0, 0).reshape(shape)
    output = SlidingWindows.apply(x, dim=dim, size=size, step=step)
    return output if input.ndim else output.squeeze(0)
