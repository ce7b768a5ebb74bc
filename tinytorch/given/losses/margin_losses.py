"""Losses of scores that should lead by a margin, made of `relu` and `softplus`, and their modules."""

import math

import numpy as np

from tinytorch.activations import logsigmoid, relu, softplus
from tinytorch.given.losses.checks import check_constant, chosen
from tinytorch.given.losses.modules import Loss, WeightedLoss
from tinytorch.given.tensor.checks import check_not_half
from tinytorch.losses import reduced
from tinytorch.tensor import wrap

__all__ = [
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "SoftMarginLoss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "soft_margin_loss",
]


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target x)) for targets of 1 and -1; where PyTorch's overflows, this is still right."""
    reduction = chosen(size_average, reduce, reduction)
    check_constant("soft_margin_loss", target=target)
    return reduced(softplus(-target * input, threshold=math.inf), reduction)


def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """How far each other class is within `margin` of the right one: sum_j max(0, margin - x_y + x_j)^p / C.

    Args:
        input: scores (N, C) or (C,).
        target: classes (N,) or (), int64.
        p: 1 or 2.
        weight: what each class counts where it is the right one, (C,).
    """
    reduction = chosen(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    x, classes = as_rows(input, "multi_margin_loss"), target.reshape(-1)
    check_long(target)
    if len(classes) != len(x):
        raise RuntimeError(
            f"multi_margin_loss: Expected target size [{len(x)}], but got {list(target.shape)}."
        )
    if weight is not None and (weight.shape != x.shape[1:] or weight.dtype != x.dtype):
        raise RuntimeError(
            f"inconsistent weight, expected {x.dtype} of size {x.shape[1]} "
            f"but got {weight.dtype} of {list(weight.shape)}"
        )
    if ((classes.array < 0) | (classes.array >= x.shape[1])).any():
        raise RuntimeError("target out of range")
    right = classes.unsqueeze(1)
    lacking = relu(margin - x.gather(1, right) + x).masked_fill(right == wrap(np.arange(x.shape[1])), 0)
    losses = (lacking if p == 1 else lacking * lacking).sum(1) / x.shape[1]
    losses = losses if weight is None else losses * weight[classes]
    return reduced(losses.reshape(target.shape), reduction)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """How far wrong classes are within 1 of right ones: sum over both of max(0, 1 - x_right + x_wrong) / C.

    Args:
        input: scores (N, C) or (C,).
        target: for each row the right classes, up to the first -1; of input's shape, int64.
    """
    reduction = chosen(size_average, reduce, reduction)
    x = as_rows(input, "multilabel_margin_loss")
    check_long(target)
    if target.shape != input.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    listed = target.array.reshape(x.shape)
    if ((listed < -1) | (listed >= x.shape[1])).any():
        raise RuntimeError("argument #2 'target' is out of range")
    kept = np.logical_and.accumulate(listed >= 0, axis=1)
    classes = np.where(kept, listed, 0)
    right = (kept[..., None] & (classes[..., None] == np.arange(x.shape[1]))).any(1)
    counts = wrap(kept[..., None] & ~right[:, None])  # (N, C listed, C)
    lacking = relu(1 - x.gather(1, wrap(classes)).unsqueeze(2) + x.unsqueeze(1))
    losses = lacking.masked_fill(~counts, 0).sum((1, 2)) / x.shape[1]
    return reduced(losses.reshape(input.shape[:-1]), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over classes of the cross-entropy of each, a question of yes or no, from scores (..., C)."""
    reduction = chosen(size_average, reduce, reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    losses = losses if weight is None else losses * weight
    return reduced(losses.sum(-1) / input.shape[-1], reduction)


def as_rows(input, name):
    """Scores as rows (N, C)."""
    if input.numel():
        check_not_half(name, input)
    if not input.is_floating_point():
        raise NotImplementedError(f"{name} is not implemented for {input.dtype}")
    if input.ndim > 2 or 0 in input.shape[-1:]:
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, "
            f"but got: {list(input.shape)}"
        )
    return input if input.ndim == 2 else input.reshape(1, -1)


def check_long(target):
    """RuntimeError unless classes are int64."""
    if target.array.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype}")


class SoftMarginLoss(Loss):
    """The mean of log(1 + exp(-target · input)), with targets 1 and -1.

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.SoftMarginLoss()(torch.tensor([0.0, 2.0]), torch.tensor([1.0, -1.0]))
    tensor(1.4100)
    """

    def forward(self, input, target):
        return soft_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(WeightedLoss):
    """The mean over samples of Σ max(0, margin - input[target] + input[i])^p / C, for i ≠ target.

    Shape: (N, C) and classes (N), or (C) and (), to a number; with `reduction="none"` to (N).

    >>> torch.nn.MultiMarginLoss()(torch.tensor([[0.25, 0.75, 0.0]]), torch.tensor([1]))
    tensor(0.2500)
    """

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.ndim != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.ndim}D")
        self.p, self.margin = p, margin

    def forward(self, input, target):
        return multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(Loss):
    """The mean over samples of Σ max(0, 1 - input[target] + input[i]) / C.

    The sum is over all targets and all i that are not targets.

    Shape: (N, C) and classes (N, C), or (C) and (C), those before the first -1, to a number; with
        `reduction="none"` to (N).

    >>> torch.nn.MultiLabelMarginLoss()(torch.tensor([[0.25, 0.75, 0.0]]), torch.tensor([[1, -1, 0]]))
    tensor(0.2500)
    """

    def forward(self, input, target):
        return multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """The mean of `BCEWithLogitsLoss` over classes, then over samples.

    Shape: logits (N, C) and targets (N, C) to a number; with `reduction="none"` to (N).

    >>> torch.nn.MultiLabelSoftMarginLoss()(torch.tensor([[0.0, 2.0]]), torch.tensor([[1.0, 1.0]]))
    tensor(0.4100)
    """

    def forward(self, input, target):
        return multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)
