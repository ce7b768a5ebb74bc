"""Operations of a program's own, as in torch.library: functions with a name, and a gradient if one is registered.

They are found in `torch.ops` too. What is registered for a compiler alone is taken and never asked.
"""

import functools

from tinytorch.autograd import Function

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_fake"]

_operations = {}


class CustomOpDef:
    """An operation "namespace::name" of tensors; its gradient is what `register_autograd` was given.

    Called with a tensor that requires a gradient; RuntimeError on the way back if it has none.
    """

    def __init__(self, name, function):
        self._name, self._function, self._backward, self._setup = name, function, self._missing, None
        functools.update_wrapper(self, function)
        _operations[name] = self

    def _missing(self, ctx, *grads):
        raise RuntimeError(
            f"Trying to backward through {self._name.replace('::', '.')}.default but no autograd formula was "
            "registered. Please use register_autograd to add one."
        )

    def __call__(self, *args, **kwargs):
        return self._differentiable().apply(*args, **kwargs)

    def _differentiable(self):
        """The operation as a `torch.autograd.Function`."""

        class Custom(Function):
            forward = staticmethod(self._function)
            backward = staticmethod(self._backward)

            @staticmethod
            def setup_context(ctx, inputs, output):
                if self._setup is not None:
                    self._setup(ctx, inputs, output)

        return Custom

    def register_autograd(self, backward, /, *, setup_context=None):
        """Give it a gradient: `backward(ctx, *grads)`, after `setup_context(ctx, inputs, output)`."""
        self._backward, self._setup = backward, setup_context

    def register_fake(self, fn, /):
        """Take what gives a compiler the shape of the result; returns it."""
        return fn


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Make a function an operation "namespace::name"; without one, a decorator.

    ValueError for a name without a namespace.

    >>> @custom_op("docs::double", mutates_args=())
    ... def double(x: torch.Tensor) -> torch.Tensor:
    ...     return 2 * x
    >>> double(torch.ones(2)), torch.ops.docs.double(torch.ones(1))
    (tensor([2., 2.]), tensor([2.]))
    """
    if "::" not in name:
        raise ValueError(f"Expected `namespace::name` as the name of an operation, but got {name!r}")
    return CustomOpDef(name, fn) if fn is not None else lambda fn: CustomOpDef(name, fn)


def register_autograd(op, backward, /, *, setup_context=None):
    """Give an operation, or the one of a name, a gradient; see `CustomOpDef.register_autograd`."""
    _operation(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op, func=None, /):
    """Take what gives a compiler the shape of an operation's result; without it, a decorator."""
    return _operation(op).register_fake if func is None else _operation(op).register_fake(func)


def _operation(op):
    if isinstance(op, CustomOpDef):
        return op
    if op not in _operations:
        raise RuntimeError(f"there is no operation {op!r}: custom_op makes one")
    return _operations[op]
