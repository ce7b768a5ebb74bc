"""Special functions, as in torch.special."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__)
