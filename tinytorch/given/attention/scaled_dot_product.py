"""Attention over all heads as one operation, made of `attend` and `attend_backward`."""

import math

import numpy as np

from tinytorch.attention import additive_mask, attend, attend_backward, causal_mask
from tinytorch.autograd import unbroadcast
from tinytorch.tensor import Function, broadcast_shapes, default_generator, wrap

__all__ = ["ScaledDotProductAttention", "check_attention", "scaled_dot_product_attention"]


class ScaledDotProductAttention(Function):
    """Attention head by head, so that a head's T x S tile is in the cache while it is worked on."""

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
        ctx.save_for_backward(query, key, value, keep, output, *kept)
        ctx.scale, ctx.shape, ctx.mask_shape = scale, shape, mask_shape
        return output

    @staticmethod
    def backward(ctx, grad):
        *arrays, keep, output = ctx.saved_tensors[:5]
        q, k, v = spread(arrays, ctx.shape[:-2])
        grads = [empty_by_position(x.shape, grad.dtype) for x in (q, k, v)]
        grad_mask = np.empty(ctx.shape, grad.dtype) if ctx.needs_input_grad[3:4] == (True,) else None
        for head, weights in zip(np.ndindex(ctx.shape[:-2]), ctx.saved_tensors[5:]):
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
    """An empty array (..., H, T, d) that lies in memory as (..., T, H, d): joining heads copies nothing."""
    if len(shape) < 3:
        return np.empty(shape, dtype)
    *batch, H, T, d = shape
    return np.empty((*batch, T, H, d), dtype).swapaxes(-3, -2)


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """softmax(scale · q kᵀ + mask) v, as `plain_attention`, but as one operation.

    Args:
        query, key, value: Tensors (..., T, d), (..., S, d) and (..., S, e); leading dimensions broadcast.
        attn_mask: a Tensor that broadcasts to (..., T, S): bool, True where a query may look; or numbers that
            are added.
        dropout_p: the chance with which a weight is dropped: always, for a function knows of no training.
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
        query, key, value = (query.unflatten(-3, (groups, -1)), key.unsqueeze(-3), value.unsqueeze(-3))
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
            f"queries {list(query.shape)}, keys {list(key.shape)} and values {list(value.shape)} do not go "
            "together: queries and keys must agree in their last dimension, keys and values in the one before"
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
