"""Norms: how long a vector is, by any power."""

import math

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import widened
from tinytorch.given.tensor.checks import axes_of, count_along
from tinytorch.tensor import Function, Tensor, dtypes

__all__ = ["Norm"]


class Norm(Function):
    """(sum |x|^p)^(1/p), with the limits that it has for 0, inf and -inf."""

    rule_in_float32 = False

    @staticmethod
    def forward(ctx, x, p, dim=None, keepdim=False):
        if x.dtype.kind != "f":
            raise RuntimeError(
                "linalg.vector_norm: Expected a floating point or complex tensor as input. "
                f"Got {dtypes[x.dtype]}"
            )
        ctx.p, ctx.axis, ctx.keepdim = p, axes_of(dim, x.ndim), keepdim
        if (p < 0 or p == math.inf) and x.size == 0 and count_along(x.shape, ctx.axis) == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation "
                "does not have an identity"
            )
        size = np.abs(widened(x))
        if p in (math.inf, -math.inf):
            output = (np.max if p > 0 else np.min)(size, axis=ctx.axis, keepdims=keepdim)
        else:
            output = (size != 0 if p == 0 else size * size if p == 2 else size**p if p != 1 else size).sum(
                axis=ctx.axis, keepdims=keepdim, dtype=size.dtype
            )
            output = np.sqrt(output) if p == 2 else output if p in (0, 1) else output ** (1 / p)
        output = output.astype(x.dtype, copy=False)
        ctx.save_for_backward(x, output)
        return output


@methods_of(Tensor)
class Norms:
    """The length of a tensor."""

    def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
        """Compute the p-norm, (Σ |x|^p)^(1/p), of all elements or along `dim`; `p` may be inf, -inf, or "fro"
        for 2.

        >>> torch.tensor([3.0, 4.0]).norm()
        tensor(5.)
        """
        if p is None or (isinstance(p, str) and p == "fro"):
            p = 2
        if p == "nuc":
            return self.nuclear_norm(dim, keepdim)
        if isinstance(p, str):
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
        if dtype is not None and not dtype.is_floating_point:
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be floating point or complex, but got {dtype}"
            )
        x = self if dtype is None or not self.is_floating_point() else self.to(dtype)
        return Norm.apply(x, p=float(p), dim=dim, keepdim=keepdim)
