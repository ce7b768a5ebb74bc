"""Tests of module 18, which `make release 18` makes from kv_cache.py."""

import contextlib
import copy
import functools
import math
import sys

import numpy as np
import pytest

from tinytorch.autograd import no_grad
from tinytorch.kv_cache import (
    KVCache,
    LayerCache,
    RingCache,
    attend_new,
    attend_one,
    attend_ring,
    cache_bytes,
    check_window,
    continue_prompts,
    lookup_draft,
    next_input,
    verify_draft,
)
from tinytorch.tensor import Generator, float16, float32, float64, int8, manual_seed, tensor, wrap
from tinytorch.transformer import GPT, GPTConfig, generate


def drawn(*shapes, seed=0, dtype=np.float32):
    """Random arrays of these shapes."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


@pytest.mark.stub("cache-bytes", points=4)
def test_bytes_of_models_that_are_known():
    for name, arguments, wanted in [
        ("Llama 2 7B, 4,096 tokens in float16", (32, 32, 128, 4096, 1, float16), 2 * 2**30),
        ("GPT-2, 1,024 tokens in float32", (12, 12, 64, 1024), 72 * 2**20),
        ("GPT-2 XL, 1,024 tokens in float32", (48, 25, 64, 1024), 600 * 2**20),
        ("Llama 3 8B, 8 grouped heads, 8,192", (32, 8, 128, 8192, 1, float16), 2**30),
        ("Llama 2 70B, batch 16", (80, 8, 128, 4096, 16, float16), 20 * 2**30),
        ("the same in int8", (80, 8, 128, 4096, 16, int8), 10 * 2**30),
    ]:
        found = cache_bytes(*arguments)
        assert found == wanted, f"{name}: {wanted:,} bytes are wanted, not {found!r}"
        kind = type(found).__name__
        assert isinstance(found, int | np.integer), f"{name}: an int is wanted, not a {kind}"


@pytest.mark.stub("cache-bytes", points=4)
def test_bytes_are_those_of_arrays():
    for L, H, d, S, B in [(1, 1, 1, 1, 1), (3, 2, 5, 7, 4), (2, 6, 3, 9, 1)]:
        wanted = sum(2 * np.zeros((B, H, S, d)).nbytes for layer in range(L))
        found = cache_bytes(L, H, d, S, batch_size=B, dtype=float64)
        assert found == wanted, (
            f"{L} layers, {H} heads of {d}, {S} positions, batch {B}, float64: "
            f"{wanted} bytes are wanted, not {found}"
        )


@pytest.mark.stub("cache-bytes", points=4)
def test_a_layer_with_a_window_keeps_no_more_than_its_window():
    for L, F, S, R in [(3, 0, 9, 4), (3, 1, 9, 4), (4, 3, 5, 5), (2, 2, 7, 3), (5, 2, 3, 8)]:
        kept = [S if layer < F else len(range(S)[-R:]) for layer in range(L)]
        wanted = sum(2 * np.zeros((4, 2, n, 6), np.float32).nbytes for n in kept)
        found = cache_bytes(L, 2, 6, S, 4, window=R, full_layers=F)
        assert found == wanted, (
            f"{L} layers, {F} of them full, a window of {R}, {S} positions: the layers keep "
            f"{kept}, {wanted} bytes, not {found}"
        )
    for S, wanted in [(4096, 2**29), (32768, 2**29), (100, 100 * 2**17)]:  # Mistral 7B
        found = cache_bytes(32, 8, 128, S, dtype=float16, window=4096)
        assert found == wanted, f"Mistral 7B, {S} positions: {wanted} bytes, not {found}"
    found = cache_bytes(42, 8, 256, 8192, 1, float16, 4096, 21)
    assert found == 2016 * 2**20, f"Gemma 2 9B, 8,192 positions: 2,016 MiB, not {found} bytes"


@pytest.mark.stub("slots", points=6)
def test_memory_is_made_once_for_the_longest_text():
    layer = LayerCache(2, 3, 10, 4)
    for name, x in (("k", layer.k), ("v", layer.v)):
        assert x.shape == (2, 3, 10, 4), f"{name}: (2, 3, 10, 4) is wanted, not {x.shape}"
        assert x.dtype == np.float32, f"{name}: float32 is the default, not {x.dtype}"
        block, step = x[0, 0].flags.c_contiguous, x[0, 0].strides[0] // 4
        assert block, (
            f"{name}: all slots of a head, (10, 4), are one block of memory; from a slot to "
            f"the next are {step} numbers, not 4"
        )
    assert not np.shares_memory(layer.k, layer.v), "keys and values need separate memory"
    assert LayerCache(2, 3, 10, 4, float16).k.dtype == np.float16, "dtype=float16: k has it"
    assert LayerCache(2, 3, 10, 4, float16).v.dtype == np.float16, "dtype=float16: v has it"
    k, v = layer.k, layer.v
    for count in (4, 6):
        layer.write(*drawn((2, 3, count, 4), (2, 3, count, 4)))
        for name, same in (("k", layer.k is k), ("v", layer.v is v)):
            assert same, f"write copies into the existing memory of {name}, and allocates none"


@pytest.mark.stub("slots", points=6)
def test_reading_copies_nothing():
    layer = LayerCache(2, 2, 6, 3)
    layer.length = 4
    k, v = layer.read()
    for name, x in (("keys", k), ("values", v)):
        assert x.shape == (2, 2, 4, 3), (
            f"length was set to 4: {name} (2, 2, 4, 3) are to be read, not {x.shape}"
        )
    assert not np.shares_memory(k, layer.v), "the keys are read first, and not the values"
    assert not np.shares_memory(v, layer.k), "the values are read second, and not the keys"
    assert np.shares_memory(k, layer.k), "the keys that are read are a view of layer.k"
    assert np.shares_memory(v, layer.v), "the values that are read are a view of layer.v"


@pytest.mark.stub("slots", points=6)
def test_what_is_written_is_read_in_order():
    layer = LayerCache(2, 3, 10, 4)
    k, v = drawn((2, 3, 9, 4), (2, 3, 9, 4), seed=1)
    kept = k.copy(), v.copy()
    done = 0
    for count in (3, 1, 1, 4):
        part = slice(done, done + count)
        layer.write(k[:, :, part], v[:, :, part])
        done += count
        assert layer.length == done, f"after {done} positions length is {done}, not {layer.length}"
        for name, found, wanted in zip(("keys", "values"), layer.read(), kept):
            assert found.shape == (2, 3, done, 4), (
                f"read: {name} of {done} positions, (2, 3, {done}, 4), not {found.shape}"
            )
            np.testing.assert_array_equal(
                found, wanted[:, :, :done], err_msg=f"{name} after {done} positions"
            )
    np.testing.assert_array_equal(k, kept[0], err_msg="the caller's keys must not change")
    np.testing.assert_array_equal(v, kept[1], err_msg="the caller's values must not change")


@pytest.mark.stub("slots", points=6)
def test_what_was_handed_over_may_change_afterwards():
    for room in (5, 2):
        layer, (k, v) = LayerCache(1, 2, room, 3), drawn((1, 2, 2, 3), (1, 2, 2, 3))
        wanted = k.copy(), v.copy()
        layer.write(k, v)
        k[...], v[...] = 7, 8
        message = f"2 positions, {room} slots: write copies the numbers"
        for found, kept in zip(layer.read(), wanted):
            np.testing.assert_array_equal(found, kept, err_msg=message)


@pytest.mark.stub("slots", points=6)
def test_a_new_text_uses_the_memory_again():
    layer = LayerCache(1, 1, 4, 2)
    layer.write(*drawn((1, 1, 4, 2), (1, 1, 4, 2)))
    layer.length = 0
    for x in layer.read():
        assert x.shape == (1, 1, 0, 2), f"length 0: (1, 1, 0, 2) is read, not {x.shape}"
    k, v = drawn((1, 1, 2, 2), (1, 1, 2, 2), seed=3)
    layer.write(k, v)
    np.testing.assert_array_equal(layer.read()[0], k, err_msg="length 0: the first slot again")
    np.testing.assert_array_equal(layer.read()[1], v, err_msg="length 0: the first slot again")


@pytest.mark.stub("slots", points=6)
def test_what_does_not_fit_changes_nothing():
    layer, (k, v) = LayerCache(1, 1, 4, 2), drawn((1, 1, 3, 2), (1, 1, 3, 2))
    layer.write(k, v)
    for wrong in drawn((1, 1, 2, 2), (2, 1, 1, 2), (1, 2, 1, 2), (1, 1, 1, 3), seed=1):
        with pytest.raises(ValueError) as refused:
            layer.write(wrong, wrong)
        assert "a cache" in str(refused.value), (
            f"keys {wrong.shape}, 3 of 4 slots filled: the given line calls `check_room`, "
            f"which refuses them before anything is written; here came: {refused.value}"
        )
    assert layer.length == 3, "a write that is refused leaves the length as it was"
    message = "a write that is refused leaves what was written"
    np.testing.assert_array_equal(layer.read()[0], k, err_msg=message)


def one_by_one(q, k, v, start=None, window=None):
    """Attention position by position, head by head, of those from `start` on, in float64."""
    (B, H, T, d), (G, S) = q.shape, k.shape[1:3]
    start = S - T if start is None else start
    output = np.zeros((B, H, T, d))
    for b, h, t in np.ndindex(B, H, T):
        seen = slice(max(0, start + t + 1 - (window or S)), start + t + 1)
        keys, values = (x[b, h * G // H, seen].astype(float) for x in (k, v))
        scores = keys @ q[b, h, t].astype(float) / np.sqrt(d)
        weights = np.exp(scores - scores.max())
        output[b, h, t] = weights / weights.sum() @ values
    return output


@pytest.mark.stub("attend-one", points=7)
def test_one_query_attends_to_all():
    for B, H, S, d in [(1, 1, 1, 2), (1, 2, 5, 4), (3, 4, 7, 2), (2, 3, 6, 5)]:
        q, k, v = drawn((B, H, 1, d), (B, H, S, d), (B, H, S, d), seed=S)
        wanted = one_by_one(3 * q, k, v)
        found = attend_one(3 * q, k, v)
        shapes = f"q {q.shape}, k and v {k.shape}"
        assert found.shape == q.shape, f"{shapes}: {q.shape} is wanted, not {found.shape}"
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=shapes)


@pytest.mark.stub("attend-one", points=7)
def test_groups_of_queries_share_a_head_of_keys():
    for H, G, S in [(4, 2, 5), (6, 2, 5), (6, 3, 2), (8, 1, 5), (6, 2, 1)]:
        q, k, v = drawn((2, H, 1, 4), (2, G, S, 4), (2, G, S, 4), seed=H + G)
        wanted = one_by_one(q, k, v)
        found = attend_one(q, k, v)
        assert found.shape == q.shape, f"{H} heads in {G} groups: {found.shape} came back"
        case = f"{H} heads of queries, {G} of keys, {S} positions"
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=case)


@pytest.mark.stub("attend-one", points=7)
def test_nothing_is_changed_and_the_type_stays():
    for dtype in ("float32", "float64", "float16"):
        q, k, v = drawn((2, 2, 1, 4), (2, 2, 6, 4), (2, 2, 6, 4), dtype=dtype)
        kept, wanted = [x.copy() for x in (q, k, v)], one_by_one(q, k, v)
        found = attend_one(q, k, v)
        for name, x, before in zip("qkv", (q, k, v), kept):
            np.testing.assert_array_equal(x, before, err_msg=f"{name} belongs to the caller")
        assert found.dtype == dtype, f"{dtype} stays {dtype}, and is not {found.dtype}"
        digits = {"float64": 12, "float32": 4, "float16": 1}[dtype]
        message = f"{dtype}: the result is right to {digits} digits"
        np.testing.assert_allclose(found, wanted, atol=10.0**-digits, err_msg=message)


@pytest.mark.stub("attend-one", points=7)
def test_views_of_a_cache_and_of_a_projection_will_do():
    packed, memory = drawn((2, 1, 3, 4, 8), (2, 2, 4, 16, 8), seed=5)
    q, (k, v) = packed[:, :, 0].swapaxes(1, 2), memory[:, :, :, :9]  # neither is contiguous
    wanted = one_by_one(q, k, v)
    found = attend_one(q, k, v)
    message = "q, k and v are views that are not contiguous"
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=message)


@pytest.mark.stub("attend-one", points=7)
def test_large_scores_do_no_harm():
    q, k, v = drawn((1, 2, 1, 4), (1, 2, 5, 4), (1, 2, 5, 4), seed=6)
    wanted = one_by_one(1000 * q, k, v)
    with np.errstate(over="raise", invalid="raise"):
        found = attend_one(1000 * q, k, v)
    np.testing.assert_allclose(found, wanted, atol=1e-3, err_msg="scores of some thousands")


@pytest.mark.stub("attend-one", points=7)
def test_softmax_subtracts_each_querys_own_largest_score():
    q, k, v = drawn((1, 4, 1, 3), (1, 2, 5, 3), (1, 2, 5, 3), seed=6)
    signs = np.float32([1, -1, -1, 1]).reshape(1, 4, 1, 1)
    q, k = 300 * signs * np.abs(q), np.abs(k)
    wanted = one_by_one(q, k, v)
    with np.errstate(all="ignore"):
        found = attend_one(q, k, v)
    message = "all scores of heads 1 and 2 are far below 0, those of 0 and 3 far above"
    np.testing.assert_allclose(found, wanted, atol=1e-3, err_msg=message)


def calls_of(run):
    """How many calls of functions, Python's and C's, a run makes."""
    counted, before = [], sys.getprofile()
    sys.setprofile(lambda frame, event, _: counted.append(event))
    try:
        run()
    finally:
        sys.setprofile(before)
    return sum(event in ("call", "c_call") for event in counted)


@pytest.mark.stub("attend-one", points=7)
def test_all_heads_are_one_product():
    few = None
    for B, H, G in [(2, 4, 2), (2, 64, 32), (64, 4, 2), (2, 64, 2)]:
        arrays = drawn((B, H, 1, 4), (B, G, 5, 4), (B, G, 5, 4))
        attend_one(*arrays)  # loads, and einsum plans, what is needed once
        calls = calls_of(functools.partial(attend_one, *arrays))
        few = few or calls
        looped = calls > few + 30
        assert not looped, (
            f"q {arrays[0].shape}, k {arrays[1].shape}: this calls many more functions than "
            "for 2 texts and 4 heads: take all heads of all texts at once, without a loop"
        )


class Appended:
    """A layer's cache for these tests: it appends, and attends position by position."""

    def __init__(self, batch_size=1, num_heads=1, max_length=0, head_size=1, dtype=float32):
        self.sizes, self.dtype = (batch_size, num_heads, max_length, head_size), dtype
        self.length, self.arrays, self.nbytes = 0, None, 0
        self.k, self.v = np.zeros((2, *self.sizes))

    def attend(self, q, k, v, attention=None):
        q, *new = (x.detach().numpy() for x in (q, k, v))
        old = [x[:, :, : self.length] for x in self.arrays or new]
        start, self.arrays = self.length, [np.concatenate(x, 2) for x in zip(old, new)]
        self.length += q.shape[2]
        return wrap((attention or one_by_one)(q, *self.arrays, start).astype(q.dtype))


