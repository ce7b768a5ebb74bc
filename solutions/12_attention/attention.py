# %% [markdown]
# # 12 Attention

# %%
#| export
import math
import warnings

import numpy as np

from tinytorch.activations import relu, sigmoid, softmax, tanh
from tinytorch.autograd import call, unbroadcast
from tinytorch.layers import (
    Linear,
    Module,
    Parameter,
    constant_,
    dropout,
    linear,
    uniform_,
    xavier_normal_,
    xavier_uniform_,
)
from tinytorch.tensor import (
    Cat,
    Function,
    broadcast_shapes,
    cat,
    default_generator,
    empty,
    stack,
    wrap,
    zeros,
)


# %%
#| export
def plain_attention(query, key, value, mask=None, scale=None, dropout_p=0.0):
    """Mix values by how well each query goes with each key, with the operations that you have.

    weights = softmax(scale · q kᵀ + mask),  output = weights v

    Args:
        query, key, value: Tensors (..., T, d), (..., S, d) and (..., S, e).
        mask: added to the scores before the softmax, a Tensor that broadcasts to (..., T, S); or None.
        scale: what the scores are multiplied by; None stands for 1/√d.
        dropout_p: the chance with which a weight is dropped; the weights returned are those that were used.

    Returns:
        The output (..., T, e), and the weights (..., T, S).

    >>> q = k = tensor([[0.0], [0.0]])
    >>> plain_attention(q, k, tensor([[1.0], [3.0]]))[0]
    tensor([[2.],
            [2.]])
    """
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query * scale) @ key.transpose(-2, -1)  # (..., T, S)
    weights = softmax(scores if mask is None else scores + mask, -1)
    weights = dropout(weights, dropout_p)
    return weights @ value, weights


# %%
#| export
def additive_mask(allowed, dtype):
    """Turn a mask of what is allowed into one that can be added to scores.

    Args:
        allowed: a bool array: True where a query may look at a key.
        dtype: the type of the scores, a NumPy dtype.

    Returns:
        An array of that type and of the mask's shape: 0 where allowed, -inf where not.

    >>> additive_mask(np.array([True, False]), np.float32)
    array([  0., -inf], dtype=float32)
    """
    return np.where(allowed, 0, -np.inf).astype(dtype)


# %%
#| export
def causal_mask(rows, columns, dtype=np.float32):
    """Make the mask that keeps a position from looking at later ones.

    Args:
        rows, columns: the positions of the queries and of the keys, ranges such as range(4, 8).
        dtype: the type of the scores.

    Returns:
        An array (len(rows), len(columns)) to be added: 0 where the key's position is at most the query's, else -inf.

    >>> causal_mask(range(2), range(3))
    array([[  0., -inf, -inf],
           [  0.,   0., -inf]], dtype=float32)
    """
    return additive_mask(np.array(rows)[:, None] >= np.array(columns), dtype)


