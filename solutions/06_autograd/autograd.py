# %% [markdown]
# # 06 Autograd
#
# Every operation that you have built so far can compute its result. None of them can say how the result would change if
# an input changed a little, and training is that question, asked a million times. In this module you give operations a
# rule of a few lines each that answers it, and you write the walk that combines the rules into the gradient of any
# program built from them.
#
# When you are done you will be able to
#
# - derive and write the gradient rule of an operation, broadcasting included, and check it numerically;
# - say exactly what `loss.backward()` does, in which order, and what it keeps alive until then;
# - explain why gradients add up, when the graph is freed, and what an in-place change can break;
# - find the operation that made the first NaN.
#
# ## What you build
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
# Until now `x.backward()` raised an error that pointed to module 06, which is this one.


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

from tinytorch.given.predictions import compare
from tinytorch.tensor import from_numpy, ones, rand, randn, tensor, zeros


# %% [markdown]
# ## 1. A gradient by hand
#
# Before anything is automatic, do it once by hand. Take two layers and a squared error,
#
# $$h = \max(0, x W_1), \qquad y = h W_2, \qquad L = \tfrac1N \sum_{ij} (y_{ij} - t_{ij})^2$$
#
# with $x$ of shape (B, D), $W_1$ of shape (D, H), $W_2$ of shape (H, C) and $N = BC$. A bar over a name means "the
# gradient of $L$ with respect to it"; it always has the same shape as the name. The chain rule says: go through the
# lines backwards, and turn the gradient of a line's result into the gradients of its inputs. One element $u$ of an
# input affects $L$ through every element $v$ of the result that it changes, and these effects add up:
#
# $$\bar u = \sum_v \bar v \, \frac{\partial v}{\partial u}$$
#
# The last line is done as an example. $y_{ij}$ occurs in one term of the sum only, and the slope of that term is
# $\frac2N (y_{ij} - t_{ij})$. The others are yours, on paper, before you write any code:
#
# | forward | backward |
# |---|---|
# | $L = \frac1N \sum (y - t)^2$ | $\bar y = \frac2N (y - t)$ |
# | $y = h W_2$ | $\bar h$ and $\bar W_2$ from $\bar y$: derive both |
# | $h = \max(0, a)$ | $\bar a$ from $\bar h$: derive it (at 0 the slope is 0) |
# | $a = x W_1$ | $\bar W_1$ from $\bar a$ |
#
# The second row is worth the time: most of the arithmetic of training is that row. Your tests change each weight a
# little and watch $L$, so they accept whatever way of writing it you find.
#
# <details><summary>Hint 1</summary>Write one element of the product: <code>y[b, c]</code> is the sum over k of
# <code>h[b, k] W2[k, c]</code>. Which elements of <code>y</code> change with <code>W2[k, c]</code>? Those in column c,
# one for each b, and the slope is <code>h[b, k]</code>. So its gradient is a sum over b. Do the same for <code>h[b,
# k]</code>.</details>
# <details><summary>Hint 2</summary>A sum over one common index is a matrix product, once one of the two factors is
# transposed; the shapes say which, since <code>W2</code>'s gradient must be (H, C). The ReLU changes one element at a
# time: its slope is 1 where <code>a > 0</code>, and 0 elsewhere, at 0 too.</details>
# <details><summary>Hint 3</summary>With g for a gradient: g(h) = g(y) W2ᵀ, g(W2) = hᵀ g(y), g(a) = g(h) where a > 0 and
# otherwise 0, g(W1) = xᵀ g(a). N is the number of elements of y.</details>


