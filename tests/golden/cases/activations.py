"""Module 02: the activation functions, softmax and its kin."""

from golden import Area, booleans, integers, literal, real, ties, uniform

area = Area()

ANYTHING = [
    real(2, 3),
    real(7),
    real(),
    real(0, 3),
    uniform(3, 4, low=-30, high=30),
    real(3, 4).transposed,
    real(3, 4).strided,
    real(3, 4).expanded,
    real(2, 3, dtype="float64"),
    real(2, 3, dtype="float16"),
]
EXTREMES = literal(
    [0.0, -0.0, 88.0, -88.0, 100.0, -100.0, 1000.0, -1000.0, float("inf"), -float("inf"), float("nan")]
)
FLAT = [*ANYTHING, EXTREMES]

area.each("x", [*FLAT, ties(3, 4), integers(4, low=-3)], "torch.relu(x); F.relu(x); x.relu()")
area.each(
    "x",
    [real(2, 3)],
    "x.clone().relu_(); F.relu(x.clone(), inplace=True); x.clone().sigmoid_(); x.clone().tanh_()",
)
area.each(
    "x", [*FLAT, ties(3, 4)], "F.leaky_relu(x); F.leaky_relu(x, 0.2); F.leaky_relu(x, negative_slope=-0.5)"
)
area.each("x", [*FLAT, integers(4, low=-3)], "torch.sigmoid(x); x.sigmoid(); F.sigmoid(x)")
area.each("x", [*FLAT, integers(4, low=-3)], "torch.tanh(x); x.tanh(); F.tanh(x)")
area.each(
    "x",
    [*ANYTHING, literal([0.0, 20.0, -20.0, 1000.0, -1000.0])],
    "F.gelu(x); F.gelu(x, approximate='tanh')",
    tolerance=4,
)
area.each("x", [*ANYTHING, literal([0.0, 88.0, -88.0, 1000.0, -1000.0])], "F.silu(x)")
area.each(
    "x",
    FLAT,
    "F.softplus(x); F.softplus(x, beta=2); F.softplus(x, 1, 5); F.softplus(x, beta=-0.5, threshold=3)",
)
area.refused("x", [integers(3)], "F.gelu(x); F.silu(x); F.softplus(x)")
area.refused("x", [real(3)], "F.gelu(x, approximate='cosh')")

ROWS = [
    (real(2, 3), 1),
    (real(2, 3), 0),
    (real(2, 3), -1),
    (real(5), 0),
    (real(), 0),
    (real(2, 3, 4), 1),
    (real(2, 3, 4, 2), -2),
    (real(0, 3), 1),
    (real(3, 4).transposed, 1),
    (real(3, 4).strided, 0),
    (real(3, 4).expanded, 0),
    (uniform(3, 50, low=-1000, high=1000), 1),
    (real(2, 3, dtype="float64"), 1),
    (real(2, 3, dtype="float16"), 1),
    (ties(3, 4), 1),
    (literal([[0.0, -float("inf"), 1.0], [-float("inf"), -float("inf"), 2.0]]), 1),
]
MASKED = (literal([[0.0, 1.0], [-float("inf")] * 2]), 1)
area.each(
    "x, dim",
    ROWS,
    """
    torch.softmax(x, dim); F.softmax(x, dim=dim); x.softmax(dim)
    torch.log_softmax(x, dim); F.log_softmax(x, dim); x.log_softmax(dim)
    torch.logsumexp(x, dim); x.logsumexp(dim, keepdim=True)
    """,
)
area.each("x, dim", [MASKED], "torch.softmax(x, dim); F.log_softmax(x, dim); torch.logsumexp(x, dim)")
area.each(
    "x, dim",
    [(real(2, 0), 1), (real(0), 0)],
    "torch.softmax(x, dim); torch.log_softmax(x, dim); torch.logsumexp(x, dim)",
)
area.each(
    "x",
    [real(2, 3, 4), ties(2, 3, 4)],
    "torch.logsumexp(x, (0, 2)); x.logsumexp((0, 1, 2)); x.logsumexp((1, 2), True)",
)
area.each(
    "x",
    [integers(2, 3)],
    """
    torch.softmax(x, 1, dtype=torch.float64); F.log_softmax(x, -1, dtype=torch.float32)
    torch.softmax(x, 1, torch.float64); torch.log_softmax(x, 0, torch.float16); F.softmax(x, 1, 3, torch.float32)
    """,
)
area.each("x", [integers(2, 3), integers(4, dtype="int32")], "torch.logsumexp(x, 0)")
area.refused("x", [integers(2, 3)], "torch.softmax(x, 1); F.log_softmax(x, 1)")
area.refused(
    "x",
    [real(2, 3)],
    "torch.softmax(x, 2); F.log_softmax(x, -3); torch.logsumexp(x, 5); torch.softmax(x); F.softmax(x, 1.5)",
)