# %%
#| export
def softmax_rows(scores):
    """Turn every row of scores into weights that sum to one, in the scores' own memory.

    Args:
        scores: an array (T, S), which is overwritten; -inf is a key that may not be looked at.

    Returns:
        The same array. A row of -inf only, a query that may look at nothing, becomes zeros, as in PyTorch.

    >>> softmax_rows(np.float32([[0, 0], [0, -np.inf], [-np.inf, -np.inf]]))
    array([[0.5, 0.5],
           [1. , 0. ],
           [0. , 0. ]], dtype=float32)
    """
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    largest[largest == -np.inf] = 0
    np.exp(np.subtract(scores, largest, out=scores), out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    scores /= total
    return scores


# %%
#| export
def attend(q, k, v, scale, mask=None, keep=None):
    """Compute attention for one head, on arrays.

    Args:
        q, k, v: arrays (T, d), (S, d) and (S, e).
        scale: what the scores are multiplied by.
        mask: an array that broadcasts to (T, S) and is added to the scores, or None.
        keep: an array (T, S) that the weights are multiplied by before they are used: dropout's; or None.

    Returns:
        The output (T, e), and the weights (T, S) as softmax left them, before `keep`.

    >>> attend(np.float32([[0]]), np.float32([[0], [0]]), np.float32([[1], [3]]), 1.0)[0]
    array([[2.]], dtype=float32)
    """
    weights = (q * scale) @ k.T  # (T, S); scaling q costs T x d products, scaling the scores T x S
    if mask is not None:
        weights += mask
    softmax_rows(weights)
    return (weights if keep is None else weights * keep) @ v, weights


# %%
#| export
def attend_backward(grad, q, k, v, scale, weights, output, keep=None):
    """Compute the gradients of one head's attention.

    dP = dO vᵀ,  dS = P (dP - rowsum(dO · O)),  dq = scale dS k,  dk = scale dSᵀ q,  dv = Pᵀ dO

    Args:
        grad: dO, the gradient of the output, (T, e).
        q, k, v, scale, keep: what `attend` was called with.
        weights, output: what it returned: P (T, S) and O (T, e).

    Returns:
        The gradients of q, k and v, and that of the scores, dS (T, S), which is also the mask's.
    """
    scores = grad @ v.T  # dP (T, S)
    if keep is not None:
        scores *= keep
    scores -= (grad * output).sum(axis=-1, keepdims=True)
    scores *= weights  # dS
    used = weights if keep is None else weights * keep
    return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores


# %%
#| export
class ScaledDotProductAttention(Function):
    """Attention as one operation, head by head, so that a head's T x S tile is in the cache while it is worked on."""

    once_differentiable = True  # the weights that are kept are neither input nor output

    @staticmethod
    def forward(ctx, query, key, value, mask=None, keep=None, *, scale, is_causal):
        arrays = query, key, value
        batch = np.broadcast_shapes(*[x.shape[:-2] for x in arrays])
        (T, _), (S, e) = query.shape[-2:], value.shape[-2:]
        q, k, v = spread(arrays, batch)
        shape = (*batch, T, S)
        mask_shape = None if mask is None else mask.shape
        if is_causal:
            causal = causal_mask(range(T), range(S), query.dtype)
            mask = causal if mask is None else mask + causal
        mask = None if mask is None else np.broadcast_to(mask, shape)
        output, kept = empty_by_position((*batch, T, e), query.dtype), []
        for head in np.ndindex(batch):
            output[head], weights = attend(q[head], k[head], v[head], scale, at(mask, head), at(keep, head))
            kept.append(weights)
        ctx.save_for_backward(query, key, value, keep, output)
        ctx.scale, ctx.weights, ctx.shape, ctx.mask_shape = scale, kept, shape, mask_shape
        return output

    @staticmethod
    def backward(ctx, grad):
        *arrays, keep, output = ctx.saved_tensors
        q, k, v = spread(arrays, ctx.shape[:-2])
        grads = [empty_by_position(x.shape, grad.dtype) for x in (q, k, v)]
        grad_mask = np.empty(ctx.shape, grad.dtype) if ctx.needs_input_grad[3:4] == (True,) else None
        for head, weights in zip(np.ndindex(ctx.shape[:-2]), ctx.weights):
            *found, scores = attend_backward(
                grad[head], q[head], k[head], v[head], ctx.scale, weights, output[head], at(keep, head)
            )
            for total, part in zip(grads, found):
                total[head] = part
            if grad_mask is not None:
                grad_mask[head] = scores
        if grad_mask is not None:
            grad_mask = unbroadcast(grad_mask, ctx.mask_shape)
        return *[unbroadcast(g, x.shape) for g, x in zip(grads, arrays)], grad_mask, None


def spread(arrays, batch):
    """Arrays (..., T, d) broadcast to the same leading dimensions."""
    return [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in arrays]


def at(array, head):
    """One head's part of an array that may be None."""
    return None if array is None else array[head]


def empty_by_position(shape, dtype):
    """An empty array (..., H, T, d) that lies in memory as (..., T, H, d): joining the heads then copies nothing."""
    if len(shape) < 3:
        return np.empty(shape, dtype)
    *batch, H, T, d = shape
    return np.empty((*batch, T, H, d), dtype).swapaxes(-3, -2)


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """softmax(scale · q kᵀ + mask) v, as `plain_attention`, but as one operation.

    Args:
        query, key, value: Tensors (..., T, d), (..., S, d) and (..., S, e), whose leading dimensions broadcast.
        attn_mask: a Tensor that broadcasts to (..., T, S): bool, True where a query may look; or numbers to be added.
        dropout_p: the chance with which a weight is dropped: here always, since a function does not know of training.
        is_causal: let a position look at itself and at earlier ones only.
        scale: what the scores are multiplied by; None stands for 1/√d.
        enable_gqa: let each head of the keys and values serve a group of the queries' heads.

    Returns:
        The output (..., T, e). A query that may look at nothing gets zeros.

    Raises:
        RuntimeError: for shapes and types that do not go together.
    """
    check_attention(query, key, value, attn_mask, dropout_p, enable_gqa)
    if enable_gqa:  # (..., H, T, d) as (..., groups, H/groups, T, d), beside keys (..., groups, 1, S, d)
        groups = key.shape[-3]
        query, key, value = query.unflatten(-3, (groups, -1)), key.unsqueeze(-3), value.unsqueeze(-3)
        if attn_mask is not None and attn_mask.dim() > 2:
            heads = attn_mask.shape[-3]
            attn_mask = attn_mask.unflatten(-3, (1, 1) if heads == 1 else (groups, -1))
    shape = (
        *broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2]),
        query.shape[-2],
        key.shape[-2],
    )
    if attn_mask is not None:
        broadcast_shapes(attn_mask.shape, shape)
        if not attn_mask.is_floating_point():
            attn_mask = wrap(additive_mask(attn_mask.array, query.array.dtype))
        attn_mask = attn_mask.to(query.dtype)
    keep = None
    if dropout_p:
        kept = default_generator.bernoulli(1 - dropout_p, shape) if dropout_p < 1 else np.zeros(shape)
        keep = kept.astype(query.array.dtype) / max(1 - dropout_p, 1e-38)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    output = ScaledDotProductAttention.apply(
        query, key, value, attn_mask, keep, scale=scale, is_causal=is_causal
    )
    return output.flatten(-4, -3) if enable_gqa else output


