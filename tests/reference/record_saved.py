"""What PyTorch saves of each operation, and what it calls its nodes: `python -m tests.reference.record_saved`.

An operation is called on tensors that are no leaves. Then one of its inputs or outputs is changed in place: backward
refuses if that was saved. Last, backward goes twice, which is refused if anything was. `test_saved.py` does the same.
"""

import json
import re
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "saved.json"


def inputs(torch):
    """The tensors that programs may use: lower case requires a gradient, capitals do not."""
    rng = np.random.RandomState(0)

    def real(*shape):
        return torch.tensor(np.asarray(rng.uniform(0.5, 1.5, shape)).astype("float32"), requires_grad=True)

    def positions(*shape, high=2):
        return torch.tensor(rng.randint(0, high, shape))

    differentiable = {
        "x": real(2, 3), "y": real(2, 3), "v": real(3), "w": real(3), "s": real(), "m": real(3, 2), "q": real(3, 3),
        "b": real(2, 2, 3), "d": real(2, 3, 2), "p": real(2, 3), "target": real(2, 3), "image": real(2, 3, 4, 4),
        "filters": real(2, 3, 2, 2), "upward": real(3, 2, 2, 2), "signal": real(2, 3, 5), "taps": real(2, 3, 2), "spread": real(3, 2, 2),
        "table": real(4, 3), "weight": real(2, 3), "bias": real(2), "scale": real(3), "shift": real(3),
        "query": real(1, 2, 4, 3), "key": real(1, 2, 4, 3), "value": real(1, 2, 4, 3), "columns": real(2, 12, 9),
    }  # fmt: skip
    constant = {
        "C": real(2, 3).detach(), "V": real(3).detach(), "S": real().detach(), "M": real(3, 2).detach(), "I": positions(2, 3),
        "ROWS": positions(4), "MASK": torch.tensor(rng.randint(0, 2, (2, 3)) > 0), "CLASSES": positions(2, high=3),
        "TOKENS": positions(2, 5, high=4), "FILTERS": real(2, 3, 2, 2).detach(), "IMAGE": real(2, 3, 4, 4).detach(),
        "W": real(2, 3).detach(), "HALVES": torch.full((2, 3), 0.5), "SQUARE": 3 * torch.eye(3),
    }  # fmt: skip
    return differentiable, constant


