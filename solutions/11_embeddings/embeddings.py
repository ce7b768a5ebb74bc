# %% [markdown]
# # 11 Embeddings

# %%
#| export

import numpy as np

from tinytorch.autograd import IndexAdd, call
from tinytorch.layers import Module, Parameter, normal_
from tinytorch.tensor import Function, empty, int64, wrap


# %%
#| export
def one_hot(tensor, num_classes=-1):
    """Write each index as a row with a one in its place and zeros elsewhere.

    Args:
        tensor: indices (...), int64, none negative.
        num_classes: the length C of the rows; -1 stands for the largest index plus one.

    Returns:
        An int64 tensor (..., C).

    Raises:
        RuntimeError: for another dtype, a negative index, or one that is not below C.

    >>> one_hot(tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    num_classes = check_classes(tensor, num_classes)
    return wrap((tensor.array[..., None] == np.arange(num_classes)).astype(np.int64))


# %%
#| export
def check_classes(tensor, num_classes):
    """The number of classes; RuntimeError, in PyTorch's words, if the indices do not go with it."""
    if tensor.dtype is not int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if tensor.numel() and tensor.array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        return int(tensor.array.max()) + 1
    if tensor.numel() and tensor.array.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return num_classes


# %%
#| export
def lookup_gradient(grad, indices, shape, padding_idx=None, scale_grad_by_freq=False):
    """Compute the gradient of a table from the gradient of the rows that were looked up in it.

    output[indices[i]] += grad[i], for every i

    Args:
        grad: the gradient of the rows, an array (..., D), or a Tensor.
        indices: which row each of them was, an integer array (...).
        shape: the shape of the table, (V, D).
        padding_idx: a row that learns nothing, or None.
        scale_grad_by_freq: divide each gradient by the number of times that its row was looked up.

    Returns:
        The table's gradient (V, D), of grad's dtype.

    >>> lookup_gradient(np.float32([[1], [2], [4]]), np.array([2, 0, 2]), (3, 1)).ravel()
    array([2., 0., 5.], dtype=float32)
    """
    if padding_idx is not None:
        grad = grad * (indices != padding_idx)[..., None]
    if scale_grad_by_freq:
        counts = np.bincount(indices.ravel(), minlength=shape[0])
        grad = grad / counts[indices][..., None].astype(grad.dtype)
    return call(IndexAdd, grad, index=indices, shape=shape)


# %%
#| export
class Lookup(Function):
    @staticmethod
    def forward(ctx, indices, weight, padding_idx=None, scale_grad_by_freq=False):
        """Take one row of a table for each index.

        Args:
            indices: integers (...), each in [0, V).
            weight: the table (V, D).
            padding_idx, scale_grad_by_freq: as for `lookup_gradient`; they change the gradient only.

        Returns:
            The rows (..., D), a new array.

        Saves:
            The indices, and whatever else of small size `backward` needs, as attributes of ctx.

        >>> Lookup.forward(Context(), np.array([1, 1]), np.float32([[1, 2], [3, 4]]))
        array([[3., 4.],
               [3., 4.]], dtype=float32)
        """
        check_indices(indices, weight)
        ctx.save_for_backward(indices)
        ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        return weight[indices]

    @staticmethod
    def backward(ctx, grad):
        """Return the gradients of the indices, which have none, and of the table."""
        (indices,) = ctx.saved_tensors
        return None, lookup_gradient(grad, indices, *ctx.options)


