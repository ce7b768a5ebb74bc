"""Recording what runs, and how long it takes, as in torch.profiler."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
