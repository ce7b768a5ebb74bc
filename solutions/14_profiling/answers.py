"""Other right answers to the stubs of module 14: their tests pass with each."""

ANSWERS = {
    "measure-latency": """
        Two readings of the clock for each run, and one percentile after another.
        + for _ in range(warmup):
        +     run()
        + spans = []
        + for _ in range(repeats):
        +     before = clock()
        +     run()
        +     after = clock()
        +     spans.append((before, after))
        + times = np.array([after - before for before, after in spans])
        + spread = np.quantile(times, 0.75) - np.quantile(times, 0.25)
        + return Latency(
        +     np.median(times), np.percentile(times, 95), spread, times.min(), tuple(times.tolist())
        + )
    """,
    "flop-formulas": """
        Loops and filters for products and convolutions; attention's products by the formula of products.
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + flops = 2 * x_shape[-1]
        + for n in out_shape:
        +     flops *= n
        + return flops
        ...
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + places = math.prod(out_shape[2:])
        + return 2 * math.prod(weight_shape) * out_shape[0] * places
        ...
        - (T, d), S = query_shape[-2:], key_shape[-2]
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + *batch, T, _ = out_shape
        + scores = (*batch, T, key_shape[-2])
        + return product_flops(query_shape, None, out_shape=scores) + product_flops(
        +     scores, None, out_shape=out_shape
        + )

        The convolution as a product, with NumPy's product of a shape.
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + window = int(np.prod(weight_shape[1:]))
        + return product_flops((window,), (window,), out_shape=out_shape)
    """,
    "call-flops": """
        Forward is a product with 1.
        + kinds = {"forward": 1, "module": 0}
        + needed = call.node.needs_input_grad if call.kind == "backward" else ()
        + return kinds.get(call.kind, needed[:2].count(True)) * flops_by_formula(call)

        The wanted gradients counted one by one.
        + flops = flops_by_formula(call)
        + if call.kind != "backward":
        +     return flops
        + total = 0
        + for wanted in call.node.needs_input_grad[:2]:
        +     if wanted:
        +         total += flops
        + return total
    """,
    "count-flops": """
        A total that a function adds to.
        + total = 0
        +
        + def seen(call):
        +     nonlocal total
        +     total += call_flops(call)
        +
        + with Watch(seen):
        +     model(*inputs)
        + return total
    """,
    "bytes-moved": """
        The views are sorted out first.
        + if call.kind == "module":
        +     return 0
        + given = [a for a in (*call.inputs, *call.saved) if isinstance(a, np.ndarray)]
        + owners = [owner(a) for a in given]
        + new = [
        +     a
        +     for a in call.result
        +     if isinstance(a, np.ndarray) and not any(owner(a) is o for o in owners)
        + ]
        + if not new:
        +     return 0
        + seen, sums, sizes = set(), {}, {}
        + for a in given + new:
        +     if id(a) not in seen:
        +         seen.add(id(a))
        +         key = id(owner(a))
        +         sizes[key] = owner(a).nbytes
        +         sums[key] = sums.get(key, 0) + a.size * a.itemsize
        + return sum(min(sums[key], sizes[key]) for key in sums)
    """,
    "self-times": """
        For each event the innermost one before it that has not ended.
        + own = [end - start for start, end in spans]
        + for i, (start, end) in enumerate(spans):
        +     around = [j for j in range(i) if spans[j][1] > start]
        +     if around:
        +         own[max(around)] -= end - start
        + return own
    """,
    "trace-memory": """
        Without a collection; the tracing ended by a function.
        + import contextlib
        +
        + with contextlib.ExitStack() as stack:
        +     if not tracemalloc.is_tracing():
        +         tracemalloc.start()
        +         stack.callback(tracemalloc.stop)
        +     before, _ = tracemalloc.get_traced_memory()
        +     tracemalloc.reset_peak()
        +     held = [run()]
        +     live, peak = tracemalloc.get_traced_memory()
        +     del held
        + return Memory(peak=peak - before, live=live - before)
    """,
    "measure-machine": """
        With new memory for the product, by operators.
        + rng = np.random.default_rng(0)
        + a, b = rng.random((2, n, n), dtype=np.float32)
        + source = np.ones(nbytes // 4, dtype=np.float32)
        + target = np.zeros_like(source)
        + seconds = measure(lambda: a @ b).minimum
        +
        + def copy():
        +     target[:] = source
        +
        + return Machine(2.0 * n * n * n / seconds, 2 * (nbytes // 4 * 4) / measure(copy).minimum)

        Matrices from random numbers of float64, converted before anything is measured.
        + a = np.random.rand(n, n).astype(np.float32)
        + b = np.random.rand(n, n).astype(np.float32)
        + source = np.random.rand(nbytes // 4).astype(np.float32)
        + target = np.zeros(nbytes // 4, np.float32)
        +
        + def product():
        +     a @ b
        +
        + def copy():
        +     target[...] = source
        +
        + computing, copying = measure(product).minimum, measure(copy).minimum
        + return Machine(2 * n**3 / computing, 2 * nbytes / copying)

        The float64 originals are still held; np.dot, and a copy by parts.
        + wide = np.random.rand(n, n)
        + a, c = wide.astype(np.float32), np.empty((n, n), np.float32)
        + source, half = np.random.rand(nbytes // 4), nbytes // 8
        + source = source.astype(np.float32)
        + target = source * 0
        +
        + def copy():
        +     target[:half] = source[:half]
        +     target[half:] = source[half:]
        +
        + computing = measure(lambda: np.dot(a, a, out=c)).minimum
        + return Machine(2 * n**3 / computing, 2 * nbytes / measure(copy).minimum)

        Functions with their arguments, and matrices made by a function of its own.
        + from functools import partial
        +
        + a, b = np.full((2, n, n), 0.5, np.float32)
        + computing = measure(partial(np.matmul, a, b)).minimum
        + target, source = np.ones((2, nbytes // 4), np.float32)
        + copying = measure(partial(np.copyto, target, source)).minimum
        + return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)

        Tensors, whose product is NumPy's.
        + a, b = Tensor(np.ones((n, n), np.float32)), Tensor(np.ones((n, n), np.float32))
        + source = Tensor(np.ones(nbytes // 4, np.float32))
        + target = Tensor(np.zeros(nbytes // 4, np.float32))
        + computing = measure(lambda: a @ b).minimum
        + copying = measure(lambda: np.copyto(target.array, source.array)).minimum
        + return Machine(2 * n**3 / computing, 2 * source.array.nbytes / copying)
    """,
    "roofline": """
        By the times that computing and fetching take.
        + computing = flops / machine.flops_per_second
        + fetching = nbytes / machine.bytes_per_second
        + bound = "memory" if fetching > computing else "compute"
        + intensity = math.inf if nbytes == 0 else flops / nbytes
        + longest = max(computing, fetching)
        + return Verdict(bound, intensity, flops / longest if longest else machine.flops_per_second)
    """,
    "find-nan": """
        All lines are kept, and the first is returned.
        + lines = []
        +
        + def seen(call):
        +     if call.kind in ("forward", "backward"):
        +         lines.append(show_call(call) if returned_bad(call) and not received_bad(call) else "")
        +
        + with Watch(seen):
        +     run()
        + return next((line for line in lines if line), None)

        The first line is kept in a variable outside.
        + first = None
        +
        + def seen(call):
        +     nonlocal first
        +     if first is not None or call.kind == "module" or received_bad(call):
        +         return
        +     if returned_bad(call):
        +         first = show_call(call)
        +
        + with Watch(seen):
        +     run()
        + return first
    """,
    "waiting-share": """
        The iterator by hand, until it is exhausted.
        + begin = end = clock()
        + iterator, waited = iter(batches), 0.0
        + while True:
        +     try:
        +         batch = next(iterator)
        +     except StopIteration:
        +         return waited / (end - begin)
        +     waited += clock() - end
        +     step(batch)
        +     end = clock()

        All of the time but that of the steps, until the loop is left.
        + begin, worked = clock(), 0.0
        + for batch in batches:
        +     arrived = clock()
        +     step(batch)
        +     worked += clock() - arrived
        + return 1 - worked / (clock() - begin)
    """,
    "mend-tuning": """
        A limit under the root, a table in the first call, and an encoder that is frozen.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / (x * x).sum(-1, keepdim=True).clamp(min=1e-10).sqrt()
        ...
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        - self.register_buffer("table", table)
        + self.most, self.width, self.table = most, width, None
        ...
        - return x + self.table[: x.shape[-2]]
        + if self.table is None:
        +     angles = np.arange(self.most)[:, None] / 10_000 ** (
        +         np.arange(0, self.width, 2) / self.width
        +     )
        +     table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(self.most, -1)
        +     self.table = Tensor(table.astype(np.float32))
        + T, _ = x.shape[-2:]
        + return self.table[:T] + x
        ...
        - losses = []
        + encoder.requires_grad_(False)
        + total = 0.0
        - for sequences, labels in batches:
        -     with no_grad():
        -         features = encoder(sequences)
        -     loss = cross_entropy(head(features).mean(dim=1), labels)
        + for sequences, labels in batches:
        +     loss = cross_entropy(head(encoder(sequences)).mean(1), labels)
        ...
        - losses.append(loss.item())
        + total += loss.item() / len(batches)
        ...
        - return float(np.mean(losses))
        + return total

        A root of where, rows that are expanded, features that are detached, gradients cleared by the head.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + squares = (x * x).sum(dim=-1, keepdim=True)
        + return x * squares.masked_fill(squares == 0, 1.0).rsqrt()
        ...
        - return x + self.table[: x.shape[-2]]
        + return x + self.table.detach()[: x.size(-2), :].expand(x.shape)
        ...
        - with no_grad():
        -     features = encoder(sequences)
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        - optimizer.zero_grad()
        - loss.backward()
        - optimizer.step()
        + with no_grad():
        +     features = encoder(sequences)
        + loss = cross_entropy(head(features.detach()).mean(dim=1), labels)
        + head.zero_grad()
        + loss.backward()
        + optimizer.step()

        Clamp, a table by NumPy that is not saved with the weights, and features that are detached.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + squares = (x * x).sum(dim=-1, keepdim=True)
        + return x / squares.clamp(min=1e-12).sqrt()
        ...
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        - self.register_buffer("table", table)
        + from tinytorch.tensor import wrap
        +
        + angles = np.arange(most)[:, None] / 10_000 ** (np.arange(0, width, 2) / width)
        + table = np.empty((most, width), np.float32)
        + table[:, 0::2] = np.sin(angles)
        + table[:, 1::2] = np.cos(angles)
        + self.register_buffer("table", wrap(table), persistent=False)
        ...
        - with no_grad():
        -     features = encoder(sequences)
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        - optimizer.zero_grad()
        + optimizer.zero_grad()
        + loss = cross_entropy(head(encoder(sequences).detach()).mean(dim=1), labels)
    """,
}
