# %% [markdown]
# # 09 Convolution
#
# A linear layer has a separate weight for every pixel of an image. Shift the image by one pixel, and for the layer it
# is a different image. But an edge is an edge wherever it lies, and it is made of a few neighbouring pixels. A
# convolution builds in both facts: it has a few small filters, and slides each of them over the whole image. That takes
# few weights, and what was learned in one corner works everywhere.
#
# Written literally, this is seven nested loops, which are far too slow in Python. In this module you turn the loops
# inside out until a convolution is one matrix product, and its two gradients are two others.
#
# Afterwards you will be able to
#
# - compute how large the output of any convolution or pooling is, and how far into the image a unit sees;
# - write a convolution with stride, padding, dilation and groups that runs as a matrix product, and both of its
#   gradients, first and second;
# - write max pooling and batch normalisation, and derive the gradient of batch normalisation on paper;
# - train LeNet on handwritten digits, and look at what it has found;
# - say what a convolution costs, in operations and in bytes, before you run it.
#
# ## What you build
# What you export becomes `tinytorch/conv.py`.
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `Conv1d`, `Conv2d`, `ConvTranspose1d`, `ConvTranspose2d`, and as functions | `torch.nn`, `torch.nn.functional` | no `Conv3d` |
# | `MaxPool1d`, `MaxPool2d`, `AvgPool1d`, `AvgPool2d`, adaptive pools | `torch.nn` | a maximum that is NaN passes no gradient |
# | `BatchNorm1d`, `BatchNorm2d`, `batch_norm`, `InstanceNorm2d`, `GroupNorm` | `torch.nn` | one type for all: no float16 images with float32 weights |
# | `unfold`, `fold`, `pad`, `Dropout2d`, `interpolate`, `pixel_shuffle`, `grid_sample` | `torch.nn.functional`, `torch.nn` | |
# | `Window`, `positions`, `im2col`, `col2im` | inside `unfold` and `fold`, in C++ | ours |
# | `LeNet`, `BasicBlock`, `ResNet`, `resnet_small` | torchvision's `resnet18` is `ResNet(BasicBlock, [2, 2, 2, 2])` | ours, with torchvision's parameter names |
# | `conv2d_naive` | | ours: the seven loops |
#
# From this module on, an operation's class holds both `forward` and `backward`; until now the gradient was registered
# from outside.


# %%
#| export
import math
from typing import NamedTuple

import numpy as np

from tinytorch.autograd import call, values
from tinytorch.layers import Linear, Module, ReLU
from tinytorch.tensor import Function, ScatterAdd, Tensor, on_host


# %%
import inspect
import time
import tracemalloc
from unittest import mock

import matplotlib.pyplot as plt
from tinytorch.autograd import gradcheck, gradgradcheck, no_grad
from tinytorch.dataloader import DataLoader, Digits, RandomCrop
from tinytorch.given.predictions import compare
from tinytorch.layers import Sequential
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.tensor import Context, cat, manual_seed, ones, rand, randn, tensor, wrap, zeros
from tinytorch.trainer import OneCycleLR


def drawn(*shapes, seed=0):
    """Random arrays of these shapes, float64."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


# %% [markdown]
# ## The problem: a digit that moved
#
# Take the digits of module 05, and the linear classifier with the smallest squared error: one matrix, found by solving
# an equation rather than by training. Then shift the held-out digits by a pixel or two to the right. To you nothing has
# changed.
#
# **Predict:** it classifies 93 % of the unseen digits correctly. How many per cent, when they are shifted by one pixel?


# %%
predicted_shifted = None  # per cent


# %%
images, labels = (t.numpy() for t in Digits().tensors())
unseen, unseen_labels = (t.numpy() for t in Digits(train=False).tensors())


def moved(images, pixels):
    """Images shifted to the right, with zeros on the left."""
    return np.pad(images, ((0, 0), (0, 0), (0, 0), (pixels, 0)))[..., : images.shape[-1]]


def flat(images):
    """Each image as a row, and a one for the bias."""
    return np.hstack([images.reshape(len(images), -1), np.ones((len(images), 1), np.float32)])


weights = np.linalg.lstsq(flat(images), np.eye(10, dtype=np.float32)[labels])[0]
shares = []
for pixels in range(3):
    right = (flat(moved(unseen, pixels)) @ weights).argmax(1) == unseen_labels
    shares.append(right.mean())
    print(f"moved by {pixels} pixels: {right.mean():.0%} right")
compare(predicted_shifted, 100 * shares[1], "per cent")


# %% [markdown]
# The matrix has learned what to expect in *this* pixel, and knows nothing about the one next to it. More layers of the
# same kind do not change that. At the end of the lesson you give the same shifted digits to a network with
# convolutions.
#
# And there is the size. A linear layer from a photograph of 224 x 224 pixels in three colours to a hidden layer of the
# same size would have $150{,}528^2$ weights: 90 GB. The convolution that ResNet uses there has 9,408 weights.
#
# ## 1. A window that slides
#
# Put a window of 3 x 3 on the image, multiply the pixels in it by nine weights, add everything up, and write down the
# sum. Move on by one, and repeat. The nine weights are the *filter*, and the sums form an image again.
#
# ```
#     image (5, 5)      what the window shows      filter (3, 3)                      output (3, 3)
#     1 0 2 0 1         at its first place
#     0 1 0 1 0               1 0 2                   1 0 0                              3 0 5
#     2 0 1 0 2               0 1 0         x         0 1 0     =  1 + 1 + 1 = 3         0 3 0
#     0 1 0 1 0               2 0 1                   0 0 1                              5 0 3
#     1 0 2 0 1
# ```
#
# (Mathematicians flip the filter before they slide it, and call that a convolution; without the flip it is a
# *correlation*. All libraries for deep learning correlate, and say convolution. For weights that are learned it makes
# no difference.)
#
# Four numbers describe the window along a side:
#
# - the **stride** $s$: how far it moves on; 2 halves the image;
# - the **padding** $p$: zeros added on both sides, so that the edge can be in the middle of a window;
# - the **dilation** $d$: the distance between the pixels that it looks at; 2 looks at every other one, and sees twice
#   as far;
# - the **kernel size** $k$.
#
# Its pixels $0, d, 2d, \ldots, (k-1)d$ span $d(k-1) + 1$ pixels of a side that is $n + 2p$ long with padding. How many
# places does it take? One at the beginning, and one more for every whole stride that remains. Pixels left over at the
# end, fewer than a whole stride, are ignored.
#
# Pooling has another option. With `ceil_mode` there is one more window if it hangs over the end by less than a stride;
# but it has to begin in the image or in the padding before it, or it would see nothing.
#
# ```
#     6 pixels, kernel 3, stride 2       0 1 2 3 4 5
#                                        ^ ^ ^
#                                            ^ ^ ^            pixel 5 is left
#                          ceil_mode             ^ ^ ^
# ```
#
# <details><summary>Hint 1</summary>How many pixels remain when the window lies at the beginning? The side with its
# padding, minus the pixels that the window spans.</details>
# <details><summary>Hint 2</summary><code>remaining // stride</code> more places fit, <code>//</code> being the division
# that rounds down. <code>ceil_mode</code> matters only if the remainder is not 0.</details>
# <details><summary>Hint 3</summary>With <code>count</code> windows so far, the next one begins at
# <code>count * stride</code>, counted from the beginning of the padding; the image ends at
# <code>size + padding</code>.</details>


# %% stub="output-size"
#| export
def output_size(size, kernel_size, stride=1, padding=0, dilation=1, ceil_mode=False):
    """Count the places that a window takes along one side of an image.

    Args:
        size: how many pixels the side has, without padding.
        kernel_size: how many pixels the window looks at.
        stride: how far it moves on from one place to the next.
        padding: how many zeros there are on each of the two sides.
        dilation: how far apart the pixels are that it looks at.
        ceil_mode: whether a last window may hang over the end, by less than a stride; it has
            to begin before the image ends.

    Returns:
        An integer; less than 1 if the window does not fit, not even hanging over.

    >>> output_size(32, 3, padding=1), output_size(224, 7, stride=2, padding=3)
    (32, 112)
    """
    ### BEGIN SOLUTION
    remaining = size + 2 * padding - dilation * (kernel_size - 1) - 1
    count = remaining // stride + 1
    if ceil_mode and remaining % stride and count * stride < size + padding:
        count += 1
    return count
    ### END SOLUTION


# %% test="output-size" points=3
def places_one_by_one(size, kernel_size, stride, padding=0, dilation=1, ceil_mode=False):
    """Move the window on until its last pixel is outside, and count."""
    start = count = 0
    end, last = size + 2 * padding, dilation * (kernel_size - 1)
    while start + last < end:
        start, count = start + stride, count + 1
    hangs_over = start - stride + last + 1 < end and start < size + padding
    return count + (ceil_mode and hangs_over)


def check_places(*sizes):
    names = "{} pixels, kernel {}, stride {}, padding {}, dilation {}, ceil_mode {}"
    wanted, found = places_one_by_one(*sizes), output_size(*sizes)
    about = names.format(*sizes, *(0, 1, False)[len(sizes) - 3 :])
    kind = type(found).__name__
    assert isinstance(found, int | np.integer), f"{about}: an integer, not a {kind}"
    right = found == wanted or wanted == 0 > found
    assert right, f"{about}: {wanted} places, not {found}"


def test_a_window_takes_as_many_places_as_fit():
    for sizes in [(5, 3, 2), (6, 3, 2), (7, 7, 1), (9, 2, 3), (8, 1, 1), (2, 3, 2)]:
        check_places(*sizes)


def test_margins_and_gaps_count():
    for sizes in [(224, 7, 2, 3), (8, 3, 2, 2), (9, 3, 1, 0, 2), (10, 4, 3, 1, 3)]:
        check_places(*sizes)
    check_places(7, 2, 2, 3, 5)


def test_a_last_window_may_hang_over():
    for sizes in [(6, 3, 2, 0, 1), (7, 3, 2, 0, 1), (5, 2, 2, 1, 1), (8, 3, 3, 2, 2)]:
        check_places(*sizes, True)
    check_places(4, 2, 3, 1, 1, True)  # the next would begin in the padding at the end
    check_places(2, 4, 3, 0, 1, True)  # the only one hangs over
    check_places(2, 7, 3, 0, 1, True)  # by 5, more than a stride


# %% [markdown]
# ### Seven loops
#
# Images come in batches, with several channels (red, green, blue), and a layer has several filters. A filter looks at
# all channels at once: it has $C \times k_h \times k_w$ weights, and makes one output channel.
#
# $$y_{n,o,r,c} = b_o + \sum_{k} \sum_{i} \sum_{j} w_{o,k,i,j} \; x_{n,\; g(o)+k,\; r s + i d,\; c s + j d}$$
#
# where $x$ is already padded, and $g(o)$ is the first channel that filter $o$ looks at. Usually that is 0. With $G$
# **groups**, channels and filters are split into $G$ equal groups, and the filters of a group see only the channels of
# that group; in the extreme case, $G = C$, each channel has its own filters.
#
# ```
#     4 channels, 6 filters, 2 groups:    filters 0 1 2 see channels 0 1,    filters 3 4 5 see channels 2 3
#     so weight is (6, 2, kh, kw), and filter o begins at channel (o // 3) * 2
# ```
#
# Write the formula directly, one number at a time: loops over images $n$, filters $o$, rows $r$, columns $c$, and
# inside over channels $k$ and the window's $i$ and $j$. It will be slow. All faster versions are tested against it.
#
# <details><summary>Hint 1</summary>The outer four loops say which number of <code>output</code> is computed. Start a
# total there, at the bias if there is one.</details>
# <details><summary>Hint 2</summary>There are <code>filters // groups</code> filters in a group, so filter
# <code>o</code> is in group <code>o // (filters // groups)</code>, and each group has <code>channels</code>
# channels.</details>
# <details><summary>Hint 3</summary>A row of the image is <code>r * stride + i * dilation</code>, a column likewise; the
# channel is <code>k</code> for the weight, and for the image counted from the group's first.</details>


# %% stub="conv2d-naive"
#| export
def conv2d_naive(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Slide filters over images, number by number.

    Args:
        x: images, an array (N, C, H, W).
        weight: filters, an array (O, C/groups, kh, kw).
        bias: one number for each filter, an array (O,), or None.
        stride, padding, dilation: integers, the same for rows and columns.
        groups: into how many groups channels and filters are split.

    Returns:
        An array (N, O, H', W') of x's type.

    >>> conv2d_naive(np.arange(9.0).reshape(1, 1, 3, 3), np.ones((1, 1, 2, 2)))
    array([[[[ 8., 12.],
             [20., 24.]]]])
    """
    filters, channels, height, width = weight.shape
    margin = (padding, padding)
    x = np.pad(x, ((0, 0), (0, 0), margin, margin))
    rows = output_size(x.shape[2], height, stride, 0, dilation)
    columns = output_size(x.shape[3], width, stride, 0, dilation)
    output = np.zeros((len(x), filters, rows, columns), x.dtype)
    ### BEGIN SOLUTION
    for n in range(len(x)):
        for o in range(filters):
            first = o // (filters // groups) * channels  # of the channels it sees
            for r in range(rows):
                for c in range(columns):
                    total = 0 if bias is None else bias[o]
                    for k in range(channels):
                        for i in range(height):
                            for j in range(width):
                                row = r * stride + i * dilation
                                column = c * stride + j * dilation
                                total += weight[o, k, i, j] * x[n, first + k, row, column]
                    output[n, o, r, c] = total
    ### END SOLUTION
    return output


