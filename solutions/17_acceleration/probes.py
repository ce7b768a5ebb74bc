"""Probes of module 17."""

import tinytorch
from tinytorch.transformer import GPT, GPTConfig


def numbers(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def sizes(rng, count):
    return rng.integers(1, 40, size=count).tolist()


def unchanged(given, before):
    return [np.array_equal(a, b) for a, b in zip(given, before)]


@probe("transpose")
def matrices_transposed(rng):
    found = []
    for rows, columns in [(1, 1), (16, 32), (17, 15), (0, 3), sizes(rng, 2)]:
        x, out = numbers(rng, rows, columns), numbers(rng, columns, rows)
        before = x.copy()
        transpose_kernel(x, out)
        found += [out, np.array_equal(x, before)]
    return found


@probe("blocked-product")
def products_in_tiles(rng):
    found = []
    for M, K, N in [(1, 1, 1), (2, 0, 3), (0, 2, 1), sizes(rng, 3), sizes(rng, 3)]:
        a, b, out = numbers(rng, M, K), numbers(rng, K, N), numbers(rng, M, N)
        before = [array.copy() for array in (a, b)]
        blocked_product_kernel(a, b, *sizes(rng, 2), out)
        found += [out, unchanged((a, b), before)]
    return found


@probe("register-block")
def rows_added_by_fours(rng):
    found = []
    for K, N in [(0, 3), (1, 1), (4, 2), (6, 5), (11, 9), sizes(rng, 2)]:
        x, b, out = numbers(rng, K), numbers(rng, K, N), numbers(rng, N)
        before = [array.copy() for array in (x, b)]
        add_row_by_fours(x, b, out)
        found += [out, unchanged((x, b), before)]
    return found


@probe("fit-exponential")
def coefficients_of_a_power(rng):
    found = []
    for degree in [1, int(rng.integers(2, 6))]:
        found += [fit_exponential(degree, int(rng.integers(20, 300))), fit_exponential(degree)]
    return found


@probe("exponential")
def powers_of_e(rng):
    some = [
        *rng.uniform(-87, 88, size=20),
        *rng.uniform(-1, 1, size=5),
        0,
        rng.uniform(90, 1e9),
        -rng.uniform(200, 1e9),
    ]
    found = [float(exp(np.float32(x))) for x in [*some, np.inf, -np.inf, np.nan]]
    x = rng.uniform(-87.3, 88.3, size=2000).astype(np.float32)
    out, exact = np.empty_like(x), np.exp(x.astype(np.float64))
    exp_kernel(x, out)
    return [found, out, bool((np.abs(out / exact - 1) <= 2.4e-7).all())]


@probe("bias-gelu")
def biases_and_gelu_in_one(rng):
    found = []
    for N, D in [(1, 1), (0, 3), sizes(rng, 2)]:
        x, bias, grad = 2 * numbers(rng, N, D), numbers(rng, D), numbers(rng, N, D)
        out, grad_x, grad_bias = (
            numbers(rng, N, D),
            numbers(rng, N, D),
            np.zeros(D, np.float32),
        )
        before = [a.copy() for a in (x, bias, grad)]
        bias_gelu_kernel(x, bias, out)
        bias_gelu_gradient_kernel(grad, x, bias, grad_x, grad_bias)
        found += [out, grad_x, grad_bias, unchanged((x, bias, grad), before)]
    return found


@probe("softmax-rows")
def rows_of_probabilities(rng):
    found = []
    for N, D in [(1, 1), (0, 3), sizes(rng, 2), (4, 33)]:
        x, grad = (
            numbers(rng, N, D) * 3 + np.float32(500) * numbers(rng, N, 1),
            numbers(rng, N, D),
        )
        x[rng.random(x.shape) < 0.2] = -np.inf
        x[:, :1] = 1
        p, out = numbers(rng, N, D), numbers(rng, N, D)
        before = [a.copy() for a in (x, grad)]
        softmax_kernel(x, p)
        chances = np.abs(numbers(rng, N, D))
        softmax_gradient_kernel(grad, chances, out)
        found += [p, out, unchanged((x, grad), before)]
    return found


@probe("cross-entropy")
def losses_of_rows(rng):
    found = []
    for N, C in [(1, 2), (0, 3), sizes(rng, 2), (5, 33)]:
        x, classes, grad = (
            3 * numbers(rng, N, C) + 100 * numbers(rng, N, 1),
            rng.integers(C, size=N),
            numbers(rng, N),
        )
        classes[:1] = x[:1].argmin(
            axis=1
        )  # so that one loss is no rounding error of these large numbers
        (losses, maxima, sums), out = numbers(rng, 3, N), numbers(rng, N, C)
        before = [a.copy() for a in (x, classes, grad)]
        cross_entropy_kernel(x, classes, losses, maxima, sums)
        # by numbers of its own, so that a gradient is not judged by what forward has written
        top = x.max(axis=1)
        total = np.exp(x - top[:, None]).sum(axis=1)
        cross_entropy_gradient_kernel(grad, x, classes, top, total, out)
        found += [losses, maxima, sums, out, unchanged((x, classes, grad), before)]
    return found


@probe("layer-norm")
def rows_normalised(rng):
    found = []
    for N, D in [(1, 2), (0, 3), sizes(rng, 2)]:
        x, weight, bias = (
            numbers(rng, N, D + 1) + 100,
            numbers(rng, D + 1),
            numbers(rng, D + 1),
        )
        out, means, inverses = numbers(rng, N, D + 1), numbers(rng, N), numbers(rng, N)
        before = [a.copy() for a in (x, weight, bias)]
        layer_norm_kernel(
            x, weight, bias, np.float32(rng.uniform(0.01, 1)), out, means, inverses
        )
        found += [out, means, inverses, unchanged((x, weight, bias), before)]
    return found


@probe("layer-norm-gradient")
def gradients_of_normalised_rows(rng):
    found = []
    for N, D in [(1, 2), (0, 3), sizes(rng, 2)]:
        grad, x, grad_x = (
            numbers(rng, N, D + 1),
            numbers(rng, N, D + 1),
            numbers(rng, N, D + 1),
        )
        weight, means, inverses = (
            numbers(rng, D + 1),
            numbers(rng, N),
            np.abs(numbers(rng, N)) + 1,
        )
        grad_weight, grad_bias = numbers(rng, D + 1), numbers(rng, D + 1)
        layer_norm_gradient_kernel(
            grad, x, weight, means, inverses, grad_x, grad_weight, grad_bias
        )
        found += [grad_x, grad_weight, grad_bias]
    return found


@probe("adamw")
def steps_of_adamw(rng):
    found = []
    for n in [1, 0, *sizes(rng, 2)]:
        (w, grad, m), v = numbers(rng, 3, n), np.abs(numbers(rng, n))
        before, options = grad.copy(), rng.uniform(0.1, 0.9, size=7).astype(np.float32)
        options[[2, 4]] = 1 - options[[1, 3]]
        for _ in range(2):
            adamw_kernel(w, grad, m, v, *options)
        found += [w, m, v, np.array_equal(grad, before)]
    return found


@probe("int8-product")
def sums_of_products(rng):
    found = []
    for N, units, K in [
        (1, 1, 1),
        (2, 3, 0),
        (2, 2, int(rng.integers(1100, 3000))),
        sizes(rng, 3),
    ]:
        x, weight = (
            rng.integers(-128, 128, size=(rows, K)).astype(np.int8) for rows in (N, units)
        )
        out = rng.integers(99, size=(N, units)).astype(np.int32)
        int8_product_kernel(x, weight, out)
        found.append(out)
    high, out = (
        rng.integers(121, 128, size=(2, int(rng.integers(1100, 3000)))).astype(np.int8),
        np.ones((2, 2), np.int32),
    )
    int8_product_kernel(high, high, out)
    return [*found, out]


@probe("int4-sums")
def sums_of_4_bit_weights(rng):
    found = []
    for half, outputs in [(1, 1), (16, 0), (16, int(rng.integers(1, 100))), sizes(rng, 2)]:
        most = 4095 // (2 * half)
        x = rng.integers(-most, most + 1, size=2 * half).astype(np.int16)
        packed = rng.integers(256, size=(half, outputs)).astype(np.uint8)
        sums, before = rng.integers(99, size=outputs).astype(np.int16), packed.copy()
        int4_sums_kernel(x, packed, sums)
        found += [sums, np.array_equal(packed, before)]
    return found


@probe("accelerate")
def a_model_on_kernels(rng):
    layers, found = int(rng.integers(1, 4)), []
    model = GPT(GPTConfig(11, 8, layers, 2, 8, dropout=0.0))
    for _, p in sorted(model.named_parameters()):
        p.detach().array[...] = 0.5 * numbers(rng, *p.shape)

    def standing():
        fused = ["forward" in vars(module) for module in model.modules()]
        return [[kernels_of(entry[0]) for entry in kernel_table()], sum(fused)]

    tokens = tinytorch.tensor(rng.integers(11, size=(2, int(rng.integers(1, 9)))))
    with accelerate(model) as outer:
        inner = Acceleration()
        found += [standing(), model(tokens), type(outer).__name__]
        for handle in rng.permutation(2):
            (inner, outer)[handle].remove()
            (inner, outer)[handle].remove()
            found.append(standing())
    return [*found, standing()]
