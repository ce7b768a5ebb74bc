"""Module 17: kernels in the place of operations, equal to them, taken away again."""

import ctypes
import importlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest
from cases import AREAS
from golden import RECORDED, compare, load, run

import tinytorch as torch
from tinytorch import autograd, embeddings, optimizers
from tinytorch.given.acceleration.registry import kernels_of, register_kernel
from tinytorch.tensor import Exp, Mul

F = torch.nn.functional


def leaf(*shape, seed=0):
    x = torch.tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))
    return x.requires_grad_()


def noted(calls, name="kernel"):
    """A forward of exp that notes its calls and saves what exp saves, and a rule that notes its own."""

    def forward(ctx, x):
        calls.append(name)
        output = np.exp(x)
        ctx.save_for_backward(output)
        return output

    def backward(ctx, grad):
        calls.append(f"{name}'s rule")
        (output,) = ctx.saved_tensors
        return grad * output

    return forward, backward


def test_a_kernel_runs_forward_and_backward_until_it_is_removed():
    own, calls, x = vars(Exp)["forward"], [], leaf(3)
    handle = register_kernel(Exp, *noted(calls))
    y = x.exp()
    y.backward(torch.ones(3))
    assert calls == ["kernel", "kernel's rule"]
    np.testing.assert_array_equal(x.grad.numpy(), y.detach().numpy())
    assert kernels_of(Exp) == 1
    handle.remove()
    handle.remove()
    x.exp().sum().backward()
    assert calls == ["kernel", "kernel's rule"], "nothing is called once it has been removed"
    assert vars(Exp)["forward"] is own, "the operation is what it was"
    assert kernels_of(Exp) == 0


def test_a_call_keeps_the_rule_of_the_kernel_that_took_it():
    calls, x, z = [], leaf(3), leaf(3, seed=1)
    before = z.exp()
    with register_kernel(Exp, *noted(calls)):
        y = x.exp()
        before.sum().backward()
        assert calls == ["kernel"], "a call that was made before has its own rule"
    y.sum().backward()
    assert calls == ["kernel", "kernel's rule"], "a call that the kernel took has the kernel's"


