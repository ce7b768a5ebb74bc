"""Probes: what the grader checks of each stub with freshly drawn inputs, in `solutions/NN_slug/probes.py`,
never released.

    @probe("linear-forward")
    def weighted_sums(rng):
        x, weight, bias = (tensor(rng.normal(size=shape)) for shape in [(2, 5, 7), (3, 7), (3,)])
        return linear(x, weight, bias)

A probe is a small program over the module's names, `np` and `rng`. It runs on the student's code in the sandbox and on the
reference, and what the two give is compared here: no expected value is written anywhere, so none can be leaked or forged.
"""

import ast
import base64
import math
from dataclasses import dataclass

import numpy as np

from autograder.course import Module
from autograder.limits import ARRAY
from autograder.variants import LessonError

DTYPES = [np.dtype(letter).str for letter in "?bBhHiIlLefdFD"]
CLOSE = {2: 2e-2, 4: 2e-3, 8: 1e-5}  # relative to the largest value, by the bytes of a float


@dataclass(frozen=True)
class Probe:
    stub: str
    name: str
    source: str  # the function, and the imports and helpers of its file


def read(module: Module) -> list[Probe]:
    """The probes of a module's lesson; they are read as text, and run nowhere but in a sandbox."""
    path = module.source.with_name("probes.py")
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise LessonError(f"{path.relative_to(module.root)}:{error.lineno}: {error.msg}") from None
    stubs = {
        node.name: _stub(node) for node in tree.body if isinstance(node, ast.FunctionDef) and _stub(node)
    }
    shared = [node for node in tree.body if getattr(node, "name", None) not in stubs]
    common = "\n".join(ast.get_source_segment(text, node) for node in shared)
    return [
        Probe(stubs[node.name], node.name, f"{common}\n{ast.get_source_segment(text, node)}")
        for node in tree.body
        if getattr(node, "name", None) in stubs
    ]


def _stub(node: ast.FunctionDef) -> str | None:
    """The stub that a function's `@probe("name")` gives."""
    for mark in node.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "probe":
            return mark.args[0].value
    return None


def decoded(value: object) -> object:
    """An answer of a worker as arrays, numbers, text, lists and dictionaries; ValueError for anything else."""
    if isinstance(value, dict) and len(value) == 1:
        kind, content = next(iter(value.items()))
        if kind == "array" and isinstance(content, list) and len(content) == 3:
            return _array(*content)
        if kind == "list" and isinstance(content, list):
            return [decoded(item) for item in content]
        if kind == "dict" and isinstance(content, list):
            return [(decoded(key), decoded(item)) for key, item in map(_pair, content)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError("not an answer")


def _pair(content: object) -> tuple[object, object]:
    if not isinstance(content, list) or len(content) != 2:
        raise ValueError("not a pair")
    return tuple(content)


def _array(dtype: object, shape: object, content: object) -> np.ndarray:
    """An array of the few types there are, whose bytes are all there before anything of its size is made."""
    if dtype not in DTYPES or not isinstance(content, str) or len(content) > 2 * ARRAY:
        raise ValueError("not an array")
    if not isinstance(shape, list) or not all(type(n) is int and 0 <= n <= ARRAY for n in shape):
        raise ValueError("not a shape")
    found = np.frombuffer(base64.b64decode(content, validate=True), dtype)
    if len(shape) > 16 or math.prod(shape) != found.size:
        raise ValueError("not its shape")
    return found.reshape(shape)


def agree(theirs: object, ours: object) -> bool:
    """Whether two answers are the same: types, shapes, lengths and texts exactly, floating point numbers closely."""
    if isinstance(ours, np.ndarray):
        return (
            isinstance(theirs, np.ndarray)
            and (theirs.dtype, theirs.shape) == (ours.dtype, ours.shape)
            and _close(theirs, ours)
        )
    if isinstance(ours, list | tuple):
        return (
            type(theirs) is type(ours)
            and len(theirs) == len(ours)
            and all(agree(their, our) for their, our in zip(theirs, ours, strict=True))
        )
    if isinstance(ours, float):
        return isinstance(theirs, float) and _close(np.float64(theirs), np.float64(ours))
    return type(theirs) is type(ours) and theirs == ours


def _close(theirs: np.ndarray, ours: np.ndarray) -> bool:
    if ours.dtype.kind not in "fc":
        return bool(np.array_equal(theirs, ours))
    tolerance = CLOSE[ours.dtype.itemsize // (2 if ours.dtype.kind == "c" else 1)]
    finite = np.abs(ours[np.isfinite(ours)])
    largest = float(finite.max(initial=0.0))
    return bool(np.allclose(theirs, ours, tolerance, tolerance * min(largest, math.inf) / 10, equal_nan=True))
