"""To try a kernel: buffers with margins that nothing may touch, and a launch that is watched."""

import numpy as np

from tinytorch.given.kernels.simulator import cuda, watch

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


def run(kernel, blocks, threads, *arguments, watched=True):
    """Launch a kernel, with Buffers among its arguments; return what was seen, None unless `watched`."""
    arguments = [each.device if isinstance(each, Buffer) else each for each in arguments]
    if not watched:
        kernel[blocks, threads](*arguments)
        return None
    with watch() as seen:
        kernel[blocks, threads](*arguments)
    assert not seen.float64, (
        "a float32 becomes a float64 on a device, where a Python number comes in: "
        + "; ".join(sorted(seen.float64))
    )
    return seen


def padded(shape, *strides):
    """A shape and its strides, each as a tuple of four: (1, 1, ..., n), (0, 0, ..., stride)."""
    missing = 4 - len(shape)
    return (1,) * missing + tuple(shape), *((0,) * missing + tuple(each) for each in strides)
