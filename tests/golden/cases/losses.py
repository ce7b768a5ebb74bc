"""Module 04: every loss, with its reductions, weights and shapes."""

from golden import Area, integers, literal, probabilities, real, ties, uniform

area = Area("losses")

PAIRS = [
    (real(2, 3), real(2, 3)),
    (real(5), real(5)),
    (real(), real()),
    (real(0, 3), real(0, 3)),
    (real(2, 3, 4), real(2, 3, 4)),
    (real(3, 4).transposed, real(3, 4).strided),
    (real(3, 4).expanded, real(3, 4)),
    (ties(3, 4), ties(3, 4)),
    (real(2, 3, dtype="float64"), real(2, 3, dtype="float64")),
    (real(2, 3, dtype="float16"), real(2, 3, dtype="float16")),
    (real(2, 3), real(2, 3, dtype="float64")),
    (uniform(6, low=-1000, high=1000), real(6)),
]


def reduced(names, examples, programs, reductions=("mean", "sum", "none")):
    """Every program with every reduction: `_` stands for it."""
    for reduction in reductions:
        area.each(names, examples, programs.replace("_)", f"reduction='{reduction}')"))


reduced("x, y", PAIRS, "F.mse_loss(x, y, _); F.l1_loss(x, y, _)")
reduced(
    "x, y", PAIRS[:4], "F.huber_loss(x, y, delta=0.3, _); F.huber_loss(x, y, delta=2, _); nn.MSELoss(_)(x, y)"
)
reduced("x, y", PAIRS[:4], "nn.L1Loss(_)(x, y); nn.HuberLoss(_)(x, y); nn.HuberLoss(delta=0.5, _)(x, y)")
area.each("x, y", PAIRS[:4], "F.mse_loss(x, y); F.l1_loss(x, y); F.huber_loss(x, y)")
BROADCAST = [(real(4, 1), real(4)), (real(2, 3), real(3)), (real(2, 3), real())]
area.each("x, y", BROADCAST, "F.mse_loss(x, y); F.l1_loss(x, y); F.huber_loss(x, y)")
area.each("x, y", [(real(3), integers(3))], "F.mse_loss(x, y); F.l1_loss(x, y)")
area.refused("x, y", [(real(2, 3), real(2))], "F.mse_loss(x, y); F.l1_loss(x, y); F.huber_loss(x, y)")
area.refused("x, y", [(real(3), real(3))], "F.huber_loss(x, y, delta=0); F.huber_loss(x, y, delta=-1.0)")
area.refused(
    "x, y", [(real(3), real(3))], "F.mse_loss(x, y, reduction='median'); F.l1_loss(x, y, reduction='all')"
)

