"""Muon, for matrices: the mean gradient, an `average`, made orthogonal; and weights that `shrink`."""

import math

import numpy as np

from tinytorch.given.optimizers.options import check_options
from tinytorch.optimizers import Optimizer, average, shrink
from tinytorch.tensor import wrap

__all__ = ["Muon", "orthogonalized"]


def bfloat16(array):
    """The nearest numbers that fit in the eight bits of a bfloat16, in a float32 array; ties go to even."""
    bits = np.asarray(array, np.float32).view(np.uint32)
    bits = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return bits.view(np.float32)


def orthogonalized(matrix, coefficients, steps, eps):
    """Bring all singular values of a matrix near 1, by Newton and Schulz's iteration.

    X = a X + (b A + c A A) X,    A = X X';    each product is rounded to bfloat16, as PyTorch computes it.

    Raises:
        ValueError: if there are 100 steps or more, or other than three coefficients.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = bfloat16(matrix.T if tall else matrix)
    x = bfloat16(x / max(bfloat16(np.linalg.norm(x)), bfloat16(eps)))
    for _ in range(steps):
        gram = bfloat16(x @ x.T)
        x = bfloat16(a * x + bfloat16(b * gram + c * (gram @ gram)) @ x)
    return x.T if tall else x


class Muon(Optimizer):
    """Steps by the mean gradient of a matrix, its singular values all brought near 1 (Jordan et al., 2024).

    m = momentum * m + (1 - momentum) * grad; with nesterov momentum * m + (1 - momentum) * grad in its place;
    p = (1 - lr * weight_decay) * p - lr * scale * orthogonalized(m)

    Args:
        params: matrices, all of them; biases and embeddings are another optimizer's.
        ns_coefficients, ns_steps, eps: of the iteration that makes the direction orthogonal.
        adjust_lr_fn: how `scale` goes with a matrix of A x B: sqrt(max(1, A / B)) for "original" or None, and
            0.2 sqrt(max(A, B)) for "match_rms_adamw".

    >>> w = torch.eye(2).requires_grad_()
    >>> (w[0] ** 2).sum().backward()
    >>> torch.optim.Muon([w], lr=0.1).step()
    >>> w.detach()
    tensor([[0.9212, 0.0000],
            [0.0000, 0.9900]])
    """

    def __init__(
        self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
        ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None,
    ):  # fmt: skip
        check_options(lr)
        for name, value in {"momentum": momentum, "weight decay": weight_decay}.items():
            if not value >= 0:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{parameter.size()}"
                    )

    def update(self, parameter, grad, group, work):
        array, lr, momentum = parameter.array, float(group["lr"]), group["momentum"]
        grad = parameter.grad.array  # its decay is no part of the direction
        state = self.state[parameter]
        if not state:
            state["momentum_buffer"] = wrap(np.zeros_like(grad))
        direction = state["momentum_buffer"].array
        average(direction, grad, momentum, work)
        if group["nesterov"]:
            direction = grad + momentum * (direction - grad)
        direction = orthogonalized(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = array.shape
        scale = math.sqrt(max(1, rows / columns))
        if group["adjust_lr_fn"] == "match_rms_adamw":
            scale = 0.2 * math.sqrt(max(rows, columns))
        shrink(array, lr, group["weight_decay"])
        array -= lr * scale * direction.astype(array.dtype)