# The rest of the family -----------------------------------------------------------------------------------
BENT = literal([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 3.0, -3.0, 6.0, -6.0, 20.0, 25.0, -20.0, -25.0])
WHOLE = [*FLAT, ties(3, 4), BENT]
area.each(
    "x",
    WHOLE,
    """
    F.elu(x); F.elu(x, 0.3); F.elu(x, alpha=-1.5); F.selu(x); torch.selu(x)
    F.celu(x); F.celu(x, 0.5); F.celu(x, alpha=-2.0); torch.celu(x, alpha=2)
    F.hardtanh(x); F.hardtanh(x, -0.5, 2); F.hardtanh(x, min_val=1, max_val=3); F.hardtanh(x, 1, 1)
    F.relu6(x); F.hardswish(x); F.logsigmoid(x)
    F.softshrink(x); F.softshrink(x, 1); F.softshrink(x, lambd=0)
    F.hardshrink(x); F.hardshrink(x, 1.0); F.hardshrink(x, lambd=-0.5); torch.hardshrink(x, 0); x.hardshrink(0.3)
    F.threshold(x, 0.5, 2); F.threshold(x, threshold=-1.0, value=-3.0); torch.threshold(x, 0, 0)
    F.tanhshrink(x); F.rrelu(x); F.rrelu(x, 0.5, 0.6); torch.rrelu(x, -0.1, 0.3, False)
    """,
    tolerance=2,
)
area.each("x", [*ANYTHING, BENT, EXTREMES], "F.softsign(x); F.mish(x)", tolerance=2)
SINGLE = [*ANYTHING[:8], ANYTHING[9], ties(3, 4), BENT, EXTREMES]
area.each("x", SINGLE, "F.hardsigmoid(x); F.hardsigmoid(x.clone(), inplace=True); nn.Hardsigmoid()(x)")
# the slope of PyTorch's, in float64 too, is 1 / 6 in float32
area.each("x", [real(2, 3, dtype="float64")], "F.hardsigmoid(x); nn.Hardsigmoid(True)(x * 1)", tolerance=1e3)
area.each(
    "x",
    [real(2, 3), BENT, real(2, 3, dtype="float64"), real(3, 4).transposed],
    """
    F.elu(x.clone(), 0.5, inplace=True); F.elu_(x * 1, 0.5); F.selu(x.clone(), inplace=True); F.selu_(x * 1)
    F.celu(x.clone(), 2.0, True); F.celu_(x * 1, 2.0); torch.celu_(x * 1); torch.selu_(x * 1)
    F.hardtanh(x.clone(), -0.5, 0.5, True); F.hardtanh_(x * 1, -0.5, 0.5); F.relu6(x.clone(), inplace=True)
    F.hardswish(x.clone(), True); F.mish(x.clone(), inplace=True)
    F.threshold(x.clone(), 0.1, 0.2, True); F.threshold_(x * 1, 0.1, 0.2); torch.threshold_(x * 1, 0, 1)
    F.leaky_relu(x.clone(), 0.2, True); F.leaky_relu_(x * 1, 0.2); F.relu_(x * 1); torch.relu_(x * 1)
    F.rrelu(x.clone(), 0.2, 0.3, False, True); F.rrelu_(x * 1, 0.2, 0.3); torch.rrelu_(x * 1)
    F.silu(x.clone(), inplace=True)
    """,
)
area.each("x", [integers(4, low=-3)], "F.hardtanh(x); F.hardtanh(x, -2, 1); F.threshold(x, 1, 7)")
area.each(
    "x",
    [integers(4, low=-3), integers(2, 3, high=9, dtype="uint8"), integers(4, dtype="int32")],
    "F.relu6(x); F.threshold(x, 1, 7); F.softsign(x); F.tanhshrink(x)",
)
area.refused(
    "x",
    [integers(4), booleans(3)],
    """
    F.elu(x); F.selu(x); F.celu(x); F.hardswish(x); F.hardsigmoid(x); F.mish(x); F.logsigmoid(x)
    F.softshrink(x); F.hardshrink(x); F.rrelu(x); F.rrelu(x, training=True); F.gumbel_softmax(x)
    F.prelu(x, torch.ones(1)); F.normalize(x, dim=0)
    """,
)
area.refused("x", [booleans(4)], "F.hardtanh(x); F.relu6(x); F.threshold(x, 0, 1); F.glu(x)")
area.refused("x", [integers(4)], "F.glu(x); F.softmin(x, 0)")
area.refused("x", [integers(4, dtype="uint8")], "F.hardtanh(x)")
area.refused(
    "x",
    [real(2, 3), real(5)],
    """
    F.hardtanh(x, 1, -1); F.celu(x, 0); F.softshrink(x, -1); F.prelu(x, torch.ones(2)); F.prelu(x, 0.5)
    F.prelu(x, torch.ones(1, 3)); F.prelu(x, torch.ones(1).double()); F.glu(x); F.glu(x, 4); F.normalize(x, dim=2)
    F.rrelu(x, 0.5, 0.1); F.rrelu(x, 0.5, 0.1, True); F.gumbel_softmax(x, dim=3); F.softmin(x, 2)
    """,
)
area.refused("x", [real()], "F.glu(x); F.prelu(x, torch.ones(2)); F.normalize(x)")

