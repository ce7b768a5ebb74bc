# %% [markdown]
# ## 7. Softmax in one kernel
#
# Out of separate operations, softmax of a row is a maximum, a subtraction, an exponential, a sum and a division: five launches, each of which reads a matrix from memory, and three of which write one. In one kernel a block takes a row and keeps what is between:
#
# $$m = \max_j x_j, \qquad s = \sum_j e^{x_j - m}, \qquad y_i = \frac{e^{x_i - m}}{s}$$
#
# The tools are there: each thread finds the maximum of its entries, the block that of its threads; then the same with the sum. `block_max` and `block_sum` are made with your `make_block_reduce`. The row is read three times, but the second and third time it comes from the processor's cache, if it is not longer than
# some ten thousand numbers.
#
# <details><summary>Hint 1</summary>Three loops over the thread's entries, <code>range(t, columns, cuda.blockDim.x)</code>, with a block's reduction after the first and after the second.</details>
# <details><summary>Hint 2</summary>The first begins with <code>np.float32(-np.inf)</code> and takes <code>max</code>, the second with <code>np.float32(0)</code>.</details>
# <details><summary>Hint 3</summary><code>largest = block_max(largest, shared)</code>, then <code>total += math.exp(x[start + i] - largest)</code>, <code>total = block_sum(total, shared)</code>, and the quotient is written.</details>


# %%
#| export
@cuda.jit(device=True)
def add(x, y):
    return x + y


@cuda.jit(device=True)
def maximum(x, y):
    return max(x, y)


block_sum, block_max = make_block_reduce(add), make_block_reduce(maximum)


# %% stub="softmax"
#| export
@cuda.jit
def softmax_kernel(out, x, rows, columns, out_offset, x_offset):
    """Turn each row of x (rows, columns) into probabilities, by blocks of THREADS threads.

    Right for any number of blocks, logits of any size, -inf among them, and with out and x
    the same.
    """
    shared = cuda.shared.array(THREADS, np.float32)
    t = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        x_start, out_start = x_offset + row * columns, out_offset + row * columns
        ### BEGIN SOLUTION
        largest = np.float32(-np.inf)
        for i in range(t, columns, cuda.blockDim.x):
            largest = max(largest, x[x_start + i])
        largest = block_max(largest, shared)
        total = np.float32(0)
        for i in range(t, columns, cuda.blockDim.x):
            total += math.exp(x[x_start + i] - largest)
        total = block_sum(total, shared)
        for i in range(t, columns, cuda.blockDim.x):
            out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        ### END SOLUTION


# %% test="softmax" points=6
def softmax_by_numpy(x):
    exps = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True, initial=-np.inf))
    return exps / exps.sum(-1, keepdims=True)


def softmax_of(x, blocks):
    x, out = Buffer(x), Buffer.empty(*x.shape)
    sizes = (*x.array.shape, out.offset, x.offset)
    seen = run(softmax_kernel, blocks, THREADS, out, x, *sizes)
    x.check_unchanged("x")
    return out.result(), seen


def test_softmax_of_rows_of_any_length():
    for rows, columns, blocks in [(1, 1, 1), (2, 31, 2), (3, 33, 2), (5, 8, 7), (4, 70, 1)]:
        x = random(rows, columns)
        found, seen = softmax_of(x, blocks)
        np.testing.assert_allclose(
            found, softmax_by_numpy(x), rtol=1e-5, atol=1e-7,
            err_msg=f"{rows} rows of {columns}, with {blocks} blocks",
        )  # fmt: skip
        if SIMULATED:
            assert seen.stores == x.size, (
                f"{x.size} numbers are written once, not {seen.stores}"
            )
            assert seen.loads <= 3 * x.size, (
                f"each number is read three times: {3 * x.size} reads, not {seen.loads}"
            )


def test_softmax_of_large_logits_and_of_minus_infinity():
    x = random(3, 40)
    x[0] += 1000
    x[1] -= 1000
    x[2, 5:30] = -np.inf
    found, _ = softmax_of(x, 2)
    np.testing.assert_allclose(
        found, softmax_by_numpy(x), rtol=1e-4, atol=1e-7,
        err_msg="rows of logits around 1000, around -1000, and with -inf among them",
    )  # fmt: skip


