"""Golden cases: small programs over a namespace `torch`, run once with PyTorch and ever after with TinyTorch.

An area (one file of `cases/`, one module of the course) lists its cases:

    area = Area()
    area.each("x, y", [(real(2, 3), real(3)), (integers(4), 2.5)], "x + y; torch.add(x, y, alpha=2)")

Each expression is a case, and each row of inputs one of its examples. `area.refused` lists what PyTorch
refuses, `area.modules` what is made from a seed and then called, and `@area.case(inputs, ...)` makes a case
of a function, where statements are needed. `record.py AREA` records what is new.

NumPy draws the inputs, from a seed that is the case's name, so both frameworks get the same numbers. What
comes back is compared whole: structure, dtype, shape, values, `requires_grad`, and the gradient of every
floating-point input for a random cotangent.
"""

import ast
import builtins
import json
import re
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).parent / "recorded"
TOLERANCES = {
    "float16": (2e-3, 1e-3),
    "float32": (1e-5, 1e-6),
    "float64": (1e-10, 1e-12),
}  # relative, absolute


# Inputs ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Input:
    """A tensor that a case is given: a shape, how NumPy draws its values, and how it lies in memory."""

    shape: tuple[int, ...]
    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    layout: str = "contiguous"
    differentiable: bool = True

    constant = property(lambda self: replace(self, differentiable=False), doc="Asked for no gradient.")
    transposed = property(
        lambda self: replace(self, layout="transposed"), doc="Column-major in its last two dims."
    )
    strided = property(
        lambda self: replace(self, layout="strided"), doc="Every second column of a wider array."
    )
    expanded = property(lambda self: replace(self, layout="expanded"), doc="One row, repeated with stride 0.")

    def tensor(self, torch, rng: np.random.Generator):
        def drawn(*shape):
            return torch.tensor(np.asarray(self.draw(rng, shape)))

        match self.layout, self.shape:
            case "transposed", (*batch, rows, columns):
                return drawn(*batch, columns, rows).transpose(-1, -2)
            case "strided", (*rows, columns):
                return drawn(*rows, 2 * columns)[..., 1::2]
            case "expanded", (_, *columns):
                return drawn(1, *columns).expand(self.shape)
        return drawn(*self.shape)


def real(*shape, dtype="float32"):
    return Input(shape, lambda rng, shape: np.asarray(rng.standard_normal(shape)).astype(dtype))


def uniform(*shape, low=0.0, high=1.0, dtype="float32"):
    return Input(shape, lambda rng, shape: np.asarray(rng.uniform(low, high, shape)).astype(dtype))


def positive(*shape, dtype="float32"):
    return uniform(*shape, low=0.2, high=3.0, dtype=dtype)


def integers(*shape, low=0, high=5, dtype="int64"):
    return Input(shape, lambda rng, shape: np.asarray(rng.integers(low, high, shape)).astype(dtype))


def ties(*shape, low=-2, high=3, dtype="float32"):
    """Whole numbers as floats: many are equal, and many are zero."""
    return integers(*shape, low=low, high=high, dtype=dtype)


def booleans(*shape):
    return integers(*shape, high=2, dtype="bool")


def probabilities(*shape, dim=-1, dtype="float32"):
    def draw(rng, shape):
        weights = rng.uniform(0.1, 1.0, shape)
        return (weights / weights.sum(dim, keepdims=True)).astype(dtype)

    return Input(shape, draw)


def literal(values, dtype="float32"):
    array = np.array(values, dtype)
    return Input(array.shape, lambda rng, shape: array)


# Cases ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Case:
    name: str
    program: Callable  # program(torch, *inputs): anything made of tensors, numbers, texts, lists and dicts
    examples: list[tuple]  # rows of inputs; what is no Input is handed over as it is
    gradient: bool = True  # whether floating-point inputs require one
    raises: bool = False  # whether PyTorch refuses every example
    numpy: Callable | None = None  # the program with NumPy's numbers in place of Python's
    tolerance: float = 1.0  # times the usual one


def nothing(torch) -> dict:
    """No further names for an expression."""
    return {}


class With(NamedTuple):
    """What a program returns when more than its inputs is to be differentiated."""

    outputs: Any
    leaves: dict


