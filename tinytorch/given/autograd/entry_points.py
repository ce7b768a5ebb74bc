"""Where a walk begins and ends: what `backward` and `grad` check, and `grad` itself, made of `walk`."""

import threading

import numpy as np

from tinytorch.autograd import walk
from tinytorch.given.autograd.nodes import apply_all
from tinytorch.given.autograd.switches import set_grad_enabled
from tinytorch.given.tensor.numpy_warnings import quiet
from tinytorch.tensor import Tensor, stack, wrap

__all__ = ["accumulating", "apply_hooks", "check_gradient", "destinations", "grad", "starting_points"]

accumulating = threading.Lock()  # several threads may walk to one leaf


def apply_hooks(leaf, grad):
    """Let the hooks of a leaf see, and replace, its gradient."""
    hooks = leaf.__dict__.get("_hooks")
    return apply_all(hooks, grad) if hooks else grad


def starting_points(tensors, grad_tensors, create_graph):
    """The edges at which a walk begins, and the gradients it begins with; checked as PyTorch checks them."""
    tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    if grad_tensors is None:
        grad_tensors = (None,) * len(tensors)
    grad_tensors = (grad_tensors,) if isinstance(grad_tensors, Tensor) else tuple(grad_tensors)
    for grad in grad_tensors:
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if len(grad_tensors) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grad_tensors)} gradients")
    gradients = []
    for number, (x, grad) in enumerate(zip(tensors, grad_tensors)):
        if not x.requires_grad:
            raise RuntimeError(
                f"element {number} of tensors does not require grad and does not have a grad_fn"
            )
        if grad is None:
            if x.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            grad = wrap(np.ones_like(x.array))
        if grad.shape != x.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {grad.shape} "
                f"and output[0] has a shape of {x.shape}."
            )
        gradients.append(grad if create_graph else grad.array)
    return [x.edge() for x in tensors], gradients


def destinations(inputs):
    """The tensors whose gradients `backward` has to compute, and their edges; None twice for all leaves."""
    if inputs is None:
        return None, None
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    return inputs, {x.edge() for x in inputs}


def check_gradient(leaf, grad):
    """A gradient has its tensor's shape; a rule that returns another raises an error."""
    if np.shape(grad) != leaf.array.shape:
        raise RuntimeError(
            f"a gradient of shape {list(np.shape(grad))} arrived at a tensor of shape {list(leaf.shape)}"
        )


@quiet
def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of the outputs with respect to the inputs, as a tuple; no `.grad` is touched.

    With `is_grads_batched` each of `grad_outputs` holds several, along a dimension in front, and so does each
    gradient that is returned.

    Raises:
        RuntimeError: if an input does not require a gradient, or was not used and `allow_unused` is not set.
    """
    if is_grads_batched:
        several = [grad_outputs] if isinstance(grad_outputs, Tensor) else grad_outputs
        *first, last = zip(*several, strict=True)
        options = {"allow_unused": allow_unused, "materialize_grads": materialize_grads}
        rows = [grad(outputs, inputs, one, True, create_graph, **options) for one in first]
        rows.append(grad(outputs, inputs, last, retain_graph, create_graph, **options))
        return tuple([None if column[0] is None else stack(column) for column in zip(*rows)])
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not all(x.requires_grad for x in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    roots, gradients = starting_points(outputs, grad_outputs, create_graph)
    wanted = {x.edge() for x in inputs}
    retain_graph = create_graph if retain_graph is None else retain_graph
    with set_grad_enabled(bool(create_graph)):
        arrived = walk(roots, gradients, retain_graph, create_graph, wanted)
    results = []
    for x in inputs:
        result = arrived.get(x.edge())
        if result is not None and x.grad_fn is None:
            result = apply_hooks(x, result)
        if result is None and not (allow_unused or materialize_grads):
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        if result is None and materialize_grads:
            result = np.zeros_like(x.array)
        is_array = not (result is None or isinstance(result, Tensor))
        results.append(wrap(np.array(result, x.array.dtype)) if is_array else result)
    return tuple(results)
