"""What the graph costs: no recursion, nothing kept after backward, nothing recorded that nobody asked for."""

import gc
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import tinytorch as torch


def test_a_chain_of_100000_operations_goes_backward_and_is_let_go():
    x = torch.ones((), requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        y.backward()
        del y
    finally:
        sys.setrecursionlimit(limit)
    assert x.grad.item() == 1


@pytest.mark.parametrize("retain_graph", [False, True])
def test_after_backward_memory_is_back_where_it_was(retain_graph):
    weights = [torch.randn(256, 256, requires_grad=True) for _ in range(6)]

    def step():
        x = torch.ones(512, 256)
        for weight in weights:
            x = torch.tanh(x @ weight)
        loss = (x * x).mean()
        loss.backward(retain_graph=retain_graph)
        return loss if retain_graph else None

    step()  # from here on the gradients exist
    gc.collect()
    tracemalloc.start()
    kept = step()
    alive = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    activation = 512 * 256 * 4
    if retain_graph:
        assert kept is not None
        assert alive > 6 * activation, "a graph that is retained keeps what was saved"
    else:
        assert alive < activation / 10


@pytest.mark.parametrize(
    "attend",
    [
        torch.nn.functional.scaled_dot_product_attention,
        lambda q, k, v: torch.blocked_attention(q, k, v, block_size=32),
        lambda q, k, v: torch.softmax(q @ k.mT, -1) @ v,
    ],
    ids=["one operation", "by blocks", "composed"],
)
def test_no_weights_of_attention_outlive_backward(attend):
    q, k, v = [torch.randn(4, 128, 8, requires_grad=True) for _ in range(3)]
    attend(q, k, v).sum().backward()  # from here on the gradients exist
    gc.collect()
    tracemalloc.start()
    loss = attend(q, k, v).sum()
    loss.backward()
    alive = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert alive < 4 * 128 * 128 * 4 / 4, "the loss lives, and the weights of four heads do not"


def test_a_leafs_gradient_is_its_own_memory():
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    cotangent = torch.ones(3)
    (x + y).backward(cotangent)
    x.grad.mul_(5)
    np.testing.assert_array_equal(y.grad.numpy(), [1, 1, 1])
    np.testing.assert_array_equal(cotangent.numpy(), [1, 1, 1])


def test_a_graph_that_is_dropped_without_backward_is_let_go_without_the_collector():
    gc.collect()
    gc.disable()
    try:
        tracemalloc.start()
        x = torch.ones(1000, 1000, requires_grad=True)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            y = (x * 2).exp().sum()
        del y
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.enable()
    assert after - before < 100_000


@pytest.mark.parametrize("shape", [(), (300, 400)])
def test_no_gradient_is_lost_where_threads_share_a_leaf(shape):
    x = torch.zeros(shape, requires_grad=True)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def work():
        for _ in range(25):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(8)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    np.testing.assert_array_equal(x.grad.numpy(), np.full(shape, 400))


def test_a_block_inside_itself_puts_back_what_the_outer_one_found():
    for mode in (torch.no_grad, lambda: torch.set_grad_enabled(False), torch.inference_mode):
        with (block := mode()), block:
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()


def test_a_mode_is_its_threads_own_and_so_is_a_call_of_what_it_decorates():
    meet, seen = threading.Barrier(2), []

    @torch.no_grad()
    def inside(first):
        meet.wait()
        if first:
            meet.wait()  # leaves after the other has left
        seen.append(torch.is_grad_enabled())

    def work(first):
        inside(first)
        seen.append(torch.is_grad_enabled())
        if not first:
            meet.wait()

    threads = [threading.Thread(target=work, args=(first,)) for first in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [False, True, False, True]