class Area:
    """The cases of one module of the course."""

    def __init__(self):
        self.cases: dict[str, Case] = {}

    def add(self, name: str, program: Callable, examples: list, **options) -> None:
        if name in self.cases:  # the same program, with other inputs
            name = next(
                numbered for count in range(2, 99) if (numbered := f"{name} ({count})") not in self.cases
            )
        rows = [example if isinstance(example, tuple) else (example,) for example in examples] or [()]
        self.cases[name] = Case(name, program, rows, **options)

    def each(
        self,
        names: str,
        examples: list,
        programs: str,
        given: Callable = nothing,
        form: str = "{}",
        **options,
    ) -> None:
        """One case for each expression, over `torch`, `nn`, `F`, `np` and the names of an example's inputs.

        The expressions stand on lines, or between semicolons. `given(torch)` makes more names for them to
        use; `form` is put around each of them.
        """
        for text in map(form.format, split(programs)):
            title = f"refused: {text}" if options.get("raises") else text
            again = as_numpy(text)
            numpy = evaluator(again, names, given) if again and not options.get("raises") else None
            self.add(title, evaluator(text, names, given), examples, numpy=numpy, **options)

    def refused(self, names: str, examples: list, programs: str, **options) -> None:
        """One case for each expression that PyTorch refuses for every one of the examples."""
        self.each(names, examples, programs, raises=True, gradient=False, **options)

    def modules(
        self,
        examples: list,
        programs: str,
        names: str = "x",
        calls: str = "module(x)",
        given: Callable = nothing,
        **options,
    ) -> None:
        """One case for each module and each way to call it, with its text, its state, all its gradients."""
        for text in split(programs):
            for call in split(calls):
                called = evaluator(call, f"module, {names}", given)
                program, again = module_program(evaluator(text), called), as_numpy(text)
                numpy = module_program(evaluator(again), called) if again else None
                title = text if calls == "module(x)" else f"{text}: {call}"
                self.add(title, program, examples, numpy=numpy, **options)

    def case(self, *examples, **options) -> Callable:
        """Make a case of the function below: its name, with spaces, is the case's."""

        def register(program):
            self.add(program.__name__.replace("_", " "), program, list(examples), **options)
            return program

        return register


class OfNumPy(ast.NodeTransformer):
    """The numbers that functions and classes of torch are called with as NumPy's, but for those in lists."""

    def visit_Call(self, call):
        self.generic_visit(call.func)
        if ast.unparse(call.func).startswith(("torch.", "nn.", "F.", "x.", "module.")):
            call.args = [self.numbers(argument) for argument in call.args]
            for keyword in call.keywords:
                keyword.value = self.numbers(keyword.value)
        return call

    def numbers(self, argument):
        match argument:
            case ast.Tuple(elements):
                argument.elts = [self.numbers(element) for element in elements]
            case ast.Constant(value) | ast.UnaryOp(ast.USub(), ast.Constant(value)):
                kind = {int: "np.int64", float: "np.float64"}.get(type(value))
                if kind and abs(value) < 2**62:
                    return ast.Call(ast.parse(kind, mode="eval").body, [argument], [])
        return self.visit(argument)


def as_numpy(expression: str) -> str | None:
    """An expression with NumPy's numbers, `x.sum(np.int64(0))` for `x.sum(0)`; None where it has none."""
    tree = ast.parse(expression, mode="eval")
    before, after = ast.unparse(tree), ast.unparse(OfNumPy().visit(tree))
    return None if after == before else after


def split(programs: str) -> list[str]:
    return [text.strip() for text in re.split(r"[;\n]", programs) if text.strip()]


def evaluator(expression: str, names: str = "", given: Callable = nothing) -> Callable:
    """The program that an expression is, over the names of its inputs and those that `given` makes."""
    code = compile(expression, f"<{expression}>", "eval")
    names = [name.strip() for name in names.split(",") if name.strip()]

    def program(torch, *inputs):
        scope = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "np": np} | given(torch)
        return eval(code, scope | dict(zip(names, inputs, strict=True)))

    return program


def module_program(make: Callable, call: Callable) -> Callable:
    def program(torch, *inputs):
        module = make(torch)
        state = {name: tensor.clone() for name, tensor in module.state_dict().items()}
        outputs = {"text": repr(module), "state": state, "output": call(torch, module, *inputs)}
        return With(outputs | {"buffers": dict(module.named_buffers())}, dict(module.named_parameters()))

    return program


