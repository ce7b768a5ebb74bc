"""Layers and losses, in the place where PyTorch's files are: what torch.nn has, as in torch.nn.modules."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__, repeats="tinytorch.nn")
