"""The first values of parameters, `torch.nn.init`: what `kaiming_uniform_` needs, and its family."""

import math
import warnings

import numpy as np

import tinytorch.layers as lesson
from tinytorch.tensor import default_generator, randperm, wrap

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "fan", "fans",
    "fill_with", "is_empty", "kaiming_normal", "kaiming_normal_", "kaiming_uniform", "normal",
    "normal_", "ones_", "orthogonal", "orthogonal_", "sparse_", "trunc_normal_", "uniform", "uniform_",
    "xavier_normal", "xavier_normal_", "xavier_uniform", "xavier_uniform_", "zeros_",
]  # fmt: skip


def fans(tensor):
    """How many inputs each output of a weight sums, and how many outputs each input feeds.

    A weight is (out, in), or (out, in, ...) where the rest is the window that a convolution sweeps over.
    """
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def fan(tensor, mode):
    """The fan that a mode names: "fan_in" or "fan_out"."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return fans(tensor)[modes.index(mode.lower())]


def calculate_gain(nonlinearity, param=None):
    """The factor that makes up for the scale lost in a nonlinearity; `param`: leaky_relu's slope."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {slope} not a valid number")
        return math.sqrt(2 / (1 + slope**2))
    gains = {"linear": 1, "sigmoid": 1, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
    gains |= {f"conv{kind}{dims}d": 1 for kind in ("", "_transpose") for dims in (1, 2, 3)}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill a tensor with numbers drawn evenly from [a, b), and return it."""
    tensor.detach().uniform_(a, b, generator=generator)
    return tensor


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill a tensor with numbers drawn from a normal distribution, and return it."""
    tensor.detach().normal_(mean, std, generator=generator)
    return tensor


def constant_(tensor, val):
    """Fill a tensor with one value."""
    tensor.detach().fill_(val)
    return tensor


def zeros_(tensor):
    """Fill a tensor with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor):
    """Fill a tensor with ones."""
    return constant_(tensor, 1.0)


def fill_with(tensor, values):
    """Write an array into a tensor's memory, and return the tensor."""
    tensor.detach().copy_(wrap(values))
    return tensor


def is_empty(tensor):
    """Whether there is nothing to fill; if so, with a warning."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return 0 in tensor.shape


def eye_(tensor):
    """Make a matrix the identity, or as much of it as fits."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return fill_with(tensor, np.eye(*tensor.shape))


def dirac_(tensor, groups=1):
    """Make a convolution pass its channels on unchanged, as many as fit, in each group."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values, rows = np.zeros(tensor.shape), tensor.shape[0] // groups
    channels = np.arange(min(rows, tensor.shape[1]))
    middle = tuple(n // 2 for n in tensor.shape[2:])
    for group in range(groups):
        values[(group * rows + channels, channels, *middle)] = 1
    return fill_with(tensor, values)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Fill a matrix from a normal distribution, with a share of zeros in each column (Martens, 2010)."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    normal_(tensor, 0, std, generator)
    rows, columns = tensor.shape
    for column in range(columns):
        tensor.detach()[randperm(rows)[: math.ceil(sparsity * rows)], column] = 0
    return tensor


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fill a weight evenly from ± gain √(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    bound = gain * math.sqrt(6 / max(1, sum(fans(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fill a weight from the normal distribution of deviation gain √(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / max(1, sum(fans(tensor)))), generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight from the normal distribution of deviation gain / √fan (He et al., 2015)."""
    if is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(fan(tensor, mode)), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """Fill a weight with orthonormal rows, or columns if they are fewer, times gain (Saxe et al., 2014)."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    drawn = (generator or default_generator).normal((rows, columns), dtype=tensor.array.dtype)
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q *= np.sign(r.diagonal()) * q.dtype.type(gain)  # of all factorisations the one with a positive diagonal
    return fill_with(tensor, (q.T if rows < columns else q).reshape(tensor.shape))


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Fill a tensor from a normal distribution between `a` and `b`: numbers outside are drawn again."""
    draw, shape, kind = generator or default_generator, tensor.shape, tensor.array.dtype.type
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    below_a, below_b = ((1 + math.erf((bound - mean) / std / math.sqrt(2))) / 2 for bound in (a, b))
    if below_b - below_a > 0.3:
        values = draw.normal(shape, mean, std, kind)
        while (outside := (values < kind(a)) | (values > kind(b))).any():
            values = np.where(outside, draw.normal(shape, mean, std, kind), values)
        return fill_with(tensor, values)
    # Most normal numbers would fall outside: draw evenly, and keep a number as often as its density demands.
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values, pending = np.empty(shape, kind), np.ones(shape, bool)
    while pending.any():
        drawn = draw.uniform(shape, a, b, kind)
        values = np.where(pending, drawn, values)
        density = ((drawn - kind(mean)) / kind(std)) ** 2 * kind(-0.5) - kind(peak)
        pending &= np.log(draw.uniform(shape, dtype=kind)) > density
    return fill_with(tensor, values)


def deprecated(name):
    """The function under its old name, which warns."""

    def old(*args, **kwargs):
        sentence = f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`."
        warnings.warn(sentence, FutureWarning, stacklevel=2)
        return getattr(lesson, name)(*args, **kwargs)

    old.__name__ = name[:-1]
    return old


uniform, normal, constant, eye, dirac = map(
    deprecated, ["uniform_", "normal_", "constant_", "eye_", "dirac_"]
)
xavier_uniform, xavier_normal = deprecated("xavier_uniform_"), deprecated("xavier_normal_")
kaiming_uniform, kaiming_normal = deprecated("kaiming_uniform_"), deprecated("kaiming_normal_")
orthogonal = deprecated("orthogonal_")
