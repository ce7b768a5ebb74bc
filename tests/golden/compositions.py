"""Draws small programs of operations, views, in-place steps and types, by hypothesis, where PyTorch is installed.

`parity.py compositions` runs new ones with PyTorch and with TinyTorch. Where the two differ, hypothesis makes the
program as short as it can, and it is kept among those that `cases/compositions.py` replays. Run by itself,
`compositions.py COUNT SEED` adds as many programs to these. A program's statements are all accepted by PyTorch.
"""

import importlib
import json
import re
import sys
import warnings

import numpy as np
from cases.compositions import KEPT, case_of, scope_of, tensors_of
from golden import compare, run
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st

DTYPES = [
    "float32",
    "float32",
    "float32",
    "float64",
    "float16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
]
# Quarters, which every floating point type holds; many are equal, and some are special.
NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.25, 0.5, -0.75, 1.5, 2.0, 2.0, -2.0, 3.0, 7.0, "inf", "-inf", "nan"]

# Statements by kind. {x} is any tensor, {y} another or the same, {f} a floating point one, {b} a mask, {i} indices,
# {d} and {e} dimensions, {n} a small count, {s} a number, {k} a truth value, {t} a type, {w} a name to be written to,
# {v} the first that was filled in. Left out is what PyTorch answers by the way: what its vectorised code makes of NaN
# and -0 (elu, celu, selu, logit, relu6, hardtanh, heaviside, max_pool1d) and of gelu far below 0, where digits cancel,
# which of several NaN (mode) or of equals (kthvalue, quantile) it takes, writes to windows that overlap, matrices
# without elements whose types differ, integers that require a gradient, booleans summed in place, infinite gradients
# of binary_cross_entropy_with_logits.
EXACT = """
    -{x}; {x}.abs(); {x}.clone(); {x} + {y}; {x} - {y}; {x} * {y}; {x} + {s}; {s} - {x}; {x} * {s}; {x}.relu()
    torch.maximum({x}, {y}); torch.minimum({x}, {y}); {x}.clamp({s}, 2); {x}.clamp(min={y}); {x}.square()
    torch.where({b}, {x}, {y}); torch.where({b}, {x}, {s}); {x}.masked_fill({b}, {s}); {x}.to(torch.{t})
    {x}.type_as({y}); {x}.detach(); torch.zeros_like({x}); torch.full_like({x}, 3); {x}.new_ones(2, 1)
    {x}.t(); {x}.mT; {x}.transpose({d}, {e}); {x}.movedim({d}, {e}); {x}.unsqueeze({d}); {x}.squeeze(); {x}.squeeze({d})
    {x}.flatten(); {x}.reshape(-1); {x}.view(-1); {x}.contiguous(); {x}.ravel(); {x}.unflatten({d}, (-1, 1)); {x}.reshape(-1, 2)
    {x}.expand(2, *{x}.shape); {x}.expand_as({y}); {x}.repeat(2, *[1] * {x}.ndim); {x}.tile(2); {x}.repeat_interleave({n}, {d})
    {x}.flip({d}); {x}.roll({n}, {d}); {x}.roll({n}); {x}.narrow({d}, 0, {n}); {x}.select({d}, {n}); {x}.unfold({d}, 2, 2)
    {x}.split({n}, {d})[0]; {x}.chunk(2, {d})[-1]; {x}.unbind({d})[-1]; {x}.tensor_split(2, {d})[0]; {x}.diagonal(); {x}.diag()
    {x}.tril(); {x}.triu({n}); {x}.diag_embed(); {x}[0]; {x}[-1]; {x}[..., 0]; {x}[None]; {x}[1:]; {x}[::2]; {x}[..., ::2]
    {x}[..., 1:]; {x}[:, None]; {x}[{b}]; {x}[{i}]; {x}[:, {i}]; {x}[{i}, ..., 0]; {x}[True]; {x}[[0, -1]]; {x}[..., [0, 0]]
    torch.cat([{x}, {y}], {d}); torch.stack([{x}, {y}], {d}); torch.cat([{x}, {x}]); torch.hstack([{x}, {y}]); torch.vstack([{x}, {y}])
    {x}.index_select({d}, {i}); {x}.gather({d}, {i}); {x}.take({i}); {x}.masked_select({b}); torch.broadcast_to({x}, {y}.shape)
    {x}.scatter({d}, {i}, {s}); {x}.index_fill({d}, {i}, 2); {x}.scatter_add({d}, {i}, {x}); {x}.index_add({d}, {i}, {x})
    {x}.amax({d}, keepdim={k}); {x}.amin({d}); {x}.amax(); {x}.max(); {x}.min(); {x}.cummax({d}).values; {x}.aminmax().max
    F.pad({x}, (1, 0)); F.pad({x}, (0, -1)); F.relu6({x}.nan_to_num(0, 3, -3)); F.hardtanh({x}.nan_to_num(0, 3, -3)); F.leaky_relu({x}, 0.5); F.threshold({x}, 0.5, 2.0)
    torch.atleast_2d({x}); torch.meshgrid({x}, {y}, indexing="ij")[0]; {x}.new_zeros({n}); {x}.swapaxes({d}, {e}); {x}.H
    F.max_pool1d({f}.nan_to_num(0, 3, -3), 2); torch.rot90({x}); torch.diagflat({x}); torch.block_diag({x}, {y}); torch.kron({x}, {y}); {x}.adjoint()
"""
# What jumps where its argument passes a border: not for what rounding may have moved.
JUMPS = """
    {x}.sign(); {x}.floor(); {x}.ceil(); {x}.round(); {x}.trunc(); {x}.frac(); {x} == {y}; {x} < {y}; {x} >= {s}; {x} != {y}; {x} > {s}
    {x}.argmax(); {x}.argmax({d}); {x}.argmin({d}, keepdim={k}); {x}.any(); {x}.all({d}); {x}.nonzero(); {x}.isnan(); {x}.isfinite()
    {x}.max({d}).values; {x}.max({d}).indices; {x}.min({d}, keepdim={k}).values; {x}.median(); {x}.median({d}).values; {x}.nanmedian()
    {x}.sort({d}, stable=True).values; {x}.sort({d}, descending={k}, stable=True).indices; {x}.topk({n}, {d}).values; {x}.detach().kthvalue({n}, {d}).values
    {x}.detach().unique(); {x}.bool(); {x}.long(); {x}.logical_not(); {x} // {y}; {x} // 2; {x} % {y}; {x} % 2; torch.fmod({x}, {y}); ~{x}; {x} & {y}
    {x} | {y}; {x} ^ {y}; {x} << 1; {x} >> 1; torch.logical_and({x}, {y}); {x}.count_nonzero({d}); torch.heaviside({x}.nan_to_num(0, 3, -3), {y}); {x}.nan_to_num(0, 3, -3).signbit()
    torch.isclose({x}, {y}); torch.equal({x}, {y}); {x}.nan_to_num(0, 3, -3).mode({d}).values; torch.bucketize({x}, torch.tensor([0.0, 1.0])); torch.isin({x}, {y})
    {x}.detach().unique_consecutive(); torch.diff({x}, dim={d}); {x}.float_power(2); {x}.bincount(); F.one_hot({x}); torch.copysign({x}, {y}); {x}.detach().quantile(0.5)
"""
ROUNDED = """
    {x}.exp(); {x}.log(); {x}.sqrt(); {x}.rsqrt(); {x}.reciprocal(); {x}.sigmoid(); {x}.tanh(); {x}.sin(); {x}.cos(); {x}.expm1(); {x}.log1p()
    {x}.atan(); {x}.erf(); {x} / {y}; {x} / {s}; 1 / {x}; {x} ** 2; {x} ** {s}; 2 ** {x}; {x}.pow({y}); torch.atan2({x}, {y}); {x}.nan_to_num(0, 3, -3).logit(0.1)
    {x}.sum(); {x}.sum({d}); {x}.sum({d}, keepdim={k}); {x}.mean(); {x}.mean({d}); {x}.prod(); {x}.prod({d}); {x}.nansum(); {x}.nanmean()
    {x}.var(); {x}.var({d}, correction=0); {x}.std({d}, keepdim={k}); {x}.norm(); {x}.norm(1, {d}); {x}.norm(float("inf"), {d}); {x}.logsumexp({d})
    {f}.softmax({d}); {f}.log_softmax({d}); {x}.cumsum({d}); {x}.cumprod({d}); {x}.logcumsumexp({d}); torch.logaddexp({x}, {y}); torch.hypot({x}, {y})
    torch.xlogy({x}, {y}); {x}.lerp({y}, 0.25); torch.addcmul({x}, {y}, {y}, value=2); torch.addcdiv({x}, {y}, {f}); torch.cdist({f}, {f})
    {x} @ {y}.type_as({v}); {x} @ {v}.mT; torch.outer({x}, {y}); torch.dot({x}, {y}); torch.tensordot({x}, {y}, 1); torch.einsum("...i,...i", {x}, {y}.type_as({v}))
    F.linear({f}, {f}); F.gelu({f}.clamp(-2, 3)); F.silu({f}); F.softplus({f}); F.elu({f}.nan_to_num(0, 3, -3) + 0.25); F.selu({f}.nan_to_num(0, 3, -3) + 0.25); F.mish({f}); F.logsigmoid({f}); F.celu({f}.nan_to_num(0, 3, -3) + 0.25)
    F.mse_loss({f}, {f}); F.l1_loss({f}, {f}); F.smooth_l1_loss({f}, {f}); F.huber_loss({f}, {f}); F.cross_entropy({f}, {i}); F.kl_div({f}, {f}, reduction="sum")
    F.layer_norm({f}, {f}.shape[-1:]); F.normalize({f}, dim={d}); F.cosine_similarity({f}, {f}, dim={d}); F.avg_pool1d({f}, 2); F.softmin({f}, {d})
    {x}.cov(); {x}.trace(); {x}.dist({y}); torch.linalg.vector_norm({f}, 3); {x}.trapezoid(); torch.clamp({x}, {y}, {x} + 1)
    F.embedding({i}, {f}); F.nll_loss({f}, {i}); F.glu({f}, {d}); F.interpolate({f}, scale_factor=2)
"""
IN_PLACE = """
    {w} += {y}; {w} -= {s}; {w} *= {y}; {w} /= 2; {w}.add_({y}, alpha=2); {w}.mul_({s}); {w}.zero_(); {w}.fill_({s}); {w}.neg_(); {w}.abs_()
    {w}.copy_({y}.type_as({v})); {w}.clamp_(min=0); {w}.relu_(); {w}.masked_fill_({b}, {s}); {w}[0] = {s}; {w}[..., 0] = {s}; {w}[{b}] = {s}; {w}[{i}] = {s}
    {w}[1:] = {y}.type_as({v}); {w}[..., ::2] += 1; {w}[0] *= 2; {w}.exp_(); {w}.sub_({y}); {w}.t_(); {w}.unsqueeze_(0); {w}.squeeze_(); {w}.transpose_({d}, {e})
    {w}.scatter_({d}, {i}, {s}); {w}.index_add_({d}, {i}, {y}); {w}.index_fill_({d}, {i}, 1); {w}.lerp_({y}, 0.5); {w}.square_(); {w}.sigmoid_()
    {w}.index_put_(({i},), {v}.new_tensor(2)); {w}.fill_diagonal_(5); {w}.tril_(); {w}.masked_scatter_({b}, {y}.clone()); {w}.requires_grad_(); {w}.detach_()
    {w}.data.mul_(2); {w}.view(-1)[:1] = {s}; {w}.diagonal().zero_(); {w}.floor_(); {w}.round_(); {w}.pow_(2); {w}.addcmul_({y}, {y}); {w}.neg_().cumsum_({d})
"""
KINDS = {
    name: [statement.strip() for statement in re.split(r"[;\n]", texts) if statement.strip()]
    for name, texts in {"exact": EXACT, "jumps": JUMPS, "rounded": ROUNDED, "in place": IN_PLACE}.items()
}


