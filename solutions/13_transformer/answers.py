"""Other right answers to the stubs of module 13: their tests pass with each."""

ANSWERS = {
    "layer-norm": """
        The variance as the mean of squares of an array of its own.
        + mean = rows.mean(axis=1, keepdims=True)
        + left = rows - mean
        + variance = (left * left).mean(axis=1, keepdims=True)
        + inverse = 1 / (variance + eps) ** 0.5
        + return left * inverse, inverse
    """,
    "layer-norm-gradient": """
        Each term on its own, in sums divided by the length.
        + D = n.shape[1]
        + shift = grad.sum(axis=1, keepdims=True) / D
        + stretch = (grad * n).sum(axis=1, keepdims=True) / D
        + return inverse * grad - inverse * shift - inverse * stretch * n
    """,
    "rms-norm": """
        Squares and their mean, and a division.
        - inverse = (row_mean(rows, rows) + eps) ** -0.5
        - return rows * inverse, inverse
        + root = ((rows**2).mean(axis=1, keepdims=True) + eps) ** 0.5
        + return rows / root, 1 / root
        ...
        - return (grad - n * row_mean(grad, n)) * inverse
        + along = (grad * n).sum(axis=1, keepdims=True) / n.shape[1]
        + return inverse * grad - inverse * along * n
    """,
    "causal-self-attention": """
        By chunk, with each part cut into heads.
        + B, T, C = x.shape
        + d = C // self.n_head
        + parts = [
        +     part.unflatten(-1, (-1, d)).permute(0, 2, 1, 3)
        +     for part in self.c_attn(x).split([heads * d for heads in self.heads], dim=-1)
        + ]
        + q, k = map(self.turned, parts[:2])
        + y = self.attend(q, k, parts[2]).permute(0, 2, 1, 3).flatten(2)
        + return self.resid_dropout(self.c_proj(y))
    """,
    "mlp": """
        The width first, and a line for each layer.
        - width = config.n_inner or 4 * config.n_embd
        - self.c_fc = Linear(config.n_embd, width, bias=config.bias)
        - self.c_proj = Linear(width, config.n_embd, bias=config.bias)
        + wide = config.n_embd * 4 if config.n_inner is None else config.n_inner
        + self.c_fc = Linear(config.n_embd, wide, config.bias)
        + self.c_proj = Linear(wide, config.n_embd, config.bias)
        ...
        - return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        + h = self.c_fc(x)
        + h = gelu(h, "tanh")
        + h = self.c_proj(h)
        + return self.dropout(h)
    """,
    "gated-mlp": """
        The width by the configuration, and both halves by slices.
        - width = self.c_fc.out_features
        + width = config.n_inner or 4 * config.n_embd
        ...
        - gate, up = self.c_fc(x).chunk(2, dim=-1)
        - return self.dropout(self.c_proj(silu(gate) * up))
        + both = self.c_fc(x)
        + width = both.shape[-1] // 2
        + h = both[..., width:] * silu(both[..., :width])
        + return self.dropout(self.c_proj(h))
    """,
    "block": """
        In one expression for the sum.
        + found = self.attn(self.ln_1(x))
        + return x + found + self.mlp(self.ln_2(x + found))
    """,
    "gpt": """
        The parts as keywords of a dictionary, and the blocks by number.
        - parts = {"wte": Embedding(config.vocab_size, config.n_embd)}
        - if not config.rotary:
        -     parts["wpe"] = Embedding(config.block_size, config.n_embd)
        - parts["drop"] = Dropout(config.dropout)
        - parts["h"] = ModuleList([Block(config) for _ in range(config.n_layer)])
        - parts["ln_f"] = norm_of(config)
        - self.transformer = ModuleDict(parts)
        + wte = Embedding(config.vocab_size, config.n_embd)
        + tables = {"wte": wte}
        + if config.rotary is False:
        +     tables["wpe"] = Embedding(config.block_size, config.n_embd)
        + blocks = ModuleList()
        + for _ in range(config.n_layer):
        +     blocks.append(Block(config))
        + rest = {"drop": Dropout(config.dropout), "h": blocks, "ln_f": norm_of(config)}
        + self.transformer = ModuleDict(tables | rest)
        ...
        - x = self.transformer.wte(idx)  # (B, T, C)
        - if not self.config.rotary:
        -     x = x + self.transformer.wpe(positions)
        - x = self.transformer.drop(x)
        + parts = self.transformer
        + x = parts["wte"](idx)
        + x = parts["drop"](x + parts["wpe"](positions) if "wpe" in parts else x)

        The table takes the head's weight, and the blocks run by their numbers.
        - self.lm_head.weight = self.transformer.wte.weight
        + self.transformer.wte.weight = self.lm_head.weight
        ...
        - for block in self.transformer.h:
        -     x = block(x)
        + for number in range(self.config.n_layer):
        +     x = self.transformer.h[number](x)
    """,
    "bigram-loss": """
        Pairs as numbers, counted by bincount.
        + pairs = ids[:-1] * vocab_size + ids[1:]
        + counts = np.bincount(pairs, minlength=vocab_size**2).reshape(vocab_size, vocab_size)
        + totals = counts.sum(1) + vocab_size
        + losses = [
        +     math.log(totals[a]) - math.log(counts[a, b] + 1)
        +     for a, b in zip(held_out[:-1], held_out[1:])
        + ]
        + return sum(losses) / len(losses)

        A table of float32.
        - counts = np.ones((vocab_size, vocab_size))
        + counts = np.ones((vocab_size, vocab_size), np.float32)
    """,
    "held-out-loss": """
        Every prediction's loss in a list, by index.
        + was, found, last = model.training, [], len(ids) - 1
        + model.train(False)
        + with no_grad():
        +     for start in range(0, last, model.config.block_size):
        +         stop = min(start + model.config.block_size, last)
        +         logits = model(ids[start:stop][None])[0]
        +         losses = cross_entropy(logits, ids[start + 1 : stop + 1], reduction="none")
        +         found += losses.tolist()
        + if was:
        +     model.train()
        + return sum(found) / last

        All whole pieces as one batch, and the rest.
        + was, size = model.training, model.config.block_size
        + model.eval()
        + whole, total = (len(ids) - 1) // size, 0.0
        + with no_grad():
        +     if whole:
        +         x, y = (ids[i : i + whole * size].reshape(whole, size) for i in (0, 1))
        +         total += next_token_loss(model(x), y).item() * whole * size
        +     if rest := len(ids) - 1 - whole * size:
        +         x, y = ids[whole * size : -1], ids[whole * size + 1 :]
        +         total += next_token_loss(model(x[None]), y[None]).item() * rest
        + model.train(was)
        + return total / (len(ids) - 1)
    """,
    "filter-logits": """
        Row by row, in NumPy.
        + rows = logits.numpy().copy()
        + for row in rows:
        +     if top_k is not None and top_k < len(row):
        +         row[row < np.sort(row)[-top_k]] = -np.inf
        +     if top_p is not None:
        +         ordered = np.sort(row)[::-1]
        +         chances = np.exp(ordered - ordered[0])
        +         reached = (chances / chances.sum()).cumsum()
        +         count = int(np.searchsorted(reached, top_p)) + 1
        +         row[row < ordered[min(count, len(row)) - 1]] = -np.inf
        + return wrap(rows)

        All tokens together have the probability 1, and no fewer; in float64, from the least likely.
        + x = logits.detach().numpy()
        + count = x.shape[1]
        + if top_k is not None:
        +     kth = np.sort(x, axis=1)[:, -min(top_k, count)][:, None]
        +     x = np.where(x < kth, -np.inf, x).astype(x.dtype)
        + if top_p is not None and top_p < 1:
        +     up = np.sort(x, axis=1)
        +     exps = np.exp(up.astype(np.float64) - up[:, -1:])
        +     rest = (exps / exps.sum(1, keepdims=True)).cumsum(1)
        +     kept = np.maximum((rest > 1 - top_p).sum(1, keepdims=True), 1)
        +     least = np.take_along_axis(up, count - kept, 1)
        +     x = np.where(x < least, -np.inf, x).astype(x.dtype)
        + return tensor(x)
    """,
    "next-token": """
        By cases, with names for what is drawn from.
        + if temperature > 0:
        +     scores = filter_logits(logits / temperature, top_k=top_k, top_p=top_p)
        +     return multinomial(softmax(scores, dim=-1), num_samples=1, generator=generator)
        + return logits.argmax(dim=-1).unsqueeze(-1)
    """,
    "generate": """
        A loop that asks first whether there is anything to do.
        + left = max_new_tokens
        + while left and not finished.all():
        +     size = model.config.block_size
        +     read = hidden_of(model, idx if idx.shape[1] <= size else idx[:, -size:], cache)
        +     logits = model.lm_head(read[:, read.shape[1] - 1])
        +     token = next_token(
        +         logits, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator
        +     )
        +     token, finished = finished_by(token, idx, finished, ends)
        +     idx, left = cat([idx, token], dim=1), left - 1
        + return idx

        In evaluation mode, and afterwards in the mode in which the model was.
        + training = model.training
        + model.eval()
          for _ in range(max_new_tokens):
        ...
        - return idx
        + model.train(training)
        + return idx
    """,
    "gpt2-state": """
        The buffers and the head taken out first, then the names.
        + buffers = ".attn.bias", ".attn.masked_bias", "lm_head.weight"
        + kept = {name: x for name, x in tensors.items() if not name.endswith(buffers)}
        + state = {}
        + for name, x in kept.items():
        +     short = name[len("transformer.") :] if name.startswith("transformer.") else name
        +     turned = any(short.endswith(ending) for ending in TRANSPOSED)
        +     state["transformer." + short] = np.transpose(x) if turned else x
        + return state | {"lm_head.weight": state["transformer.wte.weight"]}
    """,
    "mend-training": """
        With is_causal, flatten and unflatten, and a loss of its own.
        - parts = self.c_attn(x).chunk(3, -1)
        - q, k, v = (part.reshape(B, T, self.n_head, -1).transpose(1, 2) for part in parts)
        - allowed = tensor(np.tri(T, dtype=bool))
        - y = scaled_dot_product_attention(q, k, v, allowed)
        - return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        + packed = self.c_attn(x).unflatten(-1, (3, self.n_head, -1)).permute(2, 0, 3, 1, 4)
        + y = scaled_dot_product_attention(packed[0], packed[1], packed[2], is_causal=True)
        + return self.c_proj(y.permute(0, 2, 1, 3).flatten(2))
        ...
        - loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
        - loss.backward()
        + inputs, targets = ids[:, :-1], ids[:, 1:]
        + loss = cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        + optimizer.zero_grad()
        + loss.backward()

        The mask as a Tensor of its own, and the whole model's mode set and set back.
        - allowed = tensor(np.tri(T, dtype=bool))
        + allowed = wrap(np.tril(np.ones((T, T), bool)))
        ...
        - training = model.training
        - model.eval()
        + was = [(part, part.training) for part in model.modules()]
        + model.train(False)
        ...
        - model.train(training)
        - return loss
        + for part, mode in was:
        +     part.training = mode
        + return loss

        The model's gradients are cleared after the step.
        - optimizer.zero_grad()
        + model.zero_grad()

        Learning switches to training, and back.
        - loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
        - loss.backward()
        - optimizer.step()
        - optimizer.zero_grad()
        - return loss.item()
        + was = model.training
        + model.train()
        + loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
        + loss.backward()
        + optimizer.step()
        + optimizer.zero_grad()
        + model.train(was)
        + return loss.item()
    """,
}
