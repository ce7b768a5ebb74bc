"""Kernels of operations that would take many launches: losses, pooling, steps of optimizers, norms.

Each goes over its elements with a stride of the whole grid, but those that reduce: there a block takes a row.
"""

import math

import numpy as np

from tinytorch.given.kernels.division import checked, divided
from tinytorch.given.kernels.simulator import SIMULATED, cuda
from tinytorch.given.kernels.table import launched
from tinytorch.kernels import THREADS as ROW_THREADS
from tinytorch.kernels import block_max, block_sum

__all__ = []

THREADS = 8 if SIMULATED else 128  # of a block that goes over elements
PARTS = 2 if SIMULATED else 64  # into which a sum of squares is cut


def grid(size):
    """How many blocks of how many threads go over so many elements."""
    return max(1, min(-(-size // THREADS), 4 if SIMULATED else 1024)), THREADS


@cuda.jit
def arange(out, size, start, step):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        out[i] = start + i * step


@cuda.jit
def take_along(out, x, index, outer, length, m, inner, out_offset, x_offset, index_offset):
    for i in range(cuda.grid(1), outer * m * inner, cuda.gridsize(1)):
        place = index[index_offset + i]
        place += length if place < 0 else 0
        rest, behind = divided(i, inner)
        out[out_offset + i] = x[x_offset + (divided(rest, m)[0] * length + place) * inner + behind]


@cuda.jit
def put_along(x, values, index, outer, length, m, inner, x_offset, values_offset, index_offset):
    for i in range(cuda.grid(1), outer * m * inner, cuda.gridsize(1)):
        place = index[index_offset + i]
        place += length if place < 0 else 0
        rest, behind = divided(i, inner)
        x[x_offset + (divided(rest, m)[0] * length + place) * inner + behind] = values[values_offset + i]


@cuda.jit
def sgd_step(
    p, grad, velocity, size, lr, momentum, fresh, nesterov, first, p_offset, grad_offset, velocity_offset
):
    """p -= lr v with v = momentum v + fresh grad, fresh = 1 - dampening; a first v is the gradient."""
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        step = grad[grad_offset + i]
        if momentum:
            v = step if first else momentum * velocity[velocity_offset + i] + fresh * step
            velocity[velocity_offset + i] = v
            step = step + momentum * v if nesterov else v
        p[p_offset + i] -= lr * step


@cuda.jit
def squares(out, place, x, size, x_offset):
    """Sums of squares of parts of x: block b of the grid writes out[place + b]."""
    shared, total = cuda.shared.array(ROW_THREADS, np.float32), np.float32(0)
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        value = x[x_offset + i]
        total += value * value
    total = block_sum(total, shared)
    if cuda.threadIdx.x == 0:
        out[place + cuda.blockIdx.x] = total


@cuda.jit
def square_root(out, x):
    if cuda.grid(1) == 0:
        out[0] = math.sqrt(x[0])


@cuda.jit
def clip_factor(factor, norm, max_norm):
    """What gradients are multiplied by: 1, or max_norm / (norm + 1e-6)."""
    scale = max_norm / (norm[0] + np.float32(1e-6))
    if cuda.grid(1) == 0:
        factor[0] = np.float32(1) if scale >= np.float32(1) else scale


@cuda.jit
def cross_entropy_rows(
    losses, kept, classes, largest, sums, at_class, x, target, weight, weighted, ignore_index, columns,
    x_offset, target_offset, weight_offset,
):  # fmt: skip
    """A row for each block: its largest score, the sum of exp(x - largest), and the loss of its class."""
    shared, row, t = cuda.shared.array(ROW_THREADS, np.float32), cuda.blockIdx.x, cuda.threadIdx.x
    begin, best, total = x_offset + row * columns, np.float32(-np.inf), np.float32(0)
    for j in range(t, columns, cuda.blockDim.x):
        best = max(best, x[begin + j])
    best = block_max(best, shared)
    for j in range(t, columns, cuda.blockDim.x):
        total += math.exp(x[begin + j] - best)  # NaN where there is one in the row
    total = block_sum(total, shared)
    if t == 0:
        chosen = target[target_offset + row]
        counts = chosen != ignore_index
        chosen = chosen if counts else 0
        share = weight[weight_offset + chosen] if weighted else np.float32(1)
        kept[row], classes[row], largest[row], sums[row], at_class[row] = counts, chosen, best, total, share
        losses[row] = share * (math.log(total) - (x[begin + chosen] - best)) if counts else np.float32(0)


@cuda.jit
def cross_entropy_gradient(
    grad_x, grad, stride, kept, classes, largest, sums, at_class, x, size, columns, grad_offset, x_offset
):
    """(softmax - one-hot) times what the row counts, times the gradient of its loss."""
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        row, column = divided(i, columns)
        value = math.exp(x[x_offset + i] - largest[row]) / sums[row]
        if column == classes[row]:
            value -= np.float32(1)
        grad_x[i] = value * at_class[row] * grad[grad_offset + row * stride] if kept[row] else np.float32(0)


@cuda.jit
def pool_windows(
    out, winners, x, size, height, width, rows, columns, kh, kw, sh, sw, ph, pw, dh, dw, x_offset
):
    """The largest number in each window, and where in x it was first found."""
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        rest, column = divided(i, columns)
        plane, row = divided(rest, rows)
        top, left = row * sh - ph, column * sw - pw
        best, found = x[x_offset], -1
        for a in range(kh):
            for b in range(kw):
                r, c = top + a * dh, left + b * dw
                if 0 <= r < height and 0 <= c < width:
                    at = (plane * height + r) * width + c
                    value = x[x_offset + at]
                    if found < 0 or value > best or (value != value and best == best):
                        best, found = value, at
        out[i], winners[i] = best, found


@cuda.jit
def pool_gradient(grad_x, grad, winners, size, grad_offset):
    """Add each gradient where its window found the largest number."""
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        cuda.atomic.add(grad_x, winners[i], grad[grad_offset + i])


@cuda.jit
def masked_scores(scores, size, queries, keys, scale, causal):
    """Products become scores, in place: times scale, and -inf where a query may not look."""
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        row, key = divided(i, keys)
        hidden = causal and key > divided(row, queries)[1]
        scores[i] = np.float32(-np.inf) if hidden else scale * scores[i]


@cuda.jit
def attention_weights(weights, logsumexp, size, queries, keys, scale, causal):
    """Scores become weights, in place: exp(scale s - logsumexp), and 0 where a query may not look."""
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        row, key = divided(i, keys)
        if causal and key > divided(row, queries)[1]:
            weights[i] = np.float32(0)
        else:
            weights[i] = math.exp(scale * weights[i] - logsumexp[row])


@cuda.jit
def score_gradient(grad_weights, weights, delta, size, keys, scale):
    """The gradient of weights becomes that of scores, in place: scale P (dP - delta of the row)."""
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        grad_weights[i] = scale * weights[i] * (grad_weights[i] - delta[divided(i, keys)[0]])


def start(kernel, size, *arguments, blocks=None):
    """Launch a kernel over so many elements, or with blocks whose threads work together, and note it."""
    launched[kernel.__name__] = launched.get(kernel.__name__, 0) + 1
    kernel[(blocks, ROW_THREADS) if blocks else grid(checked(size))](*arguments)