def test_without_a_rule_of_its_own_a_kernel_uses_the_operations():
    calls, x = [], leaf(3)
    with register_kernel(Exp, noted(calls)[0]):
        y = x.exp()
        y.backward(torch.tensor([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(x.grad.numpy(), y.detach().numpy() * [1, 2, 3], rtol=1e-6)
    assert calls == ["kernel"]


def test_rules_on_tensors_are_the_operations_own():
    calls, x = [], leaf(3)
    with register_kernel(Exp, *noted(calls)):
        (first,) = torch.autograd.grad(x.exp().sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)
    assert "kernel's rule" not in calls[:1]
    np.testing.assert_allclose(second.numpy(), np.exp(x.detach().numpy()), rtol=1e-6)


def test_a_rule_alone_follows_the_operations_forward():
    calls, x = [], leaf(3)
    with register_kernel(Exp, backward=noted(calls)[1]):
        x.exp().sum().backward()
    assert calls == ["kernel's rule"]
    np.testing.assert_allclose(x.grad.numpy(), np.exp(x.detach().numpy()), rtol=1e-6)


def test_when_sees_the_arrays_and_the_options_of_a_call():
    calls, seen = [], []

    def forward(ctx, x, dim):
        calls.append(dim)
        return np.ones_like(x)

    def when(x, dim):
        seen.append((x.shape, dim))
        return x.dtype == np.float32

    x = np.random.default_rng(0).standard_normal((2, 3))
    wanted = F.softmax(torch.tensor(x), 1).numpy()
    with register_kernel(torch.activations.Softmax, forward, when=when):
        np.testing.assert_array_equal(F.softmax(torch.tensor(x.astype(np.float32)), 0).numpy(), 1)
        np.testing.assert_array_equal(F.softmax(torch.tensor(x), 1).numpy(), wanted, "float64 is not taken")
    assert calls == [0]
    assert seen == [((2, 3), 0), ((2, 3), 1)]


def test_the_latest_kernel_that_takes_a_call_runs_it_in_whatever_order_they_go():
    calls = []
    first = register_kernel(Exp, *noted(calls, "first"))
    second = register_kernel(Exp, *noted(calls, "second"), when=lambda x: x.size > 2)
    leaf(3).exp().sum().backward()
    leaf(2).exp().sum().backward()
    assert calls == ["second", "second's rule", "first", "first's rule"]
    first.remove()
    calls.clear()
    leaf(3).exp(), leaf(2).exp()
    assert calls == ["second"]
    second.remove()
    assert kernels_of(Exp) == 0


def test_the_rule_of_a_kernel_below_is_not_used_after_another_kernels_forward():
    calls, x = [], leaf(3)
    forward, backward = noted(calls, "lower")
    with register_kernel(Exp, forward, backward), register_kernel(Exp, noted(calls, "upper")[0]):
        x.exp().sum().backward()
    assert calls == ["upper"], "what the lower kernel's rule needs, only its own forward has saved"


def test_rules_that_call_an_operation_call_its_kernel():
    calls, x = [], leaf(3)
    with register_kernel(Exp, noted(calls)[0]):
        autograd.call(Exp, x.detach().numpy())
    assert calls == ["kernel"]


def test_what_an_operation_inherits_is_not_left_behind_as_its_own():
    class Twice(Mul):
        pass

    with register_kernel(Twice, lambda ctx, x, y: x * y + 1):
        assert Twice.apply(torch.tensor(2.0), 3).item() == 7
        assert (torch.tensor(2.0) * 3).item() == 6, "the operation that it inherits from is not touched"
    assert "forward" not in vars(Twice)


def test_a_class_that_inherits_keeps_its_own_ways():
    from tinytorch.given.transformer.normalization import LayerNormalization

    x = leaf(2, 4)
    wanted = F.rms_norm(x, (4,)).detach().numpy()
    with register_kernel(LayerNormalization, lambda ctx, x, *rest, **options: np.zeros_like(x)):
        assert (F.layer_norm(x, (4,)).detach().numpy() == 0).all()
        np.testing.assert_array_equal(F.rms_norm(x, (4,)).detach().numpy(), wanted)
    wanted = np.var(x.detach().numpy(), axis=1)
    np.testing.assert_allclose(
        F.layer_norm(x, (4,)).detach().numpy().var(1), wanted / (wanted + 1e-5), rtol=1e-4
    )


def test_errors_in_a_with_block_take_the_kernel_away():
    with pytest.raises(ZeroDivisionError), register_kernel(Exp, noted([])[0]):
        raise ZeroDivisionError
    assert kernels_of(Exp) == 0


def test_functions_are_exchanged_wherever_they_have_been_imported():
    plain, calls = autograd.add_rows, []

    def kernel(grad, rows, shape):
        calls.append(shape)
        return plain(grad, rows, shape)

    layer = torch.nn.Embedding(5, 2)
    with register_kernel(autograd.add_rows, kernel, when=lambda grad, rows, shape: grad.dtype == np.float32):
        layer(torch.tensor([1, 1, 3])).sum().backward()
        x = torch.zeros(5, 2, dtype=torch.float64, requires_grad=True)
        F.embedding(torch.tensor([1, 1, 3]), x).sum().backward()
        assert kernels_of(autograd.add_rows) == 1
        assert kernels_of(plain) == 1
        with register_kernel(autograd.add_rows, kernel):
            assert kernels_of(plain) == 2
    assert calls == [(5, 2)], "the embedding's gradient has called the kernel; float64 has not"
    np.testing.assert_array_equal(layer.weight.grad.numpy()[:, 0], [0, 2, 0, 1, 0])
    from tinytorch.given.autograd import indexing_rules

    assert autograd.add_rows is plain
    assert indexing_rules.add_rows is plain
    assert getattr(embeddings, "add_rows", plain) is plain


def test_methods_are_exchanged_in_their_class():
    plain, seen = vars(optimizers.Adam)["update"], []
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)

    def kernel(optimizer, parameter, grad, group, work):
        seen.append(type(optimizer).__name__)
        parameter.array -= 1

    with register_kernel(
        optimizers.Adam.update, kernel, when=lambda optimizer, *rest: optimizer.defaults["lr"] > 1
    ):
        torch.optim.AdamW([parameter], lr=2.0).step()
        np.testing.assert_array_equal(parameter.detach().numpy(), 0)
        torch.optim.AdamW([parameter], lr=0.5, weight_decay=0).step()
        np.testing.assert_allclose(parameter.detach().numpy(), -0.5, rtol=1e-5)
    assert seen == ["AdamW"]
    assert vars(optimizers.Adam)["update"] is plain


def test_what_makes_no_sense_is_refused():
    with pytest.raises(TypeError, match="a kernel for Exp needs a forward"):
        register_kernel(Exp)
    with pytest.raises(TypeError, match="it takes no backward"):
        register_kernel(autograd.add_rows, autograd.add_rows, lambda ctx, grad: grad)
    assert kernels_of(Exp) == 0


def normal(*shape, seed=0, dtype=np.float32, scale=1.0):
    return (scale * np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


def quantized(x):
    torch.manual_seed(0)
    layer = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.Linear(33, 7)))
    return layer(x.detach())


def dropped(q, k, v):
    torch.manual_seed(0)
    return F.scaled_dot_product_attention(q, k, v, dropout_p=0.4, is_causal=True)


def halved(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.05)


def masked(q, k, v):
    mask = torch.tensor(np.tri(5, dtype=bool))
    mask.array[2] = False  # a query that may look at nothing
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def batch_norm(x, weight, bias):
    mean, var = torch.zeros(3, dtype=x.dtype), torch.ones(3, dtype=x.dtype)
    y = F.batch_norm(x, mean, var, weight, bias, training=True, momentum=0.3, eps=1e-3)
    return y * (1 + mean.sum() + var.sum())


SHAPES = [(4, 3, 5), (2, 3, 6), (2, 3, 6)]  # 4 steps of 3 sequences, a state for each direction


def recurrent(kind, *options, **more):
    """A layer of 6 over sequences of vectors of 5, with what comes out of every step and at the end."""

    def function(x, *state):
        torch.manual_seed(0)
        layer = getattr(torch.nn, kind)(5, 6, *options, **more).to(x.dtype)
        x = x.transpose(0, 1) if layer.batch_first else x
        outputs, last = layer(x, state if kind == "LSTM" else state[0])
        weights = torch.cat([outputs.flatten(), *(s.flatten() for s in last)])
        grads = torch.autograd.grad(weights.square().mean(), list(layer.parameters()), retain_graph=True)
        return torch.cat([weights, *(g.flatten() for g in grads)])

    return function


def packed(x, *state):
    sequences = torch.nn.utils.rnn.pack_padded_sequence(x, [2, 4, 1], enforce_sorted=False)
    torch.manual_seed(0)
    outputs, last = torch.nn.LSTM(5, 6, bidirectional=True).to(x.dtype)(sequences, state)
    return torch.cat([outputs.data.flatten(), *(s.flatten() for s in last)])


LABELS = np.array([3, 0, -100, 6, 6])
TABLE = np.array([[4, 4, 0], [1, 4, 5]])
CASES = {
    "exp": (lambda x: x.exp(), [(5, 7)]),
    "relu": (F.relu, [(5, 7)]),
    "sigmoid": (torch.sigmoid, [(5, 7)]),
    "tanh": (torch.tanh, [(5, 7)]),
    "silu": (F.silu, [(5, 7)]),
    "softplus": (F.softplus, [(5, 7)]),
    "softplus, beta 3, threshold 2": (lambda x: F.softplus(x, 3.0, 2.0), [(5, 7)]),
    "gelu": (F.gelu, [(5, 7)]),
    "gelu (tanh)": (lambda x: F.gelu(x, approximate="tanh"), [(5, 7)]),
    "softmax": (lambda x: F.softmax(x, -1), [(3, 5, 7)]),
    "silu of a half": (lambda x: F.silu(x.chunk(2, -1)[1]), [(3, 5, 8)]),
    "gelu of a half": (lambda x: F.gelu(x.chunk(2, -1)[0]), [(3, 5, 8)]),
    "softplus of rows apart": (lambda x: F.softplus(x[:, 1]), [(3, 5, 8)]),
    "relu of a half": (lambda x: F.relu(x.chunk(2, -1)[1]), [(5, 8)]),
    "softmax along dim 1": (lambda x: F.softmax(x, 1), [(3, 5, 7)]),
    "softmax of one row": (lambda x: F.softmax(x, 0), [(7,)]),
    "cross-entropy": (lambda x: F.cross_entropy(x, torch.tensor(LABELS)), [(5, 7)]),
    "cross-entropy, none": (lambda x: F.cross_entropy(x, torch.tensor(LABELS), reduction="none"), [(5, 7)]),
    "cross-entropy, smooth": (
        lambda x: F.cross_entropy(x, torch.tensor(LABELS), label_smoothing=0.1),
        [(5, 7)],
    ),
    "cross-entropy, weights": (
        lambda x: F.cross_entropy(x, torch.tensor(LABELS), torch.arange(7).to(x.dtype) / 7),
        [(5, 7)],
    ),
    "cross-entropy of images": (lambda x: F.cross_entropy(x, torch.tensor(TABLE)), [(2, 7, 3)]),
    "layer norm": (lambda x, w, b: F.layer_norm(x, (7,), w, b), [(3, 5, 7), (7,), (7,)]),
    "layer norm over two": (lambda x, w, b: F.layer_norm(x, (5, 7), w, b, 0.1), [(3, 5, 7), (5, 7), (5, 7)]),
    "layer norm, no bias": (lambda x, w: F.layer_norm(x, (7,), w), [(3, 5, 7), (7,)]),
    "rms norm": (lambda x, w: F.rms_norm(x, (7,), w), [(3, 5, 7), (7,)]),
    "rms norm over two": (lambda x, w: F.rms_norm(x, (5, 7), w, 0.1), [(3, 5, 7), (5, 7)]),
    "conv": (lambda x, w, b: F.conv2d(x, w, b, padding=1), [(2, 3, 6, 7), (4, 3, 3, 3), (4,)]),
    "conv, all options": (
        lambda x, w: F.conv2d(x, w, stride=(2, 3), padding=(2, 1), dilation=(1, 2), groups=2),
        [(2, 4, 8, 9), (6, 2, 3, 2)],
    ),
    "conv of seven filters": (
        lambda x, w, b: F.conv2d(x, w, b, padding=(2, 1), dilation=(1, 2)),
        [(2, 5, 6, 7), (7, 5, 3, 2), (7,)],
    ),
    "conv in groups": (lambda x, w: F.conv2d(x, w, padding=1, groups=2), [(2, 6, 5, 4), (10, 3, 2, 3)]),
    "conv with a wide margin": (lambda x, w: F.conv2d(x, w, padding=3), [(2, 3, 4, 5), (5, 3, 2, 2)]),
    "conv of sequences": (lambda x, w, b: F.conv1d(x, w, b, padding=2), [(3, 2, 30), (3, 2, 5), (3,)]),
    "conv, transposed": (
        lambda x, w: F.conv_transpose2d(x, w, padding=1, groups=2),
        [(2, 4, 4, 5), (4, 3, 3, 3)],
    ),
    "depthwise conv": (
        lambda x, w, b: F.conv2d(x, w, b, padding=1, groups=3),
        [(2, 3, 6, 7), (3, 1, 3, 3), (3,)],
    ),
    "depthwise conv, two filters each": (
        lambda x, w: F.conv2d(x, w, padding=(0, 3), dilation=(2, 1), groups=3),
        [(2, 3, 6, 7), (6, 1, 2, 5)],
    ),
    "depthwise conv with strides": (
        lambda x, w, b: F.conv2d(x, w, b, stride=(2, 3), padding=(2, 1), dilation=(1, 2), groups=4),
        [(2, 4, 8, 9), (8, 1, 3, 2), (8,)],
    ),
    "depthwise conv of sequences": (lambda x, w: F.conv1d(x, w, groups=3), [(2, 3, 6), (3, 1, 3)]),
    "depthwise conv, transposed": (
        lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1, groups=3),
        [(2, 3, 4, 5), (3, 1, 3, 3)],
    ),
    "max pool": (lambda x: F.max_pool2d(x, 2), [(2, 3, 6, 8)]),
    "max pool of odd sizes": (lambda x: F.max_pool2d(x, 2), [(2, 3, 7, 8)]),
    "max pool by threes": (lambda x: F.max_pool2d(x, 3, 2, 1), [(2, 3, 7, 8)]),
    "batch norm": (batch_norm, [(4, 3, 5, 6), (3,), (3,)]),
    "batch norm of rows": (lambda x: F.batch_norm(x, None, None, training=True), [(6, 3)]),
    "embedding": (lambda w: F.embedding(torch.tensor(TABLE), w, padding_idx=1), [(6, 5)]),
    "indexing": (lambda x: x[torch.tensor([0, -1, 2, -1])], [(4, 3, 2)]),
    "attention": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(2, 3, 5, 4)] * 3,
    ),
    "attention of groups": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
        [(2, 4, 5, 4), (2, 2, 5, 4), (2, 2, 5, 3)],
    ),
    "attention to longer keys": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3),
        [(2, 1, 5, 4), (3, 7, 4), (2, 3, 7, 6)],
    ),
    "attention to shorter keys": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(7, 4), (5, 4), (5, 6)],
    ),
    "attention to all, values of more heads": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.1),
        [(3, 5, 4), (3, 7, 4), (2, 3, 7, 6)],
    ),
    "attention, dropped": (dropped, [(2, 3, 5, 4)] * 3),
    "attention of many positions": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(2, 130, 4)] * 3,
    ),
    "attention in halves": (halved, [(2, 1, 128, 4), (2, 128, 4), (2, 128, 3)]),
    "attention in halves, to shorter keys": (halved, [(2, 140, 4), (2, 90, 4), (2, 90, 4)]),
    "attention in halves, to few keys": (halved, [(2, 140, 4), (2, 70, 4), (2, 70, 4)]),
    "attention, masked": (masked, [(2, 5, 4), (2, 5, 4), (2, 5, 3)]),
    "cat": (lambda *parts: torch.cat(parts, -2), [(5, 2, 4), (5, 3, 4), (5, 1, 4)]),
    "linear": (F.linear, [(6, 4), (9, 4), (9,)]),
    "int8": (quantized, [(3, 33)]),
    "RNN": (recurrent("RNN", 2), SHAPES[:2]),
    "RNN with relu": (recurrent("RNN", nonlinearity="relu", bidirectional=True, bias=False), SHAPES[:2]),
    "LSTM": (recurrent("LSTM", 2), SHAPES),
    "LSTM, both ways": (recurrent("LSTM", bidirectional=True, batch_first=True), SHAPES),
    "LSTM without biases": (recurrent("LSTM", 2, False), SHAPES),
    "LSTM with a projection": (recurrent("LSTM", 2, proj_size=3), [*SHAPES[:1], (2, 3, 3), (2, 3, 6)]),
    "LSTM of packed sequences": (packed, SHAPES),
    "GRU": (recurrent("GRU", 2), SHAPES[:2]),
    "GRU, both ways, without biases": (recurrent("GRU", bias=False, bidirectional=True), SHAPES[:2]),
}


