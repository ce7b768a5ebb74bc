"""Products of matrices and vectors: `MatMul` by its other names, and `einsum`."""

import string

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.older_order import numbers_first
from tinytorch.given.tensor.promotion import in_float32
from tinytorch.tensor import Function, MatMul, Tensor, bool_, int64, promote_types, wrap

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
    return in_float32(MatMul, x, y)


def weighted(input, beta, product, alpha):
    """beta input + alpha product: integers by whole numbers; with a beta of 0 even NaN counts for nothing."""
    if not product.is_floating_point():
        beta, alpha = int(beta), int(alpha)
    return scaled(input, beta) + (product if alpha == 1 else product * alpha)


def weighted_product(input, x, y, multiply, beta, alpha):
    """beta input + alpha times a product of x and y."""
    return weighted(input, beta, multiply(x, y), alpha)


def scaled(input, beta):
    """beta times the input; with 0 even NaN counts for nothing."""
    if beta == 0:
        return input.masked_fill(wrap(np.ones(input.shape, bool)), 0)
    return input if beta == 1 else input * beta


class Einsum(Function):
    @staticmethod
    def forward(ctx, *arrays, equation):
        asked = [number for number in range(len(arrays)) if ctx.asks_for(number)]
        used = [asked != [number] for number in range(len(arrays))]  # by another's gradient
        ctx.save_for_backward(*[a if u else None for a, u in zip(arrays, used)])
        ctx.equation, ctx.shapes = equation, [a.shape for a in arrays]
        if len(arrays) == 2 and all(type(a) is np.ndarray for a in arrays):
            return in_product_order(equation, *arrays)
        output = np.einsum(equation, *arrays, optimize=True)
        if len(arrays) == 1 and np.may_share_memory(output, arrays[0]):  # then NumPy returned a view
            return output.copy()
        return output


def in_product_order(equation, left, right):
    """The einsum of two arrays, in memory as PyTorch leaves it, which makes one batched product of it.

    So a dropout behind it draws for the same elements. The letters of both come first, then those of the
    left and those of the right alone; these change places where the output has the right before the left.
    """
    inputs, letters = equation.split("->")
    terms = inputs.split(",")
    sizes = [dict(zip(term, x.shape)) for term, x in zip(terms, (left, right))]
    wide = [{c for c, n in found.items() if n != 1} for found in sizes]
    if "..." in equation or not (wide[0] & wide[1]) - set(letters):  # no product of matrices
        return np.einsum(equation, left, right, optimize=True)
    both = [c for c in letters if c in wide[0] & wide[1]]
    of_left = [c for c in letters if c in wide[0] - wide[1]]
    of_right = [c for c in letters if c not in both and c not in of_left]
    in_one_alone = set(terms[0]) ^ set(terms[1])
    behind = of_left and of_right and max(map(letters.index, of_right)) < letters.index(of_left[0])
    if behind and in_one_alone <= set(letters):
        of_left, of_right = of_right, of_left
    order = "".join(both + of_left + of_right)
    product = np.einsum(f"{inputs}->{order}", left, right, optimize=True)
    return np.ascontiguousarray(product).reshape(product.shape).transpose([order.index(c) for c in letters])


def einsum(equation, *operands):
    """Compute the sum of products that the equation describes.

    >>> einsum("ij,j->i", tensor([[1, 2], [3, 4]]), tensor([10, 1]))
    tensor([12, 34])
    """
    if isinstance(equation, Tensor):  # tensors and lists of numbers by turns, each number a letter
        equation, operands = lettered((equation, *operands))
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = inputs.replace(",", "").replace("...", "")
        output = "..." * ("..." in inputs) + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    terms = inputs.split(",")
    if len(terms) != len(operands):
        raise RuntimeError(f"einsum(): the equation has {len(terms)} operands, and {len(operands)} are given")
    if len(operands) == 1 and (view := einsum_view(operands[0], inputs, output)) is not None:
        return view
    dtype = einsum_dtype(terms, output, operands)
    try:
        return in_float32(Einsum, *[x.to(dtype) for x in operands], equation=f"{inputs}->{output}")
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from None


def lettered(arguments):
    """The equation and the operands of `einsum(x, [0, 1], y, [1, 2], [0, 2])`."""
    *pairs, output = arguments if len(arguments) % 2 else (*arguments, None)
    terms = ["".join(map(letter_of, numbers)) for numbers in pairs[1::2]]
    arrow = "" if output is None else "->" + "".join(map(letter_of, output))
    return ",".join(terms) + arrow, tuple(pairs[::2])


def letter_of(number):
    """The letter that a number from 0 to 51 stands for."""
    if number is ...:
        return "..."
    if not 0 <= number < len(string.ascii_letters):
        raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return (string.ascii_uppercase + string.ascii_lowercase)[number]