# %% stub="by-hand"
#| export
def two_layer_gradients(x, W1, W2, target):
    """Compute the gradients of a two-layer network's mean squared error, without autograd.

    L = mean((max(0, x W1) W2 - target)^2)

    Args:
        x: inputs, an array (B, D).
        W1, W2: weights, arrays (D, H) and (H, C).
        target: the wanted outputs, an array (B, C).

    Returns:
        The gradients of L with respect to W1 and W2: arrays (D, H) and (H, C) of the type
        that all four arrays have.

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


def test_the_output_weights_get_the_gradient_of_differences():
    said = "the gradient of W2, against differences"
    for sizes in ((5, 3, 4, 2), (1, 2, 3, 1), (4, 4, 4, 4)):
        check_by_hand(1, f"{said}; B, D, H, C = {sizes}", *sizes)


def test_the_hidden_weights_get_the_gradient_of_differences():
    said = "the gradient of W1, against differences"
    for sizes in ((5, 3, 4, 2), (1, 2, 3, 1), (4, 4, 4, 4)):
        check_by_hand(0, f"{said}; B, D, H, C = {sizes}", *sizes)


def test_at_zero_the_relu_passes_nothing():
    x, W1, one = np.array([[1.0, 1.0]]), np.array([[1.0], [-1.0]]), np.array([[1.0]])
    found, _ = two_layer_gradients(x, W1, one, one)
    agrees(found, np.zeros((2, 1)), "a is 0: the gradient of h passes only where a > 0")


# %% [markdown]
# That was a network of two layers, and you had to know all of it. Each line of the backward column, however, needed
# only its own line of the forward: `y = h W2` gets $\bar y$, remembers $h$ and $W_2$, and returns $\bar h$ and
# $\bar W_2$. So give every operation such a rule, once, and let a program call the rules in the right order. The rest
# of this module does these two things.
#
# ## 2. Rules
#
# An operation's `forward` leaves a `Context` with what it saved. Its rule takes that context and the gradient of the
# result, and returns the gradient of each input. `gradient` makes the rule the operation's `backward`; nothing else
# changes in the earlier modules. (In PyTorch's core, too, rules are separate from kernels. The operations that you
# write from module 09 on have their `backward` next to their `forward`.)
#
# The next cell is given. `call` is for rules that need another operation: under `create_graph`, explained at the end,
# the same rules run on Tensors, so that gradients have gradients, and `call` works for both.


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
            assert one is None, f"{said}: the gradient of input {number} must be None"
        else:
            agrees(one, right, f"{said}: the gradient of input {number}", rtol)
    grad = tensor(cotangent, requires_grad=True)
    for one, right in zip(run_rule(node, [grad], create_graph=True), wanted):
        if right is not None:
            agrees(one.detach().array, right, f"{said}, with create_graph", rtol)
            cut = "given a Tensor, the rule must return a Tensor with its graph"
            assert leads_back(one, grad), f"{said}: {cut}"


# %% [markdown]
# ### Undoing a broadcast
#
# In `x * y` with `x` of shape (2, 3) and `y` of shape (3,), each element of `y` was used twice, once for each row. When
# it changes, both uses change the loss, and the effects add up. So the gradient of `y` is a *sum* over every dimension
# along which it was stretched:
#
# ```
#     forward                       backward
#     y (3,)    used as (2, 3)      grad (2, 3)    sum over the rows             (3,)
#     y (2, 1)  used as (2, 3)      grad (2, 3)    sum over the columns, kept    (2, 1)
# ```
#
# So there are two cases: leading dimensions that were missing, which have to be removed, and dimensions of length 1
# that were stretched, which have to stay, with length 1.
#
# <details><summary>Hint 1</summary>How many more dimensions does the gradient have than the shape? Those are the
# missing ones, and they are in front.</details>
# <details><summary>Hint 2</summary>Collect the axes to sum over: the missing ones, and each one where the shape has 1
# and the gradient does not. Sum with <code>keepdims=True</code>.</details>
# <details><summary>Hint 3</summary>After a sum with kept dimensions over all those axes, <code>.reshape(shape)</code>
# drops the leading ones.</details>


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
    for shape in ((2, 1, 4), (1, 3, 1), (2, 1, 1), (1, 1, 1)):
        check_unbroadcast((2, 3, 4), shape)
    check_unbroadcast((2, 3, 4), (3, 1))
    check_unbroadcast((2, 3, 4), (1, 4))


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
        said = f"a gradient of shape {shape} for that shape: return `grad` itself, not a copy"
        assert unbroadcast(grad, shape) is grad, said


def test_a_tensor_stays_a_tensor_with_its_graph():
    for shape in ((3,), (2, 1), ()):
        grad = ones(2, 3, requires_grad=True)
        found = unbroadcast(grad, shape)
        said = f"(2, 3) back to {shape}: a Tensor must stay a Tensor, by Tensor operations"
        assert isinstance(found, Tensor), said
        assert leads_back(found, grad), f"{said}, so that it can be differentiated again"


# %% [markdown]
# ### A product
#
# For $z = xy$, element by element, $\bar x = \bar z\, y$ and $\bar y = \bar z\, x$: each factor's slope is the other
# factor. `Mul.forward` saved both. Undo the broadcast, and do not compute what is not needed: `ctx.needs_input_grad`
# says, for each input, whether its gradient is needed. A number (`x * 2`) is passed unchanged, and `np.shape(2)` is
# `()`.
#
# <details><summary>Hint 1</summary><code>x, y = ctx.saved_tensors</code> returns what the forward saved.</details>
# <details><summary>Hint 2</summary>The gradient of <code>x</code> is <code>grad * y</code>, brought to the shape of
# <code>x</code>.</details>
# <details><summary>Hint 3</summary>Your <code>unbroadcast</code> brings it there. Check
# <code>ctx.needs_input_grad</code> before you compute either of the two.</details>


# %% stub="mul-gradient"
#| export
@gradient(operations.Mul)
def mul_backward(ctx, grad):
    """Compute the gradients of both factors of x * y.

    Args:
        ctx: the call's context; its saved tensors are x and y, arrays or numbers.
        grad: the gradient of the product, of the shape to which x and y broadcast.

    Returns:
        The gradients of x and of y, each of its factor's shape; None for one that
        `ctx.needs_input_grad` does not need. All of them may be Tensors in place of arrays:
        use only what both have.
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
        said = f"factors {x.shape} and {y.shape}, needs_input_grad {need_x, need_y}"
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
# $s = \sum_i x_i$, over all elements or, along a dimension, row by row. Derive this rule as you did in section 1: which
# elements of $s$ change with one $x_i$, and how much? You will find the counterpart of what `unbroadcast` does.
#
# The one difficulty is the missing dimension. `x.sum(1)` of a (2, 3) is (2,), and a gradient of shape (2,) does not say
# along which side of `x` it lies. The given `restored(ctx, grad, shape)` puts the reduced dimensions back, with length
# 1 (the forward left `ctx.axis` and `ctx.keepdim` for it, and the shape of `x` in `ctx.shape`). To change a shape in a
# rule, run an operation of module 01 through `call`, with its options by name: `operations.Reshape` and
# `operations.Expand` have a `shape`, `operations.Permute` has `dims`. None of the three needs to copy.
#
# <details><summary>Hint 1</summary>For a sum along the rows, <code>s[b]</code> is <code>x[b, 0] + x[b, 1] + ...</code>:
# an element of <code>x</code> occurs in exactly one element of <code>s</code>. What is the slope there?</details>
# <details><summary>Hint 2</summary>The slope is 1. So the rule has nothing to compute: every element of <code>x</code>
# gets the gradient of its own sum, the same number all along the dimension that was reduced. First make sure that this
# dimension is there.</details>
# <details><summary>Hint 3</summary>In a formula: g(x)[b, i] = g(s)[b], for every i. The restored gradient has length 1
# along i, and <code>Expand</code> repeats it there.</details>


