"""Tests of module 14, which `make release 14` makes from profiling.py."""

import gc
import math
import sys
import time
import tracemalloc

import numpy as np
import pytest

from tinytorch.attention import scaled_dot_product_attention
from tinytorch.conv import conv2d
from tinytorch.layers import Linear, Module, ReLU, Sequential
from tinytorch.optimizers import SGD
from tinytorch.profiling import (
    Call,
    Latency,
    Machine,
    Positions,
    UnitLength,
    Watch,
    attention_flops,
    bytes_moved,
    call_flops,
    convolution_flops,
    count_flops,
    find_nan,
    measure_latency,
    measure_machine,
    product_flops,
    roofline,
    self_times,
    trace_memory,
    tune,
    waiting_share,
)
from tinytorch.tensor import manual_seed, ones, owner, randint, randn, tensor, wrap, zeros


def by_a_clock_of_its_own(durations, warmup, repeats):
    """Measure work that takes exactly these seconds, on a clock that only work moves."""
    now, calls, read = [100.0], [], []

    def run():
        now[0] += durations[len(calls)] if len(calls) < len(durations) else 0
        calls.append(now[0])

    def clock():
        read.append(now[0])
        return now[0]

    found = measure_latency(run, warmup, repeats, clock)
    assert read, "the function passed as `clock` gives the time, but it was not called"
    return found, len(calls)


@pytest.mark.stub("measure-latency", points=6)
def test_every_run_is_timed_on_its_own():
    found, calls = by_a_clock_of_its_own([3.0, 1.0, 4.0, 1.5, 9.0], 0, 5)
    assert calls == 5, f"warmup=0 and repeats=5 are 5 calls of run, not {calls}"
    kind = type(found.times)
    assert kind is tuple, f"times is a tuple, not a {kind.__name__}: {found.times}"
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
    wanted = {
        "median": np.median(times),
        "p95": np.percentile(times, 95),
        "spread": np.percentile(times, 75) - np.percentile(times, 25),
        "minimum": 1.0,
    }
    for first in (7.0, 0.5):
        found, _ = by_a_clock_of_its_own([first, *times], 1, 6)
        for name, value in wanted.items():
            assert math.isclose(getattr(found, name), value, rel_tol=1e-9), (
                f"after a warm-up run of {first} s the {name} of {times} is {value}, not "
                f"{getattr(found, name)}"
            )


@pytest.mark.stub("measure-latency", points=6)
def test_the_clock_of_the_wall_is_used():
    found = measure_latency(lambda: time.sleep(0.02), warmup=0, repeats=2)
    assert found.minimum > 0.015, f"a sleep of 20 ms took {found.minimum * 1e3:.3f} ms"


def products_one_by_one(x_shape, y_shape):
    """Two FLOPs for each number of the output, by NumPy's shape, and each term of its sum."""
    out = (np.empty(x_shape) @ np.empty(y_shape)).shape
    return out, sum(2 for _ in np.ndindex(*out) for _ in range(x_shape[-1]))


def check_flops(found, wanted, err_msg):
    assert found == wanted, f"{err_msg}: {wanted} FLOPs, not {found}"
    kind = type(found).__name__
    assert isinstance(found, int), f"{err_msg}: a Python int is wanted, and {found!r} is of type {kind}"


@pytest.mark.stub("flop-formulas", points=8)
def test_flops_of_products_of_all_kinds():
    for x_shape, y_shape in [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (6, 4, 5)),
        ((0, 4), (4, 5)),
    ]:
        out, wanted = products_one_by_one(x_shape, y_shape)
        check_flops(
            product_flops(x_shape, y_shape, out_shape=out),
            wanted,
            err_msg=f"{x_shape} @ {y_shape} is {out}",
        )


@pytest.mark.stub("flop-formulas", points=8)
def test_flops_of_a_linear_layer():
    for rows, n, m in [((5,), 7, 3), ((2, 4), 3, 6), ((), 4, 9)]:
        wanted = 2 * math.prod(rows) * n * m
        for bias in ((m,), None):
            check_flops(
                product_flops((*rows, n), (m, n), bias, out_shape=(*rows, m)),
                wanted,
                err_msg=f"linear of {(*rows, n)} with a weight {(m, n)}",
            )


@pytest.mark.stub("flop-formulas", points=8)
def test_flops_of_convolutions():
    for x, weight, options in [
        ((5, 3, 8, 6), (4, 3, 3, 2), {}),
        ((1, 4, 9, 9), (6, 2, 3, 3), {"groups": 2, "stride": 2, "padding": 1}),
        ((3, 5, 7, 7), (5, 1, 5, 3), {"groups": 5, "dilation": (1, 2)}),
        ((1, 2, 4, 4), (8, 2, 1, 1), {}),
    ]:
        out = tuple(conv2d(zeros(*x), zeros(*weight), **options).shape)
        wanted = sum(2 * weight[1] * weight[2] * weight[3] for _ in np.ndindex(*out))
        length = math.prod(weight[1:])
        said = f"images {x}, filters {weight}, {options}: sums of {length}, output {out}"
        for bias in ((weight[0],), None):
            check_flops(convolution_flops(x, weight, bias, out_shape=out), wanted, err_msg=said)


@pytest.mark.stub("flop-formulas", points=8)
def test_flops_of_a_convolution_of_sequences():
    check_flops(
        convolution_flops((2, 3, 10), (4, 3, 5), None, out_shape=(2, 4, 6)),
        2 * 48 * 15,
        err_msg="sequences (2, 3, 10), filters (4, 3, 5): 48 sums of 15",
    )


def attention_by_products(batch, T, S, d, e):
    """The FLOPs of both products, each by its shapes."""
    return batch * (2 * T * S * d + 2 * T * e * S)


@pytest.mark.stub("flop-formulas", points=8)
def test_flops_of_attention():
    for batch, T, S, d, e in [
        ((5, 3), 5, 5, 4, 6),
        ((2,), 3, 7, 4, 6),
        ((), 6, 2, 5, 3),
        ((4, 2), 1, 9, 8, 8),
    ]:
        wanted = attention_by_products(math.prod(batch), T, S, d, e)
        shapes = (*batch, T, d), (*batch, S, d), (*batch, S, e)
        for mask in (None, (T, S)):
            check_flops(
                attention_flops(*shapes, mask, None, out_shape=(*batch, T, e)),
                wanted,
                err_msg=f"batch {batch}, {T} queries, {S} keys of length {d}, values of "
                f"length {e}, mask {mask}",
            )


@pytest.mark.stub("flop-formulas", points=8)
def test_an_operand_may_be_broadcast():
    for query, key, value in (
        ((1, 3), (2, 3), (2, 1)),
        ((2, 3), (1, 1), (2, 3)),
        ((1, 1), (2, 1), (1, 3)),
    ):
        wanted = attention_by_products(6, 5, 6, 4, 4)
        check_flops(
            attention_flops((*query, 5, 4), (*key, 6, 4), (*value, 6, 4), out_shape=(2, 3, 5, 4)),
            wanted,
            err_msg=f"queries of {query} heads, keys of {key}, values of {value}, 2 x 3 in the output",
        )