@pytest.mark.stub("attend-new", points=5)
def test_new_positions_see_what_is_before_them():
    for start, T, dtype in [
        (0, 5, "float32"), (3, 4, "float32"), (6, 2, "float32"), (9, 1, "float32"),
        (0, 1, "float32"), (4, 3, "float64"),
    ]:  # fmt: skip
        S = start + T
        q, k, v = drawn((2, 4, T, 3), (2, 4, S, 3), (2, 4, S, 3), seed=S, dtype=dtype)
        kept, wanted = [x.copy() for x in (q, k, v)], one_by_one(q, k, v, start)
        found = attend_new(q, k, v, start)
        for name, x, before in zip(("q", "keys", "values"), (q, k, v), kept):
            np.testing.assert_array_equal(x, before, err_msg=f"{name}: must not be changed")
        case = f"{T} new positions after {start}"
        assert isinstance(found, np.ndarray), f"{case}: an array is wanted, not {type(found)}"
        assert found.shape == q.shape, f"{case}: {q.shape} is wanted, not {found.shape}"
        assert found.dtype == dtype, f"{case}: {dtype} stays {dtype}, not {found.dtype}"
        digits = {"float32": 5, "float64": 12}[dtype]
        message = f"{case}, {dtype}: the result is right to {digits} digits"
        near = 10.0**-digits
        np.testing.assert_allclose(found, wanted, rtol=10 * near, atol=near, err_msg=message)


