"""What pruning refuses, in PyTorch's words; how many of a tensor's parts an amount is; what is adapted."""

from collections.abc import Iterable
from numbers import Integral, Real

from tinytorch.conv import Conv2d
from tinytorch.given.quantization.packed import GroupedLinear
from tinytorch.layers import Linear

__all__ = [
    "check_adapter",
    "check_amount",
    "check_kept",
    "check_mergeable",
    "check_method",
    "check_parameters",
    "check_pruning_type",
    "count_of",
    "count_of_channels",
    "linear_layers",
]


def check_amount(amount):
    """Refuse an amount that is no share from 0 to 1, and no number of elements."""
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (amount > 1 and not isinstance(amount, Integral)):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def count_of(amount, size):
    """How many of `size` an amount is: an integer itself, a float as a share, rounded.

    >>> count_of(0.25, 10), count_of(3, 10)
    (2, 3)
    """
    if not isinstance(amount, Integral):
        return round(amount * size)
    if amount > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return amount


def count_of_channels(t, amount, dim):
    """How many of a tensor's slices along `dim` an amount is."""
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
    return count_of(amount, t.shape[dim])


def check_method(container, method, kind):
    """Refuse what is no pruning method, or acts on another parameter than a container's."""
    if not isinstance(method, kind) and method is not None:
        raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
    if method is not None and container._tensor_name != method._tensor_name:
        raise ValueError(
            f"Can only add pruning methods acting on the parameter named '{container._tensor_name}' to "
            f"PruningContainer {container}. Found '{method._tensor_name}'"
        )


def check_pruning_type(method, t):
    """Refuse a method that says no kind of pruning, or no dimension though it prunes slices."""
    if method.PRUNING_TYPE not in ("unstructured", "structured", "global"):
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        if method.dim < -t.dim():
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")


def check_parameters(parameters, pruning_method, importance_scores, options):
    """(module, name) pairs as a list, a container with the method, and a dict of scores, possibly empty."""
    from tinytorch.compression import PruningContainer

    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    container, method = PruningContainer(), pruning_method(**options)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    return list(parameters), container, scores


def check_kept(layer, kept, size):
    """Refuse a layer that cannot be cut, and indices that are not there."""
    if not isinstance(layer, Linear | Conv2d):
        raise TypeError(f"only Linear and Conv2d can be cut, not {type(layer).__name__}")
    if getattr(layer, "groups", 1) != 1:
        raise ValueError("the channels of a convolution with groups cannot be cut one by one")
    if len(kept) == 0 or min(kept) < 0 or max(kept) >= size:
        raise IndexError(f"of {size} units, 0 to {size - 1}, these cannot be kept: {list(kept)}")


def check_adapter(base, rank):
    """Refuse a layer that an adapter cannot be put around, and a rank that its weight cannot have."""
    if not isinstance(base, Linear | GroupedLinear):
        raise TypeError(f"an adapter goes around a linear layer, not around {type(base).__name__}")
    if not 1 <= rank <= min(base.in_features, base.out_features):
        raise ValueError(
            f"a correction of {base.out_features} x {base.in_features} weights cannot have the rank {rank}"
        )


def check_mergeable(base):
    """Refuse a layer whose weights are packed: the sum would no longer fit into their few bits."""
    if not isinstance(base, Linear):
        raise TypeError(f"a correction is merged into float weights, not into those of {type(base).__name__}")


def linear_layers(model, names):
    """The (dotted name, layer) of the linear layers whose names end in one of `names`, from dot to dot."""
    layers = [
        (name, module)
        for name, module in model.named_modules(remove_duplicate=False)
        if name and isinstance(module, Linear | GroupedLinear)
    ]
    for wanted in names:
        if not any(f".{name}".endswith(f".{wanted}") for name, _ in layers):
            raise ValueError(f"no linear layer of the model is called {wanted}")
    return [
        (name, layer) for name, layer in layers if any(f".{name}".endswith(f".{wanted}") for wanted in names)
    ]
