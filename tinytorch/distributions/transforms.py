"""Functions of samples that can be undone, as in torch.distributions.transforms, with how they stretch."""

import functools
import math

from tinytorch.activations import softplus
from tinytorch.distributions import constraints
from tinytorch.tensor import Tensor, full_like, tensor


def sum_rightmost(value, dims):
    """The sum over the last dimensions."""
    return value.sum(tuple(range(-dims, 0))) if dims else value


class Transform:
    """y = f(x), its inverse, and the logarithm of |dy/dx|.

    `domain` and `codomain` are what goes in and what comes out; `sign` says whether f rises or falls.
    """

    bijective, domain, codomain = True, constraints.real, constraints.real

    def __init__(self, cache_size=0):
        self._cache_size, self._seen = cache_size, (None, None)

    def __call__(self, x):
        if self._cache_size and x is self._seen[0]:
            return self._seen[1]
        y = self._call(x)
        if self._cache_size:
            self._seen = x, y
        return y

    def _inv_call(self, y):
        if self._cache_size and y is self._seen[1]:
            return self._seen[0]
        x = self._inverse(y)
        if self._cache_size:
            self._seen = x, y
        return x

    @property
    def inv(self):
        """The transform that undoes this one."""
        return Inverse(self)

    @property
    def sign(self):
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """This transform, which remembers its last value: to go back is then exact."""
        self._cache_size = cache_size
        return self

    def log_abs_det_jacobian(self, x, y):
        """log |dy/dx|."""
        raise NotImplementedError

    def forward_shape(self, shape):
        """The shape of the results."""
        return shape

    inverse_shape = forward_shape

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __repr__(self):
        return f"{type(self).__name__}()"


class Inverse(Transform):
    """A transform, undone."""

    def __init__(self, transform):
        super().__init__(transform._cache_size)
        self._transform = transform

    domain = property(lambda self: self._transform.codomain)
    codomain = property(lambda self: self._transform.domain)
    bijective = property(lambda self: self._transform.bijective)
    sign = property(lambda self: self._transform.sign)
    inv = property(lambda self: self._transform)

    def __call__(self, x):
        return self._transform._inv_call(x)

    def _inv_call(self, y):
        return self._transform(y)

    def log_abs_det_jacobian(self, x, y):
        return -self._transform.log_abs_det_jacobian(y, x)

    def __eq__(self, other):
        return isinstance(other, Inverse) and self._transform == other._transform

    __hash__ = object.__hash__

    def __repr__(self):
        return f"Inverse({self._transform!r})"


class ComposeTransform(Transform):
    """Several transforms, one after the other."""

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)

    domain = property(lambda self: self.parts[0].domain if self.parts else constraints.real)
    codomain = property(lambda self: self.parts[-1].codomain if self.parts else constraints.real)
    bijective = property(lambda self: all(part.bijective for part in self.parts))

    @property
    def sign(self):
        return functools.reduce(lambda sign, part: sign * part.sign, self.parts, 1)

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def _inv_call(self, y):
        for part in reversed(self.parts):
            y = part._inv_call(y)
        return y

    def log_abs_det_jacobian(self, x, y):
        total, dims = 0, max([part.domain.event_dim for part in self.parts], default=0)
        for part in self.parts:
            then = part(x)
            total = total + sum_rightmost(part.log_abs_det_jacobian(x, then), dims - part.domain.event_dim)
            x = then
        return total if self.parts else full_like(x, 0.0)

    def __repr__(self):
        return f"{type(self).__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])


class AffineTransform(Transform):
    """y = loc + scale x."""

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def domain(self):
        return (
            constraints.independent(constraints.real, self._event_dim)
            if self._event_dim
            else constraints.real
        )

    codomain = domain

    @property
    def sign(self):
        return (
            self.scale.sign() if isinstance(self.scale, Tensor) else int(self.scale > 0) - int(self.scale < 0)
        )

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        if isinstance(self.scale, Tensor):
            stretch = self.scale.abs().log().expand(x.shape)
        else:
            stretch = full_like(x, math.log(abs(self.scale)))
        return sum_rightmost(stretch, self._event_dim)

    def __eq__(self, other):
        if not isinstance(other, AffineTransform):
            return False
        pairs = (self.loc, other.loc), (self.scale, other.scale)
        return all(bool((tensor(0.0) + mine == tensor(0.0) + theirs).all()) for mine, theirs in pairs)

    __hash__ = object.__hash__


class Plain(Transform):
    """A transform of each number without parameters: any two of a kind are equal."""

    sign = 1

    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = object.__hash__


class ExpTransform(Plain):
    """y = exp(x)."""

    codomain = constraints.positive

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class SigmoidTransform(Plain):
    """y = 1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval

    def _call(self, x):
        from tinytorch.distributions._discrete import away_from_ends

        return away_from_ends(x.sigmoid())

    def _inverse(self, y):
        from tinytorch.distributions._discrete import away_from_ends

        y = away_from_ends(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x) - softplus(x)


class TanhTransform(Plain):
    """y = tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class SoftplusTransform(Plain):
    """y = log(1 + exp(x))."""

    codomain = constraints.positive

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x)


class AbsTransform(Plain):
    """y = |x|, which cannot be undone."""

    bijective, codomain = False, constraints.positive

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class PowerTransform(Transform):
    """y = x^exponent, of positive numbers."""

    domain = codomain = constraints.positive

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else tensor(float(exponent))

    sign = property(lambda self: self.exponent.sign())

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()
