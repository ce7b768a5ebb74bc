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
    "product-flops": """
        By the operands where there are no batches, by a loop over the output's dimensions.
        + flops = 2 * x_shape[-1]
        + for n in out_shape:
        +     flops *= n
        + return flops
    """,
    "convolution-flops": """
        By the filters, once for each place of each image.
        + places = math.prod(out_shape[2:])
        + return 2 * math.prod(weight_shape) * out_shape[0] * places
    """,
    "attention-flops": """
        Each product by the formula of products.
        + *batch, T, _ = out_shape
        + scores = (*batch, T, key_shape[-2])
        + return product_flops(query_shape, None, out_shape=scores) + product_flops(
        +     scores, None, out_shape=out_shape
        + )
    """,
    "call-flops": """
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
    "self-times": """
        For each event the innermost one before it that has not ended.
        + own = [end - start for start, end in spans]
        + for i, (start, end) in enumerate(spans):
        +     around = [j for j in range(i) if spans[j][1] > start]
        +     if around:
        +         own[max(around)] -= end - start
        + return own
    """,
    "group-events": """
        The events of each key first, and then the sums.
        + found = {}
        + for key, event in pairs:
        +     found.setdefault(key, []).append(event)
        + return {
        +     key: Totals(
        +         len(events),
        +         sum(e.end - e.start for e in events),
        +         sum(e.self_time for e in events),
        +         sum(e.flops for e in events),
        +         sum(e.bytes for e in events),
        +     )
        +     for key, events in found.items()
        + }
    """,
    "trace-event": """
        Start and end in microseconds first.
        + start, end = (1_000_000 * (t - origin) for t in (event.start, event.end))
        + found = dict(name=event.name, cat=event.kind, ph="X", ts=start, dur=end - start)
        + dims = []
        + for shape in event.shapes:
        +     if shape is not None:
        +         dims.append([int(n) for n in shape])
        + found.update(pid=pid, tid=tid)
        + found["args"] = {"module": event.module, "flops": event.flops, "Input Dims": dims}
        + return found
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
        + source = np.zeros(nbytes // 4, dtype=np.float32)
        + target = np.zeros_like(source)
        + seconds = measure(lambda: a @ b).minimum
        +
        + def copy():
        +     target[:] = source
        +
        + return Machine(2.0 * n * n * n / seconds, 2 * (nbytes // 4 * 4) / measure(copy).minimum)
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
    """,
    "waiting-share": """
        The iterator by hand, until it is exhausted.
        + iterator, waited = iter(batches), 0.0
        + begin = end = clock()
        + while True:
        +     try:
        +         batch = next(iterator)
        +     except StopIteration:
        +         return waited / (end - begin)
        +     waited += clock() - end
        +     step(batch)
        +     end = clock()
    """,
}
