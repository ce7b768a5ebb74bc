"""Normalisation of channels over a batch or in each image, made of the learner's `BatchNorm`.

An instance is a batch of its own: (N, C, ...) normalised in each image is (1, N·C, ...) normalised over a
batch.
"""

import math
import warnings
from types import SimpleNamespace

import numpy as np

from tinytorch.conv import BatchNorm
from tinytorch.given import methods_of
from tinytorch.given.tensor.checks import is_mixed
from tinytorch.layers import Module, Parameter, constant_
from tinytorch.tensor import changed, float32, in_float32, ones, tensor, wrap, zeros

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "batch_norm", "instance_norm",
]  # fmt: skip

methods_of(BatchNorm)(SimpleNamespace(node_name="NativeBatchNorm"))


def batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    """Normalise each channel: over the batch while training, by the running statistics otherwise.

    y = (x - mean) / √(var + eps) · weight + bias

    Args:
        input: (N, C, ...).
        running_mean, running_var: (C,), or None. Training moves them towards the batch's, in place.
        weight, bias: (C,), or None.
        training: whether to use the batch's own mean and variance.
        momentum: how far the running statistics move, between 0 and 1.
        eps: added to the variance.

    >>> batch_norm(tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training and math.prod((*input.shape[:1], *input.shape[2:])) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    if training and eps <= 0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if not input.numel():
        output = input.clone() if weight is None else input * weight[0]
        return output if bias is None else output + bias[0]
    check_channels("batch_norm", input, running_mean, running_var, weight, bias, own_statistics=training)
    if is_mixed(input, (running_mean, running_var, weight, bias)):
        numbers = running_mean, running_var, weight, bias
        return batch_norm(input.float(), *numbers, training, momentum, eps).half()
    if training:
        running = None if running_mean is None else (running_mean.array, running_var.array)
        output = in_float32(BatchNorm, input, weight, bias, running=running, momentum=momentum, eps=eps)
        for statistic in running or ():
            changed(statistic)
        return output
    shape = (1, -1) + (1,) * (input.ndim - 2)
    scale = (running_var + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    shift = -running_mean * scale if bias is None else bias - running_mean * scale
    return input * scale.reshape(shape) + shift.reshape(shape)


def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,
    eps=1e-5,
):  # fmt: skip
    """Normalise each channel of each image by itself (Ulyanov et al., 2016).

    Args:
        input: (N, C, ...) with more than one number for each channel of an image.
        running_mean, running_var: (C,), or None: averages over the images, which are changed in place.
        weight, bias: (C,), or None.
        use_input_stats: whether to use each image's own mean and variance, and not the running ones.
        momentum, eps: those of `batch_norm`.
    """
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                "Expected running_mean and running_var to be defined when use_input_stats is false"
            )
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    check_channels("batch_norm", input, running_mean, running_var, weight, bias, own_statistics=True)
    if is_mixed(input, (running_mean, running_var, weight, bias)):
        numbers = running_mean, running_var, weight, bias
        return instance_norm(input.float(), *numbers, True, momentum, eps).half()
    if not input.numel():
        return input.clone()
    images, channels, *places = input.shape
    statistics = [s for s in (running_mean, running_var) if s is not None]
    running = [np.tile(s.array, images) for s in statistics] or None
    weight, bias = (None if x is None else x.repeat(images) for x in (weight, bias))
    each = input.reshape(1, images * channels, *places)
    output = in_float32(BatchNorm, each, weight, bias, running=running, momentum=momentum, eps=eps)
    for statistic, moved in zip(statistics, running or ()):
        statistic.copy_(wrap(moved.reshape(images, channels).mean(axis=0)))
    return output.reshape(input.shape)


def check_channels(name, input, running_mean, running_var, weight, bias, own_statistics):
    """Refuse, in PyTorch's words, what cannot be normalised."""
    channels = input.size(1)
    if not input.is_floating_point():
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype}'")
    if own_statistics and (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    mixed = is_mixed(input, given.values())
    for option, numbers in given.items():
        if numbers is None:
            if option.startswith("running") and not own_statistics:
                raise RuntimeError(f"{option} must be defined in evaluation mode")
        elif numbers.numel() != channels:
            raise RuntimeError(f"{option} should contain {channels} elements not {numbers.numel()}")
        elif numbers.dtype != (float32 if mixed else input.dtype):
            raise RuntimeError(
                "mixed dtype (CPU): all inputs must share same datatype, "
                f"but {option} is {numbers.dtype} and input {input.dtype}"
            )


class NormNd(Module):
    """What the layers that normalise channels share: weight, bias, and running statistics."""

    def __init__(self, num_features, eps, momentum, affine, track_running_stats, device, dtype, bias):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        options = {"device": device, "dtype": dtype}
        parameters = {"weight": affine and ones, "bias": affine and bias and zeros}
        for name, make in parameters.items():
            self.register_parameter(name, Parameter(make(num_features, **options)) if make else None)
        for name, make in {"running_mean": zeros, "running_var": ones}.items():
            self.register_buffer(name, make(num_features, **options) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)

    def reset_running_stats(self):
        """Forget the batches that were seen.

        >>> layer = torch.nn.BatchNorm1d(1)
        >>> _ = layer(torch.tensor([[1.0], [3.0]]))
        >>> layer.reset_running_stats()
        >>> layer.running_mean
        tensor([0.])
        """
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again.

        >>> layer = torch.nn.BatchNorm1d(2)
        >>> layer.reset_parameters()
        >>> layer.weight.detach()
        tensor([1., 1.])
        """
        self.reset_running_stats()
        if self.weight is not None:
            constant_(self.weight, 1.0)
        if self.bias is not None:
            constant_(self.bias, 0.0)

    def _check_dims(self, input):
        """ValueError unless the input has as many dimensions as the layer is for."""
        if input.ndim not in self.ndims:
            expected = " or ".join(f"{n}D" for n in self.ndims)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNormNd(NormNd):
    """What the layers of batch normalisation share (Ioffe and Szegedy, 2015); see `BatchNorm2d`."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
        dtype=None, *, bias=True,
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input):
        self._check_dims(input)
        momentum, tracks = self.momentum or 0.0, self.training and self.track_running_stats
        if tracks and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # every batch counts alike
                momentum = 1 / self.num_batches_tracked.item()
        training = self.training or self.running_mean is None
        running = (self.running_mean, self.running_var) if tracks or not training else (None, None)
        return batch_norm(input, *running, self.weight, self.bias, training, momentum, self.eps)


