"""Recurrent layers as one operation: all steps of a layer in one direction, forward and back through time.

The input's share of the gates is one product for all steps, and so are the gradients of the weights. What is
left of a step is its product with the state, and a kernel that does the rest while the numbers are in the
cache.
"""

import numpy as np

from tinytorch import autograd
from tinytorch.acceleration import ONE, contiguous, sigmoid
from tinytorch.given.acceleration.compiling import kernel
from tinytorch.given.acceleration.elementwise import ZERO, tanh_of
from tinytorch.given.attention.recurrent import recurrence, step_by_step
from tinytorch.tensor import Function, Tensor, wrap

__all__ = []


@kernel
def rnn_forward(first, count, product, bias, gates, share, outputs, h, before):
    """h' = tanh(gates + product + bias), written over the gates too."""
    for b in range(count):
        i = first + b
        row, output, added, state, old = gates[i], outputs[i], product[b], h[b], before[i]
        for j in range(len(row)):
            old[j] = state[j]
            row[j] = tanh_of(row[j] + (added[j] + bias[j]))
        for j in range(len(row)):
            output[j] = state[j] = row[j]


@kernel
def rnn_backward(first, count, grad, gates, share, of_gates, of_product, of_h, before):
    for b in range(count):
        i = first + b
        g, row, later, result = grad[i], gates[i], of_h[b], of_gates[i]
        for j in range(len(row)):
            result[j] = (g[j] + later[j]) * (ONE - row[j] * row[j])


@kernel
def rectified_forward(first, count, product, bias, gates, share, outputs, h, before):
    """h' = relu(gates + product + bias), which keeps NaN."""
    for b in range(count):
        i = first + b
        row, output, added, state, old = gates[i], outputs[i], product[b], h[b], before[i]
        for j in range(len(row)):
            old[j] = state[j]
            x = row[j] + (added[j] + bias[j])
            row[j] = ZERO if x <= ZERO else x
        for j in range(len(row)):
            output[j] = state[j] = row[j]


@kernel
def rectified_backward(first, count, grad, gates, share, of_gates, of_product, of_h, before):
    for b in range(count):
        i = first + b
        g, row, later, result = grad[i], gates[i], of_h[b], of_gates[i]
        for j in range(len(row)):
            result[j] = ZERO if row[j] <= ZERO else g[j] + later[j]


@kernel
def lstm_forward(first, count, product, bias, gates, shown, outputs, h, c, before, memory):
    """c' = f c + i g and h' = o tanh(c'); the gates stay as they were applied, and tanh(c') is in `shown`."""
    H = outputs.shape[1]
    for b in range(count):
        n = first + b
        row, added, t, output = gates[n], product[b], shown[n], outputs[n]
        state, old, cell, old_cell = h[b], before[n], c[b], memory[n]
        for j in range(2 * H):
            row[j] = sigmoid(row[j] + (added[j] + bias[j]))
        for j in range(2 * H, 3 * H):
            row[j] = tanh_of(row[j] + (added[j] + bias[j]))
        for j in range(3 * H, 4 * H):
            row[j] = sigmoid(row[j] + (added[j] + bias[j]))
        i, f, g, o = row[:H], row[H : 2 * H], row[2 * H : 3 * H], row[3 * H :]
        for j in range(H):
            old_cell[j] = cell[j]
            cell[j] = f[j] * cell[j] + i[j] * g[j]
        for j in range(H):
            t[j] = tanh_of(cell[j])
        for j in range(H):
            old[j] = state[j]
            output[j] = state[j] = o[j] * t[j]


@kernel
def lstm_backward(first, count, grad, gates, shown, of_gates, of_product, of_h, of_c, before, memory):
    H = grad.shape[1]
    for b in range(count):
        n = first + b
        row, t, incoming, old_cell, result = gates[n], shown[n], grad[n], memory[n], of_gates[n]
        i, f, g, o = row[:H], row[H : 2 * H], row[2 * H : 3 * H], row[3 * H :]
        of_i, of_f, of_g, of_o = result[:H], result[H : 2 * H], result[2 * H : 3 * H], result[3 * H :]
        later, cell = of_h[b], of_c[b]
        for j in range(H):
            d = incoming[j] + later[j]
            of_o[j] = d * t[j] * (o[j] * (ONE - o[j]))
            cell[j] += d * o[j] * (ONE - t[j] * t[j])
        for j in range(H):
            of_i[j] = cell[j] * g[j] * (i[j] * (ONE - i[j]))
            of_g[j] = cell[j] * i[j] * (ONE - g[j] * g[j])
        for j in range(H):
            of_f[j] = cell[j] * old_cell[j] * (f[j] * (ONE - f[j]))
            cell[j] *= f[j]


@kernel
def gru_forward(first, count, product, bias, gates, share, outputs, h, before):
    """h' = n + z (h - n), where n is tanh(n_x + r n_h); n_h stays in `share`, and r, z, n over the gates."""
    H = outputs.shape[1]
    for b in range(count):
        i = first + b
        row, added, kept, output, state, old = gates[i], product[b], share[i], outputs[i], h[b], before[i]
        for j in range(2 * H):
            row[j] = sigmoid(row[j] + (added[j] + bias[j]))
        r, z, n = row[:H], row[H : 2 * H], row[2 * H :]
        added, shift = added[2 * H :], bias[2 * H :]
        for j in range(H):
            kept[j] = added[j] + shift[j]
            n[j] = tanh_of(n[j] + r[j] * kept[j])
        for j in range(H):
            old[j] = state[j]
            output[j] = state[j] = n[j] + z[j] * (state[j] - n[j])


