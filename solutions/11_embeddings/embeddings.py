# %% [markdown]
# # 11 Embeddings
#
# A network works with vectors; a text is a list of whole numbers. In between is a table with one vector for each
# number, and looking up a row of it is the first thing that a language model does. It is the simplest layer of all, and
# in a small model the largest: nearly a third of the parameters of the smallest GPT-2 are in it. Its gradient adds rows
# to rows, and is easy to get wrong.
#
# When you are done you will be able to
#
# - say why a lookup is a matrix product, and why it is not computed as one;
# - write its gradient, for rows that occur many times, without a loop over them;
# - tell a model the order of its words in three ways: by waves, by learned vectors, by rotation;
# - count what a table costs, and say what happens when two layers share one.
#
# ## Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `one_hot` | `torch.nn.functional.one_hot` | |
# | `embedding`, `Embedding` | `torch.nn.functional.embedding`, `torch.nn.Embedding` | no sparse gradients |
# | `embedding_bag`, `EmbeddingBag` | `torch.nn.functional.embedding_bag`, `torch.nn.EmbeddingBag` | no sparse gradients |
# | `SinusoidalPositions`, `LearnedPositions`, `RotaryPositions`, `apply_rotary` | | ours: PyTorch leaves them to the model |
#
# From this module on you write an operation's `forward` and `backward` together, in one class, as in
# `torch.autograd.Function`. `backward(ctx, grad)` follows the rules of module 06: it returns a tuple, with a gradient for
# each array that `forward` gets, works on arrays and on Tensors alike, and uses `call` for other operations. Your code
# can use what the first of the next two cells imports; the second is for tests and experiments only.


# %%
#| export
import numpy as np

from tinytorch.autograd import IndexAdd, call
from tinytorch.given.embeddings.checks import *  # check_classes, check_indices
from tinytorch.layers import Module, Parameter, normal_
from tinytorch.tensor import Context, Function, empty, wrap


# %%
import contextlib
import time
from functools import partial

import matplotlib.pyplot as plt

from tinytorch.given.predictions import compare
from tinytorch.layers import Linear
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import SGD, Adam
from tinytorch.tensor import float64, from_numpy, manual_seed, ones, randn, tensor, zeros


# %% [markdown]
# ## 1. A lookup is a product
#
# Symbol 2 of five can be written as the row `[0, 0, 1, 0, 0]`: one *hot* entry. Multiply that row by a table, and the
# result is row 2 of the table.
#
# ```
#                     [ 0.1  0.9 ]
#                     [ 0.4  0.2 ]
# [ 0  0  1  0  0 ] · [ 0.7  0.5 ]  =  [ 0.7  0.5 ]
#                     [ 0.3  0.8 ]
#                     [ 0.6  0.0 ]
# ```
#
# So an embedding is a linear layer whose input is one-hot, and everything that you know about linear layers applies to
# it. Write `one_hot` first; `check_classes` (given) raises the same errors as PyTorch and finds the number of classes.
#
# <details><summary>Hint 1</summary>Entry <code>c</code> of the row for index <code>i</code> is 1 exactly if
# <code>i == c</code>: a comparison, for all <code>c</code> at once.</details>
# <details><summary>Hint 2</summary>Give the indices one more dimension at the end, of length 1, and compare with the
# numbers of all classes: they broadcast.</details>
# <details><summary>Hint 3</summary>Comparing gives booleans: convert them to int64, and <code>wrap</code> makes a
# Tensor of the array.</details>


