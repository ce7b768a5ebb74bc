"""nbgrader's gradebook: the one place that writes marks, a submission in one transaction."""

import json
import os
import re
import sysconfig
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from subprocess import CalledProcessError
from unittest.mock import patch

import nbformat
from nbgrader.api import Gradebook, InvalidEntry, SubmittedAssignment
from nbgrader.preprocessors import SaveCells
from sqlalchemy.exc import DBAPIError, SAWarning

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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # of how nbgrader puts its rows together
            with patch.dict(os.environ, PATH=path):
                book = Gradebook(config.CourseDirectory.db_url, config.CourseDirectory.course_id)
            with book:
                yield book
    except (DBAPIError, InvalidEntry, CalledProcessError) as error:  # nbgrader wraps some of SQLAlchemy's
        place = config.CourseDirectory.db_url.partition("?")[0].rpartition("@")[2]
        said = str(error).strip().partition("\n")[0]
        said = re.sub(r"^\([\w.]+\) ", "", said)
        raise CourseError(f"the gradebook {place} cannot be used: {said}") from None


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
    try:
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
    except BaseException:
        book.db.rollback()
        raise


def scores(book: Gradebook, module: Module) -> tuple[dict[str, float], float]:
    """The points of every student whose submission of a module is entered, and the most there are."""
    assignment = book.find_assignment(module.name)
    found = book.db.query(SubmittedAssignment.student_id, SubmittedAssignment.score)
    return dict(found.filter(SubmittedAssignment.assignment_id == assignment.id).all()), assignment.max_score


def to_mark(book: Gradebook, module: Module) -> set[str]:
    """The students of whom something is still to be marked by hand, as an answer in words is."""
    assignment = book.find_assignment(module.name)
    found = book.db.query(SubmittedAssignment.student_id).filter(
        SubmittedAssignment.assignment_id == assignment.id, SubmittedAssignment.needs_manual_grade
    )
    return {student for (student,) in found}


def score(book: Gradebook, module: Module, student: str) -> tuple[float, float] | None:
    """The points of one student, and the most there are; None before any."""
    found, most = scores(book, module)
    return (found[student], most) if student in found else None


def _is_graded(cell) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("solution") or marks.get("grade"))
