"""Recurrent networks over whole sequences, RNN, LSTM and GRU, made of the cells' steps."""

import warnings

from tinytorch.given.attention.cells import STEPS, Recurrent
from tinytorch.given.attention.packed import PackedSequence
from tinytorch.given.attention.slices import pieces
from tinytorch.layers import Parameter, dropout, linear
from tinytorch.tensor import cat, empty, stack, zeros

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


class RNNBase(Recurrent):
    """Recurrent networks over sequences, `num_layers` high, and in both directions on request.

    `mode` is the kind of unit: RNN_TANH, RNN_RELU, LSTM or GRU. `proj_size`, for LSTM, is the length of h
    where a last matrix makes it shorter than hidden_size. `dropout` falls between one layer and the next.

    >>> sorted(name for name, _ in torch.nn.RNNBase("GRU", 3, 5).named_parameters())
    ['bias_hh_l0', 'bias_ih_l0', 'weight_hh_l0', 'weight_ih_l0']
    """

    def __init__(
        self,
        mode,
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
        self.mode, self.input_size, self.hidden_size, self.num_layers = (
            mode,
            input_size,
            hidden_size,
            num_layers,
        )
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        check_sizes(self, dropout)
        self.suffixes = [
            f"_l{n}{way}" for n in range(num_layers) for way in ("", "_reverse")[: 1 + bool(bidirectional)]
        ]
        options, output_size = {"device": device, "dtype": dtype}, proj_size or hidden_size
        for number, suffix in enumerate(self.suffixes):
            below = output_size * (1 + bool(bidirectional)) if number > bool(bidirectional) else input_size
            self._add_weights(suffix, STEPS[mode][0], below, output_size, bias, options)
            if proj_size:
                projection = Parameter(empty(proj_size, hidden_size, **options))
                self.register_parameter(f"weight_hr{suffix}", projection)
        self.reset_parameters()

    def forward(self, input, hx=None):
        """Run over input (T, B, input_size), from state (layers · directions, B, hidden_size) or zeros.

        Returns:
            The last layer's outputs (T, B, directions · hidden_size) and the last state: h, or (h, c). With
            `batch_first` inputs and outputs, though not states, are (B, T, ...); B may be left out of all. A
            PackedSequence gives a PackedSequence, and the state after each sequence's own last step.
        """
        packed = isinstance(input, PackedSequence)
        x, sizes = (input.data, input.batch_sizes.tolist()) if packed else self._steps(input)  # (N, I)
        check_input(self, x, sizes)
        batched = packed or input.dim() == 3
        states = self._initial(hx, x, sizes[0], batched, input.sorted_indices if packed else None)
        ways, last = 1 + bool(self.bidirectional), []
        for number in range(self.num_layers):
            here = range(number * ways, (number + 1) * ways)
            found = [self._run(x, sizes, self.suffixes[i], states[i]) for i in here]
            x = found[0][0] if ways == 1 else cat([outputs for outputs, _ in found], -1)
            last += [state for _, state in found]
            if self.dropout and number < self.num_layers - 1:
                x = dropout(x, self.dropout, self.training)
        last = tuple(stack(part) for part in zip(*last))
        if packed:
            x = PackedSequence(x, *input[1:])
            if input.unsorted_indices is not None:
                last = tuple(part.index_select(1, input.unsorted_indices) for part in last)
        else:
            x = x.unflatten(0, (len(sizes), sizes[0]))
            if not batched:
                x, last = x.squeeze(1), tuple(part.squeeze(1) for part in last)
            elif self.batch_first:
                x = x.transpose(0, 1)
        return x, last if self.mode == "LSTM" else last[0]

    def _steps(self, input):
        """The vectors of all steps, one below the other, and how many each step has."""
        if input.dim() not in (2, 3):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        x = input.unsqueeze(1) if input.dim() == 2 else input.transpose(0, 1) if self.batch_first else input
        if len(x) == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        return x.flatten(0, 1), [x.shape[1]] * len(x)

    def _run(self, x, sizes, suffix, start):
        """A layer in one direction over x (N, I), of which step t has sizes[t] rows: outputs, last state."""
        names = "weight_ih", "bias_ih", "weight_hh", "bias_hh", "weight_hr"
        *weights, projection = (getattr(self, name + suffix, None) for name in names)
        return recurrence(x, *weights, start, self.mode, sizes, suffix.endswith("reverse"), projection)

    def _initial(self, hx, x, B, batched, order):
        """The state before the first step of every layer and direction: what was given, or zeros."""
        sizes = (self.proj_size or self.hidden_size, self.hidden_size)[: 2 if self.mode == "LSTM" else 1]
        shapes = [(len(self.suffixes), B, size) for size in sizes]
        if hx is None:
            hx = [zeros(*shape, dtype=x.dtype, device=x.device) for shape in shapes]
        else:
            hx = hx if self.mode == "LSTM" else (hx,)
            if any(part.dim() != (3 if batched else 2) for part in hx):
                raise RuntimeError(
                    f"For {'batched 3-D' if batched else 'unbatched 2-D'} input, hx should also be "
                    f"{3 if batched else 2}-D but got {'-D and '.join(str(part.dim()) for part in hx)}-D"
                )
            hx = [part if batched else part.unsqueeze(1) for part in hx]
            for part, shape in zip(hx, shapes):
                if part.shape != shape:
                    raise RuntimeError(f"Expected hidden size {shape}, got {list(part.shape)}")
            if order is not None:
                hx = [part.index_select(1, order) for part in hx]
        return list(zip(*(part.unbind(0) for part in hx)))

    def flatten_parameters(self):
        """Do nothing: PyTorch lays the weights side by side here, for cuDNN.

        >>> torch.nn.GRU(3, 5).flatten_parameters()
        """

    @property
    def all_weights(self):
        """The parameters, a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _all_weights(self):
        """Their names, which programs go through where they set weights, or drop some."""
        kinds = [name.removesuffix("_l0") for name, _ in self.named_parameters() if name.endswith("_l0")]
        return [[kind + suffix for kind in kinds] for suffix in self.suffixes]

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [weight for weights in self.all_weights for weight in weights]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        ordinary = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0}
        ordinary["bidirectional"] = False
        changed = {name: getattr(self, name) for name in ordinary if getattr(self, name) != ordinary[name]}
        return ", ".join([text, *(f"{name}={value}" for name, value in changed.items())])


def recurrence(x, weight_ih, bias_ih, weight_hh, bias_hh, start, mode, sizes, backwards, projection=None):
    """Outputs (N, H) and last state of one layer in one direction; module 17 has a kernel for all steps."""
    weights = weight_ih, bias_ih, weight_hh, bias_hh
    return step_by_step(x, *weights, start, mode, sizes, backwards, projection)


def step_by_step(x, weight_ih, bias_ih, weight_hh, bias_hh, start, mode, sizes, backwards, projection=None):
    """Take the steps of `STEPS[mode]`, one after another, over x (N, I), of which step t has sizes[t] rows.

    Sizes never grow with t. Forwards, the state of a sequence that has ended waits for the others; backwards,
    a sequence begins, from its own first state, where it has its last vector.
    """
    steps = pieces(linear(x, weight_ih, bias_ih), sizes)  # the inputs' share in one product
    state, ended, outputs = tuple(s[: sizes[-1]] for s in start) if backwards else start, [], []
    for gates in reversed(steps) if backwards else steps:
        now, before = len(gates), len(state[0])
        if before < now:
            state = tuple(cat([s, first[before:now]]) for s, first in zip(state, start))
        elif now < before:
            ended.append(tuple(s[now:] for s in state))
            state = tuple(s[:now] for s in state)
        state = STEPS[mode][1](gates, *state, weight_hh, bias_hh)
        if projection is not None:
            state = (linear(state[0], projection), *state[1:])
        outputs.append(state[0])
    if ended:
        state = tuple(cat(parts) for parts in zip(state, *reversed(ended)))
    return cat(outputs[::-1] if backwards else outputs), state


def check_sizes(layers, dropout):
    """TypeError and ValueError for sizes and switches that make no network."""
    if isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being "
            "zeroed"
        )
    if dropout > 0 and layers.num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={layers.num_layers}",
            stacklevel=4,
        )
    kinds = {"bias": bool, "batch_first": bool, "input_size": int, "hidden_size": int, "num_layers": int}
    for name, kind in kinds.items():
        value = getattr(layers, name)
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if layers.proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if layers.proj_size >= layers.hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if layers.mode not in STEPS:
        raise ValueError(f"Unrecognized RNN mode: {layers.mode}")


def check_input(layers, x, sizes):
    """ValueError for another dtype than the weights', RuntimeError for other vectors than they go with."""
    if x.dtype != layers.weight_ih_l0.dtype:
        raise ValueError(
            f"RNN input dtype ({x.dtype}) does not match weight dtype ({layers.weight_ih_l0.dtype})"
        )
    if x.dim() != 2:
        raise RuntimeError(f"a packed input must have 2 dimensions, got {x.dim()}")
    if x.shape[1] != layers.input_size:
        raise RuntimeError(
            f"input.size(-1) must be equal to input_size. Expected {layers.input_size}, got {x.shape[1]}"
        )


class RNN(RNNBase):
    """A plain recurrent network: h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu of it (Elman, 1990).

    RNN(input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, device=None, dtype=None)

    Shape: (T, B, input_size) to (T, B, hidden_size) and the last state (num_layers, B, hidden_size); twice as
        much of each in both directions.

    >>> outputs, h = torch.nn.RNN(3, 5)(torch.zeros(7, 2, 3))
    >>> outputs.shape, h.shape
    (torch.Size([7, 2, 5]), torch.Size([1, 2, 5]))
    """

    def __init__(self, *args, **kwargs):
        refuse_projection(kwargs)
        nonlinearity = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args[:3], *args[4:], **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memories over sequences; the state is (h, c).

    LSTM(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, proj_size=0, device=None, dtype=None)

    Shape: as `RNN`, with a state of two.

    >>> outputs, (h, c) = torch.nn.LSTM(3, 5, num_layers=2, batch_first=True)(torch.zeros(2, 7, 3))
    >>> outputs.shape, h.shape, c.shape
    (torch.Size([2, 7, 5]), torch.Size([2, 2, 5]), torch.Size([2, 2, 5]))
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent units over sequences.

    GRU(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
    device=None, dtype=None)

    Shape: as `RNN`.

    >>> outputs, h = torch.nn.GRU(3, 5, bidirectional=True)(torch.zeros(7, 2, 3))
    >>> outputs.shape, h.shape
    (torch.Size([7, 2, 10]), torch.Size([2, 2, 5]))
    """

    def __init__(self, *args, **kwargs):
        refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


def refuse_projection(options):
    """ValueError where proj_size is among the options."""
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
