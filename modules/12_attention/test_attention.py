"""Tests of module 12, which `make release 12` makes from attention.py."""

import tracemalloc

import numpy as np
import pytest

from tinytorch.attention import (
    BlockedAttention,
    additive_mask,
    attend,
    attend_backward,
    causal_mask,
    gru_step,
    join_heads,
    lstm_step,
    multi_head_attention,
    online_update,
    plain_attention,
    softmax_rows,
    split_heads,
)
from tinytorch.tensor import Tensor, manual_seed, tensor, zeros


def drawn(*shapes, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def attention_by_loops(q, k, v, scale=None, mask=None):
    """One query after another, in float64; a query that may look at nothing gets zeros."""
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    weights = np.zeros((len(q), len(k)))
    for t in range(len(q)):
        scores = np.array([scale * np.dot(q[t].astype(float), k[s]) for s in range(len(k))])
        scores = scores if mask is None else scores + mask[t]
        if np.isfinite(scores).any():
            weights[t] = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    return weights @ v, weights


@pytest.mark.stub("plain-attention", points=5)
def test_each_query_mixes_the_values_by_its_weights():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    output, weights = plain_attention(Tensor(q), Tensor(k), Tensor(v))
    expected, expected_weights = attention_by_loops(q, k, v)
    np.testing.assert_allclose(
        weights.numpy(),
        expected_weights,
        rtol=1e-4,
        err_msg="weights: softmax of q k / sqrt(d), along the keys",
    )
    np.testing.assert_allclose(
        output.numpy(), expected, rtol=1e-4, atol=1e-6, err_msg="output: weights times values"
    )


@pytest.mark.stub("plain-attention", points=5)
def test_leading_dimensions_are_kept():
    q, k, v = drawn((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))
    output = plain_attention(Tensor(q), Tensor(k), Tensor(v))[0]
    assert tuple(output.shape) == (2, 3, 4, 7), (
        f"(2, 3) heads of 4 queries and values of 7: not {tuple(output.shape)}"
    )
    np.testing.assert_allclose(
        output.numpy()[1, 2],
        attention_by_loops(q[1, 2], k[1, 2], v[1, 2])[0],
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.stub("plain-attention", points=5)
def test_a_mask_is_added_to_the_scores():
    q, k, v, mask = drawn((3, 4), (5, 4), (5, 2), (3, 5))
    mask[0, 2] = -np.inf
    found = plain_attention(Tensor(q), Tensor(k), Tensor(v), Tensor(mask))[1].numpy()
    np.testing.assert_allclose(
        found,
        attention_by_loops(q, k, v, mask=mask)[1],
        rtol=1e-4,
        err_msg="add the mask after scaling, before softmax",
    )


@pytest.mark.stub("plain-attention", points=5)
def test_a_scale_can_be_given():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    found = plain_attention(Tensor(q), Tensor(k), Tensor(v), scale=0.0)[1].numpy()
    np.testing.assert_allclose(
        found, np.full((3, 5), 0.2), rtol=1e-6, err_msg="scale=0.0 makes all weights equal"
    )


@pytest.mark.stub("plain-attention", points=5)
def test_dropped_weights_are_those_that_were_used():
    manual_seed(1)
    q, k, v = map(Tensor, drawn((3, 4), (50, 4), (50, 2)))
    output, weights = plain_attention(q, k, v, dropout_p=0.5)
    assert (weights.numpy() == 0).any(), "with dropout_p=0.5 about half of the weights are zero"
    np.testing.assert_allclose(output.numpy(), weights.numpy() @ v.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.stub("additive-mask", points=2)
def test_what_is_allowed_adds_nothing():
    allowed = np.array([[True, False], [False, True]])
    found = additive_mask(allowed, np.float32)
    np.testing.assert_array_equal(
        found, [[0, -np.inf], [-np.inf, 0]], err_msg="0 where allowed, -inf where not"
    )


@pytest.mark.stub("additive-mask", points=2)
def test_the_mask_has_the_type_of_the_scores():
    for dtype in (np.float16, np.float32, np.float64):
        assert additive_mask(np.array([True]), dtype).dtype == dtype, (
            f"for {np.dtype(dtype)} scores, a {np.dtype(dtype)} mask"
        )


@pytest.mark.stub("additive-mask", points=2)
def test_masks_of_any_shape():
    assert additive_mask(np.ones((2, 1, 3), bool), np.float32).shape == (2, 1, 3)
    assert not additive_mask(np.ones((2, 1, 3), bool), np.float32).any()


@pytest.mark.stub("causal-mask", points=3)
def test_a_position_sees_itself_and_what_is_before():
    found = causal_mask(range(4), range(4))
    for t in range(4):
        for s in range(4):
            assert found[t, s] == (0 if s <= t else -np.inf), f"query {t}, key {s}: 0 if s <= t, else -inf"


@pytest.mark.stub("causal-mask", points=3)
def test_parts_of_the_triangle_know_their_positions():
    whole = causal_mask(range(9), range(9))
    np.testing.assert_array_equal(
        causal_mask(range(4, 7), range(2, 6)), whole[4:7, 2:6], err_msg="rows 4-6, columns 2-5"
    )
    np.testing.assert_array_equal(
        causal_mask(range(8, 9), range(9)), np.zeros((1, 9)), err_msg="the last sees all"
    )


@pytest.mark.stub("causal-mask", points=3)
def test_the_triangle_has_the_type_asked_for():
    assert causal_mask(range(2), range(2)).dtype == np.float32
    assert causal_mask(range(2), range(2), np.float64).dtype == np.float64


@pytest.mark.stub("softmax-rows", points=4)
def test_rows_become_weights():
    (scores,) = drawn((4, 6))
    expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(softmax_rows(scores.copy()), expected, rtol=1e-5)


@pytest.mark.stub("softmax-rows", points=4)
def test_large_scores_do_not_overflow():
    with np.errstate(over="raise", invalid="raise"):
        np.testing.assert_allclose(
            softmax_rows(np.float32([[1000, 1000], [-1000, -1000]])), np.full((2, 2), 0.5)
        )
        found = softmax_rows(np.float32([[1000, 0], [-1000, -1001]]))
    np.testing.assert_allclose(
        found,
        [[1, 0], [0.7310586, 0.2689414]],
        rtol=1e-5,
        err_msg="each row has its own maximum",
    )


@pytest.mark.stub("softmax-rows", points=4)
def test_a_row_of_nothing_becomes_zeros_without_a_warning():
    with np.errstate(all="raise", under="ignore"):
        found = softmax_rows(np.float32([[-np.inf, -np.inf], [-np.inf, 3]]))
    np.testing.assert_array_equal(
        found, [[0, 0], [0, 1]], err_msg="a query that may look at nothing gets zeros"
    )


@pytest.mark.stub("softmax-rows", points=4)
def test_no_second_matrix_is_made():
    scores = np.zeros((512, 512), np.float32)
    tracemalloc.start()
    found = softmax_rows(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found is scores, "the weights stand where the scores stood: return the same array"
    assert peak < scores.nbytes / 2, (
        f"work in place: {peak / scores.nbytes:.1f} further arrays of that size were made"
    )


@pytest.mark.stub("attend", points=4)
def test_one_head_attends():
    q, k, v = drawn((3, 4), (5, 4), (5, 2), seed=1)
    output, weights = attend(q, k, v, 0.7)
    expected, expected_weights = attention_by_loops(q, k, v, 0.7)
    np.testing.assert_allclose(weights, expected_weights, rtol=1e-4)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)
    assert output.dtype == weights.dtype == np.float32, "float32 stays float32"


@pytest.mark.stub("attend", points=4)
def test_one_head_with_a_mask():
    q, k, v, mask = drawn((3, 4), (5, 4), (5, 2), (3, 5), seed=2)
    mask[1] = -np.inf
    kept = mask.copy()
    output, weights = attend(q, k, v, 0.5, mask)
    np.testing.assert_allclose(weights, attention_by_loops(q, k, v, 0.5, mask)[1], rtol=1e-4)
    np.testing.assert_array_equal(output[1], [0, 0], err_msg="the second query may look at nothing")
    np.testing.assert_array_equal(mask, kept, err_msg="the mask belongs to the caller")


@pytest.mark.stub("attend", points=4)
def test_what_is_kept_is_used_and_the_weights_stay_whole():
    q, k, v = drawn((3, 4), (5, 4), (5, 2), seed=3)
    keep = np.float32([[2, 0, 2, 0, 2]] * 3)
    output, weights = attend(q, k, v, 0.5, keep=keep)
    expected = attention_by_loops(q, k, v, 0.5)[1]
    np.testing.assert_allclose(
        weights, expected, rtol=1e-4, err_msg="weights are returned as softmax left them"
    )
    np.testing.assert_allclose(
        output,
        (expected * keep) @ v,
        rtol=1e-4,
        atol=1e-6,
        err_msg="the output uses weights * keep",
    )


def differences(function, array, cotangent, eps=1e-6):
    """How sum(function() * cotangent) moves with each element of an array."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = (function() * cotangent).sum()
        array[position] = value - eps
        slopes[position] = (above - (function() * cotangent).sum()) / (2 * eps)
        array[position] = value
    return slopes


def one_head(keep=None, seed=4):
    q, k, v, mask, grad = drawn((3, 4), (5, 4), (5, 2), (3, 5), (3, 2), seed=seed, dtype=np.float64)

    def forward():  # NumPy alone
        scores = 0.7 * q @ k.T + mask
        weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        return weights, (weights if keep is None else weights * keep) @ v

    weights, output = forward()
    found = attend_backward(grad, q, k, v, 0.7, weights, output, keep)
    slopes = [differences(lambda: forward()[1], x, grad) for x in (q, k, v, mask)]
    return found, slopes


@pytest.mark.stub("attend-backward", points=8)
def test_queries_and_keys_get_their_gradients():
    (dq, dk, _, _), (slope_q, slope_k, _, _) = one_head()
    np.testing.assert_allclose(dq, slope_q, atol=1e-7, err_msg="dq = scale dS k")
    np.testing.assert_allclose(dk, slope_k, atol=1e-7, err_msg="dk = scale dS' q")


@pytest.mark.stub("attend-backward", points=8)
def test_values_get_their_gradient():
    found, slopes = one_head()
    np.testing.assert_allclose(found[2], slopes[2], atol=1e-7, err_msg="dv = P' dO")


@pytest.mark.stub("attend-backward", points=8)
def test_the_scores_gradient_is_the_masks():
    found, slopes = one_head()
    np.testing.assert_allclose(
        found[3],
        slopes[3],
        atol=1e-7,
        err_msg="dS, the gradient of what was added to the scores",
    )


@pytest.mark.stub("attend-backward", points=8)
def test_dropped_weights_send_nothing_back():
    keep = np.where(np.arange(15).reshape(3, 5) % 3 == 0, 0.0, 1.5)
    found, slopes = one_head(keep)
    for name, gradient, slope in zip(("q", "k", "v", "the scores"), found, slopes):
        np.testing.assert_allclose(
            gradient, slope, atol=1e-7, err_msg=f"with dropout: the gradient of {name}"
        )


@pytest.mark.stub("attend-backward", points=8)
def test_nothing_that_was_handed_over_is_changed():
    q, k, v, grad = drawn((3, 4), (5, 4), (5, 2), (3, 2), dtype=np.float64)
    weights = np.full((3, 5), 0.2)
    arrays = [grad, q, k, v, weights, weights @ v]
    copies = [x.copy() for x in arrays]
    attend_backward(*arrays[:4], 0.5, *arrays[4:])
    for name, x, copy in zip(("grad", "q", "k", "v", "weights", "output"), arrays, copies):
        np.testing.assert_array_equal(x, copy, err_msg=f"{name} is somebody else's array")


@pytest.mark.stub("heads", points=3)
def test_each_head_has_its_part_of_every_vector():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    found = split_heads(Tensor(x), 4)
    assert tuple(found.shape) == (2, 4, 3, 2), (
        f"(2, 3, 8) in 4 heads is (2, 4, 3, 2), not {tuple(found.shape)}"
    )
    for head in range(4):
        np.testing.assert_array_equal(
            found.numpy()[:, head], x[:, :, 2 * head : 2 * head + 2], err_msg=f"head {head}"
        )


@pytest.mark.stub("heads", points=3)
def test_joining_undoes_splitting():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    np.testing.assert_array_equal(join_heads(split_heads(Tensor(x), 2)).numpy(), x)
    heads = np.arange(2 * 4 * 3 * 2.0).reshape(2, 4, 3, 2)
    expected = np.concatenate([heads[:, h] for h in range(4)], axis=-1)
    np.testing.assert_array_equal(
        join_heads(Tensor(heads)).numpy(), expected, err_msg="head 0 first, for each position"
    )


@pytest.mark.stub("heads", points=3)
def test_splitting_copies_nothing():
    x = Tensor(np.zeros((2, 3, 8)))
    assert np.shares_memory(split_heads(x, 2).numpy(), x.numpy()), "split_heads is a view"


def heads_by_loops(q, k, v, num_heads, mask=None):
    """Each sentence and each head for itself; masks are (B, H, T, S)."""
    d = q.shape[-1] // num_heads
    output, weights = np.zeros(q.shape), np.zeros((len(q), num_heads, q.shape[1], k.shape[1]))
    for b in range(len(q)):
        for h in range(num_heads):
            part = slice(h * d, (h + 1) * d)
            m = None if mask is None else mask[b, h]
            output[b, :, part], weights[b, h] = attention_by_loops(
                q[b, :, part], k[b, :, part], v[b, :, part], mask=m
            )
    return output, weights


@pytest.mark.stub("multi-head", points=5)
def test_every_head_attends_on_its_own():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=5)
    expected, expected_weights = heads_by_loops(*arrays, 4)
    output, weights = multi_head_attention(*map(Tensor, arrays), 4)
    np.testing.assert_allclose(
        weights.numpy(), expected_weights, rtol=1e-4, atol=1e-6, err_msg="weights (B, H, T, S)"
    )
    np.testing.assert_allclose(
        output.numpy(), expected, rtol=1e-3, atol=1e-5, err_msg="the heads joined, (B, T, E)"
    )


@pytest.mark.stub("multi-head", points=5)
def test_the_output_is_the_same_without_weights():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=6)
    output, weights = multi_head_attention(*map(Tensor, arrays), 2, need_weights=False)
    assert weights is None, "weights that are not needed are not returned: None"
    np.testing.assert_allclose(output.numpy(), heads_by_loops(*arrays, 2)[0], rtol=1e-3, atol=1e-5)


@pytest.mark.stub("multi-head", points=5)
def test_masks_reach_both_ways():
    arrays = drawn((2, 3, 4), (2, 3, 4), (2, 3, 4), seed=7)
    mask = np.broadcast_to(np.where(np.tri(3, dtype=bool), 0, -np.inf), (2, 2, 3, 3)).astype(np.float32)
    expected = heads_by_loops(*arrays, 2, mask)[0]
    for options in (
        {"mask": Tensor(mask)},
        {"mask": Tensor(mask), "need_weights": False},
        {"need_weights": False, "is_causal": True},
    ):
        found = multi_head_attention(*map(Tensor, arrays), 2, **options)[0]
        np.testing.assert_allclose(
            found.numpy(), expected, rtol=1e-3, atol=1e-5, err_msg=f"with {', '.join(options)}"
        )


@pytest.mark.stub("multi-head", points=5)
def test_weights_are_dropped_both_ways():
    arrays = drawn((1, 3, 4), (1, 64, 4), (1, 64, 4), seed=8)
    for need_weights in (True, False):
        manual_seed(0)
        found = multi_head_attention(*map(Tensor, arrays), 1, dropout_p=0.5, need_weights=need_weights)[
            0
        ].numpy()
        whole = heads_by_loops(*arrays, 1)[0]
        assert np.abs(found - whole).max() > 1e-2, (
            f"dropout_p=0.5 changes the output, need_weights={need_weights}"
        )


def online(scores, values, cuts):
    """Feed blocks of keys to online_update, and return sums / total."""
    state = (
        np.full((*scores.shape[:-1], 1), -np.inf),
        np.zeros((*scores.shape[:-1], 1)),
        np.zeros((*scores.shape[:-1], values.shape[-1])),
    )
    for start, stop in zip([0, *cuts], [*cuts, scores.shape[-1]]):
        state = online_update(*state, scores[..., start:stop], values[..., start:stop, :])
    return state[2] / state[1]


def softmax_then_mix(scores, values):
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True) @ values


@pytest.mark.stub("online-update", points=6)
def test_blocks_give_what_all_keys_give():
    scores, values = drawn((4, 9), (9, 3), dtype=np.float64)
    for cuts in ([], [3], [1, 2, 7]):
        np.testing.assert_allclose(
            online(3 * scores, values, cuts),
            softmax_then_mix(3 * scores, values),
            rtol=1e-10,
            err_msg=f"cut at {cuts}",
        )


@pytest.mark.stub("online-update", points=6)
def test_a_larger_score_may_come_late():
    scores, (values,) = (
        np.array([[1.0, 2.0, 5.0, 700.0], [800.0, 1.0, 2.0, 3.0]]),
        drawn((4, 2), dtype=np.float64),
    )
    with np.errstate(over="raise", invalid="raise"):
        found = online(scores, values, [1, 2, 3])
    np.testing.assert_allclose(
        found,
        softmax_then_mix(scores, values),
        rtol=1e-10,
        err_msg="the largest score decides, whenever it comes",
    )


@pytest.mark.stub("online-update", points=6)
def test_masked_keys_weigh_nothing():
    scores, values = drawn((3, 6), (6, 2), dtype=np.float64)
    scores[:, [1, 4, 5]] = -np.inf
    np.testing.assert_allclose(online(scores, values, [2]), softmax_then_mix(scores, values), rtol=1e-10)


@pytest.mark.stub("online-update", points=6)
def test_heads_are_updated_side_by_side():
    scores, values = drawn((2, 3, 4, 6), (2, 3, 6, 2), dtype=np.float64)
    np.testing.assert_allclose(online(scores, values, [4]), softmax_then_mix(scores, values), rtol=1e-10)


@pytest.mark.stub("online-update", points=6)
def test_nothing_is_changed_in_place():
    scores, values = drawn((2, 3), (3, 2), dtype=np.float64)
    state = [np.zeros((2, 1)), np.ones((2, 1)), np.ones((2, 2))]
    kept = [x.copy() for x in [*state, scores, values]]
    online_update(*state, scores, values)
    for name, x, copy in zip(
        ("largest", "total", "sums", "scores", "values"), [*state, scores, values], kept
    ):
        np.testing.assert_array_equal(x, copy, err_msg=f"{name} is the caller's")


def blocked(q, k, v, block_size=2, is_causal=False, scale=0.5):
    return BlockedAttention.apply(q, k, v, scale=scale, is_causal=is_causal, block_size=block_size)


@pytest.mark.stub("blocked", points=8)
def test_blocks_of_any_size_give_attention():
    q, k, v = drawn((5, 4), (7, 4), (7, 3), seed=9)
    expected = attention_by_loops(q, k, v, 0.5)[0]
    for size in (1, 2, 3, 7, 100):
        found = blocked(*map(Tensor, (q, k, v)), size).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6, err_msg=f"blocks of {size}")


@pytest.mark.stub("blocked", points=8)
def test_blocks_respect_the_future():
    q, k, v = drawn((7, 4), (7, 4), (7, 3), seed=10)
    mask = np.where(np.tri(7, dtype=bool), 0, -np.inf)
    expected = attention_by_loops(q, k, v, 0.5, mask)[0]
    for size in (1, 3, 7):
        found = blocked(*map(Tensor, (q, k, v)), size, is_causal=True).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6, err_msg=f"causal, blocks of {size}")


@pytest.mark.stub("blocked", points=8)
def test_blocks_send_the_right_gradients_back():
    for is_causal in (False, True):
        q, k, v, g = drawn((2, 5, 4), (2, 5, 4), (2, 5, 3), (2, 5, 3), seed=11, dtype=np.float64)
        mask = np.where(np.tri(5, dtype=bool) | (not is_causal), 0, -np.inf)

        def forward(q=q, k=k, v=v, mask=mask):
            return np.stack([attention_by_loops(q[i], k[i], v[i], 0.5, mask)[0] for i in range(2)])

        leaves = [Tensor(x.copy()).requires_grad_() for x in (q, k, v)]
        blocked(*leaves, 2, is_causal).backward(Tensor(g))
        for name, leaf, x in zip("qkv", leaves, (q, k, v)):
            np.testing.assert_allclose(
                leaf.grad.numpy(),
                differences(forward, x, g),
                atol=1e-6,
                err_msg=f"the gradient of {name}",
            )


@pytest.mark.stub("blocked", points=8)
def test_memory_does_not_grow_with_the_square():
    peaks = []
    for length in (512, 1024):
        arrays = drawn((length, 8), (length, 8), (length, 8))
        tracemalloc.start()
        blocked(*map(Tensor, arrays), 64)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.5 * peaks[0], f"twice the length took {peaks[1] / peaks[0]:.1f} times the memory"
    assert peaks[1] < 1024 * 1024, (
        f"{peaks[1] / 1e6:.1f} MB for 1,024 positions: the whole matrix would be 4 MB"
    )


@pytest.mark.stub("blocked", points=8)
def test_large_scores_survive():
    q, k, v = drawn((4, 4), (6, 4), (6, 3), seed=12)
    found = blocked(*map(Tensor, (q, k, v)), 2, scale=500.0).numpy()
    np.testing.assert_allclose(found, attention_by_loops(q, k, v, 500.0)[0], rtol=1e-3, atol=1e-5)


def sigma(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.stub("lstm-step", points=4)
def test_gates_forget_write_and_show():
    gates, h, c, W, b = drawn((2, 12), (2, 3), (2, 3), (12, 3), (12,), seed=13)
    i, f, g, o = np.split(gates + h @ W.T + b, 4, axis=1)
    expected_c = sigma(f) * c + sigma(i) * np.tanh(g)
    found_h, found_c = lstm_step(*map(Tensor, (gates, h, c, W, b)))
    np.testing.assert_allclose(
        found_c.numpy(),
        expected_c,
        rtol=1e-4,
        atol=1e-6,
        err_msg="c' = σ(f) c + σ(i) tanh(g), in the order i, f, g, o",
    )
    np.testing.assert_allclose(
        found_h.numpy(),
        sigma(o) * np.tanh(expected_c),
        rtol=1e-4,
        atol=1e-6,
        err_msg="h' = σ(o) tanh(c')",
    )


@pytest.mark.stub("lstm-step", points=4)
def test_an_lstm_without_a_bias():
    gates, h, c, W = drawn((2, 12), (2, 3), (2, 3), (12, 3), seed=14)
    i, f, g, _ = np.split(gates + h @ W.T, 4, axis=1)
    found = lstm_step(*map(Tensor, (gates, h, c, W)))[1].numpy()
    np.testing.assert_allclose(found, sigma(f) * c + sigma(i) * np.tanh(g), rtol=1e-4, atol=1e-6)


@pytest.mark.stub("lstm-step", points=4)
def test_memory_is_kept_where_nothing_is_forgotten():
    gates = np.float32([[-50, 50, 0, 50]])  # write nothing, keep all, show all
    h, c = lstm_step(Tensor(gates), zeros(1, 1), tensor([[0.7]]), zeros(4, 1))
    np.testing.assert_allclose([h.item(), c.item()], [np.tanh(0.7), 0.7], rtol=1e-5)


@pytest.mark.stub("gru-step", points=4)
def test_gates_reset_and_update():
    gates, h, W, b = drawn((2, 9), (2, 3), (9, 3), (9,), seed=15)
    (r, z, n), (r_h, z_h, n_h) = np.split(gates, 3, axis=1), np.split(h @ W.T + b, 3, axis=1)
    proposal, z = np.tanh(n + sigma(r + r_h) * n_h), sigma(z + z_h)
    found = gru_step(*map(Tensor, (gates, h, W, b))).numpy()
    np.testing.assert_allclose(
        found, (1 - z) * proposal + z * h, rtol=1e-4, atol=1e-6, err_msg="in the order r, z, n"
    )


@pytest.mark.stub("gru-step", points=4)
def test_a_closed_update_gate_keeps_the_state():
    h = gru_step(tensor([[0.0, 50.0, 3.0]]), tensor([[0.3]]), zeros(3, 1))
    np.testing.assert_allclose(h.item(), 0.3, rtol=1e-5, err_msg="z = 1: the old state stays")
    h = gru_step(tensor([[0.0, -50.0, 0.5]]), tensor([[0.3]]), zeros(3, 1))
    np.testing.assert_allclose(
        h.item(), np.tanh(0.5), rtol=1e-5, err_msg="z = 0: the proposal takes its place"
    )


@pytest.mark.stub("gru-step", points=4)
def test_a_gru_without_a_bias():
    gates, h, W = drawn((2, 9), (2, 3), (9, 3), seed=16)
    (r, z, n), (r_h, z_h, n_h) = np.split(gates, 3, axis=1), np.split(h @ W.T, 3, axis=1)
    z = sigma(z + z_h)
    found = gru_step(*map(Tensor, (gates, h, W))).numpy()
    np.testing.assert_allclose(
        found, (1 - z) * np.tanh(n + sigma(r + r_h) * n_h) + z * h, rtol=1e-4, atol=1e-6
    )
