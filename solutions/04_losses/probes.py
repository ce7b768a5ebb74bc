"""Probes of module 04: losses of random shapes, classes, weights and reductions, and of scores far from zero."""

REDUCTIONS = ("mean", "sum", "none")


def shape_of(rng, least=1, most=4):
    return tuple(int(n) for n in rng.integers(1, 5, rng.integers(least, most)))


def kind_of(rng):
    return rng.choice([np.float32, np.float64])


def drawn(rng, shape, kind, spread=1.0):
    return wrap(np.asarray(spread * rng.normal(size=shape)).astype(kind))


def chances(rng, shape, kind, dim=1):
    q = rng.uniform(0.05, 1, shape)
    return wrap((q / q.sum(axis=dim, keepdims=True)).astype(kind))


def recorded(function, *inputs, **options):
    """Whether the calls that made a loss lead back to each of its inputs, as gradients will."""
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    waiting, met = [function(*leaves, **options).edge()], []
    while waiting:
        edge = waiting.pop()
        if edge is not None and not any(edge[0] is node for node in met):
            met.append(edge[0])
            waiting += getattr(edge[0], "edges", ())
    return [any(x is node for node in met) for x in leaves]


@probe("reduced")
def one_number_of_many(rng):
    found = []
    for shape in (shape_of(rng), (), (1,), (2, 3)):
        losses, total = drawn(rng, shape, kind_of(rng)), float(rng.uniform(0.5, 9))
        for reduction in REDUCTIONS:
            result = reduced(losses, reduction)
            found.append([result, result is losses, reduced(losses, reduction, total)])
        found.append(
            [
                reduced(losses, "mean", tensor(total, dtype=losses.dtype)),
                reduced(losses, "mean", 0),
            ]
        )
    for name in ("median", "Mean", "", None):
        try:
            found.append([reduced(drawn(rng, 3, np.float32), name)])
        except ValueError:
            found.append("ValueError")
    return found


@probe("gaussian-nll")
def surprises_of_noise(rng):
    found = []
    for shape in (shape_of(rng), (), (0, 3), (3, 1, 2)):
        kind = kind_of(rng)
        difference, var = (
            drawn(rng, shape, kind, 3),
            wrap(rng.uniform(0.1, 9, shape[-1:]).astype(kind)),
        )
        found += [gaussian_nll(difference, var), gaussian_nll(difference, var, full=True)]
        found.append(recorded(gaussian_nll, difference, var))
    far = (
        wrap(np.float32([rng.uniform(40, 400), 0])),
        wrap(np.float32([rng.uniform(0.5, 1), 1e-6])),
    )
    return [*found, gaussian_nll(*far)]


@probe("huber")
def bent_squares(rng):
    found = []
    for shape in (shape_of(rng), (), (0, 3), (50,)):
        for delta in rng.uniform(0.2, 4, 2).tolist():
            difference = drawn(rng, shape, kind_of(rng), 3)
            found += [huber(difference, delta), recorded(huber, difference, delta=delta)]
    return found


@probe("nll-loss")
def losses_of_right_classes(rng):
    found = []
    for extra in ((), (3,), (2, 4)):
        n, c, kind = int(rng.integers(2, 6)), int(rng.integers(3, 6)), kind_of(rng)
        log_p, target = (
            chances(rng, (n, c, *extra), kind).log(),
            rng.integers(c, size=(n, *extra)),
        )
        ignored = int(rng.choice([-100, -1, 0]))
        target[0] = c - 1
        target[1, ...] = ignored
        log_p.array[1] = -np.inf
        for weight in (None, wrap(rng.uniform(0.1, 5, c).astype(kind))):
            options = {"weight": weight, "ignore_index": ignored}
            found += [
                nll_loss(log_p, tensor(target), reduction=each, **options)
                for each in REDUCTIONS
            ]
    one = chances(rng, (4,), np.float32, 0).log()
    return [
        *found,
        nll_loss(one, tensor(int(rng.integers(4))), weight=chances(rng, (4,), np.float32, 0)),
    ]


