# %% [markdown]
# # 01 Tensors
#
# A tensor is the array that everything else is made of: numbers of one type in one block of memory, a shape through
# which you see them, and operations that work on all of them at once.
#
# Weights, images, sentences, gradients: in a neural network everything is a tensor. By the end of this
# lesson you will be able to
#
# - say how a tensor is stored in memory, and why some reshapes, transposes and slices cost nothing;
# - predict the shape and the type of any operation, or say why it is refused;
# - write an operation so that its gradient can be added later without touching it;
# - measure the effect of memory order and of a good matrix product, and see where numbers go wrong.
#
# What you write here is used to the end. The nineteen modules that follow run on it, including the GPT that you train
# in module 13.
#
# ## What you build
# This notebook becomes `tinytorch/tensor.py`, with PyTorch's names wherever PyTorch has them:
#
# | you write | PyTorch has | where they differ |
# |---|---|---|
# | `contiguous_strides`, `infer_shape`, `is_viewable` | inside `Tensor.view` and `reshape` | separate functions here |
# | `transposed`, `sliced`, `expanded` | inside `transpose`, `x[1:]` and `expand` | separate functions here |
# | `broadcast_shapes` | `torch.broadcast_shapes` | |
# | `Function.apply` | `torch.autograd.Function.apply` | `forward` sees NumPy arrays, not tensors |
# | `Mul`, `MatMul`, `Sum`, `Var`, `Max` | `*`, `@`, `sum`, `var`, `max` | one class for each |
# | `along` | inside `torch.gather` | a separate function here |
# | `matmul_naive` | | the product as three loops, to learn from and to test against |
#
# The rest of PyTorch's tensor library, nearly three hundred names, is given: files in `tinytorch/given/tensor/` that
# build on what you write here. The notebook imports each of them below the last stub that it needs. Read them if you
# want to know how something is done; it is not required.

# %%
#| export
import itertools
import math
import operator
from typing import NamedTuple

import numpy as np

# %%
import contextlib
import sys
import timeit
import warnings

import matplotlib.pyplot as plt

from tinytorch.given.predictions import compare

# %% [markdown]
# ## The problem
# Python has lists, and lists of lists. Why not use those?
#
# In this course you say what you expect before you measure: put a number in place of None, run the cell, and the
# measurement prints both. It is for you alone; nobody grades it. A wrong prediction is worth more than a right one.
#
# **Predict:** how many times as long does doubling a million numbers take in a list as in an array?

# %%
predicted_list = None  # the list's time over the array's

# %%
a, b = [1.0, 2.0, 3.0], [10.0, 20.0, 30.0]
print("a + b       ", a + b)
print("a * 2       ", a * 2)

numbers = [float(i) for i in range(1_000_000)]
array = np.arange(1_000_000, dtype=np.float32)
in_list = sys.getsizeof(numbers) + sum(sys.getsizeof(x) for x in numbers)
print(
    f"memory       {in_list / 1e6:.0f} MB in a list, {array.nbytes / 1e6:.0f} MB in an array"
)


def best_of(run, repeat=5):
    """The shortest time of several runs, in seconds: the one that was disturbed least."""
    return min(timeit.repeat(run, number=1, repeat=repeat))


slow, fast = best_of(lambda: [2 * x for x in numbers]), best_of(lambda: 2 * array)
print(f"twice each   {slow * 1e3:.1f} ms in a list, {fast * 1e3:.2f} ms in an array")
compare(predicted_list, slow / fast, "times")
assert slow > 2 * fast

# %% [markdown]
# With lists, `+` concatenates and `*` repeats, where you want sums and products. A list holds pointers to numbers that
# may be anywhere in memory, each an object with a type and a reference count, so a number of 4 bytes takes 32. And
# since every element may have a different type, Python has to check each one before it can compute with it.
#
# An array gives up that freedom. All elements have one type, and are stored next to each other in one block of memory.
# Everything below follows from this. NumPy does the arithmetic on such blocks; you build PyTorch's tensor around it.

# %% [markdown]
# ## 1. Number types
#
# One type for all elements, but which? PyTorch's types, with the bytes that each element takes:
#
# | | bytes | holds |
# |---|---|---|
# | `float32` | 4 | about 7 decimal digits, up to 3.4e38: the default, weights and data |
# | `float64` | 8 | about 16 digits: where gradients are checked against differences |
# | `float16` | 2 | about 3 digits, up to 65504: half the memory, if you are careful |
# | `int64` | 8 | indices, labels, tokens |
# | `int8`, `int16`, `int32`, `uint8` | 1, 2, 4, 1 | images, quantised weights |
# | `bool` | 1 | masks |
#
# Two rules determine the types of results. Two types become the smallest one that holds both, where any floating point
# type counts as holding every integer. Python's numbers get a type by their kind: `tensor([1, 2])` is int64,
# `tensor([1, 2.5])` has the default floating point type, float32. NumPy's arrays keep their type, which is a common
# source of float64: `np.array([0.5])` is float64, and one such array doubles the memory of everything that is computed
# with it and slows it down.
#
# The types have PyTorch's names. (`bool` is called `bool_` in this file, so that Python's own remains available; from
# outside it is `tinytorch.bool`. A shape is a `Size`, a tuple that prints as PyTorch's does.)

# %%
#| export
from tinytorch.given.tensor.number_types import *
from tinytorch.given.tensor.shapes import *

# %% [markdown]
# ## 2. A shape is a view of memory
#
# Memory has no rows and columns: it is one long row of cells. A tensor's *shape* says how many rows and columns it has,
# and its *strides* say where they are: `strides[d]` is the number of elements to move in memory when index `d` grows by
# one.
#
# ```
# memory      0  1  2  3  4  5  6  7  8  9 10 11
#
# shape (3, 4), strides (4, 1)      shape (4, 3), strides (1, 4)     shape (3, 2), strides (4, 2)
#    0  1  2  3                        0  4  8                          0  2
#    4  5  6  7                        1  5  9                          4  6
#    8  9 10 11                        2  6 10                          8 10
#                                      3  7 11
#    original                          its transpose                    every second column
# ```
#
# Element `[i, j]` is at `offset + i * strides[0] + j * strides[1]`. All three tensors above use the same twelve
# numbers. None of them copied anything: a *view* only needs a new shape, new strides and a new offset, whatever the
# size of the tensor. (NumPy counts its strides in bytes, PyTorch in elements.)


# %% [markdown]
# ### Strides of a new tensor
# A new tensor is laid out row by row: the last index varies fastest, so its stride is 1. One step along any other
# dimension has to skip everything in the dimensions after it:
#
# $$\mathrm{stride}_d = \prod_{e > d} n_e \qquad\text{so for } (2, 3, 4): \quad (3 \cdot 4,\; 4,\; 1)$$
#
# A dimension of length 0 counts as 1 in this product, as in PyTorch. A tensor with these strides is called
# *contiguous*.
#
# <details><summary>Hint 1</summary>Begin at the last dimension, whose stride is 1, and go towards the first.</details>
# <details><summary>Hint 2</summary>Each stride is the one to its right times the length of the dimension to its
# right.</details>
# <details><summary>Hint 3</summary><code>for n in reversed(shape):</code> put the step so far in front of the list,
# then multiply the step by <code>max(n, 1)</code>.</details>


# %% stub="contiguous-strides"
#| export
def contiguous_strides(shape):
    """Compute the strides, in elements, of a tensor of this shape that is laid out row by row.

    stride[d] = shape[d + 1] * shape[d + 2] * ... * shape[-1], where a length of 0 counts as 1

    Args:
        shape: a tuple of lengths, each 0 or more; () for a tensor of one number.

    Returns:
        A tuple as long as the shape.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    ### BEGIN SOLUTION
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= max(n, 1)
    return tuple(strides)
    ### END SOLUTION


# %% test="contiguous-strides" points=4
def what_it_says(function, *args):
    """The words of the RuntimeError that a call raises, or what it returns in its place."""
    try:
        return f"no error, but {function(*args)}"
    except NotImplementedError:
        raise
    except RuntimeError as error:
        return str(error)
    except ValueError as error:
        raise AssertionError(f"a RuntimeError is wanted, not a ValueError: {error}") from None


def integers(found, said):
    """Lengths or strides, checked to be a tuple of integers, Python's or NumPy's."""
    right = isinstance(found, tuple) and all(isinstance(n, (int, np.integer)) for n in found)
    assert right, f"{said}: a tuple of integers is wanted, not {found!r}"
    return found


@contextlib.contextmanager
def unchanged(**arrays):
    """Check, before anything else, that a call does not change arrays."""
    before = {name: array.copy() for name, array in arrays.items()}
    yield
    for name, array in arrays.items():
        said = f"{name} belongs to the caller, and must not change"
        np.testing.assert_array_equal(array, before[name], err_msg=said)


def agrees(found, wanted, said, rtol=1e-7, atol=0.0):
    """Check the shape, the type and the numbers of an array, in this order."""
    assert isinstance(found, (np.ndarray, np.generic)), f"{said}: an array, not {found!r}"
    shape, kind, wanted = np.shape(found), np.asarray(found).dtype, np.asarray(wanted)
    assert shape == wanted.shape, f"{said}: the shape must be {wanted.shape}, not {shape}"
    assert kind == wanted.dtype, f"{said}: the type must be {wanted.dtype}, not {kind}"
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=said)


def test_strides_are_those_of_numpys_new_arrays():
    for shape in [(5,), (3, 4), (2, 3, 4), (4, 1, 2), (1, 1), (7, 5, 3, 2), ()]:
        wanted = tuple(s // 8 for s in np.zeros(shape).strides)
        said = f"the strides of a new tensor of shape {shape}"
        assert integers(contiguous_strides(shape), said) == wanted, said


def test_a_length_of_zero_counts_as_one():
    for shape, wanted in [((2, 0, 3), (3, 3, 1)), ((0,), (1,)), ((4, 0), (1, 1))]:
        said = f"the strides of a new tensor of shape {shape}"
        assert integers(contiguous_strides(shape), said) == wanted, said


# %% [markdown]
# ### Views by hand
# A view consists of a shape, strides and an offset. Keep the three together, as a `Layout`, and every view is a small
# computation with a few integers, however large the tensor: no element is touched.


# %%
#| export
class Layout(NamedTuple):
    """Where elements are in memory: a shape, strides in elements, the first one's position."""

    shape: tuple
    strides: tuple
    offset: int = 0


# %% [markdown]
# A transpose exchanges two dimensions: element `[i, j]` of the result is element `[j, i]` of the original. Which of the
# three parts of a layout change?
#
# <details><summary>Hint 1</summary>A step along either dimension skips as many elements as before; the two only change
# places.</details>
# <details><summary>Hint 2</summary>Make lists of the shape and of the strides, and exchange two entries in
# both.</details>
# <details><summary>Hint 3</summary>Python exchanges two entries in one assignment, as in <code>a, b = b, a</code>. The
# first element stays where it is, so the offset does too.</details>


# %% stub="transposed"
#| export
def transposed(layout, dim0, dim1):
    """Exchange two dimensions.

    Args:
        layout: a `Layout` of any number of dimensions.
        dim0, dim1: two of them, counted from the front.

    Returns:
        The layout of the transpose, over the same memory.

    >>> transposed(Layout((3, 4), (4, 1), 7), 0, 1)
    Layout(shape=(4, 3), strides=(1, 4), offset=7)
    """
    ### BEGIN SOLUTION
    shape, strides = list(layout.shape), list(layout.strides)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    return Layout(tuple(shape), tuple(strides), layout.offset)
    ### END SOLUTION


# %% test="transposed" points=3
def looks_at(layout, memory):
    """The array that a layout sees in memory, one element after the other."""
    for name, part in zip(("shape", "strides"), layout):
        assert isinstance(part, tuple), f"the {name} of a layout is a tuple, not {part!r}"
    seen = np.empty(layout.shape, int)
    for index in np.ndindex(layout.shape):
        place = layout.offset + sum(i * step for i, step in zip(index, layout.strides))
        said = f"element {list(index)} lies at {place}, but memory has {len(memory)} elements"
        assert 0 <= place < len(memory), f"{layout}: {said}"
        seen[index] = memory[place]
    return seen


