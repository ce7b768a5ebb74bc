"""Attention over all heads as one operation, made of `attend` and `attend_backward`."""

import math

import numpy as np

from tinytorch.attention import additive_mask, attend, attend_backward, causal_mask
from tinytorch.autograd import unbroadcast
from tinytorch.given.tensor.arrays import beside
from tinytorch.tensor import Function, Tensor, broadcast_shapes, default_generator, in_float32, wrap

__all__ = ["ScaledDotProductAttention", "check_attention", "scaled_dot_product_attention"]


class ScaledDotProductAttention(Function):
    """Attention head by head, so that a head's T x S tile is in the cache while it is worked on."""

    once_differentiable = True  # the weights that are kept are neither input nor output
    node_name = "ScaledDotProductFlashAttentionForCpu"

    @staticmethod
    def forward(ctx, query, key, value, mask=None, keep=None, *, scale, is_causal):
        arrays = query, key, value
        batch = np.broadcast_shapes(*[x.shape[:-2] for x in arrays])
        (T, _), (S, e) = query.shape[-2:], value.shape[-2:]
        q, k, v = spread(arrays, batch)
        shape = (*batch, T, S)
        mask_shape = None if mask is None else mask.shape
        if is_causal:  # then there is no other mask
            mask = beside(query, causal_mask(range(T), range(S), query.dtype))
        mask = None if mask is None else np.broadcast_to(mask, shape)
        output, kept = empty_by_position(query, (*batch, T, e)), []
        for head in np.ndindex(batch):
            output[head], weights = attend(q[head], k[head], v[head], scale, at(mask, head), at(keep, head))
            kept.append(weights)
        ctx.save_for_backward(query, key, value, keep, output, *kept)
        ctx.scale, ctx.shape, ctx.mask_shape = scale, shape, mask_shape
        return output

    @staticmethod
    def backward(ctx, grad):
        query, key, value, keep, output, *kept = ctx.saved_tensors
        arrays = query, key, value
        q, k, v = spread(arrays, ctx.shape[:-2])
        grads = [empty_by_position(grad, x.shape) for x in (q, k, v)]
        grad_mask = (
            np.empty_like(grad, shape=ctx.shape, order="C") if ctx.needs_input_grad[3:4] == (True,) else None
        )
        for head, weights in zip(np.ndindex(ctx.shape[:-2]), kept):
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


def empty_by_position(like, shape):
    """An empty (..., H, T, d) of another array's type, laid out as (..., T, H, d): joining is free."""
    if len(shape) < 3:
        return np.empty_like(like, shape=shape, order="C")
    *batch, H, T, d = shape
    return np.empty_like(like, shape=(*batch, T, H, d), order="C").swapaxes(-3, -2)


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False
):
    """softmax(scale · q kᵀ + mask) v, as `plain_attention`, but as one operation.

    Args:
        query, key, value: Tensors (..., T, d), (..., S, d) and (..., S, e); leading dimensions broadcast.
        attn_mask: a Tensor that broadcasts to (..., T, S): bool, True where a query may look; or numbers that
            are added.
        dropout_p: the probability that a weight is dropped, always, because a function has no training mode.
        is_causal: let a position look at itself and at earlier ones only; without a mask.
        scale: what the scores are multiplied by; None stands for 1/√d.
        enable_gqa: let each head of the keys, and each of the values, serve a group of the queries' heads.

    Returns:
        The output (..., T, e). A query that may look at nothing gets zeros.

    Raises:
        RuntimeError: for shapes and types that do not go together, and for a mask together with is_causal.
        TypeError: for arguments of another kind.
    """
    check_arguments(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    check_attention(query, key, value)
    if enable_gqa:
        check_groups(query, key, value)
    mask = None if attn_mask is None else added_mask(attn_mask, query, key, value, enable_gqa)
    if enable_gqa:
        query, key, value, mask = in_groups(query, key, value, mask)
    batch, keep = broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2]), None
    if dropout_p > 0:
        shape = *batch, query.shape[-2], key.shape[-2]
        kept = default_generator.bernoulli(1 - dropout_p, shape) if dropout_p < 1 else np.zeros(shape)
        keep = beside(query.array, kept.astype(query.array.dtype) / (1 - dropout_p or 1))
    scale = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else float(scale)
    output = in_float32(
        ScaledDotProductAttention, query, key, value, mask, keep, scale=scale, is_causal=is_causal
    )
    return output.flatten(-4, -3) if enable_gqa else output


