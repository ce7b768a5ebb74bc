"""Tests of module 06, which `make release 6` makes from autograd.py."""

import numpy as np
import pytest

from tinytorch.autograd import (
    accumulate,
    add_rows,
    no_grad,
    numerical_jacobian,
    operations,
    two_layer_gradients,
    unbroadcast,
    walk,
)
from tinytorch.tensor import grad_mode, tensor, zeros


def by_differences(function, array, eps=1e-6):
    """How a number moves with each element of an array: two calls of the function for each."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = function()
        array[position] = value - eps
        slopes[position] = (above - function()) / (2 * eps)
        array[position] = value
    return slopes


def network_by_hand():
    rng = np.random.default_rng(0)
    x, W1, W2, t = (rng.standard_normal(shape) for shape in [(5, 3), (3, 4), (4, 2), (5, 2)])
    return x, W1, W2, t, lambda: ((np.maximum(x @ W1, 0) @ W2 - t) ** 2).mean()


@pytest.mark.stub("by-hand", points=4)
def test_the_output_weights_get_the_gradient_of_differences():
    x, W1, W2, t, loss = network_by_hand()
    found = two_layer_gradients(x, W1, W2, t)[1]
    np.testing.assert_allclose(
        found,
        by_differences(loss, W2),
        rtol=1e-6,
        err_msg="the gradient of W2 is h transposed times the gradient of y",
    )


@pytest.mark.stub("by-hand", points=4)
def test_the_hidden_weights_get_the_gradient_of_differences():
    x, W1, W2, t, loss = network_by_hand()
    found = two_layer_gradients(x, W1, W2, t)[0]
    np.testing.assert_allclose(
        found,
        by_differences(loss, W1),
        rtol=1e-6,
        err_msg="the gradient of W1 passes through W2 and through the ReLU",
    )


@pytest.mark.stub("unbroadcast", points=5)
def test_missing_dimensions_are_summed_away():
    grad = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(
        unbroadcast(grad, (3, 4)),
        grad.sum(0),
        err_msg="(2, 3, 4) back to (3, 4): sum over the first dimension",
    )
    np.testing.assert_array_equal(
        unbroadcast(grad, (4,)),
        grad.sum((0, 1)),
        err_msg="(2, 3, 4) back to (4,): sum over the first two",
    )
    assert np.shape(unbroadcast(grad, ())) == (), "a number that was broadcast gets a 0-d gradient"
    assert unbroadcast(grad, ()) == grad.sum(), "a number that was broadcast gets the sum of everything"


@pytest.mark.stub("unbroadcast", points=5)
def test_stretched_dimensions_keep_their_place():
    grad = np.arange(24.0).reshape(2, 3, 4)
    for shape, axes in [((2, 1, 4), 1), ((1, 3, 1), (0, 2)), ((3, 1), (0, 2))]:
        found = unbroadcast(grad, shape)
        assert found.shape == shape, (
            f"the gradient of an operand of shape {shape} has that shape, not {found.shape}"
        )
        np.testing.assert_array_equal(
            found.ravel(), grad.sum(axes).ravel(), err_msg=f"(2, 3, 4) back to {shape}"
        )


@pytest.mark.stub("unbroadcast", points=5)
def test_a_square_gradient_is_summed_over_the_right_side():
    grad = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(
        unbroadcast(grad, (2,)), [4, 6], err_msg="shapes are aligned at their last dimension"
    )
    np.testing.assert_array_equal(unbroadcast(grad, (2, 1)), [[3], [7]])


@pytest.mark.stub("unbroadcast", points=5)
def test_nothing_happens_where_nothing_was_broadcast():
    grad = np.ones((1, 3))
    assert unbroadcast(grad, (1, 3)) is grad, "the same shape: hand the gradient back as it is"
    assert unbroadcast(np.ones((1, 3)), (3,)).shape == (3,)
    assert unbroadcast(np.ones((2, 0)), (0,)).shape == (0,), "empty tensors have gradients too"


def rule_of(result):
    """The rule of the operation that made a tensor, ready to be called with a gradient."""
    ctx = result.grad_fn
    return lambda grad: ctx.function.backward(ctx, grad)


@pytest.mark.stub("mul-gradient", points=4)
def test_each_factor_gets_the_other():
    rng = np.random.default_rng(0)
    x, y, cotangent = (rng.standard_normal((2, 3)).astype(np.float32) for _ in range(3))
    grad_x, grad_y = rule_of(tensor(x, requires_grad=True) * tensor(y, requires_grad=True))(cotangent)
    np.testing.assert_allclose(grad_x, cotangent * y, rtol=1e-6, err_msg="the gradient of x is grad * y")
    np.testing.assert_allclose(grad_y, cotangent * x, rtol=1e-6, err_msg="the gradient of y is grad * x")
    assert grad_x.dtype == np.float32, "float32 in, float32 out"


@pytest.mark.stub("mul-gradient", points=4)
def test_a_broadcast_factor_gets_a_gradient_of_its_own_shape():
    rng = np.random.default_rng(1)
    x, y, cotangent = (
        rng.standard_normal((2, 3)),
        rng.standard_normal((3,)),
        rng.standard_normal((2, 3)),
    )
    grad_x, grad_y = rule_of(tensor(x, requires_grad=True) * tensor(y, requires_grad=True))(cotangent)
    assert grad_x.shape == (2, 3)
    assert grad_y.shape == (3,), "y has shape (3,), and so has its gradient"
    np.testing.assert_allclose(grad_y, (cotangent * x).sum(0))


@pytest.mark.stub("mul-gradient", points=4)
def test_what_needs_no_gradient_gets_none():
    x = tensor([1.0, 2.0], requires_grad=True)
    grad_x, grad_y = rule_of(x * tensor([3.0, 4.0]))(np.float32([1, 10]))
    np.testing.assert_array_equal(grad_x, [3, 40])
    assert grad_y is None, "y does not require a gradient: return None for it"
    grad_x, grad_y = rule_of(x * 5)(np.float32([1, 10]))
    np.testing.assert_array_equal(grad_x, [5, 50], err_msg="a factor may be a number")
    assert grad_y is None


@pytest.mark.stub("sum-gradient", points=3)
def test_every_element_gets_the_gradient_of_its_sum():
    x = tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    np.testing.assert_array_equal(
        rule_of(x.sum())(np.float64(5)),
        np.full((2, 3), 5),
        err_msg="the sum of all: all get its gradient",
    )
    np.testing.assert_array_equal(
        rule_of(x.sum(1))(np.array([5.0, 7.0])),
        [[5, 5, 5], [7, 7, 7]],
        err_msg="sum(1): each row gets its own sum's gradient",
    )
    np.testing.assert_array_equal(
        rule_of(x.sum(0, keepdim=True))(np.array([[1.0, 2.0, 3.0]])), [[1, 2, 3], [1, 2, 3]]
    )


@pytest.mark.stub("sum-gradient", points=3)
def test_a_square_is_stretched_along_the_side_that_was_summed():
    x = tensor(np.zeros((2, 2)), requires_grad=True)
    np.testing.assert_array_equal(rule_of(x.sum(1))(np.array([1.0, 2.0])), [[1, 1], [2, 2]])


@pytest.mark.stub("sum-gradient", points=3)
def test_several_dimensions_can_be_summed_at_once():
    x = tensor(np.zeros((2, 3, 4)), requires_grad=True)
    found = rule_of(x.sum((0, -1)))(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found, np.broadcast_to(np.array([1.0, 2.0, 3.0])[:, None], (2, 3, 4)))


@pytest.mark.stub("sum-gradient", points=3)
def test_the_gradient_of_a_sum_can_be_differentiated_again():
    x = tensor(np.ones((2, 3)), requires_grad=True)
    found = rule_of(x.sum(1))(tensor(np.array([5.0, 7.0]), requires_grad=True))
    assert getattr(found, "requires_grad", False), (
        "given a Tensor, the rule must answer with one that knows its graph"
    )
    np.testing.assert_array_equal(found.detach().array, [[5, 5, 5], [7, 7, 7]])


def check_product(shape_x, shape_y):
    """Compare the rule with central differences of a weighted sum of the product."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(shape_x), rng.standard_normal(shape_y)
    cotangent = rng.standard_normal((x @ y).shape)
    grad_x, grad_y = rule_of(tensor(x, requires_grad=True) @ tensor(y, requires_grad=True))(
        np.asarray(cotangent)
    )
    for name, found, operand in (("x", grad_x, x), ("y", grad_y, y)):
        assert found.shape == operand.shape, (
            f"{shape_x} @ {shape_y}: the gradient of {name} has {name}'s shape, not {found.shape}"
        )
        wanted = by_differences(lambda: (x @ y * cotangent).sum(), operand)
        np.testing.assert_allclose(
            found,
            wanted,
            rtol=1e-6,
            atol=1e-8,
            err_msg=f"{shape_x} @ {shape_y}: the gradient of {name}",
        )


