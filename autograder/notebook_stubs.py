"""The stubs of a learner's notebook, compared with their release."""

import ast
import contextlib
import hashlib
import html
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from autograder import files, lesson, notebook
from autograder.course import CourseError, Module
from autograder.notebook import NotebookError, Reading
from autograder.testrunner import BLANK


@dataclass(frozen=True)
class Stub:
    """A stub as a notebook has it."""

    cell: str  # "cell 11 (linear-forward)"
    source: str
    hints: int

    @property
    def is_blank(self) -> bool:
        """Whether something in it has not been written yet."""
        return BLANK in map(str.strip, self.source.split("\n"))

    @property
    def is_python(self) -> bool:
        """Whether it compiles, as far as can be seen without running it."""
        return bool(_parse(self.source).body)

    @cached_property
    def functions(self) -> dict[str, lesson.Function]:
        """What it defines, by qualified name."""
        return lesson.definitions(_parse(self.source))

    @cached_property
    def code(self) -> str:
        """Its code without what makes no difference: comments, docstrings and layout."""
        tree = _parse(self.source)
        for node in ast.walk(tree):
            if isinstance(node, lesson.Function | ast.ClassDef) and ast.get_docstring(node) is not None:
                del node.body[0]
        return ast.unparse(tree) or self.source

    @property
    def digest(self) -> str:
        """Its code in a few letters, by which it is recognised."""
        return hashlib.sha256(self.code.encode(errors="replace")).hexdigest()

    def returning_nothing(self) -> list[str]:
        """The functions that promise a value in their docstring, and have no statement that returns one."""
        return [
            name
            for name, function in self.functions.items()
            if "Returns:" in (ast.get_docstring(function) or "")
            and not any(isinstance(node, ast.Return) and node.value for node in ast.walk(function))
        ]


def reading(module: Module) -> Reading:
    """Read the learner's notebook of a module, compared with its release."""
    name = module.notebook.relative_to(module.root).as_posix()
    try:
        content = module.notebook.read_bytes()
    except FileNotFoundError:
        raise NotebookError(f"{name}: no such notebook") from None
    except OSError as error:
        raise NotebookError(f"{name}: this cannot be read: {error.strerror}") from None
    names = tuple(points_of(module)) if module.tests.exists() else ()
    try:
        return _reading(content, _released(module), module.slug, names)
    except NotebookError as error:
        raise NotebookError(f"{name}: {error}") from None


def read(module: Module) -> dict[str, Stub]:
    """The stubs of the learner's notebook by name, as far as it can be read."""
    try:
        return stubs_of(reading(module))
    except CourseError:
        return {}  # what is wrong with it, the export says


def released(module: Module) -> dict[str, Stub]:
    """The stubs as they were before anything was written in them, as far as that was kept."""
    content = _released(module)
    return parse(content, module.slug) if content else {}


def parse(content: bytes, slug: str) -> dict[str, Stub]:
    """The stubs of a notebook that stands for itself, by name."""
    return stubs_of(_reading(content, None, slug, ()))


def stubs_of(reading: Reading) -> dict[str, Stub]:
    """The stubs that a notebook has, by name, in the order in which they were released."""
    hints, stubs = hints_of(reading), {}
    for name, cell in reading.stubs.items():
        if cell.places:
            stubs[name] = Stub(cell.label, cell.source, len(hints[name]))
    return stubs


def hints_of(reading: Reading) -> dict[str, tuple[str, ...]]:
    """The hints above the cells of a notebook, as it was released, in plain text."""
    return {
        cell.name: tuple(map(plain, lesson.hints_in(above.source)))
        if above and above.type == "markdown"
        else ()
        for above, cell in zip([None, *reading.released], reading.released)
    }


def plain(markup: str) -> str:
    """A hint as text: code in backticks, powers after ^, without other marks of HTML."""
    markup = markup.replace("<sup>", "^")
    return html.unescape(re.sub(r"</?(em|strong|b|i|p|sup)>", "", re.sub(r"</?code>", "`", markup)))


@lru_cache(maxsize=64)
def _reading(content: bytes, released: bytes | None, slug: str, names: tuple[str, ...]) -> Reading:
    """Read a notebook once, however often a command asks for it."""
    try:
        theirs = notebook.load(content)
    except NotebookError as error:
        raise NotebookError(f"this is not a notebook: {error}") from None
    return notebook.put_together(theirs, notebook.load(released) if released else None, slug, names)


