"""Planted mistakes of module 13: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "layer-norm": """
        The variance is the mean square less the squared mean, whose digits cancel where the mean is large.
        + mean = rows.mean(axis=1, keepdims=True)
        + inverse = (abs(row_mean(rows, rows) - mean * mean) + eps) ** -0.5
        + return (rows - mean) * inverse, inverse

        Epsilon is added to the deviation, not to the variance.
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + inverse = 1 / (row_mean(centred, centred) ** 0.5 + eps)

        The variance divides by one less than the number of entries.
        - inverse = (row_mean(centred, centred) + eps) ** -0.5
        + D = rows.shape[1]
        + inverse = (row_mean(centred, centred) * (D / (D - 1)) + eps) ** -0.5

        Mean and deviation are taken over the batch.
        + centred = rows - rows.mean(axis=0, keepdims=True)
        + inverse = ((centred * centred).mean(axis=0, keepdims=True) + eps) ** -0.5
        + return centred * inverse, inverse

        The mean is subtracted from the caller's rows.
        + rows -= rows.mean(axis=1, keepdims=True)
        + inverse = (row_mean(rows, rows) + eps) ** -0.5
        + return rows * inverse, inverse
    """,
    "layer-norm-gradient": """
        Computes in the memory of the gradient that came in.
        + second = n * row_mean(grad, n)
        + grad -= grad.mean(axis=1, keepdims=True)
        + grad -= second
        + grad *= inverse
        + return grad

        Mean and deviation are taken for constants.
        + return grad * inverse

        The deviation is taken for a constant.
        + return (grad - grad.mean(axis=1, keepdims=True)) * inverse

        Sums stand where means belong.
        + return (
        +     grad - grad.sum(axis=1, keepdims=True) - n * (grad * n).sum(axis=1, keepdims=True)
        + ) * inverse

        The gradient is changed in place.
        + along = row_mean(grad, n)
        + grad -= grad.mean(axis=1, keepdims=True)
        + return (grad - n * along) * inverse
    """,
    "rms-norm": """
        The mean is subtracted all the same.
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        - return rows * inverse, inverse
        + return normalise(rows, eps)

        The sum of squares in place of their mean.
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        + inverse = ((rows * rows).sum(axis=1, keepdims=True) + eps) ** -0.5

        The mean of the gradient is taken out, as if the rows had been centred.
        - return (grad - n * row_mean(grad, n)) * inverse
        + return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
    """,
    "causal-self-attention": """
        What the heads found is not mixed by c_proj.
        - q, k, v = (part.transpose(1, 2) for part in unbind(packed, 2))  # (B, H, T, d)
        + q, k, v = (part.transpose(1, 2) for part in unbind(packed, 2))
        ...
        - return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        + return self.resid_dropout(y.transpose(1, 2).reshape(B, T, C))

        The 3C numbers are cut head by head, each head with its own query, key and value.
        - packed = self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head)
        - q, k, v = (part.transpose(1, 2) for part in unbind(packed, 2))  # (B, H, T, d)
        + packed = self.c_attn(x).view(B, T, self.n_head, 3, C // self.n_head)
        + q, k, v = (part.transpose(1, 2) for part in unbind(packed, 3))

        The heads are joined without being put behind the positions.
        + B, T, C = x.shape
        + q, k, v = (
        +     part.transpose(1, 2)
        +     for part in unbind(self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head), 2)
        + )
        + return self.resid_dropout(self.c_proj(self.attend(q, k, v, cache).reshape(B, T, C)))

        The mask is forgotten: everyone sees the future.
        + B, T, C = x.shape
        + q, k, v = (
        +     part.transpose(1, 2)
        +     for part in unbind(self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head), 2)
        + )
        + y = scaled_dot_product_attention(q, k, v)
        + return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))

        The cache is not handed on, and earlier positions are forgotten.
        + B, T, C = x.shape
        + q, k, v = (
        +     part.transpose(1, 2)
        +     for part in unbind(self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head), 2)
        + )
        + y = self.attend(q, k, v, None)
        + return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
    """,
    "mlp": """
        The exact gelu, which GPT-2 does not use.
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + return self.dropout(self.c_proj(gelu(self.c_fc(x))))

        Dropout comes before the projection.
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + return self.c_proj(self.dropout(gelu(self.c_fc(x), approximate="tanh")))

        The biases are there whatever was asked for.
        - self.c_fc = Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        - self.c_proj = Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        + self.c_fc = Linear(config.n_embd, 4 * config.n_embd)
        + self.c_proj = Linear(4 * config.n_embd, config.n_embd)

        Nothing stands between the two products, which are then one.
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + return self.dropout(self.c_proj(self.c_fc(x)))
    """,
    "block": """
        The sum is normalised: post-norm.
        + x = self.ln_1(x + self.attn(x, cache))
        + return self.ln_2(x + self.mlp(x))

        The stream is replaced by what attention found.
        - x = x + self.attn(self.ln_1(x), cache)
        + x = self.attn(self.ln_1(x), cache)

        Both read the same stream, side by side.
        + return x + self.attn(self.ln_1(x), cache) + self.mlp(self.ln_2(x))

        The stream is changed in the caller's memory.
        + x += self.attn(self.ln_1(x), cache)
        + x += self.mlp(self.ln_2(x))
        + return x
    """,
    "gpt": """
        Head and table share their memory, and are two parameters: the optimizer moves it twice.
        + norm = LayerNorm(config.n_embd, config.layer_norm_epsilon, bias=config.bias)
          self.transformer = ModuleDict(
        ...
        - "ln_f": LayerNorm(config.n_embd, config.layer_norm_epsilon, bias=config.bias),
        + "ln_f": norm,
        ...
        - self.lm_head.weight = self.transformer.wte.weight
        + self.lm_head.weight = Parameter(self.transformer.wte.weight.detach())

        Every block reads the embeddings, so that only the last one counts.
        - if end > self.config.block_size:
        -     raise ValueError(
        -         f"a sequence of {end} tokens is longer than block_size, {self.config.block_size}"
        -     )
        + embedded = self.transformer.drop(
        +     self.transformer.wte(idx) + self.transformer.wpe(arange(start, end))
        + )
        ...
        - x = self.transformer.wte(idx) + self.transformer.wpe(arange(start, end))  # (B, T, C)
        - x = self.transformer.drop(x)
        ...
        - x = block(x, None if cache is None else cache.layers[number])
        + x = block(embedded, None if cache is None else cache.layers[number])

        The last normalisation is forgotten.
        - if end > self.config.block_size:
        -     raise ValueError(
        -         f"a sequence of {end} tokens is longer than block_size, {self.config.block_size}"
        -     )
        + x = self.transformer.drop(
        +     self.transformer.wte(idx) + self.transformer.wpe(arange(start, end))
        + )
        ...
        - x = self.transformer.wte(idx) + self.transformer.wpe(arange(start, end))  # (B, T, C)
        - x = self.transformer.drop(x)
        ...
        - return self.transformer.ln_f(x)
        + return x

        Positions always begin at 0.
        - start = 0 if cache is None else cache.length
        - end = start + idx.shape[1]
        - if end > self.config.block_size:
        -     raise ValueError(
        -         f"a sequence of {end} tokens is longer than block_size, {self.config.block_size}"
        -     )
        + x = self.transformer.drop(
        +     self.transformer.wte(idx) + self.transformer.wpe(arange(idx.shape[1]))
        + )
        ...
        - x = self.transformer.wte(idx) + self.transformer.wpe(arange(start, end))  # (B, T, C)
        - x = self.transformer.drop(x)

        The head has a table of its own.
        + norm = LayerNorm(config.n_embd, config.layer_norm_epsilon, bias=config.bias)
          self.transformer = ModuleDict(
        ...
        - "ln_f": LayerNorm(config.n_embd, config.layer_norm_epsilon, bias=config.bias),
        + "ln_f": norm,
        ...
        - self.lm_head.weight = self.transformer.wte.weight

        The tokens do not know where they stand.
        - start = 0 if cache is None else cache.length
        - end = start + idx.shape[1]
        - if end > self.config.block_size:
        -     raise ValueError(
        -         f"a sequence of {end} tokens is longer than block_size, {self.config.block_size}"
        -     )
        + x = self.transformer.drop(self.transformer.wte(idx))
        ...
        - x = self.transformer.wte(idx) + self.transformer.wpe(arange(start, end))  # (B, T, C)
        - x = self.transformer.drop(x)
    """,
    "bigram-loss": """
        A pair that occurs many times is counted once.
        - np.add.at(counts, (ids[:-1], ids[1:]), 1)
        + counts[ids[:-1], ids[1:]] += 1

        The chances are those of the token before, given the one after.
        - chances = counts / counts.sum(axis=1, keepdims=True)
        + chances = counts / counts.sum(axis=0, keepdims=True)

        In bits, not in nats.
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log2(chances[held_out[:-1], held_out[1:]]).mean())

        How likely both are together, in place of the second given the first.
        - chances = counts / counts.sum(axis=1, keepdims=True)
        - return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
        + return float(-np.log((counts / counts.sum())[held_out[:-1], held_out[1:]]).mean())
    """,
    "filter-logits": """
        The token with which p is reached is cut off as well.
        - smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        - logits = logits.masked_fill(logits < smallest, -math.inf)
        + logits = logits.masked_fill(
        +     logits < logits.topk(min(top_k, logits.shape[-1])).values[:, -1:], -math.inf
        + )
        ...
        - probabilities = softmax(ordered, -1)
        - before = probabilities.cumsum(-1) - probabilities  # of the tokens that are likelier
        - kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        + kept = (softmax(ordered, -1).cumsum(-1) <= top_p).sum(-1, keepdim=True).clamp(min=1)

        What is cut off gets the logit 0, which is a chance like others.
        - smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        - logits = logits.masked_fill(logits < smallest, -math.inf)
        + logits = logits.masked_fill(
        +     logits < logits.topk(min(top_k, logits.shape[-1])).values[:, -1:], 0.0
        + )
        ...
        - before = probabilities.cumsum(-1) - probabilities  # of the tokens that are likelier
        - kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + kept = (
        +     (probabilities.cumsum(-1) - probabilities < top_p)
        +     .sum(-1, keepdim=True)
        +     .clamp(min=1)
        + )
        + logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), 0.0)

        The first row decides for all.
        - smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        - logits = logits.masked_fill(logits < smallest, -math.inf)
        + logits = logits.masked_fill(
        +     logits < logits.topk(min(top_k, logits.shape[-1])).values[:1, -1:], -math.inf
        + )
        ...
        - before = probabilities.cumsum(-1) - probabilities  # of the tokens that are likelier
        - kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + kept = (
        +     (probabilities.cumsum(-1) - probabilities < top_p)
        +     .sum(-1, keepdim=True)
        +     .clamp(min=1)
        + )
        + logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1)[:1], -math.inf)

        With p = 0 nothing is left.
        + if top_k is not None:
        +     logits = logits.masked_fill(
        +         logits < logits.topk(min(top_k, logits.shape[-1])).values[:, -1:], -math.inf
        +     )
        + if top_p is not None:
        +     chances = softmax(logits, -1)
        +     before = wrap(
        +         np.array([[row[row > value].sum() for value in row] for row in chances.numpy()])
        +     )
        +     logits = logits.masked_fill(before >= top_p, -math.inf)
        + return logits
    """,
    "next-token": """
        The temperature is multiplied.
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        - return multinomial(probabilities, 1, generator=generator)
        + return multinomial(
        +     softmax(filter_logits(logits * temperature, top_k, top_p), -1), 1, generator=generator
        + )

        The logits are filtered before they are divided.
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        - return multinomial(probabilities, 1, generator=generator)
        + return multinomial(
        +     softmax(filter_logits(logits, top_k, top_p) / temperature, -1), 1, generator=generator
        + )

        The generator is not used.
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        - return multinomial(probabilities, 1, generator=generator)
        + return multinomial(softmax(filter_logits(logits / temperature, top_k, top_p), -1), 1)

        The most likely token is always taken.
        + return filter_logits(logits, top_k, top_p).argmax(-1, keepdim=True)
    """,
    "generate": """
        The whole text is shown, however long.
        - window = idx[:, -model.config.block_size :]
        - hidden = model.hidden(window if cache is None else cache.unseen(window), cache)
        + hidden = model.hidden(idx if cache is None else cache.unseen(idx), cache)

        The loop runs to its end whatever was drawn.
        - ends, finished = ends_of(stop), np.zeros((len(idx), 1), bool)
        ...
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        - token, finished = finished_by(token, idx, finished, ends)
        - idx = cat([idx, token], 1)
        - if finished.all():
        -     break
        + idx = cat(
        +     [
        +         idx,
        +         next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator),
        +     ],
        +     1,
        + )

        The logits of the first position are taken.
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + token = next_token(model.lm_head(hidden[:, 0]), temperature, top_k, top_p, generator)

        Only the new token is shown next time, with no cache to remember the rest.
        - ends, finished = ends_of(stop), np.zeros((len(idx), 1), bool)
        + ends, finished, window = (
        +     ends_of(stop),
        +     np.zeros((len(idx), 1), bool),
        +     idx[:, -model.config.block_size :],
        + )
        ...
        - window = idx[:, -model.config.block_size :]
        ...
        - token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        - token, finished = finished_by(token, idx, finished, ends)
        - idx = cat([idx, token], 1)
        + window = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        + window, finished = finished_by(window, idx, finished, ends)
        + idx = cat([idx, window], 1)
    """,
    "gpt2-state": """
        Without its dot the ending takes c_attn's bias for the mask.
        - if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight":
        + if name.endswith(("attn.bias", "attn.masked_bias")) or name == "lm_head.weight":

        Every matrix is transposed, the embeddings too.
        - state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
        + state[f"transformer.{name}"] = array.T

        All biases of the attention are left out with the buffer.
        - if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight":
        + if ("attn" in name and name.endswith("bias")) or name == "lm_head.weight":

        A prefix that is there already is put before the name once more.
        - name = name.removeprefix("transformer.")
        ...
        - state["lm_head.weight"] = state["transformer.wte.weight"]
        - return state
        + return state | {
        +     "lm_head.weight": next(
        +         array for name, array in tensors.items() if name.endswith("wte.weight")
        +     )
        + }

        The square weights are forgotten, whose shape does not tell.
        - state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
        + transposed = name.endswith(TRANSPOSED) and array.shape[0] != array.shape[1]
        + state[f"transformer.{name}"] = array.T if transposed else array
    """,
}
