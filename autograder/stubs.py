"""The stubs of a learner's notebook, beside what they were when they were released."""

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from autograder import export, files, lesson
from autograder.course import CourseError, Module
from autograder.outcomes import BLANK


@dataclass(frozen=True)
class Stub:
    """A stub as a notebook has it."""

    cell: str  # "cell 11 (linear-forward)"
    source: str
    hints: int

    @property
    def is_blank(self) -> bool:
        """Whether something in it has not been written yet."""
        return BLANK in map(str.strip, self.source.splitlines())

    @property
    def is_python(self) -> bool:
        """Whether it compiles, as far as can be told without running it."""
        return bool(_parse(self.source).body)

    @cached_property
    def functions(self) -> dict[str, lesson.Function]:
        """What it defines, by qualified name."""
        return lesson.definitions(_parse(self.source))

    @cached_property
    def code(self) -> str:
        """What makes it another stub: not its comments, docstrings and layout."""
        tree = _parse(self.source)
        for node in ast.walk(tree):
            if isinstance(node, lesson.Function | ast.ClassDef) and ast.get_docstring(node) is not None:
                del node.body[0]
        return ast.dump(tree)

    def returning_nothing(self) -> list[str]:
        """The functions that promise a value in their docstring, and have no statement that returns one."""
        return [
            name
            for name, function in self.functions.items()
            if "Returns:" in (ast.get_docstring(function) or "")
            and not any(isinstance(node, ast.Return) and node.value for node in ast.walk(function))
        ]


def read(notebook: Path) -> dict[str, Stub]:
    """The stubs of a notebook by name, as far as it can be read."""
    try:
        return parse(notebook.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # what is wrong with it, the export says


@cache
def parse(text: str) -> dict[str, Stub]:
    """The stubs of a notebook's text, by name."""
    stubs, hints = {}, 0
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        source, marks = "".join(cell["source"]), cell["metadata"].get("nbgrader", {})
        if marks.get("solution") and not marks.get("grade"):  # both is an answer in words
            name = marks["grade_id"]
            stubs[name] = Stub(f"cell {number} ({name})", source, hints)
        hints = len(lesson.hints_in(source)) if cell["cell_type"] == "markdown" else 0
    return stubs


def points_of(module: Module) -> dict[str, int]:
    """The stubs of a module with their points, in order, as its released tests list them."""
    try:
        tree = ast.parse(module.tests.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"module {module.label} ({module.slug}) has not been released") from None
    marks = [test.decorator_list[0] for test in lesson.tests_in(tree)]
    return {mark.args[0].value: mark.keywords[0].value.value for mark in marks}


def rests_on(here: Mapping[str, Stub], name: str, among: Iterable[str]) -> str | None:
    """The first of the stubs `among` that stands above this one, and whose code this one uses."""
    if name not in among or name not in here:
        return None
    used = {node.id for node in ast.walk(_parse(here[name].source)) if isinstance(node, ast.Name)}
    for earlier in here:
        if earlier == name:
            return None
        if earlier in among and used & {function.partition(".")[0] for function in here[earlier].functions}:
            return earlier
    return None


def kept(module: Module) -> Path:
    """Where a copy of the notebook is kept, as it was before anything was written in it."""
    return module.root / "build" / "released" / module.notebook.name


def keep(module: Module, names: Iterable[str]) -> None:
    """Keep a copy of a notebook whose stubs, of these names, are all blank, unless there is one."""
    here, names = read(module.notebook), set(names)
    if set(here) == names != set(read(kept(module))) and all(stub.is_blank for stub in here.values()):
        files.write(kept(module), module.notebook.read_bytes())


def is_untouched(module: Module, name: str, here: Stub | None) -> bool:
    """Whether a stub is as it was released, comments and docstrings apart."""
    before = read(kept(module)).get(name)
    return here is not None and before is not None and here.code == before.code


def lost(module: Module, names: Iterable[str]) -> list[str]:
    """What the notebook once had of these stubs, and what is exported has not: a sentence for each stub."""
    here, before = read(module.notebook), read(kept(module))
    tree = _parse(module.package.read_text(encoding="utf-8"))
    defined = {*export.defined_names(tree), *lesson.definitions(tree)}
    sentences = []
    for name in names:
        wanted = before[name].functions if name in before else ()
        top = {function: function.partition(".")[0] for function in wanted}
        missing = {f if top[f] in defined else top[f] for f in wanted if f not in defined}
        if name not in here and (missing or name not in before):
            sentences.append(
                f"the notebook has no cell {name} any more: `make reset {module.number}` gives a fresh one, "
                "and keeps yours beside it"
            )
        elif name in here and not export.is_exported(here[name].source):
            sentences.append(f"{here[name].cell} is not marked `#| export`")
        elif missing:
            sentences.append(f"{here[name].cell} no longer defines {', '.join(sorted(missing))}")
    return sentences


def cell_with(module: Module, statement: str) -> str:
    """The cell that holds a statement of the exported module, as `ast` writes it: "cell 11 (register)" or ""."""
    for cell in export.read(module.notebook, module.root):
        if cell.is_code and export.is_exported(cell.source):
            nodes = ast.walk(_parse(cell.source))
            if any(isinstance(node, ast.stmt) and ast.unparse(node) == statement for node in nodes):
                return cell.where.partition(", ")[2]
    return ""


def _parse(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])
