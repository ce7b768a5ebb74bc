# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, _device, _dtype
from tinytorch._typed import Tensor as Tensor
from tinytorch._typed import Size as Size
from tinytorch import no_grad as no_grad
from tinytorch import broadcast_tensors as broadcast_tensors
from tinytorch import get_default_dtype as get_default_dtype
from tinytorch import tensor as tensor
class Distribution:
    def __init__(self, batch_shape=(), event_shape=(), validate_args=None) -> None: ...
    arg_constraints: Any
    batch_shape: Any
    def cdf(self, value):
        """The probability of a value that is not larger."""
    def check_parameters(self):
        """ValueError for a parameter that is out of its range."""
    def entropy(self):
        """The mean of minus the logarithm of the probability."""
    def enumerate_support(self, expand: _bool = True):
        """All values that there are."""
    event_shape: Any
    def expand(self, batch_shape, _instance=None):
        """The same distribution in a larger batch."""
    has_rsample: _bool
    def icdf(self, value):
        """The value below which a share of the probability lies."""
    def log_prob(self, value):
        """The logarithm of the probability, or its density, of values."""
    mean: Any
    mode: Any
    def perplexity(self):
        """exp(entropy)."""
    def rsample(self, sample_shape=()):
        """Draw values through which gradients go to the parameters."""
    def sample(self, sample_shape=()):
        """Draw values, of shape sample_shape + batch_shape + event_shape, without a gradient."""
    def sample_n(self, n):
        """Draw n values."""
    @staticmethod
    def set_default_validate_args(value):
        """Choose whether parameters and values are checked where nothing is said."""
    stddev: Any
    support: Any
    variance: Any
def broadcast_all(*values):
    """Tensors of one shape, of tensors and numbers; ValueError for anything else."""
