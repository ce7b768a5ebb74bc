"""All parameters of a model as one vector, and back: `cat` and views of its memory."""

from tinytorch.layers import typename
from tinytorch.tensor import Tensor, cat

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def on_one_device(parameters):
    """The parameters, each once; TypeError where the second of two is on another device than the first."""
    first = None
    for parameter in parameters:
        first = first or parameter.device
        if parameter.device != first:
            raise TypeError("Found two parameters on different devices, this is currently not supported.")
        yield parameter


def parameters_to_vector(parameters):
    """Join the elements of tensors into one vector, through which gradients pass."""
    return cat([parameter.view(-1) for parameter in on_one_device(parameters)])


def vector_to_parameters(vec, parameters):
    """Let each of some tensors be a view of its part of a vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    begin = 0
    for parameter in on_one_device(parameters):
        end = begin + parameter.numel()
        parameter.data = vec[begin:end].view(parameter.shape).data
        begin = end
