"""Factors of matrices by LAPACK, systems solved with them, and PyTorch's older names of both."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import check_not_half
from tinytorch.given.tensor.creation import eye, zeros
from tinytorch.given.tensor.linear_algebra import (
    Cholesky,
    Inverse,
    LinAlgError,
    linalg_cholesky,
    linalg_inv,
    linalg_qr,
    linalg_solve,
    linalg_svd,
    linalg_svdvals,
    square,
    without_gradient,
)
from tinytorch.given.tensor.out import put_out
from tinytorch.given.tensor.return_types import structure
from tinytorch.given.tensor.triangular import linalg_solve_triangular
from tinytorch.tensor import Tensor, array_of, broadcast_shapes, wrap

__all__ = [
    "linalg_cholesky_ex", "linalg_inv_ex", "linalg_ldl_factor", "linalg_ldl_factor_ex", "linalg_ldl_solve",
    "linalg_lstsq", "linalg_lu", "linalg_lu_factor", "linalg_lu_factor_ex", "linalg_lu_solve",
    "linalg_tensorinv", "linalg_tensorsolve", "lu", "lu_unpack",
]  # fmt: skip

InverseInfo = structure("linalg_inv_ex", "inverse", "info")
CholeskyInfo = structure("linalg_cholesky_ex", "L", "info")
LDL = structure("linalg_ldl_factor", "LD", "pivots")
LDLInfo = structure("linalg_ldl_factor_ex", "LD", "pivots", "info")
LUFactors = structure("linalg_lu_factor", "LU", "pivots")
LUInfo = structure("linalg_lu_factor_ex", "LU", "pivots", "info")
PLU = structure("linalg_lu", "P", "L", "U")
LeastSquares = structure("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
Unpacked = structure("lu_unpack", "P", "L", "U")
OldSVD = structure("svd", "U", "S", "V")
OldQR = structure("qr", "Q", "R")
TriangularSolve = structure("triangular_solve", "solution", "cloned_coefficient")
DRIVERS = (None, "gels", "gelsy", "gelsd", "gelss")
SINGULAR = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
    "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


def lapack(routine, called, A, signature, **options):
    """Call a routine of LAPACK with each matrix of a batch."""
    from scipy.linalg import get_lapack_funcs

    if A.ndim < 2:
        raise RuntimeError(f"linalg.{called}: The input tensor A must have at least 2 dimensions.")
    if A.array.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"linalg.{called}: Expected a float or double tensor, but got {A.dtype}")
    function = get_lapack_funcs(routine, (A.array,))
    return np.vectorize(lambda *matrices: function(*matrices, **options), signature=signature)


def as_info(info):
    """What LAPACK says of each matrix: 0, or where it stopped."""
    return np.asarray(info).astype(np.int32)


def check_info(called, info, sentence, error=LinAlgError):
    """Raise an error about the first matrix that could not be decomposed."""
    if info.any():
        first = np.flatnonzero(info)[0]
        element = f"(Batch element {first}): " if info.ndim else ""
        raise error(f"{called}: {element}{sentence.format(info.flat[first])}")


def unbroken(A, info):
    """The matrices, the unit matrix in place of each one that was not decomposed, and which ones were."""
    fine = wrap((info == 0)[..., None, None])
    return (A.where(fine, eye(A.shape[-1], dtype=A.dtype)) if info.any() else A), fine


def linalg_inv_ex(A, *, check_errors=False):
    """The inverse, and 0 for each matrix that has one: an error only if it is asked for.

    >>> torch.linalg.inv_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    square("inv", A.array)
    info = factored("inv_ex", A)[2]
    if check_errors:
        reason = "the inversion could not be completed because the input matrix is singular."
        check_info("linalg.inv_ex", info, f"The diagonal element {{}} is zero, {reason}")
    regular, fine = unbroken(A, info)
    inverse = Inverse.apply(regular)
    return InverseInfo(inverse.masked_fill(~fine, np.nan) if info.any() else inverse, wrap(info))


