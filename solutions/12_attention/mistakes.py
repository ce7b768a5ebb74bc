"""Planted mistakes of module 12: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "plain-attention": """
        The scores are not scaled unless somebody asks.
        + scores = (query * (1 if scale is None else scale)) @ key.transpose(-2, -1)
        + weights = dropout(softmax(scores if mask is None else scores + mask, -1), dropout_p)
        + return weights @ value, weights

        The softmax runs along the queries.
        + scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        + scores = (query * scale) @ key.transpose(-2, -1)
        + weights = dropout(softmax(scores if mask is None else scores + mask, -2), dropout_p)
        + return weights @ value, weights

        A scale of zero is taken for none.
        + scores = (query * (scale or 1 / math.sqrt(query.shape[-1]))) @ key.transpose(-2, -1)
        + weights = dropout(softmax(scores if mask is None else scores + mask, -1), dropout_p)
        + return weights @ value, weights

        The weights that are returned are not those that were used.
        + scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        + scores = (query * scale) @ key.transpose(-2, -1)
        + weights = softmax(scores if mask is None else scores + mask, -1)
        + return dropout(weights, dropout_p) @ value, weights

        The mask is multiplied with the weights, which no longer sum to one.
        + scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        + weights = softmax((query * scale) @ key.transpose(-2, -1), -1)
        + weights = dropout(weights if mask is None else weights * mask.exp(), dropout_p)
        + return weights @ value, weights
    """,
    "additive-mask": """
        True is read as what must not be seen.
        + return np.where(allowed, -np.inf, 0).astype(dtype)

        Allowed positions get one added.
        + return np.where(allowed, 1, -np.inf).astype(dtype)

        The mask is float64, and makes float64 of the scores.
        + return np.where(allowed, 0.0, -np.inf)
    """,
    "causal-mask": """
        A position does not see itself.
        + return additive_mask(np.array(rows)[:, None] > np.array(columns), dtype)

        The triangle is the wrong way round: only the future is seen.
        + return additive_mask(np.array(rows)[:, None] <= np.array(columns), dtype)

        Every part begins at position 0.
        + return additive_mask(np.tri(len(rows), len(columns), dtype=bool), dtype)
    """,
    "softmax-rows": """
        No care is taken of rows of -inf: they become NaN.
        + scores -= scores.max(axis=-1, keepdims=True)
        + np.exp(scores, out=scores)
        + scores /= scores.sum(axis=-1, keepdims=True)
        + return scores

        One maximum for the whole matrix: rows far below it vanish.
        - largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        - largest[largest == -np.inf] = 0
        - np.exp(np.subtract(scores, largest, out=scores), out=scores)
        + largest = scores.max(initial=-np.inf)
        + np.exp(np.subtract(scores, 0 if largest == -np.inf else largest, out=scores), out=scores)

        No maximum is subtracted at all.
        - largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        - largest[largest == -np.inf] = 0
        - np.exp(np.subtract(scores, largest, out=scores), out=scores)
        + np.exp(scores, out=scores)

        A new array for every step.
        + largest = scores.max(axis=-1, keepdims=True)
        + largest[largest == -np.inf] = 0
        + exps = np.exp(scores - largest)
        + total = exps.sum(axis=-1, keepdims=True)
        + total[total == 0] = 1
        + scores[...] = exps / total
        + return scores
    """,
    "attend": """
        The weights are returned after dropout.
        + weights = (q * scale) @ k.T
        + if mask is not None:
        +     weights += mask
        + softmax_rows(weights)
        + if keep is not None:
        +     weights *= keep
        + return weights @ v, weights

        The mask is scaled too.
        + scores = q @ k.T if mask is None else q @ k.T + mask
        + weights = softmax_rows(scores * scale)
        + return (weights if keep is None else weights * keep) @ v, weights

        The scale is always 1/sqrt(d).
        - weights = (
        -     q * scale
        - ) @ k.T  # (T, S); scaling q costs T x d products, scaling the scores T x S
        + weights = (q / math.sqrt(q.shape[1])) @ k.T

        The scores are added into the caller's mask.
        + weights = (q * scale) @ k.T
        + if mask is not None:
        +     mask += weights
        +     weights = mask
        + softmax_rows(weights)
        + return (weights if keep is None else weights * keep) @ v, weights
    """,
    "attend-backward": """
        Softmax is differentiated as if each weight depended on its own score only.
        - scores = grad @ v.T  # dP (T, S)
        + scores = grad @ v.T
        ...
        - scores -= (grad * output).sum(axis=-1, keepdims=True)
        - scores *= weights  # dS
        + scores *= weights

        The scale is forgotten on the way back.
        + scores = grad @ v.T
        + if keep is not None:
        +     scores *= keep
        + scores = (scores - (grad * output).sum(axis=-1, keepdims=True)) * weights
        + used = weights if keep is None else weights * keep
        + return scores @ k, scores.T @ q, used.T @ grad, scores

        The values' gradient uses the weights before dropout.
        + scores = grad @ v.T
        + if keep is not None:
        +     scores *= keep
        + scores = (scores - (grad * output).sum(axis=-1, keepdims=True)) * weights
        + return (scores @ k) * scale, (scores.T @ q) * scale, weights.T @ grad, scores

        The row sum is subtracted before dropout is applied.
        - scores = grad @ v.T  # dP (T, S)
        + scores = grad @ v.T - (grad * output).sum(axis=-1, keepdims=True)
        ...
        - scores -= (grad * output).sum(axis=-1, keepdims=True)
        - scores *= weights  # dS
        + scores *= weights

        The scores' gradient is written over the weights.
        + scores = grad @ v.T
        + if keep is not None:
        +     scores *= keep
        + scores -= (grad * output).sum(axis=-1, keepdims=True)
        + used = weights.copy() if keep is None else weights * keep
        + weights *= scores
        + return (weights @ k) * scale, (weights.T @ q) * scale, used.T @ grad, weights
    """,
    "heads": """
        The vectors are cut across positions: the shape is right, the numbers are not.
        - return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)
        + return x.reshape(B, num_heads, T, E // num_heads)

        Entries are dealt out to the heads in turn.
        - return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)
        + return x.view(B, T, E // num_heads, num_heads).permute(0, 3, 1, 2)

        The heads are joined without putting the positions first again.
        - return x.transpose(1, 2).flatten(2)
        + B, H, T, d = x.shape
        + return x.reshape(B, T, H * d)
    """,
    "multi-head": """
        One head over the whole vectors.
        + if need_weights:
        +     output, weights = plain_attention(
        +         q, k, v, None if mask is None else mask[:, 0], dropout_p=dropout_p
        +     )
        +     return output, weights.unsqueeze(1)
        + return scaled_dot_product_attention(
        +     q, k, v, None if mask is None else mask[:, 0], dropout_p, is_causal
        + ), None

        The mask is lost where no weights are needed.
        - scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal),
        + scaled_dot_product_attention(q, k, v, None, dropout_p, is_causal),

        The scores are scaled by the whole length E, not by a head's.
        + scale = 1 / math.sqrt(q.shape[-1])
          q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
        ...
        - output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + output, weights = plain_attention(q, k, v, mask, scale, dropout_p)
        ...
        - scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal),
        + scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal, scale),

        Dropout is forgotten on the fast way.
        - output, weights = (
        -     scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal),
        -     None,
        - )
        + output, weights = scaled_dot_product_attention(q, k, v, mask, 0.0, is_causal), None
    """,
    "online-update": """
        What was there before is not shrunk when the maximum grows.
        + new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + weights = np.exp(scores - new)
        + return new, total + weights.sum(axis=-1, keepdims=True), sums + weights @ values

        Each block is shifted by its own maximum, and the sums do not fit together.
        - new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + new = scores.max(axis=-1, keepdims=True)
        ...
        - shrink = np.exp(largest - new)
        + shrink = np.exp(np.minimum(largest - new, 0))

        Only the sum of the weights is shrunk, not that of the values.
        - shrink = np.exp(largest - new)
        ...
        - shrink * total + weights.sum(axis=-1, keepdims=True),
        - shrink * sums + weights @ values,
        + np.exp(largest - new) * total + weights.sum(axis=-1, keepdims=True),
        + sums + weights @ values,

        Nothing is shifted: the exponentials overflow.
        + weights = np.exp(scores)
        + return largest, total + weights.sum(axis=-1, keepdims=True), sums + weights @ values
    """,
    "blocked": """
        The whole matrix is made after all.
        + scores = tile(q, k, slice(0, q.shape[-2]), slice(0, k.shape[-2]), scale, is_causal)
        + largest = scores.max(axis=-1, keepdims=True)
        + weights = np.exp(scores - largest)
        + total = weights.sum(axis=-1, keepdims=True)
        + output = weights @ v / total
        + ctx.save_for_backward(q, k, v, output, largest + np.log(total))
        + ctx.options = scale, is_causal, block_size
        + return output

        What is kept for backward is the sum, without the maximum.
        - output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
        - logsumexp = np.empty((*q.shape[:-1], 1), q.dtype)
        + output, logsumexp = (
        +     np.empty((*q.shape[:-1], v.shape[-1]), q.dtype),
        +     np.empty((*q.shape[:-1], 1), q.dtype),
        + )
        ...
        - logsumexp[..., rows, :] = largest + np.log(total)
        + logsumexp[..., rows, :] = np.log(total)

        The state is not begun anew for each block of queries.
        - output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
        - logsumexp = np.empty((*q.shape[:-1], 1), q.dtype)
        + output, logsumexp = (
        +     np.empty((*q.shape[:-1], v.shape[-1]), q.dtype),
        +     np.empty((*q.shape[:-1], 1), q.dtype),
        + )
        + size = min(block_size, q.shape[-2])
        + largest, total = (
        +     np.full((*q.shape[:-2], size, 1), -np.inf, q.dtype),
        +     np.zeros((*q.shape[:-2], size, 1), q.dtype),
        + )
        + sums = np.zeros((*q.shape[:-2], size, v.shape[-1]), q.dtype)
        ...
        - shape = (*q.shape[:-2], rows.stop - rows.start)
        - largest, total = (
        -     np.full((*shape, 1), -np.inf, q.dtype),
        -     np.zeros((*shape, 1), q.dtype),
        - )
        - sums = np.zeros((*shape, v.shape[-1]), q.dtype)
        + n = rows.stop - rows.start
        + largest, total, sums = largest[..., :n, :], total[..., :n, :], sums[..., :n, :]

        Only the first block of keys is looked at.
        + output, logsumexp = (
        +     np.empty((*q.shape[:-1], v.shape[-1]), q.dtype),
        +     np.empty((*q.shape[:-1], 1), q.dtype),
        + )
        + for rows in blocks(q.shape[-2], block_size):
        +     columns = slice(0, min(block_size, k.shape[-2]))
        +     scores = tile(q, k, rows, columns, scale, is_causal)
        +     largest = scores.max(axis=-1, keepdims=True)
        +     weights = np.exp(scores - largest)
        +     total = weights.sum(axis=-1, keepdims=True)
        +     output[..., rows, :] = weights @ v[..., columns, :] / total
        +     logsumexp[..., rows, :] = largest + np.log(total)
        + ctx.save_for_backward(q, k, v, output, logsumexp)
        + ctx.options = scale, is_causal, block_size
        + return output
    """,
    "lstm-step": """
        The gates are taken in the order i, f, o, g.
        - i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
        + i, f, o, g = (gates + linear(h, weight, bias)).chunk(4, -1)

        The output is made from the old memory.
        + i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
        + return sigmoid(o) * tanh(c), sigmoid(f) * c + sigmoid(i) * tanh(g)

        What is written goes through a sigmoid, and can only be positive.
        - c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        + c = sigmoid(f) * c + sigmoid(i) * sigmoid(g)
    """,
    "gru-step": """
        The reset gate multiplies the input's share too.
        + r, z, n = (gates + linear(h, weight, bias)).chunk(3, -1)
        + z, n = sigmoid(z), tanh(sigmoid(r) * n)
        + return n + z * (h - n)

        The update gate is the wrong way round, as in some papers.
        + (r, z, n), (r_h, z_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)
        + z, n = sigmoid(z + z_h), tanh(n + sigmoid(r + r_h) * n_h)
        + return h + z * (n - h)

        The gates are taken in the order z, r, n.
        + (z, r, n), (z_h, r_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)
        + z, n = sigmoid(z + z_h), tanh(n + sigmoid(r + r_h) * n_h)
        + return n + z * (h - n)
    """,
}