PROGRAMS = """
x + y; x + C; x + v; x + 2; 2 - x; x - y; x * y; x * C; C * x; x * 2; x * s; x * S; x / y; x / C; C / x; x / 2
2 / x; -x; x ** 2; x ** 3; x ** 2.5; x ** 1; x ** 0; x ** 0.5; x ** -1; x ** y; x ** C; C ** x; 2 ** x
x.square(); torch.pow(x, 2); x.exp(); x.expm1(); x.log(); x.log1p(); x.log2(); x.log10(); x.sqrt(); x.rsqrt()
x.reciprocal(); x.abs(); x.sin(); x.cos(); x.erf(); x.floor(); x.ceil(); x.round(); x.trunc(); x.sign()
x.clamp(0.7, 1.2); x.clamp(min=0.7); x.clamp(C, y); x.maximum(y); x.minimum(y); torch.maximum(x, C); x % 0.3
x % y; x.sum(); x.sum(1); x.sum(1, keepdim=True); x.mean(); x.mean(1); x.var(); x.var(1); x.std(); x.std(1)
x.prod(); x.prod(1); x.max(); x.min(); x.max(1); x.min(1); x.amax(); x.amax(1); x.amin(); x.amin(1)
x.cumsum(1); x.sort(1); x.topk(2, 1); x.norm(); x.norm(dim=1); x.norm(3); x.norm(1); x.norm(float('inf'))
x.norm(3, dim=1); x.norm(0); x.norm(0.5, dim=1); x.logsumexp(1); x.softmax(1); x.log_softmax(1); x.view(3, 2)
x.reshape(3, 2); x.flatten(); x.unflatten(1, (3, 1)); x.squeeze(); x.squeeze(0); x.unsqueeze(0); x.t(); x.T
x.mT; x.transpose(0, 1); x.permute(1, 0); x.movedim(0, 1); x.expand(4, 2, 3); x.expand_as(b); x.repeat(2, 1)
x.tile(2, 1); x.narrow(1, 0, 2); x.select(0, 1); x.diagonal(); x.flip(0); x.roll(1, 0); x.tril(); x.triu()
torch.broadcast_to(x, (4, 2, 3)); x.view_as(y); x[0]; x[0, 1]; x[:, 1]; x[0:1]; x[:, 1:]; x[None]; x[..., 0]
x[ROWS]; x[:, [0, 1]]; x[MASK]; x[ROWS, ROWS]; x.index_select(0, ROWS); x.gather(0, I); x.masked_select(MASK)
x.masked_fill(MASK, 2.0); x.masked_fill(MASK, s); x.scatter(0, I, y); x.scatter(0, I, 2.0)
x.scatter_add(0, I, y); torch.where(MASK, x, y); torch.where(MASK, x, 0.0); x.where(MASK, C)
torch.cat([x, y]); torch.stack([x, y]); x.clone(); x.double(); x.to(torch.float64); x.contiguous()
x.t().contiguous(); x.float(); x @ m; x @ M; C @ m; x @ v; v @ m; v @ w; b @ m; b @ d; b @ M; x.matmul(m)
x.mm(m); x.mv(v); v.dot(w); v.outer(w); torch.relu(x); F.leaky_relu(x); torch.sigmoid(x); torch.tanh(x)
F.gelu(x); F.gelu(x, approximate='tanh'); F.silu(x); F.softplus(x); F.softmax(x, 1); F.log_softmax(x, 1)
F.linear(x, weight, bias); F.linear(x, weight); F.linear(x, W); F.linear(C, weight, bias)
F.linear(b, weight, bias); F.linear(v, weight); F.dropout(x, 0.5); F.dropout(x, 0.5, training=False)
F.l1_loss(x, target); F.l1_loss(x, C); F.kl_div(x, C, reduction='sum'); F.conv2d(image, filters, bias)
F.conv2d(image, filters); F.conv2d(image, FILTERS); F.conv2d(IMAGE, filters)
F.conv_transpose2d(image, upward); F.unfold(image, 2); F.fold(columns, 4, 2); F.pad(image, (1, 1))
F.pad(image, (1, 1), value=2.0); F.max_pool2d(image, 2); F.max_pool1d(signal, 2)
F.batch_norm(image, None, None, scale, shift, training=True); F.batch_norm(image, None, None, training=True)
F.dropout2d(image, 0.5); F.embedding(TOKENS, table); F.scaled_dot_product_attention(query, key, value)
F.scaled_dot_product_attention(query, key, value, is_causal=True); F.layer_norm(x, (3,), scale, shift)
F.layer_norm(x, (3,)); F.rms_norm(x, (3,), scale); F.rms_norm(x, (3,)); x.mul(y); x.neg(); x.float_power(2)
x.tan(); x.sinh(); x.cosh(); (x / 2).asin(); (x / 2).acos(); x.atan(); x.asinh(); (x + 1).acosh()
(x / 2).atanh(); x.exp2(); x.atan2(y); x.hypot(y); x.logaddexp(y); x.copysign(y); x.positive()
x.float_power(y); x.cumprod(1); x.logcumsumexp(1); x.diff(); v.inner(w); torch.index_put(x, (ROWS,), S)
torch.hstack([x, y]); torch.vstack([x, y]); torch.dstack([x, y]); x.ravel(); torch.tensordot(x, m, 1)
x.scatter_reduce(0, I, y, 'sum'); x.scatter_reduce(0, I, y, 'amax'); torch.linalg.vector_norm(x)
torch.linalg.norm(x); torch.linalg.matrix_power(q, 3); F.elu(x); F.selu(x); F.hardswish(x); F.softsign(x)
F.tanhshrink(x); F.normalize(x)
"""

