"""A batch normalisation behind a layer becomes part of the layer: for evaluation alone."""

import copy

from tinytorch.layers import Parameter
from tinytorch.tensor import ones_like, zeros_like

__all__ = []  # imported on first use: tinytorch.nn.utils.fusion


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """Return a convolution that computes what `conv` and then `bn` compute, both in evaluation mode.

    A transposed convolution has its outputs in the second dimension of its weight: `transpose`.

    >>> conv, bn, x = torch.nn.Conv2d(3, 4, 3).eval(), torch.nn.BatchNorm2d(4).eval(), torch.randn(2, 3, 5, 5)
    >>> torch.allclose(torch.nn.utils.fusion.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-5)
    True
    """
    return _fused(conv, bn, fuse_conv_bn_weights, transpose=transpose)


def fuse_linear_bn_eval(linear, bn):
    """Return a linear layer that computes what `linear` and then `bn` compute, both in evaluation mode.

    Raises:
        AssertionError: if they have different numbers of features, and bn has more than one.

    >>> linear, bn, x = torch.nn.Linear(3, 4).eval(), torch.nn.BatchNorm1d(4).eval(), torch.randn(2, 3)
    >>> torch.allclose(torch.nn.utils.fusion.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-5)
    True
    """
    features = linear.out_features, bn.num_features
    assert bn.num_features in (features[0], 1), (
        "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
        "linear.out_features={} and bn.num_features={}".format(*features)
    )
    return _fused(linear, bn, fuse_linear_bn_weights)


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Return weight and bias of such a convolution: w γ/σ and (b - μ) γ/σ + β, σ² being the variance and eps.

    Raises:
        IndexError: if the weight has fewer dimensions than that of the outputs.
    """
    scale, shift = _scale_and_shift(bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    outputs = [1] * conv_w.ndim
    outputs[1 if transpose else 0] = -1
    return _parameters(conv_w, conv_b, conv_w * scale.reshape(outputs).to(conv_w.dtype), scale, shift)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """Return weight and bias of such a linear layer."""
    scale, shift = _scale_and_shift(bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    return _parameters(linear_w, linear_b, linear_w * scale.unsqueeze(-1).to(linear_w.dtype), scale, shift)


def _fused(layer, bn, weights, **options):
    """A copy of the layer with the weights that the two have together."""
    evaluated = not (layer.training or bn.training)
    assert evaluated, "Fusion only for eval!"
    fused = copy.deepcopy(layer)
    statistics = bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    assert bn.running_mean is not None, "a batch normalisation without running statistics cannot be fused"
    fused.weight, fused.bias = weights(layer.weight, layer.bias, *statistics, **options)
    return fused


def _scale_and_shift(mean, variance, eps, weight, bias):
    """γ/σ, and what becomes of it in the bias: β - μ γ/σ."""
    weight = ones_like(mean) if weight is None else weight
    bias = zeros_like(mean) if bias is None else bias
    scale = weight * (variance + eps).rsqrt()
    return scale, bias - mean * scale


def _parameters(weight, bias, fused_weight, scale, shift):
    """Both as Parameters of the weight's kind: what is frozen stays so."""
    shift = shift if bias is None else shift + bias * scale
    trained = weight.requires_grad, bias is not None and bias.requires_grad
    kind = weight.dtype if bias is None else bias.dtype
    return Parameter(fused_weight.detach(), trained[0]), Parameter(shift.detach().to(kind), trained[1])
