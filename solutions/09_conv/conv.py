# %% [markdown]
# # 09 Convolution


# %%
#| export
import math
from typing import NamedTuple

import numpy as np

from tinytorch.autograd import call, values
from tinytorch.layers import (
    Identity, Linear, Module, Parameter, ReLU, Sequential, check_probability, constant_, dropout, kaiming_normal_,
    kaiming_uniform_, uniform_,
)  # fmt: skip
from tinytorch.tensor import Function, ScatterAdd, Tensor, cat, empty, ones, tensor, wrap, zeros


# %% stub="output-size"
#| export
def output_size(size, kernel_size, stride=1, padding=0, dilation=1):
    """Count the places that a window takes along one side of an image."""
    ### BEGIN SOLUTION
    reach = dilation * (kernel_size - 1) + 1
    return (size + 2 * padding - reach) // stride + 1
    ### END SOLUTION


# %% stub="conv2d-naive"
#| export
def conv2d_naive(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Slide filters over images, number by number."""
    filters, channels, height, width = weight.shape
    sides = (padding, padding)
    x = np.pad(x, ((0, 0), (0, 0), sides, sides))
    rows = output_size(x.shape[2], height, stride, 0, dilation)
    columns = output_size(x.shape[3], width, stride, 0, dilation)
    output = np.zeros((len(x), filters, rows, columns), x.dtype)
    ### BEGIN SOLUTION
    for n in range(len(x)):
        for o in range(filters):
            first = o // (filters // groups) * channels  # the first channel of this filter's group
            for r in range(rows):
                for c in range(columns):
                    total = 0 if bias is None else bias[o]
                    for k in range(channels):
                        for i in range(height):
                            for j in range(width):
                                seen = x[n, first + k, r * stride + i * dilation, c * stride + j * dilation]
                                total += weight[o, k, i, j] * seen
                    output[n, o, r, c] = total
    ### END SOLUTION
    return output


# %%
#| export
class Window(NamedTuple):
    """A window that steps over an image; each field is a pair, for rows and for columns."""

    kernel_size: tuple
    stride: tuple
    padding: tuple
    dilation: tuple
    places: tuple  # how many it takes


# %% stub="positions"
#| export
def positions(window):
    """List the positions inside a window, each with the slices of the image that it sees."""
    ### BEGIN SOLUTION
    rows, columns = (
        [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        for k, s, d, n in zip(window.kernel_size, window.stride, window.dilation, window.places)
    )
    return [(i, j, (..., row, column)) for i, row in enumerate(rows) for j, column in enumerate(columns)]
    ### END SOLUTION


# %%
#| export
def with_margin(size, window):
    """The rows and columns that a window needs of an image of this size: all of it, and what lies around it."""
    sides = zip(size, window.padding, window.kernel_size, window.stride, window.dilation, window.places)
    return tuple([max(m + p, (n - 1) * s + d * (k - 1) + 1) for m, p, k, s, d, n in sides])


def padded(x, window, fill=0):
    """Images with a margin on every side on which the window looks beyond them."""
    (top, left), (height, width) = window.padding, x.shape[-2:]
    size = with_margin((height, width), window)
    if size == (height, width):
        return x
    output = np.full_like(x, fill, shape=(*x.shape[:-2], *size), order="C")
    output[..., top : top + height, left : left + width] = x
    return output


def unpadded(x, size, window):
    """Images of a size without the margin that `padded` put around them."""
    top, left = window.padding
    return x[..., top : top + size[0], left : left + size[1]]


# %% stub="im2col"
#| export
def im2col(x, window, columns=None):
    """Write down what the window sees at each of its places."""
    if columns is None:
        columns = np.empty_like(x, shape=(*x.shape[:2], *window.kernel_size, *window.places), order="C")
    x = padded(x, window)
    ### BEGIN SOLUTION
    for i, j, seen in positions(window):
        columns[:, :, i, j] = x[seen]
    ### END SOLUTION
    return columns


# %%
#| export
CACHE = 2**21  # bytes: what a core has to itself, or twice that


def blocks(like, images, *shape):
    """A few images at a time, as many as fit the cache: which ones, and memory of a shape for each of them."""
    step = max(1, CACHE // max(1, math.prod(shape) * like.itemsize))
    memory = np.empty_like(like, shape=(min(step, images), *shape), order="C")
    for start in range(0, images, step):
        yield slice(start, start + step), memory[: images - start]


def column_blocks(x, window, groups):
    """A few images at a time: which ones, and what the window sees of them, (B, G, C/G·kh·kw, places)."""
    for block, columns in blocks(x, len(x), x.shape[1], *window.kernel_size, *window.places):
        im2col(x[block], window, columns)
        yield block, columns_by_group(columns, groups)


def columns_by_group(columns, groups):
    """Columns (B, C, kh, kw, H', W') as a matrix for each group, (B, G, C/G·kh·kw, places)."""
    images, channels, height, width, *places = columns.shape
    return columns.reshape(images, groups, channels // groups * height * width, math.prod(places))


def filters_by_group(weight, groups):
    """Filters (O, C/G, kh, kw) as a matrix for each group, (G, O/G, C/G·kh·kw)."""
    return weight.reshape(groups, len(weight) // groups, math.prod(weight.shape[1:]))


def images_by_group(x, groups):
    """Images (N, O, H, W) as a matrix for each group, (N, G, O/G, H·W)."""
    return x.reshape(len(x), groups, x.shape[1] // groups, x.shape[2] * x.shape[3])


# %% stub="convolution"
#| export
class Convolution(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, window, groups):
        """Correlate images with filters: a matrix product for each image."""
        ctx.save_for_backward(x, weight)
        ctx.window, ctx.groups = window, groups
        output = np.empty_like(x, shape=(len(x), len(weight), *window.places), order="C")
        ### BEGIN SOLUTION
        filters = filters_by_group(weight, groups)  # (G, O/G, C/G kh kw)
        flat = images_by_group(output, groups)  # (N, G, O/G, places)
        for block, columns in column_blocks(x, window, groups):
            np.matmul(filters, columns, out=flat[block])
            if bias is not None:
                output[block] += bias.reshape(-1, 1, 1)
        ### END SOLUTION
        return output

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        geometry = {"window": ctx.window, "groups": ctx.groups}
        need_x, need_weight, need_bias = ctx.needs_input_grad
        grad_x = call(ConvolutionInput, grad, weight, size=x.shape[-2:], **geometry) if need_x else None
        grad_weight = call(ConvolutionWeight, x, grad, **geometry) if need_weight else None
        return grad_x, grad_weight, grad.sum(axis=(0, 2, 3)) if need_bias else None


# %% stub="weight-gradient"
#| export
class ConvolutionWeight(Function):
    @staticmethod
    def forward(ctx, x, grad, window, groups):
        """Compute the gradient of a convolution's filters."""
        ctx.save_for_backward(x, grad)
        ctx.window, ctx.groups = window, groups
        shape = (grad.shape[1], x.shape[1] // groups, *window.kernel_size)
        output = np.zeros_like(x, shape=shape, order="C")
        ### BEGIN SOLUTION
        filters, flat = filters_by_group(output, groups), images_by_group(grad, groups)
        for block, columns in column_blocks(x, window, groups):
            filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        ### END SOLUTION
        return output

    @staticmethod
    def backward(ctx, grad):
        x, of_output = ctx.saved_tensors
        geometry = {"window": ctx.window, "groups": ctx.groups}
        need_x, need_output = ctx.needs_input_grad
        grad_x = call(ConvolutionInput, of_output, grad, size=x.shape[-2:], **geometry) if need_x else None
        return grad_x, call(Convolution, x, grad, None, **geometry) if need_output else None


# %% stub="col2im"
#| export
def col2im(columns, size, window):
    """Add each number of the columns to the place of the image at which it was seen."""
    output = np.zeros_like(columns, shape=(*columns.shape[:2], *with_margin(size, window)), order="C")
    ### BEGIN SOLUTION
    for i, j, seen in positions(window):
        output[seen] += columns[:, :, i, j]
    ### END SOLUTION
    return unpadded(output, size, window)


# %%
#| export
class ConvolutionInput(Function):
    @staticmethod
    def forward(ctx, grad, weight, size, window, groups):
        """Compute the gradient of a convolution's input: give each number of the output back to what it has seen."""
        ctx.save_for_backward(grad, weight)
        ctx.window, ctx.groups = window, groups
        filters = filters_by_group(weight, groups).swapaxes(-2, -1)  # (G, C/G kh kw, O/G)
        channels, flat = groups * weight.shape[1], images_by_group(grad, groups)
        output = np.empty_like(grad, shape=(len(grad), channels, *size), order="C")
        for block, columns in blocks(grad, len(grad), channels, *window.kernel_size, *window.places):
            np.matmul(filters, flat[block], out=columns_by_group(columns, groups))
            output[block] = col2im(columns, size, window)
        return output

    @staticmethod
    def backward(ctx, grad):
        of_output, weight = ctx.saved_tensors
        geometry = {"window": ctx.window, "groups": ctx.groups}
        need_output, need_weight = ctx.needs_input_grad
        grad_output = call(Convolution, grad, weight, None, **geometry) if need_output else None
        return grad_output, call(ConvolutionWeight, grad, of_output, **geometry) if need_weight else None


# %%
#| export
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
    return restored(Convolution.apply(input, weight, bias, window=window, groups=groups), flat, added)


def window_over(size, kernel_size, stride, padding, dilation=(1,), ceil_mode=False):
    """The Window that steps over images of this size; an option for sequences is one for images of one row."""
    options = [as_pair(kernel_size), as_pair(stride), as_pair(padding, 0), as_pair(dilation)]
    places = []
    for n, k, s, p, d in zip(as_pair(size), *options):
        count = output_size(n + (s - 1) * ceil_mode, k, s, p, d)
        beyond = ceil_mode and (count - 1) * s >= n + p  # the last place would see nothing but the margin
        places.append(count - beyond)
    return Window(*options, tuple(places))


def as_pair(option, neutral=1):
    """An option for rows and columns; `neutral` for rows, where it is for columns only."""
    return (neutral,) * (2 - len(option)) + tuple(option)


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
    numbers, count = (value,) if isinstance(value, int) else tuple(value), len(kernel_size)
    if len(numbers) not in (1, count):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match the convolution "
            f"dimensions, but got {name}={list(numbers)}"
        )
    return numbers if len(numbers) == count else numbers * count


def padded_by_name(input, padding, kernel_size, stride, dilation):
    """The input and the margin that "valid" or "same" stands for; an odd margin is wider at the end."""
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
        raise RuntimeError(f"{given}a weight of {input.ndim} dimensions for input of size {list(input.shape)}")
    if shape[0] < groups or shape[0] % groups:
        wanted = f"at least {groups}" if shape[0] < groups else f"divisible by {groups}"
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be {wanted} at dimension 0, but got weight of size {shape} instead"
        )
    channels, filters = (shape[0], shape[1] * groups) if transposed else (shape[1] * groups, shape[0])
    if input.shape[1] != channels:
        raise RuntimeError(
            f"{given}input{list(input.shape)} to have {channels} channels, but got {input.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != (filters,):
        raise RuntimeError(
            f"{given}bias to be 1-dimensional with {filters} elements, but got bias of size {list(bias.shape)} instead"
        )
    for name, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype != input.dtype:
            raise RuntimeError(f"Input type ({input.dtype}) and {name} type ({other.dtype}) should be the same")
    if 0 in shape[2:]:
        raise RuntimeError(f"{given}a kernel with at least one element")


# %%
#| export
def padded_for_max(x, window):
    """Images with a margin of the smallest number there is, which is no window's maximum."""
    return padded(x, window, -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)


# %% stub="winners"
#| export
def winners(x, output, window):
    """Say for each position inside a window at which places the maximum was found there, and nowhere before."""
    x = padded_for_max(x, window)
    ### BEGIN SOLUTION
    found, free = [], np.ones_like(output, dtype=bool)
    for _, _, seen in positions(window):
        here = (x[seen] == output) & free
        free ^= here
        found.append(here)
    return found
    ### END SOLUTION


# %% stub="max-pool"
#| export
class MaxPool(Function):
    @staticmethod
    def forward(ctx, x, window):
        """Take the largest number that the window sees at each of its places."""
        around = padded_for_max(x, window)
        ### BEGIN SOLUTION
        seen = [around[slices] for _, _, slices in positions(window)]
        output = seen[0].copy()
        for numbers in seen[1:]:
            np.maximum(output, numbers, out=output)
        ### END SOLUTION
        ctx.save_for_backward(x, output)
        ctx.window = window
        return output

    @staticmethod
    def backward(ctx, grad):
        x, output = map(values, ctx.saved_tensors)
        if isinstance(grad, Tensor):
            arrays = np.zeros_like(x), winning_index(x, output, ctx.window), grad
            flat = [a.reshape(*x.shape[:2], math.prod(a.shape[2:])) for a in arrays]
            return call(ScatterAdd, *flat, dim=2).reshape(x.shape)
        grad_x = np.zeros_like(x, shape=(*x.shape[:2], *with_margin(x.shape[2:], ctx.window)), order="C")
        overlap = any(s < d * (k - 1) + 1 for k, s, _, d, _ in zip(*ctx.window))
        for (_, _, seen), found in zip(positions(ctx.window), winners(x, output, ctx.window)):
            if overlap:
                grad_x[seen] += grad * found
            else:
                np.multiply(grad, found, out=grad_x[seen])
        return unpadded(grad_x, x.shape[2:], ctx.window)


# %%
#| export
def winning_index(x, output, window):
    """Where each maximum was found, in an image whose rows are written one after another."""
    width, (top, left), (down, right) = x.shape[-1], window.padding, window.dilation
    rows, columns = (n * np.arange(count) for n, count in zip(window.stride, window.places))
    places = (rows[:, None] - top) * width + columns - left
    index = np.zeros(output.shape, np.int64)
    for (i, j, _), found in zip(positions(window), winners(x, output, window)):
        np.copyto(index, places + i * down * width + j * right, where=found)
    return index


def max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest number that a window sees at each of its places.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        kernel_size, stride, padding, dilation: an integer, or a pair; the stride is the kernel size if it is None.
        ceil_mode: let the last window reach beyond the margin.
        return_indices: also return where each maximum was found, in the image as one row of H·W numbers.

    Returns:
        A Tensor (N, C, H', W') or (C, H', W'), or a tuple of it and an int64 Tensor of its shape.

    >>> max_pool2d(tensor([[[1.0, 2.0, 5.0, 3.0], [4.0, 0.0, 1.0, 1.0]]]), 2)
    tensor([[[4., 5.]]])
    """
    return max_pool("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool1d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest number that a window sees at each of its places along (N, C, L) or (C, L); see `max_pool2d`."""
    return max_pool("max_pool1d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool(name, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    """What `max_pool1d` and `max_pool2d` share."""
    if input.array.dtype.kind == "b":
        raise NotImplementedError(f'"{name}" not implemented for \'Bool\'')
    input, window, flat, added = pooled(name, input, kernel_size, stride, padding, dilation, ceil_mode)
    output = MaxPool.apply(input, window=window)
    if not return_indices:
        return restored(output, flat, added)
    index = wrap(winning_index(input.array, output.array, window))
    return restored(output, flat, added), restored(index, flat, added)


def pooled(name, input, kernel_size, stride, padding, dilation=1, ceil_mode=False):
    """A pool's input as a batch of images, the Window over it, and what `restored` has to take back."""
    dims = int(name[-2])
    if input.ndim not in (dims + 1, dims + 2) or 0 in input.shape[-dims - 1 :]:
        raise RuntimeError(
            f"{name}: Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
            f"but got:{list(input.shape)}"
        )
    options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    if stride is None or stride == []:
        options["stride"] = kernel_size
    for option, value in options.items():
        numbers = (value,) if isinstance(value, int) else tuple(value)
        if len(numbers) not in (1, dims):
            raise RuntimeError(f"{name}: {option} must either be a single int, or a tuple of {dims} ints")
        if min(numbers) < (option != "padding"):
            raise RuntimeError(
                f"{name}: {option} must be {'non-negative' if option == 'padding' else 'greater than zero'}, but got {value}"
            )
        options[option] = numbers * dims if len(numbers) == 1 else numbers
    for k, p in zip(options["kernel_size"], options["padding"]):
        if p > k // 2:
            raise RuntimeError(f"pad should be at most half of kernel size, but got pad={p} and kernel_size={k}")
    added = input.ndim == dims + 1
    input = input.unsqueeze(0) if added else input
    (input,), flat = as_images(input)
    window = window_over(input.shape[2:], **options, ceil_mode=ceil_mode)
    if min(window.places) < 1:
        (channels, *size), places = input.shape[1:], window.places
        raise RuntimeError(
            f"Given input size: ({channels}x{size[0]}x{size[1]}). Calculated output size: "
            f"({channels}x{places[0]}x{places[1]}). Output size is too small"
        )
    return input, window, flat, added


# %%
#| export
def moments(x):
    """The mean of each channel and its variance about it, arrays or Tensors (1, C, 1...)."""
    axes = (0, *range(2, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    deviation = x - mean
    return mean, (deviation * deviation).mean(axis=axes, keepdims=True)


# %% stub="batch-norm"
#| export
class BatchNorm(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, running, momentum, eps):
        """Give each channel mean zero and variance one over the batch, then scale and shift it."""
        ctx.save_for_backward(x, weight)
        shape = (1, -1) + (1,) * (x.ndim - 2)
        mean, var = moments(x)
        ctx.statistics, ctx.eps = (mean, var), eps
        ### BEGIN SOLUTION
        if running is not None:
            running_mean, running_var = running
            count = x.size // x.shape[1]
            running_mean += momentum * (mean.reshape(-1) - running_mean)
            running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        scale = 1 / np.sqrt(var + eps)
        if weight is not None:
            scale = scale * weight.reshape(shape)
        output = (x - mean) * scale
        if bias is not None:
            output += bias.reshape(shape)
        return output
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        mean, var = moments(x) if isinstance(x, Tensor) else ctx.statistics
        scale = 1 / np.sqrt(var + ctx.eps)
        normal = (x - mean) * scale
        if weight is not None:
            scale = scale * weight.reshape(var.shape)
        grads = batch_norm_gradient(grad, normal, scale)
        return tuple([g if need else None for g, need in zip(grads, ctx.needs_input_grad)])


# %% stub="batch-norm-gradient"
#| export
def batch_norm_gradient(grad, normal, scale):
    """Compute the gradients of x, weight and bias in weight * normal + bias."""
    axes, count = (0, *range(2, grad.ndim)), math.prod(grad.shape) // max(1, grad.shape[1])
    ### BEGIN SOLUTION
    grad_weight = (grad * normal).sum(axis=axes, keepdims=True)
    grad_bias = grad.sum(axis=axes, keepdims=True)
    grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
    return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
    ### END SOLUTION


# %%
#| export
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
        return BatchNorm.apply(input, weight, bias, running=running, momentum=momentum, eps=eps)
    shape = (1, -1) + (1,) * (input.ndim - 2)
    scale = (running_var + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    shift = -running_mean * scale if bias is None else bias - running_mean * scale
    return input * scale.reshape(shape) + shift.reshape(shape)


def check_batch_norm(input, running_mean, running_var, weight, bias, training, eps):
    """Refuse, in PyTorch's words, what cannot be normalised."""
    channels = input.size(1)
    if input.array.dtype.kind != "f":
        raise NotImplementedError(f'"batch_norm" not implemented for \'{input.dtype}\'')
    if training and len(input) and math.prod(input.shape) == channels:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
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
            raise RuntimeError(f"mixed dtype (CPU): all inputs must share same datatype, but {name} is {numbers.dtype}")


# %% stub="conv-transpose"
#| export
def transposed_size(size, kernel_size, stride=1, padding=0, output_padding=0, dilation=1):
    """Turn `output_size` round: the side of an image over which the window takes `size` places."""
    ### BEGIN SOLUTION
    return (size - 1) * stride + dilation * (kernel_size - 1) + 1 - 2 * padding + output_padding
    ### END SOLUTION


# %%
#| export
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transposed convolution of sequences (N, C, L) or (C, L), weight (C, O/groups, k); see `conv_transpose2d`."""
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
    sides = zip(input.shape[2:], kernel_size, stride, padding, extra, dilation)
    size = [transposed_size(*side) for side in sides]
    if min(size) < 0:
        raise RuntimeError(f"{name}: input of size {list(input.shape)} has an output of size {size}, which is too small")
    (input, weight), flat = as_images(input, weight)
    window = window_over(size, kernel_size, stride, padding, dilation)._replace(places=tuple(input.shape[2:]))
    output = ConvolutionInput.apply(input, weight, size=as_pair(size), window=window, groups=groups)
    if bias is not None:
        output = output + bias.reshape(-1, 1, 1)
    return restored(output, flat, added)


# %%
#| export
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
        return (value,) * self.dims if isinstance(value, int) else tuple(value)

    def reset_parameters(self):
        """Draw the weight, then the bias, evenly from ±1/√fan_in."""
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = math.prod(self.weight.shape[1:])
        if self.bias is not None and fan_in:
            uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def forward(self, input):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = pad(input, self._margins(), self.padding_mode), 0
        options = self.stride, padding, self.dilation, self.groups
        return self.function(input, self.weight, self.bias, *options)

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
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
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
        if padding == "same" and any(s != 1 for s in ((stride,) if isinstance(stride, int) else stride)):
            raise ValueError("padding='same' is not supported for strided convolutions")
    modes = ("zeros", "reflect", "replicate", "circular")
    if padding_mode not in modes:
        raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
    if "Transpose" in name and padding_mode != "zeros":
        raise ValueError(f'Only "zeros" padding mode is supported for {name}')


class Conv1d(ConvNd):
    """Filters that slide along sequences; see `conv1d` and `Conv2d`."""

    dims, function = 1, staticmethod(conv1d)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv2d(ConvNd):
    """Filters that slide over images: weight (out_channels, in_channels/groups, kh, kw), bias (out_channels,).

    Both are drawn evenly from ±1/√(in_channels/groups·kh·kw). `padding_mode` says what stands in the margin: "zeros", or
    what `pad` makes of the image under "reflect", "replicate", "circular". The other options are those of `conv2d`.

    >>> Conv2d(3, 16, 3, padding=1)(zeros(8, 3, 32, 32)).shape
    torch.Size([8, 16, 32, 32])
    """

    dims, function = 2, staticmethod(conv2d)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class ConvTransposeNd(ConvNd):
    """What the layers of transposed convolution share; see `ConvTranspose2d`."""

    transposed = True

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
        dilation=1, padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device,
            dtype, output_padding,
        )  # fmt: skip

    def forward(self, input, output_size=None):
        extra = self.output_padding if output_size is None else self._extra(input, output_size)
        options = self.stride, self.padding, extra, self.groups, self.dilation
        return self.function(input, self.weight, self.bias, *options)

    def _extra(self, input, output_size):
        """The output padding that makes the output as large as asked for."""
        name, dims = type(self).__name__, self.dims
        if len(output_size) == input.ndim == dims + 2:
            output_size = output_size[2:]
        if len(output_size) != dims:
            raise ValueError(
                f"{name}: for {input.ndim}D input, output_size must have {dims} or {dims + 2} elements (got {len(output_size)})"
            )
        options = self.kernel_size, self.stride, self.padding, (0,) * dims, self.dilation
        least = [transposed_size(*side) for side in zip(input.shape[-dims:], *options)]
        most = [n + s - 1 for n, s in zip(least, self.stride)]
        if any(not low <= n <= high for low, n, high in zip(least, output_size, most)):
            raise ValueError(
                f"requested an output size of {tuple(output_size)}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.shape[-dims:]})"
            )
        return tuple([n - low for n, low in zip(output_size, least)])


class ConvTranspose1d(ConvTransposeNd):
    """Transposed convolution of sequences; see `conv_transpose1d`."""

    dims, function = 1, staticmethod(conv_transpose1d)


class ConvTranspose2d(ConvTransposeNd):
    """Transposed convolution of images, weight (in_channels, out_channels/groups, kh, kw); see `conv_transpose2d`.

    Called with an `output_size`, it chooses the output padding so that the output has that size.

    >>> ConvTranspose2d(16, 3, 2, stride=2)(zeros(8, 16, 7, 7)).shape
    torch.Size([8, 3, 14, 14])
    """

    dims, function = 2, staticmethod(conv_transpose2d)


# %%
#| export
class MaxPoolNd(Module):
    """What the layers of max pooling share; see `max_pool2d`."""

    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
    ):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input):
        options = self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        return self.function(input, self.kernel_size, *options)

    def extra_repr(self):
        names = "kernel_size", "stride", "padding", "dilation", "ceil_mode"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class MaxPool1d(MaxPoolNd):
    """The largest number in each window along a sequence; see `max_pool1d`."""

    function = staticmethod(max_pool1d)


class MaxPool2d(MaxPoolNd):
    """The largest number in each window of an image; see `max_pool2d`."""

    function = staticmethod(max_pool2d)


# %%
#| export
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
        self.register_parameter("bias", Parameter(zeros(num_features, **options)) if affine and bias else None)
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


# %% stub="basic-block"
#| export
class BasicBlock(Module):
    """Two convolutions, and the input added to what they make of it (He et al., 2015)."""

    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        self.bn1 = BatchNorm2d(planes)
        self.relu = ReLU()
        self.conv2 = Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = BatchNorm2d(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        ### BEGIN SOLUTION
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + identity)
        ### END SOLUTION


# %%
#| export
class ResNet(Module):
    """A residual network (He et al., 2015) with torchvision's parameter names.

    Args:
        block: the class of its blocks, BasicBlock.
        layers: how many blocks each stage has; every stage but the first halves the image and doubles the channels.
        num_classes: how many scores come out.
        width: channels of the first stage.
        in_channels: channels of the images.
        small: for images of some 32 pixels: begin with a 3x3 convolution, in place of a 7x7 one of stride 2 and a max pool.

    With four stages and the defaults it is torchvision's: `ResNet(BasicBlock, [2, 2, 2, 2])` is `resnet18()`.
    """

    def __init__(self, block, layers, num_classes=1000, width=64, in_channels=3, small=False):
        super().__init__()
        self.inplanes = width
        stem = {"kernel_size": 3, "padding": 1} if small else {"kernel_size": 7, "stride": 2, "padding": 3}
        self.conv1 = Conv2d(in_channels, width, bias=False, **stem)
        self.bn1 = BatchNorm2d(width)
        self.relu = ReLU()
        self.maxpool = Identity() if small else MaxPool2d(3, stride=2, padding=1)
        for number, blocks in enumerate(layers):
            stage = self._stage(block, width * 2**number, blocks, stride=1 if number == 0 else 2)
            self.add_module(f"layer{number + 1}", stage)
        self.stages = len(layers)
        self.avgpool = AdaptiveAvgPool2d(1)
        self.fc = Linear(self.inplanes, num_classes)
        for module in self.modules():
            if isinstance(module, Conv2d):
                kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def _stage(self, block, planes, blocks, stride):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            shortcut = Conv2d(self.inplanes, planes * block.expansion, 1, stride, bias=False)
            downsample = Sequential(shortcut, BatchNorm2d(planes * block.expansion))
        first = block(self.inplanes, planes, stride, downsample)
        self.inplanes = planes * block.expansion
        return Sequential(first, *[block(self.inplanes, planes) for _ in range(blocks - 1)])

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for number in range(self.stages):
            x = self.get_submodule(f"layer{number + 1}")(x)
        return self.fc(self.avgpool(x).flatten(1))


def resnet_small(num_classes=10, in_channels=3, width=16):
    """A residual network for images of some 32 pixels: three stages of one block each."""
    return ResNet(BasicBlock, [1, 1, 1], num_classes, width, in_channels, small=True)


class LeNet(Module):
    """Two convolutions with pooling, then three linear layers (LeCun et al., 1998).

    The first convolution keeps the size of the image, as the original's did by giving it a margin of two pixels; the
    second takes what a 5x5 window leaves, or keeps the size where the image is too small for that.

    Args:
        num_classes: how many scores come out.
        in_channels: channels of the images.
        image_size: their side in pixels: 28 as in the original, 32, or the 8 of Digits.

    >>> LeNet(image_size=8)(zeros(5, 1, 8, 8)).shape
    torch.Size([5, 10])
    """

    def __init__(self, num_classes=10, in_channels=1, image_size=28):
        super().__init__()
        half = image_size // 2
        margin = 0 if half > 8 else 2
        self.conv1 = Conv2d(in_channels, 6, 5, padding=2)
        self.conv2 = Conv2d(6, 16, 5, padding=margin)
        self.pool = MaxPool2d(2)
        self.relu = ReLU()
        side = output_size(half, 5, padding=margin) // 2
        self.fc1 = Linear(16 * side * side, 120)
        self.fc2 = Linear(120, 84)
        self.fc3 = Linear(84, num_classes)

    def forward(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x))).flatten(1)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


# %% [markdown]
# ## The rest of the family


# %%
#| export
class SumPool(Function):
    """The sum of what a window sees at each of its places."""

    @staticmethod
    def forward(ctx, x, window):
        ctx.size, ctx.window = x.shape[-2:], window
        x = padded(x, window)
        first, *others = [x[seen] for _, _, seen in positions(window)]
        output = first.copy()
        for numbers in others:
            output += numbers
        return output

    @staticmethod
    def backward(ctx, grad):
        return call(SpreadOverWindow, grad, size=ctx.size, window=ctx.window)


class SpreadOverWindow(Function):
    """Each number added wherever the window sees from its place: the gradient of SumPool."""

    @staticmethod
    def forward(ctx, grad, size, window):
        ctx.window = window
        shape = (*grad.shape[:2], *window.kernel_size, *window.places)
        return col2im(np.broadcast_to(grad[:, :, None, None], shape), size, window)

    @staticmethod
    def backward(ctx, grad):
        return call(SumPool, grad, window=ctx.window)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of what a window sees at each of its places along (N, C, L) or (C, L); see `avg_pool2d`."""
    return avg_pool("avg_pool1d", input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of what a window sees at each of its places.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        kernel_size, stride, padding: an integer, or a pair; the stride is the kernel size if it is None.
        ceil_mode: let the last window reach beyond the margin.
        count_include_pad: whether the zeros of the margin count; what lies beyond it never does.
        divisor_override: what to divide by, in place of how many numbers there are.

    >>> avg_pool2d(tensor([[[1.0, 2.0, 5.0, 3.0], [4.0, 1.0, 1.0, 1.0]]]), 2)
    tensor([[[2.0000, 2.5000]]])
    """
    name = "avg_pool2d"
    return avg_pool(
        name, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool(name, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor=None):
    """What `avg_pool1d` and `avg_pool2d` share."""
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    input, window, flat, added = pooled(name, input, kernel_size, stride, padding, 1, ceil_mode)
    if divisor is None:
        rows, columns = numbers_in(window, input.shape[2:], count_include_pad)
        divisor = wrap((rows[:, None] * columns).astype(input.array.dtype))
    rounding = None if input.is_floating_point() else "trunc"
    output = SumPool.apply(input, window=window).div(divisor, rounding_mode=rounding)
    return restored(output, flat, added)


def numbers_in(window, size, count_include_pad):
    """How many rows, and how many columns, a mean counts at each of the window's places."""
    counts = []
    for n, k, s, p, places in zip(size, window.kernel_size, window.stride, window.padding, window.places):
        start = np.arange(places) * s - p
        low, high = (-p, n + p) if count_include_pad else (0, n)
        counts.append(np.minimum(start + k, n + p).clip(max=high) - start.clip(min=low))
    return counts


def adaptive_avg_pool2d(input, output_size):
    """The means over as many windows as the output has numbers, which cover the image as evenly as they can.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        output_size: an integer, or a pair; None keeps a side as it is.

    >>> adaptive_avg_pool2d(tensor([[[1.0, 2.0, 6.0]]]), (1, 2))
    tensor([[[1.5000, 4.0000]]])
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    if not input.is_floating_point():
        raise NotImplementedError(f'"adaptive_avg_pool2d" not implemented for \'{input.dtype}\'')
    wanted = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * 2
    if len(wanted) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    height, width = (n if n is not None else side for n, side in zip(wanted, input.shape[-2:]))
    if min(height, width) < 0:
        raise RuntimeError(
            f"adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {height}, {width}"
        )
    rows = averages(height, input.shape[-2], input.array.dtype)
    columns = averages(width, input.shape[-1], input.array.dtype)
    return wrap(rows) @ (input @ wrap(columns.T))


def averages(count, size, dtype):
    """The matrix (count, size) that takes the means of `count` even pieces of `size` numbers."""
    matrix = np.zeros((count, size), dtype)
    for i, row in enumerate(matrix):
        piece = row[i * size // count : -(-(i + 1) * size // count)]
        piece[:] = 1 / max(1, len(piece))
    return matrix


class AvgPool1d(Module):
    """The mean of each window along a sequence; see `avg_pool1d`."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        stride = kernel_size if stride is None else stride
        self.kernel_size, self.stride, self.padding = (
            (n,) if isinstance(n, int) else tuple(n) for n in (kernel_size, stride, padding)
        )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input):
        options = self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return avg_pool1d(input, self.kernel_size, *options)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window of an image; see `avg_pool2d`."""

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride or kernel_size, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        options = self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override
        return avg_pool2d(input, self.kernel_size, *options)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Means over even pieces of an image, as many as asked for; see `adaptive_avg_pool2d`."""

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


# %%
#| export
class Im2Col(Function):
    """What a window sees at each of its places, written into columns."""

    @staticmethod
    def forward(ctx, x, window):
        ctx.size, ctx.window = x.shape[-2:], window
        columns = im2col(x, window)
        return columns.reshape(len(x), math.prod(columns.shape[1:4]), math.prod(window.places))

    @staticmethod
    def backward(ctx, grad):
        return call(Col2Im, grad, size=ctx.size, window=ctx.window)


class Col2Im(Function):
    """Columns added back to where a window sees them."""

    @staticmethod
    def forward(ctx, columns, size, window):
        ctx.window = window
        channels = columns.shape[1] // math.prod(window.kernel_size)
        columns = columns.reshape(len(columns), channels, *window.kernel_size, *window.places)
        return col2im(columns, size, window)

    @staticmethod
    def backward(ctx, grad):
        return call(Im2Col, grad, window=ctx.window)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Write what a window sees at each of its places into a column.

    Args:
        input: images (N, C, H, W), or one image (C, H, W).
        kernel_size, dilation, padding, stride: an integer, or a pair.

    Returns:
        A Tensor (N, C·kh·kw, places) or (C·kh·kw, places).
    """
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        input.size(2)  # IndexError
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(f'"im2col" not implemented for \'{input.dtype}\'')
    options = sliding_options(kernel_size, stride, padding, dilation)
    added = input.ndim == 3
    window = window_over(input.shape[-2:], *options)
    if min(window.places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={options[0]}, dilation={options[3]}, "
            f"padding={options[2]}, calculated shape of the array of sliding blocks as {window.places}, but its "
            f"components must be at least one."
        )
    output = Im2Col.apply(input.unsqueeze(0) if added else input, window=window)
    return output.squeeze(0) if added else output


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Add columns back to where a window sees them: where windows overlap, their numbers are summed.

    Args:
        input: (N, C·kh·kw, places) or (C·kh·kw, places).
        output_size: the size of the images, an integer or a pair.
        kernel_size, dilation, padding, stride: those of the `unfold` that this is the gradient of.

    Returns:
        A Tensor (N, C, H, W) or (C, H, W).
    """
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            f"Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    options = sliding_options(kernel_size, stride, padding, dilation)
    (size,) = sliding_options(output_size)
    window = window_over(size, *options)
    if input.shape[-2] % math.prod(window.kernel_size):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={input.shape[-2]} and kernel_size={window.kernel_size}."
        )
    if min(window.places) < 1 or math.prod(window.places) != input.shape[-1]:
        rows, columns = window.places
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={options[0]}, dilation={options[3]}, padding={options[2]}, "
            f"stride={options[1]}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{rows} * {columns} = {rows * columns}, but got input.size(2)={input.shape[-1]}."
        )
    added = input.ndim == 2
    output = Col2Im.apply(input.unsqueeze(0) if added else input, size=size, window=window)
    return output.squeeze(0) if added else output


def sliding_options(*options):
    """The options of `unfold` and `fold` as pairs: kernel size, stride, padding, dilation."""
    names = "kernel size", "stride", "padding", "dilation"
    pairs = [(n, n) if isinstance(n, int) else tuple(n) for n in options]
    for name, numbers in zip(names, pairs):
        if len(numbers) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(numbers)}")
        if min(numbers) < (name != "padding"):
            raise RuntimeError(
                f"{name} should be {'non-negative' if name == 'padding' else 'greater than zero'}, but got {numbers}"
            )
    return pairs


class Unfold(Module):
    """What a window sees at each of its places, as columns; see `unfold`."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input):
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        names = "kernel_size", "dilation", "padding", "stride"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class Fold(Module):
    """Columns added back to where a window sees them; see `fold`."""

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, input):
        options = self.kernel_size, self.dilation, self.padding, self.stride
        return fold(input, self.output_size, *options)

    def extra_repr(self):
        names = "output_size", "kernel_size", "dilation", "padding", "stride"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


# %%
#| export
class ConstantPad(Function):
    """A margin of one value around an array; a negative margin cuts off."""

    @staticmethod
    def forward(ctx, x, margins, value):
        """`margins` is a pair for each dimension: how much before, how much after."""
        ctx.margins = margins
        shape = tuple([n + before + after for n, (before, after) in zip(x.shape, margins)])
        if any(n + min(before, 0) + min(after, 0) < 0 for n, (before, after) in zip(x.shape, margins)):
            raise RuntimeError(f"margins of {margins} cut off more than there is of {list(x.shape)}")
        output = np.full_like(x, value, shape=shape, order="C")
        inner = tuple([slice(max(before, 0), n - max(after, 0)) for n, (before, after) in zip(shape, margins)])
        outer = tuple([slice(max(-before, 0), n + min(after, 0)) for n, (before, after) in zip(x.shape, margins)])
        output[inner] = x[outer]
        return output

    @staticmethod
    def backward(ctx, grad):
        return call(ConstantPad, grad, margins=[(-before, -after) for before, after in ctx.margins], value=0)


def pad(input, pad, mode="constant", value=None):
    """Put a margin around the last dimensions of a tensor.

    Args:
        input: any shape.
        pad: how much before and after the last dimension, then before and after the one before it, and so on; negative
            numbers cut off.
        mode: what stands in the margin. "constant": `value`, or 0. "reflect": the tensor mirrored, without its edge.
            "replicate": its edge. "circular": its other end. The last three pad the last one, two or three dimensions of
            an input that has one or two more.

    >>> pad(tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
    tensor([[3., 2., 1., 2., 3., 2.]])
    """
    margins = list(zip(pad[::2], pad[1::2]))
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(margins) > input.ndim:
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        whole = [(0, 0)] * (input.ndim - len(margins)) + margins[::-1]
        return ConstantPad.apply(input, margins=whole, value=value or 0)
    if mode not in EDGES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if not 1 <= len(margins) <= 3 or input.ndim - len(margins) not in (1, 2):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.")
    for dim, (before, after) in enumerate(margins, 1):
        input = EDGES[mode](input, input.ndim - dim, before, after)
    return input


def reflected(x, dim, before, after):
    """Mirror a tensor at both ends of a dimension."""
    if max(before, after) >= x.shape[dim]:
        raise RuntimeError(
            f"Padding size should be less than the corresponding input dimension, but got: padding {before, after} at "
            f"dimension {dim} of input {list(x.shape)}"
        )
    n = x.shape[dim]
    left, right = x.narrow(dim, 1, max(before, 0)), x.narrow(dim, n - 1 - max(after, 0), max(after, 0))
    return cut(cat([left.flip(dim), x, right.flip(dim)], dim), dim, before, after)


def replicated(x, dim, before, after):
    """Repeat a tensor's first and last numbers along a dimension."""
    n = x.shape[dim]
    if n == 0:
        raise RuntimeError(f"replicate padding: dimension {dim} of input {list(x.shape)} has no edge")
    first, last = (
        x.narrow(dim, at, 1).expand([max(count, 0) if d == dim else m for d, m in enumerate(x.shape)])
        for at, count in ((0, before), (n - 1, after))
    )
    return cut(cat([first, x, last], dim), dim, before, after)


def wrapped_around(x, dim, before, after):
    """Go on at the other end of a dimension."""
    x = cut(x, dim, before, after)
    n, before, after = x.shape[dim], max(before, 0), max(after, 0)
    if max(before, after) > n:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    return cat([x.narrow(dim, n - before, before), x, x.narrow(dim, 0, after)], dim)


def cut(x, dim, before, after):
    """Cut off what a negative margin says."""
    start = max(-before, 0)
    return x.narrow(dim, start, x.shape[dim] - start - max(-after, 0)) if min(before, after) < 0 else x


EDGES = {"reflect": reflected, "replicate": replicated, "circular": wrapped_around}


# %%
#| export
def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, H, W) with probability p, and scale the others by 1 / (1 - p)."""
    check_probability(p)
    if not training or p == 0:
        return input
    shape = (*input.shape[:2], *(1,) * (input.ndim - 2))
    keep = dropout(ones(shape, dtype=input.dtype), p)
    return input.mul_(keep) if inplace else input * keep


class Dropout2d(Module):
    """Zero whole channels with probability `p` while training; do nothing otherwise."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return dropout2d(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"
