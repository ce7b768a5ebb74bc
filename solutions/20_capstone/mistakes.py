"""Planted mistakes of module 20: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "fresh-inputs": """
        The order does not change, so that answers can be known by position. (hint 2)
        - order = rng.permutation(N)
        + order = np.arange(N)

        The order says where an image went, not which image is here.
        - return batch, order
        + return batch, np.argsort(order)

        The order is drawn, but the images stay where they were.
        - batch[i] += padded[order[i], :, down : down + H, right : right + W]
        + batch[i] += padded[i, :, down : down + H, right : right + W]

        Image i goes to position order[i]: that is the inverse order.
        - batch[i] += padded[order[i], :, down : down + H, right : right + W]
        + batch[order[i]] += padded[i, :, down : down + H, right : right + W]

        The images are put into one order, and another one is returned.
        - padded = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        + padded = np.pad(rng.permutation(images), ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        ...
        - batch[i] += padded[order[i], :, down : down + H, right : right + W]
        + batch[i] += padded[i, :, down : down + H, right : right + W]

        The noise is added before the shift, so pixels that come in at the edge have none. (hint 3)
        - padded = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + noisy = images + rng.standard_normal(images.shape).astype(images.dtype) * noise
        + padded = np.pad(noisy, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        + batch = np.zeros_like(images)

        The pixels are clipped to 0 and 1.
        - return batch, order
        + return batch.clip(0, 1), order

        What leaves on one side comes in on the other. (hint 1)
        + N = len(images)
        + order = rng.permutation(N)
        + moves = rng.integers(-shift, shift + 1, (N, 2))
        + batch = np.stack([np.roll(images[n], move, (1, 2)) for n, move in zip(order, moves)])
        + return batch + noise * rng.standard_normal(images.shape).astype(images.dtype), order

        Copies of the edge come in, not zeros. (hint 1)
        - padded = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        + padded = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)), "edge")

        One shift is used for the whole batch. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(np.tile(rng.integers(0, 2 * shift + 1, 2), (N, 1))):

        One number is used for both directions. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(np.repeat(rng.integers(0, 2 * shift + 1, (N, 1)), 2, 1)):

        The largest shift never occurs: the upper end of integers is excluded. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(rng.integers(0, 2 * shift, (N, 2))):

        The noise makes everything float64. (hint 3)
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.standard_normal(images.shape) * noise

        The noise is the same for all images.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = np.tile(rng.standard_normal((1, *images.shape[1:])), (N, 1, 1, 1)).astype(images.dtype) * noise

        The noise is uniform, and its mean is not 0.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.random(images.shape).astype(images.dtype) * noise

        The noise is the same at every call: it is not drawn from rng.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = np.random.default_rng(0).standard_normal(images.shape).astype(images.dtype) * noise

        Some of the images of a batch have the same noise.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + some = rng.standard_normal((N // 2, *images.shape[1:])).astype(images.dtype) * noise
        + batch = np.resize(some, images.shape)

        The noise is the same in a whole row of an image.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + rows = rng.standard_normal((*images.shape[:3], 1)).astype(images.dtype) * noise
        + batch = np.repeat(rows, W, 3)

        The noise is the same in a whole column of an image.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.standard_normal((*images.shape[:2], 1, W)).astype(images.dtype) * noise
        + batch = np.repeat(batch, H, 2)

        Not all shifts are equally likely: small ones come more often. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + near = np.round(rng.normal(shift, shift / 2, (N, 2))).clip(0, 2 * shift).astype(int)
        + for i, (down, right) in enumerate(near):

        The noise is the same in every channel.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.standard_normal((N, 1, H, W)).astype(images.dtype) * noise
        + batch = np.repeat(batch, images.shape[1], 1)

        The noise is uniform, not normal. (hint 3)
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.uniform(-(3**0.5), 3**0.5, images.shape).astype(images.dtype) * noise

        The shifts are the same at every call: they are not drawn from rng. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(np.random.default_rng(0).integers(0, 2 * shift + 1, (N, 2))):

        The size of the noise is fixed.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.standard_normal(images.shape).astype(images.dtype) * (0.05 if noise else 0)

        The generator is not used: every call is the same. (hint 2)
        - N, _, H, W = images.shape
        + N, _, H, W = images.shape
        + rng = np.random.default_rng(0)

        Nothing is shifted.
        - batch[i] += padded[order[i], :, down : down + H, right : right + W]
        + batch[i] += images[order[i]]

        A piece has not the images' height and width, as when the two are exchanged.
        - batch[i] += padded[order[i], :, down : down + H, right : right + W]
        + batch[i] += padded[order[i], :, down : down + W, right : right + H]

        shift=0 is taken for no change at all.
        - N, _, H, W = images.shape
        + if not shift:
        +     return images, np.arange(len(images))
        + N, _, H, W = images.shape

        In one of the two directions the largest shift never occurs. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(rng.integers(0, [2 * shift + 1, max(1, 2 * shift)], (N, 2))):

        In one of the two directions the largest shift never occurs. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(rng.integers(0, [max(1, 2 * shift), 2 * shift + 1], (N, 2))):

        No image stays where it is: the shift (0, 0) never occurs.
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        +     while shift and down == right == shift:
        +         down, right = rng.integers(0, 2 * shift + 1, 2)

        With shift=0 and noise=0 nothing is done: the images stay in their order.
        - N, _, H, W = images.shape
        + if not shift and not noise:
        +     return images.copy(), np.arange(len(images))
        + N, _, H, W = images.shape

        The noise is multiplied by the root of `noise`.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.standard_normal(images.shape).astype(images.dtype) * noise**0.5

        The noise is uniform, between -`noise` and `noise`. (hint 3)
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.uniform(-1, 1, images.shape).astype(images.dtype) * noise

        No noise is added, or noise that depends on the pixel.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = np.zeros_like(images)

        The noise is multiplied by the standard deviation of the images.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = rng.standard_normal(images.shape).astype(images.dtype) * noise * images.std()

        The order is only turned: each image still follows the one before it. (hint 2)
        - order = rng.permutation(N)
        + order = np.roll(np.arange(N), rng.integers(1, N) if N > 1 else 0)

        Not all shifts are equally likely: a rounded number is at either end half as often. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + moves = np.round(rng.uniform(0, 2 * shift, (N, 2))).astype(int)
        + for i, (down, right) in enumerate(moves):

        The noise is added to the caller's images.
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + images += rng.standard_normal(images.shape).astype(images.dtype) * noise
        + padded = np.pad(images, ((0, 0), (0, 0), (shift, shift), (shift, shift)))
        + batch = np.zeros_like(images)

        The noise is drawn by another generator than rng, and is new for the same seed. (hint 3)
        - batch = rng.standard_normal(images.shape).astype(images.dtype) * noise
        + batch = np.random.standard_normal(images.shape).astype(images.dtype) * noise

        The shifts are drawn by another generator than rng, and are new for the same seed. (hint 2)
        - for i, (down, right) in enumerate(rng.integers(0, 2 * shift + 1, (N, 2))):
        + for i, (down, right) in enumerate(np.random.randint(0, 2 * shift + 1, (N, 2))):

        The order is drawn by another generator than rng, and is new for the same seed. (hint 2)
        - order = rng.permutation(N)
        + order = np.random.permutation(N)
    """,
    "marks": """
        Booleans are returned, not numbers. (hint 1)
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + return logits.argmax(axis=1) == labels

        All of several equal logits count as right: zeros for every class get all the marks. (hint 1)
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + right = logits[np.arange(len(labels)), labels] == logits.max(axis=1)
        + return right.astype(np.float64)

        The logarithm is taken of a probability that has already become 0. (hint 2)
        - totals = np.log(np.exp(shifted).sum(axis=1))
        - return shifted[np.arange(len(targets)), targets] - totals
        + chances = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
        + return np.log(chances[np.arange(len(targets)), targets])

        A small number is added before the logarithm, which changes unlikely characters. (hint 2)
        - totals = np.log(np.exp(shifted).sum(axis=1))
        - return shifted[np.arange(len(targets)), targets] - totals
        + chances = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
        + return np.log(chances[np.arange(len(targets)), targets] + 1e-12)

        The largest of each column is taken. (hint 1)
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + return (logits.argmax(axis=0)[: len(labels)] == labels).astype(np.float64)

        The mean is returned.
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + return (logits.argmax(axis=1) == labels).mean()

        A label counts whenever its logit is positive.
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + return (logits[np.arange(len(labels)), labels] > 0).astype(np.float64)

        The logits are taken for logarithms of probabilities. (hint 2)
        - return shifted[np.arange(len(targets)), targets] - totals
        + return logits[np.arange(len(targets)), targets].astype(np.float64)

        The largest logit is not subtracted: exp overflows. (hint 2)
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        + shifted = logits.astype(np.float64)

        The largest of all rows is subtracted, so that rows underflow. (hint 2)
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        + shifted = logits.astype(np.float64) - logits.max()

        The logits are changed in place.
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        + logits -= logits.max(axis=1, keepdims=True)
        + shifted = logits.astype(np.float64)

        The marks are computed in float32, and converted at the end. (hint 2)
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        + shifted = logits.astype(np.float32) - logits.max(axis=1, keepdims=True)
        ...
        - return shifted[np.arange(len(targets)), targets] - totals
        + return (shifted[np.arange(len(targets)), targets] - totals).astype(np.float64)

        The marks of float32 logits are computed in float32. (hint 2)
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        + shifted = logits - logits.max(axis=1, keepdims=True)

        The probability is returned, not its logarithm.
        - return shifted[np.arange(len(targets)), targets] - totals
        + return np.exp(shifted[np.arange(len(targets)), targets] - totals)

        A whole column is selected for each target. (hint 3)
        - return shifted[np.arange(len(targets)), targets] - totals
        + return shifted[:, targets] - totals

        The loss is returned: the sign is reversed.
        - return shifted[np.arange(len(targets)), targets] - totals
        + return totals - shifted[np.arange(len(targets)), targets]

        Images are marked by their probabilities, and exp overflows. (hint 1)
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + with np.errstate(all="ignore"):
        +     chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        + return (chances.argmax(axis=1) == labels).astype(np.float64)

        The target is picked by zeros and ones, and 0 times an infinite logit is NaN. (hint 3)
        - return shifted[np.arange(len(targets)), targets] - totals
        + with np.errstate(all="ignore"):
        +     ones = np.eye(logits.shape[1])[targets]
        +     return (ones * (shifted - totals[:, None])).sum(axis=1)

        The largest logit is subtracted before the logits are converted to float64. (hint 2)
        - shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
        + shifted = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)

        Logits are rounded, perhaps to float32, which makes nearly equal ones equal.
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + return (logits.astype(np.float32).argmax(axis=1) == labels).astype(np.float64)

        Images are marked by their probabilities: those of nearly equal logits are equal. (hint 1)
        - return (logits.argmax(axis=1) == labels).astype(np.float64)
        + powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        + chances = powers / powers.sum(axis=1, keepdims=True)
        + return (chances.argmax(axis=1) == labels).astype(np.float64)

        The largest logit is subtracted in one place, and not in the other. (hint 2)
        - return shifted[np.arange(len(targets)), targets] - totals
        + return logits[np.arange(len(targets)), targets].astype(np.float64) - totals

        The logarithm has base 2, not e.
        - totals = np.log(np.exp(shifted).sum(axis=1))
        + totals = np.log2(np.exp(shifted).sum(axis=1))

        The sum is that of all rows, not of each.
        - totals = np.log(np.exp(shifted).sum(axis=1))
        + totals = np.log(np.exp(shifted).sum())
    """,
    "paired-interval": """
        Different items are drawn for the second model. (hint 1)
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        - ratios = quality(better[rows]) / quality(baseline[rows])
        + rng = np.random.default_rng(seed)
        + rows, others = rng.integers(0, N, (2, resamples, N))
        + ratios = quality(better[rows]) / quality(baseline[others])

        The ratio is inverted.
        - ratios = quality(better[rows]) / quality(baseline[rows])
        + ratios = quality(baseline[rows]) / quality(better[rows])

        The reported ratio is inverted.
        - return Score(float(quality(better) / quality(baseline)), float(low), float(high))
        + return Score(float(quality(baseline) / quality(better)), float(low), float(high))

        It draws without replacement: every draw has all of the items. (hint 1)
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rng = np.random.default_rng(seed)
        + rows = np.stack([rng.permutation(N) for _ in range(resamples)])

        The confidence is fixed.
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(ratios, [0.025, 0.975])

        Twice too much is cut off at each end. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(ratios, [1 - confidence, confidence])

        The number of draws is fixed.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rows = np.random.default_rng(seed).integers(0, N, (1000, N))

        One draw holds as many items as there are resamples.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rows = np.random.default_rng(seed).integers(0, N, (N, resamples))

        The seed is not used.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rows = np.random.default_rng(0).integers(0, N, (resamples, N))

        For the draws the mean is used in place of quality. (hint 2)
        - ratios = quality(better[rows]) / quality(baseline[rows])
        + ratios = better[rows].mean(1) / baseline[rows].mean(1)

        Always a thousand draws.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rows = np.random.default_rng(seed).integers(0, N, (100, N))

        The quantiles are reflected at the ratio. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = 2 * quality(better) / quality(baseline) - np.array([high, low])

        The low end and the high end are exchanged.
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + high, low = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])

        Marks are divided, and quality comes after that: it is the ratio of two accuracies. (hint 2)
        - ratios = quality(better[rows]) / quality(baseline[rows])
        + ratios = quality(better[rows] / baseline[rows])
        ...
        - return Score(float(quality(better) / quality(baseline)), float(low), float(high))
        + return Score(float(quality(better / baseline)), float(low), float(high))

        For the draws, marks are divided, and quality comes after that: it is the ratio of two accuracies. (hint 2)
        - ratios = quality(better[rows]) / quality(baseline[rows])
        + ratios = quality(better[rows] / baseline[rows])

        The ratio comes from the draws, as by their mean: wanted is that of the marks as they are.
        - return Score(float(quality(better) / quality(baseline)), float(low), float(high))
        + return Score(float(ratios.mean()), float(low), float(high))

        The difference is returned, not the ratio.
        - ratios = quality(better[rows]) / quality(baseline[rows])
        + ratios = 1 + quality(better[rows]) - quality(baseline[rows])

        One draw holds resamples items, not N.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rows = np.random.default_rng(seed).integers(0, N, (resamples, resamples))

        The ends are the smallest and the largest of the ratios, whatever the confidence. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = ratios.min(), ratios.max()

        The ends come from a standard deviation, not from quantiles. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + ratio, spread = quality(better) / quality(baseline), ratios.std()
        + low, high = ratio - 1.96 * spread, ratio + 1.96 * spread

        The quantiles hold half of the confidence between them. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(ratios, [0.5 - confidence / 4, 0.5 + confidence / 4])

        The upper quantile is that of the confidence itself. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.quantile(ratios, [(1 - confidence) / 2, confidence])

        The ratios are rounded.
        - ratios = quality(better[rows]) / quality(baseline[rows])
        + ratios = np.round(quality(better[rows]) / quality(baseline[rows]), 2)

        The seed 0 is taken for no seed.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rows = np.random.default_rng(seed or None).integers(0, N, (resamples, N))

        The draws come from NumPy's global generator, whose seeds end at 2**32 - 1.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + np.random.seed(seed)
        + rows = np.random.randint(0, N, (resamples, N))

        np.percentile takes numbers up to 100, not shares: 2.5, not 0.025. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + low, high = np.percentile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])

        Quantiles are divided, where the quantiles of the ratios are wanted. (hint 3)
        - low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
        + ends = [(1 - confidence) / 2, (1 + confidence) / 2]
        + low, high = np.quantile(quality(better[rows]), ends) / np.quantile(quality(baseline[rows]), ends)

        All draws give one ratio, as where a new generator draws the same each time.
        - rows = np.random.default_rng(seed).integers(0, N, (resamples, N))
        + rows = np.tile(np.random.default_rng(seed).integers(0, N, N), (resamples, 1))
    """,
    "verdict": """
        The arithmetic mean. (hint 1)
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + return Score(*np.mean(table, axis=0).tolist())

        The product, without the root.
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + return Score(*np.prod(table, axis=0).tolist())

        The product is divided by the number of scores, as by `** 1 / n` without brackets.
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + return Score(*(np.prod(table, axis=0) ** 1 / len(scores)).tolist())

        Always the third root.
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + return Score(*np.exp(np.sum(np.log(table), axis=0) / 3).tolist())

        The product is computed first, and overflows.
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + return Score(*(np.prod(table, axis=0) ** (1 / len(scores))).tolist())

        The ends are those of the extremes.
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + mean = np.exp(np.mean(np.log(table), axis=0))[0]
        + return Score(mean, min(row[1] for row in table), max(row[2] for row in table))

        The harmonic mean.
        - return Score(*np.exp(np.mean(np.log(table), axis=0)).tolist())
        + return Score(*(1 / np.mean(1 / np.array(table), axis=0)).tolist())

        Low and high end are exchanged. (hint 1)
        - table = [[score.ratio, score.low, score.high] for score in scores]
        + table = [[score.ratio, score.high, score.low] for score in scores]

        The floor comes last. (hint 2)
        - if accuracy < floor:
        -     return "refused"
          if score.low > 1 + margin:
        ...
        - if score.high < 1 / (1 + margin):
        -     return "loses"
        - return "no difference shown"
        + if score.high < 1 / (1 + margin):
        +     return "loses"
        + return "refused" if accuracy < floor else "no difference shown"

        Exactly 1 + margin counts as more.
        - if score.low > 1 + margin:
        + if score.low >= 1 + margin:

        Exactly 1 / (1 + margin) counts as less.
        - if score.high < 1 / (1 + margin):
        + if score.high <= 1 / (1 + margin):

        Exactly at the floor counts as below it. (hint 2)
        - if accuracy < floor:
        + if accuracy <= floor:

        The floor is forgotten.
        - if accuracy < floor:
        + if accuracy < 0:

        The floor is a fixed number.
        - if accuracy < floor:
        + if accuracy < 0.95:

        The ratio decides, not the interval. (hint 3)
        - if score.low > 1 + margin:
        + if score.ratio > 1 + margin:

        It wins although its low end is not above 1 + margin, as where the upper end decides. (hint 3)
        - if score.low > 1 + margin:
        + if score.high > 1 + margin:

        No margin, or one that is much too small. (hint 3)
        - if score.low > 1 + margin:
        + if score.low > 1:

        The margin is fixed, or 0 is taken for none given. (hint 3)
        - if score.low > 1 + margin:
        + if score.low > 1.05:

        No margin below. (hint 3)
        - if score.high < 1 / (1 + margin):
        + if score.high < 1:

        The lower end decides a loss. (hint 3)
        - if score.high < 1 / (1 + margin):
        + if score.low < 1 / (1 + margin):

        1 - margin is taken for 1 / (1 + margin). (hint 3)
        - if score.high < 1 / (1 + margin):
        + if score.high < 1 - margin:

        It loses although its high end is not below the border, as if all lost that do not win. (hint 3)
        - return "no difference shown"
        + return "loses"

        A win begins above 1 / (1 - margin), not above 1 + margin.
        - if score.low > 1 + margin:
        + if score.low * (1 - margin) > 1:

        The low end is compared with the margin alone: the 1 is forgotten.
        - if score.low > 1 + margin:
        + if score.low > margin:

        The high end is not compared with 1 / (1 + margin).
        - if score.high < 1 / (1 + margin):
        + if score.high < 1 / margin:

        An end is rounded to two digits before it is compared.
        - if score.low > 1 + margin:
        + if round(score.low, 2) > 1 + margin:

        An end is rounded to two digits before it is compared.
        - if score.high < 1 / (1 + margin):
        + if round(score.high, 2) < 1 / (1 + margin):

        The floor is for winners only.
        - if accuracy < floor:
        -     return "refused"
        - if score.low > 1 + margin:
        -     return "wins"
        + if score.low > 1 + margin:
        +     return "wins" if accuracy >= floor else "refused"

        The score is compared with the floor, or a win is decided before the accuracy is looked at.
        - if accuracy < floor:
        + if score.ratio < floor:

        The accuracy may be a little below the floor.
        - if accuracy < floor:
        + if accuracy < 0.99 * floor:

        An accuracy that is nearly the floor counts as equal to it.
        - if accuracy < floor:
        + if accuracy < floor and not np.isclose(accuracy, floor):

        The numbers of the scores are rounded to float32.
        - table = [[score.ratio, score.low, score.high] for score in scores]
        + table = np.float32([[score.ratio, score.low, score.high] for score in scores])

        The ratio decides a loss, not the high end. (hint 3)
        - if score.high < 1 / (1 + margin):
        + if score.ratio < 1 / (1 + margin):

        An accuracy of 0 is taken for none given.
        - if accuracy < floor:
        + if accuracy and accuracy < floor:

        An accuracy above the floor is refused. (hint 2)
        - if accuracy < floor:
        + if accuracy > floor:
    """,
    "leaderboard": """
        Records are sorted by the ratio: a wide interval comes first. (hint 2)
        - for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        + for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][0]):

        Records are sorted by the high end: a wide interval comes first. (hint 2)
        - for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        + for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][2]):

        The slowest comes first. (hint 2)
        - for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        + for record in sorted(counts.values(), key=lambda record: record["scores"][event.kind][1]):

        The best record of an entry counts. (hint 1)
        - if record["scores"][event.kind][1] < other["scores"][event.kind][1]:
        + if record["scores"][event.kind][1] > other["scores"][event.kind][1]:

        The record with the lowest ratio counts, not the one with the lowest low end. (hint 1)
        - if record["scores"][event.kind][1] < other["scores"][event.kind][1]:
        + if record["scores"][event.kind][0] < other["scores"][event.kind][0]:

        The record with the lowest high end counts, not the one with the lowest low end. (hint 1)
        - if record["scores"][event.kind][1] < other["scores"][event.kind][1]:
        + if record["scores"][event.kind][2] < other["scores"][event.kind][2]:

        An entry's records of other events count with it. (hint 1)
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["verdict"] != "refused":
        ...
        - for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        + here = [record for record in counts.values() if record["event"] == str(event)]
        + for record in sorted(here, key=lambda record: -record["scores"][event.kind][1]):

        The last record of an entry counts. (hint 1)
        - if record["scores"][event.kind][1] < other["scores"][event.kind][1]:
        + if True:

        The first record of an entry counts. (hint 1)
        - if record["scores"][event.kind][1] < other["scores"][event.kind][1]:
        + if False:

        An entry with one refused record is left out.
        - for record in records:
        + refused = {record["digest"] for record in records if record["verdict"] == "refused"}
        + for record in records:
        ...
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["event"] == str(event) and record["digest"] not in refused:

        Every record is a row. (hint 1)
        - other = counts.setdefault(record["digest"], record)
        + other = counts.setdefault(len(counts), record)

        Refused entries are listed. (hint 1)
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["event"] == str(event) and "scores" in record:

        Only winners are listed.
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["event"] == str(event) and record["verdict"] == "wins":

        No record is listed, as where the event itself is compared with its name: str is missing.
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["event"] == event and record["verdict"] != "refused":

        An event that only begins with the name counts as well.
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["event"].startswith(str(event)) and record["verdict"] != "refused":

        Rows are lists, not tuples.
        - rows.append((place, record))
        + rows.append([place, record])

        Rows are (record, place): the wrong way round.
        - rows.append((place, record))
        + rows.append((record, place))

        A dict is returned, which has one record for each place.
        - return rows
        + return dict(rows)

        All events are mixed. (hint 1)
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["verdict"] != "refused":

        The score is always that of latency.
        - _, low, high = record["scores"][event.kind]
        + _, low, high = record["scores"]["latency"]
        ...
        - for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        + for record in sorted(counts.values(), key=lambda record: -record["scores"]["latency"][1]):

        Places are the rows' numbers.
        - if high < reach:
        + if True:

        A row is compared with the row before it, not with the first row at that place. (hint 3)
        - rows.append((place, record))
        + rows.append((place, record))
        + reach = low

        After a shared place the next number is used, not the row's. (hint 3)
        - place, reach = len(rows) + 1, low
        + place, reach = place + 1, low

        A high end that just reaches the first row's low end counts as below it. (hint 3)
        - if high < reach:
        + if high <= reach:

        Places begin with 0.
        - place, reach = len(rows) + 1, low
        + place, reach = len(rows), low

        Entries with equal low ends overwrite each other.
        - for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        + unique = {record["scores"][event.kind][1]: record for record in counts.values()}
        + for record in (unique[low] for low in sorted(unique, reverse=True)):

        Pairs of low end and record are sorted, which compares the records where low ends are equal.
        - for record in sorted(counts.values(), key=lambda record: -record["scores"][event.kind][1]):
        + pairs = [(record["scores"][event.kind][1], record) for record in counts.values()]
        + for _, record in sorted(pairs, reverse=True):

        Entries that show no difference are left out, not only refused ones. (hint 1)
        - if record["event"] == str(event) and record["verdict"] != "refused":
        + if record["event"] == str(event) and record["verdict"] in ("wins", "loses"):

        Records are told apart by the entry's name, not by the digest. (hint 1)
        - other = counts.setdefault(record["digest"], record)
        + other = counts.setdefault(record["entry"], record)
        ...
        - counts[record["digest"]] = record
        + counts[record["entry"]] = record
    """,
    "as-matrix": """
        The bias is not subtracted from the columns, and is added once more for each white pixel. (hint 2)
        - rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero  # (n, outputs)
        + rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1)  # (n, outputs)

        The bias is left out. (hint 2)
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.load_state_dict({"weight": rows.T.contiguous(), "bias": torch.zeros(rows.shape[1])})

        The biases alternate, where each should fill a whole channel. (hint 3)
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + turns = zero[0].view(conv.out_channels, -1).T.flatten()
        + layer.load_state_dict({"weight": rows.T.contiguous(), "bias": turns})

        It fails for a convolution without a bias. (hint 2)
        - zero = conv(torch.zeros(1, C, size, size)).flatten(1)
        + side = int((conv(torch.zeros(1, C, size, size))[0, 0].numel()) ** 0.5)
        + zero = conv.bias.view(1, -1, 1, 1).expand(1, -1, side, side).flatten(1)

        It works only for one channel. (hint 1)
        - C, n = conv.in_channels, conv.in_channels * size * size
        + C, n = 1, size * size

        The rows are used as columns: the shapes do not match. (hint 3)
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.load_state_dict({"weight": rows.contiguous(), "bias": zero[0]})

        The weight is not transposed. (hint 3)
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.weight, layer.bias = nn.Parameter(rows), nn.Parameter(zero[0])

        The bias has a row for an image, as the convolution's output has: the shape (1, n).
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.weight, layer.bias = nn.Parameter(rows.T), nn.Parameter(zero)

        The weight has the wrong sign: zeros' output is what is subtracted. (hint 2)
        - rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero  # (n, outputs)
        + rows = zero - conv(torch.eye(n).view(n, C, size, size)).flatten(1)

        The bias stays as the new layer has drawn it. (hint 3)
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.weight.copy_(rows.T)

        The weight is given the right shape, but by view, which does not transpose. (hint 3)
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.load_state_dict({"weight": rows.view(rows.shape[1], n), "bias": zero[0]})

        The unit images have their channels last, and are turned. (hint 1)
        - rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero  # (n, outputs)
        + units = torch.eye(n).view(n, size, size, C).permute(0, 3, 1, 2)
        + rows = conv(units).flatten(1) - zero

        The graph is kept. (hint 3)
        - with torch.no_grad():
        -     zero = conv(torch.zeros(1, C, size, size)).flatten(1)
        -     rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero  # (n, outputs)
        -     layer = nn.Linear(n, rows.shape[1])
        -     layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        - return layer
        + zero = conv(torch.zeros(1, C, size, size)).flatten(1)
        + rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero
        + layer = nn.Linear(n, rows.shape[1])
        + del layer.weight, layer.bias
        + layer.weight, layer.bias = rows.T, zero[0]
        + layer.named_parameters = lambda: [("weight", layer.weight), ("bias", layer.bias)]
        + return layer

        The convolution's weights are changed.
        - zero = conv(torch.zeros(1, C, size, size)).flatten(1)
        + zero = conv(torch.zeros(1, C, size, size)).flatten(1)
        + if conv.bias is not None:
        +     conv.bias.zero_()

        Gradients are disabled, and stay so for all that comes afterwards.
        - with torch.no_grad():
        + torch.set_grad_enabled(False)
        + if True:

        The convolution's weights are set to require no gradient, and left so.
        - with torch.no_grad():
        + conv.requires_grad_(False)
        + with torch.no_grad():

        Weight and bias are Tensors, not Parameters.
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + del layer.weight, layer.bias
        + layer.weight, layer.bias = rows.T.contiguous(), zero[0]

        The stride and the padding are forgotten.
        - rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero  # (n, outputs)
        + rows = F.conv2d(torch.eye(n).view(n, C, size, size), conv.weight, None).flatten(1)

        The weight or the bias is float64.
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.weight = nn.Parameter(torch.tensor(rows.numpy().T.astype(float)))
        + layer.bias = nn.Parameter(torch.tensor(zero[0].numpy().astype(float)))

        The convolution's bias is taken away, and not put back.
        - rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1) - zero  # (n, outputs)
        + conv.bias = None
        + rows = conv(torch.eye(n).view(n, C, size, size)).flatten(1)

        The outputs are taken for out_channels * size * size: without padding they are fewer. (hint 1)
        - layer = nn.Linear(n, rows.shape[1])
        + layer = nn.Linear(n, conv.out_channels * size * size)

        Where the convolution has no bias the new layer keeps its own, random one.
        - layer.load_state_dict({"weight": rows.T.contiguous(), "bias": zero[0]})
        + layer.weight.copy_(rows.T)
        + if conv.bias is not None:
        +     layer.bias.copy_(zero[0])
    """,
    "streaming": """
        The cache is always continued, whatever the text. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1]:

        Only the lengths are compared. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or len(tokens) != len(self.seen):

        Only the first text is compared. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if (
        +     not 0 < start < idx.shape[1]
        +     or len(tokens) != len(self.seen)
        +     or not np.array_equal(tokens[0, :start], self.seen[0])
        + ):

        The number of texts is not compared, though one text equals each of two that begin so. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or not (tokens[:, :start] == self.seen).all():

        Only the first token of each text is compared. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if (
        +     not 0 < start < idx.shape[1]
        +     or len(tokens) != len(self.seen)
        +     or not np.array_equal(tokens[:, 0], self.seen[:, 0])
        + ):

        One text that goes on, or a part of the tokens, is enough for all. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if (
        +     not 0 < start < idx.shape[1]
        +     or len(tokens) != len(self.seen)
        +     or not (tokens[:, :start] == self.seen).all(axis=1).any()
        + ):

        Tokens are compared at both ends of each text, and not between them. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, [0, start - 1]], self.seen[:, [0, -1]]):

        The same tokens in another order count as the same text.
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or not np.array_equal(np.sort(tokens[:, :start]), np.sort(self.seen)):

        What NumPy prints is compared: of more than 1000 numbers it leaves out those in the middle.
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or str(tokens[:, :start]) != str(self.seen):

        All tokens are compared in one row, or all texts with one, so that texts run into each other. (hint 2)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or not np.array_equal(tokens.ravel()[: self.seen.size], self.seen.ravel()):

        Only the last token is compared.
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, start - 1], self.seen[:, -1]):

        No cache is used, or a new one at every call: correct, but slow. (hint 3)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if True:

        Only the last token is read, however many are new.
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + new = idx[:, start:] if start == 0 else idx[:, -1:]
        + return self.model.lm_head(self.model.hidden(new, self.cache)[:, -1])

        The whole text goes into the cache again.
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + return self.model.lm_head(self.model.hidden(idx, self.cache)[:, -1])

        What was seen is a view of the caller's tokens. (hint 3)
        - self.seen = tokens.copy()
        + self.seen = tokens

        Only the first text is remembered.
        - start = 0 if self.cache is None else self.cache.length  # less than seen, if one failed
        + start = 0 if self.seen is None else self.seen.shape[1]
        ...
        - self.seen = tokens.copy()
        + self.seen = tokens.copy() if start == 0 else self.seen

        The same text again has nothing new, and fails. (hint 2)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if not 0 < start <= idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):

        The cache is for one text. (hint 3)
        - self.cache = torch.KVCache.for_model(self.model, len(tokens))
        + self.cache = torch.KVCache.for_model(self.model, 1)

        The logits of all positions are returned. (hint 3)
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + return self.model(idx[:, start:], self.cache)

        The first of the new positions is turned into logits, not the last. (hint 3)
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, 0])

        Probabilities are returned, not logits.
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + logits = self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + return F.softmax(logits, -1)

        The logits of all positions are averaged. (hint 3)
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)).mean(1)

        Only what is new is read, but without what the cache holds: it is not passed on, or not kept.
        - start = 0 if self.cache is None else self.cache.length  # less than seen, if one failed
        + start = 0 if self.seen is None else self.seen.shape[1]
        ...
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + return self.model(idx[:, start:])[:, -1]

        The first cache is used for ever, for other texts as well. (hint 3)
        - self.cache = torch.KVCache.for_model(self.model, len(tokens))
        + self.cache = self.cache or torch.KVCache.for_model(self.model, len(tokens))

        The last token that was read is read once more.
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + return self.model.lm_head(self.model.hidden(idx[:, max(start - 1, 0) :], self.cache)[:, -1])

        A call that fails leaves a new, empty cache, with which the text before it goes on.
        - start = 0 if self.cache is None else self.cache.length  # less than seen, if one failed
        + start = 0 if self.seen is None else self.seen.shape[1]
        ...
        - self.seen = tokens.copy()
        - return self.model.lm_head(self.model.hidden(idx[:, start:], self.cache)[:, -1])
        + hidden = self.model.hidden(idx[:, start:], self.cache)
        + self.seen = tokens.copy()
        + return self.model.lm_head(hidden[:, -1])

        A shorter text, of which nothing is new, is taken for one that goes on. (hint 1)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + short = min(start, idx.shape[1])
        + if start in (0, idx.shape[1]) or not np.array_equal(tokens[:, :short], self.seen[:, :short]):

        A text that failed counts as read, and with more tokens goes on from there.
        - start = 0 if self.cache is None else self.cache.length  # less than seen, if one failed
        + start = 0 if self.seen is None else self.seen.shape[1]

        Of too many tokens some are read, where the call should fail.
        - tokens = idx.numpy()
        + idx = idx[:, -self.model.config.block_size :]
        + tokens = idx.numpy()

        Some equal tokens are enough, as by `any` in place of `all`. (hint 2)
        - if not 0 < start < idx.shape[1] or not np.array_equal(tokens[:, :start], self.seen):
        + if (
        +     not 0 < start < idx.shape[1]
        +     or len(tokens) != len(self.seen)
        +     or not (tokens[:, :start] == self.seen).any()
        + ):
    """,
    "teach": """
        The original images are used, not fresh ones. (hint 3)
        - x = torch.tensor(fresh_images(chosen, rng)[0])
        + x = torch.tensor(chosen)

        The student gets the original images. (hint 3)
        - loss = F.cross_entropy(student(x), target)
        + loss = F.cross_entropy(student(torch.tensor(chosen)), target)

        The student gets fresh images of its own, not those that the teacher has seen. (hint 3)
        - loss = F.cross_entropy(student(x), target)
        + loss = F.cross_entropy(student(torch.tensor(fresh_images(chosen, rng)[0])), target)

        The teacher gets a gradient. (hint 1)
        - with torch.no_grad():
        -     target = F.softmax(teacher(x), 1)
        + target = F.softmax(teacher(x), 1)

        The teacher's answers are detached, but it builds a graph in vain: no_grad is missing. (hint 1)
        - with torch.no_grad():
        -     target = F.softmax(teacher(x), 1)
        + target = F.softmax(teacher(x).detach(), 1)

        The targets are the teacher's classes, not its probabilities. (hint 3)
        - target = F.softmax(teacher(x), 1)
        + target = teacher(x).argmax(1)

        The targets are the teacher's logits, not its probabilities. (hint 3)
        - target = F.softmax(teacher(x), 1)
        + target = teacher(x)

        The loss is the squared difference of probabilities, not the cross-entropy.
        - loss = F.cross_entropy(student(x), target)
        + loss = ((F.softmax(student(x), 1) - target) ** 2).mean()

        The loss is the squared difference of logits, not the cross-entropy of probabilities.
        - target = F.softmax(teacher(x), 1)
        + target = teacher(x)
        ...
        - loss = F.cross_entropy(student(x), target)
        + loss = F.mse_loss(student(x), target)

        The divergence is the other way round: from the student's probabilities to the teacher's.
        - loss = F.cross_entropy(student(x), target)
        + logs = F.log_softmax(student(x), 1)
        + loss = (logs.exp() * (logs - target.log())).sum(1).mean()

        The teacher's probabilities are smoothed.
        - loss = F.cross_entropy(student(x), target)
        + loss = F.cross_entropy(student(x), target, label_smoothing=0.1)

        The teacher's weights are set to require no gradient, and left so. (hint 1)
        - rng, student = np.random.default_rng(seed), student.train()
        + rng, student = np.random.default_rng(seed), student.train()
        + for parameter in teacher.parameters():
        +     parameter.requires_grad_(False)

        A copy is trained: the caller's student stays as it is.
        - rng, student = np.random.default_rng(seed), student.train()
        + import copy
        + rng, student = np.random.default_rng(seed), copy.deepcopy(student).train()

        Only the first images are ever drawn. (hint 1)
        - chosen = images[rng.integers(0, len(images), batch)]
        + chosen = images[rng.integers(0, min(batch, len(images)), batch)]

        The weight decay is not AdamW's own.
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        + optimizer = optim.AdamW(student.parameters(), lr=lr, weight_decay=0.5)

        No weight decay: the optimizer is not AdamW, or its decay is set to 0. (hint 2)
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        + optimizer = optim.Adam(student.parameters(), lr=lr)

        The optimizer is SGD, not AdamW. (hint 2)
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        + optimizer = optim.SGD(student.parameters(), lr=lr)
        + schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)

        The rate falls in one stair, to a tenth. (hint 2)
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        + schedule = optim.lr_scheduler.StepLR(optimizer, 2 * steps // 3, 0.1)

        The student is run twice in each step.
        - loss = F.cross_entropy(student(x), target)
        + student(x)
        + loss = F.cross_entropy(student(x), target)

        Probabilities are passed where cross_entropy takes logits. (hint 3)
        - loss = F.cross_entropy(student(x), target)
        + loss = F.cross_entropy(F.softmax(student(x), 1), target)

        Softmax is applied twice. (hint 3)
        - target = F.softmax(teacher(x), 1)
        + target = F.softmax(F.softmax(teacher(x), 1), 1)

        The images have noise, but are not shifted. (hint 3)
        - x = torch.tensor(fresh_images(chosen, rng)[0])
        + x = torch.tensor(fresh_images(chosen, rng, 0)[0])

        The softmax runs over the images. (hint 1)
        - target = F.softmax(teacher(x), 1)
        + target = F.softmax(teacher(x), 0)

        The teacher is trained as well.
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        + optimizer = optim.AdamW(list(student.parameters()) + list(teacher.parameters()), lr=lr)
        ...
        - with torch.no_grad():
        -     target = F.softmax(teacher(x), 1)
        + target = F.softmax(teacher(x), 1)

        The teacher is put into training mode.
        - rng, student = np.random.default_rng(seed), student.train()
        + rng, student, teacher = np.random.default_rng(seed), student.train(), teacher.train()

        The teacher is returned in training mode.
        - return student.eval()
        + teacher.train()
        + return student.eval()

        The first images, again and again. (hint 1)
        - chosen = images[rng.integers(0, len(images), batch)]
        + chosen = images[:batch]

        Images are drawn without replacement, so that a large batch has too few.
        - chosen = images[rng.integers(0, len(images), batch)]
        + chosen = images[rng.permutation(len(images))[:batch]]

        One batch is drawn before the loop, and shown at every step. (hint 1)
        - for _ in range(steps):
        -     chosen = images[rng.integers(0, len(images), batch)]
        -     x = torch.tensor(fresh_images(chosen, rng)[0])
        + chosen = images[rng.integers(0, len(images), batch)]
        + x = torch.tensor(fresh_images(chosen, rng)[0])
        + for _ in range(steps):

        The generator begins anew at every step, and draws the same again.
        - chosen = images[rng.integers(0, len(images), batch)]
        + rng = np.random.default_rng(seed)
        + chosen = images[rng.integers(0, len(images), batch)]

        Images are made fresh once, or each time by the same numbers, and not anew at every step. (hint 1)
        - for _ in range(steps):
        -     chosen = images[rng.integers(0, len(images), batch)]
        -     x = torch.tensor(fresh_images(chosen, rng)[0])
        + fresh = fresh_images(images, rng)[0]
        + for _ in range(steps):
        +     x = torch.tensor(fresh[rng.integers(0, len(images), batch)])

        The images are shifted, but have no noise.
        - x = torch.tensor(fresh_images(chosen, rng)[0])
        + x = torch.tensor(fresh_images(chosen, rng, noise=0.0)[0])

        All images are made fresh, and then some are drawn, which may be twice the same. (hint 1)
        - chosen = images[rng.integers(0, len(images), batch)]
        - x = torch.tensor(fresh_images(chosen, rng)[0])
        + x = torch.tensor(fresh_images(images, rng)[0][rng.integers(0, len(images), batch)])

        The teacher's answers are in another order than the images. (hint 3)
        - x = torch.tensor(fresh_images(chosen, rng)[0])
        - with torch.no_grad():
        -     target = F.softmax(teacher(x), 1)
        + fresh, order = fresh_images(chosen, rng)
        + x = torch.tensor(fresh)
        + with torch.no_grad():
        +     target = F.softmax(teacher(x), 1)[order]

        A new optimizer is made at every step, which has forgotten the averages of the last.
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        - for _ in range(steps):
        + for step in range(steps):
        +     optimizer = optim.AdamW(student.parameters(), lr=lr * (1 - step / steps))
        ...
        - schedule.step()
        + pass

        The schedule is made, but never steps. (hint 2)
        - schedule.step()
        + pass

        There is no schedule: the rate stays as it is. (hint 2)
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        ...
        - schedule.step()
        + pass

        The teacher gets the original images, and the student fresh ones. (hint 3)
        - target = F.softmax(teacher(x), 1)
        + target = F.softmax(teacher(torch.tensor(chosen)), 1)

        The optimizer gets the teacher's parameters. (hint 2)
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        + optimizer = optim.AdamW(teacher.parameters(), lr=lr)

        Gradients are clipped, or made smaller in another way, before the optimizer's step.
        - optimizer.step()
        + nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        + optimizer.step()

        Gradients are clipped, or made smaller in another way, before the optimizer's step.
        - optimizer.step()
        + nn.utils.clip_grad_norm_(student.parameters(), 0.1)
        + optimizer.step()

        Teacher and student get different images, and not even as many. (hint 3)
        - target = F.softmax(teacher(x), 1)
        + target = F.softmax(teacher(torch.tensor(fresh_images(images[:batch], rng)[0])), 1)

        The rate reaches 0 long before the last step, or rises and falls again and again. (hint 2)
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        + schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, steps // 2 or 1)

        fresh_images gets a new generator at every step, and so shifts and adds noise by the same numbers. (hint 3)
        - x = torch.tensor(fresh_images(chosen, rng)[0])
        + x = torch.tensor(fresh_images(chosen, np.random.default_rng(seed))[0])

        Gradients are not cleared at every step. (hint 1)
        - optimizer.zero_grad()
        + pass

        Nothing is learned. (hint 1)
        - optimizer.step()
        + pass

        The student is returned in training mode. (hint 2)
        - return student.eval()
        + return student

        The seed is not used.
        - rng, student = np.random.default_rng(seed), student.train()
        + rng, student = np.random.default_rng(0), student.train()

        The learning rate is fixed.
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        - schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
        + optimizer = optim.AdamW(student.parameters(), lr=0.01)
        + schedule = optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=steps)

        The student is trained in evaluation mode. (hint 2)
        - rng, student = np.random.default_rng(seed), student.train()
        + rng, student = np.random.default_rng(seed), student.eval()

        The seed 0 is taken for no seed.
        - rng, student = np.random.default_rng(seed), student.train()
        + rng, student = np.random.default_rng(seed or None), student.train()

        The optimizer takes a step only at every second step.
        - optimizer.zero_grad()
        - loss.backward()
        - optimizer.step()
        + loss.backward()
        + if _ % 2:
        +     optimizer.step()
        +     optimizer.zero_grad()

        A batch has each image at most once, as far as there are enough. (hint 1)
        - chosen = images[rng.integers(0, len(images), batch)]
        + chosen = images[rng.choice(len(images), batch, replace=batch > len(images))]

        The teacher is trained as well.
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        + optimizer = optim.AdamW([*student.parameters(), *teacher.parameters()], lr=lr)
        ...
        - optimizer.zero_grad()
        - loss.backward()
        - optimizer.step()
        + loss.backward()
        + optimizer.step()
        + optimizer.zero_grad()

        The optimizer gets the teacher's parameters. (hint 2)
        - optimizer = optim.AdamW(student.parameters(), lr=lr)
        + optimizer = optim.AdamW([*student.parameters(), *teacher.parameters()], lr=lr)

        The teacher's gradients are cleared.
        - optimizer.zero_grad()
        + optimizer.zero_grad()
        + teacher.zero_grad()

        The targets are the student's own probabilities: the teacher is never asked. (hint 3)
        - target = F.softmax(teacher(x), 1)
        + target = F.softmax(student(x), 1)
    """,
}
