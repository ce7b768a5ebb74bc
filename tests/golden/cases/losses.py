"""Module 04: every loss, with its reductions, weights and shapes."""

from golden import Area, integers, literal, positive, probabilities, real, ties, uniform

area = Area()

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

# The rest: distances and angles, margins, counts and variances --------------------------------------------
DIFFERENCES = [*PAIRS[:10], (real(2, 3), real(2, 3, dtype="float64")), PAIRS[11]]
reduced(
    "x, y",
    DIFFERENCES,
    "F.smooth_l1_loss(x, y, _); F.smooth_l1_loss(x, y, beta=0.3, _); F.smooth_l1_loss(x, y, beta=2, _)",
)
reduced("x, y", DIFFERENCES[:4], "F.smooth_l1_loss(x, y, beta=0.0, _); nn.SmoothL1Loss(_)(x, y)")
reduced("x, y", DIFFERENCES[:4], "nn.SmoothL1Loss(beta=0.5, _)(x, y)")
area.each("x, y", BROADCAST, "F.smooth_l1_loss(x, y); nn.SmoothL1Loss(beta=2.0)(x, y)")
area.refused(
    "x, y", [(real(3), real(3))], "F.smooth_l1_loss(x, y, beta=-1.0); F.smooth_l1_loss(x, y, reduction='all')"
)
area.refused("x, y", [(real(2, 3), real(2))], "F.smooth_l1_loss(x, y)")

