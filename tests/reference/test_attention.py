"""Module 12: gradients against differences, the blocked attention against the plain one, and memory that stays flat."""

import tracemalloc

import numpy as np
import pytest

import tinytorch as torch
from tinytorch.attention import plain_attention, unbind
from tinytorch.autograd import gradcheck, gradgradcheck

nn, F = torch.nn, torch.nn.functional


def real(*shape, seed=0, dtype="float64"):
    return torch.tensor(np.random.default_rng(seed).standard_normal(shape).astype(dtype)).requires_grad_()


def heads(*lead, T=3, S=4, d=2, e=3):
    return [real(*lead, T, d), real(*lead, S, d, seed=1), real(*lead, S, e, seed=2)]


MASK = torch.tensor([[True, False, True, True], [False] * 4, [True] * 4])
CALLS = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.3},
    "boolean mask with an empty row": {"attn_mask": MASK},
}


@pytest.mark.parametrize("options", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("lead", [(), (2,), (2, 2)])
def test_attention_is_differentiable(lead, options):
    assert gradcheck(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options), heads(*lead))


def test_attention_differentiates_masks_groups_and_broadcast_heads():
    attention = F.scaled_dot_product_attention
    assert gradcheck(lambda q, k, v, mask: attention(q, k, v, mask), [*heads(2, 2), real(2, 1, 3, 4, seed=3)])
    q, k, v = real(1, 4, 3, 2), real(1, 2, 4, 2, seed=1), real(1, 2, 4, 3, seed=2)
    assert gradcheck(lambda q, k, v: attention(q, k, v, enable_gqa=True), [q, k, v])
    assert gradcheck(attention, [real(2, 1, 3, 2), real(1, 2, 4, 2, seed=1), real(4, 3, seed=2)])
    q, k, v, mask = (
        real(1, 4, 3, 2),
        real(1, 2, 4, 2, seed=1),
        real(1, 1, 4, 3, seed=2),
        real(4, 3, 4, seed=3),
    )
    assert gradcheck(lambda q, k, v, mask: attention(q, k, v, mask, enable_gqa=True), [q, k, v, mask])


def test_attention_lets_go_of_its_weights_when_it_has_gone_backward():
    q, k, v = (real(1, 1, 256, 8, seed=i, dtype="float32") for i in range(3))
    tracemalloc.start()
    output = F.scaled_dot_product_attention(q, k, v)
    before = tracemalloc.get_traced_memory()[0]
    output.sum().backward()
    assert before - tracemalloc.get_traced_memory()[0] > 200_000  # the weights were 262 kB
    tracemalloc.stop()


def test_attention_is_not_differentiable_twice_and_the_plain_one_is():
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradgradcheck(F.scaled_dot_product_attention, heads())
    assert gradgradcheck(lambda q, k, v: plain_attention(q, k, v)[0], heads())
    assert gradgradcheck(lambda x: unbind(x**3, 1)[1], [real(2, 3)])


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("T", "S"), [(5, 5), (3, 8), (8, 3), (1, 1)])
@pytest.mark.parametrize("block_size", [1, 2, 3, 64])
def test_blocks_give_what_the_whole_gives(T, S, block_size, is_causal):
    found, expected = [], []
    for function, results in ((torch.blocked_attention, found), (F.scaled_dot_product_attention, expected)):
        options = {"block_size": block_size} if function is torch.blocked_attention else {}
        leaves = heads(2, T=T, S=S)
        output = function(*leaves, is_causal=is_causal, **options)
        output.backward(real(2, T, 3, seed=4).detach())
        results += [output, *(leaf.grad for leaf in leaves)]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), atol=1e-12)


def test_blocked_attention_checks_what_it_is_given():
    q, k, v = heads(2)
    for wrong in ([q, k[:1], v], [q, k[..., :1], v], [q, k[:, :0], v[:, :0]]):
        with pytest.raises(RuntimeError):
            torch.blocked_attention(*wrong)


def peak(function, length):
    leaves = [real(1, 1, length, 16, seed=i, dtype="float32") for i in range(3)]
    cotangent = torch.ones(1, 1, length, 16)
    tracemalloc.start()
    function(*leaves).backward(cotangent)
    bytes_ = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return bytes_ - 5 * cotangent.nbytes  # the output, three gradients, dO · O


