"""Planted mistakes of module 06: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "by-hand": """
        The ReLU lets every gradient through, also where it was closed.
        - grad_a = (grad_y @ W2.T) * (a > 0)
        + grad_a = grad_y @ W2.T

        The mean is over the rows only, so every gradient is too large by the number of classes.
        - grad_y = 2 / y.size * (y - target)
        + grad_y = 2 / len(y) * (y - target)

        The activations before the ReLU stand where those after it belong.
        - return x.T @ grad_a, h.T @ grad_y
        + return x.T @ grad_a, a.T @ grad_y
    """,
    "unbroadcast": """
        Only the missing dimensions are summed; those of length 1 stay stretched.
        + return grad.sum(axis=tuple(range(grad.ndim - len(shape))))

        The dimensions are dropped by taking their first element in place of the sum.
        + while grad.ndim > len(shape):
        +     grad = grad[0]
        + for d, n in enumerate(shape):
        +     if n == 1:
        +         grad = grad.take([0], axis=d)
        + return grad

        The shapes are aligned at their first dimension, so a square gradient is summed over the wrong side.
        + axes = tuple(
        +     d
        +     for d in range(grad.ndim)
        +     if d >= len(shape) or (shape[d] == 1 and grad.shape[d] != 1)
        + )
        + return grad.sum(axis=axes).reshape(shape) if axes else grad

        The mean in place of the sum.
        - return (grad.sum(axis=axes, keepdims=True) if axes else grad).reshape(shape)
        + return (grad.mean(axis=axes, keepdims=True) if axes else grad).reshape(shape)
    """,
    "mul-gradient": """
        Each factor gets itself.
        - grad_x = unbroadcast(grad * y, np.shape(x)) if need_x else None
        - grad_y = unbroadcast(grad * x, np.shape(y)) if need_y else None
        + grad_x = unbroadcast(grad * x, np.shape(x)) if need_x else None
        + grad_y = unbroadcast(grad * y, np.shape(y)) if need_y else None

        The broadcast is not undone.
        - grad_x = unbroadcast(grad * y, np.shape(x)) if need_x else None
        - grad_y = unbroadcast(grad * x, np.shape(y)) if need_y else None
        + grad_x = grad * y if need_x else None
        + grad_y = grad * x if need_y else None

        The gradient that arrived is forgotten: right only if it is one.
        - x, y = ctx.saved_tensors
        + (x, y), grad = ctx.saved_tensors, np.ones_like(grad)

        Both gradients are computed, wanted or not.
        - need_x, need_y = ctx.needs_input_grad
        + need_x = need_y = True
    """,
    "sum-gradient": """
        NumPy stretches in place of the operation, so there are no second derivatives.
        + return np.broadcast_to(values(restored(ctx, grad, ctx.shape)), ctx.shape)

        The lost dimension is not put back, so a square is stretched along the wrong side.
        + return call(operations.Expand, np.asarray(grad), shape=ctx.shape)

        The gradient is shared out, as for a mean.
        + return call(
        +     operations.Expand,
        +     restored(ctx, grad / math.prod(ctx.shape), ctx.shape),
        +     shape=ctx.shape,
        + )

        Every element gets one, whatever arrived.
        + return np.ones(ctx.shape)
    """,
    "matmul-gradient": """
        The leading dimensions are not summed for an operand that had none.
        -     grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
        - if ctx.needs_input_grad[1] and columns.ndim == 2:
        -     n, k, m = math.prod(rows.shape[:-1]), rows.shape[-1], grad.shape[-1]
        -     grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
        - elif ctx.needs_input_grad[1]:
        -     grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
        +     grad_x = product
        + if ctx.needs_input_grad[1]:
        +     grad_y = rows.swapaxes(-2, -1) @ grad

        The transposes are left out, which goes unnoticed only for symmetric matrices.
        + grad_x = grad @ y if ctx.needs_input_grad[0] else None
        + grad_y = x @ grad if ctx.needs_input_grad[1] else None
        + return grad_x, grad_y

        Vectors keep the dimension that was added to make them matrices.
        - grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
        + grad_x = unbroadcast(product, rows.shape)
        ...
        - grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
        + grad_y = rows.reshape(n, k).T @ grad.reshape(n, m)

        `.T` turns all dimensions round, not the last two.
        - product = call(operations.MatMul, grad, columns.swapaxes(-2, -1))
        + product = call(operations.MatMul, grad, columns.T)
        ...
        - grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
        + grad_y = unbroadcast(rows.T @ grad, columns.shape)
    """,
    "softmax-gradient": """
        Only the diagonal of the Jacobian, as if it were a sigmoid.
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return grad * p * (1 - p)

        The sum runs over everything, not along the dimension.
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - (grad * p).sum())

        The sum always runs along the last dimension.
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - (grad * p).sum(axis=-1, keepdims=True))

        The mean of the gradients is subtracted, not their mean under p.
        - return p * (grad - (grad * p).sum(axis=ctx.axis, keepdims=True))
        + return p * (grad - grad.mean(axis=ctx.axis, keepdims=True))
    """,
    "add-rows": """
        Assignment: of two gradients for one row, the last wins.
        + output = np.zeros(shape, grad.dtype)
        + output[rows] = grad
        + return output

        `+=` through an index adds once for each row, not once for each time it is named.
        + output = np.zeros(shape, grad.dtype)
        + output[rows] += grad
        + return output

        Negative rows are not brought together with the positive ones that they mean.
        - rows = rows % shape[0]
        ...
        - starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        + starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))

        The runs are found before the rows are sorted.
        - order = rows.argsort(kind="stable")
        + order = np.arange(rows.size)
    """,
    "walk": """
        At a leaf, the last gradient to arrive replaces the others.
        - arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
        + arrived[edge] = grad

        Nodes are taken oldest first, so they run before their gradient is complete.
        - heapq.heappush(queue, (-node.number, node))
        + heapq.heappush(queue, (node.number, node))

        At a node, the last gradient to arrive replaces the others.
        - slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad
        + slots[output_nr] = grad

        The graph is never freed.
        - if not retain_graph:
        -     node.free()

        The graph is freed although it should be retained.
        - if not retain_graph:
        -     node.free()
        + node.free()

        Depth first and recursive: nodes run once for each path, and long chains overflow the stack.
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

        Gradients are added in place, into arrays that others hold.
        - arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
        + arrived[edge] = np.add(arrived[edge], grad, out=arrived[edge]) if edge in arrived else grad
        ...
        - slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad
        + old = slots[output_nr]
        + slots[output_nr] = grad if old is None else np.add(old, grad, out=old)
    """,
    "accumulate": """
        The last gradient replaces the one before.
        - elif leaf._grad is None:
        + else:
        ...
        - else:
        -     leaf._grad.array += grad
        -     changed(leaf._grad.array)

        The array is taken without a copy.
        - leaf._grad = wrap(grad.astype(leaf.array.dtype, order="C"))
        + leaf._grad = wrap(np.ascontiguousarray(grad, leaf.array.dtype))

        The sum is a new tensor each time, which nobody sees who held the old one.
        - leaf._grad.array += grad
        - changed(leaf._grad.array)
        + leaf._grad = wrap(leaf._grad.array + grad)

        Nobody is told of the change in place.
        - changed(leaf._grad.array)

        A Tensor becomes `.grad` itself, and shares its memory with whoever made it.
        - leaf._grad = grad.clone() if leaf._grad is None else leaf._grad + grad
        + leaf._grad = grad if leaf._grad is None else leaf._grad + grad
    """,
    "no-grad": """
        An exception in the block leaves gradients off for ever.
        - grad_mode.enabled = self.previous.pop()
        + if error == (None, None, None):
        +     grad_mode.enabled = self.previous.pop()

        The end of an inner block switches recording on inside the outer one.
        - grad_mode.enabled = self.previous.pop()
        + grad_mode.enabled = True

        The flag is never put back.
        - grad_mode.enabled = self.previous.pop()
        + pass

        Only the last value is remembered, so that a block inside itself forgets the first.
        - self.previous.append(grad_mode.enabled)
        + self.previous = [grad_mode.enabled]
        ...
        - grad_mode.enabled = self.previous.pop()
        + grad_mode.enabled = self.previous[0]
    """,
    "numerical-jacobian": """
        One-sided differences.
        - for moved in (value + eps, value - eps):
        + for moved in (value + eps, value):
        ...
        - rows.append((sides[0] - sides[1]) / (2 * eps))
        + rows.append((sides[0] - sides[1]) / eps)

        The step is divided by once, not twice.
        - rows.append((sides[0] - sides[1]) / (2 * eps))
        + rows.append((sides[0] - sides[1]) / eps)

        The input keeps the last change.
        - finally:
        -     x[position] = value
        + finally:
        +     pass

        The input keeps the change where the function raises.
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

        The result is not copied, so a view of the input moves along with it.
        - sides.append(np.array(function(*inputs).array, np.float64).ravel())
        + sides.append(function(*inputs).array.reshape(-1))
    """,
}
