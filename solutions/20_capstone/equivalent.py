"""Changes in the answers of module 20 that no valid input can tell from them."""

EQUIVALENT = {
    "fresh-inputs": """
        One image more at the end is never taken.
        - padded = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        + padded = np.pad(images, ((0, 1), (0, 0), (shift, shift), (shift, shift)))
    """,
    "marks": """
        There are as many rows of logits as targets.
        - return shifted[np.arange(len(targets)), targets] - totals
        + return shifted[np.arange(len(logits)), targets] - totals
    """,
    "leaderboard": """
        Of two records of one entry with the same low end either may count.
        - if record['scores'][event.kind][1] < other['scores'][event.kind][1]:
        + if record['scores'][event.kind][1] <= other['scores'][event.kind][1]:

        The first row lies below infinity, and has a place of its own.
        - rows, place, reach = ([], 0, np.inf)
        + rows, place, reach = ([], 1, np.inf)
        + rows, place, reach = ([], -1, np.inf)
    """,
    "as-matrix": """
        What comes of one image of zeros has one row, as long as the others.
        - layer.load_state_dict({'weight': rows.T.contiguous(), 'bias': zero[0]})
        + layer.load_state_dict({'weight': rows.T.contiguous(), 'bias': zero[-1]})
        - layer = nn.Linear(n, rows.shape[1])
        + layer = nn.Linear(n, zero.shape[1])
    """,
    "streaming": """
        No tokens are equal to None, where nothing has been seen.
        - start = 0 if self.cache is None else self.cache.length
        + start = -1 if self.cache is None else self.cache.length
        + start = 1 if self.cache is None else self.cache.length
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 <= start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not -1 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):

        Equal is equal either way, and the tokens of a Tensor are those of its array.
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or not np.array_equal(self.seen, tokens[:, :start]):
        + if not 0 < start < idx.shape[1] or not np.array_equal(idx[:, :start], self.seen):
        - self.cache = torch.KVCache.for_model(self.model, len(tokens))
        + self.cache = torch.KVCache.for_model(self.model, len(idx))
    """,
    "teach": """
        The schedule sets the rate before the first step.
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        + optimizer = optim.AdamW(student.parameters())
        + optimizer = optim.AdamW(student.parameters(), lr=batch)
    """,
}
