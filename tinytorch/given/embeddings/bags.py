"""Bags of embeddings, embedding_bag and EmbeddingBag: the rows of a bag summed, averaged, or their maximum.

Made of the operation `Lookup`, of IndexAdd, which sums the rows of a bag, and of gather, which picks the
largest. Each gradient counts for its own row's frequency where that is asked for.
"""

import warnings

import numpy as np

from tinytorch.autograd import IndexAdd
from tinytorch.embeddings import Lookup
from tinytorch.given.embeddings.checks import check_kinds
from tinytorch.given.embeddings.functional import shorten
from tinytorch.layers import Module, Parameter, normal_
from tinytorch.tensor import Tensor, empty, int32, int64, wrap

__all__ = ["EmbeddingBag", "embedding_bag"]


def embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """Look rows up and reduce them bag by bag.

    Args:
        input: indices, (B, N) for B bags of N, or (N) for bags that `offsets` tells apart.
        weight: the table (V, D).
        offsets: (B), where in `input` each bag begins; with `include_last_offset` the last is an end.
        max_norm, norm_type, scale_grad_by_freq: as for `embedding`.
        mode: "sum", "mean" or "max". An empty bag gives zeros.
        per_sample_weights: what each row is multiplied by, shaped as input; for "sum" only.
        padding_idx: a row that counts as not there.

    Returns:
        A Tensor (B, D).
    """
    if weight.dtype is int64 and input.is_floating_point():
        warnings.warn("embedding_bag(weight, input, ...) is deprecated: the input comes first", stacklevel=2)
        weight, input = input, weight
    check_bags(input, weight, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights)
    indices, bags, number = bags_of(input, offsets, include_last_offset)
    if max_norm is not None:
        shorten(weight, np.unique(indices), max_norm, norm_type)
    check_rows(indices, weight, per_sample_weights)
    share = None if per_sample_weights is None else per_sample_weights.flatten()[: len(indices)]
    if padding_idx is not None:
        there = np.flatnonzero(indices != padding_of(padding_idx, len(weight)))
        indices, bags = indices[there], bags[there]
        share = None if share is None else share.index_select(0, wrap(there))
    rows = Lookup.apply(wrap(indices), weight, scale_grad_by_freq=scale_grad_by_freq)  # (N, D)
    if share is not None:
        rows = rows * share.unsqueeze(1)
    if mode == "max":
        bags, largest = largest_rows(rows.array, bags)
        rows = rows.gather(0, wrap(largest))  # a row for each bag that is not empty
    output = IndexAdd.apply(rows, index=bags, shape=(number, weight.shape[1]))
    if mode != "mean":
        return output
    count = np.maximum(np.bincount(bags, minlength=number), 1)
    return output / wrap(count[:, None].astype(output.array.dtype))


def bags_of(input, offsets, include_last_offset):
    """The indices in a row, the bag of each, and how many bags there are."""
    if input.dim() == 2:
        number, width = input.shape
        if width == 0:
            raise RuntimeError("a bag needs room for an index: step must be nonzero")
        return input.array.ravel(), np.repeat(np.arange(number), width), number
    starts, N = offsets.array, input.numel()
    if include_last_offset and len(starts) == 0:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if len(starts) and starts[0] != 0:
        raise RuntimeError(f"offsets[0] has to be 0: the first bag begins at 0, and not at {starts[0]}")
    if len(starts) and starts.max() > N:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {N} but got offsets[-1] of {starts.max()}"
        )
    ends = starts if include_last_offset else np.append(starts, N if len(starts) else 0)
    sizes = np.diff(ends)
    if (sizes < 0).any():
        raise RuntimeError(f"offsets never fall from one bag to the next, but are {starts.tolist()}")
    return input.array[: sizes.sum()], np.repeat(np.arange(len(sizes)), sizes), len(sizes)


def largest_rows(rows, bags):
    """The bags that are not empty, and for each of their columns which of the rows (N, D) has the maximum.

    Of equals it is the first; NaN is the maximum where it comes first, and never else, as in PyTorch.
    """
    if len(rows) == 0:
        return bags, np.zeros(rows.shape, np.int64)
    starts = np.flatnonzero(np.diff(bags, prepend=-1))  # the first row of each bag
    values = np.where(np.isnan(rows), -np.inf, rows)
    largest = np.maximum.reduceat(values, starts)
    runs = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(rows)))
    position = np.where(values == largest[runs], np.arange(len(rows))[:, None], len(rows))
    first = np.minimum.reduceat(position, starts)
    return bags[starts], np.where(np.isnan(rows[starts]), starts[:, None], first)


def padding_of(padding_idx, V):
    """The row that padding_idx is, counted from the start."""
    if not -V <= padding_idx < V:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{V} through {V - 1}, "
            f"but got {padding_idx}"
        )
    return padding_idx % V


