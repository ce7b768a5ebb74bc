"""A notebook as it was saved, put together into the cells of the released one: for export, tests, submit and grading alike.

A line belongs to the cell named by the `#| stub: NAME` or `%%test NAME` above it, otherwise by nbgrader's
mark or the cell's id; if it has none of these, to the stub whose names it defines. What belongs to a stub is
put together in the notebook's order, at its place in the release. If something is defined twice, the last
version that is filled in counts: Jupyter ran it last, while an untouched copy counts for nothing, wherever it
is. Tests and given cells are the release's; what was added to an exported given cell is the learner's own.
Own cells stay where they are if they are marked `#| export`, or hold what a stub uses.

So a mark gains no points: they are given for the names that the release's tests and probes use, wherever they
are defined.
"""

import ast
import builtins
import json
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from autograder.course import CourseError, Module
from autograder.limits import CELL_CHARACTERS, CELLS, CHARACTERS
from autograder.testrunner import BLANK
from autograder.variants import BEGIN, END

EXPORTED = re.compile(r"^#[ \t]*\|[ \t]*export[ \t]*$", re.MULTILINE)
STUB = re.compile(r"#[ \t]*\|[ \t]*stub:[ \t]*([\w-]+)")
TEST = re.compile(r"%%test[ \t]+([\w-]+)")
MARK = re.compile(rf"^#\||^#[ \t]*\|[ \t]*(export[ \t]*$|stub:)|{BEGIN}|{END}")
LEAD = re.compile(r"^%module[ \t]+(\w+)", re.MULTILINE)
DEFINED = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
MAGIC = re.compile(r"[ \t]*(%(?!%)|%%(test|time|timeit|capture|prun)\b|!|\?|[\w.]+\?\??[ \t]*$)")

Line = tuple[int, int, str]  # the number of its cell, its own there, and its text
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class NotebookError(CourseError):
    """Not a notebook, or not one of this module: why."""


@dataclass(frozen=True)
class Cell:
    """A cell of the notebook as it counts: the release's, or the learner's own."""

    name: str
    type: str  # code, markdown or raw
    source: str
    metadata: Mapping  # the release's; of a learner's own cell nothing
    is_own: bool = False  # the learner has added it
    is_written: bool = False  # a stub or an answer that the learner has changed
    places: tuple[
        tuple[int, int], ...
    ] = ()  # of each line in the notebook: the cell's number, and the line's in it

    @property
    def marks(self) -> Mapping:
        return _marks({"metadata": self.metadata})

    @property
    def is_stub(self) -> bool:
        return bool(self.marks.get("solution")) and self.type == "code"

    @property
    def is_exported(self) -> bool:
        return self.type == "code" and (self.is_stub or is_exported(self.source))

    @property
    def is_graded(self) -> bool:
        """Whether it is a test, or an answer in words."""
        return bool(self.marks.get("grade"))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the notebook's cells that it was put together from."""
        return list(dict.fromkeys(number for number, _ in self.places))

    @property
    def label(self) -> str:
        """What to call it: "cell 11 (relu)", "cells 11 and 12 (relu)"."""
        name = "" if self.is_own else f"({self.name})"
        return " ".join(filter(None, (in_words(self.numbers), name)))

    @property
    def code(self) -> str:
        """The code of an exported cell that runs, line by line."""
        code, _ = runnable(self.source)
        return "\n".join("" if MARK.search(line) else line for line in code.split("\n"))


@dataclass(frozen=True)
class Reading:
    """A notebook, put together, and what it was put together from."""

    cells: tuple[Cell, ...]
    released: Sequence["Released"]
    pieces: Sequence["Piece"]
    taken: Sequence["Statement"]  # of own cells that are not exported

    @property
    def stubs(self) -> dict[str, Cell]:
        return {cell.name: cell for cell in self.cells if cell.is_stub}

    @property
    def exported(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.is_exported]


