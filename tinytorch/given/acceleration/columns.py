"""Kernels for a convolution's columns: `im2col` and `col2im` of module 09, a row of an image at a time."""

import numpy as np

from tinytorch import conv
from tinytorch.acceleration import fits
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.conv.image_margins import padded, unpadded, with_margin

__all__ = []


@kernel
def fill_columns(x, stride, dilation, columns):
    """columns[n, k, i, j, r, c] = x[n, k, r stride + i dilation, c stride + j dilation]"""
    N, C, kh, kw, H, W = columns.shape
    for n in range(N):
        for k in range(C):
            for i in range(kh):
                for j in range(kw):
                    for r in range(H):
                        row = x[n, k, r * stride[0] + i * dilation[0], j * dilation[1] :]
                        result = columns[n, k, i, j, r]
                        if stride[1] == 1:
                            for c in range(W):
                                result[c] = row[c]
                        else:
                            for c in range(W):
                                result[c] = row[c * stride[1]]


@kernel
def add_columns(columns, stride, dilation, x):
    """The reverse: each number of the columns is added to the pixel that it came from."""
    N, C, kh, kw, H, W = columns.shape
    for n in range(N):
        for k in range(C):
            for i in range(kh):
                for j in range(kw):
                    for r in range(H):
                        row = x[n, k, r * stride[0] + i * dilation[0], j * dilation[1] :]
                        numbers = columns[n, k, i, j, r]
                        if stride[1] == 1:
                            for c in range(W):
                                row[c] += numbers[c]
                        else:
                            for c in range(W):
                                row[c * stride[1]] += numbers[c]


def im2col_fits(x, window, columns=None):
    return fits(x) and (columns is None or fits(columns))


def im2col(x, window, columns=None):
    if columns is None:
        columns = np.empty((*x.shape[:2], *window.kernel_size, *window.places), np.float32)
    fill_columns(padded(x, window), window.stride, window.dilation, columns)
    return columns


def col2im_fits(columns, size, window):
    return fits(columns)


def col2im(columns, size, window):
    output = np.zeros((*columns.shape[:2], *with_margin(size, window)), np.float32)
    add_columns(columns, window.stride, window.dilation, output)
    return unpadded(output, size, window)


def column_kernels():
    """The entries of `kernel_table` for columns."""
    return [(conv.im2col, im2col, None, im2col_fits), (conv.col2im, col2im, None, col2im_fits)]
