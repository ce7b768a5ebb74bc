"""Linear layers with weights in groups, each with a scale: in 4 bits, two to a byte by `pack_int4`, and in 8.

Inputs stay float: the weights are turned back, a few rows at a time, and multiplied. A group is what a block
of a GGUF file is, so that such a file's weights are taken as they lie there: `q4_1_blocks`, `q8_0_blocks`.
"""

import numpy as np

from tinytorch.given.quantization.models import kind_of, tied
from tinytorch.layers import Linear, Module
from tinytorch.quantization import (
    pack_int4,
    q4_1_blocks,
    q8_0_blocks,
    quantize_along,
    replace_layers,
    unpack_int4,
)
from tinytorch.tensor import Function, wrap

__all__ = ["GroupedEmbedding", "GroupedLinear", "Int4Linear", "Int8Linear", "quantize_int4"]

BLOCK = 2**18  # float32 weights at a time: 1 MiB
HALF = 65504  # the largest float16
LOWEST = -8  # of the integers of 4 bits


class GroupedProduct(Function):
    """x Wᵀ + b by the weights of a layer, turned back a few rows at a time; only x has a gradient."""

    once_differentiable = True

    @staticmethod
    def forward(ctx, x, layer):
        ctx.layer, ctx.shape = layer, x.shape
        flat = x.reshape(-1, layer.in_features)
        output = np.empty((len(flat), layer.out_features), np.float32)
        for rows in layer.blocks():
            np.matmul(flat, layer.weights(rows).T, out=output[:, rows])
        if layer.bias is not None:
            output += layer.bias.array
        return output.reshape(*x.shape[:-1], layer.out_features)

    @staticmethod
    def backward(ctx, grad):
        layer = ctx.layer
        flat = grad.reshape(-1, layer.out_features)
        output = np.zeros((len(flat), layer.in_features), np.float32)
        for rows in layer.blocks():
            output += flat[:, rows] @ layer.weights(rows)
        return output.reshape(ctx.shape)


class GroupedLinear(Module):
    """What the layers below share: a subclass holds integers and says by `weights` what they stand for."""

    def hold(self, in_features, group_size, bias=None, **arrays):
        """Keep a layer's arrays as buffers, and the sizes that they have."""
        self.in_features, self.out_features = in_features, len(arrays["scale"])
        self.group_size = group_size
        for name, array in (arrays | {"bias": bias}).items():
            self.register_buffer(name, None if array is None else wrap(array))
        return self

    def blocks(self):
        """Slices of the rows, as many at a time as are unpacked together."""
        step = max(1, BLOCK // max(1, self.in_features))
        return [slice(first, first + step) for first in range(0, self.out_features, step)]

    def forward(self, input):
        return GroupedProduct.apply(input, layer=self)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, group_size={self.group_size}"
        )


