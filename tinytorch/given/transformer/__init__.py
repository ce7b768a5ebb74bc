"""What module 13 gives: normalisation over rows, PyTorch's transformer layers, and a GPT's checkpoints."""

import tinytorch.transformer  # noqa: F401