def check_attention(query, key, value, mask, dropout_p, enable_gqa):
    """RuntimeError for queries, keys, values and masks between which there is no attention."""
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be at least 2 dimensional, but got "
            f"query.dim: {query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got "
            f"query.dtype: {query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead."
        )
    if not query.is_floating_point():
        raise RuntimeError(f"expected scalar type Float but found {query.dtype}")
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise RuntimeError(
            f"queries {list(query.shape)}, keys {list(key.shape)} and values {list(value.shape)} do not go together: queries "
            "and keys must agree in their last dimension, keys and values in the one before"
        )
    if mask is not None and mask.dtype != query.dtype and mask.dtype.name not in ("bool", "float32"):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, "
            f"but got attn_mask.dtype: {mask.dtype} and query.dtype: {query.dtype} instead."
        )
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if enable_gqa and (
        min(query.dim(), key.dim()) < 3 or query.shape[-3] % key.shape[-3] or key.shape[-3] != value.shape[-3]
    ):
        raise RuntimeError("Number of heads in key and value must divide the number of heads in query")


# %%
#| export
def split_heads(x, num_heads):
    """Cut vectors into `num_heads` parts, and put the heads before the positions.

    Args:
        x: a Tensor (B, T, E); num_heads divides E.

    Returns:
        A view (B, num_heads, T, E / num_heads): head 0 has the first entries of each vector.

    >>> split_heads(zeros(2, 3, 8), 4).shape
    torch.Size([2, 4, 3, 2])
    """
    B, T, E = x.shape
    return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)


#| export
def join_heads(x):
    """Undo `split_heads`: (B, H, T, d) to (B, T, H d).

    >>> join_heads(split_heads(zeros(2, 3, 8), 4)).shape
    torch.Size([2, 3, 8])
    """
    return x.transpose(1, 2).flatten(2)


# %%
#| export
def multi_head_attention(q, k, v, num_heads, mask=None, dropout_p=0.0, need_weights=True, is_causal=False):
    """Let every head attend on its own, and join what they found.

    Args:
        q, k, v: projected queries (B, T, E), keys and values (B, S, E).
        num_heads: how many heads share the E entries.
        mask: added to the scores, a Tensor that broadcasts to (B, H, T, S); or None.
        dropout_p: the chance with which a weight is dropped.
        need_weights: whether the weights are wanted: then attention is `plain_attention`, else the fused operation.
        is_causal: only where weights are not needed: the mask is the causal one.

    Returns:
        The joined output (B, T, E), and the weights (B, H, T, S) or None.
    """
    q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
    if need_weights:
        output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
    else:
        output, weights = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal), None
    return join_heads(output), weights


# %%
#| export
class NonDynamicallyQuantizableLinear(Linear):
    """A Linear; MultiheadAttention's last layer carries this name in PyTorch."""


