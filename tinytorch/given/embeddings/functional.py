"""`embedding`, the function of the operation `Lookup`, with all of PyTorch's options."""

from types import SimpleNamespace

import numpy as np

from tinytorch.embeddings import Lookup
from tinytorch.given import methods_of
from tinytorch.given.embeddings.checks import check_indices, check_kinds
from tinytorch.given.tensor.arrays import widened
from tinytorch.tensor import Tensor, wrap

__all__ = ["embedding", "shorten"]

methods_of(Lookup)(SimpleNamespace(node_name="Embedding"))


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):
    """One row of `weight` for each index; rows longer than `max_norm` are shortened first, in place."""
    check_kinds("embedding", Tensor, indices=input, weight=weight)
    check_kinds("embedding", bool, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)
    if sparse and weight.requires_grad:
        raise NotImplementedError(
            "embedding: sparse gradients are not supported; without sparse=True the gradient has the same "
            "numbers, and the table's shape"
        )
    if padding_idx is not None:
        check_kinds("embedding", int, padding_idx=padding_idx)
        assert -len(weight) <= padding_idx < len(weight), "Padding_idx must be within num_embeddings"
        padding_idx %= len(weight)
    if max_norm is not None:
        check_indices(input.array, weight.array)
        shorten(weight, np.unique(input.array), max_norm, norm_type)
    return Lookup.apply(input, weight, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq)


def shorten(weight, rows, max_norm, norm_type):
    """Scale, in place, those of the rows whose norm exceeds `max_norm` down to it."""
    table = weight.detach()
    if not table.is_floating_point():
        raise RuntimeError(f"norm(): input dtype should be floating point. Got {table.dtype} instead.")
    norms = np.linalg.norm(widened(table.array[rows]), norm_type, axis=1)
    long = norms > max_norm
    factors = (max_norm / (norms[long] + 1e-7)).astype(table.array.dtype)
    table[wrap(rows[long])] = wrap(table.array[rows[long]] * factors[:, None])