# %% stub="sum-gradient"
#| export
@gradient(operations.Sum)
def sum_backward(ctx, grad):
    """Compute the gradient of what was summed.

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
    """Check that each element gets the gradient of its own sum."""
    for kind in (np.float32, np.float64):
        grad, x = np.array(cotangent, kind), np.zeros(x_shape, kind)
        axes = tuple(range(x.ndim)) if dim is None else dim
        kept = grad if keepdim else np.expand_dims(grad, axes)
        wanted = np.broadcast_to(kept, x_shape)
        said = f"the sum of {x_shape} over dim={dim}, keepdim={keepdim}"
        found = tensor(x, requires_grad=True).sum(dim, keepdim)
        check_rule(found, grad, wanted, said=said)


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
# You derived this rule in section 1, for two matrices. What remains is what `matmul` accepts besides: leading
# dimensions, which may be broadcast, and vectors. The rule becomes short if everything is a matrix first: a vector on
# the left is a single row, one on the right a single column, and the gradient gets the same extra dimension. The given
# `as_matrices` does that.
#
# One case deserves care, because training spends much of its time on it: activations of shape (B, T, C) times one
# weight matrix (C, D). Its gradient is a sum over B and T. Computed batch by batch and then summed, it makes B matrices
# that are thrown away; as *one* product of a (C, BT) and a (BT, D) matrix, the product does the sum.
#
# <details><summary>Hint 1</summary><code>swapaxes(-2, -1)</code> transposes the last two dimensions, of arrays and of
# Tensors.</details>
# <details><summary>Hint 2</summary>Each gradient is the product of <code>grad</code> with the other operand transposed,
# on the side that the shapes allow. In batches this gives a matrix for each batch; <code>unbroadcast</code> sums them
# where the operand had a single one. Last, an operand that was a vector needs its own shape again.</details>
# <details><summary>Hint 3</summary>For one matrix on the right, reshape both to two dimensions before the product.
# Count the rows with <code>math.prod(rows.shape[:-1])</code>: where a length is 0, -1 cannot be inferred.</details>


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
        said = f"{shape_x} @ {shape_y}, needs_input_grad {need_x, need_y}"
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
# In the operations so far, an output depended on a single element of an input, or on a row times a column. In a
# softmax, $p_i = e^{x_i} / \sum_k e^{x_k}$, every output along the dimension depends on every input: the Jacobian
# $\partial p_i / \partial x_j$ is an n x n matrix for each row. For a vocabulary of 50,000 tokens that is 2.5 billion
# numbers, so it must never be built. All that is needed is the gradient times that matrix,
#
# $$\bar x_j = \sum_i \bar p_i \, \frac{\partial p_i}{\partial x_j},$$
#
# and on paper the sum becomes much simpler. Derive the Jacobian (there are two cases, $i = j$ and $i \ne j$), put it
# in, and go on until each $\bar x_j$ needs only numbers at $j$ and *one* sum that is the same for the whole row. The
# result costs no more than the forward. This is why backward is said to compute *vector-Jacobian products*: the
# Jacobian itself is never in memory.
#
# <details><summary>Hint 1</summary>Logarithms are easier: log p[i] = x[i] - log(sum of exp(x[k])), and the slope of
# p[i] is p[i] times the slope of its logarithm. What is the slope of log p[i] with respect to x[j], once for j = i and
# once for another j? Everything can be written with p, which the forward saved.</details>
# <details><summary>Hint 2</summary>The slope of p[i] with respect to x[j] is p[i] (1 - p[j]) for i = j and -p[i] p[j]
# otherwise. Put it into the sum over i: the 1 leaves a single term, and p[j] can be taken out of the rest.</details>
# <details><summary>Hint 3</summary>With g for a gradient and S = the sum over i of g(p)[i] p[i]: g(x)[j] = p[j]
# (g(p)[j] - S). S is a sum along <code>ctx.axis</code>, which must keep that dimension; arrays and Tensors both have
# <code>sum</code> with <code>axis</code> and <code>keepdims</code>.</details>


# %% stub="softmax-gradient"
#| export
@gradient(activations.Softmax)
def softmax_backward(ctx, grad):
    """Multiply a gradient by the Jacobian of a softmax, without building it.

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
# `y = x[index]` copies elements out. Backward, each element's gradient goes back to where it was copied from, into
# zeros.
#
# **Predict:** `out` holds four zeros. What is `out[1]` after `out[[1, 1, 1]] += [1, 10, 100]`?


# %%
predicted_sum = None  # a number


# %%
out = np.zeros(4)
out[[1, 1, 1]] += [1, 10, 100]
compare(predicted_sum, out[1])


# %% [markdown]
# NumPy reads `out[[1, 1, 1]]`, adds, and assigns three times: each assignment overwrites the one before. If the index
# names a row three times, all three gradients belong to that row, and have to be *added*. For embeddings the mistake
# would be bad: a word that occurs five times in a batch would learn from one of the five.
#
# `np.add.at(out, index, g)` adds correctly but is slow. For rows there is a faster way, which you write here: sort the
# row indices, so that equal ones are neighbours, and let `np.add.reduceat` sum each run.
#
# ```
#     rows      [2, 0, 2, 1]             sorted   [0, 1, 2, 2]
#     starts of runs                              [0, 1, 2]
#     np.add.reduceat(g[order], starts, axis=0)   one sum per run, for rows [0, 1, 2]
# ```
#
# <details><summary>Hint 1</summary><code>rows.argsort(kind="stable")</code> is the order; negative rows count from the
# end, so take them modulo the number of rows first.</details>
# <details><summary>Hint 2</summary>A run starts wherever a sorted row differs from the one before it:
# <code>np.flatnonzero(np.diff(sorted_rows, prepend=-1))</code>.</details>
# <details><summary>Hint 3</summary>Assign each run's sum once, to the row at its start. With no rows at all there is
# nothing to add.</details>