def a_number(flops, err_msg):
    assert flops is not None, f"{err_msg}, not None"
    return flops


def watched(run):
    """The FLOPs of every call, by kind, in their order."""
    found = {"forward": [], "backward": [], "module": []}

    def seen(call):
        needs = call.node and f", needs_input_grad {call.node.needs_input_grad}"
        said = f"{call.kind} of {call.name}{needs or ''}: a number of FLOPs, perhaps 0"
        found[call.kind].append(a_number(call_flops(call), err_msg=said))

    with Watch(seen):
        run()
    return found


@pytest.mark.stub("call-flops", points=4)
def test_forward_is_counted_by_the_formula():
    found = watched(lambda: (ones(3, 4) @ ones(4, 5)).sum())
    each = found["forward"]
    assert sum(each) == 120, f"(3, 4) @ (4, 5), and a sum: 120 FLOPs and 0, not {each}"
    assert found["backward"] == [], f"nothing ran backward, yet {found['backward']} was counted"


@pytest.mark.stub("call-flops", points=4)
def test_backward_counts_what_is_asked_for():
    needs = ((True, False), (False, True), (True, True))
    for shape, (need_x, need_y) in [(shape, n) for shape in ((4, 5), (4,)) for n in needs]:
        a, b = randn(3, 4).requires_grad_(need_x), randn(*shape).requires_grad_(need_y)
        found = sum(watched(lambda a=a, b=b: (a @ b).sum().backward())["backward"])
        wanted = 6 * math.prod(shape) * (need_x + need_y)
        assert found == wanted, (
            f"(3, 4) @ {shape}, gradients needed {need_x, need_y}: {wanted} FLOPs backward, not {found}"
        )


@pytest.mark.stub("call-flops", points=4)
def test_a_bias_that_asks_for_a_gradient_costs_nothing():
    layer, x = Linear(4, 5), randn(3, 4)
    found = sum(watched(lambda: layer(x).sum().backward())["backward"])
    assert found == 120, f"only the weight's gradient is a product: 120 FLOPs, not {found}"


@pytest.mark.stub("call-flops", points=4)
def test_only_products_of_gradients_that_are_needed_count():
    layer = Linear(4, 5)
    layer.weight.requires_grad_(False)
    found = sum(watched(lambda: layer(randn(3, 4)).sum().backward())["backward"])
    assert found == 0, f"only the bias needs a gradient, a sum: 0 FLOPs backward, not {found}"


@pytest.mark.stub("call-flops", points=4)
def test_backward_of_convolutions_and_of_attention():
    filters = randn(4, 3, 2, 2).requires_grad_(True)
    for need in (False, True):
        x = randn(1, 3, 5, 5).requires_grad_(need)
        found = watched(lambda x=x: conv2d(x, filters).sum().backward())
        forward, backward = sum(found["forward"]), sum(found["backward"])
        wanted = (1 + need) * 2 * 4 * 16 * 12
        assert (forward, backward) == (1536, wanted), (
            f"a convolution, its images' gradient needed: {need}: 1536 FLOPs forward, "
            f"{wanted} backward, not {forward} and {backward}"
        )
    for needed in ((1, 1, 1), (0, 1, 0), (0, 0, 1), (1, 0, 1)):
        needed, times = tuple(map(bool, needed)), sum(needed[:2])
        q, k, v = (randn(1, 2, 3, 4).requires_grad_(need) for need in needed)
        attend = lambda q=q, k=k, v=v: scaled_dot_product_attention(q, k, v).sum().backward()
        found = sum(watched(attend)["backward"])
        wanted = times * 2 * 2 * 9 * (4 + 4)
        assert found == wanted, (
            f"attention, gradients of (query, key, value) needed: {needed}; of these the "
            f"first two count: {wanted} FLOPs backward, not {found}"
        )


@pytest.mark.stub("call-flops", points=4)
def test_modules_and_other_operations_count_nothing():
    found = watched(lambda: ReLU()(ones(3, 4)).exp().sum())
    assert sum(map(sum, found.values())) == 0, f"no products, no FLOPs: {found}"


@pytest.mark.stub("count-flops", points=4)
def test_the_model_is_called_once_and_watched():
    x, calls, before = ones(3, 3), [], sys.getprofile()

    def model(*given):
        calls.append((given, sys.getprofile()))
        return x @ x

    found = count_flops(model, x, 7, None)
    assert len(calls) == 1, f"model(*inputs) is called once, not {len(calls)} times"
    given, watching = calls[0]
    kinds = ", ".join(type(value).__name__ for value in given)
    assert len(given) == 3, f"x, 7 and None are three inputs, but it was model({kinds})"
    passed_on = [one is other for one, other in zip(given, (x, 7, None))]
    assert passed_on == [True] * 3, (
        f"the model is called with the inputs themselves, x, 7 and None, not others: {kinds}"
    )
    assert watching != before, "nobody watches while the model runs: call it in the with block"
    assert found == 54, f"(3, 3) @ (3, 3): 54 FLOPs, not {found}"
    assert isinstance(found, int), f"FLOPs are a Python int, not a {type(found).__name__}"


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
def test_the_model_stays_in_its_mode():
    model, modes, graded = Linear(2, 3), [], []
    model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    model.register_forward_hook(lambda module, _, y: graded.append(y.requires_grad))
    for training in (True, False):
        model.train(training)
        count_flops(model, zeros(1, 2))
        modes.append(model.training)
    assert modes == [True, True, False, False], (
        "a model in training mode stays so, while it runs and afterwards, and one in "
        f"evaluation mode, too: training is {modes}"
    )
    assert graded == [True, True], (
        f"a module runs as it is called, not under no_grad, so its results require gradients: {graded}"
    )


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


def check_that_watching_ends(watch):
    """Nobody watches any more after `watch` has watched a run, or one that raises."""
    before = sys.getprofile()
    watch(lambda: ones(2).exp())
    ended = sys.getprofile() is before
    sys.setprofile(before)
    assert ended, "the watching ends with the run: use a with block"
    try:
        watch(lambda: 1 / 0)
    except ZeroDivisionError:
        ended = sys.getprofile() is before
        sys.setprofile(before)
        assert ended, "the watching ends even if what runs raises: use a with block"
    else:
        raise AssertionError("an error of what runs is passed on")


@pytest.mark.stub("count-flops", points=4)
def test_nobody_is_watching_afterwards():
    check_that_watching_ends(count_flops)


@pytest.mark.stub("count-flops", points=4)
def test_another_watch_goes_on():
    seen = []
    with Watch(lambda call: seen.append(call.name)):
        count_flops(Linear(2, 2), zeros(1, 2))
        ones(2).exp()
    assert "Exp" in seen, "a Watch that was on before must go on afterwards: use a with block"


