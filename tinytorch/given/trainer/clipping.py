"""PyTorch's functions for clipping: `norm_of` and `scale_gradients` over the gradients of parameters."""

import math
import types
import warnings

import numpy as np

from tinytorch.given.tensor.arrays import widened
from tinytorch.tensor import Tensor, changed, tensor, wrap
from tinytorch.trainer import norm_of, scale_gradients

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "gradients_of",
]


def gradients_of(parameters):
    """The gradients of one tensor or of several, those that have one."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of several tensors taken as one vector: a 0-d tensor."""
    tensors, norm_type = [tensors] if isinstance(tensors, Tensor) else list(tensors), float(norm_type)
    if not tensors:
        return tensor(0.0)
    norm = norm_of([widened(t.array) for t in tensors], norm_type)
    if error_if_nonfinite and not math.isfinite(norm):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm "
            "anyway, set `error_if_nonfinite=False`"
        )
    return wrap(np.array(norm, np.result_type(*[t.array.dtype for t in tensors])))


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients whose norm is `total_norm`, so that it is at most `max_norm`."""
    arrays = [grad.array for grad in gradients_of(parameters)]
    scale_gradients(arrays, float(max_norm), float(total_norm))
    for array in arrays:
        changed(array)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale the gradients of all parameters together, in place, so that their norm is at most `max_norm`.

    Returns:
        The norm that they had before: a 0-d tensor.

    Raises:
        RuntimeError: if the norm is not finite and `error_if_nonfinite` asks for an error; nothing has been
            changed.
    """
    is_generator = isinstance(parameters, types.GeneratorType)
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if is_generator and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    total_norm = get_total_norm(gradients_of(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total_norm)
    return total_norm


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """`clip_grad_norm_` under its old name."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Bring every element of every gradient into [-clip_value, clip_value], in place."""
    for grad in gradients_of(parameters):
        np.clip(grad.array, -float(clip_value), float(clip_value), out=grad.array)
        changed(grad.array)
