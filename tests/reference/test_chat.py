"""A model of a GGUF file: its blocks, its logits, its tokenizer, and SmolLM2's answers as PyTorch has them."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from small_gguf import logits_by_numpy, tokens_and_merges, write_gguf
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

import tinytorch as torch
from milestones._fetch import FOLDER
from tinytorch.given.tokenizer.gguf import read_gguf
from tinytorch.given.transformer.model_file import NAME

RECORDED = Path(__file__).parents[1] / "golden" / "recorded" / "chat.json"
MODEL = FOLDER / NAME
PAGE = (
    "It's 12:30 in 東京, they've walked 1984 steps.\n\n    def f(x):\n\treturn x**2  + 10\n"
    "½ of ² is ٣, naïve café 🙂👩‍👩‍👧   12  x34\t\t7 <|im_end|> \n  "
)
needs_model = pytest.mark.skipif(
    not MODEL.exists(), reason="SmolLM2's file, which make milestone chat fetches"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("gguf") / "small.gguf"
    return path, write_gguf(path)


@pytest.fixture(scope="module")
def smollm():
    return torch.GPT.from_pretrained(MODEL)


@pytest.mark.parametrize("bits", [32, 4])
def test_a_files_model_gives_the_logits_of_the_formulas(small, bits):
    path, weights = small
    ids = np.array([1, 50, 7, 200, 3, 99, 2, 1, 60, 61])
    with torch.no_grad():
        found = torch.GPT.from_pretrained(path, bits=bits)(torch.tensor(ids[None]))[0].numpy()
    assert found.dtype == np.float32
    wanted = logits_by_numpy(weights, ids)
    assert wanted.std() > 0.05
    np.testing.assert_allclose(found, wanted, atol=1e-4)


@pytest.mark.parametrize("bits", [32, 4])
def test_a_cache_changes_no_token_of_a_files_model(small, bits):
    model = torch.GPT.from_pretrained(small[0], bits=bits)
    idx = torch.tensor([[1, 50, 7, 200]])
    plain, cached = (model.generate(idx, 20, temperature=0, use_cache=use) for use in (False, True))
    assert plain.tolist() == cached.tolist()


def test_packed_weights_take_the_bytes_of_the_file(small):
    packed, dense = (torch.GPT.from_pretrained(small[0], bits=bits) for bits in (4, 32))
    assert torch.memory_footprint(packed.transformer.h[0].mlp.c_fc) == 192 * 2 * 20
    assert torch.memory_footprint(packed.lm_head) == packed.config.vocab_size * 2 * 34
    assert dense.lm_head.weight is dense.transformer.wte.weight
    tables = {id(block.attn.rotary) for block in dense.transformer.h}
    assert len(tables) == 1


def test_what_a_file_has_wrong_is_one_error(small, tmp_path):
    whole, path = small[0].read_bytes(), tmp_path / "other.gguf"
    for data in (
        b"",
        b"GGUF",
        b"PK\x03\x04" + whole[4:],
        whole[:1000],
        whole[:-5000],
        b"GGUF" + b"\xff" * 64,
    ):
        path.write_bytes(data)
        with pytest.raises(RuntimeError, match="is damaged|is no GGUF file"):
            torch.GPT.from_pretrained(path)
    with pytest.raises(FileNotFoundError):
        torch.GPT.from_pretrained(tmp_path / "none.gguf")
    write_gguf(path, **{"general.architecture": "mamba"})
    with pytest.raises(ValueError, match="the architecture is mamba; llama can be read"):
        torch.GPT.from_pretrained(path)
    path.write_bytes(
        whole.replace(b"ffn_down.weight" + struct.pack("<I", 2), b"ffn_dawn.weight" + struct.pack("<I", 2))
    )
    with pytest.raises(RuntimeError, match=r"lacks blk\.0\.ffn_down\.weight"):
        torch.GPT.from_pretrained(path)
    write_gguf(path, **{"llama.feed_forward_length": 64})
    with pytest.raises(RuntimeError, match="do not have the sizes given by the file"):
        torch.GPT.from_pretrained(path)
    write_gguf(path, **{"tokenizer.ggml.pre": "qwen2"})
    with pytest.raises(ValueError, match="the tokenizer gpt2, qwen2"):
        torch.BPETokenizer.from_gguf(path)


def others_tokenizer(tokens, merges, special):
    """The tokenizers library's, of the same parts."""
    other = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    other.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    other.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return other


def check_ids(path, tokens, merges, special):
    other = others_tokenizer(tokens, [tuple(merge.split(" ")) for merge in merges], special)
    mine = torch.BPETokenizer.from_gguf(path)
    ids = mine.encode(PAGE, allowed_special="all")
    assert ids == other.encode(PAGE).ids
    assert mine.decode(ids) == PAGE
    assert list(mine.encode_iterable(PAGE, allowed_special="all")) == ids  # character by character
    assert mine.encode("<|im_end|>", disallowed_special=()) != [2]
    return mine


def test_a_files_tokenizer_gives_the_ids_of_the_tokenizers_library(small):
    tokens, merges = tokens_and_merges()
    mine = check_ids(small[0], tokens, merges, tokens[:3])
    assert mine.encode("\x04") == [len(tokens)]  # a byte for which the model has no vector
    assert mine.decode(mine.encode("a\x04b 1984")) == "a\x04b 1984"


@needs_model
def test_smollm_tokenizer_gives_the_ids_of_the_tokenizers_library():
    facts, _ = read_gguf(MODEL)
    tokens, merges, types = (facts[f"tokenizer.ggml.{key}"] for key in ("tokens", "merges", "token_type"))
    check_ids(MODEL, tokens, merges, [token for token, kind in zip(tokens, types, strict=True) if kind == 3])


@needs_model
def test_smollm_gives_pytorchs_logits(smollm):
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    with torch.no_grad():
        logits = smollm(torch.tensor([recorded["prompts"][0]]))[0].numpy()
    largest = np.array(recorded["largest"])  # (T, 5), and their tokens
    np.testing.assert_allclose(
        np.take_along_axis(logits, np.array(recorded["tokens"]), 1), largest, atol=2e-3
    )
    directions = np.random.RandomState(0).randn(logits.shape[1], 4) / np.sqrt(logits.shape[1])
    np.testing.assert_allclose(logits @ directions, recorded["projected"], atol=2e-3)


@needs_model
def test_smollm_writes_what_it_writes_under_pytorch(smollm):
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    for prompt, written in zip(recorded["prompts"], recorded["written"], strict=True):
        found = smollm.generate(torch.tensor([prompt]), len(written), temperature=0, use_cache=True)
        assert found[0, len(prompt) :].tolist() == written
