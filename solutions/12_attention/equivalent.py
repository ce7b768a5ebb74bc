"""Changes in the answers of module 12 that no valid input can tell from them."""

EQUIVALENT = {
    "plain-attention": """
        Two dimensions that change places do so in either order.
        - scores = query * scale @ key.transpose(-2, -1)
        + scores = query * scale @ key.transpose(-1, -2)
    """,
    "softmax-rows": """
        The last dimension of two is number 1.
        - largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        + largest = scores.max(axis=+1, keepdims=True, initial=-np.inf)
        - total = scores.sum(axis=-1, keepdims=True)
        + total = scores.sum(axis=+1, keepdims=True)

        From -inf any finite number may be subtracted.
        - largest[largest == -np.inf] = 0
        + largest[largest == -np.inf] = 1
        + largest[largest == -np.inf] = -1

        The subtraction is done before exp begins; in memory of its own it costs an array more.
        - np.exp(np.subtract(scores, largest, out=scores), out=scores)
        + np.exp(scores, out=np.subtract(scores, largest, out=scores))
        + np.exp(np.subtract(scores, largest), out=scores)

        Zeros divided by any number are zeros.
        - total[total == 0] = 1
        + total[total == 0] = 2
    """,
    "attend-backward": """
        The last dimension of two is number 1.
        - scores -= (grad * output).sum(axis=-1, keepdims=True)
        + scores -= (grad * output).sum(axis=+1, keepdims=True)
    """,
    "heads": """
        Two dimensions that change places do so in either order.
        - return x.view(B, T, num_heads, E // num_heads).transpose(1, 2)
        + return x.view(B, T, num_heads, E // num_heads).transpose(2, 1)
        - return x.transpose(1, 2).flatten(2)
        + return x.transpose(2, 1).flatten(2)
    """,
    "projections": """
        One product in place of three is faster, and has the same numbers.
        - if query is key and key is value:
        + if False:
        + if query is key and query is value:
        - if query is key and key is value: / packed = linear(query, weight, bias).unflatten(-1, (3, query.shape[-1])) / return unbind(packed, 2)
        + pass
    """,
    "online-update": """
        The larger of two numbers is the same in either order.
        - new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        + new = np.maximum(scores.max(axis=-1, keepdims=True), largest)
    """,
    "blocked": """
        What is carried from block to block in float64 costs memory and time, and is rounded at the end.
        - largest = np.full((*shape, 1), -np.inf, q.dtype)
        + largest = np.full((*shape, 1), -np.inf)
        - total = np.zeros((*shape, 1), q.dtype)
        + total = np.zeros((*shape, 1))
        - sums = np.zeros((*shape, v.shape[-1]), q.dtype)
        + sums = np.zeros((*shape, v.shape[-1]))
    """,
    "lstm-step": """
        The last dimension of two is number 1.
        - i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, -1)
        + i, f, g, o = (gates + linear(h, weight, bias)).chunk(4, +1)
    """,
    "gru-step": """
        The last dimension of two is number 1.
        - (r, z, n), (r_h, z_h, n_h) = (gates.chunk(3, -1), linear(h, weight, bias).chunk(3, -1))
        + (r, z, n), (r_h, z_h, n_h) = (gates.chunk(3, +1), linear(h, weight, bias).chunk(3, -1))
        + (r, z, n), (r_h, z_h, n_h) = (gates.chunk(3, -1), linear(h, weight, bias).chunk(3, +1))
    """,
}
