"""Module 18: tokens with a cache are those without, bytes and positions are counted, whatever the text's length."""

import math

import numpy as np
import pytest

import tinytorch as torch
from tinytorch import kv_cache

WINDOW = 24


@pytest.fixture(scope="module")
def model():
    """A GPT that has learned, for a second or two, to repeat six tokens."""
    torch.manual_seed(0)
    model = torch.GPT(torch.GPTConfig(11, WINDOW, n_layer=2, n_head=2, n_embd=32, dropout=0.0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    rng = np.random.default_rng(0)
    for _ in range(150):
        pieces = np.array([np.tile(rng.integers(0, 11, 6), 5)[: WINDOW + 1] for _ in range(16)])
        loss = torch.next_token_loss(model(torch.tensor(pieces[:, :-1])), torch.tensor(pieces[:, 1:]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < math.log(11) - 0.5, "it has learned something"
    return model.eval()


def prompts(rows, length, seed=0):
    return torch.tensor(np.random.default_rng(seed).integers(0, 11, (rows, length)))


def uncached(model, idx, count, max_length, keep, choose):
    """A loop without a cache, under the rule of a window that starts again with `keep` tokens."""
    start = max(0, idx.shape[1] - max_length)
    with torch.no_grad():
        for _ in range(count):
            if idx.shape[1] - start > max_length:
                start = idx.shape[1] - keep
            idx = torch.cat([idx, choose(model(idx[:, start:])[:, -1])], 1)
    return idx.tolist()


OPTIONS = {
    "greedy": {"temperature": 0},
    "sampled": {"temperature": 1.0, "seed": 3},
    "cut off": {"temperature": 0.8, "top_k": 5, "top_p": 0.9, "seed": 4},
}


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("length", [1, 7, WINDOW, WINDOW + 9])
def test_thirty_texts_have_the_same_tokens_past_the_window_too(model, length, options):
    idx = prompts(30, length, seed=length)
    wanted = model.generate(idx, 36, **options).tolist()
    assert model.generate(idx, 36, use_cache=True, **options).tolist() == wanted


@pytest.mark.parametrize("max_length,keep", [(WINDOW, WINDOW // 2), (WINDOW, 1), (16, 5), (16, 16), (9, 8)])
@pytest.mark.parametrize("length", [3, WINDOW + 5])
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_a_window_starts_again_as_an_uncached_loop_does(model, max_length, keep, length, temperature):
    idx = prompts(8, length, seed=keep)

    def choose(generator):
        return lambda logits: torch.transformer.next_token(logits, temperature, generator=generator)

    wanted = uncached(model, idx, 50, max_length, keep, choose(torch.Generator().manual_seed(7)))
    cache = torch.KVCache.for_model(model, 8, max_length, keep=keep)
    generator = torch.Generator().manual_seed(7)
    found = torch.transformer.generate(model, idx, 50, temperature, generator=generator, cache=cache)
    assert found.tolist() == wanted


@pytest.mark.parametrize("stop", [3, [3, 5]])
def test_a_stop_token_ends_a_cached_text_where_it_ends_the_other(model, stop):
    idx = prompts(6, 4, seed=1)
    wanted = model.generate(idx, 40, stop=stop, seed=2).tolist()
    assert model.generate(idx, 40, stop=stop, seed=2, use_cache=True).tolist() == wanted


@pytest.mark.parametrize("sizes", [(24,), (1,) * 24, (7, 1, 1, 8, 7), (23, 1)], ids=str)
def test_logits_in_parts_are_those_of_the_whole(model, sizes):
    idx, cache = prompts(5, WINDOW), torch.KVCache.for_model(model, 5)
    with torch.no_grad():
        wanted = model(idx).numpy()
        found = np.concatenate([model(part, cache).numpy() for part in idx.split(list(sizes), 1)], 1)
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_every_position_is_computed_once_with_a_cache_and_again_and_again_without(model):
    counted, layer = [], model.transformer.h[0].attn.c_attn
    hook = layer.register_forward_hook(lambda module, inputs, output: counted.append(output.shape[1]))
    model.generate(prompts(1, 4), 20, temperature=0)
    without, counted[:] = sum(counted), []
    model.generate(prompts(1, 4), 20, temperature=0, use_cache=True)
    hook.remove()
    assert without == sum(range(4, 24))
    assert sum(counted) == 4 + 19


def test_half_a_window_is_filled_again_every_half_window(model):
    counted, layer = [], model.transformer.h[0].attn.c_attn
    hook = layer.register_forward_hook(lambda module, inputs, output: counted.append(output.shape[1]))
    cache = torch.KVCache.for_model(model, 1, keep=WINDOW // 2)
    torch.transformer.generate(model, prompts(1, 1), 100, temperature=0, cache=cache)
    hook.remove()
    again = [step for step, count in enumerate(counted) if count > 1]
    assert again == list(range(WINDOW, 100, WINDOW - WINDOW // 2 + 1))
    assert {counted[step] for step in again} == {WINDOW // 2}


@pytest.mark.parametrize("dtype,most", [(torch.float16, 1e-3), (torch.int8, 2e-2)])
def test_fewer_bits_cost_little(model, dtype, most):
    idx = prompts(20, WINDOW)
    losses = {}
    with torch.no_grad():
        for kind in (torch.float32, dtype):
            cache = torch.KVCache.for_model(model, 20, dtype=kind)
            logits = np.concatenate([model(idx[:, t : t + 1], cache).numpy() for t in range(WINDOW - 1)], 1)
            losses[kind] = torch.next_token_loss(torch.tensor(logits), idx[:, 1:]).item()
    assert abs(losses[dtype] - losses[torch.float32]) < most


def test_a_float16_cache_writes_the_same_greedy_texts(model):
    idx = prompts(30, 6, seed=8)
    wanted = model.generate(idx, 18, temperature=0).tolist()
    cache = torch.KVCache.for_model(model, 30, dtype=torch.float16)
    found = torch.transformer.generate(model, idx, 18, temperature=0, cache=cache).tolist()
    assert sum(a == b for a, b in zip(found, wanted)) >= 29


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_bytes_are_those_that_are_counted(model, dtype):
    cache = torch.KVCache.for_model(model, 3, 20, dtype=dtype)
    arrays = [x for layer in cache.layers for x in (layer.k, layer.v)]
    wanted = 2 * 2 * 32 * 20 * 3 * dtype.itemsize
    assert cache.nbytes == sum(x.nbytes for x in arrays) == wanted
    assert kv_cache.cache_bytes(2, 2, 16, 20, 3, dtype) == wanted


def test_int8_needs_a_scale_for_each_vector():
    cache = torch.KVCache(2, 3, 4, 10, 128, torch.int8)
    assert cache.nbytes == kv_cache.cache_bytes(2, 4, 128, 10, 3, torch.int8) * (128 + 4) // 128


def test_grouped_heads_go_through_a_layers_cache():
    rng = np.random.default_rng(0)
    q = rng.standard_normal((2, 6, 9, 4)).astype(np.float32)
    k, v = rng.standard_normal((2, 2, 2, 9, 4)).astype(np.float32)
    scores = q @ np.repeat(k, 3, 1).swapaxes(-1, -2) / 2
    scores[..., np.triu(np.ones((9, 9), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = weights / weights.sum(-1, keepdims=True) @ np.repeat(v, 3, 1)
    layer, parts = kv_cache.LayerCache(2, 2, 9, 4), []
    for part in (slice(0, 4), slice(4, 5), slice(5, 6), slice(6, 9)):
        parts.append(layer.attend(*(torch.tensor(x[:, :, part]) for x in (q, k, v))).numpy())
    np.testing.assert_allclose(np.concatenate(parts, 2), wanted, atol=1e-5)


def test_a_float64_model_has_a_float64_cache():
    torch.manual_seed(0)
    model = torch.GPT(torch.GPTConfig(11, 8, 2, 2, 8, dropout=0.0)).double().eval()
    idx, cache = prompts(2, 8), torch.KVCache.for_model(model, 2)
    with torch.no_grad():
        found = np.concatenate([model(idx[:, t : t + 1], cache).numpy() for t in range(8)], 1)
        np.testing.assert_allclose(found, model(idx).numpy(), rtol=1e-9, atol=1e-12)


def test_prompts_of_many_lengths_are_continued_as_alone(model):
    rng = np.random.default_rng(5)
    texts = [rng.integers(0, 11, n).tolist() for n in (1, 4, 4, 9, 12, 2)]
    found = kv_cache.continue_prompts(model, texts, 12, temperature=0)
    for text, row in zip(texts, found):
        assert row == model.generate(torch.tensor([text]), 12, temperature=0)[0].tolist()


def test_what_makes_no_sense_is_refused(model):
    with pytest.raises(ValueError, match="vectors for 24 positions only"):
        torch.KVCache.for_model(model, 1, 25)
    for keep in (0, 9, -1):
        with pytest.raises(ValueError, match="keep must be between 1 and max_length, 8"):
            torch.KVCache(1, 1, 1, 8, 4, keep=keep)
    two = torch.KVCache.for_model(model, 2)
    with torch.no_grad(), pytest.raises(ValueError, match="a cache of 2 sequences"):
        model(prompts(1, 3), two)
    with pytest.raises(RuntimeError, match="under no_grad"):
        model(prompts(1, 3), torch.KVCache.for_model(model, 1))
    for none in ([], [[1], []]):
        with pytest.raises(ValueError, match="prompt"):
            kv_cache.continue_prompts(model, none, 3)
    with pytest.raises(ValueError, match="positions only"):
        kv_cache.continue_prompts(model, [[1] * 20], 5)


def test_a_model_whose_layers_are_rings_is_one_with_a_window_in_its_mask(monkeypatch):
    torch.manual_seed(0)
    sizes = {"n_layer": 2, "n_head": 4, "n_kv_head": 2, "n_embd": 32, "dropout": 0.0}
    model = torch.GPT(torch.GPTConfig(23, 40, rotary=True, **sizes)).eval()
    idx = prompts(3, 40, seed=1)
    distance = np.arange(40)[:, None] - np.arange(40)
    band = torch.tensor((distance >= 0) & (distance < 6))
    attention = torch.nn.functional.scaled_dot_product_attention

    def in_a_window(q, k, v, *_, **options):
        return attention(q, k, v, band, enable_gqa=True)

    with torch.no_grad():
        with monkeypatch.context() as patch:
            patch.setattr("tinytorch.transformer.scaled_dot_product_attention", in_a_window)
            wanted = model(idx).numpy()
        for parts in ([40], [9, 1, 1, 13, 1, 15], [1] * 40):
            cache = torch.KVCache.for_model(model, 3)
            cache.layers = [kv_cache.RingCache(3, 2, 6, 8) for _ in cache.layers]
            found = [model(part, cache).numpy() for part in idx.split(parts, 1)]
            np.testing.assert_allclose(np.concatenate(found, 1), wanted, atol=1e-4)
            assert cache.nbytes == kv_cache.cache_bytes(2, 2, 8, 40, 3, window=6)
