"""Planted mistakes of module 14: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "measure-latency": """
        The warm-up is measured too. (hint 1)
        - for _ in range(warmup):
        -     run()
        ...
        - for _ in range(repeats):
        + for _ in range(warmup + repeats):

        The warm-up is missing, or its runs count among the repeats. (hint 1)
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

        The mean is given as the median. (hint 3)
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(float(np.mean(times)), p95, third - first, min(times), tuple(times))

        The spread is taken from the smallest to the largest. (hint 3)
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(median, p95, max(times) - min(times), min(times), tuple(times))

        The times come back sorted.
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(median, p95, third - first, min(times), tuple(sorted(times)))

        Warm-up runs are made although `warmup` is 0. (hint 1)
        - for _ in range(warmup):
        + for _ in range(3):

        The times are a list, not a tuple.
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(median, p95, third - first, min(times), times)

        The clock that is passed in is not used. (hint 2)
        - start = clock()
        + start = time.perf_counter()
        ...
        - times.append(clock() - start)
        + times.append(time.perf_counter() - start)

        The minimum is taken over the warm-up runs, too.
        - for _ in range(warmup):
        -     run()
        - times = []
        - for _ in range(repeats):
        -     start = clock()
        -     run()
        -     times.append(clock() - start)
        + times = []
        + for _ in range(warmup + repeats):
        +     start = clock()
        +     run()
        +     times.append(clock() - start)
        + least, times = min(times), times[warmup:]
        ...
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + return Latency(median, p95, third - first, least, tuple(times))

        Of an even number of times one of the two in the middle is the median, not their mean. (hint 3)
        - return Latency(median, p95, third - first, min(times), tuple(times))
        + middle = sorted(times)[len(times) // 2]
        + return Latency(middle, p95, third - first, min(times), tuple(times))
    """,
    "flop-formulas": """
        In a product of matrices a multiplication and an addition count as one.
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return math.prod(out_shape) * x_shape[-1]

        The rows of the left operand are taken for the length of the sums. (hint 2)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape) * x_shape[0]

        The last dimension of the right operand, which is right for a weight only. (hint 2)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape) * y_shape[-1]

        Of a product's output only the last two dimensions count. (hint 1)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape[-2:]) * x_shape[-1]

        A batch that both operands have is counted twice. (hint 1)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + if bias_shape or len(y_shape) == 2 and y_shape[1] == x_shape[-1] and out_shape[-1] == y_shape[0]:
        +     return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(x_shape[:-1]) * math.prod(y_shape)

        The count is NumPy's integer, not Python's, and can overflow.
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * np.prod(out_shape, dtype=np.int64) * x_shape[-1]

        The count of a convolution is a float.
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2.0 * math.prod(out_shape) * math.prod(weight_shape[1:])

        The count of attention is a float.
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2.0 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])

        Attention has half of its FLOPs: each term is 2, and no mask makes its products smaller. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])

        The bias of a product counts, one addition for each number.
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape) * x_shape[-1] + (math.prod(out_shape) if bias_shape else 0)

        A convolution's groups are not taken into account: all channels of the images. (hint 2)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * x_shape[1] * math.prod(weight_shape[2:])

        The filters of a convolution are counted twice. (hint 2)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * math.prod(weight_shape)

        A convolution's images give the size, not its output. (hint 1)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape[:2]) * math.prod(x_shape[2:]) * math.prod(weight_shape[1:])

        The window of a convolution is taken to be square. (hint 2)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * weight_shape[1] * weight_shape[-1] ** 2

        The channels of a convolution are forgotten. (hint 2)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * math.prod(weight_shape[2:])

        Of attention only the scores are counted. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(out_shape[:-2]) * T * S * d

        A length of attention comes from the wrong shape, or from the wrong place in it. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 4 * math.prod(out_shape[:-2]) * T * S * d

        Attention is taken to have as many keys as queries. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(out_shape[:-2]) * T * T * (d + value_shape[-1])

        Attention's leading dimensions are the query's, which may have been broadcast. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(query_shape[:-2]) * T * S * (d + value_shape[-1])

        The heads of attention, the last of its leading dimensions, are forgotten. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(out_shape[:-3]) * T * S * (d + value_shape[-1])

        Attention's leading dimensions are the key's, which may have been broadcast. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return 2 * math.prod(key_shape[:-2]) * T * S * (d + value_shape[-1])

        A mask halves the work.
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + count = 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + return count // 2 if others and others[0] else count

        The second last dimension of the right operand is asked for, which a vector does not have. (hint 2)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(out_shape) * y_shape[-2]

        The output of a product is taken to have two dimensions. (hint 1)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + B, m = out_shape
        + return 2 * B * m * x_shape[-1]

        In a convolution a multiplication and an addition count as one.
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return math.prod(out_shape) * math.prod(weight_shape[1:])

        Of a convolution's batch only one image counts. (hint 1)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape[1:]) * math.prod(weight_shape[1:])

        The output of attention is taken to have four dimensions. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + B, H, T, e = out_shape
        + return 2 * B * H * T * S * (d + e)

        Of attention's leading dimensions only the last counts. (hint 3)
        - return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
        + heads = out_shape[-3] if len(out_shape) > 2 else 1
        + return 2 * heads * T * S * (d + value_shape[-1])

        The right operand's first dimension is taken for the output's last, which is right for a weight only. (hint 1)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * x_shape[0] * x_shape[-1] * y_shape[0]

        The output's last dimension is taken for the columns of the right operand, but a vector has none. (hint 1)
        - return 2 * math.prod(out_shape) * x_shape[-1]
        + return 2 * math.prod(x_shape) * out_shape[-1]

        A convolution's window is taken to have two dimensions, but that of a sequence has one. (hint 2)
        - return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
        + return 2 * math.prod(out_shape) * weight_shape[1] * weight_shape[-2] * weight_shape[-1]
    """,
    "call-flops": """
        Backward counts as forward does. (hint 3)
        - if call.kind == "backward":
        -     flops *= sum(call.node.needs_input_grad[:2])

        The gradient of the second operand counts even where it is not needed. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= 2

        A bias whose gradient is needed counts as a third operand. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= sum(call.node.needs_input_grad)

        Backward counts at least once, even where neither operand needs a gradient. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= max(1, sum(call.node.needs_input_grad[:2]))

        Attention's values count as a third operand.
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= sum(call.node.needs_input_grad[: 3 if call.name.startswith("Scaled") else 2])

        A convolution's backward counts as forward does.
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= 1 if call.name.startswith("Conv") else sum(call.node.needs_input_grad[:2])

        Forward counts nothing.
        - if call.kind == "backward":
        -     flops *= sum(call.node.needs_input_grad[:2])
        - return flops
        + return flops * sum(call.node.needs_input_grad[:2]) if call.node else 0

        Backward counts forward's FLOPs as well, three times in all.
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= 1 + sum(call.node.needs_input_grad[:2])

        The gradient of the first operand does not count. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= sum(call.node.needs_input_grad[1:])

        The gradient of the second operand does not count. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= sum(call.node.needs_input_grad[:1])

        Each rule is taken to have two inputs, but that of a sum has one. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + need_x, need_y = call.node.needs_input_grad
        + flops *= need_x + need_y

        Each rule is taken to have two inputs, but that of a sum has one. (hint 3)
        - flops *= sum(call.node.needs_input_grad[:2])
        + flops *= call.node.needs_input_grad[0] + call.node.needs_input_grad[1]

        The gradient of a vector that is an operand does not count.
        - flops *= sum(call.node.needs_input_grad[:2])
        + needed = call.node.needs_input_grad
        + flops *= min(2, sum(n for n, shape in zip(needed, call.shapes) if shape is not None and len(shape) > 1))

        Attention's values count as if they were the query or the keys.
        - flops *= sum(call.node.needs_input_grad[:2])
        + last = 3 if call.name.startswith("Scaled") else 2
        + flops *= min(2, sum(call.node.needs_input_grad[:last]))
    """,
    "count-flops": """
        The model runs outside the Watch. (hint 2)
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

        The Watch is still on afterwards.
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        + Watch(lambda call: counts.append(call_flops(call))).__enter__()
        + model(*inputs)

        The calls are kept, and counted after the block, when their arrays are gone. (hint 1)
        - counts = []
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        - return sum(counts)
        + calls = []
        + with Watch(calls.append):
        +     model(*inputs)
        + return sum(call_flops(call) for call in calls)

        The model is called twice, as if it had to be warmed up.
        - counts = []
        + counts = []
        + model(*inputs)

        Another Watch that was on is switched off.
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        + Watch(lambda call: counts.append(call_flops(call))).__enter__()
        + try:
        +     model(*inputs)
        + finally:
        +     sys.setprofile(None)

        The Watch stays on if the model raises an error.
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        + watch = Watch(lambda call: counts.append(call_flops(call))).__enter__()
        + model(*inputs)
        + watch.__exit__()

        The count is a float.
        - return sum(counts)
        + return sum(counts, 0.0)

        Only forward is counted.
        - with Watch(lambda call: counts.append(call_flops(call))):
        + with Watch(lambda call: counts.append(call_flops(call) * (call.kind == "forward"))):

        A total that is assigned inside a function is local to it: the one outside stays 0.
        + total = 0
        +
        + def seen(call):
        +     total = 0
        +     total += call_flops(call)
        +
        + with Watch(seen):
        +     model(*inputs)
        + return total

        What runs outside of modules is not counted, but for the modules, which do nothing themselves.
        - with Watch(lambda call: counts.append(call_flops(call))):
        + with Watch(lambda call: counts.append(call_flops(call) * (call.kind == "module"))):

        What runs inside a module is left out.
        - with Watch(lambda call: counts.append(call_flops(call))):
        + with Watch(lambda call: counts.append(0 if call.module else call_flops(call))):

        The inputs are passed on as one tuple: the star is missing.
        - model(*inputs)
        + model(inputs)

        The model gets other inputs, such as detached ones, not those that were passed.
        - with Watch(lambda call: counts.append(call_flops(call))):
        -     model(*inputs)
        + inputs = [x.detach() if isinstance(x, Tensor) else x for x in inputs]
        + with Watch(lambda call: counts.append(call_flops(call))):
        +     model(*inputs)

        The model runs in evaluation mode, and stays in it.
        - counts = []
        + counts = []
        + if isinstance(model, Module):
        +     model.eval()

        An error of the model is not passed on.
        - model(*inputs)
        + try:
        +     model(*inputs)
        + except Exception:
        +     pass

        flops_by_formula counts a rule like its forward: call_flops is for rules, too. (hint 2)
        - with Watch(lambda call: counts.append(call_flops(call))):
        + with Watch(lambda call: counts.append(flops_by_formula(call))):

        Modules run under no_grad, so a `backward` in them raises an error.
        - with Watch(lambda call: counts.append(call_flops(call))):
        + with no_grad(), Watch(lambda call: counts.append(call_flops(call))):

        Modules run under no_grad, so a `backward` in them raises an error.
        - model(*inputs)
        + if isinstance(model, Module):
        +     with no_grad():
        +         model(*inputs)
        + else:
        +     model(*inputs)

        `backward` is called as well, though only the model is to run.
        - model(*inputs)
        + model(*inputs).sum().backward()
    """,
    "bytes-moved": """
        A view counts as if it were written. (hint 3)
        - written = [results[memory] for memory in results.keys() - read.keys()]
        + written = list(results.values())

        Each array counts with its own bytes, whatever memory it looks into. (hint 2)
        - found[id(memory)] = min(found.get(id(memory), 0) + array.nbytes, memory.nbytes)
        + found[id(memory)] = found.get(id(memory), 0) + array.nbytes

        Of several slices of one array only the last counts. (hint 2)
        - found[id(memory)] = min(found.get(id(memory), 0) + array.nbytes, memory.nbytes)
        + found[id(memory)] = min(array.nbytes, memory.nbytes)

        A slice counts with all of the memory that it is a part of. (hint 2)
        - found[id(memory)] = min(found.get(id(memory), 0) + array.nbytes, memory.nbytes)
        + found[id(memory)] = memory.nbytes

        An array that is given twice is counted twice. (hint 2)
        - for array in {id(a): a for a in values if isinstance(a, np.ndarray)}.values():
        + for array in [a for a in values if isinstance(a, np.ndarray)]:

        What forward saved is counted apart, so an array that is also an input counts twice. (hint 3)
        - read, results = by_owner((*call.inputs, *call.saved)), by_owner(call.result)
        + read, results = by_owner(call.inputs), by_owner(call.result)
        + if new := [results[memory] for memory in results.keys() - read.keys() - by_owner(call.saved).keys()]:
        +     return sum(read.values()) + sum(by_owner(call.saved).values()) + sum(new)

        Only one step is taken from a view to its memory, by `base`. (hint 2)
        - memory = owner(array)
        + memory = array if array.base is None else array.base

        NumPy's numbers count as arrays, because they have `nbytes` too. (hint 1)
        - for array in {id(a): a for a in values if isinstance(a, np.ndarray)}.values():
        -     memory = owner(array)
        + for array in {id(a): a for a in values if hasattr(a, "nbytes")}.values():
        +     memory = owner(array)

        Arrays are told apart as arrays, and not by the memory that they look into. (hint 2)
        - memory = owner(array)
        + memory = array

        What forward saved is not read by the rule. (hint 3)
        - read, results = by_owner((*call.inputs, *call.saved)), by_owner(call.result)
        + read, results = by_owner(call.inputs), by_owner(call.result)

        The results are not written. (hint 3)
        - return sum(read.values()) + sum(written) if written else 0
        + return sum(read.values()) if written else 0

        A call that returns only views reads its inputs. (hint 3)
        - return sum(read.values()) + sum(written) if written else 0
        + return sum(read.values()) + sum(written)

        Numbers are counted, not their bytes.
        - found[id(memory)] = min(found.get(id(memory), 0) + array.nbytes, memory.nbytes)
        + found[id(memory)] = min(found.get(id(memory), 0) + array.size, memory.size)

        Every number is taken to have 4 bytes.
        - found[id(memory)] = min(found.get(id(memory), 0) + array.nbytes, memory.nbytes)
        + found[id(memory)] = min(found.get(id(memory), 0) + 4 * array.size, 4 * memory.size)

        A module counts as if it moved its arrays itself.
        - if call.kind == "module":
        -     return 0

        The bytes are taken from the shapes of inputs and output, so views count as well. (hint 1)
        + if call.kind == "module":
        +     return 0
        + return 4 * sum(math.prod(s) for s in (*call.shapes, call.out_shape) if s is not None)

        Only the first result counts. (hint 3)
        - read, results = by_owner((*call.inputs, *call.saved)), by_owner(call.result)
        + read, results = by_owner((*call.inputs, *call.saved)), by_owner(call.result[:1])

        Inputs and results are added up together, so that a view among the results can count. (hint 3)
        - return sum(read.values()) + sum(written) if written else 0
        + together = by_owner((*call.inputs, *call.saved, *call.result))
        + return sum(together.values()) if written else 0

        Results that look into the same new memory count one by one. (hint 2)
        - return sum(read.values()) + sum(written) if written else 0
        + new = [a for a in call.result if isinstance(a, np.ndarray) and id(owner(a)) not in read]
        + return sum(read.values()) + sum(min(a.nbytes, owner(a).nbytes) for a in new) if new else 0

        A call that returns a view moves nothing, even if it returns new memory, too. (hint 3)
        - return sum(read.values()) + sum(written) if written else 0
        + return sum(read.values()) + sum(written) if len(written) == len(results) else 0

        Inputs and saved arrays of one owner are not added up. (hint 2)
        - read, results = by_owner((*call.inputs, *call.saved)), by_owner(call.result)
        + read, results = by_owner(call.inputs) | by_owner(call.saved), by_owner(call.result)

        `in` compares arrays element by element. (hint 2)
        + if call.kind == "module":
        +     return 0
        + seen, total = [], 0
        + for value in (*call.inputs, *call.saved):
        +     if isinstance(value, np.ndarray) and owner(value) not in seen:
        +         seen.append(owner(value))
        +         total += value.nbytes
        + new = [v for v in call.result if isinstance(v, np.ndarray) and owner(v) not in seen]
        + return total + sum(v.nbytes for v in new) if new else 0

        `base` is followed to what is no array: `owner` stops before that. (hint 2)
        - memory = owner(array)
        + memory = array
        + while memory.base is not None:
        +     memory = memory.base

        A call that reads no array moves nothing, though it writes one.
        - return sum(read.values()) + sum(written) if written else 0
        + return sum(read.values()) + sum(written) if read and written else 0

        An array that is returned twice is counted twice.
        - read, results = by_owner((*call.inputs, *call.saved)), by_owner(call.result)
        + read, results = by_owner((*call.inputs, *call.saved)), {}
        + for array in [a for a in call.result if isinstance(a, np.ndarray)]:
        +     memory = owner(array)
        +     results[id(memory)] = min(results.get(id(memory), 0) + array.nbytes, memory.nbytes)
    """,
    "self-times": """
        An event's time is subtracted from every event around it, not only from its direct caller. (hint 1)
        - if running:
        -     own[running[-1]] -= end - start
        + for outer in running:
        +     own[outer] -= end - start

        Nothing is subtracted. (hint 1)
        - if running:
        -     own[running[-1]] -= end - start

        Only one event is popped from the stack. (hint 2)
        - while running and spans[running[-1]][1] <= start:
        + if running and spans[running[-1]][1] <= start:

        An event that ends when the next one begins still counts as running. (hint 2)
        - while running and spans[running[-1]][1] <= start:
        + while running and spans[running[-1]][1] < start:

        The first event is taken for the caller of all others. (hint 3)
        - own[running[-1]] -= end - start
        + own[running[0]] -= end - start

        The caller's time is subtracted from the event's.
        - own[running[-1]] -= end - start
        + own[number] -= spans[running[-1]][1] - spans[running[-1]][0]

        Of two events of the same times neither is in the other.
        + own = []
        + for start, end in spans:
        +     inside = [(s, e) for s, e in spans if start <= s and e <= end and (s, e) != (start, end)]
        +     direct = [
        +         (s, e)
        +         for s, e in inside
        +         if not any(a <= s and e <= b and (a, b) != (s, e) for a, b in inside)
        +     ]
        +     own.append(end - start - sum(e - s for s, e in direct))
        + return own

        The times are listed in the order in which the events end, not in which they began.
        + own, running = [], []
        + for start, end in spans:
        +     while running and running[-1][0] <= start:
        +         own.append(running.pop()[1])
        +     if running:
        +         running[-1][1] -= end - start
        +     running.append([end, end - start])
        + while running:
        +     own.append(running.pop()[1])
        + return own

        Only the first event inside another one is subtracted, not those after it. (hint 3)
        + own = [end - start for start, end in spans]
        + for number in range(1, len(spans)):
        +     if spans[number][1] <= spans[number - 1][1]:
        +         own[number - 1] -= spans[number][1] - spans[number][0]
        + return own

        Nothing is subtracted from an outermost event that is not the first. (hint 3)
        - running.append(number)
        + if running or number == 0:
        +     running.append(number)
    """,
    "trace-memory": """
        Memory that was in use before counts. (hint 2)
        - return Memory(peak - before, live - before)
        + return Memory(peak, live)

        An earlier peak counts. (hint 2)
        - tracemalloc.reset_peak()

        The result has been freed when the numbers are read. (hint 2)
        - result = run()  # noqa: F841 (held until the numbers are read)
        + run()

        Tracing must be on or off afterwards as it was before. (hint 1)
        - if not was_tracing:
        -     tracemalloc.stop()
        + tracemalloc.stop()

        The tracing stays on if the run raises. (hint 3)
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

        If the run raises, the tracing ends even where it was on before. (hint 1)
        - finally:
        -     if not was_tracing:
        -         tracemalloc.stop()
        + except BaseException:
        +     tracemalloc.stop()
        +     raise
        + if not was_tracing:
        +     tracemalloc.stop()

        The function is called twice, as if it had to be warmed up. (hint 2)
        - gc.collect()
        + run()
        + gc.collect()

        The peak is not that of the run: live is returned for it, or it was reset too late.
        - return Memory(peak - before, live - before)
        + return Memory(live - before, peak - before)

        In `live`, memory that was in use before counts. (hint 2)
        - return Memory(peak - before, live - before)
        + return Memory(peak - before, live)

        The tracing begins anew, and what was traced before is forgotten. (hint 2)
        - tracemalloc.reset_peak()
        + tracemalloc.clear_traces()

        Memory that is given back counts as 0, not as less than 0.
        - return Memory(peak - before, live - before)
        + return Memory(peak - before, max(0, live - before))

        Garbage is collected after the bytes in use were noted, and what that frees counts. (hint 2)
        - gc.collect()
        - tracemalloc.reset_peak()
        - before = tracemalloc.get_traced_memory()[0]
        + tracemalloc.reset_peak()
        + before = tracemalloc.get_traced_memory()[0]
        + gc.collect()

        The peak is reset before old garbage is collected. (hint 2)
        - gc.collect()
        - tracemalloc.reset_peak()
        + tracemalloc.reset_peak()
        + gc.collect()

        `except Exception` does not end the tracing where the run is interrupted. (hint 3)
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
        + try:
        +     result = run()
        + except Exception:
        +     if not was_tracing:
        +         tracemalloc.stop()
        +     raise
        + live, peak = tracemalloc.get_traced_memory()
        + if not was_tracing:
        +     tracemalloc.stop()

        Tracing is ended and begun again, which forgets what was traced before.
        - if not was_tracing:
        -     tracemalloc.stop()
        + tracemalloc.stop()
        + if was_tracing:
        +     tracemalloc.start()

        Garbage that the run leaves is collected before `live` is read. (hint 2)
        - live, peak = tracemalloc.get_traced_memory()
        + peak = tracemalloc.get_traced_memory()[1]
        + gc.collect()
        + live = tracemalloc.get_traced_memory()[0]

        The numbers are read after `stop`, when both are 0. (hint 2)
        -     live, peak = tracemalloc.get_traced_memory()
        - finally:
        -     if not was_tracing:
        -         tracemalloc.stop()
        + finally:
        +     if not was_tracing:
        +         tracemalloc.stop()
        + live, peak = tracemalloc.get_traced_memory()
    """,
    "measure-machine": """
        Arrays of float64. (hint 1)
        - a = np.ones((n, n), np.float32)
        + a = np.ones((n, n))

        The copy is a new array. (hint 1)
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: source.copy()).minimum

        What is timed is not a product of two whole matrices. (hint 1)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.multiply(a, a, out=product)).minimum

        Numbers are multiplied one by one, and the result is thrown away.
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + def work():
        +     a * a
        +
        + computing = measure(work).minimum

        What is timed is not a product of two whole matrices. (hint 1)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, a[0])).minimum

        What is timed is not a product of two whole matrices. (hint 1)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a[:8], a, out=product[:8])).minimum

        What is timed does not copy a whole array into another one. (hint 1)
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: (target := source)).minimum

        What is timed does not copy a whole array into another one. (hint 1)
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: np.copyto(source, source)).minimum

        What is timed does not copy a whole array into another one. (hint 1)
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: np.copyto(target[::2], source[::2])).minimum

        What is timed does not copy a whole array into another one. (hint 1)
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: source.sum()).minimum

        A small array is copied, whatever `nbytes` says.
        - product, source = np.empty_like(a), np.ones(nbytes // 4, np.float32)
        + product, source = np.empty_like(a), np.ones(1000, np.float32)
        ...
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(2 * n**3 / computing, 2 * nbytes / copying)

        What is timed does not copy a whole array into another one. (hint 1)
        - copying = measure(lambda: np.copyto(target, source)).minimum
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + copying = measure(lambda: np.copyto(product, a)).minimum
        + return Machine(2 * n**3 / computing, 2 * nbytes / copying)

        The arrays are made in the function that is timed. (hint 1)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, np.ones((n, n), np.float32))).minimum

        The product and the copy are exchanged.
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: np.copyto(target, source)).minimum
        + computing = measure(lambda: np.matmul(a, a, out=product)).minimum

        The bytes are half of those of the copy: each is read and written. (hint 3)
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(2 * n**3 / computing, source.nbytes / copying)

        A product of matrices has n squared operations. (hint 2)
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(2 * n**2 / computing, 2 * source.nbytes / copying)

        The array has as many numbers as bytes were asked for.
        - product, source = np.empty_like(a), np.ones(nbytes // 4, np.float32)
        + product, source = np.empty_like(a), np.ones(nbytes, np.float32)

        The median is used in place of the minimum. (hint 2)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, a, out=product)).median

        Seconds are divided by amounts.
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(computing / (2 * n**3), copying / (2 * source.nbytes))

        The mean of the times counts, not the least.
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + times = measure(lambda: np.matmul(a, a, out=product)).times
        + computing = sum(times) / len(times)

        The spread is used in place of the minimum. (hint 2)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, a, out=product)).spread

        The function passed as `measure` is not called. (hint 2)
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + computing = measure_latency(lambda: np.matmul(a, a, out=product)).minimum
        + copying = measure_latency(lambda: np.copyto(target, source)).minimum

        The arrays of the copy have not `nbytes` bytes: a number of float32 has 4.
        - product, source = np.empty_like(a), np.ones(nbytes // 4, np.float32)
        + product, source = np.empty_like(a), np.ones(nbytes // 8, np.float32)

        What is copied was not filled with numbers other than 0. (hint 1)
        - product, source = np.empty_like(a), np.ones(nbytes // 4, np.float32)
        + product, source = np.empty_like(a), np.zeros(nbytes // 4, np.float32)

        `measure` is called with more than a function: another `measure` may not take that.
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, a, out=product), repeats=10).minimum

        A matrix is multiplied by its own transpose, of which NumPy computes one half.
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, a.T, out=product)).minimum

        In the product a multiplication and an addition count as one. (hint 2)
        - return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
        + return Machine(n**3 / computing, 2 * source.nbytes / copying)
    """,
    "roofline": """
        The boundary is not the balance, or what is exactly at it is called memory-bound.
        - bound = "memory" if intensity < machine.balance else "compute"
        + bound = "memory" if intensity <= machine.balance else "compute"

        An operation below the balance is called compute-bound. (hint 3)
        - bound = "memory" if intensity < machine.balance else "compute"
        + bound = "compute" if intensity < machine.balance else "memory"

        The peak is attained whatever the intensity. (hint 3)
        - attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
        + attainable = machine.flops_per_second

        There is no ceiling: above the balance the speed keeps rising with the intensity. (hint 3)
        - attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
        + attainable = intensity * machine.bytes_per_second

        The intensity is inverted.
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = nbytes / flops if flops else math.inf

        Neither FLOPs nor bytes are taken for an intensity of 0. (hint 2)
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = flops / nbytes if nbytes else math.inf if flops else 0.0

        Without bytes it divides by zero. (hint 2)
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = flops / nbytes

        The larger of the two speeds is taken for what is attainable. (hint 3)
        - attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
        + attainable = max(machine.flops_per_second, intensity * machine.bytes_per_second)

        The intensity is rounded down to a whole number.
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = flops // nbytes if nbytes else math.inf

        The intensity is rounded.
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = round(flops / nbytes, 2) if nbytes else math.inf

        Intensity and attainable speed stand in each other's place.
        - return Verdict(bound, intensity, attainable)
        + return Verdict(bound, attainable, intensity)

        Without bytes the intensity is 0, not infinite. (hint 2)
        - intensity = flops / nbytes if nbytes else math.inf
        + intensity = flops / nbytes if nbytes else 0.0

        Where memory limits, bytes per second are given for FLOPs per second: the intensity is missing.
        - attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
        + attainable = machine.bytes_per_second if bound == "memory" else machine.flops_per_second
    """,
    "find-nan": """
        A call that received a NaN is blamed as well. (hint 3)
        - made_here = returned_bad(call) and not received_bad(call)
        + made_here = returned_bad(call)

        The last call is returned, not the first. (hint 2)
        - return found[0] if found else None
        + return found[-1] if found else None
        ...
        - if made_here and call.kind != "module" and not found:
        + if made_here and call.kind != "module":

        The calls are kept, and checked after the run, when their arrays are gone. (hint 1)
        + calls = []
        + with Watch(calls.append):
        +     run()
        + for call in calls:
        +     if call.kind != "module" and returned_bad(call) and not received_bad(call):
        +         return show_call(call)
        + return None

        A name that is assigned inside `seen` is local to it: the one outside stays None. (hint 2)
        + found = None
        +
        + def seen(call):
        +     made_here = returned_bad(call) and not received_bad(call)
        +     if made_here and call.kind != "module":
        +         found = show_call(call)
        +
        + with Watch(seen):
        +     run()
        + return found

        What was found is not returned, or a condition is the wrong way round, and nothing is ever kept. (hint 2)
        - return found[0] if found else None

        The search ends at the first bad call, even if that was only given a NaN. (hint 3)
        + found = []
        +
        + def seen(call):
        +     if call.kind != "module" and (received_bad(call) or returned_bad(call)):
        +         found.append(None if received_bad(call) else show_call(call))
        +
        + with Watch(seen):
        +     run()
        + return found[0] if found else None

        Only gradients are checked. (hint 2)
        - if made_here and call.kind != "module" and not found:
        + if made_here and call.kind == "backward" and not found:

        Infinite gradients, or all that rules return, are left out.
        - if made_here and call.kind != "module" and not found:
        + if made_here and call.kind == "forward" and not found:

        The call is kept, and not the line about it. (hint 3)
        - found.append(show_call(call))
        + found.append(call)

        Modules are checked too. (hint 2)
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

        The function runs a second time.
        - with Watch(seen):
        + run()
        + with Watch(seen):

        The run is outside the Watch. (hint 1)
        - with Watch(seen):
        -     run()
        + with Watch(seen):
        +     pass
        + run()

        Only the name of the operation is kept, and not the line about it. (hint 3)
        - found.append(show_call(call))
        + found.append(call.name)

        All lines are returned, and not the first. (hint 2)
        - return found[0] if found else None
        + return found or None

        An infinity that forward has saved is taken for bad: there only a NaN is.
        - made_here = returned_bad(call) and not received_bad(call)
        + finite = all(np.isfinite(a).all() for a in call.saved if isinstance(a, np.ndarray))
        + made_here = finite and returned_bad(call) and not received_bad(call)

        The Watch stays on if the run raises an error.
        - with Watch(seen):
        -     run()
        + watch = Watch(seen).__enter__()
        + run()
        + watch.__exit__()

        An error of the run is not passed on.
        - run()
        + try:
        +     run()
        + except Exception:
        +     pass

        An infinite gradient that a rule is given is not taken for bad. (hint 1)
        - made_here = returned_bad(call) and not received_bad(call)
        + given = [a for a in (*call.inputs, *call.saved) if isinstance(a, np.ndarray)]
        + had = any(np.isnan(a).any() for a in given if a.dtype.kind == "f")
        + made_here = returned_bad(call) and not had
    """,
    "waiting-share": """
        The share of the steps is returned, not that of the waiting. (hint 2)
        - return waited / (waited + worked)
        + return worked / (waited + worked)

        Waiting is divided by work, not by the sum of both.
        - return waited / (waited + worked)
        + return waited / worked

        The wait for the first batch does not count. (hint 1)
        - waited = worked = 0.0
        - before = clock()
        - for batch in batches:
        + waited = worked = 0.0
        + before = None
        + for batch in batches:
        ...
        - waited += arrived - before
        + waited += arrived - (arrived if before is None else before)

        Waiting is not measured: the clock is read only when the batch is there already. (hint 1)
        - before = clock()
        - for batch in batches:
        + for batch in batches:
        +     before = clock()

        The next batch is fetched before the step, so one is always ahead. (hint 1)
        - for batch in batches:
        + def ahead():
        +     iterator = iter(batches)
        +     batch = next(iterator)
        +     for following in iterator:
        +         yield batch
        +         batch = following
        +     yield batch
        +
        + for batch in ahead():

        Each wait is counted from the loop's beginning, not from the end of the step before. (hint 3)
        - before = done

        All batches are fetched before the first step. (hint 1)
        - for batch in batches:
        + for batch in list(batches):

        The next wait begins when the batch arrives, before the step. (hint 3)
        - before = done
        + before = arrived

        The clock starts only when the loop has been prepared.
        - before = clock()
        - for batch in batches:
        + iterator = iter(batches)
        + before = clock()
        + for batch in iterator:

        The clock is not read right before and right after the step, so no work is measured. (hint 1)
        - arrived = clock()
        - step(batch)
        - done = clock()
        + arrived = clock()
        + done = clock()
        + step(batch)

        Some of the readings are not by the clock that is passed in.
        - before = clock()
        + before = time.perf_counter()

        The clock that is passed in is not used.
        - waited = worked = 0.0
        + waited, worked, clock = 0.0, 0.0, time.perf_counter

        A batch that is None ends the loop.
        - for batch in batches:
        + iterator = iter(batches)
        + while (batch := next(iterator, None)) is not None:

        The share is rounded.
        - return waited / (waited + worked)
        + return round(waited / (waited + worked), 2)

        The time in which `batches` ends counts as work, not as waiting.
        - waited = worked = 0.0
        - before = clock()
        + waited = 0.0
        + begin = before = clock()
        ...
        - worked += done - arrived
        ...
        - return waited / (waited + worked)
        + return waited / (clock() - begin)

        The step runs under no_grad, so that it cannot train.
        - step(batch)
        + with no_grad():
        +     step(batch)

        The batches are gone through twice, and a generator gives them once.
        - for batch in batches:
        -     arrived = clock()
        -     step(batch)
        -     done = clock()
        -     waited += arrived - before
        -     worked += done - arrived
        -     before = done
        + for batch in batches:
        +     waited = clock() - before
        + before = clock()
        + for batch in batches:
        +     step(batch)
        + worked = clock() - before - waited

        A batch that is falsy, such as 0, ends the loop.
        - for batch in batches:
        + iterator = iter(batches)
        + while batch := next(iterator, None):

        The mean of the batches' shares is returned: wanted is one share, of the sums. (hint 2)
        - waited += arrived - before
        - worked += done - arrived
        + waited += (arrived - before) / (done - before)
        + worked += (done - arrived) / (done - before)
    """,
    "mend-tuning": """
        The division by zero is still there: a vector of zeros becomes NaN. (hint 1)
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / (x * x).sum(dim=-1, keepdim=True).sqrt()

        The root is still taken of 0, where its slope is infinite: only the division is protected. (hint 1)
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum(dim=-1, keepdim=True).sqrt() + 1e-6)

        The root is limited after it was taken, and the gradient still passes through its slope at 0. (hint 1)
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / (x * x).sum(dim=-1, keepdim=True).sqrt().clamp(min=1e-6)

        NaN is replaced after it was made: the gradient meets the same root. (hint 1)
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + length = (x * x).sum(dim=-1, keepdim=True).sqrt()
        + return (x / length).masked_fill(length == 0, 0.0)

        So much is added under the root that short vectors do not get length 1.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-2).sqrt()

        Vectors are divided by the square of their length.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12)

        The table is still computed at every call. (hint 2)
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        - self.register_buffer("table", table)
        + self.most, self.width = most, width
        ...
        - return x + self.table[: x.shape[-2]]
        + rates = (arange(0, self.width, 2) * (-math.log(10_000) / self.width)).exp()
        + angles = arange(self.most).unsqueeze(1) * rates
        + table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        + return x + table[: x.shape[-2]]

        Each call still computes its rows, if only those that it needs. (hint 2)
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        - self.register_buffer("table", table)
        + self.width = width
        ...
        - return x + self.table[: x.shape[-2]]
        + rates = (arange(0, self.width, 2) * (-math.log(10_000) / self.width)).exp()
        + angles = arange(x.shape[-2]).unsqueeze(1) * rates
        + return x + stack([angles.sin(), angles.cos()], dim=-1).flatten(1)

        NumPy computes the table at every call, where a Watch does not see it. (hint 2)
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        - self.register_buffer("table", table)
        + self.most, self.width = most, width
        ...
        - return x + self.table[: x.shape[-2]]
        + angles = np.arange(self.most)[:, None] / 10_000 ** (np.arange(0, self.width, 2) / self.width)
        + table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(self.most, -1)
        + return x + Tensor(table[: x.shape[-2]].astype(np.float32))

        The table is made for the first sequence, and is too short for a longer one. (hint 2)
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        - self.register_buffer("table", table)
        + self.width, self.table = width, None
        ...
        - return x + self.table[: x.shape[-2]]
        + if self.table is None:
        +     rates = (arange(0, self.width, 2) * (-math.log(10_000) / self.width)).exp()
        +     angles = arange(x.shape[-2]).unsqueeze(1) * rates
        +     self.table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        + return x + self.table[: x.shape[-2]]

        The table is a frozen parameter, not a buffer. (hint 2)
        - self.register_buffer("table", table)
        + from tinytorch.layers import Parameter
        + self.table = Parameter(table, requires_grad=False)

        The table is a parameter, and would be trained. (hint 2)
        - self.register_buffer("table", table)
        + from tinytorch.layers import Parameter
        + self.table = Parameter(table)

        The sines come first, and then the cosines, not in turn.
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        + table = stack([angles.sin(), angles.cos()], dim=1).flatten(1)

        The whole table is copied before its rows are taken. (hint 2)
        - return x + self.table[: x.shape[-2]]
        + return x + (self.table * 1.0)[: x.shape[-2]]

        Gradients are still computed for the encoder. (hint 3)
        - with no_grad():
        -     features = encoder(sequences)
        + features = encoder(sequences)

        The encoder gets no gradients in the end, but they are computed. (hint 3)
        - with no_grad():
        -     features = encoder(sequences)
        + features = encoder(sequences)
        ...
        - optimizer.step()
        - losses.append(loss.item())
        + optimizer.step()
        + for parameter in encoder.parameters():
        +     parameter.grad = None
        + losses.append(loss.item())

        The encoder runs twice for each batch. (hint 3)
        - features = encoder(sequences)
        + features = encoder(sequences) * 0 + encoder(sequences)

        The gradients are not cleared between two batches.
        - optimizer.zero_grad()

        The gradients are cleared only after the step, and those from before the call count in the first one.
        - optimizer.zero_grad()
        - loss.backward()
        - optimizer.step()
        + loss.backward()
        + optimizer.step()
        + optimizer.zero_grad()

        The encoder is left in the mode for evaluation.
        - losses = []
        + losses = []
        + encoder.eval()

        Large batches count more than small ones in the mean.
        - losses.append(loss.item())
        + losses += [loss.item()] * len(labels)

        Nothing is learned: `backward` or `step` is missing, or the gradients are cleared between the two.
        - optimizer.zero_grad()
        - loss.backward()
        + loss.backward()
        + optimizer.zero_grad()

        The loss of the last batch is returned, not the mean.
        - return float(np.mean(losses))
        + return losses[-1]

        The loss is returned as a tensor.
        - losses.append(loss.item())
        + losses.append(loss.detach())
        ...
        - return float(np.mean(losses))
        + return sum(losses) / len(losses)

        The scores of the last position count, not the mean of all.
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        + loss = cross_entropy(head(features)[:, -1], labels)

        The encoder runs in evaluation mode, whatever its own is.
        - losses = []
        + losses, mode = [], encoder.training
        + encoder.eval()
        ...
        - return float(np.mean(losses))
        + encoder.train(mode)
        + return float(np.mean(losses))

        No gradient passes the positions.
        - return x + self.table[: x.shape[-2]]
        + return x.detach() + self.table[: x.shape[-2]]

        T is taken from the second dimension, and not from the last but one.
        - return x + self.table[: x.shape[-2]]
        + return x + self.table[: x.shape[1]]

        Positions are counted from 1.
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        + angles = arange(1, most + 1).unsqueeze(1) * rates

        The cosine comes first, and then the sine.
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        + table = stack([angles.cos(), angles.sin()], dim=-1).flatten(1)

        The exponent is i / C, and not 2i / C.
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        + rates = (arange(width // 2) * (-math.log(10_000) / width)).exp()

        The table is computed anew when a longer sequence comes. (hint 2)
        - rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        - angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        - table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        - self.register_buffer("table", table)
        + self.width, self.table = width, None
        ...
        - return x + self.table[: x.shape[-2]]
        + if self.table is None or len(self.table) < x.shape[-2]:
        +     rates = (arange(0, self.width, 2) * (-math.log(10_000) / self.width)).exp()
        +     angles = arange(x.shape[-2]).unsqueeze(1) * rates
        +     self.table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        + return x + self.table[: x.shape[-2]]

        All vectors are divided by the length of the whole array.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum() + 1e-12).sqrt()

        The sum goes over the wrong dimension: vectors lie along the last.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum(dim=1, keepdim=True) + 1e-12).sqrt()

        The sum of the absolute values is taken for the length.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / (x.abs().sum(dim=-1, keepdim=True) + 1e-12)

        The encoder's parameters ask for gradients afterwards, although they were frozen before.
        - losses.append(loss.item())
        + losses.append(loss.item())
        + encoder.requires_grad_(True)

        Batches are asked for by their numbers, which a DataLoader does not know.
        - for sequences, labels in batches:
        + for number in range(len(batches)):
        +     sequences, labels = batches[number]

        The batches are gone through twice, and a DataLoader may shuffle them in between.
        - losses = []
        - for sequences, labels in batches:
        -     with no_grad():
        -         features = encoder(sequences)
        + losses = []
        + with no_grad():
        +     found = [encoder(sequences) for sequences, _ in batches]
        + for features, (_, labels) in zip(found, batches):

        The head is put into training mode.
        - losses = []
        + losses = []
        + head.train()

        A part of the encoder that was frozen is not frozen any more.
        - losses = []
        + learns = any(p.requires_grad for p in encoder.parameters())
        + losses = []
        ...
        - return float(np.mean(losses))
        + encoder.requires_grad_(learns)
        + return float(np.mean(losses))

        squeeze() removes the dimension of the batch as well, where there is one sequence.
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        + loss = cross_entropy(head(features).mean(dim=1, keepdim=True).squeeze(), labels)

        The head gets the mean of the features, not the features. (hint 3)
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        + loss = cross_entropy(head(features.mean(dim=1, keepdim=True)).mean(dim=1), labels)

        So little is added under the root that the slope at a vector of zeros overflows float32.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x * ((x * x).sum(dim=-1, keepdim=True) + 1e-30).rsqrt()

        So much is added under the root that short vectors do not get length 1.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-3).sqrt()

        So much is added under the root that short vectors do not get length 1.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-4).sqrt()

        The length counts as a constant: no gradient passes through it.
        - return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        + return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt().detach()

        Vectors of zeros are left out of the mean over T.
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        + real = (sequences.abs().sum(dim=-1) > 0).float().unsqueeze(-1)
        + loss = cross_entropy((head(features) * real).sum(dim=1) / real.sum(dim=1), labels)

        The scores are summed over T: their mean counts.
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        + loss = cross_entropy(head(features).sum(dim=1), labels)

        The head gets all vectors of a batch as one array (B * T, C), as if they were one sequence.
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        + scores = head(features.flatten(0, 1)).reshape(*features.shape[:2], -1)
        + loss = cross_entropy(scores.mean(dim=1), labels)

        The encoder is called for each sequence by itself. (hint 3)
        - features = encoder(sequences)
        + features = stack([encoder(sequence) for sequence in sequences])

        The head is called for each sequence by itself.
        - loss = cross_entropy(head(features).mean(dim=1), labels)
        + scores = stack([head(f) for f in features])
        + loss = cross_entropy(scores.mean(dim=1), labels)
    """,
}
