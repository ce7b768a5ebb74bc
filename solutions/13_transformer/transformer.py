# %% [markdown]
# # 13 Transformers
#
# You have all the parts. This module puts them together into the network that writes: embeddings, then a stack of equal
# blocks, then a score for each token of the vocabulary. What is new is small, a normalisation and two additions, but
# these make depth possible. At the end your model trains on Python's own documentation, and you write its weights to a
# file in GPT-2's format and read them back.
#
# When you are done you will be able to
#
# - write layer normalisation and its gradient, and say what its two means remove;
# - build a GPT from blocks, under GPT-2's names, with its initialisation and one table for both ends;
# - generate text with temperature, top-k and top-p, and say what each of them does;
# - count the parameters and the arithmetic of a transformer without running it;
# - tell whether a language model has learned anything, on text that it has not seen, by comparing it with a very cheap
#   baseline;
# - find the faults in a training program that runs without an error.
#
# ## What you build
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `layer_norm`, `LayerNorm`, `rms_norm`, `RMSNorm` | `torch.nn.functional`, `torch.nn`, the same names | |
# | `TransformerEncoderLayer`, `TransformerEncoder` | `torch.nn`, the same names | no nested tensors: `enable_nested_tensor` changes nothing |
# | `TransformerDecoderLayer`, `TransformerDecoder`, `Transformer` | `torch.nn`, the same names | |
# | `GPT`, `GPTConfig`, `Block` | | ours, under the names of GPT-2's checkpoints |
# | `TokenBlocks`, `next_token_loss`, `held_out_loss`, `bigram_loss`, `ngram_loss` | | ours |


# %%
#| export
import math
from dataclasses import dataclass

import numpy as np

from tinytorch.activations import gelu, silu, softmax
from tinytorch.attention import pieces, scaled_dot_product_attention
from tinytorch.autograd import no_grad
from tinytorch.embeddings import Embedding, RotaryPositions
from tinytorch.given.transformer.numerics import *
from tinytorch.layers import Dropout, Linear, Module, ModuleDict, ModuleList, normal_, zeros_
from tinytorch.losses import cross_entropy
from tinytorch.tensor import Tensor, arange, cat, multinomial, tensor, wrap


# %%
import inspect
import itertools
import json
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
from safetensors.numpy import save_file

from tinytorch.activations import relu
from tinytorch.dataloader import PythonDocs
from tinytorch.given.predictions import compare
from tinytorch.given.transformer.drawing import draw_chances, draw_depths, draw_losses
from tinytorch.layers import Parameter
from tinytorch.optimizers import SGD, AdamW
from tinytorch.tensor import Generator, manual_seed, ones, randint, randn, stack, zeros


# %% [markdown]
# ## 1. Normalisation
#
# To see what goes wrong without it, send vectors through a stack of layers that *add* to them, and watch their length.
#
# **Predict:** the vectors have 64 entries of variance 1, so their length is 8. How long are they after 20 layers?


# %%
predicted_length = None  # after 20 layers


# %%
manual_seed(0)
x, lengths = randn(16, 64), []
layers = [randn(64, 64) / 8 for _ in range(30)]
for W in layers:
    lengths.append(float(x.norm(dim=1).mean()))
    x = x + relu(x @ W)
print("length after 0, 10, 20 layers:", [f"{length:,.0f}" for length in lengths[::10]])
compare(predicted_length, lengths[20])


# %% [markdown]
# Every layer makes them longer, and the growth is exponential; the gradients grow with them. *Layer normalisation* (Ba
# et al., 2016) brings each vector to mean 0 and deviation 1 before it is used:
#
# $$n = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}, \qquad y = n \circ \gamma + \beta$$
#
# Batch normalisation takes mean and deviation over the batch, layer normalisation over the entries of one vector: no
# batch, no running statistics, the same in training and evaluation.
#
# Write the normalisation of rows; the gain $\gamma$ and the shift $\beta$ are added in the given code below. The
# variance divides by the number D of entries of a row (a Tensor's own `var` divides by D - 1). Use only what arrays and
# Tensors both have: `mean(axis=1, keepdims=True)` and `** -0.5`, but not `np.sqrt`. `row_mean(x, y)` is the mean of
# $x \circ y$ over each row, kept as a column, without making $x \circ y$.