def einsum_view(x, term, output):
    """The view of one operand whose elements are only rearranged; None where some are summed, or refused."""
    before, dots, after = term.partition("...")
    rest = x.ndim - len(before) - len(after)
    letters, shared = [*before, *range(rest), *after], [*range(rest)] if dots else []
    twice = len(output.replace("...", "")) > len(set(output.replace("...", "")))
    if len(letters) != x.ndim or rest < 0 or set(term) != set(output) or twice:
        return None
    if any(x.shape[letters.index(letter)] != n for letter, n in zip(letters, x.shape)):
        return None
    while repeated := [letter for letter in letters if letters.count(letter) > 1]:
        first, second = [place for place, letter in enumerate(letters) if letter == repeated[0]][:2]
        x = x.diagonal(0, first, second)  # which becomes the last dimension
        letters = [letter for place, letter in enumerate(letters) if place not in (first, second)] + repeated[
            :1
        ]
    before, _, after = output.partition("...")
    return x.permute([letters.index(letter) for letter in (*before, *shared, *after)])


def einsum_dtype(terms, output, operands):
    """The type of a sum of products, as PyTorch finds it, one pair of operands after the other.

    What is summed of one operand alone, if it holds integers, becomes int64. What is summed of two is a
    matrix product, which wants one type; a mere product takes any two.
    """
    lengths = [letter_lengths(term, x.shape) for term, x in zip(terms, operands)]
    dtype, letters = operands[0].dtype, set(lengths[0])
    if len(operands) == 1:
        return summed(dtype) if letters - set(output) else dtype
    letters, *others = [{c for c, n in found.items() if n != 1} for found in lengths]
    for number, (other, x) in enumerate(zip(others, operands[1:]), 2):
        needed = set(output).union(*terms[number:])
        left, right = letters - needed, other - needed
        types = [summed(dtype) if left - right else dtype, summed(x.dtype) if right - left else x.dtype]
        if left & right and types[0] is bool_ and all(operand.numel() for operand in operands):
            raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
        if left & right and types[0] is not types[1]:
            raise RuntimeError(f"expected operands of one type, but found {types[0]} and {types[1]}")
        dtype, letters = promote_types(*types), (letters | other) & needed
    return dtype


def summed(dtype):
    """The type of a sum."""
    return dtype if dtype.is_floating_point else int64


def letter_lengths(term, shape):
    """The length that each letter of an equation's term stands for."""
    before, _, after = term.partition("...")
    return dict(zip(before, shape)) | dict(zip(reversed(after), reversed(shape)))


@methods_of(Tensor)
class Products:
    """Products of matrices and vectors."""

    def matmul(self, other):
        """Multiply matrices: (..., n, k) by (..., k, m) gives (..., n, m); a vector has no dimension to keep.

        The leading dimensions broadcast. RuntimeError if the inner lengths differ.

        >>> torch.tensor([[1, 2], [3, 4]]).matmul(torch.tensor([10, 1]))
        tensor([12, 34])
        """
        if not isinstance(other, Tensor):
            raise TypeError(f"matmul(): argument 'other' must be Tensor, not {type(other).__name__}")
        return in_float32(MatMul, self, other)

    def outer(self, vec2):
        """Multiply every element of one vector (n) by every one of another (m): a matrix (n, m).

        >>> torch.tensor([1, 2]).outer(torch.tensor([10, 20]))
        tensor([[10, 20],
                [20, 40]])
        """
        if self.ndim != 1 or vec2.ndim != 1:
            raise RuntimeError(f"outer: expected two 1-D tensors, but got {self.ndim}-D and {vec2.ndim}-D")
        return self.unsqueeze(1) * vec2

    def mm(self, mat2):
        """Multiply a matrix (n, k) by a matrix (k, m); RuntimeError for other numbers of dimensions.

        >>> torch.tensor([[1, 2], [3, 4]]).mm(torch.tensor([[1, 0], [1, 1]]))
        tensor([[3, 2],
                [7, 4]])
        """
        return matrix_product(self, mat2, (2, 2), "mm")

    def bmm(self, mat2):
        """Multiply matrices pair by pair: (b, n, k) by (b, k, m) gives (b, n, m); nothing broadcasts.

        >>> torch.ones(2, 3, 4).bmm(torch.ones(2, 4, 5)).shape
        torch.Size([2, 3, 5])
        """
        return matrix_product(self, mat2, (3, 3), "bmm")

    def mv(self, vec):
        """Multiply a matrix (n, k) by a vector (k).

        >>> torch.tensor([[1, 2], [3, 4]]).mv(torch.tensor([10, 1]))
        tensor([12, 34])
        """
        return matrix_product(self, vec, (2, 1), "mv")

    def dot(self, tensor):
        """Add up the products of the elements of two vectors.

        >>> torch.tensor([1, 2]).dot(torch.tensor([10, 1]))
        tensor(12)
        """
        return matrix_product(self, *tensors_only("dot", tensor), (1, 1), "dot")

    @numbers_first("beta", "alpha")
    def addmm(self, mat1, mat2, *, beta=1, alpha=1):
        """Compute beta self + alpha mat1 @ mat2.

        >>> torch.ones(2, 2).addmm(torch.eye(2), torch.eye(2), alpha=5)
        tensor([[6., 1.],
                [1., 6.]])
        """
        return in_float32(weighted_product, self, mat1, mat2, multiply=Tensor.mm, beta=beta, alpha=alpha)