@pytest.mark.stub("matmul-gradient", points=6)
def test_two_matrices():
    check_product((2, 3), (3, 4))


@pytest.mark.stub("matmul-gradient", points=6)
def test_leading_dimensions_are_summed_for_a_single_weight_matrix():
    check_product((2, 5, 3), (3, 4))


@pytest.mark.stub("matmul-gradient", points=6)
def test_batches_are_broadcast():
    check_product((2, 1, 2, 3), (4, 3, 2))
    check_product((2, 3), (4, 3, 2))


@pytest.mark.stub("matmul-gradient", points=6)
def test_vectors_on_either_side():
    check_product((3,), (3,))
    check_product((3,), (3, 2))
    check_product((2, 3), (3,))
    check_product((3,), (4, 3, 2))
    check_product((4, 2, 3), (3,))


@pytest.mark.stub("matmul-gradient", points=6)
def test_only_what_is_needed_is_computed():
    x, y = tensor(np.ones((2, 3))), tensor(np.ones((3, 2)), requires_grad=True)
    assert rule_of(x @ y)(np.ones((2, 2)))[0] is None, "x does not require a gradient: return None for it"
    assert rule_of(y @ x)(np.ones((3, 3)))[1] is None


def softmax_by_numpy(x, axis):
    exps = np.exp(x)
    return exps / exps.sum(axis, keepdims=True)


