"""Products of matrices and vectors: `MatMul` by its other names, and `einsum`."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.tensor import Function, MatMul, Tensor

__all__ = ["Einsum", "einsum", "matrix_product"]


def matrix_product(x, y, ndims, name):
    """`mm`, `bmm`, `mv` and `dot`: matmul for operands of exactly these numbers of dimensions."""
    if (x.ndim, y.ndim) != ndims:
        raise RuntimeError(
            f"{name}: expected a {ndims[0]}D and a {ndims[1]}D tensor, "
            f"but got {x.ndim}D and {y.ndim}D tensors"
        )
    if name == "bmm" and x.shape[0] != y.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {x.shape[0]} and {y.shape[0]}"
        )
    return MatMul.apply(x, y)


class Einsum(Function):
    @staticmethod
    def forward(ctx, *arrays, equation):
        asked = [number for number in range(len(arrays)) if ctx.asks_for(number)]
        used = [asked != [number] for number in range(len(arrays))]  # by another's gradient
        ctx.save_for_backward(*[a if u else None for a, u in zip(arrays, used)])
        ctx.equation, ctx.shapes = equation, [a.shape for a in arrays]
        return np.einsum(equation, *arrays, optimize=True)


def einsum(equation, *operands):
    """Compute the sum of products that the equation describes.

    >>> einsum("ij,j->i", tensor([[1, 2], [3, 4]]), tensor([10, 1]))
    tensor([12, 34])
    """
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = inputs.replace(",", "").replace("...", "")
        output = "..." * ("..." in inputs) + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    try:
        return Einsum.apply(*operands, equation=f"{inputs}->{output}")
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from None


@methods_of(Tensor)
class Products:
    """Products of matrices and vectors."""

    __matmul__ = lambda self, other: self.matmul(other)

    def matmul(self, other):
        if not isinstance(other, Tensor):
            raise TypeError(f"matmul(): argument 'other' must be Tensor, not {type(other).__name__}")
        return MatMul.apply(self, other)

    def outer(self, vec2):
        if self.ndim != 1 or vec2.ndim != 1:
            raise RuntimeError(f"outer: expected two 1-D tensors, but got {self.ndim}-D and {vec2.ndim}-D")
        return self.unsqueeze(1) * vec2

    mm = lambda self, mat2: matrix_product(self, mat2, (2, 2), "mm")
    bmm = lambda self, mat2: matrix_product(self, mat2, (3, 3), "bmm")
    mv = lambda self, vec: matrix_product(self, vec, (2, 1), "mv")
    dot = lambda self, tensor: matrix_product(self, tensor, (1, 1), "dot")
    addmm = lambda self, mat1, mat2, *, beta=1, alpha=1: self * beta + mat1.mm(mat2) * alpha
