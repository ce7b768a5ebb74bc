"""Products of rows with a layer's weights, in float32, in int8, and in groups of 4 and of 8 bits.

A few rows wait for the weights, which their kernels therefore read once, as they are stored; the int8
product and the sums of 4-bit weights are the lesson's. Inputs are rounded: for int8 weights to int8 as
`quantize_along` does, for groups to int16 with a scale for each group. Where rows are many, arithmetic is
the limit: weights become float32, a block at a time, for BLAS.
"""

import itertools

import numpy as np
from numpy import float32, int16, int32, uint8

from tinytorch.acceleration import ONE, SUM, fits, int4_sums_kernel, int8_product_kernel
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.quantization.integer_layers import QuantizedLinear
from tinytorch.given.quantization.packed import GroupedProduct, Int4Linear, Int8Linear
from tinytorch.layers import Linear
from tinytorch.quantization import EPS, linear_forward

__all__ = []

FEW = 8  # rows, up to which a product waits for its weights
LARGEST = float32(127)  # of the integers of 8 bits
BLOCK = 2**18  # float32 weights at a time: 1 MiB
GROUP = 32  # numbers, each of which rounding moves by at most a half
MOST_BY_4 = float32(2**15 / 8 - GROUP / 2 - 1)  # so the sum of a group's products with -8 to 7 fits an int16
MOST_BY_8 = float32(2**15 - GROUP / 2 - 1)  # so each number does; the sum of products with int8 fits an int32
SMALLEST, ZERO = float32(EPS), float32(0)


@kernel(fastmath=SUM)
def float_product(x, weight, out):
    """out = x weightᵀ, float32 (N, K) and (O, K)."""
    for o in range(len(weight)):
        w = weight[o]
        for n in range(len(x)):
            row, s = x[n], ZERO
            for k in range(len(w)):
                s += row[k] * w[k]
            out[n, o] = s


@kernel(fastmath=SUM)
def round_rows(x, integers, scale, zero_point):
    """Round rows (N, K) as `quantize_along` does, to int8 or whole float32; scale NaN for one not finite."""
    for n in range(len(x)):
        row, result, low, high, nothing = x[n], integers[n], ZERO, ZERO, ZERO
        for k in range(len(row)):
            low, high = min(low, row[k]), max(high, row[k])
            nothing += row[k] * ZERO
        step = max((high - low) / float32(255), SMALLEST)
        zero = min(max(-ONE - LARGEST - np.rint(low / step), -ONE - LARGEST), LARGEST)
        if nothing != ZERO:  # infinite, or NaN
            scale[n], zero_point[n] = np.nan, ZERO
            result[:] = 0
            continue
        for k in range(len(row)):
            q = np.rint(row[k] / step) + zero
            result[k] = min(max(q, -ONE - LARGEST), LARGEST)
        scale[n], zero_point[n] = step, zero


@kernel
def int8_product(x, weight, weight_scale, weight_sums, integers, sums, out):
    """The formula of `linear_forward`, without a bias; `integers` (N, K) and `sums` (N, O) are memory."""
    scale = np.empty((2, len(x)), float32)
    round_rows(x, integers, scale[0], scale[1])
    int8_product_kernel(integers, weight, sums)
    for n in range(len(x)):
        result, total, s, zero = out[n], sums[n], scale[0, n], int32(scale[1, n])
        for o in range(len(result)):
            result[o] = float32(int32(total[o] - int32(zero * weight_sums[o]))) * (s * weight_scale[o])


@kernel
def finish(sums, scale, zero_point, weight_scale, weight_sums):
    """The same formula's end, in place, for sums of whole numbers in float32 (N, O)."""
    for n in range(len(sums)):
        row, s, zero = sums[n], scale[n], zero_point[n]
        for o in range(len(row)):
            row[o] = (row[o] - zero * float32(weight_sums[o])) * (s * weight_scale[o])


@kernel(fastmath=SUM)
def round_groups(row, size, most, integers, scale, sums):
    """Round a row's groups of `size` numbers, each with its scale, to int16 (G, size); add each up.

    The scale is the least with which a group's absolute values add up to at most `most`.
    """
    for g in range(len(integers)):
        group, result = row[g * size : min((g + 1) * size, len(row))], integers[g]
        absolute, total = ZERO, ZERO
        for k in range(len(group)):
            absolute += abs(group[k])
            total += group[k]
        inverse = most / absolute if absolute > ZERO else ZERO
        result[:] = 0
        for k in range(len(group)):
            result[k] = int16(np.rint(group[k] * inverse))
        scale[g], sums[g] = absolute / most, total


