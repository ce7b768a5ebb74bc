"""Data sets, samplers and loaders, as in torch.utils.data."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
