"""Probes of module 14."""

import tinytorch
from tinytorch.tensor import Exp, wrap


def learning(rng, *shape):
    return wrap(rng.normal(size=shape).astype(np.float32)).requires_grad_(
        bool(rng.integers(2))
    )


def sizes(rng, count):
    return tuple(rng.integers(1, 9, size=count).tolist())


class Clock:
    """A clock that stands still, but where it is moved."""

    now = 100.0

    def __call__(self):
        return self.now

    def moved(self, seconds):
        self.now += float(seconds)


def some_model(rng):
    """A model with products, and its input."""
    N, size, hidden, out = sizes(rng, 4)
    if rng.integers(2):
        model = tinytorch.nn.Sequential(tinytorch.nn.Linear(size, hidden), tinytorch.nn.ReLU())
        return tinytorch.nn.Sequential(
            model, tinytorch.nn.Linear(hidden, out), model[1]
        ), learning(rng, N, 2, size)
    kernel = tuple(rng.integers(1, 4, size=2).tolist())
    return tinytorch.nn.Conv2d(2 * size, 2 * out, kernel, groups=2), learning(
        rng, N, 2 * size, 5, 6
    )


@probe("measure-latency")
def runs_of_a_clock_that_is_moved(rng):
    found = []
    for warmup, repeats in [(0, 1), (2, 4), rng.integers(1, 12, size=2).tolist()]:
        clock, took, calls = Clock(), rng.exponential(size=warmup + repeats), iter(range(100))
        latency = measure_latency(
            lambda: clock.moved(took[next(calls)]), warmup, repeats, clock
        )
        told = [latency.median, latency.p95, latency.spread, latency.minimum, *latency.times]
        found += [[float(seconds) for seconds in told], next(calls)]
    return found


@probe("flop-formulas")
def products_of_many_shapes(rng):
    a, b, c, d, e = sizes(rng, 5)
    cases = [((a, b), (b, c), None, (a, c)), ((d, a, b), (e, 1, b, c), None, (e, d, a, c))]
    cases += [
        ((a, b), (b,), None, (a,)),
        ((b,), (b,), None, ()),
        ((d, e, b), (c, b), (c,), (d, e, c)),
    ]
    return [product_flops(x, y, bias, out_shape=out) for x, y, bias, out in cases]


@probe("flop-formulas")
def convolutions_of_many_shapes(rng):
    N, C, units, groups, h, w, kh, kw = sizes(rng, 8)
    image, filters = (N, groups * C, h + 9, w + 9), (groups * units, C, kh, kw)
    found = [
        convolution_flops(image, filters, bias, out_shape=(N, groups * units, h, w))
        for bias in (None, (groups * units,))
    ]
    return [
        *found,
        convolution_flops(image[:3], filters[:3], out_shape=(N, groups * units, h)),
    ]


@probe("flop-formulas")
def attention_of_many_shapes(rng):
    T, S, d, e, B, H = sizes(rng, 6)
    found = []
    for lead, others in [((), ()), ((B, H), ()), ((B, H), ((T, S), None))]:
        shapes = [(*lead, T, d), (*lead[:1], 1, S, d) if lead else (S, d), (*lead, S, e)]
        found.append(attention_flops(*shapes, *others, out_shape=(*lead, T, e)))
    return [*found, attention_flops((1, T, d), (B, S, d), (B, S, e), out_shape=(B, T, e))]


@probe("call-flops")
def calls_that_are_watched(rng):
    counts, (a, b, c) = [], sizes(rng, 3)
    x, weight, bias = (learning(rng, *shape) for shape in [(a, b), (c, b), (c,)])
    model, images = some_model(rng)
    with Watch(lambda call: counts.append([call.kind, call_flops(call)])):
        y = tinytorch.nn.functional.linear(x, weight, bias).exp()
        if y.requires_grad:
            y.sum().backward()
        model(images).sum().backward()
    return counts


@probe("count-flops")
def products_of_models(rng):
    found = []
    for _ in range(3):
        model, x = some_model(rng)
        found += [count_flops(model, x), count_flops(lambda x: model(x).sum().backward(), x)]
        found.append(count_flops(lambda x: [model(x) for _ in range(3)], x))
    left = learning(rng, 3, *sizes(rng, 1))
    right = learning(rng, left.shape[1], *sizes(rng, 1))
    return [
        *found,
        count_flops(lambda a, b: a @ b @ b.transpose(0, 1), left, right),
        sys.getprofile() is None,
    ]


