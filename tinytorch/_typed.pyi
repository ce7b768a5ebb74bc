# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
class Size(builtins.tuple):
    """The lengths of a tensor's dimensions: a tuple that prints as PyTorch's does."""
    def __init__(self, *args, **kwargs) -> None: ...
    def __add__(self, other): ...
    def __getitem__(self, index): ...
    def numel(self):
        """The number of elements in a tensor of this shape."""
class dtype:
    """A number type under PyTorch's name; `numpy` is NumPy's object for the same type."""
    is_floating_point: Any
    itemsize: Any
    name: Any
    numpy: Any
    def __init__(self, name, numpy) -> None: ...
    is_complex: _bool
    is_signed: Any
class device:
    index: Any
    type: Any
    def __enter__(self):
        """Let new tensors be made here, which only the processor can do."""
    def __eq__(self, other): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, type, index=None) -> None: ...
class Generator:
    """Draw the numbers that PyTorch's CPU generator draws from the same seed."""
    device: Any
    def __init__(self, device: Device = 'cpu') -> None: ...
    def bernoulli(self, p, size=None): ...
    def cauchy(self, size, median: _float = 0.0, sigma: _float = 1.0, dtype: _dtype = ...):
        """Cauchy's numbers: median + sigma tan(pi (u - 1/2)), computed in float64."""
    def exponential(self, size, lambd: _float = 1.0, dtype: _dtype = ...):
        """Exponential numbers of rate `lambd`: -ln(1 - u) / lambd, computed in float64."""
    def gamma(self, concentration): ...
    def geometric(self, size, p, dtype: _dtype = ...):
        """Trials to the first success: ln u / ln(1 - p), rounded up, computed in float64."""
    def get_state(self):
        """Everything the next draws depend on, as 5,056 bytes in PyTorch's layout."""
    def initial_seed(self):
        """The seed that the stream was last started from."""
    def integers(self, low, high, size): ...
    def log_normal(self, size, mean=1.0, std=2.0, dtype: _dtype = ...): ...
    def manual_seed(self, seed): ...
    def multinomial(self, p, count, replacement: _bool = False): ...
    def normal(self, size, mean=0.0, std=1.0, dtype=...): ...
    def normal_pairs(self, count): ...
    def permutation(self, n):
        """The integers below `n` in random order, as int64, by Fisher and Yates's n - 1 swaps."""
    def poisson(self, rates):
        """Counts of events, each of its own rate: Knuth's products of uniform numbers, or rejection."""
    def random(self, size, dtype: _dtype = ...): ...
    def raw(self, size):
        """The next words of the stream, 32 random bits each, as uint32."""
    def seed(self):
        """Start again from a seed of the operating system's, and return that seed."""
    def set_state(self, state):
        """Go back to where `get_state` was called."""
    def uniform(self, size, low: _float = 0.0, high: _float = 1.0, dtype: _dtype = ...): ...
class layout:
    """How elements are stored: every tensor is `strided`."""
    def __init__(self, *args, **kwargs) -> None: ...
class memory_format:
    """An order of dimensions in memory, as `contiguous_format`."""
    name: Any
    rank: Any
    def __init__(self, name, rank=None) -> None: ...
