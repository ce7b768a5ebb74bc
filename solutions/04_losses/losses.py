# %% [markdown]
# # 04 Losses
#
# One number that says how wrong a network is, for numbers, for classes and for probabilities.

# %%
#| export
import math
import warnings

import numpy as np

from tinytorch.activations import log_softmax, softplus
from tinytorch.layers import Module
from tinytorch.tensor import Function, where, wrap


# %%
#| export
def reduced(losses, reduction, total=None):
    """Many losses as one number: their mean (over `total`, if that is not their count) or sum; or "none", as they are."""
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if reduction == "mean":
        return losses.mean() if total is None else losses.sum() / total
    raise ValueError(f"{reduction} is not a valid value for reduction")


# %%
#| export
def subtract(input, target):
    """input - target, with a warning where their shapes differ, for then the difference is seldom what was meant."""
    if input.shape != target.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )
    return input - target


def weighted(losses, weight, reduction):
    """`reduced`, where each loss counts as often as its weight says."""
    if weight is None:
        return reduced(losses, reduction)
    if weight.shape != losses.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduced(losses * weight, reduction, weight.sum())


def chosen(size_average, reduce, reduction):
    """The reduction that PyTorch's two deprecated arguments ask for, if one is given; else `reduction`."""
    if size_average is None and reduce is None:
        return reduction
    replacement = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{replacement}' instead.",
        stacklevel=3,
    )
    return replacement


# %%
#| export
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The squares of the differences."""
    difference = subtract(input, target)
    return weighted(difference * difference, weight, chosen(size_average, reduce, reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The sizes of the differences."""
    return weighted(subtract(input, target).abs(), weight, chosen(size_average, reduce, reduction))


def huber(difference, delta):
    """Half the square of a difference up to `delta`; beyond, the straight line that continues it."""
    size = difference.abs()
    inside = size.clamp(max=delta)
    return inside * (size - 0.5 * inside)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Squares of small differences, sizes of large ones; see `huber`."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    losses = huber(subtract(input, target), delta)
    return reduced(losses if weight is None else losses * weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """`huber_loss` divided by `beta`, so that its slope beyond is 1; `l1_loss` where `beta` is 0."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    difference = subtract(input, target)
    losses = huber(difference, beta) / beta if beta else difference.abs()
    return reduced(losses, chosen(size_average, reduce, reduction))


# %%
#| export
def check_classes(input, target, weight):
    """Refuse, in PyTorch's words, targets that are not one class for each position of the input."""
    if input.array.dtype.kind != "f":
        raise NotImplementedError(f"nll_loss is not implemented for {input.dtype}")
    if input.ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if target.array.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected scalar type Long but found {target.dtype}")
    classes = input.shape[min(1, input.ndim - 1)]
    wanted = input.shape[:1] + input.shape[2:] if input.ndim > 1 else ()
    if input.ndim > 1 and target.shape[:1] != wanted[:1]:
        batch = target.shape[0] if target.ndim else 0
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch}).")
    if target.shape != wanted:
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}")
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype} but found {weight.dtype}")


def lookup(target, classes, ignore_index):
    """Which targets count, and all targets as classes that can be looked up: 0 where they are to be ignored."""
    kept = target != ignore_index
    target = np.where(kept, target, 0).astype(np.int64)
    if target.size and not 0 <= target.min() <= target.max() < classes:
        raise IndexError(f"Target {target[(target < 0) | (target >= classes)][0]} is out of bounds.")
    return kept, target


# %%
#| export
def nll_loss(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
):
    """The negative logarithms of the probabilities that the right classes were given."""
    check_classes(input, target, weight)
    dim = min(1, input.ndim - 1)
    kept, classes = lookup(target.array, input.shape[dim], ignore_index)
    weights = kept if weight is None else weight.array[classes] * kept
    losses = -input.gather(dim, wrap(np.expand_dims(classes, dim))).squeeze(dim) * wrap(weights)
    losses = losses.masked_fill(wrap(~kept), 0)  # though 0 times infinity is no number
    return reduced(losses, chosen(size_average, reduce, reduction), weights.sum())


# %%
#| export
def row_losses(x, classes):
    """Cross-entropy of each row of logits, stably: log(sum(exp(x))) less the logit of the row's class.

    Args:
        x: logits (N, C, ...).
        classes: int64 array (N, 1, ...).

    Returns:
        The losses, the largest logits, and the sums of exp(x - largest): each an array (N, 1, ...).
    """
    largest = x.max(axis=1, keepdims=True)
    shifted = x - largest  # (N, C, ...)
    picked = np.take_along_axis(shifted, classes, axis=1)
    sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
    return np.log(sums) - picked, largest, sums


