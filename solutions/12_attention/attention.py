# %% [markdown]
# # 12 Attention
#
# A sentence is a list of vectors, and what a word means depends on others, near and far. With attention every vector
# looks at all others, and mixes their values with weights that are computed from the vectors themselves. It is two
# matrix products with a softmax between them, and it is where a transformer spends its memory on long texts. You write
# it plainly first, then as one operation with a hand-written gradient, then with several heads and learned projections,
# and then in a way whose memory does not grow with the square of the length. At the end come the networks that it
# replaced.
#
# When you are done you will be able to
#
# - write attention from its formula, with every kind of mask, and say what each line costs;
# - derive its gradient, and see why the row sums of products need not be computed from the large matrix;
# - write the projections and the heads of MultiheadAttention, load PyTorch's weights into it and get its outputs, and
#   read a heat map of what a head looks at;
# - compute a softmax over numbers that are never all in memory at once;
# - show where a recurrent network loses its gradient, and what an LSTM changes.
#
# ## What you build
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `scaled_dot_product_attention` | `torch.nn.functional`, the same name | second derivatives are refused, as by its fused kernels |
# | `MultiheadAttention` | `torch.nn.MultiheadAttention` | |
# | `RNNCell`, `LSTMCell`, `GRUCell`, `RNN`, `LSTM`, `GRU` | `torch.nn`, the same names | |
# | `pad_sequence`, `pack_padded_sequence`, `PackedSequence`, ... | `torch.nn.utils.rnn`, the same names | |
# | `blocked_attention`, `attention_map` | | ours; PyTorch's fused kernel works like the first |
#
# This module multiplies many small matrices. Two threads that share a small product can wait for each other longer than
# they compute, so the first cell of each notebook, `%load_ext tinytorch.notebook`, makes NumPy use one.


# %%
#| export
import math

import numpy as np

from tinytorch.activations import sigmoid, softmax, tanh
from tinytorch.layers import dropout, linear
from tinytorch.tensor import Function


# %%
import inspect
import time
import tracemalloc

import matplotlib.pyplot as plt

from tinytorch.autograd import no_grad
from tinytorch.embeddings import Embedding, LearnedPositions
from tinytorch.given.predictions import compare
from tinytorch.layers import Linear
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import Adam
from tinytorch.tensor import (
    Context,
    Tensor,
    manual_seed,
    ones,
    randint,
    randn,
    tensor,
    wrap,
    zeros,
)


# %% [markdown]
# ## 1. Ask, compare, mix
#
# To see what goes wrong without it, mix vectors with *fixed* weights, say the mean: every position gets the same thing,
# whatever it needs.


# %%
manual_seed(0)
words = randn(5, 4)
mixed = ones(5, 5) / 5 @ words
print(
    "positions that get their own mixture:",
    int((mixed - mixed[0]).abs().sum(1).gt(1e-5).sum()),
)


# %% [markdown]
# So the weights have to depend on the position that asks. Each position computes three vectors from its own vector $x$,
# with three learned matrices: a *query* $q = x W_q$ (what it looks for), a *key* $k = x W_k$ (what it can be found by),
# and a *value* $v = x W_v$ (what it has to say). For all positions at once $Q = X W_q$, $K = X W_k$, $V = X W_v$; you
# will write that in section 4. The product of query and key is a score; softmax turns the scores of one query into
# weights; the weights mix the values.
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
# Why $\sqrt d$? A product of two vectors of $d$ independent numbers of variance 1 has variance $d$. Divided by
# $\sqrt d$ it has variance 1 again, so softmax does not saturate; you will see below what happens without.
#
# Write it with the operations that you have, for any leading dimensions. Use `dropout(weights, dropout_p)`: it does
# nothing when the chance is 0.
#
# <details><summary>Hint 1</summary>Four lines: scores, weights, dropout, output. The keys have to be transposed in
# their last two dimensions only.</details>
# <details><summary>Hint 2</summary>Multiply the query, not the scores: it is smaller.
# <code>(query * scale) @ key.transpose(-2, -1)</code>, and add the mask if there is one.</details>
# <details><summary>Hint 3</summary>Softmax along the last dimension, the keys. Dropout is applied to the weights; the
# weights after dropout mix the values, and are returned.</details>


# %% stub="plain-attention"
#| export
def plain_attention(query, key, value, mask=None, scale=None, dropout_p=0.0):
    """Mix values by how well each query matches each key, with the operations that you have.

    Args:
        query, key, value: Tensors (..., T, d), (..., S, d) and (..., S, e), only read.
        mask: added to the scores, a Tensor that broadcasts to (..., T, S); or None.
        scale: what the scores are multiplied by; None stands for 1/√d.
        dropout_p: the probability that a weight is dropped, and returned as 0.

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


def numbers(x):
    return x.detach().numpy() if isinstance(x, Tensor) else x


def check(found, wanted, about, dtype=None):
    """Compare shape, numbers up to rounding, and the type if one is given."""
    found, kind = numbers(found), type(found).__name__
    assert hasattr(found, "shape"), f"{about}: an array or a Tensor is wanted, not {kind}"
    assert found.shape == wanted.shape, f"{about}: of shape {wanted.shape}, not {found.shape}"
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=about)
    assert dtype in (None, found.dtype), f"{about}: {np.dtype(dtype)}, not {found.dtype}"


def same(function, *arrays, **options):
    """Call a function, and check that it has not changed its arrays."""
    given = inspect.signature(function).bind(*arrays, **options).arguments
    given = {name: x for name, x in given.items() if isinstance(x, np.ndarray | Tensor)}
    kept = {name: numbers(x).copy() for name, x in given.items()}
    found = function(*arrays, **options)
    for name, before in kept.items():
        message = f"the call changed {name}, which is only to be read"
        np.testing.assert_array_equal(numbers(given[name]), before, err_msg=message)
    return found


def differences(function, array, cotangent, eps=1e-6):
    """How sum(function() * cotangent) changes with each element of an array."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = (function() * cotangent).sum()
        array[position] = value - eps
        slopes[position] = (above - (function() * cotangent).sum()) / (2 * eps)
        array[position] = value
    return slopes


def check_gradients(function, by_numpy, *arrays, about=""):
    """Every argument of a function of Tensors gets the gradient of differences."""
    arrays = [x.astype(float) for x in arrays]
    (cotangent,) = drawn(by_numpy(*arrays).shape, seed=99, dtype=float)
    wanted = [differences(lambda: by_numpy(*arrays), x, cotangent) for x in arrays]
    leaves = [wrap(x.copy()).requires_grad_() for x in arrays]
    function(*leaves).backward(wrap(cotangent))
    for number, (leaf, slopes) in enumerate(zip(leaves, wanted)):
        which = f"{about}the gradient of argument {number + 1}"
        assert leaf.grad is not None, f"{which} is missing: the graph is cut somewhere"
        check(leaf.grad, slopes, which)


def test_each_query_mixes_the_values_by_its_weights():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    wanted, wanted_weights = attention_by_loops(q, k, v)
    output, weights = same(plain_attention, wrap(q), wrap(k), wrap(v))
    about = "weights: softmax of q k / sqrt(d), along the keys"
    check(weights, wanted_weights, about, np.float32)
    check(output, wanted, "output: weights times values", np.float32)


def test_leading_dimensions_are_kept():
    q, k, v = drawn((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))
    wanted = np.zeros((2, 3, 4, 7))
    for b, h in np.ndindex(2, 3):
        wanted[b, h] = attention_by_loops(q[b, h], k[b, h], v[b, h])[0]
    output = plain_attention(wrap(q), wrap(k), wrap(v))[0]
    check(output, wanted, "2 sequences, 3 heads, each attends separately")


def test_a_scale_can_be_given():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    for scale in (0.25, 2.0, 0.0):
        wanted = attention_by_loops(q, k, v, scale)[1]
        found = plain_attention(wrap(q), wrap(k), wrap(v), scale=scale)[1]
        check(found, wanted, f"weights for scale={scale}")


def test_a_mask_is_added_to_the_scores():
    q, k, v, masks = drawn((3, 4), (5, 4), (5, 2), (2, 1, 3, 5))
    masks[0, 0, 0, 2] = -np.inf
    for scale in (None, 3.0):
        wanted = [attention_by_loops(q, k, v, scale, mask)[1] for mask in masks[:, 0]]
        found = same(plain_attention, *map(wrap, (q, k, v, masks[0, 0])), scale=scale)[1]
        check(found, wanted[0], f"scale {scale}: the mask is added to the scaled scores")
        twice = [wrap(np.stack([[x]] * 2)) for x in (q, k, v)]
        found = plain_attention(*twice, wrap(masks), scale=scale)[1]
        check(found, np.stack(wanted)[:, None], f"scale {scale}: two sentences, two masks")


def test_a_query_that_may_look_at_nothing_gets_nan():
    q, k, v, mask = drawn((2, 4), (5, 4), (5, 2), (2, 5))
    mask[1] = -np.inf
    wanted = attention_by_loops(q, k, v, None, mask)[1]
    wanted[1] = np.nan
    found = plain_attention(*map(wrap, (q, k, v, mask)))[1]
    check(found, wanted, "weights of a query with every key hidden: NaN, as softmax says")


