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
# ### What you build
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `x.backward()`, `backward(tensors, ...)` | `x.backward()`, `torch.autograd.backward` | |
# | `grad(outputs, inputs, ..., create_graph)` | `torch.autograd.grad` | one tuple, no batched gradients |
# | `no_grad`, `enable_grad`, `set_grad_enabled` | `torch.no_grad`, ... | |
# | `Function` | `torch.autograd.Function` | |
# | `gradcheck`, `gradgradcheck` | `torch.autograd.gradcheck`, ... | every element, float64 |
# | `detect_anomaly` | `torch.autograd.detect_anomaly` | |
# | `gradient(operation)`, `unbroadcast`, `draw_graph` | | ours: PyTorch generates its rules from a table, `derivatives.yaml` |
#
# Until now `x.backward()` answered that it is built in module 06, which is this one.


# %%
#| export
import heapq
import importlib
import math
from types import SimpleNamespace

import numpy as np

from tinytorch import activations
from tinytorch.given import methods_of
from tinytorch.tensor import Context, Tensor, changed, grad_mode, quiet, wrap

# by this name, for tinytorch.tensor is also a function
operations = importlib.import_module("tinytorch.tensor")


# %%
from contextlib import contextmanager

from tinytorch.tensor import from_numpy, ones, rand, randn, tensor, zeros


# %% [markdown]
# The tests of this lesson look at three things each time: that arrays which belong to others stay as they were, that a
# gradient has the shape and the type of its operand, and that gradients given as Tensors keep their graph.


# %%
@contextmanager
def unchanged(**arrays):
    """Check, before anything else is, that a call leaves arrays as they were."""
    before = {name: array.copy() for name, array in arrays.items()}
    yield
    for name, array in arrays.items():
        said = f"{name} belongs to the caller, and stays as it was"
        np.testing.assert_array_equal(array, before[name], err_msg=said)


def agrees(found, wanted, said, rtol=1e-6, atol=1e-8):
    """Check the shape, the type and the numbers of an array, in this order."""
    assert found is not None, f"{said}: nothing came, {wanted} is wanted"
    shape, kind = np.shape(found), np.asarray(found).dtype
    assert shape == wanted.shape, f"{said}: the shape is to be {wanted.shape}, not {shape}"
    assert kind == wanted.dtype, f"{said}: the type is to be {wanted.dtype}, not {kind}"
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=said)


def leads_back(result, *leaves):
    """Whether recorded calls lead from a Tensor back to these: whether gradients will."""
    reached, waiting = set(), [result.edge()]
    while waiting:
        edge = waiting.pop()
        if edge is not None and id(edge[0]) not in reached:
            reached.add(id(edge[0]))
            waiting += getattr(edge[0], "edges", ())
    return all(id(leaf) in reached for leaf in leaves)


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
# <details><summary>Hint 3</summary><code>y.size</code> is N. The ReLU's line is a product with the mask <code>a > 0</code>, and the gradient of <code>W1</code> is made of what is left.</details>


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
        The gradients of L with respect to W1 and W2: arrays (D, H) and (H, C) of their type.

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
    assert floats[which].dtype == np.float32, f"float32 in, float32 out: {said}"


def test_the_output_weights_get_the_gradient_of_differences():
    said = "the gradient of W2 is h transposed times the gradient of y"
    for sizes in ((5, 3, 4, 2), (1, 2, 3, 1), (4, 4, 4, 4)):
        check_by_hand(1, f"{said}; B, D, H, C = {sizes}", *sizes)


def test_the_hidden_weights_get_the_gradient_of_differences():
    said = "the gradient of W1 passes through W2 and through the ReLU"
    for sizes in ((5, 3, 4, 2), (1, 2, 3, 1), (4, 4, 4, 4)):
        check_by_hand(0, f"{said}; B, D, H, C = {sizes}", *sizes)


def test_at_zero_the_relu_passes_nothing():
    x, W1, one = np.array([[1.0, 1.0]]), np.array([[1.0], [-1.0]]), np.array([[1.0]])
    found, _ = two_layer_gradients(x, W1, one, one)
    agrees(found, np.zeros((2, 1)), "a is 0: the gradient of h passes where a > 0, else not")


# %% [markdown]
# That was a network of two layers, and you had to know all of it. Each line of the backward table, however, knew only its own line of the
# forward table: `y = h W2` needs to be told $\bar y$, remembers $h$ and $W_2$, and answers with $\bar h$ and $\bar W_2$. So give every
# operation such a rule, once, and let a program call the rules in the right order. The rest of this module is those two things.
#
# ## 2. Rules
#
# An operation's `forward` leaves a `Context` behind: what it saved, and where its inputs came from. Its rule takes that context and the
# gradient of the result, and returns the gradient of each input. `gradient` gives the rule to the operation as its `backward`; nothing else
# changes in the modules before this one. (In PyTorch's core, too, rules stand apart from kernels. The operations that you write from module
# 09 on have their `backward` beside their `forward`.)
#
# The next cell is given. `call` is for rules that need another operation: under `create_graph`, which you meet at the end, the very
# same rules run on Tensors, so that gradients have gradients, and `call` does the right thing for both.


# %%
#| export
def gradient(function):
    """Make the decorated rule the gradient of an operation, its `backward`.

    The rule is called as `rule(ctx, grad)` with the gradient of the result (one argument for
    each result, where there are several), and returns the gradient of each input, in order;
    None where there is none.
    """

    def register(rule):
        methods_of(function)(SimpleNamespace(backward=staticmethod(rule)))
        return rule

    return register


def call(function, *inputs, **options):
    """Run an operation inside a rule: on Tensors for second derivatives, else on arrays."""
    if any(isinstance(x, Tensor) for x in inputs):
        return function.apply(*inputs, **options)
    return function.forward(Context(function, (None,) * len(inputs)), *inputs, **options)


# %%
#| export
from tinytorch.given.autograd.nodes import *


