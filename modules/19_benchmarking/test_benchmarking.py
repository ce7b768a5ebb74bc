"""Tests of module 19, which `make release 19` makes from benchmarking.py."""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from tinytorch.benchmarking import (
    KINDS,
    Comparison,
    SimulatedMachine,
    autocorrelation,
    bootstrap_interval,
    compare,
    coverage,
    drift,
    median_interval,
    ratio_interval,
    repeat_until,
    t_interval,
    time_pair,
    verdict,
)


@pytest.mark.stub("coverage", points=4)
def test_each_end_belongs_to_the_interval():
    for ends, wanted in [
        ((1.0, 3.0), 1),
        ((1.0, 2.0), 1),
        ((2.0, 3.0), 1),
        ((2.1, 3.0), 0),
        ((1.0, 1.9), 0),
        ((1.0, 2 - 1e-9), 0),
    ]:
        found = coverage(lambda rng: 3 * rng.random(3), lambda times, ends=ends: ends, 2.0, 4)
        assert found == wanted, (
            f"four times the interval {ends}, the truth 2.0: a share of {wanted}, not {found}"
        )


def seven_draws(seed):
    """What is drawn in seven repetitions."""
    drawn = []
    coverage(
        lambda rng: rng.random(4),
        lambda times: drawn.append(np.array(times)) or (0, 1),
        0.5,
        7,
        seed=seed,
    )
    return drawn


@pytest.mark.stub("coverage", points=4)
def test_every_repetition_draws_anew_from_one_generator():
    for seed in (5, 0):
        drawn = seven_draws(seed)
        assert len(drawn) == 7, f"repeats=7: `interval` is called 7 times, not {len(drawn)}"
        kind = drawn[0].dtype.name
        assert kind == "float64", f"`interval` gets the times in float64, as drawn, not {kind}"
        same = np.array_equal(drawn, seven_draws(seed))
        assert same, f"seed={seed}, in two calls: the same draws"
        wanted = np.random.default_rng(seed).random((7, 4))
        message = f"seven draws, one after another, from np.random.default_rng({seed})"
        np.testing.assert_array_equal(drawn, wanted, err_msg=message)


@pytest.mark.stub("coverage", points=4)
def test_the_share_is_not_rounded():
    below = np.random.default_rng(0).random((7, 1)) < 0.7
    found = coverage(lambda rng: rng.random(1), lambda times: (0, 1 if times[0] < 0.7 else 0), 0.5, 7)
    hits = int(below.sum())
    assert math.isclose(found, hits / 7), f"{hits} hits of 7 are {hits / 7:.6f}, not {found:.6f}"


@pytest.mark.stub("coverage", points=4)
def test_the_share_of_a_known_rule():
    for p, repeats in ((0.25, 2000), (0.9, 2000)):
        found = coverage(lambda rng: rng.random(1), lambda times, p=p: (0, p - times[0]), 0, repeats)
        assert p - 0.04 < found < p + 0.04, (
            f"{repeats} intervals, each right with probability {p}: a share of about {p}, not {found:.3f}"
        )


@pytest.mark.stub("coverage", points=4)
def test_a_share_is_a_float():
    found = coverage(lambda rng: rng.random(2), lambda times: (0, 1), 0.5, 3)
    assert isinstance(found, float), f"a float is wanted, not {type(found).__name__}"


@pytest.mark.stub("t-interval", points=2)
def test_the_interval_by_scipy():
    rng = np.random.default_rng(1)
    for n, confidence in ((5, 0.95), (2, 0.95), (40, 0.9), (40, 0.99)):
        times = rng.exponential(size=n)
        before = times.copy()
        wanted = stats.t.interval(confidence, n - 1, times.mean(), stats.sem(times))
        found = t_interval(times, confidence)
        np.testing.assert_allclose(
            found, wanted, rtol=1e-9, err_msg=f"{n} runs, confidence {confidence}: (low, high)"
        )
        kept = np.array_equal(times, before)
        assert kept, "the caller's times must not change"


@pytest.mark.stub("t-interval", points=2)
def test_a_list_will_do():
    np.testing.assert_allclose(
        t_interval([1.0, 2.0, 3.0]),
        (-0.48414, 4.48414),
        rtol=1e-4,
        err_msg="t_interval([1.0, 2.0, 3.0])",
    )


