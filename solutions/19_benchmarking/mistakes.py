"""Planted mistakes of module 19: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "coverage": """
        The generator is made in the loop: every repetition draws the same times. (hint 2)
        - rng = np.random.default_rng(seed)
          hits = 0
          for _ in range(repeats):
        +     rng = np.random.default_rng(seed)

        The ends, or one of them, do not belong to the interval. (hint 1)
        - hits += low <= truth <= high
        + hits += low < truth < high

        An interval below the truth is counted, too: its upper end is not asked for. (hint 1)
        - hits += low <= truth <= high
        + hits += low <= truth

        An interval above the truth is counted, too: its lower end is not asked for. (hint 1)
        - hits += low <= truth <= high
        + hits += truth <= high

        The misses are counted. (hint 1)
        - hits += low <= truth <= high
        + hits += not low <= truth <= high

        The count is returned. (hint 3)
        - return float(hits / repeats)
        + return float(hits)

        The share is truncated to a whole number. (hint 3)
        - return float(hits / repeats)
        + return float(hits // repeats)

        The seed is forgotten. (hint 2)
        - rng = np.random.default_rng(seed)
        + rng = np.random.default_rng(0)

        Always five hundred repetitions, whatever `repeats` is. (hint 1)
        - for _ in range(repeats):
        + for _ in range(500):

        The times are drawn once. (hint 3)
        - for _ in range(repeats):
        -     low, high = interval(draw(rng))
        + times = draw(rng)
        + for _ in range(repeats):
        +     low, high = interval(times)

        The count is returned. (hint 3)
        - return float(hits / repeats)
        + return hits

        The share is in per cent. (hint 3)
        - return float(hits / repeats)
        + return float(100 * hits / repeats)

        It returns in the loop, after the first repetition. (hint 3)
        -     hits += low <= truth <= high
        - return float(hits / repeats)
        +     hits += low <= truth <= high
        +     return float(hits / repeats)

        The generator has no seed.
        - rng = np.random.default_rng(seed)
        + rng = np.random.default_rng()

        A seed of 0 is taken for none.
        - rng = np.random.default_rng(seed)
        + rng = np.random.default_rng(seed or None)

        The hits are not counted.
        - hits += low <= truth <= high
        + low <= truth <= high

        The share is rounded. (hint 3)
        - return float(hits / repeats)
        + return round(hits / repeats, 2)

        The lower end is taken for the upper one, and the upper for the lower. (hint 1)
        - low, high = interval(draw(rng))
        + high, low = interval(draw(rng))

        It is enough that one of the two ends is on its side of the truth: `or` for `and`. (hint 1)
        - hits += low <= truth <= high
        + hits += low <= truth or truth <= high

        It ends at the first miss.
        - hits += low <= truth <= high
        + if not low <= truth <= high:
        +     break
        + hits += 1

        A truth just outside the interval is counted, as by `np.isclose`.
        - hits += low <= truth <= high
        + hits += low <= truth <= high or np.isclose(truth, low) or np.isclose(truth, high)

        The times are rounded to float32.
        - low, high = interval(draw(rng))
        + low, high = interval(draw(rng).astype(np.float32))

        The times are compared with the ends, not the truth. (hint 1)
        - low, high = interval(draw(rng))
        - hits += low <= truth <= high
        + times = draw(rng)
        + low, high = interval(times)
        + hits += np.mean((low <= times) & (times <= high))

        `interval` is called twice in each repetition, say once for each end. (hint 3)
        - low, high = interval(draw(rng))
        + low, high = interval(draw(rng))[0], interval(draw(rng))[1]
    """,
    "t-interval": """
        The standard deviation of the sample divides by n. (hint 1)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times) / math.sqrt(n)

        All of what is outside is left on one side. (hint 2)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf(confidence, n - 1) * np.std(times, ddof=1) / math.sqrt(n)

        The spread of the runs is used, not that of their mean. (hint 3)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1)

        s is divided by n, not by its root. (hint 3)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / n

        s is divided by the root of n - 1. (hint 3)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n - 1)

        The normal distribution is used, as if s were known. (hint 1)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.norm.ppf((1 + confidence) / 2) * np.std(times, ddof=1) / math.sqrt(n)

        One degree of freedom too many. (hint 1)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf((1 + confidence) / 2, n) * np.std(times, ddof=1) / math.sqrt(n)

        The interval is centred on the median.
        - n, mean = len(times), np.mean(times)
        + n, mean = len(times), np.median(times)

        Always 95 %. (hint 2)
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf(0.975, n - 1) * np.std(times, ddof=1) / math.sqrt(n)

        The caller's array is changed.
        - n, mean = len(times), np.mean(times)
        + times = np.asarray(times, dtype=float)
        + n, mean = len(times), times.mean()
        + times -= mean

        The variance is taken for the standard deviation.
        - half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(times, ddof=1) / math.sqrt(n)
        + half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.var(times, ddof=1) / math.sqrt(n)

        The whole width is taken off and added, not half of it.
        - return mean - half, mean + half
        + return mean - 2 * half, mean + 2 * half

        The numbers are rounded to float32.
        - n, mean = len(times), np.mean(times)
        + times = np.asarray(times, np.float32)
        + n, mean = len(times), np.mean(times)
    """,
    "bootstrap-interval": """
        It draws without replacement: every resample is the sample. (hint 1)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + rng = np.random.default_rng(seed)
        + samples = np.array([rng.permutation(times) for _ in range(resamples)])

        The quantiles are those of the times, not of the statistics. (hint 3)
        - low, high = np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(times, [(1 - confidence) / 2, (1 + confidence) / 2])

        Twice too much is cut off at each end. (hint 3)
        - low, high = np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(found, [1 - confidence, confidence])

        The statistic is computed over all resamples together. (hint 2)
        - found = statistic(samples, axis=1)
        + found = statistic(samples, axis=0)

        Always the median. (hint 2)
        - found = statistic(samples, axis=1)
        + found = np.median(samples, axis=1)

        The seed is forgotten. (hint 1)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.random.default_rng(0).choice(times, (resamples, len(times)))

        The generator has no seed. (hint 1)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.random.default_rng().choice(times, (resamples, len(times)))

        Resamples of half the size. (hint 2)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.random.default_rng(seed).choice(times, (resamples, len(times) // 2))

        The last of the times is never drawn. (hint 1)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + index = np.random.default_rng(seed).integers(0, len(times) - 1, (resamples, len(times)))
        + samples = np.asarray(times)[index]

        The first of the times is never drawn. (hint 1)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + index = np.random.default_rng(seed).integers(1, len(times), (resamples, len(times)))
        + samples = np.asarray(times)[index]

        A time that occurs twice is drawn only as often as one that occurs once. (hint 1)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.random.default_rng(seed).choice(sorted(set(times)), (resamples, len(times)))

        The times are rounded to float32.
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.random.default_rng(seed).choice(np.float32(times), (resamples, len(times)))

        Always 95 %. (hint 3)
        - low, high = np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(found, [0.025, 0.975])

        The interval assumes that the statistics are normally distributed. (hint 3)
        - low, high = np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = found.mean() - 2 * found.std(), found.mean() + 2 * found.std()

        All resamples are the same: the generator is made in the loop, or one draw is repeated.
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        - found = statistic(samples, axis=1)
        + found = []
        + for _ in range(resamples):
        +     sample = np.random.default_rng(seed).choice(times, (1, len(times)))
        +     found.append(statistic(sample, axis=1)[0])

        A seed of 0 is taken for none.
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.random.default_rng(seed or None).choice(times, (resamples, len(times)))

        The axis is given by its place, or not at all. (hint 2)
        - found = statistic(samples, axis=1)
        + found = statistic(samples, 1)

        The times are indexed by an array, and a list cannot be.
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + index = np.random.default_rng(seed).integers(0, len(times), (resamples, len(times)))
        + samples = times[index]

        What the statistic gives is truncated to whole numbers where the times are whole.
        - found = statistic(samples, axis=1)
        + found = statistic(samples, axis=1).astype(np.asarray(times).dtype)

        The ends are moved into the range of the times, but a statistic such as `np.std` may lie outside.
        - return low, high
        + return max(low, min(times)), min(high, max(times))

        Where nothing is to be cut off, the upper end is `found[-0]`, which is the first.
        - found = statistic(samples, axis=1)
        - low, high = np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])
        - return low, high
        + found = np.sort(statistic(samples, axis=1))
        + cut = int(resamples * (1 - confidence) / 2)
        + return found[cut], found[-cut]

        The caller's array is changed.
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + times = np.asarray(times)
        + times.sort()
        + samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))

        NumPy's global generator draws, and is seeded anew for everybody. (hint 1)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + np.random.seed(seed)
        + samples = np.random.choice(np.asarray(times), (resamples, len(times)))

        A resample is a column, and the statistic is that of each row. (hint 2)
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.random.default_rng(seed).choice(times, (len(times), resamples))

        All resamples are the same: the generator is made in the loop, or one draw is repeated.
        - samples = np.random.default_rng(seed).choice(times, (resamples, len(times)))
        + samples = np.array([np.random.default_rng(seed).choice(times, len(times))] * resamples)

        The axis is given by its place, or not at all. (hint 2)
        - found = statistic(samples, axis=1)
        + found = statistic(samples)
    """,
    "median-interval": """
        One rank too far in: the interval misses too often. (hint 3)
        - return ordered[k - 1], ordered[n - k]
        + return ordered[k], ordered[n - k - 1]

        One rank too far out above. (hint 3)
        - return ordered[k - 1], ordered[n - k]
        + return ordered[k - 1], ordered[n - k + 1 if k > 1 else n - k]

        All of what is outside is left on one side. (hint 2)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = np.sum(stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)

        k is one too small, as where the largest number that is small enough is taken for k, not k - 1. (hint 2)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence) - 1
        - if k == 0:
        + if k <= 0:

        A probability exactly at the limit counts as too large. (hint 2)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = int(stats.binom.ppf((1 - confidence) / 2, n, 0.5))

        The binomial distribution has one toss too few. (hint 1)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = np.sum(2 * stats.binom.cdf(np.arange(n), n - 1, 0.5) <= 1 - confidence)

        One rank too far in below. (hint 3)
        - return ordered[k - 1], ordered[n - k]
        + return ordered[k], ordered[n - k]

        One rank too far in above. (hint 3)
        - return ordered[k - 1], ordered[n - k]
        + return ordered[k - 1], ordered[n - k - 1]

        The upper end comes first.
        - return ordered[k - 1], ordered[n - k]
        + return ordered[n - k], ordered[k - 1]

        The times are not sorted. (hint 3)
        - ordered = np.sort(times)
        + ordered = np.asarray(times)

        The caller's array is sorted in place.
        - ordered = np.sort(times)
        + ordered = times
        + ordered.sort()

        The whole range is returned where there is no interval. (hint 2)
        - return -math.inf, math.inf
        + return np.min(times), np.max(times)

        Always 95 %. (hint 2)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 0.05)

        The ranks come from the normal approximation. (hint 1)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = max(0, int(n / 2 - stats.norm.ppf((1 + confidence) / 2) * math.sqrt(n) / 2))

        The ends are quantiles of the times themselves. (hint 1)
        - ordered = np.sort(times)
        - return ordered[k - 1], ordered[n - k]
        + return np.quantile(times, 0.025), np.quantile(times, 0.975)

        That there may be no interval, k being 0, is forgotten. (hint 2)
        - if k == 0:
        -     return -math.inf, math.inf

        That there may be no interval, k being 0, is forgotten. (hint 2)
        - if k == 0:
        -     return -math.inf, math.inf
        ...
        - return ordered[k - 1], ordered[n - k]
        + return ordered[k - 1], ordered[-k]

        `n < 6` decides that there is no interval, and not whether k is 0. (hint 2)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        - if k == 0:
        + k = max(1, np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence))
        + if n < 6:

        `n < 6` decides that there is no interval, and not whether k is 0. (hint 2)
        - if k == 0:
        + if n < 6:

        Fewer than six runs are refused, whatever the confidence. (hint 2)
        - if k == 0:
        + if n < 6 or k == 0:

        The probability of exactly so many heads is taken, not that of at most so many. (hint 1)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = np.sum(2 * stats.binom.pmf(np.arange(n // 2), n, 0.5) <= 1 - confidence)

        A list is sorted as if it were an array.
        - ordered = np.sort(times)
        + ordered = times[times.argsort()]

        Of equal times only one is kept, and n is how many are left.
        - n = len(times)
        + times = sorted(set(times))
        + n = len(times)

        Of equal times only one is kept, so that the ranks do not fit.
        - ordered = np.sort(times)
        - return ordered[k - 1], ordered[n - k]
        + ordered = np.unique(times)
        + return ordered[k - 1], ordered[-k]

        The largest k that is tried is one too small.
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = np.sum(2 * stats.binom.cdf(np.arange(max(0, n // 2 - 1)), n, 0.5) <= 1 - confidence)

        What is outside is halved, and the probability doubled as well. (hint 2)
        - k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= 1 - confidence)
        + k = np.sum(2 * stats.binom.cdf(np.arange(n), n, 0.5) <= (1 - confidence) / 2)

        One rank too far out above. (hint 3)
        - return ordered[k - 1], ordered[n - k]
        + return ordered[k - 1], ordered[n + 1 - k]

        Where there is no interval, the median is returned for both ends. (hint 2)
        - return -math.inf, math.inf
        + return np.median(times), np.median(times)

        The times are rounded to float32.
        - ordered = np.sort(times)
        + ordered = np.sort(np.array(times, np.float32))

        The times become whole numbers.
        - ordered = np.sort(times)
        + ordered = np.sort(np.array(times, int))

        The ranks are returned, not the times. (hint 3)
        - return ordered[k - 1], ordered[n - k]
        + return k, n + 1 - k
    """,
    "autocorrelation": """
        The times are used, not their ranks: one outlier dominates both sums. (hint 1)
        - x = stats.rankdata(times)
        + x = np.asarray(times, float)

        The mean is not subtracted. (hint 2)
        - x = x - x.mean()
        + x = x - 0

        Equal times, which divide 0 by 0, do not give 0.0. (hint 2)
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return float((x[1:] * x[:-1]).sum() / total)

        Each run is compared with the one two before it. (hint 3)
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return float((x[2:] * x[:-2]).sum() / total) if total else 0.0

        The sum is not divided. (hint 3)
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return float((x[1:] * x[:-1]).sum()) if total else 0.0

        The first run is compared with the last as well. (hint 3)
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return float((x * np.roll(x, 1)).sum() / total) if total else 0.0

        Equal times get different ranks. (hint 1)
        - x = stats.rankdata(times)
        + x = np.argsort(np.argsort(times)) + 1.0

        Equal times share the lowest of their ranks, not the average. (hint 1)
        - x = stats.rankdata(times)
        + x = stats.rankdata(times, method="min")

        Equal times share the highest of their ranks, not the average. (hint 1)
        - x = stats.rankdata(times)
        + x = stats.rankdata(times, method="max")

        Equal times count as one rank. (hint 1)
        - x = stats.rankdata(times)
        + x = stats.rankdata(times, method="dense")

        The ranks are sorted first, so that every series looks correlated. (hint 3)
        - x = stats.rankdata(times)
        + x = np.sort(stats.rankdata(times))

        `argsort` says which run has each rank, not which rank each run has. (hint 1)
        - x = stats.rankdata(times)
        + x = np.argsort(times) + 1.0

        Times that are nearly equal are taken for equal.
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return 0.0 if np.allclose(times, times[0]) else float((x[1:] * x[:-1]).sum() / total)

        For equal times a whole number is returned.
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return float((x[1:] * x[:-1]).sum() / total) if total else 0

        Times that end as they begin are taken for equal.
        - x = stats.rankdata(times)
        + if times[0] == times[-1]:
        +     return 0.0
        + x = stats.rankdata(times)

        The correlation of the two slices is computed, each with its own mean and its own squares. (hint 2)
        - total = (x * x).sum()
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + if not x.any():
        +     return 0.0
        + return float(np.corrcoef(x[1:], x[:-1])[0, 1])

        The sum is divided by the variance, not by the sum of squares. (hint 3)
        - total = (x * x).sum()
        + total = x.var()

        Both sums become means, but one is over n - 1 products and the other over n squares. (hint 3)
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return float((x[1:] * x[:-1]).mean() / (x * x).mean()) if total else 0.0

        Of equal times, such as [0.1] * 3, the standard deviation may be above 0 by rounding: ask the ranks. (hint 2)
        - x = stats.rankdata(times)
        + if np.std(times) == 0:
        +     return 0.0
        + x = stats.rankdata(times)
        ...
        - return float((x[1:] * x[:-1]).sum() / total) if total else 0.0
        + return float((x[1:] * x[:-1]).sum() / total)

        The times are rounded to float32, in which some become equal.
        - x = stats.rankdata(times)
        + x = stats.rankdata(np.asarray(times, np.float32))

        Two runs are taken for too few, but only equal times give 0.0 without the formula.
        - x = stats.rankdata(times)
        + if len(times) < 3:
        +     return 0.0
        + x = stats.rankdata(times)
    """,
    "drift": """
        The change is a share of the last median, not of the first. (hint 3)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(1 - np.median(times[: n // 4]) / np.median(times[n - n // 4 :]))

        The change is returned without a test. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8:

        Halves in place of quarters. (hint 2)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(np.median(times[n - n // 2 :]) / np.median(times[: n // 2]) - 1)

        The first quarter is divided by the last. (hint 3)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(np.median(times[: n // 4]) / np.median(times[n - n // 4 :]) - 1)

        One is not subtracted. (hint 3)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]))

        Only the first and the last run are compared. (hint 2)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(times[-1] / times[0] - 1)

        The limit of the p-value is 0.05. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.05:

        The limit of the p-value is 0.02. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.02:

        The limit of the p-value is 0.001. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.001:

        Spearman's test, not Kendall's. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.spearmanr(range(n), times).pvalue < 0.01:

        Pearson's test, not Kendall's. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.pearsonr(range(n), times).pvalue < 0.01:

        The quarter is rounded up. (hint 2)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(np.median(times[n - round(n / 4) :]) / np.median(times[: round(n / 4)]) - 1)

        Means of the quarters. (hint 2)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(np.mean(times[n - n // 4 :]) / np.mean(times[: n // 4]) - 1)

        Only machines that become slower are detected. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(range(n), times, alternative="greater").pvalue < 0.01:

        Seven runs count as enough. (hint 3)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if not stats.kendalltau(range(n), times).pvalue < 0.01:

        The caller's array is changed.
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + first, last = times[: n // 4], times[n - n // 4 :]
        + first.sort()
        + last.sort()
        + return float(np.median(last) / np.median(first) - 1)

        Times that are nearly equal are taken for equal.
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or np.allclose(times, times[0]) or not stats.kendalltau(range(n), times).pvalue < 0.01:

        Where there is no drift, a whole number is returned, not a float.
        - return 0.0
        + return 0

        Where there is no drift, nothing is returned.
        - return 0.0
        + return None

        Kendall's test is not given all times and their order, but say each run and the one before. (hint 1)
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(times[:-1], times[1:]).pvalue < 0.01:

        Where 4 does not divide n, the last quarter has one run too many. (hint 2)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(np.median(times[-n // 4 :]) / np.median(times[: n // 4]) - 1)

        The times are tested against their sorted selves, not against their order.
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(np.sort(times), times).pvalue < 0.01:

        A p-value of nan, that of equal times, counts as small.
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or stats.kendalltau(range(n), times).pvalue >= 0.01:

        Of an even number of times the upper middle one is taken, not the median. (hint 2)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + q = n // 4
        + return float(sorted(times[n - q :])[q // 2] / sorted(times[:q])[q // 2] - 1)

        The largest time is divided by the smallest. (hint 2)
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + return float(max(times) / min(times) - 1)

        The times are rounded to float32.
        - return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
        + times = np.asarray(times, np.float32)
        + return float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
    """,
    "repeat-until": """
        A look after every measurement. (hint 2)
        - if len(found) == look:
        + if len(found) >= first_look:

        A look after every ten. (hint 2)
        - look *= 2
        + look += first_look

        It looks once. (hint 3)
        -     look *= 2

        The time is read once. (hint 1)
        - found, look, start = [], first_look, clock()
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + found, look = [], first_look
        + spent = clock() - clock()
        + while len(found) < most and (not found or spent < max_seconds):

        With no time left, not even the first measurement is made. (hint 1)
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + while len(found) < most and clock() - start < max_seconds:

        One more than allowed. (hint 1)
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + while len(found) <= most and (not found or clock() - start < max_seconds):

        The time limit is forgotten. (hint 1)
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + while len(found) < most:

        The time limit is forgotten after a look. (hint 1)
        + found, look, start = [], first_look, clock()
        + while len(found) < most:
        +     found.append(measure())
        +     if len(found) == look:
        +         if precise(found):
        +             break
        +         look *= 2
        +         continue
        +     if clock() - start >= max_seconds:
        +         break
        + return np.array(found)

        A measurement starts when the time is exactly up. (hint 1)
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + while len(found) < most and (not found or clock() - start <= max_seconds):

        Another clock than the one that was given. (hint 1)
        - found, look, start = [], first_look, clock()
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + found, look, start = [], first_look, time.perf_counter()
        + while len(found) < most and (not found or time.perf_counter() - start < max_seconds):

        It also looks at the end, whatever the number. (hint 3)
        - if len(found) == look:
        + if len(found) in (look, most):

        The first look is after ten, whatever `first_look` is. (hint 2)
        - found, look, start = [], first_look, clock()
        + found, look, start = [], 10, clock()

        It continues when it is precise, and stops when it is not. (hint 3)
        - if precise(found):
        + if not precise(found):

        `precise` gets only the measurements since the last look. (hint 3)
        - if precise(found):
        + if precise(found[-10:]):

        A list is returned. (hint 3)
        - return np.array(found)
        + return found

        The measurements are sorted. (hint 3)
        - return np.array(found)
        + return np.sort(np.array(found), axis=0)

        The measurements are truncated to whole numbers. (hint 3)
        - return np.array(found)
        + return np.array(found, dtype=int)

        The measurements are rounded to float32.
        - return np.array(found)
        + return np.array(found, np.float32)

        The last measurement is lost. (hint 1)
        - return np.array(found)
        + return np.array(found[:-1])

        The clock is expected to start at 0.
        - found, look, start = [], first_look, clock()
        + found, look, start = [], first_look, 0.0

        The beginning is read anew for each measurement, which then has all the time.
        + found, look = [], first_look
        + while len(found) < most:
        +     start = clock()
        +     found.append(measure())
        +     if len(found) == look:
        +         if precise(found):
        +             break
        +         look *= 2
        +     if clock() - start >= max_seconds:
        +         break
        + return np.array(found)

        The beginning is read after the first measurement.
        - found, look, start = [], first_look, clock()
        + found, look, start = [], first_look, None
          while len(found) < most and (not found or clock() - start < max_seconds):
              found.append(measure())
        +     start = clock() if start is None else start

        Only the time in `measure` counts, not that in `precise`.
        + found, look, spent = [], first_look, 0.0
        + while len(found) < most and (not found or spent < max_seconds):
        +     start = clock()
        +     found.append(measure())
        +     spent += clock() - start
        +     if len(found) == look:
        +         if precise(found):
        +             break
        +         look *= 2
        + return np.array(found)

        After a look, the time that it took is not checked before the next measurement.
        + found, look, start = [], first_look, clock()
        + while len(found) < most:
        +     found.append(measure())
        +     now = clock()
        +     if len(found) == look:
        +         if precise(found):
        +             break
        +         look *= 2
        +     if now - start >= max_seconds:
        +         break
        + return np.array(found)

        It does not end where `precise` says that it is enough, say by np.True_, which is not True itself.
        - if precise(found):
        + if precise(found) is True:

        Only the first four looks are made. (hint 2)
        - found, look, start = [], first_look, clock()
        + found, looks, start = [], [first_look * 2**i for i in range(4)], clock()
        ...
        - if len(found) == look:
        -     if precise(found):
        -         break
        -     look *= 2
        + if len(found) in looks and precise(found):
        +     break

        The time that is compared was read before the measurement.
        - while len(found) < most and (not found or clock() - start < max_seconds):
        -     found.append(measure())
        + while len(found) < most:
        +     now = clock()
        +     if found and before - start >= max_seconds:
        +         break
        +     found.append(measure())
        +     before = now

        A measurement of 0.0 is taken for none, and one more is made. (hint 1)
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + while not any(found) or (len(found) < most and clock() - start < max_seconds):

        A measurement of 0.0 is dropped.
        - found.append(measure())
        + if value := measure():
        +     found.append(value)

        `most` does not end it. (hint 1)
        - while len(found) < most and (not found or clock() - start < max_seconds):
        + while not found or clock() - start < max_seconds:
    """,
    "time-pair": """
        a always runs first: there is no toss, or one that always falls the same way. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in programs:

        The times are returned in the order in which the programs ran. (hint 2)
        - seconds = [0.0, 0.0]
        + seconds = []
        ...
        - seconds[place] = clock() - start
        + seconds.append(clock() - start)

        The clock is started once for both: the second time includes the first. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        -     start = clock()
        -     run()
        + order = programs if rng.random() < 0.5 else programs[::-1]
        + start = clock()
        + for place, run in order:
        +     run()

        The time of b is returned first, that of a second, whichever ran first. (hint 2)
        - programs = [(0, a), (1, b)]
        + programs = [(0, b), (1, a)]

        b always runs first: there is no toss, or one that always falls the same way. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in programs if np.random.default_rng(0).random() < 0.5 else programs[::-1]:

        Its toss cannot be repeated: it does not use `rng`. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in programs if np.random.random() < 0.5 else programs[::-1]:

        Two tosses: sometimes one program runs twice. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in [programs[int(rng.random() < 0.5)] for _ in range(2)]:

        The coin is not fair. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in programs[::-1] if rng.normal() < 0.5 else programs:

        The coin is not fair. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in programs if rng.random() < 0.9 else programs[::-1]:

        The toss is timed too. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        -     start = clock()
        -     run()
        -     seconds[place] = clock() - start
        + start = clock()
        + for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        +     run()
        +     seconds[place] = clock() - start
        +     start = clock()

        The times are kept by program, but one program may be both a and b. (hint 3)
        - seconds = [0.0, 0.0]
        + seconds = {}
        ...
        -     seconds[place] = clock() - start
        - return tuple(seconds)
        +     seconds[run] = clock() - start
        + return seconds[a], seconds[b]

        Which program ran first is found by comparing it with a, but one program may be both a and b. (hint 3)
        + order = [a, b] if rng.random() < 0.5 else [b, a]
        + seconds = []
        + for run in order:
        +     start = clock()
        +     run()
        +     seconds.append(clock() - start)
        + return tuple(seconds if order[0] is a else seconds[::-1])

        The shorter time is returned first. (hint 2)
        - return tuple(seconds)
        + return tuple(sorted(seconds))

        In each pair the programs run more than once; a warm-up is for `compare` to make.
        - seconds = [0.0, 0.0]
        + a(), b()
        + seconds = [0.0, 0.0]

        Another clock than the one that was given.
        - start = clock()
        + start = time.perf_counter()
        ...
        - seconds[place] = clock() - start
        + seconds[place] = time.perf_counter() - start

        0 seconds are taken for "has not run yet".
        - seconds = [0.0, 0.0]
        - programs = [(0, a), (1, b)]
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        -     start = clock()
        -     run()
        -     seconds[place] = clock() - start
        - return tuple(seconds)
        + seconds = [0.0, 0.0]
        + if rng.random() < 0.5:
        +     start = clock()
        +     a()
        +     seconds[0] = clock() - start
        + start = clock()
        + b()
        + seconds[1] = clock() - start
        + if not seconds[0]:
        +     start = clock()
        +     a()
        +     seconds[0] = clock() - start
        + return tuple(seconds)

        a always runs first, and the toss decides only in which order the times are returned. (hint 1)
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in programs:
        ...
        - return tuple(seconds)
        + return tuple(seconds if rng.random() < 0.5 else seconds[::-1])

        The times become whole numbers of seconds.
        - seconds = [0.0, 0.0]
        + seconds = np.zeros(2, int)

        The times become whole numbers of seconds.
        - seconds[place] = clock() - start
        + seconds[place] = int(clock() - start)

        The times are rounded, to some digits or to float32.
        - seconds[place] = clock() - start
        + seconds[place] = round(clock() - start, 6)

        The times are rounded, to some digits or to float32.
        - seconds = [0.0, 0.0]
        + seconds = np.zeros(2, np.float32)

        Whose time it is is found by comparing with a, but one program may be both a and b. (hint 3)
        + first = second = None
        + for run in (a, b) if rng.random() < 0.5 else (b, a):
        +     start = clock()
        +     run()
        +     if run is a:
        +         first = clock() - start
        +     else:
        +         second = clock() - start
        + return first, second
    """,
    "ratio-interval": """
        The ratio of the medians is returned. (hint 1)
        - return math.exp(np.median(logs)), math.exp(low), math.exp(high)
        + return np.median(a) / np.median(b), math.exp(low), math.exp(high)

        The mean of the logarithms is used, not their median. (hint 3)
        - return math.exp(np.median(logs)), math.exp(low), math.exp(high)
        + return math.exp(np.mean(logs)), math.exp(low), math.exp(high)

        b is divided by a. (hint 1)
        - logs = np.log(np.asarray(a) / np.asarray(b))
        + logs = np.log(np.asarray(b) / np.asarray(a))

        The exponential is missing: 0 then means equal. (hint 3)
        - return math.exp(np.median(logs)), math.exp(low), math.exp(high)
        + return np.median(logs), low, high

        The ends are still logarithms: their exponentials are missing. (hint 3)
        - return math.exp(np.median(logs)), math.exp(low), math.exp(high)
        + return math.exp(np.median(logs)), low, high

        The ratio is still a logarithm: its exponential is missing. (hint 3)
        - return math.exp(np.median(logs)), math.exp(low), math.exp(high)
        + return np.median(logs), math.exp(low), math.exp(high)

        The ends come from the ratios, without logarithms, so that the lower one can be -inf. (hint 3)
        - low, high = median_interval(logs, confidence)
        - return math.exp(np.median(logs)), math.exp(low), math.exp(high)
        + low, high = median_interval(np.exp(logs), confidence)
        + return math.exp(np.median(logs)), low, high

        Ratios without logarithms: for an even number of pairs their median differs. (hint 1)
        - logs = np.log(np.asarray(a) / np.asarray(b))
        - low, high = median_interval(logs, confidence)
        - return math.exp(np.median(logs)), math.exp(low), math.exp(high)
        + ratios = np.asarray(a) / np.asarray(b)
        + return np.median(ratios), *median_interval(ratios, confidence)

        Both are sorted first, which breaks up the pairs. (hint 1)
        - logs = np.log(np.asarray(a) / np.asarray(b))
        + logs = np.log(np.sort(a) / np.sort(b))

        The mean's interval. (hint 2)
        - low, high = median_interval(logs, confidence)
        + low, high = t_interval(logs, confidence)

        Always 95 %. (hint 2)
        - low, high = median_interval(logs, confidence)
        + low, high = median_interval(logs)

        The caller's arrays are changed.
        - logs = np.log(np.asarray(a) / np.asarray(b))
        + a /= b
        + logs = np.log(a)

        The numbers are rounded to float32.
        - logs = np.log(np.asarray(a) / np.asarray(b))
        + logs = np.log(np.asarray(a) / np.asarray(b)).astype(np.float32)
    """,
    "verdict": """
        The words are the wrong way round. (hint 2)
        - if low > 1:
        -     return "faster"
        - return "slower" if high < 1 else "no difference shown"
        + if low > 1:
        +     return "slower"
        + return "faster" if high < 1 else "no difference shown"

        A lower end of exactly 1 counts as outside. (hint 1)
        - if low > 1:
        + if low >= 1:

        An upper end of exactly 1 counts as outside. (hint 1)
        - return "slower" if high < 1 else "no difference shown"
        + return "slower" if high <= 1 else "no difference shown"

        The middle decides. (hint 3)
        - if low > 1:
        + if (low + high) / 2 > 1:

        The upper end decides. (hint 3)
        - if low > 1:
        + if high > 1:

        Compared with 0, as if it were a difference. (hint 3)
        - if low > 1:
        + if low > 0:

        A lower end just above 1 is not taken for one above 1. (hint 1)
        - if low > 1:
        + if low > 1 and not math.isclose(low, 1, rel_tol=1e-3):

        An upper end that is near 1 is taken for 1. (hint 1)
        - return "slower" if high < 1 else "no difference shown"
        + return "slower" if round(high, 3) < 1 else "no difference shown"

        An infinite end shows no difference.
        - if low > 1:
        + if low > 1 and high < math.inf:

        An interval whose two ends are equal is taken for none. (hint 1)
        - if low > 1:
        -     return "faster"
        - return "slower" if high < 1 else "no difference shown"
        + if 1 < low < high:
        +     return "faster"
        + return "slower" if low < high < 1 else "no difference shown"
    """,
    "compare": """
        Each program is measured for itself, one after the other, not in pairs. (hint 1)
        - found = repeat_until(measure, precise, pairs, max_seconds, clock)
        - return Comparison(*found.T, names, precision, environment(clock))
        + limits = {"precision": precision, "max_runs": pairs, "max_seconds": max_seconds, "clock": clock}
        + first, second = (benchmark(run, warmup=0, **limits).times for run in (a, b))
        + n = min(len(first), len(second))
        + return Comparison(first[:n], second[:n], names, precision, environment(clock))

        The seed is forgotten. (hint 3)
        - rng = np.random.default_rng(seed)
        + rng = np.random.default_rng(0)

        Only a is warmed up. (hint 1)
        - a()
        - b()
        + a()

        The warm-up is forgotten. (hint 1)
        - for _ in range(warmup):
        -     a()
        -     b()

        The times of a and b are exchanged. (hint 2)
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T[::-1], names, precision, environment(clock))

        It stops at a look before the interval is as narrow as asked, as when it shows a difference. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and not low <= 1 <= high

        The width is not compared with the ratio. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low <= 2 * precision

        The width is compared with precision times the ratio, not twice that. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low <= precision * ratio

        The width is compared with the middle of the interval. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low <= precision * (low + high)

        It is never precise enough, as where the precision is divided by the ratio. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low <= 2 * precision / ratio

        The width is that of the interval of the logarithms. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and np.log(high / low) <= 2 * precision

        The width is compared with the ratio of the medians. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + first, second = np.median(found, axis=0)
        + return precision is not None and high - low <= 2 * precision * first / second

        The interval is not that of the ratio, but say that of a alone. (hint 3)
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + times = np.transpose(found)[0]
        + ratio, (low, high) = np.median(times), median_interval(times)

        The interval is not that of the ratio, but that of b alone. (hint 3)
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + times = np.transpose(found)[1]
        + ratio, (low, high) = np.median(times), median_interval(times)

        The interval of the bootstrap. (hint 3)
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + first, second = np.transpose(found)
        + ratio, (low, high) = np.median(first / second), bootstrap_interval(first / second)

        The pairs are not transposed: rows of two times are not two rows. (hint 2)
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + ratio, low, high = ratio_interval(*np.reshape(found, (2, -1)))

        The warm-up draws from the generator of the pairs. (hint 1)
        - for _ in range(warmup):
        -     a()
        -     b()
        - rng = np.random.default_rng(seed)
        + rng = np.random.default_rng(seed)
        + for _ in range(warmup):
        +     time_pair(a, b, rng, clock)

        The names are forgotten.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T, ("a", "b"), precision, environment(clock))

        The precision is forgotten.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T, names, None, environment(clock))

        No limit to the time. (hint 1)
        - found = repeat_until(measure, precise, pairs, max_seconds, clock)
        + found = repeat_until(measure, precise, pairs, math.inf, clock)

        The environment is not recorded.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T, names, precision, {})

        The pairs are not transposed: rows of two times are not two rows. (hint 2)
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.reshape(2, -1), names, precision, environment(clock))

        Only the upper half of the interval is looked at. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - ratio <= precision * ratio

        Where the precision is None, another one takes its place. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return high - low <= 2 * (precision or 0.05) * ratio

        Another clock than the one that was given measures when the time is up. (hint 1)
        - found = repeat_until(measure, precise, pairs, max_seconds, clock)
        + found = repeat_until(measure, precise, pairs, max_seconds, time.perf_counter)

        The pairs are timed by another clock than the one that was given. (hint 1)
        - measure = lambda: time_pair(a, b, rng, clock)
        + measure = lambda: time_pair(a, b, rng, time.perf_counter)

        The warm-up counts against max_seconds. (hint 1)
        - for _ in range(warmup):
        + start = clock()
        + for _ in range(warmup):
        ...
        - found = repeat_until(measure, precise, pairs, max_seconds, clock)
        + found = repeat_until(measure, precise, pairs, max_seconds - (clock() - start), clock)

        The generator has no seed, or none where the seed is 0.
        - rng = np.random.default_rng(seed)
        + rng = np.random.default_rng(seed or None)

        The tosses are not those of one `np.random.default_rng(seed)`, from its first on. (hint 3)
        - rng = np.random.default_rng(seed)
        + rng = np.random.RandomState(seed)

        The given line with `check_limits` is gone.
        - check_limits(warmup, precision, pairs, max_seconds)

        `warmup` is handed on as `first_look`.
        - found = repeat_until(measure, precise, pairs, max_seconds, clock)
        + found = repeat_until(measure, precise, pairs, max_seconds, clock, warmup or 10)

        The halves of the interval are compared one by one, not its whole width. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + wider = max(high - ratio, ratio - low)
        + return precision is not None and wider <= precision * ratio

        In every pair the same program goes first, as where the generator is made anew for each. (hint 3)
        - measure = lambda: time_pair(a, b, rng, clock)
        + measure = lambda: time_pair(a, b, np.random.default_rng(seed), clock)

        In every pair the same program goes first, as where the generator is made anew for each. (hint 3)
        - measure = lambda: time_pair(a, b, rng, clock)
        + def measure():
        +     start = clock()
        +     a()
        +     middle = clock()
        +     b()
        +     return middle - start, clock() - middle

        The tosses are not those of one `np.random.default_rng(seed)`, from its first on. (hint 3)
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + nonlocal rng
        + rng = np.random.default_rng(seed)
        + ratio, low, high = ratio_interval(*np.transpose(found))

        Only b is warmed up. (hint 1)
        - a()
        - b()
        + b()

        The warm-up is made once less often than asked. (hint 1)
        - for _ in range(warmup):
        + for _ in range(1, warmup):

        The warm-up is made once, whatever `warmup` is. (hint 1)
        - for _ in range(warmup):
        -     a()
        -     b()
        + a()
        + b()

        Half of the warm-up is made. (hint 1)
        - for _ in range(warmup):
        + for _ in range(warmup // 2):

        a and b take turns in the warm-up, so that both together run `warmup` times, not each. (hint 1)
        - for _ in range(warmup):
        -     a()
        -     b()
        + for i in range(warmup):
        +     (a, b)[i % 2]()

        The warm-up has three runs of each, whatever `warmup` is. (hint 1)
        - for _ in range(warmup):
        + for _ in range(3):

        A warm-up of 0 is taken for none given.
        - for _ in range(warmup):
        + for _ in range(warmup or 3):

        The mean's interval, that of `t_interval`. (hint 3)
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + first, second = np.transpose(found)
        + logs = np.log(first / second)
        + ratio, (low, high) = np.exp(np.mean(logs)), np.exp(t_interval(logs))

        `high / low` is compared, not the width. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high / low <= (1 + precision) ** 2

        The interval has another confidence than 95 %.
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + ratio, low, high = ratio_interval(*np.transpose(found), 0.9)

        The width is compared with the lower end, not with the ratio. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low <= 2 * precision * low

        It goes on where the interval is exactly as wide as allowed. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low < 2 * precision * ratio

        The width is compared with the precision alone where the ratio is below 1. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low <= 2 * precision * max(ratio, 1)

        The ratio and its interval are those of b over a. (hint 3)
        - ratio, low, high = ratio_interval(*np.transpose(found))
        + ratio, low, high = ratio_interval(*np.transpose(found)[::-1])

        The times are in milliseconds, not in seconds.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T * 1e3, names, precision, environment(clock))

        The times are rounded, to some digits or to float32.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*np.round(found.T, 6), names, precision, environment(clock))

        The times are rounded, to some digits or to float32.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T.astype(np.float32), names, precision, environment(clock))

        A precision of None is recorded as another one.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T, names, precision or 0.05, environment(clock))

        `max_seconds` is not handed on. (hint 1)
        - found = repeat_until(measure, precise, pairs, max_seconds, clock)
        + found = repeat_until(measure, precise, pairs, 10.0, clock)

        That `precision` may be None is forgotten. (hint 3)
        - return precision is not None and high - low <= 2 * precision * ratio
        + return high - low <= 2 * precision * ratio

        The environment is that of another clock than the one that was given.
        - return Comparison(*found.T, names, precision, environment(clock))
        + return Comparison(*found.T, names, precision, environment())
    """,
}
