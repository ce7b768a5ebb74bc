"""What module 11 gives: checks of indices, the functions around the operations, and rotary positions."""

import tinytorch.embeddings  # noqa: F401
