# %% [markdown]
# # 09 Convolution
#
# A linear layer looks at every pixel of an image with a weight of its own. Move the image by one pixel, and it is a different
# image to it. But an edge is an edge wherever it lies, and what makes an edge are a few pixels that are neighbours. A
# convolution builds both facts in: it has a few small filters, and it slides each of them over the whole image. That is a
# thousandth of the weights, and what was learned in one corner is known in all.
#
# Sliding, written as it is said, is seven nested loops, and unusable. In this module you turn the loops inside out until a
# convolution is one matrix product, and its two gradients are two others.
#
# When you are done you will be able to
#
# - compute how large the output of any convolution or pooling is, and how far into the image a unit sees;
# - write a convolution with strides, margins, gaps and groups that runs at the speed of a matrix product, and both of its
#   gradients, once and twice;
# - write max pooling and batch normalisation, and derive the gradient of the latter;
# - train LeNet on handwritten digits, and look at what it has found;
# - say what a convolution costs, in operations and in bytes, before you run it.
#
# ### Where it stands
# What you export becomes `tinytorch/conv.py`.
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `Conv1d`, `Conv2d`, `ConvTranspose1d`, `ConvTranspose2d`, and as functions | `torch.nn`, `torch.nn.functional` | no `Conv3d` |
# | `MaxPool1d`, `MaxPool2d`, `AvgPool1d`, `AvgPool2d`, `AdaptiveAvgPool2d` | `torch.nn` | a maximum that is NaN hands on no gradient |
# | `BatchNorm1d`, `BatchNorm2d`, `batch_norm` | `torch.nn` | one type for all: no float16 images with float32 weights |
# | `unfold`, `fold`, `pad`, `Dropout2d` | `torch.nn.functional`, `torch.nn` | |
# | `Window`, `positions`, `im2col`, `col2im` | inside `unfold` and `fold`, in C++ | ours |
# | `LeNet`, `BasicBlock`, `ResNet`, `resnet_small` | torchvision's `resnet18` is `ResNet(BasicBlock, [2, 2, 2, 2])` | ours, with torchvision's parameter names |
# | `conv2d_naive` | | ours: the seven loops |
#
# From this module on, an operation is written whole: its class holds `forward` and `backward`, where until now the gradient
# was registered from outside.


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
from tinytorch.tensor import (
    Function,
    ScatterAdd,
    Tensor,
    cat,
    changed,
    empty,
    ones,
    tensor,
    wrap,
    zeros,
)


# %%
import time
import tracemalloc

import matplotlib.pyplot as plt
from tinytorch.autograd import gradcheck, gradgradcheck, no_grad
from tinytorch.dataloader import DataLoader, Digits, RandomCrop
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.tensor import Context, manual_seed, rand, randn
from tinytorch.trainer import OneCycleLR


# %% [markdown]
# ## The problem: a digit that moved
#
# Take the digits of module 05, and the best linear classifier that there is in the sense of least squares: one matrix, found by
# solving and not by training. Then move the held-out digits by a pixel or two to the right. To you nothing has changed.


# %%
images, labels = (t.numpy() for t in Digits().tensors())
unseen, unseen_labels = (t.numpy() for t in Digits(train=False).tensors())


def moved(images, pixels):
    """Images moved to the right, with an empty margin on the left."""
    return np.pad(images, ((0, 0), (0, 0), (0, 0), (pixels, 0)))[..., : images.shape[-1]]


def flat(images):
    """Each image as a row, and a one for the bias."""
    return np.hstack([images.reshape(len(images), -1), np.ones((len(images), 1), np.float32)])


weights = np.linalg.lstsq(flat(images), np.eye(10, dtype=np.float32)[labels])[0]
for pixels in range(3):
    right = (flat(moved(unseen, pixels)) @ weights).argmax(1) == unseen_labels
    print(f"moved by {pixels} pixels: {right.mean():.0%} right")


# %% [markdown]
# The matrix has learned what stands in *this* pixel, and has nothing to say about the one beside it. More layers of the same
# kind do not change that. At the end of the lesson you give the same moved digits to a network with convolutions.
#
# And then there is size. A linear layer from a photograph of 224 x 224 pixels in three colours to a hidden layer just as large
# would have $150{,}528^2$ weights: 90 GB. The convolution that ResNet puts there has 9,408.
#
# ## 1. A window that slides
#
# Lay a window of 3 x 3 over the image, multiply what it shows with nine weights, add everything up, and write the sum down. Move on
# by one, and do it again. The nine weights are the *filter*, and what is written down is again an image.
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
# (Mathematicians flip the filter before they slide it, and call that a convolution; without the flip it is a *correlation*. All
# libraries for deep learning correlate, and say convolution. For weights that are learned it makes no difference.)
#
# Four numbers say how the window moves along a side:
#
# - the **stride** $s$: how far it moves on; 2 halves the image;
# - the **padding** $p$: a margin of zeros on both sides, so that the edge can be in the middle of a window;
# - the **dilation** $d$: the distance between the pixels that it looks at; 2 looks at every other one, and sees twice as far;
# - its **kernel size** $k$.
#
# Its pixels $0, d, 2d, \ldots, (k-1)d$ reach over $d(k-1) + 1$ pixels of a side that is $n + 2p$ long with its margins. How many places does it
# take? One at the beginning, and one more for every whole stride that is left. What does not make a whole stride is never looked at.
#
# <details><summary>Hint 1</summary>How many pixels remain when the window lies at the beginning? The side, less what the window reaches over.</details>
# <details><summary>Hint 2</summary><code>remaining // stride</code> more places fit, <code>//</code> being the division that rounds down.</details>
# <details><summary>Hint 3</summary><code>(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1</code></details>


# %% stub="output-size"
#| export
def output_size(size, kernel_size, stride=1, padding=0, dilation=1):
    """Count the places that a window takes along one side of an image.

    floor((size + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1

    Args:
        size: how many pixels the side has, without its margins.
        kernel_size: how many pixels the window looks at.
        stride: how far it moves on from one place to the next.
        padding: how many zeros there are on each of the two sides.
        dilation: how far apart the pixels are that it looks at.

    Returns:
        An integer; less than 1 if the window does not fit.

    >>> output_size(32, 3, padding=1), output_size(224, 7, stride=2, padding=3)
    (32, 112)
    """
    ### BEGIN SOLUTION
    reach = dilation * (kernel_size - 1) + 1
    return (size + 2 * padding - reach) // stride + 1
    ### END SOLUTION


# %% test="output-size" points=2
def places_one_by_one(size, kernel_size, stride, padding, dilation):
    """Move the window on until its last pixel is outside, and count."""
    start = count = 0
    while start + dilation * (kernel_size - 1) < size + 2 * padding:
        start, count = start + stride, count + 1
    return count


def test_a_window_takes_as_many_places_as_fit():
    for size, kernel_size, stride in [
        (5, 3, 1),
        (5, 3, 2),
        (6, 3, 2),
        (7, 7, 1),
        (9, 2, 3),
        (8, 1, 1),
    ]:
        found, wanted = (
            f(size, kernel_size, stride, 0, 1) for f in (output_size, places_one_by_one)
        )
        assert found == wanted, (
            f"{size} pixels, kernel {kernel_size}, stride {stride}: {wanted} places, not {found}"
        )


def test_margins_and_gaps_count():
    for arguments in [
        (5, 3, 1, 1, 1),
        (8, 3, 2, 2, 1),
        (9, 3, 1, 0, 2),
        (10, 4, 3, 1, 3),
        (7, 2, 2, 3, 5),
    ]:
        found, wanted = output_size(*arguments), places_one_by_one(*arguments)
        names = "size {}, kernel {}, stride {}, padding {}, dilation {}".format(*arguments)
        assert found == wanted, f"{names}: {wanted} places, not {found}"


def test_the_first_layer_of_resnet_halves_a_photograph():
    assert output_size(224, 7, stride=2, padding=3) == 112
    assert output_size(32, 3, padding=1) == 32, "a 3x3 window and a margin of 1 keep the size"


# %% [markdown]
# ### Seven loops
#
# Images come in batches, with several channels (red, green, blue), and a layer has several filters. A filter looks at all channels at
# once: it has $C \times k_h \times k_w$ weights, and makes one output channel.
#
# $$y_{n,o,r,c} = b_o + \sum_{k} \sum_{i} \sum_{j} w_{o,k,i,j} \; x_{n,\; g(o)+k,\; r s + i d,\; c s + j d}$$
#
# where $x$ already has its margin, and $g(o)$ is the first channel that filter $o$ looks at. Usually that is 0. With $G$ **groups**, channels and filters are
# cut into $G$ equal pieces, and the filters of a piece see the channels of that piece only; in the extreme, $G = C$, each channel has filters of its own.
#
# ```
#     4 channels, 6 filters, 2 groups:    filters 0 1 2 see channels 0 1,    filters 3 4 5 see channels 2 3
#     so weight is (6, 2, kh, kw), and filter o begins at channel (o // 3) * 2
# ```
#
# Write it as it stands, one number at a time: over images $n$, filters $o$, rows $r$, columns $c$, and inside over channels $k$ and the window's $i$ and
# $j$. It will be slow. It is what everything faster is tested against.
#
# <details><summary>Hint 1</summary>The outer four loops say which number of <code>output</code> is computed. Start a total there, at the bias if there is one.</details>
# <details><summary>Hint 2</summary>There are <code>filters // groups</code> filters in a group, so filter <code>o</code> is in group <code>o // (filters // groups)</code>, and each group has <code>channels</code> channels.</details>
# <details><summary>Hint 3</summary>Inside: <code>total += weight[o, k, i, j] * x[n, first + k, r * stride + i * dilation, c * stride + j * dilation]</code>.</details>


