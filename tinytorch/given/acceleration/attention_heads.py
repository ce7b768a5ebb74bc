"""Attention with all heads at once, for short sequences.

Head by head, as `ScaledDotProductAttention` goes, a head's tile of scores stays in the cache; but where tiles
are small, calling NumPy some ten times for each costs more than the arithmetic. Here each product is one call
for all heads, with one kernel between the products.
"""

import numpy as np
from numpy import float32

from tinytorch.acceleration import SUM, exp, largest
from tinytorch.autograd import unbroadcast
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.matrix_products import product
from tinytorch.given.acceleration.threads import EXPONENTIAL, by_rows
from tinytorch.given.attention.scaled_dot_product import ScaledDotProductAttention, empty_by_position

__all__ = []

ZERO = float32(0)
WORTH_HALVING = (
    128  # rows: halves took 0.79 of the products' time; 0.86 for 64 and 0.96 for 32, before their calls
)
LARGEST_TILE = 2**14  # scores of a head, 128 x 128: for larger ones the cache counts more than the calls


@kernel(fastmath=SUM)
def attention_weights(scores, scale, is_causal):
    """Softmax of scale · scores (N, T, S) in place; with `is_causal`, of position t's first t + 1 alone."""
    N, T, S = scores.shape
    for n in range(N):
        for t in range(T):
            row = scores[n, t]
            seen = min(t + 1, S) if is_causal else S
            for s in range(seen):
                row[s] *= scale
            m, total = largest(row[:seen]), ZERO
            m = ZERO if m == -np.inf else m
            for s in range(seen):
                row[s] = exp(row[s] - m)
                total += row[s]
            inverse = float32(1) if total == ZERO else float32(1) / total
            for s in range(seen):
                row[s] *= inverse
            row[seen:] = ZERO


@kernel(fastmath=SUM)
def attention_weights_gradient(grad, weights, scale, is_causal):
    """From the gradient of the weights (N, T, S) that of the products of queries and keys, in place."""
    N, T, S = weights.shape
    for n in range(N):
        for t in range(T):
            g, p, total = grad[n, t], weights[n, t], ZERO
            seen = min(t + 1, S) if is_causal else S
            for s in range(seen):
                total += g[s] * p[s]
            for s in range(seen):
                g[s] = p[s] * (g[s] - total) * scale
            g[seen:] = ZERO


def attention_fits(query, key, value, mask=None, keep=None, *, scale, is_causal):
    return (
        mask is None
        and all(type(a) is np.ndarray and a.dtype == np.float32 and a.size for a in (query, key, value))
        and query.shape[-2] * key.shape[-2] <= LARGEST_TILE
    )


def halves(rows, columns, is_causal):
    """Which rows and columns of the scores are computed: if causal, the upper right quarter is masked."""
    half = rows // 2
    if not is_causal or rows < WORTH_HALVING or columns <= half:
        return [(slice(0, rows), slice(0, columns))]
    return [(slice(0, half), slice(0, half)), (slice(half, rows), slice(0, columns))]


def scores_of(left, right, parts):
    """left @ rightᵀ, (..., T, D) and (..., S, D), in these parts; the rest is not filled."""
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    output = np.empty((*batch, left.shape[-2], right.shape[-2]), np.float32)
    for rows, columns in parts:
        product(left[..., rows, :], right[..., columns, :].swapaxes(-1, -2), output[..., rows, columns])
    return output


def turned(parts):
    """The parts of the transposed scores."""
    if len(parts) == 1:
        return [parts[0][::-1]]
    (upper, _), (lower, columns) = parts
    return [(upper, slice(0, lower.stop)), (slice(upper.stop, columns.stop), lower)]


def by_position(scores, right, like, parts):
    """scores @ right, laid out by position as `like` is; the scores count as 0 outside of these parts."""
    batch = np.broadcast_shapes(scores.shape[:-2], right.shape[:-2])
    output = empty_by_position(like, (*batch, scores.shape[-2], right.shape[-1]))
    for rows, columns in parts:
        product(scores[..., rows, columns], right[..., columns, :], output[..., rows, :])
    return output


def attention_forward(ctx, query, key, value, mask=None, keep=None, *, scale, is_causal):
    parts = halves(query.shape[-2], key.shape[-2], is_causal and keep is None)
    weights = scores_of(query, key, parts)
    scores, options = tiles(weights), (float32(scale), is_causal)
    by_rows(lambda part: (attention_weights, scores[part], *options), len(scores), EXPONENTIAL * scores.size)
    output = by_position(weights if keep is None else weights * keep, value, query, parts)
    # all heads' weights in one array: the operation's own rule, for which they are a list, runs on no Tensors
    ctx.save_for_backward(query, key, value, keep, output, weights)
    ctx.scale, ctx.is_causal, ctx.parts = scale, is_causal, parts
    return output


def attention_backward(ctx, grad):
    query, key, value, keep, _, weights = ctx.saved_tensors
    scores = scores_of(grad, value, ctx.parts)
    if keep is not None:
        scores *= keep
    if scores.shape != weights.shape:  # values for more heads than have queries and keys
        weights = np.ascontiguousarray(np.broadcast_to(weights, scores.shape))
    arrays, options = (tiles(scores), tiles(weights)), (float32(ctx.scale), ctx.is_causal)
    call = lambda part: (attention_weights_gradient, *[a[part] for a in arrays], *options)
    by_rows(call, len(arrays[0]), scores.size / 2)
    used = weights if keep is None else weights * keep
    grads = (
        by_position(scores, key, query, ctx.parts),
        by_position(scores.swapaxes(-1, -2), query, key, turned(ctx.parts)),
        by_position(used.swapaxes(-1, -2), grad, value, turned(ctx.parts)),
    )
    return *[unbroadcast(found, x.shape) for found, x in zip(grads, (query, key, value))], None, None


def tiles(scores):
    """Scores (..., T, S) in C order as (N, T, S), in their own memory."""
    return scores.reshape(-1, *scores.shape[-2:])


def attention_kernels():
    """The entry of `kernel_table` for attention."""
    return [(ScaledDotProductAttention, attention_forward, attention_backward, attention_fits)]
