# %% [markdown]
# # 15 Quantization
#
# A weight is a float32: four bytes, far more than a trained network needs. In this module you turn weights and
# activations into 8-bit integers, let layers multiply the integers themselves, and convert whole models, without
# training, to a quarter of their size. Then you go on to 4 bits, two weights to a byte, and train a network that still
# works with 3-bit weights.
#
# When you are done you will be able to
#
# - choose a scale and a zero point per tensor, per channel or per row, and say what each choice costs;
# - compute a linear layer and a convolution from integers, and undo scales and zero points at the end;
# - sum integers exactly with a float32 matrix product, and say from which length on that is no longer exact;
# - convert a model so that no float weight is left in it, with input ranges measured at run time or calibrated
#   beforehand;
# - pack 4-bit weights, and train through the rounding with a straight-through gradient;
# - round to bfloat16, and say what mixed precision and loss scaling are for;
# - measure what rounding costs a language model, and show that outliers cause most of the cost;
# - say what int8 buys in NumPy (memory), and what it does not (time).
#
# ## Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `quantize_dynamic` | `torch.ao.quantization.quantize_dynamic` | each row has its own scale, PyTorch takes one for the batch; `Conv2d` can be converted too |
# | `MinMaxObserver`, `PerChannelMinMaxObserver`, `MovingAverageMinMaxObserver` | `torch.ao.quantization` | NaN is refused |
# | `QConfig`, `prepare`, `convert`, `prepare_qat`, `FakeQuantize` | `torch.ao.quantization` | observers stand before a layer; there is nothing to fuse, and no QuantStub to insert |
# | `fake_quantize_per_tensor_affine`, `..._per_channel_affine` | `torch`, the same names | NaN stays NaN, PyTorch turns it into an ordinary number; its gradient is 0 in both |
# | `round_to_bfloat16` | `x.bfloat16().float()` | takes an array of float32 |
# | `PercentileObserver`, `MSEObserver`, `quantize_static`, `round_weights`, `quantize_int4` | | ours |
# | `quantize`, `dequantize`, `IntegerProduct`, ... | inside PyTorch's C++ | ours: PyTorch has tensors of a type `qint8` that carry their scale, here integers are ordinary int8 arrays |
#
# PyTorch 2.13 still has `torch.ao.quantization`, but calls it deprecated: its replacement is a separate package,
# torchao.


# %%
#| export
import copy

import numpy as np

from tinytorch.autograd import values
from tinytorch.conv import im2col, padded, window_over
from tinytorch.given.quantization.types import *
from tinytorch.tensor import Function, wrap


# %%
import math
import tracemalloc

import matplotlib.pyplot as plt
import pytest

from tinytorch.autograd import no_grad
from tinytorch.conv import Conv2d, LeNet
from tinytorch.dataloader import DataLoader, Digits, PythonDocs, TensorDataset
from tinytorch.given.predictions import compare
from tinytorch.given.quantization.language_model import plant_outliers, small_language_model
from tinytorch.given.transformer.model_file import smollm2_file
from tinytorch.profiling import measure_latency
from tinytorch.layers import Flatten, Linear, Module, ReLU, Sequential
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.tensor import Context, manual_seed, randn, tensor
from tinytorch.tokenizer import BPETokenizer
from tinytorch.trainer import OneCycleLR, accuracy
from tinytorch.transformer import GPT, held_out_loss


# %% [markdown]
# ## The problem: four bytes for one weight
#
# Train the network that you will make smaller, on digits, for a few seconds, and look at its weights.


# %%
images, labels = Digits().tensors()
unseen, unseen_labels = Digits(train=False).tensors()


def train(model, epochs, lr=0.01, label_smoothing=0.0):
    """Train on 1,437 digits, and return the model in evaluation mode."""
    loader = DataLoader(TensorDataset(images, labels), batch_size=64, shuffle=True)
    optimizer = AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    schedule = OneCycleLR(optimizer, lr, epochs=epochs, steps_per_epoch=len(loader))
    model.train()
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            cross_entropy(model(x), y, label_smoothing=label_smoothing).backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def right(model):
    """The percentage of the 360 held-out digits that a model classifies correctly."""
    with no_grad():
        return 100 * float(accuracy(model(unseen), unseen_labels))


manual_seed(0)
mlp = train(Sequential(Flatten(), Linear(64, 128), ReLU(), Linear(128, 10)), epochs=12)
weight = mlp[1].weight.detach().numpy()
print(f"{right(mlp):.1f} % of the held-out digits right")
print(f"weights of the first layer: {weight.min():.3f} to {weight.max():.3f}")
print("as integers, by astype(np.int8):", np.unique(weight.astype(np.int8)))
print(
    f"rounded to the nearest whole number, {(np.rint(weight) == 0).mean():.1%} of them are 0"
)


# %% [markdown]
# `astype` drops the fraction, and nothing is left; rounding leaves next to nothing, because the weights are small. They
# have to be *scaled* first, so that they use the whole range of the integers:
#
# $$x \approx s\,(q - z)$$
#
# $q$ is the integer that is stored, $s$ the **scale**, the distance between two neighbouring numbers, and $z$ the
# **zero point**, the integer that stands for 0. Many numbers share one $s$ and one $z$, so these take hardly any
# memory.
#
# ## 1. Scale and zero point
#
# Suppose that the numbers lie between *low* and *high*, and the integers between $q_{min}$ and $q_{max}$. There are two
# usual choices (Jacob et al., 2018):
#
# ```
#   affine   low ...... 0 ............ high    symmetric   -m ........... 0 ........... m
#             |         |               |                   |             |            |
#           -128        z              127                -127            0           127
# ```
#
# - **affine**: both ends are used, $s = (high - low) / (q_{max} - q_{min})$, and
#   $z = q_{min} - \mathrm{round}(low / s)$;
# - **symmetric**: 0 lies in the middle, $s = m / \frac{q_{max} - q_{min}}{2}$ with the largest magnitude
#   $m = \max(-low, high)$, and $z$ is the integer in the middle: $z = \lfloor (q_{min} + q_{max} + 1) / 2 \rfloor$,
#   which is 0 for $-127$ to $127$ and for $-128$ to $127$.
#
# Zero has to be represented *exactly*: the padding of images is zeros, and so is much of a ReLU's output. So the range
# is first widened until it contains 0: $low \le 0 \le high$. And the scale is at least `eps`: for zeros only, the width
# of the range is 0, and we would divide by 0. Integers cannot represent NaN and infinities; a range that contains them
# is refused.
#
# <details><summary>Hint 1</summary><code>np.minimum(low, 0)</code> and <code>np.maximum(high, 0)</code> widen arrays as
# well as numbers. They keep NaN, so you can check with <code>np.isfinite</code> afterwards.</details>
# <details><summary>Hint 2</summary>float32 stays float32 if both operands are arrays of float32, or one is a Python
# number. Limit the scale with <code>np.maximum(scale, np.float32(eps))</code> before you divide by it.</details>
# <details><summary>Hint 3</summary>Round before you subtract from quant_min, then <code>astype(np.int32)</code>: with 0
# in the range, the zero point lies in quant_min..quant_max. The symmetric zero point is the middle of the integers,
# rounded up; <code>np.full_like</code> takes a dtype.</details>


# %% stub="scale-and-zero-point"
#| export
EPS = float(np.finfo(np.float32).eps)


def scale_and_zero_point(low, high, quant_min, quant_max, symmetric=False, eps=EPS):
    """Choose the scale and the zero point of x = scale (q - zero_point) for ranges of numbers.

    affine: scale = (high - low) / (quant_max - quant_min)
            zero_point = quant_min - round(low / scale), halves to the even integer
    symmetric: scale = max(-low, high) / ((quant_max - quant_min) / 2)
               zero_point = (quant_min + quant_max + 1) // 2

    The range is widened to contain 0 first, and the scale is at least eps. The zero point is
    computed with that scale, and so lies in quant_min..quant_max.

    Args:
        low, high: the ends of the ranges, float32: arrays of one shape, or two NumPy scalars,
            such as `x.min()` and `x.max()`.
        quant_min, quant_max: the smallest and the largest integer.
        symmetric: whether 0 lies in the middle.
        eps: the smallest scale, for ranges without width.

    Returns:
        The scale, float32, and the zero point, int32, of low's shape: () for a number.

    Raises:
        ValueError: if an end is infinite or NaN.

    >>> low, high = np.float32([-1.0]), np.float32([4.1])
    >>> scale_and_zero_point(low, high, -128, 127)
    (array([0.02], dtype=float32), array([-78], dtype=int32))
    """
    ### BEGIN SOLUTION
    low, high = np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0))
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError(f"no integers for a range from {low.min()} to {high.max()}")
    steps = quant_max - quant_min
    if symmetric:
        scale = np.maximum(np.maximum(-low, high) / np.float32(steps / 2), np.float32(eps))
        middle = (quant_min + quant_max + 1) // 2
        return scale, np.full_like(scale, middle, dtype=np.int32)
    scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
    zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
    return scale, zero_point.astype(np.int32)
    ### END SOLUTION


# %% test="scale-and-zero-point" points=6
def check_scales(low, high, quant_min, quant_max, symmetric, scale, zero_point, **eps):
    """Compare scales and zero points with what is wanted, for arrays of ranges."""
    about = f"{'symmetric' if symmetric else 'affine'}, {low} to {high}"
    about += f", integers {quant_min} to {quant_max}" + (f", {eps}" if eps else "")
    low, high = np.float32(low), np.float32(high)
    kept = low.copy(), high.copy()
    found = scale_and_zero_point(low, high, quant_min, quant_max, symmetric, **eps)
    np.testing.assert_array_equal(low, kept[0], err_msg="`low` belongs to the caller")
    np.testing.assert_array_equal(high, kept[1], err_msg="`high` belongs to the caller")
    np.testing.assert_allclose(found[0], scale, rtol=1e-5, err_msg=f"the scale, {about}")
    np.testing.assert_array_equal(found[1], zero_point, err_msg=f"the zero point, {about}")
    for name, array, kind in zip(("scale", "zero point"), found, (np.float32, np.int32)):
        dtype = getattr(array, "dtype", type(array).__name__)
        assert dtype == kind, (
            f"the {name} came back as {dtype}, and NumPy's {kind.__name__} is wanted"
        )
        assert array.shape == low.shape, (
            f"the {name} came back with shape {array.shape}, and that of `low` is {low.shape}"
        )


def test_an_affine_range_uses_all_integers():
    check_scales([-1, -5], [4.1, 20.5], -128, 127, False, [0.02, 0.1], [-78, -78])
    check_scales([-5.1], [0], 0, 255, False, [0.02], [255])
    check_scales([-3, -8], [12, 7], 0, 15, False, [1, 1], [3, 8])
    check_scales([[-1.4], [-0.1]], [[0.1], [1.4]], -8, 7, False, [[0.1], [0.1]], [[6], [-7]])


def test_the_zero_point_is_rounded_to_the_nearest_integer():
    check_scales([-1.4, -1.6], [13.6, 13.4], 0, 15, False, [1, 1], [1, 2])
    check_scales([-1.4, -1.6], [13.6, 13.4], -8, 7, False, [1, 1], [-7, -6])
    check_scales([-0.5], [253.5], -127, 127, False, [1], [-127])


def test_a_symmetric_range_has_zero_in_the_middle():
    check_scales([-1], [2.54], -127, 127, True, [0.02], [0])
    check_scales([-14, -3], [7, 2], -7, 7, True, [2, 3 / 7], [0, 0])
    check_scales([-2], [2.55], -128, 127, True, [0.02], [0])
    check_scales([-2], [2.55], 0, 255, True, [0.02], [128])
    check_scales([-3], [2], -10, 6, True, [0.375], [-2])
    check_scales([-3], [2], 0, 5, True, [1.2], [3])  # 2.5 is rounded up


def test_zero_is_always_in_the_range():
    check_scales([1, -5.1], [5.1, -2], -128, 127, False, [0.02, 0.02], [-128, 127])
    check_scales([1, -5.08], [5.08, -2], -127, 127, True, [0.04, 0.04], [0, 0])


def test_two_ends_may_be_numbers():
    check_scales(-1, 4.1, -128, 127, False, 0.02, -78)
    check_scales(-1, 2.54, -127, 127, True, 0.02, 0)


def test_a_range_with_a_width_is_left_alone_by_eps():
    for symmetric, low, zero_point in ((False, 0, 0), (True, -11.25, 8)):
        check_scales(
            [low], [11.25], 0, 15, symmetric, [0.75 * (1 + symmetric)], [zero_point], eps=0.5
        )


def test_a_range_without_width_gets_the_smallest_scale():
    for symmetric in (False, True):
        with np.errstate(all="raise"):
            zeros = np.zeros(2, np.float32)
            scale, zero_point = scale_and_zero_point(zeros, zeros, -127, 127, symmetric)
            message = f"zeros only, symmetric={symmetric}: the scale is eps"
            np.testing.assert_array_equal(scale, np.float32([EPS, EPS]), err_msg=message)
            scale, _ = scale_and_zero_point(zeros, zeros, -127, 127, symmetric, eps=0.5)
        np.testing.assert_array_equal(
            scale, [0.5, 0.5], err_msg="eps=0.5 is the smallest scale"
        )
        assert (np.abs(zero_point) <= 127).all(), f"a zero point in -127..127: {zero_point}"
        for low, high in (0, 1e-9), (-1e-9, 0):  # with the scale eps, each rounds to 0 steps
            wanted = 0 if symmetric else -127
            check_scales([low], [high], -127, 127, symmetric, [EPS], [wanted])
    check_scales(0, 0, -128, 127, False, EPS, -128)
    check_scales(0, 0, -127, 127, True, EPS, 0)


def test_eps_is_the_smallest_scale_and_not_the_smallest_width():
    for symmetric, steps, zero_point in ((False, 254, -127), (True, 127, 0)):
        check_scales([0], [2], -127, 127, symmetric, [0.5], [zero_point], eps=0.5)
        smallest = [1e-9 / steps]
        check_scales([0], [1e-9], -127, 127, symmetric, smallest, [zero_point], eps=0.0)


def test_halves_of_a_zero_point_go_to_the_even_integer():
    check_scales([-1.5, -2.5], [13.5, 12.5], 0, 15, False, [1, 1], [2, 2])


def test_what_is_not_finite_is_refused():
    for low, high in ((np.nan, 1), (0, np.nan), (-np.inf, 1), (0, np.inf)):
        for symmetric in (False, True):
            ends, raised = (np.float32([0, low]), np.float32([1, high])), "no error"
            try:
                scale_and_zero_point(*ends, -127, 127, symmetric)
            except (ValueError, AssertionError) as error:
                raised = type(error).__name__
            assert raised == "ValueError", (
                f"a range from {low} to {high} is refused, by a ValueError"
            )


# %% [markdown]
# ## 2. Round and clip
#
# Once both numbers are chosen, the integer is
#
# $$q = \mathrm{clip}\big(\mathrm{round}(x / s) + z,\; q_{min},\; q_{max}\big)$$
#
# and the way back is $s\,(q - z)$. There are two traps. *Saturation*: numbers outside the range become the outermost
# integer. Clip before the numbers become int8, which would turn 128 into $-128$. And *rounding*: `astype` drops the
# fraction; `np.rint` rounds to the nearest integer, halves to the even one. The zero point is added after rounding, as
# in PyTorch's `fake_quantize_per_tensor_affine`. (`torch.quantize_per_tensor` adds it before rounding, so with an odd
# zero point its halves go to the other neighbour.) NaN is refused, because no integer stands for it; infinities
# saturate.
#
# On the way back, $q - z$ lies between $-255$ and $255$, which does not fit into an int8 either.
#
# <details><summary>Hint 1</summary>Do all the arithmetic in float32, and convert to int8 last.</details>
# <details><summary>Hint 2</summary><code>np.clip</code> comes before int8. <code>np.isnan</code> finds NaN.</details>
# <details><summary>Hint 3</summary>Back: int32 with float32 would make float64, so the integers and the zero point
# become float32 before they meet the scale. <code>np.asarray(..., np.float32)</code> takes numbers and
# arrays.</details>


# %% stub="quantize"
#| export
def quantize(x, scale, zero_point, quant_min=-128, quant_max=127):
    """Turn numbers into integers: clip(round(x / scale) + zero_point, quant_min, quant_max).

    Halves are rounded to the even neighbour; infinities become the outermost integers.

    Args:
        x: an array of float32, maybe empty, not changed.
        scale, zero_point: arrays, or numbers, that broadcast against x.
        quant_min, quant_max: the smallest and the largest integer, within -128..127.

    Returns:
        An array of int8 of x's shape.

    Raises:
        ValueError: if x has a NaN.

    >>> quantize(np.float32([-1.0, 0.0, 0.3, 9.0]), 0.02, -78)
    array([-128,  -78,  -63,  127], dtype=int8)
    """
    ### BEGIN SOLUTION
    if np.isnan(x).any():
        raise ValueError("NaN is no integer")
    q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
    return np.clip(q, quant_min, quant_max).astype(np.int8)
    ### END SOLUTION


