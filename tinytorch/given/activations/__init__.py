"""Given with module 02: what activations check, and the activations that its learner does not write."""

import tinytorch.activations  # noqa: F401
