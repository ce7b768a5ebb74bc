"""`torch.autograd.Function`: operations that users write, Tensors in and out."""

import sys

from tinytorch.autograd import no_grad
from tinytorch.given.autograd.nodes import FunctionContext
from tinytorch.tensor import Function as Operation
from tinytorch.tensor import Tensor, grad_mode

__all__ = ["Function", "Variable", "function", "functional", "once_differentiable", "profiler"]

function, functional, profiler = (
    sys.modules[f"tinytorch.autograd.{name}"] for name in ("function", "functional", "profiler")
)


class Function(Operation):
    """An operation of a user, as `torch.autograd.Function`: forward and backward take and return Tensors."""

    @classmethod
    def apply(cls, *inputs, **options):
        ctx = FunctionContext(cls, [x.edge() if isinstance(x, Tensor) else None for x in inputs])
        ctx.inputs = [(x.shape, x.dtype) if isinstance(x, Tensor) else None for x in inputs]
        with no_grad():
            if "setup_context" in cls.__dict__:
                output = cls.forward(*inputs, **options)
                cls.setup_context(ctx, inputs, output)
            else:
                output = cls.forward(ctx, *inputs, **options)
        outputs = output if isinstance(output, tuple) else (output,)
        dirty = [id(x) for x in ctx.dirty]
        results = tuple(
            x.detach() if any(x is i for i in inputs) and id(x) not in dirty else x for x in outputs
        )
        if not (grad_mode.enabled and any(ctx.edges)):
            ctx.saved = ()
        else:
            if any(x.requires_grad and x.is_leaf for x in ctx.dirty):
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation."
                )
            ctx.record([getattr(x, "array", x) for x in inputs], [x.array for x in results], results)
            for x in ctx.non_differentiable:
                x.detach_()
        return results if isinstance(output, tuple) else results[0]


def once_differentiable(rule):
    """Mark a `backward` that must not be differentiated again."""
    rule.once_differentiable = True
    return rule


class AnyTensor(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Tensor)


class Variable(metaclass=AnyTensor):
    """What a tensor with a gradient was called once: a tensor over the same memory; each tensor is one."""

    def __new__(cls, data, requires_grad=False, volatile=None):
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)
