"""Module 19: on simulated timings of known truth, intervals contain it as often as they say; where they do not, it is told."""

import json
import math
import time
from functools import partial

import matplotlib
import numpy as np
import pytest

import tinytorch
from tinytorch import benchmarking as b
from tinytorch.given.benchmarking.describing import outside, sentences
from tinytorch.given.benchmarking.simulating import KINDS, SimulatedMachine
from tinytorch.given.benchmarking.units import in_units, interval_text
from tinytorch.utils.benchmark import Timer

matplotlib.use("Agg")
INDEPENDENT = ("calm", "skewed", "outliers", "drifting")
REPEATS = 600
every_kind = pytest.mark.parametrize("kind", KINDS)
independent = pytest.mark.parametrize("kind", INDEPENDENT)


def machine_of(kind, seed, runs):
    return SimulatedMachine(KINDS[kind].draw(np.random.default_rng(seed), runs))


@every_kind
def test_the_truth_of_a_kind_is_what_is_written_there(kind):
    draws = np.concatenate([KINDS[kind].draw(np.random.default_rng(seed), 2000) for seed in range(200)])
    assert np.median(draws) == pytest.approx(KINDS[kind].median, rel=2e-3)
    assert draws.mean() == pytest.approx(KINDS[kind].mean, rel=1e-2)


@pytest.mark.parametrize("n", [10, 30, 100])
@independent
def test_the_medians_interval_contains_it(kind, n):
    draw = partial(KINDS[kind].draw, n=n)
    assert b.coverage(draw, b.median_interval, KINDS[kind].median, REPEATS) >= 0.93


@pytest.mark.parametrize("kind", ["calm", "skewed", "outliers"])
def test_the_bootstraps_interval_for_the_median_is_a_little_short(kind):
    interval = partial(b.bootstrap_interval, resamples=400)
    assert b.coverage(partial(KINDS[kind].draw, n=30), interval, KINDS[kind].median, 300) >= 0.91


RANKS = {n: [int(end) for end in b.median_interval(range(n))] for n in (10, 20, 40, 80, 160, 320, 640)}


def ends(times):
    """What median_interval gives, with its ranks looked up: quick."""
    low, high = RANKS[len(times)]
    ordered = np.sort(times)
    return ordered[low], ordered[high]


@pytest.mark.slow
@pytest.mark.parametrize("precision", [0.05, 0.02, 0.01])
@pytest.mark.parametrize("kind", ["calm", "skewed", "outliers"])
def test_the_promise_holds_when_precision_decides_how_many_runs(kind, precision):
    def precise(times):
        low, high = ends(times)
        return high - low <= 2 * precision * np.median(times)

    def measured(rng):
        measure = iter(KINDS[kind].draw(rng, 640).tolist()).__next__
        return b.repeat_until(measure, precise, 640, 1e9, lambda: 0.0)

    repeats = 5000 if (kind, precision) == ("skewed", 0.02) else 1000  # the worst of them: 93.3 of 100
    assert b.coverage(measured, ends, KINDS[kind].median, repeats) >= 0.93


def test_the_means_interval_is_broken_by_outliers():
    assert b.coverage(partial(KINDS["calm"].draw, n=30), b.t_interval, KINDS["calm"].mean, REPEATS) >= 0.93
    assert b.coverage(partial(KINDS["outliers"].draw, n=10), b.t_interval, KINDS["outliers"].mean) < 0.6


@pytest.mark.parametrize(
    "rule", [b.t_interval, b.median_interval, partial(b.bootstrap_interval, resamples=200)]
)
def test_autocorrelation_breaks_every_rule(rule):
    kind = KINDS["autocorrelated 0.9"]
    for n in (30, 100):
        assert b.coverage(partial(kind.draw, n=n), rule, kind.median, 200) < 0.6


def told(kind, n, word, repeats=100):
    """In which share of series a warning begins with a word."""
    series = (KINDS[kind].draw(np.random.default_rng(seed), n) for seed in range(repeats))
    return np.mean([any(s.startswith(word) for s in b.Benchmark(times).warnings) for times in series])


def test_autocorrelation_is_told_where_it_is_and_nowhere_else():
    assert told("autocorrelated 0.9", 100, "autocorrelation") >= 0.98
    assert told("autocorrelated 0.9", 30, "autocorrelation") >= 0.8
    assert told("autocorrelated 0.5", 100, "autocorrelation") >= 0.95
    for kind in INDEPENDENT:
        assert told(kind, 100, "autocorrelation") <= 0.05


def test_drift_outliers_and_noise_are_told():
    assert told("drifting", 40, "drift") >= 0.98
    assert told("calm", 40, "drift") <= 0.03
    assert told("outliers", 100, "outliers") >= 0.98
    assert told("calm", 100, "outliers") <= 0.03
    assert told("calm", 100, "noisy") == 0
    noisy = b.Benchmark(np.exp(0.2 * np.random.default_rng(0).standard_normal(100)))
    assert any(s.startswith("noisy: the middle half of the runs") for s in noisy.warnings)