# %%
#| export
def check_indices(indices, weight):
    """IndexError for a row that the table does not have, RuntimeError for what is no table or no index."""
    if indices.dtype not in (np.int32, np.int64):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {wrap(indices).type()} instead"
        )
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, got {weight.ndim}-D")
    if indices.size and (indices.min() < 0 or indices.max() >= len(weight)):
        wrong = indices[(indices < 0) | (indices >= len(weight))].flat[0]
        raise IndexError(f"index out of range in self: {wrong} is no row of a table of {len(weight)}")


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):
    """One row of `weight` for each index; see `Lookup.forward`. `max_norm` first shortens the rows that are longer."""
    if sparse:
        raise NotImplementedError("embedding: sparse gradients are not supported")
    if padding_idx is not None:
        assert -len(weight) <= padding_idx < len(weight), "Padding_idx must be within num_embeddings"
        padding_idx %= len(weight)
    if max_norm is not None:
        check_indices(input.array, weight.array)
        shorten(weight, np.unique(input.array), max_norm, norm_type)
    return Lookup.apply(input, weight, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq)


def shorten(weight, rows, max_norm, norm_type):
    """Scale, in place, those of the rows whose norm exceeds `max_norm` down to it."""
    table = weight.detach()
    norms = np.linalg.norm(table.array[rows], norm_type, axis=1)
    long = norms > max_norm
    factors = (max_norm / (norms[long] + 1e-7)).astype(table.array.dtype)
    table[wrap(rows[long])] = wrap(table.array[rows[long]] * factors[:, None])


# %%
#| export
class Embedding(Module):
    """A table of one vector for each of `num_embeddings` symbols, learned from random ones.

    Args:
        num_embeddings: the number V of symbols.
        embedding_dim: the length D of a vector.
        padding_idx: a symbol whose vector is zero and stays so; negative counts from the end.
        max_norm: vectors that are looked up and longer than this are shortened, in place.
        norm_type: which norm that is.
        scale_grad_by_freq: divide gradients by how often a symbol occurs in the batch.

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
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is not None:
            assert list(_weight.shape) == [num_embeddings, embedding_dim], (
                "Shape of weight does not match num_embeddings and embedding_dim"
            )
            self.weight = Parameter(_weight, requires_grad=not _freeze)
            return
        self.weight = Parameter(
            empty(num_embeddings, embedding_dim, device=device, dtype=dtype), requires_grad=not _freeze
        )
        self.reset_parameters()

    def reset_parameters(self):
        """Draw every vector from the standard normal distribution; that of `padding_idx`, if there is one, is zero."""
        normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0.0

    def forward(self, input):
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )  # fmt: skip

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
        """An Embedding over a table (V, D) that exists already; `freeze` keeps training from changing it."""
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


# %%
#| export
def sinusoidal_positions(length, dim, base=10000.0):
    """Make the table of waves by which Vaswani et al. (2017, section 3.5) number positions.

    table[p, 2i] = sin(p / base^(2i/dim)),  table[p, 2i+1] = cos(p / base^(2i/dim))

    Args:
        length: the number of positions.
        dim: the length of a position's vector; where it is odd, the last wave has a sine only.
        base: the ratio of the longest wave to the shortest.

    Returns:
        A float32 array (length, dim).

    >>> sinusoidal_positions(2, 2).round(4)
    array([[0.    , 1.    ],
           [0.8415, 0.5403]], dtype=float32)
    """
    angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)  # (length, dim/2)
    table = np.empty((length, dim), np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, : dim // 2]
    return table


# %%
#| export
class SinusoidalPositions(Module):
    """Add to each vector of a sequence the waves of its position: nothing is learned.

    Shape: x (..., T, D) to (..., T, D), T at most `max_length`.
    """

    def __init__(self, max_length, dim, base=10000.0):
        super().__init__()
        self.register_buffer("table", wrap(sinusoidal_positions(max_length, dim, base)), persistent=False)

    def forward(self, x, start=0):
        return x + rows_for(self.table, x, start)

    def extra_repr(self):
        return "{}, {}".format(*self.table.shape)


def rows_for(table, x, start):
    """The rows of a table of positions that belong to x (..., T, D), whose first vector is number `start`."""
    end = start + x.shape[-2]
    if end > len(table):
        raise IndexError(f"position {end - 1} is out of range for a table of {len(table)} positions")
    return table[start:end]


# %%
#| export
class LearnedPositions(Module):
    """Add to each vector of a sequence a vector for its position that training finds, as GPT-2 does.

    Its parameter `weight` (max_length, D) starts from a normal distribution of deviation 0.02.

    Shape: x (..., T, D) to (..., T, D); the first of the T is position `start`.

    >>> LearnedPositions(16, 4)(zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, max_length, dim):
        super().__init__()
        self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))

    def forward(self, x, start=0):
        return x + rows_for(self.weight, x, start)

    def extra_repr(self):
        return "{}, {}".format(*self.weight.shape)


