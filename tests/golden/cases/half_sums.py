"""float16 in sizes at which a sum in float16 would be visibly wrong: every operation that adds up, and its neighbours.

Thousands of numbers between 1 and 20, at whose sums float16 stands still; squares beyond 65504. Of each result, and of
the gradients of all inputs for random cotangents, forty-odd numbers are compared. Left out is where PyTorch adds or
multiplies in float16 itself, and is some steps, or by far, off: products of thousands; rows that are picked, embedded
or looked up more than once, on the way back; index_reduce; the gradients of replicated borders; bicubic grid_sample.
"""

import zlib

import numpy as np
from golden import Area, Input, evaluator, flat, integers, split

area = Area()
SAMPLED = 40


def near(*shape, shift=10.0, scale=4.0):
    """Numbers around `shift` of either parity, in float16."""
    return Input(shape, lambda rng, shape: np.asarray(rng.normal(shift, scale, shape)).astype("float16"))


def between(low, high, *shape):
    return Input(shape, lambda rng, shape: np.asarray(rng.uniform(low, high, shape)).astype("float16"))


def sampled(tensor):
    """The shape of a tensor, and numbers of it at equal distances."""
    count = max(1, tensor.numel() // SAMPLED)
    return list(tensor.shape), tensor.detach().reshape(-1)[::count]


def sweep(names, examples, programs, **options):
    """One case for each expression: what it gives, and the gradients of its float16 inputs."""
    for text in split(programs):
        area.add(text, swept(evaluator(text, names), text), examples, gradient=False, **options)


def swept(run, text):
    def program(torch, *inputs):
        rng = np.random.default_rng(zlib.crc32(text.encode()))
        leaves = [
            x.requires_grad_()
            for x in inputs
            if isinstance(x, torch.Tensor) and x.dtype is torch.float16 and not x.requires_grad
        ]
        outputs = list(flat(torch, run(torch, *inputs)))
        grads = []
        ends = [y for y in outputs if y.requires_grad]
        if ends and leaves:
            cotangents = [torch.tensor(rng.standard_normal(tuple(y.shape))).to(y.dtype) for y in ends]
            grads = torch.autograd.grad(ends, leaves, cotangents, allow_unused=True)
        return [sampled(y) for y in outputs], [None if grad is None else sampled(grad) for grad in grads]

    return program


ROWS = [near(4096), near(3, 3000), near(3000, 3), near(2, 2500).transposed, near(3000, 3, shift=0)]
sweep(
    "x",
    ROWS,
    """
    x.sum(); x.sum(0); x.sum(-1, keepdim=True); x.mean(); x.mean(0); x.mean(-1); x.nansum(); x.nanmean(0)
    x.var(); x.var(0); x.std(-1); torch.var_mean(x, -1); torch.std_mean(x); x.norm(); x.norm(1)
    x.norm(3, 0); x.norm(2, -1); x.norm(float('inf')); x.norm(0); x.norm(0.5, 0)
    torch.linalg.vector_norm(x); torch.linalg.vector_norm(x, 1, 0); torch.linalg.norm(x)
    torch.linalg.vector_norm(x, 2, 0, True); x.cumsum(0); x.cumsum(-1); x.logcumsumexp(0); x.softmax(0)
    x.softmax(-1); x.log_softmax(0); x.log_softmax(-1); F.softmin(x, 0); F.gumbel_softmax(x[:0], dim=-1)
    F.normalize(x, dim=0); F.normalize(x, 1, -1); F.normalize(x, 3.0, 0); torch.trapezoid(x, dim=0)
    torch.cumulative_trapezoid(x, dim=0); torch.trapz(x, dx=0.1); x.dist(x.flip(0) / 2); x.dist(x / 3, 1)
    x.diff(dim=0); x.amax(0); x.amin(); x.max(0).values; x.median(); x.cummax(0).values; x.aminmax(dim=0)
    x.count_nonzero(0); x.nan_to_num(); x.flip(0); x.roll(5); x.square().sum(0) / 900; (x * x).mean()
    (x ** 2).mean(-1); (x - x.mean()).pow(2).mean(); x.pow(3).mean(); x.abs().sum()
    x.expand(7, *x.shape).mean(0); x.repeat(9, *[1] * x.ndim).sum(0); x.repeat_interleave(5, 0)
    x.sum(dtype=torch.float32); x.mean(dtype=torch.float32); x.cumsum(0, dtype=torch.float32)
    x.softmax(0, dtype=torch.float32); x.prod(dtype=torch.float32)
    x.sum_to_size(x.shape[-1:] if x.ndim > 1 else (1,)); F.layer_norm(x, x.shape)
    F.rms_norm(x, x.shape[-1:]); F.rms_norm(x, x.shape, eps=0.1)
    x.renorm(2, 0, 50.0) if x.ndim > 1 else x; x.renorm(1, -1, 50.0) if x.ndim > 1 else x
    x.float().mean().half(); x.sum().item(); x.mean(0).tolist()[:3] if x.ndim > 1 else x.mean().item()
    torch.linalg.matrix_norm(x) if x.ndim > 1 else x.norm()
    torch.linalg.matrix_norm(x, 1) if x.ndim > 1 else x
    torch.linalg.matrix_norm(x, float('inf')) if x.ndim > 1 else x
    torch.cov(x[:3]) if x.ndim > 1 else torch.cov(x)
    torch.cov(x.mT[:3], correction=0) if x.ndim > 1 else x; torch.corrcoef(x.mT[:3]) if x.ndim > 1 else x
    torch.tensor(5.0, dtype=torch.float16) * x; x[None] * x[:, None] if x.ndim == 3 else x
    x.diagonal().sum() if x.ndim > 1 else x.sum(); torch.histc(x.detach().float(), 10, 0, 20)
    torch.bincount((x.detach() > 10).long().reshape(-1), x.detach().reshape(-1).float())
    x.var(unbiased=False); x.argmax(0); x.masked_select(x > 10).mean(); x.masked_fill(x > 10, 1).mean(0)
    x.float().sum().half() + x.sum(); x.exp().sum(0) / 4000; x.sigmoid().sum(0); x.tanh().sum(0)
    x.relu().sum(0); x.clamp(5, 15).sum(0); x.gather(0, torch.zeros(5, *x.shape[1:]).long())
    x.take_along_dim(torch.zeros(3000, *x.shape[1:]).long(), 0); torch.where(x > 10, x[:1], x)
    torch.where(x > 10, x[:1], 2.0).sum(0); torch.stack([x, x]).sum(0); torch.cat([x] * 4).mean(0)
    x.split(100)[0].mean(); x.mean().sqrt()
    """,
)
sweep(
    "x, b",
    [
        (near(4096), between(1, 2, 1)),
        (near(3000, 3), between(1, 2, 3)),
        (near(3, 3000), between(1, 2, 3, 1)),
        (near(2, 2500).transposed, between(1, 2)),
    ],
    """
    x + b; x - b; b - x; x * b; b / x; x.pow(b) / 99; torch.pow(b, x / 4); torch.maximum(x, b)
    torch.minimum(b, x); torch.fmax(x, b); torch.fmin(x, b); x.add(b, alpha=3); x.lerp(x * 2, b)
    torch.lerp(b, x, 0.3); x.addcmul(b, x); b.addcmul(x, x, value=0.01); x.addcdiv(x, b, value=2)
    torch.atan2(x, b); torch.hypot(x, b); torch.copysign(x, b); torch.copysign(b, x)
    torch.remainder(x, b); torch.xlogy(x, b); torch.xlogy(b, x.abs()); torch.logaddexp(x, b)
    torch.logaddexp2(b, x); x.clamp(b); x.clamp(max=b * 5); torch.where(x > 10, x, b)
    torch.where(x > 10, b, x); x.masked_fill(x > 10, 1) + b; torch.rsub(x, b); torch.true_divide(x, b)
    x.sub(b, alpha=0.5); torch.ldexp(x, b.detach().long()); torch.float_power(x.abs(), b)
    torch.div(x, b, rounding_mode='floor'); x % b; x.expand_as(x) * b
    torch.nextafter(x.detach(), b.detach()); b.expand(x.shape).clone(); b.broadcast_to(x.shape) + 1
    F.prelu(x.reshape(1, 1, -1) - 10, b.reshape(-1)[:1]); F.mse_loss(x, x * b); F.l1_loss(x, x * b)
    F.huber_loss(x, b.expand_as(x)); F.smooth_l1_loss(x, b.expand_as(x)); torch.dist(x, b * x)
    x.clone().add_(b); x.clone().mul_(b); x.clone().div_(b); x.clone().sub_(b)
    x.clone().copy_(b.expand_as(x)); (x + 1).masked_scatter(x > 10, x); x == b; x > b; torch.isclose(x, b)
    x.dist(b); (x * b).sum(); (x + b).mean(); (x / b).cumsum(0); torch.broadcast_tensors(x, b)[1] * 2
    x.clone().fill_(0).add(b); torch.full_like(x, 2) * b; torch.cat([b.expand_as(x), x]).sum(0)
    x.addcdiv(b, x.abs() + 1); torch.igamma(b, x.abs().detach()).detach(); x.clamp_min(b); x.clamp_max(b)
    """,
)
sweep(
    "A, B",
    [
        (near(30, 3000), near(3000, 4, scale=1)),
        (near(5, 2500, shift=0), near(2500, 5, shift=0).transposed),
        (near(80, 90), near(90, 70)),
    ],
    """
    A @ B / 64; (A / 64) @ B; torch.mm(A / 64, B); (A / 64).mv(B[:, 0]); (A[0] / 64).dot(B[:, 0])
    torch.inner(A[0] / 64, B[:, 0]); torch.vdot(A[0] / 64, B[:, 1]); torch.outer(A[0], B[:, 0])
    torch.einsum('ij,jk->ik', A / 64, B); torch.einsum('ij,jk->k', A / 4096, B); torch.einsum('ij->i', A)
    torch.einsum('ij->', A / 64); torch.tensordot(A / 64, B, 1); F.linear(A / 64, B.T)
    F.linear(A / 64, B.T, B[0]); torch.addmm(B[0], A / 64, B); torch.addmm(B[0], A, B, beta=2, alpha=0.01)
    torch.addmv(A[:, 0], A / 64, B[:, 0]); torch.addr(A[:, :4], A[:, 0], B[0, :4])
    torch.bmm(A[None] / 64, B[None]); torch.baddbmm(B[:1, None], A[None] / 64, B[None], alpha=0.5)
    torch.addbmm(B[:1], A[None] / 64, B[None]); (A[None] / 64) @ B; torch.matmul(A / 64, B[:, 0])
    torch.matmul(A[0] / 64, B); torch.chain_matmul(A / 64, B, B.T / 64, A.T / 64)
    torch.linalg.multi_dot([A / 64, B, B.T / 640]); torch.linalg.vecdot(A / 64, B[:, 0])
    F.cosine_similarity(A, B[:, 0], dim=1); F.pairwise_distance(A, B[:, 0])
    F.pairwise_distance(A, B[:, 0], 1.0); torch.trace(A[:, :30])
    torch.linalg.matrix_power(A[:5, :5] / 64, 3); torch.block_diag(A, B).sum(0)
    torch.cartesian_prod(A[:, 0], B[0]); torch.meshgrid(A[0], B[0], indexing='ij')[1].sum(0)
    A.index_add(0, torch.zeros(len(B[:30]), dtype=torch.long), A[:1].expand(len(B[:30]), -1))
    A.t().contiguous() @ A / 640; torch.einsum('ij,ij->i', A, A * 0.1)
    torch.einsum('ij,ik->jk', A[:, :9] / 9, A[:, :7]); (A * A).sum(1) / 640; A.T @ A[:, 0] / 64
    (A.unsqueeze(-1)[:, :20] * B[:20]).sum(1); torch.cdist(A[:2].float(), B.T.float()).half()
    torch.linalg.norm(A, dim=1); torch.linalg.cross(A[:, :3], A[:, 3:6])
    """,
)
INDICES = [
    (near(5, 3), integers(3000, high=5), near(3000, 3)),
    (near(50, 2), integers(4000, high=3), near(4000, 2, shift=1, scale=1)),
]
sweep(
    "x, i, y",
    INDICES,
    """
    x.index_add(0, i, y); x.scatter_add(0, i[:, None].expand(y.shape), y)
    x.scatter_reduce(0, i[:, None].expand(y.shape), y, 'sum')
    x.scatter_reduce(0, i[:, None].expand(y.shape), y, 'mean')
    x.scatter_reduce(0, i[:, None].expand(y.shape), y, 'mean', include_self=False)
    x.scatter_reduce(0, i[:, None].expand(y.shape), y, 'amax')
    x.scatter_reduce(0, i[:200, None].expand(y[:200].shape), 1 + y[:200] / 999, 'prod')
    x.index_put((i,), y, accumulate=True); x.clone().index_put_((i,), y, accumulate=True)
    x.index_select(0, i); x.gather(0, i[:, None].expand(y.shape))
    F.embedding(i, x, scale_grad_by_freq=True); F.embedding_bag(i[None], x, mode='max')
    x.index_copy(0, i[:1], y[:1]); x.scatter(0, i[:1, None].expand(1, y.shape[1]), y[:1])
    x[:, [0, 0, 1]].sum(0); x[i, 0]; x.index_fill(0, i[:1], 3.0).sum(0); x.repeat(3000, 1)
    x.expand(3000, *x.shape); x.tile(3000, 1, 1); x[None].expand(3000, -1, -1).mean(0)
    x.repeat_interleave(2500, 0); F.one_hot(i, 5).half() @ x[:5]; F.cross_entropy(y, i % y.shape[1])
    F.cross_entropy(y, i % y.shape[1], reduction='sum')
    F.cross_entropy(y, i % y.shape[1], y[0].detach().abs())
    F.cross_entropy(y, i % y.shape[1], label_smoothing=0.2); F.nll_loss(y.log_softmax(1), i % y.shape[1])
    F.nll_loss(y, i % y.shape[1], reduction='sum'); F.nll_loss(y, i % y.shape[1], y[0].detach().abs())
    F.cross_entropy(y, y.softmax(1).detach())
    F.cross_entropy(y, y.softmax(1).detach(), reduction='sum', label_smoothing=0.1)
    F.cross_entropy(y, i % y.shape[1], ignore_index=1, reduction='none')
    F.cross_entropy(y.T[None], (i % y.shape[1])[None])
    F.multi_margin_loss(y.float(), i % y.shape[1]).half(); F.gaussian_nll_loss(y, y.flip(0), y.abs() + 1)
    F.poisson_nll_loss(y / 4, y.abs()); F.poisson_nll_loss(y / 4, y.abs(), full=True)
    F.kl_div(y.log_softmax(1), y.flip(0).softmax(1))
    F.kl_div(y.log_softmax(0), y.flip(0).softmax(0), reduction='batchmean')
    F.kl_div(y.log_softmax(1), y.flip(0).log_softmax(1), log_target=True, reduction='sum')
    F.binary_cross_entropy((y / 9).sigmoid(), (i % 2).half()[:, None].expand_as(y))
    F.binary_cross_entropy((y / 9).sigmoid(), (i % 2).half()[:, None].expand_as(y), reduction='sum')
    F.binary_cross_entropy_with_logits(y, (i % 2).half()[:, None].expand_as(y))
    F.binary_cross_entropy_with_logits(y, (i % 2).half()[:, None].expand_as(y), y.abs().detach(), 'sum', pos_weight=y[0].detach().abs())
    F.binary_cross_entropy((y / 9).sigmoid(), y.sigmoid(), y.abs().detach())
    F.soft_margin_loss(y / 4, (i % 2 * 2 - 1).half()[:, None].expand_as(y))
    F.hinge_embedding_loss(y, (i % 2 * 2 - 1).half()[:, None].expand_as(y))
    F.hinge_embedding_loss(y, (i % 2 * 2 - 1).half()[:, None].expand_as(y), reduction='sum')
    F.margin_ranking_loss(y, y.flip(0), (i % 2 * 2 - 1).half()[:, None], reduction='sum')
    F.margin_ranking_loss(y, y.flip(0), (i % 2 * 2 - 1).half()[:, None], 3.0)
    F.cosine_embedding_loss(y, y.flip(0), i % 2 * 2 - 1)
    F.cosine_embedding_loss(y, y.flip(0), i % 2 * 2 - 1, reduction='sum')
    F.triplet_margin_loss(y, y.flip(0), y.roll(1, 0))
    F.triplet_margin_loss(y, y.flip(0), y.roll(1, 0), reduction='sum', swap=True)
    F.triplet_margin_with_distance_loss(y, y.flip(0), y.roll(1, 0))
    F.multilabel_soft_margin_loss(y, (i % 2).half()[:, None].expand_as(y)); F.mse_loss(y, y.flip(0))
    F.mse_loss(y * 9, y.flip(0)); F.mse_loss(y, y.flip(0), reduction='sum')
    F.mse_loss(y, y.flip(0), weight=y.abs().detach()); F.l1_loss(y, y.flip(0))
    F.l1_loss(y, y.flip(0), reduction='sum'); F.smooth_l1_loss(y, y.flip(0), beta=2.0)
    F.huber_loss(y, y.flip(0), delta=2.0); F.huber_loss(y, y.flip(0), reduction='sum')
    F.smooth_l1_loss(y, y.flip(0), reduction='sum', beta=0.0)
    F.gaussian_nll_loss(y, y.flip(0), y.abs() + 1, full=True, reduction='sum')
    F.pairwise_distance(y, y.flip(0)); F.cosine_similarity(y, y.flip(0))
    F.cosine_similarity(y, y.flip(0), 0); torch.isin(x, y).sum()
    torch.searchsorted(x[:, 0].detach().sort().values, y[:, 0].detach())
    torch.bucketize(y.detach(), x[:, 0].detach().sort().values)
    """,
)
IMAGES = [near(2, 4, 32, 32), near(1, 4, 40, 30, shift=300, scale=60), near(2, 4, 20, 20).transposed]
sweep(
    "x",
    IMAGES,
    """
    F.avg_pool2d(x, 20); F.avg_pool2d(x, 5, 2, 1); F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
    F.avg_pool2d(x, 2, divisor_override=9); F.avg_pool1d(x[0], 5, 2); F.adaptive_avg_pool2d(x, 1)
    F.adaptive_avg_pool2d(x, (3, 7)); F.adaptive_avg_pool1d(x[0], 3); F.lp_pool2d(x / 9, 2, 5)
    F.lp_pool1d(x[0] / 9, 3, 4); F.lp_pool2d(x / 99, 3.0, 3, 2); F.max_pool2d(x, 3, 1)
    F.max_pool2d(x, 5, 2, 1, 2); F.max_pool1d(x[0], 5, 1); F.adaptive_max_pool2d(x, (3, 7))
    F.adaptive_max_pool1d(x[0], 3); F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)
    F.fold(F.unfold(x, 5), x.shape[2:], 5); F.unfold(x, 5, padding=2)
    F.fold(F.unfold(x, 3, dilation=2, stride=2), x.shape[2:], 3, 2, 0, 2)
    F.local_response_norm(x[0], 5, 0.1, 0.5, 2.0); F.interpolate(x, scale_factor=3, mode='bilinear')
    F.interpolate(x, (50, 9), mode='bilinear', align_corners=True)
    F.interpolate(x, (9, 50), mode='bicubic')
    F.interpolate(x, scale_factor=0.5, mode='bicubic', align_corners=True)
    F.interpolate(x, scale_factor=9); F.interpolate(x, 7, mode='nearest-exact')
    F.interpolate(x, 3, mode='area'); F.interpolate(x[0], 99, mode='linear')
    F.interpolate(x[None], (5, 9, 9), mode='trilinear'); F.interpolate(x, scale_factor=7, mode='nearest')
    F.upsample(x, scale_factor=2); F.pad(x, (9, 9, 9, 9), 'reflect'); F.pad(x, (9, 9, 9, 9), 'circular')
    F.pad(x, (2, 2)); F.pad(x[0], (9, 9), 'reflect'); F.layer_norm(x, x.shape[1:])
    F.rms_norm(x, x.shape[1:]); F.rms_norm(x, x.shape[-1:], x[0, 0, 0]); F.group_norm(x, 2)
    F.group_norm(x, 4, x[0, :, 0, 0], x[0, :, 0, 1]); F.instance_norm(x)
    F.instance_norm(x, weight=x[0, :, 0, 0], bias=x[0, :, 0, 1])
    F.batch_norm(x, None, None, training=True)
    F.batch_norm(x, None, None, x[0, :, 0, 0], x[0, :, 0, 1], True)
    F.batch_norm(x, x[0, :, 0, 0].detach(), x[0, :, 0, 1].detach().abs())
    F.batch_norm(x, x[0, :, 0, 0].detach(), x[0, :, 0, 1].detach().abs(), x[0, :, 1, 0], x[0, :, 1, 1])
    F.batch_norm(x, torch.zeros(4), torch.ones(4), torch.ones(4), torch.zeros(4), True)
    F.batch_norm(x, torch.zeros(4), torch.ones(4)); F.pixel_shuffle(x, 2); F.pixel_unshuffle(x, 2)
    F.channel_shuffle(x, 2)
    torch.nn.functional.grid_sample(x, x[:, :2, :, :2].permute(0, 2, 3, 1)[:, :5].detach() / 999)
    F.grid_sample(x, (x[:, :2, :, :9].permute(0, 2, 3, 1) - 10) / 9, align_corners=True)
    F.grid_sample(x, (x[:, :2, :, :9].permute(0, 2, 3, 1) - 10) / 9, 'nearest', 'reflection', False)
    x.mean((2, 3)); x.var((0, 2, 3)); x.sum((0, 2, 3)); x.amax((2, 3)); x.std((2, 3), keepdim=True)
    x.flatten(1).softmax(1); F.glu(x, 1); x.softmax(1); x.logsumexp((2, 3)); x.norm(dim=(2, 3))
    x.norm('fro', (2, 3)); x.rot90(1, (2, 3)); x.permute(0, 2, 3, 1).mean(-1); F.dropout(x, 0.3)
    F.dropout2d(x, 0.3); F.alpha_dropout(x, 0.3); F.feature_alpha_dropout(x, 0.3)
    nn.BatchNorm2d(4).half()(x); nn.BatchNorm2d(4)(x); nn.InstanceNorm2d(4, affine=True).half()(x)
    nn.GroupNorm(2, 4).half()(x); nn.GroupNorm(2, 4)(x); nn.LayerNorm(x.shape[1:]).half()(x)
    nn.RMSNorm(x.shape[-1]).half()(x); nn.AdaptiveAvgPool2d(1)(x); nn.Softmax2d()(x)
    nn.Conv2d(4, 3, 5).half()(x); nn.Conv2d(4, 8, 3, groups=4, padding=1).half()(x)
    nn.ConvTranspose2d(4, 3, 5, 2).half()(x); nn.Upsample(scale_factor=2, mode='bilinear')(x)
    nn.ReflectionPad2d(3)(x); nn.CircularPad2d(3)(x); nn.LPPool2d(2, 3)(x / 9)
    """,
)
sweep(
    "x, w, b",
    [
        (near(2, 4, 24, 24), near(6, 4, 12, 12, shift=0.1, scale=0.05), near(6)),
        (near(1, 4, 30, 20, shift=0), near(6, 4, 9, 9, shift=0), near(6)),
    ],
    """
    F.conv2d(x, w, stride=2, padding=1); F.conv2d(x, w, b, dilation=2) if x.shape[-1] > 22 else x
    F.conv1d(x[:, :, 0], w[:, :, 0], b, 2, 3)
    F.conv_transpose2d(x[..., :9, :9], w[:4] / 9, None, 2, 1, 1)
    F.conv_transpose1d(x[:, :, 0], w[:4, :, 0]); F.conv2d(x, w, padding='same')
    F.linear(x[..., :w.shape[-1]], w[0, 0], w[0, 0, 0])
    F.bilinear(x[..., :9], x[..., :9], w[:, 0, :9, :9], b)
    F.conv2d(x.mean(1, True), w[:, :1]).relu().sum((2, 3)) / 64; F.prelu(x - 10, b[:4])
    """,
)
sweep(
    "q, k, v",
    [
        (near(2, 3, 9, 64, shift=0), near(2, 3, 2500, 64, shift=0), near(2, 3, 2500, 8)),
        (near(1, 2, 4, 8, shift=200), near(1, 2, 4, 8, shift=200), near(1, 2, 4, 8, shift=200)),
        (
            near(1, 1, 5, 64, shift=1, scale=0.2),
            near(1, 1, 3000, 64, shift=0.5, scale=0.2),
            near(1, 1, 3000, 8),
        ),
    ],
    """
    F.scaled_dot_product_attention(q, k, v, scale=0.02); (q @ k.mT / 8).softmax(-1) @ v
    torch.einsum('bhqd,bhkd->bhqk', q / 8, k).logsumexp(-1)
    nn.MultiheadAttention(64, 4, batch_first=True).half()(q.flatten(0, 1), k.flatten(0, 1)[:, :99], k.flatten(0, 1)[:, :99])[0] if q.shape[-1] == 64 else q
    """,
    tolerance=2,
)
SEQUENCES = [near(3, 500, 16, shift=1, scale=1), near(2, 40, 16, shift=0, scale=3)]
sweep(
    "x",
    SEQUENCES,
    """
    nn.Linear(16, 400).half()(x).sum(-1); nn.RNN(16, 8, batch_first=True).half()(x[:, :9])
    nn.LSTM(16, 8, batch_first=True).half()(x[:, :9]); nn.GRU(16, 8, batch_first=True).half()(x[:, :9])
    nn.RNNCell(16, 8).half()(x[:, 0]); nn.LSTMCell(16, 8).half()(x[:, 0])
    nn.GRUCell(16, 8).half()(x[:, 0]); nn.LayerNorm(16).half()(x)
    nn.LayerNorm(16, elementwise_affine=False)(x); nn.RMSNorm(16).half()(x)
    nn.BatchNorm1d(16).half()(x.mT); nn.BatchNorm1d(16).half().eval()(x.mT)
    nn.InstanceNorm1d(16).half()(x.mT); nn.Bilinear(16, 16, 3).half()(x, x.flip(1))
    nn.MultiheadAttention(16, 4, batch_first=True).half()(x[:, :50], x, x)[0]
    nn.MultiheadAttention(16, 4, batch_first=True).half()(x[:, :50], x, x)[1]
    nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True).half()(x[:, :50])
    nn.TransformerEncoderLayer(16, 2, 32, 0.0, 'gelu', batch_first=True, norm_first=True).half()(x[:, :50])
    nn.Conv1d(16, 4, 9).half()(x.mT); nn.ConvTranspose1d(16, 4, 9, 3).half()(x.mT)
    nn.Embedding(9, 16).half()(torch.arange(2000).remainder(9)).sum(0) + x[0, 0]
    nn.PReLU(16).half()(x.mT); nn.PReLU().half()(x); nn.CosineSimilarity(-1)(x, x.flip(1))
    nn.PairwiseDistance()(x, x.flip(1)); nn.utils.weight_norm(nn.Linear(16, 4)).half()(x)
    nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 2)).half()(x).mean((0, 1))
    torch.nn.utils.rnn.pad_sequence([x[0], x[1, :3]]).mean(0)
    """,
    tolerance=4,
)
UNARY = [near(300, shift=0, scale=3), between(-1, 1, 300), between(0.001, 0.01, 300), between(5, 300, 300)]
sweep(
    "x",
    UNARY,
    """
    x.exp(); x.exp2(); x.expm1(); x.abs().log(); x.abs().log2(); x.abs().log10(); x.abs().log1p()
    x.abs().sqrt(); x.abs().rsqrt(); x.square(); x.pow(3); x.pow(2.5).nan_to_num(0, 0, 0)
    x.abs().pow(0.3); x.abs().pow(-0.5); 2 ** x; x.sin(); x.cos(); x.tan(); x.clamp(-1, 1).asin()
    x.clamp(-1, 1).acos(); x.atan(); x.sinh(); x.cosh(); x.tanh(); x.asinh(); (x.abs() + 1).acosh()
    x.clamp(-0.9, 0.9).atanh(); x.erf(); x.erfc(); x.clamp(-0.9, 0.9).erfinv(); x.abs().lgamma()
    x.abs().digamma(); x.detach().abs().polygamma(1); x.sigmoid(); x.i0(); x.logit(0.1); x.rad2deg()
    x.deg2rad(); x.frac(); x.trunc(); x.round(); x.round(decimals=1); x.floor(); x.ceil(); x.sign()
    x.neg(); x.abs(); x.angle(); x.frexp(); x.nan_to_num(); F.relu(x); F.relu6(x); F.elu(x); F.elu(x, 2.0)
    F.selu(x); F.celu(x, 0.5); F.gelu(x); F.gelu(x, approximate='tanh'); F.silu(x); F.mish(x)
    F.softplus(x); F.softplus(x, 3.0, 5.0); F.hardswish(x); F.hardsigmoid(x); F.hardtanh(x, -0.5, 0.7)
    F.leaky_relu(x, 0.3); F.logsigmoid(x); F.softsign(x); F.tanhshrink(x); F.softshrink(x, 0.3)
    F.hardshrink(x, 0.3); F.threshold(x, 0.1, 0.7); F.glu(x); F.rrelu(x); F.softmin(x, 0)
    torch.special.entr(x); torch.special.expit(x); torch.special.i0e(x); torch.special.ndtr(x)
    torch.special.gammaln(x.abs()); torch.special.log_softmax(x, 0); torch.special.softmax(x, 0)
    torch.special.logit(x.clamp(0.1, 0.9)); torch.special.round(x, decimals=2)
    torch.mvlgamma(x.abs() + 2, 2); torch.special.xlogy(x, x.abs()); torch.special.xlog1py(x, x.abs())
    x.detach().clone().exp_(); x.detach().clone().sigmoid_(); x.detach().clone().tanh_()
    x.detach().clone().sqrt_(); x.detach().clone().mul_(3).add_(x.detach(), alpha=0.3)
    x.detach().clone().addcmul_(x.detach(), x.detach(), value=0.3)
    x.detach().clone().addcdiv_(x.detach(), x.detach() + 9, value=0.3)
    x.detach().clone().lerp_(x.detach().flip(0), 0.3); x.detach().clone().pow_(2)
    x.detach().clone().cumsum_(0); x * 0.1; x + 0.1; x / 0.3; x - 0.1; x * 1e5; x / 1e5; x + 1e5
    x.add(x, alpha=0.1); x.mul(0.1).sum(); torch.add(x, 0.1, alpha=3); x.addcmul(x, x, value=0.1)
    x.addcdiv(x, x + 400, value=0.1); x.lerp(x.flip(0), 0.3); x.lerp(x.flip(0), x); x.clamp(0.1, 0.7)
    x.clamp(min=0.1); x % 0.3; x.fmod(0.3); x.remainder(-0.7); x.float_power(2); x.hypot(x.flip(0))
    x.logaddexp(x.flip(0)); x.copysign(-x); x.to(torch.float32).to(torch.float16); x.long(); x.bool()
    x.double(); (x * 3).int()
    F.multilabel_margin_loss(x.float()[None], torch.arange(300)[None] - 1).half()
    torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255); torch.vander(x.detach()[:5] / 9, 4)
    torch.combinations(x.detach()[:5]); torch.nextafter(x.detach(), x.detach() + 1); torch.gradient(x)[0]
    torch.gradient(x, spacing=0.3)[0]; torch.logspace(-1, 1, 50, dtype=torch.float16)
    torch.linspace(-1, 7, 300, dtype=torch.float16); torch.arange(0, 30, 0.1, dtype=torch.float16)
    torch.full((3,), 0.1, dtype=torch.float16); torch.hann_window(30, dtype=torch.float16)
    torch.hamming_window(30, dtype=torch.float16); torch.blackman_window(30, dtype=torch.float16)
    torch.bartlett_window(30, dtype=torch.float16); torch.kaiser_window(30, dtype=torch.float16)
    torch.randn(30, dtype=torch.float16); torch.rand(30, dtype=torch.float16)
    torch.empty(30, dtype=torch.float16).normal_(3, 2)
    torch.empty(30, dtype=torch.float16).uniform_(3, 8)
    torch.empty(30, dtype=torch.float16).exponential_(2); torch.bernoulli(x.detach().sigmoid())
    torch.multinomial(x.detach().abs(), 20, True); torch.normal(x.detach(), 2.0)
    torch.poisson(x.detach().abs().clamp(0, 30)); torch.rand_like(x); torch.randn_like(x)
    torch.empty(30, dtype=torch.float16).log_normal_(); torch.empty(30, dtype=torch.float16).cauchy_()
    torch.empty(30, dtype=torch.float16).geometric_(0.3); torch.randint(9, (30,), dtype=torch.float16)
    torch.empty(30, dtype=torch.float16).random_(9)
    """,
)

# What PyTorch rounds to float16 on the way, and is some steps off for that.
LOOSE = {"tolerance": 10}
sweep(
    "x",
    ROWS,
    "F.layer_norm(x, x.shape[-1:]); x.logsumexp(0); x.reciprocal()",
    **LOOSE,
)
sweep(
    "x, w, b",
    [
        (near(2, 4, 24, 24), near(6, 4, 12, 12, shift=0.1, scale=0.05), near(6)),
        (near(1, 4, 30, 20, shift=0), near(6, 4, 9, 9, shift=0), near(6)),
    ],
    "F.conv2d(x, w, b); F.conv2d(x, w[:4, :1], groups=4); F.conv_transpose2d(x[..., :9, :9], w[:4] / 9, b[:4])",
    **LOOSE,
)
sweep(
    "q, k, v",
    [
        (near(2, 3, 9, 64, shift=0), near(2, 3, 2500, 64, shift=0), near(2, 3, 2500, 8)),
        (near(1, 2, 4, 8, shift=200), near(1, 2, 4, 8, shift=200), near(1, 2, 4, 8, shift=200)),
    ],
    """
    F.scaled_dot_product_attention(q, k, v)
    F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(q.shape[-2], k.shape[-2]).tril(7).bool())
    F.scaled_dot_product_attention(q, k, v, attn_mask=torch.zeros(q.shape[-2], k.shape[-2]).half())
    """,
    **LOOSE,
)

OPTIMIZERS = """
    SGD(p, 0.1); SGD(p, 0.1, 0.9, 0.1, 0.01); SGD(p, 0.1, 0.9, nesterov=True); SGD(p, 0.1, maximize=True)
    Adam(p, 0.01); Adam(p, 0.01, (0.8, 0.99), 1e-4, 0.1, True); AdamW(p, 0.01)
    AdamW(p, 0.01, amsgrad=True); RMSprop(p, 0.01); Adagrad(p, 0.1); Adadelta(p, 1.0); Adamax(p, 0.01)
    NAdam(p, 0.01); RAdam(p, 0.01); ASGD(p, 0.1); Rprop(p, 0.01); Adafactor(p, 0.01); Muon(p[:1], 0.01)
"""


def stepped(text):
    def program(torch, x, y):
        p = [x.requires_grad_(), y.requires_grad_()]
        optimizer = eval(text, {name: getattr(torch.optim, name) for name in dir(torch.optim)}, {"p": p})
        rng = np.random.default_rng(zlib.crc32(text.encode()))
        for scale in (1, 30, 0.001):
            for parameter in p:
                gradient = rng.standard_normal(tuple(parameter.shape)) * scale
                parameter.grad = torch.tensor(gradient).to(torch.float16)
            optimizer.step()
        state = [list(optimizer.state[parameter].values()) for parameter in p]
        return [sampled(parameter) for parameter in p], [sampled(value) for value in flat(torch, state)]

    return program


for text in split(OPTIMIZERS):
    area.add(text, stepped(text), [(near(30, 20), near(900))], gradient=False)


def clipped(form):
    def program(torch, x, y):
        layer = torch.nn.Linear(1, 1)
        layer.weight = torch.nn.Parameter(x)
        layer.bias = torch.nn.Parameter(y)
        layer.weight.grad, layer.bias.grad = x.detach() * 9, y.detach()
        total = form(torch, layer.parameters())
        return sampled(total), sampled(layer.weight.grad), sampled(layer.bias.grad)

    return program


CLIPS = {
    "clip_grad_norm_(parameters, 1.0)": lambda torch, p: torch.nn.utils.clip_grad_norm_(p, 1.0),
    "clip_grad_norm_(parameters, 1.0, 1)": lambda torch, p: torch.nn.utils.clip_grad_norm_(p, 1.0, 1),
    "clip_grad_norm_(parameters, 1.0, inf)": lambda torch, p: torch.nn.utils.clip_grad_norm_(
        p, 1.0, float("inf")
    ),
    "get_total_norm(gradients)": lambda torch, p: torch.nn.utils.get_total_norm([x.grad for x in p]),
}
for text, form in CLIPS.items():
    area.add(
        text, clipped(form), [(near(30, 20), near(900)), (near(60, 60, scale=90), near(9))], gradient=False
    )