# %%
#| export
def row_mean(x, y):
    """The mean of each row of x · y, (N, 1); for arrays, without an array of products."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return (x * y).mean(axis=1, keepdims=True)
    return np.vecdot(x, y)[:, None] / x.shape[1]


# %% [markdown]
# <details><summary>Hint 1</summary>Subtract each row's mean, with the axis kept. The variance is the mean of the
# squares of the differences.</details>
# <details><summary>Hint 2</summary><code>row_mean</code> of the differences with themselves is the variance, (N, 1).
# Epsilon is added to it, under the root.</details>
# <details><summary>Hint 3</summary>The variance plus <code>eps</code>, to the power -0.5, is the inverse deviation.
# Return it with the product: backward needs both.</details>


# %% stub="layer-norm"
#| export
def normalise(rows, eps):
    """Bring each row to mean 0 and deviation 1 (Ba et al., 2016).

    Args:
        rows: (N, D), an array or a Tensor, perhaps one that requires a gradient: use what
            both have. It is not changed.
        eps: keeps a constant row from being divided by zero.

    Returns:
        The normalised rows (N, D), and 1/√(variance + eps), (N, 1).

    >>> normalise(np.float32([[1, 3]]), 0.0)[0]
    array([[-1.,  1.]], dtype=float32)
    """
    ### BEGIN SOLUTION
    centred = rows - rows.mean(axis=1, keepdims=True)
    inverse = (row_mean(centred, centred) + eps) ** -0.5
    return centred * inverse, inverse
    ### END SOLUTION


# %% test="layer-norm" points=4
def rows_to_normalise(shape=(4, 6), seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype) * 3 + 2


def numbers(x):
    return x.detach().numpy() if isinstance(x, Tensor) else np.asarray(x)


def check(found, wanted, about, tolerance=1e-5, dtype=None):
    """Compare shape, numbers up to rounding, and the type if one is given."""
    found, wanted = numbers(found), np.asarray(wanted)
    assert found.shape == wanted.shape, f"{about}: of shape {wanted.shape}, not {found.shape}"
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=about)
    assert dtype in (None, found.dtype), f"{about}: {np.dtype(dtype)}, not {found.dtype}"


def same(function, *arrays, **options):
    """Call a function, and check that it has not changed its arrays."""
    call = getattr(function, "forward", function)
    given = inspect.signature(call).bind(*arrays, **options).arguments
    given = {name: x for name, x in given.items() if isinstance(x, np.ndarray | Tensor)}
    kept = {name: numbers(x).copy() for name, x in given.items()}
    found = function(*arrays, **options)
    for name, before in kept.items():
        message = f"the argument {name} is only read"
        np.testing.assert_array_equal(numbers(given[name]), before, err_msg=message)
    return found


def check_norm(function, by_numpy, rows, eps):
    """Both results, of arrays in both types and of Tensors, through which gradients pass."""
    for dtype, tolerance in ((np.float64, 1e-9), (np.float32, 1e-5)):
        given = rows.astype(dtype)
        wanted = by_numpy(given.astype(float), eps)
        for kind in (lambda x: x, lambda x: wrap(x).requires_grad_()):
            found = same(lambda rows: function(rows, eps), kind(given))
            about = f"{type(kind(given)).__name__} {np.dtype(dtype)}, eps {eps}"
            check(found[0], wanted[0], f"{about}: the normalised rows", tolerance, dtype)
            check(found[1], wanted[1], f"{about}: one over the root", tolerance, dtype)
    leaf, (cotangent,) = wrap(rows).requires_grad_(), [rows_to_normalise(rows.shape, 7)]
    function(leaf, eps)[0].backward(wrap(cotangent))
    slopes = differences(lambda x: by_numpy(x, eps)[0], rows.copy(), cotangent)
    check(leaf.grad, slopes, "the gradient through Tensors", 1e-6)


def by_numpy(rows, eps=0.3):
    inverse = 1 / np.sqrt(rows.var(1, keepdims=True) + eps)
    return (rows - rows.mean(1, keepdims=True)) * inverse, inverse


def test_rows_get_mean_0_and_deviation_1():
    n, _ = normalise(rows_to_normalise(), 0.0)
    check(n.mean(1), np.zeros(4), "each row has mean 0", 1e-12)
    check((n**2).mean(1), np.ones(4), "and deviation 1, the root of the mean square", 1e-10)


def test_the_formula_for_arrays_and_tensors():
    for eps in (0.5, 1e-5):
        check_norm(normalise, by_numpy, rows_to_normalise(), eps)


def test_a_constant_row_becomes_zeros():
    with np.errstate(all="raise"):
        n, _ = normalise(np.full((2, 3), 7.0), 1e-5)
    check(n, np.zeros((2, 3)), "a row of sevens", 0)


def test_a_large_mean_costs_no_digits():
    n, _ = normalise(np.float32([[10000, 10001, 10002]]), 0.0)
    wanted = [[-1.2247449, 0, 1.2247449]]
    check(n, wanted, "10000, 10001, 10002: subtract the mean first, then square", 1e-4)


# %% [markdown]
# ### Its gradient
#
# Every entry of $n$ depends on every entry of $x$, through the mean and through the deviation. You have met this with
# batches in module 09; there you derived the gradient over a channel, and here the sums go over one row of $D$ entries.
#
# In place of going through the sums again, try to get there by thought. Two changes of a row leave $n$ as it is (take
# $\epsilon = 0$): which? A loss that reads $n$ cannot change in these directions, so its gradient has no part along
# them. What remains of $\bar n$ when both parts are removed? All that is then missing is one factor: how much does $n$
# change when $x$ changes in any *other* direction? Write the result with `n`, `inverse` and means over the row, and
# check it against the derivation of module 09.
#
# <details><summary>Hint 1</summary>Adding a constant to a row does not change n, and neither does scaling it. As
# directions in the space of rows: (1, 1, ..., 1), and n itself, which has mean 0, so the two are
# orthogonal.</details>
# <details><summary>Hint 2</summary>To remove the part of a vector g along a direction u, subtract (g·u)/(u·u) u. For
# u = (1, ..., 1) that is the mean of g in every entry; for u = n, where n·n = D, it is the mean of g times n, times
# n.</details>
# <details><summary>Hint 3</summary>In every other direction the forward is a multiplication by 1/√(variance + eps). So
# with g for a gradient and means over the row: g(x) = inverse · (g(n) - mean of g(n) - n · mean of g(n) n).
# <code>row_mean</code> computes the second mean. (It holds for any eps, as the derivation of module 09
# does.)</details>


# %% stub="layer-norm-gradient"
#| export
def normalise_backward(n, inverse, grad):
    """Compute the gradient of rows from that of their normalised values.

    Args:
        n, inverse: what `normalise` returned, (N, D) and (N, 1); arrays or Tensors.
        grad: the gradient of n, (N, D).

    Returns:
        The gradient of the rows, (N, D), a new array: none of the three is changed.
    """
    ### BEGIN SOLUTION
    return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
    ### END SOLUTION


# %% test="layer-norm-gradient" points=5
def check_norm_gradient(backward, by_numpy):
    """Of arrays in both types, and of Tensors; against differences."""
    rows, grad = rows_to_normalise(), rows_to_normalise(seed=1)
    wanted = differences(lambda x: by_numpy(x)[0], rows, grad)
    for dtype, tolerance in ((np.float64, 1e-7), (np.float32, 1e-4)):
        arrays = [x.astype(dtype) for x in (*by_numpy(rows), grad)]
        found = same(backward, *arrays)
        check(found, wanted, f"the gradient of {np.dtype(dtype)} rows", tolerance, dtype)
        found = same(backward, *(wrap(x).requires_grad_() for x in arrays))
        check(found, wanted, "the gradient, of Tensors", tolerance, dtype)


def test_constants_and_stretching_send_nothing_back():
    n, inverse = by_numpy(rows_to_normalise(), 0.0)
    said = "1", "2n", "2n + 1"
    for name, grad in list(zip(said, (np.ones_like(n), 2 * n, 2 * n + 1)))[::-1]:
        found = same(normalise_backward, n, inverse, grad)
        check(found, np.zeros_like(n), f"if n's gradient is {name}, the rows get 0", 1e-10)


def test_rows_get_the_gradient_of_differences():
    check_norm_gradient(normalise_backward, by_numpy)


# %% [markdown]
# ### Without the mean
#
# Zhang and Sennrich (2019) left out the mean: $n = x / \sqrt{\mathrm{mean}(x^2) + \epsilon}$, times a gain. That is one
# pass over the row fewer, and in their experiments as good; Llama uses it. Derive its gradient too: which changes of a
# row leave $n$ as it is now? In section 5 you train a GPT with it, and one without.
#
# <details><summary>Hint 1</summary><code>row_mean(rows, rows)</code> is the mean square, and the normalised rows are
# the rows times its inverse root.</details>
# <details><summary>Hint 2</summary>Adding a constant to a row changes n now. Scaling the row still does not.</details>
# <details><summary>Hint 3</summary>With g for a gradient: g(x) = inverse · (g(n) - n · mean of g(n) n), the mean over
# the row.</details>


# %% stub="rms-norm"
#| export
def rms_normalise(rows, eps):
    """Divide each row by its root mean square (Zhang and Sennrich, 2019).

    Args:
        rows: (N, D), an array or a Tensor, which is not changed.
        eps: added to the mean square; it keeps a row of zeros from being divided by zero.

    Returns:
        The normalised rows (N, D), and 1/√(mean(x²) + eps), (N, 1).

    >>> rms_normalise(np.float32([[3, 4]]), 0.0)[0].round(4)
    array([[0.8485, 1.1314]], dtype=float32)
    """
    ### BEGIN SOLUTION
    inverse = (row_mean(rows, rows) + eps) ** -0.5
    return rows * inverse, inverse
    ### END SOLUTION


#| export
def rms_normalise_backward(n, inverse, grad):
    """Compute the gradient of rows, as `normalise_backward` does, for `rms_normalise`."""
    ### BEGIN SOLUTION
    return (grad - n * row_mean(grad, n)) * inverse
    ### END SOLUTION


# %% test="rms-norm" points=4
def rms_by_numpy(rows, eps=0.3):
    inverse = 1 / np.sqrt((rows**2).mean(1, keepdims=True) + eps)
    return rows * inverse, inverse


def test_rows_are_divided_by_their_root_mean_square():
    for eps in (0.3, 1e-6):
        check_norm(rms_normalise, rms_by_numpy, rows_to_normalise(), eps)


def test_the_root_mean_squares_gradient_is_that_of_differences():
    check_norm_gradient(rms_normalise_backward, rms_by_numpy)


def test_a_row_of_zeros_stays_zero():
    with np.errstate(all="raise"):
        found = rms_normalise(np.zeros((1, 3)), 1e-6)[0]
    check(found, np.zeros((1, 3)), "a row of zeros", 0)


# %% [markdown]
# The rest of both is given: one Function that runs your rules on blocks of rows, half a megabyte at a time, so that
# intermediate results are still in the cache when they are used; and PyTorch's functions and modules.


# %%
#| export
from tinytorch.given.transformer.caching import *
from tinytorch.given.transformer.normalization import *


# %% [markdown]
# ## 2. A block
#
# A transformer is a *stream* of vectors, one for each position, to which its layers add. Two kinds of layer alternate:
# attention, where positions look at each other, and a small network that processes each position separately.
#
# ```
#   x ───┬───────────────────(+)───┬──────────────────(+)───>
#        └─ ln_1 ─ attention ─┘    └─ ln_2 ─── mlp ────┘
# ```
#
# All sizes are in one place, together with what has changed since GPT-2: many newer models have `RMSNorm` in place of
# `LayerNorm`, rotary positions (module 11) in place of a table of position vectors, fewer heads of keys and values than
# of queries (module 12), and a gate in the MLP.


# %%
#| export
@dataclass
class GPTConfig:
    """The sizes of a GPT; the defaults are those of the smallest GPT-2."""

    vocab_size: int = 50257
    block_size: int = 1024  # the longest sequence
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.1
    bias: bool = True
    layer_norm_epsilon: float = 1e-5
    rms_norm: bool = False  # RMSNorm in place of LayerNorm
    rotary: bool = False  # queries and keys are rotated, in place of position vectors
    rotary_base: float = 10000.0
    n_kv_head: int | None = None  # heads of keys and of values; None: as many as of queries
    n_inner: int | None = None  # the MLP's width; None: four times n_embd
    gated: bool = False  # GatedMLP in place of MLP


def norm_of(config):
    """The normalisation that a configuration asks for."""
    if config.rms_norm:
        return RMSNorm(config.n_embd, config.layer_norm_epsilon)
    return LayerNorm(config.n_embd, config.layer_norm_epsilon, bias=config.bias)


# %% [markdown]
# Attention first. Queries, keys and values come from one product, `c_attn`, which gives each position the d numbers of
# H + 2G heads: all heads of its query, then G of its key, then G of its value; in GPT-2 G is H. So `view` them as (B,
# T, H + 2G, d), split the three, and put the heads before the positions. `pieces(packed, sizes, 2)`, from module 12,
# splits dimension 2 in such a way that the three gradients come back as one array; `self.heads` are the sizes, (H, G,
# G).
#
# Two methods are given. `self.turned(x)` rotates vectors (B, H, T, d) by angles that grow with their position, if the
# configuration says so, and otherwise returns them unchanged. What has to be rotated, so that the product of a query
# and a key depends on their distance (module 11)? And `self.attend(q, k, v)` attends causally, with dropout while
# training. Call `self.attend`, and not the function of module 12 itself: in module 18 it looks into a cache.
#
# <details><summary>Hint 1</summary>One call of <code>c_attn</code> gives queries, keys and values side by side. View it
# as (B, T, number of heads in all, d), where d is the width of one head.</details>
# <details><summary>Hint 2</summary><code>pieces</code> cuts a dimension into parts of given lengths, here the heads of
# q, of k and of v; then exchange dimensions 1 and 2 of each: q is (B, H, T, d), k and v (B, G, T, d).</details>
# <details><summary>Hint 3</summary>Queries and keys are rotated, values are not. To join the heads of the result,
# exchange the dimensions back before you reshape to (B, T, C); then <code>c_proj</code>, and <code>resid_dropout</code>
# last.</details>


# %% stub="causal-self-attention"
#| export
class CausalSelfAttention(Module):
    """Let each position look at itself and at those before it, with several heads.

    `c_attn` makes queries, keys and values in one product: for each position first all
    queries, then all keys, then all values, each head by head, and as many heads as `heads`
    says. Queries and keys are `turned`. `c_proj` mixes the results of the heads, and
    `resid_dropout` comes last.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError(
                f"{config.n_embd} entries cannot be shared by {config.n_head} heads"
            )
        self.n_head, self.dropout = config.n_head, config.dropout
        groups, width = config.n_kv_head or config.n_head, config.n_embd // config.n_head
        self.heads = config.n_head, groups, groups  # of queries, keys and values
        self.c_attn = Linear(config.n_embd, sum(self.heads) * width, bias=config.bias)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.resid_dropout = Dropout(config.dropout)
        tables = config.block_size, width, config.rotary_base
        self.rotary = RotaryPositions(*tables) if config.rotary else None
        self.cache = None  # module 18 sets it during a call

    def forward(self, x):
        ### BEGIN SOLUTION
        B, T, C = x.shape
        packed = self.c_attn(x).view(B, T, -1, C // self.n_head)
        q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        y = self.attend(self.turned(q), self.turned(k), v)
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        ### END SOLUTION

    def turned(self, x):
        """Vectors (B, H, T, d) rotated by their positions, if positions are rotary."""
        if self.rotary is None:
            return x
        return self.rotary(x, 0 if self.cache is None else self.cache.length)

    def attend(self, q, k, v):
        """Causal attention of q (B, H, T, d); through the cache if there is one."""
        if self.cache is not None:
            return self.cache.attend(q, k, v)
        dropout_p = self.dropout if self.training else 0.0
        options = {"is_causal": True, "enable_gqa": self.heads[1] < self.n_head}
        return scaled_dot_product_attention(q, k, v, None, dropout_p, **options)


# %% test="causal-self-attention" points=6
def small(**changes):
    """A configuration that is quick to run, without dropout."""
    sizes = {"vocab_size": 11, "block_size": 8, "n_layer": 2, "n_head": 2, "n_embd": 8}
    return GPTConfig(**sizes | {"dropout": 0.0} | changes)


def weights_of(layer):
    """A layer's weight and bias in float64; a bias that is not there is 0."""
    bias = 0 if layer.bias is None else numbers(layer.bias).astype(float)
    return numbers(layer.weight).astype(float), bias


def causal_attention_by_numpy(layer, x, rotary=False, groups=None, base=10000.0):
    """Position by position and head by head, from the layer's weights."""
    (W, b), (P, c) = weights_of(layer.c_attn), weights_of(layer.c_proj)
    (B, T, C), H = x.shape, layer.n_head
    d, G = C // H, groups or H
    q, k, v = np.split(x @ W.T + b, [C, C + G * d], axis=-1)
    y = np.zeros_like(x, dtype=float)
    for batch, h in np.ndindex(B, H):
        part, shared = (slice(n * d, (n + 1) * d) for n in (h, h // (H // G)))
        queries, keys = q[batch, :, part], k[batch, :, shared]
        if rotary:
            queries, keys = turned_by_numpy(queries, base), turned_by_numpy(keys, base)
        for t in range(T):
            scores = keys[: t + 1] @ queries[t] / np.sqrt(d)
            weights = np.exp(scores - scores.max())
            y[batch, t, part] = weights / weights.sum() @ v[batch, : t + 1, shared]
    return y @ P.T + c


def check_attention(about, **changes):
    manual_seed(0)
    layer, x = CausalSelfAttention(small(**changes)), randn(2, 5, 8)
    given = [changes.get(key) for key in ("rotary", "n_kv_head")]
    base = changes.get("rotary_base", 10000.0)
    wanted = causal_attention_by_numpy(layer, x.numpy(), *given, base)
    check(same(layer, x), wanted, about, dtype=np.float32)


def test_attention_is_that_of_its_weights():
    for heads in (1, 2, 4):
        check_attention(f"{heads} heads", n_head=heads)
    check_attention("without biases", bias=False)


def test_queries_and_keys_are_turned_where_positions_are_rotary():
    about = "queries and keys are rotated by their positions, values are not"
    for heads in (2, 1):
        check_attention(f"rotary, {heads} heads: {about}", n_head=heads, rotary=True)
    check_attention("rotary_base 10", n_head=2, rotary=True, rotary_base=10.0)


def test_heads_of_queries_may_share_heads_of_keys_and_values():
    for groups, rotary in ((1, False), (2, False), (2, True)):
        about = f"4 heads of queries, {groups} of keys and values, rotary={rotary}"
        check_attention(about, n_head=4, n_kv_head=groups, rotary=rotary)


def test_the_future_is_not_seen():
    manual_seed(0)
    layer, x = CausalSelfAttention(small()), randn(1, 6, 8)
    changed = x.clone()
    changed[:, 4:] = 0.0
    before, after = numbers(layer(x)), numbers(layer(changed))
    check(after[:, :4], before[:, :4], "positions 0 to 3 must not see 4 and 5", 1e-6)
    moved = np.abs(before[:, 4:] - after[:, 4:]).max()
    assert moved > 1e-4, f"positions 4 and 5 should change, but changed by {moved} only"


def test_the_weights_get_gradients():
    manual_seed(0)
    layer, x, grad = CausalSelfAttention(small()), randn(1, 3, 8), randn(1, 3, 8)
    layer(x).backward(grad)
    weight = layer.c_attn.weight
    for row in (0, 9, 17):  # one of the queries', the keys' and the values'
        nudged = numbers(weight)[row, :1]
        values = []
        for nudge in (1e-2, -1e-2):
            nudged += nudge
            values.append((causal_attention_by_numpy(layer, x.numpy()) * grad.numpy()).sum())
            nudged -= nudge
        wanted = (values[0] - values[1]) / 2e-2
        check(weight.grad[row, 0], wanted, f"the gradient of c_attn.weight[{row}, 0]", 1e-3)


def check_dropped(layer, x=None, about="dropout comes last"):
    manual_seed(0)
    x = ones(1, 4, 8) if x is None else x
    found, kept = numbers(layer(x)), numbers(layer.eval()(x))
    none = "nothing is dropped" if np.allclose(found, kept) else "none is"
    assert (found == 0).any(), f"{about}: some numbers are 0 while training, and {none}"
    assert (kept != 0).all(), f"in evaluation nothing is dropped, but there are zeros: {kept}"
    said = f"{about}, once: what is left is twice (p = 0.5) what it is in evaluation"
    check(found[found != 0], 2 * kept[found != 0], said)


def test_the_output_is_dropped_while_training():
    manual_seed(0)
    layer, x = CausalSelfAttention(small(dropout=0.5)), ones(1, 4, 8)
    layer.dropout = 0.0  # of the weights, in `attend`
    check_dropped(layer, x, "resid_dropout comes last")
    wanted = causal_attention_by_numpy(layer, x.numpy())
    check(layer(x), wanted, "in evaluation nothing is dropped")


def test_a_cache_is_reached_through_turned_and_attend():
    layer, calls = CausalSelfAttention(small(rotary=True)), []
    layer.turned = lambda x: calls.append("turned") or x
    layer.attend = lambda q, k, v: calls.append("attend") or v
    layer(randn(1, 3, 8))
    for name in ("attend", "turned"):
        assert name in calls, f"self.{name} must be called, which knows of a cache: {calls}"


# %% [markdown]
# Then the network for each position: out to `n_inner` numbers, by default four times the width, through GPT-2's gelu,
# and back. Two thirds of a block's parameters are in it.
#
# <details><summary>Hint 1</summary>Two <code>Linear</code> layers, which have a bias if the configuration wants one,
# and a <code>Dropout</code>. The width between them is <code>n_inner</code>, or, if that is None, four times
# <code>n_embd</code>.</details>
# <details><summary>Hint 2</summary>GPT-2 uses the tanh formula: <code>gelu(h, approximate="tanh")</code>.</details>
# <details><summary>Hint 3</summary>Forward: <code>c_fc</code>, gelu, <code>c_proj</code>, and dropout after everything
# else.</details>


# %% stub="mlp"
#| export
class MLP(Module):
    """Process each position separately: out to a larger width, through gelu (tanh), and back.

    Its layers are called `c_fc`, `c_proj` and `dropout`, which comes last; biases are as
    `config.bias` says. The width is `config.n_inner`, or four times `config.n_embd` if None.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        width = config.n_inner or 4 * config.n_embd
        self.c_fc = Linear(config.n_embd, width, bias=config.bias)
        self.c_proj = Linear(width, config.n_embd, bias=config.bias)
        self.dropout = Dropout(config.dropout)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        ### END SOLUTION


# %% test="mlp" points=4
def gelu_by_numpy(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def check_mlp(layer, wanted_shapes, about):
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    assert shapes == wanted_shapes, (
        f"{about}: the parameters are {wanted_shapes}, not {shapes}"
    )
    x = 3 * randn(2, 5, 8)
    (W, b), (P, c) = weights_of(layer.c_fc), weights_of(layer.c_proj)
    wanted = gelu_by_numpy(x.numpy() @ W.T + b) @ P.T + c
    message = f"{about}: c_proj(gelu(c_fc(x))), gelu by tanh"
    check(same(layer, x), wanted, message, dtype=np.float32)


def test_the_mlp_goes_out_and_back():
    manual_seed(0)
    shapes = {"c_fc.weight": (32, 8), "c_fc.bias": (32,)}
    check_mlp(MLP(small()), shapes | {"c_proj.weight": (8, 32), "c_proj.bias": (8,)}, "MLP")


def test_the_mlp_has_no_biases_where_none_are_wanted():
    manual_seed(0)
    shapes = {"c_fc.weight": (32, 8), "c_proj.weight": (8, 32)}
    check_mlp(MLP(small(bias=False)), shapes, "bias=False")
    shapes = {"c_fc.weight": (20, 8), "c_proj.weight": (8, 20)}
    check_mlp(MLP(small(bias=False, n_inner=20)), shapes, "bias=False, n_inner=20")


def test_the_mlps_output_is_dropped_while_training():
    manual_seed(0)
    check_dropped(MLP(small(dropout=0.5)))


# %% [markdown]
# Since Shazeer (2020, "GLU Variants Improve Transformer") many models have a *gate* in this network: two layers go out,
# one computes numbers, the other how much of each passes, and their product is projected back. These are three matrices
# in place of two, so the width is smaller: SmolLM2, which will answer you with `make milestone chat` when module 18 is
# done, has 1,536 for a C of 576.
#
# $$\mathrm{GatedMLP}(x) = W_d\,(\mathrm{silu}(W_g x) \odot W_u x)$$
#
# <details><summary>Hint 1</summary>
#
# <code>c_fc</code> makes both at once: its weight has $W_g$'s rows first, then $W_u$'s, twice the width in all.
#
# </details>
# <details><summary>Hint 2</summary><code>gate, up = self.c_fc(x).chunk(2, dim=-1)</code>. Only the gate goes through
# <code>silu</code>.</details>
# <details><summary>Hint 3</summary>Their product goes through <code>c_proj</code>, (width to C), and dropout comes
# last, as in <code>MLP</code>.</details>


# %% stub="gated-mlp"
#| export
class GatedMLP(MLP):
    """An MLP with a gate: c_proj(silu(gate) * up), gate and up made by c_fc in one product.

    Its layers are those of an `MLP`, except that `c_fc` goes out to twice the width: first all
    numbers of the gate, then all of up.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__(config)
        ### BEGIN SOLUTION
        width = self.c_fc.out_features
        self.c_fc = Linear(config.n_embd, 2 * width, bias=config.bias)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        gate, up = self.c_fc(x).chunk(2, dim=-1)
        return self.dropout(self.c_proj(silu(gate) * up))
        ### END SOLUTION


# %% test="gated-mlp" points=4
def check_gated(width, about, **changes):
    manual_seed(0)
    layer, x = GatedMLP(small(**changes)), 3 * randn(2, 5, 8)
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    wanted = {"c_fc.weight": (2 * width, 8), "c_proj.weight": (8, width)}
    if changes.get("bias", True):
        wanted |= {"c_fc.bias": (2 * width,), "c_proj.bias": (8,)}
    assert shapes == wanted, f"{about}: the parameters are {wanted}, not {shapes}"
    (W, b), (P, c) = weights_of(layer.c_fc), weights_of(layer.c_proj)
    h = x.numpy() @ W.T + b
    gate, up = h[..., :width], h[..., width:]
    wanted = (gate / (1 + np.exp(-gate)) * up) @ P.T + c
    check(same(layer, x), wanted, f"{about}: c_proj(silu(gate) * up)", dtype=np.float32)


def test_the_gate_says_how_much_passes():
    check_gated(32, "as GPT-2 is, with a gate", gated=True)
    check_gated(20, "n_inner=20, bias=False", n_inner=20, bias=False)


def test_what_the_gated_mlp_puts_out_is_dropped_while_training():
    manual_seed(0)
    check_dropped(GatedMLP(small(dropout=0.5)))


# %% [markdown]
# Now the block, as drawn above. Each of the two parts reads a normalised copy of the stream, and adds to the stream
# itself. This is *pre-norm*; the transformer of 2017 normalised the sum (*post-norm*), and you will see below what that
# does to eight layers.
#
# <details><summary>Hint 1</summary>Two lines, one for each addition.</details>
# <details><summary>Hint 2</summary>The second reads what the first has written.</details>
# <details><summary>Hint 3</summary>Each of the two parts reads a normalised x, and is added to the x that is not
# normalised.</details>


# %% stub="block"
#| export
class Block(Module):
    """Attention, then an MLP; each reads the stream normalised, and adds to the stream itself.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        self.ln_1, self.attn = norm_of(config), CausalSelfAttention(config)
        self.ln_2 = norm_of(config)
        self.mlp = GatedMLP(config) if config.gated else MLP(config)

    def forward(self, x):
        ### BEGIN SOLUTION
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))
        ### END SOLUTION


# %% test="block" points=3
class Stand(Module):
    """In place of a layer: a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def test_both_parts_add_to_the_stream():
    block = Block(small())
    for name, function in {
        "ln_1": lambda x: 4 * x,
        "attn": lambda x: x + 2,
        "ln_2": lambda x: 3 * x,
        "mlp": lambda x: x + 1,
    }.items():
        setattr(block, name, Stand(function))
    about = (
        "x = 1, ln_1 is 4x, attn is x + 2, ln_2 is 3x, mlp is x + 1: 1 + 6 = 7, 7 + 22 = 29"
    )
    check(block(ones(1, 2, 8)), np.full((1, 2, 8), 29.0), about)


def test_the_input_is_not_changed():
    same(Block(small()), randn(1, 2, 8))


def test_a_block_hands_the_gradient_of_the_stream_on():
    block, x = Block(small()), randn(1, 2, 8, requires_grad=True)
    block.attn, block.mlp = Stand(lambda x: 0 * x), Stand(lambda x: 0 * x)
    grad = randn(1, 2, 8)
    block(x).backward(grad)
    check(x.grad, numbers(grad), "with parts that add nothing the gradient passes unchanged")


# %% [markdown]
# ## 3. A GPT
#
# Token vectors plus position vectors, the blocks, a last normalisation, and a head: a Linear to the vocabulary, whose
# weight *is* the token table. The names are those of GPT-2's checkpoints: `wte` (word token embeddings), `wpe` (word
# position embeddings), `h` (hidden layers), `ln_f` (the final one). With rotary positions there is no table of
# positions, because the blocks rotate their queries and keys. `remembering(blocks, cache)`, given, lets the blocks use
# the cache of module 18 during the call; without a cache it does nothing.
#
# <details><summary>Hint 1</summary>A <code>ModuleDict</code> with the keys "wte", "wpe", "drop", "h" and "ln_f", in
# this order, "wpe" only if positions are not rotary; "h" is a <code>ModuleList</code> of Blocks, and
# <code>norm_of(config)</code> the last normalisation.</details>
# <details><summary>Hint 2</summary>Tying is an assignment:
# <code>self.lm_head.weight = self.transformer.wte.weight</code>. The head has no bias.</details>
# <details><summary>Hint 3</summary><code>stream</code>: <code>wte(idx)</code>, plus <code>wpe(positions)</code> if
# there is one; through <code>drop</code>, then each block, then <code>ln_f</code>.</details>


# %% stub="gpt"
#| export
class GPT(Module):
    """A decoder that continues text: GPT-2's architecture and names (Radford et al., 2019).

    `transformer` holds its parts, wte, wpe (not with rotary positions), drop, h and ln_f, in
    this order; `lm_head`, without a bias, has the token table as its weight.

    Shape: tokens (B, T) to logits (B, T, vocab_size), T at most `config.block_size`.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        ### BEGIN SOLUTION
        parts = {"wte": Embedding(config.vocab_size, config.n_embd)}
        if not config.rotary:
            parts["wpe"] = Embedding(config.block_size, config.n_embd)
        parts["drop"] = Dropout(config.dropout)
        parts["h"] = ModuleList([Block(config) for _ in range(config.n_layer)])
        parts["ln_f"] = norm_of(config)
        self.transformer = ModuleDict(parts)
        self.lm_head = Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.transformer.wte.weight
        ### END SOLUTION
        self.apply(self.initialise)

    def initialise(self, module):
        """Initialise as GPT-2: deviation 0.02, less for what adds to the stream; biases 0."""
        if isinstance(module, (Linear, Embedding)):
            normal_(module.weight, std=0.02)
            if getattr(module, "bias", None) is not None:
                zeros_(module.bias)
        elif isinstance(module, (CausalSelfAttention, MLP)):  # after the layers that are in it
            normal_(module.c_proj.weight, std=0.02 / math.sqrt(2 * self.config.n_layer))

    def forward(self, idx, cache=None):
        """The logits of the token after each position."""
        return self.lm_head(self.hidden(idx, cache))

    def hidden(self, idx, cache=None):
        """What the head reads: tokens (B, T) to (B, T, C); `cache` is module 18's.

        Raises:
            ValueError: if the sequence is longer than `config.block_size`.
        """
        start = 0 if cache is None else cache.length
        end = start + idx.shape[1]
        if end > self.config.block_size:
            raise ValueError(
                f"a sequence of {end} tokens is longer than block_size, "
                f"{self.config.block_size}"
            )
        with remembering(self.transformer.h, cache):
            return self.stream(idx, arange(start, end, device=idx.device))

    def stream(self, idx, positions):
        """From tokens (B, T) and their positions (T,) to the last normalisation, (B, T, C)."""
        ### BEGIN SOLUTION
        x = self.transformer.wte(idx)  # (B, T, C)
        if not self.config.rotary:
            x = x + self.transformer.wpe(positions)
        x = self.transformer.drop(x)
        for block in self.transformer.h:
            x = block(x)
        return self.transformer.ln_f(x)
        ### END SOLUTION


# %% test="gpt" points=8
def check_names(layers, expected, **changes):
    names = [name for name, _ in GPT(small(n_layer=2, n_head=4, **changes)).named_parameters()]
    names = [name.removeprefix("transformer.") for name in names]
    blocks = [f"h.{number}.{layer}" for number in (0, 1) for layer in layers]
    wanted = [*expected[:-1], *blocks, expected[-1]]
    wanted += ["ln_f.bias"] if "ln_1.bias" in layers else []
    about = f"the names of a GPT of 2 blocks, {changes or 'as GPT-2 is'}"
    missing = [name for name in wanted if name not in names]
    assert not missing, f"{about}: {len(missing)} are missing, such as {missing[:3]}"
    more = [name for name in names if name not in wanted]
    assert not more, f"{about}: {len(more)} are too many, such as {more[:3]}"
    assert names == wanted, f"{about}: in the order {wanted}, not {names}"


def test_parameters_stand_under_gpt2s_names():
    layers = ["ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"]
    weights = [f"{layer}.weight" for layer in layers]
    both = [f"{layer}.{kind}" for layer in layers for kind in ("weight", "bias")]
    check_names(both, ["wte.weight", "wpe.weight", "ln_f.weight"])
    check_names(weights, ["wte.weight", "wpe.weight", "ln_f.weight"], bias=False)
    check_names(weights, ["wte.weight", "ln_f.weight"], bias=False, rotary=True, rms_norm=True)
    parts = GPT(small(block_size=5)).transformer
    order = list(parts.keys())
    wanted = ["wte", "wpe", "drop", "h", "ln_f"]
    assert order == wanted, f"the parts of `transformer` are, in order, {wanted}, not {order}"
    sizes = [tuple(parts[name].weight.shape) for name in ("wte", "wpe")]
    about = "vocab_size=11, block_size=5, n_embd=8: the tables wte and wpe are"
    assert sizes == [(11, 8), (5, 8)], f"{about} {[(11, 8), (5, 8)]}, not {sizes}"


def test_the_head_is_the_token_table():
    model = GPT(small())
    assert model.lm_head.weight is model.transformer.wte.weight, (
        "tied: one parameter, not two that are equal"
    )
    assert model.lm_head.bias is None, f"the head has no bias, not {model.lm_head.bias}"
    sizes = model.lm_head.in_features, model.lm_head.out_features
    assert sizes == (8, 11), f"the head makes 11 logits of 8 entries: (8, 11), not {sizes}"


def check_without_blocks(by_numpy, **changes):
    """Tables and a last normalisation, with the table of tokens once more."""
    manual_seed(0)
    model, idx = GPT(small(n_layer=0, **changes)), np.array([[1, 5, 5], [0, 10, 2]])
    wte = numbers(model.transformer["wte"].weight).astype(float)
    x = wte[idx]
    if not changes.get("rotary"):
        x = x + numbers(model.transformer["wpe"].weight)[:3]
    rows = by_numpy(x.reshape(6, 8), model.config.layer_norm_epsilon)[0]
    check(model(wrap(idx)), (rows @ wte.T).reshape(2, 3, 11), f"{changes}, without blocks")


def test_without_blocks_it_is_tables_and_a_norm():
    check_without_blocks(by_numpy)
    check_without_blocks(by_numpy, layer_norm_epsilon=0.5)
    check_without_blocks(rms_by_numpy, rms_norm=True, layer_norm_epsilon=0.2)
    check_without_blocks(by_numpy, rotary=True)


def stand_in(**changes):
    """A GPT whose blocks double, and then add one; without a last normalisation."""
    model = GPT(small(n_layer=2, **changes))
    model.transformer.ln_f = Stand(lambda x: x)
    model.transformer.h = ModuleList([Stand(lambda x: 2 * x), Stand(lambda x: x + 1)])
    return model, *(numbers(model.transformer[name].weight) for name in ("wte", "wpe"))


def test_blocks_are_used_in_order():
    model, wte, wpe = stand_in()
    found = model.hidden(tensor([[3, 4]]))
    check(found[0], 2 * (wte[[3, 4]] + wpe[:2]) + 1, "doubled by block 0, one more by block 1")


def test_positions_say_where_the_sequence_goes_on():
    model, wte, wpe = stand_in()
    found = model.stream(tensor([[7, 8]]), tensor([3, 4]))
    check(found[0], 2 * (wte[[7, 8]] + wpe[3:5]) + 1, "tokens 7 and 8 at positions 3 and 4")


def test_weights_start_as_gpt2s():
    manual_seed(0)
    model = GPT(small(n_embd=64, n_layer=8, vocab_size=500))
    deviations = {
        name: float(p.detach().numpy().std()) for name, p in model.named_parameters()
    }
    starts = {"wte.weight": 0.02, "h.3.mlp.c_fc.weight": 0.02, "h.3.mlp.c_fc.bias": 0}
    starts |= {f"h.{n}.{part}.c_proj.weight": 0.005 for n, part in ((3, "mlp"), (5, "attn"))}
    for name, wanted in starts.items():
        found = deviations[f"transformer.{name}"]
        close = math.isclose(found, wanted, rel_tol=0.05)
        assert close, f"{name} starts with deviation {wanted}, not {found:.4f}"


def test_what_goes_in_is_dropped_while_training():
    for rotary in (False, True):
        manual_seed(0)
        model = GPT(small(dropout=0.5, rotary=rotary, n_layer=1))
        model.transformer.h = ModuleList([Stand(lambda x: x + 1)])
        model.transformer.ln_f, model.lm_head = Stand(lambda x: x), Stand(lambda x: x - 1)
        about = f"rotary={rotary}: drop comes after the embeddings, before block 0"
        check_dropped(model, tensor([[1, 2, 3]]), about)


def test_a_later_token_changes_no_earlier_logits():
    for rotary in (False, True):
        manual_seed(0)
        model = GPT(small(rotary=rotary))
        before, after = (
            numbers(model(tensor([[1, 2, 3, token, 5, 6]])))[0] for token in (4, 9)
        )
        about = f"rotary={rotary}, token 3 changed: logits 0 to 2 may not"
        check(after[:3], before[:3], about, 1e-6)
        moved = np.abs(after - before)[3:].max(axis=1)
        assert moved.min() > 1e-6, f"logits 3 to 5 do change, by more than {moved}"


def test_rotary_positions_know_the_order():
    manual_seed(0)
    model = GPT(small(rotary=True))
    for block in model.transformer.h:
        block.attn.c_attn.weight.array[...] *= 50  # large enough for attention to matter
    one, other = (numbers(model(tensor([tokens])))[0, -1] for tokens in ([1, 2, 3], [2, 1, 3]))
    moved = np.abs(one - other).max()
    assert moved > 1e-4, (
        f"tokens 1 and 2 exchanged: the last logits must change, but change by {moved} only"
    )


def test_a_gpt_gives_pytorchs_logits_and_loss():
    model = GPT(small(vocab_size=7, block_size=6, n_embd=4))
    for number, parameter in enumerate(model.parameters()):
        numbers = 0.5 * np.sin(np.arange(parameter.numel()) * 0.37 + number)
        parameter.array[...] = numbers.reshape(tuple(parameter.shape))
    logits = model(tensor([[1, 5, 0, 6, 2], [3, 3, 4, 1, 0]]))
    recorded = "0.3155017 0.6350498 -0.2003398 -0.6713802 0.0785895 0.6856318 0.0457452"
    recorded = np.array(recorded.split(), float)  # by PyTorch 2.13
    check(logits[0, -1], recorded, "the last logits, as PyTorch has them")
    loss = cross_entropy(logits.flatten(0, 1), tensor([5, 0, 6, 2, 4, 3, 4, 1, 0, 6])).item()
    close = math.isclose(loss, 2.0479538, abs_tol=1e-5)
    assert close, f"with these weights PyTorch's loss is 2.0479538, not {loss:.7f}"


# %% [markdown]
# ## 4. Something to beat
#
# Is a loss of 2.5 nats per character good? Without a baseline there is no way to tell. The cheapest baseline that knows
# anything about language is the *bigram* model: count how often each character follows each other one, and predict with
# these frequencies. It needs no training and one table. A transformer that does worse has learned less than a table of
# pairs.
#
# Add one to every count, so that a pair that was never seen has a small probability rather than 0: $-\ln 0$ is
# infinite.
#
# <details><summary>Hint 1</summary>A table of ones, (vocab_size, vocab_size), to which every pair
# <code>(ids[i], ids[i + 1])</code> adds one.</details>
# <details><summary>Hint 2</summary><code>np.add.at(counts, (ids[:-1], ids[1:]), 1)</code> counts pairs that occur many
# times; <code>+=</code> through an index does not.</details>
# <details><summary>Hint 3</summary>Divide by the sum of each row; look up the probabilities of the pairs of
# <code>held_out</code>; return the mean of their negative logarithms.</details>


# %% stub="bigram-loss"
#| export
def bigram_loss(ids, held_out, vocab_size):
    """Measure how well the frequencies of pairs predict the next token.

    p(b | a) = (count of ab in ids + 1) / (count of a followed by anything + vocab_size)

    Args:
        ids: the tokens that are counted, an int array (N,).
        held_out: the tokens that are predicted, an int array (M,), M at least 2.
        vocab_size: how many tokens there are.

    Returns:
        The mean of -ln p over the pairs of `held_out`, a float, in nats.

    Here p(1 | 0) = (2 + 1) / (2 + 2):

    >>> round(bigram_loss(np.array([0, 1, 0, 1]), np.array([0, 1]), 2), 4)
    0.2877
    """
    ### BEGIN SOLUTION
    counts = np.ones((vocab_size, vocab_size))
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    chances = counts / counts.sum(axis=1, keepdims=True)
    return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())
    ### END SOLUTION


# %% test="bigram-loss" points=4
def bigram_by_counting(ids, held_out, vocab_size):
    total = 0.0
    for a, b in itertools.pairwise(held_out):
        pairs = sum(1 for pair in itertools.pairwise(ids) if pair == (a, b))
        firsts = sum(1 for x in ids[:-1] if x == a)
        total -= np.log((pairs + 1) / (firsts + vocab_size))
    return total / (len(held_out) - 1)


def check_bigram(ids, held_out, vocab_size, about):
    wanted = bigram_by_counting(ids.tolist(), held_out.tolist(), vocab_size)
    found = same(lambda ids, held_out: bigram_loss(ids, held_out, vocab_size), ids, held_out)
    assert isinstance(found, float), f"the loss is a Python float, not a {type(found)}"
    close = math.isclose(found, wanted, rel_tol=2e-6, abs_tol=2e-7)  # float32 will do
    assert close, f"{about}: the loss is {wanted:.5f}, not {found:.5f}"


def test_pairs_predict_what_follows():
    ids, held_out = [1, 1, 1, 0, 0, 2, 2, 2], [0, 2, 2, 1, 2, 1, 2, 1]
    about = f"ids {ids}, held_out {held_out}"
    check_bigram(np.array(ids), np.array(held_out), 3, about)
    rng = np.random.default_rng(0)
    ids, held_out = rng.integers(0, 5, 200) // rng.integers(1, 3, 200), rng.integers(0, 5, 40)
    check_bigram(ids, held_out, 5, "200 tokens of 5 kinds")
    check_bigram(ids, held_out, 9, "a vocabulary of 9, of which 5 occur")


def test_what_was_never_seen_is_not_impossible():
    about = "after a token that was never seen all three are equally likely"
    check_bigram(np.array([0, 0, 0]), np.array([1, 2]), 3, about)


def test_a_text_that_repeats_is_easy():
    text = np.arange(2000) % 4
    check_bigram(text, text[:30], 4, "0 1 2 3 0 1 2 3 ...: each token tells the next")


# %% [markdown]
# Training and measuring need two more small things, which are given. `next_token_loss(logits, targets)` compares a
# model's logits for a batch of pieces, (B, T, V), with the token that follows each position, (B, T).
# `TokenBlocks(ids, n)` is a `Dataset` of all pieces of n tokens, each with the piece one token later.


# %%
#| export
from tinytorch.given.transformer.text import *


# %% [markdown]
# ## 5. Train it
#
# The loss of a training step says how well the model predicts text that it is learning from. What you want to know is
# how well it does on text that it has *not* seen, and only that can be compared with the bigrams on the same text. So
# first write the measurement: cut the text into pieces that the model can read, and take the mean over all predictions.
#
# Three things can go wrong here, and none raises an error. A model that is measured with dropout on looks worse than it
# is. Pieces of different length have different numbers of predictions, so the mean of their means is not the overall
# mean. And the token at the end of a piece has to be predicted too: it is the target of the one before it, and the
# first input of the next piece.
#
# ```
#     ids       a b c d e f g        block_size 3, six predictions
#     inputs    a b c | d e f
#     targets   b c d | e f g
# ```
#
# <details><summary>Hint 1</summary>A piece begins every <code>block_size</code> tokens; its targets are the same slice
# one token later. The last piece may have fewer targets, and then it needs fewer inputs.</details>
# <details><summary>Hint 2</summary>Add up each piece's mean times the number of its targets, and divide at the end by
# <code>len(ids) - 1</code>. A model reads a batch: <code>x.unsqueeze(0)</code> is a batch of one piece.
# <code>next_token_loss</code> takes its logits and such a batch of targets.</details>
# <details><summary>Hint 3</summary><code>training = model.training</code>, <code>model.eval()</code>, then everything
# under <code>no_grad()</code>, and <code>model.train(training)</code> at the end.</details>


# %% stub="held-out-loss"
#| export
def held_out_loss(model, ids):
    """Measure how well a GPT predicts a text that it was not trained on.

    The model reads the text in separate pieces of `block_size` tokens, none overlapping, so
    that every token but the first of the text is predicted once. Only the last piece may be
    shorter.

    Args:
        model: a GPT, which is measured in evaluation mode, without a graph, and then put back
            into its previous mode.
        ids: the tokens, a Tensor (N,), N at least 2.

    Returns:
        The mean loss of the N - 1 predictions, a float, in nats.
    """
    ### BEGIN SOLUTION
    training, total, size = model.training, 0.0, model.config.block_size
    model.eval()
    with no_grad():
        for start in range(0, len(ids) - 1, size):
            targets = ids[start + 1 : start + size + 1]
            inputs = ids[start : start + len(targets)]
            loss = next_token_loss(model(inputs.unsqueeze(0)), targets.unsqueeze(0))
            total += loss.item() * len(targets)
    model.train(training)
    return total / (len(ids) - 1)
    ### END SOLUTION


# %% test="held-out-loss" points=5
class Pairs(Module):
    """In place of a GPT: logits from a table of pairs, some dropped in training mode."""

    def __init__(self, block_size=4, vocab_size=6):
        super().__init__()
        self.config = GPTConfig(vocab_size=vocab_size, block_size=block_size)
        self.table = Parameter(wrap(drawn_table(vocab_size)))
        self.drop, self.graphs, self.shown, self.modes = Dropout(0.5), [], [], []

    def forward(self, idx):
        self.shown += idx.tolist()
        self.modes.append(self.drop.training)
        logits = self.drop(self.table[idx])
        self.graphs.append(logits.requires_grad)
        return logits


def drawn_table(vocab_size):
    return np.random.default_rng(0).standard_normal((vocab_size, vocab_size))


def check_held_out(count, block_size=4, training=False):
    ids = np.random.default_rng(count).integers(0, 6, count)
    starts = range(0, count - 1, block_size)
    pieces = [ids[:-1][start : start + block_size].tolist() for start in starts]
    table, model = drawn_table(6), Pairs(block_size).train(training)
    chances = np.exp(table) / np.exp(table).sum(1, keepdims=True)
    wanted = -np.log(chances[ids[:-1], ids[1:]]).mean()
    found = same(lambda ids: held_out_loss(model, ids), wrap(ids))
    about = f"{ids.tolist()} in pieces of {block_size}"
    assert isinstance(found, float), f"the loss is a Python float, not a {type(found)}"
    shown = sorted(model.shown)
    assert shown == sorted(pieces), f"{about}: it reads, sorted, {sorted(pieces)}, not {shown}"
    close = math.isclose(found, wanted, abs_tol=1e-6)
    assert close, f"{about}: the mean loss is {wanted:.4f}, not {found:.4f}"
    assert not any(model.graphs), f"{about}: a graph was made, though nothing learns"
    modes = [part.training for part in (model, model.drop)]
    assert modes == [training] * 2, f"model and dropout were in training={training}: {modes}"


def test_every_token_but_the_first_is_predicted_once():
    for count in (9, 5):
        check_held_out(count)


def test_a_shorter_last_piece_counts_for_less():
    for count in (11, 4, 2):
        check_held_out(count)
    check_held_out(30, block_size=7)


def test_a_model_that_is_training_is_measured_in_evaluation_and_goes_on():
    check_held_out(10, training=True)


# %% [markdown]
# Train on Python's own documentation, one token for each byte, with a very small GPT for some seconds; the milestone of
# this module takes longer and gets much further. In fact train two: one with GPT-2's parts, and one with `RMSNorm` and
# rotary positions, from the same seed and on the same text. `batch(n)` draws n pieces at random. The last 20,000
# characters are not used for training: the first 3,000 of them are for the measurement here, and the rest is for the
# open problem.
#
# **Predict:** a uniform guess costs 4.85 nats for a character, the table of bigrams 2.51. What does a GPT with GPT-2's
# parts reach on the same text in 120 steps?


# %%
predicted_nats = None  # nats for a character, held out


# %%
text = np.frombuffer(PythonDocs().text.encode("ascii", "ignore"), np.uint8).astype(np.int64)
train, held_out = text[:-20000], text[-20000:-17000]
baseline = bigram_loss(train, held_out, 128)
print(f"{len(text):,} characters; held out: uniform {math.log(128):.2f} nats for a character,")
print(f"bigram {baseline:.2f} nats, which are {baseline / math.log(2):.2f} bits")
blocks, held_out = TokenBlocks(wrap(train), 64), wrap(held_out)


def batch(size):
    pairs = [blocks[start] for start in randint(0, len(blocks), (size,)).tolist()]
    return stack([x for x, _ in pairs]), stack([y for _, y in pairs])


def trained(steps, **switches):
    """A small GPT trained for some steps, its optimizer, and its held-out losses."""
    manual_seed(0)
    sizes = {"vocab_size": 128, "block_size": 64, "n_layer": 2, "n_head": 4, "n_embd": 64}
    model = GPT(GPTConfig(**sizes, dropout=0.0, **switches))
    optimizer, losses = AdamW(model.parameters(), lr=3e-3), {}
    for step in range(steps + 1):
        if step % 40 == 0:
            losses[step] = held_out_loss(model, held_out)
        x, y = batch(8)
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, optimizer, losses


gpt, _, losses = trained(120)


# %%
model, optimizer, newer_losses = trained(120, rms_norm=True, rotary=True)
draw_losses({"GPT-2's parts": losses, "RMSNorm, rotary positions": newer_losses}, baseline)
plt.show()
print(f"after 120 steps: {losses[120]:.2f} and {newer_losses[120]:.2f} nats")
compare(predicted_nats, losses[120], "nats")


# %% [markdown]
# All three lines are losses on the same text, which was not used for training. Below the red line a model knows more
# than which character follows which. Does either get there in so few steps, and which is ahead? With one seed each the
# order may be chance, and two parts were exchanged at once; the open problem asks for three seeds. The next sections
# use the newer one.
#
# ## 6. Generate
#
# The model gives a distribution over the next token. Draw one, append it, ask again. Drawing from the whole
# distribution goes wrong sooner or later: if a thousand tokens have a probability of one in ten thousand each, one of
# them is drawn every ten steps or so, and the model has to continue from there. So cut them off:
#
# - *top-k* keeps the k most likely tokens;
# - *top-p* (Holtzman et al., 2019) keeps the fewest most likely tokens that reach the probability p together: few where
#   the model is confident, many where it is not.
#
# ```
#   probabilities, sorted    0.50  0.30  0.15  0.04  0.01
#   of those before          0     0.50  0.80  0.95  0.99
#   top_p = 0.9 keeps        yes   yes   yes   no    no        while those before have not reached 0.9
# ```
#
# <details><summary>Hint 1</summary>In both cases find the smallest logit that is kept, and set smaller ones to -inf:
# <code>logits.masked_fill(logits < smallest, -math.inf)</code>.</details>
# <details><summary>Hint 2</summary>For top-k it is the last of <code>logits.topk(k).values</code>; k may exceed the
# vocabulary. For top-p sort, take softmax and <code>cumsum</code>, and subtract each probability itself: that is the
# sum of those before it.</details>
# <details><summary>Hint 3</summary>Count along the last dimension how many are kept, at least one (<code>clamp</code>).
# The last of them in the sorted order is the smallest: <code>gather</code> takes it from each row.</details>


# %% stub="filter-logits"
#| export
def filter_logits(logits, top_k=None, top_p=None):
    """Rule out unlikely tokens by setting their logits to -inf.

    Args:
        logits: a Tensor (B, V).
        top_k: keep the k largest of each row, k at least 1, and whatever equals the k-th;
            None keeps all.
        top_p: then keep, of these, the fewest most likely tokens whose probabilities reach p
            (0 to 1) together, at least one, and whatever equals the least likely of them;
            None keeps all.

    Returns:
        A Tensor (B, V), of the same type, with the logits that are kept. `logits` is not
        changed.

    >>> filter_logits(tensor([[1.0, 3.0, 2.0]]), top_k=2)
    tensor([[-inf, 3., 2.]])
    """
    ### BEGIN SOLUTION
    if top_k is not None:
        smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None:
        ordered = logits.sort(descending=True).values
        probabilities = softmax(ordered, -1)
        before = probabilities.cumsum(-1) - probabilities  # of the more likely tokens
        kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
    return logits
    ### END SOLUTION


# %% test="filter-logits" points=5
def check_kept(logits, wanted, about="", **options):
    """What is kept has its logit, what is not -inf."""
    rows, about = np.float32(logits), about or f"logits {logits}"
    wanted = np.where(np.array(wanted, bool), rows, -np.inf)
    found = same(lambda logits: filter_logits(logits, **options), wrap(rows))
    check(found, wanted, f"{options} of {about}", 1e-6, np.float32)


def check_likely(chances, wanted, **options):
    check_kept(np.log(chances), wanted, f"the logarithms of {chances}", **options)


def test_top_k_keeps_the_k_largest():
    check_kept([[1, 4, 3, 2], [9, 0, 1, 8]], [[0, 1, 1, 0], [1, 0, 0, 1]], top_k=2)
    check_kept([[1, 4, 3, 2]], [[0, 1, 0, 0]], top_k=1)
    check_kept([[1, 4, 3, 2]], [[1, 1, 1, 1]], top_k=99)  # more than there are


def test_what_equals_the_kth_is_kept():
    check_kept([[3, 1, 3, 5, 3]], [[1, 0, 1, 1, 1]], top_k=2)


def test_top_p_keeps_what_is_needed_to_reach_p():
    chances = [[0.15, 0.5, 0.04, 0.3, 0.01]]
    check_likely(chances, [[1, 1, 0, 1, 0]], top_p=0.9)
    check_likely(chances, [[0, 1, 0, 1, 0]], top_p=0.75)
    check_likely(chances, [[0, 1, 0, 0, 0]], top_p=0.4)
    check_likely(chances, [[1, 1, 1, 1, 0]], top_p=0.97)
    check_kept([[0, 200, 0]], [[0, 1, 0]], top_p=0.999)


def test_what_equals_the_least_likely_that_top_p_keeps_is_kept():
    check_likely([[0.2, 0.1, 0.3, 0.2, 0.2]], [[1, 0, 1, 1, 1]], top_p=0.4)


def test_one_token_always_remains():
    check_kept([[0.0, 5.0, 1.0]], [[0, 1, 0]], top_p=0.0)


def test_each_row_is_cut_by_itself():
    chances = [[0.97, 0.01, 0.01, 0.01], [0.25, 0.26, 0.24, 0.25]]
    check_likely(chances, [[1, 0, 0, 0], [1, 1, 1, 1]], top_p=0.9)
    apart = [[1, 2, 3], [12, 11, 19]]
    check_kept(apart, [[0, 0, 1], [0, 0, 1]], top_k=1)
    check_kept(apart, [[0, 0, 1], [0, 0, 1]], top_p=0.5)


def test_both_together_and_none():
    check_likely([[0.4, 0.3, 0.2, 0.1]], [[1, 1, 0, 0]], top_k=3, top_p=0.55)
    # top_p is of what top_k has left: 0.4 is 4/7 of it
    check_likely([[0.4, 0.3, 0.2, 0.1]], [[1, 0, 0, 0]], top_k=2, top_p=0.55)
    check_likely([[0.4, 0.3, 0.2, 0.1]], [[1, 1, 1, 1]])


# %% [markdown]
# Then the draw. A *temperature* divides the logits: below 1 likely tokens become more likely, above 1 the probabilities
# become more equal, and 0 stands for the limit: always the most likely token.
#
# <details><summary>Hint 1</summary>Temperature 0 cannot be divided by: take the position of the largest, and keep the
# dimension.</details>
# <details><summary>Hint 2</summary>Divide first, then filter, then softmax.</details>
# <details><summary>Hint 3</summary><code>multinomial</code> draws one number for each row of probabilities; pass the
# generator on.</details>


# %% stub="next-token"
#| export
def next_token(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Draw a token for each row of logits.

    Args:
        logits: a Tensor (B, V).
        temperature: what the logits are divided by; with 0 the most likely token is chosen.
        top_k, top_p: as for `filter_logits`.
        generator: where the random numbers come from; None for the global one.

    Returns:
        Tokens (B, 1), int64.

    >>> next_token(tensor([[0.0, 9.0, 1.0]]), temperature=0)
    tensor([[1]])
    """
    ### BEGIN SOLUTION
    if temperature == 0:
        return logits.argmax(-1, keepdim=True)
    probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
    return multinomial(probabilities, 1, generator=generator)
    ### END SOLUTION


# %% test="next-token" points=3
def shares(logits, draws=2000, **options):
    generator = Generator().manual_seed(0)
    rows = wrap(np.tile(np.float32(logits), (draws, 1)))
    return (
        np.bincount(
            next_token(rows, generator=generator, **options).numpy().ravel(),
            minlength=len(logits),
        )
        / draws
    )


def test_temperature_0_takes_the_most_likely():
    logits = tensor([[0.0, 9.0, 1.0], [3.0, 1.0, 2.0]])
    found = same(lambda logits: next_token(logits, temperature=0), logits)
    check(found, np.array([[1], [0]]), "the places of 9 and 3", 0, np.int64)
    manual_seed(0)
    found = next_token(wrap(np.tile(np.float32([3, 1, 2]), (20, 1))), temperature=0)
    check(found, np.zeros((20, 1)), "temperature=0 of 20 times 3, 1, 2: the place of 3", 0)
    close = np.nextafter(np.float32(1), np.float32(2))  # 1.0000001
    found = next_token(wrap(np.tile(np.float32([1, close]), (20, 1))), temperature=0)
    about = "temperature=0 is not random: 1.0000001, next to 1, is chosen 20 times of 20"
    check(found, np.ones((20, 1)), about, 0)
    found = next_token(tensor([[1e32, 2e32]]), temperature=0)
    check(found, [[1]], "temperature=0 of 1e32 and 2e32: the place of 2e32", 0)


def test_tokens_are_drawn_as_often_as_they_are_likely():
    chances, said = np.array([0.1, 0.6, 0.3]), "the logits are log 0.1, log 0.6 and log 0.3"
    np.testing.assert_allclose(shares(np.log(chances)), chances, atol=0.05, err_msg=said)
    found = same(lambda logits: next_token(logits, temperature=0.5), zeros(3, 5) + 1)
    assert tuple(found.shape) == (3, 1), (
        f"a token for each row, (B, 1), not {tuple(found.shape)}"
    )
    assert found.numpy().dtype == np.int64, f"tokens are int64, not {found.numpy().dtype}"


def test_temperature_sharpens_and_flattens():
    logits = np.log([0.1, 0.6, 0.3])
    for temperature in (0.5, 3.0):
        expected = np.exp(logits / temperature)
        np.testing.assert_allclose(
            shares(logits, temperature=temperature),
            expected / expected.sum(),
            atol=0.05,
            err_msg=f"temperature={temperature}",
        )


def check_never(about, chances, never, **options):
    drawn_so = np.flatnonzero(shares(np.log(chances), **options)).tolist()
    hit = sorted(set(drawn_so) & set(never))
    assert not hit, f"{about}: tokens {never} are never drawn, and {hit} were"


def test_what_is_filtered_is_never_drawn():
    check_never("top_p=0.9", [0.3, 0.3, 0.39, 0.01], [3], top_p=0.9)
    check_never("top_k=2", [0.3, 0.1, 0.4, 0.2], [1, 3], top_k=2)
    check_never("top_k=1", [0.3, 0.1, 0.4, 0.2], [0, 1, 3], top_k=1)
    flat = int((shares(np.log([0.5, 0.3, 0.2]), temperature=100.0, top_p=0.5) > 0).sum())
    about = "the temperature comes first: two probabilities of about a third reach one half"
    assert flat == 2, f"{about}, so two tokens are drawn, not {flat}"


def test_the_generator_decides():
    one, again, other = (
        next_token(zeros(20, 50), generator=Generator().manual_seed(seed)).tolist()
        for seed in (1, 1, 2)
    )
    assert one == again, "the same state of the generator draws the same tokens"
    assert one != other, "another seed draws other tokens: is the generator passed on?"


# %% [markdown]
# The effect of the three on a distribution can be plotted. Here are the probabilities of the most likely characters
# after "The ", as the model has learned them, and what the three make of them.


# %%
with no_grad():
    logits = model(tensor([[ord(c) for c in "The "]]))[:, -1]
ways = {
    "temperature=0.5": logits / 0.5,
    "as learned": logits,
    "temperature=2": logits / 2,
    "top_k=5": filter_logits(logits, top_k=5),
    "top_p=0.7": filter_logits(logits, top_p=0.7),
}
draw_chances({name: softmax(changed, -1)[0].numpy() for name, changed in ways.items()})
plt.show()


# %% [markdown]
# The temperature changes the ratios of the probabilities, and every token keeps a positive one. The other two keep the
# order and the ratios, and distribute the probability of the removed tokens among the rest.
#
# Now the loop. The model sees at most `block_size` tokens, so pass it the last ones. Of its output only the last
# position matters, so apply the head only to that one. No gradients are needed: `no_grad` is on the function already.
# Two helpers are given. `hidden_of(model, window, cache)`, imported with the normalisations, returns what the head
# reads, (B, T, C); you only pass on the `cache`, which makes this faster in module 18.
# `finished_by(token, idx, finished, ends)` returns the tokens to append, and which sequences are finished: a sequence
# that has reached a stop token gets it again while others continue.
#
# <details><summary>Hint 1</summary>At most <code>max_new_tokens</code> times: window, hidden, logits of the last
# position, token, append.</details>
# <details><summary>Hint 2</summary><code>idx[:, -model.config.block_size:]</code> is the window;
# <code>model.lm_head(hidden_of(model, window, cache)[:, -1])</code> the logits, (B, V).</details>
# <details><summary>Hint 3</summary>Call <code>finished_by</code> before you append the new token; it returns the token,
# replaced in rows that had ended. When all have ended, leave the loop.</details>


# %% stub="generate"
#| export
@no_grad()
def generate(
    model, idx, max_new_tokens, temperature=1.0, top_k=None, top_p=None, stop=None,
    generator=None, cache=None,
):  # fmt: skip
    """Continue sequences, one token at a time.

    Args:
        model: a GPT, in any mode; the mode does not change.
        idx: the tokens so far, (B, T), T at least 1.
        max_new_tokens: how many to add at most.
        temperature, top_k, top_p, generator: as for `next_token`.
        stop: a token, or several, which once added complete a sequence; while others continue
            it is filled up with that token.
        cache: for `hidden_of`: what remembers keys and values, from module 18.

    Returns:
        The tokens, including the added ones, (B, T + n).
    """
    ends, finished = ends_of(stop), np.zeros((len(idx), 1), bool)
    ### BEGIN SOLUTION
    for _ in range(max_new_tokens):
        window = idx[:, -model.config.block_size :]
        hidden = hidden_of(model, window, cache)
        token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        token, finished = finished_by(token, idx, finished, ends)
        idx = cat([idx, token], 1)
        if finished.all():
            break
    return idx
    ### END SOLUTION


# %% test="generate" points=5
class Counting(Module):
    """In place of a GPT: the token after t is t + 1. It records its inputs."""

    def __init__(self, block_size=4, vocab_size=20):
        super().__init__()
        self.config, self.shown, self.heads = (
            GPTConfig(vocab_size=vocab_size, block_size=block_size),
            [],
            [],
        )

    def hidden(self, idx, cache=None):
        self.shown.append(idx.tolist())
        return idx.float().unsqueeze(-1)  # (B, T, 1)

    def forward(self, idx, cache=None):
        return self.lm_head(self.hidden(idx, cache))

    def lm_head(self, hidden):
        self.heads.append(tuple(hidden.shape))
        return -((hidden + 1 - arange(self.config.vocab_size).float()) ** 2)


def check_written(starts, wanted, about, block_size=4, count=9, **options):
    manual_seed(0)
    model = Counting(block_size)
    found = same(lambda idx: generate(model, idx, count, **options), tensor(starts)).tolist()
    assert found == wanted, f"{about}: {wanted}, not {found}"
    assert model.training, f"{about}: the model was in training mode, and must stay in it"
    return model


def test_each_token_is_appended():
    wanted = [[1, 2, 3, 4, 5], [7, 8, 9, 10, 11]]
    check_written([[1, 2], [7, 8]], wanted, "3 more, temperature=0", count=3, temperature=0)
    check_written([[5]], [[5]], "no new tokens", count=0)


def test_the_model_sees_the_last_block_size_tokens():
    model = check_written([[1, 2]], [[1, 2, 3, 4, 5]], "three more", 3, 3, temperature=0)
    wanted = [[[1, 2]], [[1, 2, 3]], [[2, 3, 4]]]
    assert model.shown == wanted, f"windows of at most 3: {wanted}, not {model.shown}"
    sizes = [math.prod(shape) for shape in model.heads]
    assert sizes == [1, 1, 1], f"the head works on one position at a time, not on {sizes}"


def test_a_stop_token_ends_it():
    check_written([[1]], [[1, 2, 3, 4]], "stop=4", temperature=0, stop=4)
    check_written([[1]], [[1, 2, 3]], "stop=[9, 3]", temperature=0, stop=[9, 3])
    check_written([[-1]], [[-1, 0]], "stop=0 is a stop token too", temperature=0, stop=0)
    wanted = [[1, 2, 3, 4, 5], [3, 4, 5, 5, 5]]
    about = "stop=5: a finished sequence is filled up while the other continues"
    check_written([[1], [3]], wanted, about, temperature=0, stop=5)


def test_all_options_reach_next_token():
    manual_seed(0)
    wanted = [list(range(1, 11)), list(range(4, 14))]
    for options in ({"top_k": 1}, {"top_p": 0.0}, {"temperature": 1e-3}):
        check_written([[1], [4]], wanted, f"{options} leaves no chance", **options)
    one, again, other = (
        generate(
            Counting(), tensor([[1]]), 12, generator=Generator().manual_seed(seed)
        ).tolist()
        for seed in (3, 3, 4)
    )
    assert one == again, "the same state of the generator writes the same tokens"
    assert one != other, "another seed writes other tokens: is the generator passed on?"


def test_no_graph_is_kept():
    found = generate(GPT(small()), tensor([[1]]), 2)
    assert not found.requires_grad, "what was generated requires no gradient"


def test_a_cache_is_handed_on():
    windows = []

    class Cache:
        def unseen(self, window):
            windows.append(window.tolist())
            return window[:, -1:]

    model = check_written(
        [[1, 2]], [[1, 2, 3, 4]], "a cache", 4, 2, temperature=0, cache=Cache()
    )
    wanted = [[[2]], [[3]]]
    assert model.shown == wanted, f"with a cache hidden_of shows {wanted}, not {model.shown}"
    whole = [[[1, 2]], [[1, 2, 3]]]
    assert windows == whole, f"hidden_of gets the whole windows {whole}, not {windows}"


# %% [markdown]
# `model.generate(...)` is given: it calls yours in evaluation mode, with an optional `seed`, and with a cache from
# module 18 on.


# %%
#| export
from tinytorch.given.transformer.sampling import *


# %%
prompt = tensor([[ord(c) for c in "The "]])
for options in (
    {"temperature": 0},
    {"temperature": 0.8},
    {"temperature": 1.0, "top_p": 0.9},
    {"temperature": 3.0},
):
    written = model.generate(prompt, 60, seed=0, **options)[0].tolist()
    print(f"{options!s:36} {bytes(written).decode('ascii', 'replace')!r}")


# %% [markdown]
# Compare the lines: how often does the first one repeat itself, and which of them still has pairs of letters that occur
# in words? A hundred and twenty steps of a small model produce text that only looks like language from a distance.
#
# ## 7. GPT-2's weights
#
# OpenAI's checkpoints are files of named tensors. Your names are nearly the same, on purpose. Three things differ:
# GPT-2 was written with a layer called `Conv1D` whose weight is (in, out), so four weights of each block are
# transposed; its files hold the mask as a buffer, `attn.bias`, which is not a weight; and some files put `transformer.`
# before every name, some do not. The head is the token table, and is often not in the file.
#
# <details><summary>Hint 1</summary><code>name.removeprefix("transformer.")</code> first; then all names look
# alike.</details>
# <details><summary>Hint 2</summary><code>name.endswith((".attn.bias", ".attn.masked_bias"))</code> is a buffer. Note
# that <code>attn.c_attn.bias</code> is not one.</details>
# <details><summary>Hint 3</summary>The names of transposed weights end in one of TRANSPOSED:
# <code>name.endswith(TRANSPOSED)</code>. At the end assign the array of the token table to the head.</details>


# %% stub="gpt2-state"
#| export
LAYERS = "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"
TRANSPOSED = tuple(f"{layer}.weight" for layer in LAYERS)


def gpt2_state(tensors):
    """Rename the tensors of a GPT-2 checkpoint to those of a `GPT`.

    - "transformer." is put before names that lack it;
    - the weights named in TRANSPOSED are (in, out) there, and (out, in) here;
    - the buffers `attn.bias` and `attn.masked_bias`, which hold the mask, are left out;
    - the head, "lm_head.weight", is the table "transformer.wte.weight", whether or not the
      checkpoint has it.

    Args:
        tensors: a dict from names to arrays.

    Returns:
        A dict from a GPT's names to arrays.
    """
    ### BEGIN SOLUTION
    state = {}
    for name, array in tensors.items():
        name = name.removeprefix("transformer.")
        if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight":
            continue
        state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
    state["lm_head.weight"] = state["transformer.wte.weight"]
    return state
    ### END SOLUTION


# %% test="gpt2-state" points=5
def checkpoint(prefix=""):
    """The tensors of a GPT-2 with one layer, width 4, vocabulary 6, as its files have them."""
    rng, half = np.random.default_rng(0), {"c_attn": (4, 12), "c_proj": (4, 4)}
    shapes = {"wte.weight": (6, 4), "wpe.weight": (8, 4)}
    shapes |= {
        f"{norm}.{kind}": (4,)
        for norm in ("ln_f", "h.0.ln_1", "h.0.ln_2")
        for kind in ("weight", "bias")
    }
    weights = {f"attn.{name}": shape for name, shape in half.items()}
    weights |= {"mlp.c_fc": (4, 16), "mlp.c_proj": (16, 4)}
    shapes |= {f"h.0.{name}.weight": shape for name, shape in weights.items()}
    shapes |= {f"h.0.{name}.bias": shape[1:] for name, shape in weights.items()}
    shapes = {"h.0.attn.bias": (1, 1, 8, 8), "h.0.attn.masked_bias": ()} | shapes
    return {
        prefix + name: np.asarray(rng.standard_normal(shape), np.float32)
        for name, shape in shapes.items()
    }


def check_state(given, about):
    """The GPT's names, each with its shape, and the checkpoint unchanged."""
    before = {name: x.copy() for name, x in given.items()}
    found, model = gpt2_state(given), GPT(small(vocab_size=6, n_layer=1, n_embd=4))
    assert set(given) == set(before), f"{about}: the checkpoint itself was changed"
    shapes = {name: tuple(x.shape) for name, x in found.items()}
    wanted = {name: tuple(x.shape) for name, x in model.state_dict().items()}
    wrong = sorted(set(shapes.items()) ^ set(wanted.items()))
    assert not wrong, f"{about}: too many, missing or of another shape are {wrong}"
    return found


def test_the_names_are_those_of_a_gpt():
    for prefix in ("", "transformer."):
        check_state(checkpoint(prefix), f"prefix {prefix!r}")


def test_four_weights_are_transposed_and_no_others():
    given, buffers = checkpoint(), ("h.0.attn.bias", "h.0.attn.masked_bias")
    wanted = {name: x.copy() for name, x in given.items() if name not in buffers}
    for layer in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
        wanted[f"h.0.{layer}.weight"] = wanted[f"h.0.{layer}.weight"].T
    found = gpt2_state(given)
    for name, x in wanted.items():
        check(found[f"transformer.{name}"], x, name, 0)


def test_the_head_is_the_table_whatever_the_file_says():
    for prefix in ("", "transformer."):
        given = {"lm_head.weight": np.zeros((6, 4), np.float32)} | checkpoint(prefix)
        about = f"a checkpoint that has lm_head.weight, and prefix {prefix!r}"
        found = check_state(given, about)["lm_head.weight"]
        check(found, given[f"{prefix}wte.weight"], "the head is the table wte.weight", 0)


# %% [markdown]
# `GPT.from_pretrained(folder)`, given, reads `config.json` and `model.safetensors` from a folder, and loads them
# through your `gpt2_state`. Also given are the same parts in PyTorch's own arrangement, `TransformerEncoderLayer` and
# `TransformerEncoder`: `MultiheadAttention`, two linear layers, and the normalisation before or after. You will need
# them soon. `Transformer` is the network of 2017 for translation: such an encoder, and a decoder whose layers also
# attend to the encoder's output.


# %%
#| export
from tinytorch.given.transformer.pretrained import *
from tinytorch.given.transformer.encoder import *
from tinytorch.given.transformer.decoder import *


# %% [markdown]
# GPT-2's own file is half a gigabyte. The first GPT of section 5 has the same architecture and is small: write its
# weights in the format of OpenAI's files, under short names and with four of each block transposed, and read them back.


# %%
tensors = {}
for name, x in gpt.transformer.state_dict().items():
    array = x.detach().numpy()
    tensors[name] = np.ascontiguousarray(array.T if name.endswith(TRANSPOSED) else array)
sizes = {key: vars(gpt.config)[key] for key in ("vocab_size", "n_layer", "n_head", "n_embd")}
with tempfile.TemporaryDirectory() as folder:
    save_file(tensors, Path(folder, "model.safetensors"))
    Path(folder, "config.json").write_text(json.dumps(sizes | {"n_positions": 64}))
    loaded = GPT.from_pretrained(folder)
one, other = (held_out_loss(network, held_out) for network in (gpt, loaded))
print(f"held-out loss of the trained GPT {one:.6f}, of the loaded one {other:.6f}")


# %% [markdown]
# ## Systems: what a GPT costs
#
# You can compute it without running anything. Per layer: 3C² + C² weights for attention, 8C² for the MLP, so 12C²; the
# biases of the four layers are 3C + C + 4C + C, and two norms with gain and shift 4C, so 13C. A weight takes 4 bytes,
# and with AdamW 16: itself, its gradient and two moments. Per token and parameter: one multiplication and one addition
# forward, twice that backward; and attention's two products with up to T positions. Count by formula, and check the
# formula on a small model.


# %%
def size(config):
    """Parameters, and the operations of a forward pass for one token at full length."""
    C, L, T, V = config.n_embd, config.n_layer, config.block_size, config.vocab_size
    parameters = V * C + T * C + L * (12 * C * C + 13 * C) + 2 * C
    return parameters, 2 * (12 * L * C * C + V * C) + 4 * L * T * C


check_config = GPTConfig(vocab_size=128, block_size=64, n_layer=2, n_head=4, n_embd=64)
counted = sum(p.numel() for p in GPT(check_config).parameters())
print("by formula and by counting:", size(check_config)[0], counted)
sizes = {"small": (12, 768), "medium": (24, 1024), "large": (36, 1280), "XL": (48, 1600)}
for name, (L, C) in sizes.items():
    parameters, flops = size(GPTConfig(n_layer=L, n_embd=C))
    print(
        f"GPT-2 {name:6} {parameters / 1e6:7.1f} M weights, {parameters * 4 / 1e9:4.1f} GB, "
        f"with AdamW {parameters * 16 / 1e9:5.1f} GB; "
        f"{flops / 1e9:4.2f} GFLOP for a token forward, "
        f"{3 * flops * 1024 / 1e12:5.2f} TFLOP for 1,024 tokens of training"
    )


# %% [markdown]
# And how long does it take? Time a step of the small model, and divide: how many operations per second is that?


# %%
x, y = batch(12)
times = []
for _ in range(5):
    start_time = time.perf_counter()
    loss = next_token_loss(model(x), y)
    forward_time = time.perf_counter() - start_time
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    times.append((forward_time, time.perf_counter() - start_time))
forward_time, whole = sorted(times)[2]
work = size(model.config)[1] * x.numel()
print(
    f"forward {forward_time * 1e3:.1f} ms, {work / forward_time / 1e9:.0f} GFLOP/s; "
    f"step {whole * 1e3:.1f} ms, {3 * work / whole / 1e9:.0f} GFLOP/s"
)
square, product_times = np.ones((768, 768), np.float32), []
for _ in range(5):
    start_time = time.perf_counter()
    square @ square
    product_times.append(time.perf_counter() - start_time)
print(
    "a product of two (768, 768) matrices: "
    f"{2 * 768**3 / sorted(product_times)[2] / 1e9:.0f} GFLOP/s"
)


# %% [markdown]
# A product of large matrices reaches several times that on the same processor. A model of width 64 has only small
# products, with norms, softmax and additions between them, which count no operations here but take time. Module 14
# analyses this, and module 17 improves it.
#
# ## Break it
#
# **Post-norm at depth.** The encoder of 2017 normalises the sum, and every gradient passes through every normalisation
# on its way down (Xiong et al., 2020). Train both kinds on a small task (eight digits backwards), two layers deep and
# eight, with the same learning rate and without a warm-up. Guessing costs $\ln 10 = 2.30$. In addition to the loss,
# look at the gradients that arrive at each of the eight layers in the last step.
#
# **Predict:** in which order do the four end, from the lowest loss to the highest?


# %%
predicted_order = None  # as ["pre-norm, 2 layers", "post-norm, 2 layers", ...], all four


# %%
def backwards(depth, norm_first, steps=25):
    """The losses of an encoder that learns to say digits backwards; its last gradients."""
    manual_seed(0)
    tokens, places, head = Embedding(10, 32), Embedding(8, 32), Linear(32, 10)
    options = {"batch_first": True, "norm_first": norm_first}
    layers = [TransformerEncoderLayer(32, 4, 64, 0.0, **options) for _ in range(depth)]
    parameters = [p for part in (tokens, places, head, *layers) for p in part.parameters()]
    optimizer, found = AdamW(parameters, lr=0.01), []
    for _ in range(steps):
        digits = randint(0, 10, (16, 8))
        x = tokens(digits) + places(arange(8))
        for layer in layers:
            x = layer(x)
        loss = next_token_loss(head(x), digits.flip(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found, [layer.linear1.weight.grad.norm().item() for layer in layers]


runs, ends = {}, {}
for depth, norm_first in itertools.product((2, 8), (False, True)):
    about = f"{'pre' if norm_first else 'post'}-norm, {depth} layers"
    runs[about] = found, _ = backwards(depth, norm_first)
    ends[about] = np.mean(found[-10:])
    print(f"{about:20} loss of the last ten steps {ends[about]:.2f}")
draw_depths(runs)
plt.show()
compare(predicted_order, ends)


# %% [markdown]
# Compare the two solid lines with 2.30. Eight layers with post-norm have lost their gradient after 25 steps: the
# gradient at the first layer is a small fraction of that at the last. In the pre-norm stack the residual stream passes
# gradients through unchanged, so what the last layer needs reaches the first layer. What helps a deep post-norm stack
# is a small learning rate at first, slowly raised: the warm-up of module 08.
#
# **A missing mask.** Without it, training looks better than ever. A reliable test is to train on *noise*. Random tokens
# cannot be predicted, so an honest loss on fresh ones does not fall below $\ln V$.


# %%
class SeesAll(CausalSelfAttention):
    def attend(self, q, k, v):
        return scaled_dot_product_attention(q, k, v)


def moved_logits(network, last=7):
    """The positions whose logits change if the token at position `last` changes."""
    tokens = randint(0, 8, (1, 8))
    changed = tokens.clone()
    changed[0, last] = (tokens[0, last] + 1) % 8
    with no_grad():
        moved = (network(tokens) - network(changed)).abs().amax(-1)[0]
    return np.flatnonzero(moved.numpy() > 1e-5).tolist()


def noise_loss(network, steps=80):
    """The loss of the last steps of training on random tokens."""
    optimizer, found = AdamW(network.parameters(), lr=0.01), []
    for _ in range(steps):
        noise = randint(0, 8, (16, 9))
        loss = next_token_loss(network(noise[:, :-1]), noise[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return np.mean(found[-10:])


tiny = GPTConfig(vocab_size=8, block_size=8, n_layer=1, n_head=2, n_embd=32, dropout=0.0)
print(f"ln 8 = {math.log(8):.2f}")
for name, attention in (("with the mask", CausalSelfAttention), ("without", SeesAll)):
    manual_seed(0)
    network = GPT(tiny)
    network.transformer.h[0].attn.__class__ = attention
    positions = moved_logits(network)
    print(
        f"{name:13}: the last token changes logits {positions}, loss {noise_loss(network):.2f}"
    )


# %% [markdown]
# Without the mask the model simply reads the answers. Another test needs no training: change the last token, and see
# which logits change. Its own have to, or the model ignores its input; no others may. It is one of the tests that your
# `GPT` passed.
#
# **A loss that is too good.** If the loss falls far below what you have ever seen, check whether the model sees the
# future: a missing mask, or targets that are not shifted. A model can know little about the next token, but everything
# about the current one.


# %%
x, y = batch(4)
print(
    f"next token {next_token_loss(model(x), y):.2f} nats; "
    f"with targets that are not shifted {next_token_loss(model(x), x):.2f}"
)


# %% [markdown]
# Here the second number is large, because the model was trained to predict the next token. Had it been trained with
# targets that are not shifted, the second number would be near zero, and it would write the same letter forever.
#
# **Too long.** Position 64 of 64 has no vector. `GPT` says so; a table in plain NumPy would say so less clearly.


# %%
try:
    model(zeros(1, 65).long())
except ValueError as error:
    print(error)


# %% [markdown]
# ## A program to fix
#
# This program builds a small GPT with its own attention, and trains it. It has to learn random tokens, of which there
# are eight kinds, so no honest loss can be below $\ln 8 = 2.08$. Run it, and look at what it prints.


# %%
class SmallAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.n_head = config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def forward(self, x):
        B, T, C = x.shape
        parts = self.c_attn(x).chunk(3, -1)
        q, k, v = (part.reshape(B, self.n_head, T, C // self.n_head) for part in parts)
        allowed = tensor(np.tri(T, k=1, dtype=bool))
        y = scaled_dot_product_attention(q, k, v, allowed)
        return self.c_proj(y.reshape(B, T, C))


def learn(model, ids, optimizer):
    loss = next_token_loss(model(ids[:, :-1]), ids[:, :-1])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


def measure(model, ids):
    with no_grad():
        return next_token_loss(model(ids[:, :-1]), ids[:, 1:]).item()


def try_training(steps=60):
    manual_seed(0)
    model = GPT(GPTConfig(8, 8, n_layer=1, n_head=2, n_embd=32, dropout=0.1))
    model.transformer.h[0].attn = SmallAttention(model.config)
    optimizer, unseen = AdamW(model.parameters(), lr=0.01), randint(0, 8, (64, 9))
    found = [learn(model, randint(0, 8, (16, 9)), optimizer) for _ in range(steps)]
    print(f"learning, last 10 steps: {np.mean(found[-10:]):.2f} nats, ln 8 is 2.08")
    print(f"held out: {measure(model, unseen):.4f}, again: {measure(model, unseen):.4f}")
    print("logits that the last token changes:", moved_logits(model.eval()))


try_training()


# %% [markdown]
# The loss is too good, the same text has two losses, and the last token changes the logits of the one before it. Four
# things are wrong, and none raises an error; the output does not show all four. You have the tools: a loss on noise,
# `moved_logits`, which also shows what a token in the middle changes, the formula of attention, and a check of what is
# compared with what. Write the corrected program here, under the same names, and call `try_training()` again.
#
# <details><summary>Hint 1</summary>What is the model asked to predict at each position, and what does it see there?
# Compare the two arguments of <code>next_token_loss</code> in both functions.</details>
# <details><summary>Hint 2</summary>Which functions only measure? Look at what <code>held_out_loss</code> does before
# and after.</details>
# <details><summary>Hint 3</summary>Print <code>np.tri(4, k=1)</code>: what may position 0 see? Then look at how a
# position's numbers come into heads in module 12: <code>reshape</code> to (B, H, T, d) gives a head numbers of other
# positions. <code>split_heads</code> did it in two steps, and <code>join_heads</code> undid both.</details>


# %% stub="mend-training"
#| export
class SmallAttention(Module):
    """Causal attention with several heads.

    `c_attn` makes all queries, then all keys, then all values, each head by head; a position
    looks at itself and at those before it; `c_proj` mixes what the heads found.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        self.n_head = config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def forward(self, x):
        ### BEGIN SOLUTION
        B, T, C = x.shape
        parts = self.c_attn(x).chunk(3, -1)
        q, k, v = (part.reshape(B, T, self.n_head, -1).transpose(1, 2) for part in parts)
        allowed = tensor(np.tri(T, dtype=bool))
        y = scaled_dot_product_attention(q, k, v, allowed)
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        ### END SOLUTION


#| export
def learn(model, ids, optimizer):
    """Take a step towards predicting each next token of ids (B, T + 1).

    When it returns, the gradients are zero or None. The loss is returned as a float, without
    its graph.
    """
    ### BEGIN SOLUTION
    loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()
    ### END SOLUTION


#| export
def measure(model, ids):
    """Return the loss on ids (B, T + 1), a float, in evaluation mode; the mode is kept."""
    ### BEGIN SOLUTION
    training = model.training
    model.eval()
    with no_grad():
        loss = next_token_loss(model(ids[:, :-1]), ids[:, 1:]).item()
    model.train(training)
    return loss
    ### END SOLUTION


# %% test="mend-training" points=6
def test_the_small_attention_does_not_see_the_future():
    manual_seed(0)
    layer, x = SmallAttention(small()), randn(1, 6, 8)
    for position in range(1, 6):
        changed = x.clone()
        changed[:, position] = 0.0
        before, after = numbers(layer(x)), numbers(layer(changed))
        about = f"position {position} changed: those before it must not move"
        check(after[:, :position], before[:, :position], about, 1e-6)


def test_the_small_attention_is_that_of_its_weights():
    for heads in (1, 2, 4):
        manual_seed(0)
        layer, x = SmallAttention(small(n_head=heads)), randn(2, 5, 8)
        check(layer(x), causal_attention_by_numpy(layer, x.numpy()), f"{heads} heads")


def pairs_and_loss():
    """A model of pairs, tokens, their loss, and its gradient with respect to the table."""
    ids, table = np.random.default_rng(1).integers(0, 6, (3, 5)), drawn_table(6)
    chances = np.exp(table) / np.exp(table).sum(1, keepdims=True)
    first, then = ids[:, :-1].ravel(), ids[:, 1:].ravel()
    gradient = np.zeros_like(table)
    np.add.at(gradient, first, (chances[first] - np.eye(6)[then]) / len(first))
    return Pairs(), ids, -np.log(chances[first, then]).mean(), gradient


def test_learning_is_to_predict_the_next_token():
    model, ids, wanted, gradient = pairs_and_loss()
    model.drop.p = 0.0
    optimizer = SGD([model.table], lr=0.5)
    for step in range(2):
        before = numbers(model.table).copy()
        found = same(lambda ids: learn(model, ids, optimizer), wrap(ids))
        assert isinstance(found, float), f"the loss is a Python float, not a {type(found)}"
        if step == 0:
            close = math.isclose(found, wanted, abs_tol=1e-6)
            assert close, f"the loss is {wanted:.4f}, not {found:.4f}"
            check(model.table, before - 0.5 * gradient, "the table after a step with lr=0.5")
    modes = [*model.modes, model.training]
    assert all(modes), f"a model in training mode learns in it, and stays in it, not {modes}"
    left = 0 if model.table.grad is None else np.abs(numbers(model.table.grad)).max()
    assert left == 0, f"gradients are zero after a step, and the largest is {left}"


def test_measuring_leaves_the_model_as_it_was():
    for training in (True, False):
        model, ids, wanted, _ = pairs_and_loss()
        found = measure(model.train(training), wrap(ids))
        about = f"a model with training={training}"
        assert isinstance(found, float), f"the loss is a Python float, not a {type(found)}"
        close = math.isclose(found, wanted, abs_tol=1e-6)
        assert close, f"{about}: in evaluation the loss is {wanted:.4f}, not {found:.4f}"
        modes = [part.training for part in (model, model.drop)]
        assert modes == [training] * 2, f"{about} must stay so, and its dropout too: {modes}"


# %% [markdown]
# ## In PyTorch
#
# ```python
# norm = torch.nn.LayerNorm(768)
# gelu = lambda x: torch.nn.functional.gelu(x, approximate="tanh")     # activation="gelu" is the exact one
# layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, activation=gelu, norm_first=True, batch_first=True)
# model = transformers.GPT2LMHeadModel.from_pretrained("gpt2")     # the same names, the same numbers
# model.generate(ids, max_new_tokens=40, do_sample=True, top_p=0.9)
# ```
#
# With a causal mask such an encoder layer computes the same as your `Block`: here "decoder" only means that it may not
# look ahead.
#
# ## Questions to think about
#
# 1. Layer normalisation removes a vector's mean and length. What can the network still know about them, and where?
#
#    <details><summary>Answer</summary>
#
#    Only the *copy* that a part reads is normalised; the stream keeps both, and its length matters: a vector of fixed
#    length that is added turns a long stream less than a short one. A part, however, sees only a direction: it gets the
#    same input for $x$ and for $2x + 5$. There is one way around it. If the network keeps some entry of the stream at a
#    constant, say 1, then after normalisation that entry is $(1 - \mu)/\sigma$; with a second one, say 0, which becomes
#    $-\mu/\sigma$, both mean and deviation can be computed again.
#
#    ```python
#    x = randn(2, 6)
#    print((normalise(x, 0.0)[0] - normalise(2 * x + 5, 0.0)[0]).abs().max())
#    ```
#
#    </details>
#
# 2. The weights that add to the stream start smaller by $\sqrt{2L}$. What does the variance of the stream do without
#    it, after L layers?
#
#    <details><summary>Answer</summary>
#
#    It grows linearly. Each of the 2L parts reads a normalised copy, so it adds a vector of about the same variance
#    $v$, however long the stream is, and independent ones add up: $v_0 + 2Lv$. With weights smaller by $\sqrt{2L}$ each
#    adds $v/2L$, and the sum is $v_0 + v$ at any depth. For 24 layers of width 64 the variance went from 0.0008 to
#    0.0012 with the scale, and to 0.021 without:
#
#    ```python
#    config = GPTConfig(128, 64, n_layer=24, n_head=4, n_embd=64, dropout=0.0)
#    for factor in (1, math.sqrt(2 * config.n_layer)):
#        manual_seed(0)
#        parts = GPT(config).transformer
#        with no_grad():
#            x = parts.wte(randint(0, 128, (8, 64))) + parts.wpe(arange(64))
#            for block in parts.h:
#                block.attn.c_proj.weight.mul_(factor)
#                block.mlp.c_proj.weight.mul_(factor)
#                x = block(x)
#        print(f"{x.var().item():.4f}")
#    ```
#
#    </details>
#
# 3. Generating n tokens without a cache calls the model n times on ever longer sequences. How does the work grow, and
#    what is recomputed each time?
#
#    <details><summary>Answer</summary>
#
#    Call number i runs i positions, so the linear layers process $n(n+1)/2$ positions in place of n: for 1,000 tokens
#    500,500, five hundred times as many. Attention takes $i^2$ pairs in call i, so about $n^3/3$ in place of $n^2/2$.
#    (Once the text is longer than `block_size` T, each call costs the same, that of T positions.) What is recomputed
#    are the vectors of all earlier positions in every layer, and because of the causal mask they come out as before;
#    only the last position is new. Its attention needs the keys and values of the others, and nothing else of them:
#    these are what module 18 keeps.
#
#    </details>
#
# 4. Why is the bigram loss an upper bound for what a trained model should reach on this text, and what would a *lower*
#    bound be?
#
#    <details><summary>Answer</summary>
#
#    The model reads the token before as well, so everything that the table knows is within its reach: a model that is
#    large enough, and trained for long enough, should do at least as well. It is no bound for a short training: the
#    first GPT of section 5 stayed above it. A lower bound is the entropy of the text, what is left uncertain even if
#    everything that came before is known and understood. Nobody can compute it for a language. Every model, and every
#    compression program, only gives a better upper bound: `lzma` packs this text into 1.62 bits, 1.12 nats, a
#    character.
#
#    ```python
#    import lzma
#
#    data = PythonDocs().text.encode("ascii", "ignore")
#    bits = 8 * len(lzma.compress(data)) / len(data)
#    print(f"{bits:.2f} bits, {bits * math.log(2):.2f} nats")
#    ```
#
#    </details>
#
# 5. With tied weights, a token's vector serves both to recognise it and to predict it. When would you not want that?
#
#    <details><summary>Answer</summary>
#
#    When the two roles disagree. Reading, vectors should be alike where tokens *mean* the same; predicting, where they
#    *follow* the same. Without layers between them, tied logits are $E E^\top$, which is symmetric: a score for "u
#    after q" would be that of "q after u". The blocks have to undo this, and at the start they do not: a new tied GPT
#    predicts the token that it has just read, in 98 % of the positions below. So tie where the table is a large part of
#    a small model; in a large one two tables cost little (module 11), and input and output may even have different
#    vocabularies, as in translation.
#
#    ```python
#    manual_seed(0)
#    fresh = GPT(GPTConfig(128, 64, n_layer=2, n_head=4, n_embd=64, dropout=0.0))
#    ids = randint(0, 128, (8, 64))
#    with no_grad():
#        print((fresh(ids).argmax(-1) == ids).float().mean())
#    ```
#
#    </details>
#
# ## An open problem
#
# How little is enough? Make a GPT with at most 60,000 parameters whose held-out loss is as low as that of the one of
# section 5, which has about twice as many, after as many tokens of training. You may change width, depth, heads, the
# two switches, the learning rate and its schedule, the batch and the optimizer, but not the text. There are no points
# for it.
#
# To check: count `sum(p.numel() for p in model.parameters())`, and measure `held_out_loss(model, held_out)` for three
# seeds, of your model and of `trained(120)`. You are done when the mean of your three is not above the mean of the
# other three. Whatever you choose by looking at `held_out` is fitted to it: choose on `text[-17000:]`, which was not
# used for training either, and look at `held_out` last.


# %%
train_small = None  # your function of a seed: it returns a trained GPT


def test_a_small_gpt_is_as_good_as_one_of_twice_its_size():
    models = [train_small(seed) for seed in range(3)]
    count = sum(p.numel() for p in models[0].parameters())
    assert count <= 60_000, f"{count:,} parameters"
    found = [held_out_loss(network, held_out) for network in models]
    assert np.mean(found) <= losses[120], f"{found}, not {losses[120]:.3f} or less"


if train_small is not None:
    test_a_small_gpt_is_as_good_as_one_of_twice_its_size()


# %% [markdown]
# ## To read
#
# - J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer Normalization", 2016, sections 3 and 5: the method, and what it is
#   invariant to.
# - B. Zhang and R. Sennrich, "Root Mean Square Layer Normalization", 2019, section 4: the case against the mean.
# - R. Xiong and others, "On Layer Normalization in the Transformer Architecture", 2020, section 3: why post-norm needs
#   a warm-up.
# - A. Radford and others, "Language Models are Unsupervised Multitask Learners", 2019, section 2: GPT-2, its
#   initialisation and sizes.
# - A. Holtzman and others, "The Curious Case of Neural Text Degeneration", 2019, section 3: top-p beside top-k and
#   temperature.
#
# ## What comes next
#
# The architectures are complete. The next modules are about their cost: module 14 measures it.
