"""Other right answers to the stubs of module 11: their tests pass with each."""

ANSWERS = {
    "one-hot": """
        Rows of the identity matrix.
        + return wrap(np.eye(num_classes, dtype=np.int64)[input.array])

        Zeros, into which the ones are put.
        + rows = np.zeros((*input.shape, num_classes), np.int64)
        + np.put_along_axis(rows, input.array[..., None], 1, axis=-1)
        + return wrap(rows)
    """,
    "lookup-gradient": """
        One factor for each occurrence, and one product.
        + factor = np.ones(indices.shape)
        + if scale_grad_by_freq:
        +     _, places, counts = np.unique(indices, return_inverse=True, return_counts=True)
        +     factor /= counts[places].reshape(indices.shape)
        + if padding_idx is not None:
        +     factor = np.where(indices == padding_idx, 0, factor)
        + dtype = getattr(grad, "array", grad).dtype
        + return call(IndexAdd, grad * factor[..., None].astype(dtype), index=indices, shape=shape)
    """,
    "lookup": """
        Rows by `take`; the options one by one.
          check_indices(indices, weight)
          ### BEGIN SOLUTION
        - ctx.save_for_backward(indices)
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        - return weight[indices]
        + ctx.save_for_backward(indices)
        + ctx.shape, ctx.padding, ctx.scale = weight.shape, padding_idx, scale_grad_by_freq
        + return np.take(weight, indices, axis=0)
        ...
        - (indices,) = ctx.saved_tensors
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + indices = ctx.saved_tensors[0]
        + grad = lookup_gradient(
        +     grad, indices, ctx.shape, padding_idx=ctx.padding, scale_grad_by_freq=ctx.scale
        + )
        + return None, grad

        No gradient where none is needed, and a None for each option.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + if not ctx.needs_input_grad[1]:
        +     return None, None, None, None
        + return None, lookup_gradient(grad, indices, *ctx.options), None, None
    """,
    "embedding": """
        Drawn into memory that is made like the table; all options by name.
        - self.weight = Parameter(
        -     empty(num_embeddings, embedding_dim, device=device, dtype=dtype),
        -     requires_grad=not _freeze,
        - )
        - self.reset_parameters()
        + weight = empty((num_embeddings, embedding_dim), dtype=dtype, device=device)
        + self.weight = Parameter(weight)
        + self.reset_parameters()
        + self.weight.requires_grad_(not _freeze)
        ...
        - normal_(self.weight)
        - if self.padding_idx is not None:
        -     self.weight.detach()[self.padding_idx] = 0.0
        + weight = normal_(self.weight.detach(), mean=0.0, std=1.0)
        + if self.padding_idx is not None:
        +     weight[self.padding_idx].fill_(0)
        ...
        - norm, scale = (self.max_norm, self.norm_type), self.scale_grad_by_freq
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return embedding(
        +     input,
        +     weight=self.weight,
        +     padding_idx=self.padding_idx,
        +     max_norm=self.max_norm,
        +     norm_type=self.norm_type,
        +     scale_grad_by_freq=self.scale_grad_by_freq,
        +     sparse=self.sparse,
        + )
    """,
    "sinusoidal": """
        Column by column.
        + positions, columns = np.arange(length), []
        + for column in range(dim):
        +     angles = positions / base ** (2 * (column // 2) / dim)
        +     columns.append(np.cos(angles) if column % 2 else np.sin(angles))
        + return np.stack(columns, axis=1).astype(np.float32)

        Imaginary and real parts of one exponential.
        + rates = np.exp(-np.log(base) * np.arange(0, dim, 2) / dim)
        + waves = np.exp(1j * np.outer(np.arange(length), rates))
        + table = np.stack([waves.imag, waves.real], axis=-1).reshape(length, 2 * len(rates))
        + return table[:, :dim].astype(np.float32)
    """,
    "learned-positions": """
        Drawn into the parameter; positions added on the right.
        - self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        + self.weight = Parameter(empty((max_length, dim)))
        + normal_(self.weight, 0.0, 0.02)
        ...
        - return x + rows_for(self.weight, x, start)
        + return rows_for(self.weight, x, start) + x

        Its own check, and another error.
        - return x + rows_for(self.weight, x, start)
        + if start + x.shape[-2] > len(self.weight):
        +     raise ValueError("the sequence is too long")
        + return x + self.weight[start : start + x.shape[-2]]
    """,
    "rotary-tables": """
        The columns of an outer product, by a power of the base that is negative.
        + rates = np.float64(base) ** (-2.0 * np.arange(dim // 2) / dim)
        + turns = np.outer(np.arange(length, dtype=np.float64), rates)
        + return np.float32(np.cos(turns)), np.float32(np.sin(turns))
    """,
    "rotate": """
        By concatenation, with the sine saved as it will be used.
        - ctx.save_for_backward(cos, sin)
        - half = x.shape[-1] // 2
        - first, second = x[..., :half], x[..., half:]
        - output = np.empty_like(x)
        - output[..., :half] = first * cos - second * sin
        - output[..., half:] = first * sin + second * cos
        - return output
        + ctx.save_for_backward(cos, -sin)
        + a, b = np.split(x, 2, axis=-1)
        + return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1).astype(x.dtype)
        ...
        - cos, sin = ctx.saved_tensors
        - return call(Rotate, grad, cos, -sin), None, None
        + return call(Rotate, grad, *ctx.saved_tensors), None, None
    """,
}
