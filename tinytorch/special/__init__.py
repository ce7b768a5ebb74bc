"""Special functions, as in torch.special."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