def test_a_busy_machine_and_short_runs_are_told():
    busy = {"clock": "perf_counter", "load_average": 7.8, "cores": 2, "clock_seconds": 5e-8}
    assert outside(1.0, busy) == ["busy: the machine has a load of 7.8 on 2 cores"]
    assert outside(1.0, busy | {"load_average": 1.9}) == outside(1.0, busy | {"clock": "simulated"}) == []
    (short,) = outside(2e-7, busy | {"load_average": None})
    assert short.startswith("short: a run takes 4.0 readings")
    assert sentences(np.ones(5), (-math.inf, math.inf), 0.1)[0].startswith("few runs: 5 have")
    assert (
        sentences(np.ones(9), (0.9, 1.2), 0.1)[0]
        == "imprecise: the interval is +-15.0%, and +-10.0% was asked for"
    )


def compared(kind, seed, seconds, **limits):
    machine = machine_of(kind, seed, 666)
    a, c = map(machine.program, seconds)
    limits = {"precision": None, "max_seconds": 1e9} | limits
    return b.compare(a, c, clock=machine.clock, seed=seed, **limits)


@every_kind
def test_a_known_ratio_is_in_its_interval(kind):
    found = [compared(kind, seed, (1.05, 1.0), pairs=30) for seed in range(300)]
    inside = [low <= 1.05 <= high for low, high in (each.interval for each in found)]
    assert np.mean(inside) >= 0.93
    assert "slower" not in {each.verdict for each in found}


@every_kind
@pytest.mark.parametrize("limits", [{"pairs": 10}, {"pairs": 30}, {"precision": 0.03, "pairs": 320}], ids=str)
def test_the_same_program_twice_shows_no_difference(kind, limits):
    found = [compared(kind, seed, (1.0, 1.0), **limits).verdict for seed in range(200)]
    assert found.count("no difference shown") / len(found) >= 0.93


@pytest.mark.parametrize("kind", ["drifting", "autocorrelated 0.9"])
def test_one_after_the_other_shows_differences_that_are_not_there(kind):
    wrong = 0
    for seed in range(100):
        machine = machine_of(kind, seed, 60)
        limits = {"warmup": 0, "precision": None, "max_runs": 30, "max_seconds": 1e9, "clock": machine.clock}
        first, second = (b.benchmark(machine.program(1.0), **limits).interval for _ in range(2))
        wrong += first[1] < second[0] or second[1] < first[0]
    assert wrong >= 30


def test_what_is_known_of_a_difference_is_a_sentence():
    rng = np.random.default_rng(1)
    c = np.exp(0.1 * rng.standard_normal(40))
    pair = partial(b.Comparison, names=("old", "new"))
    faster, slower, equal = pair(3.4 * c, np.ones(40)), pair(c, 3.4 * np.ones(40)), pair(c, np.ones(40))
    assert str(faster).startswith("new is 3.4 times faster than old, 95% interval 3.")
    assert str(slower).startswith("new is 3.")
    assert "times slower than old" in str(slower)
    assert str(equal).startswith("no difference shown: the time of old over that of new is ")
    assert (faster.verdict, slower.verdict, equal.verdict) == ("faster", "slower", "no difference shown")
    assert interval_text(3.4123, 3.1456, 3.7) == ("3.4", "3.1 to 3.7")
    assert interval_text(1.0021, 1.0012, 1.0041) == ("1.002", "1.001 to 1.004")
    few = pair(c[:4], np.ones(4))
    assert "95% interval unknown, 4 pairs; few pairs" in str(few)
    with pytest.raises(ValueError, match="took no time"):
        pair([1.0, 0.0], [1.0, 1.0])


def strict(text):
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("n", [3, 40])
def test_results_survive_json(n):
    machine = machine_of("outliers", 0, 200)
    limits = {"precision": None, "max_seconds": 1e9, "clock": machine.clock}
    found = b.benchmark(machine.program(2.0), max_runs=n, seed=3, **limits)
    again = b.Benchmark.from_json(found.to_json())
    np.testing.assert_array_equal(again.times, found.times)
    assert (again.seed, again.environment, str(again)) == (3, found.environment, str(found))
    text = strict(found.to_json())
    assert text["median"] == found.median
    assert text["interval"] == (list(found.interval) if n > 5 else None)
    assert text["warnings"] == found.warnings

    pairs = b.compare(machine.program(2.0), machine.program(1.0), pairs=n, names=("x", "y"), **limits)
    again = b.Comparison.from_json(pairs.to_json())
    assert (str(again), again.names, again.interval) == (str(pairs), ("x", "y"), pairs.interval)
    assert strict(pairs.to_json())["verdict"] == pairs.verdict
    for wrong in (found.to_json(), "{}", "[1]"):
        with pytest.raises(ValueError, match="not the JSON of a comparison"):
            b.Comparison.from_json(wrong)


