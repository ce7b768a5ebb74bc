# %% [markdown]
# # 06 Autograd
#
# Gradients of any program made of tensor operations: a rule for each operation, and one walk over the graph they left.

# %%
#| export
import copy
import heapq
import itertools
import weakref
from contextlib import ContextDecorator, contextmanager

import numpy as np


import importlib

operations = importlib.import_module("tinytorch.tensor")
from tinytorch.tensor import Context, Size, Tensor, grad_mode, wrap, zeros_like

# %% [markdown]
# ### Registering rules

# %%
#| export
rules = {}


def gradient(function):
    """Register the decorated rule as the gradient of an operation.

    The rule is called as `rule(ctx, grad)` with the gradient of the result (one argument for each result, where there are
    several), and returns the gradient of each input, in order; None where there is none.
    """

    def register(rule):
        rules[function] = rule
        return rule

    return register


def call(function, *inputs, **options):
    """Run an operation inside a rule: on Tensors when second derivatives are wanted, else straight on arrays."""
    if any(isinstance(x, Tensor) for x in inputs):
        return function.apply(*inputs, **options)
    return function.forward(Context(function, (None,) * len(inputs)), *inputs, **options)


# %% stub="unbroadcast"
#| export
def unbroadcast(grad, shape):
    """Sum a gradient over the dimensions along which its operand of this shape was broadcast."""
    ### BEGIN SOLUTION
    if grad.shape == shape:
        return grad
    extra = grad.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1
    )
    return grad.sum(axis=axes, keepdims=True).reshape(shape) if axes else grad.reshape(shape)
    ### END SOLUTION


# %% stub="mul-gradient"
#| export
@gradient(operations.Mul)
def mul_backward(ctx, grad):
    ### BEGIN SOLUTION
    x, y = ctx.saved_tensors
    need_x, need_y = ctx.needs_input_grad
    return unbroadcast(grad * y, np.shape(x)) if need_x else None, unbroadcast(
        grad * x, np.shape(y)
    ) if need_y else None
    ### END SOLUTION


# %% stub="matmul-gradient"
#| export
@gradient(operations.MatMul)
def matmul_backward(ctx, grad):
    ### BEGIN SOLUTION
    x, y = ctx.saved_tensors
    rows = x if x.ndim > 1 else x[None]  # (..., n, k)
    columns = y if y.ndim > 1 else y[:, None]  # (..., k, m)
    grad = grad.reshape(
        *grad.shape[: grad.ndim - (x.ndim > 1) - (y.ndim > 1)], rows.shape[-2], columns.shape[-1]
    )
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        grad_x = unbroadcast(call(operations.MatMul, grad, columns.swapaxes(-2, -1)), rows.shape).reshape(
            x.shape
        )
    if ctx.needs_input_grad[1] and columns.ndim == 2:  # one product over all leading dimensions
        grad_y = (operations.as_matrix(rows).T @ operations.as_matrix(grad)).reshape(y.shape)
    elif ctx.needs_input_grad[1]:
        grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
    return grad_x, grad_y
    ### END SOLUTION


# %% [markdown]
# ### The walk


# %% stub="backward"
#| export
def walk(roots, gradients, retain_graph=False, create_graph=False, wanted=None):
    """Send gradients from the roots back through the graph; return what arrives at each leaf.

    Nodes are taken in the order opposite to that in which they were made, which guarantees that a node runs only after
    every result of it that was used has sent its gradient: a queue, no recursion.

    Args:
        roots: edges, (node or leaf, output number), where the walk begins.
        gradients: the gradient of each root: arrays, or Tensors with `create_graph`.
        retain_graph: keep what the nodes saved.
        create_graph: run the rules on Tensors, so that the gradients have gradients.
        wanted: a set of edges; gradients are caught there, and only nodes on the way to them run. None: all leaves.

    Returns:
        A dict from edge to gradient.
    """
    ### BEGIN SOLUTION
    arrived, pending, queue = {}, {}, []
    useful = None if wanted is None else leading_to(wanted, roots)

    def send(edge, grad):
        node, output_nr = edge
        if isinstance(node, Tensor):
            arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
            return
        if node not in pending:
            pending[node] = [None] * len(node.results)
            heapq.heappush(queue, (-node.number, node))
        slots = pending[node]
        slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad

    for edge, grad in zip(roots, gradients):
        send(edge, grad)
    while queue:
        node = heapq.heappop(queue)[1]
        slots = pending.pop(node)
        if node.hooks is not None:
            run_hooks(node, slots)
        if wanted is not None:
            arrived.update({(node, i): grad for i, grad in enumerate(slots) if (node, i) in wanted})
            if node not in useful:
                continue
        for edge, grad in zip(node.edges, run_rule(node, slots, create_graph)):
            if edge is not None and grad is not None:
                send(edge, grad)
        if not retain_graph:
            node.free()
    return arrived
    ### END SOLUTION


