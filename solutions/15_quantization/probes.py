"""Probes of module 15."""

import tinytorch
from tinytorch.tensor import Context


def numbers(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def integers(rng, *shape):
    return rng.integers(-128, 128, size=shape).astype(np.int8)


def sizes(rng, count):
    return rng.integers(1, 8, size=count).tolist()


def failure(run):
    try:
        return run()
    except (RuntimeError, ValueError) as error:
        return type(error).__name__


def some_ends(rng):
    """The smallest and the largest integer of 2 to 8 bits."""
    return [(-128, 127), (0, 127), (-7, 7), (-8, 7), (-2, 1)][rng.integers(5)]


@probe("scale-and-zero-point")
def scales_of_ranges(rng):
    found, bad = [], np.float32([rng.choice([np.nan, np.inf])])
    for shape in [(), (4,), (2, 1, 3), (3, 0)[: rng.integers(1, 3)]]:
        ends = np.sort(5 * numbers(rng, 2, *shape), axis=0)
        low, high = ends if shape else ends.ravel()
        for quant in [(-128, 127), some_ends(rng)]:
            found += [
                scale_and_zero_point(low, high, *quant, symmetric)
                for symmetric in (False, True)
            ]
    zero = np.zeros(2, np.float32)
    found += [
        scale_and_zero_point(zero, zero, -128, 127, symmetric, float(rng.uniform(0.1, 1)))
        for symmetric in (0, 1)
    ]
    return [
        found,
        [
            failure(lambda: scale_and_zero_point(-bad, bad, -128, 127, s))
            for s in (False, True)
        ],
    ]


@probe("quantize")
def numbers_as_integers(rng):
    found = []
    for shape in [(7,), (2, 0, 3), (3, 1, 4)]:
        x, scale = (
            np.float32(0.25) * rng.integers(-900, 900, size=shape).astype(np.float32),
            np.float32(0.5),
        )
        before, zero, ends = x.copy(), int(rng.integers(-20, 20)), some_ends(rng)
        scales = np.float32(2.0) ** rng.integers(
            -3, 3, size=(shape[0], *[1] * (len(shape) - 1))
        )
        zeros = rng.integers(-128, 128, size=scales.shape).astype(np.int32)
        q = [
            quantize(x, scale, zero),
            quantize(x, scale, zero, *ends),
            quantize(x, scales, zeros, *ends),
        ]
        found += [
            q,
            dequantize(q[0], 0.3, zero),
            dequantize(q[2], scales, zeros),
            np.array_equal(x, before),
        ]
    edge = np.float32([np.inf, -np.inf, 3e38, 1])
    return [
        found,
        quantize(edge, 1.0, zero),
        failure(lambda: quantize(np.float32([1, np.nan]), 1.0, 0)),
    ]


@probe("quantize-along")
def arrays_by_their_own_ranges(rng):
    found = []
    for axis in [None, 0, -1, (0, 2), (1, 2)]:
        x = numbers(rng, *sizes(rng, 3)) * 3 + float(rng.uniform(-1, 1))
        before, bits, symmetric = x.copy(), int(rng.integers(2, 9)), bool(rng.integers(2))
        q, scale, zero = quantize_along(x, axis, bits, symmetric)
        # an integer may round either way at a half, so what it stands for is compared to within one step
        near = np.abs((q - zero.astype(np.float32)) * scale - x) <= scale * 1.01
        found += [
            q.dtype.str,
            q.shape,
            q.min(),
            q.max(),
            scale,
            zero,
            bool(near.all()),
            np.array_equal(x, before),
        ]
    exact = rng.integers(-127, 128, size=(3, 5)).astype(np.float32)
    exact[:, 0] = 127
    return [found, quantize_along(exact * 0.5, 1, symmetric=True)]


@probe("mse-range")
def ranges_of_the_smallest_error(rng):
    found = []
    for shape, symmetric in [((40,), False), ((5, 9), True), ((30,), False)]:
        x, ends, count = numbers(rng, *shape) ** 3, some_ends(rng), int(rng.integers(2, 20))
        before = x.copy()
        low, high = mse_range(x, *ends, symmetric, count)
        found += [float(low), float(high), np.array_equal(x, before)]
    outlier = rng.choice(np.float32([-1, 1]), 900)
    outlier[rng.integers(900)] = count = int(
        rng.integers(12, 20)
    )  # the last factor is the best
    found += [float(end) for end in mse_range(outlier, -1, 1, True, count)]
    return [found, [float(end) for end in mse_range(x, -7, 7)]]


@probe("integer-product")
def products_of_integers(rng):
    found = []
    for N, units, K in [
        sizes(rng, 3),
        (2, 3, int(rng.integers(1025, 3000))),
        (1, int(rng.integers(257, 600)), 5),
        (0, 2, 3),
    ]:
        found.append(
            IntegerProduct.forward(Context(), integers(rng, N, K), integers(rng, units, K))
        )
    high = rng.integers(121, 128, size=(2, int(rng.integers(1100, 3000)))).astype(np.int8)
    return [
        *found,
        IntegerProduct.forward(Context(), high, -high),
        IntegerProduct.forward(Context(), high, high),
    ]


def quantized(rng, layer):
    """The layer of integers for a layer with weights of its own; its inputs may be scaled beforehand."""
    for parameter in layer.parameters():
        parameter.detach().array[...] = numbers(rng, *parameter.shape)
    kind = QuantizedConv2d if layer.weight.dim() == 4 else QuantizedLinear
    return kind(layer)


@probe("linear-forward")
def linear_layers_of_integers(rng):
    found = []
    for bias in [True, False]:
        size, out, N = sizes(rng, 3)
        layer, x = (
            quantized(rng, tinytorch.nn.Linear(size, out, bias=bias)),
            numbers(rng, N, size) + 1,
        )
        before = x.copy()
        y = linear_forward(layer, x)
        found += [
            type(y).__name__,
            y,
            layer(wrap(x)),
            linear_forward(layer, x[:0]),
            np.array_equal(x, before),
        ]
    return found


@probe("conv2d-forward")
def convolutions_of_integers(rng):
    found = []
    for bias in [True, False]:
        C, units, N = sizes(rng, 3)
        kernel, stride, padding, dilation = (
            tuple(rng.integers(low, 4, size=2).tolist()) for low in (1, 1, 0, 1)
        )
        options = {"stride": stride, "padding": padding, "dilation": dilation, "bias": bias}
        layer = quantized(rng, tinytorch.nn.Conv2d(C, units, kernel, **options))
        x = numbers(rng, N, C, int(rng.integers(8, 12)), int(rng.integers(8, 12))) + 0.5
        before = x.copy()
        y = conv2d_forward(layer, x)
        found += [type(y).__name__, y, conv2d_forward(layer, x[:0]), np.array_equal(x, before)]
    return found


@probe("replace-layers")
def modules_that_are_replaced(rng):
    nn, (a, b) = tinytorch.nn, sizes(rng, 2)
    shared = nn.Linear(a, a)
    layers = [
        nn.Linear(a, a),
        shared,
        nn.ReLU(),
        nn.Sequential(nn.Linear(a, b), nn.Tanh()),
        nn.Sequential(shared),
    ]
    model = nn.Sequential(*[layers[i] for i in rng.permutation(5)])
    model.register_module("none", None)
    before, seen = repr(model), []
    wanted = [nn.Linear, nn.ReLU, nn.Tanh][rng.integers(3)]

    def replacement(name, module):
        seen.append([name, type(module).__name__])
        return (
            nn.Flatten(len(seen))
            if isinstance(module, wanted) or (name == "3" and a % 2)
            else module
        )

    copied = replace_layers(model, replacement)
    own = {id(module) for module in model.modules()} & {
        id(module) for module in copied.modules()
    }
    whole = replace_layers(model, lambda name, module: nn.Flatten(b) if name == "" else module)
    return [
        repr(copied),
        seen,
        repr(model) == before,
        len(own),
        repr(whole),
        len(list(copied.modules())),
    ]


@probe("pack-int4")
def integers_of_four_bits(rng):
    found = []
    for shape in [(1,), (0,), (2, 3, 5), (int(rng.integers(1, 5)), int(rng.integers(1, 9)))]:
        q = rng.integers(-8, 8, size=shape).astype(np.int8)
        before, packed = q.copy(), pack_int4(q)
        bytes_ = rng.integers(256, size=packed.shape).astype(np.uint8)
        found += [
            packed,
            unpack_int4(packed, shape[-1]),
            unpack_int4(bytes_, shape[-1]),
            np.array_equal(q, before),
        ]
    return found


@probe("fake-quantize")
def rounded_numbers_and_their_gradients(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        N, K = sizes(rng, 2)
        x, grad = (
            (4 * rng.normal(size=(N, K))).astype(dtype),
            rng.normal(size=(N, K)).astype(dtype),
        )
        for shape in [(), (N, 1)]:
            scale, zero = (
                np.float32(2.0) ** rng.integers(-4, 2, size=shape),
                rng.integers(-5, 5, size=shape),
            )
            ctx, before = Context(), x.copy()
            y = FakeQuantizeAffine.forward(
                ctx,
                x,
                np.asarray(scale, np.float32),
                np.asarray(zero, np.int32),
                *some_ends(rng),
            )
            FakeQuantizeAffine.forward(
                Context(), -9 * x, np.float32(scale), np.int32(zero), *some_ends(rng)
            )
            gradient = FakeQuantizeAffine.backward(ctx, grad)
            gradient = gradient[0] if isinstance(gradient, tuple) else gradient
            found += [y, gradient, np.array_equal(x, before)]
    return found


@probe("file-blocks")
def blocks_taken_apart(rng):
    found = []
    for size, function in [(20, q4_1_blocks), (34, q8_0_blocks)]:
        for shape in [(), (3,), (2, 4), (1,), (3, 1)]:
            blocks = rng.integers(0, 256, (*shape, size)).astype(np.uint8)
            blocks[..., 1:4:2] &= 0x3F  # float16 numbers that are finite
            if size == 34:
                blocks[..., 3] = rng.integers(0, 256, shape)
            before = blocks.copy()
            found += [list(function(blocks)), np.array_equal(blocks, before)]
    return found


@probe("bfloat16")
def numbers_of_sixteen_bits(rng):
    found = []
    for shape in [(40,), (2, 0, 3), (3, 1, 30)]:
        bits = np.asarray(rng.integers(0, 2**32, shape), np.uint32)  # numbers of every kind
        halves = (bits & np.uint32(0xFFFF0000)) | np.uint32(0x8000)
        for one in [bits, halves, halves + np.uint32(1), halves - np.uint32(1)]:
            x = np.asarray(one, np.uint32).view(np.float32)
            before, rounded = x.copy(), np.asarray(round_to_bfloat16(x))
            nan = np.isnan(rounded)
            left = np.where(nan, np.float32(0), rounded).view(np.uint32)  # of NaN any will do
            found += [rounded.dtype.str, nan, left, np.array_equal(x, before, equal_nan=True)]
    return found