def dequantize(q, scale, zero_point):
    """The numbers that integers stand for, float32: scale (q - zero_point).

    q is an array of int8; scale and zero_point are arrays, or numbers.

    >>> dequantize(np.int8([-128, -78, 127]), 0.02, -78)
    array([-1. ,  0. ,  4.1], dtype=float32)
    """
    ### BEGIN SOLUTION
    difference = np.asarray(q, np.float32) - np.asarray(zero_point, np.float32)
    return difference * np.asarray(scale, np.float32)
    ### END SOLUTION


# %% test="quantize" points=5
def drawn(*shape, seed=0):
    """Random float32 numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def check_integers_are(x, wanted, *options):
    kept = x.copy()
    found = quantize(x, *options)
    np.testing.assert_array_equal(x, kept, err_msg="the numbers belong to the caller")
    assert found.dtype == np.int8, f"{found.dtype} came back, and int8 is wanted"
    scale, zero_point, *ends = (np.ravel(option).tolist() for option in options)
    message = f"quantize({np.array2string(kept, precision=3)}, {scale}, {zero_point}"
    message += f", {ends[0][0]}, {ends[1][0]})" if ends else ")"
    np.testing.assert_array_equal(found, wanted, err_msg=message)


def test_numbers_are_rounded_to_the_nearest_integer():
    check_integers_are(np.float32([0.26, -0.26, 0.74, -0.74, 2]), [1, -1, 1, -1, 4], 0.5, 0)
    check_integers_are(np.float32([0.26, -0.26, 0.74]), [4, 2, 4], 0.5, 3)
    check_integers_are(np.float32([0.5, 1.5, 2.5, -0.5, -1.5]), [0, 2, 2, 0, -2], 1.0, 0)
    for scale in (7, 49):  # 1 / 7 is rounded to float32, 1 / 49 to float64
        x = np.float32([-107.5, -98.5, 98.5, 107.5]) * scale
        check_integers_are(x, [-108, -98, 98, 108], np.float32(scale), 0)


def test_the_zero_point_is_added_to_what_has_been_rounded():
    check_integers_are(np.float32([0.5, 1.5, 2.5, -0.5]), [1, 3, 3, 1], 1.0, 1)


def test_what_is_outside_becomes_the_outermost_integer():
    x = np.float32([127, 127.6, 1000, -1000, 1e30])
    with np.errstate(over="raise"):
        check_integers_are(x, [127, 127, 127, -128, 127], 1.0, 0)
        check_integers_are(x[:4], [7, 7, 7, -7], 1.0, 0, -7, 7)
        check_integers_are(x[:4], [99, 99, 99, 0], 1.0, 0, 0, 99)
        check_integers_are(x[:4], [0, 0, 0, -7], 1.0, 0, -7, 0)
        check_integers_are(np.float32([-60, 5, 140]), [-128, -95, 40], 1.0, -100)


def test_infinities_become_the_outermost_integers():
    check_integers_are(np.float32([-np.inf, np.inf]), [-128, 127], 1.0, 0)
    check_integers_are(np.float32([-np.inf, 0, np.inf]), [-7, 2, 7], 1.0, 2, -7, 7)


def test_nan_is_refused():
    with pytest.raises(ValueError):
        quantize(np.float32([[0, 1], [np.nan, 2]]), 1.0, 0)


def test_no_numbers_are_no_integers():
    check_integers_are(np.zeros((0, 4), np.float32), np.zeros((0, 4)), 1.0, 0)


def test_each_row_may_have_its_scale_and_zero_point():
    scale, zero_point = np.float32([[0.5], [2], [1]]), np.int32([[0], [-100], [100]])
    x = drawn(3, 4)
    wanted = np.clip(np.rint(x.astype(float) / scale) + zero_point, -128, 127)
    check_integers_are(x, wanted, scale, zero_point)
    with np.errstate(over="raise"):
        q = np.int8([[-128, 127], [-128, 127], [-128, 127]])
        found = dequantize(q, scale, zero_point)
    message = "scale (q - zero_point), without an overflow"
    wanted = [[-64, 63.5], [-56, 454], [-228, 27]]
    np.testing.assert_array_equal(found, wanted, err_msg=message)
    assert found.dtype == np.float32, f"{found.dtype} came back, and float32 is wanted"


def test_int8_goes_back_with_numbers_too():
    for scale, zero_point, wanted in (
        (0.5, -100, [-14, 50, 113.5]),
        (2, 100, [-456, -200, 54]),
        (np.float64(0.5), -100, [-14, 50, 113.5]),
    ):
        q = np.int8([-128, 0, 127])
        kept, found = q.copy(), dequantize(q, scale, zero_point)
        np.testing.assert_array_equal(q, kept, err_msg="the integers belong to the caller")
        message = (
            f"dequantize(int8 {q.tolist()}, {scale}, {zero_point}): q - zero_point is no int8"
        )
        np.testing.assert_array_equal(found, wanted, err_msg=message)
        assert found.dtype == np.float32, (
            f"{found.dtype} came back, and float32 is wanted; the scale was a "
            f"{type(scale).__name__}"
        )


def test_there_and_back_costs_half_a_scale():
    x = drawn(50, 40)
    scale = np.float32(np.abs(x).max() / 127)
    half = 0.5001 * scale
    error = np.abs(dequantize(quantize(x, scale, np.int32(0)), scale, np.int32(0)) - x)
    assert error.max() <= half, (
        f"the error is {error.max():.4g}, and at most {half:.4g}, half a scale, is wanted"
    )


# %% [markdown]
# See what the two choices do with the same numbers, the output of a ReLU. With 3 bits the steps are visible:


# %%
after_relu = np.maximum(np.linspace(-1, 3, 400, dtype=np.float32), 0)
figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", sharey=True)
for axis, (name, symmetric) in zip(axes, {"affine": False, "symmetric": True}.items()):
    ends = integer_range(3, symmetric)
    low, high = after_relu.min(), after_relu.max()
    scale, zero_point = scale_and_zero_point(low, high, *ends, symmetric)
    back = dequantize(quantize(after_relu, scale, zero_point, *ends), scale, zero_point)
    axis.plot(np.linspace(-1, 3, 400), after_relu, "tab:gray", label="float32")
    axis.plot(np.linspace(-1, 3, 400), back, "tab:red", label="there and back")
    error = np.sqrt(((back - after_relu) ** 2).mean())
    axis.set(
        title=f"{name}: {len(np.unique(back))} levels used, error {error:.2f}", xlabel="x"
    )
axes[0].legend()
plt.show()


# %% [markdown]
# The symmetric range wastes the integers below zero, because no such numbers occur. So activations are quantized
# affinely. Weights lie on both sides of zero, and for them the symmetric choice is better: without a zero point of the
# weights, the product has fewer terms, as you will see.
#
# ## 3. Which numbers share a scale
#
# With one scale for a whole tensor, its largest number determines the scale. A scale for each *channel* of a weight,
# that is for each output, costs four bytes per row, and a row of small weights keeps its precision. Activations get a
# scale for each *row*, that is each sample; and 4-bit weights one for each *group* of 32.
#
# One function does all of this: take the minimum and the maximum over some of the dimensions, keep those dimensions
# with size 1, and everything broadcasts. `integer_range(bits, symmetric)` is given: the integers, $-128$ to $127$ for 8
# bits, $-127$ to $127$ if symmetric.
#
# ```
#   weight (O, I)       axis=None: one scale (1, 1)     axis=1: a scale for each output (O, 1)
#   filters (O, C, kh, kw)                              axis=(1, 2, 3): for each filter (O, 1, 1, 1)
#   groups (O, I/32, 32)                                axis=2: for each group (O, I/32, 1)
# ```
#
# <details><summary>Hint 1</summary>You have everything you need: a minimum, a maximum, and your two
# functions.</details>
# <details><summary>Hint 2</summary>The <code>axis</code> of <code>min</code> and <code>max</code> may be None, an
# integer or a tuple; <code>keepdims</code> keeps the dimensions.</details>
# <details><summary>Hint 3</summary>Hand the ends from <code>integer_range</code> to both functions: 4 bits saturate at
# 7, not at 127.</details>


# %% stub="quantize-along"
#| export
def quantize_along(x, axis=None, bits=8, symmetric=False):
    """Quantize an array by its own minima and maxima, taken over some dimensions.

    Args:
        x: an array of float32; it is not changed.
        axis: the dimensions whose elements share a scale: an integer, a tuple, None for all.
        bits: 2 to 8.
        symmetric: whether the zero point is 0, and the smallest integer is minus the largest.

    Returns:
        int8 of x's shape; the scale, float32, and the zero point, int32, of x's shape with 1
        in place of the dimensions `axis`.

    >>> q, scale, zero_point = quantize_along(np.float32([[1, 2.54], [0, -127]]), axis=1,
    ...                                       symmetric=True)
    >>> q, scale
    (array([[  50,  127],
           [   0, -127]], dtype=int8), array([[0.02],
           [1.  ]], dtype=float32))
    """
    ### BEGIN SOLUTION
    low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
    ends = integer_range(bits, symmetric)
    scale, zero_point = scale_and_zero_point(low, high, *ends, symmetric)
    return quantize(x, scale, zero_point, *ends), scale, zero_point
    ### END SOLUTION


# %% test="quantize-along" points=4
def by_formula(x, axis, bits, symmetric):
    """Integers, scale and zero point in float64, straight from the formulas."""
    low = np.minimum(x.min(axis=axis, keepdims=True), 0).astype(float)
    high = np.maximum(x.max(axis=axis, keepdims=True), 0).astype(float)
    largest = 2 ** (bits - 1) - 1
    if symmetric:
        scale = np.maximum(-low, high) / largest
        return np.rint(x / scale), scale, np.zeros_like(scale)
    scale = (high - low) / (2 * largest + 1)
    zero_point = np.rint(-largest - 1 - low / scale)
    return np.clip(np.rint(x / scale) + zero_point, -largest - 1, largest), scale, zero_point


def check_along(shape, axis, bits=8, symmetric=False):
    x = drawn(*shape, seed=bits) * 3 + 0.5
    kept = x.copy()
    wanted = by_formula(x, axis, bits, symmetric)
    found = quantize_along(x, axis, bits, symmetric)
    about = f"shape {shape}, axis={axis}, bits={bits}, symmetric={symmetric}"
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    kinds = {"integers": "int8", "scale": "float32", "zero point": "int32"}
    for (name, kind), a, b in zip(kinds.items(), found, wanted):
        came = type(a).__name__
        assert hasattr(a, "dtype"), f"{about}: the {name} came back as {came}, no array"
        assert a.shape == b.shape, (
            f"{about}: the {name} came back with shape {a.shape}, and {b.shape} is wanted"
        )
        assert a.dtype == kind, f"{about}: the {name} came back as {a.dtype}, not as {kind}"
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-5, err_msg=f"scale, {about}")
    np.testing.assert_array_equal(found[2], wanted[2], err_msg=f"zero point, {about}")
    differ = np.abs(found[0] - wanted[0])  # by 1 near halves
    place = np.unravel_index(differ.argmax(), shape)
    about += f": {x[place]:.4g} became {found[0][place]}, and {wanted[0][place]:.0f} is wanted"
    assert differ.max() <= 1, about
    assert (differ > 0).mean() < 0.02, f"{about}; {np.count_nonzero(differ)} integers differ"


def test_a_tensor_or_each_of_its_rows_has_a_scale():
    check_along((5, 7), None)
    check_along((5, 7), 1)
    check_along((7, 5), 0)
    check_along((7, 5), -1)


def test_filters_and_groups_have_a_scale():
    for axis in ((1, 2, 3), (2, 3), (0, 2, 3), None):
        check_along((4, 3, 5, 2), axis)
    check_along((4, 3, 32), 2, 4)


def test_symmetric_and_with_fewer_bits():
    for bits in (8, 4, 3, 2):
        check_along((6, 40), 1, bits, True)
        check_along((6, 40), 1, bits, False)


def test_halves_go_to_the_even_integer_and_then_comes_the_zero_point():
    q, *_ = quantize_along(np.float32([-127, 0.5, 1.5, 128]))
    message = "[-127, 0.5, 1.5, 128] has the scale 1 and the zero point -1, as in `quantize`"
    np.testing.assert_array_equal(q, [-128, -1, 1, 127], err_msg=message)


def test_rounding_leads_to_no_integer_that_is_not_there():
    for bits, x in ((4, np.float32([-7.5, 1, 7.5])), (3, np.float32([-3.5, 0, 3.5]))):
        q, *_ = quantize_along(x, 0, bits)
        most = 2 ** (bits - 1) - 1
        message = (
            f"{x.tolist()} became {q.tolist()}; with {bits} bits the largest integer is to be "
            f"{most}, as integer_range says"
        )
        assert q.max() == most, message


# %% [markdown]
# How many bits does the network need? Round its weights to a few bits and back, with `dequantize(quantize_along(...))`,
# layer by layer, and measure the accuracy. (`round_weights`, given later, does this to any model.)


# %%
def rounded_copy(model, bits, axis, symmetric=True):
    """A copy whose weights have been rounded to integers and converted back."""
    model = copy.deepcopy(model)
    for layer in model.modules():
        if isinstance(layer, Linear):
            w = layer.weight.array
            w[...] = dequantize(*quantize_along(w, axis, bits, symmetric))
    return model


print(f"float32: {right(mlp):.1f} % right")
for bits in (8, 4, 3, 2):
    shares = [
        f"{name} {right(rounded_copy(mlp, bits, axis, symmetric)):5.1f}"
        for name, axis, symmetric in (
            ("per tensor", None, True),
            ("per channel", 1, True),
            ("affine", 1, False),
        )
    ]
    print(f"{bits} bits: {', '.join(shares)}")


# %% [markdown]
# One held-out digit is 0.28 points, so differences of a few tenths mean nothing. At 8 bits no damage is visible; at 2
# the choices matter. Two bits give only three numbers if symmetric ($-1, 0, 1$), four if affine.
#
# ## 4. Which range
#
# Minimum and maximum keep every number inside. Is that best? With few integers it can be better to clip the rare large
# numbers, which gives smaller steps for all others. A range that is too narrow causes *clipping error*; one that is too
# wide causes *rounding error*. The mean squared error counts both. So search: shrink the range step by step, quantize,
# compare, and keep the best. (Banner et al., 2019, find the optimum by formula for known distributions; a search works
# for any.)
#
# <details><summary>Hint 1</summary>The factors go down in equal steps: the whole range first, never zero.
# <code>np.linspace</code> can leave out its endpoint. Multiply both ends by each.</details>
# <details><summary>Hint 2</summary>Keep the smallest error so far and its two ends; start with infinity. Only a smaller
# error replaces them.</details>
# <details><summary>Hint 3</summary>Quantize x with the candidate's scale and zero point, dequantize it again, and take
# the mean of the squared differences from x.</details>


# %% stub="mse-range"
#| export
def mse_range(x, quant_min, quant_max, symmetric=False, candidates=64):
    """Find the range whose integers have the smallest mean squared error.

    Candidates are (f low, f high) for the factors f = 1, 1 - 1/candidates, ..., 1/candidates,
    where low is the minimum of x and high the maximum, even if both are above 0. Of ranges
    with equal errors the widest counts.

    Args:
        x: an array of float32 of any shape; it is not changed.
        quant_min, quant_max: the smallest and the largest integer.
        symmetric: passed on to `scale_and_zero_point`.
        candidates: how many ranges are tried.

    Returns:
        (low, high), two numbers.

    >>> x = np.float32([-3, -2, -1, 0, 1, 2, 3])
    >>> low, high = mse_range(x, -3, 3, symmetric=True)
    >>> float(low), float(high)
    (-3.0, 3.0)
    """
    ### BEGIN SOLUTION
    smallest, best = np.inf, (x.min(), x.max())
    for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        low, high = factor * x.min(), factor * x.max()
        scale, zero_point = scale_and_zero_point(low, high, quant_min, quant_max, symmetric)
        q = quantize(x, scale, zero_point, quant_min, quant_max)
        error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        if error < smallest:
            smallest, best = error, (low, high)
    return best
    ### END SOLUTION


# %% test="mse-range" points=5
def error_of(x, low, high, quant_min, quant_max, symmetric):
    """The mean squared error of a range, in float64, by the formulas of sections 1 and 2."""
    low, high = min(float(low), 0), max(float(high), 0)
    if symmetric:
        scale, zero_point = max(-low, high) * 2 / (quant_max - quant_min), 0
        zero_point = (quant_min + quant_max + 1) // 2
    else:
        scale = (high - low) / (quant_max - quant_min)
        zero_point = np.rint(quant_min - low / scale)
    q = np.clip(np.rint(x / scale) + zero_point, quant_min, quant_max)
    return ((scale * (q - zero_point) - x.astype(float)) ** 2).mean()


def check_range(x, quant_min, quant_max, symmetric, candidates=64):
    kept = x.copy()
    factors = 1 - np.arange(candidates) / candidates
    ends = quant_min, quant_max, symmetric
    errors = [error_of(x, f * x.min(), f * x.max(), *ends) for f in factors]
    low, high = mse_range(x, quant_min, quant_max, symmetric, candidates)
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    about = f"integers {quant_min}..{quant_max}, symmetric={symmetric}, {candidates} ranges"
    about += f", x = {x.tolist()}" if x.size < 10 else ""
    near = np.abs(factors * x.max() - high) < 1e-4 * abs(float(x.max()))
    assert near.any(), (
        f"high came back as {high:.4g}, {high / x.max():.4f} of the largest number, "
        f"{x.max():.4g}; none of the {candidates} factors gives it\n{about}"
    )
    factor = factors[near.argmax()]
    message = f"high has the factor {factor}, and low is to have the same\n{about}"
    np.testing.assert_allclose(low, factor * x.min(), rtol=1e-3, err_msg=message)
    wanted = factors[int(np.argmin(errors))]
    found = errors[near.argmax()]
    assert found <= min(errors) * 1.001, (
        f"the range of the factor {factor:.4f} came back, whose error is {found:.4g}; that of "
        f"the factor {wanted:.4f} is wanted, whose error is {min(errors):.4g}\n{about}"
    )


def test_the_best_range_of_a_few_numbers():
    x = np.tile(np.float32([-1, 1]), 300)
    x[:3] = -4, 4, -4  # with the factor 1 all of them are met exactly
    check_range(x, -4, 4, True, candidates=4)
    check_range(np.float32([-4, -3, -1, -1, 0, 0, 1.5, 2]), -2, 1, False, candidates=16)


def test_the_range_has_the_smallest_squared_error():
    for bits in (2, 3, 4):
        for symmetric in (True, False):
            check_range(
                drawn(700, seed=bits) + 0.3, *integer_range(bits, symmetric), symmetric
            )
    for ends in ((0, 15, False), (-7, 7, False), (-8, 7, True)):
        check_range(np.abs(drawn(20, 30)), *ends)


def test_as_many_ranges_are_tried_as_asked():
    check_range(drawn(500), -3, 3, True, candidates=10)
    check_range(drawn(500, seed=1), -1, 1, True, candidates=7)
    x = np.tile(np.float32([-1, 1]), 500)
    x[0] = 16
    check_range(x, -1, 1, True, candidates=16)  # the last factor, 1/16, is the best one


def test_numbers_may_be_large_or_small():
    for size in (1e2, 1e4, 1e9, 1e-4):
        check_range(drawn(300, seed=7) * size, -1, 1, True)


def test_nothing_is_cut_where_nothing_is_gained():
    x = np.arange(-7, 8, dtype=np.float32)
    low, high = mse_range(x, -7, 7, True)
    assert (low, high) == (-7, 7), f"these 15 numbers are met exactly; got {low}, {high}"
    for x in ([-1e-9, 2e-9], [1e-9, 1e-9]):
        x = np.float32(x)  # the smallest scale is far larger, so all become 0
        wanted = (x[0], x[-1])
        low, high = mse_range(x, -7, 7, True)
        assert (low, high) == wanted, (
            f"of ranges with equal errors the widest counts: {x.tolist()}; the ends that came "
            f"back are {low / x[0]:.4g} and {high / x[-1]:.4g} of its ends"
        )
    low, high = mse_range(np.zeros(3, np.float32), -7, 7)
    assert (low, high) == (0, 0), f"of zeros the range is 0 to 0, not {low} to {high}"


# %% [markdown]
# Your function is used by an **observer**, which is given: a module that looks at the tensors that pass through it, and
# afterwards proposes a range. `MinMaxObserver` keeps the extremes, `PercentileObserver` leaves out a small share of the
# largest and smallest numbers, `MSEObserver` calls your search.


# %%
#| export
from tinytorch.given.quantization.observers import *


# %% [markdown]
# Compare them on numbers from a normal distribution, with and without one outlier among ten thousand.


# %%
numbers = np.random.default_rng(0).standard_normal(10_000).astype(np.float32)
spoiled = numbers.copy()
spoiled[0] = 40
observers = {"min-max": MinMaxObserver, "MSE": MSEObserver, "99.9 %": PercentileObserver}
for bits in (8, 4):
    ends = integer_range(bits)
    for case, seen in (("clean", numbers), ("with an outlier", spoiled)):
        line = []
        for name, observer in observers.items():
            watching = observer(dtype=qint8, quant_min=ends[0], quant_max=ends[1])
            watching(wrap(seen))
            scale, zero_point = (x.array for x in watching.calculate_qparams())
            back = dequantize(quantize(numbers, scale, zero_point, *ends), scale, zero_point)
            line.append(f"{name} {np.sqrt(((back - numbers) ** 2).mean()):.4f}")
        print(f"{bits} bits, {case:16} rms error of the clean numbers: {', '.join(line)}")


# %% [markdown]
# At 8 bits, on clean numbers, the minimum and maximum are as good as the others, or better. The outlier makes their
# steps coarse. The range by squared error clips part of the outlier at 4 bits, and nothing at 8: clipping a far outlier
# costs the *square* of the distance. Percentiles ignore how far away it is, at the price of clipping genuine tails.
#
# ## 5. A product of integers
#
# Now the layer. Its weights are integers $q_w$, its inputs integers $q_x$, and its sums are $\sum_k q_x q_w$. A product
# of two int8 needs 16 bits ($-128 \cdot -128$ is $2^{14}$, and there is a sign). A sum of $K$ products needs more, so
# hardware multiplies int8 and accumulates in int32. NumPy offers two ways, both bad:
#
# - `x @ weight.T` on int8 *stays* int8, and overflows silently;
# - after `astype(np.int32)` the result is right, but slow: BLAS multiplies only floats.
#
# **Predict:** how many times as long does the product of int32 take, compared with that of float32, for (64, 512) times
# (512, 512)? Put a number into the next cell; predictions are printed beside what is measured, and never graded.


# %%
predicted_int32 = None  # times as long; a number


# %%
x8, w8 = (
    np.random.default_rng(s).integers(-127, 128, (64, 512)).astype(np.int8) for s in (0, 1)
)
print("as int8: ", (x8 @ w8.T)[0, :4])
print("as int32:", (x8.astype(np.int32) @ w8.T.astype(np.int32))[0, :4])
xf, wf = x8.astype(np.float32), w8.astype(np.float32)
wide = x8.astype(np.int32), w8.T.astype(np.int32)
slow = measure_latency(lambda: wide[0] @ wide[1], warmup=1, repeats=5)
fast = measure_latency(lambda: xf @ wf.T, warmup=1, repeats=5)
print(f"int32:   {slow}\nfloat32: {fast}")
compare(predicted_int32, slow.minimum / fast.minimum, "times")


# %% [markdown]
# But a float32 represents integers exactly up to $2^{24}$. So let BLAS multiply floats that *are* integers. The sums
# are exact as long as no partial sum exceeds $2^{24}$, whatever the order of the additions:
#
# $$K \cdot 127 \cdot 127 \le 2^{24} \quad\Longrightarrow\quad K \le 1040$$
#
# With $-128$ on both sides the limit is 1,024. So cut longer rows into pieces of 1,024: each piece is exact in float32;
# add the pieces in int32.
#
# And the weights must not be converted to floats all at once, or the layer would need five bytes per weight instead of
# one. Convert one block of rows at a time, always into the same buffer. (`check_integers`, given, checks that both are
# int8 matrices whose shapes fit.)
#
# ```
#    weight int8 (O, K)         K in pieces of 1,024                 sums int32 (N, O)
#    +------------------+                                            +--------------+
#    | rows of a block  | --> buffer float32 --> BLAS --> += int32   |   columns    |
#    |                  |     (the same each time)                   |   of a block |
# ```
#
# <details><summary>Hint 1</summary>Two loops: over pieces of the columns, and inside over blocks of <code>step</code>
# rows of the weight. Add to <code>sums</code>, which begins with zeros, by <code>+=</code>.</details>
# <details><summary>Hint 2</summary>Convert the piece of x to float32 once, before the inner loop. The last block and
# the last piece may be smaller: use <code>block = buffer[:rows, :columns]</code>.</details>
# <details><summary>Hint 3</summary><code>block[...] = ...</code> casts into the buffer. The product of the float32
# piece and the transposed block has the sums of these rows of the weight, which are columns of <code>sums</code>:
# convert them to int32 before adding.</details>


# %% stub="integer-product"
#| export
EXACT = 1024  # products of two int8 that a float32 sums exactly: 1024 * 128 * 128 is 2**24
BLOCK = 2**18  # weights that are floats at any one time: 1 MiB


class IntegerProduct(Function):
    @staticmethod
    def forward(ctx, x, weight):
        """Multiply integer matrices exactly: x weightᵀ.

        Blocks of weight rows become float32 in one reused buffer of at most BLOCK numbers, and
        are multiplied by BLAS, in pieces of at most EXACT columns; pieces are added as int32.

        Args:
            x: int8 (N, K).
            weight: int8 (O, K).

        Returns:
            int32 (N, O).

        >>> IntegerProduct.forward(Context(), np.int8([[127, -128]]), np.int8([[127, 127]]))
        array([[-127]], dtype=int32)
        """
        check_integers(x, weight)
        sums = np.zeros((len(x), len(weight)), np.int32)
        step = max(1, BLOCK // EXACT)
        buffer = np.empty((min(step, len(weight)), min(EXACT, x.shape[1])), np.float32)
        ### BEGIN SOLUTION
        for start in range(0, x.shape[1], EXACT):
            part = x[:, start : start + EXACT].astype(np.float32)
            for first in range(0, len(weight), step):
                rows = weight[first : first + step, start : start + EXACT]
                block = buffer[: rows.shape[0], : rows.shape[1]]
                block[...] = rows
                sums[:, first : first + step] += (part @ block.T).astype(np.int32)
        ### END SOLUTION
        return sums


# %% test="integer-product" points=8
def whole(low, high, *shape, seed=0):
    """Random integers, low to high inclusive, as int8."""
    return np.random.default_rng(seed).integers(low, high + 1, shape).astype(np.int8)


def check_product(x, weight, about):
    kept = x.copy(), weight.copy()
    wanted = x.astype(np.int64) @ weight.astype(np.int64).T
    found = IntegerProduct.forward(Context(), x, weight)
    np.testing.assert_array_equal(x, kept[0], err_msg="x belongs to the caller")
    np.testing.assert_array_equal(weight, kept[1], err_msg="weight belongs to the caller")
    assert found.dtype == np.int32, f"{found.dtype} came back, and int32 is wanted"
    assert found.shape == wanted.shape, (
        f"sums came back with shape {found.shape}, and {wanted.shape} is wanted"
    )
    np.testing.assert_array_equal(found, wanted, err_msg=about)


def test_sums_are_those_of_integers():
    for shape in ((1, 1, 1), (2, 3, 4), (5, 7, 300), (64, 10, 128)):
        n, o, k = shape
        x, weight = whole(-128, 127, n, k), whole(-127, 127, o, k, seed=1)
        check_product(x, weight, f"N, O, K = {shape}, random integers")


def test_sums_are_exact_at_the_limit_of_float32():
    for k in (1024, 1040, 1041, 2048, 2051, 4100):
        full = np.full((2, k), 127, np.int8)
        full[1] = -127
        check_product(full, full[::-1].copy(), f"K = {k}, every integer 127 or -127")
        odd = whole(126, 127, 3, k, seed=k)
        check_product(odd, whole(125, 127, 4, k), f"K = {k}, integers of 125 to 127")
    low = np.full((1, 1025), -128, np.int8)
    low[0, -1] = 1  # 1024 products of 2**14, and one that makes the sum odd
    check_product(low, low, "1,024 times -128 x -128, and 1")


def test_more_rows_than_a_block_holds():
    for o in (3 * BLOCK // EXACT, BLOCK // EXACT + 1, BLOCK // EXACT - 1):
        check_product(whole(-128, 127, 2, 40), whole(-127, 127, o, 40), f"{o} rows of weights")
    check_product(whole(-9, 9, 2, 1100), whole(-9, 9, 300, 1100), "300 rows, K = 1,100")


def test_nothing_and_no_contiguous_memory_are_fine():
    check_product(whole(-9, 9, 0, 4), whole(-9, 9, 3, 4), "no rows of x")
    wide = whole(-128, 127, 6, 10)
    check_product(wide[:, ::2], wide[::2, 1::2], "every other column and row")


def test_a_second_product_leaves_the_first_alone():
    pairs = [(whole(-9, 9, 3, 40, seed=i), whole(-9, 9, 4, 40, seed=i + 2)) for i in (0, 1)]
    found = [IntegerProduct.forward(Context(), x, weight) for x, weight in pairs]
    for which, (x, weight), sums in zip(("first", "second"), pairs, found):
        wanted = x.astype(np.int64) @ weight.astype(np.int64).T
        message = f"the {which} of two products of equal shapes, after both were computed"
        np.testing.assert_array_equal(sums, wanted, err_msg=message)


def test_the_weights_are_never_floats_all_at_once():
    for o, k in ((2048, 2048), (256, 16384)):
        x, weight = np.ones((1, k), np.int8), np.ones((o, k), np.int8)
        tracemalloc.start()
        IntegerProduct.forward(Context(), x, weight)
        peak = round(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
        assert peak < 3, (
            f"it took {peak} MiB for weights of {o} x {k}, which are 4 MiB; `buffer`, which "
            "holds a block of them as floats, is 1 MiB"
        )


# %% [markdown]
# Correct results on random integers prove nothing: their products cancel, and the sums stay small. It takes extreme
# values, as in the test.


# %%
for k in (1024, 1040, 1041, 2049):
    uniform = np.random.default_rng(0).integers(-127, 128, (200, k)).astype(np.int8)
    full = np.full((200, k), 127, np.int8)
    wrong = []
    for integers in (uniform, full):
        sums = integers.astype(np.float32) @ integers[:50].astype(np.float32).T
        exact = integers.astype(np.int64) @ integers[:50].astype(np.int64).T
        wrong.append(f"{np.mean(sums != exact):4.0%}")
    print(
        f"K = {k}, float32 in one go: {wrong[0]} wrong if uniform, {wrong[1]} if all are 127"
    )


# %% [markdown]
# ## 6. A linear layer of integers
#
# Put $x = s_x (q_x - z)$ and $w = s_w q_w$ into the layer's sum, and factor out what does not depend on $k$:
#
# $$y_o = \sum_k x_k w_{ok} + b_o = s_x s_{w,o} \Big(\sum_k q_{x,k}\, q_{w,ok} \;-\; z \sum_k q_{w,ok}\Big) + b_o$$
#
# The first sum is the product of integers, by `IntegerProduct.apply`, which a faster product can replace later. The
# second, the sum of a row of weights, does not depend on the input: the layer keeps it as `weight_sums`. If the weights
# had a zero point too, there would be two more sums, one of them over the inputs: that is why weights are symmetric.
#
# Each **row** of x has its own $s_x$ and $z$: it is quantized by its own minimum and maximum (*dynamic* quantization),
# so its answer does not depend on the other rows of the batch. `layer.quantize_input(x, axis=1)`, given, calls your
# `quantize_along`; in a calibrated layer (section 8) it uses the calibrated scale. Scales and zero points come as
# columns (N, 1).
#
# <details><summary>Hint 1</summary>The arrays of the layer: <code>layer.weight.array</code>, int8 (O, I);
# <code>layer.weight_scale.array</code> and <code>layer.weight_sums.array</code>, (O,). <code>layer.bias</code> is None
# or a tensor (O,).</details>
# <details><summary>Hint 2</summary><code>IntegerProduct.apply</code> takes two Tensors, and returns the sums as one,
# int32 (N, O). <code>wrap</code> makes a Tensor.</details>
# <details><summary>Hint 3</summary>int32 with float32 makes float64: subtract in integers, convert the difference to
# float32, then multiply by the scales.</details>


# %% stub="linear-forward"
#| export
def linear_forward(layer, x):
    """Compute a linear layer from integers.

    y = scale_x scale_w (q_x q_wᵀ - zero_point sums_w) + bias

    Args:
        layer: a QuantizedLinear, with the Tensors `weight` int8 (O, I), `weight_scale`,
            `weight_sums`, `bias` (O,) or None, and with `quantize_input(x, axis)`.
        x: an array of float32 (N, I), N may be 0, not a Tensor; it is not changed.

    Returns:
        An array of float32 (N, O), not a Tensor. The product is computed by
        `IntegerProduct.apply`, and the difference in integers, where it is exact.
    """
    ### BEGIN SOLUTION
    q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
    sums = IntegerProduct.apply(wrap(q), layer.weight).array  # (N, O)
    output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
    output *= scale * layer.weight_scale.array
    return output if layer.bias is None else output + layer.bias.array
    ### END SOLUTION


# %% test="linear-forward" points=7
class Held:
    """A layer as `linear_forward` and `conv2d_forward` see it, made of arrays."""

    def __init__(self, weight, bias=None, **moves):
        rows = weight.reshape(len(weight), -1)
        scale = np.abs(rows).max(axis=1) / np.float32(127)
        integers = np.rint(weight / scale.reshape(-1, *[1] * (weight.ndim - 1)))
        self.weight, self.weight_scale = wrap(integers.astype(np.int8)), wrap(scale)
        sums = integers.reshape(len(weight), -1).sum(axis=1).astype(np.int32)
        self.weight_sums, self.bias = wrap(sums), None if bias is None else wrap(bias)
        self.asked = []
        self.made = {name: x.copy() for name, x in self.arrays().items()}
        vars(self).update(moves)

    def arrays(self):
        held = {
            name: getattr(self, name)
            for name in ("weight", "weight_scale", "weight_sums", "bias")
        }
        return {name: x.array for name, x in held.items() if x is not None}

    def check_unchanged(self):
        for name, x in self.arrays().items():
            message = f"{name} of the layer is changed, its shape or its numbers"
            np.testing.assert_array_equal(x, self.made[name], err_msg=message, strict=True)

    def quantize_input(self, x, axis):
        """By NumPy alone, each row or image by its own range; calls are recorded."""
        self.given = x = np.asarray(x, np.float32)
        which, dims = ("row", "image")[self.weight.ndim > 2], self.weight.ndim
        assert x.ndim == dims, (
            f"layer.quantize_input is to get {which}s, an array of {dims} dimensions; it was "
            f"given one of {x.shape}"
        )
        low = np.minimum(x.min(axis=axis, keepdims=True), np.float32(0))
        high = np.maximum(x.max(axis=axis, keepdims=True), np.float32(0))
        scale = np.maximum((high - low) / np.float32(255), np.float32(EPS))
        shape, wanted = scale.shape, (len(x), *[1] * (dims - 1))
        assert shape == wanted, (
            f"one scale for each {which}, {wanted}, is wanted; x is {x.shape}, and the axis "
            f"that was given makes {shape} of it"
        )
        zero_point = (-128 - np.rint(low / scale)).astype(np.int32)
        q = np.clip(np.rint(x / scale) + zero_point, -128, 127).astype(np.int8)
        self.asked.append((q, scale, zero_point))
        return q, scale, zero_point

    def seen(self):
        """The numbers that the last integers of the input stand for."""
        q, scale, zero_point = self.asked[-1]
        return scale.astype(float) * (q.astype(float) - zero_point)

    def weights(self):
        """The numbers that the integers of the weight stand for."""
        shape = (-1, *[1] * (self.weight.ndim - 1))
        return self.weight.array * self.weight_scale.array.reshape(shape).astype(float)


def check_close(found, wanted, says, about):
    """Compare with the result of the dequantized numbers; name the first difference."""
    kind = type(found).__name__
    assert isinstance(found, np.ndarray), f"a {kind} came back, and an array is wanted"
    assert found.dtype == np.float32, f"{found.dtype} came back, and float32 is wanted"
    message = f"the shape is {found.shape}, and {wanted.shape} is wanted\n{about}"
    assert found.shape == wanted.shape, message
    limit = 1e-4 * np.abs(wanted) + 1e-5 * np.abs(wanted).max(initial=0)
    wrong = np.argwhere(~(np.abs(found - wanted) <= limit))
    for place in map(tuple, wrong[:1].tolist()):
        raise AssertionError(
            f"the number at {place} is {found[place]:.4g}, and {wanted[place]:.4g} is wanted: "
            f"{says}\n{about}; {len(wrong)} of {wanted.size} numbers differ"
        )


def products_asked(run):
    """Shapes and types of what IntegerProduct.apply is given while something runs."""
    asked, apply = [], IntegerProduct.apply

    def noted(x, weight):
        asked.append(
            (tuple(x.shape), tuple(weight.shape), f"{x.dtype.name} {weight.dtype.name}")
        )
        return apply(x, weight)

    IntegerProduct.apply = staticmethod(noted)
    try:
        run()
    finally:
        del IntegerProduct.apply
    assert asked, (
        "IntegerProduct.apply was not called; a faster product is to replace it later"
    )
    kinds = {kind for _, _, kind in asked}
    assert kinds == {"int8 int8"}, (
        f"IntegerProduct was given {kinds}, and int8 for both is wanted"
    )
    return asked


def check_linear(n, i, o, says, bias=False, lift=0.7, scale=1.0, seed=0):
    x = np.clip(drawn(n, i, seed=seed), -1.28, 1.27) + np.float32(lift)
    x[:, :2] = np.float32([-1.28, 1.27]) + np.float32(lift)
    x *= np.float32(scale)
    layer = Held(drawn(o, i, seed=1), drawn(o, seed=2) if bias else None)
    kept = x.copy()
    found = linear_forward(layer, x)
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    layer.check_unchanged()
    about = f"N, I, O = {n, i, o}, {'with' if bias else 'without'} bias"
    assert len(layer.asked) == 1, "the input is quantized once, by layer.quantize_input"
    about += f", zero points {layer.asked[0][2].ravel()[:3].tolist()}"
    message = f"layer.quantize_input is to get x as it is: {about}"
    np.testing.assert_array_equal(layer.given, x, err_msg=message)
    wanted = layer.seen() @ layer.weights().T + (layer.bias.array if bias else 0)
    check_close(found, wanted, says, about)


def test_sums_are_scaled_where_the_zero_point_is_0():
    says = "the sums, times the scale of the row and that of the output"
    for sizes in ((1, 4, 3), (5, 8, 2), (7, 30, 30), (3, 1100, 9)):
        check_linear(*sizes, says, lift=0)
    check_linear(4, 16, 6, says, lift=0, scale=50.0)
    check_linear(4, 16, 6, says, lift=0, scale=0.01)


def test_the_zero_point_times_the_sum_of_the_weights_is_taken_off():
    says = "subtract the zero point times weight_sums from the sums"
    for sizes in ((1, 4, 3), (5, 8, 2), (3, 1100, 9)):
        check_linear(*sizes, says, seed=234)
        check_linear(*sizes, says, lift=-2.0, seed=4)


def test_the_bias_is_added_as_it_is():
    says = "the bias is added last, and is not scaled"
    for sizes in ((1, 4, 3), (7, 30, 30), (3, 1100, 9)):
        check_linear(*sizes, says, bias=True)
    check_linear(4, 16, 6, says, bias=True, scale=50.0)


def test_a_row_has_its_answer_whoever_its_neighbours_are():
    x = drawn(6, 20)
    layer = Held(drawn(4, 20, seed=1), drawn(4, seed=2))
    alone = linear_forward(layer, x[2:3].copy())[0]
    x[3] *= 1000
    among = linear_forward(layer, x)[2]
    message = "row 2 alone, and next to a row that is 1,000 times as large"
    np.testing.assert_allclose(among, alone, rtol=1e-5, atol=1e-6, err_msg=message)


def check_two_calls(forward, layer, *inputs):
    """Compare what one layer answers in two calls with what it answers in one."""
    alone = [forward(layer, x.copy()).copy() for x in inputs]
    found = [forward(layer, x.copy()) for x in inputs]
    for which, a, b in zip(("first", "second"), found, alone):
        message = f"the {which} answer of a layer that is called twice, after both calls"
        np.testing.assert_array_equal(a, b, err_msg=message)
    same = np.allclose(*alone)
    assert not same, "the second input got the answer of the first"


def test_two_calls_of_one_layer_have_their_own_answers():
    layer = Held(drawn(4, 20, seed=1), drawn(4, seed=2))
    check_two_calls(linear_forward, layer, drawn(3, 20, seed=3), drawn(3, 20, seed=4))


def check_nan(forward, layer, x):
    """Compare answers to three rows or images, of which the middle one gets a NaN."""
    quantize_input, wanted = layer.quantize_input, forward(layer, x.copy())

    def unknown(x, axis):
        """A NaN has no integer, so the scale is NaN in its place."""
        bad = np.isnan(x).any(axis=axis, keepdims=True)
        q, scale, zero_point = quantize_input(np.where(bad, np.float32(0), x), axis)
        return q, np.where(bad, np.float32(np.nan), scale), zero_point

    layer.quantize_input = unknown
    x[1].flat[0], wanted[1] = np.nan, np.nan
    found = forward(layer, x)
    answer = found[1].flat[0]
    assert np.isnan(found[1]).all(), (
        "the second of three inputs has a NaN, so `quantize_input` returns NaN as its scale, "
        f"and its answer is to be NaN; it begins with {answer:.4g}"
    )
    message = "of three inputs the second has a NaN, and only its answer is NaN"
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=message)


def test_a_row_with_nan_has_the_answer_nan():
    check_nan(linear_forward, Held(drawn(4, 20, seed=1), drawn(4, seed=2)), drawn(3, 20))


def large_sums_that_nearly_cancel(*ones):
    """A layer, and its input with zero point -115: sums near 2**26, and small differences."""
    weight = np.ones((3, 4200, *ones), np.float32)
    weight[:, 0].flat[:], weight[:, 1] = np.float32([1, 3, 7]) / 127, 0
    x = np.zeros((1, 4200, *ones), np.float32)
    x[:, 0], x[:, 1] = 242, -13
    return Held(weight, kernel_size=ones, stride=ones, padding=(0, 0), dilation=ones), x


def test_the_difference_of_large_sums_is_exact():
    layer, x = large_sums_that_nearly_cancel()
    found, wanted = linear_forward(layer, x), np.float32([[1, 3, 7]]) * (242 / 127)
    says = "the sums are beyond 2**24, where float32 is not exact"
    check_close(found, wanted, says, "N, I, O = (1, 4200, 3), zero point -115")


def test_no_rows_have_no_answers():
    found = linear_forward(Held(drawn(4, 20), drawn(4, seed=2)), drawn(0, 20))
    check_close(found, np.zeros((0, 4)), "there are no rows", "N, I, O = (0, 20, 4)")


def test_sums_are_computed_by_apply_of_integer_product():
    asked = products_asked(lambda: linear_forward(Held(drawn(4, 20)), drawn(3, 20)))
    shapes = [shapes for *shapes, _ in asked]
    assert sum(a[0] * b[0] for a, b in shapes) == 3 * 4, (
        f"(3, 20) and (4, 20) are to be multiplied once; these were multiplied: {shapes}"
    )


# %% [markdown]
# ## 7. A convolution of integers
#
# Module 09's `im2col` writes the contents of each window into a column; it only copies, so it works for int8 too, with
# a quarter of the bytes. Each position of the window is then a row of $C\,k_h\,k_w$ integers, each filter another, and
# the convolution is your integer product, with a scale for each *image*.
#
# There is one trap: the padding. Zeros are not padded with the integer 0, because the integer that stands for zero is
# $z$, which differs between images. So pad the image *before* you quantize: `padded(x, window)` does it, and afterwards
# the window needs no padding.
#
# ```
#   images --padded--> with padding --quantize_input(axis=(1, 2, 3))--> integers (N, C, H+2p, W+2p)
#     --im2col, no padding--> (N, C, kh, kw, H', W') --> rows (N H' W', C kh kw)
#     --IntegerProduct--> (N H' W', O) --scales, bias--> (N, O, H', W')
# ```
#
# <details><summary>Hint 1</summary><code>window_over</code> makes the window, from (H, W) and the layer's four options.
# Which padding is left once the images are padded? (<code>_replace</code> changes a named tuple.)
# <code>window.places</code> are (H', W').</details>
# <details><summary>Hint 2</summary>With K = C kh kw and P = H' W' the columns are (N, K, P). In which order can you
# shape them to rows (N P, K)? The filters are (O, K).</details>
# <details><summary>Hint 3</summary>Shape the sums to (N, P, O), and scale and zero point to (N, 1, 1); then the formula
# is the linear layer's. At the end <code>transpose(0, 2, 1)</code> and shape to (N, O, H', W').</details>


# %% stub="conv2d-forward"
#| export
def conv2d_forward(layer, x):
    """Compute a convolution from integers, with one scale for each image.

    Args:
        layer: a QuantizedConv2d, with the Tensors that a QuantizedLinear has, `weight` being
            int8 (O, C, kh, kw), and kernel_size, stride, padding, dilation, a pair each.
            Its `quantize_input` gets the padded images.
        x: images, an array of float32 (N, C, H, W), N may be 0; they are not changed.

    Returns:
        An array of float32 (N, O, H', W'), not a Tensor. The product is computed by
        `IntegerProduct.apply`, and the difference in integers, as in a linear layer.
    """
    ### BEGIN SOLUTION
    moves = layer.kernel_size, layer.stride, layer.padding, layer.dilation
    window = window_over(x.shape[2:], *moves)
    q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
    columns = im2col(q, window._replace(padding=(0, 0)))  # (N, C, kh, kw, H', W')
    n, o, p = len(x), len(layer.weight), window.places[0] * window.places[1]
    filters = layer.weight.array.reshape(o, -1)  # (O, K)
    k = filters.shape[1]
    rows = columns.reshape(n, k, p).transpose(0, 2, 1).reshape(n * p, k)
    sums = IntegerProduct.apply(wrap(rows), wrap(filters)).array.reshape(n, p, o)
    sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
    output = sums.astype(np.float32) * (scale.reshape(n, 1, 1) * layer.weight_scale.array)
    output = output if layer.bias is None else output + layer.bias.array
    return output.transpose(0, 2, 1).reshape(n, o, *window.places)
    ### END SOLUTION


# %% test="conv2d-forward" points=8
def slid(x, weight, bias, stride, padding, dilation):
    """A convolution by NumPy's sliding windows, in float64."""
    margins = [(p, p) for p in padding]
    x = np.pad(x, ((0, 0), (0, 0), *margins))
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:])]
    seen = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    seen = seen[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    output = np.einsum("nchwij,ocij->nohw", seen, weight)
    return output if bias is None else output + bias[:, None, None]


def held_filters(filters, bias=False, stride=(1, 1), padding=(0, 0), dilation=(1, 1)):
    moves = {"stride": stride, "padding": padding, "dilation": dilation}
    shift = drawn(filters[0], seed=2) if bias else None
    return Held(drawn(*filters, seed=1), shift, kernel_size=filters[2:], **moves), moves


def check_conv(shape, filters, says, lift=2.0, **options):
    layer, moves = held_filters(filters, **options)
    x = drawn(*shape) + np.float32(lift)
    kept = x.copy()
    found = conv2d_forward(layer, x)
    about = f"images {shape}, filters {filters}"
    about += "".join(f", {name} {option}" for name, option in options.items())
    np.testing.assert_array_equal(x, kept, err_msg="the images belong to the caller")
    layer.check_unchanged()
    assert len(layer.asked) == 1, "the images are quantized once, by layer.quantize_input"
    if layer.given.shape != x.shape:  # already padded
        x = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in moves["padding"])))
        moves["padding"] = (0, 0)
    reached = x[tuple(map(slice, layer.given.shape))]  # all that windows reach
    given, within = layer.given.shape, layer.given.shape == reached.shape
    assert within, (
        f"layer.quantize_input was given {given}; the images with their padding are {x.shape}"
        f"\n{about}"
    )
    message = f"layer.quantize_input is to get the images, padded with zeros: {about}"
    np.testing.assert_array_equal(layer.given, reached, err_msg=message)
    shift = None if layer.bias is None else layer.bias.array
    check_close(found, slid(layer.seen(), layer.weights(), shift, **moves), says, about)


