"""Distributions over real numbers: normal, even, exponential, gamma, and those of shares."""

import math
from functools import cached_property

import numpy as np

from tinytorch.distributions import constraints
from tinytorch.distributions.distribution import Distribution, broadcast_all
from tinytorch.tensor import (
    Function,
    Tensor,
    array_of,
    as_tensor,
    default_generator,
    linalg_cholesky,
    linalg_solve_triangular,
    ones,
    rand,
    stack,
    wrap,
    xlogy,
    zeros,
    zeros_like,
)
from tinytorch.tensor import normal as draw_normal


def standard_normal(shape, dtype):
    """Numbers of mean 0 and variance 1."""
    return draw_normal(zeros(shape, dtype=dtype), ones(shape, dtype=dtype))


class Normal(Distribution):
    """Gauss's distribution, of mean `loc` and standard deviation `scale`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support, has_rsample = constraints.real, True
    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale**2)

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            batch_shape, loc=self.loc.expand(batch_shape), scale=self.scale.expand(batch_shape)
        )

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.loc + standard_normal(shape, self.loc.dtype) * self.scale

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        squares = (value - self.loc) ** 2 / (2 * self.variance)
        return -squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value):
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """Numbers evenly from `low` to `high`."""

    has_rsample = True
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: math.nan * self.high)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: (self.high - self.low) ** 2 / 12)

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @property
    def support(self):
        return constraints.interval(self.low, self.high)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            batch_shape, low=self.low.expand(batch_shape), high=self.high.expand(batch_shape)
        )

    def rsample(self, sample_shape=()):
        return self.low + rand(self._extended_shape(sample_shape), dtype=self.low.dtype) * (
            self.high - self.low
        )

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        inside = (self.low <= value) & (self.high > value)
        return inside.to(self.low.dtype).log() - (self.high - self.low).log()

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return (self.high - self.low).log()


class Exponential(Distribution):
    """Waiting times, `rate` events in a unit of time."""

    arg_constraints = {"rate": constraints.positive}  # noqa: RUF012
    support, has_rsample = constraints.nonnegative, True
    mean = stddev = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: zeros_like(self.rate))
    variance = property(lambda self: self.rate.pow(-2))

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(batch_shape, rate=self.rate.expand(batch_shape))

    def rsample(self, sample_shape=()):
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value):
        return -(-value).log1p() / self.rate

    def entropy(self):
        return 1.0 - self.rate.log()


def slope_of(share, x, parameter):
    """How a distribution function `share(x, parameter)` changes with its parameter, by differences in float64."""
    step = 1e-5 * np.maximum(parameter, 1e-2)
    return (share(x, parameter + step) - share(x, parameter - step)) / (2 * step)


class StandardGamma(Function):
    """Draw from gamma distributions of rate 1, by Marsaglia and Tsang's rejection (2000).

    A sample x moves with its concentration so that its share of the probability stays what it is: dx/da =
    -(dF/da) / p (Figurnov, Mohamed and Mnih, 2018).
    """

    once_differentiable = True

    @staticmethod
    def forward(ctx, concentration):
        flat = concentration.astype(np.float64).ravel()
        drawn = np.array([default_generator.gamma(a) for a in flat.tolist()])
        tiny = np.finfo(concentration.dtype).tiny
        output = np.maximum(drawn.astype(concentration.dtype), tiny).reshape(concentration.shape)
        ctx.save_for_backward(concentration, output)
        return output

    @staticmethod
    def backward(ctx, grad):
        from scipy import special

        a, x = (array_of(saved).astype(np.float64) for saved in ctx.saved_tensors)
        density = np.exp((a - 1) * np.log(x) - x - special.gammaln(a))
        slope = -slope_of(lambda x, a: special.gammainc(a, x), x, a) / density
        return as_tensor(grad) * wrap(slope.astype(array_of(grad).dtype))


class Shares(Function):
    """Draw from Dirichlet distributions, along the last dimension: gamma numbers, divided by their sum."""

    once_differentiable = True

    @staticmethod
    def forward(ctx, concentration):
        flat = concentration.astype(np.float64).ravel().tolist()
        drawn = np.array([default_generator.gamma(a) for a in flat]).reshape(concentration.shape)
        output = (drawn / drawn.sum(-1, keepdims=True)).astype(concentration.dtype)
        tiny = np.finfo(concentration.dtype)
        output = np.clip(output, tiny.tiny, 1 - tiny.epsneg)
        ctx.save_for_backward(concentration, output)
        return output

    @staticmethod
    def backward(ctx, grad):
        """Each share is one of two, of itself and of all others, which has a beta distribution."""
        from scipy import special

        a, x = (array_of(saved).astype(np.float64) for saved in ctx.saved_tensors)
        grad = array_of(grad)
        b = a.sum(-1, keepdims=True) - a
        density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - special.betaln(a, b))
        slope = -slope_of(lambda x, a: special.betainc(a, b, x), x, a) / density / (1 - x)
        return (slope * (grad - (x * grad).sum(-1, keepdims=True))).astype(grad.dtype)


class Gamma(Distribution):
    """The sum of `concentration` waiting times of rate `rate`."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}  # noqa: RUF012
    support, has_rsample = constraints.nonnegative, True
    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        parameters = {
            "concentration": self.concentration.expand(batch_shape),
            "rate": self.rate.expand(batch_shape),
        }
        return self._expanded(batch_shape, **parameters)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        drawn = StandardGamma.apply(self.concentration.expand(shape)) / self.rate.expand(shape)
        drawn.detach().clamp_(min=float(np.finfo(drawn.array.dtype).tiny))
        return drawn

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        a, rate = self.concentration, self.rate
        return xlogy(a, rate) + xlogy(a - 1, value) - rate * value - a.lgamma()

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self.concentration.igamma(self.rate * value)

    def entropy(self):
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()


