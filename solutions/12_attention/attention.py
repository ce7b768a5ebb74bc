# %% [markdown]
# # 12 Attention
#
# A sentence is a list of vectors, and what a word means depends on others, near and far. Attention lets every vector ask all others, and mix what
# they have to say, with weights that are computed from the vectors themselves. It is three matrix products and a softmax, and it is where a transformer
# spends its memory. You write it plainly first, then as one operation with a gradient by hand, then with several heads, and then in a way whose memory does not grow with
# the square of the length. At the end stand the networks that it replaced.
#
# When you are done you will be able to
#
# - write attention from its formula, with every kind of mask, and say what each line costs;
# - derive its gradient, and see why a row's sum of products need not be computed from the large matrix;
# - load PyTorch's weights into your MultiheadAttention and get its outputs, and read a heat map of what a head looks at;
# - compute a softmax over numbers that are never all there at once.
#
# ### Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `scaled_dot_product_attention` | `torch.nn.functional.scaled_dot_product_attention` | second derivatives are refused, as by its fused kernels |
# | `MultiheadAttention` | `torch.nn.MultiheadAttention` | |
# | `RNNCell`, `LSTMCell`, `GRUCell`, `RNN`, `LSTM`, `GRU` | `torch.nn`, the same names | |
# | `pad_sequence`, `pack_padded_sequence`, `PackedSequence`, ... | `torch.nn.utils.rnn`, the same names | |
# | `blocked_attention`, `attention_map` | | ours; PyTorch's fused kernel works like the first |
#
# This module multiplies many small matrices. Two threads that share a small product wait for each other longer than they compute, on a busy machine twenty times as long, so the first cell of each
# notebook, `%load_ext tinytorch.notebook`, tells NumPy to use one.


# %%
#| export
import math

import numpy as np

from tinytorch.activations import sigmoid, softmax, tanh
from tinytorch.layers import dropout, linear
from tinytorch.tensor import Function


# %%
import time
import tracemalloc

import matplotlib.pyplot as plt

from tinytorch.embeddings import Embedding, LearnedPositions
from tinytorch.layers import Linear
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import Adam
from tinytorch.tensor import Tensor, manual_seed, ones, randint, randn, tensor, zeros


# %% [markdown]
# ## 1. Ask, compare, mix
#
# What goes wrong without it: mix vectors with *fixed* weights, say the mean, and every position hears the same thing, whatever it needs.


# %%
manual_seed(0)
words = randn(5, 4)
mixed = ones(5, 5) / 5 @ words
print(
    "positions that hear something of their own:",
    int((mixed - mixed[0]).abs().sum(1).gt(1e-5).sum()),
)


# %% [markdown]
# So the weights have to depend on who asks. Each position makes three vectors of its own: a *query* $q$ (what it looks for), a *key* $k$ (what it can be found by), and a *value* $v$ (what it has to say).
# Query and key are compared by their product; softmax turns the scores of one query into weights; the weights mix the values.
#
# $$\mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt d}\right) V$$
#
# ```
#              keys (S)                              values (S, e)
#            +---------+   softmax    +---------+   +-----+     +-----+
# queries    | scores  |  of each row | weights | · |     |  =  |     |  one mixture
#  (T)       | (T, S)  |  ---------->  | (T, S)  |   |     |     |     |  for each query
#            +---------+              +---------+   +-----+     +-----+
# ```
#
# Why $\sqrt d$? A product of two vectors of $d$ independent numbers of variance 1 has variance $d$. Divided by $\sqrt d$ it has variance 1 again, and softmax has work to do; you will see below what happens without.
#
# Write it with the operations that you have, for any leading dimensions. Use `dropout(weights, dropout_p)`: it does nothing when the chance is 0.
#
# <details><summary>Hint 1</summary>Four lines: scores, weights, dropout, output. The keys have to be transposed in their last two dimensions only.</details>
# <details><summary>Hint 2</summary>Multiply the query, not the scores: it is smaller. <code>(query * scale) @ key.transpose(-2, -1)</code>, and add the mask if there is one.</details>
# <details><summary>Hint 3</summary><code>weights = dropout(softmax(scores, -1), dropout_p)</code>, then <code>return weights @ value, weights</code>.</details>


# %% stub="plain-attention"
#| export
def plain_attention(query, key, value, mask=None, scale=None, dropout_p=0.0):
    """Mix values by how well each query goes with each key, with the operations that you have.

    weights = softmax(scale · q kᵀ + mask),  output = weights v

    Args:
        query, key, value: Tensors (..., T, d), (..., S, d) and (..., S, e).
        mask: added to the scores, a Tensor that broadcasts to (..., T, S); or None.
        scale: what the scores are multiplied by; None stands for 1/√d.
        dropout_p: the chance with which a weight is dropped; it is returned as 0 then.

    Returns:
        The output (..., T, e), and the weights (..., T, S).

    >>> q = k = tensor([[0.0], [0.0]])
    >>> plain_attention(q, k, tensor([[1.0], [3.0]]))[0]
    tensor([[2.],
            [2.]])
    """
    ### BEGIN SOLUTION
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query * scale) @ key.transpose(-2, -1)  # (..., T, S)
    weights = softmax(scores if mask is None else scores + mask, -1)
    weights = dropout(weights, dropout_p)
    return weights @ value, weights
    ### END SOLUTION


