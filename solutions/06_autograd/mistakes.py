"""Planted mistakes of module 06: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "by-hand": """
        The ReLU lets every gradient through, also where it was closed.
        + h = np.maximum(x @ W1, 0)
        + grad_y = 2 / target.size * (h @ W2 - target)
        + return x.T @ (grad_y @ W2.T), h.T @ grad_y

        The mean is over the rows only, so every gradient is too large by the number of classes.
        + a = x @ W1
        + h = np.maximum(a, 0)
        + grad_y = 2 / len(x) * (h @ W2 - target)
        + return x.T @ ((grad_y @ W2.T) * (a > 0)), h.T @ grad_y

        The activations before the ReLU stand where those after it belong.
        + a = x @ W1
        + grad_y = 2 / target.size * (np.maximum(a, 0) @ W2 - target)
        + return x.T @ ((grad_y @ W2.T) * (a > 0)), a.T @ grad_y
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
        + extra = grad.ndim - len(shape)
        + axes = (
        +     *range(extra),
        +     *(d + extra for d, n in enumerate(shape) if n == 1 and grad.shape[d + extra] != 1),
        + )
        + return (grad.mean(axis=axes, keepdims=True) if axes else grad).reshape(shape)
    """,
    "mul-gradient": """
        Each factor gets itself.
        + x, y = ctx.saved_tensors
        + need_x, need_y = ctx.needs_input_grad
        + return unbroadcast(grad * x, np.shape(x)) if need_x else None, unbroadcast(
        +     grad * y, np.shape(y)
        + ) if need_y else None

        The broadcast is not undone.
        + x, y = ctx.saved_tensors
        + need_x, need_y = ctx.needs_input_grad
        + return grad * y if need_x else None, grad * x if need_y else None

        The gradient that arrived is forgotten: right only if it is one.
        + x, y = ctx.saved_tensors
        + need_x, need_y = ctx.needs_input_grad
        + one = np.ones_like(grad)
        + return unbroadcast(one * y, np.shape(x)) if need_x else None, unbroadcast(
        +     one * x, np.shape(y)
        + ) if need_y else None

        Both gradients are computed, wanted or not.
        + x, y = ctx.saved_tensors
        + return unbroadcast(grad * y, np.shape(x)), unbroadcast(grad * x, np.shape(y))
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
        + need_x, need_y = ctx.needs_input_grad
        + grad_x = (grad @ columns.swapaxes(-2, -1)) if need_x else None
        + grad_y = (rows.swapaxes(-2, -1) @ grad) if need_y else None
        + return grad_x, grad_y

        The transposes are left out, which goes unnoticed only for symmetric matrices.
        - rows, columns, grad = as_matrices(x, y, grad)
        + need_x, need_y = ctx.needs_input_grad
        + return grad @ y if need_x else None, x @ grad if need_y else None
        ...
        - grad_x = grad_y = None
        - if ctx.needs_input_grad[0]:
        -     product = call(
        -         operations.MatMul, grad, columns.swapaxes(-2, -1)
        -     )  # which knows the fast way too
        -     grad_x = unbroadcast(product, rows.shape).reshape(x.shape)
        - if ctx.needs_input_grad[1] and columns.ndim == 2:
        -     n, k, m = math.prod(rows.shape[:-1]), rows.shape[-1], grad.shape[-1]
        -     grad_y = (rows.reshape(n, k).T @ grad.reshape(n, m)).reshape(y.shape)
        - elif ctx.needs_input_grad[1]:
        -     grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape)
        - return grad_x, grad_y

        Vectors keep the dimension that was added to make them matrices.
        + need_x, need_y = ctx.needs_input_grad
        + grad_x = unbroadcast(grad @ columns.swapaxes(-2, -1), rows.shape) if need_x else None
        + grad_y = unbroadcast(rows.swapaxes(-2, -1) @ grad, columns.shape) if need_y else None
        + return grad_x, grad_y

        `.T` turns all dimensions round, not the last two.
        + need_x, need_y = ctx.needs_input_grad
        + grad_x = unbroadcast(grad @ columns.T, rows.shape).reshape(x.shape) if need_x else None
        + grad_y = unbroadcast(rows.T @ grad, columns.shape).reshape(y.shape) if need_y else None
        + return grad_x, grad_y
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
        - output[ordered[starts]] = np.add.reduceat(
        -     grad[order], starts, axis=0, dtype=grad.dtype
        - )
        + starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
        + output[ordered[starts]] = np.add.reduceat(grad[order], starts, axis=0)

        The runs are found before the rows are sorted.
        + output = np.zeros(shape, grad.dtype)
        + if rows.size:
        +     rows = rows % shape[0]
        +     starts = np.flatnonzero(np.diff(rows, prepend=-1))
        +     output[rows[starts]] = np.add.reduceat(grad, starts, axis=0)
        + return output
    """,
    "walk": """
        At a leaf, the last gradient to arrive replaces the others.
        - arrived = {}
        + arrived, pending, queue = {}, {}, []
        ...
        - pending, queue = {}, []
        ...
        - arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
        + arrived[edge] = grad

        Nodes are taken oldest first, so they run before their gradient is complete.
        - arrived = {}
        + arrived, pending, queue = {}, {}, []
        ...
        - pending, queue = {}, []
        ...
        - heapq.heappush(queue, (-node.number, node))
        + heapq.heappush(queue, (node.number, node))

        At a node, the last gradient to arrive replaces the others.
        - arrived = {}
        + arrived, pending, queue = {}, {}, []
        ...
        - pending, queue = {}, []
        ...
        - slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad
        + slots[output_nr] = grad

        The graph is never freed.
        - arrived = {}
        + arrived, pending, queue = {}, {}, []
        ...
        - pending, queue = {}, []
        ...
        - if not retain_graph:
        -     node.free()

        The graph is freed although it should be retained.
        - arrived = {}
        + arrived, pending, queue = {}, {}, []
        ...
        - pending, queue = {}, []
        ...
        - if not retain_graph:
        -     node.free()
        + node.free()

        Depth first and recursive: nodes run once for each path, and long chains overflow the stack.
        - useful = None if wanted is None else leading_to(wanted, roots)
        ...
        - pending, queue = {}, []
        ...
        - def send(edge, grad):
        + def visit(edge, grad):
        ...
        - if node not in pending:
        -     pending[node] = [None] * len(node.results)
        -     heapq.heappush(queue, (-node.number, node))
        - slots = pending[node]
        - slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad
        + slots = [None] * len(node.results)
        + slots[output_nr] = grad
        + for next_edge, g in zip(node.edges, run_rule(node, slots, create_graph)):
        +     if next_edge is not None and g is not None:
        +         visit(next_edge, g)
        ...
        -     send(edge, grad)
        - while queue:
        -     node = heapq.heappop(queue)[1]
        -     slots = pending.pop(node)
        -     if node.hooks is not None:
        -         run_hooks(node, slots)
        -     if wanted is not None and caught(node, slots, wanted, useful, arrived):
        -         continue
        -     for edge, grad in zip(node.edges, run_rule(node, slots, create_graph)):
        -         if edge is not None and grad is not None:
        -             send(edge, grad)
        -     if not retain_graph:
        -         node.free()
        +     visit(edge, grad)

        Gradients are added in place, into arrays that others hold.
        - arrived = {}
        + arrived, pending, queue = {}, {}, []
        ...
        - pending, queue = {}, []
        ...
        - arrived[edge] = grad if edge not in arrived else arrived[edge] + grad
        + if edge in arrived:
        +     arrived[edge] += grad
        + else:
        +     arrived[edge] = grad
        ...
        - slots[output_nr] = grad if slots[output_nr] is None else slots[output_nr] + grad
        + if slots[output_nr] is None:
        +     slots[output_nr] = grad
        + else:
        +     slots[output_nr] += grad
        ...
        - if node.hooks is not None:
        -     run_hooks(node, slots)
    """,
    "accumulate": """
        The last gradient replaces the one before.
        + leaf._grad = (
        +     grad
        +     if isinstance(grad, Tensor)
        +     else wrap(np.array(grad, leaf.array.dtype, order="C") if shared else grad)
        + )

        Shared arrays are taken without a copy.
        - leaf._grad = wrap(np.array(grad, leaf.array.dtype, order="C") if shared else grad)
        + leaf._grad = wrap(grad)

        Every gradient is copied, held by others or not.
        - leaf._grad = wrap(np.array(grad, leaf.array.dtype, order="C") if shared else grad)
        + leaf._grad = wrap(np.array(grad, leaf.array.dtype, order="C"))

        The sum is a new tensor each time, which nobody sees who held the old one.
        - leaf._grad.array += grad
        + leaf._grad = wrap(leaf._grad.array + grad)
    """,
    "no-grad": """
        An exception in the block leaves gradients off for ever.
        + previous, grad_mode.enabled = grad_mode.enabled, False
        + yield
        + grad_mode.enabled = previous

        The end of an inner block switches recording on inside the outer one.
        - previous, grad_mode.enabled = grad_mode.enabled, False
        + grad_mode.enabled = False
        ...
        - grad_mode.enabled = previous
        + grad_mode.enabled = True

        The flag is never put back.
        + grad_mode.enabled = False
        + yield
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
        - x[position] = value

        The result is not copied, so a view of the input moves along with it.
        - sides.append(np.array(function(*inputs).array, np.float64).ravel())
        + sides.append(function(*inputs).array.reshape(-1))
    """,
}
