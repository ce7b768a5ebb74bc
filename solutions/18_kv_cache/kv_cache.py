# %% [markdown]
# # 18 The KV cache
#
# Your GPT writes one token, appends it, and then reads the whole text again, from the first token, to write the next
# one. Everything it computes about the earlier tokens it already computed one step before. This module keeps the
# results: the keys and values of every layer go into memory that is allocated once, and a step then computes one
# position, however long the text is. Programs that serve language models do this, and the size of this memory limits
# how many users they can serve.
#
# When you are done you will be able to
#
# - say which numbers inside a transformer can be kept, and why;
# - write a cache whose memory is allocated once, and attention over it for a whole batch in two products;
# - compute the bytes of a cache for GPT-2 and Llama, and say what grouped heads save;
# - continue prompts of different lengths together, without padding;
# - say what happens when the text is longer than the model's window, and choose how to handle it;
# - keep a sliding window in a ring of slots, whose bytes do not grow;
# - guess several tokens from the text itself, and have them verified in one pass;
# - show that a cached model writes the same tokens as an uncached one, and how its time grows.
#
# ## Where it stands
#
# | here | elsewhere | differs in |
# |---|---|---|
# | `KVCache` | `StaticCache` in Hugging Face's transformers | ours restarts by itself when it is full; PyTorch itself has no cache |
# | `model.generate(..., use_cache=True)` | the same argument in transformers | off by default here |
# | `generate_with_lookup` | `generate(..., prompt_lookup_num_tokens=10)` in transformers | ours is greedy, and for one text only |
# | `RingCache` | Mistral's rolling buffer, `StaticSlidingWindowLayer` in transformers | the latter moves its slots |
# | `attend_one` | what `torch.nn.functional.scaled_dot_product_attention(..., enable_gqa=True)` does for one query | |

# %%
#| export
import math

import numpy as np

from tinytorch.attention import causal_mask, scaled_dot_product_attention, softmax_rows
from tinytorch.autograd import no_grad
from tinytorch.given.kv_cache.checks import *
from tinytorch.tensor import float32, int8, wrap
from tinytorch.transformer import next_token

# %%
import contextlib
import copy
import functools
import sys
import time

import matplotlib.pyplot as plt
import pytest

from tinytorch.given.kv_cache.drawing import draw_times, draw_windows
from tinytorch.given.predictions import compare
from tinytorch.given.transformer.model_file import question_tokens, smollm2_file
from tinytorch.profiling import measure_latency
from tinytorch.optimizers import AdamW
from tinytorch.tensor import Generator, float16, float64, from_numpy, manual_seed, tensor
from tinytorch.tokenizer import BPETokenizer
from tinytorch.transformer import GPT, GPTConfig, generate, next_token_loss


def drawn(*shapes, seed=0, dtype=np.float32):
    """Random arrays of these shapes."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


# %% [markdown]
# ## 1. What is computed again and again
#
# The smallest example: run a GPT on a text of five tokens, then on the same text with a sixth. Look at the keys that
# the second layer computes.


# %%
def keys_of_layer(model, idx, number):
    """The keys (T, C) that one layer makes of the tokens idx (1, T)."""
    caught, layer = [], model.transformer.h[number].attn.c_attn
    hook = layer.register_forward_hook(lambda module, inputs, output: caught.append(output))
    with no_grad():
        model.hidden(idx)
    hook.remove()
    return np.split(caught[0].numpy()[0], 3, axis=-1)[1]


manual_seed(0)
example = GPT(GPTConfig(50, 32, n_layer=2, n_head=2, n_embd=16, dropout=0.0))
text = tensor([[3, 1, 4, 1, 5, 9]])
five, six = keys_of_layer(example, text[:, :5], 1), keys_of_layer(example, text, 1)
print("keys of five tokens, of six:", five.shape, six.shape)
print("largest difference in the first five rows:", np.abs(five - six[:5]).max())

# %% [markdown]
# They are the same numbers, up to the last digit. This is a second benefit of the causal mask: in every layer a
# position sees only itself and what is before it, so nothing that comes later can change what has been computed for it.
# From each earlier position, the new token needs only two things in each layer: its key and its value. Its query is not
# needed: it was used when the position itself looked back. The output of the MLP is not needed either: the next layer's
# keys and values already contain it. Hence the name, *KV cache*.
#
# ```
#                     step 6 without a cache             step 6 with a cache
#
#   tokens            3  1  4  1  5 [9]                              [9]
#   queries           q1 q2 q3 q4 q5 q6                               q6
#   keys, values      kv kv kv kv kv kv       kept: kv kv kv kv kv  + kv      one new slot
#   scores            6 x 6                                        1 x 6
#   hidden, MLP       6 positions                                  1 position
# ```
#
# For a text of n tokens, 1 + 2 + ... + n = n(n + 1)/2 positions go through the network without a cache, and n with one.
#
# ## 2. What it costs: memory
#
# The price is memory. How much? You saw that each layer keeps a key and a value of every position, for each head. Count
# the *heads of the keys and values*: in GPT-2 these are as many as the queries', but in Llama 2 70B and Llama 3 70B
# eight queries' heads (of 64) share one, in Llama 3 8B four (of 32): *grouped heads* (Ainslie et al., 2023), the
# `enable_gqa` of module 12.
#
# And not every layer keeps every position. In Mistral 7B (Jiang et al., 2023) a position attends only to itself and the
# 4,095 before it, a *sliding window* of 4,096, so that no layer ever needs more. In Gemma 2 every other layer has such
# a window, and the rest see the whole text. Derive the bytes from this.
#
# <details><summary>Hint 1</summary>Begin with one layer, one head and one position: how many numbers are kept, and of
# how many bytes each? Then multiply by what there is more than one of.</details>
# <details><summary>Hint 2</summary>Without a window every layer keeps the same number of positions. With one there are
# two kinds of layers: add up the positions of all layers first.</details>
# <details><summary>Hint 3</summary>How many positions does a layer with a window of 5 keep of a text of 3, and of one
# of 9? How many layers of either kind are there?</details>


# %% stub="cache-bytes"
#| export
def cache_bytes(
    num_layers,
    num_heads,
    head_size,
    length,
    batch_size=1,
    dtype=float32,
    window=None,
    full_layers=0,
):
    """Count the bytes of the keys and values of a text.

    Args:
        num_layers: how many layers there are.
        num_heads: the heads of the keys and values in each layer; with grouped heads these
            are fewer than the queries'.
        head_size: the numbers of one key, and of one value.
        length: the positions of the text.
        batch_size: how many texts there are.
        dtype: the type of a number, such as float16; its `itemsize` is its bytes.
        window: how many positions a layer keeps at most, 1 or more; None keeps all.
        full_layers: how many of the layers keep all positions, whatever the window is.

    Returns:
        An int.

    >>> cache_bytes(1, 1, 4, 10)
    320
    >>> cache_bytes(2, 1, 4, 10, window=5, full_layers=1)
    480
    """
    ### BEGIN SOLUTION
    kept = length if window is None else min(length, window)
    positions = full_layers * length + (num_layers - full_layers) * kept
    return 2 * positions * num_heads * head_size * batch_size * dtype.itemsize
    ### END SOLUTION


# %% test="cache-bytes" points=4
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


def test_bytes_are_those_of_arrays():
    for L, H, d, S, B in [(1, 1, 1, 1, 1), (3, 2, 5, 7, 4), (2, 6, 3, 9, 1)]:
        wanted = sum(2 * np.zeros((B, H, S, d)).nbytes for layer in range(L))
        found = cache_bytes(L, H, d, S, batch_size=B, dtype=float64)
        assert found == wanted, (
            f"{L} layers, {H} heads of {d}, {S} positions, batch {B}, float64: "
            f"{wanted} bytes are wanted, not {found}"
        )


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


# %% [markdown]
# Here are the numbers for well-known models. The first column is the memory that each token of a conversation occupies
# for as long as the conversation lasts; the last, how many texts of full length fit into 80 GB together, not counting
# the weights.


# %%
print(f"{'':34}{'a token':>9} {'a full text':>12}   in 80 GB")
for name, L, H, d, S, dtype, window in [
    ("GPT-2 small, float32", 12, 12, 64, 1024, float32, {}),
    ("GPT-2 XL, float32", 48, 25, 64, 1024, float32, {}),
    ("Llama 2 7B, float16", 32, 32, 128, 4096, float16, {}),
    ("Llama 2 70B, if it had 64 heads", 80, 64, 128, 4096, float16, {}),
    ("Llama 2 70B, as it is: 8 heads", 80, 8, 128, 4096, float16, {}),
    ("Llama 3 8B, 8 heads", 32, 8, 128, 8192, float16, {}),
    ("Mistral 7B, a window of 4,096", 32, 8, 128, 8192, float16, {"window": 4096}),
]:
    token, full = (cache_bytes(L, H, d, n, 1, dtype, **window) for n in (1, S))
    print(f"{name:34}{token / 2**10:6.0f} KiB {full / 2**20:8.0f} MiB {80e9 / full:9.0f}")

# %% [markdown]
# ## 3. Slots
#
# Memory is allocated once, for the longest expected text: `(B, H, max_length, d)` for the keys, and the same for the
# values. A number, `length`, says how many slots are filled. Writing copies into the next slots; reading returns a view
# of the filled ones:
#
# ```
#   max_length = 8        length = 5                   write one:  length = 6
#
#   k   [ k1 | k2 | k3 | k4 | k5 |    |    |    ]      [ k1 | k2 | k3 | k4 | k5 | k6 |    |    ]
#       \________ read() ________/                     \__________ read() __________/
# ```
#
# The obvious other way is to append: `k = cat([k, new], 2)`. It makes a new array and copies all of the old one into
# it, at every step and in every layer.
#
# Why are the heads before the positions? Then one head's keys are one block of memory, (S, d), and a product reads it
# from end to end. Why is there free space in every head, and not only at the end? So that no other head's keys have to
# move when a key is added.
#
# <details><summary>Hint 1</summary>The initial contents of the slots do not matter, because they are never read:
# <code>np.empty</code>. The dtype of NumPy is <code>dtype.numpy</code>.</details>
# <details><summary>Hint 2</summary>The next slots are those from the length to the length plus T, along the third
# dimension. Assign into them; then increase the length.</details>
# <details><summary>Hint 3</summary><code>read</code> returns the first <code>self.length</code> slots of both. A slice
# is a view; do not copy it.</details>


# %% stub="slots"
#| export
class LayerCache:
    """The keys and values of one attention layer, in memory that is allocated once.

    Attributes: `k` and `v`, arrays (batch_size, num_heads, max_length, head_size) of NumPy's
    type `dtype.numpy`; `length`, how many of their positions are filled.

    >>> layer = LayerCache(1, 1, 8, 2)
    >>> layer.write(np.float32([[[[1, 2]]]]), np.float32([[[[3, 4]]]]))
    >>> layer.length, layer.read()[1].tolist()
    (1, [[[[3.0, 4.0]]]])
    """

    def __init__(self, batch_size, num_heads, max_length, head_size, dtype=float32):
        self.length = 0
        ### BEGIN SOLUTION
        shape = (batch_size, num_heads, max_length, head_size)
        self.k, self.v = np.empty(shape, dtype.numpy), np.empty(shape, dtype.numpy)
        ### END SOLUTION

    def write(self, k, v):
        """Copy arrays k and v (B, H, T, d) into the next T slots, and increase `length`.

        Raises:
            ValueError: if they do not fit (`check_room` raises it).
        """
        check_room(self, k, v)
        ### BEGIN SOLUTION
        end = self.length + k.shape[2]
        self.k[:, :, self.length : end] = k
        self.v[:, :, self.length : end] = v
        self.length = end
        ### END SOLUTION

    def read(self):
        """Return all keys and values so far: two views (B, H, length, d)."""
        ### BEGIN SOLUTION
        return self.k[:, :, : self.length], self.v[:, :, : self.length]
        ### END SOLUTION

    def attend(self, q, k, v):
        """Add Tensors k, v (B, H, T, d); let q (B, H', T, d) attend to all. Section 5."""
        q, k, v = without_graph(q, k, v)
        start = self.length
        self.write(k, v)
        keys, values = (x.astype(q.dtype, copy=False) for x in self.read())
        return wrap(attend_new(q, keys, values, start))

    @property
    def nbytes(self):
        """The bytes of both arrays, filled or not."""
        return self.k.nbytes + self.v.nbytes


# %% test="slots" points=6
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


def test_what_is_written_is_read_in_order():
    layer = LayerCache(2, 3, 10, 4)
    k, v = drawn((2, 3, 9, 4), (2, 3, 9, 4), seed=1)
    kept = k.copy(), v.copy()
    done = 0
    for count in (3, 1, 1, 4):
        part = slice(done, done + count)
        layer.write(k[:, :, part], v[:, :, part])
        done += count
        assert layer.length == done, (
            f"after {done} positions length is {done}, not {layer.length}"
        )
        for name, found, wanted in zip(("keys", "values"), layer.read(), kept):
            assert found.shape == (2, 3, done, 4), (
                f"read: {name} of {done} positions, (2, 3, {done}, 4), not {found.shape}"
            )
            np.testing.assert_array_equal(
                found, wanted[:, :, :done], err_msg=f"{name} after {done} positions"
            )
    np.testing.assert_array_equal(k, kept[0], err_msg="the caller's keys must not change")
    np.testing.assert_array_equal(v, kept[1], err_msg="the caller's values must not change")


def test_what_was_handed_over_may_change_afterwards():
    for room in (5, 2):
        layer, (k, v) = LayerCache(1, 2, room, 3), drawn((1, 2, 2, 3), (1, 2, 2, 3))
        wanted = k.copy(), v.copy()
        layer.write(k, v)
        k[...], v[...] = 7, 8
        message = f"2 positions, {room} slots: write copies the numbers"
        for found, kept in zip(layer.read(), wanted):
            np.testing.assert_array_equal(found, kept, err_msg=message)


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


# %% [markdown]
# ## 4. One query, the whole batch
#
# A step asks for the attention of *one* new position for each sequence and each head: q is (B, H, 1, d), the keys are
# (B, H, S, d). No mask is needed: all S positions are earlier ones, or the position itself. Module 12's attention runs
# `attend` in a Python loop over B x H heads, so that a large tile stays in the processor's cache. Here a head's "tile"
# is one row of S numbers, and the loop costs more than the arithmetic. NumPy's `@` takes all leading dimensions at
# once: two products for the whole batch.
#
# Grouped heads fit in without a copy. If H heads of queries share G heads of keys, queries' heads 0 to H/G - 1 use the
# first head of the keys, the next H/G the second, and so on. There is only one new position, so the dimension of length
# 1 can hold the group:
#
# ```
#   q    (B, H, 1, d)   reshape   (B, G, H/G, d)       a group's queries as rows of one matrix
#   k    (B, G, S, d)             (B, G, S, d)
#   scores = q kᵀ / √d            (B, G, H/G, S)       then softmax over S, times v, and back to (B, H, 1, d)
# ```
#
# The keys of a group are then read once for all its queries. With G = H this is plain multi-head attention.
#
# <details><summary>Hint 1</summary><code>k.swapaxes(-1, -2)</code> is each head's transpose, as a view. Scale q rather
# than the scores: it has fewer numbers.</details>
# <details><summary>Hint 2</summary>Scale by <code>1 / math.sqrt(d)</code>, a Python float: <code>np.sqrt(d)</code> is a
# float64, and turns everything else into float64.</details>
# <details><summary>Hint 3</summary><code>softmax_rows</code> is made for a matrix, such as the view
# <code>scores.reshape(-1, S)</code>, and works in place. Which heads of queries form group 0 if 4 share 2 heads of
# keys? Neighbours: 0 and 1.</details>


# %% stub="attend-one"
#| export
def attend_one(q, k, v):
    """Let one position of each sequence attend to all, in two products for the whole batch.

    softmax(q kᵀ / √d) v

    Args:
        q: queries, an array (B, H, 1, d).
        k, v: keys and values, arrays (B, G, S, d), S at least 1; head h of the queries uses
            head h // (H / G) of these. G divides H.

    Returns:
        An array (B, H, 1, d), of their type.

    >>> attend_one(np.ones((1, 1, 1, 2)), np.zeros((1, 1, 2, 2)), np.ones((1, 1, 2, 2)))
    array([[[[1., 1.]]]])
    """
    ### BEGIN SOLUTION
    (B, H, _, d), (_, G, S, _) = q.shape, k.shape
    grouped = q.reshape(B, G, H // G, d) * (1 / math.sqrt(d))
    scores = grouped @ k.swapaxes(-1, -2)  # (B, G, H/G, S)
    weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
    return (weights @ v).reshape(q.shape)
    ### END SOLUTION


# %% test="attend-one" points=7
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


def test_one_query_attends_to_all():
    for B, H, S, d in [(1, 1, 1, 2), (1, 2, 5, 4), (3, 4, 7, 2), (2, 3, 6, 5)]:
        q, k, v = drawn((B, H, 1, d), (B, H, S, d), (B, H, S, d), seed=S)
        wanted = one_by_one(3 * q, k, v)
        found = attend_one(3 * q, k, v)
        shapes = f"q {q.shape}, k and v {k.shape}"
        assert found.shape == q.shape, f"{shapes}: {q.shape} is wanted, not {found.shape}"
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=shapes)


def test_groups_of_queries_share_a_head_of_keys():
    for H, G, S in [(4, 2, 5), (6, 2, 5), (6, 3, 2), (8, 1, 5), (6, 2, 1)]:
        q, k, v = drawn((2, H, 1, 4), (2, G, S, 4), (2, G, S, 4), seed=H + G)
        wanted = one_by_one(q, k, v)
        found = attend_one(q, k, v)
        assert found.shape == q.shape, f"{H} heads in {G} groups: {found.shape} came back"
        case = f"{H} heads of queries, {G} of keys, {S} positions"
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=case)


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


