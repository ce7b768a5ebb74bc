"""Probes of module 01: layouts, shapes and operations of random lengths, types and options."""

import re

KINDS = (np.float32, np.float64, np.int64)


def lengths(rng, least=0, most=4):
    """A shape of up to four dimensions, with lengths of 0 and 1 now and then."""
    return tuple(
        int(n) for n in rng.choice([0, 1, 1, 2, 3, 4, 5], rng.integers(least, most + 1))
    )


def drawn(rng, shape, kind):
    return np.asarray(10 * rng.normal(size=shape)).astype(kind)


def outcome(function, *args):
    """What a call returns, or the type of its error and the numbers that the error names."""
    try:
        return function(*args)
    except (RuntimeError, IndexError) as error:
        return [
            type(error).__name__,
            [int(n) for n in re.findall(r"-?\d+", str(error).split("Target")[0])],
        ]


def layout_of(rng, ndim):
    """A layout over memory where steps and lengths have nothing to do with each other."""
    shape, strides = (tuple(int(n) for n in rng.integers(1, 9, ndim)) for _ in range(2))
    return Layout(shape, strides, int(rng.integers(50)))


def places(layout):
    """The type of a layout, its shape, and where in memory each element lies."""
    steps = np.reshape(layout.strides, (-1,) + (1,) * len(layout.shape))
    where = layout.offset + (np.indices(layout.shape) * steps).sum(0)
    return [type(layout).__name__, [type(part).__name__ for part in layout[:2]], where]


def saved(ctx, *inputs):
    """What is saved, and which of the inputs it is, as the number of one."""
    kept = list(ctx.saved_tensors)
    return [kept, [[array is x for x in inputs] for array in kept]]


@probe("contiguous-strides")
def strides_of_new_tensors(rng):
    return [
        [type(found).__name__, found]
        for found in (contiguous_strides(lengths(rng)) for _ in range(20))
    ]


@probe("transposed")
def exchanged_dimensions(rng):
    ndim = int(rng.integers(2, 6))
    pairs = rng.integers(ndim, size=(10, 2)).tolist()
    return [
        [*found, type(found).__name__]
        for found in (transposed(layout_of(rng, ndim), *p) for p in pairs)
    ]


@probe("sliced")
def slices_of_slices(rng):
    found, layout = [], layout_of(rng, 3)
    for _ in range(8):
        dim, step = int(rng.integers(3)), int(rng.integers(1, 4))
        start, stop = (int(n) for n in rng.integers(0, layout.shape[dim] + 1, 2))
        found.append(places(sliced(layout, dim, start, stop, step)))
        layout = (
            sliced(layout, dim, min(start, 1), layout.shape[dim], step)
            if start < stop
            else layout
        )
    return found


@probe("expanded")
def stretched_layouts(rng):
    found = []
    for _ in range(20):
        own = tuple(int(n) for n in rng.choice([1, 1, 2, 3], rng.integers(0, 4)))
        new = tuple(int(n) for n in rng.choice([0, 1, 2, 3, 4], rng.integers(0, 3)))
        asked = new + tuple(
            int(rng.choice([n, -1, 4] if n == 1 else [n, n, n, -1])) for n in own
        )
        found.append(
            places(expanded(Layout(own, contiguous_strides(own), int(rng.integers(9))), asked))
        )
    return found


@probe("expanded")
def refused_expansions(rng):
    found = []
    for _ in range(20):
        own = [int(n) for n in rng.integers(2, 6, rng.integers(1, 4))]
        asked = [int(n) for n in rng.integers(1, 6, rng.integers(0, 3))] + own
        place = int(rng.integers(len(asked)))
        if rng.random() < 0.2:
            asked = own[1:]
        else:  # one length that is wrong; a new dimension may have any but a negative one
            new = place < len(asked) - len(own)
            asked[place] = -int(rng.integers(1, 4)) if new else int(rng.choice([-2, 0, 1, 7]))
        layout = Layout(tuple(own), contiguous_strides(own))
        found.append(
            outcome(lambda layout=layout, asked=asked: list(expanded(layout, tuple(asked))))
        )
    return found


