"""Planted mistakes of module 02: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "relu": """
        Turns NaN into 0, because no comparison with NaN holds.
        - output = np.maximum(x, 0)
        + output = np.where(x > 0, x, 0).astype(x.dtype)

        Writes into its input.
        - output = np.maximum(x, 0)
        + output = np.maximum(x, 0, out=x)

        Makes float64 of integers.
        - output = np.maximum(x, 0)
        + output = np.maximum(x, 0.0)

        Saves the input, which has to be kept in memory for it.
        - ctx.save_for_backward(output)
        + ctx.save_for_backward(x)

        Multiplies by a mask, and 0 times infinity is NaN.
        - output = np.maximum(x, 0)
        + output = x * (x > 0)
    """,
    "sigmoid": """
        Overflows to the left, and in float16 answers 0 from -12 on.
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        - exps += 1
        - output /= exps
        + output = 1 / (1 + np.exp(-x))

        Divides inf by inf to the right.
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        - exps += 1
        - output /= exps
        + exps = np.exp(x)
        + output = exps / (1 + exps)

        Subtracts numbers near 1, which leaves 0 of a small probability.
        - exps = np.exp(-np.abs(x))
        - output = np.maximum(exps, x >= 0)
        - exps += 1
        - output /= exps
        + output = (1 + np.tanh(x / 2)) / 2

        Has the two sides the wrong way round.
        - output = np.maximum(exps, x >= 0)
        + output = np.maximum(exps, x < 0)

        Computes in float64.
        - exps = np.exp(-np.abs(x))
        + exps = np.exp(-np.abs(x.astype(np.float64)))
    """,
    "gelu": """
        Uses the tanh formula whatever was asked for.
        - if approximate == "none":
        -     return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)

        Leaves out the square root of 2 in the error function's argument.
        - return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)
        + return 0.5 * ((1 + Erf.forward(Context(), x)) * x)

        Lets np.sqrt make float64 of float32.
        - return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)
        + return 0.5 * ((1 + Erf.forward(Context(), x / np.sqrt(2))) * x)

        Takes the approximation by a sigmoid, x sigmoid(1.702 x), for the one by tanh.
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
        Multiplies by tanh.
        - return x * Sigmoid.forward(Context(), x)
        + return x * np.tanh(x)

        Writes the sigmoid out in the form that divides inf by inf.
        - return x * Sigmoid.forward(Context(), x)
        + return x * (np.exp(x) / (1 + np.exp(x)))

        Saves the sigmoid as well: one more array that lives until the backward pass.
        - ctx.save_for_backward(x)
        - return x * Sigmoid.forward(Context(), x)
        + gate = Sigmoid.forward(Context(), x)
        + ctx.save_for_backward(x, gate)
        + return x * gate

        Multiplies in place, so that what it saved is no longer its input.
        - return x * Sigmoid.forward(Context(), x)
        + x *= Sigmoid.forward(Context(), x)
        + return x
    """,
    "softplus": """
        Adds a small number to 1, where it is lost.
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = np.log(1 + np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)

        Relies on the threshold to hide that exp overflows.
        - smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        + smooth = np.log1p(np.exp(scaled))

        Forgets to divide by beta.
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(scaled > threshold, x, smooth)

        Compares x with the threshold, not beta x.
        - return np.where(scaled > threshold, x, smooth / beta)
        + return np.where(x > threshold, x, smooth / beta)

        Saves beta x for x.
        - ctx.save_for_backward(x)
        - scaled = beta * x
        + scaled = beta * x
        + ctx.save_for_backward(scaled)
    """,
    "softmax": """
        No shift, so exp overflows at 89.
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        - np.exp(output, out=output)
        + np.exp(x, out=output)

        Shifts by the maximum of the whole array: rows far below it become 0 / 0.
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(), out=output)

        Always works along the last dimension.
        - np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        + np.subtract(x, x.max(axis=-1, keepdims=True), out=output)
        ...
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output /= output.sum(axis=-1, keepdims=True)

        Drops the axis from the sum, so that each entry is divided by another row's.
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output = output / output.sum(axis=ctx.axis)

        Returns float64.
        - output = np.empty_like(x)
        + output = np.empty(x.shape)

        Divides by the exponential of the sum, not by the sum of exponentials.
        - np.exp(output, out=output)
        - output /= output.sum(axis=ctx.axis, keepdims=True)
        + output = np.exp(output) / np.exp(output.sum(axis=ctx.axis, keepdims=True))

        Shifts in place, and with it the caller's scores.
        - output = np.empty_like(x)
        + output = x
    """,
    "logsumexp": """
        No shift.
        - output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        + output = np.log(np.exp(x).sum(axis=ctx.axis, keepdims=True))

        Does not put the shift back.
        - output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        + output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True))

        Shifts by infinity, which gives NaN for what is impossible.
        - shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))

        Always keeps the reduced dimensions.
        - output = output if keepdim else output.squeeze(ctx.axis)

        Saves what it is with the reduced dimensions, not what it returns.
        - output = output if keepdim else output.squeeze(ctx.axis)
        - ctx.save_for_backward(output, x)
        - return output
        + ctx.save_for_backward(output, x)
        + return output if keepdim else output.squeeze(ctx.axis)
    """,
    "log-softmax": """
        Goes through the probability, which is 0 from -104 on.
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output = np.exp(output)
        + output = np.log(output / output.sum(axis=ctx.axis, keepdims=True))

        Subtracts a log-sum-exp near 1000, where float32 has steps of 6e-5.
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + largest = x.max(axis=ctx.axis, keepdims=True)
        + output = x - (largest + np.log(np.exp(x - largest).sum(axis=ctx.axis, keepdims=True)))

        Forgets the logarithm of the sum.
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output -= np.exp(output).sum(axis=ctx.axis, keepdims=True)

        Sums along the last dimension whatever was asked for.
        - output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        + output -= np.log(np.exp(output).sum(axis=-1, keepdims=True))

        Subtracts in place, from the caller's scores.
        - output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        + output = x
        + output -= x.max(axis=ctx.axis, keepdims=True)
    """,
}