# %% stub="conv2d-naive"
#| export
def conv2d_naive(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Slide filters over images, number by number.

    y[n, o, r, c] = b[o] + sum over k, i, j of w[o, k, i, j] x[n, g(o) + k, r stride + i dilation, c stride + j dilation]

    Args:
        x: images, an array (N, C, H, W).
        weight: filters, an array (O, C/groups, kh, kw).
        bias: one number for each filter, an array (O,), or None.
        stride, padding, dilation: integers, the same for rows and columns.
        groups: into how many groups channels and filters are cut.

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
            first = (
                o // (filters // groups) * channels
            )  # the first channel of this filter's group
            for r in range(rows):
                for c in range(columns):
                    total = 0 if bias is None else bias[o]
                    for k in range(channels):
                        for i in range(height):
                            for j in range(width):
                                seen = x[
                                    n,
                                    first + k,
                                    r * stride + i * dilation,
                                    c * stride + j * dilation,
                                ]
                                total += weight[o, k, i, j] * seen
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


def drawn(*shapes, seed=0):
    """Random arrays of these shapes, float64."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def test_the_loops_sum_what_the_window_shows():
    image = np.array(
        [
            [
                [
                    [1.0, 0, 2, 0, 1],
                    [0, 1, 0, 1, 0],
                    [2, 0, 1, 0, 2],
                    [0, 1, 0, 1, 0],
                    [1, 0, 2, 0, 1],
                ]
            ]
        ]
    )
    diagonal = np.eye(3)[None, None]
    np.testing.assert_array_equal(
        conv2d_naive(image, diagonal)[0, 0],
        [[3, 0, 5], [0, 3, 0], [5, 0, 3]],
        err_msg="each number is the sum of the diagonal of a 3x3 window",
    )


def test_all_channels_are_summed_and_each_filter_has_its_bias():
    x, weight, bias = drawn((2, 3, 5, 6), (4, 3, 2, 3), (4,))
    np.testing.assert_allclose(
        conv2d_naive(x, weight, bias),
        correlated(x, weight, bias),
        rtol=1e-9,
        err_msg="two images of three channels, four filters of 2x3 with a bias each",
    )


def test_strides_margins_and_gaps():
    x, weight = drawn((1, 2, 7, 6), (2, 2, 3, 2))
    for options in (
        {"stride": 2},
        {"padding": 2},
        {"dilation": 2},
        {"stride": 3, "padding": 1, "dilation": 2},
    ):
        np.testing.assert_allclose(
            conv2d_naive(x, weight, **options),
            correlated(x, weight, **options),
            rtol=1e-9,
            err_msg=f"{options}",
        )


def test_a_group_of_filters_sees_its_group_of_channels():
    x, weight = drawn((1, 4, 4, 4), (6, 2, 2, 2))
    np.testing.assert_allclose(
        conv2d_naive(x, weight, groups=2),
        correlated(x, weight, groups=2),
        rtol=1e-9,
        err_msg="filters 0 to 2 see channels 0 and 1, filters 3 to 5 see channels 2 and 3",
    )


# %% [markdown]
# What can nine weights find? Here are four filters that somebody thought up, and what your loops make of a digit with them. The output is large, dark red, where
# the image looks like the filter, and blue where it looks like its opposite.


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
# A network is not given filters. It finds them, because the output depends on every weight, and has a gradient.
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
print(
    f"{steps:,} multiplications in {naive_seconds * 1e3:.0f} ms: {naive_seconds / steps * 1e9:.0f} ns each"
)


# %% [markdown]
# A processor does several such multiplications in one nanosecond. All the rest is Python, which decides anew each time what `*` means, and what an index of four numbers is.
#
# The remedy is always the same: do not ask for one number, ask for many at once. Which many? The window has few positions, nine in a 3 x 3 filter, and many places. So turn the loops inside out.
# Stay at *one* position in the window, say the upper left, and ask for what lies there as the window takes all its places. That is a regular piece of the image, every $s$-th pixel of
# every $s$-th row, and NumPy has a word for it: a slice.
#
# ```
#     one row with its margin       0 1 2 3 4 5 6 7        kernel 3, stride 2, dilation 1: 3 places
#     position 0 of the window      ^   ^   ^              x[0:5:2]
#     position 1                      ^   ^   ^            x[1:6:2]
#     position 2                        ^   ^   ^          x[2:7:2]
# ```
#
# The next cell is given. A `Window` holds everything about how a window moves, each as a pair for rows and columns, and how many places it takes; `window_over` makes one.


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
    """The Window that steps over images of this size; an option for sequences is one for images of one row."""
    options = [as_pair(kernel_size), as_pair(stride), as_pair(padding, 0), as_pair(dilation)]
    places = []
    for n, k, s, p, d in zip(as_pair(size), *options):
        count = output_size(n + (s - 1) * ceil_mode, k, s, p, d)
        beyond = (
            ceil_mode and (count - 1) * s >= n + p
        )  # the last place would see nothing but the margin
        places.append(count - beyond)
    return Window(*options, tuple(places))


def as_pair(option, neutral=1):
    """An option for rows and columns; `neutral` for rows, where it is for columns only."""
    return (neutral,) * (2 - len(option)) + tuple(option)


# %% [markdown]
# Now list the slices. Position $i$ begins at pixel $i d$ and goes on in steps of $s$; the last of $m$ places is $(m-1)s$ further on. A slice ends *before* its end, so the end is one more than
# that. The same for the columns, and a position in the window is a pair of the two.
#
# <details><summary>Hint 1</summary>Make a list of slices for the rows, one for each <code>i</code> below the kernel's height, and one for the columns; then all pairs, row by row.</details>
# <details><summary>Hint 2</summary>A slice is made by <code>slice(start, stop, step)</code>, with the start at <code>i * d</code> and the step <code>s</code>.</details>
# <details><summary>Hint 3</summary>The stop is <code>i * d + (n - 1) * s + 1</code>, and the index <code>(..., rows, columns)</code> with an <code>Ellipsis</code> in front, so that it does for any number of dimensions before.</details>


# %% stub="positions"
#| export
def positions(window):
    """List the positions inside a window, each with the slices of the image that it sees.

    At position (i, j), x[..., r stride + i dilation, c stride + j dilation] for all places (r, c).

    Args:
        window: a Window; its kernel_size, stride, dilation and places count here, the padding does not: x has its margin already.

    Returns:
        A list of (i, j, index), row by row: i and j are integers, and index is a tuple of an Ellipsis and two slices, so that
        x[index] is a view of shape (..., H', W').

    >>> positions(window_over((1, 7), (1, 3), (1, 2)))
    [(0, 0, (Ellipsis, slice(0, 1, 1), slice(0, 5, 2))), (0, 1, (Ellipsis, slice(0, 1, 1), slice(1, 6, 2))), (0, 2, (Ellipsis, slice(0, 1, 1), slice(2, 7, 2)))]
    """
    ### BEGIN SOLUTION
    rows, columns = (
        [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        for k, s, d, n in zip(
            window.kernel_size, window.stride, window.dilation, window.places
        )
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
    found = positions(window)
    wanted = list(np.ndindex(window.kernel_size))
    assert [(i, j) for i, j, _ in found] == wanted, f"the positions are {wanted}, row by row"
    for i, j, index in found:
        rows = np.arange(window.places[0]) * window.stride[0] + i * window.dilation[0]
        columns = np.arange(window.places[1]) * window.stride[1] + j * window.dilation[1]
        np.testing.assert_array_equal(
            x[index],
            x[:, rows[:, None], columns],
            err_msg=f"{window}: what position {(i, j)} sees",
        )


def test_each_position_sees_one_pixel_at_each_place():
    check_positions(window_over((4, 5), (2, 3)), (4, 5))


def test_a_position_moves_on_by_the_stride():
    check_positions(window_over((7, 8), (3, 2), (2, 3)), (7, 8))


def test_positions_are_a_dilation_apart():
    check_positions(window_over((7, 9), (3, 2), (1, 2), (0, 0), (2, 4)), (7, 9))


def test_what_lies_beyond_the_last_place_is_not_seen():
    window = Window((2, 2), (2, 2), (0, 0), (1, 1), (2, 1))
    check_positions(window, (9, 9))
    x = np.zeros((9, 9))
    assert np.shares_memory(x[positions(window)[0][2]], x), "use slices: they copy nothing"


# %% [markdown]
# The margin is given: `padded` puts one around images, and hands them back as they are where there is none; `unpadded` cuts it off again. (`padded_for_max` is for pooling, later.)


# %%
#| export
def with_margin(size, window):
    """The rows and columns that a window needs of an image of this size: all of it, and what lies around it."""
    sides = zip(
        size, window.padding, window.kernel_size, window.stride, window.dilation, window.places
    )
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


def padded_for_max(x, window):
    """Images with a margin of the smallest number there is, which is no window's maximum."""
    return padded(x, window, -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)


def unpadded(x, size, window):
    """Images of a size without the margin that `padded` put around them."""
    top, left = window.padding
    return x[..., top : top + size[0], left : left + size[1]]


# %% [markdown]
# ### What the window sees, written down
#
# With the slices, writing down everything that the window ever sees takes nine copies, one for each position, however many places there are. This array is called *im2col*, image to columns, because
# in it each place of the window is a column, and everything that the window shows there stands in it from top to bottom:
#
# ```
#     image   0 1 2        2x2 window, 4 places           place  (0,0) (0,1) (1,0) (1,1)
#             3 4 5                            position (0,0)       0     1     3     4
#             6 7 8                                     (0,1)       1     2     4     5
#                                                       (1,0)       3     4     6     7
#                                                       (1,1)       4     5     7     8
# ```
#
# Pixel 4 stands there four times, because four windows see it. That is the price, and you will measure it.
#
# <details><summary>Hint 1</summary>One loop over <code>positions(window)</code>, one assignment in it.</details>
# <details><summary>Hint 2</summary><code>columns</code> has the shape (N, C, kh, kw, H', W'), and what position (i, j) sees of <code>x</code> has the shape (N, C, H', W').</details>
# <details><summary>Hint 3</summary><code>columns[:, :, i, j] = x[seen]</code></details>


# %% stub="im2col"
#| export
def im2col(x, window, columns=None):
    """Write down what the window sees at each of its places.

    columns[n, k, i, j, r, c] = x[n, k, r stride + i dilation - padding, c stride + j dilation - padding], 0 in the margin

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
        columns = np.empty_like(
            x, shape=(*x.shape[:2], *window.kernel_size, *window.places), order="C"
        )
    x = padded(x, window)
    ### BEGIN SOLUTION
    for i, j, seen in positions(window):
        columns[:, :, i, j] = x[seen]
    ### END SOLUTION
    return columns


# %% test="im2col" points=3
def check_columns(kernel_size, **options):
    (x,) = drawn((2, 3, 6, 7))
    window = window_over(
        (6, 7), kernel_size, *[(options.get(n, int(n != "padding")),) * 2 for n in OPTIONS]
    )
    memory = np.full((2, 3, *kernel_size, *window.places), 7.0)
    found = im2col(x, window, memory)
    wanted = windows(x, kernel_size, **options).transpose(0, 1, 4, 5, 2, 3)
    assert found.shape == wanted.shape, (
        f"(N, C, kh, kw, H', W') is {wanted.shape} here, not {found.shape}"
    )
    np.testing.assert_array_equal(found, wanted, err_msg=f"kernel {kernel_size}, {options}")
    assert found is memory, "memory that is handed in is filled and returned"


OPTIONS = ("stride", "padding", "dilation")


def test_columns_hold_what_the_window_sees():
    check_columns((2, 3))
    check_columns((3, 3))


def test_columns_of_windows_with_strides_margins_and_gaps():
    check_columns((3, 2), stride=2)
    check_columns((3, 3), padding=2)
    check_columns((2, 2), stride=2, padding=1, dilation=3)


def test_columns_stay_float32():
    found = im2col(np.ones((1, 1, 3, 3), np.float32), window_over((3, 3), (2, 2)))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.ones((1, 1, 2, 2, 2, 2)))


# %% [markdown]
# ### One product
#
# Read the formula again with the columns in mind. The sum over $k, i, j$ is a sum over everything in one column, weighted with everything in one filter. Lay each filter out as a row of $C k_h k_w$ weights, and the sum for all filters and
# all places is
#
# $$Y = W \cdot \mathrm{columns}, \qquad (O,\; C k_h k_w) \cdot (C k_h k_w,\; H'W') = (O,\; H'W')$$
#
# one matrix product for an image. That is what BLAS is good at.
#
# Two things are given, because they are bookkeeping. Groups are one more dimension in front: filters as $(G,\, O/G,\, C/G\, k_h k_w)$, columns as $(B,\, G,\, C/G\, k_h k_w,\, H'W')$, and `np.matmul` multiplies matrix by matrix. And the columns are $k_h k_w$ times as large as the images, so
# nobody writes those of a whole batch down. `column_blocks` hands you a few images at a time, always in the same memory, small enough to be still in the cache when the product reads it.


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
    return columns.reshape(
        images, groups, channels // groups * height * width, math.prod(places)
    )


def filters_by_group(weight, groups):
    """Filters (O, C/G, kh, kw) as a matrix for each group, (G, O/G, C/G·kh·kw)."""
    return weight.reshape(groups, len(weight) // groups, math.prod(weight.shape[1:]))


def images_by_group(x, groups):
    """Images (N, O, H, W) as a matrix for each group, (N, G, O/G, H·W)."""
    return x.reshape(len(x), groups, x.shape[1] // groups, x.shape[2] * x.shape[3])


# %% [markdown]
# `images_by_group(output, groups)` does not copy: it is another view of the output's memory, and what you write into it has been written into the output.
#
# The class is whole: its `backward` is given, and calls the two operations that you write next.
#
# <details><summary>Hint 1</summary>Make the two views once, before the loop: <code>filters_by_group(weight, groups)</code>, and the output as a matrix for each image and group.</details>
# <details><summary>Hint 2</summary>The loop is <code>for block, columns in column_blocks(x, window, groups):</code>. Matrices are multiplied by <code>np.matmul(filters, columns, out=...)</code>, straight into the output's part for this block.</details>
# <details><summary>Hint 3</summary>The bias belongs to the channels: <code>output[block] += bias.reshape(-1, 1, 1)</code>. Add it in the loop, while the block is still in the cache.</details>


# %% stub="convolution"
#| export
class Convolution(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, window, groups):
        """Correlate images with filters, by a matrix product for each image.

        Args:
            x: images, an array (N, C, H, W).
            weight: filters (O, C/groups, kh, kw), of x's type.
            bias: one number for each filter, (O,), or None.
            window: the Window that moves over the images.
            groups: into how many groups channels and filters are cut.

        Returns:
            An array (N, O, H', W') of x's type.

        >>> window = window_over((3, 3), (2, 2))
        >>> Convolution.forward(Context(), np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2)), np.ones(1), window, 1)
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
        geometry = {"window": ctx.window, "groups": ctx.groups}
        need_x, need_weight, need_bias = ctx.needs_input_grad
        grad_x = (
            call(ConvolutionInput, grad, weight, size=x.shape[-2:], **geometry)
            if need_x
            else None
        )
        grad_weight = call(ConvolutionWeight, x, grad, **geometry) if need_weight else None
        return grad_x, grad_weight, grad.sum(axis=(0, 2, 3)) if need_bias else None