@st.composite
def inputs(draw, name):
    """A statement that makes a tensor: any type, up to three dimensions, of which some are 0 or 1."""
    shape = draw(st.lists(st.sampled_from([0, 1, 2, 2, 3, 3, 4]), max_size=3))
    dtype = draw(st.sampled_from(DTYPES))
    floating = dtype.startswith("float")
    numbers = NUMBERS if floating else [0, 1] if dtype == "bool" else [0, 1, 2, 2, 3, 5]
    count = int(np.prod(shape))
    values = ", ".join(map(str, draw(st.lists(st.sampled_from(numbers), min_size=count, max_size=count))))
    text = f"{name} = torch.tensor([{values}], dtype=torch.{dtype}).reshape({tuple(shape)})"
    return f"{text}.requires_grad_()" if floating and draw(st.booleans()) else text


@st.composite
def programs(draw, torch):
    """The text of a program of one to six steps that PyTorch accepts."""
    lines = [draw(inputs(name)) for name in "ab"[: draw(st.integers(1, 2))]]
    scope = scope_of(torch)
    exec("\n".join(lines), scope)
    exact = set(tensors_of(torch, scope))
    for step in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["exact"] * 4 + ["rounded"] * 3 + ["jumps"] * 2 + ["in place"] * 3))
        line, used = draw(statements(torch, scope, kind, exact))
        name = "cdefgh"[step]
        line = line if kind == "in place" else f"{name} = {line}"
        if not accepted(line, scope, torch, name):
            continue
        lines.append(line)
        if kind == "jumps" or (kind == "exact" and used <= exact):
            exact.add(name)
        elif kind == "in place":  # through its views too
            exact.clear()
    assume(len(lines) > 1)
    return "\n".join(lines)


