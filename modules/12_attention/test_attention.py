"""Tests of module 12, which `make release 12` makes from attention.py."""

import inspect
import tracemalloc

import numpy as np
import pytest

from tinytorch.attention import (
    BlockedAttention,
    attend,
    attend_backward,
    causal_mask,
    gru_step,
    join_heads,
    lstm_step,
    multi_head_attention,
    online_update,
    plain_attention,
    project,
    softmax_rows,
    split_heads,
)
from tinytorch.tensor import Context, Tensor, manual_seed, tensor, wrap, zeros


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


def numbers(x):
    return x.detach().numpy() if isinstance(x, Tensor) else x


def check(found, wanted, about, dtype=None):
    """Compare shape, numbers up to rounding, and the type if one is given."""
    found, kind = numbers(found), type(found).__name__
    assert hasattr(found, "shape"), f"{about}: an array or a Tensor is wanted, not {kind}"
    assert found.shape == wanted.shape, f"{about}: of shape {wanted.shape}, not {found.shape}"
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=about)
    assert dtype in (None, found.dtype), f"{about}: {np.dtype(dtype)}, not {found.dtype}"


def same(function, *arrays, **options):
    """Call a function, and check that it has not changed its arrays."""
    given = inspect.signature(function).bind(*arrays, **options).arguments
    given = {name: x for name, x in given.items() if isinstance(x, np.ndarray | Tensor)}
    kept = {name: numbers(x).copy() for name, x in given.items()}
    found = function(*arrays, **options)
    for name, before in kept.items():
        message = f"the call changed {name}, which is only to be read"
        np.testing.assert_array_equal(numbers(given[name]), before, err_msg=message)
    return found


