"""What shares memory with what it was made from: every operation, called so that it has nothing to do.

A case says for each tensor that comes back whether it is the input itself, a view of its memory, or a copy.
"""

import numpy as np
from golden import Area, real, uniform

area = Area()

X = real(2, 3)


def given(torch):
    def shares(result, *inputs):
        """ "same", "view" or "copy", for each tensor in a result."""
        if isinstance(result, list | tuple):
            return [shares(part, *inputs) for part in result]
        if not isinstance(result, torch.Tensor):
            return type(result).__name__
        if any(result is x for x in inputs):
            return "same"
        arrays = [x.detach().numpy() for x in (result, *inputs)]
        overlap = any(np.may_share_memory(arrays[0], array) for array in arrays[1:])
        return "view" if overlap else "copy"

    return {"shares": shares}


def nothing_to_do(examples, programs, names="x", **options):
    area.each(
        names, examples, programs, given=given, form=f"shares({{}}, {names})", gradient=False, **options
    )


# Views and copies of any tensor -------------------------------------------------------------------------------
nothing_to_do(
    [X, real(3), real(2, 3).transposed],
    """
    x.clone(); x.contiguous(); x.detach(); x.data; x.to(x.dtype); x.to(x); x.to('cpu'); x.float(); x.cpu(); x.to(x.dtype, copy=True)
    x.type(x.dtype); x.type_as(x); x.requires_grad_(False); x.view(x.shape); x.view_as(x); x.reshape(x.shape); x.reshape_as(x)
    x.flatten(); x.ravel(); torch.flatten(x); torch.ravel(x); x.view(x.dtype); x.unflatten(0, (-1,)); x.squeeze(); x.squeeze(0); x.squeeze((0,))
    x.unsqueeze(0); x.transpose(0, 0); x.swapaxes(0, 0); x.swapdims(0, 0); x.movedim(0, 0); x.permute(*range(x.ndim)); x.t(); x.T; x.mT if x.ndim > 1 else 0
    x.expand(x.shape); x.expand_as(x); x.broadcast_to(x.shape); x.narrow(0, 0, len(x)); x.split(len(x)); x.chunk(1); x.unbind()
    x.select(0, 0); x[:]; x[...]; x[None]; x[0]; x[[0]]; x[torch.arange(len(x))]; x[x == x]; x[()]; x[0, ...]; x[True]
    torch.tensor_split(x, 1); x.tensor_split([]); torch.hsplit(x, 1); torch.split(x, len(x)); torch.chunk(x, 1); torch.narrow(x, 0, 0, len(x))
    x.diagonal() if x.ndim > 1 else 0; torch.atleast_1d(x); torch.atleast_2d(x); torch.atleast_3d(x); torch.atleast_1d([x, x]); torch.broadcast_tensors(x, x)
    x.repeat(*[1] * x.ndim); x.repeat(1, *[1] * x.ndim); x.tile((1,)); x.tile(*[1] * x.ndim); torch.tile(x, (1,)); x.repeat_interleave(1, 0); x.repeat_interleave(1)
    torch.cat([x]); torch.cat([x, torch.empty(0)]); torch.hstack([x]); torch.vstack([x]); torch.dstack([x]); torch.column_stack([x]); torch.row_stack([x]); torch.stack([x])
    torch.block_diag(x); torch.flip(x, ()); x.flip(()); x.flip(0); torch.fliplr(x) if x.ndim > 1 else 0; torch.flipud(x); x.roll(0); x.roll(0, 0); x.rot90(0) if x.ndim > 1 else 0; x.rot90(4) if x.ndim > 1 else 0
    x.tril(9) if x.ndim > 1 else 0; x.triu(-9) if x.ndim > 1 else 0; x.diff(n=0); x.diff(n=0, prepend=x); torch.diff(x, 0); x.gather(0, torch.zeros_like(x).long()); x.take(torch.tensor([0])); x.take(torch.tensor(0)); x.flatten().take(torch.arange(1))
    x.index_select(0, torch.arange(len(x))); x.masked_select(x == x); x.take_along_dim(torch.zeros_like(x).long(), 0); x.masked_fill(x != x, 0); x.where(x == x, 0.0); torch.where(x == x, x, x)
    x.index_fill(0, torch.empty(0).long(), 0); x.index_add(0, torch.empty(0).long(), x[:0]); x.scatter(0, torch.empty(0).long(), 0.0) if x.ndim == 1 else 0
    x.scatter_add(0, torch.empty((0,) * x.ndim).long(), x); x.scatter_reduce(0, torch.empty((0,) * x.ndim).long(), x, 'sum'); x.index_put((torch.empty(0).long(),), x[:0])
    x.sum(()); x.sum((), keepdim=True); x.mean(()); x.sum(0, keepdim=True); x.amax(()); x.amax(0, keepdim=True); x.prod(0, keepdim=True); x.max(0, keepdim=True).values; x.unfold(0, 1, 1); x.as_strided(x.shape, x.stride())
    x.sort().values; x.topk(1).values; x.unique(); x.msort(); x.argsort(); x.cumsum(0); x.cumprod(0); x.cummax(0).values; x.nan_to_num(); x.kthvalue(1).values; x.median(0).values; x.mode(0).values
    x.positive(); +x; x.add(0); x + 0; x * 1; x / 1; x.sub(0); x.mul(1); x.div(1); x.pow(1); x ** 1; x ** 1.0; x.float_power(1); x.abs(); x.neg().neg(); x.clamp(-9, 9); x.clip(min=-9); x.clamp_min(-9); x.maximum(x); x.minimum(x); x.fmax(x); x.lerp(x, 0.5)
    x.round(); x.floor(); x.trunc(); x.sign(); x.frac(); x.fmod(9); x.remainder(9); x.addcmul(x, x, value=0); x.copysign(x); x.hypot(0 * x); x.logical_not(); x.conj(); x.resolve_conj(); x.resolve_neg(); x.real
    torch.as_tensor(x); torch.as_tensor(x, dtype=x.dtype); torch.tensor(x); x.new_tensor(x); torch.clone(x); torch.detach(x); torch.nn.Parameter(x).data; torch.nn.Buffer(x)
    torch.meshgrid(x.flatten(), indexing='ij'); torch.cartesian_prod(x.flatten()); torch.combinations(x.flatten(), 1); x.hsplit(1); x.vsplit(1) if x.ndim > 1 else 0; torch.from_numpy(x.numpy()); torch.as_tensor(x.numpy()); torch.tensor(x.numpy())
    x.clone(memory_format=torch.preserve_format); x.contiguous(memory_format=torch.contiguous_format); x.to(memory_format=torch.preserve_format); torch.einsum('...->...', x); torch.einsum('i...->i...', x); torch.linalg.multi_dot([x, torch.eye(x.shape[-1])]) if x.ndim > 1 else 0
    x.softmax(0); F.dropout(x, 0.0); F.dropout(x, 0.5, False); F.dropout1d(x.reshape(1, 1, -1), 0.0); F.alpha_dropout(x, 0.0); F.alpha_dropout(x, 0.5, False); F.feature_alpha_dropout(x, 0.0); F.pad(x, (0, 0)); F.pad(x, ()); F.relu(x); F.relu(x.abs()); F.relu(x, inplace=True)
    F.leaky_relu(x, 1.0); F.threshold(x, -99, 0); F.hardtanh(x, -9, 9); F.relu6(x); F.elu(x); F.glu(x.repeat(2, *[1] * (x.ndim - 1)), 0); F.rrelu(x, 1, 1); F.softplus(x, threshold=-99); F.hardshrink(x, 0); F.softshrink(x, 0); F.prelu(x, torch.ones(1))
    nn.Identity()(x); nn.Flatten(0)(x); nn.Unflatten(0, (len(x),))(x); nn.Sequential()(x); nn.Dropout(0.0)(x); nn.Dropout().eval()(x); nn.Dropout2d().eval()(x.reshape(1, 1, 1, -1)); nn.ReLU(True)(x); nn.AlphaDropout().eval()(x)
 torch.linalg.diagonal(x) if x.ndim > 1 else 0; torch.linalg.matrix_power(x.flatten()[:1].reshape(1, 1), 1); x.flatten()[:1].reshape(1, 1).matrix_power(1);
    torch.broadcast_to(x, x.shape); torch.squeeze(x); torch.unsqueeze(x, 0); torch.reshape(x, x.shape); torch.movedim(x, 0, 0); torch.permute(x, tuple(range(x.ndim))); torch.select(x, 0, 0); torch.unbind(x); torch.unflatten(x, 0, (len(x),)); torch.swapaxes(x, 0, 0);
 x.cumsum(0).detach(); x.is_contiguous(); x.bool().bool(); x.half().half(); x.double().to(torch.float32); x.reciprocal().reciprocal(); x.square().sqrt(); x.nanmean(()); x.nansum(()); x.std(()); x.aminmax().min
    """,
)
# Matrices, images and the rest -----------------------------------------------------------------------------------
nothing_to_do(
    [real(1, 1), real(2, 2)],
    """
    x.diag(); torch.diag(x); torch.diag(x, 1); torch.diagonal(x); x.diag_embed(); x.trace(); x.mm(torch.eye(len(x))); x @ torch.eye(len(x)); x.matrix_power(1)
    torch.linalg.matrix_power(x, 1); torch.linalg.multi_dot([x, x]); torch.chain_matmul(x); torch.einsum('ij->ij', x); torch.einsum('ij->ji', x); torch.einsum('ii->i', x); torch.einsum('ij', x); torch.tensordot(x, torch.ones(1), 0); torch.kron(x, torch.ones(1, 1));
    x.tril(); x.triu(); x.tril(5); torch.block_diag(x); torch.cov(x); x.cov(); torch.addmm(x, x, x, alpha=0);
    """,
)
nothing_to_do(
    [real(1, 4, 4, 4)],
    """
    F.pixel_shuffle(x, 1); F.pixel_unshuffle(x, 1); nn.PixelShuffle(1)(x); nn.PixelUnshuffle(1)(x); F.channel_shuffle(x, 1); nn.ChannelShuffle(1)(x); F.channel_shuffle(x, 4); F.interpolate(x, scale_factor=1); F.interpolate(x, (4, 4)); F.interpolate(x, (4, 4), mode='bilinear'); F.interpolate(x, (4, 4), mode='area'); F.interpolate(x, scale_factor=1, mode='bicubic'); F.interpolate(x, (4, 4), mode='nearest-exact'); nn.Upsample(scale_factor=1)(x)
    F.adaptive_avg_pool2d(x, (None, None)); F.adaptive_avg_pool2d(x, 4); F.adaptive_avg_pool3d(x, (None, None, None)); F.adaptive_avg_pool3d(x, 4); F.adaptive_avg_pool1d(x[0], 4); F.adaptive_max_pool2d(x, (None, None)); F.adaptive_max_pool2d(x, 4); F.adaptive_max_pool3d(x, 4); F.adaptive_max_pool1d(x[0], 4); F.avg_pool2d(x, 1); F.max_pool2d(x, 1); F.avg_pool1d(x[0], 1); F.max_pool1d(x[0], 1); F.lp_pool2d(x, 1, 1)
    F.pad(x, (0, 0, 0, 0)); F.pad(x, (0, 0, 0, 0), mode='reflect'); F.pad(x, (0, 0, 0, 0), mode='replicate'); F.pad(x, (0, 0, 0, 0), mode='circular'); nn.ZeroPad2d(0)(x); nn.ConstantPad2d(0, 1.0)(x); nn.ReflectionPad2d(0)(x); nn.ReplicationPad2d(0)(x); nn.CircularPad2d(0)(x); F.unfold(x, 1); F.fold(F.unfold(x, 1), (4, 4), 1); F.local_response_norm(x, 1); F.instance_norm(x); F.dropout2d(x, 0.0); F.dropout2d(x, 0.5, False); F.feature_alpha_dropout(x, 0.5, False)
    x.contiguous(memory_format=torch.contiguous_format); x.to(memory_format=torch.contiguous_format); x.flatten(2, 2); x.flatten(3); x.unflatten(1, (4,)); F.batch_norm(x, torch.zeros(4), torch.ones(4)); F.layer_norm(x, (4,)); F.group_norm(x, 1); F.grid_sample(x, torch.zeros(1, 1, 1, 2), align_corners=False);
    """,
)
nothing_to_do(
    [uniform(), uniform(1), uniform(0)],
    """
    x.reshape(-1); x.view(-1); x.flatten(); x.ravel(); x.squeeze(); x.unsqueeze(0); x.clone(); x.detach(); x.contiguous(); x.t(); x.expand(x.shape); x.repeat(()) if x.ndim == 0 else 0; x.repeat(1); x.tile(()); x.tile(1); x.sum(); x.sum(0); x.mean(0); x.amax(0) if x.numel() else 0; x.max() if x.numel() else 0; x.min(0).values if x.numel() else 0; x.prod(); x.prod(0); x.median() if x.numel() else 0
    x.cumsum(0); x.cumprod(0); x.cummax(0).values; x.cummin(0).values; x.logcumsumexp(0); x.sort().values; x.topk(x.numel()).values; x.unique(); x.flip(()); x.flip(0); x.roll(1); x.take(torch.tensor(0)) if x.numel() else 0; x.gather(0, torch.zeros(x.shape).long()) if x.numel() else 0; x.index_select(0, torch.zeros(1).long()) if x.numel() else 0; x.masked_select(x == x); x[...]; x[()]; x[x == x]; x.nan_to_num(); x.logsumexp(0); x.softmax(0)
    torch.atleast_1d(x); torch.atleast_2d(x); torch.atleast_3d(x); torch.stack([x]); x.broadcast_to(x.shape); torch.as_tensor(x); x.movedim((), ()); x.kthvalue(1).values if x.numel() else 0; x.mode().values if x.numel() else 0; x.norm(); x.norm(1); x.diff(n=0) if x.ndim else 0; torch.einsum('...', x); torch.broadcast_tensors(x); torch.tensor(x); x.scatter(0, torch.zeros(x.shape).long(), 0.0) if x.numel() else 0
    x.var(correction=0); x.nansum(); x.quantile(0.5) if x.numel() else 0; torch.cartesian_prod(x) if x.ndim else 0; torch.meshgrid(x, indexing='ij'); F.dropout(x, 0.0); F.relu(x); nn.Identity()(x); x.abs(); x ** 1; x.positive(); x.round(); x.to(x); torch.hstack([x]); torch.combinations(x, 1) if x.ndim else 0; torch.block_diag(x)
    """,
)
