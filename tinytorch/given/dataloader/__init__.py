"""What module 05 gives beside the lesson: collating, data sets, samplers, options, workers, transforms."""

import tinytorch.dataloader  # noqa: F401
