"""The bilinear map of two inputs, as a function and as a layer."""

import math

from tinytorch.given.layers.initialization import uniform_
from tinytorch.layers import Module, Parameter
from tinytorch.tensor import einsum, empty

__all__ = ["Bilinear", "bilinear"]


def bilinear(input1, input2, weight, bias=None):
    """y_o = x1ᵀ A_o x2 + b_o along the last dimensions of two inputs, for a weight A (out, in1, in2)."""
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): input batch dimensions do not match: got {input1.shape} and {input2.shape}"
        )
    for number, x in enumerate((input1, input2), 1):
        if x.shape[-1] != weight.shape[number]:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: "
                f"got {x.shape[-1]} but expected {weight.shape[number]}"
            )
    output = einsum("...i,oij,...j->...o", input1, weight, input2)
    return output if bias is None else output + bias


class Bilinear(Module):
    """y_o = x1ᵀ A_o x2 + b_o: weight (out, in1, in2) and bias (out,), drawn evenly from ±1/√in1.

    Shape: (..., in1) and (..., in2) to (..., out).

    >>> torch.nn.Bilinear(4, 3, 2)(torch.zeros(8, 4), torch.zeros(8, 3)).shape
    torch.Size([8, 2])
    """

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(empty(out_features, in1_features, in2_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias again, evenly from ±1/√in1.

        >>> layer = torch.nn.Bilinear(4, 3, 2)
        >>> layer.reset_parameters()
        >>> bool((layer.weight.abs() <= 0.5).all())
        True
        """
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def forward(self, input1, input2):
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
