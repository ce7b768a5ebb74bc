"""Counting floating point operations, as in torch.utils.flop_counter."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