@pytest.mark.stub("attend-new", points=5)
def test_new_positions_with_grouped_heads():
    for start, T in [(0, 3), (4, 3), (6, 1)]:
        S = start + T
        q, k, v = drawn((2, 6, T, 4), (2, 2, S, 4), (2, 2, S, 4), seed=S)
        wanted = one_by_one(q, k, v, start)
        np.testing.assert_allclose(
            attend_new(q, k, v, start), wanted, rtol=1e-4, atol=1e-5,
            err_msg=f"6 heads of queries, 2 of keys, {T} new positions after {start}",
        )  # fmt: skip


def check_large_scores(attend, seen, above, below):
    """Four positions (1, 1, 4, 1): all queries have the same large scores, of either sign."""
    for sign, wanted in ((1, above), (-1, below)):
        numbers = [2000 * sign] * 4, [20, 40, 10, 30], [1, 2, 3, 4]
        with np.errstate(all="ignore"):
            found = attend(*(np.float32(x).reshape(1, 1, 4, 1) for x in numbers))
        scores = ", ".join(f"{2000 * sign * k:,}" for k in (20, 40, 10, 30))
        message = f"scores {scores}; values 1, 2, 3, 4; each position sees {seen}"
        np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-4, err_msg=message)


@pytest.mark.stub("attend-new", points=5)
def test_a_large_score_of_a_later_position_does_no_harm():
    seen = "what is before it, and itself"
    check_large_scores(lambda *qkv: attend_new(*qkv, 0), seen, [1, 2, 2, 2], [1, 1, 3, 3])


@pytest.mark.stub("attend-new", points=5)
def test_a_layer_in_parts_is_the_layer_in_one():
    q, k, v = drawn((2, 3, 9, 4), (2, 3, 9, 4), (2, 3, 9, 4), seed=7)
    wanted = one_by_one(q, k, v, 0)
    for sizes in [(9,), (4, 1, 1, 3), (1,) * 9]:
        layer, parts = Appended(), []
        for end, size in zip(np.cumsum(sizes), sizes):
            part = (wrap(x[:, :, end - size : end]) for x in (q, k, v))
            parts.append(layer.attend(*part, attend_new).array)
        np.testing.assert_allclose(
            np.concatenate(parts, 2), wanted, rtol=1e-4, atol=1e-5,
            err_msg=f"in parts of {sizes} positions",
        )  # fmt: skip


@pytest.mark.stub("attend-new", points=5)
def test_one_position_goes_through_attend_one():
    q, k, v = drawn((1, 2, 1, 3), (1, 2, 4, 3), (1, 2, 4, 3))
    kept, called = attend_new.__globals__["attend_one"], []
    noted = lambda q, k, v: called.append(1) or kept(q, k, v)
    attend_new.__globals__["attend_one"] = noted
    try:
        attend_new(q, k, v, 3)
    finally:
        attend_new.__globals__["attend_one"] = kept
    assert called == [1], "T = 1: call attend_one, which is faster"


