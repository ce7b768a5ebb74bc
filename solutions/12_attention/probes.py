"""Probes of module 12."""

from tinytorch.tensor import Context, wrap


def numbers(rng, *shape, dtype=np.float32):
    return rng.normal(size=shape).astype(dtype)


def lengths(rng, count):
    return rng.integers(1, 7, size=count).tolist()


def several(rng):
    """T, S, d and e, with two keys at least: the gradient of a single score is nothing but rounding."""
    return lengths(rng, 4) + np.array([0, 1, 0, 0])


def learning(rng, *shape):
    return wrap(numbers(rng, *shape)).requires_grad_()


def some_mask(rng, *shape):
    """Numbers to be added, some of them -inf; each query may look at one key at least."""
    mask = np.where(rng.random(shape) < 0.3, -np.inf, numbers(rng, *shape)).astype(np.float32)
    mask[..., 0] = 0.5
    return mask


@probe("plain-attention")
def attention_of_plain_operations(rng):
    found = []
    for lead in [(), (2,), (2, 3)]:
        T, S, d, e = several(rng)
        q, k, v = (learning(rng, *lead, *shape) for shape in [(T, d), (S, d), (S, e)])
        mask = wrap(some_mask(rng, T, S)) if lead else None
        scale = [None, 0.0, float(rng.uniform(0.2, 2))][len(lead)]
        output, weights = plain_attention(q, k, v, mask, scale)
        output.backward(wrap(numbers(rng, *lead, T, e)))
        found += [output, weights, q.grad, k.grad, v.grad]
    return found


@probe("plain-attention")
def weights_that_are_dropped(rng):
    q, k, v = (wrap(numbers(rng, 4, 30, 3)) for _ in range(3))
    whole, kept = plain_attention(q, k, v)[1].array, plain_attention(q, k, v, dropout_p=0.5)
    output, weights = (x.array for x in kept)
    dropped = weights == 0
    return [
        whole,
        0.4 < float(dropped.mean()) < 0.6,
        np.allclose(weights[~dropped], 2 * whole[~dropped], 1e-4),
        np.allclose(output, weights @ v.array, 1e-3, 1e-5),
    ]


