"""Observers, fake quantization and the conversion of models, as in torch.ao.quantization."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__)
