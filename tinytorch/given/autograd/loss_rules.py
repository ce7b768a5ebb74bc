"""The gradients of the two losses of module 04 that are separate operations."""

import numpy as np

from tinytorch.activations import Softmax
from tinytorch.autograd import call, gradient
from tinytorch.given.tensor.arrays import zeros_beside
from tinytorch.losses import BinaryCrossEntropy, CrossEntropy, blocks
from tinytorch.tensor import Tensor, Where

__all__ = ["binary_cross_entropy_backward", "cross_entropy_backward"]


@gradient(CrossEntropy)
def cross_entropy_backward(ctx, grad):
    """Softmax minus the target, written block by block into the one array that is returned."""
    x, kept, classes, largest, sums, at_class, everywhere = ctx.saved_tensors
    grad = call(Where, kept, grad[:, None], 0.0)  # (N, 1, ...)
    every = np.expand_dims(everywhere, tuple(range(1, x.ndim - 1)))  # (C, 1...)
    share = at_class + everywhere.sum()  # of each position's target, all classes together
    if isinstance(grad, Tensor):
        wanted = zeros_beside(at_class, x.shape) + every
        np.put_along_axis(wanted, classes, np.take_along_axis(wanted, classes, 1) + at_class, 1)
        return grad * (share * call(Softmax, x, dim=1) - wanted), None, None
    output = np.empty_like(x, order="C")
    scale, taken = grad * share / sums, grad * at_class
    for rows in blocks(x):
        block, right = output[rows], classes[rows]
        np.exp(np.subtract(x[rows], largest[rows], out=block), out=block)
        block *= scale[rows]
        np.put_along_axis(block, right, np.take_along_axis(block, right, 1) - taken[rows], 1)
        if ctx.smoothed:
            block -= grad[rows] * every
    return output, None, None


@gradient(BinaryCrossEntropy)
def binary_cross_entropy_backward(ctx, grad):
    x, target = ctx.saved_tensors
    grad_target = None
    if ctx.needs_input_grad[1]:
        grad_target = grad * (np.log1p(-x) - np.log(x))
    return grad * (x - target) / np.maximum(x * (1 - x), 1e-12), grad_target
