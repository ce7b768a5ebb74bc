"""`make feedback N ZIP=1`: what changed since the last time, as one zip that Canvas or Moodle takes back.

`make collect` notes what the download calls each student's submission, in `autograder/downloads/NN_slug.json`, and a zip is made of
these names:

- Moodle, "Upload multiple feedback files in a zip", looks for `NAME_NUMBER_assignsubmission_file` in a file's path, and takes what
  follows as the name of the feedback file.
- Canvas, "Upload Submissions", looks for the numbers of the student and of the submitted file in `NAME_NUMBER_NUMBER_FILE`, and
  attaches what it finds to a comment, under the name that the student's own file had. So the answer to a zip is a zip that holds
  the page, and the answer to a notebook is the graded notebook.
"""

import hashlib
import html
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from autograder import files
from autograder.console import printable, say
from autograder.course import Course, CourseError, Module

PLACE = Path("autograder", "returned")
NOTES = Path("autograder", "downloads")
ASKED = "1", "all"
SYSTEMS = {"canvas": "Canvas", "moodle": "Moodle"}


@dataclass(frozen=True)
class Origin:
    """What a system calls a student's submission, and what went back to it last."""

    system: str
    name: str  # Canvas: the file's name; Moodle: what comes before a file's name, a folder with its slash or the name's beginning
    sent: str = ""  # the digest of the page


def origins(module: Module) -> dict[str, Origin]:
    """Where the submissions of a module came from, by student."""
    place = _place(module)
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
        return {student: Origin(**each) for student, each in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError):
        name = place.relative_to(module.root)
        raise CourseError(
            f"{name} cannot be read: delete it, and `make collect {module.number}` makes it again"
        ) from None


def note(module: Module, names: Mapping[str, tuple[str, str]]) -> None:
    """Note system and name of what was collected; what went back stays noted."""
    known = origins(module)
    new = {
        student: Origin(system, name, known[student].sent if student in known else "")
        for student, (system, name) in names.items()
    }
    if new:
        _write(module, known | new)


def rename(course: Course, old: str, new: str | None) -> bool:
    """Note a student under another name, or no longer; whether there was anything noted."""
    noted = [module for module in course.modules if old in origins(module)]
    for module in noted:
        known = dict(origins(module))
        origin = known.pop(old)
        _write(module, known if new is None else known | {new: origin})
    return bool(noted)


def check(asked: str) -> None:
    if asked not in ASKED:
        raise CourseError(f"ZIP={printable(asked)}: expected 1, for what has changed, or all")


def make(module: Module, pages: Mapping[str, Path], asked: str, notebook_of: Callable[[str], str]) -> None:
    """Write a zip for each system, of the pages that changed since the last one, or of all."""
    known = origins(module)
    for system, label in SYSTEMS.items():
        theirs = {
            student: known[student]
            for student in pages
            if student in known and known[student].system == system
        }
        if not theirs:
            continue
        written, new = io.BytesIO(), {}
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
            for student, origin in theirs.items():
                page = pages[student].read_bytes()
                digest = hashlib.sha256(page).hexdigest()
                if asked == "all" or digest != origin.sent:
                    archive.writestr(
                        *_member(module, origin, page, lambda student=student: notebook_of(student))
                    )
                    new[student] = Origin(system, origin.name, digest)
        if not new:
            say(f"nothing has changed since the last zip for {label}")
            continue
        place = _free(module.root / PLACE / f"{module.name}.{system}.{datetime.now():%Y-%m-%d-%H%M%S}.zip")
        files.write(place, written.getvalue())
        _write(module, known := known | new)
        say(f"{place.relative_to(module.root)}: {len(new)} of {len(theirs)}, for {label}")
    if missing := sorted(pages.keys() - known.keys()):
        say(f"in no zip, for `make collect` did not place them: {', '.join(map(printable, missing))}")


def _member(
    module: Module, origin: Origin, page: bytes, notebook: Callable[[], str]
) -> tuple[str, bytes | str]:
    """The name and the content of a file of the zip."""
    if origin.system == "moodle":
        return f"{origin.name}{module.slug}.html", page
    if not origin.name.lower().endswith(".zip"):
        return origin.name, notebook()
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module.slug}.html", page)
    return origin.name, inner.getvalue()


def notebook(graded: str, said: Iterable[str], table: Iterable[tuple[str, float, float, str]]) -> str:
    """The graded notebook, below what its student is told: lines of text, and a table of stubs, points and comments."""
    made = json.loads(graded)
    rows = [
        f"<tr><td>{html.escape(stub)}</td><td>{points:g} of {most:g}</td><td>{html.escape(comment)}</td></tr>"
        for stub, points, most, comment in table
    ]
    lines = [f"<p>{html.escape(line)}</p>" for line in said]
    head = "<tr><th>Stub</th><th>Points</th><th>Comment</th></tr>"
    source = "\n".join(["# Feedback", "", *lines, f"<table>{head}{''.join(rows)}</table>"])
    cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": source}
    return json.dumps(made | {"cells": [cell, *made["cells"]]}, ensure_ascii=False, indent=1)


def _free(place: Path) -> Path:
    """The place, or one with a number beside it, where there is no file yet."""
    places = chain([place], (place.with_stem(f"{place.stem}-{number}") for number in count(2)))
    return next(each for each in places if not each.exists())


def _place(module: Module) -> Path:
    return module.root / NOTES / f"{module.name}.json"


def _write(module: Module, known: Mapping[str, Origin]) -> None:
    text = json.dumps(
        {student: asdict(origin) for student, origin in known.items()}, ensure_ascii=False, indent=1
    )
    files.write(_place(module), text + "\n")
