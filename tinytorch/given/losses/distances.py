"""How far apart vectors are, or how different their directions; made of tensor operations alone."""

from tinytorch.given.tensor.checks import check_not_half
from tinytorch.layers import Module
from tinytorch.tensor import broadcast_tensors, promote_types, where

__all__ = [
    "CosineSimilarity",
    "PairwiseDistance",
    "at_least",
    "cdist",
    "cosine_similarity",
    "pairwise_distance",
]


def at_least(x, least):
    """x, raised to `least` where it is smaller; unlike `clamp`, with gradients as if it had not been."""
    return where(x.detach() < least, x - x.detach() + least, x)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along `dim`: x1 · x2 / (|x1| |x2|), no length below `eps`."""
    dtype = promote_types(x1.dtype, x2.dtype)
    if not dtype.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {dtype}")
    x1, x2 = (x if x.is_floating_point() else x.to(dtype) for x in broadcast_tensors(x1, x2))
    x1, x2 = (x / at_least(x.norm(2, dim, keepdim=True), eps) for x in (x1, x2))
    return (x1 * x2).sum(dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of x1 - x2 + eps along the last dimension."""
    difference = x1 - x2 + eps
    return difference.norm(p, -1, keepdim)


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norm distance of every row of x1 (..., P, M) to every row of x2 (..., R, M): (..., P, R).

    Its differences are an array of P R M numbers.
    """
    if compute_mode not in (f"{when}use_mm_for_euclid_dist{often}" for when, often in MODES):
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, x in (("X1", x1), ("X2", x2)):
        if not x.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {x.dtype}")
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {x1.dtype} but found {x2.dtype}")
    if x1.numel() and x2.numel():
        check_not_half("cdist", x1)
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)


MODES = (("", "_if_necessary"), ("", ""), ("donot_", ""))


class CosineSimilarity(Module):
    """x1 · x2 / (‖x1‖ ‖x2‖), along `dim`.

    Shape: (..., D, ...) and (..., D, ...) to (..., ...).

    >>> torch.nn.CosineSimilarity()(torch.tensor([[1.0, 0.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([0.6000])
    """

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1, x2):
        return cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """‖x1 - x2 + eps‖, the `p`-norm along the last dimension.

    Shape: (N, D) and (N, D) to (N), or with `keepdim` to (N, 1).

    >>> torch.nn.PairwiseDistance()(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1, x2):
        return pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