def differences(function, array, cotangent, eps=1e-6):
    """How sum(function() * cotangent) changes with each element of an array."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = (function() * cotangent).sum()
        array[position] = value - eps
        slopes[position] = (above - (function() * cotangent).sum()) / (2 * eps)
        array[position] = value
    return slopes


def check_gradients(function, by_numpy, *arrays, about=""):
    """Every argument of a function of Tensors gets the gradient of differences."""
    arrays = [x.astype(float) for x in arrays]
    (cotangent,) = drawn(by_numpy(*arrays).shape, seed=99, dtype=float)
    wanted = [differences(lambda: by_numpy(*arrays), x, cotangent) for x in arrays]
    leaves = [wrap(x.copy()).requires_grad_() for x in arrays]
    function(*leaves).backward(wrap(cotangent))
    for number, (leaf, slopes) in enumerate(zip(leaves, wanted)):
        which = f"{about}the gradient of argument {number + 1}"
        assert leaf.grad is not None, f"{which} is missing: the graph is cut somewhere"
        check(leaf.grad, slopes, which)


@pytest.mark.stub("plain-attention", points=5)
def test_each_query_mixes_the_values_by_its_weights():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    wanted, wanted_weights = attention_by_loops(q, k, v)
    output, weights = same(plain_attention, wrap(q), wrap(k), wrap(v))
    about = "weights: softmax of q k / sqrt(d), along the keys"
    check(weights, wanted_weights, about, np.float32)
    check(output, wanted, "output: weights times values", np.float32)


@pytest.mark.stub("plain-attention", points=5)
def test_leading_dimensions_are_kept():
    q, k, v = drawn((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))
    wanted = np.zeros((2, 3, 4, 7))
    for b, h in np.ndindex(2, 3):
        wanted[b, h] = attention_by_loops(q[b, h], k[b, h], v[b, h])[0]
    output = plain_attention(wrap(q), wrap(k), wrap(v))[0]
    check(output, wanted, "2 sequences, 3 heads, each attends separately")


@pytest.mark.stub("plain-attention", points=5)
def test_a_scale_can_be_given():
    q, k, v = drawn((3, 4), (5, 4), (5, 2))
    for scale in (0.25, 2.0, 0.0):
        wanted = attention_by_loops(q, k, v, scale)[1]
        found = plain_attention(wrap(q), wrap(k), wrap(v), scale=scale)[1]
        check(found, wanted, f"weights for scale={scale}")


@pytest.mark.stub("plain-attention", points=5)
def test_a_mask_is_added_to_the_scores():
    q, k, v, masks = drawn((3, 4), (5, 4), (5, 2), (2, 1, 3, 5))
    masks[0, 0, 0, 2] = -np.inf
    for scale in (None, 3.0):
        wanted = [attention_by_loops(q, k, v, scale, mask)[1] for mask in masks[:, 0]]
        found = same(plain_attention, *map(wrap, (q, k, v, masks[0, 0])), scale=scale)[1]
        check(found, wanted[0], f"scale {scale}: the mask is added to the scaled scores")
        twice = [wrap(np.stack([[x]] * 2)) for x in (q, k, v)]
        found = plain_attention(*twice, wrap(masks), scale=scale)[1]
        check(found, np.stack(wanted)[:, None], f"scale {scale}: two sentences, two masks")


@pytest.mark.stub("plain-attention", points=5)
def test_a_query_that_may_look_at_nothing_gets_nan():
    q, k, v, mask = drawn((2, 4), (5, 4), (5, 2), (2, 5))
    mask[1] = -np.inf
    wanted = attention_by_loops(q, k, v, None, mask)[1]
    wanted[1] = np.nan
    found = plain_attention(*map(wrap, (q, k, v, mask)))[1]
    check(found, wanted, "weights of a query with every key hidden: NaN, as softmax says")


def telling_values(count):
    """Values (count, count + 1) whose mixture is the weights that were used, and their sum."""
    return np.eye(count, count + 1, dtype=np.float32) + (np.arange(count + 1) == count)


def check_dropped(output, weights, whole, about=""):
    """Dropout with p = 0.1 of weights that would be `whole`, used for telling_values."""
    used, total = numbers(output)[..., :-1], numbers(output)[..., -1]
    dropped = (used == 0).mean()
    assert 0.01 < dropped < 0.3, f"{about}dropout_p=0.1: of the weights, {dropped:.0%} are 0"
    check(total, used.sum(-1), f"{about}weights must be dropped, not entries of the output")
    kept = np.where(used == 0, 0, whole / 0.9)
    check(used, kept, f"{about}what is not dropped is divided by 1 - dropout_p")
    if weights is not None:
        check(weights, used, f"{about}the returned weights must be those that were used")


@pytest.mark.stub("plain-attention", points=5)
def test_dropped_weights_are_those_that_were_used():
    manual_seed(1)
    q, k, v = *drawn((3, 4), (50, 4)), telling_values(50)
    leaves = [wrap(x).requires_grad_() for x in (q, k, v)]
    output, weights = plain_attention(*leaves, dropout_p=0.1)
    check_dropped(output, weights, attention_by_loops(q, k, v)[1])
    output.sum().backward()


@pytest.mark.stub("plain-attention", points=5)
def test_queries_keys_values_and_mask_get_gradients():
    arrays = drawn((3, 4), (5, 4), (5, 5), (3, 5), seed=1)
    by_loops = lambda q, k, v, mask: attention_by_loops(q, k, v, None, mask)
    check_gradients(lambda *leaves: plain_attention(*leaves)[0], lambda *x: by_loops(*x)[0], *arrays)
    about = "a loss that reads the weights too: "
    both = lambda function: lambda *x: sum(function(*x))
    check_gradients(both(plain_attention), both(by_loops), *arrays, about=about)


def check_causal(rows, columns):
    wanted = np.array([[0 if s <= t else -np.inf for s in columns] for t in rows])
    about = f"queries at {rows}, keys at {columns}: 0 where the key is not later"
    found = causal_mask(rows, columns)
    assert isinstance(found, np.ndarray), f"the mask is an array, not a {type(found).__name__}"
    check(found, wanted, about, np.float32)


@pytest.mark.stub("causal-mask", points=3)
def test_a_position_sees_itself_and_what_is_before():
    check_causal(range(2), range(5))
    check_causal(range(4), range(4))


@pytest.mark.stub("causal-mask", points=3)
def test_parts_of_the_triangle_know_their_positions():
    check_causal(range(4, 7), range(2, 6))
    check_causal(range(8, 9), range(9))
    check_causal([5, 1, 3], [2, 3, 0, 7])


@pytest.mark.stub("causal-mask", points=3)
def test_the_triangle_has_the_type_asked_for():
    for dtype in (np.float16, np.float32, np.float64):
        found = causal_mask(range(2), range(2), dtype).dtype
        assert found == dtype, f"a mask of {np.dtype(dtype)} was asked for, not {found}"


def check_rows(scores, wanted, about):
    scores = np.float32(scores)
    found = softmax_rows(scores)
    check(found, np.array(wanted), about)
    assert found is scores, "the weights overwrite the scores: return the same array"


@pytest.mark.stub("softmax-rows", points=4)
def test_rows_become_weights():
    (scores,) = drawn((4, 6))
    check_rows(scores, np.exp(scores) / np.exp(scores).sum(1, keepdims=True), "random scores")
    check_rows([[0, -np.log(3)], [0, 0]], [[0.75, 0.25], [0.5, 0.5]], "the largest score is 0")


@pytest.mark.stub("softmax-rows", points=4)
def test_large_scores_do_not_overflow():
    with np.errstate(over="raise", invalid="raise"):
        check_rows([[1000, 1000]], [[0.5, 0.5]], "equal scores, far above 0")
        for low in (-1000, -1e10):
            check_rows([[low, low]], [[0.5, 0.5]], f"equal scores, {low}")
        wanted = [[1, 0], [0.7310586, 0.2689414]]
        check_rows([[1000, 0], [-1000, -1001]], wanted, "each row has its own maximum")


@pytest.mark.stub("softmax-rows", points=4)
def test_a_row_of_nothing_becomes_zeros_without_a_warning():
    with np.errstate(all="raise", under="ignore"):
        about = "a query that may look at nothing gets zeros"
        check_rows([[-np.inf, -np.inf], [-np.inf, 3]], [[0, 0], [0, 1]], about)
    found = softmax_rows(np.float32([[np.nan, 0], [0, 0]]))
    about = "only -inf hides a key: a score that is NaN stays NaN"
    check(found[:, :1], np.array([[np.nan], [0.5]]), about)


@pytest.mark.stub("softmax-rows", points=4)
def test_no_keys_leave_no_weights():
    check_rows(np.zeros((3, 0)), np.zeros((3, 0)), "three queries, and no keys at all")


def check_head(*arrays, scale, mask=None, keep=None, dtype=np.float32):
    q, k, v = (x.astype(dtype) for x in arrays)
    full = None if mask is None else np.broadcast_to(mask, (len(q), len(k)))
    wanted = attention_by_loops(q, k, v, scale, full)[1]
    used = wanted if keep is None else wanted * keep
    call = lambda q, k, v, mask, keep: attend(q, k, v, scale, mask, keep)
    output, weights = same(call, q, k, v, mask, keep)
    check(weights, wanted, f"scale {scale}: the weights, before `keep`", dtype)
    check(output, used @ v, f"scale {scale}: the output", dtype)


@pytest.mark.stub("attend", points=4)
def test_one_head_attends():
    arrays = drawn((3, 4), (5, 4), (5, 2), seed=1)
    check_head(*arrays, scale=0.7)
    check_head(*arrays, scale=2.0, dtype=np.float64)


@pytest.mark.stub("attend", points=4)
def test_one_head_with_a_mask():
    *arrays, mask, row = drawn((3, 4), (5, 4), (5, 2), (3, 5), (1, 5), seed=2)
    mask[1] = -np.inf  # the second query may look at nothing
    check_head(*arrays, scale=0.3, mask=mask)
    check_head(*arrays, scale=0.3, mask=row)


@pytest.mark.stub("attend", points=4)
def test_what_is_kept_is_used_and_the_weights_stay_whole():
    *arrays, mask = drawn((3, 4), (5, 4), (5, 2), (3, 5), seed=3)
    keep = np.float32([[2, 0, 2, 0, 2]] * 3)
    check_head(*arrays, scale=0.5, keep=keep)
    check_head(*arrays, scale=0.5, mask=mask, keep=keep)


def one_head(keep=None, scale=0.7, dtype=np.float64, seed=4):
    """The gradients found for one head, and those of differences of NumPy's output."""
    shapes = (3, 4), (5, 4), (5, 2), (3, 5), (3, 2)
    q, k, v, mask, grad = drawn(*shapes, seed=seed, dtype=np.float64)

    def forward():  # NumPy alone
        scores = scale * q @ k.T + mask
        weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        return weights, (weights if keep is None else weights * keep) @ v

    slopes = [differences(lambda: forward()[1], x, grad) for x in (q, k, v, mask)]
    arrays = [x.astype(dtype) for x in (grad, q, k, v, *forward())]
    arrays += [] if keep is None else [keep.astype(dtype)]
    call = lambda grad, q, k, v, weights, output, keep=None: attend_backward(
        grad, q, k, v, scale, weights, output, keep
    )
    found = same(call, *arrays)
    assert len(found) == 4, f"gradients of q, k, v and the scores are four, not {len(found)}"
    return found, slopes