# %% test="convolution" points=6
def check_convolution_by_products(x, weight, bias=None, groups=1, **options):
    window = window_over(
        x.shape[2:],
        weight.shape[2:],
        *[(options.get(n, int(n != "padding")),) * 2 for n in OPTIONS],
    )
    found = Convolution.forward(Context(), x, weight, bias, window, groups)
    wanted = correlated(x, weight, bias, groups=groups, **options)
    assert found.shape == wanted.shape, (
        f"(N, O, H', W') is {wanted.shape} here, not {found.shape}"
    )
    np.testing.assert_allclose(
        found, wanted, rtol=1e-6, atol=1e-9,
        err_msg=f"images {x.shape}, filters {weight.shape}, {groups} groups, {options}",
    )  # fmt: skip
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


def test_a_long_batch_is_computed_to_its_end():
    check_convolution_by_products(*drawn((1500, 1, 8, 8), (2, 1, 3, 3), (2,)), padding=1)
    assert check_convolution_by_products(*drawn((0, 1, 8, 8), (2, 1, 3, 3))).shape == (
        0,
        2,
        6,
        6,
    )


def test_a_convolution_stays_float32_and_changes_nothing():
    x, weight, bias = (a.astype(np.float32) for a in drawn((1, 2, 4, 4), (3, 2, 1, 1), (3,)))
    before = x.copy(), weight.copy(), bias.copy()
    assert check_convolution_by_products(x, weight, bias).dtype == np.float32
    for array, copy in zip((x, weight, bias), before):
        np.testing.assert_array_equal(array, copy, err_msg="the inputs are only read")


# %% [markdown]
# ### Given: `conv1d` and `conv2d`
#
# The public functions take PyTorch's arguments, refuse what PyTorch refuses, and leave the rest to your class. A sequence is an image of one row, so `conv1d` needs no code of its own. `padding="same"` means the
# margin that keeps the size; where that is an odd number, the end gets the extra pixel.


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
    stride, dilation = (
        expanded(n, x, kernel_size) for n, x in (("stride", stride), ("dilation", dilation))
    )
    if isinstance(padding, str):
        input, padding = padded_by_name(input, padding, kernel_size, stride, dilation)
    padding = expanded("padding", padding, kernel_size)
    check_convolution(
        input, weight, bias, groups, padding=padding, stride=stride, dilation=dilation
    )
    size = [n + 2 * p for n, p in zip(input.shape[2:], padding)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernel_size, dilation)]
    if any(n < r for n, r in zip(size, reach)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, size))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    (input, weight), flat = as_images(input, weight)
    window = window_over(input.shape[2:], kernel_size, stride, padding, dilation)
    return restored(
        Convolution.apply(input, weight, bias, window=window, groups=groups), flat, added
    )


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
        raise RuntimeError(
            f"{given}a weight of {input.ndim} dimensions for input of size {list(input.shape)}"
        )
    if shape[0] < groups or shape[0] % groups:
        wanted = f"at least {groups}" if shape[0] < groups else f"divisible by {groups}"
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be {wanted} at dimension 0, but got weight of size {shape} instead"
        )
    channels, filters = (
        (shape[0], shape[1] * groups) if transposed else (shape[1] * groups, shape[0])
    )
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
            raise RuntimeError(
                f"Input type ({input.dtype}) and {name} type ({other.dtype}) should be the same"
            )
    if 0 in shape[2:]:
        raise RuntimeError(f"{given}a kernel with at least one element")


# %% [markdown]
# Compare with the loops, in values and in time.


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


# %% [markdown]
# ## 3. Both gradients
#
# You know the gradient of a matrix product. With $\bar Y$ the gradient of the output,
#
# $$Y = W \cdot \mathrm{columns}: \qquad \bar W = \bar Y \cdot \mathrm{columns}^\top, \qquad \overline{\mathrm{columns}} = W^\top \cdot \bar Y$$
#
# ### The filters
# The first of the two is the gradient of the filters. The same filters were used on every image, so the contributions of all images add up. The columns are not saved from the forward, which would keep $k_h k_w$ times the images alive until
# backward. They are written down again, block by block; copying is cheap beside the product.
#
# <details><summary>Hint 1</summary>As in the forward: a view of <code>output</code> by groups, a view of <code>grad</code> by groups, and a loop over <code>column_blocks</code>.</details>
# <details><summary>Hint 2</summary><code>swapaxes(-2, -1)</code> transposes each of the matrices in a block: <code>flat[block] @ columns.swapaxes(-2, -1)</code> has a matrix for each image and group.</details>
# <details><summary>Hint 3</summary>Sum these over the images of the block, and add the sum into the filters: <code>filters += (...).sum(axis=0)</code>. They begin at zero.</details>


