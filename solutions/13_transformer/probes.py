"""Probes of module 13."""

import tinytorch


def numbers(rng, *shape, dtype=np.float32):
    return rng.normal(size=shape).astype(dtype)


def learning(rng, *shape):
    return wrap(numbers(rng, *shape)).requires_grad_()


def small(rng, **options):
    heads, half = rng.integers(1, 4, size=2).tolist()
    sizes = {
        "vocab_size": int(rng.integers(5, 12)),
        "block_size": int(rng.integers(3, 7)),
        "n_layer": int(rng.integers(1, 4)),
    }
    sizes |= {name: bool(rng.integers(2)) for name in ("bias", "rms_norm", "rotary")}
    return GPTConfig(n_head=heads, n_embd=2 * heads * half, dropout=0.0, **(sizes | options))


def filled(rng, module):
    """The module with other parameters, in whichever order it has made them."""
    for _, parameter in sorted(module.named_parameters()):
        parameter.detach().array[...] = 0.5 * numbers(rng, *parameter.shape)
    return module


def with_gradients(rng, module, x):
    y = module(x)
    y.backward(wrap(numbers(rng, *y.shape)))
    return [y, x.grad, {name: p.grad for name, p in sorted(module.named_parameters())}]


def shapes(module):
    return {name: list(tensor.shape) for name, tensor in sorted(module.state_dict().items())}


def some_rows(rng):
    N, D = rng.integers(1, 8, size=2).tolist()
    return [
        numbers(rng, N, D + 1),
        1000 + numbers(rng, N, D + 2),
        numbers(rng, N, D, dtype=np.float64),
    ]


def normalised_by(rng, function):
    found = []
    for rows in [*some_rows(rng), np.full((2, 3), 1.5, np.float32)]:
        before, eps = rows.copy(), float(rng.uniform(1e-3, 0.5))
        n, inverse = function(rows, eps)
        x = wrap(rows).requires_grad_()
        y, again = function(x, eps)
        (y * wrap(rng.normal(size=rows.shape).astype(rows.dtype)) + again).sum().backward()
        found += [n, inverse, y, again, x.grad, np.array_equal(rows, before)]
    return found


def gradient_by(rng, function):
    found = []
    for n in some_rows(rng):
        inverse, grad = np.exp(n[:, :1] * 1e-3), rng.normal(size=n.shape).astype(n.dtype)
        given, before = (n, inverse, grad), [x.copy() for x in (n, inverse, grad)]
        tensors = [wrap(x).requires_grad_() for x in given]
        found += [
            function(*given),
            function(*tensors),
            [np.array_equal(a, b) for a, b in zip(given, before)],
        ]
        found[-2].backward(wrap(numbers(rng, *n.shape).astype(n.dtype)))
        found += [x.grad for x in tensors]
    return found


@probe("layer-norm")
def rows_normalised(rng):
    return normalised_by(rng, normalise)


@probe("layer-norm-gradient")
def gradients_of_normalised_rows(rng):
    return gradient_by(rng, normalise_backward)


@probe("rms-norm")
def rows_divided_by_their_size(rng):
    return [normalised_by(rng, rms_normalise), gradient_by(rng, rms_normalise_backward)]


@probe("causal-self-attention")
def positions_that_look_back(rng):
    found = []
    for rotary in [False, True]:
        config = small(rng, rotary=rotary, rotary_base=float(rng.uniform(2, 1000)))
        config.n_kv_head = [None, 1, config.n_head][rng.integers(3)]
        B, T = rng.integers(1, config.block_size + 1, size=2).tolist()
        layer = filled(rng, CausalSelfAttention(config))
        found.append(with_gradients(rng, layer, learning(rng, B, T, config.n_embd)))
    return found


@probe("causal-self-attention")
def what_attention_drops(rng):
    layer = filled(
        rng, CausalSelfAttention(GPTConfig(n_embd=32, n_head=4, block_size=16, dropout=0.5))
    )
    x = wrap(numbers(rng, 4, 16, 32))
    return [0.4 < float((layer(x).array == 0).mean()) < 0.6, layer.eval()(x)]


@probe("mlp")
def each_position_alone(rng):
    config, found = small(rng), []
    for bias in [True, False]:
        config.bias, config.n_inner = bias, [None, int(rng.integers(1, 9))][rng.integers(2)]
        layer = filled(rng, MLP(config))
        found += [
            shapes(layer),
            with_gradients(rng, layer, learning(rng, 2, 3, config.n_embd)),
        ]
    config.dropout = 0.5
    dropping = filled(rng, MLP(config))(wrap(numbers(rng, 200, 5, config.n_embd))).array == 0
    return [
        found,
        0.4 < float(dropping.mean()) < 0.6,
        [name for name, _ in layer.named_children()],
    ]