def points_of(module: Module) -> dict[str, int]:
    """The stubs of a module with their points, in order, as its released tests list them."""
    try:
        tree = ast.parse(module.tests.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"module {module.label} ({module.slug}) has not been released") from None
    marks = [test.decorator_list[0] for test in lesson.tests_in(tree)]
    return {mark.args[0].value: mark.keywords[0].value.value for mark in marks}


def rests_on(here: Mapping[str, Stub], name: str, among: Iterable[str]) -> str | None:
    """The first of the stubs `among` that comes above this one, and whose code this one uses."""
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
    """Keep a copy of a notebook as released, unless there is one: the notebook itself if it is blank, or git's."""
    try:
        content = module.notebook.read_bytes()
        if not _belong(notebook.load(content), kept(module)):
            for each in (content, committed(module)):
                if is_blank(each, module, names):
                    return files.write(kept(module), each)
    except (OSError, NotebookError):  # what is wrong with it, the export says
        pass
    return None


def is_blank(content: bytes, module: Module, names: Iterable[str]) -> bool:
    """Whether this is a notebook with stubs of these names, all of them blank."""
    try:
        stubs = parse(content, module.slug)
    except NotebookError:
        return False
    return set(stubs) == set(names) and all(stub.is_blank for stub in stubs.values())


def committed(module: Module) -> bytes:
    """The notebook as git has it, or nothing."""
    command = ["git", "show", f"HEAD:./{module.notebook.relative_to(module.root).as_posix()}"]
    with contextlib.suppress(OSError):  # there is no git
        return subprocess.run(command, cwd=module.root, capture_output=True).stdout
    return b""


def _released(module: Module) -> bytes | None:
    """The notebook as it was released, if that was kept and is the learner's release."""
    try:
        theirs = notebook.load(module.notebook.read_bytes())
    except (OSError, NotebookError):
        theirs = {"cells": []}
    return kept(module).read_bytes() if _belong(theirs, kept(module)) else None


def _belong(theirs: dict, kept: Path) -> bool:
    """Whether a notebook was made from the one that was kept: another release has other cells in some places."""
    try:
        here, before = notebook.checksums(theirs), notebook.checksums(notebook.load(kept.read_bytes()))
    except (OSError, NotebookError):
        return False
    both = [(here[name], before[name]) for name in here.keys() & before.keys()]
    same = all(one == other for one, other in both if one and other)
    return same and (here.keys() <= before.keys() or before.keys() <= here.keys())


def untouched(module: Module, here: Mapping[str, Stub]) -> set[str]:
    """The stubs that are unchanged since the release, except for comments and docstrings."""
    before = released(module)
    return {name for name in here.keys() & before.keys() if here[name].code == before[name].code}


def lost(module: Module, names: Iterable[str]) -> list[str]:
    """What the notebook once had of these stubs but the export does not: a sentence for each stub."""
    here, before = read(module), released(module)
    tree = _parse(module.package.read_text(encoding="utf-8"))
    defined = {*notebook.defined_names(tree), *lesson.definitions(tree)}
    sentences = []
    for name in names:
        wanted = before[name].functions if name in before else ()
        top = {function: function.partition(".")[0] for function in wanted}
        missing = {f if top[f] in defined else top[f] for f in wanted if f not in defined}
        if name not in here:
            sentences.append(
                f"the notebook has no cell {name} any more: `make reset {module.number}` gives a fresh one, "
                "and keeps a copy of yours"
            )
        elif missing:
            sentences.append(f"{here[name].cell} no longer defines {', '.join(sorted(missing))}")
    return sentences


def cell_with(module: Module, statement: str) -> str:
    """The cell that holds a statement of the exported module, as `ast` writes it: "cell 11 (register)" or ""."""
    for cell in reading(module).exported:
        nodes = ast.walk(_parse(cell.source))
        if any(isinstance(node, ast.stmt) and ast.unparse(node) == statement for node in nodes):
            return cell.label
    return ""


def kept_back(module: Module, name: str) -> str:
    """The cell that defines or imports a name, and is not exported: "cell 3" or ""."""
    others = (cell for cell in reading(module).cells if cell.type == "code" and not cell.is_exported)
    holders = (cell for cell in others if name in notebook.bound_names(_parse(cell.source)))
    return next((notebook.in_words(cell.numbers) for cell in holders), "")


def _parse(source: str) -> ast.Module:
    try:
        return ast.parse(notebook.runnable(source)[0])
    except (SyntaxError, ValueError):
        return ast.Module([], [])