def moved(run):
    """The name, kind and bytes of every call of an operation or a rule, in their order."""
    found = []
    with Watch(lambda call: found.append((call.name, call.kind, bytes_moved(call)))):
        run()
    return [(name, nbytes) for name, kind, nbytes in found if kind != "module"]


def check_moved(said, run, wanted):
    found = moved(run)
    assert found == wanted, f"{said}: (call, bytes) is {wanted}, not {found}"


@pytest.mark.stub("bytes-moved", points=6)
def test_operands_are_read_and_results_are_written():
    x, y, bias = zeros(3, 4), zeros(4, 5), zeros(4)
    check_moved("(3, 4) @ (4, 5)", lambda: x @ y, [("MatMul", 48 + 80 + 60)])
    check_moved("(3, 4) + (4,), broadcast", lambda: x + bias, [("Add", 48 + 16 + 48)])
    check_moved("(3, 4) + a number", lambda: x + 2, [("Add", 48 + 48)])
    check_moved("a sum of (3, 4), of 4 bytes", lambda: x.sum(), [("Sum", 48 + 4)])
    for kind, nbytes in ((np.float16, 24), (np.float64, 96)):
        check_moved(f"exp of 12 {kind.__name__}", wrap(np.ones(12, kind)).exp, [("Exp", 2 * nbytes)])


@pytest.mark.stub("bytes-moved", points=6)
def test_views_move_nothing():
    x, bias = zeros(3, 4), zeros(4)
    for said, run in (
        ("transpose", lambda: x.transpose(0, 1)),
        ("reshape", lambda: x.reshape(2, 6)),
        ("a slice", lambda: x[1:, :2]),
        ("expand", lambda: bias.expand(3, 4)),
    ):
        found = moved(run)
        total = sum(nbytes for _, nbytes in found)
        assert total == 0, f"{said} returns a view, which moves 0 bytes: {found}"


def one_call(inputs, result, kind="forward", saved=()):
    return bytes_moved(Call(kind, "Planted", "", None, inputs, None, saved, result))


class Part(np.ndarray):
    """Views of it keep it as their base, so the memory's owner is two steps away."""


@pytest.mark.stub("bytes-moved", points=6)
def test_memory_that_several_arrays_look_into_is_read_once():
    x, new = np.zeros((6, 4), np.float32), np.zeros((2, 4), np.float32)
    wide = np.broadcast_to(np.zeros(4, np.float32), (6, 4))
    for said, inputs, wanted in (
        ("an array, twice", (x, x), 96),
        ("an array and its transpose", (x, x.T), 96),
        ("an array and a slice of it", (x, x[:2]), 96),
        ("two slices of 32 bytes each of one array", (x[:2], x[4:]), 64),
        ("a slice of 32 bytes, twice", (x[:2],) * 2, 32),
        ("an array of 16 bytes, expanded to 6 x 4", (wide,), 16),
        ("an array of 96 bytes, another of 32", (x, np.ones((2, 4), np.float32)), 128),
        ("an array, numbers, None and a shape", (x, 3.0, np.float64(2), None, (6, 4)), 96),
        ("an array and rows of a view of it", (x, x.view(Part)[:2]), 96),
        ("an array in the memory of 64 `bytes`", (np.frombuffer(bytes(64), np.float32),), 64),
        ("a shape and a number", ((3, 4), 1.0), 0),
        ("an array and three integers of 8 bytes", (x, np.arange(3, dtype=np.int64)), 120),
        ("arrays of 96, 16 and 8 bytes", (x, np.ones(2), np.ones(1)), 120),
    ):
        found = one_call(inputs, (new,))
        assert found == wanted + 32, (
            f"{said}: {wanted} bytes are read and 32 written, {wanted + 32} in all, not {found}"
        )


@pytest.mark.stub("bytes-moved", points=6)
def test_only_new_memory_is_written():
    x, new, large = np.zeros((6, 4)), np.zeros(5), np.zeros((10, 10))
    for said, result, wanted in (
        ("two new arrays", (new, new.copy()), 192 + 40 + 40),
        ("a new array and a view of the input", (new, x[:1]), 192 + 40),
        ("a view of the input", (x.T,), 0),
        ("the input itself", (x,), 0),
        ("two rows of new memory", (large[:2],), 192 + 160),
        ("a new array, expanded", (np.broadcast_to(new, (8, 5)),), 192 + 40),
        ("one new array, twice", (new, new), 192 + 40),
        ("two rows of new memory, the same array twice", (large[:2],) * 2, 192 + 160),
        ("a new array and its transpose", (large, large.T), 192 + 800),
        ("None", (None,), 0),
    ):
        found = one_call((x,), result)
        assert found == wanted, (
            f"a call is given 192 bytes and returns {said}: {wanted} bytes move, not {found}"
        )
        assert isinstance(found, int), f"bytes are a Python int, not a {type(found).__name__}"
    found = one_call((x[:3],), (x[3:],))
    assert found == 0, f"from one half of an array to a view of the other: 0 bytes, not {found}"
    found = one_call((x[:1],), (new, x[1:]))
    assert found == 32 + 40, (
        "a call is given a row of 32 bytes, and returns 40 new bytes and a view of the other "
        f"rows: 72 bytes move, not {found}"
    )


@pytest.mark.stub("bytes-moved", points=6)
def test_rules_read_what_forward_has_saved():
    grad, x, new = np.zeros(8, np.float32), np.zeros((3, 8), np.float32), np.zeros((3, 8))
    found = one_call((grad,), (new, None), "backward", (x, x[0]))
    assert found == 32 + 96 + 192, f"a gradient of 32 bytes, 96 saved, 192 returned: 320 bytes, not {found}"
    found = one_call((x,), (new,), "backward", (x, grad))
    assert found == 96 + 32 + 192, (
        "a rule is given an array of 96 bytes that forward has saved too, another of 32 is "
        f"saved, 192 bytes are returned: 320 bytes, not {found}"
    )
    found = one_call((grad,), (np.broadcast_to(grad, (3, 8)),), "backward", (x,))
    assert found == 0, f"a rule that only expands its gradient moves 0 bytes, not {found}"
    found = one_call((grad,), (new,), "backward", (x, np.ones(4), np.ones(1), x.T))
    assert found == 32 + 96 + 32 + 8 + 192, (
        "a gradient of 32 bytes; 96, 32 and 8 saved, the first of them twice; 192 returned: "
        f"360 bytes, not {found}"
    )
    found = one_call((x[0],), (new,), "backward", (x[1],))
    assert found == 32 + 32 + 192, (
        "a rule is given a row of 32 bytes, another row of the same array is saved, 192 bytes "
        f"are returned: 256 bytes, not {found}"
    )
    found = one_call((grad,), (x[:2],), "backward", (x,))
    assert found == 0, f"a rule that returns a view of what is saved: 0 bytes, not {found}"
    y = zeros(3, 4).requires_grad_(True).exp()
    check_moved("exp, backward", lambda: y.backward(ones(3, 4)), [("ExpBackward", 3 * 48)])


