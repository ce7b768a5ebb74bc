"""Planted mistakes of module 01: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "infer-dtype": """
        NumPy's float64 for Python's floats.
        + return dtype_of(np.asarray(data).dtype)

        Arrays of float64 become float32 as well.
        + found = np.asarray(data).dtype
        + return get_default_dtype() if found.kind == "f" else dtype_of(found)

        NumPy's numbers lose their types in a list.
        + found = np.asarray(data).dtype
        + from_numpy = isinstance(data, (np.ndarray, np.generic))
        + return dtype_of(found) if from_numpy or found.kind != "f" else get_default_dtype()

        Only the first number is looked at.
        - return functools.reduce(
        -     promote_types, {infer_dtype(part) for part in data} or {get_default_dtype()}
        - )
        + return infer_dtype(data[0]) if len(data) else get_default_dtype()

        float32 written out, whatever the default is.
        - return get_default_dtype()
        + return float32
        ...
        - return functools.reduce(
        -     promote_types, {infer_dtype(part) for part in data} or {get_default_dtype()}
        - )
        + return functools.reduce(promote_types, {infer_dtype(part) for part in data} or {float32})

        Booleans taken for integers, which in Python they are.
        - if isinstance(data, float):
        -     return get_default_dtype()
        - if isinstance(data, int):
        -     return bool_ if isinstance(data, bool) else int64
        + if isinstance(data, (int, float)):
        +     return int64 if isinstance(data, int) else get_default_dtype()
    """,
    "contiguous-strides": """
        Column by column: the first index varies fastest.
        - for n in reversed(shape):
        -     strides.insert(0, step)
        + for n in shape:
        +     strides.append(step)

        A dimension's own length counted into its stride.
        + return tuple(math.prod(max(n, 1) for n in shape[d:]) for d in range(len(shape)))

        A length of zero makes strides of zero.
        + return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))

        In bytes of float32, as NumPy counts.
        + return tuple(4 * math.prod(max(n, 1) for n in shape[d + 1 :]) for d in range(len(shape)))
    """,
    "infer-shape": """
        Rounds down where the lengths do not divide the number of elements.
        - if min(filled, default=0) < 0 or math.prod(filled) != numel:
        + if min(filled, default=0) < 0 or (-1 not in shape and known != numel):

        A complete shape is not checked.
        - if min(filled, default=0) < 0 or math.prod(filled) != numel:
        + if -1 in shape and (not known or numel % known):

        Divides by zero where the other lengths multiply to nothing.
        - found = numel // known if known else -1
        + found = numel // known

        Two negative lengths pass, because their product is positive.
        - if min(filled, default=0) < 0 or math.prod(filled) != numel:
        + if -1 in filled or math.prod(filled) != numel:

        Leaves the -1 where it is.
        - return filled
        + return tuple(shape)
    """,
    "is-viewable": """
        Only contiguous tensors are taken for viewable.
        + return 0 in shape or tuple(strides) == contiguous_strides(shape)

        As many elements are taken to be enough.
        + return math.prod(shape) == math.prod(new_shape)

        Dimensions of length 1 end a run.
        - if n == 1:
        -     continue

        Runs only with steps of 1.
        - if before == n * stride:
        + if before == n * stride and strides[-1] == 1:

        Read from the left, so that the ends of the runs are looked for in the wrong places.
        - itertools.accumulate(reversed(x), operator.mul) for x in (runs, new_shape)
        + itertools.accumulate(x, operator.mul) for x in (reversed(runs), new_shape)

        Any two dimensions whose outer stride is the larger one are joined.
        - runs, before = [], None
        + runs, before = [], 0
        ...
        - if before == n * stride:
        + if before >= n * stride and runs:
    """,
    "broadcast-shapes": """
        Matched from the left.
        - for dim, n in zip(reversed(range(ndim)), reversed(shape)):
        + for dim, n in enumerate(shape):

        The larger length wins, whatever the other is.
        + ndim = max([len(shape) for shape in shapes], default=0)
        + padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
        + return Size(map(max, *padded)) if len(padded) > 1 else Size(*padded)

        The maximum, so that 1 beside 0 becomes 1.
        - result[dim] = n if n != 1 else result[dim]
        + result[dim] = max(n, result[dim])

        Only the first two shapes are looked at.
        - for shape in shapes:
        + for shape in shapes[:2]:

        NumPy's answer and NumPy's kind of error.
        + return Size(np.broadcast_shapes(*shapes))
    """,
    "function-apply": """
        Records whatever happens.
        - if grad_mode.enabled and any(edges):
        -     ctx.record(arrays, output, result)
        + ctx.record(arrays, output, result)

        Does not ask whether gradients are switched on.
        - if grad_mode.enabled and any(edges):
        + if any(edges):

        Every edge leads to the input itself, as if users had made them all.
        - edges.append(x.edge() if is_tensor else None)
        + edges.append((x, 0) if is_tensor and x.requires_grad else None)

        Edges of the tensors only, so that they no longer stand beside their inputs.
        - edges.append(x.edge() if is_tensor else None)
        + if is_tensor:
        +     edges.append(x.edge())

        A tuple with one array in it is taken for the array.
        - return result
        + return result[0] if isinstance(result, tuple) and len(result) == 1 else result

        The tensors themselves are handed to forward.
        - arrays.append(x.array if is_tensor else x)
        + arrays.append(x)
        ...
        - result = (
        -     tuple([wrap(array) for array in output])
        -     if isinstance(output, tuple)
        -     else wrap(output)
        - )
        + result = output

        Records Tensors in place of the arrays that forward took and returned.
        - ctx.record(arrays, output, result)
        + ctx.record(inputs, result, result)
    """,
    "mul": """
        Saves nothing, so there can be no gradient.
        - ctx.save_for_backward(x, y)

        Saves the factors the other way round.
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(y, x)

        A float64 number slips in, and makes float64 of everything.
        - return x * y
        + return x * np.asarray(y, np.float64)

        Matrix product where both are matrices.
        - return x * y
        + return x @ y if np.ndim(x) == np.ndim(y) == 2 and x.shape[1] == y.shape[0] else x * y

        Saves the product in place of the factors.
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(x * y)
    """,
    "exp": """
        Saves the input, as most operations do.
        + ctx.save_for_backward(x)
        + return np.exp(x)

        Computes the exponential twice, once to save it.
        + ctx.save_for_backward(np.exp(x))
        + return np.exp(x)

        Two to the power of x.
        - output = np.exp(x)
        + output = np.exp2(x)

        A power of np.e, which is a float64 number with a type of its own when made an array.
        - output = np.exp(x)
        + output = np.array(np.e) ** np.asarray(x, np.float64)
    """,
    "matmul-naive": """
        The library's product, against which nothing can be tested that uses it.
        + return a @ b

        One loop, and the library in it.
        + return np.array([np.dot(row, b) for row in a], a.dtype).reshape(len(a), b.shape[1])

        b is read along its rows: right only for its transpose.
        - c[i, j] += a[i, k] * b[k, j]
        + c[i, j] += a[i, k] * b[j % inner, k % columns]

        The last product instead of their sum.
        - c[i, j] += a[i, k] * b[k, j]
        + c[i, j] = a[i, k] * b[k, j]

        The result is float64, whatever went in.
        - c = np.zeros((rows, columns), a.dtype)
        + c = np.zeros((rows, columns))

        Stops one short of the inner length.
        - for k in range(inner):
        + for k in range(inner - 1):
    """,
    "matmul": """
        np.dot, which pairs every batch of one with every batch of the other.
        + ctx.save_for_backward(x, y)
        + return np.dot(x, y)

        Saves the rows as it used them, not as they came.
        - ctx.save_for_backward(x, y)
        - if x.ndim > 2 and y.ndim == 2:
        + if x.ndim <= 2 or y.ndim != 2:
        +     ctx.save_for_backward(x, y)
        + else:
        +     ctx.save_for_backward(as_matrix(x), y)

        Forgets to give the batches back.
        - return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        + return as_matrix(x) @ y

        Counts on -1, which means nothing when there are no elements.
        - return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        + return (x.reshape(-1, x.shape[-1]) @ y).reshape(*x.shape[:-1], y.shape[-1])

        Saves nothing, so there can be no gradient.
        - ctx.save_for_backward(x, y)
    """,
    "sum": """
        keepdim is forgotten.
        + return x.sum(axis=ctx.axis, dtype=np.int64 if x.dtype.kind in "bui" else None)

        PyTorch's dim for NumPy's axis: NumPy takes () for no dimension, and no lists.
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=dim, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None

        Integers keep their type, and overflow.
        + return x.sum(axis=ctx.axis, keepdims=keepdim, dtype=x.dtype)

        NumPy's own choice of type, which for bytes is uint64.
        + return x.sum(axis=ctx.axis, keepdims=keepdim)

        Everything is added up in float64.
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=ctx.axis,
        + keepdims=keepdim,
        + dtype=np.int64 if x.dtype.kind in "bui" else np.float64,

        Of several dimensions, only the first is summed.
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=ctx.axis[0] if isinstance(ctx.axis, tuple) else ctx.axis,
        + keepdims=keepdim,
        + dtype=np.int64 if x.dtype.kind in "bui" else None,
    """,
    "var": """
        The short formula, whose digits cancel.
        + ctx.save_for_backward(x)
        + mean = x.sum(axis=ctx.axis, keepdims=keepdim) / count
        + return ((x * x).sum(axis=ctx.axis, keepdims=keepdim) / count - mean * mean) * (
        +     count / ctx.divisor
        + )

        Divides by n, whatever the correction.
        - return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        + return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / count

        The mean of everything, even where only some dimensions are reduced.
        - deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + deviation = x - x.sum() / x.size

        The dimension is kept, whether asked or not.
        - return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        + return (deviation * deviation).sum(axis=ctx.axis, keepdims=True) / ctx.divisor

        Saves the deviations, an array more to keep.
        - ctx.save_for_backward(x)
        ...
          deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + ctx.save_for_backward(deviation)
    """,
    "max": """
        Of equals, the last one.
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + last = np.flip(x, ctx.axis).argmax(axis=ctx.axis, keepdims=keepdim)
        + indices = x.shape[ctx.axis] - 1 - last

        Indices without the dimension that was to be kept.
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + indices = x.argmax(axis=ctx.axis)

        Saves x, as large as it is.
        - ctx.save_for_backward(indices)
        + ctx.save_for_backward(x)

        Indices first.
        - return x.max(axis=ctx.axis, keepdims=keepdim), indices
        + return indices, x.max(axis=ctx.axis, keepdims=keepdim)

        Counts places in the whole array.
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + values = x.max(axis=ctx.axis, keepdims=True)
        + indices = (np.arange(x.size).reshape(x.shape) * (x == values)).max(
        +     axis=ctx.axis, keepdims=keepdim
        + )
    """,
    "along": """
        Picks whole slices instead of single elements.
        + return (slice(None),) * dim + (index,)

        The index always picks along the last dimension.
        - positions[dim] = index
        + positions[-1] = index

        The other dimensions stay at 0, so that every row is the first.
        - positions = list(np.ogrid[tuple(map(slice, index.shape))])
        + positions = [0 * index for _ in index.shape]

        Counting arrays that do not broadcast against each other.
        - positions = list(np.ogrid[tuple(map(slice, index.shape))])
        + positions = [np.arange(n) for n in index.shape]
    """,
}
