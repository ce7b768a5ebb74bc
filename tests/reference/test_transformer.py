"""Module 13: norms against differences, GPT-2's checkpoint against what transformers computed, and generation."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import tinytorch as torch
from tinytorch.autograd import gradcheck, gradgradcheck

nn, F = torch.nn, torch.nn.functional
TINY = Path(__file__).parents[1] / "golden" / "recorded" / "gpt2-tiny"


def real(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).standard_normal(shape)).requires_grad_()


NORMS = {
    "layer": (lambda x, w, b: F.layer_norm(x, (4,), w, b), [(2, 3, 4), (4,), (4,)]),
    "layer, without parameters": (lambda x: F.layer_norm(x, (4,)), [(3, 4)]),
    "layer, a bias alone": (lambda x, b: F.layer_norm(x, (4,), bias=b), [(3, 4), (4,)]),
    "layer, over two dimensions": (
        lambda x, w, b: F.layer_norm(x, (2, 3), w, b),
        [(2, 2, 3), (2, 3), (2, 3)],
    ),
    "rms": (lambda x, w: F.rms_norm(x, (4,), w), [(2, 3, 4), (4,)]),
    "rms, without a weight": (lambda x: F.rms_norm(x, (4,), eps=0.1), [(3, 4)]),
}


@pytest.mark.parametrize(("function", "shapes"), NORMS.values(), ids=NORMS)
def test_norms_are_differentiable_twice(function, shapes):
    inputs = [real(*shape, seed=i) for i, shape in enumerate(shapes)]
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


def test_rows_in_many_blocks_are_normalised_as_rows_in_one():
    x, w, b = (
        real(*shape, seed=i).float().detach().requires_grad_()
        for i, shape in enumerate([(1000, 512), (512,), (512,)])
    )
    g = real(1000, 512, seed=3).float().detach()
    F.layer_norm(x, (512,), w, b).backward(g)
    parts = [F.layer_norm(x[i : i + 100], (512,), w, b).detach().numpy() for i in range(0, 1000, 100)]
    np.testing.assert_allclose(
        F.layer_norm(x, (512,), w, b).detach().numpy(), np.concatenate(parts), atol=1e-6
    )
    n = (x.detach().numpy() - x.detach().numpy().mean(1, keepdims=True)) / x.detach().numpy().std(
        1, keepdims=True
    )
    np.testing.assert_allclose(w.grad.numpy(), (g.numpy() * n).sum(0), atol=2e-3)


def tiny():
    return torch.GPT.from_pretrained(TINY).eval()


def expected():
    return np.load(TINY / "expected.npz")


def test_a_gpt2_checkpoint_gives_transformers_logits_and_loss():
    ids = torch.tensor(expected()["ids"])
    with torch.no_grad():
        logits = tiny()(ids)
    np.testing.assert_allclose(logits.numpy(), expected()["logits"], atol=2e-5)
    loss = torch.next_token_loss(logits[:, :-1], ids[:, 1:])
    np.testing.assert_allclose(loss.item(), expected()["loss"], rtol=1e-6)


def test_a_gpt2_checkpoint_continues_as_transformers_does():
    model, ids = tiny(), torch.tensor(expected()["ids"])[:1]
    np.testing.assert_array_equal(model.generate(ids, 12, temperature=0).numpy(), expected()["greedy"])


@pytest.mark.parametrize(
    "change", ["prefix", "without buffers", "with a head", "a file in place of a folder"]
)
def test_checkpoints_of_every_habit_load(tmp_path, change):
    tensors = load_file(TINY / "model.safetensors")
    if change == "prefix":
        tensors = {f"transformer.{name}": array for name, array in tensors.items()}
    if change == "without buffers":
        tensors = {name: array for name, array in tensors.items() if not name.endswith(".attn.bias")}
    if change == "with a head":
        tensors["lm_head.weight"] = tensors["wte.weight"].copy()
    save_file(tensors, tmp_path / "model.safetensors")
    shutil.copy(TINY / "config.json", tmp_path)
    path = tmp_path / "model.safetensors" if change.startswith("a file") else tmp_path
    ids = torch.tensor(expected()["ids"])
    with torch.no_grad():
        np.testing.assert_allclose(
            torch.GPT.from_pretrained(path).eval()(ids).numpy(), expected()["logits"], atol=2e-5
        )


def test_checkpoints_that_are_not_whole_are_refused(tmp_path):
    shutil.copy(TINY / "config.json", tmp_path)
    with pytest.raises(FileNotFoundError):
        torch.GPT.from_pretrained(tmp_path)
    (tmp_path / "model.safetensors").write_bytes((TINY / "model.safetensors").read_bytes()[:5000])
    with pytest.raises(RuntimeError, match="no whole safetensors file"):
        torch.GPT.from_pretrained(tmp_path)
    tensors = load_file(TINY / "model.safetensors")
    del tensors["h.1.mlp.c_fc.bias"]
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(RuntimeError, match=r"h\.1\.mlp\.c_fc\.bias"):
        torch.GPT.from_pretrained(tmp_path)
    sizes = json.loads((TINY / "config.json").read_text()) | {"activation_function": "relu"}
    (tmp_path / "config.json").write_text(json.dumps(sizes))
    with pytest.raises(ValueError, match="gelu_new"):
        torch.GPT.from_pretrained(tmp_path)


def small(**changes):
    sizes = {"vocab_size": 7, "block_size": 6, "n_layer": 2, "n_head": 2, "n_embd": 4, "dropout": 0.0}
    return torch.GPT(torch.GPTConfig(**sizes | changes))


def test_a_gpt_is_differentiable():
    torch.manual_seed(0)
    model, ids = small(n_layer=1).double(), torch.tensor([[1, 5, 5], [0, 2, 6]])
    assert gradcheck(lambda *_: model(ids), list(model.parameters()))


def test_a_gpt_saved_and_loaded_is_the_same(tmp_path):
    model, other = small(), small()
    torch.save(model.state_dict(), tmp_path / "gpt.safetensors")
    other.load_state_dict(torch.load(tmp_path / "gpt.safetensors"))
    ids = torch.tensor([[1, 2, 3]])
    np.testing.assert_array_equal(model(ids).detach().numpy(), other(ids).detach().numpy())
    assert other.lm_head.weight is other.transformer.wte.weight


def test_seeds_repeat_and_training_mode_comes_back():
    model, ids = small(dropout=0.5), torch.tensor([[1, 2]])
    written = [model.generate(ids, 10, seed=seed, top_p=0.95).tolist() for seed in (1, 1, 2)]
    assert written[0] == written[1] != written[2]
    assert model.training


def test_a_stop_token_ends_what_is_generated():
    torch.manual_seed(0)
    written = small().generate(torch.tensor([[1], [2], [3]]), 200, seed=0, stop=[0, 4]).numpy()
    assert written.shape[1] < 202
    for row in written:
        first = np.flatnonzero(np.isin(row[1:], [0, 4]))[0] + 1
        assert (row[first:] == row[first]).all()


def test_blocks_of_tokens_overlap_by_all_but_one():
    data = torch.TokenBlocks(torch.arange(10), 4)
    assert len(data) == 6
    assert [x.tolist() for x in data[5]] == [[5, 6, 7, 8], [6, 7, 8, 9]]
    with pytest.raises(ValueError, match="4 tokens"):
        torch.TokenBlocks(torch.arange(4), 4)


@pytest.mark.slow
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_whole_transformer_is_differentiable(norm_first):
    torch.manual_seed(0)
    network = nn.Transformer(4, 2, 1, 1, 3, 0.0, "gelu", norm_first=norm_first, dtype=torch.float64)
    mask = network.generate_square_subsequent_mask(2, dtype=torch.float64)
    inputs = [real(3, 1, 4), real(2, 1, 4, seed=1), *network.parameters()]
    assert gradcheck(lambda src, tgt, *_: network(src, tgt, tgt_mask=mask), inputs)


def test_the_decoder_sees_the_past_of_its_own_and_all_of_the_source():
    torch.manual_seed(0)
    network = nn.Transformer(8, 2, 1, 2, 16, batch_first=True).eval()
    src, tgt = real(1, 4, 8).float(), real(1, 5, 8, seed=1).float()
    mask = network.generate_square_subsequent_mask(5)
    src, tgt = src.detach().requires_grad_(), tgt.detach().requires_grad_()
    network(src, tgt, tgt_mask=mask)[0, 2, 0].backward()
    np.testing.assert_array_equal(tgt.grad.abs().sum(-1)[0].numpy() > 1e-8, [1, 1, 1, 0, 0])
    assert (src.grad.abs().sum(-1).numpy() > 1e-8).all()


def test_encoders_are_differentiable():
    torch.manual_seed(0)
    for norm_first in (False, True):
        layer = nn.TransformerEncoderLayer(4, 2, 6, 0.0, "gelu", norm_first=norm_first).double()
        encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4).double())
        assert gradcheck(lambda x, encoder=encoder: encoder(x), [real(3, 2, 4)])
