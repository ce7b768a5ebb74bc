"""Layers and losses, as in torch.nn."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__)
