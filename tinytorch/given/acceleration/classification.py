"""Kernels of cross-entropy over classes, and its mean as one operation where a program asks for that."""

import numpy as np
from numpy import float32

from tinytorch.acceleration import cross_entropy_gradient_kernel, cross_entropy_kernel, fits
from tinytorch.given.acceleration.threads import EXPONENTIAL, by_rows
from tinytorch.given.losses.checks import lookup
from tinytorch.given.losses.classes import cross_entropy
from tinytorch.given.tensor.views import Expand
from tinytorch.losses import CrossEntropy
from tinytorch.tensor import Function, Tensor

__all__ = []


def losses_fit(x, target, weight=None, ignore_index=-100, label_smoothing=0.0):
    return fits(x) and x.ndim == 2 and weight is None and not label_smoothing


def losses_forward(ctx, x, target, weight=None, ignore_index=-100, label_smoothing=0.0):
    kept, classes = lookup(target, x.shape[1], ignore_index)
    results = np.empty((3, len(x)), np.float32)
    call = lambda part: (cross_entropy_kernel, x[part], classes[part], *results[:, part])
    by_rows(call, len(x), EXPONENTIAL * x.size)
    losses, largest, sums = results
    losses[~kept] = 0
    columns = [a[:, None] for a in (kept, classes, largest, sums, np.ones(len(x), np.float32))]
    ctx.save_for_backward(x, *columns, np.zeros(x.shape[1], np.float32))
    ctx.smoothed = False
    return losses


def losses_backward(ctx, grad):
    x, kept, classes, largest, sums, *_ = ctx.saved_tensors
    grad, output = np.where(kept[:, 0], grad, float32(0)), np.empty_like(x)
    arrays = grad, x, *[a[:, 0] for a in (classes, largest, sums)], output
    call = lambda part: (cross_entropy_gradient_kernel, *[a[part] for a in arrays])
    by_rows(call, len(x), EXPONENTIAL * x.size)
    return output, None, None


class MeanCrossEntropy(Function):
    """The mean of the losses (N,) that `CrossEntropy` computes, over what is not ignored."""

    node_name = "NllLoss"

    @staticmethod
    def forward(ctx, x, target, ignore_index):
        losses = losses_forward(ctx, x, target, ignore_index=ignore_index)
        ctx.count = float32(np.count_nonzero(ctx.saved[1]))
        return losses.sum() / ctx.count

    @staticmethod
    def backward(ctx, grad):
        if isinstance(grad, Tensor):  # for second derivatives
            rows = Expand.apply(grad / float(ctx.count), shape=(len(ctx.saved[0]),))
            return CrossEntropy.backward(ctx, rows)[:2]
        return losses_backward(ctx, grad / ctx.count)[:2]


def mean(input, target, weight=None, size_average=None, ignore_index=-100, *others, **options):
    return MeanCrossEntropy.apply(input, target, ignore_index=ignore_index)


def mean_fits(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
    label_smoothing=0.0,
):  # fmt: skip
    if not (isinstance(input, Tensor) and isinstance(target, Tensor) and reduction == "mean"):
        return False
    x, classes = input.array, target.array
    plain = weight is size_average is reduce is None and label_smoothing == 0
    labels = type(classes) is np.ndarray and classes.dtype == np.int64
    return plain and labels and fits(x) and x.ndim == 2 and classes.shape == x.shape[:1]


def classification_kernels():
    """The entries of `kernel_table` for losses of classes."""
    return [
        (CrossEntropy, losses_forward, losses_backward, losses_fit),
        (cross_entropy, mean, None, mean_fits),
    ]
