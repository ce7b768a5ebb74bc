"""Planted mistakes of module 01: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "contiguous-strides": """
        Counts column by column, so that the first index varies fastest. (hint 1)
        - for n in reversed(shape):
        -     strides.insert(0, step)
        + for n in shape:
        +     strides.append(step)

        The last dimension's stride is its own length, not 1. (hint 2)
        + return tuple(math.prod(max(n, 1) for n in shape[d:]) for d in range(len(shape)))

        A length of zero makes strides of zero. (hint 3)
        + return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))

        Counts in bytes, as NumPy does, not in elements.
        + return tuple(4 * math.prod(max(n, 1) for n in shape[d + 1 :]) for d in range(len(shape)))

        Has strides that are floats, such as `np.prod` of no lengths, 1.0.
        + return tuple(np.prod([max(n, 1) for n in shape[d + 1 :]]) for d in range(len(shape)))

        Sets the last of the strides, where the shape () has none.
        + strides = [0] * len(shape)
        + strides[-1] = 1
        + for d in range(len(shape) - 2, -1, -1):
        +     strides[d] = strides[d + 1] * max(shape[d + 1], 1)
        + return tuple(strides)

        The strides come out in reverse order: that of the last dimension is the first.
        - strides.insert(0, step)
        + strides.append(step)
    """,
    "transposed": """
        Exchanges the lengths, but not the strides. (hint 2)
        - strides[dim0], strides[dim1] = strides[dim1], strides[dim0]

        Exchanges the strides, but not the lengths. (hint 2)
        - shape[dim0], shape[dim1] = shape[dim1], shape[dim0]

        Makes new strides for the new shape, as if the elements had been moved. (hint 1)
        + shape = list(layout.shape)
        + shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
        + return Layout(tuple(shape), contiguous_strides(shape), layout.offset)

        Loses the offset. (hint 3)
        - return Layout(tuple(shape), tuple(strides), layout.offset)
        + return Layout(tuple(shape), tuple(strides))

        Reverses all dimensions, not only the two. (hint 2)
        + return Layout(layout.shape[::-1], layout.strides[::-1], layout.offset)

        Overwrites one of the two strides before it is read, so that both are equal. (hint 2)
        - strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
        + strides[dim0] = strides[dim1]
    """,
    "sliced": """
        Does not move the first element by `start` steps: it stays where it was. (hint 1)
        - return Layout(tuple(shape), tuple(strides), layout.offset + start * layout.strides[dim])
        + return Layout(tuple(shape), tuple(strides), layout.offset)

        Moves the offset by `start` elements, not by `start` steps. (hint 1)
        - return Layout(tuple(shape), tuple(strides), layout.offset + start * layout.strides[dim])
        + return Layout(tuple(shape), tuple(strides), layout.offset + start)

        Uses the new stride for the offset. (hint 3)
        - return Layout(tuple(shape), tuple(strides), layout.offset + start * layout.strides[dim])
        + return Layout(tuple(shape), tuple(strides), layout.offset + start * strides[dim])

        Sets the offset from the front of memory, ignoring the layout's own offset. (hint 3)
        - return Layout(tuple(shape), tuple(strides), layout.offset + start * layout.strides[dim])
        + return Layout(tuple(shape), tuple(strides), start * layout.strides[dim])

        Rounds the length down, so that the last element is lost. (hint 2)
        - shape[dim] = len(range(start, stop, step))
        + shape[dim] = max(stop - start, 0) // step

        Makes a negative length where `stop` comes before `start`. (hint 2)
        - shape[dim] = len(range(start, stop, step))
        + shape[dim] = -((start - stop) // step)

        Does not change the stride, so that nothing is skipped. (hint 2)
        - strides[dim] *= step

        Keeps one element too many where `step` divides `stop - start`. (hint 2)
        - shape[dim] = len(range(start, stop, step))
        + shape[dim] = max((stop - start) // step + 1, 0)
    """,
    "expanded": """
        Gives a stretched dimension a stride other than 0, so that it moves on in memory. (hint 2)
        - if lengths[dim] != n:
        -     strides[dim] = 0

        Gives new dimensions a stride of 1. (hint 2)
        - lengths, strides = list(shape), [0] * new + list(layout.strides)
        + lengths, strides = list(shape), [1] * new + list(layout.strides)
        ...
        - if lengths[dim] != n:
        + if lengths[dim] != n and dim >= new:

        Compares the lengths from the left. (hint 1)
        - for dim, n in enumerate((1,) * new + tuple(layout.shape)):
        + for dim, n in enumerate(tuple(layout.shape) + (1,) * new):

        Stretches a length that is not 1. (hint 2)
        - if lengths[dim] != n and (n != 1 or lengths[dim] < 0):
        + if lengths[dim] < 0:

        Refuses a -1 that should leave a length as it is. (hint 2)
        - if lengths[dim] == -1 and dim >= new:
        + if False:

        Accepts -1 for a new dimension.
        - if lengths[dim] == -1 and dim >= new:
        + if lengths[dim] == -1:

        Accepts a negative length where the existing one is 1.
        - if lengths[dim] != n and (n != 1 or lengths[dim] < 0):
        + if lengths[dim] != n and n != 1:

        Loses the offset.
        - return Layout(tuple(lengths), tuple(strides), layout.offset)
        + return Layout(tuple(lengths), tuple(strides))

        Stretches a length of 0.
        - if lengths[dim] != n and (n != 1 or lengths[dim] < 0):
        + if lengths[dim] != n and (n > 1 or lengths[dim] < 0):

        Refuses to make a length of 1 a length of 0.
        - if lengths[dim] != n and (n != 1 or lengths[dim] < 0):
        + if lengths[dim] != n and (n != 1 or lengths[dim] < 1):

        Names the dimension of the layout, not that of the result.
        - f"size ({n}) at non-singleton dimension {dim}."
        + f"size ({n}) at non-singleton dimension {dim - new}."

        Names the length asked for as the existing one, too.
        - f"size ({n}) at non-singleton dimension {dim}."
        + f"size ({lengths[dim]}) at non-singleton dimension {dim}."

        Raises a ValueError.
        - raise RuntimeError(
        -     f"The expanded size of the tensor ({lengths[dim]}) must match the existing "
        + raise ValueError(
        +     f"The expanded size of the tensor ({lengths[dim]}) must match the existing "
    """,
    "infer-shape": """
        Rounds down where the lengths do not divide the number of elements. (hint 3)
        - if min(filled, default=0) < 0 or math.prod(filled) != numel:
        + if min(filled, default=0) < 0 or (-1 not in shape and known != numel):

        Accepts a shape that holds another number of elements. (hint 3)
        - if min(filled, default=0) < 0 or math.prod(filled) != numel:
        + if -1 in shape and (not known or numel % known):

        Divides by 0 where the other lengths multiply to 0. (hint 2)
        - found = numel // known if known else -1
        + found = numel // known

        Accepts two negative lengths, because their product is positive. (hint 3)
        - if min(filled, default=0) < 0 or math.prod(filled) != numel:
        + if -1 in filled or math.prod(filled) != numel:

        Leaves the -1 where it is. (hint 1)
        - return filled
        + return tuple(shape)

        Has floats for lengths, as `/` gives them: `//` divides integers.
        - found = numel // known if known else -1
        + found = numel / known if known else -1

        Has a float for a length: `np.prod` of no lengths is 1.0.
        - known = math.prod([n for n in shape if n != -1])
        + known = np.prod([n for n in shape if n != -1])

        Raises a ValueError.
        - raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        + raise ValueError(f"shape '{list(shape)}' is invalid for input of size {numel}")

        Refuses to infer a length of 0, where there are no elements.
        - found = numel // known if known else -1
        + found = numel // known if known and numel else -1

        Infers 0 where the other lengths multiply to 0, though any number would fit. (hint 2)
        - found = numel // known if known else -1
        + found = numel // known if known else 0
    """,
    "is-viewable": """
        Treats only contiguous tensors as viewable. (hint 1)
        + return 0 in shape or tuple(strides) == contiguous_strides(shape)

        Accepts shapes of as many elements, even where the strides do not allow them. (hint 3)
        + return math.prod(shape) == math.prod(new_shape)

        Ends a run at a dimension of length 1, which should make no difference. (hint 1)
        - if n == 1:
        -     continue

        Knows only runs with steps of 1. (hint 2)
        - if before == n * stride:
        + if before == n * stride and strides[-1] == 1:

        Multiplies from the left, so that the ends of the runs are in the wrong places. (hint 3)
        - itertools.accumulate(reversed(x), operator.mul) for x in (runs, new_shape)
        + itertools.accumulate(x, operator.mul) for x in (reversed(runs), new_shape)

        Joins any two dimensions whose outer stride is the larger one. (hint 2)
        - runs, before = [], None
        + runs, before = [], 0
        ...
        - if before == n * stride:
        + if before >= n * stride and runs:

        Skips dimensions of stride 0, like those of length 1. (hint 1)
        - if n == 1:
        + if n == 1 or stride == 0:

        Joins to the first run in place of the last. (hint 1)
        - runs[-1] *= n
        + runs[0] *= n

        Leaves runs in pieces: a run goes on as long as `n * stride` is the stride just before. (hint 2)
        - before = stride
        + before = before or stride

        Wants the runs' lengths themselves, or no other ends than those of the runs. (hint 3)
        - return set(ends) <= set(new_ends)
        + return set(ends) == set(new_ends)
    """,
    "broadcast-shapes": """
        Matches the shapes from the left. (hint 2)
        - for dim, n in zip(reversed(range(ndim)), reversed(shape)):
        + for dim, n in enumerate(shape):

        Takes the larger length, so that 1 and 0 become 1. (hint 3)
        + ndim = max([len(shape) for shape in shapes], default=0)
        + padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
        + return Size(map(max, *padded)) if len(padded) > 1 else Size(*padded)

        Takes the larger length, so that 1 and 0 become 1. (hint 3)
        - result[dim] = n if n != 1 else result[dim]
        + result[dim] = max(n, result[dim])

        Uses only the first two shapes. (hint 1)
        - for shape in shapes:
        + for shape in shapes[:2]:

        Raises a ValueError, as NumPy does. (hint 3)
        + return Size(np.broadcast_shapes(*shapes))

        Compares all shapes in one dimension before the next, and so does not name the first that does not match.
        + ndim = max(map(len, shapes), default=0)
        + result = [1] * ndim
        + for dim in reversed(range(ndim)):
        +     for shape in shapes:
        +         n = ((1,) * (ndim - len(shape)) + tuple(shape))[dim]
        +         if n != 1 and result[dim] not in (1, n):
        +             raise RuntimeError(
        +                 f"The size of tensor a ({result[dim]}) must match the size of tensor b ({n}) "
        +                 f"at non-singleton dimension {dim}"
        +             )
        +         result[dim] = n if n != 1 else result[dim]
        + return Size(result)

        Compares a shape only with the one before it, not with the result of all before it. (hint 3)
        + ndim = max(map(len, shapes), default=0)
        + padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
        + for one, other in zip(padded, padded[1:]):
        +     for dim in reversed(range(ndim)):
        +         if one[dim] != other[dim] and 1 not in (one[dim], other[dim]):
        +             raise RuntimeError(
        +                 f"The size of tensor a ({one[dim]}) must match the size of tensor b "
        +                 f"({other[dim]}) at non-singleton dimension {dim}"
        +             )
        + return Size([next((n for n in lengths if n != 1), 1) for lengths in zip(*padded)])

        Does not stretch lengths of 1 of the shape that it begins with. (hint 1)
        - result = [1] * ndim
        + result = list(max(shapes, key=len, default=()))
        ...
        - if n != 1 and result[dim] not in (1, n):
        + if n not in (1, result[dim]):

        Names the first of several dimensions in which b does not match, not the last. (hint 2)
        - for dim, n in zip(reversed(range(ndim)), reversed(shape)):
        + for dim, n in enumerate(shape, ndim - len(shape)):

        Numbers the dimensions as in the shapes up to b, though a later one is longer. (hint 1)
        - f"({n}) at non-singleton dimension {dim}"
        + f"({n}) at non-singleton dimension {dim - ndim + max(map(len, shapes[: shapes.index(shape) + 1]))}"
    """,
    "function-apply": """
        Records a call of which no input requires a gradient. (hint 3)
        - if grad_mode.enabled and any(edges):
        -     ctx.record(arrays, output, result)
        + ctx.record(arrays, output, result)

        Does not check whether gradients are switched on. (hint 3)
        - if grad_mode.enabled and any(edges):
        + if any(edges):

        Makes every edge lead to the input itself, as if users had made them all.
        - edges.append(x.edge() if is_tensor else None)
        + edges.append((x, 0) if is_tensor and x.requires_grad else None)

        Has edges only for the tensors, so that they no longer match the inputs. (hint 1)
        - edges.append(x.edge() if is_tensor else None)
        + if is_tensor:
        +     edges.append(x.edge())

        Treats a tuple with one array as an array. (hint 2)
        - return result
        + return result[0] if isinstance(result, tuple) and len(result) == 1 else result

        Passes the tensors themselves to forward. (hint 1)
        - arrays.append(x.array if is_tensor else x)
        + arrays.append(x)
        ...
        - result = (
        -     tuple([wrap(array) for array in output])
        -     if isinstance(output, tuple)
        -     else wrap(output)
        - )
        + result = output

        Does not give `record` both the arrays that forward took and the very array that it returned.
        - ctx.record(arrays, output, result)
        + ctx.record(inputs, result, result)

        Loses the keyword options on the way to forward.
        - output = quietly(cls.forward, ctx, *arrays, **options)
        + output = quietly(cls.forward, ctx, *arrays)

        Lets NumPy warn of infinities, which are results.
        - output = quietly(cls.forward, ctx, *arrays, **options)
        + output = cls.forward(ctx, *arrays, **options)

        Does not record a call of which an input requires a gradient. (hint 3)
        - if grad_mode.enabled and any(edges):
        + if grad_mode.enabled and all(edges):

        Wraps another array than that which forward returned, such as a copy. (hint 2)
        -     tuple([wrap(array) for array in output])
        -     if isinstance(output, tuple)
        -     else wrap(output)
        +     tuple([tensor(array) for array in output])
        +     if isinstance(output, tuple)
        +     else tensor(output)

        Knows no tensors of classes made from Tensor: `type(x) is Tensor` is False for them.
        - is_tensor = isinstance(x, Tensor)
        + is_tensor = type(x) is Tensor

        Makes arrays of numbers, too, on the way to forward. (hint 1)
        - arrays.append(x.array if is_tensor else x)
        + arrays.append(x.array if is_tensor else np.asarray(x))

        Makes arrays of tensors in the options, which are passed unchanged.
        - ctx = Context(cls, edges)
        + ctx = Context(cls, edges)
        + options = {name: array_of(option) for name, option in options.items()}

        Passes the options by their order, not by their names.
        - output = quietly(cls.forward, ctx, *arrays, **options)
        + output = quietly(cls.forward, ctx, *arrays, *options.values())

        Has edges for the options, too. (hint 1)
        - ctx = Context(cls, edges)
        + edges += [x.edge() if isinstance(x, Tensor) else None for x in options.values()]
        + ctx = Context(cls, edges)

        Has no edges where gradients are switched off: there is one for each input, always.
        - ctx = Context(cls, edges)
        + ctx = Context(cls, edges if grad_mode.enabled else [])

        Gives what forward returned the type of the first input.
        - else wrap(output)
        + else wrap(np.asarray(output, arrays[0].dtype))

        Takes for a tuple what is not an array: forward may return a NumPy number.
        -     tuple([wrap(array) for array in output])
        -     if isinstance(output, tuple)
        -     else wrap(output)
        +     wrap(output)
        +     if isinstance(output, np.ndarray)
        +     else tuple([wrap(array) for array in output])

        Does not ask the second input whether it requires a gradient. (hint 3)
        - if grad_mode.enabled and any(edges):
        + if grad_mode.enabled and any(edges[:1]):

        Does not record a call whose input was made by an operation. (hint 3)
        - if grad_mode.enabled and any(edges):
        + if grad_mode.enabled and any(edge and isinstance(edge[0], Tensor) for edge in edges):

        Records only the first of several results.
        - ctx.record(arrays, output, result)
        + ctx.record(arrays, output, result[0] if isinstance(result, tuple) else result)

        Does not record a call of which nothing was saved. (hint 3)
        - if grad_mode.enabled and any(edges):
        + if grad_mode.enabled and any(edges) and ctx.saved:
    """,
    "mul": """
        Saves nothing, so that there can be no gradient. (hint 2)
        - ctx.save_for_backward(x, y)

        Saves the factors in the wrong order. (hint 2)
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(y, x)

        Multiplies in float64, whatever the type of the arrays. (hint 1)
        - return x * y
        + return np.multiply(x, y, dtype=np.float64)

        Makes an array of the number, which makes everything float64. (hint 1)
        - return x * y
        + return x * np.asarray(y)

        Makes an array of the number, which makes everything float64. (hint 1)
        - return x * y
        + return np.asarray(x) * y

        Computes the matrix product where both are matrices. (hint 1)
        - return x * y
        + return x @ y if np.ndim(x) == np.ndim(y) == 2 and x.shape[1] == y.shape[0] else x * y

        Saves the product in place of the factors. (hint 2)
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(x * y)

        Multiplies in the memory of x, which belongs to the caller.
        - return x * y
        + return np.multiply(x, y, out=x) if np.shape(x) == np.broadcast(x, y).shape else x * y

        Asks x for its type, but x may be the number. (hint 1)
        - return x * y
        + return x * np.asarray(y, x.dtype)

        Saves only the arrays: a number is saved, too.
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(*[factor for factor in (x, y) if isinstance(factor, np.ndarray)])

        Saves the number as an array: it is saved unchanged. (hint 2)
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(np.asarray(x), np.asarray(y))

        Saves the factors as they broadcast, not as they came. (hint 2)
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(*np.broadcast_arrays(x, y))
    """,
    "matmul-naive": """
        Multiplies whole rows or matrices, not one number by another. (hint 2)
        + return a @ b

        Multiplies whole rows or matrices, not one number by another. (hint 2)
        + return np.array([np.dot(row, b) for row in a], a.dtype).reshape(len(a), b.shape[1])

        Reads b along its rows, as if it were transposed. (hint 3)
        - c[i, j] += a[i, k] * b[k, j]
        + c[i, j] += a[i, k] * b[j % inner, k % columns]

        Keeps the last product instead of their sum. (hint 3)
        - c[i, j] += a[i, k] * b[k, j]
        + c[i, j] = a[i, k] * b[k, j]

        Makes a float64 matrix, whatever the type of the factors. (hint 1)
        - c = np.zeros((rows, columns), a.dtype)
        + c = np.zeros((rows, columns))

        Leaves out products at the end of the length that both share.
        - for k in range(inner):
        + for k in range(inner - 1):

        Multiplies whole rows or matrices, not one number by another. (hint 2)
        - for k in range(inner):
        -     c[i, j] += a[i, k] * b[k, j]
        + c[i, j] = (a[i] * b[:, j]).sum()

        Gives the result as many columns as a has: it has those of b. (hint 1)
        - c = np.zeros((rows, columns), a.dtype)
        + c = np.zeros_like(a)

        Reads b along its rows, as if it were transposed. (hint 3)
        - c[i, j] += a[i, k] * b[k, j]
        + c[i, j] += a[i, k] * b[j, k]

        Begins with the first product: where k is 0, there is none. (hint 1)
        - for k in range(inner):
        + c[i, j] = a[i, 0] * b[0, j]
        + for k in range(1, inner):
    """,
    "matmul": """
        Uses np.dot, which pairs every batch of one with every batch of the other. (hint 1)
        + ctx.save_for_backward(x, y)
        + return np.dot(x, y)

        Saves the reshaped rows, not x itself. (hint 1)
        - ctx.save_for_backward(x, y)
        - if x.ndim > 2 and y.ndim == 2:
        + if x.ndim <= 2 or y.ndim != 2:
        +     ctx.save_for_backward(x, y)
        + else:
        +     ctx.save_for_backward(as_matrix(x), y)

        Forgets to restore the batch dimensions. (hint 3)
        - return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        + return as_matrix(x) @ y

        Relies on -1 in a shape, which cannot be inferred without elements. (hint 3)
        - return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        + return (x.reshape(-1, x.shape[-1]) @ y).reshape(*x.shape[:-1], y.shape[-1])

        Saves nothing, so that there can be no gradient. (hint 1)
        - ctx.save_for_backward(x, y)

        Removes a length of 1 that comes from a matrix, not from a vector.
        - return x @ y
        + return np.squeeze(x @ y)

        Saves copies. (hint 1)
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(x.copy(), y.copy())

        Saves nothing in the fast case, that of `as_matrix`. (hint 1)
        - ctx.save_for_backward(x, y)
        + ctx.save_for_backward(*(() if x.ndim > 2 and y.ndim == 2 else (x, y)))
    """,
    "sum": """
        Forgets keepdim. (hint 3)
        + return x.sum(axis=ctx.axis, dtype=np.int64 if x.dtype.kind in "bui" else None)

        Passes PyTorch's dim to NumPy, for which () means no dimension, and which accepts no lists. (hint 3)
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=dim, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None

        Keeps the type of integers, or of some of them, so that their sum overflows. (hint 2)
        + return x.sum(axis=ctx.axis, keepdims=keepdim, dtype=x.dtype)

        Leaves the type to NumPy, which for uint8 takes uint64. (hint 2)
        + return x.sum(axis=ctx.axis, keepdims=keepdim)

        Sums everything in float64. (hint 2)
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=ctx.axis,
        + keepdims=keepdim,
        + dtype=np.int64 if x.dtype.kind in "bui" else np.float64,

        Sums only the first of several dimensions. (hint 3)
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=ctx.axis[0] if isinstance(ctx.axis, tuple) else ctx.axis,
        + keepdims=keepdim,
        + dtype=np.int64 if x.dtype.kind in "bui" else None,

        Returns Python's number, not NumPy's, where all is summed.
        - return x.sum(
        -     axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        - )
        + found = x.sum(
        +     axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + )
        + return found if found.ndim else found.item()

        Removes every length of 1, not only the dimensions that are summed. (hint 3)
        - return x.sum(
        -     axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        - )
        + found = x.sum(
        +     axis=ctx.axis, keepdims=True, dtype=np.int64 if x.dtype.kind in "bui" else None
        + )
        + return found if keepdim else found.squeeze()

        Sums one dimension after the other from the first, which changes the numbers of those to come. (hint 3)
        + found = x.astype(np.int64) if x.dtype.kind in "bui" else x
        + axes = range(x.ndim) if ctx.axis is None else np.atleast_1d(ctx.axis).tolist()
        + for axis in axes:
        +     found = found.sum(axis=axis, keepdims=keepdim)
        + return found

        Takes the dimension 0 for None.
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=ctx.axis or None, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None

        Makes the sum int64, of floats too. (hint 2)
        - axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None
        + axis=ctx.axis, keepdims=keepdim, dtype=np.int64
    """,
    "var": """
        Uses the short formula, whose digits cancel. (hint 3)
        + ctx.save_for_backward(x)
        + mean = x.sum(axis=ctx.axis, keepdims=keepdim) / count
        + return ((x * x).sum(axis=ctx.axis, keepdims=keepdim) / count - mean * mean) * (
        +     count / ctx.divisor
        + )

        Divides by n, whatever the correction. (hint 2)
        - return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        + return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / count

        Takes the mean of everything, even where only some dimensions are reduced. (hint 1)
        - deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + deviation = x - x.sum() / x.size

        Keeps the dimension although `keepdim` is False. (hint 3)
        - return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        + return (deviation * deviation).sum(axis=ctx.axis, keepdims=True) / ctx.divisor

        Saves the deviations, one more array to keep. (hint 3)
        - ctx.save_for_backward(x)
        ...
          deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + ctx.save_for_backward(deviation)

        Subtracts the mean in the caller's memory.
        - deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + x -= x.sum(axis=ctx.axis, keepdims=True) / count
        + deviation = x

        Uses the short formula, whose digits cancel, in float64, too. (hint 3)
        + ctx.save_for_backward(x)
        + wide = x.astype(np.float64)
        + mean = wide.mean(axis=ctx.axis, keepdims=keepdim)
        + square = (wide**2).mean(axis=ctx.axis, keepdims=keepdim)
        + return ((square - mean**2) * count / ctx.divisor).astype(x.dtype)

        Removes every length of 1, not only the dimensions that are reduced. (hint 3)
        - return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        + found = (deviation * deviation).sum(axis=ctx.axis, keepdims=True) / ctx.divisor
        + return found if keepdim else found.squeeze()

        Takes the dimension 0 for None.
        - deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        - return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        + axis = ctx.axis or None
        + deviation = x - x.sum(axis=axis, keepdims=True) / count
        + return (deviation * deviation).sum(axis=axis, keepdims=keepdim) / ctx.divisor

        Takes a mean that does not broadcast against x. (hint 1)
        - deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + deviation = x - x.sum(axis=ctx.axis, keepdims=keepdim) / count

        Divides by `ctx.divisor` for the mean, too: the mean divides by `count`. (hint 2)
        - deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        + deviation = x - x.sum(axis=ctx.axis, keepdims=True) / ctx.divisor
    """,
    "max": """
        Takes the last of several equals. (hint 1)
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + last = np.flip(x, ctx.axis).argmax(axis=ctx.axis, keepdims=keepdim)
        + indices = x.shape[ctx.axis] - 1 - last

        Returns indices without the dimension that should be kept. (hint 1)
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + indices = x.argmax(axis=ctx.axis)

        Saves an array as large as x, not the indices. (hint 2)
        - ctx.save_for_backward(indices)
        + ctx.save_for_backward(x)

        Returns the indices before the values. (hint 3)
        - return x.max(axis=ctx.axis, keepdims=keepdim), indices
        + return indices, x.max(axis=ctx.axis, keepdims=keepdim)

        Counts the places in the whole array, not along the dimension. (hint 1)
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + values = x.max(axis=ctx.axis, keepdims=True)
        + indices = (np.arange(x.size).reshape(x.shape) * (x == values)).max(
        +     axis=ctx.axis, keepdims=keepdim
        + )

        Finds the position by comparing with the maximum, which a NaN does not equal. (hint 1)
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + largest = x.max(axis=ctx.axis, keepdims=True) if x.ndim else x
        + indices = (x == largest).argmax(axis=ctx.axis, keepdims=keepdim)

        Returns values without the dimension that should be kept. (hint 1)
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        - ctx.save_for_backward(indices)
        - return x.max(axis=ctx.axis, keepdims=keepdim), indices
        + indices = x.argmax(axis=ctx.axis)
        + ctx.save_for_backward(indices)
        + return x.max(axis=ctx.axis), indices

        Returns a list. (hint 3)
        - return x.max(axis=ctx.axis, keepdims=keepdim), indices
        + return [x.max(axis=ctx.axis, keepdims=keepdim), indices]

        Returns Python's numbers for the largest of a vector, not NumPy's.
        - indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        - ctx.save_for_backward(indices)
        - return x.max(axis=ctx.axis, keepdims=keepdim), indices
        + indices = x.argmax(axis=ctx.axis, keepdims=keepdim)
        + values = x.max(axis=ctx.axis, keepdims=keepdim)
        + if indices.ndim == 0:
        +     values, indices = values.item(), indices.item()
        + ctx.save_for_backward(indices)
        + return values, indices

        Saves a tuple: `save_for_backward` takes the array itself.
        - ctx.save_for_backward(indices)
        + ctx.save_for_backward((indices,))
    """,
    "along": """
        Picks whole slices instead of single elements. (hint 1)
        + return (slice(None),) * dim + (index,)

        Does not always put the index at position `dim`. (hint 3)
        - positions[dim] = index
        + positions[-1] = index

        Leaves the other dimensions at 0, so that every row is the first. (hint 2)
        - positions = list(np.ogrid[tuple(map(slice, index.shape))])
        + positions = [0 * index for _ in index.shape]

        Counts in arrays that do not broadcast against each other. (hint 2)
        - positions = list(np.ogrid[tuple(map(slice, index.shape))])
        + positions = [np.arange(n) for n in index.shape]

        Counts in three dimensions at most. (hint 2)
        - positions = list(np.ogrid[tuple(map(slice, index.shape))])
        + positions = [np.arange(n).reshape(-1, *(1,) * (index.ndim - d - 1))
        +              for d, n in enumerate(index.shape[:3])]

        Returns a list.
        - return tuple(positions)
        + return positions

        Has lists, in which an index without elements loses its shape.
        - positions = list(np.ogrid[tuple(map(slice, index.shape))])
        + positions = [part.tolist() for part in np.ogrid[tuple(map(slice, index.shape))]]

        Inserts the index, where it is to replace the array at position `dim`. (hint 3)
        - positions[dim] = index
        + positions.insert(dim, index)

        Exchanges rows and columns, as `np.meshgrid` does unless told `indexing="ij"`. (hint 2)
        - positions = list(np.ogrid[tuple(map(slice, index.shape))])
        + positions = list(np.meshgrid(*map(np.arange, index.shape)))
    """,
}