def test_each_window_is_a_row_of_integers():
    says = "the sums over each window minus the zero point's, times both scales"
    check_conv((1, 1, 3, 3), (1, 1, 2, 2), says)
    says += "; with one image it was right"
    check_conv((2, 3, 6, 5), (4, 3, 3, 2), says)
    check_conv((2, 120, 4, 3), (3, 120, 3, 3), says)


def test_the_bias_of_each_filter_is_added():
    says = "the bias of each filter is added, and is not scaled"
    check_conv((2, 3, 6, 5), (4, 3, 3, 2), says, bias=True)


def test_strides_and_dilations():
    says = "stride and dilation say where the windows are"
    check_conv((3, 2, 8, 10), (5, 2, 3, 3), says, stride=(2, 3))
    check_conv((2, 2, 9, 8), (3, 2, 2, 3), says, bias=True, dilation=(2, 3))


def test_margins_stand_for_zero():
    says = "the padding is 0, which is a different integer in each image"
    check_conv((2, 1, 4, 4), (3, 1, 3, 3), says, padding=(1, 1))
    check_conv((2, 2, 5, 4), (3, 2, 3, 3), says, bias=True, padding=(2, 1), lift=-3.0)
    moves = {"stride": (2, 2), "padding": (1, 2), "dilation": (1, 2)}
    check_conv((2, 2, 7, 6), (3, 2, 3, 3), says, **moves)


