"""Planted mistakes of module 11: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "one-hot": """
        The rows are floating point numbers. (hint 3)
        - return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.int64))
        + return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.float64))

        The classes come first, not last. (hint 2)
        - return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.int64))
        + rows = (input.array[..., None] == np.arange(num_classes)).astype(np.int64)
        + return wrap(np.moveaxis(rows, -1, 0))

        Every class up to the index is marked. (hint 1)
        + return wrap((input.array[..., None] >= np.arange(num_classes)).astype(np.int64))
    """,
    "lookup-gradient": """
        `+=` through an index adds once for each row: of several gradients for it, one survives.
        - return call(IndexAdd, grad, index=indices, shape=shape)
        + output = np.zeros(shape, grad.dtype)
        + output[indices] += grad
        + return output

        A padding_idx of 0 is taken for none.
        - if padding_idx is not None:
        + if padding_idx:

        The counts are whole numbers, which make float64 of the gradient. (hint 3)
        - grad = grad / counts[indices][..., None].astype(dtype)
        + grad = grad / counts[indices][..., None]

        The padding's gradients are set to zero in the caller's own array. (hint 1)
        - grad = grad * (indices != padding_idx)[..., None]
        + grad[indices == padding_idx] = 0

        The gradient is multiplied by the frequency, not divided.
        - grad = grad / counts[indices][..., None].astype(dtype)
        + grad = grad * counts[indices][..., None].astype(dtype)

        The sum is computed outside autograd, so there is no second derivative.
        - return call(IndexAdd, grad, index=indices, shape=shape)
        + output = np.zeros(shape, getattr(grad, "array", grad).dtype)
        + np.add.at(output, indices, getattr(grad, "array", grad))
        + return output
    """,
    "lookup": """
        scale_grad_by_freq, at least, does not reach the gradient. (hint 2)
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        + ctx.options = (weight.shape,)

        The gradients of indices and table are exchanged. (hint 3)
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return lookup_gradient(grad, indices, *ctx.options), None

        The gradient has one row for each index, not for each row of the table.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return None, grad

        The indices are flattened, and the result loses its shape. (hint 1)
        - return weight[indices]
        + return weight[indices.ravel()]

        The table is saved too, and kept alive without need. (hint 2)
        - ctx.save_for_backward(indices)
        + ctx.save_for_backward(indices, weight)
        ...
        - (indices,) = ctx.saved_tensors
        + indices, _ = ctx.saved_tensors
    """,
    "embedding": """
        The vectors are drawn smaller than PyTorch's. (hint 2)
        - normal_(self.weight)
        + normal_(self.weight, std=0.02)

        The padding's vector is not zero. (hint 2)
        - if self.padding_idx is not None:
        -     self.weight.detach()[self.padding_idx] = 0.0

        A padding_idx of 0 is taken for none.
        - if self.padding_idx is not None:
        -     self.weight.detach()[self.padding_idx] = 0.0
        + if self.padding_idx:
        +     self.weight.detach()[self.padding_idx] = 0.0

        The requested dtype is ignored.
        - empty(num_embeddings, embedding_dim, device=device, dtype=dtype),
        + empty(num_embeddings, embedding_dim),

        The options do not reach `embedding`. (hint 3)
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return embedding(input, self.weight)

        The rows are taken by plain indexing: padding_idx gets a gradient, and max_norm is ignored. (hint 3)
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return self.weight[input]
    """,
    "sinusoidal": """
        All sines come first, then all cosines. (hint 3)
        + angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + return np.concatenate([np.sin(angles), np.cos(angles)], 1)[:, :dim].astype(np.float32)

        The exponent counts every column, so that the sine and the cosine of a pair have different waves. (hint 2)
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (np.arange(dim) / dim)
        ...
        - table[:, 0::2] = np.sin(angles)
        - table[:, 1::2] = np.cos(angles)[:, : dim // 2]
        + table[:, 0::2] = np.sin(angles[:, 0::2])
        + table[:, 1::2] = np.cos(angles[:, 1::2])

        The base is always 10000.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / 10000.0 ** (np.arange(0, dim, 2) / dim)

        The angles are float32: at position 20,000 their last digits are gone. (hint 2)
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + steps = np.float32(base) ** (-np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim))
        + angles = np.arange(length, dtype=np.float32)[:, None] * steps
    """,
    "learned-positions": """
        Every sequence starts at position 0. (hint 3)
        - return x + rows_for(self.weight, x, start)
        + return x + rows_for(self.weight, x, 0)

        The table is not a Parameter, so it is not learned. (hint 1)
        - self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        + self.weight = normal_(empty(max_length, dim), std=0.02)

        The vectors start as large as those of the tokens. (hint 2)
        - self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        + self.weight = Parameter(normal_(empty(max_length, dim)))

        The vectors of the positions replace the input. (hint 3)
        - return x + rows_for(self.weight, x, start)
        + return 0 * x + rows_for(self.weight, x, start)

        The input is changed in place.
        - return x + rows_for(self.weight, x, start)
        + x += rows_for(self.weight, x, start)
        + return x
    """,
    "rotary-tables": """
        Sine and cosine are exchanged. (hint 3)
        - return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        + return np.sin(angles).astype(np.float32), np.cos(angles).astype(np.float32)

        The exponent runs over the pairs, so that the angles fall half as fast.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (np.arange(dim // 2) / dim)

        The positions begin at one.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(1, length + 1)[:, None] / base ** (np.arange(0, dim, 2) / dim)

        The tables stay float64. (hint 2)
        - return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        + return np.cos(angles), np.sin(angles)

        The angles are float32: at position 20,000 their last digits are gone. (hint 2)
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = angles.astype(np.float32)
    """,
    "rotate": """
        The second half is computed from the already rotated first half.
        - output = np.empty_like(x)
        + output = x.copy()
        ...
        - output[..., half:] = first * sin + second * cos
        + output[..., half:] = output[..., :half] * sin + second * cos

        Neighbouring coordinates are taken for pairs. (hint 1)
        - half = x.shape[-1] // 2
        - first, second = x[..., :half], x[..., half:]
        ...
        - output[..., :half] = first * cos - second * sin
        - output[..., half:] = first * sin + second * cos
        + output[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
        + output[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos

        The gradient is rotated forward again, not back. (hint 3)
        - return call(Rotate, grad, cos, -sin), None, None
        + return call(Rotate, grad, cos, sin), None, None

        The gradient is not rotated at all. (hint 3)
        - return call(Rotate, grad, cos, -sin), None, None
        + return grad, None, None

        The result has the dtype of x and the tables together, not that of x. (hint 1)
        - output = np.empty_like(x)
        - output[..., :half] = first * cos - second * sin
        - output[..., half:] = first * sin + second * cos
        + output = np.concatenate([first * cos - second * sin, first * sin + second * cos], -1)
    """,
}
