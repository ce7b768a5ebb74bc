"""Tests of module 13, which `make release 13` makes from transformer.py."""

import inspect
import itertools
import math

import numpy as np
import pytest

from tinytorch.layers import Dropout, Module, ModuleList, Parameter
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import SGD
from tinytorch.tensor import Generator, Tensor, arange, manual_seed, ones, randn, tensor, wrap, zeros
from tinytorch.transformer import (
    GPT,
    MLP,
    Block,
    CausalSelfAttention,
    GatedMLP,
    GPTConfig,
    SmallAttention,
    bigram_loss,
    differences,
    filter_logits,
    generate,
    gpt2_state,
    held_out_loss,
    learn,
    measure,
    next_token,
    normalise,
    normalise_backward,
    rms_normalise,
    rms_normalise_backward,
    turned_by_numpy,
)


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


@pytest.mark.stub("layer-norm", points=4)
def test_rows_get_mean_0_and_deviation_1():
    n, _ = normalise(rows_to_normalise(), 0.0)
    check(n.mean(1), np.zeros(4), "each row has mean 0", 1e-12)
    check((n**2).mean(1), np.ones(4), "and deviation 1, the root of the mean square", 1e-10)


@pytest.mark.stub("layer-norm", points=4)
def test_the_formula_for_arrays_and_tensors():
    for eps in (0.5, 1e-5):
        check_norm(normalise, by_numpy, rows_to_normalise(), eps)


@pytest.mark.stub("layer-norm", points=4)
def test_a_constant_row_becomes_zeros():
    with np.errstate(all="raise"):
        n, _ = normalise(np.full((2, 3), 7.0), 1e-5)
    check(n, np.zeros((2, 3)), "a row of sevens", 0)


@pytest.mark.stub("layer-norm", points=4)
def test_a_large_mean_costs_no_digits():
    n, _ = normalise(np.float32([[10000, 10001, 10002]]), 0.0)
    wanted = [[-1.2247449, 0, 1.2247449]]
    check(n, wanted, "10000, 10001, 10002: subtract the mean first, then square", 1e-4)


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


@pytest.mark.stub("layer-norm-gradient", points=5)
def test_constants_and_stretching_send_nothing_back():
    n, inverse = by_numpy(rows_to_normalise(), 0.0)
    said = "1", "2n", "2n + 1"
    for name, grad in list(zip(said, (np.ones_like(n), 2 * n, 2 * n + 1)))[::-1]:
        found = same(normalise_backward, n, inverse, grad)
        check(found, np.zeros_like(n), f"if n's gradient is {name}, the rows get 0", 1e-10)


@pytest.mark.stub("layer-norm-gradient", points=5)
def test_rows_get_the_gradient_of_differences():
    check_norm_gradient(normalise_backward, by_numpy)


def rms_by_numpy(rows, eps=0.3):
    inverse = 1 / np.sqrt((rows**2).mean(1, keepdims=True) + eps)
    return rows * inverse, inverse


@pytest.mark.stub("rms-norm", points=4)
def test_rows_are_divided_by_their_root_mean_square():
    for eps in (0.3, 1e-6):
        check_norm(rms_normalise, rms_by_numpy, rows_to_normalise(), eps)


@pytest.mark.stub("rms-norm", points=4)
def test_the_root_mean_squares_gradient_is_that_of_differences():
    check_norm_gradient(rms_normalise_backward, rms_by_numpy)


@pytest.mark.stub("rms-norm", points=4)
def test_a_row_of_zeros_stays_zero():
    with np.errstate(all="raise"):
        found = rms_normalise(np.zeros((1, 3)), 1e-6)[0]
    check(found, np.zeros((1, 3)), "a row of zeros", 0)


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


@pytest.mark.stub("causal-self-attention", points=6)
def test_attention_is_that_of_its_weights():
    for heads in (1, 2, 4):
        check_attention(f"{heads} heads", n_head=heads)
    check_attention("without biases", bias=False)


@pytest.mark.stub("causal-self-attention", points=6)
def test_queries_and_keys_are_turned_where_positions_are_rotary():
    about = "queries and keys are rotated by their positions, values are not"
    for heads in (2, 1):
        check_attention(f"rotary, {heads} heads: {about}", n_head=heads, rotary=True)
    check_attention("rotary_base 10", n_head=2, rotary=True, rotary_base=10.0)


