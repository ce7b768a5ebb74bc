"""What module 20 gives: processes for entries, the baselines and their tasks, the judging, the pages, the pictures."""

import tinytorch.capstone  # noqa: F401
