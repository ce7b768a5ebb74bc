"""Operations of a program's own, as in torch.library: functions with a name, and a gradient if one is registered.

They are found in `torch.ops` too. What is registered for a compiler alone is taken and never asked.
"""

import functools

from tinytorch.autograd import Function

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_fake"]

_operations = {}


def keep_nothing(ctx, inputs, output):
    """Set up the context of a gradient that needs nothing."""


class CustomOpDef:
    """An operation "namespace::name" of tensors.

    Its gradient is what `register_autograd` was given; without that, RuntimeError on the way back.
    """

    def __init__(self, name, function):
        class Custom(Function):
            forward = staticmethod(function)
            setup_context = staticmethod(keep_nothing)

            @staticmethod
            def backward(ctx, *grads):
                raise RuntimeError(
                    f"Trying to backward through {name.replace('::', '.')}.default but no autograd formula was "
                    "registered. Please use register_autograd to add one."
                )

        self._function = Custom
        functools.update_wrapper(self, function)
        _operations[name] = self

    def __call__(self, *args, **kwargs):
        return self._function.apply(*args, **kwargs)

    def register_autograd(self, backward, /, *, setup_context=None):
        """Give it a gradient: `backward(ctx, *grads)`, after `setup_context(ctx, inputs, output)`."""
        self._function.backward = staticmethod(backward)
        self._function.setup_context = staticmethod(setup_context or keep_nothing)

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
