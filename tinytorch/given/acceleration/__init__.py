"""What module 17 gives: the registry of kernels, and the kernels that go like the lesson's."""
