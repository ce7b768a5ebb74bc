# %% [markdown]
# # 01 Tensors
#
# The array that everything else is made of: numbers of one type in one block of memory, a shape to look at
# them through, and operations that work on all of them at once.
#
# Weights, images, sentences, gradients: in a neural network everything is a tensor. By the end of this
# lesson you will be able to
#
# - say what a tensor is in memory, and which reshapes, transposes and slices cost nothing because of it;
# - predict the shape and the type of any operation, or say why it is refused;
# - write an operation so that its gradient can be added later without touching it;
# - measure what memory order and a good matrix product are worth, and see where numbers go wrong.
#
# What you write here is not thrown away. The nineteen modules that follow run on it, down to the GPT that
# you train in module 13.
#
# ## Where it stands
# This notebook becomes `tinytorch/tensor.py`, and everything in it has the name that PyTorch gives it:
#
# | you write | PyTorch has | where they differ |
# |---|---|---|
# | `infer_dtype` | the rules of `torch.tensor(data)` | a function of its own here |
# | `contiguous_strides`, `infer_shape`, `is_viewable` | inside `Tensor.view` and `reshape` | functions of their own here |
# | `broadcast_shapes` | `torch.broadcast_shapes` | |
# | `Function.apply` | `torch.autograd.Function.apply` | `forward` sees NumPy arrays, not tensors |
# | `Mul`, `Exp`, `MatMul`, `Sum`, `Var`, `Max` | `*`, `exp`, `@`, `sum`, `var`, `max` | one class for each |
# | `along` | inside `torch.gather` | a function of its own here |
# | `matmul_naive` | | the product as three loops, to learn from and to test against |
#
# The rest of PyTorch's tensor library, some two hundred names, is given in cells like these. You can read
# them when you want to know how something is done; nothing below asks you to.

# %%
#| export
import functools
import importlib
import itertools
import math
import operator
import secrets
import threading
import traceback
import weakref
from collections import namedtuple
from types import SimpleNamespace

import numpy as np

# %%
import sys
import timeit

import matplotlib.pyplot as plt

# %% [markdown]
# ## The problem
# Python has lists, and lists of lists. Why not use those? Run the cell.

# %%
a, b = [1.0, 2.0, 3.0], [10.0, 20.0, 30.0]
print("a + b       ", a + b)
print("a * 2       ", a * 2)

numbers = [float(i) for i in range(1_000_000)]
array = np.arange(1_000_000, dtype=np.float32)
in_list = sys.getsizeof(numbers) + sum(sys.getsizeof(x) for x in numbers)
print(
    f"memory       {in_list / 1e6:.0f} MB in a list, {array.nbytes / 1e6:.0f} MB in an array of float32"
)


def best_of(run, repeat=5):
    """The shortest time of several runs, in seconds: the one that was disturbed least."""
    return min(timeit.repeat(run, number=1, repeat=repeat))


slow, fast = best_of(lambda: [2 * x for x in numbers]), best_of(lambda: 2 * array)
print(
    f"twice each   {slow * 1e3:.1f} ms in a list, {fast * 1e3:.2f} ms in an array: {slow / fast:.0f} times faster"
)

# %% [markdown]
# A list joins where you want to add, and repeats where you want to multiply. It holds pointers to numbers
# that lie anywhere in memory, each an object with a type and a count of references, so a number of 4 bytes
# takes 32. And since every element may be of another type, Python has to look at each before it can work on
# it.
#
# An array gives that freedom up. All elements have one type, and lie side by side in one block of memory.
# That is the whole trick, and the reason for everything below. NumPy does the arithmetic on such blocks;
# you build PyTorch's tensor around it.

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
# The next cell gives them PyTorch's names. (`bool` is called `bool_` in this file, so that Python's own
# stays in reach; from outside it is `tinytorch.bool`.)


# %%
#| export
np.seterr(
    all="ignore"
)  # infinities and NaNs are results, as in PyTorch, and no reason for a warning
# Freed at once: from now on glibc keeps freed arrays of up to this size, instead of fetching fresh pages for each.
np.empty(31 << 20, np.uint8)


class dtype:
    """A number type under PyTorch's name; `numpy` is NumPy's object for the same type."""

    def __init__(self, name, numpy):
        self.name, self.numpy = name, np.dtype(numpy)
        self.itemsize, self.is_floating_point = self.numpy.itemsize, self.numpy.kind == "f"

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return dtype_of, (self.numpy,)


float16, float32, float64 = (
    dtype("float16", "f2"),
    dtype("float32", "f4"),
    dtype("float64", "f8"),
)
int8, int16, int32, int64 = [dtype(f"int{8 * n}", f"i{n}") for n in (1, 2, 4, 8)]
uint8, bool_ = dtype("uint8", "u1"), dtype("bool", "?")

_dtypes = {
    d.numpy: d for d in (float16, float32, float64, int8, int16, int32, int64, uint8, bool_)
}
_default = {"dtype": float32}


def dtype_of(numpy):
    """The dtype of a NumPy type; TypeError for one that has no counterpart here."""
    try:
        return _dtypes[np.dtype(numpy)]
    except KeyError:
        raise TypeError(f"can't convert np.ndarray of type {numpy}") from None


def promote_types(type1, type2):
    """Find the smallest type that holds both, where any floating point type holds every integer."""
    a, b = type1.numpy, type2.numpy
    if (a.kind == "f") != (b.kind == "f"):
        return type1 if a.kind == "f" else type2
    return _dtypes[np.promote_types(a, b)]


def get_default_dtype():
    """The type of new floating point tensors: float32, unless `set_default_dtype` chose another."""
    return _default["dtype"]


def set_default_dtype(d):
    """Choose the type of new floating point tensors; TypeError unless it is one."""
    if not d.is_floating_point:
        raise TypeError(
            f"only floating-point types are supported as the default type, but got {d}"
        )
    _default["dtype"] = d


# %% [markdown]
# ### The type of a new tensor
# `tensor([1, 2])` says nothing about a type, so it has to be inferred from the data. PyTorch's rule:
#
# - Python's numbers count by their kind. All booleans make a `bool`, integers (perhaps beside booleans) an
#   `int64`, and a single float among them makes the default floating point type, `float32`.
# - An array, or a number that came out of one, brings its own type, and keeps it.
# - A list gets the smallest type that holds all of its parts, so that `[np.int8(1), np.int32(2)]` makes an `int32`, and a
#   single `np.float64` among floats makes a `float64`. `promote_types(type1, type2)`, given above, knows what holds two types.
# - No numbers at all, as in `tensor([])`, make the default type.
#
# The first rule is where NumPy differs: `np.array([0.5])` is float64. A float64 that slips in doubles the
# memory and halves the speed of everything it meets, and is the most common slip in code that mixes the two.
#
# <details><summary>Hint 1</summary>Ask whether <code>data</code> came from NumPy first: <code>np.ndarray</code> is an array, <code>np.generic</code> a number that came out of one. (<code>np.float64</code> is a <code>float</code> to Python as well.)</details>
# <details><summary>Hint 2</summary>A single number is next: float, bool, int. In Python a bool is also an int, so ask for it before. What is left is a list, and each of its parts is again a case for <code>infer_dtype</code>.</details>
# <details><summary>Hint 3</summary>The set <code>{infer_dtype(part) for part in data}</code> holds each type once, and <code>functools.reduce(promote_types, types)</code> makes one of several. An empty set is the case of no numbers.</details>


# %% stub="infer-dtype"
#| export
def infer_dtype(data):
    """Find the type of a new tensor made from `data`.

    Args:
        data: a number, a NumPy array or number, or a list or nested lists of these.

    Returns:
        A `dtype`: what comes from NumPy has its own; Python's numbers are bool_, int64 or the default floating point
        type; a list has the smallest type that holds its parts, and the default one if it has none.

    >>> infer_dtype([1, 2]), infer_dtype([1, 2.5]), infer_dtype(np.float64(3))
    (torch.int64, torch.float32, torch.float64)
    """
    ### BEGIN SOLUTION
    if isinstance(data, (np.ndarray, np.generic)):
        return dtype_of(data.dtype)
    if isinstance(data, float):
        return get_default_dtype()
    if isinstance(data, int):
        return bool_ if isinstance(data, bool) else int64
    return functools.reduce(
        promote_types, {infer_dtype(part) for part in data} or {get_default_dtype()}
    )
    ### END SOLUTION


# %% test="infer-dtype" points=5
def test_pythons_numbers_count_by_their_kind():
    for data, wanted in [
        (3, int64),
        (-2.5, float32),
        (True, bool_),
        ([1, 2], int64),
        ([[1, 2], [3, 4]], int64),
    ]:
        assert infer_dtype(data) is wanted, (
            f"{data} makes a tensor of {wanted}, not {infer_dtype(data)}"
        )


def test_one_number_of_a_higher_kind_decides():
    for data, wanted in [
        ([1, 2.5], float32),
        ([True, 2], int64),
        ([True, 0.5], float32),
        ([[1], [2.0]], float32),
    ]:
        assert infer_dtype(data) is wanted, (
            f"{data} makes a tensor of {wanted}, not {infer_dtype(data)}"
        )


def test_no_numbers_make_the_default_type():
    for data in ([], [[], []]):
        assert infer_dtype(data) is float32, (
            f"{data} has no numbers in it, so the default type float32 is taken"
        )


def test_what_comes_from_numpy_keeps_its_type():
    for wanted in (float16, float32, float64, int8, int32, uint8, bool_):
        for data in (
            np.ones((2, 2), wanted.numpy),
            np.ones((), wanted.numpy)[()],
            np.zeros(0, wanted.numpy),
        ):
            message = f"an array or number of NumPy's {wanted.numpy} keeps its type"
            assert infer_dtype(data) is wanted, message


def test_numpys_numbers_in_a_list_keep_their_types():
    for data, wanted in [
        ([np.float64(1)], float64),
        ([[1.0], [np.float64(1)]], float64),
        ([np.float16(1), np.float16(2)], float16),
        ([np.float16(1), np.int64(3)], float16),
        ([0.5, np.float16(1)], float32),
        ([np.int32(1)], int32),
        ([np.int32(1), 2], int64),
        ([np.int8(1), 0.5], float32),
        ([np.int8(1), np.uint8(2)], int16),
        ([True, np.int8(1)], int8),
        ([np.ones(2), np.ones(2)], float64),
    ]:
        message = f"{data} makes a tensor of {wanted}, not {infer_dtype(data)}: the smallest type that holds all"
        assert infer_dtype(data) is wanted, message


def test_the_default_type_is_asked_for_each_time():
    set_default_dtype(float64)
    try:
        assert infer_dtype([0.5]) is float64, (
            "set_default_dtype(float64) changes what Python's floats become"
        )
        assert infer_dtype([]) is float64, (
            "set_default_dtype(float64) changes what an empty list becomes"
        )
        assert infer_dtype([1]) is int64, "set_default_dtype leaves integers alone"
    finally:
        set_default_dtype(float32)


# %% [markdown]
# ## 2. A shape is a way to look at memory
#
# Memory has no rows and columns: it is one long row of cells. A tensor's *shape* says how many rows and columns
# to see in it, and its *strides* where they lie: `strides[d]` is the number of elements to walk in memory when
# index `d` grows by one.
#
# ```
# memory      0  1  2  3  4  5  6  7  8  9 10 11
#
# shape (3, 4), strides (4, 1)      shape (4, 3), strides (1, 4)     shape (3, 2), strides (4, 2)
#    0  1  2  3                        0  4  8                          0  2
#    4  5  6  7                        1  5  9                          4  6
#    8  9 10 11                        2  6 10                          8 10
#                                      3  7 11
#    as it was made                    its transpose                    every second column
# ```
#
# Element `[i, j]` lies at `offset + i * strides[0] + j * strides[1]`. All three tensors above look at the
# same twelve numbers. None of them copied anything: making a *view* only makes a new shape, new strides and a
# new offset, whatever the size of the tensor. (NumPy counts its strides in bytes, PyTorch in elements.)


# %%
#| export
class Size(tuple):
    """The lengths of a tensor's dimensions: a tuple that prints as PyTorch's does."""

    def numel(self):
        """The number of elements in a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, index):
        item = super().__getitem__(index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other):
        return Size(super().__add__(other))

    def __repr__(self):
        return f"torch.Size({list(self)})"


# %% [markdown]
# ### Strides of a new tensor
# A new tensor is laid out row by row: the last index varies fastest, so its stride is 1. One step along any
# other dimension has to jump over everything that the dimensions after it hold:
#
# $$\mathrm{stride}_d = \prod_{e > d} n_e \qquad\text{so for } (2, 3, 4): \quad (3 \cdot 4,\; 4,\; 1)$$
#
# A dimension of length 0 counts as 1 in this product, as in PyTorch. A tensor with these strides is called
# *contiguous*.
#
# <details><summary>Hint 1</summary>Begin at the last dimension, whose stride is 1, and go towards the first.</details>
# <details><summary>Hint 2</summary>Each stride is the one to its right times the length of the dimension to its right.</details>
# <details><summary>Hint 3</summary><code>for n in reversed(shape):</code> put the step so far in front of the list, then multiply the step by <code>max(n, 1)</code>.</details>


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
def test_strides_are_those_of_numpys_new_arrays():
    for shape in [(5,), (3, 4), (2, 3, 4), (4, 1, 2), (1, 1), (7, 5, 3, 2)]:
        wanted = tuple(s // 8 for s in np.zeros(shape).strides)
        assert tuple(contiguous_strides(shape)) == wanted, (
            f"a new tensor of shape {shape} has strides {wanted}"
        )


def test_a_tensor_of_one_number_has_no_strides():
    assert contiguous_strides(()) == (), (
        "the shape () has no dimensions, so there are no strides: ()"
    )


def test_a_length_of_zero_counts_as_one():
    assert tuple(contiguous_strides((2, 0, 3))) == (3, 3, 1), (
        "(2, 0, 3) has strides (3, 3, 1), as in PyTorch"
    )
    assert tuple(contiguous_strides((0,))) == (1,), "(0,) has strides (1,)"


# %% [markdown]
# ### The length that is left
# `x.reshape(-1, 4)` leaves one length to be worked out: as many rows of 4 as there are elements. It is the
# small service that lets code be written for any batch size. It is also the place where a wrong shape is best
# refused, with both numbers in the message, and the shape as it was asked for: with its -1, if it has one.
#
# <details><summary>Hint 1</summary>The product of the lengths that are given must divide the number of elements; what is left is the unknown length.</details>
# <details><summary>Hint 2</summary>When the given lengths multiply to 0, any number would do for the -1, so none is right: refuse it.</details>
# <details><summary>Hint 3</summary>Replace the -1 if you can, and then check once: no length is negative, and <code>math.prod(shape) == numel</code>. What could not be replaced fails that check too.</details>


# %% stub="infer-shape"
#| export
def infer_shape(numel, shape):
    """Complete the shape that is asked for, in which one length may be -1: what is left.

    Args:
        numel: the number of elements that the shape has to hold.
        shape: the lengths; -1 at most once.

    Returns:
        The shape as a tuple, without a -1, holding exactly `numel` elements.

    Raises:
        RuntimeError: "only one dimension can be inferred" for more than one -1; "shape '[4, 2]' is invalid for input of
            size 6" where the numbers do not agree, a length is negative, or the -1 could be anything. The message shows
            the shape as a list, as it was asked for.

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
    """Check that `infer_shape` answers with a RuntimeError that gives the reason."""
    try:
        said = f"no error, but {infer_shape(numel, shape)}"
    except NotImplementedError:
        raise
    except RuntimeError as error:
        said = str(error)
    assert reason in said, (
        f"{numel} elements as {shape}: RuntimeError({reason!r}) is wanted. What came: {said}"
    )


def test_the_missing_length_is_what_is_left():
    for numel, shape, wanted in [
        (12, (-1, 4), (3, 4)),
        (12, [2, -1, 3], (2, 2, 3)),
        (12, (-1,), (12,)),
        (1, (-1, 1), (1, 1)),
        (0, (-1, 3), (0, 3)),
    ]:
        found = infer_shape(numel, shape)
        assert isinstance(found, tuple), "the shape comes back as a tuple"
        assert found == wanted, (
            f"{numel} elements as {shape}: {wanted} was wanted, not {found}"
        )


def test_a_complete_shape_is_returned_as_it_is():
    for numel, shape in [(12, (3, 4)), (1, ()), (0, (2, 0, 5)), (6, (1, 6, 1))]:
        assert infer_shape(numel, shape) == shape, (
            f"{shape} holds {numel} elements, and nothing is missing in it"
        )


def test_shapes_that_do_not_fit_are_refused():
    for numel, shape in [
        (6, (4, 2)),
        (6, (7,)),
        (6, ()),
        (12, (-1, 5)),
        (6, (-1, -6)),
        (6, (-2, -3)),
        (0, (3,)),
    ]:
        refused(numel, shape, f"shape '{list(shape)}' is invalid for input of size {numel}")


def test_what_could_be_anything_is_refused():
    refused(0, (-1, 0), "is invalid for input of size 0")
    refused(6, (-1, 0), "is invalid for input of size 6")
    refused(4, (-1, -1), "only one dimension can be inferred")


# %% [markdown]
# ### Can it be done without moving anything?
# `x.view(shape)` promises a view, and `x.reshape(shape)` copies if it has to. When does it have to?
#
# Walk through the elements in order of their indices and watch where they lie in memory. As long as the steps
# are equal, you are in one evenly spaced *run*. A new shape may cut a run into any lengths, but it may not put
# elements of two runs into one dimension, for a dimension has a single stride.
#
# ```
# (2, 3, 4), strides (12, 4, 1)    0 1 2 ... 23                   one run of 24: any shape will do
# (4, 3),    strides (1, 4)        0 4 8 | 1 5 9 | 2 6 10 | ...   four runs of 3: (2, 2, 3) will do, (6, 2) will not
# (2, 3, 2), strides (12, 4, 2)    0 2 4 ... 22                   one run of 12, with steps of 2
# ```
#
# Two neighbouring dimensions belong to one run if a step along the outer one lands where the inner one would
# have gone next: `strides[d] == shape[d + 1] * strides[d + 1]`. Dimensions of length 1 can be left out, since
# nobody ever takes a step along them.
#
# So: merge the dimensions into runs. Then read both shapes from the right, and multiply. Wherever a run ends,
# a dimension of the new shape has to end too.
#
# ```
# runs 4, 3        from the right:   3, 12
# (2, 2, 3)        from the right:   3,  6, 12     both 3 and 12 are there: a view
# (6, 2)           from the right:   2, 12         3 is not: a copy
# ```
#
# <details><summary>Hint 1</summary>First a loop over <code>zip(shape, strides)</code> that builds the list of runs: multiply the last run by n if the two belong together, otherwise begin a new one.</details>
# <details><summary>Hint 2</summary>In that loop you need the stride of the dimension before: it belongs together with the present one if it equals <code>n * stride</code>.</details>
# <details><summary>Hint 3</summary><code>itertools.accumulate(reversed(lengths), operator.mul)</code> gives the products from the right, and <code>set(a) &lt;= set(b)</code> asks whether all of one are among the other. A shape with a 0 in it is always a view.</details>


