"""How far one distribution is from another: Kullback and Leibler's divergence, in closed form for each pair of kinds."""

import math

from tinytorch.distributions._composed import Independent, TransformedDistribution
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
from tinytorch.distributions.transforms import sum_rightmost
from tinytorch.tensor import linalg_solve_triangular

_formulas = {}


def register_kl(type_p, type_q):
    """Let a function of two distributions be the divergence for two kinds."""

    def add(function):
        _formulas[type_p, type_q] = function
        return function

    return add


def kl_divergence(p, q):
    """The mean, under p, of log p(x) / q(x); NotImplementedError for a pair that has no formula here."""
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            if (kind_p, kind_q) in _formulas:
                return _formulas[kind_p, kind_q](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normals(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Uniform, Uniform)
def _uniforms(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width, centre = p.high - p.low, (p.high + p.low - 2 * q.loc) / 2
    return (math.sqrt(2 * math.pi) * q.scale / width).log() + (width.pow(2) / 12 + centre.pow(2)) / (
        2 * q.scale.pow(2)
    )


@register_kl(Exponential, Exponential)
def _exponentials(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Gamma, Gamma)
def _gammas(p, q):
    a, b = p.concentration, q.concentration
    scales = b * (p.rate / q.rate).log()
    return scales + b.lgamma() - a.lgamma() + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Beta, Beta)
def _betas(p, q):
    return _dirichlets(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    constant = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return constant + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p, q):
    from tinytorch.activations import softplus

    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones = ones.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0.0)
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return ones + zeros.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0.0)


@register_kl(Categorical, Categorical)
def _categoricals(p, q):
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill((q.probs == 0).expand(terms.shape), math.inf)
    return terms.masked_fill((p.probs == 0).expand(terms.shape), 0.0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categoricals(p, q):
    return _categoricals(p._categorical, q._categorical)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normals(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    lower_p, lower_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    half = [lower.diagonal(0, -2, -1).log().sum(-1) for lower in (lower_q, lower_p)]
    ratio = linalg_solve_triangular(lower_q, lower_p, upper=False)
    distance = linalg_solve_triangular(lower_q, (q.loc - p.loc).unsqueeze(-1), upper=False)
    squares = ratio.pow(2).sum((-2, -1)) + distance.pow(2).sum((-2, -1))
    return half[0] - half[1] + 0.5 * (squares - p.event_shape[0])


@register_kl(Independent, Independent)
def _independents(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    extra = len(p.event_shape) - len(p.base_dist.event_shape)
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), extra)