def results(function, arrays, views=False):
    """The value, and the gradients for a random cotangent."""
    inputs = [torch.tensor(a, requires_grad=True) for a in arrays]
    seen = [x.transpose(0, -1) if views else x for x in inputs]
    output = function(*seen)
    found = [output.detach().numpy()]
    if output.requires_grad:
        output.backward(torch.tensor(normal(*output.shape, seed=9, dtype=found[0].dtype)))
        found += [x.grad.numpy() for x in inputs]
    return found


def check_alike(found, wanted, rtol=2e-5, atol=2e-6):
    for one, right in zip(found, wanted, strict=True):
        assert (one.shape, one.dtype) == (right.shape, right.dtype)
        np.testing.assert_allclose(one, right, rtol, atol)


@pytest.mark.parametrize("name", CASES)
def test_an_accelerated_operation_is_the_plain_one(name):
    function, shapes = CASES[name]
    arrays = [normal(*shape, seed=seed, scale=2) for seed, shape in enumerate(shapes)]
    kept = [a.copy() for a in arrays]
    wanted = results(function, arrays)
    with torch.accelerate():
        check_alike(results(function, arrays), wanted)
        for array, before in zip(arrays, kept):
            np.testing.assert_array_equal(array, before)
    check_alike(results(function, arrays), wanted, 0, 0)