def outputs_together(array):
    """The same array (O, ...), in memory with neighbouring outputs side by side, as kernels read them."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 0, -1)), -1, 0)


class Int4Linear(GroupedLinear):
    """A Linear whose weights are integers from -8 to 7, in groups of a row: (integer + 8) · scale + minimum.

    Args:
        layer: a Linear.
        group_size: how many weights of a row share a scale; the last group of a row may be shorter.

    Its buffers: `packed` uint8 (O, groups, ⌈size/2⌉), `scale` and `minimum` float16 (O, groups), `bias`.

    Shape: (..., in_features) to (..., out_features).

    >>> layer = Int4Linear(torch.nn.Linear(64, 8))
    >>> layer.packed.shape, layer(torch.zeros(2, 64)).shape
    (torch.Size([8, 2, 16]), torch.Size([2, 8]))
    """

    def __init__(self, layer, group_size=32):
        super().__init__()
        weight, columns = layer.weight.array, layer.in_features
        size = min(group_size, columns)
        rows = np.pad(weight, ((0, 0), (0, -columns % size)))
        groups = rows.reshape(len(weight), -1, size)
        minimum = groups.min(axis=2, keepdims=True)
        integers, scale, _ = quantize_along(groups - minimum, axis=2, bits=4)  # from 0, which is LOWEST
        halves = [np.clip(x[..., 0], -HALF, HALF).astype(np.float16) for x in (scale, minimum)]
        bias = None if layer.bias is None else np.array(layer.bias.array, np.float32)
        arrays = [outputs_together(x) for x in (pack_int4(integers), *halves)]
        self.hold(columns, size, bias, **dict(zip(("packed", "scale", "minimum"), arrays)))
        self.train(layer.training)

    @classmethod
    def from_blocks(cls, blocks):
        """Make a layer of a file's Q4_1 blocks, uint8 (O, groups, 20).

        >>> import numpy as np
        >>> Int4Linear.from_blocks(np.zeros((8, 2, 20), np.uint8)).weights().shape
        (8, 64)
        """
        layer = cls.__new__(cls)
        Module.__init__(layer)
        packed, scale, minimum = (outputs_together(x) for x in q4_1_blocks(blocks))
        return layer.hold(32 * blocks.shape[1], 32, packed=packed, scale=scale, minimum=minimum).eval()

    def __setstate__(self, state):
        """Take what a pickle kept, whose arrays come back in the usual order of memory."""
        vars(self).update(state)
        for name in ("packed", "scale", "minimum"):
            self._buffers[name].array = outputs_together(self._buffers[name].array)

    def weights(self, rows=slice(None)):
        """Compute the weights that the integers stand for, float32 (O, in_features), or of some rows.

        >>> Int4Linear(torch.nn.Linear(64, 8)).weights(slice(2)).shape
        (2, 64)
        """
        weights = unpack_int4(self.packed.array[rows], self.group_size).astype(np.float32, order="C")
        weights -= np.float32(LOWEST)
        weights *= self.scale.array[rows].astype(np.float32)[..., None]
        weights += self.minimum.array[rows].astype(np.float32)[..., None]
        return weights.reshape(len(weights), -1)[:, : self.in_features]


class Int8Linear(GroupedLinear):
    """A Linear whose weights are int8, in groups of a row: integer · scale, as in a file's Q8_0 blocks.

    Its buffers: `integers` int8 (O, groups, 32), `scale` float16 (O, groups).

    Shape: (..., in_features) to (..., out_features).

    >>> import numpy as np
    >>> Int8Linear.from_blocks(np.zeros((8, 2, 34), np.uint8))(torch.zeros(3, 64)).shape
    torch.Size([3, 8])
    """

    @classmethod
    def from_blocks(cls, blocks):
        """Make a layer of a file's Q8_0 blocks, uint8 (O, groups, 34).

        >>> import numpy as np
        >>> Int8Linear.from_blocks(np.zeros((8, 2, 34), np.uint8)).weights().shape
        (8, 64)
        """
        integers, scale = q8_0_blocks(blocks)
        integers = np.ascontiguousarray(integers)
        return cls().hold(32 * blocks.shape[1], 32, integers=integers, scale=scale).eval()

    def weights(self, rows=slice(None)):
        """Compute the weights that the integers stand for, float32 (O, in_features), or of some rows.

        >>> import numpy as np
        >>> Int8Linear.from_blocks(np.zeros((8, 2, 34), np.uint8)).weights(slice(2)).shape
        (2, 64)
        """
        weights = self.integers.array[rows] * self.scale.array[rows].astype(np.float32)[..., None]
        return weights.reshape(len(weights), self.in_features)


class GroupedEmbedding(Module):
    """The token table whose rows are a `GroupedLinear`'s: the requested ones are dequantized."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, input):
        ids = input.array
        return wrap(self.layer.weights(ids.reshape(-1)).reshape(*ids.shape, self.layer.in_features))


def quantize_int4(model, group_size=32):
    """A copy of a model in which every Linear has weights of 4 bits in groups; tied weights stay."""
    kept = tied(model)

    def replacement(name, layer):
        able = type(layer) is Linear and kind_of(layer) is not None and name not in kept
        return Int4Linear(layer, group_size) if able else layer

    return replace_layers(model, replacement)
