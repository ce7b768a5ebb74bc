"""Tests of module 13, which `make release 13` makes from transformer.py."""

import itertools

import numpy as np
import pytest

from tinytorch.attention import scaled_dot_product_attention
from tinytorch.layers import Module, ModuleList
from tinytorch.losses import cross_entropy
from tinytorch.tensor import Generator, Tensor, arange, cat, manual_seed, ones, randn, tensor, zeros
from tinytorch.transformer import (
    GPT,
    MLP,
    Block,
    CausalSelfAttention,
    GPTConfig,
    bigram_loss,
    filter_logits,
    generate,
    gpt2_state,
    next_token,
    normalise,
    normalise_backward,
    rms_normalise,
    rms_normalise_backward,
)


def rows_to_normalise(shape=(4, 6), seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype) * 3 + 2


@pytest.mark.stub("layer-norm", points=4)
def test_rows_get_mean_0_and_deviation_1():
    n, _ = normalise(rows_to_normalise(), 0.0)
    np.testing.assert_allclose(n.mean(1), np.zeros(4), atol=1e-12, err_msg="each row has mean 0")
    np.testing.assert_allclose(
        (n**2).mean(1), np.ones(4), rtol=1e-10, err_msg="and deviation 1, the mean of squares"
    )


@pytest.mark.stub("layer-norm", points=4)
def test_the_formula_with_epsilon():
    rows = rows_to_normalise()
    n, inverse = normalise(rows, 0.5)
    expected = 1 / np.sqrt(rows.var(1, keepdims=True) + 0.5)
    np.testing.assert_allclose(
        inverse, expected, rtol=1e-10, err_msg="1 / sqrt(variance + eps), as a column (N, 1)"
    )
    np.testing.assert_allclose(n, (rows - rows.mean(1, keepdims=True)) * expected, rtol=1e-9)


@pytest.mark.stub("layer-norm", points=4)
def test_a_constant_row_becomes_zeros():
    with np.errstate(all="raise"):
        n, _ = normalise(np.full((2, 3), 7.0), 1e-5)
    np.testing.assert_array_equal(n, np.zeros((2, 3)))


@pytest.mark.stub("layer-norm", points=4)
def test_rows_are_left_as_they_were():
    rows = rows_to_normalise(dtype=np.float32)
    kept = rows.copy()
    n, inverse = normalise(rows, 1e-5)
    np.testing.assert_array_equal(rows, kept, err_msg="the rows belong to the caller")
    assert n.dtype == inverse.dtype == np.float32, "float32 stays float32"


@pytest.mark.stub("layer-norm", points=4)
def test_tensors_are_normalised_too():
    rows = rows_to_normalise()
    n, _ = normalise(Tensor(rows), 0.1)
    np.testing.assert_allclose(
        n.numpy(),
        (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 0.1),
        rtol=1e-9,
    )


@pytest.mark.stub("layer-norm", points=4)
def test_a_large_mean_costs_no_digits():
    n, _ = normalise(np.float32([[10000, 10001, 10002]]), 0.0)
    np.testing.assert_allclose(
        n,
        [[-1.2247449, 0, 1.2247449]],
        atol=1e-4,
        err_msg="subtract the mean first, then square",
    )


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


@pytest.mark.stub("layer-norm-gradient", points=5)
def test_rows_get_the_gradient_of_differences():
    rows, grad = rows_to_normalise(), rows_to_normalise(seed=1)
    found = normalise_backward(*by_numpy(rows), grad)
    np.testing.assert_allclose(found, differences(lambda x: by_numpy(x)[0], rows, grad), atol=1e-7)


@pytest.mark.stub("layer-norm-gradient", points=5)
def test_constants_and_stretching_send_nothing_back():
    n, inverse = by_numpy(rows_to_normalise(), 0.0)
    np.testing.assert_allclose(normalise_backward(n, inverse, np.ones_like(n)), np.zeros_like(n), atol=1e-12)
    np.testing.assert_allclose(normalise_backward(n, inverse, 2 * n), np.zeros_like(n), atol=1e-10)


@pytest.mark.stub("layer-norm-gradient", points=5)
def test_the_arrays_are_left_as_they_were():
    n, inverse = by_numpy(rows_to_normalise())
    grad = rows_to_normalise(seed=2)
    kept = [x.copy() for x in (n, inverse, grad)]
    normalise_backward(n, inverse, grad)
    for name, x, before in zip(("n", "inverse", "grad"), (n, inverse, grad), kept):
        np.testing.assert_array_equal(x, before, err_msg=f"{name} belongs to others")