def test_no_images_have_no_answers():
    layer, _ = held_filters((3, 2, 3, 3), bias=True, padding=(1, 1))
    found, about = conv2d_forward(layer, drawn(0, 2, 5, 4)), "images (0, 2, 5, 4), padding 1"
    check_close(found, np.zeros((0, 3, 5, 4)), "there are no images", about)


def test_an_image_with_nan_has_the_answer_nan():
    layer, _ = held_filters((4, 2, 3, 3), padding=(1, 1))
    check_nan(conv2d_forward, layer, drawn(3, 2, 3, 3))


def test_the_difference_of_large_sums_is_exact_in_a_convolution():
    layer, x = large_sums_that_nearly_cancel(1, 1)
    found = conv2d_forward(layer, x)
    wanted = np.float32([1, 3, 7]).reshape(1, 3, 1, 1) * (242 / 127)
    says = "the sums are beyond 2**24, where float32 is not exact"
    about = "images (1, 4200, 1, 1), filters (3, 4200, 1, 1), zero point -115"
    check_close(found, wanted, says, about)


def test_windows_are_multiplied_by_apply_of_integer_product():
    layer, _ = held_filters((4, 2, 3, 2))
    asked = products_asked(lambda: conv2d_forward(layer, drawn(3, 2, 5, 5)))
    shapes = [shapes for *shapes, _ in asked]
    sums = sum(x[0] * weight[0] for x, weight in shapes)
    assert sums == 3 * 3 * 4 * 4, (
        f"3 images of 3 x 4 windows, 4 filters: 144 sums; what was multiplied: {shapes}"
    )