@probe("gated-mlp")
def what_passes_the_gate(rng):
    found = []
    for bias in [True, False]:
        config = small(
            rng, bias=bias, n_inner=[None, int(rng.integers(1, 9))][rng.integers(2)]
        )
        layer = filled(rng, GatedMLP(config))
        found += [
            shapes(layer),
            with_gradients(rng, layer, learning(rng, 2, 3, config.n_embd)),
        ]
    config.dropout = 0.5
    dropping = (
        filled(rng, GatedMLP(config))(wrap(numbers(rng, 200, 5, config.n_embd))).array == 0
    )
    return [found, 0.4 < float(dropping.mean()) < 0.6]


@probe("block")
def a_stream_that_is_added_to(rng):
    config = small(rng)
    block, x = (
        filled(rng, Block(config)),
        learning(rng, 2, int(rng.integers(1, config.block_size + 1)), config.n_embd),
    )
    before = x.detach().array.copy()
    return [with_gradients(rng, block, x), np.array_equal(x.detach().array, before)]


@probe("gpt")
def parts_of_a_gpt(rng):
    found = []
    for rotary in [True, False]:
        model = GPT(small(rng, rotary=rotary))
        parts = [name for name, _ in model.transformer.named_children()]
        shared = model.lm_head.weight is model.transformer.wte.weight
        found += [parts, shapes(model), shared, len(list(model.parameters()))]
    return found


@probe("gpt")
def logits_of_a_gpt(rng):
    found = []
    for rotary, rms in [(True, True), (False, False), (False, True)]:
        config = small(
            rng, rotary=rotary, rms_norm=rms, layer_norm_epsilon=float(rng.uniform(1e-3, 0.5))
        )
        model, T = filled(rng, GPT(config)), int(rng.integers(1, config.block_size + 1))
        idx = wrap(rng.integers(config.vocab_size, size=(2, T)))
        logits = model(idx)
        logits.backward(wrap(numbers(rng, *logits.shape)))
        positions = wrap(rng.integers(config.block_size, size=T))
        found += [
            logits,
            model.stream(idx, positions),
            {n: p.grad for n, p in sorted(model.named_parameters())},
        ]
    return found


@probe("bigram-loss")
def losses_of_pairs(rng):
    found = []
    for _ in range(4):
        size = int(rng.integers(1, 9))
        ids, held_out = (
            rng.integers(size, size=rng.integers(1, 40)),
            rng.integers(size, size=rng.integers(2, 20)),
        )
        found.append(bigram_loss(ids, held_out, size + int(rng.integers(3))))
    return found


@probe("held-out-loss")
def losses_of_a_text(rng):
    seen, found = [], []

    class Watched(GPT):
        def forward(self, idx, cache=None):
            logits = super().forward(idx, cache)
            seen.append(self.training or logits.requires_grad)
            return logits

    model = filled(rng, Watched(small(rng)))
    for training in [True, False]:
        for length in [2, *rng.integers(3, 20, size=3).tolist()]:
            model.train(training)
            ids = wrap(rng.integers(model.config.vocab_size, size=length))
            found += [held_out_loss(model, ids), model.training, any(seen)]
    return found