def linalg_cholesky_ex(A, *, upper=False, check_errors=False):
    """Cholesky's factor, and 0 for each matrix that has one: an error only if it is asked for.

    >>> torch.linalg.cholesky_ex(torch.tensor([[-1.0]])).info
    tensor(1, dtype=torch.int32)
    """
    square("cholesky", A.array)
    factors, info = lapack("potrf", "cholesky_ex", A, "(n,n)->(n,n),()", lower=1)(A.array)
    info = as_info(info)
    if check_errors:
        reason = "The factorization could not be completed because the input is not positive-definite"
        minor = "(the leading minor of order {} is not positive-definite)."
        check_info("linalg.cholesky_ex", info, f"{reason} {minor}")
    definite, fine = unbroken(A, info)
    lower = Cholesky.apply(definite)
    lower = lower.where(fine, wrap(factors)) if info.any() else lower
    return CholeskyInfo(lower.mT if upper else lower, wrap(info))


def factored(called, A):
    """The factors of LU decompositions in one matrix, the rows that were exchanged, from 1, and the info."""
    factors, pivots, info = lapack("getrf", called, A, "(m,n)->(m,n),(k),()")(A.array)
    return factors, (pivots + 1).astype(np.int32), as_info(info)


def pivoting(called, pivot):
    if not pivot:
        raise RuntimeError(f"linalg.{called}: LU without pivoting is not implemented on the CPU")


