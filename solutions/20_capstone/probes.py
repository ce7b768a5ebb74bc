"""Probes of module 20."""


def numbers(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def sizes(rng, count):
    return rng.integers(1, 6, size=count).tolist()


def filled(rng, module):
    """The module with other parameters, in whichever order it has made them."""
    for _, parameter in sorted(module.named_parameters()):
        parameter.detach().array[...] = 0.5 * numbers(rng, *parameter.shape)
    return module


@probe("fresh-inputs")
def images_moved(rng):
    found = []
    theirs = np.random.default_rng(int(rng.integers(1000)))  # they may draw in any order
    for dtype in [np.float32, np.float64]:
        N, C, H, W = sizes(rng, 4)
        images, shift = rng.normal(size=(N, C, H, W)).astype(dtype), int(rng.integers(1, 4))
        before = images.copy()
        still, order = fresh_images(images, theirs, 0, 0.0)
        found += [still[np.argsort(order)], np.sort(order)]
        framed = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        moved, order = fresh_images(framed, theirs, shift, 0.0)
        found += [
            moved[np.argsort(order)].sum(axis=(2, 3)),
            moved.shape,
            np.array_equal(images, before),
        ]
    return found


@probe("fresh-inputs")
def how_far_and_how_noisy(rng):
    shift, noise, size = (
        int(rng.integers(1, 3)),
        float(rng.uniform(0.1, 2)),
        int(rng.integers(6, 9)),
    )
    bright = float(rng.uniform(1, 9))
    points = np.zeros((1000, 1, size, size), np.float32)
    points[:, :, 3, 2] = bright
    moved, order = fresh_images(points, rng, shift, 0.0)
    places = sorted(np.unique(np.argwhere(moved[:, 0] > 0.5)[:, 1:], axis=0).tolist())
    noisy, again = fresh_images(0 * points, rng, shift, noise)
    left, _ = fresh_images(np.ones((1000, 1, size, size), np.float32), rng, shift, 0.0)
    drawn = abs(noisy.std() / noise - 1) < 0.1 and abs(noisy.mean()) < 0.1 * noise
    return [
        places,
        moved.max(),
        sorted(set(left.sum(axis=(1, 2, 3)).tolist())),
        bool(drawn),
        bool(np.abs(np.diff(order)).max() > 1),
        np.array_equal(order, again),
        noisy.dtype.str,
    ]


@probe("marks")
def marks_of_logits(rng):
    found = []
    for N, classes in [(1, 2), (0, 3), (40, 3), sizes(rng, 2)]:
        for scale in [1, 500]:
            logits, labels = scale * numbers(rng, N, classes), rng.integers(classes, size=N)
            before = logits.copy()
            found += [mark_images(logits, labels), mark_text(logits, labels)]
            found.append(np.array_equal(logits, before))
    return found


@probe("paired-interval")
def ratios_of_marks(rng):
    N, found = int(rng.integers(20, 60)), []
    baseline, noise = rng.uniform(1, 2, size=N), rng.uniform(1, 2, size=N)
    factor, power = float(rng.uniform(0.5, 3)), lambda marks: marks.mean(axis=-1) ** 2
    same = paired_interval(baseline, factor * baseline, power, 50)
    found += map(float, (same.ratio, same.low, same.high))
    for confidence in [0.95, float(rng.uniform(0.5, 0.8))]:
        score = paired_interval(
            baseline, noise, power, 2000, confidence, seed=int(rng.integers(99))
        )
        rows = rng.integers(N, size=(4000, N))
        ratios = power(noise[rows]) / power(baseline[rows])
        wanted = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        close = np.abs(np.subtract((score.low, score.high), wanted)).max() < 0.4 * ratios.std()
        found += [float(score.ratio), bool(close)]
    one, two, other = (
        paired_interval(baseline, noise, power, 30, seed=seed) for seed in (5, 5, 6)
    )
    return [*found, bool(one == two), bool(one == other)]


@probe("verdict")
def scores_together(rng):
    found = []
    for count, scale in zip([1, *sizes(rng, 2), 8], [1, 1, 1, 1e100]):
        score = all_round(
            [Score(*(scale * rng.lognormal(size=3)).tolist()) for _ in range(count)]
        )
        found += map(float, (score.ratio, score.low, score.high))
    return found


@probe("verdict")
def verdicts_on_entries(rng):
    found = []
    for _ in range(40):
        low, ratio, high = np.sort(rng.lognormal(sigma=0.3, size=3)).tolist()
        accuracy, floor = rng.uniform(0.5, 1, size=2).tolist()
        found.append(
            decide(
                Score(ratio, low, high),
                max(accuracy, floor),
                floor,
                float(rng.uniform(0, 0.4)),
            )
        )
        found.append(decide(Score(ratio, low, high), accuracy, floor, 0.1))
    found.append(decide(Score(0.6, 0.5, float(rng.uniform(0.52, 0.65))), 1.0, 0.5, 0.5))
    exact = Score(2.0, 1.5, 3.0), Score(0.5, 0.2, 0.5)
    return [*found, decide(exact[0], 0.5, 0.5, 0.5), decide(exact[1], 0.5, 0.5, 1.0)]


@probe("leaderboard")
def entries_in_order(rng):
    found = []
    for kind in ["latency", "memory"]:
        event, records = Event(kind, "digits"), []
        lows = {name: rng.permutation(16) / 4 for name in ("latency", "memory")}  # none twice
        for number in range(rng.integers(1, 16)):
            scores = {}
            for name in lows:
                low, width = float(lows[name][number]), int(rng.integers(1, 8)) / 4
                scores[name] = (low + width * rng.random(), low, low + width)
            record = {
                "event": str(event),
                "verdict": "wins",
                "number": number,
                "digest": f"{rng.integers(8)}",
                "scores": scores,
            }
            if rng.random() < 0.2:
                record["verdict"] = "no difference shown"
            if rng.random() < 0.2:
                record |= {"verdict": "refused"}
                if rng.integers(2):
                    del record["scores"]
            elif rng.random() < 0.2:
                record["event"] = str(Event(kind, "text"))
            records.append(record)
        found.append(
            [[place, record["number"]] for place, record in leaderboard(records, event)]
        )
    return [found, leaderboard([], event), len(records)]


@probe("as-matrix")
def convolutions_as_matrices(rng):
    found = []
    for bias in [True, False]:
        groups, C, units, size = rng.integers(1, 4, size=4).tolist()
        options = {
            "stride": int(rng.integers(1, 3)),
            "padding": int(rng.integers(3)),
            "groups": groups,
            "bias": bias,
        }
        conv = filled(
            rng, nn.Conv2d(groups * C, groups * units, int(rng.integers(1, 4)), **options)
        )
        layer, x = (
            as_matrix(conv, size + 2),
            torch.tensor(numbers(rng, 2, groups * C, size + 2, size + 2)),
        )
        found += [
            type(layer).__name__,
            layer.weight.detach(),
            layer(x.flatten(1)).detach(),
            layer.weight.grad_fn is None,
        ]
    return found


class Watched(torch.GPT):
    """A GPT that remembers what it was shown."""

    def hidden(self, idx, cache=None):
        self.shown.append(list(idx.shape))
        return super().hidden(idx, cache)


@probe("streaming")
def texts_that_grow(rng):
    heads, half = sizes(rng, 2)
    model = filled(
        rng, Watched(torch.GPTConfig(11, 16, 2, heads, 2 * heads * half, dropout=0.0))
    ).eval()
    model.shown, found, stream = [], [], Streaming(model)
    with torch.no_grad():
        for _ in range(2):
            B, T = sizes(rng, 2)
            text = rng.integers(11, size=(B, 16))
            for step, end in enumerate([T, T + 1, T + 1, T + 3, T + 4, T + 6, T, 16]):
                if step == 4:
                    text[-1, 0] = (text[-1, 0] + 1) % 11
                given = torch.tensor(text[:, :end].copy())
                found.append(stream(given))
                given.array[...] = 0
    return [found, model.shown]


@probe("teach")
def a_student_of_a_teacher(rng):
    C, size, classes = (n + 1 for n in sizes(rng, 3))
    N, steps, batch = (int(rng.integers(*ends)) for ends in [(60, 80), (15, 25), (8, 20)])
    images = np.broadcast_to(np.arange(N)[:, None, None, None], (N, C, size, size))
    images = images.astype(
        np.float32
    )  # whose noise tells what is fresh, and whose number which
    outputs, modes, gradients = {"teacher": [], "student": []}, [], []

    class Shown(nn.Linear):
        def forward(self, x):
            y = super().forward(x.flatten(1))
            outputs[self.name].append([x.numpy().copy(), y.detach().numpy().copy()])
            modes.append([self.name, self.training, torch.is_grad_enabled()])
            if y.requires_grad:
                y.register_hook(lambda grad: gradients.append(grad.numpy().copy()))
            return y

    def shown(name):
        layer = Shown(C * size * size, classes)
        layer.name = name
        for parameter in layer.parameters():
            drawn = np.random.default_rng(3).normal(size=parameter.shape)
            parameter.detach().array[...] = 0.1 / (C * size * size) * drawn
        return layer

    teacher, found = shown("teacher").eval(), []
    teacher.weight.detach().array[...] *= 5
    known = teacher.weight.detach().numpy().copy()
    for lr, seed in [(0.002, 7), (1e-7, 7), (0.002, 8)]:
        student = shown("student")
        before = student.weight.detach().numpy().copy()
        for list_ in (*outputs.values(), modes, gradients):
            list_.clear()
        taught = teach(student, teacher, images, steps, batch, lr, seed=seed)
        asked = np.array([x for x, _ in outputs["teacher"]])
        found.append([asked, np.abs(student.weight.detach().numpy() - before).max() > 1e-3])
        told, said = (
            F.softmax(torch.tensor(np.array([y for _, y in outputs[name]])), -1).numpy()
            for name in outputs
        )
        wanted, given = said - told, np.array(gradients)
        close = np.allclose(
            given / np.abs(given).max((1, 2), keepdims=True),
            wanted / np.abs(wanted).max((1, 2), keepdims=True),
            atol=1e-2,
        )
        same = all(np.array_equal(x, y) for (x, _), (y, _) in zip(*outputs.values()))
        found[-1] += [
            close,
            same,
            sorted(set(map(str, modes))),
            taught is student,
            student.training,
        ]
    numbers_shown = {round(float(x.max())) for x in asked.reshape(-1, C, size, size)}
    (one, *a), (two, *b), (three, *c) = found
    alike = [np.array_equal(one, other) for other in (two, three)]
    return [
        alike,
        asked.shape,
        len(numbers_shown) > batch,
        bool((asked == asked.round()).mean() > 0.5),
        a,
        b,
        c,
        np.array_equal(known, teacher.weight.detach().numpy()),
        teacher.weight.grad is None,
    ]
