"""What module 15 gives: observers, integer layers, packed layers and conversions, of what learners write."""

import tinytorch.quantization  # noqa: F401
