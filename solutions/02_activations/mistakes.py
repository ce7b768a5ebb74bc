"""Planted mistakes of module 02: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "relu": """
        Turns NaN into 0, because no comparison with NaN holds. (hint 1)
        - output = np.maximum(x, 0)
        + output = np.where(x > 0, x, 0).astype(x.dtype)

        Writes into its input, which belongs to the caller.
        - output = np.maximum(x, 0)
        + output = np.maximum(x, 0, out=x)

        Makes float64 of integers. (hint 2)
        - output = np.maximum(x, 0)
        + output = np.maximum(x, 0.0)

        Saves the input, which then has to be kept in memory. (hint 3)
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(x)

        Multiplies or adds where the result is NaN: 0 times infinity, or -infinity plus infinity. (hint 1)
        - output = np.maximum(x, 0)
        + output = x * (x > 0)

        Returns the input's own memory where no number is negative, not a new array. (hint 1)
        - output = np.maximum(x, 0)
        + output = np.maximum(x, 0) if (x < 0).any() else x

        Saves a mask of the positive numbers, not the output. (hint 3)
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(x > 0)

        Saves a copy of the output, which is one more array in memory. (hint 3)
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(output.copy())

        Saves a list with the output in it, not the output. (hint 3)
        - ctx.save_for_backward(output)
        + ctx.save_for_backward([output])
    """,
    "sigmoid": """
        Computes exp of large numbers, which overflows: also in np.where, which computes both sides for all x. (hint 1)
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        - exps += 1
        - output /= exps
        + output = 1 / (1 + np.exp(-x))

        Computes exp of large numbers, which overflows: also in np.where, which computes both sides for all x. (hint 1)
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        - exps += 1
        - output /= exps
        + exps = np.exp(x)
        + output = exps / (1 + exps)

        Subtracts numbers near 1, which leaves 0 of a small probability. (hint 1)
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        - exps += 1
        - output /= exps
        + output = (1 + np.tanh(x / 2)) / 2

        Exchanges the numerators of the two sides. (hint 2)
        - output = np.maximum(exps, x >= 0)
        + output = np.maximum(exps, x < 0)

        Computes in float64, whatever the type of x.
        - exps = np.exp(-np.abs(x))
        + exps = np.exp(-np.abs(x.astype(np.float64)))

        Changes sides at 1, not at 0. (hint 2)
        - output = np.maximum(exps, x >= 0)
        + output = np.maximum(exps, x >= 1)

        Takes exp of -x, which far to the left is infinite, warned of or not, or clipped, even in float64. (hint 1)
        + with np.errstate(over="ignore"):
        +     output = 1 / (1 + np.exp(-x))
        + ctx.save_for_backward(output)
        + return output

        Takes exp of -x, which far to the left is infinite, warned of or not, or clipped, even in float64. (hint 1)
        + wide = np.clip(x.astype(np.float64), -700, 700)
        + output = (1 / (1 + np.exp(-wide))).astype(x.dtype)
        + ctx.save_for_backward(output)
        + return output

        Loses digits of float64 numbers, as when they become float32 on the way.
        - exps = np.exp(-np.abs(x))
        + exps = np.exp(-np.abs(x.astype(np.float32)))
        ...
        - ctx.save_for_backward(output)
        + output = output.astype(x.dtype)
        + ctx.save_for_backward(output)

        Saves its input, not its output. (hint 3)
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(x)

        Works in the input's own memory.
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        + side = x >= 0
        + exps = np.exp(-np.abs(x, out=x))
        + output = np.maximum(exps, side)

        Clips x, so that all numbers beyond some bound get the same result. (hint 1)
        + output = 1 / (1 + np.exp(-np.clip(x, -88, 88)))
        + ctx.save_for_backward(output)
        + return output

        Has 1 for the numerator on both sides. (hint 2)
        - output = np.maximum(exps, x >= 0)
        + output = np.ones_like(x)

        Saves a copy of the output, which is one more array in memory. (hint 3)
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(output.copy())
    """,
    "gelu": """
        Uses the tanh formula where `approximate` is "none". (hint 1)
        - if approximate == "none":
        -     return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)

        Leaves out the square root of 2 in the error function's argument. (hint 2)
        - return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)
        + return 0.5 * ((1 + Erf.forward(Context(), x)) * x)

        Computes with a NumPy float64, such as np.sqrt(2), which makes float64 of float32: math.sqrt does not.
        - return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)
        + return 0.5 * ((1 + Erf.forward(Context(), x / np.sqrt(2))) * x)

        Is the approximation by a sigmoid, x sigmoid(1.702 x), not the one by tanh. (hint 3)
        - output = np.multiply(x, x, out=np.empty_like(x))  # then in place: one array, not three
        + return x * Sigmoid.forward(Context(), 1.702 * x)

        Works in the input's own memory.
        - output = np.multiply(x, x, out=np.empty_like(x))  # then in place: one array, not three
        - output *= 0.044715
        - output += 1
        - output *= x
        - output *= math.sqrt(2 / math.pi)
        - np.tanh(output, out=output)
        - output += 1
        - output *= x
        - output *= 0.5
        - return output
        + x *= 1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
        + x *= 0.5
        + return x

        Multiplies only x by sqrt(2/pi) in the formula with tanh, and not the whole sum.
        - output = np.multiply(x, x, out=np.empty_like(x))  # then in place: one array, not three
        - output *= 0.044715
        - output += 1
        - output *= x
        - output *= math.sqrt(2 / math.pi)
        - np.tanh(output, out=output)
        - output += 1
        - output *= x
        - output *= 0.5
        - return output
        + inner = math.sqrt(2 / math.pi) * x + 0.044715 * x * x * x
        + return 0.5 * x * (1 + np.tanh(inner))

        Multiplies by sqrt(2) / pi in the formula with tanh, and not by sqrt(2 / pi).
        - output *= math.sqrt(2 / math.pi)
        + output *= math.sqrt(2) / math.pi

        Squares x in the formula with tanh, and does not cube it. (hint 3)
        - output = np.multiply(x, x, out=np.empty_like(x))  # then in place: one array, not three
        - output *= 0.044715
        - output += 1
        - output *= x
        - output *= math.sqrt(2 / math.pi)
        - np.tanh(output, out=output)
        - output += 1
        - output *= x
        - output *= 0.5
        - return output
        + inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x)
        + return 0.5 * x * (1 + np.tanh(inner))

        Subtracts the cube in the formula with tanh, and does not add it.
        - output *= 0.044715
        + output *= -0.044715

        Returns nothing where `approximate` is "tanh".
        - output = np.multiply(x, x, out=np.empty_like(x))  # then in place: one array, not three
        - output *= 0.044715
        - output += 1
        - output *= x
        - output *= math.sqrt(2 / math.pi)
        - np.tanh(output, out=output)
        - output += 1
        - output *= x
        - output *= 0.5
        - return output

        Saves nothing where `approximate` is "none". (hint 1)
        - ctx.save_for_backward(x)
        + if approximate == "tanh":
        +     ctx.save_for_backward(x)
          if approximate == "none":

        Saves nothing where `approximate` is "tanh". (hint 1)
        - ctx.save_for_backward(x)
        - if approximate == "none":
        + if approximate == "none":
        +     ctx.save_for_backward(x)

        Saves what the error function saves, as when `Erf.forward` gets this `ctx`, not one of its own. (hint 2)
        - return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)
        + return 0.5 * ((1 + Erf.forward(ctx, math.sqrt(0.5) * x)) * x)

        Saves a copy of the input, which is one more array in memory. (hint 1)
        - ctx.save_for_backward(x)
        + ctx.save_for_backward(x.copy())
    """,
    "silu": """
        Multiplies by tanh, which is negative on the left. (hint 3)
        - return x * Sigmoid.forward(Context(), x)
        + return x * np.tanh(x)

        Uses a sigmoid that takes exp of a large number, which overflows. (hint 3)
        - return x * Sigmoid.forward(Context(), x)
        + return x * (np.exp(x) / (1 + np.exp(x)))

        Saves the sigmoid as well, one more array that lives until the backward pass. (hint 2)
        - ctx.save_for_backward(x)
        - return x * Sigmoid.forward(Context(), x)
        + gate = Sigmoid.forward(Context(), x)
        + ctx.save_for_backward(x, gate)
        + return x * gate

        Multiplies in place, in the caller's memory, so that what it saved is no longer its input.
        - return x * Sigmoid.forward(Context(), x)
        + x *= Sigmoid.forward(Context(), x)
        + return x

        Saves the sigmoid, as when `Sigmoid.forward` gets this `ctx`, not one of its own. (hint 3)
        - return x * Sigmoid.forward(Context(), x)
        + return x * Sigmoid.forward(ctx, x)

        Saves a copy of the input, which is one more array in memory. (hint 2)
        - ctx.save_for_backward(x)
        + ctx.save_for_backward(x.copy())

        Saves its output, not its input. (hint 2)
        - ctx.save_for_backward(x)
        - return x * Sigmoid.forward(Context(), x)
        + output = x * Sigmoid.forward(Context(), x)
        + ctx.save_for_backward(output)
        + return output

        Calls `sigmoid` with an array, but it takes tensors: on arrays it is `Sigmoid.forward(Context(), x)`.
        - return x * Sigmoid.forward(Context(), x)
        + return x * sigmoid(x)

        Multiplies by a tensor, which `Sigmoid.apply` returns: on arrays it is `Sigmoid.forward(Context(), x)`.
        - return x * Sigmoid.forward(Context(), x)
        + return x * Sigmoid.apply(x)

        Subtracts numbers near 1, or takes small results for 0: use your sigmoid, which keeps them. (hint 1)
        - return x * Sigmoid.forward(Context(), x)
        + return 0.5 * x * (1 + np.tanh(0.5 * x))

        Subtracts numbers near 1, or takes small results for 0: use your sigmoid, which keeps them. (hint 1)
        - return x * Sigmoid.forward(Context(), x)
        + return np.where(x < -20, x.dtype.type(0), x * Sigmoid.forward(Context(), x))

        Takes exp of -x, which far to the left is infinite even in float64, warned of or not. (hint 1)
        - return x * Sigmoid.forward(Context(), x)
        + with np.errstate(over="ignore"):
        +     return x / (1 + np.exp(-x))

        Returns the sigmoid alone, not its product with x. (hint 3)
        - return x * Sigmoid.forward(Context(), x)
        + return Sigmoid.forward(Context(), x)
    """,
    "softplus": """
        Adds a small number to 1, where it is lost. (hint 3)
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = np.log(1 + np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)

        Computes exp of large numbers, which overflows: also in np.where, which computes both sides for all x. (hint 1)
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = np.log1p(np.exp(scaled))

        Forgets to divide by beta. (hint 2)
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(scaled > threshold, x, smooth)

        Does not compare beta x with the threshold, number by number. (hint 2)
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(x > threshold, x, smooth / beta)

        Compares the result with the threshold, not beta x. (hint 2)
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(smooth > threshold, x, smooth / beta)

        Returns x at the threshold already, not only beyond it. (hint 3)
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(scaled >= threshold, x, smooth / beta)

        Saves something else than the input itself, such as beta times it.
        - ctx.save_for_backward(x)
        - scaled = beta * x
        + scaled = beta * x
        + ctx.save_for_backward(scaled)

        Compares the size of beta x with the threshold, not beta x, which may be negative. (hint 2)
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(np.abs(scaled) > threshold, x, smooth / beta)

        Returns 0 far to the left, where the formula is small but positive.
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(np.abs(scaled) > threshold, np.maximum(x, 0), smooth / beta)

        Takes a threshold of 0 for none that is given.
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(scaled > (threshold or 20), x, smooth / beta)

        Takes exp of numbers that are large where beta is negative: the size is that of beta x, not of x. (hint 1)
        - scaled = beta * x
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        - return np.where(scaled > threshold, x, smooth / beta)
        + smooth = np.log1p(np.exp(-beta * np.abs(x))) / beta + np.maximum(x, 0)
        + return np.where(beta * x > threshold, x, smooth)

        Beyond the threshold it returns x after a computation that rounds, not x itself. (hint 2)
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(scaled > threshold, scaled, smooth) / beta

        Loses digits of float64 numbers, as when they become float32 on the way.
        - scaled = beta * x
        + scaled = (beta * x).astype(np.float32)
        ...
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(scaled > threshold, x, smooth / beta).astype(x.dtype)

        Computes exp of large numbers, which overflows: also in np.where, which computes both sides for all x. (hint 1)
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = scaled + np.log1p(np.exp(-scaled))

        Saves a copy of the input, which is one more array in memory.
        - ctx.save_for_backward(x)
        + ctx.save_for_backward(x.copy())
    """,
    "softmax": """
        Does not subtract the maximum, so exp overflows at 89. (hint 2)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        - np.exp(output, out=output)
        + np.exp(x, out=output)

        Shifts by the maximum of the whole array: rows far below it become 0 / 0. (hint 1)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(), out=output)

        Always works along the last dimension. (hint 3)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(axis=-1, keepdims=True), out=output)
        ...
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output /= output.sum(axis=-1, keepdims=True)

        Sums without keeping the dimension, so that entries are divided by another row's sum. (hint 3)
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output = output / output.sum(axis=ctx.axis)

        Returns float64, whatever the type of x.
        - output = np.empty_like(x)
        + output = np.empty(x.shape)

        Divides by the exponential of the sum, not by the sum of exponentials. (hint 2)
        - np.exp(output, out=output)
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output = np.exp(output) / np.exp(output.sum(axis=ctx.axis, keepdims=True))

        Shifts in place, and with it the caller's scores.
        - output = np.empty_like(x)
        + output = x

        Shifts by maxima along the last dimension, whatever `dim` is. (hint 3)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(axis=-1, keepdims=True, initial=-np.inf), out=output)

        Cannot take a dimension of length 0, which has no maximum. (hint 3)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(axis=ctx.axis, keepdims=True), out=output)

        Adds a small number to what it divides by, which is never 0 anyway. (hint 2)
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output /= output.sum(axis=ctx.axis, keepdims=True) + 1e-8

        Returns zeros for a row in which nothing is possible, where PyTorch has NaN.
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output /= output.sum(axis=ctx.axis, keepdims=True)
        + output[np.isnan(output)] = 0

        Subtracts more than the row's maximum where all its scores are far below 0, so that the sum is 0. (hint 2)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=0), out=output)

        Subtracts more than the row's maximum where all its scores are far below 0, so that the sum is 0. (hint 2)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-1000), out=output)

        Subtracts more than the row's maximum where all its scores are far below 0, so that the sum is 0. (hint 2)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, np.abs(x).max(axis=ctx.axis, keepdims=True, initial=0), out=output)

        Does not subtract the maximum, so exp overflows at 89. (hint 2)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.add(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)

        Loses digits of float64 numbers, as when they become float32 on the way.
        + narrow = x.astype(np.float32)
        + exps = np.exp(narrow - narrow.max(axis=ctx.axis, keepdims=True, initial=-np.inf))
        + output = (exps / exps.sum(axis=ctx.axis, keepdims=True)).astype(x.dtype)
        + ctx.save_for_backward(output)
        + return output

        Saves nothing where the array is empty.
        - output = np.empty_like(x)
        + if x.size == 0:
        +     return x
        + output = np.empty_like(x)

        Changes `ctx.axis`, which is counted from the front.
        - ctx.save_for_backward(output)
        + ctx.axis = dim
        + ctx.save_for_backward(output)

        Sums all entries, not only those along `dim`. (hint 3)
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output /= output.sum()

        Keeps the dimension neither for the maximum nor for the sum, so that NumPy takes those of other rows. (hint 3)
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(axis=ctx.axis, initial=-np.inf), out=output)
        ...
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output /= output.sum(axis=ctx.axis)

        Saves a copy of the output, which is one more array in memory.
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(output.copy())
    """,
    "logsumexp": """
        Does not shift by the maximum, so exp overflows. (hint 3)
        - output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        + output = np.log(np.exp(x).sum(axis=ctx.axis, keepdims=True))

        Does not put the shift back. (hint 3)
        - output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        + output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True))

        Shifts by an infinite maximum, which gives NaN. (hint 2)
        - shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))

        Cannot take a dimension of length 0, which has no maximum.
        - shift = x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + shift = x.max(axis=ctx.axis, keepdims=True)

        Always keeps the reduced dimensions. (hint 1)
        - output = output if keepdim else output.squeeze(ctx.axis)

        Does not save first the result as it is returned, then the input.
        - output = output if keepdim else output.squeeze(ctx.axis)
        - ctx.save_for_backward(output, x)
        - return output
        + ctx.save_for_backward(output, x)
        + return output if keepdim else output.squeeze(ctx.axis)

        Shifts no row if a single one has an infinite number in it. (hint 2)
        - shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        + if not np.isfinite(shift).all():
        +     shift = np.zeros_like(shift)

        Shifts no row if a single one has an infinite number in it. (hint 2)
        - shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        + if np.isinf(x).any():
        +     shift = np.zeros_like(shift)

        Shifts by a maximum of +inf, too, and inf - inf is NaN. (hint 2)
        - shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        + shift = np.where(shift == -np.inf, x.dtype.type(0), shift)

        Turns NaN into minus infinity, but inf - inf is NaN, too, where the result is inf. (hint 2)
        - shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        ...
        - output = output if keepdim else output.squeeze(ctx.axis)
        + output = np.where(np.isnan(output), x.dtype.type(-np.inf), output)
        + output = output if keepdim else output.squeeze(ctx.axis)

        Hides a NaN among the numbers.
        - output = output if keepdim else output.squeeze(ctx.axis)
        + output = np.where(np.isnan(output), x.dtype.type(-np.inf), output)
        + output = output if keepdim else output.squeeze(ctx.axis)

        Shifts by more than the maximum where all numbers are far below 0, so that the sum is 0. (hint 3)
        - shift = x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + shift = x.max(axis=ctx.axis, keepdims=True, initial=0)

        Loses digits of float64 numbers, as when they become float32 on the way.
        - output = output if keepdim else output.squeeze(ctx.axis)
        + output = output.astype(np.float32).astype(x.dtype)
        + output = output if keepdim else output.squeeze(ctx.axis)

        Works in the input's own memory.
        - output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        + x -= shift
        + output = np.log(np.exp(x).sum(axis=ctx.axis, keepdims=True)) + shift

        Adds shift and logarithm, of which only one keeps the reduced dimensions: NumPy broadcasts them. (hint 1)
        - output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        + output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=keepdim)) + shift
        ...
        - output = output if keepdim else output.squeeze(ctx.axis)

        Removes all dimensions of length 1, not only the reduced ones. (hint 1)
        - output = output if keepdim else output.squeeze(ctx.axis)
        + output = output if keepdim else output.squeeze()
    """,
    "log-softmax": """
        Takes the logarithm of 0: of a probability, or a sum of exponentials, that is too small. (hint 2)
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output = np.exp(output)
        + output = np.log(output / output.sum(axis=ctx.axis, keepdims=True))

        Subtracts a log-sum-exp near 1000, where float32 has steps of 6e-5. (hint 1)
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + largest = x.max(axis=ctx.axis, keepdims=True)
        + output = x - (largest + np.log(np.exp(x - largest).sum(axis=ctx.axis, keepdims=True)))

        Forgets the logarithm of the sum. (hint 2)
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output -= np.exp(output).sum(axis=ctx.axis, keepdims=True)

        Sums along the last dimension, whatever `dim` is. (hint 2)
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output -= np.log(np.exp(output).sum(axis=-1, keepdims=True))

        Subtracts in place, from the caller's scores.
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + output = x
        + output -= x.max(axis=ctx.axis, keepdims=True)

        Cannot take a dimension of length 0, which has no maximum.
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + output = x - x.max(axis=ctx.axis, keepdims=True)

        Subtracts more than the row's own maximum, as 0 or that of the whole array, so that the sum is 0. (hint 1)
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + output = x - x.max(axis=ctx.axis, keepdims=True, initial=0)

        Subtracts more than the row's own maximum, as 0 or that of the whole array, so that the sum is 0. (hint 1)
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + output = x - x.max(axis=ctx.axis, keepdims=True, initial=-1000)

        Subtracts the log-sum-exp of large scores, in float64 perhaps, where it is rounded, too. (hint 1)
        + wide = x.astype(np.float64)
        + output = (wide - LogSumExp.forward(Context(), wide, dim, keepdim=True)).astype(x.dtype)
        + ctx.save_for_backward(output)
        + return output

        Works along the last dimension, whatever `dim` is.
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output = x - x.max(axis=-1, keepdims=True, initial=-np.inf)
        + output -= np.log(np.exp(output).sum(axis=-1, keepdims=True))

        Adds a small number to what it takes the logarithm of: a sum that is never 0 anyway. (hint 2)
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True) + 1e-8)

        Loses digits of float64 numbers, as when they become float32 on the way.
        - ctx.save_for_backward(output)
        + output = output.astype(np.float32).astype(x.dtype)
        + ctx.save_for_backward(output)

        Saves nothing where the array is empty.
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + if x.size == 0:
        +     return x
        + output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)

        Changes `ctx.axis`, which is counted from the front.
        - ctx.save_for_backward(output)
        + ctx.axis = dim
        + ctx.save_for_backward(output)

        Subtracts more than the row's own maximum, as 0 or that of the whole array, so that the sum is 0. (hint 1)
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + output = x - x.max(initial=-np.inf)

        Saves a copy of the output, which is one more array in memory.
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(output.copy())
    """,
}
