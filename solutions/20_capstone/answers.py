"""Other right answers of module 20: with each in its stub, every test of the stub passes."""

ANSWERS = {
    "fresh-inputs": """
        Whole numbers between -shift and shift, and slices on both sides.
        + N, C, H, W = images.shape
        + order, batch = np.arange(N), np.zeros_like(images)
        + rng.shuffle(order)
        + for place, number in enumerate(order):
        +     down, right = rng.integers(-shift, shift, 2, endpoint=True)
        +     y, x = max(0, down), max(0, right)
        +     h, w = H - abs(down), W - abs(right)
        +     there = images[number][:, max(0, -down) :, max(0, -right) :]
        +     batch[place, :, y : y + h, x : x + w] = there[:, :h, :w]
        + return (batch + rng.normal(0, 1, batch.shape) * noise).astype(images.dtype), order

        All windows at once, by their indices.
        + N, C, H, W = images.shape
        + order = rng.permutation(N)
        + space = np.pad(images[order], [(0, 0), (0, 0), (shift, shift), (shift, shift)])
        + down, right = rng.integers(2 * shift + 1, size=(2, N, 1, 1))
        + rows, columns = down + np.arange(H)[:, None], right + np.arange(W)
        + moved = np.moveaxis(space[np.arange(N)[:, None, None], :, rows, columns], -1, 1)
        + return moved + np.asarray(noise * rng.standard_normal(moved.shape), images.dtype), order
    """,
    "marks": """
        By a loop, and by the logarithm of the sum.
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + return np.array([float(np.argmax(row) == label) for row, label in zip(logits, labels)])
        ...
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        - totals = np.log(np.exp(shifted).sum(axis=1))
        - return shifted[np.arange(len(targets)), targets] - totals
        + z = np.asarray(logits, dtype=float)
        + return np.take_along_axis(z, targets[:, None], 1)[:, 0] - np.logaddexp.reduce(z, axis=1)

        With where, and with module 02's function.
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + return np.where(np.argmax(logits, -1) == labels, 1.0, 0.0)
        ...
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        - totals = np.log(np.exp(shifted).sum(axis=1))
        - return shifted[np.arange(len(targets)), targets] - totals
        + logs = F.log_softmax(torch.tensor(logits.astype(np.float64)), 1).numpy()
        + return logs[range(len(targets)), targets]
    """,
    "paired-interval": """
        Draw by draw.
        + rng, ratios = np.random.default_rng(seed), []
        + for _ in range(resamples):
        +     rows = rng.choice(len(baseline), len(baseline))
        +     ratios.append(float(quality(better[rows])) / float(quality(baseline[rows])))
        + tail = 100 * (1 - confidence) / 2
        + low, high = np.percentile(ratios, tail), np.percentile(ratios, 100 - tail)
        + return Score(quality(better) / quality(baseline), low, high)

        Both in one table, and quantiles by sorting.
        + table = np.stack([baseline, better])
        + rng = np.random.default_rng(seed)
        + drawn = table[:, rng.integers(0, table.shape[1], (resamples, table.shape[1]))]
        + old, new = quality(drawn)
        + ratios, cut = np.sort(new / old), (1 - confidence) / 2
        + low, high = ratios[int(cut * resamples)], ratios[int((1 - cut) * resamples) - 1]
        + before, after = quality(table)
        + return Score(after / before, low, high)

        Quantiles by indices, of which fewer ratios lie above than below, by one.
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + ratios, tail = np.sort(ratios), (1 - confidence) / 2
        + low, high = ratios[int(tail * resamples)], ratios[int((1 - tail) * resamples)]
    """,
    "verdict": """
        Roots first, and then the product; one expression after the other.
        - table = [[score.ratio, score.low, score.high] for score in scores]
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + root = 1 / len(scores)
        + means = [1.0, 1.0, 1.0]
        + for score in scores:
        +     for i, number in enumerate((score.ratio, score.low, score.high)):
        +         means[i] *= number**root
        + return Score(*means)
        ...
        - if accuracy < floor:
        -     return "refused"
        - if score.low > 1 + margin:
        -     return "wins"
        - if score.high < 1 / (1 + margin):
        -     return "loses"
        - return "no difference shown"
        + wins, loses = score.low > 1 + margin, score.high < 1 / (1 + margin)
        + verdict = "wins" if wins else "loses" if loses else "no difference shown"
        + return verdict if accuracy >= floor else "refused"

        Logarithms of the math module, which takes none of 0.
        - table = [[score.ratio, score.low, score.high] for score in scores]
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + import math
        + g = lambda v: math.exp(math.fsum(map(math.log, v)) / len(v))
        + return Score(*(g([getattr(s, name) for s in scores]) for name in ("ratio", "low", "high")))

        The standard library's, by name; by products, and in another order.
        - table = [[score.ratio, score.low, score.high] for score in scores]
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + import statistics
        + return Score(
        +     ratio=statistics.geometric_mean([s.ratio for s in scores]),
        +     low=statistics.geometric_mean([s.low for s in scores]),
        +     high=statistics.geometric_mean([s.high for s in scores]),
        + )
        ...
        - if accuracy < floor:
        -     return "refused"
        - if score.low > 1 + margin:
        -     return "wins"
        - if score.high < 1 / (1 + margin):
        -     return "loses"
        - return "no difference shown"
        + if not accuracy >= floor:
        +     return "refused"
        + if score.high * (1 + margin) < 1:
        +     return "loses"
        + if score.low - 1 > margin:
        +     return "wins"
        + return "no difference shown"
    """,
    "leaderboard": """
        Sorted first: the worst of each digest, then the order.
        + def low_of(record):
        +     return record["scores"][event.kind][1]
        + listed = [r for r in records if r["event"] == str(event) and r["verdict"] != "refused"]
        + worst = {}
        + for record in sorted(listed, key=low_of, reverse=True):
        +     worst[record["digest"]] = record
        + rows = []
        + for record in sorted(worst.values(), key=low_of, reverse=True):
        +     place = len(rows) + 1
        +     if rows:
        +         first = next(r for p, r in rows if p == rows[-1][0])
        +         if record["scores"][event.kind][2] >= low_of(first):
        +             place = rows[-1][0]
        +     rows.append((place, record))
        + return rows

        Groups by digest, and places counted by hand.
        + groups = {}
        + for record in records:
        +     if record["verdict"] == "refused" or record["event"] != str(event):
        +         continue
        +     groups.setdefault(record["digest"], []).append(record)
        + kind = event.kind
        + chosen = [min(group, key=lambda r: r["scores"][kind][1]) for group in groups.values()]
        + chosen.sort(key=lambda r: r["scores"][kind][1], reverse=True)
        + rows, first = [], 0
        + for i, record in enumerate(chosen):
        +     if record["scores"][kind][2] < chosen[first]["scores"][kind][1]:
        +         first = i
        +     rows.append((first + 1, record))
        + return rows
    """,
    "as-matrix": """
        Unit image by unit image, with Parameters of its own.
        + columns, n = [], conv.in_channels * size**2
        + with torch.no_grad():
        +     empty = conv(torch.zeros(1, conv.in_channels, size, size))
        +     for j in range(n):
        +         image = torch.zeros(n)
        +         image[j] = 1.0
        +         image = image.view(1, conv.in_channels, size, size)
        +         columns.append((conv(image) - empty).flatten())
        +     layer = nn.Linear(n, empty.numel())
        +     layer.weight = nn.Parameter(torch.stack(columns, 1))
        +     layer.bias = nn.Parameter(empty.flatten().clone())
        + return layer

        No bias where the convolution has none.
        - layer = nn.Linear(n, rows.shape[1])
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer = nn.Linear(n, rows.shape[1], bias=conv.bias is not None)
        + layer.weight.copy_(rows.T)
        + if conv.bias is not None:
        +     layer.bias.copy_(zero[0])

        Written into the parameters.
        + n = conv.in_channels * size * size
        + shape = (conv.in_channels, size, size)
        + with torch.no_grad():
        +     both = conv(torch.cat([torch.zeros(1, n), torch.eye(n)]).view(n + 1, *shape)).flatten(1)
        +     layer = nn.Linear(n, both.shape[1])
        +     layer.bias.copy_(both[0])
        +     layer.weight.copy_((both[1:] - both[0]).T)
        + return layer
    """,
    "streaming": """
        A question of its own, and the whole model.
        + tokens = np.array(idx.numpy())
        + old = self.seen
        + goes_on = (
        +     old is not None
        +     and old.shape[0] == tokens.shape[0]
        +     and old.shape[1] < tokens.shape[1]
        +     and bool((tokens[:, : old.shape[1]] == old).all())
        + )
        + if goes_on:
        +     new = idx[:, old.shape[1] :]
        + else:
        +     new, self.cache = idx, torch.KVCache.for_model(self.model, idx.shape[0])
        + self.seen = None
        + logits = self.model(new, self.cache)[:, -1]
        + self.seen = tokens
        + return logits

        Lists, and the cache's own length.
        + texts = idx.tolist()
        + before = self.seen or []
        + same = len(before) == len(texts) and all(
        +     len(old) < len(new) and new[: len(old)] == old for old, new in zip(before, texts)
        + )
        + if not same:
        +     self.cache = torch.KVCache.for_model(self.model, len(texts))
        + self.seen = texts
        + hidden = self.model.hidden(idx[:, self.cache.length :], self.cache)
        + return self.model.lm_head(hidden[:, -1:])[:, 0]
    """,
    "teach": """
        The divergence of probabilities, and a rate that falls as a cosine.
        + rng = np.random.default_rng(seed)
        + student.train()
        + optimizer = optim.AdamW(student.parameters(), lr)
        + schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        + for _ in range(steps):
        +     rows = rng.choice(len(images), batch)
        +     x = torch.from_numpy(fresh_images(images[rows], rng)[0])
        +     with torch.no_grad():
        +         p = torch.softmax(teacher(x), dim=1)
        +     q = F.log_softmax(student(x), 1)
        +     student.zero_grad()
        +     F.kl_div(q, p, reduction="batchmean").backward()
        +     optimizer.step()
        +     schedule.step()
        + student.eval()
        + return student

        The formula written out, and a line for the rate.
        + rng = np.random.default_rng(seed)
        + optimizer = optim.AdamW(student.train().parameters(), lr=lr)
        + for step in range(steps):
        +     optimizer.param_groups[0]["lr"] = lr * (1 - step / steps)
        +     rows = rng.integers(len(images), size=batch)
        +     x = torch.tensor(fresh_images(images[rows], rng)[0])
        +     with torch.no_grad():
        +         logits = teacher(x)
        +     p = F.softmax(logits, -1)
        +     loss = -(p * F.log_softmax(student(x), -1)).sum(1).mean()
        +     optimizer.zero_grad(set_to_none=True)
        +     loss.backward()
        +     optimizer.step()
        + return student.eval()

        A rate that rises and falls in straight lines.
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        + schedule = optim.lr_scheduler.OneCycleLR(
        +     optimizer, lr, total_steps=steps, pct_start=0.1, anneal_strategy="linear"
        + )

        Probabilities and their logarithms, without a function for the loss.
        - loss = F.cross_entropy(student(x), target)
        + q = F.softmax(student(x), 1)
        + loss = -(target * torch.log(q)).sum() / batch

        The sum over the batch, which AdamW takes for the mean.
        - loss = F.cross_entropy(student(x), target)
        + loss = F.cross_entropy(student(x), target, reduction="sum")

        A rate that stays, and falls in the last third.
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        + falling = lambda step: min(1.0, 3 * (steps - step) / steps)
        + schedule = optim.lr_scheduler.LambdaLR(optimizer, falling)

        Gradients are cleared after each step.
        - optimizer.zero_grad()
        - loss.backward()
        - optimizer.step()
        + loss.backward()
        + optimizer.step()
        + optimizer.zero_grad()
    """,
}
