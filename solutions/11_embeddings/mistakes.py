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

        Made of a list of rows, the array is float64 where there are no indices. (hint 3)
        + rows = [[int(i == c) for c in range(num_classes)] for i in input.array.ravel()]
        + return wrap(np.array(rows).reshape(*input.shape, num_classes))

        An array is returned: `wrap` makes a Tensor of it. (hint 3)
        - return wrap((input.array[..., None] == np.arange(num_classes)).astype(np.int64))
        + return (input.array[..., None] == np.arange(num_classes)).astype(np.int64)

        The indices are flattened, and their dimensions are lost. (hint 2)
        + return wrap(np.eye(num_classes, dtype=np.int64)[input.array.ravel()])

        The new dimension is the second, and has to be the last, as by `[..., None]`. (hint 2)
        + return wrap((input.array[:, None] == np.arange(num_classes)).astype(np.int64))

        With no indices, the length of the rows, -1, cannot be inferred: it is num_classes.
        + rows = np.eye(num_classes, dtype=np.int64)[input.array.ravel()]
        + return wrap(rows.reshape(*input.shape, -1))
    """,
    "lookup-gradient": """
        Of several gradients for a row one survives: even `+=` through an index adds once for each row.
        - return call(IndexAdd, grad, index=indices, shape=shape)
        + output = np.zeros(shape, grad.dtype)
        + output[indices] += grad
        + return output

        A padding_idx of 0 is taken for none.
        - if padding_idx is not None:
        + if padding_idx:

        The counts, of another dtype than the gradient, make float64 of it. (hint 3)
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

        The counts are float32, whatever the gradient is. (hint 3)
        - grad = grad / counts[indices][..., None].astype(dtype)
        + grad = grad / counts[indices][..., None].astype(np.float32)

        One count for each index is put on a stack, which fails without any index: use `np.bincount`. (hint 2)
        - counts = np.bincount(indices.ravel())
        ...
        - grad = grad / counts[indices][..., None].astype(dtype)
        + flat = indices.ravel()
        + counts = np.stack([(flat == i).sum() for i in flat]).reshape(*indices.shape, 1)
        + grad = grad / counts.astype(dtype)

        Every gradient is divided by the number of all indices, not by its own row's. (hint 2)
        - grad = grad / counts[indices][..., None].astype(dtype)
        + grad = grad / indices.size

        Each row is divided by its count, and where that is 0 the result is nan.
        - if scale_grad_by_freq:
        -     counts = np.bincount(indices.ravel())
        -     dtype = getattr(grad, "array", grad).dtype
        -     grad = grad / counts[indices][..., None].astype(dtype)
        - return call(IndexAdd, grad, index=indices, shape=shape)
        + output = call(IndexAdd, grad, index=indices, shape=shape)
        + if scale_grad_by_freq:
        +     counts = np.bincount(indices.ravel(), minlength=shape[0])[:, None]
        +     output = output / counts.astype(getattr(grad, "array", grad).dtype)
        + return output

        `np.bincount` gets indices of several dimensions, and counts flat ones only. (hint 2)
        - counts = np.bincount(indices.ravel())
        + counts = np.bincount(indices)

        Where grad is a Tensor, `grad.dtype` is a dtype that NumPy does not know. (hint 3)
        - dtype = getattr(grad, "array", grad).dtype
        + dtype = grad.dtype

        The counts are those of the table's rows: indexed by the indices, they match the gradients. (hint 3)
        - grad = grad / counts[indices][..., None].astype(dtype)
        + grad = grad / counts[:, None].astype(dtype)

        With a padding_idx, scale_grad_by_freq is ignored.
        - if scale_grad_by_freq:
        + if scale_grad_by_freq and padding_idx is None:
    """,
    "lookup": """
        scale_grad_by_freq does not reach the gradient, and padding_idx may not either. (hint 2)
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        + ctx.options = (weight.shape,)

        The gradients of indices and table are exchanged. (hint 3)
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return lookup_gradient(grad, indices, *ctx.options), None

        The gradient has one row for each index, not for each row of the table.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return None, grad

        The shape that `lookup_gradient` gets is not the table's: keep `weight.shape` in forward. (hint 2)
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return None, lookup_gradient(grad, indices, grad.shape, *ctx.options[1:])

        The indices are flattened, and the result loses its shape. (hint 1)
        - return weight[indices]
        + return weight[indices.ravel()]

        The table is saved too, and kept alive without need. (hint 2)
        - ctx.save_for_backward(indices)
        + ctx.save_for_backward(indices, weight)
        ...
        - (indices,) = ctx.saved_tensors
        + indices, _ = ctx.saved_tensors

        The padding's rows become zero in forward: padding_idx is of the gradient only.
        - return weight[indices]
        + rows = weight[indices]
        + if padding_idx is not None:
        +     rows[indices == padding_idx] = 0
        + return rows

        A padding_idx of 0 does not reach the gradient, as if it were none.
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        + ctx.options = weight.shape, padding_idx or None, scale_grad_by_freq

        padding_idx does not reach the gradient. (hint 3)
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        + ctx.options = weight.shape, None, scale_grad_by_freq

        padding_idx and scale_grad_by_freq are exchanged on the way to the gradient.
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        + ctx.options = weight.shape, scale_grad_by_freq, padding_idx

        The indices are an attribute: nobody notices when they change in place before backward. (hint 2)
        - ctx.save_for_backward(indices)
        + ctx.indices = indices
        ...
        - (indices,) = ctx.saved_tensors
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return None, lookup_gradient(grad, ctx.indices, *ctx.options)

        The table is an attribute, and kept alive: its shape is enough. (hint 2)
        - ctx.options = weight.shape, padding_idx, scale_grad_by_freq
        + ctx.weight, ctx.options = weight, (padding_idx, scale_grad_by_freq)
        ...
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return None, lookup_gradient(grad, indices, ctx.weight.shape, *ctx.options)

        The rows are saved too, as large as the result. (hint 2)
        - ctx.save_for_backward(indices)
        + ctx.save_for_backward(indices, weight[indices])
        ...
        - (indices,) = ctx.saved_tensors
        + indices, _ = ctx.saved_tensors

        With no indices, the length of the rows, -1, cannot be inferred. (hint 1)
        - return weight[indices]
        + return weight[indices.ravel()].reshape(*indices.shape, -1)

        With no indices there is nothing to put on a stack. (hint 1)
        - return weight[indices]
        + return np.stack([weight[i] for i in indices.ravel()]).reshape(*indices.shape, -1)

        The indices get a gradient, where None is right.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return np.zeros(indices.shape), lookup_gradient(grad, indices, *ctx.options)

        The table gets None: whether it needs a gradient is `ctx.needs_input_grad[1]`. (hint 3)
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + if not ctx.needs_input_grad[0]:
        +     return None, None
        + return None, lookup_gradient(grad, indices, *ctx.options)

        An array is returned, not a tuple: the indices need a None before it. (hint 3)
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return lookup_gradient(grad, indices, *ctx.options)

        Nothing is returned.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + lookup_gradient(grad, indices, *ctx.options)

        The gradients are in a list: PyTorch, too, accepts a tuple only.
        - return None, lookup_gradient(grad, indices, *ctx.options)
        + return [None, lookup_gradient(grad, indices, *ctx.options)]
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

        padding_idx, at least, does not reach `embedding`. (hint 3)
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return embedding(input, self.weight)

        max_norm does not reach `embedding`, and other options may not either. (hint 3)
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return embedding(input, self.weight, self.padding_idx)

        norm_type does not reach `embedding`, and so it is 2. (hint 3)
        - norm, scale = (self.max_norm, self.norm_type), self.scale_grad_by_freq
        + norm, scale = (self.max_norm, 2.0), self.scale_grad_by_freq

        `reset_parameters` is not called by `__init__`, or does not draw by `normal_`. (hint 1)
        - self.reset_parameters()

        The rows are taken by plain indexing: padding_idx gets a gradient, and max_norm is ignored. (hint 3)
        - return embedding(input, self.weight, self.padding_idx, *norm, scale, self.sparse)
        + return self.weight[input]

        `reset_parameters` leaves the padding as it was drawn.
        - self.reset_parameters()
        + self.reset_parameters()
        + if padding_idx is not None:
        +     self.weight.detach()[padding_idx] = 0.0
        ...
        - normal_(self.weight)
        - if self.padding_idx is not None:
        -     self.weight.detach()[self.padding_idx] = 0.0
        + normal_(self.weight)

        A lookup sets the padding's vector to zero, even in a table that was given. (hint 3)
        - norm, scale = (self.max_norm, self.norm_type), self.scale_grad_by_freq
        + if self.padding_idx is not None:
        +     self.weight.detach()[self.padding_idx] = 0.0
        + norm, scale = (self.max_norm, self.norm_type), self.scale_grad_by_freq

        `reset_parameters` makes a new Parameter, not new numbers in the old one. (hint 2)
        - normal_(self.weight)
        + shape, kind = self.weight.shape, self.weight.dtype
        + learned = self.weight.requires_grad
        + self.weight = Parameter(normal_(empty(*shape, dtype=kind)), requires_grad=learned)

        The table is not a Parameter, so it is not learned. (hint 1)
        - self.weight = Parameter(
        -     empty(num_embeddings, embedding_dim, device=device, dtype=dtype),
        -     requires_grad=not _freeze,
        - )
        + self.weight = empty(num_embeddings, embedding_dim, device=device, dtype=dtype)

        `_freeze` does not reach the Parameter.
        - requires_grad=not _freeze,
        + requires_grad=True,
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

        Sine and cosine are exchanged. (hint 3)
        - table[:, 0::2] = np.sin(angles)
        - table[:, 1::2] = np.cos(angles)[:, : dim // 2]
        + table[:, 0::2] = np.cos(angles)
        + table[:, 1::2] = np.sin(angles)[:, : dim // 2]

        The exponent of wave i is i / dim, not 2 i / dim. (hint 2)
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (np.arange((dim + 1) // 2) / dim)

        The exponent of wave i is 4 i / dim, not 2 i / dim. (hint 2)
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (2 * np.arange(0, dim, 2) / dim)

        The positions begin at one.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(1, length + 1)[:, None] / base ** (np.arange(0, dim, 2) / dim)

        Where dim is odd, there is one cosine more than columns for it. (hint 3)
        - table[:, 1::2] = np.cos(angles)[:, : dim // 2]
        + table[:, 1::2] = np.cos(angles)

        A Tensor is returned, not an array.
        - return table
        + return wrap(table)

        With no positions, the number of columns, -1, cannot be inferred: it is dim.
        + angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(length, -1)
        + return table[:, :dim].astype(np.float32)
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

        x is not added: what is returned has the shape of the rows alone, (T, D). (hint 3)
        - return x + rows_for(self.weight, x, start)
        + return rows_for(self.weight, x, start)

        x may have any number of dimensions, and T is the last but one: `x.shape[-2]`. (hint 3)
        - return x + rows_for(self.weight, x, start)
        + return x + self.weight[start : start + x.shape[1]]

        The input is changed in place.
        - return x + rows_for(self.weight, x, start)
        + x += rows_for(self.weight, x, start)
        + return x

        The vectors are drawn from a uniform distribution, not from a normal one. (hint 2)
        - self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        + limit = 0.02 * 3**0.5
        + self.weight = Parameter(empty(max_length, dim).uniform_(-limit, limit))

        The vectors get no gradient, as after `detach` or with requires_grad=False.
        - return x + rows_for(self.weight, x, start)
        + return x + rows_for(self.weight.detach(), x, start)

        No error is raised where too few rows are left: `rows_for` checks it. (hint 3)
        - return x + rows_for(self.weight, x, start)
        + return x + self.weight[start : start + x.shape[-2]]

        The two dimensions are exchanged. (hint 1)
        - self.weight = Parameter(normal_(empty(max_length, dim), std=0.02))
        + self.weight = Parameter(normal_(empty(dim, max_length), std=0.02))
    """,
    "rotary-tables": """
        The first of the two tables is the sine, not the cosine. (hint 3)
        - return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        + return np.sin(angles).astype(np.float32), np.cos(angles).astype(np.float32)

        The exponent of pair i is i / dim, not 2 i / dim.
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

        Positions and speeds are float32: their products have lost digits at position 20,000. (hint 2)
        + speeds = (base ** (-2 * np.arange(dim // 2) / dim)).astype(np.float32)
        + angles = np.arange(length, dtype=np.float32)[:, None] * speeds
        + return np.cos(angles), np.sin(angles)

        The positions are multiplied by the powers of the base, not divided.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] * base ** (np.arange(0, dim, 2) / dim)

        The base is always 10000.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / 10000.0 ** (np.arange(0, dim, 2) / dim)

        The exponent of pair i is 4 i / dim, not 2 i / dim.
        - angles = np.arange(length)[:, None] / base ** (np.arange(0, dim, 2) / dim)
        + angles = np.arange(length)[:, None] / base ** (2 * np.arange(0, dim, 2) / dim)

        Tensors are returned, not arrays. (hint 2)
        - return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        + return tuple(wrap(f(angles).astype(np.float32)) for f in (np.cos, np.sin))
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

        The pairs are rotated the other way.
        - output[..., :half] = first * cos - second * sin
        - output[..., half:] = first * sin + second * cos
        + output[..., :half] = first * cos + second * sin
        + output[..., half:] = second * cos - first * sin

        More than the two tables is saved, such as x, which backward does not need. (hint 2)
        - ctx.save_for_backward(cos, sin)
        + ctx.save_for_backward(x, cos, sin)
        ...
        - cos, sin = ctx.saved_tensors
        + _, cos, sin = ctx.saved_tensors

        The tables are attributes, not saved: a second backward would not be refused. (hint 2)
        - ctx.save_for_backward(cos, sin)
        + ctx.cos, ctx.sin = cos, sin
        ...
        - cos, sin = ctx.saved_tensors
        + cos, sin = ctx.cos, ctx.sin

        The tables get a gradient, where None is right. (hint 3)
        - return call(Rotate, grad, cos, -sin), None, None
        + return call(Rotate, grad, cos, -sin), cos * 0, sin * 0

        A Tensor is returned for an array, as `apply` does and `call` does not. (hint 3)
        - return call(Rotate, grad, cos, -sin), None, None
        + return Rotate.apply(grad, cos, -sin), None, None

        backward computes with NumPy, as forward does: `call` applies Rotate to Tensors too. (hint 3)
        - return call(Rotate, grad, cos, -sin), None, None
        + return Rotate.forward(Context(), grad, cos, -sin), None, None

        The sine is negated in place: the table belongs to the caller, too. (hint 3)
        - return call(Rotate, grad, cos, -sin), None, None
        + return call(Rotate, grad, cos, np.negative(sin, out=sin)), None, None

        An array is returned, not a tuple: the two tables need a None each. (hint 3)
        - return call(Rotate, grad, cos, -sin), None, None
        + return call(Rotate, grad, cos, -sin)

        Nothing is returned.
        - return call(Rotate, grad, cos, -sin), None, None
        + call(Rotate, grad, cos, -sin)
    """,
}