@pytest.fixture
def three_threads(monkeypatch):
    """Rows go to three threads, however few they are; a list of how many slices there were."""
    from tinytorch.given.acceleration import matrix_products, threads

    parts, begin = [], threads.Worker.begin
    monkeypatch.setattr(threads, "LEAST", 1e-6)
    for module in (threads, matrix_products):
        monkeypatch.setattr(module, "kernel_threads", lambda: 3)
    monkeypatch.setattr(matrix_products, "FEW", 0)
    monkeypatch.setattr(threads.Worker, "begin", lambda *given: parts.append(given) or begin(*given))
    return parts


def test_operations_are_the_same_on_several_threads(three_threads):
    silent = set()
    for name, (function, shapes) in CASES.items():
        arrays = [normal(*shape, seed=seed, scale=2) for seed, shape in enumerate(shapes)]
        wanted = results(function, arrays)
        three_threads.clear()
        with torch.accelerate():
            check_alike(results(function, arrays), wanted)
        if not three_threads:
            silent.add(name)
    images = {"conv", "conv in groups", "depthwise conv", "max pool"}
    assert silent.isdisjoint(images | {"relu", "gelu", "softplus", "layer norm", "rms norm", "cross-entropy"})


def test_rows_are_cut_into_slices_that_follow_one_another(three_threads):
    from tinytorch.given.acceleration.threads import by_rows

    cut = lambda rows, nanoseconds: by_rows(lambda part: (repr, part), rows, nanoseconds)
    assert cut(10, 1) == ["slice(0, 3, None)", "slice(3, 6, None)", "slice(6, 10, None)"]
    assert cut(2, 1) == ["slice(0, 1, None)", "slice(1, 2, None)"]
    assert cut(1, 1) == ["slice(0, 1, None)"]
    assert cut(10, 0) == ["slice(0, 10, None)"], "too little for a second thread"
    for wrong in (0, 3, 6):
        with pytest.raises(ZeroDivisionError):
            by_rows(lambda part, wrong=wrong: (divmod, 1, part.start - wrong), 10, 1)


def test_kernels_use_the_threads_that_are_allowed():
    from tinytorch.given.acceleration import threads

    before, most = torch.get_num_threads(), numba.config.NUMBA_NUM_THREADS
    for count in (1, 2, 1000):
        torch.set_num_threads(count)
        parts = threads.by_rows(lambda part: (repr, part), 10_000, 1e12)
        assert len(parts) == min(count, most)
    torch.set_num_threads(before)


def test_rows_that_are_handed_over_at_the_same_time_are_all_done(three_threads):
    from tinytorch.given.acceleration.threads import by_rows

    def rows(number):
        inner = lambda start: by_rows(lambda inside: (max, start, inside.start), 6, 1)
        return [by_rows(lambda part: (inner, part.start), 9, 1) for _ in range(5)]

    wanted = [[max(i, j) for j in (0, 2, 4)] for i in (0, 3, 6)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(rows, range(4))) == [[wanted] * 5] * 4


def test_workers_that_sleep_are_woken(three_threads, monkeypatch):
    from tinytorch.given.acceleration import threads

    monkeypatch.setattr(threads, "LOOKS", 1)
    for _ in range(50):
        assert threads.by_rows(lambda part: (abs, part.start), 9, 1) == [0, 3, 6]


def test_products_on_several_threads_are_those_of_numpy(three_threads):
    from tinytorch.given.acceleration.matrix_products import product

    shapes = [
        ((5, 4), (4, 7)),
        ((7, 4), (4, 5)),
        ((2, 3, 5, 4), (4, 7)),
        ((1, 5, 4), (3, 4, 2)),
        ((1, 3, 4), (4, 9)),
    ]
    for left, right in [*shapes, ((0, 4), (4, 7)), ((5, 0), (0, 7))]:
        a, b = normal(*left), normal(*right, seed=1)
        three_threads.clear()
        np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-5, atol=1e-6)
        for bias in (normal(right[-1], seed=2), normal(1, seed=2)):
            np.testing.assert_allclose(product(a, b, bias=bias), a @ b + bias, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            product(b.swapaxes(-1, -2), a.swapaxes(-1, -2)), (a @ b).swapaxes(-1, -2), rtol=1e-5, atol=1e-6
        )
        assert three_threads or not (a @ b).size or not a.size


