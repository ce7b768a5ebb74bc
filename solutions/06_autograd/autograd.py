# %% [markdown]
# # 06 Autograd
#
# Every operation that you have built so far can say what it computes. None of them can say how its result would change if an input
# moved a little, and training is nothing but that question, asked a million times. In this module you teach each operation its
# answer, a rule of a few lines, and you write the walk that combines the rules into the gradient of any program at all.
#
# When you are done you will be able to
#
# - derive the gradient rule of an operation, broadcasting included, and check it without trusting your algebra;
# - say exactly what `loss.backward()` does, in which order, and what it keeps alive until then;
# - explain why gradients add up, when the graph is freed, and what an in-place change can spoil;
# - find the operation that made the first NaN.
#
# ### Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `x.backward()`, `backward(tensors, ...)` | `x.backward()`, `torch.autograd.backward` | |
# | `grad(outputs, inputs, ..., create_graph)` | `torch.autograd.grad` | one tuple, no batched gradients |
# | `no_grad`, `enable_grad`, `set_grad_enabled` | `torch.no_grad`, ... | |
# | `Function` | `torch.autograd.Function` | `mark_dirty` is not there |
# | `gradcheck`, `gradgradcheck` | `torch.autograd.gradcheck`, ... | every element, float64 |
# | `detect_anomaly` | `torch.autograd.detect_anomaly` | |
# | `gradient(operation)`, `unbroadcast`, `draw_graph` | | ours: PyTorch generates its rules from a table, `derivatives.yaml` |
#
# Until now `x.backward()` answered that it is built in module 06. It is about to be.


# %%
#| export
import copy
import heapq
import importlib
import itertools
import math
import weakref
from contextlib import ContextDecorator, contextmanager

import numpy as np

from tinytorch import activations, layers, losses
from tinytorch.layers import RemovableHandle
from tinytorch.tensor import Context, Size, Tensor, grad_mode, wrap

operations = importlib.import_module(
    "tinytorch.tensor"
)  # the attribute of that name is a function


# %%
from tinytorch.tensor import ones, rand, randn, tensor, zeros


# %% [markdown]
# ## 1. A gradient by hand
#
# Before anything is automatic, do it once yourself. Take two layers and a squared error,
#
# $$h = \max(0, x W_1), \qquad y = h W_2, \qquad L = \tfrac1N \sum_{ij} (y_{ij} - t_{ij})^2$$
#
# with $x$ of shape (B, D), $W_1$ of shape (D, H), $W_2$ of shape (H, C) and $N = BC$. The chain rule says: go through the lines backwards, and turn
# the gradient with respect to what a line made into the gradient with respect to what it used.
#
# | forward | backward |
# |---|---|
# | $L = \frac1N \sum (y - t)^2$ | $\bar y = \frac2N (y - t)$ |
# | $y = h W_2$ | $\bar h = \bar y\, W_2^\top, \quad \bar W_2 = h^\top \bar y$ |
# | $h = \max(0, a)$ | $\bar a = \bar h$ where $a > 0$, else 0 |
# | $a = x W_1$ | $\bar W_1 = x^\top \bar a$ |
#
# The bar over a name means "the gradient of $L$ with respect to it", and it always has the shape of what it belongs to. That alone
# tells you where the transposes go: $\bar W_2$ must be (H, C), and $h^\top \bar y$ is the only product of the two that is.
#
# <details><summary>Hint 1</summary>Compute the four forward lines first and keep <code>a</code> and <code>h</code>: the backward lines need them.</details>
# <details><summary>Hint 2</summary>Write the backward lines of the table from the top, one line of NumPy each.</details>
# <details><summary>Hint 3</summary><code>grad_y = 2 / y.size * (y - target)</code>, then <code>grad_W2 = h.T @ grad_y</code>, and <code>grad_a = (grad_y @ W2.T) * (a > 0)</code>.</details>


# %% stub="by-hand"
#| export
def two_layer_gradients(x, W1, W2, target):
    """Compute the gradients of a two-layer network's mean squared error, without autograd.

    L = mean((max(0, x W1) W2 - target)^2)

    Args:
        x: inputs, an array (B, D).
        W1, W2: weights, arrays (D, H) and (H, C).
        target: what the network should have said, an array (B, C).

    Returns:
        The gradients of L with respect to W1 and W2: arrays (D, H) and (H, C).

    >>> x, one = np.array([[2.0]]), np.array([[1.0]])
    >>> two_layer_gradients(x, one, one, np.array([[0.0]]))
    (array([[8.]]), array([[8.]]))
    """
    ### BEGIN SOLUTION
    a = x @ W1  # (B, H)
    h = np.maximum(a, 0)
    y = h @ W2  # (B, C)
    grad_y = 2 / y.size * (y - target)
    grad_a = (grad_y @ W2.T) * (a > 0)
    return x.T @ grad_a, h.T @ grad_y
    ### END SOLUTION


# %% test="by-hand" points=4
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


def test_the_output_weights_get_the_gradient_of_differences():
    x, W1, W2, t, loss = network_by_hand()
    found = two_layer_gradients(x, W1, W2, t)[1]
    np.testing.assert_allclose(
        found,
        by_differences(loss, W2),
        rtol=1e-6,
        err_msg="the gradient of W2 is h transposed times the gradient of y",
    )


def test_the_hidden_weights_get_the_gradient_of_differences():
    x, W1, W2, t, loss = network_by_hand()
    found = two_layer_gradients(x, W1, W2, t)[0]
    np.testing.assert_allclose(
        found,
        by_differences(loss, W1),
        rtol=1e-6,
        err_msg="the gradient of W1 passes through W2 and through the ReLU",
    )


# %% [markdown]
# That was a network of two layers, and you had to know all of it. Each line of the backward table, however, knew only its own line of the
# forward table: `y = h W2` needs to be told $\bar y$, remembers $h$ and $W_2$, and answers with $\bar h$ and $\bar W_2$. So give every
# operation such a rule, once, and let a program call the rules in the right order. The rest of this module is those two things.
#
# ## 2. Rules
#
# An operation's `forward` leaves a `Context` behind: what it saved, and where its inputs came from. Its rule takes that context and the
# gradient of the result, and returns the gradient of each input. `gradient` puts rules on a list, by operation; nothing in the modules
# before this one changes. (PyTorch's core does the same: the rules are registered apart from the kernels.)
#
# The next cell is given. `call` is for rules that need another operation: under `create_graph`, which you meet at the end, the very
# same rules run on Tensors, so that gradients have gradients, and `call` does the right thing for both.


# %%
#| export
rules = {}


def gradient(function):
    """Register the decorated rule as the gradient of an operation.

    The rule is called as `rule(ctx, grad)` with the gradient of the result (one argument for each result, where there are
    several), and returns the gradient of each input, in order; None where there is none.
    """

    def register(rule):
        rules[function] = rule
        return rule

    return register


def call(function, *inputs, **options):
    """Run an operation inside a rule: on Tensors when second derivatives are wanted, else straight on arrays."""
    if any(isinstance(x, Tensor) for x in inputs):
        return function.apply(*inputs, **options)
    return function.forward(Context(function, (None,) * len(inputs)), *inputs, **options)


# %% [markdown]
# ### Undoing a broadcast
#
# In `x * y` with `x` of shape (2, 3) and `y` of shape (3,), each element of `y` was used twice, once for each row. When it moves, both uses move the
# loss, and the effects add up. So the gradient of `y` is a *sum* over every dimension along which it was stretched:
#
# ```
#     y (3,)  ->  used as (2, 3)        grad (2, 3)  ->  summed over rows  ->  (3,)
#     y (2, 1)  ->  used as (2, 3)      grad (2, 3)  ->  summed over columns, kept as 1  ->  (2, 1)
# ```
#
# Two cases, then: dimensions that were missing in front, which have to vanish, and dimensions of length 1 that were stretched, which
# have to stay, with length 1.
#
# <details><summary>Hint 1</summary>How many dimensions does the gradient have more than the shape? Those are the missing ones, and they are in front.</details>
# <details><summary>Hint 2</summary>Collect the axes to sum over: the missing ones, and each one where the shape says 1 and the gradient does not. Sum with <code>keepdims=True</code>.</details>
# <details><summary>Hint 3</summary>After a sum with kept dimensions over all those axes, <code>.reshape(shape)</code> drops the leading ones.</details>


# %% stub="unbroadcast"
#| export
def unbroadcast(grad, shape):
    """Sum a gradient over the dimensions along which its operand was broadcast.

    Args:
        grad: the gradient of the result, an array (or a Tensor: use only operators and methods that both have).
        shape: the shape that the operand had, which broadcasts to the gradient's.

    Returns:
        The operand's gradient, of exactly this shape; `grad` itself if it has that shape.

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    >>> unbroadcast(np.ones((2, 3)), (2, 1))
    array([[3.],
           [3.]])
    """
    ### BEGIN SOLUTION
    if grad.shape == shape:
        return grad
    extra = grad.ndim - len(shape)
    stretched = [
        d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1
    ]
    axes = (*range(extra), *stretched)
    return (grad.sum(axis=axes, keepdims=True) if axes else grad).reshape(shape)
    ### END SOLUTION


# %% test="unbroadcast" points=5
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
    assert np.shape(unbroadcast(grad, ())) == (), (
        "a number that was broadcast gets a 0-d gradient"
    )
    assert unbroadcast(grad, ()) == grad.sum(), (
        "a number that was broadcast gets the sum of everything"
    )


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


def test_a_square_gradient_is_summed_over_the_right_side():
    grad = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(
        unbroadcast(grad, (2,)), [4, 6], err_msg="shapes are aligned at their last dimension"
    )
    np.testing.assert_array_equal(unbroadcast(grad, (2, 1)), [[3], [7]])


def test_nothing_happens_where_nothing_was_broadcast():
    grad = np.ones((1, 3))
    assert unbroadcast(grad, (1, 3)) is grad, "the same shape: hand the gradient back as it is"
    assert unbroadcast(np.ones((1, 3)), (3,)).shape == (3,)
    assert unbroadcast(np.ones((2, 0)), (0,)).shape == (0,), "empty tensors have gradients too"


# %% [markdown]
# ### A product
#
# For $z = xy$, element by element, $\bar x = \bar z\, y$ and $\bar y = \bar z\, x$: each factor's slope is the other factor. `Mul.forward` saved both. Undo the
# broadcast, and do not compute what nobody asked for: `ctx.needs_input_grad` says, for each input, whether its gradient is wanted. A number
# (`x * 2`) comes as it is, and `np.shape(2)` is `()`.
#
# <details><summary>Hint 1</summary><code>x, y = ctx.saved_tensors</code> gives back what the forward saved.</details>
# <details><summary>Hint 2</summary>The gradient of <code>x</code> is <code>grad * y</code>, brought to the shape of <code>x</code>.</details>
# <details><summary>Hint 3</summary><code>unbroadcast(grad * y, np.shape(x)) if ctx.needs_input_grad[0] else None</code>, and the same the other way round.</details>


# %% stub="mul-gradient"
#| export
@gradient(operations.Mul)
def mul_backward(ctx, grad):
    """Compute the gradients of both factors of x * y.

    Args:
        ctx: the call's context; its saved tensors are x and y, arrays or numbers.
        grad: the gradient of the product, of the shape that x and y have together.

    Returns:
        The gradients of x and of y, each of its factor's shape; None for one that `ctx.needs_input_grad` does not want.
    """
    ### BEGIN SOLUTION
    x, y = ctx.saved_tensors
    need_x, need_y = ctx.needs_input_grad
    grad_x = unbroadcast(grad * y, np.shape(x)) if need_x else None
    grad_y = unbroadcast(grad * x, np.shape(y)) if need_y else None
    return grad_x, grad_y
    ### END SOLUTION


