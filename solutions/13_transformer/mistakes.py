"""Planted mistakes of module 13: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "layer-norm": """
        The variance is the mean square minus the squared mean, whose digits cancel where the mean is large.
        + mean = rows.mean(axis=1, keepdims=True)
        + inverse = (abs(row_mean(rows, rows) - mean * mean) + eps) ** -0.5
        + return (rows - mean) * inverse, inverse

        Epsilon is added to the deviation, not to the variance. (hint 2)
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + inverse = 1 / (row_mean(centred, centred) ** 0.5 + eps)

        The variance divides by one less than the number of entries.
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + D = rows.shape[1]
        + inverse = (row_mean(centred, centred) * (D / (D - 1)) + eps) ** -0.5

        Mean and deviation are taken over the batch, not over each row. (hint 1)
        + centred = rows - rows.mean(axis=0, keepdims=True)
        + inverse = ((centred * centred).mean(axis=0, keepdims=True) + eps) ** -0.5
        + return centred * inverse, inverse

        The mean is subtracted from the caller's rows.
        + rows -= rows.mean(axis=1, keepdims=True)
        + inverse = (row_mean(rows, rows) + eps) ** -0.5
        + return rows * inverse, inverse

        The variance comes from `var`, which for a Tensor divides by one less than the number of entries.
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + inverse = (rows.var(axis=1, keepdims=True) + eps) ** -0.5

        Epsilon is not used. (hint 2)
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + inverse = row_mean(centred, centred) ** -0.5

        The mean of the squares is taken of the rows themselves, not of their differences from the mean. (hint 1)
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + inverse = (row_mean(rows, rows) + eps) ** -0.5

        The root is returned, or multiplied by, in place of one over the root. (hint 3)
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + inverse = (row_mean(centred, centred) + eps) ** 0.5
    """,
    "layer-norm-gradient": """
        The sum of grad times n is subtracted along n, not the mean.
        - return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
        + return (grad - grad.mean(axis=1, keepdims=True) - n * (grad * n).sum(axis=1, keepdims=True)) * inverse

        The result is not multiplied by `inverse`.
        - return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
        + return grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)

        The result overwrites the incoming gradient.
        + second = n * row_mean(grad, n)
        + grad -= grad.mean(axis=1, keepdims=True)
        + grad -= second
        + grad *= inverse
        + return grad

        Mean and deviation are treated as constants.
        + return grad * inverse

        The deviation is treated as a constant.
        + return (grad - grad.mean(axis=1, keepdims=True)) * inverse

        Sums are used in place of means.
        + return (
        +     grad - grad.sum(axis=1, keepdims=True) - n * (grad * n).sum(axis=1, keepdims=True)
        + ) * inverse

        The second mean is not multiplied by n. (hint 2)
        - return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
        + return (grad - grad.mean(axis=1, keepdims=True) - row_mean(grad, n)) * inverse

        One over the root multiplies the first term only. (hint 3)
        - return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
        + return grad * inverse - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)

        The part along n is added, not subtracted. (hint 3)
        - return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
        + return (grad - grad.mean(axis=1, keepdims=True) + n * row_mean(grad, n)) * inverse

        The mean is treated as a constant.
        + return (grad - n * row_mean(grad, n)) * inverse

        The result overwrites n, which is only to be read.
        + along = row_mean(grad, n)
        + n *= along
        + return (grad - grad.mean(axis=1, keepdims=True) - n) * inverse

        The means are taken over the batch, not over each row. (hint 3)
        + along = (grad * n).mean(axis=0, keepdims=True)
        + return (grad - grad.mean(axis=0, keepdims=True) - n * along) * inverse

        The result is divided by `inverse`, which is one over the root already. (hint 3)
        - return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
        + return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) / inverse
    """,
    "rms-norm": """
        One over the root is float64, whatever the input type.
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        - return rows * inverse, inverse
        + inverse = (row_mean(rows, rows) + eps) ** -0.5
        + if isinstance(rows, Tensor):
        +     return rows * inverse, inverse
        + return rows * inverse, inverse.astype(float)

        The mean is subtracted as well.
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        - return rows * inverse, inverse
        + return normalise(rows, eps)

        The squares are summed, not averaged. (hint 1)
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        + inverse = ((rows * rows).sum(axis=1, keepdims=True) + eps) ** -0.5

        The mean of the gradient is removed, as if the rows had been centred.
        - return (grad - n * row_mean(grad, n)) * inverse
        + return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse

        Epsilon is added to the root, not to the mean square under it.
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        + inverse = 1 / (row_mean(rows, rows) ** 0.5 + eps)

        The caller's rows are changed.
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        - return rows * inverse, inverse
        + inverse = (row_mean(rows, rows) + eps) ** -0.5
        + rows *= inverse
        + return rows, inverse

        The root is treated as a constant: nothing is subtracted from the gradient. (hint 3)
        - return (grad - n * row_mean(grad, n)) * inverse
        + return grad * inverse
    """,
    "causal-self-attention": """
        c_proj is not applied.
        - return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        + return self.resid_dropout(y.transpose(1, 2).reshape(B, T, C))

        The 3C numbers are cut head by head, each head with its own query, key and value.
        - packed = self.c_attn(x).view(B, T, -1, C // self.n_head)
        - q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        + packed = self.c_attn(x).view(B, T, self.n_head, 3, C // self.n_head)
        + q, k, v = (part.transpose(1, 2) for part in packed.unbind(3))

        Keys and values are taken to have as many heads as queries. (hint 2)
        - packed = self.c_attn(x).view(B, T, -1, C // self.n_head)
        - q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        + packed = self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head)
        + q, k, v = (part.transpose(1, 2) for part in packed.unbind(2))

        The heads are joined without being put behind the positions.
        - return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        + return self.resid_dropout(self.c_proj(y.reshape(B, T, C)))

        The mask is forgotten, so every position sees the future.
        - y = self.attend(self.turned(q), self.turned(k), v)
        + y = scaled_dot_product_attention(self.turned(q), self.turned(k), v)

        The values are rotated as well. (hint 3)
        - y = self.attend(self.turned(q), self.turned(k), v)
        + y = self.attend(self.turned(q), self.turned(k), self.turned(v))

        Only the queries are rotated, so the product depends on its position, not the distance. (hint 3)
        - y = self.attend(self.turned(q), self.turned(k), v)
        + y = self.attend(self.turned(q), k, v)

        Nothing is rotated, so with rotary positions the order is unknown. (hint 3)
        - y = self.attend(self.turned(q), self.turned(k), v)
        + y = self.attend(q, k, v)

        Queries and keys are rotated by head number, not by position: too early. (hint 2)
        - q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        - y = self.attend(self.turned(q), self.turned(k), v)
        + q, k, v = pieces(packed, self.heads, 2)
        + q, k = self.turned(q), self.turned(k)
        + y = self.attend(*(part.transpose(1, 2) for part in (q, k, v)))

        The function of module 12 is called in place of `self.attend`, so no cache is ever asked.
        - y = self.attend(self.turned(q), self.turned(k), v)
        + p, shared = self.dropout if self.training else 0.0, self.heads[1] < self.n_head
        + options = {"dropout_p": p, "is_causal": True, "enable_gqa": shared}
        + y = scaled_dot_product_attention(self.turned(q), self.turned(k), v, **options)

        `self.rotary` is called in place of `self.turned`, so that with a cache every position is 0.
        - y = self.attend(self.turned(q), self.turned(k), v)
        + if self.rotary is not None:
        +     q, k = self.rotary(q), self.rotary(k)
        + y = self.attend(q, k, v)

        The result is dropped twice, before the projection and after it.
        - return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        + y = self.resid_dropout(y.transpose(1, 2).reshape(B, T, C))
        + return self.resid_dropout(self.c_proj(y))

        Dropout comes before the projection, not after it.
        - return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        + return self.c_proj(self.resid_dropout(y.transpose(1, 2).reshape(B, T, C)))

        `resid_dropout` is not called. (hint 3)
        - return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        + return self.c_proj(y.transpose(1, 2).reshape(B, T, C))

        The product is viewed as (B, heads, T, d) at once, so that a head gets numbers of other positions. (hint 1)
        - packed = self.c_attn(x).view(B, T, -1, C // self.n_head)
        - q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        + packed = self.c_attn(x).view(B, sum(self.heads), T, C // self.n_head)
        + q, k, v = pieces(packed, self.heads, 1)

        Three equal parts are cut, though keys and values may have fewer heads than queries. (hint 2)
        - packed = self.c_attn(x).view(B, T, -1, C // self.n_head)
        - q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        + parts = self.c_attn(x).chunk(3, dim=-1)
        + q, k, v = (p.view(B, T, -1, C // self.n_head).transpose(1, 2) for p in parts)

        Keys and values are exchanged.
        - q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        + q, v, k = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
    """,
    "mlp": """
        The gelu is the exact one, which GPT-2 does not use. (hint 2)
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + return self.dropout(self.c_proj(gelu(self.c_fc(x))))

        Dropout comes before the projection, not after it. (hint 3)
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + return self.c_proj(self.dropout(gelu(self.c_fc(x), approximate="tanh")))

        The layers have biases whatever config.bias is.
        - self.c_fc = Linear(config.n_embd, width, bias=config.bias)
        - self.c_proj = Linear(width, config.n_embd, bias=config.bias)
        + self.c_fc = Linear(config.n_embd, width)
        + self.c_proj = Linear(width, config.n_embd)

        The width is four times n_embd, whatever n_inner says. (hint 1)
        - width = config.n_inner or 4 * config.n_embd
        + width = 4 * config.n_embd

        There is nothing between the two products, so they amount to one.
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + return self.dropout(self.c_proj(self.c_fc(x)))

        Nothing is dropped. (hint 3)
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + return self.c_proj(gelu(self.c_fc(x), approximate="tanh"))

        The hidden numbers are dropped as well as the result. (hint 3)
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + h = self.dropout(gelu(self.c_fc(x), approximate="tanh"))
        + return self.dropout(self.c_proj(h))

        Dropout has its own p, whatever config.dropout says.
        - self.dropout = Dropout(config.dropout)
        + self.dropout = Dropout()
    """,
    "gated-mlp": """
        The gate is a sigmoid, not SiLU.
        - return self.dropout(self.c_proj(silu(gate) * up))
        + return self.dropout(self.c_proj(gate.sigmoid() * up))

        Gate and up are exchanged: the other half goes through silu. (hint 2)
        - gate, up = self.c_fc(x).chunk(2, dim=-1)
        + up, gate = self.c_fc(x).chunk(2, dim=-1)

        The gate is gelu, not silu. (hint 2)
        - return self.dropout(self.c_proj(silu(gate) * up))
        + return self.dropout(self.c_proj(gelu(gate, approximate="tanh") * up))

        Gate and up are added. (hint 3)
        - return self.dropout(self.c_proj(silu(gate) * up))
        + return self.dropout(self.c_proj(silu(gate) + up))

        Both halves go through silu. (hint 2)
        - return self.dropout(self.c_proj(silu(gate) * up))
        + return self.dropout(self.c_proj(silu(gate) * silu(up)))

        Gate and up alternate number by number, in place of one after the other. (hint 1)
        - gate, up = self.c_fc(x).chunk(2, dim=-1)
        + both = self.c_fc(x)
        + gate, up = both[..., ::2], both[..., 1::2]

        The width is four times n_embd, whatever n_inner says.
        - width = self.c_fc.out_features
        + width = 4 * config.n_embd

        The layers have biases whatever config.bias is.
        - self.c_fc = Linear(config.n_embd, 2 * width, bias=config.bias)
        + self.c_fc = Linear(config.n_embd, 2 * width)

        Nothing is dropped. (hint 3)
        - return self.dropout(self.c_proj(silu(gate) * up))
        + return self.c_proj(silu(gate) * up)

        Dropout comes before the projection, not after it. (hint 3)
        - return self.dropout(self.c_proj(silu(gate) * up))
        + return self.c_proj(self.dropout(silu(gate) * up))

        The hidden numbers are dropped as well as the result. (hint 3)
        - return self.dropout(self.c_proj(silu(gate) * up))
        + return self.dropout(self.c_proj(self.dropout(silu(gate) * up)))
    """,
    "block": """
        The sum is normalised, which is post-norm. (hint 3)
        + x = self.ln_1(x + self.attn(x))
        + return self.ln_2(x + self.mlp(x))

        The stream is replaced by the result of attention.
        - x = x + self.attn(self.ln_1(x))
        + x = self.attn(self.ln_1(x))

        Both parts read the output of ln_1.
        - return x + self.mlp(self.ln_2(x))
        + return x + self.mlp(self.ln_1(x))

        The parts are added to the normalised copy, not to the stream. (hint 3)
        + x = self.ln_1(x)
        + x = x + self.attn(x)
        + x = self.ln_2(x)
        + return x + self.mlp(x)

        Both parts read the same stream, side by side. (hint 2)
        + return x + self.attn(self.ln_1(x)) + self.mlp(self.ln_2(x))

        The stream is changed in the caller's memory.
        + x += self.attn(self.ln_1(x))
        + x += self.mlp(self.ln_2(x))
        + return x

        The MLP's result is returned without the stream.
        - return x + self.mlp(self.ln_2(x))
        + return self.mlp(self.ln_2(x))

        Attention reads the stream as it is, without ln_1.
        - x = x + self.attn(self.ln_1(x))
        + x = x + self.attn(x)

        The MLP reads the stream as it is, without ln_2.
        - return x + self.mlp(self.ln_2(x))
        + return x + self.mlp(x)

        What the parts give out is normalised, not what they read.
        + x = x + self.ln_1(self.attn(x))
        + return x + self.ln_2(self.mlp(x))

        Nothing is normalised.
        + x = x + self.attn(x)
        + return x + self.mlp(x)

        The MLP comes first, then attention.
        + x = x + self.mlp(self.ln_2(x))
        + return x + self.attn(self.ln_1(x))
    """,
    "gpt": """
        The head has its own table. (hint 2)
        - self.lm_head.weight = self.transformer.wte.weight

        Head and table share their memory, and are two parameters: the optimizer moves it twice.
        - self.lm_head.weight = self.transformer.wte.weight
        + Parameter = type(self.lm_head.weight)
        + self.lm_head.weight = Parameter(self.transformer.wte.weight.detach())

        Every block reads the embeddings, so that only the last one counts.
        - x = self.transformer.drop(x)
        + embedded = x = self.transformer.drop(x)
        ...
        - x = block(x)
        + x = block(embedded)

        The last normalisation is forgotten, or stands in the loop over the blocks, not after it. (hint 3)
        - return self.transformer.ln_f(x)
        + return x

        The last normalisation is a LayerNorm with its own epsilon, whatever the configuration says. (hint 1)
        - parts["ln_f"] = norm_of(config)
        + parts["ln_f"] = LayerNorm(config.n_embd, bias=config.bias)

        Positions always begin at 0, though `positions` says where they begin.
        - x = x + self.transformer.wpe(positions)
        + x = x + self.transformer.wpe(arange(idx.shape[1]))

        A table of positions is added although positions are rotary. (hint 1)
        - if not config.rotary:
        -     parts["wpe"] = Embedding(config.block_size, config.n_embd)
        + parts["wpe"] = Embedding(config.block_size, config.n_embd)

        The position vectors are not added. (hint 3)
        - if not self.config.rotary:
        -     x = x + self.transformer.wpe(positions)

        One block is used again and again: the list has it n_layer times. (hint 1)
        - parts["h"] = ModuleList([Block(config) for _ in range(config.n_layer)])
        + parts["h"] = ModuleList([Block(config)] * config.n_layer)

        The last normalisation is a LayerNorm with a bias, whatever the configuration says. (hint 1)
        - parts["ln_f"] = norm_of(config)
        + parts["ln_f"] = LayerNorm(config.n_embd)

        The table of positions has not block_size rows, but as many as there are tokens.
        - parts["wpe"] = Embedding(config.block_size, config.n_embd)
        + parts["wpe"] = Embedding(config.vocab_size, config.n_embd)

        The table of positions has one row too many.
        - parts["wpe"] = Embedding(config.block_size, config.n_embd)
        + parts["wpe"] = Embedding(config.block_size + 1, config.n_embd)

        The table of positions has 1024 rows, whatever block_size is.
        - parts["wpe"] = Embedding(config.block_size, config.n_embd)
        + parts["wpe"] = Embedding(1024, config.n_embd)

        The parts are in another order than wte, wpe, drop, h, ln_f.
        - parts["drop"] = Dropout(config.dropout)
        - parts["h"] = ModuleList([Block(config) for _ in range(config.n_layer)])
        - parts["ln_f"] = norm_of(config)
        + parts["h"] = ModuleList([Block(config) for _ in range(config.n_layer)])
        + parts["ln_f"] = norm_of(config)
        + parts["drop"] = Dropout(config.dropout)

        There are as many blocks as heads, not n_layer. (hint 1)
        - parts["h"] = ModuleList([Block(config) for _ in range(config.n_layer)])
        + parts["h"] = ModuleList([Block(config) for _ in range(config.n_head)])

        The vectors of the tokens are dropped by themselves, before the sum, as well as the sum. (hint 3)
        - x = self.transformer.wte(idx)  # (B, T, C)
        + x = self.transformer.drop(self.transformer.wte(idx))

        Dropout comes after the blocks, not before them. (hint 3)
        - x = self.transformer.drop(x)
        - for block in self.transformer.h:
        -     x = block(x)
        + for block in self.transformer.h:
        +     x = block(x)
        + x = self.transformer.drop(x)

        Nothing is dropped where there is no table of positions. (hint 3)
        -     x = x + self.transformer.wpe(positions)
        - x = self.transformer.drop(x)
        +     x = self.transformer.drop(x + self.transformer.wpe(positions))

        Nothing is dropped. (hint 3)
        - x = self.transformer.drop(x)

        Dropout has its own p, whatever config.dropout says.
        - parts["drop"] = Dropout(config.dropout)
        + parts["drop"] = Dropout()
    """,
    "bigram-loss": """
        A pair that occurs many times is counted once, or not at all. (hint 2)
        - np.add.at(counts, (ids[:-1], ids[1:]), 1)
        + counts[ids[:-1], ids[1:]] += 1

        The probabilities are those of the first token, given the second.
        - chances = counts / counts.sum(axis=1, keepdims=True)
        + chances = counts / counts.sum(axis=0, keepdims=True)

        The loss is in bits, not in nats.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log2(chances[held_out[:-1], held_out[1:]]).mean())

        The probabilities are those of both tokens together, not of the second given the first. (hint 3)
        - chances = counts / counts.sum(axis=1, keepdims=True)
        + chances = counts / counts.sum()

        All occurrences of a token are counted, but the last token begins no pair. (hint 3)
        - chances = counts / counts.sum(axis=1, keepdims=True)
        + seen = np.bincount(ids, minlength=vocab_size) + vocab_size
        + chances = counts / seen[:, None]

        The logarithm is taken of the mean probability: wanted is the mean of the logarithms.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log(chances[held_out[:-1], held_out[1:]].mean()))

        The last pair of ids is not counted.
        - np.add.at(counts, (ids[:-1], ids[1:]), 1)
        + np.add.at(counts, (ids[:-2], ids[1:-1]), 1)

        Each different pair of held_out is taken once, however often it occurs.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + first, second = np.unique(np.stack([held_out[:-1], held_out[1:]]), axis=1)
        + return float(-np.log(chances[first, second]).mean())

        The table is read at (second, first), not at (first, second).
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log(chances[held_out[1:], held_out[:-1]]).mean())

        The counts are kept in a type that is too small for them.
        - counts = np.ones((vocab_size, vocab_size))
        + counts = np.ones((vocab_size, vocab_size), np.uint8)

        The table is float16, which has three digits only.
        - counts = np.ones((vocab_size, vocab_size))
        + counts = np.ones((vocab_size, vocab_size), np.float16)

        The sum is returned, not the mean.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log(chances[held_out[:-1], held_out[1:]]).sum())

        The sum is divided by the number of tokens, which is one more than that of pairs.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log(chances[held_out[:-1], held_out[1:]]).sum() / len(held_out))

        The loss is measured on ids, not on held_out.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log(chances[ids[:-1], ids[1:]]).mean())

        The minus is forgotten.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(np.log(chances[held_out[:-1], held_out[1:]]).mean())

        The counts start at 0, not at 1.
        - counts = np.ones((vocab_size, vocab_size))
        + counts = np.zeros((vocab_size, vocab_size))

        The sums of the rows are not kept as a column, so the columns are divided by them, not the rows.
        - chances = counts / counts.sum(axis=1, keepdims=True)
        + chances = counts / counts.sum(axis=1)
    """,
    "held-out-loss": """
        The mean of the pieces' means is returned, though the last piece is shorter. (hint 2)
        - total += loss.item() * len(targets)
        + total += loss.item() * size
        ...
        - return total / (len(ids) - 1)
        + return total / size / len(range(0, len(ids) - 1, size))

        The model is measured in its current mode, so dropout may be on. (hint 3)
        - model.eval()

        The model is left in evaluation mode. (hint 3)
        - model.train(training)

        The model is left in training mode, in whatever mode it was. (hint 3)
        - model.train(training)
        + model.train()

        The targets are the inputs: each token is predicted from itself. (hint 1)
        - targets = ids[start + 1 : start + size + 1]
        - inputs = ids[start : start + len(targets)]
        + inputs = targets = ids[start : start + size]

        The first token of each piece is never predicted. (hint 1)
        - targets = ids[start + 1 : start + size + 1]
        - inputs = ids[start : start + len(targets)]
        + targets = ids[start + 1 : start + size]
        + inputs = ids[start : start + len(targets)]
        + if len(targets) == 0:
        +     continue
        ...
        - return total / (len(ids) - 1)
        + return total / max(1, len(ids) - 1 - (len(ids) - 2) // size)

        A graph is made for every piece, though nothing learns. (hint 3)
        - with no_grad():
        + if True:

        The token at the end of a piece is never an input, so what follows it is not predicted. (hint 1)
        - targets = ids[start + 1 : start + size + 1]
        - inputs = ids[start : start + len(targets)]
        + piece = ids[start : start + size]
        + inputs, targets = piece[:-1], piece[1:]
        + if len(targets) == 0:
        +     continue

        Pieces have one prediction fewer than the model can make. (hint 1)
        - for start in range(0, len(ids) - 1, size):
        -     targets = ids[start + 1 : start + size + 1]
        -     inputs = ids[start : start + len(targets)]
        + for start in range(0, len(ids) - 1, size - 1):
        +     piece = ids[start : start + size]
        +     inputs, targets = piece[:-1], piece[1:]

        Every token is predicted from the one before it alone. (hint 1)
        - training, total, size = model.training, 0.0, model.config.block_size
        + training, total, size = model.training, 0.0, 1

        A window slides along the text, one token at a time. (hint 1)
        - for start in range(0, len(ids) - 1, size):
        -     targets = ids[start + 1 : start + size + 1]
        -     inputs = ids[start : start + len(targets)]
        -     loss = next_token_loss(model(inputs.unsqueeze(0)), targets.unsqueeze(0))
        -     total += loss.item() * len(targets)
        + for stop in range(1, len(ids)):
        +     logits = model(ids[max(0, stop - size) : stop].unsqueeze(0))[:, -1:]
        +     total += next_token_loss(logits, ids[stop : stop + 1].unsqueeze(0)).item()

        Only the model's own switch is set, not those of the layers in it. (hint 3)
        - model.eval()
        + model.training = False

        Pieces begin block_size + 1 apart, so that between two pieces a prediction is lost. (hint 1)
        - for start in range(0, len(ids) - 1, size):
        -     targets = ids[start + 1 : start + size + 1]
        -     inputs = ids[start : start + len(targets)]
        + for start in range(0, len(ids) - 1, size + 1):
        +     piece = ids[start : start + size + 1]
        +     inputs, targets = piece[:-1], piece[1:]

        The sum is divided by the number of tokens, which is one more than that of predictions. (hint 2)
        - return total / (len(ids) - 1)
        + return total / len(ids)

        A last piece that is shorter is left out. (hint 1)
        - for start in range(0, len(ids) - 1, size):
        + for start in range(0, len(ids) - size, size):
        ...
        - return total / (len(ids) - 1)
        + return total / max(1, (len(ids) - 1) // size * size)
    """,
    "filter-logits": """
        Of tokens that equal the k-th, those beyond k are cut off.
        - logits = logits.masked_fill(logits < smallest, -math.inf)
        + best = logits.topk(min(top_k, logits.shape[-1])).indices
        + kept = np.zeros(tuple(logits.shape), bool)
        + np.put_along_axis(kept, best.numpy(), True, -1)
        + logits = logits.masked_fill(wrap(~kept), -math.inf)

        One limit, the smallest k-th logit of all rows, is used for every row.
        - smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        + smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:].min()

        One limit for top_p, the smallest of all rows, is used for every row.
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1).min(), -math.inf)

        Tokens that top_p removes get +inf, and become certain.
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), math.inf)

        The token with which p is reached is cut off as well.
        - before = probabilities.cumsum(-1) - probabilities  # of the more likely tokens
        - kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        + kept = (probabilities.cumsum(-1) <= top_p).sum(-1, keepdim=True).clamp(min=1)

        Removed tokens get the logit 0, so they can still be drawn.
        - logits = logits.masked_fill(logits < smallest, -math.inf)
        + logits = logits.masked_fill(logits < smallest, 0.0)
        ...
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), 0.0)

        The first row's limit is used for all rows.
        - smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        + smallest = logits.topk(min(top_k, logits.shape[-1])).values[:1, -1:]
        ...
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1)[:1], -math.inf)

        With p = 0 nothing is left.
        - kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + smallest = ordered.masked_fill(before >= top_p, math.inf).amin(-1, keepdim=True)
        + logits = logits.masked_fill(logits < smallest, -math.inf)

        Of tokens that equal the last that top_p keeps, some are cut off.
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + order = np.argsort(-logits.numpy(), axis=-1)
        + cut = np.empty(order.shape, bool)
        + np.put_along_axis(cut, order, np.arange(order.shape[-1]) >= kept.numpy(), -1)
        + logits = logits.masked_fill(wrap(cut), -math.inf)

        top_p is of all logits, not of those that top_k has left.
        + ordered = logits.sort(descending=True).values
          if top_k is not None:
        ...
        -     ordered = logits.sort(descending=True).values

        top_p does nothing where top_k is given.
        - if top_p is not None:
        + if top_p is not None and top_k is None:

        The caller's logits are changed.
        - logits = logits.masked_fill(logits < smallest, -math.inf)
        + logits.masked_fill_(logits < smallest, -math.inf)
        ...
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + logits.masked_fill_(logits < ordered.gather(-1, kept - 1), -math.inf)
    """,
    "next-token": """
        The logits are multiplied by the temperature. (hint 2)
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        + probabilities = softmax(filter_logits(logits * temperature, top_k, top_p), -1)

        The logits that were passed in are divided in place.
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        + logits /= temperature
        + probabilities = softmax(filter_logits(logits, top_k, top_p), -1)

        The logits are filtered before they are divided. (hint 2)
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        + probabilities = softmax(filter_logits(logits, top_k, top_p) / temperature, -1)

        The generator is not used. (hint 3)
        - return multinomial(probabilities, 1, generator=generator)
        + return multinomial(probabilities, 1)

        The most likely token is always taken.
        + return filter_logits(logits, top_k, top_p).argmax(-1, keepdim=True)

        Temperature 0 is replaced by a very small one, so nearly equal tokens are drawn as well. (hint 1)
        - if temperature == 0:
        -     return logits.argmax(-1, keepdim=True)
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        + logits = logits / max(temperature, 1e-6)
        + probabilities = softmax(filter_logits(logits, top_k, top_p), -1)

        Temperature 0 is replaced by 1, so the tokens are drawn. (hint 1)
        - if temperature == 0:
        -     return logits.argmax(-1, keepdim=True)
        + temperature = temperature or 1.0

        The logits are divided by temperature 0, or by a tiny one in its place, and become infinite or NaN. (hint 1)
        - if temperature == 0:
        -     return logits.argmax(-1, keepdim=True)
        + temperature = max(temperature, 1e-10)

        The probabilities are divided by the temperature: wanted is that of the logits. (hint 2)
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        + probabilities = softmax(filter_logits(logits, top_k, top_p), -1) / temperature
    """,
    "generate": """
        The whole text is shown, however long. (hint 2)
        - window = idx[:, -model.config.block_size :]
        + window = idx

        `finished_by` is not called, or what it returns is not kept. (hint 3)
        - token, finished = finished_by(token, idx, finished, ends)
        ...
        - if finished.all():
        -     break

        A stop token of 0 counts as none.
        - if finished.all():
        + if stop and finished.all():

        top_k and top_p do not reach next_token.
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), temperature, generator=generator)

        top_k and top_p are exchanged.
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), temperature, top_p, top_k, generator)

        The cache is not passed on.
        - hidden = hidden_of(model, window, cache)
        + hidden = model.hidden(window)

        The logits of the first position are used. (hint 2)
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, 0]), temperature, top_k, top_p, generator)

        Only the new token is shown next time, with no cache to remember the rest.
        + window = idx[:, -model.config.block_size :]
          for _ in range(max_new_tokens):
        -     window = idx[:, -model.config.block_size :]
        ...
        - idx = cat([idx, token], 1)
        + idx, window = cat([idx, token], 1), token

        The window is the first tokens, not the last. (hint 2)
        - window = idx[:, -model.config.block_size :]
        + window = idx[:, : model.config.block_size]

        The model is put into evaluation mode, and left in it.
        + model.eval()
          for _ in range(max_new_tokens):

        The loop runs to its end even if all sequences are finished. (hint 3)
        - if finished.all():
        -     break

        The second result of `finished_by` is lost, so that no sequence is ever finished. (hint 3)
        - token, finished = finished_by(token, idx, finished, ends)
        + token, _ = finished_by(token, idx, finished, ends)

        The temperature does not reach next_token, or 0 counts as none.
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), 1.0, top_k, top_p, generator)

        The generator does not reach next_token.
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p)

        With a cache only the last token is shown, though it may not have seen those before.
        - window = idx[:, -model.config.block_size :]
        + window = idx[:, -1:] if cache is not None else idx[:, -model.config.block_size :]

        The head works on all positions, not on the last alone, as when `model` itself is called. (hint 2)
        - hidden = hidden_of(model, window, cache)
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model(window)[:, -1], temperature, top_k, top_p, generator)
    """,
    "gpt2-state": """
        The ending lacks its dot, so c_attn's bias is taken for the mask. (hint 2)
        - if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight":
        + if name.endswith(("attn.bias", "attn.masked_bias")) or name == "lm_head.weight":

        Every matrix is transposed, the embeddings too. (hint 3)
        - state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
        + state[f"transformer.{name}"] = array.T

        All biases of the attention are left out with the buffer.
        - if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight":
        + if ("attn" in name and name.endswith("bias")) or name == "lm_head.weight":

        The prefix is added even to names that have it. (hint 1)
        - name = name.removeprefix("transformer.")
        ...
        - state["lm_head.weight"] = state["transformer.wte.weight"]
        + state["lm_head.weight"] = tensors.get("wte.weight", tensors.get("transformer.wte.weight"))

        The square weights are not transposed, whose shape does not show it.
        - state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
        + transposed = name.endswith(TRANSPOSED) and array.shape[0] != array.shape[1]
        + state[f"transformer.{name}"] = array.T if transposed else array

        One name decides for all whether the prefix is there, but lm_head.weight never has it. (hint 1)
        + prefix = "" if next(iter(tensors)).startswith("transformer.") else "transformer."
          state = {}
        ...
        - name = name.removeprefix("transformer.")
        ...
        - state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
        + state[prefix + name] = array.T if name.endswith(TRANSPOSED) else array

        The prefix is left out only where all names have it, but lm_head.weight never has it. (hint 1)
        + have = all(name.startswith("transformer.") for name in tensors)
          state = {}
        ...
        - name = name.removeprefix("transformer.")
        ...
        - state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
        + name = name if have else f"transformer.{name}"
        + state[name] = array.T if name.endswith(TRANSPOSED) else array

        "transformer." is put before names that have it already. (hint 1)
        - name = name.removeprefix("transformer.")

        No weight is transposed, as when whole names are looked up in TRANSPOSED, which holds endings. (hint 3)
        - state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
        + state[f"transformer.{name}"] = array.T if name in TRANSPOSED else array
    """,
    "mend-training": """
        The mask is one too wide, so each position sees the next one. (hint 3)
        - allowed = tensor(np.tri(T, dtype=bool))
        + allowed = tensor(np.tri(T, k=1, dtype=bool))

        The mask is one too narrow, so no position sees itself. (hint 3)
        - allowed = tensor(np.tri(T, dtype=bool))
        + allowed = tensor(np.tri(T, k=-1, dtype=bool))

        The heads are cut across positions. (hint 3)
        - q, k, v = (part.reshape(B, T, self.n_head, -1).transpose(1, 2) for part in parts)
        + q, k, v = (part.reshape(B, self.n_head, T, -1) for part in parts)
        ...
        - return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        + return self.c_proj(y.reshape(B, T, C))

        The heads are joined without being put behind the positions. (hint 3)
        - return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        + return self.c_proj(y.reshape(B, T, C))

        In training the targets are the inputs: each token is predicted from itself. (hint 1)
        - loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
        - loss.backward()
        + loss = next_token_loss(model(ids[:, :-1]), ids[:, :-1])
        + loss.backward()

        The targets are the previous tokens, not the next. (hint 1)
        - loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
        - loss.backward()
        + loss = next_token_loss(model(ids[:, 1:]), ids[:, :-1])
        + loss.backward()

        The model is measured in its current mode, so dropout may be on. (hint 2)
        - model.eval()

        The model is left in evaluation mode, so dropout is off from then on. (hint 2)
        - model.train(training)

        The gradients are not cleared after the step.
        - optimizer.step()
        - optimizer.zero_grad()
        + optimizer.step()

        The loss is returned as a tensor, not as a number.
        - loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:]).item()
        + loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])

        `measure` leaves the model in training mode, in whatever mode it was. (hint 2)
        - model.train(training)
        + model.train()

        Only the model's own switch is set, not those of the layers in it. (hint 2)
        - model.eval()
        + model.training = False

        The loss is returned with its graph, which stays in memory as long as the loss.
        - optimizer.zero_grad()
        - return loss.item()
        + optimizer.zero_grad()
        + return loss

        The heads are cut across positions, and joined as if they were not. (hint 3)
        - q, k, v = (part.reshape(B, T, self.n_head, -1).transpose(1, 2) for part in parts)
        + q, k, v = (part.reshape(B, self.n_head, T, -1) for part in parts)

        The mask is transposed: a position sees itself and what follows. (hint 3)
        - allowed = tensor(np.tri(T, dtype=bool))
        + allowed = tensor(np.tri(T, dtype=bool).T)

        The mask is not used, so every position sees all. (hint 3)
        - y = scaled_dot_product_attention(q, k, v, allowed)
        + y = scaled_dot_product_attention(q, k, v)

        `learn` leaves the model in evaluation mode.
        + model.eval()
          loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
          loss.backward()

        `learn` trains in evaluation mode, so nothing is dropped.
        + training = model.training
        + model.eval()
          loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
          loss.backward()
          optimizer.step()
        - optimizer.zero_grad()
        + optimizer.zero_grad()
        + model.train(training)
    """,
}