class MultiheadAttention(Module):
    """Project queries, keys and values, attend with several heads, project the result (Vaswani et al., 2017, section 3.2).

    Args:
        embed_dim: E, the length of the vectors; num_heads divides it.
        dropout: the chance with which a weight is dropped while training.
        bias: whether the projections have one.
        add_bias_kv: add a learned key and value to every sequence; add_zero_attn: add a zero key and value.
        kdim, vdim: the lengths of keys and values, where they are not E.
        batch_first: tensors are (B, T, E) in place of (T, B, E).
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        packed = Parameter(empty(3 * embed_dim, embed_dim, **options)) if self._qkv_same_embed_dim else None
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            separate = Parameter(empty(embed_dim, width, **options)) if packed is None else None
            self.register_parameter(f"{name}_proj_weight", separate)
        self.register_parameter("in_proj_weight", packed)
        self.register_parameter("in_proj_bias", Parameter(empty(3 * embed_dim, **options)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **options)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(
                name, Parameter(empty(1, 1, embed_dim, **options)) if add_bias_kv else None
            )
        self._reset_parameters()

    def _reset_parameters(self):
        """Draw the projections by Glorot and Bengio's rule; biases are zero."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            xavier_normal_(self.bias_k)
            xavier_normal_(self.bias_v)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        """Attend from `query` to `key` and `value`.

        Args:
            query, key, value: (T, B, E), (S, B, kdim), (S, B, vdim); B first with `batch_first`; without B for one sequence.
            key_padding_mask: (B, S): True, or -inf, where a key is padding.
            need_weights: whether the weights are returned too; attention is faster without.
            attn_mask: (T, S) or (B·H, T, S): True where a query must not look, or numbers to be added.
            average_attn_weights: return the mean of the heads' weights, not each.
            is_causal: a hint that `attn_mask` is the causal one, which must be given all the same.

        Returns:
            The output, shaped as the query, and the weights (B, T, S), or (B, H, T, S), or None.
        """
        batched = check_multi_head(self, query, key, value, key_padding_mask, attn_mask, is_causal)
        q, k, v = self.project(query, key, value, batched)  # (B, T, E), (B, S, E) twice
        hinted = is_causal and key_padding_mask is None and not need_weights and self.bias_k is None
        hinted = hinted and not self.add_zero_attn
        mask = None if hinted else merge_masks(attn_mask, key_padding_mask, q, k, self.num_heads)
        k, v, mask = self.extend(k, v, mask)
        output, weights = multi_head_attention(
            q, k, v, self.num_heads, mask, self.dropout if self.training else 0.0, need_weights, hinted
        )  # fmt: skip
        output = self.out_proj(
            output.transpose(0, 1)
        )  # (T, B, E), in memory too, so that dropout draws as PyTorch's
        if need_weights and average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            return output.squeeze(1), weights if weights is None else weights.squeeze(0)
        return output.transpose(0, 1) if self.batch_first else output, weights

    def project(self, query, key, value, batched):
        """The queries, keys and values of the heads, batch first: one product where all three come from one tensor."""
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        order = (
            (lambda x: x.unsqueeze(0))
            if not batched
            else (lambda x: x if self.batch_first else x.transpose(0, 1))
        )
        if not self._qkv_same_embed_dim:
            matrices = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        elif query is key and key is value:
            packed = linear(order(query), self.in_proj_weight, self.in_proj_bias)
            return unbind(packed.unflatten(-1, (3, self.embed_dim)), 2)
        else:
            matrices = self.in_proj_weight.chunk(3)
        return [linear(order(x), W, b) for x, W, b in zip((query, key, value), matrices, biases)]

    def extend(self, k, v, mask):
        """Keys, values and mask with the learned pair and the zero pair behind them, where the module has such."""
        more = [(self.bias_k, self.bias_v)] if self.bias_k is not None else []
        more += [(zeros(1, 1, self.embed_dim, dtype=k.dtype),) * 2] if self.add_zero_attn else []
        for extra_k, extra_v in more:
            k = cat([k, extra_k.expand(len(k), 1, self.embed_dim)], 1)
            v = cat([v, extra_v.expand(len(v), 1, self.embed_dim)], 1)
            mask = None if mask is None else cat([mask, zeros(*mask.shape[:-1], 1, dtype=mask.dtype)], -1)
        return k, v, mask


class Unbind(Function):
    """The slices along a dimension. Their gradients go back as one array, where indexing makes one for each slice."""

    @staticmethod
    def forward(ctx, x, dim):
        ctx.dim = dim
        return tuple(np.moveaxis(x, dim, 0))

    @staticmethod
    def backward(ctx, *grads):
        return call(
            Cat, *[g.reshape(*g.shape[: ctx.dim], 1, *g.shape[ctx.dim :]) for g in grads], dim=ctx.dim
        )


def unbind(x, dim):
    """The slices of a Tensor along `dim`, as a tuple."""
    slices = Unbind.apply(x, dim=dim)
    return slices if isinstance(slices, tuple) else (slices,)


def merge_masks(attn_mask, key_padding_mask, q, k, num_heads):
    """Both masks as one that is added to scores (B, H, T, S), or None. In these masks True is what must not be seen."""
    merged = None
    if attn_mask is not None:
        merged = blocked_to_added(attn_mask, q)
        if merged.dim() == 3:
            merged = merged.unflatten(0, (-1, num_heads))
    if key_padding_mask is not None:
        padding = blocked_to_added(key_padding_mask, q).reshape(len(k), 1, 1, -1)
        merged = padding if merged is None else merged + padding
    return merged


