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
    noisy, _ = fresh_images(0 * points, rng, shift, noise)
    drawn = abs(noisy.std() / noise - 1) < 0.1 and abs(noisy.mean()) < 0.1 * noise
    return [
        places,
        moved.max(),
        bool(drawn),
        bool(np.abs(np.diff(order)).max() > 1),
        noisy.dtype.str,
    ]


@probe("marks")
def marks_of_logits(rng):
    found = []
    for N, classes in [(1, 2), (0, 3), (40, 3), sizes(rng, 2)]:
        for scale in [1, 500]:
            logits, labels = scale * numbers(rng, N, classes), rng.integers(classes, size=N)
            found += [mark_images(logits, labels), mark_text(logits, labels)]
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
    again = [paired_interval(baseline, noise, power, 30, seed=seed) for seed in (5, 5)]
    return [*found, again[0] == again[1]]


@probe("all-round")
def scores_together(rng):
    found = []
    for count in [1, *sizes(rng, 2)]:
        score = all_round([Score(*rng.lognormal(size=3).tolist()) for _ in range(count)])
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
    exact = Score(2.0, 1.5, 3.0), Score(0.5, 0.2, 0.5)
    return [*found, decide(exact[0], 0.5, 0.5, 0.5), decide(exact[1], 0.5, 0.5, 1.0)]


@probe("sign-off")
def records_signed(rng):
    record = {str(key): rng.normal(size=2).tolist() for key in rng.integers(1000, size=4)}
    record |= {
        "name": f"ä {rng.integers(1000)}",
        "inner": {"b": None, "a": int(rng.integers(9))},
    }
    before = dict(record)
    signed = sign_off(record)
    again, changed = sign_off(signed), signed | {"name": "other"}
    turned = dict(reversed(signed.items()))
    intact = [
        is_intact(each) for each in (signed, again, changed, record, turned, sign_off(changed))
    ]
    return [
        sorted(signed),
        signed["sha256"],
        again["sha256"],
        sign_off(changed)["sha256"],
        intact,
        record == before,
    ]


@probe("leaderboard")
def entries_in_order(rng):
    found = []
    for kind in ["latency", "memory"]:
        event, records = Event(kind, "digits"), []
        for number in range(rng.integers(1, 16)):
            scores = {
                name: np.sort(rng.integers(1, 12, size=3) / 4).tolist()
                for name in ("latency", "memory")
            }
            scores = {name: (ratio, low, high) for name, (low, ratio, high) in scores.items()}
            record = {
                "event": str(event),
                "verdict": "wins",
                "number": number,
                "digest": f"{rng.integers(8)}",
                "scores": scores,
            }
            if rng.random() < 0.2:
                record |= {"verdict": "refused"}
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
        for _ in range(3):
            B, T = sizes(rng, 2)
            text = rng.integers(11, size=(B, 16))
            ends = [T, T + 1, T + 1, T + 3, int(rng.integers(1, 17)), 16]
            found += [stream(torch.tensor(text[:, :end].copy())) for end in ends]
            text[-1, 0] = (text[-1, 0] + 1) % 11
            found.append(stream(torch.tensor(text)))
    return [found, model.shown]


@probe("teach")
def a_student_of_a_teacher(rng):
    shown, modes, (C, size, classes) = [], [], (n + 1 for n in sizes(rng, 3))

    class Shown(nn.Linear):
        def forward(self, x):
            shown.append(list(x.shape))
            modes.append([self.training, torch.is_grad_enabled()])
            return super().forward(x.flatten(1))

    teacher = filled(
        rng, nn.Sequential(nn.Flatten(), nn.Linear(C * size * size, classes))
    ).eval()
    known = {name: tensor.numpy().copy() for name, tensor in teacher.state_dict().items()}
    images = numbers(rng, int(rng.integers(20, 40)), C, size, size)
    steps, batch, x = int(rng.integers(15, 25)), int(rng.integers(8, 20)), torch.tensor(images)

    def lesson():
        start = np.random.default_rng(3)
        student = Shown(C * size * size, classes)
        student.weight.detach().array[...], student.bias.detach().array[...] = (
            0.1 * numbers(start, *student.weight.shape),
            0,
        )
        target = F.softmax(teacher(x), 1)
        losses = [F.cross_entropy(student(x), target).item()]
        shown.clear(), modes.clear()
        taught = teach(student, teacher, images, steps, batch, 0.05, seed=7)
        seen, how = list(shown), list(modes)
        losses.append(F.cross_entropy(taught(x), target).item())
        return taught, losses[1] < losses[0], seen, how, taught is student

    (one, better, seen, how, same), (two, *_) = lesson(), lesson()
    alike = np.array_equal(one.weight.detach().array, two.weight.detach().array)
    untouched = [
        np.array_equal(known[name], tensor.numpy())
        for name, tensor in teacher.state_dict().items()
    ]
    left = [p.grad is None for p in teacher.parameters()]
    return [better, seen, how, same, one.training, alike, untouched, left, teacher.training]