@st.composite
def statements(draw, torch, scope, kind, exact):
    """A statement of a kind with names filled in, and the names; see the tables above."""
    text = draw(st.sampled_from(KINDS[kind]))
    tensors = tensors_of(torch, scope)
    names = [name for name in tensors if kind != "jumps" or name in exact]
    among = {
        "f": [name for name in names if tensors[name].is_floating_point()],
        "b": [name for name in names if tensors[name].dtype is torch.bool],
        "i": [name for name in names if tensors[name].dtype is torch.int64],
    }
    used = []

    def filled(match):
        what = match[1]
        match what:
            case "d" | "e" | "n":
                return str(draw(st.integers(-2 if what != "n" else 0, 2)))
            case "v":
                return used[0]
            case "s":
                return draw(st.sampled_from(["2", "0.5", "-1", "0", "True", "inf"]))
            case "k":
                return draw(st.sampled_from(["True", "False"]))
            case "t":  # not to float16, whose roundings show in what is wider
                return draw(st.sampled_from([name for name in DTYPES if name != "float16"]))
        if what == "i" and (not among["i"] or draw(st.booleans())):
            return draw(
                st.sampled_from(["torch.tensor([0])", "torch.tensor([1, 0, 0])", "torch.tensor([[0, 1]])"])
            )
        if what == "b" and not among["b"]:
            what = "x"
        chosen = among.get(what, names)
        assume(chosen)
        name = draw(st.sampled_from(chosen))
        used.append(name)
        return f"({name} > 0)" if match[1] == "b" and what == "x" else name

    return re.sub(r"\{(\w)\}", filled, text), set(used)