@kernel
def from_half(bits):
    """The float32 that the bits of a float16 stand for, an int16: 112 more in the exponent."""
    x = int32(int32(int32(bits) & int32(0x7FFF)) << int32(13)).view(float32) * float32(2.0**112)
    return -x if bits < 0 else x


@kernel
def low(byte):
    """The low half of a byte, from 0 to 15, as `pack_int4` packs -8 to 7."""
    return int16(uint8(byte & uint8(15)))


@kernel
def high(byte):
    return int16(uint8(byte >> uint8(4)))


@kernel
def int4_product(x, size, packed, scale, minimum, out):
    """out = x weightᵀ for weights (integer + 8) · scale + minimum; neighbouring outputs go side by side.

    The minimum, and the eight scales that come with it, meet the numbers of x before they are rounded.

    Args:
        x: float32 (N, K); `size` of its numbers are a group.
        packed: uint8 (G, half, O); scale, minimum: the bits of float16, int16 (G, O).
        out: float32 (N, O).
    """
    G, half, outputs = packed.shape
    integers, total = np.empty((G, 2 * half), int16), np.empty(outputs, int16)
    steps, sums = np.empty(G, float32), np.empty(G, float32)
    for n in range(len(x)):
        result = out[n]
        round_groups(x[n], size, MOST_BY_4, integers, steps, sums)
        result[:] = ZERO
        for g in range(G):
            int4_sums_kernel(integers[g], packed[g], total)
            d, m, step, s = scale[g], minimum[g], steps[g], sums[g]
            eights = float32(8) * s
            for o in range(outputs):
                result[o] += from_half(d[o]) * (step * float32(total[o]) + eights) + from_half(m[o]) * s


@kernel
def int4_columns(packed, scale, minimum, first, block):
    """The weights of some outputs, those from `first` on, float32 (G, 2 half, outputs)."""
    G, half, _ = packed.shape
    width = block.shape[2]
    steps, least = np.empty(width, float32), np.empty(width, float32)
    for g in range(G):
        d, m = scale[g, first : first + width], minimum[g, first : first + width]
        for o in range(width):
            steps[o], least[o] = from_half(d[o]), from_half(m[o])
        for k in range(half):
            row, one, other = packed[g, k, first : first + width], block[g, k], block[g, half + k]
            for o in range(width):
                byte = uint8(row[o] ^ uint8(0x88))
                one[o] = float32(low(byte)) * steps[o] + least[o]
                other[o] = float32(high(byte)) * steps[o] + least[o]


@kernel(fastmath=SUM)
def grouped_int8_product(x, integers, scale, out):
    """out = x weightᵀ for weights integer · scale: int8 (O, G, size), and float16's bits, int16 (O, G)."""
    outputs, G, size = integers.shape
    q, steps, sums = np.empty((G, size), int16), np.empty(G, float32), np.empty(G, float32)
    for n in range(len(x)):
        round_groups(x[n], size, MOST_BY_8, q, steps, sums)
        for o in range(outputs):
            total = ZERO
            for g in range(G):
                row, w, s = q[g], integers[o, g], int32(0)
                for k in range(size):
                    s = int32(s + int32(row[k] * int16(w[k])))
                total += from_half(scale[o, g]) * (steps[g] * float32(s))
            out[n, o] = total


@kernel
def int8_rows(integers, scale, block):
    """The weights of some outputs, float32 (outputs, G, size)."""
    outputs, G, size = integers.shape
    for o in range(outputs):
        for g in range(G):
            d, row, result = from_half(scale[o, g]), integers[o, g], block[o, g]
            for k in range(size):
                result[k] = d * float32(row[k])


def halves(tensor):
    """The bits of a buffer of float16, as int16, which kernels read."""
    return tensor.array.view(np.int16)


def product_of_floats(layer, x):
    output = np.empty((len(x), layer.out_features), np.float32)
    float_product(x, layer._parameters["weight"].array, output)
    return output


def product_of_int8(layer, x):
    buffers = layer._buffers
    weight, scale, sums = (buffers[name].array for name in ("weight", "weight_scale", "weight_sums"))
    output = np.empty((len(x), len(weight)), np.float32)
    if len(x) <= FEW:
        integers, totals = np.empty(x.shape, np.int8), np.empty(output.shape, np.int32)
        int8_product(x, weight, scale, sums, integers, totals, output)
        return output
    integers, (steps, zero_points) = np.empty_like(x), np.empty((2, len(x)), np.float32)
    round_rows(x, integers, steps, zero_points)
    for rows in blocks_of(layer):
        part = integers @ weight[rows].astype(np.float32).T
        finish(part, steps, zero_points, scale[rows], sums[rows])
        output[:, rows] = part
    return output


