"""Triangular matrices and exponentials of matrices: made of `Solve`, `MatMul` and sums."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.creation import as_tensor, eye, zeros_like
from tinytorch.given.tensor.linear_algebra import linalg_solve, square
from tinytorch.given.tensor.rearranging import cat
from tinytorch.given.tensor.structures import return_types, structure
from tinytorch.tensor import Function, Tensor, tensor, wrap

__all__ = ["MatrixExp", "corrcoef", "linalg_matrix_exp", "linalg_solve_triangular", "unravel_index"]

structure("frexp", "mantissa", "exponent")


def linalg_solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """X with A X = B, or X A = B, for a triangular A, the other half of which is not read."""
    half = A.triu() if upper else A.tril()
    if unitriangular:
        half = half - half.diagonal(0, -2, -1).diag_embed() + eye(A.shape[-1], dtype=A.dtype)
    if not left:
        return linalg_solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    return linalg_solve(half, B)


class MatrixExp(Function):
    node_name = "LinalgMatrixExp"

    @staticmethod
    def forward(ctx, x):
        from scipy.linalg import expm

        square("matrix_exp", x)
        ctx.save_for_backward(x)
        return expm(x).astype(x.dtype, copy=False) if x.size else x.copy()

    @staticmethod
    def backward(ctx, grad):
        """The upper right block of exp([[Aᵀ, G], [0, Aᵀ]]) (Mathias, 1996)."""
        (x,), grad = map(as_tensor, ctx.saved_tensors), as_tensor(grad)
        n = x.shape[-1]
        rows = cat([x.mT, grad], -1), cat([zeros_like(grad), x.mT], -1)
        return MatrixExp.apply(cat(rows, -2))[..., :n, n:]


def linalg_matrix_exp(A):
    """The exponential of a matrix: the sum of A^k / k!."""
    return MatrixExp.apply(A)


def unravel_index(indices, shape):
    """The index along each dimension of a shape, for places in the flattened tensor."""
    shape, rest, found = (shape,) if isinstance(shape, int) else tuple(shape), indices, []
    for n in reversed(shape):
        found.append(rest % n)
        rest = rest // n
    return tuple(reversed(found))


def corrcoef(input):
    """The correlation of each pair of rows."""
    if input.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} "
            "dimensions"
        )
    covariance = input.cov()
    if covariance.ndim == 0:
        return covariance / covariance
    deviation = covariance.diagonal().sqrt()
    return (covariance / deviation.unsqueeze(-1) / deviation).clamp(-1, 1)


@methods_of(Tensor)
class Matrices:
    """Exponentials of matrices, systems with a factor that is known, and the parts of a number."""

    def matrix_exp(self):
        """The exponential of a matrix."""
        return MatrixExp.apply(self)

    def cholesky_solve(self, input2, upper=False):
        """X with A X = self, where `input2` is the triangle of Cholesky's decomposition of A."""
        lower = input2.mT if upper else input2
        half = linalg_solve_triangular(lower, self, upper=False)
        return linalg_solve_triangular(lower.mT, half, upper=True)

    def cholesky_inverse(self, upper=False):
        """The inverse of A, of which this is the triangle of Cholesky's decomposition."""
        return eye(self.shape[-1], dtype=self.dtype).expand(self.shape).cholesky_solve(self, upper)

    def corrcoef(self):
        """The correlation of each pair of rows."""
        return corrcoef(self)

    def frexp(self):
        """The mantissa, from 0.5 to 1, and the exponent: x = mantissa 2^exponent."""
        exponent = np.frexp(self.array)[1].astype(np.int32)
        mantissa = self * tensor(2.0, dtype=self.dtype) ** wrap(-exponent.astype(self.array.dtype))
        return return_types.frexp(mantissa, wrap(exponent))