@pytest.mark.stub("causal-self-attention", points=6)
def test_heads_of_queries_may_share_heads_of_keys_and_values():
    for groups, rotary in ((1, False), (2, False), (2, True)):
        about = f"4 heads of queries, {groups} of keys and values, rotary={rotary}"
        check_attention(about, n_head=4, n_kv_head=groups, rotary=rotary)


@pytest.mark.stub("causal-self-attention", points=6)
def test_the_future_is_not_seen():
    manual_seed(0)
    layer, x = CausalSelfAttention(small()), randn(1, 6, 8)
    changed = x.clone()
    changed[:, 4:] = 0.0
    before, after = numbers(layer(x)), numbers(layer(changed))
    check(after[:, :4], before[:, :4], "positions 0 to 3 must not see 4 and 5", 1e-6)
    moved = np.abs(before[:, 4:] - after[:, 4:]).max()
    assert moved > 1e-4, f"positions 4 and 5 should change, but changed by {moved} only"


@pytest.mark.stub("causal-self-attention", points=6)
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


@pytest.mark.stub("causal-self-attention", points=6)
def test_the_output_is_dropped_while_training():
    manual_seed(0)
    layer, x = CausalSelfAttention(small(dropout=0.5)), ones(1, 4, 8)
    layer.dropout = 0.0  # of the weights, in `attend`
    check_dropped(layer, x, "resid_dropout comes last")
    wanted = causal_attention_by_numpy(layer, x.numpy())
    check(layer(x), wanted, "in evaluation nothing is dropped")


@pytest.mark.stub("causal-self-attention", points=6)
def test_a_cache_is_reached_through_turned_and_attend():
    layer, calls = CausalSelfAttention(small(rotary=True)), []
    layer.turned = lambda x: calls.append("turned") or x
    layer.attend = lambda q, k, v: calls.append("attend") or v
    layer(randn(1, 3, 8))
    for name in ("attend", "turned"):
        assert name in calls, f"self.{name} must be called, which knows of a cache: {calls}"


