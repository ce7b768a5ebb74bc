"""Hooks on gradients: called by the walk at a node's outputs, and at leaves."""

import weakref

from tinytorch.layers import RemovableHandle
from tinytorch.tensor import Tensor

__all__ = [
    "KEEP",
    "RemovableHandle",
    "hooks_of",
    "register_hook",
    "register_post_accumulate_grad_hook",
    "retain_grad",
    "retains_grad",
    "run_hooks_after",
]

KEEP = "keep"  # the key of the hook that `retain_grad` adds


def hooks_of(tensor):
    """The hooks on a tensor's gradient: on the leaf itself, or at the output of its node."""
    if tensor.grad_fn is None:
        tensor.__dict__.setdefault("_hooks", {})
        return tensor._hooks
    if tensor.grad_fn.hooks is None:
        tensor.grad_fn.hooks = {}
    return tensor.grad_fn.hooks.setdefault(tensor.output_nr, {})


def register_hook(tensor, hook):
    """Call `hook(grad)` once the tensor's gradient is known; what it returns, if not None, replaces it."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    handle = RemovableHandle(hooks_of(tensor))
    keeping = handle.hooks.pop(KEEP, None)
    handle.hooks[handle.key] = hook
    if keeping is not None:  # the gradient is kept as the last hook leaves it
        handle.hooks[KEEP] = keeping
    return handle


def register_post_accumulate_grad_hook(tensor, hook):
    """Call `hook(tensor)` whenever a gradient has been added to the `.grad` of a leaf."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if tensor.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    tensor.__dict__.setdefault("_hooks_after", {})
    handle = RemovableHandle(tensor._hooks_after)
    handle.hooks[handle.key] = hook
    return handle


def run_hooks_after(leaf):
    """Call what `register_post_accumulate_grad_hook` has registered."""
    for hook in list(leaf.__dict__.get("_hooks_after", {}).values()):
        returned = hook(leaf)
        if isinstance(returned, Tensor) and returned is not leaf:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if not isinstance(returned, Tensor | None):
            raise TypeError(f"expected Variable, but hook returned '{type(returned).__name__}'")


def retain_grad(tensor):
    """Keep the gradient of a tensor that is not a leaf in its `.grad`."""
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if tensor.grad_fn is None:
        return
    reference = weakref.ref(tensor)

    def keep(grad):
        if (kept := reference()) is not None:
            kept._grad = grad.clone() if kept._grad is None else kept._grad + grad

    hooks_of(tensor)[KEEP] = keep


def retains_grad(tensor):
    """Whether `retain_grad` was called on this tensor."""
    return tensor.grad_fn is not None and KEEP in hooks_of(tensor)
