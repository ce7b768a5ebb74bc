"""What module 20 gives: processes for entries, baselines and their tasks, judging, pages and pictures."""

import tinytorch.capstone  # noqa: F401
