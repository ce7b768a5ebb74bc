"""Record SmolLM2-135M-Instruct under PyTorch: logits of a prompt, and the greedy text of three.

    PYTHONPATH=build/reference:. python -P tests/golden/record_chat.py MODEL.gguf      where torch is installed

The weights are those of the file, turned back to float32 by whole-array NumPy; the model is written here in PyTorch.
Writes recorded/chat.json.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu

import tinytorch
from tinytorch.given.tokenizer.gguf import read_gguf

RECORDED = Path(__file__).with_name("recorded") / "chat.json"
QUESTIONS = [
    "What is the capital of France, and why is it famous?",
    "Write a Python function that reverses a string.",
    "Name 3 animals that can fly.",
]
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
LAYERS, HEADS, GROUPS, WIDTH, WRITTEN = 30, 9, 3, 64, 40


def weights_of(stored):
    """float32, as the formats' own description says: d q, or d n + m."""
    blocks = np.array(stored.blocks)
    if stored.kind == "F32":
        return torch.from_numpy(blocks.view("<f4").reshape(-1))
    d = blocks[..., :2].copy().view("<f2").astype(np.float32)
    if stored.kind == "Q8_0":
        return torch.from_numpy((blocks[..., 2:].view(np.int8) * d).reshape(len(blocks), -1))
    m = blocks[..., 2:4].copy().view("<f2").astype(np.float32)
    n = np.concatenate([blocks[..., 4:] & 15, blocks[..., 4:] >> 4], -1)
    return torch.from_numpy((n * d + m).reshape(len(blocks), -1))


def turned(x, start):
    """Queries or keys (H, T, d), of which entries 2j and 2j + 1 are turned together."""
    frequencies = 100000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
    angles = torch.outer(torch.arange(start, start + x.shape[1]), frequencies)
    a, b = x[..., ::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


def logits_of(w, ids, cache):
    """The logits (T, V) of the tokens that come after those in the cache, a dict from layers to keys and values."""
    start = cache[0][0].shape[1] if cache else 0
    x, T = w["token_embd"][ids], len(ids)
    for layer in range(LAYERS):
        part = {name: w[f"blk.{layer}.{name}"] for name in PARTS}
        h = rms_norm(x, x.shape[-1:], part["attn_norm"], 1e-5)
        q, k, v = ((h @ part[f"attn_{name}"].T).view(T, -1, WIDTH).transpose(0, 1) for name in "qkv")
        q, k = turned(q, start), turned(k, start)
        if layer in cache:
            k, v = (torch.cat(both, 1) for both in zip(cache[layer], (k, v), strict=True))
        cache[layer] = k, v
        mask = torch.ones(T, start + T).tril(start).bool()
        k, v = (x.repeat_interleave(HEADS // GROUPS, 0) for x in (k, v))
        found = scaled_dot_product_attention(q, k, v, mask)
        x = x + found.transpose(0, 1).reshape(T, -1) @ part["attn_output"].T
        h = rms_norm(x, x.shape[-1:], part["ffn_norm"], 1e-5)
        x = x + (silu(h @ part["ffn_gate"].T) * (h @ part["ffn_up"].T)) @ part["ffn_down"].T
    return rms_norm(x, x.shape[-1:], w["output_norm"], 1e-5) @ w["token_embd"].T


PARTS = [
    "attn_norm",
    "attn_q",
    "attn_k",
    "attn_v",
    "attn_output",
    "ffn_norm",
    "ffn_gate",
    "ffn_up",
    "ffn_down",
]


@torch.no_grad()
def main(path):
    torch.set_num_threads(1)
    _, tensors = read_gguf(path)
    w = {name.removesuffix(".weight"): weights_of(stored) for name, stored in tensors.items()}
    tokenizer = tinytorch.BPETokenizer.from_gguf(path)
    form = "<|im_start|>system\n{}<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
    prompts = [tokenizer.encode(form.format(SYSTEM, one), allowed_special="all") for one in QUESTIONS]
    logits = logits_of(w, prompts[0], {})
    largest, tokens = logits.topk(5)
    directions = np.random.RandomState(0).randn(logits.shape[1], 4) / np.sqrt(logits.shape[1])
    written, seconds = [], 0.0
    for prompt in prompts:
        cache, found = {}, []
        token = logits_of(w, prompt, cache)[-1].argmax().item()
        began = time.process_time()
        while len(found) < WRITTEN and token != 2:
            found.append(token)
            token = logits_of(w, [token], cache)[-1].argmax().item()
        seconds += time.process_time() - began
        written.append(found)
        print(tokenizer.decode(found))
    print(f"{sum(map(len, written)) / seconds:.1f} tokens a processor second")
    recorded = {
        "torch": torch.__version__, "prompts": prompts, "largest": largest.tolist(), "tokens": tokens.tolist(),
        "projected": (logits.numpy() @ directions).tolist(), "written": written,
    }  # fmt: skip
    shortened = json.loads(json.dumps(recorded), parse_float=lambda digits: round(float(digits), 5))
    RECORDED.write_text(json.dumps(shortened), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