def test_views_of_a_cache_and_of_a_projection_will_do():
    packed, memory = drawn((2, 1, 3, 4, 8), (2, 2, 4, 16, 8), seed=5)
    q, (k, v) = packed[:, :, 0].swapaxes(1, 2), memory[:, :, :, :9]  # neither is contiguous
    wanted = one_by_one(q, k, v)
    found = attend_one(q, k, v)
    message = "q, k and v are views that are not contiguous"
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=message)


def test_large_scores_do_no_harm():
    q, k, v = drawn((1, 2, 1, 4), (1, 2, 5, 4), (1, 2, 5, 4), seed=6)
    wanted = one_by_one(1000 * q, k, v)
    with np.errstate(over="raise", invalid="raise"):
        found = attend_one(1000 * q, k, v)
    np.testing.assert_allclose(found, wanted, atol=1e-3, err_msg="scores of some thousands")


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


# %% [markdown]
# Time both, at the sizes of a GPT with 8 heads of 32 and 256 tokens: module 12's loop over heads, and yours.


# %%
def milliseconds(run, repeats=15):
    return measure_latency(run, 2, repeats).median * 1e3


print("batch   module 12's   yours")
for B in (1, 8):
    arrays = drawn((B, 8, 1, 32), (B, 8, 256, 32), (B, 8, 256, 32))
    with no_grad():
        loop = milliseconds(
            functools.partial(scaled_dot_product_attention, *map(wrap, arrays))
        )
    whole = milliseconds(functools.partial(attend_one, *arrays))
    print(f"{B:5} {loop:10.3f} ms {whole:6.3f} ms")

# %% [markdown]
# What do grouped heads save besides bytes? A step reads the keys and values of all positions, and does little with
# each, so its time should follow the bytes. Measure it: 16 heads of queries of 64 numbers, 2,048 positions, with G
# heads of keys and values.


# %%
print("heads of keys   a layer's cache   one step")
for G in (16, 8, 4, 2, 1):
    q, k, v = drawn((1, 16, 1, 64), (1, G, 2048, 64), (1, G, 2048, 64))
    step = functools.partial(attend_one, q, k, v)
    fastest = measure_latency(step, 2, 40, time.process_time).minimum * 1e3
    print(f"{G:13} {(k.nbytes + v.nbytes) / 2**20:13.1f} MiB {fastest:7.3f} ms")

# %% [markdown]
# The bytes halve from line to line, down to a sixteenth. The time falls by less, and not evenly; from 16 heads to 8 it
# may even rise. The softmax over 16 rows of scores costs the same in all lines, and BLAS computes a product with one
# row of queries by a different routine than one with several.

