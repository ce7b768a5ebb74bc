"""Losses of what should be alike and what should not, by distances and angles, and their modules."""

from tinytorch.given.losses.checks import chosen
from tinytorch.given.losses.distances import PairwiseDistance, pairwise_distance
from tinytorch.given.losses.modules import Loss
from tinytorch.losses import reduced

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1; rows (N, D), or one vector (D,)."""
    reduction = chosen(size_average, reduce, reduction)
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, "
            f"but found inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
        )
    squares = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cos = (input1 * input2).sum(-1) / squares.sqrt()
    alike, different = 1 - cos, (cos - margin).clamp(min=0)
    return reduced(alike.masked_fill(target != 1, 0) + different.masked_fill(target != -1, 0), reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """A distance itself where the target is 1, max(0, margin - distance) where it is -1."""
    reduction = chosen(size_average, reduce, reduction)
    missing = (margin - input).clamp(min=0).masked_fill(target == 1, 0)
    return reduced(missing + input.masked_fill(target == -1, 0), reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, margin - target (input1 - input2)): input1 should be larger where target is 1, smaller at -1."""
    reduction = chosen(size_average, reduce, reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduced((-target * (input1 - input2) + margin).clamp(min=0), reduction)


def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """`triplet_margin_with_distance_loss` with the p-norm for its distance (Balntas and others, 2016)."""
    options = {"margin": margin, "swap": swap, "reduction": chosen(size_average, reduce, reduction)}
    distance = lambda x, y: pairwise_distance(x, y, p, eps)
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=distance, **options
    )


def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """max(0, margin + distance to the positive - distance to the negative).

    With `swap`, the negative counts as near as it is to the anchor or to the positive.
    """
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced((margin + near - far).clamp(min=0), reduction)


class CosineEmbeddingLoss(Loss):
    """The mean of 1 - cos(x1, x2) where target is 1, of max(0, cos(x1, x2) - margin) where it is -1.

    Shape: (N, D), (N, D) and (N), or (D), (D) and (), to a number; with `reduction="none"` to the target's
        shape.

    >>> loss = torch.nn.CosineEmbeddingLoss(reduction="none")
    >>> loss(torch.eye(2), torch.ones(2, 2), torch.tensor([1, -1]))
    tensor([0.2929, 0.7071])
    """

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return cosine_embedding_loss(input1, input2, target, self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(Loss):
    """The mean of input where target is 1, of max(0, margin - input) where it is -1.

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.HingeEmbeddingLoss(reduction="none")(torch.tensor([0.25, 0.25]), torch.tensor([1.0, -1.0]))
    tensor([0.2500, 0.7500])
    """

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        return hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


class MarginRankingLoss(Loss):
    """The mean of max(0, -target (input1 - input2) + margin).

    Shape: (N), (N) and (N), or three scalars, to a number; with `reduction="none"` to (N).

    >>> loss = torch.nn.MarginRankingLoss(margin=0.5)
    >>> loss(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 1.0]), torch.tensor([1.0, 1.0]))
    tensor(1.2500)
    """

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


class TripletMarginLoss(Loss):
    """The mean of max(0, d(anchor, positive) - d(anchor, negative) + margin); d is `pairwise_distance`.

    Shape: (N, D), three times, to a number; with `reduction="none"` to (N).

    >>> loss = torch.nn.TripletMarginLoss(margin=1.0)
    >>> loss(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 5.5]]))
    tensor(0.5000)
    """

    def __init__(
        self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
    ):
        super().__init__(size_average, reduce, reduction)
        check_margin(self, margin)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor, positive, negative):
        options = {"margin": self.margin, "p": self.p, "eps": self.eps, "swap": self.swap}
        return triplet_margin_loss(anchor, positive, negative, **options, reduction=self.reduction)


class TripletMarginWithDistanceLoss(Loss):
    """`TripletMarginLoss` with any function of two tensors as its distance; by default the 2-norm.

    Shape: (N, ...), three times, to a number; with `reduction="none"` to what the distance gives.

    >>> loss = torch.nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1))
    >>> loss(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 5.5]]))
    tensor(2.5000)
    """

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(reduction=reduction)
        check_margin(self, margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor, positive, negative):
        options = {"distance_function": self.distance_function, "margin": self.margin, "swap": self.swap}
        return triplet_margin_with_distance_loss(
            anchor, positive, negative, **options, reduction=self.reduction
        )


def check_margin(loss, margin):
    """ValueError unless the margin is positive."""
    if margin <= 0:
        raise ValueError(f"{type(loss).__name__}: expected margin to be greater than 0, got {margin} instead")
