"""Other right answers of module 02: with each in its stub, the tests of the stub pass."""

ANSWERS = {
    "relu": """
        Zeros where x is negative, which NaN is not.
        + output = np.where(x < 0, x.dtype.type(0), x)
        + ctx.save_for_backward(output)
        + return output
    """,
    "sigmoid": """
        The numerator chosen by `where`.
        + decay = np.exp(np.where(x < 0, x, -x))
        + output = np.where(x < 0, decay, 1) / (1 + decay)
        + ctx.save_for_backward(output)
        + return output
    """,
    "gelu": """
        Both formulas as they stand in the text.
        + ctx.save_for_backward(x)
        + if approximate == "tanh":
        +     inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        +     return 0.5 * x * (1 + np.tanh(inner))
        + return 0.5 * x * (1 + Erf.forward(Context(), x / math.sqrt(2)))
    """,
    "silu": """
        The product in the memory of the sigmoid, which nobody else has.
        + output = Sigmoid.forward(Context(), x)
        + ctx.save_for_backward(x)
        + return np.multiply(output, x, out=output if output.ndim else None)
    """,
    "softplus": """
        The logarithm of exp(0) + exp(beta x), by NumPy.
        + ctx.save_for_backward(x)
        + scaled = x * beta
        + beyond = scaled > threshold
        + return np.where(beyond, x, np.logaddexp(0, scaled) / beta)
    """,
    "softmax": """
        The maximum and the sum, each without its dimension, which is put back.
        + largest = x.max(axis=ctx.axis, initial=-np.inf)
        + exps = np.exp(x - np.expand_dims(largest, ctx.axis))
        + output = exps / np.expand_dims(exps.sum(axis=ctx.axis), ctx.axis)
        + ctx.save_for_backward(output)
        + return output

        By way of the logarithms.
        + shifted = x - np.max(x, axis=ctx.axis, keepdims=True, initial=-np.inf)
        + with np.errstate(divide="ignore"):
        +     total = np.log(np.sum(np.exp(shifted), axis=ctx.axis, keepdims=True))
        + output = np.exp(shifted - total)
        + ctx.save_for_backward(output)
        + return output
    """,
    "logsumexp": """
        NumPy's logarithm of a sum of two exponentials, repeated.
        + output = np.logaddexp.reduce(x, axis=ctx.axis, keepdims=keepdim)
        + ctx.save_for_backward(output, x)
        + return output

        The shift set to 0 where it is infinite, and both put back without their dimensions.
        + shift = np.max(x, axis=ctx.axis, keepdims=True, initial=-np.inf)
        + shift[np.isinf(shift)] = 0
        + with np.errstate(divide="ignore"):
        +     output = np.log(np.sum(np.exp(x - shift), axis=ctx.axis, keepdims=keepdim))
        + output += shift if keepdim else np.squeeze(shift, axis=ctx.axis)
        + ctx.save_for_backward(output, x)
        + return output
    """,
    "log-softmax": """
        In new arrays, each with a name.
        + shifted = x - np.max(x, axis=ctx.axis, keepdims=True, initial=-np.inf)
        + total = np.sum(np.exp(shifted), axis=ctx.axis, keepdims=True)
        + log_probabilities = shifted - np.log(total)
        + ctx.save_for_backward(log_probabilities)
        + return log_probabilities
    """,
}
