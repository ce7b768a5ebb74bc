"""What module 17 gives: how kernels are compiled and registered, the kernels that go like the lesson's, the pictures."""

import tinytorch.acceleration  # noqa: F401
