"""float16: what adds up does so in float32, and is rounded once.

Numbers near 300 whose squares float16 does not hold, rows of thousands at which a float16 sum stands still, and
sums that are beyond 65504 before they are divided. Each case is also differentiated.
"""

from golden import Area, Input, integers

area = Area()


def half(*shape, scale=1.0, shift=0.0):
    return Input(shape, lambda rng, shape: (rng.standard_normal(shape) * scale + shift).astype("float16"))


LONG = [half(2, 3000, shift=1), half(3000, 2, shift=1).transposed]
FAR = [half(2, 100, scale=60, shift=300), half(3, 30, scale=100)]

area.each(
    "x",
    LONG,
    """
    x.sum(); x.sum(0); x.sum(1); x.sum((0, 1), keepdim=True); x.mean(); x.mean(0); x.mean(1, keepdim=True)
    x.cumsum(0)[::99, ::99]; x.cumsum(1)[::99, ::99]; x.nansum(1); x.nanmean(1); x.logsumexp(1); x.logsumexp((0, 1)); x.logcumsumexp(1)[::99, ::99]
    (x / 64).exp().prod(0); torch.cumprod((x / 64).exp()[:, :20], 1)[::99]
    (x[:1] + torch.zeros(4000, 1).half()).sum(0) / 64; x.expand(5, *x.shape).sum((0, 1)) / 64
    (x[:2, :2] * torch.ones(3000, 1, 1).half()).mean(0); x.norm(3, dim=1)
    """,
    gradient=False,
)
area.each(
    "x",
    FAR,
    """
    x.mean(); x.mean(1); x.var(); x.var(1); x.std(1, correction=0); torch.var_mean(x, 1); torch.std_mean(x)
    x.norm(); x.norm(dim=1); x.norm(1, dim=0); torch.linalg.vector_norm(x, 2, -1)
    F.normalize(x, dim=1); x.softmax(1); x.softmax(0); x.log_softmax(1); x.log_softmax(-2); (x / 60).logsumexp(1)
    F.layer_norm(x, x.shape[1:]); F.rms_norm(x, x.shape[1:]); F.rms_norm(x, x.shape[1:], eps=1e-3)
    F.group_norm(x, 2, eps=1e-3); F.instance_norm(x.unsqueeze(0))
    F.gelu(x); F.gelu(x, approximate='tanh'); F.silu(x); F.softplus(x); F.mish(x); F.hardswish(x); F.elu(x)
    F.selu(x); F.celu(x, 2.0); F.logsigmoid(x / 20); F.hardsigmoid(x); x.sigmoid(); x.tanh(); F.leaky_relu(x)
    x @ x.T / 512; x.mv(x[0] / 60); torch.einsum('ij,kj->ik', x / 60, x); x[0].dot(x[1] / 600)
    (x / 60).pow(2).sum(1)
    """,
)
area.each(
    "x, y",
    [(half(4, 90, scale=40), half(4, 90, scale=40)), (half(3, 5, scale=90), half(3, 5))],
    """
    F.mse_loss(x, y); F.mse_loss(x / 4, y / 4, reduction='none'); F.l1_loss(x, y); F.huber_loss(x, y)
    F.smooth_l1_loss(x, y); F.smooth_l1_loss(x, y, beta=0.3); F.cosine_similarity(x, y); F.pairwise_distance(x, y)
    F.kl_div(x.log_softmax(1), y.softmax(1), reduction='batchmean'); F.hinge_embedding_loss(x, y.sign())
    F.binary_cross_entropy_with_logits(x / 40, y.sigmoid()); F.poisson_nll_loss(x / 40, y.abs())
    F.linear(x / 40, y / 40); F.linear(x, y / 400, y[:, 0]); (x / 40) @ (y / 40).T
    """,
)
area.each(
    "x, target",
    [(half(60, 5, scale=5), integers(60, high=5)), (half(3, 90, scale=5), integers(3, high=90))],
    """
    F.cross_entropy(x, target); F.cross_entropy(x, target, reduction='none')
    F.cross_entropy(x, target, label_smoothing=0.1); F.nll_loss(x.log_softmax(1), target)
    """,
)
IMAGES = [half(2, 4, 6, 6, scale=60, shift=300), half(1, 2, 6, 6, scale=9000)]
area.each(
    "x",
    IMAGES,
    """
    F.avg_pool2d(x, 4); F.avg_pool2d(x, 3, 2, 1); F.avg_pool2d(x, 2, divisor_override=7)
    F.adaptive_avg_pool2d(x, 1); F.adaptive_avg_pool2d(x, (2, 4)); F.adaptive_avg_pool2d(x, (3, 5))
    F.avg_pool1d(x[0], 3); F.lp_pool2d(x / 300, 2, 2); F.adaptive_avg_pool3d(x, 1)
    F.interpolate(x, scale_factor=2, mode='bilinear'); F.interpolate(x, (5, 5), mode='bicubic'); F.interpolate(x, 3, mode='area')
    F.max_pool2d(x, 2); F.unfold(x, 3); F.fold(F.unfold(x, 3), x.shape[2:], 3)
    F.group_norm(x, 2); F.layer_norm(x, x.shape[1:]); F.instance_norm(x)
    """,
)
area.each(
    "x, w, b",
    [
        (half(2, 3, 9, 9), half(4, 3, 3, 3), half(4)),
        (half(1, 1, 12, 12, shift=9), half(2, 1, 8, 8, shift=9), half(2)),
    ],
    "F.conv2d(x, w, b); F.conv2d(x, w, stride=2, padding=1); F.conv_transpose2d(F.conv2d(x, w), w)",
    tolerance=2,
)
area.each(
    "q, k, v",
    [
        (half(1, 2, 4, scale=200), half(1, 2, 4, scale=200), half(1, 2, 4, scale=200)),
        (half(1, 2, 9, 64, scale=4), half(1, 2, 9, 64, scale=4), half(1, 2, 9, 6)),
    ],
    """
    F.scaled_dot_product_attention(q, k, v); F.scaled_dot_product_attention(q, k, v, is_causal=True)
    F.scaled_dot_product_attention(q, k, v, scale=0.01)
    """,
    tolerance=4,
)
area.each(
    "x, b",
    [(half(4000, 2), half(2)), (half(2, 2500).transposed, half(2, 1))],
    "((x + b) / 64).sum(); (x * b).sum() / 64; torch.maximum(x, b).mean(); (b - x).mean(1).sum() / 64",
    form="(b.requires_grad_(), torch.autograd.grad({}, b))[1][0][:3]",
    gradient=False,
)
area.modules(
    [half(4, 6, scale=60, shift=300)],
    "nn.LayerNorm(6).half(); nn.RMSNorm(6).half(); nn.GroupNorm(2, 6).half(); nn.Linear(6, 3).half()",
    tolerance=2,
)
area.each(
    "",
    [],
    """
    nn.LayerNorm(512).half()(torch.arange(512.0).reshape(1, 512).half())
    nn.RMSNorm(4).half()(torch.tensor([[100.0, 300, -400, 50]]).half())
    torch.full((100,), 1000.0).half().mean(); torch.ones(70000).half().mean(); torch.ones(70000, 1).half().mean(0)
    F.mse_loss(torch.full((100,), 30.0).half(), torch.zeros(100).half())
    F.l1_loss(torch.full((5000,), 30.0).half(), torch.zeros(5000).half())
    F.avg_pool2d(torch.full((1, 1, 4, 4), 30000.0).half(), 4)
    F.scaled_dot_product_attention(*[torch.full((1, 2, 4), 200.0).half()] * 3)
    torch.ones(5000, 3).half().cumsum(0)[::999]; torch.full((9,), 0.1).half().cumsum(0)
    torch.ones(3).half().requires_grad_().sum().grad_fn.name(); torch.ones(3).half().requires_grad_().softmax(0).grad_fn.name()
    """,
)