# Cross-entropy, with class indices and with probabilities -------------------------------------------------
INDICES = [
    (real(4, 3), integers(4, high=3)),
    (real(5), integers(high=5)),
    (real(1, 3), integers(1, high=3)),
    (real(4, 3).strided, integers(4, high=3)),
    (real(3, 4).transposed, integers(3, high=4)),
    (real(4, 3).expanded, integers(4, high=3)),
    (uniform(4, 3, low=-1000, high=1000), integers(4, high=3)),
    (real(4, 3, dtype="float64"), integers(4, high=3)),
    (real(2, 3, 5), integers(2, 5, high=3)),
    (real(2, 3, 4, 5), integers(2, 4, 5, high=3)),
    (real(2, 3, 1, 2, 2), integers(2, 1, 2, 2, high=3)),
    (real(2, 5, 3).transposed, integers(2, 3, high=5)),
    (real(0, 3), integers(0, high=3)),
]
WEIGHT = literal([0.5, 2.0, 1.0]).constant
WEIGHTED = [
    (real(4, 3), integers(4, high=3), WEIGHT),
    (real(2, 3, 4, 5), integers(2, 4, 5, high=3), WEIGHT),
    (real(3), integers(high=3), WEIGHT),
]
reduced(
    "x, y",
    INDICES,
    """
    F.cross_entropy(x, y, _); F.cross_entropy(x, y, label_smoothing=0.2, _)
    F.cross_entropy(x, y, ignore_index=1, _); F.cross_entropy(x, y, ignore_index=2, label_smoothing=0.1, _)
    nn.CrossEntropyLoss(_)(x, y); nn.CrossEntropyLoss(ignore_index=0, label_smoothing=0.3, _)(x, y)
    """,
)
reduced(
    "x, y, weight",
    WEIGHTED,
    """
    F.cross_entropy(x, y, weight, _); F.cross_entropy(x, y, weight, label_smoothing=0.2, _)
    F.cross_entropy(x, y, weight=weight, ignore_index=1, _)
    F.cross_entropy(x, y, weight, ignore_index=0, label_smoothing=0.1, _)
    F.nll_loss(F.log_softmax(x, min(1, x.dim() - 1)), y, weight, _)
    F.nll_loss(F.log_softmax(x, min(1, x.dim() - 1)), y, weight=weight, ignore_index=2, _)
    """,
)
reduced(
    "x, y",
    [(real(4, 3), integers(4, high=3))],
    """
    nn.CrossEntropyLoss(torch.tensor([0.5, 2.0, 1.0]), _)(x, y)
    nn.NLLLoss(torch.tensor([0.5, 2.0, 1.0]), ignore_index=1, _)(F.log_softmax(x, 1), y)
    """,
)
SOFT = [
    (real(4, 3), probabilities(4, 3)),
    (real(3), probabilities(3)),
    (real(2, 3, 5), probabilities(2, 3, 5, dim=1)),
    (real(2, 3, 4, 5), probabilities(2, 3, 4, 5, dim=1)),
    (real(4, 3).strided, probabilities(4, 3).transposed),
    (real(4, 3, dtype="float64"), probabilities(4, 3, dtype="float64")),
    (real(0, 3), probabilities(0, 3)),
]
reduced(
    "x, y",
    SOFT,
    "F.cross_entropy(x, y, _); F.cross_entropy(x, y, label_smoothing=0.2, _); nn.CrossEntropyLoss(_)(x, y)",
)
SOFT_WEIGHTED = [
    (real(4, 3), probabilities(4, 3), WEIGHT),
    (real(2, 3, 5), probabilities(2, 3, 5, dim=1), WEIGHT),
]
reduced(
    "x, y, weight",
    SOFT_WEIGHTED,
    "F.cross_entropy(x, y, weight, _); F.cross_entropy(x, y, weight, label_smoothing=0.3, _)",
)
area.each("x, y", [*INDICES, *SOFT], "F.cross_entropy(x, y)")
area.each(
    "x, y",
    [(real(3, 4), literal([-100, 2, -100], "int64")), (real(2, 4), literal([-100, -100], "int64"))],
    """
    F.cross_entropy(x, y); F.cross_entropy(x, y, reduction='sum'); F.nll_loss(x, y)
    F.cross_entropy(x, y, label_smoothing=0.1)
    """,
)
area.refused(
    "x, y",
    [(real(4, 3), literal([0, 1, 3, 0], "int64")), (real(1, 3), literal([-1], "int64"))],
    "F.cross_entropy(x, y); F.nll_loss(x, y)",
)
area.refused(
    "x, y",
    [(real(4, 3), integers(3)), (real(4, 3), integers(4, 2)), (real(2, 3, 4), integers(2, 3))],
    "F.cross_entropy(x, y); F.nll_loss(x, y)",
)
area.refused(
    "x, y", [(real(4, 3), integers(4, dtype="int32", high=3))], "F.cross_entropy(x, y); F.nll_loss(x, y)"
)
area.refused("x, y", [(real(4, 3), real(4)), (real(4, 3), real(4, 2))], "F.cross_entropy(x, y)")
area.refused(
    "x, y",
    [(real(4, 3), integers(4, high=3))],
    """
    F.cross_entropy(x, y, torch.ones(4)); F.cross_entropy(x, y, label_smoothing=1.5)
    F.cross_entropy(x, y, reduction='max'); F.nll_loss(x, y, torch.ones(2))
    nn.CrossEntropyLoss(reduction='max')(x, y)
    """,
)
area.refused(
    "x, y",
    [(integers(4, 3), integers(4, high=3)), (real(), integers(high=1))],
    "F.cross_entropy(x, y); F.nll_loss(x, y)",
)

NEGATIVE = [
    (real(4, 3), integers(4, high=3)),
    (real(3), integers(high=3)),
    (real(2, 3, 5), integers(2, 5, high=3)),
    (real(2, 3, 4, 5), integers(2, 4, 5, high=3)),
    (real(3, 4).transposed, integers(3, high=4)),
    (real(4, 3, dtype="float64"), integers(4, high=3)),
    (real(0, 3), integers(0, high=3)),
]
reduced("x, y", NEGATIVE, "F.nll_loss(x, y, _); F.nll_loss(x, y, ignore_index=1, _); nn.NLLLoss(_)(x, y)")
area.each("x, y", NEGATIVE, "F.nll_loss(x, y)")

