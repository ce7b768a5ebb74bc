"""Tests of module 14, which `make release 14` makes from profiling.py."""

import json
import math
import sys
import time
import tracemalloc

import numpy as np
import pytest

from tinytorch.conv import conv2d
from tinytorch.layers import Linear, Module, ReLU, Sequential
from tinytorch.profiling import (
    Event,
    Latency,
    Machine,
    Totals,
    Watch,
    attention_flops,
    call_flops,
    convolution_flops,
    count_flops,
    find_nan,
    group_events,
    measure_latency,
    measure_machine,
    product_flops,
    roofline,
    self_times,
    trace_event,
    trace_memory,
    waiting_share,
)
from tinytorch.tensor import ones, randn, tensor, zeros


def by_a_clock_of_its_own(durations, warmup, repeats):
    """Measure work that takes exactly these seconds, on a clock that only work moves."""
    now, calls = [100.0], []

    def run():
        now[0] += durations[len(calls)]
        calls.append(now[0])

    found = measure_latency(run, warmup, repeats, clock=lambda: now[0])
    return found, len(calls)


@pytest.mark.stub("measure-latency", points=6)
def test_every_run_is_timed_on_its_own():
    found, calls = by_a_clock_of_its_own([3.0, 1.0, 4.0, 1.5, 9.0], 0, 5)
    assert calls == 5, f"warmup=0 and repeats=5 are five calls, not {calls}"
    np.testing.assert_allclose(
        found.times, [3, 1, 4, 1.5, 9], err_msg="the seconds of each run, in their order"
    )


@pytest.mark.stub("measure-latency", points=6)
def test_the_first_runs_are_thrown_away():
    for warmup, repeats in ((2, 3), (3, 4)):
        durations = [50.0] * warmup + [2.0, 1.0, 3.0, 5.0][:repeats]
        wanted = durations[warmup:]
        found, calls = by_a_clock_of_its_own(durations, warmup, repeats)
        assert calls == warmup + repeats, (
            f"warmup={warmup} and repeats={repeats} are {warmup + repeats} calls, not {calls}"
        )
        np.testing.assert_allclose(
            found.times,
            wanted,
            err_msg=f"the {warmup} warm-up runs of 50 s are not part of the times",
        )


@pytest.mark.stub("measure-latency", points=6)
def test_what_is_said_of_the_times():
    times = [2.0, 4.0, 1.0, 8.0, 16.0, 3.0]
    found, _ = by_a_clock_of_its_own([7.0, *times], 1, 6)
    wanted = {
        "median": np.median(times),
        "p95": np.percentile(times, 95),
        "spread": np.percentile(times, 75) - np.percentile(times, 25),
        "minimum": 1.0,
    }
    for name, value in wanted.items():
        assert math.isclose(getattr(found, name), value, rel_tol=1e-9), (
            f"the {name} of {times} is {value}, not {getattr(found, name)}"
        )


@pytest.mark.stub("measure-latency", points=6)
def test_the_clock_of_the_wall_is_used():
    found = measure_latency(lambda: time.sleep(0.02), warmup=0, repeats=2)
    assert found.minimum > 0.015, f"a sleep of 20 ms took {found.minimum * 1e3:.3f} ms"


def products_one_by_one(x_shape, y_shape):
    """Two FLOPs for each number of the output, by NumPy's shape, and each term of its sum."""
    out = (np.empty(x_shape) @ np.empty(y_shape)).shape
    return out, sum(2 for _ in np.ndindex(*out) for _ in range(x_shape[-1]))


@pytest.mark.stub("product-flops", points=3)
def test_flops_of_products_of_all_kinds():
    for x_shape, y_shape in [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (6, 4, 5)),
        ((0, 4), (4, 5)),
    ]:
        out, wanted = products_one_by_one(x_shape, y_shape)
        found = product_flops(x_shape, y_shape, out_shape=out)
        assert found == wanted, f"{x_shape} @ {y_shape} is {out}: {wanted} FLOPs, not {found}"


