"""The rest of module 05: collating, data sets, samplers, options, workers, transforms."""

import tinytorch.dataloader  # noqa: F401
