"""`interpolate` and its layers: images made larger or smaller, one dimension after the other."""

import math
import operator
import warnings
from numbers import Integral

import numpy as np

from tinytorch.given.conv import resampling
from tinytorch.given.conv.adaptive_pooling import adaptive_avg_pool
from tinytorch.given.conv.resampling import Resample
from tinytorch.given.tensor.checks import check_not_half
from tinytorch.layers import Module
from tinytorch.tensor import in_float32

__all__ = [
    "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "interpolate", "upsample",
    "upsample_bilinear", "upsample_nearest",
]  # fmt: skip

NEAREST = ("nearest", "area", "nearest-exact")
MODES = {
    3: ("linear",),
    4: ("bilinear", "bicubic", "lanczos"),
    5: ("trilinear",),
}  # by dimensions of the input
SMOOTH = {  # a filter's weight by distance, and how far it reaches
    "bilinear": (resampling.triangle_weight, 1),
    "bicubic": (lambda distance: resampling.cubic_weight(distance, -0.5), 2),
    "lanczos": (resampling.lanczos_weight, 3),
}


def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
    antialias=False,
):  # fmt: skip
    """Make images, sequences or volumes larger or smaller.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: the size of the output, an integer or one for each dimension after the channels.
        scale_factor: in place of `size`, how many times as large the output is, a number or one for each
            dimension.
        mode: "nearest" or "nearest-exact"; "linear", "bilinear" or "trilinear", by the dimensions of the
            input; "bicubic"; "lanczos", with `antialias`; "area", which takes means.
        align_corners: whether the first and the last number of the input keep their places; otherwise its
            edges do.
        recompute_scale_factor: whether the scale is that of the two sizes, and not the one that was given.
        antialias: whether a smaller image is made of all pixels, and not of those nearby ("bilinear",
            "bicubic").

    >>> interpolate(tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear")
    tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    if mode in NEAREST and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
            "| trilinear"
        )
    sizes, scales = output_sizes(input, size, scale_factor, mode, recompute_scale_factor)
    check_interpolation(input, mode, align_corners, antialias)
    if mode == "area":
        return adaptive_avg_pool(f"adaptive_avg_pool{len(sizes)}d", input, sizes)
    if not all(isinstance(n, Integral) for n in sizes):
        raise TypeError(f"interpolate(): the size is made of integers, not {sizes}")
    if min(*sizes, *input.shape[2:]) <= 0:
        raise RuntimeError(
            "Input and output sizes should be greater than 0, "
            f"but got input {list(input.shape[2:])} output {list(sizes)}"
        )
    if not input.shape[1]:
        raise RuntimeError(
            f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {list(input.shape)}"
        )
    if antialias:
        check_not_half("compute_index_ranges_weights", input)
    output = input.clone() if sizes == list(input.shape[2:]) else input
    for dim in reversed(range(2, input.ndim)):
        same = sizes[dim - 2] == input.shape[dim]
        if same and (antialias or (mode == "nearest" and input.ndim == 4)):  # whatever the scale factor was
            continue
        taps = taps_for(input, dim, sizes[dim - 2], scales[dim - 2], mode, align_corners, antialias)
        output = in_float32(Resample, output, dim=dim, taps=taps)
    return output


def output_sizes(input, size, scale_factor, mode, recompute_scale_factor):
    """The size of the output, and the scale factor of each dimension, None where the sizes say it."""
    dims = input.ndim - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = size if scale_factor is None else scale_factor
    numbers = list(given) if isinstance(given, (list, tuple)) else [given] * dims
    if len(numbers) != dims:
        name = "output size" if scale_factor is None else "scale_factor"
        raise ValueError(
            f"Input and {name} must have the same number of spatial dimensions, but got input with spatial "
            "dimensions "
            f"of {list(input.shape[2:])} and {name} of {given}."
        )
    if scale_factor is None:
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return [operator.index(n) for n in numbers], [None] * dims
    if not all(isinstance(factor, (int, float, np.number)) for factor in numbers):
        raise TypeError(f"interpolate(): scale_factor is made of numbers, not {scale_factor}")
    sizes = [math.floor(n * factor) for n, factor in zip(input.shape[2:], numbers)]
    recompute = recompute_scale_factor or mode == "area"
    return sizes, [None] * dims if recompute else numbers


def check_interpolation(input, mode, align_corners, antialias):
    """Refuse, in PyTorch's words, a mode that is not for this input."""
    if antialias and (mode not in SMOOTH or input.ndim != 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
            "tensor as input"
        )
    if input.ndim not in MODES or mode not in (*NEAREST, *MODES[input.ndim]):
        raise NotImplementedError(
            "Input Error: Only 3D, 4D and 5D input Tensors supported "
            f"(got {input.ndim}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | "
            "lanczos | area | "
            f"nearest-exact (got {mode})"
        )
    if mode == "lanczos" and (align_corners or not antialias):
        raise ValueError("Lanczos mode requires antialias=True, and does not support align_corners=True")
    if not input.is_floating_point() and not (mode.startswith("nearest") and input.array.dtype == np.uint8):
        raise NotImplementedError(f"\"interpolate\" with mode '{mode}' not implemented for '{input.dtype}'")


def taps_for(input, dim, count, factor, mode, align_corners, antialias):
    """The taps that change the size of one dimension; places are computed in PyTorch's precision."""
    size = input.shape[dim]
    kind = np.float64 if input.array.dtype == np.float64 and not mode.startswith("nearest") else np.float32
    if align_corners:
        scale = kind(size - 1) / kind(count - 1) if count > 1 else kind(0)
    else:
        scale = kind(1 / factor) if factor else kind(size) / kind(count)
    if mode.startswith("nearest"):
        return resampling.nearest(size, count, scale, mode == "nearest-exact", kind)
    if antialias:
        return resampling.smooth(size, count, scale, *SMOOTH[mode], kind)
    taps = resampling.cubic if mode == "bicubic" else resampling.linear
    return taps(size, count, scale, align_corners, kind)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of `interpolate`."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """The old name of `interpolate` with nearest neighbours."""
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """The old name of `interpolate` with mode "bilinear" and aligned corners."""
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


class Upsample(Module):
    """Images, sequences or volumes made larger; see `interpolate`.

    Shape: (N, C, L), (N, C, H, W) or (N, C, D, H, W) to the same with `size`, or with `scale_factor` times
        theirs, rounded down.

    >>> Upsample(scale_factor=2)(zeros(1, 3, 4, 4)).shape
    torch.Size([1, 3, 8, 8])
    """

    def __init__(
        self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
    ):
        super().__init__()
        self.name, self.size, self.mode, self.align_corners = type(self).__name__, size, mode, align_corners
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple([float(factor) for factor in scale_factor])
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        options = self.mode, self.align_corners, self.recompute_scale_factor
        return interpolate(input, self.size, self.scale_factor, *options)

    def extra_repr(self):
        given = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{given}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images made larger by their nearest neighbours.

    Shape: (N, C, H, W) to (N, C, H', W').

    >>> torch.nn.UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images made larger by bilinear interpolation, with their corners in place.

    Shape: (N, C, H, W) to (N, C, H', W').

    >>> torch.nn.UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
