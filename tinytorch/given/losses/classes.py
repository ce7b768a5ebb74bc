"""Cross-entropy with its options, for targets that are classes (`CrossEntropy`) or probabilities."""

import numpy as np

from tinytorch.given.losses.checks import check_classes, chosen
from tinytorch.given.tensor.arrays import on_host
from tinytorch.losses import CrossEntropy, reduced, soft_cross_entropy
from tinytorch.tensor import in_float32, wrap

__all__ = ["cross_entropy"]


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
    """-log softmax of the right class, from raw scores, averaged over what all positions count together.

    Args:
        input: scores (N, C), (C,), or (N, C, d1, ...), a floating-point Tensor.
        target: the right classes (N,), (), (N, d1, ...), or a probability for each class, of input's shape.

    >>> from tinytorch import tensor
    >>> cross_entropy(tensor([[2.0, 0.0], [0.0, 0.0]]), tensor([0, 1]), reduction="none")
    tensor([0.1269, 0.6931])
    """
    reduction = chosen(size_average, reduce, reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if input.shape == target.shape:
        if not target.is_floating_point():
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {target.dtype}"
            )
        return soft_cross_entropy(input, target, weight, reduction, label_smoothing)
    target = check_classes(input, target, weight)
    x, classes = (input.unsqueeze(0), target.unsqueeze(0)) if input.ndim == 1 else (input, target)
    losses = in_float32(
        CrossEntropy, x, classes, weight, ignore_index=ignore_index, label_smoothing=label_smoothing
    )
    total = counted(target.array, weight, ignore_index) if reduction == "mean" else None
    if losses.shape != target.shape:
        losses = losses.reshape(target.shape)
    return reduced(losses, reduction, total)


def counted(target, weight, ignore_index):
    """What the targets that are kept count together: a number, or on a device a Tensor without a wait.

    None where that is their number.
    """
    kept = target != ignore_index
    if weight is not None:
        total = (weight.array[np.where(kept, target, 0)] * kept).sum()
    elif on_host(target) and kept.all():
        return None
    else:
        total = kept.sum()
    return total.item() if on_host(total) else wrap(total)