# %% stub="one-hot"
#| export
def one_hot(input, num_classes=-1):
    """Turn each index into a row with a one at its position and zeros elsewhere.

    Args:
        input: indices (...), int64, none negative.
        num_classes: the length C of the rows; -1 stands for the largest index plus one.

    Returns:
        An int64 tensor (..., C).

    Raises:
        RuntimeError: for another dtype, a negative index, or one that is not below C.

    >>> one_hot(tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    num_classes = check_classes(input, num_classes)
    ### BEGIN SOLUTION
    return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.int64))
    ### END SOLUTION


# %% test="one-hot" points=3
@contextlib.contextmanager
def unchanged(**inputs):
    """Check, before anything else, that a call has not changed its inputs."""
    kept = {name: array.copy() for name, array in inputs.items()}
    yield
    for name, array in inputs.items():
        said = f"{name} belongs to the caller, and must not be changed in place"
        np.testing.assert_array_equal(array, kept[name], err_msg=said)


def test_a_row_has_its_one_at_the_index():
    indices = tensor([2, 0])
    with unchanged(input=indices.numpy()):
        found = one_hot(indices, 4)
    assert hasattr(found, "numpy"), f"a Tensor is returned, not a {type(found).__name__}"
    assert tuple(found.shape) == (2, 4), (
        f"two indices of four classes make (2, 4), not {tuple(found.shape)}"
    )
    wanted = [[0, 0, 1, 0], [1, 0, 0, 0]]
    said = "indices 2 and 0: a one there, zeros elsewhere"
    np.testing.assert_array_equal(found.numpy(), wanted, err_msg=said)


def test_the_classes_stand_in_a_new_last_dimension():
    indices = np.random.default_rng(0).integers(0, 3, (2, 3, 4))
    for part in (indices, indices[0, 0], indices[0, 0, 0]):
        found = one_hot(tensor(part), 3).numpy()
        wanted = np.eye(3, dtype=int)[part]
        assert found.shape == wanted.shape, (
            f"indices of shape {np.shape(part)} become {wanted.shape}, not {found.shape}"
        )
        np.testing.assert_array_equal(found, wanted, err_msg="a one at each index")
    none = one_hot(from_numpy(np.zeros((0, 2), int)), 3).numpy()
    assert none.shape == (0, 2, 3), f"indices (0, 2) become (0, 2, 3), not {none.shape}"


def test_one_hot_rows_are_whole_numbers():
    found = one_hot(tensor([1]), 2).numpy()
    assert found.dtype == np.int64, f"PyTorch's one_hot returns int64, not {found.dtype}"
    found = one_hot(from_numpy(np.zeros(0, int)), 2).numpy()
    assert found.dtype == np.int64, f"also for no indices it is int64, not {found.dtype}"
    found = one_hot(tensor([1, 0])).numpy().tolist()
    assert found == [[0, 1], [1, 0]], (
        f"without a number of classes, it is the largest index plus one: not {found}"
    )


# %% [markdown]
# Now the smallest example that shows the problem. A thousand tokens, a vocabulary of 8,000, vectors of 64 numbers: by a
# product, and by lookup.
#
# **Predict:** matrix products are what processors do best. How many times as long as the lookup does the product take?


# %%
predicted_product = None  # times as long as the lookup


# %%
def milliseconds(run, repeats=7):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2] * 1e3


rng = np.random.default_rng(0)
table, tokens = rng.standard_normal((8000, 64)).astype(np.float32), rng.integers(0, 8000, 1000)
hot = one_hot(from_numpy(tokens), 8000).numpy().astype(np.float32)
print("the same:", np.array_equal(hot @ table, table[tokens]))
product_time, lookup_time = (
    milliseconds(lambda: hot @ table),
    milliseconds(lambda: table[tokens]),
)
print(f"one-hot rows {hot.nbytes / 1e6:.0f} MB, product {product_time:.1f} ms")
print(f"indices {tokens.nbytes / 1e6:.3f} MB, lookup {lookup_time:.3f} ms")
compare(predicted_product, product_time / lookup_time, "times")


# %% [markdown]
# The product multiplies by zero 7,999 times out of 8,000, so it is not computed that way. But seeing it as a product
# gives you the gradient.
#
# ## 2. The gradient of a lookup
#
# For $Y = HW$ with one-hot rows $H$, module 06 says $\bar W = H^\top \bar Y$. Row $v$ of that is the sum of the
# gradients of all places where symbol $v$ occurred, and zero if it did not occur. The transposed lookup is a *scatter*:
# each gradient is added to the row that was looked up.
#
# ```
# indices   2    0    2                      row 0:  g1
#           |    |    |                      row 1:  0
# grad      g0   g1   g2        adds up to   row 2:  g0 + g2
# ```
#
# In NumPy, `W_grad[indices] += grad` is wrong (it adds once for each row, not once for each occurrence), and
# `np.add.at` is right, but adds number by number. You wrote another way in module 06: `add_rows` sorts the indices and
# adds each run with `np.add.reduceat`. It is used by `IndexAdd`, an operation that has its own gradient:
# `call(IndexAdd, grad, index=indices, shape=shape)` works for arrays, and for Tensors when second derivatives are
# wanted.
#
# Two of PyTorch's options change the gradient. A *padding* symbol fills up short sentences, and must not learn: its
# gradients become zero. And `scale_grad_by_freq` divides the gradient of each occurrence by how often the symbol occurs
# in `indices`, so that frequent words do not learn faster than rare ones.
#
# <details><summary>Hint 1</summary>First change <code>grad</code>, then scatter it. Do not change it in place: the
# array belongs to the caller.</details>
# <details><summary>Hint 2</summary>Multiplied by a comparison of the indices with <code>padding_idx</code>, with one
# more dimension, the gradient is zero at the padding. <code>np.bincount</code> of the flat indices says how often each
# symbol occurs.</details>
# <details><summary>Hint 3</summary>The counts, indexed by the indices and with one more dimension, match
# <code>grad</code> position by position. Float32 divided by int64 becomes float64, so give the counts
# <code>grad</code>'s dtype: <code>getattr(grad, "array", grad).dtype</code> is that of an array and of a
# Tensor.</details>


# %% stub="lookup-gradient"
#| export
def lookup_gradient(grad, indices, shape, padding_idx=None, scale_grad_by_freq=False):
    """Compute the gradient of a table from the gradient of the rows that were looked up in it.

    output[indices[i]] += grad[i], for every i

    Args:
        grad: the gradient of the rows, an array (..., D), or a Tensor.
        indices: which row each of them belongs to, an integer array (...).
        shape: the shape of the table, (V, D).
        padding_idx: a row, counted from 0, that gets no gradient; or None.
        scale_grad_by_freq: divide each gradient by how often its row was looked up.

    Returns:
        The table's gradient (V, D), of grad's dtype.

    >>> lookup_gradient(np.float32([[1], [2], [4]]), np.array([2, 0, 2]), (3, 1)).ravel()
    array([2., 0., 5.], dtype=float32)
    """
    ### BEGIN SOLUTION
    if padding_idx is not None:
        grad = grad * (indices != padding_idx)[..., None]
    if scale_grad_by_freq:
        counts = np.bincount(indices.ravel())
        dtype = getattr(grad, "array", grad).dtype
        grad = grad / counts[indices][..., None].astype(dtype)
    return call(IndexAdd, grad, index=indices, shape=shape)
    ### END SOLUTION


# %% test="lookup-gradient" points=6
def scattered(grad, indices, shape):
    """The gradient, one occurrence at a time."""
    output = np.zeros(shape, grad.dtype)
    for position in np.ndindex(indices.shape):
        output[indices[position]] += grad[position]
    return output


def occurrences(shape=(4, 6), rows=5, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((*shape, dim)).astype(np.float32), rng.integers(0, rows, shape)


def check_gradient(wanted, said, grad, indices, *options, **named):
    with unchanged(grad=grad, indices=indices):
        found = lookup_gradient(grad, indices, wanted.shape, *options, **named)
    assert found.shape == wanted.shape, f"the table is {wanted.shape}, not {found.shape}"
    assert found.dtype == grad.dtype, f"{grad.dtype} stays {grad.dtype}, not {found.dtype}"
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=said)


def test_every_occurrence_adds_to_its_row():
    said = "row v is the sum of grad over all places where the index is v, else zero"
    for shape in ((4, 6), (9,), (2, 3, 4), ()):
        grad, indices = occurrences(shape)
        check_gradient(scattered(grad, indices, (7, 3)), said, grad, indices)
    nothing, nowhere = np.zeros((0, 3), np.float32), np.zeros(0, int)
    check_gradient(np.zeros((5, 3), np.float32), "no index, no gradient", nothing, nowhere)


def test_padding_learns_nothing():
    grad, indices = occurrences()
    for padding in (2, 0):
        wanted = scattered(grad, indices, (5, 3))
        wanted[padding] = 0
        said = f"row {padding} is the padding: it gets a gradient of zero, the others theirs"
        check_gradient(wanted, said, grad, indices, padding_idx=padding)


def test_gradients_can_be_scaled_by_frequency():
    grad, indices = occurrences()
    indices += 2  # rows 0 and 1 of seven are not looked up
    counts = np.bincount(indices.ravel(), minlength=7).astype(np.float32)
    wanted = scattered(grad, indices, (7, 3)) / np.maximum(counts, 1)[:, None]
    said = "scale_grad_by_freq divides each row by how often it was looked up"
    check_gradient(wanted, said, grad, indices, scale_grad_by_freq=True)
    wanted[3] = 0
    check_gradient(wanted, f"{said}; row 3 is the padding", grad, indices, 3, True)
    wide = wanted.astype(np.float64)
    check_gradient(wide, said, grad.astype(np.float64), indices, 3, True)
    small, half = np.float16([[1], [2], [4]]), np.float16([[2], [0], [2.5]])
    check_gradient(half, f"{said}; float16", small, np.array([2, 0, 2]), None, True)
    check_gradient(0 * wanted, "no index, no count", grad[:0, 0], indices[:0, 0], None, True)


def test_the_gradient_of_tensors_is_a_tensor():
    grad, indices = occurrences()
    wanted = scattered(grad, indices, (5, 3))
    wanted[2] = 0
    wanted /= np.maximum(np.bincount(indices.ravel(), minlength=5), 1)[:, None]
    leaf = from_numpy(grad).requires_grad_()
    found = lookup_gradient(leaf, indices, (5, 3), 2, True)
    assert getattr(found, "requires_grad", False), (
        "for a Tensor, as in second derivatives, every step is one that autograd can follow"
    )
    said = "for a Tensor too: rows added up, over how often each occurs, row 2 left zero"
    np.testing.assert_allclose(
        found.detach().numpy(), wanted, rtol=1e-5, atol=1e-6, err_msg=said
    )


# %% [markdown]
# ### The operation
#
# Now put both halves into one class. The forward is one line of NumPy. What has to be saved? Not the table: the
# gradient of a product needs the other factor, and the other factor is the one-hot matrix, for which the indices are
# enough. Indices are whole numbers and have no gradient, so `backward` returns None for them. (`check_indices`, given,
# raises the same errors as PyTorch, also for negative indices.)
#
# <details><summary>Hint 1</summary><code>weight[indices]</code> copies the rows, for indices of any shape.</details>
# <details><summary>Hint 2</summary>Save the indices with <code>ctx.save_for_backward</code>; <code>weight.shape</code>,
# <code>padding_idx</code> and <code>scale_grad_by_freq</code> are small, and can be attributes of
# <code>ctx</code>.</details>
# <details><summary>Hint 3</summary>In <code>backward</code> your <code>lookup_gradient</code> does the work; everything
# it needs is in <code>ctx</code>. The indices come first among the inputs, so their None does too.</details>


# %% stub="lookup"
#| export
class Lookup(Function):
    @staticmethod
    def forward(ctx, indices, weight, padding_idx=None, scale_grad_by_freq=False):
        """Take one row of a table for each index.

        Args:
            indices: integers (...), each in [0, V).
            weight: the table (V, D).
            padding_idx, scale_grad_by_freq: as for `lookup_gradient`, of the gradient only.

        Returns:
            The rows (..., D), a new array.

        Saves:
            The indices, by `save_for_backward`; small things that `backward` needs are
            attributes of ctx.

        >>> Lookup.forward(Context(), np.array([1, 1]), np.float32([[1, 2], [3, 4]]))
        array([[3., 4.],
               [3., 4.]], dtype=float32)
        """
        check_indices(indices, weight)
        ### BEGIN SOLUTION
        ctx.save_for_backward(indices)
        ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        return weight[indices]
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        """Return the gradients of the indices, which have none, and of the table."""
        ### BEGIN SOLUTION
        (indices,) = ctx.saved_tensors
        return None, lookup_gradient(grad, indices, *ctx.options)
        ### END SOLUTION


# %% test="lookup" points=5
def small_table(dtype=np.float32):
    return np.random.default_rng(1).standard_normal((5, 3)).astype(dtype)


def saved_by(ctx):
    """How many numbers `forward` saved for `backward`; no attribute of ctx holds an array."""
    others = {**vars(ctx), "saved": ()}
    arrays = [name for name, value in others.items() if "array(" in repr(value)]
    assert arrays == [], f"arrays go to save_for_backward, not to attributes of ctx: {arrays}"
    return sum(array.size for array in ctx.saved_tensors)


def test_each_index_gives_its_row():
    for dtype, padding in ((np.float32, None), (np.float64, 0)):
        W, indices, ctx = small_table(dtype), np.array([[4, 0], [0, 2]]), Context()
        wanted = np.stack([[W[4], W[0]], [W[0], W[2]]])
        with unchanged(weight=W, indices=indices):
            found = Lookup.forward(ctx, indices, W, padding)
        said = f"rows 4, 0 and rows 0, 2, also with padding_idx={padding}"
        np.testing.assert_array_equal(found, wanted, err_msg=said)
        assert found.dtype == dtype, f"rows of {W.dtype} are {W.dtype}, not {found.dtype}"
        saved = saved_by(ctx)
        said = f"the 4 indices are saved, not the table or rows of it: {saved} numbers were"
        assert saved == 4, said
    none = Lookup.forward(Context(), np.zeros((0, 5), int), W)
    assert none.shape == (0, 5, 3), f"(0, 5) indices give (0, 5, 3), not {none.shape}"


def check_backward(output, grad, wanted):
    """The types of what `backward` itself returns for an array, in a tuple."""
    found = output.grad_fn.function.backward(output.grad_fn, grad)
    kinds = type(found).__name__
    if isinstance(found, tuple):
        kinds = [type(each).__name__ for each in found][: len(wanted)]
    assert kinds == wanted, f"backward of an array returns a tuple of {wanted}, not {kinds}"


def check_table_gradient(indices, wanted, said, cotangent, **options):
    W = from_numpy(small_table()).requires_grad_()
    Lookup.apply(tensor(indices), W, **options).backward(from_numpy(cotangent))
    np.testing.assert_allclose(W.grad.numpy(), wanted, rtol=1e-5, err_msg=said)


def test_the_table_gets_a_gradient_and_the_indices_none():
    indices = np.array([[4, 0], [0, 2]])
    cotangent = np.random.default_rng(2).standard_normal((2, 2, 3)).astype(np.float32)
    output = Lookup.apply(tensor(indices), from_numpy(small_table()).requires_grad_())
    check_backward(output, cotangent, ["NoneType", "ndarray"])
    wanted = scattered(cotangent, indices, (5, 3))
    said = "row 0 was looked up twice: both add up"
    check_table_gradient(indices, wanted, said, cotangent)


def test_options_reach_the_gradient():
    g = np.random.default_rng(3).standard_normal((3, 3)).astype(np.float32)
    wanted = np.zeros((5, 3), np.float32)
    wanted[1], wanted[0] = g[0] + g[1], g[2]
    halved, padded, other = wanted.copy(), wanted.copy(), wanted.copy()
    halved[1] /= 2
    padded[1] = other[0] = 0
    for options, expected in [
        ({"scale_grad_by_freq": True}, halved),
        ({"padding_idx": 1}, padded),
        ({"padding_idx": 0}, other),
        ({"padding_idx": 0, "scale_grad_by_freq": True}, halved * (other != 0)),
    ]:
        said = f"indices 1, 1, 0 with {options}"
        check_table_gradient([1, 1, 0], expected, said, g, **options)


def test_the_rows_are_a_copy():
    W = small_table()
    Lookup.forward(Context(), np.array([0]), W)[0] = 99
    changed = np.argwhere(W == 99).tolist()
    assert changed == [], f"what was looked up was set to 99, and the table at {changed} too"


def test_second_derivatives_pass_through():
    from tinytorch.autograd import gradgradcheck

    W = from_numpy(small_table(np.float64)).requires_grad_()
    for options in ({}, {"padding_idx": 2}):
        assert gradgradcheck(
            lambda W, options=options: Lookup.apply(tensor([0, 2, 2]), W, **options) ** 3, [W]
        ), f"the second derivatives of a lookup with {options} are those of differences"


# %%
#| export
from tinytorch.given.embeddings.functional import *
from tinytorch.given.embeddings.bags import *  # rows summed, averaged, or their maximum


# %% [markdown]
# ### Measured: four ways to add rows
#
# A batch of 8 times 128 tokens and vectors of 256 numbers, for a vocabulary of 256 bytes and for GPT-2's of 50,257. The
# product needs a one-hot matrix, which for the large vocabulary would take 206 MB, and `bincount` goes over the whole
# table once for each column: both are left out there.


# %%
grad = rng.standard_normal((1024, 256)).astype(np.float32)


def add_at(ids, V):
    output = np.zeros((V, 256), np.float32)
    np.add.at(output, ids, grad)
    return output


def bincounts(ids, V):
    return np.stack([np.bincount(ids, column, V) for column in grad.T], axis=1)


def product(ids, V):
    return np.eye(V, dtype=np.float32)[ids].T @ grad


def yours(ids, V):
    return lookup_gradient(grad, ids, (V, 256))


for V, ways in [
    (256, [product, bincounts, add_at, yours]),
    (50257, [add_at, yours]),
]:
    ids = rng.integers(0, V, 1024)
    times = [f"{way.__name__} {milliseconds(partial(way, ids, V), 3):.2f} ms" for way in ways]
    print(f"V = {V:6}:", "   ".join(times))


# %% [markdown]
# With the large vocabulary, where a token rarely occurs twice, `add.at` and yours are close. The gradient is an array
# as large as the table, 51 MB, of which at most 1,024 rows are not zero; `np.zeros` gets memory from the operating
# system that is already zero and touches none of it until it is written, and each written row is somewhere else in it.
# An optimizer, however, will read all 51 MB.
#
# ## 3. The layer
#
# `Embedding` is a module around one parameter. PyTorch initialises it from the standard normal distribution, whatever
# its size, and sets the row of `padding_idx` to zero. A lookup gives that row no gradient, so it stays zero unless the
# table has another use, as in "One table for two" below. `embedding`, given, is the function with all of PyTorch's
# options.
#
# <details><summary>Hint 1</summary>As in <code>Linear</code>: make the parameter empty, of shape
# <code>(num_embeddings, embedding_dim)</code>, then let <code>reset_parameters</code> fill it.</details>
# <details><summary>Hint 2</summary><code>normal_(self.weight)</code> draws. To write to a parameter without autograd,
# use <code>self.weight.detach()</code>, which shares its memory.</details>
# <details><summary>Hint 3</summary><code>forward</code> passes the input, the weight and the options to
# <code>embedding</code>, by position or by name.</details>


# %% stub="embedding"
#| export
class Embedding(Module):
    """A table of one learned vector for each of `num_embeddings` symbols.

    Args:
        num_embeddings: the number V of symbols.
        embedding_dim: the length D of a vector.
        padding_idx: a symbol whose vector starts as zero, and gets no gradient from lookups;
            negative counts from the end.
        max_norm: vectors that are looked up and longer than this are shortened, in place.
        norm_type: which norm is used.
        scale_grad_by_freq: divide gradients by how often a symbol occurs in the batch.
        sparse: passed to `embedding`, which raises NotImplementedError if it is True.
        _weight: a given table (V, D), instead of a drawn one.
        _freeze: the table, given or drawn, requires no gradient.
        device, dtype: of the table, as `empty` takes them.

    Shape:
        indices (...) to vectors (..., D).

    >>> Embedding(10, 3)(tensor([[1, 2], [3, 3]])).shape
    torch.Size([2, 2, 3])
    """

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if padding_idx is not None:
            assert -num_embeddings <= padding_idx < num_embeddings, (
                "Padding_idx must be within num_embeddings"
            )
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = (
            num_embeddings,
            embedding_dim,
            padding_idx,
        )
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is not None:
            assert list(_weight.shape) == [num_embeddings, embedding_dim], (
                "Shape of weight does not match num_embeddings and embedding_dim"
            )
            self.weight = Parameter(_weight, requires_grad=not _freeze)
            return
        ### BEGIN SOLUTION
        self.weight = Parameter(
            empty(num_embeddings, embedding_dim, device=device, dtype=dtype),
            requires_grad=not _freeze,
        )
        self.reset_parameters()
        ### END SOLUTION

    def reset_parameters(self):
        """Draw every vector from the standard normal distribution; padding's is zero."""
        ### BEGIN SOLUTION
        normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0.0
        ### END SOLUTION

    def forward(self, input):
        ### BEGIN SOLUTION
        norm, scale = (self.max_norm, self.norm_type), self.scale_grad_by_freq
        return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        ### END SOLUTION

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ):
        """An Embedding over a table (V, D) that exists already; `freeze` keeps it as it is."""
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        return cls(
            *embeddings.shape,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            embeddings,
            freeze,
        )

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        return text + (", sparse=True" if self.sparse else "")