# %% [markdown]
# ## 5. Several new positions
#
# The prompt comes all at once (*prefill*), and a user's next message comes when many slots are filled already. Then T
# new positions attend to S = start + T keys. The mask is the triangle of module 12, moved to the right by `start`: new
# position number t is position start + t of the text.
#
# ```
#   start = 3, T = 3           key  0  1  2  3  4  5
#   query, position 3               x  x  x  x  .  .
#   query, position 4               x  x  x  x  x  .
#   query, position 5               x  x  x  x  x  x
# ```
#
# A common trap: `is_causal=True` means, in PyTorch as here, a triangle that begins at the upper *left*: query 0 sees
# only key 0. For one new token and 100 keys, that is attention to the first token of the text and to nothing else. You
# have to supply the offset yourself.
#
# <details><summary>Hint 1</summary>Two cases: if T is 1, call <code>attend_one</code>; otherwise there is a
# mask.</details>
# <details><summary>Hint 2</summary><code>causal_mask(rows, columns, dtype)</code> takes the positions as ranges: the
# rows are <code>range(start, start + T)</code>.</details>
# <details><summary>Hint 3</summary>Module 12's attention takes Tensors, for the mask too: <code>wrap</code> makes them
# from arrays. It needs <code>enable_gqa=True</code>; return the <code>.array</code> of its result.</details>


# %% stub="attend-new"
#| export
def attend_new(q, keys, values, start):
    """Let T new positions, from number `start` on, attend causally to all before them.

    One position has to go through `attend_one`; several may go through
    `scaled_dot_product_attention`.

    Args:
        q: the queries of the new positions, an array (B, H, T, d).
        keys, values: arrays (B, G, S, d) of all positions, S = start + T.
        start: how many positions there were before.

    Returns:
        An array (B, H, T, d) of their type.
    """
    ### BEGIN SOLUTION
    T, S = q.shape[2], keys.shape[2]
    if T == 1:
        return attend_one(q, keys, values)
    mask = causal_mask(range(start, S), range(S), q.dtype)
    output = scaled_dot_product_attention(*map(wrap, (q, keys, values, mask)), enable_gqa=True)
    return output.array
    ### END SOLUTION


# %% test="attend-new" points=5
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


def test_a_large_score_of_a_later_position_does_no_harm():
    seen = "what is before it, and itself"
    check_large_scores(lambda *qkv: attend_new(*qkv, 0), seen, [1, 2, 2, 2], [1, 1, 3, 3])


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


# %% [markdown]
# ## 6. A cache for the whole model
#
# A `GPT` takes a cache as its second argument, and the code given in module 13 uses three things of it: `cache.length`,
# the position at which the new tokens begin; `cache.layers[number]`, whose `attend` does a layer's attention; and,
# where `generate` calls `hidden_of`, `cache.unseen(window)`, the tokens that the model has not seen yet. Each layer
# needs its own `LayerCache`. `layer_cache` is given: it makes one of the requested type (section 10 adds int8).


# %%
#| export
def layer_cache(batch_size, num_heads, max_length, head_size, dtype):
    """The cache of one layer: a `LayerCache`, or for int8 an `Int8LayerCache`."""
    kind = Int8LayerCache if dtype is int8 else LayerCache
    return kind(batch_size, num_heads, max_length, head_size, dtype)


# %% [markdown]
# <details><summary>Hint 1</summary>A list with <code>num_layers</code> caches, created one by one:
# <code>[layer_cache(...)] * num_layers</code> would be the same cache many times.</details>
# <details><summary>Hint 2</summary>All layers have the same length. To begin a new text, no memory has to be cleared:
# set every layer's length to 0, and <code>window</code> to None.</details>
# <details><summary>Hint 3</summary>A model's sizes are in <code>model.config</code>: <code>n_layer</code>,
# <code>n_head</code>, and a head has <code>n_embd // n_head</code> numbers. Keys and values have <code>n_kv_head</code>
# heads, or as many as queries where that is None.</details>


# %% stub="kv-cache"
#| export
class KVCache:
    """The keys and values of every layer of a GPT, for `batch_size` texts side by side.

    Attributes: `layers`, a list of what `layer_cache` makes; `max_length`, the slots in each;
        `keep`, with how many tokens a full cache restarts, by default max_length; `window`,
        what `unseen` was given last of this text, or None.
    """

    def __init__(
        self,
        num_layers,
        batch_size,
        num_heads,
        max_length,
        head_size,
        dtype=float32,
        keep=None,
    ):
        self.max_length, self.keep = max_length, max_length if keep is None else keep
        check_window(self.max_length, self.keep)
        self.window = None
        ### BEGIN SOLUTION
        self.layers = [
            layer_cache(batch_size, num_heads, max_length, head_size, dtype)
            for _ in range(num_layers)
        ]
        ### END SOLUTION

    @classmethod
    def for_model(cls, model, batch_size, max_length=None, dtype=None, keep=None):
        """Make a cache that fits a GPT; by default as long as its window, and of its type."""
        config = model.config
        max_length = config.block_size if max_length is None else max_length
        dtype = model.transformer.ln_f.weight.dtype if dtype is None else dtype
        check_window(max_length, max_length if keep is None else keep, config.block_size)
        ### BEGIN SOLUTION
        head_size = config.n_embd // config.n_head
        heads = config.n_kv_head or config.n_head
        return cls(config.n_layer, batch_size, heads, max_length, head_size, dtype, keep)
        ### END SOLUTION

    @property
    def length(self):
        """How many tokens the model has seen: the position of the next one."""
        ### BEGIN SOLUTION
        return self.layers[0].length
        ### END SOLUTION

    def reset(self):
        """Forget the text and its window, and keep the memory."""
        ### BEGIN SOLUTION
        for layer in self.layers:
            layer.length = 0
        self.window = None
        ### END SOLUTION

    def unseen(self, window):
        """Return the tokens of the window (B, T) that the model has to see next. Section 7."""
        new = count_new(self.window, window.array, self.length, self.max_length)
        tokens, again = next_input(window, new, self.length, self.max_length, self.keep)
        if again:
            self.reset()
        self.window = window.array.copy()
        return tokens

    @property
    def nbytes(self):
        """The bytes of all layers."""
        return sum(layer.nbytes for layer in self.layers)


# %% test="kv-cache" points=5
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


def test_every_layer_has_a_cache_of_its_own():
    with own_layers():
        for dtype in (float16, int8):
            cache = KVCache(3, 2, 4, 10, 5, dtype)
            check_layers(cache, 3, (2, 4, 10, 5), dtype, f"KVCache(3, 2, 4, 10, 5, {dtype})")
        found = KVCache(3, 2, 4, 10, 5, keep=6).keep
        assert found == 6, f"KVCache(..., keep=6) has that keep, and not {found}"


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


# %% [markdown]
# The logits agree to four digits, not to the last bit: BLAS uses a different routine for a product with one row than
# for one with thirteen, and adds in a different order. The chosen token is the one with the largest logit, so it is the
# same unless two logits are that close.
#
# ## 7. The end of the window
#
# GPT-2's positions are a table with `block_size` rows. What happens when the text is longer? `generate` without a cache
# shows the model the last `block_size` tokens. At every step the window moves by one, so *every token gets a new
# position*: what was token 1 of the window is now token 0, with another row of the table added to it, and so with
# another key in every layer. Everything in the cache is stale.
#
# So a full cache has to restart. How many tokens it restarts with is a choice, `keep`:
#
# - `keep = max_length`: the whole window is processed again. The tokens are exactly those of `generate` without a
#   cache, and beyond the window so is the cost: every step is a prefill.
# - `keep = max_length // 2`: the last half of the window is processed again, and then there is room for as many cheap
#   steps. The model sees between half a window and a whole one. This is the text of an uncached loop *with the same
#   rule*, and that is what it is tested against.
#
# The default is the first: a cache should change no token. Write the rule, for a window that holds the last
# `block_size` tokens at most, the newest at its end. `new` of its tokens are not in the cache: one, while `generate` is
# writing; more, when a user's next message has been added to the text. (`count_new`, given, counts them by comparing
# the window with the previous one, and refuses a different text.)
#
# | the cache | the model sees | restarts |
# |---|---|---|
# | is empty | the window's last `max_length` tokens | no |
# | has room for all new tokens | the `new` tokens at the window's end | no |
# | has no room for them | the window's last `keep` tokens | yes |
#
# <details><summary>Hint 1</summary>Three cases, three lines; <code>length</code> and <code>new</code> decide.</details>
# <details><summary>Hint 2</summary>A slice from the end: <code>window[:, -keep:]</code> takes fewer where there are
# fewer.</details>
# <details><summary>Hint 3</summary>There is room if the length plus the new tokens is at most <code>max_length</code>:
# a cache of 8 positions that holds 7 takes one more.</details>


# %% stub="window"
#| export
def next_input(window, new, length, max_length, keep):
    """Choose what the model sees next, and whether its cache has to restart.

    Args:
        window: the last tokens of the texts, a Tensor (B, T); the newest is the last.
        new: how many tokens at the window's end are not in the cache, at least 1.
        length: how many positions the cache holds.
        max_length: how many it has room for.
        keep: with how many tokens a cache without room restarts.

    Returns:
        The tokens to show, a Tensor (B, n), and a bool.

    >>> next_input(tensor([[5, 6, 7, 8]]), 1, 4, 4, 2)
    (tensor([[7, 8]]), True)
    """
    ### BEGIN SOLUTION
    if length == 0:
        return window[:, -max_length:], False
    if length + new <= max_length:
        return window[:, -new:], False
    return window[:, -keep:], True
    ### END SOLUTION


# %% test="window" points=5
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


def test_a_cache_that_restarts_writes_what_a_loop_without_one_does():
    model = small(n_layer=2)
    for length, max_length, keep in [(3, 16, 8), (3, 16, 1), (20, 12, 5)]:
        idx = random_tokens(2, length, seed=keep)
        wanted = uncached(model, idx, 24, max_length, keep)
        cache = Remembered(model, max_length, keep)
        found = generate(model, idx, 24, temperature=0, cache=cache).tolist()
        differ = first_that_differs(found, wanted)
        assert not differ, f"{differ}\nmax_length {max_length}, keep {keep}"


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


# %% [markdown]
# The two rules, for a window of 16 and a prompt of 4: each row shows the tokens that this step's token is computed
# from. A mark at the left means that the cache restarts there: a prefill of the whole window at every step from 13 on,
# when the text has 17 tokens; or of half a window, at every ninth step.


# %%
def seen_by_steps(prompt, steps, max_length, keep):
    """For each step: the first and last + 1 token that it depends on; whether it restarts."""
    seen, length, start = [], 0, 0
    for end in range(prompt, prompt + steps):
        window = wrap(np.zeros((1, end)))
        tokens, again = next_input(window, end - start - length, length, max_length, keep)
        start = end - tokens.shape[1] if again or length == 0 else start
        length = end - start
        seen.append((start, end, again))
    return seen


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
draw_windows(left, seen_by_steps(4, 36, 16, 16), "keep = 16: exact")
draw_windows(right, seen_by_steps(4, 36, 16, 8), "keep = 8: half a window")
plt.show()