# %% stub="weight-gradient"
#| export
class ConvolutionWeight(Function):
    @staticmethod
    def forward(ctx, x, grad, window, groups):
        """Compute the gradient of a convolution's filters.

        dL/dw[o, k, i, j] = sum over n, r, c of grad[n, o, r, c] x[n, g(o) + k, r stride + i dilation, c stride + j dilation]

        Args:
            x: the images that were convolved, an array (N, C, H, W).
            grad: the gradient of the output, an array (N, O, H', W').
            window, groups: those of the convolution.

        Returns:
            An array (O, C/groups, kh, kw) of x's type.

        >>> x, grad = np.arange(9.0).reshape(1, 1, 3, 3), np.array([[[[1.0, 0.0], [0.0, 0.0]]]])
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
        geometry = {"window": ctx.window, "groups": ctx.groups}
        need_x, need_output = ctx.needs_input_grad
        grad_x = (
            call(ConvolutionInput, of_output, grad, size=x.shape[-2:], **geometry)
            if need_x
            else None
        )
        return grad_x, call(Convolution, x, grad, None, **geometry) if need_output else None


# %% test="weight-gradient" points=5
def check_weight_gradient(images, channels, filters, kernel_size, groups=1, **options):
    (x,) = drawn((images, channels, 6, 5))
    window = window_over(
        (6, 5), kernel_size, *[(options.get(n, int(n != "padding")),) * 2 for n in OPTIONS]
    )
    (grad,) = drawn((images, filters, *window.places), seed=1)
    found = ConvolutionWeight.forward(Context(), x, grad, window, groups)
    seen = np.split(windows(x, kernel_size, **options), groups, axis=1)
    pieces = [
        np.einsum("nohw,nchwij->ocij", g, s)
        for g, s in zip(np.split(grad, groups, axis=1), seen)
    ]
    wanted = np.concatenate(pieces)
    assert found.shape == wanted.shape, (
        f"the gradient has the filters' shape {wanted.shape}, not {found.shape}"
    )
    np.testing.assert_allclose(
        found, wanted, rtol=1e-6, atol=1e-9,
        err_msg=f"{images} images, {channels} channels, {filters} filters, {groups} groups, {options}",
    )  # fmt: skip


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
# The second product, $W^\top \bar Y$, is the gradient of the *columns*: for each place, how the loss changes with each of the numbers that the window showed there. But these numbers are
# pixels, and most pixels stand in several columns. A pixel's gradient is the sum over all the columns that it stands in. So the columns go back to where they came from, and where several arrive, they add up. This is *col2im*, or `fold`: `im2col` run
# backwards, with `+=` for `=`.
#
# ```
#     place    (0,0) (0,1) (1,0) (1,1)
#     (0,0)      a     b     c     d           image    a       b+e     f
#     (0,1)      e     f     g     h                    c+i     d+g+j+m h+n
#     (1,0)      i     j     k     l                    k       l+o     p
#     (1,1)      m     n     o     p
# ```
#
# Within one position no pixel comes twice, so a slice and `+=` are enough: no `np.add.at`.
#
# <details><summary>Hint 1</summary>The loop is that of <code>im2col</code>, and the assignment is turned round.</details>
# <details><summary>Hint 2</summary><code>output[seen]</code> is a view of the image at the places, of shape (N, C, H', W').</details>
# <details><summary>Hint 3</summary><code>output[seen] += columns[:, :, i, j]</code></details>


# %% stub="col2im"
#| export
def col2im(columns, size, window):
    """Add each number of the columns to the pixel at which it was seen.

    image[n, k, y, x] = the sum of columns[n, k, i, j, r, c] over all (i, j) and (r, c) at which the window shows pixel (y, x)

    Args:
        columns: an array (N, C, kh, kw, H', W').
        size: the size (H, W) of the images.
        window: the Window that moves over them.

    Returns:
        An array (N, C, H, W) of the columns' type; what falls into the margin is left out.

    >>> col2im(np.ones((1, 1, 2, 2, 2, 2)), (3, 3), window_over((3, 3), (2, 2)))
    array([[[[1., 2., 1.],
             [2., 4., 2.],
             [1., 2., 1.]]]])
    """
    output = np.zeros_like(
        columns, shape=(*columns.shape[:2], *with_margin(size, window)), order="C"
    )
    ### BEGIN SOLUTION
    for i, j, seen in positions(window):
        output[seen] += columns[:, :, i, j]
    ### END SOLUTION
    return unpadded(output, size, window)


# %% test="col2im" points=4
def check_return(size, kernel_size, **options):
    """Give each column back, number by number."""
    window = window_over(
        size, kernel_size, *[(options.get(n, int(n != "padding")),) * 2 for n in OPTIONS]
    )
    (columns,) = drawn((2, 3, *kernel_size, *window.places))
    margin, stride, dilation = (
        options.get(name, int(name != "padding")) for name in ("padding", "stride", "dilation")
    )
    wanted = np.zeros((2, 3, size[0] + 2 * margin, size[1] + 2 * margin))
    for i, j, r, c in np.ndindex(columns.shape[2:]):
        wanted[:, :, r * stride + i * dilation, c * stride + j * dilation] += columns[
            :, :, i, j, r, c
        ]
    wanted = wanted[:, :, margin : margin + size[0], margin : margin + size[1]]
    found = col2im(columns, size, window)
    assert found.shape == wanted.shape, f"the images are {wanted.shape}, not {found.shape}"
    np.testing.assert_allclose(
        found,
        wanted,
        rtol=1e-9,
        atol=1e-12,
        err_msg=f"{size}, kernel {kernel_size}, {options}",
    )


def test_a_pixel_gets_the_sum_of_all_columns_that_show_it():
    window = window_over((3, 3), (2, 2))
    image = col2im(np.arange(16.0).reshape(1, 1, 2, 2, 2, 2), (3, 3), window)[0, 0]
    np.testing.assert_array_equal(
        image, [[0, 1 + 4, 5], [2 + 8, 3 + 6 + 9 + 12, 7 + 13], [10, 11 + 14, 15]]
    )
    check_return((5, 6), (3, 2))


def test_pixels_that_no_window_shows_get_nothing():
    check_return((5, 8), (2, 2), stride=3)
    check_return((7, 6), (2, 2), dilation=3)


def test_what_lies_in_the_margin_is_left_out():
    check_return((4, 5), (3, 3), padding=2)
    check_return((5, 4), (3, 3), padding=1, stride=2)


# %% [markdown]
# ### Given: the gradient of the images
# A product and `col2im`, block by block: this is what `Convolution.backward` calls.


# %%
#| export
class ConvolutionInput(Function):
    @staticmethod
    def forward(ctx, grad, weight, size, window, groups):
        """Compute the gradient of a convolution's images: give each number of the output back to what it has seen."""
        ctx.save_for_backward(grad, weight)
        ctx.window, ctx.groups = window, groups
        filters = filters_by_group(weight, groups).swapaxes(-2, -1)  # (G, C/G kh kw, O/G)
        channels, flat = groups * weight.shape[1], images_by_group(grad, groups)
        output = np.empty_like(grad, shape=(len(grad), channels, *size), order="C")
        for block, columns in blocks(
            grad, len(grad), channels, *window.kernel_size, *window.places
        ):
            np.matmul(filters, flat[block], out=columns_by_group(columns, groups))
            output[block] = col2im(columns, size, window)
        return output

    @staticmethod
    def backward(ctx, grad):
        of_output, weight = ctx.saved_tensors
        geometry = {"window": ctx.window, "groups": ctx.groups}
        need_output, need_weight = ctx.needs_input_grad
        grad_output = (
            call(Convolution, grad, weight, None, **geometry) if need_output else None
        )
        return grad_output, call(
            ConvolutionWeight, grad, of_output, **geometry
        ) if need_weight else None


# %% [markdown]
# Look at the three classes side by side: the `backward` of each calls the two others, and nothing else. There is a reason. Take the number
#
# $$T(x, w, g) = \sum g \cdot \mathrm{conv}(x, w)$$
#
# It is linear in each of its three arguments, so its slope with respect to one of them depends only on the other two. Those three slopes are your three operations: `Convolution` of $x$ and $w$, `ConvolutionWeight` of $x$ and $g$,
# `ConvolutionInput` of $g$ and $w$. A slope of a slope is again one of them. So second derivatives are there already, and third ones too.


# %%
inputs = [tensor(a, requires_grad=True) for a in drawn((2, 2, 4, 5), (4, 1, 3, 2), (4,))]
options = {"stride": 2, "padding": 1, "dilation": (1, 2), "groups": 2}
print(
    "gradients equal differences:",
    gradcheck(lambda *xs: conv2d(*xs, **options), tuple(inputs)),
)
print(
    "and so do their gradients:  ",
    gradgradcheck(lambda *xs: conv2d(*xs, **options), tuple(inputs)),
)


# %% [markdown]
# ### How far a unit sees
#
# With gradients one can ask a network what it looks at. A unit after two layers of 3 x 3 looks at 3 x 3 units, each of which looks at 3 x 3 pixels: 5 x 5 in all, its *receptive field*. In general, for layers with kernels $k_l$ and strides $s_l$,
#
# $$R = 1 + \sum_l (k_l - 1) \prod_{m < l} s_m$$
#
# The gradient of one unit with respect to the image shows it, with all weights one: each pixel's slope is the number of ways from it to the unit.


# %%
def seen_by_the_middle_unit(layers, side=33):
    """The gradient of the middle output of some 3x3 layers, given by their strides, with respect to the image."""
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
# Eight layers see 17 x 17 pixels, but not all alike: there are many ways from the middle and a single one from each corner, so the field has a soft edge. Strides let it grow by factors: three layers of stride 2 see as far as seven of stride 1. This is why networks halve
# their images every few layers, by a stride or by what comes next.


# %% [markdown]
# ## 4. Pooling
#
# Once a filter has found a stroke, it matters little at which pixel exactly. *Max pooling* keeps of each window only the largest number, usually with a window of 2 x 2 that moves on by 2: a quarter of the numbers remain, and a digit that
# moved by a pixel gives nearly the same ones.
#
# You have everything you need. For each position of the window, a slice of the image; the output is the largest of the slices, number by number. Two traps are in it. The margin must not win, so it is filled with $-\infty$ in place of
# zeros, which `padded_for_max` (given) does. And the first slice is a *view* of the image.
#
# <details><summary>Hint 1</summary><code>[around[seen] for _, _, seen in positions(window)]</code> are the slices: four for a window of 2 x 2.</details>
# <details><summary>Hint 2</summary><code>np.maximum(a, b, out=a)</code> puts the larger of two numbers into <code>a</code>, without a new array.</details>
# <details><summary>Hint 3</summary>Start from a <em>copy</em> of the first slice, or you write into the image itself.</details>


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
            An array (N, C, H', W') of x's type; x is not changed.

        >>> MaxPool.forward(Context(), np.arange(16).reshape(1, 1, 4, 4), window_over((4, 4), (2, 2), (2, 2)))
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
        grad_x = np.zeros_like(
            x, shape=(*x.shape[:2], *with_margin(x.shape[2:], ctx.window)), order="C"
        )
        overlap = any(s < d * (k - 1) + 1 for k, s, _, d, _ in zip(*ctx.window))
        for (_, _, seen), found in zip(positions(ctx.window), winners(x, output, ctx.window)):
            if overlap:
                grad_x[seen] += grad * found
            else:
                np.multiply(grad, found, out=grad_x[seen])
        return unpadded(grad_x, x.shape[2:], ctx.window)


# %% test="max-pool" points=3
def check_max_pool(x, kernel_size, stride, padding=0, dilation=1):
    window = window_over(
        x.shape[2:], kernel_size, (stride,) * 2, (padding,) * 2, (dilation,) * 2
    )
    before = x.copy()
    found = MaxPool.forward(Context(), x, window)
    around = np.pad(
        x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2), constant_values=-np.inf
    )
    wanted = windows(around, kernel_size, stride, 0, dilation).max((4, 5))
    assert found.shape == wanted.shape, (
        f"(N, C, H', W') is {wanted.shape} here, not {found.shape}"
    )
    np.testing.assert_array_equal(
        found, wanted, err_msg=f"kernel {kernel_size}, stride {stride}, padding {padding}"
    )
    np.testing.assert_array_equal(
        x, before, err_msg="the images are only read: is your first slice a copy?"
    )
    assert found.dtype == x.dtype


def test_the_largest_of_each_window_is_kept():
    (x,) = drawn((2, 3, 6, 8))
    check_max_pool(x, (2, 2), 2)
    check_max_pool(x.astype(np.float32), (3, 2), 1)


def test_pooling_with_gaps():
    (x,) = drawn((1, 1, 7, 7))
    check_max_pool(x, (2, 2), 1, dilation=3)


def test_the_margin_never_wins():
    (x,) = drawn((1, 2, 5, 5))
    check_max_pool(x - 10, (3, 3), 2, padding=1)


# %% [markdown]
# ### Where the gradient goes
# If the largest number of a window moves a little, the output moves with it; if any other does, nothing happens. So the whole gradient goes to the winner. And if two are equally large? Then the function has a kink there, and any choice between them is
# right. PyTorch gives all to the first, row by row, and so do you: then a gradient is never doubled.
#
# `winners` says for each position of the window at which places the maximum was found there. The given `backward` above multiplies the gradient with each of these masks and adds it to the slice.
#
# <details><summary>Hint 1</summary>A position has won where its slice equals the output, unless an earlier one had won there already.</details>
# <details><summary>Hint 2</summary>Keep a mask <code>free</code> of the places that nobody has won so far; all of them, to begin with.</details>
# <details><summary>Hint 3</summary><code>here = (x[seen] == output) & free</code>, and then these places are free no longer: <code>free ^= here</code>.</details>


