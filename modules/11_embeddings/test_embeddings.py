"""Tests of module 11, which `make release 11` makes from embeddings.py."""

import contextlib

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
from tinytorch.tensor import Context, float64, from_numpy, manual_seed, ones, randn, tensor, zeros


@contextlib.contextmanager
def unchanged(**inputs):
    """Check, before anything else, that a call has not changed its inputs."""
    kept = {name: array.copy() for name, array in inputs.items()}
    yield
    for name, array in inputs.items():
        said = f"{name} belongs to the caller, and must not be changed in place"
        np.testing.assert_array_equal(array, kept[name], err_msg=said)


@pytest.mark.stub("one-hot", points=3)
def test_a_row_has_its_one_at_the_index():
    indices = tensor([2, 0])
    with unchanged(input=indices.numpy()):
        found = one_hot(indices, 4)
    assert hasattr(found, "numpy"), f"a Tensor is returned, not a {type(found).__name__}"
    assert tuple(found.shape) == (2, 4), f"two indices of four classes make (2, 4), not {tuple(found.shape)}"
    wanted = [[0, 0, 1, 0], [1, 0, 0, 0]]
    said = "indices 2 and 0: a one there, zeros elsewhere"
    np.testing.assert_array_equal(found.numpy(), wanted, err_msg=said)


@pytest.mark.stub("one-hot", points=3)
def test_the_classes_stand_in_a_new_last_dimension():
    indices = np.random.default_rng(0).integers(0, 3, (2, 3, 4))
    for part in (indices, indices[0, 0], indices[0, 0, 0]):
        found = one_hot(tensor(part), 3).numpy()
        wanted = np.eye(3, dtype=int)[part]
        assert found.shape == wanted.shape, (
            f"indices of shape {np.shape(part)} become {wanted.shape}, not {found.shape}"
        )
        np.testing.assert_array_equal(found, wanted, err_msg="a one at each index")
    none = one_hot(from_numpy(np.zeros((0, 2), int)), 3).numpy()
    assert none.shape == (0, 2, 3), f"indices (0, 2) become (0, 2, 3), not {none.shape}"


@pytest.mark.stub("one-hot", points=3)
def test_one_hot_rows_are_whole_numbers():
    found = one_hot(tensor([1]), 2).numpy()
    assert found.dtype == np.int64, f"PyTorch's one_hot returns int64, not {found.dtype}"
    found = one_hot(from_numpy(np.zeros(0, int)), 2).numpy()
    assert found.dtype == np.int64, f"also for no indices it is int64, not {found.dtype}"
    found = one_hot(tensor([1, 0])).numpy().tolist()
    assert found == [[0, 1], [1, 0]], (
        f"without a number of classes, it is the largest index plus one: not {found}"
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


def check_gradient(wanted, said, grad, indices, *options, **named):
    with unchanged(grad=grad, indices=indices):
        found = lookup_gradient(grad, indices, wanted.shape, *options, **named)
    assert found.shape == wanted.shape, f"the table is {wanted.shape}, not {found.shape}"
    assert found.dtype == grad.dtype, f"{grad.dtype} stays {grad.dtype}, not {found.dtype}"
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=said)


@pytest.mark.stub("lookup-gradient", points=6)
def test_every_occurrence_adds_to_its_row():
    said = "row v is the sum of grad over all places where the index is v, else zero"
    for shape in ((4, 6), (9,), (2, 3, 4), ()):
        grad, indices = occurrences(shape)
        check_gradient(scattered(grad, indices, (7, 3)), said, grad, indices)
    nothing, nowhere = np.zeros((0, 3), np.float32), np.zeros(0, int)
    check_gradient(np.zeros((5, 3), np.float32), "no index, no gradient", nothing, nowhere)


@pytest.mark.stub("lookup-gradient", points=6)
def test_padding_learns_nothing():
    grad, indices = occurrences()
    for padding in (2, 0):
        wanted = scattered(grad, indices, (5, 3))
        wanted[padding] = 0
        said = f"row {padding} is the padding: it gets a gradient of zero, the others theirs"
        check_gradient(wanted, said, grad, indices, padding_idx=padding)


