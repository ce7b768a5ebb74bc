"""The rest of module 09: padding, layers, pools, normalisation, unfolding, resampling, a residual network."""

import tinytorch.conv  # noqa: F401
