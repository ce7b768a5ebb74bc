"""Normalisation over groups of channels, by the learner's `BatchNorm`, and over neighbouring channels."""

import math

from tinytorch.conv import BatchNorm
from tinytorch.given.conv.average_pooling import avg_pool2d
from tinytorch.given.conv.padding import pad
from tinytorch.given.tensor.checks import check_not_half, is_mixed
from tinytorch.layers import Module, Parameter, constant_
from tinytorch.tensor import in_float32, ones, zeros

__all__ = ["GroupNorm", "LocalResponseNorm", "group_norm", "local_response_norm"]


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalise each group of channels of each image by itself (Wu and He, 2018).

    Args:
        input: (N, C, ...).
        num_groups: into how many groups the channels are cut: with 1 all are normalised together, with C
            each alone.
        weight, bias: (C,), or None.
        eps: added to the variance.

    >>> group_norm(tensor([[1.0, 3.0, 0.0, 8.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    images, channels, *places = input.shape
    if images * channels // num_groups * math.prod(places) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(f"\"group_norm\" not implemented for '{input.dtype}'")
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    if is_mixed(input, (weight, bias)):
        return group_norm(input.float(), num_groups, weight, bias, eps).half()
    for name, numbers in (("weight", weight), ("bias", bias)):
        if numbers is not None and numbers.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                f"{name} "
                f"of shape {list(numbers.shape)} and input of shape {list(input.shape)}"
            )
        if numbers is not None and numbers.dtype != input.dtype:
            raise RuntimeError(
                f"mixed dtype (CPU): all inputs must share same datatype, but {name} is {numbers.dtype}"
            )
    return in_float32(normalized_groups, input, weight, bias, num_groups=num_groups, eps=eps)


def normalized_groups(input, weight, bias, num_groups, eps):
    """`group_norm` of what has been checked."""
    images, channels, *places = input.shape
    output = input.clone()
    if input.numel():  # a group is a channel of a batch of one
        groups = input.reshape(1, images * num_groups, -1)
        output = BatchNorm.apply(groups, None, None, running=None, momentum=0.0, eps=eps).reshape(input.shape)
    shape = (1, channels) + (1,) * len(places)
    output = output if weight is None else output * weight.reshape(shape)
    return output if bias is None else output + bias.reshape(shape)


class GroupNorm(Module):
    """Normalisation of groups of channels, in each image by itself; see `group_norm`.

    Shape: (N, C, ...) to (N, C, ...).

    >>> GroupNorm(3, 6)(zeros(8, 6, 4, 4)).shape
    torch.Size([8, 6, 4, 4])
    """

    def __init__(
        self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True
    ):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        options = {"device": device, "dtype": dtype}
        parameters = {"weight": affine and ones, "bias": affine and bias and zeros}
        for name, make in parameters.items():
            self.register_parameter(name, Parameter(make(num_channels, **options)) if make else None)

    def reset_parameters(self):
        """Scale by one again, and shift by nothing.

        >>> layer = torch.nn.GroupNorm(1, 2)
        >>> layer.reset_parameters()
        >>> layer.weight.detach()
        tensor([1., 1.])
        """
        if self.weight is not None:
            constant_(self.weight, 1.0)
        if self.bias is not None:
            constant_(self.bias, 0.0)

    def forward(self, input):
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Divide each number by what `size` neighbouring channels have at its place (Krizhevsky et al., 2012).

    y = x / (k + alpha · mean of x² over the neighbours) ^ beta

    Args:
        input: (N, C, ...) with at least one more dimension.
        size: how many channels are neighbours; beyond the first and the last there are zeros.
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    if not input.numel():
        return input
    if input.ndim > 3:
        check_not_half("avg_pool3d_out_frame", input)
    squares = (input * input).reshape(len(input), 1, input.shape[1], -1)  # channels are the rows of an image
    squares = pad(squares, (0, 0, size // 2, (size - 1) // 2))
    means = avg_pool2d(squares, (size, 1), stride=1).reshape(input.shape)
    return input / (means * alpha + k) ** beta


class LocalResponseNorm(Module):
    """x / (k + alpha / size · Σ x²)^beta, the sum over `size` neighbouring channels at the same place.

    Shape: (N, C, ...) to (N, C, ...).

    >>> torch.nn.LocalResponseNorm(2)(torch.ones(1, 2, 1))
    tensor([[[1.0000],
             [0.9999]]])
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
