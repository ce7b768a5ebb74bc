"""What module 19 gives: results as sentences, simulated machines, tables and pictures, PyTorch's Timer."""

import tinytorch.benchmarking  # noqa: F401