def check_layout(found, view, err_msg):
    """Compare what a layout sees in 0, 1, 2, ... with NumPy's view of the same memory."""
    memory = np.arange(1000)
    assert isinstance(found, Layout), f"{err_msg}: a Layout must be returned, not {found!r}"
    assert tuple(found.shape) == view.shape, f"{err_msg}: {view.shape}, not {found.shape}"
    np.testing.assert_array_equal(looks_at(found, memory), view, err_msg=f"{err_msg}: {found}")


def several_layouts():
    """Layouts of 24 elements, each with the equivalent NumPy array."""
    memory, at = np.arange(1000), np.lib.stride_tricks.as_strided
    for shape, strides, offset in [
        ((2, 3, 4), (12, 4, 1), 0),
        ((4, 3, 2), (1, 4, 12), 100),
        ((3, 2, 4), (50, 7, 2), 30),
    ]:
        steps = [8 * step for step in strides]
        yield Layout(shape, strides, offset), at(memory[offset:], shape, steps)


def test_transposed_exchanges_two_dimensions():
    for layout, array in several_layouts():
        for dims in [(0, 1), (1, 2), (2, 0), (1, 1)]:
            said = f"{layout} with dimensions {dims} exchanged"
            check_layout(transposed(layout, *dims), array.swapaxes(*dims), said)


# %% [markdown]
# A slice keeps some of the elements along one dimension: `x[:, 1:6:2]` those with the second index 1, 3 and 5. All
# three parts may change.
#
# <details><summary>Hint 1</summary>Where is the element that is now the first? The offset says that.</details>
# <details><summary>Hint 2</summary>One step along the sliced dimension now spans <code>step</code> old elements. How
# long is <code>range(start, stop, step)</code>?</details>
# <details><summary>Hint 3</summary>Three changes at <code>dim</code>: the length is
# <code>len(range(start, stop, step))</code>, the stride is multiplied by <code>step</code>, and the offset grows by
# <code>start</code> times the old stride.</details>


# %% stub="sliced"
#| export
def sliced(layout, dim, start, stop, step=1):
    """Keep the elements start, start + step, ... before stop, along one dimension.

    Args:
        layout: a `Layout` of one dimension or more.
        dim: one of them, counted from the front.
        start, stop: from 0 to the dimension's length; if start is not before stop, nothing is
            kept.
        step: 1 or more.

    Returns:
        The layout of the slice, over the same memory.

    >>> sliced(Layout((3, 8), (8, 1)), 1, 1, 6, 2)
    Layout(shape=(3, 3), strides=(8, 2), offset=1)
    """
    ### BEGIN SOLUTION
    shape, strides = list(layout.shape), list(layout.strides)
    shape[dim] = len(range(start, stop, step))
    strides[dim] *= step
    return Layout(tuple(shape), tuple(strides), layout.offset + start * layout.strides[dim])
    ### END SOLUTION


# %% test="sliced" points=5
def test_sliced_keeps_what_numpys_slice_keeps():
    for layout, array in several_layouts():
        for dim, n in enumerate(layout.shape):
            rest = (slice(None),) * dim
            for start, stop, step in itertools.product(range(n), range(n + 1), (1, 2, 3)):
                view = array[(*rest, slice(start, stop, step))]
                said = f"{start}:{stop}:{step} along dimension {dim} of {layout}"
                check_layout(sliced(layout, dim, start, stop, step), view, said)


def test_a_slice_of_a_slice():
    layout, array = next(several_layouts())
    found = sliced(sliced(sliced(layout, 2, 1, 4, 2), 1, 1, 3), 2, 1, 2)
    check_layout(found, array[:, 1:3, 1:4:2][:, :, 1:2], "x[:, 1:3, 1:4:2][:, :, 1:2]")


# %% [markdown]
# To expand is to read one element many times: a dimension of length 1 is given any length, and new dimensions appear in
# front. The resulting shape may have more elements than there is memory. Which stride leads from one element to the
# same element?
#
# <details><summary>Hint 1</summary>The lengths are compared from the right: if the wanted shape has <code>new</code>
# more dimensions, dimension <code>d</code> of the layout becomes its dimension <code>d + new</code>.</details>
# <details><summary>Hint 2</summary>A dimension that is stretched, or new, has stride 0. One whose length stays, or is
# given as -1, keeps its stride.</details>
# <details><summary>Hint 3</summary>Pad first: <code>old = (1,) * new + layout.shape</code>,
# <code>steps = (0,) * new + layout.strides</code>. Then go through <code>zip(old, steps, shape)</code>; a length of 1
# that becomes another gets the stride 0.</details>


# %% stub="expanded"
#| export
def expanded(layout, shape):
    """Stretch dimensions of length 1, and add leading dimensions, without more memory.

    Args:
        layout: a `Layout`.
        shape: a tuple of lengths, at least as many as the layout has; -1 leaves a length as
            it is, but not in a new dimension.

    Returns:
        The layout of the expanded view, over the same memory.

    Raises:
        RuntimeError: "The expanded size of the tensor (4) must match the existing size (3) at
            non-singleton dimension 1.", where a length other than 1 is to become another, or
            a length asked for is negative; the dimension is the result's, and the existing
            size of a new one is 1. Or "expand: the number of sizes provided (1) must be
            greater or equal to the number of dimensions in the tensor (2)".

    >>> expanded(Layout((3, 1), (1, 1)), (2, -1, 4))
    Layout(shape=(2, 3, 4), strides=(0, 1, 0), offset=0)
    """
    ### BEGIN SOLUTION
    new = len(shape) - len(layout.shape)
    if new < 0:
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(shape)}) must be greater or equal to "
            f"the number of dimensions in the tensor ({len(layout.shape)})"
        )
    lengths, strides = list(shape), [0] * new + list(layout.strides)
    for dim, n in enumerate((1,) * new + tuple(layout.shape)):
        if lengths[dim] == -1 and dim >= new:
            lengths[dim] = n
        if lengths[dim] != n and (n != 1 or lengths[dim] < 0):
            raise RuntimeError(
                f"The expanded size of the tensor ({lengths[dim]}) must match the existing "
                f"size ({n}) at non-singleton dimension {dim}."
            )
        if lengths[dim] != n:
            strides[dim] = 0
    return Layout(tuple(lengths), tuple(strides), layout.offset)
    ### END SOLUTION


# %% test="expanded" points=6
def test_expanded_stretches_lengths_of_one():
    for shape, strides, wanted in [
        ((3, 1), (1, 1), (3, 4)),
        ((3, 1), (5, 2), (2, 3, 4)),
        ((1, 3), (7, 2), (4, 3)),
        ((1, 1), (1, 1), (2, 5)),
        ((), (), (2, 3)),
        ((3,), (2,), (3,)),
        ((1,), (1,), (0,)),
        ((1, 3), (3, 1), (2, 0, 1, 3)),
    ]:
        steps = [8 * step for step in strides]
        array = np.lib.stride_tricks.as_strided(np.arange(1000)[10:], shape, steps)
        view = np.broadcast_to(array, wanted)
        said = f"{shape} with strides {strides}, expanded to {wanted}"
        check_layout(expanded(Layout(shape, strides, 10), wanted), view, err_msg=said)


def test_minus_one_leaves_a_length_as_it_is():
    for shape, asked, wanted in [
        ((3, 1), (-1, 4), (3, 4)),
        ((3, 1), (2, -1, -1), (2, 3, 1)),
        ((0, 1), (-1, 2), (0, 2)),
    ]:
        found = expanded(Layout(shape, contiguous_strides(shape)), asked)
        assert found.shape == wanted, f"{shape} as {asked} is {wanted}, not {found.shape}"


def test_what_cannot_be_stretched_is_refused():
    for shape, asked, reason in [
        ((2, 3), (2, 4), "size of the tensor (4) must match the existing size (3) at"),
        ((2, 3), (5, 4, 3), "size of the tensor (4) must match the existing size (2) at"),
        ((2, 3), (5, 4, 3), "non-singleton dimension 1"),
        ((3,), (1,), "size of the tensor (1) must match the existing size (3) at"),
        ((3,), (-1, 3), "non-singleton dimension 0"),
        ((1,), (-2,), "non-singleton dimension 0"),
        ((2, 3), (3,), "sizes provided (1) must be greater or equal to the number"),
        ((0,), (3,), "size of the tensor (3) must match the existing size (0) at"),
    ]:
        layout = Layout(shape, contiguous_strides(shape))
        said = what_it_says(expanded, layout, asked)
        wanted = f"{shape} as {asked}: a RuntimeError is wanted that says {reason!r}"
        assert reason in said, f"{wanted}. Got:\n{said}"


# %% [markdown]
# Here is what you have written, on twelve numbers. Each strip is the same memory; the cells that the view reads are
# coloured, with the order in which it reads them.


# %%
#| export
from tinytorch.given.tensor.drawing import *

# %%
x = Layout((3, 4), contiguous_strides((3, 4)))
draw_views(
    {
        "x": x,
        "x.T": transposed(x, 0, 1),
        "x[1:]": sliced(x, 0, 1, 3),
        "x[:, ::2]": sliced(x, 1, 0, 4, 2),
        "x[:, 1:2].T": transposed(sliced(x, 1, 1, 2), 0, 1),
        "x[:, :1].expand(3, 2)": expanded(sliced(x, 1, 0, 1), (3, 2)),
    }
)

# %% [markdown]
# The transpose reads memory in steps of four, and comes back for the next row. In the last strip each coloured cell is
# read twice: one number in memory, two in the tensor.
#
# ### Inferring a length
# `x.reshape(-1, 4)` leaves one length to be inferred: as many rows of 4 as there are elements, so that code works for
# any batch size. This is also the best place to refuse a wrong shape, with both numbers in the message, and the shape
# as requested: with its -1, if it has one.
#
# <details><summary>Hint 1</summary>The product of the given lengths must divide the number of elements; the quotient is
# the unknown length.</details>
# <details><summary>Hint 2</summary>If the given lengths multiply to 0, any number would fit for the -1, so refuse
# it.</details>
# <details><summary>Hint 3</summary>Replace the -1 if you can, and then check once: no length is negative, and
# <code>math.prod(shape) == numel</code>. A -1 that could not be replaced fails that check too.</details>


# %% stub="infer-shape"
#| export
def infer_shape(numel, shape):
    """Complete a requested shape, in which one length may be -1 and is inferred.

    Args:
        numel: the number of elements that the shape has to hold.
        shape: the lengths; -1 at most once.

    Returns:
        The shape as a tuple, without a -1, holding exactly `numel` elements.

    Raises:
        RuntimeError: "only one dimension can be inferred" for more than one -1;
            "shape '[4, 2]' is invalid for input of size 6" where the numbers do not agree, a
            length is negative, or the -1 could be anything. The message shows the requested
            shape as a list.

    >>> infer_shape(12, (-1, 4))
    (3, 4)
    """
    ### BEGIN SOLUTION
    if list(shape).count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod([n for n in shape if n != -1])
    found = numel // known if known else -1
    filled = tuple([found if n == -1 else n for n in shape])
    if min(filled, default=0) < 0 or math.prod(filled) != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return filled
    ### END SOLUTION


# %% test="infer-shape" points=5
def refused(numel, shape, reason):
    """Check that `infer_shape` raises a RuntimeError that gives the reason."""
    said = what_it_says(infer_shape, numel, shape)
    wanted = f"a RuntimeError is wanted that says {reason!r}"
    assert reason in said, f"{numel} elements as {shape}: {wanted}. Got: {said}"


def test_the_missing_length_is_what_is_left():
    for numel, shape, wanted in [
        (12, (-1, 4), (3, 4)),
        (12, [2, -1, 3], (2, 2, 3)),
        (12, (-1,), (12,)),
        (1, (-1, 1), (1, 1)),
        (0, (-1, 3), (0, 3)),
    ]:
        said = f"{numel} elements as {shape}"
        assert integers(infer_shape(numel, shape), said) == wanted, said