# %% stub="add-rows"
#| export
def add_rows(grad, rows, shape):
    """Add rows of a gradient into zeros of a shape, each to the row with its index.

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


def test_each_row_gets_the_sum_of_its_gradients():
    grad = np.float32([[1, 10], [2, 20], [4, 40], [8, 80]])
    check_rows(grad, np.array([1, 1, 2, 0]), (3, 2))
    check_rows(grad[:3], np.array([2, 1, 2]), (3, 2))
    check_rows(grad[:3], np.array([1, -2, 1]), (3, 2))


def test_many_rows_in_any_order():
    rng = np.random.default_rng(0)
    for low in (-7, 0, 1, 6):
        rows, grad = rng.integers(low, 7, 200), rng.standard_normal((200, 3, 2))
        check_rows(grad, rows, (7, 3, 2))


def test_single_numbers_are_rows_too():
    check_rows(np.array([1.0, 2.0, 4.0]), np.array([0, 3, 0]), (4,))
    check_rows(np.array([1.0]), np.array([1]), (2,))
    check_rows(np.array([np.inf, 1.0]), np.array([0, 1]), (2,))


def test_no_rows_at_all():
    check_rows(np.zeros((0, 2)), np.zeros(0, int), (3, 2))
    check_rows(np.zeros((0, 2), np.float32), np.zeros(0, int), (0, 2))


# %% [markdown]
# ## 3. The walk
#
# Calling `x * y` on tensors that require a gradient created a node, `z.grad_fn`. A node holds its operation, what was
# saved, and its `edges`: for each input, where that input's gradient goes. An edge is a pair of a node and the number
# of its output (most operations have only output 0), or of a leaf tensor and 0, or None.
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
# Backward starts at the bottom with a gradient of one, runs `Add`'s rule, sends its results along the edges, then runs
# `Mul`'s, and so on. The order matters: a node may run only when *everything* that used its result has sent its part,
# because the rule needs the total. There is a simple way to ensure that. An operation can only use tensors that exist
# already, so every node that uses a node's result has a larger number. Take the waiting nodes in descending order of
# their numbers, and the total is always complete. A heap (`heapq`) gives the largest at once, and without recursion a
# chain of a hundred thousand operations is no problem.
#
# For each waiting node, keep a list with one slot for each of its outputs, and sum the arriving gradients there. **Add
# with `a + b`, never with `+=`**: a rule may return the same array for two inputs (`Add` does), and changing it in
# place would change both.
#
# A node has a `number`, `edges`, `hooks` (None if there are none), and `results`, one entry for each output. The rest
# of what happens at a node is given, in `tinytorch/given/autograd/nodes.py`:
#
# - `run_hooks(node, slots)` calls the user's hooks, which may replace the gradients in the slots;
# - `caught(node, slots, wanted, useful, arrived)` records gradients that `grad(...)` was asked for, as the hooks have
#   left them, and returns True if nothing that is wanted lies beyond the node;
# - `run_rule(node, slots, create_graph)` finds the rule, and returns a gradient, or None, for each edge;
# - `node.free()` frees what was saved: call it unless `retain_graph` is set.
#
# Write the walk.
#
# <details><summary>Hint 1</summary>Three containers: a dict from node to its slots (<code>pending</code>), a heap of
# <code>(-node.number, node)</code>, and a dict from leaf edge to gradient (<code>arrived</code>). A small inner
# function <code>send(edge, grad)</code> stores a gradient; the walk begins by sending to the roots.</details>
# <details><summary>Hint 2</summary><code>send</code>: if the edge's first half is a Tensor, it is a leaf: add into
# <code>arrived[edge]</code>. Otherwise, if the node is not pending yet, make its slots,
# <code>[None] * len(node.results)</code>, and push it on the heap; then add into its slot.</details>
# <details><summary>Hint 3</summary>The loop: pop a node, remove its slots from <code>pending</code>, run the hooks if
# <code>node.hooks is not None</code>, skip the rest if <code>wanted is not None and caught(...)</code>, send each
# gradient of <code>run_rule(node, slots, create_graph)</code> along its edge unless either is None, and free the
# node.</details>


# %% stub="walk"
#| export
def walk(roots, gradients, retain_graph=False, create_graph=False, wanted=None):
    """Send gradients from the roots back through the graph, and return what arrives.

    Args:
        roots: edges, (node or leaf, number of the output), where the walk begins.
        gradients: the gradient of each root: arrays, or Tensors with `create_graph`.
        retain_graph: keep what the nodes have saved.
        create_graph: run the rules on Tensors, so that the gradients have gradients.
        wanted: the edges whose gradients are wanted, a set; None means all leaves.

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
    assert set(arrived) == {(x, 0), (y, 0)}, "only the leaves must be returned"


def test_hooks_see_the_total_and_may_replace_it():
    x, seen = leaf(1.0), []
    y = Scale.apply(x, by=2)
    y.grad_fn.hooks = {0: {1: lambda grad: seen.append(grad.item()) or grad * 10}}
    (found,) = gradients_of(Sum3.apply(y, y, y), x)
    assert seen == [6], f"a hook of y is called once, with all of its gradient, 6: saw {seen}"
    agrees(found, np.float32([120]), "the hook made 60 of 6, and y is 2 x")


