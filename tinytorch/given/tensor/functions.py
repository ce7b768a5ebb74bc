"""Functions of tensors: nearly every method is one too, `torch.sum(x, 0)` for `x.sum(0)`."""

import inspect
import math
from numbers import Real

from tinytorch.given import methods_of
from tinytorch.given.tensor.devices import later
from tinytorch.given.tensor.limits import finfo, iinfo
from tinytorch.given.tensor.out import put_out
from tinytorch.given.tensor.promotion import OPERANDS, result_type
from tinytorch.tensor import (
    Tensor,
    broadcast_shapes,
    dtypes,
    float16,
    float32,
    float64,
    int16,
    int32,
    int64,
    tensor,
)

__all__ = ["__getattr__", "broadcast_tensors", "finfo", "iinfo", "is_tensor", "meshgrid", "split"]


def is_tensor(obj):
    """Tell whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


def broadcast_tensors(*tensors):
    """Expand tensors to the shape they have together."""
    shape = broadcast_shapes(*[t.shape for t in tensors])
    return tuple([t if t.shape == shape else t.expand(shape) for t in tensors])


def meshgrid(*tensors, indexing=None):
    """Make the coordinates of the grid that 1-d tensors span, one tensor a coordinate."""
    tensors = list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors)
    if indexing not in (None, "ij", "xy") or any(t.ndim > 1 for t in tensors):
        raise RuntimeError("torch.meshgrid: expected 1-d tensors and an indexing of 'ij' or 'xy'")
    axes = list(range(len(tensors)))  # the axis along which each one varies
    if indexing == "xy":
        axes[:2] = axes[1::-1]
    shape = [tensors[axis].numel() for axis in axes]
    columns = [
        t.reshape([-1 if d == axis else 1 for d in range(len(axes))]) for t, axis in zip(tensors, axes)
    ]
    return tuple([column.expand(shape) for column in columns])


NAMES = {d.name: d for d in dtypes.values()}
NAMES |= {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32, "long": int64}
NAMES |= {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}


# What PyTorch takes a number for as the first operand of two.
NUMBER_FIRST = {"add", "sub", "mul", "div", "pow", "remainder", "float_power", "xlogy", "rsub"}
NUMBER_FIRST |= {"bitwise_left_shift", "bitwise_right_shift", "bitwise_and", "bitwise_or", "bitwise_xor"}


# What it takes two numbers for, too.
OF_NUMBERS = {"add", "sub", "mul", "div", "floor_divide", "true_divide"}
NUMBER_FIRST |= OF_NUMBERS


def split(tensor, split_size_or_sections, dim=0):
    """Cut a tensor along `dim` into views of one size, or of the sizes in a list."""
    return tensor.split(split_size_or_sections, dim)


def __getattr__(name):
    """Every method of Tensor is a function too, torch.sum(x, 0) for x.sum(0); and every dtype has its names.

    Looked up rather than defined, so that the lesson can go on using Python's own sum, max, int and bool.
    """
    if name in NAMES:
        return NAMES[name]
    if name.startswith("_") or not callable(getattr(Tensor, name, None)):
        raise AttributeError(f"module 'tinytorch.tensor' has no attribute '{name}'")

    method = getattr(Tensor, name)

    def function(input, *args, **kwargs):
        if not isinstance(input, Tensor):
            if hasattr(type(input), "__torch_function__"):  # which answers for itself
                return input.__torch_function__(function, (type(input),), (input, *args), kwargs)
            number_first = isinstance(input, Real) and name in NUMBER_FIRST and args
            if not number_first or not isinstance(args[0], OPERANDS if name in OF_NUMBERS else Tensor):
                raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
            kind = result_type(*args[:1], input) if isinstance(args[0], Tensor) else None
            input = tensor(input, dtype=kind)
        if "out" in kwargs:
            return put_out(name, kwargs.pop("out"), getattr(input, name)(*args, **kwargs))
        return getattr(input, name)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = method.__doc__
    signature = inspect.signature(method)
    parameters = [p.replace(name="input") if p.name == "self" else p for p in signature.parameters.values()]
    function.__signature__ = signature.replace(parameters=parameters)
    return function


@methods_of(Tensor)
class Later:
    """Operations of later modules."""

    def erf(self):
        """Compute the error function, 2/√π ∫₀ˣ e^(-t²) dt: built in module 02 (activations).

        >>> torch.tensor([0.0, 1.0]).erf()
        tensor([0.0000, 0.8427])
        """
        return later("activations").erf(self)

    def relu(self):
        """Compute max(x, 0): built in module 02 (activations).

        >>> torch.tensor([-1.0, 2.0]).relu()
        tensor([0., 2.])
        """
        return later("activations").relu(self)

    def sigmoid(self):
        """Compute 1 / (1 + e^-x): built in module 02 (activations).

        >>> torch.tensor([0.0, 1.0]).sigmoid()
        tensor([0.5000, 0.7311])
        """
        return later("activations").sigmoid(self)

    def tanh(self):
        """Compute the hyperbolic tangent: built in module 02 (activations).

        >>> torch.tensor([0.0, 1.0]).tanh()
        tensor([0.0000, 0.7616])
        """
        return later("activations").tanh(self)

    def hardshrink(self, lambd=0.5):
        """Put 0 in place of what lies from -lambd to lambd.

        >>> torch.tensor([-1.0, 0.3, 2.0]).hardshrink()
        tensor([-1.,  0.,  2.])
        """
        return later("activations").hardshrink(self, lambd)

    def prelu(self, weight):
        """Compute max(x, 0) + weight min(x, 0); one weight, or one for each slice along dimension 1.

        >>> torch.tensor([-2.0, 2.0]).prelu(torch.tensor([0.1]))
        tensor([-0.2000,  2.0000])
        """
        return later("activations").prelu(self, weight)

    def softmax(self, dim, dtype=None):
        """Compute e^x_i / Σ e^x_j along `dim`: built in module 02 (activations).

        >>> torch.tensor([0.0, 0.0, 1.0]).softmax(dim=0)
        tensor([0.2119, 0.2119, 0.5761])
        """
        return later("activations").softmax(self, dim, dtype=dtype)

    def log_softmax(self, dim, dtype=None):
        """Compute the logarithm of softmax along `dim`: built in module 02 (activations).

        >>> torch.tensor([0.0, 0.0, 1.0]).log_softmax(dim=0)
        tensor([-1.5514, -1.5514, -0.5514])
        """
        return later("activations").log_softmax(self, dim, dtype=dtype)

    def logsumexp(self, dim, keepdim=False):
        """Compute log Σ e^x along `dim`, without overflow in between: built in module 02 (activations).

        >>> torch.tensor([1000.0, 1000.0]).logsumexp(dim=0)
        tensor(1000.6932)
        """
        return later("activations").logsumexp(self, dim, keepdim)

    def unfold(self, dimension, size, step):
        """Look at windows of `size` elements along a dimension, `step` apart; the window is the last
        dimension.

        >>> torch.arange(5).unfold(0, 3, 1)
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
        """
        return later("conv").sliding_windows(self, dimension, size, step)
