# %% [markdown]
# # 02 Activations
#
# The functions that stand between the layers of a network, and the ones that turn scores into probabilities.

# %%
#| export
import math

import numpy as np

from tinytorch.tensor import Context, Function, axes_of, axis_of, floating


# %%
#| export
class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.maximum(x, 0)
        ctx.save_for_backward(output)
        return output


def relu(input, inplace=False):
    """max(x, 0) of every element; with `inplace`, written into `input` itself."""
    if input.array.dtype == bool:
        raise RuntimeError("Boolean inputs not supported for relu")
    output = Relu.apply(input)
    return input._become(output) if inplace else output


# %%
#| export
class LeakyRelu(Function):
    @staticmethod
    def forward(ctx, x, negative_slope):
        ctx.save_for_backward(x)
        ctx.negative_slope = negative_slope
        return np.maximum(x, 0) + negative_slope * np.minimum(x, 0)


class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        exps = np.exp(-np.abs(x))
        output = np.maximum(exps, x >= 0) / (1 + exps)  # 1 / (1 + e^-x) to the right of 0, e^x / (1 + e^x) to the left
        ctx.save_for_backward(output)
        return output


class Tanh(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.tanh(x)
        ctx.save_for_backward(output)
        return output


class Erf(Function):
    @staticmethod
    def forward(ctx, x):
        from scipy.special import erf  # 0.3 s, and most programs never ask for it

        ctx.save_for_backward(x)
        return erf(x).astype(x.dtype)


class Gelu(Function):
    @staticmethod
    def forward(ctx, x, approximate):
        ctx.save_for_backward(x)
        ctx.approximate = approximate
        if approximate == "tanh":
            inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
            return 0.5 * x * (1 + np.tanh(inner))
        return 0.5 * x * (1 + Erf.forward(Context(), math.sqrt(0.5) * x))


class Silu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * Sigmoid.forward(Context(), x)


class Softplus(Function):
    @staticmethod
    def forward(ctx, x, beta, threshold):
        ctx.save_for_backward(x)
        ctx.beta, ctx.threshold = beta, threshold
        scaled = beta * x
        smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        return np.where(scaled > threshold, x, smooth / beta)


class Softmax(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.axis = axis_of(dim, x.ndim)
        output = np.empty_like(x)  # worked in from here on: no second array
        np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        np.exp(output, out=output)
        output /= output.sum(axis=ctx.axis, keepdims=True)
        ctx.save_for_backward(output)
        return output


class LogSoftmax(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.axis = axis_of(dim, x.ndim)
        output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        ctx.save_for_backward(output)
        return output


class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        shift = x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        with np.errstate(divide="ignore"):  # the log of a sum of nothing is -inf
            output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        output = output if keepdim else output.squeeze(ctx.axis)
        ctx.save_for_backward(output, x)
        return output


# %%
#| export
def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x where it is positive, `negative_slope` times x elsewhere."""
    return apply(LeakyRelu, input, inplace, negative_slope=negative_slope)


def sigmoid(input):
    """1 / (1 + exp(-x)): any score as a number between 0 and 1."""
    return Sigmoid.apply(floating(input))


def tanh(input):
    """The hyperbolic tangent: any score as a number between -1 and 1."""
    return Tanh.apply(floating(input))


def erf(input):
    """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
    return Erf.apply(floating(input))


def gelu(input, approximate="none"):
    """x times the chance that a standard normal number is below x; `approximate="tanh"` for GPT-2's formula."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh, not {approximate!r}")
    return Gelu.apply(checked(input, "gelu"), approximate=approximate)


def silu(input, inplace=False):
    """x sigmoid(x), also called swish."""
    return apply(Silu, input, inplace)


def softplus(input, beta=1, threshold=20):
    """log(1 + exp(beta x)) / beta, a smooth relu; x itself where beta x is beyond `threshold`."""
    return Softplus.apply(checked(input, "softplus"), beta=beta, threshold=threshold)


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Probabilities along `dim`; see `Softmax.forward`. With `dtype`, computed in that type."""
    return Softmax.apply(scores(input, dim, dtype, "softmax"), dim=dim)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithms of the probabilities along `dim`; see `LogSoftmax.forward`."""
    return LogSoftmax.apply(scores(input, dim, dtype, "log_softmax"), dim=dim)


def logsumexp(input, dim, keepdim=False):
    """log(sum(exp(x))) along `dim`, which may be several; see `LogSumExp.forward`."""
    return LogSumExp.apply(floating(input), dim=dim, keepdim=keepdim)


def checked(input, name):
    """`input`, if it is floating point; NotImplementedError for integers, as in PyTorch."""
    if input.array.dtype.kind != "f":
        raise NotImplementedError(f"{name} is not implemented for {input.dtype}")
    return input


def scores(input, dim, dtype, name):
    """What softmax works on: `input` in the type asked for, which must be floating point."""
    if dim is None:
        raise TypeError(f"{name}() missing 1 required argument: 'dim', the dimension that is to sum to one")
    return checked(input if dtype is None else input.to(dtype), name)


def apply(function, input, inplace, **options):
    """Apply an activation; with `inplace`, put its result into `input` and save a copy of what was there."""
    name = function.__name__
    if inplace:
        return input._become(function.apply(checked(input, name).clone(), **options))
    return function.apply(checked(input, name), **options)