# Binary cross-entropy -------------------------------------------------------------------------------------
CHANCES = [
    (uniform(2, 3), uniform(2, 3).constant),
    (uniform(5), literal([0.0, 1.0, 1.0, 0.0, 1.0])),
    (uniform(), uniform()),
    (uniform(0), uniform(0)),
    (uniform(3, 4).transposed, uniform(3, 4).strided),
    (literal([0.0, 1.0, 0.0, 1.0]), literal([0.0, 1.0, 1.0, 0.0])),
    (uniform(3, dtype="float64"), uniform(3, dtype="float64")),
]
WEIGHTS = [(*pair, uniform(*pair[0].shape).constant) for pair in CHANCES[:3]] + [
    (uniform(2, 3), uniform(2, 3), uniform(3).constant)
]
reduced("x, y", CHANCES, "F.binary_cross_entropy(x, y, _); nn.BCELoss(_)(x, y)")
reduced("x, y, weight", WEIGHTS, "F.binary_cross_entropy(x, y, weight, _); nn.BCELoss(weight, _)(x, y)")
area.each("x, y", CHANCES, "F.binary_cross_entropy(x, y)")
area.refused(
    "x, y",
    [(uniform(3, low=1.1, high=2), uniform(3)), (uniform(3, low=-1, high=-0.1), uniform(3))],
    "F.binary_cross_entropy(x, y)",
)
area.refused(
    "x, y",
    [(uniform(3), uniform(4)), (uniform(2, 3), uniform(3).constant), (uniform(3, 1), uniform(3))],
    "F.binary_cross_entropy(x, y)",
)
area.refused("x, y", [(uniform(3), integers(3, high=2))], "F.binary_cross_entropy(x, y)")

LOGITS = [
    (real(2, 3), uniform(2, 3)),
    (real(5), literal([0.0, 1.0, 1.0, 0.0, 1.0])),
    (real(), uniform()),
    (real(0), uniform(0)),
    (real(3, 4).transposed, uniform(3, 4).strided),
    (uniform(6, low=-200, high=200), literal([0.0, 1.0, 1.0, 0.0, 1.0, 0.5])),
    (real(3, dtype="float64"), uniform(3, dtype="float64")),
]
reduced("x, y", LOGITS, "F.binary_cross_entropy_with_logits(x, y, _); nn.BCEWithLogitsLoss(_)(x, y)")
LOGIT_WEIGHTS = [
    (real(2, 3), uniform(2, 3), uniform(2, 3).constant),
    (real(2, 3), uniform(2, 3), uniform(3).constant),
    (real(4), uniform(4), uniform().constant),
]
reduced(
    "x, y, weight",
    LOGIT_WEIGHTS,
    """
    F.binary_cross_entropy_with_logits(x, y, weight, _)
    F.binary_cross_entropy_with_logits(x, y, pos_weight=weight, _)
    F.binary_cross_entropy_with_logits(x, y, weight, pos_weight=3 * weight, _)
    nn.BCEWithLogitsLoss(weight, _)(x, y); nn.BCEWithLogitsLoss(pos_weight=weight, _)(x, y)
    """,
)
area.each("x, y", LOGITS, "F.binary_cross_entropy_with_logits(x, y)")
area.refused(
    "x, y", [(real(3), uniform(4)), (real(2, 3), uniform(3))], "F.binary_cross_entropy_with_logits(x, y)"
)

# Kullback-Leibler -----------------------------------------------------------------------------------------
DIVERGENT = [
    (real(2, 3), probabilities(2, 3)),
    (real(5), probabilities(5)),
    (real(2, 3, 4), probabilities(2, 3, 4)),
    (real(3, 4).strided, probabilities(3, 4).transposed),
    (real(4), literal([0.0, 0.5, 0.5, 0.0])),
    (real(3, 4), probabilities(4)),
    (real(2, 3, dtype="float64"), probabilities(2, 3, dtype="float64")),
]
reduced(
    "x, y",
    DIVERGENT,
    "F.kl_div(x, y, _); F.kl_div(x, y, log_target=True, _); nn.KLDivLoss(_)(x, y)",
    ("mean", "sum", "none", "batchmean"),
)
area.each(
    "x, y",
    DIVERGENT[:3],
    "F.kl_div(F.log_softmax(x, -1), y); nn.KLDivLoss(reduction='sum', log_target=True)(x, y)",
)
area.refused("x, y", [(real(2, 3), probabilities(2))], "F.kl_div(x, y, reduction='batchmean')")
area.refused("x, y", [(real(2, 3), probabilities(2, 3))], "F.kl_div(x, y, reduction='median')")

area.each(
    "",
    [],
    """
    nn.MSELoss(); nn.L1Loss(); nn.HuberLoss(delta=2.0); nn.CrossEntropyLoss(label_smoothing=0.1)
    nn.NLLLoss()
    nn.BCELoss(); nn.BCEWithLogitsLoss(); nn.KLDivLoss(log_target=True); list(nn.MSELoss().parameters())
    nn.CrossEntropyLoss(torch.ones(2)).state_dict()
    nn.BCEWithLogitsLoss(pos_weight=torch.ones(2)).state_dict()
    """,
)