# %% stub="is-viewable"
#| export
def is_viewable(shape, strides, new_shape):
    """Decide whether a tensor can be seen in another shape without moving an element.

    Args:
        shape, strides: how the tensor lies in memory, strides in elements.
        new_shape: the shape that is asked for, of as many elements.

    Returns:
        True or False.

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
def viewable(array, *new_shapes):
    """What `is_viewable` answers for an array, whose strides NumPy counts in bytes."""
    strides = tuple(s // array.itemsize for s in array.strides)
    return [is_viewable(array.shape, strides, shape) for shape in new_shapes]


def test_a_contiguous_tensor_takes_any_shape():
    found = viewable(np.zeros((2, 3, 4)), (24,), (4, 6), (3, 2, 4), (2, 3, 2, 2), (1, 24, 1))
    assert found == [True] * 5, (
        "(2, 3, 4) laid out row by row is one run: every shape of 24 elements is a view"
    )


def test_a_transpose_can_be_cut_but_not_joined():
    found = viewable(
        np.zeros((3, 4)).T, (12,), (6, 2), (2, 2, 3), (4, 3), (4, 3, 1), (1, 4, 3)
    )
    message = "the transpose has four runs of 3: (12,) and (6, 2) cross their ends, the others do not"
    assert found == [False, False, True, True, True, True], message


def test_rows_of_a_part_are_runs_of_their_own():
    part = np.zeros((4, 6))[:, :3]
    assert viewable(part, (12,), (2, 2, 3), (4, 3, 1)) == [False, True, True], (
        "x[:, :3] skips the end of each row"
    )


def test_steps_larger_than_one_are_still_one_run():
    assert viewable(np.zeros((3, 8))[:, ::2], (12,), (6, 2)) == [True, True], (
        "every second column: even steps of 2"
    )
    assert viewable(np.zeros(12)[::3], (2, 2)) == [True], (
        "every third element: even steps of 3"
    )


def test_dimensions_of_length_one_do_not_matter():
    assert is_viewable((3, 1, 4), (4, 77, 1), (12,)), (
        "nobody steps along a length of 1: its stride says nothing"
    )
    assert is_viewable((1, 3), (50, 1), (3,)), (
        "nobody steps along a length of 1: its stride says nothing"
    )
    assert is_viewable((1, 1), (9, 5), (1,)), "one element has any shape"
    assert is_viewable((), (), (1, 1)), "one element has any shape"


def test_repeated_rows_are_not_one_run():
    assert not is_viewable((2, 3), (0, 1), (6,)), (
        "an expanded row, stride 0, comes back to its beginning"
    )
    assert is_viewable((2, 3), (0, 0), (6,)), "one number expanded to (2, 3): all steps are 0"


def test_a_tensor_without_elements_takes_any_shape():
    assert is_viewable((0, 3), (1, 7), (3, 0)), "with no elements there is nothing to move"


# %% [markdown]
# ## 3. Broadcasting
#
# Add a bias of shape `(4,)` to a batch of shape `(32, 4)`: every row gets the same bias, and nobody writes a
# loop or copies the bias 32 times. The rule is one sentence: *write the shapes one below the other, flush right;
# a dimension that is missing or has length 1 is stretched to the other's length; all other lengths must agree.*
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
# Stretched means stride 0: the same element is read again and again. Nothing is copied.
#
# What the rule gives, it also takes: subtract the targets `(32,)` from the predictions `(32, 1)`, and you do not
# get an error but a tensor of shape `(32, 32)`. A loss computed from it looks plausible, and trains to nothing.
#
# <details><summary>Hint 1</summary>The result has as many dimensions as the longest shape. Begin with that many ones.</details>
# <details><summary>Hint 2</summary>A shape of length k covers the last k dimensions of the result: <code>zip(reversed(range(ndim)), reversed(shape))</code> pairs them, from the right.</details>
# <details><summary>Hint 3</summary>For each length n that is not 1: if the result still has 1 there, it becomes n (0 too); if it has something else than n, the shapes do not go together.</details>


# %% stub="broadcast-shapes"
#| export
def broadcast_shapes(*shapes):
    """Find the shape that tensors of these shapes have together.

    Args:
        shapes: any number of tuples of lengths.

    Returns:
        A `Size`; of no shapes at all, `Size([])`.

    Raises:
        RuntimeError: "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1", where a
            is what the shapes before come to, b is the first that does not fit, and the dimension is the result's. Where b
            does not fit in several dimensions, the last of them is named: shapes are compared from the right.

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
                    f"The size of tensor a ({result[dim]}) must match the size of tensor b ({n}) "
                    f"at non-singleton dimension {dim}"
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
        ((5, 1), (1, 6)),
        ((2, 3), (2, 3)),
    ]:
        found, wanted = broadcast_shapes(*shapes), np.broadcast_shapes(*shapes)
        assert tuple(found) == wanted, (
            f"{shapes[0]} and {shapes[1]} make {wanted}, not {tuple(found)}"
        )


def test_a_length_of_one_stretches_to_nothing_too():
    assert tuple(broadcast_shapes((0, 3), (1, 1))) == (0, 3), (
        "a length of 1 beside 0 becomes 0"
    )
    assert tuple(broadcast_shapes((1,), (0,))) == (0,), "a length of 1 beside 0 becomes 0"


def test_any_number_of_shapes_goes_together():
    assert tuple(broadcast_shapes((3, 1), (), (1, 4), (2, 1, 1))) == (2, 3, 4), (
        "four shapes make one"
    )
    assert tuple(broadcast_shapes((2, 3))) == (2, 3), "one shape is its own"
    assert tuple(broadcast_shapes()) == (), "no shapes make the shape of a single number"


def test_the_result_is_a_size():
    assert isinstance(broadcast_shapes((2,), (1,)), Size), (
        "the result is a Size, not a plain tuple or list"
    )


def test_shapes_that_do_not_agree_are_refused():
    for shapes, a, b, dim in [
        (((2, 3), (4,)), 3, 4, 1),
        (((2, 3), (2, 2)), 3, 2, 1),
        (((5, 2, 3), (4, 1, 3)), 5, 4, 0),
        (((0,), (2,)), 0, 2, 0),
        (((1, 3), (2, 1), (4, 3)), 2, 4, 0),
        (((2, 3), (4, 5)), 3, 5, 1),
    ]:
        try:
            said = f"no error, but {broadcast_shapes(*shapes)}"
        except NotImplementedError:
            raise
        except RuntimeError as error:
            said = str(error)
        message = f"{shapes}: a RuntimeError that names ({a}), ({b}) and dimension {dim} is wanted. What came: {said}"
        assert 0 <= said.find(f"({a})") < said.find(f"({b})"), message
        assert said.endswith(f"dimension {dim}"), message


# %% [markdown]
# ## 4. From arrays to tensors
#
# A `Tensor` is a NumPy array and a few notes about gradients. An *operation* is a class: its `forward` takes
# arrays and returns an array, and knows nothing of tensors.
#
# ```
#                      Function.apply                              Function.apply
# Tensor --- unwrap ---> arrays --- forward(ctx, ...) ---> array --- wrap ---> Tensor
#                                        |                                       |
#                                    Context: what the gradient will need <--- grad_fn
# ```
#
# One place, `Function.apply`, stands between the two. It is the place where a call is remembered: which operation, what
# it saved, which tensors it was given. Remembered calls form a graph, and module 06 will walk along it to
# compute gradients. You write `apply` now, and from then on no operation has to think of gradients; it only
# says what it will need, with `ctx.save_for_backward`.
#
# ### Given: what a call leaves behind
# Read `Context`: you will fill one in each time. The rest of the cell keeps count of changes in place, so that
# module 06 can refuse to compute with saved values that are no longer what they were.

# %%
#| export
clock = (
    itertools.count()
)  # numbers operations and in-place changes in the order in which they happen
changes = {}  # what has been changed in place: id of the memory's owner -> (how often, when last)


class GradMode(threading.local):
    """Whether operations prepare for gradients, and note where they were called; switched in module 06, by thread."""

    enabled, anomaly = True, False


grad_mode = GradMode()


def owner(array):
    """The array whose memory this one looks into: itself, unless it is a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def changed(array):
    """Note that an array is being changed in place, so that a gradient that saved it can refuse."""
    memory = owner(array)
    key = id(memory)
    if key not in changes:
        weakref.finalize(memory, changes.pop, key)
    changes[key] = (changes.get(key, (0,))[0] + 1, next(clock))


class Context:
    """What one call of an operation leaves for its gradient; also that call's node in the graph of gradients.

    `function` is the operation, `saved_tensors` what its forward saved, `needs_input_grad` says of each input whether
    a gradient will be asked for, and `edges` where each input's gradient goes: (node or leaf tensor, number of output).
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
        """Keep arrays that the gradient will need: inputs, outputs, or constants of this call."""
        self.saved = arrays

    @property
    def saved_tensors(self):
        """What was saved, as `unpack` returns it."""
        return self.unpack()

    def unpack(self):
        """What was saved. RuntimeError once a backward pass has freed it, or an in-place operation has changed it."""
        if self.saved is None:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after they have "
                "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time "
                "or if you need to access saved tensors after calling backward."
            )
        for array in self.saved if changes else ():
            if (
                isinstance(array, np.ndarray)
                and changes.get(id(owner(array)), (0, -1))[1] > self.number
            ):
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"{self.name()} saved an array of shape {list(array.shape)}, which has changed since."
                )
        return self.saved

    def record(self, arrays, output, result):
        """Become the node of a result or a tuple of them; note the time, and which arrays the call took and returned."""
        self.number = next(clock)
        several = isinstance(result, tuple)
        for output_nr, r in enumerate(result if several else (result,)):
            if r.array.dtype.kind == "f":  # integers and booleans have no gradient
                r._edge = (self, output_nr)
        if several:
            self.results = [(r.array.shape, r.array.dtype) for r in result]
        if self.saved:
            self.ids = [*map(id, arrays), *map(id, output if several else (output,))]
        if grad_mode.anomaly:
            self.traceback = traceback.format_stack()[:-2]

    def keep(self, array):
        """Save a copy in place of `array`, which is about to be changed by the operation that saved it."""
        if any(a is array for a in self.saved):
            copy = array.copy()
            self.saved = tuple([copy if a is array else a for a in self.saved])
            self.ids = [id(copy) if i == id(array) else i for i in self.ids]

    def free(self):
        """Let go of what was saved; asking for it again is an error."""
        if self.saved:
            self.saved = None

    def name(self):
        """The node's name, such as MulBackward0."""
        return (
            f"{self.function.__name__}Backward0"
            if self.function
            else "Context of no operation"
        )

    def __repr__(self):
        return f"<{self.name()}>"


# %% [markdown]
# ### Given: the Tensor class, in two parts
# The first cell below is a table of PyTorch's methods, each of which hands the tensor on to an operation. Skip it; when you wonder
# what `x.narrow` does, look there. The second is the tensor itself, and its first screen is worth a glance.


# %%
#| export
def later(module):
    """Import a module of the course that is built after this one."""
    return importlib.import_module(f"tinytorch.{module}")


def inplace(name):
    """The method `name_`, which puts what the method `name` returns into the tensor's own memory."""

    def method(self, *args, **kwargs):
        return self._become(getattr(self, name)(*args, **kwargs))

    method.__name__, method.__doc__ = f"{name}_", f"The in-place version of `{name}`."
    return method