def small(seed=5, spread=0.6, **changes):
    """A GPT without dropout, whose random weights are so large that its text varies."""
    sizes = {"vocab_size": 23, "block_size": 16, "n_layer": 3, "n_head": 2, "n_embd": 12}
    manual_seed(seed)
    model = GPT(GPTConfig(**sizes | {"dropout": 0.0} | changes)).eval()
    rng = np.random.default_rng(seed)
    for parameter in model.parameters():
        parameter.array[...] += spread * rng.standard_normal(tuple(parameter.shape))
    return model


def random_tokens(*shape, seed=0, vocab_size=23):
    return tensor(np.random.default_rng(seed).integers(0, vocab_size, shape))


@contextlib.contextmanager
def in_its_place(**others):
    """Replace functions of section 6 and later for a while."""
    names = KVCache.__init__.__globals__
    kept = {name: names[name] for name in others}
    names.update(others)
    try:
        yield
    finally:
        names.update(kept)


def own_layers():
    """Layers for these tests, in place of those of layer_cache."""
    return in_its_place(layer_cache=lambda *a, **options: Appended(*a, **options))


def check_layers(cache, count, sizes, dtype, case):
    kind = type(cache.layers).__name__
    assert kind == "list", f"{case}: `layers` is a list, and not a {kind}"
    made = len(cache.layers)
    assert made == count, f"{case}: {count} layers are wanted, not {made}"
    own = all(type(layer) is Appended for layer in cache.layers)
    assert own, f"{case}: make the layers with layer_cache, because it handles int8"
    assert len({id(layer) for layer in cache.layers}) == count, (
        f"{case}: {count} layers, each with its own cache, not the same one many times"
    )
    own = not any(np.shares_memory(cache.layers[0].k, layer.k) for layer in cache.layers[1:])
    assert own, f"{case}: each layer has its own memory; these share one array"
    for layer in cache.layers:
        assert repr(layer.sizes) == repr(sizes), (
            f"{case}: batch, heads, positions, head size are {sizes}, not {layer.sizes}"
        )
        assert layer.dtype is dtype, f"{case}: {dtype} is passed on, not {layer.dtype}"


@pytest.mark.stub("kv-cache", points=5)
def test_every_layer_has_a_cache_of_its_own():
    with own_layers():
        for dtype in (float16, int8):
            cache = KVCache(3, 2, 4, 10, 5, dtype)
            check_layers(cache, 3, (2, 4, 10, 5), dtype, f"KVCache(3, 2, 4, 10, 5, {dtype})")
        found = KVCache(3, 2, 4, 10, 5, keep=6).keep
        assert found == 6, f"KVCache(..., keep=6) has that keep, and not {found}"


@pytest.mark.stub("kv-cache", points=5)
def test_a_models_sizes_are_taken_from_its_config():
    model = small(n_layer=4, n_head=3, n_embd=12, block_size=9)
    with own_layers():
        cache = KVCache.for_model(model, 5)
        assert isinstance(cache, KVCache), f"for_model returns a KVCache, not {type(cache)}"
        check_layers(cache, 4, (5, 3, 9, 4), float32, "4 layers, 3 heads, n_embd 12, batch 5")
        assert (cache.max_length, cache.keep) == (9, 9), "by default the whole window"
        cache = KVCache.for_model(model, 1, 8)
        assert (cache.max_length, cache.keep) == (8, 8), "max_length=8: keep is 8, too"
        cache = KVCache.for_model(model, 1, 8, float16, 3)
        check_layers(cache, 4, (1, 3, 8, 4), float16, "max_length=8, dtype=float16")
        model = small(n_layer=2, n_head=6, n_kv_head=2, n_embd=24, block_size=9)
        cache = KVCache.for_model(model, 1)
        about = "6 heads of queries, 2 of keys and values, n_embd 24"
        check_layers(cache, 2, (1, 2, 9, 4), float32, about)
    cache = KVCache.for_model(model, 1, 8, float16, 3)
    assert (cache.max_length, cache.keep) == (8, 3), "max_length and keep are passed on"


@pytest.mark.stub("kv-cache", points=5)
def test_length_and_reset_count_for_all_layers():
    for count in (3, 1):
        with own_layers():
            cache = KVCache(count, 1, 2, 8, 4, keep=3)
        assert cache.length == 0, f"nothing has been shown: length 0, not {cache.length}"
        for layer in cache.layers:
            layer.length = 5
        assert cache.length == 5, f"five tokens have been shown, not {cache.length}"
        whole = isinstance(cache.length, int | np.integer)
        assert whole, f"length is an int, and not {cache.length!r}"
        layers, memory = list(cache.layers), [layer.k for layer in cache.layers]
        cache.window = np.zeros((1, 5), int)
        cache.reset()
        found = [layer.length for layer in cache.layers]
        assert found == [0] * count, f"reset: every layer has length 0, not {found}"
        same = cache.layers == layers
        assert same, "reset keeps the layers, with their memory"
        kept = all(layer.k is k for layer, k in zip(layers, memory))
        assert kept, "reset keeps the memory of the layers, and allocates none"
        found = cache.max_length, cache.keep
        assert found == (8, 3), f"reset leaves max_length 8 and keep 3: they became {found}"
        found = cache.window
        assert found is None, f"reset: `window` was {found}, of the old text: None is wanted"


@pytest.mark.stub("kv-cache", points=5)
def test_a_text_in_parts_gives_the_logits_of_the_whole():
    model, idx = small(), random_tokens(2, 13, seed=1)
    with no_grad():
        wanted = model(idx).numpy()
        for sizes in [(13,), (6, 1, 1, 1, 4), (1,) * 13]:
            with own_layers():
                cache, parts = KVCache.for_model(model, 2), []
            for part in idx.split(list(sizes), 1):
                parts.append(model(part, cache).numpy())
            np.testing.assert_allclose(
                np.concatenate(parts, 1), wanted, atol=1e-4,
                err_msg=f"shown in parts of {sizes} tokens",
            )  # fmt: skip