@pytest.mark.stub("product-flops", points=3)
def test_flops_of_a_linear_layer():
    for rows, n, m in [((5,), 7, 3), ((2, 4), 3, 6), ((), 4, 9)]:
        wanted = 2 * math.prod(rows) * n * m
        for bias in ((m,), None):
            found = product_flops((*rows, n), (m, n), bias, out_shape=(*rows, m))
            assert found == wanted, (
                f"linear of {(*rows, n)} with a weight {(m, n)}: {wanted} FLOPs, not {found}"
            )
    assert isinstance(found, int), f"FLOPs are an integer, not {type(found).__name__}"


@pytest.mark.stub("convolution-flops", points=3)
def test_flops_of_convolutions():
    for x, weight, options in [
        ((2, 3, 8, 6), (4, 3, 3, 2), {}),
        ((1, 4, 9, 9), (6, 2, 3, 3), {"groups": 2, "stride": 2, "padding": 1}),
        ((3, 5, 7, 7), (5, 1, 5, 3), {"groups": 5, "dilation": (1, 2)}),
        ((1, 2, 4, 4), (8, 2, 1, 1), {}),
    ]:
        out = tuple(conv2d(zeros(*x), zeros(*weight), **options).shape)
        wanted = sum(2 * weight[1] * weight[2] * weight[3] for _ in np.ndindex(*out))
        for bias in ((weight[0],), None):
            found = convolution_flops(x, weight, bias, out_shape=out)
            assert found == wanted, (
                f"images {x}, filters {weight}, {options}: {out} numbers of "
                f"{math.prod(weight[1:])} products each are {wanted} FLOPs, not {found}"
            )


@pytest.mark.stub("convolution-flops", points=3)
def test_flops_of_a_convolution_of_sequences():
    found = convolution_flops((2, 3, 10), (4, 3, 5), None, out_shape=(2, 4, 6))
    assert found == 2 * 48 * 15, f"48 numbers of 15 products each: 1440 FLOPs, not {found}"


def attention_by_products(batch, T, S, d, e):
    """The FLOPs of both products, each by its shapes."""
    return batch * (2 * T * S * d + 2 * T * e * S)


@pytest.mark.stub("attention-flops", points=4)
def test_flops_of_attention():
    for batch, T, S, d, e in [
        ((2, 3), 5, 5, 4, 4),
        ((2,), 3, 7, 4, 6),
        ((), 6, 2, 5, 3),
        ((4, 2), 1, 9, 8, 8),
    ]:
        found = attention_flops(
            (*batch, T, d),
            (*batch, S, d),
            (*batch, S, e),
            None,
            None,
            out_shape=(*batch, T, e),
        )
        wanted = attention_by_products(math.prod(batch), T, S, d, e)
        assert found == wanted, (
            f"batch {batch}, {T} queries, {S} keys of {d} and values of {e}: {wanted} FLOPs, not {found}"
        )


@pytest.mark.stub("attention-flops", points=4)
def test_an_operand_may_be_broadcast():
    found = attention_flops((1, 3, 5, 4), (2, 3, 6, 4), (2, 1, 6, 4), out_shape=(2, 3, 5, 4))
    wanted = attention_by_products(6, 5, 6, 4, 4)
    assert found == wanted, f"2 x 3 heads by the output's shape: {wanted} FLOPs, not {found}"


def watched(run):
    """The FLOPs of every call, by kind, in their order."""
    found = {"forward": [], "backward": [], "module": []}
    with Watch(lambda call: found[call.kind].append(call_flops(call))):
        run()
    return found


@pytest.mark.stub("call-flops", points=4)
def test_forward_is_counted_by_the_formula():
    found = watched(lambda: (ones(3, 4) @ ones(4, 5)).sum())
    assert sum(found["forward"]) == 120, f"(3, 4) @ (4, 5): 120 FLOPs, not {found['forward']}"
    assert found["backward"] == [], f"nothing ran backward, yet {found['backward']} was counted"


