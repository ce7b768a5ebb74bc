"""Layers and losses as functions, as in torch.nn.functional."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