def test_two_calls_of_one_convolution_have_their_own_answers():
    layer, _ = held_filters((4, 2, 3, 3), bias=True, padding=(1, 1))
    images = drawn(3, 2, 5, 5, seed=3), drawn(3, 2, 5, 5, seed=4)
    check_two_calls(conv2d_forward, layer, *images)


def test_every_image_has_its_own_scale():
    layer, _ = held_filters((4, 2, 3, 3), padding=(1, 1))
    x = drawn(3, 2, 5, 5)
    alone = conv2d_forward(layer, x[1:2].copy())[0]
    x[2] *= 1000
    among = conv2d_forward(layer, x)[1]
    message = "image 1 alone, and next to one that is 1,000 times as bright"
    np.testing.assert_allclose(among, alone, rtol=1e-5, atol=1e-5, err_msg=message)


# %% [markdown]
# The layers around your two functions are given: `QuantizedLinear(layer)` and `QuantizedConv2d(layer)` replace a float
# layer. Their weights are int8 *buffers*; they have no Parameters, and keep nothing of the float weight.


# %%
#| export
from tinytorch.given.quantization.integer_layers import *


# %%
layer = QuantizedLinear(mlp[1])
print(layer)
for name, kept in layer.state_dict().items():
    print(f"{name:14} {kept.dtype!s:14} {tuple(kept.shape)!s:10} {kept.array.nbytes:6} bytes")
error = (layer(unseen.flatten(1)) - mlp[1](unseen.flatten(1)).detach()).abs().max().item()
print(f"largest difference from the float layer's answers: {error:.4f}")


# %% [markdown]
# `weight_sums` is a buffer that is not part of the state dict: the sums are recomputed from the weight when a state is
# loaded.
#
# ## 8. A whole model
#
# A model is a tree of modules. To convert it, copy it, walk through the copy, and replace each layer that can be
# replaced. A function decides what a layer becomes, so that the same walk serves dynamic and static quantization, 4
# bits, and training:
#
# ```
#   replacement(name, module)  ->  another module: it replaces this one, and is not walked into
#                              ->  the module itself: it stays, and its children are visited
# ```
#
# The original must not change. Also handle a module that appears in *two* places (one layer used twice): it must be one
# module afterwards too, or its weights would be stored twice. Names are those of `named_modules`: the model itself is
# `""`, its children `"fc1"`, theirs `"block.fc1"`.
#
# <details><summary>Hint 1</summary>Write a function <code>visit(name, module)</code> that calls itself for the
# children, and returns the module's replacement.</details>
# <details><summary>Hint 2</summary><code>list(module._modules.items())</code> are the children by their names; one may
# be None. <code>setattr(module, key, visit(...))</code> replaces one.</details>
# <details><summary>Hint 3</summary>Look first in a dict <code>done</code> from each module to its replacement. A module
# can be a key itself.</details>


# %% stub="replace-layers"
#| export
def replace_layers(model, replacement):
    """Copy a model, and replace some of the modules in the copy.

    Args:
        model: a Module; neither it nor any module in it is changed.
        replacement: called with (name, module) for the copy and for each module below it,
            as `named_modules` lists them, once each; returns another module, which itself
            takes its place, or the module itself, whose children are then visited.

    Returns:
        The copy, or what replaces it.

    >>> model = Sequential(Linear(2, 3), Sequential(ReLU()))
    >>> replace_layers(model, lambda name, m: Flatten() if name == "1.0" else m)[1]
    Sequential(
      (0): Flatten(start_dim=1, end_dim=-1)
    )
    """
    ### BEGIN SOLUTION
    done = {}

    def visit(name, module):
        if module not in done:
            done[module] = replacement(name, module)
            if done[module] is module:
                for key, child in list(module._modules.items()):
                    if child is not None:
                        setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        return done[module]

    return visit("", copy.deepcopy(model))
    ### END SOLUTION


# %% test="replace-layers" points=6
class Marked(Module):
    """What takes the place of a layer in these tests."""

    def __init__(self, name):
        super().__init__()
        self.name = name


class Block(Module):
    """A module with a layer, which is no Sequential."""

    def __init__(self):
        super().__init__()
        self.fc = Linear(2, 2)


class Twice(Module):
    """A model with children, grandchildren, modules in two places, and one that is None."""

    def __init__(self):
        super().__init__()
        self.first = Linear(2, 2)
        self.body = Sequential(Linear(2, 2), ReLU(), Block())
        self.again, self.nothing = self.body[0], Linear(1, 1)
        self.nothing = None
        self.last, self.twin = self.first, self.body


def marked(name, module):
    """A replacement function for the tests: each Linear becomes a Marked."""
    kind = type(name).__name__
    assert isinstance(name, str), (
        f"`replacement` is to be called with the name, then the module; first came a {kind}"
    )
    return Marked(name) if type(module) is Linear else module


def test_layers_are_replaced_wherever_they_are():
    found = replace_layers(Twice(), marked)
    names = {
        name: module.name for name, module in found.named_modules() if hasattr(module, "name")
    }
    wanted = {name: name for name in ("first", "body.0", "body.2.fc")}
    assert names == wanted, "each Linear is to be replaced, and once, under its first name"
    assert type(found.body[1]) is ReLU, "what is not replaced stays where it is"
    assert isinstance(found, Twice), "the copy has the model's class"
    assert found.nothing is None, "a child that is None stays None"


def test_the_model_is_left_as_it_was():
    model = Twice()
    layers = list(model.modules())
    weights = [p.array.copy() for p in model.parameters()]

    def spoil(name, module):
        for p in module._parameters.values():
            p.array[...] = 0
        return marked(name, module)

    found = replace_layers(model, spoil)
    message = "modules of the original model were replaced, not those of the copy"
    assert list(model.modules()) == layers, message
    for p, before in zip(model.parameters(), weights):
        message = (
            "`replacement` is to get modules of the copy; here it set their weights to 0, "
        )
        message += "and a weight of the model itself has changed"
        np.testing.assert_array_equal(p.array, before, err_msg=message)
        assert p.requires_grad, "the parameters of the model itself still want gradients"
    assert not set(found.modules()) & set(layers), "the copy shares no module with the model"
    left = [name for name, _ in found.named_parameters()]
    assert not left, f"each Linear is to be replaced in all its places; {left[-1]!r} is left"


def test_a_replacement_may_be_of_the_same_type():
    other = Linear(2, 3)
    found = replace_layers(Sequential(Linear(2, 2)), lambda name, old: other if name else old)
    message = "the Linear '0' was to be replaced by another Linear, of 3 outputs"
    assert found[0].out_features == 3, message
    same = found[0] is other
    assert same, "what `replacement` returns is put in itself, and not a copy of it"


def test_one_module_in_two_places_stays_one():
    asked = []

    def once(name, module):
        asked.append(name)
        return marked(name, module)

    found = replace_layers(Twice(), once)
    places, one = (found.first, found.last), found.first is found.last
    assert one, (
        "`first` and `last` were one layer, and both are to be one Marked; in the copy they "
        f"are {' and '.join(type(place).__name__ for place in places)}, two modules"
    )
    assert found.again is found.body[0], "the same holds for two places at different depths"
    wanted = ["", "first", "body", "body.0", "body.1", "body.2", "body.2.fc"]
    assert asked == wanted, "`replacement` is to be called once for each module, parents first"


def test_each_module_stays_in_its_mode():
    model = Twice().train()
    model.body.eval()
    modes = [module.training for module in model.modules()]
    found = replace_layers(model, lambda name, module: module)
    for which, copied in ("the model", model), ("the copy", found):
        now = [module.training for module in copied.modules()]
        assert now == modes, f"`training` of the modules of {which} is what it was before"


def test_a_layer_alone_and_a_layer_that_is_not_walked_into():
    assert isinstance(replace_layers(Linear(2, 2), marked), Marked), (
        "the model itself can be replaced too"
    )

    asked = []

    def whole_block(name, module):
        asked.append(name)
        return Sequential(Linear(3, 3)) if name == "0" else marked(name, module)

    found = replace_layers(Sequential(Sequential(Linear(2, 2))), whole_block)
    assert type(found[0][0]) is Linear, "what has been put in is not walked into"
    assert asked == ["", "0"], (
        "`replacement` is to be called for '' and '0', and for nothing in a module that was "
        "replaced"
    )


def test_a_module_without_children_is_a_module():
    put_in = {"0": Marked("0"), "1": Sequential()}
    model = Sequential(Sequential(), Linear(2, 2))
    found = replace_layers(model, lambda name, module: put_in.get(name, module))
    kinds = [type(child).__name__ for child in found]
    assert kinds == ["Marked", "Sequential"], (
        "an empty Sequential, which counts as false, was to be replaced by a Marked, and a "
        f"Linear by an empty Sequential; the copy has {kinds}"
    )


def test_what_became_an_empty_sequential_is_replaced_once():
    asked, block = [], Sequential(Linear(2, 2))

    def removed(name, module):
        asked.append(name)
        return Sequential() if name and type(module) is Sequential else module

    found = replace_layers(Sequential(block, ReLU(), block), removed)
    assert asked == ["", "0", "1"], (
        "a block in the places 0 and 2 was replaced by an empty Sequential, which counts as "
        "false; `replacement` is to be called for these modules"
    )
    assert found[0] is found[2], "one module in two places stays one"


# %% [markdown]
# The conversions are given, and each is a replacement function for your walk:
#
# - `quantize_dynamic(model, {Linear, Conv2d})`: integer layers that measure each row or image at run time;
# - `quantize_static(model, batches, observer)`: an observer before each layer, some batches run through the model, and
#   then integer layers with a fixed input scale. PyTorch calls these two steps `prepare` and `convert`; both are here
#   too;
# - `round_weights(model, bits, ...)`: float weights that have been rounded to integers and converted back, at any
#   width.
#
# A layer whose weight is also used elsewhere, such as a GPT's head, which shares the token table, stays as it is:
# otherwise the integers would be a second copy.


# %%
#| export
from tinytorch.given.quantization.models import *


# %%
manual_seed(1)
lenet = train(LeNet(image_size=8), epochs=10, label_smoothing=0.1)
print(quantize_dynamic(lenet, {Linear, Conv2d}))


# %% [markdown]
# Now the whole table: the accuracy, the size of the file (`file_bytes`, given, saves it in memory and counts), and how
# far the logits are from the float model's.


# %%
def state_bytes(model):
    """The bytes of a model's parameters and buffers in memory."""
    return sum(x.array.nbytes for x in [*model.parameters(), *model.buffers()])


def logit_error(model, original):
    """The error of the logits of held-out digits, as a share of their size."""
    with no_grad():
        wanted = original(unseen)
        return ((model(unseen) - wanted).norm() / wanted.norm()).item()


for title, model in (("MLP", mlp), ("LeNet", lenet)):
    shown = images[:256]
    variants = {
        "float32": model,
        "dynamic": quantize_dynamic(model, {Linear, Conv2d}),
        "static, min-max": quantize_static(model, shown),
        "static, 99.9 %": quantize_static(model, shown, PercentileObserver),
        "static, MSE": quantize_static(model, shown, MSEObserver),
    }
    for name, made in variants.items():
        ratio = file_bytes(model) / file_bytes(made)
        print(
            f"{title:6} {name:16} {right(made):5.1f} % right, "
            f"logits off by {logit_error(made, model):6.2%}, "
            f"{state_bytes(made):7,} bytes in memory, "
            f"{file_bytes(made):7,} in a file ({ratio:.1f}x)"
        )


# %% [markdown]
# The accuracies differ by a digit or two, so compare observers by the logits.
#
# The weights take exactly a quarter of the bytes. The model as a whole is not quite four times smaller, because biases
# and scales stay float32, and a safetensors file has a header; the larger the layers, the closer to four.
#
# ## 9. Four bits: two to a byte
#
# With a scale for each group of 32 weights, 4 bits are often enough. NumPy has no elements of half a byte, so two
# integers share one byte: one in the low four bits (the low *nibble*), one in the high. Which two? Not neighbours,
# which would have to be interleaved again. The first half of a row goes into the low nibbles, the second half into the
# high:
#
# ```
#    row      q0  q1  q2 | q3  q4  (0)        bits of a byte   7 6 5 4   3 2 1 0
#    byte 0 = q3 q0      byte 1 = q4 q1       byte 0            q3         q0
#    byte 2 = (0) q2
# ```
#
# To unpack, concatenate both halves. Negative integers of 4 bits are in two's complement, like those of 8: $-1$ is 15,
# $-8$ is 8. So packing is masking, `q & 15`, and $(n \oplus 8) - 8$ reads a nibble $n$ back as a signed number: it
# turns 8 to 15 into $-8$ to $-1$ and leaves 0 to 7 unchanged.
#
# <details><summary>Hint 1</summary>Mask first, and make the nibbles uint8. How many bytes does a row of 5 take, and
# which half is shorter?</details>
# <details><summary>Hint 2</summary>Start from a copy of the first half of the nibbles, and add the second half, shifted
# by four bits, to the first bytes by <code>|=</code>.</details>
# <details><summary>Hint 3</summary>Unpacking: low nibbles, then high ones, concatenated along the last axis, and cut
# off at <code>length</code>; convert them to int8 before the formula above.</details>


# %% stub="pack-int4"
#| export
def pack_int4(q):
    """Pack integers of 4 bits, two to a byte: the first half of each row low, the second high.

    Args:
        q: int8 (..., K), from -8 to 7; K may be odd.

    Returns:
        uint8 (..., ⌈K/2⌉); byte i has q[..., i] in its low four bits, and in its high ones
        q[..., i + ⌈K/2⌉], or 0 where there is none.

    >>> pack_int4(np.int8([1, 2, -1])).tolist()
    [241, 2]
    """
    ### BEGIN SOLUTION
    half = (q.shape[-1] + 1) // 2
    nibbles = (q & 15).astype(np.uint8)
    packed = nibbles[..., :half].copy()
    packed[..., : q.shape[-1] - half] |= nibbles[..., half:] << 4
    return packed
    ### END SOLUTION


def unpack_int4(packed, length):
    """The integers, int8 (..., length), that `pack_int4` has packed.

    >>> unpack_int4(np.uint8([241, 2]), 3)
    array([ 1,  2, -1], dtype=int8)
    """
    ### BEGIN SOLUTION
    nibbles = np.concatenate([packed & 15, packed >> 4], axis=-1)[..., :length]
    return (nibbles.astype(np.int8) ^ 8) - np.int8(8)
    ### END SOLUTION


# %% test="pack-int4" points=6
def check_bytes(found, wanted, about):
    """Compare bytes in hexadecimal, where each digit is a nibble."""
    shape = np.shape(wanted)
    assert found.dtype == np.uint8, f"{found.dtype} came back, and uint8 is wanted"
    assert found.shape == shape, f"{about}: the shape is {found.shape}, not {shape}"
    found, wanted = ([f"{byte:02x}" for byte in np.ravel(x).tolist()] for x in (found, wanted))
    assert found == wanted, f"{about}; bytes in hexadecimal"


def test_the_halves_of_a_row_are_low_and_high():
    q = np.int8([[0, 1, 2, 3, 4, 5], [7, 6, 5, -8, -1, 0]])
    wanted = np.array([[0x30, 0x41, 0x52], [0x87, 0xF6, 0x05]])
    kept, found = q.copy(), pack_int4(q)
    np.testing.assert_array_equal(q, kept, err_msg="the integers belong to the caller")
    check_bytes(found, wanted, f"pack_int4({q.tolist()}): byte i has q[i] and q[i + 3]")


def test_a_row_of_odd_length_ends_with_half_a_byte():
    q = np.int8([-8, 7, -1, 1, -2])
    check_bytes(pack_int4(q), [0x18, 0xE7, 0x0F], f"pack_int4({q}): three bytes")
    check_bytes(pack_int4(np.int8([[-3]])), [[0x0D]], "pack_int4([[-3]]), one integer")


def test_unpacking_reads_signed_integers():
    packed = np.uint8([[0x30, 0x8F], [0xF7, 0x08]])
    kept, found = packed.copy(), unpack_int4(packed, 4)
    np.testing.assert_array_equal(packed, kept, err_msg="the bytes belong to the caller")
    wanted = [[0, -1, 3, -8], [7, -8, -1, 0]]
    message = "unpack_int4 of the rows 30 8f and f7 08, 4: low nibbles first, then high ones"
    np.testing.assert_array_equal(found, wanted, err_msg=message)
    assert found.dtype == np.int8, f"{found.dtype} came back, and int8 is wanted"
    wanted, found = [row[:3] for row in wanted], unpack_int4(packed, 3)
    np.testing.assert_array_equal(
        found, wanted, err_msg="three to a row: the last nibble is empty"
    )


def test_there_and_back_for_all_integers_and_shapes():
    for shape in ((16,), (3, 7), (2, 3, 8), (4, 1), (0, 4)):
        q = whole(-8, 7, *shape)
        packed = pack_int4(q)
        half = (shape[-1] + 1) // 2
        message = f"of integers {shape}, bytes {packed.shape} came back, and "
        message += f"{(*shape[:-1], half)} is wanted"
        assert packed.shape == (*shape[:-1], half), message
        found, message = unpack_int4(packed, shape[-1]), f"there and back, integers {shape}"
        np.testing.assert_array_equal(found, q, err_msg=message)


