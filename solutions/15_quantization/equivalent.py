"""Changes in the answers of module 15 that no valid input can tell from them."""

EQUIVALENT = {
    "scale-and-zero-point": """
        The smaller and the larger of two numbers are the same in either order.
        - low, high = (np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0)))
        + low, high = (np.minimum(np.float32(0), low), np.maximum(high, np.float32(0)))
        + low, high = (np.minimum(low, np.float32(0)), np.maximum(np.float32(0), high))
        - scale = np.maximum(np.maximum(-low, high) / np.float32(steps / 2), np.float32(eps))
        + scale = np.maximum(np.float32(eps), np.maximum(-low, high) / np.float32(steps / 2))
        + scale = np.maximum(np.maximum(high, -low) / np.float32(steps / 2), np.float32(eps))
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = np.maximum(np.float32(eps), (high - low) / np.float32(steps))

        A number type that is called without a number gives 0.
        - low, high = (np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0)))
        + low, high = (np.minimum(low, np.float32()), np.maximum(high, np.float32(0)))
        + low, high = (np.minimum(low, np.float32(0)), np.maximum(high, np.float32()))

        Clipping is the larger of a number and one end, and the smaller of that and the other.
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_min, quant_min - np.rint(low / scale), quant_max)

        What the error says is not promised.
        - raise ValueError(f'no integers for a range from {low.min()} to {high.max()}')
        + raise ValueError(f'no integers for a range from {low.min()} to {low.max()}')
    """,
    "quantize": """
        A number that is no float32 is divided by with more digits, which is not promised otherwise.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + q = np.rint(x / np.asarray(scale)) + np.asarray(zero_point, np.float32)

        Whole numbers of this size are the same in every type of floats.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point)

        Clipping is the larger of a number and one end, and the smaller of that and the other.
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + return np.clip(quant_min, q, quant_max).astype(np.int8)

        An int8 less a float32 is a float32.
        - difference = np.asarray(q, np.float32) - np.asarray(zero_point, np.float32)
        + difference = np.asarray(q) - np.asarray(zero_point, np.float32)
    """,
    "mse-range": """
        Factors with more digits give the same range but for rounding.
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(1, 0, candidates, endpoint=False):

        The sign goes with the square.
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = ((x - dequantize(q, scale, zero_point)) ** 2).mean()
    """,
    "integer-product": """
        The product makes floats of the integers itself, in memory of its own.
        - sums[:, first:first + step] += (part @ block.T).astype(np.int32)
        + sums[:, first:first + step] += (part @ rows.T).astype(np.int32)
    """,
    "conv2d-forward": """
        NumPy takes every negative length for the one that it is to find.
        - filters = layer.weight.array.reshape(o, -1)
        + filters = layer.weight.array.reshape(o, -2)
    """,
    "pack-int4": """
        Bits that two numbers share, or do not, are the same in either order.
        - nibbles = (q & 15).astype(np.uint8)
        + nibbles = (15 & q).astype(np.uint8)
        - nibbles = np.concatenate([packed & 15, packed >> 4], axis=-1)[..., :length]
        + nibbles = np.concatenate([15 & packed, packed >> 4], axis=-1)[..., :length]
        - return (nibbles.astype(np.int8) ^ 8) - np.int8(8)
        + return (8 ^ nibbles.astype(np.int8)) - np.int8(8)
    """,
    "fake-quantize": """
        Both have to hold, whichever is asked first.
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward((q <= quant_max) & (quant_min <= q))
    """,
    "bfloat16": """
        Both sides of a mask may change places, and those of a sum.
        - last = bits >> np.uint32(16) & np.uint32(1)
        + last = np.uint32(1) & bits >> np.uint32(16)
        - rounded = bits + np.uint32(32767) + last & np.uint32(4294901760)
        + rounded = np.uint32(4294901760) & bits + np.uint32(32767) + last
    """,
}