def test_products_use_one_thread_of_blas_and_give_the_others_back(three_threads, monkeypatch):
    from tinytorch.given.acceleration import matrix_products

    before, seen = torch.get_num_threads(), []
    torch.set_num_threads(2)
    matmul = lambda *given, out: seen.append(torch.get_num_threads()) or np.add(1, 1, out=out)
    monkeypatch.setattr(np, "matmul", matmul)
    matrix_products.product(normal(8, 4), normal(4, 8))
    assert seen == [1, 1, 1]
    assert torch.get_num_threads() == 2
    monkeypatch.setattr(np, "matmul", lambda *given, out: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        matrix_products.product(normal(8, 4), normal(4, 8))
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own():
    code = (
        "import os, numpy as np\n"
        "from tinytorch.given.acceleration import threads\n"
        "threads.kernel_threads = lambda: 2\n"
        "rows = lambda: threads.by_rows(lambda part: (abs, part.stop), 10, 1e9)\n"
        "first, child = rows(), os.fork()\n"
        "if not child: os._exit(7 if rows() == first == [5, 10] else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert fresh_python(code) == "7\n"


@pytest.mark.skipif(
    not (sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallopt")), reason="not glibc"
)
def test_memory_that_arrays_give_back_is_kept_for_the_next_ones():
    code = (
        "import resource, numpy as np, tinytorch\n"
        "def faults():\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "    for _ in range(20):\n"
        "        arrays = [np.ones(2**21, np.float32) for _ in range(4)]\n"
        "    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before\n"
        "tinytorch.accelerate().remove()\n"
        "faults()\n"
        "print(faults())"
    )
    assert int(fresh_python(code)) < 2000, "a page of 4 kB is touched for the first time once, not 20 times"


IMAGES = {  # images, filters, padding, dilation, groups: more rows, images and numbers than one block has
    "many rows": ((2, 3, 70, 9), (4, 3, 3, 3), (1, 1), (1, 1), 1),
    "wide rows": ((2, 2, 3, 300), (5, 2, 2, 3), (0, 2), (1, 2), 1),
    "many images": ((70, 2, 6, 5), (2, 2, 3, 3), (1, 1), (1, 1), 1),
    "one place": ((3, 4, 2, 2), (6, 2, 2, 2), (0, 0), (1, 1), 2),
    "large filters": ((2, 3, 12, 13), (9, 3, 7, 6), (3, 0), (1, 1), 1),
}


@pytest.mark.parametrize("name", IMAGES)
def test_convolutions_without_columns_are_right_for_all_sizes(name):
    images, filters, padding, dilation, groups = IMAGES[name]
    function = lambda x, w, b: F.conv2d(x, w, b, 1, padding, dilation, groups)
    arrays = [normal(*shape, seed=seed) for seed, shape in enumerate((images, filters, filters[:1]))]
    wanted = results(function, [a.astype(np.float64) for a in arrays])
    with torch.accelerate():
        found = results(function, arrays)
    for one, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, right, rtol=0, atol=2e-6 * np.abs(right).max())


def test_convolutions_are_right_on_a_processor_with_smaller_registers():
    code = (
        "import sys, pytest, llvmlite.binding as binding\n"
        "features = binding.get_host_cpu_features()\n"
        "features.update(dict.fromkeys([name for name in features if name.startswith('avx512')], False))\n"
        "binding.get_host_cpu_features = lambda: features\n"
        "from tinytorch.given.acceleration.vectors import WIDTH\n"
        "assert WIDTH == 8\n"
        f"sys.exit(pytest.main(['-qx', {__file__!r}, '-k', 'columns_are_right or nan_reaches']))"
    )
    assert fresh_python(code, TINYTORCH_KEEP_KERNELS="0").split()[0] == "......"


def test_a_nan_reaches_only_what_sees_it():
    x, w = normal(2, 4, 5, 6), normal(6, 2, 3, 3, seed=1)
    x[1, 3, 4, 5] = np.nan
    function = lambda x, w: F.conv2d(x, w, padding=1, groups=2)
    wanted = results(function, [x, w])
    with torch.accelerate():
        found = results(function, [x, w])
    assert np.isnan(wanted[0]).sum() == 3 * 4
    for one, right in zip(found[:2], wanted):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(right))
    of_filters = np.isnan(found[2])
    assert of_filters[3:, 1].any(), "the filters that have seen it"
    of_filters[3:, 1] = False
    assert not of_filters.any(), "no others"


def test_second_derivatives_of_convolutions_are_those_of_the_plain_ones():
    x, w = leaf(2, 4, 6, 5), leaf(6, 2, 3, 3, seed=1)
    cotangent = torch.tensor(normal(2, 6, 6, 5, seed=2))

    def second():
        y = F.conv2d(x, w, padding=1, groups=2).square()
        first = torch.autograd.grad(y, [x, w], cotangent, create_graph=True)
        return torch.autograd.grad(sum(g.square().sum() for g in first), [x, w])

    wanted = second()
    with torch.accelerate():
        found = second()
    for one, right in zip(found, wanted):
        np.testing.assert_allclose(one.numpy(), right.numpy(), rtol=0, atol=1e-5 * right.abs().max().item())


def test_a_convolution_of_no_images():
    with torch.accelerate():
        output, of_images, of_filters = results(F.conv2d, [normal(0, 2, 5, 5), normal(3, 2, 3, 3)])
    assert (output.shape, of_images.shape) == ((0, 3, 3, 3), (0, 2, 5, 5))
    np.testing.assert_array_equal(of_filters, np.zeros((3, 2, 3, 3)))


@pytest.mark.parametrize("name", CASES)
def test_what_no_kernel_takes_stays_with_the_operation(name):
    """float64, and arrays that are laid out in another order."""
    function, shapes = CASES[name]
    arrays = [normal(*shape, seed=seed, dtype=np.float64) for seed, shape in enumerate(shapes)]
    turned = [np.ascontiguousarray(a.astype(np.float32).swapaxes(0, -1)) for a in arrays]
    if name == "int8":
        arrays = [a.astype(np.float32) for a in arrays]
    wanted = results(function, arrays), results(function, turned, views=True)
    with torch.accelerate():
        check_alike(results(function, arrays), wanted[0], 2e-5 if name == "int8" else 1e-12, 1e-6)
        check_alike(results(function, turned, views=True), wanted[1])


def test_every_kernel_is_reached_by_these_cases(monkeypatch):
    reached, entries = set(), torch.acceleration.kernel_table()

    def noting(number, forward):
        def run(*inputs, **options):
            reached.add(number)
            return forward(*inputs, **options)

        return run if forward else None

    handles = [
        register_kernel(f, noting(n, forward), noting(n, backward), when)
        for n, (f, forward, backward, when) in enumerate(entries)
    ]
    for function, shapes in CASES.values():
        results(function, [normal(*shape) for shape in shapes])
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    torch.optim.AdamW([parameter]).step()
    for handle in handles:
        handle.remove()
    names = {entries[n][0].__qualname__ for n in range(len(entries)) if n not in reached}
    assert names == {"GroupedProduct", "Block.forward", "IntegerProduct"}, "see test_generation_kernels.py"


@pytest.mark.parametrize(
    "name", ["exp", "relu", "sigmoid", "tanh", "silu", "softplus", "gelu", "gelu (tanh)"]
)
def test_infinities_and_nan_stay_what_they_are(name):
    x = np.float32([np.nan, np.inf, -np.inf, 0, -0.0, 1e-30, 60, -60, 100, -100, 1e-3, 3, -3])
    finite = ~np.isinf(x)
    with np.errstate(all="ignore"):
        wanted = results(CASES[name][0], [x])
        with torch.accelerate():
            found = results(CASES[name][0], [x])
    np.testing.assert_allclose(found[0], wanted[0], rtol=3e-6, atol=1e-6)
    np.testing.assert_allclose(found[1][finite], wanted[1][finite], rtol=1e-5, atol=1e-6)


def test_scalars_and_empty_arrays_have_results_too():
    with torch.accelerate():
        x = torch.tensor(0.5, requires_grad=True)
        F.gelu(x).backward()
        assert x.grad.shape == ()
        assert F.softmax(torch.zeros(0, 3), 1).shape == (0, 3)
        assert torch.sigmoid(torch.zeros(2, 0)).shape == (2, 0)


def test_elementwise_kernels_are_exact_to_a_few_units_of_the_last_place():
    from scipy.special import erf

    x = np.linspace(-12, 12, 300_001).astype(np.float32)
    wide = x.astype(np.float64)
    exact = {
        "exp": np.exp(wide),
        "sigmoid": 1 / (1 + np.exp(-wide)),
        "tanh": np.tanh(wide),
        "silu": wide / (1 + np.exp(-wide)),
        "softplus": np.log1p(np.exp(wide)),
    }
    with torch.accelerate():
        for name, wanted in exact.items():
            found = CASES[name][0](torch.tensor(x)).numpy()
            error = np.abs(found - wanted) / np.maximum(np.abs(wanted), 1e-30)
            assert error.max() < 6e-7, f"{name} is off by {error.max():.1e} at {x[error.argmax()]}"
        gelu = F.gelu(torch.tensor(x)).numpy()
    np.testing.assert_allclose(gelu, wide / 2 * (1 + erf(wide / 2**0.5)), atol=2e-6)


@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.3}, {"maximize": True}, {"amsgrad": True}])
@pytest.mark.parametrize("kind", ["Adam", "AdamW"])
def test_optimizers_go_the_same_way(kind, options):
    def trained(accelerated):
        parameters = [
            torch.nn.Parameter(torch.tensor(normal(4, 5))),
            torch.nn.Parameter(torch.tensor(normal(3))),
            torch.nn.Parameter(torch.tensor(normal(2, 3, dtype=np.float64))),
            torch.nn.Parameter(torch.tensor(normal(2, 3)).t()),
            torch.nn.Parameter(torch.tensor(normal(2))),
        ]
        groups = [{"params": parameters[:3]}, {"params": parameters[3:], "lr": 0.2, "betas": (0.5, 0.9)}]
        optimizer = getattr(torch.optim, kind)(groups, lr=0.05, **options)
        handle = torch.accelerate() if accelerated else None
        for step in range(5):
            for parameter in parameters[: len(parameters) - step % 2]:  # the last counts fewer steps
                dtype = parameter.array.dtype
                parameter.grad = torch.tensor(normal(*parameter.shape, seed=step, dtype=dtype))
            optimizer.step()
            optimizer.zero_grad()
        if handle:
            handle.remove()
        return [p.detach().numpy() for p in parameters]

    check_alike(trained(True), trained(False), 1e-5, 1e-6)