# %% test="mul-gradient" points=4
def rule_of(result):
    """The rule of the operation that made a tensor, ready to be called with a gradient."""
    ctx = result.grad_fn
    return lambda grad: rules[ctx.function](ctx, grad)


def test_each_factor_gets_the_other():
    rng = np.random.default_rng(0)
    x, y, cotangent = (rng.standard_normal((2, 3)).astype(np.float32) for _ in range(3))
    grad_x, grad_y = rule_of(tensor(x, requires_grad=True) * tensor(y, requires_grad=True))(
        cotangent
    )
    np.testing.assert_allclose(
        grad_x, cotangent * y, rtol=1e-6, err_msg="the gradient of x is grad * y"
    )
    np.testing.assert_allclose(
        grad_y, cotangent * x, rtol=1e-6, err_msg="the gradient of y is grad * x"
    )
    assert grad_x.dtype == np.float32, "float32 in, float32 out"


def test_a_broadcast_factor_gets_a_gradient_of_its_own_shape():
    rng = np.random.default_rng(1)
    x, y, cotangent = (
        rng.standard_normal((2, 3)),
        rng.standard_normal((3,)),
        rng.standard_normal((2, 3)),
    )
    grad_x, grad_y = rule_of(tensor(x, requires_grad=True) * tensor(y, requires_grad=True))(
        cotangent
    )
    assert grad_x.shape == (2, 3)
    assert grad_y.shape == (3,), "y has shape (3,), and so has its gradient"
    np.testing.assert_allclose(grad_y, (cotangent * x).sum(0))


def test_what_needs_no_gradient_gets_none():
    x = tensor([1.0, 2.0], requires_grad=True)
    grad_x, grad_y = rule_of(x * tensor([3.0, 4.0]))(np.float32([1, 10]))
    np.testing.assert_array_equal(grad_x, [3, 40])
    assert grad_y is None, "y does not require a gradient: return None for it"
    grad_x, grad_y = rule_of(x * 5)(np.float32([1, 10]))
    np.testing.assert_array_equal(grad_x, [5, 50], err_msg="a factor may be a number")
    assert grad_y is None


# %%
#| export
def restored(ctx, grad, shape):
    """A reduction's gradient with the dimensions that were reduced, each of length 1."""
    if ctx.keepdim:
        return grad
    axes = (
        range(len(shape))
        if ctx.axis is None
        else ctx.axis
        if isinstance(ctx.axis, tuple)
        else (ctx.axis,)
    )
    return grad.reshape(tuple([1 if d in axes else n for d, n in enumerate(shape)]))


# %% [markdown]
# ### A sum
#
# $s = \sum_i x_i$: every element moves the sum by as much as it moves itself, so every element gets the whole gradient. Along a dimension it
# is the same, row by row. Reducing forward means *stretching* backward, as stretching forward meant reducing backward: the two are each
# other's gradient.
#
# The one difficulty is a dimension that is gone. `x.sum(1)` of a (2, 3) is (2,), and a gradient of shape (2,) would be stretched along the wrong side.
# The given `restored(ctx, grad, shape)` puts the reduced dimensions back, with length 1 (the forward left `ctx.axis` and `ctx.keepdim` for
# it, and the shape of `x` in `ctx.shape`). The stretching itself is an operation that you already have, `operations.Expand`, which copies
# nothing.
#
# <details><summary>Hint 1</summary>First put the lost dimensions back: <code>restored(ctx, grad, ctx.shape)</code>.</details>
# <details><summary>Hint 2</summary>Then expand to the shape that <code>x</code> had. In a rule, operations are run through <code>call</code>.</details>
# <details><summary>Hint 3</summary><code>call(operations.Expand, restored(...), shape=ctx.shape)</code></details>


# %% stub="sum-gradient"
#| export
@gradient(operations.Sum)
def sum_backward(ctx, grad):
    """Hand the gradient of a sum to every element that was summed.

    Args:
        ctx: the call's context, with `shape` (of x), `axis` and `keepdim`.
        grad: the gradient of the sum, of the sum's shape.

    Returns:
        The gradient of x, of x's shape: by an operation that is run through `call`, so that it can be differentiated again.
    """
    ### BEGIN SOLUTION
    return call(operations.Expand, restored(ctx, grad, ctx.shape), shape=ctx.shape)
    ### END SOLUTION


# %% test="sum-gradient" points=3
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


def test_a_square_is_stretched_along_the_side_that_was_summed():
    x = tensor(np.zeros((2, 2)), requires_grad=True)
    np.testing.assert_array_equal(rule_of(x.sum(1))(np.array([1.0, 2.0])), [[1, 1], [2, 2]])


