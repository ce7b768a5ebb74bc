"""What module 17b gives: its simulator, launchers, the other kernels, and the array that carries them all."""

import tinytorch.kernels  # noqa: F401
