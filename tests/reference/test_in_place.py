"""What is written in place carries the gradient, through views too, as the same program without writing does."""

import numpy as np
import pytest

import tinytorch as torch


def through_a_route_of_views(x, y):
    z = x * 2
    z.view(-1)[2:8].reshape(3, 2).t().mul_(y)
    return z * z.sum()


def through_a_route_of_views_plainly(x, y):
    flat = (x * 2).reshape(-1)
    z = torch.cat([flat[:2], (flat[2:8].reshape(3, 2) * y.T).reshape(-1), flat[8:]]).reshape(3, 4)
    return z * z.sum()


def a_view_read_after_its_base_changed(x, y):
    z = x.clone()
    column = z[:, 1]
    z.mul_(2)
    return column * z[:, 0]


def a_base_read_after_its_view_changed(x, y):
    z = x.clone()
    diagonal = z.diagonal()
    diagonal.zero_()
    diagonal += y[0]
    return z * x


def a_base_read_after_its_view_changed_plainly(x, y):
    eye = torch.eye(3, 4, dtype=torch.float64)
    return (x * (1 - eye) + torch.cat([y[0], y[0, :1]]) * eye) * x


def the_gradient_enters_a_constant(x, y):
    z = torch.zeros(3, 4, dtype=torch.float64)
    row = z[1]
    row.copy_(x[0])
    z[0, :3] += y[1]
    return z * row


def the_gradient_enters_a_constant_plainly(x, y):
    nothing = torch.zeros(4, dtype=torch.float64)
    return torch.stack([torch.cat([y[1], nothing[:1]]), x[0], nothing]) * x[0]


def two_views_of_one_base(x, y):
    z = x.clone()
    first, left = z[0], z[:, :2]
    first *= 3
    left += y[0, 0]
    return z * first


def two_views_of_one_base_plainly(x, y):
    z = torch.cat([x[:1] * 3, x[1:]])
    z = torch.cat([z[:, :2] + y[0, 0], z[:, 2:]], 1)
    return z * z[0]


PAIRS = [
    (through_a_route_of_views, through_a_route_of_views_plainly),
    (a_view_read_after_its_base_changed, lambda x, y: 2 * x[:, 1] * (2 * x[:, 0])),
    (a_base_read_after_its_view_changed, a_base_read_after_its_view_changed_plainly),
    (the_gradient_enters_a_constant, the_gradient_enters_a_constant_plainly),
    (two_views_of_one_base, two_views_of_one_base_plainly),
]


@pytest.mark.parametrize(("written", "plain"), PAIRS, ids=[pair[0].__name__ for pair in PAIRS])
def test_values_and_gradients_are_those_without_writing(written, plain):
    found = []
    for program in (written, plain):
        rng = np.random.default_rng(0)
        x, y = (torch.tensor(rng.normal(size=shape)).requires_grad_() for shape in ((3, 4), (2, 3)))
        output = program(x, y)
        cotangent = torch.tensor(rng.normal(size=tuple(output.shape)))
        gradients = torch.autograd.grad(output, [x, y], cotangent, materialize_grads=True)
        found.append([output.detach(), *gradients])
    for ours, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(ours.numpy(), wanted.numpy(), rtol=1e-12, atol=1e-12)


def test_what_is_written_without_gradients_leaves_the_graph_alone():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    with torch.no_grad():
        y[0] = 7
        y[1:].zero_()
    assert y.tolist() == [7, 0, 0]
    assert y.grad_fn.name() == "MulBackward0"


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[0], lambda x: x.T.reshape(-1, 1).T])
def test_a_leaf_is_not_written_to(view):
    x = torch.ones(1, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        view(x).mul_(2)


def test_an_array_saved_before_a_view_was_written_to_is_refused():
    x = torch.ones(2, 2, requires_grad=True)
    y = x.exp()
    y[0].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_memory_seen_many_times_is_not_written_to():
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.ones(1, 3).expand(2, 3).add_(1)
    x = torch.zeros(2, 3)
    x.expand(1, 2, 3).add_(1)
    assert x.sum() == 6