# %% stub="winners"
#| export
def winners(x, output, window):
    """Say for each position inside a window at which places the maximum was found there, and at none before it.

    Args:
        x: images, an array (N, C, H, W).
        output: their maxima, (N, C, H', W'), as `MaxPool` gives them.
        window: the Window that moves over the images.

    Returns:
        A list of boolean arrays (N, C, H', W'), one for each of `positions(window)`. At each place one of them is True.

    >>> x = np.array([[[[1.0, 3.0, 3.0]]]])
    >>> [array.item() for array in winners(x, np.array([[[[3.0]]]]), window_over((1, 3), (1, 3)))]
    [False, True, False]
    """
    x = padded_for_max(x, window)
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
    window = window_over(x.shape[2:], kernel_size, (stride,) * 2, (padding,) * 2)
    around = np.pad(
        x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2), constant_values=-np.inf
    )
    seen = windows(around, kernel_size, stride)
    seen = seen.reshape(*seen.shape[:4], -1)
    wanted = np.moveaxis(np.eye(seen.shape[-1], dtype=bool)[seen.argmax(-1)], -1, 0)
    found = winners(x, seen.max(-1), window)
    assert len(found) == len(wanted), (
        f"a window of {kernel_size} has {len(wanted)} positions, not {len(found)}"
    )
    for position, (mask, right) in enumerate(zip(found, wanted)):
        np.testing.assert_array_equal(
            mask, right, err_msg=f"kernel {kernel_size}: where position {position} has won"
        )


def test_the_largest_wins():
    (x,) = drawn((2, 3, 6, 6))
    check_winners(x, (2, 2), 2)
    check_winners(x, (3, 2), 1)


def test_of_equals_the_first_wins():
    x = np.random.default_rng(0).integers(0, 3, (2, 2, 6, 6)).astype(float)
    check_winners(x, (2, 2), 2)
    check_winners(x, (3, 3), 2)


def test_nobody_wins_from_the_margin():
    (x,) = drawn((1, 1, 5, 5))
    check_winners(x - 10, (3, 3), 2, padding=1)


# %% [markdown]
# ### Given: the pools
# `max_pool2d` with PyTorch's arguments, and what all pools check. With `return_indices` it also says where each maximum was found.


# %%
#| export
def winning_index(x, output, window):
    """Where each maximum was found, in an image whose rows are written one after another."""
    width, (top, left), (down, right) = x.shape[-1], window.padding, window.dilation
    rows, columns = (
        n * np.arange(count, like=x) for n, count in zip(window.stride, window.places)
    )
    places = (rows[:, None] - top) * width + columns - left
    index = np.zeros_like(output, dtype=np.int64)
    for (i, j, _), found in zip(positions(window), winners(x, output, window)):
        np.copyto(index, places + i * down * width + j * right, where=found)
    return index


