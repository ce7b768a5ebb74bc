"""What module 07 gives: the rest of `Optimizer`, and more of its family, made of what the learner writes."""

import tinytorch.optimizers  # noqa: F401
