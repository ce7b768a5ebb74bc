"""Convolution against its seven loops, and every operation of module 09 against central differences."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tinytorch as torch
from tinytorch import conv
from tinytorch.autograd import gradcheck, gradgradcheck
from tinytorch.given.conv.transposed import transposed_window

F = torch.nn.functional


@st.composite
def convolutions(draw):
    """Images, filters, a bias and the options of a convolution that has an output."""
    groups = draw(st.integers(1, 3))
    channels, filters = (groups * draw(st.integers(1, 2)) for _ in range(2))
    kernel = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    options = {
        "stride": draw(st.integers(1, 3)),
        "padding": draw(st.integers(0, 3)),
        "dilation": draw(st.integers(1, 3)),
        "groups": groups,
    }
    size = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    reach = [options["dilation"] * (k - 1) + 1 for k in kernel]
    assume(all(n + 2 * options["padding"] >= r for n, r in zip(size, reach)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = (draw(st.integers(0, 3)), channels, *size), (filters, channels // groups, *kernel), (filters,)
    return [rng.standard_normal(shape) for shape in shapes], options


@settings(deadline=None, max_examples=150)
@given(convolutions())
def test_the_fast_convolution_equals_the_seven_loops(drawn):
    arrays, options = drawn
    found = F.conv2d(*map(torch.tensor, arrays), **options)
    np.testing.assert_allclose(found.numpy(), conv.conv2d_naive(*arrays, **options), rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(convolutions())
def test_a_long_batch_is_cut_into_blocks(drawn):
    arrays, options = drawn
    whole, conv.CACHE = conv.CACHE, 1  # one image at a time
    try:
        one_by_one = run_with_gradients(arrays, options)
    finally:
        conv.CACHE = whole
    for found, wanted in zip(one_by_one, run_with_gradients(arrays, options), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def run_with_gradients(arrays, options):
    """The output of a convolution, and its inputs' gradients for a random cotangent."""
    inputs = [torch.tensor(a, requires_grad=True) for a in arrays]
    output = F.conv2d(*inputs, **options)
    output.backward(torch.tensor(np.random.default_rng(0).standard_normal(output.shape)))
    return [output.detach().numpy(), *(x.grad.numpy() for x in inputs)]


