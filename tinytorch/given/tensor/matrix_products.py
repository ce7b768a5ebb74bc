"""Products of several matrices, and products with sums: made of `MatMul`, `outer` and views."""

import functools
import math
from numbers import Integral

from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import axis_of
from tinytorch.given.tensor.creation import eye
from tinytorch.given.tensor.linear_algebra import Inverse
from tinytorch.given.tensor.older_order import numbers_first
from tinytorch.given.tensor.products import scaled, weighted_product
from tinytorch.tensor import Tensor, in_float32

__all__ = ["chain_matmul", "linalg_matrix_power", "linalg_multi_dot", "tensordot"]


def tensordot(a, b, dims=2):
    """Contract dimensions of two tensors: the last and first `dims`, or those in a pair of lists.

    >>> tensordot(eye(2), eye(2), dims=2)
    tensor(2.)
    """
    dims = dims.tolist() if isinstance(dims, Tensor) else dims
    if isinstance(dims, Integral):
        dims = range(a.ndim - dims, a.ndim), range(dims)
    first, second = ([d] if isinstance(d, Integral) else d for d in dims)
    first, second = [axis_of(d, a.ndim) for d in first], [axis_of(d, b.ndim) for d in second]
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    for d, e in zip(first, second):
        if a.shape[d] != b.shape[e] and 1 not in (a.shape[d], b.shape[e]):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[d]} in dim {d} and second "
                f"has size {b.shape[e]} in dim {e}"
            )
    # where one has length 1, it goes with the sum of the other
    longer_a = [d for d, e in zip(first, second) if b.shape[e] == 1 != a.shape[d]]
    longer_b = [e for d, e in zip(first, second) if a.shape[d] == 1 != b.shape[e]]
    a = a.sum(longer_a, keepdim=True).to(a.dtype) if longer_a else a
    b = b.sum(longer_b, keepdim=True).to(b.dtype) if longer_b else b
    rows = [d for d in range(a.ndim) if d not in first]
    columns = [d for d in range(b.ndim) if d not in second]
    shapes = [[t.shape[d] for d in ds] for t, ds in ((a, rows), (a, first), (b, columns))]
    height, count, width = map(math.prod, shapes)
    left, right = a.permute(rows + first), b.permute(second + columns)
    return (left.reshape(height, count) @ right.reshape(count, width)).reshape(shapes[0] + shapes[2])


