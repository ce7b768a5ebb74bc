"""What module 16 gives: PyTorch's pruning methods, smaller and clustered layers, checks, pictures."""

import tinytorch.compression  # noqa: F401