@pytest.mark.stub("lookup-gradient", points=6)
def test_gradients_can_be_scaled_by_frequency():
    grad, indices = occurrences()
    indices += 2  # rows 0 and 1 of seven are not looked up
    counts = np.bincount(indices.ravel(), minlength=7).astype(np.float32)
    wanted = scattered(grad, indices, (7, 3)) / np.maximum(counts, 1)[:, None]
    said = "scale_grad_by_freq divides each row by how often it was looked up"
    check_gradient(wanted, said, grad, indices, scale_grad_by_freq=True)
    wanted[3] = 0
    check_gradient(wanted, f"{said}; row 3 is the padding", grad, indices, 3, True)
    wide = wanted.astype(np.float64)
    check_gradient(wide, said, grad.astype(np.float64), indices, 3, True)
    small, half = np.float16([[1], [2], [4]]), np.float16([[2], [0], [2.5]])
    check_gradient(half, f"{said}; float16", small, np.array([2, 0, 2]), None, True)
    check_gradient(0 * wanted, "no index, no count", grad[:0, 0], indices[:0, 0], None, True)


@pytest.mark.stub("lookup-gradient", points=6)
def test_the_gradient_of_tensors_is_a_tensor():
    grad, indices = occurrences()
    wanted = scattered(grad, indices, (5, 3))
    wanted[2] = 0
    wanted /= np.maximum(np.bincount(indices.ravel(), minlength=5), 1)[:, None]
    leaf = from_numpy(grad).requires_grad_()
    found = lookup_gradient(leaf, indices, (5, 3), 2, True)
    assert getattr(found, "requires_grad", False), (
        "for a Tensor, as in second derivatives, every step is one that autograd can follow"
    )
    said = "for a Tensor too: rows added up, over how often each occurs, row 2 left zero"
    np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-5, atol=1e-6, err_msg=said)


def small_table(dtype=np.float32):
    return np.random.default_rng(1).standard_normal((5, 3)).astype(dtype)


def saved_by(ctx):
    """How many numbers `forward` saved for `backward`; no attribute of ctx holds an array."""
    others = {**vars(ctx), "saved": ()}
    arrays = [name for name, value in others.items() if "array(" in repr(value)]
    assert arrays == [], f"arrays go to save_for_backward, not to attributes of ctx: {arrays}"
    return sum(array.size for array in ctx.saved_tensors)


@pytest.mark.stub("lookup", points=5)
def test_each_index_gives_its_row():
    for dtype, padding in ((np.float32, None), (np.float64, 0)):
        W, indices, ctx = small_table(dtype), np.array([[4, 0], [0, 2]]), Context()
        wanted = np.stack([[W[4], W[0]], [W[0], W[2]]])
        with unchanged(weight=W, indices=indices):
            found = Lookup.forward(ctx, indices, W, padding)
        said = f"rows 4, 0 and rows 0, 2, also with padding_idx={padding}"
        np.testing.assert_array_equal(found, wanted, err_msg=said)
        assert found.dtype == dtype, f"rows of {W.dtype} are {W.dtype}, not {found.dtype}"
        saved = saved_by(ctx)
        said = f"the 4 indices are saved, not the table or rows of it: {saved} numbers were"
        assert saved == 4, said
    none = Lookup.forward(Context(), np.zeros((0, 5), int), W)
    assert none.shape == (0, 5, 3), f"(0, 5) indices give (0, 5, 3), not {none.shape}"


def check_backward(output, grad, wanted):
    """The types of what `backward` itself returns for an array, in a tuple."""
    found = output.grad_fn.function.backward(output.grad_fn, grad)
    kinds = type(found).__name__
    if isinstance(found, tuple):
        kinds = [type(each).__name__ for each in found][: len(wanted)]
    assert kinds == wanted, f"backward of an array returns a tuple of {wanted}, not {kinds}"


def check_table_gradient(indices, wanted, said, cotangent, **options):
    W = from_numpy(small_table()).requires_grad_()
    Lookup.apply(tensor(indices), W, **options).backward(from_numpy(cotangent))
    np.testing.assert_allclose(W.grad.numpy(), wanted, rtol=1e-5, err_msg=said)


