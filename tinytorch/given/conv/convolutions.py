"""`conv1d` and `conv2d`, and their layers: PyTorch's arguments around the learner's `Convolution`.

A sequence is an image of one row, so both come down to one `window_over` it.
"""

import math
from numbers import Integral

from tinytorch.conv import Convolution, window_over
from tinytorch.given.conv.padding import pad
from tinytorch.layers import Module, Parameter, kaiming_uniform_, uniform_
from tinytorch.tensor import empty, in_float32

__all__ = ["Conv1d", "Conv2d", "conv1d", "conv2d"]


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Correlate sequences (N, C, L) or (C, L) with filters (O, C/groups, k); see `conv2d`."""
    return convolution("conv1d", input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Correlate images with filters.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        weight: filters (O, C/groups, kh, kw).
        bias: one number for each filter, (O,), or None.
        stride, padding, dilation: an integer, or a pair for rows and columns; padding also "same" or "valid".
        groups: into how many groups the channels are cut; each filter sees one of them.

    Returns:
        A Tensor (N, O, H', W') or (O, H', W').

    >>> conv2d(ones(1, 3, 3), ones(1, 1, 2, 2))
    tensor([[[4., 4.],
             [4., 4.]]])
    """
    return convolution("conv2d", input, weight, bias, stride, padding, dilation, groups)


def convolution(name, input, weight, bias, stride, padding, dilation, groups):
    """What `conv1d` and `conv2d` share: the first is the second on images of one row."""
    input, added = batched(name, input)
    kernel_size = tuple(weight.shape[2:])
    stride, dilation = (expanded(n, x, kernel_size) for n, x in (("stride", stride), ("dilation", dilation)))
    if isinstance(padding, str):
        input, padding = padded_by_name(input, padding, kernel_size, stride, dilation)
    padding = expanded("padding", padding, kernel_size)
    check_convolution(input, weight, bias, groups, padding=padding, stride=stride, dilation=dilation)
    size = [n + 2 * p for n, p in zip(input.shape[2:], padding)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernel_size, dilation)]
    if any(n < r for n, r in zip(size, reach)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, size))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    (input, weight), flat = as_images(input, weight)
    window = window_over(input.shape[2:], kernel_size, stride, padding, dilation)
    return restored(in_float32(Convolution, input, weight, bias, window=window, groups=groups), flat, added)


def as_images(*sequences):
    """Sequences (N, C, L) as images of one row, and whether they were; images (N, C, H, W) as they are."""
    flat = sequences[0].ndim == 3
    return [x.unsqueeze(2) for x in sequences] if flat else sequences, flat


def batched(name, input):
    """Input with a batch dimension, and whether that had to be added."""
    dims = int(name[-2])
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, "
            f"but got input of size: {list(input.shape)}"
        )
    added = input.ndim == dims + 1
    return input.unsqueeze(0) if added else input, added


def restored(output, flat, added):
    """Output without the row or the batch dimension that its input was given."""
    output = output.squeeze(2) if flat else output
    return output.squeeze(0) if added else output


def expanded(name, value, kernel_size):
    """An option of a convolution as one number for each dimension of its kernel."""
    numbers, count = (value,) if isinstance(value, Integral) else tuple(value), len(kernel_size)
    if len(numbers) not in (1, count):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match the "
            "convolution "
            f"dimensions, but got {name}={list(numbers)}"
        )
    return numbers if len(numbers) == count else numbers * count


def padded_by_name(input, padding, kernel_size, stride, dilation):
    """The input and the margin for "valid" or "same"; an odd margin is wider at the end."""
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(kernel_size, dilation)]
    wider = [n for total in reversed(totals) for n in (0, total % 2)]
    return pad(input, wider) if any(wider) else input, [total // 2 for total in totals]


def check_convolution(input, weight, bias, groups, transposed=False, **options):
    """Refuse, in PyTorch's words, what cannot be convolved."""
    for name, numbers in options.items():
        if "padding" in name and min(numbers) < 0:
            raise RuntimeError(f"negative {name} is not supported")
        if "padding" not in name and min(numbers) <= 0:
            raise RuntimeError(f"non-positive {name} is not supported")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    shape = list(weight.shape)
    given = f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight of size {shape}, expected "
    if weight.ndim != input.ndim:
        raise RuntimeError(
            f"{given}a weight of {input.ndim} dimensions for input of size {list(input.shape)}"
        )
    if shape[0] < groups or shape[0] % groups:
        wanted = f"at least {groups}" if shape[0] < groups else f"divisible by {groups}"
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be {wanted} at dimension 0, but got weight of size "
            f"{shape} instead"
        )
    channels, filters = (shape[0], shape[1] * groups) if transposed else (shape[1] * groups, shape[0])
    if input.shape[1] != channels:
        raise RuntimeError(
            f"{given}input{list(input.shape)} to have {channels} channels, but got {input.shape[1]} "
            "channels instead"
        )
    if bias is not None and bias.shape != (filters,):
        raise RuntimeError(
            f"{given}bias to be 1-dimensional with {filters} elements, but got bias of size "
            f"{list(bias.shape)} instead"
        )
    for name, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype != input.dtype:
            raise RuntimeError(
                f"Input type ({input.dtype}) and {name} type ({other.dtype}) should be the same"
            )
    if 0 in shape[2:]:
        raise RuntimeError(f"{given}a kernel with at least one element")


