"""A small GPT to measure with, trained by the learner's code, and outliers to plant in it."""

import numpy as np

from tinytorch.dataloader import PythonDocs
from tinytorch.optimizers import AdamW
from tinytorch.tensor import manual_seed, randint, wrap
from tinytorch.trainer import OneCycleLR
from tinytorch.transformer import GPT, GPTConfig, next_token_loss

__all__ = []

SIZES = {"vocab_size": 128, "block_size": 64, "n_layer": 1, "n_head": 4, "n_kv_head": 2, "n_embd": 64}
KINDS = {"n_inner": 128, "dropout": 0.0, "bias": False, "rms_norm": True, "rotary": True, "gated": True}
CHANNEL, UNIT = 40, 7  # which become outliers
BATCH, RATE = 16, 1e-2


def small_language_model(page, steps=200):
    """A GPT that has learned Python's documentation for some seconds without this page; the page's tokens."""
    rest = characters(without(page))
    manual_seed(0)
    model = GPT(GPTConfig(**SIZES, **KINDS))
    optimizer = AdamW(model.parameters(), lr=RATE)
    schedule = OneCycleLR(optimizer, RATE, total_steps=steps)
    size = model.config.block_size + 1
    for _ in range(steps):
        starts = randint(0, len(rest) - size, (BATCH,)).tolist()
        pieces = wrap(np.stack([rest[start : start + size] for start in starts]))
        optimizer.zero_grad()
        next_token_loss(model(pieces[:, :-1]), pieces[:, 1:]).backward()
        optimizer.step()
        schedule.step()
    return model.eval(), wrap(characters(page))


def without(page):
    """Python's documentation, except one page."""
    return "\n\n".join(topic for topic in PythonDocs() if topic != page)


def characters(text):
    """The numbers of a text's ASCII characters, int64."""
    return np.frombuffer(text.encode("ascii", "ignore"), np.uint8).astype(np.int64)


def plant_outliers(model):
    """Return the model with some weights and activations larger, and what they meet smaller.

    It computes the same: the factors are powers of two, by which floats are multiplied exactly.
    """
    for block in model.transformer.h:
        for norm, layer in ((block.ln_1, block.attn.c_attn), (block.ln_2, block.mlp.c_fc)):
            norm.weight.array[CHANNEL] /= 16
            layer.weight.array[:, CHANNEL] *= 16
        up = block.mlp.c_fc.weight.array[block.mlp.c_proj.in_features :]
        up[UNIT] *= 256
        block.mlp.c_proj.weight.array[:, UNIT] /= 256
    return model