@pytest.mark.stub("window", points=5)
def test_what_is_shown_next():
    window = random_tokens(2, 8)
    wants = type(window).__name__
    for new, length, max_length, keep, count, again in [
        (8, 0, 8, 8, 8, False), (8, 0, 5, 2, 5, False), (8, 0, 16, 16, 8, False),
        (2, 3, 10, 4, 2, False),
        (1, 1, 8, 4, 1, False), (1, 7, 8, 8, 1, False), (1, 4, 5, 3, 1, False),
        (1, 8, 8, 8, 8, True), (1, 8, 8, 4, 4, True), (1, 5, 5, 1, 1, True),
        (1, 6, 6, 5, 5, True), (3, 5, 16, 8, 3, False), (3, 5, 8, 4, 3, False),
        (3, 6, 8, 4, 4, True), (2, 7, 8, 8, 8, True), (6, 2, 16, 2, 6, False),
        (8, 0, 12, 6, 8, False), (6, 5, 8, 3, 3, True), (8, 3, 8, 4, 4, True),
        (4, 3, 16, 4, 4, False), (1, 2, 8, 1, 1, False),
    ]:  # fmt: skip
        wanted = window.numpy()[:, 8 - count :].tolist()
        pair = next_input(window, new, length, max_length, keep)
        case = f"{length} of {max_length} slots filled, {new} new, keep {keep}, a window of 8"
        two = isinstance(pair, tuple | list) and len(pair) == 2
        assert two, f"the tokens and a bool are wanted, not a {type(pair).__name__}: {case}"
        found, starts = pair
        kind = type(found).__name__
        assert kind == wants, f"the tokens' type is {wants}, and not {kind}: {case}"
        shown = found.shape[1]
        assert shown == count, f"the last {count} of 8 tokens are wanted, not {shown}: {case}"
        assert found.tolist() == wanted, f"the last {count} tokens of the window: {case}"
        assert starts is again, f"restart is {again}, not {starts}: {case}"


class Remembered:
    """A whole model's cache for these tests, which asks next_input what to show."""

    def __init__(self, model, max_length, keep):
        self.layers = [Appended() for _ in range(model.config.n_layer)]
        self.max_length, self.keep, self.window = max_length, keep, None

    length = property(lambda self: self.layers[0].length)

    def reset(self):
        for layer in self.layers:
            layer.length = 0

    unseen = KVCache.unseen


def uncached(model, idx, count, max_length, keep):
    """The most likely tokens, without a cache: a full window restarts with `keep`."""
    start = max(0, idx.shape[1] - max_length)
    for _ in range(count):
        if idx.shape[1] - start > max_length:
            start = idx.shape[1] - keep
        with no_grad():
            token = model(idx[:, start:]).numpy()[:, -1].argmax(-1)
        idx = tensor(np.concatenate([idx.numpy(), token[:, None]], 1))
    return idx.tolist()


def first_that_differs(found, wanted):
    """The number of the text, and its tokens from the first difference on."""
    for row, (a, b) in enumerate(zip(found, wanted)):
        for t, (one, other) in enumerate(zip(a, b)):
            if one != other:
                return f"text {row} differs from token {t} on: {a[t:][:8]}, wanted {b[t:][:8]}"
    return ""


@pytest.mark.stub("window", points=5)
def test_generate_writes_the_same_tokens_with_a_cache():
    model = small(n_layer=2)
    for length, count in [(1, 15), (5, 11), (5, 18), (30, 4)]:
        idx = random_tokens(2, length, seed=length)
        for options in ({"temperature": 0}, {"temperature": 0.9, "top_p": 0.95}):
            wanted, found = (
                generate(
                    model,
                    idx,
                    count,
                    generator=Generator().manual_seed(3),
                    cache=cache,
                    **options,
                ).tolist()
                for cache in (None, Remembered(model, 16, 16))
            )
            differ = first_that_differs(found, wanted)
            case = f"{count} tokens after {length}, a window of 16, {options}"
            assert not differ, f"{differ}\n{case}"


@pytest.mark.stub("window", points=5)
def test_a_cache_that_restarts_writes_what_a_loop_without_one_does():
    model = small(n_layer=2)
    for length, max_length, keep in [(3, 16, 8), (3, 16, 1), (20, 12, 5)]:
        idx = random_tokens(2, length, seed=keep)
        wanted = uncached(model, idx, 24, max_length, keep)
        cache = Remembered(model, max_length, keep)
        found = generate(model, idx, 24, temperature=0, cache=cache).tolist()
        differ = first_that_differs(found, wanted)
        assert not differ, f"{differ}\nmax_length {max_length}, keep {keep}"


@pytest.mark.stub("window", points=5)
def test_a_text_to_which_a_message_is_added_goes_on_with_its_cache():
    model = small(n_layer=2)
    for length, count, message in [(3, 4, 3), (1, 2, 1), (5, 6, 4), (4, 12, 3), (3, 20, 5)]:
        texts = []
        for cache in (None, Remembered(model, 16, 16)):
            idx = generate(model, random_tokens(2, length), count, temperature=0, cache=cache)
            idx = tensor(np.concatenate([idx, random_tokens(2, message, seed=9)], 1))
            texts.append(generate(model, idx, 6, temperature=0, cache=cache).tolist())
        differ = first_that_differs(texts[1], texts[0])
        case = f"{length} tokens, {count} written, {message} added, 6 written: a window of 16"
        assert not differ, f"{differ}\n{case}; all that is new is shown"


def held_by(layer, case):
    """The positions that a ring says it holds, as a list."""
    found = layer.positions()
    is_array = isinstance(found, np.ndarray)
    kind = f"an array of {found.dtype}" if is_array else f"a {type(found).__name__}"
    whole = is_array and found.dtype.kind in "iu"
    assert whole, f"{case}: positions should return an array of integers, not {kind}"
    return found.tolist()


@pytest.mark.stub("ring", points=6)
def test_each_position_is_in_its_slot_and_the_ring_says_so():
    for R, sizes in [
        (4, (3, 1, 2, 1, 4)), (5, (5, 3, 0, 1)), (3, (2, 8, 1, 7)), (1, (2, 1)), (6, (2, 2)),
    ]:  # fmt: skip
        n, total = 0, sum(sizes)
        k, v = drawn((2, 3, total, 4), (2, 3, total, 4), seed=total)
        layer = RingCache(2, 3, R, 4)
        memory = layer.k, layer.v
        for size in sizes:
            part, n = slice(n, n + size), n + size
            layer.write(k[:, :, part], v[:, :, part])
            wanted = [max(range(slot, n, R)) for slot in range(min(n, R))]
            case = f"{R} slots, written in parts of {sizes}, {n} positions so far"
            assert layer.length == n, f"{case}: length should be {n}, not {layer.length}"
            found = held_by(layer, case)
            assert found == wanted, f"{case}: the slots hold positions {wanted}, not {found}"
            for name, slots, whole in zip(("keys", "values"), layer.read(), (k, v)):
                np.testing.assert_array_equal(
                    slots, whole[:, :, wanted],
                    err_msg=f"{case}: the {name} of positions {wanted}, slot by slot",
                )  # fmt: skip
        kept = layer.k is memory[0] and layer.v is memory[1]
        assert kept, f"{R} slots: write copies into the existing memory, and allocates none"


