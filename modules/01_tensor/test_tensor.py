"""Tests of module 01, which `make release 1` makes from tensor.py."""

import math

import numpy as np
import pytest

from tinytorch.tensor import (
    Context,
    Exp,
    Function,
    MatMul,
    Max,
    Mul,
    Size,
    Sum,
    Tensor,
    Var,
    along,
    bool_,
    broadcast_shapes,
    contiguous_strides,
    float16,
    float32,
    float64,
    grad_mode,
    infer_dtype,
    infer_shape,
    int8,
    int16,
    int32,
    int64,
    is_viewable,
    matmul_naive,
    set_default_dtype,
    uint8,
)


@pytest.mark.stub("infer-dtype", points=5)
def test_pythons_numbers_count_by_their_kind():
    cases = [(3, int64), (-2.5, float32), (True, bool_), ([1, 2], int64), ([[1], [2]], int64)]
    for data, wanted in cases:
        found = infer_dtype(data)
        assert found is wanted, f"{data} makes a tensor of {wanted}, not {found}"


@pytest.mark.stub("infer-dtype", points=5)
def test_one_number_of_a_higher_kind_decides():
    for data, wanted in [
        ([1, 2.5], float32),
        ([True, 2], int64),
        ([True, 0.5], float32),
        ([[1], [2.0]], float32),
    ]:
        found = infer_dtype(data)
        assert found is wanted, f"{data} makes a tensor of {wanted}, not {found}"


@pytest.mark.stub("infer-dtype", points=5)
def test_no_numbers_make_the_default_type():
    for data in ([], [[], []]):
        assert infer_dtype(data) is float32, f"{data} has no numbers: the default type"


@pytest.mark.stub("infer-dtype", points=5)
def test_what_comes_from_numpy_keeps_its_type():
    for wanted in (float16, float32, float64, int8, int32, uint8, bool_):
        for data in (
            np.ones((2, 2), wanted.numpy),
            np.ones((), wanted.numpy)[()],
            np.zeros(0, wanted.numpy),
        ):
            message = f"an array or number of NumPy's {wanted.numpy} keeps its type"
            assert infer_dtype(data) is wanted, message


@pytest.mark.stub("infer-dtype", points=5)
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
        found = infer_dtype(data)
        assert found is wanted, f"{data}: {wanted} is the smallest that holds all, not {found}"


@pytest.mark.stub("infer-dtype", points=5)
def test_the_default_type_is_asked_for_each_time():
    set_default_dtype(float64)
    try:
        assert infer_dtype([0.5]) is float64, "set_default_dtype changes what floats become"
        assert infer_dtype([]) is float64, "set_default_dtype changes what [] becomes"
        assert infer_dtype([1]) is int64, "set_default_dtype leaves integers alone"
    finally:
        set_default_dtype(float32)


