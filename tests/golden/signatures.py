"""Signatures beside PyTorch's: of each public name that both have, the parameters' names, order and defaults.

`record.py` writes down PyTorch's, in `recorded/signatures.json`; a test and `parity.py` compare ours. Of its functions in C
Python knows no signature: theirs, an overload each, are read from the type stubs that PyTorch installs.
"""

import ast
import inspect
import json
from collections.abc import Iterator
from enum import EnumType
from functools import cache
from importlib import import_module
from pathlib import Path

import golden
import yaml
from golden import ROOT

RECORDED = golden.RECORDED / "signatures.json"

# What PyTorch's take and nothing here does, because there is nothing that it could ask for.
LEFT_OUT = {
    "out": "functions that are methods too take it unnamed; elsewhere a result is a new tensor",
    "layout": "every tensor is strided",
    "pin_memory": "there is no page-locked memory",
    "memory_format": "named where PyTorch promises an order; elsewhere it is the strides",
    "sparse_grad": "there are no sparse tensors",
    "out_dtype": "a product has its operands' type",
    "implicit": "PyTorch's own business",
    "names": "dimensions have no names",
}

# Where ours differ otherwise, and why.
BY_POSITION = (
    "one Python signature for several overloads, each of which works by position, and by its keywords"
)
NUMBER_FIRST = "a number may come first, as in PyTorch, where the parameter is then called self"
STUBS = "the type stubs say what PyTorch itself does not take"
DIFFERENT = {
    **dict.fromkeys(
        [f"{at}.{name}" for at in ("", ".Tensor") for name in ("max", "min", "scatter")], BY_POSITION
    ),
    **dict.fromkeys([f"{at}.{name}" for at in ("", ".Tensor") for name in ("var", "std")], BY_POSITION),
    **dict.fromkeys(
        [f"{at}.{name}" for at in ("", ".Tensor") for name in ("tensor_split", "hsplit", "vsplit", "dsplit")],
        BY_POSITION,
    ),
    **dict.fromkeys([".std_mean", ".var_mean", ".Tensor.scatter_", ".Tensor.random_"], BY_POSITION),
    **dict.fromkeys(
        [".arange", ".randint", ".randint_like", ".result_type", ".repeat_interleave"], BY_POSITION
    ),
    ".Tensor.as_subclass": "its one argument is called cls, which this comparison passes over",
    **dict.fromkeys([".remainder", ".pow", ".float_power", ".xlogy", ".where"], NUMBER_FIRST),
    **dict.fromkeys([".bitwise_and", ".bitwise_or", ".bitwise_xor"], NUMBER_FIRST),
    **dict.fromkeys([".searchsorted", ".bucketize", ".isin"], NUMBER_FIRST),
    **dict.fromkeys([".bitwise_left_shift", ".bitwise_right_shift"], NUMBER_FIRST),
    **dict.fromkeys(
        [".tensor", ".Tensor.new_tensor", ".Tensor.requires_grad_", ".numel", ".linspace"], STUBS
    ),
    **dict.fromkeys([".Tensor.cpu", ".Tensor.cuda", ".nn.functional.scaled_dot_product_attention"], STUBS),
    **dict.fromkeys([".rrelu", ".rrelu_", ".nn.functional.one_hot", ".logspace", ".asarray"], STUBS),
}

Parameter = tuple[str, str, str]  # name, kind, default; "..." is a default that the stubs do not tell
ANYTHING = ("args", "VAR_POSITIONAL", "")


def record(torch) -> dict[str, list[list[Parameter]]]:
    """The overloads of every function, class and method of PyTorch's that the course exports."""
    found = {}
    for place, name in exports():
        for qualified, value in callables(torch, place, name):
            own = parameters(value) or [ANYTHING]
            written_in_python = place == ".nn.functional" and ANYTHING not in own  # over another one in C
            overloads = [own] if written_in_python else stubbed(qualified) or [own]
            overloads = [overload for overload in overloads if ANYTHING not in overload]
            if overloads:
                found[qualified] = overloads
    return found


def recorded() -> dict[str, list[list[Parameter]]]:
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def differing(framework, recorded: dict[str, list[list[Parameter]]]) -> dict[str, list[str]]:
    """What ours have otherwise than PyTorch's, by name."""
    found = {}
    for place, name in exports():
        for qualified, value in callables(framework, place, name):
            ours = parameters(value)
            for theirs in recorded.get(qualified, ()):
                problems = ["has no signature"] if ours is None else compare(theirs, ours)
                if problems and qualified not in DIFFERENT:
                    found.setdefault(qualified, []).extend(problems)
    return {name: list(dict.fromkeys(problems)) for name, problems in found.items()}