# %%
#| export
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
    rule = rules.get(node.function) or getattr(node.function, "backward", None)
    if rule is None:
        raise RuntimeError(f"derivative for {node.function.__name__} is not implemented")
    if len(slots) > 1:  # an output that was not used has gradient zero; one of integers has none
        slots = [
            np.zeros(shape, kind) if grad is None and kind.kind == "f" else grad
            for grad, (shape, kind) in zip(slots, node.results)
        ]
    if create_graph or isinstance(node, FunctionContext):
        grads = run_rule_on_tensors(rule, node, slots, create_graph)
    else:
        grads = rule(node, *slots)
    grads = grads if isinstance(grads, tuple) else (grads,)
    if len(grads) < len(node.edges) or any(g is not None for g in grads[len(node.edges) :]):
        raise RuntimeError(
            f"function {node.name()} returned an incorrect number of gradients (expected {len(node.edges)}, got {len(grads)})"
        )
    if grad_mode.anomaly:
        check_for_nan(node, grads)
    return grads


def run_rule_on_tensors(rule, node, slots, create_graph):
    """Run a rule on Tensors: for second derivatives, or because a user's `torch.autograd.Function` expects them."""
    if create_graph and (node.function.once_differentiable or getattr(rule, "once_differentiable", False)):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )
    slots = [wrap(grad) if grad is not None and not isinstance(grad, Tensor) else grad for grad in slots]
    if not create_graph:
        with no_grad():
            grads = rule(node, *slots)
        grads = grads if isinstance(grads, tuple) else (grads,)
        return tuple(g.array if isinstance(g, Tensor) else g for g in grads)
    view = copy.copy(node)  # the same call, with its saved arrays as Tensors that know where they came from
    view.saved = tuple([as_tensor(node, array) for array in node.unpack()])
    with enable_grad():
        return rule(view, *slots)


def as_tensor(node, array):
    """A saved array as the Tensor that it was, linked to the graph if it was an input or output of the node."""
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


# %% stub="accumulate"
#| export
def accumulate(leaf, grad, shared):
    """Add what arrived at a leaf to its `.grad`.

    The first gradient becomes `.grad` itself. If another tensor might hold the same memory (`shared`), it is copied, for
    `.grad` will be changed in place by clipping and by the next backward.
    """
    ### BEGIN SOLUTION
    if isinstance(grad, Tensor):
        leaf._grad = grad if leaf._grad is None else leaf._grad + grad
    elif leaf._grad is None:
        leaf._grad = wrap(np.array(grad, leaf.array.dtype, order="C") if shared else grad)
    else:
        leaf._grad.array += grad
    ### END SOLUTION