def blocked_to_added(mask, like):
    """A mask of what must not be seen as one to be added; one of numbers as it is."""
    assert mask.is_floating_point() or mask.dtype.name == "bool", (
        "only bool and floating types of attn_mask are supported"
    )
    return mask if mask.is_floating_point() else wrap(additive_mask(~mask.array, like.array.dtype))


def check_multi_head(module, query, key, value, key_padding_mask, attn_mask, is_causal):
    """Whether there is a batch dimension; AssertionError or RuntimeError for what does not go together, as in PyTorch."""
    assert query.dim() in (2, 3), (
        f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
    )
    batched, kind = query.dim() == 3, "3-D" if query.dim() == 3 else "2-D"
    assert key.dim() == value.dim() == query.dim(), (
        f"For {kind} query, expected key and value to be {kind} but found {key.dim()}-D and {value.dim()}-D"
    )
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    assert query.shape[-1] == module.embed_dim, (
        f"was expecting embedding dimension of {module.embed_dim}, but got {query.shape[-1]}"
    )
    if module._qkv_same_embed_dim:
        assert key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}"
    else:
        assert key.shape[:-1] == value.shape[:-1], (
            f"key's sequence and batch dims {key.shape[:-1]} do not match value's {value.shape[:-1]}"
        )
    batch, position = (0, 1) if module.batch_first and batched else (1, 0)
    B = query.shape[batch] if batched else 1
    T, S = query.shape[position], key.shape[position]
    if key_padding_mask is not None:
        expected = (B, S) if batched else (S,)
        assert key_padding_mask.shape == expected, (
            f"Expected key_padding_mask of shape {expected}, but got {tuple(key_padding_mask.shape)}"
        )
    if attn_mask is not None:
        expected = (T, S) if attn_mask.dim() == 2 else (B * module.num_heads, T, S)
        if attn_mask.shape != expected:
            raise RuntimeError(
                f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be {expected}."
            )
    return batched


# %%
#| export
def attention_map(weights, queries=None, keys=None, titles=None):
    """Draw weights as heat maps: a row for each query, a column for each key, a picture for each head.

    Args:
        weights: attention weights (T, S) or (H, T, S), a Tensor.
        queries, keys: labels of the rows and columns, such as the tokens; keys are the queries where they are left out.
        titles: one for each head.

    Returns:
        A matplotlib Figure.
    """
    from matplotlib.figure import Figure

    maps = weights.detach().numpy()
    maps = maps[None] if maps.ndim == 2 else maps
    keys = queries if keys is None else keys
    side = max(2.4, 0.16 * max(maps.shape[1:]))
    figure = Figure(figsize=(side * len(maps), side + 0.4), layout="constrained")
    for number, (axes, head) in enumerate(zip(figure.subplots(1, len(maps), squeeze=False)[0], maps)):
        axes.imshow(
            head, cmap="viridis", vmin=0, vmax=max(head.max(initial=0), 1e-9), interpolation="nearest"
        )
        axes.set_title(titles[number] if titles else f"head {number}", fontsize=9)
        for labels, axis in ((keys, axes.xaxis), (queries, axes.yaxis)):
            if labels is not None:
                axis.set_ticks(range(len(labels)), labels=list(labels), fontsize=7)
        axes.tick_params(axis="x", labelrotation=90 if keys is not None and max(map(len, keys)) > 1 else 0)
    return figure


# %%
#| export
def online_update(largest, total, sums, scores, values):
    """Take one more block of keys into a softmax that has seen only the earlier ones.

    Args:
        largest: the largest score of each query so far, (..., T, 1); -inf before the first block.
        total: the sum of exp(score - largest) so far, (..., T, 1).
        sums: the sum of exp(score - largest) value so far, (..., T, e).
        scores: the scores of the new keys, (..., T, S'), of which each row has one that is not -inf.
        values: the values of the new keys, (..., S', e).

    Returns:
        largest, total and sums, the new block included; sums / total is then the attention over all keys so far.

    >>> start = np.float32([[-np.inf]]), np.float32([[0]]), np.float32([[0]])
    >>> online_update(*start, np.float32([[2.0, 2.0]]), np.float32([[1], [3]]))
    (array([[2.]], dtype=float32), array([[2.]], dtype=float32), array([[4.]], dtype=float32))
    """
    new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
    weights = np.exp(scores - new)
    shrink = np.exp(largest - new)
    return new, shrink * total + weights.sum(axis=-1, keepdims=True), shrink * sums + weights @ values