@settings(deadline=None, max_examples=60)
@given(convolutions())
def test_the_transposed_convolution_is_the_transpose(drawn):
    """<conv(x), y> equals <x, conv_transpose(y)> for every x and y."""
    (x, weight, _), options = drawn
    output = F.conv2d(torch.tensor(x), torch.tensor(weight), **options)
    y = np.random.default_rng(1).standard_normal(output.shape)
    pairs = {name: (value, value) for name, value in options.items()}
    geometry = weight.shape[2:], pairs["stride"], pairs["padding"], (0, 0), pairs["dilation"]
    least, _ = transposed_window(output.shape[2:], *geometry)
    extra = [n - low for n, low in zip(x.shape[2:], least)]
    assume(all(n < max(options["stride"], options["dilation"]) for n in extra))
    back = F.conv_transpose2d(torch.tensor(y), torch.tensor(weight), output_padding=extra, **options)
    assert back.shape == x.shape
    np.testing.assert_allclose((output.numpy() * y).sum(), (x * back.numpy()).sum(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("stride", [1, 2, (2, 1)])
@pytest.mark.parametrize("padding", [0, 1, (1, 0)])
def test_unfold_and_a_product_are_a_convolution(stride, padding):
    rng = np.random.default_rng(0)
    x, weight = (
        torch.tensor(rng.standard_normal((2, 3, 6, 7))),
        torch.tensor(rng.standard_normal((4, 3, 3, 2))),
    )
    wanted = F.conv2d(x, weight, stride=stride, padding=padding)
    columns = F.unfold(x, (3, 2), padding=padding, stride=stride)
    np.testing.assert_allclose(
        (weight.reshape(4, -1) @ columns).reshape(wanted.shape).numpy(), wanted.numpy()
    )


# Gradients, in float64, of every element ----------------------------------------------------------------------
BATCH = lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True)
OPERATIONS = {
    "conv1d": (lambda *xs: F.conv1d(*xs, stride=2, padding=1), (2, 2, 5), (3, 2, 3), (3,)),
    "conv2d": (lambda *xs: F.conv2d(*xs), (2, 2, 3, 4), (2, 2, 2, 3), (2,)),
    "conv2d unbatched, strided, padded": (lambda *xs: F.conv2d(*xs, None, 2, 1), (1, 4, 3), (2, 1, 3, 2)),
    "conv2d dilated, grouped": (lambda *xs: F.conv2d(*xs, dilation=2, groups=2), (1, 2, 4, 4), (4, 1, 2, 2), (4,)),
    "conv2d same, even kernel": (lambda *xs: F.conv2d(*xs, padding="same"), (1, 1, 3, 3), (1, 1, 2, 2)),
    "conv_transpose1d": (lambda *xs: F.conv_transpose1d(*xs, stride=2), (1, 2, 3), (2, 2, 3), (2,)),
    "conv_transpose2d": (
        lambda *xs: F.conv_transpose2d(*xs, stride=2, padding=1, output_padding=1, groups=2),
        (1, 2, 2, 2), (2, 1, 3, 3), (2,),
    ),
    "unfold": (lambda x: F.unfold(x, (2, 3), padding=1, stride=2) ** 2, (1, 2, 3, 4)),
    "fold": (lambda x: F.fold(x, (3, 4), 2) ** 2, (1, 4, 6)),
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2, 1) ** 2, (2, 2, 5)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2) ** 2, (2, 1, 4, 5)),
    "max_pool2d overlapping": (lambda x: F.max_pool2d(x, 3, 1, 1) ** 2, (1, 2, 3, 4)),
    "max_pool2d dilated, to the edge": (lambda x: F.max_pool2d(x, 2, 3, dilation=2, ceil_mode=True), (1, 1, 5, 5)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 2) ** 2, (1, 2, 5)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False) ** 2, (1, 2, 4, 4)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)) ** 2, (1, 2, 5, 4)),
    "batch_norm": (BATCH, (3, 2, 2), (2,), (2,)),
    "batch_norm of rows": (lambda x: BATCH(x, None, None), (4, 3)),
    "batch_norm in evaluation": (
        lambda x, w, b: F.batch_norm(x, torch.zeros(2).double(), torch.ones(2).double() * 2, w, b) ** 2,
        (2, 2, 3), (2,), (2,),
    ),
    "pad": (lambda x: F.pad(x, (1, -1, 2, 0), value=3.0) ** 2, (2, 3, 4)),
    "pad reflect": (lambda x: F.pad(x, (2, 1, 1, 0), mode="reflect") ** 2, (1, 3, 3)),
    "pad replicate": (lambda x: F.pad(x, (2, 1), mode="replicate") ** 2, (1, 2, 3)),
    "pad circular": (lambda x: F.pad(x, (2, 1, 0, 3), mode="circular") ** 2, (1, 3, 3)),
    "interpolate nearest": (lambda x: F.interpolate(x, (5, 2)) ** 2, (1, 2, 3, 4)),
    "interpolate nearest-exact": (lambda x: F.interpolate(x, 5, mode="nearest-exact") ** 2, (1, 2, 3)),
    "interpolate linear": (lambda x: F.interpolate(x, scale_factor=1.7, mode="linear") ** 2, (1, 2, 4)),
    "interpolate bilinear": (lambda x: F.interpolate(x, (5, 2), mode="bilinear") ** 2, (1, 2, 3, 4)),
    "interpolate aligned": (lambda x: F.interpolate(x, 5, mode="bilinear", align_corners=True) ** 2, (1, 1, 3, 4)),
    "interpolate bicubic": (lambda x: F.interpolate(x, (5, 3), mode="bicubic") ** 2, (1, 1, 3, 4)),
    "interpolate trilinear": (lambda x: F.interpolate(x, 3, mode="trilinear") ** 2, (1, 1, 2, 2, 2)),
    "interpolate area": (lambda x: F.interpolate(x, (2, 3), mode="area") ** 2, (1, 1, 3, 5)),
    "interpolate smooth": (lambda x: F.interpolate(x, (2, 3), mode="bicubic", antialias=True) ** 2, (1, 1, 5, 4)),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 3) ** 2, (2, 2, 7)),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, (2, 1, 3)) ** 2, (1, 1, 2, 3, 4)),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 3) ** 2, (2, 2, 7)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (2, 3)) ** 2, (1, 2, 5, 4)),
    "adaptive_max_pool2d even": (lambda x: F.adaptive_max_pool2d(x, (2, 1)) ** 2, (1, 2, 4, 3)),
    "adaptive_max_pool3d": (lambda x: F.adaptive_max_pool3d(x, 2) ** 2, (1, 1, 2, 3, 2)),
    "max_unpool2d": (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2) ** 2, (1, 2, 4, 4)),
    "lp_pool1d": (lambda x: F.lp_pool1d(x**2 + 1, 3, 2, 1), (1, 2, 5)),
    "lp_pool2d": (lambda x: F.lp_pool2d(x**2 + 1, 2, 2), (1, 2, 4, 4)),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, None, None, w, b), (2, 2, 3), (2,), (2,)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), (2, 4, 2), (4,), (4,)),
    "local_response_norm": (lambda x: F.local_response_norm(x, 3, 0.5, 0.6, 2.0), (2, 4, 3)),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2) ** 2, (1, 4, 2, 3)),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2) ** 2, (1, 1, 2, 4)),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 2) ** 2, (1, 4, 3)),
    "Tensor.unfold": (lambda x: x.unfold(0, 3, 1).unfold(1, 2, 2) ** 2, (5, 4)),
    "Tensor.unfold in the middle": (lambda x: x.transpose(0, 2).unfold(1, 2, 1) ** 2, (2, 4, 3)),
    "grid_sample": (lambda x, grid: F.grid_sample(x, grid, align_corners=False), (1, 2, 3, 4), (1, 2, 3, 2)),
    "grid_sample bicubic": (lambda x, grid: F.grid_sample(x, grid, "bicubic", align_corners=True), (1, 1, 3, 3), (1, 2, 2, 2)),
    "affine_grid": (lambda theta: F.affine_grid(theta, (1, 1, 2, 3), False) ** 2, (1, 2, 3)),
    "alpha_dropout": (lambda x: [torch.manual_seed(0), F.alpha_dropout(x, 0.4, True) ** 2][1], (3, 4)),
    "dropout1d": (lambda x: [torch.manual_seed(0), F.dropout1d(x, 0.4) ** 2][1], (2, 4, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients_equal_differences_once_and_twice(name):
    function, *shapes = OPERATIONS[name]
    rng = np.random.default_rng(0)
    inputs = tuple(torch.tensor(rng.standard_normal(shape)).requires_grad_() for shape in shapes)
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


# Behaviour ---------------------------------------------------------------------------------------------------
def test_a_maximum_that_is_found_twice_gives_its_gradient_to_the_first():
    x = torch.tensor([[[1.0, 3.0, 3.0], [3.0, 0.0, 3.0]]], requires_grad=True)
    output, index = F.max_pool2d(x, (2, 3), return_indices=True)
    output.backward(torch.full_like(output, 5.0))
    np.testing.assert_array_equal(x.grad.numpy(), [[[0, 5, 0], [0, 0, 0]]])
    assert index.item() == 1


def test_float32_stays_float32_everywhere():
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.MaxPool2d(2))
    x = torch.randn(2, 1, 6, 6, requires_grad=True)
    model(x).sum().backward()
    assert {t.dtype for t in (x.grad, *(p.grad for p in model.parameters()), *model.buffers())} == {
        torch.float32, torch.int64,
    }  # fmt: skip


def test_a_convolution_keeps_its_input_and_no_columns():
    x, layer = torch.randn(4, 8, 16, 16), torch.nn.Conv2d(8, 8, 3)
    saved = layer(x).grad_fn.saved_tensors
    assert [a is b for a, b in zip(saved, (x.array, layer.weight.array), strict=True)] == [True, True]


def test_the_residual_network_has_the_parameters_of_resnet18():
    model = torch.ResNet(torch.BasicBlock, [2, 2, 2, 2])
    assert sum(p.numel() for p in model.parameters()) == 11_689_512
    names = set(model.state_dict())
    assert {
        "conv1.weight",
        "bn1.running_mean",
        "layer1.0.conv1.weight",
        "layer2.0.downsample.0.weight",
    } <= names
    assert {"layer2.0.downsample.1.num_batches_tracked", "layer4.1.bn2.bias", "fc.weight"} <= names
    assert len(names) == 122
    assert model.eval()(torch.randn(1, 3, 64, 64)).shape == (1, 1000)


@pytest.mark.parametrize(("side", "features"), [(8, 64), (28, 400), (32, 576)])
def test_lenet_takes_digits_mnist_and_cifar(side, features):
    model = torch.LeNet(image_size=side)
    assert model.fc1.in_features == features
    assert model(torch.randn(2, 1, side, side)).shape == (2, 10)


def test_running_statistics_are_the_averages_of_all_batches_without_a_momentum():
    rng = np.random.default_rng(0)
    batches = rng.standard_normal((3, 8, 2, 4, 4)).astype("float32")
    layer = torch.nn.BatchNorm2d(2, momentum=None)
    for batch in batches:
        layer(torch.tensor(batch))
    np.testing.assert_allclose(layer.running_mean.numpy(), batches.mean((0, 1, 3, 4)), rtol=1e-4, atol=1e-6)
    unbiased = batches.var((1, 3, 4), ddof=1).mean(0)
    np.testing.assert_allclose(layer.running_var.numpy(), unbiased, rtol=1e-5)
    assert layer.num_batches_tracked.item() == 3
    assert math.prod(layer.running_mean.shape) == 2


@pytest.mark.parametrize("make", [
    lambda: torch.nn.Conv3d(1, 2, 3), lambda: torch.nn.SyncBatchNorm(3),
    lambda: F.conv3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 1, 1, 1)), lambda: torch.nn.FractionalMaxPool2d(2),
    lambda: torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.Linear(1, 1)),
])  # fmt: skip
def test_what_is_not_here_says_so_in_a_sentence(make):
    with pytest.raises(NotImplementedError, match=r"^tinytorch has no \w+: \w+"):
        make()


