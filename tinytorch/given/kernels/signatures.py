"""Kernels by name, with the types of their arguments: what is compiled where there is no GPU.

Types are written in letters: `f` an array of float32 and `l` one of int64, `i` an int64, `s` a float32, `b` a
boolean, and `i4` a tuple of four ints. Kernels come from functions: none is made before it is asked for.
"""

import numpy as np
from numba import types

from tinytorch import kernels
from tinytorch.given.kernels import images, launch, rows, updates
from tinytorch.given.kernels.functions import BINARY, UNARY, WHERE

__all__ = []

ADD, NEGATIVE = BINARY["add"], UNARY["negative"]
SIGNATURES = {  # name: how the kernel is made, and with what it is called
    "map": (lambda: kernels.make_map(NEGATIVE), "f f i i i"),
    "zip": (lambda: kernels.make_zip(ADD), "f f f i i4 i4 i4 i4 i i i"),
    "zip in two dimensions": (lambda: kernels.make_zip(ADD), "f f f i i2 i2 i2 i2 i i i"),
    "reduce": (lambda: kernels.make_reduce(ADD, np.float32(0)), "f f i i i i"),
    "reduce of integers": (lambda: kernels.make_reduce(ADD, np.int64(0)), "l l i i i i"),
    "matmul_naive": (lambda: kernels.matmul_naive, "f f f i3 i6 i6 i6"),
    "matmul_tiled": (lambda: kernels.matmul_tiled, "f f f i3 i6 i6 i6"),
    "matmul_registers": (lambda: kernels.matmul_registers, "f f f i3 i6 i6 i6"),
    "transpose": (lambda: kernels.transpose_kernel, "f f i i i i"),
    "softmax": (lambda: kernels.softmax_kernel, "f f i i i i"),
    "attention, heads of 16": (lambda: kernels.make_attention(16), "f f f f f i i s b i5"),
    "attention, heads of 32": (lambda: kernels.make_attention(32), "f f f f f i i s b i5"),
    "attention, heads of 64": (lambda: kernels.make_attention(64), "f f f f f i i s b i5"),
    "adamw": (lambda: kernels.adamw_kernel, "f f f f i s9 i4"),
    "strided map": (lambda: launch.strided_map(NEGATIVE, kernels.place_of), "f f i i4 i4 i4 i i"),
    "zip with a number": (
        lambda: launch.picking_zip(ADD, launch.entry, launch.number, None, kernels.place_of),
        "f f s i i4 i4 i4 i4 i i i",
    ),
    "zip of three": (
        lambda: launch.picking_zip(WHERE, launch.entry, launch.entry, launch.number, kernels.place_of),
        "f f f s i i4 i4 i4 i4 i4 i4",
    ),
    "flat zip": (lambda: launch.flat_zip(ADD, launch.entry, launch.entry), "f f f i i i i"),
    "reduce columns": (lambda: launch.reduce_columns(ADD, np.float32(0)), "f f i i i i i"),
    "argmax": (lambda: launch.argmax_kernel, "l f i i i i i"),
    "softmax backward": (lambda: rows.softmax_backward_kernel, "f f f i i i i i"),
    "layer norm": (lambda: rows.layer_norm_kernel, "f f f f f f i i s i6"),
    "layer norm backward": (lambda: rows.layer_norm_backward_kernel, "f f f f f f i i i6"),
    "layer norm weights": (lambda: rows.layer_norm_weights_kernel, "f f f f f f i i i6"),
    "im2col": (lambda: images.im2col_kernel, "f f i i2 i2 i2 i2 i2 i2 i i"),
    "col2im": (lambda: images.col2im_kernel, "f f i i2 i2 i2 i2 i2 i2 i i"),
    "gather": (lambda: updates.gather_kernel, "f f l i i i i i"),
    "scatter": (lambda: updates.scatter_add_kernel, "f f l i i i i i"),
}
LETTERS = {
    "f": types.float32[::1], "l": types.int64[::1], "i": types.int64, "s": types.float32, "b": types.boolean,
}  # fmt: skip


def types_of(letters):
    """The numba types of a signature: a tuple."""
    found = [(LETTERS[each[0]], each[1:]) for each in letters.split()]
    return tuple(types.UniTuple(kind, int(count)) if count else kind for kind, count in found)
