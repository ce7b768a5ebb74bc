"""Planted mistakes of module 14: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "measure-latency": """
        The warm-up is measured too. (hint 1)
        - for _ in range(warmup):
        -     run()
        ...
        - for _ in range(repeats):
        + for _ in range(warmup + repeats):

        There is no warm-up. (hint 1)
        - for _ in range(warmup):
        -     run()

        All runs are timed together, and each gets the mean. (hint 2)
        - for _ in range(repeats):
        -     start = clock()
        -     run()
        -     times.append(clock() - start)
        + start = clock()
        + for _ in range(repeats):
        +     run()
        + times = [(clock() - start) / repeats] * repeats

        The clock is read once, so every run begins at the first. (hint 2)
        - for _ in range(repeats):
        -     start = clock()
        + start = clock()
        + for _ in range(repeats):

        The mean stands for the median. (hint 3)
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(float(np.mean(times)), p95, third - first, min(times), tuple(times))

        The spread is from the least to the largest. (hint 3)
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(median, p95, max(times) - min(times), min(times), tuple(times))

        The times come back sorted.
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(median, p95, third - first, min(times), tuple(sorted(times)))

        The clock that is handed over is not used.
        - start = clock()
        + start = time.perf_counter()
        ...
        - times.append(clock() - start)
        + times.append(time.perf_counter() - start)
    """,
    "product-flops": """
        A multiplication and an addition count as one.
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return math.prod(out_shape) * x_shape[-1]

        The rows of the left operand are taken for the length of the sums. (hint 2)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape) * x_shape[0]

        The last dimension of the right operand, which is right for a weight only. (hint 2)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape) * y_shape[-1]

        Only the last two dimensions of the output count. (hint 1)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape[-2:]) * x_shape[-1]

        The bias counts, one addition for each number.
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape) * x_shape[-1] + (math.prod(out_shape) if bias_shape else 0)
    """,
    "convolution-flops": """
        The groups are not taken into account: all channels of the images. (hint 2)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * x_shape[1] * math.prod(weight_shape[2:])

        The filters are counted twice. (hint 3)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * math.prod(weight_shape)

        The images' size stands for the output's. (hint 1)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape[:2]) * math.prod(x_shape[2:]) * math.prod(weight_shape[1:])

        The window is taken to be square. (hint 3)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * weight_shape[1] * weight_shape[-1] ** 2

        The channels are forgotten. (hint 2)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * math.prod(weight_shape[2:])
    """,
    "attention-flops": """
        Only the scores are counted.
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(out_shape[:-2]) * T * S * d

        The values are taken to be as long as the keys. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 4 * math.prod(out_shape[:-2]) * T * S * d

        As many keys as queries. (hint 2)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(out_shape[:-2]) * T * T * (d + value_shape[-1])

        The leading dimensions are the query's, which may have been broadcast. (hint 1)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(query_shape[:-2]) * T * S * (d + value_shape[-1])

        The heads are forgotten. (hint 1)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(out_shape[:-3]) * T * S * (d + value_shape[-1])
    """,
    "call-flops": """
        Backward counts as forward does. (hint 3)
        - if call.kind == "backward":
        -     flops *= sum(call.node.needs_input_grad[:2])

        Backward is always twice forward. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= 2

        A bias whose gradient is asked for counts as a third operand. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= sum(call.node.needs_input_grad)

        Forward counts nothing, for it asks for no gradient.
        - if call.kind == "backward":
        -     flops *= sum(call.node.needs_input_grad[:2])
        - return flops
        + return flops * sum(call.node.needs_input_grad[:2]) if call.node else 0

        Forward and backward are counted with backward, three times in all.
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= 1 + sum(call.node.needs_input_grad[:2])
    """,
    "count-flops": """
        The model runs before the watching begins. (hint 2)
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        + model(*inputs)
        + with Watch(lambda call: counts.append(call_flops(call))):
        +     pass

        Only the last call counts. (hint 2)
        - return sum(counts)
        + return counts[-1]

        Only the first input is passed on.
        - model(*inputs)
        + model(*inputs[:1])

        Each operation counts once, however often it runs.
        - counts = []
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        - return sum(counts)
        + counts = {}
        + with Watch(lambda call: counts.update({(call.name, call.shapes): call_flops(call)})):
        +     model(*inputs)
        + return sum(counts.values())

        The watching goes on afterwards.
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        + Watch(lambda call: counts.append(call_flops(call))).__enter__()
        + model(*inputs)

        Only forward is counted.
        - with Watch(lambda call: counts.append(call_flops(call))):
        + with Watch(lambda call: counts.append(call_flops(call) * (call.kind == "forward"))):
    """,
    "self-times": """
        What lies deeper is taken off too, from every event around it. (hint 1)
        - if running:
        -     own[running[-1]] -= end - start
        + for outer in running:
        +     own[outer] -= end - start

        Nothing is taken off. (hint 1)
        - if running:
        -     own[running[-1]] -= end - start

        Only one event is taken off the stack. (hint 2)
        - while running and spans[running[-1]][1] <= start:
        + if running and spans[running[-1]][1] <= start:

        An event that ends when the next one begins still counts as running. (hint 2)
        - while running and spans[running[-1]][1] <= start:
        + while running and spans[running[-1]][1] < start:

        The first event is everyone's caller. (hint 3)
        - own[running[-1]] -= end - start
        + own[running[0]] -= end - start

        The caller's own time is taken off the event.
        - own[running[-1]] -= end - start
        + own[number] -= spans[running[-1]][1] - spans[running[-1]][0]
    """,
    "group-events": """
        The last event of a key replaces those before. (hint 2)
        - group = groups.setdefault(key, Totals())
        + group = groups[key] = Totals()

        All keys share one sum. (hint 2)
        - groups = {}
        + groups, shared = {}, Totals()
        ...
        - group = groups.setdefault(key, Totals())
        + group = groups.setdefault(key, shared)

        Self times are added up as whole times. (hint 3)
        - group.self_time += event.self_time
        + group.self_time += event.time

        Whole times are self times. (hint 3)
        - group.time += event.time
        + group.time += event.self_time

        Bytes are forgotten. (hint 3)
        - group.bytes += event.bytes

        The event's name is taken for the key.
        - group = groups.setdefault(key, Totals())
        + group = groups.setdefault(event.name, Totals())
    """,
    "trace-event": """
        Whole microseconds. (hint 2)
        - "ts": (event.start - origin) * 1e6,
        - "dur": event.time * 1e6,
        + "ts": int((event.start - origin) * 1e6),
        + "dur": int(event.time * 1e6),

        Times are in milliseconds. (hint 2)
        - "ts": (event.start - origin) * 1e6,
        - "dur": event.time * 1e6,
        + "ts": (event.start - origin) * 1e3,
        + "dur": event.time * 1e3,

        The start is counted from anywhere. (hint 1)
        - "ts": (event.start - origin) * 1e6,
        + "ts": event.start * 1e6,

        The end stands for the duration. (hint 2)
        - "dur": event.time * 1e6,
        + "dur": (event.end - origin) * 1e6,

        It is said to be a beginning, which no end follows.
        - "ph": "X",
        + "ph": "B",

        Inputs without a shape are not left out. (hint 3)
        - shapes = [list(shape) for shape in event.shapes if shape is not None]
        + shapes = [list(shape or ()) for shape in event.shapes]

        Empty shapes are left out with those that are None. (hint 3)
        - shapes = [list(shape) for shape in event.shapes if shape is not None]
        + shapes = [list(shape) for shape in event.shapes if shape]

        The process is always number 1.
        - "pid": pid,
        + "pid": 1,
    """,
    "trace-memory": """
        What was there before counts. (hint 2)
        - return Memory(peak - before, live - before)
        + return Memory(peak, live)

        An earlier peak counts. (hint 2)
        - tracemalloc.reset_peak()

        The result is gone when the numbers are read. (hint 2)
        - result = run()  # noqa: F841 (held until the numbers are read)
        + run()

        The tracing always ends. (hint 1)
        - if not was_tracing:
        -     tracemalloc.stop()
        + tracemalloc.stop()

        The tracing goes on if the run fails. (hint 3)
        - try:
        -     gc.collect()
        -     tracemalloc.reset_peak()
        -     before = tracemalloc.get_traced_memory()[0]
        -     result = run()  # noqa: F841 (held until the numbers are read)
        -     live, peak = tracemalloc.get_traced_memory()
        - finally:
        -     if not was_tracing:
        -         tracemalloc.stop()
        + gc.collect()
        + tracemalloc.reset_peak()
        + before = tracemalloc.get_traced_memory()[0]
        + result = run()  # noqa: F841 (held until the numbers are read)
        + live, peak = tracemalloc.get_traced_memory()
        + if not was_tracing:
        +     tracemalloc.stop()

        Peak and live are mixed up.
        - return Memory(peak - before, live - before)
        + return Memory(live - before, peak - before)
    """,
    "measure-machine": """
        Arrays of float64. (hint 1)
        - a = np.ones((n, n), np.float32)
        + a = np.ones((n, n))

        The copy is a new array. (hint 1)
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: source.copy()).minimum

        A copy is counted once. (hint 3)
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(2 * n**3 / computing, source.nbytes / copying)

        A product of matrices has n squared operations. (hint 2)
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(2 * n**2 / computing, 2 * source.nbytes / copying)

        The array has as many numbers as bytes were asked for.
        - product, source = np.empty_like(a), np.ones(nbytes // 4, np.float32)
        + product, source = np.empty_like(a), np.ones(nbytes, np.float32)

        The median stands for the minimum. (hint 2)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, a, out=product)).median

        Seconds over amounts.
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(computing / (2 * n**3), copying / (2 * source.nbytes))
    """,
    "roofline": """
        On the balance it is said to be bound by memory.
        - bound = "memory" if intensity < machine.balance else "compute"
        + bound = "memory" if intensity <= machine.balance else "compute"

        Below the balance it is said to be bound by computing. (hint 3)
        - bound = "memory" if intensity < machine.balance else "compute"
        + bound = "compute" if intensity < machine.balance else "memory"

        The peak is attained whatever the intensity. (hint 3)
        - attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
        + attainable = machine.flops_per_second

        The intensity is turned over.
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = nbytes / flops if flops else math.inf

        Without bytes it divides by zero. (hint 2)
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = flops / nbytes

        Above the balance the slope goes on. (hint 3)
        - attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
        + attainable = max(machine.flops_per_second, intensity * machine.bytes_per_second)
    """,
    "find-nan": """
        Whoever was given a NaN is to blame as well. (hint 3)
        - made_here = returned_bad(call) and not received_bad(call)
        + made_here = returned_bad(call)

        The last one is said. (hint 2)
        - return found[0] if found else None
        + return found[-1] if found else None
        ...
        - if made_here and call.kind != "module" and not found:
        + if made_here and call.kind != "module":

        Only gradients are looked at. (hint 2)
        - if made_here and call.kind != "module" and not found:
        + if made_here and call.kind == "backward" and not found:

        Only forward is looked at.
        - if made_here and call.kind != "module" and not found:
        + if made_here and call.kind == "forward" and not found:

        The call is kept, and not the line about it. (hint 3)
        - found.append(show_call(call))
        + found.append(call)

        Modules are looked at. (hint 2)
        - if made_here and call.kind != "module" and not found:
        + if made_here and not found:

        The call is described after the run. (hint 3)
        - found.append(show_call(call))
        + found.append(call)
        ...
        - return found[0] if found else None
        + return show_call(found[0]) if found else None

        A good run raises an error.
        - return found[0] if found else None
        + return found[0]
    """,
    "waiting-share": """
        What the steps take is the share. (hint 2)
        - return waited / (waited + worked)
        + return worked / (waited + worked)

        Waiting is divided by working.
        - return waited / (waited + worked)
        + return waited / worked

        The first batch does not count. (hint 1)
        - waited = worked = 0.0
        - before = clock()
        - for batch in batches:
        + waited = worked = 0.0
        + before = None
        + for batch in batches:
        ...
        - waited += arrived - before
        + waited += arrived - (arrived if before is None else before)

        The clock is not set again after a step. (hint 3)
        - before = done

        All batches are fetched before the first step. (hint 1)
        - for batch in batches:
        + for batch in list(batches):

        The next waiting begins when the batch arrives, before the step. (hint 3)
        - before = done
        + before = arrived
    """,
}
