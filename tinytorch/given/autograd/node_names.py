"""What PyTorch calls nodes of operations with another name here, and which gradients need what they save."""

from types import SimpleNamespace

import numpy as np

from tinytorch.activations import LogSumExp
from tinytorch.given import methods_of
from tinytorch.layers import Affine
from tinytorch.tensor import (
    Amax,
    Amin,
    Cast,
    Clamp,
    Clone,
    Copy,
    CumSum,
    Index,
    Log1p,
    MaskedFill,
    MatMul,
    Mean,
    Median,
    Mul,
    Norm,
    Permute,
    Pow,
    Prod,
    Remainder,
    Reshape,
    Scatter,
    Sub,
    Sum,
    TopK,
    TruncDivide,
)

__all__ = ["NODE_NAMES", "name_of_index", "name_of_product"]


def along(name):
    """The second of two overloads is the one along dimensions."""
    return lambda ctx: f"{name}Backward{int(ctx.axis is not None)}"


def extreme(name):
    """The extreme of all is an overload of `max` or `min`; the one along dimensions is `amax` or `amin`."""
    return lambda ctx: f"{name}Backward1" if ctx.of_all else f"A{name.lower()}"


def name_of_index(ctx):
    """PyTorch takes an index apart: the last step that it takes names the node."""
    if ctx.named:
        return ctx.named
    if ctx.saved != ():  # by arrays
        return "Index"
    parts = ctx.index if isinstance(ctx.index, tuple) else (ctx.index,)
    steps = {int: "Select", np.int64: "Select", slice: "Slice", type(None): "Unsqueeze"}
    taken = [part for part in parts if not (isinstance(part, slice) and part == slice(None))] or parts
    return next((steps[type(part)] for part in reversed(taken) if type(part) in steps), "Alias")


def name_of_product(ctx):
    """By the operands' dimensions, while they are saved."""
    dimensions = tuple([x.ndim for x in ctx.saved or ()])
    return {(1, 1): "Dot", (2, 1): "Mv", (1, 2): "SqueezeBackward4", (2, 2): "Mm", (): "Mm"}.get(
        dimensions, "UnsafeView"
    )


def name_of_affine(ctx):
    """PyTorch computes x Wᵀ + b by another operation for each number of dimensions."""
    if not ctx.saved or ctx.saved[0].ndim == 2:
        return "Addmm" if ctx.edges[2:] and ctx.edges[2] is not None else "Mm"
    if ctx.edges[2:] and ctx.edges[2] is not None:
        return "View"
    return "UnsafeView" if ctx.saved[0].ndim > 2 else "SqueezeBackward4"


NODE_NAMES = {
    Affine: name_of_affine,
    Amax: extreme("Max"),
    Amin: extreme("Min"),
    Cast: lambda ctx: ctx.named,
    Clamp: lambda ctx: f"ClampBackward{int(ctx.by_numbers)}",
    Clone: lambda ctx: ctx.named,
    Copy: "torch::autograd::CopyBackwards",
    CumSum: "Cumsum",
    Index: name_of_index,
    Log1p: "Log1P",
    LogSumExp: "Logsumexp",
    MaskedFill: lambda ctx: f"MaskedFillBackward{int(not ctx.by_number)}",
    MatMul: name_of_product,
    Mean: along("Mean"),
    Median: lambda ctx: "Nanmedian" if ctx.skip_nan else "Median",
    Norm: "LinalgVectorNorm",
    Permute: lambda ctx: ctx.named,
    Pow: lambda ctx: f"PowBackward{ctx.overload}",
    Prod: along("Prod"),
    Remainder: lambda ctx: f"RemainderBackward{int(not ctx.by_number)}",
    Reshape: lambda ctx: ctx.named,
    Scatter: lambda ctx: f"ScatterBackward{int(ctx.src_shape == ())}",
    Sub: lambda ctx: "RsubBackward1" if ctx.reflected else "Sub",
    Sum: along("Sum"),
    TopK: "Topk",
    TruncDivide: "DivBackward2",
}
for function, name in NODE_NAMES.items():
    methods_of(function)(SimpleNamespace(node_name=name))

for function in (Mul, MatMul, Affine):  # each factor is saved for the other's gradient
    methods_of(function)(SimpleNamespace(saved_for=((1,), (0,))))
