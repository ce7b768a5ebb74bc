"""What all losses check: shapes, types, classes, and two arguments that PyTorch had before `reduction`.

None of it needs an operation of the learner's; the losses of the lesson and of this folder begin with these.
"""

import warnings

import numpy as np

from tinytorch.given.tensor.arrays import on_host
from tinytorch.tensor import broadcast_tensors, grad_mode

__all__ = ["check_classes", "check_constant", "chosen", "lookup", "same_size", "subtract"]


def subtract(input, target):
    """input - target, with a warning where their shapes differ, for then it is seldom what was meant."""
    if input.shape != target.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). "
            "This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )
        input, target = broadcast_tensors(input, target)
    return input - target


def same_size(input, target):
    """ValueError unless input and target have one shape."""
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")


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


def check_classes(input, target, weight):
    """The targets, one class for each position of the input; an error if they, or the weights, do not fit."""
    if input.array.dtype.kind != "f":
        raise NotImplementedError(f"nll_loss is not implemented for {input.dtype}")
    if input.ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if target.array.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected scalar type Long but found {target.dtype}")
    classes = input.shape[min(1, input.ndim - 1)]
    wanted = input.shape[:1] + input.shape[2:] if input.ndim > 1 else ()
    if target.shape[:1] != wanted[:1] and input.ndim > 1:
        raise ValueError(
            f"Expected input batch_size {wanted[:1]} to match target batch_size {target.shape[:1]}."
        )
    if input.ndim == 1 and target.shape == (1,):  # the class of one input
        if input.requires_grad and grad_mode.enabled:  # PyTorch computes it, and refuses the way back
            raise RuntimeError(f"size mismatch (got input: {list(input.shape)}, target: [1])")
        target = target.reshape(())
    if target.shape != wanted:
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}")
    if weight is not None and (weight.shape != (classes,) or weight.dtype != input.dtype):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes, "
            f"in type {input.dtype}, "
            f"but got weight tensor of shape {list(weight.shape)} and type {weight.dtype}"
        )
    return target


def check_constant(name, **tensors):
    """RuntimeError for an argument that requires a gradient and has none."""
    for argument, tensor in tensors.items():
        if tensor is not None and tensor.requires_grad and grad_mode.enabled:
            raise RuntimeError(
                f"The function '{name}' is not differentiable with respect to argument '{argument}'. This "
                "input cannot have requires_grad True."
            )


def lookup(target, count, ignore_index):
    """Which targets are kept, and all of them as classes below `count`, 0 for ignored ones: two arrays."""
    kept = target != ignore_index
    classes = np.where(kept, target, 0).astype(np.int64, copy=False)
    if on_host(classes) and classes.size and classes.view(np.uint64).max() >= count:  # or negative
        raise IndexError(f"Target {classes[(classes < 0) | (classes >= count)][0]} is out of bounds.")
    return kept, classes
