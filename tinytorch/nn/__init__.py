"""Layers and losses, as in torch.nn."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