def rms_by_numpy(rows, eps=0.3):
    inverse = 1 / np.sqrt((rows**2).mean(1, keepdims=True) + eps)
    return rows * inverse, inverse


@pytest.mark.stub("rms-norm", points=4)
def test_rows_are_divided_by_their_root_mean_square():
    for found, expected in zip(rms_normalise(rows_to_normalise(), 0.3), rms_by_numpy(rows_to_normalise())):
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.stub("rms-norm", points=4)
def test_the_root_mean_squares_gradient_is_that_of_differences():
    rows, grad = rows_to_normalise(), rows_to_normalise(seed=3)
    found = rms_normalise_backward(*rms_by_numpy(rows), grad)
    np.testing.assert_allclose(found, differences(lambda x: rms_by_numpy(x)[0], rows, grad), atol=1e-7)


@pytest.mark.stub("rms-norm", points=4)
def test_a_row_of_zeros_stays_zero():
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(rms_normalise(np.zeros((1, 3)), 1e-6)[0], np.zeros((1, 3)))


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


@pytest.mark.stub("causal-self-attention", points=6)
def test_attention_is_that_of_its_weights():
    manual_seed(0)
    layer, x = CausalSelfAttention(small(n_head=4)), randn(2, 5, 8)
    found = layer(x)
    assert tuple(found.shape) == (2, 5, 8), f"(2, 5, 8) stays (2, 5, 8), not {tuple(found.shape)}"
    np.testing.assert_allclose(found.detach().numpy(), causal_attention_by_numpy(layer, x.numpy()), atol=1e-5)


@pytest.mark.stub("causal-self-attention", points=6)
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


@pytest.mark.stub("causal-self-attention", points=6)
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


@pytest.mark.stub("causal-self-attention", points=6)
def test_the_output_is_dropped_while_training():
    layer, x = CausalSelfAttention(small(dropout=0.5)), ones(1, 4, 8)
    assert (layer(x).detach().numpy() == 0).any(), "resid_dropout comes last"
    np.testing.assert_allclose(
        layer.eval()(x).detach().numpy(),
        causal_attention_by_numpy(layer, x.numpy()),
        atol=1e-5,
    )