@probe("filter-logits")
def logits_ruled_out(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        B, V = int(rng.integers(1, 5)), int(rng.integers(1, 12))
        logits, tied = (
            (2 * rng.normal(size=(B, V))).astype(dtype),
            rng.integers(4, size=(B, V)).astype(dtype),
        )
        before, k, p = (
            logits.copy(),
            int(rng.integers(1, V + 3)),
            float(rng.uniform(0.05, 0.95)),
        )
        for options in [
            {},
            {"top_k": k},
            {"top_p": p},
            {"top_p": 0.0},
            {"top_k": k, "top_p": p},
        ]:
            found.append(filter_logits(wrap(logits), **options))
        found += [filter_logits(wrap(tied), top_k=k), np.array_equal(logits, before)]
    return found


@probe("next-token")
def the_only_tokens_there_are(rng):
    B, V = int(rng.integers(1, 6)), int(rng.integers(2, 12))
    logits = wrap(np.stack([rng.permutation(V) for _ in range(B)]).astype(np.float32))
    found = [next_token(logits, temperature=0), next_token(logits, temperature=0.01)]
    return found + [
        next_token(logits, float(rng.uniform(0.5, 2)), **only)
        for only in [{"top_k": 1}, {"top_p": 1e-3}]
    ]


@probe("next-token")
def tokens_drawn(rng):
    row, heat, seed = rng.permutation(4), float(rng.uniform(1, 4)), int(rng.integers(1000))
    logits, kept = wrap(np.tile(row, (4000, 1)).astype(np.float32)), 3
    generator = tinytorch.Generator()
    draws = [
        next_token(logits, heat, kept, generator=generator.manual_seed(s)).array
        for s in (seed, seed, seed + 1)
    ]
    chances = np.where(row > 0, np.exp(row / heat), 0)
    far = np.abs(
        np.bincount(draws[0].ravel(), minlength=4) / 4000 - chances / chances.sum()
    ).max()
    p = next_token(wrap(np.float32([[0, 1, 2]] * 500)), 50.0, top_p=0.4).array
    return [
        row,
        float(far) < 0.05,
        [np.array_equal(draws[0], d) for d in draws],
        sorted(set(p.ravel().tolist())),
    ]


@probe("generate")
def sequences_continued(rng):
    config, found = small(rng, n_layer=1), []
    model = filled(rng, GPT(config))
    for stop in [None, int(rng.integers(5)), rng.integers(5, size=3).tolist()]:
        idx = wrap(rng.integers(config.vocab_size, size=tuple(rng.integers(1, 9, size=2))))
        steps = int(rng.integers(7))
        found.append(generate(model, idx, steps, temperature=0, stop=stop))
        found.append(generate(model, idx, steps, 0.7, top_k=1, stop=stop))
    seeded = [
        generate(model, idx, 5, generator=tinytorch.Generator().manual_seed(7)).array
        for _ in range(2)
    ]
    return [*found, np.array_equal(*seeded), seeded[0].shape]


@probe("gpt2-state")
def names_of_a_checkpoint(rng):
    width, tensors = int(rng.integers(2, 5)), {}
    for name in ["wte.weight", "wpe.weight", "ln_f.weight", "ln_f.bias", "lm_head.weight"][
        : rng.integers(4, 6)
    ]:
        tensors[name] = numbers(rng, *[5, 3, 1, 1, 5][len(tensors) : len(tensors) + 1], width)
    for block in range(rng.integers(1, 3)):
        for layer, out in [
            ("attn.c_attn", 3),
            ("attn.c_proj", 1),
            ("mlp.c_fc", 4),
            ("mlp.c_proj", 1),
        ]:
            tensors[f"h.{block}.{layer}.weight"] = numbers(rng, width, out * width)
            tensors[f"h.{block}.{layer}.bias"] = numbers(rng, out * width)
        tensors |= {
            f"h.{block}.attn.{buffer}": numbers(rng, 2, 2)
            for buffer in ("bias", "masked_bias")
        }
        tensors[f"h.{block}.ln_1.weight"] = numbers(rng, width)
    names = {name: f"transformer.{name}" if rng.integers(2) else name for name in tensors}
    names["lm_head.weight"] = "lm_head.weight"
    return sorted(gpt2_state({names[name]: array for name, array in tensors.items()}).items())


@probe("mend-training")
def attention_that_looks_back(rng):
    config = small(rng)
    layer = filled(rng, SmallAttention(config))
    return with_gradients(rng, layer, learning(rng, 2, int(rng.integers(1, 7)), config.n_embd))


@probe("mend-training")
def steps_of_training(rng):
    model, found = filled(rng, GPT(small(rng))), []
    optimizer = tinytorch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        ids = wrap(
            rng.integers(
                model.config.vocab_size,
                size=(2, int(rng.integers(2, model.config.block_size + 2))),
            )
        )
        model.train(bool(rng.integers(2)))
        found += [learn(model, ids, optimizer), measure(model, ids), model.training]
        found.append(all(p.grad is None or not p.grad.array.any() for p in model.parameters()))
    dropping = GPT(GPTConfig(11, 5, 1, 1, 4, dropout=0.9))
    ids = wrap(rng.integers(11, size=(2, 6)))
    same = measure(dropping, ids) == measure(dropping, ids)
    return [
        found,
        {n: p.detach() for n, p in sorted(model.named_parameters())},
        same,
        dropping.training,
    ]
