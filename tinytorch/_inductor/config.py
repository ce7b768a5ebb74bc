"""Switches of PyTorch's compiler, as in torch._inductor.config: they can be set, and change nothing."""