def test_several_dimensions_can_be_summed_at_once():
    x = tensor(np.zeros((2, 3, 4)), requires_grad=True)
    found = rule_of(x.sum((0, -1)))(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(
        found, np.broadcast_to(np.array([1.0, 2.0, 3.0])[:, None], (2, 3, 4))
    )


def test_the_gradient_of_a_sum_can_be_differentiated_again():
    x = tensor(np.ones((2, 3)), requires_grad=True)
    found = rule_of(x.sum(1))(tensor(np.array([5.0, 7.0]), requires_grad=True))
    assert getattr(found, "requires_grad", False), (
        "given a Tensor, the rule must answer with one that knows its graph"
    )
    np.testing.assert_array_equal(found.detach().array, [[5, 5, 5], [7, 7, 7]])


# %%
#| export
def as_matrices(x, y, grad):
    """The operands and the gradient of x @ y with a dimension of length 1 wherever an operand was a vector."""
    rows = x if x.ndim > 1 else x[None]  # (..., n, k)
    columns = y if y.ndim > 1 else y[:, None]  # (..., k, m)
    kept = grad.ndim - (x.ndim > 1) - (y.ndim > 1)
    return rows, columns, grad.reshape(*grad.shape[:kept], rows.shape[-2], columns.shape[-1])


# %% [markdown]
# ### A matrix product
#
# You had this rule in the table above: for $Z = XY$, $\bar X = \bar Z\, Y^\top$ and $\bar Y = X^\top \bar Z$. What remains is what `matmul` allows besides two matrices:
# leading dimensions, which may be broadcast, and vectors. The rule becomes short if you make everything a matrix first: a vector on the
# left is a single row, one on the right a single column, and the gradient gets the same extra dimension.
#
# One case deserves care because it is the hottest line in a training step: activations of shape (B, T, C) times one weight matrix (C, D). Its gradient is a sum
# over B and T. Computed batch by batch and then summed it makes B matrices that are thrown away; as *one* product of a (C, BT) and a (BT, D) matrix the
# sum happens inside.
#
# <details><summary>Hint 1</summary><code>swapaxes(-2, -1)</code> transposes the last two dimensions, of arrays and of Tensors.</details>
# <details><summary>Hint 2</summary>With everything a matrix: <code>grad @ columns.swapaxes(-2, -1)</code> and <code>rows.swapaxes(-2, -1) @ grad</code>, each brought back by <code>unbroadcast</code>, then reshaped to its operand's shape.</details>
# <details><summary>Hint 3</summary>For one matrix on the right: <code>rows.reshape(-1, rows.shape[-1]).T @ grad.reshape(-1, grad.shape[-1])</code>.</details>


# %% stub="matmul-gradient"
#| export
@gradient(operations.MatMul)
def matmul_backward(ctx, grad):
    """Compute the gradients of both factors of x @ y.

    Args:
        ctx: the call's context; its saved tensors are x (..., n, k) or (k,), and y (..., k, m) or (k,).
        grad: the gradient of the product.

    Returns:
        The gradients of x and of y, each of its factor's shape; None for one that `ctx.needs_input_grad` does not want.
    """
    x, y = ctx.saved_tensors
    rows, columns, grad = as_matrices(x, y, grad)
    ### BEGIN SOLUTION
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        product = call(
            operations.MatMul, grad, columns.swapaxes(-2, -1)
        )  # which knows the fast way too
        grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
    if ctx.needs_input_grad[1] and columns.ndim == 2:
        n, k, m = math.prod(rows.shape[:-1]), rows.shape[-1], grad.shape[-1]
        grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
    elif ctx.needs_input_grad[1]:
        grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
    return grad_x, grad_y
    ### END SOLUTION


# %% test="matmul-gradient" points=6
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


def test_two_matrices():
    check_product((2, 3), (3, 4))


def test_leading_dimensions_are_summed_for_a_single_weight_matrix():
    check_product((2, 5, 3), (3, 4))


def test_batches_are_broadcast():
    check_product((2, 1, 2, 3), (4, 3, 2))
    check_product((2, 3), (4, 3, 2))


def test_vectors_on_either_side():
    check_product((3,), (3,))
    check_product((3,), (3, 2))
    check_product((2, 3), (3,))
    check_product((3,), (4, 3, 2))
    check_product((4, 2, 3), (3,))


def test_only_what_is_needed_is_computed():
    x, y = tensor(np.ones((2, 3))), tensor(np.ones((3, 2)), requires_grad=True)
    assert rule_of(x @ y)(np.ones((2, 2)))[0] is None, (
        "x does not require a gradient: return None for it"
    )
    assert rule_of(y @ x)(np.ones((3, 3)))[1] is None


# %% [markdown]
# ### Softmax
#
# In the operations so far, an output depended on a single element of an input, or on a row times a column. In a softmax every output along the dimension depends
# on every input: $\partial p_i / \partial x_j = p_i (\delta_{ij} - p_j)$, an n x n matrix for each row. Never build it. What is wanted is the gradient times that matrix,
# and the sum can be done with a pencil:
#
# $$\bar x_j = \sum_i \bar p_i\, p_i (\delta_{ij} - p_j) = p_j \Big( \bar p_j - \sum_i \bar p_i\, p_i \Big)$$
#
# Two products and one sum, the cost of the forward. This is what is meant when one says that backward computes *vector-Jacobian products*: the Jacobian is a
# way to think, not a thing in memory.
#
# <details><summary>Hint 1</summary>The forward saved its output <code>p</code>; the input is not needed.</details>
# <details><summary>Hint 2</summary>The sum runs along <code>ctx.axis</code>, and must keep that dimension to be subtracted from <code>grad</code>.</details>
# <details><summary>Hint 3</summary><code>(grad * p).sum(axis=ctx.axis, keepdims=True)</code> is the sum in the formula.</details>


# %% stub="softmax-gradient"
#| export
@gradient(activations.Softmax)
def softmax_backward(ctx, grad):
    """Multiply a gradient with the Jacobian of a softmax, without building it.

    Args:
        ctx: the call's context; its saved tensor is the output p, and `ctx.axis` the dimension that sums to one.
        grad: the gradient of p, of p's shape.

    Returns:
        The gradient of the scores, of p's shape.
    """
    ### BEGIN SOLUTION
    (p,) = ctx.saved_tensors
    return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
    ### END SOLUTION


# %% test="softmax-gradient" points=4
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


def test_softmax_is_differentiated_along_its_last_dimension():
    check_softmax((3, 4), -1)


def test_softmax_is_differentiated_along_any_dimension():
    check_softmax((3, 3), 0)
    check_softmax((2, 3, 4), 1)


def test_a_constant_gradient_moves_nothing():
    p = tensor(np.random.default_rng(0).standard_normal((2, 5)), requires_grad=True).softmax(1)
    np.testing.assert_allclose(
        rule_of(p)(np.full((2, 5), 3.0)),
        0,
        atol=1e-12,
        err_msg="probabilities sum to one whatever the scores: their sum has no slope",
    )


# %% [markdown]
# ### Indexing: the same row twice
#
# `y = x[index]` copies elements out. Backward, each element's gradient goes back to where it was copied from, into zeros. If the index names a row twice, both
# gradients belong to that row, and *add*. Assignment will not do: `out[[0, 0]] = g` keeps the last of the two and loses the other without a word. That mistake
# is silent, common, and fatal to embeddings, where a word that occurs five times in a batch must learn from all five.
#
# `np.add.at(out, index, g)` adds as it should but is slow. For rows there is a faster way, and you write it here: sort the rows that the index names, so that equal ones are
# neighbours, and let `np.add.reduceat` sum each run.
#
# ```
#     rows      [2, 0, 2, 1]             sorted   [0, 1, 2, 2]
#     starts of runs                              [0, 1, 2]
#     np.add.reduceat(g[order], starts, axis=0)   one sum a run, for rows [0, 1, 2]
# ```
#
# <details><summary>Hint 1</summary><code>rows.argsort(kind="stable")</code> is the order; negative rows count from the end, so take them modulo the number of rows first.</details>
# <details><summary>Hint 2</summary>A run starts wherever a sorted row differs from the one before it: <code>np.flatnonzero(np.diff(sorted_rows, prepend=-1))</code>.</details>
# <details><summary>Hint 3</summary><code>output[sorted_rows[starts]] = np.add.reduceat(grad[order], starts, axis=0)</code>; with no rows at all there is nothing to add.</details>


# %% stub="add-rows"
#| export
def add_rows(grad, rows, shape):
    """Add rows of a gradient into zeros of a shape, each to the row that is named for it.

    output[rows[i]] += grad[i], for every i

    Args:
        grad: an array (N, ...), the last dimensions those of `shape`.
        rows: N integers, at most shape[0] in size; negative ones count from the end; any of them may occur several times.
        shape: the shape of the output, (V, ...).

    Returns:
        An array of that shape, of grad's dtype.

    >>> add_rows(np.float32([[1], [2], [4]]), np.array([2, 0, 2]), (3, 1)).ravel()
    array([2., 0., 5.], dtype=float32)
    """
    ### BEGIN SOLUTION
    output = np.zeros(shape, grad.dtype)
    if rows.size:
        rows = rows % shape[0]
        order = rows.argsort(kind="stable")
        ordered = rows[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        output[ordered[starts]] = np.add.reduceat(
            grad[order], starts, axis=0, dtype=grad.dtype
        )
    return output
    ### END SOLUTION


# %% test="add-rows" points=5
def rows_one_by_one(grad, rows, shape):
    output = np.zeros(shape, np.float64)
    for row, g in zip(rows.tolist(), grad):
        output[row] += g
    return output


def test_a_row_named_twice_gets_both_gradients():
    grad = np.float32([[1, 10], [2, 20], [4, 40]])
    found = add_rows(grad, np.array([1, 1, 0]), (3, 2))
    np.testing.assert_array_equal(
        found, [[4, 40], [3, 30], [0, 0]], err_msg="row 1 is named twice: 1 + 2 and 10 + 20"
    )
    assert found.dtype == np.float32, "float32 in, float32 out"


def test_many_rows_in_any_order():
    rng = np.random.default_rng(0)
    rows, grad = rng.integers(-7, 7, 200), rng.standard_normal((200, 3, 2))
    np.testing.assert_allclose(
        add_rows(grad, rows, (7, 3, 2)),
        rows_one_by_one(grad, rows, (7, 3, 2)),
        rtol=1e-10,
        err_msg="negative rows count from the end",
    )


def test_single_numbers_are_rows_too():
    np.testing.assert_array_equal(
        add_rows(np.array([1.0, 2.0, 4.0]), np.array([0, 3, 0]), (4,)), [5, 0, 0, 2]
    )


def test_no_rows_at_all():
    np.testing.assert_array_equal(
        add_rows(np.zeros((0, 2)), np.zeros(0, int), (3, 2)), np.zeros((3, 2))
    )


# %% [markdown]
# ## 3. The walk
#
# Calling `x * y` on tensors that require a gradient left a node, `z.grad_fn`. A node knows its operation, what was saved, and its `edges`: for each input, where
# that input's gradient goes. An edge is a pair of a node and the number of its output (most operations have only output 0), or of a leaf tensor and 0, or None.
#
# ```
#         x (leaf)      y (leaf)
#             \        /   |
#              [ Mul 0 ]   |              z = x * y
#                  \       |
#                  [ Add 1 ]              w = z + y
#                      |
#                    w.grad_fn            numbers: the order in which the calls were made
# ```
#
# Backward starts at the bottom with a gradient of one, runs `Add`'s rule, sends what it returns along the edges, then runs `Mul`'s, and so on. The order matters:
# a node may run only when *everything* that used its result has sent its share, because the rule wants the total. Here is the trick that makes it simple. An
# operation can only use tensors that exist already, so whoever used a node's result has a larger number than the node. Take the waiting nodes by
# falling number, and the total is always complete. A heap (`heapq`) gives the largest at once, and nothing recurses: a chain of a hundred thousand
# operations is as good as one of three.
#
# For each node that is waiting, keep a list with one slot for each of its outputs, and add up in it what arrives. **Add with `a + b`, never with `+=`**: a rule may hand the same array to
# two inputs (`Add` does), and changing it in place would change both.
#
# What else happens at a node is given: `run_hooks` lets the user's hooks see the gradient, `caught` notes what `grad(...)` was asked for, `run_rule` finds the rule and checks what it
# returns, and `node.free()` lets go of what was saved, unless `retain_graph` says otherwise.


# %%
#| export
def caught(node, slots, wanted, useful, arrived):
    """Note the gradients that were asked for at this node; say whether nothing that is wanted lies beyond it."""
    arrived.update({(node, i): grad for i, grad in enumerate(slots) if (node, i) in wanted})
    return node not in useful


def leading_to(wanted, roots):
    """The nodes from which a wanted edge can be reached, found without recursion."""
    useful, stack = set(), [(node, False) for node, _ in roots if isinstance(node, Context)]
    seen = set()
    while stack:
        node, finished = stack.pop()
        if finished:
            if any(
                edge in wanted or edge[0] in useful for edge in node.edges if edge is not None
            ):
                useful.add(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend(
                (edge[0], False)
                for edge in node.edges
                if edge is not None and isinstance(edge[0], Context)
            )
    return useful


def run_rule(node, slots, create_graph):
    """The gradients of a node's inputs, from those of its outputs."""
    rule = rules.get(node.function) or getattr(node.function, "backward", None)
    if rule is None:
        raise RuntimeError(f"derivative for {node.function.__name__} is not implemented")
    if (
        len(slots) > 1
    ):  # an output that was not used has gradient zero; one of integers has none
        slots = [
            np.zeros(shape, kind) if grad is None and kind.kind == "f" else grad
            for grad, (shape, kind) in zip(slots, node.results)
        ]
    if create_graph or isinstance(node, FunctionContext):
        grads = run_rule_on_tensors(rule, node, slots, create_graph)
    else:
        grads = rule(node, *slots)
    grads = grads if isinstance(grads, tuple) else (grads,)
    if len(grads) < len(node.edges) or any(g is not None for g in grads[len(node.edges) :]):
        raise RuntimeError(
            f"function {node.name()} returned an incorrect number of gradients (expected {len(node.edges)}, got {len(grads)})"
        )
    if grad_mode.anomaly:
        check_for_nan(node, grads)
    return grads


def run_rule_on_tensors(rule, node, slots, create_graph):
    """Run a rule on Tensors: for second derivatives, or because a user's `torch.autograd.Function` expects them."""
    if create_graph and (
        node.function.once_differentiable or getattr(rule, "once_differentiable", False)
    ):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )
    slots = [
        wrap(grad) if grad is not None and not isinstance(grad, Tensor) else grad
        for grad in slots
    ]
    if not create_graph:
        with no_grad():
            grads = rule(node, *slots)
        grads = grads if isinstance(grads, tuple) else (grads,)
        return tuple(g.array if isinstance(g, Tensor) else g for g in grads)
    view = copy.copy(
        node
    )  # the same call, with its saved arrays as Tensors that know where they came from
    view.saved = tuple([as_tensor(node, array) for array in node.unpack()])
    with enable_grad():
        return rule(view, *slots)


def as_tensor(node, array):
    """A saved array as the Tensor that it was, linked to the graph if it was an input or output of the node."""
    position = node.ids.index(id(array)) if id(array) in node.ids else None
    if position is None or getattr(array, "dtype", np.dtype(int)).kind != "f":
        return array
    edge = (
        node.edges[position]
        if position < len(node.edges)
        else (node, position - len(node.edges))
    )
    if edge is None:
        return array
    if isinstance(edge[0], Tensor):
        return edge[0]
    result = wrap(array)
    result._edge = edge
    return result


def run_hooks(node, slots):
    """Let the hooks on a node's outputs see, and replace, their gradients."""
    for output_nr, hooks in node.hooks.items():
        if slots[output_nr] is not None:
            slots[output_nr] = apply_all(hooks, slots[output_nr])


def apply_all(hooks, grad):
    """Pass a gradient, array or Tensor, through hooks that take Tensors."""
    for hook in list(hooks.values()):
        replaced = hook(grad if isinstance(grad, Tensor) else wrap(grad))
        if replaced is not None:
            grad = replaced if isinstance(grad, Tensor) else replaced.array
    return grad


@contextmanager
def enable_grad():
    """Record for gradients again inside a `no_grad` block."""
    previous, grad_mode.enabled = grad_mode.enabled, True
    try:
        yield
    finally:
        grad_mode.enabled = previous


class FunctionContext(Context):
    """The context of a user's Function, which saves and returns Tensors."""

    non_differentiable = ()

    def save_for_backward(self, *tensors):
        self.saved = tuple(x.array if isinstance(x, Tensor) else x for x in tensors)

    @property
    def saved_tensors(self):
        return tuple(wrap(a) if isinstance(a, np.ndarray) else a for a in self.unpack())

    def mark_non_differentiable(self, *tensors):
        self.non_differentiable = tensors


def check_for_nan(node, grads):
    """RuntimeError that names the node if one of its gradients holds a NaN."""
    for number, g in enumerate(grads):
        values = g.array if isinstance(g, Tensor) else g
        if values is not None and np.isnan(values).any():
            where = "".join(
                getattr(node, "traceback", ["  before anomaly detection was switched on\n"])[
                    -3:
                ]
            )
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {number}th output. It was called at:\n{where}"
            )


# %% [markdown]
# Write the walk.
#
# <details><summary>Hint 1</summary>Three containers: a dict from node to its slots (<code>pending</code>), a heap of <code>(-node.number, node)</code>, and a dict from leaf edge to gradient (<code>arrived</code>). A small inner function <code>send(edge, grad)</code> puts a gradient where it belongs; the walk begins by sending to the roots.</details>
# <details><summary>Hint 2</summary><code>send</code>: if the edge's first half is a Tensor, it is a leaf: add into <code>arrived[edge]</code>. Otherwise, if the node is not pending yet, make its slots, <code>[None] * len(node.results)</code>, and push it on the heap; then add into its slot.</details>
# <details><summary>Hint 3</summary>The loop: pop a node, take its slots out of <code>pending</code>, run the hooks if <code>node.hooks is not None</code>, skip the rest if <code>wanted is not None and caught(...)</code>, send each gradient of <code>run_rule(node, slots, create_graph)</code> along its edge unless either is None, and free the node.</details>


# %% stub="walk"
#| export
def walk(roots, gradients, retain_graph=False, create_graph=False, wanted=None):
    """Send gradients from the roots back through the graph, and return what arrives.

    Args:
        roots: edges, (node or leaf, number of the output), where the walk begins.
        gradients: the gradient of each root: arrays, or Tensors with `create_graph`.
        retain_graph: keep what the nodes have saved.
        create_graph: run the rules on Tensors, so that the gradients have gradients.
        wanted: the edges at which gradients are asked for, a set; None asks at all leaves.

    Returns:
        A dict from edge to gradient: of every leaf that was reached, and of every wanted edge.
    """
    useful = None if wanted is None else leading_to(wanted, roots)
    arrived = {}
    ### BEGIN SOLUTION
    pending, queue = {}, []

    def send(edge, grad):
        node, output_nr = edge
        if isinstance(node, Tensor):
            arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
            return
        if node not in pending:
            pending[node] = [None] * len(node.results)
            heapq.heappush(queue, (-node.number, node))
        slots = pending[node]
        slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad

    for edge, grad in zip(roots, gradients):
        send(edge, grad)
    while queue:
        node = heapq.heappop(queue)[1]
        slots = pending.pop(node)
        if node.hooks is not None:
            run_hooks(node, slots)
        if wanted is not None and caught(node, slots, wanted, useful, arrived):
            continue
        for edge, grad in zip(node.edges, run_rule(node, slots, create_graph)):
            if edge is not None and grad is not None:
                send(edge, grad)
        if not retain_graph:
            node.free()
    ### END SOLUTION
    return arrived


# %% test="walk" points=12
class Scale(operations.Function):
    """x times a number that is set apart: an operation whose rule is plain to see, and which counts its calls."""

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


def test_gradients_are_multiplied_along_a_path():
    x = leaf(1.0, 2.0)
    (found,) = gradients_of(Scale.apply(Scale.apply(x, by=3), by=4), x, cotangent=[1, 10])
    np.testing.assert_array_equal(found, [12, 120], err_msg="4 times 3, for each element")


def test_gradients_are_added_where_paths_meet():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    (found,) = gradients_of(Sum3.apply(y, y, x), x)
    np.testing.assert_array_equal(
        found,
        [2 * 1 + 2 * 2 + 3],
        err_msg="x + 2 y + 3 z with x used three times, twice through y",
    )


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


def test_arrays_that_are_handed_on_are_not_changed():
    x, y = leaf(1.0), leaf(1.0)
    seed = np.float32([1])
    output = Sum3.apply(x, x, x)
    walk([Sum3.apply(output, y, output).edge()], [seed])
    np.testing.assert_array_equal(
        seed, [1], err_msg="add with a + b: += changes an array that somebody else holds"
    )


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


def test_edges_that_are_none_are_not_followed():
    x, constant = leaf(1.0), tensor([1.0])
    found, nothing = gradients_of(Sum3.apply(x, constant, constant), x, constant)
    np.testing.assert_array_equal(found, [1])
    assert nothing is None


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


def test_a_chain_of_20000_operations():
    x = y = leaf(1.0)
    for _ in range(20_000):
        y = Scale.apply(y, by=1)
    np.testing.assert_array_equal(gradients_of(y, x)[0], [1])


def test_gradients_can_be_asked_for_on_the_way():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    z = Scale.apply(y, by=3)
    Scale.calls = 0
    arrived = walk([z.edge()], [np.float32([1])], wanted={y.edge()})
    np.testing.assert_array_equal(arrived[y.edge()], [3])
    assert Scale.calls == 1, "nothing that is wanted lies beyond y, so only z's rule runs"


# %% [markdown]
# ## 4. At the leaves
#
# What arrives at a leaf goes into its `.grad`, and if there is something already, it is *added*: that is why training calls `zero_grad`, and what makes gradient accumulation over
# several small batches possible.
#
# Mind whose memory it is. `.grad` will be changed in place: by clipping, and by the next backward. If the rule of an addition handed the same array to two
# leaves, and it became `.grad` of both, then clipping one would clip the other as well. So the first gradient is copied when somebody else may hold it (the
# caller finds out, and says so in `shared`), and taken as it is when nobody does, because a copy of every gradient at every step is time lost.
#
# <details><summary>Hint 1</summary>Three cases: a Tensor (with <code>create_graph</code>, when it must not be changed in place), no <code>.grad</code> yet, and one to add to.</details>
# <details><summary>Hint 2</summary><code>leaf._grad</code> is where <code>.grad</code> is kept. <code>wrap(array)</code> makes a Tensor around an array; <code>np.array(array, dtype, order="C")</code> copies.</details>
# <details><summary>Hint 3</summary>To add: <code>leaf._grad.array += grad</code>, so that everyone who holds <code>.grad</code> sees the sum, as in PyTorch.</details>


# %% stub="accumulate"
#| export
def accumulate(leaf, grad, shared):
    """Put a gradient into a leaf's `.grad`, or add it to the one that is there.

    Args:
        leaf: a Tensor; its `.grad` is kept in `leaf._grad`.
        grad: an array of the leaf's shape, or a Tensor, which has a graph of its own: then `.grad` becomes a new Tensor.
        shared: whether somebody else may hold the array, or it is not in the leaf's type and order.
    """
    ### BEGIN SOLUTION
    if isinstance(grad, Tensor):
        leaf._grad = grad if leaf._grad is None else leaf._grad + grad
    elif leaf._grad is None:
        leaf._grad = wrap(np.array(grad, leaf.array.dtype, order="C") if shared else grad)
    else:
        leaf._grad.array += grad
    ### END SOLUTION


# %% test="accumulate" points=4
def test_the_first_gradient_is_taken_and_the_next_is_added():
    x, first = leaf(1.0, 2.0), np.float32([10, 20])
    accumulate(x, first, shared=False)
    assert x.grad.array is first, "nobody else holds the array: take it, do not copy it"
    held = x.grad
    accumulate(x, np.float32([1, 2]), shared=False)
    np.testing.assert_array_equal(
        x.grad.array, [11, 22], err_msg="a second gradient is added to the first"
    )
    assert x.grad is held, "whoever holds x.grad sees the sum: add in place"


def test_a_shared_gradient_is_copied():
    x, shared = leaf(1.0, 2.0), np.float32([10, 20])
    accumulate(x, shared, shared=True)
    accumulate(x, np.float32([1, 1]), shared=True)
    np.testing.assert_array_equal(
        shared, [10, 20], err_msg="somebody else holds this array: it must not change"
    )
    np.testing.assert_array_equal(x.grad.array, [11, 21])


def test_a_copy_has_the_type_and_the_order_of_the_leaf():
    x = tensor(np.zeros((2, 3), np.float32), requires_grad=True)
    accumulate(x, np.asfortranarray(np.arange(6.0).reshape(2, 3)), shared=True)
    assert x.grad.array.dtype == np.float32
    assert x.grad.array.flags.c_contiguous
    np.testing.assert_array_equal(x.grad.array, np.arange(6).reshape(2, 3))


def test_a_gradient_with_a_graph_is_not_changed_in_place():
    x = leaf(1.0)
    one, two = leaf(10.0) * 1, leaf(20.0) * 1
    accumulate(x, one, shared=False)
    assert x.grad is one
    accumulate(x, two, shared=False)
    np.testing.assert_array_equal(x.grad.array, [30])
    np.testing.assert_array_equal(
        one.array,
        [10],
        err_msg="a Tensor with a graph is added to with +, which keeps the graph",
    )
    assert x.grad.requires_grad


# %% [markdown]
# With that, `backward` and `grad` are a matter of checking arguments. Both are given; read them once, for they are what you will call from now on.


# %%
#| export
def apply_hooks(leaf, grad):
    """Let the hooks of a leaf see, and replace, its gradient."""
    return apply_all(leaf.__dict__.get("_hooks") or {}, grad)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradient of the tensors (weighted by `grad_tensors`) to the `.grad` of every leaf they were made from.

    Args:
        tensors: a Tensor or several; one without `grad_tensors` must have one element.
        retain_graph: keep the graph for another backward; defaults to `create_graph`.
        create_graph: make the gradients differentiable.
        inputs: leaves to accumulate into, in place of all.

    Raises:
        RuntimeError: if a tensor does not require a gradient, or is no scalar and has no `grad_tensors`.
    """
    roots, gradients = starting_points(tensors, grad_tensors, create_graph)
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    wanted = None if inputs is None else {x.edge() for x in inputs}
    arrived = walk(
        roots,
        gradients,
        create_graph if retain_graph is None else retain_graph,
        create_graph,
        wanted,
    )
    targets = (
        {x.edge(): x for x in inputs}
        if inputs is not None
        else {edge: edge[0] for edge in arrived}
    )
    seen = {id(g) for g in gradients}
    for edge, leaf in targets.items():
        if edge in arrived:
            grad = apply_hooks(leaf, arrived[edge]) if leaf.grad_fn is None else arrived[edge]
            check_gradient(leaf, grad)
            shared = (
                id(grad) in seen
                or not isinstance(grad, np.ndarray)
                or grad.base is not None
                or not grad.flags.carray
            )
            seen.add(id(grad))
            accumulate(leaf, grad, shared or grad.dtype != leaf.array.dtype)


def starting_points(tensors, grad_tensors, create_graph):
    """The edges at which a walk begins, and the gradients it begins with; checked as PyTorch checks them."""
    tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    grad_tensors = (
        (grad_tensors,)
        if grad_tensors is None or isinstance(grad_tensors, Tensor)
        else tuple(grad_tensors)
    )
    gradients = []
    for x, grad in zip(tensors, grad_tensors + (None,) * (len(tensors) - len(grad_tensors))):
        if not x.requires_grad:
            raise RuntimeError(
                "element 0 of tensors does not require grad and does not have a grad_fn"
            )
        if grad is None:
            if x.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            grad = wrap(np.ones_like(x.array))
        if grad.shape != x.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {grad.shape} and output[0] has a shape of {x.shape}."
            )
        gradients.append(grad if create_graph else grad.array)
    return [x.edge() for x in tensors], gradients


def check_gradient(leaf, grad):
    """A gradient has its tensor's shape; a rule that returns another is a mistake to be told of."""
    if np.shape(grad) != leaf.array.shape:
        raise RuntimeError(
            f"a gradient of shape {list(np.shape(grad))} arrived at a tensor of shape {list(leaf.shape)}"
        )


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    allow_unused=None,
    materialize_grads=False,
):
    """The gradients of the outputs with respect to the inputs, as a tuple; no `.grad` is touched.

    Raises:
        RuntimeError: if an input does not require a gradient, or was not used and `allow_unused` is not set.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not all(x.requires_grad for x in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    roots, gradients = starting_points(outputs, grad_outputs, create_graph)
    wanted = {x.edge() for x in inputs}
    arrived = walk(
        roots,
        gradients,
        create_graph if retain_graph is None else retain_graph,
        create_graph,
        wanted,
    )
    results = []
    for x in inputs:
        result = arrived.get(x.edge())
        if result is not None and x.grad_fn is None:
            result = apply_hooks(x, result)
        if result is None and not (allow_unused or materialize_grads):
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this "
                "is the desired behavior."
            )
        if result is None and materialize_grads:
            result = np.zeros_like(x.array)
        results.append(
            result
            if result is None or isinstance(result, Tensor)
            else wrap(np.array(result, x.array.dtype))
        )
    return tuple(results)


# %% [markdown]
# ## 5. Not recording
#
# Evaluating a model, or changing weights by hand, should leave no graph behind: it costs memory, and an update that is recorded would be differentiated through. `Function.apply`
# asks `grad_mode.enabled` before it records. `no_grad` switches it off for a block and puts back *what was there before*, also when the block raises, and
# also when blocks are nested. `contextlib.contextmanager` turns a generator into a context manager, and into a decorator as well.
#
# <details><summary>Hint 1</summary>Remember the flag, clear it, <code>yield</code>, and put the remembered value back.</details>
# <details><summary>Hint 2</summary>An exception in the block is raised at the <code>yield</code>: <code>try</code> and <code>finally</code> around it.</details>
# <details><summary>Hint 3</summary>Put back what you remembered, not True: the block may stand inside another one.</details>


# %% stub="no-grad"
#| export
@contextmanager
def no_grad():
    """Record nothing for gradients inside the block, or inside a function that is decorated with `@no_grad()`.

    >>> x = ones(1, requires_grad=True)
    >>> with no_grad():
    ...     y = x + 1
    >>> y.requires_grad
    False
    """
    ### BEGIN SOLUTION
    previous, grad_mode.enabled = grad_mode.enabled, False
    try:
        yield
    finally:
        grad_mode.enabled = previous
    ### END SOLUTION


# %% test="no-grad" points=3
def recording():
    return (leaf(1.0) * 2).requires_grad


def test_nothing_is_recorded_inside_and_everything_after():
    with no_grad():
        assert not recording(), "inside the block, results do not require gradients"
    assert recording(), "after the block, recording is on again"


def test_blocks_can_be_nested():
    with no_grad():
        with no_grad():
            pass
        assert not recording(), (
            "the inner block ends, but the outer one has not: put back what was there before"
        )
    with no_grad():
        with enable_grad():
            assert recording()
        assert not recording()
    assert recording()


def test_an_exception_does_not_leave_it_switched_off():
    try:
        with no_grad():
            raise KeyError
    except KeyError:
        pass
    on = recording()
    grad_mode.enabled = True  # whatever the block did, the tests after this one go on
    assert on, "the flag must be put back when the block raises, too"


def test_functions_can_be_decorated():
    @no_grad()
    def inside():
        return recording()

    assert not inside(), "a decorated function does not record"
    assert not inside(), "however often it is called"
    assert recording()


# %% [markdown]
# ## 6. Trust, but check
#
# A rule that is wrong rarely raises. The loss still falls, only more slowly, and you look for the fault in the learning rate. So gradients are *checked*, against
# something that knows no rules at all: move one input element a little to either side, and see how every output moves.
#
# $$\frac{\partial y_j}{\partial x_i} \approx \frac{y_j(x_i + \varepsilon) - y_j(x_i - \varepsilon)}{2 \varepsilon}$$
#
# Two-sided, because its error falls with $\varepsilon^2$. In float64, because the difference of two nearly equal numbers loses digits: with $\varepsilon = 10^{-6}$ about ten of sixteen remain,
# and of float32's seven there would be none.
#
# <details><summary>Hint 1</summary>For each position of the input (<code>np.ndindex(x.shape)</code>): keep the value, put <code>value + eps</code> in its place, call the function, put <code>value - eps</code>, call again, and put the value back.</details>
# <details><summary>Hint 2</summary>Call the function under <code>no_grad()</code>, and copy its result before you move the input again: it may share the input's memory.</details>
# <details><summary>Hint 3</summary>Each position gives a row, <code>(above - below).ravel() / (2 * eps)</code>; stack them. An input without elements gives no rows: an array of shape (0, number of outputs).</details>


# %% stub="numerical-jacobian"
#| export
def numerical_jacobian(function, inputs, which, eps=1e-6):
    """Measure how each output element moves with each element of one input, by central differences.

    Args:
        function: takes the inputs, returns one Tensor.
        inputs: float64 Tensors. The array of `inputs[which]` is changed in place while this runs, and put back.
        which: the number of the input that is moved.
        eps: how far it is moved, to either side.

    Returns:
        A float64 array of shape (elements of the input, elements of the output).

    >>> numerical_jacobian(lambda x: x * x, [tensor([1.0, 3.0], dtype=float64)], 0).round(6)
    array([[2., 0.],
           [0., 6.]])
    """
    ### BEGIN SOLUTION
    x, rows = inputs[which].array, []
    for position in np.ndindex(x.shape):
        value, sides = x[position], []
        for moved in (value + eps, value - eps):
            x[position] = moved
            with no_grad():
                sides.append(np.array(function(*inputs).array, np.float64).ravel())
        x[position] = value
        rows.append((sides[0] - sides[1]) / (2 * eps))
    return np.stack(rows) if rows else np.zeros((0, function(*inputs).numel()))
    ### END SOLUTION


# %% test="numerical-jacobian" points=5
def test_the_jacobian_of_a_linear_map_is_its_matrix():
    W = np.random.default_rng(0).standard_normal((3, 4))
    found = numerical_jacobian(lambda x: x @ tensor(W), [tensor(np.ones(3))], 0)
    np.testing.assert_allclose(
        found, W, rtol=1e-8, err_msg="rows are input elements, columns output elements"
    )


def test_the_input_asked_for_is_moved_and_put_back():
    x, y = tensor(np.array([1.0, 2.0])), tensor(np.array([5.0, 7.0]))
    found = numerical_jacobian(lambda x, y: x * y * y, [x, y], 1)
    np.testing.assert_allclose(found, np.diag([2 * 5, 2 * 2 * 7]), rtol=1e-8)
    np.testing.assert_array_equal(
        y.array, [5, 7], err_msg="the input must have its values back, to the last bit"
    )


def test_the_differences_are_central():
    found = numerical_jacobian(lambda x: x * x * x, [tensor(np.array([2.0]))], 0, eps=1e-3)
    np.testing.assert_allclose(
        found,
        12 + 1e-6,
        atol=1e-9,
        err_msg="a one-sided difference of a cube is 6 eps off, a central one eps squared",
    )


def test_a_result_that_shares_the_inputs_memory_is_followed():
    found = numerical_jacobian(lambda x: x.reshape(2), [tensor(np.array([[1.0, 2.0]]))], 0)
    np.testing.assert_allclose(
        found, np.eye(2), rtol=1e-8, err_msg="copy the result before the input is moved again"
    )


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


# %% [markdown]
# `gradcheck`, given below, compares this with the same matrix from the rules: one backward pass for each output element, with a gradient that is one there and zero elsewhere. It looks
# at every element. A check of a sum with gradient one would pass rules that forget the gradient that arrives.


# %%
#| export
class GradcheckError(RuntimeError):
    """A gradient that differs from the one by differences."""


def analytical_jacobian(output, x):
    """The same matrix from the rules: one backward pass for each output element."""
    jacobian = np.zeros((x.numel(), output.numel()))
    for column in range(output.numel()):
        cotangent = np.zeros(output.numel(), output.array.dtype)
        cotangent[column] = 1
        (g,) = grad(
            output,
            x,
            wrap(cotangent.reshape(output.shape)),
            retain_graph=True,
            allow_unused=True,
        )
        jacobian[:, column] = 0 if g is None else g.detach().array.ravel()
    return jacobian


def gradcheck(
    func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0
):
    """Compare the gradients of `func` with central differences, every element of every input that requires one.

    Args:
        func: takes the inputs, returns a Tensor or a tuple of Tensors.
        inputs: a Tensor or a tuple; those that require a gradient should be float64, or differences drown in rounding.

    Raises:
        GradcheckError: where they differ, unless `raise_exception` is off: then False is returned.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
        )
    outputs = func(*inputs)
    for number, output in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
        if not output.requires_grad:
            continue

        def one(*args, number=number):
            result = func(*args)
            return result[number] if isinstance(result, tuple) else result

        for i in checked:
            numerical, analytical = (
                numerical_jacobian(one, inputs, i, eps),
                analytical_jacobian(output, inputs[i]),
            )
            if not np.allclose(analytical, numerical, rtol, atol, equal_nan=True):
                if not raise_exception:
                    return False
                raise GradcheckError(
                    f"Jacobian mismatch for output {number} with respect to input {i},\n"
                    f"numerical:{numerical}\nanalytical:{analytical}\n"
                )
    return True


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
):
    """Check second derivatives: `gradcheck` of the function that computes the first, cotangents included."""
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = func(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        grad_outputs = [wrap(rng.standard_normal(x.shape)).requires_grad_() for x in outputs]
    grad_outputs = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)

    def first_derivatives(*args):
        args, cotangents = args[: len(inputs)], args[len(inputs) :]
        results = func(*args)
        wanted = [x for x in args if isinstance(x, Tensor) and x.requires_grad]
        results = results if isinstance(results, tuple) else (results,)
        with enable_grad():
            return grad(results, wanted, cotangents, create_graph=True, materialize_grads=True)

    return gradcheck(
        lambda *args: enable_grad()(first_derivatives)(*args),
        inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
    )  # fmt: skip


