"""Planted mistakes of module 06: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "by-hand": """
        The ReLU passes every gradient, even where its input was negative. (hint 3)
        - grad_a = (grad_y @ W2.T) * (a > 0)
        + grad_a = grad_y @ W2.T

        The mean is over the rows only, so every gradient is C times too large. (hint 3)
        - grad_y = 2 / y.size * (y - target)
        + grad_y = 2 / len(y) * (y - target)

        The activations before the ReLU are used in place of those after it. (hint 3)
        - return x.T @ grad_a, h.T @ grad_y
        + return x.T @ grad_a, a.T @ grad_y

        The gradient of the mean has the 2 of the square, but is not divided by N. (hint 3)
        - grad_y = 2 / y.size * (y - target)
        + grad_y = 2 * (y - target)

        The gradient of y is half as large as it should be: the 2 of the square is missing, or N is not that of y.
        - grad_y = 2 / y.size * (y - target)
        + grad_y = (y - target) / y.size

        The sign is wrong, as of target - y in place of y - target.
        - grad_y = 2 / y.size * (y - target)
        + grad_y = 2 / y.size * (target - y)
    """,
    "unbroadcast": """
        Only the missing dimensions are summed; those of length 1 stay stretched. (hint 2)
        + return grad.sum(axis=tuple(range(grad.ndim - len(shape))))

        The dimensions are dropped by taking their first element in place of the sum. (hint 2)
        + while grad.ndim > len(shape):
        +     grad = grad[0]
        + for d, n in enumerate(shape):
        +     if n == 1:
        +         grad = grad.take([0], axis=d)
        + return grad

        The shapes are aligned at their first dimension, so a square gradient is summed over the wrong side. (hint 1)
        + axes = tuple(
        +     d
        +     for d in range(grad.ndim)
        +     if d >= len(shape) or (shape[d] == 1 and grad.shape[d] != 1)
        + )
        + return grad.sum(axis=axes).reshape(shape) if axes else grad

        The mean is taken in place of the sum. (hint 2)
        - return (grad.sum(axis=axes, keepdims=True) if axes else grad).reshape(shape)
        + return (grad.mean(axis=axes, keepdims=True) if axes else grad).reshape(shape)

        A NumPy function does the sum, which turns a Tensor into an array without a graph.
        - return (grad.sum(axis=axes, keepdims=True) if axes else grad).reshape(shape)
        + grad = getattr(grad, "array", grad)
        + return (np.sum(grad, axis=axes, keepdims=True) if axes else grad).reshape(shape)

        Where dimensions are missing, the lengths of 1 are searched in the wrong places. (hint 2)
        - d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1
        + d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d] != 1

        The number of a dimension in `shape` is used for `grad`, though `grad` has more dimensions in front. (hint 1)
        - d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1
        + d for d, n in enumerate(shape) if n == 1
    """,
    "mul-gradient": """
        The left factor gets itself, not the other. (hint 2)
        - grad_x = unbroadcast(grad * y, np.shape(x)) if need_x else None
        - grad_y = unbroadcast(grad * x, np.shape(y)) if need_y else None
        + grad_x = unbroadcast(grad * x, np.shape(x)) if need_x else None
        + grad_y = unbroadcast(grad * y, np.shape(y)) if need_y else None

        The product of `grad` and a factor is not brought to the other factor's own shape. (hint 2)
        - grad_x = unbroadcast(grad * y, np.shape(x)) if need_x else None
        - grad_y = unbroadcast(grad * x, np.shape(y)) if need_y else None
        + grad_x = grad * y if need_x else None
        + grad_y = grad * x if need_y else None

        The incoming gradient is ignored, which is right only where it is 1. (hint 2)
        - x, y = ctx.saved_tensors
        + (x, y), grad = ctx.saved_tensors, np.ones_like(grad)

        The gradient of the right factor is computed even where it is not needed. (hint 3)
        - need_x, need_y = ctx.needs_input_grad
        + need_x = need_y = True

        The gradient of the left factor is computed even where it is not needed. (hint 3)
        - grad_x = unbroadcast(grad * y, np.shape(x)) if need_x else None
        + grad_x = unbroadcast(grad * y, np.shape(x))

        What `ctx.needs_input_grad` says of one factor is asked for the other: the first is x.
        - need_x, need_y = ctx.needs_input_grad
        + need_y, need_x = ctx.needs_input_grad
    """,
    "sum-gradient": """
        NumPy does the stretching, not an operation, so there are no second derivatives. (hint 3)
        + return np.broadcast_to(values(restored(ctx, grad, ctx.shape)), ctx.shape)

        The dimension that was summed is missing: `restored` is not called, or not with the shape of x. (hint 2)
        + return call(operations.Expand, grad, shape=ctx.shape)

        A NumPy function is called on a Tensor: what `call` runs works on arrays and on Tensors. (hint 3)
        + return np.broadcast_to(restored(ctx, grad, ctx.shape), ctx.shape)

        The gradient is divided among the elements, as for a mean.
        + return call(
        +     operations.Expand,
        +     restored(ctx, grad / math.prod(ctx.shape), ctx.shape),
        +     shape=ctx.shape,
        + )

        Every element gets 1, whatever the incoming gradient.
        + return np.ones(ctx.shape)
    """,
    "matmul-gradient": """
        The leading dimensions are not summed for an operand that had none. (hint 2)
        -     grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
        - if ctx.needs_input_grad[1] and columns.ndim == 2:
        -     n, k, m = math.prod(rows.shape[:-1]), rows.shape[-1], grad.shape[-1]
        -     grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
        - elif ctx.needs_input_grad[1]:
        -     grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
        +     grad_x = product
        + if ctx.needs_input_grad[1]:
        +     grad_y = rows.swapaxes(-2, -1) @ grad

        The factors of a product do not fit: one is not transposed, or they are exchanged. (hint 2)
        + grad_x = grad @ y if ctx.needs_input_grad[0] else None
        + grad_y = x @ grad if ctx.needs_input_grad[1] else None
        + return grad_x, grad_y

        Vectors keep the dimension that was added to make them matrices. (hint 2)
        - grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
        + grad_x = unbroadcast(product, rows.shape)
        ...
        - grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
        + grad_y = rows.reshape(n, k).T @ grad.reshape(n, m)

        `.T` reverses all dimensions, not only the last two. (hint 1)
        - product = call(operations.MatMul, grad, columns.swapaxes(-2, -1))
        + product = call(operations.MatMul, grad, columns.T)
        ...
        - grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
        + grad_y = unbroadcast(rows.T @ grad, columns.shape)

        x is reshaped to (k, n), which does not transpose it. (hint 1)
        - grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
        + grad_y = (rows.reshape(k, n) @ grad.reshape(n, m)).reshape(y.shape)

        `unbroadcast` is asked for the shape of a vector, not of the matrix that it was made into. (hint 2)
        - grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
        + grad_x = unbroadcast(product, x.shape)
        ...
        - grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
        + grad_y = unbroadcast(rows.reshape(n, k).T @ grad.reshape(n, m), y.shape)
    """,
    "softmax-gradient": """
        Only the diagonal of the Jacobian is there, as if this were a sigmoid. (hint 2)
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return grad * p * (1 - p)

        The sum runs over everything, not along the dimension. (hint 3)
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - (grad * p).sum())

        The sum always runs along the last dimension. (hint 3)
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - (grad * p).sum(axis=-1, keepdims=True))

        The plain mean of the gradients is subtracted, not their sum weighted by p. (hint 3)
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - grad.mean(axis=ctx.axis, keepdims=True))

        The subtraction changes the incoming gradient in place.
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + grad -= (grad * p).sum(axis=ctx.axis, keepdims=True)
        + return p * grad

        The sum is of the gradients alone, not weighted by p. (hint 3)
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - grad.sum(axis=ctx.axis, keepdims=True))

        The mean of the weighted gradients is subtracted, not their sum. (hint 3)
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - (grad * p).mean(axis=ctx.axis, keepdims=True))

        Every sign is wrong: the gradient is subtracted from the sum, not the sum from the gradient. (hint 3)
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * ((grad * p).sum(axis=ctx.axis, keepdims=True) - grad)
    """,
    "add-rows": """
        Rows are assigned, so only the last of several gradients for a row counts. (hint 3)
        + output = np.zeros(shape, grad.dtype)
        + output[rows] = grad
        + return output

        `+=` through an index adds once for each row, not once for each occurrence. (hint 3)
        + output = np.zeros(shape, grad.dtype)
        + output[rows] += grad
        + return output

        Negative rows are not converted to the positive ones that they mean. (hint 1)
        - rows = rows % shape[0]
        ...
        - starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        + starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))

        The runs are found before the rows are sorted. (hint 1)
        - order = rows.argsort(kind="stable")
        + order = np.arange(rows.size)

        The rows are made positive in place, but they belong to the caller. (hint 1)
        - rows = rows % shape[0]
        + rows %= shape[0]

        The first run is lost if the smallest row index is 1. (hint 2)
        - starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        + starts = np.flatnonzero(np.diff(ordered, prepend=1))

        The first run is lost if the smallest row index is 0: `prepend` must be a number that no row has. (hint 2)
        - starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        + starts = np.flatnonzero(np.diff(ordered, prepend=0))

        The row at a start is looked up in `rows` as they came, not in the sorted ones. (hint 3)
        - output[ordered[starts]] = np.add.reduceat(
        + output[rows[starts]] = np.add.reduceat(

        The rows are sorted, but the gradient is not.
        - grad[order], starts, axis=0, dtype=grad.dtype
        + grad, starts, axis=0, dtype=grad.dtype

        An infinite gradient reaches other rows too, as by a product with zeros and ones.
        + chosen = np.arange(shape[0])[:, None] == rows % max(shape[0], 1)
        + flat = grad.reshape(len(grad), math.prod(shape[1:]))
        + return (chosen.astype(grad.dtype) @ flat).reshape(shape)
    """,
    "walk": """
        At a leaf, the last gradient to arrive replaces the others. (hint 2)
        - arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
        + arrived[edge] = grad

        Nodes are taken oldest first, so they run before their gradient is complete. (hint 1)
        - heapq.heappush(queue, (-node.number, node))
        + heapq.heappush(queue, (node.number, node))

        At a node, the last gradient to arrive replaces the others. (hint 2)
        - slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad
        + slots[output_nr] = grad

        The graph is never freed. (hint 3)
        - if not retain_graph:
        -     node.free()

        The graph is freed although it should be retained. (hint 3)
        - if not retain_graph:
        -     node.free()
        + node.free()

        The walk recurses, so nodes run once for each path, and long chains overflow the stack. (hint 3)
        + def send(edge, grad):
        +     node, output_nr = edge
        +     if isinstance(node, Tensor):
        +         arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
        +         return
        +     slots = [None] * len(node.results)
        +     slots[output_nr] = grad
        +     for next_edge, g in zip(node.edges, run_rule(node, slots, create_graph)):
        +         if next_edge is not None and g is not None:
        +             send(next_edge, g)
        +
        + for edge, grad in zip(roots, gradients):
        +     send(edge, grad)

        Gradients are added in place, into arrays that are used elsewhere. (hint 2)
        - arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
        + arrived[edge] = np.add(arrived[edge], grad, out=arrived[edge]) if edge in arrived else grad
        ...
        - slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad
        + old = slots[output_nr]
        + slots[output_nr] = grad if old is None else np.add(old, grad, out=old)

        Hooks are never run. (hint 3)
        - if node.hooks is not None:
        -     run_hooks(node, slots)

        Gradients that are asked for are recorded before the hooks have run. (hint 3)
        - if node.hooks is not None:
        -     run_hooks(node, slots)
        - if wanted is not None and caught(node, slots, wanted, useful, arrived):
        -     continue
        + if wanted is not None and caught(node, slots, wanted, useful, arrived):
        +     continue
        + if node.hooks is not None:
        +     run_hooks(node, slots)

        A gradient of zeros is not sent. (hint 3)
        - if edge is not None and grad is not None:
        + if edge is not None and grad is not None and (isinstance(grad, Tensor) or np.any(grad)):

        The walk ends at the first node beyond which nothing is wanted. (hint 3)
        - continue
        + break

        Rules do not run on Tensors under `create_graph`, so that gradients have no gradients. (hint 3)
        - for edge, grad in zip(node.edges, run_rule(node, slots, create_graph)):
        + for edge, grad in zip(node.edges, run_rule(node, slots, False)):

        None is sent along an edge, where a rule has no gradient for an input. (hint 3)
        - if edge is not None and grad is not None:
        + if edge is not None:

        The walk begins at the first root only. (hint 1)
        - for edge, grad in zip(roots, gradients):
        -     send(edge, grad)
        + send(roots[0], gradients[0])

        Only the last of two gradients for one root counts. (hint 1)
        - for edge, grad in zip(roots, gradients):
        + for edge, grad in dict(zip(roots, gradients)).items():
    """,
    "accumulate": """
        The last gradient replaces the previous one. (hint 3)
        - elif leaf._grad is None:
        + else:
        ...
        - else:
        -     leaf._grad.array += grad
        -     changed(leaf._grad.array)

        The array is stored without a copy. (hint 2)
        - leaf._grad = wrap(grad.astype(leaf.array.dtype, order="C"))
        + leaf._grad = wrap(np.ascontiguousarray(grad, leaf.array.dtype))

        The sum is a new tensor each time, which references to the old one do not see. (hint 3)
        - leaf._grad.array += grad
        - changed(leaf._grad.array)
        + leaf._grad = wrap(leaf._grad.array + grad)

        The sum is put into a new array, so that views of `.grad` no longer see it. (hint 3)
        - leaf._grad.array += grad
        + leaf._grad.array = (leaf._grad.array + grad).astype(leaf.array.dtype)

        The in-place change is not recorded. (hint 3)
        - changed(leaf._grad.array)

        A Tensor becomes `.grad` itself, and shares its memory with its maker. (hint 2)
        - leaf._grad = grad.clone() if leaf._grad is None else leaf._grad + grad
        + leaf._grad = grad if leaf._grad is None else leaf._grad + grad
    """,
    "no-grad": """
        An exception in the block leaves gradients switched off.
        - grad_mode.enabled = self.previous.pop()
        + if error == (None, None, None):
        +     grad_mode.enabled = self.previous.pop()

        The end of an inner block switches recording on inside the outer one. (hint 2)
        - grad_mode.enabled = self.previous.pop()
        + grad_mode.enabled = True

        The flag is not restored, or remembered only after it was set. (hint 1)
        - grad_mode.enabled = self.previous.pop()
        + pass

        A block inside itself does not find the first value: one alone is kept, or the last is not removed. (hint 3)
        - self.previous.append(grad_mode.enabled)
        + self.previous = [grad_mode.enabled]
        ...
        - grad_mode.enabled = self.previous.pop()
        + grad_mode.enabled = self.previous[0]

        Recording is switched off, whatever `self.mode` says. (hint 1)
        - grad_mode.enabled = self.mode
        + grad_mode.enabled = False

        The block's error is suppressed, since `__exit__` returns something true.
        - grad_mode.enabled = self.previous.pop()
        + grad_mode.enabled = self.previous.pop()
        + return True
    """,
    "numerical-jacobian": """
        The differences are one-sided. (hint 1)
        - for moved in (value + eps, value - eps):
        + for moved in (value + eps, value):
        ...
        - rows.append((sides[0] - sides[1]) / (2 * eps))
        + rows.append((sides[0] - sides[1]) / eps)

        The difference of two steps is divided by one. (hint 3)
        - rows.append((sides[0] - sides[1]) / (2 * eps))
        + rows.append((sides[0] - sides[1]) / eps)

        The input is not put back, or only nearly, as by adding and subtracting. (hint 1)
        - finally:
        -     x[position] = value
        + finally:
        +     pass

        The input keeps the change where the function raises. (hint 2)
        - try:
        -     for moved in (value + eps, value - eps):
        -         x[position] = moved
        -         with no_grad():
        -             sides.append(np.array(function(*inputs).array, np.float64).ravel())
        - finally:
        -     x[position] = value
        + for moved in (value + eps, value - eps):
        +     x[position] = moved
        +     with no_grad():
        +         sides.append(np.array(function(*inputs).array, np.float64).ravel())
        + x[position] = value

        The result is not copied, so a view of the input changes along with it. (hint 2)
        - sides.append(np.array(function(*inputs).array, np.float64).ravel())
        + sides.append(function(*inputs).array.reshape(-1))

        A flat copy is changed, which is not the input if that is not contiguous. (hint 1)
        - x, rows = inputs[which].array, []
        + x, rows = inputs[which].array.reshape(-1), []

        The differences are computed in the function's type, which may be float32.
        - sides.append(np.array(function(*inputs).array, np.float64).ravel())
        + sides.append(np.array(function(*inputs).array).ravel())
    """,
}