def load(content: bytes) -> dict:
    """Read a notebook of format 4, in any encoding that JSON may have."""
    try:
        notebook = json.loads(content)
    except UnicodeDecodeError as error:
        raise NotebookError(
            f"it is not JSON: byte {error.start + 1} is not {error.encoding.upper()}"
        ) from None
    except (ValueError, RecursionError):
        raise NotebookError("it is not JSON") from None
    if wrong := _wrong(notebook):
        raise NotebookError(wrong)
    return notebook


def released(module: Module) -> dict:
    """The notebook that `make release` has put into modules/."""
    try:
        return load(module.notebook.read_bytes())
    except FileNotFoundError:
        name = module.notebook.relative_to(module.root).as_posix()
        raise CourseError(f"{name}: it is not there: `make release {module.number}` makes it") from None


def _wrong(notebook: object) -> str:
    """Why this is not a notebook of format 4, or nothing."""
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return "it has no cells"
    if len(notebook["cells"]) > CELLS:
        return f"it has more than {CELLS} cells"
    written = 0
    for number, cell in enumerate(notebook["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") not in ("code", "markdown", "raw"):
            return f"cell {number} is none"
        source = cell.get("source")
        if not isinstance(source, str) and not (
            isinstance(source, list) and all(isinstance(line, str) for line in source)
        ):
            return f"cell {number} has no source"
        length = len(source) if isinstance(source, str) else sum(map(len, source))
        written += length
        if length > CELL_CHARACTERS or written > CHARACTERS:
            return f"cell {number} has too much text"
        if not isinstance(cell.get("metadata", {}), dict):
            return f"the metadata of cell {number} is none"
    return "" if notebook.get("nbformat") == 4 else "it is not of format 4"


def text(cell: Mapping) -> str:
    """A cell's source, with Python's line endings; half a character, which no file can hold, is replaced."""
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    return re.sub("[\ud800-\udfff]", "\ufffd", re.sub("\r\n?", "\n", source))


def is_exported(source: str) -> bool:
    return EXPORTED.search(source) is not None


def in_words(numbers: Sequence[int]) -> str:
    """Cells by their numbers: "cell 3", "cells 3, 5 and 6"."""
    *others, last = map(str, numbers or ["?"])
    return f"cells {', '.join(others)} and {last}" if others else f"cell {last}"


@lru_cache(maxsize=2048)
def runnable(source: str) -> tuple[str, tuple[int, ...]]:
    """The code without lines that are Jupyter's alone, `%timeit f(x)` or `!ls`, and the numbers of these lines.

    A line is looked at only if Python rejects it: `% 3` may continue the line before, or be part of a string.
    """
    lines, left_out = source.split("\n"), []
    for _ in range(sum(map(bool, map(MAGIC.match, lines)))):
        try:
            ast.parse("\n".join(lines))
        except SyntaxError as error:
            number = error.lineno or 0
            if not 0 < number <= len(lines) or not MAGIC.match(lines[number - 1]):
                break
            line = lines[number - 1]
            margin = line[: len(line) - len(line.lstrip())]
            lines[number - 1] = margin + "pass" if margin else ""
            left_out.append(number)
        except ValueError:
            break
        else:
            break
    return "\n".join(lines), tuple(left_out)


def defined_names(tree: ast.Module) -> Iterable[str]:
    """The names that the top level defines or assigns, without imports."""
    for node in tree.body:
        if isinstance(node, Definition):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (name.id for name in ast.walk(target) if _is_stored(name))


def bound_names(tree: ast.Module) -> Iterable[str]:
    """The names that the top level defines, assigns or imports."""
    yield from defined_names(tree)
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def global_names(source: str) -> set[str]:
    """The global names that a piece of code uses."""

    def used(table: symtable.SymbolTable) -> Iterator[str]:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global()):
                yield symbol.get_name()
        for child in table.get_children():
            yield from used(child)

    try:
        return {*used(symtable.symtable(runnable(source)[0], "<code>", "exec"))}
    except (SyntaxError, ValueError):
        return set()


