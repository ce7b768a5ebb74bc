"""nbgrader's gradebook: the one place that writes marks, a submission in one transaction."""

import json
import os
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from unittest.mock import patch

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import SaveCells
from sqlalchemy.exc import OperationalError

from autograder import release
from autograder.course import Course, CourseError, Module


def configuration(course: Course):
    """nbgrader's configuration, the gradebook in the course's own folder unless the environment names one."""
    config = release.configuration(course.root)
    if "GRADEBOOK_URL" not in os.environ:
        config.CourseDirectory.db_url = f"sqlite:///{course.root}/autograder/gradebook.db?timeout=60"
    return config


@contextmanager
def gradebook(config) -> Iterator[Gradebook]:
    """The gradebook, made by nbgrader if there is none yet; for that it calls alembic by its name."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    try:
        with patch.dict(os.environ, PATH=path):
            book = Gradebook(config.CourseDirectory.db_url, config.CourseDirectory.course_id)
        with book:
            yield book
    except OperationalError as error:
        place = config.CourseDirectory.db_url.partition("?")[0].rpartition("@")[2]
        raise CourseError(f"the gradebook {place} cannot be used: {error.orig}") from None


def register(book: Gradebook, config, module: Module, released: dict) -> None:
    """Enter the release of a module: its stubs, its tests and their points."""
    notebook = nbformat.reads(json.dumps(released), as_version=4)
    notebook.cells = [cell for cell in notebook.cells if _is_graded(cell)]
    end = module.deadline and f"{module.deadline} 23:59:59 UTC"
    book.update_or_create_assignment(module.name, duedate=end)
    names = {"notebook": module.slug, "assignment": module.name, "db_url": config.CourseDirectory.db_url}
    try:
        SaveCells().preprocess(notebook, {"nbgrader": names})
    except RuntimeError:
        raise CourseError(
            f"{module.name} has other stubs than when submissions were entered in the gradebook: "
            "restore them, or name another gradebook in GRADEBOOK_URL"
        ) from None


def enter(
    book: Gradebook, module: Module, student: str, points: Mapping[str, float | None], when: datetime,
    penalty: Callable[[str, float, float], float],
) -> None:  # fmt: skip
    """Enter a student's points by test, None for an answer to be marked by hand; marks given by hand stay.

    All of it in one transaction: nobody ever finds half a submission, and whatever ends this process leaves the
    row as it was.
    """
    with patch.object(book.db, "commit", book.db.flush):
        book.update_or_create_student(student)
        submission = book.update_or_create_submission(module.name, student, timestamp=when)
        notebook = submission.notebooks[0]
        for grade in notebook.grades:
            grade.auto_score = points[grade.name]
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        book.db.flush()
        book.db.expire(notebook)
        late = penalty(student, notebook.score, submission.total_seconds_late)
        notebook.late_submission_penalty = min(max(late, 0), notebook.score) or None
    book.db.commit()


def score(book: Gradebook, module: Module, student: str) -> tuple[float, float] | None:
    """The points of a student and the most there are; None before any."""
    try:
        submission = book.find_submission(module.name, student)
    except MissingEntry:
        return None
    return submission.score, submission.max_score


def _is_graded(cell) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("solution") or marks.get("grade"))