# %%
#| export
def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradient of the tensors (weighted by `grad_tensors`) to the `.grad` of every leaf they were made from.

    Args:
        tensors: a Tensor or several; one without `grad_tensors` must have one element.
        retain_graph: keep the graph for another backward; defaults to `create_graph`.
        create_graph: make the gradients differentiable.
        inputs: leaves to accumulate into, in place of all.

    Raises:
        RuntimeError: if a tensor does not require a gradient, or is no scalar and has no `grad_tensors`.
    """
    roots, gradients = starting_points(tensors, grad_tensors, create_graph)
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    wanted = None if inputs is None else {x.edge() for x in inputs}
    arrived = walk(
        roots, gradients, create_graph if retain_graph is None else retain_graph, create_graph, wanted
    )
    targets = {x.edge(): x for x in inputs} if inputs is not None else {edge: edge[0] for edge in arrived}
    seen = {id(g) for g in gradients}
    for edge, leaf in targets.items():
        if edge in arrived:
            grad = apply_hooks(leaf, arrived[edge]) if leaf.grad_fn is None else arrived[edge]
            check_gradient(leaf, grad)
            shared = (
                id(grad) in seen
                or not isinstance(grad, np.ndarray)
                or grad.base is not None
                or not grad.flags.carray
            )
            seen.add(id(grad))
            accumulate(leaf, grad, shared or grad.dtype != leaf.array.dtype)


def starting_points(tensors, grad_tensors, create_graph):
    """The edges at which a walk begins, and the gradients it begins with; checked as PyTorch checks them."""
    tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    grad_tensors = (
        (grad_tensors,) if grad_tensors is None or isinstance(grad_tensors, Tensor) else tuple(grad_tensors)
    )
    gradients = []
    for x, grad in zip(tensors, grad_tensors + (None,) * (len(tensors) - len(grad_tensors))):
        if not x.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        if grad is None:
            if x.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            grad = wrap(np.ones_like(x.array))
        if grad.shape != x.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {grad.shape} and output[0] has a shape of {x.shape}."
            )
        gradients.append(grad if create_graph else grad.array)
    return [x.edge() for x in tensors], gradients


def check_gradient(leaf, grad):
    """A gradient has its tensor's shape; a rule that returns another is a mistake to be told of."""
    if np.shape(grad) != leaf.array.shape:
        raise RuntimeError(
            f"a gradient of shape {list(np.shape(grad))} arrived at a tensor of shape {list(leaf.shape)}"
        )


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    allow_unused=None,
    materialize_grads=False,
):
    """The gradients of the outputs with respect to the inputs, as a tuple; no `.grad` is touched.

    Raises:
        RuntimeError: if an input does not require a gradient, or was not used and `allow_unused` is not set.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not all(x.requires_grad for x in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    roots, gradients = starting_points(outputs, grad_outputs, create_graph)
    wanted = {x.edge() for x in inputs}
    arrived = walk(
        roots, gradients, create_graph if retain_graph is None else retain_graph, create_graph, wanted
    )
    results = []
    for x in inputs:
        result = arrived.get(x.edge())
        if result is not None and x.grad_fn is None:
            result = apply_hooks(x, result)
        if result is None and not (allow_unused or materialize_grads):
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this "
                "is the desired behavior."
            )
        if result is None and materialize_grads:
            result = np.zeros_like(x.array)
        results.append(
            result if result is None or isinstance(result, Tensor) else wrap(np.array(result, x.array.dtype))
        )
    return tuple(results)


# %% [markdown]
# ### Switching gradients off


# %% stub="no-grad"
#| export
@contextmanager
def no_grad():
    """Operations inside the block, or inside a function decorated with it, record nothing for gradients."""
    ### BEGIN SOLUTION
    previous, grad_mode.enabled = grad_mode.enabled, False
    try:
        yield
    finally:
        grad_mode.enabled = previous
    ### END SOLUTION


# %%
#| export
@contextmanager
def enable_grad():
    """Record for gradients again inside a `no_grad` block."""
    previous, grad_mode.enabled = grad_mode.enabled, True
    try:
        yield
    finally:
        grad_mode.enabled = previous


inference_mode = no_grad


class set_grad_enabled(ContextDecorator):
    """Switch recording on or off, at once; as a context, until its end."""

    def __init__(self, mode):
        self.previous, grad_mode.enabled = grad_mode.enabled, mode

    def __enter__(self):
        return self

    def __exit__(self, *error):
        grad_mode.enabled = self.previous


def is_grad_enabled():
    """Whether operations record for gradients now."""
    return grad_mode.enabled


# %% [markdown]
# ### Hooks


# %%
#| export
KEEP = "keep"  # the key of the hook that `retain_grad` adds


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away again."""

    def __init__(self, hooks):
        self.hooks, self.key = hooks, object()

    def remove(self):
        self.hooks.pop(self.key, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def hooks_of(tensor):
    """The hooks on a tensor's gradient: on the leaf itself, or at the output of its node."""
    if tensor.grad_fn is None:
        tensor.__dict__.setdefault("_hooks", {})
        return tensor._hooks
    if tensor.grad_fn.hooks is None:
        tensor.grad_fn.hooks = {}
    return tensor.grad_fn.hooks.setdefault(tensor.output_nr, {})


def register_hook(tensor, hook):
    """Call `hook(grad)` whenever the tensor's gradient is known; what it returns, if not None, takes its place."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    handle = RemovableHandle(hooks_of(tensor))
    keeping = handle.hooks.pop(KEEP, None)
    handle.hooks[handle.key] = hook
    if keeping is not None:  # the gradient is kept as the last hook leaves it
        handle.hooks[KEEP] = keeping
    return handle


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


def run_hooks(node, slots):
    """Let the hooks on a node's outputs see, and replace, their gradients."""
    for output_nr, hooks in node.hooks.items():
        if slots[output_nr] is not None:
            slots[output_nr] = apply_all(hooks, slots[output_nr])


def apply_hooks(leaf, grad):
    """Let the hooks of a leaf see, and replace, its gradient."""
    return apply_all(leaf.__dict__.get("_hooks") or {}, grad)


def apply_all(hooks, grad):
    """Pass a gradient, array or Tensor, through hooks that take Tensors."""
    for hook in list(hooks.values()):
        replaced = hook(grad if isinstance(grad, Tensor) else wrap(grad))
        if replaced is not None:
            grad = replaced if isinstance(grad, Tensor) else replaced.array
    return grad


# %% [markdown]
# ### Functions of your own


# %%
#| export
class FunctionContext(Context):
    """The context of a user's Function, which saves and returns Tensors."""

    non_differentiable = ()

    def save_for_backward(self, *tensors):
        self.saved = tuple(x.array if isinstance(x, Tensor) else x for x in tensors)

    @property
    def saved_tensors(self):
        return tuple(wrap(a) if isinstance(a, np.ndarray) else a for a in self.unpack())

    def mark_non_differentiable(self, *tensors):
        self.non_differentiable = tensors


class Function(operations.Function):
    """An operation of your own, as `torch.autograd.Function`: Tensors in and out, forward and backward written by you."""

    @classmethod
    def apply(cls, *inputs, **options):
        ctx = FunctionContext(cls, [x.edge() if isinstance(x, Tensor) else None for x in inputs])
        with no_grad():
            if "setup_context" in cls.__dict__:
                output = cls.forward(*inputs, **options)
                cls.setup_context(ctx, inputs, output)
            else:
                output = cls.forward(ctx, *inputs, **options)
        outputs = output if isinstance(output, tuple) else (output,)
        results = tuple(x.detach() if any(x is i for i in inputs) else x for x in outputs)
        if grad_mode.enabled and any(ctx.edges):
            ctx.record([getattr(x, "array", x) for x in inputs], [x.array for x in results], results)
            for x in ctx.non_differentiable:
                x.detach_()
        return results if isinstance(output, tuple) else results[0]


def once_differentiable(rule):
    """Mark a `backward` that must not be differentiated again."""
    rule.once_differentiable = True
    return rule


# %% [markdown]
# ### Checking gradients by differences


# %% stub="numerical-jacobian"
#| export
def numerical_jacobian(function, inputs, which, eps=1e-6):
    """How each output element moves with each element of one input, by central differences.

    Args:
        function: takes the inputs, returns one Tensor.
        inputs: float64 Tensors; the values of `inputs[which]` are changed while it runs, and put back.
        which: the number of the input that is moved.
        eps: how far it is moved to either side.

    Returns:
        A float64 array (elements of the input, elements of the output).
    """
    ### BEGIN SOLUTION
    x = inputs[which].array
    columns = []
    for position in np.ndindex(x.shape):
        value = x[position]
        sides = []
        for moved in (value + eps, value - eps):
            x[position] = moved
            with no_grad():
                sides.append(np.array(function(*inputs).array, np.float64).ravel())
        x[position] = value
        columns.append((sides[0] - sides[1]) / (2 * eps))
    return np.stack(columns) if columns else np.zeros((0, function(*inputs).numel()))
    ### END SOLUTION


# %%
#| export
class GradcheckError(RuntimeError):
    """A gradient that differs from the one by differences."""


def analytical_jacobian(output, x):
    """The same matrix from the rules: one backward pass for each output element."""
    jacobian = np.zeros((x.numel(), output.numel()))
    for column in range(output.numel()):
        cotangent = np.zeros(output.numel(), output.array.dtype)
        cotangent[column] = 1
        (g,) = grad(output, x, wrap(cotangent.reshape(output.shape)), retain_graph=True, allow_unused=True)
        jacobian[:, column] = 0 if g is None else g.detach().array.ravel()
    return jacobian


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0):
    """Compare the gradients of `func` with central differences, every element of every input that requires one.

    Args:
        func: takes the inputs, returns a Tensor or a tuple of Tensors.
        inputs: a Tensor or a tuple; those that require a gradient should be float64, or differences drown in rounding.

    Raises:
        GradcheckError: where they differ, unless `raise_exception` is off: then False is returned.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
        )
    outputs = func(*inputs)
    for number, output in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
        if not output.requires_grad:
            continue

        def one(*args, number=number):
            result = func(*args)
            return result[number] if isinstance(result, tuple) else result

        for i in checked:
            numerical, analytical = (
                numerical_jacobian(one, inputs, i, eps),
                analytical_jacobian(output, inputs[i]),
            )
            if not np.allclose(analytical, numerical, rtol, atol, equal_nan=True):
                if not raise_exception:
                    return False
                raise GradcheckError(
                    f"Jacobian mismatch for output {number} with respect to input {i},\n"
                    f"numerical:{numerical}\nanalytical:{analytical}\n"
                )
    return True


def gradgradcheck(
    func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0
):
    """Check second derivatives: `gradcheck` of the function that computes the first, cotangents included."""
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = func(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        grad_outputs = [wrap(rng.standard_normal(x.shape)).requires_grad_() for x in outputs]
    grad_outputs = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)

    def first_derivatives(*args):
        args, cotangents = args[: len(inputs)], args[len(inputs) :]
        results = func(*args)
        wanted = [x for x in args if isinstance(x, Tensor) and x.requires_grad]
        results = results if isinstance(results, tuple) else (results,)
        with enable_grad():
            return grad(results, wanted, cotangents, create_graph=True, materialize_grads=True)

    return gradcheck(
        lambda *args: enable_grad()(first_derivatives)(*args),
        inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
    )  # fmt: skip


# %% [markdown]
# ### Anomalies


# %%
#| export
class detect_anomaly(ContextDecorator):
    """Inside the block, name the operation whose gradient is the first NaN, and where it was called."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan

    def __enter__(self):
        self.previous, grad_mode.anomaly = grad_mode.anomaly, self.check_nan

    def __exit__(self, *error):
        grad_mode.anomaly = self.previous


