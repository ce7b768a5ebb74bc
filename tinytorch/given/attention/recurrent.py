"""Recurrent networks over whole sequences, RNN, LSTM and GRU, made of the cells' steps."""

import warnings

from tinytorch.given.attention.cells import GRUStep, LSTMStep, RecurrentModule
from tinytorch.given.attention.slices import unbind
from tinytorch.layers import Parameter, dropout, linear
from tinytorch.tensor import cat, empty, stack, zeros

__all__ = ["GRU", "LSTM", "RNN", "RecurrentLayers"]


class RecurrentLayers(RecurrentModule):
    """Recurrent networks over whole sequences, `num_layers` high, and in both directions if asked for."""

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being "
                "zeroed"
            )
        for name, size in (("hidden_size", hidden_size), ("num_layers", num_layers)):
            if not isinstance(size, int):
                raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size and not self.memory:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if not 0 <= proj_size < hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size, and not negative")
        if dropout and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        self.input_size, self.hidden_size, self.num_layers, self.bias = (
            input_size,
            hidden_size,
            num_layers,
            bias,
        )
        self.batch_first, self.dropout, self.bidirectional = (batch_first, float(dropout), bidirectional)
        self.proj_size, self.output_size = proj_size, proj_size or hidden_size
        self.suffixes = [
            f"_l{n}{way}" for n in range(num_layers) for way in ("", "_reverse")[: 1 + bidirectional]
        ]
        options = {"device": device, "dtype": dtype}
        for number, suffix in enumerate(self.suffixes):
            below = input_size if number <= bidirectional else self.output_size * (1 + bidirectional)
            self.add_weights(suffix, below, hidden_size, self.output_size, bias, options)
            if proj_size:
                self.register_parameter(
                    f"weight_hr{suffix}", Parameter(empty(proj_size, hidden_size, **options))
                )
        self.reset_parameters()

    def forward(self, input, hx=None):
        """Run over input (T, B, input_size), from state (layers · directions, B, hidden_size) or zeros.

        Returns:
            The last layer's outputs (T, B, directions · hidden_size) and the last state: h, or (h, c). With
            `batch_first` inputs and outputs, though not states, are (B, T, ...); B may be left out of all.
        """
        if input.dim() not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead"
            )
        if input.dtype != self.weight_ih_l0.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({self.weight_ih_l0.dtype})"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. "
                f"Expected {self.input_size}, got {input.shape[-1]}"
            )
        batched = input.dim() == 3
        x = (
            input.unsqueeze(1) if not batched else input.transpose(0, 1) if self.batch_first else input
        )  # (T, B, I)
        states, last, ways = self.initial(hx, x, batched), [], 1 + self.bidirectional
        for number in range(self.num_layers):
            suffixes = self.suffixes[number * ways : (number + 1) * ways]
            found = [self.run(x, suffix, states[self.suffixes.index(suffix)]) for suffix in suffixes]
            x = cat([outputs for outputs, _ in found], -1) if self.bidirectional else found[0][0]
            last += [state for _, state in found]
            if self.dropout and number < self.num_layers - 1:
                x = dropout(x, self.dropout, self.training)
        last = tuple(stack(part) for part in zip(*last))
        if not batched:
            x, last = x.squeeze(1), tuple(part.squeeze(1) for part in last)
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, last if self.memory else last[0]

    def run(self, x, suffix, state):
        """One layer in one direction: its outputs (T, B, H), and its last state."""
        weight, bias = (getattr(self, f"weight_hh{suffix}"), getattr(self, f"bias_hh{suffix}", None))
        gates = linear(x, getattr(self, f"weight_ih{suffix}"), getattr(self, f"bias_ih{suffix}", None))
        steps, outputs = unbind(gates, 0), []  # the inputs' share of all steps is one product
        for gates in reversed(steps) if suffix.endswith("reverse") else steps:
            state = self.step(gates, state, weight, bias)
            if self.proj_size:
                state = (linear(state[0], getattr(self, f"weight_hr{suffix}")), *state[1:])
            outputs.append(state[0])
        return stack(outputs[::-1] if suffix.endswith("reverse") else outputs), state

    def initial(self, hx, x, batched):
        """The state before the first step of every layer and direction: what was given, or zeros."""
        sizes = (self.output_size, self.hidden_size)[: 1 + self.memory]
        shapes = [(len(self.suffixes), x.shape[1], size) for size in sizes]
        if hx is None:
            hx = tuple(zeros(*shape, dtype=x.dtype) for shape in shapes)
        else:
            hx = hx if self.memory else (hx,)
            if any(part.dim() != (3 if batched else 2) for part in hx):
                raise RuntimeError(
                    f"For {'batched 3-D' if batched else 'unbatched 2-D'} input, hx should also be "
                    f"{3 if batched else 2}-D but got {'-D and '.join(str(part.dim()) for part in hx)}-D"
                )
            hx = tuple(part if batched else part.unsqueeze(1) for part in hx)
        for part, shape in zip(hx, shapes):
            if part.shape != shape:
                raise RuntimeError(f"Expected hidden size {shape}, got {list(part.shape)}")
        return list(zip(*(unbind(part, 0) for part in hx)))

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        ordinary = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        changed = {
            name: getattr(self, name) for name, usual in ordinary.items() if getattr(self, name) != usual
        }
        return ", ".join([text, *(f"{name}={value}" for name, value in changed.items())])


class RNN(RecurrentLayers):
    """A plain recurrent network: h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu of it (Elman, 1990)."""

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        nonlinearity="tanh",
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        device=None,
        dtype=None,
    ):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )
        self.nonlinearity = nonlinearity


class LSTM(LSTMStep, RecurrentLayers):
    """Long short-term memories over sequences; the state is (h, c)."""


class GRU(GRUStep, RecurrentLayers):
    """Gated recurrent units over sequences."""
