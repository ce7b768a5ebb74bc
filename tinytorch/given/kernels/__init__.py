"""What module 17b gives: its simulator, the launchers and kernels beside the learner's, and the array that carries them."""

import tinytorch.kernels  # noqa: F401