# %% [markdown]
# ### A file's blocks
# llama.cpp's files (GGUF), a common format for language models that run on a personal computer, have such groups: a row
# is cut into *blocks* of 32 weights, and each block is stored with its scale, byte after byte.
#
# | block | bytes | holds | a weight is |
# |---|---|---|---|
# | Q8_0 | 34 | float16 $d$, 32 int8 $q$ | $d\,q$ |
# | Q4_1 | 20 | float16 $d$, float16 $m$, 16 bytes with two nibbles $n$ each: weights 0 to 15 low, 16 to 31 high | $d\,n + m$ |
#
# So the halves are where `pack_int4` puts them. Only the nibbles go from 0 to 15: each $n$ is larger by 8 than the
# integer in `pack_int4`. In four bits, subtracting 8 flips the highest bit, and one exclusive or does it for both
# nibbles of a byte. The layers given below hold exactly these arrays, so a file's weights are used without conversion.
#
# <details><summary>Hint 1</summary><code>view</code> reads bytes as numbers of another type, if those of the last
# dimension are neighbours in memory. Two bytes viewed as float16 leave a last dimension of 1.</details>
# <details><summary>Hint 2</summary>The first four bytes of a Q4_1 block, viewed as float16, are (..., 2): scale and
# minimum.</details>
# <details><summary>Hint 3</summary>The highest bits of a byte's two nibbles are <code>0x88</code>. For the int8 of Q8_0
# a <code>view</code> is enough.</details>


# %% stub="file-blocks"
#| export
def q8_0_blocks(blocks):
    """Unpack blocks of Q8_0, 32 weights each: integer * scale.

    Args:
        blocks: uint8 (..., 34), not changed; blocks may lie apart, but a block's bytes do not.

    Returns:
        The integers, int8 (..., 32), and the scales, float16 (...).
    """
    ### BEGIN SOLUTION
    scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
    return blocks[..., 2:].view(np.int8), scale[..., 0]
    ### END SOLUTION


#| export
def q4_1_blocks(blocks):
    """Unpack blocks of Q4_1, 32 weights each: (integer + 8) * scale + minimum.

    Args:
        blocks: uint8 (..., 20), as above, not changed.

    Returns:
        The integers from -8 to 7 as `pack_int4` packs them, uint8 (..., 16); the scales and
        the minima, float16 (...).

    >>> block = np.uint8([0, 60, 0, 0, *range(16)])  # scale 1.0, minimum 0.0
    >>> packed, scale, minimum = q4_1_blocks(block)
    >>> (unpack_int4(packed, 32) + 8).tolist() == [*range(16), *[0] * 16]
    True
    """
    ### BEGIN SOLUTION
    halves = np.ascontiguousarray(blocks[..., :4]).view(np.float16)
    return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
    ### END SOLUTION


# %% test="file-blocks" points=4
def drawn_blocks(*shape, numbers, seed=0):
    """Blocks as a file has them, bytes one by one, with the float16 numbers before them."""
    rng = np.random.default_rng(seed)
    heads = rng.normal(size=(*shape, numbers)).astype(np.float16)
    size = 32 if numbers == 1 else 16
    rest = rng.integers(0, 256, (*shape, size)).astype(np.uint8)
    blocks = np.empty((*shape, 2 * numbers + size), np.uint8)
    for place in np.ndindex(*shape):
        blocks[place] = np.frombuffer(heads[place].tobytes() + rest[place].tobytes(), np.uint8)
    return heads, rest, blocks


def check_arrays(found, wanted, kept, about):
    blocks, before = kept
    np.testing.assert_array_equal(blocks, before, err_msg=f"{about}: the blocks were changed")
    assert len(found) == len(wanted), (
        f"{about}: {len(found)} arrays came back, and {len(wanted)} are wanted"
    )
    for name, (one, other) in zip(("integers", "scales", "minima"), zip(found, wanted)):
        for property in ("dtype", "shape"):
            got, wanted = getattr(one, property), getattr(other, property)
            assert got == wanted, (
                f"{about}: the {property} of the {name} is {got}, and {wanted} is wanted"
            )
        if one.dtype == np.uint8:
            check_bytes(one, other, f"{about}: {name}")
        np.testing.assert_array_equal(one, other, err_msg=f"{about}: {name}")


def test_blocks_of_8_bits_are_a_scale_and_integers():
    for shape in ((5,), (), (3, 2), (1,), (3, 1)):
        heads, rest, blocks = drawn_blocks(*shape, numbers=1)
        wanted = rest.astype(int)
        wanted = (wanted - 256 * (wanted > 127)).astype(np.int8)
        kept = blocks, blocks.copy()
        about = f"Q8_0, {blocks.shape}"
        check_arrays(q8_0_blocks(blocks), (wanted, heads[..., 0]), kept, about)


def test_blocks_of_4_bits_are_a_scale_a_minimum_and_nibbles():
    for shape in ((5,), (), (3, 2), (1,), (3, 1)):
        heads, rest, blocks = drawn_blocks(*shape, numbers=2)
        kept = blocks, blocks.copy()
        low, high = rest % 16, rest // 16  # from 0; one less by 8 is one that differs by 8
        wanted = ((low + 8) % 16 + (high + 8) % 16 * 16).astype(np.uint8)
        wanted = wanted, heads[..., 0], heads[..., 1]
        check_arrays(q4_1_blocks(blocks), wanted, kept, f"Q4_1, {blocks.shape}")


def test_blocks_may_lie_in_a_larger_array():
    for unpack, numbers in ((q8_0_blocks, 1), (q4_1_blocks, 2)):
        _, _, blocks = drawn_blocks(4, 3, numbers=numbers)
        wide = np.zeros((4, 6, blocks.shape[-1]), np.uint8)
        wide[:, ::2] = blocks
        for one, other in zip(unpack(wide[:, ::2]), unpack(blocks)):
            message = f"{unpack.__name__} of every second block of an array"
            np.testing.assert_array_equal(one, other, err_msg=message)


# %% [markdown]
# `Int4Linear` and `quantize_int4(model, group_size=32)` are given. Inputs stay float32 here, and the weights are
# dequantized block by block: what is saved is memory.


# %%
#| export
from tinytorch.given.quantization.packed import *


# %%
one = Sequential(Linear(1024, 1024, bias=False))
for title, model in (("MLP", mlp), ("one layer of 1,024 x 1,024", one)):
    for name, made in (
        ("float32", model), ("int8", quantize_dynamic(model)), ("int4", quantize_int4(model)),
    ):  # fmt: skip
        ratio = file_bytes(model) / file_bytes(made)
        print(
            f"{title:27} {name:8} {file_bytes(made):10,} bytes in a file, {ratio:.2f}x smaller"
        )
print(f"MLP with 4-bit weights: {right(quantize_int4(mlp)):.1f} % right")


# %% [markdown]
# Each group of 32 takes 16 bytes of integers, 2 of scale and 2 of minimum, both float16: 20 bytes in place of 128, a
# factor of 6.4. A minimum replaces the zero point, as in the file's blocks: it is the number that the integer -8 stands
# for. In a small network the biases and the file's header make the factor smaller.
#
# ## 10. Measured with a real model
#
# Digits are forgiving; a language model is a harder test. Its measure is the held-out loss of module 13, in nats per
# token, or the *perplexity*, $e^{loss}$: a perplexity of 20 means that it is as unsure as if it chose among 20 tokens
# at random. Run a model on a page, round the weights of all its blocks with your functions, and run it on the page
# again. (The token table, which is also the last layer, stays as it is.)
#
# The model is SmolLM2, with 135 million weights (Allal et al., 2025), if its file is on this machine;
# `make milestone chat` fetches it. Otherwise it is a GPT of your own, one block of the same kind, which is trained here
# for a few seconds in any case. Such a small model has no outliers, so some are planted in a copy: a column of the
# matrices behind a norm is multiplied by 16, and the norm's gain divided by 16; a unit of the MLP is multiplied by 256,
# and the column that reads it divided by 256. The copy computes the same function as before.
#
# The page is from Python's documentation. Every rounding gets the same one, and only differences count; a hundredth of
# a nat means nothing.

# %%
text = next(topic for topic in PythonDocs() if topic.startswith("Objects, values and types"))
own, own_page = small_language_model(text)
path = smollm2_file()
if path:
    network, tokenizer = GPT.from_pretrained(path), BPETokenizer.from_gguf(path)
    page = tensor(tokenizer.encode(text[:900]))
    print("SmolLM2-135M-Instruct")
else:
    network, page = plant_outliers(copy.deepcopy(own)), own_page
    print("SmolLM2's file is not here, so this is a small GPT with planted outliers")


def matrices_of(model):
    """The matrices of a GPT's blocks: each layer with its weight."""
    layers = [layer for layer in model.transformer.h.modules() if type(layer) is Linear]
    return [(layer, layer.weight.array) for layer in layers]


matrices = matrices_of(network)


def page_loss(change=np.asarray):
    """The nats per token of the page, with the blocks' weights changed by `change`."""
    for layer, weight in matrices:
        layer.weight.array = change(weight)
    return held_out_loss(network, page)


def report(name, loss):
    print(f"{name:35} {loss:6.3f} nats, perplexity {math.exp(loss):9,.1f}", flush=True)


def rounded(weight, bits, size):
    """A weight rounded to integers and back, with a scale for every `size` numbers."""
    runs = weight.reshape(-1, size)
    return dequantize(*quantize_along(runs, 1, bits, symmetric=True)).reshape(weight.shape)


sizes = {"tensor": lambda w: w.size, "row": lambda w: w.shape[1], "group of 32": lambda w: 32}
report(f"float32, {len(page)} tokens", page_loss())
for name in ("tensor", "row"):
    loss = page_loss(lambda w, name=name: rounded(w, 8, sizes[name](w)))
    report(f"8 bits, a scale for a {name}", loss)


# %% [markdown]
# With a scale for each row nothing is lost. One scale per tensor, which did no harm on digits, raises the loss here.
#
# Now 4 bits: 15 numbers in place of 255. **Predict:** how many nats does each of three ways cost, one scale per
# tensor, per row, per group of 32? Is one as bad as a model that knows nothing, and gives every token the same
# probability?


# %%
predicted_nats = None  # by how much the loss rises with one scale per tensor; a number


# %%
risen = None
for name, size in sizes.items():
    loss = page_loss(lambda w, size=size: rounded(w, 4, size(w)))
    report(f"4 bits, a scale for a {name}", loss)
    risen = risen or loss - page_loss()
report("a model that knows nothing", math.log(network.config.vocab_size))
compare(predicted_nats, risen, "nats")


# %% [markdown]
# With one scale per tensor the model is about as bad as one that knows nothing, and SmolLM2 is worse, because it is
# wrong and confident. With a scale for each row it is a language model again, and groups are better: with 4 bits
# everything depends on how many numbers share a scale.
#
# ### What is compared with what
#
# SmolLM2's file holds 4 bits in groups of 32, so its float32 weights are what these stand for, and each line above is
# the cost of rounding *once more*. Why do groups of 32 cost anything again? Because the levels differ. Yours are
# multiples of the scale, since 0 has to be a level; the file's are $d\,n + m$ with any $m$ (section 9). Subtract each
# group's minimum first, and the levels, 0 to 15 steps above it, are the file's own:


# %%
def from_minimum(weight):
    """A weight in groups of 32 as 4 bits and back: 0 to 15 steps above the group's minimum."""
    groups = weight.reshape(-1, 32)
    low = groups.min(axis=1, keepdims=True)
    return (dequantize(*quantize_along(groups - low, 1, 4)) + low).reshape(weight.shape)


report("4 bits from each group's minimum", page_loss(from_minimum))
moved = max(np.abs(layer.weight.array - weight).max() for layer, weight in matrices)
print(f"largest change of a weight: {moved:.2g}")


# %% [markdown]
# With SmolLM2 this is the loss of float32: the levels are found again. The small GPT had not been rounded before, and
# its weights do change.
#
# ### What outliers do
#
# Why is one scale so bad? Look at the matrix whose largest weight is farthest from the median, and at the inputs of the
# MLPs' last layers, `mlp.c_proj`, channel by channel.


# %%
def largest_to_median(x):
    return np.abs(x).max() / np.median(np.abs(x))


seen, last_layers = {}, [block.mlp.c_proj for block in network.transformer.h]
hooks = [
    layer.register_forward_pre_hook(lambda layer, x: seen.update({layer: x[0].array}))
    for layer in last_layers
]
page_loss()
for hook in hooks:
    hook.remove()
weight = max((weight for _, weight in matrices), key=largest_to_median)
number = max(range(len(seen)), key=lambda n: largest_to_median(seen[last_layers[n]]))
inputs = np.abs(seen[last_layers[number]][0])  # (T, channels)

step = np.abs(weight).max() / 7
zero = (np.abs(weight) < step / 2).mean()
figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
axes[0].hist(weight.ravel(), bins=200, log=True)
for level in range(-7, 8):
    axes[0].axvline(level * step, color="tab:red", linewidth=0.7)
axes[0].set(title=f"{zero:.2%} become 0", xlabel="weight, and 15 levels", ylabel="count")
axes[1].plot(inputs.max(axis=0), ".", markersize=4, label="largest of a channel")
axes[1].axhline(np.median(inputs), color="tab:red", label="median of all")
axes[1].set(yscale="log", title=f"inputs of c_proj in block {number}", xlabel="channel")
axes[1].legend()
plt.show()
print(f"largest weight {largest_to_median(weight):,.0f} times the median")
token, channel = np.unravel_index(inputs.argmax(), inputs.shape)
print(
    f"largest input {inputs.max():,.1f}, {largest_to_median(inputs):,.0f} times the median: "
    f"channel {channel}, token {token}"
)


# %% [markdown]
# The largest weight determines the range, the levels are far apart, and nearly all weights become 0. A scale for each
# row confines the damage to the outlier's row, a group to 32 weights.
#
# To test this, keep the largest one per cent of each matrix as float32, and round the others. Which gains more, one
# scale or groups?


# %%
def apart(weight, size):
    """As `rounded` to 4 bits, but one weight in a hundred, the largest ones, stays."""
    magnitude, count = np.abs(weight).ravel(), weight.size // 100
    kept = np.abs(weight) >= np.partition(magnitude, -count)[-count]
    rest = np.where(kept, np.float32(0), weight)
    return np.where(kept, weight, rounded(rest, 4, size))


for name in ("tensor", "group of 32"):
    loss = page_loss(lambda w, name=name: apart(w, sizes[name](w)))
    report(f"4 bits for 99 %, {name}", loss)


# %% [markdown]
# So the outliers were the cause: without them, even one scale per tensor gives a language model. Groups gain little,
# since they had confined the outliers already.
#
# And the inputs? An integer layer rounds these too. Round those of all `mlp.c_proj` to 8 bits, or simply remove the
# largest channel. The last line uses your integer layers, by `quantize_dynamic`.


# %%
def input_loss(change):
    """The loss of the page when each `mlp.c_proj` gets `change(inputs)`."""
    hooks = [
        layer.register_forward_pre_hook(lambda _, x: wrap(change(x[0].array)))
        for layer in last_layers
    ]
    loss = page_loss()
    for hook in hooks:
        hook.remove()
    return loss


def in_int8(x, axis=None):
    return dequantize(*quantize_along(x, axis))


def four_apart(x):
    """Inputs rounded with one scale, except the four channels with the largest numbers."""
    channels = np.abs(x).max(axis=(0, 1)).argsort()[-4:]
    rest = x.copy()
    rest[..., channels] = 0
    rest = in_int8(rest)
    rest[..., channels] = x[..., channels]
    return rest


def one_removed(x):
    rest = x.copy()
    rest[..., np.abs(x).max(axis=(0, 1)).argmax()] = 0
    return rest


for name, change in {
    "inputs in 8 bits, one scale": in_int8,
    "a scale for each token": lambda x: in_int8(x, axis=2),
    "one scale, four channels apart": four_apart,
    "float32, one channel removed": one_removed,
}.items():
    report(name, input_loss(change))
report("all layers in integers", held_out_loss(quantize_dynamic(network), page))
del last_layers, seen


# %% [markdown]
# Your integer layers use a scale for each token (section 6), so one token's outliers do not harm the others.
#
# In SmolLM2 it is the first token, with an input beyond 3,000 where the median is below 0.1: nearly every number that
# shares its scale becomes 0. And yet it cannot simply be removed, because that costs even more. Such *massive
# activations* are found in many language models, whose attention relies on them (Sun et al., 2024). The small GPT's
# planted unit matters no more than the others.
#
# ### Your own GPT, without outliers
#
# One control is missing: the small GPT as your own code has trained it, with nothing planted. **Predict:** how many
# nats do 4 bits with one scale per tensor cost it?


# %%
predicted_own = None  # by how much the loss rises; a number


# %%
network, page, matrices = own, own_page, matrices_of(own)
largest = max(largest_to_median(weight) for _, weight in matrices)
print(f"largest weight {largest:,.0f} times the median of its matrix")
report(f"float32, {len(page)} tokens", page_loss())
for name, size in sizes.items():
    loss = page_loss(lambda w, size=size: rounded(w, 4, size(w)))
    report(f"4 bits, a scale for a {name}", loss)
    if name == "tensor":
        compare(predicted_own, loss - page_loss(), "nats")
