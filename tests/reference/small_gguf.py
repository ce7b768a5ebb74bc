"""Write a small model in a GGUF file, random weights in Q4_1, Q8_0 and F32, as llama.cpp's format has them."""

import struct

import numpy as np

SIZES = {
    "context_length": 64, "block_count": 2, "embedding_length": 64, "feed_forward_length": 96,
    "attention.head_count": 4, "attention.head_count_kv": 2, "rope.dimension_count": 16,
}  # fmt: skip
EPSILON, BASE = 1e-5, 100000.0
NAMES = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def tokens_and_merges():
    """256 bytes, less one that no text of the tests has, and a few merges."""
    printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
    others = [byte for byte in range(256) if byte not in printable]
    shown = [chr(byte) for byte in printable] + [chr(256 + n) for n in range(len(others))]
    shown.remove(chr(256 + others.index(4)))
    merges = ["Ġ t", "h e", "Ġt he", "1 9", "Ġ Ġ"]
    return [*SPECIAL, *shown, *(merge.replace(" ", "") for merge in merges)], merges


def q4_1(rng, rows, columns):
    """The bytes of a matrix, and the weights that they stand for."""
    d, m = (rng.uniform(0.005, 0.03, (rows, columns // 32)).astype("<f2") for _ in range(2))
    m = (-8 * m).astype("<f2")
    n = rng.integers(0, 16, (rows, columns // 32, 32))
    packed = (n[..., :16] + 16 * n[..., 16:]).astype(np.uint8)
    data = b"".join(
        d[i, j].tobytes() + m[i, j].tobytes() + packed[i, j].tobytes() for i, j in np.ndindex(d.shape)
    )
    return 3, data, (n * d[..., None].astype(float) + m[..., None].astype(float)).reshape(rows, columns)


def q8_0(rng, rows, columns):
    d = rng.uniform(0.0005, 0.003, (rows, columns // 32)).astype("<f2")
    q = rng.integers(-127, 128, (rows, columns // 32, 32)).astype(np.int8)
    data = b"".join(d[i, j].tobytes() + q[i, j].tobytes() for i, j in np.ndindex(d.shape))
    return 8, data, (q * d[..., None].astype(float)).reshape(rows, columns)


def f32(rng, length):
    x = rng.uniform(0.5, 1.5, length).astype("<f4")
    return 0, x.tobytes(), x.astype(float)


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(x):
    if isinstance(x, list):
        kind, items = (
            (8, b"".join(map(text, x))) if isinstance(x[0], str) else (5, struct.pack(f"<{len(x)}i", *x))
        )
        return struct.pack("<IIQ", 9, kind, len(x)) + items
    if isinstance(x, str):
        return struct.pack("<I", 8) + text(x)
    return struct.pack("<If", 6, x) if isinstance(x, float) else struct.pack("<II", 4, x)


def write_gguf(path, seed=0, **changes):
    """Write the file; return the weights by name, float64, as a reader should find them."""
    rng, (tokens, merges) = np.random.default_rng(seed), tokens_and_merges()
    wide, inner, heads = 64, 96, {"attn_k": 32, "attn_v": 32}
    tensors = {"token_embd": q8_0(rng, len(tokens), wide), "output_norm": f32(rng, wide)}
    for layer in range(SIZES["block_count"]):
        for name in NAMES:
            rows = heads.get(name, inner if name in ("ffn_gate", "ffn_up") else wide)
            tensors[f"blk.{layer}.{name}"] = q4_1(rng, rows, inner if name == "ffn_down" else wide)
        for name in ("attn_norm", "ffn_norm"):
            tensors[f"blk.{layer}.{name}"] = f32(rng, wide)
    facts = {"general.architecture": "llama", "general.alignment": 64}
    facts |= {f"llama.{key}": size for key, size in SIZES.items()}
    facts |= {"llama.attention.layer_norm_rms_epsilon": EPSILON, "llama.rope.freq_base": BASE}
    lists = {"tokens": tokens, "merges": merges, "token_type": [3] * 3 + [1] * (len(tokens) - 3)}
    facts |= {f"tokenizer.ggml.{key}": x for key, x in lists.items()}
    facts |= {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "smollm"} | changes
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts))
    header += b"".join(text(key) + value(x) for key, x in facts.items())
    body = b""
    for name, (kind, data, weights) in tensors.items():
        sizes = weights.shape[::-1]
        header += text(f"{name}.weight") + struct.pack(
            f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, len(body)
        )
        body += data + bytes(-len(data) % 64)
    path.write_bytes(header + bytes(-len(header) % 64) + body)
    return {name: weights for name, (_, _, weights) in tensors.items()}


def logits_by_numpy(weights, ids):
    """Llama's formulas in float64, position by position; pairs of queries and keys lie side by side."""

    def normed(x, gain):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(EPSILON)) * gain

    def turned(x):  # (T, heads, d)
        angles = np.arange(len(x))[:, None] / BASE ** (2 * np.arange(x.shape[2] // 2) / x.shape[2])
        z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)[:, None]
        return np.stack([z.real, z.imag], -1).reshape(x.shape)

    x, T, d = weights["token_embd"][ids], len(ids), 16
    for layer in range(SIZES["block_count"]):
        w = {name.split(".")[2]: one for name, one in weights.items() if name.startswith(f"blk.{layer}.")}
        h = normed(x, w["attn_norm"])
        q, k, v = ((h @ w[f"attn_{name}"].T).reshape(T, -1, d) for name in "qkv")
        q, k = turned(q), turned(k)
        found = np.zeros_like(q)
        for t, head in np.ndindex(T, 4):
            scores = k[: t + 1, head // 2] @ q[t, head] / np.sqrt(d)
            chances = np.exp(scores - scores.max())
            found[t, head] = chances / chances.sum() @ v[: t + 1, head // 2]
        x = x + found.reshape(T, -1) @ w["attn_output"].T
        h = normed(x, w["ffn_norm"])
        gate = h @ w["ffn_gate"].T
        x = x + (gate / (1 + np.exp(-gate)) * (h @ w["ffn_up"].T)) @ w["ffn_down"].T
    return normed(x, weights["output_norm"]) @ weights["token_embd"].T
