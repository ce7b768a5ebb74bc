"""Probes of module 17b; the kernels run in numba's simulator, so everything is small."""

plus = cuda.jit(device=True)(lambda x, y: x + y)
larger = cuda.jit(device=True)(lambda x, y: max(x, y))
weighed = cuda.jit(device=True)(lambda x, y: x - np.float32(2) * y)
bent = cuda.jit(device=True)(lambda x: x * x - x)


def numbers(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def sizes(rng, count, end=8):
    return rng.integers(1, end, size=count).tolist()


def buffer(rng, array):
    return Buffer(array, margin=int(rng.integers(1, 6)))


def empty(rng, *shape, dtype=np.float32):
    return Buffer.empty(*shape, dtype=dtype, margin=int(rng.integers(1, 6)))


def launch(kernel, blocks, threads, *arguments):
    run(kernel, blocks, threads, *arguments, watched=False)


@probe("map")
def numbers_mapped(rng):
    kernel, found = make_map(bent), []
    for size in [0, 1, *sizes(rng, 2, 50)]:
        x, out = buffer(rng, numbers(rng, size)), empty(rng, size)
        blocks, threads = sizes(rng, 2)
        launch(kernel, blocks, threads, out, x, size, out.offset, x.offset)
        launch(kernel, threads, blocks, x, x, size, x.offset, x.offset)
        found += [out.result(), x.result()]
    return found


@probe("zip")
def numbers_of_two_arrays(rng):
    kernel, found = make_zip(weighed), []
    for dims in [1, 2, 3]:
        shape = tuple(sizes(rng, dims, 5))
        arrays = [
            numbers(rng, *(n * int(rng.integers(2)) or 1 for n in shape)) for _ in range(2)
        ]
        arrays = [array.T if rng.integers(2) and dims < 2 else array for array in arrays]
        order = rng.permutation(dims)
        out = empty(rng, *(shape[dim] for dim in order))
        buffers = [buffer(rng, array) for array in arrays]
        steps = [
            tuple(s // 4 if n > 1 else 0 for n, s in zip(array.shape, array.strides))
            for array in arrays
        ]
        places = np.array(out.array.strides)[np.argsort(order)] // 4
        blocks, threads = sizes(rng, 2)
        offsets = [each.offset for each in (out, *buffers)]
        layout = padded(shape, tuple(places.tolist()), *steps)
        launch(kernel, blocks, threads, out, *buffers, int(np.prod(shape)), *layout, *offsets)
        found.append(out.result())
    return found


@probe("zip")
def places_of_numbers(rng):
    found = []

    @cuda.jit
    def kernel(out, shape, strides):
        for i in range(len(out)):
            out[i] = place_of(i, shape, strides)

    for dims in [1, 2, 4]:
        shape, strides = (tuple(rng.integers(low, 5, size=dims).tolist()) for low in (1, 0))
        places = cuda.to_device(np.zeros(int(np.prod(shape)), np.int64))
        kernel[1, 1](places, shape, strides)
        found.append(places.copy_to_host())
    return found


@probe("block-reduce")
def totals_of_a_block(rng):
    found = []
    for fn in [plus, larger]:
        block_reduce, threads = make_block_reduce(fn), 2 ** int(rng.integers(7))

        @cuda.jit
        def kernel(out, x):
            shared = cuda.shared.array(64, np.float32)
            i = cuda.grid(1)
            out[i] = block_reduce(x[i], shared)
            out[cuda.gridsize(1) + i] = block_reduce(-x[i], shared)

        x, out = (
            Buffer(numbers(rng, 2 * threads), margin=0),
            Buffer.empty(4, threads, margin=0),
        )
        launch(kernel, 2, threads, out, x)
        found.append(out.result())
    return found


@probe("warp-reduce")
def totals_of_warps(rng):
    found = []
    for fn in [plus, larger]:
        warp_reduce, threads = make_warp_reduce(fn), 32 * 2 ** int(rng.integers(3))

        @cuda.jit
        def kernel(out, x):
            shared = cuda.shared.array(4, np.float32)
            i = cuda.grid(1)
            out[i] = warp_reduce(x[i], shared)
            out[cuda.gridsize(1) + i] = warp_reduce(-x[i], shared)

        x, out = (
            Buffer(numbers(rng, 2 * threads), margin=0),
            Buffer.empty(4, threads, margin=0),
        )
        launch(kernel, 2, threads, out, x)
        found.append(out.result())
    return found


@probe("reduce")
def rows_combined(rng):
    found = []
    whole = [(plus, np.int64(0)), (larger, np.int64(-99))][rng.integers(2)]
    for fn, start in [(plus, np.float32(0)), (larger, np.float32(-np.inf)), whole]:
        rows, length, blocks = (
            int(rng.integers(4)),
            int(rng.integers(70)),
            int(rng.integers(1, 4)),
        )
        values = (-9 * np.abs(numbers(rng, rows, length)) - 2).astype(type(start))
        x, out = buffer(rng, values), empty(rng, rows, dtype=values.dtype)
        launch(
            make_reduce(fn, start), blocks, THREADS, out, x, rows, length, out.offset, x.offset
        )
        found.append(out.result())
    return found


def product(rng, kernel, side, m, n, k, batch=1, numbers_of_a_block=None):
    """A product by a kernel, with each matrix in either order in memory."""
    buffers, layouts = [], []
    for rows, columns in [(m, n), (m, k), (k, n)]:
        turned = int(rng.integers(2))
        array = numbers(rng, batch, *((columns, rows) if turned else (rows, columns)))
        buffers.append(buffer(rng, array))
        steps = (1, rows) if turned else (columns, 1)
        layouts.append((buffers[-1].offset, *steps, rows * columns, 0, 1))
        order = (0, 2, 1) if turned and not buffers[1:] else (0, 1, 2)
        first = order if not buffers[1:] else first
    numbers_of_a_block = numbers_of_a_block or side
    grid = (max(1, -(-n // numbers_of_a_block)), max(1, -(-m // numbers_of_a_block)), batch)
    launch(kernel, grid, (side, side), *buffers, (m, n, k), *layouts)
    return buffers[0].result().transpose(first)


@probe("matmul-naive")
def products_of_matrices(rng):
    return [
        product(rng, matmul_naive, int(rng.integers(2, 6)), *shape)
        for shape in [(1, 1, 1), (3, 5, 0), sizes(rng, 4)]
    ]


@probe("matmul-tiled")
def products_by_tiles(rng):
    shapes = [(1, 1, 1), sizes(rng, 3, 12), (3, 9, int(rng.integers(17, 25))), (2, 3, 0)]
    return [product(rng, matmul_tiled, TILE, *shape) for shape in shapes] + [
        product(rng, matmul_tiled, TILE, 5, 4, 3, 2)
    ]


@probe("matmul-registers")
def products_in_registers(rng):
    shapes = [(1, 1, 1), sizes(rng, 3, 40), (3, 2, 0)]
    return [
        product(rng, matmul_registers, TILE, *shape, numbers_of_a_block=SIDE)
        for shape in shapes
    ] + [product(rng, matmul_registers, TILE, 5, 4, 3, 2, SIDE)]


@probe("bank-passes")
def passes_of_warps(rng):
    warps = [rng.integers(end, size=rng.integers(1, 33)) for end in (2, 40, 200, 5000)]
    warps += [np.arange(32) * int(rng.integers(1, 70)), [int(rng.integers(99))] * 32]
    return [
        int(bank_passes(words)) for warp in warps for words in (warp, list(map(int, warp)))
    ]


@probe("transpose")
def matrices_transposed(rng):
    found = []
    for shape, dtype in [
        ((1, 1, 1), np.float64),
        ((2, *sizes(rng, 2)), np.int64),
        ((1, *sizes(rng, 2, 40)), np.float32),
    ]:
        batch, rows, columns = shape
        x, out = (
            buffer(rng, (1e12 * rng.normal(size=shape)).astype(dtype)),
            empty(rng, batch, columns, rows, dtype=dtype),
        )
        grid = (-(-columns // 32), -(-rows // 32), batch)
        launch(transpose_kernel, grid, (32, 8), out, x, rows, columns, out.offset, x.offset)
        found += [out.result(), np.array_equal(x.result(), x.array)]
    return found


@probe("softmax")
def rows_of_probabilities(rng):
    found = []
    for rows, columns in [
        (1, 1),
        (2, int(rng.integers(2, 30))),
        (3, int(rng.integers(33, 70))),
    ]:
        scores = 3 * numbers(rng, rows, columns) + 500 * numbers(rng, rows, 1)
        scores[:, 1:][rng.random((rows, columns - 1)) < 0.2] = -np.inf
        x, out = buffer(rng, scores), empty(rng, rows, columns)
        out = x if rng.integers(2) else out
        launch(
            softmax_kernel,
            int(rng.integers(1, 4)),
            THREADS,
            out,
            x,
            rows,
            columns,
            out.offset,
            x.offset,
        )
        found.append(out.result())
    return found


@probe("online-softmax")
def keys_taken_in(rng):
    found = []

    @cuda.jit
    def kernel(state, mixed, scores, values, order, size):
        for i in range(len(scores)):
            take_in(scores[i], values, order[i], size, state, mixed)

    for scale in [1, 100]:
        keys, size = sizes(rng, 2)
        scores, values, order = (
            (scale * numbers(rng, keys)).round(),
            numbers(rng, keys, size + 1),
            rng.permutation(keys),
        )
        state, mixed = np.float32([-np.inf, 0]), np.zeros(size + 1, np.float32)
        mixed[size] = 7
        given = [cuda.to_device(array) for array in (state, mixed, scores, values, order)]
        kernel[1, 1](*given, size)
        found += [given[0].copy_to_host(), given[1].copy_to_host()]
    return found


@probe("attention")
def heads_that_attend(rng):
    found = []
    for causal in [False, True]:
        heads, (queries, keys), size = (
            int(rng.integers(1, 3)),
            sizes(rng, 2, 20),
            int(rng.integers(1, 6)),
        )
        out, lse = empty(rng, heads, queries, size), empty(rng, heads, queries)
        inputs = [buffer(rng, 2 * numbers(rng, heads, n, size)) for n in (queries, keys, keys)]
        offsets = tuple(each.offset for each in (out, lse, *inputs))
        threads = int(rng.integers(1, 20))
        options = queries, keys, np.float32(rng.uniform(0.1, 2)), causal, offsets
        launch(
            make_attention(size),
            (-(-queries // threads), heads),
            threads,
            out,
            lse,
            *inputs,
            *options,
        )
        found += [out.result(), lse.result()]
    return found


@probe("adamw")
def steps_of_adamw(rng):
    found = []
    for size in [0, 1, *sizes(rng, 2, 40)]:
        p, grad, m, v = (
            buffer(rng, array)
            for array in (*numbers(rng, 3, size), np.abs(numbers(rng, size)))
        )
        values = rng.uniform(0.1, 0.9, size=9).astype(np.float32)
        values[[2, 4]] = 1 - values[[1, 3]]
        numbers_ = tuple(values)
        blocks, threads = sizes(rng, 2)
        offsets = tuple(each.offset for each in (p, grad, m, v))
        launch(adamw_kernel, blocks, threads, p, grad, m, v, size, numbers_, offsets)
        found += [
            p.result(),
            m.result(),
            v.result(),
            np.array_equal(grad.result(), grad.array),
        ]
    return found


def on_device(function, *arrays):
    return function(*map(CudaArray, arrays)).to_host()


def some_of(rng, names, count):
    plain = sorted(
        name for name in names if not name.startswith(("logical", "bitwise", "invert"))
    )
    return [getattr(np, name) for name in rng.permutation(plain)[:count].tolist()]


@probe("bind-kernels")
def functions_of_numpy(rng):
    (m, n, k), found = sizes(rng, 3), []
    x, y = (
        np.abs(numbers(rng, m, n)) + np.float32(0.5),
        np.abs(numbers(rng, n)) + np.float32(0.5),
    )
    kernels.clear()
    switch_on()
    try:
        found += [on_device(function, x) for function in some_of(rng, UNARY, 3)]
        found += [on_device(function, x, y) for function in some_of(rng, BINARY, 3)]
        found += [
            on_device(lambda x: f.reduce(x, axis=1), -x) for f in some_of(rng, REDUCTIONS, 2)
        ]
        return [
            *found,
            on_device(np.matmul, x, numbers(rng, n, k)),
            on_device(lambda x: x.T.copy(), x),
        ]
    finally:
        switch_off()