def product_of_groups_of_4(layer, x):
    output = np.empty((len(x), layer.out_features), np.float32)
    int4_product(x, layer.group_size, *arrays_of(layer), output)
    return output


def product_of_groups_of_8(layer, x):
    output = np.empty((len(x), layer.out_features), np.float32)
    grouped_int8_product(x, *arrays_of(layer), output)
    return output


def arrays_of(layer):
    """What the kernels of a layer of groups read, as it lies in memory."""
    buffers = layer._buffers
    if type(layer) is Int8Linear:
        return buffers["integers"].array, halves(buffers["scale"])
    return (
        buffers["packed"].array.transpose(1, 2, 0),
        halves(buffers["scale"]).T,
        halves(buffers["minimum"]).T,
    )


def columns_of(layer):
    """The weights of a layer of groups, some outputs at a time: (slice of outputs, float32 (K, outputs))."""
    arrays = arrays_of(layer)
    for rows in blocks_of(layer):
        count = rows.stop - rows.start
        if type(layer) is Int8Linear:
            block = np.empty((count, *arrays[0].shape[1:]), np.float32)
            int8_rows(*[array[rows] for array in arrays], block)
            yield rows, block.reshape(count, -1).T
        else:
            G, half, _ = arrays[0].shape
            block = np.empty((G, 2 * half, count), np.float32)
            int4_columns(*arrays, rows.start, block)
            yield rows, block[:, : layer.group_size].reshape(-1, count)[: layer.in_features]


PRODUCTS = {
    Linear: product_of_floats,
    QuantizedLinear: product_of_int8,
    Int4Linear: product_of_groups_of_4,
    Int8Linear: product_of_groups_of_8,
}


def blocks_of(layer):
    """Slices of a layer's outputs whose weights are at most BLOCK."""
    step = max(1, BLOCK // layer.in_features)
    ends = [*range(0, layer.out_features, step), layer.out_features]
    return [slice(first, end) for first, end in itertools.pairwise(ends)]


def has_kernel(layer):
    """Whether a layer's product has a kernel, as its weights are and as they lie in memory."""
    kind, kept = type(layer), layer.__dict__
    if kind is Linear:
        return fits(kept["_parameters"]["weight"].array)
    buffers = kept.get("_buffers", {})
    if kind is QuantizedLinear:
        return buffers["input_scale"] is None and buffers["weight"].array.flags.c_contiguous
    if kind is Int4Linear:
        flat = buffers["packed"].array.transpose(1, 2, 0).flags.c_contiguous
        return flat and layer.group_size <= GROUP and buffers["scale"].array.flags.f_contiguous
    return kind is Int8Linear and buffers["integers"].array.flags.c_contiguous


def multiply(layer, x):
    """A layer's output (N, O) for rows x (N, K), by the kernel for its weights."""
    if len(x) <= FEW or type(layer) not in (Int4Linear, Int8Linear):
        output = PRODUCTS[type(layer)](layer, x)
    else:
        output = np.empty((len(x), layer.out_features), np.float32)
        for rows, columns in columns_of(layer):
            np.matmul(x, columns, out=output[:, rows])
    bias = layer._parameters.get("bias") if type(layer) is Linear else layer._buffers["bias"]
    if bias is not None:
        output += bias.array
    return output


def grouped_fits(x, layer):
    return has_kernel(layer) and fits(x) and x.shape[-1] == layer.in_features


def grouped_forward(ctx, x, layer):
    ctx.layer, ctx.shape = layer, x.shape
    output = multiply(layer, x.reshape(-1, layer.in_features))
    return output.reshape(*x.shape[:-1], layer.out_features)


def grouped_backward(ctx, grad):
    flat = grad.reshape(-1, ctx.layer.out_features)
    output = np.zeros((len(flat), ctx.layer.in_features), np.float32)
    for rows, columns in columns_of(ctx.layer):
        output += flat[:, rows] @ columns.T
    return output.reshape(ctx.shape)


def linear_fits(layer, x):
    return type(layer) is QuantizedLinear and has_kernel(layer) and fits(x)


def product_kernels():
    """The entries of `kernel_table` for layers of integers."""
    return [
        (GroupedProduct, grouped_forward, grouped_backward, grouped_fits),
        (linear_forward, multiply, None, linear_fits),
    ]