def callables(framework, place: str, name: str) -> Iterator[tuple[str, object]]:
    """A function or a class that the framework has in a place such as `.nn`, and the class's own methods."""
    value = getattr(import_module(f"{framework.__name__}{place}"), name, None)
    if callable(value) and not isinstance(
        value, EnumType
    ):  # whose signature is Python's, of one version or another
        yield f"{place}.{name}", value
    if inspect.isclass(value):
        for method in vars(value):
            if not method.startswith("_") and callable(getattr(value, method)):
                yield f"{place}.{name}.{method}", getattr(value, method)
        if name == "Tensor":  # PyTorch's methods in C are a base's
            yield from ((f".Tensor.{m}", getattr(value, m)) for m in dir(value.__base__) if m[0] != "_")


def parameters(function) -> list[Parameter] | None:
    """A function's parameters but self; None where Python does not know."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        (p.name, p.kind.name, "" if p.default is p.empty else written(p.default))
        for p in found
        if p.name not in ("self", "cls")
    ]


def written(default) -> str:
    """A default in the same words for both frameworks: 0 for 0.0, (0, 1) for [0, 1], float32 for torch.float32."""
    default = tuple(default) if isinstance(default, list) else default
    whole = isinstance(default, float) and default.is_integer()
    text = "..." if default is ... else repr(int(default) if whole else default)
    return "..." if text.startswith("<") else text.rpartition("torch.")[2]


@cache
def stubs() -> dict[str, list[ast.FunctionDef]]:
    """PyTorch's type stubs: the functions in C, and Tensor's methods."""
    folder = Path(import_module("torch").__file__).parent / "_C"
    found = {}
    for file, prefix in (("_VariableFunctions", ""), ("_nn", ".nn.functional"), ("__init__", ".Tensor")):
        tree = ast.parse(folder.joinpath(f"{file}.pyi").read_text(encoding="utf-8"))
        base = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "TensorBase"]
        for node in base[0].body if prefix == ".Tensor" else tree.body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(f"{prefix}.{node.name}", []).append(node)
    return found


def stubbed(name: str) -> list[list[Parameter]]:
    """The overloads that the stubs have, without the old ones, and without those for dimensions with names."""
    overloads = []
    for node in stubs().get(name, ()):
        spec = node.args
        named = "EllipsisType" in ast.unparse(spec)
        args = [*spec.posonlyargs, *spec.args]
        defaults = [None] * (len(args) - len(spec.defaults)) + spec.defaults
        found = [(a.arg, "POSITIONAL_OR_KEYWORD", stub_default(d)) for a, d in zip(args, defaults)]
        found += [(spec.vararg.arg, "VAR_POSITIONAL", "")] if spec.vararg else []
        found += [(a.arg, "KEYWORD_ONLY", stub_default(d)) for a, d in zip(spec.kwonlyargs, spec.kw_defaults)]
        overload = [p for p in found if p[0] != "self"]
        if overload not in overloads and not named:
            overloads.append(overload)
    keywords = {name for overload in overloads for name, kind, _ in overload if kind == "KEYWORD_ONLY"}
    old = [o for o in overloads if any(name in keywords and kind != "KEYWORD_ONLY" for name, kind, _ in o)]
    return [overload for overload in overloads if overload not in old]


def stub_default(node: ast.expr | None) -> str:
    if node is None:
        return ""
    try:
        return written(ast.literal_eval(node))
    except ValueError:
        return ast.unparse(node).rpartition("torch.")[2]


def exports() -> list[tuple[str, str]]:
    """What the modules export: the place, `.nn.functional`, and the name."""
    modules = yaml.safe_load((ROOT / "course.yaml").read_text(encoding="utf-8"))["modules"]
    return [
        (place.removeprefix("tinytorch"), name)
        for module in modules
        for place, names in module["exports"].items()
        for name in names
    ]


def compare(theirs: list[Parameter], ours: list[Parameter]) -> list[str]:
    """What of an overload ours do not take in the same way."""
    have = {name: (kind, default) for name, kind, default in ours}
    theirs = [p for p in theirs if p[0] not in LEFT_OUT or p[0] in have]
    here = [(name, kind) for name, kind, _ in ours if kind.startswith(("POSITIONAL", "VAR_POSITIONAL"))]
    problems = []
    for index, (name, kind, default) in enumerate(theirs):
        by_position = kind.startswith(("POSITIONAL", "VAR_POSITIONAL"))
        if by_position and any(k == "VAR_POSITIONAL" for _, k in here[: index + 1]):
            continue  # (*shape) takes a sequence too
        if by_position and (index >= len(here) or here[index][0] != name):
            instead = here[index][0] if index < len(here) else "nothing"
            problems.append(f"takes {instead} where PyTorch's takes {name}")
        elif name not in have and not kind.startswith("VAR"):
            problems.append(f"does not take {name}")
        elif default not in ("", "...") and have.get(name, ("", default))[1] not in (default, "..."):
            problems.append(f"has {have[name][1] or 'no value'} as {name}'s default, PyTorch's {default}")
    wanted = {name for name, *_ in theirs}
    for name, kind, default in ours:
        if not default and not kind.startswith("VAR") and name not in wanted:
            problems.append(f"asks for {name}, and PyTorch's does not")
    return problems
