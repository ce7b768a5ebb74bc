"""What `load_state` finds out about one name, and what it returns."""

from collections import namedtuple

from tinytorch.layers import Parameter
from tinytorch.tensor import Tensor

__all__ = ["IncompatibleKeys", "mismatch", "quoted", "replace_tensor"]


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The names that `load_state_dict` missed, and those for which it had no use."""

    __slots__ = ()

    def __repr__(self):
        return f"_{super().__repr__()}" if any(self) else "<All keys matched successfully>"


def quoted(names):
    """Names in double quotes, as errors list them."""
    return ", ".join(f'"{name}"' for name in names)


def mismatch(name, tensor, value):
    """Why `value` cannot be loaded into `tensor`, or None."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{name}", expected torch.Tensor or Tensor-like object from '
            f"checkpoint but received {type(value)}"
        )
    if value.shape != tensor.shape:
        return (
            f"size mismatch for {name}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {tensor.shape}."
        )
    return None


def replace_tensor(module, name, value):
    """Put a tensor itself in the place of the parameter or buffer at a dotted path."""
    path, _, name = name.rpartition(".")
    owner = module.get_submodule(path)
    if name in owner._parameters:
        value = Parameter(value, requires_grad=owner._parameters[name].requires_grad)
    setattr(owner, name, value)