class Dirichlet(Distribution):
    """Shares that sum to one, along the last dimension."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}  # noqa: RUF012
    support, has_rsample = constraints.simplex, True
    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    def __init__(self, concentration, validate_args=None):
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    def expand(self, batch_shape, _instance=None):
        shape = (*batch_shape, *self.event_shape)
        return self._expanded(batch_shape, concentration=self.concentration.expand(shape))

    def rsample(self, sample_shape=()):
        return Shares.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        a = self.concentration
        return xlogy(a - 1.0, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        a, k = self.concentration, self.concentration.shape[-1]
        total = a.sum(-1)
        return (
            a.lgamma().sum(-1)
            - total.lgamma()
            - (k - total) * total.digamma()
            - ((a - 1.0) * a.digamma()).sum(-1)
        )


class Beta(Distribution):
    """Shares of one of two: the first of a Dirichlet distribution."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}  # noqa: RUF012
    support, has_rsample = constraints.unit_interval, True
    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0])
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1])
    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))

    def __init__(self, concentration1, concentration0, validate_args=None):
        parts = broadcast_all(concentration1, concentration0)
        self._dirichlet = Dirichlet(stack(parts, -1), validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def expand(self, batch_shape, _instance=None):
        return self._expanded(batch_shape, _dirichlet=self._dirichlet.expand(batch_shape))

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()


class MultivariateNormal(Distribution):
    """Vectors of normal numbers, given one of: their covariance, its inverse, or the triangle of its decomposition."""

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support, has_rsample = constraints.real_vector, True
    mean = mode = property(lambda self: self.loc)

    def __init__(
        self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None
    ):
        from tinytorch.tensor import broadcast_shapes

        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        named = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = {name: matrix for name, matrix in named.items() if matrix is not None}
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        ((name, matrix),) = given.items()
        if matrix.ndim < 2:
            raise ValueError(
                f"{name} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        vars(self)[name] = matrix.expand(*batch, -1, -1)
        self.loc = loc.expand(*batch, -1)
        super().__init__(batch, self.loc.shape[-1:], validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = scale_tril
        else:
            covariance = matrix if name == "covariance_matrix" else matrix.inverse()
            self._unbroadcasted_scale_tril = linalg_cholesky(covariance)

    @cached_property
    def scale_tril(self):
        shape = (*self._batch_shape, *self._event_shape, *self._event_shape)
        return self._unbroadcasted_scale_tril.expand(shape)

    @cached_property
    def covariance_matrix(self):
        lower = self._unbroadcasted_scale_tril
        return (lower @ lower.mT).expand(*self._batch_shape, *self._event_shape, *self._event_shape)

    @cached_property
    def precision_matrix(self):
        return self.covariance_matrix.inverse()

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def expand(self, batch_shape, _instance=None):
        size = self._event_shape
        parameters = {"loc": self.loc.expand(*batch_shape, *size)}
        for name in ("covariance_matrix", "precision_matrix", "scale_tril"):
            if name in self.__dict__:
                parameters[name] = self.__dict__[name].expand(*batch_shape, *size, *size)
        lower = self._unbroadcasted_scale_tril
        return self._expanded(batch_shape, _unbroadcasted_scale_tril=lower, **parameters)

    def rsample(self, sample_shape=()):
        drawn = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + (self._unbroadcasted_scale_tril @ drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        lower = self._unbroadcasted_scale_tril
        scaled = linalg_solve_triangular(lower, (value - self.loc).unsqueeze(-1), upper=False).squeeze(-1)
        half_log_det = lower.diagonal(0, -2, -1).log().sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + scaled.pow(2).sum(-1)) - half_log_det

    def entropy(self):
        half_log_det = self._unbroadcasted_scale_tril.diagonal(0, -2, -1).log().sum(-1)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return entropy.expand(self._batch_shape) if isinstance(entropy, Tensor) else entropy
