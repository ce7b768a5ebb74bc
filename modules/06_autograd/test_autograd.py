"""Tests of module 06, which `make release 6` makes from autograd.py."""

from contextlib import contextmanager

import numpy as np
import pytest

from tinytorch.autograd import (
    accumulate,
    add_rows,
    no_grad,
    numerical_jacobian,
    operations,
    run_rule,
    two_layer_gradients,
    unbroadcast,
    walk,
)
from tinytorch.tensor import Tensor, from_numpy, grad_mode, ones, tensor, zeros


def rule_of(result):
    """The rule of the operation that made a tensor, ready to be called with a gradient."""
    ctx = result.grad_fn
    return lambda grad: ctx.function.backward(ctx, grad)


def check_rule(result, cotangent, *wanted, said, rtol=1e-6):
    """Check the rule of the operation that made a tensor, on arrays and on Tensors.

    `wanted` are the gradients of its inputs for this gradient of the result, None for none.
    """
    node, saved = result.grad_fn, result.grad_fn.saved_tensors
    held = {f"saved array {i}": x for i, x in enumerate(saved) if isinstance(x, np.ndarray)}
    with unchanged(gradient=cotangent, **held):
        found = run_rule(node, [cotangent], create_graph=False)
    assert len(found) >= len(wanted), f"{said}: {len(wanted)} gradients, not {len(found)}"
    for number, (one, right) in enumerate(zip(found, wanted)):
        if right is None:
            assert one is None, f"{said}: the gradient of input {number} must be None"
        else:
            agrees(one, right, f"{said}: the gradient of input {number}", rtol)
    grad = tensor(cotangent, requires_grad=True)
    for one, right in zip(run_rule(node, [grad], create_graph=True), wanted):
        if right is not None:
            agrees(one.detach().array, right, f"{said}, with create_graph", rtol)
            cut = "given a Tensor, the rule must return a Tensor with its graph"
            assert leads_back(one, grad), f"{said}: {cut}"


@contextmanager
def unchanged(**arrays):
    """Check, before anything else, that a call does not change arrays."""
    before = {name: array.copy() for name, array in arrays.items()}
    yield
    for name, array in arrays.items():
        said = f"{name} belongs to the caller, and must not change"
        np.testing.assert_array_equal(array, before[name], err_msg=said)


def agrees(found, wanted, said, rtol=1e-6, atol=1e-8):
    """Check the shape, the type and the numbers of an array, in this order."""
    assert found is not None, f"{said}: got None, not an array of shape {wanted.shape}"
    shape, kind = np.shape(found), np.asarray(found).dtype
    assert shape == wanted.shape, f"{said}: the shape must be {wanted.shape}, not {shape}"
    assert kind == wanted.dtype, f"{said}: the type must be {wanted.dtype}, not {kind}"
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=said)


def leads_back(result, *leaves):
    """Whether recorded calls lead from a Tensor back to these leaves."""
    reached, waiting = set(), [result.edge()]
    while waiting:
        edge = waiting.pop()
        if edge is not None and id(edge[0]) not in reached:
            reached.add(id(edge[0]))
            waiting += getattr(edge[0], "edges", ())
    return all(id(leaf) in reached for leaf in leaves)