def test_what_is_wanted_is_recorded_after_the_hooks():
    y = Scale.apply(leaf(1.0), by=2)
    y.grad_fn.hooks = {0: {1: lambda grad: grad * 10}}
    arrived = walk([Scale.apply(y, by=3).edge()], [np.float32([1])], wanted={y.edge()})
    agrees(
        arrived.get(y.edge()), np.float32([30]), "a hook makes 30 of 3, then y is asked for"
    )


def test_a_gradient_of_zeros_arrives():
    x = leaf(1.0, 2.0)
    (found,) = gradients_of(Scale.apply(x, by=0), x)
    assert found is not None, "zero is a gradient too: x must get it, not None"
    agrees(found, np.float32([0, 0]), "0 times the gradient")


def test_a_node_without_hooks_runs_none():
    x = leaf(1.0)
    y = Scale.apply(x, by=2)
    assert y.grad_fn.hooks is None, "no hook is registered"
    agrees(
        gradients_of(y, x)[0], np.float32([2]), "without hooks the gradient must not change"
    )


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
    raise AssertionError("without retain_graph, what a node saved is freed: node.free()")


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
# The gradient that arrives at a leaf goes into its `.grad`, and if there is one already, it is *added*: that is why
# training calls `zero_grad`, and why gradients of several small batches can be accumulated.
#
# Be careful about who owns the memory. `.grad` will be changed in place: by clipping, and by the next backward. The
# array that arrived, however, may be used elsewhere: the rule of an addition returns the same array for two leaves, a
# user's rule may return what it saved, and a hook may have put it in a list. If it became `.grad`, clipping one
# gradient would clip the other as well. So always copy the first gradient. Later ones are added into that copy, and
# since that is an in-place change, record it with `changed`: a graph that has saved `.grad` must raise an error
# afterwards.
#
# <details><summary>Hint 1</summary>Three cases: a Tensor (with <code>create_graph</code>, when it must not be changed
# in place), no <code>.grad</code> yet, and one to add to.</details>
# <details><summary>Hint 2</summary><code>leaf._grad</code> is where <code>.grad</code> is kept.
# <code>grad.astype(dtype, order="C")</code> copies an array, <code>wrap(array)</code> makes a Tensor around it, and
# <code>grad.clone()</code> copies a Tensor with its graph.</details>
# <details><summary>Hint 3</summary>To add: change the array in <code>leaf._grad</code> with <code>+=</code>, so that
# all references to <code>.grad</code> see the sum, as in PyTorch, and pass that array to
# <code>changed</code>.</details>


# %% stub="accumulate"
#| export
def accumulate(leaf, grad):
    """Put a copy of a gradient into a leaf's `.grad`, or add it to the existing one.

    Args:
        leaf: a Tensor; its `.grad` is kept in `leaf._grad`.
        grad: an array of the leaf's shape, copied to the leaf's type and contiguous, or added
            in place, which is recorded; or a Tensor, which has its own graph: then `.grad`
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
        assert x.grad is held, "every reference to x.grad sees the sum: add in place"
        agrees(view.array, total, "and so does a view of its memory, such as x.grad.detach()")


def test_nobody_shares_the_memory_of_a_gradient():
    x, y, grad = leaf(1.0), leaf(2.0), np.float32([3])
    accumulate(x, grad)
    accumulate(y, grad)
    x.grad.array[0] = 100
    agrees(
        grad, np.float32([3]), "x.grad must be a copy: the arriving gradient must not change"
    )
    agrees(y.grad.array, np.float32([3]), "x.grad and y.grad must be two copies")


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
    raise AssertionError(
        "the product saved x.grad, which has changed since: record it, changed(array)"
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
# Evaluating a model, or changing weights by hand, should leave no graph behind: it costs memory, and a recorded update
# would be differentiated through. `Function.apply` checks `grad_mode.enabled` before it records. `no_grad` switches it
# off for a block and restores *the previous value*, even if the block raises, and even if blocks are nested.


# %%
#| export
from tinytorch.given.autograd.decorating import *


# %% [markdown]
# `with block:` calls `block.__enter__()` first, and `block.__exit__(...)` last, whether the lines between end, return
# or raise. `Block`, given, turns an object with these two methods into a decorator as well. One object may be entered
# again before it is left, `with block: ... with block: ...`, so one remembered value is not enough: keep a list,
# `self.previous`, with one value for each open block.
#
# <details><summary>Hint 1</summary>On entering, remember the flag, then set it to <code>self.mode</code>; on leaving,
# restore the remembered value.</details>
# <details><summary>Hint 2</summary>Restore what you remembered, not True: the block may be inside another
# one.</details>
# <details><summary>Hint 3</summary>The block that was entered last is left first:
# <code>self.previous.append(...)</code> and <code>self.previous.pop()</code>.</details>


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
        """Remember whether operations are recorded now, and set it to `self.mode`."""
        ### BEGIN SOLUTION
        self.previous.append(grad_mode.enabled)
        grad_mode.enabled = self.mode
        ### END SOLUTION

    def __exit__(self, *error):
        """Restore the value from before this block; `error` says what was raised in it."""
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
            "the inner block ends, but the outer one has not: restore the previous value"
        )
    with no_grad():
        grad_mode.enabled = True  # like `enable_grad`, which is given below
        with no_grad():
            assert not recording(), (
                "recording was switched on, and must be off in the inner block"
            )
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
    assert on, "recording was on before the first entry, so it is on after the last exit"
    with block:
        assert not recording(), "and it can be used again"
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
    assert on, "the flag must be restored when the block raises, too"
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
# The rest of both is mainly checking arguments. Read `backward` once, because you will call it from now on: it finds
# where the walk begins, runs the walk, and accumulates what arrives at the leaves. It records only under
# `create_graph`. `grad` returns the arriving gradients instead.


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
        RuntimeError: if a tensor does not require a gradient, or is not a scalar and has no
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
# ## 6. Checking gradients
#
# A wrong rule rarely raises an error. The loss may still fall, only more slowly, and you look for the fault in the
# learning rate. So gradients are *checked* against a method that uses no rules at all: change one input element a
# little in both directions, and see how every output changes.
#
# $$\frac{\partial y_j}{\partial x_i} \approx \frac{y_j(x_i + \varepsilon) - y_j(x_i - \varepsilon)}{2 \varepsilon}$$
#
# Two-sided, because its error falls with $\varepsilon^2$. In float64, because the difference of two nearly equal
# numbers loses digits: with $\varepsilon = 10^{-6}$ about ten of sixteen remain, and of float32's seven hardly any
# would.
#
# <details><summary>Hint 1</summary>For each position of the input (<code>np.ndindex(x.shape)</code>): keep the value,
# put <code>value + eps</code> in its place, call the function, put <code>value - eps</code>, call again, and put the
# value back.</details>
# <details><summary>Hint 2</summary>Copy the function's result before you change the input again: it may share the
# input's memory. <code>try</code> and <code>finally</code> restore the value whatever the function raises.</details>
# <details><summary>Hint 3</summary>Each position gives a row, <code>(above - below).ravel() / (2 * eps)</code>; stack
# them. An input without elements gives no rows: an array of shape (0, number of outputs).</details>


# %% stub="numerical-jacobian"
#| export
def numerical_jacobian(function, inputs, which, eps=1e-6):
    """Measure by central differences how each output element changes with each input element.

    Args:
        function: takes the inputs, returns one Tensor, of any type; called under `no_grad()`.
        inputs: float64 Tensors. The array of `inputs[which]` is changed in place while this
            runs, and restored, even if the function raises.
        which: the number of the input that is changed.
        eps: how far it is changed, in both directions.

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
    """Compare a Jacobian; the inputs must have their values back, to the last bit."""
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
        said = "whatever the function does, the input must get its value back"
        np.testing.assert_array_equal(x.array, [1, 2], err_msg=said)
        return
    raise AssertionError("what the function raises must come out")


