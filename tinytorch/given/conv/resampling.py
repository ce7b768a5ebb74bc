"""Weighted sums of a few neighbours along a dimension: `Resample`, and the tables that it reads.

What changes the size of an image without learned weights is this, one dimension after the other: nearest
neighbours, linear and cubic interpolation, means over even pieces. A table says it: `index` and `weights`,
both (taps, size of the output).
"""

from typing import NamedTuple

import numpy as np

from tinytorch.autograd import call
from tinytorch.tensor import Function

__all__ = ["Resample", "ResampleBack", "Taps"]


class Taps(NamedTuple):
    """Which numbers each place of the output is made of, in ascending order, and how each of them counts."""

    index: np.ndarray  # (taps, places)
    weights: np.ndarray | None  # (taps, places); None: each counts once


class Resample(Function):
    """Sums of some numbers along a dimension: y[i] = Σ_k weights[k, i] x[index[k, i]]."""

    @staticmethod
    def forward(ctx, x, dim, taps):
        ctx.dim, ctx.size, ctx.taps = dim, x.shape[dim], taps
        output = None
        for index, weights in rows_of(taps, x, dim):
            seen = x.take(index, dim)
            seen = seen if weights is None else seen * weights
            output = seen if output is None else np.add(output, seen, out=output)
        return output

    @staticmethod
    def backward(ctx, grad):
        return call(ResampleBack, grad, dim=ctx.dim, size=ctx.size, taps=ctx.taps)


class ResampleBack(Function):
    """Each number given back to those that it was made of: the gradient of `Resample`."""

    @staticmethod
    def forward(ctx, grad, dim, size, taps):
        ctx.dim, ctx.taps = dim, taps
        output = np.zeros_like(grad, shape=(*grad.shape[:dim], size, *grad.shape[dim + 1 :]), order="C")
        for index, weights in rows_of(taps, grad, dim):
            part = grad if weights is None else grad * weights
            starts = np.flatnonzero(np.diff(index, prepend=-1))  # neighbours that take from the same number
            if len(starts) < len(index):
                part = np.add.reduceat(part, starts, axis=dim, dtype=part.dtype)
            output[(slice(None),) * dim + (index[starts],)] += part
        return output

    @staticmethod
    def backward(ctx, grad):
        return call(Resample, grad, dim=ctx.dim, taps=ctx.taps)


def rows_of(taps, x, dim):
    """The table's rows: an index, and weights of x's type that broadcast along the dimension."""
    shape = (-1,) + (1,) * (x.ndim - dim - 1)
    for k, index in enumerate(taps.index):
        yield index, None if taps.weights is None else taps.weights[k].reshape(shape).astype(x.dtype)


def even_pieces(size, count):
    """Where `count` even pieces of `size` numbers begin, and where they end."""
    places = np.arange(count)
    return places * size // count, -(-(places + 1) * size // count)


def means(size, count):
    """The taps that take the means of even pieces."""
    start, end = even_pieces(size, count)
    return padded_taps(start, end - start, lambda offset: 1 / (end - start))


def nearest(size, count, scale, exact, kind):
    """The taps of the nearest neighbour: the one at the start of each place, or, `exact`, at its middle."""
    places = np.arange(count, dtype=kind) + kind(exact / 2)
    index = np.minimum(np.floor(places * scale).astype(np.int64), size - 1)
    return Taps(index[None], None)


def linear(size, count, scale, align_corners, kind):
    """The taps of linear interpolation between two neighbours."""
    source = (
        source_of(count, scale, align_corners, kind).clip(min=0)
        if size != count
        else np.arange(count, dtype=kind)
    )
    left = np.minimum(source.astype(np.int64), size - 1)
    right = np.minimum(left + 1, size - 1)
    share = (source - left).clip(0, 1)
    return Taps(np.stack([left, right]), np.stack([1 - share, share]))


def cubic(size, count, scale, align_corners, kind):
    """The taps of cubic interpolation between four neighbours (Keys, 1981, with a = -3/4)."""
    source = source_of(count, scale, align_corners, kind)
    left = np.floor(source).astype(np.int64)
    share = source - left
    index = np.stack([left + offset for offset in (-1, 0, 1, 2)]).clip(0, size - 1)
    distances = np.stack([1 + share, share, 1 - share, 2 - share])
    return Taps(index, cubic_weight(distances, -0.75))


def source_of(count, scale, align_corners, kind):
    """Where the places of the output lie in the input: centre by centre, or corner to corner."""
    places = np.arange(count, dtype=kind)
    return places * scale if align_corners else scale * (places + kind(0.5)) - kind(0.5)


def smooth(size, count, scale, weight_of, reach, kind):
    """The taps of a filter that is stretched where the output is smaller, to pass no number over."""
    stretch = max(scale, kind(1))
    centre = scale * (np.arange(count, dtype=kind) + kind(0.5))
    start = (centre - reach * stretch + kind(0.5)).astype(np.int64).clip(min=0)
    end = np.minimum((centre + reach * stretch + kind(0.5)).astype(np.int64), size)
    distance = lambda offset: np.abs((start + offset - centre + kind(0.5)) / stretch)
    offsets = range((end - start).max())
    total = sum(weight_of(distance(offset)) * (start + offset < end) for offset in offsets)
    return padded_taps(start, end - start, lambda offset: weight_of(distance(offset)) / total)


def padded_taps(start, lengths, weight_at):
    """Taps of runs of several lengths: a shorter one repeats its last number, which shares its weight.

    So no number is multiplied with a zero that was not meant: zero times infinity is no number.
    """
    index, weights = [], []
    longest = int(lengths.max(initial=1))
    for offset in range(longest):
        at = np.minimum(offset, lengths - 1)
        index.append(start + at)
        weights.append(weight_at(at) / np.where(at == lengths - 1, longest - lengths + 1, 1))
    return Taps(np.stack(index), np.stack(weights))


def triangle_weight(distance):
    return (1 - distance).clip(min=0)


def cubic_weight(distance, a):
    """Keys's cubic: 1 at distance 0, 0 from distance 2 on."""
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance < 1, near, np.where(distance < 2, far, 0)).astype(distance.dtype)


def lanczos_weight(distance):
    """sinc x · sinc x/3, 0 from distance 3 on."""
    return np.where(distance < 3, np.sinc(distance) * np.sinc(distance / 3), 0).astype(distance.dtype)