# %% [markdown]
# ## 7. The rules of all the others
#
# Given, and best read with the operation beside it. They say the same few things in many ways: a slope times the gradient; a stretch for a reduction; for a copy of some elements, the way back.


# %%
#| export
@gradient(operations.Add)
def add_backward(ctx, grad):
    return tuple(
        [
            unbroadcast(grad, shape) if n else None
            for n, shape in zip(ctx.needs_input_grad, ctx.shapes)
        ]
    )


@gradient(operations.Sub)
def sub_backward(ctx, grad):
    need_x, need_y = ctx.needs_input_grad
    shape_x, shape_y = ctx.shapes
    return unbroadcast(grad, shape_x) if need_x else None, unbroadcast(
        -grad, shape_y
    ) if need_y else None


@gradient(operations.Neg)
def neg_backward(ctx, grad):
    return -grad


@gradient(operations.Div)
def div_backward(ctx, grad):
    x, y = ctx.saved_tensors
    need_x, need_y = ctx.needs_input_grad
    return (
        unbroadcast(grad / y, np.shape(x)) if need_x else None,
        unbroadcast(-grad * (x / y / y), np.shape(y)) if need_y else None,
    )


@gradient(operations.Pow)
def pow_backward(ctx, grad):
    x, y, output = ctx.saved_tensors
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        slope = y * call(
            operations.Pow, x, y - 1
        )  # 0 where y is 0, though 0 ** -1 is infinite
        grad_x = unbroadcast(
            grad * call(operations.Where, values(y) == 0, 0.0, slope), np.shape(x)
        )
    if ctx.needs_input_grad[1]:
        slope = output * np.log(x)
        grad_y = unbroadcast(
            grad * call(operations.Where, (values(x) == 0) & (values(y) >= 0), 0.0, slope),
            np.shape(y),
        )
    return grad_x, grad_y


