"""Images looked at through a grid of places, and the grid of an affine map, for spatial transformers.

Both are made of the tensors' own operations: which neighbours of a place count is picked by `gather`, how
much they count is computed from the grid, and so the gradient reaches both.
"""

import warnings

from tinytorch.tensor import linspace, ones, stack, where

__all__ = ["affine_grid", "grid_sample"]


def affine_grid(theta, size, align_corners=None):
    """The places in an image that an affine map sends the pixels of another to, for `grid_sample`.

    Args:
        theta: maps (N, 2, 3) of images, or (N, 3, 4) of volumes, floating point.
        size: the size of the output, (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the centres of the outermost pixels; otherwise they are their
            edges.

    Returns:
        A Tensor (N, H, W, 2) or (N, D, H, W, 3): for each pixel, x and y (and z) between -1 and 1.
    """
    align_corners = decided(align_corners, "affine_grid")
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
            f"size {size}."
        )
    places = tuple(size[2:])
    dims = len(places)
    if theta.ndim != 3 or theta.shape[1:] != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if len(theta) != size[0]:
        raise RuntimeError(f"Expected {size[0]} affine matrices for size {size} but got: {len(theta)}.")
    columns = []
    for dim, n in reversed(list(enumerate(places))):  # x, then y, then z
        line = linspace(-1, 1, n, dtype=theta.dtype) if n > 1 else theta.new_zeros(1)
        line = line if align_corners else line * ((n - 1) / n)
        columns.append(line.reshape([-1 if d == dim else 1 for d in range(dims)]).expand(places))
    grid = stack([*columns, ones(places, dtype=theta.dtype)], -1).reshape(1, -1, dims + 1)
    return (grid @ theta.transpose(1, 2)).reshape(len(theta), *places, dims)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Look at images at the places of a grid, between their pixels.

    Args:
        input: images (N, C, H, W).
        grid: (N, H', W', 2): x and y of each place, -1 being the left and the top, 1 the right and the
            bottom.
        mode: "bilinear", "nearest" or "bicubic".
        padding_mode: what is seen beyond the image: "zeros", its "border", or its "reflection".
        align_corners: whether -1 and 1 are the centres of the outermost pixels; otherwise they are their
            edges.

    Returns:
        A Tensor (N, C, H', W').
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
            f"'{mode}'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            "but got: "
            f"'{padding_mode}'"
        )
    align_corners = decided(align_corners, "grid_sample")
    check_grid(input, grid)
    options = padding_mode, align_corners
    sides = []  # for the columns, then the rows: (neighbours, weights)
    for side, n in enumerate((input.shape[3], input.shape[2])):
        place = grid[..., side].flatten(1)  # (N, H' W')
        place = (place + 1) / 2 * (n - 1) if align_corners else ((place + 1) * n - 1) / 2
        sides.append(neighbours(place, n, mode, *options))
    rows = input.flatten(2)
    output = 0
    for y, vertical in sides[1]:
        for x, horizontal in sides[0]:
            output = output + seen(rows, y, x, input.shape[2:]) * (vertical * horizontal).unsqueeze(1)
    return output.reshape(*input.shape[:2], *grid.shape[1:3])


def neighbours(place, n, mode, padding_mode, align_corners):
    """The pixels near each place along one side, and how each counts: pairs of Tensors (N, places)."""
    if mode == "bicubic":
        first = place.detach().floor()
        share = place - first
        near = lambda distance: (1.25 * distance - 2.25) * distance * distance + 1
        far = lambda distance: ((distance - 5) * distance + 8) * distance * -0.75 + 3
        weights = far(share + 1), near(share), near(1 - share), far(2 - share)
        pixels = [brought_in(first + offset, n, padding_mode, align_corners) for offset in (-1, 0, 1, 2)]
        return list(zip(pixels, weights))
    place = brought_in(place, n, padding_mode, align_corners)
    if mode == "nearest":
        nearest = place.round()  # flat, so its slope is zero
        return [(nearest, where(nearest.isfinite(), nearest * 0, 0.0) + 1)]
    first = place.detach().floor()
    return [(first, first + 1 - place), (first + 1, place - first)]


def brought_in(place, n, padding_mode, align_corners):
    """Places beyond n pixels moved to the border, or mirrored there; a place that is moved has no slope."""
    if padding_mode == "zeros":
        return place
    if padding_mode == "reflection":
        low, span = (0, n - 1) if align_corners else (-0.5, n)
        if not span:
            return place * 0
        place = where(place < low, low - place, place - low)
        turns = (place.detach() / span).floor()
        inside = place - turns * span
        place = where(turns % 2 == 0, inside, span - inside) + low
    return where((place > 0) & (place < n - 1), place, place.detach().clamp(0, n - 1).nan_to_num(0.0))


def seen(rows, y, x, size):
    """The pixels (y, x) of images as rows (N, C, H·W), and zeros beyond them: (N, C, places)."""
    height, width = size
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    index = where(inside, y.detach() * width + x.detach(), 0.0).long()
    shape = (*rows.shape[:2], index.shape[1])
    pixels = rows.gather(2, index.unsqueeze(1).expand(shape))
    return pixels.masked_fill(~inside.unsqueeze(1), 0)


def decided(align_corners, name):
    """`align_corners`, False with a warning where it was left open."""
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
            "Please specify "
            f"align_corners=True if the old behavior is desired. See the documentation of {name} for "
            "details.",
            stacklevel=3,
        )
    return bool(align_corners)


def check_grid(input, grid):
    """Refuse, in PyTorch's words, what does not go together."""
    if input.ndim == 5 and grid.ndim == 5:
        raise NotImplementedError("tinytorch has no grid_sample of volumes: images (N, C, H, W) have it")
    if input.ndim != 4 or grid.ndim != 4:
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input "
            "with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if len(input) != len(grid):
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.shape[-1] != 2:
        raise RuntimeError(
            "grid_sampler(): expected grid to have size 2 in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    if 0 in input.shape[2:]:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
            f"{list(input.shape)}"
        )
    if input.dtype != grid.dtype:
        raise RuntimeError(
            f"grid_sampler(): expected input and grid to have same dtype, but input has {input.dtype} and "
            f"grid has {grid.dtype}"
        )