def max_pool2d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
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
    return max_pool(
        "max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


def max_pool1d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
):
    """The largest number that a window sees at each of its places along (N, C, L) or (C, L); see `max_pool2d`."""
    return max_pool(
        "max_pool1d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


def max_pool(name, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    """What `max_pool1d` and `max_pool2d` share."""
    if input.array.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
    input, window, flat, added = pooled(
        name, input, kernel_size, stride, padding, dilation, ceil_mode
    )
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
    options = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
    }
    if stride is None or stride == []:
        options["stride"] = kernel_size
    for option, value in options.items():
        numbers = (value,) if isinstance(value, int) else tuple(value)
        if len(numbers) not in (1, dims):
            raise RuntimeError(
                f"{name}: {option} must either be a single int, or a tuple of {dims} ints"
            )
        if min(numbers) < (option != "padding"):
            raise RuntimeError(
                f"{name}: {option} must be {'non-negative' if option == 'padding' else 'greater than zero'}, but got {value}"
            )
        options[option] = numbers * dims if len(numbers) == 1 else numbers
    for k, p in zip(options["kernel_size"], options["padding"]):
        if p > k // 2:
            raise RuntimeError(
                f"pad should be at most half of kernel size, but got pad={p} and kernel_size={k}"
            )
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


# %% [markdown]
# ## 5. Batch normalisation
#
# A deep network is a tower in which every floor stands on the one below, and all floors move at once. If the numbers of one layer double, the next layer sees something it has never seen. *Batch normalisation* (Ioffe and Szegedy, 2015) puts each channel back to mean zero
# and variance one, over all images of the batch and all places, and then lets the network choose the scale and the shift that it wants:
#
# $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}, \qquad y = \gamma\, \hat x + \beta \qquad \text{($\mu$, $\sigma^2$, $\gamma$, $\beta$: one number for each channel)}$$
#
# It has a catch. The output for one image depends on which others are in its batch. When the network is used, there may be no others. So while training it keeps *running statistics*, which follow the batches' means and variances slowly, and in evaluation it uses
# those:
#
# $$\text{running} \leftarrow (1 - m)\,\text{running} + m \cdot \text{batch's}, \qquad m = 0.1$$
#
# One detail that many get wrong: the batch is normalised with its variance as it is, $\frac1n \sum (x - \mu)^2$, but the running variance is meant for other images, so it follows the unbiased estimate, $\frac{1}{n-1} \sum (x - \mu)^2$. Here $n$ is how many
# numbers a channel has: images times places.
#
# The next cell is given: `moments` computes the mean and the (biased) variance of each channel, for (N, C) as for (N, C, H, W), in the shape (1, C, 1, 1), which broadcasts.


# %%
#| export
def moments(x):
    """The mean of each channel and its variance about it, arrays or Tensors (1, C, 1...)."""
    axes = (0, *range(2, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    deviation = x - mean
    return mean, (deviation * deviation).mean(axis=axes, keepdims=True)


# %% [markdown]
# <details><summary>Hint 1</summary>The running statistics are arrays (C,) that have to be changed where they lie: <code>running_mean += momentum * (... - running_mean)</code>.</details>
# <details><summary>Hint 2</summary>The unbiased variance is the biased one times <code>count / (count - 1)</code>, with <code>count = x.size // x.shape[1]</code>.</details>
# <details><summary>Hint 3</summary><code>(x - mean) / np.sqrt(var + eps)</code>, times <code>weight.reshape(shape)</code> and plus <code>bias.reshape(shape)</code> where there are any. It is cheaper to multiply the one scale of each channel with its weight first.</details>


# %% stub="batch-norm"
#| export
class BatchNorm(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, running, momentum, eps):
        """Give each channel mean zero and variance one over the batch, then scale and shift it.

        y = (x - mean) / sqrt(var + eps) weight + bias, with mean and var of each channel over all else

        Args:
            x: an array (N, C, ...) with at least two numbers for each channel.
            weight, bias: arrays (C,), or None.
            running: None, or two arrays (C,), the running mean and variance. They are changed in place: each moves by
                `momentum` of the way to the batch's mean and to its unbiased variance.
            momentum: how far they move, between 0 and 1.
            eps: added to the variance.

        Returns:
            An array of x's shape and type; x is not changed.

        >>> x = np.array([[1.0], [3.0]])
        >>> BatchNorm.forward(Context(), x, None, np.array([5.0]), None, 0.1, 0.0)
        array([[4.],
               [6.]])
        """
        mean, var = moments(x)
        shape = mean.shape
        ctx.save_for_backward(x, weight)
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


# %% test="batch-norm" points=6
def normalised(x, eps):
    """Each channel normalised by itself."""
    output = np.empty_like(x)
    for channel in range(x.shape[1]):
        numbers = x[:, channel]
        output[:, channel] = (numbers - numbers.mean()) / np.sqrt(numbers.var() + eps)
    return output


def test_each_channel_is_normalised_over_images_and_places():
    (x,) = drawn((4, 3, 2, 5))
    x = 3 * x + np.arange(3).reshape(3, 1, 1)
    before = x.copy()
    found = BatchNorm.forward(Context(), x, None, None, None, 0.1, 1e-3)
    np.testing.assert_allclose(
        found,
        normalised(x, 1e-3),
        rtol=1e-6,
        atol=1e-9,
        err_msg="mean 0, variance 1 by channel",
    )
    np.testing.assert_array_equal(x, before, err_msg="x is only read")


def test_rows_are_normalised_too_and_eps_is_added_to_the_variance():
    (x,) = drawn((5, 2))
    np.testing.assert_allclose(
        BatchNorm.forward(Context(), x, None, None, None, 0.1, 2.0),
        normalised(x, 2.0),
        rtol=1e-6,
    )


def test_each_channel_has_its_scale_and_shift():
    x, weight, bias = drawn((3, 4, 4, 4), (4,), (4,))  # as many channels as columns
    wanted = normalised(x, 1e-5) * weight[:, None, None] + bias[:, None, None]
    found = BatchNorm.forward(Context(), x, weight, bias, None, 0.1, 1e-5)
    np.testing.assert_allclose(
        found, wanted, rtol=1e-6, atol=1e-9, err_msg="weight and bias belong to the channels"
    )
    found = BatchNorm.forward(Context(), x, weight, None, None, 0.1, 1e-5)
    np.testing.assert_allclose(
        found, wanted - bias[:, None, None], rtol=1e-6, atol=1e-9, err_msg="a weight alone"
    )


def test_running_statistics_move_by_the_momentum():
    (x,) = drawn((4, 2, 3))
    mean, var = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    BatchNorm.forward(Context(), x, None, None, (mean, var), 0.25, 1e-5)
    batch_mean, batch_var = x.mean((0, 2)), x.var((0, 2), ddof=1)
    np.testing.assert_allclose(
        mean, 0.75 * np.array([1, 2]) + 0.25 * batch_mean, rtol=1e-6, err_msg="running mean"
    )
    np.testing.assert_allclose(
        var,
        0.75 * np.array([3, 4]) + 0.25 * batch_var,
        rtol=1e-6,
        err_msg="the running variance moves towards the unbiased variance, over n - 1",
    )


def test_a_normalised_batch_stays_float32():
    x = np.random.default_rng(0).standard_normal((4, 2, 3), dtype=np.float32)
    assert BatchNorm.forward(Context(), x, None, None, None, 0.1, 1e-5).dtype == np.float32


# %% [markdown]
# ### Its gradient
# The gradients of $\gamma$ and $\beta$ are short: $\bar\gamma = \sum \bar y\, \hat x$ and $\bar\beta = \sum \bar y$, over all numbers of a channel.
#
# For $x$, mind that $\mu$ and $\sigma$ are made of all the $x$ of the channel. Moving one $x_j$ moves its own $\hat x_j$, and through the mean and the variance all the others a little the other way:
#
# $$\frac{\partial \hat x_i}{\partial x_j} = \frac1\sigma \Big( \delta_{ij} - \frac1n - \frac{\hat x_i \hat x_j}{n} \Big)$$
#
# Multiply with $\gamma\, \bar y_i$ and sum over $i$. Two sums appear, and you have both already:
#
# $$\bar x_j = \frac\gamma\sigma \Big( \bar y_j - \frac1n \sum_i \bar y_i - \hat x_j\, \frac1n \sum_i \bar y_i\, \hat x_i \Big) = \frac\gamma\sigma \Big( \bar y_j - \frac{\bar\beta}{n} - \hat x_j\, \frac{\bar\gamma}{n} \Big)$$
#
# Read it as a sentence: from the gradient is taken away whatever would only shift the channel, and whatever would only stretch it, because the normalisation undoes both. You have met the same form in the rule of softmax.
#
# <details><summary>Hint 1</summary>First the two sums, with <code>axis=axes, keepdims=True</code>, so that they broadcast.</details>
# <details><summary>Hint 2</summary><code>grad_weight = (grad * normal).sum(...)</code>, <code>grad_bias = grad.sum(...)</code>.</details>
# <details><summary>Hint 3</summary><code>grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))</code>; the other two are returned as <code>.reshape(-1)</code>.</details>


# %% stub="batch-norm-gradient"
#| export
def batch_norm_gradient(grad, normal, scale):
    """Compute the gradients of x, weight and bias, where the output is weight * normal + bias.

    Args:
        grad: the gradient of the output, (N, C, ...), an array or a Tensor: use operators and methods that both have.
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
        return (
            grad * (normalised(x, eps) * weight.reshape(by_channel) + bias.reshape(by_channel))
        ).sum()

    axes = (0, *range(2, len(shape)))
    deviation = np.sqrt(x.var(axes, keepdims=True) + eps)
    found = batch_norm_gradient(
        grad,
        (x - x.mean(axes, keepdims=True)) / deviation,
        weight.reshape(by_channel) / deviation,
    )
    for name, gradient, array in zip(("x", "weight", "bias"), found, (x, weight, bias)):
        assert gradient.shape == array.shape, (
            f"the gradient of {name} has {name}'s shape, not {gradient.shape}"
        )
        np.testing.assert_allclose(
            gradient,
            differences(loss, array),
            rtol=1e-5,
            atol=1e-7,
            err_msg=f"{shape}: the gradient of {name}",
        )


def differences(function, array, eps=1e-6):
    """How a number moves with each element of an array: two calls of the function for each."""
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


def test_what_only_shifts_or_stretches_a_channel_is_taken_away():
    normal = normalised(drawn((6, 2))[0], 0.0)
    grad_x, grad_weight, grad_bias = batch_norm_gradient(
        3 + 2 * normal, normal, np.ones((1, 2))
    )
    np.testing.assert_allclose(
        grad_x, 0, atol=1e-12, err_msg="normalisation undoes every shift and every stretch"
    )
    np.testing.assert_allclose(grad_weight, [12, 12])
    np.testing.assert_allclose(grad_bias, [18, 18])


# %% [markdown]
# ### Given: `batch_norm`
# In evaluation the statistics are constants, so it is one multiplication and one addition.


# %%
#| export
def batch_norm(
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.1,
    eps=1e-5,
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
        output = BatchNorm.apply(
            input, weight, bias, running=running, momentum=momentum, eps=eps
        )
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
        raise ValueError(
            "running_mean and running_var must either both be None or neither be None"
        )
    given = {
        "running_mean": running_mean,
        "running_var": running_var,
        "weight": weight,
        "bias": bias,
    }
    for name, numbers in given.items():
        if numbers is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif numbers.numel() != channels:
            raise RuntimeError(
                f"{name} should contain {channels} elements not {numbers.numel()}"
            )
        elif numbers.dtype != input.dtype:
            raise RuntimeError(
                f"mixed dtype (CPU): all inputs must share same datatype, but {name} is {numbers.dtype}"
            )


# %%
inputs = tuple(tensor(a, requires_grad=True) for a in drawn((3, 2, 2, 2), (2,), (2,)))
print(gradcheck(lambda x, w, b: batch_norm(x, None, None, w, b, training=True), inputs))
print(gradgradcheck(lambda x, w, b: batch_norm(x, None, None, w, b, training=True), inputs))


# %% [markdown]
# ## 6. Backwards as an operation of its own
#
# A convolution with stride 2 halves an image. Which layer doubles one? Networks that draw, or that mark every pixel, need it. You have it already. Flatten images and outputs, and a convolution is a matrix $M$, so its
# gradient is $M^\top$: it takes something of the output's size and makes something of the image's size, spreading each number over a window. Use that as a forward, and it is called a *transposed convolution*.


# %%
def as_matrix(function, size):
    """The matrix of a linear function of images (1, *size): what it makes of each pixel alone."""
    pixels = np.eye(math.prod(size)).reshape(-1, 1, *size)
    return function(tensor(pixels)).numpy().reshape(len(pixels), -1).T


kernel = tensor(drawn((1, 1, 3, 3))[0])
M = as_matrix(lambda x: conv2d(x, kernel, stride=2, padding=1), (6, 6))
window = window_over((6, 6), (3, 3), (2, 2), (1, 1))
back = as_matrix(
    lambda g: ConvolutionInput.apply(g, kernel, size=(6, 6), window=window, groups=1), (3, 3)
)
figure, axes = plt.subplots(
    1, 2, figsize=(9, 2.6), gridspec_kw={"width_ratios": [3, 1]}, layout="constrained"
)
for axis, matrix, name in zip(axes, (M, back), ("a convolution as a matrix", "its gradient")):
    axis.imshow(matrix, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
    axis.set_title(f"{name}, {matrix.shape}", size=9)
print("one is the transpose of the other:", np.allclose(M.T, back))


# %% [markdown]
# Nine different numbers, over and over, and zeros: the whole difference between a convolution and a linear layer is in this picture.
#
# What is left is bookkeeping, turned round. A transposed convolution is given the *places*, as many as its input has pixels, and has to find the image over which a window takes that many. Solve the formula of the output size for the size,
# where nothing is left over:
#
# $$n = (m - 1)\, s + d (k - 1) + 1 - 2p + e$$
#
# With a stride of 2 images of 5 and of 6 pixels both give 3 places, so the size is not determined. PyTorch takes the smallest, and $e$, the *output padding*, adds rows and columns at the end.
#
# The given `conv_transpose2d` checks its arguments, asks you for the size and the window, and calls `ConvolutionInput`.


# %%
#| export
def conv_transpose1d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The transposed convolution of sequences (N, C, L) or (C, L), weight (C, O/groups, k); see `conv_transpose2d`."""
    name = "conv_transpose1d"
    return convolution_transpose(
        name, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose2d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
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
    return convolution_transpose(
        name, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def convolution_transpose(
    name, input, weight, bias, stride, padding, output_padding, groups, dilation
):
    """What `conv_transpose1d` and `conv_transpose2d` share."""
    input, added = batched(name, input)
    kernel_size = tuple(weight.shape[2:])
    options = {
        "stride": stride,
        "padding": padding,
        "output_padding": output_padding,
        "dilation": dilation,
    }
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
            f"{name}: input of size {list(input.shape)} has an output of size {size}, which is too small"
        )
    output = ConvolutionInput.apply(input, weight, size=size, window=window, groups=groups)
    if bias is not None:
        output = output + bias.reshape(-1, 1, 1)
    return restored(output, flat, added)


# %% [markdown]
# <details><summary>Hint 1</summary><code>zip</code> over all six arguments gives you the numbers for the rows, then those for the columns.</details>
# <details><summary>Hint 2</summary>The size is a tuple of <code>(n - 1) * stride + dilation * (k - 1) + 1 - 2 * padding + extra</code> for the two sides.</details>
# <details><summary>Hint 3</summary>The window is <code>Window(kernel_size, stride, padding, dilation, places)</code>: it takes exactly the places that are there.</details>


# %% stub="transposed-window"
#| export
def transposed_window(places, kernel_size, stride, padding, output_padding, dilation):
    """Find the size of the image over which a window takes these places, and the window.

    size = (places - 1) stride + dilation (kernel_size - 1) + 1 - 2 padding + output_padding

    Args:
        places: how many places there are, a pair for rows and columns, as all arguments are.
        kernel_size, stride, padding, dilation: the window's.
        output_padding: how many rows and columns to add at the end.

    Returns:
        The size, a tuple, and the Window.

    >>> transposed_window((3, 3), (3, 3), (2, 2), (1, 1), (1, 0), (1, 1))
    ((6, 5), Window(kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(1, 1), places=(3, 3)))
    """
    ### BEGIN SOLUTION
    sides = zip(places, kernel_size, stride, padding, output_padding, dilation)
    size = tuple([(n - 1) * s + d * (k - 1) + 1 - 2 * p + e for n, k, s, p, e, d in sides])
    return size, Window(kernel_size, stride, padding, dilation, places)
    ### END SOLUTION


# %% test="transposed-window" points=4
def spread(x, weight, stride, padding, output_padding, dilation):
    """A transposed convolution, number by number."""
    height, width = x.shape[2:]
    _, filters, rows, columns = weight.shape
    tall = (height - 1) * stride[0] + dilation[0] * (rows - 1) + 1 + output_padding[0]
    wide = (width - 1) * stride[1] + dilation[1] * (columns - 1) + 1 + output_padding[1]
    output = np.zeros((len(x), filters, tall, wide))
    for n, k, r, c in np.ndindex(x.shape):
        for o, i, j in np.ndindex(weight.shape[1:]):
            row, column = r * stride[0] + i * dilation[0], c * stride[1] + j * dilation[1]
            output[n, o, row, column] += x[n, k, r, c] * weight[k, o, i, j]
    return output[:, :, padding[0] : tall - padding[0], padding[1] : wide - padding[1]]


def check_transposed(stride, padding, output_padding, dilation):
    x, weight = drawn((2, 3, 4, 3), (3, 2, 3, 2))
    found = conv_transpose2d(
        tensor(x), tensor(weight), None, stride, padding, output_padding, 1, dilation
    ).numpy()
    wanted = spread(x, weight, stride, padding, output_padding, dilation)
    names = f"stride {stride}, padding {padding}, output padding {output_padding}, dilation {dilation}"
    assert found.shape == wanted.shape, (
        f"{names}: the output is {wanted.shape}, not {found.shape}"
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9, err_msg=names)


def test_each_number_is_spread_over_a_window():
    check_transposed((1, 1), (0, 0), (0, 0), (1, 1))
    check_transposed((2, 3), (0, 0), (0, 0), (1, 1))


def test_the_margin_is_cut_off_and_gaps_are_kept():
    check_transposed((1, 2), (1, 0), (0, 0), (1, 1))
    check_transposed((1, 1), (2, 1), (0, 0), (2, 3))


def test_output_padding_adds_at_the_end():
    check_transposed((3, 2), (1, 1), (2, 1), (1, 1))
    check_transposed((2, 2), (1, 0), (0, 1), (1, 2))


def test_a_transposed_convolution_undoes_the_size():
    for size, kernel_size, stride, padding, dilation in [
        (7, 3, 2, 1, 1),
        (8, 3, 2, 1, 1),
        (9, 2, 3, 0, 2),
        (5, 5, 1, 2, 1),
    ]:
        places = (size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1
        options = (kernel_size,) * 2, (stride,) * 2, (padding,) * 2, (0, 0), (dilation,) * 2
        (rows, columns), window = transposed_window((places, places), *options)
        assert rows == columns <= size < rows + stride, (
            f"{size} pixels give {places} places, and back {rows}"
        )
        assert window.places == (places, places), (
            "the window takes as many places as the input has pixels"
        )


# %% [markdown]
# ## 7. Layers
#
# Given, as you know them from module 03: a layer holds the numbers that training changes, and calls the function. The weights are drawn as PyTorch draws them, evenly from $\pm 1/\sqrt{C/G\, k_h k_w}$, in the same order, so a seed gives the same network here and there.


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
        check_layer(
            type(self).__name__,
            in_channels,
            out_channels,
            groups,
            stride,
            padding,
            padding_mode,
        )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = map(
            self._numbers, (kernel_size, stride, dilation)
        )
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
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}"
            )
        if padding == "same" and any(
            s != 1 for s in ((stride,) if isinstance(stride, int) else stride)
        ):
            raise ValueError("padding='same' is not supported for strided convolutions")
    modes = ("zeros", "reflect", "replicate", "circular")
    if padding_mode not in modes:
        raise ValueError(
            f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'"
        )
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
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
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
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )


# %%
#| export
class MaxPoolNd(Module):
    """What the layers of max pooling share; see `max_pool2d`."""

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
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
        self.register_parameter(
            "weight", Parameter(ones(num_features, **options)) if affine else None
        )
        self.register_parameter(
            "bias", Parameter(zeros(num_features, **options)) if affine and bias else None
        )
        self.register_buffer(
            "running_mean", zeros(num_features, **options) if track_running_stats else None
        )
        self.register_buffer(
            "running_var", ones(num_features, **options) if track_running_stats else None
        )
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
        running = (
            (self.running_mean, self.running_var) if tracks or not training else (None, None)
        )
        return batch_norm(
            input, *running, self.weight, self.bias, training, momentum, self.eps
        )

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


# %% [markdown]
# ### A shortcut
# More layers should never be worse: the additional ones could do nothing. In fact plain networks get worse beyond some twenty layers, in training too, because doing nothing is hard to learn. He and others (2015) made it easy. A *residual block* adds its input to what it computes,
#
# $$y = \mathrm{relu}\big(x + f(x)\big), \qquad f = \text{bn}_2 \circ \text{conv}_2 \circ \mathrm{relu} \circ \text{bn}_1 \circ \text{conv}_1$$
#
# so doing nothing is $f = 0$. And backward, the gradient of a sum goes to both of its terms: $\bar x = \bar y + (\ldots)$, past all the layers of $f$, undiminished.
#
# Where the block halves the image or changes the number of channels, $x$ does not fit $f(x)$. Then a `downsample` stands in the shortcut, a 1 x 1 convolution of the same stride with a normalisation of its own.
#
# <details><summary>Hint 1</summary>Begin with the shortcut: <code>x</code> itself, or <code>self.downsample(x)</code> if there is one.</details>
# <details><summary>Hint 2</summary>conv1, bn1, relu, conv2, bn2: no relu after the last.</details>
# <details><summary>Hint 3</summary>Add the shortcut, then apply relu to the sum.</details>


# %% stub="basic-block"
#| export
class BasicBlock(Module):
    """Two convolutions, and the input added to what they make of it (He et al., 2015).

    Args:
        inplanes: channels of the input.
        planes: channels of the output.
        stride: by how much the image shrinks.
        downsample: a module that makes the input fit the output, or None if it does.
    """

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
        """Return relu(bn2(conv2(relu(bn1(conv1(x))))) + shortcut), the shortcut being x or its downsample."""
        ### BEGIN SOLUTION
        shortcut = x if self.downsample is None else self.downsample(x)
        output = self.relu(self.bn1(self.conv1(x)))
        output = self.bn2(self.conv2(output))
        return self.relu(output + shortcut)
        ### END SOLUTION


# %% test="basic-block" points=4
def block_by_numpy(block, x, stride=1):
    """What a block in evaluation computes, fresh statistics being mean 0 and variance 1."""
    first, second = (conv.weight.detach().numpy() for conv in (block.conv1, block.conv2))
    shrink = 1 / np.sqrt(1 + 1e-5)
    hidden = np.maximum(correlated(x, first, None, stride, 1) * shrink, 0)
    return correlated(hidden, second, None, 1, 1) * shrink


def test_the_input_is_added_before_the_last_relu():
    manual_seed(0)
    block = BasicBlock(3, 3).eval()
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 5), dtype=np.float32)
    found = block(tensor(x)).detach().numpy()
    np.testing.assert_allclose(
        found,
        np.maximum(block_by_numpy(block, x) + x, 0),
        rtol=1e-4,
        atol=1e-5,
        err_msg="relu(f(x) + x)",
    )


