"""Probability distributions, as in torch.distributions: samples, their probabilities, and gradients through both."""

from tinytorch.distributions import constraints, transforms
from tinytorch.distributions._composed import Independent, LogNormal, TransformedDistribution
from tinytorch.distributions._continuous import (
    Beta,
    Dirichlet,
    Exponential,
    Gamma,
    MultivariateNormal,
    Normal,
    Uniform,
)
from tinytorch.distributions._discrete import Bernoulli, Categorical, OneHotCategorical
from tinytorch.distributions._divergence import kl_divergence, register_kl
from tinytorch.distributions.distribution import Distribution
from tinytorch.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Categorical", "ComposeTransform", "Dirichlet",
    "Distribution", "ExpTransform", "Exponential", "Gamma", "Independent", "LogNormal", "MultivariateNormal",
    "Normal", "OneHotCategorical", "PowerTransform", "SigmoidTransform", "SoftplusTransform", "TanhTransform",
    "Transform", "TransformedDistribution", "Uniform", "constraints", "identity_transform", "kl_divergence",
    "register_kl", "transforms",
]  # fmt: skip