# %%
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
            assert one is None, f"{said}: the gradient of input {number} is to be None"
        else:
            agrees(one, right, f"{said}: the gradient of input {number}", rtol)
    grad = tensor(cotangent, requires_grad=True)
    for one, right in zip(run_rule(node, [grad], create_graph=True), wanted):
        if right is not None:
            agrees(one.detach().array, right, f"{said}, with create_graph", rtol)
            cut = "given a Tensor, the rule must answer with one that knows its graph"
            assert leads_back(one, grad), f"{said}: {cut}"


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
        grad: the gradient of the result, an array (or a Tensor: use only operators and
            methods that both have).
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


def test_missing_dimensions_are_summed_away():
    for shape in ((3, 4), (4,), ()):
        check_unbroadcast((2, 3, 4), shape)


def test_stretched_dimensions_keep_their_place():
    for shape in ((2, 1, 4), (1, 3, 1), (2, 1, 1), (1, 1, 1), (3, 1), (1, 4)):
        check_unbroadcast((2, 3, 4), shape)


def test_a_square_gradient_is_summed_over_the_right_side():
    for shape in ((3,), (3, 1), (1, 3)):
        check_unbroadcast((3, 3), shape)


def test_dimensions_of_length_one_and_of_length_zero():
    check_unbroadcast((1, 3, 4), (3, 1))
    check_unbroadcast((1, 2, 3), (2, 1))
    check_unbroadcast((2, 1, 3), (1, 1))
    check_unbroadcast((1, 3), (3,))
    check_unbroadcast((2, 0), (0,))
    check_unbroadcast((2, 0), (2, 1))
    check_unbroadcast((0, 3), (1, 3))


def test_nothing_happens_where_nothing_was_broadcast():
    for shape in ((1, 3), (2, 3), (), (0,)):
        grad = np.ones(shape)
        said = f"a gradient of shape {shape} for that shape is handed back as it is"
        assert unbroadcast(grad, shape) is grad, said


def test_a_tensor_stays_a_tensor_with_its_graph():
    for shape in ((3,), (2, 1), ()):
        grad = ones(2, 3, requires_grad=True)
        found = unbroadcast(grad, shape)
        said = f"(2, 3) back to {shape}: a Tensor comes back as one, by Tensor operations"
        assert isinstance(found, Tensor), said
        assert leads_back(found, grad), f"{said}, so that it can be differentiated again"


# %% [markdown]
# ### A product
#
# For $z = xy$, element by element, $\bar x = \bar z\, y$ and $\bar y = \bar z\, x$: each factor's slope is the other factor. `Mul.forward` saved both. Undo the
# broadcast, and do not compute what nobody asked for: `ctx.needs_input_grad` says, for each input, whether its gradient is wanted. A number
# (`x * 2`) comes as it is, and `np.shape(2)` is `()`.
#
# <details><summary>Hint 1</summary><code>x, y = ctx.saved_tensors</code> gives back what the forward saved.</details>
# <details><summary>Hint 2</summary>The gradient of <code>x</code> is <code>grad * y</code>, brought to the shape of <code>x</code>.</details>
# <details><summary>Hint 3</summary>Your <code>unbroadcast</code> brings it there. Ask <code>ctx.needs_input_grad</code> before you compute either of the two.</details>


# %% stub="mul-gradient"
#| export
@gradient(operations.Mul)
def mul_backward(ctx, grad):
    """Compute the gradients of both factors of x * y.

    Args:
        ctx: the call's context; its saved tensors are x and y, arrays or numbers.
        grad: the gradient of the product, of the shape that x and y have together.

    Returns:
        The gradients of x and of y, each of its factor's shape; None for one that
        `ctx.needs_input_grad` does not want. They may be asked for with Tensors in place of
        arrays: use only what both have.
    """
    ### BEGIN SOLUTION
    x, y = ctx.saved_tensors
    need_x, need_y = ctx.needs_input_grad
    grad_x = unbroadcast(grad * y, np.shape(x)) if need_x else None
    grad_y = unbroadcast(grad * x, np.shape(y)) if need_y else None
    return grad_x, grad_y
    ### END SOLUTION


# %% test="mul-gradient" points=4
def check_mul(x, y, cotangent):
    """Check the rule for factors that are arrays, with None for one that wants no gradient."""
    wanted_x = (cotangent * y).sum(tuple(range(cotangent.ndim - x.ndim)))
    wanted_y = (cotangent * x).sum(tuple(range(cotangent.ndim - y.ndim)))
    for need_x, need_y in ((True, True), (True, False), (False, True)):
        product = tensor(x, requires_grad=need_x) * tensor(y, requires_grad=need_y)
        wanted = wanted_x if need_x else None, wanted_y if need_y else None
        said = f"factors {x.shape} and {y.shape}, wanted: {need_x}, {need_y}"
        check_rule(product, cotangent, *wanted, said=f"x gets grad * y, y grad * x; {said}")


def test_each_factor_gets_the_other():
    rng = np.random.default_rng(0)
    for kind in (np.float32, np.float64):
        for shape in ((2, 3), (), (0, 3)):
            check_mul(*(rng.standard_normal(shape).astype(kind) for _ in range(3)))


def test_a_broadcast_factor_gets_a_gradient_of_its_own_shape():
    rng = np.random.default_rng(1)
    for shape_x, shape_y in (((2, 3), (3,)), ((3,), (2, 3)), ((), (4, 2))):
        shape = np.broadcast_shapes(shape_x, shape_y)
        check_mul(*(rng.standard_normal(s) for s in (shape_x, shape_y, shape)))
    grad_x, _ = rule_of(ones(2, 1, requires_grad=True) * ones(2, 3))(np.ones((2, 3)))
    assert grad_x.shape == (2, 1), f"a factor (2, 1) has a gradient (2, 1), not {grad_x.shape}"