def check_softmax(shape, dim):
    rng = np.random.default_rng(0)
    x, cotangent = rng.standard_normal(shape), rng.standard_normal(shape)
    found = rule_of(tensor(x, requires_grad=True).softmax(dim))(cotangent)
    wanted = by_differences(lambda: (softmax_by_numpy(x, dim) * cotangent).sum(), x)
    np.testing.assert_allclose(
        found,
        wanted,
        rtol=1e-5,
        atol=1e-9,
        err_msg=f"softmax of {shape} along {dim}, against differences",
    )


@pytest.mark.stub("softmax-gradient", points=4)
def test_softmax_is_differentiated_along_its_last_dimension():
    check_softmax((3, 4), -1)


@pytest.mark.stub("softmax-gradient", points=4)
def test_softmax_is_differentiated_along_any_dimension():
    check_softmax((3, 3), 0)
    check_softmax((2, 3, 4), 1)


@pytest.mark.stub("softmax-gradient", points=4)
def test_a_constant_gradient_moves_nothing():
    p = tensor(np.random.default_rng(0).standard_normal((2, 5)), requires_grad=True).softmax(1)
    np.testing.assert_allclose(
        rule_of(p)(np.full((2, 5), 3.0)),
        0,
        atol=1e-12,
        err_msg="probabilities sum to one, whatever the scores: their sum has no slope",
    )


def rows_one_by_one(grad, rows, shape):
    output = np.zeros(shape, np.float64)
    for row, g in zip(rows.tolist(), grad):
        output[row] += g
    return output


@pytest.mark.stub("add-rows", points=5)
def test_a_row_named_twice_gets_both_gradients():
    grad = np.float32([[1, 10], [2, 20], [4, 40]])
    found = add_rows(grad, np.array([1, 1, 0]), (3, 2))
    np.testing.assert_array_equal(
        found, [[4, 40], [3, 30], [0, 0]], err_msg="row 1 is named twice: 1 + 2 and 10 + 20"
    )
    assert found.dtype == np.float32, "float32 in, float32 out"