def by_differences(function, array, eps=1e-6):
    """How a number changes with each element of an array, by two calls for each."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = function()
        array[position] = value - eps
        slopes[position] = (above - function()) / (2 * eps)
        array[position] = value
    return slopes


def check_by_hand(which, said, *sizes):
    """Compare one of the two gradients with differences, for a network of these sizes."""
    B, D, H, C = sizes
    rng, shapes = np.random.default_rng(0), [(B, D), (D, H), (H, C), (B, C)]
    arrays = x, W1, W2, t = [rng.standard_normal(shape) for shape in shapes]
    loss = lambda: ((np.maximum(x @ W1, 0) @ W2 - t) ** 2).mean()
    wanted = by_differences(loss, arrays[1 + which])
    with unchanged(x=x, W1=W1, W2=W2, target=t):
        found = two_layer_gradients(x, W1, W2, t)
    assert len(found) == 2, f"two gradients, of W1 and of W2; here {len(found)}"
    agrees(found[which], wanted, said)
    floats = two_layer_gradients(*(array.astype(np.float32) for array in arrays))
    assert floats[which].dtype == np.dtype("float32"), f"float32 in, float32 out: {said}"


@pytest.mark.stub("by-hand", points=4)
def test_the_output_weights_get_the_gradient_of_differences():
    said = "the gradient of W2, against differences"
    for sizes in ((5, 3, 4, 2), (1, 2, 3, 1), (4, 4, 4, 4)):
        check_by_hand(1, f"{said}; B, D, H, C = {sizes}", *sizes)


@pytest.mark.stub("by-hand", points=4)
def test_the_hidden_weights_get_the_gradient_of_differences():
    said = "the gradient of W1, against differences"
    for sizes in ((5, 3, 4, 2), (1, 2, 3, 1), (4, 4, 4, 4)):
        check_by_hand(0, f"{said}; B, D, H, C = {sizes}", *sizes)


@pytest.mark.stub("by-hand", points=4)
def test_at_zero_the_relu_passes_nothing():
    x, W1, one = np.array([[1.0, 1.0]]), np.array([[1.0], [-1.0]]), np.array([[1.0]])
    found, _ = two_layer_gradients(x, W1, one, one)
    agrees(found, np.zeros((2, 1)), "a is 0: the gradient of h passes only where a > 0")


def check_unbroadcast(grad_shape, shape):
    """Compare with the sum, dimension by dimension, of a gradient of random numbers."""
    grad = np.random.default_rng(0).standard_normal(grad_shape).astype(np.float32)
    padded = (1,) * (len(grad_shape) - len(shape)) + shape
    wanted = grad
    for d, n in enumerate(padded):
        if n == 1:
            wanted = wanted.sum(d, keepdims=True, dtype=np.float32)
    wanted = wanted.reshape(shape)
    with unchanged(grad=grad):
        found = unbroadcast(grad, shape)
    agrees(found, wanted, f"{grad_shape} back to {shape}", rtol=1e-5)


@pytest.mark.stub("unbroadcast", points=5)
def test_missing_dimensions_are_summed_away():
    for shape in ((3, 4), (4,), ()):
        check_unbroadcast((2, 3, 4), shape)


@pytest.mark.stub("unbroadcast", points=5)
def test_stretched_dimensions_keep_their_place():
    for shape in ((2, 1, 4), (1, 3, 1), (2, 1, 1), (1, 1, 1)):
        check_unbroadcast((2, 3, 4), shape)
    check_unbroadcast((2, 3, 4), (3, 1))
    check_unbroadcast((2, 3, 4), (1, 4))


@pytest.mark.stub("unbroadcast", points=5)
def test_a_square_gradient_is_summed_over_the_right_side():
    for shape in ((3,), (3, 1), (1, 3)):
        check_unbroadcast((3, 3), shape)


@pytest.mark.stub("unbroadcast", points=5)
def test_dimensions_of_length_one_and_of_length_zero():
    check_unbroadcast((1, 3, 4), (3, 1))
    check_unbroadcast((1, 2, 3), (2, 1))
    check_unbroadcast((2, 1, 3), (1, 1))
    check_unbroadcast((1, 3), (3,))
    check_unbroadcast((2, 0), (0,))
    check_unbroadcast((2, 0), (2, 1))
    check_unbroadcast((0, 3), (1, 3))


@pytest.mark.stub("unbroadcast", points=5)
def test_nothing_happens_where_nothing_was_broadcast():
    for shape in ((1, 3), (2, 3), (), (0,)):
        grad = np.ones(shape)
        said = f"a gradient of shape {shape} for that shape: return `grad` itself, not a copy"
        assert unbroadcast(grad, shape) is grad, said


@pytest.mark.stub("unbroadcast", points=5)
def test_a_tensor_stays_a_tensor_with_its_graph():
    for shape in ((3,), (2, 1), ()):
        grad = ones(2, 3, requires_grad=True)
        found = unbroadcast(grad, shape)
        said = f"(2, 3) back to {shape}: a Tensor must stay a Tensor, by Tensor operations"
        assert isinstance(found, Tensor), said
        assert leads_back(found, grad), f"{said}, so that it can be differentiated again"


def check_mul(x, y, cotangent):
    """Check the rule for factors that are arrays, with None for one that wants no gradient."""
    wanted_x = (cotangent * y).sum(tuple(range(cotangent.ndim - x.ndim)))
    wanted_y = (cotangent * x).sum(tuple(range(cotangent.ndim - y.ndim)))
    for need_x, need_y in ((True, True), (True, False), (False, True)):
        product = tensor(x, requires_grad=need_x) * tensor(y, requires_grad=need_y)
        wanted = wanted_x if need_x else None, wanted_y if need_y else None
        said = f"factors {x.shape} and {y.shape}, needs_input_grad {need_x, need_y}"
        check_rule(product, cotangent, *wanted, said=f"x gets grad * y, y grad * x; {said}")


@pytest.mark.stub("mul-gradient", points=4)
def test_each_factor_gets_the_other():
    rng = np.random.default_rng(0)
    for kind in (np.float32, np.float64):
        for shape in ((2, 3), (), (0, 3)):
            check_mul(*(rng.standard_normal(shape).astype(kind) for _ in range(3)))


@pytest.mark.stub("mul-gradient", points=4)
def test_a_broadcast_factor_gets_a_gradient_of_its_own_shape():
    rng = np.random.default_rng(1)
    for shape_x, shape_y in (((2, 3), (3,)), ((3,), (2, 3)), ((), (4, 2))):
        shape = np.broadcast_shapes(shape_x, shape_y)
        check_mul(*(rng.standard_normal(s) for s in (shape_x, shape_y, shape)))
    grad_x, _ = rule_of(ones(2, 1, requires_grad=True) * ones(2, 3))(np.ones((2, 3)))
    assert grad_x.shape == (2, 1), f"a factor (2, 1) has a gradient (2, 1), not {grad_x.shape}"


@pytest.mark.stub("mul-gradient", points=4)
def test_a_factor_may_be_a_number():
    x, cotangent = np.float32([1, 2]), np.float32([1, 10])
    said = "x * 5: x gets 5 times the gradient, the number None"
    check_rule(tensor(x, requires_grad=True) * 5, cotangent, 5 * cotangent, None, said=said)


def check_sum(x_shape, dim, cotangent, keepdim=False):
    """Check that each element gets the gradient of its own sum."""
    for kind in (np.float32, np.float64):
        grad, x = np.array(cotangent, kind), np.zeros(x_shape, kind)
        axes = tuple(range(x.ndim)) if dim is None else dim
        kept = grad if keepdim else np.expand_dims(grad, axes)
        wanted = np.broadcast_to(kept, x_shape)
        said = f"the sum of {x_shape} over dim={dim}, keepdim={keepdim}"
        found = tensor(x, requires_grad=True).sum(dim, keepdim)
        check_rule(found, grad, wanted, said=said)


@pytest.mark.stub("sum-gradient", points=3)
def test_every_element_gets_the_gradient_of_its_sum():
    check_sum((2, 3), None, 5)
    check_sum((2, 3), 1, [5, 7])
    check_sum((2, 3), 0, [5, 7, 9])
    check_sum((), None, 5)


@pytest.mark.stub("sum-gradient", points=3)
def test_a_square_is_stretched_along_the_side_that_was_summed():
    check_sum((2, 2), 1, [1, 2])
    check_sum((2, 2), 0, [1, 2])


@pytest.mark.stub("sum-gradient", points=3)
def test_several_dimensions_can_be_summed_at_once():
    check_sum((2, 3, 4), (0, -1), [1, 2, 3])
    check_sum((3, 3, 3), (1, 2), [1, 2, 3])


@pytest.mark.stub("sum-gradient", points=3)
def test_dimensions_that_were_kept_and_lengths_of_zero():
    check_sum((2, 3), 0, [[1, 2, 3]], keepdim=True)
    check_sum((2, 3), None, [[4]], keepdim=True)
    check_sum((0, 3), 0, [1, 2, 3])
    check_sum((2, 0), 0, [])


def check_product(shape_x, shape_y, kind=np.float64):
    """Compare the rule with central differences of a weighted sum of the product."""
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(shape) for shape in (shape_x, shape_y))
    cotangent = np.asarray(rng.standard_normal((x @ y).shape))
    slope = lambda operand: by_differences(lambda: (x @ y * cotangent).sum(), operand)
    wanted_x, wanted_y = slope(x).astype(kind), slope(y).astype(kind)
    for need_x, need_y in ((True, True), (True, False), (False, True)):
        left, right = tensor(x.astype(kind)), tensor(y.astype(kind))
        product = left.requires_grad_(need_x) @ right.requires_grad_(need_y)
        wanted = wanted_x if need_x else None, wanted_y if need_y else None
        said = f"{shape_x} @ {shape_y}, needs_input_grad {need_x, need_y}"
        rtol = 1e-6 if kind == np.float64 else 1e-4
        check_rule(product, cotangent.astype(kind), *wanted, said=said, rtol=rtol)


@pytest.mark.stub("matmul-gradient", points=6)
def test_two_matrices():
    check_product((2, 3), (3, 4))
    check_product((3, 3), (3, 3), np.float32)


@pytest.mark.stub("matmul-gradient", points=6)
def test_leading_dimensions_are_summed_for_a_single_weight_matrix():
    check_product((2, 5, 3), (3, 4))
    check_product((2, 2, 3, 2), (2, 3), np.float32)


@pytest.mark.stub("matmul-gradient", points=6)
def test_batches_are_broadcast():
    check_product((2, 1, 2, 3), (4, 3, 2))
    check_product((2, 3), (4, 3, 2))
    check_product((4, 2, 3), (1, 3, 2), np.float32)


@pytest.mark.stub("matmul-gradient", points=6)
def test_vectors_on_either_side():
    check_product((3,), (3,))
    check_product((3,), (3, 2))
    check_product((2, 3), (3,))
    check_product((3,), (4, 3, 2))
    check_product((4, 2, 3), (3,), np.float32)


@pytest.mark.stub("matmul-gradient", points=6)
def test_lengths_of_zero():
    check_product((0, 3), (3, 2))
    check_product((2, 0), (0, 4))
    check_product((0, 2, 3), (3, 4))


def check_softmax(shape, dim, kind=np.float64):
    """Compare the rule with central differences of a weighted sum of the probabilities."""
    rng = np.random.default_rng(0)
    x, cotangent = rng.standard_normal(shape), rng.standard_normal(shape)

    def total():
        exps = np.exp(x)
        return (exps / exps.sum(dim, keepdims=True) * cotangent).sum()

    wanted = by_differences(total, x).astype(kind)
    p = tensor(x.astype(kind), requires_grad=True).softmax(dim)
    rtol = 1e-5 if kind == np.float64 else 1e-3
    said = f"softmax of {shape} along {dim}, against differences"
    check_rule(p, cotangent.astype(kind), wanted, said=said, rtol=rtol)


@pytest.mark.stub("softmax-gradient", points=4)
def test_softmax_is_differentiated_along_its_last_dimension():
    check_softmax((3, 4), -1)
    check_softmax((5,), 0, np.float32)


@pytest.mark.stub("softmax-gradient", points=4)
def test_softmax_is_differentiated_along_any_dimension():
    check_softmax((3, 3), 0)
    check_softmax((2, 3, 4), 1)
    check_softmax((2, 3, 4), 0, np.float32)


@pytest.mark.stub("softmax-gradient", points=4)
def test_a_constant_gradient_moves_nothing():
    p = tensor(np.random.default_rng(0).standard_normal((2, 5)), requires_grad=True).softmax(1)
    said = "probabilities sum to one, whatever the scores: their sum has no slope"
    check_rule(p, np.full((2, 5), 3.0), np.zeros((2, 5)), said=said)


@pytest.mark.stub("softmax-gradient", points=4)
def test_softmax_over_nothing():
    check_softmax((0, 3), 1)
    check_softmax((2, 0), 1)


def check_rows(grad, rows, shape):
    """Compare with a loop that adds one row after the other."""
    wanted = np.zeros(shape, np.float64)
    for row, g in zip(rows.tolist(), grad):
        wanted[row] += g
    said = f"rows {rows.tolist()} into {shape}" if len(rows) < 9 else f"many rows into {shape}"
    with unchanged(grad=grad, rows=rows):
        found = add_rows(grad, rows, shape)
    agrees(found, wanted.astype(grad.dtype), said, rtol=1e-5 if grad.itemsize == 4 else 1e-10)


@pytest.mark.stub("add-rows", points=5)
def test_each_row_gets_the_sum_of_its_gradients():
    grad = np.float32([[1, 10], [2, 20], [4, 40], [8, 80]])
    check_rows(grad, np.array([1, 1, 2, 0]), (3, 2))
    check_rows(grad[:3], np.array([2, 1, 2]), (3, 2))
    check_rows(grad[:3], np.array([1, -2, 1]), (3, 2))


@pytest.mark.stub("add-rows", points=5)
def test_many_rows_in_any_order():
    rng = np.random.default_rng(0)
    for low in (-7, 0, 1, 6):
        rows, grad = rng.integers(low, 7, 200), rng.standard_normal((200, 3, 2))
        check_rows(grad, rows, (7, 3, 2))


@pytest.mark.stub("add-rows", points=5)
def test_single_numbers_are_rows_too():
    check_rows(np.array([1.0, 2.0, 4.0]), np.array([0, 3, 0]), (4,))
    check_rows(np.array([1.0]), np.array([1]), (2,))
    check_rows(np.array([np.inf, 1.0]), np.array([0, 1]), (2,))


@pytest.mark.stub("add-rows", points=5)
def test_no_rows_at_all():
    check_rows(np.zeros((0, 2)), np.zeros(0, int), (3, 2))
    check_rows(np.zeros((0, 2), np.float32), np.zeros(0, int), (0, 2))


class Scale(operations.Function):
    """x times a number: an operation with a simple rule that counts its calls."""

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
    """x + 2 y + 3 z, whose rule returns the same array for all inputs that need it."""

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


class Square(operations.Function):
    """x squared, whose rule needs x: under create_graph the Tensor, with its graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class First(operations.Function):
    """x, whatever y is: its rule has no gradient for y."""

    @staticmethod
    def forward(ctx, x, y):
        return x + 0 * y

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def leaf(*values):
    return tensor(list(values), requires_grad=True)