@pytest.mark.stub("lookup", points=5)
def test_the_table_gets_a_gradient_and_the_indices_none():
    indices = np.array([[4, 0], [0, 2]])
    cotangent = np.random.default_rng(2).standard_normal((2, 2, 3)).astype(np.float32)
    output = Lookup.apply(tensor(indices), from_numpy(small_table()).requires_grad_())
    check_backward(output, cotangent, ["NoneType", "ndarray"])
    wanted = scattered(cotangent, indices, (5, 3))
    said = "row 0 was looked up twice: both add up"
    check_table_gradient(indices, wanted, said, cotangent)


@pytest.mark.stub("lookup", points=5)
def test_options_reach_the_gradient():
    g = np.random.default_rng(3).standard_normal((3, 3)).astype(np.float32)
    wanted = np.zeros((5, 3), np.float32)
    wanted[1], wanted[0] = g[0] + g[1], g[2]
    halved, padded, other = wanted.copy(), wanted.copy(), wanted.copy()
    halved[1] /= 2
    padded[1] = other[0] = 0
    for options, expected in [
        ({"scale_grad_by_freq": True}, halved),
        ({"padding_idx": 1}, padded),
        ({"padding_idx": 0}, other),
        ({"padding_idx": 0, "scale_grad_by_freq": True}, halved * (other != 0)),
    ]:
        said = f"indices 1, 1, 0 with {options}"
        check_table_gradient([1, 1, 0], expected, said, g, **options)


@pytest.mark.stub("lookup", points=5)
def test_the_rows_are_a_copy():
    W = small_table()
    Lookup.forward(Context(), np.array([0]), W)[0] = 99
    changed = np.argwhere(W == 99).tolist()
    assert changed == [], f"what was looked up was set to 99, and the table at {changed} too"


@pytest.mark.stub("lookup", points=5)
def test_second_derivatives_pass_through():
    from tinytorch.autograd import gradgradcheck

    W = from_numpy(small_table(np.float64)).requires_grad_()
    for options in ({}, {"padding_idx": 2}):
        assert gradgradcheck(
            lambda W, options=options: Lookup.apply(tensor([0, 2, 2]), W, **options) ** 3, [W]
        ), f"the second derivatives of a lookup with {options} are those of differences"


def vectors_of(layer):
    return layer.weight.detach().numpy()


@pytest.mark.stub("embedding", points=6)
def test_the_table_has_a_row_for_each_symbol():
    layer = Embedding(10, 3)
    assert tuple(layer.weight.shape) == (10, 3), (
        f"weight is (num_embeddings, embedding_dim), not {tuple(layer.weight.shape)}"
    )
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight"], f"it is registered, as a Parameter called weight: {names}"
    for options, trained in [
        ({}, True),
        ({"max_norm": 1.0}, True),
        ({"_freeze": True}, False),
    ]:
        found = Embedding(10, 3, **options).weight.requires_grad
        assert found is trained, f"Embedding(10, 3, **{options}): requires_grad is {trained}"
    found = Embedding(10, 3, device="cpu", dtype=float64).weight.dtype
    assert found is float64, f"the table has the requested dtype, float64, not {found}"


@pytest.mark.stub("embedding", points=6)
def test_vectors_start_as_pytorchs_do():
    manual_seed(0)
    layer = Embedding(3, 2)
    # PyTorch 2.13, seed 0
    wanted = [[1.5409961, -0.2934289], [-2.1787894, 0.5684313], [-1.0845224, -1.3985955]]
    drawn = abs(randn(1).item() - wanted[0][0]) > 1e-3  # the seed's first number is used up
    assert drawn, "nothing is drawn for a new table: does `__init__` call reset_parameters?"
    said = "standard normal, drawn once"
    np.testing.assert_allclose(vectors_of(layer), wanted, rtol=1e-5, err_msg=said)
    manual_seed(0)
    weight = layer.weight
    layer.reset_parameters()
    said = "reset_parameters fills the Parameter, which an optimizer may have, and makes none"
    assert layer.weight is weight, said
    np.testing.assert_allclose(vectors_of(layer), wanted, rtol=1e-5, err_msg="drawn again")


