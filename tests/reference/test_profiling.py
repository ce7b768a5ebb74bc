"""What the profiler promises: counts that PyTorch confirms, times that add up, and nothing left when it is off."""

import gzip
import json
import sys

import numpy as np
import pytest

import tinytorch as torch
from tinytorch import nn
from tinytorch.profiler import profile, record_function
from tinytorch.profiling import Watch, call_flops, find_nan, trace_memory
from tinytorch.tensor import Function
from tinytorch.utils.flop_counter import FlopCounterMode

# The same models in torch 2.13, by FlopCounterMode, attention with sdpa_kernel(SDPBackend.MATH).
GPT_FORWARD, LENET_FORWARD, LENET_STEP = 774_045_696, 133_200, 380_400


@pytest.fixture
def gpt():
    torch.manual_seed(0)
    return torch.GPT(torch.GPTConfig(97, 64, n_layer=3, n_head=4, n_embd=96, dropout=0.0))


def tokens():
    return torch.randint(0, 97, (16, 64))


def test_a_gpt_has_the_flops_that_a_count_by_hand_has(gpt):
    B, T, C, V, L = 16, 64, 96, 97, 3
    by_hand = L * (24 * B * T * C * C + 4 * B * T * T * C) + 2 * B * T * C * V
    assert torch.count_flops(gpt, tokens()) == by_hand == GPT_FORWARD


def test_a_gpt_goes_backward_with_twice_its_flops(gpt):
    x = tokens()
    assert torch.count_flops(lambda: gpt(x).sum().backward()) == 3 * GPT_FORWARD


def test_lenet_has_pytorchs_flops():
    model, x = torch.LeNet(image_size=8), torch.randn(1, 1, 8, 8)
    assert torch.count_flops(model, x) == LENET_FORWARD
    assert torch.count_flops(lambda: model(x).sum().backward()) == LENET_STEP == 3 * LENET_FORWARD - 19_200


def test_second_derivatives_are_counted_once():
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True)

    def run():
        (grad,) = torch.autograd.grad((x @ w).exp().sum(), [x], create_graph=True)
        return grad

    assert torch.count_flops(run) == 3 * 120, "the product, and both of its gradients, as operations"


def test_attention_in_blocks_and_einsum_are_counted():
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 7)
    einsum = lambda: torch.einsum("...td,...sd->...ts", q, k)
    assert torch.count_flops(einsum) == 2 * 6 * 5 * 6 * 4
    three = lambda: torch.einsum("bhtd,bhsd,bhse->bhte", q, k, v)
    assert torch.count_flops(three) == 2 * 6 * 5 * 6 * (4 + 7)
    attention = lambda: nn.functional.scaled_dot_product_attention(q, k, v)
    assert torch.count_flops(attention) == 2 * 6 * 5 * 6 * (4 + 7)


def test_flops_are_told_apart_by_module(gpt):
    with FlopCounterMode(display=False) as counter:
        gpt(tokens())
    counts = {path: sum(ops.values()) for path, ops in counter.get_flop_counts().items()}
    blocks = [counts[f"GPT.transformer.h.{n}"] for n in range(3)]
    assert sum(blocks) + counts["GPT.lm_head"] == counts["GPT"] == counts["Global"] == GPT_FORWARD
    assert "GPT.transformer.h.0.attn" in counter.get_table(depth=9)


def test_a_formula_may_be_changed_for_a_while():
    layer, x = nn.Linear(4, 5), torch.zeros(3, 4)
    operation = type(layer(x).grad_fn) and layer(x).grad_fn.function
    mapping = {operation: lambda *shapes, out_shape=None: 7}
    with FlopCounterMode(display=False, custom_mapping=mapping) as counter:
        layer(x)
    assert counter.get_total_flops() == 7
    assert torch.count_flops(layer, x) == 120


def test_nothing_is_left_when_it_is_off(gpt):
    code, before, x = Function.apply.__func__.__code__, sys.getprofile(), tokens()
    with profile(profile_memory=True, with_flops=True, record_shapes=True):
        gpt(x)
    with pytest.raises(ZeroDivisionError), profile():
        _ = 1 / 0
    assert Function.apply.__func__.__code__ is code
    assert sys.getprofile() is before
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in gpt.modules())


def test_an_error_inside_leaves_the_right_modules_behind():
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("as planted")

    model, seen = nn.Sequential(nn.Linear(3, 3), Fails()), []
    with Watch(lambda call: seen.append((call.name, call.module))):
        for _ in range(2):
            with pytest.raises(ValueError, match="as planted"):
                model(torch.ones(2, 3))
        torch.ones(2).exp()
    assert seen[-1] == ("Exp", "")
    assert seen.count(("Affine", "Sequential.0")) == 2