area.each(
    "x, weight",
    [
        (real(2, 3), real(3)),
        (real(2, 3), real(1)),
        (real(2, 3), real()),
        (real(5), real(1)),
        (real(), real(1)),
        (real(0, 3), real(3)),
        (real(2, 3, 4), real(3)),
        (real(2, 3, 4, 2), real(3)),
        (real(2, 3, 4, 2), real(1)),
        (ties(4, 3), real(3)),
        (real(3, 4).transposed, real(4)),
        (real(2, 3, dtype="float64"), real(3, dtype="float64")),
        (EXTREMES, real(1)),
    ],
    "F.prelu(x, weight); torch.prelu(x, weight); x.prelu(weight)",
)
area.each(
    "x, dim",
    [
        (real(2, 6), -1),
        (real(4, 3), 0),
        (real(2, 4, 3), 1),
        (real(8), 0),
        (real(0, 2), 1),
        (real(4, 6).transposed, 0),
        (real(2, 4, dtype="float64"), 1),
        (real(2, 4, dtype="float16"), -1),
        (uniform(3, 8, low=-200, high=200), 1),
    ],
    "F.glu(x, dim); F.glu(x, dim=dim)",
)
area.each("x", [real(2, 4), real(6)], "F.glu(x)")
area.each("x, dim", ROWS, "F.softmin(x, dim); F.softmin(x, dim=dim)")
area.each("x", [integers(2, 3)], "F.softmin(x, 1, dtype=torch.float64)")

LENGTHS = [
    (real(2, 3), 1),
    (real(2, 3), 0),
    (real(2, 3, 4), -1),
    (real(2, 3, 4), (0, 2)),
    (real(5), 0),
    (real(4, 3).transposed, 1),
    (real(2, 3, dtype="float64"), 1),
    (uniform(3, 4, low=-1000, high=1000), 1),
    (literal([[1e-13, 0.0], [3.0, 4.0]]), 1),
]
area.each(
    "x, dim",
    LENGTHS,
    """
    F.normalize(x, dim=dim); F.normalize(x, 1, dim); F.normalize(x, 3.0, dim); F.normalize(x, float('inf'), dim)
    F.normalize(x, p=2, dim=dim, eps=1.5)
    """,
    tolerance=2,
)
area.each("x", [real(2, 3), real(2, 3, 4), real(2, 3, dtype="float16")], "F.normalize(x)")
area.each("x", [real(2, 3).constant], "F.normalize(x, out=torch.zeros(2, 3))")
area.each(
    "x",
    [literal([[0.0, 0.0, 0.0], [1.0, 2.0, 2.0]])],
    "F.normalize(x); F.normalize(x, 1); F.normalize(x, 3.0); F.normalize(x, float('inf')); F.normalize(x, eps=9)",
)