def gelu_by_numpy(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@pytest.mark.stub("mlp", points=4)
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


@pytest.mark.stub("mlp", points=4)
def test_the_mlp_has_no_biases_where_none_are_wanted():
    assert [name for name, _ in MLP(small(bias=False)).named_parameters()] == [
        "c_fc.weight",
        "c_proj.weight",
    ]


@pytest.mark.stub("mlp", points=4)
def test_the_mlps_output_is_dropped_while_training():
    layer = MLP(small(dropout=0.5))
    assert (layer(ones(1, 4, 8)).detach().numpy() == 0).any(), "dropout comes last"
    assert (layer.eval()(ones(1, 4, 8)).detach().numpy() != 0).all()


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


@pytest.mark.stub("block", points=3)
def test_both_parts_add_to_the_stream():
    block = block_of(lambda x: 2 * x, lambda x: x + 1, lambda x: 3 * x, lambda x: x + 5)
    # x = 1: attention reads 2 and finds 3, the stream is 4; the mlp reads 12 and finds 17
    assert block(ones(1, 2, 8)).numpy().tolist() == np.full((1, 2, 8), 21.0).tolist(), (
        "x + attn(ln_1(x)), then x + mlp(ln_2(x))"
    )


@pytest.mark.stub("block", points=3)
def test_the_cache_goes_to_the_attention():
    block = block_of(*[lambda x: x] * 4)
    block(ones(1, 2, 8), "a cache")
    assert block.attn.others == [("a cache",)], "attention gets the cache as its second argument"
    assert block.mlp.others == [()], "the mlp does not"


@pytest.mark.stub("block", points=3)
def test_the_input_is_not_changed():
    x = ones(1, 2, 8)
    Block(small())(x)
    np.testing.assert_array_equal(x.numpy(), np.ones((1, 2, 8)), err_msg="add with x + ..., not in place")


@pytest.mark.stub("gpt", points=8)
def test_parameters_stand_under_gpt2s_names():
    names = [name for name, _ in GPT(small(n_layer=1)).named_parameters()]
    layers = ["ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"]
    block = [f"h.0.{layer}.{kind}" for layer in layers for kind in ("weight", "bias")]
    expected = ["wte.weight", "wpe.weight", *block, "ln_f.weight", "ln_f.bias"]
    assert names == [f"transformer.{name}" for name in expected], names


@pytest.mark.stub("gpt", points=8)
def test_the_head_is_the_token_table():
    model = GPT(small())
    assert model.lm_head.weight is model.transformer.wte.weight, "tied: one parameter, not two that are equal"
    assert model.lm_head.bias is None, "GPT-2's head has no bias"


@pytest.mark.stub("gpt", points=8)
def test_without_blocks_it_is_two_tables_and_a_norm():
    manual_seed(0)
    model, idx = GPT(small(n_layer=0)), np.array([[1, 5, 5], [0, 10, 2]])
    wte, wpe = (model.transformer[name].weight.detach().numpy().astype(float) for name in ("wte", "wpe"))
    x = wte[idx] + wpe[:3]
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    found = model(Tensor(idx)).detach().numpy()
    assert found.shape == (2, 3, 11), f"two sequences of three tokens, eleven logits each: not {found.shape}"
    np.testing.assert_allclose(
        found, x @ wte.T, atol=1e-5, err_msg="wte + wpe, ln_f, and the table once more"
    )


@pytest.mark.stub("gpt", points=8)
def test_blocks_are_used_in_order():
    model = GPT(small(n_layer=2))
    manual_seed(0)
    table = randn(11, 8)
    model.transformer.wte.weight.data = table
    model.transformer.ln_f = Stand(lambda x: x)
    model.transformer.h = ModuleList([Stand(lambda x: 2 * x), Stand(lambda x: x + 1)])
    x = table.numpy()[[3, 4]] + model.transformer.wpe.weight.detach().numpy()[:2]
    np.testing.assert_allclose(model.hidden(tensor([[3, 4]])).detach().numpy()[0], 2 * x + 1, rtol=1e-5)


@pytest.mark.stub("gpt", points=8)
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


@pytest.mark.stub("gpt", points=8)
def test_weights_start_as_gpt2s():
    manual_seed(0)
    model = GPT(small(n_embd=64, n_layer=8, vocab_size=500))
    deviations = {name: float(p.detach().numpy().std()) for name, p in model.named_parameters()}
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


@pytest.mark.stub("gpt", points=8)
def test_what_goes_in_is_dropped_while_training():
    model, idx = GPT(small(n_layer=0, dropout=0.5)), tensor([[1, 2, 3]])
    model.transformer.ln_f = Stand(lambda x: x)
    assert (model.hidden(idx).detach().numpy() == 0).any(), "the sum of both embeddings goes through drop"
    assert (model.eval().hidden(idx).detach().numpy() != 0).all()


@pytest.mark.stub("gpt", points=8)
def test_a_later_token_changes_no_earlier_logits():
    manual_seed(0)
    model = GPT(small())
    before, after = (model(tensor([[1, 2, 3, token, 5, 6]])).detach().numpy()[0] for token in (4, 9))
    np.testing.assert_allclose(
        after[:3], before[:3], atol=1e-6, err_msg="token 3 changed: logits 0 to 2 may not"
    )
    assert np.abs(after - before)[3:].max(axis=1).min() > 1e-6, "logits 3 to 5 do change"


@pytest.mark.stub("gpt", points=8)
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
    assert abs(loss - 2.0479538) < 1e-5, f"with these weights PyTorch's loss is 2.0479538, not {loss:.7f}"


def bigram_by_counting(ids, held_out, vocab_size):
    total = 0.0
    for a, b in itertools.pairwise(held_out):
        pairs = sum(1 for pair in itertools.pairwise(ids) if pair == (a, b))
        firsts = sum(1 for x in ids[:-1] if x == a)
        total -= np.log((pairs + 1) / (firsts + vocab_size))
    return total / (len(held_out) - 1)


@pytest.mark.stub("bigram-loss", points=4)
def test_pairs_predict_what_follows():
    rng = np.random.default_rng(0)
    ids, held_out = rng.integers(0, 5, 200) // rng.integers(1, 3, 200), rng.integers(0, 5, 40)
    np.testing.assert_allclose(
        bigram_loss(ids, held_out, 5),
        bigram_by_counting(ids.tolist(), held_out.tolist(), 5),
        rtol=1e-9,
    )


@pytest.mark.stub("bigram-loss", points=4)
def test_what_was_never_seen_is_not_impossible():
    found = bigram_loss(np.array([0, 0, 0]), np.array([1, 2]), 3)
    np.testing.assert_allclose(
        found,
        np.log(3),
        rtol=1e-9,
        err_msg="after a token that was never seen all are as likely",
    )


@pytest.mark.stub("bigram-loss", points=4)
def test_a_text_that_repeats_is_easy():
    text = np.arange(1000) % 4
    assert bigram_loss(text, text[:100], 4) < 0.02, "each token tells the next"
    assert isinstance(bigram_loss(text, text[:100], 4), float), "the loss is a Python float"


def kept_tokens(logits, **options):
    return np.isfinite(filter_logits(Tensor(np.float32(logits)), **options).numpy()).tolist()


@pytest.mark.stub("filter-logits", points=5)
def test_top_k_keeps_the_k_largest():
    assert kept_tokens([[1, 4, 3, 2], [9, 0, 1, 8]], top_k=2) == [
        [False, True, True, False],
        [True, False, False, True],
    ]
    assert kept_tokens([[1, 4, 3, 2]], top_k=99) == [[True] * 4], "k larger than the vocabulary keeps all"
    found = filter_logits(tensor([[1.0, 4.0, 3.0, 2.0]]), top_k=2).numpy()
    np.testing.assert_array_equal(found, [[-np.inf, 4, 3, -np.inf]], err_msg="what is kept keeps its logit")


@pytest.mark.stub("filter-logits", points=5)
def test_top_p_keeps_what_is_needed_to_reach_p():
    logits = np.log([[0.15, 0.5, 0.04, 0.3, 0.01]])
    for p, expected in [
        (0.9, [1, 1, 0, 1, 0]),
        (0.75, [0, 1, 0, 1, 0]),
        (0.4, [0, 1, 0, 0, 0]),
        (0.97, [1, 1, 1, 1, 0]),
    ]:
        assert kept_tokens(logits, top_p=p) == [[bool(x) for x in expected]], f"top_p={p}"


@pytest.mark.stub("filter-logits", points=5)
def test_one_token_always_remains():
    assert kept_tokens([[0.0, 5.0, 1.0]], top_p=0.0) == [[False, True, False]], (
        "the most likely one, even for p = 0"
    )


@pytest.mark.stub("filter-logits", points=5)
def test_each_row_is_cut_by_itself():
    logits = np.log([[0.97, 0.01, 0.01, 0.01], [0.25, 0.26, 0.24, 0.25]])
    assert [sum(row) for row in kept_tokens(logits, top_p=0.9)] == [1, 4], (
        "few where it is sure, many where not"
    )


@pytest.mark.stub("filter-logits", points=5)
def test_both_together_and_none():
    logits = np.log([[0.4, 0.3, 0.2, 0.1]])
    assert kept_tokens(logits, top_k=2, top_p=0.55) == [[True, False, False, False]], (
        "top-p is of what top-k has left: 0.4 is 4/7 of it"
    )
    assert kept_tokens(logits) == [[True] * 4]
    original = tensor([[1.0, 2.0]])
    filter_logits(original, top_k=1)
    assert original.tolist() == [[1.0, 2.0]], "the logits that were given are not changed"


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


@pytest.mark.stub("next-token", points=3)
def test_temperature_0_takes_the_most_likely():
    assert next_token(tensor([[0.0, 9.0, 1.0], [3.0, 1.0, 2.0]]), temperature=0).tolist() == [
        [1],
        [0],
    ]


@pytest.mark.stub("next-token", points=3)
def test_tokens_are_drawn_as_often_as_they_are_likely():
    chances = np.array([0.1, 0.6, 0.3])
    np.testing.assert_allclose(shares(np.log(chances)), chances, atol=0.05)
    found = next_token(zeros(3, 5))
    assert tuple(found.shape) == (3, 1), f"a token for each row, (B, 1), not {tuple(found.shape)}"
    assert found.numpy().dtype == np.int64, "tokens are int64"


@pytest.mark.stub("next-token", points=3)
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


@pytest.mark.stub("next-token", points=3)
def test_what_is_filtered_is_never_drawn():
    assert shares(np.log([0.3, 0.3, 0.39, 0.01]), top_p=0.9)[3] == 0
    assert (shares(np.log([0.3, 0.1, 0.4, 0.2]), top_k=2)[[1, 3]] == 0).all()
    flat = shares(np.log([0.5, 0.3, 0.2]), temperature=100.0, top_p=0.5)
    assert (flat > 0).sum() == 2, (
        "the temperature comes first: three chances of about a third, two reach one half"
    )


@pytest.mark.stub("next-token", points=3)
def test_the_generator_decides():
    logits = zeros(20, 50)
    draws = [next_token(logits, generator=Generator().manual_seed(seed)).tolist() for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2], "the same generator state draws the same tokens"


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


@pytest.mark.stub("generate", points=5)
def test_each_token_is_appended():
    found = generate(Counting(), tensor([[1, 2], [7, 8]]), 3, temperature=0)
    assert found.tolist() == [[1, 2, 3, 4, 5], [7, 8, 9, 10, 11]]
    assert generate(Counting(), tensor([[5]]), 0).tolist() == [[5]], "no new tokens, none appended"


@pytest.mark.stub("generate", points=5)
def test_the_model_sees_the_last_block_size_tokens():
    model = Counting(block_size=3)
    generate(model, tensor([[1, 2]]), 3, temperature=0)
    assert model.shown == [[[1, 2]], [[1, 2, 3]], [[2, 3, 4]]], model.shown
    assert all(shape[:1] == (1,) and np.prod(shape) == 1 for shape in model.heads), (
        "the head works on the last position only"
    )


@pytest.mark.stub("generate", points=5)
def test_a_stop_token_ends_it():
    assert generate(Counting(), tensor([[1]]), 9, temperature=0, stop=4).tolist() == [[1, 2, 3, 4]]
    assert generate(Counting(), tensor([[1]]), 9, temperature=0, stop=[9, 3]).tolist() == [[1, 2, 3]], (
        "any of several"
    )
    found = generate(Counting(), tensor([[1], [3]]), 9, temperature=0, stop=5).tolist()
    assert found == [[1, 2, 3, 4, 5], [3, 4, 5, 5, 5]], "who is finished is filled up while the other goes on"


@pytest.mark.stub("generate", points=5)
def test_no_graph_is_kept_and_chance_is_the_generators():
    model = GPT(small())
    found = [generate(model, tensor([[1]]), 6, generator=Generator().manual_seed(seed)) for seed in (3, 3, 4)]
    assert not found[0].requires_grad
    assert found[0].tolist() == found[1].tolist() != found[2].tolist(), (
        "the generator is handed to next_token"
    )


@pytest.mark.stub("generate", points=5)
def test_a_cache_is_asked_what_is_new():
    class Cache:
        def unseen(self, window):
            return window[:, -1:]

    model = Counting()
    assert generate(model, tensor([[1, 2]]), 2, temperature=0, cache=Cache()).tolist() == [[1, 2, 3, 4]]
    assert model.shown == [[[2]], [[3]]], "with a cache, the model gets cache.unseen(window)"


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
        prefix + name: np.asarray(rng.standard_normal(shape), np.float32) for name, shape in shapes.items()
    }


@pytest.mark.stub("gpt2-state", points=5)
def test_the_names_are_those_of_a_gpt():
    model = GPT(small(vocab_size=6, n_layer=1, n_embd=4))
    for prefix in ("", "transformer."):
        found = gpt2_state(checkpoint(prefix))
        assert set(found) == set(model.state_dict()), (
            f"prefix {prefix!r}: too many or missing are {sorted(set(found) ^ set(model.state_dict()))}"
        )
        shapes = {name: tuple(x.shape) for name, x in found.items()}
        assert shapes == {name: tuple(x.shape) for name, x in model.state_dict().items()}, (
            "each in the GPT's shape"
        )


@pytest.mark.stub("gpt2-state", points=5)
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


@pytest.mark.stub("gpt2-state", points=5)
def test_the_head_is_the_table_whatever_the_file_says():
    given = checkpoint() | {"lm_head.weight": np.zeros((6, 4), np.float32)}
    np.testing.assert_array_equal(gpt2_state(given)["lm_head.weight"], given["wte.weight"])