def values(x):
    """The array in a Tensor, or the array itself: for conditions, through which no gradient flows."""
    return x.array if isinstance(x, Tensor) else x


@gradient(operations.Exp)
def exp_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * output


@gradient(operations.Expm1)
def expm1_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (output + 1)


@gradient(operations.Log)
def log_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / x


@gradient(operations.Log1p)
def log1p_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad / (x + 1)


@gradient(operations.Sqrt)
def sqrt_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad / (2 * output)


@gradient(operations.Abs)
def abs_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * call(operations.Sign, values(x))


@gradient(operations.Sin)
def sin_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * np.cos(x)


@gradient(operations.Cos)
def cos_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return -grad * np.sin(x)


@gradient(operations.Clamp)
def clamp_backward(ctx, grad):
    x, low, high = (None if bound is None else values(bound) for bound in ctx.saved_tensors)
    low_shape, high_shape = np.shape(low), np.shape(high)
    low, high = -np.inf if low is None else low, np.inf if high is None else high
    chosen = (x >= low) & (x <= high), (x < low) & (low < high), (x > high) | (low > high)
    shapes = x.shape, low_shape, high_shape
    wanted = zip(ctx.needs_input_grad, chosen, shapes)
    return tuple(
        [unbroadcast(grad * taken, shape) if need else None for need, taken, shape in wanted]
    )