# %%
#| export
def rotary_tables(length, dim, base=10000.0):
    """Make the cosines and sines by which each position turns each pair of coordinates (Su et al., 2021, section 3.2).

    angle[p, i] = p / base^(2i/dim), for the dim/2 pairs i

    Args:
        length: the number of positions.
        dim: the length of a query or key; even.
        base: the ratio of the slowest turn to the fastest.

    Returns:
        Two float32 arrays (length, dim/2): the cosine and the sine of the angles.

    Raises:
        ValueError: if dim is odd.

    >>> rotary_tables(2, 2)[1].round(4)
    array([[0.    ],
           [0.8415]], dtype=float32)
    """
    if dim % 2:
        raise ValueError(f"rotary positions turn pairs of coordinates, and {dim} is odd")
    angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


# %%
#| export
class Rotate(Function):
    @staticmethod
    def forward(ctx, x, cos, sin):
        """Turn pair i of coordinates, x[i] and x[i + D/2], by its angle.

        y[i] = x[i] cos - x[i + D/2] sin,  y[i + D/2] = x[i] sin + x[i + D/2] cos

        Args:
            x: vectors (..., T, D).
            cos, sin: the cosines and sines of the angles, arrays (T, D/2); they have no gradient.

        Returns:
            The turned vectors, an array of x's shape and dtype.

        Saves:
            cos and sin: turning is linear in x.

        >>> Rotate.forward(Context(), np.float32([[1, 0]]), np.float32([[0]]), np.float32([[1]]))
        array([[0., 1.]], dtype=float32)
        """
        ctx.save_for_backward(cos, sin)
        half = x.shape[-1] // 2
        first, second = x[..., :half], x[..., half:]
        output = np.empty_like(x)
        output[..., :half] = first * cos - second * sin
        output[..., half:] = first * sin + second * cos
        return output

    @staticmethod
    def backward(ctx, grad):
        """Return the gradient of x; None for cos and for sin."""
        cos, sin = ctx.saved_tensors
        return call(Rotate, grad, cos, -sin), None, None


# %%
#| export
def apply_rotary(x, cos, sin):
    """Turn the vectors x (..., T, D) by the angles whose cosines and sines (T, D/2) are given; see `Rotate.forward`."""
    if (*x.shape[-2:-1], x.shape[-1] // 2) != tuple(cos.shape) or cos.shape != sin.shape or x.shape[-1] % 2:
        raise RuntimeError(
            f"vectors of shape {list(x.shape)} cannot be turned by angles of shapes {list(cos.shape)} and {list(sin.shape)}"
        )
    return Rotate.apply(x, cos.detach().to(x.dtype), sin.detach().to(x.dtype))


class RotaryPositions(Module):
    """Turn queries and keys by angles that grow with their position, so that their products see distances only.

    Shape: x (..., T, D) to (..., T, D); the first of the T is position `start`. Nothing is learned.
    """

    def __init__(self, max_length, dim, base=10000.0):
        super().__init__()
        for name, table in zip(("cos", "sin"), rotary_tables(max_length, dim, base)):
            self.register_buffer(name, wrap(table), persistent=False)

    def forward(self, x, start=0):
        return apply_rotary(x, rows_for(self.cos, x, start), rows_for(self.sin, x, start))

    def extra_repr(self):
        return f"{len(self.cos)}, {2 * self.cos.shape[1]}"