class Operations:
    """PyTorch's methods for tensors; every one hands its arguments to an operation."""

    # Arithmetic
    def add(self, other, *, alpha=1):
        x, y = promote(self, other)
        return Add.apply(x, y if alpha == 1 else y * alpha)

    def sub(self, other, *, alpha=1):
        x, y = promote(self, other)
        return Sub.apply(x, y if alpha == 1 else y * alpha)

    def div(self, other, *, rounding_mode=None):
        if rounding_mode is None:
            return Div.apply(*promote(self, other, floating=True))
        if rounding_mode not in ("floor", "trunc"):
            raise RuntimeError(
                f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
            )
        return (FloorDivide if rounding_mode == "floor" else TruncDivide).apply(
            *promote(self, other)
        )

    def clamp(self, min=None, max=None):
        if min is None and max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        x = self
        for bound in (min, max):
            x = x if bound is None else promote(x, bound)[0]
        return Clamp.apply(
            x, *[bound if bound is None else promote(x, bound)[1] for bound in (min, max)]
        )

    clip = clamp
    mul = lambda self, other: Mul.apply(*promote(self, other))
    pow = lambda self, exponent: Pow.apply(*promote(self, exponent))
    floor_divide = lambda self, other: FloorDivide.apply(*promote(self, other))
    remainder = lambda self, other: Remainder.apply(*promote(self, other))
    maximum = lambda self, other: Maximum.apply(*promote(self, other))
    minimum = lambda self, other: Minimum.apply(*promote(self, other))
    neg = lambda self: Neg.apply(self)
    abs = lambda self: Abs.apply(self)
    exp = lambda self: Exp.apply(floating(self))
    expm1 = lambda self: Expm1.apply(floating(self))
    log = lambda self: Log.apply(floating(self))
    log1p = lambda self: Log1p.apply(floating(self))
    log2 = lambda self: self.log() * (1 / math.log(2))
    log10 = lambda self: self.log() * (1 / math.log(10))
    sqrt = lambda self: Sqrt.apply(floating(self))
    rsqrt = lambda self: self.sqrt().reciprocal()
    square = lambda self: self.pow(2)
    reciprocal = lambda self: 1 / self
    sin = lambda self: Sin.apply(floating(self))
    cos = lambda self: Cos.apply(floating(self))
    floor = lambda self: Floor.apply(self)
    ceil = lambda self: Ceil.apply(self)
    trunc = lambda self: Trunc.apply(self)
    round = lambda self, *, decimals=0: Round.apply(self, decimals=decimals)
    sign = lambda self: Sign.apply(self)
    lerp = lambda self, end, weight: self + weight * (end - self)
    addcmul = lambda self, tensor1, tensor2, *, value=1: self + tensor1 * tensor2 * value
    addcdiv = lambda self, tensor1, tensor2, *, value=1: self + tensor1 / tensor2 * value

    # Comparisons and logic: booleans and bits, which have no gradient
    eq = lambda self, other: pointwise(np.equal, self, other)
    ne = lambda self, other: pointwise(np.not_equal, self, other)
    lt = lambda self, other: pointwise(np.less, self, other)
    le = lambda self, other: pointwise(np.less_equal, self, other)
    gt = lambda self, other: pointwise(np.greater, self, other)
    ge = lambda self, other: pointwise(np.greater_equal, self, other)
    isnan = lambda self: pointwise(np.isnan, self)
    isinf = lambda self: pointwise(np.isinf, self)
    isfinite = lambda self: pointwise(np.isfinite, self)
    logical_not = lambda self: pointwise(np.logical_not, self)
    logical_and = lambda self, other: pointwise(np.logical_and, self, other)
    logical_or = lambda self, other: pointwise(np.logical_or, self, other)
    logical_xor = lambda self, other: pointwise(np.logical_xor, self, other)
    bitwise_not = lambda self: bitwise(np.invert, self)
    bitwise_and = lambda self, other: bitwise(np.bitwise_and, self, other)
    bitwise_or = lambda self, other: bitwise(np.bitwise_or, self, other)
    bitwise_xor = lambda self, other: bitwise(np.bitwise_xor, self, other)

    def equal(self, other):
        """Whether both have the same shape and the same values: one bool."""
        return np.array_equal(self.array, other.array)

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return wrap(np.isclose(self.array, array_of(other), rtol, atol, equal_nan))

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return bool(self.isclose(other, rtol, atol, equal_nan).array.all())

    # Operators
    __add__ = __radd__ = lambda self, other: Add.apply(*promote(self, other))
    __mul__ = __rmul__ = lambda self, other: Mul.apply(*promote(self, other))
    __sub__ = lambda self, other: Sub.apply(*promote(self, other))
    __rsub__ = lambda self, other: Sub.apply(*promote(other, self))
    __truediv__ = lambda self, other: Div.apply(*promote(self, other, floating=True))
    __rtruediv__ = lambda self, other: Div.apply(*promote(other, self, floating=True))
    __floordiv__ = lambda self, other: FloorDivide.apply(*promote(self, other))
    __rfloordiv__ = lambda self, other: FloorDivide.apply(*promote(other, self))
    __mod__ = lambda self, other: Remainder.apply(*promote(self, other))
    __rmod__ = lambda self, other: Remainder.apply(*promote(other, self))
    __pow__ = lambda self, other: Pow.apply(*promote(self, other))
    __rpow__ = lambda self, other: Pow.apply(*promote(other, self))
    __matmul__ = lambda self, other: self.matmul(other)
    __neg__, __abs__, __pos__, __invert__ = neg, abs, lambda self: self, bitwise_not
    __lt__, __le__, __gt__, __ge__ = lt, le, gt, ge
    __eq__ = lambda self, other: (
        self.eq(other) if isinstance(other, OPERANDS) else NotImplemented
    )
    __ne__ = lambda self, other: (
        self.ne(other) if isinstance(other, OPERANDS) else NotImplemented
    )
    __hash__ = object.__hash__
    __and__ = __rand__ = bitwise_and
    __or__ = __ror__ = bitwise_or
    __xor__ = __rxor__ = bitwise_xor

    # Products
    def matmul(self, other):
        if not isinstance(other, Tensor):
            raise TypeError(
                f"matmul(): argument 'other' must be Tensor, not {type(other).__name__}"
            )
        return MatMul.apply(self, other)

    def outer(self, vec2):
        if self.ndim != 1 or vec2.ndim != 1:
            raise RuntimeError(
                f"outer: expected two 1-D tensors, but got {self.ndim}-D and {vec2.ndim}-D"
            )
        return self.unsqueeze(1) * vec2

    mm = lambda self, mat2: matrix_product(self, mat2, (2, 2), "mm")
    bmm = lambda self, mat2: matrix_product(self, mat2, (3, 3), "bmm")
    mv = lambda self, vec: matrix_product(self, vec, (2, 1), "mv")
    dot = lambda self, tensor: matrix_product(self, tensor, (1, 1), "dot")
    addmm = lambda self, mat1, mat2, *, beta=1, alpha=1: self * beta + mat1.mm(mat2) * alpha

    # Reductions; axis and keepdims are the names that NumPy's functions call them by
    def sum(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
        return reduced(
            Sum, self, dtype, dim=dim if axis is None else axis, keepdim=keepdim or keepdims
        )

    def mean(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
        return reduced(
            Mean, self, dtype, dim=dim if axis is None else axis, keepdim=keepdim or keepdims
        )

    def prod(self, dim=None, keepdim=False, *, dtype=None):
        return reduced(Prod, self, dtype, dim=dim, keepdim=keepdim)

    def cumsum(self, dim, *, dtype=None):
        return reduced(CumSum, self, dtype, dim=dim)

    def var(self, dim=None, unbiased=True, keepdim=False, *, correction=None):
        correction = int(unbiased) if correction is None else correction
        return Var.apply(self, dim=dim, correction=correction, keepdim=keepdim)

    def std(self, dim=None, unbiased=True, keepdim=False, *, correction=None):
        correction = int(unbiased) if correction is None else correction
        return Std.apply(self, dim=dim, correction=correction, keepdim=keepdim)

    def max(self, dim=None, keepdim=False):
        """The largest element; along `dim`, the largest and where they are; or elementwise, against another tensor."""
        if isinstance(dim, Tensor):
            return self.maximum(dim)
        return (
            self.amax()
            if dim is None
            else return_types.max(*Max.apply(self, dim=dim, keepdim=keepdim))
        )

    def min(self, dim=None, keepdim=False):
        """The smallest element; along `dim`, the smallest and where they are; or elementwise, against another tensor."""
        if isinstance(dim, Tensor):
            return self.minimum(dim)
        return (
            self.amin()
            if dim is None
            else return_types.min(*Min.apply(self, dim=dim, keepdim=keepdim))
        )

    amax = lambda self, dim=(), keepdim=False: Amax.apply(self, dim=dim, keepdim=keepdim)
    amin = lambda self, dim=(), keepdim=False: Amin.apply(self, dim=dim, keepdim=keepdim)
    argmax = lambda self, dim=None, keepdim=False: Argmax.apply(self, dim=dim, keepdim=keepdim)
    argmin = lambda self, dim=None, keepdim=False: Argmin.apply(self, dim=dim, keepdim=keepdim)
    all = lambda self, dim=None, keepdim=False: truth(np.all, self, dim, keepdim)
    any = lambda self, dim=None, keepdim=False: truth(np.any, self, dim, keepdim)

    def count_nonzero(self, dim=None):
        return wrap(np.asarray(np.count_nonzero(self.array, axis=axes_of(dim, self.ndim))))

    def sort(self, dim=-1, descending=False, stable=False):
        return return_types.sort(*Sort.apply(self, dim=dim, descending=descending))

    def argsort(self, dim=-1, descending=False, stable=False):
        return self.sort(dim, descending).indices

    def topk(self, k, dim=-1, largest=True, sorted=True):
        return return_types.topk(*TopK.apply(self, k=k, dim=dim, largest=largest))

    def norm(self, p=2, dim=None, keepdim=False):
        """The p-norm over all elements or along `dim`; p is a number, inf, or "fro" for 2."""
        if p in (2, "fro"):
            return (self * self).sum(dim, keepdim).sqrt()
        if p in (math.inf, -math.inf):
            return getattr(self.abs(), "amax" if p > 0 else "amin")(
                () if dim is None else dim, keepdim
            )
        if p == 0:
            return (self != 0).to(self.dtype).sum(dim, keepdim)
        return (self.abs() ** p).sum(dim, keepdim) ** (1 / p)

    def bincount(self, weights=None, minlength=0):
        if self.is_floating_point():
            raise NotImplementedError(f"bincount is not implemented for {self.dtype}")
        if self.ndim != 1 or self.array.min(initial=0) < 0:
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        counts = np.bincount(self.array, None if weights is None else weights.array, minlength)
        return wrap(
            counts.astype(np.float32)
            if weights is not None and weights.dtype == float32
            else counts
        )

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        found = np.unique(
            self.array, return_inverse=return_inverse, return_counts=return_counts, axis=dim
        )
        return tuple(wrap(a) for a in found) if isinstance(found, tuple) else wrap(found)

    # Shapes
    def view(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], dtype):
            return wrap(self.array.view(shape[0].numpy))
        shape = infer_shape(self.numel(), sizes(shape))
        if not is_viewable(self.shape, self.stride(), shape):
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead."
            )
        return Reshape.apply(self, shape=shape)

    reshape = lambda self, *shape: Reshape.apply(
        self, shape=infer_shape(self.numel(), sizes(shape))
    )
    view_as = lambda self, other: self.view(other.shape)
    reshape_as = lambda self, other: self.reshape(other.shape)

    def flatten(self, start_dim=0, end_dim=-1):
        if self.ndim == 0:
            return self.reshape(1)
        start, end = axis_of(start_dim, self.ndim), axis_of(end_dim, self.ndim)
        if start > end:
            raise RuntimeError(
                "flatten() has invalid args: start_dim cannot come after end_dim"
            )
        middle = math.prod(self.shape[start : end + 1])
        return (
            self
            if start == end
            else self.reshape(*self.shape[:start], middle, *self.shape[end + 1 :])
        )

    def unflatten(self, dim, sizes):
        dim = axis_of(dim, self.ndim)
        return self.reshape(
            *self.shape[:dim], *infer_shape(self.shape[dim], sizes), *self.shape[dim + 1 :]
        )

    def squeeze(self, dim=None):
        dims = range(self.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        dims = [axis_of(d, self.ndim) for d in dims]
        return self.reshape([n for d, n in enumerate(self.shape) if n != 1 or d not in dims])

    def unsqueeze(self, dim):
        dim = axis_of(dim, self.ndim + 1)
        return self.reshape(*self.shape[:dim], 1, *self.shape[dim:])

    def transpose(self, dim0, dim1):
        dims = list(range(self.ndim))
        dim0, dim1 = axis_of(dim0, self.ndim), axis_of(dim1, self.ndim)
        if dims:
            dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
        return self.permute(dims)

    swapaxes = swapdims = transpose

    def movedim(self, source, destination):
        source, destination = (
            [
                axis_of(d, self.ndim)
                for d in (dims if isinstance(dims, (tuple, list)) else [dims])
            ]
            for dims in (source, destination)
        )
        dims = [d for d in range(self.ndim) if d not in source]
        for position, dim in sorted(zip(destination, source)):
            dims.insert(position, dim)
        return self.permute(dims)

    def t(self):
        if self.ndim > 2:
            raise RuntimeError(
                f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D"
            )
        return self.T

    permute = lambda self, *dims: Permute.apply(self, dims=sizes(dims))
    T = property(lambda self: Permute.apply(self, dims=range(self.ndim)[::-1]))
    mT = property(lambda self: self.transpose(-2, -1))
    expand = lambda self, *shape: Expand.apply(self, shape=sizes(shape))
    expand_as = lambda self, other: self.expand(other.shape)
    broadcast_to = lambda self, size: self.expand(size)

    def repeat(self, *repeats):
        """The tensor laid out `repeats` times along each dimension."""
        repeats = sizes(repeats)
        if len(repeats) < self.ndim:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
        shape = (1,) * (len(repeats) - self.ndim) + self.shape
        x = self.reshape([length for n in shape for length in (1, n)])  # (1, n0, 1, n1, ...)
        x = x.expand(
            [length for pair in zip(repeats, shape) for length in pair]
        )  # (r0, n0, r1, n1, ...)
        return x.reshape([r * n for r, n in zip(repeats, shape)])

    def tile(self, *dims):
        dims = sizes(dims)
        return self.repeat((1,) * (self.ndim - len(dims)) + dims)

    def repeat_interleave(self, repeats, dim=None):
        x = self.flatten() if dim is None else self
        dim = 0 if dim is None else axis_of(dim, x.ndim)
        if np.size(array_of(repeats)) not in (1, x.shape[dim]):
            raise RuntimeError("repeats must have the same size as input along dim")
        return x.index_select(dim, wrap(np.repeat(np.arange(x.shape[dim]), array_of(repeats))))

    def narrow(self, dim, start, length):
        total = self.size(dim)
        start = start + total if start < 0 else start
        if not 0 <= start <= start + length <= total:
            raise RuntimeError(
                f"start ({start}) + length ({length}) exceeds dimension size ({total})."
            )
        return self.select(dim, slice(start, start + length))

    def split(self, split_size, dim=0):
        """Views of the tensor cut along `dim`: into pieces of `split_size`, or of the sizes in a list."""
        total = self.size(dim)
        if isinstance(split_size, int):
            if split_size < (total > 0):
                raise RuntimeError(
                    f"split expects split_size to be positive, but got split_size={split_size}"
                )
            split_size = [
                min(split_size, total - start)
                for start in range(0, max(total, 1), max(split_size, 1))
            ]
        if sum(split_size) != total:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension {dim}), "
                f"but got split_sizes={list(split_size)}"
            )
        ends = itertools.accumulate(split_size)
        return tuple(
            [self.narrow(dim, end - size, size) for size, end in zip(split_size, ends)]
        )

    def chunk(self, chunks, dim=0):
        if chunks < 1:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        return self.split(max(1, -(-self.size(dim) // chunks)), dim)

    def diagonal(self, offset=0, dim1=0, dim2=1):
        dim1, dim2 = axis_of(dim1, self.ndim), axis_of(dim2, self.ndim)
        if dim1 == dim2:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        return Diagonal.apply(self, offset=offset, dim1=dim1, dim2=dim2)

    flip = lambda self, *dims: Flip.apply(self, dims=axes_of(sizes(dims), self.ndim))
    roll = lambda self, shifts, dims=None: Roll.apply(self, shifts=shifts, dims=dims)
    tril = lambda self, diagonal=0: Tril.apply(self, diagonal=diagonal)
    triu = lambda self, diagonal=0: Triu.apply(self, diagonal=diagonal)

    # Elements
    def __getitem__(self, index):
        return Index.apply(self, index=index_arrays(index))

    def __setitem__(self, index, value):
        value = value if isinstance(value, Tensor) else tensor(value, dtype=self.dtype)
        index = index_arrays(index)
        if value.dtype != self.dtype and not is_basic(index):
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, "
                f"got {self.dtype} for the destination and {value.dtype} for the source."
            )
        if grad_mode.enabled and (self.requires_grad or value.requires_grad):
            self._become(IndexPut.apply(self, value.to(self.dtype), index=index))
        else:
            put(self._writable(), index, value.array)

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind())

    select = lambda self, dim, index: self[(slice(None),) * axis_of(dim, self.ndim) + (index,)]
    unbind = lambda self, dim=0: tuple([self.select(dim, i) for i in range(self.size(dim))])

    def index_select(self, dim, index):
        if index.ndim > 1:
            raise IndexError("index_select(): Index is supposed to be a vector")
        return self.select(dim, index)

    def index_add(self, dim, index, source, *, alpha=1):
        if index.ndim != 1 or source.size(dim) != index.numel():
            raise RuntimeError(
                "index_add_(): Number of indices should be equal to source.size(dim)"
            )
        shape = [1] * self.ndim
        shape[dim] = -1
        source = source if alpha == 1 else source * alpha
        return self.scatter_add(dim, index.reshape(shape).expand(source.shape), source)

    def scatter(self, dim, index, src):
        return Scatter.apply(
            self, index, src.to(self.dtype) if isinstance(src, Tensor) else src, dim=dim
        )

    def masked_fill(self, mask, value):
        return MaskedFill.apply(
            self, mask, value.to(self.dtype) if isinstance(value, Tensor) else value
        )

    gather = lambda self, dim, index: Gather.apply(self, index, dim=dim)
    take_along_dim = lambda self, indices, dim: self.gather(dim, indices)
    scatter_add = lambda self, dim, index, src: ScatterAdd.apply(self, index, src, dim=dim)
    masked_select = lambda self, mask: self[
        mask.expand(broadcast_shapes(self.shape, mask.shape))
    ]
    where = lambda self, condition, other: where(condition, self, other)

    def nonzero(self, *, as_tuple=False):
        if as_tuple:
            return tuple([wrap(i) for i in np.nonzero(np.atleast_1d(self.array))])
        return wrap(np.argwhere(self.array))

    # In place
    add_, sub_, mul_, div_, pow_ = map(inplace, ("add", "sub", "mul", "div", "pow"))
    neg_, abs_, exp_, log_, sqrt_ = map(inplace, ("neg", "abs", "exp", "log", "sqrt"))
    sin_, cos_, floor_, ceil_, round_ = map(inplace, ("sin", "cos", "floor", "ceil", "round"))
    clamp_, clip_, lerp_, square_ = map(inplace, ("clamp", "clip", "lerp", "square"))
    addcmul_, addcdiv_, reciprocal_ = map(inplace, ("addcmul", "addcdiv", "reciprocal"))
    masked_fill_, scatter_, scatter_add_ = map(
        inplace, ("masked_fill", "scatter", "scatter_add")
    )
    index_add_, tril_, triu_ = map(inplace, ("index_add", "tril", "triu"))
    relu_, sigmoid_, tanh_ = map(inplace, ("relu", "sigmoid", "tanh"))
    __iadd__, __isub__, __imul__, __itruediv__, __ipow__ = add_, sub_, mul_, div_, pow_

    def copy_(self, src, non_blocking=False):
        return self._become(Copy.apply(self, src))

    def fill_(self, value):
        value = value if isinstance(value, Tensor) else tensor(value)
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
            )
        return self.copy_(value)

    def zero_(self):
        return self.fill_(0)

    # Random numbers
    def uniform_(self, from_=0.0, to=1.0, *, generator=None, **bounds):
        return self._draw(
            generator,
            "uniform",
            low=bounds.pop("from", from_),
            high=to,
            dtype=self.array.dtype,
        )

    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        return self._draw(generator, "normal", mean=mean, std=std, dtype=self.array.dtype)

    def exponential_(self, lambd=1.0, *, generator=None):
        return self._draw(generator, "exponential", lambd=lambd, dtype=self.array.dtype)

    def random_(self, from_=None, to=None, *, generator=None):
        """Whole numbers from `from_` to `to` - 1; `random_(to)` counts from 0, `random_()` is all that are exact."""
        if from_ is None:
            return self._draw(generator, "random", dtype=self.array.dtype)
        low, high = (0, from_) if to is None else (from_, to)
        return self._draw(generator, "integers", low=low, high=high)

    def bernoulli_(self, p=0.5, *, generator=None):
        if isinstance(p, Tensor):
            return self.copy_(bernoulli(p.expand(self.shape), generator=generator))
        return self._draw(generator, "bernoulli", p=p)

    def _draw(self, generator, distribution, **options):
        """Fill with random numbers, which lie in memory in the order in which they are drawn."""
        draw = getattr(generator or default_generator, distribution)
        values = np.empty_like(self.array)
        values.ravel(order="K")[:] = draw(size=(values.size,), **options)
        return self.copy_(wrap(values))

    # Operations of later modules
    erf = lambda self: later("activations").erf(self)
    relu = lambda self: later("activations").relu(self)
    sigmoid = lambda self: later("activations").sigmoid(self)
    tanh = lambda self: later("activations").tanh(self)
    softmax = lambda self, dim, dtype=None: later("activations").softmax(
        self, dim, dtype=dtype
    )
    log_softmax = lambda self, dim, dtype=None: later("activations").log_softmax(
        self, dim, dtype=dtype
    )
    logsumexp = lambda self, dim, keepdim=False: later("activations").logsumexp(
        self, dim, keepdim
    )


return_types = SimpleNamespace(
    **{
        name: namedtuple(name, ["values", "indices"])
        for name in ("max", "min", "sort", "topk")
    }
)


# %%
#| export
class device:
    """Where a tensor's memory is: `device("cpu")`, and from module 17 on `device("cuda", 0)`."""

    def __init__(self, type, index=None):
        name, _, number = str(type).partition(":")
        if name not in ("cpu", "cuda"):
            raise RuntimeError(
                f"Expected one of cpu, cuda device type at start of device string: {type}"
            )
        self.type, self.index = name, int(number) if number else index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (
            other.type,
            other.index,
        )

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"


