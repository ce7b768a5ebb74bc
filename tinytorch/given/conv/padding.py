"""`pad` and its layers: a margin around the last dimensions of a tensor.

Only `ConstantPad` is an operation of its own; what the other modes put into the margin is picked out by
`flip`, `expand` and `narrow`, and joined by `cat`.
"""

from numbers import Integral

import numpy as np

from tinytorch.autograd import call
from tinytorch.layers import Module
from tinytorch.tensor import Function, cat

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "pad",
]  # fmt: skip


class ConstantPad(Function):
    """A margin of one value around an array; a negative margin cuts off."""

    node_name = "ConstantPadNd"

    @staticmethod
    def forward(ctx, x, margins, value):
        """`margins` is a pair for each dimension: how much before, how much after."""
        ctx.margins = margins
        sides = list(zip(x.shape, margins))
        if any(n + min(before, 0) + min(after, 0) < 0 for n, (before, after) in sides):
            raise RuntimeError(f"margins of {margins} cut off more than there is of {list(x.shape)}")
        output = np.full_like(x, value, shape=[n + before + after for n, (before, after) in sides], order="C")
        inner = tuple([slice(max(before, 0), max(before, 0) + n) for n, (before, _) in sides])
        outer = tuple([slice(max(-before, 0), n + min(after, 0)) for n, (before, after) in sides])
        seen = x[outer]
        output[tuple([slice(at.start, at.start + n) for at, n in zip(inner, seen.shape)])] = seen
        return output

    @staticmethod
    def backward(ctx, grad):
        margins = [(-before, -after) for before, after in ctx.margins]
        return call(ConstantPad, grad, margins=margins, value=0)


