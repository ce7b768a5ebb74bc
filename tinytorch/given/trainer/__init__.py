"""What module 08 gives: schedules, clipping, files and a trainer, made of what the learner writes."""

import tinytorch.trainer  # noqa: F401
