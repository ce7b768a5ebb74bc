"""A gradient that nobody else holds becomes `.grad` itself; module 06 copies it, because it may be shared.

Python counts the references to every object, so it can tell. PyTorch's engine decides in the same way.
"""

import functools
import sys

import numpy as np

from tinytorch import autograd
from tinytorch.given.acceleration.registry import register_kernel
from tinytorch.tensor import wrap

__all__ = []


def held_alone(leaf, grad):
    """Whether a leaf has no gradient yet, and the walk alone holds this array, made as the leaf needs it."""
    return (
        leaf._grad is None
        and type(grad) is np.ndarray
        and grad.dtype == leaf.array.dtype
        and grad.flags.carray
        and grad.flags.owndata
        and references(grad) == fewest_references()
    )


def references(grad):
    return sys.getrefcount(grad)


@functools.cache
def fewest_references():
    """How many references to a gradient `held_alone` finds where only the walk holds it.

    Versions of Python count differently, so it is counted on the way that every gradient takes.
    """
    counts, arrived = [], {None: np.zeros(1)}
    with register_kernel(hand_over, hand_over, when=lambda leaf, grad: counts.append(references(grad))):
        grad = arrived.get(None)
        hand_over(None, grad)
    return counts[0]


def hand_over(leaf, grad):
    """Stand for `accumulate`, as `backward` calls it."""


def keep(leaf, grad):
    leaf._grad = wrap(grad)


def gradient_kernels():
    """The entry of `kernel_table` for gradients of leaves."""
    return [(autograd.accumulate, keep, None, held_alone)]