def put_together(theirs: dict, released: dict | None, slug: str = "", stubs: Iterable[str] = ()) -> Reading:
    """Put a notebook together into the cells of the released one.

    If the released one is lost, this only joins what was split, copied or moved: `stubs` are its stubs'
    names.
    """
    slug = slug or next(iter(_modules(released)), "")
    own_slugs = _modules(theirs)
    if own_slugs and slug and slug not in own_slugs:
        raise NotebookError(
            f"it is the notebook of another module: its first code says `%module {own_slugs[0]}`"
        )
    release = [Released(cell) for cell in (released or _as_released(theirs, stubs))["cells"]]
    pieces = list(_pieces(theirs["cells"], release))
    stubs = {*stubs} or {cell.name for cell in release if cell.is_stub}
    counted = stubs | {f"test-{stub}" for stub in stubs}
    chosen = {cell.name: _chosen(cell, pieces) for cell in release if cell.is_stub}
    pieces += [added for cell in release if cell.is_exported for added in _added(cell, pieces)]
    moved = _find_by_names(release, pieces, chosen)
    known = [piece for piece in pieces if piece.name in counted]
    strangers = [
        cell for cell in theirs["cells"] if _marks(cell).get("solution") and counted.isdisjoint(_names(cell))
    ]
    if (released or strangers) and not moved and len(known) <= len(strangers):
        raise NotebookError("no cell of it is known as a stub or a test of this module")
    taken = _take_what_is_used(release, pieces, chosen)
    return Reading(tuple(_cells(release, pieces, chosen)), release, pieces, taken)


def checksums(notebook: dict) -> dict[str, object]:
    """The names that a release gave to cells, each with nbgrader's checksum if it has one; two releases differ in them."""
    marks = [mark for mark in map(_marks, notebook["cells"]) if isinstance(mark.get("grade_id"), str)]
    return {mark["grade_id"]: mark.get("checksum") for mark in marks}


def _modules(notebook: dict | None) -> list[str]:
    """The modules that a notebook says it is."""
    code = [text(cell) for cell in (notebook or {"cells": []})["cells"] if cell["cell_type"] == "code"]
    return [slug for source in code for slug in LEAD.findall(source)]


def _marks(cell: Mapping) -> Mapping:
    marks = cell.get("metadata", {}).get("nbgrader")
    return marks if isinstance(marks, dict) else {}


def _names(cell: Mapping) -> list[str]:
    """The names that a cell has: in nbgrader's marks and, where an editor has dropped them, as its id."""
    return [name for name in (_marks(cell).get("grade_id"), cell.get("id")) if isinstance(name, str)]


def _as_released(theirs: dict, stubs: Iterable[str]) -> dict:
    """A substitute for the released notebook if it is lost: the first of each marked cell, with empty stubs."""
    cells, seen = [], set()
    for number, cell in enumerate(theirs["cells"]):
        name = next(iter(_names(cell)), f"prose-{number}")
        if name not in seen and (_marks(cell) or cell["cell_type"] == "markdown"):
            seen.add(name)
            is_stub = _marks(cell).get("solution") and not _marks(cell).get("grade")
            source = "" if is_stub else text(cell)
            cells.append({"metadata": {}} | cell | {"id": name, "source": source})
    for name in stubs:
        if name not in seen:
            marks = {"nbgrader": {"grade_id": name, "solution": True, "grade": False}}
            cells.append({"cell_type": "code", "metadata": marks, "source": ""})
    return {"cells": cells}