def test_softmax_in_place():
    x = Buffer(random(2, 37))
    wanted = softmax_by_numpy(x.array)
    run(softmax_kernel, 1, THREADS, x, x, 2, 37, x.offset, x.offset)
    np.testing.assert_allclose(x.result(), wanted, rtol=1e-5, atol=1e-7, err_msg="out is x")


# %% [markdown]
# ## 8. Attention that never holds its scores
#
# Module 12 blocked attention with an *online softmax*: keys come one after another, and the maximum, the sum and the mixed value are kept as if the ones so far were all. Here is why that is possible. Let $m$ be the largest score so far, $s = \sum_j e^{x_j - m}$ and $o = \sum_j e^{x_j - m} v_j$. A new key with score $x$
# and value $v$ changes them to
#
# $$m' = \max(m, x), \qquad s' = s\,e^{m - m'} + e^{x - m'}, \qquad o' = o\,e^{m - m'} + e^{x - m'}\,v$$
#
# and at the end the answer is $o / s$. No row of scores is ever stored (Milakov and Gimelshein, 2018; Dao et al., 2022). The device function below takes one key in. It works on a thread's own memory: `state` holds m and s, `mixed` holds o.
#
# <details><summary>Hint 1</summary>Compute the new largest score first, and from it two factors: one shrinks what is there, one is the weight of what comes.</details>
# <details><summary>Hint 2</summary>The first key meets m = -inf, s = 0: <code>math.exp(state[0] - largest)</code> is then exp(-inf) = 0, which is right by itself.</details>
# <details><summary>Hint 3</summary><code>shrink = math.exp(state[0] - largest)</code>, <code>weight = math.exp(score - largest)</code>; then <code>mixed[c] = mixed[c] * shrink + weight * values[j, c]</code>.</details>


# %% stub="online-softmax"
#| export
@cuda.jit(device=True)
def take_in(score, values, j, size, state, mixed):
    """Take one key into a softmax that runs: its score, and its value, row j of `values`.

    Args:
        score: x, finite.
        values: an array (some rows, at least `size` columns).
        state: state[0] is m, the largest score so far, -inf at first; state[1] is s. Changed.
        mixed: o, of which `size` numbers count. Changed.
    """
    ### BEGIN SOLUTION
    largest = max(state[0], score)
    shrink = math.exp(state[0] - largest)
    weight = math.exp(score - largest)
    state[0] = largest
    state[1] = state[1] * shrink + weight
    for c in range(size):
        mixed[c] = mixed[c] * shrink + weight * values[j, c]
    ### END SOLUTION


# %% test="online-softmax" points=5
@cuda.jit
def take_in_kernel(out, scores, values, count, size):
    """One thread takes in `count` keys; out gets m, s, and o."""
    tile = cuda.shared.array((16, 8), np.float32)
    state = cuda.local.array(2, np.float32)
    mixed = cuda.local.array(8, np.float32)
    state[0], state[1] = np.float32(-np.inf), np.float32(0)
    for c in range(8):
        mixed[c] = np.float32(0)
    for j in range(count):
        for c in range(size):
            tile[j, c] = values[j * size + c]
        take_in(scores[j], tile, j, size, state, mixed)
        out[2 + 8 + j] = state[1]
    out[0], out[1] = state[0], state[1]
    for c in range(8):
        out[2 + c] = mixed[c]


def taken_in(scores, values):
    count, size = values.shape
    out = Buffer.empty(26, margin=0)
    run(
        take_in_kernel,
        1,
        1,
        out,
        Buffer(scores, margin=0),
        Buffer(values, margin=0),
        count,
        size,
    )
    return out.result()