# %% test="plain-attention" points=5
def drawn(*shapes, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def attention_by_loops(q, k, v, scale=None, mask=None):
    """One query after another, in float64; a query that may look at nothing gets zeros."""
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    weights = np.zeros((len(q), len(k)))
    for t in range(len(q)):
        scores = np.array([scale * np.dot(q[t].astype(float), k[s]) for s in range(len(k))])
        scores = scores if mask is None else scores + mask[t]
        if np.isfinite(scores).any():
            weights[t] = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    return weights @ v, weights


def test_each_query_mixes_the_values_by_its_weights():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    output, weights = plain_attention(Tensor(q), Tensor(k), Tensor(v))
    expected, expected_weights = attention_by_loops(q, k, v)
    np.testing.assert_allclose(
        weights.numpy(),
        expected_weights,
        rtol=1e-4,
        err_msg="weights: softmax of q k / sqrt(d), along the keys",
    )
    np.testing.assert_allclose(
        output.numpy(), expected, rtol=1e-4, atol=1e-6, err_msg="output: weights times values"
    )


def test_leading_dimensions_are_kept():
    q, k, v = drawn((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))
    output = plain_attention(Tensor(q), Tensor(k), Tensor(v))[0]
    assert tuple(output.shape) == (2, 3, 4, 7), (
        f"(2, 3) heads of 4 queries and values of 7: not {tuple(output.shape)}"
    )
    np.testing.assert_allclose(
        output.numpy()[1, 2],
        attention_by_loops(q[1, 2], k[1, 2], v[1, 2])[0],
        rtol=1e-4,
        atol=1e-5,
    )


def test_a_mask_is_added_to_the_scores():
    q, k, v, mask = drawn((3, 4), (5, 4), (5, 2), (3, 5))
    mask[0, 2] = -np.inf
    found = plain_attention(Tensor(q), Tensor(k), Tensor(v), Tensor(mask))[1].numpy()
    np.testing.assert_allclose(
        found,
        attention_by_loops(q, k, v, mask=mask)[1],
        rtol=1e-4,
        err_msg="add the mask after scaling, before softmax",
    )


def test_a_scale_can_be_given():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    found = plain_attention(Tensor(q), Tensor(k), Tensor(v), scale=0.0)[1].numpy()
    np.testing.assert_allclose(
        found, np.full((3, 5), 0.2), rtol=1e-6, err_msg="scale=0.0 makes all weights equal"
    )


def test_dropped_weights_are_those_that_were_used():
    manual_seed(1)
    q, k, v = map(Tensor, drawn((3, 4), (50, 4), (50, 2)))
    output, weights = plain_attention(q, k, v, dropout_p=0.5)
    assert (weights.numpy() == 0).any(), (
        "with dropout_p=0.5 about half of the weights are zero"
    )
    np.testing.assert_allclose(
        output.numpy(), weights.numpy() @ v.numpy(), rtol=1e-4, atol=1e-6
    )


# %% [markdown]
# ## 2. Masks
#
# Some keys must not be looked at: padding, and, in a model that predicts the next word, the future. A weight of exactly zero comes from a score of $-\infty$, since $e^{-\infty} = 0$. PyTorch takes masks in two
# forms: of numbers, which are added to the scores, and of booleans, True where a query may look. Turn the second into the first.
#
# <details><summary>Hint 1</summary>Zero added changes nothing; -inf added makes the score -inf.</details>
# <details><summary>Hint 2</summary><code>np.where(condition, a, b)</code> takes a where the condition holds.</details>
# <details><summary>Hint 3</summary><code>np.where(allowed, 0, -np.inf)</code> is float64: <code>.astype(dtype)</code>.</details>


# %% stub="additive-mask"
#| export
def additive_mask(allowed, dtype):
    """Turn a mask of what is allowed into one that can be added to scores.

    Args:
        allowed: a bool array: True where a query may look at a key.
        dtype: the type of the scores, a NumPy dtype.

    Returns:
        An array of that type and of the mask's shape: 0 where allowed, -inf where not.

    >>> additive_mask(np.array([True, False]), np.float32)
    array([  0., -inf], dtype=float32)
    """
    ### BEGIN SOLUTION
    return np.where(allowed, 0, -np.inf).astype(dtype)
    ### END SOLUTION


# %% test="additive-mask" points=2
def test_what_is_allowed_adds_nothing():
    allowed = np.array([[True, False], [False, True]])
    found = additive_mask(allowed, np.float32)
    np.testing.assert_array_equal(
        found, [[0, -np.inf], [-np.inf, 0]], err_msg="0 where allowed, -inf where not"
    )


def test_the_mask_has_the_type_of_the_scores():
    for dtype in (np.float16, np.float32, np.float64):
        assert additive_mask(np.array([True]), dtype).dtype == dtype, (
            f"for {np.dtype(dtype)} scores, a {np.dtype(dtype)} mask"
        )


def test_masks_of_any_shape():
    assert additive_mask(np.ones((2, 1, 3), bool), np.float32).shape == (2, 1, 3)
    assert not additive_mask(np.ones((2, 1, 3), bool), np.float32).any()


# %% [markdown]
# The *causal* mask is the triangle that makes a language model honest: position $t$ may look at $s \le t$.
#
# ```
#             key  0  1  2  3
#   query 0        0  .  .  .
#         1        0  0  .  .          . is -inf
#         2        0  0  0  .
#         3        0  0  0  0
# ```
#
# Take the positions as two ranges, so that you can also make a part of the triangle: you will need it twice, for blocks at the end of this module, and for text that is continued in module 18.
#
# <details><summary>Hint 1</summary>Compare every row's position with every column's: arrays (T, 1) and (S,) broadcast to (T, S).</details>
# <details><summary>Hint 2</summary><code>np.array(rows)[:, None] >= np.array(columns)</code> is True where a query may look.</details>
# <details><summary>Hint 3</summary>Hand that to <code>additive_mask</code>.</details>


# %% stub="causal-mask"
#| export
def causal_mask(rows, columns, dtype=np.float32):
    """Make the mask that keeps a position from looking at later ones.

    Args:
        rows, columns: the positions of the queries and of the keys, such as range(4, 8).
        dtype: the type of the scores.

    Returns:
        An array (len(rows), len(columns)): 0 where the key's position is at most the query's,
        else -inf.

    >>> causal_mask(range(2), range(3))
    array([[  0., -inf, -inf],
           [  0.,   0., -inf]], dtype=float32)
    """
    ### BEGIN SOLUTION
    return additive_mask(np.array(rows)[:, None] >= np.array(columns), dtype)
    ### END SOLUTION


# %% test="causal-mask" points=3
def test_a_position_sees_itself_and_what_is_before():
    found = causal_mask(range(4), range(4))
    for t in range(4):
        for s in range(4):
            assert found[t, s] == (0 if s <= t else -np.inf), (
                f"query {t}, key {s}: 0 if s <= t, else -inf"
            )


def test_parts_of_the_triangle_know_their_positions():
    whole = causal_mask(range(9), range(9))
    np.testing.assert_array_equal(
        causal_mask(range(4, 7), range(2, 6)), whole[4:7, 2:6], err_msg="rows 4-6, columns 2-5"
    )
    np.testing.assert_array_equal(
        causal_mask(range(8, 9), range(9)), np.zeros((1, 9)), err_msg="the last sees all"
    )


def test_the_triangle_has_the_type_asked_for():
    assert causal_mask(range(2), range(2)).dtype == np.float32
    assert causal_mask(range(2), range(2), np.float64).dtype == np.float64


# %% [markdown]
# ### A row with nothing in it
#
# If a mask hides *every* key, the row of scores is all $-\infty$, and softmax of it is NaN: you saw it in module 02. PyTorch's `scaled_dot_product_attention` decides differently: a query that may look at nothing hears nothing, zeros. It happens, in every batch with an
# empty sentence. (Its `MultiheadAttention` with `need_weights=True` goes the plain way, and gives NaN; so does yours.) Write softmax for a matrix of scores with that rule, and in place: this matrix is the largest array of all, and a second one of its size would double the memory.
#
# <details><summary>Hint 1</summary>The trouble is <code>-inf - (-inf)</code>. Replace the largest score by 0 in rows where it is -inf: then every exponential in the row is 0.</details>
# <details><summary>Hint 2</summary>Now the row's sum is 0, and 0 / 0 is the next NaN. Divide by 1 there.</details>
# <details><summary>Hint 3</summary><code>np.subtract(scores, largest, out=scores)</code>, <code>np.exp(scores, out=scores)</code>, <code>scores /= total</code>, and return <code>scores</code>.</details>


# %% stub="softmax-rows"
#| export
def softmax_rows(scores):
    """Turn every row of scores into weights that sum to one, in the scores' own memory.

    Args:
        scores: an array (T, S), which is overwritten; -inf is a key that may not be looked at.

    Returns:
        The same array. A row of -inf only, a query that may look at nothing, becomes zeros.

    >>> softmax_rows(np.float32([[0, 0], [0, -np.inf], [-np.inf, -np.inf]]))
    array([[0.5, 0.5],
           [1. , 0. ],
           [0. , 0. ]], dtype=float32)
    """
    ### BEGIN SOLUTION
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    largest[largest == -np.inf] = 0
    np.exp(np.subtract(scores, largest, out=scores), out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    scores /= total
    return scores
    ### END SOLUTION


# %% test="softmax-rows" points=4
def test_rows_become_weights():
    (scores,) = drawn((4, 6))
    expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(softmax_rows(scores.copy()), expected, rtol=1e-5)


def test_large_scores_do_not_overflow():
    with np.errstate(over="raise", invalid="raise"):
        np.testing.assert_allclose(
            softmax_rows(np.float32([[1000, 1000], [-1000, -1000]])), np.full((2, 2), 0.5)
        )
        found = softmax_rows(np.float32([[1000, 0], [-1000, -1001]]))
    np.testing.assert_allclose(
        found,
        [[1, 0], [0.7310586, 0.2689414]],
        rtol=1e-5,
        err_msg="each row has its own maximum",
    )


def test_a_row_of_nothing_becomes_zeros_without_a_warning():
    with np.errstate(all="raise", under="ignore"):
        found = softmax_rows(np.float32([[-np.inf, -np.inf], [-np.inf, 3]]))
    np.testing.assert_array_equal(
        found, [[0, 0], [0, 1]], err_msg="a query that may look at nothing gets zeros"
    )


def test_no_second_matrix_is_made():
    scores = np.zeros((512, 512), np.float32)
    tracemalloc.start()
    found = softmax_rows(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found is scores, "the weights stand where the scores stood: return the same array"
    assert peak < scores.nbytes / 2, (
        f"work in place: {peak / scores.nbytes:.1f} further arrays of that size were made"
    )


# %% [markdown]
# ## 3. Attention as one operation
#
# `plain_attention` leaves five nodes in the graph, and several matrices of T x S numbers. One operation with a gradient written by hand needs one such matrix, and can work on one head at a time, whose tile then stays in the processor's cache. Write the forward of one head, on arrays.
#
# <details><summary>Hint 1</summary>As in <code>plain_attention</code>, without Tensors; <code>k.T</code> for one head.</details>
# <details><summary>Hint 2</summary>The scores are yours: add the mask with <code>+=</code>, and let <code>softmax_rows</code> overwrite them.</details>
# <details><summary>Hint 3</summary>Multiply by <code>keep</code> in a new array: the weights that you return are those before it.</details>


# %% stub="attend"
#| export
def attend(q, k, v, scale, mask=None, keep=None):
    """Compute attention for one head, on arrays.

    Args:
        q, k, v: arrays (T, d), (S, d) and (S, e).
        scale: what the scores are multiplied by.
        mask: an array that broadcasts to (T, S) and is added to the scores, or None.
        keep: an array (T, S) by which the weights that are used are multiplied, dropout's; or
            None.

    Returns:
        The output (T, e), and the weights (T, S) as softmax left them, before `keep`.

    >>> attend(np.float32([[0]]), np.float32([[0], [0]]), np.float32([[1], [3]]), 1.0)[0]
    array([[2.]], dtype=float32)
    """
    ### BEGIN SOLUTION
    weights = (q * scale) @ k.T  # (T, S); scaling q is less work than scaling the scores
    if mask is not None:
        weights += mask
    softmax_rows(weights)
    return (weights if keep is None else weights * keep) @ v, weights
    ### END SOLUTION


# %% test="attend" points=4
def test_one_head_attends():
    q, k, v = drawn((3, 4), (5, 4), (5, 2), seed=1)
    output, weights = attend(q, k, v, 0.7)
    expected, expected_weights = attention_by_loops(q, k, v, 0.7)
    np.testing.assert_allclose(weights, expected_weights, rtol=1e-4)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)
    assert output.dtype == weights.dtype == np.float32, "float32 stays float32"


def test_one_head_with_a_mask():
    q, k, v, mask = drawn((3, 4), (5, 4), (5, 2), (3, 5), seed=2)
    mask[1] = -np.inf
    kept = mask.copy()
    output, weights = attend(q, k, v, 0.5, mask)
    np.testing.assert_allclose(weights, attention_by_loops(q, k, v, 0.5, mask)[1], rtol=1e-4)
    np.testing.assert_array_equal(
        output[1], [0, 0], err_msg="the second query may look at nothing"
    )
    np.testing.assert_array_equal(mask, kept, err_msg="the mask belongs to the caller")


def test_what_is_kept_is_used_and_the_weights_stay_whole():
    q, k, v = drawn((3, 4), (5, 4), (5, 2), seed=3)
    keep = np.float32([[2, 0, 2, 0, 2]] * 3)
    output, weights = attend(q, k, v, 0.5, keep=keep)
    expected = attention_by_loops(q, k, v, 0.5)[1]
    np.testing.assert_allclose(
        weights, expected, rtol=1e-4, err_msg="weights are returned as softmax left them"
    )
    np.testing.assert_allclose(
        output,
        (expected * keep) @ v,
        rtol=1e-4,
        atol=1e-6,
        err_msg="the output uses weights * keep",
    )


# %% [markdown]
# ### Its gradient
#
# Backward through $O = PV$ and $P = \mathrm{softmax}(S)$, $S = \text{scale} \cdot QK^\top$:
#
# $$dV = P^\top dO, \qquad dP = dO\,V^\top, \qquad dS = P \circ \big(dP - \mathrm{rowsum}(dP \circ P)\big), \qquad dQ = \text{scale}\; dS\,K, \qquad dK = \text{scale}\; dS^\top Q$$
#
# The third is softmax's rule from module 06. Its row sum looks at two T x S matrices. But look what it is:
#
# $$\sum_s dP_{ts} P_{ts} = \sum_s \sum_j dO_{tj} V_{sj} P_{ts} = \sum_j dO_{tj} O_{tj}$$
#
# The row sum of $dP \circ P$ is that of $dO \circ O$: T x e numbers in place of T x S. With dropout the weights that were used are $P \circ \text{keep}$; then $dV$ has these, $dP$ is multiplied by `keep`, and the identity still holds.
#
# <details><summary>Hint 1</summary>One matrix is enough: <code>scores = grad @ v.T</code>, then <code>*= keep</code> if there is one, then subtract, then multiply by the weights, all in place.</details>
# <details><summary>Hint 2</summary><code>(grad * output).sum(axis=-1, keepdims=True)</code> is what to subtract.</details>
# <details><summary>Hint 3</summary>Return <code>(scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores</code>, with <code>used</code> the weights, times <code>keep</code> if there is one.</details>


# %% stub="attend-backward"
#| export
def attend_backward(grad, q, k, v, scale, weights, output, keep=None):
    """Compute the gradients of one head's attention.

    dP = dO vᵀ,  dS = P (dP - rowsum(dO · O)),  dq = scale dS k,  dk = scale dSᵀ q,  dv = Pᵀ dO

    Args:
        grad: dO, the gradient of the output, (T, e).
        q, k, v, scale, keep: what `attend` was called with.
        weights, output: what it returned: P (T, S) and O (T, e).

    Returns:
        The gradients of q, k and v, and dS (T, S), that of the scores and of the mask.
    """
    ### BEGIN SOLUTION
    scores = grad @ v.T  # dP (T, S)
    if keep is not None:
        scores *= keep
    scores -= (grad * output).sum(axis=-1, keepdims=True)
    scores *= weights  # dS
    used = weights if keep is None else weights * keep
    return (scores @ k) * scale, (scores.T @ q) * scale, used.T @ grad, scores
    ### END SOLUTION


# %% test="attend-backward" points=8
def differences(function, array, cotangent, eps=1e-6):
    """How sum(function() * cotangent) moves with each element of an array."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = (function() * cotangent).sum()
        array[position] = value - eps
        slopes[position] = (above - (function() * cotangent).sum()) / (2 * eps)
        array[position] = value
    return slopes


def one_head(keep=None, seed=4):
    q, k, v, mask, grad = drawn(
        (3, 4), (5, 4), (5, 2), (3, 5), (3, 2), seed=seed, dtype=np.float64
    )

    def forward():  # NumPy alone
        scores = 0.7 * q @ k.T + mask
        weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        return weights, (weights if keep is None else weights * keep) @ v

    weights, output = forward()
    found = attend_backward(grad, q, k, v, 0.7, weights, output, keep)
    slopes = [differences(lambda: forward()[1], x, grad) for x in (q, k, v, mask)]
    return found, slopes


def test_queries_and_keys_get_their_gradients():
    (dq, dk, _, _), (slope_q, slope_k, _, _) = one_head()
    np.testing.assert_allclose(dq, slope_q, atol=1e-7, err_msg="dq = scale dS k")
    np.testing.assert_allclose(dk, slope_k, atol=1e-7, err_msg="dk = scale dS' q")


def test_values_get_their_gradient():
    found, slopes = one_head()
    np.testing.assert_allclose(found[2], slopes[2], atol=1e-7, err_msg="dv = P' dO")


def test_the_scores_gradient_is_the_masks():
    found, slopes = one_head()
    np.testing.assert_allclose(
        found[3],
        slopes[3],
        atol=1e-7,
        err_msg="dS, the gradient of what was added to the scores",
    )


def test_dropped_weights_send_nothing_back():
    keep = np.where(np.arange(15).reshape(3, 5) % 3 == 0, 0.0, 1.5)
    found, slopes = one_head(keep)
    for name, gradient, slope in zip(("q", "k", "v", "the scores"), found, slopes):
        np.testing.assert_allclose(
            gradient, slope, atol=1e-7, err_msg=f"with dropout: the gradient of {name}"
        )


def test_nothing_that_was_handed_over_is_changed():
    q, k, v, grad = drawn((3, 4), (5, 4), (5, 2), (3, 2), dtype=np.float64)
    weights = np.full((3, 5), 0.2)
    arrays = [grad, q, k, v, weights, weights @ v]
    copies = [x.copy() for x in arrays]
    attend_backward(*arrays[:4], 0.5, *arrays[4:])
    for name, x, copy in zip(("grad", "q", "k", "v", "weights", "output"), arrays, copies):
        np.testing.assert_array_equal(x, copy, err_msg=f"{name} is somebody else's array")


# %% [markdown]
# What runs your two functions over all heads is given, and `scaled_dot_product_attention` around it knows PyTorch's options. The weights are kept for backward and are neither input nor output, so this operation cannot be
# differentiated twice: `once_differentiable = True` makes that an error, as it is with PyTorch's fused kernels.
#
# *Grouped* heads (`enable_gqa`) let several queries' heads share one head of keys and values: the keys get a dimension of length 1, and broadcasting does the rest.


# %%
#| export
from tinytorch.given.attention.scaled_dot_product import *


# %%
q, k, v = (randn(4, 8, 256, 64, requires_grad=True) for _ in range(3))
cotangent = randn(4, 8, 256, 64)
for name, function in {
    "plain, five operations": lambda: plain_attention(q, k, v)[0],
    "one operation": lambda: scaled_dot_product_attention(q, k, v),
}.items():
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function().backward(cotangent)
        times.append(time.perf_counter() - start)
    print(f"{name:24} forward and backward {sorted(times)[2] * 1e3:6.1f} ms")


# %% [markdown]
# ## 4. Several heads
#
# One softmax gives one mixture. To look at two places for two reasons, use two: cut the vectors of length E into H parts, let each part attend by itself, and join the results. The product of (B, H, T, d) and (B, H, d, S) is then one batch of small products.
#
# ```
#   (B, T, E)   view    (B, T, H, d)   transpose   (B, H, T, d)
# ```
#
# The middle step only reads the same memory in another order. Nothing is copied until the heads are joined again.
#
# <details><summary>Hint 1</summary><code>x.view(B, T, num_heads, E // num_heads)</code>, then exchange dimensions 1 and 2.</details>
# <details><summary>Hint 2</summary>To join, exchange them back first; then the last two dimensions become one.</details>
# <details><summary>Hint 3</summary><code>x.transpose(1, 2).flatten(2)</code> joins.</details>


# %% stub="heads"
#| export
def split_heads(x, num_heads):
    """Cut vectors into `num_heads` parts, and put the heads before the positions.

    Args:
        x: a Tensor (B, T, E); num_heads divides E.

    Returns:
        A view (B, num_heads, T, E / num_heads): head 0 has the first entries of each vector.

    >>> split_heads(zeros(2, 3, 8), 4).shape
    torch.Size([2, 4, 3, 2])
    """
    ### BEGIN SOLUTION
    B, T, E = x.shape
    return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)
    ### END SOLUTION


#| export
def join_heads(x):
    """Undo `split_heads`: (B, H, T, d) to (B, T, H d).

    >>> join_heads(split_heads(zeros(2, 3, 8), 4)).shape
    torch.Size([2, 3, 8])
    """
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(2)
    ### END SOLUTION


# %% test="heads" points=3
def test_each_head_has_its_part_of_every_vector():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    found = split_heads(Tensor(x), 4)
    assert tuple(found.shape) == (2, 4, 3, 2), (
        f"(2, 3, 8) in 4 heads is (2, 4, 3, 2), not {tuple(found.shape)}"
    )
    for head in range(4):
        np.testing.assert_array_equal(
            found.numpy()[:, head], x[:, :, 2 * head : 2 * head + 2], err_msg=f"head {head}"
        )


def test_joining_undoes_splitting():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    np.testing.assert_array_equal(join_heads(split_heads(Tensor(x), 2)).numpy(), x)
    heads = np.arange(2 * 4 * 3 * 2.0).reshape(2, 4, 3, 2)
    expected = np.concatenate([heads[:, h] for h in range(4)], axis=-1)
    np.testing.assert_array_equal(
        join_heads(Tensor(heads)).numpy(), expected, err_msg="head 0 first, for each position"
    )


def test_splitting_copies_nothing():
    x = Tensor(np.zeros((2, 3, 8)))
    assert np.shares_memory(split_heads(x, 2).numpy(), x.numpy()), "split_heads is a view"


# %% [markdown]
# Now attention with several heads, from queries, keys and values that have been projected already. When the weights themselves are wanted, to look at or to draw, `plain_attention` has them; when they are not, the one operation is faster.
#
# <details><summary>Hint 1</summary>Split all three, attend, join.</details>
# <details><summary>Hint 2</summary>With <code>need_weights</code>: <code>plain_attention(q, k, v, mask, dropout_p=dropout_p)</code> returns output and weights.</details>
# <details><summary>Hint 3</summary>Without: <code>scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)</code>, and None for the weights.</details>


# %% stub="multi-head"
#| export
def multi_head_attention(
    q, k, v, num_heads, mask=None, dropout_p=0.0, need_weights=True, is_causal=False
):
    """Let every head attend on its own, and join what they found.

    Args:
        q, k, v: projected queries (B, T, E), keys and values (B, S, E).
        num_heads: how many heads share the E entries.
        mask: added to the scores, a Tensor that broadcasts to (B, H, T, S); or None.
        dropout_p: the chance with which a weight is dropped.
        need_weights: whether the weights are wanted: then `plain_attention` attends, else the
            one operation.
        is_causal: only where weights are not needed: the mask is the causal one.

    Returns:
        The joined output (B, T, E), and the weights (B, H, T, S) or None.
    """
    ### BEGIN SOLUTION
    q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
    if need_weights:
        output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
    else:
        output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        weights = None
    return join_heads(output), weights
    ### END SOLUTION


# %% test="multi-head" points=5
def heads_by_loops(q, k, v, num_heads, mask=None):
    """Each sentence and each head for itself; masks are (B, H, T, S)."""
    d = q.shape[-1] // num_heads
    output, weights = np.zeros(q.shape), np.zeros((len(q), num_heads, q.shape[1], k.shape[1]))
    for b in range(len(q)):
        for h in range(num_heads):
            part = slice(h * d, (h + 1) * d)
            m = None if mask is None else mask[b, h]
            output[b, :, part], weights[b, h] = attention_by_loops(
                q[b, :, part], k[b, :, part], v[b, :, part], mask=m
            )
    return output, weights


def test_every_head_attends_on_its_own():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=5)
    expected, expected_weights = heads_by_loops(*arrays, 4)
    output, weights = multi_head_attention(*map(Tensor, arrays), 4)
    np.testing.assert_allclose(
        weights.numpy(), expected_weights, rtol=1e-4, atol=1e-6, err_msg="weights (B, H, T, S)"
    )
    np.testing.assert_allclose(
        output.numpy(), expected, rtol=1e-3, atol=1e-5, err_msg="the heads joined, (B, T, E)"
    )


def test_the_output_is_the_same_without_weights():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=6)
    output, weights = multi_head_attention(*map(Tensor, arrays), 2, need_weights=False)
    assert weights is None, "weights that are not needed are not returned: None"
    np.testing.assert_allclose(
        output.numpy(), heads_by_loops(*arrays, 2)[0], rtol=1e-3, atol=1e-5
    )


def test_masks_reach_both_ways():
    arrays = drawn((2, 3, 4), (2, 3, 4), (2, 3, 4), seed=7)
    mask = np.broadcast_to(np.where(np.tri(3, dtype=bool), 0, -np.inf), (2, 2, 3, 3)).astype(
        np.float32
    )
    expected = heads_by_loops(*arrays, 2, mask)[0]
    for options in (
        {"mask": Tensor(mask)},
        {"mask": Tensor(mask), "need_weights": False},
        {"need_weights": False, "is_causal": True},
    ):
        found = multi_head_attention(*map(Tensor, arrays), 2, **options)[0]
        np.testing.assert_allclose(
            found.numpy(), expected, rtol=1e-3, atol=1e-5, err_msg=f"with {', '.join(options)}"
        )


def test_weights_are_dropped_both_ways():
    arrays = drawn((1, 3, 4), (1, 64, 4), (1, 64, 4), seed=8)
    for need_weights in (True, False):
        manual_seed(0)
        found = multi_head_attention(
            *map(Tensor, arrays), 1, dropout_p=0.5, need_weights=need_weights
        )[0].numpy()
        whole = heads_by_loops(*arrays, 1)[0]
        assert np.abs(found - whole).max() > 1e-2, (
            f"dropout_p=0.5 changes the output, need_weights={need_weights}"
        )


# %% [markdown]
# The module around it is given: projections, PyTorch's masks (in which True is what must *not* be seen), learned extra keys, and the parameter names under which PyTorch's weights load.
#
# ### Looking at a head
#
# Train one layer on a task whose answer you know: say a sequence of digits backwards. Position $p$ has to look at position $T - 1 - p$. `attention_map`, given too, draws the weights.


# %%
#| export
from tinytorch.given.attention.multihead import *
from tinytorch.given.attention.drawing import *
from tinytorch.given.attention.slices import *


# %%
T, width = 10, 32
manual_seed(3)
tokens, places, layer, head = (
    Embedding(10, width),
    LearnedPositions(T, width),
    MultiheadAttention(width, 2, batch_first=True),
    Linear(width, 10),
)
optimizer = Adam(
    [p for module in (tokens, places, layer, head) for p in module.parameters()], lr=0.01
)


def look(digits):
    x = places(tokens(digits))
    mixed, weights = layer(x, x, x, average_attn_weights=False)
    return head(mixed), weights


for step in range(301):
    digits = randint(0, 10, (32, T))
    logits, _ = look(digits)
    loss = cross_entropy(logits.flatten(0, 1), digits.flip(1).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {loss:.3f}")


# %%
digits = randint(0, 10, (1, T))
logits, weights = look(digits)
print("given  ", digits[0].tolist())
print("answer ", logits.argmax(-1)[0].tolist())
attention_map(weights[0], [str(d) for d in digits[0].tolist()])


# %% [markdown]
# The weights lie on the other diagonal: nobody told it where to look.
#
# ## 5. Attention that never holds the matrix
#
# For 4,096 tokens the scores of one head are 67 MB, for 65,536 they are 17 GB. Do you need them all at once? The output of a query is a ratio of two sums over the keys, $\sum_s e^{x_s} v_s$ and $\sum_s e^{x_s}$, and sums can be added up block by block. Only the shift by the largest score, which keeps
# the exponentials from overflowing, wants to know all scores first.
#
# It does not have to. Shift by the largest score *so far*; when a larger one comes, multiply both sums by $e^{\text{old} - \text{new}}$, and they are as if they had been shifted by the new one all along (Milakov and Gimelshein, 2018):
#
# ```
#  keys:      block 0         block 1         block 2
#             m, l, o   ->    m', l', o'  ->   m'', l'', o''         m: largest score so far
#                                                                    l: sum of exp(x - m)
#                                              answer: o'' / l''     o: sum of exp(x - m) v
# ```
#
# <details><summary>Hint 1</summary>The new largest is the larger of the old one and the block's: <code>np.maximum(largest, scores.max(axis=-1, keepdims=True))</code>.</details>
# <details><summary>Hint 2</summary>Two factors: <code>np.exp(scores - new)</code> for the new keys, <code>np.exp(largest - new)</code> for what is there already. Before the first block that is exp(-inf) = 0, as it should be.</details>
# <details><summary>Hint 3</summary><code>total</code> becomes <code>shrink * total + weights.sum(axis=-1, keepdims=True)</code>, and <code>sums</code> in the same way, with <code>weights @ values</code>.</details>


# %% stub="online-update"
#| export
def online_update(largest, total, sums, scores, values):
    """Take one more block of keys into a softmax that has seen only the earlier ones.

    Args:
        largest: the largest score of each query so far, (..., T, 1); -inf before the first.
        total: the sum of exp(score - largest) so far, (..., T, 1).
        sums: the sum of exp(score - largest) value so far, (..., T, e).
        scores: the scores of the new keys, (..., T, S'), in each row one that is not -inf.
        values: the values of the new keys, (..., S', e).

    Returns:
        largest, total and sums with the new block; sums / total attends to all keys so far.

    >>> start = np.float32([[-np.inf]]), np.float32([[0]]), np.float32([[0]])
    >>> online_update(*start, np.float32([[2.0, 2.0]]), np.float32([[1], [3]]))
    (array([[2.]], dtype=float32), array([[2.]], dtype=float32), array([[4.]], dtype=float32))
    """
    ### BEGIN SOLUTION
    new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
    weights = np.exp(scores - new)
    shrink = np.exp(largest - new)
    total = shrink * total + weights.sum(axis=-1, keepdims=True)
    return new, total, shrink * sums + weights @ values
    ### END SOLUTION


# %% test="online-update" points=6
def online(scores, values, cuts):
    """Feed blocks of keys to online_update, and return sums / total."""
    state = (
        np.full((*scores.shape[:-1], 1), -np.inf),
        np.zeros((*scores.shape[:-1], 1)),
        np.zeros((*scores.shape[:-1], values.shape[-1])),
    )
    for start, stop in zip([0, *cuts], [*cuts, scores.shape[-1]]):
        state = online_update(*state, scores[..., start:stop], values[..., start:stop, :])
    return state[2] / state[1]


def softmax_then_mix(scores, values):
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True) @ values


def test_blocks_give_what_all_keys_give():
    scores, values = drawn((4, 9), (9, 3), dtype=np.float64)
    for cuts in ([], [3], [1, 2, 7]):
        np.testing.assert_allclose(
            online(3 * scores, values, cuts),
            softmax_then_mix(3 * scores, values),
            rtol=1e-10,
            err_msg=f"cut at {cuts}",
        )


def test_a_larger_score_may_come_late():
    scores, (values,) = (
        np.array([[1.0, 2.0, 5.0, 700.0], [800.0, 1.0, 2.0, 3.0]]),
        drawn((4, 2), dtype=np.float64),
    )
    with np.errstate(over="raise", invalid="raise"):
        found = online(scores, values, [1, 2, 3])
    np.testing.assert_allclose(
        found,
        softmax_then_mix(scores, values),
        rtol=1e-10,
        err_msg="the largest score decides, whenever it comes",
    )


def test_masked_keys_weigh_nothing():
    scores, values = drawn((3, 6), (6, 2), dtype=np.float64)
    scores[:, [1, 4, 5]] = -np.inf
    np.testing.assert_allclose(
        online(scores, values, [2]), softmax_then_mix(scores, values), rtol=1e-10
    )


def test_heads_are_updated_side_by_side():
    scores, values = drawn((2, 3, 4, 6), (2, 3, 6, 2), dtype=np.float64)
    np.testing.assert_allclose(
        online(scores, values, [4]), softmax_then_mix(scores, values), rtol=1e-10
    )


def test_nothing_is_changed_in_place():
    scores, values = drawn((2, 3), (3, 2), dtype=np.float64)
    state = [np.zeros((2, 1)), np.ones((2, 1)), np.ones((2, 2))]
    kept = [x.copy() for x in [*state, scores, values]]
    online_update(*state, scores, values)
    for name, x, copy in zip(
        ("largest", "total", "sums", "scores", "values"), [*state, scores, values], kept
    ):
        np.testing.assert_array_equal(x, copy, err_msg=f"{name} is the caller's")


# %% [markdown]
# Then the loops, over blocks of queries and, for each, over blocks of keys. Three helpers are given: `blocks(length, size)` cuts, `visible(...)` leaves out the blocks of keys that lie in the future altogether, `tile(...)` computes the scores of one pair of blocks.
#
# Backward will need the weights again, and they are gone. It makes them anew, tile by tile: a weight is $e^{x - \mathrm{logsumexp}}$, and the logarithm of each row's sum is one number for each query. So keep $m + \ln l$ beside the output (Dao et al., 2022).


# %%
#| export
def blocks(length, size):
    """The slices that cut `length` positions into blocks of `size`."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def visible(rows, length, size, is_causal):
    """The blocks of keys that some query among `rows` may look at."""
    return [
        columns
        for columns in blocks(length, size)
        if not is_causal or columns.start < rows.stop
    ]


def tile(q, k, rows, columns, scale, is_causal):
    """The scores of a block of queries and one of keys, masked above the diagonal."""
    scores = (q[..., rows, :] * scale) @ k[..., columns, :].swapaxes(-2, -1)
    if is_causal and columns.stop > rows.start + 1:
        scores += causal_mask(
            range(rows.start, rows.stop), range(columns.start, columns.stop), scores.dtype
        )
    return scores


# %% [markdown]
# <details><summary>Hint 1</summary>For each block of queries: start with <code>largest = -inf</code>, <code>total = 0</code>, <code>sums = 0</code> of shapes (..., rows, 1), (..., rows, 1) and (..., rows, e); update for each visible block of keys; write <code>sums / total</code> into the output.</details>
# <details><summary>Hint 2</summary><code>tile(q, k, rows, columns, scale, is_causal)</code> gives the scores; the values of the block are <code>v[..., columns, :]</code>.</details>
# <details><summary>Hint 3</summary>Save <code>q, k, v, output, logsumexp</code>, in this order, and set <code>ctx.options = scale, is_causal, block_size</code>: the backward that is given takes them from there.</details>


# %% stub="blocked"
#| export
class BlockedAttention(Function):
    once_differentiable = True

    @staticmethod
    def forward(ctx, q, k, v, *, scale, is_causal, block_size):
        """Compute attention block by block, with the scores of one pair of blocks at a time.

        Args:
            q, k, v: arrays (..., T, d), (..., S, d) and (..., S, e), leading dimensions alike.
            scale, is_causal: as for `scaled_dot_product_attention`.
            block_size: how many queries, and how many keys, a block has.

        Returns:
            The output (..., T, e).

        Saves:
            q, k, v, the output, and the logarithm of each row's sum of exponentials,
            (..., T, 1).
        """
        ### BEGIN SOLUTION
        output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
        logsumexp = np.empty((*q.shape[:-1], 1), q.dtype)
        for rows in blocks(q.shape[-2], block_size):
            shape = (*q.shape[:-2], rows.stop - rows.start)
            largest = np.full((*shape, 1), -np.inf, q.dtype)
            total = np.zeros((*shape, 1), q.dtype)
            sums = np.zeros((*shape, v.shape[-1]), q.dtype)
            for columns in visible(rows, k.shape[-2], block_size, is_causal):
                scores = tile(q, k, rows, columns, scale, is_causal)
                largest, total, sums = online_update(
                    largest, total, sums, scores, v[..., columns, :]
                )
            output[..., rows, :] = sums / total
            logsumexp[..., rows, :] = largest + np.log(total)
        ctx.save_for_backward(q, k, v, output, logsumexp)
        ctx.options = scale, is_causal, block_size
        return output
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        """Make each tile of weights again, exp(scores - logsumexp), add up the gradients."""
        q, k, v, output, logsumexp = ctx.saved_tensors
        scale, is_causal, size = ctx.options
        dq, dk, dv = (np.zeros(x.shape, x.dtype) for x in (q, k, v))
        delta = (grad * output).sum(axis=-1, keepdims=True)
        for rows in blocks(q.shape[-2], size):
            g = grad[..., rows, :]
            for columns in visible(rows, k.shape[-2], size, is_causal):
                weights = np.exp(
                    tile(q, k, rows, columns, scale, is_causal) - logsumexp[..., rows, :]
                )
                dv[..., columns, :] += weights.swapaxes(-2, -1) @ g
                weights *= g @ v[..., columns, :].swapaxes(-2, -1) - delta[..., rows, :]
                weights *= scale
                dq[..., rows, :] += weights @ k[..., columns, :]
                dk[..., columns, :] += weights.swapaxes(-2, -1) @ q[..., rows, :]
        return dq, dk, dv


# %% test="blocked" points=8
def blocked(q, k, v, block_size=2, is_causal=False, scale=0.5):
    return BlockedAttention.apply(
        q, k, v, scale=scale, is_causal=is_causal, block_size=block_size
    )


def test_blocks_of_any_size_give_attention():
    q, k, v = drawn((5, 4), (7, 4), (7, 3), seed=9)
    expected = attention_by_loops(q, k, v, 0.5)[0]
    for size in (1, 2, 3, 7, 100):
        found = blocked(*map(Tensor, (q, k, v)), size).numpy()
        np.testing.assert_allclose(
            found, expected, rtol=1e-4, atol=1e-6, err_msg=f"blocks of {size}"
        )


def test_blocks_respect_the_future():
    q, k, v = drawn((7, 4), (7, 4), (7, 3), seed=10)
    mask = np.where(np.tri(7, dtype=bool), 0, -np.inf)
    expected = attention_by_loops(q, k, v, 0.5, mask)[0]
    for size in (1, 3, 7):
        found = blocked(*map(Tensor, (q, k, v)), size, is_causal=True).numpy()
        np.testing.assert_allclose(
            found, expected, rtol=1e-4, atol=1e-6, err_msg=f"causal, blocks of {size}"
        )


def test_blocks_send_the_right_gradients_back():
    for is_causal in (False, True):
        q, k, v, g = drawn(
            (2, 5, 4), (2, 5, 4), (2, 5, 3), (2, 5, 3), seed=11, dtype=np.float64
        )
        mask = np.where(np.tri(5, dtype=bool) | (not is_causal), 0, -np.inf)

        def forward(q=q, k=k, v=v, mask=mask):
            return np.stack(
                [attention_by_loops(q[i], k[i], v[i], 0.5, mask)[0] for i in range(2)]
            )

        leaves = [Tensor(x.copy()).requires_grad_() for x in (q, k, v)]
        blocked(*leaves, 2, is_causal).backward(Tensor(g))
        for name, leaf, x in zip("qkv", leaves, (q, k, v)):
            np.testing.assert_allclose(
                leaf.grad.numpy(),
                differences(forward, x, g),
                atol=1e-6,
                err_msg=f"the gradient of {name}",
            )


def test_memory_does_not_grow_with_the_square():
    peaks = []
    for length in (512, 1024):
        arrays = drawn((length, 8), (length, 8), (length, 8))
        tracemalloc.start()
        blocked(*map(Tensor, arrays), 64)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.5 * peaks[0], (
        f"twice the length took {peaks[1] / peaks[0]:.1f} times the memory"
    )
    assert peaks[1] < 1024 * 1024, (
        f"{peaks[1] / 1e6:.1f} MB for 1,024 positions: the whole matrix would be 4 MB"
    )


def test_large_scores_survive():
    q, k, v = drawn((4, 4), (6, 4), (6, 3), seed=12)
    found = blocked(*map(Tensor, (q, k, v)), 2, scale=500.0).numpy()
    np.testing.assert_allclose(
        found, attention_by_loops(q, k, v, 500.0)[0], rtol=1e-3, atol=1e-5
    )


# %%
#| export
from tinytorch.given.attention.blocked import *  # blocked_attention, the operation's function


# %% [markdown]
# ## Systems: what the matrix costs
#
# Measured: one head of 64 numbers at 256, 1,024 and 4,096 tokens, forward and backward, the most memory beyond what goes in.


# %%
def peak_megabytes(function, length):
    q, k, v = (randn(1, 1, length, 64, requires_grad=True) for _ in range(3))
    cotangent = ones(1, 1, length, 64)
    start = time.perf_counter()
    function(q, k, v).backward(cotangent)
    seconds = time.perf_counter() - start
    q.grad = k.grad = v.grad = None
    tracemalloc.start()
    function(q, k, v).backward(cotangent)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak, seconds * 1e3


ways = {
    "plain": lambda q, k, v: plain_attention(q, k, v)[0],
    "one operation": scaled_dot_product_attention,
    "blocked": blocked_attention,
}
lengths, peaks = (256, 1024, 4096), {}
for name, way in ways.items():
    measured = [peak_megabytes(way, length) for length in lengths]
    peaks[name] = [peak for peak, _ in measured]
    print(
        f"{name:14}",
        "   ".join(
            f"{n:5}: {peak:7.1f} MB {ms:7.1f} ms" for n, (peak, ms) in zip(lengths, measured)
        ),
    )

plt.figure(figsize=(5, 3))
for name, values in peaks.items():
    plt.loglog(lengths, values, "o-", label=name)
plt.xlabel("tokens")
plt.ylabel("peak, MB")
plt.xticks(lengths, lengths)
plt.minorticks_off()
plt.legend()
plt.show()


# %% [markdown]
# Four times the tokens are sixteen times the memory in the first two rows, and four times in the third, where almost all of it is the output and the gradients themselves, which are T x d. What the *tiles* take is the same for every length:


# %%
for length in lengths:
    peak, _ = peak_megabytes(blocked_attention, length)
    needed = 5 * length * 64 * 4 / 1e6  # the output, three gradients, dO · O
    print(
        f"{length:5} tokens: {peak:5.2f} MB, of which {needed:5.2f} MB are results, "
        f"{peak - needed:5.2f} MB are tiles and the rest"
    )


# %% [markdown]
# And time? Each tile is computed twice, once forward and once backward, in a Python loop of a thousand pairs of blocks; that takes little longer than the whole matrix does, because a tile stays in the cache. In a compiled kernel the blocked way is the faster one at any length.
#
# ## 6. What was there before: recurrence
#
# Before 2017 a sentence was read one word at a time, with a state that carries what has been read. The state of a plain network, $h' = \tanh(W_{ih} x + W_{hh} h + b)$, is multiplied by $W_{hh}$ at every step, and so is its gradient: after fifty steps it has vanished or exploded.
# The long short-term memory keeps a second state $c$ to which is *added*, and gates, numbers between 0 and 1, that decide what is forgotten ($f$), what is written ($i$) and what is shown ($o$):
#
# $$c' = \sigma(f) \circ c + \sigma(i) \circ \tanh(g), \qquad h' = \sigma(o) \circ \tanh(c')$$
#
# All four come from one product. PyTorch's order in the weight is i, f, g, o.
#
# <details><summary>Hint 1</summary><code>gates + linear(h, weight, bias)</code> has all four, side by side in the last dimension.</details>
# <details><summary>Hint 2</summary><code>.chunk(4, -1)</code> cuts it.</details>
# <details><summary>Hint 3</summary>First the new c, from the old one; then h from the new c.</details>


# %% stub="lstm-step"
#| export
def lstm_step(gates, h, c, weight, bias=None):
    """Take one step of a long short-term memory.

    From Hochreiter and Schmidhuber (1997), with the gate that forgets of Gers et al. (2000).

    i, f, g, o = the four quarters of gates + h Wᵀ + b
    c' = σ(f) c + σ(i) tanh(g),  h' = σ(o) tanh(c')

    Args:
        gates: what the input contributes, x W_ihᵀ + b_ih, (B, 4H).
        h, c: the output and the memory of the step before, (B, P) and (B, H).
        weight, bias: W (4H, P) and b (4H,) or None.

    Returns:
        h' and c', (B, H) each.
    """
    ### BEGIN SOLUTION
    i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c
    ### END SOLUTION


# %% test="lstm-step" points=4
def sigma(x):
    return 1 / (1 + np.exp(-x))


def test_gates_forget_write_and_show():
    gates, h, c, W, b = drawn((2, 12), (2, 3), (2, 3), (12, 3), (12,), seed=13)
    i, f, g, o = np.split(gates + h @ W.T + b, 4, axis=1)
    expected_c = sigma(f) * c + sigma(i) * np.tanh(g)
    found_h, found_c = lstm_step(*map(Tensor, (gates, h, c, W, b)))
    np.testing.assert_allclose(
        found_c.numpy(),
        expected_c,
        rtol=1e-4,
        atol=1e-6,
        err_msg="c' = σ(f) c + σ(i) tanh(g), in the order i, f, g, o",
    )
    np.testing.assert_allclose(
        found_h.numpy(),
        sigma(o) * np.tanh(expected_c),
        rtol=1e-4,
        atol=1e-6,
        err_msg="h' = σ(o) tanh(c')",
    )


def test_an_lstm_without_a_bias():
    gates, h, c, W = drawn((2, 12), (2, 3), (2, 3), (12, 3), seed=14)
    i, f, g, _ = np.split(gates + h @ W.T, 4, axis=1)
    found = lstm_step(*map(Tensor, (gates, h, c, W)))[1].numpy()
    np.testing.assert_allclose(
        found, sigma(f) * c + sigma(i) * np.tanh(g), rtol=1e-4, atol=1e-6
    )


def test_memory_is_kept_where_nothing_is_forgotten():
    gates = np.float32([[-50, 50, 0, 50]])  # write nothing, keep all, show all
    h, c = lstm_step(Tensor(gates), zeros(1, 1), tensor([[0.7]]), zeros(4, 1))
    np.testing.assert_allclose([h.item(), c.item()], [np.tanh(0.7), 0.7], rtol=1e-5)


# %% [markdown]
# The gated recurrent unit does with one state and two gates: $r$ decides how much of the past goes into the proposal $n$, and $z$ how much of the old state stays.
#
# $$n = \tanh(n_x + \sigma(r) \circ n_h), \qquad h' = (1 - \sigma(z)) \circ n + \sigma(z) \circ h$$
#
# PyTorch's order is r, z, n. Mind that $r$ multiplies the state's share of $n$ only: the input's and the state's products must stay apart.
#
# <details><summary>Hint 1</summary>Cut both in three: <code>gates.chunk(3, -1)</code> and <code>linear(h, weight, bias).chunk(3, -1)</code>.</details>
# <details><summary>Hint 2</summary><code>sigmoid(r + r_h)</code> multiplies <code>n_h</code>, inside the tanh.</details>
# <details><summary>Hint 3</summary><code>(1 - z) * n + z * h</code> is <code>n + z * (h - n)</code>.</details>


# %% stub="gru-step"
#| export
def gru_step(gates, h, weight, bias=None):
    """Take one step of a gated recurrent unit (Cho et al., 2014).

    r, z, n = the three thirds of gates, and r', z', n' those of h Wᵀ + b
    n'' = tanh(n + σ(r + r') n'),  h' = (1 - σ(z + z')) n'' + σ(z + z') h

    Args:
        gates: what the input contributes, x W_ihᵀ + b_ih, (B, 3H).
        h: the state of the step before, (B, H).
        weight, bias: W (3H, H) and b (3H,) or None.

    Returns:
        h', (B, H).
    """
    ### BEGIN SOLUTION
    (r, z, n), (r_h, z_h, n_h) = gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1)
    z = sigmoid(z + z_h)
    n = tanh(n + sigmoid(r + r_h) * n_h)
    return n + z * (h - n)
    ### END SOLUTION


# %% test="gru-step" points=4
def test_gates_reset_and_update():
    gates, h, W, b = drawn((2, 9), (2, 3), (9, 3), (9,), seed=15)
    (r, z, n), (r_h, z_h, n_h) = np.split(gates, 3, axis=1), np.split(h @ W.T + b, 3, axis=1)
    proposal, z = np.tanh(n + sigma(r + r_h) * n_h), sigma(z + z_h)
    found = gru_step(*map(Tensor, (gates, h, W, b))).numpy()
    np.testing.assert_allclose(
        found, (1 - z) * proposal + z * h, rtol=1e-4, atol=1e-6, err_msg="in the order r, z, n"
    )


def test_a_closed_update_gate_keeps_the_state():
    h = gru_step(tensor([[0.0, 50.0, 3.0]]), tensor([[0.3]]), zeros(3, 1))
    np.testing.assert_allclose(h.item(), 0.3, rtol=1e-5, err_msg="z = 1: the old state stays")
    h = gru_step(tensor([[0.0, -50.0, 0.5]]), tensor([[0.3]]), zeros(3, 1))
    np.testing.assert_allclose(
        h.item(), np.tanh(0.5), rtol=1e-5, err_msg="z = 0: the proposal takes its place"
    )


def test_a_gru_without_a_bias():
    gates, h, W = drawn((2, 9), (2, 3), (9, 3), seed=16)
    (r, z, n), (r_h, z_h, n_h) = np.split(gates, 3, axis=1), np.split(h @ W.T, 3, axis=1)
    z = sigma(z + z_h)
    found = gru_step(*map(Tensor, (gates, h, W))).numpy()
    np.testing.assert_allclose(
        found, (1 - z) * np.tanh(n + sigma(r + r_h) * n_h) + z * h, rtol=1e-4, atol=1e-6
    )


# %%
#| export
from tinytorch.given.attention.cells import *  # RNNCell, LSTMCell, GRUCell: one step
from tinytorch.given.attention.packed import *  # batches of sequences of different lengths
from tinytorch.given.attention.recurrent import *  # RNN, LSTM, GRU: whole sequences


# %% [markdown]
# Why attention won: a state has to be computed step after step, T products of a small matrix, while attention computes all positions at once. And between two words that are $n$ apart lie $n$ steps of a recurrent network, but one of attention.
#
# ## Break it
#
# **Without $1/\sqrt d$.** How much of the weight does the best key take, on average, as the vectors grow? (Random vectors: nobody is *meant* to win.)


# %%
manual_seed(0)
for d in (4, 64, 1024):
    q, k = randn(64, d), randn(64, d)
    scaled, raw = (softmax(q @ k.T * scale, -1) for scale in (1 / math.sqrt(d), 1.0))
    slope = [float((w * (1 - w)).mean()) for w in (scaled, raw)]
    print(
        f"d = {d:4}: largest weight {float(scaled.amax(1).mean()):.2f} scaled, "
        f"{float(raw.amax(1).mean()):.2f} not; "
        f"slope of softmax {slope[0]:.4f} and {slope[1]:.4f}"
    )


# %% [markdown]
# At d = 1,024 the unscaled softmax has decided before training begins, and where it has decided its slope is nearly zero: no gradient comes back to change its mind.
#
# **No causal mask.** A model that is to predict the next token, and can see it, learns to copy it: the loss falls to nothing, and what it writes is nonsense. The test for it: change the future, and see whether the past moves.


# %%
x = randn(1, 6, 8)
changed = x.clone()
changed[:, 4:] = 0.0
for name, is_causal in (("without a mask", False), ("causal", True)):
    before, after = (
        scaled_dot_product_attention(y, y, y, is_causal=is_causal) for y in (x, changed)
    )
    moved = [t for t in range(4) if not before[0, t].allclose(after[0, t])]
    print(f"{name:15} positions before the change that moved: {moved}")


# %% [markdown]
# **A mask the wrong way round.** `scaled_dot_product_attention` takes True for "may look", `MultiheadAttention` for "must not". Exchange them and nothing crashes.
#
# ## In PyTorch
#
# ```python
# y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)   # fused: never holds T x S
# layer = torch.nn.MultiheadAttention(512, 8, batch_first=True)
# y, weights = layer(x, x, x, need_weights=True, average_attn_weights=False)
# mine.load_state_dict(layer.state_dict())                                         # the names are the same
# y, (h, c) = torch.nn.LSTM(64, 128, num_layers=2, batch_first=True)(x)
# ```
#
# On a GPU PyTorch chooses between several kernels; all of them are the blocked one, with tiles in the fast memory of one multiprocessor. You will write such a kernel in module 17.
#
# ## Questions to think about
#
# 1. Attention without positions: exchange two keys and their values. What changes in the output? And if you exchange two queries?
# 2. Backward of blocked attention computes each tile again. Count the products of both ways: how much more arithmetic is it, and why can it still be faster?
# 3. With grouped heads, eight queries' heads share one head of keys. What becomes smaller by eight: parameters, arithmetic, or what has to be remembered while a text is continued?
# 4. In an LSTM that never forgets (f = 1), what is the derivative of c after a hundred steps with respect to c at the start? And in a plain network?
#
# ## What comes next
#
# Attention and a small network for each position, stacked, with normalisation in between: that is a transformer, and module 13 trains one.