def test_the_differences_are_central():
    said = "a one-sided difference of a cube is 6 eps off, a central one eps squared"
    cube = lambda x: x * x * x
    check_jacobian(cube, [[12 + 1e-6]], said, tensor(np.array([2.0])), eps=1e-3)


def test_a_result_in_the_memory_of_the_input_is_followed():
    said = "copy the result before the input is changed again"
    check_jacobian(lambda x: x.reshape(2), np.eye(2), said, tensor(np.array([[1.0, 2.0]])))


def test_an_input_that_is_a_view_is_moved_where_it_lies():
    x = from_numpy(np.arange(6.0).reshape(2, 3)).T
    said = "the function sees the input's own array: change that, not a copy of it"
    check_jacobian(lambda x: x * 3, 3 * np.eye(6), said, x)


def test_the_differences_are_taken_in_float64():
    W = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    said = "a function that returns float32 makes a float64 Jacobian"
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
    said = "no elements to change: a matrix (0, 2)"
    empty = tensor(np.ones(0))
    check_jacobian(lambda x: x.sum() + zeros(2), np.zeros((0, 2)), said, empty)


# %% [markdown]
# `gradcheck`, given below, compares this with the same matrix from the rules: one backward pass for each output
# element, with a gradient that is one there and zero elsewhere. It checks every element. A check of a sum with gradient
# one would pass rules that ignore the incoming gradient.


# %%
#| export
from tinytorch.given.autograd.checking import *


# %% [markdown]
# ## 7. The rules of all the others
#
# These are given, in `tinytorch/given/autograd/`, and best read together with the operation. They repeat a few ideas: a
# slope times the gradient; a stretch for a reduction; the way back for a copy of some elements. One of each:


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
# The first cell is your own `backward`, through a graph of four operations; the second compares seven of them with
# differences and says True. From here on you can check every gradient of this course like this.
#
# ### A picture
#
# `draw_graph` draws the graph that `backward` will walk. Boxes are nodes, rounded ones are leaves; arrows show where
# gradients go.


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
# The hidden activations are used twice, by the product and by the sum, so `ReluBackward0` has two incoming arrows: it
# waits for both.
#
# ## 8. Gradients of gradients
#
# With `create_graph=True` the walk runs the same rules on Tensors in place of arrays: `grad * y` is then an operation
# like any other, and creates a node. What the forward saved as an array comes back as the original Tensor, with its own
# place in the graph. This is why a rule must use only what arrays and Tensors both have, and why a forward should save
# inputs and outputs: a saved intermediate result has no place in the graph, and its part of the second derivative would
# silently be lost. A Function that does save one sets `once_differentiable = True`, and a second derivative raises an
# error.


# %%
x = tensor([1.0, 2.0, 3.0], requires_grad=True)
(slope,) = grad((x**4).sum(), x, create_graph=True)  # 4 x^3
(curvature,) = grad(slope.sum(), x)  # 12 x^2
print(slope, curvature, sep="\n")


# %% [markdown]
# ### Anomalies
#
# One more tool is given: inside `detect_anomaly`, each node remembers where it was called, and each gradient is checked
# when it is computed. You will see it at work below.


