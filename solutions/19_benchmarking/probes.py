"""Probes of module 19."""


class Clock:
    """A clock that stands still, but where a program moves it."""

    def __init__(self):
        self.now, self.readings, self.ran = 50.0, 0, []

    def __call__(self):
        self.readings += 1
        return self.now

    def program(self, seconds, name="run"):
        """A program that takes these seconds, one after the other, and then begins again."""
        left = []

        def run():
            left[:] = left or seconds.tolist()
            self.now += left.pop(0)
            self.ran.append(name)

        return run


def some_times(rng, least=1):
    return rng.lognormal(sigma=0.5, size=rng.integers(least, 40))


def ends(interval):
    return [float(end) for end in interval]


@probe("coverage")
def shares_of_intervals(rng):
    found = []
    for repeats in [1, *rng.integers(2, 80, size=3).tolist()]:
        times, seen = some_times(rng), []
        truth, seed = float(np.median(times)), int(rng.integers(1000))

        def draw(generator):
            seen.append(generator.choice(times, 3))
            return seen[-1]

        share = coverage(draw, lambda drawn: (drawn.min(), drawn[1]), truth, repeats, seed)
        found += [
            share,
            coverage(lambda _: times, lambda t: (truth, truth), truth),
            len(seen),
            seen[-1],
        ]
    return found


@probe("t-interval")
def intervals_of_the_mean(rng):
    found = []
    for times in [some_times(rng, 2), some_times(rng, 9).tolist(), [1.0, 1.5]]:
        found += [
            ends(t_interval(times)),
            ends(t_interval(times, float(rng.uniform(0.5, 0.99)))),
        ]
    return found


def is_clear(ordered, confidence):
    """Whether every way to count quantiles gives these ends: their neighbours are equal."""
    cut = (1 - confidence) / 2 * (len(ordered) - 1)
    near = np.arange(int(cut) - 1, int(cut) + 3).clip(0, len(ordered) - 1)
    return not np.ptp(ordered[near]) and not np.ptp(ordered[::-1][near])


@probe("bootstrap-interval")
def intervals_by_resampling(rng):
    found = []
    for _ in range(2):
        # SciPy takes no sample of one, and of few numbers no quantile has equal neighbours
        times, resamples = some_times(rng, 2), int(rng.integers(40, 200))
        numbers, seen = rng.integers(-2, 3, size=resamples).astype(float), []

        def statistic(samples, axis):  # of one sample after the other, or of all at once
            place, rows = len(seen), samples.reshape(-1, samples.shape[-1])
            seen.extend(len(row) for row in rows if np.isin(row, times).all())
            return numbers[np.arange(place, place + len(rows)) % resamples]

        confidence, seed = float(rng.uniform(0.5, 0.99)), int(rng.integers(99))
        while not is_clear(np.sort(numbers), confidence):
            confidence = float(rng.uniform(0.2, 0.99))
        found += [
            ends(bootstrap_interval(times, statistic, confidence, resamples, seed)),
            seen,
        ]
    times = some_times(rng, 20)
    (low, high), again, other = (
        bootstrap_interval(times, np.mean, 0.9, 400, seed) for seed in (5, 5, 6)
    )
    half = 1.645 * times.std() / len(times) ** 0.5
    about = abs(high - low - 2 * half) < half + 1e-9 and low <= times.mean() <= high
    return [found, [ends((low, high)) == ends(drawn) for drawn in (again, other)], bool(about)]


@probe("median-interval")
def intervals_of_the_median(rng):
    found = []
    for times in [
        some_times(rng),
        some_times(rng).tolist(),
        rng.normal(size=2),
        rng.normal(size=200),
    ]:
        before = list(times)
        found += [
            ends(median_interval(times)),
            ends(median_interval(times, float(rng.uniform(0.3, 0.999)))),
        ]
        found.append(before == list(times))
    return found


@probe("autocorrelation")
def runs_like_the_one_before(rng):
    samples = [
        some_times(rng),
        rng.integers(4, size=30) / 2,
        np.cumsum(rng.normal(size=20)),
        np.full(5, 2.0),
    ]
    return [autocorrelation(times) for times in samples] + [
        autocorrelation(samples[1].tolist())
    ]


