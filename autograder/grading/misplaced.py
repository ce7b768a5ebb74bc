"""Files in `autograder/submitted` that are in the wrong place, and may be a student's work."""

import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from autograder.console import printable
from autograder.course import Course, Module

ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")


def passed_over(course: Course, module: Module, student: str | None = None) -> list[str]:
    """A line for each notebook and archive that is not where a submission should be, if it may belong to this module."""
    folder = course.root / "autograder" / "submitted"
    expected = f"autograder/submitted/STUDENT/{module.name}/{module.notebook.name}"
    lines = []
    for path in sorted(_work(folder)):
        parts = path.relative_to(folder).parts
        if _is_in_place(course, parts) or (student is not None and parts[0] != student):
            continue
        if module in _meant(course, parts):
            what = "unpack it, so that there is" if _is_archive(path.name) else "what is graded is"
            lines.append(f"{printable(str(path.relative_to(course.root)))}: passed over: {what} {expected}")
    return lines


def _work(folder: Path) -> Iterator[Path]:
    """Every notebook, whatever a browser has appended to its name, and every archive; nothing of what systems leave behind."""
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        for name in names:
            if not name.startswith(".") and (".ipynb" in name.lower() or _is_archive(name)):
                yield Path(here, name)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def _is_in_place(course: Course, parts: tuple[str, ...]) -> bool:
    return len(parts) == 3 and any(
        parts[1:] == (module.name, module.notebook.name) for module in course.modules
    )


def _meant(course: Course, parts: tuple[str, ...]) -> list[Module]:
    """The modules that a file may be of, by its name or the nearest folder's, not the student's; all where none says so."""
    for part in reversed(parts[1:] or parts):
        if found := [module for module in course.modules if _names(part, module)]:
            return found
    return list(course.modules)


def _names(part: str, module: Module) -> bool:
    """Whether a name has the module's in it, or nearly is it."""
    name = part.lower().partition(".")[0]
    words = re.sub(r"[^a-z]+", "_", name).strip("_")
    return f"_{module.slug}_" in f"_{words}_" or bool(get_close_matches(words, [module.slug], cutoff=0.85))
