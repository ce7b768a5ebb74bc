"""Calls with other than plain hooks: for gradients, with named inputs, after errors.

For gradients, a module's outputs and inputs pass through points that catch them on the way back. Between the
two points the learner's `call_with_hooks` runs the module.
"""

import warnings

from tinytorch.given.layers.hooks import AlwaysCalled, named_inputs
from tinytorch.given.layers.uninitialized import (
    LazyLinear,
    LazyModule,
    UninitializedBuffer,
    UninitializedParameter,
    is_lazy,
)
from tinytorch.layers import call_with_hooks
from tinytorch.tensor import Function, Tensor, wrap

__all__ = [
    "HookPoint",
    "LazyLinear",
    "LazyModule",
    "UninitializedBuffer",
    "UninitializedParameter",
    "as_given",
    "call_in_full",
    "call_with_backward_hooks",
    "is_lazy",
    "pass_through",
]


class HookPoint(Function):
    """Pass tensors on unchanged; on the way back, pass on what `arrived` returns for their gradients."""

    @staticmethod
    def forward(ctx, *arrays, arrived):
        ctx.arrived = arrived
        return arrays

    @staticmethod
    def backward(ctx, *grads):
        return ctx.arrived(grads)


def pass_through(values, arrived):
    """Send the values that require a gradient through a HookPoint.

    `arrived` takes and returns one gradient for each of the values, None for those that were not sent.
    """
    sent = [place for place, x in enumerate(values) if isinstance(x, Tensor) and x.requires_grad]

    def on_the_way_back(grads):
        shown = [None] * len(values)
        for place, grad in zip(sent, grads, strict=True):
            shown[place] = grad if isinstance(grad, Tensor) else wrap(grad)
        changed = arrived(tuple(shown))
        return tuple([as_given(changed[place], grad) for place, grad in zip(sent, grads, strict=True)])

    if not sent:
        return values
    passed = HookPoint.apply(*[values[place] for place in sent], arrived=on_the_way_back)
    passed = dict(zip(sent, passed if isinstance(passed, tuple) else (passed,), strict=True))
    return tuple([passed.get(place, x) for place, x in enumerate(values)])


def as_given(new, old):
    """A gradient in the form that the old one had in the walk: array or Tensor."""
    return new.array if isinstance(new, Tensor) and not isinstance(old, Tensor) else new


def call_in_full(module, args, kwargs):
    """Run a module that has hooks beyond the plain ones: for gradients, for named inputs, for errors."""
    named_inputs(module).append(kwargs)
    always = [hook for hook in module._forward_hooks.values() if isinstance(hook, AlwaysCalled)]
    for hook in always:
        hook.called = False
    try:
        if module._backward_hooks or module.__dict__.get("_backward_pre_hooks"):
            return call_with_backward_hooks(module, args, kwargs)
        return call_with_hooks(module, args, kwargs)
    except Exception:
        for hook in always:
            if not hook.called:
                call_after_error(hook, module, args)
        raise
    finally:
        named_inputs(module).pop()


def call_after_error(hook, module, args):
    """Call a hook although there is no output; an error in the hook is only reported."""
    try:
        hook(module, args, None)
    except Exception as error:
        warnings.warn(
            "module forward hook with ``always_call=True`` raised an exception that was silenced as another "
            f"error was raised in forward: {error}",
            stacklevel=4,
        )


def call_with_backward_hooks(module, args, kwargs):
    """Run a module between two points that catch the gradients of its outputs and those of its inputs."""
    grad_output = None

    def left(grads):
        nonlocal grad_output
        for hook in list(module.__dict__.get("_backward_pre_hooks", {}).values()):
            changed = hook(module, grads)
            grads = replaced(grads, changed, "Backward pre hook returned an invalid number of grad_output")
        grad_output = grads
        if not watched:  # no input requires a gradient: nothing will arrive there
            entered((None,) * len(args))
        return grads

    def entered(grads):
        for hook in list(module._backward_hooks.values()):
            changed = hook(module, grads, grad_output)
            grads = replaced(grads, changed, "Backward hook returned an invalid number of grad_input")
        return grads

    watched = any(isinstance(x, Tensor) and x.requires_grad for x in args)
    output = call_with_hooks(module, pass_through(args, entered), kwargs)
    passed = pass_through(output if isinstance(output, tuple) else (output,), left)
    return passed if isinstance(output, tuple) else passed[0]


def replaced(grads, changed, sentence):
    """What a hook made of some gradients: those it was shown if it returned None."""
    if changed is None:
        return grads
    if len(changed) != len(grads):
        raise RuntimeError(f"{sentence}, got {len(changed)}, but expected {len(grads)}")
    return tuple(changed)
