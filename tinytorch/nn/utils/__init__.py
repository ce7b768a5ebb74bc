"""Help with gradients and parameters, as in torch.nn.utils."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
