"""What `load_state` finds out about one name, and what it returns."""

from collections import namedtuple

from tinytorch.layers import Parameter
from tinytorch.tensor import Tensor

__all__ = ["IncompatibleKeys", "mismatch", "refusal", "replace_tensor"]


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The names that were missing in `load_state_dict`, and those that were unexpected."""

    __slots__ = ()

    def __repr__(self):
        return f"_{super().__repr__()}" if any(self) else "<All keys matched successfully>"


def mismatch(name, tensor, value):
    """Why `value` cannot be loaded into `tensor`, or None."""
    if hasattr(tensor, "materialize") and hasattr(value, "materialize"):  # both without a shape
        return None
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


def refusal(module, missing, unexpected, mismatches):
    """The error that lists names and sentences that say what does not fit, or None if everything does."""
    quoted = {
        "Missing": [f'"{name}"' for name in missing],
        "Unexpected": [f'"{name}"' for name in unexpected],
    }
    lines = [f"{word} key(s) in state_dict: {', '.join(names)}. " for word, names in quoted.items() if names]
    lines += filter(None, mismatches)
    what = f"Error(s) in loading state_dict for {module._get_name()}:"
    return RuntimeError("\n\t".join([what, *lines])) if lines else None


def replace_tensor(module, name, value):
    """Replace the parameter or buffer at a dotted path by this tensor itself."""
    path, _, name = name.rpartition(".")
    owner = module.get_submodule(path)
    if name in owner._parameters:
        value = Parameter(value, requires_grad=owner._parameters[name].requires_grad)
    setattr(owner, name, value)