def test_a_factor_may_be_a_number():
    x, cotangent = np.float32([1, 2]), np.float32([1, 10])
    said = "x * 5: x gets 5 times the gradient, the number None"
    check_rule(tensor(x, requires_grad=True) * 5, cotangent, 5 * cotangent, None, said=said)


# %%
#| export
def restored(ctx, grad, shape):
    """A reduction's gradient with the dimensions that were reduced, each of length 1."""
    if ctx.keepdim:
        return grad
    axes = range(len(shape)) if ctx.axis is None else ctx.axis
    axes = (axes,) if isinstance(axes, int) else axes
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
# <details><summary>Hint 3</summary><code>call</code> takes the operation, its input, and its options by name: for <code>Expand</code>, a <code>shape</code>.</details>


# %% stub="sum-gradient"
#| export
@gradient(operations.Sum)
def sum_backward(ctx, grad):
    """Hand the gradient of a sum to every element that was summed.

    Args:
        ctx: the call's context, with `shape` (of x), `axis` and `keepdim`.
        grad: the gradient of the sum, of the sum's shape.

    Returns:
        The gradient of x, of x's shape: by an operation that is run through `call`, so that
        it can be differentiated again.
    """
    ### BEGIN SOLUTION
    return call(operations.Expand, restored(ctx, grad, ctx.shape), shape=ctx.shape)
    ### END SOLUTION


# %% test="sum-gradient" points=3
def check_sum(x_shape, dim, cotangent, keepdim=False):
    """Check that each element gets what arrived for the sum that it is in."""
    for kind in (np.float32, np.float64):
        grad, x = np.array(cotangent, kind), np.zeros(x_shape, kind)
        axes = tuple(range(x.ndim)) if dim is None else dim
        kept = grad if keepdim else np.expand_dims(grad, axes)
        wanted = np.broadcast_to(kept, x_shape)
        said = f"the sum of {x_shape} over dim={dim}, keepdim={keepdim}"
        found = tensor(x, requires_grad=True).sum(dim, keepdim)
        check_rule(
            found, grad, wanted, said=f"each element gets its own sum's gradient; {said}"
        )


def test_every_element_gets_the_gradient_of_its_sum():
    check_sum((2, 3), None, 5)
    check_sum((2, 3), 1, [5, 7])
    check_sum((2, 3), 0, [5, 7, 9])
    check_sum((), None, 5)


def test_a_square_is_stretched_along_the_side_that_was_summed():
    check_sum((2, 2), 1, [1, 2])
    check_sum((2, 2), 0, [1, 2])


def test_several_dimensions_can_be_summed_at_once():
    check_sum((2, 3, 4), (0, -1), [1, 2, 3])
    check_sum((3, 3, 3), (1, 2), [1, 2, 3])


def test_dimensions_that_were_kept_and_lengths_of_zero():
    check_sum((2, 3), 0, [[1, 2, 3]], keepdim=True)
    check_sum((2, 3), None, [[4]], keepdim=True)
    check_sum((0, 3), 0, [1, 2, 3])
    check_sum((2, 0), 0, [])


# %%
#| export
def as_matrices(x, y, grad):
    """The operands and the gradient of x @ y, with a dimension of 1 where one was a vector.

    All of them are arrays, or under `create_graph` all are Tensors.
    """
    if isinstance(grad, Tensor):
        x, y = (
            operand if isinstance(operand, Tensor) else wrap(operand) for operand in (x, y)
        )
    rows = x if x.ndim > 1 else x[None]  # (..., n, k)
    columns = y if y.ndim > 1 else y[:, None]  # (..., k, m)
    kept = grad.ndim - (x.ndim > 1) - (y.ndim > 1)
    grad = grad.reshape(*grad.shape[:kept], rows.shape[-2], columns.shape[-1])
    return rows, columns, grad


# %% [markdown]
# ### A matrix product
#
# You had this rule in the table above: for $Z = XY$, $\bar X = \bar Z\, Y^\top$ and $\bar Y = X^\top \bar Z$. What remains is what `matmul` allows besides two matrices:
# leading dimensions, which may be broadcast, and vectors. The rule becomes short if you make everything a matrix first: a vector on the
# left is a single row, one on the right a single column, and the gradient gets the same extra dimension.
#
# One case deserves care, because most of a training step is spent on it: activations of shape (B, T, C) times one weight matrix (C, D). Its gradient is a sum
# over B and T. Computed batch by batch and then summed it makes B matrices that are thrown away; as *one* product of a (C, BT) and a (BT, D) matrix the
# sum happens inside.
#
# <details><summary>Hint 1</summary><code>swapaxes(-2, -1)</code> transposes the last two dimensions, of arrays and of Tensors.</details>
# <details><summary>Hint 2</summary>With everything a matrix: <code>grad @ columns.swapaxes(-2, -1)</code> and <code>rows.swapaxes(-2, -1) @ grad</code>, each brought back by <code>unbroadcast</code>, then reshaped to its operand's shape.</details>
# <details><summary>Hint 3</summary>For one matrix on the right, reshape both to two dimensions before the product. Count the rows with <code>math.prod(rows.shape[:-1])</code>: where a length is 0, -1 cannot be inferred.</details>


# %% stub="matmul-gradient"
#| export
@gradient(operations.MatMul)
def matmul_backward(ctx, grad):
    """Compute the gradients of both factors of x @ y.

    Args:
        ctx: the call's context; its saved tensors are x (..., n, k) or (k,), and
            y (..., k, m) or (k,).
        grad: the gradient of the product.

    Returns:
        The gradients of x and of y, each of its factor's shape; None for one that
        `ctx.needs_input_grad` does not want.
    """
    x, y = ctx.saved_tensors
    rows, columns, grad = as_matrices(x, y, grad)
    ### BEGIN SOLUTION
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        # which knows the fast way too
        product = call(operations.MatMul, grad, columns.swapaxes(-2, -1))
        grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
    if ctx.needs_input_grad[1] and columns.ndim == 2:
        n, k, m = math.prod(rows.shape[:-1]), rows.shape[-1], grad.shape[-1]
        grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
    elif ctx.needs_input_grad[1]:
        grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
    return grad_x, grad_y
    ### END SOLUTION


