"""What lets the learner's GPT read with a cache of keys and values, which module 18 makes."""

from contextlib import contextmanager

__all__ = ["hidden_of", "remembering"]


@contextmanager
def remembering(blocks, cache):
    """Give each block's attention its layer of a cache, or nothing without a cache, within this context."""
    if cache is None:
        yield
        return
    for block, layer in zip(blocks, cache.layers):
        block.attn.cache = layer
    try:
        yield
    finally:
        for block in blocks:
            block.attn.cache = None


def hidden_of(model, window, cache):
    """What a model's head reads (B, T, C): of the whole window, or with a cache of what it has not seen."""
    return model.hidden(window if cache is None else cache.unseen(window), cache)