class Released:
    """A cell of the released notebook."""

    def __init__(self, cell: Mapping):
        self.name = next(iter(_names(cell)), "")
        self.type, self.source, self.metadata = cell["cell_type"], text(cell), cell["metadata"]
        self.marks = _marks(cell)
        self.is_stub = bool(self.marks.get("solution")) and self.type == "code"
        self.is_answer = bool(self.marks.get("solution")) and self.type != "code"
        self.is_test = bool(self.marks.get("grade")) and not self.is_answer
        self.is_exported = self.type == "code" and not self.is_stub and is_exported(self.source)

    @cached_property
    def statements(self) -> "list[Statement]":
        return (_statements(_lines(0, self.source)) or []) if self.type == "code" else []

    @cached_property
    def names(self) -> set[str]:
        """What its top level binds."""
        return {name for statement in self.statements for name in statement.names}

    @cached_property
    def dumps(self) -> set[str]:
        return {statement.dump for statement in self.statements}

    def is_same(self, source: str) -> bool:
        """Whether a source is the same except for comments and layout."""
        theirs = _statements(_lines(0, source))
        return bool(theirs) and [each.dump for each in theirs] == [each.dump for each in self.statements]

    @property
    def first_line(self) -> str:
        """What it is known by to a reader."""
        lines = [line for line in self.source.split("\n") if line.strip() and not MARK.search(line)]
        return next((line for line in lines if not TEST.match(line)), self.name).strip()


@dataclass
class Piece:
    """Consecutive lines of a cell, and the released cell that they belong to, if there is one."""

    name: str | None
    type: str
    lines: list[Line]
    after: int  # the place, among the released cells, of the last one above it
    is_exported: bool
    is_released: bool = False  # to the letter

    @property
    def source(self) -> str:
        return _joined(self.lines)

    @property
    def is_spare(self) -> bool:
        """Whether it is an own cell that is not exported."""
        return self.name is None and self.type == "code" and not self.is_exported


@dataclass
class Statement:
    """A statement at the top level, with its lines and the comments above it."""

    node: ast.stmt
    lines: list[Line]
    names: set[str] = field(default_factory=set)

    @property
    def dump(self) -> str:
        return ast.dump(self.node)

    @property
    def is_blank(self) -> bool:
        """Whether it is a definition that is not, or not completely, written yet."""
        if not isinstance(self.node, Definition):
            return False
        nothing = all(isinstance(part, ast.Pass) or _is_constant(part) for part in self.node.body)
        is_empty = nothing and not isinstance(self.node, ast.ClassDef)
        return is_empty or BLANK in (text.strip() for _, _, text in self.lines)


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _lines(number: int, source: str) -> list[Line]:
    return [(number, line, text) for line, text in enumerate(source.split("\n"), 1)]


def _joined(lines: Iterable[Line]) -> str:
    return "\n".join(text for _, _, text in lines)


def plain(source: str) -> str:
    """A source without the blanks at its ends and its lines' ends, which editors change."""
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


@lru_cache(maxsize=2048)
def parsed(source: str) -> ast.Module | None:
    """A cell's parsed code, or None; not to be changed, because it is parsed only once."""
    try:
        return ast.parse(runnable(source)[0])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _statements(lines: Sequence[Line]) -> list[Statement] | None:
    """The statements of lines that are Python, or None. Every line is in one of them, unless there are none."""
    tree, found, end = parsed(_joined(lines)), [], 0
    if tree is None:
        return None
    for node in tree.body:
        names = {*bound_names(ast.Module([node], []))}
        if node.lineno > end:
            found.append(Statement(node, list(lines[end : node.end_lineno]), names))
        else:  # on one line with the last
            found[-1].lines += lines[end : node.end_lineno]
            found[-1].names |= names
        end = node.end_lineno
    if found:
        found[-1].lines += lines[end:]
    return found


def _pieces(cells: Sequence[Mapping], release: Sequence[Released]) -> Iterator[Piece]:
    """Cut the cells where a mark says that something else begins."""
    places = {cell.name: index for index, cell in enumerate(release)}
    plains = {cell.name: plain(cell.source) for cell in release}
    texts = {text: name for name, text in reversed(plains.items()) if text}
    after, before = -1, None
    for number, cell in enumerate(cells, 1):
        source = text(cell)
        known = (name for name in (*_names(cell), texts.get(plain(source))) if name in places)
        name, exported = next(known, None), is_exported(source)
        for named, lines in _cut(number, source, places):
            belongs = named or name
            if belongs is None and cell["cell_type"] == "code" and before and _is_indented(lines):
                belongs = before  # the end of a function that another editor has cut off
            if belongs is not None:
                after = places[belongs]
            is_released = belongs is not None and plain(_joined(lines)) == plains[belongs]
            yield Piece(belongs, cell["cell_type"], lines, after, exported, is_released)
            if cell["cell_type"] == "code":
                before = belongs if belongs is not None and release[places[belongs]].is_stub else None


