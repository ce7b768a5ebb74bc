"""Other right answers of module 01: with each in its stub, the tests of the stub pass."""

ANSWERS = {
    "contiguous-strides": """
        Each stride as a product of its own.
        + strides = []
        + for dim in range(len(shape)):
        +     strides.append(math.prod(max(n, 1) for n in shape[dim + 1 :]))
        + return tuple(strides)
    """,
    "transposed": """
        By the order of the dimensions.
        + order = list(range(len(layout.shape)))
        + order[dim0], order[dim1] = dim1, dim0
        + shape = tuple(layout.shape[d] for d in order)
        + return Layout(shape, tuple(layout.strides[d] for d in order), layout.offset)
    """,
    "sliced": """
        Only what changes is replaced, and the length is rounded up.
        + length = max(0, -(-(stop - start) // step))
        + before, after = layout.shape[:dim], layout.shape[dim + 1 :]
        + stride = layout.strides[dim]
        + strides = (*layout.strides[:dim], step * stride, *layout.strides[dim + 1 :])
        + offset = layout.offset + stride * start if length else layout.offset
        + return Layout((*before, length, *after), strides, offset)
    """,
    "expanded": """
        From the right, with the refusals first.
        + old, steps = list(layout.shape), list(layout.strides)
        + if len(shape) < len(old):
        +     raise RuntimeError(
        +         f"expand: the number of sizes provided ({len(shape)}) must be greater or equal "
        +         f"to the number of dimensions in the tensor ({len(old)})"
        +     )
        + lengths, strides = [], []
        + for dim in reversed(range(len(shape))):
        +     wanted, own = shape[dim], bool(old)
        +     n, step = (old.pop(), steps.pop()) if own else (1, 0)
        +     if own and wanted in (-1, n):
        +         wanted = n
        +     elif n != 1 or wanted < 0:
        +         raise RuntimeError(
        +             f"The expanded size of the tensor ({wanted}) must match the existing size "
        +             f"({n}) at non-singleton dimension {dim}.  Target sizes: {list(shape)}."
        +         )
        +     else:
        +         step = 0
        +     lengths.insert(0, wanted)
        +     strides.insert(0, step)
        + return Layout(tuple(lengths), tuple(strides), layout.offset)
    """,
    "infer-shape": """
        Each case for itself.
        + lengths = list(shape)
        + wrong = RuntimeError(f"shape '{lengths}' is invalid for input of size {numel}")
        + if lengths.count(-1) > 1:
        +     raise RuntimeError("only one dimension can be inferred")
        + if any(n < -1 for n in lengths):
        +     raise wrong
        + if -1 in lengths:
        +     place = lengths.index(-1)
        +     rest = math.prod(lengths[:place] + lengths[place + 1 :])
        +     if rest == 0 or numel % rest:
        +         raise wrong
        +     lengths[place] = numel // rest
        + elif math.prod(lengths) != numel:
        +     raise wrong
        + return tuple(lengths)
    """,
    "is-viewable": """
        From the right, each run used up by lengths of the new shape.
        + if 0 in shape:
        +     return True
        + dims = [(n, stride) for n, stride in zip(shape, strides) if n != 1]
        + lengths = list(new_shape)
        + while dims:
        +     run, stride = dims.pop()
        +     while dims and dims[-1][1] == run * stride if dims and stride else False:
        +         run *= dims.pop()[0]
        +     while not stride and dims and not dims[-1][1]:
        +         run *= dims.pop()[0]
        +     used = 1
        +     while used < run and lengths:
        +         used *= lengths.pop()
        +     if used != run:
        +         return False
        + return True
    """,
    "broadcast-shapes": """
        All lengths of a dimension at once.
        + ndim = max(map(len, shapes), default=0)
        + result = [1] * ndim
        + for shape in shapes:
        +     padded = [1] * (ndim - len(shape)) + list(shape)
        +     for dim in range(ndim - 1, -1, -1):
        +         a, b = result[dim], padded[dim]
        +         if a == 1:
        +             result[dim] = b
        +         elif b not in (1, a):
        +             raise RuntimeError(
        +                 f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
        +                 f"non-singleton dimension {dim}"
        +             )
        + return Size(result)
    """,
    "function-apply": """
        By comprehensions, and recorded before it is returned.
        + arrays = [x.array if isinstance(x, Tensor) else x for x in inputs]
        + edges = [x.edge() if isinstance(x, Tensor) else None for x in inputs]
        + ctx = Context(cls, edges)
        + output = quietly(cls.forward, ctx, *arrays, **options)
        + several = isinstance(output, tuple)
        + result = tuple(map(wrap, output)) if several else wrap(output)
        + wanted = [edge for edge in edges if edge is not None]
        + if wanted and grad_mode.enabled:
        +     ctx.record(arrays, output, result)
        + return result
    """,
    "mul": """
        By NumPy's function.
        + ctx.save_for_backward(x, y)
        + return np.multiply(x, y)
    """,
    "matmul-naive": """
        A sum of Python's for each element.
        + n, m = len(a), b.shape[1]
        + c = np.empty((n, m), a.dtype)
        + for i in range(n):
        +     for j in range(m):
        +         total = a.dtype.type(0)
        +         for k in range(a.shape[1]):
        +             total = total + a[i, k] * b[k, j]
        +         c[i, j] = total
        + return c
    """,
    "matmul": """
        NumPy's product, which is right in every case.
        + ctx.save_for_backward(x, y)
        + return np.matmul(x, y)
    """,
    "sum": """
        The type chosen first.
        + kind = x.dtype if x.dtype.kind == "f" else np.dtype(np.int64)
        + return np.sum(x, axis=ctx.axis, keepdims=keepdim, dtype=kind)
    """,
    "var": """
        By NumPy's mean.
        + ctx.save_for_backward(x)
        + squares = np.square(x - np.mean(x, axis=ctx.axis, keepdims=True))
        + return np.sum(squares, axis=ctx.axis, keepdims=keepdim) / ctx.divisor
    """,
    "max": """
        The values picked at their places.
        + places = np.expand_dims(x.argmax(axis=ctx.axis), ctx.axis) if x.ndim else x.argmax()
        + values = np.take_along_axis(x, places, ctx.axis) if x.ndim else x
        + if x.ndim and not keepdim:
        +     values, places = values.squeeze(ctx.axis), places.squeeze(ctx.axis)
        + ctx.save_for_backward(np.asarray(places))
        + return values, ctx.saved_tensors[0]
    """,
    "along": """
        Counting arrays by NumPy's function for indices of a whole shape.
        + places = list(np.indices(index.shape))
        + places[dim] = index
        + return tuple(places)
    """,
}