def check_for_nan(node, grads):
    """RuntimeError that names the node if one of its gradients holds a NaN."""
    for number, g in enumerate(grads):
        values = g.array if isinstance(g, Tensor) else g
        if values is not None and np.isnan(values).any():
            where = "".join(getattr(node, "traceback", ["  before anomaly detection was switched on\n"])[-3:])
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {number}th output. It was called at:\n{where}"
            )


# %% [markdown]
# ### A picture of the graph


# %%
#| export
def draw_graph(output, names=None):
    """Draw the graph that backward will walk from `output`: a box for each operation, an ellipse for each leaf.

    Args:
        output: a Tensor that requires a gradient.
        names: a dict from name to leaf Tensor, such as `dict(model.named_parameters())`; other leaves show their shape.

    Returns:
        A matplotlib Figure, inputs at the top, the output at the bottom.
    """
    from matplotlib.figure import Figure

    if not output.requires_grad:
        raise RuntimeError("the tensor does not require grad, so there is no graph to draw")
    labels = {id(x): name for name, x in (names or {}).items()}
    nodes, depth = [output.edge()[0]], {}
    for node in nodes:  # grows while it is walked
        children = [edge[0] for edge in getattr(node, "edges", ()) if edge is not None]
        nodes.extend(child for child in children if all(child is not n for n in nodes))
    for node in sorted(nodes, key=lambda n: getattr(n, "number", -1)):
        above = [depth[id(edge[0])] for edge in getattr(node, "edges", ()) if edge is not None]
        depth[id(node)] = max(above, default=-1) + 1
    levels = {}
    for node in nodes:
        levels.setdefault(depth[id(node)], []).append(node)
    place = {
        id(node): (2.2 * (i - (len(level) - 1) / 2), -row)
        for row, level in levels.items()
        for i, node in enumerate(level)
    }
    width, height = 2.2 * max(map(len, levels.values())), len(levels)
    axes = Figure(figsize=(max(width, 3), 0.75 * height), layout="constrained").subplots()
    for node in nodes:
        leaf = isinstance(node, Tensor)
        text = labels.get(id(node), f"leaf {tuple(node.shape)}") if leaf else node.name()
        axes.text(
            *place[id(node)], text, ha="center", va="center", size=9,
            bbox={"boxstyle": "round" if leaf else "square", "fc": "#d9ead3" if leaf else "#eeeeee", "ec": "0.4"},
        )  # fmt: skip
        for edge in getattr(node, "edges", ()):
            if edge is not None:
                axes.annotate(
                    "", place[id(node)], place[id(edge[0])],
                    arrowprops={"arrowstyle": "->", "color": "0.5", "shrinkA": 12, "shrinkB": 12},
                )  # fmt: skip
    axes.set(xlim=(-width / 2 - 0.3, width / 2 + 0.3), ylim=(-height + 0.4, 0.6))
    axes.axis("off")
    return axes.figure


