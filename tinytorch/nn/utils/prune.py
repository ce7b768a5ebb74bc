"""Masks that hold while a model is trained and saved, as in torch.nn.utils.prune."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
