"""What is taken of a submission: the one notebook that is expected, as plain text, put back into the released one."""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.course import CourseError
from autograder.export import MARK, is_exported
from autograder.limits import CELL_CHARACTERS, CELLS, CHARACTERS, NOTEBOOK


class Refused(CourseError):
    """A submission that cannot be graded, and why."""


@dataclass(frozen=True)
class Cell:
    """A cell of the notebook that is graded: the release's, or the student's own."""

    name: str
    type: str  # code, markdown or raw
    source: str
    metadata: Mapping  # the release's; of a student's own cell nothing
    is_own: bool = False  # the student has added it
    is_written: bool = False  # a stub or an answer that the student has changed

    @property
    def is_stub(self) -> bool:
        marks = self.metadata.get("nbgrader", {})
        return bool(marks.get("solution")) and self.type == "code"

    @property
    def is_exported(self) -> bool:
        return self.type == "code" and is_exported(self.source)

    @property
    def code(self) -> str:
        """What of an exported cell runs."""
        return "\n".join("" if MARK.search(line) else line for line in self.source.splitlines())


def read(path: Path, folder: Path) -> dict:
    """Read a submitted notebook that stands in `folder` itself, where no link leads elsewhere."""
    text = content(path, folder)
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(f"{path.name} is not a notebook: it is not JSON") from None
    if wrong := _wrong(notebook):
        raise Refused(f"{path.name} is not a notebook: {wrong}")
    return notebook


def content(path: Path, folder: Path, most: int = NOTEBOOK) -> bytes:
    """The bytes of a file in `folder`, if it is a plain one and not too large."""
    try:
        if path.resolve() != folder.resolve() / path.relative_to(folder):
            raise Refused("a link was submitted, not a notebook")
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Refused(f"{path.name} is not a file")
            if found.st_size > most:
                raise Refused(f"{path.name} has {found.st_size >> 20} MB, and {most >> 20} are accepted")
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise Refused(f"there is no {path.name}") from None
    except PermissionError:
        raise Refused(f"{path.name} cannot be read: its owner may not let you") from None
    except (OSError, RuntimeError) as error:  # the second for links that lead in a circle
        raise Refused(f"{path.name} cannot be read: {getattr(error, 'strerror', error)}") from None


def _wrong(notebook: object) -> str:
    """Why this is no notebook of format 4, or nothing."""
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return "it has no cells"
    if notebook.get("nbformat") != 4:
        return "it is not of format 4"
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
        written += len(_source(cell))
        if len(_source(cell)) > CELL_CHARACTERS or written > CHARACTERS:
            return f"cell {number} has more text than anybody reads"
        if not isinstance(cell.get("metadata", {}), dict):
            return f"the metadata of cell {number} is none"
    return ""


def restored(submitted: dict, released: dict) -> list[Cell]:
    """The released cells in their order, with what the student wrote in them; the student's own cells where they stand.

    Tests and given code are the release's, whatever was submitted, and cells that were deleted come back. Of two
    cells with one name the last counts.
    """
    theirs, own, last = {}, {"": []}, ""
    known = {_name(cell) for cell in released["cells"]}
    for cell in submitted["cells"]:
        name = _name(cell)
        if name in known:
            theirs[name], last = _source(cell), name
            own.setdefault(name, [])
        else:
            own[last].append(cell)
    return list(_cells(released, theirs, own))


def _cells(released: dict, theirs: Mapping[str, str], own: Mapping[str, list]) -> Iterator[Cell]:
    number = 0
    for before in (None, *released["cells"]):
        if before is not None:
            name, source = _name(before), _source(before)
            marks = before["metadata"].get("nbgrader", {})
            written = marks.get("solution") and theirs.get(name, source).strip() != source.strip()
            source = theirs[name] if written else source
            yield Cell(name, before["cell_type"], source, before["metadata"], is_written=bool(written))
        for cell in own.get("" if before is None else name, ()):
            number += 1
            yield Cell(f"own-{number}", cell["cell_type"], _source(cell), {}, is_own=True)


def _name(cell: dict) -> str:
    """The name that the release gave a cell: in its marks or, where an editor has dropped them, its id."""
    marks = cell.get("metadata", {}).get("nbgrader")
    names = (marks.get("grade_id") if isinstance(marks, dict) else None, cell.get("id"))
    return next((name for name in names if isinstance(name, str)), "")


def _source(cell: dict) -> str:
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    return clean(source)


def clean(text: str) -> str:
    """Text without what no editor writes, and XML, HTML and files cannot hold."""
    return re.sub(r"[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]", "\ufffd", text)