def test_a_result_is_what_its_times_say_and_cannot_be_changed():
    times = [4.0, 1.0, 2.0, 3.0, 9.0, 5.0]
    found = b.Benchmark(times, seed=2)
    assert (found.median, found.interval, found.mean) == (3.5, (1.0, 9.0), 4.0)
    assert found.sd == pytest.approx(np.std(times, ddof=1))
    assert found.mean_interval == pytest.approx(b.t_interval(times))
    assert tuple(found.bootstrap(np.mean)) == tuple(b.bootstrap_interval(times, np.mean, seed=2))
    with pytest.raises(ValueError, match="read-only"):
        found.times[0] = 1
    assert b.Benchmark([0.001]).sd == 0
    assert "1 run" in str(b.Benchmark([0.001]))
    assert in_units(0.00123, 0.0014) == (["1.23", "1.40"], "ms")
    assert str(b.Benchmark([0.0015] * 6)).startswith(
        "median 1.50 ms, 95% interval 1.50 to 1.50 ms, mean 1.50 +- 0.00 ms"
    )


@pytest.mark.parametrize(
    "wrong", [{"warmup": -1}, {"precision": 0}, {"precision": -0.1}, {"max_seconds": 0}, {"most": 0}], ids=str
)
def test_limits_that_make_no_sense_are_refused(wrong):
    run = lambda: pytest.fail("nothing runs before the limits are looked at")
    names = {"most": "max_runs"}
    with pytest.raises(ValueError, match="measurement takes|precision is"):
        b.benchmark(run, **{names.get(name, name): value for name, value in wrong.items()})
    names = {"most": "pairs"}
    with pytest.raises(ValueError, match="measurement takes|precision is"):
        b.compare(run, run, **{names.get(name, name): value for name, value in wrong.items()})


def test_the_environment_can_be_written_down():
    found = b.environment(time.process_time)
    assert strict(json.dumps(found)) == found
    assert found["clock"] == "process_time"
    assert found["packages"]["numpy"] == np.__version__
    assert found["cores"] >= 1
    assert 0 < found["clock_seconds"] < 1e-3


def test_tables_and_pictures(monkeypatch):
    from matplotlib import pyplot as plt

    results = {name: b.Benchmark(KINDS[name].draw(np.random.default_rng(0), 100) * 2e-3) for name in KINDS}
    header, *rows = b.table(results).splitlines()
    assert header.split() == ["program", "median", "95%", "interval", "mean", "sd", "runs", "(ms)"]
    assert [row.partition("  ")[0] for row in rows] == list(KINDS)
    assert rows[2].endswith("outliers")
    assert "drift" in rows[3]
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.gcf()))
    b.draw_benchmarks(results)
    b.draw_comparisons([compared("calm", 0, (1.0, s), pairs=n) for s, n in ((0.5, 30), (1.0, 3), (4.0, 30))])
    assert [len(figure.axes) for figure in shown] == [len(KINDS), 1]
    plt.close("all")


def test_pytorchs_timer_has_an_interval_too():
    found = Timer("sum(values)", globals={"values": list(range(50))}).blocked_autorange(min_run_time=0.02)
    low, high = found.interval
    assert low <= found.median <= high
    with pytest.raises(NotImplementedError, match="C\\+\\+"):
        Timer(language="cpp")
    with pytest.raises(NotImplementedError, match="Valgrind"):
        Timer().collect_callgrind()
    assert tinytorch.utils.benchmark.Timer is Timer


def test_the_runs_of_a_benchmark_follow_its_warm_up_and_its_limits():
    for warmup in (0, 2, 5):
        machine = SimulatedMachine([50.0] * warmup + [1.0, 2.0, 3.0, 4.0] * 3)
        limits = {"precision": None, "max_runs": 12, "max_seconds": 99, "clock": machine.clock}
        found = b.benchmark(machine.program(1.0), warmup=warmup, **limits)
        np.testing.assert_allclose(found.times, [1, 2, 3, 4] * 3)
        assert machine.runs == warmup + 12
        assert (found.precision, found.environment["clock"]) == (None, "clock")
    machine = SimulatedMachine([1.0])
    found = b.benchmark(machine.program(2.0), precision=None, max_seconds=9.0, clock=machine.clock)
    assert len(found.times) == 5


@pytest.mark.parametrize(("precision", "runs"), [(0.5, 10), (0.49, 20)])
def test_a_benchmark_ends_when_the_medians_interval_is_narrow_enough(precision, runs):
    machine = SimulatedMachine([4, 3, 1, 3, 3, 3, 4, 3, 3, 1])  # from 1 to 4 s, the median is 3 s
    limits = {"warmup": 0, "max_runs": 20, "max_seconds": 99, "clock": machine.clock}
    assert len(b.benchmark(machine.program(1.0), precision=precision, **limits).times) == runs


@pytest.mark.parametrize("kind", ["skewed", "outliers"])
def test_a_benchmarks_interval_contains_the_median_as_often_as_it_says(kind):
    inside = 0
    for seed in range(40):
        machine = machine_of(kind, seed, 4000)
        found = b.benchmark(machine.program(1.0), max_seconds=1e9, clock=machine.clock)
        inside += found.interval[0] <= KINDS[kind].median <= found.interval[1]
    assert inside >= 36
