"""Probes of module 11."""

import tinytorch


def numbers(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def some_shape(rng):
    """The shape of a batch of indices: from none to three dimensions, lengths of 0 and 1 too."""
    return tuple(rng.integers(5, size=rng.integers(4)).tolist())


def options(rng, rows):
    padding = [None, 0, int(rng.integers(rows))][rng.integers(3)]  # a padding of 0 is one too
    return {"padding_idx": padding, "scale_grad_by_freq": bool(rng.integers(2))}


def spread(weight):
    """What is the same of all numbers drawn from one normal distribution, with many of them."""
    return [
        weight.shape,
        str(weight.dtype),
        bool(abs(weight.mean()) < 0.1 * weight.std()),
        round(float(weight.std()), 2),
    ]


def failure(run):
    try:
        return run()
    except (RuntimeError, ValueError) as error:
        return type(error).__name__


@probe("one-hot")
def rows_with_a_one(rng):
    classes = int(rng.integers(1, 9))
    indices = [
        rng.integers(classes, size=shape)
        for shape in [(3,), (1,), (2, 0, 3), (), some_shape(rng)]
    ]
    rows = [one_hot(wrap(index), classes + int(rng.integers(3))) for index in indices]
    wrong = [np.array([0, classes]), np.array([-1]), numbers(rng, 2)]
    return [
        rows,
        one_hot(wrap(indices[0])),
        [failure(lambda: one_hot(wrap(i), classes)) for i in wrong],
    ]


@probe("lookup-gradient")
def gradients_of_rows(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        rows, width = rng.integers(1, 7, size=2).tolist()
        indices = rng.integers(rows, size=some_shape(rng))
        grad = numbers(rng, *indices.shape, width).astype(dtype)
        shape, chosen = (rows, width), options(rng, rows)
        found += [
            lookup_gradient(grad, indices, shape, **chosen),
            lookup_gradient(wrap(grad), indices, shape),
        ]
    return found


@probe("lookup")
def rows_looked_up(rng):
    rows, width = rng.integers(1, 7, size=2).tolist()
    indices, weight, chosen = (
        rng.integers(rows, size=some_shape(rng)),
        numbers(rng, rows, width),
        options(rng, rows),
    )
    ctx = Context(Lookup, (None, wrap(weight)))  # the table requires a gradient
    found = Lookup.forward(ctx, indices, weight, **chosen)
    shared = np.shares_memory(found, weight)
    nothing, gradient = Lookup.backward(ctx, numbers(rng, *indices.shape, width))[:2]
    saved = [
        value
        for value in ctx.saved_tensors
        if np.size(value) and np.array_equal(value, indices)
    ]
    return [found, shared, len(saved), nothing, gradient]


@probe("lookup")
def a_table_that_learns(rng):
    rows, width = rng.integers(2, 7, size=2).tolist()
    table = wrap(numbers(rng, rows, width)).requires_grad_()
    indices = rng.integers(rows, size=(2, 4))
    found = tinytorch.nn.functional.embedding(wrap(indices), table, **options(rng, rows))
    found.backward(wrap(numbers(rng, 2, 4, width)))
    return [found, table.grad]


@probe("embedding")
def a_new_table(rng):
    rows, width = int(rng.integers(60, 90)), int(rng.integers(60, 90))
    padding, seed = int(rng.integers(-rows, rows)), int(rng.integers(1000))
    found = []
    for dtype in [None, tinytorch.float64]:
        tinytorch.manual_seed(seed)
        layer = Embedding(rows, width, padding_idx=padding, dtype=dtype)
        weight = layer.weight.detach().array
        found += [
            np.abs(weight).sum(axis=1) > 0,
            spread(weight)[:3],
            str(layer.weight.dtype),
        ]
        first, deviation = weight.copy(), float(weight.std())
        layer.reset_parameters()
        again = layer.weight.detach().array
        found += [0.9 < deviation < 1.1, bool((again != first).mean() > 0.9), again[padding]]
    frozen = Embedding(3, 2, _freeze=True)
    return [
        found,
        layer.weight.requires_grad,
        frozen.weight.requires_grad,
        list(layer.state_dict()),
    ]


@probe("embedding")
def vectors_of_symbols(rng):
    rows, width = rng.integers(2, 7, size=2).tolist()
    norms = {
        "max_norm": float(rng.uniform(0.5, 1.5)),
        "norm_type": float(rng.choice([1.0, 2.0, 3.0])),
    }
    chosen = options(rng, rows) | (norms if rng.integers(2) else {})
    layer = Embedding.from_pretrained(wrap(numbers(rng, rows, width)), freeze=False, **chosen)
    indices = rng.integers(rows, size=(3, int(rng.integers(4))))
    found = layer(wrap(indices))
    found.backward(wrap(numbers(rng, *indices.shape, width)))
    return [
        found,
        layer.weight.detach(),
        layer.weight.grad,
        Embedding(rows, width, 0).weight.detach()[0],
    ]


@probe("sinusoidal")
def tables_of_waves(rng):
    sizes = [(1, 1), (0, 4), *rng.integers(1, 30, size=(3, 2)).tolist()]
    return [sinusoidal_positions(*size) for size in sizes] + [
        sinusoidal_positions(*size, base=float(rng.uniform(2, 500))) for size in sizes
    ]


@probe("learned-positions")
def a_new_table_of_positions(rng):
    length, width = rng.integers(60, 90, size=2).tolist()
    tinytorch.manual_seed(int(rng.integers(1000)))
    layer = LearnedPositions(length, width)
    again = LearnedPositions(length, width).weight.detach().array
    differ = not np.array_equal(layer.weight.detach().array, again)
    return [list(layer.state_dict()), layer.weight.requires_grad, spread(again), differ]


@probe("learned-positions")
def positions_added(rng):
    length, width = rng.integers(2, 9, size=2).tolist()
    steps, found = int(rng.integers(1, length + 1)), []
    layer = LearnedPositions(length, width)
    layer.load_state_dict({"weight": wrap(numbers(rng, length, width))})
    for shape in [(steps, width), (2, steps, width), (2, 1, steps, width)]:
        x = wrap(numbers(rng, *shape)).requires_grad_()
        y = layer(x, start=int(rng.integers(length - steps + 1)))
        y.backward(wrap(numbers(rng, *shape)))
        found += [y, x.grad, layer.weight.grad]
    return [found, layer(wrap(numbers(rng, 1, steps, width)))]


@probe("rotary-tables")
def cosines_and_sines(rng):
    length, half = rng.integers(1, 20, size=2).tolist()
    base = float(rng.uniform(2, 500))
    found = [
        rotary_tables(length, 2 * half),
        rotary_tables(length, 2 * half, base),
        rotary_tables(0, 2),
    ]
    return [found, failure(lambda: rotary_tables(length, 2 * half + 1))]


@probe("rotate")
def pairs_turned(rng):
    found = []
    for lead in [(), (2,), (2, 0), (1, 3)]:
        length, half = rng.integers(1, 7, size=2).tolist()
        x, grad = numbers(rng, 2, *lead, length, 2 * half)
        before, angles, ctx = x.copy(), numbers(rng, length, half), Context()
        y = Rotate.forward(ctx, x, np.cos(angles), np.sin(angles))
        wide = Rotate.forward(Context(), x.astype(np.float64), np.cos(angles), np.sin(angles))
        gradient, *others = Rotate.backward(ctx, grad)
        found += [y, wide, gradient, others, np.array_equal(x, before), len(ctx.saved_tensors)]
    return found


@probe("rotate")
def a_gradient_through_a_turn(rng):
    length, half = rng.integers(1, 7, size=2).tolist()
    x, angles = (
        wrap(numbers(rng, 3, length, 2 * half)).requires_grad_(),
        numbers(rng, length, half),
    )
    y = Rotate.apply(x, wrap(np.cos(angles)), wrap(np.sin(angles)))
    y.backward(wrap(numbers(rng, 3, length, 2 * half)))
    return [y, x.grad]