@pytest.mark.stub("add-rows", points=5)
def test_many_rows_in_any_order():
    rng = np.random.default_rng(0)
    rows, grad = rng.integers(-7, 7, 200), rng.standard_normal((200, 3, 2))
    np.testing.assert_allclose(
        add_rows(grad, rows, (7, 3, 2)),
        rows_one_by_one(grad, rows, (7, 3, 2)),
        rtol=1e-10,
        err_msg="negative rows count from the end",
    )


@pytest.mark.stub("add-rows", points=5)
def test_single_numbers_are_rows_too():
    np.testing.assert_array_equal(
        add_rows(np.array([1.0, 2.0, 4.0]), np.array([0, 3, 0]), (4,)), [5, 0, 0, 2]
    )


@pytest.mark.stub("add-rows", points=5)
def test_no_rows_at_all():
    np.testing.assert_array_equal(add_rows(np.zeros((0, 2)), np.zeros(0, int), (3, 2)), np.zeros((3, 2)))


class Scale(operations.Function):
    """x times a number: an operation whose rule is plain to see; it counts its calls."""

    calls = 0

    @staticmethod
    def forward(ctx, x, by):
        ctx.save_for_backward(x)
        ctx.by = by
        return x * by

    @staticmethod
    def backward(ctx, grad):
        Scale.calls += 1
        return grad * ctx.by


class Sum3(operations.Function):
    """x + 2 y + 3 z, and the same array handed to all that need it."""

    @staticmethod
    def forward(ctx, x, y, z):
        return x + 2 * y + 3 * z

    @staticmethod
    def backward(ctx, grad):
        return grad, 2 * grad, 3 * grad


class Twins(operations.Function):
    """Two results of one operation: x + 1 and 5 x."""

    @staticmethod
    def forward(ctx, x):
        return x + 1, 5 * x

    @staticmethod
    def backward(ctx, grad_one, grad_five):
        return grad_one + 5 * grad_five


def leaf(*values):
    return tensor(list(values), requires_grad=True)


def gradients_of(output, *leaves, cotangent=None, **options):
    arrived = walk(
        [output.edge()],
        [np.ones_like(output.array) if cotangent is None else np.float32(cotangent)],
        **options,
    )
    return [arrived.get((x, 0)) for x in leaves]


@pytest.mark.stub("walk", points=12)
def test_gradients_are_multiplied_along_a_path():
    x = leaf(1.0, 2.0)
    (found,) = gradients_of(Scale.apply(Scale.apply(x, by=3), by=4), x, cotangent=[1, 10])
    np.testing.assert_array_equal(found, [12, 120], err_msg="4 times 3, for each element")


@pytest.mark.stub("walk", points=12)
def test_gradients_are_added_where_paths_meet():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    (found,) = gradients_of(Sum3.apply(y, y, x), x)
    np.testing.assert_array_equal(
        found,
        [2 * 1 + 2 * 2 + 3],
        err_msg="x + 2 y + 3 z with x used three times, twice through y",
    )


@pytest.mark.stub("walk", points=12)
def test_a_node_runs_once_with_the_total():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    z = Scale.apply(y, by=10)  # a longer way from y to the output than the direct one
    output = Sum3.apply(y, Scale.apply(z, by=10), z)
    Scale.calls = 0
    (found,) = gradients_of(output, x)
    np.testing.assert_array_equal(found, [2 * (1 + 2 * 100 + 3 * 10)])
    assert Scale.calls == 3, (
        f"three Scale nodes, each to be run once with its whole gradient, but rules ran {Scale.calls} times"
    )


@pytest.mark.stub("walk", points=12)
def test_arrays_that_are_handed_on_are_not_changed():
    x, y = leaf(1.0), leaf(1.0)
    seed = np.float32([1])
    output = Sum3.apply(x, x, x)
    walk([Sum3.apply(output, y, output).edge()], [seed])
    np.testing.assert_array_equal(
        seed, [1], err_msg="add with a + b: += changes an array that somebody else holds"
    )


@pytest.mark.stub("walk", points=12)
def test_every_result_of_an_operation_has_its_slot():
    x = leaf(1.0)
    one, five = Twins.apply(x)
    (found,) = gradients_of(Sum3.apply(one, five, five), x)
    np.testing.assert_array_equal(found, [1 + 5 * (2 + 3)])
    one, five = Twins.apply(x)
    np.testing.assert_array_equal(
        gradients_of(Scale.apply(five, by=2), x)[0],
        [10],
        err_msg="a result that nobody used sends zero",
    )