VECTORS = [
    (real(4, 3), real(4, 3)),
    (real(2, 3, 4), real(2, 3, 4)),
    (real(3, 4).transposed, real(3, 4).strided),
    (real(1, 3), real(4, 3)),
    (ties(4, 3, low=1), real(4, 3)),
    (real(2, 3, dtype="float64"), real(2, 3, dtype="float64")),
]
area.each(
    "x, y",
    VECTORS,
    """
    F.cosine_similarity(x, y); F.cosine_similarity(x, y, 0); F.cosine_similarity(x, y, dim=-1, eps=1e-3)
    F.cosine_similarity(x, y, 1, 2.5); torch.cosine_similarity(x, y); nn.CosineSimilarity()(x, y)
    nn.CosineSimilarity(dim=0, eps=1.5)(x, y)
    F.pairwise_distance(x, y); F.pairwise_distance(x, y, 1); F.pairwise_distance(x, y, p=3.0, eps=0.1)
    F.pairwise_distance(x, y, float('inf'), keepdim=True); torch.pairwise_distance(x, y, 2, 1e-6, True)
    nn.PairwiseDistance()(x, y); nn.PairwiseDistance(1, 0.5, True)(x, y)
    """,
    tolerance=2,
)
area.each(
    "x, y", [(real(5), real(5)), (real(2, 3), real(3)), (real(3), real(4, 3))], "F.pairwise_distance(x, y)"
)
area.each("x, y", [(real(5), real(5)), (real(4, 1, 3), real(2, 3))], "F.cosine_similarity(x, y, dim=-1)")
area.each(
    "x, y",
    [(real(2, 3), integers(2, 3, low=1)), (integers(2, 3, low=1), real(2, 3))],
    "F.cosine_similarity(x, y)",
)
area.each(
    "x, y",
    [(real(2, 3), real(2, 3, dtype="float64"))],
    "F.cosine_similarity(x, y); F.pairwise_distance(x, y)",
    tolerance=1e4,  # of float64: PyTorch too has the length of x in float32
)
area.each("x, y", [(integers(2, 3), integers(2, 3, low=6, high=9))], "F.pairwise_distance(x, y)")
area.refused("x, y", [(real(2, 3), real(2, 4))], "F.cosine_similarity(x, y); F.pairwise_distance(x, y)")
area.refused("x, y", [(integers(2, 3), integers(2, 3)), (real(3), real(3))], "F.cosine_similarity(x, y)")
ZERO = literal([[0.0, 0.0, 0.0], [1.0, 2.0, 2.0]]), literal([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
area.each(
    "x, y",
    [ZERO],
    """
    F.cosine_similarity(x, y); F.cosine_similarity(x, y, eps=0.5); F.pairwise_distance(x, x, eps=0.0)
    torch.cdist(x, y); torch.cdist(x, x); torch.cdist(x, x, 1.0)
    """,
)
ROWS = [
    (real(4, 3), real(5, 3)),
    (real(2, 4, 3), real(2, 5, 3)),
    (real(2, 1, 4, 3), real(3, 5, 3)),
    (real(1, 3), real(1, 3)),
    (real(0, 3), real(2, 3)),
    (real(3, 4).transposed, real(3, 4).strided),
    (real(4, 3, dtype="float64"), real(5, 3, dtype="float64")),
]
area.each(
    "x, y",
    ROWS,
    "torch.cdist(x, y); torch.cdist(x, y, 1); torch.cdist(x, y, p=3.0); torch.cdist(x, y, float('inf'))",
    tolerance=5,
)
area.each("x, y", ROWS[:2], "torch.cdist(x, y, 2.0, 'donot_use_mm_for_euclid_dist')")
area.each("x, y", ROWS[:2], "torch.cdist(x, y, p=0.0)", gradient=False)
area.refused(
    "x, y",
    [
        (real(3), real(3)),
        (real(2, 3), real(2, 4)),
        (real(2, 3), integers(2, 3)),
        (real(2, 3, dtype="float64"), real(2, 3)),
    ],
    "torch.cdist(x, y)",
)
area.refused("x, y", [(real(2, 3), real(2, 3))], "torch.cdist(x, y, -1); torch.cdist(x, y, 2.0, 'quickly')")

SIGNS = literal([1.0, -1.0, 1.0, -1.0]).constant
ALIKE = [
    (real(4, 3), real(4, 3), SIGNS),
    (real(3), real(3), literal(1.0).constant),
    (real(3), real(3), literal(-1.0).constant),
    (real(4, 3), real(1, 3), SIGNS),
    (real(4, 3), real(4, 3), literal([1, -1, 2, 0], "int64")),
    (real(4, 3, dtype="float64"), real(4, 3, dtype="float64"), SIGNS),
    (literal([[0.0, 0.0], [1.0, 2.0]]), real(2, 2), literal([1.0, -1.0]).constant),
]
reduced(
    "x, y, sign",
    ALIKE,
    """
    F.cosine_embedding_loss(x, y, sign, _); F.cosine_embedding_loss(x, y, sign, 0.3, _)
    F.cosine_embedding_loss(x, y, sign, margin=-0.5, _); nn.CosineEmbeddingLoss(_)(x, y, sign)
    nn.CosineEmbeddingLoss(0.2, _)(x, y, sign)
    """,
)
RANKED = [
    (real(4), real(4), SIGNS),
    (real(2, 4), real(2, 4), literal([[1.0, -1.0, -1.0, 1.0]]).constant),
    (ties(4), ties(4), SIGNS),
    (real(), real(), literal(1.0).constant),
    (real(4), real(4), literal([1, -1, 1, 1], "int64")),
    (real(4, dtype="float64"), real(4, dtype="float64"), SIGNS),
    (real(0), real(0), real(0)),
]
reduced(
    "x, y, sign",
    RANKED,
    """
    F.margin_ranking_loss(x, y, sign, _); F.margin_ranking_loss(x, y, sign, 1.0, _)
    F.margin_ranking_loss(x, y, sign, margin=-0.5, _); nn.MarginRankingLoss(_)(x, y, sign)
    nn.MarginRankingLoss(margin=2, _)(x, y, sign)
    """,
)
reduced(
    "x, sign",
    [
        (real(4), SIGNS),
        (real(2, 4), SIGNS),
        (ties(3, 4), literal([1, -1, 0, 2], "int64")),
        (real(), literal(-1.0).constant),
        (real(4, dtype="float64"), SIGNS),
        (real(3, 4).transposed, SIGNS),
    ],
    """
    F.hinge_embedding_loss(x, sign, _); F.hinge_embedding_loss(x, sign, 0.4, _)
    F.hinge_embedding_loss(x, sign, margin=2, _); nn.HingeEmbeddingLoss(_)(x, sign)
    nn.HingeEmbeddingLoss(margin=0.5, _)(x, sign)
    """,
)
TRIPLETS = [
    (real(4, 3), real(4, 3), real(4, 3)),
    (real(3), real(3), real(3)),
    (real(2, 3, 4), real(2, 3, 4), real(2, 3, 4)),
    (real(4, 3), real(1, 3), real(4, 3)),
    (real(4, 3).transposed, real(4, 3).strided, real(4, 3)),
    (real(4, 3, dtype="float64"), real(4, 3, dtype="float64"), real(4, 3, dtype="float64")),
]
reduced(
    "x, near, far",
    TRIPLETS,
    """
    F.triplet_margin_loss(x, near, far, _); F.triplet_margin_loss(x, near, far, 0.2, 1, _)
    F.triplet_margin_loss(x, near, far, margin=3.0, p=3.0, eps=0.1, _)
    F.triplet_margin_loss(x, near, far, swap=True, _); nn.TripletMarginLoss(_)(x, near, far)
    nn.TripletMarginLoss(0.5, 1, 1e-3, True, _)(x, near, far)
    F.triplet_margin_with_distance_loss(x, near, far, _)
    F.triplet_margin_with_distance_loss(x, near, far, margin=2.5, swap=True, _)
    F.triplet_margin_with_distance_loss(x, near, far, distance_function=nn.PairwiseDistance(1), _)
    F.triplet_margin_with_distance_loss(x, near, far, distance_function=lambda a, b: ((a - b) ** 2).sum(-1), _)
    nn.TripletMarginWithDistanceLoss(_)(x, near, far)
    nn.TripletMarginWithDistanceLoss(distance_function=F.pairwise_distance, margin=2.0, swap=True, _)(x, near, far)
    """,
)
area.each(
    "x, y, z",
    RANKED[:2],
    "F.margin_ranking_loss(x, y, z); F.margin_ranking_loss(x, y, z, size_average=False)",
)
area.each(
    "x, y, z", ALIKE[:2], "F.cosine_embedding_loss(x, y, z); F.cosine_embedding_loss(x, y, z, reduce=False)"
)
area.each(
    "x, y, z",
    TRIPLETS[:2],
    "F.triplet_margin_loss(x, y, z); F.triplet_margin_loss(x, y, z, size_average=False)",
)
area.each(
    "x, y", [(real(4), SIGNS)], "F.hinge_embedding_loss(x, y); F.hinge_embedding_loss(x, y, reduce=False)"
)
area.refused(
    "x, y, sign",
    [
        (real(4, 3), real(4, 3), real(4, 3)),
        (real(4, 3), real(4, 3), real()),
        (real(3), real(3), real(3)),
        (real(4, 3), real(4, 2), SIGNS),
    ],
    "F.cosine_embedding_loss(x, y, sign)",
)
area.refused(
    "x, y, sign",
    [(real(4, 3), real(4, 3), real(4)), (real(4), real(3), real(4)), (real(4), real(4), real())],
    "F.margin_ranking_loss(x, y, sign)",
)
area.refused(
    "x, y, z",
    [(real(4, 3), real(4, 3), real(3)), (real(4, 3), real(4, 3), real(4, 2))],
    "F.triplet_margin_loss(x, y, z); F.triplet_margin_with_distance_loss(x, y, z)",
)
area.refused(
    "x, y, z",
    TRIPLETS[:1],
    """
    F.triplet_margin_loss(x, y, z, margin=0); F.triplet_margin_with_distance_loss(x, y, z, margin=-1.0)
    F.triplet_margin_loss(x, y, z, reduction='max'); F.margin_ranking_loss(x, y, z, reduction='max')
    F.triplet_margin_with_distance_loss(x, y, z, reduction='max'); F.triplet_margin_with_distance_loss(x, y, z, None)
    nn.TripletMarginLoss(margin=0); nn.TripletMarginWithDistanceLoss(margin=-1.0)
    F.cosine_embedding_loss(x, y, z[:, 0], reduction='max'); F.hinge_embedding_loss(x, y, reduction='max')
    nn.TripletMarginWithDistanceLoss(nn.PairwiseDistance())
    """,
)
area.refused("x, y", [(real(4, 3), real(2))], "F.hinge_embedding_loss(x, y); F.soft_margin_loss(x, y)")

reduced(
    "x, y",
    [
        (real(4), SIGNS),
        (real(2, 3), real(2, 3).constant),
        (real(2, 3), real(3).constant),
        (real(4), literal([1, -1, 1, 1], "int64")),
        (uniform(4, low=-40, high=40), SIGNS),
        (real(), literal(-1.0).constant),
        (real(3, 4).transposed, real(3, 4).strided.constant),
        (real(2, 3, dtype="float64"), real(2, 3, dtype="float64").constant),
    ],
    "F.soft_margin_loss(x, y, _); nn.SoftMarginLoss(_)(x, y)",
)
CHOICES = [
    (real(4, 3), integers(4, high=3)),
    (real(5), integers(high=5)),
    (real(5), integers(1, high=5)),
    (real(1, 3), integers(1, high=3)),
    (real(4, 3).strided, integers(4, high=3)),
    (real(3, 4).transposed, integers(3, high=4)),
    (ties(4, 3), integers(4, high=3)),
    (uniform(4, 3, low=-1000, high=1000), integers(4, high=3)),
    (real(4, 3, dtype="float64"), integers(4, high=3)),
]
reduced(
    "x, y",
    CHOICES,
    """
    F.multi_margin_loss(x, y, _); F.multi_margin_loss(x, y, 2, _); F.multi_margin_loss(x, y, margin=0.3, _)
    F.multi_margin_loss(x, y, p=2, margin=2.0, _); nn.MultiMarginLoss(_)(x, y); nn.MultiMarginLoss(2, 0.5, _)(x, y)
    """,
)
reduced(
    "x, y, weight",
    WEIGHTED[::2],
    """
    F.multi_margin_loss(x, y, weight=weight, _); F.multi_margin_loss(x, y, 2, 0.5, weight, _)
    nn.MultiMarginLoss(weight=torch.tensor([0.5, 2.0, 1.0]), _)(x, y)
    """,
)
area.each("x, y", CHOICES[:2], "F.multi_margin_loss(x, y); F.multi_margin_loss(x, y, size_average=False)")
area.each(
    "x, y",
    [(real(0, 3), integers(0))],
    "F.multi_margin_loss(x, y, reduction='none')",
)
area.refused(
    "x, y",
    [
        (real(4, 3), integers(4, low=3, high=6)),
        (real(4, 3), integers(4, low=-3, high=0)),
        (real(4, 3), integers(3, high=3)),
        (real(4, 3), integers(4, high=3, dtype="int32")),
        (real(4, 3), real(4)),
        (real(2, 3, 4), integers(2, high=2)),
        (real(2, 0), integers(2, high=2)),
        (integers(4, 3), integers(4, high=3)),
    ],
    "F.multi_margin_loss(x, y)",
)
area.refused(
    "x, y",
    CHOICES[:1],
    """
    F.multi_margin_loss(x, y, p=3); F.multi_margin_loss(x, y, weight=torch.ones(2)); nn.MultiMarginLoss(p=3)
    F.multi_margin_loss(x, y, weight=torch.ones(1, 3)); nn.MultiMarginLoss(weight=torch.ones(1, 3))
    F.multi_margin_loss(x, y, weight=torch.ones(3).double()); F.multi_margin_loss(x, y, reduction='all')
    """,
)
LISTS = literal([[0, 2, -1], [1, -1, 0], [-1, 0, 1], [0, 1, 2]], "int64")
SEVERAL = [
    (real(4, 3), LISTS),
    (ties(4, 3), LISTS),
    (real(4), literal([3, 0, -1, 1], "int64")),
    (real(4), literal([1, 1, -1, 1], "int64")),
    (real(4, 3).transposed, LISTS),
    (real(), literal(0, "int64")),
    (uniform(4, 3, low=-1000, high=1000), LISTS),
    (real(4, 3, dtype="float64"), LISTS),
]
reduced("x, y", SEVERAL, "F.multilabel_margin_loss(x, y, _); nn.MultiLabelMarginLoss(_)(x, y)")
area.each(
    "x, y", SEVERAL[:2], "F.multilabel_margin_loss(x, y); F.multilabel_margin_loss(x, y, size_average=False)"
)
area.refused(
    "x, y",
    [
        (real(2, 3), LISTS),
        (real(4, 3), literal([[3, 0, 0]] * 4, "int64")),
        (real(4, 3), literal([[-2, 0, 0]] * 4, "int64")),
        (real(4, 3), integers(4, 3, dtype="int32", high=3)),
        (real(2, 3, 3), integers(2, 3, 3, high=3)),
        (integers(4, 3), LISTS),
    ],
    "F.multilabel_margin_loss(x, y)",
)
QUESTIONS = [
    (real(4, 3), integers(4, 3, high=2, dtype="float32").constant),
    (real(3), uniform(3)),
    (real(2, 3, 4), uniform(2, 3, 4)),
    (real(4, 3), integers(4, 3, high=2)),
    (uniform(4, 3, low=-200, high=200), integers(4, 3, high=2, dtype="float32").constant),
    (real(4, 3).transposed, uniform(4, 3)),
    (real(4, 3, dtype="float64"), uniform(4, 3, dtype="float64")),
]
reduced(
    "x, y",
    QUESTIONS,
    "F.multilabel_soft_margin_loss(x, y, _); nn.MultiLabelSoftMarginLoss(_)(x, y)",
)
reduced(
    "x, y",
    QUESTIONS[:2],
    """
    F.multilabel_soft_margin_loss(x, y, torch.tensor([0.5, 2.0, 1.0]), _)
    nn.MultiLabelSoftMarginLoss(weight=torch.tensor([0.5, 2.0, 1.0]), _)(x, y)
    """,
)
area.refused("x, y", [(real(4, 3), real(4, 2)), (real(), real())], "F.multilabel_soft_margin_loss(x, y)")
area.refused(
    "x, y",
    [(real(4, 3), real(4, 3))],
    "F.multilabel_soft_margin_loss(x, y, reduction='all'); F.soft_margin_loss(x, y, reduction='all')",
)

COUNTS = [
    (real(4, 3), integers(4, 3, high=9, dtype="float32").constant),
    (real(5), positive(5).constant),
    (positive(2, 3), positive(2, 3)),
    (positive(), positive()),
    (positive(4, 3), positive(3)),
    (positive(2, 3), integers(2, 3, high=9)),
    (positive(4, 3).transposed, positive(4, 3)),
    (positive(2, 3, dtype="float64"), positive(2, 3, dtype="float64")),
]
reduced(
    "x, y",
    COUNTS,
    """
    F.poisson_nll_loss(x, y, _); F.poisson_nll_loss(x, y, full=True, _); F.poisson_nll_loss(x, y, True, True, _)
    nn.PoissonNLLLoss(_)(x, y); nn.PoissonNLLLoss(full=True, _)(x, y)
    """,
)
reduced(
    "x, y",
    COUNTS[2:],
    """
    F.poisson_nll_loss(x, y, False, _); F.poisson_nll_loss(x, y, log_input=False, full=True, eps=0.5, _)
    nn.PoissonNLLLoss(False, _)(x, y); nn.PoissonNLLLoss(False, True, eps=0.1, _)(x, y)
    """,
)
area.each("x, y", COUNTS[:2], "F.poisson_nll_loss(x, y); F.poisson_nll_loss(x, y, reduce=False)")
area.refused("x, y", [(real(4, 3), real(4, 2))], "F.poisson_nll_loss(x, y)")
area.refused("x, y", [(real(4, 3), real(4, 3))], "F.poisson_nll_loss(x, y, reduction='all')")

UNCERTAIN = [
    (real(4, 3), real(4, 3), positive(4, 3)),
    (real(4, 3), real(4, 3), positive(4)),
    (real(4, 3), real(4, 3), positive(4, 1)),
    (real(4, 3), real(4, 3), positive(1, 3)),
    (real(2, 3, 4), real(2, 3, 4), positive(2, 3)),
    (real(5), real(5), positive(5)),
    (real(), real(), positive()),
    (real(4, 3), real(3), positive(4, 3)),
    (real(3), real(3), literal([1e-9, 0.5, 2.0])),
    (real(4, 3), real(4, 3), 0.7),
    (real(4, 3).transposed, real(4, 3).strided, positive(4, 3)),
    (real(2, 3, dtype="float64"), real(2, 3, dtype="float64"), positive(2, 3, dtype="float64")),
]
reduced(
    "x, y, var",
    UNCERTAIN,
    """
    F.gaussian_nll_loss(x, y, var, _); F.gaussian_nll_loss(x, y, var, full=True, _)
    F.gaussian_nll_loss(x, y, var, True, 1.0, _); nn.GaussianNLLLoss(_)(x, y, var)
    nn.GaussianNLLLoss(full=True, eps=0.5, _)(x, y, var)
    """,
)
area.each("x, y, var", UNCERTAIN[:2], "F.gaussian_nll_loss(x, y, var)")
area.refused(
    "x, y, var",
    [
        (real(4, 3), real(4, 3), literal([-1.0, 1.0, 1.0, 1.0])),
        (real(4, 3), real(4, 3), -0.5),
        (real(4, 3), real(4, 3), 2),
        (real(4, 3), real(4, 3), positive(3)),
        (real(2, 3, 4), real(2, 3, 4), positive(2, 1, 1)),
        (real(4, 3), real(4, 2), positive(4)),
    ],
    "F.gaussian_nll_loss(x, y, var)",
)
area.refused(
    "x, y", [(real(3), real(3))], "F.gaussian_nll_loss(x, y, 1.0, reduction='all'); nn.GaussianNLLLoss(True)"
)
area.refused("x", [real(2, 3)], "F.ctc_loss(x); nn.CTCLoss(black=0)")  # which is not here
area.each(
    "",
    [],
    """
    nn.SmoothL1Loss(beta=2.0); nn.CosineSimilarity(); nn.PairwiseDistance(p=1); nn.CosineEmbeddingLoss(0.5)
    nn.MarginRankingLoss(); nn.TripletMarginLoss(swap=True); nn.TripletMarginWithDistanceLoss()
    nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(1.0)).distance_function.norm
    nn.HingeEmbeddingLoss(); nn.MultiMarginLoss(2); nn.MultiLabelMarginLoss(); nn.MultiLabelSoftMarginLoss()
    nn.SoftMarginLoss(); nn.PoissonNLLLoss(); nn.GaussianNLLLoss(); nn.PairwiseDistance().norm
    nn.MultiMarginLoss(weight=torch.ones(2)).state_dict(); nn.TripletMarginLoss().p
    """,
)