def in_groups(query, key, value, mask):
    """Queries (..., H, T, d) as (..., groups, H/groups, T, d), beside keys (..., groups, 1, S, d)."""
    heads = query.shape[-3]
    if (
        key.shape[-3] != value.shape[-3]
    ):  # groups of two sizes: a head of keys and one of values for each query's
        key, value = (x.repeat_interleave(heads // x.shape[-3], -3) for x in (key, value))
    groups = key.shape[-3]
    if mask is not None and mask.dim() > 2:
        mask = mask.unflatten(-3, (1, 1) if mask.shape[-3] == 1 else (groups, -1))
    in_each = (groups, heads // groups if groups else 0)
    return query.unflatten(-3, in_each), key.unsqueeze(-3), value.unsqueeze(-3), mask


def added_mask(mask, query, key, value, enable_gqa):
    """A mask as numbers that are added, of the queries' dtype; RuntimeError where it fits no scores."""
    if mask.dim() < 2:
        raise IndexError(f"attn_mask needs a dimension of queries and one of keys, and has {mask.dim()}")
    heads = query.shape[:-2] if enable_gqa else broadcast_shapes(query.shape[:-2], key.shape[:-2])
    shape = (*heads, query.shape[-2], key.shape[-2])
    if (found := broadcast_shapes(shape, mask.shape)) != shape:
        raise RuntimeError(f"scores of shape {list(shape)} don't match the broadcast shape {list(found)}")
    if not mask.is_floating_point():
        mask = wrap(additive_mask(mask.array, query.array.dtype))
    return mask.to(query.dtype)


def check_arguments(query, key, value, mask, dropout_p, is_causal, scale, enable_gqa):
    """TypeError for arguments of the wrong kind; RuntimeError for options that exclude each other."""
    tensors = {"query": query, "key": key, "value": value, **({} if mask is None else {"attn_mask": mask})}
    numbers = {"dropout_p": dropout_p, **({} if scale is None or is_number(scale) else {"scale": scale})}
    switches = {"is_causal": is_causal, "enable_gqa": enable_gqa}
    for kind, allowed, arguments in (
        ("Tensor", Tensor, tensors),
        ("float", (int, float, np.number), numbers),
        ("bool", bool, switches),
    ):
        for name, argument in arguments.items():
            if not isinstance(argument, allowed):
                found = type(argument).__name__
                raise TypeError(
                    f"scaled_dot_product_attention(): argument '{name}' must be {kind}, not {found}"
                )
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if mask is not None and is_causal:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    if mask is not None and mask.dtype != query.dtype and mask.dtype.name not in ("bool", "float32"):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, "
            f"but got attn_mask.dtype: {mask.dtype} and query.dtype: {query.dtype} instead."
        )


def is_number(x):
    """Whether x is a Tensor that stands for a number: without dimensions, and without a gradient."""
    return isinstance(x, Tensor) and x.dim() == 0 and not x.requires_grad


def check_attention(query, key, value):
    """RuntimeError for queries, keys and values between which there is no attention."""
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


def check_groups(query, key, value):
    """What enable_gqa asks for: heads, whose number is a multiple of that of the keys and of the values."""
    if min(query.dim(), key.dim(), value.dim()) < 3:
        raise IndexError("enable_gqa needs a dimension of heads: query, key and value of three or more")
    if any(query.shape[-3] % max(x.shape[-3], 1) for x in (key, value)):
        raise RuntimeError("Number of heads in key and value must divide the number of heads in query")