def gradients_of(output, *leaves, cotangent=None, **options):
    """The gradients that arrive at leaves; the output's own gradient must not change."""
    seed = np.ones_like(output.array) if cotangent is None else np.float32(cotangent)
    with unchanged(gradient=seed):
        arrived = walk([output.edge()], [seed], **options)
    return [arrived.get((x, 0)) for x in leaves]


@pytest.mark.stub("walk", points=12)
def test_gradients_are_multiplied_along_a_path():
    x = leaf(1.0, 2.0)
    (found,) = gradients_of(Scale.apply(Scale.apply(x, by=3), by=4), x, cotangent=[1, 10])
    agrees(found, np.float32([12, 120]), "4 times 3, for each element")


@pytest.mark.stub("walk", points=12)
def test_gradients_are_added_where_paths_meet():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    (found,) = gradients_of(Sum3.apply(y, y, x), x)
    said = "x + 2 y + 3 z with x used three times, twice through y: 2 + 2 * 2 + 3"
    agrees(found, np.float32([9]), said)


@pytest.mark.stub("walk", points=12)
def test_a_node_runs_once_with_the_total():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    z = Scale.apply(y, by=10)  # a longer way from y to the output than the direct one
    output = Sum3.apply(y, Scale.apply(z, by=10), z)
    Scale.calls = 0
    (found,) = gradients_of(output, x)
    agrees(found, np.float32([462]), "2 (1 + 2 * 100 + 3 * 10)")
    assert Scale.calls == 3, (
        f"three Scale nodes, each to be run once with its whole gradient, but rules ran {Scale.calls} times"
    )