class Tensor:
    """A multi-dimensional array that operations can be applied to, and later differentiated."""
    def __init__(self, *args, **kwargs) -> None: ...
    H: Tensor
    T: Tensor
    def __abs__(self) -> Tensor:
        """Compute |x| of each element, in its type."""
    def __add__(self, other: Operand) -> Tensor: ...
    def __and__(self, other: Operand) -> Tensor: ...
    def __bool__(self) -> _bool: ...
    def __contains__(self, value) -> _bool: ...
    def __dlpack__(self, **kwargs) -> Tensor: ...
    def __dlpack_device__(self) -> Tensor: ...
    def __eq__(self, other: Operand) -> Tensor: ...
    def __float__(self) -> _float: ...
    def __floordiv__(self, other: Operand) -> Tensor: ...
    def __ge__(self, other: Operand) -> Tensor: ...
    def __getitem__(self, index) -> Tensor: ...
    def __gt__(self, other: Operand) -> Tensor: ...
    def __iadd__(self, other: Operand) -> Tensor: ...
    def __iand__(self, other: Operand) -> Tensor: ...
    def __ifloordiv__(self, other: Operand) -> Tensor: ...
    def __ilshift__(self, other: Operand) -> Tensor: ...
    def __imod__(self, other: Operand) -> Tensor: ...
    def __imul__(self, other: Operand) -> Tensor: ...
    def __index__(self) -> _int: ...
    def __int__(self) -> _int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Operand) -> Tensor: ...
    def __ipow__(self, other: Operand) -> Tensor: ...
    def __irshift__(self, other: Operand) -> Tensor: ...
    def __isub__(self, other: Operand) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Operand) -> Tensor: ...
    def __ixor__(self, other: Operand) -> Tensor: ...
    def __le__(self, other: Operand) -> Tensor: ...
    def __len__(self) -> _int: ...
    def __lshift__(self, other: Operand) -> Tensor: ...
    def __lt__(self, other: Operand) -> Tensor: ...
    def __matmul__(self, other: Operand) -> Tensor: ...
    def __mod__(self, other: Operand) -> Tensor: ...
    def __mul__(self, other: Operand) -> Tensor: ...
    def __ne__(self, other: Operand) -> Tensor: ...
    def __neg__(self) -> Tensor:
        """Change the sign of each element; RuntimeError for booleans."""
    def __or__(self, other: Operand) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Operand) -> Tensor: ...
    def __radd__(self, other: Operand) -> Tensor: ...
    def __rand__(self, other: Operand) -> Tensor: ...
    def __reversed__(self) -> Tensor: ...
    def __rfloordiv__(self, other: Operand) -> Tensor: ...
    def __rlshift__(self, other: Operand) -> Tensor: ...
    def __rmatmul__(self, other: Operand) -> Tensor: ...
    def __rmod__(self, other: Operand) -> Tensor: ...
    def __rmul__(self, other: Operand) -> Tensor: ...
    def __ror__(self, other: Operand) -> Tensor: ...
    def __rpow__(self, other: Operand) -> Tensor: ...
    def __rrshift__(self, other: Operand) -> Tensor: ...
    def __rshift__(self, other: Operand) -> Tensor: ...
    def __rsub__(self, other: Operand) -> Tensor: ...
    def __rtruediv__(self, other: Operand) -> Tensor: ...
    def __rxor__(self, other: Operand) -> Tensor: ...
    def __setitem__(self, index, value) -> None: ...
    def __sub__(self, other: Operand) -> Tensor: ...
    def __truediv__(self, other: Operand) -> Tensor: ...
    def __xor__(self, other: Operand) -> Tensor: ...
    def abs(self) -> Tensor:
        """Compute |x| of each element, in its type."""
    def abs_(self) -> Tensor:
        """Put what `abs` returns into the memory of the tensor, and return it."""
    def absolute(self) -> Tensor:
        """Alias of `abs`."""
    def absolute_(self) -> Tensor:
        """Put what `absolute` returns into the memory of the tensor, and return it."""
    def acos(self) -> Tensor:
        """Find the angle from 0 to π whose cosine is x; NaN for |x| > 1."""
    def acos_(self) -> Tensor:
        """Put what `acos` returns into the memory of the tensor, and return it."""
    def acosh(self) -> Tensor:
        """Find the number from 0 on whose hyperbolic cosine is x; NaN for x < 1."""
    def acosh_(self) -> Tensor:
        """Put what `acosh` returns into the memory of the tensor, and return it."""
    def add(self, other: Operand, *, alpha=1) -> Tensor:
        """Add alpha times `other`, a number or a tensor that broadcasts."""
    def add_(self, other: Operand, *, alpha=1) -> Tensor:
        """Put what `add` returns into the memory of the tensor, and return it."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Compute beta self + alpha times the sum of batch1 @ batch2 over the batch."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Put what `addbmm` returns into the memory of the tensor, and return it."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value=1) -> Tensor:
        """Compute self + value tensor1 / tensor2, element by element."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value=1) -> Tensor:
        """Put what `addcdiv` returns into the memory of the tensor, and return it."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value=1) -> Tensor:
        """Compute self + value tensor1 tensor2, element by element."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value=1) -> Tensor:
        """Put what `addcmul` returns into the memory of the tensor, and return it."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Compute beta self + alpha mat1 @ mat2."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Put what `addmm` returns into the memory of the tensor, and return it."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Compute beta self + alpha mat @ vec."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Put what `addmv` returns into the memory of the tensor, and return it."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Compute beta self + alpha times the outer product of two vectors."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Put what `addr` returns into the memory of the tensor, and return it."""
    def adjoint(self) -> Tensor:
        """Transpose matrices in the last two dimensions; RuntimeError for a vector."""
    def all(self, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Tell whether all elements along `dim`, or of the tensor, are other than 0."""
    def allclose(self, other: Operand, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """Tell whether all elements are close, as `isclose` has it: one bool."""
    def amax(self, dim: Dims = (), keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Find the largest elements along `dim`, one or several; equal ones share the gradient."""
    def amin(self, dim: Dims = (), keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Find the smallest elements along `dim`, one or several; equal ones share the gradient."""
    def aminmax(self, *, dim: Dims | None = None, keepdim: _bool = False, axis: Dims | None = None, keepdims=None):
        """Find the smallest and the largest element, along `dim` or of all."""
    def angle(self) -> Tensor: ...
    def any(self, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Tell whether an element along `dim`, or of the tensor, is other than 0."""
    def apply_(self, callable) -> Tensor:
        """Let each element be what a function of Python makes of it: slow, and without a gradient."""
    def arccos(self) -> Tensor:
        """Alias of `acos`."""
    def arccos_(self) -> Tensor:
        """Put what `arccos` returns into the memory of the tensor, and return it."""
    def arccosh(self) -> Tensor:
        """Alias of `acosh`."""
    def arccosh_(self) -> Tensor:
        """Put what `arccosh` returns into the memory of the tensor, and return it."""
    def arcsin(self) -> Tensor:
        """Alias of `asin`."""
    def arcsin_(self) -> Tensor:
        """Put what `arcsin` returns into the memory of the tensor, and return it."""
    def arcsinh(self) -> Tensor:
        """Alias of `asinh`."""
    def arcsinh_(self) -> Tensor:
        """Put what `arcsinh` returns into the memory of the tensor, and return it."""
    def arctan(self) -> Tensor:
        """Alias of `atan`."""
    def arctan2(self, other: Operand) -> Tensor:
        """Alias of `atan2`."""
    def arctan2_(self, other: Operand) -> Tensor:
        """Put what `arctan2` returns into the memory of the tensor, and return it."""
    def arctan_(self) -> Tensor:
        """Put what `arctan` returns into the memory of the tensor, and return it."""
    def arctanh(self) -> Tensor:
        """Alias of `atanh`."""
    def arctanh_(self) -> Tensor:
        """Put what `arctanh` returns into the memory of the tensor, and return it."""
    def argmax(self, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None) -> Tensor: ...
    def argmin(self, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None) -> Tensor: ...
    def argsort(self, dim: Dims = -1, descending: _bool = False, stable: _bool = False, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Tell where the elements stand that are the smallest, the next, ... along `dim`."""
    def argwhere(self) -> Tensor:
        """List the places of the elements other than 0, a row each."""
    def as_strided(self, size, stride, storage_offset=None) -> Tensor:
        """Look at the memory with another shape, strides and offset, all counted in elements."""
    def as_strided_(self, size, stride, storage_offset=None) -> Tensor:
        """Look at the same memory as `as_strided` does from now on, and return the tensor."""
    def as_strided_scatter(self, src, size, stride, storage_offset=None) -> Tensor:
        """Put `src` in place of what `as_strided` shows."""
    def as_subclass(self, cls) -> Tensor:
        """View this tensor as one of a class that is made from Tensor; TypeError for another class."""
    def asin(self) -> Tensor:
        """Find the angle from -π/2 to π/2 whose sine is x; NaN for |x| > 1."""
    def asin_(self) -> Tensor:
        """Put what `asin` returns into the memory of the tensor, and return it."""
    def asinh(self) -> Tensor:
        """Find the number whose hyperbolic sine is x."""
    def asinh_(self) -> Tensor:
        """Put what `asinh` returns into the memory of the tensor, and return it."""
    def atan(self) -> Tensor:
        """Find the angle between -π/2 and π/2 whose tangent is x."""
    def atan2(self, other: Operand) -> Tensor:
        """Find the angle from -π to π of the point (other, self), y before x as in mathematics."""
    def atan2_(self, other: Operand) -> Tensor:
        """Put what `atan2` returns into the memory of the tensor, and return it."""
    def atan_(self) -> Tensor:
        """Put what `atan` returns into the memory of the tensor, and return it."""
    def atanh(self) -> Tensor:
        """Find the number whose hyperbolic tangent is x: infinite at -1 and 1, NaN outside."""
    def atanh_(self) -> Tensor:
        """Put what `atanh` returns into the memory of the tensor, and return it."""
    def backward(self, gradient=None, retain_graph=None, create_graph: _bool = False, inputs=None) -> None: ...
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Compute beta self + alpha batch1 @ batch2, pair by pair."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1) -> Tensor:
        """Put what `baddbmm` returns into the memory of the tensor, and return it."""
    def bernoulli(self, p=None, *, generator: Generator | None = None) -> Tensor:
        """Draw 1, with the probability that each element says, or p for all, and 0 otherwise."""
    def bernoulli_(self, p=0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1, with probability p, a number or a tensor, and 0 otherwise."""
    def bfloat16(self, *, memory_format=None) -> Tensor:
        """Refuse to convert to a type that NumPy does not have: NotImplementedError."""
    def bincount(self, weights=None, minlength=0) -> Tensor: ...
    def bitwise_and(self, other: Operand) -> Tensor:
        """Keep the bits that both integers have; of booleans, both of which must hold."""
    def bitwise_and_(self, other: Operand) -> Tensor:
        """Put what `bitwise_and` returns into the memory of the tensor, and return it."""
    def bitwise_left_shift(self, other: Operand) -> Tensor: ...
    def bitwise_left_shift_(self, other: Operand) -> Tensor:
        """Put what `bitwise_left_shift` returns into the memory of the tensor, and return it."""
    def bitwise_not(self) -> Tensor: ...
    def bitwise_not_(self) -> Tensor:
        """Put what `bitwise_not` returns into the memory of the tensor, and return it."""
    def bitwise_or(self, other: Operand) -> Tensor:
        """Keep the bits that either of two integers has; of booleans, one of which must hold."""
    def bitwise_or_(self, other: Operand) -> Tensor:
        """Put what `bitwise_or` returns into the memory of the tensor, and return it."""
    def bitwise_right_shift(self, other: Operand) -> Tensor: ...
    def bitwise_right_shift_(self, other: Operand) -> Tensor:
        """Put what `bitwise_right_shift` returns into the memory of the tensor, and return it."""
    def bitwise_xor(self, other: Operand) -> Tensor:
        """Keep the bits in which two integers differ; of booleans, those that differ."""
    def bitwise_xor_(self, other: Operand) -> Tensor:
        """Put what `bitwise_xor` returns into the memory of the tensor, and return it."""
    def bmm(self, mat2: Tensor) -> Tensor: ...
    def bool(self, *, memory_format=None) -> Tensor:
        """Convert to booleans: whether each element is other than 0."""
    def broadcast_to(self, size) -> Tensor:
        """Stretch dimensions of length 1 to the lengths in `size`, a tuple."""
    def bucketize(self, boundaries, *, out_int32=False, right=False) -> Tensor:
        """Find the bucket of each element among `boundaries`, a sorted vector."""
    def byte(self, *, memory_format=None) -> Tensor:
        """Convert to uint8, dropping the fraction."""
    def cauchy_(self, median: _float = 0.0, sigma: _float = 1.0, *, generator: Generator | None = None) -> Tensor: ...
    def ceil(self) -> Tensor:
        """Round each element up, ⌈x⌉."""
    def ceil_(self) -> Tensor:
        """Put what `ceil` returns into the memory of the tensor, and return it."""
    def char(self, *, memory_format=None) -> Tensor:
        """Convert to int8, dropping the fraction."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """Decompose as `linalg.cholesky`, whose older name this is."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """Compute the inverse of A, of which this is the triangle of Cholesky's decomposition."""
    def cholesky_solve(self, input2, upper: _bool = False) -> Tensor:
        """Solve A X = self, where `input2` is the triangle of Cholesky's decomposition of A."""
    def chunk(self, chunks, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Cut along `dim` into at most so many views of one size, the last maybe shorter."""
    def clamp(self, min=None, max=None) -> Tensor: ...
    def clamp_(self, min=None, max=None) -> Tensor:
        """Put what `clamp` returns into the memory of the tensor, and return it."""
    def clamp_max(self, max) -> Tensor:
        """Lower what is above `max`, a number or a tensor, to it."""
    def clamp_max_(self, max) -> Tensor:
        """Put what `clamp_max` returns into the memory of the tensor, and return it."""
    def clamp_min(self, min) -> Tensor:
        """Raise what is below `min`, a number or a tensor, to it."""
    def clamp_min_(self, min) -> Tensor:
        """Put what `clamp_min` returns into the memory of the tensor, and return it."""
    def clip(self, min=None, max=None) -> Tensor:
        """Alias of `clamp`."""
    def clip_(self, min=None, max=None) -> Tensor:
        """Put what `clip` returns into the memory of the tensor, and return it."""
    def clone(self, *, memory_format=None) -> Tensor:
        """Copy the tensor, in its order of memory or in another; a gradient passes through."""
    def conj(self) -> Tensor:
        """Return the tensor itself, for real numbers are their own conjugates."""
    def conj_physical(self) -> Tensor:
        """Alias of `conj`."""
    def contiguous(self, memory_format=...) -> Tensor:
        """Lay the elements out in memory in the order of a format: itself where they are."""
    def copy_(self, other: Operand, non_blocking: _bool = False) -> Tensor: ...
    def copysign(self, other: Operand) -> Tensor:
        """Give each element the sign of `other`'s."""
    def copysign_(self, other: Operand) -> Tensor:
        """Put what `copysign` returns into the memory of the tensor, and return it."""
    def corrcoef(self) -> Tensor:
        """Compute the correlation of each pair of rows, whose columns are observations."""
    def cos(self) -> Tensor:
        """Compute the cosine of each element, an angle in radians."""
    def cos_(self) -> Tensor:
        """Put what `cos` returns into the memory of the tensor, and return it."""
    def cosh(self) -> Tensor:
        """Compute the hyperbolic cosine, (e^x + e^-x) / 2, of each element."""
    def cosh_(self) -> Tensor:
        """Put what `cosh` returns into the memory of the tensor, and return it."""
    def count_nonzero(self, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Count the elements other than 0, along `dim` or in all."""
    def cov(self, *, correction=1, fweights=None, aweights=None) -> Tensor: ...
    def cpu(self, memory_format=None) -> Tensor:
        """Bring the tensor to the processor's memory: itself where it is there."""
    def cross(self, other: Operand, dim: Dims | None = None) -> Tensor:
        """Compute the vector product along `dim`, by default the first dimension of length 3."""
    def cuda(self, device: Device | None = None, non_blocking: _bool = False, *, memory_format=None) -> Tensor: ...
    def cummax(self, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None):
        """Find the largest element so far along `dim`, and its position."""
    def cummin(self, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None):
        """Find the smallest element so far along `dim`, and its position."""
    def cumprod(self, dim: Dims | None = None, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Multiply the elements so far along `dim`: y_i = x_0 ... x_i."""
    def cumprod_(self, dim: Dims, *, dtype: _dtype | None = None) -> Tensor:
        """Put what `cumprod` returns into the memory of the tensor, and return it."""
    def cumsum(self, dim: Dims | None = None, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Add up the elements so far along `dim`: y_i = x_0 + ... + x_i."""
    def cumsum_(self, dim: Dims, *, dtype: _dtype | None = None) -> Tensor:
        """Put what `cumsum` returns into the memory of the tensor, and return it."""
    data: Tensor
    def data_ptr(self) -> _int:
        """Tell the address of the first element in memory, in bytes."""
    def deg2rad(self) -> Tensor:
        """Turn angles in degrees into radians: x π / 180."""
    def deg2rad_(self) -> Tensor:
        """Put what `deg2rad` returns into the memory of the tensor, and return it."""
    def det(self) -> Tensor:
        """Compute the determinant of square matrices."""
    def detach(self) -> Tensor:
        """Look at the same memory without a gradient."""
    def detach_(self) -> Tensor:
        """Leave the graph: be a leaf without a gradient from now on; RuntimeError for a view."""
    device: _device
    def diag(self, diagonal: _int = 0) -> Tensor:
        """Copy the diagonal of a matrix, or make a matrix with a vector on its diagonal."""
    def diag_embed(self, offset=0, dim1: _int = -2, dim2=-1) -> Tensor: ...
    def diagflat(self, offset=0) -> Tensor:
        """Make a matrix with the elements of the tensor, flattened, on a diagonal."""
    def diagonal(self, offset=0, dim1: _int = 0, dim2=1) -> Tensor: ...
    def diagonal_scatter(self, src, offset=0, dim1: _int = 0, dim2=1) -> Tensor:
        """Put `src` in place of a diagonal."""
    def diff(self, n=1, dim: Dims = -1, prepend=None, append=None, *, axis: Dims | None = None, keepdims=None) -> Tensor: ...
    def digamma(self) -> Tensor:
        """Compute the derivative of log Γ(x)."""
    def digamma_(self) -> Tensor:
        """Put what `digamma` returns into the memory of the tensor, and return it."""
    def dim(self) -> _int:
        """Count the dimensions."""
    def dim_order(self, ambiguity_check=False):
        """List the dimensions as they lie in memory, the outermost first."""
    def dist(self, other: Operand, p=2) -> Tensor:
        """Compute the p-norm of the difference of two tensors."""
    def div(self, other: Operand, *, rounding_mode=None) -> Tensor: ...
    def div_(self, other: Operand, *, rounding_mode=None) -> Tensor:
        """Put what `div` returns into the memory of the tensor, and return it."""
    def divide(self, other: Operand, *, rounding_mode=None) -> Tensor:
        """Alias of `div`."""
    def divide_(self, other: Operand, *, rounding_mode=None) -> Tensor:
        """Put what `divide` returns into the memory of the tensor, and return it."""
    def dot(self, tensor) -> Tensor:
        """Add up the products of the elements of two vectors."""
    def double(self, *, memory_format=None) -> Tensor:
        """Convert to float64."""
    def dsplit(self, indices_or_sections) -> tuple[Tensor, ...]:
        """Cut into views along dimension 2: into that many parts, or at these positions."""
    dtype: _dtype
    def edge(self):
        """Where a gradient goes: (node that made the tensor, output), (leaf, 0), or None."""
    def element_size(self) -> _int:
        """Tell the number of bytes of an element."""
    def eq(self, other: Operand) -> Tensor:
        """Tell where self = other, a number or a tensor that broadcasts: a tensor of booleans."""
    def eq_(self, other: Operand) -> Tensor: ...
    def equal(self, other: Operand) -> _bool:
        """Tell whether both have the same shape and the same values: one bool."""
    def erf(self) -> Tensor:
        """Compute the error function, 2/√π ∫₀ˣ e^(-t²) dt: built in module 02 (activations)."""
    def erf_(self) -> Tensor:
        """Put what `erf` returns into the memory of the tensor, and return it."""
    def erfc(self) -> Tensor:
        """Compute 1 - erf(x), without loss of digits for large x."""
    def erfc_(self) -> Tensor:
        """Put what `erfc` returns into the memory of the tensor, and return it."""
    def erfinv(self) -> Tensor:
        """Find the number whose error function is x, for x from -1 to 1."""
    def erfinv_(self) -> Tensor:
        """Put what `erfinv` returns into the memory of the tensor, and return it."""
    def exp(self) -> Tensor:
        """Compute e^x of each element; integers become floating point numbers."""
    def exp2(self) -> Tensor:
        """Compute 2^x of each element."""
    def exp2_(self) -> Tensor:
        """Put what `exp2` returns into the memory of the tensor, and return it."""
    def exp_(self) -> Tensor:
        """Put what `exp` returns into the memory of the tensor, and return it."""
    def expand(self, *shape) -> Tensor:
        """Stretch dimensions of length 1 to other lengths, without a copy; -1 leaves one as it is."""
    def expand_as(self, other: Operand) -> Tensor:
        """Stretch dimensions of length 1 to the shape of `other`."""
    def expm1(self) -> Tensor: ...
    def expm1_(self) -> Tensor:
        """Put what `expm1` returns into the memory of the tensor, and return it."""
    def exponential_(self, lambd: _float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of the density lambd e^(-lambd x), x > 0."""
    def fill_(self, value) -> Tensor:
        """Set every element to one number."""
    def fill_diagonal_(self, fill_value, wrap: _bool = False) -> Tensor: ...
    def fix(self) -> Tensor:
        """Alias of `trunc`."""
    def fix_(self) -> Tensor:
        """Put what `fix` returns into the memory of the tensor, and return it."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """Make one dimension of those from `start_dim` to `end_dim`, both included."""
    def flip(self, *given, dims: Dims | None = None) -> Tensor:
        """Reverse the order of the elements along some dimensions: a copy."""
    def fliplr(self) -> Tensor:
        """Reverse the order of the columns, along dimension 1."""
    def flipud(self) -> Tensor:
        """Reverse the order of the rows, along dimension 0."""
    def float(self, *, memory_format=None) -> Tensor:
        """Convert to float32."""
    def float_power(self, exponent: Operand) -> Tensor:
        """Raise each element to a power in float64."""
    def float_power_(self, exponent: Operand) -> Tensor: ...
    def floor(self) -> Tensor:
        """Round each element down, ⌊x⌋."""
    def floor_(self) -> Tensor:
        """Put what `floor` returns into the memory of the tensor, and return it."""
    def floor_divide(self, other: Operand) -> Tensor:
        """Divide and round down, ⌊x / y⌋; RuntimeError for an integer by 0."""
    def floor_divide_(self, other: Operand) -> Tensor:
        """Put what `floor_divide` returns into the memory of the tensor, and return it."""
    def fmax(self, other: Operand) -> Tensor:
        """Take the larger of two elements, or the one that is not NaN."""
    def fmin(self, other: Operand) -> Tensor:
        """Take the smaller of two elements, or the one that is not NaN."""
    def fmod(self, other: Operand) -> Tensor: ...
    def fmod_(self, other: Operand) -> Tensor:
        """Put what `fmod` returns into the memory of the tensor, and return it."""
    def frac(self) -> Tensor:
        """Keep the fraction, with the sign: x - trunc(x)."""
    def frac_(self) -> Tensor:
        """Put what `frac` returns into the memory of the tensor, and return it."""
    def frexp(self):
        """Split each element into a mantissa from 0.5 to 1 and an exponent: x = mantissa 2^exponent."""
    def gather(self, dim: Dims, index) -> Tensor: ...
    def gcd(self, other: Operand) -> Tensor:
        """Find the greatest common divisor of two integers."""
    def gcd_(self, other: Operand) -> Tensor:
        """Put what `gcd` returns into the memory of the tensor, and return it."""
    def ge(self, other: Operand) -> Tensor:
        """Tell where self ≥ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def ge_(self, other: Operand) -> Tensor: ...
    def geometric_(self, p, *, generator: Generator | None = None) -> Tensor:
        """Fill with the number of trials that it takes to the first success, of probability p."""
    def ger(self, vec2: Tensor) -> Tensor:
        """Multiply every element of one vector by every one of another: `outer` by its old name."""
    def get_device(self) -> _int:
        """Tell the number of the GPU that holds the tensor; -1 on the processor."""
    grad: Any
    grad_fn: Any
    def greater(self, other: Operand) -> Tensor:
        """Alias of `gt`."""
    def greater_(self, other: Operand) -> Tensor: ...
    def greater_equal(self, other: Operand) -> Tensor:
        """Alias of `ge`."""
    def greater_equal_(self, other: Operand) -> Tensor: ...
    def gt(self, other: Operand) -> Tensor:
        """Tell where self > other, a number or a tensor that broadcasts: a tensor of booleans."""
    def gt_(self, other: Operand) -> Tensor: ...
    def half(self, *, memory_format=None) -> Tensor:
        """Convert to float16."""
    def hardshrink(self, lambd: _float = 0.5) -> Tensor:
        """Put 0 in place of what lies from -lambd to lambd."""
    def heaviside(self, values) -> Tensor:
        """Compute the step function: 0 for negative numbers, 1 for positive ones, and `values` at 0."""
    def heaviside_(self, values) -> Tensor:
        """Put what `heaviside` returns into the memory of the tensor, and return it."""
    def histc(self, bins=100, min=0, max=0) -> Tensor:
        """Count the elements in bins of one width from `min` to `max`; both 0 mean the data's own."""
    def histogram(self, bins=100, *, range=None, weight=None, density: _bool = False): ...
    def hsplit(self, indices_or_sections) -> tuple[Tensor, ...]: ...
    def hypot(self, other: Operand) -> Tensor:
        """Compute √(x² + y²), without overflow in between."""
    def hypot_(self, other: Operand) -> Tensor:
        """Put what `hypot` returns into the memory of the tensor, and return it."""
    def i0(self) -> Tensor:
        """Compute the modified Bessel function of the first kind, of order 0."""
    def i0_(self) -> Tensor:
        """Put what `i0` returns into the memory of the tensor, and return it."""
    def igamma(self, other: Operand) -> Tensor:
        """Compute the regularised lower incomplete gamma function P(self, other)."""
    def igamma_(self, other: Operand) -> Tensor:
        """Put what `igamma` returns into the memory of the tensor, and return it."""
    def igammac(self, other: Operand) -> Tensor: ...
    def igammac_(self, other: Operand) -> Tensor:
        """Put what `igammac` returns into the memory of the tensor, and return it."""
    imag: Any
    def index_add(self, dim: Dims, index, source, *, alpha=1) -> Tensor:
        """Add alpha times the slices of `source` to those along `dim` that `index` names."""
    def index_add_(self, dim: Dims, index, source, *, alpha=1) -> Tensor:
        """Put what `index_add` returns into the memory of the tensor, and return it."""
    def index_copy(self, dim: Dims, index, source) -> Tensor:
        """Put the slices of `source` in place of those along `dim` that `index` names."""
    def index_copy_(self, dim: Dims, index, source) -> Tensor:
        """Put what `index_copy` returns into the memory of the tensor, and return it."""
    def index_fill(self, dim: Dims, index, value) -> Tensor:
        """Put one number into the slices along `dim` that `index` names."""
    def index_fill_(self, dim: Dims, index, value) -> Tensor:
        """Put what `index_fill` returns into the memory of the tensor, and return it."""
    def index_put(self, indices, values, accumulate: _bool = False) -> Tensor:
        """Put values, or with `accumulate` add them, at an index given as a tuple of tensors."""
    def index_put_(self, indices, values, accumulate: _bool = False) -> Tensor:
        """Put what `index_put` returns into the memory of the tensor, and return it."""
    def index_reduce(self, dim: Dims, index, source, reduce, *, include_self: _bool = True) -> Tensor: ...
    def index_reduce_(self, dim: Dims, index, source, reduce, *, include_self: _bool = True) -> Tensor:
        """Put what `index_reduce` returns into the memory of the tensor, and return it."""
    def index_select(self, dim: Dims, index) -> Tensor:
        """Take the slices along `dim` that `index`, a vector of integers, names."""
    def inner(self, other: Operand) -> Tensor:
        """Add up the products over the last dimension of both."""
    def int(self, *, memory_format=None) -> Tensor:
        """Convert to int32, dropping the fraction."""
    def inverse(self) -> Tensor:
        """Compute the inverse of square matrices; LinAlgError for one that has none."""
    def is_complex(self) -> _bool:
        """Tell whether the numbers are complex: no."""
    def is_conj(self) -> _bool:
        """Tell whether the numbers are yet to be conjugated: no."""
    def is_contiguous(self) -> _bool:
        """Whether the elements lie in memory in the order of their indices, without gaps."""
    is_cpu: _bool
    is_cuda: _bool
    def is_distributed(self) -> _bool:
        """Tell whether the tensor is spread over several processes: no."""
    def is_floating_point(self) -> _bool:
        """Tell whether the elements are floating point numbers."""
    def is_inference(self) -> _bool:
        """Tell whether the tensor was made in inference mode, which leaves no mark here: no."""
    is_ipu: _bool
    is_leaf: _bool
    is_maia: _bool
    is_meta: _bool
    is_mkldnn: _bool
    is_mps: _bool
    is_mtia: _bool
    def is_neg(self) -> _bool:
        """Tell whether the numbers are yet to be negated: no."""
    is_nested: _bool
    def is_nonzero(self) -> _bool:
        """Tell whether the one element is other than 0; RuntimeError for more elements than one."""
    def is_pinned(self, device: Device | None = None) -> _bool:
        """Tell whether the memory is page-locked: no."""
    is_quantized: _bool
    def is_same_size(self, other: Operand) -> _bool:
        """Tell whether another tensor has the same shape."""
    def is_set_to(self, tensor) -> _bool:
        """Tell whether both are the same view of the same memory."""
    def is_shared(self) -> _bool:
        """Tell whether other processes see the memory: no."""
    def is_signed(self) -> _bool:
        """Tell whether the type has negative numbers."""
    is_sparse: _bool
    is_sparse_csr: _bool
    is_vulkan: _bool
    is_xla: _bool
    is_xpu: _bool
    def isclose(self, other: Operand, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
        """Tell where |self - other| ≤ atol + rtol |other|; NaN is close to NaN if `equal_nan`."""
    def isfinite(self) -> Tensor:
        """Tell which elements are neither infinite nor NaN."""
    def isin(self, test_elements, *, assume_unique=False, invert=False) -> Tensor:
        """Tell of each element whether it is among `test_elements`."""
    def isinf(self) -> Tensor:
        """Tell which elements are infinite, of either sign."""
    def isnan(self) -> Tensor:
        """Tell which elements are NaN, no number."""
    def isneginf(self) -> Tensor:
        """Tell which numbers are infinite and negative."""
    def isposinf(self) -> Tensor:
        """Tell which numbers are infinite and positive."""
    def isreal(self) -> Tensor:
        """Tell whether each number is real: yes."""
    def item(self):
        """Return the number in a tensor of one element; RuntimeError if there are more, or none."""
    itemsize: Any
    def kron(self, other: Operand) -> Tensor:
        """Multiply every element of this tensor by the whole of the other, in blocks."""
    def kthvalue(self, k: _int, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None):
        """Find the k-th smallest element along `dim`, counted from 1, and its position."""
    layout: Any
    def lcm(self, other: Operand) -> Tensor:
        """Find the least common multiple of two integers."""
    def lcm_(self, other: Operand) -> Tensor:
        """Put what `lcm` returns into the memory of the tensor, and return it."""
    def ldexp(self, other: Operand) -> Tensor:
        """Compute self 2^other."""
    def ldexp_(self, other: Operand) -> Tensor:
        """Put what `ldexp` returns into the memory of the tensor, and return it."""
    def le(self, other: Operand) -> Tensor:
        """Tell where self ≤ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def le_(self, other: Operand) -> Tensor: ...
    def lerp(self, end: Operand, weight) -> Tensor: ...
    def lerp_(self, end: Operand, weight) -> Tensor:
        """Put what `lerp` returns into the memory of the tensor, and return it."""
    def less(self, other: Operand) -> Tensor:
        """Alias of `lt`."""
    def less_(self, other: Operand) -> Tensor: ...
    def less_equal(self, other: Operand) -> Tensor:
        """Alias of `le`."""
    def less_equal_(self, other: Operand) -> Tensor: ...
    def lgamma(self) -> Tensor:
        """Compute log |Γ(x)|."""
    def lgamma_(self) -> Tensor:
        """Put what `lgamma` returns into the memory of the tensor, and return it."""
    def log(self) -> Tensor:
        """Compute the natural logarithm of each element: -inf at 0, NaN below."""
    def log10(self) -> Tensor:
        """Compute the logarithm to base 10 of each element."""
    def log10_(self) -> Tensor:
        """Put what `log10` returns into the memory of the tensor, and return it."""
    def log1p(self) -> Tensor: ...
    def log1p_(self) -> Tensor:
        """Put what `log1p` returns into the memory of the tensor, and return it."""
    def log2(self) -> Tensor:
        """Compute the logarithm to base 2 of each element."""
    def log2_(self) -> Tensor:
        """Put what `log2` returns into the memory of the tensor, and return it."""
    def log_(self) -> Tensor:
        """Put what `log` returns into the memory of the tensor, and return it."""
    def log_normal_(self, mean=1.0, std=2.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers whose logarithms are normal, of this mean and standard deviation."""
    def log_softmax(self, dim: Dims, dtype: _dtype | None = None) -> Tensor:
        """Compute the logarithm of softmax along `dim`: built in module 02 (activations)."""
    def logaddexp(self, other: Operand) -> Tensor:
        """Compute log(e^x + e^y), without overflow in between."""
    def logaddexp2(self, other: Operand) -> Tensor:
        """Compute log2(2^x + 2^y), without overflow in between."""
    def logcumsumexp(self, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Compute log(e^x_0 + ... + e^x_i) along `dim`, without overflow in between."""
    def logdet(self) -> Tensor:
        """Compute the logarithm of the determinant of square matrices: NaN for a negative one."""
    def logical_and(self, other: Operand) -> Tensor:
        """Tell where both elements are other than 0."""
    def logical_and_(self, other: Operand) -> Tensor: ...
    def logical_not(self) -> Tensor:
        """Tell which elements are 0."""
    def logical_not_(self) -> Tensor: ...
    def logical_or(self, other: Operand) -> Tensor:
        """Tell where an element, or both, is other than 0."""
    def logical_or_(self, other: Operand) -> Tensor: ...
    def logical_xor(self, other: Operand) -> Tensor:
        """Tell where one element of the two is 0, and not the other."""
    def logical_xor_(self, other: Operand) -> Tensor: ...
    def logit(self, eps=None) -> Tensor: ...
    def logit_(self, eps=None) -> Tensor:
        """Put what `logit` returns into the memory of the tensor, and return it."""
    def logsumexp(self, dim: Dims, keepdim: _bool = False) -> Tensor: ...
    def long(self, *, memory_format=None) -> Tensor:
        """Convert to int64, dropping the fraction."""
    def lt(self, other: Operand) -> Tensor:
        """Tell where self < other, a number or a tensor that broadcasts: a tensor of booleans."""
    def lt_(self, other: Operand) -> Tensor: ...
    def lu(self, pivot: _bool = True, get_infos: _bool = False):
        """Decompose as `linalg.lu_factor_ex`, with the info only if it is asked for."""
    def lu_solve(self, LU_data, LU_pivots) -> Tensor:
        """Solve A X = self for the A that was decomposed into `LU_data` and `LU_pivots`."""
    mH: Tensor
    mT: Tensor
    def map_(self, other: Operand, callable) -> Tensor:
        """Let each element be what a function of Python makes of it and of another tensor's: slow."""
    def masked_fill(self, mask: Tensor, value) -> Tensor:
        """Put a number in the places where `mask`, of booleans, holds; it broadcasts."""
    def masked_fill_(self, mask: Tensor, value) -> Tensor:
        """Put what `masked_fill` returns into the memory of the tensor, and return it."""
    def masked_scatter(self, mask: Tensor, source) -> Tensor:
        """Put the first elements of `source`, one after the other, where `mask` holds."""
    def masked_scatter_(self, mask: Tensor, source) -> Tensor:
        """Put what `masked_scatter` returns into the memory of the tensor, and return it."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """List the elements where `mask`, of booleans, holds."""
    def matmul(self, other: Operand) -> Tensor: ...
    def matrix_exp(self) -> Tensor:
        """Compute the exponential of square matrices, 1 + A + A²/2 + A³/6 + ..."""
    def matrix_power(self, n) -> Tensor:
        """Multiply a square matrix n times by itself; of a negative n, its inverse."""
    def max(self, dim=None, keepdim=False, *, other=None, axis=None, keepdims=None): ...
    def maximum(self, other: Operand) -> Tensor:
        """Take the larger of two elements, NaN if either is; `other` is a tensor that broadcasts."""
    def mean(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims: _bool = False) -> Tensor: ...
    def median(self, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None):
        """Find the lower of the middle elements; along `dim`, the medians and where they stand."""
    def min(self, dim=None, keepdim=False, *, other=None, axis=None, keepdims=None): ...
    def minimum(self, other: Operand) -> Tensor:
        """Take the smaller of two elements, NaN if either is; `other` is a tensor that broadcasts."""
    def mm(self, mat2: Tensor) -> Tensor:
        """Multiply a matrix (n, k) by a matrix (k, m); RuntimeError for other numbers of dimensions."""
    def mode(self, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None): ...
    def moveaxis(self, source, destination) -> Tensor:
        """Alias of `movedim`."""
    def movedim(self, source, destination) -> Tensor:
        """Move dimensions, one or a tuple, to other places; the rest keep their order."""
    def msort(self) -> Tensor:
        """Sort along dimension 0."""
    def mul(self, other: Operand) -> Tensor:
        """Multiply by `other`, a number or a tensor that broadcasts, element by element."""
    def mul_(self, other: Operand) -> Tensor:
        """Put what `mul` returns into the memory of the tensor, and return it."""
    def multinomial(self, num_samples, replacement: _bool = False, *, generator: Generator | None = None) -> Tensor: ...
    def multiply(self, other: Operand) -> Tensor:
        """Alias of `mul`."""
    def multiply_(self, other: Operand) -> Tensor:
        """Put what `multiply` returns into the memory of the tensor, and return it."""
    def mv(self, vec: Tensor) -> Tensor:
        """Multiply a matrix (n, k) by a vector (k)."""
    def mvlgamma(self, p) -> Tensor:
        """Compute the logarithm of the multivariate gamma function in p dimensions."""
    def mvlgamma_(self, p) -> Tensor:
        """Put what `mvlgamma` returns into the memory of the tensor, and return it."""
    name: Any
    def nan_to_num(self, nan=None, posinf=None, neginf=None) -> Tensor: ...
    def nan_to_num_(self, nan=None, posinf=None, neginf=None) -> Tensor:
        """Put what `nan_to_num` returns into the memory of the tensor, and return it."""
    def nanmean(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Average what is not NaN."""
    def nanmedian(self, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None):
        """Find the median of what is not NaN."""
    def nanquantile(self, q, dim: Dims | None = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis: Dims | None = None, keepdims=None) -> Tensor:
        """Find the quantiles of what is not NaN."""
    def nansum(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Add up what is not NaN."""
    def narrow(self, dim: Dims, start, length) -> Tensor:
        """Look at `length` slices along `dim`, from `start` on."""
    def narrow_copy(self, dim: Dims, start, length) -> Tensor:
        """Copy `length` slices along `dim`, from `start` on."""
    nbytes: Any
    ndim: _int
    def ndimension(self) -> _int:
        """Count the dimensions: `dim` by its old name."""
    def ne(self, other: Operand) -> Tensor:
        """Tell where self ≠ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def ne_(self, other: Operand) -> Tensor: ...
    def neg(self) -> Tensor:
        """Change the sign of each element; RuntimeError for booleans."""
    def neg_(self) -> Tensor:
        """Put what `neg` returns into the memory of the tensor, and return it."""
    def negative(self) -> Tensor:
        """Alias of `neg`."""
    def negative_(self) -> Tensor:
        """Put what `negative` returns into the memory of the tensor, and return it."""
    def nelement(self) -> _int:
        """Alias of `numel`."""
    def new(self, *data, device: Device | None = None) -> Tensor:
        """Make a tensor of this type: uninitialised, of these sizes, or with a copy of a sequence."""
    def new_empty(self, *size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
        """Make a tensor of whatever was in memory, in this tensor's type unless another is named."""
    def new_full(self, size, fill_value, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
        """Make a tensor of one value, in this tensor's type unless another is named."""
    def new_ones(self, *size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
        """Make a tensor of ones, in this tensor's type unless another is named."""
    def new_tensor(self, data, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
        """Make a tensor with a copy of `data`, in this tensor's type unless another is named."""
    def new_zeros(self, *size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
        """Make a tensor of zeros, in this tensor's type unless another is named."""
    def nextafter(self, other: Operand) -> Tensor:
        """Find the next number from self towards `other` that the type has."""
    def nextafter_(self, other: Operand) -> Tensor:
        """Put what `nextafter` returns into the memory of the tensor, and return it."""
    def nonzero(self, *, as_tuple: _bool = False): ...
    def nonzero_static(self, *, size, fill_value=-1) -> Tensor:
        """List the places of the first `size` elements other than 0, filled up with `fill_value`."""
    def norm(self, p='fro', dim: Dims | None = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor: ...
    def normal_(self, mean=0.0, std=1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal numbers of this mean and standard deviation."""
    def not_equal(self, other: Operand) -> Tensor:
        """Alias of `ne`."""
    def not_equal_(self, other: Operand) -> Tensor: ...
    def nuclear_norm(self, dim: Dims | None = None, keepdim: _bool = False) -> Tensor:
        """Add up the singular values of matrices over two dimensions."""
    def numel(self) -> _int:
        """Count the elements."""
    def numpy(self, *, force: _bool = False): ...
    def outer(self, vec2: Tensor) -> Tensor:
        """Multiply every element of one vector (n) by every one of another (m): a matrix (n, m)."""
    output_nr: Any
    def permute(self, *dims) -> Tensor: ...
    def pin_memory(self, device: Device | None = None) -> Tensor:
        """Refuse to lock the memory for an accelerator that is not there: RuntimeError."""
    def pinverse(self, rcond: _float = 1e-15) -> Tensor: ...
    def polygamma(self, n) -> Tensor:
        """Compute the n-th derivative of digamma."""
    def polygamma_(self, n) -> Tensor:
        """Put what `polygamma` returns into the memory of the tensor, and return it."""
    def positive(self) -> Tensor:
        """Return the tensor itself, as `+x` does; RuntimeError for booleans."""
    def pow(self, exponent: Operand) -> Tensor: ...
    def pow_(self, exponent: Operand) -> Tensor:
        """Put what `pow` returns into the memory of the tensor, and return it."""
    def prelu(self, weight) -> Tensor:
        """Compute max(x, 0) + weight min(x, 0); one weight, or one for each slice along dimension 1."""
    def prod(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Multiply the elements along `dim`, or all of them; integers and booleans as int64."""
    def put(self, index, source, accumulate: _bool = False) -> Tensor:
        """Put values, or with `accumulate` add them, at these places of the flattened tensor."""
    def put_(self, index, source, accumulate: _bool = False) -> Tensor:
        """Put what `put` returns into the memory of the tensor, and return it."""
    def qr(self, some: _bool = True):
        """Decompose as `linalg.qr`, whose older name this is; without `some` Q is square."""
    def quantile(self, q, dim: Dims | None = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis: Dims | None = None, keepdims=None) -> Tensor: ...
    def rad2deg(self) -> Tensor:
        """Turn angles in radians into degrees: x 180 / π."""
    def rad2deg_(self) -> Tensor:
        """Put what `rad2deg` returns into the memory of the tensor, and return it."""
    def random_(self, from_=None, to=None, *, generator: Generator | None = None) -> Tensor: ...
    def ravel(self) -> Tensor:
        """Flatten to one dimension."""
    real: Tensor
    def reciprocal(self) -> Tensor:
        """Compute 1 / x of each element."""
    def reciprocal_(self) -> Tensor:
        """Put what `reciprocal` returns into the memory of the tensor, and return it."""
    def register_hook(self, hook): ...
    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(tensor)` whenever `grad` of a leaf has been added to."""
    def relu(self) -> Tensor:
        """Compute max(x, 0): built in module 02 (activations)."""
    def relu_(self) -> Tensor:
        """Put what `relu` returns into the memory of the tensor, and return it."""
    def remainder(self, other: Operand) -> Tensor: ...
    def remainder_(self, other: Operand) -> Tensor:
        """Put what `remainder` returns into the memory of the tensor, and return it."""
    def renorm(self, p, dim: Dims, maxnorm, *, axis: Dims | None = None, keepdims=None) -> Tensor:
        """Scale slices along `dim` down to a p-norm of at most `maxnorm`."""
    def renorm_(self, p, dim: Dims, maxnorm) -> Tensor:
        """Put what `renorm` returns into the memory of the tensor, and return it."""
    def repeat(self, *repeats) -> Tensor:
        """Repeat the tensor that many times along each dimension: a copy."""
    def repeat_interleave(self, repeats=None, dim: Dims | None = None, *, output_size=None) -> Tensor: ...
    requires_grad: Any
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Ask for a gradient from now on, or no longer; RuntimeError for integers."""
    def reshape(self, *shape) -> Tensor: ...
    def reshape_as(self, other: Operand) -> Tensor:
        """Change the shape to that of `other`."""
    def resize_(self, *sizes_, memory_format=None) -> Tensor:
        """Take another shape over the same memory, or over more of it, where it does not suffice."""
    def resize_as_(self, the_template, *, memory_format=None) -> Tensor:
        """Take the shape of another tensor, as `resize_` does."""
    def resolve_conj(self) -> Tensor:
        """Return the tensor itself: nothing is yet to be conjugated."""
    def resolve_neg(self) -> Tensor:
        """Return the tensor itself: nothing is yet to be negated."""
    def retain_grad(self) -> None:
        """Keep the gradient in `grad` though the tensor is no leaf."""
    retains_grad: Any
    def roll(self, shifts, dims: Dims = ()) -> Tensor: ...
    def rot90(self, k: _int = 1, dims: Dims = (0, 1)) -> Tensor:
        """Turn the plane of two dimensions by k right angles."""
    def round(self, *, decimals=0) -> Tensor: ...
    def round_(self, *, decimals=0) -> Tensor:
        """Put what `round` returns into the memory of the tensor, and return it."""
    def rsqrt(self) -> Tensor:
        """Compute 1 / √x of each element."""
    def rsqrt_(self) -> Tensor:
        """Put what `rsqrt` returns into the memory of the tensor, and return it."""
    def rsub(self, other: Operand, *, alpha=1) -> Tensor:
        """Compute other - alpha self."""
    def scatter(self, dim: Dims, index, src=None, *, value=None, reduce=None) -> Tensor: ...
    def scatter_(self, dim: Dims, index, src=None, *, value=None, reduce=None) -> Tensor:
        """Put what `scatter` returns into the memory of the tensor, and return it."""
    def scatter_add(self, dim: Dims, index, src) -> Tensor: ...
    def scatter_add_(self, dim: Dims, index, src) -> Tensor:
        """Put what `scatter_add` returns into the memory of the tensor, and return it."""
    def scatter_reduce(self, dim: Dims, index, src, reduce, *, include_self: _bool = True) -> Tensor: ...
    def scatter_reduce_(self, dim: Dims, index, src, reduce, *, include_self: _bool = True) -> Tensor:
        """Put what `scatter_reduce` returns into the memory of the tensor, and return it."""
    def select(self, dim: Dims, index) -> Tensor:
        """Look at slice number `index` along `dim`, without that dimension."""
    def select_scatter(self, src, dim: Dims, index) -> Tensor:
        """Put `src` in place of slice number `index` along `dim`."""
    def set_(self, source=None, storage_offset=0, size=(), stride=()) -> Tensor: ...
    def sgn(self) -> Tensor:
        """Tell the sign of each element, as `sign` does for real numbers."""
    def sgn_(self) -> Tensor:
        """Put what `sgn` returns into the memory of the tensor, and return it."""
    shape: Size
    def share_memory_(self) -> Tensor:
        """Leave the memory where it is: a process that is forked has its own copy of it."""
    def short(self, *, memory_format=None) -> Tensor:
        """Convert to int16, dropping the fraction."""
    def sigmoid(self) -> Tensor:
        """Compute 1 / (1 + e^-x): built in module 02 (activations)."""
    def sigmoid_(self) -> Tensor:
        """Put what `sigmoid` returns into the memory of the tensor, and return it."""
    def sign(self) -> Tensor:
        """Tell the sign of each element: -1, 0 or 1 in the element's type; 0 for NaN."""
    def sign_(self) -> Tensor:
        """Put what `sign` returns into the memory of the tensor, and return it."""
    def signbit(self) -> Tensor:
        """Tell which elements have a minus sign, -0.0 too."""
    def sin(self) -> Tensor:
        """Compute the sine of each element, an angle in radians."""
    def sin_(self) -> Tensor:
        """Put what `sin` returns into the memory of the tensor, and return it."""
    def sinc(self) -> Tensor:
        """Compute sin(πx) / (πx), and 1 at 0."""
    def sinc_(self) -> Tensor:
        """Put what `sinc` returns into the memory of the tensor, and return it."""
    def sinh(self) -> Tensor:
        """Compute the hyperbolic sine, (e^x - e^-x) / 2, of each element."""
    def sinh_(self) -> Tensor:
        """Put what `sinh` returns into the memory of the tensor, and return it."""
    def size(self, dim: Dims | None = None): ...
    def slice_scatter(self, src, dim: Dims = 0, start=None, end: Operand | None = None, step=1) -> Tensor:
        """Put `src` in place of the slices start, start + step, ... before `end` along `dim`."""
    def slogdet(self):
        """Compute the sign of the determinant, and the logarithm of its absolute value."""
    def softmax(self, dim: Dims, dtype: _dtype | None = None) -> Tensor:
        """Compute e^x_i / Σ e^x_j along `dim`: built in module 02 (activations)."""
    def sort(self, dim: Dims = -1, descending: _bool = False, stable: _bool = False, *, axis: Dims | None = None, keepdims=None):
        """Sort along `dim`, and say where each element stood; equal ones keep their order."""
    def split(self, split_size, dim: Dims = 0) -> tuple[Tensor, ...]: ...
    def split_with_sizes(self, split_sizes, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Cut along `dim` into views of these sizes."""
    def sqrt(self) -> Tensor:
        """Compute the square root of each element: NaN below 0."""
    def sqrt_(self) -> Tensor:
        """Put what `sqrt` returns into the memory of the tensor, and return it."""
    def square(self) -> Tensor:
        """Compute x² of each element."""
    def square_(self) -> Tensor:
        """Put what `square` returns into the memory of the tensor, and return it."""
    def squeeze(self, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
        """Remove dimensions of length 1: all, or `dim`, one or a tuple, where it has length 1."""
    def squeeze_(self, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
        """Look at the same memory as `squeeze` does from now on, and return the tensor."""
    def std(self, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims: _bool = False) -> Tensor: ...
    def std_mean(self, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims=None) -> tuple[Tensor, ...]:
        """Compute the standard deviation and the mean, as `std` and `mean` do."""
    def storage(self):
        """Return all elements of the memory that the tensor looks into."""
    def storage_offset(self) -> _int:
        """Tell how many elements into its storage the tensor begins."""
    def stride(self, dim: Dims | None = None):
        """How many elements apart neighbours along each dimension, or `dim`, lie in memory."""
    def sub(self, other: Operand, *, alpha=1) -> Tensor: ...
    def sub_(self, other: Operand, *, alpha=1) -> Tensor:
        """Put what `sub` returns into the memory of the tensor, and return it."""
    def subtract(self, other: Operand, *, alpha=1) -> Tensor:
        """Alias of `sub`."""
    def subtract_(self, other: Operand, *, alpha=1) -> Tensor:
        """Put what `subtract` returns into the memory of the tensor, and return it."""
    def sum(self, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims: _bool = False) -> Tensor: ...
    def sum_to_size(self, *size) -> Tensor:
        """Undo a broadcast from the shape `size`: add up what was stretched."""
    def svd(self, some: _bool = True, compute_uv: _bool = True):
        """Decompose into U, S and V, of which `linalg.svd` gives the transpose; `some`, not square."""
    def swapaxes(self, axis0, axis1) -> Tensor:
        """Exchange two dimensions: `transpose` by NumPy's name."""
    def swapaxes_(self, axis0, axis1) -> Tensor:
        """Look at the same memory as `swapaxes` does from now on, and return the tensor."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Alias of `transpose`."""
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """Look at the same memory as `swapdims` does from now on, and return the tensor."""
    def t(self) -> Tensor:
        """Transpose a matrix; what has fewer dimensions is itself. RuntimeError for more than two."""
    def t_(self) -> Tensor:
        """Look at the same memory as `t` does from now on, and return the tensor."""
    def take(self, index) -> Tensor:
        """Take the elements at these places of the flattened tensor; IndexError for one outside."""
    def take_along_dim(self, indices, dim: Dims | None = None) -> Tensor: ...
    def tan(self) -> Tensor:
        """Compute the tangent of each element, an angle in radians."""
    def tan_(self) -> Tensor:
        """Put what `tan` returns into the memory of the tensor, and return it."""
    def tanh(self) -> Tensor:
        """Compute the hyperbolic tangent: built in module 02 (activations)."""
    def tanh_(self) -> Tensor:
        """Put what `tanh` returns into the memory of the tensor, and return it."""
    def tensor_split(self, indices_or_sections, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Cut along `dim` into views: into that many parts, or at these positions."""
    def tile(self, *dims) -> Tensor:
        """Lay the tensor out as `repeat` does, once along dimensions that are not named."""
    def to(self, *args, dtype: _dtype | None = None, device: Device | None = None, copy: _bool = False, non_blocking: _bool = False, memory_format=None) -> Tensor: ...
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad=None) -> Tensor:
        """Return the tensor itself, which is no sparse one, or in another type."""
    def tolist(self): ...
    def topk(self, k: _int, dim: Dims = -1, largest: _bool = True, sorted: _bool = True, *, axis: Dims | None = None, keepdims=None):
        """Find the k largest (or smallest) elements along `dim`, in order, and where they stand."""
    def trace(self) -> Tensor:
        """Add up the main diagonal of a matrix."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dimensions, in the same memory."""
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """Look at the same memory as `transpose` does from now on, and return the tensor."""
    def triangular_solve(self, A, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False): ...
    def tril(self, diagonal: _int = 0) -> Tensor:
        """Keep the lower triangle of matrices, up to the diagonal with this number; the rest is 0."""
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """Put what `tril` returns into the memory of the tensor, and return it."""
    def triu(self, diagonal: _int = 0) -> Tensor:
        """Keep the upper triangle of matrices, from the diagonal with this number on; the rest is 0."""
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """Put what `triu` returns into the memory of the tensor, and return it."""
    def true_divide(self, other: Operand) -> Tensor:
        """Divide, integers as floating point numbers: `div` without rounding."""
    def true_divide_(self, other: Operand) -> Tensor:
        """Put what `true_divide` returns into the memory of the tensor, and return it."""
    def trunc(self) -> Tensor:
        """Round each element towards 0."""
    def trunc_(self) -> Tensor:
        """Put what `trunc` returns into the memory of the tensor, and return it."""
    def type(self, dtype=None, non_blocking=False): ...
    def type_as(self, other: Operand) -> Tensor:
        """Convert to the type of `other`."""
    def unbind(self, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Look at every slice along `dim`: a tuple of views without that dimension."""
    def unflatten(self, dim: Dims, sizes) -> Tensor:
        """Make several dimensions of one: of `sizes`, one of which may be -1."""
    def unfold(self, dimension, size, step) -> Tensor: ...
    def uniform_(self, from_: _float = 0.0, to: _float = 1.0, *, generator: Generator | None = None, **bounds) -> Tensor:
        """Fill with numbers drawn evenly from `from` to `to`."""
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None): ...
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims | None = None): ...
    def unsafe_chunk(self, chunks, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Alias of `chunk`."""
    def unsafe_split(self, split_size, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Alias of `split`."""
    def unsafe_split_with_sizes(self, split_sizes, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Alias of `split_with_sizes`."""
    def unsqueeze(self, dim: Dims) -> Tensor:
        """Insert a dimension of length 1 before dimension `dim`."""
    def unsqueeze_(self, dim: Dims) -> Tensor:
        """Look at the same memory as `unsqueeze` does from now on, and return the tensor."""
    def untyped_storage(self):
        """Return all bytes of the memory that the tensor looks into."""
    def var(self, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims: _bool = False) -> Tensor:
        """Compute the variance along `dim`: Σ (x - mean)² / (n - correction)."""
    def var_mean(self, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims=None) -> tuple[Tensor, ...]:
        """Compute the variance and the mean, as `var` and `mean` do."""
    def vdot(self, other: Operand) -> Tensor:
        """Add up the products of the elements of two vectors, as `dot` does for real numbers."""
    def view(self, *shape, dtype: _dtype | None = None) -> Tensor: ...
    def view_as(self, other: Operand) -> Tensor:
        """Look at the same memory in the shape of `other`."""
    def vsplit(self, indices_or_sections) -> tuple[Tensor, ...]:
        """Cut into views along dimension 0: into that many parts, or at these positions."""
    def where(self, condition, other): ...
    def xlogy(self, other: Operand) -> Tensor:
        """Compute x log y, and 0 where x is 0."""
    def xlogy_(self, other: Operand) -> Tensor:
        """Put what `xlogy` returns into the memory of the tensor, and return it."""
    def zero_(self) -> Tensor:
        """Set every element to 0."""
class Parameter(Tensor):
    """A tensor that training changes: a module's own once it is assigned to an attribute."""
    def __init__(self, *args, **kwargs) -> None: ...
class Module:
    """The base of all layers and models: parameters, buffers, other modules, and a `forward`."""
    training: Any
    def __call__(self, *args, **kwargs): ...
    def __getattr__(self, name): ...
    def __init__(self) -> None: ...
    def __setattr__(self, name, value): ...
    def add_module(self, name, module): ...
    def apply(self, fn):
        """Call `fn` on every module, children before their parents, and return the module."""
    def bfloat16(self):
        """Refuse: there is no bfloat16."""
    def buffers(self, recurse: _bool = True):
        """Go over all buffers, each once."""
    def children(self):
        """Go over the modules directly below, each once."""
    def compile(self, *args, **kwargs):
        """Call `torch.compile` for the module, which leaves it as it is."""
    def cpu(self):
        """Move everything to the CPU, and return the module."""
    def cuda(self, device: Device | None = None):
        """Move everything to the GPU, and return the module; an error if there is no GPU."""
    def double(self):
        """Convert everything that is floating point to float64, and return the module."""
    def eval(self):
        """Switch this module and all below it to evaluation."""
    def extra_repr(self): ...
    def float(self):
        """Convert everything that is floating point to float32, and return the module."""
    forward: Any
    def get_buffer(self, target):
        """Return the buffer at a dotted path; AttributeError if there is none."""
    def get_parameter(self, target):
        """Return the parameter at a dotted path; AttributeError if there is none."""
    def get_submodule(self, target): ...
    def half(self):
        """Convert everything that is floating point to float16, and return the module."""
    def load_state_dict(self, state_dict, strict: _bool = True, assign: _bool = False):
        """Copy tensors into the parameters and buffers of the same names; see `load_state`."""
    def modules(self, remove_duplicate: _bool = True):
        """Go over this module and all modules below it, parents first."""
    def named_buffers(self, prefix: str = '', recurse: _bool = True, remove_duplicate: _bool = True):
        """All buffers as (name, buffer)."""
    def named_children(self):
        """Go over the modules directly below, as (name, module), each once."""
    def named_modules(self, memo=None, prefix: str = '', remove_duplicate: _bool = True):
        """This module and all modules below it, as (name, module), parents first."""
    def named_parameters(self, prefix: str = '', recurse: _bool = True, remove_duplicate: _bool = True):
        """All parameters as (name, parameter); with `recurse` off, this module's own."""
    def parameters(self, recurse: _bool = True):
        """Go over all parameters, each once: what an optimizer is given."""
    def register_backward_hook(self, hook):
        """Do what `register_full_backward_hook` does, by its older name."""
    def register_buffer(self, name, tensor, persistent: _bool = True):
        """Add a tensor that is state but not trained; one that is not `persistent` is not saved."""
    def register_forward_hook(self, hook, *, prepend: _bool = False, with_kwargs: _bool = False, always_call: _bool = False): ...
    def register_forward_pre_hook(self, hook, *, prepend: _bool = False, with_kwargs: _bool = False):
        """Call `hook(module, inputs)` before each forward; what it returns becomes the inputs."""
    def register_full_backward_hook(self, hook, prepend: _bool = False): ...
    def register_full_backward_pre_hook(self, hook, prepend: _bool = False):
        """Call `hook(module, grad_output)` in each backward; it may return a new `grad_output`."""
    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(module, incompatible_keys)` after loading; keys that it removes raise no error."""
    def register_load_state_dict_pre_hook(self, hook):
        """Call a hook before loading, which may change the state dict in place."""
    def register_module(self, name, module):
        """Alias of `add_module`."""
    def register_parameter(self, name, param):
        """Add a parameter under a name; None means that this module has no such parameter."""
    def register_state_dict_post_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata)` after; it may change it in place."""
    def register_state_dict_pre_hook(self, hook):
        """Call `hook(module, prefix, keep_vars)` before the module's part of a state dict is made."""
    def requires_grad_(self, requires_grad: _bool = True):
        """Switch the gradients of all parameters on or off, and return the module: off freezes them."""
    def set_submodule(self, target, module, strict: _bool = False):
        """Put a module at a dotted path; with `strict`, only to replace one."""
    def state_dict(self, *, destination=None, prefix: str = '', keep_vars: _bool = False):
        """All parameters and persistent buffers by name: detached, but the same memory."""
    def to(self, *args, dtype: _dtype | None = None, device: Device | None = None, non_blocking: _bool = False, tensor=None, memory_format=None): ...
    def to_empty(self, *, device: Device, recurse: _bool = True):
        """Move everything to a device, in memory that is not initialised, and return the module."""
    def train(self, mode: _bool = True):
        """Switch this module and all below it to training, or with False to evaluation."""
    def type(self, dst_type): ...
    def xpu(self, device: Device | None = None):
        """Refuse: Intel GPUs are not supported."""
    def zero_grad(self, set_to_none: _bool = True):
        """Forget the gradients of all parameters, or fill them with zeros."""

from numpy import generic, ndarray
_device = device
_dtype = dtype
Device = device | str | _int | None
Dims = _int | Sequence[_int]
Operand = Tensor | _int | _float | complex | ndarray | generic
