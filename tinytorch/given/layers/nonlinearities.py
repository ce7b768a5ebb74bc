"""Nonlinearities as layers: modules without parameters that call the functions of module 02."""

import tinytorch.activations as F
from tinytorch.layers import Module

__all__ = ["GELU", "LeakyReLU", "LogSoftmax", "ReLU", "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh"]


class ReLU(Module):
    """max(x, 0).

    Shape: (...) to (...), number by number.

    >>> torch.nn.ReLU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.])
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return F.relu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """x where it is positive, `negative_slope` x elsewhere.

    Shape: (...) to (...), number by number.

    >>> torch.nn.LeakyReLU(0.1)(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1000,  0.0000,  2.0000])
    """

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    Shape: (...) to (...), number by number.

    >>> torch.nn.Sigmoid()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0.2689, 0.5000, 0.8808])
    """

    def forward(self, input):
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent, (exp(x) - exp(-x)) / (exp(x) + exp(-x)).

    Shape: (...) to (...), number by number.

    >>> torch.nn.Tanh()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.7616,  0.0000,  0.9640])
    """

    def forward(self, input):
        return F.tanh(input)


class GELU(Module):
    """x Φ(x), with Φ the normal distribution's function; with `approximate="tanh"` a formula near it.

    Shape: (...) to (...), number by number.

    >>> torch.nn.GELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545])
    """

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """x sigmoid(x).

    Shape: (...) to (...), number by number.

    >>> torch.nn.SiLU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2689,  0.0000,  1.7616])
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return F.silu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Softplus(Module):
    """log(1 + exp(beta x)) / beta, a smooth rectifier; x itself where beta x is above `threshold`.

    Shape: (...) to (...), number by number.

    >>> torch.nn.Softplus()(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """Probabilities along `dim`: exp(x) over the sum of exp(x).

    Shape: (...) to (...).

    >>> torch.nn.Softmax(dim=1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[0.0900, 0.2447, 0.6652]])
    """

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithms of probabilities along `dim`: x - log(the sum of exp(x)).

    Shape: (...) to (...).

    >>> torch.nn.LogSoftmax(dim=1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[-2.4076, -1.4076, -0.4076]])
    """

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.log_softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"
