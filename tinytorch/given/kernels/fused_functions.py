"""Functions and methods of the course in whose place a kernel stands: steps of optimizers, clipping, im2col.

They are no operations with a gradient; what calls them does not notice.
"""

import numpy as np

from tinytorch.conv import col2im, im2col
from tinytorch.given.kernels.array import empty
from tinytorch.given.kernels.fused import OPERATIONS, flat, on_device
from tinytorch.given.kernels.layout import is_contiguous
from tinytorch.given.kernels.steps import PARTS, clip_factor, sgd_step, square_root, squares, start
from tinytorch.given.kernels.table import bound
from tinytorch.given.trainer.clipping import clip_grads_with_norm_, get_total_norm, gradients_of
from tinytorch.optimizers import SGD, Adam
from tinytorch.tensor import Tensor, changed, wrap

__all__ = []


def in_place(*arrays):
    """Whether arrays of float32 lie on the device, each element behind the one before."""
    return on_device(*arrays) and all(is_contiguous(a.shape, a.steps) for a in arrays)


def adam_update(self, parameter, grad, group, work):
    """One launch for a step of Adam or AdamW."""
    state, array, grad = self.begin(parameter, "exp_avg", "exp_avg_sq"), parameter.array, flat(grad)
    mean, square, (beta1, beta2) = state["exp_avg"].array, state["exp_avg_sq"].array, group["betas"]
    decay = group["weight_decay"] if group["decoupled_weight_decay"] else 0.0
    bound("adamw_step")(
        array.buffer, grad.buffer, mean.buffer, square.buffer, array.size, float(group["lr"]), beta1, beta2,
        group["eps"], decay, int(state["step"].item()), p_offset=array.offset, grad_offset=grad.offset,
        m_offset=mean.offset, v_offset=square.offset,
    )  # fmt: skip


def takes_adam(self, parameter, grad, group, work):
    return not group["amsgrad"] and in_place(parameter.array) and on_device(grad) and parameter.numel()


def sgd_update(self, parameter, grad, group, work):
    """One launch for a step of SGD, with momentum or without."""
    array, grad, momentum = parameter.array, flat(grad), group["momentum"]
    state, first, velocity = self.state[parameter] if momentum else None, False, grad
    if momentum:
        first = state.get("momentum_buffer") is None
        if first:
            state["momentum_buffer"] = wrap(empty(array.shape, array.dtype))
        velocity = state["momentum_buffer"].array
    numbers = [np.float32(x) for x in (float(group["lr"]), momentum, 1 - group["dampening"])]
    start(
        sgd_step, array.size, array.buffer, grad.buffer, velocity.buffer, array.size, *numbers,
        group["nesterov"], first, array.offset, grad.offset, velocity.offset,
    )  # fmt: skip


def takes_sgd(self, parameter, grad, group, work):
    return in_place(parameter.array) and on_device(grad) and parameter.numel()


def total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of several tensors as one vector: a sum of squares for each, without waiting for them."""
    arrays = [flat(t.array) for t in tensors]
    parts, norm = empty((len(arrays) * PARTS,), np.float32), empty((), np.float32)
    for number, array in enumerate(arrays):
        place = number * PARTS
        start(squares, array.size, parts.buffer, place, array.buffer, array.size, array.offset, blocks=PARTS)
    start(square_root, 1, norm.buffer, parts.sum().buffer)
    return wrap(norm)


def takes_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    if not isinstance(tensors, list) or error_if_nonfinite or norm_type != 2:
        return False
    return bool(tensors) and all(on_device(t.array) and t.numel() for t in tensors)


def clip(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients by a factor that stays on the device."""
    factor = empty((), np.float32)
    start(clip_factor, 1, factor.buffer, total_norm.array.buffer, np.float32(max_norm))
    for grad in gradients_of(parameters):
        grad.array *= factor
        changed(grad.array)


def takes_clipping(parameters, max_norm, total_norm, foreach=None):
    return isinstance(total_norm, Tensor) and total_norm.ndim == 0 and on_device(total_norm.array)


def image_numbers(x, window):
    """What the kernels of images need to know about them and about a window."""
    return *x, window.kernel_size, window.stride, window.padding, window.dilation


def unfold(x, window, columns=None):
    x = flat(x)
    if columns is None:
        columns = empty((*x.shape[:2], *window.kernel_size, *window.places), x.dtype)
    offsets = {"out_offset": columns.offset, "x_offset": x.offset}
    bound("im2col")(columns.buffer, x.buffer, *image_numbers(x.shape, window), **offsets)
    return columns


def takes_images(x, window, columns=None):
    return (
        on_device(x, columns)
        and x.size
        and (columns is None or in_place(columns))
        and is_regular(x.shape, window)
    )


def fold(columns, size, window):
    columns, shape = flat(columns), (*columns.shape[:2], *size)
    output = empty(shape, columns.dtype)
    bound("col2im")(
        output.buffer, columns.buffer, *image_numbers(shape, window), columns_offset=columns.offset
    )
    return output


def takes_columns(columns, size, window):
    return on_device(columns) and columns.size and is_regular((*columns.shape[:2], *size), window)


def is_regular(shape, window):
    """Whether the window takes exactly the places that it has in an image."""
    sides = zip(shape[2:], *window)
    return all((n + 2 * p - d * (k - 1) - 1) // s + 1 == places for n, k, s, p, d, places in sides)


FUSED = [
    *OPERATIONS,
    (Adam.update, adam_update, None, takes_adam),
    (SGD.update, sgd_update, None, takes_sgd),
    (get_total_norm, total_norm, None, takes_norm),
    (clip_grads_with_norm_, clip, None, takes_clipping),
    (im2col, unfold, None, takes_images),
    (col2im, fold, None, takes_columns),
]