# %% [markdown]
# Two messages in a row, with one cache: the second `generate` shows the model only what is new, the last token that was
# drawn and the message. A text that does not continue the one in the cache is refused.


# %%
cache, shown = KVCache.for_model(example, 1), []
listening = example.transformer.wte.register_forward_hook(
    lambda module, inputs, output: shown.append(output.shape[1])
)
answer = generate(example, text, 4, temperature=0, cache=cache)
more = tensor(np.concatenate([answer, [[7, 7, 7]]], 1))
twice = generate(example, more, 4, temperature=0, cache=cache)
listening.remove()
print("tokens shown at each step:", shown)
print(
    "as without a cache:", twice.tolist() == generate(example, more, 4, temperature=0).tolist()
)
try:
    generate(example, tensor([[8, 8, 8]]), 4, cache=cache)
except ValueError as error:
    print(error)

# %% [markdown]
# ## 8. A ring of slots
#
# A layer with a sliding window of R positions needs R slots, however long the text is: position p attends to p - R + 1
# to p, and goes into slot p % R, in place of position p - R, which no later position will see.
#
# ```
#   R = 4            slot     0    1    2    3
#   length 3                [ 0  | 1  | 2  |    ]       the numbers are positions
#   length 4                [ 0  | 1  | 2  | 3  ]
#   length 6                [ 4  | 5  | 2  | 3  ]       0 and 1 are gone; nothing moved, nothing restarts
# ```
#
# The slots are not in the order of the text. For one new position that does not matter: attention is a sum over keys,
# and a sum has no order. For several it does: which slots a query may see depends on their positions, so a ring has to
# tell which position each slot holds.
#
# The positions given to the model are still those in the whole text: rotary positions (module 11) have no end, a
# learned table ends with its last row.
#
# <details><summary>Hint 1</summary>The new positions are <code>length</code> to <code>length + T - 1</code>, and an
# array of them modulo R is an array of slots, by which you can index. If T is larger than R, several positions have
# the same slot: which of them must be left in it?</details>
# <details><summary>Hint 2</summary>For <code>positions</code>: the newest position is <code>length - 1</code>. How many
# positions ago was a slot written, and why is that less than R?</details>
# <details><summary>Hint 3</summary>Going backwards from the newest, slots follow each other backwards too: the slot of
# position <code>last - i</code> is <code>(last - i) % R</code>. So slot s was written <code>(last - s) % R</code>
# positions ago.</details>


# %% stub="ring"
#| export
class RingCache(LayerCache):
    """A layer's keys and values of the last `max_length` positions: p in slot p % max_length.

    Attributes: those of `LayerCache`; `length` counts all positions that were written, also
    those whose slot has another by now.

    >>> layer = RingCache(1, 1, 2, 1)
    >>> x = np.float32([5, 6, 7]).reshape(1, 1, 3, 1)
    >>> layer.write(x, x)
    >>> layer.length, layer.positions().tolist(), layer.read()[0].ravel().tolist()
    (3, [2, 1], [7.0, 6.0])
    """

    def write(self, k, v):
        """Copy arrays k, v (B, H, T, d) of the next T positions into their slots, for any T.

        Raises:
            ValueError: if they have other sizes than the slots (`check_heads` raises it).
        """
        check_heads(self, k, v)
        T, R = k.shape[2], self.k.shape[2]
        ### BEGIN SOLUTION
        new = np.arange(max(0, T - R), T)  # none that another of them overwrites
        slots = (self.length + new) % R
        self.k[:, :, slots] = k[:, :, new]
        self.v[:, :, slots] = v[:, :, new]
        self.length += T
        ### END SOLUTION

    def positions(self):
        """Return the position in each filled slot: a new integer array (min(length, R),)."""
        R = self.k.shape[2]
        ### BEGIN SOLUTION
        slots, last = np.arange(min(self.length, R)), self.length - 1
        return last - (last - slots) % R
        ### END SOLUTION

    def read(self):
        """Return the filled slots, in their own order: two views (B, H, min(length, R), d)."""
        filled = min(self.length, self.k.shape[2])
        return self.k[:, :, :filled], self.v[:, :, :filled]

    def attend(self, q, k, v):
        """As `LayerCache.attend`, but each position sees the R last ones, itself included."""
        return wrap(attend_ring(self, *without_graph(q, k, v)))


# %% test="ring" points=6
def held_by(layer, case):
    """The positions that a ring says it holds, as a list."""
    found = layer.positions()
    is_array = isinstance(found, np.ndarray)
    kind = f"an array of {found.dtype}" if is_array else f"a {type(found).__name__}"
    whole = is_array and found.dtype.kind in "iu"
    assert whole, f"{case}: positions should return an array of integers, not {kind}"
    return found.tolist()


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


def test_a_ring_keeps_its_type_and_nothing_of_the_callers():
    layer, (k, v) = RingCache(1, 1, 3, 2, float16), drawn((1, 1, 4, 2), (1, 1, 4, 2))
    before, wanted = (k.copy(), v.copy()), k[:, :, [3, 1, 2]].astype(np.float16)
    layer.write(k, v)
    for name, array, kept in zip(("keys", "values"), (k, v), before):
        np.testing.assert_array_equal(array, kept, err_msg=f"the caller's {name} changed")
    k[...] = 7
    assert layer.k.dtype == np.float16, f"dtype=float16 stays, and is not {layer.k.dtype}"
    np.testing.assert_array_equal(layer.read()[0], wanted, err_msg="write copies the numbers")


# %% [markdown]
# Now the attention. One new position is easy: write it, and all filled slots are exactly what it may see, so
# `attend_one` does the rest. For several, think before you write: with R = 4, a length of 6 and two new positions,
# which positions does the first of them need, and what is in the slots after both have been written?
#
# <details><summary>Hint 1</summary>Position 6 needs 3 to 6, and position 7 goes into the slot of 3. So the new queries
# attend to the old slots <em>and</em> the new keys, side by side, and only then are the new ones written.</details>
# <details><summary>Hint 2</summary>Join the arrays along axis 2, and the positions in the same order. A query at
# position p sees a key at position s if s is not later than p, and p - s is less than R: a boolean mask (T,
# S).</details>
# <details><summary>Hint 3</summary><code>scaled_dot_product_attention</code> takes a boolean mask, True where a query
# may look, and groups with <code>enable_gqa=True</code>. What a slot holds may have another type than q:
# <code>.astype(q.dtype, copy=False)</code>.</details>


# %% stub="attend-ring"
#| export
def attend_ring(layer, q, k, v):
    """Let T new positions attend to the last R of the text, and write them into a ring.

    Position p sees the positions p - R + 1 to p. One position has to go through `attend_one`;
    several may go through `scaled_dot_product_attention`.

    Args:
        layer: a `RingCache` of R slots, which holds the positions before.
        q: the queries of the new positions, an array (B, H, T, d).
        k, v: their keys and values, arrays (B, G, T, d).

    Returns:
        An array (B, H, T, d), of q's type.
    """
    T, R, start = q.shape[2], layer.k.shape[2], layer.length
    ### BEGIN SOLUTION
    if T == 1:
        layer.write(k, v)
        return attend_one(q, *(x.astype(q.dtype, copy=False) for x in layer.read()))
    new = np.arange(start, start + T)
    columns = np.concatenate([layer.positions(), new])  # (S,)
    keys, values = (np.concatenate(x, 2) for x in zip(layer.read(), (k, v)))
    layer.write(k, v)
    distance = new[:, None] - columns  # (T, S)
    tensors = (wrap(x.astype(q.dtype, copy=False)) for x in (q, keys, values))
    mask = wrap((distance >= 0) & (distance < R))
    return scaled_dot_product_attention(*tensors, attn_mask=mask, enable_gqa=True).array
    ### END SOLUTION


# %% test="attend-ring" points=7
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
            assert layer.length == n, (
                f"{case} are written, so length is {n}, not {layer.length}"
            )
            kept = layer.k is memory[0] and layer.v is memory[1]
            assert kept, f"{case}: the layer's arrays stay; `write` copies into them"
            for name, x, before in zip("qkv", new, (q, k, v)):
                np.testing.assert_array_equal(
                    x, before[:, :, part], err_msg=f"{name} belongs to the caller"
                )


def test_a_large_score_outside_the_window_does_no_harm():
    attend = lambda *qkv: attend_ring(Shuffled(1, 1, 2, 1), *qkv)
    check_large_scores(attend, "the one before it, and itself", [1, 2, 2, 4], [1, 1, 3, 3])


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
    assert found == wanted, (
        f"six steps with a ring of 4: attend_one is called for {wanted} keys, not {found}"
    )


# %% [markdown]
# One layer of 8 heads of 64 numbers, and a text that becomes longer. **Predict:** how many times as long as with a ring
# of 256 does a step take with all 8,192 positions?


# %%
predicted_full = None  # times; a number


# %%
print("positions   all of them: bytes, step   a ring of 256: bytes, step")
new = [wrap(x) for x in drawn(*3 * [(1, 8, 1, 64)])]
for length in (256, 2048, 8192):
    row, layers = f"{length:9}", (LayerCache(1, 8, length, 64), RingCache(1, 8, 256, 64))
    times = []
    for layer in layers:
        layer.k[...] = layer.v[...] = 0

        def step(layer=layer, length=length):
            layer.length = length - 1
            layer.attend(*new)

        times.append(measure_latency(step, 3, 30, time.process_time).minimum * 1e3)
        row += f"{layer.nbytes / 2**20:12.1f} MiB {times[-1]:6.3f} ms  "
    print(row)
compare(predicted_full, times[0] / times[1], "times")

# %% [markdown]
# With a ring both stay as they are. What is lost is what lies further back than R: a token can learn of it only through
# the layers between, because the keys of the second layer were made from what *their* positions saw. Through L layers
# that reaches back about L · R positions. And a ring cannot go back: once a slot has been overwritten, setting `length`
# to an earlier value does not bring the old key back. *Break it* shows what a window does to a model that was trained
# without one.

# %% [markdown]
# ## 9. Prompts of different lengths
#
# A batch is a rectangle, but prompts have different lengths. Many programs pad the short ones on the left, and then
# need a mask and positions for each row. There is a way without either, which Meta's first code for Llama took
# (`generation.py`, 2023): run the model on the first n tokens of every row, n being the length of the shortest prompt;
# then go on one token at a time. In each row use the next prompt token if there is one, otherwise the token that the
# model drew.
#
# ```
#   shown at once      then one position a step, for all rows
#   | T  h  e |        -  -  -  -  -             a dash: the model's token, for the prompts "The" and "Asked"
#   | A  s  k |        e  d  -  -  -             row 2 takes two more tokens from its prompt
# ```
#
# Rows never wait for each other, no slot is wasted on padding, and every row is at position t in step t, as `hidden`
# expects. Two arrays are given: `tokens` (B, total), the prompts followed by zeros; and `known` (B, total), which says
# which of its entries belong to the prompts.


