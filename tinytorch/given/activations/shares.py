"""What makes rows sum to one, or have length one: `softmax` of other scores, and `normalize`."""

import warnings

from tinytorch.activations import softmax
from tinytorch.tensor import default_generator, wrap, zeros_like

__all__ = ["gumbel_softmax", "normalize", "softmin"]


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """`softmax` of -x: the smallest gets the largest share."""
    return softmax(-input, dim, dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Draw classes by the probabilities softmax(logits), so that gradients can pass (Jang and others, 2016).

    The largest of logits + Gumbel noise is such a draw, and softmax((logits + noise) / tau) is near it for a
    small tau. With `hard`, the result is the draw itself, of ones and zeros; its gradient is that of softmax.
    """
    if not logits.is_floating_point():
        raise RuntimeError(
            f"Exponential distribution is a continuous probability distribution, not {logits.dtype}"
        )
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -wrap(default_generator.exponential(logits.shape, dtype=logits.array.dtype)).log()
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    drawn = zeros_like(soft).scatter(dim, soft.detach().max(dim, keepdim=True).indices, 1.0)
    return drawn - soft.detach() + soft


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """Divide by the p-norm along `dim`, which counts as `eps` where it is smaller."""
    if not input.is_floating_point():
        raise RuntimeError(f"normalize: Expected a floating point tensor as input. Got {input.dtype}")
    result = input / input.norm(p, dim, keepdim=True).clamp(min=eps)
    return result if out is None else out.copy_(result)
