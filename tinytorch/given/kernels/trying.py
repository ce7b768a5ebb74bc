"""To try a kernel: buffers with margins that nothing may touch, and a launch that is watched."""

from contextlib import suppress

import numpy as np

from tinytorch.given.kernels import compiling, device
from tinytorch.given.kernels.refusals import refuse
from tinytorch.given.kernels.simulator import SIMULATED, cuda, watch

__all__ = ["Buffer", "padded", "run"]

MARGIN = 3  # numbers on either side


class Buffer:
    """A flat buffer on the device, made of an array, with a margin before and behind it.

    Attributes: `device`, the buffer as a kernel takes it; `offset`, where the array begins in it.
    """

    def __init__(self, array, margin=MARGIN):
        self.array, self.offset = np.array(array, order="C"), margin
        edge = np.full(margin, 77, self.array.dtype)
        self.device = cuda.to_device(np.concatenate([edge, self.array.ravel(), edge, edge[:1]]))

    @classmethod
    def empty(cls, *shape, dtype=np.float32, margin=MARGIN):
        """A buffer for a result: 99 in every place, so that what is never written shows."""
        return cls(np.full(shape, 99, dtype), margin)

    def result(self, name="the result"):
        """What is on the device now, in the array's shape; AssertionError where the margin was written to."""
        found, end = self.device.copy_to_host(), self.offset + self.array.size
        outside = np.flatnonzero(np.concatenate([found[: self.offset], found[end:]]) != found.dtype.type(77))
        assert not outside.size, (
            f"a number was written outside of {name}, whose size is {self.array.size}: at place "
            f"{[*range(-self.offset, 0), *range(self.array.size, found.size)][outside[0]]}"
        )
        return found[self.offset : end].reshape(self.array.shape)

    def check_unchanged(self, name):
        """AssertionError unless the device still holds what the buffer was made of."""
        np.testing.assert_array_equal(
            self.result(name), self.array, err_msg=f"{name} is an input: it stays as it was"
        )


def run(kernel, blocks, threads, *arguments, watched=True, compiled=False, local=False):
    """Launch a kernel, with Buffers among its arguments; return what was seen, None unless `watched`.

    Where it is to be `compiled`, too, it is refused unless it compiles for a device, to code without float64
    and without memory of threads off the chip; `local` allows that. Without a compiler it is only run.
    """
    launched = [each.device if isinstance(each, Buffer) else each for each in arguments]
    if not watched:
        kernel[blocks, threads](*launched)
        return None
    before = [np.array(each.copy_to_host()) if hasattr(each, "copy_to_host") else each for each in launched]
    with watch() as seen:
        for each in arguments:
            if isinstance(each, Buffer):  # the margins are not its own; a device has no such array of NumPy's
                seen.numbers[id(getattr(each.device, "_ary", None))] = each.offset, each.array.size
        kernel[blocks, threads](*launched)
    assert not seen.float64, (
        "a float32 becomes a float64 on a device, where a Python number comes in: "
        + "; ".join(sorted(seen.float64))
    )
    if compiled:
        with suppress(compiling.NoCompiler):
            refuse(*compiling.reply(kernel, launched), local)
            if SIMULATED:
                compare(compiling.beside(kernel, (blocks, threads), before), launched)
    return seen


def product(kernel, a, b, side, transposed="", numbers=None, **how):
    """a times b by a kernel in blocks of side x side, and what the simulator saw.

    The buffers of the matrices named in `transposed` hold them column by column. A block
    computes `numbers` x `numbers` results, by default one for each thread.
    """
    (m, k), n = a.shape, b.shape[1]
    buffers, layouts = [], []
    for name, x in (("out", np.full((m, n), 99, np.float32)), ("a", a), ("b", b)):
        turned = name in transposed.split()
        buffers.append(Buffer(x.T if turned else x))
        layouts.append((3, *((1, x.shape[0]) if turned else (x.shape[1], 1)), 0, 0, 1))
    numbers = numbers or side
    grid = (max(1, -(-n // numbers)), max(1, -(-m // numbers)))
    sizes = (m, n, k)
    seen = run(kernel, grid, (side, side), *buffers, sizes, *layouts, **how)
    buffers[1].check_unchanged("a")
    buffers[2].check_unchanged("b")
    found = buffers[0].result()
    return (found.T if "out" in transposed.split() else found), seen


def compare(found, launched):
    """AssertionError unless a launch on the GPU, if there was one, has left what the simulator's has."""
    arrays = [each.copy_to_host() for each in launched if hasattr(each, "copy_to_host")]
    for number, (on_gpu, simulated) in enumerate(zip(found or (), arrays)):
        np.testing.assert_allclose(
            on_gpu, simulated, rtol=1e-3, atol=1e-5,
            err_msg=f"array {number} of the kernel's arguments, on the GPU and in the simulator",
        )  # fmt: skip


def where_kernels_run():
    """A sentence that says where kernels run, and whether they are compiled."""
    place = "in numba's simulator" if SIMULATED else "on the GPU"
    if SIMULATED and device.driver():
        reason = device.failure()
        place += f", for the GPU here runs none: {reason}" if reason else ", and on the GPU beside it"
    if compiling.missing():
        return f"kernels run {place}, and are not compiled: {compiling.missing()}"
    return f"kernels run {place}, and are compiled by NVVM {compiling.version('nvidia-nvvm')}".rstrip()


def padded(shape, *strides):
    """A shape and its strides, each as a tuple of four: (1, 1, ..., n), (0, 0, ..., stride)."""
    missing = 4 - len(shape)
    return (1,) * missing + tuple(shape), *((0,) * missing + tuple(each) for each in strides)