def accepted(line, scope, torch, name):
    """Whether PyTorch runs a statement, and what it gives is a tensor of a type that there is here, and small."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(line, scope)
    except Exception:
        scope.pop(name, None)
        return False
    value = scope.get(name)
    if value is None:
        return True
    if isinstance(value, torch.Tensor) and not value.is_complex() and value.numel() <= 200:
        return True
    del scope[name]
    return False


# What PyTorch refuses to differentiate though it has computed it, and tinytorch does not; the last is clamp's bounds
# of different shapes.
UNDIFFERENTIATED = re.compile(
    "a bool tensor is not supported|^Found dtype|can't be cast to the desired output type Bool"
    "|^output with shape .* doesn't match the broadcast shape"
)


def is_compared(theirs):
    """Whether a program's outcome with PyTorch is one to go by."""
    return not (theirs[0].error and UNDIFFERENTIATED.search(theirs[0].message or ""))


def draw_programs(torch, count, number):
    """As many different programs, from a seed."""
    texts = {}

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(torch))
    def collect(text):
        texts[text] = None

    collect()
    return list(texts)


def differing(torch, ours, count, number):
    """The shortest program that hypothesis finds on which the two differ, with the differences; or None."""
    shortest = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(torch))
    def agree(text):
        case = case_of(text)
        theirs = run(case, torch)
        found = is_compared(theirs) and compare(case, theirs, run(case, ours))
        if found:
            shortest[:] = [(text, found)]
        assert not found

    try:
        agree()
    except AssertionError:
        return shortest[0]
    return None


def keep(torch, texts):
    """Add programs to those that are recorded and replayed."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept |= {text: bool(run(case_of(text), torch)[0].error) for text in texts}
    KEPT.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    keep(torch, draw_programs(torch, *map(int, sys.argv[1:])))
