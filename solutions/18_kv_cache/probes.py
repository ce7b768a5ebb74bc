"""Probes of module 18."""

import tinytorch
from tinytorch.transformer import GPT, GPTConfig

DTYPES = tinytorch.float32, tinytorch.float64, tinytorch.float16


def numbers(rng, *shape, dtype=np.float32):
    return rng.normal(size=shape).astype(dtype)


def sizes(rng, count):
    return rng.integers(1, 7, size=count).tolist()


class Watched(GPT):
    """A GPT that remembers what it was shown."""

    def hidden(self, idx, cache=None):
        self.shown.append(list(idx.shape))
        return super().hidden(idx, cache)


def some_model(rng):
    heads, half, layers = rng.integers(1, 4, size=3).tolist()
    model = Watched(
        GPTConfig(11, int(rng.integers(8, 14)), layers, heads, 2 * heads * half, dropout=0.0)
    ).eval()
    model.shown = []
    for _, parameter in sorted(model.named_parameters()):
        parameter.detach().array[...] = 0.5 * numbers(rng, *parameter.shape)
    return model


def failure(run):
    try:
        return run()
    except ValueError as error:
        return type(error).__name__


@probe("cache-bytes")
def bytes_of_caches(rng):
    found = [cache_bytes(*sizes(rng, 4))]
    for dtype in [*DTYPES, tinytorch.int8]:
        found += [cache_bytes(*sizes(rng, 5), dtype), cache_bytes(*sizes(rng, 4), dtype=dtype)]
        layers, full, window = (int(n) for n in np.cumsum(sizes(rng, 3))[::-1])
        found.append(cache_bytes(layers, *sizes(rng, 4), dtype, window, full))
    return found


@probe("slots")
def keys_and_values_kept(rng):
    found = []
    for dtype in DTYPES:
        B, H, room, d = sizes(rng, 4)
        layer = LayerCache(B, H, room + 3, d, dtype)
        found += [
            layer.k.shape,
            layer.v.shape,
            layer.nbytes,
            layer.length,
            layer.read()[0].shape,
        ]
        for T in [2, 0, int(rng.integers(1, room + 2))]:
            k, v = numbers(rng, 2, B, H, T, d)
            layer.write(k, v)
            read = layer.read()
            k[...] = 0
            found += [
                layer.length,
                read,
                [np.shares_memory(a, b) for a, b in zip(read, (layer.k, layer.v))],
            ]
        found += [
            failure(lambda: layer.write(*numbers(rng, 2, B, H, room + 3, d))),
            layer.length,
        ]
    return found


