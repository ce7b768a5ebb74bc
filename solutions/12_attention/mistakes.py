"""Planted mistakes of module 12: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "plain-attention": """
        Where `scale` is None, the scores are not multiplied by 1/√d.
        - scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        + scale = 1 if scale is None else scale

        The softmax runs along the queries. (hint 3)
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + weights = softmax(scores if mask is None else scores + mask, -2)

        A scale of zero is taken for None.
        - scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        + scale = scale or 1 / math.sqrt(query.shape[-1])

        The weights that are returned are not those that were used.
        - weights = dropout(weights, dropout_p)
        - return weights @ value, weights
        + return dropout(weights, dropout_p) @ value, weights

        The mask is multiplied with the weights, which no longer sum to one. (hint 2)
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + weights = softmax(scores, -1) if mask is None else softmax(scores, -1) * mask.exp()

        Of several masks only the first is used.
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + mask = mask[:1] if mask is not None and mask.dim() > 2 else mask
        + weights = softmax(scores if mask is None else scores + mask, -1)

        The mask is added only if it has two dimensions.
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + weights = softmax(scores + mask if mask is not None and mask.dim() == 2 else scores, -1)

        NaN in the weights is replaced by 0: a query with every key hidden should get NaN here.
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + weights = softmax(scores if mask is None else scores + mask, -1).nan_to_num(0.0)

        The mask's -inf is replaced by a finite number, so a query with no keys gets weights.
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + weights = softmax(scores if mask is None else scores + mask.clamp(min=-1e9), -1)

        Dropout is forgotten. (hint 3)
        - weights = dropout(weights, dropout_p)

        Dropout is applied to the scores, where a 0 is no weight of 0. (hint 3)
        - weights = softmax(scores if mask is None else scores + mask, -1)
        - weights = dropout(weights, dropout_p)
        + scores = dropout(scores, dropout_p)
        + weights = softmax(scores if mask is None else scores + mask, -1)

        Dropout is applied to the output, not to the weights. (hint 3)
        - weights = dropout(weights, dropout_p)
        - return weights @ value, weights
        + return dropout(weights @ value, dropout_p), weights

        Half of the weights are dropped, whatever dropout_p is.
        - weights = dropout(weights, dropout_p)
        + weights = dropout(weights, 0.5 if dropout_p else 0.0)

        dropout_p is taken for the probability that a weight is kept.
        - weights = dropout(weights, dropout_p)
        + weights = dropout(weights, 1 - dropout_p) if dropout_p else weights

        The remaining weights are not divided by 1 - dropout_p.
        - weights = dropout(weights, dropout_p)
        + weights = dropout(weights, dropout_p) * (1 - dropout_p)

        Dropout overwrites weights that softmax needs for its gradient.
        - weights = dropout(weights, dropout_p)
        + weights = dropout(weights, dropout_p, inplace=True)

        Dropout is drawn twice, once for the output and once for the returned weights.
        - weights = dropout(weights, dropout_p)
        - return weights @ value, weights
        + return dropout(weights, dropout_p) @ value, dropout(weights, dropout_p)

        The weights that are returned are cut from the graph.
        - return weights @ value, weights
        + return weights @ value, weights.detach()

        A given scale divides the scores: it is to multiply them.
        - scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        - scores = (query * scale) @ key.transpose(-2, -1)  # (..., T, S)
        + scale = math.sqrt(query.shape[-1]) if scale is None else scale
        + scores = query @ key.transpose(-2, -1) / scale

        The mask is scaled, too. (hint 2)
        - weights = softmax(scores if mask is None else scores + mask, -1)
        + weights = softmax(scores if mask is None else scores + mask * scale, -1)
    """,
    "causal-mask": """
        A position does not see itself.
        + return additive_mask(np.array(rows)[:, None] > np.array(columns), dtype)

        The triangle is the wrong way round: the future is seen, and the past is not. (hint 3)
        + return additive_mask(np.array(rows)[:, None] <= np.array(columns), dtype)

        Every part begins at position 0, whatever its positions are. (hint 2)
        + return additive_mask(np.tri(len(rows), len(columns), dtype=bool), dtype)

        The mask is a Tensor, but an array is wanted.
        + from tinytorch.tensor import tensor
        + return tensor(additive_mask(np.array(rows)[:, None] >= np.array(columns), dtype))

        The mask lies on its side: each query is a row, each key a column. (hint 2)
        + return additive_mask(np.array(rows) >= np.array(columns)[:, None], dtype)
    """,
    "softmax-rows": """
        Of a row of -inf the largest is subtracted, too: -inf - (-inf) gives a warning, and NaN. (hint 1)
        + scores -= scores.max(axis=-1, keepdims=True)
        + np.exp(scores, out=scores)
        + scores /= scores.sum(axis=-1, keepdims=True)
        + return scores

        There is one maximum for the whole matrix, and rows far below it vanish.
        - largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        + largest = scores.max(axis=(-2, -1), keepdims=True, initial=-np.inf)

        The maximum is at least 0, and rows far below it vanish.
        - largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        + largest = scores.max(axis=-1, keepdims=True, initial=0)

        The maximum is at least some finite number, and rows far below it vanish.
        - largest[largest == -np.inf] = 0
        + largest = np.maximum(largest, -1e9)

        Every NaN becomes 0, even one that was there before.
        - return scores
        + scores[:] = np.nan_to_num(scores)
        + return scores

        No maximum is subtracted from large scores, and they overflow.
        - np.exp(np.subtract(scores, largest, out=scores), out=scores)
        + np.exp(scores, out=scores)

        A row whose largest score is 0 is taken for a hidden one.
        - total[total == 0] = 1
        + total[largest == 0] = 1

        The weights are a new array, and the scores are not overwritten.
        + largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        + exps = np.exp(scores - np.where(largest == -np.inf, 0, largest))
        + total = exps.sum(axis=-1, keepdims=True)
        + return exps / np.where(total == 0, 1, total)

        Nothing is returned: `return scores` is missing.
        - return scores
    """,
    "attend": """
        The weights are returned after dropout. (hint 3)
        - return (weights if keep is None else weights * keep) @ v, weights
        + weights = weights if keep is None else weights * keep
        + return weights @ v, weights

        The mask is scaled too.
        - weights += mask
        + weights += mask * scale

        The scale is always 1/sqrt(d).
        - weights = (q * scale) @ k.T  # (T, S); scaling q is less work than scaling the scores
        + weights = (q / math.sqrt(q.shape[1])) @ k.T

        The scores are added into the caller's mask.
        - weights += mask
        + mask += weights
        + weights = mask

        The scale is always 1/sqrt(d).
        - weights = (q * scale) @ k.T  # (T, S); scaling q is less work than scaling the scores
        + weights = q @ k.T / np.sqrt(q.shape[1])

        `keep` multiplies the scores: it is to multiply the weights, after softmax. (hint 3)
        - softmax_rows(weights)
        - return (weights if keep is None else weights * keep) @ v, weights
        + weights = softmax_rows(weights if keep is None else weights * keep)
        + return weights @ v, weights

        A query that may look at nothing gets NaN: `softmax_rows` would give it zeros. (hint 2)
        - softmax_rows(weights)
        + weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        + weights /= weights.sum(axis=1, keepdims=True)

        The scores are not multiplied by the scale.
        - weights = (q * scale) @ k.T  # (T, S); scaling q is less work than scaling the scores
        + weights = q @ k.T

        The output is made without `keep`. (hint 3)
        - return (weights if keep is None else weights * keep) @ v, weights
        + return weights @ v, weights
    """,
    "attend-backward": """
        Softmax is differentiated as if each weight depended on its own score only. (hint 2)
        - scores -= (grad * output).sum(axis=-1, keepdims=True)

        The scale is forgotten in backward. (hint 3)
        - return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores
        + return scores @ k, scores.T @ q, used.T @ grad, scores

        The values' gradient uses the weights before dropout.
        - return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores
        + return (scores @ k) * scale, (scores.T @ q) * scale, weights.T @ grad, scores

        The row sum is subtracted before dropout is applied.
        - if keep is not None:
        -     scores *= keep
        - scores -= (grad * output).sum(axis=-1, keepdims=True)
        + scores -= (grad * output).sum(axis=-1, keepdims=True)
        + if keep is not None:
        +     scores *= keep

        Dropout is applied to the caller's weights.
        - used = weights if keep is None else weights * keep
        + used = weights
        + if keep is not None:
        +     used *= keep

        The scores' gradient is written over the weights. (hint 2)
        - scores *= weights  # dS
        - used = weights if keep is None else weights * keep
        + used = weights.copy() if keep is None else weights * keep
        + weights *= scores
        + scores = weights

        The gradient of the scores is not returned.
        - return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores
        + return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad

        The scores' gradient is dP - r times the weights after `keep`, not those before it. (hint 3)
        - scores *= weights  # dS
        - used = weights if keep is None else weights * keep
        + used = weights if keep is None else weights * keep
        + scores *= used

        `keep` is forgotten in the gradient of the weights. (hint 3)
        - if keep is not None:
        -     scores *= keep

        The gradient of the scores after scaling is multiplied by the scale once more.
        - return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores
        + return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores * scale
    """,
    "heads": """
        The vectors are cut across positions, so that the shape is right but the numbers are wrong. (hint 1)
        - return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)
        + return x.reshape(B, num_heads, T, E // num_heads)

        Entries are assigned to the heads in turn.
        - return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)
        + return x.view(B, T, E // num_heads, num_heads).permute(0, 3, 1, 2)

        The heads are joined without putting the positions first again. (hint 2)
        - return x.transpose(1, 2).flatten(2)
        + B, H, T, d = x.shape
        + return x.reshape(B, T, H * d)
    """,
    "projections": """
        The rows of the weight are taken in the order k, q, v.
        - return unbind(packed, 2)
        + q, k, v = unbind(packed, 2)
        + return k, q, v
        ...
        - weights = weight.chunk(3)
        + weights = [weight.chunk(3)[i] for i in (1, 0, 2)]

        The rows of the weight, and of the bias, are taken in the order k, q, v.
        - return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
        + (k, q, v), (b_k, b_q, b_v) = weights, biases
        + return linear(query, q, b_q), linear(key, k, b_k), linear(value, v, b_v)

        The weights are multiplied as they lie: `linear` multiplies by their transpose.
        - if query is key and key is value:
        -     packed = linear(query, weight, bias).unflatten(-1, (3, query.shape[-1]))
        -     return unbind(packed, 2)
        ...
        - return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
        + inputs = zip((query, key, value), weights, biases)
        + return tuple(x @ W if b is None else x @ W + b for x, W, b in inputs)

        Each position's 3E entries are cut as if q, k and v alternated, one entry each.
        - packed = linear(query, weight, bias).unflatten(-1, (3, query.shape[-1]))
        - return unbind(packed, 2)
        + packed = linear(query, weight, bias).unflatten(-1, (query.shape[-1], 3))
        + return unbind(packed, 3)

        The keys are made from the query, whatever was passed. (hint 1)
        - return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
        + return tuple(linear(query, W, b) for W, b in zip(weights, biases))

        Keys and values get the queries' bias too. (hint 3)
        - return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
        + return tuple(linear(x, W, biases[0]) for x, W in zip((query, key, value), weights))

        Where query and key are one tensor, the values are made from it, too, whatever was passed. (hint 1)
        - if query is key and key is value:
        + if query is key:

        Tensors of one shape are taken for one tensor. (hint 1)
        - if query is key and key is value:
        + if query.shape == key.shape == value.shape:

        The bias is forgotten where the three are one tensor. (hint 1)
        - packed = linear(query, weight, bias).unflatten(-1, (3, query.shape[-1]))
        + packed = linear(query, weight).unflatten(-1, (3, query.shape[-1]))

        The bias is forgotten where the three are not one tensor. (hint 3)
        - return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
        + return tuple(linear(x, W) for x, W in zip((query, key, value), weights))

        The values are made from the key, not from the value.
        - return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
        + return tuple(linear(x, W, b) for x, W, b in zip((query, key, key), weights, biases))
    """,
    "multi-head": """
        The heads are joined, but not mixed. (hint 1)
        - return mix(join_heads(output)), weights
        + return join_heads(output), weights

        Each head is mixed before the heads are joined.
        - return mix(join_heads(output)), weights
        + H, d = output.shape[1], output.shape[3]
        + heads = [output[:, h] for h in range(H)]
        + padded = [x.tile(1, 1, H) for x in heads]
        + return sum(mix(x) for x in padded) / H, weights

        There is one head over the whole vectors. (hint 1)
        - q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
        + q, k, v = (split_heads(x, 1) for x in (q, k, v))
        + mask = None if mask is None or mask.dim() < 3 else mask[:, :1]

        The mask is not passed where no weights are needed. (hint 3)
        - output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        + output = scaled_dot_product_attention(q, k, v, None, dropout_p, is_causal)

        The scores are scaled by the whole length E, not by a head's.
        + scale = 1 / math.sqrt(q.shape[-1])
          q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
        ...
        - output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + output, weights = plain_attention(q, k, v, mask, scale, dropout_p)
        ...
        - output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        + output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal, scale=scale)

        Dropout is forgotten where no weights are needed. (hint 3)
        - output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        + output = scaled_dot_product_attention(q, k, v, mask, 0.0, is_causal)

        Only the first sentence's mask is used.
          q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
        + mask = mask[:1] if mask is not None and mask.dim() > 2 else mask

        Only the first head's mask is used.
          q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
        + mask = mask[:, :1] if mask is not None and mask.dim() == 4 else mask

        A mask of four dimensions is not used.
          q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
        + mask = mask if mask is not None and mask.dim() == 2 else None

        The mask is passed on as booleans, and its numbers are lost.
        - output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        + mask = mask if mask is None else mask == 0
        + output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)

        Every mask is taken for the causal one where no weights are needed.
        - output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        + causal = is_causal or mask is not None
        + output = scaled_dot_product_attention(q, k, v, None, dropout_p, causal)

        `plain_attention` attends where no weights are needed, too. (hint 3)
        - output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        + from tinytorch.tensor import wrap
        + T, S = q.shape[-2], k.shape[-2]
        + mask = wrap(causal_mask(range(T), range(S), q.array.dtype)) if is_causal else mask
        + output = plain_attention(q, k, v, mask, dropout_p=dropout_p)[0]

        Dropout is applied again, to the output of the heads.
        - return mix(join_heads(output)), weights
        + return mix(dropout(join_heads(output), dropout_p)), weights

        The returned weights are not those that were used. (hint 2)
        - output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + output, _ = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + _, weights = plain_attention(q, k, v, mask)

        The weights that are returned are cut from the graph.
        - output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + weights = weights.detach()

        Weights that are needed are returned as None. (hint 2)
        - if need_weights:
        + if not need_weights:

        All weights are equal, as with a scale of 0, which `dropout_p` becomes if it is passed without its name.
        - output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + output, weights = plain_attention(q, k, v, mask, dropout_p)

        A mask of three dimensions has one for each head, and is used here as one for each sentence.
          q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
        + mask = mask.unsqueeze(1) if mask is not None and mask.dim() == 3 else mask

        Dropout is forgotten where weights are needed. (hint 2)
        - output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        + output, weights = plain_attention(q, k, v, mask)

        `is_causal` is not passed. (hint 3)
        - output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        + output = scaled_dot_product_attention(q, k, v, mask, dropout_p)

        A head gets all heads' masks, not its own.
        - if need_weights:
        -     output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
        - else:
        -     output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        -     weights = None
        - return mix(join_heads(output)), weights
        + from tinytorch.tensor import stack
        + outputs, weights = [], []
        + for h in range(num_heads):
        +     parts = q[:, h], k[:, h], v[:, h]
        +     if need_weights:
        +         output, weight = plain_attention(*parts, mask, dropout_p=dropout_p)
        +         weights.append(weight)
        +     else:
        +         output = scaled_dot_product_attention(*parts, mask, dropout_p, is_causal)
        +     outputs.append(output)
        + return mix(join_heads(stack(outputs, 1))), stack(weights, 1) if need_weights else None
    """,
    "online-update": """
        One largest score is taken for all queries.
        - new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + new = np.maximum(largest, scores.max())

        The old sums are not scaled down when the maximum grows. (hint 2)
        - shrink = np.exp(largest - new)
        + shrink = 1

        The largest score is that of the new block alone, even if an earlier one is larger. (hint 1)
        - new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + new = scores.max(axis=-1, keepdims=True)
        ...
        - shrink = np.exp(largest - new)
        + shrink = np.exp(np.minimum(largest - new, 0))

        Only the sum of the weights is scaled down, not that of the values.
        - return new, total, shrink * sums + weights @ values
        + return new, total, sums + weights @ values

        The largest score never falls below 0.
        - new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + new = np.maximum(np.maximum(largest, 0), scores.max(axis=-1, keepdims=True))

        The largest score does not change where a later block has a larger one. (hint 1)
        - new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + new = np.where(largest == -np.inf, scores.max(axis=-1, keepdims=True), largest)

        The largest score is that of the new block alone, even if an earlier one is larger. (hint 1)
        - new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + new = scores.max(axis=-1, keepdims=True)

        Nothing is shifted: the exponentials overflow.
        + new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + weights = np.exp(scores)
        + return new, total + weights.sum(axis=-1, keepdims=True), sums + weights @ values

        The factor for the old sums is inverted, or they are divided by it, not multiplied. (hint 2)
        - total = shrink * total + weights.sum(axis=-1, keepdims=True)
        + total = total / shrink + weights.sum(axis=-1, keepdims=True)

        The factor for the old sums is inverted, or they are divided by it, not multiplied. (hint 2)
        - shrink = np.exp(largest - new)
        + shrink = np.exp(new - largest)

        The new keys are shifted by the old largest score, which is -inf before the first block. (hint 2)
        - weights = np.exp(scores - new)
        - shrink = np.exp(largest - new)
        - total = shrink * total + weights.sum(axis=-1, keepdims=True)
        - return new, total, shrink * sums + weights @ values
        + weights = np.exp(scores - largest)
        + shrink = np.exp(largest - new)
        + total = (total + weights.sum(axis=-1, keepdims=True)) * shrink
        + return new, total, (sums + weights @ values) * shrink

        The new keys are shifted by the old largest score, which is -inf before the first block. (hint 2)
        - weights = np.exp(scores - new)
        + weights = np.exp(scores - largest)

        The sums are returned divided by the total.
        - return new, total, shrink * sums + weights @ values
        + return new, total, (shrink * sums + weights @ values) / total
    """,
    "blocked": """
        The sums are not divided by the total. (hint 1)
        - output[..., rows, :] = sums / total
        + output[..., rows, :] = sums

        The sum of the exponentials is saved without its logarithm.
        - logsumexp[..., rows, :] = largest + np.log(total)
        + logsumexp[..., rows, :] = largest + total

        The whole matrix of scores is made.
        + scores = tile(q, k, slice(0, q.shape[-2]), slice(0, k.shape[-2]), scale, is_causal)
        + largest = scores.max(axis=-1, keepdims=True)
        + weights = np.exp(scores - largest)
        + total = weights.sum(axis=-1, keepdims=True)
        + output = weights @ v / total
        + ctx.save_for_backward(q, k, v, output, largest + np.log(total))
        + ctx.options = scale, is_causal, block_size
        + return output

        The largest score so far begins at 0, not at -inf. (hint 1)
        - largest = np.full((*shape, 1), -np.inf, q.dtype)
        + largest = np.zeros((*shape, 1), q.dtype)

        The blocks of keys have more keys than `block_size` says.
        - for columns in visible(rows, k.shape[-2], block_size, is_causal):
        + for columns in visible(rows, k.shape[-2], 128, is_causal):

        The block size saved for backward is the whole length, so it makes the whole matrix.
        - ctx.options = scale, is_causal, block_size
        + ctx.options = scale, is_causal, q.shape[-2]

        Nothing is saved for backward. (hint 3)
        - ctx.save_for_backward(q, k, v, output, logsumexp)

        The output is float64, whatever the input type.
        - output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
        + output = np.empty((*q.shape[:-1], v.shape[-1]))

        The logarithm of the sum is saved for backward without the maximum.
        - logsumexp[..., rows, :] = largest + np.log(total)
        + logsumexp[..., rows, :] = np.log(total)

        The maximum is put back by a multiplication, which overflows or vanishes.
        - logsumexp[..., rows, :] = largest + np.log(total)
        + with np.errstate(all="ignore"):
        +     logsumexp[..., rows, :] = np.log(np.exp(largest) * total)

        The state is not reset for each block of queries.
          logsumexp = np.empty((*q.shape[:-1], 1), q.dtype)
        + state = np.full((*q.shape[:-1], 1), -np.inf, q.dtype), np.zeros_like(logsumexp)
        + state = [*state, np.zeros_like(output)]
        ...
        - shape = (*q.shape[:-2], rows.stop - rows.start)
        - largest = np.full((*shape, 1), -np.inf, q.dtype)
        - total = np.zeros((*shape, 1), q.dtype)
        - sums = np.zeros((*shape, v.shape[-1]), q.dtype)
        + largest, total, sums = (x[..., : rows.stop - rows.start, :] for x in state)
        ...
        - output[..., rows, :] = sums / total
        + state = largest, total, sums
        + output[..., rows, :] = sums / total

        `visible` is called with the number of queries: it is to be that of the keys.
        - for columns in visible(rows, k.shape[-2], block_size, is_causal):
        + for columns in visible(rows, q.shape[-2], block_size, is_causal):

        `sums` begins with the length of q's vectors, d: it is to be that of v's, e. (hint 1)
        - sums = np.zeros((*shape, v.shape[-1]), q.dtype)
        + sums = np.zeros((*shape, q.shape[-1]), q.dtype)

        Only the first block of keys is used. (hint 1)
        - for columns in visible(rows, k.shape[-2], block_size, is_causal):
        + for columns in visible(rows, k.shape[-2], block_size, is_causal)[:1]:

        All queries are in one block. (hint 1)
        - for rows in blocks(q.shape[-2], block_size):
        + for rows in [slice(0, q.shape[-2])]:

        The logarithm is saved before the output. (hint 3)
        - ctx.save_for_backward(q, k, v, output, logsumexp)
        + ctx.save_for_backward(q, k, v, logsumexp, output)

        The logarithm is saved without its last dimension, of length 1.
        - ctx.save_for_backward(q, k, v, output, logsumexp)
        + ctx.save_for_backward(q, k, v, output, logsumexp[..., 0])

        The logarithm is returned, too, not only saved.
        - return output
        + return output, logsumexp

        All queries are in one block. (hint 1)
        - for rows in blocks(q.shape[-2], block_size):
        + for rows in [slice(0, q.shape[-2])]:
        ...
        - output[..., rows, :] = sums / total
        - logsumexp[..., rows, :] = largest + np.log(total)
        + output, logsumexp = sums / total, largest + np.log(total)
    """,
    "lstm-step": """
        The bias does not reach `linear`.
        - i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
        + i, f, g, o = (gates + linear(h, weight)).chunk(4, -1)

        The gates are taken in the order i, f, o, g.
        - i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
        + i, f, o, g = (gates + linear(h, weight, bias)).chunk(4, -1)

        The gates are as long as h, which may be shorter than the memory. (hint 2)
        - i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
        + i, f, g, o = (gates + linear(h, weight, bias)).split(h.shape[-1], -1)[:4]

        The output is made from the old memory. (hint 3)
        - c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        - return sigmoid(o) * tanh(c), c
        + return sigmoid(o) * tanh(c), sigmoid(f) * c + sigmoid(i) * tanh(g)

        The written value goes through a sigmoid, and can only be positive.
        - c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        + c = sigmoid(f) * c + sigmoid(i) * sigmoid(g)

        The output is made from c' itself, without tanh.
        - return sigmoid(o) * tanh(c), c
        + return sigmoid(o) * c, c

        The gates are taken in the order f, i, g, o.
        - i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
        + f, i, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)

        The memory is returned first: h' is to be the first, c' the second.
        - return sigmoid(o) * tanh(c), c
        + return c, sigmoid(o) * tanh(c)
    """,
    "gru-step": """
        z is no share, for it lacks its sigmoid.
        - z = sigmoid(z + z_h)
        + z = z + z_h

        The reset gate multiplies the input's share too.
        - n = tanh(n + sigmoid(r + r_h) * n_h)
        + n = tanh(sigmoid(r + r_h) * (n + n_h))

        The update gate is the wrong way round, as in some papers.
        - return n + z * (h - n)
        + return h + z * (n - h)

        The reset gate is not passed through a sigmoid.
        - n = tanh(n + sigmoid(r + r_h) * n_h)
        + n = tanh(n + (r + r_h) * n_h)

        The gates are taken in the order z, r, n.
        - (r, z, n), (r_h, z_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)
        + (z, r, n), (z_h, r_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)

        The reset gate is applied to the state before the product. (hint 2)
        - (r, z, n), (r_h, z_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)
        - z = sigmoid(z + z_h)
        - n = tanh(n + sigmoid(r + r_h) * n_h)
        + (r, z, n), (r_h, z_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)
        + z = sigmoid(z + z_h)
        + n_h = linear(sigmoid(r + r_h) * h, weight, bias).chunk(3, -1)[2]
        + n = tanh(n + n_h)

        The update gate multiplies the wrong difference: it is to be the old state minus the candidate. (hint 3)
        - return n + z * (h - n)
        + return n + z * (n - h)

        The bias of the state's part is added outside the reset gate. (hint 2)
        - n = tanh(n + sigmoid(r + r_h) * n_h)
        + b = 0 if bias is None else bias.chunk(3)[2]
        + n = tanh(n + sigmoid(r + r_h) * (n_h - b) + b)
    """,
}
