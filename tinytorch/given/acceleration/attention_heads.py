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


def attention_forward(ctx, query, key, value, mask=None, keep=None, *, scale, is_causal):
    weights = product(query, key.swapaxes(-1, -2))  # (..., T, S)
    scores, options = tiles(weights), (float32(scale), is_causal)
    by_rows(lambda part: attention_weights(scores[part], *options), len(scores), EXPONENTIAL * scores.size)
    batch = np.broadcast_shapes(weights.shape[:-2], value.shape[:-2])
    output = empty_by_position(query, (*batch, query.shape[-2], value.shape[-1]))
    product(weights if keep is None else weights * keep, value, output)
    # all heads' weights in one array: the operation's own rule, for which they are a list, runs on no Tensors
    ctx.save_for_backward(query, key, value, keep, output, weights)
    ctx.scale, ctx.is_causal = scale, is_causal
    return output


def attention_backward(ctx, grad):
    query, key, value, keep, _, weights = ctx.saved_tensors
    scores = product(grad, value.swapaxes(-1, -2))
    if keep is not None:
        scores *= keep
    if scores.shape != weights.shape:  # values for more heads than have queries and keys
        weights = np.ascontiguousarray(np.broadcast_to(weights, scores.shape))
    arrays, options = (tiles(scores), tiles(weights)), (float32(ctx.scale), ctx.is_causal)
    run = lambda part: attention_weights_gradient(*[a[part] for a in arrays], *options)
    by_rows(run, len(arrays[0]), scores.size / 2)
    used = weights if keep is None else weights * keep
    products = (scores, key), (scores.swapaxes(-1, -2), query), (used.swapaxes(-1, -2), grad)
    return *[by_position(*pair, x) for pair, x in zip(products, (query, key, value))], None, None


def by_position(left, right, x):
    """left @ right, laid out by position, as the gradient of x."""
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    output = empty_by_position(x, (*batch, left.shape[-2], right.shape[-1]))
    return unbroadcast(product(left, right, output), x.shape)


def tiles(scores):
    """Scores (..., T, S) in C order as (N, T, S), in their own memory."""
    return scores.reshape(-1, *scores.shape[-2:])


def attention_kernels():
    """The entry of `kernel_table` for attention."""
    return [(ScaledDotProductAttention, attention_forward, attention_backward, attention_fits)]