@probe("attend-one")
def one_position(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        B, G, share, S, d = sizes(rng, 5)
        q, k, v = (
            numbers(rng, B, *shape, d, dtype=dtype)
            for shape in [(G * share, 1), (G, S), (G, S)]
        )
        before = [x.copy() for x in (q, k, v)]
        found += [attend_one(q, k, v), attend_one(50 * q, k, v)]
        found.append([np.array_equal(a, b) for a, b in zip(before, (q, k, v))])
    return found


@probe("attend-new")
def some_positions(rng):
    found = []
    for T, start in [(1, 0), (1, 4), (3, 0), sizes(rng, 2), (4, int(rng.integers(1, 7)))]:
        B, G, share, d = sizes(rng, 4)
        q, *cached = (
            numbers(rng, B, n, S, d) for n, S in [(G * share, T), *[(G, start + T)] * 2]
        )
        output = attend_new(q, *cached, start)
        found += [output, type(output).__name__]
    return found


@probe("kv-cache")
def a_cache_for_a_model(rng):
    model, found = some_model(rng), []
    for dtype in [None, *DTYPES[1:], tinytorch.int8]:
        options = {
            "dtype": dtype,
            "max_length": [None, int(rng.integers(2, 8))][rng.integers(2)],
            "keep": 2,
        }
        cache = KVCache.for_model(model, int(rng.integers(1, 4)), **options)
        kinds = [[type(layer).__name__, layer.k.shape] for layer in cache.layers]
        found += [
            kinds,
            len({id(layer) for layer in cache.layers}),
            cache.nbytes,
            cache.max_length,
            cache.keep,
            cache.length,
        ]
    cache = KVCache(*sizes(rng, 5))
    return [*found, cache.nbytes, len(cache.layers), cache.keep]


@probe("kv-cache")
def a_model_with_a_cache(rng):
    model, found = some_model(rng), []
    batch = int(rng.integers(1, 4))
    cache = KVCache.for_model(model, batch)
    for _ in range(2):
        for T in [3, 1, int(rng.integers(1, 4))]:
            with no_grad():
                logits = model(tinytorch.tensor(rng.integers(11, size=(batch, T))), cache)
            found += [logits, cache.length]
        memory = [id(layer.k) for layer in cache.layers]
        cache.reset()
        found += [cache.length, memory == [id(layer.k) for layer in cache.layers]]
    return found


@probe("window")
def what_is_shown_next(rng):
    found = []
    for _ in range(12):
        room, B = int(rng.integers(1, 8)), int(rng.integers(1, 3))
        length, T = (
            int(rng.integers(room + 1)) * int(rng.integers(2)),
            int(rng.integers(room, room + 5)),
        )
        new, keep = int(rng.integers(1, T + 1)), int(rng.integers(1, room + 1))
        found.append(
            next_input(
                tinytorch.tensor(rng.integers(99, size=(B, T))), new, length, room, keep
            )
        )
    return found


@probe("ring")
def a_ring_of_slots(rng):
    found = []
    for dtype in DTYPES:
        B, H, room, d = sizes(rng, 4)
        layer = RingCache(B, H, room, d, dtype)
        memory = id(layer.k), id(layer.v)
        for T in [0, *sizes(rng, 3), room, 3 * room + 1]:
            k, v = numbers(rng, 2, B, H, T, d)
            layer.write(k, v)
            k[...] = 0
            found += [layer.length, layer.positions(), layer.read()]
        found += [failure(lambda: layer.write(*numbers(rng, 2, B, H + 1, 1, d))), layer.length]
        layer.length = 0
        layer.write(*numbers(rng, 2, B, H, 1, d))
        found += [layer.positions(), layer.read(), memory == (id(layer.k), id(layer.v))]
    return found


@probe("attend-ring")
def positions_through_a_ring(rng):
    found = []
    for dtype in DTYPES:
        B, G, share, room, d = sizes(rng, 5)
        layer = RingCache(B, G, room, d, dtype)
        for T in [1, *sizes(rng, 3), 1, 2 * room + 1, 1]:
            shapes = [(B, G * share, T, d), *[(B, G, T, d)] * 2]
            kept = layer.k.dtype  # numbers that it holds as they are
            q, k, v = (
                numbers(rng, *shape).astype(kept).astype(np.float32) for shape in shapes
            )
            before = [x.copy() for x in (q, k, v)]
            output = attend_ring(layer, q, k, v)
            found += [output, output.dtype.str, layer.length]
            found.append([np.array_equal(a, b) for a, b in zip(before, (q, k, v))])
    return found


@probe("prompts")
def prompts_continued(rng):
    model, found = some_model(rng), []
    for only in [{"temperature": 0}, {"top_k": 1}, {"temperature": 0.7, "top_p": 1e-3}]:
        steps = int(rng.integers(5))
        lengths = rng.integers(1, 9 - max(steps, 3), size=rng.integers(1, 4))
        prompts = [rng.integers(3, size=n).tolist() for n in lengths]
        before = [list(prompt) for prompt in prompts]
        model.shown, most = [], int(max(lengths)) + steps  # the last token may be shown, too
        found += [continue_prompts(model, prompts, steps, **only), prompts == before]
        found.append(sum(tokens for _, tokens in model.shown) <= most)
    drawn = [
        continue_prompts(model, prompts, 3, generator=tinytorch.Generator().manual_seed(n))
        for n in (5, 5)
    ]
    return [*found, drawn[0] == drawn[1], [len(text) for text in drawn[0]]]


@probe("draft")
def drafts_of_texts(rng):
    found = []
    for _ in range(20):
        tokens = rng.integers(0, rng.integers(1, 5), size=rng.integers(1, 25))
        before = tokens.copy()
        shortest = int(rng.integers(1, 4))
        sizes = shortest + int(rng.integers(3)), shortest
        found += [
            lookup_draft(tokens),
            lookup_draft(tokens, int(rng.integers(0, 6)), *sizes),
            np.array_equal(tokens, before),
        ]
    return found


@probe("verify")
def drafts_verified(rng):
    model, found = some_model(rng), []
    for _ in range(4):
        text = rng.integers(11, size=rng.integers(1, 4))
        cache, likely = KVCache.for_model(model, 1), []
        with no_grad():
            for _ in range(4):
                idx = np.concatenate([text, np.array(likely, int)])[None]
                likely.append(int(model(tinytorch.tensor(idx)).numpy()[0, -1].argmax()))
        model.shown = []
        start = int(rng.integers(len(text)))
        if start:
            with no_grad():
                model.hidden(tinytorch.tensor(text[None, :start]), cache)
        draft = np.array(likely[: rng.integers(5)], int)
        wrong = rng.random(len(draft)) < 0.3
        draft[wrong] = (draft[wrong] + 1) % 11
        new = verify_draft(model, text, draft, cache)
        found += [new, [int(layer.length) for layer in cache.layers], list(model.shown)]
        text = np.concatenate([text, new])
        if len(text) < model.config.block_size:
            found.append(verify_draft(model, text, draft[:0], cache))
    return found
