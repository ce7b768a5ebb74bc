"""Probability distributions: samples for a seed, their probabilities, gradients through both, and what is refused."""

import importlib

from golden import Area, literal, positive, probabilities, real, uniform

area = Area()


def with_distributions(torch):
    return {"D": importlib.import_module(f"{torch.__name__}.distributions")}


def each(names, examples, programs, **options):
    area.each(names, examples, programs, given=with_distributions, **options)


MAKERS = {
    "D.Normal(x, y)": ([(real(2, 3), positive(3)), (real(), positive())], "value"),
    "D.Uniform(x, x + y)": ([(real(2, 3), positive(3))], "d.mean * 0.9 + 0.1 * d.high"),
    "D.Exponential(y)": ([(real(2), positive(2, 3))], "value.abs()"),
    "D.Gamma(x.exp(), y)": ([(real(2, 3), positive(3))], "value.abs() + 0.1"),
    "D.Beta(x.exp(), y)": ([(real(2, 3), positive(3))], "value.sigmoid()"),
    "D.Dirichlet(x.exp() + y)": ([(real(2, 3), positive(3))], "value.softmax(-1)"),
    "D.Bernoulli(x.sigmoid())": ([(real(2, 3), positive(3))], "(value > 0).float()"),
    "D.Bernoulli(logits=x)": ([(real(2, 3), positive(3))], "(value > 0).float()"),
    "D.Categorical(y)": ([(real(2), positive(4, 3))], "(value[..., 0] > 0).long()"),
    "D.Categorical(logits=x)": (
        [(real(2, 4, 3), positive(3)), (real(3), positive(1))],
        "(value[..., 0] > 0).long()",
    ),
    "D.OneHotCategorical(logits=x)": ([(real(4, 3), positive(3))], "F.one_hot(value.argmax(-1), 3).float()"),
    "D.LogNormal(x, y)": ([(real(2, 3), positive(3))], "value.exp()"),
    "D.Independent(D.Normal(x, y), 1)": ([(real(2, 3), positive(3))], "value"),
    "D.MultivariateNormal(x, scale_tril=torch.diag_embed(y) + 0.1 * torch.diag_embed(x[:2], -1))": (
        [(real(3), positive(3))],
        "value",
    ),
    "D.MultivariateNormal(x, torch.diag_embed(y) + 0.1)": ([(real(2, 3), positive(3))], "value"),
    "D.MultivariateNormal(x, precision_matrix=torch.diag_embed(y) + 0.1)": (
        [(real(2, 3), positive(3))],
        "value",
    ),
    "D.TransformedDistribution(D.Normal(x, y), [D.AffineTransform(1.0, 2.0), D.SigmoidTransform()])": (
        [(real(2, 3), positive(3))],
        "value.sigmoid()",
    ),
    "D.TransformedDistribution(D.Normal(x, y), D.TanhTransform(cache_size=1))": (
        [(real(2, 3), positive(3))],
        "value.tanh()",
    ),
    "D.TransformedDistribution(D.Independent(D.Normal(x, y), 1), [D.ExpTransform()])": (
        [(real(2, 3), positive(3))],
        "value.exp()",
    ),
}
for maker, (examples, value) in MAKERS.items():
    gamma = any(name in maker for name in ("Gamma", "Beta", "Dirichlet"))
    shape = "value = torch.linspace(-1, 1, max(d.event_shape.numel() * d.batch_shape.numel(), 1)).reshape(d.batch_shape + d.event_shape)"

    def program(torch, x, y, maker=maker, value=value, gamma=gamma):
        """All that a distribution answers."""
        D = with_distributions(torch)["D"]
        scope = {"torch": torch, "D": D, "F": torch.nn.functional, "x": x, "y": y}
        d = eval(maker, scope)
        shape = d.batch_shape + d.event_shape
        if "Categorical" in maker and "OneHot" not in maker:
            shape = d.param_shape
        numbers = torch.linspace(-1, 1, max(shape.numel(), 1)).reshape(shape)
        taken = eval(value, scope | {"d": d, "value": numbers})
        torch.manual_seed(4)
        found = {
            "text": repr(d), "batch": d.batch_shape, "event": d.event_shape, "sample": d.sample(), "samples": d.sample((5,)),
            "support": repr(d.support).replace("\n", "") if "Uniform" not in maker else None, "reparametrized": d.has_rsample,
            "log_prob": d.log_prob(taken), "expanded": d.expand((2, *d.batch_shape)).sample().shape,
            "rand": torch.rand(2),
        }  # fmt: skip
        if d.has_rsample and not gamma:
            found["rsample"] = d.rsample((2,))
        for name in ("mean", "variance", "stddev", "mode"):
            try:
                found[name] = getattr(d, name)
            except NotImplementedError:
                found[name] = None
        for name, arguments in (("entropy", ()), ("cdf", (taken.detach(),))):
            try:
                found[name] = None if name == "cdf" and gamma else getattr(d, name)(*arguments)
            except NotImplementedError:
                found[name] = None
        if "Dirichlet" in maker or "Beta" in maker or "Gamma" in maker:
            found.pop("mode")
        return found

    area.add(maker, program, examples, tolerance=30)