def blocks(x):
    """Slices of the first dimension, each of as many rows as a processor's cache holds: 2^16 elements."""
    rows = max(1, len(x) * 2**16 // max(x.size, 1))
    return [slice(start, start + rows) for start in range(0, len(x), rows)]


class CrossEntropy(Function):
    @staticmethod
    def forward(ctx, x, target, weight=None, ignore_index=-100, label_smoothing=0.0):
        """-log softmax(x) of the class at each position, block by block, so that no array of x's size is made.

        Args:
            x: logits (N, C, ...).
            target: int64 array (N, ...).
            weight: what each class counts, (C,), or None.
            label_smoothing: the share of the target that all classes get alike.

        Returns:
            The losses (N, ...), 0 where the target is `ignore_index`.
        """
        kept, classes = lookup(target, x.shape[1], ignore_index)
        ctx.save_for_backward(x)
        ctx.kept, ctx.classes = kept[:, None], classes[:, None]  # (N, 1, ...)
        losses, ctx.largest, ctx.sums = np.empty((3, *ctx.kept.shape), x.dtype)
        for rows in blocks(x):
            losses[rows], ctx.largest[rows], ctx.sums[rows] = row_losses(x[rows], ctx.classes[rows])
        weight = np.ones(x.shape[1], x.dtype) if weight is None else weight
        ctx.at_class = (1 - label_smoothing) * weight[ctx.classes]  # (N, 1, ...)
        ctx.everywhere = (label_smoothing / x.shape[1] if label_smoothing else 0) * weight  # (C,)
        losses *= ctx.at_class
        if label_smoothing:
            mean_logits = np.moveaxis(x, 1, -1) @ ctx.everywhere  # (N, ...)
            losses += ctx.everywhere.sum() * (ctx.largest + np.log(ctx.sums)) - mean_logits[:, None]
        losses[~ctx.kept] = 0
        return losses[:, 0]


def cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    """-log softmax of the right class; of logits and class indices, or of logits and probabilities."""
    reduction = chosen(size_average, reduce, reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if input.shape == target.shape:
        return soft_cross_entropy(input, target, weight, reduction, label_smoothing)
    check_classes(input, target, weight)
    x, classes = (input.unsqueeze(0), target.unsqueeze(0)) if input.ndim == 1 else (input, target)
    losses = CrossEntropy.apply(
        x, classes, weight, ignore_index=ignore_index, label_smoothing=label_smoothing
    )
    kept, classes = lookup(target.array, x.shape[1], ignore_index)
    total = kept.sum() if weight is None else (weight.array[classes] * kept).sum()
    return reduced(losses.reshape(target.shape), reduction, total)


def soft_cross_entropy(input, target, weight, reduction, label_smoothing):
    """Cross-entropy where the target gives a probability to each class."""
    if target.array.dtype.kind != "f":
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {target.dtype}")
    dim = min(1, input.ndim - 1)
    count = input.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / count
    if weight is not None:
        target = target * weight.reshape([-1 if d == dim else 1 for d in range(input.ndim)])
    losses = -(log_softmax(input, dim) * target).sum(dim)
    return reduced(losses, reduction, losses.numel())


# %%
#| export
class BinaryCrossEntropy(Function):
    @staticmethod
    def forward(ctx, x, target):
        """-(y log x + (1 - y) log(1 - x)), each logarithm at least -100."""
        ctx.save_for_backward(x, target)
        with np.errstate(divide="ignore"):  # log(0) is -inf, and then -100
            return (target - 1) * np.maximum(np.log1p(-x), -100) - target * np.maximum(np.log(x), -100)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The cross-entropy of two classes, of probabilities between 0 and 1."""
    reduction = chosen(size_average, reduce, reduction)
    same_size(input, target)
    if input.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {target.dtype} but expected {input.dtype}")
    if not ((input.array >= 0) & (input.array <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    losses = BinaryCrossEntropy.apply(input, target)
    return reduced(losses if weight is None else losses * weight.expand(input.shape), reduction)


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """The cross-entropy of two classes, of logits: (1 - y) x + log(1 + exp(-x)), stably."""
    reduction = chosen(size_average, reduce, reduction)
    same_size(input, target)
    log_weight = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    losses = (1 - target) * input + log_weight * softplus(-input, threshold=math.inf)
    return reduced(losses if weight is None else losses * weight, reduction)


def same_size(input, target):
    """ValueError unless input and target have one shape."""
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target (log target - input): what is lost where `input`, log-probabilities, stands for `target`, probabilities."""
    reduction = chosen(size_average, reduce, reduction)
    if log_target:
        losses = target.exp() * (target - input)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 log 0 is 0
            losses = where(target == 0, 0.0, target * target.log()) - target * input
    if reduction == "batchmean":
        return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
    return reduced(losses, reduction)


# %%
#| export
class Loss(Module):
    """A loss as a module, with its reduction."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = chosen(size_average, reduce, reduction)


class WeightedLoss(Loss):
    """A loss with a weight for each class, kept as a buffer."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class MSELoss(Loss):
    """`mse_loss` as a module."""

    def forward(self, input, target):
        return mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """`l1_loss` as a module."""

    def forward(self, input, target):
        return l1_loss(input, target, reduction=self.reduction)


class HuberLoss(Loss):
    """`huber_loss` as a module."""

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        return huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(Loss):
    """`smooth_l1_loss` as a module."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        return smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class CrossEntropyLoss(WeightedLoss):
    """`cross_entropy` as a module."""

    def __init__(
        self,
        weight=None,
        size_average=None,
        ignore_index=-100,
        reduce=None,
        reduction="mean",
        label_smoothing=0.0,
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        return cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(WeightedLoss):
    """`nll_loss` as a module."""

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class BCELoss(WeightedLoss):
    """`binary_cross_entropy` as a module."""

    def forward(self, input, target):
        return binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """`binary_cross_entropy_with_logits` as a module."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


class KLDivLoss(Loss):
    """`kl_div` as a module."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return kl_div(input, target, reduction=self.reduction, log_target=self.log_target)