def test_a_complete_shape_is_returned_as_it_is():
    for numel, shape in [(12, (3, 4)), (1, ()), (0, (2, 0, 5)), (6, (1, 6, 1))]:
        said = f"{numel} elements as {shape}, where nothing is missing"
        assert integers(infer_shape(numel, shape), said) == shape, said


def test_shapes_that_do_not_fit_are_refused():
    for shape in [(4, 2), (7,), (), (-1, 4), (-1, -6), (-2, -3), [-1, 5]]:
        refused(6, shape, f"shape '{list(shape)}' is invalid for input of size 6")
    refused(0, (3,), "shape '[3]' is invalid for input of size 0")


def test_what_could_be_anything_is_refused():
    refused(0, (-1, 0), "is invalid for input of size 0")
    refused(6, (-1, 0), "is invalid for input of size 6")
    refused(4, (-1, -1), "only one dimension can be inferred")


# %% [markdown]
# ### Is a view possible?
# `x.view(shape)` promises a view, and `x.reshape(shape)` copies if it has to. When does it have to?
#
# Go through the elements in order of their indices and watch where they are in memory. As long as the steps are equal,
# you are in one evenly spaced *run*. A new shape may cut a run into any lengths, but it may not put elements of two
# runs into one dimension, because a dimension has a single stride.
#
# ```
# (2, 3, 4), strides (12, 4, 1)    0 1 2 ... 23                   one run of 24: any shape is possible
# (4, 3),    strides (1, 4)        0 4 8 | 1 5 9 | 2 6 10 | ...   four runs of 3: (2, 2, 3) is possible, (6, 2) is not
# (2, 3, 2), strides (12, 4, 2)    0 2 4 ... 22                   one run of 12, with steps of 2
# ```
#
# Two neighbouring dimensions belong to one run if a step along the outer one leads to where the inner one would go
# next: `strides[d] == shape[d + 1] * strides[d + 1]`. Dimensions of length 1 can be left out, since no step is ever
# taken along them.
#
# So merge the dimensions into runs. Then multiply both lists of lengths from the right. Wherever a run ends, a
# dimension of the new shape has to end too.
#
# ```
# runs 4, 3        from the right:   3, 12
# (2, 2, 3)        from the right:   3,  6, 12     both 3 and 12 are there: a view
# (6, 2)           from the right:   2, 12         3 is not: a copy
# ```
#
# <details><summary>Hint 1</summary>First a loop over <code>zip(shape, strides)</code> that builds the list of runs:
# multiply the last run by n if the two belong together, otherwise begin a new one.</details>
# <details><summary>Hint 2</summary>In that loop you need the previous dimension's stride: the two belong together if it
# equals <code>n * stride</code>.</details>
# <details><summary>Hint 3</summary><code>itertools.accumulate(reversed(lengths), operator.mul)</code> gives the
# products from the right, and <code>set(a) &lt;= set(b)</code> asks whether all of one are among the other.</details>


# %% stub="is-viewable"
#| export
def is_viewable(shape, strides, new_shape):
    """Decide whether a tensor can be viewed in another shape without moving an element.

    Args:
        shape, strides: the tensor's layout in memory, strides in elements.
        new_shape: the requested shape, of as many elements.

    Returns:
        True or False; where there are no elements, always True.

    >>> is_viewable((4, 3), (1, 4), (2, 2, 3)), is_viewable((4, 3), (1, 4), (6, 2))
    (True, False)
    """
    ### BEGIN SOLUTION
    if 0 in shape:
        return True
    runs, before = [], None
    for n, stride in zip(shape, strides):
        if n == 1:
            continue
        if before == n * stride:
            runs[-1] *= n
        else:
            runs.append(n)
        before = stride
    ends, new_ends = [
        itertools.accumulate(reversed(x), operator.mul) for x in (runs, new_shape)
    ]
    return set(ends) <= set(new_ends)
    ### END SOLUTION


# %% test="is-viewable" points=9
def views(array, answers):
    """Check the answers for an array and new shapes; NumPy counts its strides in bytes."""
    strides = tuple(s // array.itemsize for s in array.strides)
    for new_shape, wanted in answers.items():
        found = is_viewable(array.shape, strides, new_shape)
        said = f"shape {array.shape} with strides {strides}, as {new_shape}"
        assert found == wanted, f"{said}: {wanted}, not {found}"


def strided(shape, strides):
    return np.lib.stride_tricks.as_strided(np.zeros(1000), shape, [8 * s for s in strides])


def test_a_contiguous_tensor_takes_any_shape():
    shapes = (24,), (4, 6), (3, 2, 4), (2, 3, 2, 2), (1, 24, 1)
    views(np.zeros((2, 3, 4)), dict.fromkeys(shapes, True))


def test_a_transpose_can_be_cut_but_not_joined():
    views(np.zeros((3, 3)).T, {(3, 3): True})
    cut = (2, 2, 3), (4, 3), (4, 3, 1), (1, 4, 3)
    views(np.zeros((3, 4)).T, {(12,): False, (6, 2): False} | dict.fromkeys(cut, True))


def test_rows_of_a_part_are_runs_of_their_own():
    views(np.zeros((4, 6))[:, :3], {(12,): False, (2, 2, 3): True, (4, 3, 1): True})
    views(np.zeros((2, 4, 4))[:, :3], {(2, 12): True, (24,): False, (8, 3): False})
    views(np.zeros((2, 3, 8, 2))[:, :2, ::2], {(2, 2, 8): False, (4, 4, 2): False})


def test_steps_larger_than_one_are_still_one_run():
    views(np.zeros((3, 8))[:, ::2], {(12,): True, (6, 2): True})
    views(np.zeros(12)[::3], {(2, 2): True})


def test_dimensions_of_length_one_do_not_matter():
    views(strided((3, 1, 4), (4, 77, 1)), {(12,): True, (2, 6): True})
    views(strided((1, 3), (50, 1)), {(3,): True, (3, 1): True})
    views(strided((1, 1), (9, 5)), {(1,): True, (): True})
    views(np.zeros(()), {(1, 1): True})


def test_repeated_elements_are_not_one_run():
    views(strided((2, 3), (0, 1)), {(6,): False, (2, 3, 1): True})
    views(strided((3, 2), (1, 0)), {(6,): False, (2, 3): False})
    views(strided((2, 3), (0, 0)), {(6,): True, (3, 2): True})


def test_a_tensor_without_elements_takes_any_shape():
    views(strided((0, 3), (1, 7)), {(3, 0): True, (0,): True})


# %% [markdown]
# ## 3. Broadcasting
#
# Add a bias of shape `(4,)` to a batch of shape `(32, 4)`: every row gets the same bias, without a loop or 32 copies of
# the bias. The rule is one sentence: *write the shapes one below the other, flush right; a dimension that is missing or
# has length 1 is stretched to the other's length; all other lengths must agree.*
#
# ```
#    x       2  1  4
#    y          3  1         missing and 1
#    x + y   2  3  4
#
#    x       2  3
#    y          4            3 against 4: refused
# ```
#
# Stretched means stride 0: the same element is read repeatedly. Nothing is copied.
#
# The same rule can hide mistakes: subtract the targets `(32,)` from the predictions `(32, 1)`, and you get no error but
# a tensor of shape `(32, 32)`. A loss computed from it looks plausible, and training on it fails.
#
# <details><summary>Hint 1</summary>The result has as many dimensions as the longest shape. Begin with that many
# ones.</details>
# <details><summary>Hint 2</summary>A shape of length k covers the last k dimensions of the result:
# <code>zip(reversed(range(ndim)), reversed(shape))</code> pairs them, from the right.</details>
# <details><summary>Hint 3</summary>For each length n that is not 1: if the result still has 1 there, it becomes n (0
# too); if it has anything other than n, the shapes do not match.</details>


# %% stub="broadcast-shapes"
#| export
def broadcast_shapes(*shapes):
    """Find the shape to which tensors of these shapes broadcast.

    Args:
        shapes: any number of tuples of lengths.

    Returns:
        A `Size`; of no shapes at all, `Size([])`.

    Raises:
        RuntimeError: "The size of tensor a (3) must match the size of tensor b (4) at
            non-singleton dimension 1", where a is what all shapes before b broadcast to, b is
            the first that does not match, and dimensions are numbered as in the longest shape
            of all. If b does not match in several, the last is named: shapes are compared
            from the right.

    >>> broadcast_shapes((2, 1, 4), (3, 1))
    torch.Size([2, 3, 4])
    """
    ### BEGIN SOLUTION
    ndim = max([len(shape) for shape in shapes], default=0)
    result = [1] * ndim
    for shape in shapes:
        for dim, n in zip(reversed(range(ndim)), reversed(shape)):
            if n != 1 and result[dim] not in (1, n):
                raise RuntimeError(
                    f"The size of tensor a ({result[dim]}) must match the size of tensor b "
                    f"({n}) at non-singleton dimension {dim}"
                )
            result[dim] = n if n != 1 else result[dim]
    return Size(result)
    ### END SOLUTION


# %% test="broadcast-shapes" points=7
def test_shapes_are_matched_from_the_right():
    for shapes in [
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 1, 4), (3, 1)),
        ((2, 3), (2, 3)),
        ((0, 3), (1, 1)),
        ((1,), (0,)),
        ((3, 1), (), (1, 4), (2, 1, 1)),
        ((2, 3),),
        (),
    ]:
        wanted, said = np.broadcast_shapes(*shapes), f"the shape that {shapes} make"
        assert (found := broadcast_shapes(*shapes)) == wanted, said
        assert isinstance(found, Size), f"the result is a Size, not {found!r}"


def test_shapes_that_do_not_agree_are_refused():
    for shapes, a, b, dim in [
        (((2, 3), (4,)), 3, 4, 1),
        (((2, 3), (2, 2)), 3, 2, 1),
        (((5, 2, 3), (4, 1, 3)), 5, 4, 0),
        (((0,), (2,)), 0, 2, 0),
        (((1, 3), (2, 1), (4, 3)), 2, 4, 0),
        (((2, 3), (4, 5)), 3, 5, 1),
        (((3,), (1,), (4,)), 3, 4, 0),
        (((2, 3), (4, 3), (2, 5)), 2, 4, 0),
        (((3,), (4,), (2, 1, 1)), 3, 4, 2),
    ]:
        said = what_it_says(broadcast_shapes, *shapes)
        for part in (f"tensor a ({a})", f"tensor b ({b})", f"dimension {dim}"):
            assert part in said, f"{shapes}: a RuntimeError must name {part}. Got: {said}"


# %% [markdown]
# ## 4. From arrays to tensors
#
# A `Tensor` is a NumPy array and some information about gradients. An *operation* is a class: its `forward` takes
# arrays and returns an array, and does not handle tensors.
#
# ```
#                      Function.apply                              Function.apply
# Tensor --- unwrap ---> arrays --- forward(ctx, ...) ---> array --- wrap ---> Tensor
#                                        |                                       |
#                                    Context: what the gradient will need <--- grad_fn
# ```
#
# What information? Take $z = xy$. When $x$ changes a little, $z$ changes $y$ times as much: the *gradient* of $z$ with
# respect to $x$ is $y$. To compute it later, two things must be known about the call that made $z$: the value of $y$,
# and where the gradient goes, to $x$. `Function.apply`, which you write here, records both at every call, and module 06
# follows these records back from a loss to the weights. An operation itself only says what it will need:
# `ctx.save_for_backward`.
#
# ### Given: what a call leaves behind
# Every call gets its own `Context`, the `ctx` that `forward` takes first.


