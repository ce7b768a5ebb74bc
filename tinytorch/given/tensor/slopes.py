"""Differences between neighbours as slopes, and histograms in several dimensions."""

from numbers import Integral

import numpy as np

from tinytorch.given.tensor.checks import axis_of, check_not_half
from tinytorch.given.tensor.rearranging import cat
from tinytorch.given.tensor.return_types import structure
from tinytorch.tensor import Tensor, tensor, wrap

__all__ = ["gradient", "histogramdd"]

Histogram = structure("histogramdd", "hist", "bin_edges")


def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """Estimate the slope along each dimension of `dim`, or all: a tuple of tensors.

    Args:
        spacing: the distance of neighbours, one for each dimension, or the coordinates of each, as tensors.
        edge_order: 1 for a difference of two elements at the edges, 2 for one of three.

    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),)
    """
    dims = range(input.ndim) if dim is None else [dim] if isinstance(dim, Integral) else dim
    dims = [axis_of(d, input.ndim) for d in dims]
    steps = list(spacing) if isinstance(spacing, list | tuple) else [1.0 if spacing is None else spacing]
    steps = steps * len(dims) if not isinstance(spacing, list | tuple) else steps
    if len(steps) != len(dims):
        asked = f"'self.dim() = {input.ndim}', since dim argument was not given" if dim is None else "'dim'"
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
            f"{asked}, but got a list of length {len(steps)}"
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if any(input.shape[d] < edge_order + 1 for d in dims):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([slopes(input, d, step, edge_order) for d, step in zip(dims, steps)])


def slopes(x, dim, step, edge_order):
    """The slopes along one dimension: inside by both neighbours, at the edges by two or three elements."""
    x = x.movedim(dim, -1)
    x = x if x.is_floating_point() else x.to(tensor(0.0).dtype)
    uneven = isinstance(step, Tensor) and step.ndim
    widths = step.diff() if uneven else tensor(float(step), dtype=x.dtype).expand(x.shape[-1] - 1)
    before, after = widths[:-1], widths[1:]
    if uneven:
        whole, middle = before + after, (after - before) / (before * after)
        inside = -after / (before * whole) * x[..., :-2] + middle * x[..., 1:-1]
        inside = inside + before / (after * whole) * x[..., 2:]
    else:
        inside = (x[..., 2:] - x[..., :-2]) / (before + after)
    edges = [(x[..., n + 1] - x[..., n]) / widths[n] for n in (0, x.shape[-1] - 2)]
    if edge_order == 2:
        edges = [edge(x[..., :3], widths[0], widths[1]), edge(x.flip(-1)[..., :3], -widths[-1], -widths[-2])]
    first, last = (one.unsqueeze(-1) for one in edges)
    return cat([first, inside, last], -1).movedim(-1, dim)


def edge(x, near, far):
    """The slope of the parabola through three elements, at the first of them."""
    whole = near + far
    first, second, third = -(whole + near) / (near * whole), whole / (near * far), -near / (far * whole)
    return first * x[..., 0] + second * x[..., 1] + third * x[..., 2]


def histogramdd(input, bins, range=None, weight=None, density=False):
    """Count the points that the last dimension holds the coordinates of, in bins along each of them.

    Args:
        bins: how many for all coordinates or for each one, or the edges of each, as tensors.
        range: the lowest and the highest edge of each coordinate in turn; the data's by default.

    >>> torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), bins=2).hist
    tensor([[0., 1.],
            [1., 1.]])
    """
    if range is None and not isinstance(bins, list | tuple):
        check_not_half("histogramdd", input)
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    count = input.shape[-1]
    if not isinstance(bins, Integral):
        if len(bins) != count:
            raise RuntimeError(
                "histogramdd: The size of bins must be equal to the innermost dimension of the input."
            )
        bins = [one.array if isinstance(one, Tensor) else one for one in bins]
    points = input.array.reshape(-1, count)
    weights = None if weight is None else weight.array.reshape(-1)
    pairs = None if range is None else np.reshape(range, (count, 2))
    hist, edges = np.histogramdd(points, bins, pairs, density, weights)
    kind = input.array.dtype
    return Histogram(wrap(hist.astype(kind)), tuple([wrap(one.astype(kind)) for one in edges]))
