# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.nn.utils import clip_grad as clip_grad
from tinytorch.nn.utils import convert_parameters as convert_parameters
from tinytorch.nn.utils import fusion as fusion
from tinytorch.nn.utils import parametrizations as parametrizations
from tinytorch.nn.utils import parametrize as parametrize
from tinytorch.nn.utils import prune as prune
from tinytorch.nn.utils import rnn as rnn
def clip_grad_norm(parameters, max_norm, norm_type: _float = 2.0, error_if_nonfinite: _bool = False, foreach=None):
    """`clip_grad_norm_` under its old name."""
def clip_grad_norm_(parameters, max_norm, norm_type: _float = 2.0, error_if_nonfinite: _bool = False, foreach=None): ...
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Bring every element of every gradient into [-clip_value, clip_value], in place."""
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients whose norm is `total_norm`, so that it is at most `max_norm`."""
def get_total_norm(tensors, norm_type: _float = 2.0, error_if_nonfinite: _bool = False, foreach=None):
    """The norm of several tensors taken as one vector: a 0-d tensor."""
def parameters_to_vector(parameters):
    """Join the elements of tensors into one vector, through which gradients pass."""
def remove_spectral_norm(module, name: str = 'weight'):
    """Undo `spectral_norm`."""
def remove_weight_norm(module, name: str = 'weight'):
    """Undo `weight_norm`."""
def spectral_norm(module, name: str = 'weight', n_power_iterations=1, eps: _float = 1e-12, dim=None): ...
def vector_to_parameters(vec, parameters):
    """Let each of some tensors be a view of its part of a vector."""
def weight_norm(module, name: str = 'weight', dim=0):
    """Learn a parameter's length and direction separately, along `dim`, or with None as a whole."""
