"""Layers that keep their weights as integers: what holds the arrays around the learner's forward passes.

`QuantizedLinear` and `QuantizedConv2d` run the learner's `linear_forward` and `conv2d_forward` on arrays.
"""

from numbers import Integral

import numpy as np

from tinytorch.layers import Module
from tinytorch.quantization import conv2d_forward, linear_forward, quantize, quantize_along
from tinytorch.tensor import from_numpy, wrap

__all__ = ["QuantizedConv2d", "QuantizedLayer", "QuantizedLinear", "sums_of_rows"]


def sums_of_rows(weight):
    """The sum of the integers that belong to each output, (O,) int32."""
    return weight.reshape(len(weight), -1).sum(axis=1, dtype=np.int32)


def sums_again(module, incompatible_keys):
    """After loading: the sums are not in a file, because they follow from the weights."""
    module.weight_sums = wrap(sums_of_rows(module.weight.array))


class QuantizedLayer(Module):
    """A layer made from a float layer: int8 weights in buffers, one scale for each output, no Parameter.

    Args:
        layer: a Linear or Conv2d.
        weight_qparams: scales (O,) and zero points of the weight, which have to be 0; None takes each
            output's largest magnitude, symmetric.
        input_qparams: scale and zero point of the input, found by calibration; None measures each row, or
            each image, while the model runs.
        input_range: the smallest and the largest integer of the input.

    Its buffers are `weight` int8, `weight_scale` (O,), `bias` (O,) or None, all of them in the state; and
    `weight_sums` (O,), computed from the weight.
    """

    def __init__(self, layer, weight_qparams=None, input_qparams=None, input_range=(-128, 127)):
        super().__init__()
        weight = layer.weight.array
        rows = weight.reshape(len(weight), -1)
        if weight_qparams is None:
            integers, scale, _ = quantize_along(rows, axis=1, symmetric=True)
        else:
            scale, zero_point = (np.asarray(x).reshape(-1, 1) for x in weight_qparams)
            if zero_point.any():
                raise ValueError("weights are symmetric here: zero points other than 0 are not supported")
            integers = quantize(rows, scale, zero_point)
        scale = np.broadcast_to(scale.reshape(-1), len(weight)).astype(np.float32)
        self.register_buffer("weight", wrap(integers.reshape(weight.shape)))
        self.register_buffer("weight_scale", wrap(scale))
        bias = None if layer.bias is None else wrap(np.array(layer.bias.array, np.float32))
        self.register_buffer("bias", bias)
        sums = wrap(sums_of_rows(self.weight.array))
        self.register_buffer("weight_sums", sums, persistent=False)
        scale, zero_point = (None, None) if input_qparams is None else input_qparams
        self.register_buffer("input_scale", scale if scale is None else from_numpy(np.float32([scale])))
        zero_point = None if zero_point is None else from_numpy(np.int32([zero_point]))
        self.register_buffer("input_zero_point", zero_point)
        self.input_range = input_range
        self.register_load_state_dict_post_hook(sums_again)
        self.train(layer.training)

    def quantize_input(self, x, axis):
        """Integers for x, with the scale and the zero point of each row or image.

        A row with an infinity or NaN gets the scale NaN, so that its answer is NaN, and that of no other.

        Args:
            x: an array (N, ...).
            axis: the dimensions that make a row.

        Returns:
            int8 like x; scales, float32, and zero points, int32, in shapes that broadcast against x.
        """
        x = np.asarray(x, np.float32)
        finite = np.isfinite(x).all(axis=axis, keepdims=True)
        if not finite.all():
            x = np.where(finite, x, np.float32(0))
        if self.input_scale is None:
            integers, scale, zero_point = quantize_along(x, axis=axis)
        else:
            scale = np.full(finite.shape, self.input_scale.array[0])
            zero_point = np.full(finite.shape, self.input_zero_point.array[0])
            integers = quantize(x, scale, zero_point, *self.input_range)
        return integers, np.where(finite, scale, np.float32(np.nan)), zero_point

    def how(self):
        """Whether inputs are measured or were calibrated, for printing."""
        if self.input_scale is None:
            return "dynamic"
        return f"scale={self.input_scale.item():.4g}, zero_point={self.input_zero_point.item()}"


class QuantizedLinear(QuantizedLayer):
    """A Linear with int8 weights and sums of integers: (..., in_features) to (..., out_features).

    >>> layer = QuantizedLinear(torch.nn.Linear(4, 2))
    >>> layer.weight.dtype, layer(torch.zeros(3, 4)).shape
    (torch.int8, torch.Size([3, 2]))
    """

    def __init__(self, layer, weight_qparams=None, input_qparams=None, input_range=(-128, 127)):
        super().__init__(layer, weight_qparams, input_qparams, input_range)
        self.in_features, self.out_features = layer.in_features, layer.out_features

    def forward(self, input):
        if not input.shape or input.shape[-1] != self.in_features:
            raise RuntimeError(
                f"the input's last dimension is {self.in_features}, its shape is {list(input.shape)}"
            )
        output = linear_forward(self, input.array.reshape(-1, self.in_features))
        return wrap(output.reshape(*input.shape[:-1], self.out_features))

    def extra_repr(self):
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}, {self.how()}"


class QuantizedConv2d(QuantizedLayer):
    """A Conv2d with int8 filters: images (N, C, H, W), or one image, to (N, O, H', W').

    >>> layer = QuantizedConv2d(torch.nn.Conv2d(3, 2, 3))
    >>> layer.weight.dtype, layer(torch.zeros(1, 3, 5, 5)).shape
    (torch.int8, torch.Size([1, 2, 3, 3]))
    """

    def __init__(self, layer, weight_qparams=None, input_qparams=None, input_range=(-128, 127)):
        if not can_be_quantized(layer):
            raise ValueError("groups, margins other than zeros, and margins by name are not supported")
        super().__init__(layer, weight_qparams, input_qparams, input_range)
        self.in_channels, self.out_channels = layer.in_channels, layer.out_channels
        self.kernel_size, self.stride = pair(layer.kernel_size), pair(layer.stride)
        self.padding, self.dilation = pair(layer.padding), pair(layer.dilation)

    def forward(self, input):
        if input.ndim not in (3, 4) or input.shape[-3] != self.in_channels:
            raise RuntimeError(
                f"images have {self.in_channels} channels here, (N, C, H, W) or (C, H, W), "
                f"the input's shape is {list(input.shape)}"
            )
        images = input.array[None] if input.ndim == 3 else input.array
        output = conv2d_forward(self, images)
        return wrap(output[0] if input.ndim == 3 else output)

    def extra_repr(self):
        moves = f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        return f"{self.in_channels}, {self.out_channels}, {moves}, {self.how()}"


def can_be_quantized(layer):
    """Whether a Conv2d is of the kind that `QuantizedConv2d` computes."""
    return layer.groups == 1 and layer.padding_mode == "zeros" and not isinstance(layer.padding, str)


def pair(option):
    return (option, option) if isinstance(option, Integral) else tuple(option)
