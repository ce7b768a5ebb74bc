"""Probes of module 06: gradients of random shapes and cotangents, and walks through graphs that are drawn anew."""


def sizes(rng, count, least=1):
    return [int(n) for n in rng.integers(least, 5, count)]


def kind_of(rng):
    return rng.choice([np.float32, np.float64])


def drawn(rng, shape, kind=np.float32):
    return np.asarray(rng.normal(size=shape)).astype(kind)


def leaf(rng, *shape, kind=np.float32, wanted=True):
    x = wrap(drawn(rng, shape, kind))
    return x.requires_grad_() if wanted else x


def leads_back(result, source):
    """Whether recorded calls lead from one tensor back to another."""
    waiting, met = [result.edge()], []
    while waiting:
        edge = waiting.pop()
        if edge is not None and not any(edge[0] is node for node in met):
            met.append(edge[0])
            waiting += getattr(edge[0], "edges", ())
    return any(node is source for node in met)


def ruled(rng, output):
    """What the rule of a call gives for a random gradient, on arrays and on Tensors that can be differentiated again."""
    grad = drawn(rng, output.shape, output.array.dtype)
    before = grad.copy()
    found = run_rule(output.grad_fn, [grad], create_graph=False)
    cotangent = wrap(grad).requires_grad_()
    again = run_rule(output.grad_fn, [cotangent], create_graph=True)
    graphs = [
        g is not None and [type(g).__name__, leads_back(g, cotangent), g.detach()]
        for g in again
    ]
    return [list(found), graphs, np.array_equal(grad, before)]


@probe("by-hand")
def gradients_of_two_layers(rng):
    found = []
    for kind in (np.float32, np.float64, np.float64):
        B, D, H, C = sizes(rng, 4)
        arrays = [drawn(rng, shape, kind) for shape in ((B, D), (D, H), (H, C), (B, C))]
        before = [array.copy() for array in arrays]
        found.append(
            [
                list(two_layer_gradients(*arrays)),
                [np.array_equal(a, b) for a, b in zip(arrays, before)],
            ]
        )
    return found


@probe("unbroadcast")
def gradients_summed_back(rng):
    found = []
    for _ in range(20):
        whole = sizes(rng, int(rng.integers(1, 5)), 0)
        shape = tuple(
            1 if rng.random() < 0.4 else n for n in whole[int(rng.integers(len(whole) + 1)) :]
        )
        grad = drawn(rng, whole, np.float64)
        result, same = unbroadcast(grad, shape), unbroadcast(grad, grad.shape) is grad
        source = wrap(grad).requires_grad_()
        of_tensor = unbroadcast(source, shape)
        found.append(
            [
                result,
                same,
                type(of_tensor).__name__,
                of_tensor.detach(),
                leads_back(of_tensor, source),
            ]
        )
    return found


@probe("mul-gradient")
def gradients_of_factors(rng):
    found = []
    for _ in range(6):
        whole, kind, wanted = (
            sizes(rng, int(rng.integers(0, 4))),
            kind_of(rng),
            int(rng.integers(3)),
        )
        shape = [
            1 if rng.random() < 0.4 else n for n in whole[int(rng.integers(len(whole) + 1)) :]
        ]
        x = leaf(rng, *whole, kind=kind, wanted=wanted != 1)
        found.append(ruled(rng, x * leaf(rng, *shape, kind=kind, wanted=wanted != 2)))
    x = leaf(rng, 3)
    return [*found, ruled(rng, x * float(rng.normal()))]


@probe("sum-gradient")
def gradients_of_sums(rng):
    found = []
    for _ in range(8):
        shape = sizes(rng, int(rng.integers(1, 5)), 0)
        dims = rng.permutation(len(shape))[: int(rng.integers(1, len(shape) + 1))].tolist()
        for dim in (None, tuple(dims), dims[0] - len(shape)):
            found.append(
                ruled(
                    rng, leaf(rng, *shape, kind=kind_of(rng)).sum(dim, bool(rng.integers(2)))
                )
            )
    return found


@probe("matmul-gradient")
def gradients_of_products(rng):
    n, k, m, b, c = sizes(rng, 5)
    found, kind = [], kind_of(rng)
    for first, second in (
        [(n, k), (k, m)], [(k,), (k, m)], [(n, k), (k,)], [(k,), (k,)], [(b, n, k), (k, m)], [(b, n, k), (b, k, m)],
        [(b, 1, n, k), (c, k, m)], [(n, k), (b, k, m)], [(b, n, k), (k,)], [(k,), (b, k, m)], [(0, n, k), (k, m)],
    ):  # fmt: skip
        wanted = int(rng.integers(3))
        x = leaf(rng, *first, kind=kind, wanted=wanted != 1)
        found.append(ruled(rng, x @ leaf(rng, *second, kind=kind, wanted=wanted != 2)))
    return found


@probe("softmax-gradient")
def gradients_of_chances(rng):
    found = []
    for _ in range(6):
        shape = sizes(rng, int(rng.integers(1, 4)), 0)
        x = leaf(rng, *shape, kind=kind_of(rng))
        found.append(ruled(rng, x.softmax(int(rng.integers(-len(shape), len(shape))))))
    return found


