"""Distributions over classes: of two, and of several, by their probabilities or by scores."""

from functools import cached_property

import numpy as np

from tinytorch.activations import logsumexp, softmax
from tinytorch.distributions import constraints
from tinytorch.distributions.distribution import Distribution, broadcast_all
from tinytorch.losses import binary_cross_entropy_with_logits
from tinytorch.tensor import Size, arange, bernoulli, broadcast_tensors, full_like, multinomial


def away_from_ends(probs):
    """Probabilities that have a logarithm, and their complements, too."""
    eps = float(np.finfo(probs.array.dtype).eps)
    return probs.clamp(min=eps, max=1 - eps)


def one_of(probs, logits):
    """ValueError unless one of the two is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class Bernoulli(Distribution):
    """1 with probability `probs`, else 0; the `logits` are log(p / (1 - p))."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012
    support, has_enumerate_support = constraints.boolean, True
    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def __init__(self, probs=None, logits=None, validate_args=None):
        one_of(probs, logits)
        name = "logits" if probs is None else "probs"
        (self._param,) = broadcast_all(logits if probs is None else probs)
        vars(self)[name] = self._param
        super().__init__(self._param.shape, validate_args=validate_args)

    @cached_property
    def probs(self):
        return self.logits.sigmoid()

    @cached_property
    def logits(self):
        probs = away_from_ends(self.probs)
        return probs.log() - (-probs).log1p()

    @property
    def mode(self):
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return mode.masked_fill(self.probs == 0.5, float("nan"))

    @property
    def param_shape(self):
        return self._param.shape

    def expand(self, batch_shape, _instance=None):
        known = {
            name: self.__dict__[name].expand(batch_shape)
            for name in ("probs", "logits")
            if name in self.__dict__
        }
        return self._expanded(batch_shape, _param=self._param.expand(batch_shape), **known)

    def sample(self, sample_shape=()):
        return bernoulli(self.probs.detach().expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_tensors(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        values = arange(2, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


class Categorical(Distribution):
    """The number of a class, of probabilities that are given, or whose logarithms are, but for a constant."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        one_of(probs, logits)
        given = logits if probs is None else probs
        if given.ndim < 1:
            name = "logits" if probs is None else "probs"
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = self._param = logits - logsumexp(logits, -1, True)
        else:
            self.probs = self._param = probs / probs.sum(-1, True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    @cached_property
    def probs(self):
        return softmax(self.logits, -1)

    @cached_property
    def logits(self):
        return away_from_ends(self.probs).log()

    @property
    def param_shape(self):
        return self._param.shape

    @property
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    mean = variance = property(lambda self: full_like(self.probs[..., 0], float("nan")))
    mode = property(lambda self: self.probs.argmax(-1))

    def expand(self, batch_shape, _instance=None):
        shape = (*batch_shape, self._num_events)
        known = {
            name: self.__dict__[name].expand(shape) for name in ("probs", "logits") if name in self.__dict__
        }
        parameters = {"_param": self._param.expand(shape), "_num_events": self._num_events, **known}
        return self._expanded(batch_shape, **parameters)

    def sample(self, sample_shape=()):
        sample_shape = Size(sample_shape)
        rows = self.probs.detach().reshape(-1, self._num_events)
        return multinomial(rows, sample_shape.numel(), True).T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, log_probs = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_probs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        smallest = float(np.finfo(self.logits.array.dtype).min)
        return -(self.logits.clamp(min=smallest) * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        values = arange(self._num_events).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


class OneHotCategorical(Distribution):
    """A class as a vector of zeros with a one in its place."""

    arg_constraints = Categorical.arg_constraints
    support = constraints.one_hot
    probs = mean = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits, validate_args)
        shape = self._categorical._param.shape
        super().__init__(shape[:-1], shape[-1:], validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(batch_shape, _categorical=self._categorical.expand(batch_shape))

    def sample(self, sample_shape=()):
        return self._as_vector(self._categorical.sample(sample_shape))

    @property
    def mode(self):
        return self._as_vector(self.probs.argmax(-1))

    def _as_vector(self, classes):
        return (classes.unsqueeze(-1) == arange(self._event_shape[0])).to(self.probs.dtype)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self):
        return self._categorical.entropy()
