# %% [markdown]
# # 13 Transformers
#
# You have all the parts. This module puts them together into the network that writes: embeddings, then a stack of equal blocks, then a score for each token of the vocabulary. What is new is small, a
# normalisation and two additions, and it is what makes depth possible. At the end your model trains on Python's own documentation, and takes GPT-2's weights from a file.
#
# When you are done you will be able to
#
# - write layer normalisation and its gradient, and say why the sums stand where they stand;
# - build a GPT from blocks, under GPT-2's names, with its initialisation and one table for both ends;
# - generate text with temperature, top-k and top-p, and say what each of them cuts off;
# - count the parameters and the arithmetic of a transformer without running it;
# - tell whether a language model has learned anything, by a baseline that costs nothing.
#
# ### Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `layer_norm`, `LayerNorm`, `rms_norm`, `RMSNorm` | `torch.nn.functional`, `torch.nn`, the same names | |
# | `TransformerEncoderLayer`, `TransformerEncoder` | `torch.nn`, the same names | no nested tensors: `enable_nested_tensor` changes nothing |
# | `TransformerDecoderLayer`, `TransformerDecoder`, `Transformer` | `torch.nn`, the same names | |
# | `GPT`, `GPTConfig`, `Block` | | ours, under the names of GPT-2's checkpoints |
# | `TokenBlocks`, `next_token_loss`, `bigram_loss` | | ours |


# %%
#| export
import math
from dataclasses import dataclass

import numpy as np

from tinytorch.activations import gelu, softmax
from tinytorch.attention import scaled_dot_product_attention, unbind
from tinytorch.autograd import no_grad
from tinytorch.dataloader import Dataset
from tinytorch.embeddings import Embedding
from tinytorch.layers import Dropout, Linear, Module, ModuleDict, ModuleList, normal_, zeros_
from tinytorch.losses import cross_entropy
from tinytorch.tensor import Tensor, arange, cat, multinomial, wrap


# %%
import itertools
import time

import matplotlib.pyplot as plt

from tinytorch.activations import relu
from tinytorch.dataloader import PythonDocs
from tinytorch.optimizers import AdamW
from tinytorch.tensor import (
    Generator, manual_seed, ones, randint, randn, stack, tensor, zeros,
)  # fmt: skip


# %% [markdown]
# ## 1. Normalisation
#
# What goes wrong without it: send vectors through a stack of layers that *add* to them, and watch their length.


# %%
manual_seed(0)
x, lengths = randn(16, 64), []
layers = [randn(64, 64) / 8 for _ in range(30)]
for W in layers:
    lengths.append(float(x.norm(dim=1).mean()))
    x = x + relu(x @ W)
print(
    "length of the vectors after 0, 10, 20 layers:",
    [f"{length:,.0f}" for length in lengths[::10]],
)


# %% [markdown]
# Every layer makes them longer by more than a third, and the gradients with them. *Layer normalisation* (Ba et al., 2016) brings each vector to mean 0 and deviation 1 before it is used:
#
# $$n = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}, \qquad y = n \circ \gamma + \beta$$
#
# Batch normalisation takes mean and deviation over the batch, layer normalisation over the entries of one vector: no batch, no running statistics, the same in training and evaluation.
#
# Write the normalisation of rows; the gain $\gamma$ and the shift $\beta$ are given below. Use only what arrays and Tensors both have. `row_mean(x, y)` is the mean of $x \circ y$ over each row, kept as a column, without making $x \circ y$.


# %%
#| export
def row_mean(x, y):
    """The mean of each row of x · y, (N, 1); of arrays without making an array of products."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return (x * y).mean(axis=1, keepdims=True)
    return np.vecdot(x, y)[:, None] / x.shape[1]


# %% [markdown]
# <details><summary>Hint 1</summary>Subtract each row's mean: <code>rows.mean(axis=1, keepdims=True)</code>. The variance is the mean of the squares of what is left.</details>
# <details><summary>Hint 2</summary><code>row_mean(centred, centred)</code> is the variance, (N, 1). Epsilon is added to it, under the root.</details>
# <details><summary>Hint 3</summary><code>inverse = (variance + eps) ** -0.5</code>, and return <code>centred * inverse, inverse</code>.</details>


# %% stub="layer-norm"
#| export
def normalise(rows, eps):
    """Bring each row to mean 0 and deviation 1 (Ba et al., 2016).

    n = (x - mean) / √(variance + eps), the variance being the mean of (x - mean)²

    Args:
        rows: (N, D), an array or a Tensor: use what both have.
        eps: what keeps a constant row from being divided by zero.

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


def test_rows_get_mean_0_and_deviation_1():
    n, _ = normalise(rows_to_normalise(), 0.0)
    np.testing.assert_allclose(
        n.mean(1), np.zeros(4), atol=1e-12, err_msg="each row has mean 0"
    )
    np.testing.assert_allclose(
        (n**2).mean(1), np.ones(4), rtol=1e-10, err_msg="and deviation 1, the mean of squares"
    )


def test_the_formula_with_epsilon():
    rows = rows_to_normalise()
    n, inverse = normalise(rows, 0.5)
    expected = 1 / np.sqrt(rows.var(1, keepdims=True) + 0.5)
    np.testing.assert_allclose(
        inverse, expected, rtol=1e-10, err_msg="1 / sqrt(variance + eps), as a column (N, 1)"
    )
    np.testing.assert_allclose(n, (rows - rows.mean(1, keepdims=True)) * expected, rtol=1e-9)


def test_a_constant_row_becomes_zeros():
    with np.errstate(all="raise"):
        n, _ = normalise(np.full((2, 3), 7.0), 1e-5)
    np.testing.assert_array_equal(n, np.zeros((2, 3)))


def test_rows_are_left_as_they_were():
    rows = rows_to_normalise(dtype=np.float32)
    kept = rows.copy()
    n, inverse = normalise(rows, 1e-5)
    np.testing.assert_array_equal(rows, kept, err_msg="the rows belong to the caller")
    assert n.dtype == inverse.dtype == np.float32, "float32 stays float32"


def test_tensors_are_normalised_too():
    rows = rows_to_normalise()
    n, _ = normalise(Tensor(rows), 0.1)
    np.testing.assert_allclose(
        n.numpy(),
        (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 0.1),
        rtol=1e-9,
    )


def test_a_large_mean_costs_no_digits():
    n, _ = normalise(np.float32([[10000, 10001, 10002]]), 0.0)
    np.testing.assert_allclose(
        n,
        [[-1.2247449, 0, 1.2247449]],
        atol=1e-4,
        err_msg="subtract the mean first, then square",
    )


# %% [markdown]
# ### Its gradient
#
# Every entry of $n$ depends on every entry of $x$, through the mean and through the deviation. Write $\bar n$ for the gradient of $n$, and follow the formula backwards:
#
# $$\bar x = \frac{1}{\sqrt{\sigma^2 + \epsilon}} \Big(\bar n - \mathrm{mean}(\bar n) - n \circ \mathrm{mean}(\bar n \circ n)\Big)$$
#
# Read it: of the gradient only that part goes back that would change $n$. Adding a constant to a row changes nothing: so the mean is taken out. Stretching a row changes nothing: so the part along $n$ is taken out.
#
# <details><summary>Hint 1</summary>Both means are over each row, kept as columns.</details>
# <details><summary>Hint 2</summary><code>row_mean(grad, n)</code> is the second mean.</details>
# <details><summary>Hint 3</summary><code>(grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse</code>.</details>


