"""Planted mistakes of module 18: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "cache-bytes": """
        Keys are counted, but not values. (hint 1)
        - return 2 * positions * num_heads * head_size * batch_size * dtype.itemsize
        + return positions * num_heads * head_size * batch_size * dtype.itemsize

        The batch size is forgotten. (hint 1)
        - return 2 * positions * num_heads * head_size * batch_size * dtype.itemsize
        + return 2 * positions * num_heads * head_size * dtype.itemsize

        Every number is taken to be a float32. (hint 1)
        - return 2 * positions * num_heads * head_size * batch_size * dtype.itemsize
        + return 2 * positions * num_heads * head_size * batch_size * 4

        A float is among the numbers, such as 0.0 or what a division gives, and makes the result one.
        - return 2 * positions * num_heads * head_size * batch_size * dtype.itemsize
        + return 2 * positions * num_heads * head_size * batch_size * (dtype.itemsize * 8 / 8)

        Bits are counted. (hint 1)
        - return 2 * positions * num_heads * head_size * batch_size * dtype.itemsize
        + return 16 * positions * num_heads * head_size * batch_size * dtype.itemsize

        Only one layer is counted. (hint 2)
        - positions = full_layers * length + (num_layers - full_layers) * kept
        + positions = kept

        The full layers are counted twice: with the whole text, and with the window. (hint 3)
        - positions = full_layers * length + (num_layers - full_layers) * kept
        + positions = full_layers * length + num_layers * kept

        full_layers is not read. (hint 2)
        - positions = full_layers * length + (num_layers - full_layers) * kept
        + positions = num_layers * kept

        A text shorter than the window takes the whole window. (hint 3)
        - kept = length if window is None else min(length, window)
        + kept = length if window is None else window

        Every number is taken to have two bytes, as in float16. (hint 1)
        - return 2 * positions * num_heads * head_size * batch_size * dtype.itemsize
        + return 2 * positions * num_heads * head_size * batch_size * 2
    """,
    "slots": """
        The positions come before the heads. (hint 2)
        - shape = (batch_size, num_heads, max_length, head_size)
        + shape = (batch_size, max_length, num_heads, head_size)

        The requested type is ignored. (hint 1)
        - self.k, self.v = np.empty(shape, dtype.numpy), np.empty(shape, dtype.numpy)
        + self.k, self.v = np.zeros(shape, np.float32), np.zeros(shape, np.float32)

        Keys and values are one array.
        - self.k, self.v = np.empty(shape, dtype.numpy), np.empty(shape, dtype.numpy)
        + self.k = self.v = np.empty(shape, dtype.numpy)

        The first slots are written, even if they are filled. (hint 2)
        - self.k[:, :, self.length : end] = k
        - self.v[:, :, self.length : end] = v
        + self.k[:, :, : k.shape[2]] = k
        + self.v[:, :, : k.shape[2]] = v

        The length grows by one, however many positions came. (hint 2)
        - end = self.length + k.shape[2]
        - self.k[:, :, self.length : end] = k
        - self.v[:, :, self.length : end] = v
        - self.length = end
        + end = self.length + k.shape[2]
        + self.k[:, :, self.length : end] = k
        + self.v[:, :, self.length : end] = v
        + self.length += 1

        The length does not change. (hint 2)
        - self.v[:, :, self.length : end] = v
        - self.length = end
        + self.v[:, :, self.length : end] = v

        The values' slots get the keys.
        - self.v[:, :, self.length : end] = v
        + self.v[:, :, self.length : end] = k

        What fills all slots is kept as it is, and not copied.
        - self.k[:, :, self.length : end] = k
        + if self.length == 0 and end == self.k.shape[2]:
        +     self.k = k
        + self.k[:, :, self.length : end] = k

        New memory is allocated at every write.
        - self.k[:, :, self.length : end] = k
        - self.v[:, :, self.length : end] = v
        + rest = self.k[:, :, end:]
        + self.k = np.concatenate([self.k[:, :, : self.length], k, rest], 2)
        + self.v = np.concatenate([self.v[:, :, : self.length], v, self.v[:, :, end:]], 2)

        What is new is appended to all slots.
        - self.k[:, :, self.length : end] = k
        - self.v[:, :, self.length : end] = v
        + self.k = np.concatenate([self.k, k], 2)
        + self.v = np.concatenate([self.v, v], 2)

        All slots are read, the empty ones too. (hint 3)
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + return self.k, self.v

        What is read is a copy. (hint 3)
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + return self.k[:, :, : self.length].copy(), self.v[:, :, : self.length].copy()

        The keys are read twice.
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + return self.k[:, :, : self.length], self.k[:, :, : self.length]

        The dimension of heads is cut.
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + return self.k[:, : self.length], self.v[:, : self.length]

        Keys and values are read in the wrong order.
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + return self.v[:, :, : self.length], self.k[:, :, : self.length]

        Where nothing is filled, all slots are read. (hint 3)
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + if not self.length:
        +     return self.k, self.v
        + return self.k[:, :, : self.length], self.v[:, :, : self.length]

        The memory has the positions first, and only its view has the heads first. (hint 2)
        - shape = (batch_size, num_heads, max_length, head_size)
        - self.k, self.v = np.empty(shape, dtype.numpy), np.empty(shape, dtype.numpy)
        + shape = (batch_size, max_length, num_heads, head_size)
        + self.k, self.v = (np.empty(shape, dtype.numpy).swapaxes(1, 2) for _ in range(2))

        What is read does not follow a `length` that is set, as where `write` makes the views.
        - self.v[:, :, self.length : end] = v
        - self.length = end
        + self.v[:, :, self.length : end] = v
        + self.length = end
        + self.filled = self.k[:, :, :end], self.v[:, :, :end]
        ...
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + nothing = self.k[:, :, :0], self.v[:, :, :0]
        + return getattr(self, "filled", nothing)

        Keys and values lie side by side in one array, so that a head's keys are no block of memory.
        - self.k, self.v = np.empty(shape, dtype.numpy), np.empty(shape, dtype.numpy)
        + both = np.empty((*shape[:3], 2 * head_size), dtype.numpy)
        + self.k, self.v = both[..., :head_size], both[..., head_size:]
    """,
    "attend-one": """
        The scores are not scaled.
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + grouped = q.reshape(B, G, H // G, d)

        The scores are divided by d, not by its root.
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + grouped = q.reshape(B, G, H // G, d) * (1 / d)

        Something in it is float64: a scale from np.sqrt, memory from np.zeros, or .astype(float). (hint 2)
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + grouped = q.reshape(B, G, H // G, d) / np.sqrt(np.float64(d))

        The caller's queries are scaled in place.
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + q *= 1 / math.sqrt(d)
        + grouped = q.reshape(B, G, H // G, d)

        Heads are assigned to the groups in turn, not in blocks. (hint 3)
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + grouped = q.reshape(B, H // G, G, d).swapaxes(1, 2) * (1 / math.sqrt(d))

        Head h of the queries uses head h % G of the keys: groups are in turn, not in blocks. (hint 3)
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + grouped = q.reshape(B, H // G, G, d).swapaxes(1, 2) * (1 / math.sqrt(d))
        ...
        - return (weights @ v).reshape(q.shape)
        + return (weights @ v).swapaxes(1, 2).reshape(q.shape)

        All heads of keys are repeated one after the other, not each for its group. (hint 3)
        + repeats = q.shape[1] // k.shape[1]
        + k, v = np.tile(k, (1, repeats, 1, 1)), np.tile(v, (1, repeats, 1, 1))
        + scores = np.matmul(q, k.transpose(0, 1, 3, 2)) * (1 / math.sqrt(q.shape[-1]))
        + weights = softmax_rows(scores.reshape(-1, k.shape[2])).reshape(scores.shape)
        + return np.matmul(weights, v)

        Heads are looped over. (hint 1)
        + (B, H, _, d), G = q.shape, k.shape[1]
        + output = np.empty(q.shape, q.dtype)
        + for b, h in np.ndindex(B, H):
        +     keys, values = k[b, h * G // H], v[b, h * G // H]
        +     output[b, h] = softmax_rows((q[b, h] * (1 / math.sqrt(d))) @ keys.T) @ values
        + return output

        Module 12's attention is called, which loops over heads.
        + return scaled_dot_product_attention(wrap(q), wrap(k), wrap(v), enable_gqa=True).array

        Heads are looped over. (hint 1)
        + (B, H, _, d), G = q.shape, k.shape[1]
        + output = np.empty(q.shape, q.dtype)
        + for b, h in np.ndindex(B, H):
        +     keys, values = k[b, h * G // H], v[b, h * G // H]
        +     scores = np.einsum("td,sd->ts", q[b, h], keys) * (1 / math.sqrt(d))
        +     output[b, h] = np.einsum("ts,sd->td", softmax_rows(scores), values)
        + return output

        The heads of a group are looped over.
        + (B, H, _, d), (_, G, S, _) = q.shape, k.shape
        + output, size = np.empty(q.shape, q.dtype), H // G
        + for member in range(size):
        +     scores = (q[:, member::size] * (1 / math.sqrt(d))) @ k.swapaxes(-1, -2)
        +     weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        +     output[:, member::size] = weights @ v
        + return output

        The result is made float32, whatever the queries are.
        - return (weights @ v).reshape(q.shape)
        + return (weights @ v).reshape(q.shape).astype(np.float32)

        The batch is looped over.
        + (B, H, _, d), (_, G, S, _) = q.shape, k.shape
        + output = np.empty(q.shape, q.dtype)
        + for b in range(B):
        +     grouped = q[b].reshape(G, H // G, d) * (1 / math.sqrt(d))
        +     scores = grouped @ k[b].swapaxes(-1, -2)
        +     weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        +     output[b] = (weights @ v[b]).reshape(H, 1, d)
        + return output

        Softmax overflows: the largest score is not subtracted.
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + weights = np.exp(scores)
        + weights /= weights.sum(-1, keepdims=True)

        Softmax runs over the wrong rows. (hint 3)
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + weights = softmax_rows(scores.reshape(B, -1)).reshape(scores.shape)

        The result keeps the shape of the groups.
        - return (weights @ v).reshape(q.shape)
        + return weights @ v

        A single position is not divided into groups.
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + if S == 1:
        +     return np.tile(v, (1, H // G, 1, 1))
        + grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))

        Softmax subtracts no less than 0: where all scores are far below, every exp becomes 0.
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + weights = np.exp(scores - scores.max(-1, keepdims=True, initial=0))
        + weights /= weights.sum(-1, keepdims=True)

        Softmax subtracts one largest score from several rows, and in some of them every exp becomes 0.
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + weights = np.exp(scores - scores.max((-2, -1), keepdims=True))
        + weights /= weights.sum(-1, keepdims=True)

        Softmax works on a copy of the scores, and the scores themselves are used.
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + softmax_rows(scores.reshape(-1, S).copy())
        + weights = scores

        The softmax runs over the queries of a group, not over the positions. (hint 3)
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + exps = np.exp(scores - scores.max(2, keepdims=True))
        + weights = exps / exps.sum(2, keepdims=True)

        The keys are reshaped where they should be transposed. (hint 1)
        - scores = grouped @ k.swapaxes(-1, -2)  # (B, G, H/G, S)
        + scores = grouped @ k.reshape(B, G, d, S)

        One maximum is subtracted from the scores of all heads.
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + exps = np.exp(scores - scores.max())
        + weights = exps / exps.sum(-1, keepdims=True)

        float64 is computed in float32, and only then made float64 again.
        - (B, H, _, d), (_, G, S, _) = q.shape, k.shape
        + (B, H, _, d), (_, G, S, _) = q.shape, k.shape
        + kind = q.dtype
        + q, k, v = (x.astype(np.float32) for x in (q, k, v))
        ...
        - return (weights @ v).reshape(q.shape)
        + return (weights @ v).reshape(q.shape).astype(kind)

        The scores are reshaped to (S, -1), whose rows belong to no query: (-1, S) has a row for each. (hint 3)
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + weights = softmax_rows(scores.reshape(S, -1)).reshape(scores.shape)

        The scores are scaled by the root of S, not of d. (hint 2)
        - grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
        + grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(S))

        The largest score is taken over the queries, not over the positions.
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + rows = scores.reshape(-1, S)
        + weights = np.exp(rows - rows.max(axis=0)).reshape(scores.shape)
        + weights /= weights.sum(axis=-1, keepdims=True)
    """,
    "attend-new": """
        The triangle begins at the upper left. (hint 2)
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        + mask = causal_mask(range(T), range(S), q.dtype)

        Every position sees all positions. (hint 1)
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        + mask = np.zeros((T, S), q.dtype)

        A position does not see itself. (hint 2)
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        + mask = causal_mask(range(start - 1, S - 1), range(S), q.dtype)

        Several positions go through attend_one. (hint 1)
        - if T == 1:
        -     return attend_one(q, keys, values)
        + return np.concatenate([attend_one(q[:, :, t : t + 1], keys, values) for t in range(T)], 2)

        enable_gqa is not passed. (hint 3)
        - output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        + output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)))

        A Tensor is returned. (hint 3)
        - return output.array
        + return output

        One position does not go through attend_one. (hint 1)
        - if T == 1:
        -     return attend_one(q, keys, values)

        Softmax overflows: the largest score is not subtracted.
        + B, H, T, d = q.shape
        + G, S = keys.shape[1:3]
        + if T == 1:
        +     return attend_one(q, keys, values)
        + scores = q.reshape(B, G, H // G, T, d) / math.sqrt(d) @ keys[:, :, None].swapaxes(-1, -2)
        + seen = np.arange(S) <= start + np.arange(T)[:, None]
        + weights = np.exp(scores) * seen
        + weights /= weights.sum(-1, keepdims=True)
        + return (weights @ values[:, :, None]).reshape(B, H, T, d)

        The mask is a number that large scores outweigh, and not -inf.
        + B, H, T, d = q.shape
        + G, S = keys.shape[1:3]
        + if T == 1:
        +     return attend_one(q, keys, values)
        + scores = q.reshape(B, G, H // G, T, d) / math.sqrt(d) @ keys[:, :, None].swapaxes(-1, -2)
        + seen = np.arange(S) <= start + np.arange(T)[:, None]
        + scores -= 100 * (~seen).astype(q.dtype)
        + weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + return (weights @ values[:, :, None]).reshape(B, H, T, d)

        Softmax subtracts a largest score that the position does not see, and every exp becomes 0.
        + B, H, T, d = q.shape
        + G, S = keys.shape[1:3]
        + if T == 1:
        +     return attend_one(q, keys, values)
        + scores = q.reshape(B, G, H // G, T, d) / math.sqrt(d) @ keys[:, :, None].swapaxes(-1, -2)
        + seen = np.arange(S) <= start + np.arange(T)[:, None]
        + weights = np.exp(scores - scores.max(-1, keepdims=True)) * seen
        + weights /= weights.sum(-1, keepdims=True)
        + return (weights @ values[:, :, None]).reshape(B, H, T, d)

        The caller's queries are scaled in place.
        - if T == 1:
        -     return attend_one(q, keys, values)
        + if T == 1:
        +     return attend_one(q, keys, values)
        + q *= 1 / math.sqrt(q.shape[-1])
        ...
        - output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        + output = scaled_dot_product_attention(
        +     *map(wrap, (q, keys, values, mask)), enable_gqa=True, scale=1.0
        + )

        The keys are scaled in place, and they are the cache's own.
        - if T == 1:
        -     return attend_one(q, keys, values)
        + if T == 1:
        +     return attend_one(q, keys, values)
        + keys *= 1 / math.sqrt(q.shape[-1])
        ...
        - output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        + output = scaled_dot_product_attention(
        +     *map(wrap, (q, keys, values, mask)), enable_gqa=True, scale=1.0
        + )

        Scores of later positions are set to a number, which is not below every score. (hint 2)
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        - output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        - return output.array
        + k, v = (np.repeat(x, q.shape[1] // keys.shape[1], axis=1) for x in (keys, values))
        + scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]))
        + scores[..., np.arange(S) > np.arange(start, S)[:, None]] = -100
        + return softmax_rows(scores.reshape(-1, S)).reshape(scores.shape) @ v

        The mask is inverted: True is where a position may look. (hint 2)
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        + mask = np.arange(S) > np.arange(start, S)[:, None]

        A position sees the next one, too. (hint 2)
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        + mask = causal_mask(range(start + 1, S + 1), range(S), q.dtype)

        The scores of later positions are 0, and not minus infinity.
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        - output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        - return output.array
        + k, v = (np.repeat(x, q.shape[1] // keys.shape[1], axis=1) for x in (keys, values))
        + scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]))
        + scores[..., np.arange(S) > np.arange(start, S)[:, None]] = 0
        + return softmax_rows(scores.reshape(-1, S)).reshape(scores.shape) @ v

        float64 is computed in float32, and only then made float64 again.
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        - output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        - return output.array
        + mask, kind = causal_mask(range(start, S), range(S)), q.dtype
        + q, keys, values = (x.astype(np.float32) for x in (q, keys, values))
        + output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        + return output.array.astype(kind)

        A position does not see itself, and the first has no keys at all.
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        - output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
        - return output.array
        + rows = [
        +     attend_one(q[:, :, t : t + 1], keys[:, :, : start + t], values[:, :, : start + t])
        +     for t in range(T)
        + ]
        + return np.concatenate(rows, axis=2)

        attend_one is called for several positions: it takes one. (hint 1)
        - if T == 1:
        + if start:

        All heads of keys are repeated one after the other, not each for its group. (hint 3)
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        + repeats = q.shape[1] // keys.shape[1]
        + keys, values = (np.tile(x, (1, repeats, 1, 1)) for x in (keys, values))
        + mask = causal_mask(range(start, S), range(S), q.dtype)
    """,
    "kv-cache": """
        One cache serves all layers. (hint 1)
        - self.layers = [
        -     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        -     for _ in range(num_layers)
        - ]
        + self.layers = [
        +     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        + ] * num_layers

        A LayerCache is made even for int8, which needs another class.
        - layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        + LayerCache(batch_size, num_heads, max_length, head_size, dtype)

        The type is not passed on.
        - layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        + layer_cache(batch_size, num_heads, max_length, head_size, float32)

        A head is taken to be as wide as the model. (hint 3)
        - head_size = config.n_embd // config.n_head
        + head_size = config.n_embd

        The batch is always one.
        - return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)
        + return cls(config.n_layer, 1, heads, max_length, head_size, dtype, keep)

        The length is the model's window, whatever max_length is.
        - return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)
        + return cls(config.n_layer, batch_size, heads, config.block_size, head_size, dtype, keep)

        keep is not passed on.
        - return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)
        + return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype)

        A model with grouped heads gets a cache with as many heads as queries have. (hint 3)
        - heads = config.n_kv_head or config.n_head
        + heads = config.n_head

        The length counts the layers. (hint 2)
        - return self.layers[0].length
        + return len(self.layers)

        The length is max_length.
        - return self.layers[0].length
        + return self.max_length

        Only the first layer is reset. (hint 2)
        - for layer in self.layers:
        -     layer.length = 0
        + self.layers[0].length = 0

        New memory is allocated for each text. (hint 2)
        - for layer in self.layers:
        -     layer.length = 0
        + for layer in self.layers:
        +     layer.k, layer.v = np.empty_like(layer.k), np.empty_like(layer.v)
        +     layer.length = 0

        The lengths are not reset. (hint 2)
        - for layer in self.layers:
        -     layer.length = 0
        + pass

        The layers are shallow copies of one, and share its memory. (hint 1)
        - self.layers = [
        -     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        -     for _ in range(num_layers)
        - ]
        + import copy
        + first = layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        + self.layers = [copy.copy(first) for _ in range(num_layers)]

        Without `keep` the model's window is passed on, which may be more than max_length.
        - return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)
        + keep = config.block_size if keep is None else keep
        + return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)

        What the given lines set is overwritten: `keep` becomes max_length.
        - self.layers = [
        -     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        -     for _ in range(num_layers)
        - ]
        + self.keep = max_length
        + self.layers = [
        +     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        +     for _ in range(num_layers)
        + ]

        The number of layers and the batch size are exchanged.
        - return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)
        + return cls(batch_size, config.n_layer, heads, max_length, head_size, dtype, keep)

        The layers are a tuple. (hint 1)
        - self.layers = [
        -     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        -     for _ in range(num_layers)
        - ]
        + self.layers = tuple(
        +     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        +     for _ in range(num_layers)
        + )

        A division makes the length a float. (hint 2)
        - return self.layers[0].length
        + return sum(layer.length for layer in self.layers) / len(self.layers)

        Where n_kv_head is None, keys and values have as many heads as queries. (hint 3)
        - heads = config.n_kv_head or config.n_head
        + heads = config.n_kv_head

        A reset makes new layers, with new memory. (hint 2)
        - for layer in self.layers:
        -     layer.length = 0
        + self.layers = [layer_cache(*layer.k.shape, float32) for layer in self.layers]

        `window` stays after a reset, and the next text is compared with the old one. (hint 2)
        - for layer in self.layers:
        -     layer.length = 0
        - self.window = None
        + for layer in self.layers:
        +     layer.length = 0

        A reset changes `keep`, too.
        - for layer in self.layers:
        -     layer.length = 0
        + for layer in self.layers:
        +     layer.length = 0
        + self.keep = self.max_length
    """,
    "window": """
        The whole window is shown every time. (hint 1)
        + return window[:, -max_length:], length > 0

        A full cache is shown only what is new, not the last `keep` tokens. (hint 3)
        - if length + new <= max_length:
        + if length <= max_length:

        Room for one token is taken for room for all. (hint 3)
        - if length + new <= max_length:
        + if length < max_length:

        It restarts one token too early. (hint 3)
        - if length + new <= max_length:
        + if length + new < max_length:

        Only the newest token is shown, not all that are new. (hint 1)
        - return window[:, -new:], False
        + return window[:, -1:], False

        The first tokens are kept, and not the last. (hint 2)
        - return window[:, -keep:], True
        + return window[:, :keep], True

        A full cache does not restart. (hint 1)
        - return window[:, -keep:], True
        + return window[:, -keep:], False

        The whole window is kept, whatever `keep` is.
        - return window[:, -keep:], True
        + return window[:, -max_length:], True

        An empty cache is shown more than it can hold. (hint 2)
        - return window[:, -max_length:], False
        + return window, False

        The slice of a short window begins at a negative place. (hint 2)
        - return window[:, -max_length:], False
        + return window[:, window.shape[1] - max_length :], False

        The new tokens are taken to begin at the cache's length. (hint 1)
        - return window[:, -new:], False
        + return window[:, length:], False

        A restart shows all new tokens where these are more than `keep`. (hint 1)
        - return window[:, -keep:], True
        + return window[:, -max(keep, new) :], True

        The cache is taken to be empty where all of the window is new. (hint 1)
        - if length == 0:
        + if new == window.shape[1]:

        The new tokens are taken to begin at place `new` of the window, not to be its last. (hint 2)
        - return window[:, -new:], False
        + return window[:, new:], False

        As many tokens are shown as there are free slots. (hint 1)
        - return window[:, -new:], False
        + return window[:, -(max_length - length) :], False

        The tokens are an array.
        - if length == 0:
        + window = window.array
        + if length == 0:

        Only the tokens are returned, without the bool.
        - return window[:, -max_length:], False
        + return window[:, -max_length:]
        ...
        - return window[:, -new:], False
        + return window[:, -new:]
        ...
        - return window[:, -keep:], True
        + return window[:, -keep:]

        A restart shows only what is new, not the last `keep` tokens. (hint 1)
        - return window[:, -keep:], True
        + return window[:, -new:], True

        A restart is reported wherever `keep` tokens are shown, even if there is room. (hint 1)
        + n = max_length if length == 0 else new if length + new <= max_length else keep
        + return window[:, -n:], length > 0 and n == keep
    """,
    "ring": """
        The slots are not the positions modulo R, as where they are counted from 0 at each write. (hint 1)
        - slots = (self.length + new) % R
        + slots = new % R

        The length stops at the number of slots.
        - self.length += T
        + self.length = min(self.length + T, R)

        A chunk is written in one piece, and does not go round. (hint 1)
        - new = np.arange(max(0, T - R), T)  # none that another of them overwrites
        - slots = (self.length + new) % R
        + new = np.arange(max(0, T - R), T)
        + slots = np.minimum(self.length + new, R - 1)

        Of a chunk longer than the ring the first positions are kept, not the last. (hint 1)
        - new = np.arange(max(0, T - R), T)  # none that another of them overwrites
        + new = np.arange(min(T, R))

        The last slots of a chunk longer than the ring get its first positions. (hint 1)
        - self.k[:, :, slots] = k[:, :, new]
        - self.v[:, :, slots] = v[:, :, new]
        + self.k[:, :, slots] = k[:, :, : len(new)]
        + self.v[:, :, slots] = v[:, :, : len(new)]

        The length grows by the positions that were kept, not by all.
        - self.length += T
        + self.length += len(new)

        Of a chunk longer than the ring the positions that are kept go where its first ones belong. (hint 1)
        - slots = (self.length + new) % R
        + slots = (self.length + new - max(0, T - R)) % R

        The values' slots get the keys.
        - self.v[:, :, slots] = v[:, :, new]
        + self.v[:, :, slots] = k[:, :, new]

        The oldest are moved out, so that the slots are in the order of the text.
        - self.k[:, :, slots] = k[:, :, new]
        - self.v[:, :, slots] = v[:, :, new]
        - self.length += T
        + n = min(self.length + T, R)
        + for mine, x in ((self.k, k), (self.v, v)):
        +     filled = mine[:, :, : min(self.length, R)]
        +     mine[:, :, :n] = np.concatenate([filled, x], 2)[:, :, -n:] if n else x
        + self.length += T

        The slots' own numbers are returned, not their positions. (hint 2)
        - slots, last = np.arange(min(self.length, R)), self.length - 1
        - return last - (last - slots) % R
        + return np.arange(min(self.length, R))

        `positions` lists the last positions in the order of the text. (hint 3)
        - slots, last = np.arange(min(self.length, R)), self.length - 1
        - return last - (last - slots) % R
        + return np.arange(max(0, self.length - R), self.length)

        The newest position is taken to be `length`. (hint 2)
        - slots, last = np.arange(min(self.length, R)), self.length - 1
        + slots, last = np.arange(min(self.length, R)), self.length

        All slots are listed, the empty ones too.
        - slots, last = np.arange(min(self.length, R)), self.length - 1
        + slots, last = np.arange(R), self.length - 1

        The positions are floats.
        - return last - (last - slots) % R
        + return last - (last - slots) % float(R)

        An empty list becomes an array of floats.
        - return last - (last - slots) % R
        + return np.array((last - (last - slots) % R).tolist())

        A list is returned, not an array.
        - return last - (last - slots) % R
        + return (last - (last - slots) % R).tolist()

        A chunk longer than the ring is written to the first slots, whatever its positions. (hint 1)
        - slots = (self.length + new) % R
        + slots = (self.length + new) % R if T <= R else np.arange(R)

        `positions` returns the ring's own array, which later writes change.
        - self.length += T
        + self.held = getattr(self, "held", np.zeros(R, np.int64))
        + self.held[slots] = self.length + new
        + self.length += T
        ...
        - slots, last = np.arange(min(self.length, R)), self.length - 1
        - return last - (last - slots) % R
        + return getattr(self, "held", np.arange(0))[: min(self.length, R)]

        The length does not change.
        - self.length += T

        The length begins again at 0 when the ring is full, as where it is counted modulo R.
        - self.length += T
        + self.length = (self.length + T) % R
    """,
    "attend-ring": """
        Old keys that are still needed are lost, as where the new ones are written first. (hint 1)
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        - layer.write(k, v)
        + layer.write(k, v)
        + columns = layer.positions()
        + keys, values = layer.read()

        The window is one position too long. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap((distance >= 0) & (distance <= R))

        The window is one position too short. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap((distance >= 0) & (distance < max(R - 1, 1)))

        The mask is causal only: the first of many new positions are still seen by the last. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap(distance >= 0)

        New positions see later ones. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap(np.abs(distance) < R)

        The slots are taken to be in the order of the text. (hint 2)
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        + columns = np.arange(start - len(layer.positions()), start + T)

        The new queries see only each other. (hint 1)
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        + columns, keys, values = new, k, v

        Several new positions are not written.
        - layer.write(k, v)
        - distance = new[:, None] - columns  # (T, S)
        + distance = new[:, None] - columns

        One position attends before it is written, and does not see itself.
        - layer.write(k, v)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + output = attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + layer.write(k, v)
        + return output

        The slots are read before one position is written: until the ring is full, it does not see itself.
        - layer.write(k, v)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + read = [x.astype(q.dtype, copy=False) for x in layer.read()] if start else [k, v]
        + layer.write(k, v)
        + return attend_one(q, *read)

        One position does not go through attend_one: correct, but slow.
        - if T == 1:
        -     layer.write(k, v)
        -     return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))

        Heads of keys are not shared among groups of queries. (hint 3)
        - return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + return scaled_dot_product_attention(*tensors, attn_mask=mask).array

        A Tensor is returned.
        - return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True)

        The slots' type decides the result's. (hint 3)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + return attend_one(q, *layer.read())
        ...
        - tensors = (wrap(x.astype(q.dtype, copy=False)) for x in (q, keys, values))
        + tensors = (wrap(x) for x in (q, keys, values))

        All is made float32, whatever the queries are. (hint 3)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + return attend_one(q, *(x.astype(np.float32) for x in layer.read()))
        ...
        - tensors = (wrap(x.astype(q.dtype, copy=False)) for x in (q, keys, values))
        + tensors = (wrap(x.astype(np.float32)) for x in (q, keys, values))

        Several positions are made float32, whatever the queries are. (hint 3)
        - tensors = (wrap(x.astype(q.dtype, copy=False)) for x in (q, keys, values))
        + tensors = (wrap(x.astype(np.float32)) for x in (q, keys, values))

        The slots' type is kept, which the queries do not have. (hint 3)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + return attend_one(q, *layer.read()).astype(layer.k.dtype)

        Keys and values are read before, but joined after the write, when their views show the new ones. (hint 1)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        - layer.write(k, v)
        + old = layer.read()
        + layer.write(k, v)
        + keys, values = (np.concatenate(x, 2) for x in zip(old, (k, v)))

        Only the values are joined after the write, when their view shows the new ones. (hint 1)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        - layer.write(k, v)
        + old = layer.read()
        + keys = np.concatenate([old[0], k], 2)
        + layer.write(k, v)
        + values = np.concatenate([old[1], v], 2)

        The layer's arrays are replaced by converted ones. (hint 3)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + layer.k, layer.v = layer.k.astype(q.dtype), layer.v.astype(q.dtype)
        + return attend_one(q, *layer.read())

        Softmax overflows: the largest score is not subtracted.
        - return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + q, keys, values = (x.array for x in tensors)
        + (B, H, _, d), (G, S) = q.shape, keys.shape[1:3]
        + grouped = q.reshape(B, G, H // G, T, d) / math.sqrt(d)
        + weights = np.exp(grouped @ keys[:, :, None].swapaxes(-1, -2)) * mask.array
        + weights /= weights.sum(-1, keepdims=True)
        + return (weights @ values[:, :, None]).reshape(B, H, T, d)

        The mask is a number that large scores outweigh, and not -inf. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap(np.where((distance >= 0) & (distance < R), 0, -100).astype(q.dtype))

        Scores outside the window are set to a number, which is not below every score. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        - return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + x, y, z = (t.array for t in tensors)
        + y, z = (np.repeat(t, x.shape[1] // t.shape[1], axis=1) for t in (y, z))
        + scores = x @ y.swapaxes(-1, -2) * (1 / math.sqrt(x.shape[-1]))
        + scores[..., (distance < 0) | (distance >= R)] = -100
        + return softmax_rows(scores.reshape(-1, scores.shape[-1])).reshape(scores.shape) @ z

        New positions see later ones: only the window is a bound. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap(distance < R)

        The distance is turned: a position sees what comes after it. (hint 2)
        - distance = new[:, None] - columns  # (T, S)
        + distance = columns - new[:, None]

        The old keys are cut to the last R before the attention. (hint 1)
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        + columns = np.concatenate([layer.positions(), new])[-R:]
        + keys, values = (np.concatenate(x, 2)[:, :, -R:] for x in zip(layer.read(), (k, v)))

        One position is written twice.
        - layer.write(k, v)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + layer.write(k, v)
        + layer.write(k, v)
        + return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))

        float64 is computed in float32, and only then made float64 again.
        - if T == 1:
        + kind = q.dtype
        + q, k, v = (x.astype(np.float32) for x in (q, k, v))
        + if T == 1:
        ...
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + return attend_one(q, *(x.astype(np.float32) for x in layer.read())).astype(kind)
        ...
        - return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + output = scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + return output.astype(kind)

        A position does not see itself. (hint 2)
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap((distance > 0) & (distance < R))

        One position attends to all old slots and to itself, which are R + 1 keys once the ring is full.
        - layer.write(k, v)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + pairs = zip(layer.read(), (k, v))
        + keys, values = (np.concatenate(x, 2).astype(q.dtype, copy=False) for x in pairs)
        + layer.write(k, v)
        + return attend_one(q, keys, values)

        Several positions are written first, and each attends to all slots, without a mask. (hint 1)
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        - layer.write(k, v)
        - distance = new[:, None] - columns  # (T, S)
        - tensors = (wrap(x.astype(q.dtype, copy=False)) for x in (q, keys, values))
        - mask = wrap((distance >= 0) & (distance < R))
        - return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + layer.write(k, v)
        + tensors = (wrap(x.astype(q.dtype, copy=False)) for x in (q, *layer.read()))
        + return scaled_dot_product_attention(*tensors, enable_gqa=True).array

        The positions are joined in another order than the keys. (hint 2)
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        + columns = np.concatenate([new, layer.positions()])

        One position is attended before it is written: an empty ring has no keys.
        - layer.write(k, v)
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + read = [x.astype(q.dtype, copy=False) for x in layer.read()]
        + layer.write(k, v)
        + return attend_one(q, *read)
    """,
    "prompts": """
        Everything is shown again at each step.
        - shown = end
        + shown = 0

        The model's tokens replace prompts that continue. (hint 3)
        - tokens[:, end] = np.where(known[:, end], tokens[:, end], token.array[:, 0])
        + tokens[:, end] = token.array[:, 0]

        `known` is read one column too early: each prompt's first new token is not filled in, and stays 0.
        - tokens[:, end] = np.where(known[:, end], tokens[:, end], token.array[:, 0])
        + tokens[:, end] = np.where(known[:, end - 1], tokens[:, end], token.array[:, 0])

        A token 0 of a prompt is taken for its end. (hint 3)
        - tokens[:, end] = np.where(known[:, end], tokens[:, end], token.array[:, 0])
        + tokens[:, end] = np.where(tokens[:, end] != 0, tokens[:, end], token.array[:, 0])

        The tokens that the model draws do not stay in the rows. (hint 3)
        - tokens[:, end] = np.where(known[:, end], tokens[:, end], token.array[:, 0])
        + tokens[:, end] = np.where(known[:, end], token.array[:, 0], tokens[:, end])

        Generation begins after the longest prompt, so that shorter ones have a gap. (hint 1)
        - for end in range(min(lengths), total):
        + for end in range(max(lengths), total):

        What all prompts have is shown one by one, and not at once. (hint 1)
        - for end in range(min(lengths), total):
        + for end in range(1, total):

        The model is not given the cache, though it is shown new tokens only. (hint 2)
        - hidden = model.hidden(wrap(tokens[:, shown:end]), cache)
        + hidden = model.hidden(wrap(tokens[:, shown:end]))

        The model is not given the cache, and is shown all tokens each time: correct, but slow. (hint 2)
        - hidden = model.hidden(wrap(tokens[:, shown:end]), cache)
        + hidden = model.hidden(wrap(tokens[:, :end]))

        The options are forgotten. (hint 2)
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), temperature)

        The generator is not passed on. (hint 2)
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p)

        top_p is not passed on. (hint 2)
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, None, generator)

        The logits of the first position are used.
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, 0]), temperature, top_k, top_p, generator)

        The last token is not filled in.
        - for end in range(min(lengths), total):
        + for end in range(min(lengths), total - 1):

        A pass shows the model no tokens, as one that begins at the first token does. (hint 1)
        - for end in range(min(lengths), total):
        + for end in range(total):

        The next pass begins one token too late, and so shows nothing. (hint 2)
        - shown = end
        + shown = end + 1

        The most likely token is taken, whatever the options are. (hint 2)
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = model.lm_head(hidden[:, -1]).argmax(-1, keepdim=True)

        All options are forgotten, the temperature first. (hint 2)
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]))

        A temperature of 0 is taken for none.
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), temperature or 1.0, top_k, top_p, generator)
    """,
    "draft": """
        The end of the text finds itself. (hint 1)
        - runs = np.lib.stride_tricks.sliding_window_view(tokens, n)[:-1]
        + runs = np.lib.stride_tricks.sliding_window_view(tokens, n)

        The run that was found is proposed, not what followed it. (hint 2)
        - start = places[0] + n
        + start = places[0]

        The draft begins one token too late. (hint 2)
        - start = places[0] + n
        + start = places[0] + n + 1

        The last place is used, which has the least text after it.
        - start = places[0] + n
        + start = places[-1] + n

        Short runs are tried before long ones. (hint 3)
        - for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        + for n in range(shortest, min(longest, len(tokens) - 1) + 1):

        Only the longest run is looked for. (hint 3)
        - for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        + for n in range(min(longest, len(tokens) - 1), longest - 1, -1):

        The shortest run is left out. (hint 3)
        - for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        + for n in range(min(longest, len(tokens) - 1), shortest, -1):

        One token of a run is enough for it to be found. (hint 2)
        - places = np.flatnonzero((runs == tokens[-n:]).all(axis=1))
        + places = np.flatnonzero((runs == tokens[-n:]).any(axis=1))

        A run may have the same tokens in another order. (hint 2)
        - places = np.flatnonzero((runs == tokens[-n:]).all(axis=1))
        + places = np.flatnonzero((np.sort(runs) == np.sort(tokens[-n:])).all(axis=1))

        All that follows is proposed.
        - return tokens[start : start + count]
        + return tokens[start:]

        A list is returned where nothing is found. (hint 3)
        - return tokens[:0]
        + return []

        Single tokens are looked for, whatever the shortest is. (hint 3)
        - for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        + for n in range(min(longest, len(tokens) - 1), 0, -1):

        Texts of digits are compared, in which 1 and 23 are 12 and 3.
        + whole = [str(t) for t in tokens.tolist()]
        + for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        +     for place in range(len(whole) - n):
        +         if "".join(whole[place : place + n]) == "".join(whole[-n:]):
        +             return tokens[place + n : place + n + count]
        + return tokens[:0]

        Bytes are searched, at places where no token begins, too.
        + for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        +     place = tokens[:-1].tobytes().find(tokens[-n:].tobytes())
        +     if place >= 0:
        +         start = place // tokens.itemsize + n
        +         return tokens[start : start + count]
        + return tokens[:0]

        Tokens are looked for as text, in which 2 3 is a part of 12 3.
        + text = " ".join(map(str, tokens))
        + for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        +     end = " ".join(map(str, tokens[-n:]))
        +     at = text.find(end)
        +     if at < len(text) - len(end):
        +         start = len(text[:at].split()) + n
        +         return tokens[start : start + count]
        + return tokens[:0]

        Tokens are looked for as text, in which 2, 3 is a part of 12, 3.
        + text = str(tokens.tolist())[1:-1]
        + for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        +     end = str(tokens[-n:].tolist())[1:-1]
        +     at = text.find(end)
        +     if at != text.rfind(end):
        +         start = text[:at].count(",") + n
        +         return tokens[start : start + count]
        + return tokens[:0]

        A run is made one number, which another run has, too, where tokens are as large as its base.
        - runs = np.lib.stride_tricks.sliding_window_view(tokens, n)[:-1]
        - places = np.flatnonzero((runs == tokens[-n:]).all(axis=1))
        + runs = np.lib.stride_tricks.sliding_window_view(tokens, n) @ 1000 ** np.arange(n)
        + places = np.flatnonzero(runs[:-1] == runs[-1])

        A run at the very beginning is not found: the search begins at 1, or takes place 0 for false.
        - if len(places):
        + if len(places) and places[0]:

        Places that overlap with the end are left out.
        - runs = np.lib.stride_tricks.sliding_window_view(tokens, n)[:-1]
        + runs = np.lib.stride_tricks.sliding_window_view(tokens, n)[:-n]

        The last place before the end is not looked at.
        - runs = np.lib.stride_tricks.sliding_window_view(tokens, n)[:-1]
        + runs = np.lib.stride_tricks.sliding_window_view(tokens, n)[:-2]

        A text of at most `longest` tokens is not searched. (hint 3)
        - for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        + if len(tokens) <= longest:
        +     return tokens[:0]
        + for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):

        Runs of all tokens but the first are not looked for. (hint 3)
        - for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        + for n in range(min(longest, len(tokens) - 2), shortest - 1, -1):

        Not every place is looked at, as where the search moves on by n tokens, not by one. (hint 1)
        + text = tokens.tolist()
        + for n in range(min(longest, len(text) - 1), shortest - 1, -1):
        +     for place in range(0, len(text) - n, n):
        +         if text[place : place + n] == text[-n:]:
        +             return tokens[place + n : place + n + count]
        + return tokens[:0]

        Only the first place with the run's first token is looked at. (hint 2)
        + text = tokens.tolist()
        + for n in range(min(longest, len(text) - 1), shortest - 1, -1):
        +     place = text.index(text[-n])
        +     if place < len(text) - n and text[place : place + n] == text[-n:]:
        +         return tokens[place + n : place + n + count]
        + return tokens[:0]

        Each token is taken to have 8 bytes, which only int64 has.
        + whole = tokens.tobytes()
        + for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        +     end, at = tokens[-n:].tobytes(), -1
        +     while True:
        +         at = whole.find(end, at + 1)
        +         if at < 0 or at // 8 >= len(tokens) - n:
        +             break
        +         if at % 8 == 0:
        +             return tokens[at // 8 + n : at // 8 + n + count]
        + return tokens[:0]
    """,
    "verify": """
        All tokens that agree are counted, even those after a wrong one. (hint 2)
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = int(agree.sum())

        Nothing of a correct draft is accepted. (hint 2)
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = int(agree.argmin()) if len(draft) else 0

        A draft is accepted as a whole or not at all. (hint 2)
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = len(draft) if agree.all() else 0

        The model's own token is not returned. (hint 3)
        - return choices[: accepted + 1]
        + return choices[:accepted] if accepted else choices[:1]

        All of the model's choices are returned. (hint 3)
        - return choices[: accepted + 1]
        + return choices

        The cache keeps the whole draft. (hint 3)
        - for layer in cache.layers:
        -     layer.length = len(tokens) + accepted

        The cache is cut back to the text, and forgets what was accepted. (hint 3)
        - layer.length = len(tokens) + accepted
        + layer.length = len(tokens)

        One slot too many is kept: that of the first wrong token. (hint 3)
        - layer.length = len(tokens) + accepted
        + layer.length = len(tokens) + accepted + 1

        Not every layer is cut back. (hint 3)
        - for layer in cache.layers:
        -     layer.length = len(tokens) + accepted
        + cache.layers[0].length = len(tokens) + accepted

        The choice before the draft is left out. (hint 1)
        - hidden = model.hidden(wrap(shown[None]), cache)[:, -len(draft) - 1 :]
        - choices = model.lm_head(hidden).numpy()[0].argmax(axis=-1)  # (n + 1,)
        - agree = choices[:-1] == draft
        + hidden = model.hidden(wrap(shown[None]), cache)[:, -len(draft) :]
        + choices = model.lm_head(hidden).numpy()[0].argmax(axis=-1)
        + agree = choices[: len(draft)] == draft

        A choice is compared with the token it was made from. (hint 2)
        - agree = choices[:-1] == draft
        + agree = choices[1:] == draft

        The whole text is shown again, and not only what the cache lacks.
        - shown = np.concatenate([tokens[cache.length :], draft])
        + shown = np.concatenate([tokens, draft])

        Only the last token of the text is shown, whatever the cache lacks.
        - shown = np.concatenate([tokens[cache.length :], draft])
        + shown = np.concatenate([tokens[-1:], draft])

        The new tokens are shown without the cache, and so without the text before them. (hint 1)
        - hidden = model.hidden(wrap(shown[None]), cache)[:, -len(draft) - 1 :]
        + hidden = model.hidden(wrap(shown[None]))[:, -len(draft) - 1 :]

        The cache is not used: correct, but slow.
        - hidden = model.hidden(wrap(shown[None]), cache)[:, -len(draft) - 1 :]
        + shown = np.concatenate([tokens, draft])
        + hidden = model.hidden(wrap(shown[None]))[:, -len(draft) - 1 :]

        The head reads every position that was shown. (hint 1)
        - hidden = model.hidden(wrap(shown[None]), cache)[:, -len(draft) - 1 :]
        - choices = model.lm_head(hidden).numpy()[0].argmax(axis=-1)  # (n + 1,)
        + hidden = model.hidden(wrap(shown[None]), cache)
        + choices = model.lm_head(hidden).numpy()[0].argmax(axis=-1)[-len(draft) - 1 :]

        A draft is accepted up to the last token that agrees, even after a wrong one. (hint 2)
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = int(np.flatnonzero(agree)[-1]) + 1 if agree.any() else 0

        A Tensor is returned.
        - return choices[: accepted + 1]
        + return wrap(choices[: accepted + 1])

        A list is returned.
        - return choices[: accepted + 1]
        + return choices[: accepted + 1].tolist()

        The tokens are floats.
        - return choices[: accepted + 1]
        + return choices[: accepted + 1].astype(float)

        The dimension of the batch is left in what is returned.
        - return choices[: accepted + 1]
        + return choices[None, : accepted + 1]

        For an empty draft nothing is returned, where one token follows. (hint 2)
        - shown = np.concatenate([tokens[cache.length :], draft])
        + if len(draft) == 0:
        +     return tokens[:0]
        + shown = np.concatenate([tokens[cache.length :], draft])

        The draft is shown before the tokens that the cache lacks.
        - shown = np.concatenate([tokens[cache.length :], draft])
        + shown = np.concatenate([draft, tokens[cache.length :]])

        Only what was accepted is returned, without the model's own token. (hint 3)
        - return choices[: accepted + 1]
        + return choices[:accepted]

        An empty draft is not thought of: argmin of nothing fails. (hint 2)
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = int(agree.argmin())
    """,
}
