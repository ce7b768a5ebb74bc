"""What a cache refuses: what does not fit into it, windows that make no sense, other texts, and gradients."""

import numpy as np

__all__ = ["check_heads", "check_prompts", "check_room", "check_window", "count_new", "without_graph"]


def check_heads(layer, k, v):
    """ValueError unless keys and values (B, H, T, d) have the sizes of a layer's cache, for any T."""
    B, H, _, d = layer.k.shape
    if k.shape != v.shape or (*k.shape[:2], *k.shape[3:]) != (B, H, d):
        raise ValueError(
            f"a cache of {B} sequences, {H} heads and heads of {d} takes no keys of shape {tuple(k.shape)} "
            f"and values of shape {tuple(v.shape)}"
        )


def check_room(layer, k, v):
    """ValueError unless keys and values (B, H, T, d) fit into what a layer's cache has left."""
    check_heads(layer, k, v)
    size = layer.k.shape[2]
    if layer.length + k.shape[2] > size:
        raise ValueError(
            f"a cache with room for {size} positions holds {layer.length}: {k.shape[2]} more do not fit"
        )


def check_window(max_length, keep, block_size=None):
    """ValueError unless 1 <= keep <= max_length <= block_size."""
    if block_size is not None and max_length > block_size:
        raise ValueError(
            f"max_length is {max_length}, and the model has vectors for {block_size} positions only"
        )
    if not 1 <= keep <= max_length:
        raise ValueError(f"keep must be between 1 and max_length, {max_length}, and is {keep}")


def count_new(before, window, length, max_length):
    """How many tokens at the end of a window (B, T) are not in a cache that has filled `length` slots.

    `before` is the window that it saw last, None if it was filled by hand. A window below max_length is a
    whole text; others may have moved, so that they begin anywhere in `before`. ValueError for another text.
    """
    if length == 0:
        return window.shape[1]
    before = window[:, :length] if before is None else before
    T, shown = window.shape[1], before.shape[1]
    end = T - shown + 1 if max_length > T else max(T, 2)
    for new in range(max(1, T - shown), end):
        if shown <= T and np.array_equal(window[:, : T - new], before[:, shown - (T - new) :]):
            return new
    raise ValueError("this text does not go on from the one in the cache: call the cache's reset() first")


def check_prompts(prompts):
    """ValueError unless there are prompts, and every one has a token."""
    if not prompts or not all(len(prompt) for prompt in prompts):
        raise ValueError("every prompt needs a token at least, and one prompt is needed at least")


def without_graph(*tensors):
    """The arrays of Tensors; RuntimeError where a gradient is expected, for a cache keeps numbers only."""
    if any(x.requires_grad for x in tensors):
        raise RuntimeError("a cache keeps numbers and no graph: call the model under no_grad()")
    return [x.array for x in tensors]
