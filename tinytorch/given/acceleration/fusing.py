"""Bias and gelu as one operation, made of the lesson's two kernels, in the MLPs of a GPT."""

from types import MethodType

import numpy as np

from tinytorch.acceleration import bias_gelu_gradient_kernel, bias_gelu_kernel, contiguous, fits, rows_of
from tinytorch.given.autograd.activation_rules import gelu_tanh_formula
from tinytorch.layers import Linear, linear
from tinytorch.tensor import Function, Tensor
from tinytorch.transformer import MLP

__all__ = ["BiasGelu", "can_fuse", "fuse"]

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_in_full")


class BiasGelu(Function):
    """gelu(x + bias), by tanh's formula, of float32 (..., D) and (D,) in contiguous memory."""

    @staticmethod
    def forward(ctx, x, bias):
        output = np.empty_like(x)
        bias_gelu_kernel(rows_of(x), bias, rows_of(output))
        ctx.save_for_backward(x, bias)
        return output

    @staticmethod
    def backward(ctx, grad):
        x, bias = ctx.saved_tensors
        if isinstance(grad, Tensor):  # for second derivatives
            grad_x = gelu_tanh_formula(grad, x + bias)
            return grad_x, grad_x.sum(axis=tuple(range(x.ndim - 1)))
        grad_x, grad_bias = np.empty_like(x), np.zeros_like(bias)
        bias_gelu_gradient_kernel(rows_of(contiguous(grad)), rows_of(x), bias, rows_of(grad_x), grad_bias)
        return grad_x, grad_bias


def can_fuse(module):
    """Whether a module is the MLP of a GPT as module 13 makes it, with a bias, and has not been fused yet."""
    usual = type(module) is MLP and type(module.c_fc) is Linear and module.c_fc.bias is not None
    return usual and "forward" not in vars(module) and "forward" not in vars(module.c_fc)


def fuse(module):
    """Give an MLP a forward in which bias and gelu are one operation, until the handle's `remove()`."""
    return Fused(module)


class Fused:
    def __init__(self, module):
        self.module = module
        vars(module)["forward"] = MethodType(fused_forward, module)

    def remove(self):
        vars(self.module).pop("forward", None)


def fused_forward(module, x):
    """What MLP.forward computes; and its own forward where numbers or hooks do not allow it."""
    layer = module.c_fc
    if not fits(x.array, layer.weight.array, layer.bias.array) or any(
        vars(layer).get(name) for name in HOOKS
    ):
        return type(module).forward(module, x)
    return module.dropout(module.c_proj(BiasGelu.apply(linear(x, layer.weight), layer.bias)))