def some_arrays(rng, memory):
    """Arrays that look into these, whole, in part, turned or repeated, and what is no array."""
    found = []
    for _ in range(rng.integers(1, 5)):
        array = memory[rng.integers(len(memory))]
        found += [
            array,
            array[: rng.integers(1, 4)],
            array.T,
            np.broadcast_to(array[:, None], (array.shape[0], 3, array.shape[1])),
            None,
            float(rng.normal()),
        ]
    chosen = [found[i] for i in rng.integers(len(found), size=rng.integers(1, 5))]
    return (*chosen, *chosen[: rng.integers(2)])


@probe("bytes-moved")
def bytes_of_planted_calls(rng):
    found, kinds = [], [np.float16, np.float32, np.float64, np.int64, np.bool_]
    for _ in range(30):
        memory = [np.zeros(sizes(rng, 2), kind) for kind in rng.choice(kinds, size=4)]
        kind = ["forward", "backward", "module"][rng.choice(3, p=[0.45, 0.45, 0.1])]
        call = Call(kind, "Exp", "", Exp, some_arrays(rng, memory[:2]))
        call.saved = some_arrays(rng, memory[1:3]) if kind == "backward" else ()
        call.result = some_arrays(rng, memory[rng.integers(4) :])
        found.append(int(bytes_moved(call)))
    return found


@probe("bytes-moved")
def bytes_of_watched_calls(rng):
    found, (model, x) = [], some_model(rng)
    with Watch(lambda call: found.append([call.name, int(bytes_moved(call))])):
        y = model(x)
        (y * y + y.transpose(0, 1).transpose(0, 1)).sum().backward()
        x.expand(2, *x.shape)
    return found


@probe("self-times")
def nested_events(rng):
    spans = []

    def fill(start, end, depth):
        while end - start > 1 and len(spans) < 40:
            first = start + int(rng.integers(3)) * int(rng.integers(2))
            last = min(end, first + int(rng.integers(1, 30)))
            if first >= last:
                return
            spans.append((first, last))
            if depth:
                fill(first, last, depth - 1)
            start = last

    fill(0, int(rng.integers(2, 120)), 4)
    return [
        self_times(spans),
        self_times([(s / 8, e / 8) for s, e in spans[:1]]),
        self_times([]),
    ]


def takes(kept, passing):
    """Take some megabytes, and more for a moment."""
    block = np.empty(kept * 250_000, np.float32)
    np.empty(passing * 250_000, np.float32)
    return block


def megabytes(rng):
    memory = trace_memory(lambda: takes(*sizes(rng, 2)))
    return [round(memory.peak / 1e6), round(memory.live / 1e6), tracemalloc.is_tracing()]


@probe("trace-memory")
def memory_beyond_what_is_there(rng):
    tracemalloc.start()
    try:
        before = takes(int(rng.integers(1, 9)), 20)
        return [before.nbytes, megabytes(rng)]
    finally:
        tracemalloc.stop()


@probe("trace-memory")
def memory_of_some_arrays(rng):
    found = megabytes(rng)
    try:
        trace_memory(lambda: 1 / 0)
    except ZeroDivisionError:
        return [found, tracemalloc.is_tracing()]


@probe("measure-machine")
def speeds_of_a_given_time(rng):
    found, done = [], []
    for n in [*sizes(rng, 1), int(rng.integers(100, 130))]:
        seconds, nbytes = float(rng.uniform(0.5, 2)), 4 * int(rng.integers(10_000, 20_000))

        def measure(run):
            there, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            run()
            new = tracemalloc.get_traced_memory()[1] - there
            enough = len(done) % 2 * 2 * nbytes <= there < 40 * n * n + 4 * nbytes + 60_000
            done.append([new < 4.5 * n * n + 9000, enough])
            return Latency(2 * seconds, 3 * seconds, 0.1, seconds, (seconds, 3 * seconds))

        tracemalloc.start()
        try:
            machine = measure_machine(n, nbytes, measure)
        finally:
            tracemalloc.stop()
        found += [float(machine.flops_per_second), float(machine.bytes_per_second)]
    return [found, done]


@probe("roofline")
def operations_on_machines(rng):
    found = []
    for _ in range(4):
        peak, bandwidth, nbytes = (float(2 ** rng.integers(1, 20)) for _ in range(3))
        machine = Machine(peak, bandwidth)
        for flops, moved in [
            (int(rng.integers(1 << 20)), nbytes),
            (0, nbytes),
            (5, 0),
            (nbytes * machine.balance, nbytes),
        ]:
            verdict = roofline(flops, moved, machine)
            found.append([verdict.bound, float(verdict.intensity), float(verdict.attainable)])
    return found