@pytest.mark.stub("walk", points=12)
def test_arrays_that_are_handed_on_are_not_changed():
    x, y = leaf(1.0), leaf(1.0)
    output = Sum3.apply(x, x, x)
    gradients_of(Sum3.apply(output, y, output), x)  # add with a + b, not with +=


@pytest.mark.stub("walk", points=12)
def test_every_result_of_an_operation_has_its_slot():
    x = leaf(1.0)
    one, five = Twins.apply(x)
    (found,) = gradients_of(Sum3.apply(one, five, five), x)
    agrees(found, np.float32([26]), "1 + 5 (2 + 3)")
    one, five = Twins.apply(x)
    (found,) = gradients_of(Scale.apply(five, by=2), x)
    agrees(found, np.float32([10]), "a result that nobody used sends zero")


@pytest.mark.stub("walk", points=12)
def test_the_walk_begins_at_every_root():
    x, y = leaf(1.0), leaf(1.0)
    one, two = Scale.apply(x, by=2), Scale.apply(y, by=3)
    roots = [one.edge(), two.edge(), one.edge(), (y, 0)]
    arrived = walk(roots, [np.float32([n]) for n in (1, 10, 100, 1000)])
    agrees(arrived.get((x, 0)), np.float32([202]), "a root named twice: 2 (1 + 100)")
    agrees(arrived.get((y, 0)), np.float32([1030]), "another root, and a leaf: 3 * 10 + 1000")
    assert set(arrived) == {(x, 0), (y, 0)}, "only the leaves must be returned"


