"""Every loss as a module, for programs that hand a loss around as an object; each calls its function."""

from tinytorch.given.losses.binary import binary_cross_entropy
from tinytorch.given.losses.checks import chosen
from tinytorch.given.losses.classes import cross_entropy
from tinytorch.given.losses.differences import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from tinytorch.layers import Module
from tinytorch.losses import binary_cross_entropy_with_logits, kl_div, nll_loss

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
    "WeightedLoss",
]


class Loss(Module):
    """A loss as a module: what its function takes apart from input and target is given when it is made."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = chosen(size_average, reduce, reduction)


class WeightedLoss(Loss):
    """A loss with weights, which are a buffer: they move and are saved with the module."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class MSELoss(Loss):
    """`mse_loss` as a module."""

    def forward(self, input, target):
        return mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """`l1_loss` as a module."""

    def forward(self, input, target):
        return l1_loss(input, target, reduction=self.reduction)


class HuberLoss(Loss):
    """`huber_loss` as a module."""

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        return huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(Loss):
    """`smooth_l1_loss` as a module."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        return smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class NLLLoss(WeightedLoss):
    """`nll_loss` as a module."""

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return nll_loss(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )


class CrossEntropyLoss(WeightedLoss):
    """`cross_entropy` as a module."""

    def __init__(
        self,
        weight=None,
        size_average=None,
        ignore_index=-100,
        reduce=None,
        reduction="mean",
        label_smoothing=0.0,
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        options = {"ignore_index": self.ignore_index, "label_smoothing": self.label_smoothing}
        return cross_entropy(input, target, self.weight, reduction=self.reduction, **options)


class BCELoss(WeightedLoss):
    """`binary_cross_entropy` as a module."""

    def forward(self, input, target):
        return binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """`binary_cross_entropy_with_logits` as a module."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        options = {"reduction": self.reduction, "pos_weight": self.pos_weight}
        return binary_cross_entropy_with_logits(input, target, self.weight, **options)


class KLDivLoss(Loss):
    """`kl_div` as a module."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return kl_div(input, target, reduction=self.reduction, log_target=self.log_target)