@pytest.mark.stub("call-flops", points=4)
def test_backward_counts_what_is_asked_for():
    x, y = randn(3, 4), randn(4, 5)
    for need_x, need_y in ((True, False), (False, True), (True, True)):
        a, b = x.clone().requires_grad_(need_x), y.clone().requires_grad_(need_y)
        found = sum(watched(lambda a=a, b=b: (a @ b).sum().backward())["backward"])
        wanted = 120 * (need_x + need_y)
        assert found == wanted, f"gradients asked for {need_x, need_y}: {wanted} FLOPs backward, not {found}"


@pytest.mark.stub("call-flops", points=4)
def test_a_bias_that_asks_for_a_gradient_costs_nothing():
    layer, x = Linear(4, 5), randn(3, 4)
    found = sum(watched(lambda: layer(x).sum().backward())["backward"])
    assert found == 120, f"only the weight's gradient is a product: 120 FLOPs, not {found}"


@pytest.mark.stub("call-flops", points=4)
def test_modules_and_other_operations_count_nothing():
    found = watched(lambda: ReLU()(ones(3, 4)).exp().sum())
    assert sum(map(sum, found.values())) == 0, f"no products, no FLOPs: {found}"


@pytest.mark.stub("count-flops", points=4)
def test_a_model_is_the_sum_of_its_layers():
    model = Sequential(Linear(6, 5), ReLU(), Linear(5, 4), Linear(4, 3))
    for rows in (1, 7):
        wanted = 2 * rows * (30 + 20 + 12)
        found = count_flops(model, zeros(rows, 6))
        assert found == wanted, f"{rows} rows through 6-5-4-3: {wanted} FLOPs, not {found}"


@pytest.mark.stub("count-flops", points=4)
def test_a_layer_that_runs_twice_counts_twice():
    layer = Linear(4, 4)
    found = count_flops(lambda x: layer(layer(x)), zeros(3, 4))
    assert found == 2 * 2 * 3 * 16, f"twice 96 FLOPs, not {found}"


@pytest.mark.stub("count-flops", points=4)
def test_all_inputs_are_passed_on():
    found = count_flops(lambda x, y, z: x @ y @ z, zeros(2, 3), zeros(3, 4), zeros(4, 5))
    assert found == 2 * (24 + 40), f"(2, 3) @ (3, 4) @ (4, 5): 128 FLOPs, not {found}"


@pytest.mark.stub("count-flops", points=4)
def test_backward_is_counted_where_it_runs():
    model, x = Sequential(Linear(6, 5), Linear(5, 4)), zeros(7, 6)
    found = count_flops(lambda: model(x).sum().backward())
    wanted = 3 * 2 * 7 * (30 + 20) - 2 * 7 * 30
    assert found == wanted, (
        f"three times forward, less the gradient of the first layer's input: {wanted}, not {found}"
    )


@pytest.mark.stub("count-flops", points=4)
def test_nobody_is_watching_afterwards():
    before = sys.getprofile()
    count_flops(Linear(2, 2), zeros(1, 2))
    assert sys.getprofile() is before, "the watching ends with the run: use a with block"


def check_self_times(spans, wanted, said):
    before = list(spans)
    found = self_times(spans)
    assert spans == before, "the events themselves are not to be changed"
    np.testing.assert_allclose(found, wanted, err_msg=f"{said}: events {before}")


@pytest.mark.stub("self-times", points=6)
def test_events_that_are_apart_keep_their_times():
    check_self_times([(0, 2), (2, 5), (7, 8)], [2, 3, 1], "one after another")
    check_self_times([(1.5, 4.0)], [2.5], "a single event")
    assert list(self_times([])) == [], "no events, no times"


@pytest.mark.stub("self-times", points=6)
def test_only_direct_calls_are_taken_off():
    check_self_times([(0, 100), (10, 90), (20, 80), (30, 40)], [20, 20, 50, 10], "each calls the next one")


