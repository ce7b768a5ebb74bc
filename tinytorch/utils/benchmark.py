"""Timing code, as in torch.utils.benchmark."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
