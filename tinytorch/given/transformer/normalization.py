"""layer_norm and rms_norm, LayerNorm and RMSNorm, made of the rules `normalise` and `rms_normalise`."""

import math
from numbers import Integral

import numpy as np

from tinytorch.given.tensor.arrays import in_parts, zeros_beside
from tinytorch.given.tensor.checks import is_mixed
from tinytorch.layers import Module, Parameter, ones_, zeros_
from tinytorch.tensor import Function, Tensor, float16, float32, in_float32, ones, zeros
from tinytorch.transformer import normalise, normalise_backward, rms_normalise, rms_normalise_backward

__all__ = [
    "LayerNorm", "LayerNormalization", "Norm", "RMSNorm", "RMSNormalization", "layer_norm", "rms_norm",
]  # fmt: skip


class LayerNormalization(Function):
    """Normalise rows of `width` entries, then stretch and shift the entries: n · weight + bias."""

    rule, backward_rule = staticmethod(normalise), staticmethod(normalise_backward)
    node_name = "NativeLayerNorm"

    @classmethod
    def forward(cls, ctx, x, weight, bias, width, eps):
        ctx.save_for_backward(x, weight)
        ctx.width, ctx.eps, ctx.bias_shape = width, eps, None if bias is None else bias.shape
        if x.size == 0:
            return x.copy()
        rows = x.reshape(x.size // width, width)  # (N, D)
        output = np.empty_like(rows)
        for block in row_blocks(rows):
            normal, _ = cls.rule(rows[block], eps)
            if weight is not None:
                normal *= weight.reshape(width)
            output[block] = normal if bias is None else np.add(normal, bias.reshape(width), out=normal)
        return output.reshape(x.shape)

    @classmethod
    def backward(cls, ctx, grad):
        x, weight = ctx.saved_tensors
        if math.prod(x.shape) == 0:
            grad_weight = None if weight is None else zeros_beside(grad, weight.shape)
            return grad, grad_weight, None if ctx.bias_shape is None else zeros_beside(grad, ctx.bias_shape)
        shape = math.prod(x.shape) // ctx.width, ctx.width
        rows, grad = x.reshape(shape), grad.reshape(shape)
        grad_bias = None if ctx.bias_shape is None else grad.sum(axis=0).reshape(ctx.bias_shape)
        if isinstance(grad, Tensor):  # for second derivatives: all rows at once, on Tensors
            grad_x, grad_weight = cls.gradients(rows, grad, weight, ctx.eps)
            grad_x = grad_x.reshape(x.shape)
        else:
            grad_x = np.empty_like(x, order="C")
            found, grad_weight = (grad_x.reshape(shape), None if weight is None else np.zeros_like(weight))
            for block in row_blocks(rows):
                found[block], part = cls.gradients(rows[block], grad[block], weight, ctx.eps)
                grad_weight = part if part is None else grad_weight + part
        return grad_x, grad_weight, grad_bias

    @classmethod
    def gradients(cls, rows, grad, weight, eps):
        """What some rows send back: the gradients of x and, if there is one, of the weight."""
        n, inverse = cls.rule(rows, eps)
        if weight is None:
            return cls.backward_rule(n, inverse, grad), None
        grad_weight = (grad * n).sum(axis=0).reshape(weight.shape)
        return cls.backward_rule(n, inverse, grad * weight.reshape(rows.shape[1])), grad_weight


def row_blocks(rows):
    """Slices of rows (N, D) of half a megabyte or so: what is made of one is in the cache when it is used."""
    return in_parts(rows, 2**17 // rows.shape[1])


class RMSNormalization(LayerNormalization):
    """The same with the root mean square, and no bias."""

    rule, backward_rule = staticmethod(rms_normalise), staticmethod(rms_normalise_backward)
    node_name = "Mul"  # PyTorch's is composed


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """Normalise over the last dimensions, which are `normalized_shape`; see `LayerNormalization.forward`."""
    width = check_norm("layer_norm", input, normalized_shape, weight, bias)
    mixed = is_mixed(input, (weight, bias))
    if any(x is not None and x.dtype != (float32 if mixed else input.dtype) for x in (weight, bias)):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if mixed:
        return layer_norm(input.float(), normalized_shape, weight, bias, eps).half()
    return in_float32(LayerNormalization, input, weight, bias, width=width, eps=eps)


def check_norm(name, input, normalized_shape, weight=None, bias=None):
    """The number of entries to normalise together; PyTorch's refusals of shapes and types that do not fit."""
    if not isinstance(normalized_shape, (tuple, list)):
        kind = type(normalized_shape).__name__
        raise TypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {kind}"
        )
    shape = list(normalized_shape)
    if not shape:
        raise RuntimeError(
            f"Expected normalized_shape to be at least 1-dimensional, but got normalized_shape = {shape}"
        )
    for title, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and list(parameter.shape) != shape:
            raise RuntimeError(
                f"Expected {title} to be of same shape as normalized_shape, "
                f"but got {title} of shape {list(parameter.shape)} and normalized_shape = {shape}"
            )
    if list(input.shape[-len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [*, {', '.join(map(str, shape))}], "
            f"but got input of size{list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(f"{name} is not implemented for {input.dtype}")
    return math.prod(shape)


class Norm(Module):
    """What LayerNorm and RMSNorm share: the shape of a row, a gain for each entry, and their printing."""

    def __init__(self, normalized_shape, eps, elementwise_affine, bias, device, dtype):
        super().__init__()
        self.normalized_shape = (
            (normalized_shape,) if isinstance(normalized_shape, Integral) else tuple(normalized_shape)
        )
        self.eps, self.elementwise_affine = eps, elementwise_affine
        options = {"device": device, "dtype": dtype}
        gain = Parameter(ones(*self.normalized_shape, **options)) if elementwise_affine else None
        self.register_parameter("weight", gain)
        if bias is not None:
            shift = (
                Parameter(zeros(*self.normalized_shape, **options)) if elementwise_affine and bias else None
            )
            self.register_parameter("bias", shift)

    def reset_parameters(self):
        """Begin again: a weight of ones, a bias of zeros.

        >>> layer = torch.nn.LayerNorm(2)
        >>> layer.reset_parameters()
        >>> layer.weight.detach()
        tensor([1., 1.])
        """
        for name, start in (("weight", ones_), ("bias", zeros_)):
            if getattr(self, name, None) is not None:
                start(getattr(self, name))

    def extra_repr(self):
        text = f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{text}, bias={self.bias is not None}" if "bias" in self._parameters else text


class LayerNorm(Norm):
    """Bring each row to mean 0 and deviation 1, then stretch and shift its entries by learned amounts.

    Args:
        normalized_shape: the last dimensions, which are a row; an int for the last one.
        eps: what is added to the variance.
        elementwise_affine: whether there is a weight (ones at first), and with `bias` a bias (zeros).

    Shape: (..., normalized_shape) to the same.

    >>> LayerNorm(3)(tensor([[1.0, 2.0, 3.0]])).detach()
    tensor([[-1.2247,  0.0000,  1.2247]])
    """

    def __init__(
        self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None
    ):
        super().__init__(normalized_shape, eps, elementwise_affine, bias, device, dtype)

    def forward(self, input):
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide by the root mean square over the last dimensions; eps is by default the type's."""
    width = check_norm("rms_norm", input, normalized_shape, weight)
    eps = float(np.finfo(input.array.dtype).eps) if eps is None else eps
    if weight is not None and input.dtype == float16 != weight.dtype:
        return rms_norm(input.to(weight.dtype), normalized_shape, weight, eps).half()
    return in_float32(RMSNormalization, input, weight, None, width=width, eps=eps)


class RMSNorm(Norm):
    """Divide each row by its root mean square, √(mean(x²) + eps), and stretch it by learned amounts.

    Shape: (..., normalized_shape) to the same.

    >>> torch.nn.RMSNorm(2)(torch.tensor([[3.0, 4.0]])).detach()
    tensor([[0.8485, 1.1314]])
    """

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__(normalized_shape, eps, elementwise_affine, None, device, dtype)

    def forward(self, x):
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)
