"""Tests of module 11, which `make release 11` makes from embeddings.py."""

import numpy as np
import pytest

from tinytorch.embeddings import (
    Embedding,
    LearnedPositions,
    Lookup,
    Rotate,
    lookup_gradient,
    one_hot,
    rotary_tables,
    sinusoidal_positions,
)
from tinytorch.tensor import Context, Tensor, manual_seed, tensor, zeros


@pytest.mark.stub("one-hot", points=3)
def test_a_row_has_its_one_at_the_index():
    found = one_hot(tensor([2, 0]), 4)
    assert tuple(found.shape) == (2, 4), f"two indices of four classes make (2, 4), not {tuple(found.shape)}"
    np.testing.assert_array_equal(found.numpy(), [[0, 0, 1, 0], [1, 0, 0, 0]])


@pytest.mark.stub("one-hot", points=3)
def test_the_classes_stand_in_a_new_last_dimension():
    indices = np.random.default_rng(0).integers(0, 3, (2, 3, 4))
    found = one_hot(tensor(indices), 3).numpy()
    assert found.shape == (2, 3, 4, 3), f"(2, 3, 4) becomes (2, 3, 4, 3), not {found.shape}"
    np.testing.assert_array_equal(found, np.eye(3, dtype=int)[indices])


@pytest.mark.stub("one-hot", points=3)
def test_one_hot_rows_are_whole_numbers():
    assert one_hot(tensor([1]), 2).numpy().dtype == np.int64, "PyTorch's one_hot gives int64"
    assert one_hot(tensor([1])).numpy().tolist() == [[0, 1]], (
        "without a number of classes: the largest index plus one"
    )


def scattered(grad, indices, shape):
    """The gradient, one occurrence at a time."""
    output = np.zeros(shape, grad.dtype)
    for position in np.ndindex(indices.shape):
        output[indices[position]] += grad[position]
    return output