@pytest.mark.stub("self-times", points=6)
def test_several_calls_of_one_event():
    check_self_times(
        [(0, 20), (1, 5), (2, 3), (3, 4), (6, 10), (7, 9), (10, 19), (21, 24)],
        [3, 2, 1, 1, 2, 2, 9, 3],
        "calls of calls, and another event afterwards",
    )


@pytest.mark.stub("self-times", points=6)
def test_events_that_begin_or_end_together():
    check_self_times([(0, 10), (0, 10), (0, 4), (4, 10)], [0, 0, 4, 6], "the outer comes first")


@pytest.mark.stub("self-times", points=6)
def test_self_times_add_up():
    rng, spans = np.random.default_rng(0), []

    def grow(start, end, depth):
        spans.append((start, end))
        if depth:
            cuts = np.sort(rng.uniform(start, end, 2 * int(rng.integers(0, 4)))).tolist()
            for inner_start, inner_end in zip(cuts[::2], cuts[1::2]):
                grow(inner_start, inner_end, depth - 1)

    grow(0.0, 1.0, 5)
    total = sum(self_times(list(spans)))
    assert math.isclose(total, 1.0), f"{len(spans)} events in one of 1 s: self times add up to 1, not {total}"


def event(name, start, end, self_time=0.0, flops=0, nbytes=0, module="", kind="forward"):
    return Event(name, kind, module, start, end, (), flops, nbytes, 0, self_time)


@pytest.mark.stub("group-events", points=4)
def test_events_of_one_key_are_added_up():
    events = [
        event("Mul", 1.0, 3.5, 2.0, 100, 8),
        event("Exp", 2.0, 3.0, 0.5, 7, 3),
        event("Mul", 10.0, 11.0, 0.25, 20, 16),
    ]
    found = group_events((e.name, e) for e in events)
    wanted = {"Mul": Totals(2, 3.5, 2.25, 120, 24), "Exp": Totals(1, 1.0, 0.5, 7, 3)}
    for name, totals in wanted.items():
        assert found.get(name) == totals, f"{name}: {totals} is wanted, not {found.get(name)}"
    assert list(found) == ["Mul", "Exp"], f"keys in the order in which they came: {list(found)}"


@pytest.mark.stub("group-events", points=4)
def test_keys_are_whatever_the_caller_chooses():
    one, two = event("Mul", 0.0, 1.0, 1.0), event("Mul", 2.0, 4.0, 1.5)
    found = group_events([(("a", True), one), (("a", False), two), (None, one)])
    assert [found[key].time for key in (("a", True), ("a", False), None)] == [1.0, 2.0, 1.0], (
        f"one event under two keys counts for both: {found}"
    )


@pytest.mark.stub("group-events", points=4)
def test_groups_do_not_share_their_sums():
    pairs = [("a", event("Mul", 0.0, 1.0)), ("b", event("Mul", 0.0, 2.0))]
    assert group_events(pairs)["a"].count == 1, "each key has a Totals of its own"
    assert group_events(pairs)["a"].count == 1, "a second call begins from nothing"
    assert group_events([]) == {}, "no events, no groups"


@pytest.mark.stub("trace-event", points=4)
def test_an_event_of_a_trace():
    one = event("AffineBackward", 7.25, 7.5, 0.0, 60, 0, "GPT.lm_head", "backward")
    one.shapes = ((2, 3), None, (5, 3))
    for origin, pid, tid in ((7.0, 1, 1), (4.0, 12, 34)):
        found = trace_event(one, origin, pid, tid)
        wanted = {
            "name": "AffineBackward", "cat": "backward", "ph": "X",
            "ts": (7.25 - origin) * 1e6, "dur": 250000.0, "pid": pid, "tid": tid,
        }  # fmt: skip
        for key, value in wanted.items():
            assert found.get(key) == value, f'"{key}" is {value!r}, not {found.get(key)!r}'
        args = {"module": "GPT.lm_head", "flops": 60, "Input Dims": [[2, 3], [5, 3]]}
        for key, value in args.items():
            assert found["args"].get(key) == value, f'"{key}" in args is {value!r}, not {found["args"]}'


