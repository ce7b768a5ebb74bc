"""`pad`: a margin around the last dimensions of a tensor. Only `ConstantPad` is new; the others are made of `cat` and `flip`."""

import numpy as np

from tinytorch.autograd import call
from tinytorch.tensor import Function, cat

__all__ = ["ConstantPad", "pad"]


def pad(input, pad, mode="constant", value=None):
    """Put a margin around the last dimensions of a tensor.

    Args:
        input: any shape.
        pad: how much before and after the last dimension, then before and after the one before it, and so on; negative
            numbers cut off.
        mode: what stands in the margin. "constant": `value`, or 0. "reflect": the tensor mirrored, without its edge.
            "replicate": its edge. "circular": its other end. The last three pad the last one, two or three dimensions of
            an input that has one or two more.

    >>> pad(tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
    tensor([[3., 2., 1., 2., 3., 2.]])
    """
    margins = list(zip(pad[::2], pad[1::2]))
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(margins) > input.ndim:
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        whole = [(0, 0)] * (input.ndim - len(margins)) + margins[::-1]
        return ConstantPad.apply(input, margins=whole, value=value or 0)
    if mode not in EDGES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if not 1 <= len(margins) <= 3 or input.ndim - len(margins) not in (1, 2):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.")
    for dim, (before, after) in enumerate(margins, 1):
        input = EDGES[mode](input, input.ndim - dim, before, after)
    return input


class ConstantPad(Function):
    """A margin of one value around an array; a negative margin cuts off."""

    node_name = "ConstantPadNd"

    @staticmethod
    def forward(ctx, x, margins, value):
        """`margins` is a pair for each dimension: how much before, how much after."""
        ctx.margins = margins
        shape = tuple([n + before + after for n, (before, after) in zip(x.shape, margins)])
        if any(n + min(before, 0) + min(after, 0) < 0 for n, (before, after) in zip(x.shape, margins)):
            raise RuntimeError(f"margins of {margins} cut off more than there is of {list(x.shape)}")
        output = np.full_like(x, value, shape=shape, order="C")
        inner = tuple(
            [slice(max(before, 0), n - max(after, 0)) for n, (before, after) in zip(shape, margins)]
        )
        outer = tuple(
            [slice(max(-before, 0), n + min(after, 0)) for n, (before, after) in zip(x.shape, margins)]
        )
        output[inner] = x[outer]
        return output

    @staticmethod
    def backward(ctx, grad):
        return call(ConstantPad, grad, margins=[(-before, -after) for before, after in ctx.margins], value=0)


def reflected(x, dim, before, after):
    """Mirror a tensor at both ends of a dimension."""
    if max(before, after) >= x.shape[dim]:
        raise RuntimeError(
            f"Padding size should be less than the corresponding input dimension, but got: padding {before, after} at "
            f"dimension {dim} of input {list(x.shape)}"
        )
    n = x.shape[dim]
    left, right = (x.narrow(dim, 1, max(before, 0)), x.narrow(dim, n - 1 - max(after, 0), max(after, 0)))
    return cut(cat([left.flip(dim), x, right.flip(dim)], dim), dim, before, after)


def replicated(x, dim, before, after):
    """Repeat a tensor's first and last numbers along a dimension."""
    n = x.shape[dim]
    if n == 0:
        raise RuntimeError(f"replicate padding: dimension {dim} of input {list(x.shape)} has no edge")
    first, last = (
        x.narrow(dim, at, 1).expand([max(count, 0) if d == dim else m for d, m in enumerate(x.shape)])
        for at, count in ((0, before), (n - 1, after))
    )
    return cut(cat([first, x, last], dim), dim, before, after)


def wrapped_around(x, dim, before, after):
    """Go on at the other end of a dimension."""
    x = cut(x, dim, before, after)
    n, before, after = x.shape[dim], max(before, 0), max(after, 0)
    if max(before, after) > n:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    return cat([x.narrow(dim, n - before, before), x, x.narrow(dim, 0, after)], dim)


def cut(x, dim, before, after):
    """Cut off what a negative margin says."""
    start = max(-before, 0)
    return x.narrow(dim, start, x.shape[dim] - start - max(-after, 0)) if min(before, after) < 0 else x


EDGES = {"reflect": reflected, "replicate": replicated, "circular": wrapped_around}
