"""What all distributions share, as in torch.distributions.distribution: shapes, checks, and how they are printed."""

from numbers import Real

from tinytorch.autograd import no_grad
from tinytorch.distributions import constraints
from tinytorch.tensor import Size, Tensor, broadcast_tensors, get_default_dtype, tensor


def broadcast_all(*values):
    """Tensors of one shape, of tensors and numbers; ValueError for anything else."""
    if not all(isinstance(value, Tensor | Real) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    dtype = next((value.dtype for value in values if isinstance(value, Tensor)), get_default_dtype())
    values = [value if isinstance(value, Tensor) else tensor(value, dtype=dtype) for value in values]
    return broadcast_tensors(*values)


class Distribution:
    """A distribution, or a batch of them: of shape `batch_shape`, over values of shape `event_shape`."""

    has_rsample = False
    arg_constraints = {}  # noqa: RUF012
    _validate_args = True

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self.check_parameters()

    @staticmethod
    def set_default_validate_args(value):
        """Choose whether parameters and values are checked where nothing is said."""
        if value not in (True, False):
            raise ValueError(f"validate_args is True or False, not {value!r}")
        Distribution._validate_args = value

    def check_parameters(self):
        """ValueError for a parameter that is out of its range."""
        for name, constraint in self.arg_constraints.items():
            if constraint is constraints.dependent or name not in self.__dict__:
                continue  # computed from another
            value = getattr(self, name)
            valid = constraint.check(value)
            if not valid.all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                    f"values:\n{value}"
                )

    batch_shape = property(lambda self: self._batch_shape)
    event_shape = property(lambda self: self._event_shape)
    stddev = property(lambda self: self.variance.sqrt())

    @property
    def mean(self):
        raise self._without("mean")

    @property
    def mode(self):
        raise self._without("mode")

    @property
    def variance(self):
        raise self._without("variance")

    @property
    def support(self):
        raise self._without("support")

    def expand(self, batch_shape, _instance=None):
        """The same distribution in a larger batch."""
        raise self._without("expand")

    def sample(self, sample_shape=()):
        """Draw values, of shape sample_shape + batch_shape + event_shape, without a gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Draw values through which gradients go to the parameters."""
        raise self._without("rsample")

    def sample_n(self, n):
        """Draw n values."""
        return self.sample((n,))

    def log_prob(self, value):
        """The logarithm of the probability, or its density, of values."""
        raise self._without("log_prob")

    def cdf(self, value):
        """The probability of a value that is not larger."""
        raise self._without("cdf")

    def icdf(self, value):
        """The value below which a share of the probability lies."""
        raise self._without("icdf")

    def entropy(self):
        """The mean of minus the logarithm of the probability."""
        raise self._without("entropy")

    def enumerate_support(self, expand=True):
        """All values that there are."""
        raise self._without("enumerate_support")

    def perplexity(self):
        """exp(entropy)."""
        return self.entropy().exp()

    def _without(self, name):
        """The error for what this distribution does not have."""
        return NotImplementedError(f"{type(self).__name__} does not implement {name}")

    def _extended_shape(self, sample_shape=()):
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _expanded(self, batch_shape, _instance=None, **parameters):
        """Another one of the kind, of other parameters, as `expand` makes it."""
        new = type(self).__new__(type(self))
        vars(new).update(parameters)
        new._validate_args = self._validate_args
        new._batch_shape, new._event_shape = Size(batch_shape), self._event_shape
        return new

    def _validate_sample(self, value):
        """ValueError for a value that the distribution does not have."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        events = len(self._event_shape)
        if value.ndim < events or value.shape[value.ndim - events :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for mine, theirs in zip(reversed(value.shape), reversed(expected)):
            if mine != 1 and theirs != 1 and mine != theirs:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within "
                f"the support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self):
        named = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        shown = [f"{name}: {value if value.numel() == 1 else value.shape}" for name, value in named]
        return f"{type(self).__name__}({', '.join(shown)})"
