"""What a GPT learns from and by, `TokenBlocks` and `next_token_loss`; and where what it writes ends."""

import numpy as np

from tinytorch.dataloader import Dataset
from tinytorch.losses import cross_entropy
from tinytorch.tensor import wrap

__all__ = ["TokenBlocks", "ends_of", "finished_by", "next_token_loss"]


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


def ends_of(stop):
    """The stop tokens as a list: none, one or several."""
    return [] if stop is None else [stop] if isinstance(stop, int) else list(stop)


def finished_by(token, idx, finished, ends):
    """The new tokens (B, 1), in finished sequences the last one; and which are finished."""
    token = wrap(np.where(finished, idx.array[:, -1:], token.array))
    return token, finished | np.isin(token.array, ends)
