"""The rest of module 01: some two hundred of PyTorch's names, made of what its lesson writes."""

import tinytorch.tensor  # noqa: F401