@pytest.mark.stub("ring", points=6)
def test_an_empty_ring_holds_no_position_and_a_reset_begins_again():
    layer, (k, v) = RingCache(1, 2, 3, 2), drawn((1, 2, 5, 2), (1, 2, 5, 2))
    found = held_by(layer, "nothing is written")
    assert found == [], f"nothing is written: no positions are held, not {found}"
    layer.write(k, v)
    layer.length = 0
    layer.write(k[:, :, 3:], v[:, :, 3:])
    found = held_by(layer, "length 0, then two positions")
    assert found == [0, 1], f"length 0, then two positions: [0, 1] are held, not {found}"
    message = "length 0: the first slots again"
    np.testing.assert_array_equal(layer.read()[0], k[:, :, 3:], err_msg=message)


@pytest.mark.stub("ring", points=6)
def test_positions_that_were_returned_do_not_change_afterwards():
    layer, new = RingCache(1, 1, 4, 2), drawn((1, 1, 3, 2), (1, 1, 3, 2))
    layer.write(*new)
    before, returned = held_by(layer, "three positions"), layer.positions()
    layer.write(*new)
    after = returned.tolist()
    assert after == before, (
        f"4 slots: `positions` returned {before}; three positions were written, and the same "
        f"array became {after}: return one that no write changes"
    )


@pytest.mark.stub("ring", points=6)
def test_a_ring_keeps_its_type_and_nothing_of_the_callers():
    layer, (k, v) = RingCache(1, 1, 3, 2, float16), drawn((1, 1, 4, 2), (1, 1, 4, 2))
    before, wanted = (k.copy(), v.copy()), k[:, :, [3, 1, 2]].astype(np.float16)
    layer.write(k, v)
    for name, array, kept in zip(("keys", "values"), (k, v), before):
        np.testing.assert_array_equal(array, kept, err_msg=f"the caller's {name} changed")
    k[...] = 7
    assert layer.k.dtype == np.float16, f"dtype=float16 stays, and is not {layer.k.dtype}"
    np.testing.assert_array_equal(layer.read()[0], wanted, err_msg="write copies the numbers")


class Shuffled:
    """A ring for these tests: its slots are in an order that only `positions` tells."""

    def __init__(self, B, H, room, d, dtype=np.float32):
        self.k, self.v = np.zeros((2, B, H, room, d), dtype)
        self.length, self.order = 0, np.arange(0)

    def write(self, k, v):
        self.length += k.shape[2]
        old, n = np.argsort(self.order), min(self.length, self.k.shape[2])
        self.order = np.random.default_rng(self.length).permutation(n)
        for mine, x in ((self.k, k), (self.v, v)):
            joined = np.concatenate([mine[:, :, old], x], 2)[:, :, -n:]
            mine[:, :, :n] = joined[:, :, self.order]

    def positions(self):
        return self.length - len(self.order) + self.order

    def read(self):
        return self.k[:, :, : len(self.order)], self.v[:, :, : len(self.order)]


@pytest.mark.stub("attend-ring", points=7)
def test_every_position_sees_its_window():
    for R, sizes in [
        (4, (6, 2, 1, 3)), (3, (1, 1, 1, 1, 1)), (5, (2, 9, 1)), (1, (3, 1)), (8, (3, 4, 5)),
        (4, (4, 4)),
    ]:  # fmt: skip
        total, n = sum(sizes), 0
        q, k, v = drawn((2, 4, total, 3), (2, 2, total, 3), (2, 2, total, 3), seed=R)
        layer = Shuffled(2, 2, R, 3)
        memory = layer.k, layer.v
        for size in sizes:
            part, start, n = slice(n, n + size), n, n + size
            new = [x[:, :, part].copy() for x in (q, k, v)]
            wanted = one_by_one(new[0], k[:, :, :n], v[:, :, :n], start, window=R)
            found = attend_ring(layer, *new)
            case = f"a window of {R}, parts of {sizes}: positions {start} to {n - 1}"
            assert found.shape == wanted.shape, f"{case}: {wanted.shape}, not {found.shape}"
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=case)
            assert layer.length == n, f"{case} are written, so length is {n}, not {layer.length}"
            kept = layer.k is memory[0] and layer.v is memory[1]
            assert kept, f"{case}: the layer's arrays stay; `write` copies into them"
            for name, x, before in zip("qkv", new, (q, k, v)):
                np.testing.assert_array_equal(x, before[:, :, part], err_msg=f"{name} belongs to the caller")


@pytest.mark.stub("attend-ring", points=7)
def test_a_large_score_outside_the_window_does_no_harm():
    attend = lambda *qkv: attend_ring(Shuffled(1, 1, 2, 1), *qkv)
    check_large_scores(attend, "the one before it, and itself", [1, 2, 2, 4], [1, 1, 3, 3])


@pytest.mark.stub("attend-ring", points=7)
def test_the_result_has_the_type_of_the_queries():
    for T, slots, dtype in [
        (1, "float16", "float32"), (3, "float16", "float32"),
        (1, "float32", "float16"), (3, "float32", "float16"), (3, "float32", "float64"),
        (1, "float64", "float64"), (3, "float64", "float64"),
    ]:  # fmt: skip
        layer = Shuffled(1, 2, 4, 3, slots)
        new = drawn((1, 2, T, 3), (1, 2, T, 3), (1, 2, T, 3), seed=T, dtype=dtype)
        twice = [np.concatenate([x, x], 2) for x in new]
        wanted = one_by_one(*twice, window=4)[:, :, T:]
        attend_ring(layer, *new)
        found, case = attend_ring(layer, *new), f"T = {T}, slots of {slots}, q of {dtype}"
        assert found.dtype == dtype, f"{case}: {dtype} is wanted, not {found.dtype}"
        if slots == dtype:
            message = f"{case}: the result is right to 12 digits"
            np.testing.assert_allclose(found, wanted, atol=1e-12, err_msg=message)


@pytest.mark.stub("attend-ring", points=7)
def test_one_position_needs_no_mask():
    layer, called = Shuffled(1, 2, 4, 3), []
    kept = attend_ring.__globals__["attend_one"]
    noted = lambda q, k, v: called.append(k.shape) or kept(q, k, v)
    attend_ring.__globals__["attend_one"] = noted
    try:
        for _ in range(6):
            attend_ring(layer, *drawn((1, 2, 1, 3), (1, 2, 1, 3), (1, 2, 1, 3)))
    finally:
        attend_ring.__globals__["attend_one"] = kept
    found = [shape[2] for shape in called]
    wanted = [1, 2, 3, 4, 4, 4]
    assert found == wanted, f"six steps with a ring of 4: attend_one is called for {wanted} keys, not {found}"


def some_prompts(*lengths, seed=0):
    return [random_tokens(n, seed=seed + n).tolist() for n in lengths]


