"""A Linear with weights of 4 bits, two to a byte, a scale for each group: `pack_int4` in a layer.

Inputs stay float: the weights are turned back, a few rows at a time, and multiplied.
"""

import numpy as np

from tinytorch.given.quantization.models import kind_of, tied
from tinytorch.layers import Linear, Module
from tinytorch.quantization import pack_int4, quantize_along, replace_layers, unpack_int4
from tinytorch.tensor import wrap

__all__ = ["Int4Linear", "quantize_int4"]

BLOCK = 2**18  # float32 weights at a time: 1 MiB
HALF = 65504  # the largest float16


class Int4Linear(Module):
    """A Linear whose weights are integers from -8 to 7, each group of a row with its scale and zero point.

    Args:
        layer: a Linear.
        group_size: how many weights of a row share a scale; the last group of a row may be shorter.

    Its buffers: `packed` uint8 (O, ⌈I/2⌉), `scale` float16 (O, groups), `zero_point`, packed too, `bias`.
    """

    def __init__(self, layer, group_size=32):
        super().__init__()
        weight = layer.weight.array
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.group_size = min(group_size, self.in_features)
        rows = np.pad(weight, ((0, 0), (0, -self.in_features % self.group_size)))
        groups = rows.reshape(len(weight), -1, self.group_size)
        integers, scale, zero_point = quantize_along(groups, axis=2, bits=4)
        integers = integers.reshape(rows.shape)[:, : self.in_features]
        self.register_buffer("packed", wrap(pack_int4(integers)))
        self.register_buffer("scale", wrap(np.clip(scale[..., 0], 0, HALF).astype(np.float16)))
        self.register_buffer("zero_point", wrap(pack_int4(zero_point[..., 0].astype(np.int8))))
        bias = None if layer.bias is None else wrap(np.array(layer.bias.array, np.float32))
        self.register_buffer("bias", bias)
        self.train(layer.training)

    def weights(self, rows=slice(None)):
        """The weights that the integers stand for, float32, of some rows."""
        integers = unpack_int4(self.packed.array[rows], self.in_features)
        scale = self.scale.array[rows].astype(np.float32)
        zero_point = unpack_int4(self.zero_point.array[rows], scale.shape[1])
        spread = [np.repeat(x, self.group_size, axis=1)[:, : self.in_features] for x in (zero_point, scale)]
        weights = integers.astype(np.float32)
        weights -= spread[0]
        weights *= spread[1]
        return weights

    def forward(self, input):
        x = input.array.reshape(-1, self.in_features)
        output = np.empty((len(x), self.out_features), np.float32)
        step = max(1, BLOCK // max(1, self.in_features))
        for first in range(0, self.out_features, step):
            rows = slice(first, first + step)
            np.matmul(x, self.weights(rows).T, out=output[:, rows])
        if self.bias is not None:
            output += self.bias.array
        return wrap(output.reshape(*input.shape[:-1], self.out_features))

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, group_size={self.group_size}"
        )


def quantize_int4(model, group_size=32):
    """A copy of a model in which every Linear has weights of 4 bits in groups; tied weights stay."""
    kept = tied(model)

    def replacement(name, layer):
        able = type(layer) is Linear and kind_of(layer) is not None and name not in kept
        return Int4Linear(layer, group_size) if able else layer

    return replace_layers(model, replacement)
