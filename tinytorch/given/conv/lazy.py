"""Convolutions and normalisations that take their channels from the first input; see `LazyLinear`."""

from tinytorch.given.conv.convolutions import Conv1d, Conv2d
from tinytorch.given.conv.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    InstanceNormNd,
)
from tinytorch.given.conv.transposed import ConvTranspose1d, ConvTranspose2d
from tinytorch.layers import LazyModule, UninitializedBuffer, UninitializedParameter
from tinytorch.tensor import tensor

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d",
    "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]  # fmt: skip


class LazyConvNd(LazyModule):
    """What these convolutions share."""

    learned = "in_channels"

    def wait(self, out_channels, bias, device, dtype):
        """Have parameters whose shape is yet to be learned."""
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)
        self.watch()

    def initialize_parameters(self, input, *others):
        """Take the number of channels from an input.

        >>> layer = torch.nn.LazyConv1d(16, 3)
        >>> layer.initialize_parameters(torch.zeros(8, 4, 32))
        >>> layer.weight.shape
        torch.Size([16, 4, 3])
        """
        if input.ndim not in (self.dims + 1, self.dims + 2):
            raise RuntimeError(
                f"Expected {self.dims + 1}D (unbatched) or {self.dims + 2}D (batched) input to "
                f"{self._get_name()}, but got input of size: {input.shape}"
            )
        if not self.has_uninitialized_params():
            self.in_channels = input.shape[-self.dims - 1]
            return
        self.in_channels = input.shape[-self.dims - 1]
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class LazyConvolution(LazyConvNd):
    def __init__(
        self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self.wait(out_channels, bias, device, dtype)


class LazyConv1d(LazyConvolution, Conv1d):
    """A `Conv1d` that takes `in_channels` from its first input.

    Shape: as `Conv1d`.

    >>> layer = torch.nn.LazyConv1d(16, 3)
    >>> layer(torch.zeros(8, 4, 32)).shape, layer.in_channels
    (torch.Size([8, 16, 30]), 4)
    """

    becomes = Conv1d


class LazyConv2d(LazyConvolution, Conv2d):
    """A `Conv2d` that takes `in_channels` from its first input.

    Shape: as `Conv2d`.

    >>> layer = torch.nn.LazyConv2d(16, 3)
    >>> layer(torch.zeros(8, 4, 32, 32)).shape, layer.in_channels
    (torch.Size([8, 16, 30, 30]), 4)
    """

    becomes = Conv2d


class LazyTransposed(LazyConvNd):
    def __init__(
        self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
        dilation=1, padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        moves = kernel_size, stride, padding, output_padding, groups
        super().__init__(0, 0, *moves, False, dilation, padding_mode)
        self.wait(out_channels, bias, device, dtype)


class LazyConvTranspose1d(LazyTransposed, ConvTranspose1d):
    """A `ConvTranspose1d` that takes `in_channels` from its first input.

    Shape: as `ConvTranspose1d`.

    >>> layer = torch.nn.LazyConvTranspose1d(16, 3)
    >>> layer(torch.zeros(8, 4, 32)).shape, layer.in_channels
    (torch.Size([8, 16, 34]), 4)
    """

    becomes = ConvTranspose1d


class LazyConvTranspose2d(LazyTransposed, ConvTranspose2d):
    """A `ConvTranspose2d` that takes `in_channels` from its first input.

    Shape: as `ConvTranspose2d`.

    >>> layer = torch.nn.LazyConvTranspose2d(16, 3)
    >>> layer(torch.zeros(8, 4, 6, 6)).shape, layer.in_channels
    (torch.Size([8, 16, 8, 8]), 4)
    """

    becomes = ConvTranspose2d


class LazyNormNd(LazyModule):
    """What these normalisations share."""

    learned = "num_features"

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *,
        bias=True,
    ):  # fmt: skip
        super().__init__(0, eps, momentum, False, False)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0)
        self.watch()

    def initialize_parameters(self, input):
        """Take the number of channels from an input.

        >>> layer = torch.nn.LazyBatchNorm1d()
        >>> layer.initialize_parameters(torch.zeros(8, 4))
        >>> layer.running_mean.shape
        torch.Size([4])
        """
        self._check_dims(input)
        channels = input.ndim - self.ndims[0] if isinstance(self, InstanceNormNd) else 1
        lazy, self.num_features = self.has_uninitialized_params(), input.shape[channels]
        if lazy:
            for part in (*self._parameters.values(), self.running_mean, self.running_var):
                if part is not None:
                    part.materialize((self.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(LazyNormNd, BatchNorm1d):
    """A `BatchNorm1d` that takes `num_features` from its first input.

    Shape: as `BatchNorm1d`.

    >>> layer = torch.nn.LazyBatchNorm1d()
    >>> layer(torch.zeros(8, 4)).shape, layer.num_features
    (torch.Size([8, 4]), 4)
    """

    becomes = BatchNorm1d


class LazyBatchNorm2d(LazyNormNd, BatchNorm2d):
    """A `BatchNorm2d` that takes `num_features` from its first input.

    Shape: as `BatchNorm2d`.

    >>> layer = torch.nn.LazyBatchNorm2d()
    >>> layer(torch.zeros(8, 4, 2, 2)).shape, layer.num_features
    (torch.Size([8, 4, 2, 2]), 4)
    """

    becomes = BatchNorm2d


class LazyBatchNorm3d(LazyNormNd, BatchNorm3d):
    """A `BatchNorm3d` that takes `num_features` from its first input.

    Shape: as `BatchNorm3d`.

    >>> layer = torch.nn.LazyBatchNorm3d()
    >>> layer(torch.zeros(8, 4, 2, 2, 2)).shape, layer.num_features
    (torch.Size([8, 4, 2, 2, 2]), 4)
    """

    becomes = BatchNorm3d


class LazyInstanceNorm1d(LazyNormNd, InstanceNorm1d):
    """An `InstanceNorm1d` that takes `num_features` from its first input.

    Shape: as `InstanceNorm1d`.

    >>> layer = torch.nn.LazyInstanceNorm1d()
    >>> layer(torch.zeros(8, 4, 5)).shape, layer.num_features
    (torch.Size([8, 4, 5]), 4)
    """

    becomes = InstanceNorm1d


class LazyInstanceNorm2d(LazyNormNd, InstanceNorm2d):
    """An `InstanceNorm2d` that takes `num_features` from its first input.

    Shape: as `InstanceNorm2d`.

    >>> layer = torch.nn.LazyInstanceNorm2d()
    >>> layer(torch.zeros(8, 4, 5, 5)).shape, layer.num_features
    (torch.Size([8, 4, 5, 5]), 4)
    """

    becomes = InstanceNorm2d


class LazyInstanceNorm3d(LazyNormNd, InstanceNorm3d):
    """An `InstanceNorm3d` that takes `num_features` from its first input.

    Shape: as `InstanceNorm3d`.

    >>> layer = torch.nn.LazyInstanceNorm3d()
    >>> layer(torch.zeros(8, 4, 2, 5, 5)).shape, layer.num_features
    (torch.Size([8, 4, 2, 5, 5]), 4)
    """

    becomes = InstanceNorm3d
