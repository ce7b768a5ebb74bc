"""Module 11: gradients of lookups and rotations against differences, and the table's gradient against a loop."""

import numpy as np
import pytest

import tinytorch as torch
from tinytorch.autograd import gradcheck, gradgradcheck

F = torch.nn.functional
INDICES = torch.tensor([[0, 2, 2], [3, 0, 1]])


def real(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).standard_normal(shape)).requires_grad_()


@pytest.mark.parametrize(
    "options", [{}, {"padding_idx": 2}, {"scale_grad_by_freq": False, "padding_idx": -4}]
)
def test_lookups_are_differentiable_twice(options):
    assert gradcheck(
        lambda W: F.embedding(INDICES, W, **options) if not options else lookup_of_others(W, options),
        [real(5, 3)],
    )
    assert gradgradcheck(lambda W: F.embedding(INDICES, W) ** 3, [real(5, 3)])


def lookup_of_others(W, options):
    """A lookup in which padding does not occur, so that differences and the rule agree."""
    padding = options["padding_idx"] % 5
    return F.embedding(torch.where(padding == INDICES, torch.tensor(4), INDICES), W, **options)


@pytest.mark.parametrize(
    "layer", [torch.RotaryPositions(6, 4), torch.SinusoidalPositions(6, 4), torch.LearnedPositions(6, 4)]
)
def test_positions_are_differentiable_twice(layer):
    layer = layer.double()
    assert gradcheck(lambda x: layer(x, start=2), [real(2, 3, 4)])
    assert gradgradcheck(lambda x: layer(x, start=2) ** 3, [real(2, 3, 4)])


def test_a_rotated_product_sees_distances_only():
    rotary = torch.RotaryPositions(40, 8)
    q, k = (rotary(real(8, seed=i).float().expand(40, 8)).detach().numpy() for i in range(2))
    products = q @ k.T
    for distance in range(-39, 40):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-5)


@pytest.mark.parametrize(("vocabulary", "shape"), [(50257, (8, 128)), (7, (3, 50)), (5, (0,))])
def test_the_gradient_of_a_table_is_that_of_a_loop(vocabulary, shape):
    rng = np.random.default_rng(0)
    ids, grad = rng.integers(0, vocabulary, shape), rng.standard_normal((*shape, 16)).astype(np.float32)
    weight = torch.zeros(vocabulary, 16, requires_grad=True)
    F.embedding(torch.tensor(ids), weight).backward(torch.tensor(grad))
    expected = np.zeros((vocabulary, 16))
    np.add.at(expected, ids, grad)
    np.testing.assert_allclose(weight.grad.numpy(), expected, atol=1e-4)
    assert weight.grad.dtype == torch.float32


def test_what_is_not_there_says_so():
    with pytest.raises(NotImplementedError, match="sparse"):
        torch.nn.Embedding(3, 2, sparse=True)(torch.tensor([0]))
    with pytest.raises(ValueError, match="odd"):
        torch.RotaryPositions(4, 3)
    with pytest.raises(RuntimeError, match="cannot be turned"):
        torch.apply_rotary(torch.zeros(3, 4), torch.zeros(2, 2), torch.zeros(2, 2))
    with pytest.raises(IndexError, match="position 6"):
        torch.SinusoidalPositions(6, 4)(torch.zeros(1, 7, 4))


BAGS = torch.tensor([0, 2, 2, 3, 0, 1]), torch.tensor([0, 2, 2, 5])


@pytest.mark.parametrize("padding_idx", [None, 2])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_are_differentiable_twice(mode, padding_idx):
    def bag(W):
        return F.embedding_bag(BAGS[0], W, BAGS[1], mode=mode, padding_idx=padding_idx) ** 3

    assert gradcheck(bag, [real(5, 3)])
    assert gradgradcheck(bag, [real(5, 3)])


def test_the_weights_of_a_bag_are_differentiable_twice():
    def bag(W, share):
        return F.embedding_bag(BAGS[0], W, BAGS[1], mode="sum", per_sample_weights=share, padding_idx=1)

    assert gradcheck(bag, [real(5, 3), real(6, seed=1)])
    assert gradgradcheck(bag, [real(5, 3), real(6, seed=1)])


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_a_bag_scales_each_rows_gradient_by_its_own_frequency(mode):
    weights = [real(5, 3) for _ in range(2)]
    bags = F.embedding_bag(BAGS[0], weights[0], BAGS[1], mode=mode, scale_grad_by_freq=True)
    rows = F.embedding(BAGS[0], weights[1], scale_grad_by_freq=True)
    parts = [rows[start:end] for start, end in ((0, 2), (2, 2), (2, 5), (5, 6))]
    other = [part.sum(0) / (max(len(part), 1) if mode == "mean" else 1) for part in parts]
    cotangent = torch.randn(4, 3).double()
    bags.backward(cotangent)
    torch.stack(other).backward(cotangent)
    np.testing.assert_allclose(weights[0].grad.numpy(), weights[1].grad.numpy(), atol=1e-12)