# %%
#| export
class Context:
    """The record of one call of an operation for its gradient: a node in the graph.

    `function` is the operation, `saved_tensors` what its forward saved, `needs_input_grad`
    whether each input's gradient will be needed, and `edges` where that gradient goes: (node
    or leaf tensor, number of output).
    """

    saved = ids = ()
    results = ((),)
    hooks = None

    def __init__(self, function=None, edges=()):
        self.function, self.edges = function, edges

    @property
    def needs_input_grad(self):
        return tuple([edge is not None for edge in self.edges])

    def save_for_backward(self, *arrays):
        """Keep arrays that the gradient will need: inputs, outputs, or constants."""
        self.saved = arrays

    @property
    def saved_tensors(self):
        """The saved arrays. RuntimeError once they have been freed, or changed in place."""
        return self.unpack()


# %%
#| export
from tinytorch.given.tensor.arrays import *
from tinytorch.given.tensor.numpy_warnings import *
from tinytorch.given.tensor.recording import *

# %% [markdown]
# ### Given: the Tensor class
# Its `edge()` says where a gradient for the tensor goes: to the call that made it, `(ctx, number of the output)`; or,
# if a user made the tensor and wants its gradient, to the tensor itself, `(tensor, 0)`; or nowhere, None.


# %%
#| export
class Tensor:
    """A multi-dimensional array that operations can be applied to, and later differentiated.

    `array` is the NumPy array underneath; `_edge` is the call that made the tensor, (node,
    number of output), and None if a user made it; `_base` is the tensor a view looks into.
    """

    _requires_grad, _edge, _base = False, None, None

    shape = property(lambda self: Size(self.array.shape))
    dtype = property(lambda self: dtypes[self.array.dtype])
    ndim = property(lambda self: self.array.ndim)

    def stride(self, dim=None):
        """How many elements apart neighbours along each dimension, or `dim`, lie in memory."""
        strides = tuple([s // self.array.itemsize for s in self.array.strides])
        return strides if dim is None else strides[dim]

    def is_contiguous(self):
        """Whether the elements lie in memory in the order of their indices, without gaps."""
        layout = zip(self.shape, self.stride(), contiguous_strides(self.shape))
        return self.numel() == 0 or all(n == 1 or step == wanted for n, step, wanted in layout)

    def edge(self):
        """Where a gradient goes: (node that made the tensor, output), (leaf, 0), or None."""
        if self._base is not None:  # a view: its base may have been changed in place
            self._look_again()
        return self._edge or ((self, 0) if self._requires_grad else None)


# %% [markdown]
# `wrap` makes a Tensor around an array, and `tensor` makes one from numbers. Its printing and its other attributes come
# from the imports.


# %%
#| export
def wrap(array):
    """A Tensor around an array, sharing its memory: what every operation returns."""
    tensor = object.__new__(Tensor)
    tensor.array = np.asarray(array) if isinstance(array, np.generic) else array
    return tensor


def array_of(x):
    """The array of a Tensor; anything else as it is."""
    return x.array if isinstance(x, Tensor) else x


def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor with a copy of `data`: numbers, nested lists, an array, or a tensor.

    >>> tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    result = wrap(numbers_of(data, dtype))
    result = result if device is None else result.to(device)
    return result.requires_grad_() if requires_grad else result


# %%
#| export
from tinytorch.given.tensor.devices import *
from tinytorch.given.tensor.attributes import *
from tinytorch.given.tensor.construction import *  # Tensor([1, 2]), Tensor(2, 3)
from tinytorch.given.tensor.gradient_attributes import *
from tinytorch.given.tensor.printing import *

# %% [markdown]
# ### Function.apply
# Here is a complete operation, addition:
#
# ```python
# class Add(Function):
#     @staticmethod
#     def forward(ctx, x, y):
#         ctx.shapes = np.shape(x), np.shape(y)
#         return x + y
# ```
#
# `Add.apply(x, 2.0)` has to call `forward` with a new `ctx`, the array in `x`, and the unchanged 2.0; make a Tensor of
# the result; and record the call if a gradient may be needed: if gradients are switched on (`grad_mode.enabled`) and at
# least one input requires one. Five helpers are given:
#
# | | |
# |---|---|
# | `x.array` | the array in a Tensor |
# | `x.edge()` | where a gradient for this tensor goes, or None |
# | `wrap(array)` | a Tensor around an array |
# | `quietly(forward, ctx, ...)` | what `forward(ctx, ...)` returns, without NumPy's warnings of infinities and NaN, which are results |
# | `ctx.record(arrays, output, result)` | makes `ctx` the `grad_fn` of the result; `arrays` are what `forward` took, `output` what it returned, `result` the same as Tensors |
#
# Pass `record` the arrays that `forward` took and returned: it looks for the saved arrays among them.
#
# An input that is not a Tensor is passed unchanged, and its edge is None. `Context(cls, edges)` takes one edge for each
# input, in order.
#
# <details><summary>Hint 1</summary>Make two lists first, with one entry for each input: the arguments of
# <code>forward</code>, and the edges.</details>
# <details><summary>Hint 2</summary><code>forward</code> returns an array or a tuple of arrays: wrap the array, or make
# a tuple of the wrapped arrays.</details>
# <details><summary>Hint 3</summary>Record the call <code>if grad_mode.enabled and any(edges)</code>. An edge is a tuple
# or None, so <code>any</code> works.</details>


# %% stub="function-apply"
#| export
class Function:
    """An operation on tensors: `forward` computes it on arrays, `apply` calls it on tensors.

    A subclass defines `forward(ctx, *arrays, **options)` as a static method: NumPy arrays in,
    an array, a NumPy number, or a tuple of them out. What its gradient will need it saves in
    `ctx`.
    `once_differentiable` marks an operation whose gradient has no gradient of its own.
    """

    once_differentiable = False

    @classmethod
    def apply(cls, *inputs, **options):
        """Run the operation on tensors, and record the call if a gradient may be needed.

        Args:
            inputs: what `forward` takes; Tensors are passed as arrays, all else unchanged.
            options: keyword arguments, passed unchanged.

        Returns:
            A Tensor around the array that `forward` returns; a tuple of Tensors for a
            tuple. If gradients are switched on and an input requires one, `ctx` has recorded
            the Tensors as its results.

        >>> Exp.apply(tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])
        """
        ### BEGIN SOLUTION
        arrays, edges = [], []
        for x in inputs:
            is_tensor = isinstance(x, Tensor)
            arrays.append(x.array if is_tensor else x)
            edges.append(x.edge() if is_tensor else None)
        ctx = Context(cls, edges)
        output = quietly(cls.forward, ctx, *arrays, **options)
        result = (
            tuple([wrap(array) for array in output])
            if isinstance(output, tuple)
            else wrap(output)
        )
        if grad_mode.enabled and any(edges):
            ctx.record(arrays, output, result)
        return result
        ### END SOLUTION


# %% test="function-apply" points=12
def operation(seen):
    """An operation that records what its forward gets, and scales an array by a number."""

    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor=1, shift=0):
            assert isinstance(x, np.ndarray), f"forward is given an array, not {x!r}"
            output = x * factor + shift
            seen.append((ctx, x, factor, shift, output))
            ctx.save_for_backward(x)
            return output

    return Scale


def leaf(*numbers):
    """A tensor that requires a gradient."""
    result = Tensor(np.array(numbers, np.float32))
    result._requires_grad = True
    return result


class Weights(Tensor):
    """A tensor of a class of its own, as a model's parameters are."""


def test_forward_sees_arrays_and_its_result_is_a_tensor():
    arrays = np.int64([[3]]), np.float32([1, 2]), np.float16([[], []]), np.full((), 0.5)
    for array, named in itertools.product(arrays, ({}, {"factor": 1.5})):
        seen, wanted, unnamed = [], array * 1.5 + 1, () if named else (1.5,)
        x = Weights(array) if array.dtype == np.float32 else wrap(array)
        with unchanged(x=array):
            result = operation(seen).apply(x, *unnamed, shift=1, **named)
        assert len(seen) == 1, f"apply calls cls.forward once, not {len(seen)} times"
        ctx, first, factor, shift, output = seen[0]
        assert isinstance(ctx, Context), f"forward is given a Context first, not {ctx!r}"
        assert first is x.array, f"forward is given x.array itself, no copy; not {first!r}"
        said = f"1.5 and shift=1 reach forward as they are, not as {factor!r} and {shift!r}"
        assert (type(factor), factor, type(shift), shift) == (float, 1.5, int, 1), said
        assert isinstance(result, Tensor), f"a Tensor must be returned, not {result!r}"
        agrees(result.array, wanted, "the array that forward returned")
        copied = isinstance(output, np.ndarray) and result.array is not output
        assert not copied, "the Tensor is around the very array that forward returned, no copy"


def test_a_call_is_remembered_where_a_gradient_may_be_asked_for():
    seen, x = [], leaf(1, 2)
    scale = operation(seen)
    y = scale.apply(x, 2, shift=0)
    assert y.grad_fn is seen[0][0], "x requires a gradient: the call's ctx is the grad_fn"
    assert y.grad_fn.function is scale, "the Context is of this operation: Context(cls, edges)"
    assert y.grad_fn.saved_tensors[0] is x.array, "record the ctx that forward saved in"
    message = "one edge for each input: to x, None for the number 2; options have none"
    assert list(y.grad_fn.edges) == [(x, 0), None], message
    kept = list(y.grad_fn.ids) == [id(x.array), id(2), id(y.array)]
    said = "arrays are what forward took, output the array that it returned, no Tensors"
    assert kept, f"ctx.record(arrays, output, result): {said}"
    assert y.requires_grad, "what is made from x requires a gradient as well"
    z = scale.apply(y, 5)
    assert z.grad_fn is not None, "y was made from x, and requires a gradient: record the call"
    assert z.grad_fn is not y.grad_fn, "every call has a Context of its own"
    assert list(z.grad_fn.edges) == [(y.grad_fn, 0), None], "the edge of y is y.edge()"


def test_infinities_are_results_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning is raised, in place of being printed
        try:
            found = operation([]).apply(Tensor(np.float32([3e38])), 10)
        except RuntimeWarning as warning:
            raise AssertionError(f"quietly(cls.forward, ...): NumPy says {warning}") from None
    agrees(found.array, np.float32([np.inf]), "3e38 times 10")


def test_one_input_that_requires_a_gradient_is_enough():
    seen, x, constant = [], leaf(1, 2), Tensor(np.float32([3, 4]))
    y = operation(seen).apply(constant, 1, shift=0)
    assert y.grad_fn is None, "no input requires a gradient: record nothing"
    y = operation(seen).apply(constant, x)
    assert y.grad_fn is not None, "the second input requires a gradient: record the call"
    assert list(y.grad_fn.edges) == [None, (x, 0)], (
        "the edges must be in the order of the inputs"
    )


def test_nothing_is_remembered_where_gradients_are_switched_off():
    x, seen = leaf(1, 2), []
    grad_mode.enabled = False
    try:
        found = operation(seen).apply(x, 2).grad_fn
    finally:
        grad_mode.enabled = True
    assert found is None, "grad_mode.enabled is off: record nothing"
    edges = len(seen[0][0].edges)
    assert edges == 2, f"the Context has one edge for each input here, too: 2, not {edges}"


def test_several_outputs_come_back_as_a_tuple():
    class Halves(Function):
        @staticmethod
        def forward(ctx, *arrays, option):
            assert option is x, f"an option is passed as it is, a Tensor too; not {option!r}"
            return tuple([array / 2 for array in arrays])

    x, y = leaf(1, 2), Tensor(np.float32([3, 5]))
    for inputs in ((x, y), (x,)):
        halves = Halves.apply(*inputs, option=x)
        said = f"forward returned a tuple of {len(inputs)}: apply returns as many Tensors"
        assert isinstance(halves, tuple), f"{said}, in a tuple; not {halves!r}"
        assert len(halves) == len(inputs), f"{said}; not {len(halves)}"
        for i, (half, whole) in enumerate(zip(halves, inputs)):
            agrees(half.array, whole.array / 2, f"output {i}, half of its input")
            assert half.grad_fn is not None, f"x requires a gradient: record output {i}, too"
            assert half.grad_fn is halves[0].grad_fn, "all outputs share a Context"
            assert half.output_nr == i, (
                f"record all results at once: {i}, not {half.output_nr}"
            )


# %% [markdown]
# ## 5. Arithmetic
#
# Two operands of different types need one type first: the smallest that holds both, so that int8 and uint8, neither of
# which holds the other, make int16. For Python's numbers and tensors without dimensions only the kind counts, so
# `x * 2.5` leaves a float16 tensor float16. `promote`, given, casts the operands, so that a `forward` always has
# operands of one type, and calls your `broadcast_shapes` to check the shapes.

# %%
#| export
from tinytorch.given.tensor.promotion import *

# %% [markdown]
# ### Multiplication
# The gradient of a product needs both factors: if $z = x y$, then $\partial z / \partial x = y$ and
# $\partial z / \partial y = x$. So `forward` saves both, in order. (Addition saves nothing: its derivatives are 1.)
# What is saved stays in memory until the gradient has been computed, and grows with the batch. Module 06 measures how
# much it is.
#
# One of the two may be a plain number, as in `x * 2.0`, which is saved unchanged.
#
# <details><summary>Hint 1</summary>NumPy's <code>*</code> broadcasts, and leaves float32 arrays float32 when they meet
# a Python number.</details>
# <details><summary>Hint 2</summary><code>ctx.save_for_backward</code> keeps both for backward; a copy is not needed.</details>
# <details><summary>Hint 3</summary>Two lines: save the inputs, return their product.</details>


# %% stub="mul"
#| export
class Mul(Function):
    @staticmethod
    def forward(ctx, x, y):
        """Multiply elementwise: z = x y.

        Args:
            x, y: arrays of one type whose shapes broadcast; x or y may be a Python number.

        Returns:
            An array of the broadcast shape and of the arrays' type.

        Saves x and y, in this order, uncopied.

        >>> Mul.forward(Context(), np.float32([1, 2, 3]), 2.0)
        array([2., 4., 6.], dtype=float32)
        """
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, y)
        return x * y
        ### END SOLUTION