# %% test="matmul-gradient" points=6
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
        said = f"{shape_x} @ {shape_y}, wanted: {need_x}, {need_y}"
        rtol = 1e-6 if kind == np.float64 else 1e-4
        check_rule(product, cotangent.astype(kind), *wanted, said=said, rtol=rtol)


def test_two_matrices():
    check_product((2, 3), (3, 4))
    check_product((3, 3), (3, 3), np.float32)


def test_leading_dimensions_are_summed_for_a_single_weight_matrix():
    check_product((2, 5, 3), (3, 4))
    check_product((2, 2, 3, 2), (2, 3), np.float32)


def test_batches_are_broadcast():
    check_product((2, 1, 2, 3), (4, 3, 2))
    check_product((2, 3), (4, 3, 2))
    check_product((4, 2, 3), (1, 3, 2), np.float32)


def test_vectors_on_either_side():
    check_product((3,), (3,))
    check_product((3,), (3, 2))
    check_product((2, 3), (3,))
    check_product((3,), (4, 3, 2))
    check_product((4, 2, 3), (3,), np.float32)


def test_lengths_of_zero():
    check_product((0, 3), (3, 2))
    check_product((2, 0), (0, 4))
    check_product((0, 2, 3), (3, 4))


# %% [markdown]
# ### Softmax
#
# In the operations so far, an output depended on a single element of an input, or on a row times a column. In a softmax every output along the dimension depends
# on every input: $\partial p_i / \partial x_j = p_i (\delta_{ij} - p_j)$, an n x n matrix for each row. Never build it. What is wanted is the gradient times that matrix,
# and the sum can be done on paper:
#
# $$\bar x_j = \sum_i \bar p_i\, p_i (\delta_{ij} - p_j) = p_j \Big( \bar p_j - \sum_i \bar p_i\, p_i \Big)$$
#
# Two products and one sum, which costs no more than the forward. This is what is meant by saying that backward computes *vector-Jacobian products*: the Jacobian
# itself is never in memory.
#
# <details><summary>Hint 1</summary>The forward saved its output <code>p</code>; the input is not needed.</details>
# <details><summary>Hint 2</summary>The sum runs along <code>ctx.axis</code>, and must keep that dimension to be subtracted from <code>grad</code>.</details>
# <details><summary>Hint 3</summary>The sum in the formula is one of <code>grad * p</code>. Arrays and Tensors both have <code>sum</code> with <code>axis</code> and <code>keepdims</code>.</details>


# %% stub="softmax-gradient"
#| export
@gradient(activations.Softmax)
def softmax_backward(ctx, grad):
    """Multiply a gradient with the Jacobian of a softmax, without building it.

    Args:
        ctx: the call's context; its saved tensor is the output p, and `ctx.axis` the
            dimension that sums to one.
        grad: the gradient of p, of p's shape.

    Returns:
        The gradient of the scores, of p's shape.
    """
    ### BEGIN SOLUTION
    (p,) = ctx.saved_tensors
    return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
    ### END SOLUTION


# %% test="softmax-gradient" points=4
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


def test_softmax_is_differentiated_along_its_last_dimension():
    check_softmax((3, 4), -1)
    check_softmax((5,), 0, np.float32)


def test_softmax_is_differentiated_along_any_dimension():
    check_softmax((3, 3), 0)
    check_softmax((2, 3, 4), 1)
    check_softmax((2, 3, 4), 0, np.float32)


def test_a_constant_gradient_moves_nothing():
    p = tensor(np.random.default_rng(0).standard_normal((2, 5)), requires_grad=True).softmax(1)
    said = "probabilities sum to one, whatever the scores: their sum has no slope"
    check_rule(p, np.full((2, 5), 3.0), np.zeros((2, 5)), said=said)


def test_softmax_over_nothing():
    check_softmax((0, 3), 1)
    check_softmax((2, 0), 1)


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
# <details><summary>Hint 3</summary>Each run's sum is assigned once, to the row that stands at its start. With no rows at all there is nothing to add.</details>