def share_between(ctx, grad, loses):
    """Give the gradient to the operand that was taken, half to each where both were equal."""
    x, y = map(values, ctx.saved_tensors)
    half = (x == y) * np.asarray(0.5, getattr(grad, "array", grad).dtype)
    grad_x, grad_y = grad * (~loses(x, y) - half), grad * (~loses(y, x) - half)
    return unbroadcast(grad_x, np.shape(x)), unbroadcast(grad_y, np.shape(y))


@gradient(operations.Maximum)
def maximum_backward(ctx, grad):
    return share_between(ctx, grad, np.less)


@gradient(operations.Minimum)
def minimum_backward(ctx, grad):
    return share_between(ctx, grad, np.greater)


@gradient(operations.Remainder)
def remainder_backward(ctx, grad):
    x, y = ctx.saved_tensors
    return unbroadcast(grad, np.shape(x)), unbroadcast(
        -grad * np.floor(values(x) / values(y)), np.shape(y)
    )


def flat(ctx, grad):
    """The gradient of a step function: zero wherever it is defined."""
    return np.zeros(grad.shape, getattr(grad, "array", grad).dtype)


for step in (
    operations.Floor,
    operations.Ceil,
    operations.Round,
    operations.Trunc,
    operations.Sign,
):
    gradient(step)(flat)


@gradient(operations.FloorDivide)
@gradient(operations.TruncDivide)
def rounded_divide_backward(ctx, grad):
    return tuple([np.zeros(shape, getattr(grad, "array", grad).dtype) for shape in ctx.shapes])


@gradient(operations.Copy)
def copy_backward(ctx, grad):
    unchanged = np.zeros(grad.shape, getattr(grad, "array", grad).dtype)
    return unchanged, call(operations.Cast, unbroadcast(grad, ctx.shape), dtype=ctx.dtype)


@gradient(operations.Cast)
def cast_backward(ctx, grad):
    return call(operations.Cast, grad, dtype=ctx.dtype)


@gradient(operations.Clone)
def clone_backward(ctx, grad):
    return grad


# %%
#| export
@gradient(operations.Mean)
def mean_backward(ctx, grad):
    return call(operations.Expand, restored(ctx, grad / ctx.count, ctx.shape), shape=ctx.shape)


@gradient(operations.Var)
def var_backward(ctx, grad):
    return deviations(ctx, ctx.saved_tensors[0], grad * 2)


@gradient(operations.Std)
def std_backward(ctx, grad):
    x, output = ctx.saved_tensors
    return deviations(ctx, x, call(operations.Where, values(output) == 0, 0.0, grad / output))


def deviations(ctx, x, scale):
    """How the elements that were reduced differ from their mean, times `scale` over the divisor."""
    scale = restored(ctx, scale, x.shape) * (1 / ctx.divisor if ctx.divisor else np.inf)
    return (x - x.mean(axis=ctx.axis, keepdims=True)) * scale


@gradient(operations.Prod)
def prod_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    grad = restored(ctx, grad, x.shape)
    if isinstance(x, Tensor) or (x != 0).all():
        if (values(x) == 0).any():
            raise RuntimeError(
                "the second derivative of prod is not implemented where a factor is zero"
            )
        return grad * call(operations.Prod, x, dim=ctx.axis, keepdim=True) / x
    axes = tuple(range(x.ndim)) if ctx.axis is None else ctx.axis
    x_last = np.moveaxis(x, axes, range(-len(axes), 0) if isinstance(axes, tuple) else -1)
    rows = x_last.reshape(
        *x_last.shape[: x.ndim - (len(axes) if isinstance(axes, tuple) else 1)], -1
    )
    ones = np.ones_like(rows[..., :1])
    before = np.concatenate([ones, rows[..., :-1]], -1).cumprod(
        -1
    )  # the product of all others, without a division
    after = np.concatenate([ones, rows[..., :0:-1]], -1).cumprod(-1)[..., ::-1]
    others = (before * after).reshape(x_last.shape)
    return grad * np.moveaxis(
        others, range(-len(axes), 0) if isinstance(axes, tuple) else -1, axes
    )


def extreme_backward(ctx, grad):
    """All elements equal to the extreme share its gradient."""
    x = values(ctx.saved_tensors[0])
    extreme = (x.max if ctx.function is operations.Amax else x.min)(
        axis=ctx.axis, keepdims=True
    )
    chosen = (x == extreme).astype(x.dtype)
    count = chosen.sum(axis=ctx.axis, keepdims=True)
    return restored(ctx, grad, x.shape) * (
        chosen / np.maximum(count, 1)
    )  # a NaN equals nothing


for extreme in (operations.Amax, operations.Amin):
    gradient(extreme)(extreme_backward)


def picked_backward(ctx, grad, _):
    """The gradient goes to the elements that were picked along `ctx.axis`."""
    (indices,) = ctx.saved_tensors
    zeros = np.zeros(ctx.shape, getattr(grad, "array", grad).dtype)
    if not ctx.shape:
        return grad
    if len(np.shape(indices)) < len(ctx.shape):
        indices, grad = np.expand_dims(indices, ctx.axis), restored(ctx, grad, ctx.shape)
    return call(operations.Scatter, zeros, indices, grad, dim=ctx.axis)


for pick in (operations.Max, operations.Min, operations.Sort, operations.TopK):
    gradient(pick)(picked_backward)


@gradient(operations.CumSum)
def cumsum_backward(ctx, grad):
    if grad.ndim == 0:
        return grad
    summed = call(operations.CumSum, call(operations.Flip, grad, dims=ctx.axis), dim=ctx.axis)
    return call(operations.Flip, summed, dims=ctx.axis)


# %%
#| export
@gradient(operations.Reshape)
def reshape_backward(ctx, grad):
    return grad.reshape(ctx.shape)


@gradient(operations.Permute)
def permute_backward(ctx, grad):
    return call(operations.Permute, grad, dims=np.argsort(ctx.dims).tolist())


@gradient(operations.Expand)
def expand_backward(ctx, grad):
    return unbroadcast(grad, ctx.shape)


@gradient(operations.Diagonal)
def diagonal_backward(ctx, grad):
    positions = np.arange(Size(ctx.shape).numel()).reshape(ctx.shape).diagonal(*ctx.options)
    zeros = np.zeros(Size(ctx.shape).numel(), getattr(grad, "array", grad).dtype)
    return call(operations.IndexPut, zeros, grad, index=positions).reshape(ctx.shape)


@gradient(operations.Flip)
def flip_backward(ctx, grad):
    return call(operations.Flip, grad, dims=ctx.dims)


@gradient(operations.Roll)
def roll_backward(ctx, grad):
    back = (
        tuple(-s for s in ctx.shifts) if isinstance(ctx.shifts, (tuple, list)) else -ctx.shifts
    )
    return call(operations.Roll, grad, shifts=back, dims=ctx.dims)


@gradient(operations.Tril)
def tril_backward(ctx, grad):
    return call(operations.Tril, grad, diagonal=ctx.diagonal)


@gradient(operations.Triu)
def triu_backward(ctx, grad):
    return call(operations.Triu, grad, diagonal=ctx.diagonal)


# %%
#| export
class IndexAdd(operations.Function):
    """Zeros of a shape, with values added at an index: the gradient of indexing."""

    @staticmethod
    def forward(ctx, grad, index, shape):
        ctx.index = index
        output = np.zeros(shape, grad.dtype)
        parts = index if isinstance(index, tuple) else (index,)
        integers = [i for i in parts if isinstance(i, np.ndarray) and i.dtype != bool]
        if not integers:  # slices, numbers and masks name every element once
            output[index] = grad
        elif len(parts) == 1:
            output = add_rows(grad.reshape(-1, *shape[1:]), integers[0].ravel(), shape)
        else:
            np.add.at(output, index, grad)
        return output

    @staticmethod
    def backward(ctx, grad):
        return grad[ctx.index]


@gradient(operations.Index)
def index_backward(ctx, grad):
    return call(IndexAdd, grad, index=ctx.index, shape=ctx.shape)


@gradient(operations.IndexPut)
def index_put_backward(ctx, grad):
    zero = np.zeros((), getattr(grad, "array", grad).dtype)
    part = grad[ctx.index]
    shape = ctx.shape[
        max(len(ctx.shape) - part.ndim, 0) :
    ]  # leading ones, which broadcasting does not need
    return call(operations.IndexPut, grad, zero, index=ctx.index), unbroadcast(
        part, shape
    ).reshape(ctx.shape)


@gradient(operations.Gather)
def gather_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    zeros = np.zeros(ctx.shape, getattr(grad, "array", grad).dtype)
    return call(operations.ScatterAdd, zeros, index, grad, dim=ctx.dim), None


def source_backward(ctx, grad, index):
    """The gradient of what was scattered: gathered, and zero for what lay beyond the index."""
    gathered = call(operations.Gather, grad, index, dim=ctx.dim)
    if ctx.src_shape == ():
        return gathered.sum()
    if ctx.src_shape == index.shape:
        return gathered
    zeros = np.zeros(ctx.src_shape, getattr(grad, "array", grad).dtype)
    return call(operations.IndexPut, zeros, gathered, index=tuple(map(slice, index.shape)))


@gradient(operations.Scatter)
def scatter_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    return (
        call(operations.Scatter, grad, index, 0.0, dim=ctx.dim),
        None,
        source_backward(ctx, grad, index),
    )


@gradient(operations.ScatterAdd)
def scatter_add_backward(ctx, grad):
    (index,) = ctx.saved_tensors
    return grad, None, source_backward(ctx, grad, index)


@gradient(operations.MaskedFill)
def masked_fill_backward(ctx, grad):
    (mask,) = ctx.saved_tensors
    filled = (
        unbroadcast((grad * mask).sum(), ctx.shapes[1]) if ctx.needs_input_grad[2] else None
    )
    return (
        unbroadcast(call(operations.MaskedFill, grad, mask, 0.0), ctx.shapes[0]),
        None,
        filled,
    )


