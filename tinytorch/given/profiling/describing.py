"""What a Watch records of a function that is entered, made from the arguments in its frame."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.profiling import Call, Watch
from tinytorch.tensor import Tensor

__all__ = ["arrays_of", "received_bad", "returned_bad"]


def arrays_of(values):
    """The values as a tuple, with arrays in place of Tensors."""
    return tuple([x.array if isinstance(x, Tensor) else x for x in values])


def options_of(options):
    """What formulas may want to know: the equation of an einsum."""
    return {"equation": options["equation"]} if "equation" in options else {}


@methods_of(Watch)
class Described:
    """How the three kinds of calls become a Call, from the local variables of their frame."""

    def operation(self, frame):
        """Of `Function.apply(cls, *inputs, **options)`."""
        function = frame["cls"]
        call = Call("forward", function.__name__, self.path(), function, arrays_of(frame["inputs"]))
        call.options = options_of(frame["options"])
        return call

    def rule(self, frame):
        """Of `run_rule(node, slots, create_graph)`.

        With `create_graph` the rule runs operations, which are watched and counted themselves.
        """
        node = frame["node"]
        function = None if frame["create_graph"] else node.function
        saved = arrays_of(node.saved or ())
        received = arrays_of(frame["slots"])
        call = Call(
            "backward",
            f"{node.function.__name__}Backward",
            self.made.get(node, ""),
            function,
            received,
            node,
            saved,
        )
        call.options = options_of(vars(node))
        return call

    def module(self, frame):
        """Of `Module.__call__(self, *args, **kwargs)`: named from the first module that holds it."""
        module = frame["self"]
        kind = type(module)
        if module not in self.names:
            for name, each in module.named_modules():
                self.names[each] = f"{kind.__name__}.{name}" if name else kind.__name__
        return Call("module", kind.__name__, self.names[module], kind, arrays_of(frame["args"]))

    def path(self):
        """The name of the innermost module that is running, or in backward of the rule's."""
        return next((call.module for call in reversed(self.running) if call.kind != "forward"), "")


def received_bad(call):
    """Whether what a call was given holds a NaN; of gradients an infinity too."""
    return spoiled(call.inputs, call.kind) or spoiled(call.saved, "forward")


def returned_bad(call):
    """Whether the result of a call holds a NaN; of gradients an infinity too."""
    return spoiled(call.result, call.kind)


def spoiled(arrays, kind):
    """Whether an array holds a NaN; an infinity too, if they are gradients."""
    floats = [a for a in arrays if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    if kind == "backward":
        return not all(np.isfinite(a).all() for a in floats)
    return any(np.isnan(a).any() for a in floats)