def linalg_multi_dot(tensors):
    """Multiply matrices in the order that costs least; the first and the last may be vectors."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    squeezed = [dim for dim in (0, -1) if tensors[dim].ndim == 1]
    for dim in squeezed:
        tensors[dim] = tensors[dim].unsqueeze(dim)
    sides = [tensors[0].shape[0], *(t.shape[1] for t in tensors)]

    @functools.cache
    def cheapest(i, j):
        """How many multiplications i..j take at least, and behind which matrix to cut for that."""
        ways = (
            (cheapest(i, k)[0] + cheapest(k + 1, j)[0] + sides[i] * sides[k + 1] * sides[j + 1], k)
            for k in range(i, j)
        )
        return min(ways, default=(0, i))

    def product(i, j):
        cut = cheapest(i, j)[1]
        return tensors[i] if i == j else product(i, cut) @ product(cut + 1, j)

    result = product(0, len(tensors) - 1)
    for dim in squeezed[::-1]:
        result = result.squeeze(dim)
    return result


def chain_matmul(*matrices):
    """Multiply matrices in the order that costs least."""
    return matrices[0].clone() if len(matrices) == 1 else linalg_multi_dot(matrices)


def linalg_matrix_power(A, n):
    """Multiply a square matrix n times by itself, by squaring; a negative n takes the inverse."""
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError("linalg.matrix_power: A must be batches of square matrices")
    if n == 1:
        return A.clone()
    x, n, result = (A, n, None) if n >= 0 else (Inverse.apply(A), -n, None)
    while n:
        if n % 2:
            result = x if result is None else result @ x
        x, n = (x @ x if n > 1 else x), n // 2
    return scaled(A, 0) + eye(A.shape[-1], dtype=A.dtype) if result is None else result


def sum_of_products(batch1, batch2):
    """The sum of batch1 @ batch2 over the batch, in the type of the first."""
    return batch1.bmm(batch2).sum(0).to(batch1.dtype)


@methods_of(Tensor)
class Chains:
    """Products of matrices and vectors with sums."""

    def matrix_power(self, n):
        """Multiply a square matrix n times by itself; of a negative n, its inverse.

        >>> torch.tensor([[1.0, 1.0], [0.0, 1.0]]).matrix_power(3)
        tensor([[1., 3.],
                [0., 1.]])
        """
        return linalg_matrix_power(self, n)

    def vdot(self, other):
        """Add up the products of the elements of two vectors, as `dot` does for real numbers.

        >>> torch.tensor([1, 2]).vdot(torch.tensor([10, 1]))
        tensor(12)
        """
        return self.dot(other)

    def ger(self, vec2):
        """Multiply every element of one vector by every one of another: `outer` by its old name.

        >>> torch.tensor([1, 2]).ger(torch.tensor([10, 20]))
        tensor([[10, 20],
                [20, 40]])
        """
        return self.outer(vec2)

    @numbers_first("beta", "alpha")
    def addmv(self, mat, vec, *, beta=1, alpha=1):
        """Compute beta self + alpha mat @ vec.

        >>> torch.ones(2).addmv(torch.eye(2), torch.tensor([1.0, 2.0]), alpha=5)
        tensor([ 6., 11.])
        """
        return in_float32(weighted_product, self, mat, vec, multiply=Tensor.mv, beta=beta, alpha=alpha)

    @numbers_first("beta", "alpha")
    def addr(self, vec1, vec2, *, beta=1, alpha=1):
        """Compute beta self + alpha times the outer product of two vectors.

        >>> torch.ones(2, 2).addr(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
        tensor([[ 2., 11.],
                [ 3., 21.]])
        """
        for name, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, float) and not (vec1.is_floating_point() or vec2.is_floating_point()):
                raise RuntimeError(
                    f"For integral input tensors, argument {name} must not be a floating point number."
                )
        return in_float32(weighted_product, self, vec1, vec2, multiply=Tensor.outer, beta=beta, alpha=alpha)

    @numbers_first("beta", "alpha")
    def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
        """Compute beta self + alpha batch1 @ batch2, pair by pair.

        >>> torch.ones(1, 2, 2).baddbmm(torch.ones(1, 2, 3), torch.ones(1, 3, 2))
        tensor([[[4., 4.],
                 [4., 4.]]])
        """
        return in_float32(weighted_product, self, batch1, batch2, multiply=Tensor.bmm, beta=beta, alpha=alpha)

    @numbers_first("beta", "alpha")
    def addbmm(self, batch1, batch2, *, beta=1, alpha=1):
        """Compute beta self + alpha times the sum of batch1 @ batch2 over the batch.

        >>> torch.ones(2, 2).addbmm(torch.ones(5, 2, 3), torch.ones(5, 3, 2))
        tensor([[16., 16.],
                [16., 16.]])
        """
        options = {"multiply": sum_of_products, "beta": beta, "alpha": alpha}
        return in_float32(weighted_product, self, batch1, batch2, **options)

    def trace(self):
        """Add up the main diagonal of a matrix.

        >>> torch.tensor([[1, 2], [3, 4]]).trace()
        tensor(5)
        """
        if self.ndim != 2:
            raise RuntimeError(f"trace: expected a matrix, but got input with dim {self.ndim}")
        return self.diagonal().sum()

    def inner(self, other):
        """Add up the products over the last dimension of both.

        >>> torch.tensor([[1, 2], [3, 4]]).inner(torch.tensor([10, 1]))
        tensor([12, 34])
        """
        if self.ndim == 0 or other.ndim == 0:
            return self * other
        if self.shape[-1] != other.shape[-1]:
            raise RuntimeError(
                "inner() the last dimension must match on both input tensors but got shapes "
                f"{list(self.shape)} and {list(other.shape)}"
            )
        return tensordot(self, other, (-1, -1))

    def kron(self, other):
        """Multiply every element of this tensor by the whole of the other, in blocks.

        >>> torch.tensor([1, 10]).kron(torch.tensor([1, 2]))
        tensor([ 1,  2, 10, 20])
        """
        n = max(self.ndim, other.ndim)
        x, y = (t.reshape([1] * (n - t.ndim) + list(t.shape)) for t in (self, other))
        spread = x.reshape([length for m in x.shape for length in (m, 1)])
        blocks = spread * y.reshape([length for m in y.shape for length in (1, m)])
        return blocks.reshape([a * b for a, b in zip(x.shape, y.shape)])