@gradient(operations.Where)
def where_backward(ctx, grad):
    (condition,) = ctx.saved_tensors
    shape_x, shape_y = ctx.shapes
    chosen, rejected = (
        call(operations.Where, condition, grad, 0.0),
        call(operations.Where, condition, 0.0, grad),
    )
    return None, unbroadcast(chosen, shape_x), unbroadcast(rejected, shape_y)


@gradient(operations.Cat)
def cat_backward(ctx, grad):
    ends = itertools.accumulate(ctx.sizes)
    return tuple(
        [
            grad[(slice(None),) * ctx.dim + (slice(end - n, end),)]
            for n, end in zip(ctx.sizes, ends)
        ]
    )


@gradient(operations.Stack)
def stack_backward(ctx, grad):
    return tuple([grad[(slice(None),) * ctx.dim + (number,)] for number in range(ctx.count)])


@gradient(operations.Einsum)
def einsum_backward(ctx, grad):
    """Each operand's gradient is an einsum too: of the result's gradient and the other operands."""
    arrays = ctx.saved_tensors
    inputs, output = ctx.equation.split("->")
    inputs = inputs.split(",")
    if "..." in ctx.equation or any(len(set(term)) < len(term) for term in inputs):
        inputs, output = spelled_out(inputs, output, arrays)
    sizes = {c: n for term, a in zip(inputs, arrays) for c, n in zip(term, a.shape) if n != 1}
    grads = []
    for number, (term, array) in enumerate(zip(inputs, arrays)):
        if not ctx.needs_input_grad[number]:
            grads.append(None)
            continue
        others = [t for i, t in enumerate(inputs) if i != number] + [output]
        alone = [
            c for c in dict.fromkeys(term) if not any(c in t for t in others)
        ]  # summed over in this operand only
        kept = "".join(c for c in dict.fromkeys(term) if c not in alone)
        g = call(
            operations.Einsum,
            *[a for i, a in enumerate(arrays) if i != number],
            grad,
            equation=f"{','.join(others)}->{kept}",
        )
        full = [sizes.get(c, 1) for c in dict.fromkeys(term)]
        g = g.reshape([1 if c in alone else n for c, n in zip(dict.fromkeys(term), full)])
        g = call(operations.Expand, g, shape=full)
        if len(set(term)) < len(term):
            g = on_diagonal(g, term, array.shape)
        grads.append(unbroadcast(g, array.shape))
    return tuple(grads)


def spelled_out(inputs, output, arrays):
    """The terms of an einsum with a letter for every dimension that `...` stands for."""
    letters = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in "".join(inputs)]
    widths = [
        np.ndim(a) - len(t.replace("...", "")) if "..." in t else 0
        for t, a in zip(inputs, arrays)
    ]
    dots = letters[: max(widths)]
    terms = [t.replace("...", "".join(dots[len(dots) - n :])) for t, n in zip(inputs, widths)]
    return terms, output.replace("...", "".join(dots))


def on_diagonal(g, term, shape):
    """Put a gradient where the repeated letters of a term agree, zero elsewhere."""
    letters = list(dict.fromkeys(term))
    grid = np.ogrid[tuple(map(slice, g.shape))]
    zeros = np.zeros(shape, getattr(g, "array", g).dtype)
    return call(
        operations.IndexPut, zeros, g, index=tuple(grid[letters.index(c)] for c in term)
    )


# %%
#| export
@gradient(activations.Relu)
def relu_backward(ctx, grad):
    output = values(ctx.saved_tensors[0])
    return grad * ~(output <= 0)  # so that a NaN stays one


@gradient(activations.LeakyRelu)
def leaky_relu_backward(ctx, grad):
    positive = values(ctx.saved_tensors[0]) > 0
    return grad * positive + (ctx.negative_slope * grad) * ~positive


@gradient(activations.Sigmoid)
def sigmoid_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (output * (1 - output))


@gradient(activations.Tanh)
def tanh_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad * (1 - output * output)


@gradient(activations.Erf)
def erf_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * (2 / math.sqrt(math.pi) * np.exp(-(x * x)))


def by_blocks(formula, *arrays):
    """Apply an elementwise formula to 2^15 numbers at a time: what it makes in between stays in the cache."""
    if not all(isinstance(a, np.ndarray) for a in arrays) or arrays[0].size <= 2**15:
        return formula(*arrays)
    flat, output = [a.reshape(-1) for a in arrays], np.empty(arrays[0].size, arrays[0].dtype)
    for start in range(0, output.size, 2**15):
        block = slice(start, start + 2**15)
        output[block] = formula(*[a[block] for a in flat])
    return output.reshape(arrays[0].shape)


def gelu_formula(grad, x):
    below = 0.5 + 0.5 * call(
        activations.Erf, math.sqrt(0.5) * x
    )  # the chance of a normal number below x
    return grad * (below + x * (np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)))


def gelu_tanh_formula(grad, x):
    c, square = math.sqrt(2 / math.pi), x * x
    t = np.tanh((c + 0.044715 * c * square) * x)
    return 0.5 * grad * (1 + t) * (1 + (1 - t) * ((c + 3 * 0.044715 * c * square) * x))


@gradient(activations.Gelu)
def gelu_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return by_blocks(gelu_tanh_formula if ctx.approximate == "tanh" else gelu_formula, grad, x)


def silu_formula(grad, x):
    s = call(activations.Sigmoid, x)
    return grad * (s * (1 + x * (1 - s)))


@gradient(activations.Silu)
def silu_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return by_blocks(silu_formula, grad, x)


@gradient(activations.Softplus)
def softplus_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    scaled = ctx.beta * x
    slope = by_blocks(
        lambda grad, scaled: grad * call(activations.Sigmoid, scaled), grad, scaled
    )
    return call(operations.Where, values(scaled) > ctx.threshold, grad, slope)


@gradient(activations.LogSoftmax)
def log_softmax_backward(ctx, grad):
    (output,) = ctx.saved_tensors
    return grad - np.exp(output) * grad.sum(axis=ctx.axis, keepdims=True)


@gradient(activations.LogSumExp)
def logsumexp_backward(ctx, grad):
    output, x = ctx.saved_tensors
    return restored(ctx, grad, x.shape) * np.exp(x - restored(ctx, output, x.shape))


@gradient(losses.CrossEntropy)
def cross_entropy_backward(ctx, grad):
    """Softmax less the target, written block by block into the one array that is handed back."""
    (x,) = ctx.saved_tensors
    grad = call(operations.Where, ctx.kept, grad[:, None], 0.0)  # (N, 1, ...)
    every = np.expand_dims(ctx.everywhere, tuple(range(1, x.ndim - 1)))  # (C, 1...)
    share = (
        ctx.at_class + ctx.everywhere.sum()
    )  # of each position's target, all classes together
    if isinstance(grad, Tensor):
        wanted = np.zeros(x.shape, ctx.at_class.dtype) + every
        np.put_along_axis(
            wanted, ctx.classes, np.take_along_axis(wanted, ctx.classes, 1) + ctx.at_class, 1
        )
        return grad * (share * call(activations.Softmax, x, dim=1) - wanted), None, None
    output, scale, at_class = (
        np.empty_like(x, order="C"),
        grad * share / ctx.sums,
        grad * ctx.at_class,
    )
    for rows in losses.blocks(x):
        block, classes = output[rows], ctx.classes[rows]
        np.exp(np.subtract(x[rows], ctx.largest[rows], out=block), out=block)
        block *= scale[rows]
        np.put_along_axis(
            block, classes, np.take_along_axis(block, classes, 1) - at_class[rows], 1
        )
        if ctx.everywhere.any():
            block -= grad[rows] * every
    return output, None, None


@gradient(losses.BinaryCrossEntropy)
def binary_cross_entropy_backward(ctx, grad):
    x, target = ctx.saved_tensors
    grad_target = None
    if ctx.needs_input_grad[1]:
        grad_target = grad * (np.log1p(-x) - np.log(x))
    return grad * (x - target) / np.maximum(x * (1 - x), 1e-12), grad_target


# %%
#| export
@gradient(layers.Affine)
def affine_backward(ctx, grad):
    """y = x Wᵀ + b: grad_x = g W, grad_W = gᵀ x, grad_b = the sum of g over the rows; each one product or sum."""
    x, weight = ctx.saved_tensors
    need_x, need_weight, need_bias = ctx.needs_input_grad
    rows, columns = math.prod(x.shape[:-1]), math.prod(weight.shape[:-1])
    grad = grad.reshape(rows, columns)  # (N, out)
    grad_x = grad_weight = grad_bias = None
    if need_x:
        grad_x = (grad @ weight.reshape(columns, x.shape[-1])).reshape(x.shape)
    if need_weight:
        grad_weight = (grad.T @ x.reshape(rows, x.shape[-1])).reshape(weight.shape)
    if need_bias:
        grad_bias = unbroadcast(grad, weight.shape[:-1])
    return grad_x, grad_weight, grad_bias


# %%
x = tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
y = (x @ x).relu().sum() / 2
y.backward()
x.grad


# %%
inputs = [
    tensor(np.random.default_rng(0).standard_normal(shape), requires_grad=True)
    for shape in [(4, 3), (3, 5), (5,)]
]
gradcheck(lambda x, W, b: ((x @ W + b).tanh() * 2).softmax(1).log().mean(0), inputs)


# %% [markdown]
# The first cell is your own `backward`, through a graph of four operations; the second compares seven of them with differences and says True. From here on every gradient of
# this course can be checked so.
#
# ### A picture
#
# `draw_graph` (given, in the last part) draws what `backward` will walk. Boxes are nodes, rounded ones leaves; arrows go where gradients go.


# %%
W1, W2 = randn(3, 4, requires_grad=True), randn(4, 2, requires_grad=True)
hidden = (ones(5, 3) @ W1).relu()
loss = ((hidden @ W2 - hidden.sum()) ** 2).mean()


# %%
#| export
def draw_graph(output, names=None):
    """Draw the graph that backward will walk from `output`: a box for each operation, an ellipse for each leaf.

    Args:
        output: a Tensor that requires a gradient.
        names: a dict from name to leaf Tensor, such as `dict(model.named_parameters())`; other leaves show their shape.

    Returns:
        A matplotlib Figure, inputs at the top, the output at the bottom.
    """
    import matplotlib.pyplot as plt

    if not output.requires_grad:
        raise RuntimeError("the tensor does not require grad, so there is no graph to draw")
    labels = {id(x): name for name, x in (names or {}).items()}
    nodes, depth = [output.edge()[0]], {}
    for node in nodes:  # grows while it is walked
        children = [edge[0] for edge in getattr(node, "edges", ()) if edge is not None]
        nodes.extend(child for child in children if all(child is not n for n in nodes))
    for node in sorted(nodes, key=lambda n: getattr(n, "number", -1)):
        above = [depth[id(edge[0])] for edge in getattr(node, "edges", ()) if edge is not None]
        depth[id(node)] = max(above, default=-1) + 1
    levels = {}
    for node in nodes:
        levels.setdefault(depth[id(node)], []).append(node)
    place = {
        id(node): (2.2 * (i - (len(level) - 1) / 2), -row)
        for row, level in levels.items()
        for i, node in enumerate(level)
    }
    width, height = 2.2 * max(map(len, levels.values())), len(levels)
    figure, axes = plt.subplots(figsize=(max(width, 3), 0.75 * height), layout="constrained")
    plt.close(figure)  # shown by whoever gets it, once
    for node in nodes:
        leaf = isinstance(node, Tensor)
        text = labels.get(id(node), f"leaf {tuple(node.shape)}") if leaf else node.name()
        axes.text(
            *place[id(node)], text, ha="center", va="center", size=9,
            bbox={"boxstyle": "round" if leaf else "square", "fc": "#d9ead3" if leaf else "#eeeeee", "ec": "0.4"},
        )  # fmt: skip
        for edge in getattr(node, "edges", ()):
            if edge is not None:
                axes.annotate(
                    "", place[id(edge[0])], place[id(node)],
                    arrowprops={"arrowstyle": "->", "color": "0.5", "shrinkA": 12, "shrinkB": 12},
                )  # fmt: skip
    axes.set(xlim=(-width / 2 - 0.3, width / 2 + 0.3), ylim=(-height + 0.4, 0.6))
    axes.axis("off")
    return figure