# %% test="mul" points=4
def test_mul_multiplies_elementwise_and_broadcasts():
    rng = np.random.default_rng(1)
    for shape_x, shape_y in [
        ((2, 3), (2, 3)),
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((3, 3), (3, 3)),
        ((), (2,)),
        ((0, 3), (3,)),
    ]:
        for kind in (np.float32, np.float64, np.int64):
            x, y = (10 * rng.normal(size=shape) for shape in (shape_x, shape_y))
            x, y = np.asarray(x).astype(kind), np.asarray(y).astype(kind)
            wanted = np.einsum("...,...->...", x, y)
            with unchanged(x=x, y=y):
                found = Mul.forward(Context(), x, y)
            agrees(found, wanted, f"{shape_x} times {shape_y}, element by element")


def test_mul_takes_a_number_for_a_factor():
    for kind in (np.float16, np.float32):
        x = np.array([1.5, -2], kind)
        for said, factors in (("x * 2.5, in x's type", (x, 2.5)), ("2.5 * x", (2.5, x))):
            found = Mul.forward(Context(), *factors)
            agrees(found, np.array([3.75, -5], kind), said)


def test_mul_saves_both_factors_in_order():
    a, b, c = np.float32([1, 2]), np.float32([3, 4]), np.float32([[5, 6], [7, 8]])
    for x, y in ((a, b), (c, a), (a, 2.5), (2.5, a)):
        ctx = Context()
        Mul.forward(ctx, x, y)
        saved = ctx.saved_tensors
        assert len(saved) == 2, f"the gradient needs both factors, {x} and {y}; saved: {saved}"
        assert saved[0] is x, f"x is saved first, itself: {x!r}, no copy, not {saved[0]!r}"
        assert saved[1] is y, f"y is saved second, itself: {y!r}, no copy, not {saved[1]!r}"


# %% [markdown]
# What is saved is not always the input. For $y = e^x$ the derivative is $y$ itself, so the exponential, given, saves
# its output, and its gradient does not have to compute it again.


# %%
#| export
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        """Raise e to each element: y = e^x. Saves its output."""
        output = np.exp(x)
        ctx.save_for_backward(output)
        return output


# %% [markdown]
# ## 6. The matrix product
#
# Most of a network's arithmetic is in this one operation:
#
# $$c_{ij} = \sum_k a_{ik}\, b_{kj}$$
#
# ```
#                       b (k, m)
#                    .  .  |  .
#                    .  .  |  .
#                    .  .  v  .
#   a (n, k)
#   . . . .          .  .  .  .
#   - - - >          .  .  X  .      c[i, j]: row i of a times column j of b, summed
#   . . . .          .  .  .  .
# ```
#
# Write the formula literally first, with three loops. It is far too slow for real use, but it is right: everything
# faster will be tested against it.
#
# <details><summary>Hint 1</summary>Make a matrix of zeros of the right shape, and of <code>a</code>'s type, for the
# sums.</details>
# <details><summary>Hint 2</summary>Three nested loops: i over the rows of a, j over the columns of b, k over what they
# share.</details>
# <details><summary>Hint 3</summary>The innermost loop adds one product to <code>c[i, j]</code>. Take the indices of its
# factors from the formula.</details>


# %% stub="matmul-naive"
#| export
def matmul_naive(a, b):
    """Multiply two matrices, number by number: c[i, j] = sum over k of a[i, k] b[k, j].

    Args:
        a: an array (n, k).
        b: an array (k, m) of the same type.

    Returns:
        An array (n, m) of that type.

    >>> matmul_naive(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [1, 1]]))
    array([[3, 2],
           [7, 4]])
    """
    ### BEGIN SOLUTION
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    c = np.zeros((rows, columns), a.dtype)
    for i in range(rows):
        for j in range(columns):
            for k in range(inner):
                c[i, j] += a[i, k] * b[k, j]
    return c
    ### END SOLUTION


# %% test="matmul-naive" points=5
class Numbers(np.ndarray):
    """An array that gives its numbers one by one, and refuses to be used as a whole."""

    def refuse(self, *args, **kwargs):
        raise AssertionError(
            "three loops are asked for, a[i, k] * b[k, j] at a time: no products of arrays"
        )

    __array_ufunc__ = dot = refuse

    def __array_function__(self, function, types, args, kwargs):
        products = (np.dot, np.inner, np.vdot, np.tensordot, np.einsum)
        return (self.refuse if function in products else super().__array_function__)(
            function, types, args, kwargs
        )


def test_naive_product_of_matrices():
    rng = np.random.default_rng(2)
    for n, k, m in [
        (2, 3, 4),
        (3, 3, 3),
        (1, 5, 2),
        (4, 1, 3),
        (2, 2, 1),
        (2, 0, 3),
        (0, 2, 1),
    ]:
        for kind in (np.float32, np.float64, np.int64):
            a, b = ((9 * rng.normal(size=size)).astype(kind) for size in ((n, k), (k, m)))
            wanted = np.einsum("ik,kj->ij", a, b)
            factors = a.view(Numbers), b.view(Numbers)
            with unchanged(a=a, b=b):
                found = np.asarray(matmul_naive(*factors))
            said = f"({n}, {k}) by ({k}, {m})"
            agrees(found, wanted, said, rtol=1e-3 if kind == np.float32 else 1e-9, atol=1e-4)


# %% [markdown]
# ### The fast one, for any number of dimensions
# NumPy's `@` calls BLAS, a library in which decades of work went into this one loop. You will measure the effect below.
#
# `x @ y` of tensors takes more than matrices: a vector on the left counts as a row, one on the right as a column, and
# leading dimensions are batches, which broadcast. So `(8, 1, 2, 3) @ (5, 3, 4)` is `(8, 5, 2, 4)`: forty products of a
# 2 x 3 by a 3 x 4 matrix. NumPy's `@` has the same rules.
#
# One case deserves attention: a batch of inputs `(B, T, C)` times one matrix of weights `(C, D)`, which every layer of
# a transformer computes. `@` makes B small products of it. It does not matter which batch a row is in: `as_matrix(x)`
# is `(B * T, C)`, and one large product gives the same answer, often in less time. The tests cannot tell the two apart
# and do not try; the cell after them can.
#
# `check_matmul` refuses wrong shapes before your code runs, so that the message is PyTorch's and not NumPy's. Such
# checks are imported here, for this stub and those that follow.


# %%
#| export
from tinytorch.given.tensor.checks import *