# %% [markdown]
# ## Systems: what backward keeps alive
#
# Between forward and backward, everything that was saved stays in memory. With a large batch that is far more than the
# parameters, and it limits the size of the batch. Measure it: eight layers of width 512, a batch of 1,024, the bytes
# that Python and NumPy have allocated before, between and after.
#
# **Predict:** the forward computes sixteen arrays of 1,024 x 512, eight products and eight `tanh`. How many of them are
# alive when it has returned?


# %%
predicted_arrays = None  # a number of arrays


# %% [markdown]
# The cell below counts bytes with `tracemalloc`, which sees what NumPy allocates.


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
assert after_backward < 0.1 * after_forward, "after backward, they are freed"
compare(predicted_arrays, after_forward / (1024 * 512 * 4), "arrays")


# %% [markdown]
# Eight layers keep eight activations and little else: `matmul` saved its input, which is the `tanh` output of the
# previous layer, and `tanh` saved that same output: one array, two nodes. Without a graph only the current activations
# exist. After backward the memory is back where it was, because each node freed what it had saved as soon as it had
# run.
#
# ### Time, forward and backward
#
# A matrix product needs two in backward, one for each operand. So backward should take about twice as long where
# products dominate. Does it? And on tensors of eight numbers, what does the bookkeeping cost?
#
# **Predict:** how many times as long as the forward does the backward of the eight layers take? And how many
# microseconds does `y * 1.0001` take, recorded, for eight numbers? (For NumPy alone it is less than one.)


# %%
predicted_ratio = None  # backward over forward
predicted_microseconds = None  # for one product in the forward


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
layers = milliseconds(lambda: loss_of(x), 5)
products = milliseconds(chain, 7)
for name, (forward, backward_) in [
    ("eight layers, batch 1,024", layers),
    ("1,000 products of 8 numbers", products),
]:
    times = f"forward {forward:7.2f} ms   backward {backward_:7.2f} ms"
    print(f"{name:28} {times}   ratio {backward_ / forward:.1f}")
compare(predicted_ratio, layers[1] / layers[0], "times")
compare(predicted_microseconds, products[0], "microseconds")  # ms for 1,000 products