# %% stub="layer-norm-gradient"
#| export
def normalise_backward(n, inverse, grad):
    """Compute the gradient of rows from that of their normalised values.

    dx = (g - mean(g) - n mean(g n)) / √(variance + eps), the means taken over each row

    Args:
        n, inverse: what `normalise` returned, (N, D) and (N, 1); arrays or Tensors.
        grad: g (N, D), the gradient of n.

    Returns:
        The gradient of the rows, (N, D), a new array: none of the three is changed.
    """
    ### BEGIN SOLUTION
    return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
    ### END SOLUTION


# %% test="layer-norm-gradient" points=5
def differences(function, array, cotangent, eps=1e-6):
    """How sum(function(array) * cotangent) moves with each element of the array."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = (function(array) * cotangent).sum()
        array[position] = value - eps
        slopes[position] = (above - (function(array) * cotangent).sum()) / (2 * eps)
        array[position] = value
    return slopes


def by_numpy(rows, eps=0.3):
    inverse = 1 / np.sqrt(rows.var(1, keepdims=True) + eps)
    return (rows - rows.mean(1, keepdims=True)) * inverse, inverse


def test_rows_get_the_gradient_of_differences():
    rows, grad = rows_to_normalise(), rows_to_normalise(seed=1)
    found = normalise_backward(*by_numpy(rows), grad)
    np.testing.assert_allclose(
        found, differences(lambda x: by_numpy(x)[0], rows, grad), atol=1e-7
    )


def test_constants_and_stretching_send_nothing_back():
    n, inverse = by_numpy(rows_to_normalise(), 0.0)
    np.testing.assert_allclose(
        normalise_backward(n, inverse, np.ones_like(n)), np.zeros_like(n), atol=1e-12
    )
    np.testing.assert_allclose(
        normalise_backward(n, inverse, 2 * n), np.zeros_like(n), atol=1e-10
    )


def test_the_arrays_are_left_as_they_were():
    n, inverse = by_numpy(rows_to_normalise())
    grad = rows_to_normalise(seed=2)
    kept = [x.copy() for x in (n, inverse, grad)]
    normalise_backward(n, inverse, grad)
    for name, x, before in zip(("n", "inverse", "grad"), (n, inverse, grad), kept):
        np.testing.assert_array_equal(x, before, err_msg=f"{name} belongs to others")


# %% [markdown]
# ### Without the mean
#
# Zhang and Sennrich (2019) left the mean out: divide by the root of the mean square, and stretch. It is a little cheaper and works as well, and Llama uses it. Forward and backward are what you have just written, with one term less each.
#
# <details><summary>Hint 1</summary><code>row_mean(rows, rows)</code> is the mean square.</details>
# <details><summary>Hint 2</summary>The normalised rows are <code>rows * inverse</code>.</details>
# <details><summary>Hint 3</summary>Backward: only the part along n is taken out.</details>


# %% stub="rms-norm"
#| export
def rms_normalise(rows, eps):
    """Divide each row by its root mean square (Zhang and Sennrich, 2019).

    n = x / √(mean(x²) + eps)

    Args:
        rows: (N, D), an array or a Tensor.
        eps: what keeps a row of zeros from being divided by zero.

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
    """Compute the gradient of rows from that of their normalised values.

    dx = (g - n mean(g n)) / √(mean(x²) + eps)
    """
    ### BEGIN SOLUTION
    return (grad - n * row_mean(grad, n)) * inverse
    ### END SOLUTION


# %% test="rms-norm" points=4
def rms_by_numpy(rows, eps=0.3):
    inverse = 1 / np.sqrt((rows**2).mean(1, keepdims=True) + eps)
    return rows * inverse, inverse