# %%
#| export
def blocks(length, size):
    """The slices that cut `length` positions into blocks of `size`."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def visible(rows, length, size, is_causal):
    """The blocks of keys that some query among `rows` may look at."""
    return [columns for columns in blocks(length, size) if not is_causal or columns.start < rows.stop]


def tile(q, k, rows, columns, scale, is_causal):
    """The scores of a block of queries and a block of keys, masked where the diagonal runs through them."""
    scores = (q[..., rows, :] * scale) @ k[..., columns, :].swapaxes(-2, -1)
    if is_causal and columns.stop > rows.start + 1:
        scores += causal_mask(range(rows.start, rows.stop), range(columns.start, columns.stop), scores.dtype)
    return scores


# %%
#| export
class BlockedAttention(Function):
    once_differentiable = True

    @staticmethod
    def forward(ctx, q, k, v, *, scale, is_causal, block_size):
        """Compute attention block by block, and never hold more scores than those of one pair of blocks.

        Args:
            q, k, v: arrays (..., T, d), (..., S, d) and (..., S, e) with the same leading dimensions.
            scale, is_causal: as for `scaled_dot_product_attention`.
            block_size: how many queries, and how many keys, a block has.

        Returns:
            The output (..., T, e).

        Saves:
            q, k, v, the output, and the logarithm of each row's sum of exponentials (..., T, 1).
        """
        output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
        logsumexp = np.empty((*q.shape[:-1], 1), q.dtype)
        for rows in blocks(q.shape[-2], block_size):
            shape = (*q.shape[:-2], rows.stop - rows.start)
            largest, total = np.full((*shape, 1), -np.inf, q.dtype), np.zeros((*shape, 1), q.dtype)
            sums = np.zeros((*shape, v.shape[-1]), q.dtype)
            for columns in visible(rows, k.shape[-2], block_size, is_causal):
                scores = tile(q, k, rows, columns, scale, is_causal)
                largest, total, sums = online_update(largest, total, sums, scores, v[..., columns, :])
            output[..., rows, :] = sums / total
            logsumexp[..., rows, :] = largest + np.log(total)
        ctx.save_for_backward(q, k, v, output, logsumexp)
        ctx.options = scale, is_causal, block_size
        return output

    @staticmethod
    def backward(ctx, grad):
        """Make each tile of weights again, as exp(scores - logsumexp), and add up what it sends back."""
        q, k, v, output, logsumexp = ctx.saved_tensors
        scale, is_causal, size = ctx.options
        dq, dk, dv = (np.zeros(x.shape, x.dtype) for x in (q, k, v))
        delta = (grad * output).sum(axis=-1, keepdims=True)
        for rows in blocks(q.shape[-2], size):
            g = grad[..., rows, :]
            for columns in visible(rows, k.shape[-2], size, is_causal):
                weights = np.exp(tile(q, k, rows, columns, scale, is_causal) - logsumexp[..., rows, :])
                dv[..., columns, :] += weights.swapaxes(-2, -1) @ g
                weights *= g @ v[..., columns, :].swapaxes(-2, -1) - delta[..., rows, :]
                weights *= scale
                dq[..., rows, :] += weights @ k[..., columns, :]
                dk[..., columns, :] += weights.swapaxes(-2, -1) @ q[..., rows, :]
        return dq, dk, dv


# %%
#| export
def blocked_attention(query, key, value, is_causal=False, scale=None, block_size=128):
    """`scaled_dot_product_attention` in memory that does not grow with T x S (Dao et al., 2022); no masks but the causal."""
    check_attention(query, key, value, None, 0.0, False)
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2] or key.shape[-2] == 0:
        raise RuntimeError(
            f"blocked_attention takes equal leading dimensions and at least one key, but got queries {list(query.shape)}, "
            f"keys {list(key.shape)} and values {list(value.shape)}"
        )
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return BlockedAttention.apply(query, key, value, scale=scale, is_causal=is_causal, block_size=block_size)


# %%
#| export
def lstm_step(gates, h, c, weight, bias=None):
    """Take one step of a long short-term memory (Hochreiter and Schmidhuber, 1997; Gers et al., 2000).

    i, f, g, o = the four quarters of gates + h Wᵀ + b
    c' = σ(f) c + σ(i) tanh(g),  h' = σ(o) tanh(c')

    Args:
        gates: what the input contributes, x W_ihᵀ + b_ih, (B, 4H).
        h, c: the output and the memory of the step before, (B, P) and (B, H).
        weight, bias: W (4H, P) and b (4H,) or None.

    Returns:
        h' and c', (B, H) each.
    """
    i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


# %%
#| export
def gru_step(gates, h, weight, bias=None):
    """Take one step of a gated recurrent unit (Cho et al., 2014).

    r, z, n = the three thirds of gates, and r', z', n' those of h Wᵀ + b
    n'' = tanh(n + σ(r + r') n'),  h' = (1 - σ(z + z')) n'' + σ(z + z') h

    Args:
        gates: what the input contributes, x W_ihᵀ + b_ih, (B, 3H).
        h: the state of the step before, (B, H).
        weight, bias: W (3H, H) and b (3H,) or None.

    Returns:
        h', (B, H).
    """
    (r, z, n), (r_h, z_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)
    z = sigmoid(z + z_h)
    n = tanh(n + sigmoid(r + r_h) * n_h)
    return n + z * (h - n)


# %% [markdown]
# ## The rest of the family


# %%
#| export
class RecurrentModule(Module):
    """What cells and layers share: how weights are registered and drawn, and how one step is taken."""

    gates, memory = 1, False  # how many gates a unit has; whether there is a c beside h
    nonlinearity = "tanh"

    def add_weights(self, suffix, input_size, hidden_size, recurrent_size, bias, options):
        rows = self.gates * hidden_size
        self.register_parameter(f"weight_ih{suffix}", Parameter(empty(rows, input_size, **options)))
        self.register_parameter(f"weight_hh{suffix}", Parameter(empty(rows, recurrent_size, **options)))
        for name in ("bias_ih", "bias_hh"):
            if bias or not suffix:
                parameter = Parameter(empty(rows, **options)) if bias else None
                self.register_parameter(name + suffix, parameter)

    def reset_parameters(self):
        """Draw every parameter evenly from ±1/√hidden_size."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def step(self, gates, state, weight, bias):
        """The next state, a tuple, from what the input contributes and the state before."""
        return (activation(self.nonlinearity)(gates + linear(state[0], weight, bias)),)


def activation(nonlinearity):
    """tanh or relu by its name."""
    if nonlinearity not in ("tanh", "relu"):
        raise RuntimeError(f"Unknown nonlinearity: {nonlinearity}")
    return tanh if nonlinearity == "tanh" else relu


class LSTMStep:
    """A step with four gates and a memory."""

    gates, memory = 4, True

    def step(self, gates, state, weight, bias):
        return lstm_step(gates, *state, weight, bias)


class GRUStep:
    """A step with three gates."""

    gates = 3

    def step(self, gates, state, weight, bias):
        return (gru_step(gates, *state, weight, bias),)


class RecurrentCell(RecurrentModule):
    """One step of a recurrent network, with its weights."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self.add_weights("", input_size, hidden_size, hidden_size, bias, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def forward(self, input, hx=None):
        """From input (B, input_size) and the state to the next: h (B, hidden_size), or (h, c); B may be left out."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if x.shape[1] != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}"
            )
        if hx is None:
            state = (zeros(len(x), self.hidden_size, dtype=x.dtype),) * (1 + self.memory)
        else:
            state = hx if self.memory else (hx,)
            if any(s.dim() not in (1, 2) for s in state):
                raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {state[0].dim()}D instead")
            state = tuple(s if batched else s.unsqueeze(0) for s in state)
        for number, s in enumerate(state):
            if len(s) != len(x):
                raise RuntimeError(
                    f"Input batch size {len(x)} doesn't match hidden{number} batch size {len(s)}"
                )
            if s.shape[1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{number} has inconsistent hidden_size: got {s.shape[1]}, expected {self.hidden_size}"
                )
        state = self.step(linear(x, self.weight_ih, self.bias_ih), state, self.weight_hh, self.bias_hh)
        state = tuple(s if batched else s.squeeze(0) for s in state)
        return state if self.memory else state[0]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias is True else f", bias={self.bias}"
        return text + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class RNNCell(RecurrentCell):
    """h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu of it."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity


class LSTMCell(LSTMStep, RecurrentCell):
    """One step of a long short-term memory: input and (h, c) to (h', c')."""


class GRUCell(GRUStep, RecurrentCell):
    """One step of a gated recurrent unit: input and h to h'."""