def _cut(number: int, source: str, known: Mapping) -> Iterator[tuple[str | None, list[Line]]]:
    """The lines of a cell up to each mark, with the name that it gives; lines that only introduce a mark go with it."""
    lines, starts = _lines(number, source), {0: None}
    for index, (_, _, line) in enumerate(lines):
        stub, test = STUB.match(line), TEST.match(line)
        named = stub[1] if stub else f"test-{test[1]}" if test else None
        if named in known:
            while stub and index and MARK.search(lines[index - 1][2]):
                index -= 1
            starts[index] = named
    first, *others = sorted(starts)
    head = parsed(_joined(lines[: others[0]])) if others else None
    if head and not head.body and starts[first] is None:
        del starts[first]
        starts[0] = starts.pop(others[0])
    begins = sorted(starts)
    for begin, end in zip(begins, [*begins[1:], len(lines)]):
        yield starts[begin], lines[begin:end]


def _is_indented(lines: Iterable[Line]) -> bool:
    return next((text for _, _, text in lines if text.strip()), "").startswith((" ", "\t"))


def _chosen(cell: Released, pieces: Iterable[Piece]) -> list[Line]:
    """The pieces of a stub that count, in the notebook's order; none if it is as it was released."""
    theirs = [piece for piece in pieces if piece.name == cell.name]
    code = _versions([piece for piece in theirs if piece.type == "code"], cell)
    versions = code or _versions([piece for piece in theirs if piece.type != "code"], cell)
    python = [version for version in versions if parsed(_joined(version)) is not None]
    return _overlaid(python, cell) if len(python) > 1 else (python or versions or [[]])[-1]


def _versions(pieces: Iterable[Piece], cell: Released) -> list[list[Line]]:
    """The copies of a stub that are not as it was released: one begins where a name is defined again."""
    versions, defined = [], set()
    for piece in pieces:
        names = set(DEFINED.findall(piece.source))
        if not versions or names & defined:
            versions.append([])
            defined = set()
        versions[-1] += piece.lines
        defined |= names
    return [version for version in versions if plain(_joined(version)) not in ("", plain(cell.source))]


def _overlaid(versions: Iterable[list[Line]], cell: Released) -> list[Line]:
    """The last version of each definition that is filled in, or else the last that was begun; the rest in order, once."""
    statements, best, seen = [each for version in versions for each in _statements(version)], {}, set()
    released = cell.dumps
    for order, statement in enumerate(statements):
        rank = 0 if statement.dump in released else 1 if statement.is_blank else 2
        if isinstance(statement.node, Definition):
            best[statement.node.name] = max(best.get(statement.node.name, (0, 0)), (rank, order))
    kept = []
    for order, statement in enumerate(statements):
        is_definition = isinstance(statement.node, Definition)
        if best[statement.node.name][1] == order if is_definition else statement.dump not in seen:
            kept += statement.lines
        seen.add(statement.dump)
    return kept


def _added(cell: Released, pieces: Sequence[Piece]) -> Iterator[Piece]:
    """What was added to a given cell: imports and definitions of names that the cell does not have."""
    theirs = [piece for piece in pieces if piece.name == cell.name and piece.type == "code"]
    lines = [line for piece in theirs for line in piece.lines]
    if not lines or plain(_joined(lines)) == plain(cell.source):
        return
    names, dumps, added = cell.names, cell.dumps, []
    for statement in _statements(lines) or []:
        new = statement.names - names
        if statement.dump in dumps or not new:
            continue
        if isinstance(statement.node, ast.Import | ast.ImportFrom) and new != statement.names:
            node = statement.node
            node = type(node)(**{name: getattr(node, name, None) for name in node._fields})
            node.names = [each for each in node.names if (each.asname or each.name.partition(".")[0]) in new]
            added.append((*statement.lines[-1][:2], ast.unparse(node)))
        elif new == statement.names:
            added += statement.lines
    if added:
        yield Piece(None, "code", added, theirs[-1].after, True)


