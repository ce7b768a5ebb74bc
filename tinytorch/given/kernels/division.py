"""A division of indices that costs a device little."""

from tinytorch.given.kernels.simulator import cuda

__all__ = ["divided"]

LARGEST = 2**31 - 1


def checked(size):
    """The size of a launch, where its indices may be divided; ValueError where they would be too large."""
    if size > LARGEST:
        raise ValueError(f"a launch over {size:,} numbers: indices are divided in 31 bits, up to {LARGEST:,}")
    return size


@cuda.jit(device=True)
def divided(i, n):
    """Quotient and remainder of i by n: numbers from 0 (n: from 1) to 2**31 - 1.

    A device has no instruction that divides. By its rules for signs and 64 bits Python's `//` becomes some 80
    instructions, and `%` as many again. The masks tell the compiler that 31 bits are all there is: it divides
    once, in 32 bits, for both; and with `max` nothing is divided by 0, so what depends on n alone is computed
    before a loop.
    """
    i, n = i & LARGEST, max(n & LARGEST, 1)
    return i // n, i % n