# Samples of gamma numbers move with their parameters; PyTorch's slopes are fitted polynomials, right to some 5e-4.
GAMMAS = "D.Gamma(x, y).rsample((3,)); D.Beta(x, y).rsample((3,)); D.Dirichlet(x).rsample((3,)); D.Gamma(0.2 * x, y).rsample()"
each(
    "x, y",
    [(positive(2, 3), positive(3)), (uniform(2, 3, low=2, high=9), positive(3))],
    GAMMAS,
    tolerance=300,
)

P = [(real(2, 3), positive(3), real(3), positive(2, 1))]
each(
    "a, b, c, d",
    P,
    """
    D.kl_divergence(D.Normal(a, b), D.Normal(c, d)); D.kl_divergence(D.Uniform(a, a + b), D.Uniform(-9.0, 9.0))
    D.kl_divergence(D.Uniform(a, a + b), D.Uniform(c, c + d)); D.kl_divergence(D.Uniform(a, a + b), D.Normal(c, d))
    D.kl_divergence(D.Exponential(b), D.Exponential(d)); D.kl_divergence(D.Gamma(b, d), D.Gamma(d, b))
    D.kl_divergence(D.Beta(b, d), D.Beta(d, b)); D.kl_divergence(D.Dirichlet(b), D.Dirichlet(c.exp()))
    D.kl_divergence(D.Bernoulli(logits=a), D.Bernoulli(logits=c + 0 * a)); D.kl_divergence(D.Categorical(logits=a), D.Categorical(logits=c))
    D.kl_divergence(D.OneHotCategorical(b), D.OneHotCategorical(logits=c))
    D.kl_divergence(D.MultivariateNormal(a, torch.diag(b)), D.MultivariateNormal(c, torch.diag(b) + 0.2))
    D.kl_divergence(D.Independent(D.Normal(a, b), 1), D.Independent(D.Normal(c, d), 1))
    D.kl_divergence(D.LogNormal(a, b), D.LogNormal(c, d)); D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(1.0, 2.0))
    """,
    tolerance=30,
)
each(
    "p, q",
    [(literal([0.0, 0.5, 0.5]).constant, literal([0.5, 0.0, 0.5]).constant)],
    "D.kl_divergence(D.Categorical(p), D.Categorical(q)); D.kl_divergence(D.Bernoulli(p), D.Bernoulli(q)); D.Categorical(p).entropy()",
)
each(
    "x, y",
    [(uniform(2, 3, low=0.1, high=0.9), positive(3))],
    """
    D.Normal(x, y).icdf(x); D.Uniform(x, x + y).icdf(x); D.Exponential(y).icdf(x); D.Gamma(2.0, y.detach()).cdf(x); D.Categorical(x).enumerate_support()
    D.Bernoulli(x).enumerate_support(); D.Categorical(y).perplexity(); D.Bernoulli(0.3).sample((4,)); D.Normal(0.0, 1.0).sample((20,))
    D.Categorical(torch.ones(3)).sample((2, 2)); D.Normal(0, 1).loc; D.Categorical(x).expand((4, 2)).log_prob(torch.tensor(1))
    D.ExpTransform()(x); D.ExpTransform().inv(x); D.TanhTransform().inv(x); D.SoftplusTransform()(x); D.SoftplusTransform().inv(x)
    D.SigmoidTransform().inv(x); D.AffineTransform(y, -2.0).inv(x); D.PowerTransform(2.0)(x); D.AbsTransform()(-x); D.PowerTransform(y).inv(x)
    D.AffineTransform(0.0, y).log_abs_det_jacobian(x, x); D.AffineTransform(0.0, 3.0, event_dim=1).log_abs_det_jacobian(x, x)
    D.SoftplusTransform().log_abs_det_jacobian(x, x); D.PowerTransform(2.0).log_abs_det_jacobian(x, x ** 2)
    D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)]).log_abs_det_jacobian(x, x)
    D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)]).inv(x + 2); D.ExpTransform() == D.ExpTransform()
    D.AffineTransform(0.0, 1.0) == D.AffineTransform(0.0, 2.0); D.ExpTransform().inv.inv == D.ExpTransform(); D.AffineTransform(0.0, -1.0).sign
    D.TransformedDistribution(D.Uniform(x * 0, 1), [D.SigmoidTransform().inv]).log_prob(y); D.TransformedDistribution(D.Normal(x, y), [D.ExpTransform()]).cdf(x)
    D.TransformedDistribution(D.Normal(x, y), [D.ExpTransform()]).icdf(x); D.constraints.simplex.check(x / x.sum(-1, True))
    D.constraints.positive.check(x - 0.5); D.constraints.real; D.constraints.unit_interval.check(y); D.constraints.lower_cholesky.check(torch.eye(2))
    D.Normal(x, y, validate_args=False).log_prob(x * float("nan")).shape; D.Normal(x.double(), 1.0).sample().dtype; D.Independent(D.Normal(x, y), 2).log_prob(x)
    """,
    tolerance=20,
)
REFUSED = """
    D.Normal(x, -x); D.Normal("a", 1.0); D.Normal(x, 1.0).log_prob(x * float("nan")); D.Normal(x, 1.0).log_prob(3); D.Normal(x, 1.0).log_prob(torch.ones(5))
    D.Categorical(); D.Categorical(x, x); D.Categorical(torch.tensor(1.0)); D.Categorical(x).log_prob(torch.tensor(9)); D.Categorical(x).rsample()
    D.Bernoulli(x + 2); D.Bernoulli(x).log_prob(torch.tensor(2.0)); D.Bernoulli(x, x); D.Uniform(1.0, 0.0); D.Uniform(0.0, 1.0).log_prob(torch.tensor(2.0))
    D.Exponential(-x); D.Gamma(0.0, 1.0); D.Beta(-1.0, 1.0); D.Dirichlet(torch.tensor(1.0)); D.MultivariateNormal(x)
    D.MultivariateNormal(x, torch.ones(3, 3)); D.MultivariateNormal(x, scale_tril=torch.ones(3, 3)); D.MultivariateNormal(torch.tensor(1.0), torch.eye(1))
    D.Independent(D.Normal(x, 1.0), 3); D.TransformedDistribution(D.Normal(x, 1.0), "exp"); D.kl_divergence(D.Normal(x, 1.0), D.Categorical(x))
    D.Distribution().sample(); D.Distribution().log_prob(x); D.Normal(x, 1.0).enumerate_support(); D.Bernoulli(x).rsample()
"""
area.refused("x", [probabilities(2, 3)], REFUSED, given=with_distributions)