class OwnCache:
    """Replaces KVCache here, so that these tests depend on no other stub."""

    @staticmethod
    def for_model(model, batch_size, max_length=None, dtype=None, keep=None):
        max_length = max_length or model.config.block_size
        check_window(max_length, max_length, model.config.block_size)
        return Remembered(model, max_length, max_length)


def continued(*arguments, **options):
    with in_its_place(KVCache=OwnCache):
        return continue_prompts(*arguments, **options)


def shown_to(model):
    """The shapes of what a model is shown, noted as it runs."""
    shapes, hidden = [], model.hidden

    def noted(idx, cache=None):
        shapes.append((tuple(idx.shape), "no cache" if cache is None else "cache"))
        shape = shapes[-1][0]
        assert 0 not in shape, f"pass {len(shapes)} shows the model no position, but {shape}"
        return hidden(idx, cache)

    model.hidden = noted
    return shapes


@pytest.mark.stub("prompts", points=6)
def test_each_prompt_is_continued_as_if_it_were_alone():
    model, other = small(block_size=32, n_layer=2), small(block_size=32, n_layer=2)
    shapes = shown_to(model)
    kinds = [some_prompts(*n) for n in [(4,), (3, 9, 5), (1, 1, 7), (6, 6), (8, 2)]]
    for prompts in [*kinds, [[5, 7, 0, 3], [4]], [[2], [0, 0, 6, 0, 0, 1]]]:
        lengths = [len(prompt) for prompt in prompts]
        copies = copy.deepcopy(prompts)
        wanted = [other.generate(tensor([p]), 8, temperature=0)[0].tolist() for p in prompts]
        shapes.clear()
        found = continued(model, prompts, 8, temperature=0)
        assert prompts == copies, "the prompts belong to the caller"
        for prompt, one, row in zip(prompts, wanted, found):
            n, case = len(prompt), f"prompts of {lengths} tokens, temperature=0"
            assert row[:n] == prompt, f"the prompt {prompt} became {row[:n]}\n{case}"
            assert row == one, f"after {prompt} comes {row[n:]}, alone {one[n:]}\n{case}"


@pytest.mark.stub("prompts", points=6)
def test_every_position_is_computed_once():
    model = small(block_size=32)
    shapes = shown_to(model)
    continued(model, some_prompts(4, 7), 3, temperature=0)
    wanted = [((2, 4), "cache")] + [((2, 1), "cache")] * 5
    if shapes[6:] == wanted[-1:]:  # what is drawn last may be shown, too
        shapes.pop()
    assert shapes == wanted, (
        "4 positions are shown, and then one at a time, (2, 4) and five times (2, 1), with a "
        f"cache: prompts of 4 and 7, three new tokens\nshown was {shapes}"
    )


@pytest.mark.stub("prompts", points=6)
def test_the_options_reach_the_draw():
    model = small(block_size=32, n_layer=2)
    prompts = some_prompts(3, 5)

    def drawn_with(seed, **options):
        return continued(model, prompts, 12, generator=seed_of(seed), **options)

    seed_of = lambda seed: Generator().manual_seed(seed)
    assert drawn_with(1) == drawn_with(1), "the same generator state draws the same tokens"
    different = drawn_with(1) != drawn_with(2)
    assert different, "seeds 1 and 2 draw the same 12 tokens: does next_token draw them, with the generator?"
    greedy = continued(model, prompts, 12, temperature=0)
    for options in ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-4}):
        found = drawn_with(3, **options)
        assert found == greedy, f"{options} leaves only the most likely token: is it passed on?"


def draft_by_search(tokens, count, longest, shortest):
    """The draft, by comparing lists at every place."""
    for n in range(longest, shortest - 1, -1):
        for place in range(len(tokens) - n):
            if tokens[place : place + n] == tokens[len(tokens) - n :]:
                return tokens[place + n : place + n + count]
    return []


def check_draft(tokens, wanted, *options, kind=np.int64):
    given = np.array(tokens, kind)
    found = lookup_draft(given, *options)
    names = zip(("count", "longest", "shortest"), options)
    about = ", ".join([kind.__name__, *(f"{name}={n}" for name, n in names)])
    case = f"{about}: lookup_draft of {tokens}"
    assert given.tolist() == tokens, f"{case}: the text belongs to the caller"
    assert isinstance(found, np.ndarray), f"{case}: an array is wanted, not {type(found)}"
    assert found.tolist() == wanted, f"{case}: {wanted} is wanted, not {found.tolist()}"
    assert found.dtype == given.dtype, f"{case}: {found.dtype} came back"


@pytest.mark.stub("draft", points=5)
def test_what_followed_the_same_three_tokens_is_proposed():
    check_draft([1, 2, 3, 4, 5, 9, 8, 1, 2, 3], [4, 5, 9, 8, 1, 2, 3])
    check_draft([1, 2, 3, 4, 5, 9, 8, 1, 2, 3], [4, 5], 2)
    check_draft([7, 2, 3, 4, 5, 1, 2, 3, 6, 1, 2, 3], [6, 1, 2, 3])  # not what followed 2 3
    check_draft([7, 8, 1, 2, 3, 4, 1, 2, 3], [4, 1, 2, 3])  # neither at 0 nor at 3


@pytest.mark.stub("draft", points=5)
def test_two_tokens_will_do_where_three_are_not_found():
    check_draft([7, 1, 2, 9, 1, 2], [9, 1, 2], 10, 2, 2)
    check_draft([7, 2, 3, 4, 5, 1, 2, 3], [4, 5, 1, 2, 3])
    check_draft([2, 3, 2, 3], [2, 3])
    check_draft([2, 9, 2, 3, 4, 2, 3], [4, 2, 3])
    check_draft([1, 2, 3, 4, 5, 1, 2], [3, 4, 5, 1, 2], kind=np.int32)


@pytest.mark.stub("draft", points=5)
def test_of_several_places_the_first_counts():
    check_draft([1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3], [4, 1, 2, 3, 5, 1, 2, 3])
    check_draft([6] * 5, [6, 6])
    check_draft([6] * 5, [6, 6, 6], 10, 2)