class Tensor(Operations):
    """A multi-dimensional array that operations can be applied to, and later differentiated.

    `array` is the NumPy array underneath. `_edge` is the call that made the tensor, (node, number of output), None if a
    user made it; `_base` is the tensor whose memory it looks into if it is a view, and `_route` the views that lead there.
    """

    _requires_grad, _grad, _edge = False, None, None
    _base, _base_edge, _route = None, None, ()
    _tracked = True

    def __init__(self, *data):
        """`Tensor([1, 2])` copies numbers to the default type, `Tensor(2, 3)` is uninitialised, `Tensor(array)` wraps."""
        if len(data) == 1 and isinstance(data[0], np.ndarray):
            self.array = data[0]
        elif len(data) == 1 and not isinstance(data[0], int):
            self.array = tensor(data[0], dtype=get_default_dtype()).array
        else:
            self.array = np.empty(data if data else 0, get_default_dtype().numpy)

    # What it is
    shape = property(lambda self: Size(self.array.shape))
    dtype = property(lambda self: _dtypes[self.array.dtype])
    device = property(
        lambda self: device("cpu") if isinstance(self.array, np.ndarray) else self.array.device
    )
    ndim = property(lambda self: self.array.ndim)
    is_cuda = property(lambda self: self.device.type == "cuda")
    itemsize = property(lambda self: self.array.itemsize)
    nbytes = property(lambda self: self.array.nbytes)
    _version = property(lambda self: changes.get(id(owner(self.array)), (0,))[0])

    dim = lambda self: self.array.ndim
    numel = nelement = lambda self: self.array.size
    size = lambda self, dim=None: (
        self.shape if dim is None else self.shape[axis_of(dim, self.ndim)]
    )
    element_size = lambda self: self.array.itemsize
    is_floating_point = lambda self: self.array.dtype.kind == "f"

    def stride(self, dim=None):
        """How many elements apart neighbours along each dimension (or along `dim`) lie in memory."""
        strides = tuple([s // self.array.itemsize for s in self.array.strides])
        return strides if dim is None else strides[dim]

    def is_contiguous(self):
        """Whether the elements lie in memory in the order of their indices, without gaps."""
        layout = zip(self.shape, self.stride(), contiguous_strides(self.shape))
        return self.numel() == 0 or all(
            n == 1 or stride == wanted for n, stride, wanted in layout
        )

    def data_ptr(self):
        """The address of the first element."""
        return self.array.__array_interface__["data"][0]

    def storage_offset(self):
        """How many elements into its storage the tensor begins."""
        return (
            self.data_ptr() - owner(self.array).__array_interface__["data"][0]
        ) // self.array.itemsize

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.array.shape[0]

    def __repr__(self):
        return tensor_repr(self)

    def __format__(self, spec):
        return format(self.item(), spec) if self.ndim == 0 else object.__format__(self, spec)

    def __contains__(self, value):
        return bool((self == value).array.any())

    # Out of PyTorch and back
    def numpy(self):
        """The array itself, not a copy; RuntimeError if the tensor requires a gradient, which NumPy would lose."""
        if self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        return self.array

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """NumPy's functions on tensors are the tensors' own: np.exp(x) is x.exp(), array + x is a Tensor."""
        names = {
            "absolute": "abs",
            "negative": "neg",
            "power": "pow",
            "divide": "div",
            "subtract": "sub",
        }
        names |= {"multiply": "mul", "greater": "gt", "less": "lt"}
        name = names.get(ufunc.__name__, ufunc.__name__)
        if method != "__call__" or kwargs or not hasattr(Tensor, name):
            return NotImplemented
        first, *rest = (x if isinstance(x, Tensor) else tensor(x) for x in inputs)
        return getattr(first, name)(*rest)

    __dlpack__ = lambda self, **kwargs: self.numpy().__dlpack__(**kwargs)
    __dlpack_device__ = lambda self: self.array.__dlpack_device__()
    tolist = lambda self: self.array.tolist()

    def item(self):
        """The number in a tensor of one element."""
        if self.array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self.array.size} elements cannot be converted to Scalar"
            )
        return self.array.item()

    def __bool__(self):
        if self.array.size != 1:
            kind = "no values" if self.array.size == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {kind} is ambiguous")
        return bool(self.array.item())

    def _number(self):
        """The number that Python's float() and int() are to convert."""
        if self.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.array.item()

    __float__ = lambda self: float(self._number())
    __int__ = lambda self: int(self._number())

    def __index__(self):
        if self.array.dtype.kind not in "iub":
            raise TypeError(
                "only integer tensors of a single element can be converted to an index"
            )
        return int(self)

    def __reduce__(self):
        return _rebuild, (type(self), self.array, self._requires_grad)

    def __deepcopy__(self, memo):
        if self.grad_fn is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
            )
        copied = memo[id(self)] = _rebuild(type(self), self.array.copy(), self._requires_grad)
        copied._grad = None if self._grad is None else self._grad.clone()
        return copied

    # Types and places
    def to(self, *args, dtype=None, device=None, copy=False, non_blocking=False):
        """This tensor in another type, on another device, or like another tensor; itself when nothing changes."""
        for arg in args:
            if isinstance(arg, Tensor):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, type(float32)):
                dtype = arg
            else:
                device = arg
        result = self if device is None else moved(self, device)
        if dtype is not None and dtype.numpy != result.array.dtype:
            result = Cast.apply(result, dtype=dtype.numpy)
        return result.clone() if copy and result is self else result

    def type(self, dtype=None):
        names = ["Half", "Float", "Double", "Char", "Short", "Int", "Long", "Byte", "Bool"]
        name = dict(zip(_dtypes, names))[self.array.dtype]
        return f"torch.{name}Tensor" if dtype is None else self.to(dtype)

    float = lambda self: self.to(float32)
    double = lambda self: self.to(float64)
    half = lambda self: self.to(float16)
    long = lambda self: self.to(int64)
    int = lambda self: self.to(int32)
    short = lambda self: self.to(int16)
    bool = lambda self: self.to(bool_)
    cpu = lambda self: self.to("cpu")
    cuda = lambda self, device=None: self.to("cuda" if device is None else device)
    type_as = lambda self, other: self.to(other.dtype)
    clone = lambda self: Clone.apply(self)
    contiguous = lambda self: (
        self if self.array.flags.c_contiguous else Clone.apply(self, order="C")
    )

    def new_tensor(self, data, dtype=None, requires_grad=False):
        return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_zeros(self, *size, dtype=None, requires_grad=False):
        return zeros(*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_ones(self, *size, dtype=None, requires_grad=False):
        return ones(*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_empty(self, *size, dtype=None, requires_grad=False):
        return empty(*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_full(self, size, fill_value, dtype=None, requires_grad=False):
        return full(size, fill_value, dtype=dtype or self.dtype, requires_grad=requires_grad)

    # Gradients: how they come about is module 06
    def edge(self):
        """Where a gradient for this tensor goes: (node that made it, number of the output), (leaf, 0), or None."""
        base = self._base
        if (
            base is not None and base._edge is not self._base_edge
        ):  # changed in place: look at it again, the same way
            self._base_edge, self._edge = base._edge, follow(self._route, base)._edge
        return self._edge or ((self, 0) if self._requires_grad else None)

    @property
    def grad_fn(self):
        edge = self.edge()
        return None if edge is None or edge[0] is self else edge[0]

    output_nr = property(lambda self: 0 if self.grad_fn is None else self._edge[1])
    is_leaf = property(lambda self: self.grad_fn is None)
    retains_grad = property(lambda self: later("autograd").retains_grad(self))

    @property
    def requires_grad(self):
        return self.edge() is not None

    @requires_grad.setter
    def requires_grad(self, flag):
        if self.grad_fn is not None:
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        if flag and not self.is_floating_point():
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        self._requires_grad = flag

    @property
    def grad(self):
        return self._grad

    @grad.setter
    def grad(self, grad):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}"
            )
        if grad is not None and (grad.shape != self.shape or grad.dtype != self.dtype):
            raise RuntimeError(
                f"assigned grad has shape {list(grad.shape)} and type {grad.dtype}, "
                f"its tensor {list(self.shape)} and {self.dtype}"
            )
        self._grad = grad

    @property
    def data(self):
        """The same memory without gradients, in-place changes of which nobody watches."""
        result = wrap(self.array)
        result._tracked = False
        return result

    @data.setter
    def data(self, other):
        self.array = other.array

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    def detach(self):
        """The same memory without gradients."""
        return wrap(self.array)

    def detach_(self):
        self._edge, self._base, self._requires_grad = None, None, False
        return self

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        later("autograd").backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    register_hook = lambda self, hook: later("autograd").register_hook(self, hook)
    retain_grad = lambda self: later("autograd").retain_grad(self)

    # Changes in place
    def _become(self, result):
        """Take the values of `result`, and its place in the graph."""
        if result.shape != self.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(result.shape)}"
            )
        if not can_cast(result.dtype, self.dtype):
            raise RuntimeError(
                f"result type {result.dtype} can't be cast to the desired output type {self.dtype}"
            )
        if result.requires_grad:
            result.grad_fn.keep(self.array)
        result = result.to(self.dtype)
        np.copyto(self._writable(), result.array)
        if result.requires_grad and self._base is None:
            self._edge = result.edge()
        elif (
            result.requires_grad
        ):  # what was written into a view has been written into its base
            base = self._base
            places = follow(
                self._route, wrap(np.arange(base.numel()).reshape(base.shape))
            ).array
            base._edge = (
                IndexPut.apply(base.reshape(-1), result, index=places)
                .reshape(base.shape)
                ._edge
            )
        return self

    def _writable(self):
        """The array, about to be changed: refused where autograd or another element could not follow."""
        for x, what in ((self, "a leaf Variable"), (self._base, "a view of a leaf Variable")):
            if grad_mode.enabled and x is not None and x._requires_grad and x._edge is None:
                raise RuntimeError(
                    f"{what} that requires grad is being used in an in-place operation."
                )
        if not self.array.flags.writeable:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                "Please clone() the tensor before performing the operation."
            )
        if self._tracked:
            changed(self.array)
        return self.array


def _rebuild(kind, array, requires_grad):
    """A leaf tensor from its parts, for pickle and deepcopy."""
    result = object.__new__(kind)
    result.array, result._requires_grad = array, requires_grad
    return result


def moved(x, place):
    """The tensor on another device, which module 17 brings; itself where it is there already."""
    return x if device(place).type == x.device.type else later("acceleration").move(x, place)


def wrap(array):
    """A Tensor around an array, sharing its memory: what every operation returns."""
    tensor = object.__new__(Tensor)
    tensor.array = np.asarray(array) if isinstance(array, np.generic) else array
    return tensor


def array_of(x):
    """The array of a Tensor; anything else as it is."""
    return x.array if isinstance(x, Tensor) else x


# %% [markdown]
# ### Given: making and printing tensors
# `tensor` makes a tensor from numbers, with the type that your `infer_dtype` found. Printing follows PyTorch to
# the last space: one format for all numbers of a tensor, chosen from their sizes.


# %%
#| export
def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor with a copy of `data`: numbers, nested lists of them, an array, or a tensor.

    >>> tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if isinstance(data, Tensor):
        data = data.array
    elif isinstance(data, (list, tuple)) and any(isinstance(x, Tensor) for x in data):
        data = [x.tolist() if isinstance(x, Tensor) else x for x in data]
    array = np.array(data, order="C")
    if array.dtype.kind not in "biuf":
        error = RuntimeError if array.dtype.kind == "O" else TypeError
        raise error(f"Could not infer dtype of {type(data).__name__}")
    wanted = infer_dtype(data) if dtype is None else dtype
    return _made(array.astype(wanted.numpy, copy=False), device, requires_grad)


def _made(array, device, requires_grad):
    """Finish a new tensor."""
    result = wrap(array) if device is None else moved(wrap(array), device)
    if requires_grad:
        result.requires_grad = True
    return result


# %%
#| export
PRINT_DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80}
PRINT_PROFILES = {
    "default": {},
    "short": {"precision": 2, "edgeitems": 2},
    "full": {"threshold": math.inf},
}
print_options = SimpleNamespace(**PRINT_DEFAULTS, sci_mode=None)


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """Choose how tensors print; what is left out stays as it is, except `sci_mode`.

    Args:
        precision: digits after the point (at first 4).
        threshold: the number of elements above which a tensor is summarised (1000).
        edgeitems: how many elements a summary keeps at each end of a dimension (3).
        linewidth: characters in a line (80).
        profile: "default", "short" or "full" (never summarised), to start from.
        sci_mode: True for scientific notation, False for none, None to let the values decide.
    """
    if profile in PRINT_PROFILES:
        vars(print_options).update(PRINT_DEFAULTS | PRINT_PROFILES[profile])
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    vars(print_options).update(
        {name: value for name, value in given.items() if value is not None}
    )
    print_options.sci_mode = sci_mode


def tensor_repr(tensor):
    """Write a tensor as PyTorch does: its values, then what is not to be seen from them.

    >>> tensor_repr(Tensor(np.float64([1, 2.5])))
    'tensor([1.0000, 2.5000], dtype=torch.float64)'
    """
    array = (tensor if tensor.device.type == "cpu" else tensor.cpu()).array
    edge = print_options.edgeitems
    cut = [
        array.size > print_options.threshold and length > 2 * edge for length in array.shape
    ]
    kept = [
        np.r_[:edge, n - edge : n] if c else np.r_[:n]
        for n, c in zip(array.shape, cut, strict=True)
    ]
    shown = (
        array[np.ix_(*kept)] if any(cut) else array
    )  # only the edges, however large the tensor is
    text = "tensor(" + (
        "[]" if array.size == 0 else _write(shown, cut, *_number_format(shown), indent=7)
    )

    notes = []
    if tensor.device.type != "cpu":
        notes.append(f"device='{tensor.device}'")
    if array.ndim != 1 if array.size == 0 else edge == 0:
        notes.append(f"size={array.shape}")
    if array.dtype != get_default_dtype().numpy and (
        array.size == 0 or array.dtype not in (np.int64, np.bool_)
    ):
        notes.append(f"dtype=torch.{array.dtype}")
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")

    column = len(text) - text.rfind("\n") + 1
    for note in notes:
        column += len(note) + 2
        fits = column <= print_options.linewidth
        text += (", " if fits else ",\n" + " " * 7) + note
        column = column if fits else len(note) + 7
    return text + ")"


def _number_format(numbers):
    """Choose one notation, as Python's `format` takes it, and one width for all the numbers."""
    values, notation, precision = numbers.ravel().tolist(), "", print_options.precision
    if numbers.dtype.kind == "f":
        values = [value for value in values if value != 0 and math.isfinite(value)]
        sizes = [abs(value) for value in values] or [1]
        scientific = max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4
        if values and print_options.sci_mode is not None:
            scientific = print_options.sci_mode
        whole = all(value.is_integer() for value in values)
        notation = f".{precision}e" if scientific else "#.0f" if whole else f".{precision}f"
    return notation, max((len(format(value, notation)) for value in values), default=1)


def _write(array, cut, notation, width, indent):
    """Write nested brackets, lines broken at the line width, with dots where a dimension was cut."""
    if array.ndim <= 1:
        items = [format(value, notation).rjust(width) for value in array.ravel().tolist()]
    else:
        items = [_write(row, cut[1:], notation, width, indent + 1) for row in array]
    if array.ndim == 0:
        return items[0]
    if cut[0]:
        items.insert(print_options.edgeitems, " ..." if array.ndim == 1 and items else "...")
    if array.ndim == 1:
        count = max(1, (print_options.linewidth - indent) // (width + 2))
        items = [
            ", ".join(items[start : start + count]) for start in range(0, len(items), count)
        ]
    return "[" + ("," + "\n" * max(1, array.ndim - 1) + " " * (indent + 1)).join(items) + "]"


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
# `Add.apply(x, 2.0)` has to call `forward` with a fresh `ctx`, the array in `x`, and the 2.0 as it is; make a Tensor
# of what comes back; and remember the call if a gradient may be asked for: if gradients are switched on
# (`grad_mode.enabled`) and at least one input requires one. Four helpers are given above:
#
# | | |
# |---|---|
# | `x.array` | the array in a Tensor |
# | `x.edge()` | where a gradient for this tensor goes: the call that made it, or the tensor itself if a user made it and it requires a gradient; None if there is none to be sent |
# | `wrap(array)` | a Tensor around an array |
# | `ctx.record(arrays, output, result)` | makes `ctx` the `grad_fn` of the result; `arrays` are what `forward` took, `output` what it returned, `result` the same as Tensors |
#
# Why does `record` want the arrays and the output, when it has the result? What `forward` saves are arrays, and most of them
# are arrays that it took or returned. By comparing, module 06 finds the Tensor that belongs to a saved array, which it
# needs for gradients of gradients. So hand over the very objects, not the Tensors around them.
#
# An input that is not a Tensor goes in as it is, and its edge is None. `Context(cls, edges)` takes one edge for
# each input, in order.
#
# <details><summary>Hint 1</summary>Two lists come first, one entry for each input: what <code>forward</code> will see, and the edges.</details>
# <details><summary>Hint 2</summary><code>forward</code> returns an array or a tuple of arrays: wrap the one, or make a tuple of every one wrapped.</details>
# <details><summary>Hint 3</summary>The call is remembered <code>if grad_mode.enabled and any(edges)</code>. An edge is a tuple or None, so <code>any</code> asks the right question.</details>


# %% stub="function-apply"
#| export
class Function:
    """An operation on tensors: `forward` computes it on arrays, `apply` calls it on tensors.

    A subclass defines `forward(ctx, *arrays, **options)` as a static method: NumPy arrays in, an array or a tuple of
    arrays out. What its gradient will need it saves in `ctx`. `once_differentiable` marks an operation whose gradient
    has no gradient of its own.
    """

    once_differentiable = False

    @classmethod
    def apply(cls, *inputs, **options):
        """Run the operation on tensors, and remember the call if a gradient may be asked for.

        Args:
            inputs: what `forward` takes; a Tensor is handed over as its array, anything else as it is.
            options: keyword arguments, handed over as they are.

        Returns:
            A Tensor around the array that `forward` returns; a tuple of Tensors if it returns a tuple. If gradients are
            switched on and an input requires one, `ctx` has recorded them as its results.

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
        output = cls.forward(ctx, *arrays, **options)
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
    """An operation that notes what its forward is given, and scales an array by a number."""

    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor, shift=0):
            seen.append((ctx, x, factor, shift))
            ctx.save_for_backward(x)
            return x * factor + shift

    return Scale


def leaf(*numbers):
    """A tensor that requires a gradient."""
    result = Tensor(np.array(numbers, np.float32))
    result._requires_grad = True
    return result


def test_forward_sees_arrays_and_its_result_is_a_tensor():
    seen, x = [], Tensor(np.float32([1, 2]))
    result = operation(seen).apply(x, 3, shift=1)
    assert seen, "apply calls cls.forward"
    ctx, array, factor, shift = seen[0]
    assert isinstance(ctx, Context), "the first argument of forward is a Context"
    assert array is x.array, (
        "forward is given the array in the tensor itself, x.array, not the tensor or a copy"
    )
    assert (factor, shift) == (3, 1), "numbers and keyword options reach forward as they are"
    assert isinstance(result, Tensor), "the array that forward returns is wrapped in a Tensor"
    np.testing.assert_array_equal(result.array, [4, 7])
    assert result.array.dtype == np.float32, "wrapping changes no type"


def test_each_call_has_a_context_of_its_own():
    seen, x = [], leaf(1, 2)
    scale = operation(seen)
    first, second = scale.apply(x, 2), scale.apply(x, 3)
    assert seen[0][0] is not seen[1][0], "every call makes a new Context"
    assert first.grad_fn is not second.grad_fn, "every call makes a new Context"


def test_a_call_is_remembered_where_a_gradient_may_be_asked_for():
    seen, x = [], leaf(1, 2)
    scale = operation(seen)
    y = scale.apply(x, 2)
    assert y.grad_fn is seen[0][0], (
        "x requires a gradient, so the ctx of the call is the result's grad_fn"
    )
    assert y.grad_fn.function is scale, (
        "the Context is made for this operation: Context(cls, edges)"
    )
    assert y.grad_fn.saved_tensors[0] is x.array, (
        "the Context that forward saved in is the one that is recorded"
    )
    assert list(y.grad_fn.edges) == [(x, 0), None], (
        "one edge for each input: to x itself, and None for the number 2"
    )
    assert list(y.grad_fn.ids) == [id(x.array), id(2), id(y.array)], (
        "ctx.record(arrays, output, result): arrays are what forward took, output the array it returned, no Tensors"
    )
    assert y.requires_grad, "what is made from x requires a gradient as well"
    z = scale.apply(y, 5)
    assert list(z.grad_fn.edges) == [(y.grad_fn, 0), None], (
        "a second call leads back to the first: use x.edge()"
    )


def test_nothing_is_remembered_where_nobody_asks():
    x, scale = leaf(1, 2), operation([])
    assert scale.apply(Tensor(np.float32([1, 2])), 2).grad_fn is None, (
        "no input requires a gradient: record nothing"
    )
    grad_mode.enabled = False
    try:
        assert scale.apply(x, 2).grad_fn is None, (
            "gradients are switched off (grad_mode.enabled): record nothing"
        )
    finally:
        grad_mode.enabled = True


def test_several_outputs_come_back_as_a_tuple():
    class Halves(Function):
        @staticmethod
        def forward(ctx, *arrays):
            return tuple([array / 2 for array in arrays])

    x, y = leaf(1, 2), Tensor(np.float32([3, 5]))
    halves = Halves.apply(x, y)
    assert isinstance(halves, tuple), (
        "forward returned a tuple of two arrays: apply returns a tuple of two Tensors"
    )
    assert len(halves) == 2, (
        "forward returned a tuple of two arrays: apply returns a tuple of two Tensors"
    )
    np.testing.assert_array_equal(halves[1].array, [1.5, 2.5])
    assert halves[0].grad_fn is halves[1].grad_fn is not None, (
        "both outputs come from one call, and share its Context"
    )
    assert [half.output_nr for half in halves] == [0, 1], (
        "record takes all results at once, and numbers them"
    )
    (only,) = Halves.apply(x)
    assert isinstance(only, Tensor), "a tuple of one array becomes a tuple of one Tensor"


# %% [markdown]
# ## 5. Arithmetic
#
# Two operands of different types need one type first. PyTorch's rule is like that for new tensors: the higher kind
# wins (boolean, integer, floating point), and within a kind the smallest type that holds both: int8 and int32 make int32,
# and int8 and uint8, neither of which holds the other, make int16. Python's numbers and tensors without
# dimensions only count by their kind, so `x * 2.5` leaves a float16 tensor float16. `promote` does this for every operator, by casts,
# so that a `forward` always sees operands of one type. It also asks your `broadcast_shapes` whether the shapes
# go together.


# %%
#| export
OPERANDS = (Tensor, int, float, np.generic, np.ndarray)


def promote(x, y, floating=False):
    """Two operands in the type that PyTorch computes in, once their shapes are known to go together.

    A cast is an operation, so gradients pass through it. Python numbers beside floating point tensors stay numbers,
    because NumPy too lets them take the array's type. With `floating`, integers become the default floating point
    type, as in a division.
    """
    if isinstance(x, Tensor):
        a = x.array
        if isinstance(y, Tensor):
            b = y.array
            if a.shape != b.shape:
                broadcast_shapes(a.shape, b.shape)
            if a.dtype == b.dtype and (a.dtype.kind == "f" or not floating):
                return x, y
        elif type(y) in (int, float) and a.dtype.kind == "f":
            return x, y
    for operand in (x, y):
        if not isinstance(operand, OPERANDS):
            raise TypeError(
                f"unsupported operand type(s): 'Tensor' and '{type(operand).__name__}'"
            )
    x, y = [
        tensor(operand) if isinstance(operand, np.ndarray) else operand for operand in (x, y)
    ]
    wanted = result_type(x, y)
    if floating and not wanted.is_floating_point:
        wanted = get_default_dtype()
    return tuple(
        [
            o.to(wanted) if isinstance(o, Tensor) else np.asarray(o).astype(wanted.numpy)
            for o in (x, y)
        ]
    )


def result_type(tensor1, tensor2):
    """Find the type of an operation on two operands: numbers and 0-d tensors count only by their kind.

    >>> result_type(tensor([1, 2]), 0.5), result_type(tensor([1.0]), tensor(1.0, dtype=float64))
    (torch.float32, torch.float32)
    """
    levels = {}  # tensors with dimensions, tensors without, numbers: each speaks only if it has a higher kind
    for x in (tensor1, tensor2):
        level = 2 - (x.ndim > 0) if isinstance(x, Tensor) else 3
        d = x.dtype if isinstance(x, Tensor) else number_type(x)
        levels[level] = promote_types(levels[level], d) if level in levels else d
    first, *others = [levels[level] for level in sorted(levels)]
    return functools.reduce(
        lambda d, e: promote_types(d, e) if kind_rank(e) > kind_rank(d) else d, others, first
    )


def can_cast(from_, to):
    """Decide whether an in-place operation may put a result of the first type into a tensor of the second.

    >>> can_cast(int64, float32), can_cast(float32, int64)
    (True, False)
    """
    return kind_rank(from_) <= kind_rank(to)


def kind_rank(d):
    """0 for booleans, 1 for integers, 2 for floating point."""
    return {"b": 0, "i": 1, "u": 1, "f": 2}[d.numpy.kind]


def number_type(number):
    """The type that a Python number becomes."""
    if isinstance(number, (bool, np.bool_)):
        return bool_
    return int64 if isinstance(number, (int, np.integer)) else get_default_dtype()


def floating(x):
    """`x` itself, or as the default floating point type if it holds integers or booleans."""
    return x if x.array.dtype.kind == "f" else x.to(get_default_dtype())


class Cast(Function):
    @staticmethod
    def forward(ctx, x, dtype):
        ctx.dtype = x.dtype
        return x.astype(dtype)


# %% [markdown]
# ### Multiplication
# The gradient of a product needs both factors: if $z = x y$, then $\partial z / \partial x = y$ and $\partial z /
# \partial y = x$. So `forward` saves both, in order. (Addition saves nothing: its derivatives are 1.) What is
# saved stays in memory until the gradient has been computed. That, not the weights, is what fills a GPU in
# training.
#
# One of the two may be a plain number, as in `x * 2.0`, and it is saved as it is.
#
# <details><summary>Hint 1</summary>NumPy's <code>*</code> broadcasts, and leaves float32 arrays float32 when they meet a Python number.</details>
# <details><summary>Hint 2</summary><code>ctx.save_for_backward(x, y)</code> keeps both; a copy is not needed.</details>
# <details><summary>Hint 3</summary>Two lines: save the inputs, return their product.</details>


# %% stub="mul"
#| export
class Mul(Function):
    @staticmethod
    def forward(ctx, x, y):
        """Multiply elementwise: z = x y.

        Args:
            x, y: arrays of one type whose shapes broadcast; one of them may be a Python number.

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
    ]:
        x, y = rng.normal(size=shape_x), rng.normal(size=shape_y)
        wanted = np.einsum("...,...->...", x, y)
        found = Mul.forward(Context(), x, y)
        np.testing.assert_allclose(
            found, wanted, err_msg=f"{shape_x} times {shape_y}, element by element"
        )