# %% [markdown]
# In the second line, divide by a thousand: microseconds per operation, most of it spent in Python around a product
# of eight numbers that takes less than one. This is the cost of deciding everything at run time. It does not matter
# when each operation moves a megabyte, and it dominates when models are tiny.
#
# ## Break it
#
# **Changed in place.** `x * y` saved `y`. If `y` changes before backward, the gradient of `x` would be the new `y`,
# which is silently wrong. Every in-place change is recorded with its time, and a node raises an error if its saved
# arrays were changed after it was created.


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
# **A NaN in the gradient alone.** The square root has an infinite slope at zero, and zero times infinity is NaN.
# Everything that forward computes is finite, but the gradient is not. `detect_anomaly` names the operation and the line
# that called it.


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
# Add a small number under the root, or use the square in the loss.
#
# **A forgotten `zero_grad`.** Without it each step trains on the sum of all gradients so far: the loss falls, then
# overshoots and oscillates. No error is raised.
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
# PyTorch's engine also prefers the ready node with the largest sequence number. Its rules are in `derivatives.yaml`, an
# entry for each operation, from which C++ is generated; `saved_tensors` check a version counter where ours compare
# times.
#
# ## Questions to think about
#
# 1. `add` saves nothing, `mul` both inputs, `exp` its output. For which operations could you choose between saving the
#    input and saving the output, and which choice keeps less alive in `relu(x @ W)`?
#
#    <details><summary>Answer</summary>
#
#    Wherever the slope can be computed from the output: `exp` ($y$), `tanh` ($1 - y^2$), `sigmoid` ($y(1-y)$), `sqrt`
#    ($1/2y$), `1/x` ($-y^2$), softmax, and ReLU, because $y > 0$ exactly where $x > 0$. Not for `sin`: $y$ does not say
#    which sign $\cos x$ has. Choose the array that another node keeps anyway. In `relu(x @ W)` nobody else needs the
#    product, but the next layer's product saves the ReLU's output. So saving the output costs one array a layer, and
#    saving the input would cost two. For 1,024 x 512 numbers, 2.1 MB are alive, not 4.2:
#
#    ```python
#    x, W = randn(1024, 512), randn(512, 512, requires_grad=True)
#    for _ in range(2):  # the first call may load modules
#        tracemalloc.start()
#        h = (x @ W).relu()
#        print(tracemalloc.get_traced_memory()[0] / 1e6, "MB")
#        tracemalloc.stop()
#    print(np.shares_memory(h.grad_fn.saved_tensors[0], h.array))
#    ```
#
#    </details>
#
# 2. The walk keeps every gradient until its node runs. In a chain that is one array at a time. In which graph would it
#    hold many?
#
#    <details><summary>Answer</summary>
#
#    In one where many nodes receive their gradient early and run late. A recurrent network whose loss uses the output
#    of each of its T steps is such a graph: the part of the loss was called last, so it runs first and sends one
#    gradient to each step; T arrays then wait while the walk goes back through the chain. With twenty `sin` of a
#    million numbers, the loss of the last output alone allocates 2 arrays in backward, the one that arrives and the one
#    that a rule makes of it; the program below, 22. The gradients of leaves wait in `arrived` until the end as well.
#
#    ```python
#    y, outputs = ones(1_000_000, requires_grad=True), []
#    for _ in range(20):
#        y = y.sin()
#        outputs.append(y)
#    loss = sum((y * y).sum() for y in outputs)
#    tracemalloc.start()
#    loss.backward()
#    print(tracemalloc.get_traced_memory()[1] / 4e6, "arrays")
#    tracemalloc.stop()
#    ```
#
#    </details>
#
# 3. Checkpointing throws activations away and computes them again in backward. For a chain of n equal layers, where
#    would you put the checkpoints so that both memory and extra time are small?
#
#    <details><summary>Answer</summary>
#
#    At equal distances, k of them. Backward then needs the k checkpoints and, for one segment at a time, the n/k
#    activations that it computes again: $k + n/k$ arrays. The derivative, $1 - n/k^2$, is zero at $k = \sqrt n$, which
#    makes $2\sqrt n$ arrays: 16 in place of 64 for 64 layers. Each layer is computed once more, so the extra time is at
#    most one forward; where backward takes two, a step takes 4 in place of 3, a third more. Checkpoints inside
#    segments, recursively, need only about $\log n$ arrays, for about $\log n$ extra forwards.
#
#    </details>
#
# 4. Forward-mode differentiation sends slopes along with values, from inputs to outputs. When is it cheaper than what
#    you built?
#
#    <details><summary>Answer</summary>
#
#    One forward-mode pass gives the slopes of all outputs in one direction of the inputs, a *column* of the Jacobian,
#    for a small multiple of the forward's cost; one backward gives a *row*, all slopes of one output. With n inputs and
#    m outputs that is n passes against m. So forward mode is cheaper for few inputs and many outputs, or when only one
#    direction is wanted, and it keeps nothing alive until later. For training it is hopeless: the network of *Systems*
#    has 8 x 512² = 2,097,152 parameters and one loss, which makes two million passes against one walk.
#
#    </details>
#
# 5. Why does `gradcheck` need float64, while training works with float32?
#
#    <details><summary>Answer</summary>
#
#    A difference loses digits, a rule does not. Near 1 a float32 is rounded by up to 6e-8, so the difference of two
#    results, divided by $2\varepsilon = 2 \cdot 10^{-6}$, can be wrong by some 6e-8 / 1e-6 = 6 %. With a larger
#    $\varepsilon$ the curve's own bend dominates. For `tanh` at 1,000 random points the median relative error was
#    1.5e-2 for float32 and 3e-11 for float64 at $\varepsilon = 10^{-6}$; float32's best was 7e-6, at $\varepsilon =
#    0.005$. The rule itself, $\bar y (1 - y^2)$ in float32, was 3e-8 off. Training only multiplies and adds, and the
#    noise of a small batch is far larger than that.
#
#    ```python
#    points = np.random.default_rng(0).standard_normal(1000)
#    for kind in (np.float32, np.float64):
#        x, eps = points.astype(kind), kind(1e-6)
#        measured = (np.tanh(x + eps) - np.tanh(x - eps)) / 2e-6
#        slope = 1 - np.tanh(points) ** 2
#        print(kind.__name__, np.median(abs(measured - slope) / slope))
#    ```
#
#    </details>
#
# ## To read
#
# - D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by back-propagating errors", Nature 323,
#   1986: four pages that made the method known, with by-hand derivations like yours.
# - A. G. Baydin, B. A. Pearlmutter, A. A. Radul and J. M. Siskind, "Automatic Differentiation in Machine Learning: a
#   Survey", JMLR 18, 2018, sections 2 and 3: what it is not, and forward against reverse mode with worked examples.
# - A. Griewank and A. Walther, "Evaluating Derivatives", 2nd edition, SIAM, 2008, chapters 3 and 12: why a gradient
#   costs a small multiple of the function, and the theory of checkpoints.
# - T. Chen, B. Xu, C. Zhang and C. Guestrin, "Training Deep Nets with Sublinear Memory Cost", 2016, arXiv:1604.06174:
#   the square root of question 3, in a real framework.
# - PyTorch's documentation, the note "Autograd mechanics": saved tensors, in-place changes and threads, in the engine
#   that yours mirrors.
#
# ## An open problem
#
# `tinytorch.utils.checkpoint.checkpoint` has PyTorch's arguments but calls the function and keeps everything. Build one
# that forgets: a `Function` whose forward calls `function` under `no_grad` and saves the input alone, and whose
# backward calls it again, this time recorded, and walks that graph. The function may use parameters of its own, and
# they need their gradients too. The cell below says what to reach; it reports that nothing is built until `checkpoint`
# returns something. Then try random numbers: a dropout inside has to draw the same ones twice.


# %%
def checkpoint(function, x):
    """Call function(x), and keep of it only x and the result until backward."""
    raise NotImplementedError


def check_checkpoint():
    W = (randn(64, 64) * 0.1).requires_grad_()

    def segment(x):
        for _ in range(8):
            x = (x @ W).tanh()
        return x

    found = []
    for run in (segment, lambda x: checkpoint(segment, x)):
        x, W.grad = ones(256, 64, requires_grad=True), None
        tracemalloc.start()
        output = run(x)
        arrays = tracemalloc.get_traced_memory()[0] / output.array.nbytes
        tracemalloc.stop()
        (output * output).sum().backward()
        found.append((arrays, x.grad.array, W.grad.array))
    (_, x_grad, W_grad), (arrays, x_again, W_again) = found
    np.testing.assert_allclose(x_again, x_grad, rtol=1e-5)
    np.testing.assert_allclose(W_again, W_grad, rtol=1e-5)
    assert arrays < 1.5, f"{arrays:.1f} arrays are alive after the forward; one is enough"


try:
    check_checkpoint()
    print("checkpoint forgets, and has the same gradients")
except NotImplementedError:
    print("not built yet")


# %% [markdown]
# ## What comes next
#
# You have the gradient of a loss with respect to every parameter. Module 07 shows what to do with it, beyond a small
# step downhill.
#
# ## The rest of the family
#
# Also given: operations written by users.


# %%
#| export
from tinytorch.given.autograd.functions import *