@pytest.mark.stub("embedding", points=6)
def test_it_looks_rows_up():
    indices = np.array([[1, 5, 1], [0, 2, 2]])
    for layer in (Embedding(6, 4), Embedding.from_pretrained(ones(6, 4), padding_idx=2)):
        wanted = vectors_of(layer)[indices]
        found = layer(tensor(indices)).detach().numpy()
        said = f"row i of weight as it is, for each index i; padding_idx={layer.padding_idx}"
        np.testing.assert_array_equal(found, wanted, err_msg=said)


@pytest.mark.stub("embedding", points=6)
def test_padding_starts_at_zero_and_gets_no_gradient():
    g = np.random.default_rng(5).standard_normal((3, 3)).astype(np.float32)
    for asked, padding in ((-1, 4), (0, 0), (2, 2)):
        layer = Embedding(5, 3, padding_idx=asked)
        for when in ("at first", "after another reset_parameters()"):
            zero = np.flatnonzero(~vectors_of(layer).any(1)).tolist()
            said = f"padding_idx={asked} of 5: row {padding} is zero {when}, not {zero}"
            assert zero == [padding], said
            layer.reset_parameters()
        layer(tensor([padding, 1, padding])).backward(from_numpy(g))
        wanted = np.zeros((5, 3))
        wanted[1] = g[1]
        said = f"row {padding} is the padding, and gets no gradient"
        np.testing.assert_array_equal(layer.weight.grad.numpy(), wanted, err_msg=said)


@pytest.mark.stub("embedding", points=6)
def test_long_vectors_are_shortened_where_they_are():
    rows = [[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]
    for norm, length in ((2.0, 5), (1.0, 7)):
        layer = Embedding.from_pretrained(tensor(rows), max_norm=1.0, norm_type=norm)
        wanted = [[3 / length, 4 / length], [0.3, 0.4]]
        said = f"max_norm=1 and norm_type={norm} are used: [3, 4] is {length} long"
        np.testing.assert_allclose(layer(tensor([0, 1])).numpy(), wanted, rtol=1e-5, err_msg=said)
        said = "rows that are not looked up stay"
        np.testing.assert_allclose(layer.weight.numpy()[2], [6, 8], err_msg=said)


@pytest.mark.stub("embedding", points=6)
def test_frequent_symbols_can_be_scaled():
    g = np.random.default_rng(6).standard_normal((3, 2)).astype(np.float32)
    for scale, divisor in ((True, 2), (False, 1)):
        layer = Embedding(3, 2, scale_grad_by_freq=scale)
        layer(tensor([1, 1, 2])).backward(from_numpy(g))
        wanted, said = [0 * g[0], (g[0] + g[1]) / divisor, g[2]], f"scale_grad_by_freq={scale}"
        np.testing.assert_allclose(layer.weight.grad.numpy(), wanted, rtol=1e-6, err_msg=said)


def check_refused(error, said, run):
    try:
        found = run()
    except error:
        return
    raise AssertionError(f"{said}, which raises {error.__name__}; back came {found}")


@pytest.mark.stub("embedding", points=6)
def test_sparse_and_device_are_handed_on():
    said, layer = "sparse=True goes to `embedding`", Embedding(3, 2, sparse=True)
    check_refused(NotImplementedError, said, lambda: layer(tensor([0, 2])))
    said = "device='nowhere' goes to `empty`"
    check_refused(RuntimeError, said, lambda: Embedding(3, 2, device="nowhere"))


def check_waves(length, dim, base=10000.0):
    wanted = np.zeros((length, dim))
    for p in range(length):
        for column in range(dim):
            angle = p / base ** (2 * (column // 2) / dim)
            wanted[p, column] = np.cos(angle) if column % 2 else np.sin(angle)
    found = sinusoidal_positions(length, dim, base)
    said = f"the table is a NumPy array, not a {type(found).__name__}"
    assert isinstance(found, np.ndarray), said
    assert found.dtype == np.float32, f"the table is float32, not {found.dtype}"
    said = f"column 2i is the sine, 2i + 1 the cosine, of p / {base:g}^(2i/dim), dim = {dim}"
    np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=said)


@pytest.mark.stub("sinusoidal", points=4)
def test_the_waves_are_those_of_the_paper():
    for length, dim in ((50, 8), (3, 2)):
        check_waves(length, dim)
    check_waves(0, 4)


@pytest.mark.stub("sinusoidal", points=4)
def test_an_odd_length_ends_with_a_sine():
    for dim in (5, 1):
        check_waves(9, dim)


@pytest.mark.stub("sinusoidal", points=4)
def test_the_base_can_be_chosen():
    for base in (100.0, 500000.0):
        check_waves(9, 4, base)


@pytest.mark.stub("sinusoidal", points=4)
def test_late_positions_are_exact():
    angles = 20000 / 10000 ** (np.arange(3) / 3)
    wanted = np.stack([np.sin(angles), np.cos(angles)], 1).ravel()
    said = "position 20,000: compute the angles in float64, and round at the end"
    found = sinusoidal_positions(20001, 6)[20000]
    np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=said)


@pytest.mark.stub("learned-positions", points=3)
def test_the_vector_of_its_position_is_added_to_each():
    layer, rng = LearnedPositions(8, 3), np.random.default_rng(0)
    shape = tuple(layer.weight.shape)
    assert shape == (8, 3), f"weight is (max_length, dim), (8, 3), not {shape}"
    rows = layer.weight.detach().numpy().copy()
    for shape, start in [((2, 5, 3), 0), ((1, 2, 3), 6), ((4, 3), 3), ((2, 2, 2, 3), 1)]:
        x = rng.standard_normal(shape).astype(np.float32)
        wanted = x + rows[start : start + shape[-2]]
        with unchanged(x=x, weight=layer.weight.detach().numpy()):
            found = layer(from_numpy(x), start=start).detach().numpy()
        said = f"x {shape}, start={start}: row {start} for its first vector, and so on"
        np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=said)
        assert found.dtype == np.float32, f"float32 stays float32, not {found.dtype}"


