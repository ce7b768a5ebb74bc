"""apply_rotary and RotaryPositions, made of the operation `Rotate` and of `rotary_tables`."""

from tinytorch.embeddings import Rotate, rotary_tables, rows_for
from tinytorch.layers import Module
from tinytorch.tensor import in_float32, wrap

__all__ = ["RotaryPositions", "apply_rotary"]


def apply_rotary(x, cos, sin):
    """Turn the vectors x (..., T, D) by the angles whose cosines and sines (T, D/2) are given."""
    if (*x.shape[-2:-1], x.shape[-1] // 2) != tuple(cos.shape) or cos.shape != sin.shape or x.shape[-1] % 2:
        raise RuntimeError(
            f"vectors of shape {list(x.shape)} cannot be turned by angles of shapes {list(cos.shape)} "
            f"and {list(sin.shape)}"
        )
    return in_float32(Rotate, x, cos.detach().to(x.dtype), sin.detach().to(x.dtype))


class RotaryPositions(Module):
    """Turn queries and keys by angles that grow with their position, so that products see distances only.

    Shape: x (..., T, D) to (..., T, D); the first of the T is position `start`. Nothing is learned.

    >>> RotaryPositions(16, 2)(torch.ones(2, 2))
    tensor([[ 1.0000,  1.0000],
            [-0.3012,  1.3818]])
    """

    def __init__(self, max_length, dim, base=10000.0):
        super().__init__()
        for name, table in zip(("cos", "sin"), rotary_tables(max_length, dim, base)):
            self.register_buffer(name, wrap(table), persistent=False)

    def forward(self, x, start=0):
        return apply_rotary(x, rows_for(self.cos, x, start), rows_for(self.sin, x, start))

    def extra_repr(self):
        return f"{len(self.cos)}, {2 * self.cos.shape[1]}"
