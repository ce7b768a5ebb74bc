"""`torch.linalg`: inverses, decompositions by NumPy, and norms, made of `MatMul` and sums.

The names begin with `linalg_`, as in PyTorch's core, because `norm` and `cross` alone are others.
"""

import functools
import math
from numbers import Integral

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axis_of, check_not_half
from tinytorch.given.tensor.creation import as_tensor
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.rearranging import stack
from tinytorch.given.tensor.return_types import return_types, structure
from tinytorch.tensor import Function, Tensor, array_of, broadcast_shapes, wrap

__all__ = [
    "Cholesky", "Det", "Inverse", "LinAlgError", "SingularValues", "Solve", "linalg_LinAlgError",
    "linalg_cholesky", "linalg_cross", "linalg_det", "linalg_diagonal", "linalg_eigh", "linalg_eigvalsh",
    "linalg_inv", "linalg_matmul", "linalg_matrix_norm", "linalg_matrix_rank",
    "linalg_norm", "linalg_pinv", "linalg_qr", "linalg_slogdet", "linalg_solve", "linalg_svd",
    "linalg_svdvals", "linalg_vecdot", "linalg_vector_norm",
]  # fmt: skip

SVD = structure("linalg_svd", "U", "S", "Vh")
QR = structure("linalg_qr", "Q", "R")
Eigh = structure("linalg_eigh", "eigenvalues", "eigenvectors")
SlogDet = structure("linalg_slogdet", "sign", "logabsdet")
structure("slogdet", "sign", "logabsdet")


class LinAlgError(RuntimeError):
    """A matrix that is singular, or not positive definite."""


linalg_LinAlgError = LinAlgError


def square(name, x):
    """Refuse what is no floating point matrix, or batch of them, with as many rows as columns."""
    if x.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if x.shape[-1] != x.shape[-2]:
        rows, columns = x.shape[-2:]
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if x.dtype.kind != "f":
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input.")


def decomposed(function, *arrays):
    check_not_half(f"linalg_{function.__name__}_cpu", *arrays)
    try:
        return function(*arrays)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(f"linalg: {error}") from None


class Inverse(Function):
    @staticmethod
    def forward(ctx, x):
        square("inv", x)
        output = decomposed(np.linalg.inv, x)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad):
        """d(A⁻¹) = -A⁻¹ dA A⁻¹."""
        inverse = as_tensor(ctx.saved_tensors[0])
        return -(inverse.mT @ (as_tensor(grad) @ inverse.mT))


class Det(Function):
    @staticmethod
    def forward(ctx, x):
        square("det", x)
        check_not_half("linalg_det_cpu", x)
        output = np.asarray(np.linalg.det(x))
        ctx.save_for_backward(x, output)
        return output

    @staticmethod
    def backward(ctx, grad):
        """Jacobi: d det A = det A tr(A⁻¹ dA)."""
        x, output = map(as_tensor, ctx.saved_tensors)
        return (as_tensor(grad) * output).unsqueeze(-1).unsqueeze(-1) * Inverse.apply(x).mT


class Solve(Function):
    @staticmethod
    def forward(ctx, a, b):
        square("solve", a)
        output = decomposed(np.linalg.solve, a, b)
        ctx.save_for_backward(a, output)
        return output

    @staticmethod
    def backward(ctx, grad):
        a, x = map(as_tensor, ctx.saved_tensors)
        grad_b = Solve.apply(a.mT, as_tensor(grad))
        return -(grad_b @ x.mT), grad_b


class Cholesky(Function):
    @staticmethod
    def forward(ctx, x):
        square("cholesky", x)
        output = decomposed(np.linalg.cholesky, x)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad):
        """I. Murray, "Differentiation of the Cholesky decomposition" (2016), equation 10."""
        lower = as_tensor(ctx.saved_tensors[0])
        inverse = Inverse.apply(lower)
        middle = (lower.mT @ as_tensor(grad)).tril()
        middle = middle - 0.5 * middle.diagonal(0, -2, -1).diag_embed()
        whole = inverse.mT @ (middle @ inverse)
        return (whole + whole.mT) / 2