def pad(input, pad, mode="constant", value=None):
    """Put a margin around the last dimensions of a tensor.

    Args:
        input: any shape.
        pad: how much before and after the last dimension, then before and after the one before it, and so on;
            negative numbers cut off.
        mode: what the margin contains. "constant": `value`, or 0. "reflect": the tensor mirrored, without
            its edge. "replicate": its edge. "circular": its other end. The last three pad the last one, two
            or three dimensions of an input that has one or two more.

    >>> pad(tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
    tensor([[3., 2., 1., 2., 3., 2.]])
    """
    if not isinstance(pad, (tuple, list)) or not all(isinstance(n, Integral) for n in pad):
        raise TypeError(f"pad(): argument 'pad' (position 2) must be tuple of ints, not {pad!r}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    margins = list(zip(pad[::2], pad[1::2]))
    if len(margins) > input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            "length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        if not isinstance(value, (int, float, np.number, type(None))):
            raise TypeError(f"pad(): argument 'value' (position 4) must be float, not {type(value).__name__}")
        whole = [(0, 0)] * (input.ndim - len(margins)) + margins[::-1]
        return ConstantPad.apply(input, margins=whole, value=value or 0)
    if mode not in EDGES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    check_edges(input, margins, mode)
    for dim, (before, after) in enumerate(margins, 1):
        input = EDGES[mode](input, input.ndim - dim, before, after)
    return input


def check_edges(input, margins, mode):
    """Refuse, in PyTorch's words, what has no edge to take a margin from."""
    dims = len(margins)
    if not 1 <= dims <= 3 or input.ndim - dims not in (1, 2):
        raise NotImplementedError(f"Padding size {2 * dims} is not supported for {input.ndim}D input tensor.")
    if mode == "circular":
        return
    if input.array.dtype.kind == "b":
        raise NotImplementedError(f"\"{mode}_pad{dims}d\" not implemented for 'Bool'")
    if 0 in input.shape[-dims - 1 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other "
            "non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    for dim, (before, after) in enumerate(margins, 1):
        if mode == "reflect" and max(before, after) >= input.shape[-dim]:
            raise RuntimeError(
                "Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {input.ndim - dim} of input {list(input.shape)}"
            )
    size = [input.shape[-dim] + sum(margin) for dim, margin in enumerate(margins, 1)][::-1]
    if min(size) < 0 or max(size) < 1:
        raise RuntimeError(f"input {list(input.shape[-dims:])} is too small. Calculated output {size}")


def reflected(x, dim, before, after):
    """Mirror a tensor at both ends of a dimension."""
    before_it, after_it = max(before, 0), max(after, 0)
    left = x.narrow(dim, 1, before_it).flip(dim)
    right = x.narrow(dim, x.shape[dim] - 1 - after_it, after_it).flip(dim)
    return cut(cat([left, x, right], dim), dim, before, after)


def replicated(x, dim, before, after):
    """Repeat a tensor's first and last numbers along a dimension."""

    def repeated(at, count):
        sizes = [max(count, 0) if d == dim else n for d, n in enumerate(x.shape)]
        return x.narrow(dim, at, 1).expand(sizes)

    return cut(cat([repeated(0, before), x, repeated(x.shape[dim] - 1, after)], dim), dim, before, after)


def wrapped_around(x, dim, before, after):
    """Go on at the other end of a dimension."""
    x = cut(x, dim, before, after)
    n, before, after = x.shape[dim], max(before, 0), max(after, 0)
    if max(before, after) > n:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    return cat([x.narrow(dim, n - before, before), x, x.narrow(dim, 0, after)], dim)


def cut(x, dim, before, after):
    """Cut off what a negative margin says."""
    if min(before, after) >= 0:
        return x
    start = max(-before, 0)
    return x.narrow(dim, start, x.shape[dim] - start - max(-after, 0))


EDGES = {"reflect": reflected, "replicate": replicated, "circular": wrapped_around}


# Layers: the class says the mode and how many dimensions, the instance how much ---------------------------
class PadNd(Module):
    """What the layers of padding share: one margin for all sides, or before and after each dimension."""

    mode, value = "constant", None

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, Integral) else tuple(padding)

    def forward(self, input):
        return pad(input, self.padding, self.mode, self.value)

    def extra_repr(self):
        return f"{self.padding}"


class ConstantPadNd(PadNd):
    """A margin of `value`."""

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(ConstantPadNd):
    """A margin of `value` before and after the last dimension.

    Shape: (..., L) to (..., before + L + after).

    >>> torch.nn.ConstantPad1d((1, 2), 7.0)(torch.zeros(1, 2))
    tensor([[7., 0., 0., 7., 7.]])
    """

    dims = 1


class ConstantPad2d(ConstantPadNd):
    """A margin of `value` around images: left, right, top, bottom.

    Shape: (..., H, W) to (..., top + H + bottom, left + W + right).

    >>> ConstantPad2d((1, 0, 0, 1), 7.0)(zeros(1, 1, 2))
    tensor([[[7., 0., 0.],
             [7., 7., 7.]]])
    """

    dims = 2


class ConstantPad3d(ConstantPadNd):
    """A margin of `value` around the last three dimensions.

    Shape: (..., D, H, W) to the same with each dimension and its margins.

    >>> torch.nn.ConstantPad3d(1, 7.0)(torch.zeros(3, 2, 4, 4)).shape
    torch.Size([3, 4, 6, 6])
    """

    dims = 3


class ZeroPadNd(ConstantPadNd):
    """A margin of zeros."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    extra_repr = PadNd.extra_repr


class ZeroPad1d(ZeroPadNd, ConstantPad1d):
    """A margin of zeros before and after the last dimension.

    Shape: (..., L) to (..., before + L + after).

    >>> torch.nn.ZeroPad1d((1, 2))(torch.ones(1, 2))
    tensor([[0., 1., 1., 0., 0.]])
    """


class ZeroPad2d(ZeroPadNd, ConstantPad2d):
    """A margin of zeros around images.

    Shape: (..., H, W) to (..., top + H + bottom, left + W + right).

    >>> torch.nn.ZeroPad2d((1, 0, 0, 1))(torch.ones(1, 1, 2))
    tensor([[[0., 1., 1.],
             [0., 0., 0.]]])
    """


class ZeroPad3d(ZeroPadNd, ConstantPad3d):
    """A margin of zeros around the last three dimensions.

    Shape: (..., D, H, W) to the same with each dimension and its margins.

    >>> torch.nn.ZeroPad3d(1)(torch.zeros(3, 2, 4, 4)).shape
    torch.Size([3, 4, 6, 6])
    """


class ReflectionPad1d(PadNd):
    """A margin in which sequences are mirrored, without their ends.

    Shape: (N, C, L) or (C, L) to the same with before + L + after.

    >>> torch.nn.ReflectionPad1d((1, 2))(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[2., 1., 2., 3., 2., 1.]])
    """

    dims, mode = 1, "reflect"


class ReflectionPad2d(PadNd):
    """A margin in which images are mirrored, without their edge.

    Shape: (N, C, H, W) or (C, H, W) to the same with top + H + bottom and left + W + right.

    >>> torch.nn.ReflectionPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[2., 1., 2.],
             [4., 3., 4.],
             [2., 1., 2.]]])
    """

    dims, mode = 2, "reflect"


class ReflectionPad3d(PadNd):
    """A margin in which the last three dimensions are mirrored, without their edge.

    Shape: (N, C, D, H, W) or (C, D, H, W) to the same with each dimension and its margins.

    >>> torch.nn.ReflectionPad3d(1)(torch.zeros(3, 2, 4, 4)).shape
    torch.Size([3, 4, 6, 6])
    """

    dims, mode = 3, "reflect"


class ReplicationPad1d(PadNd):
    """A margin that repeats the ends of sequences.

    Shape: (N, C, L) or (C, L) to the same with before + L + after.

    >>> torch.nn.ReplicationPad1d((1, 2))(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[1., 1., 2., 3., 3., 3.]])
    """

    dims, mode = 1, "replicate"


class ReplicationPad2d(PadNd):
    """A margin that repeats the edge of images.

    Shape: (N, C, H, W) or (C, H, W) to the same with top + H + bottom and left + W + right.

    >>> torch.nn.ReplicationPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[1., 1., 2.],
             [3., 3., 4.],
             [3., 3., 4.]]])
    """

    dims, mode = 2, "replicate"


class ReplicationPad3d(PadNd):
    """A margin that repeats the edge of the last three dimensions.

    Shape: (N, C, D, H, W) or (C, D, H, W) to the same with each dimension and its margins.

    >>> torch.nn.ReplicationPad3d(1)(torch.zeros(3, 2, 4, 4)).shape
    torch.Size([3, 4, 6, 6])
    """

    dims, mode = 3, "replicate"


class CircularPadNd(PadNd):
    """A margin that continues at the other end."""

    mode = "circular"

    def forward(self, input):
        if input.ndim - self.dims not in (1, 2):
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.ndim}D input)")
        return super().forward(input)


class CircularPad1d(CircularPadNd):
    """A margin in which sequences begin again.

    Shape: (N, C, L) or (C, L) to the same with before + L + after.

    >>> torch.nn.CircularPad1d((1, 2))(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1., 2.]])
    """

    dims = 1


class CircularPad2d(CircularPadNd):
    """A margin in which images go on at their other side.

    Shape: (N, C, H, W) or (C, H, W) to the same with top + H + bottom and left + W + right.

    >>> torch.nn.CircularPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[2., 1., 2.],
             [4., 3., 4.],
             [2., 1., 2.]]])
    """

    dims = 2


class CircularPad3d(CircularPadNd):
    """A margin in which the last three dimensions go on at their other side.

    Shape: (N, C, D, H, W) or (C, D, H, W) to the same with each dimension and its margins.

    >>> torch.nn.CircularPad3d(1)(torch.zeros(3, 2, 4, 4)).shape
    torch.Size([3, 4, 6, 6])
    """

    dims = 3
