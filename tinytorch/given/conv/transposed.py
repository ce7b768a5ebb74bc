"""Transposed convolution and its layers: `ConvolutionInput` over the window that takes the input's places."""

from types import SimpleNamespace

from tinytorch.conv import ConvolutionInput, Window, as_pair
from tinytorch.given import methods_of
from tinytorch.given.conv.convolutions import (
    ConvNd,
    as_images,
    batched,
    check_convolution,
    expanded,
    restored,
)
from tinytorch.tensor import in_float32

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "conv_transpose1d", "conv_transpose2d"]

methods_of(ConvolutionInput)(SimpleNamespace(node_name="Convolution"))


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Transposed convolution of sequences, weight (C, O/groups, k); see `conv_transpose2d`."""
    name = "conv_transpose1d"
    return convolution_transpose(name, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Spread each number of the input over a window of the output, weighted with a filter.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        weight: filters (C, O/groups, kh, kw).
        bias: (O,), or None.
        stride, padding, dilation: those of the convolution whose gradient this is.
        output_padding: rows and columns to add at the end, which a stride leaves open.
        groups: into how many groups the channels are cut.

    Returns:
        A Tensor (N, O, H', W') or (O, H', W').

    >>> conv_transpose2d(tensor([[[1.0, 2.0]]]), ones(1, 1, 1, 2), stride=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    name = "conv_transpose2d"
    return convolution_transpose(name, input, weight, bias, stride, padding, output_padding, groups, dilation)


def convolution_transpose(name, input, weight, bias, stride, padding, output_padding, groups, dilation):
    """What `conv_transpose1d` and `conv_transpose2d` share."""
    input, added = batched(name, input)
    kernel_size = tuple(weight.shape[2:])
    options = {"stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation}
    options = {name: expanded(name, value, kernel_size) for name, value in options.items()}
    check_convolution(input, weight, bias, groups, transposed=True, **options)
    stride, padding, extra, dilation = options.values()
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation)):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding: {extra} "
            f"stride: {stride} dilation: {dilation}"
        )
    (input, weight), flat = as_images(input, weight)
    places, padding, extra = tuple(input.shape[2:]), as_pair(padding, 0), as_pair(extra, 0)
    kernel_size, stride, dilation = map(as_pair, (kernel_size, stride, dilation))
    size, window = transposed_window(places, kernel_size, stride, padding, extra, dilation)
    if min(size) < 0:
        raise RuntimeError(
            f"Given input size per channel: {places}. Calculated output size per channel: {size}. "
            "Output size is too small"
        )
    output = in_float32(ConvolutionInput, input, weight, size=size, window=window, groups=groups)
    if bias is not None:
        output = output + bias.reshape(-1, 1, 1)
    return restored(output, flat, added)


def transposed_window(places, kernel_size, stride, padding, output_padding, dilation):
    """The size of the image over which a window takes these places, and the Window; all are pairs.

    size = (places - 1) stride + dilation (kernel_size - 1) + 1 - 2 padding + output_padding

    >>> transposed_window((3, 3), (3, 3), (2, 2), (1, 1), (1, 0), (1, 1))[0]
    (6, 5)
    """
    sides = zip(places, kernel_size, stride, padding, output_padding, dilation)
    size = tuple([(n - 1) * s + d * (k - 1) + 1 - 2 * p + e for n, k, s, p, e, d in sides])
    return size, Window(kernel_size, stride, padding, dilation, places)


class ConvTransposeNd(ConvNd):
    """What the layers of transposed convolution share; see `ConvTranspose2d`."""

    transposed = True

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
        bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        moves = kernel_size, stride, padding, dilation, groups
        options = bias, padding_mode, device, dtype, output_padding
        super().__init__(in_channels, out_channels, *moves, *options)

    def forward(self, input, output_size=None):
        extra = self.output_padding if output_size is None else self._extra(input, output_size)
        options = self.stride, self.padding, extra, self.groups, self.dilation
        return self._function(input, self.weight, self.bias, *options)

    def _extra(self, input, output_size):
        """The output padding that gives the requested output size."""
        name, dims = type(self).__name__, self.dims
        if len(output_size) == input.ndim == dims + 2:
            output_size = output_size[2:]
        if len(output_size) != dims:
            raise ValueError(
                f"{name}: for {input.ndim}D input, output_size must have {dims} or {dims + 2} elements (got "
                f"{len(output_size)})"
            )
        options = self.kernel_size, self.stride, self.padding, (0,) * dims, self.dilation
        least, _ = transposed_window(input.shape[-dims:], *options)
        most = [n + s - 1 for n, s in zip(least, self.stride)]
        if any(not low <= n <= high for low, n, high in zip(least, output_size, most)):
            raise ValueError(
                f"requested an output size of {tuple(output_size)}, but valid sizes range from "
                f"{list(least)} to {most} "
                f"(for an input of {input.shape[-dims:]})"
            )
        return tuple([n - low for n, low in zip(output_size, least)])


class ConvTranspose1d(ConvTransposeNd):
    """Transposed convolution of sequences; see `conv_transpose1d`.

    Shape: (N, C, L) or (C, L) to the same with out_channels and L' = (L - 1) stride - 2 padding + dilation
        (kernel_size - 1) + output_padding + 1.

    >>> torch.nn.ConvTranspose1d(16, 3, 4, stride=2)(torch.zeros(8, 16, 7)).shape
    torch.Size([8, 3, 16])
    """

    dims, _function = 1, staticmethod(conv_transpose1d)


class ConvTranspose2d(ConvTransposeNd):
    """Transposed convolution of images: weight (in_channels, out_channels/groups, kh, kw).

    Called with an `output_size`, it chooses the output padding so that the output has that size.

    Shape: (N, C, H, W) or (C, H, W) to the same with out_channels, and H' and W' as `ConvTranspose1d` has L'.

    >>> ConvTranspose2d(16, 3, 2, stride=2)(zeros(8, 16, 7, 7)).shape
    torch.Size([8, 3, 14, 14])
    """

    dims, _function = 2, staticmethod(conv_transpose2d)