@pytest.mark.stub("trace-event", points=4)
def test_a_fraction_of_a_microsecond_is_kept():
    found = trace_event(event("Exp", 7.0, 7.0 + 2.0**-21), 6.0 - 2.0**-22)
    for key, wanted in (("ts", (1 + 2.0**-22) * 1e6), ("dur", 2.0**-21 * 1e6)):
        assert found[key] == wanted, f'"{key}" is {wanted} microseconds, not {found[key]}'


@pytest.mark.stub("trace-event", points=4)
def test_json_can_hold_it():
    one = event("Exp", 1.0, 2.0)
    one.shapes = ((), (4,), None)
    text = json.dumps(trace_event(one, 0.5))
    assert json.loads(text)["args"]["Input Dims"] == [[], [4]], f"0-d shapes are empty lists: {text}"


MB = 1_000_000


def about(found, wanted, said):
    assert abs(found - wanted) < 50_000, f"{said}: about {wanted:,} bytes, not {found:,}"


@pytest.mark.stub("trace-memory", points=6)
def test_the_peak_and_what_is_live():
    def run():
        first, second = np.zeros(3 * MB, np.uint8), np.zeros(2 * MB, np.uint8)
        return first[:1].copy(), second

    found = trace_memory(run)
    about(found.peak, 5 * MB, "arrays of 3 MB and 2 MB at a time, the peak")
    about(found.live, 2 * MB, "the one of 2 MB is returned, and is live")


@pytest.mark.stub("trace-memory", points=6)
def test_what_was_there_before_does_not_count():
    tracemalloc.start()
    try:
        held = np.zeros(4 * MB, np.uint8)
        large = np.zeros(9 * MB, np.uint8)
        del large  # an earlier peak
        found = trace_memory(lambda: np.zeros(1 * MB, np.uint8).max())
        assert tracemalloc.is_tracing(), "tracing was on before: it stays on"
    finally:
        tracemalloc.stop()
    about(found.peak, 1 * MB, f"{held.nbytes:,} bytes held, 9 MB taken and given back before")
    about(found.live, 0, "nothing is left")


@pytest.mark.stub("trace-memory", points=6)
def test_memory_that_is_given_back():
    held = [np.zeros(2 * MB, np.uint8)]
    tracemalloc.start()
    try:
        held[0] = np.zeros(2 * MB, np.uint8)
        found = trace_memory(held.clear)
    finally:
        tracemalloc.stop()
    about(found.live, -2 * MB, "2 MB are given back")


@pytest.mark.stub("trace-memory", points=6)
def test_the_tracing_is_ended():
    trace_memory(lambda: None)
    assert not tracemalloc.is_tracing(), "tracing was off before: it is off again"
    try:
        trace_memory(lambda: 1 / 0)
    except ZeroDivisionError:
        assert not tracemalloc.is_tracing(), "it is off again also if the run has failed"
    else:
        raise AssertionError("an error of the run is passed on")


def by_a_given_latency(n, nbytes, seconds):
    """The machine if the measurements have these minima; how many measurements there were."""
    runs = []

    def measure(run, **options):
        run()
        runs.append(run)
        least = seconds[len(runs) % 2 - 1]
        return Latency(5.0 * least, 9.0 * least, least, least, (least,))

    return measure_machine(n, nbytes, measure), len(runs)


@pytest.mark.stub("measure-machine", points=4)
def test_speeds_are_amounts_over_seconds():
    for n, nbytes, seconds in ((16, 4096, (0.5, 0.25)), (48, 80_000, (2.0, 3.0))):
        found, count = by_a_given_latency(n, nbytes, seconds)
        assert count == 2, f"one product and one copy are measured, not {count} things"
        wanted = 2 * n**3 / seconds[0], 2 * nbytes / seconds[1]
        assert math.isclose(found.flops_per_second, wanted[0]), (
            f"a product of {n} x {n} in {seconds[0]} s at least: {wanted[0]} FLOP/s, "
            f"not {found.flops_per_second}"
        )
        assert math.isclose(found.bytes_per_second, wanted[1]), (
            f"a copy of {nbytes:,} bytes in {seconds[1]} s at least, in and out: "
            f"{wanted[1]} bytes/s, "
            f"not {found.bytes_per_second}"
        )