# %% test="conv2d-naive" points=5
def windows(x, kernel_size, stride=1, padding=0, dilation=1):
    """What a window sees, from NumPy's own sliding windows: (N, C, H', W', kh, kw)."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    reach = [dilation * (k - 1) + 1 for k in kernel_size]
    views = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    return views[:, :, ::stride, ::stride, ::dilation, ::dilation]


def correlated(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A convolution from these windows and an einsum for each group."""
    seen = windows(x, weight.shape[2:], stride, padding, dilation)
    pieces = zip(np.split(seen, groups, axis=1), np.split(weight, groups))
    output = np.concatenate([np.einsum("nchwij,ocij->nohw", s, w) for s, w in pieces], axis=1)
    return output if bias is None else output + bias[:, None, None]


def check_close(found, wanted, message=""):
    """Equal up to rounding."""
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9, err_msg=message)


def same(function, *arrays, **options):
    """Call a function, and check that it has not changed its arrays."""
    given = inspect.signature(function).bind(*arrays, **options).arguments
    given = {name: x for name, x in given.items() if isinstance(x, np.ndarray)}
    kept = {name: x.copy() for name, x in given.items()}
    found = function(*arrays, **options)
    for name, before in kept.items():
        message = f"the argument {name} is only read"
        np.testing.assert_array_equal(given[name], before, err_msg=message)
    return found


def check_type(found, dtype, name):
    assert found.dtype == dtype, f"{name} is {np.dtype(dtype)} here, not {found.dtype}"


def check_loops(*arrays, about, **options):
    wanted = correlated(*arrays, **options)
    check_close(same(conv2d_naive, *arrays, **options), wanted, about)


def test_the_loops_sum_what_the_window_shows():
    rows = "1 0 2 0 1", "0 1 0 1 0", "2 0 1 0 2", "0 1 0 1 0", "1 0 2 0 1"
    image = np.array([[[row.split() for row in rows]]], float)
    found = conv2d_naive(image, np.eye(3)[None, None])[0, 0]
    message = "each number is the sum of the diagonal of a 3x3 window"
    np.testing.assert_array_equal(found, [[3, 0, 5], [0, 3, 0], [5, 0, 3]], err_msg=message)


def test_all_channels_are_summed_and_each_filter_has_its_bias():
    about = "two images of three channels, four filters of 2x3, with a bias"
    check_loops(*drawn((2, 3, 5, 6), (4, 3, 2, 3), (4,)), about=about)


def test_strides_margins_and_gaps():
    arrays = drawn((1, 2, 7, 6), (2, 2, 3, 2))
    for stride, padding, dilation in [(2, 0, 1), (1, 2, 1), (1, 0, 2), (3, 1, 2)]:
        options = {"stride": stride, "padding": padding, "dilation": dilation}
        check_loops(*arrays, about=f"{options}", **options)


def test_a_group_of_filters_sees_its_group_of_channels():
    about = "filters 0 to 2 see channels 0 and 1, filters 3 to 5 see channels 2 and 3"
    check_loops(*drawn((1, 4, 4, 4), (6, 2, 1, 3)), about=about, groups=2)
    check_loops(*drawn((2, 3, 4, 4), (3, 1, 2, 2), (3,)), about="3 groups", groups=3)


def test_the_loops_give_the_type_of_the_images():
    x, weight = (a.astype(np.float32) for a in drawn((1, 1, 3, 3), (1, 1, 2, 2)))
    check_type(conv2d_naive(x, weight), np.float32, "the output of float32 images")


# %% [markdown]
# What can nine weights find? Here are four hand-made filters, and the output of your loops for a digit. It is large,
# dark red, where the image looks like the filter, and blue where it looks like its opposite.