# By the generator: `run` sets the seed before each example
DRAWN = [real(2, 3), real(20), real(3, 4, 5), real(3, 4).transposed, real(2, 3, dtype="float64"), real(0, 3)]
area.each(
    "x",
    DRAWN,
    """
    F.rrelu(x, training=True); F.rrelu(x, 0.2, 0.9, True); F.rrelu(x.clone(), 0.1, 0.2, True, True)
    F.rrelu_(x * 1, training=True); F.rrelu(F.rrelu(x, training=True), training=True)
    """,
)
area.each(
    "x",
    DRAWN[:-1],
    """
    F.gumbel_softmax(x); F.gumbel_softmax(x, 0.3); F.gumbel_softmax(x, tau=2, dim=0)
    F.gumbel_softmax(x, hard=True); F.gumbel_softmax(x, 0.5, True, dim=0)
    """,
    tolerance=3,
)

# As modules -----------------------------------------------------------------------------------------------
area.modules(
    [real(2, 4), real(2, 4, 3), BENT, real(2, 4, dtype="float64")],
    """
    nn.ELU(); nn.ELU(0.5); nn.ELU(alpha=2.0, inplace=False); nn.SELU(); nn.CELU(); nn.CELU(0.5); nn.Hardtanh()
    nn.Hardtanh(-0.5, 0.7); nn.ReLU6(); nn.Hardswish(); nn.Mish(); nn.LogSigmoid(); nn.Softsign()
    nn.Softshrink(); nn.Softshrink(0.2); nn.Hardshrink(); nn.Hardshrink(lambd=1.0); nn.Tanhshrink()
    nn.Threshold(0.1, 20); nn.Threshold(threshold=-1.0, value=0.5); nn.RReLU(); nn.RReLU(0.1, 0.9)
    nn.RReLU(0.1, 0.9).eval(); nn.Softmin(dim=0); nn.Softmin(0); nn.GLU(0)
    """,
    tolerance=2,
)
area.modules(
    [real(2, 4), real(2, 4, 3), real(3, 4, 2, 2)],
    "nn.PReLU(); nn.PReLU(4); nn.PReLU(4, init=0.1); nn.PReLU(init=2.0)",
)
area.modules([real(2, 4, dtype="float64")], "nn.PReLU(4, dtype=torch.float64)")
area.modules([real(2, 4), real(2, 3, 6)], "nn.GLU()")
area.modules([real(3, 4, 5), real(2, 3, 4, 5)], "nn.Softmax2d()")
area.modules(
    [real(2, 3), BENT],
    """
    nn.ELU(inplace=True); nn.ELU(0.5, True); nn.SELU(True); nn.CELU(0.5, inplace=True); nn.Hardtanh(inplace=True)
    nn.ReLU6(inplace=True); nn.Hardswish(inplace=True); nn.Hardsigmoid(True); nn.Mish(inplace=True)
    nn.Threshold(0.1, 20, inplace=True); nn.RReLU(inplace=True); nn.RReLU(0.1, 0.2, True).eval()
    """,
    calls="module(x * 1)",
    tolerance=2,
)
area.each(
    "",
    [],
    """
    nn.Softmin(); nn.Sequential(nn.ELU(), nn.PReLU(3), nn.Hardtanh(0, 1)); nn.PReLU(2).state_dict()
    nn.Hardtanh(min_value=-2.0, max_value=3.0); nn.ReLU6().max_val; nn.PReLU(5).num_parameters
    """,
)
area.refused(
    "x",
    [real(2, 3)],
    """
    nn.Hardtanh(1.0, -1.0); nn.Hardtanh(1.0, 1.0); nn.Softmax2d()(x); nn.PReLU(2)(x); nn.GLU()(x); nn.Threshold(1.0)
    nn.Softshrink(-1.0)(x)
    """,
)