@pytest.mark.stub("walk", points=12)
def test_hooks_see_the_total_and_may_replace_it():
    x, seen = leaf(1.0), []
    y = Scale.apply(x, by=2)
    y.grad_fn.hooks = {0: {1: lambda grad: seen.append(grad.item()) or grad * 10}}
    (found,) = gradients_of(Sum3.apply(y, y, y), x)
    assert seen == [6], f"a hook of y is called once, with all of its gradient, 6: saw {seen}"
    agrees(found, np.float32([120]), "the hook made 60 of 6, and y is 2 x")


@pytest.mark.stub("walk", points=12)
def test_what_is_wanted_is_recorded_after_the_hooks():
    y = Scale.apply(leaf(1.0), by=2)
    y.grad_fn.hooks = {0: {1: lambda grad: grad * 10}}
    arrived = walk([Scale.apply(y, by=3).edge()], [np.float32([1])], wanted={y.edge()})
    agrees(arrived.get(y.edge()), np.float32([30]), "a hook makes 30 of 3, then y is asked for")


@pytest.mark.stub("walk", points=12)
def test_a_gradient_of_zeros_arrives():
    x = leaf(1.0, 2.0)
    (found,) = gradients_of(Scale.apply(x, by=0), x)
    assert found is not None, "zero is a gradient too: x must get it, not None"
    agrees(found, np.float32([0, 0]), "0 times the gradient")