def telling_values(count):
    """Values (count, count + 1) whose mixture is the weights that were used, and their sum."""
    return np.eye(count, count + 1, dtype=np.float32) + (np.arange(count + 1) == count)


def check_dropped(output, weights, whole, about=""):
    """Dropout with p = 0.1 of weights that would be `whole`, used for telling_values."""
    used, total = numbers(output)[..., :-1], numbers(output)[..., -1]
    dropped = (used == 0).mean()
    assert 0.01 < dropped < 0.3, f"{about}dropout_p=0.1: of the weights, {dropped:.0%} are 0"
    check(total, used.sum(-1), f"{about}weights must be dropped, not entries of the output")
    kept = np.where(used == 0, 0, whole / 0.9)
    check(used, kept, f"{about}what is not dropped is divided by 1 - dropout_p")
    if weights is not None:
        check(weights, used, f"{about}the returned weights must be those that were used")


def test_dropped_weights_are_those_that_were_used():
    manual_seed(1)
    q, k, v = *drawn((3, 4), (50, 4)), telling_values(50)
    leaves = [wrap(x).requires_grad_() for x in (q, k, v)]
    output, weights = plain_attention(*leaves, dropout_p=0.1)
    check_dropped(output, weights, attention_by_loops(q, k, v)[1])
    output.sum().backward()


def test_queries_keys_values_and_mask_get_gradients():
    arrays = drawn((3, 4), (5, 4), (5, 5), (3, 5), seed=1)
    by_loops = lambda q, k, v, mask: attention_by_loops(q, k, v, None, mask)
    check_gradients(
        lambda *leaves: plain_attention(*leaves)[0], lambda *x: by_loops(*x)[0], *arrays
    )
    about = "a loss that reads the weights too: "
    both = lambda function: lambda *x: sum(function(*x))
    check_gradients(both(plain_attention), both(by_loops), *arrays, about=about)


# %% [markdown]
# ## 2. Masks
#
# Some keys must not be looked at: padding, and, in a model that predicts the next word, the future. A weight of exactly
# zero comes from a score of $-\infty$, since $e^{-\infty} = 0$. PyTorch takes masks in two forms: of numbers, which are
# added to the scores, and of booleans, True where a query may look. `additive_mask`, given, turns the second into the
# first.


# %%
#| export
def additive_mask(allowed, dtype):
    """Turn a bool array into numbers to be added: 0 where a query may look, -inf elsewhere."""
    return np.where(allowed, 0, -np.inf).astype(dtype)


# %% [markdown]
# The *causal* mask is the triangle that keeps a language model from seeing the future: position $t$ may look at
# $s \le t$.
#
# ```
#             key  0  1  2  3
#   query 0        0  .  .  .
#         1        0  0  .  .          . is -inf
#         2        0  0  0  .
#         3        0  0  0  0
# ```
#
# Take the positions as two ranges, so that you can also make a part of the triangle: you will need it twice, for blocks
# in section 5, and to continue a text in module 18.
#
# <details><summary>Hint 1</summary>First make an array of booleans, True where a query may look, then call
# <code>additive_mask</code>.</details>
# <details><summary>Hint 2</summary>Compare every row's position with every column's: arrays (T, 1) and (S,) broadcast
# to (T, S).</details>
# <details><summary>Hint 3</summary>A query may look where its own position is at least the key's.</details>


# %% stub="causal-mask"
#| export
def causal_mask(rows, columns, dtype=np.float32):
    """Make the mask that keeps a position from looking at later ones.

    Args:
        rows, columns: the positions of the queries and of the keys, such as range(4, 8) or a
            list.
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
def check_causal(rows, columns):
    wanted = np.array([[0 if s <= t else -np.inf for s in columns] for t in rows])
    about = f"queries at {rows}, keys at {columns}: 0 where the key is not later"
    found = causal_mask(rows, columns)
    assert isinstance(found, np.ndarray), f"the mask is an array, not a {type(found).__name__}"
    check(found, wanted, about, np.float32)


def test_a_position_sees_itself_and_what_is_before():
    check_causal(range(2), range(5))
    check_causal(range(4), range(4))


def test_parts_of_the_triangle_know_their_positions():
    check_causal(range(4, 7), range(2, 6))
    check_causal(range(8, 9), range(9))
    check_causal([5, 1, 3], [2, 3, 0, 7])


def test_the_triangle_has_the_type_asked_for():
    for dtype in (np.float16, np.float32, np.float64):
        found = causal_mask(range(2), range(2), dtype).dtype
        assert found == dtype, f"a mask of {np.dtype(dtype)} was asked for, not {found}"


# %% [markdown]
# ### A row with nothing in it
#
# If a mask hides *every* key, the row of scores is all $-\infty$, and softmax of it is NaN: you saw it in module 02.
# PyTorch's `scaled_dot_product_attention` decides differently: a query that may look at nothing gets zeros. This
# happens in every batch with an empty sentence. (Its `MultiheadAttention` with `need_weights=True` uses the plain
# formula, and gives NaN; so does yours.) Write softmax for a matrix of scores with that rule, and overwrite the scores
# with the weights: this matrix is the largest array of all, and the scores are no longer needed. You can halve the
# memory: let no step make a second array of its size.
#
# <details><summary>Hint 1</summary>The trouble is <code>-inf - (-inf)</code>. Replace the largest score by 0 in rows
# where it is -inf: then every exponential in the row is 0.</details>
# <details><summary>Hint 2</summary>Now the row's sum is 0, and 0 / 0 is the next NaN. Divide by 1 there.</details>
# <details><summary>Hint 3</summary>Each of the three steps has an in-place form: <code>out=scores</code> for the
# subtraction and the exponential, <code>/=</code> for the division.</details>


# %% stub="softmax-rows"
#| export
def softmax_rows(scores):
    """Turn every row of scores into weights that sum to one, in place.

    Args:
        scores: an array (T, S), which is overwritten; only -inf is a key that may not be
            looked at, NaN stays NaN. S may be 0.

    Returns:
        The same array. A row of -inf only, a query that may look at nothing, becomes zeros,
        without a warning.

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
def check_rows(scores, wanted, about):
    scores = np.float32(scores)
    found = softmax_rows(scores)
    check(found, np.array(wanted), about)
    assert found is scores, "the weights overwrite the scores: return the same array"


def test_rows_become_weights():
    (scores,) = drawn((4, 6))
    check_rows(scores, np.exp(scores) / np.exp(scores).sum(1, keepdims=True), "random scores")
    check_rows([[0, -np.log(3)], [0, 0]], [[0.75, 0.25], [0.5, 0.5]], "the largest score is 0")


def test_large_scores_do_not_overflow():
    with np.errstate(over="raise", invalid="raise"):
        check_rows([[1000, 1000]], [[0.5, 0.5]], "equal scores, far above 0")
        for low in (-1000, -1e10):
            check_rows([[low, low]], [[0.5, 0.5]], f"equal scores, {low}")
        wanted = [[1, 0], [0.7310586, 0.2689414]]
        check_rows([[1000, 0], [-1000, -1001]], wanted, "each row has its own maximum")


def test_a_row_of_nothing_becomes_zeros_without_a_warning():
    with np.errstate(all="raise", under="ignore"):
        about = "a query that may look at nothing gets zeros"
        check_rows([[-np.inf, -np.inf], [-np.inf, 3]], [[0, 0], [0, 1]], about)
    found = softmax_rows(np.float32([[np.nan, 0], [0, 0]]))
    about = "only -inf hides a key: a score that is NaN stays NaN"
    check(found[:, :1], np.array([[np.nan], [0.5]]), about)


def test_no_keys_leave_no_weights():
    check_rows(np.zeros((3, 0)), np.zeros((3, 0)), "three queries, and no keys at all")


# %% [markdown]
# ## 3. Attention as one operation
#
# `plain_attention` leaves five nodes in the graph, and several matrices of T x S numbers. One operation with a
# hand-written gradient keeps one such matrix, needs a second one in backward, and can work on one head at a time, whose
# tile then stays in the processor's cache. Write the forward of one head, on arrays.
#
# <details><summary>Hint 1</summary>As in <code>plain_attention</code>, without Tensors; <code>k.T</code> for one
# head.</details>
# <details><summary>Hint 2</summary>The scores are a new array: add the mask with <code>+=</code>, and let
# <code>softmax_rows</code> overwrite them.</details>
# <details><summary>Hint 3</summary>Multiply by <code>keep</code> in a new array: return the weights before
# that.</details>


