"""One step of a recurrent network, RNNCell, LSTMCell and GRUCell, made of `lstm_step` and `gru_step`."""

import math

from tinytorch.activations import relu, tanh
from tinytorch.attention import gru_step, lstm_step
from tinytorch.layers import Module, Parameter, linear, uniform_
from tinytorch.tensor import empty, zeros

__all__ = ["STEPS", "GRUCell", "LSTMCell", "RNNCell", "RNNCellBase", "Recurrent"]

# Each kind of unit: how many gates it has, and its step from the input's share of the gates and the state,
# (h) or (h, c), to the next state.
STEPS = {
    "RNN_TANH": (1, lambda gates, h, weight, bias: (tanh(gates + linear(h, weight, bias)),)),
    "RNN_RELU": (1, lambda gates, h, weight, bias: (relu(gates + linear(h, weight, bias)),)),
    "LSTM": (4, lambda gates, h, c, weight, bias: lstm_step(gates, h, c, weight, bias)),
    "GRU": (3, lambda gates, h, weight, bias: (gru_step(gates, h, weight, bias),)),
}


class Recurrent(Module):
    """What cells and layers share: how weights are registered and drawn."""

    def _add_weights(self, suffix, gates, input_size, recurrent_size, bias, options):
        """Register weights and biases of all gates, for one layer in one direction."""
        rows = gates * self.hidden_size
        self.register_parameter(f"weight_ih{suffix}", Parameter(empty(rows, input_size, **options)))
        self.register_parameter(f"weight_hh{suffix}", Parameter(empty(rows, recurrent_size, **options)))
        for name in ("bias_ih", "bias_hh"):
            if bias or not suffix:
                parameter = Parameter(empty(rows, **options)) if bias else None
                self.register_parameter(name + suffix, parameter)

    def reset_parameters(self):
        """Draw every parameter evenly from ±1/√hidden_size.

        >>> cell = torch.nn.RNNCell(3, 4)
        >>> cell.reset_parameters()
        >>> bool((cell.weight_ih.abs() <= 0.5).all())
        True
        """
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)


class RNNCellBase(Recurrent):
    """One step of a recurrent network, with its weights; `num_chunks` is how many gates a unit has.

    >>> torch.nn.RNNCellBase(3, 5, True, num_chunks=4).weight_ih.shape
    torch.Size([20, 3])
    """

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        options = {"device": device, "dtype": dtype}
        self._add_weights("", num_chunks, input_size, hidden_size, bias, options)
        self.reset_parameters()

    def _advance(self, mode, input, state):
        """From input (B, input_size) and the state, None or a tuple, to the next state; or all without B."""
        if input.dim() not in (1, 2):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        x = input if input.dim() == 2 else input.unsqueeze(0)
        if state is None:
            state = (zeros(len(x), self.hidden_size, dtype=x.dtype, device=x.device),) * (
                2 if mode == "LSTM" else 1
            )
        else:
            state = self._checked(x, state, input.dim() == 2)
        if x.shape[1] != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}"
            )
        gates = linear(x, self.weight_ih, self.bias_ih)
        state = STEPS[mode][1](gates, *state, self.weight_hh, self.bias_hh)
        return state if input.dim() == 2 else tuple(s.squeeze(0) for s in state)

    def _checked(self, x, state, batched):
        """The state as a tuple of (B, hidden_size), or what is wrong with it."""
        for s in state:
            if s.dim() not in (1, 2):
                name = type(self).__name__
                raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {s.dim()}D instead")
        state = tuple(s if batched else s.unsqueeze(0) for s in state)
        for number, s in enumerate(state):
            if s.shape != (len(x), self.hidden_size):
                raise RuntimeError(
                    f"hidden{number} is of shape {list(s.shape)}, and should be "
                    f"{[len(x), self.hidden_size]}: as many rows as the input has, of hidden_size entries"
                )
        return state

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias is True else f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text + ("" if nonlinearity == "tanh" else f", nonlinearity={nonlinearity}")


class RNNCell(RNNCellBase):
    """h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu of it.

    Shape: (B, input_size) and h (B, hidden_size) to h'; B may be left out of both.

    >>> torch.nn.RNNCell(3, 5)(torch.zeros(8, 3)).shape
    torch.Size([8, 5])
    """

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """From input (B, input_size) and h (B, hidden_size) to h'; B may be left out of both."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._advance(f"RNN_{self.nonlinearity.upper()}", input, hx if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory: c' = f c + i g, h' = o tanh(c').

    Shape: (B, input_size) and (h, c), each (B, hidden_size), to (h', c'); B may be left out of all.

    >>> h, c = torch.nn.LSTMCell(3, 5)(torch.zeros(8, 3))
    >>> h.shape, c.shape
    (torch.Size([8, 5]), torch.Size([8, 5]))
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        """From input (B, input_size) and (h, c), each (B, hidden_size), to (h', c'); B may be left out."""
        return self._advance("LSTM", input, hx)


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit: h' = (1 - z) n + z h.

    Shape: (B, input_size) and h (B, hidden_size) to h'; B may be left out of both.

    >>> torch.nn.GRUCell(3, 5)(torch.zeros(8, 3)).shape
    torch.Size([8, 5])
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        """From input (B, input_size) and h (B, hidden_size) to h'; B may be left out of both."""
        return self._advance("GRU", input, hx if hx is None else (hx,))[0]
