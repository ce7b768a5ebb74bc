"""PyTorch's second names: what has two names there has them here, and both are one method."""

from tinytorch.given import methods_of
from tinytorch.given.tensor import arithmetic, elementwise, formats, logic, splitting  # noqa: F401
from tinytorch.given.tensor.creation import full_like, zeros_like
from tinytorch.given.tensor.linear_algebra import linalg_pinv
from tinytorch.given.tensor.logic import tensors_only
from tinytorch.given.tensor.rearranging import cat
from tinytorch.given.tensor.views import sizes
from tinytorch.tensor import Tensor, bool_

__all__ = ["concat", "concatenate"]

SECOND_NAMES = {
    "absolute": "abs", "negative": "neg", "multiply": "mul", "subtract": "sub", "divide": "div",
    "fix": "trunc",
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "not_equal": "ne",
    "moveaxis": "movedim", "unsafe_chunk": "chunk", "unsafe_split": "split",
    "conj_physical": "conj",
}  # fmt: skip
methods_of(Tensor)(
    type("SecondNames", (), {second: getattr(Tensor, first) for second, first in SECOND_NAMES.items()})
)

concat = concatenate = cat


@methods_of(Tensor)
class OtherSpellings:
    """What PyTorch spells in other ways, or answers at once for numbers that are real."""

    def true_divide(self, other):
        """Divide, integers as floating point numbers: `div` without rounding.

        >>> torch.tensor([1.0, 2.0]).true_divide(4)
        tensor([0.2500, 0.5000])
        """
        return self.div(other)

    def split_with_sizes(self, split_sizes, dim=0):
        """Cut along `dim` into views of these sizes.

        >>> torch.arange(5).split_with_sizes([2, 3])
        (tensor([0, 1]), tensor([2, 3, 4]))
        """
        return self.split(list(split_sizes), dim)

    unsafe_split_with_sizes = split_with_sizes

    def narrow_copy(self, dim, start, length):
        """Copy `length` slices along `dim`, from `start` on.

        >>> torch.arange(5).narrow_copy(0, 1, 3)
        tensor([1, 2, 3])
        """
        return self.narrow(dim, start, length).clone()

    @property
    def H(self):
        """The conjugate transpose of a matrix, which is the transpose of a real one.

        >>> torch.ones(2, 3).H.shape
        torch.Size([3, 2])
        """
        if self.ndim == 0:
            return self
        if self.ndim != 2:
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor. For "
                "batches of matrices, consider using tensor.mH"
            )
        return self.t()

    def adjoint(self):
        """Transpose matrices in the last two dimensions; RuntimeError for a vector.

        >>> torch.tensor([[1, 2], [3, 4]]).adjoint()
        tensor([[1, 3],
                [2, 4]])
        """
        if self.ndim == 0:
            return self
        if self.ndim < 2:
            raise RuntimeError(
                "tensor.adjoint() is only supported on matrices or batches of matrices. "
                f"Got {self.ndim}-D tensor."
            )
        return self.transpose(-2, -1)

    mH = property(adjoint)

    def to_dense(self, dtype=None, *, masked_grad=None):
        """Return the tensor itself, which is no sparse one, or in another type.

        >>> torch.tensor([1, 2]).to_dense()
        tensor([1, 2])
        """
        return self.to(dtype=dtype)

    def pinverse(self, rcond=1e-15):
        """Compute the pseudo-inverse of a matrix, of the singular values above `rcond` times the largest.

        >>> torch.tensor([[2.0, 0.0], [0.0, 0.0]]).pinverse().abs()
        tensor([[0.5000, 0.0000],
                [0.0000, 0.0000]])
        """
        return linalg_pinv(self, rtol=rcond)

    def angle(self):
        """Tell the angle of each number in the complex plane: 0 for a positive one, π for a negative one.

        >>> torch.tensor([1.0, -1.0]).angle()
        tensor([0.0000, 3.1416])
        """
        x = self if self.is_floating_point() else self.float()
        return x.sign().clamp(max=0).abs().masked_fill(x.isnan(), float("nan")) * 3.141592653589793

    @property
    def imag(self):
        """The imaginary part, which real numbers have not: RuntimeError."""
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")

    def isreal(self):
        """Tell whether each number is real: yes.

        >>> torch.tensor([1.0, 2.0]).isreal()
        tensor([True, True])
        """
        return full_like(self, True, dtype=bool_)

    def isposinf(self):
        """Tell which numbers are infinite and positive.

        >>> torch.tensor([1.0, float("inf"), -float("inf")]).isposinf()
        tensor([False,  True, False])
        """
        return self.eq(float("inf")) if self.is_floating_point() else zeros_like(self, dtype=bool_)

    def isneginf(self):
        """Tell which numbers are infinite and negative.

        >>> torch.tensor([1.0, float("inf"), -float("inf")]).isneginf()
        tensor([False, False,  True])
        """
        return self.eq(-float("inf")) if self.is_floating_point() else zeros_like(self, dtype=bool_)

    def dist(self, other, p=2):
        """Compute the p-norm of the difference of two tensors.

        >>> torch.tensor([3.0, 4.0]).dist(torch.zeros(2))
        tensor(5.)
        """
        return (self - tensors_only("dist", other)[0]).norm(p)

    def is_inference(self):
        """Tell whether the tensor was made in inference mode, which leaves no mark here: no.

        >>> torch.ones(2).is_inference()
        False
        """
        return False

    def sum_to_size(self, *size):
        """Undo a broadcast from the shape `size`: add up what was stretched.

        >>> torch.ones(2, 3).sum_to_size(1, 3)
        tensor([[2., 2., 2.]])
        """
        shape = sizes(size, "sum_to_size")
        added = self.ndim - len(shape)
        if added < 0 or any(n not in (1, m) for n, m in zip(shape, self.shape[added:])):
            raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
        stretched = [added + d for d, n in enumerate(shape) if n == 1 and self.shape[added + d] != 1]
        return (
            self.sum([*range(added), *stretched], keepdim=True).reshape(shape)
            if shape != self.shape
            else self
        )