# %% stub="attend"
#| export
def attend(q, k, v, scale, mask=None, keep=None):
    """Compute attention for one head, on arrays, which are only read.

    Args:
        q, k, v: arrays (T, d), (S, d) and (S, e).
        scale: what the scores are multiplied by.
        mask: an array that broadcasts to (T, S) and is added to the scores, or None.
        keep: dropout's array (T, S), by which the weights that mix the values are multiplied;
            or None.

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
def check_head(*arrays, scale, mask=None, keep=None, dtype=np.float32):
    q, k, v = (x.astype(dtype) for x in arrays)
    full = None if mask is None else np.broadcast_to(mask, (len(q), len(k)))
    wanted = attention_by_loops(q, k, v, scale, full)[1]
    used = wanted if keep is None else wanted * keep
    call = lambda q, k, v, mask, keep: attend(q, k, v, scale, mask, keep)
    output, weights = same(call, q, k, v, mask, keep)
    check(weights, wanted, f"scale {scale}: the weights, before `keep`", dtype)
    check(output, used @ v, f"scale {scale}: the output", dtype)


def test_one_head_attends():
    arrays = drawn((3, 4), (5, 4), (5, 2), seed=1)
    check_head(*arrays, scale=0.7)
    check_head(*arrays, scale=2.0, dtype=np.float64)


def test_one_head_with_a_mask():
    *arrays, mask, row = drawn((3, 4), (5, 4), (5, 2), (3, 5), (1, 5), seed=2)
    mask[1] = -np.inf  # the second query may look at nothing
    check_head(*arrays, scale=0.3, mask=mask)
    check_head(*arrays, scale=0.3, mask=row)


def test_what_is_kept_is_used_and_the_weights_stay_whole():
    *arrays, mask = drawn((3, 4), (5, 4), (5, 2), (3, 5), seed=3)
    keep = np.float32([[2, 0, 2, 0, 2]] * 3)
    check_head(*arrays, scale=0.5, keep=keep)
    check_head(*arrays, scale=0.5, mask=mask, keep=keep)


# %% [markdown]
# ### Its gradient
#
# Derive it on paper before you write it; five lines are enough. The forward has three steps,
#
# $$S = \text{scale} \cdot QK^\top, \qquad P = \mathrm{softmax}(S), \qquad O = PV$$
#
# Backward goes through them in the opposite order, and in module 06 you derived the rule of each: of a product, and of
# softmax. Write $dO$ for the gradient of $O$, and find $dV$, $dP$, $dS$, $dQ$ and $dK$.
#
# Then make it cheaper. The rule of softmax needs one number for each row, a sum over all S keys of products of two T x
# S matrices. Insert your formula for $dP$ into that sum, and exchange the order of the two sums: the number can be
# computed from $dO$ and $O$ alone, which have only T x e entries. This is why `attend_backward` is handed the output.
#
# With dropout the weights that mix the values are $P \circ \text{keep}$. Where does `keep` enter in backward? Does the
# shorter sum still hold?
#
# <details><summary>Hint 1</summary>The last step is a product of the used weights and V. For one entry,
# O[t, j] = sum over s of P[t, s] V[s, j]: which outputs change with V[s, j], and which with P[t, s]? The first step is
# a product as well.</details>
# <details><summary>Hint 2</summary>In softmax every weight of a row depends on every score of that row: its rule
# subtracts, from each entry of dP, the row's sum of dP times P. Now dP[t, s] = sum over j of dO[t, j] V[s, j]; summed
# over s first, V and P make the output. One new T x S array is enough if each step changes it in place; but the arrays
# that are handed in must stay as they are.</details>
# <details><summary>Hint 3</summary>With ∘ for products of entries and U = P ∘ keep: dV = Uᵀ dO, dP = (dO Vᵀ) ∘ keep,
# dS = P ∘ (dP - r) where r[t] is the sum over j of dO[t, j] O[t, j], dQ = scale · dS K, dK = scale · dSᵀ Q. With
# dropout r is the same, because O was made from U.</details>


# %% stub="attend-backward"
#| export
def attend_backward(grad, q, k, v, scale, weights, output, keep=None):
    """Compute the gradients of one head's attention.

    Args:
        grad: the gradient of the output, (T, e).
        q, k, v, scale, keep: what `attend` was called with.
        weights, output: what it returned, (T, S) and (T, e).

    Returns:
        The gradients of q, k and v, and that of scale · QKᵀ + mask, (T, S), which is the
        mask's too. None of the arrays that are handed in is changed.
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
def one_head(keep=None, scale=0.7, dtype=np.float64, seed=4):
    """The gradients found for one head, and those of differences of NumPy's output."""
    shapes = (3, 4), (5, 4), (5, 2), (3, 5), (3, 2)
    q, k, v, mask, grad = drawn(*shapes, seed=seed, dtype=np.float64)

    def forward():  # NumPy alone
        scores = scale * q @ k.T + mask
        weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        return weights, (weights if keep is None else weights * keep) @ v

    slopes = [differences(lambda: forward()[1], x, grad) for x in (q, k, v, mask)]
    arrays = [x.astype(dtype) for x in (grad, q, k, v, *forward())]
    arrays += [] if keep is None else [keep.astype(dtype)]
    call = lambda grad, q, k, v, weights, output, keep=None: attend_backward(
        grad, q, k, v, scale, weights, output, keep
    )
    found = same(call, *arrays)
    assert len(found) == 4, f"gradients of q, k, v and the scores are four, not {len(found)}"
    return found, slopes


def check_head_gradients(numbers, about="", **options):
    found, slopes = one_head(**options)
    names = "q", "k", "v", "the scores, which is the mask's,"
    for number in numbers:
        check(found[number], slopes[number], f"{about}the gradient of {names[number]}")


def test_queries_and_keys_get_their_gradients():
    for scale in (0.7, 1.5):
        check_head_gradients([0, 1], f"scale {scale}: ", scale=scale)


def test_values_get_their_gradient():
    check_head_gradients([2])


def test_the_scores_gradient_is_the_masks():
    check_head_gradients([3])


def test_dropped_weights_send_nothing_back():
    keep = np.where(np.arange(15).reshape(3, 5) % 3 == 0, 0.0, 1.5)
    check_head_gradients(range(4), "with dropout: ", keep=keep)


def test_the_gradients_stay_float32():
    keep = np.where(np.arange(15).reshape(3, 5) % 3 == 0, 0.0, 1.5)
    found, slopes = one_head(keep, dtype=np.float32)
    for name, gradient, wanted in zip(("q", "k", "v", "the scores"), found, slopes):
        check(gradient, wanted, f"float32: the gradient of {name}", np.float32)


# %% [markdown]
# The code that runs your two functions over all heads is given, and so is `scaled_dot_product_attention` with PyTorch's
# options. The weights are kept for backward and are neither input nor output, so this operation cannot be
# differentiated twice: `once_differentiable = True` makes that an error, as with PyTorch's fused kernels.
#
# *Grouped* heads (`enable_gqa`) let several queries' heads share one head of keys and values: the keys get a dimension
# of length 1, and broadcasting does the rest.