@pytest.mark.stub("bytes-moved", points=6)
def test_modules_move_nothing_themselves():
    found = one_call((np.zeros(4),), (np.zeros(9),), "module")
    assert found == 0, f"a module only calls operations, so it moves 0 bytes, not {found}"


def check_self_times(spans, wanted, said):
    before = list(spans)
    found = self_times(spans)
    assert spans == before, "the list of events must not be changed"
    assert isinstance(found, list), f"a list is wanted, not a {type(found).__name__}"
    said = f"{said}: events {before}, and one time for each, in this order"
    np.testing.assert_allclose(found, wanted, err_msg=said)


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
    check_self_times([(0, 10), (1, 4), (5, 9)], [3, 3, 4], "two calls in one event")
    check_self_times([(0, 2), (3, 9), (4, 5)], [2, 5, 1], "a call in the second event")
    check_self_times(
        [(0, 20), (1, 5), (2, 3), (3, 4), (6, 10), (7, 9), (10, 19), (21, 24)],
        [3, 2, 1, 1, 2, 2, 9, 3],
        "calls of calls, and another event afterwards",
    )


@pytest.mark.stub("self-times", points=6)
def test_events_that_begin_or_end_together():
    check_self_times([(0, 10), (0, 10), (0, 4), (4, 10)], [0, 0, 4, 6], "the outer comes first")
    check_self_times([(0, 10), (0, 10), (0, 4)], [0, 6, 4], "the outer comes first")


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


MB = 1_000_000


def about(found, wanted, said):
    near = wanted - 50_000 < found < wanted + 50_000
    assert near, f"{said}: about {wanted / MB:.2f} MB, not {found / MB:.2f}"


@pytest.mark.stub("trace-memory", points=6)
def test_the_peak_and_what_is_live():
    def run():
        first, second = np.zeros(3 * MB, np.uint8), np.zeros(2 * MB, np.uint8)
        return first[:1].copy(), second

    found = trace_memory(run)
    about(found.peak, 5 * MB, "peak: arrays of 3 MB and 2 MB at a time")
    about(found.live, 2 * MB, "live: the array of 2 MB is returned, and still there")


@pytest.mark.stub("trace-memory", points=6)
def test_what_was_there_before_does_not_count():
    tracemalloc.start()
    try:
        held = np.zeros(4 * MB, np.uint8)
        large = np.zeros(9 * MB, np.uint8)
        del large  # an earlier peak
        found = trace_memory(lambda: np.zeros(1 * MB, np.uint8).max())
        assert tracemalloc.is_tracing(), "tracing was on before, so it must stay on"
    finally:
        tracemalloc.stop()
    said = f"{held.nbytes / MB:.0f} MB held, 9 MB taken and given back before the call, which"
    about(found.peak, 1 * MB, f"peak: {said} takes 1 MB")
    about(found.live, 0, f"live: {said} leaves nothing")


@pytest.mark.stub("trace-memory", points=6)
def test_the_function_is_called_once():
    calls = []
    trace_memory(lambda: calls.append(1))
    assert len(calls) == 1, f"`run` is called once, not {len(calls)} times"


@pytest.mark.stub("trace-memory", points=6)
def test_memory_that_is_given_back():
    held = [np.zeros(2 * MB, np.uint8)]
    tracemalloc.start()
    try:
        held[0] = np.zeros(2 * MB, np.uint8)
        found = trace_memory(held.clear)
    finally:
        tracemalloc.stop()
    about(found.live, -2 * MB, "live: the call gives back 2 MB that were traced before it")


@pytest.mark.stub("trace-memory", points=6)
def test_garbage_counts_if_it_is_not_from_before():
    def leave_a_ring():
        ring = [np.zeros(2 * MB, np.uint8)]
        ring.append(ring)

    gc.disable()
    tracemalloc.start()
    try:
        leave_a_ring()
        found = trace_memory(lambda: None)
        left = trace_memory(leave_a_ring)
    finally:
        tracemalloc.stop()
        gc.enable()
    about(found.live, 0, "live: 2 MB are garbage before the call, which takes nothing")
    about(found.peak, 0, "peak: 2 MB are garbage before the call, which takes nothing")
    about(left.live, 2 * MB, "live: 2 MB that the call leaves as garbage, not yet collected")


@pytest.mark.stub("trace-memory", points=6)
def test_a_measurement_in_a_measurement():
    held = []

    def run():
        held.append(np.zeros(2 * MB, np.uint8))
        trace_memory(lambda: None)

    about(trace_memory(run).live, 2 * MB, "live: 2 MB taken, and another measurement made")


@pytest.mark.stub("trace-memory", points=6)
def test_the_tracing_is_ended():
    trace_memory(lambda: None)
    assert not tracemalloc.is_tracing(), "tracing was off before, so it must be off again"
    for raised in (ZeroDivisionError, KeyboardInterrupt):

        def run(raised=raised):
            raise raised

        try:
            trace_memory(run)
        except raised:
            on, said = tracemalloc.is_tracing(), raised.__name__
            tracemalloc.stop()
            assert not on, f"tracing must be off again even if the run raised {said}"
        else:
            raise AssertionError("an error of the run is passed on")
    tracemalloc.start()
    try:
        trace_memory(lambda: 1 / 0)
    except ZeroDivisionError:
        on = tracemalloc.is_tracing()
        assert on, "tracing was on before, so it must stay on even if the run raised"
    finally:
        tracemalloc.stop()


def by_a_given_latency(n, nbytes, seconds):
    """The machine if measurements have these minima, and the sizes of the arrays of each."""
    sizes = []

    def measure(run, *more, **options):
        assert callable(run), "`measure` is called with a function, not with what one returns"
        only = not more and not options
        assert only, "`measure` may take nothing but the function: it is called with that alone"
        run()
        sizes.append(sorted({a.nbytes for a in arrays_of_a_function(run)}))
        least = seconds[len(sizes) % 2 - 1]
        times = 9.0 * least, least, 5.0 * least
        return Latency(5.0 * least, 9.0 * least, 3.0 * least, least, times)

    return measure_machine(n, nbytes, measure), sizes


