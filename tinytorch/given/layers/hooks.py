"""Hooks: how they are registered and taken away. The learner's `call_with_hooks` runs them."""

from tinytorch.given import methods_of
from tinytorch.layers import Module

__all__ = ["RemovableHandle", "add_hook"]


class RemovableHandle:
    """What registering a hook returns: `remove()`, or leaving its `with` block, takes the hook away."""

    def __init__(self, hooks):
        self.hooks, self.key = hooks, object()

    def remove(self):
        self.hooks.pop(self.key, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def add_hook(hooks, hook, prepend):
    """Add a hook at the end, or with `prepend` at the front, and return its handle."""
    handle = RemovableHandle(hooks)
    hooks[handle.key] = hook
    hooks.move_to_end(handle.key, last=not prepend)
    return handle


@methods_of(Module)
class Hooks:
    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, inputs)` before each forward; what it returns becomes the inputs."""
        if with_kwargs:
            raise NotImplementedError("register_forward_pre_hook: with_kwargs is not supported")
        return add_hook(self._forward_pre_hooks, hook, prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call `hook(module, inputs, output)` after each forward; what it returns becomes the output."""
        if with_kwargs or always_call:
            raise NotImplementedError("register_forward_hook: with_kwargs and always_call are not supported")
        return add_hook(self._forward_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)` in each backward; it may return a new `grad_input`."""
        return add_hook(self._backward_hooks, hook, prepend)