def as_matrix(x):
    """Array or Tensor (..., n) as a matrix whose rows are all those of its last dimension."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


# %% [markdown]
# <details><summary>Hint 1</summary><code>x @ y</code> is right in every case. Save x and y for the gradient.</details>
# <details><summary>Hint 2</summary>The case to make fast is <code>x.ndim &gt; 2 and y.ndim == 2</code>: multiply
# <code>as_matrix(x)</code> by y.</details>
# <details><summary>Hint 3</summary>Its result is <code>(B * T, D)</code>: reshape it to the batches,
# <code>x.shape[:-1]</code>, and the last length of y.</details>


# %% stub="matmul"
#| export
class MatMul(Function):
    @staticmethod
    def forward(ctx, x, y):
        """Multiply matrices, vectors, and batches of either.

        c[..., i, j] = sum over k of x[..., i, k] y[..., k, j]

        Args:
            x: an array (..., n, k), or (k,), which counts as one row.
            y: an array (..., k, m) of the same type, or (k,), which counts as one column.

        Returns:
            An array (..., n, m) of that type, without n where x is a vector and without m
            where y is one.

        Raises:
            RuntimeError: where the shapes or types do not fit, by `check_matmul`.

        Saves x and y, in this order, as they came.

        >>> MatMul.forward(Context(), np.ones((8, 1, 2, 3)), np.ones((5, 3, 4))).shape
        (8, 5, 2, 4)
        """
        check_matmul(x, y)
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, y)
        if x.ndim > 2 and y.ndim == 2:
            return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        return x @ y
        ### END SOLUTION


# %% test="matmul" points=6
def product(shape_x, shape_y, equation):
    """Compare the product of random arrays with the sum that the equation spells out."""
    rng = np.random.default_rng(3)
    for kind in (np.float64, np.float32):
        x, y = (rng.normal(size=shape).astype(kind) for shape in (shape_x, shape_y))
        ctx, wanted = Context(), np.einsum(equation, x, y)
        with unchanged(x=x, y=y):
            found = MatMul.forward(ctx, x, y)
        exact = kind == np.float64
        said = f"{shape_x} @ {shape_y}"
        agrees(found, wanted, said, 1e-9 if exact else 1e-4, 1e-6)
        saved = ctx.saved_tensors
        assert len(saved) == 2, f"{said}: x and y must be saved, two arrays, not {len(saved)}"
        for name, factor, kept in (("x", x, saved[0]), ("y", y, saved[1])):
            other = "a copy" if np.shape(kept) == factor.shape else f"shape {np.shape(kept)}"
            assert kept is factor, f"{name} is saved as it came, {factor.shape}, not {other}"


def test_product_of_matrices_and_vectors():
    product((2, 3), (3, 4), "ik,kj->ij")
    product((3, 3), (3, 3), "ik,kj->ij")
    product((2, 3), (3,), "ik,k->i")
    product((3,), (3, 4), "k,kj->j")
    product((3,), (3,), "k,k->")
    product((1, 3), (3, 4), "ik,kj->ij")


def test_product_of_batches():
    product((5, 2, 3), (3, 4), "bik,kj->bij")
    product((2, 5, 2, 3), (3, 4), "abik,kj->abij")
    product((5, 2, 3), (5, 3, 4), "bik,bkj->bij")
    product((8, 1, 2, 3), (5, 3, 4), "bcik,dkj->bdij")
    product((5, 2, 3), (3,), "bik,k->bi")
    product((3,), (5, 3, 4), "k,bkj->bj")
    product((5, 1, 3), (3, 4), "bik,kj->bij")


def test_product_over_nothing_is_zero():
    product((2, 0), (0, 3), "ik,kj->ij")
    product((4, 2, 0), (0, 3), "bik,kj->bij")
    product((0, 2, 3), (3, 4), "bik,kj->bij")


# %%
x, w = np.ones((64, 32, 128), np.float32), np.ones((128, 128), np.float32)
batches, at_once = (
    best_of(lambda: x @ w, 20),
    best_of(lambda: MatMul.forward(Context(), x, w), 20),
)
print(f"{x.shape} @ {w.shape}: {batches * 1e3:.2f} ms by @, {at_once * 1e3:.2f} ms by yours")

# %% [markdown]
# How much one large product gains depends on the sizes and on the machine: where each small product already keeps the
# library busy, there is nothing to gain.
#
# ## 7. Reductions
#
# A reduction turns many numbers into one: along one dimension, several, or all. The dimension disappears, unless you
# keep it with length 1, so that the result still broadcasts against the input:
#
# ```
# x                      (2, 3, 4)
# x.sum()                ()
# x.sum(1)               (2, 4)
# x.sum((0, 2))          (3,)
# x.mean(1, keepdim=True)   (2, 1, 4)      so that  x - x.mean(1, keepdim=True)  is (2, 3, 4)
# ```
#
# PyTorch says `dim` and `keepdim` where NumPy says `axis` and `keepdims`. `axes_of`, one of the checks above, turns one
# into the other, with PyTorch's errors for a dimension that does not exist.
#
# ### Sum
# The sum of bytes does not fit into a byte: 200 + 100 is 44 there. So the sum of integers or booleans is an `int64`,
# whatever their type. Floating point types do not change. The gradient of a sum passes the same number to every
# element. To do so it needs the shape, the axis and whether it was kept, which the given line records. Use its
# `ctx.axis` rather than `dim`: it is in NumPy's form, and None where everything is summed.
#
# <details><summary>Hint 1</summary>NumPy's <code>x.sum</code> takes <code>axis</code>, <code>keepdims</code> and
# <code>dtype</code>.</details>
# <details><summary>Hint 2</summary><code>x.dtype.kind</code> is "b", "i" or "u" for booleans and integers. For
# <code>dtype=None</code> NumPy keeps float types.</details>
# <details><summary>Hint 3</summary>One call with all three: the axis is <code>ctx.axis</code>, the dtype
# <code>np.int64</code> or <code>None</code>, by the kind.</details>


# %% stub="sum"
#| export
class Sum(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        """Add up all elements, or those along some dimensions.

        Args:
            x: an array of any shape and type.
            dim: None, () or [] for all dimensions, an int, or a tuple or list of ints;
                negative ones count from the end.
            keepdim: whether the dimensions stay, with length 1.

        Returns:
            An array of x's type, or of int64 if x holds integers or booleans.

        Raises:
            IndexError: if x has no such dimension, by `axes_of`.

        >>> Sum.forward(Context(), np.array([[200, 100], [1, 2]], np.uint8), dim=1)
        array([300,   3])
        """
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        ### BEGIN SOLUTION
        return x.sum(
            axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        )
        ### END SOLUTION


# %% test="sum" points=5
def test_sum_over_the_dimensions_asked_for():
    rng = np.random.default_rng(4)
    arrays = rng.normal(size=(2, 3, 4)), rng.normal(size=(1, 3, 1))
    for dim, axis in [
        (None, (0, 1, 2)),
        (0, 0),
        (-1, 2),
        ((0, 2), (0, 2)),
        ((-1, 0, 1), (0, 1, 2)),
        ([0, 1], (0, 1)),
        ((), (0, 1, 2)),
    ]:
        for x, keepdim in itertools.product(arrays, (False, True)):
            wanted = np.add.reduce(x, axis=axis, keepdims=keepdim)
            with unchanged(x=x):
                found = Sum.forward(Context(), x, dim, keepdim)
            agrees(found, wanted, f"{x.shape} summed over dim={dim}, keepdim={keepdim}")


def test_sums_of_integers_and_booleans_are_int64():
    for kind in ("u1", "i1", "i2", "i4", "i8", "?"):
        x = np.ones((2, 300), kind)
        agrees(Sum.forward(Context(), x, 1), np.int64([300, 300]), f"300 ones of {x.dtype}")


def test_sums_of_floats_keep_their_type():
    for kind in (np.float16, np.float32, np.float64):
        found = Sum.forward(Context(), np.ones((3, 2), kind), 0)
        agrees(found, np.array([3, 3], kind), f"the sum of {kind.__name__}")


def test_sum_of_nothing_is_zero():
    agrees(Sum.forward(Context(), np.ones((0, 3)), 0), np.zeros(3), "the sum of no rows")
    found = Sum.forward(Context(), np.full((), 2.5))
    agrees(found, np.float64(2.5), "a tensor of one number is its own sum")


# %% [markdown]
# ### Variance
# The average squared distance of numbers from their mean:
#
# $$\mathrm{var}(x) = \frac{1}{n - c} \sum_i (x_i - \bar x)^2$$
#
# The correction $c$ is 1 by default: the mean was computed from the same numbers and is closer to them than the true
# one, and dividing by $n - 1$ corrects that (Bessel's correction). Layer norm uses 0.
#
# The textbook has a shorter formula, $\overline{x^2} - \bar x^2$, which needs one pass instead of two. Do not use it:
# for numbers like 10000.1 and 10000.2 it subtracts two numbers near $10^8$ that agree in all the digits a float32 has,
# and the rest is noise, sometimes below zero. Subtract the mean first, then square.
#
# <details><summary>Hint 1</summary>The mean must broadcast against x: reduce with <code>keepdims=True</code>, whatever
# <code>keepdim</code> says.</details>
# <details><summary>Hint 2</summary><code>ctx.divisor</code> is n - c already, for however many dimensions are reduced;
# the mean divides by <code>count</code>.</details>
# <details><summary>Hint 3</summary>Save x, not the deviations from the mean. Then sum their squares along the same
# axis, now with <code>keepdims=keepdim</code>, and divide.</details>


# %% stub="var"
#| export
class Var(Function):
    @staticmethod
    def forward(ctx, x, dim=None, correction=1, keepdim=False):
        """Average the squared distance from the mean: sum of (x - mean)^2 / (n - correction).

        Args:
            x: an array of any shape, floating point.
            dim: None for all dimensions, an int, or a tuple of ints.
            correction: is subtracted from the number of elements, 1 for Bessel's correction.
            keepdim: whether the dimensions stay, with length 1.

        Returns:
            An array of x's type; NaN where one element is reduced with correction 1.

        Raises:
            RuntimeError: if x holds integers or booleans, by `check_floating`.

        Saves x itself.

        >>> float(Var.forward(Context(), np.float64([1, 2, 3, 4])))
        1.6666666666666667
        """
        check_floating(x)
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        count = count_along(x.shape, ctx.axis)
        ctx.divisor = max(count - correction, 0)
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        ### END SOLUTION


# %% test="var" points=7
def test_var_divides_by_n_minus_one_unless_told():
    found = Var.forward(Context(), np.array([1.0, 3.0]))
    agrees(found, np.float64(2), "of [1, 3]: ((1 - 2)^2 + (3 - 2)^2) / (2 - 1)")


def test_var_is_the_mean_square_distance():
    rng = np.random.default_rng(5)
    sizes = {(3, 4, 5): (None, 1, -1, (0, 2), 0), (1, 4, 5): (1, -1)}
    for kind, size in itertools.product((np.float64, np.float32), sizes):
        x = rng.normal(size=size).astype(kind)
        for dim in sizes[size]:
            for correction, keepdim in itertools.product((1, 0, 2), (False, True)):
                wanted = np.var(x, axis=dim, ddof=correction, keepdims=keepdim)
                with unchanged(x=x):
                    found = Var.forward(Context(), x, dim, correction, keepdim)
                said = f"{size}, dim={dim}, correction={correction}, keepdim={keepdim}"
                agrees(found, wanted, said, rtol=1e-5 if kind == np.float32 else 1e-9)


def test_var_survives_numbers_far_from_zero():
    for kind, far in ((np.float32, 1e4), (np.float64, 1e8)):
        x = (far + np.array([0, 0.5, 1, 1.5])).astype(kind)
        said = f"subtract the mean before you square, which is about {far}"
        agrees(Var.forward(Context(), x, None, 0), kind(0.3125), said, rtol=1e-3)


def test_var_of_one_element_is_not_a_number():
    with np.errstate(all="ignore"):
        found = Var.forward(Context(), np.ones((1, 3)), 0)
    said = "one element, correction 1: 0 / 0 is NaN, as in PyTorch"
    agrees(found, np.full(3, np.nan), said)


def test_var_saves_its_input():
    ctx, x = Context(), np.float32([[1, 2], [4, 8]])
    Var.forward(ctx, x, 1)
    saved = ctx.saved_tensors
    assert len(saved) == 1, f"the gradient needs x, and nothing else; {len(saved)} are saved"
    assert saved[0] is x, f"x itself is saved, neither the deviations nor a copy; not {saved}"


# %% [markdown]
# ### Maximum
# `x.max(dim)` returns two tensors: the largest values, and their positions. The second is the prediction of a
# classifier, and also what the gradient needs: it goes only to the element that won. If several are largest, the first
# of them wins.
#
# <details><summary>Hint 1</summary>NumPy's <code>x.max</code> and <code>x.argmax</code> both take <code>axis</code> and
# <code>keepdims</code>, and argmax finds the first.</details>
# <details><summary>Hint 2</summary>Save the indices, not x: they are all that the gradient needs.</details>
# <details><summary>Hint 3</summary>Return a tuple, the values first, both with or both without the dimension.</details>


# %% stub="max"
#| export
class Max(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        """Find the largest elements along a dimension, and their positions.

        Args:
            x: an array of any shape and type.
            dim: an int; negative counts from the end.
            keepdim: whether the dimension stays, with length 1.

        Returns:
            A tuple (values, indices) of two arrays of the same shape: x's type, and int64.
            Where several elements are largest, the index is the first one's; NaN is larger
            than any number.

        Raises:
            IndexError: if the dimension does not exist, or has no elements.

        Saves the indices, as they are returned.

        >>> Max.forward(Context(), np.array([[3, 7, 7], [9, 0, 1]]), dim=1)
        (array([7, 9]), array([1, 0]))
        """
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "max")
        ### BEGIN SOLUTION
        indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        ctx.save_for_backward(indices)
        return x.max(axis=ctx.axis, keepdims=keepdim), indices
        ### END SOLUTION


# %% test="max" points=5
def check_max(x, dim):
    """Compare with the first of the largest elements along a dimension, found one by one."""
    lines = np.moveaxis(x, dim, -1)
    places, values = np.empty(lines.shape[:-1], int), np.empty(lines.shape[:-1], x.dtype)
    for index in np.ndindex(*places.shape):
        line = lines[index].tolist()
        best = max(range(len(line)), key=lambda i: (line[i] != line[i], line[i], -i))
        places[index], values[index] = best, lines[index][best]
    shown = x.tolist() if x.size < 9 else f"x {x.shape}"
    for keepdim in (False, True):
        ctx, said = Context(), f"{shown}, dim={dim}, keepdim={keepdim}"
        with unchanged(x=x):
            found = Max.forward(ctx, x, dim, keepdim)
        is_pair, name = isinstance(found, tuple) and len(found) == 2, type(found).__name__
        assert is_pair, f"{said}: a tuple of two arrays must be returned; here a {name}"
        found_values, found_places = found
        put_back = (lambda a: np.expand_dims(a, dim)) if keepdim else (lambda a: a)
        agrees(found_values, put_back(values), f"{said}: the largest, which come first")
        agrees(found_places, put_back(places), f"{said}: their places, the first of equals")
        saved = ctx.saved_tensors
        assert len(saved) == 1, f"one array is saved: the indices; here {len(saved)} are"
        agrees(saved[0], found_places, f"{said}: the indices are what is saved")


def test_max_finds_values_and_places():
    x = np.random.default_rng(7).normal(size=(3, 4, 5))
    for dim in (0, 1, -1):
        check_max(x, dim)
        check_max(x.astype(np.float32), dim)
    check_max(np.zeros((0, 3)), 1)
    check_max(np.float32([1, 3, 2]), 0)


def test_max_takes_the_first_of_equals():
    check_max(np.array([[5, 2, 5], [1, 1, 1]]), 1)
    check_max(np.array([[5, 2, 5], [5, 1, 5]], np.int8), 0)
    check_max(np.array([[False, True, True]]), 1)


def test_max_finds_a_nan_before_any_number():
    check_max(np.float32([[1, np.nan, 3], [np.inf, 2, np.nan]]), 1)


def test_max_of_a_single_number_is_itself():
    values, indices = Max.forward(Context(), np.full((), 2.5), 0)
    agrees(values, np.float64(2.5), "a 0-d array has a dimension 0: its number")
    agrees(indices, np.int64(0), "a 0-d array has a dimension 0: place 0")


# %% [markdown]
# ## 8. Picking elements: gather
#
# A language model gives every position a score for each of 50,000 tokens, `(B, T, V)`, and the loss needs one of them:
# that of the token that actually came next. `gather` picks one element, or several, along one dimension, at positions
# that differ from row to row:
#
# $$\text{for } \mathrm{dim} = 1: \qquad \mathrm{out}_{ij} = x_{i,\; \mathrm{index}_{ij}}$$
#
# ```
# x     10 11 12      index   2 0      x.gather(1, index)   12 10
#       20 21 22              1 1                           21 21
# ```
#
# NumPy picks with one array of positions for each dimension, and broadcasts them against each other. Along `dim` the
# positions are the index. Along every other dimension they count up from 0, so that each element of the index picks
# from its own row. `along` builds these arrays; `gather`, `scatter` and `scatter_add`, which are given, all use it.
#
# <details><summary>Hint 1</summary>For an index of shape (2, 2) and dim 1, you want <code>([[0], [1]], index)</code>:
# the rows count down, the columns are the index.</details>
# <details><summary>Hint 2</summary><code>np.ogrid[0:2, 0:5]</code> gives counting arrays for a shape of (2, 5), each
# shaped to broadcast. It takes a tuple of slices.</details>
# <details><summary>Hint 3</summary>Make one slice for each length of the index, and a list of the result of
# <code>np.ogrid</code>. Then put the index at position <code>dim</code>.</details>


# %% stub="along"
#| export
def along(index, dim):
    """Build the NumPy index that picks `index` along one dimension, and keeps the others.

    x[along(index, 1)][i, j, k] = x[i, index[i, j, k], k], and so for every dim

    Args:
        index: an int64 array of one dimension or more; along the other dimensions it may be
            shorter than x.
        dim: the dimension along which it picks, counted from the front.

    Returns:
        A tuple of arrays, one for each dimension, that broadcast to the shape of the index.

    >>> np.array([[10, 11, 12], [20, 21, 22]])[along(np.array([[2, 0], [1, 1]]), 1)]
    array([[12, 10],
           [21, 21]])
    """
    ### BEGIN SOLUTION
    positions = list(np.ogrid[tuple(map(slice, index.shape))])
    positions[dim] = index
    return tuple(positions)
    ### END SOLUTION


# %% test="along" points=6
def picked(shape, index_shape, dim):
    """Compare what `along` picks with a loop over every place of the index."""
    rng = np.random.default_rng(8)
    x, index = rng.normal(size=shape), rng.integers(shape[dim], size=index_shape)
    wanted = np.empty(index_shape)
    for place in np.ndindex(*index_shape):
        wanted[place] = x[(*place[:dim], index[place], *place[dim + 1 :])]
    said = f"x {shape}, index {index_shape}, dim {dim}"
    with unchanged(x=x, index=index):
        places = along(index, dim)
    parts = places if isinstance(places, tuple) else ()
    found = [type(places).__name__, *sorted({type(part).__name__ for part in parts})]
    assert found == ["tuple", "ndarray"], f"{said}: a tuple of arrays is wanted"
    agrees(x[places], wanted, said)


def test_along_picks_for_each_row():
    picked((2, 3), (2, 5), 1)
    picked((4, 3), (2, 3), 0)
    picked((3, 3), (3, 3), 1)
    picked((3, 3), (3, 3), 0)


def test_along_works_for_any_number_of_dimensions():
    picked((6,), (4,), 0)
    picked((2, 3, 4), (2, 5, 4), 1)
    picked((2, 3, 4), (2, 3, 1), 2)
    picked((2, 3, 2, 4), (2, 3, 5, 4), 2)
    picked((2, 3, 2, 1, 4), (3, 3, 2, 1, 4), 0)


def test_along_takes_an_index_that_is_shorter_than_x():
    picked((4, 3), (2, 2), 1)
    picked((5, 4, 3), (7, 2, 1), 0)
    picked((4, 3), (0, 2), 0)


def test_along_also_says_where_to_write():
    x, index = np.zeros((2, 3)), np.array([[2], [0]])
    x[along(index, 1)] = 1
    wanted = np.array([[0.0, 0, 1], [1, 0, 0]])
    agrees(x, wanted, "x[along(index, 1)] = 1 writes one element a row")


# %% [markdown]
# ## 9. The rest of the family
# Everything else builds on what you have now written. `view` calls your `infer_shape` and `is_viewable`, `expand` your
# `expanded`, `x + y` is a `Function` that works like your `Mul`, `gather` is indexing by your `along`, and `x[1:]` is a
# view that NumPy makes. Each of these files holds operations with their methods and functions; look at one of them,
# such as `arithmetic.py` or `views.py`.

# %%
#| export
from tinytorch.given.tensor.arithmetic import *
from tinytorch.given.tensor.elementwise import *
from tinytorch.given.tensor.logic import *
from tinytorch.given.tensor.products import *
from tinytorch.given.tensor.reductions import *
from tinytorch.given.tensor.norms import *
from tinytorch.given.tensor.sorting import *
from tinytorch.given.tensor.views import *
from tinytorch.given.tensor.splitting import *
from tinytorch.given.tensor.indexing import *
from tinytorch.given.tensor.gathering import *
from tinytorch.given.tensor.rearranging import *
from tinytorch.given.tensor.inplace import *
from tinytorch.given.tensor.creation import *
from tinytorch.given.tensor.trigonometry import *
from tinytorch.given.tensor.more_arithmetic import *
from tinytorch.given.tensor.scans import *
from tinytorch.given.tensor.quantiles import *
from tinytorch.given.tensor.stacking import *
from tinytorch.given.tensor.searching import *
from tinytorch.given.tensor.linear_algebra import *
from tinytorch.given.tensor.matrix_products import *
from tinytorch.given.tensor.generator import *
from tinytorch.given.tensor.randomness import *
from tinytorch.given.tensor.functions import *
from tinytorch.given.tensor.formats import *
from tinytorch.given.tensor.compatibility import *
from tinytorch.given.tensor.overriding import *

# %% [markdown]
# Try it: your operations, now as tensors.

# %%
x = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(x * tensor([10.0, 0.0, 1.0]))
print(x.T @ x)
print(x.sum(1), x.var(0), x.max(1).indices)
print(x.T.shape, x.T.stride(), x.T.is_contiguous(), x[:, 1].storage_offset())
print((x.requires_grad_() * 2).sum().grad_fn.edges)

# %% [markdown]
# ## Systems
#
# ### What a tensor costs, and what a view costs
# A tensor consists of its elements and a few hundred bytes of Python. Before you look at the output: how many bytes are
# a million float32? What do a slice, a transpose and an expansion to a thousand times the size add?

# %%
x = Tensor(np.zeros((1000, 1000), np.float32))
for name, y in {
    "x": x,
    "x.double()": x.double(),
    "x.T": x.T,
    "x[:, ::2]": x[:, ::2],
    "x.expand(1000, 1000, 1000)": x.expand(1000, 1000, 1000),
    "x.T.reshape(-1)": x.T.reshape(-1),
}.items():
    shared = y is not x and owner(y.array) is owner(x.array)
    own = 0 if shared else y.nbytes
    seen = y.numel() * y.itemsize
    print(f"{name:27} {seen / 1e6:7.0f} MB to look at, {own / 1e6:.0f} MB of its own")

# %% [markdown]
# Four bytes for each float32, eight for each float64: that is enough to say in advance whether a model fits. Views cost
# nothing. The last line is the exception that your `is_viewable` predicts: the rows of a transpose are not one run, and
# to store them as one, every element has to be moved.
#
# ### Along the rows, or across them
# Adding up a matrix takes as many additions in either direction. Does it take as long?
#
# **Predict:** the sums of all columns take how many times as long as the sums of all rows, for 2048 x 2048 numbers?

# %%
predicted_columns = None  # the time of the columns over that of the rows

# %%
lengths, ratios = [64, 128, 256, 512, 1024, 2048, 4096], []
for n in lengths:
    matrix = np.ones((n, n), np.float32)
    times = [
        best_of(lambda lines=lines: [line.sum() for line in lines], 3)
        for lines in (matrix, matrix.T)
    ]
    ratios.append(times[1] / times[0])
    rows, columns = [f"{seconds * 1e3:7.2f} ms" for seconds in times]
    print(f"{n:5} x {n:<5} rows {rows}   columns {columns}   {ratios[-1]:.1f} times")

compare(predicted_columns, ratios[lengths.index(2048)], "times")
assert max(ratios[-3:]) > 1.3, "once it does not fit into the cache, columns are slower"
plt.figure(figsize=(6, 2.5))
plt.semilogx(lengths, ratios, "o-", base=2)
plt.axhline(1, color="gray", linewidth=1)
plt.xticks(lengths, lengths)
plt.xlabel("rows and columns")
plt.ylabel("time of columns / rows")
plt.tight_layout()
plt.show()

# %% [markdown]
# Memory is not read byte by byte but in cache lines, of 64 bytes on processors of Intel and AMD: sixteen float32. Along
# a row, one line serves sixteen additions. Down a column, each addition needs another line, and uses 4 of its 64 bytes.
# While the matrix fits into the cache, the difference is small. Once it does not, additions wait for memory, and the
# factor jumps. (Powers of two are especially bad: the lines of one column then compete for the same few places in the
# cache.)
#
# So the layout of a tensor is part of its cost. If you transpose a tensor and then work along its rows, every pass is
# slow, and `x.T.contiguous()`, one copy, may be cheaper.
#
# ### Three loops, against BLAS
# The same arithmetic, $2n^3$ operations, by the loops that you wrote and by one call.
#
# **Predict:** how many times as many operations in a second does NumPy's `@` do?

# %%
predicted_factor = None  # the rate of @ for large matrices over that of the loops

# %%
loops, library = [8, 16, 32, 64], [8, 16, 32, 64, 128, 256, 512, 1024]
rates = {}
plt.figure(figsize=(6, 3), layout="constrained")
for name, run, lengths in (("matmul_naive", matmul_naive, loops), ("@", np.matmul, library)):
    rates[name] = []
    for n in lengths:
        a = np.random.default_rng(0).standard_normal((n, n)).astype(np.float32)
        rates[name].append(2 * n**3 / best_of(lambda run=run, a=a: run(a, a), 7) / 1e9)
    plt.plot(lengths, rates[name], "o-", label=name)
    print(f"{name:13} {rates[name][-1]:10.4f} GFLOP/s at {lengths[-1]} x {lengths[-1]}")
factor = rates["@"][-1] / rates["matmul_naive"][-1]
compare(predicted_factor, factor, "times")
assert factor > 1000, "the loops are thousands of times slower"
print(
    f"the loops take {2 / rates['matmul_naive'][-1]:.0f} ns for each product and its addition"
)
plt.xscale("log", base=2)
plt.yscale("log")
plt.xticks(library, library)
plt.gca().yaxis.set_major_formatter("{x:g}")
plt.xlabel("rows and columns")
plt.ylabel("GFLOP/s")
plt.legend()
plt.show()

# %% [markdown]
# Part of the factor is Python, which spends most of the time printed last on finding out what `*` and `[i, k]` mean for
# each product; module 17 compiles the same loops and measures the gain. The other part is the library: it processes
# several numbers in one instruction, fetches the next ones while these are multiplied, and works on blocks small enough
# to stay in the cache, so that each fetched number is used many times. Small matrices gain less, as the left end of the
# upper line shows, because there the call itself takes longer than the arithmetic. This is one reason why networks are
# written as a few large products rather than many small ones.
#
# ## Break it
#
# ### A view is not a copy
# You take a row to scale it, and the data set is scaled too.

# %%
data = tensor([[1.0, 2.0], [3.0, 4.0]])
row = data[0]
row *= 100
print("after row *= 100:          ", data.tolist())

data = tensor([[1.0, 2.0], [3.0, 4.0]])
row = data[0]
row = row * 100
print("after row = row * 100:     ", data.tolist())

data = tensor([[1.0, 2.0], [3.0, 4.0]])
row = data[[0]]
row *= 100
print("with data[[0]], a list:    ", data.tolist())

array = np.zeros(2)
shared, copied = from_numpy(array), tensor(array)
array += 1
print("from_numpy(array), tensor(array) after array += 1:", shared.tolist(), copied.tolist())

# %% [markdown]
# `row *= 100` works in place, in memory that belongs to `data`. Writing `row * 100` makes a new tensor. Slices and
# single numbers pick by strides, so they are views; lists and boolean masks pick elements in any order, for which there
# are no strides, so they are copies. Even `data[1, 0]` is a view, of one element. When in doubt, `.clone()`; to find
# out afterwards, look at `row._base`: the tensor whose memory a view looks into, and None for a copy.
#
# ### Integers wrap around
# They have a fixed number of bits, and there is no error when the result does not fit.

# %%
pixels = tensor([200, 100], dtype=uint8)
print("200, twice, in uint8:     ", (pixels * 2).tolist())
print("their sum, in int64:      ", pixels.sum().item())
print("2**31 - 1, twice, in int32:", tensor([2**31 - 1], dtype=int32).mul(2).tolist())

# %% [markdown]
# Images are often uint8, and arithmetic on them is a typical case. Convert them to floats first.
#
# ### Floats have gaps
# A float32 has 24 bits for its digits, whatever its size. So the numbers are close together near 0, and twice as far
# apart beyond each power of two: at 2**24 they are 2 apart, for a float16 from 2**11 on.

# %%
draw_spacing()

# %% [markdown]
# Below, the same numbers are summed in two ways.
#
# **Predict:** $2^{25}$ tenths are 3,355,443. What is their sum in float32, if they are added one by one?

# %%
predicted_sum = None  # a number

# %%
print("0.1 + 0.2 == 0.3:             ", 0.1 + 0.2 == 0.3, f"({0.1 + 0.2:.17f})")
big = np.float32(2**24)
print("2**24 + 1 == 2**24 in float32:", bool(big + np.float32(1) == big))
tenths = np.full(2**25, 0.1, np.float32)
one_by_one = np.cumsum(tenths)[-1]
print(f"{len(tenths):,} tenths:           true {len(tenths) / 10:,.0f}, ", end="")
print(f"one by one {one_by_one:,.0f}, .sum() {tenths.sum():,.0f}")
compare(predicted_sum, float(one_by_one))
assert one_by_one < 0.66 * len(tenths) / 10 < tenths.sum()

# %% [markdown]
# Do not compare computed floats with `==`; use `allclose`. And one by one, a third of the sum is missing: at $2^{21}$
# the next float32 is 0.25 away, a tenth is less than half of that, and adding it changes nothing. The sum stops
# growing. NumPy's `sum` (like PyTorch's) adds up many short runs, then their sums in pairs, so that the two operands
# stay of similar size. A running mean, of losses for instance, cannot do that, so keep it in float64 or in Python's own
# floats.
#
# ### A shape that broadcasts by accident

# %%
predictions, targets = Tensor(np.zeros((4, 1), np.float32)), tensor([1.0, 2.0, 3.0, 4.0])
print((predictions * targets).shape)

# %% [markdown]
# Four predictions and four targets make sixteen products, and no error. Check the shapes of what you compare with an
# assertion: `assert predictions.shape == targets.shape`.
#
# ## In PyTorch
# The same lines in PyTorch:
#
# ```python
# import torch
#
# x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
# x.T.stride(), x.T.is_contiguous()               # (1, 3), False
# x.T.view(6)                                     # RuntimeError: view size is not compatible with ...
# torch.broadcast_shapes((2, 1, 4), (3, 1))       # torch.Size([2, 3, 4])
# x @ x                                           # RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
# x.max(1).indices, x.var(0)
#
# class Scale(torch.autograd.Function):           # your Function, with tensors in place of arrays
#     @staticmethod
#     def forward(ctx, x, factor):
#         ctx.save_for_backward(x)
#         return x * factor
# ```
#
# With `import tinytorch as torch` as the first line, the lines above the class run now, on what you wrote; two of them
# raise errors on purpose. `torch.autograd.Function`, which the class needs, is built in module 06.
#
# ## Questions
# 1. `x` has shape `(64, 3, 32, 32)`. What are its strides, and those of `x.permute(0, 2, 3, 1)`? Which of the two can
#    be viewed as `(64, 3072)`?
#
#    <details><summary>Answer</summary>
#
#    From the right, each stride is the product of the lengths after it: (3072, 1024, 32, 1). A permutation takes the
#    strides along: shape (64, 32, 32, 3) with strides (3072, 32, 1, 1024). The first is contiguous and can be viewed as
#    (64, 3072). In the second, height and width still are one run of 1,024 with stride 1, for 32 = 32 x 1. But to merge
#    that run with the three colours, its stride would have to be 3 x 1024 = 3072, and it is 1. So `view` is refused,
#    and `reshape` copies.
#
#    ```python
#    x = zeros(64, 3, 32, 32)
#    y = x.permute(0, 2, 3, 1)
#    print(x.stride(), y.stride(), x.view(64, 3072).shape)
#    print(is_viewable(y.shape, y.stride(), (64, 3072)))
#    ```
#
#    </details>
#
# 2. `x.expand(1000, 1000, 1000)` has 4 GB of elements, and takes no memory. What would happen at `x.expand(1000, 1000,
#    1000) * 1`? And why is an in-place operation on an expanded tensor refused?
#
#    <details><summary>Answer</summary>
#
#    The product has as many elements as its operand appears to have, and they need memory of their own: $10^9$ float32,
#    4 GB, with $10^9$ multiplications, a thousand times more than there are different numbers. With less memory the
#    program is stopped. (Expand to (10, 1000, 1000) and the product has 40 MB.) Write `(x * 1).expand(...)` instead. In
#    place, one location of memory stands for a thousand elements. `add_(1)` could add 1 once or a thousand times,
#    depending on how the loop runs, so both frameworks refuse it:
#
#    ```python
#    print((zeros(1000, 1000).expand(10, 1000, 1000) * 1).nbytes / 1e6, "MB")
#    try:
#        zeros(3, 1).expand(3, 4).add_(1)
#    except RuntimeError as error:
#        print(error)
#    ```
#
#    </details>
#
# 3. `Mul` saves both factors. A network multiplies `(256, 1024)` by `(1024,)`, a hundred times. How much memory is kept
#    for the gradients, and when would less be enough?
#
#    <details><summary>Answer</summary>
#
#    Each product's left factor is the result of the one before, 256 x 1024 x 4 bytes = 1.05 MB, so a hundred products
#    keep 104.9 MB; the hundred small factors are 0.4 MB. The large factor is needed only for the gradient of the
#    *small* one ($\bar y = \bar z x$). If the small factors are constants that need no gradient, 0.4 MB would be
#    enough. PyTorch saves only what is needed; your `Mul` saves both, so that its code stays as simple as the formula:
#    104.9 MB remain. If neither needs a gradient, nothing is recorded, and only the last result remains.
#
#    ```python
#    import tracemalloc
#    y, factors = rand(256, 1024).requires_grad_(), [rand(1024) for _ in range(100)]
#    tracemalloc.start()
#    for factor in factors:
#        y = y * factor
#    print(tracemalloc.get_traced_memory()[0] / 1e6, "MB")
#    tracemalloc.stop()
#    ```
#
#    </details>
#
# 4. Every float32 product is rounded. Find numbers for which `(x * y) * z` and `x * (y * z)` differ in the last digit,
#    and others for which one of the two is infinite and the other is not.
#
#    <details><summary>Answer</summary>
#
#    For 1.1, 1.2 and 1.3 the first is 1.716 and the second 1.7160001: different intermediate products are rounded. That
#    is not rare. Of 100,000 triples of random numbers from 0 to 1, 35 % gave two different results. Infinite: $10^{30}
#    \cdot 10^{30}$ exceeds $3.4 \cdot 10^{38}$, and infinity times $10^{-30}$ is infinity, while $10^{30} \cdot
#    (10^{30} \cdot 10^{-30})$ is $10^{30}$. So a compiler may not change the order of such operations unless you allow
#    it, and two correct programs may differ in the last digits.
#
#    ```python
#    x, y, z = np.float32([1.1, 1.2, 1.3])
#    print((x * y) * z, x * (y * z))
#    x, y, z = np.random.default_rng(0).random((3, 100_000)).astype(np.float32)
#    print(((x * y) * z != x * (y * z)).mean())
#    print(tensor([1e30]) * 1e30 * 1e-30, tensor([1e30]) * (tensor([1e30]) * 1e-30))
#    ```
#
#    </details>
#
# ## To read
#
# - S. van der Walt, S. C. Colbert and G. Varoquaux, "The NumPy Array: A Structure for Efficient Numerical Computation",
#   Computing in Science & Engineering 13, 2011: strides, views and broadcasting, by people who made them.
# - PyTorch's documentation, the page "Tensor Views": which operations return a view, and which may copy.
# - D. Goldberg, "What Every Computer Scientist Should Know About Floating-Point Arithmetic", ACM Computing Surveys 23,
#   1991: rounding, and how sums can be made exact.
# - U. Drepper, "What Every Programmer Should Know About Memory", 2007, section 3: why the columns were slow.
# - K. Goto and R. A. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM Transactions on
#   Mathematical Software 34, 2008: what is inside `@`.
#
# ## An open problem
#
# A moving average looks at every window of a signal, and a convolution at every window of an image. Most people copy
# the windows; strides can show them all without copying a number. Write `windows` for a `Layout`, as you wrote `sliced`
# and `expanded`: one dimension is replaced by the places of the window, and a last one holds what is in it. Then use it
# twice for the windows of an image, and think about which in-place operations on the result would be safe. Module 09
# will use such a view.


# %%
def windows(layout, dim, size, step=1):
    """Show every window of `size` elements along a dimension, the next one `step` further.

    The length of `dim` becomes the number of windows, and a last dimension of length `size`
    is added.
    """
    raise NotImplementedError


def check_windows():
    memory = np.arange(60.0)
    for shape, dim, size, step in (((10,), 0, 3, 1), ((5, 12), 1, 4, 2), ((5, 12), 0, 5, 1)):
        array = memory[: math.prod(shape)].reshape(shape)
        found = windows(Layout(shape, contiguous_strides(shape)), dim, size, step)
        steps = [8 * stride for stride in found.strides]
        seen = np.lib.stride_tricks.as_strided(memory[found.offset :], found.shape, steps)
        wanted = np.lib.stride_tricks.sliding_window_view(array, size, dim)
        places = [slice(None)] * dim + [slice(None, None, step)]
        np.testing.assert_array_equal(seen, wanted[tuple(places)])


try:
    check_windows()
    print("every window, and nothing is copied")
except NotImplementedError:
    print("not built yet")


# %% [markdown]
# ## What comes next
# Module 02 writes the functions between the layers, each a `Function` like those above. In module 06 operations get
# their gradients, and you write the walk along the `grad_fn`s that your `apply` records. Nothing in this file will have
# to change for that.