def check_head_gradients(numbers, about="", **options):
    found, slopes = one_head(**options)
    names = "q", "k", "v", "the scores, which is the mask's,"
    for number in numbers:
        check(found[number], slopes[number], f"{about}the gradient of {names[number]}")


@pytest.mark.stub("attend-backward", points=8)
def test_queries_and_keys_get_their_gradients():
    for scale in (0.7, 1.5):
        check_head_gradients([0, 1], f"scale {scale}: ", scale=scale)


@pytest.mark.stub("attend-backward", points=8)
def test_values_get_their_gradient():
    check_head_gradients([2])


@pytest.mark.stub("attend-backward", points=8)
def test_the_scores_gradient_is_the_masks():
    check_head_gradients([3])


@pytest.mark.stub("attend-backward", points=8)
def test_dropped_weights_send_nothing_back():
    keep = np.where(np.arange(15).reshape(3, 5) % 3 == 0, 0.0, 1.5)
    check_head_gradients(range(4), "with dropout: ", keep=keep)


@pytest.mark.stub("attend-backward", points=8)
def test_the_gradients_stay_float32():
    keep = np.where(np.arange(15).reshape(3, 5) % 3 == 0, 0.0, 1.5)
    found, slopes = one_head(keep, dtype=np.float32)
    for name, gradient, wanted in zip(("q", "k", "v", "the scores"), found, slopes):
        check(gradient, wanted, f"float32: the gradient of {name}", np.float32)


