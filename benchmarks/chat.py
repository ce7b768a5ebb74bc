"""SmolLM2 with 4, 8 and 32 bits to a weight beside PyTorch's float32 and llama.cpp: a part of `make bench`.

One thread, greedy: 38 tokens are read and 80 written, and a text of 500 is read. Processor time, in turns, medians. Where
the model's file is not there (`make milestone chat` fetches it), nothing is measured; PyTorch and llama.cpp where installed.
"""

import importlib.util
import json
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

import tinytorch as torch
from milestones._fetch import FOLDER
from tinytorch.given.transformer.model_file import NAME

OURS, PYTORCH = {"4 bits": 4, "8 bits": 8, "32 bits": 32}, "PyTorch, 32 bits"
MODEL, TURNS, WRITTEN, LONG = FOLDER / NAME, 5, 80, 500
RECORDED = Path(__file__).parents[1] / "tests" / "golden" / "recorded" / "chat.json"
RESIDENT = """
import sys, tinytorch as torch
model = torch.GPT.from_pretrained(sys.argv[1], bits=int(sys.argv[2]))
with torch.accelerate():
    model.generate(torch.tensor([[1, 2, 3, 4] * 10]), 20, temperature=0, use_cache=True)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


class Ours:
    """The model in so many bits, with the kernels of module 17."""

    def __init__(self, bits):
        self.model = torch.GPT.from_pretrained(MODEL, bits=bits)

    def read(self, ids):
        self.cache = torch.KVCache.for_model(self.model, 1, max_length=1024)
        with torch.accelerate():
            self.idx = torch.transformer.generate(
                self.model, torch.tensor([ids]), 1, temperature=0, cache=self.cache
            )

    def write(self, count):
        with torch.accelerate():
            torch.transformer.generate(self.model, self.idx, count, temperature=0, cache=self.cache)


class Theirs:
    """The same weights in float32 under PyTorch: memory for keys and values is made once, queries, keys and values are one product."""

    def __init__(self, model):
        import torch as pytorch

        self.torch, config = pytorch, model.config
        self.tensors = {name: pytorch.from_numpy(x.detach().numpy()) for name, x in model.named_parameters()}
        attn = model.transformer.h[0].attn
        self.cos, self.sin = (pytorch.from_numpy(x.numpy()) for x in (attn.rotary.cos, attn.rotary.sin))
        self.heads, self.epsilon = attn.heads, config.layer_norm_epsilon
        shape = config.n_layer, 1, config.n_kv_head, 1024, config.n_embd // config.n_head
        self.keys, self.values = pytorch.empty(shape), pytorch.empty(shape)

    def logits(self, ids):
        """The logits of the token after the last."""
        F, w, (H, G, _) = self.torch.nn.functional, self.tensors, self.heads
        T, S = len(ids), self.length + len(ids)
        x = F.embedding(self.torch.tensor([ids]), w["transformer.wte.weight"])
        cos, sin = self.cos[self.length : S], self.sin[self.length : S]
        mask = None if T == 1 else self.torch.ones(T, S, dtype=self.torch.bool).tril(self.length)
        for n in range(len(self.keys)):
            part = f"transformer.h.{n}."
            h = F.rms_norm(x, x.shape[-1:], w[part + "ln_1.weight"], self.epsilon)
            packed = F.linear(h, w[part + "attn.c_attn.weight"]).view(1, T, H + 2 * G, -1).transpose(1, 2)
            a, b = packed[:, : H + G].chunk(2, -1)
            turned = self.torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
            self.keys[n, :, :, self.length : S] = turned[:, H:]
            self.values[n, :, :, self.length : S] = packed[:, H + G :]
            y = F.scaled_dot_product_attention(
                turned[:, :H], self.keys[n, :, :, :S], self.values[n, :, :, :S], mask, enable_gqa=True
            )
            x = x + F.linear(y.transpose(1, 2).reshape(1, T, -1), w[part + "attn.c_proj.weight"])
            h = F.rms_norm(x, x.shape[-1:], w[part + "ln_2.weight"], self.epsilon)
            gate, up = F.linear(h, w[part + "mlp.c_fc.weight"]).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, w[part + "mlp.c_proj.weight"])
        self.length = S
        x = F.rms_norm(x[:, -1], x.shape[-1:], w["transformer.ln_f.weight"], self.epsilon)
        return F.linear(x, w["transformer.wte.weight"])[0]

    def read(self, ids):
        self.length = 0
        with self.torch.inference_mode():
            self.token = self.logits(ids).argmax().item()

    def write(self, count):
        token, found = self.token, []
        with self.torch.inference_mode():
            for _ in range(count):
                found.append(token)
                token = self.logits([token]).argmax().item()
        return found


class LlamaCpp:
    """llama.cpp on the file, by its own 4 bits."""

    def __init__(self):
        from llama_cpp import Llama

        self.model = Llama(str(MODEL), n_ctx=1024, n_threads=1, n_threads_batch=1, verbose=False)

    def read(self, ids):
        self.model.reset()
        self.model.eval(ids)
        self.token = int(np.argmax(self.model.scores[self.model.n_tokens - 1]))

    def write(self, count):
        token = self.token
        for _ in range(count):
            self.model.eval([token])
            token = int(np.argmax(self.model.scores[self.model.n_tokens - 1]))


def contestants():
    found = {name: Ours(bits) for name, bits in OURS.items()}
    if importlib.util.find_spec("torch"):
        import torch as pytorch

        pytorch.set_num_threads(1)
        found[PYTORCH] = Theirs(found["32 bits"].model)
    if importlib.util.find_spec("llama_cpp"):
        found["llama.cpp, 4 bits"] = LlamaCpp()
    return found


def timed(step):
    start = time.process_time()
    step()
    return time.process_time() - start


def resident(bits):
    """The largest resident memory, in MiB, of a process that loads the model and writes."""
    command = [sys.executable, "-P", "-c", RESIDENT, str(MODEL), str(bits)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) // 1024


def rows() -> list[tuple[str, str]]:
    """Pairs of what was measured and what came out."""
    if not MODEL.exists():
        return [("SmolLM2", "not measured, for its file is not here: `make milestone chat` fetches it")]
    prompt = json.loads(RECORDED.read_text(encoding="utf-8"))["prompts"][-1]  # "Name 3 animals that can fly."
    others, reading, writing = contestants(), {}, {}
    for turn in range(TURNS + 1):  # the first compiles
        for name, one in others.items():
            seconds = timed(partial(one.read, (prompt * LONG)[:LONG]))
            one.read(prompt)
            if turn:
                reading.setdefault(name, []).append(seconds)
                writing.setdefault(name, []).append(timed(partial(one.write, WRITTEN)) / WRITTEN)
            else:
                one.write(3)
    return [(f"SmolLM2, {name}", described(name, reading, writing)) for name in others]


def described(name, reading, writing):
    """How fast one of them reads and writes, beside PyTorch where it was measured, and what memory ours takes."""
    read, written = (statistics.median(times[name]) for times in (reading, writing))
    text = f"{LONG} tokens read in {read:.2f} s, {1 / written:.1f} written a second"
    if PYTORCH in reading and name != PYTORCH:
        ratios = [
            statistics.median(times[PYTORCH]) / statistics.median(times[name]) for times in (reading, writing)
        ]
        text += f"; {ratios[0]:.2f} and {ratios[1]:.2f} times PyTorch's speed"
    if name in OURS and Path("/proc/self/status").exists():
        text += f"; {resident(OURS[name])} MiB resident"
    return text


if __name__ == "__main__":
    for text, value in rows():
        print(f"{text}: {value}", flush=True)
