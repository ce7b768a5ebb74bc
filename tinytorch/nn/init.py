"""First values of parameters, as in torch.nn.init."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__)
