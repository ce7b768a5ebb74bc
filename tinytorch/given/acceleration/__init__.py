"""What module 17 gives: how kernels are compiled and registered, further kernels, and the pictures."""

import tinytorch.acceleration  # noqa: F401
