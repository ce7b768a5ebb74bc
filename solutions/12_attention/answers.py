"""Other right answers to the stubs of module 12: their tests pass with each."""

ANSWERS = {
    "plain-attention": """
        The scores are scaled, and the mask joins them in place of nothing.
        + factor = query.shape[-1] ** -0.5 if scale is None else scale
        + scores = query @ key.swapaxes(-1, -2) * factor
        + if mask is not None:
        +     scores = scores + mask
        + weights = dropout(softmax(scores, scores.dim() - 1), p=dropout_p)
        + return weights.matmul(value), weights

        The mask is added in place, to the new array of scores.
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + if mask is not None:
        +     scores += mask
        + weights = softmax(scores, -1)
    """,
    "causal-mask": """
        Written into an array of zeros.
        + mask = np.zeros((len(rows), len(columns)), dtype)
        + mask[np.less.outer(np.asarray(rows), np.asarray(columns))] = -np.inf
        + return mask
    """,
    "softmax-rows": """
        The formula written out, and put back in place.
        + largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        + exps = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
        + total = exps.sum(axis=-1, keepdims=True)
        + scores[:] = exps / np.where(total == 0, 1, total)
        + return scores

        Only the rows in which something may be looked at.
        + some = np.isfinite(scores).any(axis=-1)
        + scores[~some] = 0
        + if scores.size:
        +     rows = scores[some]
        +     exps = np.exp(rows - rows.max(axis=-1, keepdims=True))
        +     scores[some] = exps / exps.sum(axis=-1, keepdims=True)
        + return scores

        Divided only where the sum is above 0, which NaN is not.
        + if scores.shape[1] == 0:
        +     return scores
        + largest = scores.max(1)[:, None]
        + scores -= np.where(np.isfinite(largest), largest, scores.dtype.type(0))
        + np.exp(scores, out=scores)
        + total = scores.sum(1)[:, None]
        + np.divide(scores, total, out=scores, where=total > 0)
        + return scores

        Rows of nothing become zeros at the end, with NumPy's warning switched off.
        + if scores.shape[1] == 0:
        +     return scores
        + empty = (scores == -np.inf).all(axis=1)
        + with np.errstate(invalid="ignore"):
        +     scores -= scores.max(axis=1, keepdims=True)
        +     np.exp(scores, out=scores)
        +     scores /= scores.sum(axis=1, keepdims=True)
        + scores[empty] = 0
        + return scores
    """,
    "attend": """
        The scores are scaled, and every step makes an array.
        + scores = np.matmul(q, k.swapaxes(0, 1)) * scale
        + weights = softmax_rows(scores if mask is None else scores + mask)
        + used = weights * keep if keep is not None else weights
        + return np.matmul(used, v), weights
    """,
    "attend-backward": """
        The row sum as softmax's rule has it, in arrays of its own.
        + used = weights if keep is None else weights * keep
        + d_used = grad @ v.T
        + d_weights = d_used if keep is None else d_used * keep
        + d_scores = weights * (d_weights - (d_weights * weights).sum(1)[:, None])
        + return scale * d_scores @ k, scale * d_scores.T @ q, used.T @ grad, d_scores
    """,
    "heads": """
        By unflatten and permute, and joined by reshape.
        - B, T, E = x.shape
        - return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)
        + return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).permute(0, 2, 1, 3)
        ...
        - return x.transpose(1, 2).flatten(2)
        + B, H, T, d = x.shape
        + return x.permute(0, 2, 1, 3).reshape(B, T, H * d)
    """,
    "projections": """
        Three products, each with its rows, whatever the three are.
        + E = weight.shape[1]
        + found = []
        + for number, x in enumerate((query, key, value)):
        +     rows = slice(number * E, (number + 1) * E)
        +     projected = x @ weight[rows].transpose(0, 1)
        +     found.append(projected if bias is None else projected + bias[rows])
        + return found

        One after the other, when they are asked for.
        - return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
        + return (linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))

        One product and chunk where the three are one.
        - packed = linear(query, weight, bias).unflatten(-1, (3, query.shape[-1]))
        - return unbind(packed, 2)
        + return linear(query, weight, bias).chunk(3, dim=-1)
    """,
    "multi-head": """
        The two ways written out one after the other.
        + heads = [split_heads(x, num_heads) for x in (q, k, v)]
        + if not need_weights:
        +     found = scaled_dot_product_attention(
        +         *heads, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal
        +     )
        +     return mix(join_heads(found)), None
        + found, weights = plain_attention(*heads, mask=mask, dropout_p=dropout_p)
        + return mix(join_heads(found)), weights

        The causal mask in both cases, though is_causal comes only without weights.
        - if need_weights:
        + if need_weights:
        +     if is_causal:
        +         from tinytorch.tensor import wrap
        +         mask = wrap(causal_mask(range(q.shape[2]), range(k.shape[2])))
    """,
    "online-update": """
        The largest by np.where, and one array for total and sums.
        + peak = scores.max(axis=-1, keepdims=True)
        + new = np.where(peak > largest, peak, largest)
        + weights, old = np.exp(scores - new), np.exp(largest - new)
        + both = np.concatenate([total, sums], axis=-1) * old
        + total = both[..., :1] + weights.sum(-1, keepdims=True)
        + return new, total, both[..., 1:] + np.matmul(weights, values)
    """,
    "blocked": """
        The blocks of the output in a list, joined at the end.
        + outputs, logs = [], []
        + for rows in blocks(q.shape[-2], block_size):
        +     part = q[..., rows, :]
        +     state = (
        +         np.full_like(part[..., :1], -np.inf),
        +         np.zeros_like(part[..., :1]),
        +         np.zeros((*part.shape[:-1], v.shape[-1]), v.dtype),
        +     )
        +     for columns in visible(rows, k.shape[-2], block_size, is_causal):
        +         scores = tile(q, k, rows, columns, scale, is_causal)
        +         state = online_update(*state, scores, v[..., columns, :])
        +     outputs.append(state[2] / state[1])
        +     logs.append(state[0] + np.log(state[1]))
        + output, logsumexp = np.concatenate(outputs, -2), np.concatenate(logs, -2)
        + ctx.save_for_backward(q, k, v, output, logsumexp)
        + ctx.options = scale, is_causal, block_size
        + return output
    """,
    "lstm-step": """
        The gates by slices, and the product written out.
        + product = h @ weight.transpose(0, 1)
        + product = gates + (product if bias is None else product + bias)
        + H = c.shape[-1]
        + i, f, g, o = (product[:, n * H : (n + 1) * H] for n in range(4))
        + new = c * f.sigmoid() + g.tanh() * i.sigmoid()
        + return new.tanh() * o.sigmoid(), new
    """,
    "gru-step": """
        The formula as it stands.
        + from_input = gates.split(h.shape[-1], -1)
        + from_state = linear(h, weight, bias).split(h.shape[-1], -1)
        + r = (from_input[0] + from_state[0]).sigmoid()
        + z = (from_input[1] + from_state[1]).sigmoid()
        + n = (from_input[2] + r * from_state[2]).tanh()
        + return (1 - z) * n + z * h
    """,
}
