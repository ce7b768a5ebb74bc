"""Switches of PyTorch's compiler, as in torch._dynamo.config: they can be set, and change nothing."""
