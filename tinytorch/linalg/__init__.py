"""Linear algebra, as in torch.linalg."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