@pytest.mark.stub("walk", points=12)
def test_a_node_without_hooks_runs_none():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    assert y.grad_fn.hooks is None, "no hook is registered"
    agrees(gradients_of(y, x)[0], np.float32([2]), "without hooks the gradient must not change")


@pytest.mark.stub("walk", points=12)
def test_edges_that_are_none_are_not_followed():
    x, constant = leaf(1.0), tensor([1.0])
    found, nothing = gradients_of(Sum3.apply(x, constant, constant), x, constant)
    agrees(found, np.float32([1]), "x gets the gradient of the sum")
    assert nothing is None, "a constant has no edge, and gets no gradient"


@pytest.mark.stub("walk", points=12)
def test_gradients_that_are_none_are_not_sent():
    x, y = leaf(1.0), leaf(1.0)
    output, Scale.calls = First.apply(x, Scale.apply(y, by=2)), 0
    arrived = walk([First.apply(output, x).edge()], [np.float32([7])])
    assert set(arrived) == {(x, 0)}, "the rule has no gradient for y: nothing arrives there"
    agrees(arrived[x, 0], np.float32([7]), "x gets what the rule has for it")
    assert Scale.calls == 0, "a node that nothing was sent to does not run"


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
    raise AssertionError("without retain_graph, what a node saved is freed: node.free()")


@pytest.mark.stub("walk", points=12)
def test_rules_run_on_tensors_only_under_create_graph():
    x = leaf(3.0)
    for retain in (False, True):
        (found,) = gradients_of(Square.apply(x), x, retain_graph=retain)
        assert isinstance(found, np.ndarray), "without create_graph, gradients are arrays"
        seed = tensor([10.0])
        arrived = walk([Square.apply(x).edge()], [seed], retain, create_graph=True)
        first = arrived.get((x, 0))
        assert isinstance(first, Tensor), "with create_graph, gradients are Tensors"
        agrees(first.detach().array, np.float32([60]), "10 times the slope 2 x at 3")
        assert leads_back(first, x), "with create_graph the gradient, 20 x, has a graph to x"


@pytest.mark.stub("walk", points=12)
def test_a_chain_of_5000_operations():
    x = y = leaf(1.0)
    for _ in range(5000):
        y = Scale.apply(y, by=1)
    agrees(gradients_of(y, x)[0], np.float32([1]), "5,000 times 1")


@pytest.mark.stub("walk", points=12)
def test_gradients_can_be_asked_for_on_the_way():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    z = Scale.apply(y, by=3)
    Scale.calls = 0
    arrived = walk([z.edge()], [np.float32([1])], wanted={y.edge()})
    agrees(arrived.get(y.edge()), np.float32([3]), "the gradient at y, which z is 3 times")
    assert Scale.calls == 1, "nothing that is wanted lies beyond y, so only z's rule runs"


@pytest.mark.stub("walk", points=12)
def test_the_walk_goes_on_beside_what_it_has_found():
    x = leaf(1.0)
    one, five = Twins.apply(x)
    y, z = Scale.apply(one, by=2), Scale.apply(x, by=10)
    output = Sum3.apply(y, z, five)
    arrived = walk([output.edge()], [np.float32([1])], wanted={z.edge(), five.edge(), (x, 0)})
    agrees(arrived.get(z.edge()), np.float32([2]), "asked for at z, which is passed first")
    agrees(arrived.get(five.edge()), np.float32([3]), "asked for at the second of two results")
    agrees(arrived.get((x, 0)), np.float32([2 + 15 + 20]), "and at x, which lies beyond both")
    arrived = walk([Sum3.apply(y, z, z).edge()], [np.float32([1])], wanted={z.edge(), y.edge()})
    agrees(arrived.get(y.edge()), np.float32([1]), "beyond z nothing is wanted, but y is")


