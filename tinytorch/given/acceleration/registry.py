"""Kernels in the place of operations, by registration: `register_kernel`, undone by what it returns.

An operation is a `Function` of the course, of which a kernel replaces the forward, the rule, or both. Or it
is a plain function or method, such as `add_rows` or `Adam.update`. Where nothing is registered, nothing is
changed.
"""

import functools
import inspect
import sys

from tinytorch.given.layers.hooks import RemovableHandle

__all__ = ["KernelHandle", "kernels_of", "register_kernel"]

stacks = {}  # from what is replaced to its Stack


def register_kernel(function, forward=None, backward=None, when=None):
    """Put a kernel in the place of an operation, until the handle's `remove()` or the end of its block.

    Several kernels may be registered for one operation. A call goes to the latest whose `when` takes it, and
    to the plain operation where none does.

    Args:
        function: the operation: a `Function` class; or a function of a module, or a method, `Adam.update`.
        forward: for a `Function`, `forward(ctx, *arrays, **options)`, which saves in `ctx` what the
            operation's own forward saves, in the same order (more may follow as attributes of `ctx`); for a
            function or method, what is called in its place.
        backward: a rule `backward(ctx, *grads)` on arrays, for calls that this kernel took. Without one the
            operation's own rule is used, as it is wherever rules run on Tensors (`create_graph`). A rule
            without a forward follows the operation's own. Not for functions and methods.
        when: `when(*arrays, **options)`, whether the kernel takes a call; without one it takes all.

    Returns:
        A KernelHandle. Calls that were made before its removal keep their rule.

    Raises:
        TypeError: if there is nothing to register, or a rule for what is no `Function`.

    >>> from tinytorch.tensor import Exp, tensor
    >>> with register_kernel(Exp, forward=lambda ctx, x: x + 1):
    ...     tensor([0.0, 1.0]).exp()
    tensor([1., 2.])
    >>> tensor([0.0, 1.0]).exp()
    tensor([1.0000, 2.7183])
    """
    is_operation = isinstance(function, type)
    if forward is None and (backward is None or not is_operation):
        raise TypeError(f"a kernel for {function.__qualname__} needs a forward")
    if backward is not None and not is_operation:
        raise TypeError(f"{function.__qualname__} is no operation with a gradient: it takes no backward")
    function = getattr(function, "stands_for", function)
    if function not in stacks:
        stacks[function] = (OperationStack if is_operation else FunctionStack)(function)
    return KernelHandle(stacks[function], (forward, backward, when))


def kernels_of(function):
    """How many kernels are registered for an operation."""
    stack = stacks.get(getattr(function, "stands_for", function))
    return len(stack.kernels) if stack else 0


class KernelHandle(RemovableHandle):
    """What registering a kernel returns: `remove()`, or leaving its `with` block, takes the kernel away."""

    def __init__(self, stack, kernel):
        super().__init__(stack.kernels)
        self.stack = stack
        if not stack.kernels:
            stack.put()
        stack.kernels[self.key] = kernel

    def remove(self):
        if self.key in self.stack.kernels:
            super().remove()
            if not self.stack.kernels:
                self.stack.take_away()


class Stack:
    """The kernels that are registered for one operation, and what replaces it while there are any."""

    def __init__(self, function):
        self.function, self.kernels = function, {}

    def chosen(self, inputs, options):
        """The latest kernels that take a call, a forward and a rule; None for the operation's own."""
        rule = None
        for forward, backward, when in reversed(self.kernels.values()):
            if when is None or when(*inputs, **options):
                rule = rule or backward
                if forward is not None:
                    return forward, rule
        return None, rule


class OperationStack(Stack):
    """Kernels of a `Function`, whose `forward` chooses among them; what inherits it keeps the plain one."""

    def put(self):
        self.own = vars(self.function).get("forward")
        self.plain = inspect.getattr_static(self.function, "forward")
        self.put_there = classmethod(functools.wraps(self.function.forward)(self.chooser()))
        self.function.forward = self.put_there

    def take_away(self):
        if (
            vars(self.function).get("forward") is not self.put_there
        ):  # redefined in the meantime, in a notebook
            return
        if self.own is None:
            del self.function.forward
        else:
            self.function.forward = self.own

    def chooser(self):
        """The `forward` of a class that has kernels."""

        def choose(cls, ctx, *inputs, **options):
            forward, rule = self.chosen(inputs, options) if cls is self.function else (None, None)
            if rule is not None and ctx.function is cls:  # not where another operation calls this one
                ctx.rule = rule
            return (forward or self.plain.__get__(None, cls))(ctx, *inputs, **options)

        return choose


class FunctionStack(Stack):
    """Kernels of a function or a method, put wherever the course's modules and classes hold it."""

    def put(self):
        @functools.wraps(self.function)
        def chooser(*inputs, **options):
            return (self.chosen(inputs, options)[0] or self.function)(*inputs, **options)

        chooser.stands_for = self.function
        self.chooser = chooser
        self.exchange(self.function, chooser)

    def take_away(self):
        self.exchange(self.chooser, self.function)

    def exchange(self, old, new):
        """Put `new` into every place of the course that holds `old`."""
        name = self.function.__name__
        for place in [*course_modules(), *classes_of(self.function)]:
            if vars(place).get(name) is old:
                setattr(place, name, new)


def course_modules():
    """The modules of the course that have been imported; the notebook that stands for one is among them."""
    return [
        module
        for path, module in list(sys.modules.items())
        if module is not None and path.partition(".")[0] == "tinytorch"
    ]


def classes_of(function):
    """The class in whose body a method was defined, in a list; an empty list for a function."""
    owner = sys.modules[function.__module__]
    *path, _ = function.__qualname__.split(".")
    for name in path:
        owner = getattr(owner, name, None)
    return [owner] if path and isinstance(owner, type) else []
