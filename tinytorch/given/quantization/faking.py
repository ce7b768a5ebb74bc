"""Fake quantization: PyTorch's names around the learner's `FakeQuantizeAffine`, and training with it."""

import numpy as np

from tinytorch.conv import Conv2d, conv2d
from tinytorch.given.quantization.models import (
    QConfig,
    config_of,
    put_into,
    quantized,
    replace_quantizable,
)
from tinytorch.given.quantization.observers import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    PerChannelMinMaxObserver,
    WithArguments,
)
from tinytorch.given.quantization.types import per_channel_symmetric, per_tensor_symmetric, qint8, quint8
from tinytorch.layers import Identity, Module, linear
from tinytorch.quantization import FakeQuantizeAffine
from tinytorch.tensor import Tensor, float32, in_float32, tensor, uint8

__all__ = [
    "FakeQuantize",
    "fake_quantize_per_channel_affine",
    "fake_quantize_per_tensor_affine",
    "prepare_qat",
    "qat_qconfig",
]


def array_or_number(x, dtype):
    return np.asarray(x.array if isinstance(x, Tensor) else x, dtype)


def check_range(quant_min, quant_max, zero_point):
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or equal to `quant_max`.")
    if (zero_point < quant_min).any() or (zero_point > quant_max).any():
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """Round numbers to those that integers stand for; the gradient passes where nothing was cut off.

    Args:
        input: a Tensor of float32.
        scale, zero_point: a number each, or tensors of one element.
        quant_min, quant_max: the smallest and the largest integer.

    >>> fake_quantize_per_tensor_affine(tensor([0.24, -0.1, 9.0]), 0.1, 0, -8, 7)
    tensor([ 0.2000, -0.1000,  0.7000])
    """
    scale, zero_point = array_or_number(scale, np.float32), array_or_number(zero_point, np.int32)
    check_range(quant_min, quant_max, zero_point)
    return in_float32(
        FakeQuantizeAffine, input, scale=scale.reshape(()), zero_point=zero_point.reshape(()),
        quant_min=quant_min, quant_max=quant_max,
    )  # fmt: skip


def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """The same with a scale and a zero point for each place along `axis`."""
    if scale.ndim != 1 or zero_point.ndim != 1 or scale.shape != zero_point.shape:
        raise RuntimeError("scale and zero point need to be 1-D tensors of the same length")
    if not -input.ndim <= axis < input.ndim:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    if scale.numel() != input.shape[axis]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    check_range(quant_min, quant_max, zero_point.array)
    shape = [1] * input.ndim
    shape[axis] = -1
    return in_float32(
        FakeQuantizeAffine, input, scale=scale.array.reshape(shape),
        zero_point=zero_point.array.reshape(shape), quant_min=quant_min, quant_max=quant_max,
    )  # fmt: skip


