"""Matrix products on the threads that kernels use, with BLAS on one.

BLAS has threads of its own, which wait for their next product actively, for some 25 milliseconds: kernels
that come in between would share their cores with them. So products of layers and of attention are cut here.
"""

import functools
import math
import threading

import numpy as np

from tinytorch.backends._switches import blas, kernel_threads
from tinytorch.given.acceleration.threads import by_rows
from tinytorch.given.layers.checks import check_linear
from tinytorch.layers import Affine

__all__ = []

SPEED = 30  # multiplications and additions in a nanosecond, more or less
FEW = 2**18  # of these: for fewer BLAS takes one thread by itself


def product(left, right, out=None, bias=None):
    """left @ right of float32 arrays with two dimensions or more, in `out` or in new memory, in C order.

    A bias, of one number or of one for each column, is added by each thread to its part.

    >>> product(np.float32([[1, 2]]), np.float32([[3], [4]]))
    array([[11.]], dtype=float32)
    """
    batch = () if left.ndim == right.ndim == 2 else np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    height, inner, width = *left.shape[-2:], right.shape[-1]
    size = math.prod(batch) * height * inner * width
    out = np.empty((*batch, height, width), np.float32) if out is None else out
    if size < FEW or kernel_threads() == 1 or not libraries():
        return multiplied(left, right, out, bias)
    if batch and batch[0] > 1:
        rows, left, right = batch[0], *(stretched(x, batch) for x in (left, right))
        call = lambda part: (multiplied, left[part], right[part], out[part], bias)
    elif height >= width:
        rows = height
        call = lambda part: (multiplied, left[..., part, :], right, out[..., part, :], bias)
    else:
        bias_of = lambda part: bias[part] if np.size(bias) == width else bias
        rows = width
        call = lambda part: (multiplied, left, right[..., part], out[..., part], bias_of(part))
    with one_thread:
        by_rows(call, rows, size / SPEED)
    return out


def stretched(x, batch):
    return x if x.shape[:-2] == batch else np.broadcast_to(x, batch + x.shape[-2:])


def multiplied(left, right, out, bias):
    np.matmul(left, right, out=out)
    if bias is not None:
        out += bias
    return out


@functools.cache
def libraries():
    """What NumPy's products run on, where its threads can be counted: not so for Apple's."""
    return blas().lib_controllers


class OneThread:
    """While anyone is in its `with` block BLAS uses one thread; then as many as before."""

    def __init__(self):
        self.lock, self.inside, self.before = threading.Lock(), 0, []

    def __enter__(self):
        with self.lock:
            if not self.inside:
                self.before = [library.num_threads for library in libraries()]
                self.set([1] * len(self.before))
            self.inside += 1

    def __exit__(self, *error):
        with self.lock:
            self.inside -= 1
            if not self.inside:
                self.set(self.before)

    def set(self, counts):
        for library, count in zip(libraries(), counts):
            library.set_num_threads(count)


one_thread = OneThread()


def affine_fits(x, weight, bias=None):
    taken = type(x) is type(weight) is np.ndarray and x.dtype == weight.dtype == np.float32
    return taken and weight.ndim == 2 and (bias is None or np.ndim(bias) < 2)


def affine_forward(ctx, x, weight, bias=None):
    check_linear(x, weight, bias)
    ctx.save_for_backward(x, weight)
    output = product(x.reshape(math.prod(x.shape[:-1]), x.shape[-1]), weight.T, bias=bias)
    return output.reshape(x.shape[:-1] + weight.shape[:-1])


def affine_backward(ctx, grad):
    x, weight = ctx.saved_tensors
    need_x, need_weight, need_bias = ctx.needs_input_grad
    grad, rows = grad.reshape(-1, len(weight)), x.reshape(-1, x.shape[-1])
    return (
        product(grad, weight).reshape(x.shape) if need_x else None,
        product(grad.T, rows) if need_weight else None,
        grad.sum(axis=0) if need_bias else None,
    )


def matrix_kernels():
    """The entry of `kernel_table` for layers."""
    return [(Affine, affine_forward, affine_backward, affine_fits)]