del network, own, matrices


# %% [markdown]
# A few hundredths of a nat, where the copy with planted outliers, which computes the same function, lost some 2. So the
# damage comes from the outliers, not from the number of bits. They appear as models grow (Dettmers et al., 2022); yours
# is too small to have any.
#
# ## 11. Training with rounding
#
# Below 4 bits, rounding after training costs accuracy. If rounding were part of the forward pass during training, the
# network could put its weights where rounding does no harm. So compute with rounded weights in the forward pass, and
# keep the float weights for the optimizer. This is called *fake quantization*, because the rounded numbers are still
# float32.
#
# And the gradient? A staircase has derivative 0 nearly everywhere: nothing would ever be learned. The *straight-through
# estimator* (Bengio et al., 2013) replaces the staircase by the straight line through its steps: the gradient passes
# unchanged where the number was inside the range, and is 0 where it was clipped, because moving it there changes
# nothing.
#
# ```
#    forward               ____ qmax           backward        1 ________________
#                       __|                                     |                |
#                    __|                                        |                |
#         qmin  ____|                                      _____|                |_____  0
# ```
#
# "Inside" is decided by the integer *before* it is clipped: $q_{min} \le \mathrm{round}(x / s) + z \le q_{max}$.
#
# <details><summary>Hint 1</summary>Keep the integers before clipping: backward needs a boolean array of where they are
# inside, one byte per number.</details>
# <details><summary>Hint 2</summary>Forward is quantize and dequantize in one, in x's type throughout: int32 zero points
# would make it float64.</details>
# <details><summary>Hint 3</summary><code>ctx.save_for_backward</code> takes the booleans. In backward the gradient
# passes where they are true, and is 0 elsewhere; scale and zero point, as options, need no gradient, not even
# None.</details>


# %% stub="fake-quantize"
#| export
class FakeQuantizeAffine(Function):
    once_differentiable = True

    @staticmethod
    def forward(ctx, x, scale, zero_point, quant_min, quant_max):
        """Round numbers to those that integers stand for.

        scale (clip(round(x / scale) + zero_point, quant_min, quant_max) - zero_point)

        NaN stays NaN, and its gradient is 0.

        Args:
            x: an array of float32 or float64; it is not changed.
            scale, zero_point: arrays, float32 and int32, that broadcast against x.
            quant_min, quant_max: the smallest and the largest integer.

        Returns:
            An array of x's shape and type; of float64, computed as float64.

        >>> x, zero = np.float32([0.3, -9]), np.int32(0)
        >>> FakeQuantizeAffine.forward(Context(), x, np.float32(0.25), zero, -8, 7)
        array([ 0.25, -2.  ], dtype=float32)
        """
        ### BEGIN SOLUTION
        zero_point = zero_point.astype(x.dtype)
        q = np.rint(x / scale) + zero_point
        ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        return (np.clip(q, quant_min, quant_max) - zero_point) * scale
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        """Pass the gradient, finite numbers, where x was inside the range; the rest gets 0."""
        ### BEGIN SOLUTION
        (inside,) = map(values, ctx.saved_tensors)
        return grad * inside
        ### END SOLUTION


# %% test="fake-quantize" points=6
def faked(x, scale, zero_point, quant_min, quant_max):
    """The result and the gradient for a random cotangent, of the operation."""
    leaf = tensor(x, requires_grad=True)
    options = {"scale": np.array(scale, "f4"), "zero_point": np.array(zero_point, "i4")}
    result = FakeQuantizeAffine.apply(
        leaf, **options, quant_min=quant_min, quant_max=quant_max
    )
    np.testing.assert_array_equal(leaf.array, x, err_msg="x belongs to the caller")
    cotangent = drawn(*x.shape, seed=9).astype(x.dtype)
    result.backward(tensor(cotangent))
    return result.detach().numpy(), leaf.grad.numpy(), cotangent


def check_fake(x, scale, zero_point, quant_min, quant_max):
    scale, zero_point = np.float32(scale), np.int32(zero_point)
    q = np.rint(x.astype(float) / scale) + zero_point
    inside = (q >= quant_min) & (q <= quant_max)
    wanted = (np.clip(q, quant_min, quant_max) - zero_point) * scale
    found, gradient, cotangent = faked(x, scale, zero_point, quant_min, quant_max)
    assert found.dtype == x.dtype, f"{found.dtype} came back, and {x.dtype} is wanted"
    steps = ", ".join(f"{s:g}" for s in scale.ravel())
    about = f"scale {steps}, zero point {zero_point.tolist()}, {quant_min}..{quant_max}"
    digits = 1e-5 if x.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=digits, atol=digits / 10, err_msg=about)
    wanted = cotangent * inside
    wrong = np.argwhere(gradient != wanted)
    for place in map(tuple, wrong[:1].tolist()):
        raise AssertionError(
            f"the gradient at {x[place]:.4g}, whose integer before clipping is {q[place]:g}, "
            f"is {gradient[place]:.3g}; {wanted[place]:.3g} is wanted: it passes where the "
            f"integer was not clipped\n{about}; {len(wrong)} of {x.size} gradients differ"
        )


def test_a_gradient_passes_unchanged_or_is_0():
    x = drawn(9) * 2
    _, gradient, cotangent = faked(x, 0.5, 0, -3, 3)
    for number, found, above in zip(x, gradient, cotangent):
        unchanged = found in (0, above)
        assert unchanged, (
            f"at {number:.3g} a gradient of {above:.3g} came in, and {found:.3g} came out: it "
            "passes unchanged, or is 0\nscale 0.5, zero point 0, integers -3 to 3"
        )


def test_the_edge_of_the_range_is_inside():
    outside = np.float32([-9, -8.6, 7.5, 7.6, 9])
    x = np.float32([-8.5, -8.4, 0.4, 3, 6.9, 7, 7.3, 7.49, *outside])  # halves go to even
    wanted = [f"{number:g}" for number in x if number not in outside]
    _, gradient, cotangent = faked(x, 1.0, 0, -8, 7)
    passes = [
        f"{number:g}" if found == above else f"{number:g} as {found:.3g}, not {above:.3g}"
        for number, found, above in zip(x, gradient, cotangent)
        if found != 0
    ]
    assert passes == wanted, (
        "the numbers where the gradient passes, which is decided by the integer before "
        f"clipping\nscale 1, zero point 0, integers -8 to 7, x = {x}"
    )


def test_numbers_are_rounded_and_gradients_pass_inside():
    check_fake(drawn(40, 5) * 3, 0.1, 0, -128, 127)
    check_fake(drawn(40, 5) * 3, 0.5, 0, -7, 7)
    check_fake(drawn(3, 40) * 2, 0.3, 5, 0, 15)
    check_fake(drawn(30), 1.0, -2, -3, 3)
    check_fake(np.float32([0, 10, 20, 30]), 0.1, 0, 0, 255)  # more than an int8 holds
    check_fake(drawn(40, 5) * 9 + 9, 0.1, 100, 0, 255)


def test_float64_stays_float64():
    check_fake(drawn(30).astype(float) * 3, 0.5, 1, -7, 7)
    check_fake(np.array([0.5000000001, 1.4999999999]), 1.0, 0, -8, 7)  # 1 and 1, no halves
    check_fake(drawn(30).astype(float), 0.1, 0, -8, 7)


def test_nan_stays_nan_and_has_no_gradient():
    found, gradient, cotangent = faked(np.float32([np.nan, 1, 9, 2.4]), 1.0, 0, -8, 7)
    message = "NaN, 1, 9 and 2.4, with scale 1, zero point 0 and integers -8 to 7"
    np.testing.assert_array_equal(found, [np.nan, 1, 7, 2], err_msg=message)
    assert gradient[0] == 0, f"the gradient of NaN is 0, and not {gradient[0]:.3g}"
    message = f"the gradients of what stands beside a NaN: {message}"
    np.testing.assert_array_equal(gradient[1:], cotangent[1:] * [1, 0, 1], err_msg=message)


def test_what_is_too_large_for_any_integer_is_clipped():
    with np.errstate(invalid="ignore"):
        check_fake(np.float32([3e9, -3e9, 1e30, -1e30, 0.4]), 0.25, 0, -8, 7)
        check_fake(np.float32([np.inf, -np.inf, 0.4, 9]), 0.25, 1, -8, 7)


def test_the_zero_point_is_added_to_the_rounded_quotient():
    check_fake(np.float32([0.5, 1.5, 2.5, -0.5]), 1.0, 1, -128, 127)


def test_each_row_has_its_scale():
    check_fake(drawn(3, 50) * 2, [[0.1], [0.5], [2]], [[0], [1], [-1]], -4, 3)


def test_each_result_has_its_own_gradient():
    inputs = np.float32([-9, 0, 1]), np.float32([0, 1, 9])
    leaves = [tensor(x, requires_grad=True) for x in inputs]
    options = {"scale": np.array(1, "f4"), "zero_point": np.array(0, "i4")}
    results = [
        FakeQuantizeAffine.apply(leaf, **options, quant_min=-3, quant_max=3) for leaf in leaves
    ]
    for x, leaf, result, wanted in zip(inputs, leaves, results, ([0, 1, 1], [1, 1, 0])):
        result.backward(tensor(np.ones(3, np.float32)))
        message = (
            f"the gradient of {x.tolist()}, where ones come in, with scale 1, zero point 0 "
            "and integers -3 to 3: two results were computed before the first backward"
        )
        np.testing.assert_array_equal(leaf.grad.numpy(), wanted, err_msg=message)


def test_nothing_of_the_gradient_is_changed():
    x = drawn(4, 3) * 9
    ctx = Context()
    FakeQuantizeAffine.forward(ctx, x, np.float32(1), np.int32(0), -3, 3)
    grad = drawn(4, 3, seed=1)
    kept = grad.copy()
    FakeQuantizeAffine.backward(ctx, grad)
    np.testing.assert_array_equal(
        grad, kept, err_msg="the incoming gradient must not be changed"
    )


# %% [markdown]
# These are given: `FakeQuantize`, a module with an observer; `qat_qconfig(bits)`; and `prepare_qat`, which makes each
# Linear and Conv2d compute with rounded weights. `convert` turns them into integer layers at the end.


# %%
#| export
from tinytorch.given.quantization.faking import *


# %% [markdown]
# LeNet at 3 bits, seven numbers for a weight, with one scale per tensor, which is the hard case. Seven models, and one
# of them is a control: training longer may help anyway, so the comparison needs a model that is trained just as long,
# without the rounding.


# %%
def trained_on(model, bits=None, epochs=3):
    """Train a copy further; given `bits`, with rounding in the forward pass."""
    model = copy.deepcopy(model).train()
    if bits is not None:
        model.qconfig = qat_qconfig(bits, per_channel=False)
        model = prepare_qat(model)
    manual_seed(3)
    return train(model, epochs, lr=2e-3, label_smoothing=0.1)


control, aware = trained_on(lenet), trained_on(lenet, bits=3)
for name, model in {
    "float32": lenet,
    "3 bits, min-max": round_weights(lenet, 3, per_channel=False),
    "3 bits, MSE": round_weights(lenet, 3, per_channel=False, mse=True),
    "trained on, then 3 bits, min-max": round_weights(control, 3, per_channel=False),
    "trained on, then 3 bits, MSE": round_weights(control, 3, per_channel=False, mse=True),
    "trained with 3 bits": aware,
    "the same, converted to integers": convert(aware),
}.items():
    print(f"{name:33} {right(model):5.1f} % right")


# %% [markdown]
# Training with rounding beats minimum and maximum by far. Ranges by squared error, which need no training at all, are
# within a few digits of it, which is hardly a difference: compare with the best alternative, not with the worst.
#
# ## 12. Sixteen bits: bfloat16 and mixed precision
#
# Models are trained with sixteen bits, which need no scale: they are floats. How the bits are divided decides what goes
# wrong:
#
# | | exponent, fraction | largest | smallest above 0 | step after 1 |
# |---|---|---|---|---|
# | float32 | 8, 23 bits | 3.4e38 | 1.4e-45 | 1.2e-7 |
# | float16 | 5, 10 | 65,504 | 6.0e-8 | 9.8e-4 |
# | bfloat16 | 8, 7 | 3.4e38 | 9.2e-41 | 7.8e-3 |
#
# A bfloat16 is the upper half of a float32. Cutting off the lower half would round towards 0. To round to the nearest,
# take the same 32 bits as an integer, and add half a step of the upper half before you cut. A carry out of the fraction
# raises the exponent, which is the next number indeed; after the largest comes infinity. Halves go to the even
# neighbour. A NaN stays NaN: a carry could turn it into a number.
#
# ```
#    s eeeeeeee fffffff | ffffffffffffffff        float32, as an integer of 32 bits
#      what stays       | 1000000000000000        a half: up if the last bit that stays is 1
# ```
#
# <details><summary>Hint 1</summary><code>x.view(np.uint32)</code> reads the same bits as integers. One step of the
# upper half is worth 0x10000.</details>
# <details><summary>Hint 2</summary>If you add one less than a half, an exact half is not carried. When should it be,
# and which bit says so?</details>
# <details><summary>Hint 3</summary>Shift by 16 and mask by 1 to get the last bit that stays, and add it too. Afterwards
# clear the lower half by a mask, and view the result as float32; <code>np.where</code> keeps NaN.</details>


# %% stub="bfloat16"
#| export
def round_to_bfloat16(x):
    """Round numbers to the nearest ones that a bfloat16 can hold; halves go to the even one.

    Args:
        x: an array of float32 of any shape; it is not changed.

    Returns:
        An array of float32 of x's shape. The lower 16 bits of each number are 0, except for
        NaN, which stays NaN. What is too large for a bfloat16 becomes an infinity.

    >>> round_to_bfloat16(np.float32([1.001, 3.14159, 70000.0]))
    array([1.000000e+00, 3.140625e+00, 7.014400e+04], dtype=float32)
    """
    ### BEGIN SOLUTION
    bits = x.view(np.uint32)
    last = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, rounded.view(np.float32))
    ### END SOLUTION


# %% test="bfloat16" points=4
def check_bfloat16(x, wanted, says):
    x = np.asarray(x, np.float32)
    kept = x.copy()
    found = round_to_bfloat16(x)
    np.testing.assert_array_equal(x, kept, err_msg="x belongs to the caller")
    dtype = getattr(found, "dtype", type(found).__name__)
    assert dtype == np.float32, f"{dtype} came back, and float32 is wanted"
    wanted = np.asarray(wanted, np.float32)
    assert found.shape == x.shape, f"shape {found.shape} came back, and {x.shape} is wanted"
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    wrong = [
        [f"{x[place]!s} (0x{x[place].view(np.uint32):08x})" for x in (kept, found, wanted)]
        for place in map(tuple, np.argwhere(~same)[:6])
    ]
    lines = [f"of {x}, {a} came back, and {b} is wanted" for x, a, b in wrong]
    assert not lines, "\n".join([f"{says}:", *lines])


def in_steps(x):
    """The nearest multiples of each number's step: of its power of two over 128."""
    step = 2.0 ** (np.floor(np.log2(np.abs(x.astype(float)))) - 7)
    return np.rint(x / step) * step


def test_a_few_numbers():
    x = [1.001, 1.007, 3.14159, -0.3, 1e-5]
    wanted = [1.0, 1.0078125, 3.140625, -0.30078125, 1.0013580322265625e-05]
    check_bfloat16(x, wanted, "the nearest of eight bits")


def test_the_nearest_number_of_eight_bits():
    rng = np.random.default_rng(0)
    for shape in ((500,), (7, 3, 4), (0, 2), ()):
        x = rng.standard_normal(shape) * 10.0 ** rng.integers(-30, 30, shape)
        x = np.asarray(x, np.float32)
        check_bfloat16(x, in_steps(x), "a multiple of the number's step")


def test_halves_go_to_the_even_neighbour():
    step = 2.0**-7
    x = [1 + step / 2, 1 + 1.5 * step, -1 - step / 2, -1 - 1.5 * step, 2 - step / 2, 1.5]
    wanted = [1, 1 + 2 * step, -1, -1 - 2 * step, 2, 1.5]
    check_bfloat16(x, wanted, "halves go to the even neighbour")
    check_bfloat16(
        np.nextafter(np.float32(x), np.float32(9)),
        [1 + step, 1 + 2 * step, -1, -1 - step, 2, 1.5],
        "just above a half, which is no tie",
    )


def test_the_range_is_that_of_float32():
    largest = 2.0**127 * (2 - 2.0**-7)
    with np.errstate(all="ignore"):
        check_bfloat16([70000, 1e38, largest], [70144, 2.0**119 * 150, largest], "no overflow")
        check_bfloat16([np.finfo("f4").max, -3.4e38], [np.inf, -np.inf], "beyond the largest")
        check_bfloat16([np.inf, -np.inf, 0.0, -0.0], [np.inf, -np.inf, 0.0, -0.0], "kept")
        check_bfloat16([np.inf, 1.001], [np.inf, 1], "rounded beside an infinity")
        check_bfloat16([1.5e-40, 2e-41], [2.0**-132, 0], "below the smallest normal number")