# What is made of several operations here, whose last one gives the node its name.
COMPOSED = """
x.lerp(y, 0.3); x.lerp(y, C); x.lerp(y, target); x.addcmul(y, target, value=2); x.addcmul(C, y)
x.addcdiv(y, target); x.t().reshape(6); x.repeat_interleave(2, 1); x.split(2, 1); x.split([1, 2], 1)
x.chunk(2, 1); x.unbind(0); x.take_along_dim(I, 0); x.index_add(0, ROWS[:2], y); b.bmm(d)
torch.addmm(p[:, :2], x, m); torch.einsum('ij,jk->ik', x, m); torch.einsum('ij->i', x)
torch.einsum('ij,ij->', x, y); F.mse_loss(x, target); F.mse_loss(x, C, reduction='none'); F.mse_loss(x, C)
F.huber_loss(x, C); F.huber_loss(x, C, reduction='none'); F.cross_entropy(x, CLASSES); F.cross_entropy(x, C)
F.nll_loss(x, CLASSES); F.binary_cross_entropy(x.sigmoid(), HALVES)
F.binary_cross_entropy_with_logits(x, HALVES); F.conv1d(signal, taps, bias)
F.conv_transpose1d(signal, spread); F.avg_pool2d(image, 2); F.avg_pool1d(signal, 2)
F.adaptive_avg_pool2d(image, 2); F.adaptive_avg_pool2d(image, 1)
F.batch_norm(image, V, V.clone(), scale, shift); x.add(y, alpha=2); x.sub(y, alpha=2)
x.div(y, rounding_mode='floor'); x.frac(); x.logit(); x.fmod(y); x.fmod(0.3); x.fmax(y); x.fmin(y)
x.nan_to_num(); x.clamp_min(0.7); x.clamp_max(1.2); x.cummax(1); x.cummin(1); x.median(); x.median(1)
x.nansum(); x.nanmean(); x.aminmax(); torch.std_mean(x); torch.var_mean(x, 1); torch.trace(q)
torch.kron(x, m); x.take(I); x.index_fill(0, ROWS, 2.0); v.diag(); q.diag(); v.diag_embed()
torch.addmv(bias, x, v); torch.baddbmm(b[:, :, :2], b, d); torch.addr(q, v, w); torch.linalg.inv(SQUARE + q)
torch.linalg.det(SQUARE + q); torch.linalg.solve(SQUARE + q, v); torch.linalg.multi_dot([x, m, x]); F.celu(x)
F.hardtanh(x); F.relu6(x); F.hardsigmoid(x); F.mish(x); F.logsigmoid(x); F.softshrink(x); F.hardshrink(x)
F.threshold(x, 0.7, 0.1); F.prelu(x, scale[:1]); F.glu(m)
"""


def split(programs):
    return [text.strip() for text in re.split(r"[;\n]", programs) if text.strip()]


class Run:
    """One call of a program: its inputs, its outputs, and their gradients."""

    def __init__(self, torch, text):
        leaves, constants = inputs(torch)
        inner = {
            name: leaf * 1 for name, leaf in leaves.items()
        }  # which may be changed in place, unlike leaves
        tensors = inner | constants
        self.tensors = {name: tensor for name, tensor in tensors.items() if re.search(rf"\b{name}\b", text)}
        self.torch, self.wanted = torch, [x for name, x in self.tensors.items() if name in leaves]
        torch.manual_seed(0)
        output = eval(text, {"torch": torch, "F": torch.nn.functional} | self.tensors)
        self.outputs = output if isinstance(output, tuple) else (output,)
        self.differentiable = [y for y in self.outputs if y.requires_grad]

    def change(self, place):
        """Give an input, by its name, or an output, by its number, other values."""
        changed = self.outputs[place] if isinstance(place, int) else self.tensors[place]
        x = changed.detach()
        with self.torch.no_grad():
            changed.copy_(
                x * 1.5 + 0.25 if x.is_floating_point() else ~x if x.dtype == self.torch.bool else x.max() - x
            )

    def gradients(self):
        cotangents = [self.torch.ones_like(y) for y in self.differentiable]
        return self.torch.autograd.grad(self.differentiable, self.wanted, cotangents, allow_unused=True)


def after(torch, text, place):
    """The gradients with an input or output changed before backward; None if that is refused."""
    run = Run(torch, text)
    try:
        run.change(place)
        return run.gradients()
    except RuntimeError:
        return None


def outcome(torch, text):
    """The nodes of the outputs, what must not be changed before backward, and whether backward goes only once."""
    run = Run(torch, text)
    nodes, places = [y.grad_fn.name() for y in run.differentiable], [*run.tensors, *range(len(run.outputs))]
    run.gradients()
    try:
        once = bool(run.gradients() is None)
    except RuntimeError:
        once = True
    return {"nodes": nodes, "saved": [p for p in places if after(torch, text, p) is None], "once": once}


if __name__ == "__main__":
    import torch

    table = {text: outcome(torch, text) for text in split(PROGRAMS + COMPOSED)}
    RECORDED.write_text(
        "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()) + "\n}\n"
    )