@pytest.mark.stub("bootstrap-interval", points=5)
def test_a_resample_is_as_large_as_the_sample_and_holds_nothing_else():
    times, seen = np.array([5.1, 1.0, 2.0, 7.0, 7.0]), []

    def statistic(samples, *by_place, axis=None):
        named = axis is not None and not by_place
        assert named, "`statistic(samples, axis=1)` is wanted, with the axis by its name"
        seen.append(np.array(samples))
        return np.mean(samples, axis=axis)

    bootstrap_interval(times, statistic, resamples=300, seed=3)
    assert seen, "`statistic` is to be called, which need not be the median"
    samples = np.concatenate([np.atleast_2d(rows) for rows in seen])
    assert samples.shape == (300, 5), f"300 resamples of 5 times are wanted, not {samples.shape}"
    strange = set(samples.ravel().tolist()) - {5.1, 1, 2, 7}
    assert not strange, f"a resample holds the times 5.1, 1, 2, 7, 7; here {strange} too"
    shuffled = sum(sorted(row) == sorted(times) for row in samples) / 300
    assert shuffled < 0.2, (
        f"1 of 10 resamples is the five times in another order, not {shuffled:.0%}: draw with replacement"
    )
    for drawn, wanted in ((5.1, 0.2), (1, 0.2), (2, 0.2), (7, 0.4)):
        share = np.mean(samples == drawn)
        assert wanted - 0.08 < share < wanted + 0.08, (
            f"of what is drawn from 5.1, 1, 2, 7, 7, {wanted:.0%} are {drawn}, not {share:.0%}"
        )
    np.testing.assert_array_equal(times, [5.1, 1, 2, 7, 7], err_msg="the caller's times must not change")


@pytest.mark.stub("bootstrap-interval", points=5)
def test_the_bootstrap_by_scipy():
    times = np.random.default_rng(2).exponential(size=30)
    for statistic, confidence in (
        (np.mean, 0.95),
        (np.mean, 0.8),
        (np.std, 0.95),
        (np.median, 0.9),
    ):
        wanted = stats.bootstrap(
            (times,),
            statistic,
            confidence_level=confidence,
            method="percentile",
            n_resamples=9999,
            rng=1,
        ).confidence_interval
        found = bootstrap_interval(times, statistic, confidence, resamples=9999)
        np.testing.assert_allclose(
            found,
            wanted,
            atol=0.03,
            err_msg=f"{statistic.__name__}, confidence {confidence}: the ends, by SciPy",
        )


@pytest.mark.stub("bootstrap-interval", points=5)
def test_the_seed_makes_it_repeatable():
    times = np.random.default_rng(3).exponential(size=20)
    first, again, zero, zero_again, other = (
        tuple(map(float, bootstrap_interval(times, np.mean, seed=seed))) for seed in (4, 4, 0, 0, 5)
    )
    for seed, same in ((4, first == again), (0, zero == zero_again)):
        assert same, f"seed={seed}, in two calls: the same ends"
    different = first != other
    assert different, f"seeds 4 and 5 are to draw different resamples, not both {first}"
    before = np.random.get_state()[1]
    bootstrap_interval(times, np.mean)
    kept = np.array_equal(before, np.random.get_state()[1])
    assert kept, "NumPy's global generator belongs to the caller: use one of your own"


@pytest.mark.stub("bootstrap-interval", points=5)
def test_a_list_of_whole_numbers_will_do():
    times = [11, 12, 14, 18, 20]
    every = np.std(list(itertools.product(times, repeat=5)), axis=1)
    np.testing.assert_allclose(
        bootstrap_interval(times, np.std, resamples=9999),
        np.quantile(every, [0.025, 0.975]),
        atol=0.1,
        err_msg=f"{times}, np.std: the ends, by all 3125 resamples that are possible",
    )


@pytest.mark.stub("bootstrap-interval", points=5)
def test_of_few_resamples_two_ends_are_left():
    times = np.random.default_rng(3).exponential(size=20)
    low, high = bootstrap_interval(times, np.mean, resamples=10)
    assert low < high, f"10 resamples: two ends are wanted, not {low:.3f} and {high:.3f}"


def ranks_by_counting(n, confidence):
    """The largest k with 2 P(B <= k - 1) <= 1 - confidence, by whole numbers."""
    k = 0
    while 2 * sum(math.comb(n, i) for i in range(k + 1)) <= (1 - confidence) * 2**n:
        k += 1
    return k


