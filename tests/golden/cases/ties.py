"""Gradients where a function has a corner, a tie, or a pole: at equals, at 0, at the bounds, at infinities."""

from golden import Area, literal

area = Area()

INF, NAN = float("inf"), float("nan")
ROWS = [
    literal([[2.0, 1.0, 2.0, 0.0], [3.0, 3.0, 3.0, 3.0], [-1.0, 0.0, 0.0, -1.0]]),
    literal([[0.0, 0.0], [0.0, -0.0]]),
    literal([5.0, 5.0, 1.0, 5.0]),
    literal(2.0),
    literal([[NAN, 1.0, 1.0], [INF, INF, 0.0], [-INF, -INF, -INF]]),
]
ZEROS = [literal([0.0, -0.0, 1.0, -1.0, 2.0]), literal([INF, -INF, NAN, 0.0]), literal(0.0)]

area.each(
    "x",
    ROWS,
    """
    x.amax(); x.amin(); x.amax(0); x.amin(-1); x.amax(0, keepdim=True); x.max(); x.min(); x.max(0); x.min(-1); x.max(-1, keepdim=True)
    x.aminmax(); x.aminmax(dim=0); x.median(); x.median(0); x.median(-1, True); x.nanmedian(); x.nanmedian(0); x.kthvalue(1, 0, True)
    x.mode(); x.sort(); x.sort(0, descending=True); x.sort(stable=True); x.topk(1, 0, False); x.msort(); x.cummax(0); x.cummin(-1)
    x.quantile(0.5); x.quantile(0.5, -1) if x.ndim else x.quantile(0.5); x.nanquantile(0.25); x.norm(); x.norm(1); x.norm(3); x.norm(0.5); x.norm(0); x.norm(float('inf')); x.norm(-float('inf')); x.norm(dim=-1); x.norm(float('inf'), 0); x.norm(1, -1)
    x.std(); x.var(); x.std(0); x.std(-1, correction=0); x.var(-1, correction=0); torch.std_mean(x)
    x.prod(); x.prod(0); x.prod(-1, True); x.logsumexp(0); x.logsumexp(-1); x.logcumsumexp(0); x.softmax(-1); x.log_softmax(-1); x.nansum(); x.nanmean(); x.nansum(0)
    torch.linalg.vector_norm(x, 2, -1); torch.linalg.vector_norm(x, 1.5); F.normalize(x, dim=0); F.normalize(x, p=1, dim=-1); x.diff() if x.ndim else x
    F.avg_pool1d(x.reshape(1, -1), 1); torch.cdist(x.reshape(-1, 1), x.reshape(-1, 1))
    """,
)
area.each(
    "x",
    ROWS[:4],
    """
    torch.var_mean(x, -1); x.mode(0); x.cumprod(0); x.cumprod(-1); torch.renorm(x, 2, 0, 1.0) if x.ndim > 1 else x
    F.max_pool1d(x.reshape(1, 1, -1), 1); F.max_pool1d(x.reshape(1, -1), min(2, x.numel())); F.adaptive_max_pool1d(x.reshape(1, -1), 1); F.max_pool2d(x.reshape(1, 1, -1), (1, min(3, x.numel())))
    """,
)
area.each(
    "x",
    ZEROS,
    """
    x.abs(); x.sign(); x.sqrt(); x.rsqrt(); x.log(); x.log1p(); x.log2(); x.log10(); x.reciprocal(); x.square(); x.exp(); x.expm1(); x.pow(2); x.pow(0.5); x.pow(-1); x.pow(0); x.pow(1); x.pow(3); x.pow(2.5); x ** 0.0; x.pow(-0.5); x.pow(1.5); 0 ** x; 2 ** x; (-1) ** x; 1 ** x; 0.0 ** x
    x.clamp(0, 1); x.clamp(min=0); x.clamp(max=0); x.clamp(-1, 2); x.clamp(1, 0); x.clamp(torch.zeros_like(x), torch.ones_like(x)); x.clip(0, 0); x.clamp_min(0); x.clamp_max(1); x.floor(); x.ceil(); x.round(); x.trunc(); x.frac(); x.fmod(1); x.remainder(1); x % 2; x.div(2, rounding_mode='trunc'); x.nan_to_num(); x.nan_to_num(1.0, 2.0, 3.0)
    x.asin(); x.acos(); x.atan(); x.acosh(); x.atanh(); x.asinh(); x.tan(); x.sinh(); x.cosh(); x.logit(); x.logit(0.1); x.erf(); x.sigmoid(); x.tanh(); x.deg2rad(); x.exp2(); x.sin(); x.cos(); x.positive(); x.neg(); x.float_power(2); x.float_power(0.5)
    F.relu(x); F.relu6(x); F.relu6(x * 6); F.leaky_relu(x); F.leaky_relu(x, -0.5); F.elu(x); F.selu(x); F.celu(x); F.gelu(x, approximate='tanh'); F.silu(x); F.mish(x); F.softplus(x); F.softplus(x, threshold=0); F.softsign(x); F.tanhshrink(x); F.logsigmoid(x); F.hardtanh(x); F.hardsigmoid(x * 3); F.hardswish(x * 3); F.hardshrink(x, 1); F.softshrink(x, 1); F.threshold(x, 0, 5); F.threshold(x, 1, 5); F.prelu(x, torch.zeros(1)); F.rrelu(x, 0.1, 0.3)
    torch.where(x > 0, x, 0 * x); torch.where(x == 0, 1.0, x.log()); x.masked_fill(x == 0, 3.0); x.logsumexp(0); x.softmax(0); x.log_softmax(0); x.diag_embed() if x.ndim else x; x.diag() if x.ndim else x; x.tril() if x.ndim > 1 else x; F.dropout(x, 0.0); F.dropout(x, 1.0); F.one_hot(x.abs().nan_to_num(posinf=0).long()).float() if x.numel() else x; x.cumsum(0); x.cumprod(0); x.flip(0); x.lerp(x, 0.5)
    x.xlogy(3.0); x.xlogy(0.0); x.xlogy(-1.0); torch.xlogy(0, x); torch.xlogy(2.0, x); x.hypot(x); x.hypot(torch.zeros_like(x)); x.atan2(x); x.atan2(torch.zeros_like(x)); torch.atan2(torch.zeros_like(x), x); x.copysign(-1.0); x.copysign(x); x.logaddexp(x); x.logaddexp(torch.zeros_like(x)); x.maximum(x); x.minimum(0 * x); x.fmax(x); x.fmin(0 * x); torch.max(x, x); torch.min(x, 0 * x); x.fmod(x); x.remainder(x); x / x; x * x; x - x; x.pow(x); x.addcdiv(x, x); x.addcmul(x, x)
    """,
)
PAIRS = [
    (literal([0.0, 0.0, 1.0, 2.0, -1.0]), literal([0.0, 3.0, 0.0, 2.0, -1.0])),
    (literal([INF, -INF, 0.0, 0.0, NAN]), literal([0.0, INF, INF, -INF, 0.0])),
    (literal([[0.0], [1.0]]), literal([0.0, 1.0, -1.0])),
    (literal(0.0), literal([0.0, 1.0])),
]
area.each(
    "x, y",
    PAIRS,
    """
    torch.maximum(x, y); torch.minimum(x, y); torch.fmax(x, y); torch.fmin(x, y); torch.max(x, y); torch.min(x, y); torch.atan2(x, y); torch.hypot(x, y); torch.xlogy(x, y); torch.pow(x, y); x.copysign(y); x.fmod(y); x.remainder(y); torch.logaddexp(x, y); x / y; x * y; torch.lerp(x, y, 0.5); torch.div(x, y, rounding_mode='floor'); torch.div(x, y, rounding_mode='trunc')
    x.clamp(min=y); x.clamp(max=y); x.clamp(y, y); torch.cdist(x.reshape(-1, 1), y.reshape(-1, 1)); torch.where(x > y, x, y); F.mse_loss(x.expand(y.shape) if x.ndim < 2 else x, y.expand(x.shape) if x.ndim > 1 else y, reduction='none') if x.ndim < 2 else x + y; F.l1_loss(x, y)
    F.cosine_similarity(x.reshape(1, -1).expand(1, y.numel()) if x.ndim < 2 else x, y.reshape(1, -1) if x.ndim < 2 else y[None], dim=-1); F.pairwise_distance(x.reshape(-1, 1), x.reshape(-1, 1)); F.binary_cross_entropy_with_logits(x.expand(y.shape), y) if x.ndim < 2 else x; F.softmax(x + y, -1); (x + y).sigmoid()
    """,
)
area.each(
    "x, y",
    [PAIRS[0], PAIRS[3]],
    """
    F.smooth_l1_loss(x, y); F.huber_loss(x, y); F.smooth_l1_loss(x, y, beta=1.0, reduction='none'); F.gelu(x)
    """,
)
SCATTERED = [
    (literal([1.0, 0.0, 2.0]), literal([3.0, 0.0, 2.0, 2.0, 0.0])),
    (literal([2.0, 2.0, 2.0]), literal([2.0, 2.0, 2.0, 1.0, 3.0])),
    (literal([0.0, INF, -INF]), literal([0.0, INF, 0.0, INF, NAN])),
]
area.each(
    "x, src, include_self",
    [(*pair, include) for pair in SCATTERED for include in (True, False)],
    """
    x.scatter_reduce(0, index, src, 'sum', include_self=include_self); x.scatter_reduce(0, index, src, 'mean', include_self=include_self); x.scatter_reduce(0, index, src, 'prod', include_self=include_self)
    x.scatter_reduce(0, index, src, 'amax', include_self=include_self); x.scatter_reduce(0, index, src, 'amin', include_self=include_self)
    x[:1].reshape(()).scatter_reduce(0, torch.tensor(0), src[0], 'amax', include_self=include_self); x[0].scatter_reduce(0, torch.tensor(0), src[0], 'sum', include_self=include_self); x[0].scatter_reduce(0, torch.tensor(0), src[0], 'prod', include_self=include_self); x[0].scatter_reduce(0, torch.tensor(0), src[0], 'mean', include_self=include_self)
    x.scatter_add(0, index, src); x.index_add(0, index, src); x.index_add(0, index, src, alpha=0.5); x.index_put((index,), src, accumulate=True); torch.zeros(3).scatter_add(0, index, src)
    """,
    given=lambda torch: {"index": torch.tensor([0, 0, 2, 2, 1])},
)
area.each(
    "x, target",
    [
        (literal([[0.0, 0.0, 0.0], [1.0, -1.0, 1.0]]), literal([0, 2], "int64")),
        (literal([[-INF, 0.0, 1.0], [INF, 0.0, 0.0]]), literal([1, 1], "int64")),
    ],
    """
    F.cross_entropy(x, target); F.cross_entropy(x, target, reduction='none'); F.multi_margin_loss(x, target); F.nll_loss(x, target); F.multilabel_soft_margin_loss(x, x.sigmoid().round()); F.hinge_embedding_loss(x, torch.ones_like(x)); F.hinge_embedding_loss(x, -torch.ones_like(x)); F.margin_ranking_loss(x, x, torch.ones_like(x)); F.triplet_margin_loss(x, x, x); F.poisson_nll_loss(x, x.exp()); F.kl_div(x, x.softmax(1)); F.kl_div(x.log_softmax(1), x.softmax(1)); F.cosine_embedding_loss(x, x, torch.ones(2)); F.cosine_embedding_loss(x, -x, -torch.ones(2)); F.gaussian_nll_loss(x, x, torch.zeros_like(x)); F.multilabel_margin_loss(x, torch.tensor([[0, -1, -1], [2, 1, -1]]))
    F.binary_cross_entropy(x.sigmoid(), x.sigmoid()); F.binary_cross_entropy(torch.zeros_like(x) + 0 * x.nan_to_num(0, 0, 0), torch.ones_like(x)); F.binary_cross_entropy((x > 0).float() + 0 * x.nan_to_num(0, 0, 0), (x > 0).float())
    """,
)
area.each(
    "p",
    [literal([0.0, 1.0, 0.5])],
    "torch.bernoulli(p); torch.bernoulli(p) * 2; torch.multinomial(p, 2)",
)