# %% stub="add-rows"
#| export
def add_rows(grad, rows, shape):
    """Add rows of a gradient into zeros of a shape, each to the row that is named for it.

    output[rows[i]] += grad[i], for every i

    Args:
        grad: an array (N, ...), the last dimensions those of `shape`.
        rows: N integers from -shape[0] to shape[0] - 1; negative ones count from the end;
            any of them may occur several times.
        shape: the shape of the output, (V, ...).

    Returns:
        A new array of that shape, of grad's dtype.

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
def check_rows(grad, rows, shape):
    """Compare with a loop that adds one row after the other."""
    wanted = np.zeros(shape, np.float64)
    for row, g in zip(rows.tolist(), grad):
        wanted[row] += g
    said = f"rows {rows.tolist()} into {shape}" if len(rows) < 9 else f"many rows into {shape}"
    with unchanged(grad=grad, rows=rows):
        found = add_rows(grad, rows, shape)
    agrees(found, wanted.astype(grad.dtype), said, rtol=1e-5 if grad.itemsize == 4 else 1e-10)


def test_a_row_named_twice_gets_both_gradients():
    grad = np.float32([[1, 10], [2, 20], [4, 40]])
    check_rows(grad, np.array([1, 1, 0]), (3, 2))
    check_rows(grad, np.array([2, 1, 2]), (3, 2))
    check_rows(grad, np.array([1, -2, 1]), (3, 2))


def test_many_rows_in_any_order():
    rng = np.random.default_rng(0)
    for low in (-7, 0, 1, 6):
        rows, grad = rng.integers(low, 7, 200), rng.standard_normal((200, 3, 2))
        check_rows(grad, rows, (7, 3, 2))


def test_single_numbers_are_rows_too():
    check_rows(np.array([1.0, 2.0, 4.0]), np.array([0, 3, 0]), (4,))
    check_rows(np.array([1.0]), np.array([1]), (2,))


def test_no_rows_at_all():
    check_rows(np.zeros((0, 2)), np.zeros(0, int), (3, 2))
    check_rows(np.zeros((0, 2), np.float32), np.zeros(0, int), (0, 2))


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
# returns (`tinytorch/given/autograd/nodes.py`), and `node.free()` lets go of what was saved, unless `retain_graph` says otherwise.
#
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
    """The gradients that arrive at leaves, of an output whose own gradient stays as it was."""
    seed = np.ones_like(output.array) if cotangent is None else np.float32(cotangent)
    with unchanged(gradient=seed):
        arrived = walk([output.edge()], [seed], **options)
    return [arrived.get((x, 0)) for x in leaves]


def test_gradients_are_multiplied_along_a_path():
    x = leaf(1.0, 2.0)
    (found,) = gradients_of(Scale.apply(Scale.apply(x, by=3), by=4), x, cotangent=[1, 10])
    agrees(found, np.float32([12, 120]), "4 times 3, for each element")


def test_gradients_are_added_where_paths_meet():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    (found,) = gradients_of(Sum3.apply(y, y, x), x)
    said = "x + 2 y + 3 z with x used three times, twice through y: 2 + 2 * 2 + 3"
    agrees(found, np.float32([9]), said)


def test_a_node_runs_once_with_the_total():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    z = Scale.apply(y, by=10)  # a longer way from y to the output than the direct one
    output = Sum3.apply(y, Scale.apply(z, by=10), z)
    Scale.calls = 0
    (found,) = gradients_of(output, x)
    agrees(found, np.float32([462]), "2 (1 + 2 * 100 + 3 * 10)")
    assert Scale.calls == 3, (
        f"three Scale nodes, each to be run once with its whole gradient, "
        f"but rules ran {Scale.calls} times"
    )


def test_arrays_that_are_handed_on_are_not_changed():
    x, y = leaf(1.0), leaf(1.0)
    output = Sum3.apply(x, x, x)
    gradients_of(Sum3.apply(output, y, output), x)  # add with a + b, not with +=


def test_every_result_of_an_operation_has_its_slot():
    x = leaf(1.0)
    one, five = Twins.apply(x)
    (found,) = gradients_of(Sum3.apply(one, five, five), x)
    agrees(found, np.float32([26]), "1 + 5 (2 + 3)")
    one, five = Twins.apply(x)
    (found,) = gradients_of(Scale.apply(five, by=2), x)
    agrees(found, np.float32([10]), "a result that nobody used sends zero")


def test_the_walk_begins_at_every_root():
    x, y = leaf(1.0), leaf(1.0)
    one, two = Scale.apply(x, by=2), Scale.apply(y, by=3)
    roots = [one.edge(), two.edge(), one.edge(), (y, 0)]
    arrived = walk(roots, [np.float32([n]) for n in (1, 10, 100, 1000)])
    agrees(arrived.get((x, 0)), np.float32([202]), "a root named twice: 2 (1 + 100)")
    agrees(arrived.get((y, 0)), np.float32([1030]), "another root, and a leaf: 3 * 10 + 1000")
    assert set(arrived) == {(x, 0), (y, 0)}, "what comes back are the leaves, and no others"


def test_hooks_see_the_total_and_may_replace_it():
    x, seen = leaf(1.0), []
    y = Scale.apply(x, by=2)
    y.grad_fn.hooks = {0: {1: lambda grad: seen.append(grad.item()) or grad * 10}}
    (found,) = gradients_of(Sum3.apply(y, y, y), x)
    assert seen == [6], f"a hook of y is called once, with all of its gradient, 6: saw {seen}"
    agrees(found, np.float32([120]), "the hook made 60 of 6, and y is 2 x")


def test_a_node_without_hooks_runs_none():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    assert y.grad_fn.hooks is None, "nobody has registered a hook"
    agrees(gradients_of(y, x)[0], np.float32([2]), "without hooks the gradient is as it was")


def test_edges_that_are_none_are_not_followed():
    x, constant = leaf(1.0), tensor([1.0])
    found, nothing = gradients_of(Sum3.apply(x, constant, constant), x, constant)
    agrees(found, np.float32([1]), "x gets the gradient of the sum")
    assert nothing is None, "a constant has no edge, and gets no gradient"


def test_gradients_that_are_none_are_not_sent():
    x, y = leaf(1.0), leaf(1.0)
    output, Scale.calls = First.apply(x, Scale.apply(y, by=2)), 0
    arrived = walk([First.apply(output, x).edge()], [np.float32([7])])
    assert set(arrived) == {(x, 0)}, "the rule has no gradient for y: nothing arrives there"
    agrees(arrived[x, 0], np.float32([7]), "x gets what the rule has for it")
    assert Scale.calls == 0, "a node that nothing was sent to does not run"


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


def test_a_chain_of_5000_operations():
    x = y = leaf(1.0)
    for _ in range(5000):
        y = Scale.apply(y, by=1)
    agrees(gradients_of(y, x)[0], np.float32([1]), "5,000 times 1")


def test_gradients_can_be_asked_for_on_the_way():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    z = Scale.apply(y, by=3)
    Scale.calls = 0
    arrived = walk([z.edge()], [np.float32([1])], wanted={y.edge()})
    agrees(arrived.get(y.edge()), np.float32([3]), "the gradient at y, which z is 3 times")
    assert Scale.calls == 1, "nothing that is wanted lies beyond y, so only z's rule runs"


def test_the_walk_goes_on_beside_what_it_has_found():
    x = leaf(1.0)
    one, five = Twins.apply(x)
    y, z = Scale.apply(one, by=2), Scale.apply(x, by=10)
    output = Sum3.apply(y, z, five)
    arrived = walk([output.edge()], [np.float32([1])], wanted={z.edge(), five.edge(), (x, 0)})
    agrees(arrived.get(z.edge()), np.float32([2]), "asked for at z, which is passed first")
    agrees(arrived.get(five.edge()), np.float32([3]), "asked for at the second of two results")
    agrees(arrived.get((x, 0)), np.float32([2 + 15 + 20]), "and at x, which lies beyond both")
    arrived = walk(
        [Sum3.apply(y, z, z).edge()], [np.float32([1])], wanted={z.edge(), y.edge()}
    )
    agrees(arrived.get(y.edge()), np.float32([1]), "beyond z nothing is wanted, but y is")


# %% [markdown]
# ## 4. At the leaves
#
# What arrives at a leaf goes into its `.grad`, and if there is something already, it is *added*: that is why training calls `zero_grad`, and what makes gradient accumulation over
# several small batches possible.
#
# Mind whose memory it is. `.grad` will be changed in place: by clipping, and by the next backward. The array that arrived, however, may be held by others: the rule of an addition hands the same
# array to two leaves, a user's rule may return what it saved, and a hook may have put it in a list. If it became `.grad`, clipping one gradient would clip the other as well. So the first gradient is
# copied, always. The ones after it are added into that copy, and since that is a change in place, it is noted with `changed`: a graph that has saved `.grad` must refuse afterwards.
#
# <details><summary>Hint 1</summary>Three cases: a Tensor (with <code>create_graph</code>, when it must not be changed in place), no <code>.grad</code> yet, and one to add to.</details>
# <details><summary>Hint 2</summary><code>leaf._grad</code> is where <code>.grad</code> is kept. <code>grad.astype(dtype, order="C")</code> copies an array, wherever it is, <code>wrap(array)</code> makes a Tensor around it, and <code>grad.clone()</code> copies a Tensor with its graph.</details>
# <details><summary>Hint 3</summary>To add: change the array in <code>leaf._grad</code> with <code>+=</code>, so that everyone who holds <code>.grad</code> sees the sum, as in PyTorch, and hand that array to <code>changed</code>.</details>


# %% stub="accumulate"
#| export
def accumulate(leaf, grad):
    """Put a copy of a gradient into a leaf's `.grad`, or add it to the one that is there.

    Args:
        leaf: a Tensor; its `.grad` is kept in `leaf._grad`.
        grad: an array of the leaf's shape, copied to the leaf's type and contiguous, or added
            in place, which is noted; or a Tensor, which has a graph of its own: then `.grad`
            becomes a new Tensor each time.
    """
    ### BEGIN SOLUTION
    if isinstance(grad, Tensor):
        leaf._grad = grad.clone() if leaf._grad is None else leaf._grad + grad
    elif leaf._grad is None:
        leaf._grad = wrap(grad.astype(leaf.array.dtype, order="C"))
    else:
        leaf._grad.array += grad
        changed(leaf._grad.array)
    ### END SOLUTION


# %% test="accumulate" points=4
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
        assert x.grad is held, "whoever holds x.grad sees the sum: add in place"
        agrees(view.array, total, "and who holds a view of its memory, as x.grad.detach()")


def test_nobody_shares_the_memory_of_a_gradient():
    x, y, grad = leaf(1.0), leaf(2.0), np.float32([3])
    accumulate(x, grad)
    accumulate(y, grad)
    x.grad.array[0] = 100
    agrees(grad, np.float32([3]), "x.grad is a copy: what arrived stays as it was")
    agrees(y.grad.array, np.float32([3]), "x.grad and y.grad are two copies")


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
    raise AssertionError(
        "the product saved x.grad, which has changed since: note it, changed(array)"
    )


def test_the_copy_has_the_type_and_the_order_of_the_leaf():
    for kind in (np.float16, np.float32, np.float64):
        x = tensor(np.zeros((2, 3), kind), requires_grad=True)
        for times in (1, 2):
            accumulate(x, np.asfortranarray(np.arange(6.0).reshape(2, 3)))
            said = f"a float64 gradient of a leaf of {kind.__name__}, {times} times"
            agrees(x.grad.array, times * np.arange(6).reshape(2, 3).astype(kind), said)
        assert x.grad.array.flags.c_contiguous, "the copy is contiguous"


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


# %% [markdown]
# ## 5. Not recording
#
# Evaluating a model, or changing weights by hand, should leave no graph behind: it costs memory, and an update that is recorded would be differentiated through. `Function.apply`
# asks `grad_mode.enabled` before it records. `no_grad` switches it off for a block and puts back *what was there before*, also when the block raises, and
# also when blocks are nested.


# %%
#| export
from tinytorch.given.autograd.decorating import *


# %% [markdown]
# `with block:` calls `block.__enter__()` first, and `block.__exit__(...)` last, whether the lines between end, return or raise. `Block`, given, makes a decorator of what has these two.
# One object may be entered again before it is left, `with block: ... with block: ...`, so one remembered value is not enough: keep a list, `self.previous`, one value for each block that is still open.
#
# <details><summary>Hint 1</summary>On entering, remember the flag, then set it to <code>self.mode</code>; on leaving, put the remembered value back.</details>
# <details><summary>Hint 2</summary>Put back what you remembered, not True: the block may stand inside another one.</details>
# <details><summary>Hint 3</summary>The block that was entered last is left first: <code>self.previous.append(...)</code> and <code>self.previous.pop()</code>.</details>


# %% stub="no-grad"
#| export
class no_grad(Block):
    """Record nothing for gradients inside the block, or in a function it decorates.

    >>> x = ones(1, requires_grad=True)
    >>> with no_grad():
    ...     y = x + 1
    >>> y.requires_grad
    False
    """

    mode = False

    def __init__(self):
        self.previous = []

    def __enter__(self):
        """Remember whether operations are recorded now, and let `self.mode` say it instead."""
        ### BEGIN SOLUTION
        self.previous.append(grad_mode.enabled)
        grad_mode.enabled = self.mode
        ### END SOLUTION

    def __exit__(self, *error):
        """Put back what was there before this block; `error` says what was raised in it."""
        ### BEGIN SOLUTION
        grad_mode.enabled = self.previous.pop()
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
        grad_mode.enabled = True  # as `enable_grad`, which is given, will do
        with no_grad():
            assert not recording(), "recording was switched on, and the inner block ends that"
        assert recording(), "recording was on before the inner block, so it is on after it"
    assert recording(), "after all blocks, recording is on again"


def test_a_block_takes_its_mode_from_its_class():
    class Recorded(no_grad):
        mode = True

    with no_grad(), Recorded():
        assert recording(), "`enable_grad` will be a subclass with mode = True: ask self.mode"


def test_one_block_can_be_entered_again():
    block = no_grad()
    with block:
        with block:
            assert not recording(), "the same object, entered again inside: off"
        assert not recording(), "the same object, entered again inside: it was off before"
    on = recording()
    grad_mode.enabled = True  # whatever the block did, the tests after this one go on
    assert on, "the outer block found recording on: a second entry must not overwrite that"
    with block:
        assert not recording(), "and it can be used once more"
    assert recording(), "after the block, recording is on again"


def test_an_exception_does_not_leave_it_switched_off():
    came_out = False
    try:
        with no_grad():
            raise KeyError
    except KeyError:
        came_out = True
    on = recording()
    grad_mode.enabled = True  # whatever the block did, the tests after this one go on
    assert on, "the flag must be put back when the block raises, too"
    assert came_out, "what the block raises must come out: __exit__ returns nothing"


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


# %% [markdown]
# ### `backward` and `grad`
# With that, both are a matter of checking arguments. Read `backward` once, for it is what you will call from now on: where the walk begins,
# the walk, and what arrives at the leaves. It records only under `create_graph`. `grad` returns what has arrived instead.


# %%
#| export
from tinytorch.given.autograd.switches import *
from tinytorch.given.autograd.entry_points import *
from tinytorch.given.autograd.hooks import *


@quiet
def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the tensors' gradients to the `.grad` of every leaf that they were made from.

    Args:
        tensors: a Tensor or several; one without `grad_tensors` must have one element.
        grad_tensors: the gradient to begin with at each, of its shape; None for one.
        retain_graph: keep the graph for another backward; defaults to `create_graph`.
        create_graph: make the gradients differentiable.
        inputs: leaves to accumulate into, in place of all.

    Raises:
        RuntimeError: if a tensor does not require a gradient, or is no scalar and has no
            `grad_tensors`.
    """
    roots, gradients = starting_points(tensors, grad_tensors, create_graph)
    retain_graph = create_graph if retain_graph is None else retain_graph
    inputs, wanted = destinations(inputs)
    with set_grad_enabled(bool(create_graph)):
        arrived = walk(roots, gradients, retain_graph, create_graph, wanted)
        leaves = [edge[0] for edge in arrived] if inputs is None else inputs
        for leaf in leaves:
            if (grad := arrived.get(leaf.edge())) is not None:
                grad = apply_hooks(leaf, grad)
                check_gradient(leaf, grad)
                with accumulating:  # one thread at a time
                    accumulate(leaf, grad)
                run_hooks_after(leaf)


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
# <details><summary>Hint 2</summary>Call the function under <code>no_grad()</code>, and copy its result before you move the input again: it may share the input's memory. <code>try</code> and <code>finally</code> put the value back whatever the function raises.</details>
# <details><summary>Hint 3</summary>Each position gives a row, <code>(above - below).ravel() / (2 * eps)</code>; stack them. An input without elements gives no rows: an array of shape (0, number of outputs).</details>


