"""Triangular matrices and exponentials of matrices: by BLAS, `MatMul` and sums."""

from numbers import Integral

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import check_not_half
from tinytorch.given.tensor.creation import as_tensor, eye, zeros_like
from tinytorch.given.tensor.linear_algebra import square
from tinytorch.given.tensor.rearranging import cat
from tinytorch.given.tensor.return_types import return_types, structure
from tinytorch.tensor import Function, Tensor, broadcast_shapes, tensor, wrap

__all__ = [
    "MatrixExp",
    "SolveTriangular",
    "corrcoef",
    "linalg_matrix_exp",
    "linalg_solve_triangular",
    "unravel_index",
]

structure("frexp", "mantissa", "exponent")


class SolveTriangular(Function):
    """A⁻¹ B for a triangular A, the other half of which is not read."""

    node_name = "LinalgSolveTriangular"

    @staticmethod
    def forward(ctx, a, b, upper, unitriangular):
        from scipy.linalg import get_blas_funcs

        square("solve_triangular", a)
        check_not_half("triangular_solve_cpu", a, b)
        if b.ndim < 2:
            raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
        solve = get_blas_funcs("trsm", (a, b))
        options = {"lower": not upper, "diag": unitriangular}
        each = np.vectorize(lambda a, b: solve(1, a, b, **options), signature="(n,n),(n,k)->(n,k)")
        output = each(a, b) if b.size else b.copy()
        ctx.upper, ctx.unitriangular = upper, unitriangular
        ctx.save_for_backward(a, output)
        return output.astype(b.dtype, copy=False)

    @staticmethod
    def backward(ctx, grad):
        a, x = map(as_tensor, ctx.saved_tensors)
        options = {"upper": not ctx.upper, "unitriangular": ctx.unitriangular}
        grad_b = SolveTriangular.apply(a.mT, as_tensor(grad), **options)
        grad_a, off = -(grad_b @ x.mT), int(ctx.unitriangular)
        return grad_a.triu(off) if ctx.upper else grad_a.tril(-off), grad_b


def linalg_solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """X with A X = B, or X A = B, for a triangular A, the other half of which is not read."""
    if not left:
        return linalg_solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    batch = broadcast_shapes(A.shape[:-2], B.shape[:-2])
    A, B = (t.expand(*batch, *t.shape[-2:]) for t in (A, B))
    return SolveTriangular.apply(A, B, upper=upper, unitriangular=unitriangular)


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
    shape, rest, found = (shape,) if isinstance(shape, Integral) else tuple(shape), indices, []
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
        """Compute the exponential of square matrices, 1 + A + A²/2 + A³/6 + ...

        >>> torch.zeros(2, 2).matrix_exp()
        tensor([[1., 0.],
                [0., 1.]])
        """
        return MatrixExp.apply(self)

    def cholesky_solve(self, input2, upper=False):
        """Solve A X = self, where `input2` is the triangle of Cholesky's decomposition of A.

        >>> torch.tensor([[8.0]]).cholesky_solve(torch.tensor([[2.0]]))
        tensor([[2.]])
        """
        lower = input2.mT if upper else input2
        half = linalg_solve_triangular(lower, self, upper=False)
        return linalg_solve_triangular(lower.mT, half, upper=True)

    def cholesky_inverse(self, upper=False):
        """Compute the inverse of A, of which this is the triangle of Cholesky's decomposition.

        >>> torch.tensor([[2.0]]).cholesky_inverse()
        tensor([[0.2500]])
        """
        return eye(self.shape[-1], dtype=self.dtype).expand(self.shape).cholesky_solve(self, upper)

    def corrcoef(self):
        """Compute the correlation of each pair of rows, whose columns are observations.

        >>> torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).corrcoef()
        tensor([[ 1., -1.],
                [-1.,  1.]])
        """
        return corrcoef(self)

    def frexp(self):
        """Split each element into a mantissa from 0.5 to 1 and an exponent: x = mantissa 2^exponent.

        >>> torch.tensor([8.0, 0.75]).frexp().exponent
        tensor([4, 0], dtype=torch.int32)
        """
        exponent = np.frexp(self.array)[1].astype(np.int32)
        mantissa = self * tensor(2.0, dtype=self.dtype) ** wrap(-exponent.astype(self.array.dtype))
        return return_types.frexp(mantissa, wrap(exponent))
