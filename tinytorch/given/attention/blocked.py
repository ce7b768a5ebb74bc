"""`blocked_attention`, the function of the operation `BlockedAttention`."""

import math

from tinytorch.attention import BlockedAttention
from tinytorch.given.attention.scaled_dot_product import check_attention
from tinytorch.tensor import in_float32

__all__ = ["blocked_attention"]


def blocked_attention(query, key, value, is_causal=False, scale=None, block_size=128):
    """`scaled_dot_product_attention` in memory that does not grow with T x S (Dao et al., 2022).

    The causal mask is the only one. `block_size` is how many queries, and how many keys, a block has.
    """
    check_attention(query, key, value)
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2] or key.shape[-2] == 0:
        raise RuntimeError(
            "blocked_attention takes equal leading dimensions and at least one key, but got queries "
            f"{list(query.shape)}, keys {list(key.shape)} and values {list(value.shape)}"
        )
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return in_float32(
        BlockedAttention, query, key, value, scale=scale, is_causal=is_causal, block_size=block_size
    )