@pytest.mark.stub("learned-positions", points=3)
def test_positions_are_learned():
    layer = LearnedPositions(4, 2)
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight"], f"it is registered, as a Parameter called weight: {names}"
    g = np.random.default_rng(1).standard_normal((3, 2, 2)).astype(np.float32)
    x = zeros(3, 2, 2).requires_grad_()
    layer(x, start=1).backward(from_numpy(g))
    assert layer.weight.grad is not None, "weight gets a gradient; its grad is None"
    wanted = np.zeros((4, 2), np.float32)
    wanted[1:3] = g.sum(0)
    said = "rows 1 and 2 were added to each of three sequences: their gradients add up"
    np.testing.assert_allclose(layer.weight.grad.numpy(), wanted, rtol=1e-5, err_msg=said)
    said = "the vectors' own gradient passes"
    np.testing.assert_array_equal(x.grad.numpy(), g, err_msg=said)


@pytest.mark.stub("learned-positions", points=3)
def test_positions_start_small():
    manual_seed(0)
    weight = LearnedPositions(1000, 20).weight.detach().numpy()
    deviation, largest = weight.std(), abs(weight).max()
    assert 0.019 < deviation < 0.021, f"0.02 is the deviation at the start, not {deviation:.3f}"
    said = f"of 20,000 normal numbers some are above 3 deviations: {largest:.3f} is the largest"
    assert largest > 0.06, said


@pytest.mark.stub("learned-positions", points=3)
def test_a_sequence_that_is_too_long_is_refused():
    layer = LearnedPositions(4, 2)
    layer(zeros(1, 4, 2))
    for length, start in ((2, 3), (5, 0)):
        try:
            layer(zeros(1, length, 2), start=start)
        except (IndexError, ValueError):
            continue
        raise AssertionError(
            f"{length} vectors from position {start} on do not fit into four positions: "
            "IndexError, which rows_for raises"
        )


