"""What a GPT learns from and by, n-grams that it should beat, and where what it writes ends."""

from numbers import Integral

import numpy as np

from tinytorch.dataloader import Dataset
from tinytorch.losses import cross_entropy
from tinytorch.tensor import wrap

__all__ = ["TokenBlocks", "ends_of", "finished_by", "next_token_loss", "ngram_loss"]


def next_token_loss(logits, targets):
    """The mean cross-entropy, in nats, of logits (B, T, V) for the next tokens (B, T)."""
    return cross_entropy(logits.flatten(0, 1), targets.flatten())


class TokenBlocks(Dataset):
    """Every piece of `block_size` tokens of a text, with the piece one token later.

    Shape: a sample is two tensors of integers, (block_size,) each.

    >>> TokenBlocks(torch.tensor([1, 2, 3, 4]), block_size=2)[1]
    (tensor([2, 3]), tensor([3, 4]))
    """

    def __init__(self, ids, block_size):
        if len(ids) <= block_size:
            raise ValueError(f"a text of {len(ids)} tokens has no piece of {block_size} tokens and one more")
        self.ids, self.block_size = ids, block_size

    def __len__(self):
        return len(self.ids) - self.block_size

    def __getitem__(self, start):
        piece = self.ids[start : start + self.block_size + 1]
        return piece[:-1], piece[1:]


def ngram_loss(ids, held_out, vocab_size, order=5):
    """Measure how well the counts of up to `order` neighbouring tokens predict the next one.

    p(w | h) = (c(hw) + t(h) p(w | h')) / (c(h) + t(h))

    Here h is the order - 1 tokens before w, or as many as there are; c counts in `ids`, t(h) is the number of
    different tokens that follow h there, and h' is h without its first token; with nothing left, p(w | h') is
    1 / vocab_size. A context that never occurs leaves the word to the shorter one. This is the smoothing of
    I. Witten and T. Bell, "The Zero-Frequency Problem", 1991, as S. Chen and J. Goodman write it in "An
    Empirical Study of Smoothing Techniques for Language Modeling", 1998.

    Args:
        ids: the tokens that are counted, an int array (N,).
        held_out: the tokens that are predicted, an int array (M,), M at least 2.
        vocab_size: how many tokens there are.
        order: the most tokens that are counted together, at least 1.

    Returns:
        The mean of -ln p over all tokens of `held_out` but the first, as by `bigram_loss`, a float, in nats.

    Here p(1) = (2 + 2 / 2) / (4 + 2) = 1 / 2, and after a 0, which 1 always follows, (2 + 1 / 2) / (2 + 1):

    >>> round(ngram_loss(np.array([0, 1, 0, 1]), np.array([0, 1]), 2, order=2), 4)
    0.1823
    """
    both, N = np.concatenate([ids, held_out]), len(ids)
    context = np.zeros(len(both), np.int64)  # a number for the n tokens from each place on
    p = np.full(len(held_out), 1 / vocab_size)
    for n in range(order):
        places = len(both) - n
        pairs = context[:places] * vocab_size + both[n:]
        _, first, gram = np.unique(pairs, return_index=True, return_inverse=True)  # n + 1 tokens, as a number
        seen = max(N - n, 0)
        count = np.bincount(gram[:seen], minlength=len(first))
        of_context = context[first]
        total = np.bincount(of_context, count)
        kinds = np.bincount(of_context, count > 0).clip(1)  # where the total is 0, the shorter one decides
        h = context[N:places]
        p[n:] = (count[gram[N:]] + kinds[h] * p[n:]) / (total[h] + kinds[h])
        context = gram
    return float(np.average(-np.log(p[1:])))


def ends_of(stop):
    """The stop tokens as a list: none, one or several."""
    return [] if stop is None else [stop] if isinstance(stop, Integral) else list(stop)


def finished_by(token, idx, finished, ends):
    """The new tokens (B, 1), in finished sequences the last one; and which are finished."""
    token = wrap(np.where(finished, idx.array[:, -1:], token.array))
    return token, finished | np.isin(token.array, ends)