@kernel
def gru_backward(first, count, grad, gates, share, of_gates, of_product, of_h, before):
    """The gradients of the two shares, which differ in n's; `of_h` keeps what goes past the gates."""
    H = grad.shape[1]
    for b in range(count):
        i = first + b
        row, kept, incoming, old, later = gates[i], share[i], grad[i], before[i], of_h[b]
        one, other = of_gates[i], of_product[i]
        r, z, n = row[:H], row[H : 2 * H], row[2 * H :]
        of_r, of_z, of_n, of_share = one[:H], one[H : 2 * H], one[2 * H :], other[2 * H :]
        for j in range(H):
            d = incoming[j] + later[j]
            of_z[j] = d * (old[j] - n[j]) * (z[j] * (ONE - z[j]))
            of_n[j] = d * (ONE - z[j]) * (ONE - n[j] * n[j])
            later[j] = d * z[j]
        for j in range(H):
            of_r[j] = of_n[j] * kept[j] * (r[j] * (ONE - r[j]))
            of_share[j] = of_n[j] * r[j]
        for j in range(2 * H):
            other[j] = one[j]


UNITS = {
    "RNN_TANH": (rnn_forward, rnn_backward),
    "RNN_RELU": (rectified_forward, rectified_backward),
    "LSTM": (lstm_forward, lstm_backward),
    "GRU": (gru_forward, gru_backward),
}


class Recurrence(Function):
    """What `step_by_step` computes, for float32 without a projection: outputs (N, H) and the last state."""

    @staticmethod
    def forward(ctx, x, weight_ih, bias_ih, weight_hh, bias_hh, *start, mode, sizes, backwards):
        ctx.options = mode, sizes, backwards
        gates, (N, H) = x @ weight_ih.T, (len(x), weight_hh.shape[1])
        if bias_ih is not None:
            gates += bias_ih
        bias = np.zeros(len(weight_hh), np.float32) if bias_hh is None else np.ascontiguousarray(bias_hh)
        state, before = [s.copy() for s in start], [np.empty((N, H), np.float32) for _ in start]
        share, outputs = np.empty((2, N, H), np.float32)
        product = np.empty((sizes[0], len(bias)), np.float32)
        run, to_gates = UNITS[mode][0], weight_hh.T
        for first, count in places(sizes, backwards):
            np.matmul(state[0][:count], to_gates, out=product[:count])
            run(first, count, product, bias, gates, share, outputs, *state, *before)
        inputs = x, weight_ih, bias_ih, weight_hh, bias_hh, *start
        ctx.save_for_backward(*inputs, gates, share, *before)
        return outputs, *state

    @staticmethod
    def backward(ctx, grad, *of_state):
        mode, sizes, backwards = ctx.options
        inputs, (gates, share, *before) = split(ctx.saved_tensors, 5 + len(of_state))
        if isinstance(grad, Tensor):
            return through_the_steps(ctx, inputs, (grad, *of_state))
        x, weight_ih, _, weight_hh, *_ = inputs
        grad, carried = contiguous(grad), [g.copy(order="C") for g in of_state]
        is_gru, run, of_gates = mode == "GRU", UNITS[mode][1], np.empty_like(gates)
        of_product = np.empty_like(gates) if is_gru else of_gates
        for first, count in reversed(places(sizes, backwards)):
            run(first, count, grad, gates, share, of_gates, of_product, *carried, *before)
            rows, of_h = of_product[first : first + count], carried[0][:count]
            if is_gru:
                of_h += rows @ weight_hh
            else:
                np.matmul(rows, weight_hh, out=of_h)
        need = ctx.needs_input_grad
        return (
            of_gates @ weight_ih if need[0] else None,
            of_gates.T @ x if need[1] else None,
            of_gates.sum(axis=0) if need[2] else None,
            of_product.T @ before[0] if need[3] else None,
            of_product.sum(axis=0) if need[4] else None,
            *carried,
        )


def places(sizes, backwards):
    """The first row and the number of rows of each step, in the order in which they are taken."""
    ends = np.cumsum(sizes).tolist()
    steps = [(end - size, size) for end, size in zip(ends, sizes)]
    return steps[::-1] if backwards else steps


def split(values, count):
    return values[:count], values[count:]


def through_the_steps(ctx, inputs, grads):
    """The gradients as Tensors that have gradients themselves: the steps are taken again, one by one."""
    inputs = [x if x is None or isinstance(x, Tensor) else wrap(x) for x in inputs]
    outputs, state = step_by_step(*inputs[:5], inputs[5:], *ctx.options)
    asked = [x for x, need in zip(inputs, ctx.needs_input_grad) if need]
    found = iter(autograd.grad((outputs, *state), asked, grads, create_graph=True, allow_unused=True))
    return tuple([next(found) if need else None for need in ctx.needs_input_grad])


def recurrence_fits(
    x, weight_ih, bias_ih, weight_hh, bias_hh, start, mode, sizes, backwards, projection=None
):
    arrays = [t.array for t in (x, weight_ih, bias_ih, weight_hh, bias_hh, *start) if t is not None]
    return projection is None and all(
        type(a) is np.ndarray and a.dtype == np.float32 and a.size for a in arrays
    )


def in_one(x, weight_ih, bias_ih, weight_hh, bias_hh, start, mode, sizes, backwards, projection=None):
    options = {"mode": mode, "sizes": sizes, "backwards": backwards}
    outputs, *state = Recurrence.apply(x, weight_ih, bias_ih, weight_hh, bias_hh, *start, **options)
    return outputs, tuple(state)


def recurrence_kernels():
    """The entries of `kernel_table` for recurrent layers."""
    return [(recurrence, in_one, None, recurrence_fits)]
