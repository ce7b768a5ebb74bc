"""Nonlinearities that are met less often, as layers; each calls its function of module 02."""

import warnings

import tinytorch.activations as F
from tinytorch.layers import Module, Parameter
from tinytorch.tensor import full

__all__ = [
    "CELU",
    "ELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LogSigmoid",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU6",
    "Softmax2d",
    "Softmin",
    "Softshrink",
    "Softsign",
    "Tanhshrink",
    "Threshold",
]


class Rectifier(Module):
    """A layer that may work in place, and says so where it is shown."""

    shown = ()  # the attributes that are shown

    def __init__(self, inplace):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        parts = [f"{name}={getattr(self, name)}" for name in self.shown]
        return ", ".join(parts + ["inplace=True"] * self.inplace)


class ELU(Rectifier):
    """x where it is positive, alpha (exp(x) - 1) elsewhere."""

    shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)


class SELU(Rectifier):
    """`ELU` with the two numbers that keep mean 0 and variance 1."""

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.selu(input, self.inplace)


class CELU(Rectifier):
    """x where it is positive, alpha (exp(x / alpha) - 1) elsewhere."""

    shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)


class Hardtanh(Rectifier):
    """x, but at least `min_val` and at most `max_val`."""

    shown = ("min_val", "max_val")

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__(inplace)
        self.min_val, self.max_val = min_val, max_val
        for old, value in {"min_value": min_value, "max_value": max_value}.items():
            if value is not None:
                new = old.removesuffix("ue")
                message = f"keyword argument `{old}` is deprecated and renamed to `{new}`"
                warnings.warn(message, FutureWarning, stacklevel=2)
                setattr(self, new, value)
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""

    shown = ()

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


class Threshold(Rectifier):
    """x where it is larger than `threshold`, `value` elsewhere."""

    shown = ("threshold", "value")

    def __init__(self, threshold, value, inplace=False):
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


class RReLU(Rectifier):
    """x where it is positive, times a slope between `lower` and `upper` elsewhere, drawn while training."""

    shown = ("lower", "upper")

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__(inplace)
        self.lower, self.upper = lower, upper

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardswish(Rectifier):
    """x relu6(x + 3) / 6."""

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.hardswish(input, self.inplace)

    def extra_repr(self):
        return ""


class Hardsigmoid(Rectifier):
    """relu6(x + 3) / 6."""

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self):
        return ""


class Mish(Rectifier):
    """x tanh(softplus(x))."""

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.mish(input, self.inplace)


class LogSigmoid(Module):
    """log(sigmoid(x))."""

    def forward(self, input):
        return F.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input):
        return F.tanhshrink(input)


class Softshrink(Module):
    """x brought closer to 0 by `lambd`, and 0 where that would go beyond."""

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.softshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class Hardshrink(Softshrink):
    """0 between -lambd and lambd, x elsewhere."""

    def forward(self, input):
        return F.hardshrink(input, self.lambd)


class PReLU(Module):
    """x where it is positive, and elsewhere times a learned weight, one or one for each channel."""

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The first half along `dim`, times the sigmoid of the second half."""

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmin(Module):
    """Probabilities along `dim`, the largest for the smallest score."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmin(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Probabilities of the channels of images (C, H, W) or (N, C, H, W), at each place."""

    def forward(self, input):
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)
