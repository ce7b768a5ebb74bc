"""`unfold` and `fold`: the learner's `im2col` and `col2im` as operations, each the gradient of the other."""

import math

from tinytorch.autograd import call
from tinytorch.conv import col2im, im2col, window_over
from tinytorch.layers import Module
from tinytorch.tensor import Function

__all__ = ["Col2Im", "Fold", "Im2Col", "Unfold", "fold", "unfold"]


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
            f"Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(f"\"im2col\" not implemented for '{input.dtype}'")
    options = sliding_options(kernel_size, stride, padding, dilation)
    added = input.ndim == 3
    window = window_over(input.shape[-2:], *options)
    if min(window.places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={options[0]}, dilation={options[3]}, "
            f"padding={options[2]}, calculated shape of the array of sliding blocks as {window.places}, but its "
            f"components must be at least one."
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
            f"Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    options = sliding_options(kernel_size, stride, padding, dilation)
    (size,) = sliding_options(output_size)
    window = window_over(size, *options)
    if input.shape[-2] % math.prod(window.kernel_size):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={input.shape[-2]} and kernel_size={window.kernel_size}."
        )
    if min(window.places) < 1 or math.prod(window.places) != input.shape[-1]:
        rows, columns = window.places
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={options[0]}, dilation={options[3]}, padding={options[2]}, "
            f"stride={options[1]}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{rows} * {columns} = {rows * columns}, but got input.size(2)={input.shape[-1]}."
        )
    added = input.ndim == 2
    output = Col2Im.apply(input.unsqueeze(0) if added else input, size=size, window=window)
    return output.squeeze(0) if added else output


def sliding_options(*options):
    """The options of `unfold` and `fold` as pairs: kernel size, stride, padding, dilation."""
    names = "kernel size", "stride", "padding", "dilation"
    pairs = [(n, n) if isinstance(n, int) else tuple(n) for n in options]
    for name, numbers in zip(names, pairs):
        if len(numbers) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(numbers)}")
        if min(numbers) < (name != "padding"):
            raise RuntimeError(
                f"{name} should be {'non-negative' if name == 'padding' else 'greater than zero'}, but got {numbers}"
            )
    return pairs


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


class Unfold(Module):
    """What a window sees at each of its places, as columns; see `unfold`."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = (kernel_size, dilation, padding, stride)

    def forward(self, input):
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        names = "kernel_size", "dilation", "padding", "stride"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class Fold(Module):
    """Columns added back to where a window sees them; see `fold`."""

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
