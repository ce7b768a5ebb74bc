"""Changes in the answers of module 13 that no valid input can tell from them."""

EQUIVALENT = {
    "layer-norm-gradient": """
        A product has the same mean whichever factor comes first.
        - return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse
        + return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(n, grad)) * inverse
    """,
    "rms-norm": """
        A product has the same mean whichever factor comes first.
        - return (grad - n * row_mean(grad, n)) * inverse
        + return (grad - n * row_mean(n, grad)) * inverse
    """,
    "causal-self-attention": """
        Two dimensions that change places do so in either order.
        - q, k, v = (part.transpose(1, 2) for part in pieces(packed, self.heads, 2))
        + q, k, v = (part.transpose(2, 1) for part in pieces(packed, self.heads, 2))
        - return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
        + return self.resid_dropout(self.c_proj(y.transpose(2, 1).reshape(B, T, C)))
    """,
    "held-out-loss": """
        next_token_loss reads the targets one after the other, in rows or in a column.
        - loss = next_token_loss(model(inputs.unsqueeze(0)), targets.unsqueeze(0))
        + loss = next_token_loss(model(inputs.unsqueeze(0)), targets.unsqueeze(-1))
        + loss = next_token_loss(model(inputs.unsqueeze(0)), targets.unsqueeze(1))
    """,
    "filter-logits": """
        The smaller of two numbers is the same in either order.
        - smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        + smallest = logits.topk(min(logits.shape[-1], top_k)).values[:, -1:]

        The last dimension of two is number 1, and True is 1.
        - smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        + smallest = logits.topk(min(top_k, logits.shape[+1])).values[:, -1:]
        - probabilities = softmax(ordered, -1)
        + probabilities = softmax(ordered, +1)
        - before = probabilities.cumsum(-1) - probabilities
        + before = probabilities.cumsum(+1) - probabilities
        - kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        + kept = (before < top_p).sum(+1, keepdim=True).clamp(min=1)
        + kept = (before < top_p).sum(True, keepdim=-1).clamp(min=1)
        - logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
        + logits = logits.masked_fill(logits < ordered.gather(+1, kept - 1), -math.inf)
    """,
    "next-token": """
        The last dimension of two is number 1, and True is 1.
        - return logits.argmax(-1, keepdim=True)
        + return logits.argmax(+1, keepdim=True)
        + return logits.argmax(True, keepdim=-1)
        - probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
        + probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), +1)
    """,
    "mend-training": """
        Two dimensions that change places do so in either order.
        - q, k, v = (part.reshape(B, T, self.n_head, -1).transpose(1, 2) for part in parts)
        + q, k, v = (part.reshape(B, T, self.n_head, -1).transpose(2, 1) for part in parts)
        - return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        + return self.c_proj(y.transpose(2, 1).reshape(B, T, C))
    """,
}