@probe("row-losses")
def losses_of_rows(rng):
    found = []
    for extra in ((), (3,), (2, 0), (2, 3)):
        shape = (int(rng.integers(0, 4)) + 1, int(rng.integers(1, 6)), *extra)
        x = (3 * rng.normal(size=shape) + rng.choice([0, -1e3, 1e3])).astype(kind_of(rng))
        before, classes = x.copy(), rng.integers(shape[1], size=(shape[0], 1, *extra))
        found.append([*row_losses(x, classes), np.array_equal(x, before)])
    hard = np.float32([[rng.uniform(500, 2000), 0, -np.inf], [-1000, -1001, -1001]])
    return [*found, list(row_losses(hard, np.array([[1], [0]])))]


@probe("soft-cross-entropy")
def surprises_of_shared_targets(rng):
    found = []
    for shape in ((3, 4), (4,), (2, 3, 2), (2, 4, 3, 2)):
        kind, dim = kind_of(rng), min(1, len(shape) - 1)
        x, q = (
            drawn(rng, shape, kind, 3) + float(rng.choice([0, 100])),
            chances(rng, shape, kind, dim),
        )
        for weight in (None, wrap(rng.uniform(0.1, 5, shape[dim]).astype(kind))):
            smoothing = float(rng.choice([0, rng.uniform(0, 1), 1]))
            found += [soft_cross_entropy(x, q, weight, each, smoothing) for each in REDUCTIONS]
    return found


@probe("binary-cross-entropy")
def surprises_of_chances(rng):
    found = []
    for shape in (shape_of(rng), (), (0, 3)):
        kind, ctx = kind_of(rng), Context()
        x, y = (np.asarray(rng.uniform(0.01, 0.99, shape)).astype(kind) for _ in range(2))
        before = x.copy()
        losses, saved = BinaryCrossEntropy.forward(ctx, x, y), ctx.saved_tensors
        found.append(
            [losses, [[each is x, each is y] for each in saved], np.array_equal(x, before)]
        )
    for p, y in (
        (0, 0),
        (1, 1),
        (0, 1),
        (1, 0),
        (rng.uniform(1e-9, 1e-8), 0),
        (rng.uniform(1e-30, 1e-29), 1),
    ):
        found.append(BinaryCrossEntropy.forward(Context(), np.float32([p]), np.float32([y])))
    return found


@probe("binary-cross-entropy-with-logits")
def surprises_of_scores(rng):
    found = []
    for shape in ((3, 4), (4,), (2, 1, 4)):
        kind = kind_of(rng)
        x, y = (
            drawn(rng, shape, kind, 4),
            wrap(rng.uniform(0, 1, shape).round(rng.integers(3)).astype(kind)),
        )
        for names in ((), ("weight",), ("pos_weight",), ("weight", "pos_weight")):
            options = {name: wrap(rng.uniform(0.1, 5, 4).astype(kind)) for name in names}
            found += [
                binary_cross_entropy_with_logits(x, y, reduction=each, **options)
                for each in REDUCTIONS
            ]
    for score, yes, kind in (
        (rng.uniform(500, 2000), 0, float),
        (rng.uniform(15, 40), 1, float),
        (-700, 1, np.float32),
    ):
        x, y = wrap(np.array([score], kind)), wrap(np.array([yes], kind))
        found.append(binary_cross_entropy_with_logits(x, y, reduction="none"))
    return found


@probe("kl-div")
def what_a_distribution_loses(rng):
    found = []
    for shape, other in (
        ((3, 4), (3, 4)),
        ((2, 1, 4), (3, 4)),
        ((2, 5, 3), (2, 5, 3)),
        ((4,), ()),
    ):
        kind = kind_of(rng)
        log_p, q = (
            chances(rng, shape, kind, 0).log(),
            wrap(np.asarray(rng.uniform(0.01, 1, other)).astype(kind)),
        )
        for each in (*REDUCTIONS, "batchmean"):
            found += [
                kl_div(log_p, q, reduction=each),
                kl_div(log_p, q.log(), reduction=each, log_target=True),
            ]
    impossible = wrap(np.float32(rng.permutation([0.0, 1.0, 0.0])))
    return [
        *found,
        kl_div(chances(rng, (3,), np.float32, 0).log(), impossible, reduction="none"),
    ]