def test_rows_are_divided_by_their_root_mean_square():
    for found, expected in zip(
        rms_normalise(rows_to_normalise(), 0.3), rms_by_numpy(rows_to_normalise())
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_root_mean_squares_gradient_is_that_of_differences():
    rows, grad = rows_to_normalise(), rows_to_normalise(seed=3)
    found = rms_normalise_backward(*rms_by_numpy(rows), grad)
    np.testing.assert_allclose(
        found, differences(lambda x: rms_by_numpy(x)[0], rows, grad), atol=1e-7
    )


def test_a_row_of_zeros_stays_zero():
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(
            rms_normalise(np.zeros((1, 3)), 1e-6)[0], np.zeros((1, 3))
        )


# %% [markdown]
# The rest of both is given: one Function that runs your rules on blocks of rows, half a megabyte at a time, so that what is made of a block is still in the cache when it is used; and PyTorch's functions and modules.


# %%
#| export
from tinytorch.given.transformer.normalization import *


# %% [markdown]
# ## 2. A block
#
# A transformer is a *stream* of vectors, one for each position, to which its layers add. Two kinds of layer take turns: attention, where positions look at each other, and a small network, where each position works for itself.
#
# ```
#   x ───┬───────────────────(+)───┬──────────────────(+)───>
#        └─ ln_1 ─ attention ─┘    └─ ln_2 ─── mlp ────┘
# ```
#
# All sizes stand in one place.


# %%
#| export
@dataclass
class GPTConfig:
    """The sizes of a GPT; as they stand, those of the smallest GPT-2."""

    vocab_size: int = 50257
    block_size: int = 1024  # the longest sequence
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.1
    bias: bool = True
    layer_norm_epsilon: float = 1e-5


# %% [markdown]
# Attention first. Queries, keys and values come from one product, `c_attn`, which gives each position 3C numbers: all of its query, then all of its key, then all of its value, each head by head. So `view` them as (B, T, 3, H, d), take the three apart, and put the heads before the positions. `unbind(packed, 2)`, from module 12, takes apart so that the three
# gradients come back as one array. `self.attend(q, k, v, cache)` is given: it attends causally, with dropout while training. What `cache` is for you will see in module 18.
#
# <details><summary>Hint 1</summary><code>self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head)</code>.</details>
# <details><summary>Hint 2</summary><code>q, k, v = (part.transpose(1, 2) for part in unbind(packed, 2))</code>: each is (B, H, T, d).</details>
# <details><summary>Hint 3</summary>Join the heads of what comes back with <code>y.transpose(1, 2).reshape(B, T, C)</code>, project with <code>c_proj</code>, then <code>resid_dropout</code>.</details>


# %% stub="causal-self-attention"
#| export
class CausalSelfAttention(Module):
    """Let each position look at itself and at those before it, with several heads.

    `c_attn` makes queries, keys and values in one product, 3C numbers for each position: first
    all queries, then all keys, then all values, each head by head. `c_proj` mixes what the
    heads found.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError(
                f"{config.n_embd} entries cannot be shared by {config.n_head} heads"
            )
        self.n_head, self.dropout = config.n_head, config.dropout
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.resid_dropout = Dropout(config.dropout)

    def forward(self, x, cache=None):
        """Attend; `cache`, from module 18, adds the keys and values of earlier calls.

        Args:
            x: (B, T, C).
            cache: None, or an object whose `attend(q, k, v)` lets these T positions look at
                themselves and at those of earlier calls.
        """
        ### BEGIN SOLUTION
        B, T, C = x.shape
        packed = self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head)
        q, k, v = (part.transpose(1, 2) for part in unbind(packed, 2))  # (B, H, T, d)
        y = self.attend(q, k, v, cache)
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        ### END SOLUTION

    def attend(self, q, k, v, cache):
        """Causal attention of q, k, v (B, H, T, d); a cache does it with what it remembers."""
        if cache is not None:
            return cache.attend(q, k, v)
        dropout_p = self.dropout if self.training else 0.0
        return scaled_dot_product_attention(q, k, v, None, dropout_p, is_causal=True)


# %% test="causal-self-attention" points=6
def small(**changes):
    """A configuration that is quick to run, without dropout."""
    return GPTConfig(
        **{
            "vocab_size": 11,
            "block_size": 8,
            "n_layer": 2,
            "n_head": 2,
            "n_embd": 8,
            "dropout": 0.0,
        }
        | changes
    )


def causal_attention_by_numpy(layer, x):
    """Position by position and head by head, from the layer's weights."""
    W, b, P, c = (
        p.detach().numpy().astype(float)
        for p in (
            layer.c_attn.weight,
            layer.c_attn.bias,
            layer.c_proj.weight,
            layer.c_proj.bias,
        )
    )
    (B, T, C), H = x.shape, layer.n_head
    q, k, v = np.split(x @ W.T + b, 3, axis=-1)
    y = np.zeros_like(x, dtype=float)
    for batch, t, h in np.ndindex(B, T, H):
        part = slice(h * C // H, (h + 1) * C // H)
        scores = k[batch, : t + 1, part] @ q[batch, t, part] / np.sqrt(C // H)
        weights = np.exp(scores - scores.max())
        y[batch, t, part] = weights / weights.sum() @ v[batch, : t + 1, part]
    return y @ P.T + c


def test_attention_is_that_of_its_weights():
    manual_seed(0)
    layer, x = CausalSelfAttention(small(n_head=4)), randn(2, 5, 8)
    found = layer(x)
    assert tuple(found.shape) == (2, 5, 8), (
        f"(2, 5, 8) stays (2, 5, 8), not {tuple(found.shape)}"
    )
    np.testing.assert_allclose(
        found.detach().numpy(), causal_attention_by_numpy(layer, x.numpy()), atol=1e-5
    )


def test_the_future_is_not_seen():
    manual_seed(0)
    layer, x = CausalSelfAttention(small()), randn(1, 6, 8)
    changed = x.clone()
    changed[:, 4:] = 0.0
    before, after = layer(x).detach().numpy(), layer(changed).detach().numpy()
    np.testing.assert_allclose(
        before[:, :4], after[:, :4], atol=1e-6, err_msg="positions 0 to 3 must not see 4 and 5"
    )
    assert np.abs(before[:, 4:] - after[:, 4:]).max() > 1e-4, "positions 4 and 5 did change"


def test_a_cache_is_asked_for_earlier_positions():
    class Earlier:
        def __init__(self, k, v):
            self.k, self.v = k, v

        def attend(self, q, k, v):
            self.k, self.v = cat([self.k, k], 2), cat([self.v, v], 2)
            T, S = q.shape[2], self.k.shape[2]
            seen = tensor(np.tril(np.ones((T, S), bool), S - T))
            return scaled_dot_product_attention(q, self.k, self.v, seen)

    manual_seed(0)
    layer, x = CausalSelfAttention(small()), randn(1, 6, 8)
    cache = Earlier(zeros(1, 2, 0, 4), zeros(1, 2, 0, 4))
    found = cat([layer(part, cache) for part in x.split([3, 2, 1], 1)], 1)
    np.testing.assert_allclose(
        found.detach().numpy(),
        causal_attention_by_numpy(layer, x.numpy()),
        atol=1e-5,
        err_msg="in three parts, with a cache",
    )


def test_the_output_is_dropped_while_training():
    layer, x = CausalSelfAttention(small(dropout=0.5)), ones(1, 4, 8)
    assert (layer(x).detach().numpy() == 0).any(), "resid_dropout comes last"
    np.testing.assert_allclose(
        layer.eval()(x).detach().numpy(),
        causal_attention_by_numpy(layer, x.numpy()),
        atol=1e-5,
    )


# %% [markdown]
# Then the network for each position: out to four times the width, through GPT-2's gelu, and back. Two thirds of a block's parameters are in it.
#
# <details><summary>Hint 1</summary>Two <code>Linear</code> layers with <code>bias=config.bias</code>, and a <code>Dropout(config.dropout)</code>.</details>
# <details><summary>Hint 2</summary>GPT-2 uses the tanh formula: <code>gelu(h, approximate="tanh")</code>.</details>
# <details><summary>Hint 3</summary><code>self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))</code>.</details>


# %% stub="mlp"
#| export
class MLP(Module):
    """Work on each position alone: out to four times the width, through gelu (tanh), and back.

    Its layers are `c_fc`, `c_proj` and `dropout`, in the order of use.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.c_fc = Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.c_proj = Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        self.dropout = Dropout(config.dropout)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))
        ### END SOLUTION


# %% test="mlp" points=4
def gelu_by_numpy(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def test_the_mlp_goes_out_and_back():
    manual_seed(0)
    layer = MLP(small())
    names = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    assert names == {
        "c_fc.weight": (32, 8),
        "c_fc.bias": (32,),
        "c_proj.weight": (8, 32),
        "c_proj.bias": (8,),
    }, names
    x = 3 * randn(2, 5, 8)
    W, b, P, c = (p.detach().numpy().astype(float) for p in layer.parameters())
    expected = gelu_by_numpy(x.numpy() @ W.T + b) @ P.T + c
    np.testing.assert_allclose(
        layer(x).detach().numpy(),
        expected,
        atol=1e-5,
        err_msg="c_proj(gelu(c_fc(x))), gelu by tanh",
    )


def test_the_mlp_has_no_biases_where_none_are_wanted():
    assert [name for name, _ in MLP(small(bias=False)).named_parameters()] == [
        "c_fc.weight",
        "c_proj.weight",
    ]


def test_the_mlps_output_is_dropped_while_training():
    layer = MLP(small(dropout=0.5))
    assert (layer(ones(1, 4, 8)).detach().numpy() == 0).any(), "dropout comes last"
    assert (layer.eval()(ones(1, 4, 8)).detach().numpy() != 0).all()


# %% [markdown]
# And the block. Each of the two reads a normalised copy of the stream, and adds to the stream itself. This is *pre-norm*; the transformer of 2017 normalised the sum (*post-norm*), and you will see below what that does to twelve layers.
#
# <details><summary>Hint 1</summary>Two lines, one for each addition.</details>
# <details><summary>Hint 2</summary>The second reads what the first has written.</details>
# <details><summary>Hint 3</summary><code>x = x + self.attn(self.ln_1(x), cache)</code>, then the same with <code>ln_2</code> and <code>mlp</code>.</details>


# %% stub="block"
#| export
class Block(Module):
    """Attention, then an MLP; each reads the stream normalised, and adds to the stream itself.

    x = x + attn(ln_1(x)),  x = x + mlp(ln_2(x))

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        norm = {"eps": config.layer_norm_epsilon, "bias": config.bias}
        self.ln_1, self.attn = LayerNorm(config.n_embd, **norm), CausalSelfAttention(config)
        self.ln_2, self.mlp = LayerNorm(config.n_embd, **norm), MLP(config)

    def forward(self, x, cache=None):
        """`cache` is for the attention."""
        ### BEGIN SOLUTION
        x = x + self.attn(self.ln_1(x), cache)
        return x + self.mlp(self.ln_2(x))
        ### END SOLUTION


# %% test="block" points=3
class Stand(Module):
    """In place of a layer: a function, which notes what else it was given."""

    def __init__(self, function):
        super().__init__()
        self.function, self.others = function, []

    def forward(self, x, *others):
        self.others.append(others)
        return self.function(x)


def block_of(ln_1, attn, ln_2, mlp):
    block = Block(small())
    block.ln_1, block.attn, block.ln_2, block.mlp = map(Stand, (ln_1, attn, ln_2, mlp))
    return block


def test_both_parts_add_to_the_stream():
    block = block_of(lambda x: 2 * x, lambda x: x + 1, lambda x: 3 * x, lambda x: x + 5)
    # x = 1: attention reads 2 and finds 3, the stream is 4; the mlp reads 12 and finds 17
    assert block(ones(1, 2, 8)).numpy().tolist() == np.full((1, 2, 8), 21.0).tolist(), (
        "x + attn(ln_1(x)), then x + mlp(ln_2(x))"
    )


def test_the_cache_goes_to_the_attention():
    block = block_of(*[lambda x: x] * 4)
    block(ones(1, 2, 8), "a cache")
    assert block.attn.others == [("a cache",)], (
        "attention gets the cache as its second argument"
    )
    assert block.mlp.others == [()], "the mlp does not"


def test_the_input_is_not_changed():
    x = ones(1, 2, 8)
    Block(small())(x)
    np.testing.assert_array_equal(
        x.numpy(), np.ones((1, 2, 8)), err_msg="add with x + ..., not in place"
    )


# %% [markdown]
# ## 3. A GPT
#
# Token vectors plus position vectors, the blocks, a last normalisation, and a head: a Linear to the vocabulary, whose weight *is* the token table. The names are those of GPT-2's checkpoints: `wte` (word token embeddings), `wpe` (word position embeddings), `h` (hidden layers), `ln_f` (the final one).
#
# <details><summary>Hint 1</summary>A <code>ModuleDict</code> with the keys "wte", "wpe", "drop", "h" and "ln_f", in this order; "h" is a <code>ModuleList</code> of Blocks.</details>
# <details><summary>Hint 2</summary>Tying is an assignment: <code>self.lm_head.weight = self.transformer.wte.weight</code>. The head has no bias.</details>
# <details><summary>Hint 3</summary><code>hidden</code>: <code>wte(idx) + wpe(positions)</code> with <code>positions = arange(start, end, device=idx.device)</code>, so that they are where the model is; through <code>drop</code>, then each block with <code>None if cache is None else cache.layers[number]</code>, then <code>ln_f</code>.</details>


# %% stub="gpt"
#| export
class GPT(Module):
    """A decoder that continues text: GPT-2's architecture and names (Radford et al., 2019).

    Token and position embeddings, `n_layer` blocks, a last LayerNorm, and the token table
    again as the head.

    Shape: tokens (B, T) to logits (B, T, vocab_size), T at most `config.block_size`.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        ### BEGIN SOLUTION
        self.transformer = ModuleDict(
            {
                "wte": Embedding(config.vocab_size, config.n_embd),
                "wpe": Embedding(config.block_size, config.n_embd),
                "drop": Dropout(config.dropout),
                "h": ModuleList([Block(config) for _ in range(config.n_layer)]),
                "ln_f": LayerNorm(config.n_embd, config.layer_norm_epsilon, bias=config.bias),
            }
        )
        self.lm_head = Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.transformer.wte.weight
        ### END SOLUTION
        self.apply(self.initialise)

    def initialise(self, module):
        """GPT-2's start: deviation 0.02, less for what adds to the stream; biases are zero."""
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
        """What the head reads: tokens (B, T) to (B, T, C).

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
        ### BEGIN SOLUTION
        positions = arange(start, end, device=idx.device)
        x = self.transformer.wte(idx) + self.transformer.wpe(positions)  # (B, T, C)
        x = self.transformer.drop(x)
        for number, block in enumerate(self.transformer.h):
            x = block(x, None if cache is None else cache.layers[number])
        return self.transformer.ln_f(x)
        ### END SOLUTION


# %% test="gpt" points=8
def test_parameters_stand_under_gpt2s_names():
    names = [name for name, _ in GPT(small(n_layer=1)).named_parameters()]
    layers = ["ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"]
    block = [f"h.0.{layer}.{kind}" for layer in layers for kind in ("weight", "bias")]
    expected = ["wte.weight", "wpe.weight", *block, "ln_f.weight", "ln_f.bias"]
    assert names == [f"transformer.{name}" for name in expected], names


def test_the_head_is_the_token_table():
    model = GPT(small())
    assert model.lm_head.weight is model.transformer.wte.weight, (
        "tied: one parameter, not two that are equal"
    )
    assert model.lm_head.bias is None, "GPT-2's head has no bias"


def test_without_blocks_it_is_two_tables_and_a_norm():
    manual_seed(0)
    model, idx = GPT(small(n_layer=0)), np.array([[1, 5, 5], [0, 10, 2]])
    wte, wpe = (
        model.transformer[name].weight.detach().numpy().astype(float)
        for name in ("wte", "wpe")
    )
    x = wte[idx] + wpe[:3]
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    found = model(Tensor(idx)).detach().numpy()
    assert found.shape == (2, 3, 11), (
        f"two sequences of three tokens, eleven logits each: not {found.shape}"
    )
    np.testing.assert_allclose(
        found, x @ wte.T, atol=1e-5, err_msg="wte + wpe, ln_f, and the table once more"
    )


def test_blocks_are_used_in_order():
    model = GPT(small(n_layer=2))
    manual_seed(0)
    table = randn(11, 8)
    model.transformer.wte.weight.data = table
    model.transformer.ln_f = Stand(lambda x: x)
    model.transformer.h = ModuleList([Stand(lambda x: 2 * x), Stand(lambda x: x + 1)])
    x = table.numpy()[[3, 4]] + model.transformer.wpe.weight.detach().numpy()[:2]
    np.testing.assert_allclose(
        model.hidden(tensor([[3, 4]])).detach().numpy()[0], 2 * x + 1, rtol=1e-5
    )


def test_a_cache_says_where_the_sequence_goes_on():
    class Cache:
        length, layers = 3, ["first", "second"]

    model = GPT(small(n_layer=2))
    model.transformer.ln_f = Stand(lambda x: x)
    model.transformer.h = ModuleList([Stand(lambda x: x), Stand(lambda x: x)])
    wte, wpe = (model.transformer[name].weight.detach().numpy() for name in ("wte", "wpe"))
    found = model.hidden(tensor([[7, 8]]), Cache()).detach().numpy()[0]
    np.testing.assert_allclose(
        found,
        wte[[7, 8]] + wpe[3:5],
        rtol=1e-5,
        err_msg="length 3: the next positions are 3 and 4",
    )
    assert [block.others for block in model.transformer.h] == [[("first",)], [("second",)]], (
        "each block gets its layer's cache"
    )


def test_weights_start_as_gpt2s():
    manual_seed(0)
    model = GPT(small(n_embd=64, n_layer=8, vocab_size=500))
    deviations = {
        name: float(p.detach().numpy().std()) for name, p in model.named_parameters()
    }
    for name, wanted in [
        ("wte.weight", 0.02),
        ("h.3.mlp.c_fc.weight", 0.02),
        ("h.3.mlp.c_proj.weight", 0.005),
        ("h.5.attn.c_proj.weight", 0.005),
        ("h.3.mlp.c_fc.bias", 0),
    ]:
        assert abs(deviations[f"transformer.{name}"] - wanted) <= 0.05 * wanted, (
            f"{name} starts with deviation {wanted}"
        )


def test_what_goes_in_is_dropped_while_training():
    model, idx = GPT(small(n_layer=0, dropout=0.5)), tensor([[1, 2, 3]])
    model.transformer.ln_f = Stand(lambda x: x)
    assert (model.hidden(idx).detach().numpy() == 0).any(), (
        "the sum of both embeddings goes through drop"
    )
    assert (model.eval().hidden(idx).detach().numpy() != 0).all()


def test_a_later_token_changes_no_earlier_logits():
    manual_seed(0)
    model = GPT(small())
    before, after = (
        model(tensor([[1, 2, 3, token, 5, 6]])).detach().numpy()[0] for token in (4, 9)
    )
    np.testing.assert_allclose(
        after[:3], before[:3], atol=1e-6, err_msg="token 3 changed: logits 0 to 2 may not"
    )
    assert np.abs(after - before)[3:].max(axis=1).min() > 1e-6, "logits 3 to 5 do change"


def test_a_gpt_gives_pytorchs_logits_and_loss():
    model = GPT(small(vocab_size=7, block_size=6, n_embd=4))
    for number, parameter in enumerate(model.parameters()):
        numbers = 0.5 * np.sin(np.arange(parameter.numel()) * 0.37 + number)
        parameter.array[...] = numbers.reshape(tuple(parameter.shape))
    logits = model(tensor([[1, 5, 0, 6, 2], [3, 3, 4, 1, 0]]))
    recorded = [
        0.3155017,
        0.6350498,
        -0.2003398,
        -0.6713802,
        0.0785895,
        0.6856318,
        0.0457452,
    ]  # PyTorch 2.13
    np.testing.assert_allclose(logits.detach().numpy()[0, -1], recorded, atol=1e-5)
    loss = cross_entropy(logits.flatten(0, 1), tensor([5, 0, 6, 2, 4, 3, 4, 1, 0, 6])).item()
    assert abs(loss - 2.0479538) < 1e-5, (
        f"with these weights PyTorch's loss is 2.0479538, not {loss:.7f}"
    )


# %% [markdown]
# ## 4. Something to beat
#
# A loss of 2.5 nats for a character: is that good? Without a baseline nobody knows. The cheapest that knows anything about language is the *bigram* model: count how often each character follows each other one, and predict with these frequencies. It needs no training and one table. A
# transformer that does worse has learned less than a table of pairs.
#
# Add one to every count, so that a pair that was never seen has a small chance and not none: $-\ln 0$ is infinite.
#
# <details><summary>Hint 1</summary>A table of ones, (vocab_size, vocab_size), to which every pair <code>(ids[i], ids[i + 1])</code> adds one.</details>
# <details><summary>Hint 2</summary><code>np.add.at(counts, (ids[:-1], ids[1:]), 1)</code> counts pairs that occur many times; <code>+=</code> through an index does not.</details>
# <details><summary>Hint 3</summary>Divide by the sum of each row; look up the chances of the pairs of <code>held_out</code>; the mean of their negative logarithms.</details>


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


def test_pairs_predict_what_follows():
    rng = np.random.default_rng(0)
    ids, held_out = rng.integers(0, 5, 200) // rng.integers(1, 3, 200), rng.integers(0, 5, 40)
    np.testing.assert_allclose(
        bigram_loss(ids, held_out, 5),
        bigram_by_counting(ids.tolist(), held_out.tolist(), 5),
        rtol=1e-9,
    )


def test_what_was_never_seen_is_not_impossible():
    found = bigram_loss(np.array([0, 0, 0]), np.array([1, 2]), 3)
    np.testing.assert_allclose(
        found,
        np.log(3),
        rtol=1e-9,
        err_msg="after a token that was never seen all are as likely",
    )


def test_a_text_that_repeats_is_easy():
    text = np.arange(1000) % 4
    assert bigram_loss(text, text[:100], 4) < 0.02, "each token tells the next"
    assert isinstance(bigram_loss(text, text[:100], 4), float), "the loss is a Python float"


# %%
#| export
def next_token_loss(logits, targets):
    """The mean cross-entropy, in nats, of logits (B, T, V) for the next tokens (B, T)."""
    return cross_entropy(logits.flatten(0, 1), targets.flatten())


class TokenBlocks(Dataset):
    """Every piece of `block_size` tokens of a text, with the piece one token later."""

    def __init__(self, ids, block_size):
        if len(ids) <= block_size:
            raise ValueError(
                f"a text of {len(ids)} tokens has no piece of {block_size} tokens and one more"
            )
        self.ids, self.block_size = ids, block_size

    def __len__(self):
        return len(self.ids) - self.block_size

    def __getitem__(self, start):
        piece = self.ids[start : start + self.block_size + 1]
        return piece[:-1], piece[1:]


# %% [markdown]
# ## 5. Train it
#
# Python's own documentation, one token for each byte. A very small GPT, and as many steps as fit into a few seconds; the milestone of this module takes two minutes and gets much further.


# %%
text = np.frombuffer(PythonDocs().text.encode("ascii", "ignore"), np.uint8).astype(np.int64)
train, held_out = text[:-20000], text[-20000:]
baseline = bigram_loss(train, held_out, 128)
print(
    f"{len(text):,} characters; uniform {math.log(128):.2f} nats, bigram {baseline:.2f} nats"
)

manual_seed(0)
model = GPT(
    GPTConfig(vocab_size=128, block_size=64, n_layer=2, n_head=4, n_embd=64, dropout=0.0)
)
optimizer = AdamW(model.parameters(), lr=3e-3)
blocks, losses_seen = TokenBlocks(Tensor(train), 64), []


def batch(size):
    pairs = [blocks[start] for start in randint(0, len(blocks), (size,)).tolist()]
    return stack([x for x, _ in pairs]), stack([y for _, y in pairs])


for _ in range(201):
    x, y = batch(12)
    loss = next_token_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses_seen.append(loss.item())

plt.figure(figsize=(5, 3))
plt.plot(losses_seen, label="GPT, training")
plt.axhline(baseline, color="tab:red", label="bigram, held out")
plt.xlabel("step")
plt.ylabel("loss, nats for a character")
plt.legend()
plt.show()
print(f"loss of the last 20 steps: {np.mean(losses_seen[-20:]):.2f}")


# %% [markdown]
# After two hundred steps it is near the bigrams: it has learned the pairs, and is beginning with words.
#
# ## 6. Generate
#
# The model gives a distribution over the next token. Draw one, append it, ask again. Drawing from the whole distribution goes wrong sooner or later: a thousand tokens with a chance of one in ten thousand each are drawn every tenth step, and the model has to go on from there. So cut them off:
#
# - *top-k* keeps the k most likely tokens;
# - *top-p* (Holtzman et al., 2019) keeps the fewest most likely tokens that reach the probability p together: few where the model is sure, many where it is not.
#
# ```
#   probabilities, sorted    0.50  0.30  0.15  0.04  0.01
#   of those before          0     0.50  0.80  0.95  0.99
#   top_p = 0.9 keeps        yes   yes   yes   no    no        while those before have not reached 0.9
# ```
#
# <details><summary>Hint 1</summary>Both times find the smallest logit that is kept, and give -inf to what is smaller: <code>logits.masked_fill(logits < smallest, -math.inf)</code>.</details>
# <details><summary>Hint 2</summary>For top-k it is the last of <code>logits.topk(k).values</code>; k may exceed the vocabulary. For top-p sort, take softmax and <code>cumsum</code>, and subtract each probability itself: what stood before it.</details>
# <details><summary>Hint 3</summary><code>kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)</code> tokens are kept, so the smallest is <code>ordered.gather(-1, kept - 1)</code>.</details>


# %% stub="filter-logits"
#| export
def filter_logits(logits, top_k=None, top_p=None):
    """Rule out unlikely tokens, by giving them the logit -inf.

    Args:
        logits: a Tensor (B, V).
        top_k: keep the k largest of each row, and whatever equals the k-th; None keeps all.
        top_p: then keep, of the rest, the fewest most likely tokens whose probabilities reach
            p together; at least one.

    Returns:
        A new Tensor (B, V).

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
        before = probabilities.cumsum(-1) - probabilities  # of the tokens that are likelier
        kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
    return logits
    ### END SOLUTION


# %% test="filter-logits" points=5
def kept_tokens(logits, **options):
    return np.isfinite(filter_logits(Tensor(np.float32(logits)), **options).numpy()).tolist()


def test_top_k_keeps_the_k_largest():
    assert kept_tokens([[1, 4, 3, 2], [9, 0, 1, 8]], top_k=2) == [
        [False, True, True, False],
        [True, False, False, True],
    ]
    assert kept_tokens([[1, 4, 3, 2]], top_k=99) == [[True] * 4], (
        "k larger than the vocabulary keeps all"
    )
    found = filter_logits(tensor([[1.0, 4.0, 3.0, 2.0]]), top_k=2).numpy()
    np.testing.assert_array_equal(
        found, [[-np.inf, 4, 3, -np.inf]], err_msg="what is kept keeps its logit"
    )


def test_top_p_keeps_what_is_needed_to_reach_p():
    logits = np.log([[0.15, 0.5, 0.04, 0.3, 0.01]])
    for p, expected in [
        (0.9, [1, 1, 0, 1, 0]),
        (0.75, [0, 1, 0, 1, 0]),
        (0.4, [0, 1, 0, 0, 0]),
        (0.97, [1, 1, 1, 1, 0]),
    ]:
        assert kept_tokens(logits, top_p=p) == [[bool(x) for x in expected]], f"top_p={p}"


def test_one_token_always_remains():
    assert kept_tokens([[0.0, 5.0, 1.0]], top_p=0.0) == [[False, True, False]], (
        "the most likely one, even for p = 0"
    )


def test_each_row_is_cut_by_itself():
    logits = np.log([[0.97, 0.01, 0.01, 0.01], [0.25, 0.26, 0.24, 0.25]])
    assert [sum(row) for row in kept_tokens(logits, top_p=0.9)] == [1, 4], (
        "few where it is sure, many where not"
    )


def test_both_together_and_none():
    logits = np.log([[0.4, 0.3, 0.2, 0.1]])
    assert kept_tokens(logits, top_k=2, top_p=0.55) == [[True, False, False, False]], (
        "top-p is of what top-k has left: 0.4 is 4/7 of it"
    )
    assert kept_tokens(logits) == [[True] * 4]
    original = tensor([[1.0, 2.0]])
    filter_logits(original, top_k=1)
    assert original.tolist() == [[1.0, 2.0]], "the logits that were given are not changed"


# %% [markdown]
# Then the draw. A *temperature* divides the logits: below 1 the likely becomes likelier, above 1 all become alike, and 0 stands for the limit, the most likely token without any chance.
#
# <details><summary>Hint 1</summary>Temperature 0 cannot be divided by: <code>logits.argmax(-1, keepdim=True)</code>.</details>
# <details><summary>Hint 2</summary>Divide first, filter then, then softmax.</details>
# <details><summary>Hint 3</summary><code>multinomial(probabilities, 1, generator=generator)</code> draws one for each row.</details>


# %% stub="next-token"
#| export
def next_token(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Draw a token for each row of logits.

    Args:
        logits: a Tensor (B, V).
        temperature: what the logits are divided by; with 0 the most likely token is taken.
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
    rows = Tensor(np.tile(np.float32(logits), (draws, 1)))
    return (
        np.bincount(
            next_token(rows, generator=generator, **options).numpy().ravel(),
            minlength=len(logits),
        )
        / draws
    )


def test_temperature_0_takes_the_most_likely():
    assert next_token(tensor([[0.0, 9.0, 1.0], [3.0, 1.0, 2.0]]), temperature=0).tolist() == [
        [1],
        [0],
    ]


def test_tokens_are_drawn_as_often_as_they_are_likely():
    chances = np.array([0.1, 0.6, 0.3])
    np.testing.assert_allclose(shares(np.log(chances)), chances, atol=0.05)
    found = next_token(zeros(3, 5))
    assert tuple(found.shape) == (3, 1), (
        f"a token for each row, (B, 1), not {tuple(found.shape)}"
    )
    assert found.numpy().dtype == np.int64, "tokens are int64"


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


def test_what_is_filtered_is_never_drawn():
    assert shares(np.log([0.3, 0.3, 0.39, 0.01]), top_p=0.9)[3] == 0
    assert (shares(np.log([0.3, 0.1, 0.4, 0.2]), top_k=2)[[1, 3]] == 0).all()
    flat = shares(np.log([0.5, 0.3, 0.2]), temperature=100.0, top_p=0.5)
    assert (flat > 0).sum() == 2, (
        "the temperature comes first: three chances of about a third, two reach one half"
    )


def test_the_generator_decides():
    logits = zeros(20, 50)
    draws = [
        next_token(logits, generator=Generator().manual_seed(seed)).tolist()
        for seed in (1, 1, 2)
    ]
    assert draws[0] == draws[1] != draws[2], "the same generator state draws the same tokens"


# %% [markdown]
# Now the loop. The model sees at most `block_size` tokens, so hand it the last ones, and of what comes back only the last position matters: let the head work on that one alone. Without gradients: `no_grad` is on the function already. Two things are given: `finished_by` says
# which sequences have come to a stop token, and keeps them there while others go on. Where there is a `cache` (module 18), it knows which tokens of the window it has not seen: `cache.unseen(window)`, and the model is called with `cache` as its second argument.


# %%
#| export
def ends_of(stop):
    """The stop tokens as a list: none, one or several."""
    return [] if stop is None else [stop] if isinstance(stop, int) else list(stop)


def finished_by(token, idx, finished, ends):
    """The new tokens (B, 1), in finished sequences the last one; and which are finished."""
    token = wrap(np.where(finished, idx.array[:, -1:], token.array))
    return token, finished | np.isin(token.array, ends)


# %% [markdown]
# <details><summary>Hint 1</summary>At most <code>max_new_tokens</code> times: window, hidden, logits of the last position, token, append.</details>
# <details><summary>Hint 2</summary><code>idx[:, -model.config.block_size:]</code> is the window; <code>model.lm_head(model.hidden(window, cache)[:, -1])</code> the logits, (B, V).</details>
# <details><summary>Hint 3</summary><code>token, finished = finished_by(token, idx, finished, ends)</code>, then <code>idx = cat([idx, token], 1)</code>, and leave the loop when <code>finished.all()</code>.</details>


# %% stub="generate"
#| export
@no_grad()
def generate(
    model,
    idx,
    max_new_tokens,
    temperature=1.0,
    top_k=None,
    top_p=None,
    stop=None,
    generator=None,
    cache=None,
):
    """Continue sequences, one token at a time.

    Args:
        model: a GPT.
        idx: the tokens so far, (B, T), T at least 1.
        max_new_tokens: how many to add at most.
        temperature, top_k, top_p, generator: as for `next_token`.
        stop: a token, or several, after which a sequence is complete; while others go on it
            is filled up with that token.
        cache: from module 18: what remembers keys and values; `cache.unseen(window)` are the
            tokens that it has not seen.

    Returns:
        The tokens with those that were added, (B, T + n).
    """
    ends, finished = ends_of(stop), np.zeros((len(idx), 1), bool)
    ### BEGIN SOLUTION
    for _ in range(max_new_tokens):
        window = idx[:, -model.config.block_size :]
        hidden = model.hidden(window if cache is None else cache.unseen(window), cache)
        token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        token, finished = finished_by(token, idx, finished, ends)
        idx = cat([idx, token], 1)
        if finished.all():
            break
    return idx
    ### END SOLUTION


# %% test="generate" points=5
class Counting(Module):
    """In place of a GPT: the token after t is t + 1. It notes what it was shown."""

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

    def lm_head(self, hidden):
        self.heads.append(tuple(hidden.shape))
        return -((hidden + 1 - arange(self.config.vocab_size).float()) ** 2)


def test_each_token_is_appended():
    found = generate(Counting(), tensor([[1, 2], [7, 8]]), 3, temperature=0)
    assert found.tolist() == [[1, 2, 3, 4, 5], [7, 8, 9, 10, 11]]
    assert generate(Counting(), tensor([[5]]), 0).tolist() == [[5]], (
        "no new tokens, none appended"
    )


def test_the_model_sees_the_last_block_size_tokens():
    model = Counting(block_size=3)
    generate(model, tensor([[1, 2]]), 3, temperature=0)
    assert model.shown == [[[1, 2]], [[1, 2, 3]], [[2, 3, 4]]], model.shown
    assert all(shape[:1] == (1,) and np.prod(shape) == 1 for shape in model.heads), (
        "the head works on the last position only"
    )


def test_a_stop_token_ends_it():
    assert generate(Counting(), tensor([[1]]), 9, temperature=0, stop=4).tolist() == [
        [1, 2, 3, 4]
    ]
    assert generate(Counting(), tensor([[1]]), 9, temperature=0, stop=[9, 3]).tolist() == [
        [1, 2, 3]
    ], "any of several"
    found = generate(Counting(), tensor([[1], [3]]), 9, temperature=0, stop=5).tolist()
    assert found == [[1, 2, 3, 4, 5], [3, 4, 5, 5, 5]], (
        "who is finished is filled up while the other goes on"
    )


def test_no_graph_is_kept_and_chance_is_the_generators():
    model = GPT(small())
    found = [
        generate(model, tensor([[1]]), 6, generator=Generator().manual_seed(seed))
        for seed in (3, 3, 4)
    ]
    assert not found[0].requires_grad
    assert found[0].tolist() == found[1].tolist() != found[2].tolist(), (
        "the generator is handed to next_token"
    )


def test_a_cache_is_asked_what_is_new():
    class Cache:
        def unseen(self, window):
            return window[:, -1:]

    model = Counting()
    assert generate(model, tensor([[1, 2]]), 2, temperature=0, cache=Cache()).tolist() == [
        [1, 2, 3, 4]
    ]
    assert model.shown == [[[2]], [[3]]], "with a cache, the model gets cache.unseen(window)"


# %% [markdown]
# `model.generate(...)` is given: it calls yours in evaluation mode, with a `seed` if you like, and with a cache once there is one.


# %%
#| export
from tinytorch.given.transformer.sampling import *


# %%
start = tensor([[ord(c) for c in "The "]])
for options in (
    {"temperature": 0},
    {"temperature": 0.8},
    {"temperature": 1.0, "top_p": 0.9},
    {"temperature": 3.0},
):
    written = model.generate(start, 60, seed=0, **options)[0].tolist()
    print(f"{options!s:36} {bytes(written).decode('ascii', 'replace')!r}")


# %% [markdown]
# The most likely token, again and again, runs into a loop. At temperature 3 the pairs fall apart. In between it looks like language from afar, which is what two hundred steps can buy.
#
# ## 7. GPT-2's weights
#
# OpenAI's checkpoints are files of tensors under names. Yours are nearly the same, on purpose. Three things differ: GPT-2 was written with a layer called `Conv1D` whose weight is (in, out), so four weights of each block are transposed; its files hold the mask as a buffer, `attn.bias`, which is not a weight; and
# some files put `transformer.` before every name, some do not. The head is the token table, and often is not in the file.
#
# <details><summary>Hint 1</summary><code>name.removeprefix("transformer.")</code> first; then all names look alike.</details>
# <details><summary>Hint 2</summary><code>name.endswith((".attn.bias", ".attn.masked_bias"))</code> is a buffer. Mind that <code>attn.c_attn.bias</code> is not one.</details>
# <details><summary>Hint 3</summary><code>array.T if name.endswith(TRANSPOSED) else array</code>; at the end, <code>state["lm_head.weight"] = state["transformer.wte.weight"]</code>.</details>


# %% stub="gpt2-state"
#| export
TRANSPOSED = (
    "attn.c_attn.weight",
    "attn.c_proj.weight",
    "mlp.c_fc.weight",
    "mlp.c_proj.weight",
)


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
    rng = np.random.default_rng(0)
    shapes = {
        "wte.weight": (6, 4),
        "wpe.weight": (8, 4),
        "ln_f.weight": (4,),
        "ln_f.bias": (4,),
    }
    shapes |= {f"h.0.ln_{n}.{kind}": (4,) for n in (1, 2) for kind in ("weight", "bias")}
    weights = {
        "attn.c_attn": (4, 12),
        "attn.c_proj": (4, 4),
        "mlp.c_fc": (4, 16),
        "mlp.c_proj": (16, 4),
    }
    shapes |= {f"h.0.{name}.weight": shape for name, shape in weights.items()}
    shapes |= {f"h.0.{name}.bias": shape[1:] for name, shape in weights.items()}
    shapes |= {"h.0.attn.bias": (1, 1, 8, 8), "h.0.attn.masked_bias": ()}
    return {
        prefix + name: np.asarray(rng.standard_normal(shape), np.float32)
        for name, shape in shapes.items()
    }


def test_the_names_are_those_of_a_gpt():
    model = GPT(small(vocab_size=6, n_layer=1, n_embd=4))
    for prefix in ("", "transformer."):
        found = gpt2_state(checkpoint(prefix))
        assert set(found) == set(model.state_dict()), (
            f"prefix {prefix!r}: too many or missing are "
            f"{sorted(set(found) ^ set(model.state_dict()))}"
        )
        shapes = {name: tuple(x.shape) for name, x in found.items()}
        assert shapes == {name: tuple(x.shape) for name, x in model.state_dict().items()}, (
            "each in the GPT's shape"
        )


def test_four_weights_are_transposed_and_no_others():
    given = checkpoint()
    found = gpt2_state(given)
    for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
        np.testing.assert_array_equal(
            found[f"transformer.h.0.{name}.weight"],
            given[f"h.0.{name}.weight"].T,
            err_msg=name,
        )
        np.testing.assert_array_equal(
            found[f"transformer.h.0.{name}.bias"], given[f"h.0.{name}.bias"], err_msg=name
        )
    np.testing.assert_array_equal(
        found["transformer.wte.weight"], given["wte.weight"], err_msg="the tables stay"
    )


def test_the_head_is_the_table_whatever_the_file_says():
    given = checkpoint() | {"lm_head.weight": np.zeros((6, 4), np.float32)}
    np.testing.assert_array_equal(gpt2_state(given)["lm_head.weight"], given["wte.weight"])


# %% [markdown]
# `GPT.from_pretrained(folder)`, given, reads `config.json` and `model.safetensors` from a folder, and loads. With the published files your model gives GPT-2's logits; the project's tests show it with a tiny one.
#
# Given too are the same parts in PyTorch's own arrangement, `TransformerEncoderLayer` and `TransformerEncoder`: `MultiheadAttention`, two linear layers, and the normalisation before or after. You need them in a moment. `Transformer` is
# the network of 2017 for translation: such an encoder, and a decoder whose layers also attend to the encoder's output.


# %%
#| export
from tinytorch.given.transformer.pretrained import *
from tinytorch.given.transformer.encoder import *
from tinytorch.given.transformer.decoder import *


# %% [markdown]
# ## Systems: what a GPT costs
#
# Nothing has to be run to know it. Per layer: 3C² + C² weights for attention, 8C² for the MLP, so 12C², and 13C for biases and norms. Per token and parameter: one multiplication and one addition forward, twice that backward; and attention's two products with up to T positions. Count by formula, and check the formula on a model that fits.


# %%
def size(config):
    """Parameters, and the operations of a forward pass for one token at full length."""
    C, L, T, V = config.n_embd, config.n_layer, config.block_size, config.vocab_size
    parameters = V * C + T * C + L * (12 * C * C + 13 * C) + 2 * C
    return parameters, 2 * (12 * L * C * C + V * C) + 4 * L * T * C


check = GPTConfig(vocab_size=128, block_size=64, n_layer=2, n_head=4, n_embd=64)
print(
    "by formula and by counting:",
    size(check)[0],
    sum(p.numel() for p in GPT(check).parameters()),
)
for name, L, C in [
    ("GPT-2 small", 12, 768),
    ("medium", 24, 1024),
    ("large", 36, 1280),
    ("XL", 48, 1600),
]:
    parameters, flops = size(GPTConfig(n_layer=L, n_embd=C))
    print(
        f"{name:12} {parameters / 1e6:7.1f} M parameters, {parameters * 4 / 1e9:4.1f} GB, "
        f"with AdamW {parameters * 16 / 1e9:5.1f} GB; "
        f"{flops / 1e9:4.2f} GFLOP for a token forward, "
        f"{3 * flops * 1024 / 1e12:5.2f} TFLOP for 1,024 tokens of training"
    )


# %% [markdown]
# And how long does it take? Time a step of the small model, and divide: how many operations a second are these?


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
# A product of large matrices reaches several times that on the same processor. A model of width 64 is made of small ones, with norms, softmax and additions between them, which are memory and not arithmetic. Module 14 takes that apart, and module 17 does something about it.
#
# ## Break it
#
# **Post-norm at depth.** The encoder of 2017 normalises the sum, and every gradient passes through every normalisation on its way down. Train both kinds on a small task (say eight digits backwards), two layers deep and twelve, from the same learning rate and without a warm-up. Guessing costs
# $\ln 10 = 2.30$.


# %%
def backwards(depth, norm_first, steps=40):
    """The losses of an encoder that learns to say digits backwards."""
    manual_seed(0)
    tokens, places, head = Embedding(10, 32), Embedding(8, 32), Linear(32, 10)
    layers = [
        TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True, norm_first=norm_first)
        for _ in range(depth)
    ]
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
    return found


plt.figure(figsize=(5, 3))
for depth, style in ((2, ":"), (12, "-")):
    for name, norm_first, colour in (
        ("post-norm", False, "tab:red"),
        ("pre-norm", True, "tab:blue"),
    ):
        found = backwards(depth, norm_first)
        plt.plot(found, style, color=colour, label=f"{name}, {depth} layers")
        print(
            f"{name:9} {depth:2} layers: loss of the last ten steps {np.mean(found[-10:]):.2f}"
        )
plt.ylim(0, 3)
plt.xlabel("step")
plt.ylabel("loss, nats")
plt.legend(fontsize=8)
plt.show()


# %% [markdown]
# Two layers learn either way. Twelve with post-norm do not get beyond guessing: they would need a small learning rate at first, slowly raised. In the pre-norm stack the stream is a road without a gate: what the last layer wants to be changed reaches the first one unchanged.
#
# **A mask that is missing.** Forget it, and training goes better than ever. There is a test that cannot be fooled: train on *noise*. Nobody can predict random tokens, so an honest loss does not fall below $\ln V$.


# %%
class SeesAll(CausalSelfAttention):
    def attend(self, q, k, v, cache):
        return scaled_dot_product_attention(q, k, v)


def on_noise(attention, steps=120):
    """Train a small GPT on noise: its last loss, and whose logits the last token moves."""
    manual_seed(0)
    network = GPT(
        GPTConfig(vocab_size=8, block_size=8, n_layer=1, n_head=2, n_embd=32, dropout=0.0)
    )
    network.transformer.h[0].attn.__class__ = attention
    optimizer, found = AdamW(network.parameters(), lr=0.01), []
    for _ in range(steps):
        noise = randint(0, 8, (16, 9))
        loss = next_token_loss(network(noise[:, :-1]), noise[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    one, other = (
        network(tensor([[0, 1, 2, 3, 4, 5, 6, last]])).detach().numpy()[0] for last in (7, 0)
    )
    return np.mean(found[-10:]), np.abs(one - other).max(axis=1)


print(f"ln 8 = {math.log(8):.2f}")
for name, attention in (("with the mask", CausalSelfAttention), ("without", SeesAll)):
    final, moved = on_noise(attention)
    print(
        f"{name:13}: loss {final:.2f}; another last token moves the logits by {moved.round(1)}"
    )


# %% [markdown]
# Without the mask the model has read the answers off. The other evidence needs no training: change the last token, and see whose logits move. It is one of the tests that your `GPT` passed.
#
# **A loss that is too good.** If the loss falls far below what you have ever seen, look for the future: a missing mask, or targets that are not shifted. Of the next token your model cannot know much; of the present one everything.


# %%
x, y = batch(4)
print(
    f"next token {next_token_loss(model(x), y):.2f} nats; "
    f"with targets that are not shifted {next_token_loss(model(x), x):.2f}"
)


# %% [markdown]
# Here it is the other way round: the model was trained to predict the next one. Had it been trained with targets that are not shifted, the second number would be zero, and what it writes would be one letter for ever.
#
# **Too long.** Position 64 of 64 has no vector. `GPT` says so; a table in plain NumPy would say so less clearly.


# %%
try:
    model(zeros(1, 65).long())
except ValueError as error:
    print(error)


# %% [markdown]
# ## In PyTorch
#
# ```python
# norm = torch.nn.LayerNorm(768)
# layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", norm_first=True, batch_first=True)
# model = transformers.GPT2LMHeadModel.from_pretrained("gpt2")     # the same names, the same numbers
# model.generate(ids, max_new_tokens=40, do_sample=True, top_p=0.9)
# ```
#
# A causal mask on an encoder layer makes the same network as your `Block`: "decoder" means that it may not look ahead, nothing else.
#
# ## Questions to think about
#
# 1. Layer normalisation takes out a vector's mean and length. What can the network still know about them, and where?
# 2. The weights that add to the stream start smaller by $\sqrt{2L}$. What does the variance of the stream do without it, after L layers?
# 3. Generating n tokens without a cache calls the model n times on ever longer sequences. How does the work grow, and what is computed again and again?
# 4. Why is the bigram loss an upper bound for what a trained model should reach on this text, and what would a *lower* bound be?
# 5. With tied weights, a token's vector is what it is recognised by and what it is predicted by. When would you not want that?
#
# ## What comes next
#
# The architectures are complete. From here on it is about what they cost: module 14 measures.
