"""Module 17's kernels for generation: products with packed weights, and a block's step with a cache."""

import pickle

import numpy as np
import pytest
from small_gguf import q4_1, q8_0, write_gguf

import tinytorch as torch
from tinytorch.given.acceleration.products import has_kernel

SHAPES = [
    (1, 64, 48),
    (3, 32, 5),
    (8, 96, 40),
    (9, 64, 48),
    (40, 128, 33),
    (0, 64, 7),
]  # rows, inputs, outputs


def rounded(x, most):
    """Rows whose groups of 32 numbers are whole multiples of 1 / most of the sum of their absolute values."""
    groups = x.reshape(len(x), -1, 32).astype(np.float64)
    step = np.abs(groups).sum(-1, keepdims=True) / most
    return (np.rint(groups / np.where(step > 0, step, 1)) * step).reshape(x.shape)


def blocks_of(kind, rng, rows, columns):
    """A matrix's blocks as the file has them, uint8 (rows, groups, bytes), and its weights in float64."""
    _, data, weights = kind(rng, rows, columns)
    return np.frombuffer(data, np.uint8).reshape(rows, columns // 32, -1), weights


@pytest.mark.parametrize(("rows", "inputs", "outputs"), SHAPES)
def test_groups_of_four_bits_are_multiplied_by_the_formula(rows, inputs, outputs):
    rng = np.random.default_rng(rows)
    blocks, weights = blocks_of(q4_1, rng, outputs, inputs)
    x = rng.normal(size=(rows, inputs)).astype(np.float32)
    x[:, :32] *= 100  # each group has a scale of its own
    with torch.accelerate():
        found = torch.Int4Linear.from_blocks(blocks)(torch.tensor(x)).numpy()
    # what a weight's integer adds meets the rounded numbers, what all weights of a group share the numbers themselves
    d = blocks[..., :2].copy().view(np.float16)[..., 0].astype(np.float64).repeat(32, 1)
    m = blocks[..., 2:4].copy().view(np.float16)[..., 0].astype(np.float64).repeat(32, 1)
    seen = rounded(x, 4079) if 0 < rows <= 8 else x
    wanted = seen @ (weights - 8 * d - m).T + x @ (8 * d + m).T
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4 * max(1, np.abs(x).max(initial=0)))


@pytest.mark.parametrize(("rows", "inputs", "outputs"), SHAPES)
def test_groups_of_eight_bits_are_multiplied_by_the_formula(rows, inputs, outputs):
    rng = np.random.default_rng(rows)
    blocks, weights = blocks_of(q8_0, rng, outputs, inputs)
    x = rng.normal(size=(rows, inputs)).astype(np.float32)
    with torch.accelerate():
        found = torch.Int8Linear.from_blocks(blocks)(torch.tensor(x)).numpy()
    wanted = (rounded(x, 32751) if 0 < rows <= 8 else x) @ weights.T
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=5e-4)  # half a step may be rounded either way


@pytest.mark.parametrize("rows", [1, 8, 9, 30])
@pytest.mark.parametrize("inputs", [64, 50, 1])
def test_int8_layers_round_as_without_kernels(rows, inputs):
    torch.manual_seed(rows)
    layer, x = torch.nn.Linear(inputs, 20), torch.randn(rows, inputs)
    integers = torch.quantize_dynamic(torch.nn.Sequential(layer), {torch.nn.Linear})
    wanted = integers(x).numpy()
    with torch.accelerate():
        found = integers(x).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("inputs", [64, 50, 33, 1])
def test_a_layer_of_any_width_has_its_product(inputs):
    torch.manual_seed(inputs)
    layer, x = torch.Int4Linear(torch.nn.Linear(inputs, 20)), torch.randn(2, 3, inputs)
    weights = layer.weights().astype(np.float64)
    bound = (
        np.abs(x.numpy()).max() / 127 * np.abs(weights).sum(1).max()
    )  # half a step for each number, and more
    with torch.accelerate():
        few, many = layer(x).numpy(), layer(x.repeat(4, 1, 1)).numpy()
    wanted = x.numpy() @ weights.T + layer.bias.numpy()
    np.testing.assert_allclose(few, wanted, atol=bound)
    np.testing.assert_allclose(many[:2], wanted, rtol=1e-4, atol=1e-5)


def test_numbers_that_are_not_finite_stay_so():
    layer = torch.Int4Linear(torch.nn.Linear(64, 5))
    x = torch.zeros(3, 64)
    x[1, 40], x[2, 3] = float("nan"), float("inf")
    with torch.accelerate():
        found = layer(x).numpy()
    np.testing.assert_allclose(found[0], layer.bias.numpy(), rtol=1e-6)
    assert not np.isfinite(found[1:]).any()


