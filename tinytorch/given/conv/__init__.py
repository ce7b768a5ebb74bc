"""The rest of module 09: padding, layers of convolution, pooling and normalisation, unfolding, and a residual network."""

import tinytorch.conv  # noqa: F401