def test_mul_keeps_the_type():
    x = np.float32([1.5, -2])
    assert Mul.forward(Context(), x, 2.0).dtype == np.float32, (
        "float32 times a Python number stays float32"
    )
    assert Mul.forward(Context(), x, x).dtype == np.float32, (
        "float32 times float32 stays float32"
    )
    integers = Mul.forward(Context(), np.array([2, 3]), np.array([4, 5]))
    assert integers.dtype == np.int64, "integers stay integers"


def test_mul_saves_both_factors_in_order():
    ctx, x, y = Context(), np.float32([1, 2]), np.float32([3, 4])
    Mul.forward(ctx, x, y)
    assert len(ctx.saved_tensors) == 2, "the gradient needs both factors: save x and y"
    assert ctx.saved_tensors[0] is x, "x is saved first, itself and not a copy"
    assert ctx.saved_tensors[1] is y, "y is saved second, itself and not a copy"


# %% [markdown]
# ### The exponential
# What has to be saved is not always the input. For $y = e^x$ the derivative is $y$ itself, so save the output:
# then the gradient need not compute the exponential a second time.
#
# <details><summary>Hint 1</summary><code>np.exp</code> works on the whole array, and keeps float32.</details>
# <details><summary>Hint 2</summary>Give the output a name, because you need it twice.</details>
# <details><summary>Hint 3</summary><code>ctx.save_for_backward(output)</code>, then return the same <code>output</code>.</details>


# %% stub="exp"
#| export
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        """Raise e to each element: y = e^x.

        Args:
            x: an array of any shape, floating point.

        Returns:
            An array of x's shape and type.

        Saves the output, the very array that is returned: it is its own derivative.

        >>> Exp.forward(Context(), np.float32([0, -np.inf]))
        array([1., 0.], dtype=float32)
        """
        ### BEGIN SOLUTION
        output = np.exp(x)
        ctx.save_for_backward(output)
        return output
        ### END SOLUTION


# %% test="exp" points=3
def test_exp_is_a_power_of_e():
    x = np.array([[0.0, 1.0], [-2.0, 3.5]])
    np.testing.assert_allclose(
        Exp.forward(Context(), x),
        math.e**x,
        rtol=1e-12,
        err_msg="e to the power of each element",
    )
    assert Exp.forward(Context(), np.float32([1, 2])).dtype == np.float32, (
        "float32 stays float32"
    )


def test_exp_saves_what_it_returns():
    ctx = Context()
    output = Exp.forward(ctx, np.float32([1, 2]))
    assert len(ctx.saved_tensors) == 1, "one array is saved: the output"
    assert ctx.saved_tensors[0] is output, (
        "the output itself is saved: not the input, and not a second computation"
    )


# %% [markdown]
# ## 6. The matrix product
#
# Nine tenths of the time that a network takes, it spends in this one operation:
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
# Write it first as it stands, in three loops. It is far too slow for anything, and it is right: everything
# faster will be tested against it.
#
# <details><summary>Hint 1</summary>Make a matrix of zeros of the right shape, and of <code>a</code>'s type, to add up in.</details>
# <details><summary>Hint 2</summary>Three nested loops: i over the rows of a, j over the columns of b, k over what they share.</details>
# <details><summary>Hint 3</summary>In the innermost loop: <code>c[i, j] += a[i, k] * b[k, j]</code>.</details>


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
def test_naive_product_of_matrices():
    rng = np.random.default_rng(2)
    for n, k, m in [(2, 3, 4), (3, 3, 3), (1, 5, 2), (4, 1, 3), (2, 2, 1)]:
        a, b = rng.normal(size=(n, k)), rng.normal(size=(k, m))
        found = matmul_naive(a, b)
        assert found.shape == (n, m), (
            f"({n}, {k}) times ({k}, {m}) is ({n}, {m}), not {found.shape}"
        )
        np.testing.assert_allclose(found, np.einsum("ik,kj->ij", a, b), atol=1e-12)


def test_naive_product_over_nothing_is_zero():
    np.testing.assert_array_equal(
        matmul_naive(np.ones((2, 0)), np.ones((0, 3))), np.zeros((2, 3))
    )


def test_naive_product_keeps_the_type():
    found = matmul_naive(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    assert found.dtype == np.float32, "float32 matrices make a float32 matrix"
    assert matmul_naive(np.ones((2, 2), int), np.ones((2, 2), int)).dtype == np.int64, (
        "integers stay integers"
    )


class Numbers(np.ndarray):
    """An array that gives its numbers one by one, and refuses to be computed with as a whole."""

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


def test_naive_product_multiplies_number_by_number():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    found = np.asarray(matmul_naive(a.view(Numbers), b.view(Numbers)))
    np.testing.assert_array_equal(found, [[20, 23, 26, 29], [56, 68, 80, 92]])


# %% [markdown]
# ### The fast one, for any number of dimensions
# NumPy's `@` hands the work to BLAS, a library in which decades of work went into this one loop. You will measure
# below what that is worth.
#
# `x @ y` of tensors takes more than matrices: a vector on the left counts as a row, one on the right as a column, and
# leading dimensions are batches, which broadcast. So `(8, 1, 2, 3) @ (5, 3, 4)` is `(8, 5, 2, 4)`: forty products of a
# 2 x 3 by a 3 x 4 matrix. NumPy's `@` has the same rules.
#
# One case is worth a thought: a batch of inputs `(B, T, C)` times one matrix of weights `(C, D)`, which every layer of
# a transformer computes. `@` makes B small products of it. The rows do not care which batch they are in:
# `as_matrix(x)` is `(B * T, C)`, and one large product gives the same answer, often in less time. The tests cannot tell the
# two apart and do not try; the cell after them can.
#
# Shapes that do not fit are refused before your code is reached, by `check_matmul`, so that the message is
# PyTorch's and not NumPy's.


# %%
#| export
def as_matrix(x):
    """Array or Tensor (..., n) as a matrix whose rows are all those of its last dimension."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def check_matmul(x, y):
    """Refuse, in PyTorch's words, two arrays that have no matrix product."""
    if x.dtype != y.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {_dtypes[x.dtype]} != {_dtypes[y.dtype]}"
        )
    if x.ndim == 0 or y.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D"
        )
    a, b = (
        (x.shape if x.ndim > 1 else (1, *x.shape)),
        (y.shape if y.ndim > 1 else (*y.shape, 1)),
    )
    if a[-1] != b[-2]:
        if x.ndim == 1 and y.ndim == 1:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{a[1]}] and src [{b[0]}] to have the same number of elements, "
                f"but got {a[1]} and {b[0]} elements respectively"
            )
        if x.ndim > 2 and y.ndim > 2:
            raise RuntimeError(
                f"Expected size for first two dimensions of batch2 tensor to be: {[b[0], a[-1]]} but got: {[b[0], b[-2]]}."
            )
        rows, columns = math.prod(a[:-1]), math.prod(b[:-2]) * b[-1]
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[-2]}x{columns})"
        )
    broadcast_shapes(a[:-2], b[:-2])


# %% [markdown]
# <details><summary>Hint 1</summary><code>x @ y</code> is right in every case. Save x and y for the gradient.</details>
# <details><summary>Hint 2</summary>The case to make fast is <code>x.ndim &gt; 2 and y.ndim == 2</code>: multiply <code>as_matrix(x)</code> by y.</details>
# <details><summary>Hint 3</summary>Its result is <code>(B * T, D)</code>: <code>.reshape(*x.shape[:-1], y.shape[-1])</code> gives the batches back.</details>


# %% stub="matmul"
#| export
class MatMul(Function):
    @staticmethod
    def forward(ctx, x, y):
        """Multiply matrices, vectors, and batches of either: c[..., i, j] = sum over k of x[..., i, k] y[..., k, j].

        Args:
            x: an array (..., n, k), or (k,), which counts as one row.
            y: an array (..., k, m) of the same type, or (k,), which counts as one column.

        Returns:
            An array (..., n, m) of that type, without n where x is a vector and without m where y is one.

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
def product(shape_x, shape_y, wanted, equation):
    """Compare the product of random arrays with the sum that the equation spells out."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=shape_x), rng.normal(size=shape_y)
    found = MatMul.forward(Context(), x, y)
    assert np.shape(found) == wanted, (
        f"{shape_x} @ {shape_y} is {wanted}, not {np.shape(found)}"
    )
    np.testing.assert_allclose(found, np.einsum(equation, x, y), atol=1e-12)


def test_product_of_matrices_and_vectors():
    product((2, 3), (3, 4), (2, 4), "ik,kj->ij")
    product((3, 3), (3, 3), (3, 3), "ik,kj->ij")
    product((2, 3), (3,), (2,), "ik,k->i")
    product((3,), (3, 4), (4,), "k,kj->j")
    product((3,), (3,), (), "k,k->")


def test_product_of_batches():
    product((5, 2, 3), (3, 4), (5, 2, 4), "bik,kj->bij")
    product((5, 2, 3), (5, 3, 4), (5, 2, 4), "bik,bkj->bij")
    product((8, 1, 2, 3), (5, 3, 4), (8, 5, 2, 4), "bcik,dkj->bdij")
    product((5, 2, 3), (3,), (5, 2), "bik,k->bi")
    product((3,), (5, 3, 4), (5, 4), "k,bkj->bj")


def test_product_over_nothing_is_zero():
    product((2, 0), (0, 3), (2, 3), "ik,kj->ij")
    product((4, 2, 0), (0, 3), (4, 2, 3), "bik,kj->bij")
    product((0, 2, 3), (3, 4), (0, 2, 4), "bik,kj->bij")


def test_product_keeps_the_type_and_saves_its_factors():
    for shape in [(2, 3), (4, 2, 3)]:
        ctx, x, y = Context(), np.ones(shape, np.float32), np.ones((3, 4), np.float32)
        assert MatMul.forward(ctx, x, y).dtype == np.float32, (
            "float32 matrices make a float32 matrix"
        )
        assert len(ctx.saved_tensors) == 2, "the gradient needs both factors: save x and y"
        assert ctx.saved_tensors[0] is x, (
            "x is saved first, as it came: not reshaped, not copied"
        )
        assert ctx.saved_tensors[1] is y, (
            "y is saved second, as it came: not reshaped, not copied"
        )


# %%
x, w = np.ones((64, 32, 128), np.float32), np.ones((128, 128), np.float32)
batches, at_once = (
    best_of(lambda: x @ w, 20),
    best_of(lambda: MatMul.forward(Context(), x, w), 20),
)
print(
    f"{x.shape} @ {w.shape}: by @ {batches * 1e3:.2f} ms, by your MatMul {at_once * 1e3:.2f} ms"
)

# %% [markdown]
# What one large product gains depends on the sizes and on the machine: often it is 1.2 to 2 times as fast, and where each of
# the small ones keeps the library busy already, there is nothing to gain.

# %% [markdown]
# ## 7. Reductions
#
# A reduction makes one number of many: along one dimension, several, or all. The dimension disappears, unless you ask to
# keep it with length 1, so that the result still broadcasts against what it came from:
#
# ```
# x                      (2, 3, 4)
# x.sum()                ()
# x.sum(1)               (2, 4)
# x.sum((0, 2))          (3,)
# x.mean(1, keepdim=True)   (2, 1, 4)      so that  x - x.mean(1, keepdim=True)  is (2, 3, 4)
# ```
#
# PyTorch says `dim` and `keepdim` where NumPy says `axis` and `keepdims`. The given cell turns one into the
# other, with PyTorch's errors for a dimension that is not there.


# %%
#| export
def axis_of(dim, ndim):
    """`dim` counted from the front; IndexError if there is no such dimension. A 0-d tensor counts as having one."""
    n = max(ndim, 1)
    dim = operator.index(dim)
    if not -n <= dim < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
        )
    return dim % n