@pytest.mark.stub("accumulate", points=4)
def test_the_first_gradient_is_copied_and_the_next_is_added():
    for first, second in ((np.float32([10, 20]), np.float32([1, 2])), (np.zeros(0),) * 2):
        x = tensor(np.zeros(first.shape, np.float32), requires_grad=True)
        total = (first + second).astype(np.float32)
        with unchanged(first=first, second=second):
            accumulate(x, first)
            held, view = x.grad, x.grad.detach()
            agrees(held.array, first.astype(np.float32), "the first gradient")
            accumulate(x, second)
        agrees(x.grad.array, total, "a second gradient is added to the first")
        assert x.grad is held, "every reference to x.grad sees the sum: add in place"
        agrees(view.array, total, "and so does a view of its memory, such as x.grad.detach()")


@pytest.mark.stub("accumulate", points=4)
def test_nobody_shares_the_memory_of_a_gradient():
    x, y, grad = leaf(1.0), leaf(2.0), np.float32([3])
    accumulate(x, grad)
    accumulate(y, grad)
    x.grad.array[0] = 100
    agrees(grad, np.float32([3]), "x.grad must be a copy: the arriving gradient must not change")
    agrees(y.grad.array, np.float32([3]), "x.grad and y.grad must be two copies")


@pytest.mark.stub("accumulate", points=4)
def test_adding_in_place_is_noted():
    x, weight = leaf(1.0), leaf(3.0)
    accumulate(x, np.float32([10]))
    product = x.grad * weight
    product.grad_fn.unpack()  # what the product saved is unchanged
    accumulate(x, np.float32([1]))
    try:
        product.grad_fn.unpack()
    except RuntimeError:
        return
    raise AssertionError("the product saved x.grad, which has changed since: record it, changed(array)")


@pytest.mark.stub("accumulate", points=4)
def test_the_copy_has_the_type_and_the_order_of_the_leaf():
    for kind in (np.float16, np.float32, np.float64):
        x = tensor(np.zeros((2, 3), kind), requires_grad=True)
        for times in (1, 2):
            accumulate(x, np.asfortranarray(np.arange(6.0).reshape(2, 3)))
            said = f"a float64 gradient of a leaf of {kind.__name__}, {times} times"
            agrees(x.grad.array, times * np.arange(6).reshape(2, 3).astype(kind), said)
        assert x.grad.array.flags.c_contiguous, "the copy is contiguous"


@pytest.mark.stub("accumulate", points=4)
def test_a_gradient_with_a_graph_is_not_changed_in_place():
    x, a, b = leaf(1.0), leaf(10.0), leaf(20.0)
    one, two = a * 1, b * 1
    accumulate(x, one)
    assert leads_back(x.grad, a), "the copy of a Tensor keeps its graph: clone()"
    assert not np.shares_memory(x.grad.array, one.array), "a Tensor is copied too"
    first = x.grad
    accumulate(x, two)
    agrees(x.grad.detach().array, np.float32([30]), "a second Tensor is added to the first")
    said = "a Tensor with a graph is added to with +, which keeps the graph"
    agrees(first.detach().array, np.float32([10]), said)
    assert leads_back(x.grad, a, b), said


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
        assert not recording(), "the inner block ends, but the outer one has not: restore the previous value"
    with no_grad():
        grad_mode.enabled = True  # like `enable_grad`, which is given below
        with no_grad():
            assert not recording(), "recording was switched on, and must be off in the inner block"
        assert recording(), "recording was on before the inner block, so it is on after it"
    assert recording(), "after all blocks, recording is on again"


@pytest.mark.stub("no-grad", points=3)
def test_a_block_takes_its_mode_from_its_class():
    class Recorded(no_grad):
        mode = True

    with no_grad(), Recorded():
        assert recording(), "`enable_grad` will be a subclass with mode = True: ask self.mode"