# %%
thought_up = {
    "horizontal edge": [[1, 1, 1], [0, 0, 0], [-1, -1, -1]],
    "vertical edge": [[1, 0, -1], [1, 0, -1], [1, 0, -1]],
    "spot": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
    "blur": [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
}
digit = images[4:5]
figure, axes = plt.subplots(2, 5, figsize=(9, 3.4), layout="constrained")
axes[0, 0].imshow(digit[0, 0], cmap="gray_r")
axes[0, 0].set_title("the image", size=9)
for column, (name, numbers) in zip(axes.T[1:], thought_up.items()):
    answer = conv2d_naive(digit, np.float32(numbers)[None, None], padding=1)[0, 0]
    column[0].imshow(numbers, cmap="RdBu_r", vmin=-8, vmax=8)
    column[0].set_title(name, size=9)
    column[1].imshow(answer, cmap="RdBu_r", vmin=-abs(answer).max(), vmax=abs(answer).max())
for axis in axes.flat:
    axis.axis("off")


# %% [markdown]
# A network learns its filters, because the output depends on every weight and has a gradient.
#
# ## 2. Loops turned inside out
#
# How slow are the loops? Count how often the innermost line runs, and time it.


# %%
x, weight = (a.astype(np.float32) for a in drawn((2, 3, 16, 16), (8, 3, 3, 3)))
start = time.perf_counter()
slow = conv2d_naive(x, weight, padding=1)
naive_seconds = time.perf_counter() - start
steps = slow.size * weight[0].size
each = naive_seconds / steps * 1e9
print(f"{steps:,} multiplications in {naive_seconds * 1e3:.0f} ms: {each:.0f} ns each")


# %% [markdown]
# A processor does several such multiplications in one nanosecond. All the rest is Python, which decides every time what
# `*` means, and what an index of four numbers is.
#
# The remedy is to compute many numbers at once. Which ones? The window has few positions, nine in a 3 x 3 filter, and
# many places. So turn the loops inside out. Fix *one* position in the window, say the upper left, and collect the
# pixels there for all places of the window. They form a regular part of the image, every $s$-th pixel of every $s$-th
# row, and in NumPy that is a slice.
#
# ```
#     one row with padding          0 1 2 3 4 5 6 7        kernel 3, stride 2, dilation 1: 3 places
#     position 0 of the window      ^   ^   ^              x[0:5:2]
#     position 1                      ^   ^   ^            x[1:6:2]
#     position 2                        ^   ^   ^          x[2:7:2]
# ```
#
# The next cell is given. A `Window` holds everything about how a window moves, each as a pair for rows and columns, and
# how many places it takes; `window_over` makes one.


# %%
#| export
class Window(NamedTuple):
    """A window that steps over an image; each field is a pair, for rows and for columns."""

    kernel_size: tuple
    stride: tuple
    padding: tuple
    dilation: tuple
    places: tuple  # how many it takes


def window_over(size, kernel_size, stride=(1,), padding=(0,), dilation=(1,), ceil_mode=False):
    """The Window over images of this size; sequences are images of one row."""
    options = [as_pair(kernel_size), as_pair(stride), as_pair(padding, 0), as_pair(dilation)]
    places = [output_size(*side, ceil_mode) for side in zip(as_pair(size), *options)]
    return Window(*options, tuple(places))


def as_pair(option, neutral=1):
    """An option for rows and columns; `neutral` for rows, where it is for columns only."""
    return (neutral,) * (2 - len(option)) + tuple(option)


# %% [markdown]
# Now list the slices. Position $i$ begins at pixel $i d$ and continues in steps of $s$; the last of $m$ places is
# $(m-1)s$ further on. A slice ends *before* its stop, so the stop is one more than that. The same holds for the
# columns, and a position in the window is a pair of the two.
#
# <details><summary>Hint 1</summary>Make a list of slices for the rows, one for each <code>i</code> below the kernel's
# height, and one for the columns; then all pairs, row by row.</details>
# <details><summary>Hint 2</summary>A slice is made by <code>slice(start, stop, step)</code>, with the start at
# <code>i * d</code> and the step <code>s</code>.</details>
# <details><summary>Hint 3</summary>The last of <code>n</code> places is <code>(n - 1) * s</code> further on, and a
# slice ends before its stop. An <code>Ellipsis</code> in front of the index makes it work for any number of leading
# dimensions.</details>


# %% stub="positions"
#| export
def positions(window):
    """List the positions inside a window, each with the slices of the image that it sees.

    At position (i, j) it sees x[..., r stride + i dilation, c stride + j dilation].

    Args:
        window: a Window. Its kernel_size, stride, dilation and places count here, but not its
            padding: x is padded already.

    Returns:
        A list of (i, j, index), row by row: i and j are integers, and index is a tuple of an
        Ellipsis and two slices, so that x[index] is a view of shape (..., H', W').

    >>> for i, j, index in positions(window_over((1, 7), (1, 3), (1, 2))):
    ...     print(i, j, index)
    0 0 (Ellipsis, slice(0, 1, 1), slice(0, 5, 2))
    0 1 (Ellipsis, slice(0, 1, 1), slice(1, 6, 2))
    0 2 (Ellipsis, slice(0, 1, 1), slice(2, 7, 2))
    """
    ### BEGIN SOLUTION
    rows, columns = (
        [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        for k, s, _, d, n in zip(*window)
    )
    return [
        (i, j, (..., row, column))
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]
    ### END SOLUTION


# %% test="positions" points=4
def check_positions(window, size):
    """Compare every position with the pixels that the formula names."""
    x = np.arange(2 * size[0] * size[1]).reshape(2, *size)
    wanted, found = list(np.ndindex(window.kernel_size)), positions(window)
    kind = type(found).__name__
    assert isinstance(found, list | tuple), f"positions gives a list, not a {kind}"
    order = [(i, j) for i, j, _ in found]
    assert order == wanted, f"the positions are {wanted}, row by row; not {order}"
    for i, j, index in found:
        rows = np.arange(window.places[0]) * window.stride[0] + i * window.dilation[0]
        columns = np.arange(window.places[1]) * window.stride[1] + j * window.dilation[1]
        message = f"{window}: what position {(i, j)} sees"
        np.testing.assert_array_equal(x[index], x[:, rows[:, None], columns], err_msg=message)


def test_each_position_sees_one_pixel_at_each_place():
    check_positions(window_over((4, 5), (2, 3)), (4, 5))


def test_a_position_moves_on_by_the_stride():
    check_positions(window_over((7, 8), (3, 2), (2, 3)), (7, 8))


def test_positions_are_a_dilation_apart():
    check_positions(window_over((5, 7), (3, 2), (1, 2), (1, 1), (2, 4)), (7, 9))


def test_what_lies_beyond_the_last_place_is_not_seen():
    window = Window((2, 2), (2, 2), (0, 0), (1, 1), (2, 1))
    check_positions(window, (9, 9))
    x = np.zeros((9, 9))
    assert np.shares_memory(x[positions(window)[0][2]], x), "x[index] must be a view of x"


# %% [markdown]
# Padding is given: `padded` pads images, and returns them unchanged if the padding is 0; `unpadded` removes it again.
# (`padded_for_max` and `padded_below` are for pooling, later.)


# %%
#| export
from tinytorch.given.conv.image_margins import *


# %% [markdown]
# ### What the window sees, as an array
#
# With the slices, collecting everything that the window ever sees takes nine copies, one for each position, however
# many places there are. This array is called *im2col*, image to columns, because in it each place of the window is a
# column, and everything that the window shows there stands in it from top to bottom:
#
# ```
#     image   0 1 2        2x2 window, 4 places           place  (0,0) (0,1) (1,0) (1,1)
#             3 4 5                            position (0,0)       0     1     3     4
#             6 7 8                                     (0,1)       1     2     4     5
#                                                       (1,0)       3     4     6     7
#                                                       (1,1)       4     5     7     8
# ```
#
# Pixel 4 occurs four times, because four windows see it. That is the cost, and you will measure it.
#
# <details><summary>Hint 1</summary>One loop over <code>positions(window)</code>, one assignment in it.</details>
# <details><summary>Hint 2</summary><code>columns</code> has the shape (N, C, kh, kw, H', W'), and what position (i, j)
# sees of <code>x</code> has the shape (N, C, H', W').</details>
# <details><summary>Hint 3</summary>The position's index, <code>seen</code>, selects that part of <code>x</code>; in
# <code>columns</code> it belongs to i and j, the third and the fourth dimension.</details>


# %% stub="im2col"
#| export
def im2col(x, window, columns=None):
    """Copy what the window sees at each of its places.

    columns[n, k, i, j, r, c] = x[n, k, r stride + i dilation - padding,
                                        c stride + j dilation - padding], 0 in the padding

    Args:
        x: images, an array (N, C, H, W).
        window: a Window over them.
        columns: memory for the result, which is filled and returned; None makes a new array.

    Returns:
        An array (N, C, kh, kw, H', W') of x's type.

    >>> im2col(np.arange(9).reshape(1, 1, 3, 3), window_over((3, 3), (2, 2))).reshape(4, 4)
    array([[0, 1, 3, 4],
           [1, 2, 4, 5],
           [3, 4, 6, 7],
           [4, 5, 7, 8]])
    """
    if columns is None:
        shape = (*x.shape[:2], *window.kernel_size, *window.places)
        columns = np.empty_like(x, shape=shape, order="C")  # x's type, row after row
    x = padded(x, window)
    ### BEGIN SOLUTION
    for i, j, seen in positions(window):
        columns[:, :, i, j] = x[seen]
    ### END SOLUTION
    return columns


# %% test="im2col" points=3
def check_shape(found, wanted, names):
    message = f"{names} is {wanted.shape} here, not {found.shape}"
    assert found.shape == wanted.shape, message


def square_window(size, kernel_size, stride=1, padding=0, dilation=1):
    """The Window whose options are the same for rows and columns."""
    return window_over(size, kernel_size, (stride,) * 2, (padding,) * 2, (dilation,) * 2)


def check_columns(kernel_size, **options):
    (x,) = drawn((3, 2, 6, 7))
    window = square_window((6, 7), kernel_size, **options)
    memory = np.full((3, 2, *kernel_size, *window.places), 7.0)
    wanted = windows(x, kernel_size, **options).transpose(0, 1, 4, 5, 2, 3).copy()
    found = same(lambda x: im2col(x, window, memory), x)
    check_shape(found, wanted, "(N, C, kh, kw, H', W')")
    for i, j in np.ndindex(kernel_size):
        message = f"kernel {kernel_size}, {options}: what position {(i, j)} sees"
        np.testing.assert_array_equal(found[:, :, i, j], wanted[:, :, i, j], err_msg=message)
    assert found is memory, "memory that is passed in is filled and returned"


def test_columns_hold_what_the_window_sees():
    check_columns((2, 3))
    check_columns((3, 3))


def test_columns_of_windows_with_strides_margins_and_gaps():
    check_columns((3, 2), stride=2)
    check_columns((3, 3), padding=2)
    check_columns((2, 2), stride=2, padding=1, dilation=3)


def test_columns_have_the_type_of_the_images():
    for dtype in (np.float32, np.float64, np.int64):
        found = im2col(np.ones((1, 1, 3, 3), dtype), window_over((3, 3), (2, 2)))
        check_type(found, dtype, f"im2col of {np.dtype(dtype)}")
        check_close(found, 1, "all pixels are 1")


# %% [markdown]
# ### One product
#
# Read the formula again with the columns in mind. The sum over $k, i, j$ is a sum over one column, weighted by one
# filter. Write each filter as a row of $C k_h k_w$ weights, and the sum for all filters and all places is
#
# $$Y = W \cdot \mathrm{columns}, \qquad (O,\; C k_h k_w) \cdot (C k_h k_w,\; H'W') = (O,\; H'W')$$
#
# one matrix product per image. That is what BLAS is good at.
#
# Two details are given. Groups are one more leading dimension: filters as $(G,\, O/G,\, C/G\, k_h k_w)$, columns as
# $(B,\, G,\, C/G\, k_h k_w,\, H'W')$, and `np.matmul` multiplies matrix by matrix. And the columns are $k_h k_w$ times
# as large as the images, so they are not computed for a whole batch at once. `column_blocks` gives you the columns of a
# few images at a time, always in the same memory, small enough to be still in the cache when the product reads it.


# %%
#| export
CACHE = 2**21  # bytes: the cache that a core has to itself, or twice that


def blocks(like, images, *shape):
    """A few images at a time, as many as fit the cache: which ones, and memory for each."""
    step = (
        max(1, CACHE // max(1, math.prod(shape) * like.itemsize)) if on_host(like) else images
    )
    memory = np.empty_like(like, shape=(min(step, images), *shape), order="C")
    for start in range(0, images, step):
        yield slice(start, start + step), memory[: images - start]


def column_blocks(x, window, groups):
    """A few images at a time: which ones, and their columns (B, G, C/G·kh·kw, places)."""
    shape = x.shape[1], *window.kernel_size, *window.places
    for block, columns in blocks(x, len(x), *shape):
        im2col(x[block], window, columns)
        yield block, columns_by_group(columns, groups)


def columns_by_group(columns, groups):
    """Columns (B, C, kh, kw, H', W') as a matrix for each group, (B, G, C/G·kh·kw, places)."""
    images, channels, height, width, *places = columns.shape
    channels //= groups
    return columns.reshape(images, groups, channels * height * width, math.prod(places))


def filters_by_group(weight, groups):
    """Filters (O, C/G, kh, kw) as a matrix for each group, (G, O/G, C/G·kh·kw)."""
    return weight.reshape(groups, len(weight) // groups, math.prod(weight.shape[1:]))


def images_by_group(x, groups):
    """Images (N, O, H, W) as a matrix for each group, (N, G, O/G, H·W)."""
    return x.reshape(len(x), groups, x.shape[1] // groups, x.shape[2] * x.shape[3])


# %% [markdown]
# `images_by_group(output, groups)` does not copy: it is another view of the output's memory, so what you write into it
# is written into the output.
#
# The `backward` of the class is given, and calls the two operations that you write in the next section.
#
# <details><summary>Hint 1</summary>Make the two views once, before the loop: the weight's by
# <code>filters_by_group</code>, the output's, a matrix for each image and group, by
# <code>images_by_group</code>.</details>
# <details><summary>Hint 2</summary>The loop goes through <code>column_blocks</code>, which yields where a block is, and
# its columns. <code>np.matmul</code> with <code>out</code> writes straight into the output's part for this
# block.</details>
# <details><summary>Hint 3</summary>The bias belongs to the channels: with the shape (O, 1, 1) it broadcasts over the
# places. Add it in the loop, while the block is still in the cache.</details>


# %% stub="convolution"
#| export
class Convolution(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, window, groups):
        """Correlate images with filters, by a matrix product for each image.

        Args:
            x: images, an array (N, C, H, W); N may be 0.
            weight: filters (O, C/groups, kh, kw), of x's type.
            bias: one number for each filter, (O,), or None.
            window: the Window that moves over the images.
            groups: into how many groups channels and filters are split.

        Returns:
            An array (N, O, H', W') of x's type.

        >>> x, weight, bias = np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2)), np.ones(1)
        >>> Convolution.forward(Context(), x, weight, bias, window_over((3, 3), (2, 2)), 1)
        array([[[[5., 5.],
                 [5., 5.]]]])
        """
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
        options = {"window": ctx.window, "groups": ctx.groups}
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = call(ConvolutionInput, grad, weight, size=x.shape[-2:], **options)
        if ctx.needs_input_grad[1]:
            grad_weight = call(ConvolutionWeight, x, grad, **options)
        if ctx.needs_input_grad[2]:
            grad_bias = grad.sum(axis=(0, 2, 3))
        return grad_x, grad_weight, grad_bias


# %% test="convolution" points=6
def written(function, *arrays):
    """Call a function while new memory is full of NaN, and check that none is left."""
    unwritten = lambda x, **options: np.full_like(x, np.nan, **options)
    with mock.patch.object(np, "empty_like", unwritten):
        found = same(function, *arrays)
    left = np.isnan(found).sum()
    message = f"{left} of {found.size} numbers of the result come from memory never written to"
    assert left == 0, message
    return found


def check_convolution_by_products(x, weight, bias=None, groups=1, **options):
    window = square_window(x.shape[2:], weight.shape[2:], **options)
    wanted = correlated(x, weight, bias, groups=groups, **options)
    arrays = (x, weight) if bias is None else (x, weight, bias)
    forward = Convolution.forward
    call = lambda x, weight, bias=None: forward(Context(), x, weight, bias, window, groups)
    found = written(call, *arrays)
    check_shape(found, wanted, "(N, O, H', W')")
    shapes = f"images {x.shape}, filters {weight.shape}, {groups} groups, {options}"
    check_close(found, wanted, shapes)
    return found


def test_a_convolution_is_a_product():
    x, weight = drawn((2, 3, 6, 5), (4, 3, 3, 2))
    check_convolution_by_products(x, weight)
    check_convolution_by_products(x, weight, stride=2, padding=1)
    check_convolution_by_products(x, weight, dilation=2, padding=2)


def test_the_bias_belongs_to_the_channels():
    x, weight, bias = drawn((2, 1, 4, 5), (4, 1, 3, 2), (4,))  # as many filters as columns
    check_convolution_by_products(x, weight, bias)


def test_groups_have_filters_and_channels_of_their_own():
    check_convolution_by_products(*drawn((2, 4, 4, 4), (6, 2, 2, 2), (6,)), groups=2)
    check_convolution_by_products(*drawn((2, 3, 4, 4), (3, 1, 3, 3)), groups=3, padding=1)


def test_a_long_batch_is_computed_in_several_blocks():
    check_convolution_by_products(*drawn((1500, 1, 8, 8), (2, 1, 3, 3), (2,)), padding=1)
    check_convolution_by_products(*drawn((0, 1, 8, 8), (2, 1, 3, 3)))


def test_a_convolution_has_the_type_of_its_images():
    x, weight, bias = (a.astype(np.float32) for a in drawn((1, 2, 4, 4), (3, 2, 1, 1), (3,)))
    found = check_convolution_by_products(x, weight, bias)
    check_type(found, np.float32, "a convolution of float32 arrays")


# %% [markdown]
# `conv1d` and `conv2d` take PyTorch's arguments, raise its errors, and leave the rest to your class. A sequence is an
# image of one row, so `conv1d` needs no extra code. `padding="same"` means the padding that keeps the size; if that is
# an odd number, the end gets the extra pixel.


# %%
#| export
from tinytorch.given.conv.convolutions import *
from tinytorch.given.conv.padding import *


# %% [markdown]
# Compare with the loops, in values and in time.
#
# **Predict:** how many times as fast as the seven loops is the product?


# %%
predicted_speedup = None  # how many times as fast? a number


# %%
def best_of(run, repeats=5):
    """The shortest of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


fast = conv2d(wrap(x), wrap(weight), padding=1)
fast_seconds = best_of(lambda: conv2d(wrap(x), wrap(weight), padding=1))
print("largest difference:", np.abs(fast.numpy() - slow).max())
print(f"loops {naive_seconds * 1e3:.1f} ms, product {fast_seconds * 1e3:.3f} ms")
compare(predicted_speedup, naive_seconds / fast_seconds, "times")


# %% [markdown]
# ## 3. Both gradients
#
# For each image and group a convolution is a matrix product, $Y = W \cdot \mathrm{columns}$. So its gradients are two
# other products. Derive both on paper before you go on: with $y_{op} = \sum_m w_{om}\, c_{mp}$ for filter $o$ and place
# $p$, which numbers of $Y$ change with one $w_{om}$, and which with one $c_{mp}$? The shapes check your answer.
#
# ### The filters
# The gradient of the filters comes first. Remember in your derivation that the same filters are used on every image of
# the batch. The columns are not saved in forward, which would keep $k_h k_w$ times the images alive until backward.
# They are recomputed, block by block.
#
# <details><summary>Hint 1</summary>As in the forward: a view of <code>output</code> by groups, a view of
# <code>grad</code> by groups, and a loop over <code>column_blocks</code>. On paper: w[o, m] occurs in y[o, p] for every
# place p, with slope c[m, p]; in every image again.</details>
# <details><summary>Hint 2</summary>So there are two sums: over the places, which is a matrix product of two arrays with
# the places last, one of them transposed (<code>swapaxes(-2, -1)</code> transposes each matrix of a block); and over
# the images, within a block and from block to block.</details>
# <details><summary>Hint 3</summary>With g for a gradient: g(W) = the sum over all images of g(Y) columnsᵀ, shapes
# (O, places) and (places, C kh kw), for each group. <code>output</code> begins at zero, and its view collects the
# sum.</details>


# %% stub="weight-gradient"
#| export
class ConvolutionWeight(Function):
    @staticmethod
    def forward(ctx, x, grad, window, groups):
        """Compute the gradient of a convolution's filters.

        Args:
            x: the images that were convolved, an array (N, C, H, W).
            grad: the gradient of the output, an array (N, O, H', W').
            window, groups: those of the convolution.

        Returns:
            An array (O, C/groups, kh, kw) of x's type.

        >>> x = np.arange(9.0).reshape(1, 1, 3, 3)
        >>> grad = np.array([[[[1.0, 0.0], [0.0, 0.0]]]])
        >>> ConvolutionWeight.forward(Context(), x, grad, window_over((3, 3), (2, 2)), 1)
        array([[[[0., 1.],
                 [3., 4.]]]])
        """
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
        options = {"window": ctx.window, "groups": ctx.groups}
        grad_x = grad_output = None
        if ctx.needs_input_grad[0]:
            grad_x = call(ConvolutionInput, of_output, grad, size=x.shape[-2:], **options)
        if ctx.needs_input_grad[1]:
            grad_output = call(Convolution, x, grad, None, **options)
        return grad_x, grad_output


# %% test="weight-gradient" points=5
def check_weight_gradient(images, channels, filters, kernel_size, groups=1, **options):
    (x,) = drawn((images, channels, 6, 5))
    window = square_window((6, 5), kernel_size, **options)
    (grad,) = drawn((images, filters, *window.places), seed=1)
    seen = np.split(windows(x, kernel_size, **options), groups, axis=1)
    pieces = zip(np.split(grad, groups, axis=1), seen)
    wanted = np.concatenate([np.einsum("nohw,nchwij->ocij", g, s) for g, s in pieces])
    forward = ConvolutionWeight.forward
    found = same(lambda x, grad: forward(Context(), x, grad, window, groups), x, grad)
    check_shape(found, wanted, "the gradient of the filters")
    check_close(found, wanted, f"{grad.shape}, {x.shape}, {groups} groups, {options}")
    found = forward(Context(), np.float32(x), np.float32(grad), window, groups)
    check_type(found, np.float32, "the gradient of the filters from float32 images")


def test_each_weight_gets_what_it_was_multiplied_with():
    check_weight_gradient(1, 2, 3, (3, 2))


def test_all_images_add_to_the_filters():
    check_weight_gradient(3, 2, 2, (2, 2))
    check_weight_gradient(2500, 1, 2, (3, 3))


def test_filters_with_strides_margins_and_gaps():
    check_weight_gradient(2, 1, 2, (3, 3), stride=2, padding=1)
    check_weight_gradient(2, 1, 2, (2, 2), dilation=3, padding=2)


def test_filters_in_groups():
    check_weight_gradient(2, 4, 6, (2, 3), groups=2)


# %% [markdown]
# ### The images
# The second product that you derived is the gradient of the *columns*: for each place, how the loss changes with each
# of the numbers that the window showed there. But these numbers are pixels, and most pixels occur in several columns. A
# pixel's gradient is the sum over all the columns in which it occurs. So the numbers go back to the pixels they came
# from, and where several meet, they add up. This is *col2im*, or `fold`: `im2col` in reverse, with `+=` for `=`.
#
# ```
#     place    (0,0) (0,1) (1,0) (1,1)
#     (0,0)      a     b     c     d           image    a       b+e     f
#     (0,1)      e     f     g     h                    c+i     d+g+j+m h+n
#     (1,0)      i     j     k     l                    k       l+o     p
#     (1,1)      m     n     o     p
# ```
#
# Within one position no pixel occurs twice, so a slice and `+=` are enough; `np.add.at` is not needed.
#
# <details><summary>Hint 1</summary>The loop is that of <code>im2col</code>, with the assignment reversed.</details>
# <details><summary>Hint 2</summary><code>output[seen]</code> is a view of the image at the places, of shape
# (N, C, H', W').</details>
# <details><summary>Hint 3</summary>Add into it the columns of the position, which stand at i and j in their third and
# fourth dimension.</details>


# %% stub="col2im"
#| export
def col2im(columns, size, window):
    """Add each number of the columns to the pixel at which it was seen.

    Args:
        columns: an array (N, C, kh, kw, H', W').
        size: the size (H, W) of the images.
        window: the Window that moves over them.

    Returns:
        An array (N, C, H, W) of the columns' type; what falls into the padding is left out.

    >>> col2im(np.ones((1, 1, 2, 2, 2, 2)), (3, 3), window_over((3, 3), (2, 2)))
    array([[[[1., 2., 1.],
             [2., 4., 2.],
             [1., 2., 1.]]]])
    """
    shape = (*columns.shape[:2], *with_margin(size, window))
    output = np.zeros_like(columns, shape=shape, order="C")
    ### BEGIN SOLUTION
    for i, j, seen in positions(window):
        output[seen] += columns[:, :, i, j]
    ### END SOLUTION
    return unpadded(output, size, window)


# %% test="col2im" points=4
def check_return(size, kernel_size, stride=1, padding=0, dilation=1):
    """Give each column back, number by number."""
    window = square_window(size, kernel_size, stride, padding, dilation)
    (columns,) = drawn((2, 3, *kernel_size, *window.places))
    wanted = np.zeros((2, 3, size[0] + 2 * padding, size[1] + 2 * padding))
    for i, j, r, c in np.ndindex(columns.shape[2:]):
        row, column = r * stride + i * dilation, c * stride + j * dilation
        wanted[:, :, row, column] += columns[:, :, i, j, r, c]
    wanted = wanted[:, :, padding : padding + size[0], padding : padding + size[1]]
    found = same(lambda columns: col2im(columns, size, window), columns)
    check_shape(found, wanted, "the images' shape")
    options = f"stride {stride}, padding {padding}, dilation {dilation}"
    check_close(found, wanted, f"{size}, kernel {kernel_size}, {options}")


def test_a_pixel_gets_the_sum_of_all_columns_that_show_it():
    window = window_over((3, 3), (2, 2))
    image = col2im(np.arange(16.0).reshape(1, 1, 2, 2, 2, 2), (3, 3), window)[0, 0]
    wanted = [[0, 1 + 4, 5], [2 + 8, 3 + 6 + 9 + 12, 7 + 13], [10, 11 + 14, 15]]
    check_close(image, wanted, "columns 0, 1, 2, ... 15, each at its pixel")
    check_return((5, 6), (3, 2))


def test_pixels_that_no_window_shows_get_nothing():
    check_return((5, 8), (2, 2), stride=3)
    check_return((7, 6), (2, 2), dilation=3)


def test_what_lies_in_the_margin_is_left_out():
    check_return((4, 5), (3, 3), padding=2)
    check_return((5, 4), (3, 3), padding=1, stride=2)


def test_images_have_the_type_of_their_columns():
    columns, window = np.ones((1, 1, 2, 2, 2, 2), np.float32), square_window((3, 3), (2, 2))
    found = col2im(columns, (3, 3), window)
    check_type(found, np.float32, "the image from float32 columns")


# %% [markdown]
# Now both steps, as one operation: a product that computes the columns' gradient, and `col2im`, which adds it to the
# pixels. As before, work on a few images at a time: `blocks(grad, len(grad), *shape)` gives you the images of a block
# and memory of this shape for each of them, here for their columns.
#
# <details><summary>Hint 1</summary>The shape of an image's columns is
# <code>channels, *window.kernel_size, *window.places</code>, and <code>columns_by_group(columns, groups)</code> is a
# view of a block of them, with a matrix for each image and group.</details>
# <details><summary>Hint 2</summary>On paper: c[m, p] occurs in y[o, p] for every filter o, with slope w[o, m]. So the
# sum is over the filters, and <code>filters_by_group</code> and <code>images_by_group</code> give the two
# factors.</details>
# <details><summary>Hint 3</summary>With g for a gradient: g(columns) = Wᵀ g(Y), for each image and group. In the loop,
# let <code>np.matmul</code> write it straight into the view of the columns (<code>out=</code>). <code>col2im</code>
# turns them into the block's images.</details>


# %% stub="input-gradient"
#| export
class ConvolutionInput(Function):
    @staticmethod
    def forward(ctx, grad, weight, size, window, groups):
        """Compute the gradient of a convolution's images.

        Args:
            grad: the gradient of the output, an array (N, O, H', W').
            weight: the filters, an array (O, C/groups, kh, kw).
            size: the size (H, W) of the images.
            window, groups: those of the convolution.

        Returns:
            An array (N, C, H, W) of grad's type.

        >>> grad, weight = np.array([[[[1.0, 0.0], [0.0, 2.0]]]]), np.ones((1, 1, 2, 2))
        >>> window = window_over((3, 3), (2, 2))
        >>> ConvolutionInput.forward(Context(), grad, weight, (3, 3), window, 1)
        array([[[[1., 1., 0.],
                 [1., 3., 2.],
                 [0., 2., 2.]]]])
        """
        ctx.save_for_backward(grad, weight)
        ctx.window, ctx.groups = window, groups
        channels = groups * weight.shape[1]
        output = np.empty_like(grad, shape=(len(grad), channels, *size), order="C")
        ### BEGIN SOLUTION
        filters = filters_by_group(weight, groups).swapaxes(-2, -1)  # (G, C/G kh kw, O/G)
        flat = images_by_group(grad, groups)  # (N, G, O/G, places)
        shape = channels, *window.kernel_size, *window.places
        product = np.multiply if len(weight) == groups else np.matmul  # one filter: no sum
        for block, columns in blocks(grad, len(grad), *shape):
            product(filters, flat[block], out=columns_by_group(columns, groups))
            output[block] = col2im(columns, size, window)
        ### END SOLUTION
        return output

    @staticmethod
    def backward(ctx, grad):
        of_output, weight = ctx.saved_tensors
        options = {"window": ctx.window, "groups": ctx.groups}
        grad_output = grad_weight = None
        if ctx.needs_input_grad[0]:
            grad_output = call(Convolution, grad, weight, None, **options)
        if ctx.needs_input_grad[1]:
            grad_weight = call(ConvolutionWeight, grad, of_output, **options)
        return grad_output, grad_weight


# %% test="input-gradient" points=6
def spread(grad, weight, size, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of the images: each number goes to the pixels that it was made of."""
    filters, channels, height, width = weight.shape
    sides = [n + 2 * padding for n in size]
    output = np.zeros((len(grad), groups * channels, *sides))
    for o, r, c in np.ndindex(grad.shape[1:]):
        first = o // (filters // groups) * channels
        for k, i, j in np.ndindex(channels, height, width):
            pixel = r * stride + i * dilation, c * stride + j * dilation
            output[:, first + k, *pixel] += grad[:, o, r, c] * weight[o, k, i, j]
    return output[:, :, padding : padding + size[0], padding : padding + size[1]]


def check_input_gradient(images, filters, size, groups=1, dtype=np.float64, **options):
    (weight,) = drawn(filters)
    window = square_window(size, filters[2:], **options)
    (grad,) = drawn((images, filters[0], *window.places), seed=1)
    weight, grad = weight.astype(dtype), grad.astype(dtype)
    wanted = spread(grad, weight, size, groups=groups, **options)
    forward = ConvolutionInput.forward
    call = lambda grad, weight: forward(Context(), grad, weight, size, window, groups)
    found = written(call, grad, weight)
    check_shape(found, wanted, "the gradient of the images")
    check_type(found, dtype, "the gradient of the images")
    about = f"{grad.shape}, filters {filters}, {groups} groups, {options}"
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=about)


def test_each_number_goes_back_to_what_it_has_seen():
    check_input_gradient(2, (3, 2, 3, 2), (5, 6))
    check_input_gradient(2, (3, 2, 3, 2), (5, 6), dtype=np.float32)


def test_images_with_strides_margins_and_gaps():
    check_input_gradient(1, (2, 3, 3, 3), (6, 5), stride=2, padding=1)
    check_input_gradient(2, (2, 1, 2, 2), (6, 7), dilation=3, padding=2)


def test_images_in_groups():
    check_input_gradient(2, (6, 2, 2, 3), (4, 5), groups=2)
    check_input_gradient(1, (3, 1, 2, 2), (4, 4), groups=3)


def test_a_long_batch_goes_back_in_several_blocks():
    check_input_gradient(2500, (2, 1, 3, 3), (6, 5))


# %% [markdown]
# Look at the three classes side by side: the `backward` of each calls the two others, and nothing else. There is a
# reason. Take the number
#
# $$T(x, w, g) = \sum g \cdot \mathrm{conv}(x, w)$$
#
# It is linear in each of its three arguments, so its slope with respect to one of them depends only on the other two.
# Those three slopes are your three operations: `Convolution` of $x$ and $w$, `ConvolutionWeight` of $x$ and $g$,
# `ConvolutionInput` of $g$ and $w$. A slope of a slope is again one of them. So you already have second derivatives,
# and third ones too.


# %%
shapes = (2, 2, 4, 5), (4, 1, 3, 2), (4,)
inputs = tuple(tensor(a, requires_grad=True) for a in drawn(*shapes))
options = {"stride": 2, "padding": 1, "dilation": (1, 2), "groups": 2}
convolved = lambda *inputs: conv2d(*inputs, **options)
print("gradients equal differences:", gradcheck(convolved, inputs))
print("and so do their gradients:  ", gradgradcheck(convolved, inputs))


# %% [markdown]
# ### How far a unit sees
#
# Gradients show what a network looks at. A unit after two layers of 3 x 3 looks at 3 x 3 units, each of which looks at
# 3 x 3 pixels: 5 x 5 in all, its *receptive field*. In general, for layers with kernels $k_l$ and strides $s_l$,
#
# $$R = 1 + \sum_l (k_l - 1) \prod_{m < l} s_m$$
#
# The gradient of one unit with respect to the image shows it, with all weights one: each pixel's slope is the number of
# paths from it to the unit.


# %%
def seen_by_the_middle_unit(layers, side=33):
    """The image's gradient of the middle output of 3x3 layers, given by their strides."""
    image = zeros(1, 1, side, side, requires_grad=True)
    output = image
    for stride in layers:
        output = conv2d(output, ones(1, 1, 3, 3), stride=stride, padding=1)
    output[0, 0, output.shape[2] // 2, output.shape[3] // 2].backward()
    return image.grad.numpy()[0, 0]


figure, axes = plt.subplots(1, 4, figsize=(9, 2.6), layout="constrained")
for axis, layers in zip(axes, ([1], [1] * 3, [1] * 8, [2, 2, 2])):
    slope = seen_by_the_middle_unit(layers)
    reach = 1 + sum(2 * math.prod(layers[:number]) for number in range(len(layers)))
    axis.imshow(slope / slope.max(), cmap="magma")
    axis.set_title(f"strides {layers}" if len(layers) < 4 else "8 layers of stride 1", size=9)
    axis.set_xlabel(f"sees {reach} x {reach}", size=9)
    axis.set(xticks=[], yticks=[])


# %% [markdown]
# Eight layers see 17 x 17 pixels, but not all equally: there are many paths from the middle and only one from each
# corner, so the field has a soft edge. Strides let it grow by factors: three layers of stride 2 see as far as seven of
# stride 1. This is one reason why networks halve their images every few layers, by a stride or by pooling.
#
# ## 4. Pooling
#
# Once a filter has found a stroke, its exact pixel matters little. *Max pooling* keeps only the largest number of each
# window, usually with a window of 2 x 2 that moves on by 2: a quarter of the numbers remain, and a digit that is
# shifted by a pixel gives nearly the same ones.
#
# For each position of the window there is a slice of the image; the output is the elementwise maximum of the slices.
# There are two traps. The padding must not win, so it is filled with $-\infty$ in place of zeros, by `padded_for_max`
# (given). And the first slice is a *view* of the image.
#
# <details><summary>Hint 1</summary><code>[around[seen] for _, _, seen in positions(window)]</code> are the slices: four
# for a window of 2 x 2.</details>
# <details><summary>Hint 2</summary><code>np.maximum(a, b, out=a)</code> puts the larger of two numbers into
# <code>a</code>, without a new array.</details>
# <details><summary>Hint 3</summary>Start from a <em>copy</em> of the first slice, or you write into the image
# itself.</details>


# %% stub="max-pool"
#| export
class MaxPool(Function):
    @staticmethod
    def forward(ctx, x, window):
        """Take the largest number that the window sees at each of its places.

        Args:
            x: images, an array (N, C, H, W).
            window: the Window that moves over them.

        Returns:
            An array (N, C, H', W') of x's type, in memory of its own; x is not changed. Where
            the window sees a NaN, the result is NaN.

        >>> window = window_over((4, 4), (2, 2), (2, 2))
        >>> MaxPool.forward(Context(), np.arange(16).reshape(1, 1, 4, 4), window)
        array([[[[ 5,  7],
                 [13, 15]]]])
        """
        around = padded_for_max(x, window)
        ### BEGIN SOLUTION
        first, *others = [around[seen] for _, _, seen in positions(window)]
        output = first.copy()
        for numbers in others:
            np.maximum(output, numbers, out=output)
        ### END SOLUTION
        ctx.save_for_backward(x, output)
        ctx.window = window
        return output

    @staticmethod
    def backward(ctx, grad):
        x, output = map(values, ctx.saved_tensors)
        if isinstance(grad, Tensor):  # for second derivatives
            arrays = np.zeros_like(x), winning_index(x, output, ctx.window), grad
            flat = [a.reshape(*x.shape[:2], math.prod(a.shape[2:])) for a in arrays]
            return call(ScatterAdd, *flat, dim=2).reshape(x.shape)
        shape = (*x.shape[:2], *with_margin(x.shape[2:], ctx.window))
        grad_x = np.zeros_like(x, shape=shape, order="C")
        overlap = any(s < d * (k - 1) + 1 for k, s, _, d, _ in zip(*ctx.window))
        for (_, _, seen), found in zip(positions(ctx.window), winners(x, output, ctx.window)):
            if overlap:
                grad_x[seen] += grad * found
            else:
                np.multiply(grad, found, out=grad_x[seen])
        return unpadded(grad_x, x.shape[2:], ctx.window)


# %% test="max-pool" points=3
def around(x, padding):
    """Images with a margin of -inf."""
    margins = ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2)
    return np.pad(x, margins, constant_values=-np.inf)


def check_max_pool(x, kernel_size, stride, padding=0, dilation=1):
    window = square_window(x.shape[2:], kernel_size, stride, padding, dilation)
    wanted = windows(around(x, padding), kernel_size, stride, 0, dilation).max((4, 5))
    found = same(lambda x: MaxPool.forward(Context(), x, window), x)
    check_shape(found, wanted, "(N, C, H', W')")
    options = f"kernel {kernel_size}, stride {stride}, padding {padding}"
    np.testing.assert_array_equal(found, wanted, err_msg=options)
    check_type(found, x.dtype, "the output")
    assert not np.shares_memory(found, x), f"{options}: the output is a view of the images"


def test_the_largest_of_each_window_is_kept():
    (x,) = drawn((2, 3, 6, 8))
    check_max_pool(x, (2, 2), 2)
    check_max_pool(x.astype(np.float32), (3, 2), 1)
    check_max_pool(x, (1, 1), 1)


def test_pooling_with_gaps():
    (x,) = drawn((1, 1, 7, 7))
    check_max_pool(x, (2, 2), 1, dilation=3)


def test_the_margin_never_wins():
    (x,) = drawn((1, 2, 5, 5))
    check_max_pool(x - 10, (3, 3), 2, padding=1)
    check_max_pool(np.full_like(x, -np.inf), (3, 3), 2, padding=1)


def test_a_nan_is_not_passed_over():
    (x,) = drawn((1, 1, 6, 6))
    x[0, 0, 1, 0] = x[0, 0, 2, 3] = x[0, 0, 5, 5] = np.nan
    check_max_pool(x, (2, 2), 2)


# %% [markdown]
# ### Where the gradient goes
# If the largest number of a window moves a little, the output moves with it; if any other does, nothing happens. So the
# whole gradient goes to the winner. If two are equally large, the function has a kink there, and any choice between
# them is valid. PyTorch gives all of it to the first, row by row, and so do you: then a gradient is never doubled.
#
# `winners` says for each position of the window at which places the maximum was found there. The given `backward` above
# multiplies the gradient with each of these masks and adds it to the slice. (`padded_below`, given, makes sure that the
# padding never equals a maximum, not even one of $-\infty$.)
#
# <details><summary>Hint 1</summary>A position has won where its slice equals the output, unless an earlier one had won
# there already.</details>
# <details><summary>Hint 2</summary>Keep a mask <code>free</code> of the places that no position has won so far; at the
# beginning all of them.</details>
# <details><summary>Hint 3</summary>Where the slice equals the output <em>and</em> the place is still free. Then remove
# these places from <code>free</code>: <code>^=</code> turns True to False, but also False to True.</details>


# %% stub="winners"
#| export
def winners(x, output, window):
    """Find for each position of a window the places at which it was the first to hold the
    maximum.

    Args:
        x: images, an array (N, C, H, W).
        output: their maxima, (N, C, H', W'), as `MaxPool` gives them.
        window: the Window that moves over the images.

    Returns:
        A list or array of boolean arrays (N, C, H', W'), one for each of `positions(window)`.
        At each place one of them is True, or none if the maximum is NaN.

    >>> x, output = np.array([[[[1.0, 3.0, 3.0]]]]), np.array([[[[3.0]]]])
    >>> [array.item() for array in winners(x, output, window_over((1, 3), (1, 3)))]
    [False, True, False]
    """
    x, output = padded_below(x, output, window)
    ### BEGIN SOLUTION
    found, free = [], np.ones_like(output, dtype=bool)
    for _, _, seen in positions(window):
        here = (x[seen] == output) & free
        free ^= here
        found.append(here)
    return found
    ### END SOLUTION


# %% test="winners" points=4
def check_winners(x, kernel_size, stride, padding=0):
    window = square_window(x.shape[2:], kernel_size, stride, padding)
    seen = windows(around(x, padding), kernel_size, stride)
    seen = seen.reshape(*seen.shape[:4], -1)
    wanted = np.moveaxis(np.eye(seen.shape[-1], dtype=bool)[seen.argmax(-1)], -1, 0)
    found = same(lambda x, maxima: winners(x, maxima, window), x, seen.max(-1))
    count = f"a window of {kernel_size} has {len(wanted)} positions, not {len(found)}"
    assert len(found) == len(wanted), count
    for position, (mask, right) in enumerate(zip(found, wanted)):
        message = f"kernel {kernel_size}: where position {position} has won"
        np.testing.assert_array_equal(mask, right, err_msg=message)
        check_type(mask, bool, f"the array of position {position}")


def test_a_maximum_that_is_nan_has_no_winner():
    x = np.float32([[[[1, np.nan, 2, 3], [4, 5, 6, 7]]]])
    found = winners(x, np.float32([[[[np.nan, 7]]]]), square_window((2, 4), (2, 2), 2))
    won = sum(mask.astype(int) for mask in found)[0, 0, 0].tolist()
    assert won == [0, 1], f"maxima NaN and 7: none and one of the positions win, not {won}"


def test_the_largest_wins():
    (x,) = drawn((2, 3, 6, 6))
    check_winners(x, (2, 2), 2)
    check_winners(x, (3, 2), 1)


def test_of_equals_the_first_wins():
    x, maximum = np.array([[[[3.0, 1, 3, 3]]]]), np.array([[[[3.0]]]])
    won = np.ravel(winners(x, maximum, window_over((1, 4), (1, 4)))).tolist()
    right = [True, False, False, False]
    assert won == right, f"a window of 3, 1, 3, 3: the first position alone wins, not {won}"
    x = np.random.default_rng(0).integers(0, 3, (2, 2, 6, 6)).astype(float)
    check_winners(x, (2, 2), 2)
    check_winners(1 + x / 2**30, (3, 3), 2)  # nearly equal is not equal


def test_nobody_wins_from_the_margin():
    (x,) = drawn((1, 1, 5, 5))
    check_winners(x - 10, (3, 3), 2, padding=1)


# %% [markdown]
# Your two functions are all that `max_pool1d` and `max_pool2d` need. With `return_indices` they also say where each
# maximum was found.


# %%
#| export
from tinytorch.given.conv.max_pooling import *


# %% [markdown]
# ## 5. Batch normalisation
#
# In a deep network every layer depends on the one below, and all layers change at once. If the numbers of one layer
# double, the next layer sees inputs it has never seen. *Batch normalisation* (Ioffe and Szegedy, 2015) normalises each
# channel to mean zero and variance one, over all images of the batch and all places, and then lets the network learn a
# scale and a shift:
#
# $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}, \qquad y = \gamma\, \hat x + \beta$$
#
# with one $\mu$, $\sigma^2$, $\gamma$ and $\beta$ for each channel.
#
# There is a catch. The output for one image depends on the others in its batch. When the network is used, there may be
# no others. So in training it keeps *running statistics*, which follow the batches' means and variances slowly, and in
# evaluation it uses those:
#
# $$\text{running} \leftarrow (1 - m)\,\text{running} + m \cdot \text{batch's}, \qquad m = 0.1$$
#
# One detail is easy to get wrong: the batch is normalised with its own variance, $\frac1n \sum (x - \mu)^2$, but the
# running variance is meant for other images, so it follows the unbiased estimate, $\frac{1}{n-1} \sum (x - \mu)^2$.
# Here $n$ is how many numbers a channel has: images times places.
#
# The next cell is given: `moments` computes the mean and the (biased) variance of each channel, for (N, C) as for (N,
# C, H, W), in the shape (1, C, 1, 1), which broadcasts.


# %%
#| export
def moments(x):
    """The mean of each channel and its variance about it, arrays or Tensors (1, C, 1...)."""
    axes = (0, *range(2, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    deviation = x - mean
    return mean, (deviation * deviation).mean(axis=axes, keepdims=True)


# %% [markdown]
# <details><summary>Hint 1</summary>The running statistics are arrays (C,) that have to be changed in place: move each
# by <code>momentum</code> of the difference from it to the batch's.</details>
# <details><summary>Hint 2</summary>The unbiased variance is the biased one times n / (n - 1), where n is how many
# numbers of the batch belong to one channel.</details>
# <details><summary>Hint 3</summary>Weight and bias have the shape (C,), and <code>shape</code> makes them broadcast. It
# is cheaper to multiply each channel's scale by its weight first than to multiply all numbers twice.</details>


# %% stub="batch-norm"
#| export
class BatchNorm(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, running, momentum, eps):
        """Give each channel mean 0 and variance 1 over the batch, then scale and shift it.

        Args:
            x: an array (N, C, ...) with at least two numbers for each channel.
            weight, bias: arrays (C,), or None.
            running: None, or a tuple of arrays (C,), the running mean and variance. They are
                changed in place: each moves by `momentum` of the way to the batch's mean
                and to its unbiased variance.
            momentum: how far they move, between 0 and 1.
            eps: added to the variance.

        Returns:
            An array of x's shape and type; x is not changed, nor are `mean` and `var`, which
            backward needs.

        >>> x = np.array([[1.0], [3.0]])
        >>> BatchNorm.forward(Context(), x, None, np.array([5.0]), None, 0.1, 0.0)
        array([[4.],
               [6.]])
        """
        mean, var = moments(x)
        shape = mean.shape
        ctx.save_for_backward(x, weight, mean, var)
        ctx.eps = eps
        ### BEGIN SOLUTION
        if running is not None:
            running_mean, running_var = running
            count = x.size // x.shape[1]
            running_mean += momentum * (mean.reshape(-1) - running_mean)
            running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        scale = 1 / np.sqrt(var + eps)
        if weight is not None:
            scale = scale * weight.reshape(shape)
        output = x - mean
        output *= scale
        if bias is not None:
            output += bias.reshape(shape)
        return output
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        x, weight, mean, var = ctx.saved_tensors
        if isinstance(x, Tensor):  # for second derivatives, which pass through them
            mean, var = moments(x)
        scale = 1 / np.sqrt(var + ctx.eps)
        normal = (x - mean) * scale
        if weight is not None:
            scale = scale * weight.reshape(var.shape)
        grads = batch_norm_gradient(grad, normal, scale)
        return tuple([g if need else None for g, need in zip(grads, ctx.needs_input_grad)])


# %% test="batch-norm" points=6
def normalised(x, eps):
    """Each channel normalised by itself."""
    output = np.empty_like(x)
    for channel in range(x.shape[1]):
        numbers = x[:, channel]
        output[:, channel] = (numbers - numbers.mean()) / np.sqrt(numbers.var() + eps)
    return output


def normalise(x, weight=None, bias=None, running=None, momentum=0.1, eps=1e-5):
    forward = BatchNorm.forward
    call = lambda x, weight, bias: forward(Context(), x, weight, bias, running, momentum, eps)
    return same(call, x, weight, bias)


def test_each_channel_is_normalised_over_images_and_places():
    (x,) = drawn((4, 3, 2, 5))
    x = 3 * x + np.arange(3).reshape(3, 1, 1)
    wanted = normalised(x, 1e-3)
    check_close(normalise(x, eps=1e-3), wanted, "mean 0, variance 1 by channel")


def test_rows_are_normalised_too_and_eps_is_added_to_the_variance():
    (x,) = drawn((5, 2))
    wanted = normalised(x, 2.0)
    check_close(normalise(x, eps=2.0), wanted, "eps is 2")


def test_each_channel_has_its_scale_and_shift():
    x, weight, bias = drawn((3, 4, 4, 4), (4,), (4,))  # as many channels as columns
    plain, scale, shift = normalised(x, 1e-5), weight[:, None, None], bias[:, None, None]
    check_close(normalise(x, weight, bias), plain * scale + shift, "a weight and a bias")
    check_close(normalise(x, weight), plain * scale, "a weight alone")
    check_close(normalise(x, bias=bias), plain + shift, "a bias alone")


def test_running_statistics_move_by_the_momentum():
    for shape, momentum in [((4, 2, 3), 0.25), ((5, 2), 0.9), ((3, 2, 2, 2), 1.0)]:
        (x,) = drawn(shape)
        mean, var = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        axes = 0, *range(2, len(shape))
        wanted_mean = (1 - momentum) * mean + momentum * x.mean(axes)
        wanted_var = (1 - momentum) * var + momentum * x.var(axes, ddof=1)
        ctx, wanted = Context(), normalised(x, 1e-5)
        found = BatchNorm.forward(ctx, x, None, None, (mean, var), momentum, 1e-5)
        about = f"shape {shape}, momentum {momentum}: the running"
        check_close(mean, wanted_mean, f"{about} mean, changed in place")
        check_close(var, wanted_var, f"{about} variance, which follows the unbiased one")
        check_close(found, wanted, "with running statistics: the batch, by its own ones")
        for at, name, kept in ((2, "mean", x.mean(axes)), (3, "var", x.var(axes))):
            about = f"{name}, saved for backward, is not to be changed"
            check_close(ctx.saved_tensors[at].reshape(-1), kept, about)


def test_a_normalised_batch_stays_float32():
    (x,), ones32 = drawn((4, 2, 3)), np.ones(2, np.float32)
    found = normalise(x.astype(np.float32), ones32, ones32, (0 * ones32, 1 * ones32))
    check_type(found, np.float32, "a normalised batch of float32")


# %% [markdown]
# ### Its gradient
# This derivation is yours; it takes a page. The gradients of $\gamma$ and $\beta$ are short: $y_i = \gamma \hat x_i +
# \beta$ for all $n$ numbers of a channel, so each is a sum over them.
#
# For $x$, note that $\mu$ and $\sigma$ depend on all the $x$ of the channel. Changing one $x_j$ changes its own
# $\hat x_j$, and, through the mean and the variance, all the others a little. So find
# $\partial \hat x_i / \partial x_j$, insert it into
# $\bar x_j = \sum_i \gamma\, \bar y_i\, \partial \hat x_i / \partial x_j$, and simplify until only sums over the
# whole channel are left; you will have computed them already.
#
# You can check the result without a test. Shifting a whole channel does not change $\hat x$, and neither does scaling
# it (with $\varepsilon = 0$), so a step along the gradient must neither shift the channel nor scale it: it is
# orthogonal to a constant, and to $\hat x$.
#
# <details><summary>Hint 1</summary>Three small derivatives with respect to x[j]: of the mean, which is 1/n; of the
# variance, the mean of (x[i] - mean)²; and of 1/sqrt(var + eps). In the second, the sum of all deviations is 0, which
# removes a term. Write d(i, j) for 1 where i = j, else 0, and s for sqrt(var + eps).</details>
# <details><summary>Hint 2</summary>The product rule gives for normal[i]: slope = (d(i, j) - 1/n - normal[i]
# normal[j] / n) / s. Multiply by weight times grad[i] and sum over i. The first term leaves grad[j] alone; the others
# are sums over the channel, and those two are the gradients of bias and weight.</details>
# <details><summary>Hint 3</summary>With g for a gradient and a mean over the n numbers of a channel: g(weight) = sum of
# g(y) normal, g(bias) = sum of g(y), g(x) = weight / s · (g(y) - mean of g(y) - normal · mean of g(y) normal). Keep the
# reduced dimensions so that the sums broadcast; weight and bias have one dimension.</details>


# %% stub="batch-norm-gradient"
#| export
def batch_norm_gradient(grad, normal, scale):
    """Compute the gradients of x, weight and bias, where the output is weight * normal + bias.

    Args:
        grad: the gradient of the output, (N, C, ...), an array or a Tensor: use operators and
            methods that both have.
        normal: x normalised, of the same shape: (x - mean) / sqrt(var + eps).
        scale: weight / sqrt(var + eps), (1, C, 1...).

    Returns:
        The gradients of x, of grad's shape, and of weight and bias, both (C,).

    >>> normal, scale = np.array([[-1.0], [1.0]]), np.array([[0.5]])
    >>> batch_norm_gradient(np.array([[2.0], [4.0]]), normal, scale)
    (array([[0.],
           [0.]]), array([2.]), array([6.]))
    """
    axes, count = (0, *range(2, grad.ndim)), math.prod(grad.shape) // grad.shape[1]
    ### BEGIN SOLUTION
    grad_weight = (grad * normal).sum(axis=axes, keepdims=True)
    grad_bias = grad.sum(axis=axes, keepdims=True)
    grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
    return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
    ### END SOLUTION


# %% test="batch-norm-gradient" points=6
def check_batch_norm_gradient(shape, eps):
    """Compare with central differences of a weighted sum of the output."""
    x, grad, weight, bias = drawn(shape, shape, shape[1:2], shape[1:2])
    by_channel = (1, -1) + (1,) * (len(shape) - 2)

    def loss():
        scaled = normalised(x, eps) * weight.reshape(by_channel)
        return (grad * (scaled + bias.reshape(by_channel))).sum()

    axes = (0, *range(2, len(shape)))
    deviation = np.sqrt(x.var(axes, keepdims=True) + eps)
    normal = (x - x.mean(axes, keepdims=True)) / deviation
    scale = weight.reshape(by_channel) / deviation
    by_difference = [differences(loss, array) for array in (x, weight, bias)]
    from_arrays = same(batch_norm_gradient, grad, normal, scale)
    of_tensors = batch_norm_gradient(*map(wrap, (grad, normal, scale)))
    kinds = [type(gradient).__name__ for gradient in of_tensors]
    assert kinds == ["Tensor"] * 3, f"from Tensors, three Tensors are to come, not {kinds}"
    from_tensors = [gradient.numpy() for gradient in of_tensors]
    for kind, found in (("arrays", from_arrays), ("Tensors", from_tensors)):
        for name, gradient, wanted in zip(("x", "weight", "bias"), found, by_difference):
            message = f"{shape}, {kind}: the gradient of {name}"
            check_shape(gradient, wanted, message)
            np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-7, err_msg=message)


def differences(function, array, eps=1e-6):
    """How a number changes with each element of an array, by two calls for each."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        sides = []
        for array[position] in (value + eps, value - eps):
            sides.append(function())
        array[position], slopes[position] = value, (sides[0] - sides[1]) / (2 * eps)
    return slopes


def test_the_gradient_of_normalised_images():
    check_batch_norm_gradient((3, 2, 2, 2), 1e-9)


def test_the_gradient_of_normalised_rows():
    check_batch_norm_gradient((5, 3), 1e-9)
    check_batch_norm_gradient((4, 1), 1e-9)


def test_gradients_stay_float32():
    arrays = [a.astype(np.float32) for a in drawn((4, 3, 2), (4, 3, 2), (1, 3, 1))]
    for name, found in zip(("x", "weight", "bias"), batch_norm_gradient(*arrays)):
        check_type(found, np.float32, f"the gradient of {name}")


def test_what_only_shifts_or_stretches_a_channel_is_taken_away():
    normal = normalised(drawn((6, 2))[0], 0.0)
    grads = batch_norm_gradient(3 + 2 * normal, normal, np.ones((1, 2)))
    check_close(grads[0], 0, "normalisation undoes every shift and every scaling")
    check_close(grads[1], [12, 12], "the gradient of the weight")
    check_close(grads[2], [18, 18], "the gradient of the bias")


# %% [markdown]
# `batch_norm` calls your class in training. In evaluation the statistics are constants, so it is one multiplication and
# one addition.


# %%
#| export
from tinytorch.given.conv.normalization import *


# %%
inputs = tuple(tensor(a, requires_grad=True) for a in drawn((3, 2, 2, 2), (2,), (2,)))
trained = lambda x, w, b: batch_norm(x, None, None, w, b, training=True)
print(gradcheck(trained, inputs), gradgradcheck(trained, inputs))


# %% [markdown]
# ## 6. The backward as an operation
#
# A convolution with stride 2 halves an image. Which layer doubles one? Networks that generate images, or that classify
# every pixel, need such a layer. You have it already. Flatten images and outputs, and a convolution is a matrix $M$, so
# its gradient is $M^\top$: it turns something of the output's size into something of the image's size, spreading each
# number over a window. Used as a forward, it is called a *transposed convolution*.


# %%
def as_matrix(function, size):
    """The matrix of a linear function of images: its output for each single pixel."""
    pixels = np.eye(math.prod(size)).reshape(-1, 1, *size)
    return function(tensor(pixels)).numpy().reshape(len(pixels), -1).T


kernel = tensor(drawn((1, 1, 3, 3))[0])
M = as_matrix(lambda x: conv2d(x, kernel, stride=2, padding=1), (6, 6))
window = window_over((6, 6), (3, 3), (2, 2), (1, 1))
options = {"size": (6, 6), "window": window, "groups": 1}
back = as_matrix(lambda g: ConvolutionInput.apply(g, kernel, **options), (3, 3))
figure, axes = plt.subplots(1, 2, figsize=(9, 2.6), width_ratios=[3, 1], layout="constrained")
for axis, matrix, name in zip(axes, (M, back), ("a convolution as a matrix", "its gradient")):
    axis.imshow(matrix, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
    axis.set_title(f"{name}, {matrix.shape}", size=9)
print("one is the transpose of the other:", np.allclose(M.T, back))


# %% [markdown]
# The same nine numbers, repeated, and zeros: this picture shows the whole difference between a convolution and a linear
# layer.
#
# The rest is given: `conv_transpose2d` finds the size of the image on which a window takes as many places as its input
# has pixels, and calls your `ConvolutionInput`. With a stride of 2 images of 5 and of 6 pixels both give 3 places, so
# the size is not determined: PyTorch takes the smallest, and an *output padding* adds rows and columns at the end.


# %% [markdown]
# ## 7. Layers
#
# A layer holds the numbers that training changes, and calls the function, as you know it from module 03. `Conv2d`,
# `MaxPool2d`, `BatchNorm2d` and the others came with their functions. The weights are initialised as in PyTorch,
# uniformly within $\pm 1/\sqrt{C/G\, k_h k_w}$, in the same order, so a seed gives the same network in both.
#
# The rest of the family needs nothing new. There are transposed convolutions, means over windows, `unfold` and `fold`,
# dropout of whole channels, normalisation of groups and instances, and `interpolate`, which makes images larger or
# smaller without weights. Layers for volumes raise an error that says they are not here.


# %%
#| export
from tinytorch.given.conv.adaptive_pooling import *
from tinytorch.given.conv.average_pooling import *
from tinytorch.given.conv.channel_dropout import *
from tinytorch.given.conv.group_normalization import *
from tinytorch.given.conv.interpolation import *
from tinytorch.given.conv.unsupported import *
from tinytorch.given.conv.resampling import *
from tinytorch.given.conv.shuffling import *
from tinytorch.given.conv.transposed import *
from tinytorch.given.conv.unfolding import *
from tinytorch.given.conv.warping import *


# %% [markdown]
# ### A shortcut
# In principle more layers need not be worse: the additional ones could do nothing. In fact the plain networks of He et
# al. (2015) got worse beyond some twenty layers, even on the training set: doing nothing is hard to learn. Their
# solution makes it easy. A *residual block* adds its input to what it computes,
#
# $$y = \mathrm{relu}\big(x + f(x)\big), \qquad f = \text{bn}_2 \circ \text{conv}_2 \circ \mathrm{relu} \circ \text{bn}_1 \circ \text{conv}_1$$
#
# so doing nothing is $f = 0$. In backward, the gradient of a sum goes to both of its terms:
# $\bar x = \bar y + (\ldots)$, past all the layers of $f$, undiminished.
#
# Where the block halves the image or changes the number of channels, the shapes of $x$ and $f(x)$ differ. Then the
# shortcut has a `downsample`, a 1 x 1 convolution of the same stride with its own normalisation.
#
# Which options do the two convolutions need? Both look at 3 x 3 pixels, and only the first may shrink the image. With
# the right padding they keep the size otherwise. And neither needs a bias: the normalisation behind it would subtract
# it again.
#
# <details><summary>Hint 1</summary>The first convolution goes from <code>inplanes</code> to <code>planes</code>
# channels and has the stride; the second goes from <code>planes</code> to <code>planes</code>.</details>
# <details><summary>Hint 2</summary>Forward, begin with the shortcut: <code>x</code> itself, or
# <code>self.downsample(x)</code> if there is one.</details>
# <details><summary>Hint 3</summary>There is no relu after the second normalisation: add the shortcut first, then apply
# relu to the sum.</details>


# %% stub="basic-block"
#| export
class BasicBlock(Module):
    """Two convolutions, and the input added to their output (He et al., 2015).

    Its layers are conv1, bn1, conv2 and bn2, made in this order; `downsample` is kept too.
    The input is not changed.

    Args:
        inplanes: channels of the input.
        planes: channels of the output.
        stride: by how much the image shrinks.
        downsample: a module that makes the input fit the output, or None if it does.
    """

    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.relu = ReLU()
        ### BEGIN SOLUTION
        self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        self.bn1 = BatchNorm2d(planes)
        self.conv2 = Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = BatchNorm2d(planes)
        self.downsample = downsample
        ### END SOLUTION

    def forward(self, x):
        """From (N, inplanes, H, W) to (N, planes, H / stride, W / stride), rounded up."""
        ### BEGIN SOLUTION
        shortcut = x if self.downsample is None else self.downsample(x)
        output = self.relu(self.bn1(self.conv1(x)))
        output = self.bn2(self.conv2(output))
        return self.relu(output + shortcut)
        ### END SOLUTION


# %% test="basic-block" points=5
def block_by_numpy(block, x, shortcut, stride=1):
    """What a new block computes in training, and the means that its normalisations take."""
    first, second = (conv.weight.detach().numpy() for conv in (block.conv1, block.conv2))
    first = correlated(x, first, None, stride, 1)
    second = correlated(np.maximum(normalised(first, 1e-5), 0), second, None, 1, 1)
    means = [output.mean((0, 2, 3)) for output in (first, second)]
    return np.maximum(normalised(second, 1e-5) + shortcut, 0), means


def check_block(block, x, wanted, about):
    first = block.conv1(wrap(x))
    sizes = [tuple(output.shape) for output in (first, block.conv2(first))]
    assert sizes == [wanted.shape] * 2, (
        f"{about}: conv1 makes {wanted.shape} of {x.shape}, and conv2 keeps this; not {sizes}"
    )
    found = same(lambda x: block(wrap(x)).detach().numpy(), x)
    check_shape(found, wanted, about)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=about)


def test_a_block_has_torchvisions_parameters():
    shapes = {name: tuple(p.shape) for name, p in BasicBlock(2, 4, 2).named_parameters()}
    wanted = {"conv1.weight": (4, 2, 3, 3), "bn1.weight": (4,), "bn1.bias": (4,)}
    wanted |= {"conv2.weight": (4, 4, 3, 3), "bn2.weight": (4,), "bn2.bias": (4,)}
    assert list(shapes.items()) == list(wanted.items()), (
        f"BasicBlock(2, 4, 2) has the parameters {wanted}, in this order; not {shapes}"
    )


def test_the_input_is_added_before_the_last_relu():
    manual_seed(0)
    block = BasicBlock(3, 3)
    x = 1 + np.random.default_rng(0).standard_normal((2, 3, 5, 5), dtype=np.float32)
    wanted, means = block_by_numpy(block, x, x)
    check_block(block, x, wanted, "in training: relu of x and what the layers make of it")
    running = [bn.running_mean.numpy() for bn in (block.bn1, block.bn2)]
    about = "running means of bn1 and bn2: tenths of the means of conv1's and conv2's output"
    np.testing.assert_allclose(running, np.divide(means, 10), 1e-4, 1e-5, err_msg=about)


def test_the_downsample_stands_in_the_shortcut():
    for inplanes, planes, stride in ((3, 3, 2), (2, 4, 1)):
        manual_seed(0)
        shortcut = Conv2d(inplanes, planes, 1, stride=stride, bias=False)
        block = BasicBlock(inplanes, planes, stride, shortcut)
        x = np.float32(drawn((1, inplanes, 6, 7))[0])
        beside = correlated(x, shortcut.weight.detach().numpy(), stride=stride)
        about = f"BasicBlock({inplanes}, {planes}, {stride}) with a downsample"
        check_block(block, x, block_by_numpy(block, x, beside, stride)[0], about)


def test_a_block_of_zeros_does_nothing():
    block = BasicBlock(2, 2).eval()
    with no_grad():
        block.conv2.weight.zero_()
    x, grad = (np.float32(abs(array)) for array in drawn((1, 2, 3, 3), (1, 2, 3, 3)))
    check_block(block, x, x, "with f = 0, what is positive passes unchanged")
    inputs = tensor(x, requires_grad=True)
    block(inputs).backward(tensor(grad))
    check_close(inputs.grad.numpy(), grad, "with f = 0, so does the gradient")


# %% [markdown]
# The effect of the shortcut on the gradient is visible before any training. Stack forty layers, or forty blocks, pass
# in a random gradient at the top, and measure what reaches the filters of each.
#
# **Predict:** normalisation keeps the activations of all forty layers at variance 1. How large is then the first
# layer's gradient, compared with the last layer's: 0.001 times, 1 time, 1,000 times?


# %%
predicted_gradient = None  # first layer's over last layer's, with normalisation


# %%
def arriving(layers):
    """The size of the gradient of each layer's filters, from the first layer to the last."""
    output = randn(8, 8, 8, 8)
    for layer in layers:
        output = layer(output)
    output.backward(randn(*output.shape))
    return [next(layer.parameters()).grad.norm().item() for layer in layers]


filters = lambda: Conv2d(8, 8, 3, padding=1)
stacks = {
    "conv, relu": lambda: Sequential(filters(), ReLU()),
    "conv, batch norm, relu": lambda: Sequential(filters(), BatchNorm2d(8), ReLU()),
    "residual block": lambda: BasicBlock(8, 8),
}
figure, axis = plt.subplots(figsize=(6, 2.8), layout="constrained")
axis.set(xlabel="layer", ylabel="gradient of its filters")
ratios = {}
for name, layer in stacks.items():
    manual_seed(0)
    sizes = arriving([layer() for _ in range(40)])
    axis.semilogy(sizes, label=name)
    ratios[name] = sizes[0] / sizes[-1]
    print(f"{name:24} first layer's gradient over the last's: {ratios[name]:8.1g}")
legend = axis.legend()
compare(predicted_gradient, ratios["conv, batch norm, relu"], "times")


# %% [markdown]
# Without normalisation almost nothing is left of the gradient after forty layers, and the first ones would hardly
# learn. With normalisation the gradient arrives, but much larger at the bottom than at the top. The shortcut removes
# most of that growth too.
#
# `ResNet` (given) stacks such blocks. With four stages of two blocks and the default width it is ResNet-18, and can
# load torchvision's weights: its parameters have the same names.


# %%
#| export
from tinytorch.given.conv.residual import *


# %% [markdown]
# ## 8. LeNet
#
# The network that banks used in 1998 to read cheques. Two convolutions of 5 x 5, each with a max pool, then three
# linear layers. (The original averaged where we take the maximum, and its activation was a tanh.)
#
# ```
#     image 1 x 28 x 28
#       conv 5x5, padding 2   6 x 28 x 28      pool    6 x 14 x 14
#       conv 5x5             16 x 10 x 10      pool   16 x 5 x 5  =  400 numbers
#       linear 120, linear 84, linear 10
# ```


# %%
#| export
class LeNet(Module):
    """Two convolutions with pooling, then three linear layers (LeCun et al., 1998).

    The first convolution keeps the size of the image, by a padding of two pixels; the second
    has no padding, or keeps the size of small images.

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
# Train it on the digits, each shifted at random by up to a pixel every time it is seen. A few seconds are enough here;
# the milestone `lenet` takes longer and gets further.


# %%
manual_seed(0)
net, epochs = LeNet(image_size=8), 12
loader = DataLoader(Digits(transform=RandomCrop(8, padding=1)), batch_size=64, shuffle=True)
optimizer = AdamW(net.parameters(), lr=0.01, weight_decay=0.05)
schedule = OneCycleLR(optimizer, 0.01, epochs=epochs, steps_per_epoch=len(loader))
start = time.perf_counter()
for _ in range(epochs):
    for batch, wanted in loader:
        optimizer.zero_grad()
        loss = cross_entropy(net(batch), wanted)
        loss.backward()
        optimizer.step()
        schedule.step()
count = sum(p.numel() for p in net.parameters())
print(f"{time.perf_counter() - start:.1f} s, {count:,} weights")
net.eval()
with no_grad():
    for pixels in range(3):
        said = net(wrap(moved(unseen, pixels))).argmax(1).numpy()
        print(f"moved by {pixels} pixels: {(said == unseen_labels).mean():.0%} right")


# %% [markdown]
# Compare with the linear classifier at the beginning. The network has seen shifts by one pixel in training, but never
# by two.
#
# What has it found? The first row shows the six filters of the first layer, and they look like noise: of 25 weights for
# patches of a blurred digit many hardly matter. To see what they respond to, take all patches of 5 x 5 pixels in the
# training images, and of these the hundred for which a filter has the largest output: the second row shows their means.
# Below is the filters' output for a digit, after the ReLU: each *feature map* lights up where the image has such a
# patch. Last, a few of the second layer's sixteen.


# %%
with no_grad():
    answers = net.conv1(wrap(images)).numpy().transpose(1, 0, 2, 3).reshape(6, -1)
    first = net.relu(net.conv1(wrap(digit)))
    second = net.relu(net.conv2(net.pool(first)))
columns = im2col(images, window_over(images.shape[2:], (5, 5), padding=(2, 2)))
pieces = columns.transpose(0, 4, 5, 1, 2, 3).reshape(-1, 5, 5)
liked = [pieces[np.argpartition(each, -100)[-100:]].mean(axis=0) for each in answers]
filters = net.conv1.weight.detach().numpy()[:, 0]
rows = {
    "filters": (filters, {"cmap": "RdBu_r", "vmin": -1, "vmax": 1}),
    "look for": (liked, {"cmap": "gray_r", "vmin": 0}),
    "first layer": (first.numpy()[0], {"cmap": "magma"}),
    "second layer": (second.numpy()[0], {"cmap": "magma"}),
}
figure, axes = plt.subplots(4, 7, figsize=(9, 5.4), layout="constrained")
for line, (name, (maps, options)) in zip(axes, rows.items()):
    line[0].imshow(digit[0, 0], cmap="gray_r")
    line[0].set_ylabel(name, size=9)
    for axis, picture in zip(line[1:], maps):
        axis.imshow(picture, **options)
    for axis in line:
        axis.set(xticks=[], yticks=[])


# %% [markdown]
# The network was not told what a stroke is. Even so, the second row shows ends, edges and lines in several directions.
#
# ## Systems: what a convolution costs
#
# ### Operations
# Each number of the output takes $C/G \cdot k_h k_w$ multiplications and as many additions. For a batch of $N$ that is
#
# $$2\, N \cdot O \cdot H' W' \cdot \frac{C}{G}\, k_h k_w$$
#
# operations forward, and twice that backward: one such product for each gradient.
#
# This adds up even for small images: where a linear layer uses each weight once per image, a convolution uses it $H'W'$
# times. Some layers of ResNet-18 on one photograph, then LeNet on one digit:


# %%
def operations_of(channels, filters, kernel, side, groups=1):
    """Operations of a convolution forward, for one image with outputs of side x side."""
    return 2 * filters * side * side * channels // groups * kernel * kernel


table = {
    "ResNet-18, 7x7, 3 to 64, 112 x 112": (3, 64, 7, 112),
    "ResNet-18, 3x3, 64 to 64, 56 x 56": (64, 64, 3, 56),
    "ResNet-18, 3x3, 512 to 512, 7 x 7": (512, 512, 3, 7),
    "LeNet, 5x5, 1 to 6, 28 x 28": (1, 6, 5, 28),
    "LeNet, 5x5, 6 to 16, 10 x 10": (6, 16, 5, 10),
}
for name, (channels, filters, kernel, _) in table.items():
    weights, millions = filters * channels * kernel**2, operations_of(*table[name]) / 1e6
    print(f"{name:36} {millions:7.1f} million operations, {weights:9,} weights")


# %% [markdown]
# The second and the third line cost the same: an eighth of the side, eight times the channels. The images are at the
# beginning of a network, and the weights at its end.
#
# How many of these operations are done per second? Compare with a plain matrix product on this machine.


# %%
a = np.ones((1024, 1024), np.float32)
peak = 2 * 1024**3 / best_of(lambda: a @ a) / 1e9
print(f"matrix product 1024^3                  {peak:7.1f} billion operations a second")
for shape in [(3, 16, 3, 32), (16, 32, 3, 32), (64, 64, 3, 16), (64, 64, 1, 16)]:
    channels, filters, kernel, side = shape
    images = randn(16, channels, side, side)
    layer = Conv2d(channels, filters, kernel, padding=kernel // 2)
    with no_grad():
        seconds = best_of(lambda layer=layer, images=images: layer(images))
    rate = 16 * operations_of(*shape) / seconds / 1e9
    name = f"conv {kernel}x{kernel}, {channels:2} to {filters:2}, 16 images {side} x {side}"
    print(f"{name} {rate:10.1f}")


# %% [markdown]
# With many channels the product dominates, and the rate comes closer to that of the plain product. With three channels
# there are few multiplications for each number that is copied, and the copies take a larger part of the time.
#
# ### Bytes
# The columns are $k_h k_w$ times as large as the images. For the whole batch at once, as in `unfold`, they fill the
# memory. In blocks, they are only as large as a block. Measure the largest amount of memory that each way takes, beyond
# its input.


# %%
images, layer = randn(64, 16, 32, 32), Conv2d(16, 32, 3, padding=1)
window = window_over((32, 32), (3, 3), (1, 1), (1, 1))
pixels, weight = images.numpy(), layer.weight.detach().numpy().reshape(32, -1)
ways = {
    "all columns at once": lambda: weight @ im2col(pixels, window).reshape(64, 144, -1),
    "block by block": lambda: layer(images),
}
print(f"images {images.nbytes / 1e6:.1f} MB, output {64 * 32 * 32 * 32 * 4 / 1e6:.1f} MB")
with no_grad():
    for name, run in ways.items():
        tracemalloc.start()
        run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"{name:20} {peak / 1e6:6.1f} MB, {best_of(run) * 1e3:6.1f} ms")


# %% [markdown]
# The blocks need little more than the output. That need not make them slower: they do the same work, and the product
# finds its columns in the cache.
#
# ## Break it
#
# **`eval()` forgotten.** In training mode a prediction depends on the other images in the batch. Normalise an image
# together with dark ones, and with bright ones.


# %%
manual_seed(0)
model = Sequential(Conv2d(1, 4, 3), BatchNorm2d(4), ReLU())
image, others = rand(1, 1, 8, 8), ones(7, 1, 8, 8)
with no_grad():
    for mode in (True, False):
        model.train(mode)
        dim, bright = (model(cat([image, shade * others]))[0] for shade in (0.1, 0.9))
        name, largest = "training" if mode else "evaluation", (dim - bright).abs().max().item()
        print(f"{name:10} largest difference for one image: {largest:.3f}")


# %% [markdown]
# That is a large difference for outputs that are all below 8. And it is only one layer; in a deep network every
# normalisation adds its own, so an accuracy measured like this may be slightly wrong or absurd, and it changes with the
# size and the content of the batch. No error is raised, which makes it hard to find.
#
# **A batch of one.** In a batch of one row every variance is zero, and normalisation would give nothing but zeros. It
# is refused:


# %%
try:
    BatchNorm1d(3)(randn(1, 3))
except ValueError as error:
    print(error)


# %% [markdown]
# This happens at the end of an epoch, when the last batch has a single sample. The usual solution is `drop_last=True`
# of the loader.
#
# **Another image size.** Convolutions take any size. The linear layer after them does not, and its error names numbers
# that appear nowhere in your program: 400 are 16 channels of 5 x 5, from images of 28 x 28.


# %%
try:
    LeNet(image_size=28)(randn(2, 1, 32, 32))
except RuntimeError as error:
    print(error)


# %% [markdown]
# An average over all places before the linear layer makes a network independent of the size: that is what
# `AdaptiveAvgPool2d(1)` does in the ResNet.
#
# ## In PyTorch
#
# ```python
# net = torch.nn.Sequential(
#     torch.nn.Conv2d(1, 6, 5, padding=2), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
#     torch.nn.Conv2d(6, 16, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
#     torch.nn.Flatten(), torch.nn.Linear(400, 10),
# )
# columns = torch.nn.functional.unfold(images, 3, padding=1)      # your im2col
# torchvision.models.resnet18(weights=...).state_dict()           # your ResNet(BasicBlock, [2, 2, 2, 2]) loads it
# ```
#
# PyTorch has several convolutions and chooses one by the shapes: oneDNN on processors, cuDNN on GPUs. cuDNN's
# *implicit* products do not store the columns, but gather them while they multiply; for 3 x 3 filters there is
# Winograd's algorithm, which in tiles of 2 x 2 needs 2.25 times fewer multiplications.
#
# ## Questions to think about
#
# 1. Two layers of 3 x 3 see as far as one of 5 x 5. With C channels in and out, which has fewer weights, and which
#    costs fewer operations?
#
#    <details><summary>Answer</summary>
#
#    The two layers have $2 \cdot 9\, C^2 = 18\, C^2$ weights, the one has $25\, C^2$: 28 % fewer. With padding, so that
#    all outputs have the same size, each weight is used once at each place, so the operations fall by the same 28 %.
#    For 64 channels these are 73,728 weights in place of 102,400. The two layers have one more advantage, a ReLU
#    between them, without which they would be one linear map, a 5 x 5 filter of a restricted kind. They pay with
#    memory: the images between them are kept for backward. The networks of VGG are built on this exchange.
#
#    </details>
#
# 2. A 1 x 1 convolution looks at one pixel. What is it good for? What does `im2col` do for it that is not necessary?
#
#    <details><summary>Answer</summary>
#
#    It is a linear layer that is applied to the channels of every pixel: it mixes channels, and makes more or fewer of
#    them, for $C \cdot O$ weights. ResNets use it where a shortcut must change its number of channels, and deeper ones
#    to work with few channels in the expensive 3 x 3 layer. With stride 1 and no padding its columns are the images, so
#    `im2col` is only a copy; a view would do. The 1 x 1 layer still had the best of the four rates in the table here,
#    because it copies each pixel once, not nine times.
#
#    ```python
#    x = randn(2, 3, 5, 5).numpy()
#    print(np.array_equal(im2col(x, window_over((5, 5), (1, 1))).reshape(x.shape), x))
#    ```
#
#    </details>
#
# 3. With `groups` equal to the number of channels, followed by a 1 x 1 convolution, the operations fall by nearly
#    $k^2$. Why does the time fall less? (Look at the rates that you have measured.)
#
#    <details><summary>Answer</summary>
#
#    Per place, $9\, C^2$ multiplications become $9\, C + C^2$: for 64 channels 7.9 times fewer. But the first of the
#    two layers still copies nine columns for each pixel, and then multiplies each copied number only once, not 64
#    times. It is limited by memory, not by arithmetic, and its matrix products have a single row, for which BLAS has
#    nothing to reuse. In three runs the time fell 2.2 to 2.8 times, and the layer with groups took four fifths or more
#    of what was left:
#
#    ```python
#    x = randn(16, 64, 16, 16)
#    full, point = Conv2d(64, 64, 3, padding=1), Conv2d(64, 64, 1)
#    by_channel = Conv2d(64, 64, 3, padding=1, groups=64)
#    with no_grad():
#        print([best_of(lambda: layer(x)) * 1e3 for layer in (full, by_channel, point)])
#    ```
#
#    </details>
#
# 4. A linear layer right after a batch normalisation in evaluation: how can the two be made one, with no normalisation
#    left? What about a convolution before it?
#
#    <details><summary>Answer</summary>
#
#    In evaluation the statistics are constants, so normalisation is $s x + t$ with $s = \gamma / \sqrt{\sigma^2 +
#    \varepsilon}$ and $t = \beta - \mu s$. A linear layer after it gives $W (s \circ x + t) + b$: scale the *columns*
#    of $W$ by $s$, and take $W t + b$ as the bias. For a convolution before it, scale each *filter* by its $s_o$; the
#    bias becomes $s_o b_o + t_o$. That is how networks are prepared for use. (The other order, normalisation before a
#    convolution with padding, does not fold exactly: the padding is 0, not $t$.)
#
#    ```python
#    conv, norm, x = Conv2d(3, 8, 3, padding=1), BatchNorm2d(8), randn(4, 3, 8, 8)
#    norm(conv(x))  # one batch, so that the running statistics are not 0 and 1
#    with no_grad():
#        wanted = norm.eval()(conv(x))
#        s = norm.weight / (norm.running_var + norm.eps) ** 0.5
#        bias = s * (conv.bias - norm.running_mean) + norm.bias
#        filters = conv.weight * s.reshape(-1, 1, 1, 1)
#        print((conv2d(x, filters, bias, padding=1) - wanted).abs().max())
#    ```
#
#    </details>
#
# 5. The columns were not saved for backward, but recomputed. When would it be better to save them?
#
#    <details><summary>Answer</summary>
#
#    When copying takes a large part of backward and there is memory to spare. Only the gradient of the filters reads
#    the columns. Here copying them took some two thirds of its time with 3 channels and 16 filters, and about a fifth
#    with 64 and 64: the more filters, the more arithmetic for each copied number. Saving costs $k_h k_w$ times the
#    images, for every layer, from forward until backward: 38 MB in place of 4 in *Bytes*. And it saves less than it
#    seems, because saved columns have to be read from main memory, while those of a block are still in the cache. So it
#    pays for small batches and few filters, rarely otherwise.
#
#    </details>
#
# 6. Is a network of convolutions really independent of the position of a digit? Shift one towards the edge and think of
#    the padding; then of the stride.
#
#    <details><summary>Answer</summary>
#
#    No. A convolution of stride 1 shifts its output with its input only where no window touches the padding. At the
#    edge, windows see zeros that are not part of the image, and from them a network can learn where it is. With stride
#    2 a shift by one pixel gives *other* sums, not shifted ones; only a shift by two shifts the output, by one. Pooling
#    does the same, so after LeNet's two pools only shifts by four pixels are exact. Last come linear layers, with a
#    weight for each place. The shifted digits at the end of section 8 show the sum of these effects.
#
#    ```python
#    layer = Conv2d(1, 1, 3, stride=2, padding=1, bias=False)
#    image = zeros(1, 1, 12, 12)
#    image[0, 0, 3:6, 3:6] = 1
#    with no_grad():
#        for pixels in (1, 2):
#            shifted = layer(wrap(moved(image.numpy(), pixels))).numpy()
#            print(pixels, np.abs(shifted - moved(layer(image).numpy(), 1)).max())
#    ```
#
#    </details>
#
# ## An open problem
#
# For 3 x 3 filters, Winograd's algorithm computes each tile of 2 x 2 outputs with 16 multiplications per channel in
# place of 36. Write it with NumPy on whole arrays, so that it agrees with the loops. Is it faster than your product,
# for 3 channels and for 64? There are no points for it.


# %%
winograd = None  # your function of images (N, C, H, W) and filters (O, C, 3, 3), stride 1


def test_winograd_gives_what_the_loops_give():
    x, weight = drawn((2, 3, 8, 6), (4, 3, 3, 3))
    np.testing.assert_allclose(winograd(x, weight), conv2d_naive(x, weight), atol=1e-9)


if winograd is not None:
    test_winograd_gives_what_the_loops_give()


# %% [markdown]
# ## To read
#
# - Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, "Gradient-based learning applied to document recognition", 1998,
#   section II: LeNet-5, and why weights are shared.
# - S. Ioffe and C. Szegedy, "Batch Normalization", 2015, section 3: the transform and its gradient, to compare with
#   yours.
# - K. He, X. Zhang, S. Ren and J. Sun, "Deep Residual Learning for Image Recognition", 2015, sections 3 and 4:
#   shortcuts with their controls.
# - A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, section 4: Winograd's tiles, for
#   the open problem.
# - V. Dumoulin and F. Visin, "A guide to convolution arithmetic for deep learning", 2016, chapters 2 and 4: sizes, and
#   transposed convolutions, in pictures.
#
# ## What comes next
#
# Images are regular: every pixel has its neighbours at the same places. Text is not regular, and it does not consist of
# numbers. Module 10 turns it into numbers.