def axes_of(dim, ndim):
    """The `axis` that NumPy wants: None for all, an int or a tuple of ints for some."""
    if dim is None or dim == () or dim == []:
        return None
    axes = [axis_of(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    if ndim == 0:
        return None
    return tuple(axes) if isinstance(dim, (tuple, list)) else axes[0]


def count_along(shape, axis):
    """How many elements a reduction over `axis` takes together."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod([shape[a] for a in axes])


def reduced(function, x, dtype, **options):
    """Apply a reduction, in another type if one is named."""
    result = function.apply(x if dtype is None else x.to(dtype), **options)
    return result if dtype is None else result.to(dtype)


def check_floating(x):
    """RuntimeError for the variance of integers."""
    if x.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")


def check_not_empty(x, axis, name):
    """Refuse the extreme of no elements at all."""
    if x.size == 0 and count_along(x.shape, axis) == 0:
        if axis is not None:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
        error = IndexError if name in ("argmax", "argmin") else RuntimeError
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        )


# %% [markdown]
# ### Sum
# The sum of bytes does not fit into a byte: 200 + 100 is 44 there. So the sum of integers or booleans is an `int64`, whatever
# their type. Floating point types stay what they are. The gradient of a sum hands the same number back to every
# element; for that it needs to know the shape, the axis and whether it was kept, which the given line notes. Use its
# `ctx.axis` rather than `dim`: it is what NumPy takes, and None where everything is to be added up.
#
# <details><summary>Hint 1</summary>NumPy's <code>x.sum</code> takes <code>axis</code>, <code>keepdims</code> and <code>dtype</code>.</details>
# <details><summary>Hint 2</summary><code>x.dtype.kind</code> is "b", "i" or "u" for booleans and integers. For <code>dtype=None</code> NumPy keeps float types.</details>
# <details><summary>Hint 3</summary><code>x.sum(axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if ... else None)</code></details>


# %% stub="sum"
#| export
class Sum(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        """Add up all elements, or those along some dimensions.

        Args:
            x: an array of any shape and type.
            dim: None, () or [] for all dimensions, an int, or a tuple or list of ints; negative ones count from the end.
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
    x = np.random.default_rng(4).normal(size=(2, 3, 4))
    for dim, equation in [
        (None, "ijk->"),
        (0, "ijk->jk"),
        (-1, "ijk->ij"),
        ((0, 2), "ijk->j"),
        ((-1, 0, 1), "ijk->"),
        ([0, 1], "ijk->k"),
        ((), "ijk->"),
    ]:
        found = Sum.forward(Context(), x, dim)
        wanted = np.einsum(equation, x)
        assert np.shape(found) == wanted.shape, (
            f"dim={dim} leaves {wanted.shape}, not {np.shape(found)}"
        )
        np.testing.assert_allclose(found, wanted, err_msg=f"dim={dim}: {equation}")


def test_sum_keeps_the_dimension_if_asked():
    x = np.ones((2, 3, 4))
    for dim, wanted in [(1, (2, 1, 4)), ((0, -1), (1, 3, 1)), (None, (1, 1, 1))]:
        shape = np.shape(Sum.forward(Context(), x, dim, True))
        assert shape == wanted, (
            f"with keepdim, summing (2, 3, 4) over dim={dim} leaves {wanted}, not {shape}"
        )


def test_sums_of_integers_and_booleans_are_int64():
    for kind in ("u1", "i1", "i2", "i4", "i8", "?"):
        x = (
            np.array([100, 200], np.uint8).astype(kind)
            if kind in ("u1", "i8")
            else np.ones(300, kind)
        )
        found = Sum.forward(Context(), x)
        assert found.dtype == np.int64, f"the sum of {x.dtype} is int64, not {found.dtype}"
        assert found == 300, (
            f"the sum of {x.dtype} must not overflow: 300 was wanted, not {found}"
        )


def test_sums_of_floats_keep_their_type():
    for kind in (np.float16, np.float32, np.float64):
        assert Sum.forward(Context(), np.ones((2, 2), kind), 0).dtype == kind, (
            f"the sum of {kind.__name__} keeps its type"
        )


def test_sum_of_nothing_is_zero():
    np.testing.assert_array_equal(Sum.forward(Context(), np.ones((0, 3)), 0), np.zeros(3))
    assert Sum.forward(Context(), np.float64(2.5).reshape(())) == 2.5, (
        "a tensor of one number is its own sum"
    )


# %% [markdown]
# ### Variance
# How far numbers lie from their mean, squared, on average:
#
# $$\mathrm{var}(x) = \frac{1}{n - c} \sum_i (x_i - \bar x)^2$$
#
# The correction $c$ is 1 by default: the mean was computed from the same numbers and lies closer to them than
# the true one, and dividing by $n - 1$ makes up for that (Bessel's correction). Layer norm uses 0.
#
# The textbook has a shorter formula, $\overline{x^2} - \bar x^2$, which needs one pass instead of two. Do not use it:
# for numbers like 10000.1 and 10000.2 it subtracts two numbers near $10^8$ that agree in all the digits a float32
# has, and what is left is noise, sometimes below zero. Subtract the mean first, then square.
#
# <details><summary>Hint 1</summary>The mean must broadcast against x: reduce with <code>keepdims=True</code>, whatever <code>keepdim</code> says.</details>
# <details><summary>Hint 2</summary><code>ctx.divisor</code> is n - c already, for however many dimensions are reduced; the mean divides by <code>count</code>.</details>
# <details><summary>Hint 3</summary>Save x; <code>deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count</code>; then the sum of <code>deviation * deviation</code>, with <code>keepdims=keepdim</code>, over the divisor.</details>


# %% stub="var"
#| export
class Var(Function):
    @staticmethod
    def forward(ctx, x, dim=None, correction=1, keepdim=False):
        """Average the squared distance from the mean: sum of (x - mean)^2, divided by n - correction.

        Args:
            x: an array of any shape, floating point.
            dim: None for all dimensions, an int, or a tuple of ints.
            correction: what is taken off the number of elements, 1 for Bessel's correction.
            keepdim: whether the dimensions stay, with length 1.

        Returns:
            An array of x's type; NaN where one element is reduced with correction 1.

        Raises:
            RuntimeError: if x holds integers or booleans, by `check_floating`.

        Saves x.

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
def test_var_is_the_mean_square_distance():
    x = np.random.default_rng(5).normal(size=(3, 4, 5))
    for dim, axis in [(None, None), (1, 1), (-1, 2), ((0, 2), (0, 2))]:
        for correction in (1, 0, 2):
            wanted = np.var(x, axis=axis, ddof=correction)
            found = Var.forward(Context(), x, dim, correction)
            np.testing.assert_allclose(
                found, wanted, err_msg=f"dim={dim}, correction={correction}"
            )


def test_var_divides_by_n_minus_one_unless_told():
    np.testing.assert_allclose(
        Var.forward(Context(), np.array([1.0, 3.0])),
        2,
        err_msg="((1-2)^2 + (3-2)^2) / (2 - 1)",
    )


def test_var_keeps_the_dimension_if_asked():
    x = np.random.default_rng(6).normal(size=(2, 3, 4))
    for dim, wanted in [(1, (2, 1, 4)), ((0, 2), (1, 3, 1))]:
        shape = np.shape(Var.forward(Context(), x, dim, 1, True))
        assert shape == wanted, (
            f"with keepdim, the variance of (2, 3, 4) over dim={dim} is {wanted}, not {shape}"
        )


def test_var_survives_numbers_far_from_zero():
    x = np.float32([10000.0, 10000.5, 10001.0, 10001.5])
    found = Var.forward(Context(), x, None, 0)
    np.testing.assert_allclose(
        found, 0.3125, rtol=1e-3, err_msg="subtract the mean before you square"
    )


def test_var_of_one_element_is_not_a_number():
    with np.errstate(all="ignore"):
        found = Var.forward(Context(), np.ones((1, 3)), 0)
    assert np.isnan(found).all(), (
        "one element, correction 1: 0 / 0, which is NaN, as in PyTorch"
    )


def test_var_keeps_the_type_and_saves_its_input():
    ctx, x = Context(), np.float32([[1, 2], [4, 8]])
    assert Var.forward(ctx, x, 1).dtype == np.float32, "float32 stays float32"
    assert len(ctx.saved_tensors) == 1, "the gradient needs x: save it"
    assert ctx.saved_tensors[0] is x, "x itself is saved, not the deviations and not a copy"


# %% [markdown]
# ### Maximum
# `x.max(dim)` returns two tensors: the largest values, and where they stand. The second is what a classifier's
# prediction is, and also what the gradient needs: it goes to the element that won, and to no other. Where several
# are largest, the first of them wins.
#
# <details><summary>Hint 1</summary>NumPy's <code>x.max</code> and <code>x.argmax</code> both take <code>axis</code> and <code>keepdims</code>, and argmax finds the first.</details>
# <details><summary>Hint 2</summary>Save the indices, not x: they are all that the gradient needs.</details>
# <details><summary>Hint 3</summary>Return a tuple, values first: <code>return x.max(...), indices</code>.</details>


# %% stub="max"
#| export
class Max(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        """Find the largest elements along a dimension, and where they stand.

        Args:
            x: an array of any shape and type.
            dim: an int; negative counts from the end.
            keepdim: whether the dimension stays, with length 1.

        Returns:
            A tuple (values, indices) of two arrays of the same shape: x's type, and int64. Where several elements are
            largest, the index is the first one's.

        Raises:
            IndexError: if the dimension is not there, or has no elements.

        Saves the indices.

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
def test_max_finds_values_and_places():
    x = np.random.default_rng(7).normal(size=(3, 4, 5))
    for dim in (0, 1, -1):
        values, indices = Max.forward(Context(), x, dim)
        np.testing.assert_array_equal(
            values, np.max(x, axis=dim), err_msg=f"dim={dim}: the values come first"
        )
        picked = np.take_along_axis(x, np.expand_dims(indices, dim), dim).squeeze(dim)
        np.testing.assert_array_equal(
            picked, values, err_msg=f"dim={dim}: the indices say where the values stand"
        )


def test_max_takes_the_first_of_equals():
    _, indices = Max.forward(Context(), np.array([[5, 2, 5], [1, 1, 1]]), 1)
    np.testing.assert_array_equal(
        indices, [0, 0], err_msg="where several are largest, the first one counts"
    )


def test_max_of_a_single_number_is_itself():
    values, indices = Max.forward(Context(), np.full((), 2.5), 0)
    assert np.shape(values) == np.shape(indices) == (), (
        "a 0-d array counts as having a dimension 0: ctx.axis is None"
    )
    assert (values, indices) == (2.5, 0), "the only number is the largest, at place 0"


def test_max_keeps_the_dimension_if_asked():
    values, indices = Max.forward(Context(), np.ones((2, 3)), 1, True)
    assert values.shape == (2, 1), "with keepdim, the values of (2, 3) over dim=1 are (2, 1)"
    assert indices.shape == (2, 1), "with keepdim, the indices have the shape of the values"


def test_max_keeps_the_type_and_saves_the_indices():
    ctx = Context()
    values, indices = Max.forward(ctx, np.float32([[1, 3], [4, 2]]), 0)
    assert values.dtype == np.float32, "values have the type of x"
    assert indices.dtype == np.int64, "indices are int64"
    assert len(ctx.saved_tensors) == 1, "one array is saved: the indices"
    np.testing.assert_array_equal(
        ctx.saved_tensors[0], indices, err_msg="the indices are what is saved"
    )


# %% [markdown]
# ## 8. Picking elements: gather
#
# A language model gives every position a score for each of 50,000 tokens, `(B, T, V)`, and the loss needs one of them:
# that of the token that really came next. `gather` picks one element, or several, along one dimension, at places that
# differ from row to row:
#
# $$\text{for } \mathrm{dim} = 1: \qquad \mathrm{out}_{ij} = x_{i,\; \mathrm{index}_{ij}}$$
#
# ```
# x     10 11 12      index   2 0      x.gather(1, index)   12 10
#       20 21 22              1 1                           21 21
# ```
#
# NumPy picks with one array of positions for each dimension, and broadcasts them against each other. Along `dim` the
# positions are the index. Along every other dimension they count up from 0, so that each element of the index looks into
# its own row. `along` builds these arrays; `gather`, `scatter` and `scatter_add`, given below, all use it.
#
# <details><summary>Hint 1</summary>For an index of shape (2, 2) and dim 1, you want <code>([[0], [1]], index)</code>: the rows count down, the columns are the index.</details>
# <details><summary>Hint 2</summary><code>np.ogrid[0:2, 0:5]</code> gives counting arrays for a shape of (2, 5), each shaped to broadcast. It takes a tuple of slices.</details>
# <details><summary>Hint 3</summary><code>list(np.ogrid[tuple(map(slice, index.shape))])</code>, then put the index in place number <code>dim</code>, and make a tuple of it.</details>


# %% stub="along"
#| export
def along(index, dim):
    """Build the NumPy index that picks `index` along one dimension, and each element's own position along the others.

    x[along(index, 1)][i, j, k] = x[i, index[i, j, k], k], and so for every dim

    Args:
        index: an int64 array of one dimension or more; along the other dimensions it may be shorter than x.
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
    np.testing.assert_array_equal(
        x[along(index, dim)], wanted, err_msg=f"x {shape}, index {index_shape}, dim {dim}"
    )


def test_along_picks_for_each_row():
    picked((2, 3), (2, 5), 1)
    picked((4, 3), (2, 3), 0)
    picked((3, 3), (3, 3), 1)
    picked((3, 3), (3, 3), 0)


def test_along_works_for_any_number_of_dimensions():
    picked((6,), (4,), 0)
    picked((2, 3, 4), (2, 5, 4), 1)
    picked((2, 3, 4), (2, 3, 1), 2)


def test_along_takes_an_index_that_is_shorter_than_x():
    picked((4, 3), (2, 2), 1)
    picked((5, 4, 3), (7, 2, 1), 0)
    picked((4, 3), (0, 2), 0)


def test_along_also_says_where_to_write():
    x, index = np.zeros((2, 3)), np.array([[2], [0]])
    x[along(index, 1)] = 1
    np.testing.assert_array_equal(
        x, [[0, 0, 1], [1, 0, 0]], err_msg="x[along(index, 1)] = 1 writes one element a row"
    )


# %% [markdown]
# ### Given: views and indexing
# With your `contiguous_strides`, `infer_shape` and `is_viewable` in place, views are short: NumPy makes them, and these
# classes say what the gradient has to know. A view also remembers whose memory it looks into, so that a change
# in place can be told to the tensor that owns it.


# %%
#| export
class View(Function):
    """An operation whose result shares its input's memory, where it can."""

    @classmethod
    def apply(cls, x, **options):
        result = super().apply(x, **options)
        if owner(result.array) is owner(x.array):
            result._base = x if x._base is None else x._base
            result._base_edge, result._route = result._base._edge, (*x._route, (cls, options))
        return result


def follow(route, x):
    """Take the views of a route again, beginning at `x`."""
    enabled, grad_mode.enabled = grad_mode.enabled, True
    try:
        for function, options in route:
            x = function.apply(x, **options)
    finally:
        grad_mode.enabled = enabled
    return x


def sizes(args):
    """The shape in `f(2, 3)` and in `f((2, 3))` alike: a tuple of ints."""
    args = (
        args[0]
        if len(args) == 1 and not isinstance(args[0], (int, Tensor, np.integer))
        else args
    )
    return tuple([operator.index(n) for n in args])


class Reshape(View):
    @staticmethod
    def forward(ctx, x, shape):
        ctx.shape = x.shape
        return x.reshape(shape)


class Permute(View):
    @staticmethod
    def forward(ctx, x, dims):
        if len(dims) != x.ndim:
            raise RuntimeError(
                f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
                f"ordering of dimensions i.e. input.dim() = {x.ndim} is not equal to len(dims) = {len(dims)}"
            )
        ctx.dims = [axis_of(d, x.ndim) for d in dims]
        if len(set(ctx.dims)) != x.ndim:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        return x.transpose(ctx.dims)


class Expand(View):
    @staticmethod
    def forward(ctx, x, shape):
        ctx.shape, new = x.shape, len(shape) - x.ndim
        if new < 0:
            raise RuntimeError(
                f"expand(: the number of sizes provided ({len(shape)}) must be greater or equal to the number of dimensions "
                f"in the tensor ({x.ndim})"
            )
        old = (1,) * new + x.shape
        wanted = [
            n if m == -1 and dim >= new else m for dim, (n, m) in enumerate(zip(old, shape))
        ]
        for dim, (n, m) in enumerate(zip(old, wanted)):
            if m != n and (n != 1 or m < 0):
                raise RuntimeError(
                    f"The expanded size of the tensor ({m}) must match the existing size ({n}) at non-singleton "
                    f"dimension {dim}.  Target sizes: {list(shape)}.  Tensor sizes: {list(x.shape)}"
                )
        return np.broadcast_to(x, wanted) if tuple(wanted) != old else x[(None,) * new]


class Diagonal(View):
    @staticmethod
    def forward(ctx, x, offset, dim1, dim2):
        ctx.shape, ctx.options = x.shape, (offset, dim1, dim2)
        diagonal = x.diagonal(offset, dim1, dim2)
        diagonal.flags.writeable = x.flags.writeable
        return diagonal


class Index(View):
    @staticmethod
    def forward(ctx, x, index):
        ctx.shape, ctx.index = x.shape, index
        return x[index]


class IndexPut(Function):
    @staticmethod
    def forward(ctx, x, value, index):
        ctx.shape, ctx.index = value.shape, index
        output = x.copy()
        put(output, index, value)
        return output


def index_arrays(index):
    """An index with its Tensors and lists as NumPy arrays, checked for what PyTorch refuses."""
    if isinstance(index, tuple):
        return tuple([index_arrays(i) for i in index])
    if isinstance(index, Tensor):
        if index.is_floating_point():
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return index.array
    if isinstance(index, slice) and index.step is not None and index.step < 1:
        raise ValueError("step must be greater than zero")
    if isinstance(index, str):
        raise TypeError(
            "only integers, slices (`:`), ellipsis (`...`), None and tensors are valid indices (got str)"
        )
    if isinstance(index, (list, range)):
        return np.asarray(index, dtype=None if len(index) else np.int64)
    return index


def is_basic(index):
    """Whether an index has no arrays in it, so that what it picks is a view."""
    return not any(
        isinstance(i, (np.ndarray, bool))
        for i in (index if isinstance(index, tuple) else (index,))
    )


def put(x, index, value):
    """x[index] = value; RuntimeError if the value's shape does not fit."""
    try:
        x[index] = value
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value of shape {list(np.shape(value))} cannot be broadcast to indexing result of shape "
            f"{list(x[index].shape)}"
        ) from None


class Clone(Function):
    @staticmethod
    def forward(ctx, x, order="K"):
        return x.copy(order)


class Copy(Function):
    """What x.copy_(source) leaves: the source in the shape and type of x, whose own values no longer count."""

    @staticmethod
    def forward(ctx, x, source):
        ctx.shape, ctx.dtype = source.shape, source.dtype
        output = np.empty_like(x)
        put(output, ..., source)
        return output


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
# A tensor is its elements and a few hundred bytes of Python. Before you look at the output: how many bytes are a million
# float32? What do a slice, a transpose and an expansion to a thousand times the size add?

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
    print(
        f"{name:27} {y.numel() * y.itemsize / 1e6:7.0f} MB to look at, {0 if shared else y.nbytes / 1e6:.0f} MB of its own"
    )

# %% [markdown]
# Four bytes for each float32, eight for each float64: that is all there is to know, and enough to say in advance
# whether a model fits. Views cost nothing. The last line is the exception that your `is_viewable` predicts: the rows
# of a transpose are not one run, and to lay them out in one, every element has to be moved.
#
# ### Along the rows, or across them
# Adding up a matrix takes as many additions in either direction. Does it take as long?

# %%
lengths, ratios = [64, 128, 256, 512, 1024, 2048, 4096], []
for n in lengths:
    matrix = np.ones((n, n), np.float32)
    times = [
        best_of(lambda lines=lines: [line.sum() for line in lines], 3)
        for lines in (matrix, matrix.T)
    ]
    ratios.append(times[1] / times[0])
    print(
        f"{n:5} x {n:<5} rows {times[0] * 1e3:7.2f} ms   columns {times[1] * 1e3:7.2f} ms   {ratios[-1]:.1f} times"
    )

plt.figure(figsize=(6, 2.5))
plt.semilogx(lengths, ratios, "o-", base=2)
plt.axhline(1, color="gray", linewidth=1)
plt.xticks(lengths, lengths)
plt.xlabel("rows and columns")
plt.ylabel("time of columns / rows")
plt.tight_layout()
plt.show()

# %% [markdown]
# Memory is not read by the byte but by the line of 64 bytes: sixteen float32. Along a row, one line serves sixteen
# additions. Down a column, each addition asks for another line, and uses 4 of its 64 bytes. While the matrix fits into
# the cache, hardly anybody notices. Once it does not, every addition waits for memory, and the factor jumps. (Lengths that
# are powers of two are the worst case: the lines of one column then compete for the same few places in the cache.)
#
# So the layout of a tensor is part of its cost. Whoever transposes a tensor and then works along its rows pays for it
# each time, and `x.T.contiguous()`, one copy, may be cheaper.
#
# ### Three loops, against BLAS
# The same arithmetic, $2n^3$ operations, by the loops that you wrote and by one call.

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
print(f"a factor of {rates['@'][-1] / rates['matmul_naive'][-1]:,.0f} between the two")
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
# Part of the factor is Python, which spends hundreds of nanoseconds on each product to find out what `*` and `[i, k]`
# mean; the multiplication itself takes less than one. Module 17 compiles the same three loops and measures what is gained. The
# other part is the library's: several numbers in one instruction, the next ones fetched while these are multiplied, and
# blocks small enough to stay in the cache, so that each number that was fetched is used many times. Small matrices gain
# less, as the left end of the upper line shows, because there the call itself takes longer than the arithmetic.
#
# This is why every network here is written as a few large products rather than many small ones, and why you will
# spend module 17 on the loops after all, compiled.
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
shared, copied = Tensor(array), tensor(array)
array += 1
print("Tensor(array), tensor(array) after array += 1:", shared.tolist(), copied.tolist())

# %% [markdown]
# `row *= 100` works in place, in memory that belongs to `data`. Writing `row * 100` makes a new tensor. Slices and
# single numbers pick by strides, so they are views; lists and boolean masks pick elements in any order, for which there
# are no strides, so they are copies. When in doubt, `.clone()`; to find out afterwards, compare `data_ptr()`.
#
# ### Integers go round
# They have a fixed number of bits, and nobody says anything when the result does not fit.

# %%
pixels = tensor([200, 100], dtype=uint8)
print("200, twice, in uint8:     ", (pixels * 2).tolist())
print("their sum, in int64:      ", pixels.sum().item())
print("2**31 - 1, twice, in int32:", tensor([2**31 - 1], dtype=int32).mul(2).tolist())

# %% [markdown]
# Pictures are uint8, and arithmetic on them is the classic place for this. Make floats of them first.
#
# ### Floats have holes
# A float32 has 24 bits for its digits. Below, the same numbers are added up in two ways, one of which is wrong by a third.

# %%
print("0.1 + 0.2 == 0.3:             ", 0.1 + 0.2 == 0.3, f"({0.1 + 0.2:.17f})")
big = np.float32(2**24)
print("2**24 + 1 == 2**24 in float32:", bool(big + np.float32(1) == big))
tenths = np.full(2**25, 0.1, np.float32)
one_by_one = np.cumsum(tenths)[-1]
print(
    f"{len(tenths):,} tenths:           true {len(tenths) / 10:,.0f}, one by one {one_by_one:,.0f}, .sum() {tenths.sum():,.0f}"
)

# %% [markdown]
# Never compare floats with `==`; `allclose` asks for what you mean. And once a running sum has grown large, a
# tenth is less than half of the distance to the next float32, and adding it changes nothing: the sum stands still. NumPy's `sum`
# (like PyTorch's) adds in pairs, then pairs of pairs, so that the two operands stay of similar size. That is why
# a running mean of losses is kept in float64, or in Python's own floats.
#
# ### The shape that fits by accident

# %%
predictions, targets = Tensor(np.zeros((4, 1), np.float32)), tensor([1.0, 2.0, 3.0, 4.0])
print((predictions * targets).shape)

# %% [markdown]
# Four predictions and four targets make sixteen products, and no error. Check the shapes of what you compare, once,
# in words: `assert predictions.shape == targets.shape`.
#
# ## In PyTorch
# The same lines, with the library that this one mirrors:
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
# Put `import tinytorch as torch` in its first line, and the lines above the class run now, on what you wrote; two of them are
# there to be refused. `torch.autograd.Function`, which the class needs, is built in module 06.
#
# ## Questions
# 1. `x` has shape `(64, 3, 32, 32)`. What are its strides, and those of `x.permute(0, 2, 3, 1)`? Which of the two can be
#    viewed as `(64, 3072)`?
# 2. `x.expand(1000, 1000, 1000)` looks at 4 GB, and takes none. What would happen at `x.expand(1000, 1000, 1000) * 1`?
#    And why is an in-place operation on an expanded tensor refused?
# 3. `Mul` saves both factors. A network multiplies `(256, 1024)` by `(1024,)`, a hundred times. How much memory is kept
#    for the gradients, and who could do with less?
# 4. Every float32 product is rounded. Find numbers for which `(x * y) * z` and `x * (y * z)` differ in the last digit, and
#    others for which one of the two is infinite and the other is not.
#
# ## What comes next
# Module 02 writes the functions between the layers, each a `Function` like those above. In module 06 you write for every
# one of them what to do with the gradient, and the walk along the `grad_fn`s that your `apply` leaves behind. Nothing in this file
# will have to change for it.

# %% [markdown]
# ## The rest of the family
#
# From here on everything is given: the operations that go like those you wrote, and the functions that make tensors. Run
# the cells; read them when you need to.
#
# ### Arithmetic


# %%
#| export
class Add(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        return x + y


class Sub(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        if (y if isinstance(x, (int, float)) else x).dtype.kind == "b":
            raise RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. "
                "Use the `^` or `logical_xor()` operator instead."
            )
        return x - y


class Neg(Function):
    @staticmethod
    def forward(ctx, x):
        if x.dtype == bool:
            raise RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. Use the `~` operator instead."
            )
        return -x


class Div(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x / y


class FloorDivide(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        check_divisor(x, y)
        return x // y


class TruncDivide(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        check_divisor(x, y)
        return np.trunc(x / y).astype(np.result_type(x, y))


class Remainder(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        check_divisor(x, y)
        return x % y


def check_divisor(x, y):
    """RuntimeError where an integer is divided by zero: there is no integer infinity to return."""
    if np.result_type(x, y).kind in "iu" and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


class Pow(Function):
    @staticmethod
    def forward(ctx, x, y):
        output = power(x, y)
        ctx.save_for_backward(x, y, output)
        return output


def power(x, y):
    """x ** y by products where y is a small number, because a general power is some sixty times slower."""
    if isinstance(y, (int, float)):
        if y in (1, 2, 3):
            return x.copy() if y == 1 else x * x if y == 2 else x * x * x
        if y in (0.5, -1):
            return np.sqrt(x) if y == 0.5 else 1 / x
    elif np.ndim(y) == 0 and y.dtype.kind == "i" and y < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return x**y


class Expm1(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.expm1(x)
        ctx.save_for_backward(output)
        return output


class Log(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log(x)


class Log1p(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log1p(x)


class Sqrt(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.sqrt(x)
        ctx.save_for_backward(output)
        return output


class Abs(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.abs(x)


class Sin(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.sin(x)


class Cos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.cos(x)


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x, low, high)
        return np.clip(x, low, high)


class Maximum(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return np.maximum(x, y)


class Minimum(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return np.minimum(x, y)


class Floor(Function):
    forward = staticmethod(lambda ctx, x: np.floor(x))


class Ceil(Function):
    forward = staticmethod(lambda ctx, x: np.ceil(x))


class Round(Function):
    forward = staticmethod(lambda ctx, x, decimals: np.round(x, decimals))


class Trunc(Function):
    forward = staticmethod(lambda ctx, x: np.trunc(x))


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        sign = (x > 0).astype(x.dtype)  # 0 for NaN
        return sign if x.dtype == bool else sign - (x < 0)


def pointwise(ufunc, *operands):
    """A NumPy function of one operand or two whose result has no gradient."""
    operands = promote(*operands) if len(operands) == 2 else operands
    return wrap(ufunc(*map(array_of, operands)))


def bitwise(ufunc, *operands):
    """The same on bits, which only integers and booleans have."""
    if any(
        isinstance(x, float) or (isinstance(x, Tensor) and x.is_floating_point())
        for x in operands
    ):
        error = TypeError if len(operands) == 1 else NotImplementedError
        raise error(
            f"{ufunc.__name__} is only implemented on integer and Boolean-type tensors"
        )
    return pointwise(ufunc, *operands)


# %% [markdown]
# ### Reductions


# %%
#| export
def truth(reduction, x, dim, keepdim):
    """`all` or `any`: booleans, or for uint8, as PyTorch has it, uint8."""
    found = np.asarray(reduction(x.array, axis=axes_of(dim, x.ndim), keepdims=keepdim))
    return wrap(found.astype(x.array.dtype) if x.dtype == uint8 else found)


class Mean(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        if x.dtype.kind != "f":
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                f"Got: {_dtypes[x.dtype]}"
            )
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        ctx.count = count_along(x.shape, ctx.axis)
        return x.sum(axis=ctx.axis, keepdims=keepdim) / ctx.count


class Std(Function):
    @staticmethod
    def forward(ctx, x, dim=None, correction=1, keepdim=False):
        output = np.sqrt(Var.forward(ctx, x, dim, correction, keepdim))
        ctx.save_for_backward(x, output)
        return output


class Min(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "min")
        indices = x.argmin(axis=ctx.axis, keepdims=keepdim)
        ctx.save_for_backward(indices)
        return x.min(axis=ctx.axis, keepdims=keepdim), indices


class Amax(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "max")
        ctx.save_for_backward(x)
        return x.max(axis=ctx.axis, keepdims=keepdim)


class Amin(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "min")
        ctx.save_for_backward(x)
        return x.min(axis=ctx.axis, keepdims=keepdim)


class Argmax(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        axis = axes_of(dim, x.ndim)
        check_not_empty(x, axis, "argmax")
        return x.argmax(axis=axis, keepdims=keepdim)


class Argmin(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        axis = axes_of(dim, x.ndim)
        check_not_empty(x, axis, "argmin")
        return x.argmin(axis=axis, keepdims=keepdim)


class Prod(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        ctx.save_for_backward(x)
        return x.prod(
            axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        )


class CumSum(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.axis = axis_of(dim, x.ndim)
        return x.cumsum(
            axis=ctx.axis, dtype=np.int64 if x.dtype.kind in "bui" else None
        ).reshape(x.shape)


class Sort(Function):
    @staticmethod
    def forward(ctx, x, dim=-1, descending=False):
        ctx.axis, ctx.shape = axis_of(dim, x.ndim), x.shape
        x = np.atleast_1d(x)
        if descending:  # reversed before and after, so that equal elements keep their order
            backwards = np.flip(x, ctx.axis).argsort(ctx.axis, kind="stable")
            indices = x.shape[ctx.axis] - 1 - np.flip(backwards, ctx.axis)
        else:
            indices = x.argsort(ctx.axis, kind="stable")
        ctx.save_for_backward(indices.reshape(ctx.shape))
        return np.take_along_axis(x, indices, ctx.axis).reshape(ctx.shape), indices.reshape(
            ctx.shape
        )


class TopK(Function):
    @staticmethod
    def forward(ctx, x, k, dim=-1, largest=True):
        ctx.axis, ctx.shape = axis_of(dim, x.ndim), x.shape
        if not 0 <= k <= np.atleast_1d(x).shape[ctx.axis]:
            raise RuntimeError("selected index k out of range")
        values, indices = Sort.forward(Context(), x, dim, largest)
        first = (slice(None),) * ctx.axis + (slice(k),) if x.ndim else ...
        ctx.save_for_backward(indices[first])
        return values[first], indices[first]


# %% [markdown]
# ### Copies in another order


# %%
#| export
class Flip(Function):
    @staticmethod
    def forward(ctx, x, dims):
        ctx.dims = dims
        return np.flip(x, dims).copy()


class Roll(Function):
    @staticmethod
    def forward(ctx, x, shifts, dims):
        if dims is not None and np.size(shifts) != np.size(dims):
            raise RuntimeError(
                f"shifts and dimensions must align. shifts: {np.size(shifts)}, dims:{np.size(dims)}"
            )
        ctx.shifts, ctx.dims = shifts, dims
        return np.roll(x, shifts, dims)


class Tril(Function):
    @staticmethod
    def forward(ctx, x, diagonal):
        check_matrix(x, "tril")
        ctx.diagonal = diagonal
        return np.tril(x, diagonal)


class Triu(Function):
    @staticmethod
    def forward(ctx, x, diagonal):
        check_matrix(x, "triu")
        ctx.diagonal = diagonal
        return np.triu(x, diagonal)


def check_matrix(x, name):
    """RuntimeError for the triangle of what has no rows and columns."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


# %% [markdown]
# ### Selecting and joining


# %%
#| export
class Gather(Function):
    @staticmethod
    def forward(ctx, x, index, dim):
        ctx.shape, ctx.dim = x.shape, dim
        ctx.save_for_backward(index)
        return np.atleast_1d(x)[places(x, index, dim)].reshape(index.shape)


class Scatter(Function):
    @staticmethod
    def forward(ctx, x, index, src, dim):
        ctx.dim, ctx.src_shape = dim, np.shape(src)
        ctx.save_for_backward(index)
        output = np.atleast_1d(x).copy()
        output[places(x, index, dim)] = src if np.ndim(src) == 0 else corner(src, index)
        return output.reshape(x.shape)


class ScatterAdd(Function):
    @staticmethod
    def forward(ctx, x, index, src, dim):
        ctx.dim, ctx.src_shape = dim, src.shape
        ctx.save_for_backward(index)
        output = np.atleast_1d(x).copy()
        np.add.at(output, places(x, index, dim), corner(src, index))
        return output.reshape(x.shape)


def corner(src, index):
    """As much of the source as the index has places for."""
    if any(n > m for n, m in zip(index.shape, src.shape)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than src {list(src.shape)}"
        )
    return src[tuple(map(slice, index.shape))]


def places(x, index, dim):
    """`along`, for an index that fits: int64, of as many dimensions, no longer than x elsewhere, and in range."""
    dim = axis_of(dim, x.ndim)
    if index.dtype != np.int64:
        raise RuntimeError("gather(): Expected dtype int64 for index")
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as input tensor"
        )
    if any(n > m for d, (n, m) in enumerate(zip(index.shape, x.shape)) if d != dim):
        raise RuntimeError(
            f"Size does not match at dimension {dim} expected index {list(index.shape)} to be no larger than self "
            f"{list(x.shape)} apart from dimension {dim}"
        )
    size = x.shape[dim] if x.ndim else 1
    if index.size and not 0 <= index.min() <= index.max() < size:
        bad = index[(index < 0) | (index >= size)].flat[0]
        raise RuntimeError(
            f"index {bad} is out of bounds for dimension {dim} with size {size}"
        )
    return along(np.atleast_1d(index), dim)


class MaskedFill(Function):
    @staticmethod
    def forward(ctx, x, mask, value):
        if mask.dtype != bool:
            raise RuntimeError(
                f"masked_fill_ only supports boolean masks, but got mask with dtype {_dtypes[mask.dtype]}"
            )
        if np.ndim(value):
            raise RuntimeError(
                f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {np.ndim(value)} dimension(s)."
            )
        ctx.save_for_backward(mask)
        ctx.shapes = x.shape, np.shape(value)
        output = np.broadcast_to(x, broadcast_shapes(x.shape, mask.shape)).copy()
        np.copyto(
            output, value, where=mask, casting="same_kind" if x.dtype.kind == "f" else "safe"
        )
        return output


class Where(Function):
    @staticmethod
    def forward(ctx, condition, x, y):
        ctx.save_for_backward(condition)
        ctx.shapes = np.shape(x), np.shape(y)
        return np.where(condition, x, y)


def where(condition, input=None, other=None):
    """Take elements of `input` where `condition` holds and of `other` elsewhere, all three broadcast together.

    Args:
        condition: a boolean tensor; alone, the indices at which it holds are returned.
        input, other: tensors or numbers.

    >>> where(tensor([True, False]), tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    if input is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = tensor(input)
    if not isinstance(input, Tensor):
        input = tensor(input, dtype=result_type(other, input))
    input, other = promote(input, other)
    broadcast_shapes(condition.shape, broadcast_shapes(input.shape, np.shape(array_of(other))))
    return Where.apply(condition, input, other)


class Cat(Function):
    @staticmethod
    def forward(ctx, *arrays, dim):
        ctx.dim, ctx.sizes = dim, [a.shape[dim] for a in arrays]
        return np.concatenate(arrays, axis=dim)


def cat(tensors, dim=0):
    """Join tensors along a dimension that they have.

    Args:
        tensors: tensors whose other dimensions agree; those of shape (0,) go with any.
        dim: the dimension along which they are joined.

    Raises:
        RuntimeError: if the shapes do not agree; ValueError if there are no tensors.

    >>> cat([tensor([[1, 2]]), tensor([[3, 4]])], dim=1)
    tensor([[1, 2, 3, 4]])
    """
    tensors = list(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    first = next((t.shape for t in tensors if t.shape != (0,)), (0,))
    dim = axis_of(dim, len(first))
    nothing = [*first[:dim], 0, *first[dim + 1 :]]
    tensors = [t.reshape(nothing) if t.shape == (0,) else t for t in tensors]
    for number, t in enumerate(tensors):
        if t.ndim == 0:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {number}) cannot be concatenated"
            )
        if t.ndim != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {t.ndim}"
            )
        if any(a != b for d, (a, b) in enumerate(zip(first, t.shape)) if d != dim):
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected {list(first)} but got {list(t.shape)} "
                f"for tensor number {number} in the list."
            )
    common = functools.reduce(promote_types, [t.dtype for t in tensors])
    return Cat.apply(*[t.to(common) for t in tensors], dim=dim)


class Stack(Function):
    @staticmethod
    def forward(ctx, *arrays, dim):
        ctx.dim, ctx.count = dim, len(arrays)
        return np.stack(arrays, axis=dim)


def stack(tensors, dim=0):
    """Join tensors of one shape along a new dimension.

    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    tensors = list(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for number, t in enumerate(tensors):
        if t.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and {list(t.shape)} "
                f"at entry {number}"
            )
    common = functools.reduce(promote_types, [t.dtype for t in tensors])
    return Stack.apply(*[t.to(common) for t in tensors], dim=axis_of(dim, tensors[0].ndim + 1))


# %% [markdown]
# ### Products


# %%
#| export
def matrix_product(x, y, ndims, name):
    """`mm`, `bmm`, `mv` and `dot`: matmul for operands of exactly these numbers of dimensions."""
    if (x.ndim, y.ndim) != ndims:
        raise RuntimeError(
            f"{name}: expected a {ndims[0]}D and a {ndims[1]}D tensor, but got {x.ndim}D and {y.ndim}D tensors"
        )
    if name == "bmm" and x.shape[0] != y.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {x.shape[0]} and {y.shape[0]}"
        )
    return MatMul.apply(x, y)


class Einsum(Function):
    @staticmethod
    def forward(ctx, *arrays, equation):
        ctx.save_for_backward(*arrays)
        ctx.equation = equation
        return np.einsum(equation, *arrays, optimize=True)


def einsum(equation, *operands):
    """Compute the sum of products that the equation describes.

    >>> einsum("ij,j->i", tensor([[1, 2], [3, 4]]), tensor([10, 1]))
    tensor([12, 34])
    """
    operands = (
        operands[0]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple))
        else operands
    )
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = inputs.replace(",", "").replace("...", "")
        output = "..." * ("..." in inputs) + "".join(
            sorted(c for c in set(letters) if letters.count(c) == 1)
        )
    try:
        return Einsum.apply(*operands, equation=f"{inputs}->{output}")
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from None


# %% [markdown]
# ### Random numbers
# PyTorch's numbers for a seed, to the bit where it can be. How they come about is told in the docstrings.

# %%
#| export
# What torch.Generator.get_state holds on the CPU: a state saved by either framework can be set in the other.
GENERATOR_STATE = np.dtype([
    ("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("key", "u8", 624),
    ("unused", "f8"), ("sine", "f8"), ("unused_too", "f8"), ("has_sine", "i8"), ("float_sine", "u8"),
])  # fmt: skip


class Generator:
    """Draw the numbers that PyTorch's CPU generator draws from the same seed.

    Both start from the 32-bit words of the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), which
    are NumPy's `RandomState(seed)`, whose stream is frozen. How words become numbers is PyTorch's choice
    (ATen/native/cpu/DistributionTemplates.h) and is repeated here: every method takes as many words from the
    stream as PyTorch takes, so that whole programs agree, not only the first call.

    Methods return NumPy arrays. `size` is a shape, `dtype` a NumPy floating-point type.

    >>> Generator().manual_seed(0).uniform((2,))
    array([0.4962566, 0.7682218], dtype=float32)
    """

    def __init__(self, device="cpu"):
        self.device = device
        self.manual_seed(67280421310721)

    def manual_seed(self, seed):
        """Start the stream again from `seed`, an int of at most 64 bits, and return the generator itself."""
        if type(seed) is not int:
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self._stream = np.random.RandomState(seed % 2**32)  # MT19937 is seeded with 32 bits
        self._sine = None  # the second half of the last small normal draw, kept for the next
        return self

    def seed(self):
        """Start again from a seed of the operating system's, and return that seed."""
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def initial_seed(self):
        """The seed that the stream was last started from."""
        return self._seed

    def get_state(self):
        """Everything the next draws depend on, as 5,056 bytes in PyTorch's layout."""
        _, key, position, *_ = self._stream.get_state()
        has_sine = self._sine is not None
        state = (
            self._seed,
            625 - position,
            1,
            position % 624,
            key,
            0,
            self._sine or 0,
            0,
            has_sine,
            0,
        )
        return wrap(np.array([state], GENERATOR_STATE).view(np.uint8))

    def set_state(self, state):
        """Go back to where `get_state` was called."""
        state = state.array
        if state.size != GENERATOR_STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {GENERATOR_STATE.itemsize} "
                f"but found the input RNG state size to be {state.size}"
            )
        state = np.frombuffer(state.tobytes(), GENERATOR_STATE)[0]
        if not state["seeded"]:
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(state["seed"])
        self._stream.set_state(("MT19937", state["key"], int(state["next"]) or 624))
        self._sine = float(state["sine"]) if state["has_sine"] else None
        return self

    def raw(self, size):
        """The next words of the stream, 32 random bits each, as uint32."""
        return self._stream.randint(2**32, size=size, dtype=np.uint32)

    def uniform(self, size, low=0.0, high=1.0, dtype=np.float32):
        """Numbers in [low, high): the low 24 bits of a word, or for float64 53 bits of two, as a fraction."""
        if not low <= high:
            raise RuntimeError(
                f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}"
            )
        work = np.result_type(
            dtype, np.float32
        )  # float16 is drawn in float32, as nearly everywhere below
        digits = np.finfo(work).nmant + 1
        word = (
            np.uint32 if digits == 24 else np.uint64
        )  # a uint64 is two words, the first on top
        # With a power of two for its bound, randint takes the low bits of each word and rejects none.
        bits = self._stream.randint(2**digits, size=math.prod(size), dtype=word)
        values = bits.view(work)
        values[:] = (
            bits  # in the same memory: a new page of it costs more than all the arithmetic
        )
        values *= 2.0**-digits
        if (low, high) != (0, 1):
            start, span = work.type(low), work.type(high) - work.type(low)
            # C++ rounds start + span * x once, in a fused multiply-add; by way of float64 float32 does too.
            np.add(
                np.multiply(values, span, dtype=np.float64),
                start,
                out=values,
                casting="same_kind",
            )
        values = values.astype(dtype, copy=False)
        values[values == values.dtype.type(high)] = (
            low  # rounding can reach high, which is excluded
        )
        return values.reshape(size)

    def normal(self, size, mean=0.0, std=1.0, dtype=np.float32):
        """Normal numbers, by Box and Muller's transform (1958): sqrt(-2 ln u1) times cos and sin of 2 pi u2.

        PyTorch has a fast way for sixteen numbers and more, in blocks of sixteen, and a slow one in float64
        for fewer, which makes two at a time and keeps the second for the next call.
        """
        if std < 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
        count = math.prod(size)
        if count < 16:
            values = [] if self._sine is None else [self._sine]
            while len(values) < count:
                u1, u2 = self.uniform((2,), dtype=np.float64).tolist()
                radius, angle = math.sqrt(-2 * math.log1p(-u2)), 2 * math.pi * u1
                values += [radius * math.cos(angle), radius * math.sin(angle)]
            self._sine = values.pop() if len(values) > count else None
            return (np.array(values) * std + mean).astype(dtype).reshape(size)
        work = np.result_type(dtype, np.float32)
        whole = count // 16 * 16
        values = self.uniform((whole if dtype == np.float16 else count,), dtype=work)
        _box_muller(values[:whole])
        if count > whole:  # the last sixteen places are drawn again
            last = self.uniform((16,), dtype=work)
            _box_muller(last)
            values = np.concatenate([values[: count - 16], last])
        values *= std
        values += mean
        return values.astype(dtype, copy=False).reshape(size)

    def exponential(self, size, lambd=1.0, dtype=np.float32):
        """Exponential numbers of rate `lambd`: -ln(1 - u) / lambd, computed in float64."""
        if not lambd > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
        values = self.uniform(size, dtype=np.float64)
        np.log1p(np.negative(values, out=values), out=values)
        values *= -1 / lambd
        return values.astype(dtype, copy=False)

    def bernoulli(self, p, size=None):
        """True with probability `p`: a number, compared in float64, or an array, compared in its dtype."""
        p = np.asarray(p)
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        values = self.uniform(
            p.shape if size is None else size, dtype=np.result_type(p, np.float32)
        )
        return np.asarray(values < p)

    def integers(self, low, high, size):
        """Integers in [low, high), as int64: a word modulo the range, or two words if it is 2**28 or more."""
        if low >= high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        values = self._below(high - low, size, wide=high - low >= 2**28).astype(np.int64)
        values += low
        return values

    def random(self, size, dtype=np.int64):
        """Integers from 0 to the largest that `dtype` holds, in floats all that are exact: `random_()`."""
        dtype = np.dtype(dtype)
        if dtype.kind == "f":
            largest = 2 ** (np.finfo(dtype).nmant + 1)
        else:
            largest = 1 if dtype == np.bool_ else np.iinfo(dtype).max
        return self._below(largest + 1, size, wide=dtype.itemsize == 8).astype(dtype)

    def _below(self, bound, size, wide):
        """Words modulo `bound`: single ones, or two at a time, the first on top."""
        words = (
            self._stream.randint(2**64, size=size, dtype=np.uint64) if wide else self.raw(size)
        )
        words %= words.dtype.type(bound)
        return words

    def permutation(self, n):
        """The integers below `n` in random order, as int64, by Fisher and Yates's n - 1 swaps."""
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
        steps = np.arange(max(n - 1, 0))
        partners = steps + self.raw(steps.shape) % (n - steps)
        order = np.arange(n)
        swap = memoryview(order)  # reads and writes single elements faster than the array does
        for i, j in enumerate(partners.tolist()):
            swap[i], swap[j] = swap[j], swap[i]
        return order

    def multinomial(self, p, count, replacement=False):
        """`count` indices for each row of `p`, an array (K,) or (N, K) of weights that need not sum to one.

        With replacement: search a uniform number in the cumulated weights. Without: the largest p / q for
        exponential q (Efraimidis and Spirakis, 2006).
        """
        if p.ndim not in (1, 2):
            raise RuntimeError("prob_dist must be 1 or 2 dim")
        if count <= 0:
            raise RuntimeError("cannot sample n_sample <= 0 samples")
        if count > p.shape[-1] and not replacement:
            raise RuntimeError(
                "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
            )
        if not (np.isfinite(p) & (p >= 0)).all():
            raise RuntimeError(
                "probability tensor contains either `inf`, `nan` or element < 0"
            )
        if (p.sum(axis=-1) == 0).any():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        if replacement and count > 1:
            cumulated = p.cumsum(axis=-1, dtype=np.result_type(p, np.float32))
            cumulated /= cumulated[..., -1:]
            cumulated[..., -1] = 1
            u = self.uniform((*p.shape[:-1], count), dtype=np.float64)
            rows = zip(cumulated.reshape(-1, p.shape[-1]), u.reshape(-1, count), strict=True)
            return np.array([np.searchsorted(*row) for row in rows], np.int64).reshape(u.shape)
        ratio = p / self.exponential(p.shape, dtype=p.dtype)
        return (
            ratio.argmax(axis=-1, keepdims=True)
            if count == 1
            else (-ratio).argsort(axis=-1)[..., :count]
        )


def _box_muller(values):
    """Turn each sixteen uniform numbers, eight u1 and eight u2, into sixteen normal ones, in place."""
    parts = np.array_split(
        values.reshape(-1, 2, 8), values.size // 2**16 + 1
    )  # small enough for the cache
    for u1, u2 in (part.swapaxes(0, 1) for part in parts):  # (sixteens, 8) each
        radius, angle = np.sqrt(-2 * np.log(1 - u1)), 2 * math.pi * u2
        u1[:], u2[:] = radius * np.cos(angle), radius * np.sin(angle)


# %%
#| export
default_generator = Generator()


def manual_seed(seed):
    """Start the default generator again from `seed`, and return it."""
    return default_generator.manual_seed(seed)


def seed():
    """Start the default generator again from a seed of the operating system's, and return that seed."""
    return default_generator.seed()


def initial_seed():
    """The seed that the default generator was last started from."""
    return default_generator.initial_seed()


def get_rng_state():
    """Everything that the default generator's next draws depend on, as a uint8 Tensor."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Take the default generator back to where `get_rng_state` was called."""
    default_generator.set_state(new_state)


# %% [markdown]
# ### Making tensors


# %%
#| export
def as_tensor(data, dtype=None, device=None):
    """Make a tensor of `data` that shares its memory where it can: where it is a tensor or an array of the type."""
    if isinstance(data, Tensor):
        result = data
    else:
        result = wrap(data) if isinstance(data, np.ndarray) else tensor(data, dtype=dtype)
    return result.to(dtype=dtype, device=device)


def from_numpy(ndarray):
    """Make a tensor that shares the array's memory; TypeError for what is no array, or of a type PyTorch lacks."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtype_of(ndarray.dtype)
    return wrap(ndarray)


def new_shape(size):
    """The shape of a new tensor, from f(2, 3) or f((2, 3)); RuntimeError for a negative length."""
    shape = sizes(size)
    if any(n < 0 for n in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    return shape


def _numpy_type(dtype):
    """NumPy's type for a dtype, None being the default."""
    return (dtype or get_default_dtype()).numpy


def empty(*size, dtype=None, device=None, requires_grad=False):
    """Make a tensor whose elements are whatever was in memory."""
    return _made(np.empty(new_shape(size), _numpy_type(dtype)), device, requires_grad)


def zeros(*size, dtype=None, device=None, requires_grad=False):
    """Make a tensor of zeros."""
    return _made(np.zeros(new_shape(size), _numpy_type(dtype)), device, requires_grad)


def ones(*size, dtype=None, device=None, requires_grad=False):
    """Make a tensor of ones."""
    return _made(np.ones(new_shape(size), _numpy_type(dtype)), device, requires_grad)


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor of one value, in that value's type unless another is named."""
    dtype = dtype or (
        fill_value.dtype if isinstance(fill_value, Tensor) else number_type(fill_value)
    )
    return _made(
        np.full(new_shape(tuple(size)), array_of(fill_value), dtype.numpy),
        device,
        requires_grad,
    )


def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """Count: start, start + step, ... up to but not including `end`; `arange(end)` counts from 0.

    Args:
        start, end, step: numbers; integers make an int64 tensor, unless a type is named.

    Raises:
        RuntimeError: if `step` is 0 or leads away from `end`.

    >>> arange(1, 10, 3)
    tensor([1, 4, 7])
    """
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None and all(isinstance(x, int) for x in (start, end, step)):
        dtype = int64
    count = math.ceil((end - start) / step)
    return _made(
        (start + np.arange(count) * step).astype(_numpy_type(dtype)), device, requires_grad
    )


def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """Make `steps` equally spaced numbers from `start` to `end`, both included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    wanted = _numpy_type(dtype)
    kind = wanted.type if wanted.kind == "f" else np.float64
    step, i = kind((end - start) / max(steps - 1, 1)), np.arange(steps).astype(kind)
    forward, backward = (
        kind(start) + step * i,
        kind(end) - step * (steps - 1 - i),
    )  # each exact at its own end
    values = np.where(i < steps // 2 + (steps == 1), forward, backward)
    return _made(values.astype(wanted), device, requires_grad)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """Make the n x m matrix with ones on its diagonal."""
    return _made(np.eye(n, m, dtype=_numpy_type(dtype)), device, requires_grad)


def rand(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw numbers evenly from [0, 1)."""
    draw = (generator or default_generator).uniform(new_shape(size), dtype=_numpy_type(dtype))
    return _made(draw, device, requires_grad)


def randn(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw numbers from the normal distribution with mean 0 and variance 1."""
    draw = (generator or default_generator).normal(new_shape(size), dtype=_numpy_type(dtype))
    return _made(draw, device, requires_grad)


def randint(
    low, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False
):
    """Draw integers evenly from `low` to `high` - 1; `randint(high, size)` counts from 0."""
    low, high, size = (0, low, high) if size is None else (low, high, size)
    draw = (generator or default_generator).integers(low, high, new_shape(tuple(size)))
    return _made(draw.astype((dtype or int64).numpy), device, requires_grad)


def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw the numbers 0 to n - 1 in random order."""
    draw = (generator or default_generator).permutation(n)
    return _made(draw.astype((dtype or int64).numpy), device, requires_grad)


def bernoulli(input, *, generator=None):
    """Draw 1 with the probability that each element of `input` says, else 0."""
    if input.numel() and not 0 <= input.array.min() <= input.array.max() <= 1:
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    draw = (generator or default_generator).bernoulli(input.array, input.shape)
    return wrap(draw.astype(input.array.dtype))


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Draw `num_samples` indices from each row of weights, (K,) or (N, K), which need not sum to one."""
    if not input.is_floating_point():
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input.dtype}"
        )
    return wrap(
        (generator or default_generator).multinomial(input.array, num_samples, replacement)
    )


def normal(mean, std, size=None, *, generator=None):
    """Draw normal numbers: of one mean and deviation in a shape, or of each element's own."""
    if size is not None:
        return wrap(
            (generator or default_generator).normal(new_shape(tuple(size)), mean=mean, std=std)
        )
    shape = broadcast_shapes(*[x.shape for x in (mean, std) if isinstance(x, Tensor)])
    return randn(shape, generator=generator) * std + mean


def empty_like(input, *, dtype=None, device=None, requires_grad=False):
    """Make uninitialised memory in the shape, type and layout of `input`."""
    return _made(
        np.empty_like(input.array, None if dtype is None else dtype.numpy),
        device,
        requires_grad,
    )


def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    """Make a tensor of one value in the shape, type and layout of `input`."""
    return (
        empty_like(input, dtype=dtype, device=device)
        .fill_(fill_value)
        .requires_grad_(requires_grad)
    )


def zeros_like(input, *, dtype=None, device=None, requires_grad=False):
    """Make zeros in the shape, type and layout of `input`."""
    return _made(
        np.zeros_like(input.array, None if dtype is None else dtype.numpy),
        device,
        requires_grad,
    )


def ones_like(input, *, dtype=None, device=None, requires_grad=False):
    """Make ones in the shape, type and layout of `input`."""
    return _made(
        np.ones_like(input.array, None if dtype is None else dtype.numpy),
        device,
        requires_grad,
    )


def rand_like(input, *, dtype=None, device=None, requires_grad=False):
    """Draw uniform numbers in the shape, type and layout of `input`."""
    return (
        empty_like(input, dtype=dtype, device=device).uniform_().requires_grad_(requires_grad)
    )


def randn_like(input, *, dtype=None, device=None, requires_grad=False):
    """Draw normal numbers in the shape, type and layout of `input`."""
    return (
        empty_like(input, dtype=dtype, device=device).normal_().requires_grad_(requires_grad)
    )


def randint_like(input, low, high=None, *, dtype=None, device=None, requires_grad=False):
    """Draw integers from `low` to `high` - 1 in the shape, type and layout of `input`."""
    low, high = (0, low) if high is None else (low, high)
    return (
        empty_like(input, dtype=dtype, device=device)
        .random_(low, high)
        .requires_grad_(requires_grad)
    )


# %% [markdown]
# ### The remaining functions
# `torch.sum(x, 0)` is `x.sum(0)`: nearly every method is a function too. Those are looked up when they are asked for.


# %%
#| export
def is_tensor(obj):
    """Tell whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


def broadcast_tensors(*tensors):
    """Expand tensors to the shape they have together."""
    shape = broadcast_shapes(*[t.shape for t in tensors])
    return tuple([t.expand(shape) for t in tensors])


def meshgrid(*tensors, indexing="ij"):
    """Make the coordinates of the grid that 1-d tensors span, one tensor a coordinate."""
    tensors = list(
        tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    )
    if indexing not in ("ij", "xy") or any(t.ndim > 1 for t in tensors):
        raise RuntimeError(
            "torch.meshgrid: expected 1-d tensors and an indexing of 'ij' or 'xy'"
        )
    axes = list(range(len(tensors)))  # the axis along which each one varies
    if indexing == "xy":
        axes[:2] = axes[1::-1]
    shape = [tensors[axis].numel() for axis in axes]
    columns = [
        t.reshape([-1 if d == axis else 1 for d in range(len(axes))])
        for t, axis in zip(tensors, axes)
    ]
    return tuple([column.expand(shape) for column in columns])


def finfo(type=None):
    """Look up the limits of a floating point type: `eps`, `max`, `min`, `tiny`, `bits`."""
    info = np.finfo((type or get_default_dtype()).numpy)
    limits = {name: getattr(info, name).item() for name in ("eps", "max", "min", "tiny")}
    return SimpleNamespace(bits=info.bits, **limits)


def iinfo(type):
    """Look up the limits of an integer type: `max`, `min`, `bits`."""
    return np.iinfo(type.numpy)


_names = {d.name: d for d in _dtypes.values()}
_names |= {
    "half": float16,
    "float": float32,
    "double": float64,
    "short": int16,
    "int": int32,
    "long": int64,
}
_names |= {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}


def __getattr__(name):
    """Every method of Tensor is a function too, torch.sum(x, 0) for x.sum(0); and every dtype has its names.

    Looked up here rather than defined, so that this module can go on using Python's own sum, max, int and bool.
    """
    if name in _names:
        return _names[name]
    if name.startswith("_") or not callable(getattr(Tensor, name, None)):
        raise AttributeError(f"module 'tinytorch.tensor' has no attribute '{name}'")

    def function(input, *args, **kwargs):
        if not isinstance(input, Tensor):
            numbers = (
                isinstance(input, (int, float)) and args and isinstance(args[0], OPERANDS)
            )
            if not numbers:
                raise TypeError(
                    f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}"
                )
            input = tensor(input)
        return getattr(input, name)(*args, **kwargs)

    function.__name__, function.__doc__ = name, getattr(Tensor, name).__doc__
    return function
