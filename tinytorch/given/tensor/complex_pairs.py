"""Complex numbers as pairs of real ones, as far as rotary positions need them: `polar` and products.

A pair is no Tensor. It has products, sums and other shapes, through which gradients go, and nothing else:
complex numbers are left out otherwise.
"""

from tinytorch.given.tensor.legacy_types import complex64, complex128
from tinytorch.given.tensor.rearranging import stack
from tinytorch.tensor import Size, Tensor, float64

__all__ = []  # imported on first use: tinytorch.polar

SHAPES = [
    "clone", "contiguous", "cpu", "cuda", "detach", "expand", "flatten", "index_select", "narrow", "permute",
    "repeat", "repeat_interleave", "reshape", "select", "squeeze", "to", "transpose", "unflatten",
    "unsqueeze", "view", "__getitem__",
]  # fmt: skip


class ComplexPair:
    """Complex numbers, whose real and imaginary parts lie in the last dimension of `pair`.

    >>> from tinytorch.given.tensor.creation import ones, zeros
    >>> view_as_real(polar(ones(1), zeros(1)) * 2)
    tensor([[2., 0.]])
    """

    def __init__(self, pair):
        self.pair = pair

    real = property(lambda self: self.pair[..., 0])
    imag = property(lambda self: self.pair[..., 1])
    shape = property(lambda self: Size(self.pair.shape[:-1]))
    ndim = property(lambda self: self.pair.ndim - 1)
    dtype = property(lambda self: complex128 if self.pair.dtype is float64 else complex64)
    device = property(lambda self: self.pair.device)
    requires_grad = property(lambda self: self.pair.requires_grad)

    def size(self, dim=None):
        """The shape, or one length of it."""
        return self.shape if dim is None else self.shape[dim]

    def conj(self):
        """The numbers with the other sign before their imaginary parts."""
        return of_parts(self.real, -self.imag)

    def abs(self):
        """How far the numbers are from 0."""
        return self.pair.norm(2, -1)

    def angle(self):
        """In which direction they lie."""
        return self.imag.atan2(self.real)

    def __mul__(self, other):
        a, b = self.real, self.imag
        if not isinstance(other, ComplexPair):
            return of_parts(a * other, b * other)
        c, d = other.real, other.imag
        return of_parts(a * c - b * d, a * d + b * c)

    def __add__(self, other):
        return of_parts(self.real + other.real, self.imag + other.imag)

    __rmul__ = __mul__

    def __getattr__(self, name):
        raise AttributeError(f"tinytorch leaves out complex numbers: a pair of real ones has no {name}")

    def __repr__(self):
        return f"{type(self).__name__}({self.pair})"


def of_parts(real, imag):
    """The numbers of these real and imaginary parts."""
    return ComplexPair(stack([real, imag], -1))


def of_both(name):
    """A method that changes the shape of the real parts and of the imaginary parts alike."""

    def method(self, *args, **kwargs):
        return of_parts(*[getattr(part, name)(*args, **kwargs) for part in (self.real, self.imag)])

    method.__name__, method.__doc__ = name, f"`Tensor.{name}` of both parts."
    return method


for _name in SHAPES:
    setattr(ComplexPair, _name, of_both(_name))


def polar(abs, angle):
    """The complex numbers of these distances from 0 and directions."""
    return of_parts(abs * angle.cos(), abs * angle.sin())


def view_as_complex(input):
    """Real numbers (..., 2) as complex ones (...)."""
    if not isinstance(input, Tensor) or input.ndim == 0 or input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    return ComplexPair(input)


def view_as_real(input):
    """Complex numbers (...) as real ones (..., 2)."""
    if not isinstance(input, ComplexPair):
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return input.pair
