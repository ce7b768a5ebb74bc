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
    """The mean of (input - target)²; see `mse_loss`.

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.MSELoss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def forward(self, input, target):
        return mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """The mean of |input - target|; see `l1_loss`.

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(1.)
    """

    def forward(self, input, target):
        return l1_loss(input, target, reduction=self.reduction)


class HuberLoss(Loss):
    """The mean of d² / 2 with d = |input - target| up to `delta`, and of delta (d - delta / 2) beyond.

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.HuberLoss(reduction="none")(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 5.0]))
    tensor([0.1250, 2.5000])
    """

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        return huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(Loss):
    """The mean of d² / (2 beta) with d = |input - target| up to `beta`, and of d - beta / 2 beyond.

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.SmoothL1Loss(reduction="none")(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 5.0]))
    tensor([0.1250, 2.5000])
    """

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        return smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class NLLLoss(WeightedLoss):
    """The mean of -weight[target] · input[target] over the weights, of log-probabilities; see `nll_loss`.

    Shape: (C), (N, C) or (N, C, ...) and classes (), (N) or (N, ...) to a number; with `reduction="none"` to
        the classes' shape.

    >>> torch.nn.NLLLoss()(torch.tensor([[-0.5, -1.0], [-2.0, -0.25]]), torch.tensor([0, 1]))
    tensor(0.3750)
    """

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
    """The mean of -log softmax(input)[target]; see `cross_entropy`.

    Targets that are probabilities give -Σ target · log softmax(input).

    Shape: (C), (N, C) or (N, C, ...) and classes (), (N) or (N, ...), or probabilities like the input, to a
        number.

    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[2.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 1]))
    tensor(0.2201)
    """

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
    """The mean of -(target log(input) + (1 - target) log(1 - input)); see `binary_cross_entropy`.

    Shape: probabilities (...) and targets (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.BCELoss()(torch.tensor([0.5, 0.75]), torch.tensor([0.0, 1.0]))
    tensor(0.4904)
    """

    def forward(self, input, target):
        return binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """`BCELoss` of sigmoid(input), for logits of any size; see `binary_cross_entropy_with_logits`.

    Shape: logits (...) and targets (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0.0, 100.0]), torch.tensor([0.0, 1.0]))
    tensor(0.3466)
    """

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        options = {"reduction": self.reduction, "pos_weight": self.pos_weight}
        return binary_cross_entropy_with_logits(input, target, self.weight, **options)


class KLDivLoss(Loss):
    """The mean of target (log(target) - input), the input being log-probabilities; see `kl_div`.

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.KLDivLoss(reduction="sum")(torch.tensor([0.5, 0.5]).log(), torch.tensor([0.25, 0.75]))
    tensor(0.1308)
    """

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return kl_div(input, target, reduction=self.reduction, log_target=self.log_target)