class SingularValues(Function):
    once_differentiable = True

    @staticmethod
    def forward(ctx, x):
        left, output, right = decomposed(np.linalg.svd, x, False)
        ctx.save_for_backward(left, right)
        return output

    @staticmethod
    def backward(ctx, grad):
        """dS = diag(Uᵀ dA V)."""
        left, right = map(array_of, ctx.saved_tensors)
        return (left * array_of(grad)[..., None, :]) @ right


def without_gradient(function):
    """A decomposition by NumPy whose gradient is not among what the course has."""

    @functools.wraps(function)
    def decomposition(A, *args, **kwargs):
        check_not_half(function.__name__, A)
        if A.requires_grad:
            name = function.__name__.removeprefix("linalg_")
            raise NotImplementedError(f"linalg.{name} has no gradient here: detach its input")
        return function(A, *args, **kwargs)

    return decomposition


def linalg_inv(A):
    """The inverse of a matrix."""
    return Inverse.apply(A)


def linalg_det(A):
    """The determinant of a matrix."""
    return Det.apply(A)


def linalg_slogdet(A):
    """The sign, and the logarithm of the absolute value, of the determinant."""
    det = Det.apply(A)
    return SlogDet(det.sign(), det.abs().log())


def linalg_solve(A, B, *, left=True):
    """X with A X = B, or X A = B."""
    if not left:
        return linalg_solve(A.mT, B.mT).mT
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    right = B.unsqueeze(-1) if vector else B
    batch = broadcast_shapes(A.shape[:-2], right.shape[:-2])
    x = Solve.apply(A.expand(*batch, *A.shape[-2:]), right.expand(*batch, *right.shape[-2:]))
    return x.squeeze(-1) if vector else x


def linalg_cholesky(A, *, upper=False):
    """The lower triangle L with A = L Lᵀ, or its transpose."""
    return Cholesky.apply(A).mT if upper else Cholesky.apply(A)


@without_gradient
def linalg_svd(A, full_matrices=True):
    """U, S and Vh with A = U diag(S) Vh."""
    return SVD(*map(wrap, decomposed(np.linalg.svd, A.array, full_matrices)))


def linalg_svdvals(A):
    """The singular values of a matrix, the largest first."""
    return SingularValues.apply(A)


@without_gradient
def linalg_qr(A, mode="reduced"):
    """Q and R with A = Q R."""
    if mode == "r":
        return QR(wrap(np.empty(0, A.array.dtype)), wrap(np.linalg.qr(A.array, "r")))
    return QR(*map(wrap, np.linalg.qr(A.array, mode)))


@without_gradient
def linalg_eigh(A, UPLO="L"):
    """The eigenvalues, ascending, and the eigenvectors of a symmetric matrix."""
    return Eigh(*map(wrap, decomposed(np.linalg.eigh, A.array, UPLO)))


@without_gradient
def linalg_eigvalsh(A, UPLO="L"):
    """The eigenvalues, ascending, of a symmetric matrix."""
    return wrap(decomposed(np.linalg.eigvalsh, A.array, UPLO))


@without_gradient
def linalg_pinv(A, *, atol=None, rtol=None, hermitian=False):
    """The pseudo-inverse, of the singular values above `atol`, and above `rtol` times the largest."""
    values, smallest = negligible(A, atol, rtol, hermitian)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(smallest > 0, smallest / values.max(-1, initial=0), 0)
    return wrap(np.linalg.pinv(A.array, ratio, hermitian).astype(A.array.dtype, copy=False))


@without_gradient
def linalg_matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    """The number of singular values above `atol` (or `tol`), and above `rtol` times the largest."""
    if tol is not None:
        atol, rtol = tol, 0.0
    values, smallest = negligible(A, atol, rtol, hermitian)
    return wrap(np.asarray((values > np.asarray(smallest)[..., None]).sum(-1)))


