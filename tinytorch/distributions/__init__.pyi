# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
from numpy import generic, ndarray
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.distributions import bernoulli as bernoulli
from tinytorch.distributions import beta as beta
from tinytorch.distributions import categorical as categorical
from tinytorch.distributions import constraints as constraints
from tinytorch.distributions import dirichlet as dirichlet
from tinytorch.distributions import distribution as distribution
from tinytorch.distributions import exponential as exponential
from tinytorch.distributions import gamma as gamma
from tinytorch.distributions import independent as independent
from tinytorch.distributions import kl as kl
from tinytorch.distributions import log_normal as log_normal
from tinytorch.distributions import multivariate_normal as multivariate_normal
from tinytorch.distributions import normal as normal
from tinytorch.distributions import one_hot_categorical as one_hot_categorical
from tinytorch.distributions import transformed_distribution as transformed_distribution
from tinytorch.distributions import transforms as transforms
from tinytorch.distributions import uniform as uniform
from tinytorch.distributions.distribution import Distribution as Distribution
from tinytorch.distributions.transforms import Transform as Transform
from tinytorch.distributions.transforms import AffineTransform as AffineTransform
from tinytorch.distributions.distribution import Distribution as _Distribution
class Bernoulli(_Distribution):
    """1 with probability `probs`, else 0; the `logits` are log(p / (1 - p))."""
    def __init__(self, probs=None, logits=None, validate_args=None) -> None: ...
    arg_constraints: Any
    def entropy(self): ...
    def enumerate_support(self, expand: _bool = True): ...
    def expand(self, batch_shape, _instance=None): ...
    has_enumerate_support: _bool
    def log_prob(self, value): ...
    logits: Any
    mean: Any
    mode: Any
    param_shape: Any
    probs: Any
    def sample(self, sample_shape=()): ...
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class Beta(_Distribution):
    """Shares of one of two: the first of a Dirichlet distribution."""
    def __init__(self, concentration1, concentration0, validate_args=None) -> None: ...
    arg_constraints: Any
    concentration0: Any
    concentration1: Any
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: _bool
    def log_prob(self, value): ...
    mean: Any
    def rsample(self, sample_shape=()): ...
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class Categorical(_Distribution):
    def __init__(self, probs=None, logits=None, validate_args=None) -> None: ...
    arg_constraints: Any
    def entropy(self): ...
    def enumerate_support(self, expand: _bool = True): ...
    def expand(self, batch_shape, _instance=None): ...
    has_enumerate_support: _bool
    def log_prob(self, value): ...
    logits: Any
    mean: Any
    mode: Any
    param_shape: Any
    probs: Any
    def sample(self, sample_shape=()): ...
    support: Any
    variance: Any
from tinytorch.distributions.transforms import ComposeTransform as ComposeTransform
from tinytorch.distributions.distribution import Distribution as _Distribution
class Dirichlet(_Distribution):
    """Shares that sum to one, along the last dimension."""
    concentration: Any
    def __init__(self, concentration, validate_args=None) -> None: ...
    arg_constraints: Any
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: _bool
    def log_prob(self, value): ...
    mean: Any
    def rsample(self, sample_shape=()): ...
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class Exponential(_Distribution):
    """Waiting times, `rate` events in a unit of time."""
    rate: Any
    def __init__(self, rate, validate_args=None) -> None: ...
    arg_constraints: Any
    def cdf(self, value): ...
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: _bool
    def icdf(self, value): ...
    def log_prob(self, value): ...
    mean: Any
    mode: Any
    def rsample(self, sample_shape=()): ...
    stddev: Any
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class Gamma(_Distribution):
    """The sum of `concentration` waiting times of rate `rate`."""
    concentration: Any
    rate: Any
    def __init__(self, concentration, rate, validate_args=None) -> None: ...
    arg_constraints: Any
    def cdf(self, value): ...
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: _bool
    def log_prob(self, value): ...
    mean: Any
    mode: Any
    def rsample(self, sample_shape=()): ...
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class Independent(_Distribution):
    base_dist: Any
    reinterpreted_batch_ndims: Any
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None) -> None: ...
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_enumerate_support: _bool
    has_rsample: Any
    def log_prob(self, value): ...
    mean: Any
    mode: Any
    def rsample(self, sample_shape=()): ...
    def sample(self, sample_shape=()): ...
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class MultivariateNormal(_Distribution):
    loc: Any
    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None) -> None: ...
    arg_constraints: Any
    covariance_matrix: Any
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: _bool
    def log_prob(self, value): ...
    mean: Any
    mode: Any
    precision_matrix: Any
    def rsample(self, sample_shape=()): ...
    scale_tril: Any
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class Normal(_Distribution):
    """Gauss's distribution, of mean `loc` and standard deviation `scale`."""
    loc: Any
    scale: Any
    def __init__(self, loc, scale, validate_args=None) -> None: ...
    arg_constraints: Any
    def cdf(self, value): ...
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: _bool
    def icdf(self, value): ...
    def log_prob(self, value): ...
    mean: Any
    mode: Any
    def rsample(self, sample_shape=()): ...
    stddev: Any
    support: Any
    variance: Any
from tinytorch.distributions.distribution import Distribution as _Distribution
class OneHotCategorical(_Distribution):
    """A class as a vector of zeros with a one in its place."""
    def __init__(self, probs=None, logits=None, validate_args=None) -> None: ...
    arg_constraints: Any
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    def log_prob(self, value): ...
    logits: Any
    mean: Any
    mode: Any
    probs: Any
    def sample(self, sample_shape=()): ...
    support: Any
    variance: Any
from tinytorch.distributions.transforms import PowerTransform as PowerTransform
from tinytorch.distributions.distribution import Distribution as _Distribution
class TransformedDistribution(_Distribution):
    """What becomes of a distribution's samples by transforms, one after the other."""
    base_dist: Any
    transforms: Any
    def __init__(self, base_distribution, transforms, validate_args=None) -> None: ...
    def cdf(self, value): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: Any
    def icdf(self, value): ...
    def log_prob(self, value): ...
    def rsample(self, sample_shape=()): ...
    def sample(self, sample_shape=()): ...
    support: Any
    def transformed(self, x):
        """What becomes of samples of the base."""
from tinytorch.distributions.distribution import Distribution as _Distribution
class Uniform(_Distribution):
    """Numbers evenly from `low` to `high`."""
    high: Any
    low: Any
    def __init__(self, low, high, validate_args=None) -> None: ...
    arg_constraints: Any
    def cdf(self, value): ...
    def entropy(self): ...
    def expand(self, batch_shape, _instance=None): ...
    has_rsample: _bool
    def icdf(self, value): ...
    def log_prob(self, value): ...
    mean: Any
    mode: Any
    def rsample(self, sample_shape=()): ...
    stddev: Any
    support: Any
    variance: Any
from tinytorch.distributions.transforms import AbsTransform as AbsTransform
from tinytorch.distributions.transforms import ExpTransform as ExpTransform
class LogNormal(TransformedDistribution):
    """Numbers whose logarithms are normal."""
    def __init__(self, loc, scale, validate_args=None) -> None: ...
    arg_constraints: Any
    def entropy(self): ...
    loc: Any
    mean: Any
    mode: Any
    scale: Any
    variance: Any
from tinytorch.distributions.transforms import SigmoidTransform as SigmoidTransform
from tinytorch.distributions.transforms import SoftplusTransform as SoftplusTransform
from tinytorch.distributions.transforms import TanhTransform as TanhTransform
identity_transform: Any
def kl_divergence(p, q): ...
def register_kl(type_p, type_q):
    """Let a function of two distributions be the divergence for two kinds."""
