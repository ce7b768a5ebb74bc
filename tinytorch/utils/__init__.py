"""The place of `tinytorch.utils.data`, as in torch.utils."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