def test_nan_stays_nan():
    bits = np.uint32([0x7FC00000, 0x7FFFFFFF, 0x7F800001, 0xFFFFFFFF])
    with np.errstate(all="ignore"):
        found = round_to_bfloat16(bits.view(np.float32))
    assert np.isnan(found).all(), (
        f"of NaN with the bits {', '.join(map(hex, bits))}, {found} came back, and only NaN "
        "is wanted"
    )
    beside = np.float32([np.nan, 1.001, 3.14159])
    check_bfloat16(beside[1:], round_to_bfloat16(beside)[1:], "rounded beside a NaN and alone")


def test_numbers_need_not_be_neighbours_in_memory():
    x = drawn(6, 8)[::2, 1::3]
    check_bfloat16(x, in_steps(x), "a view of every second row and third column")


# %% [markdown]
# Which of the two does training miss, range or precision? A gradient of the logits, $(p - t) / N$, is tiny where the
# network is sure. **Predict:** what share of them is 0 in float16?


# %%
predicted_zeros = None  # a share, from 0 to 1


# %%
def round_to_float16(x):
    with np.errstate(over="ignore"):
        return x.astype(np.float16).astype(np.float32)


numbers = np.float32([1.001, 1e-5, 1e-8, 70000])
formats = {"float32": np.asarray, "float16": round_to_float16, "bfloat16": round_to_bfloat16}
for name, change in formats.items():
    print(f"{name:9}", *(f"{number:<12.5g}" for number in change(numbers)))
logits = tensor(mlp(images).detach().numpy(), requires_grad=True)
cross_entropy(logits, labels).backward()
gradient = logits.grad.numpy()
shares = {
    "float16": (round_to_float16(gradient) == 0).mean(),
    "float16, loss times 2**16": (round_to_float16(gradient * 2**16) == 0).mean(),
    "bfloat16": (round_to_bfloat16(gradient) == 0).mean(),
}
for name, share in shares.items():
    print(f"{share:6.1%} of the logits' gradients are 0 in {name}")
compare(predicted_zeros, shares["float16"])

for rate in (1e-2, 1e-3, 1e-4):
    moved = []
    for change in (np.asarray, round_to_bfloat16):
        model = copy.deepcopy(mlp)
        weight = model[1].weight
        weight.array[...] = before = change(weight.array.copy())
        cross_entropy(model(images), labels).backward()
        AdamW(model.parameters(), lr=rate, weight_decay=0.0).step()
        moved.append((change(weight.array) != before).mean())
    print(
        f"a step of {rate:g} moves {moved[0]:.0%} of the weights, in bfloat16 {moved[1]:.0%}"
    )


# %% [markdown]
# Half of the gradients vanish in float16. **Loss scaling** brings them back: multiply the loss by $2^{16}$ before
# backward, and divide the gradients by it before the step; a power of two costs no digit. If one overflows, the step is
# left out and the factor halved. In bfloat16 none vanishes, so it needs no scaling.
#
# But a step that is smaller than half the distance between two bfloat16 numbers, 1/256 of a weight or less, is rounded
# away, every time. So in **mixed precision** (Micikevicius et al., 2018) the weights and the optimizer's averages stay
# float32; forward and backward use rounded copies, as in section 11, with sums, softmax and loss in float32. tinytorch
# has float16 and PyTorch's `torch.amp.GradScaler`, which scales losses, but no arithmetic in bfloat16.
#
# ## Systems: smaller, but not faster
#
# Hardware with instructions for int8 multiplies it faster than float32. How much faster depends on the size and the
# machine: on one thread of an AMD EPYC, PyTorch 2.13's int8 layer took 1.2 times as long as its float32 layer for 512 x
# 512 and one sample, and a sixth of the time for 2048 x 2048. Measure yours here: one sample and 64, with layers of
# three sizes. Your layer reads a quarter of the bytes. **Predict:** what share of the float32 layer's time does it take
# for 2048 x 2048 and one sample?


# %%
predicted_int8 = None  # of float32's time; 0.25 is a quarter, 1 is as long


# %%
for size in (512, 1024, 2048):
    layer = Linear(size, size, bias=False)
    integer = QuantizedLinear(layer)
    for batch in (1, 64):
        x = randn(batch, size)
        with no_grad():
            before = measure_latency(lambda layer=layer, x=x: layer(x), repeats=15)
            after = measure_latency(lambda layer=integer, x=x: layer(x), repeats=15)
        print(
            f"{size:5} x {size:5}, batch {batch:2}: float32 {before.median * 1e3:6.2f} ms, "
            f"int8 {after.median * 1e3:6.2f} ms, "
            f"{after.median / before.median:4.1f} times as long"
        )
        if batch == 1:
            share = after.median / before.median
compare(predicted_int8, share, "times as long")


# %% [markdown]
# It takes longer at every size. NumPy has no fast product of int8, so each product first makes floats; then BLAS does
# what it would have done anyway. What you have gained is memory. The time comes with module 17, where you compile the
# int8 product: it reads a quarter of the bytes, and at batch 1 that is what counts.
#
# Now the bytes while a model runs: the weights, and what one call needs in addition.


# %%
layer = Linear(2048, 2048, bias=False)
x = randn(1, 2048)
for name, run in {
    "float32": layer,
    "int8": QuantizedLinear(layer),
    "int4": Int4Linear(layer),
}.items():
    with no_grad():
        run(x)
        tracemalloc.start()
        run(x)
        extra = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    held = state_bytes(run)
    print(
        f"{name:8} weights {held / 2**20:5.2f} MiB, a call takes {extra / 2**20:5.2f} MiB more"
    )


# %% [markdown]
# Including its call, int8 needs 5.0 MiB and int4 3.8: both convert a block of $2^{18}$ weights to floats, and int4 also
# unpacks them as int8. But only one layer runs at a time, so in a model of many layers the weights dominate.
#
# ## Break it
#
# **One scale for the batch.** PyTorch's dynamic layers take one range for the whole batch. Then an answer depends on
# the other samples in it: here one image of 360 is 50 times as bright.


# %%
class OneScale(QuantizedLinear):
    def quantize_input(self, x, axis):
        q, scale, zero_point = quantize_along(np.asarray(x, np.float32))
        column = np.ones((len(x), 1), np.float32)
        return q, scale * column, np.broadcast_to(zero_point, column.shape)


crowd = tensor(unseen.numpy().copy())
crowd.array[0] *= 50
for name, kind in (("a scale for each row", QuantizedLinear), ("one for the batch", OneScale)):
    model = replace_layers(mlp, lambda _, m, kind=kind: kind(m) if type(m) is Linear else m)
    calm, loud = model(unseen)[1:], model(crowd)[1:]
    moved = ((calm - loud).norm() / calm.norm()).item()
    print(f"{name:21}: the logits of the other 359 move by {moved:.2%}")


# %% [markdown]
# **An outlier in the calibration.** One pixel that is 20 times too bright, in 256 images, determines the scale of the
# first layer:


# %%
shown = images[:256].numpy().copy()
shown[0, 0, 4, 4] = 20 * shown.max()
for name, observer in observers.items():
    clean = quantize_static(mlp, images[:256], observer)
    spoiled = quantize_static(mlp, wrap(shown), observer)
    print(
        f"{name:8} logits off by {logit_error(clean, mlp):.2%}, "
        f"with the outlier by {logit_error(spoiled, mlp):.2%}"
    )


# %% [markdown]
# Minimising squared error does not help: the outlier's own squared error dominates the sum. Percentiles leave it out.
# That they even improve is chance: the bright pixel also makes large numbers in the hidden layer, and so widens the
# range of the second layer from 2.8 to 4.9, where held-out digits reach 3.4. Look at your calibration data.
#
# **NaN.** An int8 cannot be NaN, so a NaN could disappear in a quantized model, and come out as an ordinary number. The
# given layers pass it on: a row with NaN gives the answer NaN, and no other row does. Calibration refuses it.


# %%
poisoned = tensor(unseen.numpy()[:3].copy())
poisoned.array[1, 0, 0, 0] = float("nan")
print(quantize_dynamic(mlp)(poisoned).numpy()[:, 0])
try:
    quantize_static(mlp, poisoned)
except ValueError as error:
    print(error)


# %% [markdown]
# **A float weight that stays.** The model is small only if nothing holds on to the floats. Count the live bytes of a
# "quantized" layer that keeps its original, for example to print it:


# %%
class Hoarder(QuantizedLinear):
    def __init__(self, layer):
        super().__init__(layer)
        self.original = layer


layer = Linear(512, 512)
for kind in (Linear(512, 512), QuantizedLinear(layer), Hoarder(layer)):
    print(f"{type(kind).__name__:16} {state_bytes(kind):9,} bytes")


# %% [markdown]
# ## In PyTorch
#
# ```python
# quantization = torch.ao.quantization
#
# small = quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
# observer = quantization.MinMaxObserver(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric)
# observer(x); scale, zero_point = observer.calculate_qparams()
# y = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)     # with the straight-through gradient
# q = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8); q.int_repr(); q.dequantize()
# with torch.autocast("cpu", torch.bfloat16): y = model(x)            # products in bfloat16, the rest as above
# ```
#
# All lines but the last two run here too, with `import tinytorch as torch`. A tensor of PyTorch's own type `qint8`
# carries its scale and zero point with it; here they are separate arrays.
#
# ## A program to fix
#
# Before each Linear of the digits' network, this program rounds the inputs to 4 bits, with a range measured beforehand.
# It runs, but loses digits that 4 bits should not lose. Find out why with what you have: compare each scale with the
# one that `MinMaxObserver` proposes for what the layer really gets, and count how many of the 16 integers its inputs
# use.
#
#
# %%
def input_ranges(model, batch):
    """The range of each Linear's input, by the layer's place in a Sequential."""
    ranges, x = {}, batch
    for place, layer in enumerate(model):
        x = layer(x).detach()
        if isinstance(layer, Linear):
            ranges[place] = x.numpy().min(), x.numpy().max()
    return ranges


def with_rounded_inputs(model, batch, bits=4):
    """A copy of the model that rounds what its Linear layers get."""
    model, ends = copy.deepcopy(model), integer_range(bits)
    for place, (low, high) in input_ranges(model, batch).items():
        chosen = scale_and_zero_point(low, high, *ends)
        model[place].register_forward_pre_hook(
            lambda _, x, chosen=chosen: wrap(
                dequantize(quantize(x[0].numpy(), *chosen, *ends), *chosen)
            )
        )
    return model


rounding = with_rounded_inputs(mlp, images[:256])
print(f"{right(rounding):.1f} % right, logits off by {logit_error(rounding, mlp):.1%}")


# %% [markdown]
# <details><summary>Answer</summary><code>x = layer(x)</code> stands before the range is read, so it is the range of the
# layer's <em>output</em>. The first layer gets pixels from 0 to 1, but its scale is chosen for -1.8 to 3.0: of 16
# integers the pixels use four. The second gets 0 to 3.0, with a scale for -15.6 to 13.1, and uses three. Move that line
# to the end of the loop, and the logits are off by 3 % instead of 33 %, with 96.9 % of the digits right. With 8 bits
# the fault would cost no digit: there the logits alone reveal it, 1.3 % off instead of 0.3 %.</details>
#
# ## Questions to think about
#
# 1. One channel has only weights of 0.001, another has weights of 5.0. What does one scale for both do to the first, at
#    8 bits?
#
# <details><summary>Answer</summary>It erases it. The scale is 5 / 127 = 0.039, and 0.001 / 0.039 = 0.025 rounds to 0;
# so does everything below 0.0197, half a step. The output of that channel is its bias, whatever comes in, an error of
# 100 % there, though the mean squared error of the whole weight is tiny. With a scale for each channel the first has
# steps of 0.001 / 127. <code>quantize_along(np.float32([[0.001], [5.0]]), axis)[0]</code> shows both, with
# <code>axis=None</code> and <code>axis=1</code>.</details>
#
# 2. Why are the weights not affine, though that makes smaller errors at 2 bits? Write down the extra sums.
#
# <details><summary>Answer</summary>
#
# With $w = s_w (q_w - z_w)$, the sum over k becomes $\sum q_x q_w - z_x \sum q_w - z_w \sum q_x + K z_x z_w$. The
# second sum is known beforehand, and the last is one number; but $\sum_k q_x$ belongs to the input, and has to be
# computed for each row at run time, then multiplied by a $z_w$ for each output. That is another pass over the inputs
# and another outer product. At 2 bits it would be worth it here (93.3 % right, not 85.3); at 8 bits there is nothing to
# gain, because 255 levels hardly differ from 256.
#
# </details>
#
# 3. Dynamic quantization computes a minimum and a maximum in every call. When is static quantization faster, and what
#    can go wrong with it that cannot go wrong with dynamic?
#
# <details><summary>Answer</summary>When reading the inputs twice is a large part of the work: a layer with few outputs,
# or a convolution of large images. For one digit through the MLP static took 226 and dynamic 262 microseconds; for 360
# digits no difference was left. But its range is a promise. With digits twice as bright, <code>right</code> of the
# static MLP falls from 96.7 to 94.4 %, four times as bright to 91.7 %, because everything above the calibrated range
# saturates. The dynamic one stays at 96.7 %.</details>
#
# 4. With weights of 4 bits and inputs of 8, up to which K is a float32 sum exact?
#
# <details><summary>Answer</summary>A product is at most 128 · 8 = 1,024 = 2<sup>10</sup>, and sums are exact up to
# 2<sup>24</sup>: K up to 2<sup>14</sup> = 16,384, whatever the order of the additions. With symmetric weights, -7 to 7,
# and inputs from -127 on, it is 2<sup>24</sup> / 889 = 18,872. So <code>EXACT</code> could be 16 times as large, and
# most layers would need one piece. As in the cell after <code>integer-product</code>, only extreme integers would show
# that a limit is too large: random ones cancel.</details>
#
# 5. Straight-through gradients are wrong on purpose. Where would the true gradient of the rounded loss send the
#    weights?
#
# <details><summary>Answer</summary>Nowhere. Between two steps of the staircase the rounded weight does not change, so
# the loss does not either: the derivative is 0 for all weights but those exactly on an edge, where it does not exist.
# The optimizer would leave every weight where it is, except for weight decay, which shrinks all of them, whatever the
# loss says, until some of them fall to the next lower integer. Put <code>return grad * 0</code> into
# <code>FakeQuantizeAffine.backward</code>, and train with 3 bits.</details>
#
# 6. Batch normalisation behind a convolution multiplies each channel by a number. Where could that number go, when the
#    weights have a scale for each channel anyway?
#
# <details><summary>Answer</summary>Into the scale. If channel o is multiplied by g = γ / √(σ² + ε), its largest weight
# is, too, so the scale becomes |g| times the old one and the integers stay the same (negated, if g is negative).
# Quantizing w and g w with <code>axis=(1, 2, 3)</code> gave the same integers, and scales in the ratio g. What batch
# normalisation adds goes into the bias: (b - μ) g + β. So the whole normalisation costs nothing at run time. With one
# scale per <em>tensor</em> it would not work: channels with a small g would lose their precision.</details>
#
# 7. The small GPT of section 10 was given outliers by two factors that cancel. How could such factors be used against
#    outliers of the inputs, and what becomes larger instead? (Xiao et al., 2023, do this.)
#
# <details><summary>Answer</summary>
#
# Divide channel j of the inputs by a factor $f_j$, and multiply column j of the weight by it; the division goes into
# the gain of the norm before. The inputs lose their outliers, and the weight's columns get them; weights are easier,
# because each row has a scale. With $f_j = \sqrt{\max|x_j| / \max|w_j|}$ both share the difficulty. For 128 rows of 128
# normal numbers with one channel 100 times as large, and 128 outputs, with one scale for the inputs in 8 bits, and a
# scale for each row of the weight, the output's error fell from 6.5 to 0.9 %.
#
# </details>
#
# ## To read
#
# - Benoit Jacob and others, *Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
#   Inference* (2018), section 2: the sums of section 6, in integers to the end.
# - Tim Dettmers and others, *LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale* (2022), section 4: how
#   outliers appear as models grow.
# - Elias Frantar and others, *GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers*
#   (2023), section 3: for the open problem below.
# - Yoshua Bengio, Nicholas Léonard and Aaron Courville, *Estimating or Propagating Gradients Through Stochastic Neurons
#   for Conditional Computation* (2013): straight-through gradients among their alternatives.
#
# ## An open problem
#
# Rounding to the nearest integer makes the error of each *weight* as small as possible, but what counts is the error of
# the *output* on real inputs. Pixels are correlated: if one weight was rounded up, its neighbour should rather be
# rounded down. Choose integers for the first layer, with the scale of each row as it is, so that the output's error is
# smaller. Half of it is possible.
#
#
# %%
def better_rounding(weight, inputs, bits=3):
    return rounded(weight, bits, weight.shape[1])  # yours


weight, inputs = mlp[1].weight.detach().numpy(), images.flatten(1).numpy()
wanted = inputs @ weight.T
errors = [
    np.linalg.norm(inputs @ choose(weight, inputs).T - wanted) / np.linalg.norm(wanted)
    for choose in (lambda w, _: rounded(w, 3, w.shape[1]), better_rounding)
]
print(f"nearest: output off by {errors[0]:.1%}, yours by {errors[1]:.1%}: ", end="")
print("solved" if errors[1] < 0.6 * errors[0] else "not yet")

# %% [markdown]
# ## What comes next
#
# You have made each weight smaller. Module 16 makes fewer of them.
