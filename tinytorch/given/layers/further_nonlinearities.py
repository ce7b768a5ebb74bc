"""Less common nonlinearities, as layers; each calls its function of module 02."""

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
    """A layer that may work in place, and says so when it is printed."""

    shown = ()  # the attributes that are shown

    def __init__(self, inplace):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        parts = [f"{name}={getattr(self, name)}" for name in self.shown]
        return ", ".join(parts + ["inplace=True"] * self.inplace)


class ELU(Rectifier):
    """x where it is positive, alpha (exp(x) - 1) elsewhere.

    Shape: (...) to (...), number by number.

    >>> torch.nn.ELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.6321,  0.0000,  2.0000])
    """

    shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)


class SELU(Rectifier):
    """scale x where x is positive, scale alpha (exp(x) - 1) elsewhere.

    `scale` and `alpha` are the two numbers that keep mean 0 and variance 1.

    Shape: (...) to (...), number by number.

    >>> torch.nn.SELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.selu(input, self.inplace)


class CELU(Rectifier):
    """x where it is positive, alpha (exp(x / alpha) - 1) elsewhere.

    Shape: (...) to (...), number by number.

    >>> torch.nn.CELU(alpha=2.0)(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.7869,  0.0000,  2.0000])
    """

    shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)


class Hardtanh(Rectifier):
    """x, but at least `min_val` and at most `max_val`.

    Shape: (...) to (...), number by number.

    >>> torch.nn.Hardtanh(-0.5, 1.5)(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """

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
    """min(max(x, 0), 6).

    Shape: (...) to (...), number by number.

    >>> torch.nn.ReLU6()(torch.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """

    shown = ()

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


class Threshold(Rectifier):
    """x where it is larger than `threshold`, `value` elsewhere.

    Shape: (...) to (...), number by number.

    >>> torch.nn.Threshold(1.0, 20.0)(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([20., 20.,  2.])
    """

    shown = ("threshold", "value")

    def __init__(self, threshold, value, inplace=False):
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


class RReLU(Rectifier):
    """x where it is positive, times a slope between `lower` and `upper` elsewhere, drawn while training.

    Shape: (...) to (...), number by number.

    >>> torch.nn.RReLU(0.1, 0.3).eval()(torch.tensor([-1.0, 0.0, 2.0]))  # the mean of both slopes
    tensor([-0.2000,  0.0000,  2.0000])
    """

    shown = ("lower", "upper")

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__(inplace)
        self.lower, self.upper = lower, upper

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardswish(Rectifier):
    """x relu6(x + 3) / 6.

    Shape: (...) to (...), number by number.

    >>> torch.nn.Hardswish()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3333,  0.0000,  1.6667])
    """

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.hardswish(input, self.inplace)

    def extra_repr(self):
        return ""


class Hardsigmoid(Rectifier):
    """relu6(x + 3) / 6.

    Shape: (...) to (...), number by number.

    >>> torch.nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 2.0]))
    tensor([0.0000, 0.5000, 0.8333])
    """

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self):
        return ""


class Mish(Rectifier):
    """x tanh(softplus(x)).

    Shape: (...) to (...), number by number.

    >>> torch.nn.Mish()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3034,  0.0000,  1.9440])
    """

    def __init__(self, inplace=False):
        super().__init__(inplace)

    def forward(self, input):
        return F.mish(input, self.inplace)


class LogSigmoid(Module):
    """log(sigmoid(x)).

    Shape: (...) to (...), number by number.

    >>> torch.nn.LogSigmoid()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.3133, -0.6931, -0.1269])
    """

    def forward(self, input):
        return F.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|).

    Shape: (...) to (...), number by number.

    >>> torch.nn.Softsign()(torch.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """

    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    Shape: (...) to (...), number by number.

    >>> torch.nn.Tanhshrink()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2384,  0.0000,  1.0360])
    """

    def forward(self, input):
        return F.tanhshrink(input)


class Softshrink(Module):
    """x moved closer to 0 by `lambd`, and 0 where that would cross zero.

    Shape: (...) to (...), number by number.

    >>> torch.nn.Softshrink(0.5)(torch.tensor([-1.0, 0.25, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.softshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class Hardshrink(Softshrink):
    """0 between -lambd and lambd, x elsewhere.

    Shape: (...) to (...), number by number.

    >>> torch.nn.Hardshrink(0.5)(torch.tensor([-1.0, 0.25, 2.0]))
    tensor([-1.,  0.,  2.])
    """

    def forward(self, input):
        return F.hardshrink(input, self.lambd)


class PReLU(Module):
    """x where it is positive, and elsewhere times a learned weight, one or one for each channel.

    Shape: (N, C, ...) to (N, C, ...); `num_parameters` is 1 or C.

    >>> torch.nn.PReLU()(torch.tensor([-1.0, 0.0, 2.0])).detach()
    tensor([-0.2500,  0.0000,  2.0000])
    """

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The first half along `dim`, times the sigmoid of the second half.

    Shape: (..., 2 D, ...) to (..., D, ...), with 2 D along `dim`.

    >>> torch.nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000])
    """

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmin(Module):
    """Probabilities along `dim`, the largest for the smallest score: softmax of -x.

    Shape: (...) to (...).

    >>> torch.nn.Softmin(dim=1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[0.6652, 0.2447, 0.0900]])
    """

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmin(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Probabilities of the channels of images (C, H, W) or (N, C, H, W), at each place.

    Shape: (C, H, W) or (N, C, H, W) to the same.

    >>> torch.nn.Softmax2d()(torch.zeros(4, 1, 2))[:, 0, 0]
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    def forward(self, input):
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)