@pytest.mark.stub("walk", points=12)
def test_edges_that_are_none_are_not_followed():
    x, constant = leaf(1.0), tensor([1.0])
    found, nothing = gradients_of(Sum3.apply(x, constant, constant), x, constant)
    np.testing.assert_array_equal(found, [1])
    assert nothing is None


@pytest.mark.stub("walk", points=12)
def test_the_graph_is_freed_unless_it_is_retained():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    gradients_of(y, x, retain_graph=True)
    assert y.grad_fn.saved_tensors, "retain_graph keeps what was saved"
    gradients_of(y, x)
    try:
        y.grad_fn.saved_tensors
    except RuntimeError:
        return
    raise AssertionError("without retain_graph, what a node saved is let go: node.free()")


@pytest.mark.stub("walk", points=12)
def test_a_chain_of_20000_operations():
    x = y = leaf(1.0)
    for _ in range(20_000):
        y = Scale.apply(y, by=1)
    np.testing.assert_array_equal(gradients_of(y, x)[0], [1])


@pytest.mark.stub("walk", points=12)
def test_gradients_can_be_asked_for_on_the_way():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    z = Scale.apply(y, by=3)
    Scale.calls = 0
    arrived = walk([z.edge()], [np.float32([1])], wanted={y.edge()})
    np.testing.assert_array_equal(arrived[y.edge()], [3])
    assert Scale.calls == 1, "nothing that is wanted lies beyond y, so only z's rule runs"


@pytest.mark.stub("accumulate", points=4)
def test_the_first_gradient_is_copied_and_the_next_is_added():
    x, first = leaf(1.0, 2.0), np.float32([10, 20])
    accumulate(x, first)
    held = x.grad
    np.testing.assert_array_equal(held.array, [10, 20])
    accumulate(x, np.float32([1, 2]))
    np.testing.assert_array_equal(x.grad.array, [11, 22], err_msg="a second gradient is added to the first")
    assert x.grad is held, "whoever holds x.grad sees the sum: add in place"
    np.testing.assert_array_equal(
        first, [10, 20], err_msg="somebody else may hold this array: it must not change"
    )


@pytest.mark.stub("accumulate", points=4)
def test_adding_in_place_is_noted():
    x, weight = leaf(1.0), leaf(3.0)
    accumulate(x, np.float32([10]))
    product = x.grad * weight
    product.grad_fn.unpack()  # what the product saved is as it was
    accumulate(x, np.float32([1]))
    try:
        product.grad_fn.unpack()
    except RuntimeError:
        return
    raise AssertionError("the product saved x.grad, which has changed since: note it, changed(array)")


