# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class LinAlgError(builtins.RuntimeError):
    """A matrix that is singular, or not positive definite."""
    def __init__(self, *args, **kwargs) -> None: ...
def cholesky(A, *, upper: _bool = False) -> Tensor:
    """The lower triangle L with A = L Lᵀ, or its transpose."""
def cholesky_ex(A, *, upper: _bool = False, check_errors: _bool = False):
    """Cholesky's factor, and 0 for each matrix that has one: an error only if it is asked for."""
def cross(input: Tensor, other: Operand, *, dim: Dims = -1) -> Tensor:
    """The vector product of vectors of three elements along `dim`."""
def det(A) -> Tensor:
    """The determinant of a matrix."""
def diagonal(A, *, offset=0, dim1: _int = -2, dim2=-1) -> Tensor:
    """The diagonals of matrices."""
def eigh(A, UPLO: str = 'L'):
    """The eigenvalues, ascending, and the eigenvectors of a symmetric matrix."""
def eigvalsh(A, UPLO: str = 'L') -> Tensor:
    """The eigenvalues, ascending, of a symmetric matrix."""
def inv(A) -> Tensor:
    """The inverse of a matrix."""
def inv_ex(A, *, check_errors: _bool = False):
    """The inverse, and 0 for each matrix that has one: an error only if it is asked for."""
def ldl_factor(A, *, hermitian: _bool = False): ...
def ldl_factor_ex(A, *, hermitian: _bool = False, check_errors: _bool = False): ...
def ldl_solve(LD, pivots, B, *, hermitian: _bool = False) -> Tensor:
    """X with A X = B, for the A that `linalg.ldl_factor` took."""
def lstsq(A, B, rcond=None, *, driver=None): ...
def lu(A, *, pivot: _bool = True):
    """P, L and U with A = P L U: a permutation, and a lower and an upper triangle."""
def lu_factor(A, *, pivot: _bool = True): ...
def lu_factor_ex(A, *, pivot: _bool = True, check_errors: _bool = False): ...
def lu_solve(LU, pivots, B, *, left: _bool = True, adjoint: _bool = False) -> Tensor: ...
def matmul(input: Tensor, other: Operand) -> Tensor:
    """The matrix product."""
def matrix_exp(A) -> Tensor:
    """The exponential of a matrix: the sum of A^k / k!."""
def matrix_norm(A, ord='fro', dim: Dims = (-2, -1), keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
def matrix_power(A, n) -> Tensor:
    """Multiply a square matrix n times by itself, by squaring; a negative n takes the inverse."""
def matrix_rank(A, tol=None, hermitian: _bool = False, *, atol=None, rtol=None) -> Tensor:
    """The number of singular values above `atol` (or `tol`), and above `rtol` times the largest."""
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Multiply matrices in the order that costs least; the first and the last may be vectors."""
def norm(A, ord=None, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """vector_norm, or matrix_norm where an order is given and two dimensions are meant."""
def pinv(A, *, atol=None, rtol=None, hermitian: _bool = False) -> Tensor: ...
def qr(A, mode: str = 'reduced'):
    """Q and R with A = Q R."""
def slogdet(A):
    """The sign, and the logarithm of the absolute value, of the determinant."""
def solve(A, B, *, left: _bool = True) -> Tensor:
    """X with A X = B, or X A = B."""
def solve_triangular(A, B, *, upper, left: _bool = True, unitriangular: _bool = False) -> Tensor:
    """X with A X = B, or X A = B, for a triangular A, the other half of which is not read."""
def svd(A, full_matrices: _bool = True):
    """U, S and Vh with A = U diag(S) Vh."""
def svdvals(A) -> Tensor:
    """The singular values of a matrix, the largest first."""
def tensorinv(A, ind=2) -> Tensor:
    """The inverse of a tensor as a matrix whose rows its first `ind` dimensions are."""
def tensorsolve(A, B, dims: Dims | None = None) -> Tensor:
    """X with tensordot(A, X, X.ndim) = B; `dims` of A go to its end first."""
def vecdot(x, y, *, dim: Dims = -1) -> Tensor:
    """The sums of products along `dim`."""
def vector_norm(x, ord=2, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """The norm of the elements along `dim`, all by default, as of one vector."""