def occurrences(shape=(4, 6), rows=5, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((*shape, dim)).astype(np.float32), rng.integers(0, rows, shape)


@pytest.mark.stub("lookup-gradient", points=6)
def test_every_occurrence_adds_to_its_row():
    grad, indices = occurrences()
    np.testing.assert_allclose(
        lookup_gradient(grad, indices, (7, 3)),
        scattered(grad, indices, (7, 3)),
        rtol=1e-5,
        atol=1e-6,
        err_msg="row v is the sum of grad over all places where the index is v, else zero",
    )


@pytest.mark.stub("lookup-gradient", points=6)
def test_padding_learns_nothing():
    grad, indices = occurrences()
    expected = scattered(grad, indices, (5, 3))
    expected[2] = 0
    np.testing.assert_allclose(
        lookup_gradient(grad, indices, (5, 3), padding_idx=2),
        expected,
        rtol=1e-5,
        atol=1e-6,
        err_msg="the row of padding_idx gets a gradient of zero, the others theirs",
    )
    expected = scattered(grad, indices, (5, 3))
    expected[0] = 0
    np.testing.assert_allclose(
        lookup_gradient(grad, indices, (5, 3), padding_idx=0), expected, rtol=1e-5, atol=1e-6,
        err_msg="0 is a padding_idx too",
    )  # fmt: skip


@pytest.mark.stub("lookup-gradient", points=6)
def test_gradients_can_be_scaled_by_frequency():
    grad, indices = occurrences()
    counts = np.bincount(indices.ravel(), minlength=5).astype(np.float32)
    np.testing.assert_allclose(
        lookup_gradient(grad, indices, (5, 3), scale_grad_by_freq=True),
        scattered(grad, indices, (5, 3)) / np.maximum(counts, 1)[:, None],
        rtol=1e-5,
        atol=1e-6,
        err_msg="each row is divided by how often it was looked up",
    )


@pytest.mark.stub("lookup-gradient", points=6)
def test_the_gradient_is_left_as_it_was_and_float32_stays_float32():
    grad, indices = occurrences()
    kept = grad.copy()
    found = lookup_gradient(grad, indices, (5, 3), padding_idx=1, scale_grad_by_freq=True)
    np.testing.assert_array_equal(grad, kept, err_msg="grad belongs to others: do not change it in place")
    assert found.dtype == np.float32, f"float32 gradients stay float32, here they became {found.dtype}"


@pytest.mark.stub("lookup-gradient", points=6)
def test_a_lookup_of_nothing_has_a_gradient_of_zeros():
    found = lookup_gradient(np.zeros((0, 3), np.float32), np.zeros(0, int), (5, 3))
    np.testing.assert_array_equal(found, np.zeros((5, 3)))


def small_table(dtype=np.float32):
    return np.random.default_rng(1).standard_normal((5, 3)).astype(dtype)


@pytest.mark.stub("lookup", points=5)
def test_each_index_gives_its_row():
    W, indices = small_table(), np.array([[4, 0], [0, 2]])
    found = Lookup.forward(Context(), indices, W)
    np.testing.assert_array_equal(found, np.stack([[W[4], W[0]], [W[0], W[2]]]))


@pytest.mark.stub("lookup", points=5)
def test_the_table_gets_a_gradient_and_the_indices_none():
    W, indices = Tensor(small_table()), tensor([[4, 0], [0, 2]])
    W.requires_grad_()
    cotangent = np.random.default_rng(2).standard_normal((2, 2, 3)).astype(np.float32)
    Lookup.apply(indices, W).backward(Tensor(cotangent))
    expected = scattered(cotangent, indices.numpy(), (5, 3))
    np.testing.assert_allclose(
        W.grad.numpy(),
        expected,
        rtol=1e-6,
        err_msg="row 0 was looked up twice: its gradients add up",
    )


@pytest.mark.stub("lookup", points=5)
def test_options_reach_the_gradient():
    W, indices, g = (
        Tensor(small_table()),
        tensor([1, 1, 3]),
        np.float32([[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
    )
    W.requires_grad_()
    Lookup.apply(indices, W, padding_idx=3, scale_grad_by_freq=True).backward(Tensor(g))
    expected = np.zeros((5, 3))
    expected[1] = (g[0] + g[1]) / 2
    np.testing.assert_allclose(
        W.grad.numpy(), expected, err_msg="padding_idx=3 learns nothing, row 1 is halved"
    )


@pytest.mark.stub("lookup", points=5)
def test_the_rows_are_a_copy():
    W = small_table()
    Lookup.forward(Context(), np.array([0]), W)[0] = 99
    assert not (W == 99).any(), "changing what was looked up must not change the table"


@pytest.mark.stub("lookup", points=5)
def test_second_derivatives_pass_through():
    from tinytorch.autograd import gradgradcheck

    W = Tensor(small_table(np.float64)).requires_grad_()
    assert gradgradcheck(lambda W: Lookup.apply(tensor([0, 2, 2]), W) ** 3, [W])


@pytest.mark.stub("embedding", points=6)
def test_the_table_has_a_row_for_each_symbol():
    layer = Embedding(10, 3)
    assert tuple(layer.weight.shape) == (10, 3), (
        "the parameter is called weight, (num_embeddings, embedding_dim)"
    )
    assert [name for name, _ in layer.named_parameters()] == ["weight"], "it is registered: a Parameter"
    assert layer.weight.requires_grad, "and is trained, unless _freeze says otherwise"


@pytest.mark.stub("embedding", points=6)
def test_vectors_start_as_pytorchs_do():
    manual_seed(0)
    layer = Embedding(3, 2)
    expected = [
        [1.5409961, -0.2934289],
        [-2.1787894, 0.5684313],
        [-1.0845224, -1.3985955],
    ]  # PyTorch 2.13, seed 0
    np.testing.assert_allclose(
        layer.weight.detach().numpy(),
        expected,
        rtol=1e-5,
        err_msg="standard normal, drawn once",
    )


@pytest.mark.stub("embedding", points=6)
def test_it_looks_rows_up():
    layer, indices = Embedding(6, 4), np.array([[1, 5, 1], [0, 2, 2]])
    np.testing.assert_array_equal(
        layer(tensor(indices)).detach().numpy(), layer.weight.detach().numpy()[indices]
    )


@pytest.mark.stub("embedding", points=6)
def test_padding_starts_at_zero_and_stays_there():
    layer = Embedding(5, 3, padding_idx=-1)
    assert layer.padding_idx == 4, "a negative padding_idx counts from the end"
    np.testing.assert_array_equal(layer.weight.detach().numpy()[4], 0, err_msg="the padding's vector is zero")
    assert (layer.weight.detach().numpy()[:4] != 0).all(), "and only that one"
    layer(tensor([4, 1])).sum().backward()
    np.testing.assert_array_equal(
        layer.weight.grad.numpy(),
        np.eye(5)[1][:, None] * np.ones(3),
        err_msg="no gradient for it",
    )


@pytest.mark.stub("embedding", points=6)
def test_long_vectors_are_shortened_where_they_are():
    layer = Embedding.from_pretrained(tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]), max_norm=1.0)
    np.testing.assert_allclose(
        layer(tensor([0, 1])).numpy(),
        [[0.6, 0.8], [0.3, 0.4]],
        rtol=1e-5,
        err_msg="max_norm=1",
    )
    np.testing.assert_allclose(layer.weight.numpy()[2], [6, 8], err_msg="rows that are not looked up stay")


@pytest.mark.stub("embedding", points=6)
def test_frequent_symbols_can_be_scaled():
    layer = Embedding(3, 2, scale_grad_by_freq=True)
    layer(tensor([1, 1, 2])).sum().backward()
    np.testing.assert_allclose(
        layer.weight.grad.numpy(), [[0, 0], [1, 1], [1, 1]], err_msg="scale_grad_by_freq=True"
    )


def waves_one_by_one(length, dim, base=10000.0):
    table = np.zeros((length, dim))
    for p in range(length):
        for column in range(dim):
            angle = p / base ** (2 * (column // 2) / dim)
            table[p, column] = np.cos(angle) if column % 2 else np.sin(angle)
    return table


@pytest.mark.stub("sinusoidal", points=4)
def test_the_waves_are_those_of_the_paper():
    np.testing.assert_allclose(
        sinusoidal_positions(50, 8), waves_one_by_one(50, 8), atol=1e-6,
        err_msg="column 2i is the sine, and 2i + 1 the cosine, of p / 10000^(2i/dim)",
    )  # fmt: skip


@pytest.mark.stub("sinusoidal", points=4)
def test_an_odd_length_ends_with_a_sine():
    np.testing.assert_allclose(sinusoidal_positions(9, 5), waves_one_by_one(9, 5), atol=1e-6)


@pytest.mark.stub("sinusoidal", points=4)
def test_the_base_can_be_chosen():
    np.testing.assert_allclose(
        sinusoidal_positions(9, 4, base=100.0), waves_one_by_one(9, 4, 100.0), atol=1e-6
    )


@pytest.mark.stub("sinusoidal", points=4)
def test_late_positions_are_exact_and_float32():
    table, angles = sinusoidal_positions(20001, 6), 20000 / 10000 ** (np.arange(3) / 3)
    assert table.dtype == np.float32, f"the table is float32, not {table.dtype}"
    np.testing.assert_allclose(
        table[20000], np.stack([np.sin(angles), np.cos(angles)], 1).ravel(), atol=1e-6,
        err_msg="compute the angles in float64, and round at the end",
    )  # fmt: skip


@pytest.mark.stub("learned-positions", points=3)
def test_the_vector_of_its_position_is_added_to_each():
    layer, x = (
        LearnedPositions(8, 3),
        np.random.default_rng(0).standard_normal((2, 5, 3)).astype(np.float32),
    )
    np.testing.assert_allclose(
        layer(Tensor(x)).detach().numpy(), x + layer.weight.detach().numpy()[:5], rtol=1e-6
    )


@pytest.mark.stub("learned-positions", points=3)
def test_a_continued_sequence_starts_later():
    layer = LearnedPositions(8, 3)
    found = layer(zeros(1, 2, 3), start=6).detach().numpy()[0]
    np.testing.assert_array_equal(found, layer.weight.detach().numpy()[6:8], err_msg="start=6: rows 6 and 7")


@pytest.mark.stub("learned-positions", points=3)
def test_positions_are_learned():
    layer = LearnedPositions(4, 2)
    assert tuple(layer.weight.shape) == (4, 2), "weight is (max_length, dim)"
    layer(zeros(3, 2, 2)).sum().backward()
    np.testing.assert_array_equal(
        layer.weight.grad.numpy(),
        [[3, 3], [3, 3], [0, 0], [0, 0]],
        err_msg="summed over the batch",
    )


@pytest.mark.stub("learned-positions", points=3)
def test_positions_start_small():
    manual_seed(0)
    deviation = LearnedPositions(1000, 20).weight.detach().numpy().std()
    assert 0.019 < deviation < 0.021, f"the deviation at the start is 0.02, not {deviation:.3f}"


@pytest.mark.stub("learned-positions", points=3)
def test_a_sequence_that_is_too_long_is_refused():
    layer = LearnedPositions(4, 2)
    layer(zeros(1, 4, 2))
    try:
        layer(zeros(1, 5, 2))
    except IndexError:
        return
    raise AssertionError("five vectors do not fit into four positions: IndexError, which rows_for raises")


@pytest.mark.stub("rotary-tables", points=2)
def test_each_pair_has_its_angle():
    cos, sin = rotary_tables(20, 6)
    angles = np.array([[p / 10000 ** (2 * i / 6) for i in range(3)] for p in range(20)])
    np.testing.assert_allclose(cos, np.cos(angles), atol=1e-6, err_msg="the cosine of p / base^(2i/dim)")
    np.testing.assert_allclose(sin, np.sin(angles), atol=1e-6, err_msg="the sine of p / base^(2i/dim)")


@pytest.mark.stub("rotary-tables", points=2)
def test_the_tables_are_float32_and_exact_far_out():
    cos, sin = rotary_tables(20001, 2)
    assert cos.dtype == sin.dtype == np.float32, "both tables are float32"
    np.testing.assert_allclose([cos[-1, 0], sin[-1, 0]], [np.cos(20000.0), np.sin(20000.0)], atol=1e-6)


@pytest.mark.stub("rotary-tables", points=2)
def test_another_base_turns_more_slowly():
    np.testing.assert_allclose(
        rotary_tables(5, 4, base=500000.0)[1][:, 1],
        np.sin(np.arange(5) / 500000.0**0.5),
        atol=1e-7,
    )


def turned(x, angles):
    """Each pair as a complex number, multiplied by exp(i angle)."""
    half = x.shape[-1] // 2
    z = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)
    return np.concatenate([z.real, z.imag], -1)


def vectors_to_turn(dtype=np.float32):
    rng = np.random.default_rng(3)
    return rng.standard_normal((2, 5, 6)).astype(dtype), rng.uniform(0, 6, (5, 3))


@pytest.mark.stub("rotate", points=6)
def test_pairs_are_turned_by_their_angles():
    x, angles = vectors_to_turn()
    found = Rotate.forward(Context(), x, np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32))
    np.testing.assert_allclose(found, turned(x, angles), atol=1e-6, err_msg="pair i is x[i] and x[i + D/2]")
    assert found.dtype == np.float32, "float32 stays float32"


@pytest.mark.stub("rotate", points=6)
def test_the_gradient_is_turned_back():
    x, angles = vectors_to_turn(np.float64)
    cotangent = np.random.default_rng(4).standard_normal(x.shape)
    leaf = Tensor(x).requires_grad_()
    Rotate.apply(leaf, Tensor(np.cos(angles)), Tensor(np.sin(angles))).backward(Tensor(cotangent))
    np.testing.assert_allclose(
        leaf.grad.numpy(),
        turned(cotangent, -angles),
        err_msg="by the same angles, the other way",
    )


@pytest.mark.stub("rotate", points=6)
def test_the_input_is_left_alone():
    x, angles = vectors_to_turn()
    kept = x.copy()
    Rotate.forward(Context(), x, np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32))
    np.testing.assert_array_equal(x, kept, err_msg="forward makes a new array")


@pytest.mark.stub("rotate", points=6)
def test_it_can_be_differentiated_twice():
    from tinytorch.autograd import gradgradcheck

    x, angles = vectors_to_turn(np.float64)
    cos, sin = Tensor(np.cos(angles)), Tensor(np.sin(angles))
    assert gradgradcheck(lambda x: Rotate.apply(x, cos, sin) ** 3, [Tensor(x[:1]).requires_grad_()])