def test_watches_can_be_nested():
    outer, inner = [], []
    with Watch(lambda call: outer.append(call.name)):
        torch.ones(2).exp()
        with Watch(lambda call: inner.append(call.name)):
            torch.ones(2).sin()
        torch.ones(2).cos()
    assert [name for name in outer if name in ("Exp", "Sin", "Cos")] == ["Exp", "Sin", "Cos"]
    assert [name for name in inner if name in ("Exp", "Sin", "Cos")] == ["Sin"]


def test_watching_changes_no_number(gpt):
    x = tokens()
    plain = gpt(x).detach().numpy()
    with profile(profile_memory=True, with_flops=True):
        watched = gpt(x)
    np.testing.assert_array_equal(watched.detach().numpy(), plain)


def test_watching_keeps_no_array_alive():
    x = torch.ones(1_000_000)

    def run():
        calls = []
        with Watch(calls.append):
            for _ in range(8):
                x.exp()
        return calls

    assert trace_memory(run).live < 1_000_000, "four megabytes for each array that is kept"


def test_self_times_add_up_to_what_was_recorded(gpt):
    x = tokens()
    with profile() as prof, record_function("all"):
        torch.next_token_loss(gpt(x), x).backward()
    rows = prof.key_averages()
    whole = next(row for row in rows if row.key == "all")
    assert rows.self_cpu_time_total == pytest.approx(whole.cpu_time_total, rel=1e-9)
    assert all(row.self_cpu_time_total >= 0 for row in rows)


def test_a_trace_is_nested_and_complete(gpt, tmp_path):
    with profile(with_flops=True, record_shapes=True) as prof, record_function("forward"):
        gpt(tokens())
    for path, opened in ((tmp_path / "trace.json", open), (tmp_path / "trace.json.gz", gzip.open)):
        prof.export_chrome_trace(str(path))
        with opened(path, "rt") as file:
            trace = json.load(file)
        events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        assert len(events) == len(prof.events())
        assert sum(event["args"]["flops"] for event in events) == GPT_FORWARD
        ends = []
        for event in events:
            while ends and ends[-1] <= event["ts"]:
                ends.pop()
            assert not ends or event["ts"] + event["dur"] <= ends[-1] + 1e-3, "nested, or apart"
            ends.append(event["ts"] + event["dur"])


def test_memory_of_operations():
    x = torch.ones(1000, 1000)
    with profile(profile_memory=True) as prof:
        y = x.exp()
        z = y + 1
    rows = {row.key: row for row in prof.key_averages()}
    for name in ("Exp", "Add"):
        assert 4_000_000 <= rows[name].self_cpu_memory_usage < 4_100_000, name
    assert z.shape == (1000, 1000)


def test_a_step_of_the_gpt_peaks_where_it_was_measured_to(gpt):
    x = tokens()
    found = trace_memory(lambda: torch.next_token_loss(gpt(x), x).backward())
    assert 20e6 < found.peak < 30e6
    assert found.live == pytest.approx(torch.memory_footprint(gpt), rel=0.05), "the gradients are left"


def test_tied_weights_count_once(gpt):
    assert torch.count_parameters(gpt) == 351_168
    assert torch.memory_footprint(gpt) == 4 * 351_168


def test_the_first_bad_gradient_of_a_gpt_is_found(gpt):
    x = tokens()
    assert find_nan(lambda: torch.next_token_loss(gpt(x), x).backward()) is None

    class Lengths(nn.Module):
        def forward(self, x):
            return (x - x).norm(dim=-1, keepdim=True) / (x - x).sum(-1, keepdim=True) * x

    gpt.transformer.h[1].mlp = Lengths()
    found = find_nan(lambda: torch.next_token_loss(gpt(x), x).backward())
    assert found.startswith("forward of Div in GPT.transformer.h.1.mlp")


def test_modules_that_go_backward_are_known(gpt):
    found = {}

    def seen(call):
        if call.kind != "module":
            key = call.module, call.kind
            found[key] = found.get(key, 0) + call_flops(call)

    x = tokens()
    with Watch(seen):
        gpt(x).sum().backward()
    for (module, kind), flops in list(found.items()):
        if kind == "forward" and flops:
            assert found[module, "backward"] == 2 * flops, module


def test_options_that_are_not_there_say_so():
    with pytest.raises(NotImplementedError, match="stacks"):
        profile(with_stack=True)
