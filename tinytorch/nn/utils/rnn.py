"""Sequences of different lengths in one batch, as in torch.nn.utils.rnn."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