@pytest.mark.stub("measure-machine", points=4)
def test_speeds_are_amounts_over_seconds():
    for n, nbytes, seconds in ((16, 4096, (0.5, 0.25)), (48, 80_000, (2.0, 3.0))):
        found, sizes = by_a_given_latency(n, nbytes, seconds)
        assert len(sizes) == 2, (
            "the function passed as `measure` is called twice, with the product and with the "
            f"copy, but here it was called {len(sizes)} times"
        )
        wanted = 2 * n**3 / seconds[0], 2 * nbytes / seconds[1]
        said = f"n={n}, nbytes={nbytes}: the"
        assert math.isclose(found.flops_per_second, wanted[0]), (
            f"{said} first measurement, of the product, has the minimum {seconds[0]} s: "
            f"{wanted[0]} FLOP/s, not {found.flops_per_second}"
        )
        assert math.isclose(found.bytes_per_second, wanted[1]), (
            f"{said} copy, of arrays of {sizes[1]} bytes, takes {seconds[1]} s, and reads and "
            f"writes each byte: {wanted[1]:.6g} bytes/s, not {found.bytes_per_second:.6g}"
        )


def peak_of(run, *args):
    """The most bytes that a call had in use at one time."""
    tracemalloc.start()
    run(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def while_it_measures(n, nbytes, look):
    """What `look(run)` gives for the product, and for the copy, that are measured."""
    found = []

    def measure(run):
        found.append(look(run))
        return Latency(1.0, 1.0, 1.0, 1.0, (1.0,))

    measure_machine(n, nbytes, measure)
    return found


def memory_of(run):
    """The bytes in use before a call, and the most that it takes beyond them."""
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    run()
    return before, tracemalloc.get_traced_memory()[1] - before


def types_of_matrices(run):
    """The types of all square matrices that a function uses."""
    arrays = arrays_of_a_function(run)
    return {a.dtype.name for a in arrays if a.ndim == 2 and a.shape[0] == a.shape[1]}


@pytest.mark.stub("measure-machine", points=4)
def test_arrays_are_float32_and_made_before():
    for n, nbytes in ((256, 4096), (16, 1_000_000)):
        tracemalloc.start()
        try:
            (there, product), (held, copy) = while_it_measures(n, nbytes, memory_of)
        finally:
            tracemalloc.stop()
        said, matrix = f"n={n}, nbytes={nbytes}:", 4 * n * n
        kinds, _ = while_it_measures(n, nbytes, types_of_matrices)
        assert kinds <= {"float32"}, f"{said} the product is of float32, not of {kinds}"
        assert there >= matrix, f"{said} no (n, n) matrix is there before the product is timed"
        assert product < matrix + 20_000, (
            f"{said} the product that is timed makes no new array but its float32 result: "
            f"{matrix:,} bytes, not {product:,}"
        )
        assert held >= 2 * nbytes, (
            f"{said} an array of {nbytes:,} bytes, and one that it is copied to, exist before "
            f"the copy is timed, but all arrays together have {held:,} bytes"
        )
        assert copy < 20_000, (
            f"{said} the copy that is timed goes into an array that exists already, and takes "
            f"no new memory, but it took {copy:,} bytes"
        )
        assert held < 10 * matrix + 4 * nbytes + 60_000, (
            f"{said} matrices of {matrix:,} bytes and two arrays of {nbytes:,} are enough, "
            f"but {held:,} bytes are in use"
        )


def arrays_of_a_function(run):
    """The arrays that a function can use, by its variables and the functions that it calls."""
    arrays, seen, todo = {}, set(), [run]
    while todo:
        value = todo.pop()
        if id(value) in seen or isinstance(value, (type, type(np))):
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            arrays[id(value)] = value
        elif isinstance(value, type(peak_of)):
            names = [value.__globals__.get(name) for name in value.__code__.co_names]
            todo += [value.__closure__, value.__defaults__, value.__kwdefaults__, *names]
        else:
            todo += gc.get_referents(value)
    return list(arrays.values())


def filled(run, fits):
    """The arrays of a function that fit, filled with random numbers, and copies of them."""
    rng = np.random.default_rng(0)
    arrays = [a for a in arrays_of_a_function(run) if fits(a) and a.flags.writeable]
    for array in arrays:
        array[...] = rng.integers(1, 100, size=array.shape)
    return arrays, [a.copy() for a in arrays]


def copies(nbytes, run):
    """Whether a run copies an array of this size into another; None if that is not seen."""
    arrays = arrays_of_a_function(run)
    memory = sum({id(owner(a)): owner(a).nbytes for a in arrays}.values())
    if arrays and memory < 2 * nbytes:
        return False
    arrays, before = filled(run, lambda a: a.nbytes == nbytes)
    if len(arrays) < 2:
        return None
    run()
    return any(
        np.array_equal(after, old) and not np.shares_memory(after, source)
        for after in arrays
        for source, old in zip(arrays, before)
    )


@pytest.mark.stub("measure-machine", points=4)
def test_every_number_is_copied_into_another_array():
    for nbytes in (4096, 80_000):
        _, found = while_it_measures(16, nbytes, lambda run, size=nbytes: copies(size, run))
        assert found is not False, (
            f"nbytes={nbytes}: the copy that is timed puts all the numbers of an array of "
            f"{nbytes:,} bytes into another one of this size, but here it did not"
        )


def holds_numbers(nbytes, run):
    """Whether an array of this size is more than zeros after a run; None if none is seen."""
    run()
    arrays = [a for a in arrays_of_a_function(run) if a.nbytes == nbytes]
    return any(a.any() for a in arrays) if arrays else None


@pytest.mark.stub("measure-machine", points=4)
def test_what_is_copied_was_filled_before():
    _, found = while_it_measures(16, 4096, lambda run: holds_numbers(4096, run))
    assert found is not False, (
        "all that is copied are zeros: fill the array with ones, or the like, before. Pages "
        "of np.zeros that nobody has written are all one page, in the cache"
    )


def multiplies(n, run):
    """Whether a run makes a product of (n, n) arrays, or "half" of one; None if not seen."""
    arrays, before = filled(run, lambda a: a.shape == (n, n))
    result = run()
    results = [getattr(result, "array", result)]
    results += [a for a, old in zip(arrays, before) if not np.array_equal(a, old)]
    results = [a for a in results if isinstance(a, np.ndarray)]
    operands = [*before, *(a.T for a in before)]
    if not results or not operands:
        return None
    results = [a for a in results if a.shape == (n, n)]
    makes = lambda x, y: any(np.allclose(a, x @ y) for a in results)
    half = any(makes(x, x.T) for x in operands)
    return "half" if half else any(makes(x, y) for x in operands for y in operands)


def seconds_beside_a_product(n, run):
    """The least seconds of a run, and those of a product, timed in turn."""
    a, times = np.ones((n, n), np.float32), [[], []]
    for _ in range(20):
        for seconds, work in zip(times, (run, lambda: a @ a)):
            start = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - start)
    return min(times[0]), min(times[1])


