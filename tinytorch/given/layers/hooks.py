"""Hooks: how they are registered and removed. The learner's `call_with_hooks` runs them."""

from collections import OrderedDict

from tinytorch.given import methods_of
from tinytorch.layers import Module

__all__ = ["AlwaysCalled", "RemovableHandle", "add_hook", "more_hooks", "named_inputs"]


class RemovableHandle:
    """What registering a hook returns: `remove()`, or leaving its `with` block, removes the hook."""

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
        """Call `hook(module, inputs)` before each forward; what it returns becomes the inputs.

        With `with_kwargs` it is also called with the named inputs, and returns both, or None.

        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_forward_pre_hook(lambda module, inputs: (-inputs[0],))
        >>> layer(torch.tensor([-1.0, 2.0]))
        tensor([1., 0.])
        >>> handle.remove()
        """
        if with_kwargs:
            hook = with_named_inputs(self, hook)
        return add_hook(self._forward_pre_hooks, hook, prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call `hook(module, inputs, output)` after each forward; what it returns becomes the output.

        With `with_kwargs` it is given the named inputs before the output; with `always_call` it is also
        called after an error.

        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, inputs, output: output + 1)
        >>> layer(torch.tensor([-1.0, 2.0]))
        tensor([1., 3.])
        >>> handle.remove()
        """
        if with_kwargs:
            hook = with_named_inputs(self, hook)
        if always_call:
            hook = AlwaysCalled(self, hook)
        return add_hook(self._forward_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)` in each backward; it may return a new `grad_input`.

        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_full_backward_hook(lambda module, inputs, outputs: print(outputs))
        >>> layer(torch.tensor([1.0, 2.0], requires_grad=True)).sum().backward()
        (tensor([1., 1.]),)
        """
        self._in_full = True
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """Do what `register_full_backward_hook` does, by its older name.

        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_backward_hook(lambda module, inputs, outputs: print(outputs))
        >>> layer(torch.tensor([1.0, 2.0], requires_grad=True)).sum().backward()
        (tensor([1., 1.]),)
        """
        return self.register_full_backward_hook(hook)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call `hook(module, grad_output)` in each backward; it may return a new `grad_output`.

        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_full_backward_pre_hook(lambda module, grad_output: print(grad_output))
        >>> layer(torch.tensor([1.0, 2.0], requires_grad=True)).sum().backward()
        (tensor([1., 1.]),)
        """
        self._in_full = True
        return add_hook(more_hooks(self, "_backward_pre_hooks"), hook, prepend)


def more_hooks(module, place):
    """A dictionary for hooks that few modules have, made on first use."""
    return module.__dict__.setdefault(place, OrderedDict())


def named_inputs(module):
    """The named inputs of the calls of a module that are running, the innermost last."""
    return module.__dict__.setdefault("_named_inputs", [])


def with_named_inputs(module, hook):
    """A hook that is called with the named inputs of the call too; a pre-hook may change them."""
    module._in_full = True

    def called(module, args, *output):
        kwargs = named_inputs(module)[-1]
        changed = hook(module, args, kwargs, *output)
        if output or changed is None:
            return changed
        if not (isinstance(changed, tuple) and len(changed) == 2):
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
            )
        args, new = changed[0], dict(changed[1])
        kwargs.clear()
        kwargs.update(new)
        return args

    return called


class AlwaysCalled:
    """A hook that is called after forward, or after the error that ended it."""

    def __init__(self, module, hook):
        module._in_full = True
        self.hook, self.called = hook, False

    def __call__(self, module, args, output):
        self.called = True
        return self.hook(module, args, output)