def test_state_and_mixture_are_those_of_all_keys_so_far():
    rising = np.linspace(-3, 4, 9).astype(np.float32)
    for name, scores in [
        ("one score", np.float32([2.5])),
        ("rising scores", rising),
        ("falling scores", rising[::-1].copy()),
        ("random scores", random(12, seed=2)),
        ("scores around 500", random(12, seed=3) * 9 + 500),
        ("scores around -500", random(12, seed=4) * 9 - 500),
    ]:
        values = random(len(scores), 5, seed=5)
        weights = np.exp(scores.astype(np.float64) - scores.max())
        found = taken_in(scores, values)
        assert found[0] == scores.max(), f"{name}: m is {scores.max()}, not {found[0]}"
        np.testing.assert_allclose(found[1], weights.sum(), rtol=1e-4, err_msg=f"{name}: s")
        np.testing.assert_allclose(
            found[2:7], weights @ values, rtol=1e-3, atol=1e-4, err_msg=f"{name}: o"
        )
        np.testing.assert_array_equal(
            found[7:10], 0, err_msg=f"{name}: only the first 5 numbers of `mixed` count"
        )


# %% [markdown]
# Now the kernel. Each thread has one query, and the block goes through the keys in tiles of 8: all threads load a tile of keys and one of values into shared memory, and then each compares its query with the keys in it, and takes them in. So a key is read once for a whole block of queries.
#
# `load_tile` is given: the threads of a block copy `count` rows together. It holds no barrier; that is yours. What needs a thread of its own (query, mixture, state) is in `cuda.local.array`, memory of one thread. HEAD is the largest size of a head.
#
# With `causal`, query `row` sees keys 0 to `row`.


# %%
#| export
KEYS, HEAD = 8, 128  # keys in a tile, and the largest size of a head