# %%
#| export
def in_a_rectangle(prompts, total):
    """Tokens (B, total), the prompts followed by zeros; and where prompts are, bool."""
    tokens = np.zeros((len(prompts), total), np.int64)
    known = np.zeros(tokens.shape, bool)
    for row, prompt in enumerate(prompts):
        tokens[row, : len(prompt)], known[row, : len(prompt)] = prompt, True
    return tokens, known


# %% [markdown]
# <details><summary>Hint 1</summary>Let <code>end</code> run from the shortest prompt's length to
# <code>total - 1</code>: each time the model is shown <code>tokens[:, shown:end]</code>, and column <code>end</code> is
# filled in.</details>
# <details><summary>Hint 2</summary>As in <code>generate</code>:
# <code>model.lm_head(model.hidden(..., cache)[:, -1])</code>, then <code>next_token</code> with the options. Then
# <code>shown = end</code>.</details>
# <details><summary>Hint 3</summary><code>np.where</code> chooses for each row: the prompt's token where it is known,
# otherwise the sampled token, <code>token.array[:, 0]</code>.</details>


# %% stub="prompts"
#| export
@no_grad()
def continue_prompts(
    model, prompts, max_new_tokens, temperature=1.0, top_k=None, top_p=None, generator=None
):
    """Continue prompts of different lengths side by side, with one cache.

    Args:
        model: a GPT, in evaluation mode.
        prompts: lists of tokens, none of them empty.
        max_new_tokens: how many to add to each. The longest text may have block_size tokens.
        temperature, top_k, top_p, generator: as for `next_token`.

    Returns:
        A list of lists: each prompt with its continuation.
    """
    check_prompts(prompts)
    lengths = [len(prompt) for prompt in prompts]
    total = max(lengths) + max_new_tokens
    tokens, known = in_a_rectangle(prompts, total)
    cache, shown = KVCache.for_model(model, len(prompts), total), 0
    ### BEGIN SOLUTION
    for end in range(min(lengths), total):
        hidden = model.hidden(wrap(tokens[:, shown:end]), cache)
        token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        tokens[:, end] = np.where(known[:, end], tokens[:, end], token.array[:, 0])
        shown = end
    ### END SOLUTION
    return [row[: n + max_new_tokens].tolist() for row, n in zip(tokens, lengths)]


# %% test="prompts" points=6
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


def test_the_options_reach_the_draw():
    model = small(block_size=32, n_layer=2)
    prompts = some_prompts(3, 5)

    def drawn_with(seed, **options):
        return continued(model, prompts, 12, generator=seed_of(seed), **options)

    seed_of = lambda seed: Generator().manual_seed(seed)
    assert drawn_with(1) == drawn_with(1), "the same generator state draws the same tokens"
    different = drawn_with(1) != drawn_with(2)
    assert different, (
        "seeds 1 and 2 draw the same 12 tokens: does next_token draw them, with the generator?"
    )
    greedy = continued(model, prompts, 12, temperature=0)
    for options in ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-4}):
        found = drawn_with(3, **options)
        assert found == greedy, (
            f"{options} leaves only the most likely token: is it passed on?"
        )


# %% [markdown]
# ## 10. Half the bytes, a quarter of the bytes
#
# The cache grows with every user, and it is read once for every token. Storing it in fewer bits is the easiest way to
# serve twice as many users. `KVCache.for_model(..., dtype=float16)` works already: numbers are rounded when they are
# written, and `LayerCache.attend` converts them back to the queries' type.
#
# For int8, module 15 has all that is needed: a vector becomes integers from -127 to 127 and a *scale*, its largest
# absolute value over 127. Here each vector of d numbers, one key of one head at one position, has its own scale. One
# scale for the whole array would not do: a cache is filled slot by slot, and a large key that comes later must not
# change the existing codes. The layer's cache in int8 is given: a `LayerCache` of int8 that stores the scales next to
# the codes.


# %%
#| export
from tinytorch.given.kv_cache.int8_cache import *

# %% [markdown]
# Do the tokens stay the same? Random weights cannot show that, so train a small GPT, on texts that can only be
# predicted by looking back. Each repeats a pattern of eight random letters, with one letter in eight replaced by
# another. `nats` is the loss of the last letters of such texts, fed to the model one by one through the cache.


# %%
VOCABULARY, PERIOD, BLOCK = 24, 8, 32


