"""Probes of module 09: windows of random kernels, strides, margins and gaps over random images."""

import tinytorch
from tinytorch.tensor import Context


def sizes(rng, count, least=1, most=4):
    return [int(n) for n in rng.integers(least, most, count)]


def drawn(rng, *shape, kind=None):
    return np.asarray(rng.normal(size=shape)).astype(
        kind or rng.choice([np.float32, np.float64])
    )


def window_of(rng, least=0):
    """A window whose two sides have nothing in common, and the size of images that it fits."""
    kernel, stride, dilation = sizes(rng, 2), sizes(rng, 2), sizes(rng, 2)
    padding = [int(rng.integers(0, k // 2 + 1)) for k in kernel]
    size = [d * (k - 1) + 1 + int(rng.integers(least, 6)) for k, d in zip(kernel, dilation)]
    return size, window_over(size, kernel, stride, padding, dilation)


def kept(array, before):
    return np.array_equal(array, before, equal_nan=True)


@probe("output-size")
def places_along_a_side(rng):
    found = []
    for _ in range(150):
        size, kernel, stride, dilation = (int(n) for n in rng.integers(1, (13, 6, 5, 4)))
        padding = int(rng.integers(0, kernel // 2 + 1))
        size = max(size, dilation * (kernel - 1) + 1 - 2 * padding)
        found.append(
            int(output_size(size, kernel, stride, padding, dilation, bool(rng.integers(2))))
        )
    return found


@probe("conv2d-naive")
def sums_by_loops(rng):
    found = []
    for groups in (1, 2, 3):
        n, c, o, h, w = sizes(rng, 5, 1, 3)
        kind = rng.choice([np.float32, np.float64])
        stride, padding, dilation = sizes(rng, 3)
        reach = dilation * 2 + 1
        x = drawn(rng, n, groups * c, reach + h - padding % 2, reach + w, kind=kind)
        weight, bias = (
            drawn(rng, groups * o, c, 3, 2, kind=kind),
            drawn(rng, groups * o, kind=kind),
        )
        options = {
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "groups": groups,
        }
        found.append(conv2d_naive(x, weight, bias if rng.random() < 0.5 else None, **options))
    return found


@probe("positions")
def positions_in_a_window(rng):
    found = []
    for _ in range(8):
        size, window = window_of(rng)
        x = np.arange(2 * math.prod(n + 2 for n in size)).reshape(2, *(n + 2 for n in size))
        x = np.pad(x, ((0, 0), *((p, p) for p in window.padding)))
        listed = positions(window)
        found.append(
            [
                [int(i), int(j), x[index], np.shares_memory(x[index], x)]
                for i, j, index in listed
            ]
        )
    return found


@probe("im2col")
def columns_of_images(rng):
    found = []
    for _ in range(6):
        size, window = window_of(rng)
        x = drawn(rng, *sizes(rng, 2), *size)
        before, memory = (
            x.copy(),
            np.full((*x.shape[:2], *window.kernel_size, *window.places), 7.0, x.dtype),
        )
        columns = im2col(x, window)
        found.append(
            [
                columns,
                kept(x, before),
                im2col(x, window, memory) is memory,
                kept(memory, columns),
            ]
        )
    return found


def convolved(rng, groups, images=None):
    """Images, filters, a bias, a gradient of the output, and the window that moves over them."""
    size, window = window_of(rng)
    n, c, o = sizes(rng, 3)
    n, kind = n if images is None else images, rng.choice([np.float32, np.float64])
    shapes = (
        (n, groups * c, *size),
        (groups * o, c, *window.kernel_size),
        (groups * o,),
        (n, groups * o, *window.places),
    )
    return *(drawn(rng, *shape, kind=kind) for shape in shapes), size, window


@probe("convolution")
def convolutions_by_products(rng):
    found = []
    for groups, images in ((1, None), (2, None), (3, None), (1, 0), (2, 300)):
        x, weight, bias, _, _, window = convolved(rng, groups, images)
        before = x.copy(), weight.copy()
        output = Convolution.forward(
            Context(), x, weight, bias if rng.random() < 0.7 else None, window, groups
        )
        found.append(
            [
                output if images != 300 else output[::37],
                kept(x, before[0]),
                kept(weight, before[1]),
            ]
        )
    return found


@probe("weight-gradient")
def gradients_of_filters(rng):
    found = []
    for groups, images in ((1, None), (2, None), (3, None), (1, 0), (2, 300)):
        x, _, _, grad, _, window = convolved(rng, groups, images)
        before = x.copy(), grad.copy()
        found.append(
            [
                ConvolutionWeight.forward(Context(), x, grad, window, groups),
                kept(x, before[0]),
                kept(grad, before[1]),
            ]
        )
    return found


@probe("col2im")
def columns_given_back(rng):
    found = []
    for _ in range(6):
        size, window = window_of(rng)
        columns = drawn(rng, *sizes(rng, 2), *window.kernel_size, *window.places)
        before = columns.copy()
        found.append([col2im(columns, size, window), kept(columns, before)])
    return found


@probe("input-gradient")
def gradients_of_images(rng):
    found = []
    for groups, images in ((1, None), (2, None), (3, None), (1, 0), (2, 300)):
        _, weight, _, grad, size, window = convolved(rng, groups, images)
        before = weight.copy(), grad.copy()
        output = ConvolutionInput.forward(Context(), grad, weight, size, window, groups)
        found.append(
            [
                output if images != 300 else output[::37],
                kept(weight, before[0]),
                kept(grad, before[1]),
            ]
        )
    return found


@probe("max-pool")
def largest_of_windows(rng):
    found = []
    for shift in (0, -10, 0, 0):
        size, window = window_of(rng)
        x = drawn(rng, *sizes(rng, 2), *size) + shift
        x[rng.random(x.shape) < 0.05] = np.nan
        before = x.copy()
        found.append([MaxPool.forward(Context(), x, window), kept(x, before)])
    return found


@probe("winners")
def first_of_the_largest(rng):
    found = []
    for kind in (float, int, float):
        size, window = window_of(rng)
        x = (
            rng.integers(-9, -5, (*sizes(rng, 2), *size))
            if kind is int
            else drawn(rng, 2, 1, *size)
        ).astype(np.float64)
        output = MaxPool.forward(Context(), x, window)
        before = x.copy(), output.copy()
        found.append(
            [list(winners(x, output, window)), kept(x, before[0]), kept(output, before[1])]
        )
    return found


@probe("batch-norm")
def normalised_batches(rng):
    found = []
    for rest in ((), (3,), (2, 3)):
        c, kind = int(rng.integers(1, 5)), rng.choice([np.float32, np.float64])
        x = 3 * drawn(rng, int(rng.integers(3, 6)), c, *rest, kind=kind) + drawn(
            rng, c, *[1 for _ in rest], kind=kind
        )
        before = x.copy()
        weight, bias = (
            drawn(rng, c, kind=kind) if rng.random() < 0.6 else None for _ in range(2)
        )
        running = (
            [drawn(rng, c, kind=kind), rng.uniform(1, 2, c).astype(kind)]
            if rng.random() < 0.8
            else None
        )
        options = (
            float(rng.choice([1.0, rng.uniform(0, 1)])),
            float(rng.choice([1e-5, rng.uniform(0.1, 2)])),
        )
        found.append(
            [
                BatchNorm.forward(Context(), x, weight, bias, running, *options),
                running,
                kept(x, before),
            ]
        )
    return found


@probe("batch-norm-gradient")
def gradients_of_normalised_batches(rng):
    found = []
    for rest in ((), (3,), (2, 3)):
        n, c = int(rng.integers(2, 6)), int(rng.integers(1, 5))
        kind = rng.choice([np.float32, np.float64])
        arrays = [
            drawn(rng, *shape, kind=kind)
            for shape in ((n, c, *rest), (n, c, *rest), (1, c, *[1 for _ in rest]))
        ]
        before = [array.copy() for array in arrays]
        of_tensors = batch_norm_gradient(*map(tinytorch.from_numpy, arrays))
        found.append(
            [
                list(batch_norm_gradient(*arrays)),
                [type(g).__name__ for g in of_tensors],
                list(of_tensors),
            ]
        )
        found.append([kept(array, copy) for array, copy in zip(arrays, before)])
    return found


@probe("basic-block")
def blocks_of_two_convolutions(rng):
    found = []
    for stride in (1, int(rng.integers(2, 4))):
        c, o = sizes(rng, 2)
        tinytorch.manual_seed(int(rng.integers(1000)))
        shortcut = Conv2d(c, o, 1, stride=stride, bias=False) if stride > 1 else None
        block = BasicBlock(c, o if shortcut else c, stride, shortcut)
        names = [[name, value.detach()] for name, value in block.state_dict().items()]
        x = tinytorch.tensor(drawn(rng, 4, c, *sizes(rng, 2, 3, 7), kind=np.float32))
        outputs = [block(x).detach(), block.eval()(x).detach()]
        found.append(
            [
                names,
                outputs,
                block.downsample is shortcut,
                block.bn1.running_var,
                block.bn2.running_mean,
            ]
        )
    return found
