"""What the device "cuda" uses, once a program asks for it: the learner's kernels, and those given."""

import numpy as np

from tinytorch.given.kernels.array import CudaArray, to_device
from tinytorch.given.kernels.functions import GATES, SECOND, SLOPES, WHERE
from tinytorch.given.kernels.memory import NumbaMemory, pool
from tinytorch.given.kernels.numpy_functions import FUNCTIONS  # noqa: F401 - what a CudaArray answers
from tinytorch.given.kernels.simulator import cuda
from tinytorch.given.kernels.steps import arange, put_along, start, take_along
from tinytorch.given.kernels.table import bind
from tinytorch.given.tensor.devices import backends, later

__all__ = ["switch_off", "switch_on"]

handles = []  # of the fused overrides


class Backend:
    """How tensors get to the device and back; `prototype` is what NumPy's makers make arrays like."""

    upload, download = staticmethod(to_device), staticmethod(CudaArray.to_host)

    def __init__(self):
        self.prototype = CudaArray(np.zeros(1, np.float32))


def switch_on(fused=True):
    """Put the device behind "cuda", or the simulator: kernels are bound, overrides registered."""
    switch_off()
    if pool.memory is None:
        pool.memory = NumbaMemory(cuda)
    later("kernels").bind_kernels()
    bind_given()
    backends["cuda"] = Backend()
    if fused:
        from tinytorch.given.acceleration.registry import register_kernel
        from tinytorch.given.kernels.fused_functions import FUSED

        handles.extend([register_kernel(*arguments) for arguments in FUSED])


def switch_off():
    """Take the device and its overrides away; arrays that are on it stay."""
    while handles:
        handles.pop().remove()
    backends.pop("cuda", None)


def bind_given():
    """Bind what the learner does not: choices, filling, indices, gates and slopes, rows, images, steps."""
    lesson = later("kernels")
    bind("where", lesson.zip3_kernel(WHERE))
    bind("argmax", lesson.argmax_rows)
    bind("take", lesson.gather_rows)
    bind("add.at", lesson.scatter_add_rows)
    second = lesson.zip_kernel(SECOND)

    def fill(out, value, shape, out_strides, _, out_offset, __):
        second(out, out, value, shape, out_strides, out_strides, out_strides, out_offset, out_offset, 0)

    bind("fill", fill)
    bind("arange", lambda out, size, first, step: start(arange, size, out, size, first, step))
    for name, kernel in (("take_along_axis", take_along), ("put_along_axis", put_along)):
        bind(name, lambda *arguments, _kernel=kernel: _kernel[32, 128](*arguments))
    for name, function in GATES.items():
        bind(name, lesson.map_kernel(function))
    for name, function in SLOPES.items():
        bind(f"{name}.backward", lesson.zip_kernel(function))
    for name in ("softmax_rows", "softmax_rows_backward", "layer_norm_rows", "layer_norm_rows_backward"):
        bind(name, getattr(lesson, name))
    for name in ("attention_forward", "im2col", "col2im", "adamw_step"):
        bind(name, getattr(lesson, name))
