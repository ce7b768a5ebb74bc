"""What an MLP does between its two products as one operation: bias and gelu, or a gate."""

from types import MethodType

import numpy as np

from tinytorch.acceleration import (
    ONE,
    bias_gelu_gradient_kernel,
    bias_gelu_kernel,
    contiguous,
    fits,
    rows_of,
    sigmoid,
)
from tinytorch.activations import silu
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.threads import EXPONENTIAL, by_rows, sums_by_rows
from tinytorch.given.autograd.activation_rules import gelu_tanh_formula, silu_formula
from tinytorch.layers import Linear, linear
from tinytorch.tensor import Function, Tensor, cat
from tinytorch.transformer import MLP, GatedMLP

__all__ = ["BiasGelu", "SiluGate", "can_fuse", "fuse"]

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_in_full")


class BiasGelu(Function):
    """gelu(x + bias), by tanh's formula, of float32 (..., D) and (D,) in contiguous memory."""

    @staticmethod
    def forward(ctx, x, bias):
        output = np.empty_like(x)
        rows, results = rows_of(x), rows_of(output)
        call = lambda part: (bias_gelu_kernel, rows[part], bias, results[part])
        by_rows(call, len(rows), EXPONENTIAL * x.size)
        ctx.save_for_backward(x, bias)
        return output

    @staticmethod
    def backward(ctx, grad):
        x, bias = ctx.saved_tensors
        if isinstance(grad, Tensor):  # for second derivatives
            grad_x = gelu_tanh_formula(grad, x + bias)
            return grad_x, grad_x.sum(axis=tuple(range(x.ndim - 1)))
        grad_x, arrays = np.empty_like(x), (rows_of(contiguous(grad)), rows_of(x))
        results = rows_of(grad_x)

        def call(part, sums):
            return bias_gelu_gradient_kernel, *[a[part] for a in arrays], bias, results[part], sums

        return grad_x, sums_by_rows(call, bias.shape, len(results), EXPONENTIAL * x.size)


@kernel
def gate_rows(x, out):
    """silu(gate) · up, for rows of x (N, 2 D) that have both."""
    D = out.shape[1]
    for n in range(len(x)):
        gate, up, result = x[n, :D], x[n, D:], out[n]
        for j in range(D):
            result[j] = gate[j] * sigmoid(gate[j]) * up[j]


@kernel
def gate_rows_gradient(grad, x, out):
    """The gradient of x, (N, 2 D), from that of `gate_rows`, (N, D)."""
    D = grad.shape[1]
    for n in range(len(x)):
        g, gate, up, of_gate, of_up = grad[n], x[n, :D], x[n, D:], out[n, :D], out[n, D:]
        for j in range(D):
            s = sigmoid(gate[j])
            of_gate[j] = g[j] * up[j] * (s * (ONE + gate[j] * (ONE - s)))
            of_up[j] = g[j] * gate[j] * s


class SiluGate(Function):
    """silu(gate) · up, of float32 (..., 2 D) in contiguous memory: first the gate, then up."""

    @staticmethod
    def forward(ctx, x):
        output = np.empty((*x.shape[:-1], x.shape[-1] // 2), np.float32)
        rows, results = rows_of(x), rows_of(output)
        call = lambda part: (gate_rows, rows[part], results[part])
        by_rows(call, len(rows), EXPONENTIAL * output.size)
        ctx.save_for_backward(x)
        return output

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        if isinstance(grad, Tensor):  # for second derivatives
            gate, up = x.chunk(2, -1)
            return cat([silu_formula(grad * up, gate), grad * silu(gate)], -1)
        output = np.empty_like(x)
        arrays = [rows_of(a) for a in (contiguous(grad), x, output)]
        call = lambda part: (gate_rows_gradient, *[a[part] for a in arrays])
        by_rows(call, len(arrays[0]), EXPONENTIAL * grad.size)
        return output


def can_fuse(module):
    """Whether a module is the MLP of a GPT as module 13 makes it, gated or with a bias, and not fused yet."""
    if type(module) not in (MLP, GatedMLP) or type(module.c_fc) is not Linear:
        return False
    usual = type(module) is GatedMLP or module.c_fc.bias is not None
    return usual and "forward" not in vars(module) and "forward" not in vars(module.c_fc)


def fuse(module):
    """Give an MLP a forward with one operation between its products, until the handle's `remove()`."""
    return Fused(module)


class Fused:
    def __init__(self, module):
        self.module = module
        vars(module)["forward"] = MethodType(fused_forward, module)

    def remove(self):
        vars(self.module).pop("forward", None)


def fused_forward(module, x):
    """What the MLP's forward computes; and its own forward where numbers or hooks do not allow it."""
    layer = module.c_fc
    arrays = [p.array for p in (x, layer.weight, layer.bias) if p is not None]
    if not fits(*arrays) or any(vars(layer).get(name) for name in HOOKS):
        return type(module).forward(module, x)
    if type(module) is GatedMLP:
        inner = SiluGate.apply(linear(x, layer.weight, layer.bias))
    else:
        inner = BiasGelu.apply(linear(x, layer.weight), layer.bias)
    return module.dropout(module.c_proj(inner))
