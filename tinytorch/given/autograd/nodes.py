"""What happens at a node during the walk: its rule and hooks run, and wanted gradients are recorded."""

import copy

import numpy as np

from tinytorch.given.tensor.arrays import is_array, narrowed, widened, zeros_beside
from tinytorch.given.tensor.devices import later
from tinytorch.tensor import Context, Function, Tensor, array_of, float16, float32, grad_mode, wrap

__all__ = [
    "FunctionContext",
    "Once",
    "apply_all",
    "as_tensor",
    "caught",
    "check_for_nan",
    "leading_to",
    "run_hooks",
    "run_rule",
    "run_rule_on_tensors",
    "run_rule_once",
]


class FunctionContext(Context):
    """The context of a user's Function, which saves and returns Tensors."""

    non_differentiable = dirty = ()
    inputs = ()  # each input's shape and type, None for what is no Tensor

    def save_for_backward(self, *tensors):
        self.saved = tuple(x.array if isinstance(x, Tensor) else x for x in tensors)

    @property
    def saved_tensors(self):
        """What was saved, as Tensors that know where they came from: `backward` may build graphs."""
        linked = (as_tensor(self, a) if is_array(a) else a for a in self.unpack())
        return tuple(wrap(a) if is_array(a) else a for a in linked)

    def mark_non_differentiable(self, *tensors):
        self.non_differentiable = tensors

    def mark_dirty(self, *tensors):
        self.dirty = tensors

    def set_materialize_grads(self, value):
        self.materialize = value

    def name(self):
        return f"{self.function.__name__}Backward"

    def fitted(self, grads):
        """The gradients that a rule returned, each summed where its input was broadcast, and cast."""
        fitted = list(grads)
        for number, (grad, like) in enumerate(zip(grads, self.inputs)):
            if grad is None or like is None:
                continue
            if not isinstance(grad, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
            shape, kind = like
            if not is_broadcast(shape, grad.shape):
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {number} - "
                    f"got {list(grad.shape)} but expected shape compatible with {list(shape)}"
                )
            fitted[number] = later("autograd").unbroadcast(grad, shape).to(kind)
        return tuple(fitted)


def caught(node, slots, wanted, useful, arrived):
    """Record the gradients wanted at this node; return whether nothing wanted lies beyond it."""
    arrived.update({(node, i): grad for i, grad in enumerate(slots) if (node, i) in wanted})
    return node not in useful


def leading_to(wanted, roots):
    """The nodes from which a wanted edge can be reached, found without recursion."""
    useful, stack = set(), [(node, False) for node, _ in roots if isinstance(node, Context)]
    seen = set()
    while stack:
        node, finished = stack.pop()
        if finished:
            if any(edge in wanted or edge[0] in useful for edge in node.edges if edge is not None):
                useful.add(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend(
                (edge[0], False) for edge in node.edges if edge is not None and isinstance(edge[0], Context)
            )
    return useful


def run_rule(node, slots, create_graph):
    """The gradients of a node's inputs, from those of its outputs."""
    rule = getattr(node.function, "backward", None)
    if rule is None and isinstance(node, FunctionContext):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to "
            "use it with backward mode AD."
        )
    if rule is None:
        name = getattr(node.function, "name_of_derivative", lambda ctx: ctx.function.__name__)(node)
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")
    if len(slots) > 1 and getattr(
        node, "materialize", True
    ):  # what is unused has gradient zero; integers have none
        like = next(grad for grad in slots if grad is not None)
        slots = [
            zeros_beside(like, shape, kind) if grad is None and kind.kind == "f" else grad
            for grad, (shape, kind) in zip(slots, node.results)
        ]
    if create_graph or isinstance(node, FunctionContext):
        grads = run_rule_on_tensors(rule, node, slots, create_graph)
    else:
        rule = getattr(node, "rule", rule)  # a kernel that ran forward may bring one
        grads = run_in_float32(rule, node, slots) if is_half(node, slots) else rule(node, *slots)
    grads = grads if isinstance(grads, tuple) else (grads,)
    if not create_graph:  # some rules compute with tensors
        grads = tuple([g.array if isinstance(g, Tensor) else g for g in grads])
    count = len(node.edges)
    if len(grads) != count and (len(grads) < count or any(g is not None for g in grads[count:])):
        raise RuntimeError(
            f"function {node.name()} returned an incorrect number of gradients "
            f"(expected {count}, got {len(grads)})"
        )
    if grad_mode.anomaly:
        check_for_nan(node, grads)
    return grads


def is_half(node, slots):
    """Whether float16 arrives at a node whose rule is to compute in float32, because it adds up."""
    grad = None if slots[0] is None else array_of(slots[0])
    if grad is None or grad.dtype.char != "e":
        return False
    said = getattr(node.function, "rule_in_float32", None)
    return node.rule_in_float32 or stretched(node, grad.shape) if said is None else said


def stretched(node, shape):
    """Whether a gradient of a shape is summed to that of an input which was broadcast."""
    shapes = getattr(node, "shapes", None) or [a.shape for a in node.unpack() if is_array(a)]
    return any(s != shape for s in shapes)


