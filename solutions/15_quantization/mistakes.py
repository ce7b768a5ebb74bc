"""Planted mistakes of module 15: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "scale-and-zero-point": """
        The range is not widened to contain zero. (hint 1)
        - low, high = np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0))

        Only the lower end is widened to contain zero. (hint 1)
        - low, high = np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0))
        + low = np.minimum(low, np.float32(0))

        Only the upper end is widened to contain zero. (hint 1)
        - low, high = np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0))
        + high = np.maximum(high, np.float32(0))

        The range is divided into as many parts as there are integers, not one fewer.
        - steps = quant_max - quant_min
        + steps = quant_max - quant_min + 1

        The scale of a symmetric range comes from the upper end alone.
        - scale = np.maximum(np.maximum(-low, high) / np.float32(steps / 2), np.float32(eps))
        + scale = np.maximum(high / np.float32(steps / 2), np.float32(eps))

        A symmetric range spreads its magnitude over all steps, and not over half of them.
        - scale = np.maximum(np.maximum(-low, high) / np.float32(steps / 2), np.float32(eps))
        + scale = np.maximum(np.maximum(-low, high) / np.float32(steps), np.float32(eps))

        The magnitude is divided by `quant_max`, or by half of the steps rounded down: half of 255 is 127.5.
        - scale = np.maximum(np.maximum(-low, high) / np.float32(steps / 2), np.float32(eps))
        + scale = np.maximum(np.maximum(-low, high) / np.float32(quant_max), np.float32(eps))

        The magnitude is divided by `quant_max`, or by half of the steps rounded down: half of 255 is 127.5.
        - scale = np.maximum(np.maximum(-low, high) / np.float32(steps / 2), np.float32(eps))
        + scale = np.maximum(np.maximum(-low, high) / np.float32(steps // 2), np.float32(eps))

        A range of zeros has scale 0, and divides by it. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = (high - low) / np.float32(steps)

        Only a scale of 0 becomes `eps`, not every smaller one. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = (high - low) / np.float32(steps)
        + scale = np.where(scale == 0, np.float32(eps), scale)

        The scale is limited only after the zero point was computed with it. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + scale = (high - low) / np.float32(steps)
        + zero_point = quant_min - np.rint(low / np.where(scale == 0, 1, scale))
        + zero_point = np.clip(zero_point, quant_min, quant_max)
        + scale = np.maximum(scale, np.float32(eps))

        The zero point is computed with a scale that is limited by a number smaller than `eps`. (hint 2)
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + own = np.maximum((high - low) / np.float32(steps), np.float32(1e-30))
        + zero_point = np.clip(quant_min - np.rint(low / own), quant_min, quant_max)

        The smallest scale is always the same, whatever `eps` says. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = np.maximum((high - low) / np.float32(steps), np.float32(EPS))

        The smallest scale is added to every scale. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = (high - low) / np.float32(steps) + np.float32(eps)

        The zero point's fraction is dropped, not rounded. (hint 3)
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_min - np.trunc(low / scale), quant_min, quant_max)

        The zero point is rounded down. (hint 3)
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_min - np.floor(low / scale), quant_min, quant_max)

        quant_min is subtracted before the zero point is rounded. (hint 3)
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(np.rint(quant_min - low / scale), quant_min, quant_max)

        Halves of the zero point do not go to the even integer.
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_min - np.floor(low / scale + 0.5), quant_min, quant_max)

        The zero point is kept in -128..127, whatever the integers are.
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_min - np.rint(low / scale), -128, 127)

        All zero points are computed with one scale, the largest.
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_min - np.rint(low / scale.max()), quant_min, quant_max)

        The zero point is not rounded, and astype drops its fraction. (hint 3)
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_min - low / scale, quant_min, quant_max)

        It works for arrays only: a NumPy scalar does not support item assignment. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = (high - low) / np.float32(steps)
        + scale[scale < eps] = eps

        The zero point is counted from zero, not from the smallest integer. (hint 3)
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(-np.rint(low / scale), quant_min, quant_max)

        NaN is accepted. (hint 1)
        - if not (np.isfinite(low).all() and np.isfinite(high).all()):
        + if np.isinf(low).any() or np.isinf(high).any():

        Infinities are accepted. (hint 1)
        - if not (np.isfinite(low).all() and np.isfinite(high).all()):
        + if np.isnan(low).any() or np.isnan(high).any():

        Symmetric ranges have zero point 0 for unsigned integers, too. (hint 3)
        - middle = (quant_min + quant_max + 1) // 2
        + middle = 0

        float64 comes out.
        - low, high = np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0))
        + low, high = np.minimum(low, np.float64(0)), np.maximum(high, np.float64(0))

        The range is widened in the caller's arrays. (hint 1)
        - low, high = np.minimum(low, np.float32(0)), np.maximum(high, np.float32(0))
        + low, high = np.minimum(low, 0, out=low), np.maximum(high, 0, out=high)

        `eps` is the smallest width of the range, not the smallest scale. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = np.maximum(high - low, np.float32(eps)) / np.float32(steps)

        The scale is limited only where the range is narrower than `eps`. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = (high - low) / np.float32(steps)
        + scale = np.where(high - low < eps, np.float32(eps), scale)

        An eps of 0 is taken for no eps.
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        + scale = np.maximum((high - low) / np.float32(steps), np.float32(eps or EPS))

        The zero point is computed before the scale is limited by `eps`. (hint 2)
        - scale = np.maximum((high - low) / np.float32(steps), np.float32(eps))
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + scale = (high - low) / np.float32(steps)
        + zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + scale = np.maximum(scale, np.float32(eps))

        The zero point is computed from the upper end, which gives another one where `eps` is the scale.
        - zero_point = np.clip(quant_min - np.rint(low / scale), quant_min, quant_max)
        + zero_point = np.clip(quant_max - np.rint(high / scale), quant_min, quant_max)

        Another error is raised, not a ValueError.
        - if not (np.isfinite(low).all() and np.isfinite(high).all()):
        -     raise ValueError(f"no integers for a range from {low.min()} to {high.max()}")
        + assert np.isfinite(low).all() and np.isfinite(high).all()

        The middle of the integers is rounded to the even one, not up. (hint 3)
        - middle = (quant_min + quant_max + 1) // 2
        + middle = round((quant_min + quant_max) / 2)
    """,
    "quantize": """
        The fraction is cut off, not rounded.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + q = np.trunc(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)

        Halves are rounded up.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + q = np.floor(x / np.asarray(scale, np.float32) + 0.5) + np.asarray(zero_point, np.float32)

        The zero point is added before anything is rounded.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + q = np.rint(x / np.asarray(scale, np.float32) + np.asarray(zero_point, np.float32))

        On the way back, the difference is an int8 if the zero point is a number. (hint 3)
        - difference = np.asarray(q, np.float32) - np.asarray(zero_point, np.float32)
        - return difference * np.asarray(scale, np.float32)
        + return (scale * (q - zero_point)).astype(np.float32)

        int8 overflows before anything is clipped. (hint 1)
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + return np.clip(np.nan_to_num(q).astype(np.int64).astype(np.int8), quant_min, quant_max)

        What is clipped to the range is the rounded quotient, without the zero point.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + q = np.clip(np.rint(x / np.asarray(scale, np.float32)), quant_min, quant_max)
        + return (q + np.asarray(zero_point)).astype(np.int64).astype(np.int8)

        The numbers become integers before they are clipped, and large ones overflow. (hint 2)
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + q = np.where(np.abs(q) < 2**31, q, -(2**31)).astype(np.int32)  # as on most processors
        + return np.clip(q, quant_min, quant_max).astype(np.int8)

        Infinities are refused, which have an integer. (hint 2)
        - if np.isnan(x).any():
        + if not np.isfinite(x).all():

        The caller's numbers are changed.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + x /= np.asarray(scale, np.float32)
        + q = np.rint(x) + np.asarray(zero_point, np.float32)

        All of int8 is used, whatever quant_min and quant_max are.
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + return np.clip(q, -128, 127).astype(np.int8)

        NaN becomes an ordinary integer. (hint 2)
        - if np.isnan(x).any():
        -     raise ValueError("NaN is no integer")
        + x = np.nan_to_num(x, posinf=np.inf, neginf=-np.inf)

        The difference is computed in int8, where it overflows. (hint 3)
        - difference = np.asarray(q, np.float32) - np.asarray(zero_point, np.float32)
        + difference = q - np.asarray(zero_point).astype(np.int8)

        The zero point is added on the way back.
        - difference = np.asarray(q, np.float32) - np.asarray(zero_point, np.float32)
        + difference = np.asarray(q, np.float32) + np.asarray(zero_point, np.float32)

        dequantize returns float64. (hint 3)
        - difference = np.asarray(q, np.float32) - np.asarray(zero_point, np.float32)
        + difference = np.asarray(q, np.float64) - np.asarray(zero_point)

        The integers are kept as float32. (hint 2)
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + return np.clip(q, quant_min, quant_max)

        quant_min=0 is taken for no quant_min.
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + return np.clip(q, quant_min or -128, quant_max).astype(np.int8)

        quant_max=0 is taken for no quant_max.
        - return np.clip(q, quant_min, quant_max).astype(np.int8)
        + return np.clip(q, quant_min, quant_max or 127).astype(np.int8)

        x is multiplied by 1 / scale, which has been rounded, not divided by the scale.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + q = np.rint(x * (1 / np.asarray(scale, np.float32))) + np.asarray(zero_point, np.float32)

        x is multiplied by 1 / scale, rounded to float64, not divided by the scale.
        - q = np.rint(x / np.asarray(scale, np.float32)) + np.asarray(zero_point, np.float32)
        + q = np.rint(x * (1 / np.asarray(scale, np.float64))) + np.asarray(zero_point, np.float32)

        An array without numbers has no minimum, in which a NaN could be seen. (hint 2)
        - if np.isnan(x).any():
        + if np.isnan(x.min()):

        A scale that is a float64 of NumPy's makes float64 of what dequantize returns. (hint 3)
        - return difference * np.asarray(scale, np.float32)
        + return difference * scale
    """,
    "quantize-along": """
        One scale for everything. (hint 2)
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + low, high = x.min(keepdims=True), x.max(keepdims=True)

        The dimensions are dropped, not kept with size 1. (hint 2)
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + low, high = x.min(axis=axis), x.max(axis=axis)

        Numbers saturate at 8 bits, whatever `bits` is. (hint 3)
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + return quantize(x, scale, zero_point), scale, zero_point

        Always 8 bits. (hint 3)
        - ends = integer_range(bits, symmetric)
        + ends = integer_range(8, symmetric)

        Always affine.
        - scale, zero_point = scale_and_zero_point(low, high, *ends, symmetric)
        + scale, zero_point = scale_and_zero_point(low, high, *ends)

        The range has 0 in its middle even if `symmetric` is False.
        - scale, zero_point = scale_and_zero_point(low, high, *ends, symmetric)
        + scale, zero_point = scale_and_zero_point(low, high, *ends, True)

        The lower end is minus the maximum, not the minimum.
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + high = x.max(axis=axis, keepdims=True)
        + low = -high

        A tuple of dimensions is taken for all but the first. (hint 2)
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + axis = tuple(range(1, x.ndim)) if isinstance(axis, tuple) else axis
        + low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)

        With axis=None the scale is (1, 1), however many dimensions x has. (hint 2)
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + if axis is None:
        +     low, high = low.reshape(1, 1), high.reshape(1, 1)

        An axis of 0 is taken for None.
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + low, high = x.min(axis=axis or None, keepdims=True), x.max(axis=axis or None, keepdims=True)

        The zero point comes before the scale.
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + return quantize(x, scale, zero_point, *ends), zero_point, scale

        `axis` is taken for the dimensions that stay, not those whose elements share a scale. (hint 2)
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + if axis is not None:
        +     kept = {a % x.ndim for a in np.atleast_1d(axis)}
        +     axis = tuple(d for d in range(x.ndim) if d not in kept)
        + low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)

        `integer_range` is not told that the integers are symmetric.
        - ends = integer_range(bits, symmetric)
        + ends = integer_range(bits)

        One minimum serves all. (hint 2)
        - low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
        + high = x.max(axis=axis, keepdims=True)
        + low = np.full_like(high, x.min())

        If `symmetric`, the signs are lost.
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + x = np.abs(x) if symmetric else x
        + return quantize(x, scale, zero_point, *ends), scale, zero_point

        The fraction is cut off, not rounded. (hint 1)
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + q = np.trunc(x / scale) + zero_point
        + return np.clip(q, *ends).astype(np.int8), scale, zero_point

        The zero point is added before anything is rounded. (hint 1)
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + q = np.rint(x / scale + zero_point)
        + return np.clip(q, *ends).astype(np.int8), scale, zero_point

        Halves are rounded up. (hint 1)
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + q = np.floor(x / scale + 0.5) + zero_point
        + return np.clip(q, *ends).astype(np.int8), scale, zero_point

        The zero point comes back as int8: `q - zero_point` would overflow.
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + return quantize(x, scale, zero_point, *ends), scale, zero_point.astype(np.int8)

        The scale comes back as float64.
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + return quantize(x, scale, zero_point, *ends), scale.astype(np.float64), zero_point

        The zero point comes back as float32.
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + return quantize(x, scale, zero_point, *ends), scale, zero_point.astype(np.float32)

        If `symmetric`, there is no zero point.
        - return quantize(x, scale, zero_point, *ends), scale, zero_point
        + return quantize(x, scale, zero_point, *ends), scale, None if symmetric else zero_point
    """,
    "mse-range": """
        The smallest range comes back, the last candidate, not the best. (hint 2)
        - if error < smallest:
        + if True:

        The whole range comes back, as if no other candidate were better.
        - if error < smallest:
        + if smallest == np.inf:

        All factors after the first are 0, because `//` drops the fraction. (hint 1)
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in (np.float32(i // candidates) for i in range(candidates, 0, -1)):

        The largest error wins, not the smallest. (hint 2)
        - smallest, best = np.inf, (x.min(), x.max())
        + smallest, best = -np.inf, (x.min(), x.max())
        ...
        - if error < smallest:
        + if error > smallest:

        Differences of both signs cancel, because the mean is taken before anything is squared. (hint 3)
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = abs((dequantize(q, scale, zero_point) - x).mean())

        Nothing is squared, and negative differences count as less than none. (hint 3)
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = (dequantize(q, scale, zero_point) - x).mean()

        The integers are compared with x, not the numbers that they stand for. (hint 3)
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = ((q - x) ** 2).mean()

        The error is measured in steps of the candidate's own scale. (hint 3)
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = (((dequantize(q, scale, zero_point) - x) / scale) ** 2).mean()

        The largest of the squared errors counts, not their mean. (hint 3)
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = ((dequantize(q, scale, zero_point) - x) ** 2).max()

        The absolute error is minimised, not the squared one. (hint 3)
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = np.abs(dequantize(q, scale, zero_point) - x).mean()

        What clipping costs does not count in the error.
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = np.where((low <= x) & (x <= high), (dequantize(q, scale, zero_point) - x) ** 2, 0).mean()

        The smallest error so far begins with a number, and larger errors never count. (hint 2)
        - smallest, best = np.inf, (x.min(), x.max())
        + smallest, best = 1e3, (x.min(), x.max())

        The smallest error so far begins with a number that large numbers exceed. (hint 2)
        - smallest, best = np.inf, (x.min(), x.max())
        + smallest, best = 1e9, (x.min(), x.max())

        The squared error is computed in float16, where large numbers overflow. (hint 3)
        - error = ((dequantize(q, scale, zero_point) - x) ** 2).mean()
        + error = ((dequantize(q, scale, zero_point) - x).astype(np.float16) ** 2).mean()

        Of equal errors the last one counts. (hint 2)
        - if error < smallest:
        + if error <= smallest:

        The last factor, 1/candidates, is never tried. (hint 1)
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32)[:-1]:

        Small factors are never tried. (hint 1)
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        +     if factor < 0.1:
        +         continue

        The steps from one factor to the next are not 1/candidates. (hint 1)
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(1, 0, candidates, dtype=np.float32):

        The factors end halfway, at 1/2. (hint 1)
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(1, 0.5, candidates, endpoint=False, dtype=np.float32):

        The factor 1, that of the whole range, is never tried. (hint 1)
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(0, 1, candidates, endpoint=False, dtype=np.float32)[::-1]:

        The smallest range is tried first, so of equal errors the narrowest counts. (hint 1)
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32)[::-1]:

        An error that is smaller by less than a fixed number does not count. (hint 2)
        - if error < smallest:
        + if error < smallest - 1e-6:

        Only the upper end is moved. (hint 1)
        - low, high = factor * x.min(), factor * x.max()
        + low, high = x.min(), factor * x.max()

        Only the lower end is moved. (hint 1)
        - low, high = factor * x.min(), factor * x.max()
        + low, high = factor * x.min(), x.max()

        Both ends come from the largest magnitude, not from the minimum and the maximum. (hint 1)
        - low, high = factor * x.min(), factor * x.max()
        + low, high = -factor * np.abs(x).max(), factor * np.abs(x).max()

        What is returned contains 0; the ends of x may both be above it.
        - low, high = factor * x.min(), factor * x.max()
        + low, high = factor * min(x.min(), np.float32(0)), factor * max(x.max(), np.float32(0))

        The search begins with the range 0 to 0, which is no candidate, and its error. (hint 2)
        - smallest, best = np.inf, (x.min(), x.max())
        + smallest, best = (x**2).mean(), (np.float32(0), np.float32(0))

        The search ends as soon as an error is not smaller than the one before. (hint 2)
        - if error < smallest:
        -     smallest, best = error, (low, high)
        + if error >= smallest:
        +     break
        + smallest, best = error, (low, high)

        The integers are clipped to 8 bits, not to quant_min and quant_max. (hint 3)
        - q = quantize(x, scale, zero_point, quant_min, quant_max)
        + q = quantize(x, scale, zero_point)

        Always affine.
        - scale, zero_point = scale_and_zero_point(low, high, quant_min, quant_max, symmetric)
        + scale, zero_point = scale_and_zero_point(low, high, quant_min, quant_max)

        Always 64 candidates.
        - for factor in np.linspace(1, 0, candidates, endpoint=False, dtype=np.float32):
        + for factor in np.linspace(1, 0, 64, endpoint=False, dtype=np.float32):

        Always symmetric.
        - scale, zero_point = scale_and_zero_point(low, high, quant_min, quant_max, symmetric)
        + scale, zero_point = scale_and_zero_point(low, high, quant_min, quant_max, True)

        An error of 0 is taken for none, so a range that meets every number is not kept.
        - if error < smallest:
        + if 0 < error < smallest:

        Each error is compared with the one before, not with the smallest so far. (hint 2)
        - if error < smallest:
        -     smallest, best = error, (low, high)
        + if error < smallest:
        +     best = low, high
        + smallest = error

        `symmetric` is not passed on, but guessed from the integers.
        - scale, zero_point = scale_and_zero_point(low, high, quant_min, quant_max, symmetric)
        + guess = quant_min == -quant_max
        + scale, zero_point = scale_and_zero_point(low, high, quant_min, quant_max, guess)
    """,
    "integer-product": """
        int8 overflows.
        + sums[...] = x @ weight.T

        float32 in one go is wrong from 1,041 on. (hint 1)
        + sums[...] = (x.astype(np.float32) @ weight.astype(np.float32).T).astype(np.int32)

        All rows of the weights are converted at once, not block by block. (hint 1)
        - for start in range(0, x.shape[1], EXACT):
        + weight = weight.astype(np.float32)
        + for start in range(0, x.shape[1], EXACT):

        All rows of the weights are converted at once, not block by block. (hint 1)
        - for first in range(0, len(weight), step):
        -     rows = weight[first : first + step, start : start + EXACT]
        -     block = buffer[: rows.shape[0], : rows.shape[1]]
        -     block[...] = rows
        -     sums[:, first : first + step] += (part @ block.T).astype(np.int32)
        + whole = weight.astype(np.float32)[:, start : start + EXACT]
        + sums += (part @ whole.T).astype(np.int32)

        A piece replaces the sums of those before it. (hint 1)
        - sums[:, first : first + step] += (part @ block.T).astype(np.int32)
        + sums[:, first : first + step] = (part @ block.T).astype(np.int32)

        Only the first piece of the columns is summed up. (hint 1)
        - for start in range(0, x.shape[1], EXACT):
        + for start in range(0, min(x.shape[1], 1), EXACT):

        Rows of the weights after the first block are not multiplied, and their sums stay 0. (hint 1)
        - for first in range(0, len(weight), step):
        + for first in range(0, min(len(weight), 1), step):

        The last piece of the columns is left out if it is shorter. (hint 2)
        - for start in range(0, x.shape[1], EXACT):
        + for start in range(0, max(1, x.shape[1] // EXACT) * EXACT, EXACT):

        The last block of the weights is left out if it is smaller. (hint 2)
        - for first in range(0, len(weight), step):
        + for first in range(0, max(1, len(weight) // step) * step, step):

        Nothing is added to `sums` where there is neither a full piece nor a full block. (hint 2)
        - for start in range(0, x.shape[1], EXACT):
        + for start in range(0, x.shape[1] // EXACT * EXACT, EXACT):

        Nothing is added to `sums` where there is neither a full piece nor a full block. (hint 2)
        - for first in range(0, len(weight), step):
        + for first in range(0, len(weight) // step * step, step):

        The pieces begin `step` columns apart, not EXACT, so that columns are counted several times.
        - for start in range(0, x.shape[1], EXACT):
        + for start in range(0, x.shape[1], step):

        The buffer is not cut to the size of a smaller block or piece. (hint 2)
        - block = buffer[: rows.shape[0], : rows.shape[1]]
        + block = buffer

        The buffer is not cut to the columns of the last piece. (hint 2)
        - block = buffer[: rows.shape[0], : rows.shape[1]]
        + block = buffer[: rows.shape[0]]

        The buffer is not cut to the rows of the last block. (hint 2)
        - block = buffer[: rows.shape[0], : rows.shape[1]]
        + block = buffer[:, : rows.shape[1]]

        The pieces are added as float32, which is exact only up to 2**24.
        - for start in range(0, x.shape[1], EXACT):
        + total = np.zeros(sums.shape, np.float32)
        + for start in range(0, x.shape[1], EXACT):
        ...
        - sums[:, first : first + step] += (part @ block.T).astype(np.int32)
        + total[:, first : first + step] += part @ block.T
        + sums[...] = total

        All rows of the weights are converted at once, not block by block. (hint 1)
        + sums[...] = (x.astype(np.float64) @ weight.astype(np.float64).T).astype(np.int32)

        One array of sums is kept and handed out again, so that the next product of its shape overwrites it.
        - for start in range(0, x.shape[1], EXACT):
        + if np.shape(getattr(IntegerProduct, "kept", None)) != sums.shape:
        +     IntegerProduct.kept = sums
        + sums = IntegerProduct.kept
        + sums[...] = 0
        + for start in range(0, x.shape[1], EXACT):

        The rows of a block are converted with all their columns, not piece by piece. (hint 2)
        - for start in range(0, x.shape[1], EXACT):
        -     part = x[:, start : start + EXACT].astype(np.float32)
        -     for first in range(0, len(weight), step):
        -         rows = weight[first : first + step, start : start + EXACT]
        -         block = buffer[: rows.shape[0], : rows.shape[1]]
        -         block[...] = rows
        -         sums[:, first : first + step] += (part @ block.T).astype(np.int32)
        + for first in range(0, len(weight), step):
        +     block = weight[first : first + step].astype(np.float32)
        +     for start in range(0, x.shape[1], EXACT):
        +         part = x[:, start : start + EXACT].astype(np.float32)
        +         piece = block[:, start : start + EXACT]
        +         sums[:, first : first + step] += (part @ piece.T).astype(np.int32)

        A new block is made beside the buffer while the last one still takes memory. (hint 3)
        - block = buffer[: rows.shape[0], : rows.shape[1]]
        - block[...] = rows
        + block = rows.astype(np.float32)
    """,
    "linear-forward": """
        The input is changed before it is quantized: negative numbers become 0.
        - q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
        + q, scale, zero_point = layer.quantize_input(np.maximum(x, 0), axis=1)

        The zero point is forgotten.
        - output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
        + output = sums.astype(np.float32)

        The zero point itself is subtracted, not its product with the sums of the weights.
        - output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
        + output = (sums - zero_point).astype(np.float32)

        The zero point is multiplied by sums of the float weights, and these are scaled once more.
        - output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
        + weights = layer.weight.array * layer.weight_scale.array[:, None]
        + output = (sums - zero_point * weights.sum(axis=1)).astype(np.float32)

        The zero point is added.
        - output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
        + output = (sums + zero_point * layer.weight_sums.array).astype(np.float32)

        float64 comes out. (hint 3)
        - output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
        - output *= scale * layer.weight_scale.array
        + output = (sums - zero_point * layer.weight_sums.array) * (scale * layer.weight_scale.array)

        The scale of the input is forgotten.
        - output *= scale * layer.weight_scale.array
        + output *= layer.weight_scale.array

        The scale of the weight is forgotten.
        - output *= scale * layer.weight_scale.array
        + output *= scale

        One scale for the whole batch.
        - q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
        + q, scale, zero_point = layer.quantize_input(x, axis=(0, 1))

        The input is quantized by its columns, not by its rows.
        - q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
        + q, scale, zero_point = layer.quantize_input(x, axis=0)

        The bias is forgotten. (hint 1)
        - return output if layer.bias is None else output + layer.bias.array
        + return output

        The bias is scaled with the sums.
        - output *= scale * layer.weight_scale.array
        - return output if layer.bias is None else output + layer.bias.array
        + output = output if layer.bias is None else output + layer.bias.array
        + return output * (scale * layer.weight_scale.array)

        The weights are dequantized, and no integers are multiplied. (hint 2)
        + weight = layer.weight.array * layer.weight_scale.array[:, None]
        + q, scale, zero_point = layer.quantize_input(x, axis=1)
        + output = ((q.astype(np.float32) - zero_point.astype(np.float32)) * scale) @ weight.T
        + return output if layer.bias is None else output + layer.bias.array

        The difference is computed in float32, which is not exact beyond 2**24. (hint 3)
        - output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
        + taken_off = zero_point.astype(np.float32) * layer.weight_sums.array.astype(np.float32)
        + output = sums.astype(np.float32) - taken_off

        A batch without rows has no first row. (hint 1)
        - q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
        + x = x.reshape(-1, len(x[0]))
        + q, scale, zero_point = layer.quantize_input(x, axis=1)

        The input is quantized without `layer.quantize_input`, so a calibrated scale is not used.
        - q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
        + q, scale, zero_point = quantize_along(x, 1)

        A tensor of several numbers is neither true nor false; whether there is one is the question. (hint 1)
        - return output if layer.bias is None else output + layer.bias.array
        + return output + layer.bias.array if layer.bias else output

        `IntegerProduct.forward` is called directly, and no faster product can replace it. (hint 2)
        - sums = IntegerProduct.apply(wrap(q), layer.weight).array  # (N, O)
        + sums = IntegerProduct.forward(None, q, layer.weight.array)

        A Tensor comes back. (hint 2)
        - return output if layer.bias is None else output + layer.bias.array
        + return wrap(output if layer.bias is None else output + layer.bias.array)

        The product is computed in int32, without IntegerProduct. (hint 2)
        - sums = IntegerProduct.apply(wrap(q), layer.weight).array  # (N, O)
        + sums = q.astype(np.int32) @ layer.weight.array.T.astype(np.int32)

        The layer keeps its output array, which the next call overwrites.
        - return output if layer.bias is None else output + layer.bias.array
        + output = output if layer.bias is None else output + layer.bias.array
        + if np.shape(getattr(layer, "kept", None)) != output.shape:
        +     layer.kept = output
        + layer.kept[...] = output
        + return layer.kept

        The layer keeps the integers of its first input, and uses them for the next one, too.
        - q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
        + if not hasattr(layer, "kept") or layer.kept[0].shape != x.shape:
        +     layer.kept = layer.quantize_input(x, axis=1)
        + q, scale, zero_point = layer.kept

        No input is quantized: x itself is multiplied by the dequantized weights.
        + output = x @ (layer.weight.array * layer.weight_scale.array[:, None]).T
        + return output if layer.bias is None else output + layer.bias.array

        NaN in x becomes 0.
        - q, scale, zero_point = layer.quantize_input(x, axis=1)  # (N, I), (N, 1), (N, 1)
        + q, scale, zero_point = layer.quantize_input(np.nan_to_num(x), axis=1)

        NaN becomes 0 before the bias is added.
        - output *= scale * layer.weight_scale.array
        + output *= np.nan_to_num(scale) * layer.weight_scale.array

        The layer's own bias gets another shape.
        - return output if layer.bias is None else output + layer.bias.array
        + if layer.bias is None:
        +     return output
        + layer.bias.array = layer.bias.array.reshape(1, -1)
        + return output + layer.bias.array

        The zero point times `weight_sums` is computed in float32, which is not exact beyond 2**24. (hint 3)
        - output = (sums - zero_point * layer.weight_sums.array).astype(np.float32)
        + taken_off = zero_point.astype(np.float32) * layer.weight_sums.array.astype(np.float32)
        + output = (sums - taken_off.astype(np.int32)).astype(np.float32)
    """,
    "conv2d-forward": """
        The padding is the integer 0, which does not stand for zero.
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        - columns = im2col(q, window._replace(padding=(0, 0)))  # (N, C, kh, kw, H', W')
        + q, scale, zero_point = layer.quantize_input(x, axis=(1, 2, 3))
        + columns = im2col(q, window)

        The image is padded twice. (hint 1)
        - columns = im2col(q, window._replace(padding=(0, 0)))  # (N, C, kh, kw, H', W')
        + columns = im2col(q, window)[..., : window.places[0], : window.places[1]]

        The two paddings are exchanged. (hint 1)
        - moves = layer.kernel_size, layer.stride, layer.padding, layer.dilation
        + moves = layer.kernel_size, layer.stride, layer.padding[::-1], layer.dilation

        One padding is taken for both dimensions. (hint 1)
        - moves = layer.kernel_size, layer.stride, layer.padding, layer.dilation
        + moves = layer.kernel_size, layer.stride, layer.padding[:1] * 2, layer.dilation

        The padding repeats the edge of the image, and is not zero. (hint 1)
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        + margins = [(0, 0), (0, 0), *((p, p) for p in layer.padding)]
        + q, scale, zero_point = layer.quantize_input(np.pad(x, margins, mode="edge"), axis=(1, 2, 3))

        All of the padding is put on one side. (hint 1)
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        + margins = [(0, 0), (0, 0), *((0, 2 * p) for p in layer.padding)]
        + q, scale, zero_point = layer.quantize_input(np.pad(x, margins), axis=(1, 2, 3))

        One scale for the whole batch.
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        + q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(0, 1, 2, 3))
        + scale, zero_point = (np.repeat(a, len(x)) for a in (scale, zero_point))

        Each channel of an image gets a scale of its own.
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        + q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(2, 3))

        The windows that im2col returns are quantized, and not the images.
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        - columns = im2col(q, window._replace(padding=(0, 0)))  # (N, C, kh, kw, H', W')
        + windows = im2col(x, window)
        + columns, scale, zero_point = layer.quantize_input(windows, axis=(1, 2, 3, 4, 5))

        The zero point is forgotten. (hint 3)
        - sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array

        The zero point is one too large. (hint 3)
        - sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
        + sums = sums - (zero_point + 1).reshape(n, 1, 1) * layer.weight_sums.array

        The product is one of float32, without IntegerProduct.
        - sums = IntegerProduct.apply(wrap(rows), wrap(filters)).array.reshape(n, p, o)
        + sums = (rows.astype(np.float32) @ filters.T.astype(np.float32)).reshape(n, p, o)

        `IntegerProduct.forward` is called directly, and no faster product can replace it.
        - sums = IntegerProduct.apply(wrap(rows), wrap(filters)).array.reshape(n, p, o)
        + sums = IntegerProduct.forward(None, rows, filters).reshape(n, p, o)

        The difference is computed in float32, which is not exact beyond 2**24. (hint 3)
        - sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
        + sums = sums.astype(np.float32)
        + sums -= zero_point.reshape(n, 1, 1).astype(np.float32) * layer.weight_sums.array.astype(np.float32)

        A batch of 0 images cannot be reshaped with -1. (hint 2)
        - rows = columns.reshape(n, k, p).transpose(0, 2, 1).reshape(n * p, k)
        + rows = columns.reshape(n, k, p).transpose(0, 2, 1).reshape(n * p, -1)

        Places and filters are mixed up in the result. (hint 3)
        - return output.transpose(0, 2, 1).reshape(n, o, *window.places)
        + return output.reshape(n, o, *window.places)

        The rows are not transposed, so places and positions are mixed up. (hint 2)
        - rows = columns.reshape(n, k, p).transpose(0, 2, 1).reshape(n * p, k)
        + rows = columns.reshape(n * p, k)

        The dilation is forgotten. (hint 1)
        - moves = layer.kernel_size, layer.stride, layer.padding, layer.dilation
        + moves = layer.kernel_size, layer.stride, layer.padding, (1, 1)

        The bias is forgotten.
        - output = output if layer.bias is None else output + layer.bias.array

        The bias is scaled with the sums. (hint 3)
        - sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
        + sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
        + sums = sums if layer.bias is None else sums + layer.bias.array
        ...
        - output = output if layer.bias is None else output + layer.bias.array

        Windows get scale and zero point of another image than their own. (hint 3)
        - sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
        - output = sums.astype(np.float32) * (scale.reshape(n, 1, 1) * layer.weight_scale.array)
        + scale, zero_point = (np.tile(a.ravel(), p).reshape(n, p, 1) for a in (scale, zero_point))
        + sums = sums - zero_point * layer.weight_sums.array
        + output = sums.astype(np.float32) * (scale * layer.weight_scale.array)

        The images' scale is forgotten. (hint 3)
        - output = sums.astype(np.float32) * (scale.reshape(n, 1, 1) * layer.weight_scale.array)
        + output = sums.astype(np.float32) * layer.weight_scale.array

        float64 comes out.
        - output = sums.astype(np.float32) * (scale.reshape(n, 1, 1) * layer.weight_scale.array)
        + output = sums * (scale.reshape(n, 1, 1) * layer.weight_scale.array)

        The layer keeps its output array, which the next call overwrites.
        - return output.transpose(0, 2, 1).reshape(n, o, *window.places)
        + output = output.transpose(0, 2, 1).reshape(n, o, *window.places)
        + if np.shape(getattr(layer, "kept", None)) != output.shape:
        +     layer.kept = output.copy()
        + layer.kept[...] = output
        + return layer.kept

        The integers are multiplied without IntegerProduct, and no faster product can replace it.
        - sums = IntegerProduct.apply(wrap(rows), wrap(filters)).array.reshape(n, p, o)
        + sums = (rows.astype(np.int32) @ filters.T.astype(np.int32)).reshape(n, p, o)

        The images are quantized without `layer.quantize_input`, so a calibrated scale is not used.
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        + q, scale, zero_point = quantize_along(padded(x, window), (1, 2, 3))

        NaN in the images becomes 0.
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        + q, scale, zero_point = layer.quantize_input(padded(np.nan_to_num(x), window), axis=(1, 2, 3))

        The layer's own weight gets another shape.
        - filters = layer.weight.array.reshape(o, -1)  # (O, K)
        + filters = layer.weight.array = layer.weight.array.reshape(o, -1)

        No images come back as they are, and not as no answers.
        - q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))
        + if len(x) == 0:
        +     return np.zeros_like(x)
        + q, scale, zero_point = layer.quantize_input(padded(x, window), axis=(1, 2, 3))

        A batch of 0 images cannot be reshaped with -1. (hint 2)
        - rows = columns.reshape(n, k, p).transpose(0, 2, 1).reshape(n * p, k)
        + rows = columns.reshape(n, -1, p).transpose(0, 2, 1).reshape(n * p, k)

        The zero point is added.
        - sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
        + sums = sums + zero_point.reshape(n, 1, 1) * layer.weight_sums.array

        The scale of the weight is forgotten.
        - output = sums.astype(np.float32) * (scale.reshape(n, 1, 1) * layer.weight_scale.array)
        + output = sums.astype(np.float32) * scale.reshape(n, 1, 1)

        A tensor of several numbers is neither true nor false; whether there is one is the question.
        - output = output if layer.bias is None else output + layer.bias.array
        + output = output + layer.bias.array if layer.bias else output

        One stride is taken for both dimensions. (hint 1)
        - moves = layer.kernel_size, layer.stride, layer.padding, layer.dilation
        + moves = layer.kernel_size, layer.stride[:1] * 2, layer.padding, layer.dilation

        Stride and padding are exchanged. (hint 1)
        - moves = layer.kernel_size, layer.stride, layer.padding, layer.dilation
        + moves = layer.kernel_size, layer.padding, layer.stride, layer.dilation

        The zero point times `weight_sums` is computed in float32, which is not exact beyond 2**24.
        - sums = sums - zero_point.reshape(n, 1, 1) * layer.weight_sums.array
        + taken_off = zero_point.reshape(n, 1, 1) * layer.weight_sums.array.astype(np.float32)
        + sums = sums - taken_off.astype(np.float32).astype(np.int32)
    """,
    "replace-layers": """
        The model itself is changed.
        - return visit("", copy.deepcopy(model))
        + return visit("", model)

        All modules of the copy are in evaluation mode.
        - return visit("", copy.deepcopy(model))
        + return visit("", copy.deepcopy(model).eval())

        A child that is None has no children. (hint 2)
        -         if child is not None:
        -             setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        +         setattr(module, key, visit(f"{name}.{key}" if name else key, child))

        The function gets the model's own modules, not the copy's.
        + done = {}
        + def visit(name, module, own):
        +     if own not in done:
        +         new = replacement(name, own)
        +         done[own] = new if new is not own else module
        +         if new is own:
        +             for key, child in list(own._modules.items()):
        +                 if child is not None:
        +                     place = f"{name}.{key}" if name else key
        +                     setattr(module, key, visit(place, module._modules[key], child))
        +     return done[own]
        + return visit("", copy.deepcopy(model), model)

        Only the first level is replaced. (hint 1)
        - if done[module] is module:
        + if done[module] is module and not name:

        The copy is shallow, and shares its layers with the model.
        - return visit("", copy.deepcopy(model))
        + return visit("", copy.copy(model))

        One layer in two places becomes two. (hint 3)
        - if module not in done:
        + if True:

        An empty Sequential in the dict counts as no entry: it is false. (hint 3)
        - if module not in done:
        + if not done.get(module):

        A module that an empty Sequential replaced is walked into, because that is false.
        - if done[module] is module:
        + if not done[module] or done[module] is module:

        `replacement` gets the module first, and then the name.
        - done[module] = replacement(name, module)
        + done[module] = replacement(module, name)

        A module that stays is asked about in each of its places. (hint 3)
        - if module not in done:
        -     done[module] = replacement(name, module)
        -     if done[module] is module:
        -         for key, child in list(module._modules.items()):
        -             if child is not None:
        -                 setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        - return done[module]
        + if module in done:
        +     return done[module]
        + new = replacement(name, module)
        + if new is not module:
        +     done[module] = new
        +     return new
        + for key, child in list(module._modules.items()):
        +     if child is not None:
        +         setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        + return module

        Below the model, only a Sequential is walked into. (hint 2)
        - if done[module] is module:
        + if done[module] is module and (not name or type(module).__name__ == "Sequential"):

        Names begin with a dot.
        - setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        + setattr(module, key, visit(f"{name}.{key}", child))

        The name of a layer lacks the names of the modules above it.
        - setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        + setattr(module, key, visit(key, child))

        The walk goes into replacements as well.
        - if done[module] is module:
        -     for key, child in list(module._modules.items()):
        -         if child is not None:
        -             setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        + new = done[module]
        + for key, child in list(new._modules.items()):
        +     if child is not None:
        +         setattr(new, key, visit(f"{name}.{key}" if name else key, child))

        The model itself is never replaced.
        - return visit("", copy.deepcopy(model))
        + copied = copy.deepcopy(model)
        + visit("", copied)
        + return copied

        An empty Sequential is taken for a child that is None: it is false, too. (hint 2)
        -             if child is not None:
        +             if child:
        +                 setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        +             elif child is not None and not hasattr(child, "__len__"):

        An empty Sequential as a replacement is taken for no replacement: it is false. (hint 1)
        -     done[module] = replacement(name, module)
        +     done[module] = replacement(name, module) or module

        A replacement of the same type as the module is not put in.
        -             setattr(module, key, visit(f"{name}.{key}" if name else key, child))
        +             changed = visit(f"{name}.{key}" if name else key, child)
        +             if type(changed) is not type(child):
        +                 setattr(module, key, changed)

        The parameters of the model itself are frozen.
        - return visit("", copy.deepcopy(model))
        + for parameter in model.parameters():
        +     parameter.requires_grad = False
        + return visit("", copy.deepcopy(model))

        A module in two places gets a name that `named_modules` does not give it. (hint 1)
        + copied = copy.deepcopy(model)
        + new = replacement("", copied)
        + if new is not copied:
        +     return new
        + done, stack = {copied: copied}, [("", copied)]
        + while stack:
        +     name, module = stack.pop(0)
        +     for key, child in list(module._modules.items()):
        +         if child is not None:
        +             if child not in done:
        +                 place = f"{name}.{key}" if name else key
        +                 done[child] = replacement(place, child)
        +                 if done[child] is child:
        +                     stack.append((place, child))
        +             setattr(module, key, done[child])
        + return copied

        The model itself is changed.
        - return visit("", copy.deepcopy(model))
        + return copy.deepcopy(visit("", model))

        A copy of the replacement is put in, not the replacement itself.
        - done[module] = replacement(name, module)
        + new = replacement(name, module)
        + done[module] = module if new is module else copy.deepcopy(new)

        A module in two places is replaced in the first alone, where `named_children` and others list it. (hint 2)
        - for key, child in list(module._modules.items()):
        + for key, child in list(module.named_children()):
    """,
    "pack-int4": """
        Neighbours share a byte.
        - packed = nibbles[..., :half].copy()
        - packed[..., : q.shape[-1] - half] |= nibbles[..., half:] << 4
        + packed = nibbles[..., ::2].copy()
        + packed[..., : q.shape[-1] - half] |= nibbles[..., 1::2] << 4

        Low and high are exchanged. (hint 2)
        - packed = nibbles[..., :half].copy()
        - packed[..., : q.shape[-1] - half] |= nibbles[..., half:] << 4
        + packed = nibbles[..., :half] << 4
        + packed[..., : q.shape[-1] - half] |= nibbles[..., half:]

        The sign's bits are not masked off. (hint 1)
        - nibbles = (q & 15).astype(np.uint8)
        + nibbles = q.astype(np.uint8)

        The signs are lost on the way back.
        - return (nibbles.astype(np.int8) ^ 8) - np.int8(8)
        + return nibbles.astype(np.int8)

        8 is subtracted from every nibble.
        - return (nibbles.astype(np.int8) ^ 8) - np.int8(8)
        + return nibbles.astype(np.int8) - np.int8(8)

        Rows of odd length lose their last integer. (hint 1)
        - half = (q.shape[-1] + 1) // 2
        + q = q[..., : q.shape[-1] // 2 * 2]
        + half = q.shape[-1] // 2

        Unpacked rows of odd length are one too long. (hint 3)
        - nibbles = np.concatenate([packed & 15, packed >> 4], axis=-1)[..., :length]
        + nibbles = np.concatenate([packed & 15, packed >> 4], axis=-1)

        unpack_int4 returns uint8.
        - return (nibbles.astype(np.int8) ^ 8) - np.int8(8)
        + return (nibbles ^ 8) - np.uint8(8)

        The caller's integers are masked in place.
        - nibbles = (q & 15).astype(np.uint8)
        + q &= 15
        + nibbles = q.astype(np.uint8)

        The caller's bytes are shifted in place.
        - nibbles = np.concatenate([packed & 15, packed >> 4], axis=-1)[..., :length]
        + low = packed & 15
        + packed >>= 4
        + nibbles = np.concatenate([low, packed], axis=-1)[..., :length]

        The nibble 8 comes back as 8, and not as -8.
        - return (nibbles.astype(np.int8) ^ 8) - np.int8(8)
        + nibbles = nibbles.astype(np.int8)
        + return np.where(nibbles > 8, nibbles - np.int8(16), nibbles)

        The second half of a row of odd length is the longer one.
        - half = (q.shape[-1] + 1) // 2
        - nibbles = (q & 15).astype(np.uint8)
        - packed = nibbles[..., :half].copy()
        - packed[..., : q.shape[-1] - half] |= nibbles[..., half:] << 4
        + half = q.shape[-1] // 2
        + nibbles = (q & 15).astype(np.uint8)
        + packed = nibbles[..., half:] << 4
        + packed[..., :half] |= nibbles[..., :half]
    """,
    "file-blocks": """
        The nibbles stay as they are, from 0 to 15, and are read as if they began at -8. (hint 3)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:].copy(), halves[..., 0], halves[..., 1]

        Only the low nibble of each byte is moved. (hint 3)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:] ^ np.uint8(0x08), halves[..., 0], halves[..., 1]

        Only the high nibble of each byte is moved. (hint 3)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:] ^ np.uint8(0x80), halves[..., 0], halves[..., 1]

        8 is subtracted from each byte, not from each nibble. (hint 3)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:] - np.uint8(8), halves[..., 0], halves[..., 1]

        Where the low nibble is less than 8, subtracting 0x88 borrows from the high one. (hint 3)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:] - np.uint8(0x88), halves[..., 0], halves[..., 1]

        The highest bits of both nibbles are set, not flipped. (hint 3)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:] | np.uint8(0x88), halves[..., 0], halves[..., 1]

        The low nibbles came out as high ones, and the reverse.
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + nibbles = blocks[..., 4:] ^ np.uint8(0x88)
        + return nibbles << 4 | nibbles >> 4, halves[..., 0], halves[..., 1]

        np.frombuffer reads memory from end to end, and here other bytes lie between the blocks. (hint 1)
        - scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
        - return blocks[..., 2:].view(np.int8), scale[..., 0]
        + scale = np.frombuffer(blocks, np.float16).reshape(*blocks.shape[:-1], 17)[..., 0]
        + return blocks[..., 2:].view(np.int8), scale

        An index such as `[:, 0]` asks for two dimensions; a block alone has one, and `[..., 0]` suits both.
        - scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
        + scale = np.ascontiguousarray(blocks[:, :2]).view(np.float16)

        An index such as `[:, 0]` asks for two dimensions; a block alone has one, and `[..., 0]` suits both.
        - halves = np.ascontiguousarray(blocks[..., :4]).view(np.float16)
        + halves = np.ascontiguousarray(blocks[:, :4]).view(np.float16)

        Scale and minimum are exchanged. (hint 2)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 1], halves[..., 0]

        The 8-bit integers have no sign. (hint 3)
        - return blocks[..., 2:].view(np.int8), scale[..., 0]
        + return blocks[..., 2:], scale[..., 0]

        The bytes of the scale are turned into numbers one by one. (hint 1)
        - scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
        + scale = blocks[..., :2].astype(np.float16)

        The scales keep a dimension of one. (hint 1)
        - return blocks[..., 2:].view(np.int8), scale[..., 0]
        + return blocks[..., 2:].view(np.int8), scale

        A dimension of one block is dropped with that of two bytes. (hint 1)
        - scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
        - return blocks[..., 2:].view(np.int8), scale[..., 0]
        + scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16).squeeze()
        + return blocks[..., 2:].view(np.int8), scale

        A dimension of one block is dropped from scales and minima. (hint 2)
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + return blocks[..., 4:] ^ np.uint8(0x88), *(halves[..., i].squeeze() for i in (0, 1))

        The caller's bytes are changed.
        - return blocks[..., 4:] ^ np.uint8(0x88), halves[..., 0], halves[..., 1]
        + blocks[..., 4:] ^= 0x88
        + return blocks[..., 4:], halves[..., 0], halves[..., 1]

        The scales of all blocks are in one row; their shape is that of the blocks. (hint 1)
        - scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
        - return blocks[..., 2:].view(np.int8), scale[..., 0]
        + scale = np.frombuffer(blocks[..., :2].tobytes(), np.float16)
        + return blocks[..., 2:].view(np.int8), scale

        Scale and minimum are read two bytes too late. (hint 2)
        - halves = np.ascontiguousarray(blocks[..., :4]).view(np.float16)
        + halves = np.ascontiguousarray(blocks[..., 2:6]).view(np.float16)
    """,
    "fake-quantize": """
        The gradient passes everywhere.
        - return grad * inside
        + return grad

        The gradient passes nowhere: that is the staircase's own derivative.
        - return grad * inside
        + return grad * 0

        The gradient passes near 0 alone, as if the range were -1 to 1. (hint 1)
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward(np.abs(x) <= 1)

        Inside is decided before rounding. (hint 1)
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + exact = x / scale + zero_point
        + ctx.save_for_backward((quant_min <= exact) & (exact <= quant_max))

        What lies exactly half a step above the range counts as inside; its integer decides. (hint 1)
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + exact = x / scale + zero_point
        + ctx.save_for_backward((quant_min - 0.5 <= exact) & (exact <= quant_max + 0.5))

        What lies exactly half a step below the range counts as outside; its integer decides. (hint 1)
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + exact = x / scale + zero_point
        + ctx.save_for_backward((quant_min - 0.5 < exact) & (exact < quant_max + 0.5))

        Inside is decided by the difference from the zero point. (hint 1)
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + steps = q - zero_point
        + ctx.save_for_backward((quant_min <= steps) & (steps <= quant_max))

        The gradient passes outside, and not inside.
        - return grad * inside
        + return grad * ~inside

        The gradient that passes is halved.
        - return grad * inside
        + return grad * inside / 2

        The booleans are kept on the class, where the next call replaces them. (hint 3)
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + FakeQuantizeAffine.inside = (quant_min <= q) & (q <= quant_max)
        ...
        - (inside,) = map(values, ctx.saved_tensors)
        - return grad * inside
        + return grad * FakeQuantizeAffine.inside

        The gradient of NaN passes.
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward(~((q < quant_min) | (q > quant_max)))

        NaN becomes an ordinary number.
        - q = np.rint(x / scale) + zero_point
        + q = np.nan_to_num(np.rint(x / scale) + zero_point)

        x is divided in place, and belongs to the caller.
        - q = np.rint(x / scale) + zero_point
        + x /= scale
        + q = np.rint(x) + zero_point

        float64 becomes float32.
        - return (np.clip(q, quant_min, quant_max) - zero_point) * scale
        + return ((np.clip(q, quant_min, quant_max) - zero_point) * scale).astype(np.float32)

        Both edges of the range count as outside.
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward((quant_min < q) & (q < quant_max))

        The upper edge of the range counts as outside.
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward((quant_min <= q) & (q < quant_max))

        The lower edge of the range counts as outside.
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward((quant_min < q) & (q <= quant_max))

        float64 is computed in float32, where two numbers that differ can become one. (hint 2)
        - q = np.rint(x / scale) + zero_point
        + q = np.rint(x.astype(np.float32) / scale) + zero_point

        Inside is decided after clipping, when everything is inside. (hint 1)
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + q = np.clip(q, quant_min, quant_max)
        + ctx.save_for_backward((quant_min <= q) & (q <= quant_max))

        Inside is decided by the upper end alone.
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward(q <= quant_max)

        The integers come out, not the numbers that they stand for. (hint 2)
        - return (np.clip(q, quant_min, quant_max) - zero_point) * scale
        + return np.clip(q, quant_min, quant_max)

        The zero point is not subtracted again. (hint 2)
        - return (np.clip(q, quant_min, quant_max) - zero_point) * scale
        + return np.clip(q, quant_min, quant_max) * scale

        Nothing is clipped.
        - return (np.clip(q, quant_min, quant_max) - zero_point) * scale
        + return (q - zero_point) * scale

        The integers are int8, which ends at 127. (hint 2)
        - return (np.clip(q, quant_min, quant_max) - zero_point) * scale
        + return dequantize(quantize(x, scale, zero_point, quant_min, quant_max), scale, zero_point)

        The zero point is added before anything is rounded. (hint 2)
        - q = np.rint(x / scale) + zero_point
        + q = np.rint(x / scale + zero_point)

        An int32 or a float64, be it zero point, integer or scale, makes float64 of it. (hint 2)
        - zero_point = zero_point.astype(x.dtype)
        + zero_point = np.asarray(zero_point, np.float64)[None][0]

        The gradient is changed in place.
        - return grad * inside
        + grad *= inside
        + return grad

        The quotients become int32 before they are clipped, and large ones overflow. (hint 2)
        - q = np.rint(x / scale) + zero_point
        + q = np.rint(x / scale)
        + q = np.where(np.abs(q) < 2**31, q, np.where(np.isnan(q), q, -(2.0**31))) + zero_point

        A NaN anywhere stops the clipping of all.
        - return (np.clip(q, quant_min, quant_max) - zero_point) * scale
        + if np.isnan(x).any():
        +     return (q - zero_point) * scale
        + return (np.clip(q, quant_min, quant_max) - zero_point) * scale

        A NaN anywhere sets all gradients to 0.
        - ctx.save_for_backward((quant_min <= q) & (q <= quant_max))
        + ctx.save_for_backward((quant_min <= q) & (q <= quant_max) & ~np.isnan(x).any())

        The booleans come back as numbers, and not the gradient where they are true. (hint 3)
        - return grad * inside
        + return inside.astype(grad.dtype)
    """,
    "bfloat16": """
        The numbers are rounded towards 0, as if the lower half were just cut off. (hint 1)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = bits & np.uint32(0xFFFF0000)

        Halves go away from 0, whatever their neighbours are. (hint 2)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x8000)) & np.uint32(0xFFFF0000)

        Halves go towards 0, whatever their neighbours are. (hint 2)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x7FFF)) & np.uint32(0xFFFF0000)

        One bit of the fraction too few is kept. (hint 3)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFE0000)

        One bit of the fraction too many is kept. (hint 3)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF8000)

        The lower half is kept, and the upper one is cleared. (hint 3)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0x0000FFFF)

        The upper half was shifted down, and not back up. (hint 3)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x7FFF) + last) >> np.uint32(16)

        What is added is far less than half a step. (hint 2)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x7FF) + last) & np.uint32(0xFFFF0000)

        The numbers are rounded away from 0: more than half a step is added. (hint 2)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0xFFFF) + last) & np.uint32(0xFFFF0000)

        The bit above the last one that stays is asked. (hint 3)
        - last = (bits >> np.uint32(16)) & np.uint32(1)
        + last = (bits >> np.uint32(17)) & np.uint32(1)

        It works for arrays only: a number, of shape (), does not support item assignment.
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + rounded = rounded.view(np.float32)
        + rounded[np.isnan(x)] = np.nan
        + return rounded

        Numbers below the smallest normal one become 0.
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + rounded = rounded.view(np.float32)
        + rounded = np.where(np.abs(rounded) < np.finfo(np.float32).tiny, 0 * rounded, rounded)
        + return np.where(np.isnan(x), x, rounded)

        Halves go to the odd neighbour. (hint 2)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x8000) - last) & np.uint32(0xFFFF0000)

        The last bit of all 32 is asked, not the last one that stays. (hint 3)
        - last = (bits >> np.uint32(16)) & np.uint32(1)
        + last = bits & np.uint32(1)

        The bit below the last one that stays is asked. (hint 3)
        - last = (bits >> np.uint32(16)) & np.uint32(1)
        + last = (bits >> np.uint32(15)) & np.uint32(1)

        All of the upper half is added, not its last bit. (hint 3)
        - last = (bits >> np.uint32(16)) & np.uint32(1)
        + last = bits >> np.uint32(16)

        The lower half is not cleared. (hint 3)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = bits + np.uint32(0x7FFF) + last

        A NaN can become a number. (hint 3)
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + return rounded.view(np.float32)

        A NaN becomes 0. (hint 3)
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + return np.where(np.isnan(x), np.float32(0), rounded.view(np.float32))

        A NaN is cut as a number is, and becomes an infinity if its fraction is in the lower half alone. (hint 3)
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + cut = (bits & np.uint32(0xFFFF0000)).view(np.float32)
        + return np.where(np.isnan(x), cut, rounded.view(np.float32))

        The numbers are converted to integers, which drops their fractions: their bits are wanted.
        - bits = x.view(np.uint32)
        + bits = np.abs(x).astype(np.uint32)

        The integer is converted to a number: its bits are the number's. (hint 3)
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + return np.where(np.isnan(x), x, rounded.astype(np.float32))

        It rounds to float16, whose range is smaller and whose steps are finer.
        + with np.errstate(over="ignore"):
        +     return x.astype(np.float16).astype(np.float32)

        One bit of the fraction too many is kept.
        - last = (bits >> np.uint32(16)) & np.uint32(1)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + last = (bits >> np.uint32(15)) & np.uint32(1)
        + rounded = (bits + np.uint32(0x3FFF) + last) & np.uint32(0xFFFF8000)

        The caller's numbers are changed.
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + x[...] = np.where(np.isnan(x), x, rounded.view(np.float32))
        + return x

        Numbers below the smallest normal one keep eight bits, which a bfloat16 does not have there.
        + _, exponent = np.frexp(x.astype(np.float64))
        + step = np.ldexp(1.0, exponent - 8)
        + with np.errstate(over="ignore"):
        +     return (np.rint(x / step) * step).astype(np.float32)

        A NaN anywhere stops the rounding of all.
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + return x.copy() if np.isnan(x).any() else rounded.view(np.float32)

        A NaN or an infinity anywhere stops the rounding of all.
        - return np.where(np.isnan(x), x, rounded.view(np.float32))
        + return rounded.view(np.float32) if np.isfinite(x).all() else x.copy()

        Parentheses are missing: `+` comes before `>>`, and `>>` before `&`.
        - last = (bits >> np.uint32(16)) & np.uint32(1)
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + rounded = (bits + np.uint32(0x7FFF) + (bits >> 16) & 1) & np.uint32(0xFFFF0000)

        The upper half is shifted back as a uint16, which has no room for it.
        - rounded = (bits + np.uint32(0x7FFF) + last) & np.uint32(0xFFFF0000)
        + upper = ((bits + np.uint32(0x7FFF) + last) >> np.uint32(16)).astype(np.uint16)
        + rounded = (upper << np.uint16(16)).astype(np.uint32)
    """,
}
