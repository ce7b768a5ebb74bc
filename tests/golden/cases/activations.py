"""Module 02: the activation functions, softmax and its kin."""

from golden import Area, integers, literal, real, ties, uniform

area = Area("activations")

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
    "torch.softmax(x, 1, dtype=torch.float64); F.log_softmax(x, -1, dtype=torch.float32)",
)
area.each("x", [integers(2, 3), integers(4, dtype="int32")], "torch.logsumexp(x, 0)")
area.refused("x", [integers(2, 3)], "torch.softmax(x, 1); F.log_softmax(x, 1)")
area.refused(
    "x",
    [real(2, 3)],
    "torch.softmax(x, 2); F.log_softmax(x, -3); torch.logsumexp(x, 5); torch.softmax(x); F.softmax(x, 1.5)",
)
