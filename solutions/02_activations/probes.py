"""Probes of module 02: arrays of random shapes and types, near zero and far out, and along random dimensions."""


def arrays(rng, spread=4.0):
    """Floating point arrays of several shapes, without dimensions, with no elements, and not in one piece."""
    shapes = [tuple(int(n) for n in rng.integers(1, 6, rng.integers(1, 4))) for _ in range(2)]
    drawn = [
        np.asarray(spread * rng.normal(size=shape)) for shape in (*shapes, (), (0, 3), (4, 6))
    ]
    drawn[-1] = drawn[-1].T[::2]
    return [array.astype(kind) for array in drawn for kind in (np.float32, np.float64)]


def forward(function, x, *inputs, **options):
    """What forward gives and saves, and which of the saved arrays are its input or its output."""
    ctx, before = Context(), x.copy()
    output = function.forward(ctx, x, **options)
    kept = list(ctx.saved_tensors)
    same = [[array is x, array is output] for array in kept]
    return [
        output,
        kept,
        same,
        np.array_equal(x, before, equal_nan=True),
        getattr(ctx, "axis", None),
    ]


def one_by_one(function, numbers, kind, **options):
    """Results of numbers of different sizes, each an array of its own: so each counts for itself."""
    return [function.forward(Context(), np.array([x], kind), **options) for x in numbers]


@probe("relu")
def positive_parts(rng):
    whole = [
        Relu.forward(Context(), rng.integers(-9, 9, 6).astype(kind))
        for kind in (np.int8, np.int64, np.float16)
    ]
    x = rng.permutation([np.nan, -np.inf, np.inf, rng.normal(), 0.0])
    return [[forward(Relu, array) for array in arrays(rng)], whole, Relu.forward(Context(), x)]


@probe("sigmoid")
def chances_from_scores(rng):
    far = [
        one_by_one(Sigmoid, rng.uniform(*ends, 4), np.float32)
        for ends in ((-80, -20), (-1e4, -200), (90, 1e4))
    ]
    far.append(one_by_one(Sigmoid, rng.uniform(-12.5, -11.5, 3), np.float16))
    return [
        [forward(Sigmoid, array) for array in arrays(rng)],
        far,
        one_by_one(Sigmoid, -rng.uniform(15, 40, 4), float),
    ]


@probe("gelu")
def both_formulas(rng):
    ways = rng.permutation(["none", "tanh"]).tolist()
    far = [
        one_by_one(Gelu, rng.normal(size=3) * 100, np.float32, approximate=way) for way in ways
    ]
    return [
        [forward(Gelu, array, approximate=way) for array in arrays(rng, 2.0) for way in ways],
        far,
    ]


@probe("silu")
def gated_numbers(rng):
    far = [one_by_one(Silu, sign * rng.uniform(200, 1e4, 3), np.float32) for sign in (1, -1)]
    return [[forward(Silu, array) for array in arrays(rng)], far]


@probe("softplus")
def smooth_corners(rng):
    found = []
    for array in arrays(rng):
        beta, threshold = (
            float(rng.choice([-1, 1]) * rng.uniform(0.3, 4)),
            float(rng.choice([0.5, 3, 20, np.inf])),
        )
        found.append(forward(Softplus, array, beta=beta, threshold=threshold))
    far = rng.uniform(-80, -15, 4), rng.uniform(100, 1e4, 4)
    edge = int(rng.integers(1, 4))  # where beta x is the threshold itself
    found.append(Softplus.forward(Context(), np.arange(1.0, 5.0), beta=1, threshold=edge))
    return [
        found,
        [one_by_one(Softplus, x, np.float32, beta=1, threshold=np.inf) for x in far],
    ]


def rows(rng, spread=3.0):
    """Scores with dimensions to choose from, and one of the dimensions for each."""
    for kind in (np.float16, np.float32, np.float64):
        shape = rng.integers(1, 6, rng.integers(1, 5))
        yield (
            (spread * rng.normal(size=shape)).astype(kind),
            int(rng.integers(-len(shape), len(shape))),
        )


def hard_rows(rng):
    """Scores far from zero, with impossible classes, in two orders of the dimensions."""
    x = rng.normal(size=(3, 4)) + rng.choice([-1e4, 1e3, 1e4], (3, 1))
    x[rng.integers(3), rng.integers(4)] = -np.inf
    return [
        (x, 1),
        (x.T.astype(np.float32), 0),
        (np.zeros((2, 0), np.float32), 1),
        (np.zeros((0, 3)), -1),
    ]


@probe("softmax")
def chances_along_a_dimension(rng):
    nothing = np.full((2, 3), -np.inf, np.float32)
    nothing[0] = rng.normal(size=3)
    return [
        forward(Softmax, x, dim=dim) for x, dim in (*rows(rng), *hard_rows(rng), (nothing, 1))
    ]


@probe("logsumexp")
def logarithms_of_sums(rng):
    found, x = [], rng.normal(size=(2, 3, 4)) + rng.choice([0, -1e4, 1e4])
    x[1, :, 2] = -np.inf
    for dim in (int(rng.integers(-3, 3)), (0, 2), (-2, 0, 2), 1):
        for kind in (np.float32, np.float64):
            found.append(
                forward(LogSumExp, x.astype(kind), dim=dim, keepdim=bool(rng.integers(2)))
            )
    ends = np.float32([[np.inf, rng.normal()], [-np.inf, -np.inf], [rng.normal(), -np.inf]])
    return [
        found,
        LogSumExp.forward(Context(), ends, 1),
        LogSumExp.forward(Context(), np.zeros((2, 0)), 1),
    ]


@probe("log-softmax")
def logarithms_of_chances(rng):
    ahead = np.float32([rng.choice([-1000, 1000]) + np.array([0, -1])])
    far = np.float32([[rng.uniform(200, 900), 0.0, -1.0]])
    found = [forward(LogSoftmax, x, dim=dim) for x, dim in (*rows(rng), *hard_rows(rng))]
    return [
        found,
        LogSoftmax.forward(Context(), ahead, 1),
        LogSoftmax.forward(Context(), far, 1),
    ]
