"""What module 19 gives: its results with their sentences, simulated machines, tables and pictures, PyTorch's Timer."""

import tinytorch.benchmarking  # noqa: F401