# Running --------------------------------------------------------------------------------------------------
class Leaf(NamedTuple):
    """A tensor in what a program returned."""

    array: np.ndarray
    requires_grad: bool


class Outcome(NamedTuple):
    """What one example of a case gave: values and gradients, or the name of the exception."""

    values: Any = None
    gradients: Any = None
    error: str | None = None
    message: str | None = None


def run(case: Case, torch) -> list[Outcome]:
    """Run every example of a case with the framework `torch`."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # PyTorch's advice, and NumPy's on the infinities that some cases want
        return [run_example(case, torch, index) for index in range(len(case.examples))]


def run_example(case, torch, index):
    rng = np.random.default_rng(zlib.crc32(f"{case.name} {index}".encode()))
    torch.manual_seed(index)
    try:
        inputs = [
            value.tensor(torch, rng) if isinstance(value, Input) else value for value in case.examples[index]
        ]
        leaves = {}
        for place, value in enumerate(inputs):
            wanted = case.gradient and getattr(case.examples[index][place], "differentiable", False)
            if wanted and value.is_floating_point():
                leaves[f"input {place}"] = value.requires_grad_()
        result = case.program(torch, *inputs)
        if isinstance(result, With):
            result, leaves = result.outputs, leaves | result.leaves
        values = plain(torch, result)
        return Outcome(values, differentiate(torch, result, leaves, rng) if case.gradient else None)
    except Exception as error:  # whatever a program raises is its outcome
        kind = next(base for base in type(error).__mro__ if getattr(builtins, base.__name__, None) is base)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return Outcome(
            None,
            None,
            kind.__name__,
            f"{error} ({Path(frame.filename).name}:{frame.lineno})" * bool(str(error)),
        )


def differentiate(torch, result, leaves, rng):
    """The gradients of all leaves for random cotangents of all outputs; None where there is none."""
    outputs = [output for output in flat(torch, result) if output.requires_grad]
    leaves = {name: leaf for name, leaf in leaves.items() if leaf.requires_grad}
    if not outputs or not leaves:
        return None
    cotangents = []
    for output in outputs:
        array = np.asarray(rng.standard_normal(tuple(output.shape)))
        cotangents.append(torch.tensor(array.astype(dtype_name(output))))
    found = torch.autograd.grad(outputs, list(leaves.values()), cotangents, allow_unused=True)
    return plain(torch, dict(zip(leaves, found, strict=True)))


def flat(torch, value) -> Iterator:
    """Every tensor in nested lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from flat(torch, item)


