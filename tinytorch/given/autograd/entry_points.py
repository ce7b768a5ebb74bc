"""Where a walk begins and ends: what `backward` and `grad` check, and `grad` itself, made of `walk`."""

import threading

import numpy as np

from tinytorch.autograd import walk
from tinytorch.given.autograd.nodes import apply_all
from tinytorch.given.autograd.switches import set_grad_enabled
from tinytorch.tensor import Tensor, wrap

__all__ = ["accumulating", "apply_hooks", "check_gradient", "grad", "starting_points"]

accumulating = threading.Lock()  # several threads may walk to one leaf


def apply_hooks(leaf, grad):
    """Let the hooks of a leaf see, and replace, its gradient."""
    return apply_all(leaf.__dict__.get("_hooks") or {}, grad)


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
                f"Mismatch in shape: grad_output[0] has a shape of {grad.shape} "
                f"and output[0] has a shape of {x.shape}."
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