# %%
#| export
from tinytorch.given.attention.scaled_dot_product import *
from tinytorch.given.attention.slices import *


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
# At 256 tokens the two differ little. At 4,096, measured under "Systems" below, the one operation took about a third of
# the time here.
#
# ## 4. Several heads
#
# One softmax gives one mixture. To look at two places for two reasons, use two: cut the vectors of length E into H
# parts, let each part attend separately, and join the results. The product of (B, H, T, d) and (B, H, d, S) is then one
# batch of small products.
#
# ```
#   (B, T, E)   view    (B, T, H, d)   transpose   (B, H, T, d)
# ```
#
# The middle step only reads the same memory in another order. Nothing is copied until the heads are joined again.
#
# <details><summary>Hint 1</summary><code>x.view(B, T, num_heads, E // num_heads)</code>, then exchange dimensions 1 and
# 2.</details>
# <details><summary>Hint 2</summary>To join, exchange them back first; then the last two dimensions become
# one.</details>
# <details><summary>Hint 3</summary><code>flatten(2)</code> merges all dimensions from the third on, and copies only if
# it must.</details>


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
    for H in (2, 4, 8):
        parts = [x[:, :, h * 8 // H : (h + 1) * 8 // H] for h in range(H)]
        found = same(split_heads, wrap(x), num_heads=H)
        check(found, np.stack(parts, 1), f"(2, 3, 8) in {H} heads")


def test_joining_undoes_splitting():
    heads = np.arange(2 * 4 * 3 * 2.0).reshape(2, 4, 3, 2)
    wanted = np.concatenate([heads[:, h] for h in range(4)], axis=-1)
    check(join_heads(wrap(heads)), wanted, "joined, head 0 first, for each position")


def test_splitting_copies_nothing():
    x = wrap(np.zeros((2, 3, 8)))
    assert np.shares_memory(split_heads(x, 2).numpy(), x.numpy()), "split_heads is a view"


def test_gradients_pass_through_both():
    (x,) = drawn((2, 3, 4))
    together = lambda x: join_heads(split_heads(x, 2).exp())
    check_gradients(together, np.exp, x)


# %% [markdown]
# ### The projections
# Where do queries, keys and values come from? From the vectors $X$, by three products with learned matrices, which are
# the same for every position:
#
# $$Q = X_q W_q + b_q, \qquad K = X_k W_k + b_k, \qquad V = X_v W_v + b_v$$
#
# In *self-attention* all three $X$ are one sequence. In a translation the queries come from the sentence that is being
# written, keys and values from the one that is read. Each $W$ is E x E: its columns for head $h$ define the queries,
# keys or values of *this* head. Without them a head would compare the entries of the vectors themselves, and a word
# could only look for words similar to itself.
#
# PyTorch keeps the three in one array of 3E rows, $W_q$'s above $W_k$'s above $W_v$'s, each in the layout that `linear`
# expects. Split it. Where query, key and value are the same tensor, one product with the whole array, which reads it
# once, may replace the three. `unbind(x, dim)`, given, splits along a dimension so that the gradients come back as one
# array.
#
# <details><summary>Hint 1</summary>They are the same tensor if <code>query is key and key is value</code>. Then
# <code>linear(query, weight, bias)</code> has 3E entries for each position: q's, then k's, then v's.</details>
# <details><summary>Hint 2</summary>To split these: <code>.unflatten(-1, (3, E))</code> and <code>unbind(..., 2)</code>,
# or <code>.chunk(3, -1)</code>.</details>
# <details><summary>Hint 3</summary>Otherwise <code>weight.chunk(3)</code> are the three weights, and
# <code>bias.chunk(3)</code> the biases, if there is one.</details>


# %% stub="projections"
#| export
def project(query, key, value, weight, bias=None):
    """Compute queries, keys and values, with the weights of all three in one array.

    Args:
        query: a Tensor (B, T, E).
        key, value: Tensors (B, S, E); they may be the query itself.
        weight: (3E, E), the weights of the queries, below them those of the keys, then those
            of the values, each (E, E) as for `linear`.
        bias: (3E,), in the same order, or None.

    Returns:
        q (B, T, E), k (B, S, E) and v (B, S, E).
    """
    ### BEGIN SOLUTION
    if query is key and key is value:
        packed = linear(query, weight, bias).unflatten(-1, (3, query.shape[-1]))
        return unbind(packed, 2)
    weights = weight.chunk(3)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return tuple(linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))
    ### END SOLUTION


# %% test="projections" points=5
def check_projections(query, key, value, weight, bias=None):
    """Three products in float64, from three parts of the weight."""
    inputs, parts = (query, key, value), np.split(weight.astype(float), 3)
    shifts = [0, 0, 0] if bias is None else np.split(bias, 3)
    wanted = [x @ W.T + b for x, W, b in zip(inputs, parts, shifts)]
    others = (weight,) if bias is None else (weight, bias)
    tensors = {id(x): wrap(x) for x in inputs}
    found = [*same(project, *(tensors[id(x)] for x in inputs), *map(wrap, others))]
    assert len(found) == 3, f"q, k and v are three Tensors, not {len(found)}"
    for name, projected, right in zip("qkv", found, wanted):
        check(
            projected, right, f"{name}, {'no' if bias is None else 'with a'} bias", query.dtype
        )


def test_each_of_three_tensors_has_its_weights():
    arrays = drawn((2, 3, 4), (2, 5, 4), (2, 5, 4), (12, 4), (12,), seed=20)
    check_projections(*arrays)
    check_projections(*arrays[:4])
    check_projections(*(x.astype(float) for x in arrays))
    check_projections(*drawn((2, 3, 4), (2, 3, 4), (2, 3, 4), (12, 4), seed=20))


def test_one_tensor_may_stand_for_all_three():
    x, weight, bias = drawn((2, 3, 4), (12, 4), (12,), seed=21)
    check_projections(x, x, x, weight, bias)
    check_projections(x, x, x, weight)


def test_keys_and_values_may_be_one_tensor_and_queries_another():
    x, y, weight, bias = drawn((2, 3, 4), (2, 5, 4), (12, 4), (12,), seed=22)
    check_projections(x, y, y, weight, bias)
    check_projections(x, x, drawn((2, 3, 4), seed=23)[0], weight, bias)


def test_inputs_and_weights_get_gradients():
    def by_numpy(x, y, weight, bias):
        q, k, v = np.split(weight, 3)
        return (x @ q.T + bias[:4]) * (y @ k.T + bias[4:8]) * (y @ v.T + bias[8:])

    def by_project(x, y, weight, bias):
        q, k, v = project(x, y, y, weight, bias)
        return q * k * v

    x, y, *others = drawn((1, 2, 4), (1, 2, 4), (12, 4), (12,), seed=24)
    check_gradients(by_project, by_numpy, x, y, *others)
    alike = lambda f: lambda x, *others: f(x, x, *others)
    check_gradients(alike(by_project), alike(by_numpy), x, *others)


# %% [markdown]
# ### All heads together
# Then every head attends separately, and the results are joined and mixed by one more learned matrix, since until then
# the heads are independent of each other:
#
# $$\mathrm{MultiHead}(Q, K, V) = \big[\mathrm{head}_1, \ldots, \mathrm{head}_H\big]\, W_o + b_o, \qquad \mathrm{head}_h = \mathrm{attention}(Q_h, K_h, V_h)$$
#
# The last layer is passed to you as `mix`, a function that you call. If the attention weights are wanted, to look at or
# to plot, `plain_attention` returns them; if they are not, the one operation needs less memory, and with many tokens
# less time.
#
# <details><summary>Hint 1</summary>Split all three, attend, join, mix.</details>
# <details><summary>Hint 2</summary>With <code>need_weights</code>: <code>plain_attention</code> returns output and
# weights. It drops out what <code>dropout_p</code> says, as the other does.</details>
# <details><summary>Hint 3</summary>Otherwise <code>scaled_dot_product_attention</code> has an argument for each of
# yours, and the weights are None.</details>


# %% stub="multi-head"
#| export
def multi_head_attention(
    q, k, v, num_heads, mix, mask=None, dropout_p=0.0, need_weights=True, is_causal=False
):
    """Let every head attend separately, join the results, and mix them.

    Args:
        q, k, v: projected queries (B, T, E), keys and values (B, S, E).
        num_heads: how many heads share the E entries.
        mix: the last layer, a function of the joined heads (B, T, E).
        mask: added to the scores, a Tensor that broadcasts to (B, H, T, S); or None.
        dropout_p: the probability that a weight is dropped.
        need_weights: whether the weights are wanted: then `plain_attention` attends, else the
            one operation.
        is_causal: the mask is the causal one; only with mask=None and need_weights=False.

    Returns:
        What `mix` returns, and the weights (B, H, T, S) or None.
    """
    ### BEGIN SOLUTION
    q, k, v = (split_heads(x, num_heads) for x in (q, k, v))
    if need_weights:
        output, weights = plain_attention(q, k, v, mask, dropout_p=dropout_p)
    else:
        output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        weights = None
    return mix(join_heads(output)), weights
    ### END SOLUTION


# %% test="multi-head" points=5
def heads_by_loops(q, k, v, num_heads, mask=None):
    """Each sentence and each head separately; masks are (B, H, T, S)."""
    d = q.shape[-1] // num_heads
    output, weights = np.zeros(q.shape), np.zeros((len(q), num_heads, q.shape[1], k.shape[1]))
    for b, h in np.ndindex(len(q), num_heads):
        part = slice(h * d, (h + 1) * d)
        m = None if mask is None else mask[b, h]
        parts = q[b, :, part], k[b, :, part], v[b, :, part]
        output[b, :, part], weights[b, h] = attention_by_loops(*parts, mask=m)
    return output, weights


def mixed_by(W):
    """A last layer with these weights, for Tensors."""
    return lambda joined: joined @ wrap(W.astype(numbers(joined).dtype))


def check_multi_head(*arrays, num_heads, options, mask=None, about=""):
    (W,) = drawn((arrays[0].shape[-1],) * 2, seed=30)
    wanted, wanted_weights = heads_by_loops(*arrays, num_heads, mask)
    call = lambda q, k, v: multi_head_attention(q, k, v, num_heads, mixed_by(W), **options)
    output, weights = same(call, *map(wrap, arrays))
    about = f"{about}num_heads={num_heads}: "
    if options.get("need_weights", True):
        check(weights, wanted_weights, f"{about}the weights")
    else:
        assert weights is None, f"weights that are not needed are None, not {weights}"
    check(output, wanted @ W, f"{about}heads joined and mixed", np.float32)


def test_every_head_attends_on_its_own():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=5)
    for num_heads in (1, 2, 4):
        check_multi_head(*arrays, num_heads=num_heads, options={})


def test_the_output_is_the_same_without_weights():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=6)
    for num_heads in (1, 2, 4):
        check_multi_head(*arrays, num_heads=num_heads, options={"need_weights": False})


def test_masks_reach_both_ways():
    arrays = drawn((2, 3, 4), (2, 3, 4), (2, 3, 4), seed=7)
    causal = np.where(np.tri(3, dtype=bool), 0, -np.inf).astype(np.float32)
    (each,) = drawn((2, 2, 3, 3), seed=8)  # another mask for each sentence and head
    each[1, 1] = each[1, 0]  # so that using the first head's differs from the first sentence's
    for mask in (causal, each, each[0]):
        for options in ({"mask": wrap(mask)}, {"mask": wrap(mask), "need_weights": False}):
            about = f"with {', '.join(options)} (mask of shape {mask.shape}): "
            whole = np.broadcast_to(mask, each.shape)
            check_multi_head(*arrays, num_heads=2, options=options, mask=whole, about=about)
    options = {"need_weights": False, "is_causal": True}
    whole = np.broadcast_to(causal, each.shape)
    check_multi_head(*arrays, num_heads=2, options=options, mask=whole, about="is_causal: ")