@pytest.mark.stub("no-grad", points=3)
def test_one_block_can_be_entered_again():
    block = no_grad()
    with block:
        with block:
            assert not recording(), "the same object, entered again inside: off"
        assert not recording(), "the same object, entered again inside: it was off before"
    on = recording()
    grad_mode.enabled = True  # whatever the block did, the tests after this one go on
    assert on, "recording was on before the first entry, so it is on after the last exit"
    with block:
        assert not recording(), "and it can be used again"
    assert recording(), "after the block, recording is on again"


@pytest.mark.stub("no-grad", points=3)
def test_an_exception_does_not_leave_it_switched_off():
    came_out = False
    try:
        with no_grad():
            raise KeyError
    except KeyError:
        came_out = True
    on = recording()
    grad_mode.enabled = True  # whatever the block did, the tests after this one go on
    assert on, "the flag must be restored when the block raises, too"
    assert came_out, "what the block raises must come out: __exit__ returns nothing"


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
    assert recording(), "after the call, recording is on again"


def check_jacobian(function, wanted, said, *inputs, which=0, **options):
    """Compare a Jacobian; the inputs must have their values back, to the last bit."""
    arrays = {f"input {number}": x.array for number, x in enumerate(inputs)}
    with unchanged(**arrays):
        found = numerical_jacobian(function, list(inputs), which, **options)
    agrees(found, np.array(wanted, np.float64), said, rtol=1e-7, atol=1e-9)


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_jacobian_of_a_linear_map_is_its_matrix():
    W = np.random.default_rng(0).standard_normal((3, 4))
    said = "rows are input elements, columns output elements"
    check_jacobian(lambda x: x @ tensor(W), W, said, tensor(np.ones(3)))


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_input_asked_for_is_moved_and_put_back():
    x, y = tensor(np.array([1.0, 2.0])), tensor(np.array([5.0, 7.0]))
    product = lambda x, y: x * y * y
    for which, wanted in ((0, np.diag([25, 49])), (1, np.diag([2 * 5, 2 * 2 * 7]))):
        check_jacobian(product, wanted, f"x y y, input {which} is moved", x, y, which=which)


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
        said = "whatever the function does, the input must get its value back"
        np.testing.assert_array_equal(x.array, [1, 2], err_msg=said)
        return
    raise AssertionError("what the function raises must come out")


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_differences_are_central():
    said = "a one-sided difference of a cube is 6 eps off, a central one eps squared"
    cube = lambda x: x * x * x
    check_jacobian(cube, [[12 + 1e-6]], said, tensor(np.array([2.0])), eps=1e-3)


@pytest.mark.stub("numerical-jacobian", points=5)
def test_a_result_in_the_memory_of_the_input_is_followed():
    said = "copy the result before the input is changed again"
    check_jacobian(lambda x: x.reshape(2), np.eye(2), said, tensor(np.array([[1.0, 2.0]])))


@pytest.mark.stub("numerical-jacobian", points=5)
def test_an_input_that_is_a_view_is_moved_where_it_lies():
    x = from_numpy(np.arange(6.0).reshape(2, 3)).T
    said = "the function sees the input's own array: change that, not a copy of it"
    check_jacobian(lambda x: x * 3, 3 * np.eye(6), said, x)


@pytest.mark.stub("numerical-jacobian", points=5)
def test_the_differences_are_taken_in_float64():
    W = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    said = "a function that returns float32 makes a float64 Jacobian"
    x = tensor(np.ones(3))
    with unchanged(x=x.array):
        found = numerical_jacobian(lambda x: x.float() @ tensor(W), [x], 0, eps=0.5)
    agrees(found, W.astype(np.float64), said, rtol=1e-5)


@pytest.mark.stub("numerical-jacobian", points=5)
def test_no_graph_is_made_and_shapes_are_flattened():
    seen, x = [], tensor(np.ones((2, 3)), requires_grad=True)
    watched = lambda x: seen.append((x * 1).requires_grad) or x.sum(0)
    said = "input (2, 3), output (3,): a matrix (6, 3)"
    check_jacobian(watched, np.tile(np.eye(3), (2, 1)), said, x.detach().requires_grad_())
    recorded = sum(seen)
    assert recorded == 0, f"call it under no_grad(): {recorded} of {len(seen)} calls recorded"
    said = "input (2, 3), output (2, 3): a matrix (6, 6)"
    check_jacobian(lambda x: 2 * x, 2 * np.eye(6), said, x.detach())
    said = "no elements to change: a matrix (0, 2)"
    empty = tensor(np.ones(0))
    check_jacobian(lambda x: x.sum() + zeros(2), np.zeros((0, 2)), said, empty)
