"""What a cache refuses: what does not fit into it, windows that make no sense, and gradients."""

__all__ = ["check_prompts", "check_room", "check_window", "without_graph"]


def check_room(layer, k, v):
    """ValueError unless keys and values (B, H, T, d) fit into what a layer's cache has left."""
    B, H, size, d = layer.k.shape
    if k.shape != v.shape or (*k.shape[:2], *k.shape[3:]) != (B, H, d):
        raise ValueError(
            f"a cache of {B} sequences, {H} heads and heads of {d} takes no keys of shape {tuple(k.shape)} "
            f"and values of shape {tuple(v.shape)}"
        )
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


def check_prompts(prompts):
    """ValueError unless there are prompts, and every one has a token."""
    if not prompts or not all(len(prompt) for prompt in prompts):
        raise ValueError("every prompt needs a token at least, and one prompt is needed at least")


def without_graph(*tensors):
    """The arrays of Tensors; RuntimeError where a gradient is expected, for a cache keeps numbers only."""
    if any(x.requires_grad for x in tensors):
        raise RuntimeError("a cache keeps numbers and no graph: call the model under no_grad()")
    return [x.array for x in tensors]
