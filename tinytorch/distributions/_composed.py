"""Distributions made of others: of several as one, and of functions of their samples."""

from tinytorch.autograd import no_grad
from tinytorch.distributions import constraints
from tinytorch.distributions._continuous import Normal
from tinytorch.distributions.distribution import Distribution
from tinytorch.distributions.transforms import ComposeTransform, ExpTransform, Transform, sum_rightmost


class Independent(Distribution):
    """A batch of distributions as one over vectors: of the last `reinterpreted_batch_ndims` dimensions."""

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    has_enumerate_support = False
    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        count, batch = reinterpreted_batch_ndims, base_distribution.batch_shape
        if count > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {count} vs {len(batch)}"
            )
        shape, events = batch + base_distribution.event_shape, len(base_distribution.event_shape)
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        split = len(shape) - events - count
        super().__init__(shape[:split], shape[split:], validate_args)

    @property
    def support(self):
        return constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims)

    def expand(self, batch_shape, _instance=None):
        inner = (*batch_shape, *self.event_shape[: self.reinterpreted_batch_ndims])
        base = self.base_dist.expand(inner)
        return self._expanded(
            batch_shape, base_dist=base, reinterpreted_batch_ndims=self.reinterpreted_batch_ndims
        )

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """What becomes of a distribution's samples by transforms, one after the other."""

    def __init__(self, base_distribution, transforms, validate_args=None):
        transforms = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(transforms, list) or not all(isinstance(one, Transform) for one in transforms):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        self.transforms = transforms
        whole = ComposeTransform(transforms)
        extra = max([one.domain.event_dim for one in transforms], default=0) - len(
            base_distribution.event_shape
        )
        self.base_dist = Independent(base_distribution, extra) if extra > 0 else base_distribution
        shape = base_distribution.batch_shape + base_distribution.event_shape
        events = max(whole.codomain.event_dim, len(self.base_dist.event_shape))
        super().__init__(shape[: len(shape) - events], shape[len(shape) - events :], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    @property
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        support, extra = (
            self.transforms[-1].codomain,
            len(self.event_shape) - self.transforms[-1].codomain.event_dim,
        )
        return constraints.independent(support, extra) if extra > 0 else support

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            batch_shape, base_dist=self.base_dist.expand(batch_shape), transforms=self.transforms
        )

    def sample(self, sample_shape=()):
        with no_grad():
            return self.transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self.transformed(self.base_dist.rsample(sample_shape))

    def transformed(self, x):
        """What becomes of samples of the base."""
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        events, total, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform._inv_call(y)
            total = total - sum_rightmost(
                transform.log_abs_det_jacobian(x, y), events - transform.domain.event_dim
            )
            y = x
        return total + sum_rightmost(self.base_dist.log_prob(y), events - len(self.base_dist.event_shape))

    def cdf(self, value):
        sign = 1
        for transform in reversed(self.transforms):
            value, sign = transform._inv_call(value), sign * transform.sign
        share = self.base_dist.cdf(value)
        return sign * (share - 0.5) + 0.5

    def icdf(self, value):
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return self.transformed(self.base_dist.icdf(sign * (value - 0.5) + 0.5))


class LogNormal(TransformedDistribution):
    """Numbers whose logarithms are normal."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    @property
    def variance(self):
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