def test_the_blocked_ones_memory_is_flat_and_the_plain_ones_grows_with_the_square():
    def blocked(q, k, v):
        return torch.blocked_attention(q, k, v, block_size=64)

    assert abs(peak(blocked, 2048) - peak(blocked, 512)) < 200_000
    assert peak(F.scaled_dot_product_attention, 2048) > 12 * peak(F.scaled_dot_product_attention, 512)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_first": True},
        {"kdim": 3, "vdim": 5},
        {"bias": False},
        {"add_bias_kv": True, "add_zero_attn": True},
    ],
)
@pytest.mark.parametrize("need_weights", [True, False])
def test_multihead_attention_is_differentiable(options, need_weights):
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(4, 2, **options).double()
    x = [
        real(2, 2, 4),
        real(2, 2, options.get("kdim", 4), seed=1),
        real(2, 2, options.get("vdim", 4), seed=2),
    ]
    parameters = list(layer.parameters())
    assert gradcheck(lambda q, k, v, *_: layer(q, k, v, need_weights=need_weights)[0], [*x, *parameters])


PACKED = torch.nn.utils.rnn


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_packed_sequences_are_differentiable_twice(name, bidirectional):
    torch.manual_seed(0)
    layer = getattr(nn, name)(2, 2, bidirectional=bidirectional).double()

    def run(x, *_):
        packed = PACKED.pack_padded_sequence(x, [1, 2, 1], enforce_sorted=False)
        output, state = layer(packed)
        states = state if isinstance(state, tuple) else (state,)
        return PACKED.pad_packed_sequence(output)[0], *states

    assert gradcheck(run, [real(2, 3, 2), *layer.parameters()])
    assert gradgradcheck(run, [real(2, 3, 2)])


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2}, {"batch_first": True}])
def test_a_packed_batch_gives_what_each_sequence_gives_alone(name, options):
    torch.manual_seed(0)
    layer, lengths = getattr(nn, name)(3, 4, **options), [2, 5, 1, 5]
    sequences = [torch.randn(length, 3) for length in lengths]
    output, state = layer(PACKED.pack_sequence(sequences, enforce_sorted=False))
    for number, (sequence, found) in enumerate(zip(sequences, PACKED.unpack_sequence(output), strict=True)):
        alone, last = layer(sequence)
        np.testing.assert_allclose(found.detach().numpy(), alone.detach().numpy(), atol=1e-6)
        for batch, one in zip(state if name == "LSTM" else [state], last if name == "LSTM" else [last]):
            np.testing.assert_allclose(batch[:, number].detach().numpy(), one.detach().numpy(), atol=1e-6)


@pytest.mark.parametrize("padding_side", ["left", "right"])
def test_padding_is_differentiable_twice(padding_side):
    def pad(a, b):
        return PACKED.pad_sequence([a**3, b], padding_value=2.0, padding_side=padding_side)

    assert gradcheck(pad, [real(1, 2), real(3, 2, seed=1)])
    assert gradgradcheck(pad, [real(1, 2), real(3, 2, seed=1)])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True, "batch_first": True}])
def test_recurrent_layers_are_differentiable_twice(name, options):
    torch.manual_seed(0)
    layer = getattr(nn, name)(2, 2, **options).double()
    assert gradcheck(lambda x, *_: layer(x)[0], [real(3, 2, 2), *layer.parameters()])
    assert gradgradcheck(lambda x: layer(x)[0], [real(2, 1, 2)])


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_a_layer_is_its_cell_step_by_step(name):
    torch.manual_seed(0)
    layer, cell = getattr(nn, name)(3, 4), getattr(nn, f"{name}Cell")(3, 4)
    cell.load_state_dict({key.removesuffix("_l0"): value for key, value in layer.state_dict().items()})
    x, state = real(5, 2, 3, dtype="float32").detach(), None
    output, _ = layer(x)
    for t in range(5):
        state = cell(x[t], state)
        h = state[0] if name == "LSTM" else state
        np.testing.assert_allclose(h.detach().numpy(), output[t].detach().numpy(), atol=1e-6)


def test_attention_maps_have_a_picture_for_each_head():
    figure = torch.attention_map(torch.softmax(real(3, 4, 5).detach(), -1), list("abcd"), list("vwxyz"))
    assert len(figure.axes) == 3
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list("abcd")
    assert len(torch.attention_map(torch.ones(2, 2)).axes) == 1
