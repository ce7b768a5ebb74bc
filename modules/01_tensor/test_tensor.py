"""Tests of module 01, which `make release 1` makes from tensor.py."""

import contextlib
import itertools
import warnings

import numpy as np
import pytest

from tinytorch.tensor import (
    Context,
    Function,
    Layout,
    MatMul,
    Max,
    Mul,
    Size,
    Sum,
    Tensor,
    Var,
    along,
    broadcast_shapes,
    contiguous_strides,
    expanded,
    grad_mode,
    infer_shape,
    is_viewable,
    matmul_naive,
    sliced,
    transposed,
    wrap,
)


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


@pytest.mark.stub("contiguous-strides", points=4)
def test_strides_are_those_of_numpys_new_arrays():
    for shape in [(5,), (3, 4), (2, 3, 4), (4, 1, 2), (1, 1), (7, 5, 3, 2), ()]:
        wanted = tuple(s // 8 for s in np.zeros(shape).strides)
        said = f"the strides of a new tensor of shape {shape}"
        assert integers(contiguous_strides(shape), said) == wanted, said


@pytest.mark.stub("contiguous-strides", points=4)
def test_a_length_of_zero_counts_as_one():
    for shape, wanted in [((2, 0, 3), (3, 3, 1)), ((0,), (1,)), ((4, 0), (1, 1))]:
        said = f"the strides of a new tensor of shape {shape}"
        assert integers(contiguous_strides(shape), said) == wanted, said


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


@pytest.mark.stub("transposed", points=3)
def test_transposed_exchanges_two_dimensions():
    for layout, array in several_layouts():
        for dims in [(0, 1), (1, 2), (2, 0), (1, 1)]:
            said = f"{layout} with dimensions {dims} exchanged"
            check_layout(transposed(layout, *dims), array.swapaxes(*dims), said)


@pytest.mark.stub("sliced", points=5)
def test_sliced_keeps_what_numpys_slice_keeps():
    for layout, array in several_layouts():
        for dim, n in enumerate(layout.shape):
            rest = (slice(None),) * dim
            for start, stop, step in itertools.product(range(n), range(n + 1), (1, 2, 3)):
                view = array[(*rest, slice(start, stop, step))]
                said = f"{start}:{stop}:{step} along dimension {dim} of {layout}"
                check_layout(sliced(layout, dim, start, stop, step), view, said)


@pytest.mark.stub("sliced", points=5)
def test_a_slice_of_a_slice():
    layout, array = next(several_layouts())
    found = sliced(sliced(sliced(layout, 2, 1, 4, 2), 1, 1, 3), 2, 1, 2)
    check_layout(found, array[:, 1:3, 1:4:2][:, :, 1:2], "x[:, 1:3, 1:4:2][:, :, 1:2]")


@pytest.mark.stub("expanded", points=6)
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


@pytest.mark.stub("expanded", points=6)
def test_minus_one_leaves_a_length_as_it_is():
    for shape, asked, wanted in [
        ((3, 1), (-1, 4), (3, 4)),
        ((3, 1), (2, -1, -1), (2, 3, 1)),
        ((0, 1), (-1, 2), (0, 2)),
    ]:
        found = expanded(Layout(shape, contiguous_strides(shape)), asked)
        assert found.shape == wanted, f"{shape} as {asked} is {wanted}, not {found.shape}"


@pytest.mark.stub("expanded", points=6)
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


def refused(numel, shape, reason):
    """Check that `infer_shape` raises a RuntimeError that gives the reason."""
    said = what_it_says(infer_shape, numel, shape)
    wanted = f"a RuntimeError is wanted that says {reason!r}"
    assert reason in said, f"{numel} elements as {shape}: {wanted}. Got: {said}"


@pytest.mark.stub("infer-shape", points=5)
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


@pytest.mark.stub("infer-shape", points=5)
def test_a_complete_shape_is_returned_as_it_is():
    for numel, shape in [(12, (3, 4)), (1, ()), (0, (2, 0, 5)), (6, (1, 6, 1))]:
        said = f"{numel} elements as {shape}, where nothing is missing"
        assert integers(infer_shape(numel, shape), said) == shape, said


@pytest.mark.stub("infer-shape", points=5)
def test_shapes_that_do_not_fit_are_refused():
    for shape in [(4, 2), (7,), (), (-1, 4), (-1, -6), (-2, -3), [-1, 5]]:
        refused(6, shape, f"shape '{list(shape)}' is invalid for input of size 6")
    refused(0, (3,), "shape '[3]' is invalid for input of size 0")


@pytest.mark.stub("infer-shape", points=5)
def test_what_could_be_anything_is_refused():
    refused(0, (-1, 0), "is invalid for input of size 0")
    refused(6, (-1, 0), "is invalid for input of size 6")
    refused(4, (-1, -1), "only one dimension can be inferred")


def views(array, answers):
    """Check the answers for an array and new shapes; NumPy counts its strides in bytes."""
    strides = tuple(s // array.itemsize for s in array.strides)
    for new_shape, wanted in answers.items():
        found = is_viewable(array.shape, strides, new_shape)
        said = f"shape {array.shape} with strides {strides}, as {new_shape}"
        assert found == wanted, f"{said}: {wanted}, not {found}"


def strided(shape, strides):
    return np.lib.stride_tricks.as_strided(np.zeros(1000), shape, [8 * s for s in strides])


@pytest.mark.stub("is-viewable", points=9)
def test_a_contiguous_tensor_takes_any_shape():
    shapes = (24,), (4, 6), (3, 2, 4), (2, 3, 2, 2), (1, 24, 1)
    views(np.zeros((2, 3, 4)), dict.fromkeys(shapes, True))


@pytest.mark.stub("is-viewable", points=9)
def test_a_transpose_can_be_cut_but_not_joined():
    views(np.zeros((3, 3)).T, {(3, 3): True})
    cut = (2, 2, 3), (4, 3), (4, 3, 1), (1, 4, 3)
    views(np.zeros((3, 4)).T, {(12,): False, (6, 2): False} | dict.fromkeys(cut, True))


@pytest.mark.stub("is-viewable", points=9)
def test_rows_of_a_part_are_runs_of_their_own():
    views(np.zeros((4, 6))[:, :3], {(12,): False, (2, 2, 3): True, (4, 3, 1): True})
    views(np.zeros((2, 4, 4))[:, :3], {(2, 12): True, (24,): False, (8, 3): False})
    views(np.zeros((2, 3, 8, 2))[:, :2, ::2], {(2, 2, 8): False, (4, 4, 2): False})


@pytest.mark.stub("is-viewable", points=9)
def test_steps_larger_than_one_are_still_one_run():
    views(np.zeros((3, 8))[:, ::2], {(12,): True, (6, 2): True})
    views(np.zeros(12)[::3], {(2, 2): True})


@pytest.mark.stub("is-viewable", points=9)
def test_dimensions_of_length_one_do_not_matter():
    views(strided((3, 1, 4), (4, 77, 1)), {(12,): True, (2, 6): True})
    views(strided((1, 3), (50, 1)), {(3,): True, (3, 1): True})
    views(strided((1, 1), (9, 5)), {(1,): True, (): True})
    views(np.zeros(()), {(1, 1): True})


@pytest.mark.stub("is-viewable", points=9)
def test_repeated_elements_are_not_one_run():
    views(strided((2, 3), (0, 1)), {(6,): False, (2, 3, 1): True})
    views(strided((3, 2), (1, 0)), {(6,): False, (2, 3): False})
    views(strided((2, 3), (0, 0)), {(6,): True, (3, 2): True})


@pytest.mark.stub("is-viewable", points=9)
def test_a_tensor_without_elements_takes_any_shape():
    views(strided((0, 3), (1, 7)), {(3, 0): True, (0,): True})


@pytest.mark.stub("broadcast-shapes", points=7)
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


@pytest.mark.stub("broadcast-shapes", points=7)
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


@pytest.mark.stub("function-apply", points=12)
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


@pytest.mark.stub("function-apply", points=12)
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


@pytest.mark.stub("function-apply", points=12)
def test_infinities_are_results_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning is raised, in place of being printed
        try:
            found = operation([]).apply(Tensor(np.float32([3e38])), 10)
        except RuntimeWarning as warning:
            raise AssertionError(f"quietly(cls.forward, ...): NumPy says {warning}") from None
    agrees(found.array, np.float32([np.inf]), "3e38 times 10")


@pytest.mark.stub("function-apply", points=12)
def test_one_input_that_requires_a_gradient_is_enough():
    seen, x, constant = [], leaf(1, 2), Tensor(np.float32([3, 4]))
    y = operation(seen).apply(constant, 1, shift=0)
    assert y.grad_fn is None, "no input requires a gradient: record nothing"
    y = operation(seen).apply(constant, x)
    assert y.grad_fn is not None, "the second input requires a gradient: record the call"
    assert list(y.grad_fn.edges) == [None, (x, 0)], "the edges must be in the order of the inputs"


@pytest.mark.stub("function-apply", points=12)
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


@pytest.mark.stub("function-apply", points=12)
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
            assert half.output_nr == i, f"record all results at once: {i}, not {half.output_nr}"


@pytest.mark.stub("mul", points=4)
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


@pytest.mark.stub("mul", points=4)
def test_mul_takes_a_number_for_a_factor():
    for kind in (np.float16, np.float32):
        x = np.array([1.5, -2], kind)
        for said, factors in (("x * 2.5, in x's type", (x, 2.5)), ("2.5 * x", (2.5, x))):
            found = Mul.forward(Context(), *factors)
            agrees(found, np.array([3.75, -5], kind), said)


@pytest.mark.stub("mul", points=4)
def test_mul_saves_both_factors_in_order():
    a, b, c = np.float32([1, 2]), np.float32([3, 4]), np.float32([[5, 6], [7, 8]])
    for x, y in ((a, b), (c, a), (a, 2.5), (2.5, a)):
        ctx = Context()
        Mul.forward(ctx, x, y)
        saved = ctx.saved_tensors
        assert len(saved) == 2, f"the gradient needs both factors, {x} and {y}; saved: {saved}"
        assert saved[0] is x, f"x is saved first, itself: {x!r}, no copy, not {saved[0]!r}"
        assert saved[1] is y, f"y is saved second, itself: {y!r}, no copy, not {saved[1]!r}"


class Numbers(np.ndarray):
    """An array that gives its numbers one by one, and refuses to be used as a whole."""

    def refuse(self, *args, **kwargs):
        raise AssertionError("three loops are asked for, a[i, k] * b[k, j] at a time: no products of arrays")

    __array_ufunc__ = dot = refuse

    def __array_function__(self, function, types, args, kwargs):
        products = (np.dot, np.inner, np.vdot, np.tensordot, np.einsum)
        return (self.refuse if function in products else super().__array_function__)(
            function, types, args, kwargs
        )


@pytest.mark.stub("matmul-naive", points=5)
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


@pytest.mark.stub("matmul", points=6)
def test_product_of_matrices_and_vectors():
    product((2, 3), (3, 4), "ik,kj->ij")
    product((3, 3), (3, 3), "ik,kj->ij")
    product((2, 3), (3,), "ik,k->i")
    product((3,), (3, 4), "k,kj->j")
    product((3,), (3,), "k,k->")
    product((1, 3), (3, 4), "ik,kj->ij")


@pytest.mark.stub("matmul", points=6)
def test_product_of_batches():
    product((5, 2, 3), (3, 4), "bik,kj->bij")
    product((2, 5, 2, 3), (3, 4), "abik,kj->abij")
    product((5, 2, 3), (5, 3, 4), "bik,bkj->bij")
    product((8, 1, 2, 3), (5, 3, 4), "bcik,dkj->bdij")
    product((5, 2, 3), (3,), "bik,k->bi")
    product((3,), (5, 3, 4), "k,bkj->bj")
    product((5, 1, 3), (3, 4), "bik,kj->bij")


@pytest.mark.stub("matmul", points=6)
def test_product_over_nothing_is_zero():
    product((2, 0), (0, 3), "ik,kj->ij")
    product((4, 2, 0), (0, 3), "bik,kj->bij")
    product((0, 2, 3), (3, 4), "bik,kj->bij")


@pytest.mark.stub("sum", points=5)
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


@pytest.mark.stub("sum", points=5)
def test_sums_of_integers_and_booleans_are_int64():
    for kind in ("u1", "i1", "i2", "i4", "i8", "?"):
        x = np.ones((2, 300), kind)
        agrees(Sum.forward(Context(), x, 1), np.int64([300, 300]), f"300 ones of {x.dtype}")


@pytest.mark.stub("sum", points=5)
def test_sums_of_floats_keep_their_type():
    for kind in (np.float16, np.float32, np.float64):
        found = Sum.forward(Context(), np.ones((3, 2), kind), 0)
        agrees(found, np.array([3, 3], kind), f"the sum of {kind.__name__}")


@pytest.mark.stub("sum", points=5)
def test_sum_of_nothing_is_zero():
    agrees(Sum.forward(Context(), np.ones((0, 3)), 0), np.zeros(3), "the sum of no rows")
    found = Sum.forward(Context(), np.full((), 2.5))
    agrees(found, np.float64(2.5), "a tensor of one number is its own sum")


@pytest.mark.stub("var", points=7)
def test_var_divides_by_n_minus_one_unless_told():
    found = Var.forward(Context(), np.array([1.0, 3.0]))
    agrees(found, np.float64(2), "of [1, 3]: ((1 - 2)^2 + (3 - 2)^2) / (2 - 1)")


@pytest.mark.stub("var", points=7)
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


@pytest.mark.stub("var", points=7)
def test_var_survives_numbers_far_from_zero():
    for kind, far in ((np.float32, 1e4), (np.float64, 1e8)):
        x = (far + np.array([0, 0.5, 1, 1.5])).astype(kind)
        said = f"subtract the mean before you square, which is about {far}"
        agrees(Var.forward(Context(), x, None, 0), kind(0.3125), said, rtol=1e-3)


@pytest.mark.stub("var", points=7)
def test_var_of_one_element_is_not_a_number():
    with np.errstate(all="ignore"):
        found = Var.forward(Context(), np.ones((1, 3)), 0)
    said = "one element, correction 1: 0 / 0 is NaN, as in PyTorch"
    agrees(found, np.full(3, np.nan), said)


@pytest.mark.stub("var", points=7)
def test_var_saves_its_input():
    ctx, x = Context(), np.float32([[1, 2], [4, 8]])
    Var.forward(ctx, x, 1)
    saved = ctx.saved_tensors
    assert len(saved) == 1, f"the gradient needs x, and nothing else; {len(saved)} are saved"
    assert saved[0] is x, f"x itself is saved, neither the deviations nor a copy; not {saved}"


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


@pytest.mark.stub("max", points=5)
def test_max_finds_values_and_places():
    x = np.random.default_rng(7).normal(size=(3, 4, 5))
    for dim in (0, 1, -1):
        check_max(x, dim)
        check_max(x.astype(np.float32), dim)
    check_max(np.zeros((0, 3)), 1)
    check_max(np.float32([1, 3, 2]), 0)


@pytest.mark.stub("max", points=5)
def test_max_takes_the_first_of_equals():
    check_max(np.array([[5, 2, 5], [1, 1, 1]]), 1)
    check_max(np.array([[5, 2, 5], [5, 1, 5]], np.int8), 0)
    check_max(np.array([[False, True, True]]), 1)


@pytest.mark.stub("max", points=5)
def test_max_finds_a_nan_before_any_number():
    check_max(np.float32([[1, np.nan, 3], [np.inf, 2, np.nan]]), 1)


@pytest.mark.stub("max", points=5)
def test_max_of_a_single_number_is_itself():
    values, indices = Max.forward(Context(), np.full((), 2.5), 0)
    agrees(values, np.float64(2.5), "a 0-d array has a dimension 0: its number")
    agrees(indices, np.int64(0), "a 0-d array has a dimension 0: place 0")


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


@pytest.mark.stub("along", points=6)
def test_along_picks_for_each_row():
    picked((2, 3), (2, 5), 1)
    picked((4, 3), (2, 3), 0)
    picked((3, 3), (3, 3), 1)
    picked((3, 3), (3, 3), 0)


@pytest.mark.stub("along", points=6)
def test_along_works_for_any_number_of_dimensions():
    picked((6,), (4,), 0)
    picked((2, 3, 4), (2, 5, 4), 1)
    picked((2, 3, 4), (2, 3, 1), 2)
    picked((2, 3, 2, 4), (2, 3, 5, 4), 2)
    picked((2, 3, 2, 1, 4), (3, 3, 2, 1, 4), 0)


@pytest.mark.stub("along", points=6)
def test_along_takes_an_index_that_is_shorter_than_x():
    picked((4, 3), (2, 2), 1)
    picked((5, 4, 3), (7, 2, 1), 0)
    picked((4, 3), (0, 2), 0)


@pytest.mark.stub("along", points=6)
def test_along_also_says_where_to_write():
    x, index = np.zeros((2, 3)), np.array([[2], [0]])
    x[along(index, 1)] = 1
    wanted = np.array([[0.0, 0, 1], [1, 0, 0]])
    agrees(x, wanted, "x[along(index, 1)] = 1 writes one element a row")