@probe("infer-shape")
def completed_shapes(rng):
    found = []
    for _ in range(30):
        shape = list(lengths(rng))
        asked = [
            -1 if rng.random() < 0.3 else n * int(rng.choice([1, 1, 1, -1])) for n in shape
        ]
        numel = math.prod(shape) + int(rng.choice([0, 0, 0, 1]))
        found.append(
            outcome(infer_shape, numel, asked if rng.random() < 0.5 else tuple(asked))
        )
    return found


@probe("is-viewable")
def shapes_seen_without_moving(rng):
    found = []
    for _ in range(40):
        shape = [int(n) for n in rng.choice([1, 2, 2, 3, 4], rng.integers(1, 4))]
        array = np.zeros([n + int(rng.integers(2)) for n in shape])[tuple(map(slice, shape))]
        array = (
            array.transpose(rng.permutation(array.ndim))
            if rng.random() < 0.5
            else array[..., ::2]
        )
        splits = [m for n in array.shape for m in ((2, n // 2) if n % 2 == 0 and n else (n,))]
        joined = (*array.shape[:-2], math.prod(array.shape[-2:]))
        strides = tuple(s // 8 for s in array.strides)
        for new in (
            tuple(splits),
            joined,
            (array.size,),
            array.shape[::-1],
            (1, *array.shape),
        ):
            found.append(bool(is_viewable(array.shape, strides, new)))
        still = tuple(
            int(step) for step in strides * rng.integers(2, size=array.ndim)
        )  # 0: repeated elements
        found += [
            bool(is_viewable(array.shape, still, new))
            for new in (joined, (array.size,), tuple(splits))
        ]
    return found


@probe("broadcast-shapes")
def shapes_together(rng):
    found = []
    for _ in range(30):
        whole = lengths(rng, 1)
        parts = [
            tuple(
                1 if rng.random() < 0.3 else n for n in whole[int(rng.integers(len(whole))) :]
            )
            for _ in range(rng.integers(0, 4))
        ]
        wrong = [tuple(int(n) for n in rng.integers(2, 5, 2))] if rng.random() < 0.4 else []
        found.append(outcome(lambda parts=parts + wrong: repr(broadcast_shapes(*parts))))
    return found


@probe("function-apply")
def calls_that_are_remembered(rng):
    seen = []

    class Mixed(Function):
        @staticmethod
        def forward(ctx, x, y, factor, several=False):
            seen.append([type(x).__name__, type(y).__name__, type(ctx).__name__, factor])
            ctx.save_for_backward(x)
            return (x * factor, y + factor) if several else x * factor + y

    x, y = (tensor(rng.normal(size=(2, 3))) for _ in range(2))
    x._requires_grad, y._requires_grad = (bool(on) for on in rng.integers(2, size=2))
    results = []
    for several in rng.permutation([False, True]).tolist():
        for enabled in (True, False):
            grad_mode.enabled = enabled
            output = Mixed.apply(x, y, float(rng.normal()), several=several)
            grad_mode.enabled = True
            outputs = output if several else (output,)
            nodes = [out.grad_fn for out in outputs]
            edges = [
                [[e[0] is x, e[0] is y, e[1]] if e else None for e in n.edges]
                for n in nodes
                if n
            ]
            results.append([type(output).__name__, [out.array for out in outputs], edges])
            results.append([[n.function is Mixed, n is nodes[0], out.output_nr, n.saved_tensors[0] is x.array]
                            for n, out in zip(nodes, outputs) if n])  # fmt: skip

    class Alone(Mixed):
        @staticmethod
        def forward(ctx, x):
            return (2 * x,)

    alone = Alone.apply(x)
    results.append([type(alone).__name__, [type(out).__name__ for out in alone], len(alone)])
    made = Mixed.apply(x, y, 2.0)
    if made.grad_fn:
        ids = [id(x.array), id(y.array), id(made.array)]
        results.append(
            [list(made.grad_fn.ids)[:2] == ids[:2], list(made.grad_fn.ids)[-1] == ids[2]]
        )
        twice = Mixed.apply(made, y, 2.0)
        results.append([twice.grad_fn.edges[0][0] is made.grad_fn, twice.grad_fn.edges[0][1]])
    chained = Mixed.apply(Mixed.apply(x, 1.0, 2.0), y, 3.0)
    edges = [edge and edge[1] for edge in chained.grad_fn.edges] if chained.grad_fn else None
    return [results, seen, chained.array, edges]


@probe("mul")
def products_of_broadcast_arrays(rng):
    found, whole = [], lengths(rng, 1)
    for kind in KINDS:
        x = drawn(rng, whole, kind)
        for shape in (whole, whole[1:], (1,) * len(whole), None):
            y = float(rng.normal()) if shape is None else drawn(rng, shape, kind)
            if shape is not None or kind != np.int64:
                ctx = Context()
                found.append([Mul.forward(ctx, x, y), saved(ctx, x, y)[1]])
    square = rng.normal(size=(2, 3, 3))
    return [*found, Mul.forward(Context(), *square)]


@probe("matmul-naive")
def products_by_loops(rng):
    found = []
    for kind in KINDS:
        n, k, m = (int(size) for size in rng.choice([0, 1, 2, 3, 4], 3))
        found.append(matmul_naive(drawn(rng, (n + 1, k), kind), drawn(rng, (k, m + 1), kind)))
    return found


@probe("matmul")
def products_of_batches(rng):
    n, k, m, b = (int(size) for size in rng.integers(1, 6, 4))
    found, kind = [], rng.choice([np.float32, np.float64])
    for shapes in (
        [(n, k), (k, m)], [(k,), (k, m)], [(n, k), (k,)], [(k,), (k,)], [(b, n, k), (k, m)], [(b, n, k), (b, k, m)],
        [(b, 1, n, k), (n, k, m)], [(b, n, k), (k,)], [(k,), (b, k, m)], [(b, n, 0), (0, m)], [(0, n, k), (k, m)],
    ):  # fmt: skip
        ctx, (x, y) = Context(), (drawn(rng, shape, kind) for shape in shapes)
        found.append([MatMul.forward(ctx, x, y), saved(ctx, x, y)[1]])
    return found


@probe("sum")
def sums_along_dimensions(rng):
    found = []
    for kind in (np.float16, np.float32, np.float64, np.uint8, np.int8, np.int64, bool):
        x = (drawn(rng, (*lengths(rng, 1, 2), 3, 2), np.float64) % 100).astype(kind)
        dims = rng.permutation(x.ndim)[: rng.integers(1, x.ndim)].tolist()
        for dim in (None, (), dims, tuple(d - x.ndim for d in dims), dims[0]):
            found.append(Sum.forward(Context(), x, dim, bool(rng.integers(2))))
    return found


@probe("var")
def variances_along_dimensions(rng):
    found, x = [], rng.normal(size=tuple(rng.integers(3, 6, 3))) + 100 * rng.normal()
    for kind in (np.float32, np.float64):
        array = x.astype(kind)
        for dim in (None, int(rng.integers(-3, 3)), (0, -1)):
            ctx, correction = Context(), int(rng.integers(3))
            found.append(
                [
                    Var.forward(ctx, array, dim, correction, bool(rng.integers(2))),
                    saved(ctx, array)[1],
                ]
            )
        found.append([Var.forward(Context(), array, 1), Var.forward(Context(), array[:1], 0)])
    return found


@probe("max")
def largest_and_their_places(rng):
    found = []
    for kind in (np.float32, np.float64, np.int64, np.int8, bool):
        x = rng.integers(-4, 5, (*lengths(rng, 0, 2), 4, 3)).astype(
            kind
        )  # with many that are equal
        for dim in (-1, x.ndim - 2):
            ctx = Context()
            values, indices = Max.forward(ctx, x, dim, bool(rng.integers(2)))
            found.append([values, indices, saved(ctx)[0]])
    x = rng.normal(size=(4, 3))
    x[rng.integers(4), 1] = np.nan
    return [
        *found,
        list(Max.forward(Context(), x, 0)),
        list(Max.forward(Context(), np.asarray(x[0, 0]), 0)),
    ]


@probe("along")
def elements_picked_along_a_dimension(rng):
    found = []
    for ndim in (1, 2, 3, 4):
        shape, dim = rng.integers(1, 6, ndim), int(rng.integers(ndim))
        x, lengths = rng.normal(size=shape), [int(rng.integers(1, n + 1)) for n in shape]
        lengths[dim] = int(rng.integers(0, 7))
        index = along(rng.integers(shape[dim], size=lengths), dim)
        x[index] += 100
        found.append([type(index).__name__, len(index), x[index], x])
    return found