def gpt(**changes):
    torch.manual_seed(0)
    options = {"vocab_size": 13, "block_size": 8, "n_layer": 2, "n_head": 2, "n_embd": 16, "dropout": 0.0}
    return torch.GPT(torch.GPTConfig(**options | changes))


def test_models_learn_the_same_with_kernels():
    tokens = np.random.default_rng(0).integers(0, 13, (4, 9))

    def losses(make, loss_of, accelerated):
        model = make()
        optimizer, found = torch.optim.AdamW(model.parameters(), lr=3e-3), []
        with torch.accelerate(model) if accelerated else torch.enable_grad():
            for _ in range(8):
                optimizer.zero_grad()
                loss = loss_of(model)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                found.append(loss.item())
        return found

    def text(model):
        return torch.next_token_loss(model(torch.tensor(tokens[:, :-1])), torch.tensor(tokens[:, 1:]))

    def lenet():
        torch.manual_seed(0)
        return torch.LeNet(image_size=8)

    images, labels = torch.Digits().tensors()
    digits = lambda model: F.cross_entropy(model(images[:32]), labels[:32])
    for make, loss_of in ((gpt, text), (lenet, digits)):
        found, wanted = losses(make, loss_of, True), losses(make, loss_of, False)
        np.testing.assert_allclose(found, wanted, rtol=2e-4)
        assert wanted[-1] < wanted[0]


def test_bias_and_gelu_are_fused_where_that_is_the_same():
    from tinytorch.given.acceleration.fusing import can_fuse

    model = gpt()
    mlp = model.transformer.h[0].mlp
    x = torch.tensor(normal(2, 3, 16), requires_grad=True)
    wanted = mlp(x).detach().numpy()
    assert not any(can_fuse(module) for module in gpt(bias=False).modules())
    with torch.accelerate(model):
        assert not can_fuse(mlp)
        output = mlp(x)
        (first,) = torch.autograd.grad(output.sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.square().sum(), x)
        seen = []
        hook = mlp.c_fc.register_forward_hook(lambda module, inputs, output: seen.append(output.shape))
        mlp(x)
        hook.remove()
        assert seen == [torch.Size([2, 3, 64])], "a hook on the layer inside is called"
    np.testing.assert_allclose(output.detach().numpy(), wanted, rtol=1e-5, atol=1e-6)
    (first,) = torch.autograd.grad(mlp(x).sum(), x, create_graph=True)
    (plain,) = torch.autograd.grad(first.square().sum(), x)
    np.testing.assert_allclose(second.numpy(), plain.numpy(), rtol=1e-4, atol=1e-6)
    assert "forward" not in vars(mlp)