def check_bags(input, weight, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights):
    """ValueError and RuntimeError for what makes no bags, in PyTorch's order."""
    check_kinds("embedding_bag", Tensor, input=input, weight=weight)
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, "
            f"then it must have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if input.dim() == 2 and offsets is not None:
        raise ValueError("if input is 2D, each of its rows is a bag, and offsets has to be None")
    if input.dim() == 1 and (offsets is None or offsets.dim() != 1):
        raise ValueError(f"offsets has to be a 1D Tensor{' but got None' if offsets is None else ''}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        what = "sparse weights" if sparse else "scaling the gradient by the frequency"
        raise ValueError(f"max mode does not support {what}")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            f"embedding_bag: per_sample_weights is only supported for mode='sum' (got mode='{mode}')"
        )
    if sparse and weight.requires_grad:
        raise NotImplementedError(
            "embedding_bag: sparse gradients are not supported; without sparse=True the gradient has the "
            "same numbers, and the table's shape"
        )
    for name, x in (("indices", input), ("offsets", offsets)):
        if x is not None and x.dtype not in (int32, int64):
            raise RuntimeError(
                f"Expected tensor for argument '{name}' to have one of the following scalar types: Long, "
                f"Int; but got {x.type()} instead"
            )


def check_rows(indices, weight, per_sample_weights):
    """RuntimeError for rows that the table does not have, and for types that do not go together."""
    if not weight.is_floating_point():
        raise RuntimeError(f"the table of embedding_bag is of a floating point type, not {weight.type()}")
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument 'weight' to have the same type as 'per_sample_weights'; "
            f"but type {weight.type()} does not equal {per_sample_weights.type()}"
        )
    wrong = np.flatnonzero((indices < 0) | (indices >= len(weight)))
    if len(wrong):
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {indices[wrong[0]]} "
            f"which is not in the valid range [0, {len(weight)})"
        )


class EmbeddingBag(Module):
    """A table of learned vectors, of which the rows of a bag are summed, averaged, or their maximum taken.

    Args:
        num_embeddings, embedding_dim: the number V of symbols, and the length D of a vector.
        mode: "sum", "mean" or "max".
        include_last_offset: whether the last of the offsets is an end.
        padding_idx: a symbol that counts as not there.
        max_norm, norm_type, scale_grad_by_freq: as for `Embedding`.

    Shape: indices (B, N), or (N) with offsets (B), to (B, D).

    >>> bag = torch.nn.EmbeddingBag.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), mode="sum")
    >>> bag(torch.tensor([[0, 1], [1, 1]]))
    tensor([[4., 6.],
            [6., 8.]])
    """

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        _weight=None,
        include_last_offset=False,
        padding_idx=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        if padding_idx is not None:
            inside = -num_embeddings <= padding_idx < num_embeddings
            assert inside, "padding_idx must be within num_embeddings"
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset
        if _weight is None:
            self.weight = Parameter(empty(num_embeddings, embedding_dim, device=device, dtype=dtype))
            self.reset_parameters()
        else:
            fits = list(_weight.shape) == [num_embeddings, embedding_dim]
            assert fits, "Shape of weight does not match num_embeddings and embedding_dim"
            self.weight = Parameter(_weight)

    def reset_parameters(self):
        """Draw every vector from the standard normal distribution; that of padding_idx is zero.

        >>> bag = torch.nn.EmbeddingBag(4, 2, padding_idx=1)
        >>> bag.reset_parameters()
        >>> bag.weight[1].detach()
        tensor([0., 0.])
        """
        normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0.0

    def forward(self, input, offsets=None, per_sample_weights=None):
        """Bags of indices, (B, N) or (N) with offsets (B), to vectors (B, D); see `embedding_bag`."""
        options = self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse
        ends = per_sample_weights, self.include_last_offset, self.padding_idx
        return embedding_bag(input, self.weight, offsets, *options, *ends)

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        include_last_offset=False,
        padding_idx=None,
    ):
        """Make an EmbeddingBag over a table (V, D) that exists already; `freeze` keeps it as it is.

        >>> torch.nn.EmbeddingBag.from_pretrained(torch.ones(4, 2)).weight.requires_grad
        False
        """
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        options = max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset
        bag = cls(*embeddings.shape, *options, padding_idx)
        bag.weight.requires_grad_(not freeze)
        return bag

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        ordinary = {
            "max_norm": None,
            "norm_type": 2,
            "scale_grad_by_freq": False,
            "mode": "",
            "padding_idx": None,
        }
        changed = {name: getattr(self, name) for name in ordinary if getattr(self, name) != ordinary[name]}
        return ", ".join([text, *(f"{name}={value!r}" for name, value in changed.items())])