class FakeQuantize(Module):
    """Watch a tensor with an observer, and round it as its integers would, for training.

    Args:
        observer: an observer class.
        quant_min, quant_max: the integers; None takes all of the dtype's.
        is_dynamic: not supported.
        observer_kwargs: further arguments of the observer.

    Shape: (...) to (...).

    >>> fake = FakeQuantize()
    >>> fake(torch.tensor([0.0, 0.1234, 1.0]))
    tensor([0.0000, 0.1216, 1.0000])
    """

    def __init__(
        self, observer=MovingAverageMinMaxObserver, quant_min=None, quant_max=None, is_dynamic=False,
        **observer_kwargs,
    ):  # fmt: skip
        super().__init__()
        if is_dynamic:
            raise NotImplementedError("is_dynamic=True is not supported")
        if (quant_min is None) != (quant_max is None):
            raise AssertionError("quant_min and quant_max are given both, or neither")
        if quant_min is not None and quant_min > quant_max:
            raise AssertionError("quant_min must be less than or equal to quant_max")
        self.activation_post_process = observer(quant_min=quant_min, quant_max=quant_max, **observer_kwargs)
        for name in ("quant_min", "quant_max", "dtype", "qscheme", "ch_axis"):
            setattr(self, name, getattr(self.activation_post_process, name))
        self.register_buffer("fake_quant_enabled", tensor([1], dtype=uint8))
        self.register_buffer("observer_enabled", tensor([1], dtype=uint8))
        self.register_buffer("scale", tensor([1.0], dtype=float32))
        self.register_buffer("zero_point", tensor([0]).int())

    @classmethod
    def with_args(cls, **kwargs):
        """Make what makes FakeQuantize modules with these options, for a QConfig.

        >>> FakeQuantize.with_args(quant_min=0, quant_max=127)().quant_max
        127
        """
        return WithArguments(cls).with_args(**kwargs)

    def calculate_qparams(self):
        """Return the scale and the zero point of what the observer has seen.

        >>> fake = FakeQuantize()
        >>> _ = fake(torch.tensor([0.0, 1.0]))
        >>> fake.calculate_qparams()
        (tensor([0.0039]), tensor([0], dtype=torch.int32))
        """
        return self.activation_post_process.calculate_qparams()

    def forward(self, X):
        if self.observer_enabled.array[0]:
            self.activation_post_process(X.detach())
            scale, zero_point = self.calculate_qparams()
            self.scale, self.zero_point = scale, zero_point.int()
        if not self.fake_quant_enabled.array[0]:
            return X
        ends = self.quant_min, self.quant_max
        if self.qscheme.per_channel:
            return fake_quantize_per_channel_affine(X, self.scale, self.zero_point, self.ch_axis, *ends)
        return fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, *ends)

    def enable_fake_quant(self, enabled=True):
        """Round from now on, or with False do not.

        >>> fake = FakeQuantize()
        >>> fake.enable_fake_quant(False)
        >>> fake(torch.tensor([0.0, 0.1234, 1.0]))
        tensor([0.0000, 0.1234, 1.0000])
        """
        self.fake_quant_enabled.array[0] = enabled

    def disable_fake_quant(self):
        """Round no longer.

        >>> fake = FakeQuantize()
        >>> fake.disable_fake_quant()
        >>> fake(torch.tensor([0.0, 0.1234, 1.0]))
        tensor([0.0000, 0.1234, 1.0000])
        """
        self.enable_fake_quant(False)

    def enable_observer(self, enabled=True):
        """Watch from now on, or with False do not.

        >>> fake = FakeQuantize()
        >>> fake.enable_observer(False)
        >>> _ = fake(torch.tensor([5.0]))
        >>> fake.scale
        tensor([1.])
        """
        self.observer_enabled.array[0] = enabled

    def disable_observer(self):
        """Watch no longer: scale and zero point stay.

        >>> fake = FakeQuantize()
        >>> fake.disable_observer()
        >>> _ = fake(torch.tensor([5.0]))
        >>> fake.scale
        tensor([1.])
        """
        self.enable_observer(False)

    def extra_repr(self):
        ends = f"quant_min={self.quant_min}, quant_max={self.quant_max}"
        return f"{ends}, dtype={self.dtype}, qscheme={self.qscheme}, scale={self.scale.array}"


def qat_qconfig(bits=8, activation_bits=None, per_channel=True):
    """The QConfig for training with weights of that many bits, a symmetric scale for each output or for all.

    Inputs are rounded to unsigned integers of `activation_bits`, or, for None, not at all.
    """
    largest = 2 ** (bits - 1) - 1
    observer, scheme = (
        (PerChannelLatest, per_channel_symmetric) if per_channel else (Latest, per_tensor_symmetric)
    )
    weight = FakeQuantize.with_args(
        observer=observer, quant_min=-largest, quant_max=largest, dtype=qint8, qscheme=scheme
    )
    if activation_bits is None:
        return QConfig(Identity, weight)
    activation = FakeQuantize.with_args(quant_min=0, quant_max=2**activation_bits - 1, dtype=quint8)
    return QConfig(activation, weight)


class Latest(MinMaxObserver):
    """The smallest and the largest number now: weights move while they are trained."""

    def _lower(self, low):
        return low

    def _higher(self, high):
        return high


class PerChannelLatest(Latest, PerChannelMinMaxObserver):
    """The same for each channel."""


class FakeQuantized(Module):
    """A float layer that is trained with rounded weights and inputs; `quantized` makes integers of it."""

    def __init__(self, layer, qconfig):
        super().__init__()
        self.layer = layer
        self.weight_fake_quant, self.activation_post_process = qconfig.weight(), qconfig.activation()
        self.train(layer.training)

    def forward(self, input):
        layer, weight = self.layer, self.weight_fake_quant(self.layer.weight)
        input = self.activation_post_process(input)
        if isinstance(layer, Conv2d):
            moves = layer.stride, layer.padding, layer.dilation
            return conv2d(input, weight, layer.bias, *moves)
        return linear(input, weight, layer.bias)

    def quantized(self):
        fake = self.weight_fake_quant
        fake(self.layer.weight.detach())
        watching = getattr(self.activation_post_process, "activation_post_process", None)
        return quantized(self.layer, (fake.scale.numpy(), fake.zero_point.numpy()), watching)


def prepare_qat(model, mapping=None, inplace=False):
    """Let Linear and Conv2d compute with rounded weights, by `model.qconfig`, so that they learn it."""
    if mapping:
        raise NotImplementedError("tinytorch quantises Linear and Conv2d in one way: it has no mapping")
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    config = config_of(model)
    changed = replace_quantizable(model, lambda layer: FakeQuantized(layer, config))
    return put_into(model, changed) if inplace else changed
