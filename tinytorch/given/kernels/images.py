"""im2col and col2im on the device, laid out as `unfold` and `fold`: (images, channels * kernel, places)."""

import numpy as np

from tinytorch.given.kernels.launch import grid_for
from tinytorch.given.kernels.simulator import cuda

__all__ = ["col2im", "im2col"]


@cuda.jit
def im2col_kernel(out, x, size, shape, kernel, stride, padding, dilation, places, out_offset, x_offset):
    """A thread for each number of the columns; neighbours take neighbouring places."""
    height, width = shape
    rows, columns = places
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        place, rest = i % (rows * columns), i // (rows * columns)
        tap, rest = rest % (kernel[0] * kernel[1]), rest // (kernel[0] * kernel[1])
        y = place // columns * stride[0] - padding[0] + tap // kernel[1] * dilation[0]
        z = place % columns * stride[1] - padding[1] + tap % kernel[1] * dilation[1]
        if 0 <= y < height and 0 <= z < width:
            out[out_offset + i] = x[x_offset + (rest * height + y) * width + z]
        else:
            out[out_offset + i] = 0


@cuda.jit
def col2im_kernel(
    dx, columns_of, size, shape, kernel, stride, padding, dilation, places, dx_offset, c_offset
):
    """A thread for each pixel, which gathers from all the places that saw it: so no additions meet."""
    height, width = shape
    rows, columns = places
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        z, rest = i % width, i // width
        y, image_channel = rest % height, rest // height
        total = np.float32(0)
        for tap in range(kernel[0] * kernel[1]):
            down = y + padding[0] - tap // kernel[1] * dilation[0]
            along = z + padding[1] - tap % kernel[1] * dilation[1]
            if down >= 0 and along >= 0 and down % stride[0] == 0 and along % stride[1] == 0:
                row, column = down // stride[0], along // stride[1]
                if row < rows and column < columns:
                    where = ((image_channel * kernel[0] * kernel[1] + tap) * rows + row) * columns + column
                    total += columns_of[c_offset + where]
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
