"""Tests of module 09, which `make release 9` makes from conv.py."""

import inspect
from unittest import mock

import numpy as np
import pytest

from tinytorch.autograd import no_grad
from tinytorch.conv import (
    BasicBlock,
    BatchNorm,
    Conv2d,
    Convolution,
    ConvolutionInput,
    ConvolutionWeight,
    MaxPool,
    Window,
    batch_norm_gradient,
    col2im,
    conv2d_naive,
    im2col,
    output_size,
    positions,
    window_over,
    winners,
)
from tinytorch.tensor import Context, manual_seed, tensor, wrap


def drawn(*shapes, seed=0):
    """Random arrays of these shapes, float64."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


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


@pytest.mark.stub("output-size", points=3)
def test_a_window_takes_as_many_places_as_fit():
    for sizes in [(5, 3, 2), (6, 3, 2), (7, 7, 1), (9, 2, 3), (8, 1, 1), (2, 3, 2)]:
        check_places(*sizes)


@pytest.mark.stub("output-size", points=3)
def test_margins_and_gaps_count():
    for sizes in [(224, 7, 2, 3), (8, 3, 2, 2), (9, 3, 1, 0, 2), (10, 4, 3, 1, 3)]:
        check_places(*sizes)
    check_places(7, 2, 2, 3, 5)


@pytest.mark.stub("output-size", points=3)
def test_a_last_window_may_hang_over():
    for sizes in [(6, 3, 2, 0, 1), (7, 3, 2, 0, 1), (5, 2, 2, 1, 1), (8, 3, 3, 2, 2)]:
        check_places(*sizes, True)
    check_places(4, 2, 3, 1, 1, True)  # the next would begin in the padding at the end
    check_places(2, 4, 3, 0, 1, True)  # the only one hangs over
    check_places(2, 7, 3, 0, 1, True)  # by 5, more than a stride


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


@pytest.mark.stub("conv2d-naive", points=5)
def test_the_loops_sum_what_the_window_shows():
    rows = "1 0 2 0 1", "0 1 0 1 0", "2 0 1 0 2", "0 1 0 1 0", "1 0 2 0 1"
    image = np.array([[[row.split() for row in rows]]], float)
    found = conv2d_naive(image, np.eye(3)[None, None])[0, 0]
    message = "each number is the sum of the diagonal of a 3x3 window"
    np.testing.assert_array_equal(found, [[3, 0, 5], [0, 3, 0], [5, 0, 3]], err_msg=message)


@pytest.mark.stub("conv2d-naive", points=5)
def test_all_channels_are_summed_and_each_filter_has_its_bias():
    about = "two images of three channels, four filters of 2x3, with a bias"
    check_loops(*drawn((2, 3, 5, 6), (4, 3, 2, 3), (4,)), about=about)


@pytest.mark.stub("conv2d-naive", points=5)
def test_strides_margins_and_gaps():
    arrays = drawn((1, 2, 7, 6), (2, 2, 3, 2))
    for stride, padding, dilation in [(2, 0, 1), (1, 2, 1), (1, 0, 2), (3, 1, 2)]:
        options = {"stride": stride, "padding": padding, "dilation": dilation}
        check_loops(*arrays, about=f"{options}", **options)


@pytest.mark.stub("conv2d-naive", points=5)
def test_a_group_of_filters_sees_its_group_of_channels():
    about = "filters 0 to 2 see channels 0 and 1, filters 3 to 5 see channels 2 and 3"
    check_loops(*drawn((1, 4, 4, 4), (6, 2, 1, 3)), about=about, groups=2)
    check_loops(*drawn((2, 3, 4, 4), (3, 1, 2, 2), (3,)), about="3 groups", groups=3)


@pytest.mark.stub("conv2d-naive", points=5)
def test_the_loops_give_the_type_of_the_images():
    x, weight = (a.astype(np.float32) for a in drawn((1, 1, 3, 3), (1, 1, 2, 2)))
    check_type(conv2d_naive(x, weight), np.float32, "the output of float32 images")


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


@pytest.mark.stub("positions", points=4)
def test_each_position_sees_one_pixel_at_each_place():
    check_positions(window_over((4, 5), (2, 3)), (4, 5))


@pytest.mark.stub("positions", points=4)
def test_a_position_moves_on_by_the_stride():
    check_positions(window_over((7, 8), (3, 2), (2, 3)), (7, 8))


@pytest.mark.stub("positions", points=4)
def test_positions_are_a_dilation_apart():
    check_positions(window_over((5, 7), (3, 2), (1, 2), (1, 1), (2, 4)), (7, 9))


@pytest.mark.stub("positions", points=4)
def test_what_lies_beyond_the_last_place_is_not_seen():
    window = Window((2, 2), (2, 2), (0, 0), (1, 1), (2, 1))
    check_positions(window, (9, 9))
    x = np.zeros((9, 9))
    assert np.shares_memory(x[positions(window)[0][2]], x), "x[index] must be a view of x"


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


@pytest.mark.stub("im2col", points=3)
def test_columns_hold_what_the_window_sees():
    check_columns((2, 3))
    check_columns((3, 3))


@pytest.mark.stub("im2col", points=3)
def test_columns_of_windows_with_strides_margins_and_gaps():
    check_columns((3, 2), stride=2)
    check_columns((3, 3), padding=2)
    check_columns((2, 2), stride=2, padding=1, dilation=3)


@pytest.mark.stub("im2col", points=3)
def test_columns_have_the_type_of_the_images():
    for dtype in (np.float32, np.float64, np.int64):
        found = im2col(np.ones((1, 1, 3, 3), dtype), window_over((3, 3), (2, 2)))
        check_type(found, dtype, f"im2col of {np.dtype(dtype)}")
        check_close(found, 1, "all pixels are 1")


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


@pytest.mark.stub("convolution", points=6)
def test_a_convolution_is_a_product():
    x, weight = drawn((2, 3, 6, 5), (4, 3, 3, 2))
    check_convolution_by_products(x, weight)
    check_convolution_by_products(x, weight, stride=2, padding=1)
    check_convolution_by_products(x, weight, dilation=2, padding=2)


@pytest.mark.stub("convolution", points=6)
def test_the_bias_belongs_to_the_channels():
    x, weight, bias = drawn((2, 1, 4, 5), (4, 1, 3, 2), (4,))  # as many filters as columns
    check_convolution_by_products(x, weight, bias)


@pytest.mark.stub("convolution", points=6)
def test_groups_have_filters_and_channels_of_their_own():
    check_convolution_by_products(*drawn((2, 4, 4, 4), (6, 2, 2, 2), (6,)), groups=2)
    check_convolution_by_products(*drawn((2, 3, 4, 4), (3, 1, 3, 3)), groups=3, padding=1)


@pytest.mark.stub("convolution", points=6)
def test_a_long_batch_is_computed_in_several_blocks():
    check_convolution_by_products(*drawn((1500, 1, 8, 8), (2, 1, 3, 3), (2,)), padding=1)
    check_convolution_by_products(*drawn((0, 1, 8, 8), (2, 1, 3, 3)))


@pytest.mark.stub("convolution", points=6)
def test_a_convolution_has_the_type_of_its_images():
    x, weight, bias = (a.astype(np.float32) for a in drawn((1, 2, 4, 4), (3, 2, 1, 1), (3,)))
    found = check_convolution_by_products(x, weight, bias)
    check_type(found, np.float32, "a convolution of float32 arrays")


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


@pytest.mark.stub("weight-gradient", points=5)
def test_each_weight_gets_what_it_was_multiplied_with():
    check_weight_gradient(1, 2, 3, (3, 2))


@pytest.mark.stub("weight-gradient", points=5)
def test_all_images_add_to_the_filters():
    check_weight_gradient(3, 2, 2, (2, 2))
    check_weight_gradient(2500, 1, 2, (3, 3))


@pytest.mark.stub("weight-gradient", points=5)
def test_filters_with_strides_margins_and_gaps():
    check_weight_gradient(2, 1, 2, (3, 3), stride=2, padding=1)
    check_weight_gradient(2, 1, 2, (2, 2), dilation=3, padding=2)


@pytest.mark.stub("weight-gradient", points=5)
def test_filters_in_groups():
    check_weight_gradient(2, 4, 6, (2, 3), groups=2)


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


@pytest.mark.stub("col2im", points=4)
def test_a_pixel_gets_the_sum_of_all_columns_that_show_it():
    window = window_over((3, 3), (2, 2))
    image = col2im(np.arange(16.0).reshape(1, 1, 2, 2, 2, 2), (3, 3), window)[0, 0]
    wanted = [[0, 1 + 4, 5], [2 + 8, 3 + 6 + 9 + 12, 7 + 13], [10, 11 + 14, 15]]
    check_close(image, wanted, "columns 0, 1, 2, ... 15, each at its pixel")
    check_return((5, 6), (3, 2))


@pytest.mark.stub("col2im", points=4)
def test_pixels_that_no_window_shows_get_nothing():
    check_return((5, 8), (2, 2), stride=3)
    check_return((7, 6), (2, 2), dilation=3)


@pytest.mark.stub("col2im", points=4)
def test_what_lies_in_the_margin_is_left_out():
    check_return((4, 5), (3, 3), padding=2)
    check_return((5, 4), (3, 3), padding=1, stride=2)


@pytest.mark.stub("col2im", points=4)
def test_images_have_the_type_of_their_columns():
    columns, window = np.ones((1, 1, 2, 2, 2, 2), np.float32), square_window((3, 3), (2, 2))
    found = col2im(columns, (3, 3), window)
    check_type(found, np.float32, "the image from float32 columns")


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


@pytest.mark.stub("input-gradient", points=6)
def test_each_number_goes_back_to_what_it_has_seen():
    check_input_gradient(2, (3, 2, 3, 2), (5, 6))
    check_input_gradient(2, (3, 2, 3, 2), (5, 6), dtype=np.float32)


@pytest.mark.stub("input-gradient", points=6)
def test_images_with_strides_margins_and_gaps():
    check_input_gradient(1, (2, 3, 3, 3), (6, 5), stride=2, padding=1)
    check_input_gradient(2, (2, 1, 2, 2), (6, 7), dilation=3, padding=2)


@pytest.mark.stub("input-gradient", points=6)
def test_images_in_groups():
    check_input_gradient(2, (6, 2, 2, 3), (4, 5), groups=2)
    check_input_gradient(1, (3, 1, 2, 2), (4, 4), groups=3)


@pytest.mark.stub("input-gradient", points=6)
def test_a_long_batch_goes_back_in_several_blocks():
    check_input_gradient(2500, (2, 1, 3, 3), (6, 5))


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


@pytest.mark.stub("max-pool", points=3)
def test_the_largest_of_each_window_is_kept():
    (x,) = drawn((2, 3, 6, 8))
    check_max_pool(x, (2, 2), 2)
    check_max_pool(x.astype(np.float32), (3, 2), 1)
    check_max_pool(x, (1, 1), 1)


@pytest.mark.stub("max-pool", points=3)
def test_pooling_with_gaps():
    (x,) = drawn((1, 1, 7, 7))
    check_max_pool(x, (2, 2), 1, dilation=3)


@pytest.mark.stub("max-pool", points=3)
def test_the_margin_never_wins():
    (x,) = drawn((1, 2, 5, 5))
    check_max_pool(x - 10, (3, 3), 2, padding=1)
    check_max_pool(np.full_like(x, -np.inf), (3, 3), 2, padding=1)


@pytest.mark.stub("max-pool", points=3)
def test_a_nan_is_not_passed_over():
    (x,) = drawn((1, 1, 6, 6))
    x[0, 0, 1, 0] = x[0, 0, 2, 3] = x[0, 0, 5, 5] = np.nan
    check_max_pool(x, (2, 2), 2)


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


@pytest.mark.stub("winners", points=4)
def test_a_maximum_that_is_nan_has_no_winner():
    x = np.float32([[[[1, np.nan, 2, 3], [4, 5, 6, 7]]]])
    found = winners(x, np.float32([[[[np.nan, 7]]]]), square_window((2, 4), (2, 2), 2))
    won = sum(mask.astype(int) for mask in found)[0, 0, 0].tolist()
    assert won == [0, 1], f"maxima NaN and 7: none and one of the positions win, not {won}"


@pytest.mark.stub("winners", points=4)
def test_the_largest_wins():
    (x,) = drawn((2, 3, 6, 6))
    check_winners(x, (2, 2), 2)
    check_winners(x, (3, 2), 1)


@pytest.mark.stub("winners", points=4)
def test_of_equals_the_first_wins():
    x, maximum = np.array([[[[3.0, 1, 3, 3]]]]), np.array([[[[3.0]]]])
    won = np.ravel(winners(x, maximum, window_over((1, 4), (1, 4)))).tolist()
    right = [True, False, False, False]
    assert won == right, f"a window of 3, 1, 3, 3: the first position alone wins, not {won}"
    x = np.random.default_rng(0).integers(0, 3, (2, 2, 6, 6)).astype(float)
    check_winners(x, (2, 2), 2)
    check_winners(1 + x / 2**30, (3, 3), 2)  # nearly equal is not equal


@pytest.mark.stub("winners", points=4)
def test_nobody_wins_from_the_margin():
    (x,) = drawn((1, 1, 5, 5))
    check_winners(x - 10, (3, 3), 2, padding=1)


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


@pytest.mark.stub("batch-norm", points=6)
def test_each_channel_is_normalised_over_images_and_places():
    (x,) = drawn((4, 3, 2, 5))
    x = 3 * x + np.arange(3).reshape(3, 1, 1)
    wanted = normalised(x, 1e-3)
    check_close(normalise(x, eps=1e-3), wanted, "mean 0, variance 1 by channel")


@pytest.mark.stub("batch-norm", points=6)
def test_rows_are_normalised_too_and_eps_is_added_to_the_variance():
    (x,) = drawn((5, 2))
    wanted = normalised(x, 2.0)
    check_close(normalise(x, eps=2.0), wanted, "eps is 2")


@pytest.mark.stub("batch-norm", points=6)
def test_each_channel_has_its_scale_and_shift():
    x, weight, bias = drawn((3, 4, 4, 4), (4,), (4,))  # as many channels as columns
    plain, scale, shift = normalised(x, 1e-5), weight[:, None, None], bias[:, None, None]
    check_close(normalise(x, weight, bias), plain * scale + shift, "a weight and a bias")
    check_close(normalise(x, weight), plain * scale, "a weight alone")
    check_close(normalise(x, bias=bias), plain + shift, "a bias alone")


@pytest.mark.stub("batch-norm", points=6)
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


@pytest.mark.stub("batch-norm", points=6)
def test_a_normalised_batch_stays_float32():
    (x,), ones32 = drawn((4, 2, 3)), np.ones(2, np.float32)
    found = normalise(x.astype(np.float32), ones32, ones32, (0 * ones32, 1 * ones32))
    check_type(found, np.float32, "a normalised batch of float32")


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


@pytest.mark.stub("batch-norm-gradient", points=6)
def test_the_gradient_of_normalised_images():
    check_batch_norm_gradient((3, 2, 2, 2), 1e-9)


@pytest.mark.stub("batch-norm-gradient", points=6)
def test_the_gradient_of_normalised_rows():
    check_batch_norm_gradient((5, 3), 1e-9)
    check_batch_norm_gradient((4, 1), 1e-9)


@pytest.mark.stub("batch-norm-gradient", points=6)
def test_gradients_stay_float32():
    arrays = [a.astype(np.float32) for a in drawn((4, 3, 2), (4, 3, 2), (1, 3, 1))]
    for name, found in zip(("x", "weight", "bias"), batch_norm_gradient(*arrays)):
        check_type(found, np.float32, f"the gradient of {name}")


@pytest.mark.stub("batch-norm-gradient", points=6)
def test_what_only_shifts_or_stretches_a_channel_is_taken_away():
    normal = normalised(drawn((6, 2))[0], 0.0)
    grads = batch_norm_gradient(3 + 2 * normal, normal, np.ones((1, 2)))
    check_close(grads[0], 0, "normalisation undoes every shift and every scaling")
    check_close(grads[1], [12, 12], "the gradient of the weight")
    check_close(grads[2], [18, 18], "the gradient of the bias")


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


@pytest.mark.stub("basic-block", points=5)
def test_a_block_has_torchvisions_parameters():
    shapes = {name: tuple(p.shape) for name, p in BasicBlock(2, 4, 2).named_parameters()}
    wanted = {"conv1.weight": (4, 2, 3, 3), "bn1.weight": (4,), "bn1.bias": (4,)}
    wanted |= {"conv2.weight": (4, 4, 3, 3), "bn2.weight": (4,), "bn2.bias": (4,)}
    assert list(shapes.items()) == list(wanted.items()), (
        f"BasicBlock(2, 4, 2) has the parameters {wanted}, in this order; not {shapes}"
    )


@pytest.mark.stub("basic-block", points=5)
def test_the_input_is_added_before_the_last_relu():
    manual_seed(0)
    block = BasicBlock(3, 3)
    x = 1 + np.random.default_rng(0).standard_normal((2, 3, 5, 5), dtype=np.float32)
    wanted, means = block_by_numpy(block, x, x)
    check_block(block, x, wanted, "in training: relu of x and what the layers make of it")
    running = [bn.running_mean.numpy() for bn in (block.bn1, block.bn2)]
    about = "running means of bn1 and bn2: tenths of the means of conv1's and conv2's output"
    np.testing.assert_allclose(running, np.divide(means, 10), 1e-4, 1e-5, err_msg=about)


@pytest.mark.stub("basic-block", points=5)
def test_the_downsample_stands_in_the_shortcut():
    for inplanes, planes, stride in ((3, 3, 2), (2, 4, 1)):
        manual_seed(0)
        shortcut = Conv2d(inplanes, planes, 1, stride=stride, bias=False)
        block = BasicBlock(inplanes, planes, stride, shortcut)
        x = np.float32(drawn((1, inplanes, 6, 7))[0])
        beside = correlated(x, shortcut.weight.detach().numpy(), stride=stride)
        about = f"BasicBlock({inplanes}, {planes}, {stride}) with a downsample"
        check_block(block, x, block_by_numpy(block, x, beside, stride)[0], about)


@pytest.mark.stub("basic-block", points=5)
def test_a_block_of_zeros_does_nothing():
    block = BasicBlock(2, 2).eval()
    with no_grad():
        block.conv2.weight.zero_()
    x, grad = (np.float32(abs(array)) for array in drawn((1, 2, 3, 3), (1, 2, 3, 3)))
    check_block(block, x, x, "with f = 0, what is positive passes unchanged")
    inputs = tensor(x, requires_grad=True)
    block(inputs).backward(tensor(grad))
    check_close(inputs.grad.numpy(), grad, "with f = 0, so does the gradient")