def _find_by_names(
    release: Sequence[Released], pieces: list[Piece], chosen: dict[str, list[Line]]
) -> dict[str, list[int]]:
    """Give a stub what defines its names elsewhere, where its own cells do not: by stub, the cells it was found in."""
    holders = [holder for holder in _holders(pieces, chosen) if holder.lines]
    if not holders:
        return {}
    lacking = {cell.name: _lacking(cell, chosen[cell.name]) for cell in release if cell.is_stub}
    owners = {name: stub for stub, names in lacking.items() for name in names}
    bound = {cell.name: cell for cell in release}
    found = {}  # by name: what it was found in; the last that is exported goes before all that are not
    for holder in holders if owners else ():
        for statement in _statements(holder.lines) or []:
            for name in statement.names & owners.keys():
                if holder.name is not None and name in bound[holder.name].names:
                    continue
                is_code = isinstance(statement.node, Definition | ast.Assign | ast.AnnAssign)
                is_released = any(name in cell.names and statement.dump in cell.dumps for cell in release)
                is_better = name not in found or holder.is_exported or not found[name][0].is_exported
                if is_code and not is_released and not statement.is_blank and is_better:
                    found[name] = holder, statement
    moved = {}
    for cell in release:
        here = {name: found[name] for name in lacking.get(cell.name, ()) if name in found}
        lines = []
        for holder, statement in sorted(here.values(), key=lambda each: each[1].lines[0]):
            stubs = {owners[name] for name, (other, _) in found.items() if other is holder}
            whole = holder.name is None and holder.is_exported and len(stubs) == 1
            part = list(holder.lines if whole else statement.lines)
            lines += [line for line in part if line not in lines]
            holder.lines[:] = [line for line in holder.lines if line not in part]
        if lines:
            kept = [each for each in _statements(chosen[cell.name]) or [] if not each.names & here.keys()]
            chosen[cell.name][:] = [line for each in kept for line in each.lines] + lines
            moved[cell.name] = list(dict.fromkeys(number for number, _, _ in lines))
    return moved


def _lacking(cell: Released, lines: list[Line]) -> set[str]:
    """The names of a stub that are not written in what was chosen for it."""
    source = _joined(lines)
    if BLANK not in source and set(DEFINED.findall(cell.source)) <= set(DEFINED.findall(source)):
        return set()  # as nearly always, without parsing anything
    statements = _statements(lines)
    if statements is None:
        return cell.names - set(DEFINED.findall(source))
    written = {name for each in statements if not each.is_blank for name in each.names}
    return cell.names - written


def _holders(pieces: Iterable[Piece], chosen: Mapping[str, list[Line]]) -> Iterator[Piece]:
    """Where a stub's code may be if it is not in its own cells."""
    for piece in pieces:
        if piece.type == "code" and piece.name not in chosen and not piece.is_released:
            yield piece
    for name, lines in chosen.items():
        yield Piece(name, "code", lines, 0, True)