@cuda.jit(device=True)
def load_tile(tile, x, start, count, size):
    """Copy `count` rows of `size` numbers, from x[start] on, into a tile, by the whole block."""
    for i in range(cuda.threadIdx.x, count * size, cuda.blockDim.x):
        tile[i // size, i % size] = x[start + i]


@cuda.jit(device=True)
def begin(query, mixed, state, q, start, size):
    """Fetch a thread's query, and set its mixture to 0 and its state to -inf and 0."""
    for c in range(size):
        query[c] = q[start + c]
        mixed[c] = np.float32(0)
    state[0], state[1] = np.float32(-np.inf), np.float32(0)


@cuda.jit(device=True)
def finish(out, lse, mixed, state, row, start, size):
    """Write a thread's result, o / s, and the logarithm of its denominator, m + log s."""
    for c in range(size):
        out[start + c] = mixed[c] / state[1]
    lse[row] = state[0] + math.log(state[1])


# %% [markdown]
# <details><summary>Hint 1</summary>For each tile: load keys and values, barrier, let this thread's query look at each key of the tile, barrier. Threads beyond the last query load and wait like all others, and look at nothing.</details>
# <details><summary>Hint 2</summary>The last tile may have fewer keys: <code>count = min(KEYS, keys - first)</code>. Its first row stands at <code>kv_start + first * size</code>.</details>
# <details><summary>Hint 3</summary>Key j of the tile counts if <code>row &lt; queries and (not causal or first + j &lt;= row)</code>. Its score is the sum of <code>query[c] * k_tile[j, c]</code> over <code>range(size)</code>, times <code>scale</code>; then <code>take_in</code>.</details>


# %% stub="attention"
#| export
@cuda.jit
def attention_kernel(out, lse, q, k, v, queries, keys, size, scale, causal, offsets):
    """Compute softmax(q kT scale) v for heads side by side, without a matrix of scores.

    Args:
        out, q: (heads, queries, size). lse: (heads, queries). k, v: (heads, keys, size). All
            are flat; y of the grid counts heads, x of the grid queries. size is at most HEAD.
        scale: a float32.
        causal: whether query i sees keys 0 to i only.
        offsets: where out, lse, q, k and v begin in their buffers.
    """
    k_tile = cuda.shared.array((KEYS, HEAD), np.float32)
    v_tile = cuda.shared.array((KEYS, HEAD), np.float32)
    query = cuda.local.array(HEAD, np.float32)
    mixed = cuda.local.array(HEAD, np.float32)
    state = cuda.local.array(2, np.float32)
    row, head = cuda.grid(1), cuda.blockIdx.y
    place = head * queries + row  # of this thread's query among all
    k_start, v_start = offsets[3] + head * keys * size, offsets[4] + head * keys * size
    if row < queries:
        begin(query, mixed, state, q, offsets[2] + place * size, size)
    ### BEGIN SOLUTION
    for first in range(0, keys, KEYS):
        count = min(KEYS, keys - first)
        load_tile(k_tile, k, k_start + first * size, count, size)
        load_tile(v_tile, v, v_start + first * size, count, size)
        cuda.syncthreads()
        for j in range(count):
            if row < queries and (not causal or first + j <= row):
                score = np.float32(0)
                for c in range(size):
                    score += query[c] * k_tile[j, c]
                take_in(score * scale, v_tile, j, size, state, mixed)
        cuda.syncthreads()
    ### END SOLUTION
    if row < queries:
        finish(out, lse, mixed, state, offsets[1] + place, offsets[0] + place * size, size)


# %% test="attention" points=9
def attended(q, k, v, scale, causal, threads=8):
    """Attention by the kernel: the result, the logarithms of denominators, what was seen."""
    heads, queries, size = q.shape
    out, lse = Buffer.empty(*q.shape, margin=5), Buffer.empty(heads, queries, margin=2)
    inputs = [Buffer(q, margin=1), Buffer(k, margin=4), Buffer(v, margin=6)]
    offsets = tuple(buffer.offset for buffer in (out, lse, *inputs))
    sizes = queries, k.shape[1], size, np.float32(scale), causal, offsets
    blocks = -(-queries // threads), heads
    seen = run(attention_kernel, blocks, threads, out, lse, *inputs, *sizes)
    for name, buffer in zip("qkv", inputs):
        buffer.check_unchanged(name)
    return out.result(), lse.result(), seen


def attention_by_numpy(q, k, v, scale, causal):
    scores = q.astype(np.float64) @ k.swapaxes(1, 2) * np.float64(np.float32(scale))
    if causal:
        scores[:, ~np.tri(*scores.shape[1:], dtype=bool)] = -np.inf
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - largest)
    total = weights.sum(-1, keepdims=True)
    return weights / total @ v, (largest + np.log(total))[..., 0]


def check_attention(heads, queries, keys, size, scale, causal, spread=1):
    q, k, v = (random(heads, n, size, seed=i) for i, n in enumerate((queries, keys, keys)))
    q *= np.float32(spread)
    wanted = attention_by_numpy(q, k, v, scale, causal)
    *found, seen = attended(q, k, v, scale, causal)
    what = f"{heads} heads, {queries} queries, {keys} keys of {size}, scale {scale}, causal {causal}"
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-3, atol=1e-4, err_msg=what)
    np.testing.assert_allclose(
        found[1], wanted[1], rtol=1e-3, atol=1e-4, err_msg=f"log of the denominators: {what}"
    )
    return seen


def test_attention_within_one_tile():
    for queries, keys, size, scale in [
        (1, 1, 1, 1.0),
        (4, 4, 4, 0.5),
        (3, 7, 5, 0.3),
        (8, 2, 3, 1),
    ]:
        check_attention(1, queries, keys, size, scale, False)


def test_attention_over_several_tiles_and_heads():
    check_attention(1, 3, 17, 4, 0.5, False)
    check_attention(2, 11, 9, 3, 0.7, False)
    check_attention(3, 2, 16, 5, 0.4, False)


def test_causal_attention():
    check_attention(1, 5, 5, 4, 0.5, True)
    check_attention(2, 18, 18, 3, 0.6, True)
    check_attention(1, 9, 13, 2, 0.6, True)


def test_attention_with_large_scores():
    check_attention(1, 4, 12, 4, 1.0, False, spread=100)


def test_attention_reads_a_key_once_for_a_block_of_queries():
    seen = check_attention(1, 8, 20, 4, 0.5, False)
    if SIMULATED:
        wanted = (8 + 20 + 20) * 4
        assert seen.loads == wanted, (
            f"8 queries, 20 keys and 20 values of 4 are {wanted} numbers, each read once by a block "
            f"of 8 threads, not {seen.loads}"
        )


