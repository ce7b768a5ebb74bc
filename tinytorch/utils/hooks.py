"""Handles of hooks, as in torch.utils.hooks."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__, {"tinytorch.layers": "RemovableHandle"})