# %% [markdown]
# ## The rest of the family


# %%
#| export
@gradient(operations.Add)
def add_backward(ctx, grad):
    return tuple(
        [unbroadcast(grad, shape) if n else None for n, shape in zip(ctx.needs_input_grad, ctx.shapes)]
    )


@gradient(operations.Sub)
def sub_backward(ctx, grad):
    need_x, need_y = ctx.needs_input_grad
    shape_x, shape_y = ctx.shapes
    return unbroadcast(grad, shape_x) if need_x else None, unbroadcast(-grad, shape_y) if need_y else None


@gradient(operations.Neg)
def neg_backward(ctx, grad):
    return -grad


@gradient(operations.Div)
def div_backward(ctx, grad):
    x, y = ctx.saved_tensors
    need_x, need_y = ctx.needs_input_grad
    return (
        unbroadcast(grad / y, np.shape(x)) if need_x else None,
        unbroadcast(-grad * (x / y / y), np.shape(y)) if need_y else None,
    )


@gradient(operations.Pow)
def pow_backward(ctx, grad):
    x, y, output = ctx.saved_tensors
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        slope = y * call(operations.Pow, x, y - 1)  # 0 where y is 0, though 0 ** -1 is infinite
        grad_x = unbroadcast(grad * call(operations.Where, values(y) == 0, 0.0, slope), np.shape(x))
    if ctx.needs_input_grad[1]:
        slope = output * np.log(x)
        grad_y = unbroadcast(
            grad * call(operations.Where, (values(x) == 0) & (values(y) >= 0), 0.0, slope), np.shape(y)
        )
    return grad_x, grad_y


def values(x):
    """The array in a Tensor, or the array itself: for conditions, through which no gradient flows."""
    return x.array if isinstance(x, Tensor) else x


@gradient(operations.Exp)
def exp_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * output


@gradient(operations.Expm1)
def expm1_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (output + 1)


@gradient(operations.Log)
def log_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / x


@gradient(operations.Log1p)
def log1p_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / (x + 1)


@gradient(operations.Sqrt)
def sqrt_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad / (2 * output)


