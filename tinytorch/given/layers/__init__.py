"""The rest of module 03: checks, containers, plain layers, first values, and the rest of Module."""

import tinytorch.layers  # noqa: F401