@without_gradient
def linalg_lu_factor_ex(A, *, pivot=True, check_errors=False):
    """L and U in one matrix, the rows exchanged on the way, and 0 where U has no zero on its diagonal.

    >>> torch.linalg.lu_factor_ex(torch.tensor([[0.0, 1.0], [2.0, 3.0]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    pivoting("lu_factor", pivot)
    factors, pivots, info = factored("lu_factor", A)
    if check_errors:
        check_info("torch.linalg.lu_factor_ex", info, SINGULAR, RuntimeError)
    return LUInfo(*map(wrap, (factors, pivots, info)))


@without_gradient
def linalg_lu_factor(A, *, pivot=True):
    """L and U in one matrix, and the rows exchanged on the way: RuntimeError if U has a zero on its diagonal.

    >>> torch.linalg.lu_factor(torch.tensor([[2.0, 4.0], [1.0, 5.0]])).LU
    tensor([[2.0000, 4.0000],
            [0.5000, 3.0000]])
    """
    factors, pivots, info = linalg_lu_factor_ex(A, pivot=pivot)
    check_info("torch.linalg.lu_factor", info.array, SINGULAR, RuntimeError)
    return LUFactors(factors, pivots)


@without_gradient
def linalg_lu(A, *, pivot=True):
    """P, L and U with A = P L U: a permutation, and a lower and an upper triangle.

    >>> torch.linalg.lu(torch.tensor([[0.0, 1.0], [2.0, 3.0]])).U
    tensor([[2., 3.],
            [0., 1.]])
    """
    pivoting("lu", pivot)
    return PLU(*lu_unpack(*map(wrap, factored("lu", A)[:2])))


def permutation(pivots, count, dtype):
    """The matrices that exchange rows one pair after another, as `pivots` say."""
    exchanges = pivots.array.reshape(-1, pivots.shape[-1]) - 1
    every, order = np.arange(len(exchanges)), np.tile(np.arange(count), (len(exchanges), 1))
    for row, other in enumerate(exchanges.T):
        order[every, row], order[every, other] = order[every, other], order[every, row]
    matrices = np.eye(count, dtype=dtype.numpy)[order].swapaxes(-1, -2)
    return wrap(matrices.reshape(*pivots.shape[:-1], count, count))


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """P, L and U of what `linalg.lu_factor` gave.

    >>> torch.lu_unpack(*torch.linalg.lu_factor(torch.tensor([[2.0, 4.0], [1.0, 5.0]]))).L
    tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]])
    """
    rows, columns = LU_data.shape[-2:]
    P, L, U = (zeros(0, dtype=LU_data.dtype) for _ in range(3))
    if unpack_pivots:
        P = permutation(LU_pivots, rows, LU_data.dtype)
    if unpack_data:
        size = min(rows, columns)
        L = LU_data[..., :size].tril(-1) + wrap(np.eye(rows, size, dtype=LU_data.dtype.numpy))
        U = LU_data[..., :size, :].triu()
    return Unpacked(P, L, U)


def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """X with A X = B, or X A = B, for the A that `linalg.lu_factor` took; `adjoint`, for its transpose.

    >>> factors = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    >>> torch.linalg.lu_solve(*factors, torch.tensor([[2.0], [2.0]]))
    tensor([[1.0000],
            [0.5000]])
    """
    square("lu_solve", LU.array)
    if not left:
        return linalg_lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT
    P = permutation(pivots, LU.shape[-1], LU.dtype)
    if adjoint:
        half = linalg_solve_triangular(LU.mT, B, upper=False)
        return P @ linalg_solve_triangular(LU.mT, half, upper=True, unitriangular=True)
    half = linalg_solve_triangular(LU, P.mT @ B, upper=False, unitriangular=True)
    return linalg_solve_triangular(LU, half, upper=True)


@without_gradient
def linalg_ldl_factor_ex(A, *, hermitian=False, check_errors=False):
    """L and D with A = L D Lᵀ in one matrix, for a symmetric A, the rows exchanged on the way, and the info.

    >>> torch.linalg.ldl_factor_ex(torch.tensor([[2.0, 1.0], [1.0, 3.0]])).LD
    tensor([[2.0000, 0.0000],
            [0.5000, 2.5000]])
    """
    square("ldl_factor_ex", A.array)
    factors, pivots, info = lapack("sytrf", "ldl_factor_ex", A, "(n,n)->(n,n),(n),()", lower=1)(A.array)
    if check_errors:
        check_info("torch.linalg.ldl_factor_ex", as_info(info), "D[{0},{0}] is zero")
    return LDLInfo(wrap(np.tril(factors)), wrap(pivots.astype(np.int32)), wrap(as_info(info)))


@without_gradient
def linalg_ldl_factor(A, *, hermitian=False):
    """L and D with A = L D Lᵀ in one matrix, for a symmetric A, and the rows exchanged on the way.

    >>> torch.linalg.ldl_factor(torch.tensor([[2.0, 1.0], [1.0, 3.0]])).pivots
    tensor([1, 2], dtype=torch.int32)
    """
    factors, pivots, _ = linalg_ldl_factor_ex(A, hermitian=hermitian, check_errors=True)
    return LDL(factors, pivots)


def linalg_ldl_solve(LD, pivots, B, *, hermitian=False):
    """X with A X = B, for the A that `linalg.ldl_factor` took.

    >>> factors = torch.linalg.ldl_factor(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    >>> torch.linalg.ldl_solve(*factors, torch.tensor([[2.0], [2.0]]))
    tensor([[1.0000],
            [0.5000]])
    """
    if LD.requires_grad or B.requires_grad:
        raise NotImplementedError("linalg.ldl_solve has no gradient here: detach its input")
    square("ldl_solve", LD.array)
    solve = lapack("sytrs", "ldl_solve", LD, "(n,n),(n),(n,k)->(n,k),()", lower=1)
    return wrap(solve(LD.array, pivots.array, B.array)[0])


def linalg_tensorinv(A, ind=2):
    """The inverse of a tensor as a matrix whose rows its first `ind` dimensions are.

    >>> torch.linalg.tensorinv(2 * torch.eye(4).reshape(2, 2, 4)).shape
    torch.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = A.shape[:ind], A.shape[ind:]
    if rows.numel() != columns.numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
            f"got {columns.numel()} != {rows.numel()}"
        )
    return linalg_inv(A.reshape(rows.numel(), columns.numel())).reshape(*columns, *rows)


