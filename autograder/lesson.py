"""A lesson's source, `solutions/NN_slug/slug.py`, read into cells, stubs and tests; files next to it have variants of its answers."""

import ast
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from autograder import EXPORT, variants
from autograder.course import Module
from autograder.variants import BEGIN, END, LessonError, Variant

LEAST_MISTAKES = 3
FOLDED = re.compile(r"<details>\s*<summary>.*?</summary>(.*?)</details>", re.DOTALL)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Cell:
    kind: str  # prose, given, export, stub, test or answer
    source: str
    line: int  # of its first line in the lesson
    name: str | None = None  # of the stub that a stub or a test belongs to, or of the answer
    points: int = 0

    @property
    def is_code(self) -> bool:
        return self.kind not in ("prose", "answer")


@dataclass(frozen=True)
class Stub:
    name: str
    cell: Cell
    test: Cell
    tests: tuple[str, ...]  # the names of its test functions
    points: int
    regions: tuple[str, ...]  # the text between the solution markers
    hints: tuple[str, ...]
    mistakes: tuple[Variant, ...]
    answers: tuple[Variant, ...]  # other right ones


@dataclass(frozen=True, eq=False)
class Lesson:
    module: Module
    cells: tuple[Cell, ...]
    stubs: tuple[Stub, ...]

    @property
    def points(self) -> int:
        return sum(stub.points for stub in self.stubs)

    @property
    def points_by_hand(self) -> int:
        """What the answers in words are worth, which an instructor marks."""
        return sum(cell.points for cell in self.cells if cell.kind == "answer")


def read(module: Module) -> Lesson:
    """Read the lesson of a module, or say what is wrong in it."""
    cells = read_cells(module)
    known, answered = {}, set()
    for before, cell in itertools.pairwise([None, *cells]):
        if cell.kind == "test" and cell.name not in known:
            raise _wrong(module, cell.line, f"a test of {cell.name!r}, which is not a stub above it")
        if cell.kind == "stub" and cell.name in known:
            raise _wrong(module, cell.line, f"a second stub {cell.name!r}")
        if cell.kind == "stub":
            known[cell.name] = cell
        if cell.kind == "answer" and (before is None or before.kind != "prose"):
            raise _wrong(module, cell.line, f"no question in prose before the answer {cell.name!r}")
        if cell.kind == "answer" and cell.name in {*known, *answered}:
            raise _wrong(module, cell.line, f"a second stub or answer {cell.name!r}")
        if cell.kind == "answer":
            answered.add(cell.name)
        if cell.is_code:
            parse(module, cell)
    for cell in known.values():
        _regions(module, cell)  # which variants of it fall back on
    mistakes = _variants(module, module.mistakes, known)
    answers = _variants(module, module.answers, known) if module.answers.exists() else {}
    stubs = [
        _stub(module, cells, index, mistakes.get(cell.name, ()), answers.get(cell.name, ()))
        for index, cell in enumerate(cells)
        if cell.kind == "stub"
    ]
    tests = [name for stub in stubs for name in stub.tests]
    for stub in stubs:
        for mistake in stub.mistakes:
            if mistake.hint is not None and not 1 <= mistake.hint <= len(stub.hints):
                where = f"{module.mistakes.relative_to(module.root)}:{mistake.line}"
                raise LessonError(
                    f"{where}: hint {mistake.hint} of {stub.name!r}, which has {len(stub.hints)}"
                )
        for name in stub.tests:
            if tests.count(name) > 1:
                raise _wrong(module, stub.test.line, f"a second test function {name!r}")
    return Lesson(module, tuple(cells), tuple(stubs))


