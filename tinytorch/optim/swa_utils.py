"""Averages of models over their training, as in torch.optim.swa_utils."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