@pytest.mark.stub("median-interval", points=6)
def test_few_runs_have_no_interval():
    found = [tuple(map(float, median_interval(np.arange(1.0, n + 1)))) for n in (1, 2, 5)]
    assert found == [(-math.inf, math.inf)] * 3, (
        f"the times 1 to n, for n = 1, 2, 5, cannot give 95 %: (-inf, inf), not {found}"
    )


@pytest.mark.stub("median-interval", points=6)
def test_the_ranks():
    for confidence in (0.95, 0.99, 0.8, 0.5, 0.75):
        for sizes in ((20, 100, 150), (6, 7, 8, 9, 10, 11), (33, 257, 5, 3, 2)):
            ranks = [(ranks_by_counting(n, confidence), n) for n in sizes]
            wanted = [(k, n + 1 - k) if k else (-math.inf, math.inf) for k, n in ranks]
            found = [median_interval(np.arange(1.0, n + 1), confidence) for n in sizes]
            found = [tuple(map(float, ends)) for ends in found]
            assert found == wanted, (
                f"the times 1 to n, for n = {sizes}, confidence {confidence}: {wanted}, not {found}"
            )


@pytest.mark.stub("median-interval", points=6)
def test_order_does_not_matter_and_stays():
    times = np.random.default_rng(0).permutation(np.arange(1.0, 13.0) + 2.1)
    before = times.copy()
    found = tuple(map(float, median_interval(times)))
    np.testing.assert_array_equal(times, before, err_msg="the caller's array must not be sorted")
    assert found == (5.1, 12.1), f"of 3.1 to 14.1 in any order: (5.1, 12.1), not {found}"
    listed = tuple(map(float, median_interval(times.tolist())))
    assert listed == found, f"a list has the ends of an array, {found}, not {listed}"


@pytest.mark.stub("median-interval", points=6)
def test_each_of_equal_times_counts():
    for times in ([1, 1, 1, 1, 2, 2, 3, 3, 3, 4], [1, 2, 1, 1, 2, 1, 1, 1, 2, 1]):
        wanted = tuple(map(float, np.sort(times)[[1, 8]]))
        found = tuple(map(float, median_interval(np.array(times))))
        assert found == wanted, f"of {times} the second and the ninth in order, {wanted}, not {found}"


@pytest.mark.stub("median-interval", points=6)
def test_it_contains_the_median_of_skewed_times():
    for n in (7, 10, 40):
        found = coverage(
            lambda rng, n=n: KINDS["skewed"].draw(rng, n),
            median_interval,
            KINDS["skewed"].median,
        )
        assert found >= 0.93, f"{n} skewed runs: 95 of 100 intervals contain the truth, not {found:.0%}"


@pytest.mark.stub("autocorrelation", points=3)
def test_by_hand():
    for times, wanted in [
        ([4.0, 3.0, 5.0, 1.0, 6.0, 2.0], -59 / 70),
        ([4.0, 2.0, 1.0, 3.0], -0.15),
        ([1.0, 2.0, 3.0, 100.0], 0.25),
        ([2.0, 1.0, 2.0, 1.0, 2.0, 1.0], -5 / 6),
        ([3.0, 1.0, 2.0], -0.5),
        ([1.0, 1.0, 2.0, 3.0, 3.0, 2.0, 5.0], 27 / 106),
        ([1.0, 2.0, 3.0, 1.0], -5 / 18),
        ([30.0e-9, 30.1e-9, 30.2e-9, 31.0e-9], 0.25),
        ([1.0, 1.0 + 1e-9, 1.0 + 2e-9, 1.0 + 3e-9], 0.25),
        ([1.0, 2.0], -0.5),
    ]:
        found = autocorrelation(np.array(times))
        assert isinstance(found, float), f"a float is wanted, not {found!r}"
        assert math.isclose(found, wanted, abs_tol=1e-9), (
            f"the ranks of {times} have r_1 = {wanted:.4f}, not {found:.4f}"
        )


@pytest.mark.stub("autocorrelation", points=3)
def test_equal_times_have_none():
    for times in ([2.0] * 8, [0.1] * 3):
        found = autocorrelation(times)
        assert found == 0.0, f"equal times, {times}: 0.0, not {found}"
        assert isinstance(found, float), f"equal times: the float 0.0, not {found!r}"


@pytest.mark.stub("autocorrelation", points=3)
def test_a_machine_that_remembers():
    rng = np.random.default_rng(6)
    for name, wanted in (
        ("calm", 0.0),
        ("autocorrelated 0.5", 0.5),
        ("autocorrelated 0.9", 0.9),
    ):
        found = autocorrelation(KINDS[name].draw(rng, 4000))
        assert abs(found - wanted) < 0.06, f"{name}: about {wanted}, not {found:.3f}"


