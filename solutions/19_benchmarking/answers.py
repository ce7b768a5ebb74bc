"""Other right answers of module 19: with each in its stub, every test of the stub passes."""

ANSWERS = {
    "coverage": """
        A list of booleans, and its mean.
        + rng = np.random.default_rng(seed)
        + inside = []
        + for _ in range(repeats):
        +     low, high = interval(draw(rng))
        +     inside.append(low <= truth and truth <= high)
        + return float(np.mean(inside))

        All intervals at once.
        + rng = np.random.default_rng(seed)
        + ends = np.array([tuple(interval(draw(rng))) for _ in range(repeats)], float)
        + return ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean().item()
    """,
    "t-interval": """
        By SciPy.
        + n = len(times)
        + return stats.t.interval(confidence, n - 1, np.mean(times), stats.sem(times))

        By sums, with the quantile of the lower side.
        + n = len(times)
        + mean = sum(times) / n
        + s2 = sum((x - mean) ** 2 for x in times) / (n - 1)
        + low = mean + stats.t.ppf((1 - confidence) / 2, n - 1) * (s2 / n) ** 0.5
        + return float(low), float(2 * mean - low)
    """,
    "bootstrap-interval": """
        By indices.
        + times = np.asarray(times)
        + rng = np.random.default_rng(seed)
        + index = rng.integers(0, len(times), (resamples, len(times)))
        + return tuple(np.quantile(statistic(times[index], axis=1), [0.5 - confidence / 2, 0.5 + confidence / 2]))

        A loop over the resamples.
        + rng = np.random.default_rng(seed)
        + found = [statistic(rng.choice(times, (1, len(times))), axis=1)[0] for _ in range(resamples)]
        + outside = 50 * (1 - confidence)
        + return np.percentile(found, outside), np.percentile(found, 100 - outside)

        By SciPy.
        + found = stats.bootstrap(
        +     (times,), statistic, confidence_level=confidence, n_resamples=resamples, method="percentile",
        +     rng=np.random.default_rng(seed), vectorized=True,
        + )
        + return found.confidence_interval.low, found.confidence_interval.high

        Sorted, and cut by counting.
        + samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + found = np.sort(statistic(samples, axis=1))
        + cut = round(resamples * (1 - confidence) / 2)
        + kept = found[cut : resamples - cut]
        + return kept[0], kept[-1]
    """,
    "median-interval": """
        By counting heads.
        + n, k, heads = len(times), 0, 1
        + total = heads
        + while 2 * total <= (1 - confidence) * 2**n:
        +     k += 1
        +     heads = heads * (n - k + 1) // k
        +     total += heads
        + ordered = sorted(times)
        + return (ordered[k - 1], ordered[-k]) if k else (-math.inf, math.inf)

        By the distribution function.
        + n = len(times)
        + k = int((2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence).sum())
        + if not k:
        +     return float("-inf"), float("inf")
        + return tuple(np.sort(times)[[k - 1, n - k]].tolist())

        By partition.
        + outside = (1 - confidence) / 2
        + k = int(stats.binom.ppf(outside, len(times), 0.5))
        + k += int(stats.binom.cdf(k, len(times), 0.5) <= outside)
        + if k < 1:
        +     return -np.inf, np.inf
        + parts = np.partition(times, [k - 1, len(times) - k])
        + return parts[k - 1], parts[-k]

        By a running sum of probabilities.
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + below = np.cumsum(stats.binom.pmf(np.arange(n), n, 0.5))
        + k = np.count_nonzero(2 * below <= 1 - confidence)
    """,
    "autocorrelation": """
        A loop.
        + ranks = stats.rankdata(times).tolist()
        + mean = sum(ranks) / len(ranks)
        + total = sum((r - mean) ** 2 for r in ranks)
        + if total == 0:
        +     return 0.0
        + return sum((r - mean) * (s - mean) for r, s in zip(ranks, ranks[1:])) / total

        By products of vectors.
        + x = stats.rankdata(times) - (len(times) + 1) / 2
        + return 0.0 if not x.any() else float(x[1:] @ x[:-1] / (x @ x))

        By correlation at distance one.
        + x = stats.rankdata(times)
        + x -= x.mean()
        + found = np.correlate(x, x, "full")[len(x) - 1 :]
        + return float(found[1] / found[0]) if found[0] > 0 else 0.0
    """,
    "drift": """
        Step by step.
        + quarter = len(times) // 4
        + if len(times) < 8:
        +     return 0.0
        + test = stats.kendalltau(np.arange(len(times)), times)
        + if np.isnan(test.pvalue) or test.pvalue >= 0.01:
        +     return 0.0
        + first, last = np.median(times[:quarter]), np.median(times[-quarter:])
        + return (last - first) / first
    """,
    "repeat-until": """
        A for loop.
        + start = clock()
        + looks = {first_look * 2**i for i in range(64)}
        + found = []
        + for _ in range(most):
        +     if found and clock() - start >= max_seconds:
        +         break
        +     found.append(measure())
        +     if len(found) in looks and precise(found):
        +         break
        + return np.asarray(found)

        The end as a point in time.
        + deadline = clock() + max_seconds
        + found = [measure()]
        + look = first_look
        + while True:
        +     if len(found) == look:
        +         if precise(found):
        +             return np.array(found)
        +         look = 2 * look
        +     if len(found) >= most or clock() >= deadline:
        +         return np.array(found)
        +     found.append(measure())
    """,
    "time-pair": """
        Two cases written out.
        + def seconds(run):
        +     start = clock()
        +     run()
        +     return clock() - start
        + if rng.integers(2):
        +     first = seconds(a)
        +     return first, seconds(b)
        + second = seconds(b)
        + return seconds(a), second

        A permutation.
        + found = {}
        + for place in rng.permutation(2):
        +     start = clock()
        +     (a, b)[place]()
        +     found[int(place)] = clock() - start
        + return [found[0], found[1]]
    """,
    "ratio-interval": """
        A difference of logarithms.
        + logs = np.log(a) - np.log(b)
        + return tuple(np.exp([np.median(logs), *median_interval(logs, confidence)]))
    """,
    "verdict": """
        The middle case first.
        + if low <= 1 <= high:
        +     return "no difference shown"
        + return "faster" if low > 1 else "slower"
    """,
    "compare": """
        With arrays, and half the width.
        + for run in (a, b) * warmup:
        +     run()
        + rng = np.random.default_rng(seed)
        + def measure():
        +     return time_pair(a, b, rng, clock)
        + def precise(found):
        +     if precision is None:
        +         return False
        +     found = np.array(found)
        +     ratio, low, high = ratio_interval(found[:, 0], found[:, 1])
        +     return (high - low) / 2 <= precision * ratio
        + found = repeat_until(measure, precise, pairs, max_seconds, clock)
        + return Comparison(
        +     found[:, 0], found[:, 1], names=names, precision=precision, environment=environment(clock)
        + )

        With b handed over first, and the times put back.
        - measure = lambda: time_pair(a, b, rng, clock)
        + measure = lambda: time_pair(b, a, rng, clock)[::-1]
    """,
}