def _variants(module: Module, path: Path, stubs: dict[str, Cell]) -> dict[str, tuple[Variant, ...]]:
    """The variants in a file by stub, each of which fits its stub, and is Python."""
    where = path.relative_to(module.root)
    read = variants.read(module, path) if stubs else {}
    for name, found in read.items():
        if name not in stubs:
            raise LessonError(f"{where}:1: {name!r} is no stub of the lesson")
        for variant in found:
            try:
                ast.parse(variant.put_into(stubs[name].source))
            except (ValueError, SyntaxError) as error:
                raise LessonError(f"{where}:{variant.line}: {getattr(error, 'msg', error)}") from None
    return {name: tuple(found) for name, found in read.items()}


def definitions(tree: ast.AST, prefix: str = "") -> dict[str, Function]:
    """Functions and methods by qualified name."""
    found = {}
    for node in tree.body:
        if isinstance(node, Function):
            found[prefix + node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= definitions(node, f"{prefix}{node.name}.")
    return found


def hints_in(markdown: str) -> tuple[str, ...]:
    """The hints of a prose cell, each without its summary."""
    return tuple(hint.strip() for hint in FOLDED.findall(markdown))


def tests_in(tree: ast.Module) -> list[Function]:
    """The tests among the functions at the top level."""
    return [node for node in tree.body if isinstance(node, Function) and node.name.startswith("test_")]


def parse(module: Module, cell: Cell) -> ast.Module:
    """Parse a cell; magics and shell lines, which given cells may have, are left out."""
    plain = (
        re.sub(r"^\s*[%!].*$", "", cell.source, flags=re.MULTILINE) if cell.kind == "given" else cell.source
    )
    try:
        return ast.parse(plain)
    except SyntaxError as error:
        raise _wrong(module, cell.line + (error.lineno or 1) - 1, error.msg) from None


def outside(cell: Cell) -> list[str]:
    """The lines of a cell that are in no solution region."""
    lines, shown = [], True
    for line in cell.source.splitlines():
        shown = shown and BEGIN not in line
        if shown:
            lines.append(line)
        shown = shown or END in line
    return lines


def read_cells(module: Module) -> list[Cell]:
    """Read the cells of a lesson, half-written ones too; `read` also checks what belongs together."""
    if not module.source.exists():
        raise LessonError(f"{module.source.relative_to(module.root)}: not written yet")
    text = module.source.read_text(encoding="utf-8")
    before, *parts = re.split(r"^(?=# %%)", text, flags=re.MULTILINE)
    if before.strip() or not parts:
        raise _wrong(module, 1, "a lesson begins with a cell")
    cells, line = [], 1 + before.count("\n")
    for part in parts:
        cells.append(_cell(module, line + 1, *_notebook_cell(module, line, part)))
        line += part.count("\n")
    return cells


def _notebook_cell(module: Module, line: int, part: str) -> tuple[str, str, dict]:
    """The type, the source and the keys of a cell in jupytext's percent format."""
    marker, _, source = part.partition("\n")
    found = re.fullmatch(r'# %%(?: \[(\w+)\])?((?: \w+=(?:"[^"]*"|\d+))*)', marker.rstrip())
    if not found:
        raise _wrong(module, line, f"a cell begins with `# %%`, its kind and its keys, not {marker!r}")
    kind, keys = found[1] or "code", dict(re.findall(r'(\w+)=("[^"]*"|\d+)', found[2]))
    source = source.strip("\n")
    if kind == "markdown":
        source = re.sub(r"^# ?", "", source, flags=re.MULTILINE)
    else:
        source = re.sub(r"^# (?=[%!])", "", source, flags=re.MULTILINE)  # magics
    return kind, source, {key: ast.literal_eval(value) for key, value in keys.items()}


def _cell(module: Module, line: int, cell_type: str, source: str, metadata: dict) -> Cell:
    keys = {key: metadata[key] for key in metadata if key != "lines_to_next_cell"}
    points = keys.pop("points", None)
    if len(keys) > 1 or keys.keys() - {"stub", "test", "answer"}:
        marks = ", ".join(metadata)
        raise _wrong(module, line, f"a cell is marked stub, or test or answer with points, not {marks}")
    if cell_type == "markdown" and not keys:
        # Between a tag and the next blank line, VS Code shows formulas and backquotes as they are written.
        folded = FOLDED.findall(re.sub(r"(?s)<code>.*?</code>", "", source))
        if any(re.search("[$`]", text) and not text.startswith("\n\n") for text in folded):
            raise _wrong(module, line, "folded text with a formula or backquotes begins with a blank line")
        return Cell("prose", source, line)
    if (cell_type, "answer" in keys) not in (("code", False), ("markdown", True)):
        raise _wrong(module, line, f"a {cell_type} cell cannot be here")
    kind, name = next(iter(keys.items()), ("export" if EXPORT in source.splitlines() else "given", None))
    if keys and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", str(name)):
        raise _wrong(module, line, f"a stub's name is made of lower-case words and dashes, not {name!r}")
    if kind in ("test", "answer") and (type(points) is not int or points < 1):
        what = "test of" if kind == "test" else "answer"
        raise _wrong(module, line, f"the {what} {name!r} carries points, a whole number above 0")
    if kind not in ("test", "answer") and points is not None:
        raise _wrong(module, line, "only a test or an answer carries points")
    if kind != "stub" and (BEGIN in source or END in source):
        raise _wrong(module, line, "a solution region outside a stub")
    return Cell(kind, source, line, name, points or 0)


def _stub(
    module: Module,
    cells: list[Cell],
    index: int,
    mistakes: tuple[Variant, ...],
    answers: tuple[Variant, ...],
) -> Stub:
    cell = cells[index]
    if EXPORT not in cell.source.splitlines():
        raise _wrong(module, cell.line, f"the stub {cell.name!r} is not marked {EXPORT}")
    test = cells[index + 1] if index + 1 < len(cells) else cell
    if (test.kind, test.name) != ("test", cell.name):
        raise _wrong(module, cell.line, f"the stub {cell.name!r} is not followed by its test")
    hints = hints_in(cells[index - 1].source) if index and cells[index - 1].kind == "prose" else ()
    if not hints:
        raise _wrong(module, cell.line, f"no hints (<details>) in the prose before the stub {cell.name!r}")
    regions = _regions(module, cell)
    if len(mistakes) < LEAST_MISTAKES:
        sentence = f"{len(mistakes)} planted mistakes of {cell.name!r}, at least {LEAST_MISTAKES} wanted"
        raise _wrong(module, cell.line, sentence)
    return Stub(cell.name, cell, test, _tests(module, test), test.points, regions, hints, mistakes, answers)


def _regions(module: Module, cell: Cell) -> tuple[str, ...]:
    regions, open_at = [], None
    lines = cell.source.splitlines()
    for number, line in enumerate(lines):
        if BEGIN in line or END in line:
            if (BEGIN in line) != (open_at is None):
                raise _wrong(module, cell.line + number, f"{line.strip()} has no partner")
            if END in line:
                regions.append("\n".join(lines[open_at + 1 : number]))
            open_at = number if BEGIN in line else None
    if open_at is not None:
        raise _wrong(module, cell.line + open_at, f"{BEGIN} has no partner")
    if not regions:
        raise _wrong(module, cell.line, f"the stub {cell.name!r} has no solution region")
    return tuple(regions)


def _tests(module: Module, cell: Cell) -> tuple[str, ...]:
    tree = parse(module, cell)
    for node in tree.body:
        if isinstance(node, ast.Expr):
            raise _wrong(
                module,
                cell.line + node.lineno - 1,
                "a test cell only defines; `%%test` runs its tests",
            )
    tests = tests_in(tree)
    for test in tests:
        if ast.unparse(test.args):
            raise _wrong(module, cell.line + test.lineno - 1, f"{test.name} takes no arguments")
    if not tests:
        raise _wrong(module, cell.line, f"the test of {cell.name!r} defines no function test_...")
    return tuple(test.name for test in tests)


def _wrong(module: Module, line: int, sentence: str) -> LessonError:
    return LessonError(f"{module.source.relative_to(module.root)}:{line}: {sentence}")