def negligible(A, atol, rtol, hermitian):
    """The singular values of matrices, and how large at most what is taken for zero among them is."""
    if A.ndim < 2:
        raise RuntimeError("linalg: The input tensor A must have at least 2 dimensions.")
    values = np.abs(np.linalg.eigvalsh(A.array)) if hermitian else np.linalg.svd(A.array, compute_uv=False)
    given, atol, rtol = atol is not None, array_of(atol), array_of(rtol)
    if rtol is None:  # nothing relative where something absolute is asked for
        usual = max(A.shape[-2:]) * np.finfo(A.array.dtype).eps
        rtol = np.where(np.asarray(atol) > 0, 0.0, usual) if given else usual
    return values, np.maximum(atol if given else 0.0, rtol * values.max(-1, initial=0))


def linalg_vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The norm of the elements along `dim`, all by default, as of one vector."""
    x = x if dtype is None else x.to(dtype)
    if not x.is_floating_point():
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input.")
    return x.norm(ord, dim, keepdim)


def linalg_matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """The norm of matrices: "fro", "nuc", 2 and -2 by singular values, 1 and inf by columns and rows."""
    x = (A if dtype is None else A.to(dtype)).movedim(dim, (-2, -1))
    if ord == "fro":
        norm = x.norm(2, (-2, -1))
    elif ord in (1, -1, math.inf, -math.inf):
        sums = x.abs().sum(-2 if abs(ord) == 1 else -1)
        norm = sums.amax(-1) if ord > 0 else sums.amin(-1)
    elif ord in ("nuc", 2, -2):
        values = linalg_svdvals(x)
        norm = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
    else:
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    for d in sorted(axis_of(d, A.ndim) for d in dim) if keepdim else ():
        norm = norm.unsqueeze(d)
    return norm


def linalg_norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """vector_norm, or matrix_norm where an order is given and two dimensions are meant."""
    if ord is not None and dim is None and A.ndim == 2:
        dim = (0, 1)
    if ord is not None and dim is not None and not isinstance(dim, Integral) and len(dim) == 2:
        return linalg_matrix_norm(A, ord, tuple(dim), keepdim, dtype=dtype)
    return linalg_vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def linalg_matmul(input, other):
    """The matrix product."""
    return input.matmul(other)


def linalg_vecdot(x, y, *, dim=-1):
    """The sums of products along `dim`."""
    return (x * y).sum(dim)


def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of matrices."""
    return A.diagonal(offset, dim1, dim2)


def linalg_cross(input, other, *, dim=-1):
    """The vector product of vectors of three elements along `dim`."""
    x, y = (t.movedim(dim, 0) for t in (input, other))
    return stack([x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))], dim)


@methods_of(Tensor)
class LinearAlgebra:
    """Properties of matrices."""

    def nuclear_norm(self, dim=None, keepdim=False):
        """Add up the singular values of matrices over two dimensions.

        >>> torch.tensor([[3.0, 0.0], [0.0, -4.0]]).nuclear_norm()
        tensor(7.)
        """
        return linalg_matrix_norm(self, "nuc", (0, 1) if dim is None else dim, keepdim)

    def inverse(self):
        """Compute the inverse of square matrices; LinAlgError for one that has none.

        >>> torch.tensor([[2.0, 0.0], [0.0, 4.0]]).inverse()
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
        """
        return Inverse.apply(self)

    def det(self):
        """Compute the determinant of square matrices.

        >>> torch.tensor([[2.0, 1.0], [0.0, 4.0]]).det()
        tensor(8.)
        """
        return Det.apply(self)

    def logdet(self):
        """Compute the logarithm of the determinant of square matrices: NaN for a negative one.

        >>> torch.tensor([[2.0, 1.0], [0.0, 4.0]]).logdet()
        tensor(2.0794)
        """
        return Det.apply(self).log()

    def slogdet(self):
        """Compute the sign of the determinant, and the logarithm of its absolute value.

        >>> torch.tensor([[-2.0, 1.0], [0.0, 4.0]]).slogdet().sign
        tensor(-1.)
        """
        return return_types.slogdet(*linalg_slogdet(self))

    def cross(self, other, dim=None):
        """Compute the vector product along `dim`, by default the first dimension of length 3.

        >>> torch.tensor([1, 0, 0]).cross(torch.tensor([0, 1, 0]))
        tensor([0, 0, 1])
        """
        tensors_only("cross", other)
        first = next(d for d, n in enumerate(self.shape) if n == 3) if dim is None else dim
        return linalg_cross(self, other, dim=first)
