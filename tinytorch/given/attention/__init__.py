"""What module 12 gives: attention over all heads, MultiheadAttention, and the recurrent networks."""

import tinytorch.attention  # noqa: F401