# %% test="embedding" points=6
def vectors_of(layer):
    return layer.weight.detach().numpy()


def test_the_table_has_a_row_for_each_symbol():
    layer = Embedding(10, 3)
    assert tuple(layer.weight.shape) == (10, 3), (
        f"weight is (num_embeddings, embedding_dim), not {tuple(layer.weight.shape)}"
    )
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight"], f"it is registered, as a Parameter called weight: {names}"
    for options, trained in [
        ({}, True),
        ({"max_norm": 1.0}, True),
        ({"_freeze": True}, False),
    ]:
        found = Embedding(10, 3, **options).weight.requires_grad
        assert found is trained, f"Embedding(10, 3, **{options}): requires_grad is {trained}"
    found = Embedding(10, 3, device="cpu", dtype=float64).weight.dtype
    assert found is float64, f"the table has the requested dtype, float64, not {found}"


def test_vectors_start_as_pytorchs_do():
    manual_seed(0)
    layer = Embedding(3, 2)
    # PyTorch 2.13, seed 0
    wanted = [[1.5409961, -0.2934289], [-2.1787894, 0.5684313], [-1.0845224, -1.3985955]]
    drawn = abs(randn(1).item() - wanted[0][0]) > 1e-3  # the seed's first number is used up
    assert drawn, "nothing is drawn for a new table: does `__init__` call reset_parameters?"
    said = "standard normal, drawn once"
    np.testing.assert_allclose(vectors_of(layer), wanted, rtol=1e-5, err_msg=said)
    manual_seed(0)
    weight = layer.weight
    layer.reset_parameters()
    said = "reset_parameters fills the Parameter, which an optimizer may have, and makes none"
    assert layer.weight is weight, said
    np.testing.assert_allclose(vectors_of(layer), wanted, rtol=1e-5, err_msg="drawn again")


