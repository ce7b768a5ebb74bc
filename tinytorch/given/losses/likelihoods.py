"""Negative log-likelihoods of counts, and of numbers with a variance, and their modules."""

import math

import numpy as np

from tinytorch.given.losses.checks import chosen
from tinytorch.given.losses.distances import at_least
from tinytorch.given.losses.modules import Loss
from tinytorch.losses import gaussian_nll, reduced
from tinytorch.tensor import Tensor, full_like

__all__ = [
    "CTCLoss",
    "GaussianNLLLoss",
    "PoissonNLLLoss",
    "ctc_loss",
    "gaussian_nll_loss",
    "poisson_nll_loss",
]


def poisson_nll_loss(
    input,
    target,
    log_input=True,
    full=False,
    size_average=None,
    eps=1e-8,
    reduce=None,
    reduction="mean",
):
    """-log of the probability of a count under Poisson's distribution, of mean exp(input), or input itself.

    With `full`, Stirling's approximation of log(target!) is added, which does not change input's gradient.
    """
    reduction = chosen(size_average, reduce, reduction)
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        with np.errstate(divide="ignore", invalid="ignore"):
            stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return reduced(losses, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """-log of the density of a normal distribution, `gaussian_nll`, with its arguments checked.

    Args:
        input: the means, of any shape.
        var: the variances, of input's shape, or without its last dimension, or with one that is 1; a float.
        full: whether the constant log(2 pi) / 2 is added.
        eps: the smallest variance; smaller ones count as this.
    """
    if not isinstance(var, float | Tensor):
        raise TypeError(f"gaussian_nll_loss(): var must be a Tensor or a float, not {type(var).__name__}")
    var = full_like(input, var) if isinstance(var, float) else var
    if (var.array < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(v for i, v in zip(input.shape, var.shape) if i != v) != 1:
            raise ValueError("var is of incorrect size")
    var = at_least(var, eps)
    return reduced(gaussian_nll(input - target, var, full), reduction)


def ctc_loss(
    log_probs,
    targets,
    input_lengths,
    target_lengths,
    blank=0,
    reduction="mean",
    zero_infinity=False,
):
    """Not here: connectionist temporal classification sums over alignments, by a special recursion."""
    raise NotImplementedError("ctc_loss is not part of this course; torch.nn.functional.ctc_loss has it")


class PoissonNLLLoss(Loss):
    """The mean of exp(input) - target · input; without `log_input`, of input - target · log(input + eps).

    Shape: (...) and (...) to a number; with `reduction="none"` to (...).

    >>> torch.nn.PoissonNLLLoss()(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
    tensor(0.8591)
    """

    def __init__(
        self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
    ):
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input, target):
        options = {"log_input": self.log_input, "full": self.full, "eps": self.eps}
        return poisson_nll_loss(log_input, target, **options, reduction=self.reduction)


class GaussianNLLLoss(Loss):
    """The mean of (log(var) + (input - target)² / var) / 2, with var at least `eps`.

    Shape: (N, ...), (N, ...) and the variances, (N, ...) or (N, 1), to a number; with `reduction="none"` to
        (N, ...).

    >>> torch.nn.GaussianNLLLoss()(torch.tensor([1.0, 2.0]), torch.tensor([2.0, 4.0]), torch.ones(2))
    tensor(1.2500)
    """

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input, target, var):
        options = {"full": self.full, "eps": self.eps}
        return gaussian_nll_loss(input, target, var, **options, reduction=self.reduction)


class CTCLoss(Loss):
    """Not here; making one is a NotImplementedError, as calling `ctc_loss` is."""

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        raise NotImplementedError("CTCLoss is not part of this course; torch.nn.CTCLoss is it")