def peak_of(run, *args):
    """The most bytes that a call has taken at a time."""
    tracemalloc.start()
    run(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.stub("measure-machine", points=4)
def test_arrays_are_float32_and_made_before():
    taken = []

    def once(run):
        run()
        return Latency(1.0, 1.0, 1.0, 1.0, (1.0,))

    def traced(run):
        taken.append(peak_of(run))
        return once(run)

    for n, nbytes in ((256, 4096), (16, 1_000_000)):
        taken.clear()
        measure_machine(n, nbytes, traced)
        whole = peak_of(measure_machine, n, nbytes, once)
        output, arrays = 4 * n * n + 20_000, 12 * n * n + 2 * nbytes + 60_000
        for what, new, most in (
            ("the copy that is timed goes into an array that is there", taken[1], 20_000),
            ("the result of the product is float32", taken[0], output),
            ("three (n, n) float32 and two arrays to copy are enough", whole, arrays),
        ):
            said = f"n = {n}, {nbytes:,} bytes: {what}: at most {most:,} new bytes, not {new:,}"
            assert new < most, said


@pytest.mark.stub("measure-machine", points=4)
def test_a_real_machine():
    found = measure_machine(256, 4_000_000)
    assert 1e8 < found.flops_per_second < 1e15, f"{found.flops_per_second:.1e} FLOP/s is no computer"
    assert 1e8 < found.bytes_per_second < 1e14, f"{found.bytes_per_second:.1e} bytes/s is no computer"


@pytest.mark.stub("roofline", points=4)
def test_on_both_sides_of_the_balance():
    for peak, bandwidth in ((100.0, 10.0), (6e10, 2e10)):
        machine = Machine(peak, bandwidth)  # balance 10, balance 3
        for factor, bound in (
            (0.01, "memory"),
            (0.9, "memory"),
            (1.0, "compute"),
            (1.1, "compute"),
            (50, "compute"),
        ):
            nbytes = 4000
            flops = factor * machine.balance * nbytes
            wanted = min(peak, flops / nbytes * bandwidth)
            found = roofline(flops, nbytes, machine)
            said = f"{flops:g} FLOPs on {nbytes} bytes, balance {machine.balance:g}"
            assert found.bound == bound, f"{said}: bound by {bound}, not {found.bound}"
            assert math.isclose(found.intensity, flops / nbytes), f"{said}: intensity {found.intensity}"
            assert math.isclose(found.attainable, wanted), (
                f"{said}: {wanted:g} FLOP/s are attainable, not {found.attainable:g}"
            )


@pytest.mark.stub("roofline", points=4)
def test_nothing_to_compute_and_nothing_to_fetch():
    machine = Machine(100.0, 10.0)
    found = roofline(0, 80, machine)
    assert (found.bound, found.intensity, found.attainable) == ("memory", 0, 0), (
        f"a copy has no FLOPs: memory binds it, and its FLOP/s are 0, not {found}"
    )
    found = roofline(80, 0, machine)
    assert (found.bound, found.intensity, found.attainable) == ("compute", math.inf, 100.0), (
        f"without bytes it is bound by computing, at its peak, not {found}"
    )


class Steps(Module):
    """Apply a function, as a module of its own."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def gradient_of(function, *numbers):
    x = tensor(list(numbers), requires_grad=True)
    return lambda: Steps(function)(x).sum().backward()


@pytest.mark.stub("find-nan", points=6)
def test_a_good_run_has_none():
    for function in (lambda x: (x * x).exp(), lambda x: x.masked_fill(x > 0, -math.inf).exp()):
        found = find_nan(gradient_of(function, 0.0, 1.0))
        assert found is None, f"nothing is wrong here, but it says {found!r}"


@pytest.mark.stub("find-nan", points=6)
def test_the_rule_that_gives_infinity_comes_before_those_that_give_nan():
    found = find_nan(gradient_of(lambda x: ((x * 2) * (x * 3)).sqrt() * 5, 0.0, 4.0))
    assert str(found).startswith("backward of SqrtBackward in Steps"), (
        f"the slope of sqrt at 0 is infinite, so its rule is the first: {found!r}"
    )


@pytest.mark.stub("find-nan", points=6)
def test_a_nan_that_forward_has_made():
    found = find_nan(gradient_of(lambda x: (x - 1).log() * 2, 0.5, 2.0))
    assert str(found).startswith("forward of Log in Steps"), f"log of -0.5 is NaN: {found!r}"


@pytest.mark.stub("find-nan", points=6)
def test_what_was_given_a_nan_is_not_to_blame():
    x = tensor([math.nan, 1.0], requires_grad=True)
    found = find_nan(lambda: (x * 2).exp().sum().backward())
    assert found is None, f"the NaN was there before anything ran, but it says {found!r}"
    layer = Linear(2, 3)
    layer.weight.array[1, 0] = math.nan
    found = find_nan(lambda: layer(tensor([[1.0, 2.0]])).sum().backward())
    assert found is None, f"the NaN was in a weight, which no call made, but it says {found!r}"


@pytest.mark.stub("find-nan", points=6)
def test_the_whole_line_about_the_call():
    found = find_nan(lambda: tensor([1.0, -1.0]).log())
    wanted = "forward of Log in no module, on (2,)"
    assert found == wanted, (
        f"{wanted!r} is wanted, not {found!r}: a call is described while `seen` runs, for its "
        "arrays are gone afterwards"
    )


@pytest.mark.stub("find-nan", points=6)
def test_the_first_of_two():
    found = find_nan(gradient_of(lambda x: x.sqrt() + x.log().exp(), 0.0, 1.0))
    assert isinstance(found, str), f"show_call(call), a line of text, is wanted, not {found!r}"
    assert found.startswith("backward of LogBackward"), (
        f"the rules run backwards, and that of log comes before that of sqrt: {found!r}"
    )


def loop_of(waits, steps):
    """The share for waits and steps of exactly these seconds; what the steps were given."""
    now, given = [50.0], []

    def batches():
        for number, seconds in enumerate(waits):
            now[0] += seconds
            yield number

    def step(batch):
        now[0] += steps[len(given)]
        given.append(batch)

    return waiting_share(batches(), step, clock=lambda: now[0]), given


@pytest.mark.stub("waiting-share", points=5)
def test_the_share_of_waiting():
    for waits, steps in [
        ([3.0], [1.0]),
        ([1.0, 2.0, 5.0], [4.0, 1.0, 3.0]),
        ([10.0, 0.0, 0.0], [0.0, 1.0, 9.0]),
        ([0.0, 0.0], [1.0, 1.0]),
    ]:
        found, given = loop_of(waits, steps)
        wanted = sum(waits) / (sum(waits) + sum(steps))
        assert given == list(range(len(waits))), f"each batch goes to a step, in order: {given}"
        assert math.isclose(found, wanted, abs_tol=1e-12), (
            f"waiting {waits} s, steps of {steps} s: a share of {wanted:.3f}, not {found:.3f}"
        )


@pytest.mark.stub("waiting-share", points=5)
def test_a_batch_is_fetched_when_it_is_needed():
    done = []

    def batches():
        for number in range(3):
            assert len(done) == number, (
                f"batch {number} is fetched after {number} steps, not after {len(done)}"
            )
            yield number

    waiting_share(batches(), done.append)


@pytest.mark.stub("waiting-share", points=5)
def test_a_real_clock():
    def batches():
        for number in range(3):
            time.sleep(0.02)
            yield number

    found = waiting_share(batches(), lambda batch: None)
    assert found > 0.9, f"60 ms of waiting and no work: nearly 1, not {found:.3f}"