@gradient(operations.Abs)
def abs_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * call(operations.Sign, values(x))


@gradient(operations.Sin)
def sin_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * np.cos(x)


@gradient(operations.Cos)
def cos_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return -grad * np.sin(x)


@gradient(operations.Clamp)
def clamp_backward(ctx, grad):
    x, low, high = (None if bound is None else values(bound) for bound in ctx.saved_tensors)
    low_shape, high_shape = np.shape(low), np.shape(high)
    low, high = -np.inf if low is None else low, np.inf if high is None else high
    chosen = (x >= low) & (x <= high), (x < low) & (low < high), (x > high) | (low > high)
    shapes = x.shape, low_shape, high_shape
    wanted = zip(ctx.needs_input_grad, chosen, shapes)
    return tuple([unbroadcast(grad * taken, shape) if need else None for need, taken, shape in wanted])


def share_between(ctx, grad, loses):
    """Give the gradient to the operand that was taken, half to each where both were equal."""
    x, y = map(values, ctx.saved_tensors)
    half = (x == y) * np.asarray(0.5, getattr(grad, "array", grad).dtype)
    grad_x, grad_y = grad * (~loses(x, y) - half), grad * (~loses(y, x) - half)
    return unbroadcast(grad_x, np.shape(x)), unbroadcast(grad_y, np.shape(y))


@gradient(operations.Maximum)
def maximum_backward(ctx, grad):
    return share_between(ctx, grad, np.less)


@gradient(operations.Minimum)
def minimum_backward(ctx, grad):
    return share_between(ctx, grad, np.greater)


@gradient(operations.Remainder)
def remainder_backward(ctx, grad):
    x, y = ctx.saved_tensors
    return unbroadcast(grad, np.shape(x)), unbroadcast(-grad * np.floor(values(x) / values(y)), np.shape(y))


def flat(ctx, grad):
    """The gradient of a step function: zero wherever it is defined."""
    return np.zeros(grad.shape, getattr(grad, "array", grad).dtype)


for step in (operations.Floor, operations.Ceil, operations.Round, operations.Trunc, operations.Sign):
    gradient(step)(flat)


@gradient(operations.FloorDivide)
@gradient(operations.TruncDivide)
def rounded_divide_backward(ctx, grad):
    return tuple([np.zeros(shape, getattr(grad, "array", grad).dtype) for shape in ctx.shapes])


@gradient(operations.Copy)
def copy_backward(ctx, grad):
    unchanged = np.zeros(grad.shape, getattr(grad, "array", grad).dtype)
    return unchanged, call(operations.Cast, unbroadcast(grad, ctx.shape), dtype=ctx.dtype)


@gradient(operations.Cast)
def cast_backward(ctx, grad):
    return call(operations.Cast, grad, dtype=ctx.dtype)


@gradient(operations.Clone)
def clone_backward(ctx, grad):
    return grad


# %%
#| export
def restored(ctx, grad, shape):
    """A reduction's gradient with the dimensions that were reduced, each of length 1."""
    if ctx.keepdim:
        return grad
    axes = range(len(shape)) if ctx.axis is None else ctx.axis if isinstance(ctx.axis, tuple) else (ctx.axis,)
    return grad.reshape(tuple([1 if d in axes else n for d, n in enumerate(shape)]))


@gradient(operations.Sum)
def sum_backward(ctx, grad):
    return call(operations.Expand, restored(ctx, grad, ctx.shape), shape=ctx.shape)


@gradient(operations.Mean)
def mean_backward(ctx, grad):
    return call(operations.Expand, restored(ctx, grad / ctx.count, ctx.shape), shape=ctx.shape)


@gradient(operations.Var)
def var_backward(ctx, grad):
    return deviations(ctx, ctx.saved_tensors[0], grad * 2)


@gradient(operations.Std)
def std_backward(ctx, grad):
    x, output = ctx.saved_tensors
    return deviations(ctx, x, call(operations.Where, values(output) == 0, 0.0, grad / output))


def deviations(ctx, x, scale):
    """How the elements that were reduced differ from their mean, times `scale` over the divisor."""
    scale = restored(ctx, scale, x.shape) * (1 / ctx.divisor if ctx.divisor else np.inf)
    return (x - x.mean(axis=ctx.axis, keepdims=True)) * scale


@gradient(operations.Prod)
def prod_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    grad = restored(ctx, grad, x.shape)
    if isinstance(x, Tensor) or (x != 0).all():
        if (values(x) == 0).any():
            raise RuntimeError("the second derivative of prod is not implemented where a factor is zero")
        return grad * call(operations.Prod, x, dim=ctx.axis, keepdim=True) / x
    axes = tuple(range(x.ndim)) if ctx.axis is None else ctx.axis
    x_last = np.moveaxis(x, axes, range(-len(axes), 0) if isinstance(axes, tuple) else -1)
    rows = x_last.reshape(*x_last.shape[: x.ndim - (len(axes) if isinstance(axes, tuple) else 1)], -1)
    ones = np.ones_like(rows[..., :1])
    before = np.concatenate([ones, rows[..., :-1]], -1).cumprod(
        -1
    )  # the product of all others, without a division
    after = np.concatenate([ones, rows[..., :0:-1]], -1).cumprod(-1)[..., ::-1]
    others = (before * after).reshape(x_last.shape)
    return grad * np.moveaxis(others, range(-len(axes), 0) if isinstance(axes, tuple) else -1, axes)


