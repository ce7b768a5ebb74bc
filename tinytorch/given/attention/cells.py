"""One step of a recurrent network, RNNCell, LSTMCell and GRUCell, made of `lstm_step` and `gru_step`."""

import math

from tinytorch.activations import relu, tanh
from tinytorch.attention import gru_step, lstm_step
from tinytorch.layers import Module, Parameter, linear, uniform_
from tinytorch.tensor import empty, zeros

__all__ = ["GRUCell", "GRUStep", "LSTMCell", "LSTMStep", "RNNCell", "RecurrentCell", "RecurrentModule"]


class RecurrentModule(Module):
    """What cells and layers share: how weights are registered and drawn, and how one step is taken."""

    gates, memory = 1, False  # how many gates a unit has; whether there is a c beside h
    nonlinearity = "tanh"

    def add_weights(self, suffix, input_size, hidden_size, recurrent_size, bias, options):
        rows = self.gates * hidden_size
        self.register_parameter(f"weight_ih{suffix}", Parameter(empty(rows, input_size, **options)))
        self.register_parameter(f"weight_hh{suffix}", Parameter(empty(rows, recurrent_size, **options)))
        for name in ("bias_ih", "bias_hh"):
            if bias or not suffix:
                parameter = Parameter(empty(rows, **options)) if bias else None
                self.register_parameter(name + suffix, parameter)

    def reset_parameters(self):
        """Draw every parameter evenly from ±1/√hidden_size."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def step(self, gates, state, weight, bias):
        """The next state, a tuple, from what the input contributes and the state before."""
        return (activation(self.nonlinearity)(gates + linear(state[0], weight, bias)),)


def activation(nonlinearity):
    """tanh or relu by its name."""
    if nonlinearity not in ("tanh", "relu"):
        raise RuntimeError(f"Unknown nonlinearity: {nonlinearity}")
    return tanh if nonlinearity == "tanh" else relu


class LSTMStep:
    """A step with four gates and a memory."""

    gates, memory = 4, True

    def step(self, gates, state, weight, bias):
        return lstm_step(gates, *state, weight, bias)


class GRUStep:
    """A step with three gates."""

    gates = 3

    def step(self, gates, state, weight, bias):
        return (gru_step(gates, *state, weight, bias),)


class RecurrentCell(RecurrentModule):
    """One step of a recurrent network, with its weights."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self.add_weights("", input_size, hidden_size, hidden_size, bias, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def forward(self, input, hx=None):
        """From input (B, input_size) and state to the next state, h (B, hidden_size) or (h, c); B may go."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if x.shape[1] != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}"
            )
        if hx is None:
            state = (zeros(len(x), self.hidden_size, dtype=x.dtype),) * (1 + self.memory)
        else:
            state = hx if self.memory else (hx,)
            if any(s.dim() not in (1, 2) for s in state):
                raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {state[0].dim()}D instead")
            state = tuple(s if batched else s.unsqueeze(0) for s in state)
        for number, s in enumerate(state):
            if len(s) != len(x):
                raise RuntimeError(
                    f"Input batch size {len(x)} doesn't match hidden{number} batch size {len(s)}"
                )
            if s.shape[1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{number} has inconsistent hidden_size: "
                    f"got {s.shape[1]}, expected {self.hidden_size}"
                )
        state = self.step(linear(x, self.weight_ih, self.bias_ih), state, self.weight_hh, self.bias_hh)
        state = tuple(s if batched else s.squeeze(0) for s in state)
        return state if self.memory else state[0]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias is True else f", bias={self.bias}"
        return text + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class RNNCell(RecurrentCell):
    """h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu of it."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity


class LSTMCell(LSTMStep, RecurrentCell):
    """One step of a long short-term memory: input and (h, c) to (h', c')."""


class GRUCell(GRUStep, RecurrentCell):
    """One step of a gated recurrent unit: input and h to h'."""
