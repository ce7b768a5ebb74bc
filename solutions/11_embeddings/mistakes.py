"""Planted mistakes of module 11: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "one-hot": """
        The rows are floating point numbers.
        - return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.int64))
        + return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.float64))

        The classes come first in place of last.
        - return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.int64))
        + rows = (input.array[..., None] == np.arange(num_classes)).astype(np.int64)
        + return wrap(np.moveaxis(rows, -1, 0))

        Every class up to the index is marked.
        + return wrap((input.array[..., None] >= np.arange(num_classes)).astype(np.int64))
    """,
    "lookup-gradient": """
        `+=` through an index: of several gradients for one row, one survives.
        - return call(IndexAdd, grad, index=indices, shape=shape)
        + output = np.zeros(shape, grad.dtype)
        + output[indices] += grad
        + return output

        A padding_idx of 0 is taken for none.
        - if padding_idx is not None:
        + if padding_idx:

        The counts stay whole numbers, and make float64 of the gradient.
        - grad = grad / counts[indices][..., None].astype(grad.dtype)
        + grad = grad / counts[indices][..., None]

        The padding's gradients are zeroed in the caller's own array.
        - grad = grad * (indices != padding_idx)[..., None]
        + grad[indices == padding_idx] = 0

        The gradient is multiplied by the frequency in place of divided.
        - grad = grad / counts[indices][..., None].astype(grad.dtype)
        + grad = grad * counts[indices][..., None].astype(grad.dtype)
    """,
    "lookup": """
        The options do not reach the gradient.
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        + ctx.options = (weight.shape,)

        The gradients are in the wrong order.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return lookup_gradient(grad, indices, *ctx.options), None

        The gradient has one row for each index, not for each row of the table.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return None, grad

        The indices are flattened, and the result loses its shape.
        - return weight[indices]
        + return weight[indices.ravel()]
    """,
    "embedding": """
        The vectors are drawn as small numbers, in ignorance of PyTorch's choice.
        - normal_(self.weight)
        + normal_(self.weight, std=0.02)

        The padding's vector is random.
        - if self.padding_idx is not None:
        -     self.weight.detach()[self.padding_idx] = 0.0

        The options are forgotten on the way.
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return embedding(input, self.weight)

        The rows are taken through an index: padding_idx learns, and max_norm is ignored.
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return self.weight[input]
    """,
    "sinusoidal": """
        All sines first, then all cosines.
        + angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + return np.concatenate([np.sin(angles), np.cos(angles)], 1)[:, :dim].astype(np.float32)

        The exponent counts every column, so that sine and cosine of a pair differ in their wave.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (np.arange(dim) / dim)
        ...
        - table[:, 0::2] = np.sin(angles)
        - table[:, 1::2] = np.cos(angles)[:, : dim // 2]
        + table[:, 0::2] = np.sin(angles[:, 0::2])
        + table[:, 1::2] = np.cos(angles[:, 1::2])

        The base is the paper's, whatever was asked for.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / 10000.0 ** (np.arange(0, dim, 2) / dim)

        The angles are float32: at position 20,000 their last digits are gone.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + steps = np.float32(base) ** (-np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim))
        + angles = np.arange(length, dtype=np.float32)[:, None] * steps
    """,
    "learned-positions": """
        Every sequence starts at position 0.
        - return x + rows_for(self.weight, x, start)
        + return x + rows_for(self.weight, x, 0)

        The table is not a Parameter, so it is not learned.
        - self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        + self.weight = normal_(empty(max_length, dim), std=0.02)

        The vectors start as large as the tokens' own, and drown them.
        - self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        + self.weight = Parameter(normal_(empty(max_length, dim)))

        The vectors take the place of what was there.
        - return x + rows_for(self.weight, x, start)
        + return 0 * x + rows_for(self.weight, x, start)
    """,
    "rotary-tables": """
        Sine and cosine are exchanged.
        - return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        + return np.sin(angles).astype(np.float32), np.cos(angles).astype(np.float32)

        The exponent runs over the pairs, so that the angles fall half as fast.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (np.arange(dim // 2) / dim)

        The positions begin at one, and the tables stay float64.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        - return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        + angles = np.arange(1, length + 1)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + return np.cos(angles), np.sin(angles)
    """,
    "rotate": """
        The second half is computed from the first half as it is after turning.
        - output = np.empty_like(x)
        + output = x.copy()
        ...
        - output[..., half:] = first * sin + second * cos
        + output[..., half:] = output[..., :half] * sin + second * cos

        Neighbouring coordinates are taken for pairs.
        - half = x.shape[-1] // 2
        - first, second = x[..., :half], x[..., half:]
        ...
        - output[..., :half] = first * cos - second * sin
        - output[..., half:] = first * sin + second * cos
        + output[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
        + output[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos

        The gradient is turned on, not back.
        - return call(Rotate, grad, cos, -sin), None, None
        + return call(Rotate, grad, cos, sin), None, None

        The gradient passes as it is.
        - return call(Rotate, grad, cos, -sin), None, None
        + return grad, None, None
    """,
}