@pytest.mark.parametrize("bias", [True, False])
def test_the_gate_of_an_mlp_is_fused_where_that_is_the_same(bias):
    from tinytorch.given.acceleration.fusing import SiluGate, can_fuse

    model = gpt(gated=True, bias=bias)
    mlp = model.transformer.h[0].mlp
    x = torch.tensor(normal(2, 3, 16), requires_grad=True)
    cotangent = torch.tensor(normal(2, 3, 16, seed=1))

    def measured():
        inputs = [x, *mlp.parameters()]
        output = mlp(x)
        first = torch.autograd.grad(output, inputs, cotangent, create_graph=True)
        (second,) = torch.autograd.grad(first[0].square().sum(), x)
        plain = torch.autograd.grad(mlp(x), inputs, cotangent)
        return [y.detach().numpy() for y in (output, *first, second, *plain)]

    wanted, calls, forward = measured(), [], SiluGate.forward
    with torch.accelerate(model):
        assert not can_fuse(mlp)
        SiluGate.forward = staticmethod(lambda ctx, x: calls.append(x.shape) or forward(ctx, x))
        found = measured()
        SiluGate.forward = staticmethod(forward)
    assert calls == [(2, 3, 128)] * 2
    check_alike(found, wanted, 1e-4, 1e-5)
    assert "forward" not in vars(mlp)