class ConvNd(Module):
    """What the layers of convolution share: filters, a bias, and how they move; see `Conv2d`."""

    transposed = False

    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
        device, dtype, output_padding=0,
    ):  # fmt: skip
        super().__init__()
        check_layer(type(self).__name__, in_channels, out_channels, groups, stride, padding, padding_mode)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = map(self._numbers, (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else self._numbers(padding)
        self.output_padding, self.padding_mode = self._numbers(output_padding), padding_mode
        shape = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (shape[0], shape[1] // groups, *self.kernel_size)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _numbers(self, value):
        return (value,) * self.dims if isinstance(value, Integral) else tuple(value)

    def reset_parameters(self):
        """Draw the weight again, then the bias, evenly from ±1/√fan_in.

        >>> layer = torch.nn.Conv1d(4, 2, 1)
        >>> layer.reset_parameters()
        >>> bool((layer.weight.abs() <= 0.5).all())
        True
        """
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = math.prod(self.weight.shape[1:])
        if self.bias is not None and fan_in:
            uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def forward(self, input):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = pad(input, self._margins(), self.padding_mode), 0
        options = self.stride, padding, self.dilation, self.groups
        return self._function(input, self.weight, self.bias, *options)

    def _margins(self):
        """The padding as `pad` takes it: before and after each dimension, the last dimension first."""
        if self.padding == "same":
            totals = [d * (k - 1) for k, d in zip(self.kernel_size, self.dilation)]
            return [n for total in reversed(totals) for n in (total // 2, total - total // 2)]
        padding = (0,) * self.dims if self.padding == "valid" else self.padding
        return [n for p in reversed(padding) for n in (p, p)]

    def extra_repr(self):
        neutral = {
            "padding": (0,) * self.dims, "dilation": (1,) * self.dims, "output_padding": (0,) * self.dims,
            "groups": 1, "padding_mode": "zeros",
        }  # fmt: skip
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        ]
        for name in ("padding", "dilation", "output_padding", "groups"):
            if getattr(self, name) != neutral[name]:
                parts.append(f"{name}={getattr(self, name)}")
        parts += ["bias=False"] * (self.bias is None)
        parts += [f"padding_mode={self.padding_mode}"] * (self.padding_mode != "zeros")
        return ", ".join(parts)


def check_layer(name, in_channels, out_channels, groups, stride, padding, padding_mode):
    """Refuse, in PyTorch's words, a layer of convolution that cannot be."""
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    for kind, channels in (("in", in_channels), ("out", out_channels)):
        if channels % groups:
            raise ValueError(f"{kind}_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
        if padding == "same" and any(s != 1 for s in ((stride,) if isinstance(stride, Integral) else stride)):
            raise ValueError("padding='same' is not supported for strided convolutions")
    modes = ("zeros", "reflect", "replicate", "circular")
    if padding_mode not in modes:
        raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
    if "Transpose" in name and padding_mode != "zeros":
        raise ValueError(f'Only "zeros" padding mode is supported for {name}')


class Conv1d(ConvNd):
    """Filters that slide along sequences; see `conv1d` and `Conv2d`.

    Shape: (N, C, L) or (C, L) to (N, out_channels, L') or (out_channels, L'), with L' = (L + 2 padding -
        dilation (kernel_size - 1) - 1) / stride + 1, rounded down.

    >>> torch.nn.Conv1d(3, 16, 5)(torch.zeros(8, 3, 32)).shape
    torch.Size([8, 16, 28])
    """

    dims, _function = 1, staticmethod(conv1d)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        moves = kernel_size, stride, padding, dilation, groups
        super().__init__(in_channels, out_channels, *moves, bias, padding_mode, device, dtype)


class Conv2d(ConvNd):
    """Filters that slide over images: weight (out_channels, in_channels/groups, kh, kw), bias one for each.

    Both are uniform within ±1/√(in_channels/groups·kh·kw). `padding_mode` says what the margin contains:
    "zeros", or what `pad` makes of the image under "reflect", "replicate", "circular". The other options are
    those of `conv2d`.

    Shape: (N, C, H, W) or (C, H, W) to (N, out_channels, H', W') or without N, with H' and W' as `Conv1d` has
        L'.

    >>> Conv2d(3, 16, 3, padding=1)(zeros(8, 3, 32, 32)).shape
    torch.Size([8, 16, 32, 32])
    """

    dims, _function = 2, staticmethod(conv2d)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        moves = kernel_size, stride, padding, dilation, groups
        super().__init__(in_channels, out_channels, *moves, bias, padding_mode, device, dtype)
