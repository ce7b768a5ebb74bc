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

        Multiplies by a mask, and 0 times infinity is NaN. (hint 1)
        - output = np.maximum(x, 0)
        + output = x * (x > 0)
    """,
    "sigmoid": """
        Overflows to the left, and in float16 gives 0 from -12 on. (hint 1)
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        - exps += 1
        - output /= exps
        + output = 1 / (1 + np.exp(-x))

        Divides inf by inf to the right, where exp(x) overflows. (hint 1)
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
    """,
    "gelu": """
        Uses the tanh formula where `approximate` is "none". (hint 1)
        - if approximate == "none":
        -     return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)

        Leaves out the square root of 2 in the error function's argument. (hint 2)
        - return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)
        + return 0.5 * ((1 + Erf.forward(Context(), x)) * x)

        Divides by np.sqrt(2), a float64, which makes float64 of float32. (hint 2)
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
    """,
    "silu": """
        Multiplies by tanh, which is negative on the left. (hint 3)
        - return x * Sigmoid.forward(Context(), x)
        + return x * np.tanh(x)

        Uses a sigmoid that divides inf by inf to the right. (hint 3)
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
    """,
    "softplus": """
        Adds a small number to 1, where it is lost. (hint 3)
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = np.log(1 + np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)

        Computes exp of large numbers, which overflows where no threshold hides it. (hint 1)
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = np.log1p(np.exp(scaled))

        Forgets to divide by beta. (hint 2)
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(scaled > threshold, x, smooth)

        Does not compare beta x with the threshold. (hint 2)
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
    """,
    "softmax": """
        Does not shift, so exp overflows at 89. (hint 2)
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
    """,
}