def test_second_derivatives_pass_through_accelerated_operations():
    x = torch.tensor(normal(3, 4, dtype=np.float32), requires_grad=True)

    def second(function):
        (first,) = torch.autograd.grad(function(x).square().sum(), x, create_graph=True)
        return torch.autograd.grad(first.square().sum(), x)[0].numpy()

    for name in ("exp", "sigmoid", "tanh", "silu", "gelu (tanh)", "softmax", "rms norm", "cross-entropy"):
        function = CASES[name][0]
        if name == "cross-entropy":
            function = lambda x: F.cross_entropy(x, torch.tensor([3, -100, 0]))
        if name == "rms norm":
            function = lambda x: F.rms_norm(x, (4,), torch.ones(4))
        if name == "softmax":
            function = lambda x: F.softmax(x, -1)
        wanted = second(function)
        with torch.accelerate():
            np.testing.assert_allclose(second(function), wanted, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.fixture
def reset():
    yield
    torch.compiler.reset()


def test_compile_puts_the_kernels_in_place_until_reset(reset):
    layer, x = torch.nn.Linear(4, 3), leaf(2, 4)
    assert torch.compile(layer) is layer
    torch.compile(layer, mode="max-autotune")
    assert kernels_of(Exp) == 1, "what is compiled a second time finds them there"
    np.testing.assert_allclose(x.exp().detach().numpy(), np.exp(x.detach().numpy()), rtol=1e-6)
    torch.compiler.reset()
    assert kernels_of(Exp) == 0
    layer.compile()
    assert kernels_of(Exp) == 1


def test_compile_leaves_operations_alone_where_it_is_told_to(reset, monkeypatch):
    layer = torch.nn.Linear(4, 3)
    torch.compile(layer, backend="eager")
    torch.compile(disable=True)(layer)
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        torch.compile(layer, mode="fastest")
    monkeypatch.setattr(torch.compiler, "_is_built", lambda slug: slug != "acceleration")
    torch.compile(layer)
    assert kernels_of(Exp) == 0


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_second_derivatives_of_recurrent_layers_are_those_of_the_steps(kind):
    torch.manual_seed(0)
    layer, x = getattr(torch.nn, kind)(3, 4, bidirectional=True), leaf(5, 2, 3)

    def second():
        loss = layer(x)[0].square().sum()
        grads = torch.autograd.grad(loss, [x, *layer.parameters()], create_graph=True)
        penalty = sum(grad.square().sum() for grad in grads)
        return [loss.item(), *[g.numpy() for g in torch.autograd.grad(penalty, [x, *layer.parameters()])]]

    wanted = second()
    with torch.accelerate():
        found = second()
    for one, right in zip(found, wanted):
        np.testing.assert_allclose(one, right, 1e-4, 1e-5)


def test_a_graph_of_a_recurrent_layer_can_be_walked_twice():
    layer, x = torch.nn.LSTM(3, 4), leaf(5, 2, 3)
    with torch.accelerate():
        loss = layer(x)[0].square().sum()
        first, second = (
            torch.autograd.grad(loss, [x, layer.weight_hh_l0], retain_graph=True) for _ in range(2)
        )
    for one, again in zip(first, second):
        np.testing.assert_array_equal(one.numpy(), again.numpy())


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_recurrent_layers_of_one_step_one_sequence_and_frozen_weights(kind):
    layer = getattr(torch.nn, kind)(3, 1)
    layer.weight_ih_l0.requires_grad_(False)
    for x in (leaf(1, 1, 3), leaf(4, 3), leaf(2, 1, 3)):
        found = []
        for block in (torch.enable_grad, torch.accelerate):
            x.grad = layer.weight_hh_l0.grad = None
            with block():
                layer(x)[0].sum().backward()
            found.append([x.grad.numpy(), layer.weight_hh_l0.grad.numpy()])
            assert layer.weight_ih_l0.grad is None
        check_alike(*found)
        with torch.accelerate(), torch.no_grad():
            assert layer(x)[0].grad_fn is None


def test_labels_out_of_range_are_refused_with_kernels_too():
    with torch.accelerate(), pytest.raises(IndexError, match=r"Target 7 is out of bounds"):
        F.cross_entropy(torch.zeros(2, 7), torch.tensor([1, 7]))


@pytest.mark.parametrize("ignored", [-100, 1])
def test_the_mean_of_losses_is_that_of_the_labels_which_are_kept(ignored):
    x, labels, found = leaf(3, 4), torch.tensor([ignored, 2, ignored]), []
    for block in (torch.enable_grad, torch.accelerate):
        with block():
            for loss in (
                F.cross_entropy(x, labels, ignore_index=ignored),
                F.cross_entropy(x, labels, None, None, ignored),
                torch.nn.CrossEntropyLoss(ignore_index=ignored)(x, labels),
            ):
                x.grad = None
                (3 * loss).backward()
                found.append([loss.detach().numpy(), x.grad.numpy()])
    for plain, fused in zip(found[:3], found[3:]):
        check_alike(fused, plain)
        np.testing.assert_array_equal(plain[1][0], 0)


def gradients_taken(monkeypatch, loss, *leaves):
    """How many leaves took a gradient over with kernels, and whether any two `.grad` share memory."""
    from tinytorch.given.acceleration import gradients

    taken, keep = [], gradients.keep
    monkeypatch.setattr(gradients, "keep", lambda leaf, grad: (taken.append(grad.shape), keep(leaf, grad)))
    with torch.accelerate():
        loss()
    arrays = [x.grad.array for x in leaves]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    return len(taken)


def test_a_gradient_that_nobody_else_holds_is_not_copied(monkeypatch):
    a, b, ones, kept = leaf(3), leaf(3, seed=1), torch.ones(3), []
    assert gradients_taken(monkeypatch, lambda: (a * b).backward(ones), a, b) == 2
    layer, x = torch.nn.Linear(3, 2), leaf(4, 3)
    assert gradients_taken(monkeypatch, lambda: layer(x).sum().backward(), *layer.parameters()) == 2
    table = torch.nn.Embedding(5, 2)
    assert (
        gradients_taken(monkeypatch, lambda: table(torch.tensor([1, 1])).sum().backward(), table.weight) == 1
    )
    a.grad = b.grad = None
    assert gradients_taken(monkeypatch, lambda: (a + b).backward(ones), a, b) == 0, "both get one array"
    assert gradients_taken(monkeypatch, lambda: (a * b).backward(ones), a, b) == 0, "it is added"
    np.testing.assert_array_equal(a.grad.numpy(), 1 + b.detach().numpy())
    a.grad = None
    assert gradients_taken(monkeypatch, lambda: a.backward(ones), a) == 0, "the caller's own"
    assert not np.shares_memory(a.grad.array, ones.array)
    a.grad, handle = None, a.register_hook(kept.append)
    assert gradients_taken(monkeypatch, lambda: (a * 2).backward(ones), a) == 0, "a hook has kept it"
    assert not np.shares_memory(a.grad.array, kept[0].array)
    handle.remove()


def fresh_python(code, **environment):
    path = str(Path(torch.__file__).parents[1])
    found = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_numba_is_imported_by_module_17_only_and_sleeps_while_it_waits(tmp_path):
    found = fresh_python(
        "import sys, tinytorch as torch\n"
        "import tinytorch.nn, tinytorch.optim, tinytorch.transformer\n"
        "assert 'numba' not in sys.modules\n"
        "import tinytorch.acceleration, numba\n"
        "print(numba.config.THREADING_LAYER)"
    )
    assert found == "workqueue\n"


def test_kernels_are_compiled_once_and_anew_when_what_they_are_made_of_has_changed(tmp_path, monkeypatch):
    """A kernel calls one of another file, and one that is defined behind it."""
    head = "from tinytorch.given.acceleration.compiling import kernel\n"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def run(constant=1.0, factor=2.0, options="", lines_before=0):
        helper = f"CONSTANT = {constant}\n@kernel\ndef helper(x):\n    return x + CONSTANT\n"
        (tmp_path / "first.py").write_text(head + helper)
        caller = (
            f"from first import helper\n@kernel{options}\ndef caller(x):\n    return helper(x) * last(x)\n"
        )
        last = f"@kernel\ndef last(x):\n    return {factor}\n"
        (tmp_path / "second.py").write_text("\n" * lines_before + head + caller + last)
        for name in ("first", "second"):
            sys.modules.pop(name, None)
        found = importlib.import_module("second").caller
        return found(1.0), sum(found.stats.cache_hits.values())

    assert run() == (4.0, 0)
    assert run() == (4.0, 1), "compiled once, and kept"
    assert run(lines_before=3) == (4.0, 1), "the file is another, the kernel is the same"
    assert run(constant=5.0) == (12.0, 0), "its own file is the same, and what it calls is not"
    assert run(factor=3.0) == (6.0, 0), "what is defined behind it is another"
    assert run(options="(fastmath=True)") == (4.0, 0), "its options are others"
    assert run() == (4.0, 1), "the first version is still there"


@pytest.mark.slow
def test_kernels_are_read_and_none_is_kept_where_that_is_wanted(tmp_path):
    head = "from tinytorch.given.acceleration.compiling import kernel\n"
    places = {"PYTHONPATH": f"{Path(torch.__file__).parents[1]}:{tmp_path}"}

    def run(constant, **environment):
        (tmp_path / "some.py").write_text(f"{head}@kernel\ndef some(x):\n    return x + {constant}\n")
        code = "from some import some\nprint(some(1.0), sum(some.stats.cache_hits.values()))"
        return fresh_python(code, PYTHONDONTWRITEBYTECODE="1", **places, **environment)

    assert run(1.0) == "2.0 0\n"
    (kept,) = tmp_path.rglob("*.nbc")
    assert run(1.0, TINYTORCH_KEEP_KERNELS="0") == "2.0 1\n", "what is there is read"
    assert run(2.0, TINYTORCH_KEEP_KERNELS="0") == "3.0 0\n"
    assert list(tmp_path.rglob("*.nbc")) == [kept]


@pytest.mark.parametrize("area", ["attention", "conv", "embeddings"])
def test_recorded_answers_hold_with_kernels(area):
    theirs, differ = load(RECORDED / f"{area}.npz")[0], []
    with torch.accelerate():
        for case in AREAS[area].cases.values():
            found = compare(case, theirs[case.name], run(case, torch))
            differ += [case.name, *found] if found else []
    assert not differ, "\n".join(differ)


def test_float16_is_computed_by_the_kernels_in_float32():
    theirs, differ = load(RECORDED / "halves.npz")[0], []
    with torch.accelerate():
        for case in AREAS["halves"].cases.values():
            found = compare(case, theirs[case.name], run(case, torch))
            differ += [case.name, *found] if found else []
    assert not differ, "\n".join(differ)
