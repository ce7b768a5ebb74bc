"""How a call is recorded for its gradient, and what was changed in place since: the other half of `Context`.

Gradients are computed from saved arrays. Calls and changes in place are numbered as they happen, so that a
gradient whose saved values are no longer what they were is refused, and never silently wrong.
"""

import itertools
import math
import threading
import traceback
import weakref

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import is_array, owner
from tinytorch.tensor import Context

__all__ = ["GradMode", "changed", "changes", "clock", "converted", "grad_mode"]

clock = itertools.count()  # numbers operations and in-place changes in the order in which they happen
changes = {}  # what has been changed in place: id of the memory's owner -> (how often, when last)
latest_change = [-1]  # when anything was
sources = {}  # id of an array that was converted -> itself and the memory of the one before, both weakly


def converted(array, source):
    """Note that an array has another's numbers in another type: a change of that one is found too."""
    key, memory = id(array), owner(source)
    sources[key] = weakref.ref(array, lambda _: sources.pop(key)), weakref.ref(memory)


def latest_change_of(array):
    """When an array, or the one that it was converted from, was changed; -1 if never."""
    when = changes.get(id(owner(array)), (0, -1))[1]
    if id(array) in sources:
        memory = sources[id(array)][1]()
        when = max(when, -1 if memory is None else changes.get(id(memory), (0, -1))[1])
    return when


class GradMode(threading.local):
    """Whether operations prepare for gradients, and note where they were called; module 06 switches it.

    And whether a rule is running on tensors, in which functions of NumPy stand for the tensors' own.
    """

    enabled, anomaly, in_rule = True, False, False


grad_mode = GradMode()


def changed(array):
    """Note that an array is being changed in place, so that a gradient that saved it can refuse."""
    memory = owner(array)
    key = id(memory)
    if key not in changes:
        weakref.finalize(memory, changes.pop, key)
    latest_change[0] = now = next(clock)
    changes[key] = (changes.get(key, (0,))[0] + 1, now)


class AccumulateGrad:
    """The end of the graph at a leaf, which PyTorch has a node for."""

    next_functions = ()

    def __init__(self, variable):
        self.variable = variable

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def __repr__(self):
        return "<AccumulateGrad>"


@methods_of(Context)
class Recorded:
    """How a Context becomes a node, and what it does with what was saved in it.

    An operation may say more of its nodes. `saved_for`: for each array that it saves, the numbers of the
    inputs whose gradients are computed from it. `keeps_output`: what it saves of its output is copied once
    the output is changed in place. `reads_output_in_place`: when it works in place, PyTorch saves the output.
    `node_name`: where PyTorch's is not made of its own. `rule_in_float32`:
    whether its rule, of float16, computes in float32, because it adds up, or rounds each step as PyTorch's
    does. `name_of_derivative`: what PyTorch says there is not, of an operation without a rule.
    """

    number = math.inf  # until it is recorded
    written = (), None, None  # where among what was saved the output is, the array it was put into, and when
    named_after = rule_in_float32 = False

    def record(self, arrays, output, result):
        """Become the node of a result, or of several; note the time, and the arrays taken and returned."""
        self.number = next(clock)
        several = isinstance(result, tuple)
        results = result if several else (result,)
        for output_nr, r in enumerate(results):
            if r.array.dtype.kind == "f":  # integers and booleans have no gradient
                r._edge = (self, output_nr)
        if several:
            self.results = [(r.array.shape, r.array.dtype) for r in result]
        if self.saved:
            outputs = output if several else (output,)
            self.ids = [*map(id, arrays), *map(id, outputs)]
            if isinstance(outputs[0], np.generic):  # NumPy's number for an array of one
                self.results_of_numbers = [r.array for r in results]
        if grad_mode.anomaly:
            self.traceback = traceback.format_stack()[:-2]

    def unpack(self):
        """What was saved. RuntimeError once a backward pass has freed it, or it has been changed in place."""
        if self.saved is None:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after "
                "they have already been freed). Saved intermediate values of the graph are freed when you "
                "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
                "through the graph a second time or if you need to access saved tensors after calling "
                "backward."
            )
        if latest_change[0] > self.number:
            self.check_changes()
        return self.saved

    def check_changes(self):
        """RuntimeError if an array that was saved, and that a gradient needs, has been changed since."""
        for place, array in enumerate(self.saved):
            if isinstance(array, np.generic) and id(array) in self.ids:
                array = self.results_of_numbers[self.ids.index(id(array)) - len(self.edges)]
            outputs, output, since = self.written
            array, since = (output, since) if place in outputs else (array, self.number)
            when = latest_change_of(array) if is_array(array) else -1
            if when > since and self.needs(place):
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace "
                    f"operation: {self.name()} saved an array of shape {list(array.shape)}, "
                    "which has changed since."
                )

    def asks_for(self, number):
        """Whether the gradient of this input may be needed: what only it needs is saved only then."""
        return len(self.edges) <= number or self.edges[number] is not None

    def needs(self, place):
        """Whether a required gradient is computed from the array that was saved at this place."""
        readers = getattr(self.function, "saved_for", None)
        return readers is None or any(self.edges[number] is not None for number in readers[place])

    def keep(self, array):
        """Save a copy in place of `array`, which is about to be changed by the operation that saved it.

        Of an array that was saved twice, as by `x.mul_(x)`, only the first is the tensor that is changed.
        """
        place = next((place for place, a in enumerate(self.saved) if a is array), None)
        if place is not None:
            copy = array.copy()
            self.saved = (*self.saved[:place], copy, *self.saved[place + 1 :])
            self.ids[self.ids.index(id(array))] = id(copy)

    def put_into(self, array, in_place=True):
        """Note that the output has been written into `array`, where a later change is found."""
        if self.named_after:  # what rounded the output of another node, which has saved it
            self.edges[0][0].put_into(array)
        elif self.saved:
            outputs = {place for place, a in enumerate(self.saved) if id(a) == self.ids[-1]}
            if in_place and getattr(self.function, "reads_output_in_place", False):
                outputs = {*range(len(self.saved))}
            elif all(self.saved[place].dtype == array.dtype for place in outputs):
                self.saved = tuple([array if id(a) == self.ids[-1] else a for a in self.saved])
                self.ids[-1] = id(array)
            self.written = outputs, array, next(clock)

    def free(self):
        """Let go of what was saved; asking for it again is an error."""
        if self.saved:
            self.saved = self.results_of_numbers = None

    @property
    def next_functions(self):
        """The nodes to which the inputs' gradients go, as PyTorch shows them."""
        return tuple(
            [
                (None, 0)
                if edge is None
                else edge
                if isinstance(edge[0], Context)
                else (AccumulateGrad(edge[0]), 0)
                for edge in self.edges
            ]
        )

    def name(self):
        """The node's name, such as MulBackward0: made of the operation's, or of its `node_name`."""
        if self.function is None:
            return "Context of no operation"
        name = getattr(self.function, "node_name", self.function.__name__)
        name = name(self) if callable(name) else name
        return name if "Backward" in name else f"{name}Backward0"

    def __repr__(self):
        return f"<{self.name()}>"
