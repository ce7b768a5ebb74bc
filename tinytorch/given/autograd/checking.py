"""`gradcheck` and `gradgradcheck`: rules against the differences of `numerical_jacobian`."""

import numpy as np

from tinytorch.autograd import numerical_jacobian
from tinytorch.given.autograd.entry_points import grad
from tinytorch.given.autograd.switches import enable_grad
from tinytorch.tensor import Tensor, wrap

__all__ = ["GradcheckError", "analytical_jacobian", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A gradient that differs from the one by differences."""


def analytical_jacobian(output, x):
    """The same matrix from the rules: one backward pass for each output element."""
    jacobian = np.zeros((x.numel(), output.numel()))
    for column in range(output.numel()):
        cotangent = np.zeros(output.numel(), output.array.dtype)
        cotangent[column] = 1
        cotangent = wrap(cotangent.reshape(output.shape))
        (g,) = grad(output, x, cotangent, retain_graph=True, allow_unused=True)
        jacobian[:, column] = 0 if g is None else g.detach().array.ravel()
    return jacobian


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0):
    """Compare the gradients of `func` with central differences: every element of every input that needs one.

    Args:
        func: takes the inputs, returns a Tensor or a tuple of Tensors.
        inputs: a Tensor or a tuple; those that require a gradient should be float64, or differences drown in
            rounding.

    Raises:
        GradcheckError: where they differ, unless `raise_exception` is off: then False is returned.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, "
            "but none of the them have requires_grad=True."
        )
    outputs = func(*inputs)
    for number, output in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
        if not output.requires_grad:
            continue

        def one(*args, number=number):
            result = func(*args)
            return result[number] if isinstance(result, tuple) else result

        for i in checked:
            numerical = numerical_jacobian(one, inputs, i, eps)
            analytical = analytical_jacobian(output, inputs[i])
            if not np.allclose(analytical, numerical, rtol, atol, equal_nan=True):
                if not raise_exception:
                    return False
                raise GradcheckError(
                    f"Jacobian mismatch for output {number} with respect to input {i},\n"
                    f"numerical:{numerical}\nanalytical:{analytical}\n"
                )
    return True


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
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
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
    )
