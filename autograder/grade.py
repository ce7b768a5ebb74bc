"""`make grade N`: what was submitted, autograded by nbgrader, entered in its gradebook, and given back."""

import glob
import os
import re
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.preprocessors import NbGraderPreprocessor, SaveCells
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table
from traitlets import Unicode

from autograder import export, lesson, reference, release, testfile
from autograder.course import Course, CourseError, Module, load

LEAST = 5  # seconds that any cell may take, even when the others have used up what the submission may


def grade(module: Module) -> int:
    """Autograde what was submitted for a module; 1 if something of it could not be graded."""
    course, console = load(module.root), Console(highlight=False)
    config = configuration(course)
    students = submissions(module)
    refused = autograde(course, module, students, config, console)
    console.print(table(module, students, config))
    feedback = f"feedback: autograder/feedback/STUDENT/{module.name}/{module.slug}.html"
    for line in (*refused, feedback):
        console.print(line, markup=False, soft_wrap=True)
    return 1 if refused else 0


def submissions(module: Module) -> list[str]:
    """The students who have submitted a module."""
    folders = (module.root / "autograder" / "submitted").glob(f"*/{module.name}")
    students = sorted(folder.parent.name for folder in folders)
    if not students:
        raise CourseError(f"nobody has submitted: there is no autograder/submitted/STUDENT/{module.name}")
    return students


def autograde(course: Course, module: Module, students: Sequence[str], config, console: Console) -> list[str]:
    """Grade one submission after the other, write the feedback, and say why one could not be graded."""
    earlier = reference.build(course, course.root / "build" / f"before-{module.name}", below=module)
    environment = {
        "PATH": os.pathsep.join(
            [sysconfig.get_path("scripts"), os.environ["PATH"]]
        ),  # nbgrader calls alembic
        "PYTHONPATH": str(earlier),  # the kernel's earlier modules are the reference's
        "PYTHONWARNINGS": "ignore",  # nbgrader takes what is on stderr, as NumPy's warnings, for a failure
    }
    refused = []
    with patch.dict(os.environ, environment), warnings.catch_warnings(action="ignore"):
        register(course, module, config)
        for student in track(students, module.name, console=console, transient=True):
            try:
                _autograde(module, student, config)
            except CourseError as error:
                refused.append(f"{student}: {error}")
    return refused


def configuration(course: Course):
    """nbgrader's configuration, the gradebook in the course's own folder unless the environment names one."""
    config = release.configuration(course.root)
    if "GRADEBOOK_URL" not in os.environ:
        config.CourseDirectory.db_url = f"sqlite:///{course.root}/autograder/gradebook.db?timeout=60"
    config.Execute.extra_arguments = ["--log-level=ERROR"]  # a kernel has things to say about its sockets
    config.Autograde.sanitize_preprocessors = [Restore, *Autograde.sanitize_preprocessors.default_args[0]]
    return config


def register(course: Course, module: Module, config) -> None:
    """Enter the release of a module in the gradebook: its stubs, its tests and their points."""
    read = lesson.read(module)
    with tempfile.TemporaryDirectory() as folder:
        text = release.build(course, [read], Path(folder))[module.notebook]
    graded = nbformat.reads(text, as_version=4)
    title, _, *cells = graded.cells  # the second loads the magics
    for cell, used in zip([title, *cells], testfile.is_used(read), strict=True):
        if not used:
            cell.metadata["tags"] = ["skip-execution"]
    config.Restore.released = nbformat.writes(graded)
    graded.cells = [cell for cell in graded.cells if _is_graded(cell)]
    end = module.deadline and f"{module.deadline} 23:59:59 UTC"
    with gradebook(config) as book:
        book.update_or_create_assignment(module.name, duedate=end)
    names = {"notebook": module.slug, "assignment": module.name, "db_url": config.CourseDirectory.db_url}
    try:
        SaveCells().preprocess(graded, {"nbgrader": names})
    except RuntimeError:
        raise CourseError(
            f"{module.name} has other stubs than when submissions were entered in the gradebook: "
            "restore them, or name another gradebook in GRADEBOOK_URL"
        ) from None


