"""Optimizers, as in torch.optim."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
