"""A layer with another weight, which the learner's cuts and merged adapters are made with."""

import copy

from tinytorch.given.compression.methods import is_pruned
from tinytorch.layers import Linear, Parameter
from tinytorch.tensor import tensor

__all__ = ["layer_like"]


def layer_like(layer, weight, bias):
    """A Linear or a Conv2d like another one, with copies of this weight and this bias, arrays, or None."""
    if is_pruned(layer):
        raise ValueError("a layer with a mask cannot be cut: make its zeros permanent first, with `remove`")
    other = copy.deepcopy(layer)
    other.weight = Parameter(tensor(weight))
    other.bias = None if bias is None else Parameter(tensor(bias))
    if isinstance(layer, Linear):
        other.out_features, other.in_features = weight.shape
    else:
        other.out_channels, other.in_channels = weight.shape[:2]
    return other
