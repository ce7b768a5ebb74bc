"""im2col and col2im on the device, laid out as `unfold` and `fold`: (images, channels * kernel, places)."""

import numpy as np

from tinytorch.given.kernels.division import divided
from tinytorch.given.kernels.launch import grid_for
from tinytorch.given.kernels.simulator import cuda

__all__ = ["col2im", "im2col"]


@cuda.jit
def im2col_kernel(out, x, size, shape, kernel, stride, padding, dilation, places, out_offset, x_offset):
    """A thread for each number of the columns; neighbours take neighbouring places."""
    height, width = shape
    rows, columns = places
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        rest, column = divided(i, columns)
        rest, row = divided(rest, rows)
        rest, across = divided(rest, kernel[1])
        rest, down = divided(rest, kernel[0])
        y = row * stride[0] - padding[0] + down * dilation[0]
        z = column * stride[1] - padding[1] + across * dilation[1]
        if 0 <= y < height and 0 <= z < width:
            out[out_offset + i] = x[x_offset + (rest * height + y) * width + z]
        else:
            out[out_offset + i] = 0


@cuda.jit
def col2im_kernel(
    dx, columns_of, size, shape, kernel, stride, padding, dilation, places, dx_offset, c_offset
):
    """A thread for each pixel, which gathers from all the places that saw it: so no additions meet.

    With the next tap a pixel is `dilation` further back in the window: row and `odd`, quotient and remainder
    by the stride, follow without a division. The window stood there where odd is 0.
    """
    height, width = shape
    rows, columns = places
    (step, less), (step_across, less_across) = (
        divided(dilation[0], stride[0]),
        divided(dilation[1], stride[1]),
    )
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        rest, z = divided(i, width)
        image_channel, y = divided(rest, height)
        total, tap = np.float32(0), image_channel * kernel[0] * kernel[1]
        row, odd = divided(y + padding[0], stride[0])
        for _ in range(kernel[0]):
            column, odd_across = divided(z + padding[1], stride[1])
            for _ in range(kernel[1]):
                if odd == 0 and odd_across == 0 and 0 <= row < rows and 0 <= column < columns:
                    total += columns_of[c_offset + (tap * rows + row) * columns + column]
                tap, column, odd_across = tap + 1, column - step_across, odd_across - less_across
                if odd_across < 0:
                    column, odd_across = column - 1, odd_across + stride[1]
            row, odd = row - step, odd - less
            if odd < 0:
                row, odd = row - 1, odd + stride[0]
        dx[dx_offset + i] = total


def places_of(height, width, kernel, stride, padding, dilation):
    """How many rows and columns of places the window takes."""
    sizes = zip((height, width), kernel, stride, padding, dilation)
    return tuple((size + 2 * p - d * (k - 1) - 1) // s + 1 for size, k, s, p, d in sizes)


def im2col(
    out,
    x,
    images,
    channels,
    height,
    width,
    kernel,
    stride,
    padding,
    dilation,
    out_offset=0,
    x_offset=0,
    stream=0,
):
    """Write down all that the window sees in x: out (images, channels * kh * kw, places)."""
    rows, columns = places_of(height, width, kernel, stride, padding, dilation)
    size = images * channels * kernel[0] * kernel[1] * rows * columns
    if size:
        window = tuple(kernel), tuple(stride), tuple(padding), tuple(dilation), (rows, columns)
        shape = height, width
        im2col_kernel[*grid_for(size), stream](out, x, size, shape, *window, out_offset, x_offset)


def col2im(
    dx, columns, images, channels, height, width, kernel, stride, padding, dilation,
    dx_offset=0, columns_offset=0, stream=0,
):  # fmt: skip
    """Add the columns up where they came from: dx (images, channels, height, width) is overwritten."""
    size = images * channels * height * width
    if size:
        places = places_of(height, width, kernel, stride, padding, dilation)
        window = tuple(kernel), tuple(stride), tuple(padding), tuple(dilation), places
        shape = height, width
        col2im_kernel[*grid_for(size), stream](dx, columns, size, shape, *window, dx_offset, columns_offset)