# %%
draw_graph(loss, {"W1": W1, "W2": W2})


# %% [markdown]
# The hidden activations are used twice, by the product and by the sum, so `ReluBackward0` has two arrows coming in: it waits for both.
#
# ## 8. Gradients of gradients
#
# With `create_graph=True` the walk runs the same rules on Tensors in place of arrays: `grad * y` is then an operation like any other, and leaves a node. What the forward saved as an
# array comes back as the Tensor that it was, with its own place in the graph. This is why a rule must use only what arrays and Tensors both have, and why a forward should save inputs and outputs: a
# half-finished result that was saved has no place in the graph, and its share of the second derivative would be lost in silence. A Function that does save one says
# `once_differentiable = True`, and asking for more is an error.


# %%
x = tensor([1.0, 2.0, 3.0], requires_grad=True)
(slope,) = grad((x**4).sum(), x, create_graph=True)  # 4 x^3
(curvature,) = grad(slope.sum(), x)  # 12 x^2
print(slope, curvature, sep="\n")


# %% [markdown]
# ### Anomalies
#
# One more tool, given: inside `detect_anomaly`, each node remembers where it was called, and each gradient is looked at as it is made.


# %%
#| export
class detect_anomaly(ContextDecorator):
    """Inside the block, name the operation whose gradient is the first NaN, and where it was called."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan

    def __enter__(self):
        self.previous, grad_mode.anomaly = grad_mode.anomaly, self.check_nan

    def __exit__(self, *error):
        grad_mode.anomaly = self.previous


# %% [markdown]
# ## Systems: what backward keeps alive
#
# Between forward and backward, everything that was saved stays in memory. For a deep network that is far more than its parameters, and it is what makes a batch too large. Measure it: a network of 512 wide
# layers, a batch of 1,024, the bytes that Python and NumPy have allocated before, between and after.


# %%
import time
import tracemalloc

weights = [randn(512, 512) * 0.06 for _ in range(8)]
for W in weights:
    W.requires_grad_()
x = randn(1024, 512)


def loss_of(x):
    for W in weights:
        x = (x @ W).tanh()
    return (x * x).mean()


loss_of(x).backward()  # now every weight has its .grad
tracemalloc.start()
loss = loss_of(x)
after_forward = tracemalloc.get_traced_memory()[0]
loss.backward()
del loss
after_backward = tracemalloc.get_traced_memory()[0]
with no_grad():
    tracemalloc.reset_peak()
    loss_of(x)
    peak_without = tracemalloc.get_traced_memory()[1] - after_backward
tracemalloc.stop()
print(f"parameters                  {sum(W.nbytes for W in weights) / 1e6:6.1f} MB")
print(
    f"alive after forward         {after_forward / 1e6:6.1f} MB, of which one activation is {1024 * 512 * 4 / 1e6:.1f} MB"
)
print(f"alive after backward        {after_backward / 1e6:6.1f} MB")
print(f"peak of a forward, no_grad  {peak_without / 1e6:6.1f} MB")


# %% [markdown]
# Eight layers keep eight activations and little else: `matmul` saved its input, which is the `tanh` output of the layer before, and `tanh` saved that same output. One array, two nodes. Without a graph only the
# activations of the moment exist. After backward memory is back where it was, because each node let go of what it had saved as soon as it had run.
#
# ### Time, forward and backward
#
# A matrix product forward needs two in backward, one for each operand. So backward should take about twice as long, wherever products dominate. Does it? And where nothing dominates, on tensors of eight numbers,
# what does the bookkeeping cost?


# %%
def milliseconds(forward, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        output = forward()
        middle = time.perf_counter()
        output.backward()
        times.append((middle - start, time.perf_counter() - middle))
    return [sorted(column)[repeats // 2] * 1e3 for column in zip(*times)]


def chain():
    y = tiny
    for _ in range(1000):
        y = y * 1.0001
    return y.sum()


tiny = ones(8, requires_grad=True)
for name, run, repeats in [
    ("eight layers, batch 1,024", lambda: loss_of(x), 5),
    ("1,000 products of 8 numbers", chain, 15),
]:
    forward, backward_ = milliseconds(run, repeats)
    print(
        f"{name:28} forward {forward:7.2f} ms   backward {backward_:7.2f} ms   ratio {backward_ / forward:.1f}"
    )


# %% [markdown]
# In the second line, divide by a thousand: a few microseconds for an operation, most of it spent in Python around a product of eight numbers that takes half of one. This is the cost of deciding everything at run time. It
# does not matter when each operation moves a megabyte, and it is everything when models are tiny.
#
# ## Break it
#
# **Changed in place.** `x * y` saved `y`. Change `y` before backward and the gradient of `x` would be the new `y`, wrong without a trace. Every in-place change is noted with the time at which it happened, and a node
# whose saved arrays were changed later than it was made refuses.


# %%
x, y = ones(3, requires_grad=True), rand(3)
z = (x * y).sum()
y.add_(1)
try:
    z.backward()
except RuntimeError as error:
    print(error)


# %% [markdown]
# **Backward twice.** The first pass freed the graph.


# %%
z = (x * x).sum()
z.backward()
try:
    z.backward()
except RuntimeError as error:
    print(str(error)[:96], "...")


# %% [markdown]
# **NaN from nothing.** The square root has an infinite slope at zero, and zero times infinity is not a number. The forward is clean; the gradient is not. `detect_anomaly` names the operation and the line that called it.


# %%
x = tensor([0.0, 4.0], requires_grad=True)
norm = (x * 0).sqrt().sum()
norm.backward()
print("gradient", x.grad)
try:
    with detect_anomaly():
        (x * 0).sqrt().sum().backward()
except RuntimeError as error:
    print(*str(error).splitlines()[:1], *str(error).splitlines()[-2:], sep="\n")


# %% [markdown]
# Add a small number under the root, or take the gradient of the square instead.
#
# **Forgotten zeros.** Leave out `zero_grad` and each step trains on the sum of all gradients so far: the loss falls, then swings, then grows. No error will tell you.
#
# ## In PyTorch
#
# ```python
# x = torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
# y = (x @ x).relu().sum() / 2
# y.backward()                                 # the walk: a C++ engine, one thread for each device
# x.grad
#
# torch.autograd.gradcheck(lambda x: x.tanh(), x.double())
# with torch.autograd.detect_anomaly():
#     ...
# y.grad_fn.next_functions                     # the edges
# ```
#
# PyTorch's engine takes ready nodes by falling sequence number too. Its rules stand in `derivatives.yaml`, one line for each operation, from which C++ is generated; `saved_tensors` check a version counter
# where ours compare times.
#
# ## Questions to think about
#
# 1. `add` saves nothing, `mul` both inputs, `exp` its output. For which operations could you choose between saving the input and saving the output, and which choice keeps less alive in `relu(x @ W)`?
# 2. The walk keeps every gradient until its node runs. In a chain that is one array at a time. Which graph would make it hold many?
# 3. Checkpointing throws activations away and computes them again in backward. For a chain of n equal layers, where would you put the checkpoints so that both memory and extra time are small?
# 4. Forward-mode differentiation sends slopes along with values, from inputs to outputs. When is it cheaper than what you built?
# 5. Why does `gradcheck` need float64, while training is content with float32?
#
# ## What comes next
#
# You have the gradient of a loss with respect to every parameter. What to do with it, beyond a small step downhill, is module 07.
#
# ## The rest of the family
#
# Given: switches, hooks, and operations written by users.


# %%
#| export
inference_mode = no_grad


class set_grad_enabled(ContextDecorator):
    """Switch recording on or off, at once; as a context, until its end."""

    def __init__(self, mode):
        self.previous, grad_mode.enabled = grad_mode.enabled, mode

    def __enter__(self):
        return self

    def __exit__(self, *error):
        grad_mode.enabled = self.previous


def is_grad_enabled():
    """Whether operations record for gradients now."""
    return grad_mode.enabled


# %%
#| export
KEEP = "keep"  # the key of the hook that `retain_grad` adds


def hooks_of(tensor):
    """The hooks on a tensor's gradient: on the leaf itself, or at the output of its node."""
    if tensor.grad_fn is None:
        tensor.__dict__.setdefault("_hooks", {})
        return tensor._hooks
    if tensor.grad_fn.hooks is None:
        tensor.grad_fn.hooks = {}
    return tensor.grad_fn.hooks.setdefault(tensor.output_nr, {})


def register_hook(tensor, hook):
    """Call `hook(grad)` whenever the tensor's gradient is known; what it returns, if not None, takes its place."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    handle = RemovableHandle(hooks_of(tensor))
    keeping = handle.hooks.pop(KEEP, None)
    handle.hooks[handle.key] = hook
    if keeping is not None:  # the gradient is kept as the last hook leaves it
        handle.hooks[KEEP] = keeping
    return handle


def retain_grad(tensor):
    """Keep the gradient of a tensor that is not a leaf in its `.grad`."""
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if tensor.grad_fn is None:
        return
    reference = weakref.ref(tensor)

    def keep(grad):
        if (kept := reference()) is not None:
            kept._grad = grad.clone() if kept._grad is None else kept._grad + grad

    hooks_of(tensor)[KEEP] = keep


def retains_grad(tensor):
    """Whether `retain_grad` was called on this tensor."""
    return tensor.grad_fn is not None and KEEP in hooks_of(tensor)


# %%
#| export
class Function(operations.Function):
    """An operation of your own, as `torch.autograd.Function`: Tensors in and out, forward and backward written by you."""

    @classmethod
    def apply(cls, *inputs, **options):
        ctx = FunctionContext(
            cls, [x.edge() if isinstance(x, Tensor) else None for x in inputs]
        )
        with no_grad():
            if "setup_context" in cls.__dict__:
                output = cls.forward(*inputs, **options)
                cls.setup_context(ctx, inputs, output)
            else:
                output = cls.forward(ctx, *inputs, **options)
        outputs = output if isinstance(output, tuple) else (output,)
        results = tuple(x.detach() if any(x is i for i in inputs) else x for x in outputs)
        if grad_mode.enabled and any(ctx.edges):
            ctx.record(
                [getattr(x, "array", x) for x in inputs], [x.array for x in results], results
            )
            for x in ctx.non_differentiable:
                x.detach_()
        return results if isinstance(output, tuple) else results[0]


def once_differentiable(rule):
    """Mark a `backward` that must not be differentiated again."""
    rule.once_differentiable = True
    return rule
