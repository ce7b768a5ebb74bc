# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, _device, _dtype
from tinytorch._typed import Tensor as Tensor
from tinytorch import full_like as full_like
from tinytorch.nn.functional import softplus as softplus
from tinytorch import tensor as tensor
class Transform:
    """y = f(x), its inverse, and the logarithm of |dy/dx|."""
    def __call__(self, x): ...
    def __eq__(self, other): ...
    def __init__(self, cache_size=0) -> None: ...
    bijective: _bool
    codomain: Any
    domain: Any
    def forward_shape(self, shape):
        """The shape of the results."""
    inv: Any
    def inverse_shape(self, shape):
        """The shape of the results."""
    def log_abs_det_jacobian(self, x, y):
        """log |dy/dx|."""
    sign: Any
    def with_cache(self, cache_size=1):
        """This transform, which remembers its last value: to go back is then exact."""
class AffineTransform(Transform):
    """y = loc + scale x."""
    loc: Any
    scale: Any
    def __eq__(self, other): ...
    def __init__(self, loc, scale, event_dim=0, cache_size=0) -> None: ...
    codomain: Any
    domain: Any
    def log_abs_det_jacobian(self, x, y): ...
    sign: Any
class ComposeTransform(Transform):
    """Several transforms, one after the other."""
    parts: Any
    def __call__(self, x): ...
    def __init__(self, parts, cache_size=0) -> None: ...
    bijective: Any
    codomain: Any
    domain: Any
    def log_abs_det_jacobian(self, x, y): ...
    sign: Any
class Inverse(Transform):
    """A transform, undone."""
    def __call__(self, x): ...
    def __eq__(self, other): ...
    def __init__(self, transform) -> None: ...
    bijective: Any
    codomain: Any
    domain: Any
    inv: Any
    def log_abs_det_jacobian(self, x, y): ...
    sign: Any
class Plain(Transform):
    """A transform of each number without parameters: any two of a kind are equal."""
    def __init__(self, *args, **kwargs) -> None: ...
    def __eq__(self, other): ...
    sign: _int
class PowerTransform(Transform):
    """y = x^exponent, of positive numbers."""
    exponent: Any
    def __init__(self, exponent, cache_size=0) -> None: ...
    codomain: Any
    domain: Any
    def log_abs_det_jacobian(self, x, y): ...
    sign: Any
class AbsTransform(Plain):
    """y = |x|, which cannot be undone."""
    def __init__(self, *args, **kwargs) -> None: ...
    bijective: _bool
    codomain: Any
class ExpTransform(Plain):
    """y = exp(x)."""
    def __init__(self, *args, **kwargs) -> None: ...
    codomain: Any
    def log_abs_det_jacobian(self, x, y): ...
class SigmoidTransform(Plain):
    """y = 1 / (1 + exp(-x))."""
    def __init__(self, *args, **kwargs) -> None: ...
    codomain: Any
    def log_abs_det_jacobian(self, x, y): ...
class SoftplusTransform(Plain):
    """y = log(1 + exp(x))."""
    def __init__(self, *args, **kwargs) -> None: ...
    codomain: Any
    def log_abs_det_jacobian(self, x, y): ...
class TanhTransform(Plain):
    """y = tanh(x)."""
    def __init__(self, *args, **kwargs) -> None: ...
    codomain: Any
    def log_abs_det_jacobian(self, x, y): ...
identity_transform: Any
def sum_rightmost(value, dims):
    """The sum over the last dimensions."""