def test_the_downsample_stands_in_the_shortcut():
    manual_seed(0)
    shortcut = Conv2d(2, 4, 1, stride=2, bias=False)
    block = BasicBlock(2, 4, stride=2, downsample=shortcut).eval()
    x = np.random.default_rng(0).standard_normal((1, 2, 6, 6), dtype=np.float32)
    wanted = block_by_numpy(block, x, 2) + correlated(
        x, shortcut.weight.detach().numpy(), None, 2
    )
    np.testing.assert_allclose(
        block(tensor(x)).detach().numpy(), np.maximum(wanted, 0), rtol=1e-4, atol=1e-5
    )


def test_a_block_of_zeros_does_nothing():
    block = BasicBlock(2, 2).eval()
    with no_grad():
        block.conv2.weight.zero_()
    x = tensor(np.abs(drawn((1, 2, 3, 3))[0]).astype(np.float32))
    np.testing.assert_allclose(
        block(x).detach().numpy(), x.numpy(), err_msg="what is positive passes unchanged"
    )


# %% [markdown]
# What the shortcut does for the gradient can be seen before any training. Stack forty layers, or forty blocks, send a random gradient in at the top, and measure what reaches the filters of each.


# %%
def arriving(layers, filters):
    """The size of the gradient of each layer's filters, from the first layer to the last."""
    manual_seed(0)
    output = randn(8, 8, 8, 8)
    layers = [layer() for layer in layers]
    for layer in layers:
        output = layer(output)
    output.backward(randn(*output.shape))
    return [filters(layer).weight.grad.norm().item() for layer in layers]


def plain():
    return Sequential(Conv2d(8, 8, 3, padding=1), ReLU())


def plain_with_norm():
    return Sequential(Conv2d(8, 8, 3, padding=1), BatchNorm2d(8), ReLU())


stacks = {
    "conv, relu": (plain, lambda layer: layer[0]),
    "conv, batch norm, relu": (plain_with_norm, lambda layer: layer[0]),
    "residual block": (lambda: BasicBlock(8, 8), lambda block: block.conv1),
}
figure, axis = plt.subplots(figsize=(6, 2.8), layout="constrained")
axis.set(xlabel="layer", ylabel="gradient of its filters")
for name, (layer, filters) in stacks.items():
    sizes = arriving([layer] * 40, filters)
    axis.semilogy(sizes, label=name)
    print(f"{name:24} first layer's gradient over the last's: {sizes[0] / sizes[-1]:8.1g}")
legend = axis.legend()


# %% [markdown]
# Without normalisation nothing is left of the gradient after forty layers, and the first ones would never learn. With it the gradient arrives, but hundreds of times as large below as above. The shortcut takes most of that growth away too.
#
# `ResNet` (given) stacks such blocks. With four stages of two blocks and the default width it is ResNet-18, and takes torchvision's weights: its parameters have their names.


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
        stem = (
            {"kernel_size": 3, "padding": 1}
            if small
            else {"kernel_size": 7, "stride": 2, "padding": 3}
        )
        self.conv1 = Conv2d(in_channels, width, bias=False, **stem)
        self.bn1 = BatchNorm2d(width)
        self.relu = ReLU()
        self.maxpool = Identity() if small else MaxPool2d(3, stride=2, padding=1)
        for number, blocks in enumerate(layers):
            stage = self._stage(
                block, width * 2**number, blocks, stride=1 if number == 0 else 2
            )
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


# %% [markdown]
# ## 8. LeNet
#
# The network with which, in 1998, banks read cheques. Two convolutions of 5 x 5, each with a max pool, then three linear layers. (The original averaged where we take the maximum, and its activation was a tanh.)
#
# ```
#     image 1 x 28 x 28
#       conv 5x5, margin 2    6 x 28 x 28      pool    6 x 14 x 14
#       conv 5x5             16 x 10 x 10      pool   16 x 5 x 5  =  400 numbers
#       linear 120, linear 84, linear 10
# ```


# %%
#| export
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
# Train it on the digits, each moved at random by up to a pixel every time it is seen. A few seconds are enough to look at it; the milestone `lenet` takes longer and gets further.


# %%
manual_seed(0)
net, epochs = LeNet(image_size=8), 20
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
print(
    f"{time.perf_counter() - start:.1f} s, {sum(p.numel() for p in net.parameters()):,} weights"
)
net.eval()
with no_grad():
    for pixels in range(3):
        said = net(wrap(moved(unseen, pixels))).argmax(1).numpy()
        print(f"moved by {pixels} pixels: {(said == unseen_labels).mean():.0%} right")


# %% [markdown]
# Compare with the first lines of this lesson. A pixel, which it has met in training, costs it nearly nothing; two pixels, which it has never met, cost it something, but it does not guess.
#
# What has it found? Above, the six filters of the first layer. Below, what they make of a digit, after the ReLU: each *feature map* lights up where the image looks like its filter. Then the same after the pool, and a few of the second layer's sixteen.


# %%
with no_grad():
    first = net.relu(net.conv1(wrap(digit)))
    second = net.relu(net.conv2(net.pool(first)))