def check_tables(length, dim, base=10000.0, first=0):
    angles = np.array([[p / base ** (2 * i / dim) for i in range(dim // 2)] for p in range(first, length)])
    cos, sin = rotary_tables(length, dim, base)
    for name, found, wanted in ("cosine", cos, np.cos(angles)), ("sine", sin, np.sin(angles)):
        shape, kind = (length, dim // 2), type(found).__name__
        assert kind == "ndarray", f"the {name}s are a NumPy array, not a {kind}"
        assert found.shape == shape, f"a {name} for each pair: {shape}, not {found.shape}"
        assert found.dtype == np.float32, f"the table is float32, not {found.dtype}"
        exact = "; compute the angles in float64, and round at the end" if first else ""
        said = f"the {name} of p / {base:g}^(2i/{dim}), p from {first} on{exact}"
        np.testing.assert_allclose(found[first:], wanted, atol=1e-6, err_msg=said)


@pytest.mark.stub("rotary-tables", points=2)
def test_each_pair_has_its_angle():
    for length, dim in ((20, 6), (7, 2), (1, 8)):
        check_tables(length, dim)


@pytest.mark.stub("rotary-tables", points=2)
def test_the_tables_are_exact_far_out():
    check_tables(20001, 6, first=19990)  # of float32 angles, no digit beyond the third is left


@pytest.mark.stub("rotary-tables", points=2)
def test_another_base_turns_more_slowly():
    check_tables(5, 4, base=500000.0)


def turned(x, angles):
    """Each pair as a complex number, multiplied by exp(i angle)."""
    half = x.shape[-1] // 2
    z = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)
    return np.concatenate([z.real, z.imag], -1)


def vectors_to_turn(dtype=np.float32, pairs=3):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, 5, 2 * pairs)).astype(dtype)
    return x, rng.uniform(0, 6, (5, pairs))


@pytest.mark.stub("rotate", points=6)
def test_pairs_are_turned_by_their_angles():
    for dtype, tables in [(np.float32,) * 2, (np.float64,) * 2, (np.float32, np.float64)]:
        for pairs in (3, 1):
            x, angles = vectors_to_turn(dtype, pairs)
            cos, sin = np.cos(angles).astype(tables), np.sin(angles).astype(tables)
            wanted = turned(x, angles)
            ctx = Context()
            with unchanged(x=x, cos=cos, sin=sin):
                found = Rotate.forward(ctx, x, cos, sin)
            said = f"pair i is x[i] and x[i + D/2], here D = {2 * pairs}"
            np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=said)
            assert found.dtype == dtype, (
                f"the result has x's dtype, {x.dtype}, not {found.dtype}; the tables were {cos.dtype}"
            )
            saved, limit = saved_by(ctx), cos.size + sin.size
            said = f"cos and sin are saved, {limit} numbers, and x is not: {saved} were saved"
            assert saved <= limit, said


@pytest.mark.stub("rotate", points=6)
def test_the_gradient_is_turned_back():
    x, angles = vectors_to_turn(np.float64)
    cotangent = np.random.default_rng(4).standard_normal(x.shape)
    wanted = turned(cotangent, -angles)
    leaf = from_numpy(x).requires_grad_()
    cos, sin = np.cos(angles), np.sin(angles)
    output = Rotate.apply(leaf, from_numpy(cos), from_numpy(sin))
    with unchanged(grad=cotangent, cos=cos, sin=sin):
        check_backward(output, cotangent, ["ndarray", "NoneType", "NoneType"])
    with unchanged(grad=cotangent):
        output.backward(from_numpy(cotangent))
    said = "the gradient is rotated by the same angles in the other direction"
    np.testing.assert_allclose(leaf.grad.numpy(), wanted, err_msg=said)


@pytest.mark.stub("rotate", points=6)
def test_it_can_be_differentiated_twice():
    from tinytorch.autograd import gradgradcheck

    x, angles = vectors_to_turn(np.float64)
    cos, sin = from_numpy(np.cos(angles)), from_numpy(np.sin(angles))
    leaf = from_numpy(x[:1]).requires_grad_()
    assert gradgradcheck(lambda x: Rotate.apply(x, cos, sin) ** 3, [leaf]), (
        "second derivatives are those of differences; backward works on Tensors too, by `call`"
    )