def test_it_looks_rows_up():
    indices = np.array([[1, 5, 1], [0, 2, 2]])
    for layer in (Embedding(6, 4), Embedding.from_pretrained(ones(6, 4), padding_idx=2)):
        wanted = vectors_of(layer)[indices]
        found = layer(tensor(indices)).detach().numpy()
        said = f"row i of weight as it is, for each index i; padding_idx={layer.padding_idx}"
        np.testing.assert_array_equal(found, wanted, err_msg=said)


def test_padding_starts_at_zero_and_gets_no_gradient():
    g = np.random.default_rng(5).standard_normal((3, 3)).astype(np.float32)
    for asked, padding in ((-1, 4), (0, 0), (2, 2)):
        layer = Embedding(5, 3, padding_idx=asked)
        for when in ("at first", "after another reset_parameters()"):
            zero = np.flatnonzero(~vectors_of(layer).any(1)).tolist()
            said = f"padding_idx={asked} of 5: row {padding} is zero {when}, not {zero}"
            assert zero == [padding], said
            layer.reset_parameters()
        layer(tensor([padding, 1, padding])).backward(from_numpy(g))
        wanted = np.zeros((5, 3))
        wanted[1] = g[1]
        said = f"row {padding} is the padding, and gets no gradient"
        np.testing.assert_array_equal(layer.weight.grad.numpy(), wanted, err_msg=said)