# %% stub="numerical-jacobian"
#| export
def numerical_jacobian(function, inputs, which, eps=1e-6):
    """Measure by central differences how each output element moves with each of an input's.

    Args:
        function: takes the inputs, returns one Tensor.
        inputs: float64 Tensors. The array of `inputs[which]` is changed in place while this
            runs, and put back, even where the function raises.
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
        try:
            for moved in (value + eps, value - eps):
                x[position] = moved
                with no_grad():
                    sides.append(np.array(function(*inputs).array, np.float64).ravel())
        finally:
            x[position] = value
        rows.append((sides[0] - sides[1]) / (2 * eps))
    return np.stack(rows) if rows else np.zeros((0, function(*inputs).numel()))
    ### END SOLUTION


# %% test="numerical-jacobian" points=5
def check_jacobian(function, wanted, said, *inputs, which=0, **options):
    """Compare a Jacobian, for inputs that must have their values back, to the last bit."""
    arrays = {f"input {number}": x.array for number, x in enumerate(inputs)}
    with unchanged(**arrays):
        found = numerical_jacobian(function, list(inputs), which, **options)
    agrees(found, np.array(wanted, np.float64), said, rtol=1e-7, atol=1e-9)


def test_the_jacobian_of_a_linear_map_is_its_matrix():
    W = np.random.default_rng(0).standard_normal((3, 4))
    said = "rows are input elements, columns output elements"
    check_jacobian(lambda x: x @ tensor(W), W, said, tensor(np.ones(3)))


def test_the_input_asked_for_is_moved_and_put_back():
    x, y = tensor(np.array([1.0, 2.0])), tensor(np.array([5.0, 7.0]))
    product = lambda x, y: x * y * y
    for which, wanted in ((0, np.diag([25, 49])), (1, np.diag([2 * 5, 2 * 2 * 7]))):
        check_jacobian(product, wanted, f"x y y, input {which} is moved", x, y, which=which)


def test_the_input_is_put_back_where_the_function_raises():
    x = tensor(np.array([1.0, 2.0]))

    def careful(x):
        if (x.array > 2).any():
            raise ValueError("too large")
        return x

    try:
        numerical_jacobian(careful, [x], 0)
    except ValueError:
        said = "whatever the function does, the input gets its value back"
        np.testing.assert_array_equal(x.array, [1, 2], err_msg=said)
        return
    raise AssertionError("what the function raises must come out")


def test_the_differences_are_central():
    said = "a one-sided difference of a cube is 6 eps off, a central one eps squared"
    cube = lambda x: x * x * x
    check_jacobian(cube, [[12 + 1e-6]], said, tensor(np.array([2.0])), eps=1e-3)


def test_a_result_that_shares_the_inputs_memory_is_followed():
    said = "copy the result before the input is moved again"
    check_jacobian(lambda x: x.reshape(2), np.eye(2), said, tensor(np.array([[1.0, 2.0]])))


def test_an_input_that_is_a_view_is_moved_where_it_lies():
    x = from_numpy(np.arange(6.0).reshape(2, 3)).T
    said = "the function sees the input's own array: move that, and no copy of it"
    check_jacobian(lambda x: x * 3, 3 * np.eye(6), said, x)


def test_the_differences_are_taken_in_float64():
    W = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    said = "a function that answers in float32 makes a float64 Jacobian"
    x = tensor(np.ones(3))
    with unchanged(x=x.array):
        found = numerical_jacobian(lambda x: x.float() @ tensor(W), [x], 0, eps=0.5)
    agrees(found, W.astype(np.float64), said, rtol=1e-5)


def test_no_graph_is_made_and_shapes_are_flattened():
    seen, x = [], tensor(np.ones((2, 3)), requires_grad=True)
    watched = lambda x: seen.append((x * 1).requires_grad) or x.sum(0)
    said = "input (2, 3), output (3,): a matrix (6, 3)"
    check_jacobian(watched, np.tile(np.eye(3), (2, 1)), said, x.detach().requires_grad_())
    recorded = sum(seen)
    assert recorded == 0, f"call it under no_grad(): {recorded} of {len(seen)} calls recorded"
    said = "input (2, 3), output (2, 3): a matrix (6, 6)"
    check_jacobian(lambda x: 2 * x, 2 * np.eye(6), said, x.detach())
    said = "no elements to move: a matrix (0, 2)"
    empty = tensor(np.ones(0))
    check_jacobian(lambda x: x.sum() + zeros(2), np.zeros((0, 2)), said, empty)


# %% [markdown]
# `gradcheck`, given below, compares this with the same matrix from the rules: one backward pass for each output element, with a gradient that is one there and zero elsewhere. It looks
# at every element. A check of a sum with gradient one would pass rules that forget the gradient that arrives.


# %%
#| export
from tinytorch.given.autograd.checking import *


# %% [markdown]
# ## 7. The rules of all the others
#
# Given, and best read with the operation beside it, in `tinytorch/given/autograd/`. They say the same few things in many ways: a slope times
# the gradient; a stretch for a reduction; for a copy of some elements, the way back. One of each:


# %%
#| export
from tinytorch.given.autograd.arithmetic_rules import *
from tinytorch.given.autograd.reduction_rules import *
from tinytorch.given.autograd.shape_rules import *
from tinytorch.given.autograd.indexing_rules import *
from tinytorch.given.autograd.product_rules import *
from tinytorch.given.autograd.activation_rules import *
from tinytorch.given.autograd.loss_rules import *
from tinytorch.given.autograd.node_names import *


# %%
import inspect

for operation in (operations.Log, operations.Mean, operations.Stack):
    print(inspect.getsource(operation.backward))


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
# `draw_graph` draws what `backward` will walk. Boxes are nodes, rounded ones leaves; arrows go where gradients go.


# %%
W1, W2 = randn(3, 4, requires_grad=True), randn(4, 2, requires_grad=True)
hidden = (ones(5, 3) @ W1).relu()
loss = ((hidden @ W2 - hidden.sum()) ** 2).mean()


# %%
#| export
from tinytorch.given.autograd.drawing import *


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
# One more tool, given: inside `detect_anomaly`, each node remembers where it was called, and each gradient is looked at as it is made. You will
# see it at work below.


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
print(f"alive after forward         {after_forward / 1e6:6.1f} MB")
print(f"of which one activation is  {1024 * 512 * 4 / 1e6:6.1f} MB")
print(f"alive after backward        {after_backward / 1e6:6.1f} MB")
print(f"peak of a forward, no_grad  {peak_without / 1e6:6.1f} MB")
assert 7.5 < after_forward / (1024 * 512 * 4) < 9, "eight layers keep eight activations"
assert after_backward < 0.1 * after_forward, "after backward, they are let go"


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
    ("eight layers, batch 1,024", lambda: loss_of(x), 3),
    ("1,000 products of 8 numbers", chain, 7),
]:
    forward, backward_ = milliseconds(run, repeats)
    times = f"forward {forward:7.2f} ms   backward {backward_:7.2f} ms"
    print(f"{name:28} {times}   ratio {backward_ / forward:.1f}")


# %% [markdown]
# In the second line, divide by a thousand: some microseconds for an operation, most of it spent in Python around a product of eight numbers that takes less than one. This is the cost of deciding everything at run time. It
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
# **A NaN in the gradient alone.** The square root has an infinite slope at zero, and zero times infinity is not a number. All that forward computes is finite, the gradient is not. `detect_anomaly` names the operation and the line that called it.


# %%
x = tensor([0.0, 4.0], requires_grad=True)
norm = (x * 0).sqrt().sum()
norm.backward()
print("gradient", x.grad)
try:
    with detect_anomaly():
        (x * 0).sqrt().sum().backward()
except RuntimeError as error:
    said = str(error).splitlines()
    print(said[0], *said[-4:-2], sep="\n")  # after these come two lines of the package


# %% [markdown]
# Add a small number under the root, or take the gradient of the square instead.
#
# **Forgotten zeros.** Leave out `zero_grad` and each step trains on the sum of all gradients so far: the loss falls, then overshoots and oscillates. No error will tell you.
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
# Given: operations written by users.


# %%
#| export
from tinytorch.given.autograd.functions import *