def _take_what_is_used(
    release: Sequence[Released], pieces: list[Piece], chosen: Mapping[str, list[Line]]
) -> list[Statement]:
    """Export what a stub or an exported own cell uses of own cells that are not: imports, definitions, constants."""
    used_lines = {line for lines in chosen.values() for line in lines}
    left = [
        Piece(None, "code", [line for line in piece.lines if line not in used_lines], piece.after, False)
        for piece in pieces
        if piece.is_spare or (piece.name in chosen and not piece.is_released)
    ]
    spare = {}
    for piece in left:
        for statement in _statements(piece.lines) or []:
            if _only_defines(statement.node) and not statement.is_blank:
                spare |= dict.fromkeys(statement.names, (piece.after, statement))
    exported = [piece.lines for piece in pieces if piece.name is None and piece.is_exported]
    waiting = [lines for lines in [*chosen.values(), *exported] if spare and parsed(_joined(lines))]
    known = {name for lines in waiting for statement in _statements(lines) for name in statement.names}
    if not spare.keys() & {name for lines in waiting for name in global_names(_joined(lines))} - known:
        return []
    known |= {*vars(builtins)}
    for cell in release:  # what a released cell names is there without the learner
        known |= cell.names | global_names(cell.source if cell.type == "code" else "")
    taken = []
    while waiting:
        for name in sorted(global_names(_joined(waiting.pop())) & spare.keys()):
            if name not in known:
                after, statement = spare[name]
                known |= statement.names
                waiting.append(statement.lines)
                pieces.append(Piece(None, "code", statement.lines, after, True))
                taken.append(statement)
    return taken


def _only_defines(node: ast.stmt) -> bool:
    """Whether a statement only defines something: a definition, an import, or a constant."""
    if isinstance(node, ast.Assign):
        try:
            ast.literal_eval(node.value)
        except (ValueError, TypeError, RecursionError):
            return False
    return isinstance(node, Definition | ast.Import | ast.ImportFrom | ast.Assign)


def _cells(
    release: Sequence[Released], pieces: Iterable[Piece], chosen: Mapping[str, list[Line]]
) -> Iterator[Cell]:
    """The released cells in their order, with what was written in them, and the learner's own in their places."""
    pieces = list(pieces)
    theirs, own = {}, {}
    for piece in pieces:
        theirs.setdefault(piece.name, []).append(piece)
    for piece in theirs.pop(None, []):
        if piece.lines:
            own.setdefault(_place(piece, release, chosen), []).append(piece)
    number = 0
    for index, cell in enumerate([None, *release], -1):
        if cell is not None:
            yield _as_it_counts(cell, theirs.get(cell.name, []), chosen)
        for piece in sorted(own.get(index, ()), key=lambda piece: piece.lines[0]):
            number += 1
            lines = piece.lines
            if piece.is_exported and piece.type == "code" and not is_exported(piece.source):
                lines = [(lines[0][0], 0, "#| export"), *lines]
            places = tuple((cell, line) for cell, line, _ in lines)
            yield Cell(f"own-{number}", piece.type, _joined(lines), {}, True, False, places)


def _as_it_counts(cell: Released, pieces: Sequence[Piece], chosen: Mapping[str, list[Line]]) -> Cell:
    lines = chosen.get(cell.name, [])
    if cell.is_answer:
        answers = {plain(piece.source): piece.lines for piece in pieces}
        answers.pop(plain(cell.source), None)
        lines = [line for answer in answers.values() for line in answer]
    if lines:
        places = tuple((number, line) for number, line, _ in lines)
        return Cell(cell.name, cell.type, _joined(lines), cell.metadata, False, True, places)
    places = tuple((number, line) for piece in pieces[:1] for number, line, _ in piece.lines)
    return Cell(cell.name, cell.type, cell.source, cell.metadata, False, False, places)


def _place(piece: Piece, release: Sequence[Released], chosen: Mapping[str, list[Line]]) -> int:
    """The released cell that an own one follows: the one above it, but it comes before the first that needs it at once."""
    if not piece.is_exported:
        return piece.after
    names = {name for statement in _statements(piece.lines) or [] for name in statement.names}
    for index, cell in enumerate(release[: piece.after + 1]):
        tree = parsed(_joined(chosen.get(cell.name, [])))
        if tree and names & {name for node in tree.body for name in _needed_at_once(node)}:
            return index - 1
    return piece.after


def _needed_at_once(node: ast.AST) -> Iterator[str]:
    """The names that a statement uses when it is run: bases, decorators, defaults, not those in functions' bodies."""
    if isinstance(node, ast.Name) and not _is_stored(node):
        yield node.id
    inner = node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
    for child in ast.iter_child_nodes(node):
        if child not in inner and not isinstance(node, ast.Lambda):
            yield from _needed_at_once(child)
