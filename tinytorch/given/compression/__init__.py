"""What module 16 gives: PyTorch's pruning methods, layers of other sizes, clustered layers, checks and pictures."""

import tinytorch.compression  # noqa: F401