@probe("add-rows")
def rows_added_up(rng):
    found = []
    for count in (0, 1, 5, 40):
        rest, rows = sizes(rng, int(rng.integers(0, 3))), int(rng.integers(1, 9))
        named, grad = (
            rng.integers(-rows, rows, count),
            drawn(rng, (count, *rest), kind_of(rng)),
        )
        before = named.copy(), grad.copy()
        result = add_rows(grad, named, (rows, *rest))
        found.append(
            [result, np.array_equal(named, before[0]), np.array_equal(grad, before[1])]
        )
    return found


@probe("walk")
def gradients_sent_back(rng):
    ran, factors = [], rng.normal(size=40).tolist()

    class Mixed(operations.Function):
        """Two results of two inputs, in shares that are known by a number."""

        @staticmethod
        def forward(ctx, x, y, number):
            ctx.save_for_backward(x)
            ctx.place = number
            return x * factors[number] + y, x - y * factors[-1 - number]

        @staticmethod
        def backward(ctx, one, two):
            ran.append(ctx.place)
            (x,) = ctx.saved_tensors
            of_x = one * factors[ctx.place] + two + 0 * x
            return (
                of_x,
                None if ctx.place == 5 else one - two * factors[-1 - ctx.place],
                None,
            )

    def graph():
        leaves = [leaf(rng, 2), leaf(rng, 2), wrap(drawn(rng, 2))]
        made = list(leaves)
        for number in range(12):
            i, j = rng.integers(len(made), size=2)
            made += Mixed.apply(made[i], made[j], number)
        return leaves, [x for x in made if x.requires_grad]

    found = []
    for retain, create in ((False, False), (True, False), (False, True)):
        leaves, made = graph()
        roots, middle = [made[-1], made[-2], made[len(made) // 2]], made[len(made) // 3]
        seeds = [drawn(rng, 2) for _ in roots]
        if middle.grad_fn is not None and not create:
            middle.grad_fn.hooks = {middle.output_nr: {1: lambda grad: grad * 3}}
        for wanted in (None, {middle.edge(), (leaves[0], 0)}):
            keep = retain or wanted is None
            arrived = walk(
                [x.edge() for x in roots], [wrap(s).requires_grad_() if create else s for s in seeds],
                retain_graph=keep, create_graph=create, wanted=wanted,
            )  # fmt: skip
            edges = [(leaves[0], 0), (leaves[1], 0), middle.edge()]
            values = [arrived.get(edge) for edge in edges]
            found.append([len(arrived), [type(v).__name__ for v in values], sorted(ran)])
            found.append([v.detach() if create and v is not None else v for v in values])
            found.append(
                [
                    edge[0].saved is None
                    for edge in (x.edge() for x in roots)
                    if hasattr(edge[0], "saved")
                ]
            )
            ran.clear()
    return found


@probe("accumulate")
def gradients_of_leaves(rng):
    found = []
    for kind in (np.float16, np.float32, np.float64):
        shape = sizes(rng, 2)
        x, grads = (
            leaf(rng, *shape, kind=kind),
            [drawn(rng, shape[::-1], np.float64).T for _ in range(3)],
        )
        kept = []
        for grad in grads:
            accumulate(x, grad)
            kept.append(
                [
                    x.grad.detach().array.copy(),
                    x.grad.array.flags.c_contiguous,
                    x.grad._version,
                ]
            )
        x.grad.array[...] = 0
        found.append([kept, grads])
    x, sources = leaf(rng, 2), [leaf(rng, 2) for _ in range(2)]
    for source in sources:
        accumulate(x, source * float(rng.normal()))
        found.append(
            [x.grad.detach().array.copy(), [leads_back(x.grad, each) for each in sources]]
        )
    return found


@probe("no-grad")
def blocks_that_record_nothing(rng):
    seen, x = [], leaf(rng, 1)

    class Recorded(no_grad):
        mode = True

    def look():
        seen.append((x * 1).requires_grad)

    def nest(blocks, depth):
        look()
        if depth:
            try:
                with blocks[int(rng.integers(len(blocks)))]:
                    nest(blocks, depth - 1)
                    if rng.random() < 0.3:
                        raise KeyError
            except KeyError:
                seen.append("KeyError")
            look()
            nest(blocks, depth - 1)

    try:
        nest([no_grad(), Recorded(), no_grad()], 4)
        no_grad()(look)()
        look()
    finally:
        operations.grad_mode.enabled = True
    return seen


@probe("numerical-jacobian")
def measured_slopes(rng):
    n, m = sizes(rng, 2)
    W, x, y = (wrap(rng.normal(size=shape)) for shape in ((n, m), (2, n), (2, m)))
    before, seen = [x.array.copy(), y.array.copy()], []

    def function(x, y):
        result = (x @ W) * y
        seen.append((x.requires_grad, result.requires_grad))
        return result

    found = [numerical_jacobian(function, [x.requires_grad_(), y], which) for which in (0, 1)]
    found.append(numerical_jacobian(lambda x: x.reshape(-1), [wrap(x.array.T)], 0, eps=0.5))
    found.append(
        numerical_jacobian(lambda x: x * x * x, [wrap(rng.normal(size=3))], 0, eps=0.1)
    )
    found.append(
        numerical_jacobian(lambda x: x.float() * 2, [wrap(rng.normal(size=2))], 0, eps=0.5)
    )

    def failing(x):
        raise ValueError

    try:
        numerical_jacobian(failing, [x], 0)
    except ValueError:
        found.append("ValueError")
    return [
        *found,
        [np.array_equal(x.array, before[0]), np.array_equal(y.array, before[1])],
        sorted(set(seen)),
    ]