def extreme_backward(ctx, grad):
    """All elements equal to the extreme share its gradient."""
    x = values(ctx.saved_tensors[0])
    extreme = (x.max if ctx.function is operations.Amax else x.min)(axis=ctx.axis, keepdims=True)
    chosen = (x == extreme).astype(x.dtype)
    count = chosen.sum(axis=ctx.axis, keepdims=True)
    return restored(ctx, grad, x.shape) * (chosen / np.maximum(count, 1))  # a NaN equals nothing


for extreme in (operations.Amax, operations.Amin):
    gradient(extreme)(extreme_backward)


def picked_backward(ctx, grad, _):
    """The gradient goes to the elements that were picked along `ctx.axis`."""
    (indices,) = ctx.saved_tensors
    zeros = np.zeros(ctx.shape, getattr(grad, "array", grad).dtype)
    if not ctx.shape:
        return grad
    if len(np.shape(indices)) < len(ctx.shape):
        indices, grad = np.expand_dims(indices, ctx.axis), restored(ctx, grad, ctx.shape)
    return call(operations.Scatter, zeros, indices, grad, dim=ctx.axis)


for pick in (operations.Max, operations.Min, operations.Sort, operations.TopK):
    gradient(pick)(picked_backward)


@gradient(operations.CumSum)
def cumsum_backward(ctx, grad):
    if grad.ndim == 0:
        return grad
    summed = call(operations.CumSum, call(operations.Flip, grad, dims=ctx.axis), dim=ctx.axis)
    return call(operations.Flip, summed, dims=ctx.axis)


# %%
#| export
@gradient(operations.Reshape)
def reshape_backward(ctx, grad):
    return grad.reshape(ctx.shape)


@gradient(operations.Permute)
def permute_backward(ctx, grad):
    return call(operations.Permute, grad, dims=np.argsort(ctx.dims).tolist())


@gradient(operations.Expand)
def expand_backward(ctx, grad):
    return unbroadcast(grad, ctx.shape)


@gradient(operations.Diagonal)
def diagonal_backward(ctx, grad):
    positions = np.arange(Size(ctx.shape).numel()).reshape(ctx.shape).diagonal(*ctx.options)
    zeros = np.zeros(Size(ctx.shape).numel(), getattr(grad, "array", grad).dtype)
    return call(operations.IndexPut, zeros, grad, index=positions).reshape(ctx.shape)


@gradient(operations.Flip)
def flip_backward(ctx, grad):
    return call(operations.Flip, grad, dims=ctx.dims)


@gradient(operations.Roll)
def roll_backward(ctx, grad):
    back = tuple(-s for s in ctx.shifts) if isinstance(ctx.shifts, (tuple, list)) else -ctx.shifts
    return call(operations.Roll, grad, shifts=back, dims=ctx.dims)


@gradient(operations.Tril)
def tril_backward(ctx, grad):
    return call(operations.Tril, grad, diagonal=ctx.diagonal)


@gradient(operations.Triu)
def triu_backward(ctx, grad):
    return call(operations.Triu, grad, diagonal=ctx.diagonal)


# %%
#| export
class IndexAdd(operations.Function):
    """Zeros of a shape, with values added at an index: the gradient of indexing."""

    @staticmethod
    def forward(ctx, grad, index, shape):
        ctx.index = index
        output = np.zeros(shape, grad.dtype)
        parts = index if isinstance(index, tuple) else (index,)
        integers = [i for i in parts if isinstance(i, np.ndarray) and i.dtype != bool]
        if not integers:  # slices, numbers and masks name every element once
            output[index] = grad
        elif len(parts) == 1 and index_of(parts).size:  # rows: sorted, then added run by run
            rows = index_of(parts).ravel() % shape[0]
            order = rows.argsort(kind="stable")
            starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
            output[rows[order][starts]] = np.add.reduceat(
                grad.reshape(len(rows), *shape[1:])[order], starts, axis=0, dtype=grad.dtype
            )
        else:
            np.add.at(output, index, grad)
        return output

    @staticmethod
    def backward(ctx, grad):
        return grad[ctx.index]


def index_of(parts):
    return parts[0]


@gradient(operations.Index)
def index_backward(ctx, grad):
    return call(IndexAdd, grad, index=ctx.index, shape=ctx.shape)