def test_a_gradient_passes_packed_layers_with_kernels_in_place():
    torch.manual_seed(0)
    layer, x = torch.Int4Linear(torch.nn.Linear(64, 6)), torch.randn(12, 64, requires_grad=True)
    cotangent = torch.randn(12, 6)
    with torch.accelerate():
        layer(x).backward(cotangent)
    wanted = cotangent.numpy().astype(np.float64) @ layer.weights()
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-4, atol=1e-5)


def test_packed_layers_come_back_from_a_file(tmp_path):
    model, other = (torch.nn.Sequential(torch.Int4Linear(torch.nn.Linear(70, 9))) for _ in range(2))
    torch.save(model.state_dict(), tmp_path / "weights.safetensors")
    other.load_state_dict(torch.load(tmp_path / "weights.safetensors"))
    np.testing.assert_array_equal(other[0].weights(), model[0].weights())
    x = torch.randn(2, 70)
    with torch.accelerate():
        np.testing.assert_array_equal(other(x).numpy(), model(x).numpy())


MODERN = {"rms_norm": True, "rotary": True, "gated": True, "n_kv_head": 2, "n_inner": 48}
KINDS = {
    "GPT-2's": {},
    "without biases": {"bias": False},
    "modern": MODERN,
    "modern with plain MLP": MODERN | {"gated": False},
    "rotary alone": {"rotary": True},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [1, 3, 9])
def test_a_step_with_a_cache_gives_the_logits_of_the_operations(kind, rows):
    torch.manual_seed(1)
    config = torch.GPTConfig(64, 32, n_layer=2, n_head=4, n_embd=32, dropout=0.1, **KINDS[kind])
    model = torch.GPT(config).eval()
    for parameter in model.parameters():
        parameter.data.add_(0.3 * torch.randn(*parameter.shape))
    texts = torch.randint(64, (rows, 12))

    def logits():
        cache = torch.KVCache.for_model(model, rows)
        with torch.no_grad():
            return [model(texts[:, :5], cache), *(model(texts[:, n : n + 1], cache) for n in range(5, 12))]

    wanted = logits()
    with torch.accelerate():
        found = logits()
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-3, atol=2e-4)


def test_a_hook_in_a_block_is_called_though_there_are_kernels():
    torch.manual_seed(1)
    model = torch.GPT(torch.GPTConfig(64, 32, n_layer=2, n_head=4, n_embd=32)).eval()
    calls = []
    model.transformer.h[1].mlp.c_fc.register_forward_hook(lambda *call: calls.append(call))
    with torch.accelerate():
        model.generate(torch.tensor([[1, 2, 3]]), 4, temperature=0, use_cache=True)
    assert len(calls) == 4


@pytest.mark.parametrize("bits", [4, 8, 32])
def test_a_files_model_writes_with_kernels_nearly_what_it_writes_without(tmp_path, bits):
    write_gguf(tmp_path / "small.gguf")
    model, ids = (
        torch.GPT.from_pretrained(tmp_path / "small.gguf", bits=bits),
        torch.tensor([[1, 50, 7, 200, 3]]),
    )

    def last():
        cache = torch.KVCache.for_model(model, 1)
        with torch.no_grad():
            model(ids[:, :-1], cache)
            return model(ids[:, -1:], cache)[0, -1].numpy()

    plain = last()
    with torch.accelerate():
        found = last()
    worst = {4: 0.05, 8: 0.05, 32: 1e-4}[bits]  # inputs of packed layers are rounded to int8
    assert np.abs(found - plain).max() <= worst * plain.std()


def test_a_layer_of_4_bits_comes_out_of_a_pickle_as_its_kernel_reads_it():
    layer, x = torch.Int4Linear(torch.nn.Linear(70, 9)), torch.randn(2, 70)
    again = pickle.loads(pickle.dumps(layer))
    assert has_kernel(layer)
    assert has_kernel(again)
    for one in (layer, again):
        assert [one.packed.shape, one.scale.shape] == [(9, 3, 16), (9, 3)]
    np.testing.assert_array_equal(again(x).numpy(), layer(x).numpy())


def test_weights_that_were_made_of_4_bits_are_found_again():
    """Groups d · n + m with d and m in float16 and n from 0 to 15, as a GGUF file's Q4_1 blocks have them."""
    rng = np.random.default_rng(0)
    n = rng.integers(0, 16, (6, 4, 32))
    n[..., 3], n[..., 20] = 0, 15
    d, m = (rng.uniform(low, high, (6, 4, 1)).astype(np.float16) for low, high in ((0.01, 0.2), (-3, 1)))
    layer = torch.nn.Linear(128, 6, bias=False)
    weights = (n * d.astype(np.float32) + m.astype(np.float32)).reshape(6, 128)
    layer.load_state_dict({"weight": torch.tensor(weights)})
    np.testing.assert_array_equal(torch.Int4Linear(layer).weights(), weights)