@pytest.mark.stub("contiguous-strides", points=4)
def test_strides_are_those_of_numpys_new_arrays():
    for shape in [(5,), (3, 4), (2, 3, 4), (4, 1, 2), (1, 1), (7, 5, 3, 2)]:
        wanted = tuple(s // 8 for s in np.zeros(shape).strides)
        assert tuple(contiguous_strides(shape)) == wanted, f"{shape} has strides {wanted}"


@pytest.mark.stub("contiguous-strides", points=4)
def test_a_tensor_of_one_number_has_no_strides():
    assert contiguous_strides(()) == (), "the shape () has no dimensions, so no strides: ()"


@pytest.mark.stub("contiguous-strides", points=4)
def test_a_length_of_zero_counts_as_one():
    assert tuple(contiguous_strides((2, 0, 3))) == (3, 3, 1), "a length of 0 counts as 1"
    assert tuple(contiguous_strides((0,))) == (1,), "(0,) has strides (1,)"


def refused(numel, shape, reason):
    """Check that `infer_shape` answers with a RuntimeError that gives the reason."""
    try:
        said = f"no error, but {infer_shape(numel, shape)}"
    except NotImplementedError:
        raise
    except RuntimeError as error:
        said = str(error)
    wanted = f"RuntimeError({reason!r}) is wanted"
    assert reason in said, f"{numel} elements as {shape}: {wanted}. What came: {said}"


@pytest.mark.stub("infer-shape", points=5)
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
        assert found == wanted, f"{numel} elements as {shape}: {wanted} wanted, not {found}"


@pytest.mark.stub("infer-shape", points=5)
def test_a_complete_shape_is_returned_as_it_is():
    for numel, shape in [(12, (3, 4)), (1, ()), (0, (2, 0, 5)), (6, (1, 6, 1))]:
        assert infer_shape(numel, shape) == shape, f"nothing is missing in {shape}"


@pytest.mark.stub("infer-shape", points=5)
def test_shapes_that_do_not_fit_are_refused():
    for shape in [(4, 2), (7,), (), (-1, 4), (-1, -6), (-2, -3)]:
        refused(6, shape, f"shape '{list(shape)}' is invalid for input of size 6")
    refused(0, (3,), "shape '[3]' is invalid for input of size 0")


@pytest.mark.stub("infer-shape", points=5)
def test_what_could_be_anything_is_refused():
    refused(0, (-1, 0), "is invalid for input of size 0")
    refused(6, (-1, 0), "is invalid for input of size 6")
    refused(4, (-1, -1), "only one dimension can be inferred")


def viewable(array, *new_shapes):
    """What `is_viewable` answers for an array, whose strides NumPy counts in bytes."""
    strides = tuple(s // array.itemsize for s in array.strides)
    return [is_viewable(array.shape, strides, shape) for shape in new_shapes]


@pytest.mark.stub("is-viewable", points=9)
def test_a_contiguous_tensor_takes_any_shape():
    found = viewable(np.zeros((2, 3, 4)), (24,), (4, 6), (3, 2, 4), (2, 3, 2, 2), (1, 24, 1))
    assert found == [True] * 5, "(2, 3, 4) row by row is one run: every shape is a view"


@pytest.mark.stub("is-viewable", points=9)
def test_a_transpose_can_be_cut_but_not_joined():
    found = viewable(np.zeros((3, 4)).T, (12,), (6, 2), (2, 2, 3), (4, 3), (4, 3, 1), (1, 4, 3))
    message = "the transpose has four runs of 3: only (12,) and (6, 2) cross their ends"
    assert found == [False, False, True, True, True, True], message


@pytest.mark.stub("is-viewable", points=9)
def test_rows_of_a_part_are_runs_of_their_own():
    part = np.zeros((4, 6))[:, :3]
    found = viewable(part, (12,), (2, 2, 3), (4, 3, 1))
    assert found == [False, True, True], "x[:, :3] skips the end of each row"


@pytest.mark.stub("is-viewable", points=9)
def test_steps_larger_than_one_are_still_one_run():
    found = viewable(np.zeros((3, 8))[:, ::2], (12,), (6, 2))
    assert found == [True, True], "every second column: even steps of 2"
    assert viewable(np.zeros(12)[::3], (2, 2)) == [True], "every third number: even steps of 3"


@pytest.mark.stub("is-viewable", points=9)
def test_dimensions_of_length_one_do_not_matter():
    message = "nobody steps along a length of 1: its stride says nothing"
    assert is_viewable((3, 1, 4), (4, 77, 1), (12,)), message
    assert is_viewable((1, 3), (50, 1), (3,)), message
    assert is_viewable((1, 1), (9, 5), (1,)), "one element has any shape"
    assert is_viewable((), (), (1, 1)), "one element has any shape"


@pytest.mark.stub("is-viewable", points=9)
def test_repeated_rows_are_not_one_run():
    assert not is_viewable((2, 3), (0, 1), (6,)), "an expanded row, stride 0, begins again"
    assert is_viewable((2, 3), (0, 0), (6,)), "one number expanded to (2, 3): all steps are 0"


@pytest.mark.stub("is-viewable", points=9)
def test_a_tensor_without_elements_takes_any_shape():
    assert is_viewable((0, 3), (1, 7), (3, 0)), "with no elements there is nothing to move"


@pytest.mark.stub("broadcast-shapes", points=7)
def test_shapes_are_matched_from_the_right():
    for shapes in [((2, 3), (3,)), ((3,), (2, 3)), ((2, 1, 4), (3, 1)), ((2, 3), (2, 3))]:
        found, wanted = broadcast_shapes(*shapes), np.broadcast_shapes(*shapes)
        assert tuple(found) == wanted, f"{shapes} make {wanted}, not {tuple(found)}"


@pytest.mark.stub("broadcast-shapes", points=7)
def test_a_length_of_one_stretches_to_nothing_too():
    assert tuple(broadcast_shapes((0, 3), (1, 1))) == (0, 3), "1 beside 0 becomes 0"
    assert tuple(broadcast_shapes((1,), (0,))) == (0,), "a length of 1 beside 0 becomes 0"


@pytest.mark.stub("broadcast-shapes", points=7)
def test_any_number_of_shapes_goes_together():
    found = broadcast_shapes((3, 1), (), (1, 4), (2, 1, 1))
    assert tuple(found) == (2, 3, 4), "four shapes make one"
    assert tuple(broadcast_shapes((2, 3))) == (2, 3), "one shape is its own"
    assert tuple(broadcast_shapes()) == (), "no shapes make the shape of a single number"


@pytest.mark.stub("broadcast-shapes", points=7)
def test_the_result_is_a_size():
    assert isinstance(broadcast_shapes((2,), (1,)), Size), "the result is a Size, not a tuple"


@pytest.mark.stub("broadcast-shapes", points=7)
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
        wanted = f"a RuntimeError that names ({a}), ({b}) and dimension {dim}"
        message = f"{shapes}: {wanted} is wanted. What came: {said}"
        assert 0 <= said.find(f"({a})") < said.find(f"({b})"), message
        assert said.endswith(f"dimension {dim}"), message


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


@pytest.mark.stub("function-apply", points=12)
def test_forward_sees_arrays_and_its_result_is_a_tensor():
    seen, x = [], Tensor(np.float32([1, 2]))
    result = operation(seen).apply(x, 3, shift=1)
    assert seen, "apply calls cls.forward"
    ctx, array, factor, shift = seen[0]
    assert isinstance(ctx, Context), "the first argument of forward is a Context"
    assert array is x.array, "forward is given x.array itself, not the tensor or a copy"
    assert (factor, shift) == (3, 1), "numbers and keyword options reach forward as they are"
    assert isinstance(result, Tensor), "the array that forward returns is wrapped in a Tensor"
    np.testing.assert_array_equal(result.array, [4, 7])
    assert result.array.dtype == np.float32, "wrapping changes no type"


@pytest.mark.stub("function-apply", points=12)
def test_each_call_has_a_context_of_its_own():
    seen, x = [], leaf(1, 2)
    scale = operation(seen)
    first, second = scale.apply(x, 2), scale.apply(x, 3)
    assert seen[0][0] is not seen[1][0], "every call makes a new Context"
    assert first.grad_fn is not second.grad_fn, "every call makes a new Context"


@pytest.mark.stub("function-apply", points=12)
def test_a_call_is_remembered_where_a_gradient_may_be_asked_for():
    seen, x = [], leaf(1, 2)
    scale = operation(seen)
    y = scale.apply(x, 2)
    assert y.grad_fn is seen[0][0], "x requires a gradient: the call's ctx is the grad_fn"
    assert y.grad_fn.function is scale, "the Context is of this operation: Context(cls, edges)"
    assert y.grad_fn.saved_tensors[0] is x.array, "record the ctx that forward saved in"
    message = "one edge for each input: to x itself, and None for the number 2"
    assert list(y.grad_fn.edges) == [(x, 0), None], message
    assert list(y.grad_fn.ids) == [id(x.array), id(2), id(y.array)], (
        "ctx.record(arrays, output, result): arrays are what forward took, "
        "output the array that it returned, no Tensors"
    )
    assert y.requires_grad, "what is made from x requires a gradient as well"
    z = scale.apply(y, 5)
    assert list(z.grad_fn.edges) == [(y.grad_fn, 0), None], "the edge of y is y.edge()"


@pytest.mark.stub("function-apply", points=12)
def test_nothing_is_remembered_where_nobody_asks():
    x, scale = leaf(1, 2), operation([])
    constant = Tensor(np.float32([1, 2]))
    assert scale.apply(constant, 2).grad_fn is None, "nobody requires a gradient: record nothing"
    grad_mode.enabled = False
    try:
        assert scale.apply(x, 2).grad_fn is None, "grad_mode.enabled is off: record nothing"
    finally:
        grad_mode.enabled = True


@pytest.mark.stub("function-apply", points=12)
def test_several_outputs_come_back_as_a_tuple():
    class Halves(Function):
        @staticmethod
        def forward(ctx, *arrays):
            return tuple([array / 2 for array in arrays])

    x, y = leaf(1, 2), Tensor(np.float32([3, 5]))
    halves = Halves.apply(x, y)
    message = "forward returned a tuple of two arrays: apply returns a tuple of two Tensors"
    assert isinstance(halves, tuple), message
    assert len(halves) == 2, message
    np.testing.assert_array_equal(halves[1].array, [1.5, 2.5])
    assert halves[0].grad_fn is halves[1].grad_fn is not None, "both outputs share one Context"
    assert [half.output_nr for half in halves] == [0, 1], "record all results at once"
    (only,) = Halves.apply(x)
    assert isinstance(only, Tensor), "a tuple of one array becomes a tuple of one Tensor"


@pytest.mark.stub("mul", points=4)
def test_mul_multiplies_elementwise_and_broadcasts():
    rng = np.random.default_rng(1)
    shapes = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((3, 3), (3, 3)), ((), (2,))]
    for shape_x, shape_y in shapes:
        x, y = rng.normal(size=shape_x), rng.normal(size=shape_y)
        wanted = np.einsum("...,...->...", x, y)
        found = Mul.forward(Context(), x, y)
        np.testing.assert_allclose(found, wanted, err_msg=f"{shape_x} times {shape_y}, element by element")


@pytest.mark.stub("mul", points=4)
def test_mul_keeps_the_type():
    x = np.float32([1.5, -2])
    assert Mul.forward(Context(), x, 2.0).dtype == np.float32, "times a number: still float32"
    assert Mul.forward(Context(), x, x).dtype == np.float32, "times float32: still float32"
    integers = Mul.forward(Context(), np.array([2, 3]), np.array([4, 5]))
    assert integers.dtype == np.int64, "integers stay integers"


@pytest.mark.stub("mul", points=4)
def test_mul_saves_both_factors_in_order():
    ctx, x, y = Context(), np.float32([1, 2]), np.float32([3, 4])
    Mul.forward(ctx, x, y)
    assert len(ctx.saved_tensors) == 2, "the gradient needs both factors: save x and y"
    assert ctx.saved_tensors[0] is x, "x is saved first, itself and not a copy"
    assert ctx.saved_tensors[1] is y, "y is saved second, itself and not a copy"


@pytest.mark.stub("exp", points=3)
def test_exp_is_a_power_of_e():
    x = np.array([[0.0, 1.0], [-2.0, 3.5]])
    np.testing.assert_allclose(
        Exp.forward(Context(), x),
        math.e**x,
        rtol=1e-12,
        err_msg="e to the power of each element",
    )
    assert Exp.forward(Context(), np.float32([1])).dtype == np.float32, "float32 stays float32"


@pytest.mark.stub("exp", points=3)
def test_exp_saves_what_it_returns():
    ctx = Context()
    output = Exp.forward(ctx, np.float32([1, 2]))
    assert len(ctx.saved_tensors) == 1, "one array is saved: the output"
    assert ctx.saved_tensors[0] is output, "save the output itself, computed once"


@pytest.mark.stub("matmul-naive", points=5)
def test_naive_product_of_matrices():
    rng = np.random.default_rng(2)
    for n, k, m in [(2, 3, 4), (3, 3, 3), (1, 5, 2), (4, 1, 3), (2, 2, 1)]:
        a, b = rng.normal(size=(n, k)), rng.normal(size=(k, m))
        found = matmul_naive(a, b)
        assert found.shape == (n, m), f"({n}, {k}) by ({k}, {m}) is ({n}, {m}), not {found.shape}"
        np.testing.assert_allclose(found, np.einsum("ik,kj->ij", a, b), atol=1e-12)


@pytest.mark.stub("matmul-naive", points=5)
def test_naive_product_over_nothing_is_zero():
    np.testing.assert_array_equal(matmul_naive(np.ones((2, 0)), np.ones((0, 3))), np.zeros((2, 3)))


@pytest.mark.stub("matmul-naive", points=5)
def test_naive_product_keeps_the_type():
    found = matmul_naive(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    assert found.dtype == np.float32, "float32 matrices make a float32 matrix"
    found = matmul_naive(np.ones((2, 2), int), np.ones((2, 2), int))
    assert found.dtype == np.int64, "integers stay integers"


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
def test_naive_product_multiplies_number_by_number():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    found = np.asarray(matmul_naive(a.view(Numbers), b.view(Numbers)))
    np.testing.assert_array_equal(found, [[20, 23, 26, 29], [56, 68, 80, 92]])


def product(shape_x, shape_y, wanted, equation):
    """Compare the product of random arrays with the sum that the equation spells out."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=shape_x), rng.normal(size=shape_y)
    found = MatMul.forward(Context(), x, y)
    assert np.shape(found) == wanted, f"{shape_x} @ {shape_y} is {wanted}, not {found.shape}"
    np.testing.assert_allclose(found, np.einsum(equation, x, y), atol=1e-12)


@pytest.mark.stub("matmul", points=6)
def test_product_of_matrices_and_vectors():
    product((2, 3), (3, 4), (2, 4), "ik,kj->ij")
    product((3, 3), (3, 3), (3, 3), "ik,kj->ij")
    product((2, 3), (3,), (2,), "ik,k->i")
    product((3,), (3, 4), (4,), "k,kj->j")
    product((3,), (3,), (), "k,k->")


@pytest.mark.stub("matmul", points=6)
def test_product_of_batches():
    product((5, 2, 3), (3, 4), (5, 2, 4), "bik,kj->bij")
    product((5, 2, 3), (5, 3, 4), (5, 2, 4), "bik,bkj->bij")
    product((8, 1, 2, 3), (5, 3, 4), (8, 5, 2, 4), "bcik,dkj->bdij")
    product((5, 2, 3), (3,), (5, 2), "bik,k->bi")
    product((3,), (5, 3, 4), (5, 4), "k,bkj->bj")


@pytest.mark.stub("matmul", points=6)
def test_product_over_nothing_is_zero():
    product((2, 0), (0, 3), (2, 3), "ik,kj->ij")
    product((4, 2, 0), (0, 3), (4, 2, 3), "bik,kj->bij")
    product((0, 2, 3), (3, 4), (0, 2, 4), "bik,kj->bij")


@pytest.mark.stub("matmul", points=6)
def test_product_keeps_the_type_and_saves_its_factors():
    for shape in [(2, 3), (4, 2, 3)]:
        ctx, x, y = Context(), np.ones(shape, np.float32), np.ones((3, 4), np.float32)
        found = MatMul.forward(ctx, x, y)
        assert found.dtype == np.float32, "float32 matrices make a float32 matrix"
        assert len(ctx.saved_tensors) == 2, "the gradient needs both factors: save x and y"
        assert ctx.saved_tensors[0] is x, "x is saved first, not reshaped and not copied"
        assert ctx.saved_tensors[1] is y, "y is saved second, not reshaped and not copied"


@pytest.mark.stub("sum", points=5)
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
        assert np.shape(found) == wanted.shape, f"dim={dim} leaves {wanted.shape}, not {found.shape}"
        np.testing.assert_allclose(found, wanted, err_msg=f"dim={dim}: {equation}")


@pytest.mark.stub("sum", points=5)
def test_sum_keeps_the_dimension_if_asked():
    x = np.ones((2, 3, 4))
    for dim, wanted in [(1, (2, 1, 4)), ((0, -1), (1, 3, 1)), (None, (1, 1, 1))]:
        shape = np.shape(Sum.forward(Context(), x, dim, True))
        assert shape == wanted, f"dim={dim}, keepdim=True leaves {wanted}, not {shape}"


@pytest.mark.stub("sum", points=5)
def test_sums_of_integers_and_booleans_are_int64():
    for kind in ("u1", "i1", "i2", "i4", "i8", "?"):
        x = np.array([100, 200], np.uint8).astype(kind) if kind in ("u1", "i8") else np.ones(300, kind)
        found = Sum.forward(Context(), x)
        assert found.dtype == np.int64, f"the sum of {x.dtype} is int64, not {found.dtype}"
        assert found == 300, f"the sum of {x.dtype} must not overflow: 300, not {found}"


@pytest.mark.stub("sum", points=5)
def test_sums_of_floats_keep_their_type():
    for kind in (np.float16, np.float32, np.float64):
        found = Sum.forward(Context(), np.ones((2, 2), kind), 0)
        assert found.dtype == kind, f"the sum of {kind.__name__} keeps its type"


@pytest.mark.stub("sum", points=5)
def test_sum_of_nothing_is_zero():
    np.testing.assert_array_equal(Sum.forward(Context(), np.ones((0, 3)), 0), np.zeros(3))
    found = Sum.forward(Context(), np.float64(2.5).reshape(()))
    assert found == 2.5, "a tensor of one number is its own sum"


@pytest.mark.stub("var", points=7)
def test_var_is_the_mean_square_distance():
    x = np.random.default_rng(5).normal(size=(3, 4, 5))
    for dim, axis in [(None, None), (1, 1), (-1, 2), ((0, 2), (0, 2))]:
        for correction in (1, 0, 2):
            wanted = np.var(x, axis=axis, ddof=correction)
            found = Var.forward(Context(), x, dim, correction)
            np.testing.assert_allclose(found, wanted, err_msg=f"dim={dim}, correction={correction}")


@pytest.mark.stub("var", points=7)
def test_var_divides_by_n_minus_one_unless_told():
    np.testing.assert_allclose(
        Var.forward(Context(), np.array([1.0, 3.0])),
        2,
        err_msg="((1-2)^2 + (3-2)^2) / (2 - 1)",
    )


@pytest.mark.stub("var", points=7)
def test_var_keeps_the_dimension_if_asked():
    x = np.random.default_rng(6).normal(size=(2, 3, 4))
    for dim, wanted in [(1, (2, 1, 4)), ((0, 2), (1, 3, 1))]:
        shape = np.shape(Var.forward(Context(), x, dim, 1, True))
        assert shape == wanted, f"dim={dim}, keepdim=True leaves {wanted}, not {shape}"


@pytest.mark.stub("var", points=7)
def test_var_survives_numbers_far_from_zero():
    x = np.float32([10000.0, 10000.5, 10001.0, 10001.5])
    found = Var.forward(Context(), x, None, 0)
    np.testing.assert_allclose(found, 0.3125, rtol=1e-3, err_msg="subtract the mean before you square")


@pytest.mark.stub("var", points=7)
def test_var_of_one_element_is_not_a_number():
    with np.errstate(all="ignore"):
        found = Var.forward(Context(), np.ones((1, 3)), 0)
    assert np.isnan(found).all(), "one element, correction 1: 0 / 0 is NaN, as in PyTorch"


@pytest.mark.stub("var", points=7)
def test_var_keeps_the_type_and_saves_its_input():
    ctx, x = Context(), np.float32([[1, 2], [4, 8]])
    assert Var.forward(ctx, x, 1).dtype == np.float32, "float32 stays float32"
    assert len(ctx.saved_tensors) == 1, "the gradient needs x: save it"
    assert ctx.saved_tensors[0] is x, "x itself is saved, not the deviations and not a copy"


@pytest.mark.stub("max", points=5)
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


@pytest.mark.stub("max", points=5)
def test_max_takes_the_first_of_equals():
    _, indices = Max.forward(Context(), np.array([[5, 2, 5], [1, 1, 1]]), 1)
    np.testing.assert_array_equal(indices, [0, 0], err_msg="where several are largest, the first one counts")


@pytest.mark.stub("max", points=5)
def test_max_of_a_single_number_is_itself():
    values, indices = Max.forward(Context(), np.full((), 2.5), 0)
    assert np.shape(values) == np.shape(indices) == (), "a 0-d array has a dimension 0"
    assert (values, indices) == (2.5, 0), "the only number is the largest, at place 0"


@pytest.mark.stub("max", points=5)
def test_max_keeps_the_dimension_if_asked():
    values, indices = Max.forward(Context(), np.ones((2, 3)), 1, True)
    assert values.shape == (2, 1), "with keepdim, the values of (2, 3) over dim=1 are (2, 1)"
    assert indices.shape == (2, 1), "with keepdim, the indices have the shape of the values"


@pytest.mark.stub("max", points=5)
def test_max_keeps_the_type_and_saves_the_indices():
    ctx = Context()
    values, indices = Max.forward(ctx, np.float32([[1, 3], [4, 2]]), 0)
    assert values.dtype == np.float32, "values have the type of x"
    assert indices.dtype == np.int64, "indices are int64"
    assert len(ctx.saved_tensors) == 1, "one array is saved: the indices"
    np.testing.assert_array_equal(ctx.saved_tensors[0], indices, err_msg="the indices are what is saved")


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


@pytest.mark.stub("along", points=6)
def test_along_takes_an_index_that_is_shorter_than_x():
    picked((4, 3), (2, 2), 1)
    picked((5, 4, 3), (7, 2, 1), 0)
    picked((4, 3), (0, 2), 0)


@pytest.mark.stub("along", points=6)
def test_along_also_says_where_to_write():
    x, index = np.zeros((2, 3)), np.array([[2], [0]])
    x[along(index, 1)] = 1
    np.testing.assert_array_equal(
        x, [[0, 0, 1], [1, 0, 0]], err_msg="x[along(index, 1)] = 1 writes one element a row"
    )