def test_a_query_that_may_look_at_nothing():
    q, k, v = map(wrap, drawn((1, 2, 4), (1, 3, 4), (1, 3, 4), seed=7))
    mask = wrap(np.float32([[0, 0, 0], [-np.inf, -np.inf, -np.inf]]))
    for need_weights, wanted in ((True, np.nan), (False, 0.0)):
        output, _ = multi_head_attention(
            q, k, v, 2, lambda joined: joined, mask, need_weights=need_weights
        )
        about = f"every key hidden, need_weights={need_weights}: {wanted}"
        check(output[0, 1], np.full(4, wanted), about)


def test_weights_are_dropped_both_ways():
    arrays = *drawn((1, 3, 65), (1, 64, 65), seed=8), telling_values(64)[None]
    whole, mix = heads_by_loops(*arrays, 1)[1][0, 0], lambda joined: joined
    for need_weights in (True, False):
        manual_seed(0)
        options = {"dropout_p": 0.1, "need_weights": need_weights}
        output, weights = multi_head_attention(*map(wrap, arrays), 1, mix, **options)
        weights = weights[0, 0] if need_weights else None
        check_dropped(output[0], weights, whole, f"need_weights={need_weights}, ")


def test_gradients_reach_what_was_projected():
    arrays, (W,) = drawn((1, 2, 4), (1, 4, 4), (1, 4, 4), seed=9), drawn((4, 4), seed=30)

    def by_loops(q, k, v, need):
        output, weights = heads_by_loops(q, k, v, 2)
        return output @ W + (weights[:, 0] if need else 0)

    def by_heads(q, k, v, need):
        output, weights = multi_head_attention(q, k, v, 2, mixed_by(W), need_weights=need)
        return output + weights[:, 0] if need else output

    for need in (True, False):
        about = "a loss that reads the weights too: " if need else "no weights: "
        given = lambda f, need=need: lambda *x: f(*x, need)
        check_gradients(given(by_heads), given(by_loops), *arrays, about=about)


# %% [markdown]
# `MultiheadAttention`, given, keeps the weights under PyTorch's names and calls your two functions; it also handles
# PyTorch's masks (in which True means what must *not* be seen) and learned extra keys.
#
# ### Looking at a head
#
# Train one layer on a task whose answer you know: output a sequence of digits backwards. Position $p$ has to look at
# position $T - 1 - p$. `attention_map`, also given, plots the weights.


# %%
#| export
from tinytorch.given.attention.multihead import *
from tinytorch.given.attention.drawing import *


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


for step in range(151):
    digits = randint(0, 10, (32, T))
    logits, _ = look(digits)
    loss = cross_entropy(logits.flatten(0, 1), digits.flip(1).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss:.3f}")


# %%
digits = randint(0, 10, (1, T))
logits, weights = look(digits)
print("given  ", digits[0].tolist())
print("answer ", logits.argmax(-1)[0].tolist())
attention_map(weights[0], [str(d) for d in digits[0].tolist()])


# %% [markdown]
# The weights lie on the anti-diagonal: the layer has learned by itself where to look.
#
# ## 5. Attention that never holds the matrix
#
# For 4,096 tokens the scores of one head are 67 MB, for 65,536 they are 17 GB. Do you need them all at once? The output
# of a query is a ratio of two sums over the keys, $\sum_s e^{x_s} v_s$ and $\sum_s e^{x_s}$, and sums can be computed
# block by block. Only the shift by the largest score, which keeps the exponentials from overflowing, seems to need all
# scores first.
#
# It does not. Shift by the largest score *so far*; when a larger one comes, multiply both sums by
# $e^{\text{old} - \text{new}}$, and they are as if they had been shifted by the new one from the start (Milakov and
# Gimelshein, 2018):
#
# ```
#  keys:      block 0         block 1         block 2
#             m, l, o   ->    m', l', o'  ->   m'', l'', o''         m: largest score so far
#                                                                    l: sum of exp(x - m)
#                                              answer: o'' / l''     o: sum of exp(x - m) v
# ```
#
# <details><summary>Hint 1</summary>The new largest, row by row, is the larger of the old one and the block's largest
# score. Keep the axis, so that it broadcasts.</details>
# <details><summary>Hint 2</summary>Two factors, both an exponential of a difference from the new largest: of the scores
# for the new keys, of the old largest for the old sums. Before the first block that is exp(-inf) = 0, as it should
# be.</details>
# <details><summary>Hint 3</summary>Multiply both sums by the second factor, then add the block's part: the sum of the
# weights along the keys, and the weights times the values.</details>


