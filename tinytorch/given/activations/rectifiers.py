"""Activations that go like `Relu`: one rule where x is positive, another where it is not."""

import numpy as np

from tinytorch.given.activations.checks import checked, put
from tinytorch.tensor import Function

__all__ = ["LeakyRelu", "leaky_relu"]


class LeakyRelu(Function):
    @staticmethod
    def forward(ctx, x, negative_slope):
        ctx.save_for_backward(x)
        ctx.negative_slope = negative_slope
        return np.maximum(x, 0) + negative_slope * np.minimum(x, 0)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x where it is positive, `negative_slope` times x elsewhere; with `inplace`, in the memory of `input`."""
    return put(LeakyRelu, checked(input, "leaky_relu"), inplace, negative_slope=negative_slope)