def run_in_float32(rule, node, slots):
    """Run a rule on float16 gradients in float32, and round what it returns once: its sums lose nothing."""
    wide = copy.copy(node)
    wide.saved = tuple([widened(array) for array in node.unpack()])
    grads = rule(wide, *[widened(array_of(grad)) for grad in slots])
    return tuple([narrowed(array_of(grad)) for grad in (grads if isinstance(grads, tuple) else (grads,))])


def run_rule_on_tensors(rule, node, slots, create_graph):
    """Run a rule on Tensors: for second derivatives, or because a user's Function expects them.

    The walk's caller has switched recording to `create_graph`.
    """
    if create_graph and (node.function.once_differentiable or getattr(rule, "once_differentiable", False)):
        return run_rule_once(rule, node, slots)
    slots = [wrap(grad) if grad is not None and not isinstance(grad, Tensor) else grad for grad in slots]
    wide = create_graph and not isinstance(node, FunctionContext) and is_half(node, slots)
    if create_graph:  # the same call, with what it saved as Tensors that know where they came from
        view = copy.copy(node)
        view.saved = tuple([as_tensor(node, array) for array in node.unpack()])
    if wide:
        view.saved, slots = (tuple([in_type(x, "e", float32) for x in xs]) for xs in (view.saved, slots))
    before, grad_mode.in_rule = grad_mode.in_rule, not isinstance(node, FunctionContext)
    try:
        grads = rule(view if create_graph else node, *slots)
    finally:
        grad_mode.in_rule = before
    grads = grads if isinstance(grads, tuple) else (grads,)
    if wide:
        grads = tuple([in_type(grad, "f", float16) for grad in grads])
    if isinstance(node, FunctionContext):
        grads = node.fitted(grads)
    return tuple([wrap(g) if is_array(g) else g for g in grads]) if create_graph else grads


def in_type(x, char, dtype):
    """A Tensor or an array of one type in another; anything else as it is."""
    if isinstance(x, Tensor) and x.array.dtype.char == char:
        return x.to(dtype)
    return x.astype(dtype.numpy) if is_array(x) and x.dtype.char == char else x


class Once(Function):
    """Gradients that a rule has computed and that cannot be differentiated."""

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def run_rule_once(rule, node, slots):
    """Run a rule whose gradients have no gradients; who asks for those is refused, and only then."""
    with later("autograd").no_grad():
        takes_tensors = isinstance(node, FunctionContext)
        rule = getattr(node, "rule", rule)
        grads = rule(node, *(wrap(array_of(g)) if takes_tensors else array_of(g) for g in slots))
    grads = [
        None if g is None else wrap(array_of(g)) for g in (grads if isinstance(grads, tuple) else (grads,))
    ]
    found = tuple([g for g in grads if g is not None])
    asked = [*node.edges, *[g.edge() for g in slots if isinstance(g, Tensor)]]
    Context(Once, asked).record((), tuple([g.array for g in found]), found)
    return tuple(grads)


def as_tensor(node, array):
    """A saved array as the Tensor that it was, linked to the graph if it was the node's input or output."""
    position = node.ids.index(id(array)) if id(array) in node.ids else None
    if position is None or getattr(array, "dtype", np.dtype(int)).kind != "f":
        return array
    edge = node.edges[position] if position < len(node.edges) else (node, position - len(node.edges))
    if edge is None:
        return array
    if isinstance(edge[0], Tensor):
        return edge[0]
    result = wrap(array)
    result._edge = edge
    return result


def run_hooks(node, slots):
    """Let the hooks on a node's outputs see, and replace, their gradients."""
    for output_nr, hooks in node.hooks.items():
        if slots[output_nr] is not None:
            slots[output_nr] = apply_all(hooks, slots[output_nr])


def is_broadcast(shape, wanted):
    """Whether a tensor of a shape can be broadcast to the wanted one."""
    try:
        return np.broadcast_shapes(shape, wanted) == tuple(wanted)
    except ValueError:
        return False


def apply_all(hooks, grad):
    """Pass a gradient, array or Tensor, through hooks that take Tensors."""
    for hook in list(hooks.values()):
        before = grad if isinstance(grad, Tensor) else wrap(grad)
        replaced = hook(before)
        if replaced is None:
            continue
        if not isinstance(replaced, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(replaced).__name__}'")
        if (replaced.shape, replaced.dtype) != (before.shape, before.dtype):
            what = "size" if replaced.shape != before.shape else "type"
            raise RuntimeError(f"hook '{getattr(hook, '__name__', hook)}' has changed the {what} of value")
        grad = replaced if isinstance(grad, Tensor) else replaced.array
    return grad


def check_for_nan(node, grads):
    """RuntimeError that names the node if one of its gradients holds a NaN."""
    for number, g in enumerate(grads):
        values = g.array if isinstance(g, Tensor) else g
        if values is not None and np.isnan(values).any():
            where = "".join(getattr(node, "traceback", ["  before anomaly detection was switched on\n"])[-3:])
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {number}th output. "
                f"It was called at:\n{where}"
            )