class Step(Module):
    """Some operations after each other, one of which may make what is no number."""

    def __init__(self, layer, kinds):
        super().__init__()
        self.layer, self.kinds = layer, kinds

    def forward(self, x):
        for kind in self.kinds:
            y = self.layer(x).tanh()
            if kind == "log":
                y = (y - 2).log()
            elif kind == "sqrt":
                y = (y * 0).sqrt() + y
            x = y * math.inf if kind == "inf" else y
        return x


class Gives(Module):
    """Gives what no operation has made."""

    def forward(self, x):
        return wrap(np.full(x.shape, np.nan, np.float32))


@probe("find-nan")
def the_first_that_is_no_number(rng):
    size, found = int(rng.integers(1, 5)), []
    for _ in range(4):
        kinds = rng.choice(
            ["good", "log", "sqrt", "inf"], size=rng.integers(1, 4), p=[0.4, 0.2, 0.3, 0.1]
        ).tolist()
        model = tinytorch.nn.Sequential(Step(tinytorch.nn.Linear(size, size), kinds))
        x = learning(rng, int(rng.integers(1, 4)), size)
        found += [find_nan(lambda: model(x)), find_nan(lambda: model(x).sum().backward())]
    bad = wrap(np.full((2, size), np.nan, np.float32))
    return [
        found,
        find_nan(lambda: bad.exp()),
        find_nan(lambda: x.tanh()),
        find_nan(lambda: Gives()(x)),
    ]


@probe("waiting-share")
def waiting_by_a_clock_that_is_moved(rng):
    found = []
    for count in [1, *sizes(rng, 2)]:
        clock, waits, works = Clock(), rng.exponential(size=count), rng.exponential(size=count)

        def batches():
            for i in range(count):
                clock.moved(waits[i])
                yield i

        found.append(
            waiting_share(batches(), lambda i: clock.moved(works[i] * (clock.now - 99)), clock)
        )
    return found


@probe("mend-tuning")
def vectors_of_length_one(rng):
    x = rng.normal(size=(2, *sizes(rng, 1), int(rng.integers(2, 9)))).astype(np.float32)
    x[0] = 0
    grad = wrap(rng.normal(size=x.shape).astype(np.float32))
    leaf = wrap(x).requires_grad_()
    y = UnitLength()(leaf)
    y.backward(grad)
    units, slopes = y.detach().numpy(), leaf.grad.numpy()
    large = np.linalg.norm(x, axis=-1) >= 0.1
    return [
        units[large].round(2) + 0.0,
        units[0],
        bool(np.isfinite(slopes).all()),
        str(y.dtype),
    ]


@probe("mend-tuning")
def positions_of_sequences(rng):
    T, half, B = sizes(rng, 3)
    most, width = T + int(rng.integers(900)), 2 * half
    layer, x = Positions(most, width), learning(rng, B, T, width)
    found = [layer(x).detach().numpy().round(2) + 0.0 for _ in range(2)]
    written = []
    with Watch(lambda call: written.append(sum(a.size for a in call.result if a is not None))):
        layer(x)
    return [found, max(written) <= x.numel(), len(list(layer.parameters()))]


@probe("mend-tuning")
def heads_that_are_tuned(rng):
    T, features, classes = sizes(rng, 3)
    tinytorch.manual_seed(int(rng.integers(1000)))
    encoder = tinytorch.nn.Sequential(tinytorch.nn.Linear(5, features), tinytorch.nn.Tanh())
    head = tinytorch.nn.Linear(features, classes)
    optimizer = tinytorch.optim.SGD(head.parameters(), lr=0.3)
    batches = []
    for B in sizes(rng, int(rng.integers(1, 4))):
        x = wrap(rng.normal(size=(B, T, 5)).astype(np.float32))
        batches.append((x, wrap(rng.integers(classes, size=B))))
    encoder.train(bool(rng.integers(2)))
    if rng.integers(2):
        head(learning(rng, 2, features)).sum().backward()
    backward, losses = [], []

    def seen(call):
        if call.kind == "backward":
            backward.append(call.name)

    with Watch(seen):
        losses.append(tune(encoder, head, batches, optimizer))
    losses.append(tune(encoder, head, batches, optimizer))
    kept = [p.grad is None for p in encoder.parameters()]
    return [
        losses,
        head.weight.detach().numpy(),
        kept,
        backward.count("TanhBackward"),
        encoder.training,
    ]
