"""Shapes and steps over flat memory: the arithmetic of views, made of module 01's `contiguous_strides`.

A step is a stride counted in elements.
"""

import operator

import numpy as np

from tinytorch.tensor import contiguous_strides

__all__ = []


def is_contiguous(shape, steps):
    """Whether elements lie one after another in the order of their indices."""
    return 0 in shape or all(n == 1 or s == w for n, s, w in zip(shape, steps, contiguous_strides(shape)))


def broadcast_steps(shape, steps, wanted):
    """The steps with which memory is seen in a larger shape; ValueError where that cannot be."""
    new = len(wanted) - len(shape)
    if new < 0 or any(n not in (1, m) for n, m in zip(shape, wanted[new:])):
        raise ValueError(f"shape {tuple(shape)} cannot be broadcast to {tuple(wanted)}")
    return (0,) * new + tuple([0 if n == 1 and m != 1 else s for n, s, m in zip(shape, steps, wanted[new:])])


def reshaped(shape, steps, wanted):
    """The steps with which memory is seen in another shape; None if it has to be copied."""
    if 0 in shape:
        return contiguous_strides(wanted)
    runs = []  # [elements, step of the last] of dimensions that lie one behind another
    for n, step in zip(shape, steps):
        if n != 1 and runs and runs[-1][1] == n * step:
            runs[-1] = [runs[-1][0] * n, step]
        elif n != 1:
            runs.append([n, step])
    found, runs = [], runs or [[1, 1]]
    count, step = runs.pop()
    for n in reversed(wanted):
        while count == 1 and n != 1:
            count, step = runs.pop()
        if count % n:
            return None
        found.append(step)
        count, step = count // n, step * n
    return tuple(reversed(found))


def indexed(shape, steps, index):
    """(shape, steps, offset) of what integers, slices, None and `...` pick; IndexError beyond."""
    index = index if isinstance(index, tuple) else (index,)
    given = sum(i is not None and i is not Ellipsis for i in index)
    if given > len(shape):
        raise IndexError(f"too many indices for array: {len(shape)} dimensions, and {given} were indexed")
    dots = [number for number, i in enumerate(index) if i is Ellipsis]
    at = dots[0] if dots else len(index)
    rest = (slice(None),) * (len(shape) - given)
    index = (*index[:at], *rest, *index[at + 1 :])
    new_shape, new_steps, offset, d = [], [], 0, 0
    for i in index:
        if i is None:
            new_shape.append(1)
            new_steps.append(0)
            continue
        n, step = shape[d], steps[d]
        d += 1
        if isinstance(i, slice):
            start, stop, stride = i.indices(n)
            count = len(range(start, stop, stride))
            offset += start * step if count else 0
            new_shape.append(count)
            new_steps.append(step * stride)
        else:
            i = operator.index(i)
            if not -n <= i < n:
                raise IndexError(f"index {i} is out of bounds for axis {d - 1} with size {n}")
            offset += (i % n) * step
    return tuple(new_shape), tuple(new_steps), offset


def reach(shape, steps, offset):
    """The first and the last element of memory that a view touches."""
    ends = [(n - 1) * step for n, step in zip(shape, steps)]
    return offset + sum(min(e, 0) for e in ends), offset + sum(max(e, 0) for e in ends)


def overlap(a, b):
    """Whether two arrays may have elements in common that they see in different places."""
    if a.buffer is not b.buffer or 0 in a.shape or 0 in b.shape:
        return False
    if (a.shape, a.steps, a.offset) == (b.shape, b.steps, b.offset):
        return False
    (first, last), (other_first, other_last) = (reach(x.shape, x.steps, x.offset) for x in (a, b))
    return first <= other_last and other_first <= last


def axes_in(axis, ndim):
    """The axes as a sorted tuple, None for all."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(np.lib.array_utils.normalize_axis_tuple(axis, ndim)))