# %%
#| export
class RecurrentLayers(RecurrentModule):
    """Recurrent networks over whole sequences, stacked `num_layers` high, and in both directions if asked for."""

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        for name, size in (("hidden_size", hidden_size), ("num_layers", num_layers)):
            if not isinstance(size, int):
                raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size and not self.memory:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if not 0 <= proj_size < hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size, and not negative")
        if dropout and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        self.input_size, self.hidden_size, self.num_layers, self.bias = (
            input_size,
            hidden_size,
            num_layers,
            bias,
        )
        self.batch_first, self.dropout, self.bidirectional = batch_first, float(dropout), bidirectional
        self.proj_size, self.output_size = proj_size, proj_size or hidden_size
        self.suffixes = [
            f"_l{n}{way}" for n in range(num_layers) for way in ("", "_reverse")[: 1 + bidirectional]
        ]
        options = {"device": device, "dtype": dtype}
        for number, suffix in enumerate(self.suffixes):
            below = input_size if number <= bidirectional else self.output_size * (1 + bidirectional)
            self.add_weights(suffix, below, hidden_size, self.output_size, bias, options)
            if proj_size:
                self.register_parameter(
                    f"weight_hr{suffix}", Parameter(empty(proj_size, hidden_size, **options))
                )
        self.reset_parameters()

    def forward(self, input, hx=None):
        """Run over input (T, B, input_size), from the state (layers · directions, B, hidden_size) or from zeros.

        Returns:
            The last layer's outputs (T, B, directions · hidden_size) and the last state: h, or (h, c). With `batch_first`
            inputs and outputs, though not states, are (B, T, ...); B may be left out of all.
        """
        if input.dim() not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead"
            )
        if input.dtype != self.weight_ih_l0.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({self.weight_ih_l0.dtype})"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )
        batched = input.dim() == 3
        x = (
            input.unsqueeze(1) if not batched else input.transpose(0, 1) if self.batch_first else input
        )  # (T, B, I)
        states, last, ways = self.initial(hx, x, batched), [], 1 + self.bidirectional
        for number in range(self.num_layers):
            suffixes = self.suffixes[number * ways : (number + 1) * ways]
            found = [self.run(x, suffix, states[self.suffixes.index(suffix)]) for suffix in suffixes]
            x = cat([outputs for outputs, _ in found], -1) if self.bidirectional else found[0][0]
            last += [state for _, state in found]
            if self.dropout and number < self.num_layers - 1:
                x = dropout(x, self.dropout, self.training)
        last = tuple(stack(part) for part in zip(*last))
        if not batched:
            x, last = x.squeeze(1), tuple(part.squeeze(1) for part in last)
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, last if self.memory else last[0]

    def run(self, x, suffix, state):
        """One layer in one direction: its outputs (T, B, H), and its last state."""
        weight, bias = getattr(self, f"weight_hh{suffix}"), getattr(self, f"bias_hh{suffix}", None)
        gates = linear(x, getattr(self, f"weight_ih{suffix}"), getattr(self, f"bias_ih{suffix}", None))
        steps, outputs = unbind(gates, 0), []  # the inputs' share of all steps is one product
        for gates in reversed(steps) if suffix.endswith("reverse") else steps:
            state = self.step(gates, state, weight, bias)
            if self.proj_size:
                state = (linear(state[0], getattr(self, f"weight_hr{suffix}")), *state[1:])
            outputs.append(state[0])
        return stack(outputs[::-1] if suffix.endswith("reverse") else outputs), state

    def initial(self, hx, x, batched):
        """The state before the first step of every layer and direction: what was given, or zeros."""
        sizes = (self.output_size, self.hidden_size)[: 1 + self.memory]
        shapes = [(len(self.suffixes), x.shape[1], size) for size in sizes]
        if hx is None:
            hx = tuple(zeros(*shape, dtype=x.dtype) for shape in shapes)
        else:
            hx = hx if self.memory else (hx,)
            if any(part.dim() != (3 if batched else 2) for part in hx):
                raise RuntimeError(
                    f"For {'batched 3-D' if batched else 'unbatched 2-D'} input, hx should also be {3 if batched else 2}-D "
                    f"but got {'-D and '.join(str(part.dim()) for part in hx)}-D"
                )
            hx = tuple(part if batched else part.unsqueeze(1) for part in hx)
        for part, shape in zip(hx, shapes):
            if part.shape != shape:
                raise RuntimeError(f"Expected hidden size {shape}, got {list(part.shape)}")
        return list(zip(*(unbind(part, 0) for part in hx)))

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        ordinary = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        changed = {
            name: getattr(self, name) for name, usual in ordinary.items() if getattr(self, name) != usual
        }
        return ", ".join([text, *(f"{name}={value}" for name, value in changed.items())])


class RNN(RecurrentLayers):
    """A plain recurrent network: h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu of it (Elman, 1990)."""

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        nonlinearity="tanh",
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        device=None,
        dtype=None,
    ):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )
        self.nonlinearity = nonlinearity


class LSTM(LSTMStep, RecurrentLayers):
    """Long short-term memories over sequences; the state is (h, c)."""


class GRU(GRUStep, RecurrentLayers):
    """Gated recurrent units over sequences."""