def patterns(rows, length, seed):
    """Texts (rows, length) that repeat eight random tokens, with an eighth of them changed."""
    rng = np.random.default_rng(seed)
    text = np.tile(rng.integers(0, VOCABULARY, (rows, PERIOD)), (1, length // PERIOD + 1))
    noise = rng.integers(0, VOCABULARY, text.shape)
    return wrap(np.where(rng.random(text.shape) < 1 / 8, noise, text)[:, :length])


def trained(block_size, lr, **options):
    """A small GPT after 120 steps on such texts, of 32 letters each."""
    manual_seed(0)
    sizes = {"n_layer": 2, "n_head": 4, "n_embd": 64, "dropout": 0.0} | options
    model = GPT(GPTConfig(VOCABULARY, block_size, **sizes))
    optimizer = AdamW(model.parameters(), lr=lr)
    for step in range(120):
        block = patterns(12, BLOCK + 1, seed=step)
        loss = next_token_loss(model(block[:, :-1]), block[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


model = trained(BLOCK, 5e-3)
texts = patterns(40, 200, seed=1000)


# %%
@no_grad()
def nats(cache):
    """The mean loss of tokens 17 to 31 of the texts, fed one by one, and all their logits."""
    model(texts[:, :16], cache)
    logits = [model(texts[:, t : t + 1], cache).numpy() for t in range(16, BLOCK - 1)]
    logits = np.concatenate(logits, 1)
    return next_token_loss(from_numpy(logits), texts[:, 17:BLOCK]).item(), logits


def written(temperature, cache):
    """The texts' first 16 tokens, continued by 16: the same seed for all."""
    generator = Generator().manual_seed(5)
    return generate(
        model, texts[:, :16], 16, temperature, generator=generator, cache=cache
    ).numpy()


plain = {temperature: written(temperature, None) for temperature in (0, 1.0)}
print("             bytes     nats  a logit changes by   equal texts of 40: greedy  sampled")
_, exact = nats(KVCache.for_model(model, 40))
for dtype in (float32, float16, int8):
    cache = functools.partial(KVCache.for_model, model, 40, dtype=dtype)
    equal = [(written(t, cache()) == tokens).all(1).sum() for t, tokens in plain.items()]
    loss, logits = nats(cache())
    row = (
        f"{dtype.name:8} {cache().nbytes:9,} {loss:8.4f} {np.abs(logits - exact).max():19.4f}"
    )
    print(f"{row} {equal[0]:27} {equal[1]:8}")

# %% [markdown]
# In float32 the tokens are those of the uncached model; float16 and int8 hardly change the loss. A text changes only
# where two tokens have almost equal probability, so that rounding tips the balance: rarely here, or never. Int8 needs
# more than a quarter of the bytes, because each vector of 16 codes has a scale of 4 bytes; with heads of 128 numbers
# that is 3% more than a quarter.
#
# And the time of a step? float16 has half the bytes to read. **Predict:** how many times as long as in float32 does it
# take? Predictions are printed beside what is measured, and never graded.


# %%
predicted_float16 = None  # times as long as float32; a number


# %%
print("a layer, batch 8, 512 positions:\n          one step   reading all   converting all")
steps = {}
for dtype in (float32, float16, int8):
    cache = KVCache(1, 8, 8, 512, 32, dtype)
    layer = cache.layers[0]
    layer.write(*drawn((8, 8, 511, 32), (8, 8, 511, 32)))
    q, k, v = (wrap(x) for x in drawn((8, 8, 1, 32), (8, 8, 1, 32), (8, 8, 1, 32)))

    def step(layer=layer, q=q, k=k, v=v):
        layer.length = 511
        layer.attend(q, k, v)

    def converted(arrays):
        return [x.astype(np.float32, copy=False) for x in arrays]

    runs = (
        step,
        lambda layer=layer: converted(layer.read()),
        lambda layer=layer: converted((layer.k, layer.v)),
    )
    times = [measure_latency(run, 2, 30, time.process_time).minimum * 1e3 for run in runs]
    steps[dtype] = times[0]
    print(f"{dtype.name:8} {times[0]:9.2f} ms {times[1]:11.2f} ms {times[2]:13.2f} ms")
compare(predicted_float16, steps[float16] / steps[float32], "times as long")

# %% [markdown]
# Neither is faster. NumPy has no fast product of float16 or int8 numbers, so all that is stored becomes float32 again
# at every step. Float16 is the slowest, because NumPy converts its numbers one at a time. Int8 codes it converts many
# at once; what takes longer is multiplying each vector of 32 by its own scale, the rest of the second column. On a GPU
# the kernel does both in its registers, so reading fewer bytes can make it faster.
#
# ## 11. Drafts from the text itself
#
# A step with a cache reads every weight of the model and computes one position with them. Once the weights have been
# read, ten positions would take little longer than one; but the tokens are not known before they are written. So
# *guess* them. A **draft** of n tokens goes through the model in one pass, after the text, and at each position the
# model says which token it would have written there itself. As long as the draft agrees, its tokens are what greedy
# generation would have written, and n passes have become one. Where it first disagrees, the model's own token is used,
# and the rest of the draft is thrown away. This is *speculative decoding* (Leviathan et al., 2023): a bad draft costs
# time, but never changes a token.
#
# Often a small model writes the draft. Where an answer repeats its text, as in summaries, corrections and edits of a
# program, a draft costs nearly nothing: look up the end of the text in the text itself. This is *prompt lookup*
# (Saxena, 2023).
#
# ```
#   text     When the cache is full , it starts again . [...] In short , when the cache
#                 \_______/ \________________/                                \_______/
#                 found     the draft                            the last two tokens
# ```
#
# The longer the run of tokens that is found again, the more likely it is that the text continues in the same way. So
# look for the last three tokens first, and for the last two if these do not occur earlier in the text. Of several
# places take the first: it has the most text after it.
#
# <details><summary>Hint 1</summary><code>np.lib.stride_tricks.sliding_window_view</code> gives a view (T - n + 1, n) of
# all runs of n tokens. The last one is the end of the text itself: leave it out.</details>
# <details><summary>Hint 2</summary><code>np.flatnonzero</code> finds the places where a run is equal in all of its
# tokens to the end. What followed it begins n tokens later.</details>
# <details><summary>Hint 3</summary>A loop over n, from <code>longest</code> down to <code>shortest</code> and at most
# one less than the text, returns at the first n that is found; after the loop return an empty draft, which is a slice
# too.</details>


# %% stub="draft"
#| export
def lookup_draft(tokens, count=10, longest=3, shortest=2):
    """Propose the tokens that followed an earlier occurrence of the end of a text.

    The end is the last n tokens, for the largest n from `longest` down to `shortest` for which
    they occur earlier; the first place counts, even one that overlaps with the end.

    Args:
        tokens: the text, an integer array (T,), T at least 1; it is not changed.
        count: how many tokens to propose at most.
        longest, shortest: how many tokens to look for, 1 <= shortest <= longest.

    Returns:
        An array (n,), n at most `count`: empty if nothing was found.

    >>> lookup_draft(np.array([1, 2, 3, 4, 5, 1, 2]), count=3)
    array([3, 4, 5])
    """
    ### BEGIN SOLUTION
    for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        runs = np.lib.stride_tricks.sliding_window_view(tokens, n)[:-1]
        places = np.flatnonzero((runs == tokens[-n:]).all(axis=1))
        if len(places):
            start = places[0] + n
            return tokens[start : start + count]
    return tokens[:0]
    ### END SOLUTION


# %% test="draft" points=5
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


def test_what_followed_the_same_three_tokens_is_proposed():
    check_draft([1, 2, 3, 4, 5, 9, 8, 1, 2, 3], [4, 5, 9, 8, 1, 2, 3])
    check_draft([1, 2, 3, 4, 5, 9, 8, 1, 2, 3], [4, 5], 2)
    check_draft([7, 2, 3, 4, 5, 1, 2, 3, 6, 1, 2, 3], [6, 1, 2, 3])  # not what followed 2 3
    check_draft([7, 8, 1, 2, 3, 4, 1, 2, 3], [4, 1, 2, 3])  # neither at 0 nor at 3


def test_two_tokens_will_do_where_three_are_not_found():
    check_draft([7, 1, 2, 9, 1, 2], [9, 1, 2], 10, 2, 2)
    check_draft([7, 2, 3, 4, 5, 1, 2, 3], [4, 5, 1, 2, 3])
    check_draft([2, 3, 2, 3], [2, 3])
    check_draft([2, 9, 2, 3, 4, 2, 3], [4, 2, 3])
    check_draft([1, 2, 3, 4, 5, 1, 2], [3, 4, 5, 1, 2], kind=np.int32)


def test_of_several_places_the_first_counts():
    check_draft([1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3], [4, 1, 2, 3, 5, 1, 2, 3])
    check_draft([6] * 5, [6, 6])
    check_draft([6] * 5, [6, 6, 6], 10, 2)


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


def test_random_texts_agree_with_a_search():
    rng = np.random.default_rng(0)
    for _ in range(300):
        T, kinds = rng.integers(1, 30), rng.integers(0, 500, rng.integers(1, 5))
        tokens = rng.choice(kinds, T).tolist()
        shortest = int(rng.integers(1, 4))
        options = int(rng.integers(0, 8)), shortest + int(rng.integers(0, 3)), shortest
        check_draft(tokens, draft_by_search(tokens, *options), *options)


# %% [markdown]
# Now the pass. The cache holds the beginning of the text, all but its last tokens; at least the very last token is not
# in it, because the model wrote it in the previous pass. The model processes these tokens and the draft:
#
# ```
#   in the cache        shown in one pass
#   ... a b c           d | w x y z      draft w x y z
#                       w   x q . .      the model's choice after each: after x it is q, not y
#                       \_____/          w and x are accepted, q is the model's own: 3 tokens
#
#   ... a b c d w x                      the cache, then cut back to accepted text that was shown
# ```
#
# The choices after y and z mean nothing, because y is not part of the text. The keys and values of y and z are in the
# slots, too; to cut the cache back, set the `length` of every layer: the next pass overwrites them. And q was not
# shown: the next pass begins with it.
#
# The tokens are the same as without drafts, as long as two computations of a logit agree: they do to four digits
# (section 6).
#
# <details><summary>Hint 1</summary><code>model.hidden(wrap(shown[None]), cache)</code> is (1, n', C). Apply the head
# only to the last n + 1 positions: the one before the draft, and the draft's n. <code>argmax</code> along the
# vocabulary gives the choices, (n + 1,).</details>
# <details><summary>Hint 2</summary>Choice i is the token that should be at place i of the draft; the last choice comes
# after the draft. The number of accepted tokens is the place of the first difference, or n if there is none, as for an
# empty draft.</details>
# <details><summary>Hint 3</summary><code>agree = choices[:-1] == draft</code>; <code>agree.argmin()</code> is the first
# False if there is one. Return a part of <code>choices</code>; the cache keeps as many positions as the text has
# tokens, plus the accepted ones.</details>


# %% stub="verify"
#| export
@no_grad()
def verify_draft(model, tokens, draft, cache):
    """Choose the next tokens of a text greedily, in one pass over a draft of them.

    The model sees the tokens that its cache lacks, and the draft; its head, only the last
    n + 1 positions. It keeps the draft up to the first token that is not its own most likely
    one, and adds its own there, or one more after the whole draft. Every layer's cache is cut
    back to the text and the accepted tokens.

    Args:
        model: a GPT, in evaluation mode.
        tokens: the text, an integer array (T,); the cache holds fewer than T of its tokens.
        draft: tokens that may come next, an integer array (n,), n at least 0.
        cache: a KVCache for one text, with room for T + n positions.

    Returns:
        The next tokens, an integer array, from 1 to n + 1 of them.
    """
    ### BEGIN SOLUTION
    shown = np.concatenate([tokens[cache.length :], draft])
    hidden = model.hidden(wrap(shown[None]), cache)[:, -len(draft) - 1 :]
    choices = model.lm_head(hidden).numpy()[0].argmax(axis=-1)  # (n + 1,)
    agree = choices[:-1] == draft
    accepted = len(draft) if agree.all() else int(agree.argmin())
    for layer in cache.layers:
        layer.length = len(tokens) + accepted
    return choices[: accepted + 1]
    ### END SOLUTION


# %% test="verify" points=7
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
        np.testing.assert_array_equal(
            array, before, err_msg=f"the caller's {name} must not change"
        )
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


def test_a_draft_is_accepted_up_to_the_first_token_that_differs():
    model = small(block_size=32, n_layer=2)
    for T, start in [(6, 5), (1, 0), (8, 3), (5, 0)]:
        tokens = random_tokens(T, seed=10 * T).numpy()
        right = next_by(model, tokens, 7)
        for accepted in (0, 1, 3, 5):
            draft = [(t + (i in (accepted, 5))) % 23 for i, t in enumerate(right[:6])]
            about = f"a draft of 6 that is wrong only at {sorted({accepted, 5})}"
            check_verified(model, tokens, draft, accepted, start, about)


def test_a_draft_that_is_right_is_accepted_and_one_more_comes():
    model = small(block_size=32, n_layer=2)
    for T, start, count in [(4, 3, 5), (4, 3, 1), (7, 0, 3), (9, 2, 6)]:
        tokens = random_tokens(T, seed=T).numpy()
        draft = next_by(model, tokens, count)
        check_verified(model, tokens, draft, count, start, f"a draft of {count}, all right")


def test_without_a_draft_it_is_one_step_of_greedy_generation():
    model = small(block_size=32, n_layer=2)
    for T, start in [(1, 0), (6, 0), (6, 5), (9, 4)]:
        tokens = random_tokens(T, seed=T).numpy()
        check_verified(model, tokens, [], 0, start, "an empty draft")


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


# %% [markdown]
# The loop around your two functions is given. It also returns how many tokens each pass gave.


# %%
#| export
def generate_with_lookup(model, idx, max_new_tokens, stop=None, count=10):
    """Continue one text greedily, with drafts of at most `count` tokens from the text itself.

    Returns the tokens (1, T + n) that `generate` with temperature 0 gives, and how many each
    pass of the model added. The text and what is added may have block_size tokens.
    """
    tokens, end, added = idx.numpy()[0], idx.shape[1] + max_new_tokens, []
    cache = KVCache.for_model(model, 1, end)
    while len(tokens) < end and (not added or tokens[-1] != stop):
        draft = lookup_draft(tokens, min(count, end - len(tokens) - 1))
        new = verify_draft(model, tokens, draft, cache)
        if stop in new:
            new = new[: new.tolist().index(stop) + 1]
        tokens = np.concatenate([tokens, new])
        added.append(len(new))
    return wrap(tokens[None]), added


# %% [markdown]
# How much is gained? Try two answers of a real model: to a request to shorten a text, which repeats much of it, and a
# poem, which repeats nothing at first. The model is SmolLM2, with 135 million weights (Allal et al., 2025), if its file
# is on this machine; `make milestone chat` fetches it. Otherwise it is the small GPT of section 10, with a text of its
# pattern and one of random letters. **Predict:** how many passes does the second text take, of 32 (or 16) without
# drafts? And what does a wrong draft of ten tokens cost?


# %%
predicted_passes = None  # for the poem, or the random letters; a number


# %%
TEXT = (
    "A cache keeps the keys and values of every layer, so that a step of generation computes "
    "one position. Its memory is made once, for the longest text that is expected. When the "
    "cache is full, it starts again with the last half of the window. Grouped heads of keys "
    "and values make the cache smaller, because several heads of queries share one head."
)
QUESTIONS = {
    "summary": f"Summarize this text in one or two sentences:\n\n{TEXT}",
    "poem": "Write a short poem about the sea.",
}
path = smollm2_file()
if path:
    network, tokenizer, count = GPT.from_pretrained(path), BPETokenizer.from_gguf(path), 32
    prompts = {name: question_tokens(tokenizer, asked) for name, asked in QUESTIONS.items()}
    print("SmolLM2-135M-Instruct")
else:
    network, count = model, 16
    letters = np.random.default_rng(1).permutation(VOCABULARY)[:16]
    prompts = {"pattern": texts[0, :16].tolist(), "letters": letters.tolist()}
    print("SmolLM2's file is not here, so this is the small GPT, which has seen patterns")


def seconds_of(run):
    """The processor seconds of a run, and its result."""
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def compare_drafts(name):
    """Continue a prompt both ways, print what each pass with a draft added, and count them."""
    idx = tensor([prompts[name]])
    cache = KVCache.for_model(network, 1, idx.shape[1] + count)
    plain, wanted = seconds_of(lambda: generate(network, idx, count, 0, cache=cache))
    fast, (found, added) = seconds_of(lambda: generate_with_lookup(network, idx, count))
    same = found.tolist() == wanted.tolist()
    print(f"{name}: the same tokens: {same}; tokens a pass {added}")
    print(
        f"{count} passes {plain:.2f} s, {len(added)} passes {fast:.2f} s: {plain / fast:.2f}x"
    )
    if path:
        print(tokenizer.decode(found.tolist()[0][len(prompts[name]) :]), end="\n\n")
    return len(added)


_ = compare_drafts(next(iter(prompts)))

# %%
compare(predicted_passes, compare_drafts(next(reversed(prompts))), "passes")
del network

# %% [markdown]
# Both times include reading the question, and every token is the same. Where the answer repeats its text, a pass gives
# up to eleven tokens; in the poem nothing is found, and only the search is lost. (After random letters the small GPT
# soon repeats itself, and drafts are found.) The bad case is in between: a text that repeats a few tokens and then
# continues differently pays for drafts that are thrown away. With the real model, ask for "List five European countries
# and their capitals.", with 60 tokens: it ends up slower than without drafts, because a pass with ten more positions is
# not free. It reads the weights once, but computes eleven times as much. How long a draft should be depends on how
# often it is right.

# %% [markdown]
# ## Systems: the time of a token
#
# How long does the next token take, after 64 tokens and after 1,024, with a cache and without? Two models with random
# weights (the time does not depend on them): one as wide as that of module 13's milestone, 3 layers of 96, and a larger
# one, 6 layers 256 wide, both with room for 1,024 tokens. To keep this to a few seconds, single steps are timed at five
# lengths, in place of whole texts. Steps with and without a cache alternate, so that a slow moment of the machine
# affects both; the shortest processor time of each counts.


# %%
def sized(layers, width, heads):
    manual_seed(0)
    config = GPTConfig(64, 1024, n_layer=layers, n_head=heads, n_embd=width, dropout=0.0)
    return GPT(config).eval()


@no_grad()
def token_times(model, lengths, batch_size=1):
    """Seconds for the next token after each number of tokens: without a cache, and with."""
    idx = wrap(np.zeros((batch_size, max(lengths)), np.int64))
    cache, times = KVCache.for_model(model, batch_size), ([], [])

    def without(length):
        return model.lm_head(model.hidden(idx[:, :length])[:, -1])

    def cached(length):
        for layer in cache.layers:
            layer.length = length - 1  # what is in the slots does not matter for the time
        return model.lm_head(model.hidden(idx[:, :1], cache)[:, -1])

    for layer in cache.layers:
        layer.k[...] = layer.v[...] = 0
    for length in lengths:
        turns = []
        for _ in range(max(3, 1024 // length)):  # more where a step is short
            slow = measure_latency(functools.partial(without, length), 0, 1, time.process_time)
            fast = measure_latency(functools.partial(cached, length), 1, 6, time.process_time)
            turns.append((slow.minimum, fast.minimum))
        for found, shortest in zip(times, map(min, zip(*turns))):
            found.append(shortest)
    return times


lengths = [64, 128, 256, 512, 1024]
models = {"3 layers, 96 wide": sized(3, 96, 4), "6 layers, 256 wide": sized(6, 256, 8)}
figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
measured = {}
for axis, (name, network) in zip(axes, models.items()):
    without, cached = measured[name] = token_times(network, lengths)
    draw_times(axis, lengths, {"without a cache": without, "with": cached}, name)
plt.show()

# %% [markdown]
# The uncached curve grows with the length, first in proportion and then faster, as attention's T x T scores begin to
# dominate. Both axes are logarithmic, so that the rise of the cached curve is visible: one position goes through the
# products with the weights, whatever the length; only the two products with the cache grow.
#
# How much does a whole text gain? Add up the times of all its tokens; between the measured lengths, interpolate
# linearly. For 1,024 tokens the model computes n(n + 1)/2 positions without a cache and n with it: 512 to one.
# **Predict:** how many times faster is the text of 1,024 tokens, by the larger model?


# %%
predicted_gain = None  # times; a number


# %%
def whole_text(times, count):
    """Seconds for the tokens 1 to count, from the times at `lengths`."""
    steps = np.arange(1, count + 1)
    slope = (times[1] - times[0]) / (lengths[1] - lengths[0])  # below the first length
    early = np.maximum(times[0] + slope * (steps - lengths[0]), times[0] / 4)
    return np.where(steps < lengths[0], early, np.interp(steps, lengths, times)).sum()


print("tokens        " + "".join(f"{n:>20}" for n in (64, 256, 1024)))
for name, (without, cached) in measured.items():
    row = [(n / whole_text(cached, n), n / whole_text(without, n)) for n in (64, 256, 1024)]
    print(f"{name:19}" + "  ".join(f"{a:4.0f}/s : {b:3.0f}/s {a / b:4.1f}x" for a, b in row))
compare(predicted_gain, row[-1][0] / row[-1][1], "times")

# %% [markdown]
# The table shows tokens per second with and without a cache, and the gain. It is largest for the longest text, but far
# below the ratio of the positions. That is because a position costs more in a step with a cache: such a step calls
# every Python function of the model and reads every weight for a single position. A step without a cache does this once
# for hundreds of positions, and its products with many rows keep the processor busy.
#
# ### What would appending cost?
#
# A step of one layer's cache, batch 8: write into a slot, or make a new array with `np.concatenate`.


# %%
print("positions   into a slot   by concatenate")
for length in (64, 256, 1000):
    layer = LayerCache(8, 8, 1024, 32)
    k, v = drawn((8, 8, length, 32), (8, 8, length, 32))
    new_k, new_v = drawn((8, 8, 1, 32), (8, 8, 1, 32))

    def slot(layer=layer, length=length, new=(new_k, new_v)):
        layer.length = length
        layer.write(*new)
        layer.read()

    def append(k=k, v=v, new=(new_k, new_v)):
        return np.concatenate([k, new[0]], 2), np.concatenate([v, new[1]], 2)

    print(f"{length:9} {milliseconds(slot):10.3f} ms {milliseconds(append):13.3f} ms")

# %% [markdown]
# Writing into a slot costs the same at every length; appending copies everything, so that n tokens copy n(n + 1)/2 of
# them: exactly what the cache was meant to avoid, on a smaller scale.
#
# ### And a batch?
#
# Without a cache a step computes hundreds of positions, and the processor is busy. With one it computes a single
# position, and most of the time goes into Python and into reading all the weights. Eight texts at once read them only
# once.


# %%
for batch_size in (1, 8):
    _, cached = token_times(models["6 layers, 256 wide"], [64], batch_size)
    print(f"batch {batch_size}: {batch_size / cached[0]:6.0f} tokens a second")

# %% [markdown]
# ## Break it
#
# **The wrong triangle.** One new query and `is_causal=True`: the mask begins at the upper left.


# %%
q, k, v = (wrap(x) for x in drawn((1, 1, 1, 4), (1, 1, 6, 4), (1, 1, 6, 4)))
found = scaled_dot_product_attention(q, k, v, is_causal=True)
print("is_causal=True:", found.numpy().ravel().round(3))
print("the first value:", v.numpy()[0, 0, 0].round(3))
print("attend_one:     ", attend_one(q.array, k.array, v.array).ravel().round(3))

# %% [markdown]
# There is no error, and the text is almost right, because the rest of the network still works. Only a comparison with
# the uncached model shows the mistake.
#
# **The last user's text.** A cache that is reused without a reset continues the old text.


# %%
one, other = texts[:1, :12], texts[5:6, :12]
cache = KVCache.for_model(model, 1)
with no_grad():
    wanted = model(other).numpy()[0, -1]
    model(one, cache)
    leaked = model(other, cache).numpy()[0, -1]
    cache.reset()
    again = model(other, cache).numpy()[0, -1]
print(
    f"logits off by {np.abs(leaked - wanted).max():.2f}; "
    f"after reset() {np.abs(again - wanted).max():.6f}"
)

# %% [markdown]
# **Rolled keys.** It is tempting to treat a full cache as a ring: throw out the oldest key, write the newest in its
# place, and never prefill again. With learned positions this is wrong: the new tokens all get the last position of the
# table, and the old keys were computed with rows of the table that no longer belong to them. Compare the loss of the
# tokens beyond the window under the three rules. (Here every step moves all slots by one, so that the length stays.)


# %%
@no_grad()
def nats_behind(rule):
    """The mean loss of tokens 32 to 95 of twenty texts, with a window of 32."""
    keep = {"whole window": BLOCK, "half a window": BLOCK // 2}.get(rule)
    cache, losses = KVCache.for_model(model, 20, keep=keep), []
    for end in range(BLOCK, 3 * BLOCK):
        if rule == "rolled keys" and cache.length == BLOCK:
            for layer in cache.layers:
                layer.k[:, :, :-1] = layer.k[:, :, 1:].copy()
                layer.v[:, :, :-1] = layer.v[:, :, 1:].copy()
                layer.length = BLOCK - 1
        logits = model(cache.unseen(texts[:20, end - BLOCK : end]), cache)[:, -1:]
        losses.append(next_token_loss(logits, texts[:20, end : end + 1]).item())
    return np.mean(losses)


for rule in ("whole window", "half a window", "rolled keys"):
    print(f"{rule:14} {nats_behind(rule):.2f} nats")
print(f"guessing       {math.log(VOCABULARY):.2f} nats")

# %% [markdown]
# Half a window costs a little here: right after a restart the model sees only 16 letters, two repetitions with an error
# in each, in place of four. With rolled keys the same model is worse than guessing, and no error was raised.
#
# **A ring for rotary positions.** Rotary positions (module 11) are angles in the keys, and only their differences
# count. So old keys stay valid, if each was rotated by its position in the whole text, not by its slot. Is your ring
# then the same as showing the model the last 32 tokens again? Compare it with the uncached model on the same 32 tokens,
# with one layer and with two; training these two, without a window, takes half a minute or so.


# %%
@no_grad()
def against_a_ring(model):
    """The largest difference of logits, the share of equal choices, and the nats of both."""
    cache, logits = KVCache.for_model(model, 10), []
    cache.layers = [RingCache(10, 4, BLOCK, 16) for _ in cache.layers]
    model(texts[:10, : BLOCK - 1], cache)
    for end in range(BLOCK, 3 * BLOCK):
        ring = model(texts[:10, end - 1 : end], cache).numpy()
        logits.append((ring[:, -1], model(texts[:10, end - BLOCK : end]).numpy()[:, -1]))
    ring, window = (np.stack(kind, 1) for kind in zip(*logits))  # (10, 64, vocabulary)
    targets = texts[:10, BLOCK : 3 * BLOCK]
    losses = [next_token_loss(from_numpy(kind), targets).item() for kind in (ring, window)]
    equal = (ring.argmax(-1) == window.argmax(-1)).mean()
    return np.abs(ring - window).max(), equal, *losses


print("layers  logits differ by  same choice   nats: ring  window")
for n_layer in (1, 2):
    rotary = trained(3 * BLOCK, 1e-2, n_layer=n_layer, rotary=True)
    difference, equal, ring, window = against_a_ring(rotary)
    print(f"{n_layer:6} {difference:17.6f} {equal:12.1%} {ring:12.3f} {window:7.3f}")

# %% [markdown]
# With one layer it is the same, up to rounding. With more layers it is not: a key of the second layer was computed from
# what its position saw *then*, which includes tokens that have since left the window. Through L layers a position
# depends on up to L windows, as in Mistral's models (Jiang et al., 2023), which were trained that way. The loss is
# about as good and most choices are the same, but the logits differ, and so may a generated text: a ring does not
# reproduce the rule of `generate`.
#
# **A gradient.** A cache holds numbers, but no graph. Outside `no_grad` the cache raises an error, because a gradient
# would silently stop there:


# %%
try:
    model(one, KVCache.for_model(model, 1))
except RuntimeError as error:
    print(error)


# %% [markdown]
# ## In PyTorch
#
# PyTorch has no cache of its own; a model brings one. With PyTorch's tensors yours would read:
#
# ```python
# self.k = torch.empty(B, G, max_length, d)
# self.k[:, :, length:end] = k                                     # or self.k.narrow(2, length, T).copy_(k)
# keys = self.k[:, :, :end]                                        # a view: keys.is_contiguous() is False
# y = F.scaled_dot_product_attention(q, keys, values, enable_gqa=True)            # one new position
# from torch.nn.attention.bias import causal_lower_right
# triangle = causal_lower_right(T, S)                              # several: the moved triangle
# y = F.scaled_dot_product_attention(q, keys, values, triangle, enable_gqa=True)
# ```
#
# Servers such as vLLM cut the memory into pages of a few positions and give a text a new page when it needs one (Kwon
# et al., 2023): slots that are reserved for the longest text, like yours, are empty most of the time.
#
# ## A program to fix
#
# This program says how likely several answers to one prompt are, and lets the prompt go through the model once. Here it
# is given the same answer three times, so all three losses must be equal. They are not. Which numbers of the cache say
# what is in it, and which of them are wrong when the second answer begins?


# %%
@no_grad()
def nats_of_answers(model, prompt, answers):
    """The loss of each of several answers (1, T) to one prompt (1, P)."""
    cache, losses = KVCache.for_model(model, 1), []
    after_prompt = model(prompt, cache)[:, -1:].numpy()
    for answer in answers:
        cache.layers[0].length = prompt.shape[1]  # back to the end of the prompt
        logits = after_prompt, model(answer[:, :-1], cache).numpy()
        losses.append(next_token_loss(from_numpy(np.concatenate(logits, 1)), answer).item())
    return losses


losses = nats_of_answers(model, texts[1:2, :12], 3 * [texts[1:2, 12:19]])
print(", ".join(f"{loss:.4f} nats" for loss in losses))


# %% [markdown]
# <details><summary>Answer</summary>Print <code>[layer.length for layer in cache.layers]</code> at the beginning of each
# answer: 12, 12, then 12, 18, then 12, 24. Only the first layer goes back. <code>cache.length</code> reads the first
# layer, so it looks right, and so do the positions; but in the second layer every new token also attends to the stale
# keys of the answers before. There is no error until that layer is full, and greedy answers may even stay the same. Set
# the length of <em>every</em> layer, as <code>reset</code> and <code>verify_draft</code> do: <code>for layer in
# cache.layers: layer.length = prompt.shape[1]</code>.</details>
#
# ## Questions to think about
#
# 1. Why are queries not cached? And what would have to be cached if attention were not causal?
#
# <details><summary>Answer</summary>A position's query is used once, when that position looks back; no later position
# ever asks for it. Without the causal mask nothing could be kept beyond the first layer: each new token would change
# what every earlier position attends to, hence its output, and its keys and values in all further layers. Only the
# first layer's keys and values depend on nothing but the token and its position. <code>keys_of_layer</code> shows it
# for the causal model: in layer 1 the first five rows differ by 0.0.</details>
#
# 2. A Llama 3 8B in float16 has 16 GB of weights. For how many cached tokens in total do the caches need more memory
#    than the weights?
#
# <details><summary>Answer</summary><code>cache_bytes(32, 8, 128, 1, dtype=float16)</code> is 131,072 bytes for a token,
# so from 16e9 / 131,072 = 122,070 tokens on: fewer than 15 conversations of full length, 8,192. With 32 heads of keys,
# as many as of queries, it would be a quarter, 30,518. So a server's memory is soon mostly cache, and how many users it
# serves is decided by the bytes of a token.</details>
#
# 3. With a cache a step reads all weights and the whole cache to compute one token. Which of the two dominates for
#    GPT-2 at 1,024 tokens and batch 1? At batch 64?
#
# <details><summary>Answer</summary>GPT-2 small has 124 million weights, 498 MB in float32, and a full text's cache
# takes 72 MiB, 75 MB. At batch 1 the weights dominate, 6.6 to 1. They are read once for the whole batch, but each text
# has its own cache: at batch 64 that is 4.8 GB, ten times the weights. They are equal at seven texts. That is why
# larger batches help at first, and later hardly any more: the cache's bytes grow with the batch.</details>
#
# 4. A thousand users send prompts that begin with the same 500 tokens. What could they share, and what must a slot know
#    for that?
#
# <details><summary>Answer</summary>The keys and values of these 500 tokens: under the causal mask they depend on the
# tokens up to there and on nothing later. For Llama 3 8B that is 62.5 MiB, once instead of a thousand times. A slot, or
# a page of slots, must know which tokens it holds <em>and all tokens before them</em> (a hash of the whole prefix will
# do), at which position they begin, and how many texts use it, so that it is never overwritten while one still does. A
# text that goes on writes into a page of its own.</details>
#
# 5. `continue_prompts` draws tokens also for rows whose prompt is not finished, and throws them away. What does that
#    cost, and what does it do to the random numbers of the others?
#
# <details><summary>Answer</summary>Hardly any time: the model computes all rows anyway, and only the head and the draw
# are wasted. But one generator serves all rows, and a step takes the same amount of random numbers whatever is kept. So
# a row's text does not change when <em>another</em> row's prompt becomes longer, but it does when the number of rows
# changes, or when a shorter prompt makes the drawing begin earlier. A text then depends on its neighbours. With
# temperature 0 it never does. Run <code>continue_prompts</code> twice with the same seed, and change only the other
# prompt.</details>
#
# 6. `verify_draft` takes the most likely token. If tokens are drawn with a temperature, what rule for accepting a token
#    of a draft keeps exactly the model's probabilities?
#
# <details><summary>Answer</summary>A draft from lookup proposes one token x with certainty. Accept it with the model's
# probability p(x); otherwise draw from p without x, that is p(y) / (1 - p(x)). Then x comes out with probability p(x),
# and y with (1 - p(x)) · p(y) / (1 - p(x)) = p(y): exactly the model's. If a small model draws the draft from q, accept
# x with min(1, p(x) / q(x)), and otherwise draw from max(0, p - q), divided by its sum (Leviathan et al.). After the
# first token that is refused the rest of the draft is dropped.</details>
#
# 7. Half a window or a quarter: how do the cost of a step and the context that the model sees depend on `keep`?
#
# <details><summary>Answer</summary>With S slots a cycle is one prefill of <code>keep</code> positions and S -
# <code>keep</code> steps of one: S positions for S - <code>keep</code> + 1 tokens. Half a window is about two positions
# for a token, a quarter 4/3, the whole window S. The model sees between <code>keep</code> and S tokens, on average 3/4
# of S with a half, and 5/8 with a quarter. So from half to quarter a third of the positions is saved, for an eighth of
# the context. <code>seen_by_steps(4, 36, 16, 4)</code> shows the windows.</details>
#
# ## To read
#
# - Noam Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need* (2019), section 3: why a step waits for
#   memory, and one head of keys for all queries.
# - Reiner Pope and others, *Efficiently Scaling Transformer Inference* (2022), sections 2 and 3: the same sums for 540
#   billion weights on many chips.
# - Woosuk Kwon and others, *Efficient Memory Management for Large Language Model Serving with PagedAttention* (2023),
#   sections 3 and 4: pages of slots, shared between texts.
# - Yaniv Leviathan, Matan Kalman and Yossi Matias, *Fast Inference from Transformers via Speculative Decoding* (2023),
#   sections 2 and 3: drafts, and the proof for question 6.
#
# ## An open problem
#
# Question 4, built: several texts begin with the same tokens. Let these go through the model once, for all texts; then
# go on with a batch. That is the first half. The second is harder: keep *one* copy of their keys and values, so that
# the cache of B texts has room for one beginning and B continuations. `attend_one` then works on two pieces, whose
# softmax has one common maximum and one common sum.
#
#
# %%
def shared_beginning(model, beginning, batch_size):
    """A cache for `batch_size` texts that holds the tokens `beginning` (1, T)."""
    cache = KVCache.for_model(model, batch_size)
    model(wrap(np.repeat(beginning.numpy(), batch_size, axis=0)), cache)  # yours
    return cache


shown, beginning = [], texts[:1, :8]
listening = model.transformer.wte.register_forward_hook(
    lambda module, inputs, output: shown.append(output.shape[0] * output.shape[1])
)
with no_grad():
    cache = shared_beginning(model, beginning, 4)
    found = model(texts[:4, 8:12], cache).numpy()
    listening.remove()
    whole = np.concatenate(
        [np.repeat(beginning.numpy(), 4, axis=0), texts.numpy()[:4, 8:12]], 1
    )
    wanted = model(wrap(whole)).numpy()[:, 8:]
print(f"the same logits: {np.allclose(found, wanted, atol=1e-3)}; {cache.nbytes:,} bytes")
print(f"{shown[0]} positions for the beginning; {beginning.shape[1]} are enough")

# %% [markdown]
# ## What comes next
#
# You have now said several times that one thing is faster than another, from medians of a few runs. Module 19 asks how
# sure you can be.