@pytest.mark.stub("accumulate", points=4)
def test_the_copy_has_the_type_and_the_order_of_the_leaf():
    x = tensor(np.zeros((2, 3), np.float32), requires_grad=True)
    accumulate(x, np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    assert x.grad.array.dtype == np.float32, "a float64 gradient of a float32 leaf is cast"
    assert x.grad.array.flags.c_contiguous, "the copy is contiguous"
    np.testing.assert_array_equal(x.grad.array, np.arange(6).reshape(2, 3))


@pytest.mark.stub("accumulate", points=4)
def test_a_gradient_with_a_graph_is_not_changed_in_place():
    x = leaf(1.0)
    one, two = leaf(10.0) * 1, leaf(20.0) * 1
    accumulate(x, one)
    assert x.grad.requires_grad, "the copy of a Tensor keeps its graph: clone()"
    assert x.grad.array is not one.array, "a Tensor is copied too"
    first = x.grad
    accumulate(x, two)
    np.testing.assert_array_equal(x.grad.array, [30])
    np.testing.assert_array_equal(
        first.array,
        [10],
        err_msg="a Tensor with a graph is added to with +, which keeps the graph",
    )
    assert x.grad.requires_grad


def recording():
    return (leaf(1.0) * 2).requires_grad


@pytest.mark.stub("no-grad", points=3)
def test_nothing_is_recorded_inside_and_everything_after():
    with no_grad():
        assert not recording(), "inside the block, results do not require gradients"
    assert recording(), "after the block, recording is on again"


@pytest.mark.stub("no-grad", points=3)
def test_blocks_can_be_nested():
    with no_grad():
        with no_grad():
            pass
        assert not recording(), (
            "the inner block ends, but the outer one has not: put back what was there before"
        )
    with no_grad():
        grad_mode.enabled = True  # as `enable_grad`, which is given, will do
        with no_grad():
            assert not recording()
        assert recording(), "recording was on before the inner block, so it is on after it"
    assert recording()


@pytest.mark.stub("no-grad", points=3)
def test_one_block_can_be_entered_again():
    block = no_grad()
    with block:
        with block:
            assert not recording()
        assert not recording(), "the same object, entered again inside: it was off before"
    on = recording()
    grad_mode.enabled = True  # whatever the block did, the tests after this one go on
    assert on, "the outer block found recording on: a second entry must not overwrite that"
    with block:
        assert not recording(), "and it can be used once more"
    assert recording()


@pytest.mark.stub("no-grad", points=3)
def test_an_exception_does_not_leave_it_switched_off():
    try:
        with no_grad():
            raise KeyError
    except KeyError:
        pass
    on = recording()
    grad_mode.enabled = True  # whatever the block did, the tests after this one go on
    assert on, "the flag must be put back when the block raises, too"


@pytest.mark.stub("no-grad", points=3)
def test_functions_can_be_decorated():
    @no_grad()
    def inside():
        return recording()

    @no_grad
    def bare():
        return recording()

    assert not inside(), "a decorated function does not record"
    assert not inside(), "however often it is called"
    assert not bare(), "without parentheses, too"
    assert recording()


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_jacobian_of_a_linear_map_is_its_matrix():
    W = np.random.default_rng(0).standard_normal((3, 4))
    found = numerical_jacobian(lambda x: x @ tensor(W), [tensor(np.ones(3))], 0)
    np.testing.assert_allclose(
        found, W, rtol=1e-8, err_msg="rows are input elements, columns output elements"
    )


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_input_asked_for_is_moved_and_put_back():
    x, y = tensor(np.array([1.0, 2.0])), tensor(np.array([5.0, 7.0]))
    found = numerical_jacobian(lambda x, y: x * y * y, [x, y], 1)
    np.testing.assert_allclose(found, np.diag([2 * 5, 2 * 2 * 7]), rtol=1e-8)
    np.testing.assert_array_equal(
        y.array, [5, 7], err_msg="the input must have its values back, to the last bit"
    )


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_input_is_put_back_where_the_function_raises():
    x = tensor(np.array([1.0, 2.0]))

    def careful(x):
        if (x.array > 2).any():
            raise ValueError("too large")
        return x

    try:
        numerical_jacobian(careful, [x], 0)
    except ValueError:
        np.testing.assert_array_equal(
            x.array,
            [1, 2],
            err_msg="whatever the function does, the input gets its value back",
        )
        return
    raise AssertionError("what the function raises must come out")


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_differences_are_central():
    found = numerical_jacobian(lambda x: x * x * x, [tensor(np.array([2.0]))], 0, eps=1e-3)
    np.testing.assert_allclose(
        found,
        12 + 1e-6,
        atol=1e-9,
        err_msg="a one-sided difference of a cube is 6 eps off, a central one eps squared",
    )


@pytest.mark.stub("numerical-jacobian", points=5)
def test_a_result_that_shares_the_inputs_memory_is_followed():
    found = numerical_jacobian(lambda x: x.reshape(2), [tensor(np.array([[1.0, 2.0]]))], 0)
    np.testing.assert_allclose(
        found, np.eye(2), rtol=1e-8, err_msg="copy the result before the input is moved again"
    )


@pytest.mark.stub("numerical-jacobian", points=5)
def test_no_graph_is_made_and_shapes_are_flattened():
    seen = []
    found = numerical_jacobian(
        lambda x: seen.append((x * 1).requires_grad) or x.sum(0),
        [tensor(np.ones((2, 3)), requires_grad=True)],
        0,
    )
    assert found.shape == (6, 3)
    assert not any(seen), "call the function under no_grad()"
    assert numerical_jacobian(lambda x: x.sum() + zeros(2), [tensor(np.ones(0))], 0).shape == (
        0,
        2,
    )