@pytest.mark.stub("draft", points=5)
def test_where_nothing_is_found_nothing_is_proposed():
    check_draft([1, 2, 3, 4, 5], [])
    check_draft([1, 2, 3, 4, 3], [])  # one token is too few
    check_draft([12, 3, 4, 1, 23], [])  # the same digits, other tokens
    check_draft([12, 3, 4, 2, 3], [])  # 2 is a part of 12
    check_draft([1000, 0, 7, 0, 1], [])  # 1000 + 1000 * 0 is 0 + 1000 * 1
    check_draft([256, 256, 0, 7, 1, 1], [])  # the same bytes one byte on, other tokens
    check_draft([1, 2, 3, 4, 3], [4, 3], 10, 3, 1)
    check_draft([1, 2, 3, 1, 2, 3], [], 0)
    check_draft([5], [])
    check_draft([5, 5], [])
    check_draft([2, 3, 2], [3, 2], 10, 3, 1)
    check_draft([1, 5, 5, 5], [5])
    check_draft([5, 5, 5], [5])
    check_draft([5], [], 10, 3, 1)
    check_draft([5, 5], [5], 10, 3, 1)


@pytest.mark.stub("draft", points=5)
def test_random_texts_agree_with_a_search():
    rng = np.random.default_rng(0)
    for _ in range(300):
        T, kinds = rng.integers(1, 30), rng.integers(0, 500, rng.integers(1, 5))
        tokens = rng.choice(kinds, T).tolist()
        shortest = int(rng.integers(1, 4))
        options = int(rng.integers(0, 8)), shortest + int(rng.integers(0, 3)), shortest
        check_draft(tokens, draft_by_search(tokens, *options), *options)


def next_by(model, tokens, count):
    """The most likely next tokens, by whole passes without a cache."""
    tokens = list(tokens)
    for _ in range(count):
        with no_grad():
            tokens.append(int(model(tensor([tokens])).numpy()[0, -1].argmax()))
    return tokens[-count:]


def filled(model, tokens, length):
    """A cache for these tests that holds the first tokens of a text."""
    cache = Remembered(model, 32, 32)
    if length:
        with no_grad():
            model.hidden(tensor([tokens[:length].tolist()]), cache)
    return cache


def check_verified(model, tokens, draft, accepted, start, about):
    """One pass from a cache of `start` tokens, and another, without a draft, after it."""
    tokens, draft = np.array(tokens), np.array(draft, int)
    wanted = next_by(model, tokens, accepted + 2)
    case = f"a text of {len(tokens)}, {start} in the cache, {about}:\n"
    cache, kept = filled(model, tokens, start), (tokens.copy(), draft.copy())
    found = verify_draft(model, tokens, draft, cache)
    for name, array, before in zip(("text", "draft"), (tokens, draft), kept):
        np.testing.assert_array_equal(array, before, err_msg=f"the caller's {name} must not change")
    is_array = isinstance(found, np.ndarray)
    kind = f"an array of {found.dtype}" if is_array else f"a {type(found).__name__}"
    whole = is_array and found.dtype.kind in "iu"
    assert whole, f"{case}an array of integers is wanted, not {kind}"
    assert found.shape == (accepted + 1,), (
        f"{case}{accepted} tokens are right, and one more follows: {wanted[:-1]} is wanted, "
        f"not {found.tolist()}"
    )
    assert [int(t) for t in found] == wanted[:-1], (
        f"{case}{wanted[:-1]} come next, not {np.asarray(found).tolist()}"
    )
    lengths, T = np.array([layer.length for layer in cache.layers]).tolist(), len(tokens)
    assert lengths == [T + accepted] * len(lengths), (
        f"{case}every layer keeps the text and what was accepted, {T} + {accepted} "
        f"positions; the lengths are {lengths}"
    )
    text = np.concatenate([tokens, found])
    after = np.asarray(verify_draft(model, text, draft[:0], cache)).tolist()
    assert after == wanted[-1:], (
        f"{case}the pass after it, with an empty draft, gives {after}, not {wanted[-1:]}"
    )


@pytest.mark.stub("verify", points=7)
def test_a_pass_shows_what_is_new_once():
    model, read = small(block_size=32), []
    tokens = random_tokens(9, seed=2).numpy()
    draft = np.array([*next_by(model, tokens, 2), 0, 0])
    cache, shapes = filled(model, tokens, 6), shown_to(model)
    model.lm_head.register_forward_hook(
        lambda module, inputs, output: read.append(math.prod(inputs[0].shape[:-1]))
    )
    verify_draft(model, tokens, draft, cache)
    assert shapes == [((1, 7), "cache")], (
        "9 tokens, 6 of them in the cache, and a draft of 4: 7 are shown, (1, 7), once and "
        f"with the cache; shown was {shapes}"
    )
    count = sum(read)
    assert count <= 5, f"the head reads the 5 positions that need a choice, and not {count}"


@pytest.mark.stub("verify", points=7)
def test_a_draft_is_accepted_up_to_the_first_token_that_differs():
    model = small(block_size=32, n_layer=2)
    for T, start in [(6, 5), (1, 0), (8, 3), (5, 0)]:
        tokens = random_tokens(T, seed=10 * T).numpy()
        right = next_by(model, tokens, 7)
        for accepted in (0, 1, 3, 5):
            draft = [(t + (i in (accepted, 5))) % 23 for i, t in enumerate(right[:6])]
            about = f"a draft of 6 that is wrong only at {sorted({accepted, 5})}"
            check_verified(model, tokens, draft, accepted, start, about)


@pytest.mark.stub("verify", points=7)
def test_a_draft_that_is_right_is_accepted_and_one_more_comes():
    model = small(block_size=32, n_layer=2)
    for T, start, count in [(4, 3, 5), (4, 3, 1), (7, 0, 3), (9, 2, 6)]:
        tokens = random_tokens(T, seed=T).numpy()
        draft = next_by(model, tokens, count)
        check_verified(model, tokens, draft, count, start, f"a draft of {count}, all right")


@pytest.mark.stub("verify", points=7)
def test_without_a_draft_it_is_one_step_of_greedy_generation():
    model = small(block_size=32, n_layer=2)
    for T, start in [(1, 0), (6, 0), (6, 5), (9, 4)]:
        tokens = random_tokens(T, seed=T).numpy()
        check_verified(model, tokens, [], 0, start, "an empty draft")


@pytest.mark.stub("verify", points=7)
def test_random_drafts_change_no_token():
    model, rng = small(block_size=32, n_layer=2), np.random.default_rng(3)
    for _ in range(8):
        tokens = rng.integers(0, 23, int(rng.integers(1, 6)))
        wanted = next_by(model, tokens, 16)
        cache, text = filled(model, tokens, 0), tokens
        while len(text) < len(tokens) + 16:
            done = len(text) - len(tokens)
            guess = np.array(wanted[done : done + int(rng.integers(0, 6))], int)
            guess[rng.random(len(guess)) < 0.3] = rng.integers(0, 23)
            text = np.concatenate([text, verify_draft(model, text, guess, cache)])
        found = text[len(tokens) :][:16].tolist()
        assert found == wanted, f"after {tokens.tolist()} come {wanted}, not {found}"
