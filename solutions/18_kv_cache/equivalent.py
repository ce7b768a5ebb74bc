"""Changes in the answers of module 18 that no valid input can tell from them."""

EQUIVALENT = {
    "attend-one": """
        Either order of two dimensions exchanges them, and in four dimensions number 2 is number -2.
        - scores = grouped @ k.swapaxes(-1, -2)
        + scores = grouped @ k.swapaxes(-2, -1)
        + scores = grouped @ k.swapaxes(-1, +2)

        NumPy takes every negative length for the one that it is to find.
        - weights = softmax_rows(scores.reshape(-1, S)).reshape(scores.shape)
        + weights = softmax_rows(scores.reshape(-2, S)).reshape(scores.shape)

        softmax_rows works in place, on a view of the scores.
        - return (weights @ v).reshape(q.shape)
        + return (scores @ v).reshape(q.shape)
    """,
    "attend-new": """
        A mask holds 0 and -inf, which are the same in every type, and attention returns the type of q.
        - mask = causal_mask(range(start, S), range(S), q.dtype)
        + mask = causal_mask(range(start, S), range(S))
    """,
    "kv-cache": """
        Every layer has been shown the same tokens.
        - return self.layers[0].length
        + return self.layers[-1].length
    """,
    "prompts": """
        A step gives one new token to each row, the first and the last of its row.
        - tokens[:, end] = np.where(known[:, end], tokens[:, end], token.array[:, 0])
        + tokens[:, end] = np.where(known[:, end], tokens[:, end], token.array[:, -1])
    """,
}
