"""The gradients of `linear` and `einsum`: products of what arrives with the other operands."""

import math

import numpy as np

from tinytorch.autograd import call, gradient, unbroadcast
from tinytorch.given.tensor.arrays import zeros_beside
from tinytorch.layers import Affine
from tinytorch.tensor import Einsum, Expand, IndexPut

__all__ = ["affine_backward", "einsum_backward", "on_diagonal", "spelled_out"]


@gradient(Affine)
def affine_backward(ctx, grad):
    """y = x Wᵀ + b: grad_x = g W, grad_W = gᵀ x, grad_b the sum of g over the rows."""
    x, weight = ctx.saved_tensors
    need_x, need_weight, need_bias = ctx.needs_input_grad
    rows, columns = math.prod(x.shape[:-1]), math.prod(weight.shape[:-1])
    grad = grad.reshape(rows, columns)  # (N, out)
    grad_x = grad_weight = grad_bias = None
    if need_x:
        grad_x = (grad @ weight.reshape(columns, x.shape[-1])).reshape(x.shape)
    if need_weight:
        grad_weight = (grad.T @ x.reshape(rows, x.shape[-1])).reshape(weight.shape)
    if need_bias:
        grad_bias = unbroadcast(grad, weight.shape[:-1])
    return grad_x, grad_weight, grad_bias


@gradient(Einsum)
def einsum_backward(ctx, grad):
    """Each operand's gradient is an einsum too: of the result's gradient and the other operands."""
    arrays = ctx.saved_tensors
    inputs, output = ctx.equation.split("->")
    inputs = inputs.split(",")
    if "..." in ctx.equation or any(len(set(term)) < len(term) for term in inputs):
        inputs, output = spelled_out(inputs, output, ctx.shapes)
    sizes = {c: n for term, shape in zip(inputs, ctx.shapes) for c, n in zip(term, shape) if n != 1}
    grads = []
    for number, (term, shape) in enumerate(zip(inputs, ctx.shapes)):
        if not ctx.needs_input_grad[number]:
            grads.append(None)
            continue
        others = [t for i, t in enumerate(inputs) if i != number] + [output]
        # summed over in this operand only
        alone = [c for c in dict.fromkeys(term) if not any(c in t for t in others)]
        kept = "".join(c for c in dict.fromkeys(term) if c not in alone)
        operands = [a for i, a in enumerate(arrays) if i != number]
        g = call(Einsum, *operands, grad, equation=f"{','.join(others)}->{kept}")
        full = [sizes.get(c, 1) for c in dict.fromkeys(term)]
        g = g.reshape([1 if c in alone else n for c, n in zip(dict.fromkeys(term), full)])
        g = call(Expand, g, shape=full)
        if len(set(term)) < len(term):
            g = on_diagonal(g, term, shape)
        grads.append(unbroadcast(g, shape))
    return tuple(grads)


def spelled_out(inputs, output, shapes):
    """The terms of an einsum with a letter for every dimension that `...` stands for."""
    letters = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in "".join(inputs)]
    widths = [len(s) - len(t.replace("...", "")) if "..." in t else 0 for t, s in zip(inputs, shapes)]
    dots = letters[: max(widths)]
    terms = [t.replace("...", "".join(dots[len(dots) - n :])) for t, n in zip(inputs, widths)]
    return terms, output.replace("...", "".join(dots))


def on_diagonal(g, term, shape):
    """Put a gradient where the repeated letters of a term agree, zero elsewhere."""
    letters = list(dict.fromkeys(term))
    grid = np.ogrid[tuple(map(slice, g.shape))]
    zeros = zeros_beside(g, shape)
    return call(IndexPut, zeros, g, index=tuple(grid[letters.index(c)] for c in term))