@pytest.mark.stub("heads", points=3)
def test_each_head_has_its_part_of_every_vector():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    for H in (2, 4, 8):
        parts = [x[:, :, h * 8 // H : (h + 1) * 8 // H] for h in range(H)]
        found = same(split_heads, wrap(x), num_heads=H)
        check(found, np.stack(parts, 1), f"(2, 3, 8) in {H} heads")


@pytest.mark.stub("heads", points=3)
def test_joining_undoes_splitting():
    heads = np.arange(2 * 4 * 3 * 2.0).reshape(2, 4, 3, 2)
    wanted = np.concatenate([heads[:, h] for h in range(4)], axis=-1)
    check(join_heads(wrap(heads)), wanted, "joined, head 0 first, for each position")


@pytest.mark.stub("heads", points=3)
def test_splitting_copies_nothing():
    x = wrap(np.zeros((2, 3, 8)))
    assert np.shares_memory(split_heads(x, 2).numpy(), x.numpy()), "split_heads is a view"


@pytest.mark.stub("heads", points=3)
def test_gradients_pass_through_both():
    (x,) = drawn((2, 3, 4))
    together = lambda x: join_heads(split_heads(x, 2).exp())
    check_gradients(together, np.exp, x)


def check_projections(query, key, value, weight, bias=None):
    """Three products in float64, from three parts of the weight."""
    inputs, parts = (query, key, value), np.split(weight.astype(float), 3)
    shifts = [0, 0, 0] if bias is None else np.split(bias, 3)
    wanted = [x @ W.T + b for x, W, b in zip(inputs, parts, shifts)]
    others = (weight,) if bias is None else (weight, bias)
    tensors = {id(x): wrap(x) for x in inputs}
    found = [*same(project, *(tensors[id(x)] for x in inputs), *map(wrap, others))]
    assert len(found) == 3, f"q, k and v are three Tensors, not {len(found)}"
    for name, projected, right in zip("qkv", found, wanted):
        check(projected, right, f"{name}, {'no' if bias is None else 'with a'} bias", query.dtype)


@pytest.mark.stub("projections", points=5)
def test_each_of_three_tensors_has_its_weights():
    arrays = drawn((2, 3, 4), (2, 5, 4), (2, 5, 4), (12, 4), (12,), seed=20)
    check_projections(*arrays)
    check_projections(*arrays[:4])
    check_projections(*(x.astype(float) for x in arrays))
    check_projections(*drawn((2, 3, 4), (2, 3, 4), (2, 3, 4), (12, 4), seed=20))


@pytest.mark.stub("projections", points=5)
def test_one_tensor_may_stand_for_all_three():
    x, weight, bias = drawn((2, 3, 4), (12, 4), (12,), seed=21)
    check_projections(x, x, x, weight, bias)
    check_projections(x, x, x, weight)


@pytest.mark.stub("projections", points=5)
def test_keys_and_values_may_be_one_tensor_and_queries_another():
    x, y, weight, bias = drawn((2, 3, 4), (2, 5, 4), (12, 4), (12,), seed=22)
    check_projections(x, y, y, weight, bias)
    check_projections(x, x, drawn((2, 3, 4), seed=23)[0], weight, bias)


@pytest.mark.stub("projections", points=5)
def test_inputs_and_weights_get_gradients():
    def by_numpy(x, y, weight, bias):
        q, k, v = np.split(weight, 3)
        return (x @ q.T + bias[:4]) * (y @ k.T + bias[4:8]) * (y @ v.T + bias[8:])

    def by_project(x, y, weight, bias):
        q, k, v = project(x, y, y, weight, bias)
        return q * k * v

    x, y, *others = drawn((1, 2, 4), (1, 2, 4), (12, 4), (12,), seed=24)
    check_gradients(by_project, by_numpy, x, y, *others)
    alike = lambda f: lambda x, *others: f(x, x, *others)
    check_gradients(alike(by_project), alike(by_numpy), x, *others)


def heads_by_loops(q, k, v, num_heads, mask=None):
    """Each sentence and each head separately; masks are (B, H, T, S)."""
    d = q.shape[-1] // num_heads
    output, weights = np.zeros(q.shape), np.zeros((len(q), num_heads, q.shape[1], k.shape[1]))
    for b, h in np.ndindex(len(q), num_heads):
        part = slice(h * d, (h + 1) * d)
        m = None if mask is None else mask[b, h]
        parts = q[b, :, part], k[b, :, part], v[b, :, part]
        output[b, :, part], weights[b, h] = attention_by_loops(*parts, mask=m)
    return output, weights


def mixed_by(W):
    """A last layer with these weights, for Tensors."""
    return lambda joined: joined @ wrap(W.astype(numbers(joined).dtype))


def check_multi_head(*arrays, num_heads, options, mask=None, about=""):
    (W,) = drawn((arrays[0].shape[-1],) * 2, seed=30)
    wanted, wanted_weights = heads_by_loops(*arrays, num_heads, mask)
    call = lambda q, k, v: multi_head_attention(q, k, v, num_heads, mixed_by(W), **options)
    output, weights = same(call, *map(wrap, arrays))
    about = f"{about}num_heads={num_heads}: "
    if options.get("need_weights", True):
        check(weights, wanted_weights, f"{about}the weights")
    else:
        assert weights is None, f"weights that are not needed are None, not {weights}"
    check(output, wanted @ W, f"{about}heads joined and mixed", np.float32)


@pytest.mark.stub("multi-head", points=5)
def test_every_head_attends_on_its_own():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=5)
    for num_heads in (1, 2, 4):
        check_multi_head(*arrays, num_heads=num_heads, options={})


@pytest.mark.stub("multi-head", points=5)
def test_the_output_is_the_same_without_weights():
    arrays = drawn((2, 3, 8), (2, 5, 8), (2, 5, 8), seed=6)
    for num_heads in (1, 2, 4):
        check_multi_head(*arrays, num_heads=num_heads, options={"need_weights": False})


@pytest.mark.stub("multi-head", points=5)
def test_masks_reach_both_ways():
    arrays = drawn((2, 3, 4), (2, 3, 4), (2, 3, 4), seed=7)
    causal = np.where(np.tri(3, dtype=bool), 0, -np.inf).astype(np.float32)
    (each,) = drawn((2, 2, 3, 3), seed=8)  # another mask for each sentence and head
    each[1, 1] = each[1, 0]  # so that using the first head's differs from the first sentence's
    for mask in (causal, each, each[0]):
        for options in ({"mask": wrap(mask)}, {"mask": wrap(mask), "need_weights": False}):
            about = f"with {', '.join(options)} (mask of shape {mask.shape}): "
            whole = np.broadcast_to(mask, each.shape)
            check_multi_head(*arrays, num_heads=2, options=options, mask=whole, about=about)
    options = {"need_weights": False, "is_causal": True}
    whole = np.broadcast_to(causal, each.shape)
    check_multi_head(*arrays, num_heads=2, options=options, mask=whole, about="is_causal: ")


@pytest.mark.stub("multi-head", points=5)
def test_a_query_that_may_look_at_nothing():
    q, k, v = map(wrap, drawn((1, 2, 4), (1, 3, 4), (1, 3, 4), seed=7))
    mask = wrap(np.float32([[0, 0, 0], [-np.inf, -np.inf, -np.inf]]))
    for need_weights, wanted in ((True, np.nan), (False, 0.0)):
        output, _ = multi_head_attention(q, k, v, 2, lambda joined: joined, mask, need_weights=need_weights)
        about = f"every key hidden, need_weights={need_weights}: {wanted}"
        check(output[0, 1], np.full(4, wanted), about)


@pytest.mark.stub("multi-head", points=5)
def test_weights_are_dropped_both_ways():
    arrays = *drawn((1, 3, 65), (1, 64, 65), seed=8), telling_values(64)[None]
    whole, mix = heads_by_loops(*arrays, 1)[1][0, 0], lambda joined: joined
    for need_weights in (True, False):
        manual_seed(0)
        options = {"dropout_p": 0.1, "need_weights": need_weights}
        output, weights = multi_head_attention(*map(wrap, arrays), 1, mix, **options)
        weights = weights[0, 0] if need_weights else None
        check_dropped(output[0], weights, whole, f"need_weights={need_weights}, ")


@pytest.mark.stub("multi-head", points=5)
def test_gradients_reach_what_was_projected():
    arrays, (W,) = drawn((1, 2, 4), (1, 4, 4), (1, 4, 4), seed=9), drawn((4, 4), seed=30)

    def by_loops(q, k, v, need):
        output, weights = heads_by_loops(q, k, v, 2)
        return output @ W + (weights[:, 0] if need else 0)

    def by_heads(q, k, v, need):
        output, weights = multi_head_attention(q, k, v, 2, mixed_by(W), need_weights=need)
        return output + weights[:, 0] if need else output

    for need in (True, False):
        about = "a loss that reads the weights too: " if need else "no weights: "
        given = lambda f, need=need: lambda *x: f(*x, need)
        check_gradients(given(by_heads), given(by_loops), *arrays, about=about)


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


def check_online(scores, values, *cuts):
    wanted = softmax_then_mix(scores, values)
    with np.errstate(over="raise", invalid="raise"):
        found = online(scores, values, list(cuts))
    about = f"sums / total of {scores.shape[-1]} keys, cut at {list(cuts) or 'no place'}"
    np.testing.assert_allclose(found, wanted, 1e-10, err_msg=about)


@pytest.mark.stub("online-update", points=6)
def test_a_block_joins_the_keys_before_it():
    for dtype in (np.float32, np.float64):
        scores, values = drawn((2, 3), (3, 2), dtype=dtype)
        scores[1] -= 5  # all below the key before
        state = np.zeros((2, 1), dtype), np.ones((2, 1), dtype), np.ones((2, 2), dtype)
        found = same(online_update, *state, scores, values)
        scores, values = np.insert(scores, 0, 0, axis=1), np.insert(values, 0, 1, axis=0)
        largest = scores.max(-1, keepdims=True)
        exps = np.exp(scores - largest)
        wanted = largest, exps.sum(-1, keepdims=True), exps @ values
        for name, x, right in zip(("largest", "total", "sums"), found, wanted):
            check(x, right, f"{name} after a key of score 0 and value 1, then three more", dtype)


@pytest.mark.stub("online-update", points=6)
def test_blocks_give_what_all_keys_give():
    scores, values = drawn((4, 9), (9, 3), dtype=np.float64)
    for cuts in ([], [3], [1, 2, 7]):
        check_online(3 * scores, values, *cuts)
    check_online(scores[:1] - 3000, values, 3)


@pytest.mark.stub("online-update", points=6)
def test_a_larger_score_may_come_late():
    (values,) = drawn((4, 2), dtype=np.float64)
    check_online(np.array([[1.0, 2.0, 5.0, 800.0]]), values, 1, 2, 3)
    check_online(np.array([[800.0, 1.0, 2.0, 3.0]]), values, 1, 2, 3)


@pytest.mark.stub("online-update", points=6)
def test_each_query_has_its_own_largest_score():
    scores, values = drawn((3, 6), (6, 2), dtype=np.float64)
    scores += np.array([[0.0], [-3000.0], [900.0]])
    check_online(scores, values, 2, 4)
    state = np.full((3, 1), -np.inf), np.zeros((3, 1)), np.zeros((3, 2))
    largest = online_update(*state, scores, values)[0]
    check(largest, scores.max(-1, keepdims=True), "the largest score of each query")


@pytest.mark.stub("online-update", points=6)
def test_masked_keys_weigh_nothing():
    scores, values = drawn((3, 6), (6, 2), dtype=np.float64)
    scores[:, [1, 4, 5]] = -np.inf
    check_online(scores, values, 2)


@pytest.mark.stub("online-update", points=6)
def test_heads_are_updated_side_by_side():
    check_online(*drawn((2, 3, 4, 6), (2, 3, 6, 2), dtype=np.float64), 4)


def blocked(q, k, v, block_size=2, is_causal=False, scale=0.5):
    return BlockedAttention.apply(q, k, v, scale=scale, is_causal=is_causal, block_size=block_size)


def check_blocked(*arrays, block_size, is_causal=False, scale=0.5, dtype=np.float32):
    q, k, v = (x.astype(dtype) for x in arrays)
    allowed = np.tri(q.shape[-2], k.shape[-2], dtype=bool) | (not is_causal)
    mask = np.where(allowed, 0, -np.inf)
    wanted = np.zeros((*q.shape[:-1], v.shape[-1]))
    for lead in np.ndindex(q.shape[:-2]):
        wanted[lead] = attention_by_loops(q[lead], k[lead], v[lead], scale, mask)[0]
    options = {"block_size": block_size, "is_causal": is_causal, "scale": scale}
    found = same(blocked, *map(wrap, (q, k, v)), **options)
    about = f"{q.shape[-2]} queries, {k.shape[-2]} keys, blocks of {block_size}"
    check(found, wanted, f"{about}, is_causal={is_causal}, scale={scale}", dtype)


@pytest.mark.stub("blocked", points=8)
def test_blocks_of_any_size_give_attention():
    for size in (1, 2, 3, 7, 100):
        check_blocked(*drawn((5, 4), (7, 4), (7, 3), seed=9), block_size=size)
        check_blocked(*drawn((9, 4), (4, 4), (4, 3), seed=9), block_size=size)


@pytest.mark.stub("blocked", points=8)
def test_blocks_respect_the_future():
    for size, T, S in ((1, 7, 7), (3, 7, 7), (7, 7, 7), (2, 3, 7), (2, 7, 3)):
        arrays = drawn((T, 4), (S, 4), (S, 3), seed=10)
        check_blocked(*arrays, block_size=size, is_causal=True)


@pytest.mark.stub("blocked", points=8)
def test_heads_types_and_scales():
    arrays = drawn((2, 3, 6, 4), (2, 3, 5, 4), (2, 3, 5, 7), seed=12, dtype=np.float64)
    check_blocked(*arrays, block_size=4, scale=0.1)
    check_blocked(*arrays, block_size=2, dtype=np.float64)
    ctx, options = Context(), {"scale": 0.1, "is_causal": False, "block_size": 4}
    BlockedAttention.forward(ctx, *(x.astype(np.float32) for x in arrays), **options)
    names, count = "q, k, v, output and logsumexp", len(ctx.saved_tensors)
    assert count == 5, f"for backward {names} are saved, five arrays, not {count}"
    found = getattr(ctx, "options", ())
    assert tuple(found) == (0.1, False, 4), f"ctx.options: (0.1, False, 4), not {found}"
    wanted = [*(x.shape for x in arrays), (2, 3, 6, 7), (2, 3, 6, 1)]
    found = [np.shape(x) for x in ctx.saved_tensors]
    assert found == wanted, f"for backward {names} are saved, of shapes {wanted}, not {found}"
    types = [str(x.dtype) for x in ctx.saved_tensors]
    assert set(types) == {"float32"}, f"what float32 inputs save is float32, not {types}"


@pytest.mark.stub("blocked", points=8)
def test_blocks_send_the_right_gradients_back():
    for is_causal, T in ((False, 5), (True, 5), (False, 7)):
        mask = np.where(np.tri(T, 5, dtype=bool) | (not is_causal), 0, -np.inf)
        check_gradients(
            lambda q, k, v, is_causal=is_causal: blocked(q, k, v, 2, is_causal),
            lambda q, k, v, mask=mask: attention_by_loops(q, k, v, 0.5, mask)[0],
            *drawn((T, 4), (5, 4), (5, 3), seed=11),
        )


@pytest.mark.stub("blocked", points=8)
def test_memory_does_not_grow_with_the_square():
    peaks = []
    for length in (512, 1024):
        arrays = drawn((length, 8), (length, 8), (length, 8))
        tracemalloc.start()
        blocked(*map(wrap, arrays), 64)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.5 * peaks[0], f"twice the length took {peaks[1] / peaks[0]:.1f} times the memory"
    assert peaks[1] < 1024 * 1024, (
        f"{peaks[1] / 1e6:.1f} MB for 1,024 positions: the whole matrix would be 4 MB"
    )
    for H, T, S, size, what in ((256, 2, 128, 2, "keys"), (4, 512, 32, 32, "queries")):
        arrays = drawn((H, T, 1), (H, S, 1), (H, S, 1))
        tracemalloc.start()
        blocked(*map(wrap, arrays), size)
        peak = tracemalloc.get_traced_memory()[1] // 100_000 * 100
        tracemalloc.stop()
        about = f"tiles of {size} x {size} in {H} heads: do blocks have {size} {what}?"
        assert peak < 200, f"{peak} kB or more for {about}"


@pytest.mark.stub("blocked", points=8)
def test_large_scores_survive():
    q, k, v = drawn((4, 4), (6, 4), (6, 3), seed=12)
    check_blocked(q, k, v, block_size=2, scale=500.0)
    check_blocked(1 + abs(q), -1 - abs(k), v, block_size=2, scale=50.0)  # all far below 0
    ctx, scores = Context(), 500.0 * q.astype(np.float64) @ k.astype(np.float64).T
    BlockedAttention.forward(ctx, q, k, v, scale=500.0, is_causal=False, block_size=2)
    largest = scores.max(axis=-1, keepdims=True)
    wanted = largest + np.log(np.exp(scores - largest).sum(axis=-1, keepdims=True))
    about = "scores of hundreds: the logarithm of the sum of exponentials, which is saved"
    check(wrap(ctx.saved_tensors[4]), wanted, about, np.float32)


def sigma(x):
    return 1 / (1 + np.exp(-x))


def lstm_by_numpy(gates, h, c, W, b=0):
    i, f, g, o = np.split(gates + h @ W.T + b, 4, axis=1)
    c = sigma(f) * c + sigma(i) * np.tanh(g)
    return sigma(o) * np.tanh(c), c


def check_lstm(*arrays):
    wanted, dtype = lstm_by_numpy(*arrays), arrays[0].dtype
    found = same(lstm_step, *map(wrap, arrays))
    about = "a bias" if len(arrays) == 5 else "no bias"
    check(found[1], wanted[1], f"c' with {about}: σ(f) c + σ(i) tanh(g)", dtype)
    check(found[0], wanted[0], f"h' with {about}: σ(o) tanh(c')", dtype)


@pytest.mark.stub("lstm-step", points=4)
def test_gates_forget_write_and_show():
    arrays = drawn((2, 20), (2, 5), (2, 5), (20, 5), (20,), seed=13)
    check_lstm(*arrays)
    check_lstm(*(x.astype(float) for x in arrays))


@pytest.mark.stub("lstm-step", points=4)
def test_an_lstm_without_a_bias():
    check_lstm(*drawn((2, 12), (2, 3), (2, 3), (12, 3), seed=14))


@pytest.mark.stub("lstm-step", points=4)
def test_an_output_that_is_shorter_than_the_memory():
    check_lstm(*drawn((2, 20), (2, 3), (2, 5), (20, 3), (20,), seed=14))


@pytest.mark.stub("lstm-step", points=4)
def test_an_lstm_hands_gradients_on():
    arrays = drawn((2, 8), (2, 2), (2, 2), (8, 2), (8,), seed=13)
    both = lambda step: lambda *x: step(*x)[0] + 2 * step(*x)[1]
    check_gradients(both(lstm_step), both(lstm_by_numpy), *arrays)


@pytest.mark.stub("lstm-step", points=4)
def test_memory_is_kept_where_nothing_is_forgotten():
    gates = np.float32([[-50, 50, 0, 50]])  # write nothing, keep all, show all
    h, c = lstm_step(wrap(gates), zeros(1, 1), tensor([[0.7]]), zeros(4, 1))
    found, wanted = np.array([h.item(), c.item()]), np.array([np.tanh(0.7), 0.7])
    check(found, wanted, "f open, i closed, o open: c stays 0.7, and h shows its tanh")


def gru_by_numpy(gates, h, W, b=0):
    (r, z, n), (r_h, z_h, n_h) = np.split(gates, 3, axis=1), np.split(h @ W.T + b, 3, axis=1)
    proposal, z = np.tanh(n + sigma(r + r_h) * n_h), sigma(z + z_h)
    return (1 - z) * proposal + z * h


def check_gru(*arrays):
    wanted, found = gru_by_numpy(*arrays), same(gru_step, *map(wrap, arrays))
    bias = "a bias" if len(arrays) == 4 else "no bias"
    about = f"with {bias}: (1 - σ(z)) n + σ(z) h, where n is tanh(n_x + σ(r) n_h)"
    check(found, wanted, about, arrays[0].dtype)


@pytest.mark.stub("gru-step", points=4)
def test_gates_reset_and_update():
    arrays = drawn((2, 15), (2, 5), (15, 5), (15,), seed=15)
    check_gru(*arrays)
    check_gru(*(x.astype(float) for x in arrays))


@pytest.mark.stub("gru-step", points=4)
def test_a_gru_without_a_bias():
    check_gru(*drawn((2, 9), (2, 3), (9, 3), seed=16))


@pytest.mark.stub("gru-step", points=4)
def test_a_closed_update_gate_keeps_the_state():
    for z, n, wanted in ((50.0, 3.0, 0.3), (-50.0, 0.5, np.tanh(0.5))):
        h = gru_step(tensor([[0.0, z, n]]), tensor([[0.3]]), zeros(3, 1))
        check(h, np.array([[wanted]]), f"z = σ({z}), state 0.3, proposal tanh({n})")


@pytest.mark.stub("gru-step", points=4)
def test_a_gru_hands_gradients_on():
    arrays = drawn((2, 6), (2, 2), (6, 2), (6,), seed=17)
    check_gradients(gru_step, gru_by_numpy, *arrays)
