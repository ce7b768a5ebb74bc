"""What computes beneath the tensors, as in torch.backends: NumPy, and none of PyTorch's libraries."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
