"""What module 15 gives: observers, integer layers, packed layers and conversions, made of what the learner writes."""

import tinytorch.quantization  # noqa: F401
