"""`batch_norm` and its layers: the learner's `BatchNorm` while training, one multiplication and one sum in evaluation."""

import math
from types import SimpleNamespace

from tinytorch.conv import BatchNorm
from tinytorch.given import methods_of
from tinytorch.layers import Module, Parameter, constant_
from tinytorch.tensor import changed, ones, tensor, zeros

__all__ = ["BatchNorm1d", "BatchNorm2d", "batch_norm"]

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
    check_batch_norm(input, running_mean, running_var, weight, bias, training, eps)
    if not input.numel():
        running_mean, running_var = zeros(input.shape[1]), ones(input.shape[1])
    elif training:
        running = None if running_mean is None else (running_mean.array, running_var.array)
        output = BatchNorm.apply(input, weight, bias, running=running, momentum=momentum, eps=eps)
        for statistic in running or ():
            changed(statistic)
        return output
    shape = (1, -1) + (1,) * (input.ndim - 2)
    scale = (running_var + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    shift = -running_mean * scale if bias is None else bias - running_mean * scale
    return input * scale.reshape(shape) + shift.reshape(shape)


def check_batch_norm(input, running_mean, running_var, weight, bias, training, eps):
    """Refuse, in PyTorch's words, what cannot be normalised."""
    channels = input.size(1)
    if input.array.dtype.kind != "f":
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{input.dtype}'")
    if training and len(input) and math.prod(input.shape) == channels:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    if training and eps <= 0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if training and (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, numbers in given.items():
        if numbers is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif numbers.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {numbers.numel()}")
        elif numbers.dtype != input.dtype:
            raise RuntimeError(
                f"mixed dtype (CPU): all inputs must share same datatype, but {name} is {numbers.dtype}"
            )


class BatchNormNd(Module):
    """What the layers of batch normalisation share (Ioffe and Szegedy, 2015); see `BatchNorm2d`."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None,
        *, bias=True,
    ):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        options = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(num_features, **options)) if affine else None)
        self.register_parameter(
            "bias", Parameter(zeros(num_features, **options)) if affine and bias else None
        )
        self.register_buffer("running_mean", zeros(num_features, **options) if track_running_stats else None)
        self.register_buffer("running_var", ones(num_features, **options) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)

    def reset_running_stats(self):
        """Forget the batches that were seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
        self.reset_running_stats()
        if self.weight is not None:
            constant_(self.weight, 1.0)
        if self.bias is not None:
            constant_(self.bias, 0.0)

    def forward(self, input):
        if input.ndim not in self.ndims:
            raise ValueError(f"expected {self.expects} input (got {input.ndim}D input)")
        momentum, tracks = self.momentum or 0.0, self.training and self.track_running_stats
        if tracks and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # every batch counts alike
                momentum = 1 / self.num_batches_tracked.item()
        training = self.training or self.running_mean is None
        running = (self.running_mean, self.running_var) if tracks or not training else (None, None)
        return batch_norm(input, *running, self.weight, self.bias, training, momentum, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(BatchNormNd):
    """Batch normalisation of (N, C) or (N, C, L); see `BatchNorm2d`."""

    ndims, expects = (2, 3), "2D or 3D"


class BatchNorm2d(BatchNormNd):
    """Batch normalisation of images: each channel is normalised over all images and places.

    While training it uses the batch's own mean and variance, and moves its running ones towards them by `momentum`; under
    `eval()` it uses those. With `momentum=None` they are the plain averages of all batches.

    >>> BatchNorm2d(3)(zeros(8, 3, 4, 4)).shape
    torch.Size([8, 3, 4, 4])
    """

    ndims, expects = (4,), "4D"