class Restore(NbGraderPreprocessor):
    """Give a submission the release's given code and tests, and the cells that it lacks.

    nbgrader restores tests, but not where the cell before is missing too, and no other cells; and it breaks
    off at a cell that was pasted twice.
    """

    released = Unicode(help="the released notebook").tag(config=True)

    def preprocess(self, nb, resources):
        cells = nbformat.reads(self.released, as_version=4).cells
        released = {_name(cell): cell for cell in cells if _marks(cell)}
        missing = dict(released)
        for index, cell in reversed(list(enumerate(nb.cells))):  # of two with one name, the last counts
            original = missing.pop(_name(cell), None)
            cell.metadata.pop("nbgrader", None)
            if original and _marks(original)["locked"]:
                nb.cells[index] = original
            elif original:
                cell.metadata["nbgrader"] = _marks(original)
        place = 0
        for name, original in released.items():
            if name in missing:
                nb.cells.insert(place, original)
            place = 1 + next(i for i, cell in enumerate(nb.cells) if _name(cell) == name and _marks(cell))
        for cell in nb.cells:
            if not _is_graded(cell):  # the gradebook knows stubs and tests
                cell.metadata.pop("nbgrader", None)
        return nb, resources


def gradebook(config) -> Gradebook:
    """The gradebook, made by nbgrader if there is none yet; for that it calls alembic by its name."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    with patch.dict(os.environ, PATH=path):
        return Gradebook(config.CourseDirectory.db_url, config.CourseDirectory.course_id)


def _autograde(module: Module, student: str, config) -> None:
    """Grade one submission and write its feedback, or say why not."""
    if glob.escape(student) != student:
        raise CourseError("a student's folder has no [, * or ? in its name")
    folder = module.root / "autograder" / "submitted" / student / module.name
    export.read(folder / module.notebook.name, module.root)
    before = score(module, student, config)
    config.Execute.timeout_func = allowance(module.limits["seconds"])
    api = NbGraderAPI(config=config)
    for step in (api.autograde, api.generate_feedback):
        result = step(module.name, student)
        if not result["success"]:
            if before is None:  # nbgrader has entered it with no points
                with gradebook(config) as book:
                    book.remove_submission(module.name, student)
            said = re.findall(r"^\s*([\w.]*(?:Error|Exception)\b.*)$", result.get("log", ""), re.MULTILINE)
            raise CourseError(f"nbgrader could not grade it: {said[-1] if said else 'it did not say why'}")


def allowance(seconds: int) -> Callable[[object], float]:
    """What each cell of a submission may take, from now on: what the others have left, and never nothing."""
    end = time.monotonic() + seconds
    return lambda cell: max(LEAST, end - time.monotonic())


def score(module: Module, student: str, config) -> tuple[float, float] | None:
    """The points of a student and the most there are, as the gradebook has them; None before any."""
    with gradebook(config) as book:
        try:
            submission = book.find_submission(module.name, student)
        except MissingEntry:
            return None
        return submission.score, submission.max_score


def waits(module: Module, student: str, config) -> bool:
    """Whether an answer in words of a student who has been graded is still to be marked by hand."""
    with gradebook(config) as book:
        return book.find_submission(module.name, student).needs_manual_grade


def table(module: Module, students: Sequence[str], config) -> Table:
    """The students with their points, as the gradebook has them."""
    shown = Table(title=f"{module.label} {module.title}", title_justify="left", title_style="bold")
    shown.box = box.SIMPLE_HEAD
    shown.add_column("student")
    shown.add_column("points", justify="right")
    for student in students:
        points = score(module, student, config)
        marking = ", with answers to mark by hand" if points and waits(module, student, config) else ""
        shown.add_row(student, f"{points[0]:g} of {points[1]:g}{marking}" if points else "not graded")
    return shown


def _is_graded(cell) -> bool:
    return bool(_marks(cell).get("solution") or _marks(cell).get("grade"))


def _marks(cell) -> dict:
    """nbgrader's marks of a cell, as far as they are any."""
    marks = cell.metadata.get("nbgrader")
    return marks if isinstance(marks, dict) else {}


def _name(cell) -> str:
    """The name that the release gave a cell: in its marks or, where an editor has dropped them, its id."""
    return str(_marks(cell).get("grade_id", cell.get("id")))
