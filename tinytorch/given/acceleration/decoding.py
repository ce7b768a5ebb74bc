"""A block of a GPT for one new position of each text: what `Block.forward` computes with a cache, in kernels.

A step of generation is a vector for each text. Through Tensors it is forty operations a block, whose calls
cost more than their arithmetic; here it is eight kernels. The layers and the cache are the learner's, as
modules 13 and 18 make them; whatever differs from these (hooks, another class, a gradient, more positions)
goes through `Block.forward`.
"""

import math

import numpy as np
from numpy import float32

from tinytorch.acceleration import ONE, SUM, bias_gelu_kernel, exp, fits, largest, layer_norm_kernel
from tinytorch.autograd import grad_mode
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.fusing import HOOKS, fused_forward, gate_rows
from tinytorch.given.acceleration.products import FEW, PRODUCTS, ZERO, has_kernel, multiply
from tinytorch.given.tensor.devices import later
from tinytorch.given.transformer.normalization import LayerNorm, RMSNorm
from tinytorch.tensor import wrap
from tinytorch.transformer import MLP, Block, CausalSelfAttention, GatedMLP

__all__ = []


@kernel(fastmath=SUM)
def rms_norm(x, weight, eps, out):
    for i in range(len(x)):
        row, result, square = x[i], out[i], ZERO
        for j in range(len(row)):
            square += row[j] * row[j]
        r = ONE / np.sqrt(square / float32(len(row)) + eps)
        for j in range(len(row)):
            result[j] = row[j] * r * weight[j]


@kernel(fastmath=SUM)
def attend_step(packed, cos, sin, keys, values, length, scale, out, scores):
    """Turn a position's queries and key, keep its key and value, and attend to all that are kept.

    Args:
        packed: float32 (N, H + 2 G, d): heads of queries, of keys and of values; changed.
        cos, sin: of the position's angles, (d/2,); of length 0 where nothing is turned.
        keys, values: (N, G, room, d), of which `length` are filled.
        out: (N, H, d); scores: memory for length + 1 numbers.
    """
    N, heads, d = packed.shape
    G, half, row = keys.shape[1], len(cos), scores[: length + 1]
    H = heads - 2 * G
    for n in range(N):
        for head in range(H + G):
            x, y = packed[n, head, :half], packed[n, head, half:]
            for j in range(half):
                x[j], y[j] = x[j] * cos[j] - y[j] * sin[j], x[j] * sin[j] + y[j] * cos[j]
        for g in range(G):
            keys[n, g, length], values[n, g, length] = packed[n, H + g], packed[n, H + G + g]
        for head in range(H):
            q, result, g = packed[n, head], out[n, head], head // (H // G)
            for s in range(length + 1):
                key, total = keys[n, g, s], ZERO
                for j in range(d):
                    total += q[j] * key[j]
                row[s] = total * scale
            m, total = largest(row), ZERO
            for s in range(length + 1):
                row[s] = exp(row[s] - m)
                total += row[s]
            result[:] = ZERO
            for s in range(length + 1):
                weight, value = row[s] / total, values[n, g, s]
                for j in range(d):
                    result[j] += weight * value[j]


def usual(module):
    """Whether nothing comes between a module and its forward: no hooks, no forward set on the instance."""
    kept = module.__dict__
    own = kept.get("forward")
    return not any(map(kept.get, HOOKS)) and (own is None or own.__func__ is fused_forward)


def block_fits(block, x, *rest):
    """Whether a block is one that module 13 makes, and is to take a step with a cache of float32."""
    parts, array = block._modules, x.array
    attn = parts["attn"]
    cache = attn.__dict__.get("cache")
    if cache is None or rest or grad_mode.enabled or type(block) is not Block or array.ndim != 3:
        return False
    if array.shape[1] != 1 or len(array) > FEW or not fits(array):
        return False
    mlp = parts["mlp"]
    norms, inside = (parts["ln_1"], parts["ln_2"]), (attn._modules, mlp._modules)
    layers = [each[name] for each in inside for name in ("c_attn", "c_fc", "c_proj") if name in each]
    drops = attn._modules["resid_dropout"], mlp._modules["dropout"]
    return (
        type(attn) is CausalSelfAttention
        and type(mlp) in (MLP, GatedMLP)
        and all(type(norm) in (LayerNorm, RMSNorm) for norm in norms)
        and all(norm._parameters["weight"] is not None for norm in norms)
        and all(type(layer) in PRODUCTS and has_kernel(layer) for layer in layers)
        and not any(drop.training and drop.p for drop in drops)
        and all(usual(module) for module in (block, attn, mlp, *norms, *layers, *drops))
        and type(cache) is later("kv_cache").LayerCache
        and fits(cache.k, cache.v)
        and len(cache.k) == len(array)
        and cache.length < cache.k.shape[2]
    )


def normalised(norm, x):
    output, weight = np.empty_like(x), norm._parameters["weight"].array
    if type(norm) is RMSNorm:
        rms_norm(x, weight, float32(norm.eps), output)
        return output
    bias = norm._parameters["bias"]
    bias = np.zeros_like(weight) if bias is None else bias.array
    layer_norm_kernel(x, weight, bias, float32(norm.eps), output, *np.empty((2, len(x)), np.float32))
    return output


NOTHING = np.empty(0, np.float32)


def attended(attn, x):
    cache, rotary = attn.cache, attn._modules.get("rotary")
    H, G, _ = attn.heads
    packed = multiply(attn._modules["c_attn"], x).reshape(len(x), H + 2 * G, -1)
    cos = sin = NOTHING
    if rotary is not None:
        cos, sin = (rotary._buffers[name].array[cache.length] for name in ("cos", "sin"))
    output = np.empty((len(x), H, packed.shape[2]), np.float32)
    scale, scores = float32(1 / math.sqrt(packed.shape[2])), np.empty(cache.length + 1, np.float32)
    attend_step(packed, cos, sin, cache.k, cache.v, cache.length, scale, output, scores)
    cache.length += 1
    return multiply(attn._modules["c_proj"], output.reshape(len(x), -1))


def through_mlp(mlp, x):
    out, back = mlp._modules["c_fc"], mlp._modules["c_proj"]
    h = multiply(out, x)
    if type(mlp) is GatedMLP:
        inner = np.empty((len(x), h.shape[1] // 2), np.float32)
        gate_rows(h, inner)
    else:
        inner = np.empty_like(h)
        bias_gelu_kernel(h, np.zeros(h.shape[1], np.float32), inner)
    return multiply(back, inner)


def block_step(block, x):
    """What `Block.forward` computes of x (N, 1, C), whose position goes into the cache."""
    parts, rows = block._modules, x.array[:, 0]  # (N, C)
    rows = rows + attended(parts["attn"], normalised(parts["ln_1"], rows))
    return wrap((rows + through_mlp(parts["mlp"], normalised(parts["ln_2"], rows)))[:, None])


def decoding_kernels():
    """The entries of `kernel_table` for steps of generation."""
    return [(Block.forward, block_step, None, block_fits)]