def test_long_vectors_are_shortened_where_they_are():
    rows = [[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]
    for norm, length in ((2.0, 5), (1.0, 7)):
        layer = Embedding.from_pretrained(tensor(rows), max_norm=1.0, norm_type=norm)
        wanted = [[3 / length, 4 / length], [0.3, 0.4]]
        said = f"max_norm=1 and norm_type={norm} are used: [3, 4] is {length} long"
        np.testing.assert_allclose(
            layer(tensor([0, 1])).numpy(), wanted, rtol=1e-5, err_msg=said
        )
        said = "rows that are not looked up stay"
        np.testing.assert_allclose(layer.weight.numpy()[2], [6, 8], err_msg=said)


def test_frequent_symbols_can_be_scaled():
    g = np.random.default_rng(6).standard_normal((3, 2)).astype(np.float32)
    for scale, divisor in ((True, 2), (False, 1)):
        layer = Embedding(3, 2, scale_grad_by_freq=scale)
        layer(tensor([1, 1, 2])).backward(from_numpy(g))
        wanted, said = [0 * g[0], (g[0] + g[1]) / divisor, g[2]], f"scale_grad_by_freq={scale}"
        np.testing.assert_allclose(layer.weight.grad.numpy(), wanted, rtol=1e-6, err_msg=said)


def check_refused(error, said, run):
    try:
        found = run()
    except error:
        return
    raise AssertionError(f"{said}, which raises {error.__name__}; back came {found}")


def test_sparse_and_device_are_handed_on():
    said, layer = "sparse=True goes to `embedding`", Embedding(3, 2, sparse=True)
    check_refused(NotImplementedError, said, lambda: layer(tensor([0, 2])))
    said = "device='nowhere' goes to `empty`"
    check_refused(RuntimeError, said, lambda: Embedding(3, 2, device="nowhere"))


# %% [markdown]
# ### What a table learns
#
# The vectors start as random numbers. What happens to them in training? Train a minimal language model: it looks up the
# vector of one character, here two numbers, and a `Linear` turns it into a score for each possible next character. Two
# numbers are all that it knows about a character. So it is best for characters that are followed by much the same to
# have nearby vectors.


# %%
from pydoc_data.topics import topics

alphabet = "abcdefghijklmnopqrstuvwxyz .,"
text = [c for c in "".join(topics.values()).lower() if c in alphabet]
ids = np.array([alphabet.index(c) for c in text])
manual_seed(0)
table, scores = Embedding(len(alphabet), 2), Linear(2, len(alphabet))
start = table.weight.detach().numpy().copy()
optimizer, losses = Adam([*table.parameters(), *scores.parameters()], lr=0.05), []
for _ in range(400):
    places = rng.integers(0, len(ids) - 1, 256)
    loss = cross_entropy(scores(table(from_numpy(ids[places]))), from_numpy(ids[places + 1]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss: {losses[0]:.2f} at first, {np.mean(losses[-50:]):.2f} over the last 50 steps")


# %%
is_vowel = np.array([c in "aeiou" for c in alphabet])
is_letter = np.array([c.isalpha() for c in alphabet])
figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for axes, vectors, title in zip(
    panels, (start, table.weight.detach().numpy()), ("start", "trained")
):
    axes.scatter(*vectors.T, s=0)
    for character, (x, y), vowel in zip(alphabet, vectors, is_vowel):
        shown, color = character.replace(" ", "␣"), "C3" if vowel else "C0"
        axes.text(x, y, shown, color=color, ha="center", va="center")
    axes.set_title(title)
    vowels, consonants = vectors[is_vowel], vectors[is_letter & ~is_vowel]
    middles = np.linalg.norm(vowels.mean(0) - consonants.mean(0))
    print(f"{title:8} vowels are {vowels.std(0).mean():.2f} scattered, ", end="")
    print(f"and their centre is {middles:.2f} from the consonants'")
plt.show()


# %% [markdown]
# The model was not told what a vowel is. But vowels are followed by other characters than consonants are, and so the
# five have moved away from the rest to a place of their own. This is all the meaning that a table has: symbols that are
# used in similar ways have nearby vectors. Their absolute position means nothing; with another seed the picture is
# rotated or mirrored. In models of words, with hundreds of numbers in place of two, days of the week cluster in the
# same way, and cities, and verbs in the past tense (Mikolov et al., 2013).
#
# ## 4. Where in the sentence
#
# Attention, in the next module, compares all pairs of vectors by their products, and products do not depend on the
# order: "dog bites man" and "man bites dog" are the same three vectors. (With a mask that hides what comes later, a
# model of several layers can infer something about positions, but it has to learn to: Haviv et al., 2022.) So the
# position is put *into* the vectors.
#
# ### Waves
#
# The first transformer (Vaswani et al., 2017, section 3.5) adds to vector $p$ a row of sines and cosines of $p$, from
# fast ones to slow ones:
#
# $$\mathrm{PE}_{p,\,2i} = \sin\frac{p}{10000^{2i/d}}, \qquad \mathrm{PE}_{p,\,2i+1} = \cos\frac{p}{10000^{2i/d}}$$
#
# It is counting. In a binary number the last digit changes at every step, the one before at every second step, and so
# on; here are digits that change smoothly.
#
# <details><summary>Hint 1</summary>First a table of angles, one row for each position and one column for each wave.
# There are <code>dim / 2</code> waves, rounded up.</details>
# <details><summary>Hint 2</summary>The positions as a column divided by a row of powers: <code>base ** (2 i /
# dim)</code> for each wave i. Leave it in float64: the sine of a large angle needs the digits.</details>
# <details><summary>Hint 3</summary>A slice with step 2 is every second column: sines go into the even ones, cosines
# into the odd ones. Where <code>dim</code> is odd there is one odd column fewer than angles.</details>


# %% stub="sinusoidal"
#| export
def sinusoidal_positions(length, dim, base=10000.0):
    """Make the table of waves by which Vaswani et al. (2017, section 3.5) number positions.

    table[p, 2i] = sin(p / base^(2i/dim)),  table[p, 2i+1] = cos(p / base^(2i/dim))

    Args:
        length: the number of positions.
        dim: the length of a position's vector; if it is odd, the last wave has only a sine.
        base: determines the ratio of the longest wave to the shortest.

    Returns:
        A float32 array (length, dim).

    >>> sinusoidal_positions(2, 2).round(4)
    array([[0.    , 1.    ],
           [0.8415, 0.5403]], dtype=float32)
    """
    ### BEGIN SOLUTION
    angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
    table = np.empty((length, dim), np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, : dim // 2]
    return table
    ### END SOLUTION


# %% test="sinusoidal" points=4
def check_waves(length, dim, base=10000.0):
    wanted = np.zeros((length, dim))
    for p in range(length):
        for column in range(dim):
            angle = p / base ** (2 * (column // 2) / dim)
            wanted[p, column] = np.cos(angle) if column % 2 else np.sin(angle)
    found = sinusoidal_positions(length, dim, base)
    said = f"the table is a NumPy array, not a {type(found).__name__}"
    assert isinstance(found, np.ndarray), said
    assert found.dtype == np.float32, f"the table is float32, not {found.dtype}"
    said = f"column 2i is the sine, 2i + 1 the cosine, of p / {base:g}^(2i/dim), dim = {dim}"
    np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=said)


def test_the_waves_are_those_of_the_paper():
    for length, dim in ((50, 8), (3, 2)):
        check_waves(length, dim)
    check_waves(0, 4)


def test_an_odd_length_ends_with_a_sine():
    for dim in (5, 1):
        check_waves(9, dim)


def test_the_base_can_be_chosen():
    for base in (100.0, 500000.0):
        check_waves(9, 4, base)


def test_late_positions_are_exact():
    angles = 20000 / 10000 ** (np.arange(3) / 3)
    wanted = np.stack([np.sin(angles), np.cos(angles)], 1).ravel()
    said = "position 20,000: compute the angles in float64, and round at the end"
    found = sinusoidal_positions(20001, 6)[20000]
    np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=said)


# %%
#| export
class SinusoidalPositions(Module):
    """Add the waves of its position to each vector of a sequence; nothing is learned.

    Shape: x (..., T, D) to (..., T, D), T at most `max_length`.
    """

    def __init__(self, max_length, dim, base=10000.0):
        super().__init__()
        self.register_buffer(
            "table", wrap(sinusoidal_positions(max_length, dim, base)), persistent=False
        )

    def forward(self, x, start=0):
        return x + rows_for(self.table, x, start)

    def extra_repr(self):
        return "{}, {}".format(*self.table.shape)


def rows_for(table, x, start):
    """The rows of a position table for x (..., T, D), whose first vector is at `start`."""
    end = start + x.shape[-2]
    if end > len(table):
        raise IndexError(
            f"position {end - 1} is out of range for a table of {len(table)} positions"
        )
    return table[start:end]


# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
waves = sinusoidal_positions(128, 64)
for place, column in enumerate((0, 8, 16, 24)):
    left.plot(waves[:, column] - 2.5 * place, color="C0")
names = [f"column {column}" for column in (0, 8, 16, 24)]
left.set(xlabel="position", yticks=[0, -2.5, -5, -7.5], yticklabels=names)
left.set_title("four of the sines, from fast to slow")
right.plot(waves @ waves[64])
right.set(xlabel="position", title="products with position 64: near is large")
plt.show()


# %% [markdown]
# ### Learned
#
# GPT-2 uses no formula: it learns a vector for each position, as it learns one for each token. `rows_for`, given above,
# picks the rows that a sequence needs and says so if there are not enough. (`start` is for module 18, where a sequence
# is continued and its first vector is not position 0.)
#
# <details><summary>Hint 1</summary>One <code>Parameter</code> of shape <code>(max_length, dim)</code>, called
# <code>weight</code>.</details>
# <details><summary>Hint 2</summary><code>normal_</code>, which takes <code>std</code>, fills a tensor and returns it;
# <code>empty</code> makes one of a shape.</details>
# <details><summary>Hint 3</summary><code>rows_for</code>, above, cuts the rows for T positions out of the weight: (T,
# D), which broadcasts over the batch.</details>


# %% stub="learned-positions"
#| export
class LearnedPositions(Module):
    """Add a learned vector for its position to each vector of a sequence, as GPT-2 does.

    Its parameter `weight` (max_length, D) starts from a normal distribution of deviation 0.02.

    Shape: x (..., T, D) to (..., T, D); the first of the T is position `start`.

    >>> LearnedPositions(16, 4)(zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, max_length, dim):
        super().__init__()
        ### BEGIN SOLUTION
        self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        ### END SOLUTION

    def forward(self, x, start=0):
        ### BEGIN SOLUTION
        return x + rows_for(self.weight, x, start)
        ### END SOLUTION

    def extra_repr(self):
        return "{}, {}".format(*self.weight.shape)


# %% test="learned-positions" points=3
def test_the_vector_of_its_position_is_added_to_each():
    layer, rng = LearnedPositions(8, 3), np.random.default_rng(0)
    shape = tuple(layer.weight.shape)
    assert shape == (8, 3), f"weight is (max_length, dim), (8, 3), not {shape}"
    rows = layer.weight.detach().numpy().copy()
    for shape, start in [((2, 5, 3), 0), ((1, 2, 3), 6), ((4, 3), 3), ((2, 2, 2, 3), 1)]:
        x = rng.standard_normal(shape).astype(np.float32)
        wanted = x + rows[start : start + shape[-2]]
        with unchanged(x=x, weight=layer.weight.detach().numpy()):
            found = layer(from_numpy(x), start=start).detach().numpy()
        said = f"x {shape}, start={start}: row {start} for its first vector, and so on"
        np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=said)
        assert found.dtype == np.float32, f"float32 stays float32, not {found.dtype}"


def test_positions_are_learned():
    layer = LearnedPositions(4, 2)
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight"], f"it is registered, as a Parameter called weight: {names}"
    g = np.random.default_rng(1).standard_normal((3, 2, 2)).astype(np.float32)
    x = zeros(3, 2, 2).requires_grad_()
    layer(x, start=1).backward(from_numpy(g))
    assert layer.weight.grad is not None, "weight gets a gradient; its grad is None"
    wanted = np.zeros((4, 2), np.float32)
    wanted[1:3] = g.sum(0)
    said = "rows 1 and 2 were added to each of three sequences: their gradients add up"
    np.testing.assert_allclose(layer.weight.grad.numpy(), wanted, rtol=1e-5, err_msg=said)
    said = "the vectors' own gradient passes"
    np.testing.assert_array_equal(x.grad.numpy(), g, err_msg=said)


def test_positions_start_small():
    manual_seed(0)
    weight = LearnedPositions(1000, 20).weight.detach().numpy()
    deviation, largest = weight.std(), abs(weight).max()
    assert 0.019 < deviation < 0.021, (
        f"0.02 is the deviation at the start, not {deviation:.3f}"
    )
    said = (
        f"of 20,000 normal numbers some are above 3 deviations: {largest:.3f} is the largest"
    )
    assert largest > 0.06, said


def test_a_sequence_that_is_too_long_is_refused():
    layer = LearnedPositions(4, 2)
    layer(zeros(1, 4, 2))
    for length, start in ((2, 3), (5, 0)):
        try:
            layer(zeros(1, length, 2), start=start)
        except (IndexError, ValueError):
            continue
        raise AssertionError(
            f"{length} vectors from position {start} on do not fit into four positions: "
            "IndexError, which rows_for raises"
        )


# %% [markdown]
# ### Rotary
#
# Attention compares a query at position $p$ with a key at position $s$ by their product. What should matter is the
# distance $p - s$. Su et al. (2021) achieve exactly that by rotation: take the coordinates in pairs, and rotate pair
# $i$ of a vector at position $p$ by the angle $p\,\theta_i$. The product of two plane vectors of given lengths depends
# only on the angle between them, which changes by $(p - s)\,\theta_i$.
#
# ```
#         key at s                       query at p
#            \   angle s·θ                 /  angle p·θ
#             \                           /             product: |q| |k| cos(angle between + (p - s) θ)
# ```
#
# Llama and many other models do this to queries and keys in every layer. First the angles: $\theta_i = 10000^{-2i/d}$,
# the waves' own.
#
# <details><summary>Hint 1</summary>The angles are those of <code>sinusoidal_positions</code>; here cosine and sine are
# separate tables.</details>
# <details><summary>Hint 2</summary>Compute in float64, then <code>.astype(np.float32)</code>.</details>
# <details><summary>Hint 3</summary>Two results, the cosines first.</details>


# %% stub="rotary-tables"
#| export
def rotary_tables(length, dim, base=10000.0):
    """Compute the cosines and sines that rotate each pair of coordinates at each position.

    angle[p, i] = p / base^(2i/dim), for the dim/2 pairs i (Su et al., 2021, section 3.2)

    Args:
        length: the number of positions.
        dim: the length of a query or key; even.
        base: determines the ratio of the fastest rotation to the slowest.

    Returns:
        Two float32 arrays (length, dim/2): the cosine and the sine of the angles.

    Raises:
        ValueError: if dim is odd.

    >>> rotary_tables(2, 2)[1].round(4)
    array([[0.    ],
           [0.8415]], dtype=float32)
    """
    if dim % 2:
        raise ValueError(f"rotary positions rotate pairs of coordinates, and {dim} is odd")
    ### BEGIN SOLUTION
    angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    ### END SOLUTION


# %% test="rotary-tables" points=2
def check_tables(length, dim, base=10000.0, first=0):
    angles = np.array(
        [[p / base ** (2 * i / dim) for i in range(dim // 2)] for p in range(first, length)]
    )
    cos, sin = rotary_tables(length, dim, base)
    for name, found, wanted in ("cosine", cos, np.cos(angles)), ("sine", sin, np.sin(angles)):
        shape, kind = (length, dim // 2), type(found).__name__
        assert kind == "ndarray", f"the {name}s are a NumPy array, not a {kind}"
        assert found.shape == shape, f"a {name} for each pair: {shape}, not {found.shape}"
        assert found.dtype == np.float32, f"the table is float32, not {found.dtype}"
        exact = "; compute the angles in float64, and round at the end" if first else ""
        said = f"the {name} of p / {base:g}^(2i/{dim}), p from {first} on{exact}"
        np.testing.assert_allclose(found[first:], wanted, atol=1e-6, err_msg=said)


def test_each_pair_has_its_angle():
    for length, dim in ((20, 6), (7, 2), (1, 8)):
        check_tables(length, dim)


def test_the_tables_are_exact_far_out():
    check_tables(20001, 6, first=19990)  # of float32 angles, no digit beyond the third is left


def test_another_base_turns_more_slowly():
    check_tables(5, 4, base=500000.0)


# %% [markdown]
# Then the rotation. Pair $i$ consists of coordinates $i$ and $i + d/2$, as in GPT-NeoX: two halves are easier to slice
# than every second entry. (The paper and Meta's own Llama pair the neighbours $2i$ and $2i + 1$. A model can learn with
# either, but its weights work with only one of them: for the halves of Hugging Face's Llama, the rows of the query and
# key weights had to be reordered.) A pair $a, b$ is rotated into $a \cos - b \sin$ and $a \sin + b \cos$ of the angle.
# And backward? The transpose of a rotation is its inverse: rotate the gradient back, by the same angle with the other
# sign.
#
# <details><summary>Hint 1</summary>Cut the last dimension into two halves. Write both results into the halves of one
# new array of x's dtype.</details>
# <details><summary>Hint 2</summary>Save <code>cos</code> and <code>sin</code>: they are constants. A rotation is
# linear, so <code>x</code> is not needed.</details>
# <details><summary>Hint 3</summary>Backward is forward with the sine negated, so <code>call</code> can apply
# <code>Rotate</code> to the gradient; the two tables get None.</details>


# %% stub="rotate"
#| export
class Rotate(Function):
    @staticmethod
    def forward(ctx, x, cos, sin):
        """Rotate pair i of coordinates, x[i] and x[i + D/2], by its angle.

        y[i] = x[i] cos - x[i + D/2] sin,  y[i + D/2] = x[i] sin + x[i + D/2] cos

        Args:
            x: vectors (..., T, D).
            cos, sin: of the angles, arrays (T, D/2); they have no gradient.

        Returns:
            The rotated vectors, an array of x's shape and dtype.

        Saves:
            cos and sin: a rotation is linear in x.

        >>> x, cos, sin = np.float32([[1, 0]]), np.float32([[0]]), np.float32([[1]])
        >>> Rotate.forward(Context(), x, cos, sin)
        array([[0., 1.]], dtype=float32)
        """
        ### BEGIN SOLUTION
        ctx.save_for_backward(cos, sin)
        half = x.shape[-1] // 2
        first, second = x[..., :half], x[..., half:]
        output = np.empty_like(x)
        output[..., :half] = first * cos - second * sin
        output[..., half:] = first * sin + second * cos
        return output
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        """Return the gradient of x; None for cos and for sin."""
        ### BEGIN SOLUTION
        cos, sin = ctx.saved_tensors
        return call(Rotate, grad, cos, -sin), None, None
        ### END SOLUTION


# %% test="rotate" points=6
def turned(x, angles):
    """Each pair as a complex number, multiplied by exp(i angle)."""
    half = x.shape[-1] // 2
    z = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)
    return np.concatenate([z.real, z.imag], -1)


def vectors_to_turn(dtype=np.float32, pairs=3):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, 5, 2 * pairs)).astype(dtype)
    return x, rng.uniform(0, 6, (5, pairs))


def test_pairs_are_turned_by_their_angles():
    for dtype, tables in [(np.float32,) * 2, (np.float64,) * 2, (np.float32, np.float64)]:
        for pairs in (3, 1):
            x, angles = vectors_to_turn(dtype, pairs)
            cos, sin = np.cos(angles).astype(tables), np.sin(angles).astype(tables)
            wanted = turned(x, angles)
            ctx = Context()
            with unchanged(x=x, cos=cos, sin=sin):
                found = Rotate.forward(ctx, x, cos, sin)
            said = f"pair i is x[i] and x[i + D/2], here D = {2 * pairs}"
            np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=said)
            assert found.dtype == dtype, (
                f"the result has x's dtype, {x.dtype}, not {found.dtype}; "
                f"the tables were {cos.dtype}"
            )
            saved, limit = saved_by(ctx), cos.size + sin.size
            said = f"cos and sin are saved, {limit} numbers, and x is not: {saved} were saved"
            assert saved <= limit, said


def test_the_gradient_is_turned_back():
    x, angles = vectors_to_turn(np.float64)
    cotangent = np.random.default_rng(4).standard_normal(x.shape)
    wanted = turned(cotangent, -angles)
    leaf = from_numpy(x).requires_grad_()
    cos, sin = np.cos(angles), np.sin(angles)
    output = Rotate.apply(leaf, from_numpy(cos), from_numpy(sin))
    with unchanged(grad=cotangent, cos=cos, sin=sin):
        check_backward(output, cotangent, ["ndarray", "NoneType", "NoneType"])
    with unchanged(grad=cotangent):
        output.backward(from_numpy(cotangent))
    said = "the gradient is rotated by the same angles in the other direction"
    np.testing.assert_allclose(leaf.grad.numpy(), wanted, err_msg=said)


def test_it_can_be_differentiated_twice():
    from tinytorch.autograd import gradgradcheck

    x, angles = vectors_to_turn(np.float64)
    cos, sin = from_numpy(np.cos(angles)), from_numpy(np.sin(angles))
    leaf = from_numpy(x[:1]).requires_grad_()
    assert gradgradcheck(lambda x: Rotate.apply(x, cos, sin) ** 3, [leaf]), (
        "second derivatives are those of differences; backward works on Tensors too, by `call`"
    )


# %%
#| export
from tinytorch.given.embeddings.rotary import *


# %% [markdown]
# Here is one vector of eight coordinates, which is four pairs, at the positions 0 to 15. Each pair moves on its own
# circle: the first by one radian per step, each of the others at a tenth of the previous speed.


# %%
rotary = RotaryPositions(16, 8)
turned_pairs = rotary(ones(16, 8)).numpy().reshape(16, 2, 4)  # the halves: x and y of pair i
figure, panels = plt.subplots(1, 4, figsize=(10, 2.7), layout="constrained")
for i, axes in enumerate(panels):
    x, y = turned_pairs[:, :, i].T
    axes.add_patch(plt.Circle((0, 0), 2**0.5, fill=False, color="0.85"))
    axes.plot([0, x[0]], [0, y[0]], color="0.7")
    dots = axes.scatter(x, y, c=range(16), s=20)
    axes.set(
        title=f"pair {i}",
        aspect="equal",
        xlim=(-1.8, 1.8),
        ylim=(-1.8, 1.8),
        xticks=[],
        yticks=[],
    )
figure.colorbar(dots, ax=panels, label="position")
plt.show()


# %% [markdown]
# Fast pairs tell neighbours apart, slow ones tell the beginning of a text from its end, like the hands of a clock. Does
# the product depend only on the distance? Take the same query and key at many positions:


# %%
manual_seed(0)
rotary, q, k = RotaryPositions(64, 16), randn(16), randn(16)
queries, keys = rotary(q.expand(64, 16)).numpy(), rotary(k.expand(64, 16)).numpy()
products = queries @ keys.T
print("query at 5, key at 2:", products[5, 2], "  at 45 and 42:", products[45, 42])
plt.figure(figsize=(4, 3.4))
plt.imshow(products, cmap="viridis")
plt.xlabel("position of the key")
plt.ylabel("position of the query")
plt.title("one product for each distance")
plt.colorbar()
plt.show()


# %% [markdown]
# It is constant along the diagonals: only $p - s$ counts.
#
# ## Systems: the largest layer
#
# What does a table hold? One row for each symbol. For the largest GPT-3 that is 50,257 rows of 12,288 numbers, and a
# gradient and Adam's two averages of the same size in training. Compute it, and compare it with GPT-2's.


# %%
for name, vocabulary, width, total in [
    ("GPT-2 small", 50257, 768, 124_439_808),
    ("GPT-2 XL", 50257, 1600, 1_557_611_200),
    ("GPT-3", 50257, 12288, 174_604_406_784),
]:
    count = vocabulary * width
    print(
        f"{name:12} table {count / 1e6:6.1f} M parameters, "
        f"{count * 4 / 1e9:5.2f} GB as float32, {4 * count * 4 / 1e9:5.2f} GB with Adam, "
        f"{100 * count / total:5.1f} % of the model"
    )


# %% [markdown]
# The table has 617 million numbers, but a lookup reads only the rows that it needs. In forward, a large table costs
# memory but hardly any time. Measure both directions as the vocabulary grows, with the same 1,024 tokens.
#
# **Predict:** both directions move the same 1,024 rows. How many times as long as forward alone do the two together
# take, for 100,000 symbols?


# %%
predicted_backward = None  # forward and backward, over forward


# %%
for vocabulary in (1_000, 10_000, 100_000):
    layer = Embedding(vocabulary, 128)
    tokens, cotangent = from_numpy(rng.integers(0, vocabulary, (8, 128))), ones(8, 128, 128)

    def backward(layer=layer, tokens=tokens, cotangent=cotangent):
        layer.weight.grad = None
        layer(tokens).backward(cotangent)

    forward_time, both = milliseconds(partial(layer, tokens)), milliseconds(backward)
    held = layer.weight.grad.numpy().nbytes / 1e6
    print(
        f"V = {vocabulary:7,}: forward {forward_time:6.3f} ms, "
        f"forward and backward {both:6.3f} ms, gradient {held:6.1f} MB"
    )
compare(predicted_backward, both / forward_time, "times")


# %% [markdown]
# Forward grows a little. Backward makes an array of the table's size, and grows with it.
#
# ### One table for two
#
# The last layer of a language model gives a logit to every symbol: a Linear from D to V, whose weight has a row for
# each symbol too. Press and Wolf (2017) use *the same* table for both, and so do GPT-2 and many small models since. The
# parameter is then used twice, and the gradients of both uses add up: one is a scatter of a few rows, the other is
# full.


# %%
manual_seed(0)
table, head = Embedding(8, 4), Linear(4, 8, bias=False)
tokens, weights = tensor([1, 5, 1]), randn(3, 8)
(head(table(tokens)) * weights).sum().backward()
lookup_part = table.weight.grad.numpy().copy()
head.weight = table.weight  # tied
table.weight.grad = None
(head(table(tokens)) * weights).sum().backward()
print(
    "one parameter:",
    head.weight is table.weight,
    " its gradient:",
    tuple(table.weight.grad.shape),
)
print("rows that the lookup alone changes:", np.flatnonzero(np.abs(lookup_part).sum(1)))
print(
    "rows that change when it is tied:  ",
    np.flatnonzero(np.abs(table.weight.grad.numpy()).sum(1)),
)


# %% [markdown]
# ## Break it
#
# **An index too far.** A token number beyond the last row of the table is a frequent error in projects with a
# tokenizer. On a GPU it shows up as an assertion in a kernel, far away and hard to read; on a CPU the message is clear.


# %%
try:
    Embedding(10, 3)(tensor([[1, 10]]))
except IndexError as error:
    print(error)


# %% [markdown]
# **Index -1.** For NumPy -1 means the last row. In an embedding -1 is usually a label for "no token" that got into the
# input, and would be trained as the last word of the vocabulary. So it is refused too.
#
# **Changing without a gradient.** `weight_decay` pulls every row towards zero at every step, even those of words that
# are not in the batch. An optimizer with momentum also keeps changing them. Here symbol 1 is looked up twice, and then
# only symbol 2, twice too.
#
# **Predict:** each of the first two steps has a gradient of 1 for each of the row's four numbers, and lr is 0.1, so
# without momentum the row moves by 0.4 a step. With momentum 0.9, how far does row 1 move in the two steps in which its
# symbol does *not* occur?


# %%
predicted_drift = None  # the sum over its four numbers


# %%
for options in ({}, {"weight_decay": 0.5}, {"momentum": 0.9}):
    manual_seed(0)
    layer = Embedding(3, 4, padding_idx=0)
    optimizer = SGD(layer.parameters(), lr=0.1, **options)
    for step, symbol in enumerate((1, 1, 2, 2)):
        if step == 2:
            before = layer.weight.detach().numpy().copy()  # symbol 1 does not occur any more
        optimizer.zero_grad()
        layer(tensor([symbol])).sum().backward()
        optimizer.step()
    moved = np.abs(layer.weight.detach().numpy() - before).sum(1)
    print(
        f"{options!s:22} rows 0 and 1 move by", *(f"{distance:.3f}" for distance in moved[:2])
    )
compare(predicted_drift, float(moved[1]))


# %% [markdown]
# After two steps the momentum is 1 + 0.9 = 1.9, and it goes on with 1.71 and 1.539: farther than the two steps with a
# gradient went without it. The padding's row does not change, since it is zero: there is nothing to decay, and it has
# no momentum.
#
# **Positions that were never trained.** Learned positions end where training ended; waves and rotations can be computed
# beyond that, but the model was not trained on them.
#
# ## In PyTorch
#
# ```python
# layer = torch.nn.Embedding(50257, 768, padding_idx=0)
# layer(torch.tensor([[1, 2], [3, 0]])).shape             # torch.Size([2, 2, 768])
# torch.nn.functional.one_hot(torch.tensor([2, 0]), 4)
# torch.nn.Embedding.from_pretrained(vectors, freeze=True)
# head.weight = layer.weight                               # tied
# ```
#
# With `sparse=True` PyTorch keeps the gradient as the rows that are not zero and their indices. Few optimizers take
# such a gradient, and with a tied head it is full anyway.
#
# ## In words
#
# In GPT-2 the table is also the last layer, and starts from numbers of deviation 0.02, where `Embedding` draws them
# with deviation 1. The inputs of that layer are vectors of 768 numbers with mean 0 and deviation 1. How large are the
# logits at the start in the two cases? What is the loss, over 50,257 tokens, and what does its gradient teach in the
# first steps? Estimate, and explain your estimate.


# %% [markdown] answer="tied-at-the-start" points=4
# A logit is a sum of 768 products of independent numbers with deviations 1 and s, so its deviation is s times the root
# of 768: 0.55 for s = 0.02, and 28 for s = 1.
#
# With 0.55 all tokens are nearly equally likely, and the loss is a little above ln 50,257 = 10.8. With 28 the largest
# of 50,257 logits is some 4 deviations above the mean, about 120, and softmax gives nearly everything to that one
# token. The loss is the distance from there to the right token's logit, about 120 as well.
#
# The gradient with respect to the logits is p - t. In the first case every row learns a little, and the right one most.
# In the second it says only "not this token, that one", for one wrong token at a time, and its size is 1 however wrong
# the logits are: the first steps are spent on making the logits small.
#
# Marks: 1 for the deviations, 1 for the loss near ln V, 1 for the loss of the order of a hundred (anything from 80 to
# 150, with a reason), 1 for the gradient.


# %% [markdown]
# ## Questions to think about
#
# 1. Half of all words of a text are among its hundred most frequent. What does that do to the runs that
#    `np.add.reduceat` adds, and to `np.add.at`?
#
#    <details><summary>Answer</summary>
#
#    The runs become fewer and longer. If the word of rank r has a probability proportional to 1/r, as in Zipf's law,
#    45 % of the words are among the first hundred of 50,257, and 8,192 drawn words make some 3,400 runs in place of
#    7,500 for a uniform draw. `reduceat` adds a run in one inner loop and writes its row once, so it gets faster: 35 ms
#    in place of 41 in one run. `np.add.at` treats each occurrence separately, however often the row has come before,
#    and gained nothing (40 and 35 ms). Where several threads add at once, as on a GPU, it is even worse: they wait for
#    each other at the same row.
#
#    ```python
#    chances = 1 / np.arange(1, 50258)
#    for p in (None, chances / chances.sum()):
#        ids = rng.choice(50257, 1024, p=p)
#        print(len(np.unique(ids)), "runs", milliseconds(partial(yours, ids, 50257)))
#    ```
#
#    </details>
#
# 2. Sinusoidal positions are added to the vectors, rotary ones rotate queries and keys. Which of the two changes the
#    length of a vector, and why could that matter?
#
#    <details><summary>Answer</summary>
#
#    Adding does; a rotation keeps every length. Each pair of a wave has $\sin^2 + \cos^2 = 1$, so a row of waves has
#    length $\sqrt{d/2}$, at any position: 19.6 for d = 768. Token vectors of deviation 0.02, as in GPT-2, have length
#    $0.02 \sqrt{768} = 0.55$. The sum would be nearly all position; so Vaswani et al. multiply token vectors by $\sqrt
#    d$ before they add, and GPT-2 learns positions of the same small size. What is added also reaches the values, and
#    mixes with the meaning. Rotation touches only the products of queries with keys.
#
#    ```python
#    waves = sinusoidal_positions(50, 768)
#    print(np.linalg.norm(waves, axis=1)[:3], 0.02 * 768**0.5)
#    ```
#
#    </details>
#
# 3. How would you store the gradient of a table so that an optimizer does not have to read 51 MB for 1,024 rows, and
#    what must change in Adam?
#
#    <details><summary>Answer</summary>
#
#    Store the row numbers, each once, and one row of gradient for each: 1,024 rows of 128 numbers are 0.5 MB. Adam then
#    may touch only these rows of the table and of its two averages. But that is another method: dense Adam lets the
#    averages of *all* rows decay at every step, and goes on moving a row whose word has just occurred, as you saw with
#    momentum. A lazy Adam leaves absent rows, and their averages, as they are until the word comes back. PyTorch's
#    `SparseAdam` does this, and weight decay is left out, since it would touch every row. With a tied head nothing is
#    gained: that gradient is full.
#
#    </details>
#
# ## An open problem
#
# Write the lazy Adam of question 3, so that its time does not depend on the number of rows of the table, and train the
# characters of section 3 with it. Does it learn as well as Adam? There are no points for it.


# %%
lazy_adam = None  # your function (table, averages, rows, grads, step, lr), in place


def test_rows_of_every_batch_move_as_with_adam():
    draws, rows = np.random.default_rng(0), np.array([0, 2, 3, 5])
    mine, averages = draws.standard_normal((6, 3)), np.zeros((2, 6, 3))
    start, dense = mine.copy(), from_numpy(mine.copy()).requires_grad_()
    optimizer = Adam([dense], lr=0.1)
    for step in (1, 2, 3):
        grads, full = draws.standard_normal((4, 3)), np.zeros((6, 3))
        full[rows] = grads
        dense.grad = from_numpy(full)
        optimizer.step()
        lazy_adam(mine, averages, rows, grads, step, 0.1)
    np.testing.assert_allclose(mine, dense.detach().numpy(), rtol=1e-6)
    np.testing.assert_array_equal(mine[[1, 4]], start[[1, 4]])


if lazy_adam is not None:
    test_rows_of_every_batch_move_as_with_adam()


# %% [markdown]
# ## To read
#
# - T. Mikolov, K. Chen, G. Corrado and J. Dean, "Efficient Estimation of Word Representations in Vector Space", 2013,
#   sections 3 and 4: what tables learn, at the scale of words.
# - O. Press and L. Wolf, "Using the Output Embedding to Improve Language Models", 2017, section 3: why one table can
#   serve both ends.
# - A. Vaswani and others, "Attention Is All You Need", 2017, section 3.5: the waves.
# - J. Su and others, "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021, section 3: rotation,
#   derived from the wish that only the distance counts.
# - A. Haviv and others, "Transformer Language Models without Positional Encodings Still Learn Positional Information",
#   2022: what a causal mask tells on its own.
#
# ## What comes next
#
# Each token is now a vector with its position. In module 12 the vectors look at each other.
