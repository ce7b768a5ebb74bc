"""PyTorch's compiler, as in torch._inductor: nothing is compiled here, so there is only its config to set."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__)