def plain(torch, value):
    """What a program returned, with no object of the framework left in it."""
    if isinstance(value, torch.Tensor):
        return Leaf(np.array(value.detach().numpy()), value.requires_grad)
    if isinstance(value, dict):
        return {str(key): plain(torch, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(torch, item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return Leaf(np.asarray(value), False)
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value).replace("tinytorch.", "torch.")


def dtype_name(tensor) -> str:
    return str(tensor.dtype).rpartition(".")[2]


# Comparing ------------------------------------------------------------------------------------------------
def compare(case: Case, expected: list[Outcome], actual: list[Outcome]) -> list[str]:
    """One line for each difference between two runs of a case."""
    lines = []
    for index, (wanted, got) in enumerate(zip(expected, actual, strict=True)):
        found = list(outcome_differences(wanted, got, case.tolerance, case.gradient))
        lines += [f"example {index}: {line}" for line in found]
    return lines


def outcome_differences(wanted, got, tolerance, gradients):
    if wanted.error and not got.error:
        yield f"accepted, PyTorch raises {wanted.error}"
    elif wanted.error:
        if not issubclass(getattr(builtins, got.error), getattr(builtins, wanted.error)):
            yield f"raised {got.error}, PyTorch raises {wanted.error}: {got.message}"
        elif not got.message:
            yield f"raised {got.error} without a message"
    elif got.error:
        yield f"raised {got.error}: {got.message}"
    else:
        yield from differences(wanted.values, got.values, tolerance, "value")
        if gradients:
            yield from differences(wanted.gradients, got.gradients, tolerance, "gradient")


def differences(wanted, got, tolerance, place):
    if isinstance(wanted, Leaf) and isinstance(got, Leaf):
        yield from leaf_differences(wanted, got, tolerance, place)
    elif isinstance(wanted, dict) and isinstance(got, dict) and list(wanted) == list(got):
        for key in wanted:
            yield from differences(wanted[key], got[key], tolerance, f"{place}[{key}]")
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, pair in enumerate(zip(wanted, got, strict=True)):
            yield from differences(*pair, tolerance, f"{place}[{index}]")
    elif isinstance(wanted, float) and isinstance(got, float):
        if not np.isclose(got, wanted, rtol=1e-6 * tolerance, atol=0, equal_nan=True):
            yield f"{place} is {got!r}, PyTorch's {wanted!r}"
    elif isinstance(wanted, Leaf | dict | list) or type(wanted) is not type(got) or wanted != got:
        yield f"{place} is {describe(got)}, PyTorch's {describe(wanted)}"


def leaf_differences(wanted, got, tolerance, place):
    if got.array.dtype != wanted.array.dtype:
        yield f"{place} has dtype {got.array.dtype}, PyTorch's {wanted.array.dtype}"
    if got.requires_grad != wanted.requires_grad:
        yield f"{place}.requires_grad is {got.requires_grad}, PyTorch's {wanted.requires_grad}"
    if got.array.shape != wanted.array.shape:
        yield f"{place} has shape {got.array.shape}, PyTorch's {wanted.array.shape}"
    elif got.array.size:
        relative, absolute = TOLERANCES.get(wanted.array.dtype.name, (0, 0))
        x, y = got.array.astype("float64"), wanted.array.astype("float64")
        scale = max(1.0, np.abs(y[np.isfinite(y)]).max(initial=0))
        close = np.isclose(x, y, rtol=relative * tolerance, atol=absolute * tolerance * scale, equal_nan=True)
        if not close.all():
            first = tuple(int(i) for i in np.argwhere(~close)[0])
            yield (
                f"{place} differs in {(~close).sum()} of {close.size} places, "
                f"first at {list(first)}: {x[first]:.9g}, PyTorch's {y[first]:.9g}"
            )


def describe(tree) -> str:
    """A short text for a value that cannot be compared piece by piece."""
    if isinstance(tree, Leaf):
        return f"a {tree.array.dtype} tensor of shape {tree.array.shape}"
    if isinstance(tree, dict):
        return f"a dict of {list(tree)}"
    return f"a list of {len(tree)}" if isinstance(tree, list) else repr(tree)


# Storing --------------------------------------------------------------------------------------------------
def save(path: Path, outcomes: dict[str, list[Outcome]], torch_version: str) -> None:
    """Write outcomes as one array per dtype and a JSON text that says what lies in them."""
    arrays: dict[str, list] = {}
    index = {name: [pack(outcome[:3], arrays) for outcome in runs] for name, runs in outcomes.items()}
    text = np.frombuffer(json.dumps({"torch": torch_version, "cases": index}).encode(), "uint8")
    np.savez_compressed(
        path, index=text, **{f"of {dtype}": np.concatenate(parts) for dtype, parts in arrays.items()}
    )


def load(path: Path) -> tuple[dict[str, list[Outcome]], str]:
    """Read what `save` wrote: the outcomes, and the version of PyTorch that gave them."""
    with np.load(path) as stored:
        arrays = {name.removeprefix("of "): stored[name] for name in stored.files}
    index = json.loads(arrays.pop("index").tobytes())
    at = dict.fromkeys(arrays, 0)
    cases = {
        name: [Outcome(*unpack(run, arrays, at)) for run in runs] for name, runs in index["cases"].items()
    }
    return cases, index["torch"]


def pack(tree, arrays):
    if isinstance(tree, Leaf):
        dtype = tree.array.dtype.name
        arrays.setdefault(dtype, []).append(tree.array.ravel())
        return {"array of": dtype, "shape": tree.array.shape, "requires_grad": tree.requires_grad}
    if isinstance(tree, dict):
        return {"dict": {key: pack(item, arrays) for key, item in tree.items()}}
    return [pack(item, arrays) for item in tree] if isinstance(tree, list | tuple) else tree


def unpack(tree, arrays, at):
    if isinstance(tree, list):
        return [unpack(item, arrays, at) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if "dict" in tree:
        return {key: unpack(item, arrays, at) for key, item in tree["dict"].items()}
    dtype, shape = tree["array of"], tree["shape"]
    start = at[dtype]
    at[dtype] += int(np.prod(shape))
    return Leaf(arrays[dtype][start : at[dtype]].reshape(shape), tree["requires_grad"])