# %% stub="online-update"
#| export
def online_update(largest, total, sums, scores, values):
    """Update a softmax over the earlier keys with one more block; no argument is changed.

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


def check_online(scores, values, *cuts):
    wanted = softmax_then_mix(scores, values)
    with np.errstate(over="raise", invalid="raise"):
        found = online(scores, values, list(cuts))
    about = f"sums / total of {scores.shape[-1]} keys, cut at {list(cuts) or 'no place'}"
    np.testing.assert_allclose(found, wanted, 1e-10, err_msg=about)


def test_a_block_joins_the_keys_before_it():
    for dtype in (np.float32, np.float64):
        scores, values = drawn((2, 3), (3, 2), dtype=dtype)
        scores[1] -= 5  # all below the key before
        state = np.zeros((2, 1), dtype), np.ones((2, 1), dtype), np.ones((2, 2), dtype)
        found = same(online_update, *state, scores, values)
        scores, values = np.insert(scores, 0, 0, axis=1), np.insert(values, 0, 1, axis=0)
        largest = scores.max(-1, keepdims=True)
        exps = np.exp(scores - largest)
        wanted = largest, exps.sum(-1, keepdims=True), exps @ values
        for name, x, right in zip(("largest", "total", "sums"), found, wanted):
            check(
                x, right, f"{name} after a key of score 0 and value 1, then three more", dtype
            )


def test_blocks_give_what_all_keys_give():
    scores, values = drawn((4, 9), (9, 3), dtype=np.float64)
    for cuts in ([], [3], [1, 2, 7]):
        check_online(3 * scores, values, *cuts)
    check_online(scores[:1] - 3000, values, 3)


def test_a_larger_score_may_come_late():
    (values,) = drawn((4, 2), dtype=np.float64)
    check_online(np.array([[1.0, 2.0, 5.0, 800.0]]), values, 1, 2, 3)
    check_online(np.array([[800.0, 1.0, 2.0, 3.0]]), values, 1, 2, 3)


def test_each_query_has_its_own_largest_score():
    scores, values = drawn((3, 6), (6, 2), dtype=np.float64)
    scores += np.array([[0.0], [-3000.0], [900.0]])
    check_online(scores, values, 2, 4)
    state = np.full((3, 1), -np.inf), np.zeros((3, 1)), np.zeros((3, 2))
    largest = online_update(*state, scores, values)[0]
    check(largest, scores.max(-1, keepdims=True), "the largest score of each query")


def test_masked_keys_weigh_nothing():
    scores, values = drawn((3, 6), (6, 2), dtype=np.float64)
    scores[:, [1, 4, 5]] = -np.inf
    check_online(scores, values, 2)


def test_heads_are_updated_side_by_side():
    check_online(*drawn((2, 3, 4, 6), (2, 3, 6, 2), dtype=np.float64), 4)


# %% [markdown]
# Then come the loops, over blocks of queries and, for each, over blocks of keys. Three helpers are given:
# `blocks(length, size)` makes the slices, `visible(...)` leaves out the blocks of keys that are entirely in the future,
# `tile(...)` computes the scores of one pair of blocks.
#
# Backward needs the weights again, but they were not kept. It recomputes them, tile by tile: a weight is
# $e^{x - \mathrm{logsumexp}}$, and the logarithm of each row's sum is one number for each query. So keep $m + \ln l$
# along with the output (Dao et al., 2022).


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
# <details><summary>Hint 1</summary>For each block of queries: start with <code>largest = -inf</code>,
# <code>total = 0</code>, <code>sums = 0</code> of shapes (..., rows, 1), (..., rows, 1) and (..., rows, e); update for
# each visible block of keys; write <code>sums / total</code> into the output.</details>
# <details><summary>Hint 2</summary><code>tile(q, k, rows, columns, scale, is_causal)</code> gives the scores; the
# values of the block are <code>v[..., columns, :]</code>.</details>
# <details><summary>Hint 3</summary>Save <code>q, k, v, output, logsumexp</code>, in this order, and set
# <code>ctx.options = scale, is_causal, block_size</code>: the given backward reads them there.</details>


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
            The output (..., T, e), of q's type.

        Saves:
            q, k, v, the output, and the logarithm of each row's sum of exponentials,
            (..., T, 1), all of q's type; and in `ctx.options` scale, is_causal and block_size.
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
        """Recompute each tile of weights, exp(scores - logsumexp); add up the gradients."""
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


def check_blocked(*arrays, block_size, is_causal=False, scale=0.5, dtype=np.float32):
    q, k, v = (x.astype(dtype) for x in arrays)
    allowed = np.tri(q.shape[-2], k.shape[-2], dtype=bool) | (not is_causal)
    mask = np.where(allowed, 0, -np.inf)
    wanted = np.zeros((*q.shape[:-1], v.shape[-1]))
    for lead in np.ndindex(q.shape[:-2]):
        wanted[lead] = attention_by_loops(q[lead], k[lead], v[lead], scale, mask)[0]
    options = {"block_size": block_size, "is_causal": is_causal, "scale": scale}
    found = same(blocked, *map(wrap, (q, k, v)), **options)
    about = f"{q.shape[-2]} queries, {k.shape[-2]} keys, blocks of {block_size}"
    check(found, wanted, f"{about}, is_causal={is_causal}, scale={scale}", dtype)


def test_blocks_of_any_size_give_attention():
    for size in (1, 2, 3, 7, 100):
        check_blocked(*drawn((5, 4), (7, 4), (7, 3), seed=9), block_size=size)
        check_blocked(*drawn((9, 4), (4, 4), (4, 3), seed=9), block_size=size)


def test_blocks_respect_the_future():
    for size, T, S in ((1, 7, 7), (3, 7, 7), (7, 7, 7), (2, 3, 7), (2, 7, 3)):
        arrays = drawn((T, 4), (S, 4), (S, 3), seed=10)
        check_blocked(*arrays, block_size=size, is_causal=True)


def test_heads_types_and_scales():
    arrays = drawn((2, 3, 6, 4), (2, 3, 5, 4), (2, 3, 5, 7), seed=12, dtype=np.float64)
    check_blocked(*arrays, block_size=4, scale=0.1)
    check_blocked(*arrays, block_size=2, dtype=np.float64)
    ctx, options = Context(), {"scale": 0.1, "is_causal": False, "block_size": 4}
    BlockedAttention.forward(ctx, *(x.astype(np.float32) for x in arrays), **options)
    names, count = "q, k, v, output and logsumexp", len(ctx.saved_tensors)
    assert count == 5, f"for backward {names} are saved, five arrays, not {count}"
    found = getattr(ctx, "options", ())
    assert tuple(found) == (0.1, False, 4), f"ctx.options: (0.1, False, 4), not {found}"
    wanted = [*(x.shape for x in arrays), (2, 3, 6, 7), (2, 3, 6, 1)]
    found = [np.shape(x) for x in ctx.saved_tensors]
    assert found == wanted, f"for backward {names} are saved, of shapes {wanted}, not {found}"
    types = [str(x.dtype) for x in ctx.saved_tensors]
    assert set(types) == {"float32"}, f"what float32 inputs save is float32, not {types}"


def test_blocks_send_the_right_gradients_back():
    for is_causal, T in ((False, 5), (True, 5), (False, 7)):
        mask = np.where(np.tri(T, 5, dtype=bool) | (not is_causal), 0, -np.inf)
        check_gradients(
            lambda q, k, v, is_causal=is_causal: blocked(q, k, v, 2, is_causal),
            lambda q, k, v, mask=mask: attention_by_loops(q, k, v, 0.5, mask)[0],
            *drawn((T, 4), (5, 4), (5, 3), seed=11),
        )


def test_memory_does_not_grow_with_the_square():
    peaks = []
    for length in (512, 1024):
        arrays = drawn((length, 8), (length, 8), (length, 8))
        tracemalloc.start()
        blocked(*map(wrap, arrays), 64)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.5 * peaks[0], (
        f"twice the length took {peaks[1] / peaks[0]:.1f} times the memory"
    )
    assert peaks[1] < 1024 * 1024, (
        f"{peaks[1] / 1e6:.1f} MB for 1,024 positions: the whole matrix would be 4 MB"
    )
    for H, T, S, size, what in ((256, 2, 128, 2, "keys"), (4, 512, 32, 32, "queries")):
        arrays = drawn((H, T, 1), (H, S, 1), (H, S, 1))
        tracemalloc.start()
        blocked(*map(wrap, arrays), size)
        peak = tracemalloc.get_traced_memory()[1] // 100_000 * 100
        tracemalloc.stop()
        about = f"tiles of {size} x {size} in {H} heads: do blocks have {size} {what}?"
        assert peak < 200, f"{peak} kB or more for {about}"


def test_large_scores_survive():
    q, k, v = drawn((4, 4), (6, 4), (6, 3), seed=12)
    check_blocked(q, k, v, block_size=2, scale=500.0)
    check_blocked(1 + abs(q), -1 - abs(k), v, block_size=2, scale=50.0)  # all far below 0
    ctx, scores = Context(), 500.0 * q.astype(np.float64) @ k.astype(np.float64).T
    BlockedAttention.forward(ctx, q, k, v, scale=500.0, is_causal=False, block_size=2)
    largest = scores.max(axis=-1, keepdims=True)
    wanted = largest + np.log(np.exp(scores - largest).sum(axis=-1, keepdims=True))
    about = "scores of hundreds: the logarithm of the sum of exponentials, which is saved"
    check(wrap(ctx.saved_tensors[4]), wanted, about, np.float32)


# %%
#| export
from tinytorch.given.attention.blocked import *  # blocked_attention, the operation's function


# %% [markdown]
# ## Systems: what the matrix costs
#
# Measure one head of 64 numbers at 256, 1,024 and 4,096 tokens, forward and backward: the peak memory beyond the
# inputs.
#
# **Predict:** blocked attention computes each tile of weights twice, in a Python loop over a thousand pairs of blocks.
# How many times as long as the one operation does it take at 4,096 tokens? And how many times the memory of 1,024
# tokens does it need there?


# %%
predicted_blocked_time = None  # times as long as the one operation, 4,096 tokens
predicted_blocked_growth = None  # times the memory, 4,096 tokens over 1,024


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
lengths, peaks, last = (256, 1024, 4096), {}, {}
for name, way in ways.items():
    measured = [peak_megabytes(way, length) for length in lengths]
    peaks[name], last[name] = [peak for peak, _ in measured], measured[-1][1]
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
compare(predicted_blocked_time, last["blocked"] / last["one operation"], "times")
compare(predicted_blocked_growth, peaks["blocked"][2] / peaks["blocked"][1], "times")


# %% [markdown]
# Four times the tokens take nearly sixteen times the memory in the first two rows, more nearly the more tokens there
# are (13 times and then 15 times in the first row), and about four times in the third, where nearly all of it is arrays
# of T x d: the output, the gradients, and intermediate results. And how much do the *tiles* take? Forward alone makes
# nothing large but the output, so the rest is the tiles and the arrays of one block of queries:


# %%
for length in lengths:
    q, k, v = (randn(1, 1, length, 64) for _ in range(3))
    tracemalloc.start()
    output = blocked_attention(q, k, v)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    kept = length * (64 + 1) * 4 / 1e6  # the output, and the logarithm of each row's sum
    print(f"{length:5} tokens: {peak:5.2f} MB, of which {peak - kept:5.2f} MB are tiles")


# %% [markdown]
# And time? Compare the milliseconds above. Each tile is computed twice, once forward and once backward, in a Python
# loop of a thousand pairs of blocks at 4,096 tokens; against the cost of the loop stands the advantage of tiles that
# stay in the processor's cache.
#
# ## 6. Before attention: recurrence
#
# Before 2017 a sentence was read one word at a time, with a state that carries what has been read. In a plain network
# it is $h' = \tanh(W_{ih} x + W_{hh} h + b)$, so the state is multiplied by $W_{hh}$ at every step, and so is its
# gradient on the way back. The long short-term memory keeps a second state $c$, which is changed by *addition*, and
# gates, numbers between 0 and 1, that decide what is forgotten ($f$), what is written ($i$) and what is shown ($o$):
#
# $$c' = \sigma(f) \circ c + \sigma(i) \circ \tanh(g), \qquad h' = \sigma(o) \circ \tanh(c')$$
#
# All four come from one sum, $x W_{ih}^\top + b_{ih} + h W_{hh}^\top + b_{hh}$: its first quarter is $i$, then come
# $f$, $g$ and $o$, as in PyTorch. The input's part can be computed for all steps beforehand and is passed to you as
# `gates`.
#
# <details><summary>Hint 1</summary><code>gates + linear(h, weight, bias)</code> has all four, side by side in the last
# dimension.</details>
# <details><summary>Hint 2</summary><code>.chunk(4, -1)</code> cuts it.</details>
# <details><summary>Hint 3</summary>First the new c, from the old one; then h from the new c.</details>


# %% stub="lstm-step"
#| export
def lstm_step(gates, h, c, weight, bias=None):
    """Take one step of a long short-term memory; no argument is changed.

    From Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000).

    Args:
        gates: what the input contributes to i, f, g and o, in this order, (B, 4H).
        h, c: the output and the memory of the previous step, (B, P) and (B, H). P is H, unless
            the network makes its output shorter after each step (PyTorch's proj_size).
        weight, bias: what h is multiplied with and shifted by, (4H, P) and (4H,) or None.

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


def lstm_by_numpy(gates, h, c, W, b=0):
    i, f, g, o = np.split(gates + h @ W.T + b, 4, axis=1)
    c = sigma(f) * c + sigma(i) * np.tanh(g)
    return sigma(o) * np.tanh(c), c


def check_lstm(*arrays):
    wanted, dtype = lstm_by_numpy(*arrays), arrays[0].dtype
    found = same(lstm_step, *map(wrap, arrays))
    about = "a bias" if len(arrays) == 5 else "no bias"
    check(found[1], wanted[1], f"c' with {about}: σ(f) c + σ(i) tanh(g)", dtype)
    check(found[0], wanted[0], f"h' with {about}: σ(o) tanh(c')", dtype)


def test_gates_forget_write_and_show():
    arrays = drawn((2, 20), (2, 5), (2, 5), (20, 5), (20,), seed=13)
    check_lstm(*arrays)
    check_lstm(*(x.astype(float) for x in arrays))


def test_an_lstm_without_a_bias():
    check_lstm(*drawn((2, 12), (2, 3), (2, 3), (12, 3), seed=14))


def test_an_output_that_is_shorter_than_the_memory():
    check_lstm(*drawn((2, 20), (2, 3), (2, 5), (20, 3), (20,), seed=14))


def test_an_lstm_hands_gradients_on():
    arrays = drawn((2, 8), (2, 2), (2, 2), (8, 2), (8,), seed=13)
    both = lambda step: lambda *x: step(*x)[0] + 2 * step(*x)[1]
    check_gradients(both(lstm_step), both(lstm_by_numpy), *arrays)


def test_memory_is_kept_where_nothing_is_forgotten():
    gates = np.float32([[-50, 50, 0, 50]])  # write nothing, keep all, show all
    h, c = lstm_step(wrap(gates), zeros(1, 1), tensor([[0.7]]), zeros(4, 1))
    found, wanted = np.array([h.item(), c.item()]), np.array([np.tanh(0.7), 0.7])
    check(found, wanted, "f open, i closed, o open: c stays 0.7, and h shows its tanh")


# %% [markdown]
# The gated recurrent unit needs only one state and two gates: $r$ decides how much of the past goes into the proposal
# $n$, and $z$ how much of the old state stays.
#
# $$n = \tanh(n_x + \sigma(r) \circ n_h), \qquad h' = (1 - \sigma(z)) \circ n + \sigma(z) \circ h$$
#
# Here $r$ and $z$ are sums of the input's part and the state's, in PyTorch's order r, z, n, while $n_x$ is the input's
# part of $n$ and $n_h$ the state's: $r$ multiplies only the state's part, so the two products must be kept apart.
#
# <details><summary>Hint 1</summary><code>chunk(3, -1)</code> cuts both in three: what the input gives, and what
# <code>linear</code> makes of <code>h</code>.</details>
# <details><summary>Hint 2</summary>The reset gate multiplies the state's part of the candidate, bias included, inside
# the tanh.</details>
# <details><summary>Hint 3</summary>The mean of the candidate and the old state, with weights 1 - z and z, is one
# product fewer if you write it as the candidate plus z times a difference.</details>


# %% stub="gru-step"
#| export
def gru_step(gates, h, weight, bias=None):
    """Take one step of a gated recurrent unit (Cho et al., 2014); no argument is changed.

    Args:
        gates: what the input contributes to r, z and n, in this order, (B, 3H).
        h: the state of the previous step, (B, H).
        weight, bias: what h is multiplied with and shifted by, (3H, H) and (3H,) or None.

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
def gru_by_numpy(gates, h, W, b=0):
    (r, z, n), (r_h, z_h, n_h) = np.split(gates, 3, axis=1), np.split(h @ W.T + b, 3, axis=1)
    proposal, z = np.tanh(n + sigma(r + r_h) * n_h), sigma(z + z_h)
    return (1 - z) * proposal + z * h


def check_gru(*arrays):
    wanted, found = gru_by_numpy(*arrays), same(gru_step, *map(wrap, arrays))
    bias = "a bias" if len(arrays) == 4 else "no bias"
    about = f"with {bias}: (1 - σ(z)) n + σ(z) h, where n is tanh(n_x + σ(r) n_h)"
    check(found, wanted, about, arrays[0].dtype)


def test_gates_reset_and_update():
    arrays = drawn((2, 15), (2, 5), (15, 5), (15,), seed=15)
    check_gru(*arrays)
    check_gru(*(x.astype(float) for x in arrays))


def test_a_gru_without_a_bias():
    check_gru(*drawn((2, 9), (2, 3), (9, 3), seed=16))


def test_a_closed_update_gate_keeps_the_state():
    for z, n, wanted in ((50.0, 3.0, 0.3), (-50.0, 0.5, np.tanh(0.5))):
        h = gru_step(tensor([[0.0, z, n]]), tensor([[0.3]]), zeros(3, 1))
        check(h, np.array([[wanted]]), f"z = σ({z}), state 0.3, proposal tanh({n})")


def test_a_gru_hands_gradients_on():
    arrays = drawn((2, 6), (2, 2), (6, 2), (6,), seed=17)
    check_gradients(gru_step, gru_by_numpy, *arrays)


# %%
#| export
from tinytorch.given.attention.cells import *  # RNNCell, LSTMCell, GRUCell: one step
from tinytorch.given.attention.packed import *  # batches of sequences of different lengths
from tinytorch.given.attention.recurrent import *  # RNN, LSTM, GRU: whole sequences


# %% [markdown]
# ### Fifty steps back
# Both steps run inside `RNN`, `LSTM` and `GRU`, given, which go over whole sequences. Read fifty random vectors, take
# the last output, and ask with a gradient how much it still depends on each of the fifty. Four networks: the plain one,
# an LSTM and a GRU as initialised, and an LSTM whose forget gates begin open: with 4 added to their bias,
# $\sigma(4) = 0.98$ of $c$ is kept.
#
# **Predict:** how large is the first step's gradient, divided by the last step's, in the LSTM as it is initialised? And
# with open gates?


# %%
predicted_lstm = None  # first step's gradient over the last's, such as 1e-3
predicted_open = None  # the same, with open gates


# %%
def opened(lstm, by=4.0):
    """An LSTM whose forget gates, the second quarter of the gates, begin open."""
    with no_grad():
        lstm.bias_hh_l0[lstm.hidden_size : 2 * lstm.hidden_size] += by
    return lstm


networks = {
    "RNN": lambda width: RNN(width, 32),
    "LSTM": lambda width: LSTM(width, 32),
    "GRU": lambda width: GRU(width, 32),
    "LSTM, gates open": lambda width: opened(LSTM(width, 32)),
}
plt.figure(figsize=(6, 3))
ratios = {}
for name, make in networks.items():
    manual_seed(0)
    network, x = make(8), randn(50, 1, 8, requires_grad=True)
    outputs, _ = network(x)
    outputs[-1].backward(randn(1, 32))
    slopes = x.grad.norm(dim=(1, 2)).numpy()
    plt.semilogy(range(50, 0, -1), slopes, label=name)
    ratios[name] = slopes[0] / slopes[-1]
    print(f"{name:16} first step's gradient over the last's: {ratios[name]:.0e}")
plt.gca().invert_xaxis()
plt.xlabel("steps before the output")
plt.ylabel("gradient")
plt.legend(fontsize=8)
plt.show()
compare(predicted_lstm, ratios["LSTM"])
compare(predicted_open, ratios["LSTM, gates open"])


# %% [markdown]
# After fifty steps the plain network's gradient has vanished: the first word has no influence on what is learned. (With
# larger weights it explodes.) The gates alone do not help either, as long as they begin half closed, because $0.5^{50}$
# is practically 0. With open gates the sum is passed on, and the gradient with it. Is that enough to learn? Here is a
# task: at the end of 35 tokens, name the first one. Guessing costs $\ln 4 = 1.39$.


# %%
def remembers(make, steps=90, length=35):
    """The final loss of a network that learns to name the first of 35 tokens."""
    manual_seed(0)
    tokens, network, head = Embedding(4, 16), make(16), Linear(32, 4)
    parts = (tokens, network, head)
    optimizer = Adam([p for part in parts for p in part.parameters()], lr=0.02)
    losses = []
    for _ in range(steps):
        ids = randint(0, 4, (length, 32))
        loss = cross_entropy(head(network(tokens(ids))[0][-1]), ids[0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-10:]) / 10


for name in ("RNN", "LSTM, gates open"):
    print(f"{name:16} loss of the last ten steps: {remembers(networks[name]):.2f}")


# %% [markdown]
# One still guesses, the other is learning to remember. Attention still has two advantages: a state has to be computed
# step after step, with T products of a small matrix, while attention computes all positions at once. And two words that
# are $n$ apart are $n$ steps apart in a recurrent network, but one step in attention.
#
# ## Break it
#
# **Without $1/\sqrt d$.** What share of the weight does the best key get, on average, as the vectors get longer? (The
# vectors are random: no key should win.)
#
# **Predict:** 64 keys would share the weight equally at 0.016 each. How large is the largest weight for d = 64 without
# the scale?


# %%
predicted_largest = None  # a weight between 0 and 1


# %%
manual_seed(0)
unscaled = {}
for d in (4, 64, 1024):
    q, k = randn(64, d), randn(64, d)
    scaled, raw = (softmax(q @ k.T * scale, -1) for scale in (1 / math.sqrt(d), 1.0))
    slope = [float((w * (1 - w)).mean()) for w in (scaled, raw)]
    unscaled[d] = float(raw.amax(1).mean())
    print(
        f"d = {d:4}: largest weight {float(scaled.amax(1).mean()):.2f} scaled, "
        f"{unscaled[d]:.2f} not; "
        f"slope of softmax {slope[0]:.4f} and {slope[1]:.4f}"
    )
compare(predicted_largest, unscaled[64])


# %% [markdown]
# The longer the vectors, the more the unscaled softmax is saturated before training begins, and where it is saturated
# its slope is nearly zero: little gradient comes back to change it. The scaled one stays about the same at every
# length.
#
# **No causal mask.** A model that should predict the next token, but can see it, learns to copy it: the loss falls to
# nearly zero, and the model writes nonsense. To test for it, change the future, and see whether the past changes.


# %%
x = randn(1, 6, 8)
changed = x.clone()
changed[:, 4:] = 0.0
for name, is_causal in (("without a mask", False), ("causal", True)):
    before, after = (
        scaled_dot_product_attention(y, y, y, is_causal=is_causal) for y in (x, changed)
    )
    moved = [t for t in range(4) if not before[0, t].allclose(after[0, t])]
    print(f"{name:15} positions before the change that differ: {moved}")


# %% [markdown]
# **A mask the wrong way round.** `scaled_dot_product_attention` takes True for "may look", `MultiheadAttention` for
# "must not". Exchange them and nothing crashes.
#
# ## In PyTorch
#
# ```python
# y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)   # fused: never holds T x S
# layer = torch.nn.MultiheadAttention(512, 8, batch_first=True)
# y, weights = layer(x, x, x, need_weights=True, average_attn_weights=False)
# mine = tinytorch.nn.MultiheadAttention(512, 8, batch_first=True)                  # yours: the names are the same
# mine.load_state_dict({name: tinytorch.tensor(w.numpy()) for name, w in layer.state_dict().items()})
# y, (h, c) = torch.nn.LSTM(64, 128, num_layers=2, batch_first=True)(x)
# ```
#
# On a GPU PyTorch chooses between several kernels. The fused ones are the blocked one, with tiles in the fast memory of
# one multiprocessor; you will write such a kernel in module 17b. Where none of them fits, it falls back to the plain
# formula.
#
# ## Questions to think about
#
# 1. Attention without positions: exchange two keys and their values. What changes in the output? And if you exchange
#    two queries?
#
#    <details><summary>Answer</summary>
#
#    Exchanging two keys with their values changes nothing but rounding: each output is a sum over the keys, and a sum
#    has no order. Exchanging two queries exchanges the same two rows of the output. So attention without positions sees
#    a *set* of vectors: in "dog bites man" every word gets exactly the mixture that it gets in "man bites dog". The
#    order has to be in the vectors, which is what the positions of module 11 are for. A causal mask is an exception:
#    there the number of keys that a query sees depends on its place.
#
#    ```python
#    q, k, v = (randn(5, 8) for _ in range(3))
#    order, output = [0, 3, 2, 1, 4], plain_attention(q, k, v)[0]
#    print((plain_attention(q, k[order], v[order])[0] - output).abs().max())
#    print((plain_attention(q[order], k, v)[0] - output[order]).abs().max())
#    ```
#
#    </details>
#
# 2. Backward of blocked attention computes each tile again. Count the products of both ways: how much more arithmetic
#    is it, and why can it still be faster?
#
#    <details><summary>Answer</summary>
#
#    The one operation makes two products in forward ($QK^\top$, $PV$) and four in backward (for $dV$, $dP$, $dQ$,
#    $dK$): six, of $2\,TSd$ operations each where d = e. The blocked one makes $QK^\top$ once more: seven, 17 % more,
#    and as many exponentials again. It can still be faster because arithmetic is not all. At 4,096 tokens the matrix
#    has 67 MB, and each step (mask, softmax, products, gradient) reads or writes all of it in main memory. A tile of
#    blocks of 128 has 64 kB, and stays in the cache from its product to its last use. In the table of *Systems* the two
#    times were nearly equal here, in spite of the loop in Python.
#
#    </details>
#
# 3. With grouped heads, eight queries' heads share one head of keys. What becomes smaller by eight: parameters,
#    arithmetic, or what has to be kept in memory while a text is continued?
#
#    <details><summary>Answer</summary>
#
#    What is kept: the keys and values of all earlier positions, exactly eight times less. With 32 layers, 32 heads of
#    128 numbers, 4,096 tokens and two bytes a number they are $2 \cdot 32 \cdot 4096 \cdot 4096 \cdot 2$ bytes = 2.1
#    GB, and with four heads of keys and values 0.27 GB. The parameters shrink less: $W_k$ and $W_v$ by eight, $W_q$ and
#    $W_o$ not, from $4\, E^2$ to $2.25\, E^2$. The products of queries with keys and of weights with values stay the
#    same, since each query's head still computes its own scores; they only read less memory.
#
#    </details>
#
# 4. In an LSTM that never forgets (f = 1), what is the derivative of c after a hundred steps with respect to c at the
#    start? And in a plain network?
#
#    <details><summary>Answer</summary>
#
#    Along the path of $c$ itself it is 1: each step adds $\sigma(i) \tanh(g)$ to $c$, and the derivative of a sum with
#    respect to one of its terms is 1, a hundred times. (The gates see $h$, and so $c$, through `weight`; these paths
#    come in addition, and below `weight` is 0.) In a plain network each step multiplies by $W_{hh}$ and by the slope of
#    tanh, at most 1. If a step scales by 0.9, a hundred steps leave $0.9^{100} = 3 \cdot 10^{-5}$; with 1.1 they make
#    14,000.
#
#    ```python
#    start = tensor([[0.3]], requires_grad=True)
#    h, c = zeros(1, 1), start
#    for _ in range(100):
#        h, c = lstm_step(tensor([[0.0, 50.0, 0.5, 0.0]]), h, c, zeros(4, 1))
#    c.backward()
#    print(c.item(), start.grad.item())
#    ```
#
#    </details>
#
# ## An open problem
#
# In a long text most of what a word needs is nearby. Write causal attention in which a query sees only itself and the
# 127 positions before it, forward and backward, from your blocks; there are no points for it. You are done when, at
# 4,096 tokens and d = 64, its output and its three gradients are those of `plain_attention` with such a mask, to 1e-4,
# and `peak_megabytes`, which also gives milliseconds, takes at most a quarter of the time of causal
# `blocked_attention`. Then count how many pairs of blocks each of them computes: is the gain what you expect?


# %%
local_attention = None  # your function of q, k, v, Tensors (..., T, d)


def test_local_attention_is_that_of_a_banded_mask():
    rows, columns = np.ogrid[:300, :300]
    mask = wrap(additive_mask((columns <= rows) & (rows - columns < 128), np.float32))
    arrays = np.random.default_rng(0).standard_normal((4, 300, 16), dtype=np.float32)
    found = []
    for attention in (local_attention, lambda *x: plain_attention(*x, mask)[0]):
        leaves = [wrap(x.copy()).requires_grad_() for x in arrays[:3]]
        output = attention(*leaves)
        output.backward(wrap(arrays[3]))
        found.append([output.detach(), *(leaf.grad for leaf in leaves)])
    for name, mine, wanted in zip(("output", "dq", "dk", "dv"), *found):
        np.testing.assert_allclose(mine.numpy(), wanted.numpy(), atol=1e-4, err_msg=name)


if local_attention is not None:
    test_local_attention_is_that_of_a_banded_mask()


# %% [markdown]
# ## To read
#
# - D. Bahdanau, K. Cho and Y. Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", 2014,
#   sections 3 and 5: attention on top of a recurrent network, with heat maps.
# - A. Vaswani and others, "Attention Is All You Need", 2017, section 3.2: the formula, the scale and the heads.
# - M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018, section 3: the proof of your
#   `online_update`.
# - T. Dao and others, "FlashAttention", 2022, section 3: blocks, and a count of what is read from memory.
# - S. Hochreiter and J. Schmidhuber, "Long Short-Term Memory", 1997, sections 3 and 4: why gradients vanish, and the
#   path that keeps them.
#
# ## What comes next
#
# Attention and a small network for each position, stacked, with normalisation in between: that is a transformer, and
# module 13 trains one.