def test_windows_look_into_the_memory_of_their_tensor():
    x = torch.arange(8.0, requires_grad=True)
    y = x * 1
    windows = y[1:].unfold(0, 3, 3)
    windows[1] *= 10
    assert y.tolist() == [0, 1, 2, 3, 40, 50, 60, 7]
    y.backward(torch.arange(8.0))
    assert x.grad.tolist() == [0, 1, 2, 3, 40, 50, 60, 7]
    with pytest.raises(RuntimeError, match="single memory location"):
        y.detach().unfold(0, 2, 1).add_(1)


def test_resampling_gives_back_as_much_as_it_takes():
    """<resample(x), y> equals <x, resample's gradient(y)>, whatever changes the size."""
    rng = np.random.default_rng(0)
    for mode, options in [("nearest", {}), ("bilinear", {}), ("bicubic", {"antialias": True}), ("area", {})]:
        for size in [(3, 4), (11, 5), (7, 20)]:
            x = torch.tensor(rng.standard_normal((2, 3, 7, 10)), requires_grad=True)
            output = F.interpolate(x, size, mode=mode, **options)
            y = rng.standard_normal(output.shape)
            output.backward(torch.tensor(y))
            np.testing.assert_allclose(
                (output.detach().numpy() * y).sum(), (x.grad * x.detach()).sum().item(), rtol=1e-9
            )