@gradient(operations.IndexPut)
def index_put_backward(ctx, grad):
    zero = np.zeros((), getattr(grad, "array", grad).dtype)
    part = grad[ctx.index]
    shape = ctx.shape[max(len(ctx.shape) - part.ndim, 0) :]  # leading ones, which broadcasting does not need
    return call(operations.IndexPut, grad, zero, index=ctx.index), unbroadcast(part, shape).reshape(ctx.shape)


@gradient(operations.Gather)
def gather_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    zeros = np.zeros(ctx.shape, getattr(grad, "array", grad).dtype)
    return call(operations.ScatterAdd, zeros, index, grad, dim=ctx.dim), None


def source_backward(ctx, grad, index):
    """The gradient of what was scattered: gathered, and zero for what lay beyond the index."""
    gathered = call(operations.Gather, grad, index, dim=ctx.dim)
    if ctx.src_shape == ():
        return gathered.sum()
    if ctx.src_shape == index.shape:
        return gathered
    zeros = np.zeros(ctx.src_shape, getattr(grad, "array", grad).dtype)
    return call(operations.IndexPut, zeros, gathered, index=tuple(map(slice, index.shape)))


@gradient(operations.Scatter)
def scatter_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    return call(operations.Scatter, grad, index, 0.0, dim=ctx.dim), None, source_backward(ctx, grad, index)


@gradient(operations.ScatterAdd)
def scatter_add_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    return grad, None, source_backward(ctx, grad, index)


@gradient(operations.MaskedFill)
def masked_fill_backward(ctx, grad):
    (mask,) = ctx.saved_tensors
    filled = unbroadcast((grad * mask).sum(), ctx.shapes[1]) if ctx.needs_input_grad[2] else None
    return unbroadcast(call(operations.MaskedFill, grad, mask, 0.0), ctx.shapes[0]), None, filled


@gradient(operations.Where)
def where_backward(ctx, grad):
    (condition,) = ctx.saved_tensors
    shape_x, shape_y = ctx.shapes
    chosen, rejected = (
        call(operations.Where, condition, grad, 0.0),
        call(operations.Where, condition, 0.0, grad),
    )
    return None, unbroadcast(chosen, shape_x), unbroadcast(rejected, shape_y)


@gradient(operations.Cat)
def cat_backward(ctx, grad):
    ends = itertools.accumulate(ctx.sizes)
    return tuple([grad[(slice(None),) * ctx.dim + (slice(end - n, end),)] for n, end in zip(ctx.sizes, ends)])


@gradient(operations.Einsum)
def einsum_backward(ctx, grad):
    """Each operand's gradient is an einsum too: of the result's gradient and the other operands."""
    arrays = ctx.saved_tensors
    inputs, output = ctx.equation.split("->")
    inputs = inputs.split(",")
    if "..." in ctx.equation or any(len(set(term)) < len(term) for term in inputs):
        inputs, output = spelled_out(inputs, output, arrays)
    sizes = {c: n for term, a in zip(inputs, arrays) for c, n in zip(term, a.shape) if n != 1}
    grads = []
    for number, (term, array) in enumerate(zip(inputs, arrays)):
        if not ctx.needs_input_grad[number]:
            grads.append(None)
            continue
        others = [t for i, t in enumerate(inputs) if i != number] + [output]
        alone = [
            c for c in dict.fromkeys(term) if not any(c in t for t in others)
        ]  # summed over in this operand only
        kept = "".join(c for c in dict.fromkeys(term) if c not in alone)
        g = call(
            operations.Einsum,
            *[a for i, a in enumerate(arrays) if i != number],
            grad,
            equation=f"{','.join(others)}->{kept}",
        )
        full = [sizes.get(c, 1) for c in dict.fromkeys(term)]
        g = g.reshape([1 if c in alone else n for c, n in zip(dict.fromkeys(term), full)])
        g = call(operations.Expand, g, shape=full)
        if len(set(term)) < len(term):
            g = on_diagonal(g, term, array.shape)
        grads.append(unbroadcast(g, array.shape))
    return tuple(grads)


def spelled_out(inputs, output, arrays):
    """The terms of an einsum with a letter for every dimension that `...` stands for."""
    letters = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in "".join(inputs)]
    widths = [np.ndim(a) - len(t.replace("...", "")) if "..." in t else 0 for t, a in zip(inputs, arrays)]
    dots = letters[: max(widths)]
    terms = [t.replace("...", "".join(dots[len(dots) - n :])) for t, n in zip(inputs, widths)]
    return terms, output.replace("...", "".join(dots))


def on_diagonal(g, term, shape):
    """Put a gradient where the repeated letters of a term agree, zero elsewhere."""
    letters = list(dict.fromkeys(term))
    grid = np.ogrid[tuple(map(slice, g.shape))]
    zeros = np.zeros(shape, getattr(g, "array", g).dtype)
    return call(operations.IndexPut, zeros, g, index=tuple(grid[letters.index(c)] for c in term))