@pytest.mark.stub("autocorrelation", points=3)
def test_an_outlier_counts_as_one_run():
    times = KINDS["autocorrelated 0.9"].draw(np.random.default_rng(7), 300)
    times[150] = 1e6
    found = autocorrelation(times)
    assert found > 0.7, f"one interruption among 300 runs changes little: 0.8 or so, not {found:.3f}"


@pytest.mark.stub("drift", points=3)
def test_a_trend_is_measured_by_quarters():
    for n in (8, 11, 24):
        up = np.linspace(1, 3, n) ** 3
        up[[0, 1]] = up[[1, 0]]
        for times in (up, up[::-1], 1e-10 * up):
            before = times.copy()
            wanted = float(np.median(times[n - n // 4 :]) / np.median(times[: n // 4]) - 1)
            found = drift(times)
            assert isinstance(found, float), f"a float is wanted, not {found!r}"
            assert math.isclose(found, wanted, rel_tol=1e-9), (
                f"{n} runs, {times[0]:g} s to {times[-1]:g} s: the medians of the last "
                f"and the first {n // 4} give {wanted:+.10g}, not {found:+.10g}"
            )
            kept = np.array_equal(times, before)
            assert kept, "the caller's times must not change"


@pytest.mark.stub("drift", points=3)
def test_few_or_equal_times_do_not_drift():
    for times in ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [3.0] * 30, [0.0] * 30):
        with np.errstate(invalid="ignore"):
            found = drift(times)
        assert found == 0.0, f"{len(times)} runs, the first {times[0]} s: 0.0, not {found}"
        assert isinstance(found, float), f"the float 0.0 is wanted, not {found!r}"


@pytest.mark.stub("drift", points=3)
def test_chance_is_no_drift():
    rng = np.random.default_rng(8)
    alarms = [drift(KINDS["outliers"].draw(rng, 40)) != 0 for _ in range(200)]
    assert np.mean(alarms) < 0.04, f"a machine that does not drift: 1 alarm in 100, not {np.mean(alarms):.0%}"


@pytest.mark.stub("drift", points=3)
def test_kendalls_test_decides():
    for times, p, wanted in (
        ([1, 6, 2, 5, 4, 7, 3, 9, 8, 10, 11, 12], 0.0005, 4.5),
        ([3, 5, 2, 4, 6, 8, 7, 10, 1, 11, 9, 12], 0.0088, 8 / 3),
        ([4, 1, 3, 8, 5, 2, 11, 12, 9, 6, 10, 14, 13, 7], 0.0138, 0.0),
        ([2, 2, 2, 3, 3, 3, 3, 3], 0.0253, 0.0),
    ):
        found = drift(times)
        assert math.isclose(found, wanted, rel_tol=1e-9), (
            f"{times}: Kendall's p-value is {p}, so {wanted:+.4f}, not {found:+.4f}"
        )


@pytest.mark.stub("drift", points=3)
def test_a_drifting_machine_is_found():
    rng = np.random.default_rng(9)
    found = np.array([drift(KINDS["drifting"].draw(rng, 100)) for _ in range(100)])
    assert (found > 0).mean() > 0.9, (
        f"20 % over 100 runs is found in nearly all series, not in {(found > 0).mean():.0%}"
    )
    typical = np.median(found)
    assert 0.1 < typical < 0.2, f"from quarter to quarter the machine slows by 15 %, not by {typical:.1%}"


def repeated(enough, most, max_seconds, seconds=1.0, looking=0.0, **options):
    """How many measurements of so many seconds were made, and when `precise` was called."""
    machine, asked, made = SimulatedMachine([1.0]), [], []
    work, machine.now = machine.program(seconds), 100.0

    def measure():
        endless = len(made) >= 1000
        assert not endless, f"most={most}, max_seconds={max_seconds}: it does not end"
        work()
        made.append(0.4 / len(made) if made else 0.0)
        return made[-1]

    def precise(found):
        listed = isinstance(found, list | np.ndarray)
        assert listed, f"precise is given the list of measurements, not {found!r}"
        assert list(found) == made, f"precise is given the {len(made)} measurements so far, not {found}"
        asked.append(len(found))
        machine.now += looking
        return np.bool_(len(found) >= enough)

    found = repeat_until(measure, precise, most, max_seconds, machine.clock, **options)
    assert isinstance(found, np.ndarray), f"an array is wanted, not {type(found).__name__}"
    np.testing.assert_array_equal(found, made, err_msg="all measurements, in their order")
    return len(made), asked


@pytest.mark.stub("repeat-until", points=5)
def test_it_looks_rarely_and_stops_when_it_is_enough():
    for enough, options, wanted in [
        (11, {}, (20, [10, 20])),
        (1, {}, (10, [10])),
        (75, {}, (80, [10, 20, 40, 80])),
        (400, {}, (640, [10, 20, 40, 80, 160, 320, 640])),
        (5, {"first_look": 3}, (6, [3, 6])),
        (1, {"first_look": 1}, (1, [1])),
    ]:
        found = repeated(enough, 1000, 1e9, **options)
        assert found == wanted, (
            f"enough at {enough}, {options or 'first_look=10'}: {wanted[0]} measurements, "
            f"looked at after {wanted[1]}, not {found}"
        )


@pytest.mark.stub("repeat-until", points=5)
def test_it_never_makes_more_than_allowed():
    for most in (7, 1, 10, 33):
        made, asked = repeated(1e9, most, 1e9)
        assert made == most, f"most={most} and never precise: {most} measurements, not {made}"
        assert {10, 20, 40}.issuperset(asked), (
            f"most={most}: precise is called only after 10, 20, 40, ..., not after {asked}"
        )


@pytest.mark.stub("repeat-until", points=5)
def test_it_ends_in_time():
    for max_seconds, seconds, wanted in (
        (1.0, 3.0, 1),
        (5.5, 1.0, 6),
        (5.0, 1.0, 5),
        (0.0, 1.0, 1),
        (10.0, 1.0, 10),
        (100.0, 8.0, 13),
    ):
        made, _ = repeated(1e9, 1000, max_seconds, seconds)
        assert made == wanted, (
            f"measurements of {seconds} s, max_seconds={max_seconds}: {wanted}, not {made}; "
            "the first is always made, and no other begins when the time is up"
        )
    made, _ = repeated(1e9, 1000, 15.0, looking=100.0)
    assert made == 10, (
        "measurements of 1 s, max_seconds=15, and `precise` takes 100 s: none after the first "
        f"look, so 10, not {made}"
    )


@pytest.mark.stub("repeat-until", points=5)
def test_pairs_are_rows():
    found = repeat_until(lambda: (1.0, 2.0), lambda found: False, 4, 9.0, lambda: 0.0)
    assert np.shape(found) == (4, 2), f"four pairs make an array of shape (4, 2), not {np.shape(found)}"


def pairs_of(count, seed=0):
    """The times of pairs of programs of 3 s and 1 s, and the order of the runs, as letters."""
    machine, order, times = SimulatedMachine([1.0]), [], []
    programs = {}
    for name, seconds in (("a", 3.0), ("b", 1.0)):
        work = machine.program(seconds)
        programs[name] = lambda name=name, work=work: (order.append(name), work())

    class Coin(np.random.Generator):
        """A generator that takes a second for each toss."""

        def __getattribute__(self, name):
            machine.now += 1.0
            return super().__getattribute__(name)

    rng = Coin(np.random.PCG64(seed))
    for _ in range(count):
        pair = time_pair(programs["a"], programs["b"], rng, machine.clock)
        assert np.shape(pair) == (2,), f"the seconds of a and those of b, not {pair!r}"
        times.append(tuple(map(float, pair)))
    return times, "".join(order)


@pytest.mark.stub("time-pair", points=5)
def test_each_runs_once_and_has_its_own_time():
    times, order = pairs_of(50)
    assert len(order) == 100, f"a and b run once each in 50 pairs: 100 runs, not {len(order)}"
    by_first = {"a": set(), "b": set()}
    for pair, seconds in enumerate(times):
        ran = order[2 * pair : 2 * pair + 2]
        assert sorted(ran) == ["a", "b"], f"in a pair a and b run once each, not {ran!r}"
        by_first[ran[0]].add(seconds)
    elsewhere = all(0 < max(seconds) < 0.1 for seconds in times)
    assert not elsewhere, "on `clock` a took 3 s and b 1 s; other times were returned"
    first_a, first_b = (sorted(found) for found in by_first.values())
    right = set(first_a + first_b) == {(3.0, 1.0)}
    assert right, (
        "a takes 3 s and b 1 s, so (3.0, 1.0); where a ran first it gave "
        f"{first_a[:2]}, where b ran first {first_b[:2]}"
    )


@pytest.mark.stub("time-pair", points=5)
def test_a_coin_decides_who_goes_first():
    _, order = pairs_of(400)
    firsts = order[::2]
    share = firsts.count("a") / 400
    assert 0.4 < share < 0.6, f"a goes first in half of the pairs, not in {share:.0%}"
    changes = np.mean([x != y for x, y in itertools.pairwise(firsts)])
    assert 0.4 < changes < 0.6, (
        f"a coin repeats its last result in half of its tosses, not in {1 - changes:.0%}: "
        "the order must not follow a pattern"
    )


@pytest.mark.stub("time-pair", points=5)
def test_the_generator_tosses_the_coin():
    same, again, other = (
        pairs_of(30, seed=1)[1],
        pairs_of(30, seed=1)[1],
        pairs_of(30, seed=2)[1],
    )
    repeatable = same == again
    assert repeatable, "generators with the same seed give the same order"
    different = same != other
    assert different, f"generators with the seeds 1 and 2 give the same order, {same}"


@pytest.mark.stub("time-pair", points=5)
def test_a_program_may_take_no_time():
    machine, rng = SimulatedMachine([1.0]), np.random.default_rng(0)
    none, third = machine.program(0.0), machine.program(1 / 3)
    for _ in range(20):
        machine.runs, machine.now = 0, 0.0
        found = tuple(map(float, time_pair(none, third, rng, machine.clock)))
        runs = machine.runs
        assert runs == 2, f"a takes 0 s and b 1/3 s: two runs in a pair, not {runs}"
        assert found[0] == 0.0, f"a takes 0 s and b 1/3 s: 0.0 for a, not {found[0]}"
        assert found == (0.0, 1 / 3), f"a takes 0 s and b 1/3 s, not {found}, unrounded"


@pytest.mark.stub("time-pair", points=5)
def test_one_program_may_be_both():
    machine, rng = SimulatedMachine([1.0, 2.0]), np.random.default_rng(0)
    run = machine.program(1.0)
    pairs = [time_pair(run, run, rng, machine.clock) for _ in range(40)]
    found = sorted({tuple(x and float(x) for x in pair) for pair in pairs}, key=str)
    assert found == [(1.0, 2.0), (2.0, 1.0)], (
        "one program as a and as b, and its second run takes 2 s: by the coin (1.0, 2.0) or "
        f"(2.0, 1.0), not {found}"
    )


@pytest.mark.stub("ratio-interval", points=4)
def test_ratio_and_interval_by_hand():
    rng = np.random.default_rng(14)
    for n, confidence in ((7, 0.95), (10, 0.95), (41, 0.8)):
        ratios, b = np.exp(rng.standard_normal(n)), rng.uniform(1, 9, n)
        logs, k = np.sort(np.log(ratios)), ranks_by_counting(n, confidence)
        wanted = np.exp([np.median(logs), logs[k - 1], logs[n - k]])
        a = ratios * b
        before = a.copy(), b.copy()
        found = ratio_interval(a, b, confidence)
        np.testing.assert_allclose(
            found,
            wanted,
            rtol=1e-9,
            err_msg=f"{n} pairs, confidence {confidence}: (ratio, low, high), to nine digits",
        )
        kept = np.array_equal((a, b), before)
        assert kept, "the caller's times must not change"


@pytest.mark.stub("ratio-interval", points=4)
def test_what_slows_both_cancels():
    rng = np.random.default_rng(15)
    slow = rng.exponential(size=20) + 0.1
    np.testing.assert_allclose(
        ratio_interval(3 * slow, slow),
        (3.0, 3.0, 3.0),
        rtol=1e-9,
        err_msg="each a takes 3 times as long as its b, to nine digits",
    )


@pytest.mark.stub("ratio-interval", points=4)
def test_the_programs_can_change_places():
    rng = np.random.default_rng(16)
    a, b = rng.exponential(size=(2, 12))
    ratio, low, high = ratio_interval(a, b)
    np.testing.assert_allclose(
        ratio_interval(b, a),
        (1 / ratio, 1 / high, 1 / low),
        rtol=1e-9,
        err_msg="b over a, from a over b",
    )


@pytest.mark.stub("ratio-interval", points=4)
def test_few_pairs_say_nothing():
    found = tuple(ratio_interval(np.array([2.0, 4.0]), np.array([1.0, 1.0])))
    np.testing.assert_allclose(found, (8**0.5, 0, math.inf), err_msg="two pairs: no interval but (0, inf)")


@pytest.mark.stub("verdict", points=2)
def test_verdicts():
    for ends, wanted in [
        ((3.1, 3.7), "faster"),
        ((1.000001, 1.002), "faster"),
        ((2.0, math.inf), "faster"),
        ((3.0, 3.0), "faster"),
        ((0.2, 0.5), "slower"),
        ((0.98, 0.999999), "slower"),
        ((0.5, 0.5), "slower"),
        ((0.98, 1.03), "no difference shown"),
        ((1.0, 1.03), "no difference shown"),
        ((0.9, 1.0), "no difference shown"),
        ((0.0, math.inf), "no difference shown"),
    ]:
        found = verdict(*ends)
        assert found == wanted, (
            f"an interval of a over b from {ends[0]} to {ends[1]}: {wanted!r}, not {found!r}"
        )


def compared(kind, seed, seconds=(1.0, 1.0), **options):
    """Programs of so many seconds, compared on a simulated machine."""
    machine = SimulatedMachine(KINDS[kind].draw(np.random.default_rng(1000 + seed), 2100))
    a, b = map(machine.program, seconds)
    options = {"max_seconds": 1e9, "seed": seed, "clock": machine.clock} | options
    return compare(a, b, **options), machine


@pytest.mark.stub("compare", points=6)
def test_the_ratio_is_that_of_a_over_b():
    found, _ = compared("calm", 0, (0.006, 0.002), warmup=2, precision=None, pairs=50)
    assert isinstance(found, Comparison), f"a Comparison is wanted, not {type(found).__name__}"
    assert len(found.a) == len(found.b) == 50, (
        f"precision=None, pairs=50: 50 times of each, not {len(found.a)}, {len(found.b)}"
    )
    elsewhere = np.median(found.a) < 1e-3
    assert not elsewhere, "on `clock` a takes 6 ms and b 2 ms; the pairs have other times"
    mixed = max(np.max(times) / np.min(times) for times in (found.a, found.b)) > 2
    assert not mixed, "all times of a are about 6 ms, and all of b about 2 ms; here both are mixed"
    assert 2.7 < found.ratio < 3.3, (
        f"a takes 3 times as long as b, so the ratio is about 3, not {found.ratio:.3f}"
    )
    assert found.verdict == "faster", f"b takes a third of the time: 'faster', not {found.verdict!r}"


def letters(run):
    """The order in which `run(a, b)` calls a and b."""
    order = []
    run(lambda: order.append("a"), lambda: order.append("b"))
    return "".join(order)


@pytest.mark.stub("compare", points=6)
def test_both_are_warmed_up():
    limits = {"precision": None, "pairs": 8, "max_seconds": 1e9}
    for warmup in (5, 0):
        clock = itertools.count(0.0, 2**-20).__next__
        order = letters(functools.partial(compare, warmup=warmup, clock=clock, **limits))
        found = order.count("a"), order.count("b")
        assert found == (warmup + 8, warmup + 8), (
            f"warmup={warmup}, pairs=8: a and b run {warmup + 8} times each, not {found}"
        )


def in_turn(machine, times):
    runs = map(machine.program, times)
    return lambda: next(runs)()


def check_stops(a, b, precisions):
    """With programs of these seconds it stops where the interval by hand is narrow enough."""
    width, wanted, found = {}, [], []
    for n in (10, 20, 40, 80, 160, 320, 640):
        ratios, k = np.sort(a[:n] / b[:n]), ranks_by_counting(n, 0.95)
        width[n] = (ratios[n - k] - ratios[k - 1]) / np.exp(np.median(np.log(ratios)))
    for precision in precisions:
        machine = SimulatedMachine([1.0])
        limits = {"pairs": 640, "max_seconds": 1e9, "clock": machine.clock}
        programs = in_turn(machine, a), in_turn(machine, b)
        got = compare(*programs, warmup=0, precision=precision, **limits)
        found.append(len(got.a))
        wanted.append(next(n for n in width if width[n] <= 2 * precision or n == 640))
        exact = np.allclose((got.a[0], got.b[0]), (a[0], b[0]), rtol=1e-9, atol=0)
        assert exact, (
            f"the first pair took {a[0]:.12f} and {b[0]:.12f} s, not {got.a[0]:.12f} and {got.b[0]:.12f}"
        )
    assert found == wanted, (
        f"ratios of about {np.median(a / b):.1f}, precision = {precisions}: {wanted} pairs "
        f"are enough, not {found}"
    )


@pytest.mark.stub("compare", points=6)
def test_it_stops_when_the_interval_is_narrow_enough():
    z = np.random.default_rng(2).standard_normal(640)
    b = 1e-3 * np.exp(z / 2)
    a = 1.5 * b * np.exp(np.abs(z))
    check_stops(a, b, (0.35, 0.29, 0.27, 0.24, 0.23, 0.21, 0.17))
    check_stops(b, a, (0.4, 0.29, 0.21))
    a = np.tile([0.5, 1, 2, 1, 0.5, 1, 2, 1, 0.5, 2], 64)
    check_stops(a / 1024, np.ones(640) / 1024, (0.75,))


@pytest.mark.stub("compare", points=6)
def test_limits_of_a_comparison():
    found, _ = compared("calm", 2, (0.1, 0.1), precision=1e-9, pairs=23)
    assert len(found.a) == 23, f"pairs=23 and a precision out of reach: 23 pairs, not {len(found.a)}"
    machine = SimulatedMachine([1.0])
    found = compare(
        machine.program(1.0),
        machine.program(2.0),
        precision=None,
        max_seconds=10.0,
        clock=machine.clock,
    )
    assert len(found.a) == 4, (
        "a warm-up of 9 s and then pairs of 3 s, max_seconds=10 from the first pair on: 4 "
        f"pairs, not {len(found.a)}"
    )
    found = compare(*[machine.program(1.0)] * 2, max_seconds=1e9, clock=machine.clock)
    assert len(found.a) == 10, (
        "a and b always take 1 s, max_seconds=1e9: it looks after 10 pairs, and that is "
        f"enough, not {len(found.a)}"
    )
    for wrong in ({"warmup": -1}, {"precision": 0.0}):
        with pytest.raises(ValueError, match=r"\w"):
            compared("calm", 2, pairs=5, **wrong)


@pytest.mark.stub("compare", points=6)
def test_names_and_environment():
    found, _ = compared("calm", 3, names=("old", "new"), precision=0.2)
    assert tuple(found.names) == ("old", "new"), f"the names are 'old' and 'new', not {found.names}"
    assert found.precision == 0.2, f"the precision is 0.2, not {found.precision}"
    none = compared("calm", 3, precision=None, pairs=5)[0].precision
    assert none is None, f"precision=None is to be recorded as None, not {none}"
    assert found.environment.get("clock") == "clock", "environment(clock) must be recorded"


@pytest.mark.stub("compare", points=6)
def test_the_order_comes_from_the_seed():
    clock, orders = itertools.count().__next__, []
    for seed, warmup in ((0, 2), (0, 2), (0, 0), (1, 2)):
        limits = {"warmup": warmup, "precision": None, "pairs": 40, "max_seconds": 1e9}
        order = letters(functools.partial(compare, seed=seed, clock=clock, **limits))
        orders.append(order[2 * warmup :])
    first, again, cold, other = orders
    same = first == again
    assert same, "seed=0, in two calls: the same order of the pairs"
    same = first == cold
    assert same, "the same order of the pairs, whether a warm-up comes before them or not"
    firsts = {first[::2], other[::2]}
    changes = not firsts & {"a" * 40, "b" * 40}
    assert changes, "who goes first changes; here it is the same program in all 40 pairs"
    different = cold != other
    assert different, "the seeds 0 and 1 are to give different orders, not the same"
    for seed, order in ((0, first), (1, other)):
        rng = np.random.default_rng(seed)
        pairs = functools.partial(time_pair, rng=rng, clock=clock)
        wanted = "".join(letters(pairs) for _ in range(40))
        right = order in (wanted, wanted.translate(str.maketrans("ab", "ba")))
        assert right, f"seed={seed}: the order by time_pair with np.random.default_rng({seed})"


@pytest.mark.stub("compare", points=6)
def test_one_program_twice_shows_no_difference():
    for kind in ("drifting", "autocorrelated 0.9"):
        found = [compared(kind, seed, precision=0.05)[0].verdict for seed in range(50)]
        share = found.count("no difference shown") / 50
        assert share >= 0.86, f"{kind}, one program as a and b: 95 of 100 show no difference, not {share:.0%}"