class BatchNorm1d(BatchNormNd):
    """Batch normalisation of (N, C) or (N, C, L); see `BatchNorm2d`.

    Shape: (N, C) or (N, C, L) to the same.

    >>> torch.nn.BatchNorm1d(2)(torch.tensor([[1.0, 10.0], [3.0, 30.0]])).detach()
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """

    ndims = 2, 3


class BatchNorm2d(BatchNormNd):
    """Batch normalisation of images: each channel is normalised over all images and places.

    While training it uses the batch's own mean and variance, and moves its running ones towards them by
    `momentum`; under `eval()` it uses those. With `momentum=None` they are the plain averages of all batches.

    Shape: (N, C, H, W) to the same.

    >>> BatchNorm2d(3)(zeros(8, 3, 4, 4)).shape
    torch.Size([8, 3, 4, 4])
    """

    ndims = (4,)


class BatchNorm3d(BatchNormNd):
    """Batch normalisation of (N, C, D, H, W); see `BatchNorm2d`.

    Shape: (N, C, D, H, W) to the same.

    >>> torch.nn.BatchNorm3d(3)(torch.zeros(8, 3, 2, 4, 4)).shape
    torch.Size([8, 3, 2, 4, 4])
    """

    ndims = (5,)


class InstanceNormNd(NormNd):
    """What the layers of instance normalisation share; see `InstanceNorm2d`."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
        dtype=None, *, bias=True,
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input):
        self._check_dims(input)
        batched = input.ndim == self.ndims[1]
        if input.shape[batched] != self.num_features:
            place = f"input's size at dim={int(batched)}"
            if self.affine:
                raise ValueError(
                    f"expected {place} to match num_features ({self.num_features}), "
                    f"but got: {input.shape[batched]}."
                )
            warnings.warn(
                f"{place} does not match num_features. You can silence this warning by not passing in "
                "num_features, which is not used because affine=False",
                stacklevel=2,
            )
        input = input if batched else input.unsqueeze(0)
        parameters = self.running_mean, self.running_var, self.weight, self.bias
        own = self.training or not self.track_running_stats
        output = instance_norm(input, *parameters, own, self.momentum or 0.0, self.eps)
        return output if batched else output.squeeze(0)


class InstanceNorm1d(InstanceNormNd):
    """Instance normalisation of (N, C, L) or (C, L); see `InstanceNorm2d`.

    Shape: (N, C, L) or (C, L) to the same.

    >>> torch.nn.InstanceNorm1d(1)(torch.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]])
    """

    ndims = 2, 3


class InstanceNorm2d(InstanceNormNd):
    """Instance normalisation: each channel of each image, (N, C, H, W) or (C, H, W), by itself.

    Neither weight and bias nor running statistics, unless requested: it then does the same in
    training and in evaluation.

    Shape: (N, C, H, W) or (C, H, W) to the same.

    >>> InstanceNorm2d(3)(zeros(8, 3, 4, 4)).shape
    torch.Size([8, 3, 4, 4])
    """

    ndims = 3, 4


class InstanceNorm3d(InstanceNormNd):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W); see `InstanceNorm2d`.

    Shape: (N, C, D, H, W) or (C, D, H, W) to the same.

    >>> torch.nn.InstanceNorm3d(3)(torch.zeros(8, 3, 2, 4, 4)).shape
    torch.Size([8, 3, 2, 4, 4])
    """

    ndims = 4, 5