rows = {
    "filters": (
        net.conv1.weight.detach().numpy()[:, 0],
        {"cmap": "RdBu_r", "vmin": -1, "vmax": 1},
    ),
    "first layer": (first.numpy()[0], {"cmap": "magma"}),
    "after the pool": (net.pool(first).numpy()[0], {"cmap": "magma"}),
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
# Nobody told it what a stroke is. Its filters are edges and lines in several directions all the same, blurred by how little eight pixels hold.
#
# ## Systems: what a convolution costs
#
# ### Operations
# Each number of the output takes $C/G \cdot k_h k_w$ multiplications and as many additions. For a batch of $N$ that is
#
# $$2\, N \cdot O \cdot H' W' \cdot \frac{C}{G}\, k_h k_w \quad \text{operations forward, and twice that backward: one such product for each gradient.}$$
#
# The image does not have to be large for this to be much: where a linear layer uses each weight once for an image, a convolution uses it $H'W'$ times. Some layers of ResNet-18 on one photograph, then LeNet on one digit:


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
    weights = filters * channels * kernel**2
    print(
        f"{name:36} {operations_of(*table[name]) / 1e6:7.1f} million operations, {weights:9,} weights"
    )


# %% [markdown]
# The second and the third line cost the same: an eighth of the side, eight times the channels. The images are at the beginning of a network, and the weights at its end.
#
# How many of these operations does a second hold? Compare with what a plain matrix product reaches on this machine.


# %%
from tinytorch.tensor import from_numpy

a = np.ones((1024, 1024), np.float32)
peak = 2 * 1024**3 / best_of(lambda: a @ a) / 1e9
print(f"matrix product 1024^3                  {peak:7.1f} billion operations a second")
for channels, filters, kernel, side in [
    (3, 16, 3, 32),
    (16, 32, 3, 32),
    (64, 64, 3, 16),
    (64, 64, 1, 16),
]:
    images, layer = (
        randn(16, channels, side, side),
        Conv2d(channels, filters, kernel, padding=kernel // 2),
    )
    with no_grad():
        seconds = best_of(lambda layer=layer, images=images: layer(images))
    rate = 16 * operations_of(channels, filters, kernel, side) / seconds / 1e9
    print(
        f"conv {kernel}x{kernel}, {channels:2} to {filters:2}, 16 images {side} x {side} {rate:10.1f}"
    )


# %% [markdown]
# With many channels the product dominates, and the convolution comes near the processor's best. With three channels there are so few multiplications for each number that is copied that copying takes as long.
#
# ### The factor over the loops
# And from where we came:


# %%
images, filters = (a.astype(np.float32) for a in drawn((2, 3, 32, 32), (16, 3, 3, 3)))
start = time.perf_counter()
conv2d_naive(images, filters, padding=1)
naive_seconds = time.perf_counter() - start
fast_seconds = best_of(lambda: conv2d(from_numpy(images), from_numpy(filters), padding=1))
print(
    f"seven loops {naive_seconds * 1e3:.0f} ms, one product {fast_seconds * 1e3:.2f} ms: a factor of {naive_seconds / fast_seconds:,.0f}"
)


# %% [markdown]
# ### Bytes
# The columns are $k_h k_w$ times as large as the images. Written down for the whole batch at once, as `unfold` does, they are what fills the memory. In blocks, they are as large as the block. Measure the largest amount of memory that each way takes, beyond its input.


# %%
images, layer = randn(64, 16, 32, 32), Conv2d(16, 32, 3, padding=1)
window = window_over((32, 32), (3, 3), (1, 1), (1, 1))
weight = layer.weight.detach().numpy().reshape(32, -1)
ways = {
    "all columns at once": lambda: (
        weight @ im2col(images.numpy(), window).reshape(64, 16 * 9, 32 * 32)
    ),
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
# The blocks need little more than the output, and are the faster way too, because the product finds its columns in the cache.
#
# ## Break it
#
# **`eval()` forgotten.** In training mode a prediction depends on who else is in the batch. Normalise an image together with dim ones, and with bright ones.


# %%
manual_seed(0)
model = Sequential(Conv2d(1, 4, 3), BatchNorm2d(4), ReLU())
image = rand(1, 1, 8, 8)
with no_grad():
    for mode in (True, False):
        model.train(mode)
        answers = [
            model(
                wrap(np.concatenate([image.numpy(), np.full((7, 1, 8, 8), shade, np.float32)]))
            )[0]
            for shade in (0.1, 0.9)
        ]
        name = "training" if mode else "evaluation"
        print(
            f"{name:10} largest difference for one image: {(answers[0] - answers[1]).abs().max().item():.3f}"
        )


# %% [markdown]
# The accuracy that you measure is then a little wrong, never absurd, and changes with the batch size. That is what makes it hard to find.
#
# **A batch of one.** Rows of a batch of one have variance zero, and their normalisation is nothing but noise. It is refused:


# %%
try:
    BatchNorm1d(3)(randn(1, 3))
except ValueError as error:
    print(error)


# %% [markdown]
# It strikes at the end of an epoch, when the last batch happens to hold a single sample. `drop_last=True` of the loader is the usual answer.
#
# **Another image size.** Convolutions take any size. The linear layer behind them does not, and complains of numbers that stand nowhere in your program: 400 are 16 channels of 5 x 5, from images of 28 x 28.


# %%
try:
    LeNet(image_size=28)(randn(2, 1, 32, 32))
except RuntimeError as error:
    print(error)


# %% [markdown]
# An average over all places before the linear layer makes a network independent of the size: that is what `AdaptiveAvgPool2d(1)` does in the ResNet.
#
# **A stride that looks past pixels.** With a stride larger than the kernel some pixels are never seen, and have no gradient; no error says so. The gradient does:


# %%
image = ones(1, 1, 6, 6, requires_grad=True)
conv2d(image, ones(1, 1, 1, 1), stride=2).sum().backward()
print(image.grad[0, 0].numpy().astype(int))


# %% [markdown]
# (ResNet does precisely this in its shortcuts, on purpose: a 1 x 1 convolution of stride 2.)
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
# PyTorch has several convolutions and chooses one by the shapes: oneDNN on processors, cuDNN on GPUs. They write down no columns, but gather them while they multiply, in registers; for 3 x 3 filters some use Winograd's algorithm, which needs 2.25 times fewer multiplications. That is
# how they can be twice as fast as your product at its best.
#
# ## Questions to think about
#
# 1. Two layers of 3 x 3 see as far as one of 5 x 5. With C channels in and out, which has fewer weights, and which costs fewer operations?
# 2. A 1 x 1 convolution looks at one pixel. What is it good for? What does `im2col` do for it that is not necessary?
# 3. With `groups` equal to the number of channels, followed by a 1 x 1 convolution, the operations fall by nearly $k^2$. Why does the time fall less? (Look at the rates that you have measured.)
# 4. A linear layer right after a batch normalisation in evaluation: how can the two be made one, with no normalisation left? What about a convolution before it?
# 5. The columns were not saved for backward, but written down again. When would it be better to save them?
# 6. Is a network of convolutions really indifferent to where a digit stands? Move one towards the edge and think of the margin; then of the stride.
#
# ## What comes next
#
# Images are regular: every pixel has its neighbours at the same places. Text is not, and it is not made of numbers to begin with. Module 10 makes numbers of it.


# %% [markdown]
# ## The rest of the family
#
# Given: the layers of transposed convolution; means over windows; unfolding as an operation; margins of other kinds; channels dropped whole.


# %%
#| export
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
        least, _ = transposed_window(input.shape[-dims:], *options)
        most = [n + s - 1 for n, s in zip(least, self.stride)]
        if any(not low <= n <= high for low, n, high in zip(least, output_size, most)):
            raise ValueError(
                f"requested an output size of {tuple(output_size)}, but valid sizes range from {list(least)} to {most} "
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


def avg_pool1d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True
):
    """The mean of what a window sees at each of its places along (N, C, L) or (C, L); see `avg_pool2d`."""
    return avg_pool(
        "avg_pool1d", input, kernel_size, stride, padding, ceil_mode, count_include_pad
    )


def avg_pool2d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
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
        name,
        input,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


def avg_pool(
    name, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor=None
):
    """What `avg_pool1d` and `avg_pool2d` share."""
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    input, window, flat, added = pooled(
        name, input, kernel_size, stride, padding, 1, ceil_mode
    )
    if divisor is None:
        rows, columns = numbers_in(window, input.shape[2:], count_include_pad)
        divisor = wrap((rows[:, None] * columns).astype(input.array.dtype)).to(input.device)
    rounding = None if input.is_floating_point() else "trunc"
    output = SumPool.apply(input, window=window).div(divisor, rounding_mode=rounding)
    return restored(output, flat, added)


def numbers_in(window, size, count_include_pad):
    """How many rows, and how many columns, a mean counts at each of the window's places."""
    counts = []
    for n, k, s, p, places in zip(
        size, window.kernel_size, window.stride, window.padding, window.places
    ):
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
        raise RuntimeError(
            f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(
            f"\"adaptive_avg_pool2d\" not implemented for '{input.dtype}'"
        )
    wanted = (
        tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * 2
    )
    if len(wanted) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    height, width = (n if n is not None else side for n, side in zip(wanted, input.shape[-2:]))
    if min(height, width) < 0:
        raise RuntimeError(
            f"adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {height}, {width}"
        )
    pieces = (height, input.shape[-2]), (width, input.shape[-1])
    rows, columns = (
        wrap(averages(*piece, input.array.dtype)).to(input.device) for piece in pieces
    )
    return rows @ (input @ columns.T)


def averages(count, size, dtype):
    """The matrix (count, size) that takes the means of `count` even pieces of `size` numbers."""
    matrix = np.zeros((count, size), dtype)
    for i, row in enumerate(matrix):
        piece = row[i * size // count : -(-(i + 1) * size // count)]
        piece[:] = 1 / max(1, len(piece))
    return matrix


class AvgPool1d(Module):
    """The mean of each window along a sequence; see `avg_pool1d`."""

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True
    ):
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
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self.kernel_size, self.stride, self.padding = (
            kernel_size,
            stride or kernel_size,
            padding,
        )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        options = (
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )
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
        raise NotImplementedError(f"\"im2col\" not implemented for '{input.dtype}'")
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
            raise RuntimeError(
                f"It is expected {name} equals to 2, but got size {len(numbers)}"
            )
        if min(numbers) < (name != "padding"):
            raise RuntimeError(
                f"{name} should be {'non-negative' if name == 'padding' else 'greater than zero'}, but got {numbers}"
            )
    return pairs


class Unfold(Module):
    """What a window sees at each of its places, as columns; see `unfold`."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = (
            kernel_size,
            dilation,
            padding,
            stride,
        )

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
        if any(
            n + min(before, 0) + min(after, 0) < 0
            for n, (before, after) in zip(x.shape, margins)
        ):
            raise RuntimeError(
                f"margins of {margins} cut off more than there is of {list(x.shape)}"
            )
        output = np.full_like(x, value, shape=shape, order="C")
        inner = tuple(
            [
                slice(max(before, 0), n - max(after, 0))
                for n, (before, after) in zip(shape, margins)
            ]
        )
        outer = tuple(
            [
                slice(max(-before, 0), n + min(after, 0))
                for n, (before, after) in zip(x.shape, margins)
            ]
        )
        output[inner] = x[outer]
        return output

    @staticmethod
    def backward(ctx, grad):
        return call(
            ConstantPad,
            grad,
            margins=[(-before, -after) for before, after in ctx.margins],
            value=0,
        )


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
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor."
        )
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
    left, right = (
        x.narrow(dim, 1, max(before, 0)),
        x.narrow(dim, n - 1 - max(after, 0), max(after, 0)),
    )
    return cut(cat([left.flip(dim), x, right.flip(dim)], dim), dim, before, after)


def replicated(x, dim, before, after):
    """Repeat a tensor's first and last numbers along a dimension."""
    n = x.shape[dim]
    if n == 0:
        raise RuntimeError(
            f"replicate padding: dimension {dim} of input {list(x.shape)} has no edge"
        )
    first, last = (
        x.narrow(dim, at, 1).expand(
            [max(count, 0) if d == dim else m for d, m in enumerate(x.shape)]
        )
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
    return (
        x.narrow(dim, start, x.shape[dim] - start - max(-after, 0))
        if min(before, after) < 0
        else x
    )


EDGES = {"reflect": reflected, "replicate": replicated, "circular": wrapped_around}


# %%
#| export
def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, H, W) with probability p, and scale the others by 1 / (1 - p)."""
    check_probability(p)
    if not training or p == 0:
        return input
    shape = (*input.shape[:2], *(1,) * (input.ndim - 2))
    keep = dropout(ones(shape, dtype=input.dtype, device=input.device), p)
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
