"""Tokens a second with the cache of module 18 and without it, at 64 to 1,024 tokens: a part of `make bench`.

A text of 1,024 tokens is written with the cache, and the processor time of every step is taken. Without it, every
sixteenth step is run and counts sixteen times: all of them would take minutes.
"""

import time

import numpy as np

import tinytorch as torch

LENGTHS, EVERY = (64, 128, 256, 512, 1024), 16
MODELS = {
    "3 layers, 96 wide": (3, 4, 96),
    "6 layers, 256 wide": (6, 8, 256),
}  # wanted: 2x and 4x at 256 tokens


def rows(batches=(1, 8)) -> list[tuple[str, str]]:
    """Pairs of what was measured and what came out."""
    found = []
    for name, (layers, heads, width) in MODELS.items():
        torch.manual_seed(0)
        config = torch.GPTConfig(256, LENGTHS[-1], layers, heads, width, dropout=0.0)
        model = torch.GPT(config).eval()
        for batch in batches:
            cached, without = step_seconds(model, batch)
            for length in LENGTHS:
                fast, slow = (batch * length / seconds[:length].sum() for seconds in (cached, without))
                found.append(
                    (
                        f"GPT of {name}, batch {batch}, {length:,} tokens, with and without a cache",
                        f"{fast:,.0f} and {slow:,.0f} tokens/s, {fast / slow:.1f}x; the last token "
                        f"{cached[length - 8 : length].mean() * 1e3:.1f} and {without[length - 1] * 1e3:.1f} ms",
                    )
                )
    return found


@torch.no_grad()
def step_seconds(model, batch):
    """The processor time of each of 1,024 steps, with the cache and without."""
    idx = torch.zeros(batch, LENGTHS[-1], dtype=torch.int64)
    cache, cached, without = torch.KVCache.for_model(model, batch), [], []

    def timed(shown, cache=None):
        start = time.process_time()
        model.lm_head(model.hidden(shown, cache)[:, -1]).argmax(-1)
        return time.process_time() - start

    for t in range(LENGTHS[-1]):
        cached.append(timed(idx[:, t : t + 1], cache))
        if t % EVERY == EVERY - 1:
            without += [timed(idx[:, : t - EVERY // 2 + 1])] * EVERY
    return np.array(cached), np.array(without)
