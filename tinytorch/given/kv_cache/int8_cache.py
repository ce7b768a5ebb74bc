"""A layer's cache in int8: a `LayerCache` of codes, and their scales."""

import numpy as np

from tinytorch.kv_cache import LayerCache
from tinytorch.tensor import int8

__all__ = ["Int8LayerCache"]


def to_int8(x):
    """Codes (..., d) of vectors, int8 from -127 to 127, and for each vector its scale (..., 1), float32."""
    largest = np.abs(x).max(axis=-1, keepdims=True)
    scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)  # zeros have any scale but 0
    return np.rint(x / scale).astype(np.int8), scale


class Int8LayerCache(LayerCache):
    """A `LayerCache` whose slots hold int8 codes; each vector has a scale, which two further caches hold."""

    def __init__(self, batch_size, num_heads, max_length, head_size, dtype=int8):
        super().__init__(batch_size, num_heads, max_length, head_size, int8)
        scales = np.empty((2, batch_size, num_heads, max_length, 1), np.float32)
        self.k_scale, self.v_scale = scales

    def write(self, k, v):
        """Put the codes of arrays (B, H, T, d), and their scales, into the next T slots."""
        start = self.length
        (k, k_scale), (v, v_scale) = to_int8(k), to_int8(v)
        super().write(k, v)
        self.k_scale[:, :, start : self.length] = k_scale
        self.v_scale[:, :, start : self.length] = v_scale

    def read(self):
        """All keys and values so far (B, H, length, d), float32: new arrays."""
        k, v = super().read()
        seen = slice(self.length)
        return k * self.k_scale[:, :, seen], v * self.v_scale[:, :, seen]

    @property
    def nbytes(self):
        """The bytes of the codes and of their scales."""
        return super().nbytes + self.k_scale.nbytes + self.v_scale.nbytes