@probe("drift")
def machines_that_drift(rng):
    found = []
    for size in [7, 8, 9, *rng.integers(10, 60, size=4).tolist()]:
        slope = float(rng.choice([-0.5, 0.5, 1.0])) / size
        rising = 1 + slope * np.arange(size) * (1 + rng.random(size) * 0.1)
        wild = np.tile([1.0, 2.0], size)[:size] + rng.random(size) * 0.01
        weak = 9 + rng.normal(size=size) + np.linspace(0, 2.2 * (12 / size) ** 0.5, size)
        found += ends([drift(rising), drift(wild), drift(rising.tolist()), drift(weak)])
    return found


@probe("repeat-until")
def measurements_until_enough(rng):
    found = []
    for _ in range(6):
        clock, looked, calls = Clock(), [], []
        run = clock.program(rng.exponential(size=20))
        enough, first = int(rng.integers(5, 60)), int(rng.integers(1, 6))

        def measure():
            calls.append(clock.now)
            run()
            return len(calls) / 4

        def precise(times):
            looked.append(list(times))
            return len(times) >= enough

        limit = float(rng.uniform(0.1, 40))
        result = repeat_until(measure, precise, int(rng.integers(1, 80)), limit, clock, first)
        found += [result, looked, calls]
    return found


@probe("time-pair")
def pairs_in_random_order(rng):
    clock, found = Clock(), []
    a, b = (
        clock.program(rng.exponential(size=9), "a"),
        clock.program(rng.exponential(size=7), "b"),
    )
    for generator in [np.random.default_rng(seed) for seed in (3, 3)]:
        for _ in range(100):
            found.append(ends(time_pair(a, b, generator, clock)))
    pairs = ["".join(clock.ran[i : i + 2]) for i in range(0, 400, 2)]
    half = 25 < pairs[:100].count("ab") < 75
    return [found, sorted(set(pairs)), half, pairs[:100] == pairs[100:], len(clock.ran)]


@probe("ratio-interval")
def ratios_of_pairs(rng):
    found = []
    for size in [1, 6, *rng.integers(7, 60, size=3).tolist()]:
        a, b = rng.lognormal(size=(2, size))
        found += [
            ends(ratio_interval(a, b)),
            ends(ratio_interval(3 * a, b, float(rng.uniform(0.5, 0.99)))),
        ]
    return found


@probe("verdict")
def sentences_on_intervals(rng):
    intervals = [np.sort(rng.lognormal(sigma=0.4, size=2)) for _ in range(30)]
    intervals += [(1.0, 1 + rng.random()), (rng.random(), 1.0), (0.0, np.inf), (1.0, 1.0)]
    return [verdict(float(low), float(high)) for low, high in intervals]


@probe("compare")
def programs_compared(rng):
    found = []
    for precision in [None, *rng.uniform(0.02, 0.5, size=4).tolist()]:
        clock, spread = Clock(), rng.choice([0.1, 1])
        a, b = (
            clock.program(slow * (1 + spread * rng.exponential(size=n)), name)
            for slow, n, name in [(rng.uniform(1, 4), 40, "a"), (1, 30, "b")]
        )
        limits = {
            "pairs": int(rng.integers(2, 60)),
            "max_seconds": float(rng.uniform(10, 200)) if rng.integers(2) else 1e9,
            "warmup": int(rng.integers(4)),
        }
        result = compare(a, b, precision=precision, clock=clock, names=("x", "y"), **limits)
        found += [result.a, result.b, float(result.ratio), list(result.names)]
        found += [result.precision, result.environment["clock"]]
        found += [clock.ran.count(name) for name in "ab"]
    return found


@probe("compare")
def who_goes_first(rng):
    orders = []
    for seed in [5, 5, 6]:
        clock, times = Clock(), 1 + rng.random(size=3)
        a, b = (clock.program(times, name) for name in "ab")
        limits = {"warmup": 0, "precision": None, "pairs": 100, "max_seconds": 1e9}
        result = compare(a, b, clock=clock, seed=seed, **limits)
        orders.append(["".join(clock.ran[i : i + 2]) for i in range(0, 200, 2)])
    one, again, other = orders
    half = 25 < one.count("ab") < 75
    return [result.a, sorted(set(one)), half, one == again, one == other]