def linalg_tensorsolve(A, B, dims=None):
    """X with tensordot(A, X, X.ndim) = B; `dims` of A go to its end first.

    >>> torch.linalg.tensorsolve(2 * torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(-len(dims), 0)))
    shape = A.shape[B.ndim :]
    if shape.numel() != B.numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {shape.numel()} != {B.numel()}"
        )
    return linalg_solve(A.reshape(B.numel(), shape.numel()), B.reshape(-1)).reshape(shape)


@without_gradient
def linalg_lstsq(A, B, rcond=None, *, driver=None):
    """The least squares solution of A X = B, for matrices A and B or batches of them, which broadcast.

    >>> torch.linalg.lstsq(torch.tensor([[2.0], [0.0]]), torch.tensor([[6.0], [5.0]])).solution
    tensor([[3.]])
    """
    if driver not in DRIVERS:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    check_not_half("linalg_lstsq_cpu", A, B)
    right = B.unsqueeze(-1) if B.ndim == A.ndim - 1 else B
    batch = broadcast_shapes(A.shape[:-2], right.shape[:-2])
    rows, columns = A.shape[-2:]
    values = linalg_svdvals(A).array
    ratio = max(rows, columns) * np.finfo(values.dtype).eps if rcond is None else array_of(rcond)
    rank = np.asarray((values > ratio * values.max(-1, initial=0, keepdims=True)).sum(-1))
    solve = np.vectorize(lambda a, b: np.linalg.lstsq(a, b, ratio)[0], signature="(m,n),(m,k)->(n,k)")
    solution = solve(A.array, right.array)
    nothing = np.empty(0, values.dtype)
    residuals = nothing
    if rows > columns and driver not in (None, "gelsy") and (rank == columns).all():
        residuals = ((A.array @ solution - right.array) ** 2).sum(-2)
    found = wrap(np.broadcast_to(solution, (*batch, *solution.shape[-2:])).copy())
    return LeastSquares(
        found if right is B else found.squeeze(-1),
        wrap(residuals),
        wrap(rank if driver != "gels" else np.empty(0, np.int64)),
        wrap(values if driver in ("gelsd", "gelss") else nothing),
    )


def lu(A, pivot=True, get_infos=False, out=None):
    """L and U in one matrix, the rows exchanged on the way, and with `get_infos` the info, in a tuple."""
    found = tuple(linalg_lu_factor_ex(A, pivot=pivot))[: 3 if get_infos else 2]
    return found if out is None else put_out("lu", out, found)


@methods_of(Tensor)
class OlderNames:
    """What PyTorch had before `torch.linalg`, and keeps."""

    def cholesky(self, upper=False):
        """Decompose as `linalg.cholesky`, whose older name this is.

        >>> torch.tensor([[4.0]]).cholesky()
        tensor([[2.]])
        """
        return linalg_cholesky(self, upper=upper)

    def svd(self, some=True, compute_uv=True):
        """Decompose into U, S and V, of which `linalg.svd` gives the transpose; `some`, not square.

        >>> torch.tensor([[3.0, 0.0], [0.0, 4.0]]).svd().S
        tensor([4., 3.])
        """
        if not compute_uv:
            rows, columns = self.shape[-2:]
            empty = [zeros(*self.shape[:-2], n, n, dtype=self.dtype) for n in (rows, columns)]
            return OldSVD(empty[0], linalg_svdvals(self), empty[1])
        left, values, right = linalg_svd(self, full_matrices=not some)
        return OldSVD(left, values, right.mT)

    def qr(self, some=True):
        """Decompose as `linalg.qr`, whose older name this is; without `some` Q is square.

        >>> torch.tensor([[2.0]]).qr().R.abs()
        tensor([[2.]])
        """
        return OldQR(*linalg_qr(self, "reduced" if some else "complete"))

    def lu(self, pivot=True, get_infos=False):
        """Decompose as `linalg.lu_factor_ex`, with the info only if it is asked for.

        >>> torch.tensor([[2.0]]).lu()
        (tensor([[2.]]), tensor([1], dtype=torch.int32))
        """
        return lu(self, pivot, get_infos)

    def lu_solve(self, LU_data, LU_pivots):
        """Solve A X = self for the A that was decomposed into `LU_data` and `LU_pivots`.

        >>> torch.tensor([[6.0]]).lu_solve(*torch.tensor([[2.0]]).lu())
        tensor([[3.]])
        """
        return linalg_lu_solve(LU_data, LU_pivots, self)

    def triangular_solve(self, A, upper=True, transpose=False, unitriangular=False):
        """Solve A X = self, or with `transpose` Aᵀ X = self, for a triangular A, and return a copy of A too.

        >>> torch.tensor([[6.0]]).triangular_solve(torch.tensor([[2.0]])).solution
        tensor([[3.]])
        """
        options = {"upper": upper != transpose, "unitriangular": unitriangular}
        return TriangularSolve(linalg_solve_triangular(A.mT if transpose else A, self, **options), A.clone())
