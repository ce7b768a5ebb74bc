"""Module 17: kernels in the place of operations, equal to them, taken away again."""

import numpy as np
import pytest

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
