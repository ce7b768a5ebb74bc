"""Other right answers of module 18: with each in its stub, every test of the stub passes."""

ANSWERS = {
    "cache-bytes": """
        The bytes of one position, times the positions of each layer.
        + position = num_heads * head_size * dtype.itemsize
        + short = min(length, window) if window else length
        + layers = [length] * full_layers + [short] * (num_layers - full_layers)
        + return sum(2 * position * n for n in layers) * batch_size

        From an array's own count.
        + one = np.empty((num_heads, head_size), dtype.numpy)
        + window = length if window is None else window
        + saved = max(0, length - window) * (num_layers - full_layers)
        + return 2 * batch_size * (num_layers * length - saved) * one.nbytes
    """,
    "slots": """
        One array for both, zeros at first.
        - shape = (batch_size, num_heads, max_length, head_size)
        - self.k, self.v = np.empty(shape, dtype.numpy), np.empty(shape, dtype.numpy)
        + self.k, self.v = np.zeros((2, batch_size, num_heads, max_length, head_size), dtype.numpy)

        Position by position.
        - end = self.length + k.shape[2]
        - self.k[:, :, self.length : end] = k
        - self.v[:, :, self.length : end] = v
        - self.length = end
        + for t in range(k.shape[2]):
        +     self.k[:, :, self.length] = k[:, :, t]
        +     self.v[:, :, self.length] = v[:, :, t]
        +     self.length += 1

        With an ellipsis, and np.copyto.
        - self.k[:, :, self.length : end] = k
        - self.v[:, :, self.length : end] = v
        - self.length = end
        + np.copyto(self.k[..., self.length : end, :], k, casting="same_kind")
        + np.copyto(self.v[..., self.length : end, :], v, casting="same_kind")
        + self.length = end

        The views from a list.
        - return self.k[:, :, : self.length], self.v[:, :, : self.length]
        + return tuple(x[..., : self.length, :] for x in (self.k, self.v))
    """,
    "attend-one": """
        The scores are scaled, and softmax is written out.
        + (B, H, _, d), G = q.shape, k.shape[1]
        + scores = q.reshape(B, G, H // G, d) @ k.swapaxes(2, 3) / math.sqrt(d)
        + weights = np.exp(scores - scores.max(-1, keepdims=True))
        + weights /= weights.sum(-1, keepdims=True)
        + return (weights @ v).reshape(B, H, 1, d)

        By einsum.
        + (B, H, _, d), G = q.shape, k.shape[1]
        + grouped = q.reshape(B, G, H // G, d)
        + scores = np.einsum("bghd,bgsd->bghs", grouped, k) * d**-0.5
        + scores -= scores.max(-1, keepdims=True)
        + weights = np.exp(scores)
        + mixed = np.einsum("bghs,bgsd->bghd", weights, v)
        + return (mixed / weights.sum(-1, keepdims=True)).reshape(q.shape)

        The keys and values are repeated for their groups.
        + repeats = q.shape[1] // k.shape[1]
        + k, v = np.repeat(k, repeats, axis=1), np.repeat(v, repeats, axis=1)
        + scores = np.matmul(q, k.transpose(0, 1, 3, 2)) / math.sqrt(q.shape[-1])
        + weights = softmax_rows(scores.reshape(-1, k.shape[2])).reshape(scores.shape)
        + return np.matmul(weights, v)

        In float32, and back; softmax over four dimensions.
        + (B, H, _, d), G, kind = q.shape, k.shape[1], q.dtype
        + q, k, v = (x.astype(np.float32 if kind == np.float16 else kind) for x in (q, k, v))
        + grouped = q.reshape(B, G, H // G, d) / math.sqrt(d)
        + weights = softmax_rows(grouped @ k.swapaxes(-1, -2))
        + return (weights @ v).reshape(q.shape).astype(kind)

        Without a product: multiplied and added up.
        + (B, H, _, d), G = q.shape, k.shape[1]
        + grouped = q.reshape(B, G, H // G, 1, d) * d**-0.5
        + scores = (grouped * k[:, :, None]).sum(-1)
        + weights = np.exp(scores - scores.max(-1, keepdims=True))
        + weights /= weights.sum(-1, keepdims=True)
        + return (weights[..., None] * v[:, :, None]).sum(-2).reshape(q.shape)

        By einsum, which looks for an order of its own.
        + B, H, _, d = q.shape
        + G, S = k.shape[1], k.shape[2]
        + x = (q * (1 / math.sqrt(d))).reshape(B, G, H // G, d)
        + scores = np.einsum("bghd,bgsd->bghs", x, k, optimize=True)
        + weights = softmax_rows(np.ascontiguousarray(scores).reshape(B * H, S))
        + weights = weights.reshape(B, G, H // G, S)
        + return np.einsum("bghs,bgsd->bghd", weights, v, optimize=True).reshape(q.shape)
    """,
    "attend-new": """
        A boolean mask, moved by np.tril.
        + T, S = q.shape[2], keys.shape[2]
        + if T == 1:
        +     return attend_one(q, keys, values)
        + allowed = np.tril(np.ones((T, S), bool), start)
        + tensors = [wrap(x) for x in (q, keys, values)]
        + return scaled_dot_product_attention(
        +     *tensors, attn_mask=wrap(allowed), enable_gqa=True
        + ).array

        By comparing positions.
        + if q.shape[2] == 1:
        +     return attend_one(q, keys, values)
        + rows, columns = start + np.arange(q.shape[2]), np.arange(keys.shape[2])
        + mask = np.where(rows[:, None] >= columns, 0, -np.inf).astype(q.dtype)
        + return scaled_dot_product_attention(
        +     wrap(q), wrap(keys), wrap(values), wrap(mask), enable_gqa=True
        + ).numpy()

        attend_one by keywords.
        - return attend_one(q, keys, values)
        + return attend_one(q=q, k=keys, v=values)

        Position by position: each sees what is before it.
        + return np.concatenate(
        +     [
        +         attend_one(
        +             q[:, :, t : t + 1], keys[:, :, : start + t + 1], values[:, :, : start + t + 1]
        +         )
        +         for t in range(q.shape[2])
        +     ],
        +     axis=2,
        + )
    """,
    "kv-cache": """
        A loop, LayerCache where nothing else is asked for, and the shortest layer.
        - self.layers = [
        -     layer_cache(batch_size, num_heads, max_length, head_size, dtype)
        -     for _ in range(num_layers)
        - ]
        + self.layers = []
        + while len(self.layers) < num_layers:
        +     self.layers.append(
        +         layer_cache(batch_size, num_heads, max_length, head_size, dtype=dtype)
        +     )
        ...
        - return self.layers[0].length
        + return min(layer.length for layer in self.layers)

        reset clears the numbers too.
        - for layer in self.layers:
        -     layer.length = 0
        + for layer in self.layers:
        +     layer.length = 0
        +     layer.k[...] = 0
        +     layer.v[...] = 0

        By keywords.
        - head_size = config.n_embd // config.n_head
        - heads = config.n_kv_head or config.n_head
        - return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)
        + return KVCache(
        +     num_layers=config.n_layer,
        +     batch_size=batch_size,
        +     num_heads=config.n_head if config.n_kv_head is None else config.n_kv_head,
        +     max_length=max_length,
        +     head_size=int(config.n_embd / config.n_head),
        +     dtype=dtype,
        +     keep=keep,
        + )
    """,
    "window": """
        The count first, then one slice.
        + full = length > 0 and length > max_length - new
        + count = max_length if length == 0 else keep if full else new
        + return window[:, max(0, window.shape[1] - count) :], full

        As Tensors are narrowed.
        + again = bool(length) and length + new > max_length
        + count = min(keep if again else new if length else max_length, window.shape[1])
        + return window.narrow(1, window.shape[1] - count, count), again
    """,
    "ring": """
        Position by position, and the newest of each slot by comparing.
        - new = np.arange(max(0, T - R), T)  # none that another of them overwrites
        - slots = (self.length + new) % R
        - self.k[:, :, slots] = k[:, :, new]
        - self.v[:, :, slots] = v[:, :, new]
        - self.length += T
        + for t in range(T):
        +     self.k[:, :, self.length % R] = k[:, :, t]
        +     self.v[:, :, self.length % R] = v[:, :, t]
        +     self.length += 1
        ...
        - slots, last = np.arange(min(self.length, R)), self.length - 1
        - return last - (last - slots) % R
        + found = np.arange(min(self.length, R))
        + while len(found) and found.max() < self.length - 1:
        +     found[found + R < self.length] += R
        + return found

        The last positions, sorted by their slots.
        - slots, last = np.arange(min(self.length, R)), self.length - 1
        - return last - (last - slots) % R
        + held = np.arange(max(0, self.length - R), self.length)
        + return held[np.argsort(held % R)]

        All positions: of those with the same slot NumPy leaves the last.
        - new = np.arange(max(0, T - R), T)  # none that another of them overwrites
        - slots = (self.length + new) % R
        - self.k[:, :, slots] = k[:, :, new]
        - self.v[:, :, slots] = v[:, :, new]
        - self.length += T
        + slots = np.arange(self.length, self.length + T) % R
        + self.k[:, :, slots], self.v[:, :, slots] = k, v
        + self.length += T

        The last positions of the chunk, cut off first.
        - new = np.arange(max(0, T - R), T)  # none that another of them overwrites
        - slots = (self.length + new) % R
        - self.k[:, :, slots] = k[:, :, new]
        - self.v[:, :, slots] = v[:, :, new]
        - self.length += T
        + self.length += T
        + k, v = k[:, :, -R:], v[:, :, -R:]
        + slots = np.arange(self.length - k.shape[2], self.length) % R
        + self.k[..., slots, :], self.v[..., slots, :] = k, v
    """,
    "attend-ring": """
        A mask of numbers, by comparing positions.
        - distance = new[:, None] - columns  # (T, S)
        + outside = (columns > new[:, None]) | (columns <= new[:, None] - R)
        ...
        - mask = wrap((distance >= 0) & (distance < R))
        + mask = wrap(np.where(outside, -np.inf, 0).astype(q.dtype))

        attend_one by keywords.
        - return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
        + k, v = layer.read()
        + return attend_one(v=v.astype(q.dtype), k=k.astype(q.dtype), q=q)

        Sorted into the order of the text, which then needs a band alone.
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        + order = np.argsort(layer.positions())
        + columns = np.concatenate([layer.positions()[order], new])
        + old = [x[:, :, order] for x in layer.read()]
        + keys, values = (np.concatenate(x, 2) for x in zip(old, (k, v)))

        One after the other.
        - new = np.arange(start, start + T)
        - columns = np.concatenate([layer.positions(), new])  # (S,)
        - keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
        - layer.write(k, v)
        - distance = new[:, None] - columns  # (T, S)
        - tensors = (wrap(x.astype(q.dtype, copy=False)) for x in (q, keys, values))
        - mask = wrap((distance >= 0) & (distance < R))
        - return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
        + parts = [[x[:, :, t : t + 1] for x in (q, k, v)] for t in range(T)]
        + return np.concatenate([attend_ring(layer, *part) for part in parts], 2)
    """,
    "prompts": """
        Columns, and a while loop.
        + end = min(lengths)
        + while end < total:
        +     logits = model(wrap(tokens[:, shown:end]), cache)[:, -1]
        +     drawn = next_token(
        +         logits, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator
        +     ).numpy()[:, 0]
        +     column = tokens[:, end]
        +     column[~known[:, end]] = drawn[~known[:, end]]
        +     shown, end = end, end + 1

        From the cache's own length.
        + for end in range(min(lengths), total):
        +     hidden = model.hidden(wrap(tokens[:, cache.length : end]), cache)
        +     token = next_token(
        +         model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator
        +     )
        +     for row, new in enumerate(token.array[:, 0]):
        +         if not known[row, end]:
        +             tokens[row, end] = new

        The prompts first, then a token drawn and shown at each step, the last one too.
        - for end in range(min(lengths), total):
        -     hidden = model.hidden(wrap(tokens[:, shown:end]), cache)
        + hidden = model.hidden(wrap(tokens[:, : min(lengths)]), cache)
        + for end in range(min(lengths), total):
        ...
        - shown = end
        + hidden = model.hidden(wrap(tokens[:, end : end + 1]), cache)
    """,
    "draft": """
        Lists, compared at every place.
        + text = tokens.tolist()
        + for n in range(longest, shortest - 1, -1):
        +     for start in range(n, len(text)):
        +         if text[start - n : start] == text[len(text) - n :]:
        +             return tokens[start : start + count].copy()
        + return np.empty(0, tokens.dtype)

        From shifted comparisons.
        + T, matches = len(tokens), {}
        + for n in range(shortest, min(longest, T - 1) + 1):
        +     same = np.ones(T - n, bool)
        +     for j in range(n):
        +         same &= tokens[j : T - n + j] == tokens[T - n + j]
        +     if same.any():
        +         matches[n] = int(np.argmax(same)) + n
        + if not matches:
        +     return tokens[T:]
        + begin = matches[max(matches)]
        + return tokens[begin : min(T, begin + count)]
    """,
    "verify": """
        Token by token, and the cache cut back by what is too much.
        + new = np.concatenate([tokens[cache.length :], draft]).reshape(1, -1)
        + states = model.hidden(wrap(new), cache)
        + logits = model.lm_head(states[:, states.shape[1] - len(draft) - 1 :]).array[0]
        + found = []
        + for row, guess in zip(logits, [*draft, None]):
        +     found.append(row.argmax())
        +     if found[-1] != guess:
        +         break
        + for layer in cache.layers:
        +     layer.length -= len(draft) - len(found) + 1
        + return np.array(found)

        By a running product of what agrees.
        - agree = choices[:-1] == draft
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = int(np.cumprod(choices[:-1] == draft).sum())

        A NumPy integer.
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = len(draft) if agree.all() else agree.argmin()

        A NumPy integer of a comparison that ends with a difference.
        - accepted = len(draft) if agree.all() else int(agree.argmin())
        + accepted = np.append(agree, False).argmin()

        next_token chooses.
        - choices = model.lm_head(hidden).numpy()[0].argmax(axis=-1)  # (n + 1,)
        + choices = next_token(model.lm_head(hidden)[0], temperature=0).numpy()[:, 0]

        The head without the batch.
        - hidden = model.hidden(wrap(shown[None]), cache)[:, -len(draft) - 1 :]
        - choices = model.lm_head(hidden).numpy()[0].argmax(axis=-1)  # (n + 1,)
        + hidden = model.hidden(wrap(shown[None]), cache)[0, -len(draft) - 1 :]
        + choices = model.lm_head(hidden).numpy().argmax(axis=-1)

        The head position by position, up to the first difference.
        + n = len(draft)
        + shown = np.concatenate([tokens[cache.length :], draft])
        + hidden = model.hidden(wrap(shown[None]), cache)
        + last, found = hidden.shape[1] - n - 1, []
        + for i in range(n + 1):
        +     logits = model.lm_head(hidden[:, last + i : last + i + 1])
        +     found.append(int(logits.numpy().argmax()))
        +     if i == n or found[-1] != draft[i]:
        +         break
        + for layer in cache.layers:
        +     layer.length = len(tokens) + len(found) - 1
        + return np.array(found)
    """,
}