# %% [markdown]
# ## 9. AdamW in one pass
#
# As operations on whole arrays, a step of AdamW was some ten trips through memory (module 07). As a kernel it is one: a thread reads a parameter, its gradient and two moments, and writes three of them back.
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad p \leftarrow p - \eta\lambda p - \frac{\eta}{c_1} \frac{m}{\sqrt{v / c_2} + \epsilon}$$
#
# with $c_1 = 1 - \beta_1^t$, $c_2 = 1 - \beta_2^t$ (Loshchilov and Hutter, 2019). What is the same for all numbers is computed once, on the host; the kernel gets it in a tuple of float32. One of them is worth a word: a 1 in the code of a kernel is an integer, and `1 - beta1` on a device a float64. Write `np.float32(1)`.
#
# <details><summary>Hint 1</summary>The loop is the one of <code>make_map</code>; read g, m, v and p into variables first.</details>
# <details><summary>Hint 2</summary>The decay takes the parameter as it was before this step, and comes first: <code>value -= lr * decay * value</code>.</details>
# <details><summary>Hint 3</summary><code>value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)</code>; then p, m and v are written, and g is not.</details>


# %% stub="adamw"
#| export
@cuda.jit
def adamw_kernel(p, grad, m, v, size, numbers, offsets):
    """Take one step of AdamW, in place.

    Args:
        p, grad, m, v: flat buffers, float32. p, m and v are changed.
        numbers: (lr, beta1, beta2, eps, decay, c1, c2), each a float32.
        offsets: where p, grad, m and v begin in their buffers.
    """
    lr, beta1, beta2, eps, decay, c1, c2 = numbers
    one = np.float32(1)
    ### BEGIN SOLUTION
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        g, value = grad[offsets[1] + i], p[offsets[0] + i]
        m_new = beta1 * m[offsets[2] + i] + (one - beta1) * g
        v_new = beta2 * v[offsets[3] + i] + (one - beta2) * g * g
        value -= lr * decay * value
        value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
    ### END SOLUTION


# %% test="adamw" points=3
def test_steps_of_adamw():
    for size, lr, beta1, beta2, eps, decay in [
        (33, 0.1, 0.9, 0.999, 1e-8, 0.0),
        (70, 0.02, 0.8, 0.95, 1e-3, 0.5),
        (0, 0.1, 0.9, 0.99, 1e-8, 0.1),
    ]:
        p, m, v = random(size), np.zeros(size, np.float32), np.zeros(size, np.float32)
        buffers = {
            n: Buffer(x, margin=2 + i)
            for i, (n, x) in enumerate([("p", p), ("m", m), ("v", v)])
        }
        p, m, v = (x.astype(np.float64) for x in (p, m, v))
        for step in (1, 2, 3):
            grad = Buffer(random(size, seed=step), margin=7)
            g, c1, c2 = grad.array.astype(np.float64), 1 - beta1**step, 1 - beta2**step
            m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
            p = p - lr * decay * p - lr / c1 * m / (np.sqrt(v / c2) + eps)
            numbers = tuple(
                np.float32(each) for each in (lr, beta1, beta2, eps, decay, c1, c2)
            )
            order = buffers["p"], grad, buffers["m"], buffers["v"]
            offsets = tuple(buffer.offset for buffer in order)
            seen = run(adamw_kernel, 1, 32, *order, size, numbers, offsets)
            grad.check_unchanged("grad")
            for name, wanted in (("m", m), ("v", v), ("p", p)):
                np.testing.assert_allclose(
                    buffers[name].result(), wanted, rtol=2e-4, atol=2e-5,
                    err_msg=f"{name} of {size} numbers after step {step} with lr {lr}, betas {beta1} and "
                    f"{beta2}, eps {eps}, decay {decay}",
                )  # fmt: skip
            if SIMULATED:
                assert (seen.loads, seen.stores) == (4 * size, 3 * size), (
                    f"{size} numbers: {4 * size} are read and {3 * size} written, each once, not "
                    f"{seen.loads} and {seen.stores}"
                )