def gelu_by_numpy(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def check_mlp(layer, wanted_shapes, about):
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    assert shapes == wanted_shapes, f"{about}: the parameters are {wanted_shapes}, not {shapes}"
    x = 3 * randn(2, 5, 8)
    (W, b), (P, c) = weights_of(layer.c_fc), weights_of(layer.c_proj)
    wanted = gelu_by_numpy(x.numpy() @ W.T + b) @ P.T + c
    message = f"{about}: c_proj(gelu(c_fc(x))), gelu by tanh"
    check(same(layer, x), wanted, message, dtype=np.float32)


@pytest.mark.stub("mlp", points=4)
def test_the_mlp_goes_out_and_back():
    manual_seed(0)
    shapes = {"c_fc.weight": (32, 8), "c_fc.bias": (32,)}
    check_mlp(MLP(small()), shapes | {"c_proj.weight": (8, 32), "c_proj.bias": (8,)}, "MLP")


@pytest.mark.stub("mlp", points=4)
def test_the_mlp_has_no_biases_where_none_are_wanted():
    manual_seed(0)
    shapes = {"c_fc.weight": (32, 8), "c_proj.weight": (8, 32)}
    check_mlp(MLP(small(bias=False)), shapes, "bias=False")
    shapes = {"c_fc.weight": (20, 8), "c_proj.weight": (8, 20)}
    check_mlp(MLP(small(bias=False, n_inner=20)), shapes, "bias=False, n_inner=20")


@pytest.mark.stub("mlp", points=4)
def test_the_mlps_output_is_dropped_while_training():
    manual_seed(0)
    check_dropped(MLP(small(dropout=0.5)))


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


@pytest.mark.stub("gated-mlp", points=4)
def test_the_gate_says_how_much_passes():
    check_gated(32, "as GPT-2 is, with a gate", gated=True)
    check_gated(20, "n_inner=20, bias=False", n_inner=20, bias=False)


@pytest.mark.stub("gated-mlp", points=4)
def test_what_the_gated_mlp_puts_out_is_dropped_while_training():
    manual_seed(0)
    check_dropped(GatedMLP(small(dropout=0.5)))


class Stand(Module):
    """In place of a layer: a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


@pytest.mark.stub("block", points=3)
def test_both_parts_add_to_the_stream():
    block = Block(small())
    for name, function in {
        "ln_1": lambda x: 4 * x,
        "attn": lambda x: x + 2,
        "ln_2": lambda x: 3 * x,
        "mlp": lambda x: x + 1,
    }.items():
        setattr(block, name, Stand(function))
    about = "x = 1, ln_1 is 4x, attn is x + 2, ln_2 is 3x, mlp is x + 1: 1 + 6 = 7, 7 + 22 = 29"
    check(block(ones(1, 2, 8)), np.full((1, 2, 8), 29.0), about)


@pytest.mark.stub("block", points=3)
def test_the_input_is_not_changed():
    same(Block(small()), randn(1, 2, 8))


@pytest.mark.stub("block", points=3)
def test_a_block_hands_the_gradient_of_the_stream_on():
    block, x = Block(small()), randn(1, 2, 8, requires_grad=True)
    block.attn, block.mlp = Stand(lambda x: 0 * x), Stand(lambda x: 0 * x)
    grad = randn(1, 2, 8)
    block(x).backward(grad)
    check(x.grad, numbers(grad), "with parts that add nothing the gradient passes unchanged")


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


@pytest.mark.stub("gpt", points=8)
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


@pytest.mark.stub("gpt", points=8)
def test_the_head_is_the_token_table():
    model = GPT(small())
    assert model.lm_head.weight is model.transformer.wte.weight, "tied: one parameter, not two that are equal"
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


@pytest.mark.stub("gpt", points=8)
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


@pytest.mark.stub("gpt", points=8)
def test_blocks_are_used_in_order():
    model, wte, wpe = stand_in()
    found = model.hidden(tensor([[3, 4]]))
    check(found[0], 2 * (wte[[3, 4]] + wpe[:2]) + 1, "doubled by block 0, one more by block 1")


@pytest.mark.stub("gpt", points=8)
def test_positions_say_where_the_sequence_goes_on():
    model, wte, wpe = stand_in()
    found = model.stream(tensor([[7, 8]]), tensor([3, 4]))
    check(found[0], 2 * (wte[[7, 8]] + wpe[3:5]) + 1, "tokens 7 and 8 at positions 3 and 4")


@pytest.mark.stub("gpt", points=8)
def test_weights_start_as_gpt2s():
    manual_seed(0)
    model = GPT(small(n_embd=64, n_layer=8, vocab_size=500))
    deviations = {name: float(p.detach().numpy().std()) for name, p in model.named_parameters()}
    starts = {"wte.weight": 0.02, "h.3.mlp.c_fc.weight": 0.02, "h.3.mlp.c_fc.bias": 0}
    starts |= {f"h.{n}.{part}.c_proj.weight": 0.005 for n, part in ((3, "mlp"), (5, "attn"))}
    for name, wanted in starts.items():
        found = deviations[f"transformer.{name}"]
        close = math.isclose(found, wanted, rel_tol=0.05)
        assert close, f"{name} starts with deviation {wanted}, not {found:.4f}"


@pytest.mark.stub("gpt", points=8)
def test_what_goes_in_is_dropped_while_training():
    for rotary in (False, True):
        manual_seed(0)
        model = GPT(small(dropout=0.5, rotary=rotary, n_layer=1))
        model.transformer.h = ModuleList([Stand(lambda x: x + 1)])
        model.transformer.ln_f, model.lm_head = Stand(lambda x: x), Stand(lambda x: x - 1)
        about = f"rotary={rotary}: drop comes after the embeddings, before block 0"
        check_dropped(model, tensor([[1, 2, 3]]), about)


@pytest.mark.stub("gpt", points=8)
def test_a_later_token_changes_no_earlier_logits():
    for rotary in (False, True):
        manual_seed(0)
        model = GPT(small(rotary=rotary))
        before, after = (numbers(model(tensor([[1, 2, 3, token, 5, 6]])))[0] for token in (4, 9))
        about = f"rotary={rotary}, token 3 changed: logits 0 to 2 may not"
        check(after[:3], before[:3], about, 1e-6)
        moved = np.abs(after - before)[3:].max(axis=1)
        assert moved.min() > 1e-6, f"logits 3 to 5 do change, by more than {moved}"


@pytest.mark.stub("gpt", points=8)
def test_rotary_positions_know_the_order():
    manual_seed(0)
    model = GPT(small(rotary=True))
    for block in model.transformer.h:
        block.attn.c_attn.weight.array[...] *= 50  # large enough for attention to matter
    one, other = (numbers(model(tensor([tokens])))[0, -1] for tokens in ([1, 2, 3], [2, 1, 3]))
    moved = np.abs(one - other).max()
    assert moved > 1e-4, f"tokens 1 and 2 exchanged: the last logits must change, but change by {moved} only"


@pytest.mark.stub("gpt", points=8)
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


@pytest.mark.stub("bigram-loss", points=4)
def test_pairs_predict_what_follows():
    ids, held_out = [1, 1, 1, 0, 0, 2, 2, 2], [0, 2, 2, 1, 2, 1, 2, 1]
    about = f"ids {ids}, held_out {held_out}"
    check_bigram(np.array(ids), np.array(held_out), 3, about)
    rng = np.random.default_rng(0)
    ids, held_out = rng.integers(0, 5, 200) // rng.integers(1, 3, 200), rng.integers(0, 5, 40)
    check_bigram(ids, held_out, 5, "200 tokens of 5 kinds")
    check_bigram(ids, held_out, 9, "a vocabulary of 9, of which 5 occur")


@pytest.mark.stub("bigram-loss", points=4)
def test_what_was_never_seen_is_not_impossible():
    about = "after a token that was never seen all three are equally likely"
    check_bigram(np.array([0, 0, 0]), np.array([1, 2]), 3, about)


@pytest.mark.stub("bigram-loss", points=4)
def test_a_text_that_repeats_is_easy():
    text = np.arange(2000) % 4
    check_bigram(text, text[:30], 4, "0 1 2 3 0 1 2 3 ...: each token tells the next")


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


@pytest.mark.stub("held-out-loss", points=5)
def test_every_token_but_the_first_is_predicted_once():
    for count in (9, 5):
        check_held_out(count)


@pytest.mark.stub("held-out-loss", points=5)
def test_a_shorter_last_piece_counts_for_less():
    for count in (11, 4, 2):
        check_held_out(count)
    check_held_out(30, block_size=7)


@pytest.mark.stub("held-out-loss", points=5)
def test_a_model_that_is_training_is_measured_in_evaluation_and_goes_on():
    check_held_out(10, training=True)


def check_kept(logits, wanted, about="", **options):
    """What is kept has its logit, what is not -inf."""
    rows, about = np.float32(logits), about or f"logits {logits}"
    wanted = np.where(np.array(wanted, bool), rows, -np.inf)
    found = same(lambda logits: filter_logits(logits, **options), wrap(rows))
    check(found, wanted, f"{options} of {about}", 1e-6, np.float32)


def check_likely(chances, wanted, **options):
    check_kept(np.log(chances), wanted, f"the logarithms of {chances}", **options)


@pytest.mark.stub("filter-logits", points=5)
def test_top_k_keeps_the_k_largest():
    check_kept([[1, 4, 3, 2], [9, 0, 1, 8]], [[0, 1, 1, 0], [1, 0, 0, 1]], top_k=2)
    check_kept([[1, 4, 3, 2]], [[0, 1, 0, 0]], top_k=1)
    check_kept([[1, 4, 3, 2]], [[1, 1, 1, 1]], top_k=99)  # more than there are


@pytest.mark.stub("filter-logits", points=5)
def test_what_equals_the_kth_is_kept():
    check_kept([[3, 1, 3, 5, 3]], [[1, 0, 1, 1, 1]], top_k=2)


@pytest.mark.stub("filter-logits", points=5)
def test_top_p_keeps_what_is_needed_to_reach_p():
    chances = [[0.15, 0.5, 0.04, 0.3, 0.01]]
    check_likely(chances, [[1, 1, 0, 1, 0]], top_p=0.9)
    check_likely(chances, [[0, 1, 0, 1, 0]], top_p=0.75)
    check_likely(chances, [[0, 1, 0, 0, 0]], top_p=0.4)
    check_likely(chances, [[1, 1, 1, 1, 0]], top_p=0.97)
    check_kept([[0, 200, 0]], [[0, 1, 0]], top_p=0.999)


@pytest.mark.stub("filter-logits", points=5)
def test_what_equals_the_least_likely_that_top_p_keeps_is_kept():
    check_likely([[0.2, 0.1, 0.3, 0.2, 0.2]], [[1, 0, 1, 1, 1]], top_p=0.4)


@pytest.mark.stub("filter-logits", points=5)
def test_one_token_always_remains():
    check_kept([[0.0, 5.0, 1.0]], [[0, 1, 0]], top_p=0.0)


@pytest.mark.stub("filter-logits", points=5)
def test_each_row_is_cut_by_itself():
    chances = [[0.97, 0.01, 0.01, 0.01], [0.25, 0.26, 0.24, 0.25]]
    check_likely(chances, [[1, 0, 0, 0], [1, 1, 1, 1]], top_p=0.9)
    apart = [[1, 2, 3], [12, 11, 19]]
    check_kept(apart, [[0, 0, 1], [0, 0, 1]], top_k=1)
    check_kept(apart, [[0, 0, 1], [0, 0, 1]], top_p=0.5)


@pytest.mark.stub("filter-logits", points=5)
def test_both_together_and_none():
    check_likely([[0.4, 0.3, 0.2, 0.1]], [[1, 1, 0, 0]], top_k=3, top_p=0.55)
    # top_p is of what top_k has left: 0.4 is 4/7 of it
    check_likely([[0.4, 0.3, 0.2, 0.1]], [[1, 0, 0, 0]], top_k=2, top_p=0.55)
    check_likely([[0.4, 0.3, 0.2, 0.1]], [[1, 1, 1, 1]])


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


@pytest.mark.stub("next-token", points=3)
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


@pytest.mark.stub("next-token", points=3)
def test_tokens_are_drawn_as_often_as_they_are_likely():
    chances, said = np.array([0.1, 0.6, 0.3]), "the logits are log 0.1, log 0.6 and log 0.3"
    np.testing.assert_allclose(shares(np.log(chances)), chances, atol=0.05, err_msg=said)
    found = same(lambda logits: next_token(logits, temperature=0.5), zeros(3, 5) + 1)
    assert tuple(found.shape) == (3, 1), f"a token for each row, (B, 1), not {tuple(found.shape)}"
    assert found.numpy().dtype == np.int64, f"tokens are int64, not {found.numpy().dtype}"


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


def check_never(about, chances, never, **options):
    drawn_so = np.flatnonzero(shares(np.log(chances), **options)).tolist()
    hit = sorted(set(drawn_so) & set(never))
    assert not hit, f"{about}: tokens {never} are never drawn, and {hit} were"


@pytest.mark.stub("next-token", points=3)
def test_what_is_filtered_is_never_drawn():
    check_never("top_p=0.9", [0.3, 0.3, 0.39, 0.01], [3], top_p=0.9)
    check_never("top_k=2", [0.3, 0.1, 0.4, 0.2], [1, 3], top_k=2)
    check_never("top_k=1", [0.3, 0.1, 0.4, 0.2], [0, 1, 3], top_k=1)
    flat = int((shares(np.log([0.5, 0.3, 0.2]), temperature=100.0, top_p=0.5) > 0).sum())
    about = "the temperature comes first: two probabilities of about a third reach one half"
    assert flat == 2, f"{about}, so two tokens are drawn, not {flat}"


@pytest.mark.stub("next-token", points=3)
def test_the_generator_decides():
    one, again, other = (
        next_token(zeros(20, 50), generator=Generator().manual_seed(seed)).tolist() for seed in (1, 1, 2)
    )
    assert one == again, "the same state of the generator draws the same tokens"
    assert one != other, "another seed draws other tokens: is the generator passed on?"


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


@pytest.mark.stub("generate", points=5)
def test_each_token_is_appended():
    wanted = [[1, 2, 3, 4, 5], [7, 8, 9, 10, 11]]
    check_written([[1, 2], [7, 8]], wanted, "3 more, temperature=0", count=3, temperature=0)
    check_written([[5]], [[5]], "no new tokens", count=0)


@pytest.mark.stub("generate", points=5)
def test_the_model_sees_the_last_block_size_tokens():
    model = check_written([[1, 2]], [[1, 2, 3, 4, 5]], "three more", 3, 3, temperature=0)
    wanted = [[[1, 2]], [[1, 2, 3]], [[2, 3, 4]]]
    assert model.shown == wanted, f"windows of at most 3: {wanted}, not {model.shown}"
    sizes = [math.prod(shape) for shape in model.heads]
    assert sizes == [1, 1, 1], f"the head works on one position at a time, not on {sizes}"


@pytest.mark.stub("generate", points=5)
def test_a_stop_token_ends_it():
    check_written([[1]], [[1, 2, 3, 4]], "stop=4", temperature=0, stop=4)
    check_written([[1]], [[1, 2, 3]], "stop=[9, 3]", temperature=0, stop=[9, 3])
    check_written([[-1]], [[-1, 0]], "stop=0 is a stop token too", temperature=0, stop=0)
    wanted = [[1, 2, 3, 4, 5], [3, 4, 5, 5, 5]]
    about = "stop=5: a finished sequence is filled up while the other continues"
    check_written([[1], [3]], wanted, about, temperature=0, stop=5)


@pytest.mark.stub("generate", points=5)
def test_all_options_reach_next_token():
    manual_seed(0)
    wanted = [list(range(1, 11)), list(range(4, 14))]
    for options in ({"top_k": 1}, {"top_p": 0.0}, {"temperature": 1e-3}):
        check_written([[1], [4]], wanted, f"{options} leaves no chance", **options)
    one, again, other = (
        generate(Counting(), tensor([[1]]), 12, generator=Generator().manual_seed(seed)).tolist()
        for seed in (3, 3, 4)
    )
    assert one == again, "the same state of the generator writes the same tokens"
    assert one != other, "another seed writes other tokens: is the generator passed on?"


@pytest.mark.stub("generate", points=5)
def test_no_graph_is_kept():
    found = generate(GPT(small()), tensor([[1]]), 2)
    assert not found.requires_grad, "what was generated requires no gradient"


@pytest.mark.stub("generate", points=5)
def test_a_cache_is_handed_on():
    windows = []

    class Cache:
        def unseen(self, window):
            windows.append(window.tolist())
            return window[:, -1:]

    model = check_written([[1, 2]], [[1, 2, 3, 4]], "a cache", 4, 2, temperature=0, cache=Cache())
    wanted = [[[2]], [[3]]]
    assert model.shown == wanted, f"with a cache hidden_of shows {wanted}, not {model.shown}"
    whole = [[[1, 2]], [[1, 2, 3]]]
    assert windows == whole, f"hidden_of gets the whole windows {whole}, not {windows}"


def checkpoint(prefix=""):
    """The tensors of a GPT-2 with one layer, width 4, vocabulary 6, as its files have them."""
    rng, half = np.random.default_rng(0), {"c_attn": (4, 12), "c_proj": (4, 4)}
    shapes = {"wte.weight": (6, 4), "wpe.weight": (8, 4)}
    shapes |= {
        f"{norm}.{kind}": (4,) for norm in ("ln_f", "h.0.ln_1", "h.0.ln_2") for kind in ("weight", "bias")
    }
    weights = {f"attn.{name}": shape for name, shape in half.items()}
    weights |= {"mlp.c_fc": (4, 16), "mlp.c_proj": (16, 4)}
    shapes |= {f"h.0.{name}.weight": shape for name, shape in weights.items()}
    shapes |= {f"h.0.{name}.bias": shape[1:] for name, shape in weights.items()}
    shapes = {"h.0.attn.bias": (1, 1, 8, 8), "h.0.attn.masked_bias": ()} | shapes
    return {
        prefix + name: np.asarray(rng.standard_normal(shape), np.float32) for name, shape in shapes.items()
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


@pytest.mark.stub("gpt2-state", points=5)
def test_the_names_are_those_of_a_gpt():
    for prefix in ("", "transformer."):
        check_state(checkpoint(prefix), f"prefix {prefix!r}")


@pytest.mark.stub("gpt2-state", points=5)
def test_four_weights_are_transposed_and_no_others():
    given, buffers = checkpoint(), ("h.0.attn.bias", "h.0.attn.masked_bias")
    wanted = {name: x.copy() for name, x in given.items() if name not in buffers}
    for layer in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
        wanted[f"h.0.{layer}.weight"] = wanted[f"h.0.{layer}.weight"].T
    found = gpt2_state(given)
    for name, x in wanted.items():
        check(found[f"transformer.{name}"], x, name, 0)


@pytest.mark.stub("gpt2-state", points=5)
def test_the_head_is_the_table_whatever_the_file_says():
    for prefix in ("", "transformer."):
        given = {"lm_head.weight": np.zeros((6, 4), np.float32)} | checkpoint(prefix)
        about = f"a checkpoint that has lm_head.weight, and prefix {prefix!r}"
        found = check_state(given, about)["lm_head.weight"]
        check(found, given[f"{prefix}wte.weight"], "the head is the table wte.weight", 0)


@pytest.mark.stub("mend-training", points=6)
def test_the_small_attention_does_not_see_the_future():
    manual_seed(0)
    layer, x = SmallAttention(small()), randn(1, 6, 8)
    for position in range(1, 6):
        changed = x.clone()
        changed[:, position] = 0.0
        before, after = numbers(layer(x)), numbers(layer(changed))
        about = f"position {position} changed: those before it must not move"
        check(after[:, :position], before[:, :position], about, 1e-6)


@pytest.mark.stub("mend-training", points=6)
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


@pytest.mark.stub("mend-training", points=6)
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


@pytest.mark.stub("mend-training", points=6)
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
