"""PyTorch's second names: what has two names there has them here, and both are one method."""

from tinytorch.given import methods_of
from tinytorch.given.tensor import arithmetic, elementwise, formats, logic  # noqa: F401
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
        """x / y, integers as floating point numbers."""
        return self.div(other)

    def split_with_sizes(self, split_sizes, dim=0):
        """Views of the tensor cut along `dim` into pieces of these sizes."""
        return self.split(list(split_sizes), dim)

    unsafe_split_with_sizes = split_with_sizes

    def narrow_copy(self, dim, start, length):
        """A copy of `length` slices along `dim`, from `start` on."""
        return self.narrow(dim, start, length).clone()

    @property
    def H(self):
        """The conjugate transpose of a matrix, which is the transpose of a real one."""
        if self.ndim == 0:
            return self
        if self.ndim != 2:
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor. For "
                "batches of matrices, consider using tensor.mH"
            )
        return self.t()

    def adjoint(self):
        """The transposes of matrices in the last two dimensions."""
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
        """The tensor itself, which is no sparse one, or in another type."""
        return self.to(dtype=dtype)

    def pinverse(self, rcond=1e-15):
        """The pseudo-inverse of a matrix, of the singular values above `rcond` times the largest."""
        return linalg_pinv(self, rtol=rcond)

    def angle(self):
        """0 for a positive number, pi for a negative one, nan for nan."""
        x = self if self.is_floating_point() else self.float()
        return (x < 0).to(x.dtype).masked_fill(x.isnan(), float("nan")) * 3.141592653589793

    @property
    def imag(self):
        """The imaginary part, which real numbers have not."""
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")

    def isreal(self):
        """Whether each number is real: yes."""
        return full_like(self, True, dtype=bool_)

    def isposinf(self):
        """Whether each number is infinite and positive."""
        return self.eq(float("inf")) if self.is_floating_point() else zeros_like(self, dtype=bool_)

    def isneginf(self):
        """Whether each number is infinite and negative."""
        return self.eq(-float("inf")) if self.is_floating_point() else zeros_like(self, dtype=bool_)

    def dist(self, other, p=2):
        """The norm of the difference of two tensors."""
        return (self - tensors_only("dist", other)[0]).norm(p)

    def is_inference(self):
        """Whether the tensor was made in inference mode, which leaves no mark here: no."""
        return False

    def sum_to_size(self, *size):
        """The sums that undo a broadcast from `size` to this shape."""
        shape = sizes(size)
        added = self.ndim - len(shape)
        if added < 0 or any(n not in (1, m) for n, m in zip(shape, self.shape[added:])):
            raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
        stretched = [added + d for d, n in enumerate(shape) if n == 1 and self.shape[added + d] != 1]
        return (
            self.sum([*range(added), *stretched], keepdim=True).reshape(shape)
            if shape != self.shape
            else self
        )