@probe("causal-mask")
def masks_of_positions(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        start, (T, S) = int(rng.integers(9)), lengths(rng, 2)
        found += [
            causal_mask(range(start, start + T), range(start, start + S)),
            causal_mask(
                rng.integers(9, size=T).tolist(), rng.integers(9, size=S + 3).tolist(), dtype
            ),
            causal_mask(range(T), range(0), dtype=dtype),
        ]
    return found


@probe("softmax-rows")
def rows_of_weights(rng):
    T, S = lengths(rng, 2)
    tables = [
        some_mask(rng, T, S),
        1000 * numbers(rng, T, S) - 500,
        np.zeros((T, 0), np.float32),
    ]
    tables += [numbers(rng, 5, S, dtype=np.float64), -np.abs(numbers(rng, 3, S))]
    tables[-1][0], tables[-2][rng.integers(5)], tables[-1][1, 0] = -300, -np.inf, 0
    tables[-1][2] -= 80
    tables[-1][:, 1:] -= 1
    found = [softmax_rows(table) for table in tables]
    return [found, [result is table for result, table in zip(found, tables)]]


@probe("attend")
def one_head(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        T, S, d, e = lengths(rng, 4)
        q, k, v = (numbers(rng, *shape, dtype=dtype) for shape in [(T, d), (S, d), (S, e)])
        mask, keep = (
            some_mask(rng, T, S).astype(dtype),
            2 * rng.integers(2, size=(T, S)).astype(dtype),
        )
        before, scale = [x.copy() for x in (q, k, v, mask, keep)], float(rng.uniform(0.2, 2))
        for options in [(), (mask,), (mask[:1], keep), (None, keep)]:
            found += attend(q, k, v, scale, *options)
        found.append([np.array_equal(a, b) for a, b in zip(before, (q, k, v, mask, keep))])
    return found


@probe("attend-backward")
def gradients_of_one_head(rng):
    found = []
    for dtype in [np.float32, np.float64]:
        T, S, d, e = several(rng)
        q, k, v, grad = (
            numbers(rng, *shape, dtype=dtype) for shape in [(T, d), (S, d), (S, e), (T, e)]
        )
        for keep in [None, 2 * rng.integers(2, size=(T, S)).astype(dtype)]:
            scale, weights = (
                float(rng.uniform(0.2, 2)),
                np.exp(numbers(rng, T, S, dtype=dtype)),
            )
            weights /= weights.sum(axis=1, keepdims=True)
            output = (weights if keep is None else weights * keep) @ v
            given = [x for x in (grad, q, k, v, weights, output, keep) if x is not None]
            before = [x.copy() for x in given]
            found += attend_backward(grad, q, k, v, scale, weights, output, keep)
            found.append([np.array_equal(a, b) for a, b in zip(before, given)])
    return found


@probe("heads")
def heads_cut_and_joined(rng):
    B, T, heads, d = lengths(rng, 4)
    x = learning(rng, B, T, heads * d)
    parts = split_heads(x, heads)
    joined = join_heads(wrap(numbers(rng, B, heads, T, d)))
    parts.backward(wrap(numbers(rng, B, heads, T, d)))
    return [parts, np.shares_memory(parts.detach().array, x.detach().array), joined, x.grad]


@probe("projections")
def queries_keys_and_values(rng):
    B, T, S, E = lengths(rng, 4)
    query, other, third = (
        learning(rng, B, T, E),
        learning(rng, B, S, E),
        learning(rng, B, S, E),
    )
    weight, bias = learning(rng, 3 * E, E), learning(rng, 3 * E)
    found = []
    for inputs in [
        (query, query, query),
        (query, other, other),
        (query, other, third),
        (other, other, third),
    ]:
        for shift in [bias, None]:
            parts = list(project(*inputs, weight, shift))
            sum((part * wrap(numbers(rng, *part.shape))).sum() for part in parts).backward()
            found.append(parts)
    return [found, weight.grad, bias.grad, query.grad, other.grad]


@probe("multi-head")
def heads_that_attend(rng):
    B, T, S, heads, d = lengths(rng, 5)
    E, S, found = heads * d, S + 1, []
    q, k, v, W = (
        learning(rng, *shape) for shape in [(B, T, E), (B, S, E), (B, S, E), (E + 1, E)]
    )
    mask = wrap(some_mask(rng, B, heads, T, S))
    for options in [
        {},
        {"mask": mask},
        {"mask": mask, "need_weights": False},
        {"need_weights": False},
    ]:
        output, weights = multi_head_attention(
            q, k, v, heads, lambda x: linear(x, W), **options
        )
        output.backward(wrap(numbers(rng, B, T, E + 1)))
        found += [output, weights, q.grad, W.grad]
    causal = multi_head_attention(
        k, k, v, heads, lambda x: linear(x, W), need_weights=False, is_causal=True
    )
    return [*found, causal]


@probe("multi-head")
def heads_that_drop_weights(rng):
    heads, x = int(rng.integers(1, 4)), wrap(numbers(rng, 2, 12, 12))
    found = []
    for need in [True, False]:
        dropped, whole = (
            multi_head_attention(x, x, x, heads, lambda y: y, None, p, need)[0]
            for p in (0.9, 0.0)
        )
        found += [whole, bool(np.abs(dropped.array - whole.array).max() > 0.01)]
    return found


@probe("online-update")
def softmax_block_by_block(rng):
    found = []
    for lead in [(), (2,), (2, 1, 3)]:
        T, e = lengths(rng, 2)
        state = [
            np.full((*lead, T, n), start, np.float32)
            for n, start in [(1, -np.inf), (1, 0), (e, 0)]
        ]
        for size in lengths(rng, 3):
            scores = some_mask(rng, *lead, T, size) * 40
            state = online_update(*state, scores, numbers(rng, *lead, size, e))
            found += [*state, state[2] / state[1]]
    return found


@probe("blocked")
def attention_in_blocks(rng):
    found = []
    for lead, dtype in [((), np.float32), ((2,), np.float64), ((2, 3), np.float32)]:
        T, S, d, e = (2 * n for n in lengths(rng, 4))
        q, k, v = (
            numbers(rng, *lead, *shape, dtype=dtype) for shape in [(T, d), (S, d), (S, e)]
        )
        options = {"scale": float(rng.uniform(0.2, 2)), "is_causal": bool(rng.integers(2))}
        options["block_size"] = int(rng.integers(1, 9))
        ctx = Context()
        output = BlockedAttention.forward(ctx, q, k, v, **options)
        gradients = BlockedAttention.backward(ctx, numbers(rng, *output.shape, dtype=dtype))
        found += [output, list(ctx.saved_tensors), *gradients]
    return found


@probe("lstm-step")
def a_step_of_an_lstm(rng):
    B, H, P = lengths(rng, 3)
    shapes = [(B, 4 * H), (B, P), (B, H), (4 * H, P), (4 * H,)]
    given = [learning(rng, *shape) for shape in shapes]
    state, memory = lstm_step(*given)
    (state * wrap(numbers(rng, B, H)) + memory * wrap(numbers(rng, B, H))).sum().backward()
    return [state, memory, [x.grad for x in given], list(lstm_step(*given[:-1]))]


@probe("gru-step")
def a_step_of_a_gru(rng):
    B, H = lengths(rng, 2)
    given = [learning(rng, *shape) for shape in [(B, 3 * H), (B, H), (3 * H, H), (3 * H,)]]
    state = gru_step(*given)
    state.backward(wrap(numbers(rng, B, H)))
    return [state, [x.grad for x in given], gru_step(*given[:-1])]
