"""Linear layers whose weights are numbers of entries in a table, by the learner's `kmeans`."""

import numpy as np

import tinytorch.layers as F
from tinytorch.compression import kmeans
from tinytorch.layers import Linear, Module, Parameter
from tinytorch.quantization import pack_int4, replace_layers, unpack_int4
from tinytorch.tensor import tensor, wrap

__all__ = ["ClusteredLinear", "cluster_weights"]


class ClusteredLinear(Module):
    """A Linear whose weights come from a short table, which can be trained.

    Args:
        layer: a Linear.
        entries: the table's length, 1 to 256.

    Its state: `table`, a Parameter of float32; `codes`, a buffer of uint8, two to a byte up to 16 entries;
    `bias`.

    Shape: (..., in_features) to (..., out_features).

    >>> layer = ClusteredLinear(torch.nn.Linear(8, 4), entries=4)
    >>> layer.table.shape, layer.codes.nbytes, layer(torch.zeros(2, 8)).shape
    (torch.Size([4]), 16, torch.Size([2, 4]))
    """

    def __init__(self, layer, entries=16):
        super().__init__()
        if not 1 <= entries <= 256:
            raise ValueError(f"a code is a byte or half of one: 1 to 256 entries, not {entries}")
        self.out_features, self.in_features = layer.weight.shape
        self.entries = entries
        table, codes = kmeans(layer.weight.detach().numpy().ravel(), entries)
        codes = codes.reshape(layer.weight.shape)
        packed = pack_int4((codes.astype(np.int16) - 8).astype(np.int8)) if entries <= 16 else codes
        self.table = Parameter(tensor(table))
        self.register_buffer("codes", wrap(packed))
        self.bias = None if layer.bias is None else Parameter(layer.bias.detach().clone())

    def weight(self):
        """Look the weights up: a Tensor (out_features, in_features).

        >>> len(ClusteredLinear(torch.nn.Linear(8, 4), entries=4).weight().unique()) <= 4
        True
        """
        codes = self.codes.numpy()
        if self.entries <= 16:
            codes = unpack_int4(codes, self.in_features).astype(np.int64) + 8
        return self.table[wrap(codes.astype(np.int64))]

    def forward(self, input):
        return F.linear(input, self.weight(), self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, entries={self.entries}"


def cluster_weights(model, entries=16):
    """Copy a model, and give each of its Linear layers a table of `entries` weights."""
    return replace_layers(
        model, lambda name, layer: ClusteredLinear(layer, entries) if type(layer) is Linear else layer
    )