@pytest.mark.stub("measure-machine", points=4)
def test_the_product_that_is_timed_is_one_of_matrices():
    found, _ = while_it_measures(16, 4096, lambda run: multiplies(16, run))
    assert found != "half", (
        "n=16: of a matrix times its own transpose only one half is computed, and mirrored"
    )
    assert found is not False, (
        "n=16: what the product that is timed returns, or writes into an array, is not the "
        "product of two of its (16, 16) matrices"
    )
    if found is None:  # its result is not kept
        (took, least), _ = while_it_measures(384, 4096, lambda run: seconds_beside_a_product(384, run))
        assert took > least / 5, (
            f"n=384: what is timed as the product takes {took * 1e3:.4f} ms, but a product of "
            f"(384, 384) matrices {least * 1e3:.4f} ms: does it do less?"
        )


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
            (0.0123, "memory"),
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
            assert math.isclose(found.intensity, flops / nbytes), (
                f"{said}: an intensity of {flops / nbytes:g}, not {found.intensity:g}"
            )
            assert found.bound == bound, f"{said}: bound by {bound}, not {found.bound}"
            assert math.isclose(found.attainable, wanted), (
                f"{said}: {wanted:g} FLOP/s are attainable, not {found.attainable:g}"
            )


@pytest.mark.stub("roofline", points=4)
def test_nothing_to_compute_and_nothing_to_fetch():
    machine = Machine(100.0, 10.0)
    found = roofline(0, 80, machine)
    assert (found.bound, found.intensity, found.attainable) == ("memory", 0, 0), (
        f"a copy has no FLOPs: memory limits it, and its FLOP/s are 0, not {found}"
    )
    for flops in (80, 0):
        found = roofline(flops, 0, machine)
        wanted = ("compute", math.inf, 100.0)
        assert (found.bound, found.intensity, found.attainable) == wanted, (
            f"{flops} FLOPs without bytes: compute-bound, of infinite intensity, and the peak "
            f"is attainable, not {found}"
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


def line_found(run):
    """What find_nan answers for a run, which is a line of text or None."""
    found = find_nan(run)
    assert found is None or isinstance(found, str), (
        f"what show_call(call) gives is wanted, a str, or None, not a {type(found).__name__}"
    )
    return found


@pytest.mark.stub("find-nan", points=6)
def test_the_function_runs_once_and_is_watched():
    runs, before = [], sys.getprofile()
    find_nan(lambda: runs.append(sys.getprofile()))
    assert len(runs) == 1, f"a step of training must run once, not {len(runs)} times"
    assert runs[0] != before, "nobody watches while `run` runs: call it in the with block"


@pytest.mark.stub("find-nan", points=6)
def test_a_good_run_has_none():
    for function in (lambda x: (x * x).exp(), lambda x: x.masked_fill(x > 0, -math.inf).exp()):
        found = line_found(gradient_of(function, 0.0, 1.0))
        assert found is None, f"nothing is wrong here, but the answer is {found!r}"


def root_at_0():
    return gradient_of(lambda x: ((x * 2) * (x * 3)).sqrt() * 5, 0.0, 4.0)


@pytest.mark.stub("find-nan", points=6)
def test_a_nan_that_forward_has_made():
    found = line_found(gradient_of(lambda x: (x - 1).log() * 2, 0.5, 2.0))
    assert {found, line_found(root_at_0())} != {None}, (
        "one run makes a NaN in forward, another an infinite gradient, but both answers are "
        "None: is what was found kept, and returned?"
    )
    assert str(found).startswith("forward of Log in Steps"), (
        "the log of -0.5 makes the first NaN, whose line begins 'forward of Log in Steps', "
        f"but the answer is {found!r}"
    )


@pytest.mark.stub("find-nan", points=6)
def test_the_rule_that_gives_infinity_comes_before_those_that_give_nan():
    found = line_found(root_at_0())
    assert str(found).startswith("backward of SqrtBackward in Steps"), (
        f"the slope of sqrt at 0 is infinite, so its rule is the first bad call, not {found!r}"
    )


@pytest.mark.stub("find-nan", points=6)
def test_what_was_given_a_nan_is_not_to_blame():
    x = tensor([math.nan, 1.0], requires_grad=True)
    found = find_nan(lambda: (x * 2).exp().sum().backward())
    assert found is None, f"the NaN was there before the run, so no call made it, but the answer is {found!r}"
    layer = Linear(2, 3)
    layer.weight.array[1, 0] = math.nan
    found = find_nan(lambda: layer(tensor([[1.0, 2.0]])).sum().backward())
    assert found is None, f"the NaN was in a weight, so no call made it, but the answer is {found!r}"
    x = tensor([1.0, 2.0], requires_grad=True)
    found = find_nan(lambda: (x * 3).backward(tensor([math.inf, 1.0])))
    assert found is None, f"the infinite gradient was given, so no rule made it, but the answer is {found!r}"
    found = find_nan(lambda: (tensor([math.nan]) * 2, tensor([-1.0]).log()))
    assert str(found).startswith("forward of Log"), (
        "a product is given a NaN, which it did not make; then the log of -1 makes one and is "
        f"wanted, but the answer is {found!r}"
    )


@pytest.mark.stub("find-nan", points=6)
def test_infinities_that_forward_is_given_are_not_bad():
    found = find_nan(lambda: (tensor([1.0]) / zeros(1)).exp().log().cos())
    assert str(found).startswith("forward of Cos"), (
        f"infinities are right until cos makes a NaN of one, but the answer is {found!r}"
    )
    found = find_nan(gradient_of(lambda x: (x * 1000).exp(), 1.0))
    assert str(found).startswith("backward of ExpBackward"), (
        "exp gives infinity in forward, and saves it; its rule makes the first infinite "
        f"gradient of it, but the answer is {found!r}"
    )


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


@pytest.mark.stub("find-nan", points=6)
def test_nobody_watches_afterwards():
    check_that_watching_ends(find_nan)


def loop_of(waits, steps):
    """The share for waits and steps of exactly these seconds; what the steps were given."""
    now, given, read = [1e9], [], []

    def batches():
        for number, seconds in enumerate(waits, 1):
            now[0] += seconds
            yield number

    def step(batch):
        now[0] += steps[len(given)]
        given.append(batch)

    def clock():
        read.append(now[0])
        return now[0]

    found = waiting_share(batches(), step, clock)
    assert read, "the function passed as `clock` gives the time, but it was not called"
    return found, given


@pytest.mark.stub("waiting-share", points=5)
def test_the_share_of_waiting():
    for waits, steps in [
        ([1.0, 2.0, 6.0], [4.0, 1.0, 2.0]),
        ([3.0], [1.0]),
        ([1.0], [299.0]),
        ([10.0, 0.0, 0.0], [0.0, 1.0, 9.0]),
        ([0.0, 0.0], [1.0, 1.0]),
    ]:
        found, given = loop_of(waits, steps)
        wanted = sum(waits) / (sum(waits) + sum(steps))
        assert given == list(range(1, len(waits) + 1)), f"each batch goes to a step, in order: {given}"
        assert math.isclose(found, wanted, abs_tol=1e-12), (
            f"waiting {waits} s, steps of {steps} s: a share of {wanted:.4f}, not {found:.4f}"
        )


@pytest.mark.stub("waiting-share", points=5)
def test_what_it_takes_to_begin_is_waiting():
    now = [0.0]

    class Slow:
        def __iter__(self):
            now[0] += 3.0
            return iter([1])

    def step(batch):
        now[0] += 1.0

    found = waiting_share(Slow(), step, clock=lambda: now[0])
    assert found == 0.75, f"`iter(batches)` takes 3 s, the step 1 s: 0.75, not {found}"


@pytest.mark.stub("waiting-share", points=5)
def test_how_the_batches_end_is_no_work():
    now = [0.0]

    def batches():
        now[0] += 1.0
        yield 1
        now[0] += 10.0

    def step(batch):
        now[0] += 1.0

    found = waiting_share(batches(), step, clock=lambda: now[0])
    assert math.isclose(found, 1 / 2) or math.isclose(found, 11 / 12), (
        "1 s of waiting, a step of 1 s, 10 s until `batches` has ended: 1/2, or 11/12 with "
        f"that as waiting, not {found:.4f}"
    )


@pytest.mark.stub("waiting-share", points=5)
def test_a_batch_is_fetched_when_it_is_needed():
    done, before = [], []

    def batches():
        for number in (1, 2, 3):
            before.append(len(done))
            yield number

    waiting_share(batches(), done.append)
    assert before == [0, 1, 2], (
        f"three batches are fetched when they are needed, after 0, 1 and 2 steps, not {before}"
    )


@pytest.mark.stub("waiting-share", points=5)
def test_a_batch_may_be_anything():
    batches, given, seconds = [1, 0, None, "two"], [], iter(range(99))
    waiting_share(batches, given.append, clock=lambda: next(seconds))
    assert given == batches, f"each of the batches {batches} goes to a step, not only {given}"


@pytest.mark.stub("waiting-share", points=5)
def test_a_step_may_train():
    weight = tensor([1.0], requires_grad=True)
    waiting_share([1.0, 2.0], lambda batch: (weight * batch).sum().backward())
    found = weight.grad.tolist()
    assert found == [3.0], f"two steps compute gradients, [3.0] in all, not {found}"


@pytest.mark.stub("waiting-share", points=5)
def test_a_real_clock():
    def batches():
        for number in range(3):
            time.sleep(0.02)
            yield number

    found = waiting_share(batches(), lambda batch: None)
    assert found > 0.9, f"60 ms of waiting and no work: nearly 1, not {found:.3f}"


def lengths_with_gradient(x, grad):
    """What UnitLength makes of x, and the gradient of x for a gradient of the result."""
    leaf = tensor(x, requires_grad=True)
    y = UnitLength()(leaf)
    y.backward(tensor(grad))
    return y.detach().numpy(), leaf.grad.numpy()


@pytest.mark.stub("mend-tuning", points=8)
def test_vectors_get_length_one():
    rng = np.random.default_rng(0)
    x, grad = rng.standard_normal((2, 2, 5, 6)).astype(np.float32)
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    unit = x / length
    wanted = (grad - unit * (grad * unit).sum(-1, keepdims=True)) / length
    for scale in (1.0, 30.0, 0.1 / length.min(), 1e5):
        found, slope = lengths_with_gradient(np.float32(scale * x), grad)
        assert found.shape == x.shape, "the result has the shape of x"
        lengths = np.linalg.norm(found, axis=-1)
        far = np.abs(lengths - 1).argmax()
        near = abs(lengths.flat[far] - 1) < 3e-3
        assert near, (
            f"x{x.shape}: each of its 10 vectors gets length 1, but one of length "
            f"{scale * length.flat[far]:.2f} gets length {lengths.flat[far]:.3f}"
        )
        np.testing.assert_allclose(
            found, unit, atol=1e-3, err_msg=f"vectors of length {scale * length.min():.1f} up"
        )
        np.testing.assert_allclose(
            scale * slope,
            wanted,
            atol=1e-2,
            err_msg="the gradient of x for a random one of y; x counts in its length, too",
        )


@pytest.mark.stub("mend-tuning", points=8)
def test_vectors_of_zeros_are_kept_and_have_a_finite_gradient():
    x = np.float32([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    found, slope = lengths_with_gradient(x, np.float32([[1.0, 2.0]] * 3))
    wanted, about = (
        [[0.6, 0.8], [0, 0], [0, -1]],
        "vectors of length 5, 0 and 2, by their length",
    )
    np.testing.assert_allclose(found, wanted, atol=1e-3, err_msg=about)
    nothing = UnitLength()(zeros(2, 3)).numpy()
    np.testing.assert_array_equal(nothing, 0, err_msg="an array of zeros stays so")
    assert np.isfinite(slope).all(), (
        f"the second of three vectors is zero, and the gradient must be finite: {slope.tolist()}"
    )


def sines_and_cosines(T, C):
    angles = np.arange(T)[:, None] / 10_000 ** (np.arange(0, C, 2) / C)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(T, C)


def check_positions(found, x, err_msg):
    """Compare what was added to x with sines and cosines, and name what is wrong first."""
    assert found.shape == x.shape, f"{err_msg}: the result has the shape of x"
    added = found.detach().numpy().astype(float) - x
    wanted = sines_and_cosines(*x.shape[-2:])
    for *sequence, t, _ in np.argwhere(~np.isclose(added, wanted, rtol=0, atol=1e-4)).tolist():
        got, right = (a.round(3).tolist() for a in (added[(*sequence, t)], wanted[t]))
        raise AssertionError(f"{err_msg}: at position {t} {right} is added, not {got}")


@pytest.mark.stub("mend-tuning", points=8)
def test_positions_are_added():
    for most, shape in ((7, (2, 7, 4)), (40, (3, 1, 5, 6)), (9, (3, 2))):
        x, layer = randn(*shape), Positions(most, shape[-1])
        before = x.numpy().copy()
        check_positions(layer(x), before, err_msg=f"x{shape}, at most {most} positions")
        np.testing.assert_array_equal(x.numpy(), before, err_msg="x belongs to the caller")
        kind = layer(x).dtype
        assert kind == x.dtype, f"float32 stays float32, and is not {kind}"


@pytest.mark.stub("mend-tuning", points=8)
def test_gradients_pass_the_positions():
    x, grad = randn(3, 4).requires_grad_(True), randn(3, 4)
    found = Positions(9, 4)(x)
    assert found.requires_grad, "x requires a gradient, and so does what is added to it"
    found.backward(grad)
    np.testing.assert_array_equal(x.grad.numpy(), grad.numpy(), err_msg="the gradient of x")


@pytest.mark.stub("mend-tuning", points=8)
def test_a_long_sequence_may_follow_a_short_one():
    layer = Positions(9, 4)
    for T in (2, 9, 5):
        x, said = randn(T, 4), f"Positions(9, 4) gets 2, 9 and 5 vectors in turn, here {T}"
        check_positions(layer(x), x.numpy(), err_msg=said)


@pytest.mark.stub("mend-tuning", points=8)
def test_a_call_only_adds():
    layer, x = Positions(5000, 64), randn(1, 30, 64)
    layer(x[:, :3])
    nbytes = sum(n for _, n in moved(lambda: layer(x)))
    assert nbytes < 3.5 * x.array.nbytes, (
        "after a call with 3 rows, adding 30 reads twice 7,680 bytes and writes 7,680, and no "
        f"more: the operations of the call moved {nbytes:,}"
    )
    peak = peak_of(layer, x)
    assert peak < 100_000, (
        f"the result takes 7,680 bytes, and a call takes little more: not {peak:,}, as when "
        "5,000 rows are computed"
    )


@pytest.mark.stub("mend-tuning", points=8)
def test_positions_are_not_trained():
    found = [(name, p.requires_grad) for name, p in Positions(9, 4).named_parameters()]
    assert not found, f"the layer has no parameters, frozen or not, but (name, learns): {found}"


def small_tuning():
    """An encoder and a head that is one product, and three batches, the first one padded."""
    manual_seed(3)
    encoder = Sequential(Linear(3, 8), ReLU(), Linear(8, 4))
    for layer in (encoder[0], encoder[2]):
        layer.bias.array[...] = 0  # so that the features of zeros are zeros
    head, batches = Linear(4, 5, bias=False), []
    for rows in (6, 2, 3):
        batches.append((randn(rows, 2, 3), randint(0, 5, (rows,))))
    batches[0][0][:4, 1] = 0
    return encoder, head, batches


@pytest.mark.stub("mend-tuning", points=8)
def test_tuning_trains_the_head():
    said = "the head after three steps, by means over all T, vectors of zeros as well"
    check_tuning(*small_tuning(), said)


@pytest.mark.stub("mend-tuning", points=8)
def test_earlier_gradients_of_the_head_do_not_count():
    encoder, head, batches = small_tuning()
    head(ones(1, 4)).sum().backward()
    check_tuning(encoder, head, batches, "a head that had gradients before the call, after three steps")


def check_tuning(encoder, head, batches, said):
    start, losses = head.weight.detach().numpy().copy(), []
    weight = start.astype(float)
    features = [encoder(x).detach().numpy().mean(1) for x, _ in batches]
    for mean, (_, labels) in zip(features, batches):
        scores = np.exp(mean @ weight.T)
        p, right = scores / scores.sum(1, keepdims=True), np.eye(5)[labels.numpy()]
        losses.append(float(-np.log((p * right).sum(1)).mean()))
        weight = weight - 0.5 * (p - right).T @ mean / len(mean)
    found = tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    assert isinstance(found, float), f"the loss is a float, not a {type(found).__name__}"
    changed = not np.array_equal(head.weight.detach().numpy(), start)
    assert changed, f"{said}: its weight has not changed, so nothing was learned"
    np.testing.assert_allclose(head.weight.detach().numpy(), weight, atol=1e-4, err_msg=said)
    assert math.isclose(found, np.mean(losses), rel_tol=1e-4), (
        f"the losses of batches of 6, 2 and 3 are {losses}, their mean {np.mean(losses):.4f}, not {found}"
    )


@pytest.mark.stub("mend-tuning", points=8)
def test_the_encoder_only_runs_forward():
    encoder, head, batches = small_tuning()
    before = [p.detach().numpy().copy() for p in encoder.parameters()]
    found = count_flops(lambda: tune(encoder, head, batches, SGD(head.parameters(), lr=0.5)))
    forward, classify = 2 * 22 * (3 * 8 + 8 * 4), 2 * 22 * 4 * 5
    wanted = forward + 2 * classify
    assert found == wanted, (
        f"three batches, 22 vectors together: {forward} FLOPs of the encoder, {classify} of "
        f"the head and {classify} of its weight's gradient: {wanted} in all, not {found}"
    )
    for (name, p), old in zip(encoder.named_parameters(), before):
        assert p.grad is None, f"the encoder is not trained, but {name} has a gradient"
        np.testing.assert_array_equal(p.detach().numpy(), old, err_msg=f"encoder, {name}")


@pytest.mark.stub("mend-tuning", points=8)
def test_an_encoder_that_was_frozen_stays_so():
    encoder, head, batches = small_tuning()
    encoder.requires_grad_(False)
    tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    found = [name for name, p in encoder.named_parameters() if p.requires_grad]
    assert not found, f"all of the encoder was frozen before, but after the call not {found}"
    encoder, head, batches = small_tuning()
    encoder[2].requires_grad_(False)
    tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    found = [name for name, p in encoder[2].named_parameters() if p.requires_grad]
    assert not found, f"a part of the encoder was frozen before, but after the call not {found}"


@pytest.mark.stub("mend-tuning", points=8)
def test_a_batch_of_one_sequence():
    encoder, head, _ = small_tuning()
    said = "a batch of one sequence, the head after one step"
    check_tuning(encoder, head, [(randn(1, 2, 3), randint(0, 5, (1,)))], said)


class Loader:
    """Gives batches one after another, as a DataLoader does, and counts how often it began."""

    def __init__(self, batches):
        self.batches, self.passes = batches, 0

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        self.passes += 1
        yield from self.batches


@pytest.mark.stub("mend-tuning", points=8)
def test_the_batches_of_a_loader_are_gone_through_once():
    encoder, head, batches = small_tuning()
    loader = Loader(batches)
    tune(encoder, head, loader, SGD(head.parameters(), lr=0.5))
    assert loader.passes == 1, f"one pass over a DataLoader's batches, not {loader.passes}"


@pytest.mark.stub("mend-tuning", points=8)
def test_both_modules_are_called_with_whole_batches():
    (encoder, head, batches), given = small_tuning(), ([], [])
    for module, shapes in zip((encoder, head), given):
        note = lambda module, x, shapes=shapes: shapes.append(tuple(x[0].shape))
        module.register_forward_pre_hook(note)
    tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    for name, width, shapes in zip(("encoder", "head"), (3, 4), given):
        wanted = [(6, 2, width), (2, 2, width), (3, 2, width)]
        assert shapes == wanted, (
            f"`{name}(...)` is called once for each of three batches, with arrays of shapes "
            f"{wanted}, not {shapes}"
        )


@pytest.mark.stub("mend-tuning", points=8)
def test_the_modes_of_both_modules_stay():
    for training in (True, False):
        (encoder, head, batches), modes = small_tuning(), []
        encoder.train(training)
        head.train(training)
        note = lambda module, _, modes=modes: modes.append(module.training)
        encoder.register_forward_pre_hook(note)
        tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
        assert modes == [training] * 3, f"training={training} also while it runs, not {modes}"
        assert head.training == training, (
            f"head.training is {training} before the call and {head.training} after it"
        )
        assert encoder.training == training, (
            f"encoder.training is {training} before the call and {encoder.training} after it"
        )
